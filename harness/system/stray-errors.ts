import { asError } from './patience.ts';

type Listener = (error: unknown) => void;

/** What tells of errors that nobody caught; a Node process is one. */
export interface StraySource {
  on(event: 'uncaughtException' | 'unhandledRejection', listener: Listener): unknown;
  off(event: 'uncaughtException' | 'unhandledRejection', listener: Listener): unknown;
}

export interface Strays {
  /** Fires at the first one: nothing that comes after it can be relied on. */
  readonly signal: AbortSignal;
  readonly first: () => Error | null;
  readonly end: () => void;
}

/** A system under test runs in our process; what it throws from a timer must end its run, not ours. */
export function listenForStrays(source: StraySource): Strays {
  const controller = new AbortController();
  let first: Error | null = null;
  const listener: Listener = (error) => {
    first ??= asError(error);
    controller.abort();
  };
  source.on('uncaughtException', listener);
  source.on('unhandledRejection', listener);
  return {
    signal: controller.signal,
    first: () => first,
    end: () => {
      source.off('uncaughtException', listener);
      source.off('unhandledRejection', listener);
    },
  };
}
