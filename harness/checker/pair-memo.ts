const EMPTY_SLOT = -1;
const CAPACITY_FIRST = 16;

/**
 * A map from two small natural numbers to a third, without a string or an object per entry: the memory of everything
 * that is computed per (term, occurrence) or (term, set).
 */
export class PairMemo {
  #entries: Int32Array;
  #mask: number;
  #size = 0;

  /** `capacity` is a power of two; the table grows when half of it is used. */
  constructor(capacity: number = CAPACITY_FIRST) {
    this.#entries = slots(capacity);
    this.#mask = capacity - 1;
  }

  get size(): number {
    return this.#size;
  }

  /** The value kept for the pair, or -1. */
  get(a: number, b: number): number {
    const at = this.#slotOf(a, b);
    return this.#entries[at] === EMPTY_SLOT ? EMPTY_SLOT : (this.#entries[at + 2] ?? EMPTY_SLOT);
  }

  set(a: number, b: number, value: number): void {
    if (2 * this.#size > this.#mask) this.#grow();
    const at = this.#slotOf(a, b);
    if (this.#entries[at] === EMPTY_SLOT) this.#size++;
    this.#entries[at] = a;
    this.#entries[at + 1] = b;
    this.#entries[at + 2] = value;
  }

  #slotOf(a: number, b: number): number {
    const entries = this.#entries;
    let hash = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b);
    hash ^= hash >>> 15;
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = 3 * slot;
      const key = entries[at];
      if (key === EMPTY_SLOT || (key === a && entries[at + 1] === b)) return at;
    }
  }

  #grow(): void {
    const old = this.#entries;
    this.#mask = 2 * this.#mask + 1;
    this.#entries = slots(this.#mask + 1);
    for (let at = 0; at < old.length; at += 3) {
      const key = old[at] ?? EMPTY_SLOT;
      if (key === EMPTY_SLOT) continue;
      this.#entries.set(old.subarray(at, at + 3), this.#slotOf(key, old[at + 1] ?? 0));
    }
  }
}

const slots = (capacity: number): Int32Array => new Int32Array(3 * capacity).fill(EMPTY_SLOT);
