import type { Contract } from '../contract/index.ts';
import { hasOneDomain, proveOrder, type ProvenOrder, type SourcedEvent } from '../trace/index.ts';
import { worstOf, type Excerpt, type InstanceVerdict, type Outcome } from '../verdict/index.ts';
import { candidatesOfEvent } from './candidates.ts';
import { nameArrow } from './describe.ts';
import type { Label, LabelledEvent } from './labels.ts';
import { unprovenStanding, unprovenWatch } from './partial-order-beside.ts';
import { mayBelongTo, unprovenLabels, type UnprovenLabel } from './partial-order-labels.ts';
import { PartialOrder, unorderedNeighbours } from './partial-order-letters.ts';
import { endingsOf, type Extension } from './partial-order-search.ts';
import type { Setting } from './partial-order-steps.ts';
import { quote } from './quote.ts';
import { candidatesOf, occurrencesOf, type Letter, type Machine } from './run.ts';
import type { Slice } from './slices.ts';

/** States of the search through the orders of one instance. */
export const PARTIAL_ORDER_STATES_MAX = 50_000;

/** What a trace of several domains proves about its order. */
export interface TraceOrder {
  readonly proven: ProvenOrder;
  readonly statesMax: number;
  /** Events of which nothing proves what they are. */
  readonly unprovenLabels: readonly UnprovenLabel[];
  readonly labels: readonly Label[];
}

/** Why an instance cannot be judged, and the events that nothing orders, as far as two of them decide. */
export interface OpenOrder {
  readonly reason: string;
  readonly events: readonly LabelledEvent[];
}

/** Null: one domain orders all. Text: why the order is not known. */
export function orderOfTrace(events: readonly SourcedEvent[]): ProvenOrder | string | null {
  let known = knownOrders.get(events);
  if (known === undefined) knownOrders.set(events, (known = findOrder(events)));
  return known;
}

/** One trace is checked against many contracts. */
const knownOrders = new WeakMap<readonly SourcedEvent[], ProvenOrder | string | null>();

function findOrder(events: readonly SourcedEvent[]): ProvenOrder | string | null {
  if (hasOneDomain(events)) return null;
  const proof = proveOrder(events);
  switch (proof.kind) {
    case 'order':
      return proof.order;
    case 'bound':
      return `bound met: ${proof.bound}`;
    case 'contradiction':
      return `the trace contradicts itself: ${placeOf(proof.event)} would have to happen before itself`;
  }
}

/** What a trace order says of a contract's events; `labels`: what each event of the trace can be. */
export function traceOrder(
  contract: Contract,
  events: readonly SourcedEvent[],
  {
    proven,
    labels,
    statesMax = PARTIAL_ORDER_STATES_MAX,
  }: Pick<TraceOrder, 'proven' | 'labels'> & { readonly statesMax: number | undefined },
): TraceOrder {
  return { proven, statesMax, labels, unprovenLabels: unprovenLabels(contract, events, labels, proven) };
}

/** One instance, its letters in one order that the trace allows. */
export interface PartlyOrdered extends Setting {
  readonly slice: Slice;
  readonly letters: readonly Letter[];
  readonly standing: ReadonlyMap<number, readonly number[]>;
  readonly order: TraceOrder;
  /** How the instance is judged if its letters come in this order. */
  readonly judge: (letters: readonly Letter[]) => readonly InstanceVerdict[];
}

/**
 * Is an instance judged alike in every order that the trace allows? Null: it is, so any of them shows its verdict. Else what
 * the trace leaves open. Throws `BoundMet`.
 */
export function openOrder(instance: PartlyOrdered): OpenOrder | null {
  return openLabel(instance) ?? openStanding(instance) ?? openEvents(instance);
}

/** The verdict on an instance whose order the trace leaves open; what it took, by one of the orders. */
export function undecided(instance: PartlyOrdered, { reason, events }: OpenOrder): InstanceVerdict {
  const { slice, letters, judge } = instance;
  const verdicts = judge(letters);
  const taken: Record<number, number> = {};
  for (const verdict of verdicts)
    for (const [arrow, count] of Object.entries(verdict.taken))
      taken[Number(arrow)] = (taken[Number(arrow)] ?? 0) + count;
  return {
    key: Object.fromEntries(slice.key),
    run: 1,
    outcome: 'inconclusive',
    reason,
    events: verdicts.reduce((sum, verdict) => sum + verdict.events, 0),
    violations: [],
    expected: [],
    excerpt: excerptAround(instance, events),
    taken,
  };
}

