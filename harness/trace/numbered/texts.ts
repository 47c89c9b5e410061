/** A text of a trace, by its number. */
export type Text = number;

/** No text at all. */
export const NO_TEXT: Text = -1;
/** The text without characters. */
export const EMPTY_TEXT: Text = 0;

/** Texts and their bytes kept before all are forgotten and numbered anew. */
const TEXTS_MAX = 500_000;
const BYTES_MAX = 64_000_000;

/** Hashes are FNV-1a over words of four bytes, the last one filled up with zeros. */
export const HASH_START = -0x7ee3623b;
export const HASH_FACTOR = 0x01000193;
/** The factor's inverse, modulo 2^32. */
const HASH_INVERSE = 0x359c449b;

/** What stands before the bytes of a text, which are filled up to whole words: its number, and how many they are. */
const LENGTH = 4;
const BYTES = 8;
/** Rows begin behind it, since 0 is none. */
const FIRST_ROW = 4;

/**
 * Numbers the texts of a trace, equal texts with equal numbers, so that a text which comes again costs no string. ASCII texts
 * come as bytes; for the others any encoding does that tells different texts apart, since they are only compared.
 */
export class Texts {
  /** Open addressing with linear probing, pairs of a key (`keyOf`) and the row of a text; 0: free. */
  #table = new Int32Array(1 << 13);
  #mask = (1 << 12) - 1;
  /** All of a text in one place: what is looked up for every event should be one access to memory, not several. */
  #rows = new DataView(new ArrayBuffer(1 << 16));
  #end = FIRST_ROW;
  /** By text: where its row begins. */
  #offsets = new Int32Array(1 << 11);
  #strings: (string | undefined)[] = [];
  #size = 0;
  #scratch = new DataView(new ArrayBuffer(1 << 10));

  constructor() {
    this.clear();
  }

  /** There are so many that whoever keeps numbers had better forget them, and this with `clear`. */
  get isFull(): boolean {
    return this.#size >= TEXTS_MAX || this.#end >= BYTES_MAX;
  }

  get size(): number {
    return this.#size;
  }

  /** How many bytes they take. */
  get bytes(): number {
    return this.#end;
  }

  clear(): void {
    this.#table.fill(0);
    this.#strings = [];
    this.#size = 0;
    this.#end = FIRST_ROW;
    this.numberOf('');
  }

