import type { SourcedEvent, TraceEvent } from './types.ts';

/**
 * What a trace proves about its order. The ends of event `e` are numbered `2e` (its send) and `2e + 1` (its receipt); an event
 * that is one instant has one number, `2e`. An end that the trace does not show has no domain, but what is proven through it
 * counts.
 */
export interface ProvenOrder {
  /** How many domains there are. */
  readonly domains: number;
  /** The domain of an end, from 0; -1 where the trace does not show it. */
  domainOf(end: number): number;
  /** The place of an end in one linear extension of everything that is proven, and the end at a place. */
  rankOf(end: number): number;
  endAt(rank: number): number;
  /** The place of an end in its domain, from 0. */
  placeOf(end: number): number;
  /** How many ends of a domain are proven to come before this end, or are this end. */
  seenOf(end: number, domain: number): number;
  /** Is it proven that the first shown end came before the second? */
  isBefore(earlier: number, later: number): boolean;
}

/** `bound`: the proof would need more numbers than that. */
export type Proof =
  | { readonly kind: 'order'; readonly order: ProvenOrder }
  | { readonly kind: 'contradiction'; readonly event: SourcedEvent }
  | { readonly kind: 'bound'; readonly bound: string };

/** Numbers kept for all clocks together: 128 MB. */
export const CLOCK_NUMBERS_MAX = 32_000_000;

/**
 * The order that a trace proves between the ends of its messages (Lamport's happened-before): positions within a domain, a
 * send before its receipt, a reply after its call was received, what was sent while an event was handled after that event
 * was received, and `causes`. Vector clocks, one number for each domain: time and memory grow with events × domains at most.
 */
export function proveOrder(events: readonly SourcedEvent[], numbersMax: number = CLOCK_NUMBERS_MAX): Proof {
  const graph = graphOf(events);
  const sorted = sortEnds(graph, events.length);
  const stuck = sorted.stuck === null ? undefined : events[sorted.stuck >> 1];
  if (stuck !== undefined) return { kind: 'contradiction', event: stuck };
  const clocks = clocksOf(graph, sorted.ends, numbersMax);
  if (clocks === null) return { kind: 'bound', bound: `${numbersMax} numbers for the clocks of its domains` };
  const ranks = new Int32Array(graph.next.length);
  sorted.ends.forEach((end, rank) => (ranks[end] = rank));
  const { domain, place } = graph;
  const domainOf = (end: number): number => domain[end] ?? -1;
  const placeOf = (end: number): number => place[end] ?? 0;
  const seenOf = (end: number, other: number): number =>
    other === domainOf(end) ? placeOf(end) + 1 : (clocks[end]?.[other] ?? 0);
  return {
    kind: 'order',
    order: {
      domains: graph.domains,
      domainOf,
      placeOf,
      rankOf: (end) => ranks[end] ?? 0,
      endAt: (rank) => sorted.ends[rank] ?? 0,
      seenOf,
      isBefore: (earlier, later) => earlier !== later && seenOf(later, domainOf(earlier)) > placeOf(earlier),
    },
  };
}

/** Do the positions of a trace belong to one counter? Then they order everything, and nothing needs proof. */
export function hasOneDomain(events: readonly SourcedEvent[]): boolean {
  const first = events[0]?.event.domain;
  return events.every(({ event }) => event.domain === first && receivedDomainOf(event) === first);
}

/** The domain of the receipt. */
export const receivedDomainOf = ({ domain, receivedSeq, receivedDomain }: TraceEvent): string | undefined =>
  receivedSeq === undefined ? domain : (receivedDomain ?? domain);

/** The end that stands for the send, and the one for the receipt: the same where the event is one instant. */
const sendEnd = (index: number): number => 2 * index;

/** See `sendEnd`. */
export const receiptEnd = (index: number, event: TraceEvent): number => 2 * index + (isInstant(event) ? 0 : 1);

/** The earlier of the ends that the trace shows. */
export const firstShownEnd = (index: number, event: TraceEvent): number =>
  2 * index + (event.receivedSeq === undefined && event.point === 'receive' ? 1 : 0);

const isInstant = ({ receivedSeq, point = 'both' }: TraceEvent): boolean =>
  receivedSeq === undefined && point === 'both';

/**
 * Events in one linear extension of the order of their first shown ends; if there is none, the ends of a circle: each would
 * come before the next, and the last before the first.
 */
export function sortByProof(
  events: readonly SourcedEvent[],
): { readonly sorted: readonly SourcedEvent[] } | { readonly circle: readonly number[] } {
  const graph = graphOf(events);
  const { ends, stuck } = sortEnds(graph, events.length);
  if (stuck !== null) return { circle: circleBefore(graph, ends, stuck) };
  const sorted: SourcedEvent[] = [];
  for (const end of ends) {
    const sourced = events[end >> 1];
    if (sourced !== undefined && end === firstShownEnd(end >> 1, sourced.event)) sorted.push(sourced);
  }
  return { sorted };
}

