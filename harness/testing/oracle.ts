import { childrenOf, type Contract, type ContractMessage, type Node } from '../contract/index.ts';
import type { TraceEvent } from '../trace/index.ts';
import { Executions, HIDDEN, LATER, TooIntricate, type Readings, type Sighting } from './oracle-search.ts';

/** `conforms`: the trace is a whole behaviour of the contract; `viable`: it can still become one. */
export interface NaiveVerdict {
  readonly conforms: boolean;
  readonly viable: boolean;
}

/**
 * The meaning of a contract, said as plainly as we can: resolve every choice, order every pair of occurrences at their common
 * ancestor, and ask whether the trace is a linear extension of that order. It shares no code and no idea with the checker, so
 * that the two can be compared. Only for contracts and traces of a few messages.
 *
 * What it does not know (see `refuseWhatIsUnknown`) it refuses.
 */
export function judgeNaively(contract: Contract, events: readonly TraceEvent[], readings: Readings = {}): NaiveVerdict {
  refuseWhatIsUnknown(contract);
  const executions = new Executions(contract, readings);
  const calls = pairReplies(events);
  const answers = answersOf(contract, events, calls);
  const keys = keysOf(contract, events, answers);
  // A reply to the call of one of several instances: which of them it is would have to be tried.
  if (keys.size > 0 && [...answers].some(([reply, some]) => some.length > 1 && !keys.has(reply)))
    throw new TooIntricate();
  const ids = new Set(events.map(({ id }) => id));
  const found = events.flatMap((event): Matched[] => {
    // A call that is not there was never made: the trace holds all of them.
    const isDangling = event.kind === 'reply' && event.replyTo !== undefined && !ids.has(event.replyTo);
    const candidates = candidatesFor(contract, event, isDangling ? 'never made' : calls.get(event));
    return candidates === 0 ? [] : [{ event, candidates }];
  });
  withoutSecondAnswers(contract, found);
  // Without the key it is nobody's fault.
  const matched = found.filter(({ event, candidates }) => candidates !== 0 || keys.size === 0 || keys.has(event));
  const judged = groupsOf(matched, keys).map((group) => {
    const isNamed = group.some(({ event }) => keys.has(event));
    return { group, ...judgeInstance(executions, group, isNamed) };
  });
  // A further run of nothing but events that name no instance, and of which something is still owed, may be none.
  const borrowed = judged.map(({ conforms, viable, further }) =>
    viable && !conforms && further.length > 0 && further.every(({ event }) => !keys.has(event)) ? further : [],
  );
  const taken = new Set(
    judged.flatMap(({ group }, index) => group.filter((matched) => borrowed[index]?.includes(matched) !== true)),
  );
  const isNone = (run: readonly Matched[]): boolean => run.length > 0 && run.every((matched) => taken.has(matched));
  return {
    conforms: judged.every(({ conforms }, index) => conforms || isNone(borrowed[index] ?? [])),
    viable: judged.every(({ viable }) => viable),
  };
}

/** An event, and the messages of the contract that it can be, as bits. */
interface Matched {
  readonly event: TraceEvent;
  candidates: number;
}

/** What an instance did. */
interface JudgedRuns extends NaiveVerdict {
  /** The events of its last run, if that is not its first. */
  readonly further: readonly Matched[];
}

function refuseWhatIsUnknown(contract: Contract): void {
  const isKnown =
    contract.standing.length === 0 &&
    contract.key.length <= 1 &&
    !contract.closed &&
    contract.only === undefined &&
    areConcurrentLoopsKnown(contract) &&
    contract.messages.every(
      ({ match, retry }) =>
        match.inside.kind === 'free' &&
        match.template === undefined &&
        match.words === undefined &&
        match.when === undefined &&
        retry === undefined,
    );
  if (!isKnown) throw new Error('The naive oracle was given a contract that it does not know how to judge.');
}

/** What a concurrent loop without the key means to an instance is not said. */
function areConcurrentLoopsKnown({ term, key }: Contract): boolean {
  const pending: Node[] = [term];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.kind === 'concurrent' && key.length > 0 && node.loops.some((loop) => loop.kind !== 'loop' || !loop.keyed))
      return false;
    pending.push(...childrenOf(node));
  }
  return true;
}

/** For each reply the call that it answers: `replyTo` says so, else it is the latest open one in the other direction. */
function pairReplies(events: readonly TraceEvent[]): ReadonlyMap<TraceEvent, TraceEvent> {
  const calls = new Map<TraceEvent, TraceEvent>();
  const answered = new Set<TraceEvent>();
  events.forEach((event, index) => {
    if (event.kind !== 'reply') return;
    const call =
      event.replyTo === undefined
        ? events
            .slice(0, index)
            .findLast(
              (other) =>
                other.kind === 'call' && !answered.has(other) && other.from === event.to && other.to === event.from,
            )
        : events.slice(0, index).find((other) => other.id === event.replyTo);
    if (call === undefined) return;
    calls.set(event, call);
    answered.add(call);
  });
  return calls;
}

