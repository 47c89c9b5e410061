import { byDemand, PENDING, type Need } from './demand.ts';
import { NONE, type OccurrenceSet } from './occurrence-sets.ts';
import { PairMemo } from './pair-memo.ts';
import { Precedence } from './precedence.ts';
import {
  isHolding,
  isParallel,
  isReceipt,
  messageOf,
  type Occurrence,
  type Relation,
  type Relations,
} from './relation.ts';
import { BoundMet, EMPTY, FAIL, type Shape, type Term, type TermTable } from './terms.ts';

/** What an event costs where it is not allowed: the owed occurrences that had to come first, and the term after it all the same. */
export interface Forced {
  readonly blockers: readonly Occurrence[];
  readonly next: Term;
}

/** The tag of receipts that nothing shows; those that are shown have greater ones. */
const HIDDEN = 1;
/** The tag of receipts that are shown, of sends that nothing shows. */
const UNSENT = 2;
const TAGS_OF_HIDDEN = 2;
/** Ways to let hidden receipts happen before one event. */
const HIDDEN_WAYS_MAX = 256;

/** Messages that were promised before something of one open critical fragment, of which any may still come. */
const DUE_MAX = 5;

/** What one search for the cheapest place has found so far, by term. */
interface Search {
  readonly forced: Map<Term, Forced | null>;
  readonly conflicts: Map<Relation, Map<Term, readonly Occurrence[]>>;
}

const newSearch = (): Search => ({ forced: new Map(), conflicts: new Map() });

/**
 * What may happen next, and what remains then. The derivative of a sequence by an event of a later part exists if the
 * earlier parts can *avoid* everything that must precede it. All results are memoised per term, and computed without
 * recursion over nesting; only `force`, `anywhere` and `timesOwed` recurse (bounded by `NESTING_MAX` when the term
 * is built).
 */
export class Deriver {
  readonly #terms: TermTable;
  readonly #precedence: Precedence;
  readonly #relations: Relations;
  readonly #tagging = new PairMemo();
  readonly #derivatives = new PairMemo();
  readonly #beyondHidden = new PairMemo();
  readonly #bothBeyondHidden = new PairMemo();
  readonly #timesOwed = new PairMemo();
  readonly #settling = new Map<Term, Term>();
  readonly #closing = new Map<Term, Term>();
  readonly #narrowing = new PairMemo();
  readonly #anywhere = new PairMemo();
  readonly #avoiding = new PairMemo();
  readonly #erased = new PairMemo();
  readonly #owed = new Map<Term, OccurrenceSet>();
  readonly #alphabets = new Map<OccurrenceSet, ReadonlySet<Occurrence>>();
  #stepsLeft = Infinity;

  constructor(terms: TermTable, relations: Relations) {
    this.#terms = terms;
    this.#relations = relations;
    this.#precedence = new Precedence(terms.sets, relations);
  }

  /**
   * An end of an event that looks like another one on its way at the same time: what its send leaves to be received is told
   * from what theirs leave, by a tag of 1 or more. Terms hold tagged receipts only, of sends that happened with that tag.
   */
  tagged(occurrence: Occurrence, tag: number): Occurrence {
    if (tag === 0) return occurrence;
    this.#precedence.useTags(tag + TAGS_OF_HIDDEN);
    return occurrence + (tag + TAGS_OF_HIDDEN) * this.#relations.occurrences;
  }

  /** The send of a message of which nothing will show the receipt: that happens at any time that the order allows. */
  unreceived(send: Occurrence): Occurrence {
    this.#precedence.useTags(HIDDEN);
    return send + HIDDEN * this.#relations.occurrences;
  }

  /** An end of a message of which nothing shows the send: that happened at any time that the order allows. */
  unsent(occurrence: Occurrence): Occurrence {
    this.#precedence.useTags(UNSENT);
    return occurrence + UNSENT * this.#relations.occurrences;
  }

  /** How many times `occurrence` is owed at least. */
  timesOwed(term: Term, occurrence: Occurrence): number {
    if (!this.#mayHappen(term, occurrence)) return 0;
    const known = this.#timesOwed.get(term, occurrence);
    if (known !== PENDING) return known;
    const found = this.#countOwed(term, occurrence);
    this.#timesOwed.set(term, occurrence, found);
    return found;
  }

  #countOwed(term: Term, occurrence: Occurrence): number {
    const shape = this.#terms.shape(term);
    switch (shape.kind) {
      case 'fail':
      case 'empty':
      case 'loop':
        return 0;
      case 'occurrence':
        return 1;
      case 'power':
        return shape.count * this.timesOwed(shape.body, occurrence);
      case 'open':
        return this.timesOwed(shape.body, occurrence);
      case 'alt':
        return Math.min(...shape.choices.map((choice) => this.timesOwed(choice, occurrence)));
      case 'seq':
        return this.#terms.parts(shape.relation, term).reduce((sum, part) => sum + this.timesOwed(part, occurrence), 0);
    }
  }

