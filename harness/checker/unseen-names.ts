import {
  foldName,
  mistypedFrom,
  namesRead,
  placeName,
  type Contract,
  type Lifeline,
  type Selector,
} from '../contract/index.ts';
import type { SourcedEvent } from '../trace/index.ts';
import { EventMatcher } from './event-matcher.ts';
import { meantAttribute, missingAttributes, missingParticipants, participantNames } from './known-names.ts';
import { testOf, valueOf } from './labels.ts';

/** Remarks of one kind that are told; of the rest, the number. Places of one name that are told. */
const TOLD_MAX = 10;
const PLACES_MAX = 3;

/** An expression of the binding, and where it says it. */
interface Said {
  readonly place: string;
  readonly text: string;
}

/** Remarks: those that may be why the drawing matched nothing, the likeliest first, and the rest. */
export interface UnseenNames {
  readonly causes: readonly string[];
  readonly others: readonly string[];
}

/**
 * What the binding names and the trace does not have: participants, attributes, events. None of it need be wrong (an error that
 * did not occur has no attributes), and any of it may be a slip of the pen that would be green for ever; so it is
 * remarked. `isWhole`: the events are all that happened, not the logs of some participants. `count`: how many there are,
 * where the events are examples.
 */
export function unseenNames(
  contract: Contract,
  events: readonly SourcedEvent[],
  {
    isVacuous,
    isWhole,
    count = events.length,
  }: { readonly isVacuous: boolean; readonly isWhole: boolean; readonly count?: number },
): UnseenNames {
  if (events.length === 0) return { causes: [], others: [] };
  const only = unfulfilledOnly(contract, events, count);
  return {
    causes: [
      ...only,
      ...told(slippedLifelines(contract, events)),
      ...(isVacuous && isWhole ? unseenLifelines(contract, events) : []),
      ...attributeRemarks(contract, events, count),
    ],
    others: [
      ...told(unknownEnds(contract, events)),
      ...(only.length > 0 || !isWhole ? [] : unseenEnding(contract, events)),
    ],
  };
}

const told = (remarks: readonly string[]): readonly string[] =>
  remarks.length <= TOLD_MAX
    ? remarks
    : [...remarks.slice(0, TOLD_MAX), `and ${remarks.length - TOLD_MAX} more like these`];

const didYouMean = (meant: string | undefined): string => (meant === undefined ? '' : `; did you mean ${meant}?`);

function unfulfilledOnly({ only }: Contract, events: readonly SourcedEvent[], count: number): readonly string[] {
  const test = testOf(only);
  if (test === null || events.some(({ event }) => test(event))) return [];
  return [`\`only\` is true of 0 of ${count} events`];
}

/**
 * Drawn participants that no event names, where the binding says how they are traced, or where the trace has a name so like theirs
 * that one of them is mistyped. One whose arrows merely did not happen is told as these arrows are.
 */
function slippedLifelines(contract: Contract, events: readonly SourcedEvent[]): readonly string[] {
  const named = contract.lifelines.flatMap(({ traced }) => traced.map(({ name }) => name));
  const missing = missingParticipants(events, named);
  if (missing.size === 0) return [];
  const taken = new Set(named.map(foldName));
  const free = participantNames(events).filter((name) => !taken.has(foldName(name)));
  return contract.lifelines.flatMap((lifeline) => {
    const unseen = lifeline.traced.map(({ name }) => name).filter((name) => isMissing(name, missing));
    const isUnseen = unseen.length > 0 && unseen.length === lifeline.traced.length;
    const near = unseen.map((name) => mistypedFrom(name, free)).find((name) => name !== undefined);
    if (near === undefined && !(isUnseen && isBound(lifeline))) return [];
    const names = unseen.join(' or ');
    const how = foldName(names) === foldName(lifeline.label) ? '' : `, traced as ${names},`;
    return [`${lifeline.label}${how} is in no event of this trace${didYouMean(near)}`];
  });
}

/** All of them, where nothing was matched. */
function unseenLifelines({ lifelines }: Contract, events: readonly SourcedEvent[]): readonly string[] {
  const missing = missingParticipants(
    events,
    lifelines.flatMap(({ traced }) => traced.map(({ name }) => name)),
  );
  const unseen = lifelines.filter(
    (lifeline) => !isBound(lifeline) && lifeline.traced.every(({ name }) => isMissing(name, missing)),
  );
  if (unseen.length === 0) return [];
  const labels = unseen.slice(0, TOLD_MAX).map(({ label }) => label);
  const more = unseen.length > TOLD_MAX ? `, and ${unseen.length - TOLD_MAX} more` : '';
  return [`in no event of this trace: ${labels.join(', ')}${more}`];
}

const isMissing = (name: string, missing: ReadonlySet<string>): boolean => missing.has(foldName(name));

/** The binding says how it is traced: not by what is drawn. */
const isBound = ({ id, label, traced }: Lifeline): boolean =>
  traced.some(({ name }) => foldName(name) !== foldName(id) && foldName(name) !== foldName(label));