/**
 * A call is answered as often as its answers are drawn, those aside that stand in a loop without it: an event that names it
 * again is none of them. Such an event can be nothing, and so breaks every execution.
 */
function withoutSecondAnswers(contract: Contract, matched: readonly Matched[]): void {
  const loops = loopOfMessages(contract.term);
  const answered = contract.messages.map(({ index, entry, replyOf, match }) => {
    const calls = replyOf === undefined ? (match.orReply?.calls ?? []) : [replyOf];
    return entry === undefined && calls.every((call) => loops.get(call) === loops.get(index)) ? calls : [];
  });
  const most = (call: number, node: Node): number => {
    if (node.kind === 'message') return answered[node.message]?.includes(call) === true ? 1 : 0;
    const parts = childrenOf(node).map((part) => most(call, part));
    return node.kind === 'alt' ? Math.max(0, ...parts) : parts.reduce((sum, part) => sum + part, 0);
  };
  const earlier: TraceEvent[] = [];
  for (const one of matched) {
    const { event } = one;
    const answers = answered.flatMap((calls, message) =>
      calls.length > 0 && (one.candidates & (1 << message)) !== 0 ? [message] : [],
    );
    if (event.kind !== 'reply' || event.replyTo === undefined || answers.length === 0) continue;
    const isSurely = answers.length === bitsIn(one.candidates);
    const allowed = Math.max(
      ...answers.flatMap((answer) => answered[answer] ?? []).map((call) => most(call, contract.term)),
    );
    const same = [...earlier.filter(({ replyTo }) => replyTo === event.replyTo), event];
    // What may be another answer need not be one of these.
    if (isSurely) earlier.push(event);
    const counts = (['send', 'receive'] as const)
      .filter((end) => event.point === undefined || event.point === end)
      .map((end) => same.filter(({ point }) => point === undefined || point === end).length);
    if (Math.max(...counts) > allowed) for (const answer of answers) one.candidates &= ~(1 << answer);
  }
}

const bitsIn = (mask: number): number => mask.toString(2).replaceAll('0', '').length;

/** Of each message the innermost loop around it. */
function loopOfMessages(root: Node): ReadonlyMap<number, Node | null> {
  const found = new Map<number, Node | null>();
  const visit = (node: Node, loop: Node | null): void => {
    if (node.kind === 'message') found.set(node.message, loop);
    for (const part of childrenOf(node)) visit(part, node.kind === 'loop' ? node : loop);
  };
  visit(root, null);
  return found;
}

/** The drawn messages that an event can be; their copies for where they are the first of a fragment are the same messages. */
function candidatesFor(contract: Contract, event: TraceEvent, call: TraceEvent | undefined | 'never made'): number {
  const isOne = (asked: readonly ContractMessage[]): boolean =>
    call === undefined || (call !== 'never made' && asked.some((one) => looksLike(call, one, contract)));
  let candidates = 0;
  for (const message of contract.messages) {
    if (message.entry !== undefined || !looksLike(event, message, contract)) continue;
    const calls = event.kind === 'reply' ? (message.match.orReply?.calls ?? []) : [];
    const asked = [...calls, ...(message.replyOf === undefined ? [] : [message.replyOf])].flatMap(
      (index) => contract.messages[index] ?? [],
    );
    if (asked.length === 0 || isOne(asked)) candidates |= 1 << message.index;
  }
  return candidates;
}

/** Names and labels are compared as they are: folding is not what the oracle is for. */
function looksLike(event: TraceEvent, message: ContractMessage, contract: Contract): boolean {
  const { match } = message;
  const isAt = (name: string, lifeline: number | null): boolean =>
    lifeline === null || contract.lifelines[lifeline]?.traced.some((selector) => selector.name === name) === true;
  return (
    (match.label === undefined || event.label === match.label || isNamedStatus(event, message)) &&
    isAt(event.from, message.from) &&
    isAt(event.to, message.to) &&
    ((message.kind === 'reply') === (event.kind === 'reply') ||
      (event.kind === 'reply' && match.orReply !== undefined)) &&
    isReceivedAsDrawn(event, message) &&
    hasStatus(event, message)
  );
}

/** A reply that a solid arrow back is drawn for shows the status that is its text. */
const isNamedStatus = ({ kind, status }: TraceEvent, { match: { orReply } }: ContractMessage): boolean =>
  kind === 'reply' && orReply?.status?.kind === 'exact' && orReply.status.status === status;

