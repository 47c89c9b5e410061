import type { SourcedEvent } from '../trace/index.ts';

/** Ids that are told; of the rest, the number. */
const TOLD_MAX = 3;

/** Replies among `suspects` that answer what is no event of the trace: its id is mistyped, or the call was not recorded. */
export function danglingReplies(suspects: readonly SourcedEvent[], events: readonly SourcedEvent[]): readonly string[] {
  const first = new Map<string, SourcedEvent>();
  for (const sourced of suspects) {
    const { kind, replyTo } = sourced.event;
    if (kind === 'reply' && replyTo !== undefined && !first.has(replyTo)) first.set(replyTo, sourced);
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
  return [`replyTo ${told.join(', ')}${more} ${first.size === 1 ? 'names' : 'name'} no event of this trace`];
}
