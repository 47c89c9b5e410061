import { OnTheirWay } from '../look-alikes.ts';
import type { Machine } from '../run.ts';
import { BoundMet } from '../terms.ts';
import { DEAD, type Automaton, type State } from './automaton.ts';
import { NOBODY, ROOT, type Binding, type Bindings, type Instance } from './bindings.ts';
import { FinishedRuns } from './finished-runs.ts';
import { EXTENDED, FAILED, LiveInstances, OPEN, PASSED, TAKEN_ANY, TAKEN_WHOLE, UNCLEAR } from './live-instances.ts';
import { OpenPaths, type CountCorrections } from './open-paths.ts';
import { Receipts } from './receipts.ts';
import type { Step } from './step.ts';
import { ValueIndex } from './value-index.ts';

export interface InstanceStepsOptions {
  readonly instancesMax: number;
  readonly listedMax: number;
  readonly finishedMax: number | null;
  readonly only: ReadonlySet<string> | null;
}

/** How an instance stands at the end of the trace; `conforms`: its last run went as drawn. */
export type Standing = 'conforms' | 'broken' | 'open' | 'unclear' | 'extended';

/** Takes steps to the instances that they belong to: makes these, moves them on, and forgets those that are over. */
export class InstanceSteps {
  readonly instances: LiveInstances;
  readonly finished: FinishedRuns;
  /** Why nothing more can be said. */
  unable: string | null = null;
  readonly #machine: Machine;
  readonly #automaton: Automaton;
  readonly #bindings: Bindings;
  readonly #options: InstanceStepsOptions;
  /** By the message that relies on them: the standing messages that must have been shown before; -1: at all. */
  readonly #standing = new Map<number, number[]>();
  readonly #standingSeen = new Set<number>();
  readonly #standingMessages: ReadonlySet<number>;
  readonly #receipts = new Receipts<Step>();
  /** What each instance has on its way, where it has anything. */
  readonly #onTheirWay = new Map<Instance, OnTheirWay>();
  readonly #openPaths: OpenPaths;
  /** Whole instances by one value, per place of the key; made when an event first carries that value alone. */
  readonly #byValue: (ValueIndex | null)[] = [null, null];
  /** Whole instances that can take nothing more, the oldest first. */
  readonly #over: Instance[] = [];
  #overFrom = 0;
  #hasForgotten = false;
  #hasPartial = false;

  constructor(machine: Machine, automaton: Automaton, bindings: Bindings, options: InstanceStepsOptions) {
    const { contract } = machine;
    this.#machine = machine;
    this.#automaton = automaton;
    this.#openPaths = new OpenPaths(automaton);
    this.#bindings = bindings;
    this.#options = options;
    this.instances = new LiveInstances(contract.messages.length, bindings);
    this.finished = new FinishedRuns(contract, options.listedMax);
    this.#standingMessages = new Set(contract.standing.map(({ message }) => message));
    for (const { message, before } of contract.standing)
      this.#standing.set(before ?? -1, [...(this.#standing.get(before ?? -1) ?? []), message]);
  }

