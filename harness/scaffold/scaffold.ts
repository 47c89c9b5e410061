import { arrowsOfEvents, arrowsSeen } from '../checker/index.ts';
import {
  compileContract,
  foldLabel,
  foldName,
  type Binding,
  type BindingContent,
  type Contract,
  type ContractMessage,
  type DrawnArrow,
} from '../contract/index.ts';
import type { Diagram, Step } from '../diagram/index.ts';
import type { Trace } from '../trace/index.ts';
import { candidatesFor } from './candidates.ts';
import { classesOf, type EventClass } from './event-classes.ts';
import { guessParameters, type GuessedParameters } from './parameters.ts';
import { namesakesOf, type Namesake } from './participants.ts';
import { patternOf } from './patterns.ts';
import { beginningOf, type Candidate, type Sight } from './sight.ts';
import { likenessOfWords, rarityIn, wordsOf } from './words.ts';

/** An arrow that no event of the trace matched by itself, and what it could be. */
export interface Proposal {
  readonly arrow: DrawnArrow;
  /** Likeliest first. */
  readonly candidates: readonly Candidate[];
  /** A pattern of the binding language for each candidate. */
  readonly patterns: readonly string[];
  /** Whether the first candidate is likely enough to be written as it stands. */
  readonly isSure: boolean;
}

/** What a first binding says. */
export interface Scaffold {
  /** Without any binding, or with the given one. */
  readonly contract: Contract;
  readonly namesakes: readonly Namesake[];
  readonly parameters: GuessedParameters;
  readonly proposals: readonly Proposal[];
  /** Arrows that are matched by now, by what is drawn and what is proposed. */
  readonly matched: readonly number[];
}

/** Likely enough to be written without asking; the lead is over the next one. */
const SURE = { likeness: 0.5, lead: 0.06 };
/** So far ahead of all others, less likeness will do. */
const SURE_BY_LEAD = { likeness: 0.4, lead: 0.2 };
/** Each round may make the next arrows plain: what happens inside of a call can be told when the call is known. */
const ROUNDS_MAX = 6;

/** Proposes a first binding for a diagram from nothing but a trace. */
export function scaffold(diagram: Diagram, whole: Trace): Scaffold {
  const trace = beginningOf(whole);
  const contract = compileContract(diagram, []).value;
  const classes = classesOf(trace);
  const namesakes = namesakesOf(contract, classes, trace);
  const parameters = guessParameters(contract, classes, trace);
  const key = parameters.parameters.find(({ name }) => name === parameters.instance.at(-1))?.attribute ?? null;
  const decided = new Map<number, Proposal>();
  let sight = sightOf(contract, { trace, classes, namesakes, key });
  let open: readonly Proposal[] = [];
  let free: readonly EventClass[] | undefined;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const now = contentOf(contract, { namesakes, parameters, proposals: [...decided.values()] });
    sight = sightOf(compileWith(diagram, now), { trace, classes, namesakes, key });
    free ??= freeClasses(classes, sight);
    open = proposalsFor({ ...sight, classes: free }, parameters).filter(({ arrow }) => !decided.has(arrow.index));
    open = withoutClaimed(open, [...decided.values()]);
    const next = open.filter(({ isSure }) => isSure);
    if (next.length === 0) break;
    for (const proposal of next) decided.set(proposal.arrow.index, proposal);
  }
  const unsure = open.filter(({ arrow }) => !decided.has(arrow.index));
  const proposals = [...decided.values(), ...unsure].sort((a, b) => a.arrow.index - b.arrow.index);
  const matched = [...arrowsSeen(sight.contract, trace)].sort((a, b) => a - b);
  return { contract, namesakes, parameters, proposals, matched };
}

/**
 * What the arrows of a bound contract that no event matched could be. The binding is taken as it is, but for participants that it
 * traces as what is not there: an arrow that matches under their right names needs nothing of its own.
 */
