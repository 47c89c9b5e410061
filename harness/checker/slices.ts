import { candidatesOfEvent } from './candidates.ts';
import { adoptValues, inheritValues, nearestKnown, type Parents } from './inherited-values.ts';
import type { LabelledEvent, Values } from './labels.ts';

/** Values of the contract's key, as far as known; and the events that belong to it, in trace order. */
export interface Slice {
  readonly key: Values;
  readonly events: readonly LabelledEvent[];
}

export interface Slicing {
  readonly slices: readonly Slice[];
  /** A bound that was met: what was not looked at. */
  readonly bound: string | null;
}

export const INSTANCES_MAX = 100_000;

export interface SlicingOptions {
  readonly instancesMax?: number | undefined;
  /** Of all events of the trace. */
  readonly parents?: Parents;
  /** Events stand in the order in which they came; else which call was open when proves nothing. Default: true. */
  readonly isOrdered?: boolean;
}

const NO_PARENTS: Parents = new Map();

/**
 * Parametric trace slicing (Chen & Roşu, TACAS 2009): the slice of an instance is made of the events whose values it contains,
 * those without any value included; an event has values from its call and its parent, too, and from what it led to. Instances
 * are the maximal bindings: values tied by one event, or by events that share a value, belong together. A partial binding is an
 * instance of its own only if nothing extends it.
 */
export function slice(
  key: readonly string[],
  events: readonly LabelledEvent[],
  { instancesMax = INSTANCES_MAX, parents = NO_PARENTS, isOrdered = true }: SlicingOptions = {},
): Slicing {
  if (key.length === 0) return { slices: [{ key: new Map(), events }], bound: null };
  const shown = shareInExchanges(events, isOrdered);
  const plain = inheritValues(key, shown, parents);
  const adopted = adoptValues(key, plain, shown, parents);
  const shared = adopted === plain ? plain : inheritValues(key, adopted, parents);
  const bindings = shared.map(({ values }) => restrict(values, key));
  const { maximal, bound } = maximalBindings(bindings, key, instancesMax);
  const whole = maximal.length > 0 ? maximal : events.length > 0 ? [new Map<string, string>()] : [];
  const all = isOrdered ? bindingsOf(shared, bindings) : bindings.map((one) => [one]);
  const slices = sliceAll(whole, shared, all);
  if (adopted === plain) return { slices, bound };
  const roots = adopted.filter((event, place) => event !== plain[place]);
  const lent = plain.filter((event, place) => event.values.size < (shared[place]?.values.size ?? 0));
  return { slices: withLent(slices, exchangesOf(lent, roots, parents)), bound };
}

/** Events that are about an instance by what the first of them led to, and by nothing that they show. */
type Exchange = readonly LabelledEvent[];

function exchangesOf(lent: readonly LabelledEvent[], roots: readonly LabelledEvent[], parents: Parents): Exchange[] {
  const exchanges = new Map<string, LabelledEvent[]>();
  for (const { sourced } of roots) if (sourced.event.id !== undefined) exchanges.set(sourced.event.id, []);
  for (const labelled of lent) {
    const { id, replyTo, parent } = labelled.sourced.event;
    for (const origin of [id, replyTo, parent]) {
      const root = nearestKnown(origin, exchanges, parents);
      if (root === undefined) continue;
      root.push(labelled);
      break;
    }
  }
  return [...exchanges.values()];
}

/**
 * What an event is about by what it led to alone, it may be about for others too: a request that all wait for, of which one was
 * the first to show. So an instance that has nothing else for its arrow has it as it is seen, with what follows from it.
 */
function withLent(slices: readonly Slice[], exchanges: readonly Exchange[]): Slice[] {
  const messages = new Set(exchanges.flatMap(([first]) => (first === undefined ? [] : candidatesOfEvent(first))));
  return slices.map((slice) => {
    const had = new Set(slice.events.flatMap(candidatesOfEvent).filter((message) => messages.has(message)));
    if (had.size === messages.size) return slice;
    const isOf = ({ values }: LabelledEvent): boolean =>
      [...values].every(([name, value]) => (slice.key.get(name) ?? value) === value);
    const own = new Set(slice.events.map(({ index }) => index));
    const more = exchanges.flatMap(([first, ...others]) => {
      const isNeeded = first !== undefined && candidatesOfEvent(first).every((message) => !had.has(message));
      return isNeeded ? [first, ...others].filter((event) => !own.has(event.index) && isOf(event)) : [];
    });
    return more.length === 0 ? slice : { ...slice, events: [...slice.events, ...more].sort(byIndex) };
  });
}

const byIndex = (one: LabelledEvent, other: LabelledEvent): number => one.index - other.index;

/** A call and its reply carry the same values: the request that creates a pod has no name yet, its reply has. */
function shareInExchanges(events: readonly LabelledEvent[], isOrdered: boolean): LabelledEvent[] {
  const calls = new Map<string, number>();
  const places = new Map<number, number>();
  const shared = [...events];
  events.forEach((labelled, index) => {
    const { id, replyTo, kind } = labelled.sourced.event;
    if (kind === 'call') {
      if (id !== undefined) calls.set(id, index);
      places.set(labelled.index, index);
    }
    const answers = isOrdered ? (labelled.answers ?? []) : [];
    const known = answers.length === 1 ? answers[0] : undefined;
    const callIndex = replyTo === undefined ? places.get(known ?? -1) : calls.get(replyTo);
    const call = callIndex === undefined ? undefined : shared[callIndex];
    if (call === undefined || callIndex === undefined) return;
    shared[callIndex] = { ...call, values: new Map([...labelled.values, ...call.values]) };
    shared[index] = { ...labelled, values: new Map([...call.values, ...labelled.values]) };
  });
  return shared;
}