  /** Takes a step in its turn. What must be kept of it is copied. */
  take(step: Step): void {
    this.#deliverReceipts(step.sent);
    if (this.#standingMessages.size > 0)
      for (const message of step.messages) if (this.#isStanding(message)) this.#standingSeen.add(message);
    this.#deliver(step);
    if (step.receipt !== null)
      this.#receipts.add(step.received, { ...step, letter: step.receipt, receipt: null, counts: false });
  }

  /** No more steps. Calls back with how each instance stands; runs that went as drawn are finished. */
  end(take: (instance: Instance, standing: Standing) => void): void {
    this.#deliverReceipts(Infinity);
    const isShown = (this.#standing.get(-1) ?? []).every((message) => this.#standingSeen.has(message));
    this.instances.forEach((instance) => {
      const standing = this.#standingOf(instance, isShown);
      if (standing === 'conforms') this.#end(instance, true);
      take(instance, standing);
    });
  }

  /** Bindings have other numbers from now on. */
  rebind(move: (binding: Binding) => Binding): void {
    this.instances.rebind(move);
    this.#receipts.forEach((step) => {
      step.binding = move(step.binding);
    });
    // Made anew where they are asked for.
    this.#byValue.fill(null);
  }

  #standingOf(instance: Instance, isShown: boolean): Standing {
    const { instances } = this;
    if (instances.has(instance, EXTENDED)) return 'extended';
    const isBroken = instances.has(instance, FAILED) || !isShown;
    if (!isBroken && this.#automaton.accepts(instances.state(instance))) return 'conforms';
    if (instances.has(instance, UNCLEAR) || this.#isBorrowed(instance)) return 'unclear';
    return isBroken ? 'broken' : 'open';
  }

  /** A further run of nothing but events that other instances may have taken. */
  #isBorrowed(instance: Instance): boolean {
    const { instances } = this;
    return !this.#isKeyless && instances.runs(instance) > 0 && !instances.has(instance, TAKEN_WHOLE);
  }

  #deliverReceipts(before: number): void {
    if (this.#receipts.size === 0) return;
    for (let step = this.#receipts.takeBefore(before); step !== undefined; step = this.#receipts.takeBefore(before))
      this.#deliver(step);
  }

  #isStanding(message: number): boolean {
    return this.#standingMessages.has(message);
  }

  #deliver(step: Step): void {
    const { binding } = step;
    const bindings = this.#bindings;
    if (this.#standingMessages.size > 0 && step.messages.every((message) => this.#isStanding(message))) return;
    const isWhole = bindings.isWhole(binding);
    if (!isWhole && this.#hasForgotten) {
      this.unable ??= 'events without a whole key follow instances that are forgotten';
      return;
    }
    const known = bindings.instance(binding);
    const own = known === NOBODY ? this.#create(binding) : known;
    this.#takeOne(own, step, true);
    if (isWhole) return;
    this.#hasPartial = true;
    this.#takeWider(own, step);
  }

  /** A step that carries a part of the key belongs to all instances that carry this part and more. */
  #takeWider(own: Instance, step: Step): void {
    const { binding } = step;
    if (binding === ROOT) {
      this.instances.forEach((instance) => {
        if (instance !== own) this.#takeOne(instance, step, false);
      });
      return;
    }
    const place = this.#placeOf(binding);
    const index = this.#indexOf(place);
    for (let at = index.first(this.#bindings.value(binding, place)); at !== NOBODY; at = index.next(at))
      if (at !== own) this.#takeOne(at, step, false);
  }

  /** The place of the only value that it carries. */
  #placeOf(binding: Binding): number {
    return this.#bindings.value(binding, 0) < 0 ? 1 : 0;
  }

  /** A new instance begins where the largest one that it extends stands. */
  #create(binding: Binding): Instance {
    const { instances } = this;
    if (instances.size >= this.#options.instancesMax) throw new BoundMet(`${this.#options.instancesMax} instances`);
    if (this.#bindings.isFull) throw new BoundMet('the size of all values that name instances');
    const isExtended = this.#isExtended(binding);
    const parts = this.#hasPartial ? this.#partsOf(binding) : NO_PARTS;
    const [largest, ...others] = parts;
    const state = largest === undefined ? this.#automaton.initial : instances.state(largest);
    const instance = instances.add(binding, state, largest ?? null);
    // What recurs in the part breaks it, and not one that is born later.
    if (instances.has(instance, FAILED)) instances.mark(instance, UNCLEAR);
    const underWay = largest === undefined ? undefined : this.#onTheirWay.get(largest);
    if (underWay !== undefined) this.#onTheirWay.set(instance, underWay.copy());
    if (largest !== undefined) this.#openPaths.copy(largest, instance);
    for (const part of parts) instances.mark(part, EXTENDED);
    // Two parts that both took events: their order is not known any more.
    for (const part of others)
      if (instances.binding(part) !== ROOT && instances.has(part, TAKEN_ANY)) instances.mark(instance, FAILED);
    if (isExtended) instances.mark(instance, EXTENDED);
    this.#index(instance);
    return instance;
  }

  /** Existing instances whose binding is a part of this one, largest first. */
  #partsOf(binding: Binding): Instance[] {
    return this.#bindings
      .partsOf(binding)
      .map((part) => this.#bindings.instance(part))
      .filter((instance) => instance !== NOBODY);
  }

  /** Is there an instance that extends this partial binding already? */
  #isExtended(binding: Binding): boolean {
    if (this.#bindings.isWhole(binding)) return false;
    if (binding === ROOT) return this.instances.size > 0;
    const place = this.#placeOf(binding);
    return this.#indexOf(place).first(this.#bindings.value(binding, place)) !== NOBODY;
  }

  /** Whole instances by the value of this place. */
  #indexOf(place: number): ValueIndex {
    const known = this.#byValue[place];
    if (known !== null && known !== undefined) return known;
    const index = new ValueIndex();
    this.#byValue[place] = index;
    this.instances.forEach((instance) => {
      this.#addTo(index, place, instance);
    });
    return index;
  }

  #index(instance: Instance): void {
    for (let place = 0; place < this.#byValue.length; place++) {
      const index = this.#byValue[place];
      if (index !== null && index !== undefined) this.#addTo(index, place, instance);
    }
  }

  #addTo(index: ValueIndex, place: number, instance: Instance): void {
    const binding = this.instances.binding(instance);
    if (this.#bindings.isWhole(binding)) index.add(this.#bindings.value(binding, place), instance);
  }

