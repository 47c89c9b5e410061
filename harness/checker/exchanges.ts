import { foldName } from '../contract/index.ts';
import type { SourcedEvent } from '../trace/index.ts';

/** Of each reply of a trace the call that it answers, by index: `replyTo` says so, else the latest open call the other way. */
export function callsOfReplies(events: readonly SourcedEvent[]): ReadonlyMap<number, number> {
  const byId = new Map<string, number>();
  const open = new Map<string, number[]>();
  const calls = new Map<number, number>();
  const pair = (from: string, to: string, traceId = ''): string =>
    JSON.stringify([foldName(from), foldName(to), traceId]);
  events.forEach(({ event: { kind, id, from, to, replyTo, traceId } }, index) => {
    if (kind === 'reply') {
      const waiting = open.get(pair(to, from, traceId)) ?? [];
      const call = replyTo === undefined ? waiting.at(-1) : byId.get(replyTo);
      if (call === undefined) return;
      calls.set(index, call);
      const place = waiting.lastIndexOf(call);
      if (place >= 0) waiting.splice(place, 1);
      return;
    }
    if (id !== undefined) byId.set(id, index);
    if (kind !== 'call') return;
    const key = pair(from, to, traceId);
    const waiting = open.get(key);
    if (waiting === undefined) open.set(key, [index]);
    else waiting.push(index);
  });
  return calls;
}