export function proposeFor(contract: Contract, whole: Trace): Scaffold {
  const trace = beginningOf(whole);
  const classes = classesOf(trace);
  const namesakes = namesakesOf(contract, classes, trace);
  const key = contract.parameters.find(({ name }) => name === contract.key.at(-1))?.from ?? null;
  const parameters: GuessedParameters = {
    parameters: contract.parameters.flatMap(({ name, from }) =>
      from === undefined ? [] : [{ name, attribute: from, from, example: null, values: 0 }],
    ),
    instance: [],
    others: [],
  };
  const sight = sightOf(withNamesakes(contract, namesakes), { trace, classes, namesakes, key });
  const matched = [...arrowsSeen(sight.contract, trace)].sort((a, b) => a - b);
  const proposals = proposalsFor({ ...sight, classes: freeClasses(classes, sight) }, parameters);
  return { contract, namesakes, parameters, proposals, matched };
}

/** Participants that no event names, traced as those that seem to be them. */
function withNamesakes(contract: Contract, namesakes: readonly Namesake[]): Contract {
  const names = new Map(
    namesakes.flatMap(({ lifeline, name, why }) =>
      name === null || why === 'same' ? [] : [[lifeline, name] as const],
    ),
  );
  const lifelines = contract.lifelines.map((lifeline, index) => {
    const name = names.get(index);
    return name === undefined ? lifeline : { ...lifeline, traced: [{ name }] };
  });
  return { ...contract, lifelines };
}

interface Known {
  readonly trace: Trace;
  readonly classes: readonly EventClass[];
  readonly namesakes: readonly Namesake[];
  readonly key: string | null;
}

function sightOf(contract: Contract, { trace, classes, namesakes, key }: Known): Sight {
  const taken = arrowsOfEvents(contract, trace);
  const eventsOf = new Map<number, number[]>();
  for (const [event, arrows] of taken.entries())
    for (const arrow of arrows) {
      const known = eventsOf.get(arrow);
      if (known === undefined) eventsOf.set(arrow, [event]);
      else known.push(event);
    }
  return {
    contract,
    trace,
    classes,
    namesakes: new Map(namesakes.map((namesake) => [namesake.lifeline, namesake])),
    taken,
    eventsOf,
    byId: new Map(
      trace.events.flatMap(({ event }, index) => (event.id === undefined ? [] : [[event.id, index] as const])),
    ),
    key,
  };
}

const isMatched = (arrow: number, { eventsOf }: Sight): boolean => eventsOf.has(arrow);

/** Of these classes the events that no arrow takes: one that is as another arrow is drawn, or bound, is that arrow. */
function freeClasses(classes: readonly EventClass[], { taken }: Sight): readonly EventClass[] {
  return classes.flatMap((one) => {
    const events = one.events.filter((event) => (taken[event] ?? []).length === 0);
    if (events.length === one.events.length) return [one];
    return events.length === 0 ? [] : [{ ...one, events }];
  });
}

/** Replies are told by their calls, and what a binding takes out needs no event. */
function proposalsFor(sight: Sight, parameters: GuessedParameters): readonly Proposal[] {
  const { contract } = sight;
  const proposals = new Map<number, Proposal>();
  for (const message of contract.messages) {
    const arrow = contract.drawn[message.drawn];
    if (message.kind === 'reply' || arrow === undefined || arrow.style === 'step') continue;
    if (isMatched(arrow.index, sight) || proposals.has(arrow.index)) continue;
    proposals.set(arrow.index, proposalFor(arrow, message, sight, parameters));
  }
  return [...proposals.values()];
}

function proposalFor(
  arrow: DrawnArrow,
  message: ContractMessage,
  sight: Sight,
  { parameters }: GuessedParameters,
): Proposal {
  const candidates = candidatesFor(message, sight);
  const nameOf = new Map(parameters.map(({ attribute, name }) => [attribute, name]));
  const rivals = candidates.map(({ one }) => one);
  const patterns = candidates.map(({ one }) => patternOf(one, rivals, (attribute) => nameOf.get(attribute)));
  const [first, second] = candidates;
  const lead = (first?.likeness ?? 0) - (second?.likeness ?? 0);
  const isLikely = [SURE, SURE_BY_LEAD].some((bar) => (first?.likeness ?? 0) >= bar.likeness && lead >= bar.lead);
  const isSure = isLikely && areEndsSure(message, sight);
  return { arrow, candidates, patterns, isSure };
}

