import { childrenOf, messagesIn, type Contract, type Node } from '../contract/index.ts';
import { livedPairs, type LivedPair, type Originals } from './lifetimes.ts';
import { messageOf } from './occurrence.ts';

/** Two contract messages, of which the first is promised to come first. */
type Pair = readonly [earlier: number, later: number];

/** How the pairs that a binding promises (`ordered`) are kept. */
export interface Promises {
  /**
   * By the terms: one is drawn before the other, or beside it in another operand of a `par`. Each of one comes before each of
   * the other, in one iteration of what holds both.
   */
  readonly drawn: readonly Pair[];
  /**
   * By counting: the first of one comes before the first of the other, the second before the second. They stand in loops that
   * run beside each other, or the other way round than they are promised.
   */
  readonly counted: readonly Pair[];
  /** What lifetimes order, by the terms; empty where they are not asked. */
  readonly lived: readonly LivedPair[];
}

/**
 * Tells the pairs that the composition of the drawing keeps from those that it cannot. `originals`: lifetimes are asked too; of
 * each copy of a message that was made for one value of a loop, the message.
 */
export function promisesOf(contract: Contract, originals: Originals | null = null): Promises {
  const { ordered = [], term } = contract;
  const drawn: Pair[] = [];
  const counted: Pair[] = [];
  const pairs = originals === null ? [] : livedPairs(contract, originals);
  if (ordered.length + pairs.length === 0) return { drawn, counted, lived: [] };
  const messages = [...ordered, ...pairs.map(([earlier, later]) => [messageOf(earlier), messageOf(later)])];
  const paths = pathsTo(new Set(messages.flat()), term);
  const operands = new OperandOrder();
  const isKept = (earlier: number, later: number): boolean => {
    const meeting = meetingOf(paths.get(earlier) ?? [], paths.get(later) ?? []);
    return meeting === null || isKeptByTerms(meeting, operands);
  };
  for (const pair of ordered) (isKept(...pair) ? drawn : counted).push(pair);
  const lived = pairs.filter(([earlier, later]) => isKept(messageOf(earlier), messageOf(later)));
  return { drawn, counted, lived };
}

/** The parallel operands in an order in which promised pairs are earlier first; as they stand where nothing is promised. */
export function inPromisedOrder(operands: readonly Node[], pairs: readonly Pair[]): readonly Node[] | null {
  if (pairs.length === 0) return null;
  const held = operands.map((operand) => new Set(messagesIn(operand)));
  const precedes = (one: number, other: number): boolean =>
    one !== other && pairs.some(([a, b]) => held[one]?.has(a) === true && held[other]?.has(b) === true);
  let rest = [...operands.keys()];
  if (!rest.some((one) => rest.some((other) => precedes(one, other)))) return null;
  const sorted: Node[] = [];
  while (rest.length > 0) {
    const next = rest.find((one) => !rest.some((other) => precedes(other, one))) ?? rest[0];
    rest = rest.filter((one) => one !== next);
    const operand = next === undefined ? undefined : operands[next];
    if (operand !== undefined) sorted.push(operand);
  }
  return sorted;
}

/** One node on the way to a message, and the part of it that the way goes on in. */
interface Step {
  readonly node: Node;
  readonly part: number;
}

/** Where the ways to two messages part; `loops`: whether each of them goes round by itself below. */
interface Meeting {
  readonly node: Node;
  readonly earlier: number;
  readonly later: number;
  readonly loops: boolean;
}

function isKeptByTerms({ node, earlier, later, loops }: Meeting, operands: OperandOrder): boolean {
  switch (node.kind) {
    case 'seq':
    case 'critical':
      return earlier < later;
    case 'par':
      return !loops && operands.add(node, earlier, later);
    case 'concurrent':
      return false;
    case 'alt':
    case 'opt':
    case 'loop':
    case 'guarded':
    case 'break':
    case 'message':
      return true;
  }
}

function meetingOf(one: readonly Step[], other: readonly Step[]): Meeting | null {
  const at = one.findIndex((step, index) => step.part !== other[index]?.part);
  const [mine, theirs] = [one[at], other[at]];
  if (mine === undefined || theirs === undefined || mine.node !== theirs.node) return null;
  const goesRound = (steps: readonly Step[]): boolean =>
    steps.slice(at + 1).some(({ node }) => node.kind === 'loop' && node.max !== 1);
  return { node: mine.node, earlier: mine.part, later: theirs.part, loops: goesRound(one) && goesRound(other) };
}

/** Which operands of a node come before which; a pair that would close a circle is not taken. */
class OperandOrder {
  readonly #before = new Map<Node, (readonly [number, number])[]>();

  add(node: Node, earlier: number, later: number): boolean {
    const edges = this.#before.get(node) ?? [];
    const reached = new Set([later]);
    // A set is gone through in the order in which it grows.
    for (const operand of reached) for (const [one, other] of edges) if (one === operand) reached.add(other);
    if (reached.has(earlier)) return false;
    this.#before.set(node, [...edges, [earlier, later]]);
    return true;
  }
}

/** Of each of the messages, the way to where it is drawn. */
function pathsTo(messages: ReadonlySet<number>, root: Node): ReadonlyMap<number, readonly Step[]> {
  interface Way extends Step {
    readonly outer: Way | null;
  }
  const found = new Map<number, readonly Step[]>();
  const pending: { readonly node: Node; readonly way: Way | null }[] = [{ node: root, way: null }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, way } = next;
    if (node.kind === 'message' && messages.has(node.message)) {
      const steps: Step[] = [];
      for (let at = way; at !== null; at = at.outer) steps.unshift(at);
      found.set(node.message, steps);
    }
    childrenOf(node).forEach((child, part) => pending.push({ node: child, way: { node, part, outer: way } }));
  }
  return found;
}
