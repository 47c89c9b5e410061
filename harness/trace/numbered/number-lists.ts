import { longer } from './texts.ts';

/** Numbers lists of numbers, equal ones equally. */
export class NumberLists {
  #slots = new Int32Array(1 << 10).fill(-1);
  #starts = [0];
  #numbers = new Int32Array(1 << 12);
  #size = 0;

  clear(): void {
    this.#slots.fill(-1);
    this.#starts = [0];
    this.#size = 0;
  }

  get size(): number {
    return this.#size;
  }

  /** The list's number; that of a new one is how many there were before. */
  find(list: Int32Array, length: number): number {
    let hash = length;
    for (let index = 0; index < length; index++)
      hash = Math.imul(hash ^ (list[index] ?? 0), 0x9e3779b1) ^ (hash >>> 15);
    const mask = this.#slots.length - 1;
    for (let slot = (hash ^ (hash >>> 16)) & mask; ; slot = (slot + 1) & mask) {
      const found = this.#slots[slot] ?? -1;
      if (found < 0) return this.#add(list, length, slot);
      if (this.#is(found, list, length)) return found;
    }
  }

  #is(found: number, list: Int32Array, length: number): boolean {
    const start = this.#starts[found] ?? 0;
    if ((this.#starts[found + 1] ?? 0) - start !== length) return false;
    for (let index = 0; index < length; index++) if (this.#numbers[start + index] !== list[index]) return false;
    return true;
  }

  #add(list: Int32Array, length: number, slot: number): number {
    const added = this.#size++;
    this.#slots[slot] = added;
    const start = this.#starts[added] ?? 0;
    this.#starts[added + 1] = start + length;
    if (start + length > this.#numbers.length) this.#numbers = longer(this.#numbers, 2 * (start + length));
    for (let index = 0; index < length; index++) this.#numbers[start + index] = list[index] ?? 0;
    if (this.#size * 2 > this.#slots.length) this.#grow();
    return added;
  }

  #grow(): void {
    const all = Array.from({ length: this.#size }, (_, found) =>
      this.#numbers.slice(this.#starts[found] ?? 0, this.#starts[found + 1] ?? 0),
    );
    this.#slots = new Int32Array(4 * this.#slots.length).fill(-1);
    this.#starts = [0];
    this.#size = 0;
    for (const list of all) this.find(list, list.length);
  }
}