/** Of each event the bindings of which it has one: of a reply to one of several calls, those of these calls. */
function bindingsOf(events: readonly LabelledEvent[], bindings: readonly Values[]): (readonly Values[])[] {
  const byIndex = new Map(events.map(({ index }, place) => [index, bindings[place]]));
  return events.map(({ answers = [] }, place) => {
    const own = bindings[place] ?? new Map<string, string>();
    if (answers.length < 2) return [own];
    const found = answers.flatMap((call) => join(byIndex.get(call) ?? own, own) ?? []);
    return found.length === 0 ? [own] : found;
  });
}

function restrict(values: Values, key: readonly string[]): Values {
  const found = new Map<string, string>();
  for (const name of key) {
    const value = values.get(name);
    if (value !== undefined) found.set(name, value);
  }
  return found;
}

interface Maximal {
  readonly maximal: readonly Values[];
  readonly bound: string | null;
}

function maximalBindings(bindings: readonly Values[], key: readonly string[], instancesMax: number): Maximal {
  const ties = new Ties(key);
  for (const binding of bindings) {
    ties.add(binding);
    // Joins of partial bindings are new bindings themselves: they count too, or a hostile trace could breed them for ever.
    if (ties.size > 4 * instancesMax) break;
  }
  const maximal = ties.maximal();
  if (maximal.length <= instancesMax && ties.size <= 4 * instancesMax) return { maximal, bound: null };
  return { maximal: maximal.slice(0, instancesMax), bound: `${instancesMax} instances` };
}

/** Every binding seen, and every join of two that agree on a shared value. */
class Ties {
  readonly #key: readonly string[];
  readonly #known = new Map<string, Values>();
  readonly #extended = new Set<string>();
  /** By each single value they hold; a whole binding can extend a partial one, but no other whole one. */
  readonly #partial = new Map<string, Values[]>();
  readonly #whole = new Map<string, Values[]>();

  constructor(key: readonly string[]) {
    this.#key = key;
  }

  get size(): number {
    return this.#known.size;
  }

  add(binding: Values): void {
    const pending = [binding];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (next.size === 0 || this.#known.has(this.#name(next))) continue;
      this.#known.set(this.#name(next), next);
      for (const other of this.#neighbours(next)) {
        const joined = join(next, other);
        if (joined === null) continue;
        if (joined.size > next.size) this.#extended.add(this.#name(next));
        if (joined.size > other.size) this.#extended.add(this.#name(other));
        pending.push(joined);
      }
      const index = next.size === this.#key.length ? this.#whole : this.#partial;
      for (const entry of next) append(index, valueKey(entry), next);
    }
  }

  maximal(): Values[] {
    return [...this.#known].filter(([name]) => !this.#extended.has(name)).map(([, binding]) => binding);
  }

  #neighbours(binding: Values): Set<Values> {
    const isWhole = binding.size === this.#key.length;
    return new Set(
      [...binding].flatMap((entry) => [
        ...(this.#partial.get(valueKey(entry)) ?? []),
        ...(isWhole ? [] : (this.#whole.get(valueKey(entry)) ?? [])),
      ]),
    );
  }

  #name(binding: Values): string {
    return JSON.stringify(this.#key.map((name) => binding.get(name) ?? null));
  }
}

const valueKey = ([name, value]: readonly [string, string]): string => `${name}=${value}`;

function append<T>(index: Map<string, T[]>, key: string, value: T): void {
  const list = index.get(key);
  if (list === undefined) index.set(key, [value]);
  else list.push(value);
}

function join(a: Values, b: Values): Values | null {
  for (const [name, value] of b) if (a.has(name) && a.get(name) !== value) return null;
  return new Map([...a, ...b]);
}

function sliceAll(
  keys: readonly Values[],
  events: readonly LabelledEvent[],
  bindings: readonly (readonly Values[])[],
): Slice[] {
  const slices = keys.map((key) => ({ key, events: [] as LabelledEvent[] }));
  const byValue = new Map<string, { readonly key: Values; readonly events: LabelledEvent[] }[]>();
  for (const slice of slices) for (const entry of slice.key) append(byValue, valueKey(entry), slice);
  events.forEach((event, index) => {
    for (const binding of bindings[index] ?? [])
      for (const slice of candidates(binding, slices, byValue))
        if ([...binding].every(([name, value]) => slice.key.get(name) === value) && slice.events.at(-1) !== event)
          slice.events.push(event);
  });
  return slices;
}

/** Slices that can contain the binding: those that hold its rarest value; all for an event without any. */
function candidates<T>(binding: Values, all: readonly T[], byValue: ReadonlyMap<string, readonly T[]>): readonly T[] {
  let fewest = all;
  for (const entry of binding) {
    const holding = byValue.get(valueKey(entry)) ?? [];
    if (holding.length < fewest.length) fewest = holding;
  }
  return fewest;
}
