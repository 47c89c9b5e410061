import type { Diagram } from '../diagram/index.ts';
import type { ArrowPlan } from './arrow-plans.ts';
import type { Enclosure } from './drawing.ts';
import { mustPrecede } from './order.ts';
import type { Order } from './types.ts';

interface DrawnFacts {
  readonly diagram: Diagram;
  readonly plans: readonly ArrowPlan[];
  readonly order: Order;
  /** See `precedence`. */
  readonly mayPrecede: (arrow: number, other: number) => boolean;
  readonly overtaken: ReadonlyMap<number, ReadonlySet<number>>;
  /** By arrow, those that need not wait for it though they are drawn after it. */
  readonly unordered: readonly { readonly arrow: number; readonly others: readonly number[] }[];
  readonly concurrent: ReadonlySet<number>;
}

/** Arrows between two others that are looked at, to find whether these hang together over them. */
const BETWEEN_MAX = 10_000;

/** What the drawing itself demands of two arrows, wherever both happen: for mistakes of a binding that contradicts it. */
export class DrawnOrder {
  readonly #facts: DrawnFacts;

  constructor(facts: DrawnFacts) {
    this.#facts = facts;
  }

  /** Is `earlier` over before `later` begins, or at least on one lifeline, and never the other way round? */
  demands(earlier: number, later: number): boolean {
    const { diagram, plans, order, mayPrecede, overtaken, unordered, concurrent } = this.#facts;
    const [first, second] = [plans[earlier], plans[later]];
    if (diagram.dialect === 'steps' || first === undefined || second === undefined || earlier >= later) return false;
    if (first.count === 0 || second.count === 0 || mayPrecede(later, earlier)) return false;
    if (overtaken.get(earlier)?.has(later) === true || overtaken.get(later)?.has(earlier) === true) return false;
    if (unordered.some(({ arrow, others }) => arrow === earlier && others.includes(later))) return false;
    const [one, other] = [first.arrow.within, second.arrow.within];
    return (
      areTogether(one, other) &&
      !isBeside(one, other, concurrent) &&
      mustPrecede(order, orderedOf(first), orderedOf(second))
    );
  }

  /** The same, over arrows between the two that happen whenever both do: what comes after on one lifeline, on the next, and so on. */
  demandsOverOthers(earlier: number, later: number): boolean {
    const { plans, order, unordered } = this.#facts;
    if (this.demands(earlier, later)) return true;
    if (order !== 'lifeline' || unordered.length > 0 || later - earlier > BETWEEN_MAX) return false;
    const reached = new Set<number | null>();
    const add = ({ arrow: { from, to } }: ArrowPlan): void => {
      for (const end of [from, to]) if (end !== null) reached.add(end);
    };
    const [first, last] = [plans[earlier], plans[later]];
    if (first === undefined || last === undefined || !this.#isComparable(first, last)) return false;
    add(first);
    for (const plan of plans.slice(earlier + 1, later)) {
      const { from, to, within } = plan.arrow;
      const isSure = plan.count > 0 && (isAround(within, first.arrow.within) || isAround(within, last.arrow.within));
      if (
        isSure &&
        this.#isComparable(first, plan) &&
        this.#isComparable(plan, last) &&
        (reached.has(from) || reached.has(to))
      )
        add(plan);
    }
    return reached.has(last.arrow.from) || reached.has(last.arrow.to);
  }

  #isComparable({ arrow: one }: ArrowPlan, { arrow: other }: ArrowPlan): boolean {
    const { diagram, mayPrecede, overtaken, concurrent } = this.#facts;
    return (
      diagram.dialect !== 'steps' &&
      one.index < other.index &&
      !mayPrecede(other.index, one.index) &&
      overtaken.size === 0 &&
      areTogether(one.within, other.within) &&
      !isBeside(one.within, other.within, concurrent)
    );
  }
}

const orderedOf = ({ arrow: { index, from, to }, kind, replyOf }: ArrowPlan) => ({
  index,
  from,
  to,
  kind,
  ...(replyOf === null ? {} : { replyOf }),
});

const operandsOf = (within: Enclosure | null): ReadonlyMap<number, number> => {
  const operands = new Map<number, number>();
  for (let around = within; around !== null; around = around.outer) operands.set(around.fragment, around.operand);
  return operands;
};

/** In no two operands of one fragment, of which one is taken, or which run beside each other. */
function areTogether(one: Enclosure | null, other: Enclosure | null): boolean {
  const operands = operandsOf(other);
  return [...operandsOf(one)].every(([fragment, operand]) => (operands.get(fragment) ?? operand) === operand);
}

/** Does one stand in a loop that runs for ever beside others, where the other does not? */
function isBeside(one: Enclosure | null, other: Enclosure | null, concurrent: ReadonlySet<number>): boolean {
  if (concurrent.size === 0) return false;
  const [a, b] = [operandsOf(one), operandsOf(other)];
  return [...concurrent].some((loop) => a.has(loop) !== b.has(loop));
}

/** Does whatever stands in `inner` stand in `outer` as well? */
function isAround(outer: Enclosure | null, inner: Enclosure | null): boolean {
  const operands = operandsOf(inner);
  return [...operandsOf(outer)].every(([fragment, operand]) => operands.get(fragment) === operand);
}
