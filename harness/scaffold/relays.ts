import { foldName, type ContractMessage } from '../contract/index.ts';
import { endFits, type Candidate, type Sight } from './sight.ts';
import type { EventClass } from './event-classes.ts';

/** A last hop counts as relayed if so much of it has an earlier hop with an equal attribute. */
const RELAYED_SHARE = 0.8;
/** An attribute that links hops has many values: it is not the same for all. */
const VALUES_SHARE = 0.2;
const KEYS_MAX = 50;

/**
 * Last hops of what could be relayed: nothing passes between the two ends themselves, but the sender tells somebody, who tells the
 * receiver, and both hops carry an equal attribute (a revision, a message id).
 */
export function relayedClasses(message: ContractMessage, sight: Sight): readonly Omit<Candidate, 'likeness'>[] {
  const { classes, namesakes } = sight;
  if (message.kind === 'call' || message.from === null || message.to === null) return [];
  const firstHops = classes.filter(({ from }) => endFits(message.from, from, namesakes));
  const lastHops = classes.filter(({ to, kind }) => kind !== 'call' && endFits(message.to, to, namesakes));
  return lastHops.flatMap((one) => {
    const hops = firstHops.filter(({ to }) => foldName(to) === foldName(one.from));
    const link = hops.length === 0 ? null : linkBetween(hops, one, sight);
    return link === null ? [] : [{ one, via: { relay: one.from, link } }];
  });
}

/** The attribute that ties nearly every event of the last hop to an earlier event of a first hop. */
function linkBetween(firstHops: readonly EventClass[], last: EventClass, { trace }: Sight): string | null {
  const earliest = new Map<string, number>();
  const keyOf = (key: string, value: unknown): string => JSON.stringify([key, String(value)]);
  for (const event of firstHops.flatMap(({ events }) => events))
    for (const [key, value] of Object.entries(trace.events[event]?.event.attributes ?? {}).slice(0, KEYS_MAX)) {
      const pair = keyOf(key, value);
      earliest.set(pair, Math.min(earliest.get(pair) ?? Infinity, event));
    }
  const linked = new Map<string, { count: number; readonly values: Set<string> }>();
  for (const event of last.events)
    for (const [key, value] of Object.entries(trace.events[event]?.event.attributes ?? {}).slice(0, KEYS_MAX)) {
      if ((earliest.get(keyOf(key, value)) ?? Infinity) >= event) continue;
      const known = linked.get(key) ?? { count: 0, values: new Set<string>() };
      linked.set(key, known);
      known.count += 1;
      known.values.add(String(value));
    }
  const links = [...linked]
    .filter(
      ([, { count, values }]) => count >= RELAYED_SHARE * last.events.length && values.size >= VALUES_SHARE * count,
    )
    .sort(([, a], [, b]) => b.values.size - a.values.size || b.count - a.count);
  return links[0]?.[0] ?? null;
}
