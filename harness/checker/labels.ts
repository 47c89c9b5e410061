import {
  compileExpression,
  foldLabel,
  foldName,
  matchTemplate,
  readRequestLine,
  wordsMatcher,
  type Contract,
  type ContractMessage,
  type ExpressionScope,
  type Matcher,
  type RequestLine,
  type Selector,
  type SingleStatusRule,
  type StatusRule,
  type UrlTemplate,
} from '../contract/index.ts';
import { answerAmong, boundAnswers } from './bound-answers.ts';
import type { RuleLabel } from './rule-label.ts';
import { OpenCalls, type CallLabel, type ClosedCall } from './open-calls.ts';
import { Recent } from './recent.ts';
import { NO_VALUES, ValueSets, type Values } from './value-sets.ts';
import type { Attribute, SourcedEvent, Trace, TraceEvent } from '../trace/index.ts';

export type { Values } from './value-sets.ts';

/** What an event can be, before anybody asks for order. */
export interface Label {
  /** Contract messages that it can be taken for; the choice among them is made by the order. Equal lists are one object. */
  readonly messages: readonly number[];
  /** Replies that it would be, if its status were what is drawn; and messages that must be lost, and were received. */
  readonly wrongStatus: readonly number[];
  readonly values: Values;
  /** What the rules of the binding say of it, apart from the drawing (see `Rules`). */
  readonly rules?: RuleLabel;
  /** Of a reply that names no call: the calls of which it answers one, by how many events were labelled before each. */
  readonly answers?: readonly number[];
  /** The call that it serves, by how many events were labelled before it, if that was answered already. */
  readonly answered?: number;
}

export interface LabelledEvent extends Label {
  readonly index: number;
  readonly sourced: SourcedEvent;
}

export interface LabellerOptions {
  /** The trace says which event caused which; else the cause is inferred from open calls with equal values. */
  readonly hasParents: boolean;
  /** Ids of all calls that were made, where that is known: a reply to any other answers nothing. */
  readonly calls?: ReadonlySet<string>;
  /** Every reply says which call it answers: open calls need not be followed. Default: false. */
  readonly hasReplyTo?: boolean;
  /**
   * How many events are remembered as possible parents and calls; the oldest half is forgotten at a time. An event whose parent
   * is forgotten is treated like one whose parent is not in the trace. Default: all that a trace may hold.
   */
  readonly rememberedMax?: number;
}

export const REMEMBERED_MAX = 1_000_000;

/** How far a chain of parents is followed: a real one is a few calls deep, a longer one is a loop. */
const PARENTS_MAX = 1_000;

export type Test = (scope: ExpressionScope) => boolean;

export interface CompiledSelector {
  readonly name: string;
  readonly when: Test | null;
}

/** A message that an event can be, judged by the event alone. `isAsDrawn`: its status and its receipt are what is drawn. */
export interface Candidate {
  readonly message: ContractMessage;
  readonly captures: Values;
  readonly isAsDrawn: boolean;
}

/** What is remembered of an event: enough to follow causes, not the event itself. */
interface Remembered {
  readonly isCall: boolean;
  /** Folded name of the receiver. */
  readonly to: string;
  readonly parent: string | undefined;
  readonly label: Label;
  /** How many events were labelled before it. */
  readonly number: number;
  /** It is a call that has an answer of those of which it has no more than are drawn. */
  isAnswered: boolean;
}

interface ServedCall {
  readonly label: CallLabel;
  /** Its number, if it was answered already. */
  readonly answered: number | null;
}

const NO_MESSAGES: readonly number[] = [];
const NO_LABEL: Label = { messages: NO_MESSAGES, wrongStatus: NO_MESSAGES, values: NO_VALUES };

/** What a whole trace says of how its events are to be labelled: only one that declares its beginning holds all calls. */
export function labellerOptions({ begun, events }: Pick<Trace, 'begun' | 'events'>): LabellerOptions {
  const all = { hasParents: hasParents(events) };
  return begun ? { ...all, calls: new Set(events.flatMap(({ event }) => event.id ?? [])) } : all;
}

