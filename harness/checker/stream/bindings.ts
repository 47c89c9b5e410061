import { NO_TEXT, Texts, type Text } from '../../trace/index.ts';
import { withPlace } from './columns.ts';

/** An instance, by its number; numbers of forgotten instances are used again. */
export type Instance = number;
/** No instance. */
export const NOBODY: Instance = -1;

/** The values of the contract's key that an event carries, as far as it does, by a number (see `Bindings`). */
export type Binding = number;
/** That of no value. */
export const ROOT: Binding = 0;
export const NO_BINDING: Binding = -1;

/** A binding in words. Values stand in the order of the key. */
export interface CarriedValues {
  readonly values: readonly (string | undefined)[];
  /** How many of them are there. */
  readonly known: number;
  readonly name: string;
}

/** Names join the key's values by a character that no value of a trace holds unescaped. */
export const SEPARATOR = '\u0000';

/** Bytes of values kept before the checker gives up. */
const VALUE_BYTES_MAX = 512 * 1024 * 1024;

const SECOND = 1;
const INSTANCE = 2;
const WIDTH = 4;

/**
 * Numbers the bindings of a trace, equal ones equally, and knows the live instance of each. There may be as many as instances,
 * so that they are rows of numbers, and their values bytes; words are made of those that are told.
 */
export class Bindings {
  /** How many values the key has: at most two; those of a trace id count as one. */
  places: number;
  /** Counts how often all were numbered anew. */
  age = 0;
  #values = new Texts();
  /** By value, for each of the two places: the binding of this value alone, plus 1. */
  #singles = new Int32Array(1 << 10);
  /** Bindings of two values, plus 1: open addressing with linear probing. */
  #pairs = new Int32Array(1 << 10);
  #pairCount = 0;
  #rows = new Int32Array(WIDTH << 8);
  #size = 0;
  #words: (CarriedValues | undefined)[] = [];
  #isClosed = false;

  constructor(places: number) {
    this.places = places;
    this.#add(NO_TEXT, NO_TEXT);
  }

  get size(): number {
    return this.#size;
  }

  get isFull(): boolean {
    return this.#values.bytes > VALUE_BYTES_MAX;
  }

  /** Nobody asks for instances any more: whatever was not met yet is like the binding of no value. */
  close(): void {
    this.#isClosed = true;
  }

  /** The number of a value, which may come from the texts of a trace. */
  valueOf(text: Text, texts: Texts): Text {
    return this.#isClosed ? NO_TEXT : this.#values.numberFrom(texts, text);
  }

  /** The binding of these words. */
  ofWords(words: readonly (string | undefined)[]): Binding {
    const [first = NO_TEXT, second = NO_TEXT] = words.map((word) =>
      word === undefined || word === '' || this.#isClosed ? NO_TEXT : this.#values.numberOf(word),
    );
    return this.of(first, second);
  }

