import type { Contract } from '../../contract/index.ts';
import { receivedDomainOf, type TraceEvent } from '../../trace/index.ts';
import { Labeller, type Label, type Values } from '../labels.ts';
import { OnTheirWay } from '../look-alikes.ts';
import type { End, Machine } from '../run.ts';
import { Recent } from '../recent.ts';
import { INSTANCES_MAX } from '../slices.ts';
import { BoundMet } from '../terms.ts';
import { Automaton, DEAD, type Letter, type State } from './automaton.ts';
import { EXTENDED, FAILED, LiveInstances, TAKEN_ANY, TAKEN_WHOLE, UNCLEAR, type Instance } from './live-instances.ts';
import { Receipts } from './receipts.ts';

export interface StreamOptions {
  /** The trace declares its beginning, and says which event caused which. */
  readonly begun: boolean;
  readonly hasParents: boolean;
  readonly hasReplyTo?: boolean;
  readonly instancesMax?: number;
  readonly statesMax?: number;
  /** Events remembered as possible parents and calls. */
  readonly rememberedMax?: number;
  /** Events held back while a call waits for the reply that names its instance. */
  readonly heldMax?: number;
}

/**
 * `broken`: it did what the drawing does not allow. `open`: it stopped half way. `unclear`: only the whole checker can tell,
 * as events that look alike were on their way at once, or a reply named a call that had not been made. Values stand in the
 * order of the key; '' is none.
 */
export interface FailingInstance {
  readonly kind: 'broken' | 'open' | 'unclear';
  readonly values: readonly string[];
}

/** What a whole trace came to, without its events. */
export interface StreamFindings {
  /** Runs that went through the drawing as drawn, and instances in which each contract message was taken. */
  readonly conforming: number;
  readonly events: number;
  readonly taken: readonly number[];
  readonly instancesTaking: readonly number[];
  /** Keys (values in the order of the contract's key) that only the whole checker can judge: they broke the drawing, stand open, or are unclear. */
  readonly failing: readonly FailingInstance[];
  /** Why nothing can be said: a bound that was met, or something in the trace that needs the whole checker. */
  readonly unable: string | null;
}

export const HELD_MAX = 10_000;
/** A parent further back than this is treated like one that is not in the trace. */
export const REMEMBERED_MAX = 200_000;
/** Words of the key's values are joined by a character that no value of a trace holds unescaped. */
const SEPARATOR = '\u0000';

interface Held {
  readonly event: TraceEvent;
  readonly label: Label;
  values: Values;
  /** It waits for the reply of this call. */
  waitsFor: string | null;
}

/** One end of a labelled event, on its way to the instances that it belongs to. */
interface Step {
  readonly letter: Letter;
  readonly messages: readonly number[];
  readonly isWrongStatus: boolean;
  readonly counts: boolean;
  readonly binding: Binding;
  /** Positions of its event's ends; the same one where it shows only one. */
  readonly sent: number;
  readonly received: number;
  /** It answers a call that was never made, or is not made yet. */
  readonly isOfUnknownCall: boolean;
}

/** The values of the contract's key that an event carries. */
interface Binding {
  readonly values: readonly (string | undefined)[];
  readonly known: number;
  readonly name: string;
}

/**
 * Judges a trace event by event, in memory that grows with the live instances, not with the trace. It decides which
 * instances went as drawn; the others are named, and the whole checker tells what is wrong with them from a second reading.
 * Its verdicts are those of the whole checker (a property test compares them).
 */
export class StreamChecker {
  readonly #contract: Contract;
  readonly #options: StreamOptions;
  readonly #machine: Machine;
  readonly #automaton: Automaton;
  readonly #labeller: Labeller;
  readonly #instances: LiveInstances;
  readonly #standing: ReadonlyMap<number, number>;
  readonly #standingSeen = new Set<number>();
  readonly #held: Held[] = [];
  #heldFrom = 0;
  readonly #callValues: Recent<Held>;
  readonly #standingMessages: ReadonlySet<number>;
  readonly #receipts = new Receipts<Step>();
  /** What each instance has on its way, where it has anything. */
  readonly #onTheirWay = new Map<Instance, OnTheirWay>();
  readonly #bindings = new WeakMap<Values, Binding>();
  /** Whole instances by one value, per place of the key; made when an event first carries that value alone. */
  readonly #byValue: (Map<string, Set<Instance>> | null)[];
  #keyedByTrace: boolean | null;
  #places: number;
  #domain: string | undefined | null = null;
  #events = 0;
  #conforming = 0;
  readonly #taken: number[];
  readonly #instancesTaking: number[];
  #unable: string | null = null;

