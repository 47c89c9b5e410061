import fc from 'fast-check';
import type { SourcedEvent } from '../trace/index.ts';

/** For each event a number, by which `withParents` gives it a parent. */
export const SOME_PARENTS = fc.array(fc.nat(40), { minLength: 7, maxLength: 7 });

/** Some events name an earlier one as their parent, and do not show the key; 0: as it is. */
export function withParents(events: readonly SourcedEvent[], picks: readonly number[]): readonly SourcedEvent[] {
  return events.map((sourced, index) => {
    const pick = picks[index] ?? 0;
    const parent = pick === 0 || index === 0 ? undefined : events[pick % index]?.event.id;
    if (parent === undefined) return sourced;
    const event = { ...sourced.event, parent };
    return { ...sourced, event: pick % 3 === 0 ? event : { ...event, attributes: {} } };
  });
}