const areEndsSure = ({ from, to }: ContractMessage, { namesakes }: Sight): boolean =>
  [from, to].every((end) => end === null || (namesakes.get(end)?.name ?? null) !== null);

/**
 * Events that one arrow takes are no other's: the likest has them, and an arrow of another text is left open; of two that are
 * equally like them, both.
 */
function withoutClaimed(open: readonly Proposal[], decided: readonly Proposal[]): readonly Proposal[] {
  const claims = new Map<number, Proposal>();
  const claim = (proposal: Proposal): void => {
    for (const event of proposal.candidates[0]?.one.events ?? []) claims.set(event, proposal);
  };
  const rivalsOf = ({ arrow, candidates: [first] }: Proposal): readonly Proposal[] =>
    (first?.one.events ?? []).flatMap((event) => {
      const known = claims.get(event);
      return known === undefined || foldLabel(known.arrow.text) === foldLabel(arrow.text) ? [] : [known];
    });
  const likenessOf = ({ candidates: [first] }: Proposal): number => first?.likeness ?? 0;
  decided.forEach(claim);
  const left = new Set<Proposal>();
  const sure = open.filter(({ isSure }) => isSure).sort((a, b) => likenessOf(b) - likenessOf(a));
  for (const proposal of sure) {
    const rivals = rivalsOf(proposal);
    if (rivals.length === 0) claim(proposal);
    else for (const one of [proposal, ...rivals]) if (likenessOf(one) <= likenessOf(proposal)) left.add(one);
  }
  return open.map((proposal) => (left.has(proposal) ? { ...proposal, isSure: false } : proposal));
}

interface Said {
  readonly namesakes: readonly Namesake[];
  readonly parameters: GuessedParameters;
  readonly proposals: readonly Proposal[];
}

/** A binding that says only what is sure. */
export function contentOf(contract: Contract, { namesakes, parameters, proposals }: Said): BindingContent {
  const participants = namesakes
    .filter(({ name, why }) => name !== null && why !== 'same')
    .map(({ lifeline, name }) => [contract.lifelines[lifeline]?.label ?? '', name ?? ''] as const);
  const messages = entriesOf(contract, proposals).map(({ address, entry }) => [address, entry] as const);
  const declared = parameters.parameters.map(
    ({ name, example, from }) => [name, example === null ? from : { example, from }] as const,
  );
  return {
    ...(declared.length === 0 ? {} : { parameters: fromPairs(declared) }),
    ...(parameters.instance.length === 0 ? {} : { instance: parameters.instance }),
    ...(participants.length === 0 ? {} : { participants: fromPairs(participants) }),
    ...(messages.length === 0 ? {} : { messages: fromPairs(messages) }),
  };
}

/** Keys come from drawings and traces: `__proto__` is only ever a key. */
function fromPairs<Value>(pairs: readonly (readonly [string, Value])[]): Record<string, Value> {
  const record = Object.create(null) as Record<string, Value>;
  for (const [key, value] of pairs) record[key] = value;
  return record;
}

const FILE = 'first binding';

function compileWith(diagram: Diagram, content: BindingContent): Contract {
  const binding: Binding = { file: FILE, at: { line: 1, column: 1 }, content, spots: new Map() };
  return compileContract(diagram, [binding]).value;
}

export interface Relayed {
  readonly via: string;
  readonly match: string;
  readonly link?: string;
}

type EntryValue = string | Relayed;

/** One entry of `messages`, and the arrows it speaks for. */
export interface Entry {
  readonly address: string;
  readonly entry: EntryValue | readonly EntryValue[];
  readonly proposals: readonly Proposal[];
}

/** The attribute that links the hops of a relay where a binding names none. */
const DEFAULT_LINK = 'etcd.revision';

function entryOf({ candidates, patterns }: Proposal): EntryValue {
  const [first] = candidates;
  const match = patterns[0] ?? '';
  if (first?.via == null) return match;
  const { relay, link } = first.via;
  const relayed: Relayed = link === DEFAULT_LINK ? { via: relay, match } : { via: relay, match, link };
  return relayed;
}

