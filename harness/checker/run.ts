import type { Violation, ViolationKind } from '../verdict/index.ts';
import { acceptingPath, advance, COSTLY_PATHS_MAX, PATHS_MAX, type Correction, type Path } from './credits.ts';
import {
  describeViolation,
  excessText,
  failedText,
  forbiddenText,
  guardText,
  nameArrow,
  overtakingText,
  secondAnswerText,
  servedText,
  receivedText,
  tooEarlyText,
} from './describe.ts';
import { statusOf } from './labels.ts';
import { candidatesOf, occurrencesOf, stepTerm, unique, type End, type Letter, type Machine } from './machine.ts';
import { quote } from './quote.ts';
import type { Recovery, Taking } from './recovery.ts';
import { Watch, type Found, type Seen, type Unseen } from './watch.ts';
import { isReceipt, messageOf, type Occurrence } from './occurrence.ts';
import { FAIL, type Term } from './terms.ts';

export { candidatesOf, occurrencesOf, stepTerm, unique, type End, type Letter, type Machine } from './machine.ts';

export type Taken =
  | { readonly kind: 'taken'; readonly message: number }
  /** Serves other instances, or an earlier run of this drawing: not this instance's business. */
  | { readonly kind: 'ignored' }
  | { readonly kind: 'violation' }
  /** Nothing had been taken before, and the drawing cannot begin like this. */
  | { readonly kind: 'not-a-beginning' };

/** One run of one instance through the drawing: the term that is left, and what went wrong on the way. */
export class Run {
  readonly #machine: Machine;
  readonly #isBegun: boolean;
  readonly #recovery: Recovery;
  readonly #isComplete: boolean;
  /** One clock orders all events. */
  readonly #isOrdered: boolean;
  readonly violations: Violation[] = [];
  /** Events per contract message; where an event can still be several messages, by the first of them. */
  readonly taken = new Map<number, number>();
  /** Which message each event was taken for, by event index. */
  readonly assigned = new Map<number, number>();
  /** Positions in the trace of the events taken, by index, where a message must have been shown before another one. */
  readonly #positions = new Map<number, number>();
  /** Events that are left out, by index. */
  readonly #leftOut = new Set<number>();
  /** Events of several instances that it was past; by index. */
  readonly #passedBy = new Set<number>();
  /** Broken pairs told already: an event with two positions may break the same pair at both. */
  readonly #told = new Set<string>();
  /** It should not have begun, so nothing is owed. */
  isRefused = false;
  /** What remains, whichever reading it is. */
  #term: Term;
  /** Where something is watched: the ways to read what was taken, which differ in what they forbid from now on. */
  #readings: readonly Reading[];
  /** Where nothing is watched: the ways to read what was taken, once an event could have been several messages; else none. */
  #paths: readonly RunPath[] = [];
  #wholeKeyTaken = false;

  constructor(
    machine: Machine,
    recovery: Recovery,
    facts: { readonly begun: boolean; readonly complete: boolean; readonly order?: object | null },
  ) {
    this.#machine = machine;
    this.#recovery = recovery;
    this.#isBegun = facts.begun;
    this.#isComplete = facts.complete;
    this.#isOrdered = facts.order == null;
    this.#term = machine.initial;
    this.#readings = firstReadings(machine);
  }

  /** Events that it blamed, and did not take; by index. */
  get leftOut(): ReadonlySet<number> {
    return this.#leftOut;
  }

