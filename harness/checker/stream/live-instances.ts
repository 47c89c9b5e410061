import type { State } from './automaton.ts';
import { NOBODY, type Binding, type Bindings, type Instance } from './bindings.ts';

/** What happened to an instance so far, as bits. */
export const TAKEN_ANY = 1;
/** It took an event that carries the whole key. */
export const TAKEN_WHOLE = 2;
/** It broke the drawing, or met something that only the whole checker can judge. */
export const FAILED = 4;
/** A partial binding that a larger one has extended: not judged by itself. */
export const EXTENDED = 8;
/** Together with `FAILED`: nothing is known against it. */
export const UNCLEAR = 16;

/** It took an event that could have been several messages, and may be counted for the wrong one still. */
export const OPEN = 64;
/** It was past a call that shows no whole key: the reply to it is none of its either. */
export const PASSED = 128;

/** Some of its counts do not fit their bytes. */
const CARRIED = 32;

/** A byte that would become greater begins again at 1, and how often it did stands in a map. */
const COUNT_MAX = 255;

/** The words of an instance, before the bytes that count its messages. */
const STATE = 0;
const BITS = 1;
const BINDING = 2;
/** Runs that it has finished. */
const RUNS = 3;
const HEAD = 4;
const NO_BINDING = -1;

/**
 * The live instances as rows of numbers: a state, some bits and how often each took which message. A million of them are a
 * matter of a hundred megabytes, and each stands in one place in memory.
 */
export class LiveInstances {
  readonly bindings: Bindings;
  readonly #messages: number;
  readonly #width: number;
  #rows: Int32Array;
  /** The same memory. */
  #bytes: Uint8Array;
  /** How many were made before it. */
  #serials = new Float64Array(1_024);
  readonly #carries = new Map<number, number>();
  readonly #free: Instance[] = [];
  #used = 0;
  #made = 0;

  constructor(messages: number, bindings: Bindings) {
    this.bindings = bindings;
    this.#messages = messages;
    this.#width = HEAD + Math.ceil(messages / 4);
    this.#rows = new Int32Array(1_024 * this.#width);
    this.#bytes = new Uint8Array(this.#rows.buffer);
  }

  get size(): number {
    return this.#used - this.#free.length;
  }

