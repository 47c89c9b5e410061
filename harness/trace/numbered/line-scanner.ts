import { traceEventSchema } from '../schema.ts';
import { HASH_FACTOR, HASH_START, hashOf } from './texts.ts';

/** Fields of an event whose texts a scanner finds. */
export const FROM = 0;
export const TO = 1;
export const LABEL = 2;
export const ID = 3;
export const REPLY_TO = 4;
export const PARENT = 5;
export const TRACE_ID = 6;
export const DOMAIN = 7;
const TEXT_FIELDS = 8;
/** Those of its numbers. */
export const SEQ = 8;
export const RECEIVED_SEQ = 9;
export const STATUS = 10;
export const TIME = 11;
export const RECEIVED_TIME = 12;
const KIND = 13;
const POINT = 14;
const ATTRIBUTES = 15;
/** Lines that hold it are read otherwise. */
const UNUSUAL = 16;
/** Its value is anything flat, and nobody asks for it. */
const OTHER = 17;

const FIELDS: ReadonlyMap<string, number> = new Map([
  ['from', FROM],
  ['to', TO],
  ['label', LABEL],
  ['id', ID],
  ['replyTo', REPLY_TO],
  ['parent', PARENT],
  ['traceId', TRACE_ID],
  ['domain', DOMAIN],
  ['seq', SEQ],
  ['receivedSeq', RECEIVED_SEQ],
  ['status', STATUS],
  ['time', TIME],
  ['receivedTime', RECEIVED_TIME],
  ['kind', KIND],
  ['point', POINT],
  ['attributes', ATTRIBUTES],
]);
/** A field of the schema that is not among these makes a line unusual; any other name is nobody's business. */
const fieldOf = (name: string): number =>
  FIELDS.get(name) ?? (Object.hasOwn(traceEventSchema.definitions.event.properties, name) ? UNUSUAL : OTHER);
const MANDATORY = (1 << SEQ) | (1 << FROM) | (1 << TO) | (1 << KIND) | (1 << LABEL);
/** These may not be empty. */
const FILLED = (1 << FROM) | (1 << TO) | (1 << ID) | (1 << REPLY_TO) | (1 << PARENT) | (1 << TRACE_ID);

/** The kinds and points of events, by the scanner's numbers. */
export const EVENT_KINDS = ['call', 'reply', 'async', 'lost', 'self'] as const;
export const EVENT_POINTS = ['send', 'receive', 'both'] as const;

/** What an attribute is wanted for: nothing. Else the caller's own number, below 32. */
export const UNWANTED = -1;
const WANTS_MAX = 32;

/** How the value of an attribute is written. */
export const AS_STRING = 0;
export const AS_NUMBER = 1;
export const AS_BOOLEAN = 2;

/** Numbers of more digits may not be exact. */
const DIGITS_MAX = 15;
/** Bytes behind a line that may be read, though not used: the scanner looks at four at a time. */
export const SLACK_BYTES = 8;

// Plain constants, not destructured ones: those would be looked up for every byte.
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const BLANK = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const ZERO = 0x30;
const NINE = 0x39;

/** What is read after a segment. */
const LINE_END = 0;
const NOTHING = 1;
const TEXT = 2;
const SKIPPED_TEXT = 3;
const NUMBER = 4;
const ATTRIBUTE_TEXT = 5;
const ATTRIBUTE_NUMBER = 6;
const ATTRIBUTE_WORD = 7;

/**
 * Reads a line of a trace in one pass over its bytes, without making a text of it: where the values stand, and hashes of those
 * that are asked for. It knows the usual line (ASCII, no escapes, plain numbers, flat attributes), and validates all of it;
 * whatever is not usual is left to `JSON.parse` and the schema, which also say what is wrong where something is.
 *
 * What stands between two values (`","to":"`) is nearly always the same: it is parsed once, and then only compared.
 */
export class LineScanner {
  /** By text field: where its characters begin and end, and their hash. Only where `present` has its bit. */
  readonly starts = new Int32Array(TEXT_FIELDS);
  readonly ends = new Int32Array(TEXT_FIELDS);
  readonly hashes = new Int32Array(TEXT_FIELDS);
  present = 0;
  /** Index into `EVENT_KINDS`, and into `EVENT_POINTS` (-1: not told). */
  kind = 0;
  point = -1;
  seq = 0;
  /** -1: not told. */
  receivedSeq = -1;
  status = -1;
  /** NaN: not told. */
  time = NaN;
  receivedTime = NaN;
  /** The wanted attributes of the line, in its order. */
  attributes = 0;
  readonly attributeWants = new Int32Array(WANTS_MAX);
  readonly attributeTypes = new Uint8Array(WANTS_MAX);
  readonly attributeStarts = new Int32Array(WANTS_MAX);
  readonly attributeEnds = new Int32Array(WANTS_MAX);
  readonly attributeHashes = new Int32Array(WANTS_MAX);
  #wantsSeen = 0;
  readonly #segments: Segments;

  /** `wantOf` says what each attribute is wanted for; asked once for each name. */
  constructor(wantOf: (name: string) => number) {
    this.#segments = new Segments(wantOf);
  }

