import { mistypedFrom } from '../contract/index.ts';
import { receivedDomainOf, type SourcedEvent } from '../trace/index.ts';

/** Remarks that are told; values that are compared with others, letter by letter. */
const TOLD_MAX = 10;
const COMPARED_MAX = 100;

/** How often a trace names a domain, and where it does first. */
interface Named {
  sent: number;
  received: number;
  readonly first: SourcedEvent;
  /** Who was there first. */
  readonly participant: string;
}

/** What a trace says of its domains. */
interface Domains {
  readonly named: ReadonlyMap<string, Named>;
  /** By participant, the first two in which it is. */
  readonly homes: ReadonlyMap<string, readonly string[]>;
}

/**
 * Domains that are likely slips of the pen: what one event alone names is ordered with nothing, and so is a receipt in a domain
 * of which nothing is sent. A process may be like that, so where all is well only those are told that seem to mean another.
 */
export function loneDomains(events: readonly SourcedEvent[], isWell: boolean): readonly string[] {
  const domains = domainsOf(events);
  const remarks = [...domains.named]
    .filter(([, { sent, received }]) => sent + received === 1 || sent === 0)
    .slice(0, COMPARED_MAX)
    .flatMap(([name, own]) => {
      const isLone = own.sent + own.received === 1;
      const meant = meantDomain(domains, name, own);
      if (meant === null && (isWell || !isLone || own.sent > 0)) return [];
      const field = own.sent > 0 ? 'domain' : 'receivedDomain';
      const fact = isLone ? 'is named nowhere else in this trace' : 'is the domain of no event';
      const { source, line } = own.first;
      return [`${field} ${JSON.stringify(name)} (${source}:${line}) ${fact}${meant === null ? '' : `; ${meant}`}`];
    });
  const more = remarks.length - TOLD_MAX;
  return more <= 0 ? remarks : [...remarks.slice(0, TOLD_MAX), `and ${more} more like these`];
}

/** The one that is written much like it; else, of a receipt, the only other one of the participant. */
function meantDomain({ named, homes }: Domains, name: string, own: Named): string | null {
  const count = ({ sent, received }: Named): number => (own.sent > 0 ? sent + received : sent);
  const near = mistypedFrom(
    name,
    [...named].flatMap(([other, found]) =>
      other !== name && count(found) > own.sent && !areReplicas(name, other) ? [other] : [],
    ),
  );
  if (near !== undefined) return `did you mean ${JSON.stringify(near)}?`;
  const { participant, sent, received } = own;
  const [home, another] = (homes.get(participant) ?? []).filter((other) => other !== name);
  if (sent > 0 || received > 1 || home === undefined || another !== undefined) return null;
  return `${participant} is in ${JSON.stringify(home)} elsewhere`;
}

/** Names that differ in their numbers. */
function areReplicas(one: string, other: string): boolean {
  const withoutNumbers = (name: string): string => name.replace(/\d+/gu, '');
  return withoutNumbers(one) === withoutNumbers(other);
}

/** Domains of one participant that are looked at: its own, and two others. */
const HOMES_MAX = 3;

function domainsOf(events: readonly SourcedEvent[]): Domains {
  const named = new Map<string, Named>();
  const homes = new Map<string, string[]>();
  const note = (domain: string, participant: string, first: SourcedEvent): Named => {
    let known = named.get(domain);
    if (known === undefined) named.set(domain, (known = { sent: 0, received: 0, first, participant }));
    const own = homes.get(participant);
    if (own === undefined) homes.set(participant, [domain]);
    else if (own.length < HOMES_MAX && !own.includes(domain)) own.push(domain);
    return known;
  };
  for (const sourced of events) {
    const { domain, receivedSeq, from, to, point } = sourced.event;
    if (domain !== undefined) note(domain, point === 'receive' ? to : from, sourced).sent++;
    const received = receivedSeq === undefined ? undefined : receivedDomainOf(sourced.event);
    if (received !== undefined) note(received, to, sourced).received++;
  }
  return { named, homes };
}
