/** The library: text to diagram to contract; trace and contract to verdict; verdict to report. */
export { readDocument, readDocumentWithTopology } from './dialects/index.ts';
export { checkBindings, compileContract, explainContract, inlineReferences, readBinding } from './contract/index.ts';
export { createRecorder, fetchTrace, readTraceText, toNdjson } from './trace/index.ts';
export { check, checkLogs, compareContracts, pairLifelines } from './checker/index.ts';
export { firstBinding } from './scaffold/index.ts';
export { exitCodeOf, isUncovered, judgeRun, worstOf } from './verdict/index.ts';
export { reporters } from './report/index.ts';
export { renderDiagnostic } from './diagnostics/index.ts';
export { arrivals, checkOvertaking, checkTopology } from './diagram/index.ts';
export type { Diagram, OvertakingFinding, Topology, TopologyFinding } from './diagram/index.ts';
export type { Binding, CompileOptions, Contract, Order } from './contract/index.ts';
export type { CheckLogsOptions, CheckOptions, CompareOptions, Comparison, LifelinePairs } from './checker/index.ts';
export type { BindingText } from './scaffold/index.ts';
export type { Attribute, SourcedEvent, Trace, TraceEvent } from './trace/index.ts';
export type { Coverage, InstanceVerdict, Outcome, RunVerdict, SpecVerdict, Violation } from './verdict/index.ts';
export type { Diagnostic, Read } from './diagnostics/index.ts';
export type { RunningSystem, Scenario, StartOptions, Step, SystemUnderTest } from './system/index.ts';
