export type * from './types.ts';
export { exitCodeOf, isUncovered, judgeRun, percentOf, worstOf } from './exit-code.ts';
export { neverSeen } from './never-seen.ts';
