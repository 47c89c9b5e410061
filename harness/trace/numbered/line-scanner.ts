import {
  EVENT_KINDS,
  FILLED,
  MANDATORY,
  RECEIVED_SEQ,
  RECEIVED_TIME,
  SEQ,
  STATUS,
  TEXT_FIELDS,
  TIME,
} from './event-fields.ts';
import {
  decimalEnd,
  DIGITS_MAX,
  DOT,
  NINE,
  numberIn,
  QUOTE,
  specialIn,
  wholeEnd,
  wordEnd,
  ZERO,
} from './json-bytes.ts';
import {
  ATTRIBUTE_NUMBER,
  ATTRIBUTE_TEXT,
  LINE_END,
  NOTHING,
  NUMBER,
  Segments,
  SKIPPED_TEXT,
  TEXT,
  WANTS_MAX,
} from './segments.ts';
import { HASH_FACTOR, HASH_START, hashOf } from './texts.ts';

/** How the value of an attribute is written. */
export const AS_STRING = 0;
export const AS_NUMBER = 1;
export const AS_BOOLEAN = 2;

/** Bytes behind a line that may be read, though not used: the scanner looks at four at a time. */
export const SLACK_BYTES = 8;

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
  /** Hash of the text that was read last. */
  #hash = 0;

  /**
   * `wantOf` says what each attribute is wanted for; asked once for each name. A line with another field of which `mustTell`
   * is unusual, so that whoever parses it tells of it.
   */
  constructor(wantOf: (name: string) => number, mustTell: (field: string) => boolean) {
    this.#segments = new Segments(wantOf, mustTell);
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
          const end = this.#readText(view, at);
          if (bytes[end] !== QUOTE || (at === end && (FILLED & (1 << what)) !== 0)) return -1;
          this.starts[what] = at;
          this.ends[what] = end;
          this.hashes[what] = this.#hash;
          at = end + 1;
          break;
        }
        case ATTRIBUTE_TEXT: {
          const end = this.#readText(view, at);
          if (bytes[end] !== QUOTE || !this.#addAttribute(what, AS_STRING, at, end, this.#hash)) return -1;
          at = end + 1;
          break;
        }
        case SKIPPED_TEXT: {
          at = this.#readText(view, at);
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
          // Received before it was sent: an error, for a usual line has one domain.
          if (this.receivedSeq < this.seq && this.receivedSeq >= 0) return -1;
          return (present & MANDATORY) === MANDATORY ? at : -1;
        default:
          at = this.#readAttribute(bytes, view, at, segments.actions[segment] ?? 0, what);
          if (at < 0) return -1;
      }
    }
  }

  /** Reads plain characters, and keeps their hash. Returns the place of the first that is none. */
  #readText(view: DataView, start: number): number {
    let at = start;
    let hash = HASH_START;
    let word = view.getInt32(at, true);
    let special = specialIn(word);
    while (special === 0) {
      hash = Math.imul(hash ^ word, HASH_FACTOR);
      at += 4;
      word = view.getInt32(at, true);
      special = specialIn(word);
    }
    const before = (31 - Math.clz32(special & -special)) >> 3;
    if (before > 0) hash = Math.imul(hash ^ (word & ((1 << (before << 3)) - 1)), HASH_FACTOR);
    this.#hash = hash;
    return at + before;
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

  /** A number or a word. Returns its end, or -1. */
  #readAttribute(bytes: Uint8Array, view: DataView, start: number, action: number, want: number): number {
    const type = action === ATTRIBUTE_NUMBER ? AS_NUMBER : AS_BOOLEAN;
    const end = type === AS_NUMBER ? wholeEnd(bytes, start) : wordEnd(bytes, start);
    return end >= 0 && this.#addAttribute(want, type, start, end, hashOf(view, start, end)) ? end : -1;
  }

  /** false: it came before in this line. */
  #addAttribute(want: number, type: number, start: number, end: number, hash: number): boolean {
    if (((this.#wantsSeen >>> want) & 1) !== 0) return false;
    this.#wantsSeen |= 1 << want;
    const count = this.attributes++;
    this.attributeWants[count] = want;
    this.attributeTypes[count] = type;
    this.attributeStarts[count] = start;
    this.attributeEnds[count] = end;
    this.attributeHashes[count] = hash;
    return true;
  }
}
