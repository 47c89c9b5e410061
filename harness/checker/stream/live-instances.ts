import type { State } from './automaton.ts';

/** An instance, by its number; numbers of forgotten instances are used again. */
export type Instance = number;

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

/** The values of the contract's key that an event carries, as far as it does. */
export interface Binding {
  readonly values: readonly (string | undefined)[];
  readonly known: number;
  readonly name: string;
  /** The instance that was found for it last; it may have been forgotten since. */
  instance: Instance;
}

/** A count that does not fit its byte stands in a map. */
const COUNT_MAX = 255;

/**
 * The live instances as columns of numbers: a state, some bits and how often it took each message, so that a million of them
 * are a matter of a hundred megabytes.
 */
export class LiveInstances {
  readonly #messages: number;
  readonly #numbers = new Map<string, Instance>();
  #bindings: Binding[] = [];
  #states = new Int32Array(1_024);
  #bits = new Uint8Array(1_024);
  /** How many were made before it. */
  #serials = new Float64Array(1_024);
  /** Runs that it has finished. */
  #runs = new Uint32Array(1_024);
  #counts: Uint8Array;
  readonly #largeCounts = new Map<number, number>();
  readonly #free: Instance[] = [];
  #used = 0;
  #made = 0;

  constructor(messages: number) {
    this.#messages = messages;
    this.#counts = new Uint8Array(1_024 * messages);
  }

  get size(): number {
    return this.#numbers.size;
  }

  find(binding: Binding): Instance | undefined {
    const { instance } = binding;
    if (instance >= 0 && this.#bindings[instance] === binding) return instance;
    const found = this.#numbers.get(binding.name);
    if (found !== undefined) binding.instance = found;
    return found;
  }

  findByName(name: string): Instance | undefined {
    return this.#numbers.get(name);
  }

  /** The binding of a live instance of this name. */
  bindingOf(name: string): Binding | undefined {
    const instance = this.#numbers.get(name);
    return instance === undefined ? undefined : this.#bindings[instance];
  }

  /** Adds an instance in the given state; with `like`, its bits and taken messages are those of that one. */
  add(binding: Binding, state: State, like: Instance | null): Instance {
    const instance = this.#free.pop() ?? this.#used++;
    if (instance >= this.#states.length) this.#grow();
    this.#numbers.set(binding.name, instance);
    this.#bindings[instance] = binding;
    binding.instance = instance;
    this.#states[instance] = state;
    this.#serials[instance] = this.#made++;
    this.#runs[instance] = 0;
    this.#bits[instance] = like === null ? 0 : (this.#bits[like] ?? 0) & ~EXTENDED;
    for (let message = 0; message < this.#messages; message++)
      this.#setCount(instance * this.#messages + message, like === null ? 0 : this.count(like, message));
    return instance;
  }

  /** Forgets an instance. */
  remove(instance: Instance): void {
    this.#numbers.delete(this.nameOf(instance));
    this.#free.push(instance);
  }

  nameOf(instance: Instance): string {
    return this.#bindings[instance]?.name ?? '';
  }

  valuesOf(instance: Instance): Binding['values'] {
    return this.#bindings[instance]?.values ?? [];
  }

  all(): IterableIterator<Instance> {
    return this.#numbers.values();
  }

  state(instance: Instance): State {
    return this.#states[instance] ?? 0;
  }

  setState(instance: Instance, state: State): void {
    this.#states[instance] = state;
  }

  serial(instance: Instance): number {
    return this.#serials[instance] ?? 0;
  }

  runs(instance: Instance): number {
    return this.#runs[instance] ?? 0;
  }

  has(instance: Instance, bit: number): boolean {
    return ((this.#bits[instance] ?? 0) & bit) !== 0;
  }

  mark(instance: Instance, bits: number): void {
    this.#bits[instance] = (this.#bits[instance] ?? 0) | bits;
  }

  hasTaken(instance: Instance, message: number): boolean {
    return (this.#counts[instance * this.#messages + message] ?? 0) !== 0;
  }

  /** How often it took the message in this run. */
  count(instance: Instance, message: number): number {
    const place = instance * this.#messages + message;
    const count = this.#counts[place] ?? 0;
    return count < COUNT_MAX ? count : (this.#largeCounts.get(place) ?? COUNT_MAX);
  }

  take(instance: Instance, message: number): void {
    const place = instance * this.#messages + message;
    const count = this.#counts[place] ?? 0;
    if (count < COUNT_MAX - 1) this.#counts[place] = count + 1;
    else this.#setCount(place, this.count(instance, message) + 1);
  }

  /** A run is over. */
  finishRun(instance: Instance): void {
    this.#runs[instance] = (this.#runs[instance] ?? 0) + 1;
  }

  /** Begins again: nothing taken. */
  reset(instance: Instance, state: State): void {
    this.#states[instance] = state;
    this.#bits[instance] = (this.#bits[instance] ?? 0) & (FAILED | EXTENDED | UNCLEAR);
    for (let message = 0; message < this.#messages; message++) this.#setCount(instance * this.#messages + message, 0);
  }

  #setCount(place: number, count: number): void {
    if (this.#counts[place] === COUNT_MAX) this.#largeCounts.delete(place);
    if (count >= COUNT_MAX) this.#largeCounts.set(place, count);
    this.#counts[place] = Math.min(COUNT_MAX, count);
  }

  #grow(): void {
    const size = this.#states.length * 2;
    const states = new Int32Array(size);
    states.set(this.#states);
    const bits = new Uint8Array(size);
    bits.set(this.#bits);
    const serials = new Float64Array(size);
    serials.set(this.#serials);
    const runs = new Uint32Array(size);
    runs.set(this.#runs);
    const counts = new Uint8Array(size * this.#messages);
    counts.set(this.#counts);
    [this.#states, this.#bits, this.#serials, this.#runs, this.#counts] = [states, bits, serials, runs, counts];
  }
}
