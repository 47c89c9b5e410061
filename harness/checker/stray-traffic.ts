import type { Contract } from '../contract/index.ts';
import type { SourcedEvent } from '../trace/index.ts';
import type { InstanceVerdict } from '../verdict/index.ts';
import { describeViolation } from './describe.ts';
import { quote } from './quote.ts';

/** How many rows of traffic that no arrow explains are told. */
export const UNMATCHED_ROWS = 20;
/** `closed: true`: traffic between drawn participants that no arrow explains violates. */
export function notDrawn(contract: Contract, unmatched: readonly SourcedEvent[]): InstanceVerdict[] {
  return contract.closed ? strayTraffic(contract, unmatched, 'not-drawn', 'closed drawing') : [];
}

/** Traffic between participants that the document's topology does not connect violates, drawn or not. */
export function notConnected(contract: Contract, unconnected: readonly SourcedEvent[]): InstanceVerdict[] {
  return strayTraffic(contract, unconnected, 'no-such-connection', 'topology');
}

/** Events that break a rule about all traffic, told as one instance of their own. */
function strayTraffic(
  contract: Contract,
  events: readonly SourcedEvent[],
  kind: 'not-drawn' | 'no-such-connection',
  reason: string,
): InstanceVerdict[] {
  if (events.length === 0) return [];
  const quoted = events.slice(0, UNMATCHED_ROWS).map((sourced) => quote(sourced));
  const violations = quoted.map((event) => {
    const violation = { kind, arrow: null, event, mustFollow: null, expected: [], text: '' } as const;
    return { ...violation, text: describeViolation(violation, contract.drawn) };
  });
  const excerpt = quoted.map((event) => ({ event, arrow: null, violating: true }));
  return [{ key: {}, run: 1, outcome: 'violates', reason, events: 0, violations, expected: [], excerpt, taken: {} }];
}
