import type { SourcedEvent } from '../trace/index.ts';
import type { LabelledEvent, Values } from './labels.ts';

/** By id: the id of a call's parent, of all calls of a trace that name one, drawn or not. */
export type Parents = ReadonlyMap<string, string>;

/** Further up nobody looks: a real chain of calls is a few events long, a longer one is a loop. */
export const ANCESTORS_MAX = 1_000;

export function parentsOf(events: readonly SourcedEvent[]): Parents {
  const parents = new Map<string, string>();
  for (const { event } of events)
    if (event.kind === 'call' && event.id !== undefined && event.parent !== undefined)
      parents.set(event.id, event.parent);
  return parents;
}

/**
 * What an event is about that shows nothing of the key, it has from its call, if it is a reply, and else from its parent: the
 * nearest ancestor that is drawn, which has it from its own; only calls may stand between, since what a notification sets off
 * may be about everything. An event that shows a part of the key is about all that share this part.
 */
export function inheritValues(
  key: readonly string[],
  events: readonly LabelledEvent[],
  parents: Parents,
): readonly LabelledEvent[] {
  if (!events.some((labelled) => showsNothing(key, labelled) && hasOrigin(labelled))) return events;
  const byNumber = new Map(events.map((labelled, index) => [labelled.index, index]));
  const drawn = placesById(events);
  const originsOf = (index: number): readonly number[] => {
    const labelled = events[index];
    if (labelled === undefined || !showsNothing(key, labelled)) return [];
    const { replyTo, parent } = labelled.sourced.event;
    const [answered, ...others] = labelled.answers ?? [];
    const call = answered === undefined || others.length > 0 ? undefined : byNumber.get(answered);
    return [call, nearestKnown(replyTo, drawn, parents), nearestKnown(parent, drawn, parents)].flatMap(
      (index) => index ?? [],
    );
  };
  const found: (LabelledEvent | undefined)[] = events.map(() => undefined);
  const begun = new Set<number>();
  events.forEach((_, index) => {
    const pending = [index];
    for (let at = pending.at(-1); at !== undefined; at = pending.at(-1)) {
      const origins = originsOf(at);
      // An event that is its own ancestor has nothing from itself.
      const unknown = begun.has(at) ? [] : origins.filter((one) => found[one] === undefined && !begun.has(one));
      begun.add(at);
      if (unknown.length > 0) {
        pending.push(...unknown);
        continue;
      }
      pending.pop();
      found[at] ??= heir(
        key,
        events[at],
        origins.map((one) => found[one] ?? events[one]),
      );
    }
  });
  return events.map((labelled, index) => found[index] ?? labelled);
}

/**
 * What a call is about that shows nothing of the key, and has it from nothing that it came from, it has from what it led to: from
 * the drawn events that name it as their parent, or a call that does, where all that show a value show the same. (The request
 * that creates an order has no number yet; what serves it has.) `events` with what they have from where they came from; `shown`
 * without that. The same list, if nothing is known so.
 */
export function adoptValues(
  key: readonly string[],
  events: readonly LabelledEvent[],
  shown: readonly LabelledEvent[],
  parents: Parents,
): readonly LabelledEvent[] {
  const isLacking = (labelled: LabelledEvent): boolean =>
    labelled.sourced.event.kind === 'call' && showsNothing(key, labelled);
  if (!events.some(isLacking)) return events;
  const drawn = placesById(events);
  /** null: several values. */
  const found = new Map<number, Map<string, string | null>>();
  for (const { values, sourced } of shown) {
    const own = key.flatMap((name) => (values.has(name) ? [[name, values.get(name) ?? ''] as const] : []));
    let at = own.length === 0 ? undefined : sourced.event.parent;
    for (let up = 0; at !== undefined && up < ANCESTORS_MAX; up++, at = parents.get(at)) {
      const index = drawn.get(at) ?? -1;
      const ancestor = events[index];
      if (ancestor === undefined) continue;
      const isWhole = key.every((name) => ancestor.values.has(name));
      // It tells those before it the same.
      if (isWhole && !contradicts(key, ancestor.values, values)) break;
      if (!isLacking(ancestor)) continue;
      const known = found.get(index) ?? new Map<string, string | null>();
      found.set(index, known);
      for (const [name, value] of own) known.set(name, !known.has(name) || known.get(name) === value ? value : null);
    }
  }
  const adopted = new Map(
    [...found].flatMap(([index, values]) => {
      const labelled = events[index];
      const more = [...values].flatMap(([name, value]) =>
        value === null || labelled?.values.has(name) === true ? [] : [[name, value] as const],
      );
      if (labelled === undefined || more.length === 0) return [];
      return [[index, { ...labelled, values: new Map([...labelled.values, ...more]) }] as const];
    }),
  );
  return adopted.size === 0 ? events : events.map((labelled, index) => adopted.get(index) ?? labelled);
}

const showsNothing = (key: readonly string[], { values }: LabelledEvent): boolean =>
  !key.some((name) => values.has(name));

const hasOrigin = ({ answers, sourced: { event } }: LabelledEvent): boolean =>
  event.parent !== undefined || event.replyTo !== undefined || answers?.length === 1;

function placesById(events: readonly LabelledEvent[]): ReadonlyMap<string, number> {
  return new Map(
    events.flatMap(({ sourced: { event } }, place) => (event.id === undefined ? [] : [[event.id, place] as const])),
  );
}

/** Of an event and its ancestors, the nearest of which something is known. */
export function nearestKnown<Known>(
  id: string | undefined,
  known: ReadonlyMap<string, Known>,
  parents: Parents,
): Known | undefined {
  let at = id;
  for (let up = 0; at !== undefined && up < ANCESTORS_MAX; up++, at = parents.get(at)) {
    const found = known.get(at);
    if (found !== undefined) return found;
  }
  return undefined;
}

function heir(
  key: readonly string[],
  labelled: LabelledEvent | undefined,
  origins: readonly (LabelledEvent | undefined)[],
): LabelledEvent | undefined {
  if (labelled === undefined || origins.length === 0) return labelled;
  const values = new Map(labelled.values);
  for (const origin of origins) {
    if (origin === undefined || contradicts(key, values, origin.values)) continue;
    for (const name of key) {
      const value = origin.values.get(name);
      if (value !== undefined && !values.has(name)) values.set(name, value);
    }
  }
  return values.size === labelled.values.size ? labelled : { ...labelled, values };
}

const contradicts = (key: readonly string[], own: Values, other: Values): boolean =>
  key.some((name) => own.has(name) && other.has(name) && own.get(name) !== other.get(name));
