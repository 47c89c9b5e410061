import type { Contract } from '../contract/index.ts';
import type { ProvenOrder } from '../trace/index.ts';
import type { InstanceVerdict } from '../verdict/index.ts';
import { excludeOthers, type InstanceOpening } from './exclusive.ts';
import { isChain } from './partial-order-letters.ts';

/**
 * `excludeOthers` along a proven order: where nothing orders the beginnings and ends of an exclusive fragment, or an instance is
 * undecided, nobody knows whether two instances were in it at the same time. `order` null: one domain orders all.
 */
export function excludeOthersByProof(
  contract: Contract,
  instances: readonly InstanceVerdict[],
  openings: readonly InstanceOpening[],
  order: ProvenOrder | null,
): InstanceVerdict[] {
  if (order === null || contract.exclusive !== true) return excludeOthers(contract, instances, openings);
  const open = new Set([...byFragment(openings).values()].filter((own) => !isOrdered(own, order)).flat());
  const proven = openings.filter((opening) => !open.has(opening));
  const isUndecided = instances.some(({ outcome }) => outcome === 'inconclusive');
  const doubtful = new Set((isUndecided ? openings : [...open]).map(({ verdict }) => verdict));
  const judged = excludeOthers(contract, instances, proven);
  return judged.map((verdict, index) =>
    verdict.outcome === 'violates' || !doubtful.has(instances[index] ?? verdict)
      ? verdict
      : { ...verdict, outcome: 'inconclusive', reason: REASON },
  );
}

const REASON = 'nothing orders when instances were in a critical fragment, which is exclusive';

function byFragment(openings: readonly InstanceOpening[]): ReadonlyMap<number, InstanceOpening[]> {
  const fragments = new Map<number, InstanceOpening[]>();
  for (const opening of openings) {
    const own = fragments.get(opening.fragment);
    if (own === undefined) fragments.set(opening.fragment, [opening]);
    else own.push(opening);
  }
  return fragments;
}

function isOrdered(openings: readonly InstanceOpening[], order: ProvenOrder): boolean {
  if (new Set(openings.map(({ verdict }) => verdict)).size < 2) return true;
  return isChain(
    order,
    openings.flatMap(({ first, last }) => [order.endAt(first.position), order.endAt(last.position)]),
  );
}