/** Does the trace say which event caused which? */
export const hasParents = (events: readonly SourcedEvent[]): boolean =>
  events.some(({ event }) => event.parent !== undefined);

/** Labels the events of one trace, in order. What an event can be depends on what its call and its parents can be. */
export class Labeller {
  readonly #contract: Contract;
  readonly #options: LabellerOptions;
  readonly #only: Test | null;
  readonly #selectors: readonly (readonly CompiledSelector[])[];
  readonly #messages: readonly CompiledMessage[];
  readonly #standing: ReadonlySet<number>;
  readonly #parameters: readonly {
    readonly name: string;
    readonly valueOf: (scope: ExpressionScope) => string | null;
  }[];
  /** Messages by the names of both ends, as the trace writes them: few names, many events. */
  readonly #byEnds = new Map<string, Map<string, readonly CompiledMessage[]>>();
  readonly #lists = new Map<string, readonly number[]>();
  readonly #folded = new Map<string, string>();
  readonly #remembered: Recent<Remembered>;
  readonly #openCalls: OpenCalls;
  readonly #links: readonly string[];
  readonly #connected: ReadonlySet<string>;
  /** Some participant is told apart by an expression, not by name alone. */
  readonly #hasWhens: boolean;
  readonly #hops: Recent<true>;
  readonly #knownValues = new ValueSets();
  /** Calls of which a reply is drawn. */
  readonly #answerable: ReadonlySet<number>;
  readonly #boundAnswers: ReadonlyMap<number, number>;
  #labelled = 0;
  #closed: ClosedCall | null = null;
  /** The call that the event serves which is being labelled, if it was answered already. */
  #answeredCall: number | null = null;

  constructor(contract: Contract, options: LabellerOptions) {
    this.#contract = contract;
    this.#options = options;
    this.#only = testOf(contract.only);
    this.#selectors = contract.lifelines.map((lifeline) => lifeline.traced.map(compileSelector));
    this.#messages = contract.messages.filter(({ entry }) => entry === undefined).map(compileMessage);
    this.#connected = new Set((contract.connections ?? []).map(([low, high]) => `${low}-${high}`));
    this.#hasWhens = contract.lifelines.some(({ traced }) => traced.some(({ when }) => when !== undefined));
    this.#standing = new Set(contract.standing.map((entry) => entry.message));
    this.#links = [
      ...new Set(contract.messages.flatMap(({ match }) => (match.via === undefined ? [] : [match.via.link]))),
    ];
    const rememberedMax = options.rememberedMax ?? REMEMBERED_MAX;
    this.#openCalls = new OpenCalls(rememberedMax, contract.key);
    this.#boundAnswers = boundAnswers(contract);
    this.#answerable = new Set(contract.messages.flatMap(({ replyOf }) => replyOf ?? []));
    this.#remembered = new Recent(rememberedMax);
    this.#hops = new Recent(rememberedMax);
    this.#parameters = contract.parameters.flatMap(({ name, from }) =>
      from === undefined ? [] : [{ name, valueOf: valueOf(from) }],
    );
  }

  label(event: TraceEvent): Label {
    const possible = this.#withEnds(event.from, event.to);
    const label = possible.length === 0 ? this.#outside(event) : this.#labelAmong(possible, event);
    this.#remember(event, label);
    this.#labelled++;
    const answers = this.#answeredBy(event, label);
    return answers === null ? label : { ...label, answers };
  }

  /** The call that the latest event closed. */
  get closed(): ClosedCall | null {
    return this.#closed;
  }

  /** What a reply answers that names no call: the latest that is open, but where calls of several instances may cross. */
  #answeredBy({ kind, replyTo }: TraceEvent, { messages, wrongStatus }: Label): readonly number[] | null {
    if (kind !== 'reply' || replyTo !== undefined || this.#closed === null) return null;
    const isReply = (message: number): boolean => this.#contract.messages[message]?.replyOf !== undefined;
    return messages.some(isReply) || wrongStatus.some(isReply) ? this.#closed.oneOf : null;
  }

  /** The messages that an event can be as far as it says so by itself: its call, its causes and earlier hops are not asked. */
  candidates(event: TraceEvent): readonly Candidate[] {
    const inScope = this.#isInScope(event);
    return this.#withEnds(event.from, event.to).flatMap((compiled): Candidate[] => {
      const { message } = compiled;
      if (!inScope && !this.#standing.has(message.index)) return [];
      const captures = this.#matchByItself(compiled, event);
      if (captures === null) return [];
      return [{ message, captures, isAsDrawn: statusFits(message.match, event) && receiptFits(message, event) }];
    });
  }

  /** Does it answer a call that nobody has seen, or that is forgotten? */
  isOfUnknownCall({ kind, replyTo }: TraceEvent): boolean {
    return kind === 'reply' && replyTo !== undefined && this.#remembered.get(replyTo) === undefined;
  }

  /**
   * Are both ends drawn participants? For `closed` and for the list of traffic that no arrow explains; what `only` leaves
   * out is none of that drawing's traffic.
   */
  isBetweenDrawn(event: TraceEvent): boolean {
    return this.#isInScope(event) && this.#isDrawn(event.from, event) && this.#isDrawn(event.to, event);
  }

  /** Is it a message between two drawn participants that the document's topology does not connect? */
  isUnconnected(event: TraceEvent): boolean {
    const { connections } = this.#contract;
    if (connections === undefined || !this.#isInScope(event)) return false;
    const [senders, receivers] = [this.#lifelinesOf(event.from, event), this.#lifelinesOf(event.to, event)];
    if (senders.length === 0 || receivers.length === 0) return false;
    return senders.every((from) =>
      receivers.every((to) => from !== to && !this.#connected.has(`${Math.min(from, to)}-${Math.max(from, to)}`)),
    );
  }

  #lifelinesOf(name: string, event: TraceEvent): number[] {
    const folded = this.#fold(name);
    return this.#selectors.flatMap((selectors, index) => (matchesAny(selectors, folded, event) ? [index] : []));
  }

  #isDrawn(name: string, event: TraceEvent): boolean {
    return this.#lifelinesOf(name, event).length > 0;
  }

  /** Does `only` let it into the contract? */
  #isInScope(event: TraceEvent): boolean {
    return this.#only === null || this.#only(event);
  }

  #fold(name: string): string {
    let folded = this.#folded.get(name);
    if (folded === undefined) this.#folded.set(name, (folded = foldName(name)));
    return folded;
  }

  #withEnds(from: string, to: string): readonly CompiledMessage[] {
    let byTo = this.#byEnds.get(from);
    if (byTo === undefined) this.#byEnds.set(from, (byTo = new Map<string, readonly CompiledMessage[]>()));
    let found = byTo.get(to);
    if (found !== undefined) return found;
    const [sender, receiver] = [this.#fold(from), this.#fold(to)];
    found = this.#messages.filter(
      ({ message, via }) =>
        this.#mayBe(via === null ? this.#selectorsOf(message.from) : (via.relays.at(-1) ?? []), sender) &&
        this.#mayBe(this.#selectorsOf(message.to), receiver),
    );
    byTo.set(to, found);
    return found;
  }

  /** null: a found or lost end, which may be anybody. */
  #selectorsOf(lifeline: number | null): readonly CompiledSelector[] | null {
    return lifeline === null ? null : (this.#selectors[lifeline] ?? []);
  }

  #mayBe(selectors: readonly CompiledSelector[] | null, folded: string): boolean {
    return selectors === null || selectors.some(({ name }) => name === folded);
  }

  /** No arrow has these ends; its values still count where causes are inferred from them. */
  #outside(event: TraceEvent): Label {
    if (this.#options.hasParents || event.kind !== 'call') return NO_LABEL;
    return { ...NO_LABEL, values: this.#ownValues(event) };
  }

  #labelAmong(possible: readonly CompiledMessage[], event: TraceEvent): Label {
    const inScope = this.#isInScope(event);
    const own = this.#ownValues(event);
    let found: number[] | null = null;
    let wrongStatus: number[] | null = null;
    let values = own;
    /** Of all that it can be, whether it serves a call that was answered already. */
    let answered: number | null | undefined;
    for (const compiled of possible) {
      const { index } = compiled.message;
      if (!inScope && !this.#standing.has(index)) continue;
      const captures = this.#match(compiled, event, own);
      const call = this.#takeAnsweredCall();
      if (captures === null) continue;
      answered = answered === null ? null : call;
      if (statusFits(compiled.message.match, event) && receiptFits(compiled.message, event)) (found ??= []).push(index);
      else (wrongStatus ??= []).push(index);
      for (const [name, value] of captures) if (!values.has(name)) values = this.#knownValues.plus(values, name, value);
    }
    if (found === null && wrongStatus === null && (this.#options.hasParents || event.kind !== 'call')) return NO_LABEL;
    const label = { messages: this.#list(found), wrongStatus: this.#list(wrongStatus), values };
    return typeof answered === 'number' ? { ...label, answered } : label;
  }

  #takeAnsweredCall(): number | null {
    const call = this.#answeredCall;
    this.#answeredCall = null;
    return call;
  }

  #list(messages: readonly number[] | null): readonly number[] {
    if (messages === null) return NO_MESSAGES;
    const key = messages.length === 1 ? String(messages[0]) : messages.join();
    let list = this.#lists.get(key);
    if (list === undefined) this.#lists.set(key, (list = messages));
    return list;
  }

  /** The captured values if the event can be this message, apart from its status; else null. */
  #match(compiled: CompiledMessage, event: TraceEvent, own: Values): Values | null {
    const captures = this.#matchByItself(compiled, event);
    return captures !== null && this.#matchAmongOthers(compiled, event, own, captures) ? captures : null;
  }

  #matchByItself(compiled: CompiledMessage, event: TraceEvent): Values | null {
    if (!this.#kindFits(compiled.message, event)) return null;
    if (this.#hasWhens && !this.#endsFit(compiled, event)) return null;
    return isAsReply(compiled.message, event) ? compiled.replyContent(event) : compiled.content(event);
  }

  #matchAmongOthers({ message, via }: CompiledMessage, event: TraceEvent, own: Values, captures: Values): boolean {
    // What an event says of a value by itself goes before a word of its label, which may be another name of the same thing.
    if (message.match.words === undefined)
      for (const [name, value] of captures) if (own.has(name) && own.get(name) !== value) return false;
    if (via !== null && !this.#relayed(message, via, event)) return false;
    const calls = callsAnswered(message, event);
    if (calls !== null && !this.#answers(calls, event)) return false;
    return isAsReply(message, event) || this.#insideFits(message, event, own);
  }

  #kindFits(message: ContractMessage, event: TraceEvent): boolean {
    switch (message.kind) {
      case 'call':
        return event.kind === 'call';
      case 'reply':
        return event.kind === 'reply';
      case 'send':
        if (event.kind === 'lost' && message.receipt === undefined) return false;
        // A dashed arrow whose call is not drawn is an ordinary message; it may well show as a reply.
        return (
          event.kind !== 'reply' || isAsReply(message, event) || this.#contract.drawn[message.drawn]?.style === 'dashed'
        );
    }
  }

  #endsFit({ message, via }: CompiledMessage, event: TraceEvent): boolean {
    const senders = via === null ? this.#selectorsOf(message.from) : (via.relays.at(-1) ?? []);
    const receivers = this.#selectorsOf(message.to);
    return (
      (senders === null || matchesAny(senders, this.#fold(event.from), event)) &&
      (receivers === null || matchesAny(receivers, this.#fold(event.to), event))
    );
  }

  /** The event is the last hop of a relay; the earlier hops must have been seen, with an equal link. */
  #relayed(message: ContractMessage, via: CompiledVia, event: TraceEvent): boolean {
    const link = attributeOf(event, via.link);
    if (message.from === null || link === undefined) return false;
    const stations = [this.#selectors[message.from] ?? [], ...via.relays];
    return stations
      .slice(1)
      .every((to, index) => this.#sawHop(stations[index] ?? [], to, `${via.link}=${String(link)}`));
  }

  #sawHop(from: readonly CompiledSelector[], to: readonly CompiledSelector[], link: string): boolean {
    return from.some((a) => to.some((b) => this.#hops.get(hopKey(a.name, b.name, link)) === true));
  }

  /**
   * A reply belongs to its call: by `replyTo`; without it to the latest open call the other way; to any if that call is not in
   * the trace, but for one that was never made.
   */
  #answers(calls: readonly number[], event: TraceEvent): boolean {
    const call =
      event.replyTo === undefined
        ? this.#openCalls.latest(this.#fold(event.to), this.#fold(event.from), event.traceId)
        : this.#remembered.get(event.replyTo);
    if (call !== undefined) return calls.some((message) => call.label.messages.includes(message));
    return event.replyTo === undefined || (this.#options.calls?.has(event.replyTo) ?? true);
  }

  #insideFits(message: ContractMessage, event: TraceEvent, own: Values): boolean {
    const { inside } = message.match;
    switch (inside.kind) {
      case 'free':
        return true;
      case 'caller': {
        if (inside.call === null) return true;
        const served = this.#servedCall(event, own);
        if (served === null) return true;
        const isServing = served.label.messages.includes(inside.call);
        if (isServing && served.answered !== null) this.#answeredCall = served.answered;
        return isServing;
      }
      case 'message':
        return this.#isCausedBy(inside.message, event);
    }
  }

  /** The call that the sender is serving: the nearest ancestor that is a call to the sender; null: none, or not in this trace. */
  #servedCall(event: TraceEvent, own: Values): ServedCall | null {
    if (!this.#options.hasParents) {
      const label = this.#openCalls.latestServed(this.#fold(event.from), own);
      return label === null ? null : { label, answered: null };
    }
    const sender = this.#fold(event.from);
    let parent = event.parent;
    for (let steps = 0; parent !== undefined && steps < PARENTS_MAX; steps++) {
      const ancestor = this.#remembered.get(parent);
      if (ancestor === undefined) return null;
      if (ancestor.isCall && ancestor.to === sender)
        return { label: ancestor.label, answered: ancestor.isAnswered ? ancestor.number : null };
      parent = ancestor.parent;
    }
    return null;
  }

  /** What made the sender act is the nearest ancestor that it received; further ones made others act. */
  #isCausedBy(message: number, event: TraceEvent): boolean {
    const sender = this.#fold(event.from);
    let parent = event.parent;
    for (let steps = 0; parent !== undefined && steps < PARENTS_MAX; steps++) {
      const ancestor = this.#remembered.get(parent);
      // A parent that is not in the trace proves nothing either way.
      if (ancestor === undefined) return true;
      if (ancestor.to === sender) return ancestor.label.messages.includes(message);
      parent = ancestor.parent;
    }
    return false;
  }

  #ownValues(scope: ExpressionScope): Values {
    let values = NO_VALUES;
    for (const { name, valueOf: read } of this.#parameters) {
      const value = read(scope);
      if (value !== null) values = this.#knownValues.plus(values, name, value);
    }
    return values;
  }

  #remember(event: TraceEvent, label: Label): void {
    if (event.id !== undefined) this.#rememberById(event.id, event, label);
    if (event.kind === 'reply' && event.replyTo !== undefined && this.#options.hasParents)
      this.#noteAnswer(event.replyTo, label);
    for (const link of this.#links) {
      const value = attributeOf(event, link);
      if (value !== undefined)
        this.#hops.set(hopKey(this.#fold(event.from), this.#fold(event.to), `${link}=${String(value)}`), true);
    }
    this.#closed = null;
    // Open calls are asked for by replies that name no call, and where causes are inferred.
    if (this.#options.hasReplyTo === true && this.#options.hasParents) return;
    if (event.kind === 'call') {
      const { id, traceId } = event;
      const [from, to] = [this.#fold(event.from), this.#fold(event.to)];
      const isAnswerable = label.messages.some((message) => this.#answerable.has(message));
      this.#openCalls.open({ id, from, to, traceId, label, number: this.#labelled, isAnswerable });
    } else if (event.kind === 'reply')
      this.#closed = this.#openCalls.close(this.#fold(event.to), this.#fold(event.from), event.replyTo, event.traceId);
  }

  #noteAnswer(call: string, { messages, wrongStatus }: Label): void {
    const known = this.#remembered.get(call);
    if (known !== undefined && answerAmong([...messages, ...wrongStatus], this.#boundAnswers) === 'bound')
      known.isAnswered = true;
  }

  #rememberById(id: string, event: TraceEvent, label: Label): void {
    const isCall = event.kind === 'call';
    this.#remembered.set(id, {
      isCall,
      to: this.#fold(event.to),
      parent: event.parent,
      label,
      number: this.#labelled,
      isAnswered: false,
    });
  }
}

interface CompiledVia {
  readonly relays: readonly (readonly CompiledSelector[])[];
  readonly link: string;
}

interface CompiledMessage {
  readonly message: ContractMessage;
  readonly via: CompiledVia | null;
  /** What the event must say, apart from its ends: the captured parameters, or null. */
  readonly content: (event: TraceEvent) => Values | null;
  /** The same of a reply that a solid arrow is drawn for. */
  readonly replyContent: (event: TraceEvent) => Values | null;
}

/** Is the event a reply, and the message a solid arrow that may be drawn for one? */
export const isAsReply = ({ match }: ContractMessage, { kind }: TraceEvent): boolean =>
  kind === 'reply' && match.orReply !== undefined;

/** The messages of which a reply must answer one, to be this message; null: any. */
export function callsAnswered(message: ContractMessage, event: TraceEvent): readonly number[] | null {
  if (isAsReply(message, event)) return message.match.orReply?.calls ?? null;
  return message.kind === 'reply' && message.replyOf !== undefined ? [message.replyOf] : null;
}

const NOTHING_CAPTURED: Values = new Map();

function compileMessage(message: ContractMessage): CompiledMessage {
  const { match } = message;
  return {
    message,
    via:
      match.via === undefined
        ? null
        : { relays: match.via.relays.map((relay) => relay.map(compileSelector)), link: match.via.link },
    content: contentOf(match),
    replyContent: replyContentOf(match),
  };
}

/** A reply fits by its label, with or without the status that begins it, or by a number that the drawn text names. */
function replyContentOf(match: Matcher): CompiledMessage['replyContent'] {
  const byLabel = contentOf(match);
  const { orReply } = match;
  if (orReply?.calls == null) return byLabel;
  const test = testOf(match.when);
  return (event) => {
    const captures = byLabel(event) ?? byLabel({ ...event, label: event.label.replace(LEADING_STATUS, '') });
    if (captures !== null) return captures;
    const isNamed = isNumbered(orReply.status, statusOf(event)) && (test === null || test(event));
    return isNamed ? NOTHING_CAPTURED : null;
  };
}

/** Is it a status that the rule names by number? A word such as `OK` names too many to tell a message by. */
function isNumbered(rule: StatusRule | undefined, status: number | undefined): boolean {
  if (rule === undefined || status === undefined) return false;
  const rules = rule.kind === 'anyOf' ? rule.rules : [rule];
  return rules.some((one) => (one.kind === 'exact' || one.kind === 'class') && isStatus(one, status));
}

export function contentOf({ when, label, template, words }: Matcher): CompiledMessage['content'] {
  const test = testOf(when);
  const wordsIn = words === undefined ? null : wordsMatcher(words);
  const folded = label === undefined ? null : foldLabel(label);
  // Labels repeat: folding one text again and again would cost more than all the rest.
  const equalLabels = new Map<string, boolean>();
  const isLabel = (text: string): boolean => {
    let isEqual = equalLabels.get(text);
    if (isEqual === undefined) {
      isEqual = foldLabel(text) === folded;
      if (equalLabels.size < LABELS_CACHED_MAX) equalLabels.set(text, isEqual);
    }
    return isEqual;
  };
  return (event) => {
    if (folded !== null && !isLabel(event.label)) return null;
    const captures =
      wordsIn !== null
        ? wordsIn(event.label)
        : template === undefined
          ? NOTHING_CAPTURED
          : captureRequest(template, event);
    return captures === null || (test !== null && !test(event)) ? null : captures;
  };
}

const LABELS_CACHED_MAX = 1_000;

function captureRequest(template: UrlTemplate, event: TraceEvent): Values | null {
  const request = requestOf(event);
  return request === null ? null : matchTemplate(template, request.method, request.path, request.query);
}

/** Method, path and query of an event: from OpenTelemetry's HTTP attributes, else from a label of that form. */
function requestOf(event: TraceEvent): RequestLine | null {
  const method = attributeOf(event, 'http.request.method');
  const path = attributeOf(event, 'url.path');
  if (typeof method !== 'string' || typeof path !== 'string') return readRequestLine(event.label);
  const query = attributeOf(event, 'url.query');
  return { method, path, query: typeof query === 'string' ? query : null };
}

/** An attribute by its own name: `constructor` is one only if the trace says so. */
function attributeOf({ attributes }: TraceEvent, name: string): Attribute | undefined {
  return attributes !== undefined && Object.hasOwn(attributes, name) ? attributes[name] : undefined;
}

/** The status that a reply shows: its own field, OpenTelemetry's attributes, or a label that begins with one (`401 Unauthorized`). */
export function statusOf(event: TraceEvent): number | undefined {
  if (event.status !== undefined) return event.status;
  const attribute = attributeOf(event, 'http.response.status_code') ?? attributeOf(event, 'rpc.grpc.status_code');
  if (typeof attribute === 'number') return attribute;
  const leading = LEADING_STATUS.exec(event.label)?.[1];
  return leading === undefined ? undefined : Number(leading);
}

const LEADING_STATUS = /^\s*([1-5]\d\d)(?!\d)/;

/** A message that must not be received fits only an event that shows no receipt. */
function receiptFits({ receipt }: ContractMessage, { kind, point }: TraceEvent): boolean {
  return receipt !== 'never' || kind === 'lost' || point === 'send';
}

/** Is its status what is drawn, as far as it shows one? */
export function statusFits({ status: drawn, orReply }: Matcher, event: TraceEvent): boolean {
  const rule = event.kind === 'reply' ? (drawn ?? orReply?.status) : drawn;
  if (rule === undefined) return true;
  const status = statusOf(event);
  // A status that the trace does not show proves nothing; the verdict remarks how often that happened.
  if (status === undefined) return true;
  return rule.kind === 'anyOf' ? rule.rules.some((one) => isStatus(one, status)) : isStatus(rule, status);
}

function isStatus(rule: SingleStatusRule, status: number): boolean {
  switch (rule.kind) {
    case 'exact':
      return status === rule.status;
    case 'class':
      return Math.floor(status / 100) === rule.hundreds;
    case 'success':
      return status === 0 || (status >= 200 && status < 300);
    case 'error':
      // gRPC codes 1 to 16 are errors, as are 4xx and 5xx.
      return (status >= 1 && status <= 16) || status >= 400;
  }
}

const hopKey = (from: string, to: string, link: string): string => `${from}>${to}#${link}`;

export function compileSelector(selector: Selector): CompiledSelector {
  return { name: foldName(selector.name), when: testOf(selector.when) };
}

export function matchesAny(selectors: readonly CompiledSelector[], folded: string, scope: ExpressionScope): boolean {
  return selectors.some(({ name, when }) => name === folded && (when === null || when(scope)));
}

export function testOf(expression: string | undefined): Test | null {
  if (expression === undefined) return null;
  const compiled = compileExpression(expression);
  if ('error' in compiled) throw new Error(`"${expression}" was compiled when the contract was made, and now is not`);
  return compiled.test;
}

export function valueOf(expression: string): (scope: ExpressionScope) => string | null {
  const compiled = compileExpression(expression);
  if ('error' in compiled) throw new Error(`"${expression}" was compiled when the contract was made, and now is not`);
  return (scope) => {
    const value = compiled.value(scope);
    return value === undefined || value === '' ? null : String(value);
  };
}