  /** null: the contract uses what only the whole checker knows. */
  static for(machine: Machine, options: StreamOptions): StreamChecker | null {
    return isStreamable(machine) ? new StreamChecker(machine, options) : null;
  }

  private constructor(machine: Machine, options: StreamOptions) {
    const { contract } = machine;
    this.#contract = contract;
    this.#options = options;
    this.#machine = machine;
    this.#automaton = new Automaton(machine, options.statesMax);
    this.#labeller = new Labeller(contract, {
      hasParents: options.hasParents,
      hasReplyTo: options.hasReplyTo ?? false,
      rememberedMax: options.rememberedMax ?? REMEMBERED_MAX,
    });
    this.#instances = new LiveInstances(contract.messages.length);
    this.#callValues = new Recent(options.rememberedMax ?? REMEMBERED_MAX);
    this.#standingMessages = new Set(contract.standing.map(({ message }) => message));
    this.#standing = new Map(contract.standing.map(({ message, before }) => [before ?? -1, message]));
    this.#keyedByTrace = contract.key.length > 0 ? false : null;
    this.#places = contract.key.length;
    this.#byValue = contract.key.map(() => null);
    this.#taken = contract.messages.map(() => 0);
    this.#instancesTaking = contract.messages.map(() => 0);
  }

  get liveInstances(): number {
    return this.#instances.size;
  }

  push(event: TraceEvent): void {
    if (this.#unable !== null) return;
    this.#events++;
    if (this.#domain === null) this.#domain = event.domain;
    if (this.#domain !== event.domain || receivedDomainOf(event) !== event.domain)
      this.#giveUp('the trace has several domains');
    const label = this.#labeller.label(event);
    if (label.messages.length + label.wrongStatus.length === 0) {
      if (this.#held.length > this.#heldFrom) this.#release(event.replyTo);
      return;
    }
    this.#decideKey(event);
    this.#hold(event, label);
  }

  finish(): StreamFindings {
    this.#release(undefined, true);
    try {
      this.#deliverReceipts(Infinity);
    } catch (error) {
      this.#catch(error);
    }
    const failing: FailingInstance[] = [];
    for (const instance of this.#instances.all()) this.#judgeAtEnd(instance, failing);
    return {
      conforming: this.#conforming,
      events: this.#events,
      taken: this.#taken,
      instancesTaking: this.#instancesTaking,
      failing,
      unable: this.#unable,
    };
  }

  #judgeAtEnd(instance: Instance, failing: FailingInstance[]): void {
    const instances = this.#instances;
    if (instances.has(instance, EXTENDED)) return;
    const isBroken = instances.has(instance, FAILED);
    if (!isBroken && this.#automaton.accepts(instances.state(instance))) {
      this.#end(instance);
      return;
    }
    const kind = instances.has(instance, UNCLEAR) ? 'unclear' : isBroken ? 'broken' : 'open';
    failing.push({ kind, values: instances.nameOf(instance).split(SEPARATOR) });
  }

  /** Without a key, a trace with trace ids is split by them; that must then hold for all its events. */
  #decideKey(event: TraceEvent): void {
    if (this.#keyedByTrace === null) {
      this.#keyedByTrace = event.traceId !== undefined;
      this.#places = this.#keyedByTrace ? 1 : 0;
    } else if (this.#contract.key.length === 0 && this.#keyedByTrace !== (event.traceId !== undefined))
      this.#giveUp('only some events carry a trace id');
  }

  #giveUp(reason: string): void {
    this.#unable ??= reason;
  }

  /** A call and its reply share their values: a call that does not show its instance waits for its reply. */
  #hold(event: TraceEvent, label: Label): void {
    const held: Held = { event, label, values: label.values, waitsFor: null };
    if (event.kind === 'reply' && event.replyTo !== undefined) this.#shareWithCall(held, event.replyTo);
    if (event.kind === 'call' && event.id !== undefined && this.#contract.key.length > 0) {
      this.#callValues.set(event.id, held);
      if (this.#contract.key.some((name) => !label.values.has(name))) held.waitsFor = event.id;
    }
    const isEmpty = this.#held.length === this.#heldFrom;
    if (isEmpty && held.waitsFor === null) {
      this.#dispatch(held);
      return;
    }
    this.#held.push(held);
    this.#release(event.kind === 'reply' ? event.replyTo : undefined);
  }

  #shareWithCall(reply: Held, id: string): void {
    const call = this.#callValues.get(id);
    if (call === undefined) return;
    this.#callValues.delete(id);
    if (reply.label.values !== call.values) {
      const [own, asked] = [reply.values, call.values];
      reply.values = new Map([...asked, ...own]);
      call.values = new Map([...own, ...asked]);
    }
    call.waitsFor = null;
  }

  /** Lets go what waits no longer; a reply that is outside the contract ends the waiting all the same. */
  #release(repliedTo: string | undefined, all = false): void {
    const waiting = repliedTo === undefined ? undefined : this.#callValues.get(repliedTo);
    if (waiting !== undefined) waiting.waitsFor = null;
    const heldMax = this.#options.heldMax ?? HELD_MAX;
    for (let first = this.#held[this.#heldFrom]; first !== undefined; first = this.#held[this.#heldFrom]) {
      if (first.waitsFor !== null && !all && this.#held.length - this.#heldFrom <= heldMax) break;
      this.#heldFrom++;
      this.#dispatch(first);
    }
    if (this.#heldFrom < 1_024) return;
    this.#held.splice(0, this.#heldFrom);
    this.#heldFrom = 0;
  }

  #dispatch({ event, label, values }: Held): void {
    try {
      this.#deliverReceipts(event.seq);
      const isTwoEnded = event.receivedSeq !== undefined;
      this.#deliver(this.#stepOf(event, label, values, isTwoEnded ? 'send' : singleEnd(event)));
      if (event.receivedSeq !== undefined)
        this.#receipts.add(event.receivedSeq, this.#stepOf(event, label, values, 'receive'));
    } catch (error) {
      this.#catch(error);
    }
  }

  #catch(error: unknown): void {
    if (!(error instanceof BoundMet)) throw error;
    this.#giveUp(`bound met: ${error.bound}`);
  }

  #deliverReceipts(before: number): void {
    if (this.#receipts.size === 0) return;
    for (let step = this.#receipts.takeBefore(before); step !== undefined; step = this.#receipts.takeBefore(before))
      this.#deliver(step);
  }

  #stepOf(event: TraceEvent, label: Label, values: Values, end: End): Step {
    const isWrongStatus = label.messages.length === 0;
    const messages = isWrongStatus ? label.wrongStatus : label.messages;
    if (this.#standing.size > 0) for (const message of messages) this.#noteStanding(message);
    const binding = this.#keyedByTrace === true ? bindingOf([event.traceId]) : this.#bindingOf(values);
    return {
      letter: this.#automaton.letter(messages, end),
      messages,
      isWrongStatus,
      counts: end !== 'receive',
      binding,
      sent: event.seq,
      received: event.receivedSeq ?? event.seq,
      isOfUnknownCall: this.#options.begun && this.#labeller.isOfUnknownCall(event),
    };
  }

  /** Equal values are mostly one object: their binding is made once. */
  #bindingOf(values: Values): Binding {
    let binding = this.#bindings.get(values);
    if (binding === undefined)
      this.#bindings.set(values, (binding = bindingOf(this.#contract.key.map((name) => values.get(name)))));
    return binding;
  }

  #noteStanding(message: number): void {
    if (this.#isStanding(message)) this.#standingSeen.add(message);
  }

  #isStanding(message: number): boolean {
    return this.#standingMessages.has(message);
  }

  #deliver(step: Step): void {
    if (this.#standing.size > 0 && step.messages.every((message) => this.#isStanding(message))) return;
    const { name, values, known } = step.binding;
    const own = this.#instances.find(name) ?? this.#create(name, values);
    this.#step(own, step, true);
    if (known === this.#places) return;
    for (const instance of this.#extending(step.binding)) if (instance !== own) this.#step(instance, step, false);
  }

  /** A new instance begins where the largest one that it extends stands. */
  #create(name: string, values: readonly (string | undefined)[]): Instance {
    if (this.#instances.size >= (this.#options.instancesMax ?? INSTANCES_MAX))
      throw new BoundMet(`${this.#options.instancesMax ?? INSTANCES_MAX} instances`);
    const parts = this.#partsOf(values);
    const [largest, ...others] = parts;
    const instance = this.#instances.add(
      name,
      largest === undefined ? this.#automaton.initial : this.#instances.state(largest),
      largest ?? null,
    );
    const underWay = largest === undefined ? undefined : this.#onTheirWay.get(largest);
    if (underWay !== undefined) this.#onTheirWay.set(instance, underWay.copy());
    for (const part of parts) this.#instances.mark(part, EXTENDED);
    // Two parts that both took events: their order is not known any more.
    const rivals = others.filter(
      (part) => !isRoot(this.#instances.nameOf(part)) && this.#instances.has(part, TAKEN_ANY),
    );
    if (rivals.length > 0) this.#instances.mark(instance, FAILED);
    if (this.#isExtended(values)) this.#instances.mark(instance, EXTENDED);
    this.#index(instance, values);
    return instance;
  }

  /** Existing instances whose binding is a part of this one, largest first. */
  #partsOf(values: readonly (string | undefined)[]): Instance[] {
    if (this.#places === 0) return [];
    const names =
      this.#places === 2 && values[0] !== undefined && values[1] !== undefined
        ? [nameOf([values[0], undefined]), nameOf([undefined, values[1]]), nameOf([undefined, undefined])]
        : [nameOf(values.map(() => undefined))];
    return names.flatMap((name) => {
      const found = name === nameOf(values) ? undefined : this.#instances.find(name);
      return found === undefined ? [] : [found];
    });
  }

  /** Is there an instance that extends this partial binding already? */
  #isExtended(values: readonly (string | undefined)[]): boolean {
    const known = values.filter((value) => value !== undefined).length;
    if (known === this.#places) return false;
    if (known === 0) return this.#instances.size > 1;
    return [...this.#holding(values)].length > 0;
  }

  *#extending(binding: Binding): Generator<Instance> {
    if (binding.known === 0) yield* [...this.#instances.all()];
    else yield* [...this.#holding(binding.values)];
  }

  /** Whole instances that hold the one known value. */
  #holding(values: readonly (string | undefined)[]): ReadonlySet<Instance> {
    const place = values.findIndex((value) => value !== undefined);
    return this.#indexOf(place).get(values[place] ?? '') ?? new Set();
  }

  #indexOf(place: number): Map<string, Set<Instance>> {
    let index = this.#byValue[place];
    if (index !== null && index !== undefined) return index;
    index = new Map();
    this.#byValue[place] = index;
    for (const instance of this.#instances.all()) this.#addTo(index, place, instance);
    return index;
  }

  #index(instance: Instance, values: readonly (string | undefined)[]): void {
    if (values.includes(undefined)) return;
    this.#byValue.forEach((index, place) => {
      if (index !== null) this.#addTo(index, place, instance);
    });
  }

  #addTo(index: Map<string, Set<Instance>>, place: number, instance: Instance): void {
    const values = this.#instances.nameOf(instance).split(SEPARATOR);
    const value = values[place] ?? '';
    if (values.includes('')) return;
    const holding = index.get(value);
    if (holding === undefined) index.set(value, new Set([instance]));
    else holding.add(instance);
  }

  #step(instance: Instance, step: Step, hasWholeKey: boolean): void {
    const instances = this.#instances;
    if (instances.has(instance, FAILED)) return;
    if (step.isWrongStatus) {
      instances.mark(instance, FAILED);
      return;
    }
    if (step.isOfUnknownCall || this.#isUnclear(instance, step)) {
      instances.mark(instance, FAILED | UNCLEAR);
      this.#onTheirWay.delete(instance);
      return;
    }
    const state = instances.state(instance);
    const next = this.#automaton.next(state, step.letter);
    if (next === DEAD) this.#stepBeyond(instance, step, hasWholeKey);
    else this.#accept(instance, state, next, step, hasWholeKey);
  }

  /** Could the receipt of this event be mistaken for that of another one that the instance has on its way? */
  #isUnclear(instance: Instance, { messages, counts, sent, received }: Step): boolean {
    let underWay = this.#onTheirWay.get(instance);
    if (!counts) {
      if (underWay?.isOver(received) === true) this.#onTheirWay.delete(instance);
      return false;
    }
    if (underWay === undefined && sent === received) return false;
    const { lookAlikes } = this.#machine;
    const look = lookAlikes.look(messages);
    if (underWay?.wouldConfuse(look, sent, received) === true) return true;
    if (sent === received) return false;
    if (underWay === undefined) this.#onTheirWay.set(instance, (underWay = new OnTheirWay(lookAlikes)));
    underWay.add(look, received);
    return false;
  }

  #accept(instance: Instance, state: State, next: State, step: Step, hasWholeKey: boolean): void {
    const instances = this.#instances;
    instances.setState(instance, next);
    instances.mark(instance, hasWholeKey ? TAKEN_ANY | TAKEN_WHOLE : TAKEN_ANY);
    if (!step.counts) return;
    const message = this.#automaton.taken(state, step.letter);
    const isFirst = !instances.hasTaken(instance, message);
    instances.take(instance, message);
    this.#taken[message] = (this.#taken[message] ?? 0) + 1;
    if (!isFirst || this.#standing.size === 0) return;
    const relied = this.#standing.get(message);
    if (relied !== undefined && !this.#standingSeen.has(relied)) instances.mark(instance, FAILED);
  }

  /** The letter is not possible now: a new run, somebody else's business, or a fault. */
  #stepBeyond(instance: Instance, step: Step, hasWholeKey: boolean): void {
    const instances = this.#instances;
    const state = instances.state(instance);
    const couldBegin = this.#automaton.next(this.#automaton.initial, step.letter) !== DEAD;
    const isFresh = !instances.has(instance, TAKEN_ANY);
    const isOver = this.#automaton.isOver(state) || (this.#isKeyless && hasWholeKey);
    if (!isFresh && couldBegin && isOver && this.#automaton.accepts(state)) {
      this.#end(instance);
      this.#begin(instance, step, hasWholeKey);
      return;
    }
    const isPast = (message: number): boolean =>
      instances.hasTaken(instance, message) && !this.#machine.recurring.has(message);
    if (!hasWholeKey && step.messages.every(isPast)) {
      if (!instances.has(instance, TAKEN_WHOLE) && couldBegin) this.#begin(instance, step, hasWholeKey);
      return;
    }
    instances.mark(instance, FAILED);
  }

  get #isKeyless(): boolean {
    return this.#places === 0;
  }

  #begin(instance: Instance, step: Step, hasWholeKey: boolean): void {
    const { initial } = this.#automaton;
    this.#instances.reset(instance, initial);
    this.#accept(instance, initial, this.#automaton.next(initial, step.letter), step, hasWholeKey);
  }

  #end(instance: Instance): void {
    this.#conforming++;
    for (let message = 0; message < this.#instancesTaking.length; message++)
      if (this.#instances.hasTaken(instance, message))
        this.#instancesTaking[message] = (this.#instancesTaking[message] ?? 0) + 1;
  }
}

