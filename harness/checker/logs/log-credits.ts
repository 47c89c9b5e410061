import type { Contract } from '../../contract/index.ts';
import { messageOf } from '../relation.ts';
import type { LogBounds } from './judge-logs.ts';
import type { EventEntry } from './log-events.ts';

/** How often the logs of one instance are judged again to find what their events count for, and how hard each time. */
const JUDGEMENTS_MAX = 64;
const ENTRIES_MAX = 1_000;
export const CREDIT_BOUNDS: LogBounds = { statesMax: 5_000, stepsMax: 100_000 };

/**
 * Of logs that are a run of the drawing, the entries as it takes them: each that could be several arrows as the first of them with
 * which the logs still are a run. What was not found within the bounds stays as it is.
 */
export function asTaken(
  { messages }: Contract,
  entries: readonly (readonly EventEntry[])[],
  isRun: (entries: readonly (readonly EventEntry[])[]) => boolean,
): readonly (readonly EventEntry[])[] {
  if (entries.reduce((sum, own) => sum + own.length, 0) > ENTRIES_MAX) return entries;
  const arrowOf = ([end]: EventEntry['options'][number]): number | undefined =>
    end === undefined ? undefined : messages[messageOf(end)]?.drawn;
  let left = JUDGEMENTS_MAX;
  let found = entries;
  entries.forEach((own, log) => {
    own.forEach((entry, place) => {
      const arrows = [...new Set(entry.options.map(arrowOf))];
      if (arrows.length < 2) return;
      for (const arrow of arrows) {
        if (left-- <= 0) return;
        const options = entry.options.filter((option) => arrowOf(option) === arrow);
        const narrowed = found.map((all, index) => (index === log ? all.with(place, { ...entry, options }) : all));
        if (!isRun(narrowed)) continue;
        found = narrowed;
        return;
      }
    });
  });
  return found;
}
