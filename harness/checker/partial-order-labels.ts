import { foldName, type Contract, type ContractMessage } from '../contract/index.ts';
import { firstShownEnd, type ProvenOrder, type SourcedEvent, type TraceEvent } from '../trace/index.ts';
import {
  callsAnswered,
  compileSelector,
  hasParents,
  isAsReply,
  Labeller,
  labellerOptions,
  type Candidate,
  type Label,
} from './labels.ts';
import { isChain } from './partial-order-letters.ts';
import type { Slice } from './slices.ts';

/** An event of which nothing proves what it is: it depends on which of other events came first. */
export interface UnprovenLabel {
  readonly index: number;
  readonly sourced: SourcedEvent;
  readonly why: string;
  /** What it can be, with the values that it then carries. */
  readonly candidates: readonly Candidate[];
  /** It was taken for something outside the contract. */
  readonly isOutside: boolean;
}

/** Calls of one participant that an event is compared with, one by one. */
const COMPARED_MAX = 1_000;
/** A longer chain of calls, each of which depends on a later one, is followed no further. */
const PASSES_MAX = 20;
/** As in the labeller. */
const PARENTS_MAX = 1_000;

/**
 * What an event is can depend on what came before it: on the calls that are open, where a reply names none or no event
 * names its cause; and on the earlier hops of a relay. The labeller looks at the trace's own order. Here: the events of which
 * another order, that the trace allows as well, could say something else.
 */
export function unprovenLabels(
  contract: Contract,
  events: readonly SourcedEvent[],
  labels: readonly Label[],
  order: ProvenOrder,
): readonly UnprovenLabel[] {
  const labeller = new Labeller(contract, labellerOptions({ begun: false, events }));
  const proof = new LabelProof(contract, events, labels, order);
  const candidates = events.map(({ event }) => labeller.candidates(event));
  const found = new Map<number, UnprovenLabel>();
  const look = (sourced: SourcedEvent, index: number): void => {
    if (found.has(index)) return;
    const own = candidates[index] ?? [];
    const why = proof.whyUnproven(index, own);
    if (why === null) return;
    proof.unproven.add(index);
    const label = labels[index];
    const isOutside = label === undefined || label.messages.length + label.wrongStatus.length === 0;
    found.set(index, { index, sourced, why, candidates: own, isOutside });
  };
  // What a call is may be open for a reason that is found after the events that ask for it.
  for (let known = -1, passes = 0; known < found.size && passes < PASSES_MAX; passes++) {
    known = found.size;
    events.forEach(look);
  }
  return [...found.values()];
}

/** Could the event belong to the instance, whatever it is? */
export function mayBelongTo(
  { candidates, isOutside }: UnprovenLabel,
  label: Label | undefined,
  { key }: Slice,
): boolean {
  if (key.size === 0) return true;
  const isOther = (values: Iterable<readonly [string, string]>): boolean =>
    [...values].some(([name, value]) => (key.get(name) ?? value) !== value);
  // A call and its reply share their values, so an event that shows none may still be this instance's alone.
  if (!isOutside && label !== undefined && isOther(label.values))
    return candidates.some(({ captures }) => captures.size > 0 && !isOther(captures));
  return candidates.some(({ captures }) => !isOther(captures));
}

interface Exchange {
  readonly calls: number[];
  /** With the replies. */
  readonly all: number[];
}

class LabelProof {
  readonly #contract: Contract;
  readonly #events: readonly SourcedEvent[];
  readonly #labels: readonly Label[];
  readonly #order: ProvenOrder;
  readonly #hasParents: boolean;
  readonly #byId = new Map<string, number>();
  /** Calls, and the replies to them, by both ends and trace id. */
  readonly #exchanges = new Map<string, Exchange>();
  /** The same whatever their trace id: another attempt may have another one. */
  readonly #attempts = new Map<string, Exchange>();
  /** Calls by their receiver. */
  readonly #callsTo = new Map<string, number[]>();
  /** By link, value, and both ends of a hop. */
  readonly #hops = new Map<string, number[]>();
  readonly #chains = new Map<readonly number[], boolean>();
  readonly unproven = new Set<number>();

