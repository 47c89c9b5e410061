import type { Occurrence, Relation } from './relation.ts';

/** A term, by its number in a `TermTable`: equal terms have equal numbers. */
export type Term = number;

/** "No run at all": never confused with the empty run. */
export const FAIL: Term = 0;
/** "The empty run": nothing is owed and nothing more is possible. */
export const EMPTY: Term = 1;

export type Shape =
  | { readonly kind: 'fail' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'occurrence'; readonly occurrence: Occurrence }
  /** `first`, then `rest`, as far as `relation` says so; right-nested, so that tails are shared. */
  | { readonly kind: 'seq'; readonly relation: Relation; readonly first: Term; readonly rest: Term }
  | { readonly kind: 'alt'; readonly choices: readonly Term[] }
  /** Zero or more runs of `body`, one after the other as far as `relation` says so. */
  | { readonly kind: 'loop'; readonly relation: Relation; readonly body: Term };

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

/**
 * Hash-consed terms in normal form. The constructors never build a term that contains `FAIL` as a part: so "not FAIL"
 * means "has a run", and a violation is noticed at the earliest event that shows it.
 */
export class TermTable {
  readonly #shapes: Shape[] = [{ kind: 'fail' }, { kind: 'empty' }];
  readonly #numbers = new Map<string, Term>();
  readonly #termsMax: number;

  constructor(termsMax: number = TERMS_MAX) {
    this.#termsMax = termsMax;
  }

  get size(): number {
    return this.#shapes.length;
  }

  shape(term: Term): Shape {
    const shape = this.#shapes[term];
    if (shape === undefined) throw new Error(`term ${term} is not in this table: a term of another contract was used`);
    return shape;
  }

  occurrence(occurrence: Occurrence): Term {
    return this.#intern(`o${occurrence}`, { kind: 'occurrence', occurrence });
  }

  seq(relation: Relation, first: Term, rest: Term): Term {
    if (first === FAIL || rest === FAIL) return FAIL;
    if (first === EMPTY) return rest;
    if (rest === EMPTY) return first;
    const shape = this.shape(first);
    // Right-nested: (a ; b) ; c = a ; (b ; c) for one relation.
    if (shape.kind === 'seq' && shape.relation === relation) return this.#appended(relation, first, rest);
    if (relation === 'never') return this.#parallel(first, rest);
    // loop x ; loop x = loop x.
    if (shape.kind === 'loop' && shape.relation === relation && this.#startsWith(relation, rest, first)) return rest;
    return this.#intern(`s${relation}:${first}:${rest}`, { kind: 'seq', relation, first, rest });
  }

  alt(choices: readonly Term[]): Term {
    const flat = new Set<Term>();
    for (const choice of choices) {
      const shape = this.shape(choice);
      if (shape.kind === 'alt') for (const inner of shape.choices) flat.add(inner);
      else if (choice !== FAIL) flat.add(choice);
    }
    const [only, ...others] = [...flat].sort((a, b) => a - b);
    if (only === undefined) return FAIL;
    if (others.length === 0) return only;
    const sorted = [only, ...others];
    return this.#intern(`a${sorted.join(',')}`, { kind: 'alt', choices: sorted });
  }

  opt(body: Term): Term {
    return this.alt([EMPTY, body]);
  }

  loop(relation: Relation, body: Term): Term {
    if (body === FAIL || body === EMPTY) return EMPTY;
    const shape = this.shape(body);
    if (shape.kind === 'loop' && shape.relation === relation) return body;
    // loop(x or nothing) = loop x.
    if (shape.kind === 'alt' && shape.choices.includes(EMPTY))
      return this.loop(relation, this.alt(shape.choices.filter((choice) => choice !== EMPTY)));
    return this.#intern(`l${relation}:${body}`, { kind: 'loop', relation, body });
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

  #appended(relation: Relation, first: Term, rest: Term): Term {
    return this.parts(relation, first).reduceRight((tail, part) => this.seq(relation, part, tail), rest);
  }

  /** Parallel parts are a multiset: kept sorted, so that equal states have equal terms. */
  #parallel(first: Term, rest: Term): Term {
    const parts = [first, ...this.parts('never', rest)].sort((a, b) => a - b);
    let tail = parts.pop() ?? EMPTY;
    for (const part of parts.reverse())
      tail = this.#intern(`snever:${part}:${tail}`, { kind: 'seq', relation: 'never', first: part, rest: tail });
    return tail;
  }

  #startsWith(relation: Relation, term: Term, first: Term): boolean {
    const shape = this.shape(term);
    return term === first || (shape.kind === 'seq' && shape.relation === relation && shape.first === first);
  }

  #intern(key: string, shape: Shape): Term {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    if (this.#shapes.length >= this.#termsMax) throw new BoundMet(`${this.#termsMax} distinct states of the contract`);
    const term = this.#shapes.push(shape) - 1;
    this.#numbers.set(key, term);
    return term;
  }
}
