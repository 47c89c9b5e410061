import type { Excerpt, QuotedEvent } from '../verdict/index.ts';
import type { LabelledEvent } from './labels.ts';
import { quote } from './quote.ts';

/** Events before and after the deciding one that a verdict quotes. */
const EXCERPT_EACH_SIDE = 5;

/**
 * The events around the blamed one, else the last ones. It is shown also where it is none of them: what comes from or goes to another
 * participant belongs to no instance, and is what people look for.
 */
export function excerptAround(
  events: readonly LabelledEvent[],
  blamed: QuotedEvent | null,
  arrowOf: (labelled: LabelledEvent) => number | null,
): Excerpt[] {
  const at = blamed === null ? -1 : events.findIndex(({ sourced }) => isQuoted(sourced, blamed));
  if (blamed === null || at >= 0) return around(events, at < 0 ? events.length - 1 : at, { blamed, arrowOf });
  const later = events.findIndex(({ sourced }) => sourced.event.seq > blamed.seq);
  const place = later < 0 ? events.length : later;
  return [
    ...around(events.slice(0, place), place, { blamed, arrowOf }),
    { event: blamed, arrow: null, violating: true },
    ...events.slice(place, place + EXCERPT_EACH_SIDE).map(excerptOf({ blamed, arrowOf })),
  ];
}

interface Rows {
  readonly blamed: QuotedEvent | null;
  readonly arrowOf: (labelled: LabelledEvent) => number | null;
}

const around = (events: readonly LabelledEvent[], centre: number, rows: Rows): Excerpt[] =>
  events.slice(Math.max(0, centre - EXCERPT_EACH_SIDE), centre + EXCERPT_EACH_SIDE + 1).map(excerptOf(rows));

const excerptOf =
  ({ blamed, arrowOf }: Rows) =>
  (labelled: LabelledEvent): Excerpt => {
    const event = quote(labelled.sourced);
    return { event, arrow: arrowOf(labelled), violating: blamed !== null && isQuoted(event, blamed) };
  };

const isQuoted = (event: Pick<QuotedEvent, 'source' | 'line'>, { source, line }: QuotedEvent): boolean =>
  event.line === line && event.source === source;
