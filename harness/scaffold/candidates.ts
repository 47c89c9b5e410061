import { foldName, type ContractMessage } from '../contract/index.ts';
import type { TraceEvent } from '../trace/index.ts';
import type { EventClass } from './event-classes.ts';
import { likenessOfContent } from './likeness.ts';
import { relayedClasses } from './relays.ts';
import { endFits, type Candidate, type Sight } from './sight.ts';
import { rarityIn } from './words.ts';

const CANDIDATES_MAX = 12;
/** How much each kind of evidence counts; what is not known is left out of the mean. */
const WEIGHTS = { content: 0.45, cause: 0.25, order: 0.2, alone: 0.1, once: 0.1 } as const;

/** The classes that a message could be, likeliest first. */
export function candidatesFor(message: ContractMessage, sight: Sight): readonly Candidate[] {
  const { classes } = sight;
  const direct = classes.filter((one) => couldBe(message, one, sight)).map((one) => ({ one, via: null }));
  const possible = direct.length > 0 ? direct : relayedClasses(message, sight);
  const weightOf = rarityIn(possible.map(({ one }) => one.words));
  return possible
    .map(({ one, via }) => ({
      one,
      via,
      likeness: likenessOf(message, one, { sight, weightOf, rivals: possible.length }),
    }))
    .sort((a, b) => b.likeness - a.likeness || b.one.events.length - a.one.events.length)
    .slice(0, CANDIDATES_MAX);
}

/** Kind and ends fit; an end whose name is not sure fits any name that could be meant. */
function couldBe(message: ContractMessage, one: EventClass, { namesakes }: Sight): boolean {
  if (message.kind === 'call' && one.kind !== 'call') return false;
  return endFits(message.from, one.from, namesakes) && endFits(message.to, one.to, namesakes);
}

interface Weighing {
  readonly sight: Sight;
  readonly weightOf: (word: string) => number;
  readonly rivals: number;
}

function likenessOf(message: ContractMessage, one: EventClass, { sight, weightOf, rivals }: Weighing): number {
  const { contract } = sight;
  const hasText = (contract.drawn[message.drawn]?.text ?? '').trim() !== '';
  const parts: readonly (readonly [keyof typeof WEIGHTS, number | null])[] = [
    ['content', hasText ? likenessOfContent(contract, message, one, weightOf) : null],
    ['cause', causedShare(message, one, sight)],
    ['order', orderShare(message, one, sight)],
    ['alone', rivals === 1 ? 1 : 0],
    ['once', onceness(one, sight)],
  ];
  let [sum, all] = [0, 0];
  for (const [part, value] of parts) {
    if (value === null) continue;
    sum += WEIGHTS[part] * value;
    all += WEIGHTS[part];
  }
  const likeness = all === 0 ? 0 : sum / all;
  // What another arrow takes already is hardly this one, unless both are drawn alike.
  return likeness * (1 - 0.5 * takenShare(message, one, sight));
}

/**
 * In which share of the calls that the arrow is drawn in such events happen; null where that is not known. An arrow that is
 * drawn outside of every call says nothing.
 */
function causedShare({ match }: ContractMessage, { events }: EventClass, sight: Sight): number | null {
  if (match.inside.kind !== 'caller' || match.inside.call === null) return null;
  const arrow = sight.contract.messages[match.inside.call]?.drawn ?? -1;
  const calls = sight.taken.flatMap((arrows, event) =>
    arrows.includes(arrow) && sight.trace.events[event]?.event.kind === 'call' ? [event] : [],
  );
  const causes = new Set(events.map((event) => servedCall(event, sight)));
  causes.delete(null);
  // Without parents nothing is known; without calls, not yet.
  if (calls.length === 0 || causes.size === 0) return null;
  return calls.filter((call) => causes.has(call)).length / calls.length;
}

/** In how many instances such an event first comes after the arrow drawn before, and before the arrow drawn after. */
function orderShare({ drawn }: ContractMessage, { events }: EventClass, sight: Sight): number | null {
  const own = firstsOf(events, sight);
  const found = [nearestTaken(drawn, -1, sight), nearestTaken(drawn, 1, sight)];
  let [right, all] = [0, 0];
  for (const [side, firsts] of found.entries())
    for (const [value, position] of firsts ?? []) {
      const at = own.get(value);
      if (at === undefined) continue;
      all += 1;
      if (side === 0 ? position <= at : at <= position) right += 1;
    }
  return all === 0 ? null : right / all;
}

/** Where the nearest arrow above or below that has events has its first one, by instance. */
function nearestTaken(drawn: number, step: 1 | -1, sight: Sight): ReadonlyMap<string, number> | null {
  for (let arrow = drawn + step; sight.contract.drawn[arrow] !== undefined; arrow += step) {
    const events = sight.eventsOf.get(arrow);
    if (events !== undefined) return firstsOf(events, sight);
  }
  return null;
}

function firstsOf(events: readonly number[], { trace, key }: Sight): ReadonlyMap<string, number> {
  const firsts = new Map<string, number>();
  for (const event of events) {
    const value = key === null ? '' : trace.events[event]?.event.attributes?.[key];
    if (value !== undefined && !firsts.has(String(value))) firsts.set(String(value), event);
  }
  return firsts;
}

/** Chains of parents are followed so far; a longer one is a loop. */
const PARENTS_MAX = 100;

/** The call that the sender of an event was serving. */
function servedCall(index: number, { trace, byId }: Sight): number | null {
  const sender = foldName(trace.events[index]?.event.from ?? '');
  let parent: string | undefined = trace.events[index]?.event.parent;
  for (let steps = 0; parent !== undefined && steps < PARENTS_MAX; steps += 1) {
    const position = byId.get(parent);
    const event: TraceEvent | undefined = position === undefined ? undefined : trace.events[position]?.event;
    if (position === undefined || event === undefined) return null;
    if (event.kind === 'call' && foldName(event.to) === sender) return position;
    parent = event.parent;
  }
  return null;
}

/** Near 1 where each value of the instance's attribute goes with one event of the class. */
function onceness({ events }: EventClass, { trace, key }: Sight): number | null {
  if (key === null) return null;
  const values = new Set(events.map((event) => trace.events[event]?.event.attributes?.[key]));
  values.delete(undefined);
  return values.size === 0 ? null : values.size / events.length;
}

function takenShare({ drawn }: ContractMessage, { events }: EventClass, { taken, contract }: Sight): number {
  const text = contract.drawn[drawn]?.text;
  const isByOthers = (arrow: number): boolean => arrow !== drawn && contract.drawn[arrow]?.text !== text;
  return events.filter((event) => taken[event]?.some(isByOthers) === true).length / events.length;
}
