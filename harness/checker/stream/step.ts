import { NO_ID, type Id } from '../../trace/index.ts';
import type { Letter } from './automaton.ts';
import { ROOT, type Binding } from './bindings.ts';
import type { Told } from './told-values.ts';

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
  /** It answers a call that was never made, or is not made yet, or serves one that was answered already. */
  isOfUnknownCall: boolean;
  isCall: boolean;
  isReply: boolean;
  /** How many events came before, and where it was read. */
  index: number;
  line: number;
  binding: Binding;
  /** It is a call that waits for the reply that names its instance. */
  isWaiting: boolean;
  /** Of a numbered event: its id, and the events from which it has what it does not show of the key. */
  id: Id;
  call: Id;
  parent: Id;
  /** The same of a whole event. */
  lineage: Lineage | null;
}

/** An event that others may have values from; null: it is not of the contract, or did not take its turn yet. */
export interface Ancestor {
  readonly parent: string | undefined;
  readonly isCall: boolean;
  readonly isDrawn: boolean;
  carried: Binding | null;
  told: Told;
}

/** Where an event has values from, and whoever has them from it. */
export interface Lineage {
  readonly own: Ancestor | null;
  readonly origins: readonly Ancestor[];
}

export const newStep = (): Step => ({
  letter: 0,
  receipt: null,
  messages: [],
  isWrongStatus: false,
  counts: true,
  sent: 0,
  received: 0,
  isOfUnknownCall: false,
  isCall: false,
  isReply: false,
  index: 0,
  line: 0,
  binding: ROOT,
  isWaiting: false,
  id: NO_ID,
  call: NO_ID,
  parent: NO_ID,
  lineage: null,
});

function copyStep(from: Step, into: Step): void {
  into.letter = from.letter;
  into.receipt = from.receipt;
  into.messages = from.messages;
  into.isWrongStatus = from.isWrongStatus;
  into.counts = from.counts;
  into.sent = from.sent;
  into.received = from.received;
  into.isOfUnknownCall = from.isOfUnknownCall;
  into.isCall = from.isCall;
  into.isReply = from.isReply;
  into.index = from.index;
  into.line = from.line;
  into.binding = from.binding;
  into.isWaiting = from.isWaiting;
  into.id = from.id;
  into.call = from.call;
  into.parent = from.parent;
  into.lineage = from.lineage;
}

/** A step that is held back, by its number: how many were before it. */
export type Held = number;
export const NOT_HELD: Held = -1;

/** Steps that are held back, in their order: a ring of objects that are used again and again. */
export class HeldSteps {
  #ring: Step[] = Array.from({ length: 16 }, newStep);
  #first: Held = 0;
  #next: Held = 0;

  get size(): number {
    return this.#next - this.#first;
  }

  /** Holds a copy of the step. */
  add(step: Step): Held {
    if (this.size === this.#ring.length) this.#grow();
    const held = this.#next++;
    copyStep(step, this.#at(held));
    return held;
  }

  /** The step, if it is held back still. */
  get(held: Held): Step | null {
    return held >= this.#first && held < this.#next ? this.#at(held) : null;
  }

  /** The first one; there must be one. */
  get first(): Step {
    return this.#at(this.#first);
  }

  /** Lets the first one go, whose object is used again for a later one. */
  shift(): void {
    this.#first++;
  }

  forEach(take: (step: Step) => void): void {
    for (let held = this.#first; held < this.#next; held++) take(this.#at(held));
  }

  #at(held: Held): Step {
    const step = this.#ring[held & (this.#ring.length - 1)];
    if (step === undefined) throw new Error('a ring of steps has a gap');
    return step;
  }

  #grow(): void {
    const all = Array.from({ length: this.size }, (_, index) => this.#at(this.#first + index));
    const size = 2 * this.#ring.length;
    const ring = Array.from({ length: size }, (_, index) => all[(index - this.#first) & (size - 1)] ?? newStep());
    this.#ring = ring;
  }
}
