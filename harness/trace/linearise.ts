import { contradictionFinding } from './contradiction.ts';
import type { Findings } from './findings.ts';
import { hasOneDomain, sortByProof } from './proven-order.ts';
import type { SourcedEvent } from './types.ts';

/**
 * Puts the events into one linear extension of what the trace says about their order: positions within each domain, and
 * the edges `replyTo`, `parent` and `causes` everywhere. Clocks are never asked. Events that nothing relates stay in the order
 * in which they were read; a trace that is in order already comes back as it is. What was proven and what only was read so,
 * `proveOrder` finds again from the events: this order hides nothing.
 */
export function linearise(events: readonly SourcedEvent[], findings: Findings): readonly SourcedEvent[] {
  const sorted = sortWithinDomains(events, findings);
  return isLinear(sorted, findings) ? sorted : sortAlongEdges(sorted, findings);
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
 * Whether every edge already points backwards, found in the one pass that most traces need: an edge to an id that was not
 * there yet either leaves the trace or points forwards, which the end of the pass tells. Receipts in other domains relate
 * events that no edge relates.
 */
function isLinear(events: readonly SourcedEvent[], findings: Findings): boolean {
  const byId = new Map<string, SourcedEvent>();
  const unresolved = new Set<string>();
  for (const sourced of events) {
    for (const id of edgesOf(sourced)) if (!byId.has(id)) unresolved.add(id);
    const { id } = sourced.event;
    if (id === undefined) continue;
    const earlier = byId.get(id);
    if (earlier === undefined) byId.set(id, sourced);
    else tellDuplicateId(id, sourced, earlier, findings);
  }
  if ([...unresolved].some((id) => byId.has(id))) return false;
  return !events.some(({ event }) => event.receivedSeq !== undefined) || hasOneDomain(events);
}

function tellDuplicateId(id: string, { line }: SourcedEvent, first: SourcedEvent, findings: Findings): void {
  findings.add({
    code: 'TRC106',
    message: `the id ${JSON.stringify(id)} is used twice, first in line ${first.line}`,
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

function sortAlongEdges(events: readonly SourcedEvent[], findings: Findings): readonly SourcedEvent[] {
  const result = sortByProof(events);
  if ('sorted' in result) return result.sorted;
  findings.add(contradictionFinding(events, result.circle));
  return events;
}
