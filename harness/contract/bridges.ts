import type { Diagram, FragmentKind } from '../diagram/index.ts';
import type { ArrowPlan } from './arrow-plans.ts';
import type { Arrow, Enclosure } from './drawing.ts';
import { mustPrecede } from './order.ts';
import type { Ordered } from './order.ts';
import type { Order } from './types.ts';

/** What bridging needs to know of the fragments. */
export interface FragmentFacts {
  readonly fragments: Diagram['fragments'];
  readonly concurrent: ReadonlySet<number>;
  /** By arrow, those drawn later that are sent before it is received. */
  readonly overtaken: ReadonlyMap<number, ReadonlySet<number>>;
  /** By arrow, those drawn later that it is not promised to precede. */
  readonly unordered: ReadonlyMap<number, ReadonlySet<number>>;
}

const STEPS_MAX = 1_000_000;

/**
 * Pairs of arrows that stay ordered through an unobservable one between them, where nothing orders them directly. Hidden
 * arrows are taken out one after the other, each time joining what had to precede it with what it had to precede. Null: too
 * many to be worked out. What the binding calls unordered is not ordered through others either.
 */
export function bridgedArrows(
  plans: readonly ArrowPlan[],
  order: Order,
  facts: FragmentFacts,
): readonly (readonly [number, number])[] | null {
  const relation = new ArrowRelation(plans, order, facts);
  const hidden = plans.filter(({ omitted }) => omitted?.kind === 'unobservable');
  const alive = new Set(plans.filter(({ omitted }) => omitted?.kind !== 'absent').map(({ arrow }) => arrow.index));
  const joined = new Map<number, Set<number>>();
  const holds = (earlier: number, later: number): boolean =>
    joined.get(earlier)?.has(later) === true || relation.holds(earlier, later);
  let steps = 0;
  for (const { arrow } of hidden) {
    const candidates = [...alive].filter((index) => index !== arrow.index);
    const before = candidates.filter((index) => index < arrow.index && holds(index, arrow.index));
    const after = candidates.filter((index) => index > arrow.index && holds(arrow.index, index));
    steps += candidates.length + before.length * after.length;
    if (steps > STEPS_MAX) return null;
    alive.delete(arrow.index);
    for (const earlier of before)
      for (const later of after)
        if (relation.mayJoin(earlier, arrow.index, later) && !holds(earlier, later))
          joined.set(earlier, (joined.get(earlier) ?? new Set()).add(later));
  }
  return [...joined]
    .filter(([earlier]) => alive.has(earlier))
    .flatMap(([earlier, laters]) =>
      [...laters].filter((later) => alive.has(later)).map((later) => [earlier, later] as const),
    )
    .sort((one, other) => one[0] - other[0] || one[1] - other[1]);
}

/** The relation on drawn arrows, composition included. */
class ArrowRelation {
  readonly #arrows: readonly Arrow[];
  readonly #ordered: readonly Ordered[];
  readonly #order: Order;
  readonly #facts: FragmentFacts;

  constructor(plans: readonly ArrowPlan[], order: Order, facts: FragmentFacts) {
    this.#arrows = plans.map(({ arrow }) => arrow);
    this.#ordered = plans.map(({ arrow, kind, replyOf }) => ({
      index: arrow.index,
      from: arrow.from,
      to: arrow.to,
      kind,
      ...(replyOf === null ? {} : { replyOf }),
    }));
    this.#order = order;
    this.#facts = facts;
  }

  holds(earlier: number, later: number): boolean {
    const [one, other] = [this.#ordered[earlier], this.#ordered[later]];
    if (one === undefined || other === undefined) return false;
    if (this.#isUnordered(earlier, later)) return false;
    // Not over when the later one begins: only their ends are ordered.
    if (this.#facts.overtaken.get(earlier)?.has(later) === true) return false;
    const composition = this.#composition(earlier, later);
    // What was sent before the call was received is no part of answering it.
    const isApart = this.#facts.overtaken.get(other.replyOf ?? -1)?.has(earlier) === true;
    const order = composition === 'pipeline' ? 'causal' : this.#order;
    return composition !== 'unordered' && mustPrecede(order, one, isApart ? { ...other, kind: 'send' } : other);
  }

  /** Does the hidden arrow order the two? */
  mayJoin(earlier: number, hidden: number, later: number): boolean {
    return !this.#isUnordered(earlier, later) && this.#surelyLiesBetween(earlier, hidden, later);
  }

  /** Every fragment that may leave out the hidden arrow must hold one of the two as well: then it happened if both did. */
  #surelyLiesBetween(earlier: number, hidden: number, later: number): boolean {
    const around = new Set([...this.#enclosures(earlier), ...this.#enclosures(later)].map(({ fragment }) => fragment));
    return this.#enclosures(hidden).every(({ fragment }) => around.has(fragment) || !this.#mayBeLeftOut(fragment));
  }

  #isUnordered(earlier: number, later: number): boolean {
    return this.#facts.unordered.get(earlier)?.has(later) === true;
  }

  #composition(earlier: number, later: number): 'sequence' | 'pipeline' | 'unordered' {
    const operandOf = new Map(this.#enclosures(earlier).map(({ fragment, operand }) => [fragment, operand]));
    const loop = [...operandOf.keys()].find((fragment) => this.#facts.concurrent.has(fragment));
    for (const { fragment, operand } of this.#enclosures(later)) {
      const other = operandOf.get(fragment);
      if (other !== undefined && other !== operand && isApart(this.#kindOf(fragment))) return 'unordered';
      if (loop !== undefined && loop !== fragment && this.#facts.concurrent.has(fragment)) return 'pipeline';
    }
    return 'sequence';
  }

  #enclosures(arrow: number): Enclosure[] {
    const enclosures: Enclosure[] = [];
    for (let next = this.#arrows[arrow]?.within ?? null; next !== null; next = next.outer) enclosures.push(next);
    return enclosures;
  }

  #mayBeLeftOut(fragment: number): boolean {
    const kind = this.#kindOf(fragment);
    return kind === 'loop' || kind === 'alt' || kind === 'opt' || kind === 'break' || kind === 'critical';
  }

  #kindOf(fragment: number): FragmentKind {
    return this.#facts.fragments[fragment]?.kind ?? 'group';
  }
}

/** Operands that exclude each other, or that run beside each other. */
const isApart = (kind: FragmentKind): boolean =>
  kind === 'alt' || kind === 'par' || kind === 'par_over' || kind === 'critical';
