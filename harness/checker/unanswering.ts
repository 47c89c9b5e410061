import type { SourcedEvent, TraceEvent } from '../trace/index.ts';

/** Ids that are told; of the rest, the number. */
const TOLD_MAX = 3;

/** Events among `suspects` that answer or serve what is no event of the trace: its id is mistyped, or it was not recorded. */
export function danglingNames(suspects: readonly SourcedEvent[], events: readonly SourcedEvent[]): readonly string[] {
  const inOrder = [...suspects].sort((one, other) => one.line - other.line);
  return [
    ...danglingIn('replyTo', inOrder, events, ({ kind, replyTo }) => (kind === 'reply' ? replyTo : undefined)),
    ...danglingIn('parent', inOrder, events, ({ parent }) => parent),
  ];
}

function danglingIn(
  field: string,
  suspects: readonly SourcedEvent[],
  events: readonly SourcedEvent[],
  namedBy: (event: TraceEvent) => string | undefined,
): readonly string[] {
  const first = new Map<string, SourcedEvent>();
  for (const sourced of suspects) {
    const named = namedBy(sourced.event);
    if (named !== undefined && !first.has(named)) first.set(named, sourced);
  }
  for (const { event } of events) {
    if (first.size === 0) return [];
    if (event.id !== undefined) first.delete(event.id);
  }
  const told = [...first]
    .slice(0, TOLD_MAX)
    .map(([id, { line }]) => `${JSON.stringify(id.slice(0, 60))} (line ${line})`);
  if (told.length === 0) return [];
  const more = first.size > TOLD_MAX ? ` and ${first.size - TOLD_MAX} more` : '';
  return [`${field} ${told.join(', ')}${more} ${first.size === 1 ? 'names' : 'name'} no event of this trace`];
}