  constructor(contract: Contract, events: readonly SourcedEvent[], labels: readonly Label[], order: ProvenOrder) {
    this.#contract = contract;
    this.#events = events;
    this.#labels = labels;
    this.#order = order;
    this.#hasParents = hasParents(events);
    const links = new Set(contract.messages.flatMap(({ match }) => (match.via === undefined ? [] : [match.via.link])));
    events.forEach(({ event }, index) => {
      const { id, kind, from, to } = event;
      if (id !== undefined) this.#byId.set(id, index);
      if (kind === 'call') append(this.#callsTo, foldName(to), index);
      const [caller, called] = kind === 'reply' ? [to, from] : [from, to];
      if (kind === 'call' || kind === 'reply')
        for (const exchange of [this.#exchange(caller, called, event.traceId), this.#attemptsOf(caller, called)]) {
          if (kind === 'call') exchange.calls.push(index);
          exchange.all.push(index);
        }
      for (const link of links) {
        const value = attributeOf(event, link);
        if (value !== undefined) append(this.#hops, hopName(link, value, foldName(from), foldName(to)), index);
      }
    });
  }

  #exchange(from: string, to: string, traceId = ''): Exchange {
    return exchangeIn(this.#exchanges, `${endsName(from, to)} ${traceId}`);
  }

  #attemptsOf(from: string, to: string): Exchange {
    return exchangeIn(this.#attempts, endsName(from, to));
  }

  /** Why nothing proves which of these the event is; null: that is the same in every order. */
  whyUnproven(index: number, candidates: readonly Candidate[]): string | null {
    const event = this.#events[index]?.event;
    if (event === undefined) return null;
    for (const { message } of candidates) {
      const why = this.#whyOpen(index, event, message);
      if (why !== null) return why;
    }
    return this.#contract.errors === 'violate' && this.#isAnswerOpen(event) ? CALL : null;
  }

  #whyOpen(index: number, event: TraceEvent, message: ContractMessage): string | null {
    const { inside, via } = message.match;
    if (via !== undefined && this.#isRelayOpen(index, event, message)) return RELAY;
    if (message.retry !== undefined && this.#isAttemptOpen(event)) return ATTEMPT;
    const calls = callsAnswered(message, event);
    if (calls !== null && this.#isCallOpen(event, calls)) return CALL;
    if (isAsReply(message, event)) return null;
    if (inside.kind !== 'caller' || inside.call === null) return null;
    return this.#isServedOpen(index, event, inside.call) ? SERVED : null;
  }

  /** An error that answers a call whose reply is not drawn: which call? */
  #isAnswerOpen({ kind, from, to, replyTo, traceId }: TraceEvent): boolean {
    if (kind !== 'reply' || replyTo !== undefined) return false;
    const { calls, all } = this.#exchange(to, from, traceId);
    return calls.length > 1 && !this.#isChain(all);
  }

  /** Of a call that is tried again, which attempt is the last one? */
  #isAttemptOpen({ from, to }: TraceEvent): boolean {
    const attempts = this.#attempts.get(endsName(from, to));
    return attempts !== undefined && attempts.calls.length > 1 && !this.#isChain(attempts.all);
  }

  /** Which call does a reply answer? */
  #isCallOpen(event: TraceEvent, messages: readonly number[]): boolean {
    if (event.replyTo !== undefined) return this.unproven.has(this.#byId.get(event.replyTo) ?? -1);
    const { calls, all } = this.#exchange(event.to, event.from, event.traceId);
    return !this.#areAll(calls, messages) && (this.#isAnyUnproven(calls) || !this.#isChain(all));
  }

  /** Which call does the sender serve? */
  #isServedOpen(index: number, event: TraceEvent, call: number): boolean {
    if (this.#hasParents) return this.#isAncestorOpen(event);
    const calls = this.#callsTo.get(foldName(event.from)) ?? [];
    if (this.#areAll(calls, [call])) return false;
    if (calls.length > COMPARED_MAX) return true;
    const own = this.#labels[index]?.values;
    const serving = calls.filter((other) => {
      const values = this.#labels[other]?.values;
      // What is not known to be another instance's may be this one's.
      return own === undefined || own.size === 0 || values === undefined || sharesValue(own, values);
    });
    if (this.#areAll(serving, [call])) return false;
    if (this.#isAnyUnproven(serving)) return true;
    const compared = serving.flatMap((other) => {
      const { from, to, traceId } = this.#events[other]?.event ?? event;
      return this.#exchange(from, to, traceId).all;
    });
    return !this.#isChain([...new Set([...compared, index])]);
  }

  /** With parents the call is found by name; but what that call is may be open itself. */
  #isAncestorOpen(event: TraceEvent): boolean {
    let parent = event.parent;
    for (let steps = 0; parent !== undefined && steps < PARENTS_MAX; steps++) {
      const index = this.#byId.get(parent);
      const ancestor = index === undefined ? undefined : this.#events[index]?.event;
      if (index === undefined || ancestor === undefined) return false;
      if (ancestor.kind === 'call' && foldName(ancestor.to) === foldName(event.from)) return this.unproven.has(index);
      parent = ancestor.parent;
    }
    return false;
  }

  /** Has every earlier hop been there before? */
  #isRelayOpen(index: number, event: TraceEvent, { from, match: { via } }: ContractMessage): boolean {
    const link = via === undefined ? undefined : attributeOf(event, via.link);
    if (via === undefined || link === undefined || from === null) return false;
    const stations = [this.#contract.lifelines[from]?.traced ?? [], ...via.relays].map((selectors) =>
      selectors.map((selector) => compileSelector(selector).name),
    );
    const end = this.#endOf(index);
    return stations.slice(1).some((receivers, station) => {
      const hops = (stations[station] ?? []).flatMap((sender) =>
        receivers.flatMap((receiver) => this.#hops.get(hopName(via.link, link, sender, receiver)) ?? []),
      );
      return hops.length > 0 && !hops.some((hop) => this.#order.isBefore(this.#endOf(hop), end));
    });
  }

  #areAll(calls: readonly number[], messages: readonly number[]): boolean {
    return (
      !this.#isAnyUnproven(calls) &&
      calls.every((index) => messages.some((message) => this.#labels[index]?.messages.includes(message) === true))
    );
  }

  #isAnyUnproven(indexes: readonly number[]): boolean {
    return this.unproven.size > 0 && indexes.some((index) => this.unproven.has(index));
  }

  #isChain(indexes: readonly number[]): boolean {
    let known = this.#chains.get(indexes);
    if (known === undefined) {
      known = isChain(
        this.#order,
        indexes.map((index) => this.#endOf(index)),
      );
      this.#chains.set(indexes, known);
    }
    return known;
  }

  #endOf(index: number): number {
    const event = this.#events[index]?.event;
    return event === undefined ? 2 * index : firstShownEnd(index, event);
  }
}

const RELAY = 'nothing orders it and an earlier hop of its relay';
const CALL = 'it names no call (replyTo), and nothing orders those that it may answer';
const SERVED = 'it names no cause (parent), and nothing orders the calls that its sender may have been serving';

const ATTEMPT = 'nothing orders the attempts of a call that is tried again';

const endsName = (from: string, to: string): string => JSON.stringify([foldName(from), foldName(to)]);

function exchangeIn(exchanges: Map<string, Exchange>, key: string): Exchange {
  let exchange = exchanges.get(key);
  if (exchange === undefined) exchanges.set(key, (exchange = { calls: [], all: [] }));
  return exchange;
}

const hopName = (link: string, value: unknown, from: string, to: string): string =>
  JSON.stringify([link, String(value), from, to]);

const attributeOf = ({ attributes }: TraceEvent, name: string): unknown =>
  attributes !== undefined && Object.hasOwn(attributes, name) ? attributes[name] : undefined;

/** Some value in common, and none that differs. */
function sharesValue(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  let isShared = false;
  for (const [name, value] of a) {
    const other = b.get(name);
    if (other !== undefined && other !== value) return false;
    isShared ||= other === value;
  }
  return isShared;
}

function append<K>(lists: Map<K, number[]>, key: K, item: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
