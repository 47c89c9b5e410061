import { acceptingPath, advance, type Path } from '../credits.ts';
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

/** Where a step leads: to several ways still, or to what is to be corrected as one is left. */
type Next =
  | { readonly kind: 'open'; readonly paths: readonly CountPath[] }
  | { readonly kind: 'settled'; readonly corrections: CountCorrections };

/** Steps that are remembered. Most instances go the same way; of a loop of a million iterations each step is another one. */
const STEPS_MAX = 10_000;

/** The ways to read what an instance took, for instances that took an event which could have been several messages (see `Run`). */
export class OpenPaths {
  readonly #automaton: Automaton;
  /** Instances that stand alike share one list. */
  readonly #paths = new Map<Instance, readonly CountPath[]>();
  readonly #beginnings = new Map<State, readonly CountPath[]>();
  #steps = new Map<readonly CountPath[], Map<number, Next>>();
  #stepsKnown = 0;

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
  follow(instance: Instance, step: CountedStep): CountCorrections | undefined {
    const next = this.#next(this.#paths.get(instance) ?? this.#beginning(step.state), step);
    if (next.kind === 'open') {
      this.#paths.set(instance, next.paths);
      return undefined;
    }
    this.#paths.delete(instance);
    return next.corrections;
  }

  #beginning(state: State): readonly CountPath[] {
    let paths = this.#beginnings.get(state);
    if (paths === undefined)
      this.#beginnings.set(state, (paths = [{ term: this.#automaton.term(state), corrections: null }]));
    return paths;
  }

  #next(before: readonly CountPath[], step: CountedStep): Next {
    const name = (step.letter * MESSAGES_MAX + step.message) * 2 + (step.counts ? 1 : 0);
    let known = this.#steps.get(before);
    let next = known?.get(name);
    if (next !== undefined) return next;
    next = this.#compute(before, step);
    if (++this.#stepsKnown > STEPS_MAX) {
      this.#steps = new Map();
      this.#stepsKnown = 1;
      known = undefined;
    }
    if (known === undefined) this.#steps.set(before, (known = new Map<number, Next>()));
    known.set(name, next);
    return next;
  }

  #compute(before: readonly CountPath[], { letter, message: counted, counts }: CountedStep): Next {
    const automaton = this.#automaton;
    const paths = advance(before, {
      step: (term, message) => automaton.step(term, message, letter),
      messages: automaton.messagesOf(letter),
      correct: (known, message) => (counts ? corrected(known, counted, message) : known),
    });
    if (paths.length > 1) return { kind: 'open', paths };
    return { kind: 'settled', corrections: (paths[0] ?? before[0])?.corrections ?? NONE };
  }

  /** What is to be corrected where a run is over that went as drawn. */
  settle(instance: Instance): CountCorrections {
    const paths = this.#paths.get(instance) ?? [];
    this.#paths.delete(instance);
    const path = acceptingPath(paths, (term) => this.#automaton.acceptsTerm(term)) ?? paths[0];
    return path?.corrections ?? NONE;
  }
}

const NONE: CountCorrections = new Map();

/** More than any contract has. */
const MESSAGES_MAX = 1_000_000;

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
