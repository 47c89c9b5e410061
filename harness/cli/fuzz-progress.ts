import type { Io } from './io.ts';

/** Where nobody watches, a line a while says that it still goes on; where somebody does, one line is written over and over. */
const QUIET_MS = 10_000;

/** `\r` goes back to where the line begins, and the sequence clears it. */
const CLEARED_LINE = '\r\u001b[K';

export interface FuzzProgress {
  /** A run is over. `isBroken`: it, or one before it, broke a drawing, so that runs shrink the case from now on. */
  readonly endRun: (isBroken: boolean) => void;
  /** No run follows. */
  readonly end: () => void;
}

/** Says on the error stream how far the fuzzer is. `now`: milliseconds from any fixed point. */
export function createFuzzProgress(
  io: Pick<Io, 'err' | 'isErrorTerminal'>,
  runs: number,
  now: () => number,
): FuzzProgress {
  const start = now();
  const isWatched = io.isErrorTerminal === true;
  let toldAt = start;
  let done = 0;
  let shrinks = 0;
  const tell = (): void => {
    const seconds = Math.round((now() - start) / 1_000);
    const far =
      shrinks === 0 ? `${done} of ${runs} runs` : `broken after ${done} runs, shrunk in ${shrinks} more so far`;
    io.err(isWatched ? `${CLEARED_LINE}fuzz: ${far}, ${seconds} s` : `fuzz: ${far}, ${seconds} s\n`);
  };
  if (isWatched) tell();
  let wasBroken = false;
  return {
    endRun(isBroken) {
      if (wasBroken) shrinks += 1;
      else done += 1;
      wasBroken ||= isBroken;
      if (!isWatched && now() - toldAt < QUIET_MS) return;
      toldAt = now();
      tell();
    },
    end() {
      if (isWatched) io.err(CLEARED_LINE);
    },
  };
}