  /** Adds an instance in the given state; with `like`, its bits and taken messages are those of that one. */
  add(binding: Binding, state: State, like: Instance | null): Instance {
    const instance = this.#free.pop() ?? this.#used++;
    if (instance >= this.#serials.length) this.#grow();
    const row = instance * this.#width;
    this.bindings.setInstance(binding, instance);
    this.#rows[row + STATE] = state;
    this.#rows[row + BITS] = like === null ? 0 : this.#bits(like) & ~EXTENDED;
    this.#rows[row + BINDING] = binding;
    this.#rows[row + RUNS] = 0;
    this.#serials[instance] = this.#made++;
    if (like === null) for (let at = row + HEAD; at < row + this.#width; at++) this.#rows[at] = 0;
    else this.#copyCounts(like, instance);
    return instance;
  }

  /** Forgets an instance. */
  remove(instance: Instance): void {
    this.#clearCounts(instance);
    this.bindings.setInstance(this.binding(instance), NOBODY);
    this.#rows[instance * this.#width + BINDING] = NO_BINDING;
    this.#free.push(instance);
  }

  /** Calls back for each; what is added on the way may be left out. */
  forEach(take: (instance: Instance) => void): void {
    const used = this.#used;
    for (let instance = 0; instance < used; instance++) if (this.isLive(instance)) take(instance);
  }

  isLive(instance: Instance): boolean {
    return this.binding(instance) !== NO_BINDING;
  }

  /** Bindings have other numbers from now on. */
  rebind(move: (binding: Binding) => Binding): void {
    this.forEach((instance) => {
      const binding = move(this.binding(instance));
      this.#rows[instance * this.#width + BINDING] = binding;
      this.bindings.setInstance(binding, instance);
    });
  }

  binding(instance: Instance): Binding {
    return this.#rows[instance * this.#width + BINDING] ?? NO_BINDING;
  }

  nameOf(instance: Instance): string {
    return this.bindings.inWords(this.binding(instance)).name;
  }

  state(instance: Instance): State {
    return this.#rows[instance * this.#width + STATE] ?? 0;
  }

  setState(instance: Instance, state: State): void {
    this.#rows[instance * this.#width + STATE] = state;
  }

  serial(instance: Instance): number {
    return this.#serials[instance] ?? 0;
  }

  runs(instance: Instance): number {
    return this.#rows[instance * this.#width + RUNS] ?? 0;
  }

  has(instance: Instance, bit: number): boolean {
    return (this.#bits(instance) & bit) !== 0;
  }

  mark(instance: Instance, bits: number): void {
    this.#rows[instance * this.#width + BITS] = this.#bits(instance) | bits;
  }

  unmark(instance: Instance, bits: number): void {
    this.#rows[instance * this.#width + BITS] = this.#bits(instance) & ~bits;
  }

  hasTaken(instance: Instance, message: number): boolean {
    return (this.#bytes[this.#place(instance, message)] ?? 0) !== 0;
  }

  /** How often it took the message in this run. */
  count(instance: Instance, message: number): number {
    const place = this.#place(instance, message);
    const count = this.#bytes[place] ?? 0;
    return this.has(instance, CARRIED) ? count + COUNT_MAX * (this.#carries.get(place) ?? 0) : count;
  }

  take(instance: Instance, message: number): void {
    const place = this.#place(instance, message);
    const count = this.#bytes[place] ?? 0;
    if (count < COUNT_MAX) this.#bytes[place] = count + 1;
    else {
      this.#bytes[place] = 1;
      this.#carries.set(place, (this.#carries.get(place) ?? 0) + 1);
      this.mark(instance, CARRIED);
    }
  }

  /** So many more, or fewer, were taken. */
  correct(instance: Instance, message: number, change: number): void {
    const place = this.#place(instance, message);
    const count = this.count(instance, message) + change;
    const carries = Math.max(0, Math.ceil(count / COUNT_MAX) - 1);
    this.#bytes[place] = Math.max(0, count - carries * COUNT_MAX);
    if (carries === 0) this.#carries.delete(place);
    else {
      this.#carries.set(place, carries);
      this.mark(instance, CARRIED);
    }
  }

  /** A run is over. */
  finishRun(instance: Instance): void {
    const at = instance * this.#width + RUNS;
    this.#rows[at] = (this.#rows[at] ?? 0) + 1;
  }

  /** Begins again: nothing taken. */
  reset(instance: Instance, state: State): void {
    this.#clearCounts(instance);
    this.#rows[instance * this.#width + STATE] = state;
    this.#rows[instance * this.#width + BITS] = this.#bits(instance) & (FAILED | EXTENDED | UNCLEAR | PASSED);
  }

  #bits(instance: Instance): number {
    return this.#rows[instance * this.#width + BITS] ?? 0;
  }

  #place(instance: Instance, message: number): number {
    return (instance * this.#width + HEAD) * 4 + message;
  }

  #clearCounts(instance: Instance): void {
    if (this.has(instance, CARRIED))
      for (let message = 0; message < this.#messages; message++) this.#carries.delete(this.#place(instance, message));
    const row = instance * this.#width;
    for (let at = row + HEAD; at < row + this.#width; at++) this.#rows[at] = 0;
  }

  #copyCounts(from: Instance, into: Instance): void {
    const [row, copy] = [from * this.#width, into * this.#width];
    for (let at = HEAD; at < this.#width; at++) this.#rows[copy + at] = this.#rows[row + at] ?? 0;
    if (!this.has(from, CARRIED)) return;
    for (let message = 0; message < this.#messages; message++) {
      const carries = this.#carries.get(this.#place(from, message));
      if (carries !== undefined) this.#carries.set(this.#place(into, message), carries);
    }
  }

  #grow(): void {
    const rows = new Int32Array(2 * this.#rows.length);
    rows.set(this.#rows);
    const serials = new Float64Array(2 * this.#serials.length);
    serials.set(this.#serials);
    [this.#rows, this.#bytes, this.#serials] = [rows, new Uint8Array(rows.buffer), serials];
  }
}
