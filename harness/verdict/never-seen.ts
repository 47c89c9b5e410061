import type { ArrowVerdict, SpecVerdict, Violation } from './types.ts';

/** What such a violation says of its arrow is that it did not happen. */
const tellsAbsence = ({ kind, event }: Violation): boolean =>
  kind === 'missing' || kind === 'wrong-participant' || (kind === 'too-late' && event === null);

/** Arrows that no event was taken for: those that nothing is said of, and those that are blamed for being missing. */
export function neverSeen({ arrows, instances }: Pick<SpecVerdict, 'arrows' | 'instances'>): readonly ArrowVerdict[] {
  const blamedOtherwise = new Set(
    instances.flatMap(({ violations }) => violations.flatMap((one) => (tellsAbsence(one) ? [] : [one.arrow]))),
  );
  return arrows.filter(
    ({ index, status, events }) =>
      status === 'unseen' || (status === 'violates' && events === 0 && !blamedOtherwise.has(index)),
  );
}
