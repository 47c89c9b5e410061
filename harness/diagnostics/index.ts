export type * from './types.ts';
export { hasErrors } from './types.ts';
