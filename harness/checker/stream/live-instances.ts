import type { State } from './automaton.ts';

/** An instance, by its number; numbers of ended instances are used again. */
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

/**
 * The live instances as columns of numbers: a state, some bits and a set of taken messages each, so that a million of them
 * are a matter of some dozens of megabytes.
 */
export class LiveInstances {
  /** Words of the set of taken messages, 32 messages each. */
  readonly words: number;
  readonly #names = new Map<string, Instance>();
  #keys: string[] = [];
  #states = new Int32Array(1_024);
  #bits = new Uint8Array(1_024);
  #taken: Uint32Array;
  readonly #free: Instance[] = [];
  #used = 0;

  constructor(messages: number) {
    this.words = Math.max(1, Math.ceil(messages / 32));
    this.#taken = new Uint32Array(1_024 * this.words);
  }

  get size(): number {
    return this.#names.size;
  }

  find(name: string): Instance | undefined {
    return this.#names.get(name);
  }

  /** Adds an instance in the given state; with `like`, its bits and taken messages are those of that one. */
  add(name: string, state: State, like: Instance | null): Instance {
    const instance = this.#free.pop() ?? this.#used++;
    if (instance >= this.#states.length) this.#grow();
    this.#names.set(name, instance);
    this.#keys[instance] = name;
    this.#states[instance] = state;
    this.#bits[instance] = like === null ? 0 : (this.#bits[like] ?? 0) & ~EXTENDED;
    for (let word = 0; word < this.words; word++)
      this.#taken[instance * this.words + word] = like === null ? 0 : (this.#taken[like * this.words + word] ?? 0);
    return instance;
  }

  remove(instance: Instance): void {
    this.#names.delete(this.nameOf(instance));
    this.#free.push(instance);
  }

  nameOf(instance: Instance): string {
    return this.#keys[instance] ?? '';
  }

  all(): IterableIterator<Instance> {
    return this.#names.values();
  }

  state(instance: Instance): State {
    return this.#states[instance] ?? 0;
  }

  setState(instance: Instance, state: State): void {
    this.#states[instance] = state;
  }

  has(instance: Instance, bit: number): boolean {
    return ((this.#bits[instance] ?? 0) & bit) !== 0;
  }

  mark(instance: Instance, bits: number): void {
    this.#bits[instance] = (this.#bits[instance] ?? 0) | bits;
  }

  hasTaken(instance: Instance, message: number): boolean {
    return ((this.#taken[instance * this.words + (message >> 5)] ?? 0) & (1 << (message & 31))) !== 0;
  }

  take(instance: Instance, message: number): void {
    const place = instance * this.words + (message >> 5);
    this.#taken[place] = (this.#taken[place] ?? 0) | (1 << (message & 31));
  }

  /** Begins again: nothing taken. */
  reset(instance: Instance, state: State): void {
    this.#states[instance] = state;
    this.#bits[instance] = (this.#bits[instance] ?? 0) & (FAILED | EXTENDED);
    this.#taken.fill(0, instance * this.words, (instance + 1) * this.words);
  }

  #grow(): void {
    const size = this.#states.length * 2;
    const states = new Int32Array(size);
    states.set(this.#states);
    const bits = new Uint8Array(size);
    bits.set(this.#bits);
    const taken = new Uint32Array(size * this.words);
    taken.set(this.#taken);
    [this.#states, this.#bits, this.#taken] = [states, bits, taken];
  }
}
