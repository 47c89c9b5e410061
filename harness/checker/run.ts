import type { Contract } from '../contract/index.ts';
import type { Violation, ViolationKind } from '../verdict/index.ts';
import { candidatesOfEvent } from './candidates.ts';
import type { Deriver } from './derive.ts';
import {
  excessText,
  failedText,
  forbiddenText,
  guardText,
  nameArrow,
  overtakingText,
  receivedText,
} from './describe.ts';
import { statusOf, type LabelledEvent } from './labels.ts';
import type { LookAlikes } from './look-alikes.ts';
import { quote } from './quote.ts';
import { Watch, type Found } from './watch.ts';
import type { WatchPlan } from './watch-plan.ts';
import { isReceipt, messageOf, receiptOf, sendOf, type Occurrence } from './occurrence.ts';
import { FAIL, type Term, type TermTable } from './terms.ts';

/** Which end of an event a letter shows; `only-…`: the other end is shown by nothing. */
export type End = 'both' | 'send' | 'receive' | 'only-send' | 'only-receive';

/** One step of an instance: an event, or one end of it, at a position of the trace. */
export interface Letter {
  readonly labelled: LabelledEvent;
  readonly end: End;
  readonly position: number;
  /** 1 or more: the event looks like another one that is on its way (`Deriver.tagged`). */
  readonly tag: number;
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
  /** Of a copy of a message that enters something, the message itself; of any other, its own number. */
  readonly bases: readonly number[];
  readonly watch: WatchPlan | null;
  readonly lookAlikes: LookAlikes;
  /** Of a copy that was made for one value of an `each` loop, the message itself. */
  readonly originals?: ReadonlyMap<number, number>;
}

/** What remains of a term after one letter is taken for a message; FAIL if that is not possible. */
export function stepTerm(
  { deriver, bases }: Machine,
  term: Term,
  message: number,
  { end, tag }: Pick<Letter, 'end' | 'tag'>,
): Term {
  // A copy of a message differs from it only in its send: that is what enters.
  const send = deriver.tagged(sendOf(message), tag);
  const receipt = deriver.tagged(receiptOf(bases[message] ?? message), tag);
  switch (end) {
    case 'both':
      return deriver.after(deriver.after(term, send), receipt);
    case 'send':
      return deriver.after(term, send);
    case 'receive':
      return deriver.after(term, receipt);
    case 'only-send':
      return deriver.anywhere(deriver.after(term, send), receipt);
    case 'only-receive':
      return deriver.after(deriver.anywhere(term, send), receipt);
  }
}

/** An event that is taken where it is not allowed. */
interface ForcedEvent {
  /** What had to come first, as it stands in the term, but for what is of its own message. */
  readonly blockers: readonly Occurrence[];
  /** An earlier event of its own message had to come first too, or another end of it. */
  readonly isOvertaking: boolean;
  readonly next: Term;
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
  /** It should not have begun, so nothing is owed. */
  isRefused = false;
  #term: Term;
  #watch: Watch | null;
  #wholeKeyTaken = false;

  constructor(machine: Machine, occasions: Occasions, facts: { readonly begun: boolean; readonly complete: boolean }) {
    this.#machine = machine;
    this.#occasions = occasions;
    this.#isBegun = facts.begun;
    this.#isComplete = facts.complete;
    this.#term = machine.initial;
    this.#watch = watchOf(machine);
  }

  /** What is watched beside the order, where anything is. */
  get watch(): Watch | null {
    return this.#watch;
  }

  get isFresh(): boolean {
    return this.taken.size === 0 && this.violations.length === 0;
  }

