/** A text of a trace, by its number. */
export type Text = number;

/** No text at all. */
export const NO_TEXT: Text = -1;
/** The text without characters. */
export const EMPTY_TEXT: Text = 0;

/** Texts and their bytes kept before all are forgotten and numbered anew. */
const TEXTS_MAX = 500_000;
const BYTES_MAX = 64_000_000;

const FNV_START = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;

/**
 * Numbers the texts of a trace, equal texts with equal numbers, so that a text which comes again costs no string. ASCII texts
 * come as bytes; for the others any encoding does that tells different texts apart, since they are only compared.
 */
export class Texts {
  #slots = new Int32Array(1 << 12).fill(NO_TEXT);
  #hashes = new Int32Array(1 << 11);
  #starts = new Float64Array((1 << 11) + 1);
  #bytes = new Uint8Array(1 << 16);
  #strings: (string | undefined)[] = [];
  #size = 0;
  #scratch = new Uint8Array(1 << 10);

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

  /** The number of the ASCII text that stands there; `hash` is its FNV hash (`hashOf`). */
  numberAt(bytes: Uint8Array, start: number, end: number, hash: number): Text {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let slot = mixed(hash) & mask; ; slot = (slot + 1) & mask) {
      const text = slots[slot] ?? NO_TEXT;
      if (text === NO_TEXT) return this.#add(bytes, start, end, hash, slot);
      if (this.#hashes[text] === hash && this.#isAt(text, bytes, start, end)) return text;
    }
  }

  numberOf(string: string): Text {
    const end = this.#encode(string);
    const text = this.numberAt(this.#scratch, 0, end, hashOf(this.#scratch, 0, end));
    this.#strings[text] ??= string;
    return text;
  }

  stringOf(text: Text): string {
    return (this.#strings[text] ??= asciiOf(this.#bytes, this.#starts[text] ?? 0, this.#starts[text + 1] ?? 0));
  }

  #isAt(text: Text, bytes: Uint8Array, start: number, end: number): boolean {
    let at = this.#starts[text] ?? 0;
    if ((this.#starts[text + 1] ?? 0) - at !== end - start) return false;
    const own = this.#bytes;
    for (let index = start; index < end; index++) if (bytes[index] !== own[at++]) return false;
    return true;
  }

  #add(bytes: Uint8Array, start: number, end: number, hash: number, slot: number): Text {
    const text = this.#size++;
    this.#slots[slot] = text;
    if (text >= this.#hashes.length) this.#growTexts();
    this.#hashes[text] = hash;
    const from = this.#starts[text] ?? 0;
    const to = from + end - start;
    this.#reserve(to);
    for (let index = start, at = from; index < end; index++) this.#bytes[at++] = bytes[index] ?? 0;
    this.#starts[text + 1] = to;
    if (this.#size * 2 > this.#slots.length) this.#growSlots();
    return text;
  }

  #reserve(size: number): void {
    if (size <= this.#bytes.length) return;
    const bytes = new Uint8Array(Math.max(size, 2 * this.#bytes.length));
    bytes.set(this.#bytes);
    this.#bytes = bytes;
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
    if (this.#scratch.length < 3 * string.length) this.#scratch = new Uint8Array(6 * string.length);
    return encodeText(string, this.#scratch);
  }
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

/** FNV-1a over the bytes. A scanner that reads them anyway computes the same on its way. */
export function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = FNV_START;
  for (let index = start; index < end; index++) hash = Math.imul(hash ^ (bytes[index] ?? 0), FNV_PRIME);
  return hash;
}

/** The low bits of an FNV hash depend on few bits of its input. */
export const mixed = (hash: number): number => {
  const folded = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return folded ^ (folded >>> 13);
};

/** Characters from ASCII bytes. */
export function asciiOf(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  // In pieces, since a call takes only so many arguments.
  for (let from = start; from < end; from += 4_096)
    text += String.fromCharCode(...bytes.subarray(from, Math.min(end, from + 4_096)));
  return text;
}
