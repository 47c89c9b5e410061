export { arrowsOfEvents, arrowsSeen, check, type CheckOptions } from './check.ts';
export { checkStream, STREAM_BOUNDS, type ByteSource, type StreamBounds, type StreamedCheck } from './stream/index.ts';
export { nearMisses, type NearMiss } from './near-misses.ts';
export { describeViolation, nameArrow } from './describe.ts';
export { compareContracts, type CompareOptions, type ComparedStep, type Comparison } from './compare.ts';
export { pairLifelines, type LifelinePairs } from './pair-lifelines.ts';
export { checkLogs, POSSIBLE, problemOfLogs, type CheckLogsOptions } from './logs/check-logs.ts';
