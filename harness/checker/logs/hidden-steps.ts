import { byDemand, PENDING } from '../demand.ts';
import type { Deriver } from '../derive.ts';
import { NONE, type OccurrenceSet } from '../occurrence-sets.ts';
import { PairMemo } from '../pair-memo.ts';
import type { Occurrence, Relation } from '../relation.ts';
import { BoundMet, EMPTY, FAIL, type Shape, type Term, type TermTable } from '../terms.ts';

/** Ways through one part of a term; more of them would be a search of its own. */
const WAYS_MAX = 2_000;
/** Equal parts that hidden steps are looked for in, one by one. */
const COUNT_MAX = 10_000;

/** One way: which hidden occurrences happened silently, and what is left. */
interface Way {
  readonly executed: OccurrenceSet;
  readonly left: Term;
}

const STUCK: readonly Way[] = [];

const OPEN_IN_LOGS = 'that others wait while a critical fragment is open is not asked of logs';

/**
 * Derivatives where some occurrences are hidden: they happen, nothing shows when, and the order through them still holds
 * (weak derivatives). A hidden occurrence is executed only when a shown one needs it: what must precede an event is either
 * avoided, or hidden and executed, and then its own predecessors come first likewise. Executing one earlier than needed
 * gains nothing, since it can always be moved to the place where it is needed.
 */
export class HiddenSteps {
  readonly #terms: TermTable;
  readonly #deriver: Deriver;
  readonly #hidden: OccurrenceSet;
  readonly #lists: (readonly Way[])[] = [];
  readonly #afterLists = new PairMemo();
  readonly #settledLists = new PairMemo();

  constructor(terms: TermTable, deriver: Deriver, hidden: OccurrenceSet) {
    this.#terms = terms;
    this.#deriver = deriver;
    this.#hidden = hidden;
  }

  /** What may be left of `term` after `occurrence` and the hidden ones that it needs. */
  after(term: Term, occurrence: Occurrence): readonly Term[] {
    return unique(this.#after(term, occurrence).map(({ left }) => left));
  }

  #after(term: Term, occurrence: Occurrence): readonly Way[] {
    const known = (part: Term): number => this.#afterLists.get(part, occurrence);
    const list = byDemand(term, {
      known,
      compute: (part, need) => {
        const ways = this.#derive(part, occurrence, (inner) => this.#listed(need(inner)));
        return ways === null ? PENDING : this.#list(ways);
      },
      keep: (part, found) => {
        this.#afterLists.set(part, occurrence, found);
      },
    });
    return this.#lists[list] ?? STUCK;
  }

  #derive(term: Term, occurrence: Occurrence, need: (part: Term) => readonly Way[] | null): readonly Way[] | null {
    if (!this.#terms.sets.has(this.#terms.alphabet(term), occurrence)) return STUCK;
    const shape = this.#terms.shape(term);
    switch (shape.kind) {
      case 'fail':
      case 'empty':
        return STUCK;
      case 'occurrence':
        return [{ executed: NONE, left: EMPTY }];
      case 'alt':
        return allOf(shape.choices.map(need));
      case 'loop': {
        const inner = need(shape.body);
        return inner && this.#deriveLoop(term, shape, occurrence, inner);
      }
      case 'power': {
        const inner = need(shape.body);
        return inner && this.#derivePower(shape, occurrence, inner);
      }
      case 'open':
        throw new Error(OPEN_IN_LOGS);
      case 'seq':
        return this.#deriveSequence(shape.relation, term, occurrence, need);
    }
  }

