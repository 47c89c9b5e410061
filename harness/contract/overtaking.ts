import { checkOvertaking, isLate, type Diagram, type DrawnEnd, overtakings } from '../diagram/index.ts';
import type { ArrowPlan } from './arrow-plans.ts';
import type { Findings } from './findings.ts';
import { quoted } from './names.ts';
import { EMPTY, sequence, type Built } from './term.ts';
import type { Contract, LateReceipt, Node } from './types.ts';
import { messagesIn, nodesOf } from './walk-term.ts';

/** Tells where a drawing says of a message that it is received where no message can be, and where a binding makes several of it. */
export function refuseOvertaking(diagram: Diagram, plans: readonly ArrowPlan[], findings: Findings): void {
  for (const { message, text } of checkOvertaking(diagram))
    findings.inDrawing(diagram.messages[message]?.at ?? { line: 1, column: 1 }, {
      code: 'CON114',
      message: `${quoted(diagram.messages[message]?.text ?? '')}: ${text}`,
      hint: 'a message can be overtaken by others that are drawn between its sending and its receipt, in one compartment',
    });
  for (const arrow of lateArrows(diagram)) {
    const plan = plans[arrow];
    if (plan?.bound == null || (plan.count <= 1 && plan.times === null)) continue;
    findings.atKey([...plan.bound.path, plan.times === null ? 'fold' : 'times'], {
      code: 'BND138',
      message: `${quoted(plan.arrow.text)} is drawn as overtaken by others, so it is one message, and comes once`,
      hint: 'bind it to the one message that the others overtake',
    });
  }
}

/** By arrow, those that are drawn later and sent before it is received. */
export function overtakenArrows(diagram: Diagram): ReadonlyMap<number, ReadonlySet<number>> {
  const overtaken = new Map<number, ReadonlySet<number>>();
  for (const { ends } of overtakings(diagram)) {
    const sentAt = new Map<number, number>();
    ends.forEach(({ message, end }, at) => {
      if (end === 'sending') sentAt.set(message, at);
      else overtaken.set(message, new Set(sentBetween(ends, sentAt.get(message) ?? at, at)));
    });
  }
  return overtaken;
}

const sentBetween = (ends: readonly DrawnEnd[], from: number, to: number): number[] =>
  ends.slice(from + 1, to).flatMap(({ message, end }) => (end === 'sending' ? [message] : []));

function lateArrows(diagram: Diagram): readonly number[] {
  return overtakings(diagram).flatMap(({ ends }) =>
    ends.filter((_, at) => isLate(ends, at)).map(({ message }) => message),
  );
}

/**
 * The term of each arrow, where those that overtake each other are one sequence with late receipts: the first of them stands for
 * all. What the contract does not hold (absent, unobservable) is left out with both its ends.
 */
export function withOvertaking(
  diagram: Diagram,
  plans: readonly ArrowPlan[],
  termOf: (arrow: number) => Built,
): (arrow: number) => Built {
  const groups = new Map(
    overtakings(diagram).flatMap((group) => range(group.first, group.last).map((arrow) => [arrow, group])),
  );
  if (groups.size === 0) return termOf;
  const isThere = ({ message }: DrawnEnd): boolean => (plans[message]?.count ?? 0) > 0;
  return (arrow) => {
    const group = groups.get(arrow);
    if (group === undefined) return termOf(arrow);
    if (arrow !== group.first) return EMPTY;
    return groupTerm(group.ends.filter(isThere), plans, termOf);
  };
}

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

function groupTerm(ends: readonly DrawnEnd[], plans: readonly ArrowPlan[], termOf: (arrow: number) => Built): Built {
  const parts: Built[] = [];
  const late: LateReceipt[] = [];
  ends.forEach(({ message, end }, at) => {
    if (end === 'sending') parts.push(termOf(message));
    // What is refused (several messages, or repeated) is received where it is sent.
    else if (isLate(ends, at) && parts.length > 0 && plans[message]?.count === 1 && plans[message].times === null)
      late.push({ message: plans[message].first, after: parts.length - 1 });
  });
  if (late.length === 0) return sequence(parts);
  const items = parts.map(({ node }) => node);
  return { node: { kind: 'seq', items, late }, keyed: parts.some(({ keyed }) => keyed) };
}

/**
 * Contract messages of which the second is drawn later, and sent before the first is received; and whether it is received before
 * that too: then it overtakes.
 */
export function overtakenPairs({ term }: Pick<Contract, 'term'>): readonly (readonly [number, number, boolean])[] {
  return nodesOf(term).flatMap((node) => (node.kind === 'seq' && node.late !== undefined ? pairsIn(node) : []));
}

function pairsIn({ items, late = [] }: Extract<Node, { kind: 'seq' }>): (readonly [number, number, boolean])[] {
  const arrivals = new Map(late.map(({ message, after }, position) => [message, { after, position }]));
  const isEarlier = (message: number, than: { readonly after: number; readonly position: number }): boolean => {
    const own = arrivals.get(message);
    return own === undefined || own.after < than.after || (own.after === than.after && own.position < than.position);
  };
  return [...arrivals].flatMap(([message, arrival]) => {
    const sent = items.findIndex((item) => item.kind === 'message' && item.message === message);
    const between = items.slice(sent + 1, arrival.after + 1).flatMap(messagesIn);
    return between.map((other) => [message, other, isEarlier(other, arrival)] as const);
  });
}

/** Contract messages that are not received right where they are sent. */
export function lateMessages({ term }: Pick<Contract, 'term'>): ReadonlySet<number> {
  return new Set(
    nodesOf(term).flatMap((node) => (node.kind === 'seq' ? (node.late ?? []).map(({ message }) => message) : [])),
  );
}
