import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The exit code of a shell for a program that a signal ended. */
const codeOf = (name: (typeof SIGNALS)[number]): number => 128 + constants.signals[name];

export interface Interruption {
  readonly signal: AbortSignal;
  /** The exit code if there was one, or null. */
  readonly code: () => number | null;
}

/**
 * Runs work that must tidy up (a running system) when the user interrupts: the first signal asks it to stop, a second one
 * ends the process at once. Work that only computes needs none of this: a signal ends it as ever.
 */
export async function interruptible<T>(work: (interruption: Interruption) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let code: number | null = null;
  const listeners = SIGNALS.map((name) => {
    const listener = (): void => {
      if (code !== null) process.exit(codeOf(name));
      code = codeOf(name);
      controller.abort();
    };
    process.on(name, listener);
    return { name, listener };
  });
  try {
    return await work({ signal: controller.signal, code: () => code });
  } finally {
    for (const { name, listener } of listeners) process.off(name, listener);
  }
}
