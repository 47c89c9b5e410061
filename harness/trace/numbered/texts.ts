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

/**
 * Numbers the texts of a trace, equal texts with equal numbers, so that a text which comes again costs no string. ASCII texts
 * come as bytes; for the others any encoding does that tells different texts apart, since they are only compared.
 */
export class Texts {
  #slots = new Int32Array(1 << 12).fill(NO_TEXT);
  #hashes = new Int32Array(1 << 11);
  #starts = new Float64Array((1 << 11) + 1);
  #bytes = new Uint8Array(1 << 16);
  #view = new DataView(this.#bytes.buffer);
  #strings: (string | undefined)[] = [];
  #size = 0;
  #scratch = new Uint8Array(1 << 10);
  #scratchView = new DataView(this.#scratch.buffer);

  constructor() {
    this.clear();
  }

  /** There are so many that whoever keeps numbers had better forget them, and this with `clear`. */
  get isFull(): boolean {
    return this.#size >= TEXTS_MAX || (this.#starts[this.#size] ?? 0) >= BYTES_MAX;
  }

  get size(): number {
    return this.#size;
  }

  clear(): void {
    this.#slots.fill(NO_TEXT);
    this.#strings = [];
    this.#size = 0;
    this.numberOf('');
  }

  /** The number of the ASCII text that stands there, with three bytes behind it; `hash` is its hash (`hashOf`). */
  numberAt(view: DataView, start: number, end: number, hash: number): Text {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let slot = mixed(hash) & mask; ; slot = (slot + 1) & mask) {
      const text = slots[slot] ?? NO_TEXT;
      if (text === NO_TEXT) return this.#add(view, start, end, hash, slot);
      if (this.#hashes[text] !== hash) continue;
      const at = this.#starts[text] ?? 0;
      if ((this.#starts[text + 1] ?? 0) - at === end - start && isSame(this.#view, at, view, start, end)) return text;
    }
  }

  numberOf(string: string): Text {
    const end = this.#encode(string);
    const text = this.numberAt(this.#scratchView, 0, end, hashOf(this.#scratch, 0, end));
    this.#strings[text] ??= string;
    return text;
  }

  stringOf(text: Text): string {
    return (this.#strings[text] ??= asciiOf(this.#bytes, this.#starts[text] ?? 0, this.#starts[text + 1] ?? 0));
  }

  #add(view: DataView, start: number, end: number, hash: number, slot: number): Text {
    const text = this.#size++;
    this.#slots[slot] = text;
    if (text >= this.#hashes.length) this.#growTexts();
    this.#hashes[text] = hash;
    const from = this.#starts[text] ?? 0;
    const to = from + end - start;
    this.#reserve(to);
    copyBytes(view, start, end, this.#view, from);
    this.#starts[text + 1] = to;
    if (this.#size * 2 > this.#slots.length) this.#growSlots();
    return text;
  }

  #reserve(size: number): void {
    if (size + 3 <= this.#bytes.length) return;
    const bytes = new Uint8Array(Math.max(size + 3, 2 * this.#bytes.length));
    bytes.set(this.#bytes);
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }

  #growTexts(): void {
    const hashes = new Int32Array(2 * this.#hashes.length);
    hashes.set(this.#hashes);
    const starts = new Float64Array(2 * this.#hashes.length + 1);
    starts.set(this.#starts);
    [this.#hashes, this.#starts] = [hashes, starts];
  }

  #growSlots(): void {
    const slots = new Int32Array(2 * this.#slots.length).fill(NO_TEXT);
    const mask = slots.length - 1;
    for (let text = 0; text < this.#size; text++) {
      let slot = mixed(this.#hashes[text] ?? 0) & mask;
      while (slots[slot] !== NO_TEXT) slot = (slot + 1) & mask;
      slots[slot] = text;
    }
    this.#slots = slots;
  }

  /** Into the scratch bytes; ASCII as it is, everything else as three bytes a UTF-16 unit. */
  #encode(string: string): number {
    if (this.#scratch.length < 3 * string.length + 3) {
      this.#scratch = new Uint8Array(6 * string.length + 3);
      this.#scratchView = new DataView(this.#scratch.buffer);
    }
    return encodeText(string, this.#scratch);
  }
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
export function encodeText(string: string, into: Uint8Array): number {
  let end = 0;
  for (let index = 0; index < string.length; index++) {
    const unit = string.charCodeAt(index);
    if (unit < 0x80) into[end++] = unit;
    else {
      into[end++] = 0xe0 | (unit >> 12);
      into[end++] = 0x80 | ((unit >> 6) & 0x3f);
      into[end++] = 0x80 | (unit & 0x3f);
    }
  }
  return end;
}

/** The text that `encodeText` wrote there. */
export function decodeText(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  for (let at = start; at < end;) {
    const byte = bytes[at] ?? 0;
    const isPlain = byte < 0x80;
    const unit = isPlain
      ? byte
      : ((byte & 0x0f) << 12) | (((bytes[at + 1] ?? 0) & 0x3f) << 6) | ((bytes[at + 2] ?? 0) & 0x3f);
    text += String.fromCharCode(unit);
    at += isPlain ? 1 : 3;
  }
  return text;
}

/** The hash of a text, for bytes that are not scanned. A scanner that reads them anyway computes it on its way. */
export function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = HASH_START;
  for (let at = start; at < end; at += 4) {
    let word = 0;
    for (let offset = Math.min(3, end - at - 1); offset >= 0; offset--) word = (word << 8) | (bytes[at + offset] ?? 0);
    hash = Math.imul(hash ^ word, HASH_FACTOR);
  }
  return hash;
}

/** The low bits of such a hash depend on few bits of its input. */
export const mixed = (hash: number): number => {
  const folded = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return folded ^ (folded >>> 13);
};

const SHORT_TEXT = 12;
const decoder = new TextDecoder();

/** Characters from ASCII bytes. */
export function asciiOf(bytes: Uint8Array, start: number, end: number): string {
  if (end - start > SHORT_TEXT) return decoder.decode(bytes.subarray(start, end));
  let text = '';
  for (let at = start; at < end; at++) text += String.fromCharCode(bytes[at] ?? 0);
  return text;
}
