import type { Contract, ContractMessage, Node, Order } from '../contract/index.ts';
import type { TraceEvent } from '../trace/index.ts';

/** `conforms`: the trace is a whole behaviour of the contract; `viable`: it can still become one. */
export interface NaiveVerdict {
  readonly conforms: boolean;
  readonly viable: boolean;
}

/**
 * The meaning of a contract, said as plainly as we can and with no thought for speed: resolve every choice, order every
 * pair of occurrences at their common ancestor, and ask whether the trace is a linear extension of that order. It shares
 * no code and no idea with the checker, so that the two can be compared. Only for contracts and traces of a few messages.
 *
 * It knows messages that match by participants, kind and label, `seq`, `alt`, `opt`, `loop`, `par`, `unordered`, at most
 * one key parameter (read from the attribute of the same name), and events of one domain. The rest it refuses.
 */
export function judgeNaively(contract: Contract, events: readonly TraceEvent[]): NaiveVerdict {
  refuseWhatIsUnknown(contract);
  const calls = pairReplies(events);
  const matched = events
    .map((event) => ({ event, candidates: candidatesFor(contract, event, calls.get(event)) }))
    .filter(({ candidates }) => candidates.size > 0);
  const verdicts = [...groupByKey(contract, matched).values()].map((group) => judgeInstance(contract, group));
  return {
    conforms: verdicts.every((verdict) => verdict.conforms),
    viable: verdicts.every((verdict) => verdict.viable),
  };
}

/** An event, and the messages of the contract that it can be. */
interface Sighting {
  readonly event: TraceEvent;
  readonly candidates: ReadonlySet<number>;
}

function refuseWhatIsUnknown(contract: Contract): void {
  const isKnown =
    contract.standing.length === 0 &&
    contract.bridged.length === 0 &&
    contract.key.length <= 1 &&
    !contract.closed &&
    contract.only === undefined &&
    contract.messages.every(({ match }) => match.label !== undefined && match.inside.kind === 'free');
  if (!isKnown) throw new Error('The naive oracle was given a contract that it does not know how to judge.');
}

/** For each reply the call that it answers: `replyTo` says so, else it is the latest open one in the other direction. */
function pairReplies(events: readonly TraceEvent[]): Map<TraceEvent, TraceEvent> {
  const calls = new Map<TraceEvent, TraceEvent>();
  const isOpen = (call: TraceEvent): boolean => call.kind === 'call' && ![...calls.values()].includes(call);
  events.forEach((event, index) => {
    if (event.kind !== 'reply') return;
    const earlier = events.slice(0, index);
    const call =
      event.replyTo === undefined
        ? earlier.findLast((other) => isOpen(other) && other.from === event.to && other.to === event.from)
        : earlier.find((other) => other.id === event.replyTo);
    if (call !== undefined) calls.set(event, call);
  });
  return calls;
}

function candidatesFor(contract: Contract, event: TraceEvent, call: TraceEvent | undefined): ReadonlySet<number> {
  const answersIt = ({ replyOf }: ContractMessage): boolean =>
    replyOf === undefined || call === undefined || looksLike(call, messageAt(contract, replyOf), contract);
  const candidates = contract.messages.filter((message) => looksLike(event, message, contract) && answersIt(message));
  return new Set(candidates.map(({ index }) => index));
}

/** Names are compared as they are: folding is not what the oracle is for. */
function looksLike(event: TraceEvent, message: ContractMessage, contract: Contract): boolean {
  const isAt = (name: string, lifeline: number | null): boolean =>
    lifeline !== null && contract.lifelines[lifeline]?.traced.some((selector) => selector.name === name) === true;
  return (
    event.label === message.match.label &&
    isAt(event.from, message.from) &&
    isAt(event.to, message.to) &&
    (message.kind === 'reply') === (event.kind === 'reply')
  );
}

