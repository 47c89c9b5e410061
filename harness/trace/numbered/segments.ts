import { ATTRIBUTES, EVENT_KINDS, EVENT_POINTS, fieldOf, KIND, OTHER, POINT, TEXT_FIELDS } from './event-fields.ts';
import {
  BLANK,
  blanksEnd,
  bytesOf,
  CLOSE,
  COMMA,
  isDigit,
  matches,
  MINUS,
  nameIn,
  NEWLINE,
  NULL_FIRST,
  OPEN,
  QUOTE,
  RETURN,
  wordEnd,
} from './json-bytes.ts';

/** What an attribute is wanted for: nothing. Else the caller's own number, below 32. */
export const UNWANTED = -1;
export const WANTS_MAX = 32;

/** What is read after a segment. */
export const LINE_END = 0;
export const NOTHING = 1;
export const TEXT = 2;
export const SKIPPED_TEXT = 3;
export const NUMBER = 4;
export const ATTRIBUTE_TEXT = 5;
export const ATTRIBUTE_NUMBER = 6;
export const ATTRIBUTE_WORD = 7;

/** Ways on from a segment that are tried before it is parsed. */
const GUESSES = 6;
/** Different segments kept; a line with one more is unusual. */
const SEGMENTS_MAX = 4_000;
const SEGMENT_BYTES_MAX = 300;

/** Where in a line a segment ends: before its beginning, at its fields, among its attributes. */
const AT_START = 0;
const AT_FIELDS = 1;
const AT_ATTRIBUTES = 2;

/** What stands between two values, parsed. */
interface Segment {
  readonly length: number;
  readonly action: number;
  readonly what: number;
  readonly bits: number;
  readonly place: number;
}

/**
 * The texts between values: punctuation, names, and words like `"call"`. Each is parsed where it is met first, and then
 * known by its bytes. Successive lines of one writer are alike: what comes next is guessed from what came before.
 */
export class Segments {
  readonly lengths = new Int32Array(SEGMENTS_MAX);
  readonly actions = new Uint8Array(SEGMENTS_MAX);
  readonly whats = new Int32Array(SEGMENTS_MAX);
  readonly bits = new Int32Array(SEGMENTS_MAX);
  readonly #places = new Uint8Array(SEGMENTS_MAX);
  /** Its bytes as whole words, and what is left as one masked word. */
  readonly #firsts = new Int32Array(SEGMENTS_MAX);
  readonly #lasts = new Int32Array(SEGMENTS_MAX);
  readonly #tails = new Int32Array(SEGMENTS_MAX);
  readonly #masks = new Int32Array(SEGMENTS_MAX);
  #words = new Int32Array(1_024);
  #wordCount = 0;
  /** By segment: those that came next, the latest learnt first; -1: none. Segment 0 is before the line. */
  readonly #guesses = new Int32Array(SEGMENTS_MAX * GUESSES).fill(-1);
  readonly #known = new Map<string, number>();
  readonly #wants = new Map<string, number>();
  readonly #wantOf: (name: string) => number;
  readonly #mustTell: (field: string) => boolean;
  #size = 1;

  constructor(wantOf: (name: string) => number, mustTell: (field: string) => boolean) {
    this.#wantOf = wantOf;
    this.#mustTell = mustTell;
  }

