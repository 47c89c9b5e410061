import type { Contract } from '../../contract/index.ts';
import {
  EVENT_KINDS,
  IS_CALL,
  IS_READ,
  NO_ID,
  NO_TEXT,
  receivedDomainOf,
  type Id,
  type NumberedEvent,
  type RecentIds,
  type TraceEvent,
} from '../../trace/index.ts';
import { ANCESTORS_MAX } from '../inherited-values.ts';
import { Labeller, type Label, type Values } from '../labels.ts';
import type { OpenCall } from '../open-calls.ts';
import { Recent } from '../recent.ts';
import { answerAmong, boundAnswers, endsShown } from '../bound-answers.ts';
import type { End, Machine } from '../run.ts';
import { INSTANCES_MAX } from '../slices.ts';
import { BoundMet } from '../terms.ts';
import { Automaton } from './automaton.ts';
import {
  Bindings,
  NamedBinding,
  NO_BINDING,
  ROOT,
  type Binding,
  type CarriedValues,
  type Instance,
} from './bindings.ts';
import { LISTED_MAX, type FinishedRuns } from './finished-runs.ts';
import { InstanceSteps, type Standing } from './instance-steps.ts';
import type { NumberedLabel } from './numbered-labels.ts';
import { RememberedEvents } from './remembered-events.ts';
import { HeldSteps, newStep, NOT_HELD, type Ancestor, type Held, type Lineage, type Step } from './step.ts';
import { isStreamable } from './streamable.ts';
import { bindingTold, hasLacked, lacking, movedTold, NOTHING_TOLD, toldMore, type Told } from './told-values.ts';

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
  /** Values of instances that are forgotten are kept until there are so many more than are needed. */
  readonly unusedMax?: number;
  /** Of numbered events. */
  readonly ids?: RecentIds;
  /** Is told of every event that belongs to the contract, once its values are known. */
  readonly onStep?: (step: ToldStep) => void;
}

/** An event that belongs to the contract, and its values in words. */
export interface ToldStep extends Pick<Step, 'index' | 'line' | 'messages' | 'isWrongStatus'> {
  readonly binding: CarriedValues;
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
  /**
   * Where the whole checker knows better: `of-failing`, where events have values from what they led to, so that instances that
   * fail may need events that are about others, or serve calls that were answered already; `of-all`, where an event would have
   * had values so, had it not taken its turn before.
   */
  readonly wholeKnows: 'no-more' | 'of-failing' | 'of-all';
  /** Why nothing can be said: a bound that was met, or something in the trace that needs the whole checker. */
  readonly unable: string | null;
}

export const HELD_MAX = 10_000;
/** A parent further back than this is treated like one that is not in the trace. */
export const REMEMBERED_MAX = 200_000;
const UNUSED_MAX = 16_384;

/** A call that may share its values with its reply; the step itself where it is held back. */
interface Call {
  binding: Binding;
  readonly held: Held;
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
  readonly bindings: Bindings;
  /** Of numbered events: what they can be is entered by whoever labels them, their calls here. */
  readonly remembered = new RememberedEvents();
  readonly #contract: Contract;
  readonly #options: StreamOptions;
  readonly #automaton: Automaton;
  readonly #labeller: Labeller;
  readonly #steps: InstanceSteps;
  readonly #current = newStep();
  readonly #held = new HeldSteps();
  readonly #calls: Recent<Call>;
  readonly #ancestors: Recent<Ancestor>;
  /** By the id of a call, the ends of its answer that were seen, as bits. */
  readonly #answered: Recent<number>;
  readonly #boundAnswers: ReadonlyMap<number, number>;
  #bindingsMax: number;
  #bindingsAge = 0;
  #bindingsByValues = new WeakMap<Values, Binding>();
  #keyedByTrace: boolean | null;
  #domain: string | undefined | null = null;
  #events = 0;
  #wholeKnows: StreamFindings['wholeKnows'] = 'no-more';
  #unable: string | null = null;

  /** null: the contract uses what only the whole checker knows. */
  static for(machine: Machine, options: StreamOptions): StreamChecker | null {
    return isStreamable(machine) ? new StreamChecker(machine, options) : null;
  }

