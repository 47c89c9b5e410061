import { foldName, type Contract } from '../../contract/index.ts';
import type { SourcedEvent, Trace } from '../../trace/index.ts';
import { candidatesOfEvent } from '../candidates.ts';
import { hasParents, Labeller, type LabelledEvent } from '../labels.ts';
import { receiptOf, sendOf, type Occurrence } from '../relation.ts';
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

/** A log as a contract reads it. */
export interface ReadLog {
  readonly name: string;
  readonly lifelines: readonly number[];
  readonly inside: readonly LabelledEvent[];
  readonly unmatched: readonly SourcedEvent[];
}

/**
 * Labels the events of one log by itself: no order between logs is known, so none decides what an event is. Events that show
 * a standing message are left out: they hold from before the run. `firstIndex` numbers events through all logs.
 */
export function readLog(
  contract: Contract,
  log: { readonly name: string; readonly lifelines: readonly number[]; readonly trace: Trace },
  firstIndex: number,
): ReadLog {
  const { events } = log.trace;
  const labeller = new Labeller(contract, { hasParents: hasParents(events) });
  const standing = new Set(contract.standing.map(({ message }) => message));
  const inside: LabelledEvent[] = [];
  const unmatched: SourcedEvent[] = [];
  events.forEach((sourced, index) => {
    const label = labeller.label(sourced.event);
    const messages = label.messages.filter((message) => !standing.has(message));
    if (messages.length + label.wrongStatus.length > 0)
      inside.push({ ...label, messages, index: firstIndex + index, sourced });
    else if (label.messages.length === 0 && labeller.isBetweenDrawn(sourced.event)) unmatched.push(sourced);
  });
  return { name: log.name, lifelines: log.lifelines, inside, unmatched };
}

/** One entry of a log, and the event that it was made of. */
export interface EventEntry extends LogEntry {
  readonly labelled: LabelledEvent;
  readonly position: number;
}

/**
 * The entries of a log: of an event, the ends that lie on the log's own lifelines. Both ends are one instant, unless the event
 * has two positions.
 */
export function entriesOf(
  contract: Contract,
  lifelines: readonly number[],
  events: readonly LabelledEvent[],
  isOptional: (labelled: LabelledEvent) => boolean,
): EventEntry[] {
  const entries = events.flatMap((labelled): EventEntry[] => {
    const { event } = labelled.sourced;
    const { seq, receivedSeq = seq } = event;
    const ends = candidatesOfEvent(labelled).map((message) => endsShown(contract, lifelines, labelled, message));
    const sends = ends.flatMap(({ send }) => (send === null ? [] : [[send]]));
    const receipts = ends.flatMap(({ receipt }) => (receipt === null ? [] : [[receipt]]));
    const entry = (options: readonly (readonly Occurrence[])[], position: number): EventEntry[] => {
      if (options.length === 0) return [];
      return [{ options, position, labelled, ...(isOptional(labelled) ? { isOptional: true } : {}) }];
    };
    if (event.receivedSeq !== undefined) return [...entry(sends, seq), ...entry(receipts, receivedSeq)];
    const both = ends.map(({ send, receipt }) => [send, receipt].filter((end) => end !== null));
    return entry(
      both.filter((option) => option.length > 0),
      seq,
    );
  });
  return entries.sort((a, b) => a.position - b.position);
}

interface Ends {
  readonly send: Occurrence | null;
  readonly receipt: Occurrence | null;
}

function endsShown(contract: Contract, lifelines: readonly number[], labelled: LabelledEvent, message: number): Ends {
  const { point = 'both', kind } = labelled.sourced.event;
  const found = contract.messages[message];
  const isOwn = (lifeline: number | null | undefined): boolean =>
    lifeline !== null && lifeline !== undefined && lifelines.includes(lifeline);
  return {
    send: point !== 'receive' && isOwn(found?.from) ? sendOf(message) : null,
    // A copy of a message, made for the place where it enters something, is received like the message itself.
    receipt: point !== 'send' && kind !== 'lost' && isOwn(found?.to) ? receiptOf(found?.entry?.of ?? message) : null,
  };
}
