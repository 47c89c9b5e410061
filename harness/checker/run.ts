import type { Contract } from '../contract/index.ts';
import type { Violation, ViolationKind } from '../verdict/index.ts';
import type { Deriver } from './derive.ts';
import type { LabelledEvent } from './labels.ts';
import { quote } from './quote.ts';
import { messageOf, receiptOf, sendOf, type Occurrence } from './relation.ts';
import { FAIL, type Term, type TermTable } from './terms.ts';

/** Which end of an event a letter shows; `only-…`: the other end is shown by nothing. */
export type End = 'both' | 'send' | 'receive' | 'only-send' | 'only-receive';

/** One step of an instance: an event, or one end of it, at a position of the trace. */
export interface Letter {
  readonly labelled: LabelledEvent;
  readonly end: End;
  readonly position: number;
}

export type Taken =
  | { readonly kind: 'taken'; readonly message: number }
  /** Serves other instances, or an earlier run of this drawing: not this instance's business. */
  | { readonly kind: 'ignored' }
  | { readonly kind: 'violation' }
  /** Nothing had been taken before, and the drawing cannot begin like this. */
  | { readonly kind: 'not-a-beginning' };

/** Where each occurrence can happen in one slice: positions of the letters that can be it, ascending. */
export type Occasions = ReadonlyMap<Occurrence, readonly number[]>;

/** What one contract needs for all its instances. */
export interface Machine {
  readonly contract: Contract;
  readonly terms: TermTable;
  readonly deriver: Deriver;
  readonly initial: Term;
  /** Messages inside a loop: they may come again. */
  readonly recurring: ReadonlySet<number>;
}

/** One run of one instance through the drawing: the term that is left, and what went wrong on the way. */
export class Run {
  readonly #machine: Machine;
  readonly #isBegun: boolean;
  readonly #occasions: Occasions;
  readonly #isComplete: boolean;
  readonly violations: Violation[] = [];
  /** Events per contract message. */
  readonly taken = new Map<number, number>();
  /** Which message each event was taken for, by event index. */
  readonly assigned = new Map<number, number>();
  /** Position in the trace of the first event taken for each message. */
  readonly firstTaken = new Map<number, number>();
  readonly #skipped = new Set<number>();
  /** Broken pairs told already: an event with two positions may break the same pair at both. */
  readonly #told = new Set<string>();
  #term: Term;
  #wholeKeyTaken = false;

  constructor(machine: Machine, occasions: Occasions, facts: { readonly begun: boolean; readonly complete: boolean }) {
    this.#machine = machine;
    this.#occasions = occasions;
    this.#isBegun = facts.begun;
    this.#isComplete = facts.complete;
    this.#term = machine.initial;
  }

  get isFresh(): boolean {
    return this.taken.size === 0 && this.violations.length === 0;
  }

  get accepts(): boolean {
    return this.#machine.deriver.accepts(this.#term);
  }

  /** Nothing owed and nothing possible any more. */
  get isOver(): boolean {
    return this.#machine.deriver.alphabet(this.#term).size === 0;
  }