  private constructor(machine: Machine, options: StreamOptions) {
    const { contract } = machine;
    this.#contract = contract;
    this.#options = options;
    this.bindings = new Bindings(contract.key.length);
    this.#automaton = new Automaton(machine, options.statesMax);
    this.#labeller = new Labeller(contract, {
      hasParents: options.hasParents,
      hasReplyTo: options.hasReplyTo ?? false,
      rememberedMax: options.rememberedMax ?? REMEMBERED_MAX,
    });
    this.#steps = new InstanceSteps(machine, this.#automaton, this.bindings, {
      instancesMax: options.instancesMax ?? INSTANCES_MAX,
      listedMax: options.listedMax ?? LISTED_MAX,
      finishedMax: options.finishedMax ?? null,
      only: options.only ?? null,
    });
    this.#calls = new Recent(options.rememberedMax ?? REMEMBERED_MAX);
    this.#ancestors = new Recent(options.rememberedMax ?? REMEMBERED_MAX);
    this.#answered = new Recent(options.rememberedMax ?? REMEMBERED_MAX);
    this.#boundAnswers = boundAnswers(contract);
    this.#bindingsMax = options.unusedMax ?? UNUSED_MAX;
    this.#keyedByTrace = contract.key.length > 0 ? false : null;
  }

  get liveInstances(): number {
    return this.#steps.instances.size;
  }

  /** Why it cannot go on. */
  get unable(): string | null {
    return this.#unable;
  }

  /** An event, in the order of the trace. Returns what it can be. */
  push(event: TraceEvent, line = 0): Label | null {
    if (this.unable !== null) return null;
    const index = this.#events++;
    if (this.#domain === null) this.#domain = event.domain;
    if (this.#domain !== event.domain || receivedDomainOf(event) !== event.domain)
      this.#giveUp('the trace has several domains');
    const isUnknown = this.#options.begun && this.#labeller.isOfUnknownCall(event);
    const label = this.#labeller.label(event);
    if (label.answered !== undefined) this.#leaveFailing();
    const isOfUnknownCall = this.#isAnsweredAgain(event, label) || isUnknown || label.answered !== undefined;
    const { closed } = this.#labeller;
    const callName = nameOfAsked(event, closed?.call);
    const asked = callName === undefined ? undefined : this.#calls.get(callName);
    const isDrawn = label.messages.length + label.wrongStatus.length > 0;
    const isNamed = event.replyTo !== undefined || label.answers?.length === 1;
    const lineage =
      this.#contract.key.length > 0 ? this.#lineageOf(event, index, isDrawn, isNamed ? callName : undefined) : null;
    if (!isDrawn) {
      this.#passBy(asked?.held ?? NOT_HELD);
      return label;
    }
    this.#decideKey(event.traceId !== undefined);
    const binding =
      this.#keyedByTrace === true ? this.bindings.ofWords([event.traceId]) : this.#bindingOf(label.values);
    const step = this.#nextStep(label, binding, singleEnd(event), event.receivedSeq ?? -1);
    step.sent = event.seq;
    step.received = event.receivedSeq ?? event.seq;
    step.isOfUnknownCall = isOfUnknownCall;
    step.isCall = event.kind === 'call';
    step.isReply = event.kind === 'reply';
    step.index = index;
    step.line = line;
    step.lineage = lineage;
    if (label.answers !== undefined && !isNamed && !this.bindings.isWhole(step.binding))
      this.#giveUp('a reply names neither its instance nor its call, and may answer calls of several');
    if (asked !== undefined && callName !== undefined && isNamed) {
      const called = this.#share(step, asked.binding, asked.held);
      this.#calls.set(callName, { binding: called, held: NOT_HELD });
      if (called !== asked.binding) this.#tellAncestors(this.#ancestors.get(callName)?.parent, called);
    } else if (asked !== undefined) this.#passBy(asked.held);
    if (step.binding !== ROOT) this.#tellAncestors(parentNameOf(event.parent), step.binding);
    const name = this.#nameOfCall(event, index);
    const held = this.#hold(step, name !== undefined);
    if (name !== undefined) this.#calls.set(name, { binding: step.binding, held });
    if (this.bindings.size > this.#bindingsMax) this.#forgetUnused();
    return label;
  }

  /** Does it answer a call that has an answer already? Some drawings show several: the whole checker counts them. */
  #isAnsweredAgain(event: TraceEvent, { messages, wrongStatus }: Label): boolean {
    const { kind, replyTo } = event;
    if (kind !== 'reply' || replyTo === undefined) return false;
    const answer = answerAmong([...messages, ...wrongStatus], this.#boundAnswers);
    if (answer === 'any') return false;
    const [known, ends] = [this.#answered.get(replyTo) ?? 0, endsShown(event)];
    if (answer === 'bound') this.#answered.set(replyTo, known | ends);
    return (known & ends) !== 0;
  }

  /** The same for a numbered event, which was labelled already. */
  pushNumbered(event: NumberedEvent, label: NumberedLabel | null): void {
    if (this.unable !== null) return;
    const index = this.#events++;
    const { remembered } = this;
    const isKeyed = this.#contract.key.length > 0;
    const [callPlace, idPlace] = [this.#placeOf(event.replyTo), this.#placeOf(event.id)];
    const isAnswer = isKeyed && callPlace >= 0 && event.kind === REPLY && remembered.isCall(callPlace);
    if (label === null) {
      if (isKeyed && idPlace >= 0) remembered.clearCall(idPlace);
      this.#passBy(isAnswer ? remembered.held(callPlace) : NOT_HELD);
      return;
    }
    this.#decideKey(event.traceId !== NO_TEXT);
    const step = this.#nextStep(label, label.binding, endOf(event), event.receivedSeq);
    step.sent = event.seq;
    step.received = event.receivedSeq < 0 ? event.seq : event.receivedSeq;
    if (label.servesAnswered) this.#leaveFailing();
    step.isOfUnknownCall = label.isOfUnknownCall || label.servesAnswered;
    step.isCall = event.kind === CALL;
    step.isReply = event.kind === REPLY;
    step.index = index;
    step.line = event.line;
    if (isKeyed) this.#enter(step, event, idPlace);
    if (isAnswer) {
      const asked = remembered.binding(callPlace);
      const called = this.#share(step, asked, remembered.held(callPlace));
      remembered.setCall(callPlace, called, NOT_HELD);
      if (called !== asked) this.#tellIds(this.#parentOf(event.replyTo), called);
    }
    if (isKeyed && step.binding !== ROOT && event.parent !== NO_ID) this.#tellIds(event.parent, step.binding);
    const isCall = isKeyed && idPlace >= 0 && event.kind === CALL;
    const held = this.#hold(step, isCall);
    if (isCall) remembered.setCall(idPlace, step.binding, held);
    else if (isKeyed && idPlace >= 0) remembered.clearCall(idPlace);
    if (this.bindings.size > this.#bindingsMax) this.#forgetUnused();
  }

  /** Where what is known of an event stands; -1: it is not remembered. */
  #placeOf(id: Id): number {
    const { ids } = this.#options;
    // An id that was only named may have the place of one that is forgotten.
    return ids !== undefined && id !== NO_ID && ids.has(id) && (ids.flags(id) & IS_READ) !== 0 ? ids.placeOf(id) : -1;
  }

  /** Notes where a numbered event may have values from. */
  #enter(step: Step, { id, replyTo, parent }: NumberedEvent, place: number): void {
    if (place >= 0) this.remembered.enter(place);
    step.id = id;
    const showsNothing = step.binding === ROOT;
    step.call = showsNothing ? this.#nearest(replyTo) : NO_ID;
    step.parent = showsNothing ? this.#nearest(parent) : NO_ID;
  }

  #isCall(id: Id): boolean {
    return ((this.#options.ids?.flags(id) ?? 0) & IS_CALL) !== 0;
  }

  #parentOf(id: Id): Id {
    return this.#options.ids?.parent(id) ?? NO_ID;
  }

  /** What an event says of the key, its ancestors may lack: they have it from there. */
  #tellIds(parent: Id, said: Binding): void {
    const { remembered } = this;
    let at = parent;
    for (let up = 0; up < ANCESTORS_MAX; up++) {
      const place = this.#placeOf(at);
      if (place < 0 || !this.#isCall(at)) return;
      if (remembered.isEntered(place)) {
        const told = this.#toldBy(said, remembered.told(place), remembered.carried(place));
        if (told === null) return;
        remembered.setTold(place, told);
      }
      at = this.#parentOf(at);
    }
  }

  #tellAncestors(parent: string | undefined, said: Binding): void {
    if (this.#contract.key.length === 0) return;
    let at = parent;
    for (let up = 0; at !== undefined && up < ANCESTORS_MAX; up++) {
      const ancestor = this.#ancestors.get(at);
      if (ancestor?.isCall !== true) return;
      if (ancestor.isDrawn) {
        const told = this.#toldBy(said, ancestor.told, ancestor.carried);
        if (told === null) return;
        ancestor.told = told;
      }
      at = ancestor.parent;
    }
  }

  /** What an event is told with this; null: it said the same by itself, and to those before it. */
  #toldBy(said: Binding, told: Told, carried: Binding | null): Told | null {
    const { bindings } = this;
    if (carried !== null && !hasLacked(told))
      return bindings.isWhole(carried) && bindings.agree(carried, said) ? null : told;
    const more = toldMore(bindings, told, said);
    // It took its turn: what is told later comes too late.
    if (carried !== null && more !== told) this.#wholeKnows = 'of-all';
    return more;
  }

  #leaveFailing(): void {
    if (this.#wholeKnows === 'no-more') this.#wholeKnows = 'of-failing';
  }

  /** A call that shows nothing has it from what it led to, as far as that agrees. Returns what it was told, for later. */
  #adopt(step: Step, told: Told): Told {
    if (step.binding !== ROOT || !step.isCall) return told;
    const said = bindingTold(told);
    if (said !== NO_BINDING && said !== ROOT) {
      step.binding = said;
      this.#leaveFailing();
    }
    return lacking(told);
  }

  /** Of an event and its ancestors, the nearest that is drawn. One that is not remembered is like one that is not in the trace. */
  #nearest(id: Id): Id {
    let at = id;
    for (let up = 0; up < ANCESTORS_MAX; up++) {
      const place = this.#placeOf(at);
      if (place < 0) return NO_ID;
      if (this.remembered.isEntered(place)) return at;
      if (!this.#isCall(at)) return NO_ID;
      at = this.#parentOf(at);
    }
    return NO_ID;
  }

  /** `call`: the name of the call that it answers. */
  #lineageOf(event: TraceEvent, number: number, isDrawn: boolean, call: string | undefined): Lineage | null {
    const { id, parent, kind } = event;
    const origins = isDrawn
      ? [call, parentNameOf(parent)].flatMap((origin) => this.#nearestAncestor(origin) ?? [])
      : [];
    const name = id === undefined ? this.#nameOfCall(event, number) : callNameOf({ id, number });
    const own =
      name === undefined
        ? null
        : { parent: parentNameOf(parent), isCall: kind === 'call', isDrawn, carried: null, told: NOTHING_TOLD };
    if (own !== null && name !== undefined) this.#ancestors.set(name, own);
    return own === null && origins.length === 0 ? null : { own, origins };
  }

  #nearestAncestor(name: string | undefined): Ancestor | null {
    let at = name;
    for (let up = 0; at !== undefined && up < ANCESTORS_MAX; up++) {
      const found = this.#ancestors.get(at);
      if (found === undefined || found.isDrawn) return found ?? null;
      if (!found.isCall) return null;
      at = found.parent;
    }
    return null;
  }

  /** By which its replies find a call; missing: none will ask for it. */
  #nameOfCall({ kind, id }: TraceEvent, number: number): string | undefined {
    if (kind !== 'call' || this.#contract.key.length === 0) return undefined;
    return id === undefined && this.#options.hasReplyTo === true ? undefined : callNameOf({ id, number });
  }

  finish(): StreamFindings {
    this.#release(true);
    const failing: FailingInstance[] = [];
    try {
      this.#steps.end((instance, standing) => {
        if (standing !== 'conforms' && standing !== 'extended') failing.push(this.#failing(instance, standing));
      });
    } catch (error) {
      this.#catch(error);
    }
    const { finished } = this.#steps;
    return {
      conforming: finished.count,
      finished,
      events: this.#events,
      failing: failing.sort((a, b) => a.serial - b.serial),
      isKeyedByTrace: this.#keyedByTrace === true,
      wholeKnows: this.#wholeKnows,
      unable: this.unable,
    };
  }

  #failing(instance: Instance, kind: Exclude<Standing, 'conforms' | 'extended'>): FailingInstance {
    const { instances } = this.#steps;
    const serial = instances.serial(instance);
    return new FailedInstance(this.bindings, instances.binding(instance), { kind, serial });
  }

  /** Without a key, a trace with trace ids is split by them; that must then hold for all its events. */
  #decideKey(hasTraceId: boolean): void {
    if (this.#keyedByTrace === null) {
      this.#keyedByTrace = hasTraceId;
      this.bindings.places = hasTraceId ? 1 : 0;
    } else if (this.#contract.key.length === 0 && this.#keyedByTrace !== hasTraceId)
      this.#giveUp('only some events carry a trace id');
  }

  #giveUp(reason: string): void {
    this.#unable ??= reason;
    this.bindings.close();
  }

  /** Forgets the values of instances that were forgotten, once there are as many of them as of others. */
  #forgetUnused(): void {
    const unusedMax = this.#options.unusedMax ?? UNUSED_MAX;
    this.#bindingsMax = 2 * this.liveInstances + unusedMax;
    if (this.bindings.size <= this.#bindingsMax) return;
    this.bindings.renumber((move) => {
      const rebind = (holder: { binding: Binding }): void => {
        holder.binding = move(holder.binding);
      };
      this.#steps.rebind(move);
      this.remembered.rebind(move);
      this.#held.forEach(rebind);
      for (const call of this.#calls.values()) rebind(call);
      for (const ancestor of this.#allAncestors()) {
        if (ancestor.carried !== null) ancestor.carried = move(ancestor.carried);
        ancestor.told = movedTold(ancestor.told, move);
      }
    });
    this.#bindingsMax = 2 * this.bindings.size + unusedMax;
  }

  /** Each once, also those that only steps that are held back remember. */
  #allAncestors(): ReadonlySet<Ancestor> {
    const all = new Set(this.#ancestors.values());
    this.#held.forEach(({ lineage }) => {
      for (const origin of lineage?.origins ?? []) all.add(origin);
    });
    return all;
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
    step.id = NO_ID;
    step.lineage = null;
    return step;
  }

  /**
   * A call that does not show its instance waits for its reply, and what comes in between waits with it. Returns the step
   * that is held back, if it is.
   */
  #hold(step: Step, isCall: boolean): Held {
    step.isWaiting = isCall && !this.bindings.isWhole(step.binding);
    if (this.#held.size === 0 && !step.isWaiting) {
      this.#dispatch(step);
      return NOT_HELD;
    }
    const held = this.#held.add(step);
    this.#release(false);
    return held;
  }

  /**
   * A call and each of its replies carry the same values; what each says itself comes first. `held`: the call's step.
   * Returns what the call carries from now on.
   */
  #share(reply: Step, asked: Binding, held: Held): Binding {
    const own = reply.binding;
    if (own === asked) return this.#tell(asked, asked, held);
    reply.binding = this.bindings.joined(own, asked);
    return this.#tell(asked, this.bindings.joined(asked, own), held);
  }

  /** Tells a call that waits what it carries. */
  #tell(asked: Binding, called: Binding, held: Held): Binding {
    const call = this.#held.get(held);
    if (call !== null) {
      call.binding = called;
      call.isWaiting = false;
    } else if (called !== asked) this.#giveUp('a reply names the instance of a call that went without');
    return called;
  }

  /** A reply that is outside the contract ends the waiting of its call all the same. */
  #passBy(held: Held): void {
    if (this.#held.size === 0) return;
    const call = this.#held.get(held);
    if (call !== null) call.isWaiting = false;
    this.#release(false);
  }

  /** Lets go what waits no longer. */
  #release(isAll: boolean): void {
    const heldMax = this.#options.heldMax ?? HELD_MAX;
    const held = this.#held;
    while (held.size > 0 && (isAll || held.size > heldMax || !held.first.isWaiting)) {
      this.#dispatch(held.first);
      held.shift();
    }
  }

  /** What it does not show it has from its call, and then from its parent, which took their turns before it. */
  #inherit(step: Step): void {
    const { remembered } = this;
    if (step.binding === ROOT)
      for (const origin of [step.call, step.parent]) {
        const place = this.#placeOf(origin);
        if (place >= 0) this.#takeFrom(step, remembered.carried(place));
      }
    const place = this.#placeOf(step.id);
    if (place < 0) return;
    if (step.binding === ROOT) remembered.setTold(place, this.#adopt(step, remembered.told(place)));
    remembered.carry(place, step.binding);
  }

  #inheritWhole(step: Step, { own, origins }: Lineage): void {
    if (step.binding === ROOT) for (const { carried } of origins) this.#takeFrom(step, carried);
    if (own === null) return;
    own.told = this.#adopt(step, own.told);
    own.carried = step.binding;
  }

  #takeFrom(step: Step, carried: Binding | null): void {
    if (carried !== null && this.bindings.agree(step.binding, carried))
      step.binding = this.bindings.joined(step.binding, carried);
  }

  #dispatch(step: Step): void {
    try {
      const { onStep } = this.#options;
      if (step.lineage !== null) this.#inheritWhole(step, step.lineage);
      else if (this.#options.ids !== undefined && this.#contract.key.length > 0) this.#inherit(step);
      if (onStep !== undefined) onStep({ ...step, binding: this.bindings.inWords(step.binding) });
      this.#steps.take(step);
      if (this.#steps.unable !== null) this.#giveUp(this.#steps.unable);
    } catch (error) {
      this.#catch(error);
    }
  }

  #catch(error: unknown): void {
    if (!(error instanceof BoundMet)) throw error;
    this.#giveUp(`bound met: ${error.bound}`);
  }

  /** Equal values are mostly one object: their binding is looked for once. */
  #bindingOf(values: Values): Binding {
    if (this.#bindingsAge !== this.bindings.age)
      [this.#bindingsAge, this.#bindingsByValues] = [this.bindings.age, new WeakMap<Values, Binding>()];
    let binding = this.#bindingsByValues.get(values);
    if (binding === undefined) {
      binding = this.bindings.ofWords(this.#contract.key.map((name) => values.get(name)));
      this.#bindingsByValues.set(values, binding);
    }
    return binding;
  }
}

const callNameOf = ({ id, number }: Pick<OpenCall, 'id' | 'number'>): string =>
  id === undefined ? `at ${number}` : `id ${id}`;

const parentNameOf = (parent: string | undefined): string | undefined =>
  parent === undefined ? undefined : callNameOf({ id: parent, number: -1 });

/** Of a reply, the name of its call: the one that it names, or the one that it closes. */
function nameOfAsked({ kind, replyTo }: TraceEvent, closed: OpenCall | undefined): string | undefined {
  if (kind !== 'reply') return undefined;
  if (replyTo !== undefined) return callNameOf({ id: replyTo, number: -1 });
  return closed === undefined ? undefined : callNameOf(closed);
}

class FailedInstance extends NamedBinding implements FailingInstance {
  readonly kind: FailingInstance['kind'];
  readonly serial: number;

  constructor(bindings: Bindings, binding: Binding, { kind, serial }: Pick<FailingInstance, 'kind' | 'serial'>) {
    super(bindings, binding);
    this.kind = kind;
    this.serial = serial;
  }

  override get values(): readonly string[] {
    return super.values.map((value) => value ?? '');
  }
}

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
