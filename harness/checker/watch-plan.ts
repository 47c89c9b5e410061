import { childrenOf, type Contract, type Lifetime, type Node, type Timing } from '../contract/index.ts';
import { promisesOf } from './promises.ts';

/** Of each copy of a message that was made for one value of an `each` loop, the message. */
type Originals = ReadonlyMap<number, number>;

/** What is watched beside the order, since no order between drawn occurrences can say it. */
export interface WatchPlan {
  readonly ordered: readonly OrderedPair[];
  readonly lifetimes: readonly WatchedLifetime[];
  readonly timings: readonly Timing[];
  readonly criticals: readonly WatchedCritical[];
}

/** Promised by the binding, and kept by counting: the n-th of one comes before the n-th of the other. */
export interface OrderedPair {
  readonly earlier: number;
  readonly later: number;
}

/** What happens on a lifeline from its creation to its destruction; each is one message, or its copies. */
export interface WatchedLifetime {
  readonly lifeline: number;
  readonly created: ReadonlySet<number>;
  readonly destroyed: ReadonlySet<number>;
  /** Where each iteration of a loop has a lifeline of its own: the messages of that loop, all others do not count. */
  readonly iteration: { readonly all: ReadonlySet<number>; readonly begins: ReadonlySet<number> } | null;
}

/** A critical fragment; while it is open, `siblings` (messages of parallel operands) wait. */
export interface WatchedCritical {
  /** It may be opened several times in one run. */
  readonly isRecurring: boolean;
  readonly fragment: number;
  readonly members: ReadonlySet<number>;
  readonly siblings: ReadonlySet<number>;
}

/** Null where nothing is to be watched. */
export function watchPlanOf(contract: Contract, originals: Originals = new Map()): WatchPlan | null {
  const loops = loopsAround(contract.term);
  const plan: WatchPlan = {
    ordered: promisesOf(contract).counted.map(([earlier, later]) => ({ earlier, later })),
    lifetimes: (contract.lifetimes ?? []).flatMap((lifetime) => lifetimesOf(lifetime, loops, originals)),
    timings: contract.timings ?? [],
    criticals: criticalsIn(contract.term).filter(({ siblings }) => siblings.size > 0 || contract.exclusive === true),
  };
  return Object.values(plan).every((part: readonly unknown[]) => part.length === 0) ? null : plan;
}

function lifetimesOf(
  { lifeline, created, destroyed, renewed }: Lifetime,
  loops: ReadonlyMap<number, ReadonlySet<Node>>,
  originals: Originals,
): WatchedLifetime[] {
  const copies = (message: number | null): number[] =>
    message === null ? [] : [...loops.keys()].filter((one) => (originals.get(one) ?? one) === message);
  if (!renewed)
    return [{ lifeline, created: new Set(copies(created)), destroyed: new Set(copies(destroyed)), iteration: null }];
  const innermost = (message: number): Node | undefined => [...(loops.get(message) ?? [])].at(-1);
  return copies(destroyed).map((end) => {
    const all = [...loops.keys()].filter((message) => innermost(message) === innermost(end));
    const iteration = { all: new Set(all), begins: new Set(all.filter((message) => message <= end)) };
    return { lifeline, created: new Set<number>(), destroyed: new Set([end]), iteration };
  });
}

/** Of each message, the loops around it, outer before inner. */
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
  interface Place {
    readonly node: Node;
    readonly siblings: readonly Node[];
    readonly isRecurring: boolean;
  }
  const pending: Place[] = [{ node: root, siblings: [], isRecurring: false }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, siblings, isRecurring } = next;
    if (node.kind === 'critical')
      found.set(node.fragment, {
        fragment: node.fragment,
        isRecurring,
        members: new Set(messagesIn([node])),
        siblings: new Set(messagesIn(siblings)),
      });
    const children = childrenOf(node);
    for (const child of children) {
      const beside = node.kind === 'par' ? children.filter((other) => other !== child) : [];
      pending.push({
        node: child,
        siblings: beside.length === 0 ? siblings : [...siblings, ...beside],
        isRecurring: isRecurring || node.kind === 'concurrent' || (node.kind === 'loop' && node.max !== 1),
      });
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
