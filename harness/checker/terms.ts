import { includes } from './inclusion.ts';
import { NONE, OccurrenceSets, type OccurrenceSet } from './occurrence-sets.ts';
import { PairMemo } from './pair-memo.ts';
import { Precedence } from './precedence.ts';
import { isParallel, type Occurrence, type Relation, type Relations } from './relation.ts';
import { EMPTY, FAIL, type Shape, type Term } from './term-shape.ts';

export { EMPTY, FAIL, type Shape, type Term } from './term-shape.ts';

/** Raised when a table is full; the checker turns it into `inconclusive`, naming the bound. */
export class BoundMet extends Error {
  readonly bound: string;

  constructor(bound: string) {
    super(`bound met: ${bound}`);
    this.bound = bound;
  }
}

/** The default number of distinct terms that one contract may need. A term is some 100 bytes. */
export const TERMS_MAX = 500_000;
/** Alternatives of one choice: a wider one comes from counting in unary, and only gets wider. */
export const CHOICES_MAX = 20_000;
/** How far an element of a sequence is moved to its place among independent neighbours. */
const REORDERED_MAX = 24;

/**
 * Hash-consed terms in normal form. The constructors never build a term that contains `FAIL` as a part: so "not FAIL"
 * means "has a run", and a violation is noticed at the earliest event that shows it.
 *
 * Given the `relations`, independent neighbours of a sequence are kept in one order: then equal states have equal terms more often.
 */
export class TermTable {
  /** The sets of occurrences that these terms, and those who work on them, speak of. */
  readonly sets = new OccurrenceSets();
  readonly #shapes: Shape[] = [{ kind: 'fail' }, { kind: 'empty' }];
  readonly #alphabets: OccurrenceSet[] = [NONE, NONE];
  readonly #nullable: boolean[] = [false, true];
  readonly #weights: number[] = [0, 0];
  readonly #inOpen: OccurrenceSet[] = [NONE, NONE];
  readonly #relations: Relation[] = [];
  readonly #relationNumbers = new Map<Relation, number>();
  /** Memos per relation number; `occurrences` has none. */
  readonly #occurrences = new Map<Occurrence, Term>();
  readonly #sequences: PairMemo[] = [];
  readonly #loops: PairMemo[] = [];
  readonly #powers: PairMemo[] = [];
  readonly #choices = new Map<string, Term>();
  readonly #opened = new Map<Term, Term>();
  readonly #inclusions = new PairMemo();
  readonly #precedence: Precedence | null;
  readonly #termsMax: number;

  constructor(termsMax: number = TERMS_MAX, relations: Relations | null = null) {
    this.#termsMax = termsMax;
    this.#precedence = relations === null ? null : new Precedence(this.sets, relations);
  }

  get size(): number {
    return this.#shapes.length;
  }

  shape(term: Term): Shape {
    const shape = this.#shapes[term];
    if (shape === undefined) throw new Error(`term ${term} is not in this table: a term of another contract was used`);
    return shape;
  }

  /** Occurrences that stand in some run of `term`. */
  alphabet(term: Term): OccurrenceSet {
    return this.#alphabets[term] ?? NONE;
  }

  /** Is the empty run a run of `term`? */
  isNullable(term: Term): boolean {
    return this.#nullable[term] ?? false;
  }

  /** Is there a critical fragment that others wait for? */
  get hasOpen(): boolean {
    return this.#opened.size > 0;
  }

  /** Occurrences that stand in critical fragments of `term` that are open, in some run; `NONE`: none is. */
  inOpen(term: Term): OccurrenceSet {
    return this.#inOpen[term] ?? NONE;
  }

  /** How many occurrences are written in `term`, powers written out: a measure of what is still undecided. */
  weight(term: Term): number {
    return this.#weights[term] ?? 0;
  }

  /** The relations that compose the terms so far. */
  get relations(): readonly Relation[] {
    return this.#relations;
  }

  /** A small number for the relation, for memos. */
  relationNumber(relation: Relation): number {
    const known = this.#relationNumbers.get(relation);
    if (known !== undefined) return known;
    const number = this.#relations.push(relation) - 1;
    this.#relationNumbers.set(relation, number);
    return number;
  }

  occurrence(occurrence: Occurrence): Term {
    const known = this.#occurrences.get(occurrence);
    if (known !== undefined) return known;
    const term = this.#add({ kind: 'occurrence', occurrence }, this.sets.only(occurrence), false);
    this.#occurrences.set(occurrence, term);
    return term;
  }

