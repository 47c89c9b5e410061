import { foldName, type Contract } from '../../contract/index.ts';
import {
  EVENT_KINDS,
  IS_READ,
  NO_ID,
  NO_TEXT,
  type Id,
  type NumberedEvent,
  type Numbering,
  type RecentIds,
  type SourcedEvent,
  type Text,
} from '../../trace/index.ts';
import { statuslessAnswersOf, errorOf, isUnanswered } from '../answers.ts';
import { arrowsOf } from '../latencies.ts';
import { Labeller, statusOf, type Label, type LabelledEvent } from '../labels.ts';
import { misdirectedEvents } from '../misdirected.ts';
import { Recent } from '../recent.ts';
import type { Tally } from '../tally.ts';

/** What a stream knows of an event beside its place in an instance. */
export interface NotedLabel extends Pick<Label, 'messages' | 'wrongStatus'> {
  /** It carries the last value of the key by itself. */
  /** It carries the last value of the key, by itself or from its parent. */
  readonly showsLast: boolean;
}

/** All that a verdict says of a trace apart from its instances, as examples with counts. */
export interface Noted {
  readonly inside: readonly LabelledEvent[];
  readonly unmatched: readonly SourcedEvent[];
  readonly failed: ReadonlyMap<number, readonly number[]>;
  /** The first position of each standing message. */
  readonly standing: ReadonlyMap<number, readonly number[]>;
  readonly tally: Omit<Tally, 'events' | 'unlisted' | 'hasAllNames'>;
}

/** Different rows of traffic that no arrow explains; what comes first beyond them is not told. */
export const ROWS_MAX = 50_000;
/** Ids that name no event: those that are told, and those that are counted. */
const DANGLING_TOLD = 3;
const DANGLING_MAX = 100_000;
/** Calls that are remembered where replies do not say what they answer. */
const OPEN_MAX = 100_000;
const REPLY = EVENT_KINDS.indexOf('reply');

/** What the events of one shape have in common. */
interface ShapeFacts {
  readonly isBetweenDrawn: boolean;
  readonly hasStatus: boolean;
  /** The status of a reply that is an error; null: none. */
  readonly error: number | null;
  row: Row | null;
  /** The label of that row: a shape may have many. */
  rowLabel: Text;
  entry: Entry | null;
}

interface Row {
  readonly example: SourcedEvent;
  count: number;
}

interface Entry extends NotedLabel {
  readonly example: LabelledEvent;
  count: number;
}

/** Counts what happened beside the instances of one contract, in memory that grows with what is different, not with the trace. */
export class StreamTally {
  readonly #contract: Contract;
  readonly #numbering: Numbering;
  readonly #source: string;
  readonly #labeller: Labeller;
  readonly #standingMessages: ReadonlySet<number>;
  readonly #statuslessAnswers: ReadonlySet<number>;
  #age = 0;
  #shapes: (ShapeFacts | undefined)[] = [];
  readonly #rows = new Map<string, Row>();
  readonly #entries = new Map<string, Entry>();
  /** Lists of messages without the standing ones. */
  readonly #rests = new Map<readonly number[], readonly number[]>();
  readonly #standing = new Map<number, { first: number; count: number }>();
  /** By what an event can be. */
  readonly #latencies = new Map<readonly number[], number[]>();
  readonly #failed = new Map<number, number[]>();
  readonly #danglingReplies = new Dangling('replyTo');
  readonly #danglingParents = new Dangling('parent');
  #inside = 0;

  constructor(contract: Contract, numbering: Numbering, source: string) {
    this.#contract = contract;
    this.#numbering = numbering;
    this.#source = source;
    this.#labeller = new Labeller(contract, { hasParents: true, rememberedMax: 1 });
    this.#standingMessages = new Set(contract.standing.map(({ message }) => message));
    this.#statuslessAnswers = statuslessAnswersOf(contract);
  }