function groupByKey(contract: Contract, sightings: readonly Sighting[]): Map<string, Sighting[]> {
  const [name] = contract.key;
  const groups = new Map<string, Sighting[]>();
  for (const sighting of sightings) {
    const value = name === undefined ? '' : sighting.event.attributes?.[name];
    if (value === undefined) throw new Error('The naive oracle was given an event without its key.');
    groups.set(String(value), [...(groups.get(String(value)) ?? []), sighting]);
  }
  return groups;
}

/** What one position of the trace shows: a send, a receipt, or, for an event of one instant, both in this order. */
interface Moment {
  readonly sighting: Sighting;
  readonly ends: readonly End[];
}
type End = 'send' | 'receipt';

function momentsOf(sightings: readonly Sighting[]): Moment[] {
  const placed = sightings.flatMap((sighting): { at: number; moment: Moment }[] => {
    const { seq, receivedSeq } = sighting.event;
    if (receivedSeq === undefined) return [{ at: seq, moment: { sighting, ends: ['send', 'receipt'] } }];
    return [
      { at: seq, moment: { sighting, ends: ['send'] } },
      { at: receivedSeq, moment: { sighting, ends: ['receipt'] } },
    ];
  });
  return placed.sort((a, b) => a.at - b.at).map(({ moment }) => moment);
}

/**
 * One instance, possibly several runs, one after the other. A run lasts as long as it can: a new one begins only where
 * the present one is whole, cannot take the event, and a fresh one can.
 */
function judgeInstance(contract: Contract, sightings: readonly Sighting[]): NaiveVerdict {
  const mustBeOver = contract.key.length > 0;
  let run: readonly Moment[] = [];
  for (const moment of momentsOf(sightings)) {
    const longer = [...run, moment];
    const mayBeLast = (): boolean => isWhole(contract, run) && !(mustBeOver && canGoOn(contract, run));
    if (isBegun(contract, longer)) run = longer;
    else if (mayBeLast() && isBegun(contract, [moment])) run = [moment];
    else return { conforms: false, viable: false };
  }
  return { conforms: isWhole(contract, run), viable: true };
}

function canGoOn(contract: Contract, run: readonly Moment[]): boolean {
  return contract.messages.some(({ index }) => isBegun(contract, [...run, anySendOf(index)]));
}

/** Whether the moments are a linear extension of some execution. */
function isWhole(contract: Contract, moments: readonly Moment[]): boolean {
  const count = (end: End): number => moments.filter(({ ends }) => ends.includes(end)).length;
  return count('send') === count('receipt') && hasExecution(contract, moments, { mayOwe: false });
}

/** Whether the moments begin a linear extension of some execution. */
function isBegun(contract: Contract, moments: readonly Moment[]): boolean {
  return hasExecution(contract, moments, { mayOwe: true });
}

function hasExecution(contract: Contract, moments: readonly Moment[], options: { readonly mayOwe: boolean }): boolean {
  for (const execution of executionsFor(contract, moments, options))
    if (fits(contract, execution, moments)) return true;
  return false;
}

function anySendOf(message: number): Moment {
  const event: TraceEvent = { seq: Infinity, from: '', to: '', kind: 'async', label: '' };
  return { sighting: { event, candidates: new Set([message]) }, ends: ['send'] };
}

// --- Executions: the drawing after every choice was made and every iteration counted -------------------------------

/** `isShown`: the trace holds an event for it; the others are still owed. `relation`: how the parts are composed. */
export type Execution = Drawn | Parts;
interface Parts {
  readonly kind: 'parts';
  readonly relation: Relation;
  readonly parts: readonly Execution[];
  /** All that is drawn in the parts, in drawn order. */
  readonly messages: readonly Drawn[];
}
/** One message of an execution. */
export interface Drawn {
  readonly kind: 'message';
  readonly message: ContractMessage;
  readonly isShown: boolean;
}
type Relation = Order | 'none';

/** What is asked: the executions of a contract that a run of a trace may belong to. */
interface Question {
  readonly contract: Contract;
  /** By message and end: the first and the last place in the run where it may have happened. */
  readonly places: readonly Readonly<Record<End, { readonly first: number; readonly last: number }>>[];
  /** Whether messages may be owed, so that the run only begins the execution. */
  readonly mayOwe: boolean;
}

