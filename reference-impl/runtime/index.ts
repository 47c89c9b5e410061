export { localImages } from './images.ts';
export type { Image, ImageRegistry } from './images.ts';
export { ProcessRuntime } from './process-runtime.ts';
export type { ProcessRuntimeOptions } from './process-runtime.ts';
export { TracedRuntime } from './traced-runtime.ts';
export type { RuntimeCaller } from './traced-runtime.ts';
export { RuntimeError } from './types.ts';
export type * from './types.ts';