  has(field: number): boolean {
    return (this.present & (1 << field)) !== 0;
  }

  /**
   * Reads the line that begins there. Returns the place after its newline; -1: it is unusual (or broken), and nothing that was
   * read of it counts. A newline must come, and `SLACK_BYTES` behind it.
   */
  scan(bytes: Uint8Array, view: DataView, start: number): number {
    const segments = this.#segments;
    let present = 0;
    let segment = 0;
    let at = start;
    this.attributes = 0;
    this.#wantsSeen = 0;
    this.point = -1;
    this.receivedSeq = -1;
    this.status = -1;
    this.time = NaN;
    this.receivedTime = NaN;
    for (;;) {
      segment = segments.next(segment, bytes, view, at);
      if (segment < 0) return -1;
      at += segments.lengths[segment] ?? 0;
      const bits = segments.bits[segment] ?? 0;
      // JSON lets a name come twice, and the last one wins.
      if ((present & bits) !== 0) return -1;
      present |= bits;
      const what = segments.whats[segment] ?? 0;
      switch (segments.actions[segment] ?? LINE_END) {
        case TEXT: {
          const from = at;
          let hash = HASH_START;
          for (;;) {
            const word = view.getInt32(at, true);
            const special = specialIn(word);
            if (special === 0) {
              hash = Math.imul(hash ^ word, HASH_FACTOR);
              at += 4;
              continue;
            }
            const before = (31 - Math.clz32(special & -special)) >> 3;
            if (before > 0) hash = Math.imul(hash ^ (word & ((1 << (before << 3)) - 1)), HASH_FACTOR);
            at += before;
            break;
          }
          if (bytes[at] !== QUOTE || (at === from && (FILLED & (1 << what)) !== 0)) return -1;
          this.starts[what] = from;
          this.ends[what] = at;
          this.hashes[what] = hash;
          at++;
          break;
        }
        case SKIPPED_TEXT: {
          for (;;) {
            const special = specialIn(view.getInt32(at, true));
            if (special === 0) {
              at += 4;
              continue;
            }
            at += (31 - Math.clz32(special & -special)) >> 3;
            break;
          }
          if (bytes[at] !== QUOTE) return -1;
          at++;
          break;
        }
        case NOTHING:
          if (what >= 0) this.#takeWord(what);
          break;
        case NUMBER:
          at = this.#readNumber(bytes, at, what);
          if (at < 0) return -1;
          break;
        case LINE_END:
          this.present = present;
          return (present & MANDATORY) === MANDATORY ? at : -1;
        default:
          at = this.#readAttribute(bytes, view, at, segments.actions[segment] ?? 0, what);
          if (at < 0) return -1;
      }
    }
  }

  /** A kind or a point, which the segment itself holds. */
  #takeWord(what: number): void {
    if (what < EVENT_KINDS.length) this.kind = what;
    else this.point = what - EVENT_KINDS.length;
  }

  /** Digits, with decimals where the field allows them. Returns the end, or -1. */
  #readNumber(bytes: Uint8Array, start: number, field: number): number {
    let at = start;
    let value = 0;
    let byte = bytes[at] ?? 0;
    while (byte >= ZERO && byte <= NINE) {
      value = value * 10 + byte - ZERO;
      byte = bytes[++at] ?? 0;
    }
    const digits = at - start;
    const isWhole = digits > 0 && digits <= DIGITS_MAX && (digits === 1 || bytes[start] !== ZERO) && byte !== DOT;
    if (!isWhole) {
      at = field >= TIME ? decimalEnd(bytes, start) : -1;
      if (at < 0) return -1;
      value = numberIn(bytes, start, at);
    }
    if (field === SEQ) this.seq = value;
    else if (field === RECEIVED_SEQ) this.receivedSeq = value;
    else if (field === STATUS) this.status = value;
    else if (field === TIME) this.time = value;
    else if (field === RECEIVED_TIME) this.receivedTime = value;
    return at;
  }

  #readAttribute(bytes: Uint8Array, view: DataView, start: number, action: number, want: number): number {
    if (((this.#wantsSeen >>> want) & 1) !== 0) return -1;
    this.#wantsSeen |= 1 << want;
    let at = start;
    let hash = HASH_START;
    let type = AS_STRING;
    if (action === ATTRIBUTE_TEXT) {
      for (;;) {
        const word = view.getInt32(at, true);
        const special = specialIn(word);
        if (special === 0) {
          hash = Math.imul(hash ^ word, HASH_FACTOR);
          at += 4;
          continue;
        }
        const before = (31 - Math.clz32(special & -special)) >> 3;
        if (before > 0) hash = Math.imul(hash ^ (word & ((1 << (before << 3)) - 1)), HASH_FACTOR);
        at += before;
        break;
      }
      if (bytes[at] !== QUOTE) return -1;
    } else {
      type = action === ATTRIBUTE_NUMBER ? AS_NUMBER : AS_BOOLEAN;
      at = type === AS_NUMBER ? wholeEnd(bytes, start) : wordEnd(bytes, start);
      if (at < 0) return -1;
      hash = hashOf(view, start, at);
    }
    const count = this.attributes++;
    this.attributeWants[count] = want;
    this.attributeTypes[count] = type;
    this.attributeStarts[count] = start;
    this.attributeEnds[count] = at;
    this.attributeHashes[count] = hash;
    return type === AS_STRING ? at + 1 : at;
  }
}

/**
 * A bit in each byte that may end a text of plain characters: a quote, a backslash, a control character, or one beyond
 * ASCII. Above the lowest such byte there may be wrong bits.
 */
function specialIn(word: number): number {
  const quote = word ^ 0x22222222;
  const backslash = word ^ 0x5c5c5c5c;
  return (
    (((quote - 0x01010101) & ~quote) | ((backslash - 0x01010101) & ~backslash) | ((word - 0x20202020) & ~word) | word) &
    -0x7f7f7f80
  );
}

/** A whole number that is written as JavaScript would write it; its end, or -1. */
function wholeEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  if (bytes[at] === MINUS) at++;
  const first = at;
  while (isDigit(bytes[at])) at++;
  const digits = at - first;
  if (digits === 0 || digits > DIGITS_MAX || isFraction(bytes[at])) return -1;
  return bytes[first] === ZERO && at - start > 1 ? -1 : at;
}

