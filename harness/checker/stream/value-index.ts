import type { Instance } from './live-instances.ts';

/** No further instance. */
export const NOBODY: Instance = -1;

/** Instances by one of their values: lists that are threaded through a column, so that none is an object of its own. */
export class ValueIndex {
  readonly #heads = new Map<string, Instance>();
  #next = new Int32Array(1_024).fill(NOBODY);

  add(value: string, instance: Instance): void {
    if (instance >= this.#next.length) this.#grow(instance);
    this.#next[instance] = this.first(value);
    this.#heads.set(value, instance);
  }

  /** The instance of this value that was added last, or NOBODY. */
  first(value: string): Instance {
    return this.#heads.get(value) ?? NOBODY;
  }

  /** The one of the same value that was added before it, or NOBODY. */
  next(instance: Instance): Instance {
    return this.#next[instance] ?? NOBODY;
  }

  #grow(instance: Instance): void {
    const longer = new Int32Array(2 * (instance + 1)).fill(NOBODY);
    longer.set(this.#next);
    this.#next = longer;
  }
}