  /** Could a new run begin with this letter? */
  couldBegin(letter: Letter): boolean {
    return candidatesOf(letter).some((message) => this.#step(this.#machine.initial, message, letter.end) !== FAIL);
  }

  /** Could this run take this letter as drawn? */
  couldTake(letter: Letter): boolean {
    return candidatesOf(letter).some((message) => this.#step(this.#term, message, letter.end) !== FAIL);
  }

  take(letter: Letter, hasWholeKey: boolean): Taken {
    const { labelled } = letter;
    if (this.#skipped.has(labelled.index)) return { kind: 'ignored' };
    const allowed = candidatesOf(letter)
      .map((message) => ({ message, next: this.#step(this.#term, message, letter.end) }))
      .filter(({ next }) => next !== FAIL);
    const [first] = allowed;
    if (first === undefined) return this.#takeOutOfOrder(letter, hasWholeKey);
    if (labelled.messages.length === 0 && letter.end !== 'receive')
      this.#violate(letter, 'wrong-status', first.message, null);
    this.#term = this.#machine.terms.alt(allowed.map(({ next }) => next));
    return this.#accept(letter, first.message, hasWholeKey);
  }

  /** Drawn arrows that are possible now. */
  expected(): number[] {
    return this.#arrowsOf(this.#machine.deriver.enabled(this.#term));
  }

  /** Contract messages that nothing stands before: `all` of them are owed, or `one` of them, where branches differ. */
  owedNext(): { readonly kind: 'all' | 'one'; readonly messages: readonly number[] } {
    const { deriver } = this.#machine;
    const enabled = deriver.enabled(this.#term);
    const owed = deriver.owed(this.#term);
    const next = enabled.filter((occurrence) => owed.has(occurrence));
    return next.length > 0
      ? { kind: 'all', messages: unique(next.map(messageOf)) }
      : { kind: 'one', messages: unique(enabled.map(messageOf)) };
  }

  /** All contract messages that every way on still holds. */
  owed(): number[] {
    return unique([...this.#machine.deriver.owed(this.#term)].map(messageOf)).sort((a, b) => a - b);
  }

  #step(term: Term, message: number, end: End): Term {
    const { deriver } = this.#machine;
    switch (end) {
      case 'both':
        return deriver.after(deriver.after(term, sendOf(message)), receiptOf(message));
      case 'send':
        return deriver.after(term, sendOf(message));
      case 'receive':
        return deriver.after(term, receiptOf(message));
      case 'only-send':
        return deriver.anywhere(deriver.after(term, sendOf(message)), receiptOf(message));
      case 'only-receive':
        return deriver.after(deriver.anywhere(term, sendOf(message)), receiptOf(message));
    }
  }

  #takeOutOfOrder(letter: Letter, hasWholeKey: boolean): Taken {
    const candidates = candidatesOf(letter);
    if (!hasWholeKey && candidates.every((message) => this.#isPast(message))) {
      // Shared by several instances ("create deployment"), and this one is past it; one that was not born yet follows the latest.
      if (!this.#wholeKeyTaken && this.couldBegin(letter)) {
        this.#restart();
        return this.take(letter, hasWholeKey);
      }
      return { kind: 'ignored' };
    }
    if (this.isFresh && !this.#isBegun) return { kind: 'not-a-beginning' };
    return this.#recover(letter, candidates, hasWholeKey);
  }

  #isPast(message: number): boolean {
    return this.taken.has(message) && !this.#machine.recurring.has(message);
  }

  #restart(): void {
    this.#term = this.#machine.initial;
    this.taken.clear();
    this.assigned.clear();
    this.firstTaken.clear();
  }

  /** Takes the event where it stands, ignoring order: one violation per broken pair, not one per follow-up. */
  #recover(letter: Letter, candidates: readonly number[], hasWholeKey: boolean): Taken {
    const options = candidates
      .map((message) => ({ message, forced: this.#force(message, letter.end) }))
      .filter(({ forced }) => forced !== null)
      .sort((a, b) => (a.forced?.blockers.length ?? 0) - (b.forced?.blockers.length ?? 0));
    const best = options[0];
    if (best === undefined || best.forced === null) return this.#skip(letter, candidates[0]);
    const { blockers, next } = best.forced;
    const lost = blockers.filter((occurrence) => !this.#isStillToCome(occurrence, best.message, letter.position));
    if (this.#isOnceTooOften(letter, best.message, blockers.length, lost.length))
      return this.#skip(letter, best.message);
    if (blockers.length === 0) this.#violate(letter, 'unexpected', best.message, null);
    for (const message of unique(blockers.map(messageOf)))
      this.#blame(letter, best.message, message, lost.includes(sendOf(message)) && lost.includes(receiptOf(message)));
    this.#term = this.#assumeHappened(next, this.#wholeMessages(lost, best.message, letter.position));
    this.#accept(letter, best.message, hasWholeKey);
    return { kind: 'violation' };
  }

  /** Leaves the event out: one too many. */
  #skip(letter: Letter, message: number | undefined): Taken {
    if (message === undefined)
      throw new Error('a letter without candidates reached an instance: labels are filtered before');
    this.#skipped.add(letter.labelled.index);
    this.#violate(letter, this.taken.has(message) ? 'repeated' : 'unexpected', message, null);
    return { kind: 'violation' };
  }

  /**
   * It came already, and to take it again would open an iteration whose beginning never comes, while the one before it
   * still goes on: nobody would read the trace like that.
   */
  #isOnceTooOften(letter: Letter, message: number, blockers: number, lost: number): boolean {
    return letter.end !== 'receive' && this.taken.has(message) && lost > 0 && lost < blockers;
  }

  /** One violation per broken pair of arrows; an event with two positions may break the same pair at both. */
  #blame(letter: Letter, message: number, before: number, isLost: boolean): void {
    const [arrow, first] = [this.#arrowOf(message), this.#arrowOf(before)];
    const pair = `${letter.labelled.index}:${first}`;
    if (this.#told.has(pair)) return;
    this.#told.add(pair);
    if (isLost && this.#isComplete && first !== arrow) this.#violate(letter, 'missing', before, arrow);
    else this.#violate(letter, 'out-of-order', message, first);
  }

  /** Does the occurrence still come, before the message that broke the order comes again (in a loop: in this iteration)? */
  #isStillToCome(occurrence: Occurrence, breaking: number, position: number): boolean {
    const after = (of: Occurrence): number => this.#occasions.get(of)?.find((at) => at > position) ?? Infinity;
    const coming = after(occurrence);
    return coming < Infinity && coming <= after(sendOf(breaking));
  }

  /** A message of which no end comes any more is lost as a whole, also where only one of its ends had to come first. */
  #wholeMessages(lost: readonly Occurrence[], breaking: number, position: number): readonly Occurrence[] {
    const others = lost.map((occurrence) => occurrence ^ 1);
    return unique([...lost, ...others.filter((other) => !this.#isStillToCome(other, breaking, position))]);
  }

  /** What is lost is assumed to have happened, or every event after it would be blamed for its absence again. */
  #assumeHappened(term: Term, lost: readonly Occurrence[]): Term {
    const { deriver } = this.#machine;
    return [...lost]
      .sort((a, b) => a - b)
      .reduce((now, occurrence) => deriver.force(now, occurrence)?.next ?? now, term);
  }

  #force(message: number, end: End): { readonly blockers: readonly Occurrence[]; readonly next: Term } | null {
    const { deriver } = this.#machine;
    let next = this.#term;
    const blockers: Occurrence[] = [];
    for (const occurrence of occurrencesOf(message, end)) {
      const forced = deriver.force(next, occurrence);
      if (forced === null) return null;
      blockers.push(...forced.blockers);
      next = forced.next;
    }
    return { blockers: unique(blockers.filter((occurrence) => messageOf(occurrence) !== message)), next };
  }

  #accept(letter: Letter, message: number, hasWholeKey: boolean): Taken {
    if (hasWholeKey) this.#wholeKeyTaken = true;
    if (letter.end !== 'receive') {
      this.taken.set(message, (this.taken.get(message) ?? 0) + 1);
      if (!this.firstTaken.has(message)) this.firstTaken.set(message, letter.position);
    }
    this.assigned.set(letter.labelled.index, message);
    return { kind: 'taken', message };
  }

  #violate(letter: Letter, kind: ViolationKind, message: number, mustFollow: number | null): void {
    const arrow = this.#arrowOf(message);
    const event = quote(letter.labelled.sourced);
    // The event's own arrow may be half possible (its send, not its receipt): it is not what was expected instead of it.
    const came = kind === 'missing' ? mustFollow : arrow;
    const expected = this.expected().filter((other) => other !== came);
    this.violations.push({ kind, arrow, event, mustFollow, expected, text: '' });
  }

  #arrowOf(message: number): number {
    const found = this.#machine.contract.messages[message];
    if (found === undefined) throw new Error(`message ${message} is not in the contract that labelled it`);
    return found.drawn;
  }

  #arrowsOf(occurrences: readonly Occurrence[]): number[] {
    return unique(occurrences.map((occurrence) => this.#arrowOf(messageOf(occurrence)))).sort((a, b) => a - b);
  }
}

/** A reply with a status that is not drawn is taken for the reply it would be, and told as a wrong status. */
export function candidatesOf(letter: Letter): readonly number[] {
  const { messages, wrongStatus } = letter.labelled;
  return messages.length > 0 ? messages : wrongStatus;
}

export const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** The occurrences that one letter stands for; the end that nothing shows goes with the other. */
export function occurrencesOf(message: number, end: End): readonly Occurrence[] {
  if (end === 'send') return [sendOf(message)];
  return end === 'receive' ? [receiptOf(message)] : [sendOf(message), receiptOf(message)];
}