/** Events before and after those that nothing orders, which a verdict quotes. */
const EXCERPT_EACH_SIDE = 5;

function excerptAround({ slice, machine }: PartlyOrdered, events: readonly LabelledEvent[]): Excerpt[] {
  const places = events.map((event) => slice.events.findIndex(({ index }) => index === event.index));
  const last = slice.events.length - 1;
  const wanted = new Set(
    (places.length === 0 ? [last] : places).flatMap((place) =>
      Array.from({ length: 2 * EXCERPT_EACH_SIDE + 1 }, (_, offset) => place - EXCERPT_EACH_SIDE + offset),
    ),
  );
  return slice.events
    .filter((_, place) => wanted.has(place))
    .map((labelled) => {
      const message = candidatesOfEvent(labelled)[0];
      const arrow = message === undefined ? null : (machine.contract.messages[message]?.drawn ?? null);
      return { event: quote(labelled.sourced), arrow, violating: false };
    });
}

function openLabel({ slice, order }: PartlyOrdered): OpenOrder | null {
  const unproven = order.unprovenLabels.find(
    (one) => one.isOutside || mayBelongTo(one, order.labels[one.index], slice),
  );
  if (unproven === undefined) return null;
  const events = slice.events.filter(({ index }) => index === unproven.index);
  return { reason: `${placeOf(unproven.sourced)} "${unproven.sourced.event.label}": ${unproven.why}`, events };
}

function openStanding({ machine, letters, standing, order }: PartlyOrdered): OpenOrder | null {
  const { contract, bases } = machine;
  const open = unprovenStanding(contract, standing, { order: order.proven, letters, bases });
  if (open === null) return null;
  const arrow = nameArrow(contract.drawn, contract.messages[open.message]?.drawn ?? null);
  const reason = `nothing orders ${arrow} and ${nameOf(machine, open.letter)}, which relies on it`;
  return { reason, events: [open.letter.labelled] };
}

function openEvents(instance: PartlyOrdered): OpenOrder | null {
  const { machine, letters, order } = instance;
  if (unorderedNeighbours(order.proven, letters) === null) return null;
  const { found, hasRuns } = endingsOf(instance, new PartialOrder(letters, order.proven), order.statesMax);
  const [first, second] = found;
  if (first !== undefined && second !== undefined) return openPair(instance, first, second);
  if (first?.ending === 'violates' || machine.watch === null) return null;
  const watched = hasRuns
    ? { asks: 'it may go through the drawing more than once', neighbours: unorderedNeighbours(order.proven, letters) }
    : unprovenWatch(machine, order.proven, letters);
  if (watched === null) return null;
  const [one, other] = watched.neighbours ?? [];
  if (one === undefined || other === undefined)
    return { reason: `nothing orders its events, and ${watched.asks}`, events: [] };
  return {
    reason: `nothing orders ${nameOf(machine, one)} and ${nameOf(machine, other)}, and ${watched.asks}`,
    events: [one.labelled, other.labelled],
  };
}

/** Two neighbours, and whether the better verdict is that of the order in which they stand here. */
interface Pair {
  readonly first: Letter;
  readonly second: Letter;
  readonly outcome: Outcome;
}

function openPair(instance: PartlyOrdered, one: Extension, other: Extension): OpenOrder {
  const pair = decidingPair(instance, one.letters, other.letters);
  if (pair === null) return { reason: 'nothing orders its events, and the verdict depends on their order', events: [] };
  const { machine } = instance;
  const [first, second] = namesOf(machine, pair);
  const why =
    pair.outcome === 'conforms' || pair.outcome === 'incomplete'
      ? 'the drawing wants them in this order'
      : 'the verdict depends on it';
  return {
    reason: `nothing orders ${first} and ${second}: ${why}`,
    events: [pair.first.labelled, pair.second.labelled],
  };
}