/** How many events are there for each message, and in all, that no message of the execution has claimed yet. */
interface Unclaimed {
  readonly byMessage: readonly number[];
  readonly total: number;
}
interface Resolved {
  readonly execution: Execution;
  readonly unclaimed: Unclaimed;
}

/**
 * Every execution that claims exactly the events of the run. What is optional is taken only where it claims an event:
 * an optional part without one could be left out, which only takes demands away. Executions that no assignment of
 * events can fit are left out early where two messages show it; that is only to save time.
 */
function* executionsFor(
  contract: Contract,
  moments: readonly Moment[],
  { mayOwe }: { readonly mayOwe: boolean },
): Generator<Execution> {
  const sent = moments.filter(({ ends }) => ends.includes('send'));
  const byMessage = contract.messages.map(
    ({ index }) => sent.filter(({ sighting }) => sighting.candidates.has(index)).length,
  );
  const placesOf = (message: ContractMessage, end: End): { first: number; last: number } => {
    const shows = ({ sighting, ends }: Moment): boolean => ends.includes(end) && sighting.candidates.has(message.index);
    const first = moments.findIndex(shows);
    // A receipt that has not come yet may come at any time after the run as we know it.
    const isPending = moments.filter(shows).length < (byMessage[message.index] ?? 0);
    return { first: first < 0 ? Infinity : first, last: isPending ? Infinity : moments.findLastIndex(shows) };
  };
  const places = contract.messages.map((message) => ({
    send: placesOf(message, 'send'),
    receipt: placesOf(message, 'receipt'),
  }));
  const question = { contract, places, mayOwe };
  for (const { execution, unclaimed } of resolve(question, contract.term, { byMessage, total: sent.length }))
    if (unclaimed.total === 0) yield execution;
}

function resolve(question: Question, node: Node, unclaimed: Unclaimed): Generator<Resolved> {
  const { contract } = question;
  switch (node.kind) {
    case 'message':
      return resolveMessage(question, messageAt(contract, node.message), unclaimed);
    case 'seq':
      return resolveAll(question, node.items, compose(contract.order), unclaimed);
    case 'par':
      return resolveAll(question, node.operands, compose('none'), unclaimed);
    case 'opt':
      return resolveChoice(question, [node.body], true, unclaimed);
    case 'alt':
      return resolveChoice(question, node.operands, node.optional, unclaimed);
    case 'loop':
      // Under `causal`, an iteration is causal inside, but one iteration after another is weak sequencing (section 4.2).
      return resolveLoop(question, node, compose(contract.order === 'causal' ? 'lifeline' : contract.order), unclaimed);
    case 'concurrent':
    case 'guarded':
    case 'critical':
    case 'break':
      throw new Error(`The naive oracle does not know ${node.kind}.`);
  }
}

/** Parts of an execution, one after the other under a relation. */
export function compose(relation: Relation, parts: readonly Execution[] = []): Parts {
  return { kind: 'parts', relation, parts, messages: parts.flatMap(messagesOf) };
}

function append({ relation, parts, messages }: Parts, next: Execution): Parts {
  return { kind: 'parts', relation, parts: [...parts, next], messages: [...messages, ...messagesOf(next)] };
}

function* resolveMessage({ mayOwe }: Question, message: ContractMessage, unclaimed: Unclaimed): Generator<Resolved> {
  const { byMessage, total } = unclaimed;
  if (total > 0 && (byMessage[message.index] ?? 0) > 0) {
    const fewer = byMessage.map((count, index) => (index === message.index ? count - 1 : count));
    yield {
      execution: { kind: 'message', message, isShown: true },
      unclaimed: { byMessage: fewer, total: total - 1 },
    };
  }
  if (mayOwe) yield { execution: { kind: 'message', message, isShown: false }, unclaimed };
}

