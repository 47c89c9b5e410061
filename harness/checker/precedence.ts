import { NONE, type OccurrenceSet, type OccurrenceSets } from './occurrence-sets.ts';
import { PairMemo } from './pair-memo.ts';
import type { Occurrence, Relation, Relations } from './relation.ts';

/** The relations of one contract as sets: what must precede an occurrence, where both stand in one composition. */
export class Precedence {
  readonly #sets: OccurrenceSets;
  readonly #relations: Relations;
  /** By relation number, then by occurrence. */
  readonly #before = new PairMemo();
  readonly #beforeSets = new PairMemo();
  readonly #independent: PairMemo[] = [];

  constructor(sets: OccurrenceSets, relations: Relations) {
    this.#sets = sets;
    this.#relations = relations;
  }

  /** Everything that must precede `later` under the relation, if it is drawn earlier. `number` is the relation's number. */
  before(relation: Relation, number: number, later: Occurrence): OccurrenceSet {
    const known = this.#before.get(number, later);
    if (known >= 0) return known;
    const earlier: Occurrence[] = [];
    for (let occurrence = 0; occurrence < this.#relations.occurrences; occurrence++)
      if (this.#relations.related(relation, occurrence, later)) earlier.push(occurrence);
    const found = this.#sets.of(earlier);
    this.#before.set(number, later, found);
    return found;
  }

  /** Everything that must precede some member of `later`. */
  beforeAny(relation: Relation, number: number, later: OccurrenceSet): OccurrenceSet {
    if (later === NONE || relation === 'never') return NONE;
    const known = this.#beforeSets.get(number, later);
    if (known >= 0) return known;
    const found = this.#sets
      .members(later)
      .reduce((union, occurrence) => this.#sets.union(union, this.before(relation, number, occurrence)), NONE);
    this.#beforeSets.set(number, later, found);
    return found;
  }

  /** Neither set holds an occurrence that must precede one of the other, whichever is drawn earlier. */
  areIndependent(relation: Relation, number: number, a: OccurrenceSet, b: OccurrenceSet): boolean {
    const memo = (this.#independent[number] ??= new PairMemo());
    const known = memo.get(a, b);
    if (known >= 0) return known === 1;
    const found =
      !this.#sets.meets(this.beforeAny(relation, number, b), a) &&
      !this.#sets.meets(this.beforeAny(relation, number, a), b);
    memo.set(a, b, found ? 1 : 0);
    return found;
  }
}
