import { byDemand, PENDING, type Need } from '../demand.ts';
import type { Deriver } from '../derive.ts';
import { NONE, type OccurrenceSet } from '../occurrence-sets.ts';
import { PairMemo } from '../pair-memo.ts';
import type { Occurrence, Relation } from '../relation.ts';
import type { Term, TermTable } from '../terms.ts';

/** Which occurrences some run of a term may force to precede an occurrence of it: found on the term, not by running it. */
export class ForcedBefore {
  readonly #terms: TermTable;
  readonly #deriver: Deriver;
  readonly #found = new PairMemo();

  constructor(terms: TermTable, deriver: Deriver) {
    this.#terms = terms;
    this.#deriver = deriver;
  }

  /** Everything that stands earlier than `later` under a composition that orders the two. */
  find(term: Term, later: Occurrence): OccurrenceSet {
    const known = this.#known(term, later);
    if (known !== PENDING) return known;
    return byDemand(term, {
      known: (part) => this.#known(part, later),
      compute: (part, need) => this.#compute(part, later, need),
      keep: (part, found) => {
        this.#found.set(part, later, found);
      },
    });
  }

  #known(term: Term, later: Occurrence): number {
    return this.#terms.sets.has(this.#terms.alphabet(term), later) ? this.#found.get(term, later) : NONE;
  }

  #compute(term: Term, later: Occurrence, need: Need): number {
    const { sets } = this.#terms;
    const shape = this.#terms.shape(term);
    switch (shape.kind) {
      case 'fail':
      case 'empty':
      case 'occurrence':
        return NONE;
      case 'alt': {
        const inner = shape.choices.map(need);
        return inner.includes(PENDING) ? PENDING : inner.reduce((all, other) => sets.union(all, other), NONE);
      }
      case 'loop':
      case 'power': {
        // An earlier iteration, or an earlier one of equal parts.
        const inner = need(shape.body);
        const earlier = this.#orderedBefore(shape.relation, this.#terms.alphabet(shape.body), later);
        return inner === PENDING ? PENDING : sets.union(inner, earlier);
      }
      case 'open':
        return need(shape.body);
      case 'seq':
        return this.#inSequence(shape.relation, term, later, need);
    }
  }

  #inSequence(relation: Relation, term: Term, later: Occurrence, need: Need): number {
    const { sets } = this.#terms;
    let found: OccurrenceSet = NONE;
    let earlier: OccurrenceSet = NONE;
    let isPending = false;
    for (const part of this.#terms.parts(relation, term)) {
      const alphabet = this.#terms.alphabet(part);
      if (sets.has(alphabet, later)) {
        const inner = need(part);
        if (inner === PENDING) isPending = true;
        else found = sets.union(found, sets.union(inner, this.#orderedBefore(relation, earlier, later)));
      }
      earlier = sets.union(earlier, alphabet);
    }
    return isPending ? PENDING : found;
  }

  #orderedBefore(relation: Relation, earlier: OccurrenceSet, later: Occurrence): OccurrenceSet {
    return this.#terms.sets.intersection(earlier, this.#deriver.before(relation, later));
  }
}
