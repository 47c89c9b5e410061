import {
  compileExpression,
  foldLabel,
  foldName,
  matchTemplate,
  readRequestLine,
  type Contract,
  type ContractMessage,
  type ExpressionScope,
  type Matcher,
  type RequestLine,
  type Selector,
  type UrlTemplate,
} from '../contract/index.ts';
import type { SourcedEvent, TraceEvent } from '../trace/index.ts';

/** Parameter name to value, only those that are known. */
export type Values = ReadonlyMap<string, string>;

/** What an event can be, before anybody asks for order. */
export interface Label {
  /** Contract messages that it can be taken for; the choice among them is made by the order. */
  readonly messages: readonly number[];
  /** Replies that it would be, if its status were what is drawn. */
  readonly wrongStatus: readonly number[];
  readonly values: Values;
}

export interface LabelledEvent extends Label {
  readonly index: number;
  readonly sourced: SourcedEvent;
}

/** How far a chain of parents is followed: a real one is a few calls deep, a longer one is a loop. */
const PARENTS_MAX = 1_000;

type Test = (scope: ExpressionScope) => boolean;

interface CompiledSelector {
  readonly name: string;
  readonly when: Test;
}

/** Labels the events of one trace, in order. What an event can be depends on what its call and its parents can be. */
export class Labeller {
  readonly #contract: Contract;
  readonly #only: Test;
  readonly #selectors: readonly (readonly CompiledSelector[])[];
  readonly #messages: readonly CompiledMessage[];
  readonly #standing: ReadonlySet<number>;
  readonly #parameters: readonly {
    readonly name: string;
    readonly valueOf: (scope: ExpressionScope) => string | null;
  }[];
  readonly #events = new Map<string, { readonly event: TraceEvent; readonly label: Label }>();
  readonly #replied = new Set<string>();
  readonly #openCalls: { readonly id: string; readonly event: TraceEvent; readonly label: Label }[] = [];
  readonly #links: ReadonlySet<string>;
  readonly #hops = new Set<string>();
  readonly #hasParents: boolean;

  constructor(contract: Contract, events: readonly SourcedEvent[]) {
    this.#contract = contract;
    this.#only = testOf(contract.only);
    this.#selectors = contract.lifelines.map((lifeline) => lifeline.traced.map(compileSelector));
    this.#messages = contract.messages.map((message) => compileMessage(message));
    this.#standing = new Set(contract.standing.map((entry) => entry.message));
    this.#links = new Set(contract.messages.flatMap(({ match }) => (match.via === undefined ? [] : [match.via.link])));
    this.#hasParents = events.some(({ event }) => event.parent !== undefined);
    this.#parameters = contract.parameters.flatMap(({ name, from }) =>
      from === undefined ? [] : [{ name, valueOf: valueOf(from) }],
    );
  }

  label(event: TraceEvent): Label {
    const scope = event satisfies ExpressionScope;
    const inScope = this.#only(scope);
    const own = this.#ownValues(scope);
    const found: number[] = [];
    const wrongStatus: number[] = [];
    const captured = new Map<string, string>();
    for (const compiled of this.#messages) {
      const { message } = compiled;
      if (!inScope && !this.#standing.has(message.index)) continue;
      const match = this.#match(compiled, event, scope, own);
      if (match === null) continue;
      if (match.statusFits) found.push(message.index);
      else wrongStatus.push(message.index);
      for (const [name, value] of match.captures) captured.set(name, value);
    }
    const values = found.length + wrongStatus.length === 0 ? own : new Map([...captured, ...own]);
    const label = { messages: found, wrongStatus, values };
    this.#remember(event, label, scope);
    return label;
  }

  /** Are both ends drawn participants? For `closed` and for the list of traffic that no arrow explains. */
  isBetweenDrawn(event: TraceEvent): boolean {
    return this.#isDrawn(event.from, event) && this.#isDrawn(event.to, event);
  }

  #isDrawn(name: string, event: TraceEvent): boolean {
    return this.#selectors.some((selectors) => matchesAny(selectors, name, event));
  }

  #match(compiled: CompiledMessage, event: TraceEvent, scope: ExpressionScope, own: Values): MatchFound | null {
    const { message } = compiled;
    if (!this.#kindFits(message, event)) return null;
    if (!this.#endFits(message.to, event.to, event)) return null;
    if (!(compiled.via === null ? this.#endFits(message.from, event.from, event) : this.#relayed(compiled, event)))
      return null;
    const captures = compiled.content(event, scope);
    if (captures === null) return null;
    for (const [name, value] of captures) if (own.has(name) && own.get(name) !== value) return null;
    if (message.kind === 'reply' && !this.#answers(message, event)) return null;
    if (!this.#insideFits(message, event, own)) return null;
    return { captures, statusFits: statusFits(message.match, event) };
  }

  #kindFits(message: ContractMessage, event: TraceEvent): boolean {
    switch (message.kind) {
      case 'call':
        return event.kind === 'call';
      case 'reply':
        return event.kind === 'reply';
      case 'send':
        // A dashed arrow whose call is not drawn is an ordinary message; it may well show as a reply.
        return event.kind !== 'reply' || this.#contract.drawn[message.drawn]?.style === 'dashed';
    }
  }

  #endFits(lifeline: number | null, name: string, event: TraceEvent): boolean {
    if (lifeline === null) return true;
    return matchesAny(this.#selectors[lifeline] ?? [], name, event);
  }

  /** The event is the last hop of a relay; the earlier hops must have been seen, with an equal link. */
  #relayed(compiled: CompiledMessage, event: TraceEvent): boolean {
    const { message, via } = compiled;
    if (via === null || message.from === null) return false;
    const last = via.relays.at(-1) ?? [];
    if (!matchesAny(last, event.from, event)) return false;
    const link = event.attributes?.[via.link];
    if (link === undefined) return false;
    const stations = [this.#selectors[message.from] ?? [], ...via.relays];
    return stations
      .slice(1)
      .every((to, index) => this.#sawHop(stations[index] ?? [], to, `${via.link}=${String(link)}`));
  }

  #sawHop(from: readonly CompiledSelector[], to: readonly CompiledSelector[], link: string): boolean {
    return from.some((a) => to.some((b) => this.#hops.has(hopKey(a.name, b.name, link))));
  }

  /** A reply belongs to its call: by `replyTo`; without it to the latest open call the other way; to any if that call is not in the trace. */
  #answers(message: ContractMessage, event: TraceEvent): boolean {
    if (message.replyOf === undefined) return true;
    const call = event.replyTo === undefined ? this.#latestOpenCall(event) : this.#events.get(event.replyTo);
    if (call === undefined) return true;
    return call.label.messages.includes(message.replyOf);
  }

  #latestOpenCall(reply: TraceEvent): { readonly event: TraceEvent; readonly label: Label } | undefined {
    return this.#openCalls.findLast(
      ({ event }) =>
        foldName(event.from) === foldName(reply.to) &&
        foldName(event.to) === foldName(reply.from) &&
        event.traceId === reply.traceId,
    );
  }

  #insideFits(message: ContractMessage, event: TraceEvent, own: Values): boolean {
    const { inside } = message.match;
    switch (inside.kind) {
      case 'free':
        return true;
      case 'caller': {
        if (inside.call === null) return true;
        const served = this.#servedCall(event, own);
        return served === null || served.messages.includes(inside.call);
      }
      case 'message':
        return this.#isCausedBy(inside.message, event);
    }
  }

  /** The call that the sender is serving: the nearest ancestor that is a call to the sender; null: none, or not in this trace. */
  #servedCall(event: TraceEvent, own: Values): Label | null {
    if (!this.#hasParents) return this.#inferServedCall(event, own);
    const sender = foldName(event.from);
    for (const ancestor of this.#ancestors(event))
      if (ancestor.event.kind === 'call' && foldName(ancestor.event.to) === sender) return ancestor.label;
    return null;
  }

  /** Without parents: the latest open call to the sender that shares a parameter value and contradicts none. */
  #inferServedCall(event: TraceEvent, own: Values): Label | null {
    const sender = foldName(event.from);
    const call = this.#openCalls.findLast(
      (open) => foldName(open.event.to) === sender && sharesValues(open.label.values, own),
    );
    return call?.label ?? null;
  }

  /** What made the sender act is the nearest ancestor that it received; further ones made others act. */
  #isCausedBy(message: number, event: TraceEvent): boolean {
    const sender = foldName(event.from);
    let isWholeChainKnown = true;
    for (const ancestor of this.#ancestors(event, () => (isWholeChainKnown = false)))
      if (foldName(ancestor.event.to) === sender) return ancestor.label.messages.includes(message);
    // A parent that is not in the trace proves nothing either way.
    return !isWholeChainKnown;
  }

  *#ancestors(
    event: TraceEvent,
    onUnknown?: () => void,
  ): Generator<{ readonly event: TraceEvent; readonly label: Label }> {
    let parent = event.parent;
    for (let steps = 0; parent !== undefined && steps < PARENTS_MAX; steps++) {
      const known = this.#events.get(parent);
      if (known === undefined) {
        onUnknown?.();
        return;
      }
      yield known;
      parent = known.event.parent;
    }
  }

  #ownValues(scope: ExpressionScope): Values {
    const values = new Map<string, string>();
    for (const { name, valueOf: read } of this.#parameters) {
      const value = read(scope);
      if (value !== null) values.set(name, value);
    }
    return values;
  }

  #remember(event: TraceEvent, label: Label, scope: ExpressionScope): void {
    if (event.id !== undefined) this.#events.set(event.id, { event, label });
    for (const link of this.#links) {
      const value = scope.attributes?.[link];
      if (value !== undefined)
        this.#hops.add(hopKey(foldName(event.from), foldName(event.to), `${link}=${String(value)}`));
    }
    if (event.kind === 'call') this.#openCalls.push({ id: event.id ?? '', event, label });
    if (event.kind === 'reply') this.#close(event);
  }

  #close(reply: TraceEvent): void {
    const call = reply.replyTo ?? this.#latestOpenCall(reply)?.event.id;
    if (call !== undefined) this.#replied.add(call);
    const index = this.#openCalls.findLastIndex((open) =>
      call === undefined ? open.event === this.#latestOpenCall(reply)?.event : open.id === call,
    );
    if (index >= 0) this.#openCalls.splice(index, 1);
  }
}

