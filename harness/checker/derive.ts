import { messageOf, type Occurrence, type Relation, type Relations } from './relation.ts';
import { EMPTY, FAIL, type Term, type TermTable } from './terms.ts';

/** What an event costs where it is not allowed: the owed occurrences that had to come first, and the term after it all the same. */
export interface Forced {
  readonly blockers: readonly Occurrence[];
  readonly next: Term;
}

/**
 * What may happen next, and what remains then. The derivative of a sequence by an event of a later part exists if the
 * earlier parts can *avoid* everything that must precede it (`prune`). All results are memoised per term.
 *
 * Recursion follows the nesting of the drawing only (bounded by `NESTING_MAX` when the term is built); along a sequence it iterates.
 */
export class Deriver {
  readonly #terms: TermTable;
  readonly #relations: Relations;
  readonly #derivatives = new Map<number, Term>();
  readonly #pruned = new Map<Relation, Map<number, Term>>();
  readonly #alphabets = new Map<Term, ReadonlySet<Occurrence>>();
  readonly #owed = new Map<Term, ReadonlySet<Occurrence>>();

  constructor(terms: TermTable, relations: Relations) {
    this.#terms = terms;
    this.#relations = relations;
  }

  /** What remains of `term` after `occurrence`; FAIL if it may not happen now. */
  after(term: Term, occurrence: Occurrence): Term {
    const key = this.#key(term, occurrence);
    const known = this.#derivatives.get(key);
    if (known !== undefined) return known;
    const next = this.alphabet(term).has(occurrence) ? this.#derive(term, occurrence) : FAIL;
    this.#derivatives.set(key, next);
    return next;
  }

  /** May the run end here? */
  accepts(term: Term): boolean {
    return this.#nullable(term);
  }

  /** Occurrences that stand in every run of `term`. */
  owed(term: Term): ReadonlySet<Occurrence> {
    return this.#owes(term);
  }

  /** Occurrences that stand in some run of `term`. */
  alphabet(term: Term): ReadonlySet<Occurrence> {
    const known = this.#alphabets.get(term);
    if (known !== undefined) return known;
    const found = this.#collect(term);
    this.#alphabets.set(term, found);
    return found;
  }

  /** Occurrences that may happen now. */
  enabled(term: Term): Occurrence[] {
    return [...this.alphabet(term)].filter((occurrence) => this.after(term, occurrence) !== FAIL);
  }

  /** Takes `occurrence` where it stands with the fewest owed occurrences before it, ignoring order; null if it stands nowhere. */
  force(term: Term, occurrence: Occurrence): Forced | null {
    if (!this.alphabet(term).has(occurrence)) return null;
    const shape = this.#terms.shape(term);
    switch (shape.kind) {
      case 'fail':
      case 'empty':
        return null;
      case 'occurrence':
        return shape.occurrence === occurrence ? { blockers: [], next: EMPTY } : null;
      case 'alt':
        return cheapest(shape.choices.map((choice) => this.force(choice, occurrence)));
      case 'loop': {
        const inner = this.force(shape.body, occurrence);
        return inner && { ...inner, next: this.#terms.seq(shape.relation, inner.next, term) };
      }
      case 'seq':
        return this.#forceInSequence(shape.relation, term, occurrence);
    }
  }

  /** `term` after `occurrence` wherever it stands, whatever had to come first: for an end that no event shows. */
  anywhere(term: Term, occurrence: Occurrence): Term {
    if (!this.alphabet(term).has(occurrence)) return FAIL;
    const shape = this.#terms.shape(term);
    switch (shape.kind) {
      case 'fail':
      case 'empty':
        return FAIL;
      case 'occurrence':
        return shape.occurrence === occurrence ? EMPTY : FAIL;
      case 'alt':
        return this.#terms.alt(shape.choices.map((choice) => this.anywhere(choice, occurrence)));
      case 'loop':
        return this.#terms.seq(shape.relation, this.anywhere(shape.body, occurrence), term);
      case 'seq': {
        const parts = this.#terms.parts(shape.relation, term);
        const replaced = parts.map((part, index) =>
          this.#replace(shape.relation, parts, index, this.anywhere(part, occurrence)),
        );
        return this.#terms.alt(replaced);
      }
    }
  }

  #replace(relation: Relation, parts: readonly Term[], index: number, by: Term): Term {
    if (by === FAIL) return FAIL;
    return parts.reduceRight((tail, part, at) => this.#terms.seq(relation, at === index ? by : part, tail), EMPTY);
  }

  #forceInSequence(relation: Relation, term: Term, occurrence: Occurrence): Forced | null {
    const parts = this.#terms.parts(relation, term);
    const before: Occurrence[] = [];
    const found: (Forced | null)[] = [];
    parts.forEach((part, index) => {
      const inner = this.force(part, occurrence);
      if (inner !== null) {
        const next = this.#replace(relation, parts, index, inner.next);
        found.push({ blockers: [...before, ...inner.blockers], next });
      }
      before.push(...this.#conflicts(part, relation, occurrence));
    });
    return cheapest(found);
  }

  /** The fewest occurrences of `term` that must precede `later` and cannot be avoided. */
  #conflicts(term: Term, relation: Relation, later: Occurrence): readonly Occurrence[] {
    const shape = this.#terms.shape(term);
    switch (shape.kind) {
      case 'fail':
      case 'empty':
      case 'loop':
        return [];
      case 'occurrence':
        return this.#relations.related(relation, shape.occurrence, later) ? [shape.occurrence] : [];
      case 'alt':
        return shape.choices
          .map((choice) => this.#conflicts(choice, relation, later))
          .reduce((least, other) => (other.length < least.length ? other : least));
      case 'seq':
        return this.#terms.parts(shape.relation, term).flatMap((part) => this.#conflicts(part, relation, later));
    }
  }

  #derive(term: Term, occurrence: Occurrence): Term {
    const shape = this.#terms.shape(term);
    switch (shape.kind) {
      case 'fail':
      case 'empty':
        return FAIL;
      case 'occurrence':
        return shape.occurrence === occurrence ? EMPTY : FAIL;
      case 'alt':
        return this.#terms.alt(shape.choices.map((choice) => this.after(choice, occurrence)));
      case 'loop': {
        const inner = this.after(shape.body, occurrence);
        if (inner === FAIL) return FAIL;
        // Earlier iterations that avoid what must precede, this iteration, further iterations.
        const earlier = this.#terms.loop(shape.relation, this.prune(shape.body, shape.relation, occurrence));
        return this.#terms.seq(shape.relation, earlier, this.#terms.seq(shape.relation, inner, term));
      }
      case 'seq':
        return this.#deriveSequence(shape.relation, term, occurrence);
    }
  }