  /** The occurrence as it is drawn, without its tag. */
  drawn(occurrence: Occurrence): Occurrence {
    return occurrence < this.#relations.occurrences ? occurrence : occurrence % this.#relations.occurrences;
  }

  /** Bounds the new results that may be computed from now on; `BoundMet` beyond. */
  allowSteps(steps: number): void {
    this.#stepsLeft = steps;
  }

  /** How many more results may be computed; negative once the bound was met. */
  get stepsLeft(): number {
    return this.#stepsLeft;
  }

  /** What remains of `term` after `occurrence`; FAIL if it may not happen now. What is hidden may happen before it. */
  after(term: Term, occurrence: Occurrence): Term {
    if (!this.#mayHappen(term, occurrence)) return FAIL;
    const hidden = this.#hiddenIn(term);
    if (hidden === NONE && !this.isHidden(occurrence)) return this.#plainAfter(term, occurrence);
    const known = this.#beyondHidden.get(term, occurrence);
    if (known !== PENDING) return known;
    const found = this.#afterHidden(term, occurrence, this.#holdingUp(term, occurrence));
    this.#beyondHidden.set(term, occurrence, found);
    return found;
  }

  #plainAfter(term: Term, occurrence: Occurrence): Term {
    const known = this.#knownAfter(term, occurrence);
    return known === PENDING ? this.#computeAfter(term, occurrence) : known;
  }

  /** What remains after a message that is received when it is sent: nothing happens between the two, not even what is hidden. */
  afterBoth(term: Term, send: Occurrence, receipt: Occurrence): Term {
    if (!this.#mayHappen(term, send)) return FAIL;
    if (this.#hiddenIn(term) === NONE) return this.after(this.#plainAfter(term, send), receipt);
    const known = this.#bothBeyondHidden.get(term, send);
    if (known !== PENDING) return known;
    const found = this.#afterHidden(term, send, this.#holdingUp(term, send), receipt);
    this.#bothBeyondHidden.set(term, send, found);
    return found;
  }

  /** After any of the hidden receipts that hold it up, in any order. `receipt`: of what is received when it is sent. */
  #afterHidden(term: Term, occurrence: Occurrence, holding: readonly Occurrence[], receipt?: Occurrence): Term {
    const ways = new Set([term]);
    const results: Term[] = [];
    // A set is gone through in the order in which it grows.
    for (const way of ways) {
      const next = this.#plainAfter(way, occurrence);
      results.push(this.#settled(receipt === undefined ? next : this.#plainAfter(next, receipt)));
      for (const hidden of holding) {
        const more = this.#plainAfter(way, hidden);
        if (more !== FAIL) ways.add(more);
      }
      if (ways.size > HIDDEN_WAYS_MAX) throw new BoundMet(`${HIDDEN_WAYS_MAX} ways of what nothing shows`);
    }
    return this.#terms.alt(results);
  }

  /**
   * Of hidden receipts, those that must precede the occurrence somewhere, or precede one of those; and what is in a critical
   * fragment that is open, since that may hold up anything.
   */
  #holdingUp(term: Term, occurrence: Occurrence): readonly Occurrence[] {
    const { sets } = this.#terms;
    const hidden = this.#hiddenIn(term);
    // What is promised before something of a critical fragment comes before all of it.
    const isPromised = this.#terms.hasOpen && this.#terms.relations.includes('promised');
    let found = isPromised ? hidden : sets.intersection(hidden, this.#terms.inOpen(term));
    let held = sets.union(found, sets.only(occurrence));
    for (;;) {
      const before = this.#terms.relations.reduce(
        (all, relation) => sets.union(all, this.beforeAny(relation, held)),
        NONE,
      );
      const more = sets.intersection(hidden, before);
      const grown = sets.union(found, more);
      if (grown === found) return sets.members(found);
      found = grown;
      held = more;
    }
  }

  /** Lets happen what is hidden, waits for nothing and takes no choice away: it can only make room. */
  #settled(term: Term): Term {
    if (this.#hiddenIn(term) === NONE) return term;
    const known = this.#settling.get(term);
    if (known !== undefined) return known;
    const shape = this.#terms.shape(term);
    const found =
      shape.kind === 'alt'
        ? this.#terms.alt(shape.choices.map((choice) => this.#settledChoice(choice)))
        : this.#settledChoice(term);
    this.#settling.set(term, found);
    return found;
  }

  #settledChoice(choice: Term): Term {
    let now = choice;
    for (let isSettling = true; isSettling;) {
      isSettling = false;
      for (const receipt of this.#terms.sets.members(this.#hiddenIn(now))) {
        const next = this.#plainAfter(now, receipt);
        if (next === FAIL || this.#terms.weight(next) !== this.#terms.weight(now) - 1) continue;
        now = next;
        isSettling = true;
      }
    }
    return now;
  }

  /** Is it a receipt that nothing shows? */
  isHidden(occurrence: Occurrence): boolean {
    const { occurrences } = this.#relations;
    return occurrence >= HIDDEN * occurrences && occurrence < (HIDDEN + 1) * occurrences;
  }

  /** The hidden receipts that stand in `term`. */
  #hiddenIn(term: Term): OccurrenceSet {
    return this.#terms.sets.intersection(this.#terms.alphabet(term), this.#precedence.firstTagged);
  }

