import type { SourcedEvent } from '../trace/index.ts';
import type { InstanceVerdict } from '../verdict/index.ts';

/** What a stream counted instead of keeping the events: those of `Findings` are then examples, each of many. */
export interface Tally {
  /** All events, and those that belong to the contract. */
  readonly events: number;
  readonly inside: number;
  /** The trace's events are examples of all that the binding asks for: what is in none of them is nowhere. */
  readonly hasAllNames: boolean;
  /** How many events an example stands for. */
  readonly countOf: (example: SourcedEvent) => number;
  /** By contract message: events that showed it standing. */
  readonly standing: ReadonlyMap<number, number>;
  /** By arrow: milliseconds from send to receipt. */
  readonly latencies: ReadonlyMap<number, readonly number[]>;
  /** What is to be said of replies that name no event. */
  readonly dangling: readonly string[];
  /** Runs that went as drawn and are not listed: one of each kind, and how many there are. */
  readonly unlisted: readonly { readonly instance: InstanceVerdict; readonly count: number }[];
}

/** How many events these are. */
export const countAll = (events: readonly SourcedEvent[], tally: Tally | undefined): number =>
  tally === undefined ? events.length : events.reduce((sum, event) => sum + tally.countOf(event), 0);