/** A lost event is a crossed arrow, or one that is said to be lost; what must not be received shows no receipt. */
function isReceivedAsDrawn(event: TraceEvent, { receipt }: ContractMessage): boolean {
  if (receipt === 'never') return event.kind === 'lost' || event.point === 'send';
  return event.kind !== 'lost' || receipt === 'free';
}

function hasStatus({ kind, status }: TraceEvent, { match }: ContractMessage): boolean {
  const drawn = match.status ?? (kind === 'reply' ? match.orReply?.status : undefined);
  switch (drawn?.kind) {
    case undefined:
      return true;
    case 'exact':
      return status === drawn.status;
    case 'class':
    case 'anyOf':
      throw new Error('the random drawings name one status, or a word');
    case 'success':
      return status !== undefined && (status === 0 || (status >= 200 && status < 300));
    case 'error':
      return status !== undefined && status >= 400 && status < 600;
  }
}

/**
 * Of each reply the calls of which it answers one: without a name it is the latest that is open, if all calls of these two, that
 * have a drawn reply and were opened since none was open, are of one instance; else any of them.
 */
function answersOf(
  contract: Contract,
  events: readonly TraceEvent[],
  calls: ReadonlyMap<TraceEvent, TraceEvent>,
): ReadonlyMap<TraceEvent, readonly TraceEvent[]> {
  const [name = ''] = contract.key;
  const keyOf = ({ attributes }: TraceEvent): unknown => attributes?.[name];
  const areOne = (several: readonly TraceEvent[]): boolean =>
    several.length === 1 ||
    several.every((call) => keyOf(call) !== undefined && keyOf(call) === keyOf(several[0] ?? call));
  const isAnswered = (call: TraceEvent): boolean =>
    contract.messages.some(
      ({ replyOf }) => replyOf !== undefined && (candidatesFor(contract, call, undefined) & (1 << replyOf)) !== 0,
    );
  const isReply = (event: TraceEvent, call: TraceEvent): boolean =>
    contract.messages.some(
      ({ index, replyOf }) => replyOf !== undefined && (candidatesFor(contract, event, call) & (1 << index)) !== 0,
    );
  return new Map(
    [...calls].map(([reply, call]): readonly [TraceEvent, readonly TraceEvent[]] => {
      if (reply.replyTo !== undefined) return [reply, [call]];
      const exchanged = events.slice(0, events.indexOf(reply)).filter((event) => {
        const asked = event.kind === 'call' ? event : calls.get(event);
        return asked !== undefined && asked.from === call.from && asked.to === call.to && isAnswered(asked);
      });
      const beside = sinceNoneWasOpen(exchanged, calls);
      if (!isReply(reply, call) || !beside.includes(call)) return [reply, []];
      return [reply, areOne(beside) ? [call] : beside];
    }),
  );
}

/** The calls of an exchange since the last moment at which each had its reply. */
function sinceNoneWasOpen(
  exchanged: readonly TraceEvent[],
  calls: ReadonlyMap<TraceEvent, TraceEvent>,
): readonly TraceEvent[] {
  const open = new Set<TraceEvent>();
  let since: TraceEvent[] = [];
  for (const event of exchanged)
    if (event.kind === 'call') {
      if (open.size === 0) since = [];
      open.add(event);
      since.push(event);
    } else open.delete(calls.get(event) ?? event);
  return since;
}

/** The instance that each event names; a call and its reply share it. */
function keysOf(
  contract: Contract,
  events: readonly TraceEvent[],
  answers: ReadonlyMap<TraceEvent, readonly TraceEvent[]>,
): ReadonlyMap<TraceEvent, string> {
  const keys = new Map<TraceEvent, string>();
  const [name] = contract.key;
  if (name === undefined) return keys;
  for (const event of events) {
    const value = event.attributes?.[name];
    if (value !== undefined) keys.set(event, String(value));
  }
  for (const [reply, [call, ...others]] of answers) {
    if (call === undefined || others.length > 0) continue;
    const value = keys.get(reply) ?? keys.get(call);
    if (value === undefined) continue;
    for (const event of [reply, call]) if (!keys.has(event)) keys.set(event, value);
  }
  return keys;
}

/** The instances. An event that names none belongs to all. */
function groupsOf(matched: readonly Matched[], keys: ReadonlyMap<TraceEvent, string>): readonly (readonly Matched[])[] {
  if (matched.length === 0) return [];
  const named = new Set(matched.map(({ event }) => keys.get(event)));
  if (named.size > 1) named.delete(undefined);
  return [...named].map((key) => matched.filter(({ event }) => (keys.get(event) ?? key) === key));
}