function* resolveAll(
  question: Question,
  nodes: readonly Node[],
  done: Parts,
  unclaimed: Unclaimed,
): Generator<Resolved> {
  const [node, ...rest] = nodes;
  if (node === undefined) yield { execution: done, unclaimed };
  else
    for (const next of resolve(question, node, unclaimed))
      if (canFollow(question, done, next.execution))
        yield* resolveAll(question, rest, append(done, next.execution), next.unclaimed);
}

function* resolveChoice(
  question: Question,
  operands: readonly Node[],
  isOptional: boolean,
  unclaimed: Unclaimed,
): Generator<Resolved> {
  if (isOptional) yield { execution: compose('none'), unclaimed };
  for (const operand of operands)
    for (const resolved of resolve(question, operand, unclaimed))
      if (!isOptional || resolved.unclaimed.total < unclaimed.total) yield resolved;
}

function* resolveLoop(
  question: Question,
  loop: Extract<Node, { kind: 'loop' }>,
  done: Parts,
  unclaimed: Unclaimed,
): Generator<Resolved> {
  const isEnough = done.parts.length >= loop.min;
  if (isEnough) yield { execution: done, unclaimed };
  if (done.parts.length === loop.max || (isEnough && unclaimed.total === 0)) return;
  for (const next of resolve(question, loop.body, unclaimed))
    if ((!isEnough || next.unclaimed.total < unclaimed.total) && canFollow(question, done, next.execution))
      yield* resolveLoop(question, loop, append(done, next.execution), next.unclaimed);
}

/** False where some message of `next` happened, in every assignment, before one of `done` that it must wait for. */
function canFollow(question: Question, done: Parts, next: Execution): boolean {
  const later = messagesOf(next);
  const happensTooLate = (a: Drawn, b: Drawn): boolean =>
    demandsBetween(question.contract, done.relation, a.message, b.message).some(
      ([x, y]) => placesIn(question, a)[x].first > placesIn(question, b)[y].last,
    );
  return !done.messages.some((a) => later.some((b) => happensTooLate(a, b)));
}

const NEVER = { first: Infinity, last: Infinity };

function placesIn({ places }: Question, { message, isShown }: Drawn): Question['places'][number] {
  return (isShown ? places[message.index] : undefined) ?? { send: NEVER, receipt: NEVER };
}

function messagesOf(execution: Execution): readonly Drawn[] {
  return execution.kind === 'message' ? [execution] : execution.messages;
}

function messageAt(contract: Contract, index: number): ContractMessage {
  const message = contract.messages[index];
  if (message === undefined) throw new Error(`The term names message ${index}, which the contract does not hold.`);
  return message;
}

// --- The order of an execution -------------------------------------------------------------------------------------

/**
 * The messages of an execution in drawn order, and for each occurrence those that it waits for, not closed. The
 * occurrences of the message at a position are numbered by `occurrence`.
 */
export interface OrderedExecution {
  readonly drawn: readonly Drawn[];
  readonly waitsFor: readonly (readonly number[])[];
}

/** The number of an occurrence in `OrderedExecution.waitsFor`. */
export function occurrence(position: number, end: End): number {
  return 2 * position + (end === 'send' ? 0 : 1);
}

/** Decides each pair of occurrences where it must be decided: at their common ancestor. */
export function orderExecution(contract: Contract, execution: Execution): OrderedExecution {
  const drawn: Drawn[] = [];
  const waitsFor: number[][] = [];
  const relate = (a: number, b: number, relation: Relation): void => {
    const [earlier, later] = [drawn[a]?.message, drawn[b]?.message];
    if (earlier === undefined || later === undefined) throw new Error('Only positions that were drawn are related.');
    for (const [x, y] of demandsBetween(contract, relation, earlier, later))
      waitsFor[occurrence(b, y)]?.push(occurrence(a, x));
  };
  /** Adds what is below and says at which positions it now stands. */
  const visit = (part: Execution): readonly number[] => {
    if (part.kind === 'message') {
      const position = drawn.push(part) - 1;
      waitsFor.push([], [occurrence(position, 'send')]);
      return [position];
    }
    const earlier: number[] = [];
    for (const inner of part.parts) {
      const later = visit(inner);
      for (const a of earlier) for (const b of later) relate(a, b, part.relation);
      earlier.push(...later);
    }
    return earlier;
  };
  visit(execution);
  return { drawn, waitsFor };
}

