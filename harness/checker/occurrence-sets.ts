import { PairMemo } from './pair-memo.ts';
import type { Occurrence } from './relation.ts';

/** A set of occurrences, by its number in `OccurrenceSets`: equal sets have equal numbers. */
export type OccurrenceSet = number;

/** The empty set. */
export const NONE: OccurrenceSet = 0;

/** Sets of occurrences as interned bit rows; every operation on two sets is computed once. */
export class OccurrenceSets {
  readonly #rows: Uint32Array[] = [new Uint32Array(0)];
  readonly #numbers = new Map<string, OccurrenceSet>([['', NONE]]);
  readonly #unions = new PairMemo();
  readonly #intersections = new PairMemo();
  readonly #differences = new PairMemo();

  only(occurrence: Occurrence): OccurrenceSet {
    const row = new Uint32Array((occurrence >>> 5) + 1);
    row[occurrence >>> 5] = 1 << (occurrence & 31);
    return this.#intern(row);
  }

  of(occurrences: Iterable<Occurrence>): OccurrenceSet {
    const members = [...occurrences];
    const row = new Uint32Array((members.reduce((a, b) => Math.max(a, b), -1) >> 5) + 1);
    for (const member of members) row[member >>> 5] = (row[member >>> 5] ?? 0) | (1 << (member & 31));
    return this.#intern(row);
  }

  has(set: OccurrenceSet, occurrence: Occurrence): boolean {
    const word = this.#rows[set]?.[occurrence >>> 5] ?? 0;
    return ((word >>> (occurrence & 31)) & 1) === 1;
  }

  union(a: OccurrenceSet, b: OccurrenceSet): OccurrenceSet {
    if (a === b || b === NONE) return a;
    if (a === NONE) return b;
    const known = this.#unions.get(a, b);
    if (known >= 0) return known;
    const [longer, shorter] = this.#byLength(a, b);
    const found = this.#intern(longer.map((word, index) => word | (shorter[index] ?? 0)));
    this.#unions.set(a, b, found);
    return found;
  }

  intersection(a: OccurrenceSet, b: OccurrenceSet): OccurrenceSet {
    if (a === b) return a;
    if (a === NONE || b === NONE) return NONE;
    const known = this.#intersections.get(a, b);
    if (known >= 0) return known;
    const [longer, shorter] = this.#byLength(a, b);
    const found = this.#intern(shorter.map((word, index) => word & (longer[index] ?? 0)));
    this.#intersections.set(a, b, found);
    return found;
  }

  /** What is in `a` and not in `b`. */
  without(a: OccurrenceSet, b: OccurrenceSet): OccurrenceSet {
    const common = this.intersection(a, b);
    if (common === NONE) return a;
    if (common === a) return NONE;
    const known = this.#differences.get(a, common);
    if (known >= 0) return known;
    const removed = this.#row(common);
    const found = this.#intern(this.#row(a).map((word, index) => word & ~(removed[index] ?? 0)));
    this.#differences.set(a, common, found);
    return found;
  }

  meets(a: OccurrenceSet, b: OccurrenceSet): boolean {
    return this.intersection(a, b) !== NONE;
  }

  isWithin(a: OccurrenceSet, b: OccurrenceSet): boolean {
    return this.intersection(a, b) === a;
  }

  /** Ascending. */
  members(set: OccurrenceSet): Occurrence[] {
    const found: Occurrence[] = [];
    this.#row(set).forEach((word, index) => {
      for (let rest = word; rest !== 0; rest &= rest - 1) found.push(32 * index + (31 - Math.clz32(rest & -rest)));
    });
    return found;
  }

  /** The least member; Infinity for the empty set. */
  least(set: OccurrenceSet): Occurrence {
    const row = this.#row(set);
    const index = row.findIndex((word) => word !== 0);
    const word = row[index] ?? 0;
    return word === 0 ? Infinity : 32 * index + (31 - Math.clz32(word & -word));
  }

  #row(set: OccurrenceSet): Uint32Array {
    const row = this.#rows[set];
    if (row === undefined) throw new Error(`set ${set} is not in this table: a set of another contract was used`);
    return row;
  }

  #byLength(a: OccurrenceSet, b: OccurrenceSet): readonly [Uint32Array, Uint32Array] {
    const [rowA, rowB] = [this.#row(a), this.#row(b)];
    return rowA.length >= rowB.length ? [rowA, rowB] : [rowB, rowA];
  }

  #intern(row: Uint32Array): OccurrenceSet {
    let length = row.length;
    while (length > 0 && row[length - 1] === 0) length--;
    const trimmed = row.subarray(0, length);
    const key = trimmed.join();
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const set = this.#rows.push(trimmed) - 1;
    this.#numbers.set(key, set);
    return set;
  }
}
