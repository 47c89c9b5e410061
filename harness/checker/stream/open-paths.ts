import { advance, type Path } from '../credits.ts';
import type { Automaton, Letter, State } from './automaton.ts';
import type { Instance } from './bindings.ts';

/** By message, how many events more or fewer were taken for it than are counted. */
export type CountCorrections = ReadonlyMap<number, number>;

/** An event, the state in which it came, and the message that it is counted for. */
export interface CountedStep {
  readonly state: State;
  readonly letter: Letter;
  readonly message: number;
  /** It is more than a receipt, which is not counted. */
  readonly counts: boolean;
}

type CountPath = Path<CountCorrections>;

/** The ways to read what an instance took, for instances that took an event which could have been several messages (see `Run`). */
export class OpenPaths {
  readonly #automaton: Automaton;
  readonly #paths = new Map<Instance, readonly CountPath[]>();

  constructor(automaton: Automaton) {
    this.#automaton = automaton;
  }

  /** `into` begins where `from` stands. */
  copy(from: Instance, into: Instance): void {
    const paths = this.#paths.get(from);
    if (paths !== undefined) this.#paths.set(into, paths);
  }

  forget(instance: Instance): void {
    this.#paths.delete(instance);
  }

  /** What is to be corrected now, as one way is left; undefined: several are. */
  follow(instance: Instance, { state, letter, message: counted, counts }: CountedStep): CountCorrections | undefined {
    const automaton = this.#automaton;
    const before = this.#paths.get(instance) ?? [{ term: automaton.term(state), corrections: null }];
    const paths = advance(before, {
      step: (term, message) => automaton.step(term, message, letter),
      messages: automaton.messagesOf(letter),
      correct: (known, message) => (counts ? corrected(known, counted, message) : known),
    });
    if (paths.length > 1) {
      this.#paths.set(instance, paths);
      return undefined;
    }
    this.#paths.delete(instance);
    return (paths[0] ?? before[0])?.corrections ?? NONE;
  }

  /** What is to be corrected where a run is over that went as drawn. */
  settle(instance: Instance): CountCorrections {
    const paths = this.#paths.get(instance) ?? [];
    this.#paths.delete(instance);
    const path = paths.find(({ term }) => this.#automaton.acceptsTerm(term)) ?? paths[0];
    return path?.corrections ?? NONE;
  }
}

const NONE: CountCorrections = new Map();

function corrected(known: CountCorrections | null, counted: number, message: number): CountCorrections | null {
  if (counted === message) return known;
  const next = new Map(known);
  for (const [one, change] of [
    [counted, -1],
    [message, 1],
  ] as const) {
    const sum = (next.get(one) ?? 0) + change;
    if (sum === 0) next.delete(one);
    else next.set(one, sum);
  }
  return next.size === 0 ? null : next;
}