  seq(relation: Relation, first: Term, rest: Term): Term {
    if (first === FAIL || rest === FAIL) return FAIL;
    if (first === EMPTY) return rest;
    if (rest === EMPTY) return first;
    if (isParallel(relation)) return this.#beside(relation, [first, rest]);
    const shape = this.shape(first);
    // Right-nested: (a ; b) ; c = a ; (b ; c) for one relation.
    if (shape.kind === 'seq' && shape.relation === relation)
      return this.parts(relation, first).reduceRight((tail, part) => this.#prepend(relation, part, tail), rest);
    return this.#prepend(relation, first, rest);
  }

  /** All of `parts`, first to last. */
  sequence(relation: Relation, parts: readonly Term[]): Term {
    if (parts.includes(FAIL)) return FAIL;
    if (isParallel(relation)) return this.#beside(relation, parts);
    return parts.reduceRight((rest, part) => this.seq(relation, part, rest), EMPTY);
  }

  alt(choices: readonly Term[]): Term {
    const flat = new Set<Term>();
    for (const choice of choices) {
      const shape = this.shape(choice);
      if (shape.kind === 'alt') for (const inner of shape.choices) flat.add(inner);
      else if (choice !== FAIL) flat.add(choice);
    }
    if (flat.has(EMPTY)) for (const choice of flat) if (choice !== EMPTY && this.isNullable(choice)) flat.delete(EMPTY);
    if (flat.size > CHOICES_MAX) throw new BoundMet(`${CHOICES_MAX} alternatives of one state`);
    const sorted = [...flat].sort((a, b) => a - b);
    const [only] = sorted;
    if (only === undefined) return FAIL;
    return sorted.length === 1 ? only : this.#choice(sorted);
  }

  opt(body: Term): Term {
    return this.alt([EMPTY, body]);
  }

  loop(relation: Relation, body: Term, headFirst = false): Term {
    if (body === FAIL || body === EMPTY) return EMPTY;
    const simpler = this.#loopBody(relation, body, headFirst);
    if (simpler !== body) return this.loop(relation, simpler, headFirst);
    const shape = this.shape(body);
    if (shape.kind === 'loop' && shape.relation === relation && !shape.headFirst && !headFirst) return body;
    const memo = (this.#loops[this.relationNumber(relation)] ??= new PairMemo());
    const known = memo.get(body, headFirst ? 1 : 0);
    if (known >= 0) return known;
    const term = this.#add({ kind: 'loop', relation, body, headFirst }, this.alphabet(body), true);
    memo.set(body, headFirst ? 1 : 0, term);
    return term;
  }

  /** A critical fragment that was entered, and of which `body` is left. */
  open(body: Term): Term {
    if (body === FAIL || body === EMPTY || this.shape(body).kind === 'open') return body;
    const known = this.#opened.get(body);
    if (known !== undefined) return known;
    const alphabet = this.alphabet(body);
    const term = this.#add({ kind: 'open', body }, alphabet, this.isNullable(body), alphabet);
    this.#opened.set(body, term);
    return term;
  }

  /** `body`, `count` times. */
  power(relation: Relation, body: Term, count: number): Term {
    if (count === 0 || body === EMPTY) return EMPTY;
    if (count === 1 || body === FAIL || this.#isLoop(relation, body)) return body;
    const shape = this.shape(body);
    // (a ; b) twice is a ; b ; a ; b, as it would be had it been built one by one.
    if (shape.kind === 'seq' && shape.relation === relation) return this.#repeated(relation, body, count);
    if (shape.kind === 'power' && shape.relation === relation)
      return this.#power(relation, shape.body, count * shape.count);
    return this.#power(relation, body, count);
  }

  /** Parts of a sequence under one relation, first to last. */
  parts(relation: Relation, term: Term): Term[] {
    const parts: Term[] = [];
    let rest = term;
    for (let shape = this.shape(rest); shape.kind === 'seq' && shape.relation === relation; shape = this.shape(rest)) {
      parts.push(shape.first);
      rest = shape.rest;
    }
    parts.push(rest);
    return parts;
  }

  /** Parts of a sequence, powers counted: an element, and how often it stands there. */
  #unit(relation: Relation, part: Term): { readonly body: Term; readonly count: number } {
    const shape = this.shape(part);
    return shape.kind === 'power' && shape.relation === relation ? shape : { body: part, count: 1 };
  }

  /** loop(x or nothing) = loop x; loop(x or loop y) = loop(x or y). */
  #loopBody(relation: Relation, body: Term, headFirst: boolean): Term {
    const shape = this.shape(body);
    if (shape.kind !== 'alt') return body;
    const choices = shape.choices.filter((choice) => choice !== EMPTY);
    if (headFirst) return this.alt(choices);
    return this.alt(choices.map((choice) => this.#bodyOfLoop(relation, choice) ?? choice));
  }

  #bodyOfLoop(relation: Relation, term: Term): Term | null {
    const shape = this.shape(term);
    return shape.kind === 'loop' && shape.relation === relation && !shape.headFirst ? shape.body : null;
  }

  #isLoop(relation: Relation, term: Term): boolean {
    return this.#bodyOfLoop(relation, term) !== null;
  }

  #repeated(relation: Relation, body: Term, count: number): Term {
    let term = EMPTY;
    for (let left = count; left > 0; left--) term = this.seq(relation, body, term);
    return term;
  }

