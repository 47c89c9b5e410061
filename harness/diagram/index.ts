export type * from './types.ts';
export { type TextSource, wholeFile } from './source.ts';
