import type { Attribute, TraceEvent } from '../types.ts';
import {
  AS_BOOLEAN,
  AS_NUMBER,
  AS_STRING,
  DOMAIN,
  EVENT_KINDS,
  EVENT_POINTS,
  FROM,
  ID,
  LABEL,
  PARENT,
  REPLY_TO,
  TO,
  TRACE_ID,
  UNWANTED,
  type LineScanner,
} from './line-scanner.ts';
import { NumberedEvent, type AttributeUse, type Shape } from './numbered-event.ts';
import { encodeText, hashOf, NO_TEXT, Texts, type Text } from './texts.ts';
import { IS_CALL, IS_NAMED, IS_READ, NO_ID, RecentIds, type Id } from './recent-ids.ts';

export interface NumberingOptions {
  readonly useOf: (attribute: string) => AttributeUse;
  /** How many places `useOf` gives. */
  readonly values: number;
  /** How many ids are remembered. */
  readonly idsMax: number;
}

/** Shapes kept before all are forgotten, and numbered anew. */
const SHAPES_MAX = 50_000;
const NO_STATUS = -1;
/** Below, a status is its own number; other numbers are told apart as texts. */
const STATUS_MAX = 1_000_000;
const CALL = EVENT_KINDS.indexOf('call');

/**
 * Makes numbers of the texts of events, from scanned lines or from events as the reader makes them: both ways give the same
 * numbers. It also sees whether the trace is in order as it stands (`disorder`): otherwise it must be sorted, and so read as a whole.
 */
export class Numbering {
  readonly event: NumberedEvent;
  readonly texts = new Texts();
  readonly ids: RecentIds;
  /** By shape: an event with all that its events have in common. */
  readonly shapes: TraceEvent[] = [];
  /** Counts how often all texts and shapes were forgotten: their numbers mean something else from then on. */
  age = 0;
  /** What of the trace is not in order. */
  disorder: string | null = null;
  readonly #useOf: (attribute: string) => AttributeUse;
  readonly #uses: { readonly name: string; readonly use: AttributeUse }[] = [];
  readonly #wants = new Map<string, number>();
  readonly #shapeTable = new ShapeTable();
  #shape = new Int32Array(64);
  #shapeSize = 0;
  #domain: string | null = null;
  /** NO_TEXT: events tell none. */
  #domainText: Text = NO_TEXT;
  #lastSeq = -1;
  #scratch = new Uint8Array(1 << 10);
  #scratchView = new DataView(this.#scratch.buffer);

  constructor({ useOf, values, idsMax }: NumberingOptions) {
    this.#useOf = useOf;
    this.event = new NumberedEvent(values);
    this.ids = new RecentIds(idsMax);
  }

  /** For a scanner: the number by which an attribute is asked for. */
  readonly wantOf = (name: string): number => {
    let want = this.#wants.get(name);
    if (want !== undefined) return want;
    const use = this.#useOf(name);
    want = use.shape === 'none' && use.place < 0 ? UNWANTED : this.#uses.push({ name, use }) - 1;
    this.#wants.set(name, want);
    return want;
  };

  /** Fills `event` from the line that was scanned last. */
  takeLine(scanner: LineScanner, view: DataView): void {
    this.#begin();
    const { event, texts } = this;
    const { starts, ends, hashes } = scanner;
    const textOf = (field: number): Text =>
      texts.numberAt(view, starts[field] ?? 0, ends[field] ?? 0, hashes[field] ?? 0);
    const idOf = (field: number): Id =>
      scanner.has(field)
        ? this.#checked(this.ids.numberAt(view, starts[field] ?? 0, ends[field] ?? 0, hashes[field] ?? 0))
        : NO_ID;
    event.seq = scanner.seq;
    event.receivedSeq = scanner.receivedSeq;
    event.kind = scanner.kind;
    event.point = scanner.point;
    event.time = scanner.time;
    event.receivedTime = scanner.receivedTime;
    event.from = textOf(FROM);
    event.to = textOf(TO);
    event.traceId = scanner.has(TRACE_ID) ? textOf(TRACE_ID) : NO_TEXT;
    this.#beginShape(textOf(LABEL), scanner.status < 0 ? NO_STATUS : this.#statusNumber(scanner.status));
    for (let index = 0; index < scanner.attributes; index++) {
      const want = scanner.attributeWants[index] ?? 0;
      const text = texts.numberAt(
        view,
        scanner.attributeStarts[index] ?? 0,
        scanner.attributeEnds[index] ?? 0,
        scanner.attributeHashes[index] ?? 0,
      );
      this.#takeAttribute(want, scanner.attributeTypes[index] ?? 0, text);
    }
    event.shape = this.#endShape();
    this.#placeInOrder(scanner.has(DOMAIN) ? textOf(DOMAIN) : NO_TEXT);
    this.#link(idOf(REPLY_TO), idOf(PARENT), idOf(ID));
  }

