/** How long the code of others may take, in milliseconds. */
export interface Patience {
  /** Loading the module. */
  readonly loadMs: number;
  readonly startMs: number;
  /** One `pause` or `resume`. */
  readonly stepMs: number;
  /** One request of the User; a reply may be delayed by a minute on purpose. */
  readonly requestMs: number;
  /** Coming to rest and closing the trace. */
  readonly finishMs: number;
  readonly stopMs: number;
}

export const PATIENCE: Patience = {
  loadMs: 60_000,
  startMs: 60_000,
  stepMs: 60_000,
  requestMs: 120_000,
  finishMs: 120_000,
  stopMs: 20_000,
};

/**
 * Waits for code that is not ours, but not for ever, and not after an interruption. What it does when the time is up cannot
 * be stopped; it is not listened to any more.
 */
export function within<T>(ms: number, what: string, work: () => T | PromiseLike<T>, signal?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    // Also keeps the process alive: one that has nothing left to wait for would end without a word.
    const timer = setTimeout(() => {
      done(() => {
        reject(new Error(`${what} took longer than ${ms / 1000} s`));
      });
    }, ms);
    const aborted = (): void => {
      done(() => {
        reject(new Error('interrupted'));
      });
    };
    const done = (settle: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
      settle();
    };
    if (signal?.aborted === true) {
      aborted();
      return;
    }
    signal?.addEventListener('abort', aborted);
    // Inside a promise, so that a function that throws at once is told like one that rejects.
    Promise.resolve()
      .then(work)
      .then(
        (value) => {
          done(() => {
            resolve(value);
          });
        },
        (error: unknown) => {
          done(() => {
            reject(asError(error));
          });
        },
      );
  });
}

/** Anything can be thrown. */
export function asError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  try {
    return new Error(String(thrown));
  } catch {
    return new Error('something that cannot be shown was thrown');
  }
}