interface MatchFound {
  readonly captures: Values;
  readonly statusFits: boolean;
}

interface CompiledMessage {
  readonly message: ContractMessage;
  readonly via: { readonly relays: readonly (readonly CompiledSelector[])[]; readonly link: string } | null;
  /** What the event must say, apart from its ends: the captured parameters, or null. */
  readonly content: (event: TraceEvent, scope: ExpressionScope) => Values | null;
}

const NOTHING_CAPTURED: Values = new Map();

function compileMessage(message: ContractMessage): CompiledMessage {
  const { match } = message;
  const when = testOf(match.when);
  const label = match.label === undefined ? null : foldLabel(match.label);
  return {
    message,
    via:
      (match.via && { relays: match.via.relays.map((relay) => relay.map(compileSelector)), link: match.via.link }) ||
      null,
    content(event, scope) {
      if (label !== null && foldLabel(event.label) !== label) return null;
      const captures = match.template === undefined ? NOTHING_CAPTURED : captureRequest(match.template, event);
      if (captures === null || !when(scope)) return null;
      return captures;
    },
  };
}

function captureRequest(template: UrlTemplate, event: TraceEvent): Values | null {
  const request = requestOf(event);
  return request === null ? null : matchTemplate(template, request.method, request.path, request.query);
}

