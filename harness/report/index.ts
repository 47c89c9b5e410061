export type { Reporter, ReportInput } from './types.ts';
export { reporters } from './reporters.ts';
export { shortenedLines } from './long-text.ts';
export { specNames } from './summary.ts';
