import { StoreEngine } from './engine.ts';
import type { EngineOptions } from './engine.ts';
import { Mvcc } from './mvcc.ts';
import type { Store } from './types.ts';

/** A store that is gone with the process. */
export function createMemStore(options: EngineOptions = {}): Store {
  return new StoreEngine(new Mvcc(), options);
}
