import { type Clock, pause } from './client/index.ts';
import type { Recorder } from './tracing/index.ts';

export interface QuiescenceOptions {
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly isBusy: () => boolean;
  /** Nothing may be recorded for so long; at least the longest delay that a message may wait unseen. */
  readonly quietMs: number;
  /** Some systems never come to rest (a container that crashes again and again): then the wait ends here. */
  readonly waitMaxMs: number;
}

const POLL_MS = 5;

/** Waits until nothing is in flight, nobody has work, and nothing has happened for a while. False if that did not come about in time. */
export async function becameQuiet(options: QuiescenceOptions): Promise<boolean> {
  const { recorder, clock, isBusy, quietMs, waitMaxMs } = options;
  const begun = clock.now();
  let lastChange = begun;
  const stopListening = recorder.onChange(() => {
    lastChange = clock.now();
  });
  try {
    while (clock.now() - begun < waitMaxMs) {
      const isStill = !isBusy() && recorder.inFlight() === 0;
      if (!isStill) lastChange = clock.now();
      if (clock.now() - lastChange >= quietMs) return true;
      await pause(clock, POLL_MS);
    }
    return false;
  } finally {
    stopListening();
  }
}
