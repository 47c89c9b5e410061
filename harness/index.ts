/** The library: text to diagram to contract; trace and contract to verdict; verdict to report. */
export { readDocument, readDocumentWithTopology } from './dialects/index.ts';
export { compileContract, explainContract, readBinding } from './contract/index.ts';
export { createRecorder, fetchTrace, readTraceText, toNdjson } from './trace/index.ts';
export { check } from './checker/index.ts';
export { exitCodeOf, judgeRun, worstOf } from './verdict/index.ts';
export { reporters } from './report/index.ts';
export { renderDiagnostic } from './diagnostics/index.ts';
export { checkTopology } from './diagram/index.ts';
export type { Diagram, Topology, TopologyFinding } from './diagram/index.ts';
export type { Contract, Order } from './contract/index.ts';
export type { Attribute, SourcedEvent, Trace, TraceEvent } from './trace/index.ts';
export type { InstanceVerdict, Outcome, RunVerdict, SpecVerdict, Violation } from './verdict/index.ts';
export type { Diagnostic, Read } from './diagnostics/index.ts';
export type { RunningSystem, Scenario, StartOptions, Step, SystemUnderTest } from './system/index.ts';
