import type { Outcome, RunVerdict, SpecVerdict } from './types.ts';

/** One run, one code: the first outcome in this order that occurs decides. 2 is kept for errors of the author. */
const BY_PRECEDENCE: readonly (readonly [Outcome, RunVerdict['exitCode']])[] = [
  ['violates', 1],
  ['incomplete', 3],
  ['inconclusive', 3],
  ['vacuous', 4],
  ['conforms', 0],
];

/** The outcome of several together. Nothing at all is vacuous: an empty run is never green. */
export function worstOf(outcomes: readonly Outcome[]): Outcome {
  return BY_PRECEDENCE.find(([outcome]) => outcomes.includes(outcome))?.[0] ?? 'vacuous';
}

export function exitCodeOf(outcome: Outcome): RunVerdict['exitCode'] {
  const row = BY_PRECEDENCE.find(([name]) => name === outcome);
  if (row === undefined) throw new Error(`no exit code for outcome ${outcome}: the table lists them all`);
  return row[1];
}

export function judgeRun(specs: readonly SpecVerdict[], replay?: string): RunVerdict {
  const outcome = worstOf(specs.map((spec) => spec.outcome));
  return { v: 1, outcome, exitCode: exitCodeOf(outcome), specs, ...(replay === undefined ? {} : { replay }) };
}
