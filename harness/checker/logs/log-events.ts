import { foldName, type Contract } from '../../contract/index.ts';
import type { SourcedEvent, Trace } from '../../trace/index.ts';
import { answers, type FailedCalls } from '../answers.ts';
import { candidatesOfEvent } from '../candidates.ts';
import { hasParents, Labeller, type LabelledEvent } from '../labels.ts';
import { receiptOf, sendOf, type Occurrence } from '../relation.ts';
import { rulesOf } from '../rules.ts';
import type { LogEntry } from './judge-logs.ts';

/** The participants that one log belongs to: names with commas between them, as drawn; null: one of them is not drawn. */
export function lifelinesOfLog(contract: Contract, name: string): readonly number[] | null {
  const found = name.split(',').map((part) => {
    const folded = foldName(part);
    return contract.lifelines.findIndex(
      ({ id, label, traced }) =>
        foldName(id) === folded ||
        foldName(label) === folded ||
        traced.some((selector) => foldName(selector.name) === folded),
    );
  });
  return found.includes(-1) ? null : [...new Set(found)];
}

/** A log as a contract reads it. Events are numbered through all logs. */
export interface ReadLog {
  readonly name: string;
  /** Where it was read; null: it is empty. */
  readonly source: string | null;
  readonly lifelines: readonly number[];
  /** The numbers of its events: from the first to before the end. */
  readonly first: number;
  readonly end: number;
  readonly inside: readonly LabelledEvent[];
  readonly unmatched: readonly SourcedEvent[];
  /** Events between participants that the document's topology does not connect. */
  readonly unconnected: readonly SourcedEvent[];
  /** Events that show a standing message, in the order of the log. */
  readonly standing: readonly { readonly message: number; readonly index: number }[];
  readonly failed: FailedCalls;
}

interface NamedLog {
  readonly name: string;
  readonly lifelines: readonly number[];
  readonly trace: Trace;
}

/**
 * Labels the events of each log by itself: no order between logs is known, so none decides what an event is. Events that show
 * a standing message are told apart: they hold from before the run. Of a call that is tried again only the last attempt that
 * a log shows is the message there, and what any log shows of the service of an earlier one is left out of all of them.
 */
export function readLogs(contract: Contract, logs: readonly NamedLog[]): readonly ReadLog[] {
  let firstIndex = 0;
  const dropped = new Set<string>();
  const read = logs.map((log) => {
    const own = readLog(contract, log, dropped);
    const shifted = shiftedBy(own, firstIndex);
    firstIndex += log.trace.events.length;
    return shifted;
  });
  return dropped.size === 0 ? read : withoutServed(read, logs, dropped);
}

function readLog(contract: Contract, log: NamedLog, dropped: Set<string>): ReadLog {
  const { events } = log.trace;
  const labeller = new Labeller(contract, { hasParents: hasParents(events) });
  const rules = rulesOf(contract);
  const standingMessages = new Set(contract.standing.map(({ message }) => message));
  const inside: LabelledEvent[] = [];
  const unmatched: SourcedEvent[] = [];
  const unconnected: SourcedEvent[] = [];
  const standing: { readonly message: number; readonly index: number }[] = [];
  events.forEach((sourced, index) => {
    const drawn = labeller.label(sourced.event);
    if (labeller.isUnconnected(sourced.event)) unconnected.push(sourced);
    const label = rules === null ? drawn : rules.extend(drawn, sourced.event);
    for (const message of label.messages) if (standingMessages.has(message)) standing.push({ message, index });
    const messages =
      standingMessages.size === 0 ? label.messages : label.messages.filter((message) => !standingMessages.has(message));
    if (messages.length + label.wrongStatus.length > 0 || label.rules !== undefined)
      inside.push({ ...label, messages, index, sourced });
    else if (label.messages.length === 0 && labeller.isBetweenDrawn(sourced.event)) unmatched.push(sourced);
  });
  const answered = answers(contract, events, inside);
  if (answered.inside !== inside) {
    const kept = new Set(answered.inside.map(({ index }) => index));
    for (const { index, sourced } of inside)
      if (!kept.has(index) && sourced.event.id !== undefined) dropped.add(sourced.event.id);
  }
  const { name, lifelines } = log;
  const source = events[0]?.source ?? null;
  return {
    name,
    source,
    lifelines,
    first: 0,
    end: events.length,
    inside: answered.inside,
    unmatched,
    unconnected,
    standing,
    failed: answered.failed,
  };
}

function shiftedBy(log: ReadLog, firstIndex: number): ReadLog {
  if (firstIndex === 0) return log;
  return {
    ...log,
    first: firstIndex,
    end: firstIndex + log.end,
    inside: log.inside.map((labelled) => ({
      ...labelled,
      index: labelled.index + firstIndex,
      ...(labelled.answers === undefined ? {} : { answers: labelled.answers.map((call) => call + firstIndex) }),
    })),
    standing: log.standing.map(({ message, index }) => ({ message, index: index + firstIndex })),
  };
}