/** The moments of an instance: the positions at which some end of its events is seen. */
function momentsOf(group: readonly Matched[]): readonly number[] {
  const moments = group.flatMap(({ event: { seq, receivedSeq } }) =>
    receivedSeq === undefined ? [seq] : [seq, receivedSeq],
  );
  return [...new Set(moments)].sort((a, b) => a - b);
}

/**
 * One instance, possibly several runs, one after the other. A run lasts as long as it can: a new one begins only where
 * the present one is whole, cannot take the event, and a fresh one can.
 */
function judgeInstance(executions: Executions, group: readonly Matched[], isNamed: boolean): JudgedRuns {
  const moments = momentsOf(group);
  const endless = messagesOfConcurrentLoops(executions.contract);
  // What stands in a loop that goes round for ever shows of no run that it is over.
  const mustBeOver = (past: number): boolean =>
    isNamed ||
    group.some(({ event, candidates }) => firstMomentOf(event) === moments[past] && (candidates & ~endless) === 0);
  const run = (first: number, past: number): readonly Sighting[] | null =>
    sightingsBetween(group, moments[first] ?? LATER, moments[past] ?? LATER);
  const isBegun = (first: number, past: number): boolean => {
    const sightings = run(first, past);
    return sightings !== null && executions.some({ sightings, mayOwe: true });
  };
  const isWhole = (first: number, past: number): boolean => {
    const sightings = run(first, past);
    return sightings !== null && executions.some({ sightings, mayOwe: false });
  };
  const mayBeLast = (first: number, past: number): boolean =>
    isWhole(first, past) && !(mustBeOver(past) && canGoOn(executions, run(first, past) ?? []));
  const hidesEnds = group.some(({ event: { point } }) => point === 'send' || point === 'receive');
  // Of what has a hidden send nothing is known before its receipt: then a run may be begun though a part of it is not.
  const lastOf = (first: number, isBegunUntil: (past: number) => boolean): number => {
    let past = hidesEnds ? moments.length - 1 : first;
    if (hidesEnds) while (past > first && !isBegunUntil(past)) past -= 1;
    else while (isBegunUntil(past + 1)) past += 1;
    return past;
  };
  const since = (first: number): readonly Matched[] =>
    group.filter(({ event: { seq } }) => seq >= (moments[first] ?? LATER));
  for (let first = 0; ;) {
    if (isBegun(first, moments.length))
      return { conforms: isWhole(first, moments.length), viable: true, further: first === 0 ? [] : since(first) };
    const past = lastOf(first, (later) => isBegun(first, later));
    if (past === first || !mayBeLast(first, past)) return { conforms: false, viable: false, further: [] };
    first = past;
  }
}

/** What is seen of the events from one moment on and before another; null where a receipt is seen without its send. */
function sightingsBetween(group: readonly Matched[], from: number, before: number): readonly Sighting[] | null {
  const sightings: Sighting[] = [];
  for (const { event, candidates } of group) {
    const at = placesOf(event);
    const first = at.send < 0 ? at.receipt : at.send;
    if (first >= before) continue;
    if (first < from) {
      if (at.receipt >= from && at.receipt < before) return null;
      continue;
    }
    sightings.push({ event, candidates, at: at.receipt < before ? at : { ...at, receipt: LATER } });
  }
  return sightings;
}

function placesOf({ seq, receivedSeq, kind, point }: TraceEvent): Sighting['at'] {
  // That it is lost does not take away what is ordered through it.
  if (kind === 'lost' || point === 'send') return { send: seq, receipt: HIDDEN };
  if (point === 'receive') return { send: HIDDEN, receipt: seq };
  return { send: seq, receipt: receivedSeq ?? seq };
}

function canGoOn(executions: Executions, run: readonly Sighting[]): boolean {
  return executions.contract.messages.some(
    ({ index, entry }) =>
      entry === undefined && executions.some({ sightings: [...run, anySendOf(index)], mayOwe: true }),
  );
}

function firstMomentOf(event: TraceEvent): number {
  const { send, receipt } = placesOf(event);
  return send < 0 ? receipt : send;
}

/** As bits. */
function messagesOfConcurrentLoops({ term }: Contract): number {
  let found = 0;
  const pending: { readonly node: Node; readonly isInside: boolean }[] = [{ node: term, isInside: false }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, isInside } = next;
    if (node.kind === 'message' && isInside) found |= 1 << node.message;
    for (const child of childrenOf(node))
      pending.push({ node: child, isInside: isInside || node.kind === 'concurrent' });
  }
  return found;
}

const AFTER_ALL = Number.MAX_SAFE_INTEGER;

function anySendOf(message: number): Sighting {
  return { candidates: 1 << message, at: { send: AFTER_ALL, receipt: LATER } };
}