interface Graph {
  readonly domains: number;
  /** Of each event: 1 if it is one instant, so that it has no end of its own for its receipt. */
  readonly instant: Uint8Array;
  /** Of each event: the earlier of its ends that are shown. */
  readonly firstShown: Int32Array;
  readonly domain: Int32Array;
  readonly place: Int32Array;
  /** The next end of the same domain; -1: none. The one before it likewise. */
  readonly next: Int32Array;
  readonly previous: Int32Array;
  /** By name: ends proven to come before an end, and after it. */
  readonly before: ReadonlyMap<number, readonly number[]>;
  readonly after: ReadonlyMap<number, readonly number[]>;
}

interface Position {
  readonly end: number;
  readonly seq: number;
  /** Where two ends share a position: receipts first, in the order of what was sent. */
  readonly tie: number;
}

function graphOf(events: readonly SourcedEvent[]): Graph {
  const size = 2 * events.length;
  const graph = {
    instant: Uint8Array.from(events, ({ event }) => (isInstant(event) ? 1 : 0)),
    firstShown: Int32Array.from(events, ({ event }, index) => firstShownEnd(index, event)),
    domain: new Int32Array(size).fill(-1),
    place: new Int32Array(size),
    next: new Int32Array(size).fill(-1),
    previous: new Int32Array(size).fill(-1),
    before: new Map<number, number[]>(),
    after: new Map<number, number[]>(),
  };
  const domains = [...positionsByDomain(events).values()];
  domains.forEach((positions, number) => {
    positions.sort((a, b) => a.seq - b.seq || a.tie - b.tie);
    positions.forEach(({ end }, place) => {
      const earlier = positions[place - 1]?.end ?? -1;
      graph.domain[end] = number;
      graph.place[end] = place;
      graph.previous[end] = earlier;
      if (earlier >= 0) graph.next[earlier] = end;
    });
  });
  const relate = (earlier: number, later: number): void => {
    append(graph.before, later, earlier);
    append(graph.after, earlier, later);
  };
  const byId = new Map<string, number>();
  events.forEach(({ event: { id } }, index) => {
    if (id !== undefined && !byId.has(id)) byId.set(id, index);
  });
  events.forEach(({ event }, index) => {
    for (const earlier of endsBefore(event, events, byId)) relate(earlier, sendEnd(index));
  });
  return { ...graph, domains: domains.length };
}

function positionsByDomain(events: readonly SourcedEvent[]): ReadonlyMap<string, Position[]> {
  const positions = new Map<string, Position[]>();
  events.forEach(({ event }, index) => {
    const { domain = '', seq, receivedSeq } = event;
    append(positions, domain, { end: firstShownEnd(index, event), seq, tie: 1 });
    if (receivedSeq === undefined) return;
    append(positions, receivedDomainOf(event) ?? '', { end: receiptEnd(index, event), seq: receivedSeq, tie: 0 });
  });
  return positions;
}

