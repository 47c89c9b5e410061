import { stepTerm, type End, type Machine } from '../run.ts';
import { BoundMet, FAIL, type Term } from '../terms.ts';

/** A state of the automaton: a small number for a term. */
export type State = number;
/** A letter: a set of contract messages that an event can be, and the end that it shows. */
export type Letter = number;

export const DEAD: State = -1;
const UNKNOWN = -2;

/** States kept before the checker gives up, naming the bound: one row of four bytes a letter each. */
export const STATES_MAX = 200_000;

const ENDS: readonly End[] = ['both', 'send', 'receive', 'only-send', 'only-receive'];

/**
 * The contract's term as a lazily built automaton: one integer row per state, filled at the first use of each letter.
 * The step of an instance is then one look-up.
 */
export class Automaton {
  readonly initial: State;
  readonly #machine: Machine;
  readonly #statesMax: number;
  readonly #terms: Term[] = [];
  readonly #numbers = new Map<Term, State>();
  /** Per state and letter: the next state, and the message that is taken for it. */
  #rows: Int32Array[] = [];
  #takenRows: Int32Array[] = [];
  /** Per state and letter, where any is one: 1, if there are several messages that the letter can be taken for. */
  readonly #forkRows: (Uint8Array | undefined)[] = [];
  #accepts: (boolean | undefined)[] = [];
  #isOver: (boolean | undefined)[] = [];
  /** Letters by the list of messages (equal lists are one object, see `Label.messages`), then by end. */
  readonly #letters = new Map<readonly number[], Int32Array>();
  readonly #alphabet: { readonly messages: readonly number[]; readonly end: End }[] = [];
  #width = 16;
  /** Some letter could be taken for several messages. */
  hasForks = false;

  constructor(machine: Machine, statesMax: number = STATES_MAX) {
    this.#machine = machine;
    this.#statesMax = statesMax;
    this.initial = this.#state(machine.initial);
  }

  get size(): number {
    return this.#terms.length;
  }

  letter(messages: readonly number[], end: End): Letter {
    let byEnd = this.#letters.get(messages);
    if (byEnd === undefined) this.#letters.set(messages, (byEnd = new Int32Array(ENDS.length).fill(UNKNOWN)));
    const place = ENDS.indexOf(end);
    const known = byEnd[place] ?? UNKNOWN;
    if (known !== UNKNOWN) return known;
    const letter = this.#alphabet.push({ messages, end }) - 1;
    byEnd[place] = letter;
    if (letter >= this.#width) this.#widen();
    return letter;
  }

  /** The state after the letter, or DEAD. */
  next(state: State, letter: Letter): State {
    const known = this.#rows[state]?.[letter] ?? UNKNOWN;
    return known === UNKNOWN ? this.#compute(state, letter) : known;
  }

  accepts(state: State): boolean {
    return (this.#accepts[state] ??= this.#machine.deriver.accepts(this.term(state)));
  }

  /** Nothing owed and nothing possible any more. */
  isOver(state: State): boolean {
    return (this.#isOver[state] ??= this.#machine.deriver.alphabet(this.term(state)).size === 0);
  }

  /** Is the letter a receipt whose send nothing shows? */
  isUnsent(letter: Letter): boolean {
    return this.#alphabet[letter]?.end === 'only-receive';
  }

  /** The message for which the letter is taken in this state: the first that is possible. Only after `next` found a state. */
  taken(state: State, letter: Letter): number {
    return this.#takenRows[state]?.[letter] ?? UNKNOWN;
  }

  /** Are there several messages that the letter can be taken for? Only after `next` found a state. */
  isFork(state: State, letter: Letter): boolean {
    return this.#forkRows[state]?.[letter] === 1;
  }

  messagesOf(letter: Letter): readonly number[] {
    return this.#alphabet[letter]?.messages ?? [];
  }

  /** What remains of a term after the letter is taken for one of its messages. */
  step(term: Term, message: number, letter: Letter): Term {
    const end = this.#alphabet[letter]?.end;
    if (end === undefined) throw new Error('a letter of another automaton was used');
    return stepTerm(this.#machine, term, message, { end, tag: 0 });
  }

  acceptsTerm(term: Term): boolean {
    return this.#machine.deriver.accepts(term);
  }

  #compute(state: State, letter: Letter): State {
    const shape = this.#alphabet[letter];
    if (shape === undefined) throw new Error('a letter of another automaton was used');
    const term = this.term(state);
    const steps = shape.messages.map((message) => this.step(term, message, letter));
    const next = this.#machine.terms.alt(steps);
    const found = next === FAIL ? DEAD : this.#state(next);
    const [nextRow, takenRow] = [this.#rows[state], this.#takenRows[state]];
    if (nextRow !== undefined) nextRow[letter] = found;
    if (takenRow !== undefined) takenRow[letter] = shape.messages[steps.findIndex((step) => step !== FAIL)] ?? UNKNOWN;
    if (steps.filter((step) => step !== FAIL).length > 1) this.#noteFork(state, letter);
    return found;
  }

  #noteFork(state: State, letter: Letter): void {
    this.hasForks = true;
    const known = this.#forkRows[state];
    const row = known !== undefined && known.length > letter ? known : new Uint8Array(this.#width);
    if (known !== undefined && known !== row) row.set(known);
    this.#forkRows[state] = row;
    row[letter] = 1;
  }

  /** What remains in a state. */
  term(state: State): Term {
    const term = this.#terms[state];
    if (term === undefined) throw new Error(`state ${state} is not of this automaton`);
    return term;
  }

  #state(term: Term): State {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    if (this.#terms.length >= this.#statesMax) throw new BoundMet(`${this.#statesMax} states of the automaton`);
    const state = this.#terms.push(term) - 1;
    this.#numbers.set(term, state);
    this.#rows.push(new Int32Array(this.#width).fill(UNKNOWN));
    this.#takenRows.push(new Int32Array(this.#width).fill(UNKNOWN));
    return state;
  }

  #widen(): void {
    this.#width *= 2;
    const wider = (row: Int32Array): Int32Array => {
      const copy = new Int32Array(this.#width).fill(UNKNOWN);
      copy.set(row);
      return copy;
    };
    this.#rows = this.#rows.map(wider);
    this.#takenRows = this.#takenRows.map(wider);
  }
}