  /** Something of the drawing was taken, or went wrong: not only a rule of the binding. */
  get isTouched(): boolean {
    return this.taken.size > 0 || this.violations.some(({ arrow }) => arrow !== null);
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
    return candidatesOf(letter).some((message) => this.#step(this.#machine.initial, message, letter) !== FAIL);
  }

  /** Could this run take this letter as drawn? */
  couldTake(letter: Letter): boolean {
    return candidatesOf(letter).some((message) => this.#step(this.#term, message, letter) !== FAIL);
  }

  take(letter: Letter, hasWholeKey: boolean): Taken {
    const { labelled } = letter;
    if (this.#skipped.has(labelled.index)) return { kind: 'ignored' };
    if (letter.end !== 'receive') this.#applyRules(letter);
    const candidates = candidatesOf(letter);
    if (candidates.length === 0) return { kind: 'ignored' };
    const allowed = this.#allowed(candidates, letter);
    const [first] = allowed;
    if (first === undefined)
      return this.#takeAgainstGuard(letter, hasWholeKey) ?? this.#takeOutOfOrder(letter, hasWholeKey);
    if (labelled.messages.length === 0 && letter.end !== 'receive') this.#violateAsDrawn(letter, first.message);
    this.#term = this.#machine.terms.alt(allowed.map(({ next }) => next));
    return this.#accept(letter, first.message, hasWholeKey);
  }

  #allowed(messages: readonly number[], letter: Letter): readonly { readonly message: number; readonly next: Term }[] {
    return messages
      .map((message) => ({ message, next: this.#step(this.#term, message, letter) }))
      .filter(({ next }) => next !== FAIL);
  }

  /** What the binding says of the event, whatever drawn message it is. */
  #applyRules(letter: Letter): void {
    const { rules } = letter.labelled;
    if (rules === undefined) return;
    const { contract } = this.#machine;
    for (const index of rules.forbidden) this.#violateRule(letter, 'forbidden', null, forbiddenText(contract, index));
    for (const message of rules.failed)
      this.#violateRule(
        letter,
        'wrong-status',
        message,
        failedText(contract, message, statusOf(letter.labelled.sourced.event)),
      );
    if (rules.excess !== null) this.#violateRule(letter, 'repeated', rules.excess, excessText(contract, rules.excess));
  }

  /** Nothing else had to come first, but an earlier event of the same arrow, of another iteration. */
  #violateByOvertaking(letter: Letter, message: number): void {
    const arrow = this.#arrowOf(message);
    const text = overtakingText(this.#machine.contract, message);
    const event = quote(letter.labelled.sourced);
    this.violations.push({ kind: 'out-of-order', arrow, event, mustFollow: arrow, expected: this.expected(), text });
  }

  /** The event would enter a branch whose guard is not true of it. */
  #takeAgainstGuard(letter: Letter, hasWholeKey: boolean): Taken | null {
    const denied = this.#allowed(letter.labelled.rules?.denied ?? [], letter);
    const [first] = denied;
    if (first === undefined || letter.end === 'receive') return null;
    this.#violateRule(letter, 'wrong-branch', first.message, guardText(this.#machine.contract, first.message));
    this.#term = this.#machine.terms.alt(denied.map(({ next }) => next));
    this.#accept(letter, first.message, hasWholeKey);
    return { kind: 'violation' };
  }

  /** The right message, but for its status, or for being received although it must be lost. */
  #violateAsDrawn(letter: Letter, message: number): void {
    const { contract } = this.#machine;
    if (contract.messages[message]?.receipt === 'never')
      this.#violateRule(letter, 'unexpected', message, receivedText(contract, message));
    else this.#violate(letter, 'wrong-status', message, null);
  }

  /** A run too many, where the binding says that an instance has only one. */
  refuse(letter: Letter): void {
    const [message] = candidatesOf(letter);
    this.isRefused = true;
    if (message !== undefined) this.#violate(letter, 'repeated', message, null);
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

  #step(term: Term, message: number, letter: Letter): Term {
    return stepTerm(this.#machine, term, message, letter);
  }

  #baseOf(message: number): number {
    return this.#machine.bases[message] ?? message;
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
    if (!this.isTouched && !this.#isBegun) return { kind: 'not-a-beginning' };
    return this.#recover(letter, candidates, hasWholeKey);
  }

  #isPast(message: number): boolean {
    const base = this.#baseOf(message);
    return this.taken.has(base) && !this.#machine.recurring.has(base);
  }

  #restart(): void {
    this.#term = this.#machine.initial;
    this.taken.clear();
    this.assigned.clear();
    this.firstTaken.clear();
    this.#watch = watchOf(this.#machine);
  }