  /** The binding of these values; NO_TEXT: none. */
  of(first: Text, second: Text): Binding {
    if (this.#isClosed) return ROOT;
    if (first === NO_TEXT) return second === NO_TEXT ? ROOT : this.#single(second, SECOND);
    return second === NO_TEXT ? this.#single(first, 0) : this.#pair(first, second);
  }

  /** What the first binding says, and what it leaves open as the second says. */
  joined(first: Binding, second: Binding): Binding {
    const [own, other] = [first * WIDTH, second * WIDTH];
    const a = this.#rows[own] ?? NO_TEXT;
    const b = this.#rows[own + SECOND] ?? NO_TEXT;
    return this.of(
      a === NO_TEXT ? (this.#rows[other] ?? NO_TEXT) : a,
      b === NO_TEXT ? (this.#rows[other + SECOND] ?? NO_TEXT) : b,
    );
  }

  /** Has no place of the key a value in the one and another in the other? */
  agree(first: Binding, second: Binding): boolean {
    for (const place of [0, SECOND]) {
      const [own, other] = [this.#rows[first * WIDTH + place], this.#rows[second * WIDTH + place]];
      if (own !== NO_TEXT && other !== NO_TEXT && own !== other) return false;
    }
    return true;
  }

  /** The value that it has at a place of the key; NO_TEXT: none. */
  value(binding: Binding, place: number): Text {
    return this.#rows[binding * WIDTH + place] ?? NO_TEXT;
  }

  known(binding: Binding): number {
    const row = binding * WIDTH;
    return (this.#rows[row] === NO_TEXT ? 0 : 1) + (this.#rows[row + SECOND] === NO_TEXT ? 0 : 1);
  }

  isWhole(binding: Binding): boolean {
    return this.known(binding) === this.places;
  }

  /** Bindings that say a part of what it says, as far as they were met; those that say most first. */
  partsOf(binding: Binding): Binding[] {
    if (binding === ROOT) return [];
    if (this.known(binding) < 2) return [ROOT];
    const parts = [0, SECOND].map((place) => (this.#singles[2 * this.value(binding, place) + place] ?? 0) - 1);
    return [...parts.filter((part) => part !== NO_BINDING), ROOT];
  }

  /** Its live instance, or NOBODY. */
  instance(binding: Binding): Instance {
    return this.#rows[binding * WIDTH + INSTANCE] ?? NOBODY;
  }

  setInstance(binding: Binding, instance: Instance): void {
    this.#rows[binding * WIDTH + INSTANCE] = instance;
  }

  inWords(binding: Binding): CarriedValues {
    return (this.#words[binding] ??= this.#spellOut(binding));
  }

  /** The binding of the same values that others numbered. */
  take(binding: Binding, others: Bindings): Binding {
    return this.#copied(binding, others.#rows, others.#values);
  }

  /**
   * Numbers all anew, and forgets those that nobody holds any more. `moveAll` gives each that is held to `move`, and keeps what
   * that returns; it also says again which instances they have.
   */
  renumber(moveAll: (move: (binding: Binding) => Binding) => void): void {
    const [rows, values] = [this.#rows, this.#values];
    this.age++;
    this.#values = new Texts();
    this.#singles = new Int32Array(1 << 10);
    this.#pairs = new Int32Array(1 << 10);
    this.#pairCount = 0;
    this.#rows = new Int32Array(WIDTH << 8);
    this.#size = 0;
    this.#words = [];
    this.#add(NO_TEXT, NO_TEXT);
    moveAll((binding) => this.#copied(binding, rows, values));
  }

  #copied(binding: Binding, rows: Int32Array, values: Texts): Binding {
    const first = rows[binding * WIDTH] ?? NO_TEXT;
    const second = rows[binding * WIDTH + SECOND] ?? NO_TEXT;
    return this.of(
      first === NO_TEXT ? NO_TEXT : this.#values.numberFrom(values, first),
      second === NO_TEXT ? NO_TEXT : this.#values.numberFrom(values, second),
    );
  }

  #single(value: Text, place: number): Binding {
    const at = 2 * value + place;
    const known = this.#singles[at] ?? 0;
    if (known > 0) return known - 1;
    const added = place === 0 ? this.#add(value, NO_TEXT) : this.#add(NO_TEXT, value);
    this.#singles = withPlace(this.#singles, at);
    this.#singles[at] = added + 1;
    return added;
  }

  #pair(first: Text, second: Text): Binding {
    const mask = this.#pairs.length - 1;
    for (let slot = pairHash(first, second) & mask; ; slot = (slot + 1) & mask) {
      const found = (this.#pairs[slot] ?? 0) - 1;
      if (found < 0) {
        const added = this.#add(first, second);
        this.#pairs[slot] = added + 1;
        if (++this.#pairCount * 2 > mask) this.#growPairs();
        return added;
      }
      if (this.#rows[found * WIDTH] === first && this.#rows[found * WIDTH + SECOND] === second) return found;
    }
  }

  #growPairs(): void {
    const pairs = new Int32Array(2 * this.#pairs.length);
    const mask = pairs.length - 1;
    for (const entry of this.#pairs) {
      if (entry === 0) continue;
      const row = (entry - 1) * WIDTH;
      let slot = pairHash(this.#rows[row] ?? 0, this.#rows[row + SECOND] ?? 0) & mask;
      while (pairs[slot] !== 0) slot = (slot + 1) & mask;
      pairs[slot] = entry;
    }
    this.#pairs = pairs;
  }

  #add(first: Text, second: Text): Binding {
    const binding = this.#size++;
    const row = binding * WIDTH;
    this.#rows = withPlace(this.#rows, row + WIDTH - 1);
    this.#rows[row] = first;
    this.#rows[row + SECOND] = second;
    this.#rows[row + INSTANCE] = NOBODY;
    return binding;
  }

  #spellOut(binding: Binding): CarriedValues {
    const values = Array.from({ length: this.places }, (_, place) => {
      const value = this.value(binding, place);
      return value === NO_TEXT ? undefined : this.#values.stringOf(value);
    });
    return { values, known: this.known(binding), name: values.map((value) => value ?? '').join(SEPARATOR) };
  }
}

/** A binding whose words are made when they are asked for: of many instances a few are told. */
export class NamedBinding {
  readonly #bindings: Bindings;
  readonly #binding: Binding;

  constructor(bindings: Bindings, binding: Binding) {
    this.#bindings = bindings;
    this.#binding = binding;
  }

  get name(): string {
    return this.#bindings.inWords(this.#binding).name;
  }

  get values(): CarriedValues['values'] {
    return this.#bindings.inWords(this.#binding).values;
  }
}

function pairHash(first: Text, second: Text): number {
  const hash = Math.imul(Math.imul(first, 0x9e3779b1) ^ second, 0x85ebca6b);
  return hash ^ (hash >>> 15);
}