  /** Fills `event` from an event as the reader makes it. */
  takeEvent(source: TraceEvent): void {
    this.#begin();
    const { event, texts } = this;
    const textOf = (text: string | undefined): Text => (text === undefined ? NO_TEXT : texts.numberOf(text));
    event.seq = source.seq;
    event.receivedSeq = source.receivedSeq ?? -1;
    event.kind = EVENT_KINDS.indexOf(source.kind);
    event.point = source.point === undefined ? -1 : EVENT_POINTS.indexOf(source.point);
    event.time = source.time ?? NaN;
    event.receivedTime = source.receivedTime ?? NaN;
    event.from = texts.numberOf(source.from);
    event.to = texts.numberOf(source.to);
    event.traceId = textOf(source.traceId);
    this.#beginShape(texts.numberOf(source.label), this.#statusNumber(source.status));
    for (const [name, value] of Object.entries(source.attributes ?? {})) {
      const want = this.wantOf(name);
      if (want !== UNWANTED) this.#takeAttribute(want, typeNumber(value), texts.numberOf(String(value)));
    }
    event.shape = this.#endShape();
    this.#placeInOrder(textOf(source.domain));
    for (const cause of source.causes ?? []) this.#name(this.#idOf(cause));
    this.#link(this.#idOf(source.replyTo), this.#idOf(source.parent), this.#idOf(source.id));
  }

