export { openDurableStore } from './durable-store.ts';
export { createMemStore } from './mem-store.ts';
export type { EngineOptions } from './engine.ts';
export type { JournalOptions } from './journal.ts';
export { prefixRange } from './mvcc.ts';
export { StoreError } from './types.ts';
export type * from './types.ts';
