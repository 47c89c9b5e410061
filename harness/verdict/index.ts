export type * from './types.ts';
export { exitCodeOf, judgeRun, worstOf } from './exit-code.ts';