/** Which ends of the earlier message must precede which ends of the later one. */
function demandsBetween(
  contract: Contract,
  relation: Relation,
  earlier: ContractMessage,
  later: ContractMessage,
): readonly (readonly [End, End])[] {
  if (contract.unordered.some(([a, b]) => a === earlier.index && b === later.index)) return [];
  return PAIRS_OF_ENDS.filter(([x, y]) =>
    mustPrecede(relation, { message: earlier, end: x }, { message: later, end: y }),
  );
}

const PAIRS_OF_ENDS = [
  ['send', 'send'],
  ['send', 'receipt'],
  ['receipt', 'send'],
  ['receipt', 'receipt'],
] as const;

interface Occurrence {
  readonly message: ContractMessage;
  readonly end: End;
}

/** The three orders of section 4.1; `a` is drawn earlier than `b`. */
function mustPrecede(relation: Relation, a: Occurrence, b: Occurrence): boolean {
  switch (relation) {
    case 'none':
      return false;
    case 'strict':
      return true;
    case 'lifeline':
      return isOnOneLifeline(a, b);
    case 'causal':
      return isLearntBefore(a, b) || isAskedBeforeReply(a, b) || isOnOneChannel(a, b);
  }
}

const lifelineOf = ({ message, end }: Occurrence): number | null => (end === 'send' ? message.from : message.to);

function isOnOneLifeline(a: Occurrence, b: Occurrence): boolean {
  return lifelineOf(a) !== null && lifelineOf(a) === lifelineOf(b);
}

function isLearntBefore(a: Occurrence, b: Occurrence): boolean {
  return a.end === 'receipt' && b.end === 'send' && isOnOneLifeline(a, b);
}

function isAskedBeforeReply(a: Occurrence, b: Occurrence): boolean {
  const { kind, replyOf } = b.message;
  if (kind !== 'reply' || replyOf === undefined || a.message.kind !== 'call') return false;
  return a.end === 'send' && b.end === 'send' && isOnOneLifeline(a, b) && a.message.index > replyOf;
}

function isOnOneChannel(a: Occurrence, b: Occurrence): boolean {
  return a.end === b.end && a.message.from === b.message.from && a.message.to === b.message.to;
}

// --- Fitting a trace to an execution -------------------------------------------------------------------------------

/** Tries every assignment of events to the shown messages, moment by moment; each occurrence waits for what it must. */
function fits(contract: Contract, execution: Execution, moments: readonly Moment[]): boolean {
  const { drawn, waitsFor } = orderExecution(contract, execution);
  const steps = moments.flatMap(({ sighting, ends }) => ends.map((end) => ({ sighting, end })));
  const happened = new Set<number>();
  const positionOf = new Map<Sighting, number>();
  const happen = (position: number, end: End, next: number): boolean => {
    const now = occurrence(position, end);
    if (waitsFor[now]?.some((earlier) => !happened.has(earlier)) !== false) return false;
    happened.add(now);
    const isFit = fitFrom(next);
    if (!isFit) happened.delete(now);
    return isFit;
  };
  const fitFrom = (index: number): boolean => {
    const step = steps[index];
    if (step === undefined) return true;
    if (step.end === 'receipt') return happen(positionOf.get(step.sighting) ?? -1, 'receipt', index + 1);
    return drawn.some(({ message, isShown }, position) => {
      if (!isShown || happened.has(occurrence(position, 'send'))) return false;
      if (!step.sighting.candidates.has(message.index)) return false;
      positionOf.set(step.sighting, position);
      return happen(position, 'send', index + 1);
    });
  };
  return fitFrom(0);
}
