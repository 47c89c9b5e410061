import type { Contract } from '../../contract/index.ts';
import { EVENT_KINDS, NO_TEXT, receivedDomainOf, type NumberedEvent, type TraceEvent } from '../../trace/index.ts';
import { Labeller, type Label, type Values } from '../labels.ts';
import { OnTheirWay } from '../look-alikes.ts';
import type { End, Machine } from '../run.ts';
import { Recent } from '../recent.ts';
import { INSTANCES_MAX } from '../slices.ts';
import { BoundMet } from '../terms.ts';
import { Automaton, DEAD, type Letter, type State } from './automaton.ts';
import { FinishedRuns, LISTED_MAX } from './finished-runs.ts';
import {
  EXTENDED,
  FAILED,
  LiveInstances,
  TAKEN_ANY,
  TAKEN_WHOLE,
  UNCLEAR,
  type Binding,
  type Instance,
} from './live-instances.ts';
import type { NumberedLabel } from './numbered-labels.ts';
import { Receipts } from './receipts.ts';
import { isStreamable } from './streamable.ts';
import { NOBODY, ValueIndex } from './value-index.ts';

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
  /** Runs that went as drawn and are listed; further ones are only counted. */
  readonly listedMax?: number;
  /**
   * Whole instances that can take nothing more and are kept all the same, in case their names come again; default: all. A
   * name that comes again later is a new instance, whose runs are counted from 1.
   */
  readonly finishedMax?: number;
  /** Only runs of these instances are counted and listed. */
  readonly only?: ReadonlySet<string>;
  /** Is told of every event that belongs to the contract, once its values are known. */
  readonly onStep?: (step: Step) => void;
}

/**
 * `broken`: it did what the drawing does not allow. `open`: it stopped half way. `unclear`: only the whole checker can tell,
 * as events that look alike were on their way at once, or a reply named a call that had not been made. Values stand in the
 * order of the key; '' is none.
 */
export interface FailingInstance {
  readonly kind: 'broken' | 'open' | 'unclear';
  readonly name: string;
  readonly values: readonly string[];
  /** Instances that were made before it. */
  readonly serial: number;
}

/** What a whole trace came to, without its events. */
export interface StreamFindings {
  /** Runs that went through the drawing as drawn. */
  readonly conforming: number;
  readonly finished: FinishedRuns;
  readonly events: number;
  /** Keys (values in the order of the contract's key) that only the whole checker can judge: they broke the drawing, stand open, or are unclear. */
  readonly failing: readonly FailingInstance[];
  /** Instances are told apart by trace ids. */
  readonly isKeyedByTrace: boolean;
  /** Why nothing can be said: a bound that was met, or something in the trace that needs the whole checker. */
  readonly unable: string | null;
}

export const HELD_MAX = 10_000;
/** A parent further back than this is treated like one that is not in the trace. */
export const REMEMBERED_MAX = 200_000;
/** Words of the key's values are joined by a character that no value of a trace holds unescaped. */
const SEPARATOR = '\u0000';

/** An event that belongs to the contract, on its way to the instances that it belongs to. */
export interface Step {
  letter: Letter;
  /** The letter of its receipt, where that has a position of its own. */
  receipt: Letter | null;
  messages: readonly number[];
  isWrongStatus: boolean;
  /** It is more than a receipt. */
  counts: boolean;
  /** Positions of its event's ends; the same one where it shows only one. */
  sent: number;
  received: number;
  /** It answers a call that was never made, or is not made yet. */
  isOfUnknownCall: boolean;
  /** How many events came before, and where it was read. */
  index: number;
  line: number;
  binding: Binding;
  /** It is a call that waits for the reply that names its instance. */
  isWaiting: boolean;
}

/** A call that may share its values with its reply; the step itself where it is held back. */
interface Call {
  readonly binding: Binding;
  readonly step: Step | null;
}