  #begin(): void {
    if (this.texts.isFull || this.shapes.length >= SHAPES_MAX) this.#forget();
    this.event.values.fill(NO_TEXT);
  }

  #forget(): void {
    this.texts.clear();
    this.shapes.length = 0;
    this.#shapeTable.clear();
    if (this.#domain !== null && this.#domainText !== NO_TEXT) this.#domainText = this.texts.numberOf(this.#domain);
    this.age++;
  }

  #statusNumber(status: number | undefined): number {
    if (status === undefined) return NO_STATUS;
    if (status >= 0 && status < STATUS_MAX) return status;
    return STATUS_MAX + this.texts.numberOf(String(status));
  }

  #beginShape(label: Text, status: number): void {
    const { event } = this;
    const shape = this.#shape;
    shape[0] = event.from;
    shape[1] = event.to;
    shape[2] = event.kind * 4 + event.point + 1;
    shape[3] = label;
    shape[4] = status;
    this.#shapeSize = 5;
  }

  #takeAttribute(want: number, type: number, text: Text): void {
    const used = this.#uses[want];
    if (used === undefined) throw new Error('an attribute was given a number that nobody gave out');
    const { shape, place } = used.use;
    if (place >= 0) this.event.values[place] = text;
    if (shape === 'none') return;
    if (this.#shapeSize + 2 > this.#shape.length) this.#growShape();
    this.#shape[this.#shapeSize++] = want * 4 + type;
    this.#shape[this.#shapeSize++] = shape === 'value' ? text : NO_TEXT;
  }

  #growShape(): void {
    const longer = new Int32Array(2 * this.#shape.length);
    longer.set(this.#shape);
    this.#shape = longer;
  }

  #endShape(): Shape {
    const found = this.#shapeTable.find(this.#shape, this.#shapeSize);
    if (found === this.shapes.length) this.shapes.push(this.#spellOut());
    return found;
  }

  /** An event of the shape that was put together last. */
  #spellOut(): TraceEvent {
    const { event, texts } = this;
    const numbers = this.#shape;
    const text = (index: number): string => texts.stringOf(numbers[index] ?? 0);
    const status = numbers[4] ?? NO_STATUS;
    const attributes: [string, Attribute][] = [];
    for (let index = 5; index < this.#shapeSize; index += 2) {
      const want = (numbers[index] ?? 0) >> 2;
      const value =
        (numbers[index + 1] ?? NO_TEXT) === NO_TEXT ? true : valueOf(text(index + 1), (numbers[index] ?? 0) & 3);
      attributes.push([this.#uses[want]?.name ?? '', value]);
    }
    const point = event.point < 0 ? undefined : EVENT_POINTS[event.point];
    return {
      seq: 0,
      from: text(0),
      to: text(1),
      kind: EVENT_KINDS[event.kind] ?? 'self',
      label: text(3),
      ...(point === undefined ? {} : { point }),
      ...(status < 0 ? {} : { status: status < STATUS_MAX ? status : Number(texts.stringOf(status - STATUS_MAX)) }),
      attributes: Object.fromEntries(attributes),
    };
  }

  #placeInOrder(domain: Text): void {
    if (this.#domain === null) {
      this.#domain = domain === NO_TEXT ? '' : this.texts.stringOf(domain);
      this.#domainText = domain;
    } else if (domain !== this.#domainText) this.disorder ??= 'it has several domains';
    if (this.event.seq <= this.#lastSeq) this.disorder ??= 'its events are not in the order of their seq';
    this.#lastSeq = this.event.seq;
  }

  /** Its causes come before the event: one that comes later than what names it is out of order. */
  #link(replyTo: Id, parent: Id, id: Id): void {
    const { event, ids } = this;
    event.replyTo = replyTo;
    event.parent = parent;
    event.id = id;
    this.#name(replyTo);
    this.#name(parent);
    if (id === NO_ID) return;
    const flags = ids.flags(id);
    if ((flags & IS_READ) !== 0) this.disorder ??= 'an id is used twice';
    else if ((flags & IS_NAMED) !== 0) this.disorder ??= 'an event is named before it happens';
    ids.mark(id, event.kind === CALL ? IS_READ | IS_CALL : IS_READ);
    ids.remember(id, event.to, parent);
  }

  #name(id: Id): void {
    if (id !== NO_ID && (this.ids.flags(id) & IS_READ) === 0) this.ids.mark(id, IS_NAMED);
  }

  #idOf(text: string | undefined): Id {
    if (text === undefined) return NO_ID;
    if (this.#scratch.length < 3 * text.length + 3) {
      this.#scratch = new Uint8Array(6 * text.length + 3);
      this.#scratchView = new DataView(this.#scratch.buffer);
    }
    const end = encodeText(text, this.#scratch);
    return this.#checked(this.ids.numberAt(this.#scratchView, 0, end, hashOf(this.#scratch, 0, end)));
  }

  #checked(id: Id): Id {
    if (id === NO_ID) this.disorder ??= 'an id is too long';
    return id;
  }
}

const typeNumber = (value: Attribute): number =>
  typeof value === 'string' ? AS_STRING : typeof value === 'number' ? AS_NUMBER : AS_BOOLEAN;

const valueOf = (text: string, type: number): Attribute =>
  type === AS_STRING ? text : type === AS_NUMBER ? Number(text) : text === 'true';

/** Numbers lists of numbers, equal ones equally. */
class ShapeTable {
  #slots = new Int32Array(1 << 10).fill(-1);
  #starts = [0];
  #numbers = new Int32Array(1 << 12);
  #size = 0;

  clear(): void {
    this.#slots.fill(-1);
    this.#starts = [0];
    this.#size = 0;
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
    if (start + length > this.#numbers.length) {
      const longer = new Int32Array(2 * (start + length));
      longer.set(this.#numbers);
      this.#numbers = longer;
    }
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