/** Participants that only `forbid` and `ends` name, and `via`: nothing tells beforehand whether there are such. */
function unknownEnds(contract: Contract, events: readonly SourcedEvent[]): readonly string[] {
  const drawn = new Set(contract.lifelines.flatMap(({ traced }) => traced.map(({ name }) => foldName(name))));
  const named: Said[] = [];
  const add = (place: string, selectors: readonly Selector[] | null): void => {
    for (const { name } of selectors ?? []) if (!drawn.has(foldName(name))) named.push({ place, text: name });
  };
  for (const { name, from, to } of contract.forbidden ?? [])
    for (const end of [from, to]) add(`\`forbid: ${name}\``, end);
  for (const end of [contract.ends?.from, contract.ends?.to]) add('`ends`', end ?? null);
  for (const { match, drawn: arrow } of contract.messages)
    for (const relay of match.via?.relays ?? []) add(`\`via\` of ${placeName(contract, contract.drawn[arrow])}`, relay);
  if (named.length === 0) return [];
  const missing = missingParticipants(
    events,
    named.map(({ text }) => text),
  );
  const known = [...new Set([...contract.lifelines.map(({ label }) => label), ...participantNames(events)])];
  const remarks = named
    .filter(({ text }) => isMissing(text, missing))
    .map(
      ({ place, text }) =>
        `the binding's ${place} names ${text}, which is neither drawn nor in this trace${didYouMean(mistypedFrom(text, known))}`,
    );
  return [...new Set(remarks)];
}

function attributeRemarks(contract: Contract, events: readonly SourcedEvent[], count: number): readonly string[] {
  const uses = new Map<string, { readonly places: Set<string>; isOnlyAskedFor: boolean }>();
  for (const { place, text } of expressionsOf(contract))
    for (const { name, isOnlyAskedFor } of namesRead(text)) {
      const use = uses.get(name) ?? { places: new Set<string>(), isOnlyAskedFor: true };
      use.places.add(place);
      use.isOnlyAskedFor &&= isOnlyAskedFor;
      uses.set(name, use);
    }
  const missing = missingAttributes(events, uses.keys());
  const remarks = [...uses].flatMap(([name, { places, isOnlyAskedFor }]) => {
    if (!missing.has(name)) return [];
    const near = meantAttribute(name, events);
    if (near === undefined && isOnlyAskedFor) return [];
    return [`\`${name}\` (${placesText([...places])}) is in no event of this trace${didYouMean(near)}`];
  });
  return [...told(remarks), ...told(valuelessParameters(contract, events, { missing, count }))];
}

const placesText = (places: readonly string[]): string => {
  const more = places.length > PLACES_MAX ? `, and ${places.length - PLACES_MAX} more` : '';
  return `${places.slice(0, PLACES_MAX).join(', ')}${more}`;
};

/** Every expression that the binding says; what is drawn has expressions too, which read labels. */
function expressionsOf(contract: Contract): readonly Said[] {
  const said: Said[] = [];
  const add = (place: string, text: string | undefined): void => {
    if (text !== undefined) said.push({ place, text });
  };
  add('only', contract.only);
  for (const { name, from } of contract.parameters) add(`parameter ${name}`, from);
  for (const { label, traced } of contract.lifelines) for (const { when } of traced) add(`participant ${label}`, when);
  for (const { text, when } of contract.guards ?? []) add(`guard ${text}`, when);
  for (const { drawn, match } of contract.messages) {
    const place = placeName(contract, contract.drawn[drawn]);
    add(place, match.when);
    for (const { when } of match.via?.relays.flat() ?? []) add(place, when);
    if (match.via !== undefined) add(`link of ${place}`, linkName(match.via.link));
  }
  for (const { name, match } of contract.forbidden ?? []) add(`forbid: ${name}`, match.when);
  add('ends', contract.ends?.match.when);
  return said;
}

/** An attribute's name as an expression, whatever it is made of. */
const linkName = (link: string): string | undefined =>
  /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/u.test(link) ? link : undefined;

/** Parameters whose expression has a value of no event, though the events have all that it reads. */
function valuelessParameters(
  { parameters }: Contract,
  events: readonly SourcedEvent[],
  { missing, count }: { readonly missing: ReadonlySet<string>; readonly count: number },
): readonly string[] {
  return parameters.flatMap(({ name, from }) => {
    if (from === undefined || namesRead(from).some((read) => missing.has(read.name))) return [];
    const read = valueOf(from);
    if (events.some(({ event }) => read(event) !== null)) return [];
    return [`the parameter ${name} has a value in 0 of ${count} events`];
  });
}

function unseenEnding({ ends, only }: Contract, events: readonly SourcedEvent[]): readonly string[] {
  if (ends === undefined) return [];
  const inScope = testOf(only);
  const matcher = new EventMatcher(ends);
  if (events.some(({ event }) => (inScope === null || inScope(event)) && matcher.match(event) !== null)) return [];
  return [`0 of ${events.length} events are what \`ends\` says`];
}