  #takeOne(instance: Instance, step: Step, hasWholeKey: boolean): void {
    const { instances } = this;
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
    if (step.isReply && next !== DEAD && !hasWholeKey && instances.has(instance, PASSED))
      instances.mark(instance, FAILED | UNCLEAR);
    else if (next === DEAD) this.#stepBeyond(instance, step, hasWholeKey);
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
    const { instances } = this;
    const state = instances.state(instance);
    const message = this.#automaton.taken(state, step.letter);
    instances.setState(instance, next);
    instances.mark(instance, hasWholeKey ? TAKEN_ANY | TAKEN_WHOLE : TAKEN_ANY);
    if (step.counts) {
      const isFirst = this.#standing.size > 0 && !instances.hasTaken(instance, message);
      instances.take(instance, message);
      if (isFirst && (this.#standing.get(message) ?? []).some((relied) => !this.#standingSeen.has(relied)))
        instances.mark(instance, FAILED);
    }
    if (this.#automaton.hasForks && (instances.has(instance, OPEN) || this.#automaton.isFork(state, step.letter)))
      this.#follow(instance, state, step, message);
    if (this.#options.finishedMax !== null && this.#automaton.isOver(next))
      this.#noteOver(instance, step, this.#options.finishedMax);
  }

  /** The event could have been several messages, or an earlier one could. */
  #follow(instance: Instance, state: State, { letter, counts }: Step, message: number): void {
    const { instances } = this;
    // Which of them came first, the whole checker knows.
    if (this.#standing.size > 0) instances.mark(instance, FAILED | UNCLEAR);
    const corrections = this.#openPaths.follow(instance, { state, letter, message, counts });
    if (corrections === undefined) instances.mark(instance, OPEN);
    else this.#correct(instance, corrections);
  }

  #correct(instance: Instance, corrections: CountCorrections): void {
    this.instances.unmark(instance, OPEN);
    for (const [message, change] of corrections) this.instances.correct(instance, message, change);
  }

  /** Of the whole instances that can take nothing more, the oldest are forgotten. */
  #noteOver(instance: Instance, { binding }: Step, most: number): void {
    if (this.#isKeyless || !this.#bindings.isWhole(binding) || this.#hasPartial) return;
    this.#over.push(instance);
    for (; this.#over.length - this.#overFrom > most; this.#overFrom++) this.#forget(this.#over[this.#overFrom] ?? -1);
    if (this.#overFrom < 1_024) return;
    this.#over.splice(0, this.#overFrom);
    this.#overFrom = 0;
  }

  #forget(instance: Instance): void {
    const { instances } = this;
    // It may have ended twice, and be forgotten already; it may have begun again since, or have failed.
    if (!instances.isLive(instance)) return;
    if (instances.has(instance, FAILED) || !this.#isOver(instance) || this.#onTheirWay.has(instance)) return;
    this.#end(instance);
    instances.remove(instance);
    this.#hasForgotten = true;
  }

  #isOver(instance: Instance): boolean {
    const state = this.instances.state(instance);
    return this.#automaton.isOver(state) && this.#automaton.accepts(state);
  }

  /** The letter is not possible now: a new run, somebody else's business, or a fault. */
  #stepBeyond(instance: Instance, step: Step, hasWholeKey: boolean): void {
    const { instances } = this;
    const state = instances.state(instance);
    const couldBegin = this.#automaton.next(this.#automaton.initial, step.letter) !== DEAD;
    const isFresh = !instances.has(instance, TAKEN_ANY);
    const isEndless = (message: number): boolean => this.#machine.endless.has(message);
    const isOver = this.#automaton.isOver(state) || (this.#isKeyless && !step.messages.some(isEndless));
    if (!isFresh && couldBegin && isOver && this.#automaton.accepts(state)) {
      this.#end(instance);
      this.#begin(instance, step, hasWholeKey);
      return;
    }
    const isPast = (message: number): boolean =>
      instances.hasTaken(instance, message) && !this.#machine.recurring.has(message);
    if (!hasWholeKey && step.messages.every(isPast)) {
      if (!instances.has(instance, TAKEN_WHOLE) && couldBegin) this.#begin(instance, step, hasWholeKey);
      else if (step.isCall) instances.mark(instance, PASSED);
      return;
    }
    instances.mark(instance, FAILED);
  }

  get #isKeyless(): boolean {
    return this.#bindings.places === 0;
  }

  #begin(instance: Instance, step: Step, hasWholeKey: boolean): void {
    const { initial } = this.#automaton;
    this.instances.reset(instance, initial);
    this.#openPaths.forget(instance);
    this.#accept(instance, this.#automaton.next(initial, step.letter), step, hasWholeKey);
  }

  /** A run went as drawn. */
  #end(instance: Instance, isLast = false): void {
    const { only } = this.#options;
    if (this.instances.has(instance, OPEN)) this.#correct(instance, this.#openPaths.settle(instance));
    if (only === null || only.has(this.instances.nameOf(instance))) this.finished.add(this.instances, instance, isLast);
    this.instances.finishRun(instance);
  }
}

const NO_PARTS: Instance[] = [];
