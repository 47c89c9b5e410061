import { AsyncLocalStorage } from 'node:async_hooks';

const causes = new AsyncLocalStorage<string | undefined>();

/**
 * Runs `handle` as the handling of the event `eventId`: every message sent in it, also after an await, has that event as parent.
 * `undefined` cuts the connection, for work that nothing in the trace caused (a timer).
 */
export function withCause<T>(eventId: string | undefined, handle: () => T): T {
  return causes.run(eventId, handle);
}

/** The event being handled here, if any. */
export function currentCause(): string | undefined {
  return causes.getStore();
}
