import { NumberLists } from './number-lists.ts';
import { EMPTY_TEXT, hashOf, longer, NO_TEXT, Texts, type Text } from './texts.ts';

const BLANK = 0x20;
const DOT = 0x2e;
const SLASH = 0x2f;

/** What a segment may consist of; dots only inside, since `.` and `..` are ways and no names. */
const IS_NAME = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x80 && /[\w~-]/.test(String.fromCharCode(byte)) ? 1 : 0,
);
const isCapital = (byte: number): boolean => byte >= 0x41 && byte <= 0x5a;

/** In a class, for a segment that does not matter. */
const ANY = -1;
/** Requests of more segments have classes of their own. */
const SEGMENTS_MAX = 60;

/**
 * Labels that are requests (`PUT /pods/web-1`), by what matters of them. Without making strings: labels are as many as what
 * they name, and each is new at some time.
 */
export class LabelClasses {
  readonly #texts: Texts;
  readonly #matter: readonly string[];
  /** The segments that matter, then methods. */
  readonly #names = new Texts();
  readonly #lists = new NumberLists();
  readonly #list = new Int32Array(SEGMENTS_MAX + 1);
  #length = 0;
  /** By label: its class, 0: not known yet; 1: its own. */
  #classes = new Int32Array(1 << 10);
  /** By place of a segment and label: the text of that segment plus 1, where it was asked for. */
  #segments: (Int32Array | undefined)[] = [];

  constructor(texts: Texts, matter: ReadonlySet<string>) {
    this.#texts = texts;
    this.#matter = [...matter];
    this.clear();
  }

  clear(): void {
    this.#classes.fill(0);
    this.#segments = [];
    this.#lists.clear();
    this.#names.clear();
    for (const segment of this.#matter) this.#names.numberOf(segment);
  }

  /** Below 0 a class of many labels, else the label itself. */
  classOf(label: Text): number {
    const known = this.#classes[label] ?? 0;
    return known === 0 ? this.#classify(label) : known < 0 ? known : label;
  }

  hasSegments(label: Text): boolean {
    return (this.#classes[label] ?? 0) < 0;
  }

  segmentOf(label: Text, index: number): Text {
    const known = (this.#segments[index] ??= new Int32Array(1 << 10))[label] ?? 0;
    return known > 0 ? known - 1 : this.#findSegment(label, index);
  }

  #findSegment(label: Text, index: number): Text {
    const { view } = this.#texts;
    const end = this.#texts.endOf(label);
    let start = this.#texts.startOf(label);
    for (let passed = 0; start < end && passed <= index; start++) if (view.getUint8(start) === SLASH) passed++;
    let stop = start;
    while (stop < end && view.getUint8(stop) !== SLASH) stop++;
    const text = start < stop ? this.#texts.numberAt(view, start, stop, hashOf(view, start, stop)) : EMPTY_TEXT;
    let column = this.#segments[index] ?? new Int32Array(1 << 10);
    if (label >= column.length) column = longer(column, 2 * label);
    this.#segments[index] = column;
    column[label] = text + 1;
    return text;
  }

  #classify(label: Text): number {
    if (label >= this.#classes.length) this.#classes = longer(this.#classes, 2 * label);
    const isRequest = this.#splitRequest(label);
    // Numbers below -1, since -1 is no text.
    const number = isRequest ? -2 - this.#lists.find(this.#list, this.#length) : 1;
    this.#classes[label] = number;
    return isRequest ? number : label;
  }

  /**
   * Is it a request as labels write it, without anything that would have to be decoded or cut off? Then `#list` holds its
   * method and the segments that matter.
   */
  #splitRequest(label: Text): boolean {
    const { view } = this.#texts;
    const end = this.#texts.endOf(label);
    const first = this.#texts.startOf(label);
    let start = first;
    while (start < end && isCapital(view.getUint8(start))) start++;
    if (start === first || start + 2 > end || view.getUint8(start) !== BLANK) return false;
    // With its blank, so that it is none of the segments.
    const blank = start + 1;
    this.#list[0] = this.#names.numberAt(view, first, blank, hashOf(view, first, blank));
    this.#length = 1;
    for (let at = blank; at < end;) {
      if (view.getUint8(at++) !== SLASH || this.#length > SEGMENTS_MAX) return false;
      const stop = segmentEnd(view, at, end);
      if (stop < 0) return false;
      const found = this.#names.find(view, at, stop);
      this.#list[this.#length++] = found === NO_TEXT ? ANY : found;
      at = stop;
    }
    return true;
  }
}

/** Where a segment that is a name ends; -1: there is none. */
function segmentEnd(view: DataView, start: number, end: number): number {
  let at = start;
  let isDot = true;
  for (; at < end; at++) {
    const byte = view.getUint8(at);
    if (byte === SLASH) break;
    isDot = byte === DOT;
    if (!(isDot && at > start) && IS_NAME[byte] !== 1) return -1;
  }
  return isDot ? -1 : at;
}