  /**
   * One element before a sequence in normal form: merged with an equal element or a loop that it reaches past independent
   * ones, else put where it belongs among them. Only this element moves: sorting all again costs a square of the length.
   */
  #prepend(relation: Relation, part: Term, rest: Term): Term {
    const merged = this.#merged(relation, part, rest);
    if (merged !== null) return merged;
    const { front, back } = this.#place(relation, part, rest);
    const from = this.#cons(relation, part, back);
    return front.reduceRight((tail, earlier) => this.#cons(relation, earlier, tail), from);
  }

  #merged(relation: Relation, part: Term, rest: Term): Term | null {
    const unit = this.#unit(relation, part);
    const body = this.#bodyOfLoop(relation, part);
    const passed: Term[] = [];
    let tail: Term = rest;
    for (let steps = 0; steps < REORDERED_MAX && tail !== EMPTY; steps++) {
      const { first, later } = this.#split(relation, tail);
      const other = this.#unit(relation, first);
      if (other.body === unit.body && body === null)
        return this.#before(relation, passed, this.power(relation, unit.body, unit.count + other.count), later);
      if (body !== null) {
        const otherBody = this.#bodyOfLoop(relation, first);
        // loop y ; loop x = loop x, where y is one of x; and the other way round.
        if (otherBody !== null && this.includes(otherBody, body)) return this.#before(relation, passed, EMPTY, tail);
        if (otherBody !== null && this.includes(body, otherBody))
          return this.#prepend(relation, part, this.#before(relation, passed, EMPTY, later));
      }
      if (!this.#areIndependent(relation, part, first)) return null;
      passed.push(first);
      tail = later;
    }
    return null;
  }

