import { childrenOf, type Contract, type Lifetime, type Node, type Timing } from '../contract/index.ts';

/** What is watched beside the order, since no order between drawn occurrences can say it. */
export interface WatchPlan {
  readonly ordered: readonly OrderedPair[];
  readonly lifetimes: readonly (Lifetime & { readonly loopsBefore: ReadonlySet<number> })[];
  readonly timings: readonly Timing[];
  readonly criticals: readonly WatchedCritical[];
}

/** Promised by the binding; `perIteration`: both stand in one loop. */
export interface OrderedPair {
  readonly earlier: number;
  readonly later: number;
  readonly perIteration: boolean;
}

/** A critical fragment; while it is open, `siblings` (messages of parallel operands) wait. */
export interface WatchedCritical {
  readonly fragment: number;
  readonly members: ReadonlySet<number>;
  readonly siblings: ReadonlySet<number>;
}

/** Null where nothing is to be watched. */
export function watchPlanOf(contract: Contract): WatchPlan | null {
  const loops = loopsAround(contract.term);
  const shareLoop = (one: number, other: number): boolean =>
    [...(loops.get(one) ?? [])].some((loop) => loops.get(other)?.has(loop) === true);
  const plan: WatchPlan = {
    ordered: (contract.ordered ?? []).map(([earlier, later]) => {
      return { earlier, later, perIteration: shareLoop(earlier, later) };
    }),
    lifetimes: (contract.lifetimes ?? []).map((lifetime) => {
      const { destroyed, renewed } = lifetime;
      const before = contract.messages.flatMap(({ index }) =>
        renewed && destroyed !== null && index < destroyed && shareLoop(index, destroyed) ? [index] : [],
      );
      return { ...lifetime, loopsBefore: new Set(before) };
    }),
    timings: contract.timings ?? [],
    criticals: criticalsIn(contract.term).filter(({ siblings }) => siblings.size > 0 || contract.exclusive === true),
  };
  return Object.values(plan).every((part: readonly unknown[]) => part.length === 0) ? null : plan;
}

/** Of each message, the loops around it. */
function loopsAround(root: Node): ReadonlyMap<number, ReadonlySet<Node>> {
  const found = new Map<number, Set<Node>>();
  const pending: { readonly node: Node; readonly loops: readonly Node[] }[] = [{ node: root, loops: [] }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, loops } = next;
    if (node.kind === 'message') found.set(node.message, new Set([...(found.get(node.message) ?? []), ...loops]));
    const inside = node.kind === 'loop' ? [...loops, node] : loops;
    for (const child of childrenOf(node)) pending.push({ node: child, loops: inside });
  }
  return found;
}

function criticalsIn(root: Node): WatchedCritical[] {
  const found = new Map<number, WatchedCritical>();
  const pending: { readonly node: Node; readonly siblings: readonly Node[] }[] = [{ node: root, siblings: [] }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, siblings } = next;
    if (node.kind === 'critical')
      found.set(node.fragment, {
        fragment: node.fragment,
        members: new Set(messagesIn([node])),
        siblings: new Set(messagesIn(siblings)),
      });
    const children = childrenOf(node);
    for (const child of children) {
      const beside = node.kind === 'par' ? children.filter((other) => other !== child) : [];
      pending.push({ node: child, siblings: beside.length === 0 ? siblings : [...siblings, ...beside] });
    }
  }
  return [...found.values()];
}

function messagesIn(roots: readonly Node[]): number[] {
  const found: number[] = [];
  const pending = [...roots];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.kind === 'message') found.push(node.message);
    pending.push(...childrenOf(node));
  }
  return found;
}
