import type { Contract } from '../contract/index.ts';
import type { SourcedEvent } from '../trace/index.ts';
import { EventMatcher } from './event-matcher.ts';

/** An arrow that the binding takes out or replaces, and that happened as drawn all the same. */
export interface StaleArrow {
  readonly drawn: number;
  readonly kind: 'absent' | 'erratum';
  readonly events: readonly SourcedEvent[];
}

/** Looks among the events that no arrow explains: what another arrow explains proves nothing of this one. */
export function staleArrows(contract: Contract, unmatched: readonly SourcedEvent[]): readonly StaleArrow[] {
  const tracedOf = (lifeline: number | null) =>
    lifeline === null ? null : (contract.lifelines[lifeline]?.traced ?? []);
  return (contract.replaced ?? []).flatMap(({ drawn, kind, from, to, match }) => {
    const matcher = new EventMatcher({ from: tracedOf(from), to: tracedOf(to), isReply: false, match });
    const events = unmatched.filter(({ event }) => matcher.match(event) !== null);
    return events.length === 0 ? [] : [{ drawn, kind, events }];
  });
}
