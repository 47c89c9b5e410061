import { copyBytes, decodeText, isSame, mixed } from './texts.ts';

/** An id of a trace, by its number: later ids have greater numbers. */
export type Id = number;

export const NO_ID: Id = -1;

/** An event of this id was read. */
export const IS_READ = 1;
/** An event named it as its cause. */
export const IS_NAMED = 2;
/** It is the id of a call. */
export const IS_CALL = 4;

/** Longer ids are refused. */
export const ID_BYTES_MAX = 4_096;
const BYTES_EACH = 32;

/** What is kept of an id, side by side, since it is mostly asked for together. */
const OFFSET = 0;
const LENGTH = 1;
const FLAGS = 2;
const RECEIVER = 3;
const PARENT = 4;
const HASH = 5;
const WIDTH = 8;

/**
 * The ids that a trace used last, and what is known of their events: a ring, in which the oldest make room for the newest.
 * Numbers only, so that remembering an event costs no object. Ids are counted up to 2^31.
 */
export class RecentIds {
  readonly max: number;
  readonly #mask: number;
  /** Open addressing with linear probing, pairs of a hash and a place in the ring plus 1; 0: free. */
  readonly #table: Int32Array;
  readonly #slotMask: number;
  readonly #records: Int32Array;
  /** Where the bytes of each id begin, counted as if all bytes had been kept. */
  readonly #starts: Float64Array;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #end = 0;
  /** Where that is among the bytes that are kept. */
  #offset = 0;
  #oldest: Id = 0;
  #next: Id = 0;

  /** `max` is rounded up to a power of two. */
  constructor(max: number) {
    let size = 16;
    while (size < max) size *= 2;
    this.max = size;
    this.#mask = size - 1;
    this.#table = new Int32Array(4 * size);
    this.#slotMask = 2 * size - 1;
    this.#records = new Int32Array(size * WIDTH);
    this.#starts = new Float64Array(size);
    this.#bytes = new Uint8Array(Math.max(size * BYTES_EACH, 4 * ID_BYTES_MAX));
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** Some ids are not remembered any more. */
  get hasForgotten(): boolean {
    return this.#oldest > 0;
  }

  /** Is it still remembered? */
  has(id: Id): boolean {
    return id >= this.#oldest && id < this.#next;
  }

  /** The id itself. */
  textOf(id: Id): string {
    const at = (id & this.#mask) * WIDTH;
    const offset = this.#records[at + OFFSET] ?? 0;
    return decodeText(this.#bytes, offset, offset + (this.#records[at + LENGTH] ?? 0));
  }

  /** Its place among `max` others, for columns that others keep beside these. */
  placeOf(id: Id): number {
    return id & this.#mask;
  }

  flags(id: Id): number {
    return this.#records[(id & this.#mask) * WIDTH + FLAGS] ?? 0;
  }

  mark(id: Id, flags: number): void {
    const at = (id & this.#mask) * WIDTH + FLAGS;
    this.#records[at] = (this.#records[at] ?? 0) | flags;
  }

  receiver(id: Id): number {
    return this.#records[(id & this.#mask) * WIDTH + RECEIVER] ?? -1;
  }

  parent(id: Id): Id {
    return this.#records[(id & this.#mask) * WIDTH + PARENT] ?? NO_ID;
  }

  remember(id: Id, receiver: number, parent: Id): void {
    const at = (id & this.#mask) * WIDTH;
    this.#records[at + RECEIVER] = receiver;
    this.#records[at + PARENT] = parent;
  }

  /**
   * The number of the id that stands there, with three bytes behind it: a new one where it is not remembered. NO_ID: it is
   * too long.
   */
  numberAt(view: DataView, start: number, end: number, hash: number): Id {
    const table = this.#table;
    for (let slot = mixed(hash) & this.#slotMask; ; slot = (slot + 1) & this.#slotMask) {
      const place = (table[2 * slot + 1] ?? 0) - 1;
      if (place < 0) return this.#add(view, start, end, hash, slot);
      if (table[2 * slot] === hash && this.#isAt(place, view, start, end)) return this.#idAt(place);
    }
  }

  #idAt(place: number): Id {
    const newest = this.#next - 1;
    return newest - ((newest - place) & this.#mask);
  }

  #isAt(place: number, view: DataView, start: number, end: number): boolean {
    const at = place * WIDTH;
    if (this.#records[at + LENGTH] !== end - start) return false;
    return isSame(this.#view, this.#records[at + OFFSET] ?? 0, view, start, end);
  }

  #add(view: DataView, start: number, end: number, hash: number, free: number): Id {
    const length = end - start;
    if (length > ID_BYTES_MAX) return NO_ID;
    const oldest = this.#oldest;
    if (this.#next - oldest >= this.max) this.#forgetOldest();
    const offset = this.#room(length);
    const place = this.#next & this.#mask;
    this.#starts[place] = this.#end - length;
    const at = place * WIDTH;
    this.#records[at + OFFSET] = offset;
    this.#records[at + LENGTH] = length;
    this.#records[at + FLAGS] = 0;
    this.#records[at + RECEIVER] = -1;
    this.#records[at + PARENT] = NO_ID;
    this.#records[at + HASH] = hash;
    copyBytes(view, start, end, this.#view, offset);
    // What was forgotten may have left a free slot nearer to where it belongs.
    const slot = oldest === this.#oldest ? free : this.#freeSlot(hash);
    this.#table[2 * slot] = hash;
    this.#table[2 * slot + 1] = place + 1;
    return this.#next++;
  }

  #freeSlot(hash: number): number {
    let slot = mixed(hash) & this.#slotMask;
    while (this.#table[2 * slot + 1] !== 0) slot = (slot + 1) & this.#slotMask;
    return slot;
  }

  /** The place where so many bytes can stand together; ids that stood there are forgotten. */
  #room(length: number): number {
    const size = this.#bytes.length;
    let offset = this.#offset;
    // Up to three bytes more are written and looked at, though not used.
    if (offset + length + 3 > size) {
      this.#end += size - offset;
      offset = 0;
    }
    this.#end += length;
    this.#offset = offset + length;
    const kept = this.#end + 3 - size;
    while (this.#oldest < this.#next && (this.#starts[this.#oldest & this.#mask] ?? 0) < kept) this.#forgetOldest();
    return offset;
  }

  #forgetOldest(): void {
    const place = this.#oldest++ & this.#mask;
    const table = this.#table;
    const mask = this.#slotMask;
    let free = mixed(this.#records[place * WIDTH + HASH] ?? 0) & mask;
    while (table[2 * free + 1] !== place + 1) free = (free + 1) & mask;
    // What was pushed on by this entry moves back, so that no search stops short of it.
    for (let slot = (free + 1) & mask; table[2 * slot + 1] !== 0; slot = (slot + 1) & mask) {
      const hash = table[2 * slot] ?? 0;
      if (((slot - mixed(hash)) & mask) < ((slot - free) & mask)) continue;
      table[2 * free] = hash;
      table[2 * free + 1] = table[2 * slot + 1] ?? 0;
      free = slot;
    }
    table[2 * free + 1] = 0;
  }
}
