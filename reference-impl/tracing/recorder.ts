import { currentCause } from './context.ts';
import type {
  Attributes,
  Marker,
  Message,
  ReadOptions,
  Recorder,
  TraceEvent,
  TraceLine,
  TraceReading,
} from './types.ts';

export interface RecorderOptions {
  /** Events kept in memory; beyond it the oldest are dropped and the trace says so. Default 200 000. */
  readonly eventsMax?: number;
  /** How long a reader of settled lines waits for the receipt of a message before it is shown without. Default 1000. */
  readonly settleMs?: number;
  /** Milliseconds since the epoch, with fractions. */
  readonly now?: () => number;
}

const EVENTS_MAX = 200_000;
const SETTLE_MS = 1000;
/** Share of the events that is dropped at once, so that dropping costs little for each event. */
const DROPPED_SHARE = 0.1;

/** Wall-clock time that never goes back and tells messages within one millisecond apart. */
const preciseNow = (): number => performance.timeOrigin + performance.now();

/** A recorder that keeps its events in memory. */
export function createRecorder(options: RecorderOptions = {}): Recorder {
  return new MemoryRecorder(
    Math.max(1, options.eventsMax ?? EVENTS_MAX),
    options.settleMs ?? SETTLE_MS,
    options.now ?? preciseNow,
  );
}

type Shape = 'in-flight' | 'passed' | 'send' | 'receive';

class MemoryRecorder implements Recorder {
  readonly #eventsMax: number;
  readonly #settleMs: number;
  readonly #now: () => number;
  readonly #listeners = new Set<() => void>();
  #run = 1;
  #version = 0;
  /** The last position given; sends and receipts share the counter. */
  #position = 0;
  /** In seq order. `#indexOf` holds an event's place plus `#dropped`, which does not change when older events go. */
  #events: TraceEvent[] = [];
  #indexOf = new Map<string, number>();
  #inFlight = new Set<string>();
  #dropped = 0;
  #droppedThrough = 0;
  #endSeq: number | undefined;

  constructor(eventsMax: number, settleMs: number, now: () => number) {
    this.#eventsMax = eventsMax;
    this.#settleMs = settleMs;
    this.#now = now;
  }

  send(message: Message): string {
    return this.#record(message, 'in-flight');
  }

  pass(message: Message): string {
    return this.#record(message, 'passed');
  }

  sendOnly(message: Message): string {
    return this.#record(message, 'send');
  }

  receiveOnly(message: Message): string {
    return this.#record(message, 'receive');
  }