function append<K, T>(lists: Map<K, T[]>, key: K, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

/** The ends of other events that are proven, by name, to come before the send of this one. */
function endsBefore(
  { from, replyTo, parent, causes }: TraceEvent,
  events: readonly SourcedEvent[],
  byId: ReadonlyMap<string, number>,
): readonly number[] {
  if (replyTo === undefined && parent === undefined && causes === undefined) return NO_ENDS;
  const found: number[] = [];
  const add = (id: string, endOf: (index: number, event: TraceEvent) => number): void => {
    const index = byId.get(id);
    const event = index === undefined ? undefined : events[index]?.event;
    if (index !== undefined && event !== undefined) found.push(endOf(index, event));
  };
  if (replyTo !== undefined) add(replyTo, lastEnd);
  if (parent !== undefined) add(parent, lastEnd);
  // A cause may be another message of the same sender, which is under way still: only who received it knows of the receipt.
  for (const cause of causes ?? [])
    add(cause, (index, event) => (event.to === from ? lastEnd : firstShownEnd)(index, event));
  return found;
}

const NO_ENDS: readonly number[] = [];

/** What is lost is never received. */
const lastEnd = (index: number, event: TraceEvent): number =>
  event.kind === 'lost' ? firstShownEnd(index, event) : receiptEnd(index, event);

/**
 * Kahn's topological sort, which always takes the first event read among those that are free, so it moves as little as
 * possible; receipts as early as they can be. `stuck`: an end that would have to come before itself.
 */
function sortEnds(graph: Graph, events: number): { readonly ends: readonly number[]; readonly stuck: number | null } {
  const { next, previous, before, after, instant, firstShown } = graph;
  const size = 2 * events;
  const waiting = new Int32Array(size);
  const free = createMinHeap();
  // A receipt behind its send, shown or not, places no event: it only frees others.
  const priorityOf = (end: number): number => (isReceipt(end) && firstShown[end >> 1] !== end ? end - size : end);
  const endOf = (priority: number): number => (priority < 0 ? priority + size : priority);
  const hasOwnReceipt = (end: number): boolean => instant[end >> 1] === 0;
  let count = 0;
  for (let end = 0; end < size; end++) {
    if (isReceipt(end) && !hasOwnReceipt(end)) continue;
    count++;
    waiting[end] = (previous[end] === -1 ? 0 : 1) + (before.get(end)?.length ?? 0) + (isReceipt(end) ? 1 : 0);
    if (waiting[end] === 0) free.push(priorityOf(end));
  }
  const ends: number[] = [];
  const release = (end: number): void => {
    waiting[end] = (waiting[end] ?? 0) - 1;
    if (waiting[end] === 0) free.push(priorityOf(end));
  };
  for (let priority = free.pop(); priority !== undefined; priority = free.pop()) {
    const end = endOf(priority);
    ends.push(end);
    const follower = next[end] ?? -1;
    if (follower !== -1) release(follower);
    if (!isReceipt(end) && hasOwnReceipt(end)) release(end + 1);
    for (const later of after.get(end) ?? NO_ENDS) release(later);
  }
  return { ends, stuck: ends.length === count ? null : waiting.findIndex((left) => left > 0) };
}

/** Goes back from an end that could not be sorted through others that could not, until one is met again. */
function circleBefore(
  { previous, before, instant }: Graph,
  sorted: readonly number[],
  stuck: number,
): readonly number[] {
  const isSorted = new Uint8Array(previous.length);
  for (const end of sorted) isSorted[end] = 1;
  const path: number[] = [];
  const places = new Map<number, number>();
  for (let end = stuck; ;) {
    const met = places.get(end);
    if (met !== undefined) return path.slice(met).reverse();
    places.set(end, path.push(end) - 1);
    const own = isReceipt(end) && instant[end >> 1] === 0 ? end - 1 : -1;
    const causes = [...(before.get(end) ?? NO_ENDS), own, previous[end] ?? -1];
    const cause = causes.find((one) => one !== -1 && isSorted[one] === 0);
    if (cause === undefined) throw new Error('an end could not be sorted, and yet all ends before it could');
    end = cause;
  }
}

export const isReceipt = (end: number): boolean => (end & 1) === 1;

/**
 * For each end, how many ends of every other domain come before it. An end that nothing but its own domain orders shares the
 * numbers of the one before it. Null: more numbers than allowed.
 */
function clocksOf(graph: Graph, ends: readonly number[], numbersMax: number): (Int32Array | undefined)[] | null {
  const { domains, domain, place, previous, before, instant } = graph;
  const clocks: (Int32Array | undefined)[] = [];
  let numbers = 0;
  for (const end of ends) {
    const earlier = previous[end] ?? -1;
    let clock = earlier === -1 ? undefined : clocks[earlier];
    let isOwn = false;
    const raise = (other: number, seen: number): void => {
      if (other === domain[end] || seen <= (clock?.[other] ?? 0)) return;
      if (!isOwn) {
        clock = clock === undefined ? new Int32Array(domains) : clock.slice();
        numbers += domains;
        isOwn = true;
      }
      if (clock !== undefined) clock[other] = seen;
    };
    const causes = before.get(end) ?? NO_ENDS;
    for (const cause of isReceipt(end) && instant[end >> 1] === 0 ? [...causes, end - 1] : causes) {
      const other = domain[cause] ?? -1;
      if (other !== -1) raise(other, (place[cause] ?? 0) + 1);
      clocks[cause]?.forEach((seen, index) => {
        if (index !== other) raise(index, seen);
      });
    }
    if (numbers > numbersMax) return null;
    clocks[end] = clock;
  }
  return clocks;
}

interface MinHeap {
  push(value: number): void;
  pop(): number | undefined;
}

/** A binary heap of numbers, smallest first. */
function createMinHeap(): MinHeap {
  const heap: number[] = [];
  const at = (index: number): number => heap[index] ?? Number.POSITIVE_INFINITY;
  const swap = (a: number, b: number): void => {
    const kept = at(a);
    heap[a] = at(b);
    heap[b] = kept;
  };
  return {
    push(value) {
      let index = heap.push(value) - 1;
      for (let parent = (index - 1) >> 1; index > 0 && at(parent) > at(index); parent = (index - 1) >> 1) {
        swap(parent, index);
        index = parent;
      }
    },
    pop() {
      const smallest = heap[0];
      const last = heap.pop();
      if (last === undefined || heap.length === 0) return smallest;
      heap[0] = last;
      for (let index = 0; ;) {
        const left = 2 * index + 1;
        const child = at(left + 1) < at(left) ? left + 1 : left;
        if (at(child) >= at(index)) return smallest;
        swap(index, child);
        index = child;
      }
    },
  };
}
