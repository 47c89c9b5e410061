import { receivedDomainOf } from '../proven-order.ts';
import type { Attribute, TraceEvent } from '../types.ts';
import { DOMAIN, EVENT_KINDS, EVENT_POINTS, FROM, ID, LABEL, PARENT, REPLY_TO, TO, TRACE_ID } from './event-fields.ts';
import { LabelClasses } from './label-classes.ts';
import { AS_BOOLEAN, AS_NUMBER, AS_STRING, type LineScanner } from './line-scanner.ts';
import { NumberLists } from './number-lists.ts';
import { NumberedEvent, type AttributeUse } from './numbered-event.ts';
import { UNWANTED } from './segments.ts';
import { encodeText, hashOf, longer, NO_TEXT, Texts, type Text } from './texts.ts';
import { IS_CALL, IS_NAMED, IS_READ, NO_ID, RecentIds, type Id } from './recent-ids.ts';

export interface NumberingOptions {
  readonly useOf: (attribute: string) => AttributeUse;
  /** How many places `useOf` gives among the values, and among the links. */
  readonly values: number;
  readonly links: number;
  /**
   * Path segments that matter in labels that are requests (`PUT /pods/web-1`): labels that differ only in other segments have
   * one shape. null: every label has a shape of its own.
   */
  readonly segments: ReadonlySet<string> | null;
  /** How many ids are remembered, and how many links. */
  readonly idsMax: number;
}

