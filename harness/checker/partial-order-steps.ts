import type { LabelledEvent } from './labels.ts';
import { candidatesOf, stepTerm, type Letter, type Machine } from './run.ts';
import { FAIL, type Term } from './terms.ts';

/** How the judgement of one order of the events ends. `begun-before`: its first event cannot begin the drawing. */
export type Ending = 'conforms' | 'incomplete' | 'begun-before' | 'violates';

/** Where an instance stands after some of its events, as far as nothing has gone wrong. */
export interface Stand {
  readonly term: Term;
  /** Nothing was taken in this run. */
  readonly isFresh: boolean;
  /** An earlier run is over. */
  readonly isLaterRun: boolean;
  /** This run took an event that carries the whole key. */
  readonly isOwn: boolean;
  /** Messages outside loops that this run took, where somebody may ask; else empty. */
  readonly taken: string;
}

/** What is true of an instance in whatever order its events came. */
export interface Setting {
  readonly machine: Machine;
  readonly begun: boolean;
  readonly complete: boolean;
  readonly isKeyed: boolean;
  readonly hasWholeKey: (labelled: LabelledEvent) => boolean;
}

/**
 * What `Run` and `InstanceJudge` do with a letter, as a function from one state to the next, for the orders in which nothing
 * goes wrong. A property test holds the two against each other.
 */
export class Steps {
  readonly #setting: Setting;
  readonly #asksTaken: boolean;
  readonly initial: Stand;

  constructor(setting: Setting, letters: readonly Letter[]) {
    this.#setting = setting;
    this.#asksTaken = letters.some(({ labelled }) => !setting.hasWholeKey(labelled));
    this.initial = { term: setting.machine.initial, isFresh: true, isLaterRun: false, isOwn: false, taken: '' };
  }

  take(stand: Stand, letter: Letter): Stand | Ending {
    const { contract } = this.#setting.machine;
    const isOnce = contract.runs === 'once';
    const isAgain = this.#beginsAgain(stand, letter);
    if (isOnce && isAgain) return 'violates';
    const now = isAgain ? { ...this.initial, isLaterRun: true } : stand;
    const hasCandidates = candidatesOf(letter).length > 0;
    if (isOnce && now.isLaterRun && now.isFresh) {
      if (!this.#setting.hasWholeKey(letter.labelled))
        return this.after(this.initial.term, letter) === FAIL ? now : 'violates';
      if (hasCandidates) return 'violates';
    }
    if (breaksRule(letter)) return 'violates';
    const next = hasCandidates ? this.#takeCandidate(now, letter) : now;
    if (typeof next === 'string') return next;
    const isEnd = letter.labelled.rules?.ends === true && letter.end !== 'send' && !next.isFresh;
    if (!isEnd) return next;
    return this.#accepts(next.term) ? { ...this.initial, isLaterRun: true } : 'violates';
  }

  /** How it ends if nothing more comes. */
  end(stand: Stand): Ending {
    if (stand.isFresh && stand.isLaterRun) return 'conforms';
    if (this.#accepts(stand.term)) return 'conforms';
    return this.#setting.complete ? 'violates' : 'incomplete';
  }

  /** What is left of a term after a letter, in all that the letter can be; FAIL if the drawing does not allow it. */
  after(term: Term, letter: Letter): Term {
    const { machine } = this.#setting;
    return machine.terms.alt(candidatesOf(letter).map((message) => stepTerm(machine, term, message, letter)));
  }

  #takeCandidate(stand: Stand, letter: Letter): Stand | Ending {
    const next = this.after(stand.term, letter);
    if (next !== FAIL) return this.#accept(stand, letter, next);
    const { hasWholeKey, begun } = this.#setting;
    if (letter.end !== 'receive' && this.#isAgainstGuard(stand.term, letter)) return 'violates';
    if (!hasWholeKey(letter.labelled) && candidatesOf(letter).every((message) => this.#isPast(stand, message))) {
      const again = stand.isOwn ? FAIL : this.after(this.initial.term, letter);
      return again === FAIL ? stand : this.#accept({ ...stand, term: this.initial.term, taken: '' }, letter, again);
    }
    return stand.isFresh && !begun ? 'begun-before' : 'violates';
  }

  #isAgainstGuard(term: Term, letter: Letter): boolean {
    const denied = letter.labelled.rules?.denied ?? [];
    return denied.some((message) => stepTerm(this.#setting.machine, term, message, letter) !== FAIL);
  }

  #accept(stand: Stand, letter: Letter, next: Term): Stand | Ending {
    const { labelled, end } = letter;
    if (end !== 'receive' && labelled.messages.length === 0) return 'violates';
    const { hasWholeKey, machine } = this.#setting;
    const first = candidatesOf(letter).find((message) => stepTerm(machine, stand.term, message, letter) !== FAIL);
    const takes = end !== 'receive' && first !== undefined;
    return {
      term: next,
      isFresh: stand.isFresh && !takes,
      isLaterRun: stand.isLaterRun,
      isOwn: stand.isOwn || hasWholeKey(labelled),
      taken: takes && this.#asksTaken ? withMember(stand.taken, this.#baseOf(first)) : stand.taken,
    };
  }

  #beginsAgain({ term, isFresh }: Stand, letter: Letter): boolean {
    const { machine, isKeyed } = this.#setting;
    if (isFresh || !this.#accepts(term)) return false;
    if (this.after(term, letter) !== FAIL || this.after(machine.initial, letter) === FAIL) return false;
    if (machine.deriver.alphabet(term).size === 0) return true;
    const isAnew = (message: number): boolean =>
      !machine.endless.has(this.#baseOf(message)) && stepTerm(machine, machine.initial, message, letter) !== FAIL;
    return !isKeyed && candidatesOf(letter).some(isAnew);
  }

  #isPast({ taken }: Stand, message: number): boolean {
    const base = this.#baseOf(message);
    return hasMember(taken, base) && !this.#setting.machine.recurring.has(base);
  }

  #baseOf(message: number): number {
    return this.#setting.machine.bases[message] ?? message;
  }

  #accepts(term: Term): boolean {
    return this.#setting.machine.deriver.accepts(term);
  }
}

/** A violation whatever came before: the binding says so. */
export function breaksRule({ labelled, end }: Letter): boolean {
  const { rules } = labelled;
  if (rules === undefined || end === 'receive') return false;
  return rules.forbidden.length > 0 || rules.failed.length > 0 || rules.excess !== null || rules.second !== null;
}

const membersOf = (set: string): number[] => (set === '' ? [] : set.split(',').map(Number));
const hasMember = (set: string, member: number): boolean => membersOf(set).includes(member);
const withMember = (set: string, member: number): string =>
  [...new Set([...membersOf(set), member])].sort((a, b) => a - b).join();