/** A number without an exponent and with few digits; its end, or -1. */
function decimalEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  if (bytes[at] === MINUS) at++;
  const first = at;
  while (isDigit(bytes[at])) at++;
  const digits = at - first;
  if (digits === 0 || digits > DIGITS_MAX || (digits > 1 && bytes[first] === ZERO)) return -1;
  if (bytes[at] === DOT) {
    const dot = at++;
    while (isDigit(bytes[at])) at++;
    if (at === dot + 1 || at - dot > 2 * DIGITS_MAX) return -1;
  }
  return isFraction(bytes[at]) ? -1 : at;
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= NINE;
/** A dot, `e` or `E`: the number goes on. */
const isFraction = (byte: number | undefined): boolean => byte === DOT || byte === 0x65 || byte === 0x45;

/** The end of `true`, `false` or `null`, or -1. */
function wordEnd(bytes: Uint8Array, start: number): number {
  const end = WORDS.get(bytes[start] ?? 0);
  return end === undefined ? -1 : matches(bytes, start, end);
}

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));
const WORDS: ReadonlyMap<number, Uint8Array> = new Map([
  [0x74, bytesOf('true')],
  [0x66, bytesOf('false')],
  [0x6e, bytesOf('null')],
]);
const NULL_FIRST = 0x6e;

/** The place after these bytes, if they stand there; else -1. */
function matches(bytes: Uint8Array, start: number, wanted: Uint8Array): number {
  for (let index = 0; index < wanted.length; index++) if (bytes[start + index] !== wanted[index]) return -1;
  return start + wanted.length;
}

/** The number that is written there, as `JSON.parse` reads it. */
function numberIn(bytes: Uint8Array, start: number, end: number): number {
  let text = '';
  for (let at = start; at < end; at++) text += String.fromCharCode(bytes[at] ?? 0);
  return Number(text);
}

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
class Segments {
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
  #size = 1;

  constructor(wantOf: (name: string) => number) {
    this.#wantOf = wantOf;
  }

  /** The segment that stands there, after `before`; -1: none that is usual. */
  next(before: number, bytes: Uint8Array, view: DataView, at: number): number {
    const from = before * GUESSES;
    for (let guess = from; guess < from + GUESSES; guess++) {
      const segment = this.#guesses[guess] ?? -1;
      if (segment < 0) break;
      const last = this.#lasts[segment] ?? 0;
      let word = this.#firsts[segment] ?? 0;
      let place = at;
      while (word < last && view.getInt32(place, true) === this.#words[word]) {
        word++;
        place += 4;
      }
      if (
        word === last &&
        ((view.getInt32(place, true) ^ (this.#tails[segment] ?? 0)) & (this.#masks[segment] ?? 0)) === 0
      )
        return segment;
    }
    return this.#learn(before, bytes, at);
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

  #add(name: string, { length, action, what, bits, place }: Segment, bytes: Uint8Array, at: number): number {
    if (this.#size >= SEGMENTS_MAX) return -1;
    const segment = this.#size++;
    this.#known.set(name, segment);
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
    if (field === OTHER) return unwanted(segment, bytes, at, true);
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

function blanksEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (bytes[at] === BLANK) at++;
  return at;
}

/** A name and its colon, with blanks around them, and where its value begins. */
function nameIn(bytes: Uint8Array, start: number): { readonly text: string; readonly end: number } | null {
  let at = blanksEnd(bytes, start);
  if (bytes[at] !== QUOTE) return null;
  let text = '';
  for (at++; ; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) break;
    if (byte === BACKSLASH || byte < BLANK || byte > 0x7e || text.length > SEGMENT_BYTES_MAX) return null;
    text += String.fromCharCode(byte);
  }
  at = blanksEnd(bytes, at + 1);
  return bytes[at] === COLON ? { text, end: blanksEnd(bytes, at + 1) } : null;
}
