import { callsOfReplies } from './exchanges.ts';
import { isReceipt, messageOf, receiptOf, sendOf, type Occurrence } from './occurrence.ts';
import { candidatesOf, occurrencesOf, stepTerm, unique, type End, type Letter, type Machine } from './machine.ts';
import { FAIL, type Term } from './terms.ts';

/** How many letters are looked at to say which of two explanations is the cheaper one. */
const AHEAD_MAX = 12;

/** An event taken where the drawing does not allow it. Messages are contract messages, never copies of one. */
export interface Taking {
  /** What it is taken for; may be a copy that enters something. */
  readonly message: number;
  /** Messages that had to come first, and still come. */
  readonly early: readonly number[];
  /** Messages that had to come first, and never come: those that nothing else of the gap stands before; `ends` of each. */
  readonly lost: readonly { readonly message: number; readonly ends: number }[];
  /** The other messages of the gap: what is drawn between those and the event, and never comes either. */
  readonly lostBehind: readonly number[];
  /** An earlier event of its own message had to come first. */
  readonly isOvertaking: boolean;
  /** How many messages it broke with. */
  readonly cost: number;
  /** What remains then. What is lost is assumed to have happened, or every later event would be blamed for it again. */
  readonly next: Term;
}

/** What is known of a run where its next letter is not allowed. */
export interface Standing {
  readonly term: Term;
  /** Messages that were taken already. */
  readonly came: ReadonlySet<number>;
  /** Events that are left out, by index. */
  readonly leftOut: ReadonlySet<number>;
}

/** A gap in what had to come first: each end that never comes, and what of the gap it waits for itself. */
type Gap = ReadonlyMap<Occurrence, readonly Occurrence[]>;

/**
 * How an instance goes on after an event that the drawing does not allow. It knows all letters of the instance: an
 * explanation is judged by what it makes of those that follow.
 */
export class Recovery {
  readonly #machine: Machine;
  readonly #letters: readonly Letter[];
  readonly #isComplete: boolean;
  #positions: ReadonlyMap<Occurrence, readonly number[]> | undefined;
  #places: ReadonlyMap<Letter, number> | undefined;
  #calls: ReadonlyMap<number, number> | undefined;
  #lastUnreceived: ReadonlyMap<number, number> | undefined;
  #isOfInstants: boolean | undefined;
  #lastUnsent: ReadonlyMap<number, number> | undefined;

  constructor(machine: Machine, letters: readonly Letter[], isComplete: boolean) {
    this.#machine = machine;
    this.#letters = letters;
    this.#isComplete = isComplete;
  }