  /** `term` as far as something shows it. */
  #shown(term: Term): Term {
    const hidden = this.#hiddenIn(term);
    return hidden === NONE ? term : this.erase(term, hidden);
  }

  /** May the run end here? */
  accepts(term: Term): boolean {
    return this.#terms.isNullable(this.#shown(term));
  }

  /** Occurrences that stand in every run of `term`, as drawn. */
  owed(term: Term): ReadonlySet<Occurrence> {
    return this.#members(this.#owes(this.#shown(term)));
  }

  /** Occurrences that stand in some run of `term`, as drawn. */
  alphabet(term: Term): ReadonlySet<Occurrence> {
    return this.#members(this.#terms.alphabet(this.#shown(term)));
  }

  /** Occurrences that may happen now, as drawn. */
  enabled(term: Term): Occurrence[] {
    const possible = this.#terms.sets
      .members(this.#terms.alphabet(this.#shown(term)))
      .filter((occurrence) => this.after(term, occurrence) !== FAIL);
    return [...new Set(possible.map((occurrence) => this.drawn(occurrence)))];
  }

  /** Everything that must precede `later` where `relation` composes. */
  before(relation: Relation, later: Occurrence): OccurrenceSet {
    return this.#precedence.before(relation, this.#terms.relationNumber(relation), later);
  }

  /** Everything that must precede a member of `later` where `relation` composes. */
  beforeAny(relation: Relation, later: OccurrenceSet): OccurrenceSet {
    return this.#precedence.beforeAny(relation, this.#terms.relationNumber(relation), later);
  }

  /** `term` restricted to its runs without any of `occurrences`. */
  avoid(term: Term, occurrences: OccurrenceSet): Term {
    return this.#rewrite(term, occurrences, FAIL, this.#avoiding);
  }

  /** `term` with `occurrences` taken out of its runs, and their order with them. */
  erase(term: Term, occurrences: OccurrenceSet): Term {
    return this.#rewrite(term, occurrences, EMPTY, this.#erased);
  }

  /**
   * Takes `occurrence` where it stands with the fewest owed occurrences before it, ignoring order; null if it stands nowhere.
   * The blockers are as they stand in the term, with their tags.
   */
  force(term: Term, occurrence: Occurrence): Forced | null {
    const forced = this.#force(term, occurrence, newSearch());
    if (forced === null || this.#hiddenIn(term) === NONE) return forced;
    return { ...forced, blockers: this.#shownBlockers(term, forced.blockers) };
  }

  /** Behind what is hidden stands what holds that up. */
  #shownBlockers(term: Term, blockers: readonly Occurrence[]): readonly Occurrence[] {
    const all = new Set(blockers);
    for (const blocker of all)
      if (this.isHidden(blocker))
        for (const other of this.#force(term, blocker, newSearch())?.blockers ?? []) all.add(other);
    return [...all].filter((blocker) => !this.isHidden(blocker));
  }

  /** Terms share parts, so each is looked at once in one search. */
  #force(term: Term, occurrence: Occurrence, seen: Search): Forced | null {
    if (!this.#mayHappen(term, occurrence)) return null;
    let found = seen.forced.get(term);
    if (found === undefined) seen.forced.set(term, (found = this.#computeForce(term, occurrence, seen)));
    return found;
  }

  #computeForce(term: Term, occurrence: Occurrence, seen: Search): Forced | null {
    const shape = this.#terms.shape(term);
    switch (shape.kind) {
      case 'fail':
      case 'empty':
        return null;
      case 'occurrence':
        return shape.occurrence === this.#inTerms(occurrence) ? { blockers: [], next: EMPTY } : null;
      case 'alt':
        return this.#cheapest(shape.choices.map((choice) => this.#force(choice, occurrence, seen)));
      case 'loop': {
        const inner = this.#force(shape.body, occurrence, seen);
        return inner && { ...inner, next: this.#terms.seq(shape.relation, inner.next, term) };
      }
      case 'power': {
        const inner = this.#force(shape.body, occurrence, seen);
        return inner && { ...inner, next: this.#terms.seq(shape.relation, inner.next, this.#oneLess(shape)) };
      }
      case 'open': {
        const inner = this.#force(shape.body, occurrence, seen);
        return inner && { ...inner, next: this.#terms.open(inner.next) };
      }
      case 'seq':
        return this.#forceInSequence(shape.relation, term, occurrence, seen);
    }
  }

  /** `term` after `occurrence` wherever it stands, whatever had to come first: for an end that no event shows. */
  anywhere(term: Term, occurrence: Occurrence): Term {
    if (!this.#mayHappen(term, occurrence)) return FAIL;
    const known = this.#anywhere.get(term, occurrence);
    if (known !== PENDING) return known;
    const found = this.#computeAnywhere(term, occurrence);
    this.#anywhere.set(term, occurrence, found);
    return found;
  }

  #computeAnywhere(term: Term, occurrence: Occurrence): Term {
    const shape = this.#terms.shape(term);
    switch (shape.kind) {
      case 'fail':
      case 'empty':
        return FAIL;
      case 'occurrence':
        return shape.occurrence === this.#inTerms(occurrence) ? EMPTY : FAIL;
      case 'alt':
        return this.#terms.alt(shape.choices.map((choice) => this.anywhere(choice, occurrence)));
      case 'loop':
        return this.#terms.seq(shape.relation, this.anywhere(shape.body, occurrence), term);
      case 'power':
        // Any of them, but nothing tells them apart until an order does: the first stands for all.
        return this.#terms.seq(shape.relation, this.anywhere(shape.body, occurrence), this.#oneLess(shape));
      case 'open':
        return this.#terms.open(this.anywhere(shape.body, occurrence));
      case 'seq': {
        const parts = this.#terms.parts(shape.relation, term);
        const replaced = parts.map((part, index) =>
          this.#replace(shape.relation, parts, { index, by: this.anywhere(part, occurrence), occurrence }),
        );
        return this.#terms.alt(replaced);
      }
    }
  }

  #replace(
    relation: Relation,
    parts: readonly Term[],
    { index, by, occurrence }: { readonly index: number; readonly by: Term; readonly occurrence: Occurrence },
  ): Term {
    if (!this.#isTaggedSend(relation, occurrence, by)) {
      // Of two that are open beside each other, each would wait for the other.
      const isOneTooMany = isHolding(relation) && parts.some((part, at) => at !== index && this.#isOpen(part));
      return this.#terms.sequence(relation, parts.with(index, isOneTooMany ? this.#released(by) : by));
    }
    const tail = this.#terms.sequence(relation, parts.slice(index + 1));
    return this.#terms.sequence(relation, [...parts.slice(0, index), this.#withReceiptTagged(tail, occurrence)]);
  }

  #forceInSequence(relation: Relation, term: Term, occurrence: Occurrence, seen: Search): Forced | null {
    const parts = this.#terms.parts(relation, term);
    const holding = isHolding(relation) ? parts.map((part) => this.#holding(part, occurrence, seen)) : [];
    const before: Occurrence[] = [];
    const found: (Forced | null)[] = [];
    parts.forEach((part, index) => {
      const inner = this.#force(part, occurrence, seen);
      if (inner !== null) {
        const beside = holding.filter((_, at) => at !== index).flat();
        const due = this.#promisedBefore(relation, parts.slice(0, index), inner.next);
        // What had to come before all of a fragment must not wait for it when it comes.
        const by = due.length === 0 ? inner.next : this.#released(inner.next);
        const next = this.#replace(relation, parts, { index, by, occurrence });
        found.push({ blockers: [...new Set([...before, ...beside, ...due, ...inner.blockers])], next });
      }
      before.push(...this.#conflicts(part, relation, occurrence, seen));
    });
    return this.#cheapest(found);
  }

  /** Of several places to take an event, those that break the fewest messages; the first of them names the blockers. */
  #cheapest(options: readonly (Forced | null)[]): Forced | null {
    const found = options.filter((option) => option !== null);
    const cost = (forced: Forced): number =>
      new Set(forced.blockers.map((occurrence) => messageOf(this.drawn(occurrence)))).size;
    const best = found.reduce<Forced | null>(
      (least, other) => (least === null || cost(other) < cost(least) ? other : least),
      null,
    );
    if (best === null || found.length === 1) return best;
    // Which of the places that break nothing it is shows later.
    const isFree = best.blockers.length === 0;
    const free = found.filter(({ blockers }) => blockers.length === 0);
    return isFree ? { ...best, next: this.#terms.alt(free.map(({ next }) => next)) } : best;
  }

  /** The fewest occurrences of `earlier` that were promised before something of the critical fragments that are open in `part`. */
  #promisedBefore(relation: Relation, earlier: readonly Term[], part: Term): readonly Occurrence[] {
    if (relation !== 'promised' || !this.#isOpen(part)) return [];
    return this.#terms.sets.members(this.#terms.inOpen(part)).flatMap((later) => {
      const search = newSearch();
      return earlier.flatMap((other) => this.#conflicts(other, relation, later, search));
    });
  }

  /** The fewest occurrences of the critical fragments that are open in `term`, which `later`, beside it, waits for. */
  #holding(term: Term, later: Occurrence, seen: Search): readonly Occurrence[] {
    if (!this.#isOpen(term)) return [];
    const shape = this.#terms.shape(term);
    switch (shape.kind) {
      case 'fail':
      case 'empty':
      case 'occurrence':
      case 'loop':
        return [];
      case 'open':
        return this.#conflicts(shape.body, 'always', later, seen);
      case 'alt':
        return shape.choices
          .map((choice) => this.#holding(choice, later, seen))
          .reduce((least, other) => (other.length < least.length ? other : least));
      case 'power':
        return this.#holding(shape.body, later, seen);
      case 'seq':
        return this.#terms.parts(shape.relation, term).flatMap((part) => this.#holding(part, later, seen));
    }
  }

  /** The fewest occurrences of `term` that must precede `later` and cannot be avoided. */
  #conflicts(term: Term, relation: Relation, later: Occurrence, seen: Search): readonly Occurrence[] {
    let byTerm = seen.conflicts.get(relation);
    if (byTerm === undefined) seen.conflicts.set(relation, (byTerm = new Map<Term, readonly Occurrence[]>()));
    let found = byTerm.get(term);
    if (found === undefined) byTerm.set(term, (found = this.#findConflicts(term, relation, later, seen)));
    return found;
  }

  #findConflicts(term: Term, relation: Relation, later: Occurrence, seen: Search): readonly Occurrence[] {
    const shape = this.#terms.shape(term);
    switch (shape.kind) {
      case 'fail':
      case 'empty':
      case 'loop':
        return [];
      case 'occurrence':
        return this.#terms.sets.has(this.before(relation, later), shape.occurrence) ? [shape.occurrence] : [];
      case 'alt':
        return shape.choices
          .map((choice) => this.#conflicts(choice, relation, later, seen))
          .reduce((least, other) => (other.length < least.length ? other : least));
      case 'power':
      case 'open':
        return this.#conflicts(shape.body, relation, later, seen);
      case 'seq':
        return this.#terms.parts(shape.relation, term).flatMap((part) => this.#conflicts(part, relation, later, seen));
    }
  }

  #oneLess({ relation, body, count }: Extract<Shape, { kind: 'power' }>): Term {
    return this.#terms.power(relation, body, count - 1);
  }

  #mayHappen(term: Term, occurrence: Occurrence): boolean {
    return this.#terms.sets.has(this.#terms.alphabet(term), this.#inTerms(occurrence));
  }

  /** What stands in a term for it: a send is drawn, and only then has a tag. */
  #inTerms(occurrence: Occurrence): Occurrence {
    return isReceipt(occurrence) ? occurrence : this.drawn(occurrence);
  }

  /** Did the first part of a message, its send, happen with a tag? `rest` is what remains of that part. */
  #isTaggedSend(relation: Relation, occurrence: Occurrence, rest: Term): boolean {
    if (rest !== EMPTY || occurrence < this.#relations.occurrences || isReceipt(occurrence)) return false;
    return relation === 'always' || this.#relations.isLate(this.drawn(occurrence));
  }

  /** `term`, what remains of a message after the tagged `send`, with its own receipt tagged too. */
  #withReceiptTagged(term: Term, send: Occurrence): Term {
    const drawn = this.drawn(send);
    const receipt = this.#relations.receiptOf(drawn);
    const tagged = receipt + (send - drawn);
    return byDemand(term, {
      known: (part) => {
        if (!this.#terms.sets.has(this.#terms.alphabet(part), receipt)) return part;
        return this.#tagging.get(part, tagged);
      },
      compute: (part, need) => this.#tagReceipt(part, tagged, need),
      keep: (part, result) => {
        this.#step();
        this.#tagging.set(part, tagged, result);
      },
    });
  }

  /** A receipt behind its own send is that of another event, and so is all that comes round again. */
  #tagReceipt(term: Term, tagged: Occurrence, need: Need): Term {
    const shape = this.#terms.shape(term);
    switch (shape.kind) {
      case 'fail':
      case 'empty':
      case 'loop':
      case 'power':
        return term;
      case 'occurrence':
        return this.#terms.occurrence(tagged);
      case 'alt': {
        const results = shape.choices.map(need);
        return results.includes(PENDING) ? PENDING : this.#terms.alt(results);
      }
      case 'open': {
        const body = need(shape.body);
        return body === PENDING ? PENDING : this.#terms.open(body);
      }
      case 'seq':
        return shape.relation === 'always' ? term : this.#tagInSequence(shape.relation, term, tagged, need);
    }
  }

  /** Where the two ends of a message stand apart, what follows another send of it is not of this one. */
  #tagInSequence(relation: Relation, term: Term, tagged: Occurrence, need: Need): Term {
    const parts = this.#terms.parts(relation, term);
    const receipt = this.drawn(tagged);
    const send = parts.findIndex((part) => this.#isSendOf(part, receipt));
    const results = (send < 0 ? parts : parts.slice(0, send)).map(need);
    if (results.includes(PENDING)) return PENDING;
    return this.#terms.sequence(relation, send < 0 ? results : [...results, ...parts.slice(send)]);
  }

  #isSendOf(part: Term, receipt: Occurrence): boolean {
    const shape = this.#terms.shape(part);
    return (
      shape.kind === 'occurrence' &&
      !isReceipt(shape.occurrence) &&
      this.#relations.receiptOf(shape.occurrence) === receipt
    );
  }

  #knownAfter(term: Term, occurrence: Occurrence): Term {
    if (!this.#mayHappen(term, occurrence)) return FAIL;
    return this.#derivatives.get(term, occurrence);
  }

  #computeAfter(term: Term, occurrence: Occurrence): Term {
    return byDemand(term, {
      known: (part) => this.#knownAfter(part, occurrence),
      compute: (part, need) => this.#derive(part, occurrence, need),
      keep: (part, next) => {
        this.#step();
        this.#derivatives.set(part, occurrence, next);
      },
    });
  }

  #step(): void {
    if (--this.#stepsLeft < 0) throw new BoundMet('steps of the search');
  }

  /** The derivative of an event in the alphabet; `PENDING` if that of a part is needed first. */
  #derive(term: Term, occurrence: Occurrence, need: Need): Term {
    const shape = this.#terms.shape(term);
    switch (shape.kind) {
      case 'fail':
      case 'empty':
        return FAIL;
      case 'occurrence':
        return EMPTY;
      case 'alt': {
        const results = shape.choices.map(need);
        return results.includes(PENDING) ? PENDING : this.#terms.alt(results);
      }
      case 'loop': {
        const inner = need(shape.body);
        if (inner === PENDING || inner === FAIL) return inner;
        const from = this.#terms.seq(shape.relation, inner, term);
        if (shape.headFirst) return from;
        // Earlier iterations that avoid what must precede, this iteration, further iterations.
        const avoided = this.avoid(shape.body, this.before(shape.relation, occurrence));
        return this.#terms.seq(shape.relation, this.#terms.loop(shape.relation, avoided), from);
      }
      case 'power': {
        const inner = need(shape.body);
        return inner === PENDING || inner === FAIL ? inner : this.#derivePower(shape, inner, occurrence);
      }
      case 'open': {
        const inner = need(shape.body);
        return inner === PENDING ? PENDING : this.#terms.open(inner);
      }
      case 'seq':
        return this.#deriveSequence(shape.relation, term, occurrence, need);
    }
  }

  #derivePower(shape: Extract<Shape, { kind: 'power' }>, inner: Term, occurrence: Occurrence): Term {
    const { relation, count } = shape;
    const body = isHolding(relation) ? this.#closed(shape.body) : shape.body;
    const first = this.#terms.seq(relation, inner, this.#terms.power(relation, body, count - 1));
    // Parallel ones are all alike; else any of them, if those before it can avoid what must precede.
    if (isParallel(relation)) return first;
    const avoided = this.avoid(body, this.before(relation, occurrence));
    if (avoided === FAIL) return first;
    const results = [first];
    for (let earlier = 1; earlier < count; earlier++) {
      const later = this.#terms.power(relation, body, count - 1 - earlier);
      const from = this.#terms.seq(relation, inner, later);
      results.push(this.#terms.seq(relation, this.#terms.power(relation, avoided, earlier), from));
      this.#step();
    }
    return this.#terms.alt(results);
  }

  #deriveSequence(relation: Relation, term: Term, occurrence: Occurrence, need: Need): Term {
    const before = this.before(relation, occurrence);
    const isHeld = isHolding(relation) && this.#isOpen(term);
    const results: Term[] = [];
    const avoiding: Term[] = [];
    let isPending = false;
    let rest = term;
    for (;;) {
      const shape = this.#terms.shape(rest);
      const isLast = shape.kind !== 'seq' || shape.relation !== relation;
      const part = isLast ? rest : shape.first;
      const tail = isLast ? EMPTY : shape.rest;
      const inner = this.#mayHappen(part, occurrence) ? need(part) : FAIL;
      if (inner === PENDING) isPending = true;
      else if (inner !== FAIL && !isPending) {
        const isTagged = this.#isTaggedSend(relation, occurrence, inner);
        const remaining = isTagged ? this.#withReceiptTagged(tail, occurrence) : tail;
        results.push(this.#behind(relation, avoiding, inner, isHeld ? this.#closed(remaining) : remaining));
      }
      if (isLast || !this.#mayHappen(tail, occurrence)) break;
      const avoided = this.avoid(isHeld ? this.#closed(part) : part, before);
      if (avoided === FAIL) break;
      avoiding.push(avoided);
      rest = tail;
    }
    return isPending ? PENDING : this.#terms.alt(results);
  }

  /**
   * The `earlier` parts of a sequence, one in which something happened, and the `rest`. What waits for a critical fragment that is
   * open, and was promised before something of it, can only come if that does not: else each would wait for the other.
   */
  #behind(relation: Relation, earlier: readonly Term[], part: Term, rest: Term): Term {
    const { sets } = this.#terms;
    const parts = [...earlier, part, rest];
    if (relation !== 'promised' || !this.#isOpen(part)) return this.#terms.sequence(relation, parts);
    const before = this.beforeAny(relation, this.#terms.inOpen(part));
    const present = earlier.reduce((all, other) => sets.union(all, this.#terms.alphabet(other)), NONE);
    const due = sets.members(sets.intersection(before, present));
    const messages = [...new Set(due.map((occurrence) => messageOf(this.drawn(occurrence))))];
    if (messages.length > DUE_MAX) return this.#terms.sequence(relation, parts);
    const ways: Term[] = [];
    for (let chosen = 0; chosen < 1 << messages.length; chosen++) {
      const comes = (occurrence: Occurrence): boolean =>
        (chosen & (1 << messages.indexOf(messageOf(this.drawn(occurrence))))) !== 0;
      const missed = sets.of(due.filter((occurrence) => !comes(occurrence)));
      const without = earlier.map((other) => this.avoid(other, missed));
      const shut = this.#narrowed(relation, part, sets.of(due.filter(comes)));
      ways.push(this.#terms.sequence(relation, [...without, shut, rest]));
    }
    return this.#terms.alt(ways);
  }

  /** `term` without what, in critical fragments that are open, must come behind any of `earlier`. */
  #narrowed(relation: Relation, term: Term, earlier: OccurrenceSet): Term {
    const { sets } = this.#terms;
    const behind = sets.of(
      sets
        .members(this.#terms.inOpen(term))
        .filter((occurrence) => sets.meets(this.before(relation, occurrence), earlier)),
    );
    return byDemand(term, {
      known: (part) => {
        const affected = sets.intersection(this.#terms.inOpen(part), behind);
        return affected === NONE ? part : this.#narrowing.get(part, affected);
      },
      compute: (part, need) => this.#inEachOpen(part, need, (open) => this.avoid(open, behind)),
      keep: (part, result) => {
        this.#step();
        this.#narrowing.set(part, sets.intersection(this.#terms.inOpen(part), behind), result);
      },
    });
  }

  /** Is a critical fragment open in some run of `term`? */
  #isOpen(term: Term): boolean {
    return this.#terms.inOpen(term) !== NONE;
  }

  /** `term` restricted to its runs in which no critical fragment is open any more. */
  #closed(term: Term): Term {
    return byDemand(term, {
      known: (part) => (this.#isOpen(part) ? (this.#closing.get(part) ?? PENDING) : part),
      compute: (part, need) => this.#inEachOpen(part, need, (open) => (this.#terms.isNullable(open) ? EMPTY : FAIL)),
      keep: (part, result) => {
        this.#step();
        this.#closing.set(part, result);
      },
    });
  }

  /** `term` with another result for each critical fragment that is open in it. */
  #inEachOpen(term: Term, need: Need, change: (open: Term) => Term): Term {
    const shape = this.#terms.shape(term);
    switch (shape.kind) {
      case 'fail':
      case 'empty':
      case 'occurrence':
      case 'loop':
        return term;
      case 'open':
        return change(term);
      case 'power': {
        const body = need(shape.body);
        return body === PENDING ? PENDING : this.#terms.power(shape.relation, body, shape.count);
      }
      case 'alt':
      case 'seq':
        return this.#openParts(term, shape, need);
    }
  }

  /** `term` with another result for each part in which a critical fragment may be open. */
  #openParts(term: Term, shape: Extract<Shape, { kind: 'alt' | 'seq' }>, need: Need): Term {
    const parts = shape.kind === 'alt' ? shape.choices : this.#terms.parts(shape.relation, term);
    // What comes strictly behind something is not entered yet.
    const isStrict = shape.kind === 'seq' && shape.relation === 'always';
    const results = parts.map((part, index) => (isStrict && index > 0 ? part : need(part)));
    if (results.includes(PENDING)) return PENDING;
    return shape.kind === 'alt' ? this.#terms.alt(results) : this.#terms.sequence(shape.relation, results);
  }

  /** `term`, in which no critical fragment holds anything up any more. */
  #released(term: Term): Term {
    if (!this.#isOpen(term)) return term;
    const shape = this.#terms.shape(term);
    switch (shape.kind) {
      case 'fail':
      case 'empty':
      case 'occurrence':
      case 'loop':
        return term;
      case 'open':
        return this.#released(shape.body);
      case 'power':
        return this.#terms.power(shape.relation, this.#released(shape.body), shape.count);
      case 'alt':
      case 'seq':
        return this.#openParts(term, shape, (part) => this.#released(part));
    }
  }

  /** Replaces `occurrences` by FAIL or by EMPTY; the constructors do the rest. */
  #rewrite(term: Term, occurrences: OccurrenceSet, by: Term, memo: PairMemo): Term {
    const known = this.#knownRewrite(term, occurrences, by, memo);
    if (known !== PENDING) return known;
    return byDemand(term, {
      known: (part) => this.#knownRewrite(part, occurrences, by, memo),
      compute: (part, need) => this.#rewriteParts(part, by, need),
      keep: (part, result) => {
        this.#step();
        memo.set(part, this.#affected(part, occurrences), result);
      },
    });
  }

  #knownRewrite(term: Term, occurrences: OccurrenceSet, by: Term, memo: PairMemo): Term {
    const affected = this.#affected(term, occurrences);
    if (affected === NONE) return term;
    if (affected !== this.#terms.alphabet(term)) return memo.get(term, affected);
    // Of a term with no other occurrence, only the empty run can be left.
    return by === EMPTY || this.#terms.isNullable(term) ? EMPTY : FAIL;
  }

  #affected(term: Term, occurrences: OccurrenceSet): OccurrenceSet {
    return this.#terms.sets.intersection(this.#terms.alphabet(term), occurrences);
  }

  #rewriteParts(term: Term, by: Term, need: Need): Term {
    const shape = this.#terms.shape(term);
    switch (shape.kind) {
      case 'fail':
      case 'empty':
        return term;
      case 'occurrence':
        return by;
      case 'alt': {
        const results = shape.choices.map(need);
        return results.includes(PENDING) ? PENDING : this.#terms.alt(results);
      }
      case 'loop': {
        const body = need(shape.body);
        return body === PENDING ? PENDING : this.#terms.loop(shape.relation, body, shape.headFirst);
      }
      case 'power': {
        const body = need(shape.body);
        return body === PENDING ? PENDING : this.#terms.power(shape.relation, body, shape.count);
      }
      case 'open': {
        const body = need(shape.body);
        return body === PENDING ? PENDING : this.#terms.open(body);
      }
      case 'seq':
        return this.#rewriteSequence(shape.relation, term, need);
    }
  }

  #rewriteSequence(relation: Relation, term: Term, need: Need): Term {
    const results = this.#terms.parts(relation, term).map(need);
    return results.includes(PENDING) ? PENDING : this.#terms.sequence(relation, results);
  }

  #owes(term: Term): OccurrenceSet {
    return byDemand(term, {
      known: (part) => this.#owed.get(part) ?? PENDING,
      compute: (part, need) => this.#collectOwed(part, need),
      keep: (part, found) => void this.#owed.set(part, found),
    });
  }

  #collectOwed(term: Term, need: Need): OccurrenceSet {
    const { sets } = this.#terms;
    const shape = this.#terms.shape(term);
    switch (shape.kind) {
      case 'fail':
      case 'empty':
      case 'loop':
        return NONE;
      case 'occurrence':
        return this.#terms.alphabet(term);
      case 'power':
      case 'open':
        return need(shape.body);
      case 'alt': {
        const owed = shape.choices.map(need);
        return owed.includes(PENDING) ? PENDING : owed.reduce((common, other) => sets.intersection(common, other));
      }
      case 'seq': {
        const owed = this.#terms.parts(shape.relation, term).map(need);
        return owed.includes(PENDING) ? PENDING : owed.reduce((all, other) => sets.union(all, other));
      }
    }
  }

  #members(set: OccurrenceSet): ReadonlySet<Occurrence> {
    const known = this.#alphabets.get(set);
    if (known !== undefined) return known;
    const members = new Set(this.#terms.sets.members(set).map((occurrence) => this.drawn(occurrence)));
    this.#alphabets.set(set, members);
    return members;
  }
}