/**
 * From one order to another by swapping neighbours that nothing orders, each step an order that the trace allows: where the
 * verdict changes, these two neighbours decide it. Found by halving: first how many letters are brought forward, then how far
 * the next one is. Null: seen whole, both orders have the same verdict.
 */
function decidingPair(instance: PartlyOrdered, from: readonly number[], to: readonly number[]): Pair | null {
  const outcomeOf = (order: readonly number[]): Outcome => judgeIn(instance, order);
  const start = outcomeOf(from);
  if (start === outcomeOf(to)) return null;
  const broughtForward = (count: number): number[] => {
    const ahead = new Set(to.slice(0, count));
    return [...ahead, ...from.filter((letter) => !ahead.has(letter))];
  };
  const changed = firstWhere(to.length, (count) => outcomeOf(broughtForward(count)) !== start);
  const order = broughtForward(changed - 1);
  const letter = to[changed - 1] ?? 0;
  const place = order.indexOf(letter);
  const moved = (steps: number): number[] => {
    const rest = order.filter((other) => other !== letter);
    return rest.toSpliced(place - steps, 0, letter);
  };
  const steps = firstWhere(place - changed + 1, (count) => outcomeOf(moved(count)) !== start);
  const [before, after] = [moved(steps - 1), moved(steps)];
  const [worse, better] = [outcomeOf(before), outcomeOf(after)];
  const isAfterBetter = rankOf(better) < rankOf(worse);
  const neighbour = after[place - steps + 1] ?? 0;
  const [first, second] = isAfterBetter ? [letter, neighbour] : [neighbour, letter];
  const { letters } = instance;
  const [a, b] = [letters[first], letters[second]];
  if (a === undefined || b === undefined) return null;
  return { first: a, second: b, outcome: isAfterBetter ? better : worse };
}

const BEST_FIRST: readonly Outcome[] = ['conforms', 'incomplete', 'inconclusive', 'vacuous', 'violates'];
const rankOf = (outcome: Outcome): number => BEST_FIRST.indexOf(outcome);

/** The least number from 1 to `max` of which something holds, if it holds of `max`, and changes once or an odd number of times. */
function firstWhere(max: number, holds: (count: number) => boolean): number {
  let [low, high] = [0, max];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** The letters take over the positions of one another: the judge asks only which come first. */
function judgeIn({ letters, judge }: PartlyOrdered, order: readonly number[]): Outcome {
  const positions = letters.map(({ position }) => position);
  const moved = order.flatMap((index, place): Letter[] => {
    const letter = letters[index];
    return letter === undefined ? [] : [{ ...letter, position: positions[place] ?? 0 }];
  });
  return worstOf(judge(moved).map(({ outcome }) => outcome));
}

/** Where events can be several arrows, those are named that the drawing orders. */
function namesOf(machine: Machine, { first, second }: Pair): readonly [string, string] {
  const { contract, deriver, terms } = machine;
  for (const one of candidatesOf(first))
    for (const other of candidatesOf(second)) {
      const isOrdered = occurrencesOf(other, second.end).some((later) =>
        occurrencesOf(one, first.end).some((earlier) => terms.sets.has(deriver.before(contract.order, later), earlier)),
      );
      if (isOrdered && one < other) return [nameOf(machine, first, one), nameOf(machine, second, other)];
    }
  return [nameOf(machine, first), nameOf(machine, second)];
}

/** `the receipt of "bind pod" (diagram.mmd:4) in trace.ndjson:7`. */
function nameOf({ contract }: Machine, { labelled, end }: Letter, message = candidatesOfEvent(labelled)[0]): string {
  const { event } = labelled.sourced;
  const name =
    message === undefined
      ? `${event.from} -> ${event.to}: ${event.label}`
      : nameArrow(contract.drawn, contract.messages[message]?.drawn ?? null);
  const which = end === 'receive' ? 'the receipt of ' : end === 'send' ? 'the sending of ' : '';
  return `${which}${name} in ${placeOf(labelled.sourced)}`;
}

const placeOf = ({ source, line }: SourcedEvent): string => `${source}:${line}`;
