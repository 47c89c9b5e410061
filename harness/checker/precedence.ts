import { NONE, type OccurrenceSet, type OccurrenceSets } from './occurrence-sets.ts';
import { PairMemo } from './pair-memo.ts';
import { isParallel, isReceipt, receiptOf, type Occurrence, type Relation, type Relations } from './relation.ts';

/**
 * The relations of one contract as sets: what must precede an occurrence, where both stand in one composition. A receipt
 * with a tag (`Deriver.tagged`) is ordered like the receipt itself; with the first one it is of those that nothing shows.
 */
export class Precedence {
  readonly #sets: OccurrenceSets;
  readonly #relations: Relations;
  /** By relation number, then by occurrence. */
  #before = new PairMemo();
  #beforeSets = new PairMemo();
  #independent: PairMemo[] = [];
  #tagsUsed = 0;
  #firstTagged: OccurrenceSet | undefined;

  constructor(sets: OccurrenceSets, relations: Relations) {
    this.#sets = sets;
    this.#relations = relations;
  }

  /** Tags from 1 to this one may stand in terms from now on. What is known is of terms without the new ones. */
  useTags(tags: number): void {
    if (tags <= this.#tagsUsed) return;
    this.#tagsUsed = tags;
    this.#before = new PairMemo();
    this.#beforeSets = new PairMemo();
    this.#independent = [];
  }

  /** All receipts with the first tag; none, as long as it is not used. */
  get firstTagged(): OccurrenceSet {
    if (this.#tagsUsed === 0) return NONE;
    const { occurrences } = this.#relations;
    const all = (): Occurrence[] =>
      Array.from({ length: occurrences / 2 }, (_, message) => occurrences + receiptOf(message));
    return (this.#firstTagged ??= this.#sets.of(all()));
  }

  /** Everything that must precede `later` under the relation, if it is drawn earlier. `number` is the relation's number. */
  before(relation: Relation, number: number, later: Occurrence): OccurrenceSet {
    const { occurrences } = this.#relations;
    const drawn = later < occurrences ? later : later % occurrences;
    const isUnseen = later - drawn === occurrences;
    const own = isUnseen ? later : drawn;
    const known = this.#before.get(number, own);
    if (known >= 0) return known;
    const earlier: Occurrence[] = [];
    for (let occurrence = 0; occurrence < occurrences; occurrence++)
      if (this.#relations.related(relation, occurrence, drawn, isUnseen)) {
        const tags = isReceipt(occurrence) ? this.#tagsUsed : 0;
        for (let tag = 0; tag <= tags; tag++) earlier.push(occurrence + tag * occurrences);
      }
    const found = this.#sets.of(earlier);
    this.#before.set(number, own, found);
    return found;
  }

  /** Everything that must precede some member of `later`. */
  beforeAny(relation: Relation, number: number, later: OccurrenceSet): OccurrenceSet {
    if (later === NONE || isParallel(relation)) return NONE;
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
