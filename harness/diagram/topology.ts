import type { Diagram, Participant, Topology } from './types.ts';

/** How a drawing and the topology of its document disagree. */
export type TopologyFinding =
  /** `message` indexes `Diagram.messages`: its ends are services that nothing connects. */
  | { readonly kind: 'no-such-connection'; readonly message: number; readonly from: string; readonly to: string }
  /** Takes part in messages, but is no service of the topology, which then says nothing of it. */
  | { readonly kind: 'no-such-service'; readonly participant: string };

/** Names are compared without case, blanks and punctuation, as a reader does. */
const fold = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/**
 * What a diagram draws that its topology does not allow, in drawn order; empty without a topology. A participant is the service
 * that has its id or label as id or label. A message to oneself needs no connection, nor does one from or to somebody outside.
 */
export function checkTopology(diagram: Diagram): readonly TopologyFinding[] {
  const { topology, participants, messages } = diagram;
  if (topology === undefined) return [];
  const serviceOf = servicesOf(participants, topology);
  const connected = connectionsOf(topology);
  const found: TopologyFinding[] = [];
  const strangers = new Set<string>();
  for (const [message, { from, to }] of messages.entries()) {
    if (from === null || to === null) continue;
    for (const participant of [from, to]) {
      if (serviceOf.has(participant) || strangers.has(participant)) continue;
      strangers.add(participant);
      found.push({ kind: 'no-such-service', participant });
    }
    const sender = serviceOf.get(from);
    const receiver = serviceOf.get(to);
    if (sender === undefined || receiver === undefined || sender === receiver) continue;
    if (connected.get(sender)?.has(receiver) !== true) found.push({ kind: 'no-such-connection', message, from, to });
  }
  return found;
}

/**
 * The pairs of participants that a topology connects, as ids, each pair once; null if there is no topology. Pairs with a
 * participant that is no service are among them: the topology does not forbid what it does not know.
 */
export function connectedParticipants(diagram: Diagram): readonly (readonly [string, string])[] | null {
  const { topology, participants } = diagram;
  if (topology === undefined) return null;
  const serviceOf = servicesOf(participants, topology);
  const connected = connectionsOf(topology);
  const ids = participants.map(({ id }) => id);
  return ids.flatMap((one, index) =>
    ids.slice(index + 1).flatMap((other): readonly (readonly [string, string])[] => {
      const service = serviceOf.get(one);
      const peer = serviceOf.get(other);
      const free = service === undefined || peer === undefined || service === peer;
      return free || connected.get(service)?.has(peer) === true ? [[one, other]] : [];
    }),
  );
}

function servicesOf(participants: readonly Participant[], { services }: Topology): ReadonlyMap<string, string> {
  const byName = new Map<string, string>();
  // An id counts before a label: two services may be shown under one label.
  for (const { id, label } of services) if (!byName.has(fold(label))) byName.set(fold(label), id);
  for (const { id } of services) byName.set(fold(id), id);
  const found = new Map<string, string>();
  for (const { id, label } of participants) {
    const service = byName.get(fold(id)) ?? byName.get(fold(label));
    if (service !== undefined) found.set(id, service);
  }
  return found;
}

function connectionsOf({ connections }: Topology): ReadonlyMap<string, ReadonlySet<string>> {
  const connected = new Map<string, Set<string>>();
  const add = (one: string, other: string): void => {
    connected.set(one, (connected.get(one) ?? new Set()).add(other));
  };
  for (const [one, other] of connections) {
    add(one, other);
    add(other, one);
  }
  return connected;
}