const CALL = EVENT_KINDS.indexOf('call');
const REPLY = EVENT_KINDS.indexOf('reply');
const LOST = EVENT_KINDS.indexOf('lost');

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
  readonly #finished: FinishedRuns;
  /** By the message that relies on them: the standing messages that must have been shown before; -1: at all. */
  readonly #standing = new Map<number, number[]>();
  readonly #standingSeen = new Set<number>();
  readonly #standingMessages: ReadonlySet<number>;
  readonly #current: Step;
  readonly #held: Step[] = [];
  #heldFrom = 0;
  readonly #calls: Recent<Call>;
  /** Calls of numbered events, by the place of their id: their bindings, and the steps of those that wait. */
  readonly #callBindings: (Binding | null)[] = [];
  readonly #callSteps: (Step | null)[] = [];
  readonly #receipts = new Receipts<Step>();
  /** What each instance has on its way, where it has anything. */
  readonly #onTheirWay = new Map<Instance, OnTheirWay>();
  readonly #bindings = new WeakMap<Values, Binding>();
  /** Whole instances by one value, per place of the key; made when an event first carries that value alone. */
  readonly #byValue: (ValueIndex | null)[];
  /** Whole instances that can take nothing more, the oldest first. */
  readonly #over: Instance[] = [];
  #overFrom = 0;
  #hasForgotten = false;
  #hasPartial = false;
  #keyedByTrace: boolean | null;
  #places: number;
  #domain: string | undefined | null = null;
  #events = 0;
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
    this.#finished = new FinishedRuns(contract, options.listedMax ?? LISTED_MAX);
    this.#calls = new Recent(options.rememberedMax ?? REMEMBERED_MAX);
    this.#standingMessages = new Set(contract.standing.map(({ message }) => message));
    for (const { message, before } of contract.standing)
      this.#standing.set(before ?? -1, [...(this.#standing.get(before ?? -1) ?? []), message]);
    this.#keyedByTrace = contract.key.length > 0 ? false : null;
    this.#places = contract.key.length;
    this.#byValue = contract.key.map(() => null);
    this.#current = {
      letter: 0,
      receipt: null,
      messages: [],
      isWrongStatus: false,
      counts: true,
      sent: 0,
      received: 0,
      isOfUnknownCall: false,
      index: 0,
      line: 0,
      binding: this.bindingFor(contract.key.map(() => undefined)),
      isWaiting: false,
    };
  }

  get liveInstances(): number {
    return this.#instances.size;
  }

  /** Why it cannot go on. */
  get unable(): string | null {
    return this.#unable;
  }

  /** An event, in the order of the trace. Returns what it can be. */
  push(event: TraceEvent, line = 0): Label | null {
    if (this.#unable !== null) return null;
    const index = this.#events++;
    if (this.#domain === null) this.#domain = event.domain;
    if (this.#domain !== event.domain || receivedDomainOf(event) !== event.domain)
      this.#giveUp('the trace has several domains');
    const isOfUnknownCall = this.#options.begun && this.#labeller.isOfUnknownCall(event);
    const label = this.#labeller.label(event);
    const asked = event.kind === 'reply' && event.replyTo !== undefined ? this.#calls.get(event.replyTo) : undefined;
    if (label.messages.length + label.wrongStatus.length === 0) {
      this.#passBy(asked?.step ?? null);
      return label;
    }
    this.#decideKey(event.traceId !== undefined);
    const binding = this.#keyedByTrace === true ? this.bindingFor([event.traceId]) : this.#bindingOf(label.values);
    const step = this.#nextStep(label, binding, singleEnd(event), event.receivedSeq ?? -1);
    step.sent = event.seq;
    step.received = event.receivedSeq ?? event.seq;
    step.isOfUnknownCall = isOfUnknownCall;
    step.index = index;
    step.line = line;
    const id = event.kind === 'call' && this.#contract.key.length > 0 ? event.id : undefined;
    if (asked !== undefined && event.replyTo !== undefined) {
      this.#calls.set(event.replyTo, { binding: this.#share(step, asked.binding, asked.step), step: null });
    }
    const held = this.#hold(step, id !== undefined);
    if (id !== undefined) this.#calls.set(id, { binding: step.binding, step: held });
    return label;
  }

  /** The same for a numbered event, which was labelled already; `callPlace` and `idPlace`: of what it answers, and of its own id. */
  pushNumbered(
    event: NumberedEvent,
    label: NumberedLabel | null,
    { callPlace, idPlace }: { readonly callPlace: number; readonly idPlace: number },
  ): void {
    if (this.#unable !== null) return;
    const index = this.#events++;
    const isKeyed = this.#contract.key.length > 0;
    const isAnswer = isKeyed && callPlace >= 0 && event.kind === REPLY;
    const asked = isAnswer ? (this.#callBindings[callPlace] ?? null) : null;
    const call = isAnswer ? (this.#callSteps[callPlace] ?? null) : null;
    if (label === null) {
      if (isKeyed && idPlace >= 0) this.#callBindings[idPlace] = this.#callSteps[idPlace] = null;
      this.#passBy(call);
      return;
    }
    this.#decideKey(event.traceId !== NO_TEXT);
    const step = this.#nextStep(label, label.binding, endOf(event), event.receivedSeq);
    step.sent = event.seq;
    step.received = event.receivedSeq < 0 ? event.seq : event.receivedSeq;
    step.isOfUnknownCall = label.isOfUnknownCall;
    step.index = index;
    step.line = event.line;
    if (asked !== null) {
      this.#callBindings[callPlace] = this.#share(step, asked, call);
      this.#callSteps[callPlace] = null;
    }
    const isCall = isKeyed && idPlace >= 0 && event.kind === CALL;
    const held = this.#hold(step, isCall);
    if (!isKeyed || idPlace < 0) return;
    this.#callBindings[idPlace] = isCall ? step.binding : null;
    this.#callSteps[idPlace] = isCall ? held : null;
  }

  finish(): StreamFindings {
    this.#release(true);
    const failing: FailingInstance[] = [];
    try {
      this.#deliverReceipts(Infinity);
      const isShown = (this.#standing.get(-1) ?? []).every((message) => this.#standingSeen.has(message));
      for (const instance of this.#instances.all()) this.#judgeAtEnd(instance, isShown, failing);
    } catch (error) {
      this.#catch(error);
    }
    return {
      conforming: this.#finished.count,
      finished: this.#finished,
      events: this.#events,
      failing,
      isKeyedByTrace: this.#keyedByTrace === true,
      unable: this.#unable,
    };
  }

  /** A binding of these values, of the key or of a trace id. */
  bindingFor(values: readonly (string | undefined)[]): Binding {
    const name = nameOf(values);
    const live = this.#instances.bindingOf(name);
    if (live !== undefined) return live;
    const known = values.reduce((count, value) => (value === undefined ? count : count + 1), 0);
    return { values, known, name, instance: -1 };
  }

  #judgeAtEnd(instance: Instance, isShown: boolean, failing: FailingInstance[]): void {
    const instances = this.#instances;
    if (instances.has(instance, EXTENDED)) return;
    const isBroken = instances.has(instance, FAILED) || !isShown;
    if (!isBroken && this.#automaton.accepts(instances.state(instance))) {
      this.#end(instance);
      return;
    }
    const kind = instances.has(instance, UNCLEAR) ? 'unclear' : isBroken ? 'broken' : 'open';
    const values = instances.valuesOf(instance).map((value) => value ?? '');
    failing.push({ kind, name: instances.nameOf(instance), values, serial: instances.serial(instance) });
  }

  /** Without a key, a trace with trace ids is split by them; that must then hold for all its events. */
  #decideKey(hasTraceId: boolean): void {
    if (this.#keyedByTrace === null) {
      this.#keyedByTrace = hasTraceId;
      this.#places = this.#keyedByTrace ? 1 : 0;
    } else if (this.#contract.key.length === 0 && this.#keyedByTrace !== hasTraceId)
      this.#giveUp('only some events carry a trace id');
  }

  #giveUp(reason: string): void {
    this.#unable ??= reason;
  }

  /** The step of one event, which is the same object each time: what is held back is copied. */
  #nextStep(
    { messages: drawn, wrongStatus }: Pick<Label, 'messages' | 'wrongStatus'>,
    binding: Binding,
    end: End,
    receivedSeq: number,
  ): Step {
    const step = this.#current;
    const isTwoEnded = receivedSeq >= 0;
    step.isWrongStatus = drawn.length === 0;
    step.messages = step.isWrongStatus ? wrongStatus : drawn;
    step.letter = this.#automaton.letter(step.messages, isTwoEnded ? 'send' : end);
    step.receipt = isTwoEnded ? this.#automaton.letter(step.messages, 'receive') : null;
    step.binding = binding;
    step.isWaiting = false;
    return step;
  }

  /**
   * A call that does not show its instance waits for its reply, and what comes in between waits with it. Returns the step
   * that is held back, if it is.
   */
  #hold(step: Step, isCall: boolean): Step | null {
    step.isWaiting = isCall && step.binding.known < this.#places;
    if (this.#held.length === this.#heldFrom && !step.isWaiting) {
      this.#dispatch(step);
      return null;
    }
    const held = { ...step };
    this.#held.push(held);
    this.#release(false);
    return held;
  }

  /**
   * A call and each of its replies carry the same values; what each says itself comes first. `call`: if it is held back.
   * Returns what the call carries from now on.
   */
  #share(reply: Step, asked: Binding, call: Step | null): Binding {
    const own = reply.binding;
    if (own !== asked) reply.binding = this.#joined(own, asked);
    const called = own === asked ? asked : this.#joined(asked, own);
    if (call !== null) {
      call.binding = called;
      call.isWaiting = false;
    } else if (called !== asked) this.#giveUp('a reply names the instance of a call that went without');
    return called;
  }

  /** What the first binding says, and what it leaves open as the second says. */
  #joined(first: Binding, second: Binding): Binding {
    if (first.values.every((value, place) => value !== undefined || second.values[place] === undefined)) return first;
    return this.bindingFor(first.values.map((value, place) => value ?? second.values[place]));
  }

  /** A reply that is outside the contract ends the waiting of its call all the same. */
  #passBy(call: Step | null): void {
    if (call !== null) call.isWaiting = false;
    if (this.#held.length > this.#heldFrom) this.#release(false);
  }

  /** Lets go what waits no longer. */
  #release(isAll: boolean): void {
    const heldMax = this.#options.heldMax ?? HELD_MAX;
    for (let first = this.#held[this.#heldFrom]; first !== undefined; first = this.#held[this.#heldFrom]) {
      if (first.isWaiting && !isAll && this.#held.length - this.#heldFrom <= heldMax) break;
      this.#heldFrom++;
      this.#dispatch(first);
    }
    if (this.#heldFrom < 1_024) return;
    this.#held.splice(0, this.#heldFrom);
    this.#heldFrom = 0;
  }

  #dispatch(step: Step): void {
    try {
      this.#options.onStep?.(step);
      this.#deliverReceipts(step.sent);
      for (const message of step.messages) if (this.#isStanding(message)) this.#standingSeen.add(message);
      this.#deliver(step);
      if (step.receipt !== null)
        this.#receipts.add(step.received, { ...step, letter: step.receipt, receipt: null, counts: false });
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

  /** Equal values are mostly one object: their binding is made once. */
  #bindingOf(values: Values): Binding {
    let binding = this.#bindings.get(values);
    if (binding === undefined)
      this.#bindings.set(values, (binding = this.bindingFor(this.#contract.key.map((name) => values.get(name)))));
    return binding;
  }

  #isStanding(message: number): boolean {
    return this.#standingMessages.size > 0 && this.#standingMessages.has(message);
  }

  #deliver(step: Step): void {
    const { binding } = step;
    if (this.#standingMessages.size > 0 && step.messages.every((message) => this.#isStanding(message))) return;
    const isWhole = binding.known === this.#places;
    if (!isWhole && this.#hasForgotten) {
      this.#giveUp('events without a whole key follow instances that are forgotten');
      return;
    }
    const own = this.#instances.find(binding) ?? this.#create(binding);
    this.#take(own, step, true);
    if (isWhole) return;
    this.#hasPartial = true;
    if (binding.known === 0) {
      for (const instance of this.#instances.all()) if (instance !== own) this.#take(instance, step, false);
      return;
    }
    const place = binding.values.findIndex((value) => value !== undefined);
    const index = this.#indexOf(place);
    for (let at = index.first(binding.values[place] ?? ''); at !== NOBODY; at = index.next(at))
      if (at !== own) this.#take(at, step, false);
  }

  /** A new instance begins where the largest one that it extends stands. */
  #create(binding: Binding): Instance {
    if (this.#instances.size >= (this.#options.instancesMax ?? INSTANCES_MAX))
      throw new BoundMet(`${this.#options.instancesMax ?? INSTANCES_MAX} instances`);
    const parts = this.#hasPartial ? this.#partsOf(binding) : NO_PARTS;
    const [largest, ...others] = parts;
    const instance = this.#instances.add(
      binding,
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
    if (this.#isExtended(binding)) this.#instances.mark(instance, EXTENDED);
    this.#index(instance);
    return instance;
  }

  /** Existing instances whose binding is a part of this one, largest first. */
  #partsOf({ values, name: own }: Binding): Instance[] {
    if (this.#places === 0) return [];
    const names =
      this.#places === 2 && values[0] !== undefined && values[1] !== undefined
        ? [nameOf([values[0], undefined]), nameOf([undefined, values[1]]), nameOf([undefined, undefined])]
        : [nameOf(values.map(() => undefined))];
    return names.flatMap((name) => {
      const found = name === own ? undefined : this.#instances.findByName(name);
      return found === undefined ? [] : [found];
    });
  }

  /** Is there an instance that extends this partial binding already? */
  #isExtended({ values, known }: Binding): boolean {
    if (known === this.#places) return false;
    if (known === 0) return this.#instances.size > 1;
    const place = values.findIndex((value) => value !== undefined);
    return this.#indexOf(place).first(values[place] ?? '') !== NOBODY;
  }

  /** Whole instances by the value of this place. */
  #indexOf(place: number): ValueIndex {
    const known = this.#byValue[place];
    if (known !== null && known !== undefined) return known;
    const index = new ValueIndex();
    this.#byValue[place] = index;
    for (const instance of this.#instances.all()) this.#addTo(index, place, instance);
    return index;
  }

  #index(instance: Instance): void {
    for (let place = 0; place < this.#byValue.length; place++) {
      const index = this.#byValue[place];
      if (index !== null && index !== undefined) this.#addTo(index, place, instance);
    }
  }

  #addTo(index: ValueIndex, place: number, instance: Instance): void {
    const values = this.#instances.valuesOf(instance);
    if (!values.includes(undefined)) index.add(values[place] ?? '', instance);
  }

  #take(instance: Instance, step: Step, hasWholeKey: boolean): void {
    const instances = this.#instances;
    // What was sent unseen was sent at some time before, and may allow what seemed to break the drawing.
    if (this.#automaton.isUnsent(step.letter)) {
      instances.mark(instance, FAILED | UNCLEAR);
      this.#onTheirWay.delete(instance);
      return;
    }
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
    else this.#accept(instance, next, step, hasWholeKey);
  }

  /** Could the receipt of this event be mistaken for that of another one that the instance has on its way? */
  #isUnclear(instance: Instance, { messages, counts, sent, received }: Step): boolean {
    if (sent === received && this.#onTheirWay.size === 0) return false;
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

  #accept(instance: Instance, next: State, step: Step, hasWholeKey: boolean): void {
    const instances = this.#instances;
    const message = this.#automaton.taken(instances.state(instance), step.letter);
    instances.setState(instance, next);
    instances.mark(instance, hasWholeKey ? TAKEN_ANY | TAKEN_WHOLE : TAKEN_ANY);
    if (step.counts) {
      const isFirst = this.#standing.size > 0 && !instances.hasTaken(instance, message);
      instances.take(instance, message);
      if (isFirst && (this.#standing.get(message) ?? []).some((relied) => !this.#standingSeen.has(relied)))
        instances.mark(instance, FAILED);
    }
    if (this.#options.finishedMax !== undefined && this.#automaton.isOver(next)) this.#noteOver(instance, step);
  }

  /** Of the whole instances that can take nothing more, the oldest are forgotten. */
  #noteOver(instance: Instance, { binding }: Step): void {
    if (this.#places === 0 || binding.known < this.#places || this.#hasPartial) return;
    this.#over.push(instance);
    const most = this.#options.finishedMax ?? Infinity;
    for (; this.#over.length - this.#overFrom > most; this.#overFrom++) this.#forget(this.#over[this.#overFrom] ?? -1);
    if (this.#overFrom < 1_024) return;
    this.#over.splice(0, this.#overFrom);
    this.#overFrom = 0;
  }

  #forget(instance: Instance): void {
    const instances = this.#instances;
    // It may have begun again since, or have failed.
    if (instances.has(instance, FAILED) || !this.#isOver(instance) || this.#onTheirWay.has(instance)) return;
    this.#end(instance);
    instances.remove(instance);
    this.#hasForgotten = true;
  }

  #isOver(instance: Instance): boolean {
    const state = this.#instances.state(instance);
    return this.#automaton.isOver(state) && this.#automaton.accepts(state);
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
    this.#accept(instance, this.#automaton.next(initial, step.letter), step, hasWholeKey);
  }

  /** A run went as drawn. */
  #end(instance: Instance): void {
    const { only } = this.#options;
    if (only === undefined || only.has(this.#instances.nameOf(instance))) this.#finished.add(this.#instances, instance);
    this.#instances.finishRun(instance);
  }
}

const NO_PARTS: Instance[] = [];

const nameOf = (values: readonly (string | undefined)[]): string =>
  values.length === 1 ? (values[0] ?? '') : values.map((value) => value ?? '').join(SEPARATOR);

const isRoot = (name: string): boolean => name.replaceAll(SEPARATOR, '') === '';

function singleEnd({ point, kind }: TraceEvent): End {
  // What is lost has no receipt that anything could wait for.
  if (point === 'send' || kind === 'lost') return 'only-send';
  return point === 'receive' ? 'only-receive' : 'both';
}

/** By the numbers of `EVENT_POINTS`. */
const ENDS: readonly End[] = ['only-send', 'only-receive', 'both'];

function endOf({ point, kind }: NumberedEvent): End {
  if (kind === LOST) return 'only-send';
  // Asked first: to look for place -1 of a list is slow.
  return point < 0 ? 'both' : (ENDS[point] ?? 'both');
}