  /**
   * Notes the event that the numbering holds. `answered`: what the call can be that a reply answers, where that is known.
   * Returns whether it is one that no arrow explains.
   */
  note(event: NumberedEvent, label: NotedLabel | null, answered: readonly number[] | null): boolean {
    if (this.#numbering.age !== this.#age) {
      this.#age = this.#numbering.age;
      this.#shapes = [];
    }
    const facts = (this.#shapes[event.shape] ??= this.#newFacts(event));
    const messages = this.#withoutStanding(event, label?.messages ?? NO_MESSAGES);
    const isInside = messages.length + (label?.wrongStatus.length ?? 0) > 0;
    const isShown = label !== null && messages.length < label.messages.length;
    const isUnmatched = !isInside && !isShown && facts.isBetweenDrawn;
    if (isInside && label !== null) this.#noteInside(event, facts, label, messages);
    else if (isUnmatched) this.#noteUnmatched(event, facts);
    if (isInside || isUnmatched) this.#danglingParents.note(event.parent, event.line, this.#numbering.ids);
    if (event.kind !== REPLY) return isUnmatched;
    if (facts.error !== null && messages.length === 0) this.#noteError(facts.error, answered);
    if (isInside || isUnmatched) this.#danglingReplies.note(event.replyTo, event.line, this.#numbering.ids);
    return isUnmatched;
  }

  findings(): Noted {
    const entries = [...this.#entries.values()];
    const rows = [...this.#rows.values()];
    const counts = new Map<SourcedEvent, number>([
      ...entries.map(({ example, count }) => [example.sourced, count] as const),
      ...rows.map(({ example, count }) => [example, count] as const),
    ]);
    return {
      inside: entries.map(({ example }) => example),
      unmatched: rows.map(({ example }) => example),
      failed: this.#failed,
      standing: new Map([...this.#standing].map(([message, { first }]) => [message, [first]])),
      tally: {
        inside: this.#inside,
        countOf: (example) => counts.get(example) ?? 1,
        standing: new Map([...this.#standing].map(([message, { count }]) => [message, count])),
        latencies: this.#latenciesByArrow(),
        dangling: [...this.#danglingReplies.remarks(), ...this.#danglingParents.remarks()],
      },
    };
  }

  #newFacts(event: NumberedEvent): ShapeFacts {
    const example = this.#example(event);
    const status = statusOf(example);
    return {
      isBetweenDrawn: this.#labeller.isBetweenDrawn(example),
      hasStatus: status !== undefined,
      error: errorOf(example),
      row: null,
      rowLabel: NO_TEXT,
      entry: null,
    };
  }

  #example({ shape }: NumberedEvent): SourcedEvent['event'] {
    const example = this.#numbering.shapes[shape];
    if (example === undefined) throw new Error(`shape ${shape} is not of this numbering`);
    return example;
  }

  /** The messages without those that stand from before the run, which are counted. */
  #withoutStanding(event: NumberedEvent, messages: readonly number[]): readonly number[] {
    if (this.#standingMessages.size === 0 || messages.length === 0) return messages;
    for (const message of messages) {
      if (!this.#standingMessages.has(message)) continue;
      const known = this.#standing.get(message);
      if (known === undefined) this.#standing.set(message, { first: event.seq, count: 1 });
      else known.count++;
    }
    let rest = this.#rests.get(messages);
    if (rest === undefined)
      this.#rests.set(messages, (rest = messages.filter((message) => !this.#standingMessages.has(message))));
    return rest;
  }

  #noteInside(event: NumberedEvent, facts: ShapeFacts, label: NotedLabel, messages: readonly number[]): void {
    this.#inside++;
    const { entry } = facts;
    const showsLast = label.showsLast || event.parent !== NO_ID;
    const isSame =
      entry !== null &&
      entry.messages === messages &&
      entry.wrongStatus === label.wrongStatus &&
      entry.showsLast === showsLast;
    const { wrongStatus } = label;
    const found = isSame ? entry : this.#entryFor(event, facts, { messages, wrongStatus, showsLast });
    found.count++;
    facts.entry = found;
    if (messages.length === 0 || Number.isNaN(event.time) || Number.isNaN(event.receivedTime)) return;
    const latencies = this.#latencies.get(messages);
    if (latencies === undefined) this.#latencies.set(messages, [event.receivedTime - event.time]);
    else latencies.push(event.receivedTime - event.time);
  }

  /** What could be several arrows is a sample of each of them. */
  #latenciesByArrow(): ReadonlyMap<number, readonly number[]> {
    const found = new Map<number, readonly number[]>();
    for (const [messages, samples] of this.#latencies)
      for (const arrow of arrowsOf(this.#contract, messages)) {
        const known = found.get(arrow);
        found.set(arrow, known === undefined ? samples : [...known, ...samples]);
      }
    return found;
  }

  #entryFor(
    event: NumberedEvent,
    { hasStatus, error }: ShapeFacts,
    { messages, wrongStatus, showsLast }: NotedLabel,
  ): Entry {
    const isTold = error !== null && messages.some((message) => this.#statuslessAnswers.has(message));
    const name = `${messages.join()}/${wrongStatus.join()}/${String(showsLast)}/${String(hasStatus)}/${isTold ? error : ''}`;
    let entry = this.#entries.get(name);
    if (entry !== undefined) return entry;
    const last = this.#contract.key.at(-1);
    const values = new Map(showsLast && last !== undefined ? [[last, '']] : []);
    const sourced = { event: this.#example(event), source: this.#source, line: event.line };
    entry = {
      messages,
      wrongStatus,
      showsLast,
      example: { messages, wrongStatus, values, index: 0, sourced },
      count: 0,
    };
    this.#entries.set(name, entry);
    return entry;
  }

  #noteUnmatched(event: NumberedEvent, facts: ShapeFacts): void {
    const row = facts.row !== null && facts.rowLabel === event.label ? facts.row : this.#rowFor(event);
    if (row === null) return;
    row.count++;
    facts.row = row;
    facts.rowLabel = event.label;
  }

  #rowFor(event: NumberedEvent): Row | null {
    const example = { ...this.#example(event), label: this.#numbering.texts.stringOf(event.label) };
    const name = JSON.stringify(example);
    let row = this.#rows.get(name);
    if (row === undefined && this.#rows.size < ROWS_MAX) {
      row = { example: { event: example, source: this.#source, line: event.line }, count: 0 };
      this.#rows.set(name, row);
    }
    return row ?? null;
  }

  /** An error that answers a call whose reply is not drawn. */
  #noteError(status: number, answered: readonly number[] | null): void {
    const message = (answered ?? []).find(
      (one) => !this.#standingMessages.has(one) && isUnanswered(this.#contract, one),
    );
    if (message === undefined) return;
    const arrow = this.#contract.messages[message]?.drawn ?? -1;
    const statuses = this.#failed.get(arrow);
    if (statuses === undefined) this.#failed.set(arrow, [status]);
    else statuses.push(status);
  }
}

/** Ids that events name in a field, and that no event of the trace has. */
class Dangling {
  readonly #field: string;
  readonly #named = new Set<Id>();
  readonly #told: string[] = [];

  constructor(field: string) {
    this.#field = field;
  }

  note(named: Id, line: number, ids: RecentIds): void {
    if (named === NO_ID || (ids.flags(named) & IS_READ) !== 0 || ids.hasForgotten) return;
    if (this.#named.has(named) || this.#named.size >= DANGLING_MAX) return;
    this.#named.add(named);
    if (this.#told.length < DANGLING_TOLD)
      this.#told.push(`${JSON.stringify(ids.textOf(named).slice(0, 60))} (line ${line})`);
  }

  remarks(): readonly string[] {
    const { size } = this.#named;
    if (size === 0) return [];
    const more = size > DANGLING_TOLD ? ` and ${size - DANGLING_TOLD} more` : '';
    return [`${this.#field} ${this.#told.join(', ')}${more} ${size === 1 ? 'names' : 'name'} no event of this trace`];
  }
}

const NO_MESSAGES: readonly number[] = [];

/** Which shapes hold events that differ from a drawn message in a participant: asked once for each. */
export class MisdirectedShapes {
  readonly #contract: Contract;
  readonly #numbering: Numbering;
  #age = 0;
  #shapes: (boolean | undefined)[] = [];

  constructor(contract: Contract, numbering: Numbering) {
    this.#contract = contract;
    this.#numbering = numbering;
  }

  has({ shape }: NumberedEvent): boolean {
    if (this.#numbering.age !== this.#age) {
      this.#age = this.#numbering.age;
      this.#shapes = [];
    }
    return (this.#shapes[shape] ??= this.#isMisdirected(shape));
  }

  #isMisdirected(shape: number): boolean {
    const event = this.#numbering.shapes[shape];
    return event !== undefined && misdirectedEvents(this.#contract, [{ event, source: '', line: 0 }]).length > 0;
  }
}

/**
 * What the call can be that a reply answers, for events that are no numbers: by its id, or the latest open call the other way.
 * As `callsOfReplies`, which has all events at once.
 */
export class AnsweredCalls {
  readonly #byId = new Recent<OpenCall>(2 * OPEN_MAX);
  readonly #open = new Map<string, OpenCall[]>();
  #size = 0;

  /** Takes an event in its turn; for a reply, what it answers. */
  take(
    { kind, id, from, to, replyTo, traceId = '' }: SourcedEvent['event'],
    label: Label | null,
  ): readonly number[] | null {
    if (kind === 'reply') {
      const call = replyTo === undefined ? this.#latest(to, from, traceId) : this.#byId.get(replyTo);
      if (call !== undefined) call.isAnswered = true;
      return call?.messages ?? null;
    }
    const call = { messages: label?.messages ?? NO_MESSAGES, isAnswered: false };
    if (id !== undefined) this.#byId.set(id, call);
    if (kind !== 'call' || this.#size >= OPEN_MAX) return null;
    this.#size++;
    const pair = pairOf(from, to, traceId);
    const waiting = this.#open.get(pair);
    if (waiting === undefined) this.#open.set(pair, [call]);
    else waiting.push(call);
    return null;
  }

  /** The latest call from one to the other that is not answered yet. Those that are answered are let go on the way. */
  #latest(from: string, to: string, traceId: string): OpenCall | undefined {
    const waiting = this.#open.get(pairOf(from, to, traceId)) ?? [];
    while (waiting.at(-1)?.isAnswered === true) {
      waiting.pop();
      this.#size--;
    }
    return waiting.at(-1);
  }
}

interface OpenCall {
  readonly messages: readonly number[];
  isAnswered: boolean;
}

const pairOf = (from: string, to: string, traceId: string): string =>
  JSON.stringify([foldName(from), foldName(to), traceId]);