  /** What is watched beside the order, where anything is. */
  get watch(): Watch | null {
    return this.#readings[0]?.watch ?? null;
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
    const { deriver } = this.#machine;
    if (this.#readings.length === 0) return deriver.alphabet(this.#term).size === 0;
    return this.#readings.every(({ term, watch }) =>
      deriver
        .enabled(term)
        .every((occurrence) => isReceipt(occurrence) || watch.forbids(this.#seenAs(messageOf(occurrence), 'both'))),
    );
  }

  /** Could a new run begin with this letter? */
  couldBegin(letter: Letter): boolean {
    return this.#isFirst(letter, candidatesOf(letter));
  }

  /** Could it, by what goes round for ever in no run? */
  couldBeginAnew(letter: Letter): boolean {
    const { endless } = this.#machine;
    return this.#isFirst(
      letter,
      candidatesOf(letter).filter((message) => !endless.has(this.#baseOf(message))),
    );
  }

  #isFirst(letter: Letter, messages: readonly number[]): boolean {
    return messages.some((message) => this.#step(this.#machine.initial, message, letter) !== FAIL);
  }

  /** Could this run take this letter as drawn? */
  couldTake(letter: Letter): boolean {
    const candidates = candidatesOf(letter);
    if (this.#readings.length === 0)
      return candidates.some((message) => this.#step(this.#term, message, letter) !== FAIL);
    // What is sent to nobody any more cannot be received.
    const end = letter.end === 'send' ? 'both' : letter.end;
    return this.#readings.some(({ term, watch }) =>
      candidates.some(
        (message) => !watch.forbids(this.#seenAs(message, end)) && this.#step(term, message, letter) !== FAIL,
      ),
    );
  }

  take(letter: Letter, hasWholeKey: boolean): Taken {
    const { labelled } = letter;
    if (this.#leftOut.has(labelled.index)) return { kind: 'ignored' };
    if (letter.end !== 'receive') this.#applyRules(letter, hasWholeKey);
    if (this.#recovery.isLeftOut(letter, this.#leftOut)) {
      this.#leftOut.add(labelled.index);
      return { kind: 'ignored' };
    }
    const candidates = candidatesOf(letter);
    if (candidates.length === 0) return { kind: 'ignored' };
    // What answers a call that went to another instance goes there too.
    if (!hasWholeKey && this.#recovery.answersOneOf(letter, this.#passedBy)) return { kind: 'ignored' };
    if (letter.end !== 'receive') this.#judgeServed(letter, candidates);
    const allowed = this.#allowed(candidates, letter);
    const [first] = allowed;
    if (first === undefined)
      return (
        this.#takeAgainstGuard(letter, hasWholeKey) ??
        this.#takeTooLate(letter, candidates, hasWholeKey) ??
        this.#takeOutOfOrder(letter, hasWholeKey)
      );
    if (labelled.messages.length === 0 && letter.end !== 'receive') this.#violateAsDrawn(letter, first.message);
    if (this.#readings.length > 0) return this.#read(letter, candidates, hasWholeKey);
    const isOpen = allowed.length > 1 || this.#paths.length > 0;
    const paths = isOpen ? this.#openPaths : [];
    this.#term = this.#machine.terms.alt(allowed.map(({ next }) => next));
    if (isOpen) this.#paths = this.#follow(paths, { letter, messages: candidates, counted: first.message });
    const taken = this.#accept(letter, first.message, hasWholeKey);
    this.#settleIfSure();
    return taken;
  }

  /** All ways to read what was taken. */
  get #openPaths(): readonly RunPath[] {
    if (this.#readings.length > 0) return this.#readings.flatMap(({ paths }) => paths);
    return this.#paths.length > 0 ? this.#paths : [{ term: this.#term, corrections: null }];
  }

  /** The paths after a letter; where none can be followed any more, the first stays. */
  #follow(paths: readonly RunPath[], { letter, messages, counted }: Following): readonly RunPath[] {
    const followed = advance(paths, {
      step: (term, message) => this.#step(term, message, letter),
      messages,
      correct: (known, message) => this.#corrected(known, { letter, message, counted }),
      ...(letter.unsent === undefined ? {} : { pathsMax: COSTLY_PATHS_MAX }),
    });
    return followed.length > 0 ? followed : [{ term: this.#term, corrections: paths[0]?.corrections ?? null }];
  }

  #corrected(known: Correction | null, { letter, message, counted }: Counting): Correction | null {
    const [own, other] = [this.#baseOf(message), this.#baseOf(counted)];
    if (own === other) return known;
    const { labelled, end } = letter;
    return { index: labelled.index, counted: other, message: own, counts: end !== 'receive', before: known };
  }

  /** Where one way to read what was taken is left, that one counts. */
  #settleIfSure(): void {
    if (this.#readings.length > 1) return;
    const [only, ...others] = this.#readings[0]?.paths ?? this.#paths;
    if (only !== undefined && others.length === 0 && (this.#paths.length > 0 || only.corrections !== null))
      this.#settleFor(only);
  }

  #settleFor({ corrections }: RunPath): void {
    this.#paths = [];
    this.#readings = this.#readings.map(({ term, watch }) => ({ term, watch, paths: [{ term, corrections: null }] }));
    const all: Correction[] = [];
    for (let one = corrections; one !== null; one = one.before) all.push(one);
    for (const { index, counted, message, counts } of all.reverse()) {
      this.assigned.set(index, message);
      if (!counts) continue;
      const left = (this.taken.get(counted) ?? 0) - 1;
      if (left > 0) this.taken.set(counted, left);
      else this.taken.delete(counted);
      this.taken.set(message, (this.taken.get(message) ?? 0) + 1);
    }
  }

  /** The run is over: what was taken counts for what it is where the run went as drawn, if it did. */
  settle(): void {
    const paths = this.#openPaths;
    const [first] = paths;
    if (first === undefined || (paths.length === 1 && first.corrections === null)) return;
    this.#settleFor(acceptingPath(paths, (term) => this.#machine.deriver.accepts(term)) ?? first);
  }

  /** Position in the trace of the first event taken for the message. Only of contracts in which something stands. */
  firstTaken(message: number): number | undefined {
    let first: number | undefined;
    for (const [index, position] of this.#positions)
      if (this.assigned.get(index) === message && (first === undefined || position < first)) first = position;
    return first;
  }

  /** Takes an allowed letter in all ways in which nothing is wrong beside the order; if there is none, in the first. */
  #read(letter: Letter, candidates: readonly number[], hasWholeKey: boolean): Taken {
    const kept = new Map<string, Way[]>();
    let [right, wrong]: [number | null, (Way & { readonly found: readonly Found[] }) | null] = [null, null];
    const ways = this.#readings.flatMap((reading) =>
      candidates.flatMap((message) => {
        const next = this.#step(reading.term, message, letter);
        return next === FAIL ? [] : [{ reading, message, next }];
      }),
    );
    for (const { reading, message, next } of ways) {
      // The last one needs what is known no more.
      const watch = ways.length === 1 ? reading.watch : reading.watch.copy();
      const { term, held, found } = this.#watched(watch, letter, message, next);
      const way: Way = { from: reading, message, term, watch, held };
      if (found.length > 0) wrong ??= { ...way, found };
      else {
        right ??= message;
        const { key } = watch;
        const known = kept.get(key);
        if (known === undefined) kept.set(key, [way]);
        else known.push(way);
      }
    }
    if (right === null && wrong !== null) kept.set('', [wrong]);
    const counted = right ?? wrong?.message;
    if (counted === undefined) throw new Error('An allowed letter can be taken in some way.');
    this.#goOn([...kept.values()].slice(0, READINGS_MAX).map((alike) => this.#merged(alike, letter, counted)));
    if (right === null) for (const found of wrong?.found ?? []) this.tell(found);
    const taken = this.#count(letter, counted, hasWholeKey);
    this.#settleIfSure();
    return taken;
  }

  /** Ways that forbid the same from now on are one reading. */
  #merged(ways: readonly Way[], letter: Letter, counted: number): Reading {
    const [first] = ways;
    if (first === undefined) throw new Error('A reading is made of one way or more.');
    const term = this.#machine.terms.alt(ways.map((way) => way.term));
    const known = new Map<Term, RunPath>();
    for (const way of ways)
      for (const path of this.#pathsOf(way, letter, counted))
        if (path.term !== FAIL && known.size < PATHS_MAX && !known.has(path.term)) known.set(path.term, path);
    return { term, watch: first.watch, paths: [...known.values()] };
  }

  #pathsOf({ from: { paths }, message, term, held }: Way, letter: Letter, counted: number): readonly RunPath[] {
    const [first] = paths;
    const only = { term, corrections: this.#corrected(first?.corrections ?? null, { letter, message, counted }) };
    if (paths.length === 1) return [only];
    const followed = this.#follow(paths, { letter, messages: [message], counted });
    const open = followed.flatMap((path): RunPath[] => {
      const left = held.reduce((now, ends) => (now === FAIL ? FAIL : this.#withoutEnds(now, ends)), path.term);
      return left === FAIL ? [] : [{ ...path, term: left }];
    });
    return open.length > 0 ? open : [only];
  }

  #goOn(readings: readonly Reading[]): void {
    this.#readings = readings;
    this.#term = this.#machine.terms.alt(readings.map(({ term }) => term));
  }

  /** What is wrong with it beside the order, and what remains: what it holds up must have been over. */
  #watched(
    watch: Watch,
    letter: Letter,
    taken: number,
    next: Term,
  ): { readonly term: Term; readonly held: readonly (readonly Occurrence[])[]; readonly found: readonly Found[] } {
    const { labelled, position, end } = letter;
    const held: (readonly Occurrence[])[] = [];
    const seen = { ...this.#seenAs(taken, end), labelled, position };
    const found = [...watch.observe(seen)];
    let term = next;
    for (const { earlier, ends } of watch.missedBy(seen)) {
      const kept = this.#withoutEnds(term, ends);
      if (kept === FAIL) found.push({ kind: 'out-of-order', message: seen.message, mustFollow: earlier, labelled });
      else {
        term = kept;
        held.push(ends);
      }
    }
    const unseen: Unseen = {
      isUnsent: (message) => this.#recovery.isUnsentAfter(this.#baseOf(message), position),
      isUnreceived: (message) => this.#recovery.isUnreceivedAfter(this.#baseOf(message), position),
    };
    for (const { created, ends, isUnborn } of watch.notThere(unseen)) {
      if (created.some((begins) => this.#machine.deriver.alphabet(term).has(begins))) continue;
      const kept = this.#withoutEnds(term, ends);
      if (kept !== FAIL) {
        term = kept;
        held.push(ends);
      }
      // Of a trace that is over, what comes or does not come tells more.
      else if (!this.#isComplete) {
        const before = isUnborn ? created.map(messageOf)[0] : undefined;
        const owed = before ?? this.#firstOwed(term, new Set(ends.map(messageOf)));
        found.push({ kind: 'out-of-order', message: seen.message, mustFollow: owed, labelled });
      }
    }
    return { term, held, found };
  }

  /** `term` without any more of these ends; what nothing shows may still happen. */
  #withoutEnds(term: Term, ends: readonly Occurrence[]): Term {
    const { terms, deriver } = this.#machine;
    const own = terms.sets.members(terms.alphabet(term)).filter((occurrence) => {
      const drawn = deriver.drawn(occurrence);
      return !deriver.isHidden(occurrence) && ends.includes(2 * this.#baseOf(messageOf(drawn)) + (drawn & 1));
    });
    return deriver.avoid(term, terms.sets.of(own));
  }

  #firstOwed(term: Term, messages: ReadonlySet<number>): number | null {
    const { deriver } = this.#machine;
    const find = (all: Iterable<Occurrence>): number | undefined =>
      [...all].map((occurrence) => this.#baseOf(messageOf(occurrence))).find((message) => messages.has(message));
    return find(deriver.owed(term)) ?? find(deriver.alphabet(term)) ?? null;
  }

  #seenAs(taken: number, end: End): Omit<Seen, 'labelled' | 'position'> {
    const message = this.#baseOf(taken);
    const opens = end === 'receive' ? [] : (this.#machine.contract.messages[taken]?.entry?.criticals ?? []);
    return { message, opens, occurrences: occurrencesOf(message, end), hidden: hiddenEnd(end) };
  }

  #allowed(messages: readonly number[], letter: Letter): readonly { readonly message: number; readonly next: Term }[] {
    return messages
      .map((message) => ({ message, next: this.#step(this.#term, message, letter) }))
      .filter(({ next }) => next !== FAIL);
  }

  /** What the binding says of the event, whatever drawn message it is. */
  #applyRules(letter: Letter, hasWholeKey: boolean): void {
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
    if (rules.second !== null && hasWholeKey)
      this.#violateRule(letter, 'repeated', rules.second, secondAnswerText(contract, rules.second));
    if (rules.excess !== null) this.#violateRule(letter, 'repeated', rules.excess, excessText(contract, rules.excess));
  }

  /** What serves a call that another run took, and that was answered there, serves none of this one. */
  #judgeServed(letter: Letter, [message]: readonly number[]): void {
    const { answered } = letter.labelled;
    if (answered === undefined || message === undefined || !this.#isOrdered || this.assigned.has(answered)) return;
    this.#violateRule(letter, 'unexpected', message, servedText(this.#machine.contract, message));
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
    const messages = denied.map(({ message }) => message);
    const paths = this.#follow(this.#openPaths, { letter, messages, counted: first.message });
    this.#goTo(this.#machine.terms.alt(denied.map(({ next }) => next)), paths);
    this.#accept(letter, first.message, hasWholeKey);
    this.#settleIfSure();
    return { kind: 'violation' };
  }

  /** What had to come before something that came is no more part of what remains. */
  #takeTooLate(letter: Letter, candidates: readonly number[], hasWholeKey: boolean): Taken | null {
    const late = candidates.find((message) => this.watch?.isTooLate(this.#seenAs(message, letter.end)) === true);
    if (late === undefined) return this.#takeAfterDestruction(letter, candidates, hasWholeKey);
    this.#accept(letter, late, hasWholeKey);
    return { kind: 'violation' };
  }

  /** It is no more part of what remains, and what it happens on was destroyed. */
  #takeAfterDestruction(letter: Letter, candidates: readonly number[], hasWholeKey: boolean): Taken | null {
    const { watch } = this;
    if (watch === null) return null;
    const left = this.#machine.deriver.alphabet(this.#term);
    for (const message of candidates) {
      const { occurrences, ...seen } = this.#seenAs(message, letter.end);
      const gone = occurrences.filter((occurrence) => !left.has(occurrence));
      const found = watch.destroyed({ ...seen, occurrences: gone, ...letter });
      if (found.length === 0) continue;
      for (const one of found) this.tell(one);
      this.#count(letter, message, hasWholeKey);
      return { kind: 'violation' };
    }
    return null;
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

  /** Drawn arrows that are possible now: of a trace that shows messages at one instant, those that can be received too. */
  expected(): number[] {
    const enabled = this.#machine.deriver.enabled(this.#term);
    if (!this.#recovery.isOfInstants) return this.#arrowsOf(enabled);
    const possible = enabled.filter(
      (occurrence) =>
        isReceipt(occurrence) ||
        stepTerm(this.#machine, this.#term, messageOf(occurrence), { end: 'both', tag: 0 }) !== FAIL,
    );
    return this.#arrowsOf(possible.length === 0 ? enabled : possible);
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
      this.#passedBy.add(letter.labelled.index);
      return { kind: 'ignored' };
    }
    // A reply to one of several calls, of which this instance's is not the one.
    if (!hasWholeKey && (letter.labelled.answers?.length ?? 0) > 1) return { kind: 'ignored' };
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
    this.#positions.clear();
    this.#paths = [];
    this.#readings = firstReadings(this.#machine);
  }

  /** After an event that is not allowed one reading is left. */
  #goTo(term: Term, paths: readonly RunPath[]): void {
    this.#term = term;
    this.#paths = this.#readings.length === 0 ? paths : [];
    this.#readings = this.#readings.slice(0, 1).map(({ watch }) => ({ term, watch, paths }));
  }

  /** After such an event, the ways to read what came before in which it breaks the fewest orders. */
  #followForced(letter: Letter, { message, next }: Taking): readonly RunPath[] {
    const paths = this.#openPaths;
    const [first] = paths;
    const forced =
      paths.length < 2
        ? []
        : paths.flatMap(({ term, corrections }) => {
            const taking = this.#recovery.takingAs(term, message, letter);
            return taking === null ? [] : [{ term: taking.next, corrections, cost: taking.cost }];
          });
    const least = Math.min(...forced.map(({ cost }) => cost));
    const best = forced.filter(({ cost }) => cost === least);
    return best.length > 1 ? best : [{ term: next, corrections: (best[0] ?? first)?.corrections ?? null }];
  }

  /**
   * The cheapest explanation of an event that is not allowed: it is left out, or taken where it stands, ignoring order. Then
   * each broken pair is one violation, and a gap of lost messages is one where it begins.
   */
  #recover(letter: Letter, candidates: readonly number[], hasWholeKey: boolean): Taken {
    const standing = { term: this.#term, came: new Set(this.taken.keys()), leftOut: this.#leftOut };
    const taking = this.#recovery.explain(letter, standing);
    if (taking === null) return this.#leaveOut(letter, candidates[0]);
    const { message, early, lost, lostBehind, isOvertaking, next } = taking;
    if (early.length + lost.length === 0) {
      if (isOvertaking) this.#violateByOvertaking(letter, message);
      else this.#violate(letter, 'unexpected', message, null);
    }
    for (const before of early) this.#blame(letter, message, before, null);
    lost.forEach(({ message: before, ends }, index) => {
      this.#blame(letter, message, before, ends > 1 ? (index === 0 ? lostBehind : []) : null);
    });
    this.#goTo(next, this.#followForced(letter, taking));
    this.#accept(letter, message, hasWholeKey);
    this.#settleIfSure();
    return { kind: 'violation' };
  }

  /** Leaves the event out: one too many. */
  #leaveOut(letter: Letter, message: number | undefined): Taken {
    if (message === undefined)
      throw new Error('a letter without candidates reached an instance: labels are filtered before');
    this.#leftOut.add(letter.labelled.index);
    this.#violate(letter, this.taken.has(this.#baseOf(message)) ? 'repeated' : 'unexpected', message, null);
    return { kind: 'violation' };
  }

  /**
   * One violation per broken pair of arrows; an event with two positions may break the same pair at both. `lostBehind`: `before`
   * is lost, and these messages, drawn after it, with it.
   */
  #blame(letter: Letter, message: number, before: number, lostBehind: readonly number[] | null): void {
    const [arrow, first] = [this.#arrowOf(message), this.#arrowOf(before)];
    const pair = `${letter.labelled.index}:${first}`;
    if (this.#told.has(pair)) return;
    this.#told.add(pair);
    if (lostBehind === null || !this.#isComplete || first === arrow) {
      this.#violate(letter, 'out-of-order', message, first);
      return;
    }
    const waiting = unique(lostBehind.map((other) => this.#arrowOf(other))).filter((other) => other !== first).length;
    this.#violate(letter, 'missing', before, arrow, waiting);
  }

  #accept(letter: Letter, taken: number, hasWholeKey: boolean): Taken {
    const [reading] = this.#readings;
    if (reading !== undefined) {
      const seen = { ...this.#seenAs(taken, letter.end), labelled: letter.labelled, position: letter.position };
      for (const found of reading.watch.observe(seen)) this.tell(found);
    }
    return this.#count(letter, taken, hasWholeKey);
  }

  #count(letter: Letter, taken: number, hasWholeKey: boolean): Taken {
    const message = this.#baseOf(taken);
    if (hasWholeKey) this.#wholeKeyTaken = true;
    if (letter.end !== 'receive') {
      this.taken.set(message, (this.taken.get(message) ?? 0) + 1);
      if (this.#machine.contract.standing.length > 0) this.#positions.set(letter.labelled.index, letter.position);
    }
    this.assigned.set(letter.labelled.index, message);
    return { kind: 'taken', message };
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
    // What must never occur came instead of nothing.
    const expected = kind === 'forbidden' ? [] : this.expected();
    this.violations.push({ kind, arrow, event, mustFollow: null, expected, text });
  }

  #violate(letter: Letter, kind: ViolationKind, message: number, mustFollow: number | null, waiting = 0): void {
    const arrow = this.#arrowOf(message);
    const event = quote(letter.labelled.sourced);
    // The event's own arrow may be half possible (its send, not its receipt): it is not what was expected instead of it.
    const came = kind === 'missing' ? mustFollow : arrow;
    const expected = this.expected().filter((other) => other !== came);
    const violation: Violation = { kind, arrow, event, mustFollow, expected, text: '' };
    const { contract } = this.#machine;
    const isSend = letter.end === 'send' || letter.end === 'only-send';
    const told = kind !== 'out-of-order' || isSend ? null : tooEarlyText(contract, arrow, mustFollow);
    const text = told ?? (waiting === 0 ? '' : describeViolation(violation, contract.drawn, waiting));
    this.violations.push({ ...violation, text });
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

/** A way to read what was taken: what remains, and what is known beside the order. */
interface Reading {
  readonly term: Term;
  readonly watch: Watch;
  /** What it consists of: ways that differ in what the events count for. */
  readonly paths: readonly RunPath[];
}

/** A reading that goes on by taking a letter for a message. */
interface Way {
  readonly from: Reading;
  readonly message: number;
  readonly term: Term;
  readonly watch: Watch;
  /** What is watched holds these up: they must have been over. */
  readonly held: readonly (readonly Occurrence[])[];
}

type RunPath = Path<Correction>;

/** A letter that is counted for one message, and taken for another one perhaps. */
interface Counting {
  readonly letter: Letter;
  readonly message: number;
  readonly counted: number;
}

interface Following {
  readonly letter: Letter;
  readonly messages: readonly number[];
  readonly counted: number;
}

/** Ways to read one run that are kept: each differs from all others in what it forbids. */
/** The end of a message that nothing shows. */
function hiddenEnd(end: End): Seen['hidden'] {
  if (end === 'only-receive') return 'send';
  return end === 'only-send' ? 'receipt' : null;
}

const READINGS_MAX = 64;

const firstReadings = ({ contract, watch, initial }: Machine): readonly Reading[] =>
  watch === null
    ? []
    : [{ term: initial, watch: new Watch(contract, watch), paths: [{ term: initial, corrections: null }] }];
