import { copyBytes, decodeText, isSame, keyOf } from './texts.ts';

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

/** What is kept of an id, in one place: its key, how long it is and its flags, what is known of its event, and its bytes. */
const KEY = 0;
const LENGTH_AND_FLAGS = 4;
const RECEIVER = 8;
const PARENT = 12;
const BYTES = 16;
const ROW_BYTES = 64;
const FLAG_BITS = 3;
const FLAGS = (1 << FLAG_BITS) - 1;

/** Longer ids have their bytes elsewhere; in their stead: where, also counted as if all had been kept, and the next such id. */
const SHORT_MAX = ROW_BYTES - BYTES;
const LONG_OFFSET = BYTES;
const LONG_NEXT = BYTES + 4;
const LONG_START = BYTES + 8;
/** Bytes kept of long ids, for each id. */
const LONG_BYTES_EACH = 32;

/**
 * The ids that a trace used last, and what is known of their events: a ring, in which the oldest make room for the newest.
 * Numbers only, so that remembering an event costs no object. Ids are counted up to 2^31.
 */
export class RecentIds {
  readonly max: number;
  readonly #mask: number;
  /** Open addressing with linear probing, pairs of a key (`keyOf`) and a place in the ring plus 1; 0: free. */
  readonly #table: Int32Array;
  readonly #slotMask: number;
  readonly #rows: DataView;
  readonly #long: LongBytes;
  /** The oldest and the newest long id. */
  #oldestLong: Id = NO_ID;
  #newestLong: Id = NO_ID;
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
    this.#rows = new DataView(new ArrayBuffer(size * ROW_BYTES));
    this.#long = new LongBytes(Math.max(size * LONG_BYTES_EACH, 4 * ID_BYTES_MAX));
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
    const row = this.#rowOf(id);
    const length = this.#rows.getInt32(row + LENGTH_AND_FLAGS, true) >> FLAG_BITS;
    if (length <= SHORT_MAX) return decodeText(this.#rows, row + BYTES, row + BYTES + length);
    const offset = this.#rows.getInt32(row + LONG_OFFSET, true);
    return decodeText(this.#long.view, offset, offset + length);
  }

  /** Its place among `max` others, for columns that others keep beside these. */
  placeOf(id: Id): number {
    return id & this.#mask;
  }

  flags(id: Id): number {
    return this.#rows.getInt32(this.#rowOf(id) + LENGTH_AND_FLAGS, true) & FLAGS;
  }

  mark(id: Id, flags: number): void {
    const at = this.#rowOf(id) + LENGTH_AND_FLAGS;
    this.#rows.setInt32(at, this.#rows.getInt32(at, true) | flags, true);
  }

  receiver(id: Id): number {
    return this.#rows.getInt32(this.#rowOf(id) + RECEIVER, true);
  }

  parent(id: Id): Id {
    return this.#rows.getInt32(this.#rowOf(id) + PARENT, true);
  }

  remember(id: Id, receiver: number, parent: Id): void {
    const row = this.#rowOf(id);
    this.#rows.setInt32(row + RECEIVER, receiver, true);
    this.#rows.setInt32(row + PARENT, parent, true);
  }

  /**
   * The number of the id that stands there, with three bytes behind it: a new one where it is not remembered. NO_ID: it is
   * too long.
   */
  numberAt(view: DataView, start: number, end: number, hash: number): Id {
    const key = keyOf(hash, view, start, end);
    const table = this.#table;
    const mask = this.#slotMask;
    for (let slot = key & mask; ; slot = (slot + 1) & mask) {
      const place = (table[2 * slot + 1] ?? 0) - 1;
      if (place < 0) return this.#add(view, start, end, key, slot);
      if (table[2 * slot] === key && this.#isAt(place, view, start, end)) return this.#idAt(place);
    }
  }

  #rowOf(id: Id): number {
    return (id & this.#mask) * ROW_BYTES;
  }

  #idAt(place: number): Id {
    const newest = this.#next - 1;
    return newest - ((newest - place) & this.#mask);
  }

  #isAt(place: number, view: DataView, start: number, end: number): boolean {
    const rows = this.#rows;
    const row = place * ROW_BYTES;
    const length = end - start;
    if (rows.getInt32(row + LENGTH_AND_FLAGS, true) >> FLAG_BITS !== length) return false;
    return length <= SHORT_MAX
      ? isSame(rows, row + BYTES, view, start, end)
      : isSame(this.#long.view, rows.getInt32(row + LONG_OFFSET, true), view, start, end);
  }

  #add(view: DataView, start: number, end: number, key: number, free: number): Id {
    const length = end - start;
    if (length > ID_BYTES_MAX) return NO_ID;
    const oldest = this.#oldest;
    if (this.#next - oldest >= this.max) this.#forgetOldest();
    if (length > SHORT_MAX) this.#makeLongRoom(length);
    const id = this.#next++;
    const rows = this.#rows;
    const row = this.#rowOf(id);
    rows.setInt32(row + KEY, key, true);
    rows.setInt32(row + LENGTH_AND_FLAGS, length << FLAG_BITS, true);
    rows.setInt32(row + RECEIVER, -1, true);
    rows.setInt32(row + PARENT, NO_ID, true);
    if (length <= SHORT_MAX) copyBytes(view, start, end, rows, row + BYTES);
    else this.#addLong(id, view, start, end);
    // What was forgotten may have left a free slot nearer to where it belongs.
    const slot = oldest === this.#oldest ? free : this.#freeSlot(key);
    this.#table[2 * slot] = key;
    this.#table[2 * slot + 1] = (id & this.#mask) + 1;
    return id;
  }

  #addLong(id: Id, view: DataView, start: number, end: number): void {
    const row = this.#rowOf(id);
    const { offset } = this.#long;
    copyBytes(view, start, end, this.#long.view, offset);
    this.#rows.setInt32(row + LONG_OFFSET, offset, true);
    this.#rows.setInt32(row + LONG_NEXT, NO_ID, true);
    this.#rows.setFloat64(row + LONG_START, this.#long.end, true);
    this.#long.advance(end - start);
    if (this.#newestLong === NO_ID) this.#oldestLong = id;
    else this.#rows.setInt32(this.#rowOf(this.#newestLong) + LONG_NEXT, id, true);
    this.#newestLong = id;
  }

  /** Makes so many bytes free that stand together; the ids that stood there are forgotten, with all that are older. */
  #makeLongRoom(length: number): void {
    const kept = this.#long.reach(length);
    for (let id = this.#oldestLong; id !== NO_ID; id = this.#oldestLong) {
      if (this.#rows.getFloat64(this.#rowOf(id) + LONG_START, true) >= kept) return;
      while (this.#oldest <= id) this.#forgetOldest();
    }
  }

  #freeSlot(key: number): number {
    let slot = key & this.#slotMask;
    while (this.#table[2 * slot + 1] !== 0) slot = (slot + 1) & this.#slotMask;
    return slot;
  }

  #forgetOldest(): void {
    const id = this.#oldest++;
    const row = this.#rowOf(id);
    if (id === this.#oldestLong) {
      this.#oldestLong = this.#rows.getInt32(row + LONG_NEXT, true);
      if (this.#oldestLong === NO_ID) this.#newestLong = NO_ID;
    }
    const table = this.#table;
    const mask = this.#slotMask;
    const entry = (id & this.#mask) + 1;
    let free = this.#rows.getInt32(row + KEY, true) & mask;
    while (table[2 * free + 1] !== entry) free = (free + 1) & mask;
    // What was pushed on by this entry moves back, so that no search stops short of it.
    for (let slot = (free + 1) & mask; table[2 * slot + 1] !== 0; slot = (slot + 1) & mask) {
      const key = table[2 * slot] ?? 0;
      if (((slot - key) & mask) < ((slot - free) & mask)) continue;
      table[2 * free] = key;
      table[2 * free + 1] = table[2 * slot + 1] ?? 0;
      free = slot;
    }
    table[2 * free + 1] = 0;
  }
}

/** The bytes of long ids, one behind the other in a ring that is made when the first comes: most traces have none. */
class LongBytes {
  readonly #size: number;
  #view: DataView | null = null;
  /** Where the next bytes stand, and the same counted as if all had been kept. */
  offset = 0;
  end = 0;

  constructor(size: number) {
    this.#size = size;
  }

  get view(): DataView {
    return (this.#view ??= new DataView(new ArrayBuffer(this.#size)));
  }

  /** Moves on to a place for so many bytes. Returns where what is kept begins when they stand there. */
  reach(length: number): number {
    // Up to three bytes more are written and looked at, though not used.
    if (this.offset + length + 3 > this.#size) {
      this.end += this.#size - this.offset;
      this.offset = 0;
    }
    return this.end + length + 3 - this.#size;
  }

  advance(length: number): void {
    this.offset += length;
    this.end += length;
  }
}
