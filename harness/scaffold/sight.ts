import { foldName, type Contract } from '../contract/index.ts';
import type { Trace } from '../trace/index.ts';
import type { EventClass } from './event-classes.ts';
import type { Namesake } from './participants.ts';

/** Events that an arrow could stand for. */
export interface Candidate {
  readonly one: EventClass;
  /** 0 to 1. */
  readonly likeness: number;
  /** The participant that passes it on, and the attribute that is equal on both hops. */
  readonly via: { readonly relay: string; readonly link: string } | null;
}

/** What is known of a trace, seen by one contract. */
export interface Sight {
  readonly contract: Contract;
  readonly trace: Trace;
  readonly classes: readonly EventClass[];
  readonly namesakes: ReadonlyMap<number, Namesake>;
  /** For each event the drawn arrows that it can be taken for already. */
  readonly taken: readonly (readonly number[])[];
  /** The same by arrow; arrows without any event are left out. */
  readonly eventsOf: ReadonlyMap<number, readonly number[]>;
  /** Events by id, to find what caused what. */
  readonly byId: ReadonlyMap<string, number>;
  /** The attribute that names an instance, where one is known. */
  readonly key: string | null;
}

/** An end whose name is not sure fits any name that could be meant. */
export function endFits(end: number | null, name: string, namesakes: ReadonlyMap<number, Namesake>): boolean {
  if (end === null) return true;
  const namesake = namesakes.get(end);
  if (namesake === undefined) return false;
  const names = namesake.name === null ? namesake.others : [namesake.name];
  return names.some((one) => foldName(one) === foldName(name));
}

/** Guesses look at so many events from the beginning; a longer trace repeats itself, and each round of guessing reads all of them. */
export const EVENTS_MAX = 50_000;

export const beginningOf = (trace: Trace): Trace =>
  trace.events.length <= EVENTS_MAX ? trace : { ...trace, events: trace.events.slice(0, EVENTS_MAX) };
