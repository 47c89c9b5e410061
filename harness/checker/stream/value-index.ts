import type { Text } from '../../trace/index.ts';
import type { Instance } from './bindings.ts';
import { withPlace } from './columns.ts';

/** Instances by one of their values: lists that are threaded through a column, so that none is an object of its own. */
export class ValueIndex {
  /** By value: the instance that was added last, plus 1. */
  #heads = new Int32Array(1_024);
  #next = new Int32Array(1_024);

  add(value: Text, instance: Instance): void {
    this.#next = withPlace(this.#next, instance);
    this.#next[instance] = this.#heads[value] ?? 0;
    this.#heads = withPlace(this.#heads, value);
    this.#heads[value] = instance + 1;
  }

  /** The instance of this value that was added last, or NOBODY. */
  first(value: Text): Instance {
    return (this.#heads[value] ?? 0) - 1;
  }

  /** The one of the same value that was added before it, or NOBODY. */
  next(instance: Instance): Instance {
    return (this.#next[instance] ?? 0) - 1;
  }
}
