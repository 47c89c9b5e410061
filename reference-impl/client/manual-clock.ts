import type { Clock } from './clock.ts';

/** A clock that stands still until it is told to go on. */
export interface ManualClock extends Clock {
  /** Goes on, and runs what has become due, in order of time. */
  advance(ms: number): void;
}

interface Planned {
  readonly due: number;
  readonly run: () => void;
}

/** For tests and simulations: no time passes by itself. */
export function manualClock(start = 0): ManualClock {
  let now = start;
  const planned = new Set<Planned>();
  const next = (until: number): Planned | undefined =>
    [...planned].filter(({ due }) => due <= until).sort((left, right) => left.due - right.due)[0];
  return {
    now: () => now,
    after: (ms, run) => {
      const timer = { due: now + ms, run };
      planned.add(timer);
      return { cancel: () => void planned.delete(timer) };
    },
    advance: (ms) => {
      const until = now + ms;
      for (let timer = next(until); timer !== undefined; timer = next(until)) {
        planned.delete(timer);
        now = Math.max(now, timer.due);
        timer.run();
      }
      now = until;
    },
  };
}
