import { foldName, mistypedFrom } from '../contract/index.ts';
import type { SourcedEvent, TraceEvent } from '../trace/index.ts';

/** Events in which names are gathered for suggestions, and how many: a suggestion is a courtesy. */
const GATHERED_EVENTS_MAX = 10_000;
const GATHERED_NAMES_MAX = 1_000;
/** Spellings of participants that are folded once; of a trace with more, each is folded whenever it comes. */
const SPELLINGS_MAX = 10_000;

const FIELDS: ReadonlyMap<string, (event: TraceEvent) => unknown> = new Map<string, (event: TraceEvent) => unknown>([
  ['seq', ({ seq }) => seq],
  ['from', ({ from }) => from],
  ['to', ({ to }) => to],
  ['kind', ({ kind }) => kind],
  ['label', ({ label }) => label],
  ['status', ({ status }) => status],
  ['time', ({ time }) => time],
]);

/** Of these names, the ones that no event has as a field, as an attribute, or as the beginning of one (`order` of `order.id`). */
export function missingAttributes(events: readonly SourcedEvent[], names: Iterable<string>): ReadonlySet<string> {
  const missing = new Set(names);
  for (const { event } of events) {
    if (missing.size === 0) return missing;
    for (const name of missing) if (hasName(event, name)) missing.delete(name);
  }
  if (missing.size === 0) return missing;
  for (const known of attributeNames(events))
    for (const name of missing) if (known.startsWith(`${name}.`)) missing.delete(name);
  return missing;
}

function hasName(event: TraceEvent, name: string): boolean {
  const field = FIELDS.get(name);
  if (field !== undefined) return field(event) !== undefined;
  return event.attributes !== undefined && Object.hasOwn(event.attributes, name);
}

/** The attributes of the first events of a trace. */
function attributeNames(events: readonly SourcedEvent[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { event } of events.slice(0, GATHERED_EVENTS_MAX)) {
    if (names.size >= GATHERED_NAMES_MAX) break;
    for (const name of Object.keys(event.attributes ?? {})) names.add(name);
  }
  return names;
}

/** The field or attribute that was probably meant. */
export const meantAttribute = (name: string, events: readonly SourcedEvent[]): string | undefined =>
  mistypedFrom(name, [...FIELDS.keys(), ...attributeNames(events)]);

/** Of these names of participants, folded, the ones that no event comes from or goes to. */
export function missingParticipants(events: readonly SourcedEvent[], names: Iterable<string>): ReadonlySet<string> {
  const missing = new Set([...names].map(foldName));
  const spellings = new Set<string>();
  for (const { event } of events) {
    if (missing.size === 0) return missing;
    for (const name of [event.from, event.to]) {
      if (spellings.has(name)) continue;
      if (spellings.size < SPELLINGS_MAX) spellings.add(name);
      missing.delete(foldName(name));
    }
  }
  return missing;
}

/** The participants of the first events of a trace, as it spells them. */
export function participantNames(events: readonly SourcedEvent[]): readonly string[] {
  const names = new Set<string>();
  for (const { event } of events.slice(0, GATHERED_EVENTS_MAX)) {
    if (names.size >= GATHERED_NAMES_MAX) break;
    names.add(event.from).add(event.to);
  }
  return [...names];
}
