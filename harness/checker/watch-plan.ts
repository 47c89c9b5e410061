import { childrenOf, messagesIn, type Contract, type Node, type Timing } from '../contract/index.ts';
import { lifetimesOf, type Originals, type WatchedLifetime } from './lifetimes.ts';
import { promisesOf } from './promises.ts';

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
  const plan: WatchPlan = {
    ordered: promisesOf(contract).counted.map(([earlier, later]) => ({ earlier, later })),
    lifetimes: lifetimesOf(contract, originals),
    timings: contract.timings ?? [],
    criticals: criticalsIn(contract.term).filter(({ siblings }) => siblings.size > 0 || contract.exclusive === true),
  };
  return Object.values(plan).every((part: readonly unknown[]) => part.length === 0) ? null : plan;
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
        members: new Set(messagesIn(node)),
        siblings: new Set(siblings.flatMap(messagesIn)),
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