  #deriveSequence(relation: Relation, term: Term, occurrence: Occurrence): Term {
    const results: Term[] = [];
    const pruned: Term[] = [];
    let rest = term;
    for (;;) {
      const shape = this.#terms.shape(rest);
      const isLast = shape.kind !== 'seq' || shape.relation !== relation;
      const part = isLast ? rest : shape.first;
      const tail = isLast ? EMPTY : shape.rest;
      const inner = this.after(part, occurrence);
      if (inner !== FAIL) {
        const from = this.#terms.seq(relation, inner, tail);
        results.push(pruned.reduceRight((later, earlier) => this.#terms.seq(relation, earlier, later), from));
      }
      if (isLast) break;
      const avoided = this.prune(part, relation, occurrence);
      if (avoided === FAIL) break;
      pruned.push(avoided);
      rest = tail;
    }
    return this.#terms.alt(results);
  }

  /** `term` restricted to its runs in which nothing must precede `later`. */
  prune(term: Term, relation: Relation, later: Occurrence): Term {
    if (relation === 'never') return term;
    let memo = this.#pruned.get(relation);
    if (memo === undefined) this.#pruned.set(relation, (memo = new Map<number, Term>()));
    const key = this.#key(term, later);
    const known = memo.get(key);
    if (known !== undefined) return known;
    const result = this.#prune(term, relation, later);
    memo.set(key, result);
    return result;
  }

  #prune(term: Term, relation: Relation, later: Occurrence): Term {
    const shape = this.#terms.shape(term);
    switch (shape.kind) {
      case 'fail':
      case 'empty':
        return term;
      case 'occurrence':
        return this.#relations.related(relation, shape.occurrence, later) ? FAIL : term;
      case 'alt':
        return this.#terms.alt(shape.choices.map((choice) => this.prune(choice, relation, later)));
      case 'loop':
        return this.#terms.loop(shape.relation, this.prune(shape.body, relation, later));
      case 'seq': {
        const parts = this.#terms.parts(shape.relation, term).map((part) => this.prune(part, relation, later));
        if (parts.includes(FAIL)) return FAIL;
        return parts.reduceRight((tail, part) => this.#terms.seq(shape.relation, part, tail), EMPTY);
      }
    }
  }

  #collect(term: Term): ReadonlySet<Occurrence> {
    const shape = this.#terms.shape(term);
    switch (shape.kind) {
      case 'fail':
      case 'empty':
        return new Set();
      case 'occurrence':
        return new Set([shape.occurrence]);
      case 'alt':
        return new Set(shape.choices.flatMap((choice) => [...this.alphabet(choice)]));
      case 'loop':
        return this.alphabet(shape.body);
      case 'seq':
        return new Set(this.#terms.parts(shape.relation, term).flatMap((part) => [...this.alphabet(part)]));
    }
  }

  #owes(term: Term): ReadonlySet<Occurrence> {
    const known = this.#owed.get(term);
    if (known !== undefined) return known;
    const found = this.#collectOwed(term);
    this.#owed.set(term, found);
    return found;
  }

  #collectOwed(term: Term): ReadonlySet<Occurrence> {
    const shape = this.#terms.shape(term);
    switch (shape.kind) {
      case 'fail':
      case 'empty':
      case 'loop':
        return new Set();
      case 'occurrence':
        return new Set([shape.occurrence]);
      case 'alt': {
        const [first, ...others] = shape.choices.map((choice) => this.#owes(choice));
        return new Set([...(first ?? [])].filter((occurrence) => others.every((other) => other.has(occurrence))));
      }
      case 'seq':
        return new Set(this.#terms.parts(shape.relation, term).flatMap((part) => [...this.#owes(part)]));
    }
  }

  #nullable(term: Term): boolean {
    const shape = this.#terms.shape(term);
    switch (shape.kind) {
      case 'fail':
      case 'occurrence':
        return false;
      case 'empty':
      case 'loop':
        return true;
      case 'alt':
        return shape.choices.some((choice) => this.#nullable(choice));
      case 'seq':
        return this.#terms.parts(shape.relation, term).every((part) => this.#nullable(part));
    }
  }

  #key(term: Term, occurrence: Occurrence): number {
    return term * this.#relations.occurrences + occurrence;
  }
}

/** Of several places to take an event, those that break the fewest messages; the first of them names the blockers. */
function cheapest(options: readonly (Forced | null)[]): Forced | null {
  const found = options.filter((option) => option !== null);
  const cost = (forced: Forced): number => new Set(forced.blockers.map(messageOf)).size;
  return found.reduce<Forced | null>(
    (least, other) => (least === null || cost(other) < cost(least) ? other : least),
    null,
  );
}