  /** The number of the ASCII text that stands there, with three bytes behind it; `hash` is its hash (`hashOf`). */
  numberAt(view: DataView, start: number, end: number, hash: number): Text {
    const key = keyOf(hash, view, start, end);
    const table = this.#table;
    const mask = this.#mask;
    for (let slot = key & mask; ; slot = (slot + 1) & mask) {
      const row = table[2 * slot + 1] ?? 0;
      if (row === 0) return this.#add(view, start, end, key, slot);
      if (table[2 * slot] === key && this.#isAt(row, view, start, end)) return this.#rows.getInt32(row, true);
    }
  }

  /** The same, for one that may have no number: NO_TEXT. */
  find(view: DataView, start: number, end: number): Text {
    const key = keyOf(hashOf(view, start, end), view, start, end);
    for (let slot = key & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const row = this.#table[2 * slot + 1] ?? 0;
      if (row === 0) return NO_TEXT;
      if (this.#table[2 * slot] === key && this.#isAt(row, view, start, end)) return this.#rows.getInt32(row, true);
    }
  }

  /** The number of a text that others numbered. */
  numberFrom(others: Texts, text: Text): Text {
    const { view } = others;
    const [start, end] = [others.startOf(text), others.endOf(text)];
    return this.numberAt(view, start, end, hashOf(view, start, end));
  }

  numberOf(string: string): Text {
    if (this.#scratch.byteLength < 3 * string.length + 3)
      this.#scratch = new DataView(new ArrayBuffer(6 * string.length + 3));
    const end = encodeText(string, this.#scratch);
    const text = this.numberAt(this.#scratch, 0, end, hashOf(this.#scratch, 0, end));
    this.#strings[text] ??= string;
    return text;
  }

  stringOf(text: Text): string {
    return (this.#strings[text] ??= decodeText(this.#rows, this.startOf(text), this.endOf(text)));
  }

  /** What holds the bytes of all texts, with three bytes behind each; until the next one is added. */
  get view(): DataView {
    return this.#rows;
  }

  startOf(text: Text): number {
    return (this.#offsets[text] ?? 0) + BYTES;
  }

  endOf(text: Text): number {
    const row = this.#offsets[text] ?? 0;
    return row + BYTES + this.#rows.getInt32(row + LENGTH, true);
  }

  #isAt(row: number, view: DataView, start: number, end: number): boolean {
    const rows = this.#rows;
    return rows.getInt32(row + LENGTH, true) === end - start && isSame(rows, row + BYTES, view, start, end);
  }

  #add(view: DataView, start: number, end: number, key: number, slot: number): Text {
    const text = this.#size++;
    const row = this.#end;
    this.#end = (row + BYTES + (end - start) + 3) & -4;
    if (this.#end > this.#rows.byteLength) this.#growRows();
    this.#table[2 * slot] = key;
    this.#table[2 * slot + 1] = row;
    this.#rows.setInt32(row, text, true);
    this.#rows.setInt32(row + LENGTH, end - start, true);
    copyBytes(view, start, end, this.#rows, row + BYTES);
    if (text >= this.#offsets.length) this.#offsets = longer(this.#offsets, 2 * this.#offsets.length);
    this.#offsets[text] = row;
    if (this.#size * 2 > this.#mask) this.#growTable();
    return text;
  }

  #growRows(): void {
    const bytes = new Uint8Array(2 * Math.max(this.#end, this.#rows.byteLength));
    bytes.set(new Uint8Array(this.#rows.buffer));
    this.#rows = new DataView(bytes.buffer);
  }

  #growTable(): void {
    const smaller = this.#table;
    const table = new Int32Array(2 * smaller.length);
    const mask = table.length / 2 - 1;
    for (let at = 0; at < smaller.length; at += 2) {
      if (smaller[at + 1] === 0) continue;
      let slot = (smaller[at] ?? 0) & mask;
      while (table[2 * slot + 1] !== 0) slot = (slot + 1) & mask;
      table[2 * slot] = smaller[at] ?? 0;
      table[2 * slot + 1] = smaller[at + 1] ?? 0;
    }
    this.#table = table;
    this.#mask = mask;
  }
}

/** The same numbers, with room for more; `rest` stands there. */
export function longer(numbers: Int32Array, length: number, rest = 0): Int32Array<ArrayBuffer> {
  const copy = new Int32Array(length);
  copy.set(numbers);
  if (rest !== 0) copy.fill(rest, numbers.length);
  return copy;
}

/** Are these bytes those of another place? Both have three bytes behind them. */
export function isSame(own: DataView, from: number, other: DataView, start: number, end: number): boolean {
  let at = from;
  let index = start;
  for (; index + 4 <= end; index += 4, at += 4)
    if (own.getInt32(at, true) !== other.getInt32(index, true)) return false;
  const rest = end - index;
  const mask = (1 << (rest << 3)) - 1;
  return rest === 0 || ((own.getInt32(at, true) ^ other.getInt32(index, true)) & mask) === 0;
}

/** Copies bytes, up to three more with them. */
export function copyBytes(from: DataView, start: number, end: number, into: DataView, offset: number): void {
  for (let index = start, at = offset; index < end; index += 4, at += 4)
    into.setInt32(at, from.getInt32(index, true), true);
}

/** Writes a text as bytes, ASCII as it is, different texts differently (also those with lone surrogates). Returns the end. */
export function encodeText(string: string, into: DataView): number {
  let end = 0;
  for (let index = 0; index < string.length; index++) {
    const unit = string.charCodeAt(index);
    if (unit < 0x80) into.setUint8(end++, unit);
    else {
      into.setUint8(end++, 0xe0 | (unit >> 12));
      into.setUint8(end++, 0x80 | ((unit >> 6) & 0x3f));
      into.setUint8(end++, 0x80 | (unit & 0x3f));
    }
  }
  return end;
}

/** The text that `encodeText` wrote there. */
export function decodeText(view: DataView, start: number, end: number): string {
  let text = '';
  for (let at = start; at < end;) {
    const byte = view.getUint8(at);
    const isPlain = byte < 0x80;
    const unit = isPlain
      ? byte
      : ((byte & 0x0f) << 12) | ((view.getUint8(at + 1) & 0x3f) << 6) | (view.getUint8(at + 2) & 0x3f);
    text += String.fromCharCode(unit);
    at += isPlain ? 1 : 3;
  }
  return text;
}

/** The hash of a text with three bytes behind it. A scanner that reads them anyway computes it on its way. */
export function hashOf(view: DataView, start: number, end: number): number {
  let hash = HASH_START;
  let at = start;
  for (; at + 4 <= end; at += 4) hash = Math.imul(hash ^ view.getInt32(at, true), HASH_FACTOR);
  const rest = end - at;
  return rest === 0 ? hash : Math.imul(hash ^ (view.getInt32(at, true) & ((1 << (rest << 3)) - 1)), HASH_FACTOR);
}

/** Low bits of its last character in which a text may differ from its neighbours in a table. */
const NEIGHBOUR_BITS = 3;
const NEIGHBOURS = (1 << NEIGHBOUR_BITS) - 1;

/**
 * Where a text belongs in a table, from its hash: as good as chance, but for texts that differ in the last bits of their last
 * character only, which lie side by side. What is counted (`order-1`, `order-2`) is mostly met in that order, and so found
 * where memory was just read.
 */
export function keyOf(hash: number, view: DataView, start: number, end: number): number {
  if (start === end) return mixed(hash);
  const last = view.getUint8(end - 1) & NEIGHBOURS;
  const stem = mixed(Math.imul(hash, HASH_INVERSE) ^ (last << (((end - start - 1) & 3) << 3)));
  return ((stem << NEIGHBOUR_BITS) | (stem >>> (32 - NEIGHBOUR_BITS))) ^ last;
}

/** The low bits of a hash depend on few bits of its input. */
function mixed(hash: number): number {
  const folded = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return folded ^ (folded >>> 13);
}
