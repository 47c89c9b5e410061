import type { Response } from 'express';
import type { Recorder } from './types.ts';

const HEARTBEAT_MS = 15_000;
/** A message in flight is looked at again after so long: that it has aged changes what may be served, and nobody tells. */
const LOOK_AGAIN_MS = 250;
/** Lines taken at a time, so that a slow reader does not make the whole trace wait in memory. */
const LINES_PER_READ = 500;

/** One reader that follows the trace by server-sent events. Ends after the end marker, and when a new run begins. */
export class EventStream {
  readonly #recorder: Recorder;
  readonly #response: Response;
  #after: number | undefined;
  #run: number | undefined;
  #isScheduled = false;
  #stopListening: () => void = () => undefined;
  #timers: NodeJS.Timeout[] = [];

  constructor(recorder: Recorder, response: Response, after: number | undefined) {
    this.#recorder = recorder;
    this.#response = response;
    this.#after = after;
  }

  start(): void {
    this.#stopListening = this.#recorder.onChange(() => {
      this.#schedule();
    });
    this.#timers = [
      setInterval(() => {
        this.#response.write(': still here\n\n');
      }, HEARTBEAT_MS),
      setInterval(() => {
        if (this.#recorder.inFlight() > 0) this.#schedule();
      }, LOOK_AGAIN_MS),
    ];
    this.#response.on('drain', () => {
      this.#schedule();
    });
    this.#schedule();
  }

  close(): void {
    this.#stopListening();
    for (const timer of this.#timers) clearInterval(timer);
  }

  /** Many changes in one turn are told together. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#tell();
    });
  }

  #tell(): void {
    const { writableEnded, destroyed, writableNeedDrain } = this.#response;
    if (writableEnded || destroyed || writableNeedDrain) return;
    const after = this.#after === undefined ? {} : { after: this.#after };
    const reading = this.#recorder.read({ ...after, linesMax: LINES_PER_READ, settledOnly: true });
    if (reading.kind === 'gone' || reading.run !== (this.#run ?? reading.run)) {
      this.#response.end();
      return;
    }
    this.#run = reading.run;
    for (const line of reading.lines) {
      this.#after = line.seq;
      this.#response.write(`id: ${line.seq}\ndata: ${JSON.stringify(line)}\n\n`);
    }
    if (reading.lines.at(-1)?.kind === 'end') this.#response.end();
    else if (reading.lines.length === LINES_PER_READ) this.#schedule();
  }
}