/** Method, path and query of an event: from OpenTelemetry's HTTP attributes, else from a label of that form. */
function requestOf(event: TraceEvent): RequestLine | null {
  const attributes = event.attributes ?? {};
  const [method, path, query] = [attributes['http.request.method'], attributes['url.path'], attributes['url.query']];
  if (typeof method !== 'string' || typeof path !== 'string') return readRequestLine(event.label);
  return { method, path, query: typeof query === 'string' ? query : null };
}

function statusFits(match: Matcher, event: TraceEvent): boolean {
  if (match.status === undefined || event.status === undefined) return true;
  const { status } = event;
  switch (match.status.kind) {
    case 'exact':
      return status === match.status.status;
    case 'success':
      return status === 0 || (status >= 200 && status < 300);
    case 'error':
      // gRPC codes 1 to 16 are errors, as are 4xx and 5xx.
      return (status >= 1 && status <= 16) || status >= 400;
  }
}

function sharesValues(a: Values, b: Values): boolean {
  let shared = 0;
  for (const [name, value] of a) {
    const other = b.get(name);
    if (other === undefined) continue;
    if (other !== value) return false;
    shared++;
  }
  return shared > 0;
}

const hopKey = (from: string, to: string, link: string): string => `${from}>${to}#${link}`;

function compileSelector(selector: Selector): CompiledSelector {
  return { name: foldName(selector.name), when: testOf(selector.when) };
}

function matchesAny(selectors: readonly CompiledSelector[], name: string, scope: ExpressionScope): boolean {
  const folded = foldName(name);
  return selectors.some((selector) => selector.name === folded && selector.when(scope));
}

function testOf(expression: string | undefined): Test {
  if (expression === undefined) return () => true;
  const compiled = compileExpression(expression);
  if ('error' in compiled) throw new Error(`"${expression}" was compiled when the contract was made, and now is not`);
  return compiled.test;
}

function valueOf(expression: string): (scope: ExpressionScope) => string | null {
  const compiled = compileExpression(expression);
  if ('error' in compiled) throw new Error(`"${expression}" was compiled when the contract was made, and now is not`);
  return (scope) => {
    const value = compiled.value(scope);
    return value === undefined || value === '' ? null : String(value);
  };
}