  receive(id: string, attributes: Attributes = {}): boolean {
    if (this.#endSeq !== undefined || !this.#inFlight.delete(id)) return false;
    const index = this.#placeOf(id);
    const event = index === undefined ? undefined : this.#events[index];
    if (index === undefined || event === undefined) return false;
    const received: { -readonly [Key in keyof TraceEvent]: TraceEvent[Key] } = { ...event };
    delete received.point;
    received.receivedSeq = ++this.#position;
    received.receivedTime = this.#now();
    // What the sender said about its message stands.
    received.attributes = { ...attributes, ...event.attributes };
    this.#events[index] = received;
    this.#changed();
    return true;
  }

  find(id: string): TraceEvent | undefined {
    const index = this.#placeOf(id);
    return index === undefined ? undefined : this.#events[index];
  }

  inFlight(): number {
    return this.#inFlight.size;
  }

  finish(): void {
    if (this.#endSeq !== undefined) return;
    this.#endSeq = ++this.#position;
    this.#changed();
  }

  isFinished(): boolean {
    return this.#endSeq !== undefined;
  }

  reset(): void {
    this.#run++;
    this.#position = 0;
    this.#events = [];
    this.#indexOf = new Map();
    this.#inFlight = new Set();
    this.#dropped = 0;
    this.#droppedThrough = 0;
    this.#endSeq = undefined;
    this.#changed();
  }

  read({ after, linesMax = Infinity, settledOnly = false }: ReadOptions = {}): TraceReading {
    const gone = this.#goneBefore(after);
    if (gone !== undefined) return { kind: 'gone', detail: gone };
    const lines: TraceLine[] = after === undefined ? [this.#opening()] : [];
    const last = settledOnly ? this.#firstUnsettled() : this.#events.length;
    for (let i = this.#firstAfter(after ?? -1); i < last && lines.length < linesMax; i++) {
      const event = this.#events[i];
      if (event !== undefined) lines.push(event);
    }
    const complete = last === this.#events.length && lines.length < linesMax;
    if (complete && this.#endSeq !== undefined && this.#endSeq > (after ?? -1)) {
      lines.push({ kind: 'end', seq: this.#endSeq });
    }
    return { kind: 'lines', run: this.#run, version: this.#version, lines };
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #record(message: Message, shape: Shape): string {
    // A reply to a call of an earlier run would be a reply to nothing in this one.
    const outside = message.replyTo !== undefined && !this.#isOfThisRun(message.replyTo);
    if (this.#endSeq !== undefined || outside) return '';
    const seq = ++this.#position;
    const id = `${this.#run}-${seq}`;
    const time = this.#now();
    this.#append({
      seq,
      from: message.from,
      to: message.to,
      kind: message.kind,
      label: message.label,
      id,
      ...(message.replyTo === undefined ? {} : { replyTo: message.replyTo }),
      time,
      ...this.#receipt(shape, time),
      ...(message.status === undefined ? {} : { status: message.status }),
      ...this.#causality(message),
      ...(message.attributes === undefined ? {} : { attributes: message.attributes }),
    });
    if (shape === 'in-flight') this.#inFlight.add(id);
    this.#changed();
    return id;
  }

  #receipt(shape: Shape, time: number): Partial<TraceEvent> {
    if (shape === 'passed') return { receivedSeq: ++this.#position, receivedTime: time };
    return { point: shape === 'receive' ? 'receive' : 'send' };
  }

  #causality(message: Message): Partial<TraceEvent> {
    const parent = message.parent ?? currentCause();
    const causes = message.causes?.filter((cause) => cause !== parent && this.#isOfThisRun(cause)) ?? [];
    return {
      ...(parent !== undefined && this.#isOfThisRun(parent) ? { parent } : {}),
      ...(causes.length > 0 ? { causes } : {}),
    };
  }

  #isOfThisRun(id: string): boolean {
    return id.startsWith(`${this.#run}-`);
  }

  #append(event: TraceEvent & { readonly id: string }): void {
    this.#indexOf.set(event.id, this.#events.length + this.#dropped);
    this.#events.push(event);
    if (this.#events.length > this.#eventsMax) this.#dropOldest();
  }

  #dropOldest(): void {
    const removed = this.#events.splice(0, Math.max(1, Math.floor(this.#eventsMax * DROPPED_SHARE)));
    for (const { id, seq } of removed) {
      this.#droppedThrough = seq;
      if (id === undefined) continue;
      this.#indexOf.delete(id);
      this.#inFlight.delete(id);
    }
    this.#dropped += removed.length;
  }

  #placeOf(id: string): number | undefined {
    const index = this.#indexOf.get(id);
    return index === undefined ? undefined : index - this.#dropped;
  }

  /** The first line: a trace that lost its beginning must not declare one. */
  #opening(): Marker {
    if (this.#dropped === 0) return { kind: 'begin', seq: 0 };
    return {
      kind: 'problem',
      seq: this.#droppedThrough,
      type: 'urn:asdrawn:problem:trace-truncated',
      title: 'The beginning of the trace is lost',
      detail: `More than ${this.#eventsMax} events were recorded; the oldest ${this.#dropped} were dropped.`,
    };
  }

  #goneBefore(after: number | undefined): string | undefined {
    if (after === undefined) return undefined;
    if (after > this.#position) return `Nothing has the position ${after} yet: the cursor belongs to an earlier run.`;
    if (after < this.#droppedThrough) return `The events up to position ${this.#droppedThrough} were dropped.`;
    return undefined;
  }

  /** Index of the first event with a greater seq: binary search. */
  #firstAfter(seq: number): number {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle]?.seq ?? Infinity) > seq) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Index of the first event whose receipt may still come. */
  #firstUnsettled(): number {
    if (this.#endSeq !== undefined) return this.#events.length;
    const settledBefore = this.#now() - this.#settleMs;
    for (const id of this.#inFlight) {
      const index = this.#placeOf(id);
      const sentAt = index === undefined ? undefined : this.#events[index]?.time;
      if (index !== undefined && sentAt !== undefined && sentAt > settledBefore) return index;
    }
    return this.#events.length;
  }

  #changed(): void {
    this.#version++;
    for (const listener of this.#listeners) listener();
  }
}