  #deriveLoop(
    term: Term,
    { relation, headFirst, body }: Extract<Shape, { kind: 'loop' }>,
    occurrence: Occurrence,
    inner: readonly Way[],
  ): readonly Way[] {
    if (headFirst) {
      this.#refuseHidden(body);
      return inner.map(({ left }) => ({ executed: NONE, left: this.#terms.seq(relation, left, term) }));
    }
    return distinct(
      inner.flatMap(({ executed, left }) => {
        const from = this.#terms.seq(relation, left, term);
        return this.#settleBefore(relation, term, { executed, left: from }, this.#needed(relation, occurrence));
      }),
    );
  }

  #derivePower(
    { relation, body, count }: Extract<Shape, { kind: 'power' }>,
    occurrence: Occurrence,
    inner: readonly Way[],
  ): readonly Way[] {
    this.#boundCount(count);
    const needed = this.#needed(relation, occurrence);
    const found: Way[] = [];
    for (let earlier = 0; earlier < count; earlier++) {
      const later = this.#terms.power(relation, body, count - 1 - earlier);
      let ways: readonly Way[] = inner.map(({ executed, left }) => ({
        executed,
        left: this.#terms.seq(relation, left, later),
      }));
      for (let index = 0; index < earlier && ways.length > 0; index++)
        ways = distinct(ways.flatMap((way) => this.#settleBefore(relation, body, way, needed)));
      if (ways.length === 0 && earlier > 0) break;
      found.push(...ways);
      // Parallel ones are all alike.
      if (relation === 'never') break;
    }
    return distinct(found);
  }

  #deriveSequence(
    relation: Relation,
    term: Term,
    occurrence: Occurrence,
    need: (part: Term) => readonly Way[] | null,
  ): readonly Way[] | null {
    const parts = this.#terms.parts(relation, term);
    const inner = parts.map((part) =>
      this.#terms.sets.has(this.#terms.alphabet(part), occurrence) ? need(part) : STUCK,
    );
    const needed = this.#needed(relation, occurrence);
    const found: Way[] = [];
    let tail: Term = EMPTY;
    const tails = parts.map(() => EMPTY);
    for (let index = parts.length - 1; index >= 0; index--) {
      tails[index] = tail;
      tail = this.#terms.seq(relation, parts[index] ?? EMPTY, tail);
    }
    for (const [index, own] of inner.entries()) {
      if (own === null) return null;
      let ways: readonly Way[] = own.map(({ executed, left }) => ({
        executed,
        left: this.#terms.seq(relation, left, tails[index] ?? EMPTY),
      }));
      for (let earlier = index - 1; earlier >= 0 && ways.length > 0; earlier--) {
        const part = parts[earlier] ?? EMPTY;
        ways = distinct(ways.flatMap((way) => this.#settleBefore(relation, part, way, needed)));
      }
      found.push(...ways);
    }
    return distinct(found);
  }

  /** `part`, drawn before what `way` leaves: without what must precede, or with it executed. */
  #settleBefore(relation: Relation, part: Term, way: Way, needed: OccurrenceSet): readonly Way[] {
    const { sets } = this.#terms;
    const must = sets.union(needed, this.#deriver.beforeAny(relation, way.executed));
    return this.#settle(part, must).map(({ executed, left }) => ({
      executed: sets.union(executed, way.executed),
      left: this.#terms.seq(relation, left, way.left),
    }));
  }

  /** All ways to let everything in `must` be over in `term`: avoided, or hidden and executed. */
  #settle(term: Term, must: OccurrenceSet): readonly Way[] {
    const direct = this.#settleDirectly(term, must);
    if (direct !== null) return direct;
    const root = this.#pair(term, must);
    const stack = [root];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      if (this.#settledLists.get(top.term, top.must) === PENDING) {
        const missing = this.#settleNow(top.term, top.must);
        if (missing.length > 0) {
          stack.push(...missing);
          continue;
        }
      }
      stack.pop();
    }
    return this.#lists[this.#settledLists.get(root.term, root.must)] ?? STUCK;
  }

  /** Where nothing hidden must happen, no way is more than avoiding. */
  #settleDirectly(term: Term, must: OccurrenceSet): readonly Way[] | null {
    const { sets } = this.#terms;
    const affected = sets.intersection(must, this.#terms.alphabet(term));
    if (affected === NONE) return [{ executed: NONE, left: term }];
    if (!sets.meets(affected, this.#hidden)) {
      const left = this.#deriver.avoid(term, affected);
      return left === FAIL ? STUCK : [{ executed: NONE, left }];
    }
    const shape = this.#terms.shape(term);
    return shape.kind === 'occurrence' ? [{ executed: affected, left: EMPTY }] : null;
  }

  #pair(term: Term, must: OccurrenceSet): { readonly term: Term; readonly must: OccurrenceSet } {
    return { term, must: this.#terms.sets.intersection(must, this.#terms.alphabet(term)) };
  }

  /** Settles `term` if its parts are settled, else says which are not. */
  #settleNow(term: Term, must: OccurrenceSet): { readonly term: Term; readonly must: OccurrenceSet }[] {
    const missing: { readonly term: Term; readonly must: OccurrenceSet }[] = [];
    const settle = (part: Term, needed: OccurrenceSet): readonly Way[] => {
      const direct = this.#settleDirectly(part, needed);
      if (direct !== null) return direct;
      const pair = this.#pair(part, needed);
      const list = this.#settledLists.get(pair.term, pair.must);
      if (list === PENDING) missing.push(pair);
      return this.#lists[list] ?? STUCK;
    };
    const ways = this.#settleParts(term, must, settle);
    if (missing.length === 0) this.#settledLists.set(term, must, this.#list(ways));
    return missing;
  }

  #settleParts(
    term: Term,
    must: OccurrenceSet,
    settle: (part: Term, must: OccurrenceSet) => readonly Way[],
  ): readonly Way[] {
    const shape = this.#terms.shape(term);
    switch (shape.kind) {
      case 'fail':
      case 'empty':
      case 'occurrence':
        throw new Error(`term ${term} has no parts: it is settled directly`);
      case 'alt':
        return distinct(shape.choices.flatMap((choice) => settle(choice, must)));
      case 'loop':
        return this.#settleLoop(shape, must, settle);
      case 'power': {
        this.#boundCount(shape.count);
        const parts = Array.from({ length: shape.count }, () => shape.body);
        return this.#settleSequence(shape.relation, parts, must, settle);
      }
      case 'open':
        throw new Error(OPEN_IN_LOGS);
      case 'seq':
        return this.#settleSequence(shape.relation, this.#terms.parts(shape.relation, term), must, settle);
    }
  }

  #settleSequence(
    relation: Relation,
    parts: readonly Term[],
    must: OccurrenceSet,
    settle: (part: Term, must: OccurrenceSet) => readonly Way[],
  ): readonly Way[] {
    const { sets } = this.#terms;
    return parts.reduceRight<readonly Way[]>(
      (ways, part) =>
        distinct(
          ways.flatMap((way) =>
            settle(part, sets.union(must, this.#deriver.beforeAny(relation, way.executed))).map(
              ({ executed, left }) => ({
                executed: sets.union(executed, way.executed),
                left: this.#terms.seq(relation, left, way.left),
              }),
            ),
          ),
        ),
      [{ executed: NONE, left: EMPTY }],
    );
  }

  /**
   * Iterations, last to first: what they execute only grows, so a way is a finite chain `loop(r2) ; r ; loop(r1)`, where the
   * loops are the iterations that execute nothing new.
   */
  #settleLoop(
    { relation, body, headFirst }: Extract<Shape, { kind: 'loop' }>,
    must: OccurrenceSet,
    settle: (part: Term, must: OccurrenceSet) => readonly Way[],
  ): readonly Way[] {
    if (headFirst) this.#refuseHidden(body);
    const { sets } = this.#terms;
    const found: Way[] = [];
    const seen = new PairMemo();
    const pending: Way[] = [{ executed: NONE, left: EMPTY }];
    for (let way = pending.pop(); way !== undefined; way = pending.pop()) {
      const { executed, left } = way;
      if (seen.get(executed, left) >= 0) continue;
      seen.set(executed, left, 1);
      this.#boundWays(seen.size);
      const inner = settle(body, sets.union(must, this.#deriver.beforeAny(relation, executed)));
      const isOld = (other: Way): boolean => sets.isWithin(other.executed, executed);
      const idle = this.#terms.alt(inner.filter(isOld).map((other) => other.left));
      const loop = this.#terms.seq(relation, this.#terms.loop(relation, idle), left);
      found.push({ executed, left: loop });
      for (const other of inner)
        if (!isOld(other))
          pending.push({
            executed: sets.union(executed, other.executed),
            left: this.#terms.seq(relation, other.left, loop),
          });
    }
    return distinct(found);
  }

  #needed(relation: Relation, occurrence: Occurrence): OccurrenceSet {
    return this.#deriver.before(relation, occurrence);
  }

  /** Silent steps in a head-first loop decide which iteration is the first: not looked into. */
  #refuseHidden(body: Term): void {
    if (this.#terms.sets.meets(this.#terms.alphabet(body), this.#hidden))
      throw new BoundMet('hidden occurrences in a head-first loop');
  }

  #boundCount(count: number): void {
    if (count > COUNT_MAX) throw new BoundMet(`${COUNT_MAX} equal parts with hidden occurrences`);
  }

  #boundWays(count: number): void {
    if (count > WAYS_MAX) throw new BoundMet(`${WAYS_MAX} ways for hidden occurrences`);
  }

  #list(ways: readonly Way[]): number {
    this.#boundWays(ways.length);
    return this.#lists.push(ways) - 1;
  }

  #listed(list: number): readonly Way[] | null {
    return list === PENDING ? null : (this.#lists[list] ?? STUCK);
  }
}

function allOf(lists: readonly (readonly Way[] | null)[]): readonly Way[] | null {
  const known = lists.filter((list) => list !== null);
  return known.length < lists.length ? null : distinct(known.flat());
}

const unique = (terms: readonly Term[]): readonly Term[] => (terms.length < 2 ? terms : [...new Set(terms)]);

function distinct(ways: readonly Way[]): readonly Way[] {
  if (ways.length < 2) return ways;
  const seen = new PairMemo();
  return ways.filter(({ executed, left }) => {
    if (seen.get(executed, left) >= 0) return false;
    seen.set(executed, left, 1);
    return true;
  });
}
