import type { Contract } from '../contract/index.ts';
import type { InstanceVerdict, Violation } from '../verdict/index.ts';
import { nameArrow } from './describe.ts';
import { quote } from './quote.ts';
import type { Opening } from './watch.ts';

/** A critical fragment, as one run of one instance was in it. */
export interface InstanceOpening extends Opening {
  readonly verdict: InstanceVerdict;
}

/**
 * `exclusive: true`: no two instances are in one critical fragment at the same time. The one that entered while another
 * was in it violates.
 */
export function excludeOthers(
  contract: Contract,
  instances: readonly InstanceVerdict[],
  openings: readonly InstanceOpening[],
): InstanceVerdict[] {
  const found = new Map<InstanceVerdict, Violation[]>();
  const inside = new Map<number, InstanceOpening>();
  for (const opening of [...openings].sort((a, b) => a.first.position - b.first.position)) {
    const other = inside.get(opening.fragment);
    if (other !== undefined && overlaps(other, opening)) {
      const violations = found.get(opening.verdict) ?? [];
      found.set(opening.verdict, [...violations, intrusion(contract, opening, other)]);
    }
    if (other === undefined || other.last.position < opening.last.position) inside.set(opening.fragment, opening);
  }
  return instances.map((instance) => {
    const violations = found.get(instance);
    return violations === undefined
      ? instance
      : { ...instance, outcome: 'violates', violations: [...instance.violations, ...violations] };
  });
}

/** An event without a key may open the fragment for several instances at once: that is one event, and no conflict. */
const overlaps = (other: InstanceOpening, opening: InstanceOpening): boolean =>
  other.verdict !== opening.verdict &&
  opening.first.position < other.last.position &&
  opening.first.labelled.index !== other.first.labelled.index;

function intrusion({ drawn, messages }: Contract, { first }: InstanceOpening, other: InstanceOpening): Violation {
  const arrow = messages[first.message]?.drawn ?? null;
  const mustFollow = messages[other.last.message]?.drawn ?? null;
  const name = Object.entries(other.verdict.key)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');
  const whose = name === '' ? `run ${other.verdict.run}` : name;
  const text = `${nameArrow(drawn, arrow)} happened while ${whose} was in the same critical fragment, which is exclusive: ${nameArrow(drawn, mustFollow)} must come first`;
  return { kind: 'out-of-order', arrow, event: quote(first.labelled.sourced), mustFollow, expected: [], text };
}