/** Shapes kept before all are forgotten, and numbered anew. */
const SHAPES_MAX = 50_000;
const PARTICIPANTS_MAX = 100_000;
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
  /** Values by which events are linked. */
  readonly links: RecentIds;
  /** By shape: an event with all that its events have in common. */
  readonly shapes: TraceEvent[] = [];
  /** Counts how often all texts and shapes were forgotten: their numbers mean something else from then on. */
  age = 0;
  /** Names of participants, by numbers that stay: ids remember them. */
  readonly participants: string[] = [];
  readonly #participantNumbers = new Map<string, number>();
  /** By text: the participant of this name. */
  #participantsByText = new Int32Array(1 << 10).fill(-1);
  /** What of the trace is not in order. */
  disorder: string | null = null;
  readonly #useOf: (attribute: string) => AttributeUse;
  readonly #uses: { readonly name: string; readonly use: AttributeUse }[] = [];
  readonly #wants = new Map<string, number>();
  readonly #shapeTable = new NumberLists();
  readonly #labels: LabelClasses | null;
  #shape = new Int32Array(64);
  #shapeSize = 0;
  #domain: string | null = null;
  /** NO_TEXT: events tell none. */
  #domainText: Text = NO_TEXT;
  #lastSeq = -1;
  #scratch = new DataView(new ArrayBuffer(1 << 10));

  constructor({ useOf, values, links, segments, idsMax }: NumberingOptions) {
    this.#useOf = useOf;
    this.#labels = segments === null ? null : new LabelClasses(this.texts, segments);
    this.event = new NumberedEvent(values, links);
    this.ids = new RecentIds(idsMax);
    this.links = new RecentIds(links === 0 ? 0 : idsMax);
  }

  /** Is it a label of which others that differ in some path segments have the same shape? */
  hasSegments(label: Text): boolean {
    return this.#labels?.hasSegments(label) ?? false;
  }

  /** A path segment of such a label. */
  segmentOf(label: Text, index: number): Text {
    return this.#labels?.segmentOf(label, index) ?? NO_TEXT;
  }

  /** For a scanner: the number by which an attribute is asked for. */
  readonly wantOf = (name: string): number => {
    let want = this.#wants.get(name);
    if (want !== undefined) return want;
    const use = this.#useOf(name);
    want = use.shape === 'none' && use.place < 0 && use.link < 0 ? UNWANTED : this.#uses.push({ name, use }) - 1;
    this.#wants.set(name, want);
    return want;
  };

  /** Fills `event` from the line that was scanned last. */
  takeLine(scanner: LineScanner, view: DataView): void {
    this.#begin();
    const { event } = this;
    event.seq = scanner.seq;
    event.receivedSeq = scanner.receivedSeq;
    event.kind = scanner.kind;
    event.point = scanner.point;
    event.time = scanner.time;
    event.receivedTime = scanner.receivedTime;
    event.from = this.#scannedText(scanner, view, FROM);
    event.to = this.#scannedText(scanner, view, TO);
    event.traceId = this.#scannedText(scanner, view, TRACE_ID);
    const status = scanner.status < 0 ? NO_STATUS : this.#statusNumber(scanner.status);
    this.#beginShape(this.#scannedText(scanner, view, LABEL), status);
    for (let index = 0; index < scanner.attributes; index++) this.#takeScannedAttribute(scanner, view, index);
    this.#endEvent();
    this.#placeInOrder(this.#scannedText(scanner, view, DOMAIN));
    const replyTo = this.#scannedId(scanner, view, REPLY_TO);
    const parent = this.#scannedId(scanner, view, PARENT);
    this.#link(replyTo, parent, this.#scannedId(scanner, view, ID));
  }

  #scannedText(scanner: LineScanner, view: DataView, field: number): Text {
    if (!scanner.has(field)) return NO_TEXT;
    const { starts, ends, hashes } = scanner;
    return this.texts.numberAt(view, starts[field] ?? 0, ends[field] ?? 0, hashes[field] ?? 0);
  }

  #scannedId(scanner: LineScanner, view: DataView, field: number): Id {
    if (!scanner.has(field)) return NO_ID;
    const { starts, ends, hashes } = scanner;
    return this.#checked(this.ids.numberAt(view, starts[field] ?? 0, ends[field] ?? 0, hashes[field] ?? 0));
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
      if (want !== UNWANTED) this.#takeAttribute(want, value);
    }
    this.#endEvent();
    this.#placeInOrder(textOf(source.domain));
    if (receivedDomainOf(source) !== source.domain) this.disorder ??= 'it has several domains';
    for (const cause of source.causes ?? []) this.#name(this.#idOf(cause));
    this.#link(this.#idOf(source.replyTo), this.#idOf(source.parent), this.#idOf(source.id));
  }

  #begin(): void {
    if (this.texts.isFull || this.shapes.length >= SHAPES_MAX) this.#forget();
    const { values, links } = this.event;
    for (let place = 0; place < values.length; place++) values[place] = NO_TEXT;
    for (let place = 0; place < links.length; place++) links[place] = NO_ID;
  }

  #forget(): void {
    this.texts.clear();
    this.shapes.length = 0;
    this.#shapeTable.clear();
    this.#labels?.clear();
    if (this.#domain !== null && this.#domainText !== NO_TEXT) this.#domainText = this.texts.numberOf(this.#domain);
    this.#participantsByText.fill(-1);
    this.age++;
  }

  #statusNumber(status: number | undefined): number {
    if (status === undefined) return NO_STATUS;
    if (status >= 0 && status < STATUS_MAX) return status;
    return STATUS_MAX + this.texts.numberOf(String(status));
  }

  #beginShape(label: Text, status: number): void {
    const { event } = this;
    event.label = label;
    const shape = this.#shape;
    shape[0] = event.from;
    shape[1] = event.to;
    shape[2] = event.kind * 4 + event.point + 1;
    shape[3] = this.#labels === null ? label : this.#labels.classOf(label);
    shape[4] = status;
    this.#shapeSize = 5;
  }

  #takeScannedAttribute(scanner: LineScanner, view: DataView, index: number): void {
    const want = scanner.attributeWants[index] ?? 0;
    const { shape, place, link } = this.#useFor(want);
    const start = scanner.attributeStarts[index] ?? 0;
    const end = scanner.attributeEnds[index] ?? 0;
    const hash = scanner.attributeHashes[index] ?? 0;
    if (link >= 0) this.event.links[link] = this.#checked(this.links.numberAt(view, start, end, hash));
    const text = place < 0 && shape !== 'value' ? NO_TEXT : this.texts.numberAt(view, start, end, hash);
    if (place >= 0) this.event.values[place] = text;
    this.#addToShape(want, shape, scanner.attributeTypes[index] ?? 0, text);
  }

  #takeAttribute(want: number, value: Attribute): void {
    const { shape, place, link } = this.#useFor(want);
    const spelling = String(value);
    if (link >= 0) this.event.links[link] = this.#numberOf(this.links, spelling);
    const text = this.texts.numberOf(spelling);
    if (place >= 0) this.event.values[place] = text;
    this.#addToShape(want, shape, typeNumber(value), text);
  }

  #useFor(want: number): AttributeUse {
    const used = this.#uses[want];
    if (used === undefined) throw new Error('an attribute was given a number that nobody gave out');
    return used.use;
  }

  #addToShape(want: number, shape: AttributeUse['shape'], type: number, text: Text): void {
    if (this.#shapeSize + 2 > this.#shape.length) this.#shape = longer(this.#shape, 2 * this.#shape.length);
    this.#shape[this.#shapeSize++] = want * 4 + (shape === 'value' ? type : 0);
    this.#shape[this.#shapeSize++] = shape === 'value' ? text : NO_TEXT;
  }

  #endEvent(): void {
    const { event } = this;
    const found = this.#shapeTable.find(this.#shape, this.#shapeSize);
    if (found === this.shapes.length) this.shapes.push(this.#spellOut());
    event.shape = found;
    event.sender = this.#participant(event.from);
    event.receiver = this.#participant(event.to);
  }

  #participant(text: Text): number {
    const known = this.#participantsByText[text] ?? -1;
    return known >= 0 ? known : this.#addParticipant(text);
  }

  #addParticipant(text: Text): number {
    const name = this.texts.stringOf(text);
    let number = this.#participantNumbers.get(name);
    if (number === undefined) {
      if (this.participants.length >= PARTICIPANTS_MAX) {
        this.disorder ??= 'it has too many participants';
        return 0;
      }
      number = this.participants.push(name) - 1;
      this.#participantNumbers.set(name, number);
    }
    if (text >= this.#participantsByText.length)
      this.#participantsByText = longer(this.#participantsByText, 2 * text + 1, -1);
    this.#participantsByText[text] = number;
    return number;
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
      label: texts.stringOf(event.label),
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
    ids.remember(id, event.receiver, parent);
  }

  #name(id: Id): void {
    if (id !== NO_ID && (this.ids.flags(id) & IS_READ) === 0) this.ids.mark(id, IS_NAMED);
  }

  #idOf(text: string | undefined): Id {
    return text === undefined ? NO_ID : this.#numberOf(this.ids, text);
  }

  #numberOf(ids: RecentIds, text: string): Id {
    if (this.#scratch.byteLength < 3 * text.length + 3)
      this.#scratch = new DataView(new ArrayBuffer(6 * text.length + 3));
    const end = encodeText(text, this.#scratch);
    return this.#checked(ids.numberAt(this.#scratch, 0, end, hashOf(this.#scratch, 0, end)));
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