function bindingOf(values: readonly (string | undefined)[]): Binding {
  const known = values.reduce((count, value) => (value === undefined ? count : count + 1), 0);
  return { values, known, name: nameOf(values) };
}

const nameOf = (values: readonly (string | undefined)[]): string =>
  values.length === 1 ? (values[0] ?? '') : values.map((value) => value ?? '').join(SEPARATOR);

const isRoot = (name: string): boolean => name.replaceAll(SEPARATOR, '') === '';

function singleEnd({ point }: TraceEvent): End {
  if (point === 'send') return 'only-send';
  return point === 'receive' ? 'only-receive' : 'both';
}

/** Parts of a contract that need nothing of the stream, or that it knows; with anything else the whole checker judges. */
const KNOWN: ReadonlySet<string> = new Set<keyof Contract>([
  'v',
  'spec',
  'binding',
  'order',
  'lifelines',
  'drawn',
  'fragments',
  'messages',
  'term',
  'parameters',
  'key',
  'only',
  'unordered',
  'ordered',
  'bridged',
  'standing',
  'closed',
  'notes',
  'replaced',
  'gaps',
  'inlined',
]);
const KNOWN_NODES = new Set(['message', 'seq', 'alt', 'opt', 'loop', 'par', 'concurrent']);

function isStreamable({ contract, watch }: Machine): boolean {
  const isKnown = Object.entries(contract).every(([key, value]) => KNOWN.has(key) || isEmpty(value));
  const isPlain = contract.messages.every(
    ({ from, to, receipt, retry, entry }) =>
      from !== null && to !== null && receipt !== 'never' && retry === undefined && entry === undefined,
  );
  return (
    isKnown && isPlain && watch === null && !contract.closed && contract.key.length <= 2 && hasKnownNodes(contract)
  );
}

const isEmpty = (value: unknown): boolean => value === undefined || (Array.isArray(value) && value.length === 0);

function hasKnownNodes({ term }: Contract): boolean {
  const pending: unknown[] = [term];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    if ('kind' in next && !KNOWN_NODES.has(String(next.kind))) return false;
    for (const value of Object.values(next)) if (typeof value === 'object' && value !== null) pending.push(value);
  }
  return true;
}
