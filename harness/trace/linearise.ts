import type { Findings } from './findings.ts';
import type { SourcedEvent } from './types.ts';

/**
 * Puts the events into one linear extension of what the trace says about their order: `seq` within each domain, and the
 * edges `replyTo`, `parent` and `causes` everywhere. Clocks are never asked. Events that nothing relates stay in the order
 * in which they were read; a trace that is in order already comes back as it is.
 */
export function linearise(events: readonly SourcedEvent[], findings: Findings): readonly SourcedEvent[] {
  const sorted = sortWithinDomains(events, findings);
  const { byId, isLinear } = indexById(sorted, findings);
  return isLinear ? sorted : sortAlongEdges(sorted, byId, findings);
}

const domainOf = ({ event }: SourcedEvent): string => event.domain ?? '';

/** The events of a domain share out the places that this domain has in the trace; other domains keep theirs. */
function sortWithinDomains(events: readonly SourcedEvent[], findings: Findings): readonly SourcedEvent[] {
  const places = unsortedDomains(events);
  if (places.size === 0) return events;
  const sorted = [...events];
  for (const [domain, slots] of places) {
    const own = slots.flatMap((slot) => events[slot] ?? []).sort((a, b) => a.event.seq - b.event.seq);
    tellOutOfOrder(
      domain,
      slots.flatMap((slot) => events[slot] ?? []),
      findings,
    );
    own.forEach((event, index) => {
      const slot = slots[index];
      if (slot !== undefined) sorted[slot] = event;
    });
  }
  return sorted;
}

/** For each domain whose `seq` does not increase strictly: where its events stand in the trace. */
function unsortedDomains(events: readonly SourcedEvent[]): ReadonlyMap<string, readonly number[]> {
  const last = new Map<string, number>();
  const places = new Map<string, number[]>();
  for (const sourced of events) {
    const domain = domainOf(sourced);
    const { seq } = sourced.event;
    if (seq <= (last.get(domain) ?? -1)) places.set(domain, []);
    last.set(domain, seq);
  }
  if (places.size > 0) events.forEach((sourced, index) => places.get(domainOf(sourced))?.push(index));
  return places;
}

function tellOutOfOrder(domain: string, events: readonly SourcedEvent[], findings: Findings): void {
  const where = domain === '' ? '' : ` of the domain "${domain}"`;
  const lines = new Map<number, number>();
  let highest = -1;
  let behind: SourcedEvent | null = null;
  for (const sourced of events) {
    const { seq } = sourced.event;
    const earlier = lines.get(seq);
    if (earlier === undefined) lines.set(seq, sourced.line);
    else {
      findings.add({
        code: 'TRC107',
        message: `seq ${seq}${where} is used twice, first in line ${earlier}`,
        hint: 'a seq is used once; counters of several processes need a "domain" each',
        line: sourced.line,
      });
    }
    if (seq < highest) behind ??= sourced;
    highest = Math.max(highest, seq);
  }
  if (behind === null) return;
  findings.add({
    code: 'TRC108',
    severity: 'warning',
    message: `events${where} are not in the order of their seq (here ${behind.event.seq}); they were sorted by it`,
    hint: 'write events in the order of seq; counters of several processes need a "domain" each',
    line: behind.line,
  });
}

/**
 * Where each id stands, and whether every edge already points backwards, found in the one pass that most traces need: an
 * edge to an id that was not there yet either leaves the trace or points forwards, which the end of the pass tells.
 */
function indexById(
  events: readonly SourcedEvent[],
  findings: Findings,
): { readonly byId: ReadonlyMap<string, number>; readonly isLinear: boolean } {
  const byId = new Map<string, number>();
  const unresolved = new Set<string>();
  for (const [index, sourced] of events.entries()) {
    for (const id of edgesOf(sourced)) if (!byId.has(id)) unresolved.add(id);
    const { id } = sourced.event;
    if (id === undefined) continue;
    const earlier = byId.get(id);
    if (earlier === undefined) byId.set(id, index);
    else tellDuplicateId(id, sourced, events[earlier], findings);
  }
  return { byId, isLinear: ![...unresolved].some((id) => byId.has(id)) };
}

function tellDuplicateId(
  id: string,
  { line }: SourcedEvent,
  first: SourcedEvent | undefined,
  findings: Findings,
): void {
  findings.add({
    code: 'TRC106',
    message: `the id ${JSON.stringify(id)} is used twice, first in line ${first?.line ?? line}`,
    hint: 'an id names one event; a reply has an id of its own, or none, and names its call in replyTo',
    line,
  });
}

/** The ids of the events that happened before one. */
function edgesOf({ event: { replyTo, parent, causes } }: SourcedEvent): readonly string[] {
  if (replyTo === undefined && parent === undefined) return causes ?? NO_EDGES;
  return [
    ...(replyTo === undefined ? [] : [replyTo]),
    ...(parent === undefined ? [] : [parent]),
    ...(causes ?? NO_EDGES),
  ];
}

const NO_EDGES: readonly string[] = [];

/**
 * Kahn's topological sort that always takes the first event read among those that are free, so it moves as little as
 * possible. Work and memory grow with events and edges, times log for the heap.
 */
function sortAlongEdges(
  events: readonly SourcedEvent[],
  byId: ReadonlyMap<string, number>,
  findings: Findings,
): readonly SourcedEvent[] {
  const { followers, waiting } = orderGraph(events, byId);
  const free = createMinHeap();
  waiting.forEach((count, index) => {
    if (count === 0) free.push(index);
  });
  const sorted: SourcedEvent[] = [];
  for (let index = free.pop(); index !== undefined; index = free.pop()) {
    const sourced = events[index];
    if (sourced !== undefined) sorted.push(sourced);
    for (const follower of followers[index] ?? []) {
      const left = (waiting[follower] ?? 0) - 1;
      waiting[follower] = left;
      if (left === 0) free.push(follower);
    }
  }
  if (sorted.length === events.length) return sorted;
  tellCycle(events, waiting, findings);
  return events;
}

function orderGraph(
  events: readonly SourcedEvent[],
  byId: ReadonlyMap<string, number>,
): { readonly followers: readonly number[][]; readonly waiting: number[] } {
  const followers: number[][] = events.map(() => []);
  const waiting: number[] = events.map(() => 0);
  const lastOfDomain = new Map<string, number>();
  for (const [index, sourced] of events.entries()) {
    const before = new Set(edgesOf(sourced).flatMap((id) => byId.get(id) ?? []));
    const last = lastOfDomain.get(domainOf(sourced));
    if (last !== undefined) before.add(last);
    for (const earlier of before) followers[earlier]?.push(index);
    waiting[index] = before.size;
    lastOfDomain.set(domainOf(sourced), index);
  }
  return { followers, waiting };
}

function tellCycle(events: readonly SourcedEvent[], waiting: readonly number[], findings: Findings): void {
  const first = events[waiting.findIndex((count) => count > 0)];
  if (first === undefined) return;
  findings.add({
    code: 'TRC114',
    message: `the event of seq ${first.event.seq} would have to happen before itself`,
    hint: 'seq of its domain, replyTo, parent and causes contradict each other: a cause has the lower seq',
    line: first.line,
  });
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