/** What was sent to serve a call that is left out, and the replies to it, stand in the logs of others. */
function withoutServed(read: readonly ReadLog[], logs: readonly NamedLog[], dropped: ReadonlySet<string>): ReadLog[] {
  const servedBy = new Map<string, string[]>();
  for (const { trace } of logs)
    for (const { event } of trace.events)
      if (event.parent !== undefined && event.id !== undefined)
        servedBy.set(event.parent, [...(servedBy.get(event.parent) ?? []), event.id]);
  const gone = new Set<string>();
  const pending = [...dropped];
  for (let id = pending.pop(); id !== undefined; id = pending.pop())
    for (const served of servedBy.get(id) ?? [])
      if (!gone.has(served)) {
        gone.add(served);
        pending.push(served);
      }
  // An attempt itself may be the last one that another log shows.
  const isServed = ({ sourced: { event } }: LabelledEvent): boolean =>
    (event.parent !== undefined && (dropped.has(event.parent) || gone.has(event.parent))) ||
    (event.replyTo !== undefined && gone.has(event.replyTo)) ||
    (event.id !== undefined && gone.has(event.id));
  return read.map((log) => ({ ...log, inside: log.inside.filter((labelled) => !isServed(labelled)) }));
}

/** One entry of a log, and the event that it was made of. */
export interface EventEntry extends LogEntry {
  readonly labelled: LabelledEvent;
  readonly position: number;
}

export interface EntryOptions {
  /** May it be another instance's? */
  readonly isOptional: (labelled: LabelledEvent) => boolean;
  /** By message, the one that stands for it where it is lost. */
  readonly unreceived?: ReadonlyMap<number, number>;
}

const NO_COPIES: ReadonlyMap<number, number> = new Map();

/**
 * The entries of a log: of an event, the ends that lie on the log's own lifelines. Both ends are one instant, unless the event
 * has two positions.
 */
export function entriesOf(
  contract: Contract,
  lifelines: readonly number[],
  events: readonly LabelledEvent[],
  { isOptional, unreceived = NO_COPIES }: EntryOptions,
): EventEntry[] {
  const entries: EventEntry[] = [];
  for (const labelled of events) {
    const { seq, receivedSeq = seq, receivedSeq: ownReceipt } = labelled.sourced.event;
    const sends: (readonly Occurrence[])[] = [];
    const receipts: (readonly Occurrence[])[] = [];
    const add = (options: readonly (readonly Occurrence[])[], position: number): void => {
      if (options.length === 0) return;
      entries.push({ options, position, labelled, ...(isOptional(labelled) ? { isOptional: true } : {}) });
    };
    for (const message of candidatesOfEvent(labelled)) {
      const { send, receipt } = endsShown(contract, lifelines, labelled, message);
      const copy = receipt === null && send !== null ? unreceived.get(message) : undefined;
      if (copy !== undefined && labelled.sourced.event.kind === 'lost') {
        sends.push([sendOf(copy)]);
        continue;
      }
      if (ownReceipt === undefined && send !== null && receipt !== null) sends.push([send, receipt]);
      else {
        if (send !== null) sends.push([send]);
        if (receipt !== null) (ownReceipt === undefined ? sends : receipts).push([receipt]);
        if (copy !== undefined) sends.push([sendOf(copy)]);
      }
    }
    add(sends, seq);
    add(receipts, receivedSeq);
  }
  return isAscending(entries) ? entries : entries.sort((a, b) => a.position - b.position);
}

const isAscending = (entries: readonly EventEntry[]): boolean =>
  entries.every(({ position }, index) => position >= (entries[index - 1]?.position ?? -Infinity));

interface Ends {
  readonly send: Occurrence | null;
  readonly receipt: Occurrence | null;
}

/** Which ends of the message an event shows at the lifelines. */
export function endsShown(
  contract: Contract,
  lifelines: readonly number[],
  labelled: LabelledEvent,
  message: number,
): Ends {
  const { point = 'both', kind } = labelled.sourced.event;
  const found = contract.messages[message];
  return {
    send: point !== 'receive' && isAt(lifelines, found?.from) ? sendOf(message) : null,
    // A copy of a message, made for the place where it enters something, is received like the message itself.
    receipt:
      point !== 'send' && kind !== 'lost' && isAt(lifelines, found?.to) ? receiptOf(found?.entry?.of ?? message) : null,
  };
}

const isAt = (lifelines: readonly number[], lifeline: number | null | undefined): boolean =>
  lifeline !== null && lifeline !== undefined && lifelines.includes(lifeline);
