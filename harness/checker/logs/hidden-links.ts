import { byDemand, PENDING, type Need } from '../demand.ts';
import type { Deriver } from '../derive.ts';
import { NONE, type OccurrenceSet } from '../occurrence-sets.ts';
import { PairMemo } from '../pair-memo.ts';
import type { Relation } from '../relation.ts';
import type { Term, TermTable } from '../terms.ts';

const INTO = 1;
const OUT_OF = 2;

/**
 * Does order pass *through* hidden occurrences? Where no shown occurrence must precede a hidden one, or no hidden one a
 * shown one, it cannot, and then hidden ones can simply be erased, which is much cheaper than stepping through them.
 */
export class HiddenLinks {
  readonly #terms: TermTable;
  readonly #deriver: Deriver;
  readonly #found = new PairMemo();

  constructor(terms: TermTable, deriver: Deriver) {
    this.#terms = terms;
    this.#deriver = deriver;
  }

  canErase(term: Term, hidden: OccurrenceSet): boolean {
    return this.#links(term, hidden) !== (INTO | OUT_OF);
  }

  #links(term: Term, hidden: OccurrenceSet): number {
    return byDemand(term, {
      known: (part) => this.#known(part, hidden),
      compute: (part, need) => this.#compute(part, hidden, need),
      keep: (part, links) => {
        this.#found.set(part, this.#hiddenIn(part, hidden), links);
      },
    });
  }

  #known(term: Term, hidden: OccurrenceSet): number {
    const inside = this.#hiddenIn(term, hidden);
    return inside === NONE || inside === this.#terms.alphabet(term) ? 0 : this.#found.get(term, inside);
  }

  #hiddenIn(term: Term, hidden: OccurrenceSet): OccurrenceSet {
    return this.#terms.sets.intersection(this.#terms.alphabet(term), hidden);
  }

  #compute(term: Term, hidden: OccurrenceSet, need: Need): number {
    const shape = this.#terms.shape(term);
    switch (shape.kind) {
      case 'fail':
      case 'empty':
      case 'occurrence':
        return 0;
      case 'open':
        return need(shape.body);
      case 'alt':
        return union(shape.choices.map(need));
      case 'loop':
      case 'power': {
        const alphabet = this.#terms.alphabet(shape.body);
        return union([need(shape.body), this.#between(shape.relation, alphabet, alphabet, hidden)]);
      }
      case 'seq': {
        let earlier: OccurrenceSet = NONE;
        const links = this.#terms.parts(shape.relation, term).map((part) => {
          const alphabet = this.#terms.alphabet(part);
          const here = this.#between(shape.relation, earlier, alphabet, hidden);
          earlier = this.#terms.sets.union(earlier, alphabet);
          return union([need(part), here]);
        });
        return union(links);
      }
    }
  }

  #between(relation: Relation, earlier: OccurrenceSet, later: OccurrenceSet, hidden: OccurrenceSet): number {
    const { sets } = this.#terms;
    const [hiddenEarlier, hiddenLater] = [sets.intersection(earlier, hidden), sets.intersection(later, hidden)];
    const [shownEarlier, shownLater] = [sets.without(earlier, hidden), sets.without(later, hidden)];
    const into = sets.meets(this.#deriver.beforeAny(relation, hiddenLater), shownEarlier);
    const outOf = sets.meets(this.#deriver.beforeAny(relation, shownLater), hiddenEarlier);
    return (into ? INTO : 0) | (outOf ? OUT_OF : 0);
  }
}

const union = (links: readonly number[]): number =>
  links.includes(PENDING) ? PENDING : links.reduce((all, other) => all | other, 0);