  /** Takes the event where it stands, ignoring order: one violation per broken pair, not one per follow-up. */
  #recover(letter: Letter, candidates: readonly number[], hasWholeKey: boolean): Taken {
    const options = [...candidates, ...(letter.labelled.rules?.denied ?? [])]
      .map((message) => ({ message, forced: this.#force(message, letter) }))
      .filter(({ forced }) => forced !== null)
      .sort((a, b) => this.#cost(a) - this.#cost(b));
    const best = options[0];
    if (best === undefined || best.forced === null) return this.#skip(letter, candidates[0]);
    const { blockers, next, isOvertaking } = best.forced;
    const lost = blockers.filter((occurrence) => !this.#isStillToCome(occurrence, best.message, letter.position));
    if (this.#isOnceTooOften(letter, best.message, blockers.length, lost.length))
      return this.#skip(letter, best.message);
    if (blockers.length === 0 && isOvertaking) this.#violateByOvertaking(letter, best.message);
    else if (blockers.length === 0) this.#violate(letter, 'unexpected', best.message, null);
    const lostEnds = (message: number): number =>
      lost.filter((occurrence) => this.#drawnMessage(occurrence) === message).length;
    for (const message of unique(blockers.map((occurrence) => this.#drawnMessage(occurrence))))
      this.#blame(letter, best.message, message, lostEnds(message) > 1);
    this.#term = this.#assumeHappened(next, this.#wholeMessages(lost, best.message, letter.position));
    this.#accept(letter, best.message, hasWholeKey);
    return { kind: 'violation' };
  }

  /**
   * Broken pairs of arrows; among equals the copy that enters something, since the message itself stands there behind
   * another one that would have entered.
   */
  #cost({ message, forced }: { readonly message: number; readonly forced: ForcedEvent | null }): number {
    const broken = unique((forced?.blockers ?? []).map((occurrence) => this.#drawnMessage(occurrence)));
    return broken.length + (this.#baseOf(message) === message ? 0.5 : 0);
  }

  /** Leaves the event out: one too many. */
  #skip(letter: Letter, message: number | undefined): Taken {
    if (message === undefined)
      throw new Error('a letter without candidates reached an instance: labels are filtered before');
    this.#skipped.add(letter.labelled.index);
    this.#violate(letter, this.taken.has(this.#baseOf(message)) ? 'repeated' : 'unexpected', message, null);
    return { kind: 'violation' };
  }

  /**
   * It came already, and to take it again would open an iteration whose beginning never comes, while the one before it
   * still goes on: nobody would read the trace like that.
   */
  #isOnceTooOften(letter: Letter, message: number, blockers: number, lost: number): boolean {
    return letter.end !== 'receive' && this.taken.has(this.#baseOf(message)) && lost > 0 && lost < blockers;
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
    // Of a copy that enters something the message itself may still come, whatever its guard says then.
    const coming = after(2 * this.#drawnMessage(occurrence) + (occurrence & 1));
    return coming < Infinity && coming <= after(sendOf(breaking));
  }

  /** A message of which no end comes any more is lost as a whole, also where only one of its ends had to come first. */
  #wholeMessages(lost: readonly Occurrence[], breaking: number, position: number): readonly Occurrence[] {
    const { deriver } = this.#machine;
    // A receipt with a tag stands in the term because its send was taken.
    const others = lost.filter((occurrence) => deriver.drawn(occurrence) === occurrence).map((own) => own ^ 1);
    return unique([...lost, ...others.filter((other) => !this.#isStillToCome(other, breaking, position))]);
  }

  /** What is lost is assumed to have happened, or every event after it would be blamed for its absence again. */
  #assumeHappened(term: Term, lost: readonly Occurrence[]): Term {
    const { deriver } = this.#machine;
    return [...lost]
      .sort((a, b) => a - b)
      .reduce((now, occurrence) => deriver.force(now, occurrence)?.next ?? now, term);
  }

  #force(message: number, { end, tag }: Letter): ForcedEvent | null {
    const { deriver } = this.#machine;
    let next = this.#term;
    const found: Occurrence[] = [];
    const base = this.#baseOf(message);
    for (const own of occurrencesOf(message, end)) {
      const occurrence = deriver.tagged(isReceipt(own) ? receiptOf(base) : own, tag);
      const forced = deriver.force(next, occurrence);
      if (forced === null) return null;
      found.push(...forced.blockers);
      next = forced.next;
    }
    const blockers = unique(found.filter((occurrence) => this.#drawnMessage(occurrence) !== base));
    return { blockers, next, isOvertaking: found.length > 0 };
  }

  /** The message of an occurrence as it stands in a term. */
  #drawnMessage(occurrence: Occurrence): number {
    return this.#baseOf(messageOf(this.#machine.deriver.drawn(occurrence)));
  }

  #accept(letter: Letter, taken: number, hasWholeKey: boolean): Taken {
    const message = this.#baseOf(taken);
    this.#observe(letter, taken);
    if (hasWholeKey) this.#wholeKeyTaken = true;
    if (letter.end !== 'receive') {
      this.taken.set(message, (this.taken.get(message) ?? 0) + 1);
      if (!this.firstTaken.has(message)) this.firstTaken.set(message, letter.position);
    }
    this.assigned.set(letter.labelled.index, message);
    return { kind: 'taken', message };
  }

  #observe(letter: Letter, taken: number): void {
    if (this.#watch === null) return;
    const { labelled, end, position } = letter;
    const message = this.#baseOf(taken);
    const opens = this.#machine.contract.messages[taken]?.entry?.criticals ?? [];
    const seen = { labelled, position, message, opens, occurrences: occurrencesOf(message, end) };
    for (const found of this.#watch.observe(seen)) this.tell(found);
  }

  /** Adds what was found beside the order, unless the order has told the same pair already. */
  tell({ kind, message, mustFollow, labelled, text }: Found): void {
    const [arrow, other] = [this.#arrowOf(message), mustFollow === null ? null : this.#arrowOf(mustFollow)];
    const pair = `${labelled?.index ?? -1}:${other ?? -1}`;
    if (labelled !== null && this.#told.has(pair)) return;
    this.#told.add(pair);
    const { drawn } = this.#machine.contract;
    const told = text === undefined ? '' : text(nameArrow(drawn, arrow), nameArrow(drawn, other));
    const event = labelled === null ? null : quote(labelled.sourced);
    this.violations.push({ kind, arrow, event, mustFollow: other, expected: [], text: told });
  }

  #violateRule(letter: Letter, kind: ViolationKind, message: number | null, text: string): void {
    const arrow = message === null ? null : this.#arrowOf(message);
    const event = quote(letter.labelled.sourced);
    this.violations.push({ kind, arrow, event, mustFollow: null, expected: this.expected(), text });
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

const watchOf = ({ contract, watch }: Machine): Watch | null => (watch === null ? null : new Watch(contract, watch));

/** A reply with a status that is not drawn is taken for the reply it would be, and told as a wrong status. */
export const candidatesOf = (letter: Letter): readonly number[] => candidatesOfEvent(letter.labelled);

export const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** The occurrences that one letter stands for; the end that nothing shows goes with the other. */
export function occurrencesOf(message: number, end: End): readonly Occurrence[] {
  if (end === 'send') return [sendOf(message)];
  return end === 'receive' ? [receiptOf(message)] : [sendOf(message), receiptOf(message)];
}