  /** The segment that stands there, after `before`; -1: none that is usual. */
  next(before: number, bytes: Uint8Array, view: DataView, at: number): number {
    const from = before * GUESSES;
    for (let guess = from; guess < from + GUESSES; guess++) {
      const segment = this.#guesses[guess] ?? -1;
      if (segment < 0) break;
      if (this.#isAt(segment, view, at)) return segment;
    }
    return this.#learn(before, bytes, at);
  }

  #isAt(segment: number, view: DataView, at: number): boolean {
    const last = this.#lasts[segment] ?? 0;
    let word = this.#firsts[segment] ?? 0;
    let place = at;
    while (word < last && view.getInt32(place, true) === this.#words[word]) {
      word++;
      place += 4;
    }
    return (
      word === last && ((view.getInt32(place, true) ^ (this.#tails[segment] ?? 0)) & (this.#masks[segment] ?? 0)) === 0
    );
  }

  #learn(before: number, bytes: Uint8Array, at: number): number {
    const place = this.#places[before] ?? 0;
    const parsed = this.#parse(place, bytes, at);
    if (parsed === null || parsed.length > SEGMENT_BYTES_MAX) return -1;
    let name = String(place);
    for (let index = at; index < at + parsed.length; index++) name += String.fromCharCode(bytes[index] ?? 0);
    const segment = this.#known.get(name) ?? this.#add(name, parsed, bytes, at);
    if (segment < 0) return -1;
    const from = before * GUESSES;
    this.#guesses.copyWithin(from + 1, from, from + GUESSES - 1);
    this.#guesses[from] = segment;
    return segment;
  }

  #add(name: string, parsed: Segment, bytes: Uint8Array, at: number): number {
    if (this.#size >= SEGMENTS_MAX) return -1;
    const segment = this.#enter(bytes, at, parsed);
    this.#known.set(name, segment);
    return segment;
  }

  #enter(bytes: Uint8Array, at: number, { length, action, what, bits, place }: Segment): number {
    const segment = this.#size++;
    this.lengths[segment] = length;
    this.actions[segment] = action;
    this.whats[segment] = what;
    this.bits[segment] = bits;
    this.#places[segment] = place;
    const words = length >> 2;
    while (this.#wordCount + words > this.#words.length) {
      const longer = new Int32Array(2 * this.#words.length);
      longer.set(this.#words);
      this.#words = longer;
    }
    const wordAt = (from: number, count: number): number => {
      let word = 0;
      for (let offset = count - 1; offset >= 0; offset--) word = (word << 8) | (bytes[from + offset] ?? 0);
      return word;
    };
    this.#firsts[segment] = this.#wordCount;
    for (let index = 0; index < words; index++) this.#words[this.#wordCount++] = wordAt(at + 4 * index, 4);
    this.#lasts[segment] = this.#wordCount;
    const rest = length & 3;
    this.#tails[segment] = wordAt(at + 4 * words, rest);
    this.#masks[segment] = rest === 0 ? 0 : (1 << (rest << 3)) - 1;
    return segment;
  }

  #parse(place: number, bytes: Uint8Array, start: number): Segment | null {
    let at = blanksEnd(bytes, start);
    if (place === AT_START) return bytes[at] === OPEN ? this.#parseField(bytes, start, at + 1) : null;
    if (place === AT_ATTRIBUTES) {
      if (bytes[at] === COMMA) return this.#parseAttribute(bytes, start, at + 1, 0);
      if (bytes[at] !== CLOSE) return null;
      at = blanksEnd(bytes, at + 1);
    }
    if (bytes[at] === COMMA) return this.#parseField(bytes, start, at + 1);
    if (bytes[at] !== CLOSE) return null;
    at++;
    while (bytes[at] === BLANK || bytes[at] === RETURN) at++;
    if (bytes[at] !== NEWLINE) return null;
    return { length: at + 1 - start, action: LINE_END, what: -1, bits: 0, place: AT_START };
  }

  #parseField(bytes: Uint8Array, start: number, from: number): Segment | null {
    const name = nameIn(bytes, from);
    if (name === null) return null;
    const field = fieldOf(name.text);
    const bits = field === OTHER ? 0 : 1 << field;
    const at = name.end;
    const segment = (action: number, what: number, end = at): Segment => ({
      length: end - start,
      action,
      what,
      bits,
      place: AT_FIELDS,
    });
    if (field < TEXT_FIELDS) return bytes[at] === QUOTE ? segment(TEXT, field, at + 1) : null;
    if (field < KIND) return segment(NUMBER, field);
    if (field === KIND || field === POINT) {
      const words = field === KIND ? EVENT_KINDS : EVENT_POINTS;
      const index = words.findIndex((word) => matches(bytes, at, bytesOf(`"${word}"`)) > 0);
      const offset = field === KIND ? 0 : EVENT_KINDS.length;
      return index < 0 ? null : segment(NOTHING, offset + index, at + (words[index] ?? '').length + 2);
    }
    if (field === OTHER) return this.#mustTell(name.text) ? null : unwanted(segment, bytes, at, true);
    if (field !== ATTRIBUTES || bytes[at] !== OPEN) return null;
    const inside = blanksEnd(bytes, at + 1);
    return bytes[inside] === CLOSE
      ? segment(NOTHING, -1, inside + 1)
      : this.#parseAttribute(bytes, start, inside, bits);
  }

  #parseAttribute(bytes: Uint8Array, start: number, from: number, bits: number): Segment | null {
    const name = nameIn(bytes, from);
    if (name === null) return null;
    const want = this.#wantFor(name.text);
    const at = name.end;
    const segment = (action: number, what: number, end = at): Segment => ({
      length: end - start,
      action,
      what,
      bits,
      place: AT_ATTRIBUTES,
    });
    // An attribute without a value is an error.
    if (want === UNWANTED) return unwanted(segment, bytes, at, false);
    if (want < 0 || want >= WANTS_MAX) return null;
    if (bytes[at] === QUOTE) return segment(ATTRIBUTE_TEXT, want, at + 1);
    if (isDigit(bytes[at]) || bytes[at] === MINUS) return segment(ATTRIBUTE_NUMBER, want);
    return wordEnd(bytes, at) < 0 || bytes[at] === NULL_FIRST ? null : segment(ATTRIBUTE_WORD, want);
  }

  #wantFor(name: string): number {
    let want = this.#wants.get(name);
    if (want === undefined) this.#wants.set(name, (want = this.#wantOf(name)));
    return want;
  }
}

/** The field of a number that nobody asks for: it may have decimals. */
const ANY_NUMBER = 31;

function unwanted(
  segment: (action: number, what: number, end?: number) => Segment,
  bytes: Uint8Array,
  at: number,
  mayBeNull: boolean,
): Segment | null {
  if (bytes[at] === QUOTE) return segment(SKIPPED_TEXT, -1, at + 1);
  if (isDigit(bytes[at]) || bytes[at] === MINUS) return segment(NUMBER, ANY_NUMBER);
  if (bytes[at] === NULL_FIRST && !mayBeNull) return null;
  const end = wordEnd(bytes, at);
  return end < 0 ? null : segment(NOTHING, -1, end);
}