/** The entries for what is sure. Arrows that one address finds share an entry, or have a list with one for each. */
export function entriesOf(contract: Contract, proposals: readonly Proposal[]): readonly Entry[] {
  const sure = new Map(proposals.filter(({ isSure }) => isSure).map((proposal) => [proposal.arrow.index, proposal]));
  const entries: Entry[] = [];
  const done = new Set<number>();
  for (const proposal of sure.values()) {
    if (done.has(proposal.arrow.index)) continue;
    const { address, arrows } = addressOf(contract, proposal.arrow);
    const own = arrows.flatMap((arrow) => sure.get(arrow) ?? []);
    for (const one of own) done.add(one.arrow.index);
    if (address === null) continue;
    const values = own.map(entryOf);
    const areAlike = new Set(values.map((value) => JSON.stringify(value))).size === 1;
    const first = values[0];
    // One entry for all of one text also speaks for those that are matched without; so all must be known to be alike.
    if (areAlike && first !== undefined && own.length === arrows.length)
      entries.push({ address, entry: first, proposals: own });
    else if (own.length === arrows.length) entries.push({ address, entry: values, proposals: own });
  }
  return entries;
}

/** The shortest address that finds this arrow and those that are drawn just like it; null: none does. */
export function addressOf(
  { drawn }: Contract,
  arrow: DrawnArrow,
): { readonly address: string | null; readonly arrows: readonly number[] } {
  const text = foldLabel(arrow.text);
  const indexesOf = (test: (other: DrawnArrow) => boolean): number[] => drawn.filter(test).map(({ index }) => index);
  const hasEnds = ({ from, to, style }: DrawnArrow): boolean =>
    from === arrow.from && to === arrow.to && style === arrow.style;
  const ends = `${arrow.from} ${arrow.style === 'dashed' ? '-->' : '->'} ${arrow.to}`;
  if (text === '') {
    // An address of ends speaks for labelled arrows as well.
    const between = indexesOf(hasEnds);
    return {
      address: between.length === indexesOf((other) => hasEnds(other) && other.text.trim() === '').length ? ends : null,
      arrows: between,
    };
  }
  const alike = indexesOf((other) => foldLabel(other.text) === text);
  const between = indexesOf((other) => foldLabel(other.text) === text && hasEnds(other));
  if (alike.length === between.length) return { address: arrow.text.trim(), arrows: alike };
  return { address: `${ends}: ${arrow.text.trim()}`, arrows: between };
}

/** A step of a numbered list, and the events that its words are most like. */
export interface StepProposal {
  readonly step: Step;
  readonly candidates: readonly EventClass[];
  readonly patterns: readonly string[];
}

const STEP_CANDIDATES_MAX = 3;
/** A step is a whole sentence, of which the words of a message are a small part. */
const STEP_LIKENESS = 0.34;

/** Prose has no arrows: events whose words, and whose two ends, a step mentions. */
export function proposeSteps(diagram: Diagram, trace: Trace): readonly StepProposal[] {
  const classes = classesOf(beginningOf(trace));
  const weightOf = rarityIn(classes.map(({ words }) => words));
  return diagram.steps.map((step) => {
    const said = wordsOf(step.text);
    const candidates = classes
      .map((one) => ({
        one,
        likeness:
          0.6 * likenessOfWords(one.words, said, weightOf) +
          0.4 * likenessOfWords(wordsOf(`${one.from} ${one.to}`), said),
      }))
      .filter(({ likeness }) => likeness >= STEP_LIKENESS)
      .sort((a, b) => b.likeness - a.likeness)
      .slice(0, STEP_CANDIDATES_MAX)
      .map(({ one }) => one);
    return {
      step,
      candidates,
      patterns: candidates.map((one) => patternOf(one, rivalsOf(one, classes), () => undefined)),
    };
  });
}

const rivalsOf = (one: EventClass, classes: readonly EventClass[]): readonly EventClass[] =>
  classes.filter(({ from, to }) => foldName(from) === foldName(one.from) && foldName(to) === foldName(one.to));