  /** Is every message shown at one instant, when it is sent and received? */
  get isOfInstants(): boolean {
    return (this.#isOfInstants ??= this.#letters.every(({ end }) => end === 'both'));
  }

  /** Does the trace show the message after this position, but nothing its receipt? */
  isUnreceivedAfter(message: number, position: number): boolean {
    this.#lastUnreceived ??= this.#lastOf('only-send');
    return (this.#lastUnreceived.get(message) ?? -1) > position;
  }

  /** Does the trace show the message after this position, but nothing its send? */
  isUnsentAfter(message: number, position: number): boolean {
    this.#lastUnsent ??= this.#lastOf('only-receive');
    return (this.#lastUnsent.get(message) ?? -1) > position;
  }

  /** Of messages of which only this end is seen, the last position. */
  #lastOf(shown: End): ReadonlyMap<number, number> {
    const letters = this.#letters.filter(({ end }) => end === shown);
    return new Map(
      letters.flatMap((letter) =>
        candidatesOf(letter).map((message) => [this.#machine.bases[message] ?? message, letter.position] as const),
      ),
    );
  }

  /** Is the event left out, or the reply to a call that is? A question asked once too often is one fault, not two. */
  isLeftOut({ labelled }: Letter, leftOut: ReadonlySet<number>): boolean {
    if (leftOut.size === 0) return false;
    return leftOut.has(labelled.index) || this.answersOneOf({ labelled }, leftOut);
  }

  /** Is it the reply to one of these calls? */
  answersOneOf({ labelled }: Pick<Letter, 'labelled'>, calls: ReadonlySet<number>): boolean {
    if (calls.size === 0 || labelled.sourced.event.kind !== 'reply') return false;
    const call = this.#callOf(labelled.index);
    return call !== undefined && calls.has(call);
  }

  /** The cheapest explanation: the event taken where it stands; null: it is left out, as one too many. */
  explain(letter: Letter, standing: Standing): Taking | null {
    const taking = this.#cheapest(standing.term, letter);
    if (taking === null || !this.#mayLeaveOut(letter, taking, standing)) return taking;
    const leavingIt = { ...standing, leftOut: new Set([...standing.leftOut, letter.labelled.index]) };
    const leaving = 1 + this.#costAhead(letter, leavingIt);
    return leaving < taking.cost + this.#costAhead(letter, { ...standing, term: taking.next }) ? null : taking;
  }

  /** What it comes to if the letter is taken for this message; null: it stands nowhere in the term. */
  takingAs(term: Term, message: number, letter: Letter): Taking | null {
    const forced = this.#force(term, message, letter);
    return forced === null ? null : this.#taking({ message, ...forced }, letter.position);
  }

  /** Only what came already can be one too many, and only at its send. */
  #mayLeaveOut({ end }: Letter, { message }: Taking, { came }: Standing): boolean {
    return end !== 'receive' && came.has(this.#baseOf(message));
  }

  /** How many faults the next letters would make, each explained as it comes. */
  #costAhead(letter: Letter, standing: Standing): number {
    const { deriver, terms, initial } = this.#machine;
    const [came, leftOut] = [new Set(standing.came), new Set(standing.leftOut)];
    const from = this.#placeOf(letter) + 1;
    let { term } = standing;
    let cost = 0;
    for (const next of this.#letters.slice(from, from + AHEAD_MAX)) {
      if (candidatesOf(next).length === 0 || this.isLeftOut(next, leftOut)) continue;
      const allowed = this.#allowed(term, next);
      if (allowed !== null) {
        term = terms.alt(allowed.map(({ after }) => after));
        came.add(this.#baseOf(allowed[0]?.message ?? -1));
      } else if (deriver.accepts(term) && this.#allowed(initial, next) !== null && next.end !== 'receive') return cost;
      else {
        const taking = this.#cheapest(term, next);
        cost += 1;
        if (taking === null || (taking.cost > 1 && this.#mayLeaveOut(next, taking, { term, came, leftOut })))
          leftOut.add(next.labelled.index);
        else {
          cost += taking.cost - 1;
          term = taking.next;
          came.add(this.#baseOf(taking.message));
        }
      }
      if (next.labelled.rules?.ends === true) return cost;
    }
    const isAtEnd = this.#isComplete && from + AHEAD_MAX >= this.#letters.length;
    return isAtEnd && !deriver.accepts(term) ? cost + 1 : cost;
  }

  #allowed(term: Term, letter: Letter): readonly { readonly message: number; readonly after: Term }[] | null {
    const allowed = candidatesOf(letter)
      .map((message) => ({ message, after: stepTerm(this.#machine, term, message, letter) }))
      .filter(({ after }) => after !== FAIL);
    return allowed.length === 0 ? null : allowed;
  }

  /**
   * The place where it breaks with the fewest messages; among equals the copy that enters something, since the message itself
   * stands there behind another one that would have entered. Null: it stands nowhere.
   */
  #cheapest(term: Term, letter: Letter): Taking | null {
    const options = [...candidatesOf(letter), ...(letter.labelled.rules?.denied ?? [])].flatMap((message) => {
      const forced = this.#force(term, message, letter);
      return forced === null ? [] : [{ message, ...forced }];
    });
    const costOf = ({ message, blockers }: { message: number; blockers: readonly Occurrence[] }): number =>
      unique(blockers.map((occurrence) => this.#drawnMessage(occurrence))).length +
      (this.#baseOf(message) === message ? 0.5 : 0);
    const [best] = options.sort((a, b) => costOf(a) - costOf(b));
    return best === undefined ? null : this.#taking(best, letter.position);
  }

  #taking({ message, blockers, isOvertaking, next }: Forced & { readonly message: number }, position: number): Taking {
    const isToCome = (occurrence: Occurrence): boolean => this.#isStillToCome(occurrence, message, position);
    const gap = this.#gap(
      next,
      blockers.filter((occurrence) => !isToCome(occurrence)),
      isToCome,
    );
    const messages = unique(blockers.map((occurrence) => this.#drawnMessage(occurrence)));
    const early = unique(blockers.filter(isToCome).map((occurrence) => this.#drawnMessage(occurrence)));
    const { front, behind } = this.#frontOf(gap, early);
    return {
      message,
      early,
      lost: front,
      lostBehind: behind,
      isOvertaking,
      cost: Math.max(1, messages.length),
      next: this.#assumeHappened(next, gap),
    };
  }

  /**
   * What never comes of all that had to come first, whatever it had to come before: the message behind a lost one is lost with
   * it, where it does not come either.
   */
  #gap(term: Term, lost: readonly Occurrence[], isToCome: (occurrence: Occurrence) => boolean): Gap {
    const { deriver } = this.#machine;
    const gap = new Map<Occurrence, readonly Occurrence[]>();
    const pending = [...lost];
    for (let occurrence = pending.pop(); occurrence !== undefined; occurrence = pending.pop()) {
      if (gap.has(occurrence)) continue;
      const forced = deriver.force(term, occurrence);
      const blockers = (forced?.blockers ?? []).filter((other) => !isToCome(other));
      gap.set(occurrence, blockers);
      pending.push(...blockers);
      // A message of which no end comes any more is lost as a whole, also where only its send had to come first.
      const receipt = receiptOf(this.#drawnMessage(occurrence));
      if (!isReceipt(occurrence) && !isToCome(receipt)) pending.push(receipt);
    }
    return gap;
  }

  /** Messages of the gap that no other of its messages stands before; and the others. `early` ones are not lost. */
  #frontOf(gap: Gap, early: readonly number[]): { readonly front: Taking['lost']; readonly behind: readonly number[] } {
    const ends = new Map<number, number>();
    const waiting = new Set<number>();
    for (const [occurrence, blockers] of gap) {
      const message = this.#drawnMessage(occurrence);
      if (early.includes(message)) continue;
      ends.set(message, (ends.get(message) ?? 0) + 1);
      if (blockers.some((other) => ![message, ...early].includes(this.#drawnMessage(other)))) waiting.add(message);
    }
    const all = [...ends].map(([message, count]) => ({ message, ends: count })).sort((a, b) => a.message - b.message);
    return {
      front: all.filter(({ message }) => !waiting.has(message)),
      behind: all.flatMap(({ message }) => (waiting.has(message) ? [message] : [])),
    };
  }

  #assumeHappened(term: Term, gap: Gap): Term {
    const { deriver } = this.#machine;
    return [...gap.keys()]
      .sort((a, b) => a - b)
      .reduce((now, occurrence) => deriver.force(now, occurrence)?.next ?? now, term);
  }

  /** It was sent before, or is now. */
  #forcedReceipt(term: Term, message: number): readonly Occurrence[] {
    const { deriver } = this.#machine;
    const receipt = deriver.unsent(receiptOf(this.#baseOf(message)));
    return deriver.timesOwed(term, receipt) > 0 ? [receipt] : [deriver.unsent(sendOf(message)), receipt];
  }

  #force(term: Term, message: number, { end, tag, unsent }: Letter): Forced | null {
    const { deriver } = this.#machine;
    let next = term;
    const found: Occurrence[] = [];
    const base = this.#baseOf(message);
    // A receipt that nothing shows may come later.
    const all =
      end === 'only-send'
        ? [deriver.unreceived(sendOf(message))]
        : unsent !== undefined && end === 'only-receive'
          ? this.#forcedReceipt(term, message)
          : occurrencesOf(message, end).map((own) => deriver.tagged(isReceipt(own) ? receiptOf(base) : own, tag));
    for (const occurrence of all) {
      const forced = deriver.force(next, occurrence);
      if (forced === null) return null;
      found.push(...forced.blockers);
      next = forced.next;
    }
    const blockers = unique(found.filter((occurrence) => this.#drawnMessage(occurrence) !== base));
    return { blockers, next, isOvertaking: found.length > 0 };
  }

  /** Does the occurrence still come, before the message that broke the order comes again (in a loop: in this iteration)? */
  #isStillToCome(occurrence: Occurrence, breaking: number, position: number): boolean {
    this.#positions ??= positionsOf(this.#letters);
    const all = this.#positions;
    const after = (of: Occurrence): number => all.get(of)?.find((at) => at > position) ?? Infinity;
    // Of a copy that enters something the message itself may still come, whatever its guard says then.
    const coming = after(2 * this.#drawnMessage(occurrence) + (occurrence & 1));
    return coming < Infinity && coming <= after(sendOf(breaking));
  }

  #placeOf(letter: Letter): number {
    this.#places ??= new Map(this.#letters.map((one, place) => [one, place]));
    return this.#places.get(letter) ?? this.#letters.length;
  }

  /** The call that a reply answers, by the indexes of both. */
  #callOf(reply: number): number | undefined {
    this.#calls ??= callsAmong(this.#letters);
    return this.#calls.get(reply);
  }

  /** The message of an occurrence as it stands in a term. */
  #drawnMessage(occurrence: Occurrence): number {
    return this.#baseOf(messageOf(this.#machine.deriver.drawn(occurrence)));
  }

  #baseOf(message: number): number {
    return this.#machine.bases[message] ?? message;
  }
}

/** An event at the place where it breaks with the fewest messages: the ends that stand before it, but for its own. */
interface Forced {
  readonly blockers: readonly Occurrence[];
  readonly isOvertaking: boolean;
  readonly next: Term;
}

/** Where each occurrence can happen: positions of the letters that can be it, ascending. */
function positionsOf(letters: readonly Letter[]): ReadonlyMap<Occurrence, readonly number[]> {
  const all = new Map<Occurrence, number[]>();
  for (const letter of letters)
    for (const occurrence of candidatesOf(letter).flatMap((message) => occurrencesOf(message, letter.end))) {
      const positions = all.get(occurrence);
      if (positions === undefined) all.set(occurrence, [letter.position]);
      else positions.push(letter.position);
    }
  return all;
}

function callsAmong(letters: readonly Letter[]): ReadonlyMap<number, number> {
  const events = [...new Map(letters.map(({ labelled }) => [labelled.index, labelled.sourced]))];
  events.sort(([a], [b]) => a - b);
  const indexes = events.map(([index]) => index);
  const calls = callsOfReplies(events.map(([, sourced]) => sourced));
  return new Map([...calls].map(([reply, call]) => [indexes[reply] ?? -1, indexes[call] ?? -1]));
}
