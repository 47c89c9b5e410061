export { arbitraryCase, describeCase, type CaseLimits, type JudgedCase } from './arbitrary-contract.ts';
export { GATE_CASES, gateFaults } from './oracle-gate.ts';
export { captureIo } from './capture-io.ts';
export { datadriven, type Stanza } from './datadriven.ts';
export { fewestEdits, hasKnownEdits, type Showing } from './fewest-edits.ts';
export { judgedCase, seedOf } from './judged-case.ts';
export { judgeNaively, type NaiveVerdict } from './oracle.ts';
export { readShorthand } from './shorthand.ts';
export { Tally } from './tally.ts';
