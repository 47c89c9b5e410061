import { messagesIn, nodesOf, type Contract, type Node, type Timing } from '../contract/index.ts';
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

/** A critical fragment that excludes other instances: when it is open is told. */
export interface WatchedCritical {
  readonly fragment: number;
  readonly members: ReadonlySet<number>;
}

/** Null where nothing is to be watched. */
export function watchPlanOf(contract: Contract, originals: Originals = new Map()): WatchPlan | null {
  const plan: WatchPlan = {
    ordered: promisesOf(contract).counted.map(([earlier, later]) => ({ earlier, later })),
    lifetimes: lifetimesOf(contract, originals),
    timings: contract.timings ?? [],
    criticals: contract.exclusive === true ? criticalsIn(contract.term) : [],
  };
  return Object.values(plan).every((part: readonly unknown[]) => part.length === 0) ? null : plan;
}

function criticalsIn(root: Node): WatchedCritical[] {
  const found = new Map<number, WatchedCritical>();
  for (const node of nodesOf(root))
    if (node.kind === 'critical')
      found.set(node.fragment, { fragment: node.fragment, members: new Set(messagesIn(node)) });
  return [...found.values()];
}