  #split(relation: Relation, term: Term): { readonly first: Term; readonly later: Term } {
    const shape = this.shape(term);
    return shape.kind === 'seq' && shape.relation === relation
      ? { first: shape.first, later: shape.rest }
      : { first: term, later: EMPTY };
  }

  #before(relation: Relation, passed: readonly Term[], part: Term, later: Term): Term {
    const from = this.#cons(relation, part, later);
    return passed.reduceRight((tail, earlier) => this.#cons(relation, earlier, tail), from);
  }

  /** Of what follows, the elements that may come before `part` and, by the order of terms, shall. */
  #place(relation: Relation, part: Term, rest: Term): { readonly front: readonly Term[]; readonly back: Term } {
    const front: Term[] = [];
    if (this.#precedence === null) return { front, back: rest };
    const behind: Term[] = [];
    let kept = this.alphabet(part);
    let settled = rest;
    let tail = rest;
    let reordered = 0;
    for (let steps = 0; steps < REORDERED_MAX && tail !== EMPTY; steps++) {
      const { first, later } = this.#split(relation, tail);
      const alphabet = this.alphabet(first);
      if (this.#isBefore(relation, first, part) && this.#areSetsIndependent(relation, kept, alphabet)) {
        front.push(first);
        settled = later;
        reordered = behind.length;
      } else {
        behind.push(first);
        kept = this.sets.union(kept, alphabet);
      }
      tail = later;
    }
    const back = behind.slice(0, reordered).reduceRight((end, element) => this.#cons(relation, element, end), settled);
    return { front, back };
  }

  /** The order of independent neighbours: as drawn, which is the order of their least occurrences. */
  #isBefore(relation: Relation, a: Term, b: Term): boolean {
    const [first, second] = [this.#unit(relation, a).body, this.#unit(relation, b).body];
    const byOccurrence = this.#least(first) - this.#least(second);
    return byOccurrence === 0 ? first < second : byOccurrence < 0;
  }

  #least(term: Term): Occurrence {
    return this.sets.least(this.alphabet(term));
  }

  #areIndependent(relation: Relation, a: Term, b: Term): boolean {
    return this.#areSetsIndependent(relation, this.alphabet(a), this.alphabet(b));
  }

  #areSetsIndependent(relation: Relation, a: OccurrenceSet, b: OccurrenceSet): boolean {
    const number = this.relationNumber(relation);
    return this.#precedence?.areIndependent(relation, number, a, b) ?? false;
  }

  /** Parallel parts are a multiset: kept sorted, equal ones counted, so that equal states have equal terms. */
  #beside(relation: 'never' | 'held', parts: readonly Term[]): Term {
    const counts = new Map<Term, number>();
    for (const part of parts)
      for (const own of this.parts(relation, part)) {
        const { body, count } = this.#unit(relation, own);
        if (body !== EMPTY) counts.set(body, (counts.get(body) ?? 0) + count);
      }
    for (const loop of this.#neededLess(counts)) counts.delete(loop);
    return [...counts]
      .sort(([a], [b]) => b - a)
      .reduce((tail, [body, count]) => this.#cons(relation, this.power(relation, body, count), tail), EMPTY);
  }

  /** Of parallel loops those that are part of another. */
  #neededLess(counts: ReadonlyMap<Term, number>): Term[] {
    const loops = [...counts.keys()].filter((part) => this.#isLoop('never', part));
    if (loops.length < 2) return [];
    const bodyOf = (loop: Term): Term => this.#bodyOfLoop('never', loop) ?? FAIL;
    return loops.filter((loop, index) =>
      loops.some(
        (other, at) =>
          other !== loop &&
          this.includes(bodyOf(other), bodyOf(loop)) &&
          // Of two that include each other one stays.
          (at < index || !this.includes(bodyOf(loop), bodyOf(other))),
      ),
    );
  }

  /** Is every run of `inner` one of `outer`, as far as their forms show it? Never wrongly "yes". */
  includes(outer: Term, inner: Term): boolean {
    if (outer === inner) return true;
    if (!this.sets.isWithin(this.alphabet(inner), this.alphabet(outer))) return false;
    const known = this.#inclusions.get(outer, inner);
    if (known >= 0) return known === 1;
    const found = includes(this, outer, inner);
    this.#inclusions.set(outer, inner, found ? 1 : 0);
    return found;
  }

  #cons(relation: Relation, first: Term, rest: Term): Term {
    if (first === EMPTY) return rest;
    if (rest === EMPTY) return first;
    const memo = (this.#sequences[this.relationNumber(relation)] ??= new PairMemo());
    const known = memo.get(first, rest);
    if (known >= 0) return known;
    const alphabet = this.sets.union(this.alphabet(first), this.alphabet(rest));
    const term = this.#add(
      { kind: 'seq', relation, first, rest },
      alphabet,
      this.isNullable(first) && this.isNullable(rest),
      // What comes strictly behind something is not entered yet.
      relation === 'always' ? this.inOpen(first) : this.sets.union(this.inOpen(first), this.inOpen(rest)),
    );
    memo.set(first, rest, term);
    return term;
  }

  #power(relation: Relation, body: Term, count: number): Term {
    const memo = (this.#powers[this.relationNumber(relation)] ??= new PairMemo());
    const known = memo.get(body, count);
    if (known >= 0) return known;
    const isNullable = this.isNullable(body);
    const term = this.#add(
      { kind: 'power', relation, body, count },
      this.alphabet(body),
      isNullable,
      this.inOpen(body),
    );
    memo.set(body, count, term);
    return term;
  }

  #choice(sorted: readonly Term[]): Term {
    const key = sorted.join();
    const known = this.#choices.get(key);
    if (known !== undefined) return known;
    const alphabet = sorted.reduce((union, choice) => this.sets.union(union, this.alphabet(choice)), NONE);
    const isNullable = sorted.some((choice) => this.isNullable(choice));
    const inOpen = sorted.reduce((union, choice) => this.sets.union(union, this.inOpen(choice)), NONE);
    const term = this.#add({ kind: 'alt', choices: sorted }, alphabet, isNullable, inOpen);
    this.#choices.set(key, term);
    return term;
  }

  #weightOf(shape: Shape): number {
    switch (shape.kind) {
      case 'fail':
      case 'empty':
        return 0;
      case 'occurrence':
        return 1;
      case 'seq':
        return this.weight(shape.first) + this.weight(shape.rest);
      case 'alt':
        return shape.choices.reduce((sum, choice) => sum + this.weight(choice), 0);
      case 'loop':
      case 'open':
        return this.weight(shape.body);
      case 'power':
        return this.weight(shape.body) * shape.count;
    }
  }

  #add(shape: Shape, alphabet: OccurrenceSet, isNullable: boolean, inOpen: OccurrenceSet = NONE): Term {
    if (this.#shapes.length >= this.#termsMax) throw new BoundMet(`${this.#termsMax} distinct states of the contract`);
    this.#alphabets.push(alphabet);
    this.#nullable.push(isNullable);
    this.#weights.push(this.#weightOf(shape));
    this.#inOpen.push(inOpen);
    return this.#shapes.push(shape) - 1;
  }
}
