import { withCause } from '../tracing/index.ts';
import { backoffMs, type Clock, type Timer } from './clock.ts';

/** Why a key waits: the event that put it there, and the resource (`pods`) that the event spoke of. */
export interface Cause {
  /** Absent where the event was not traced. */
  readonly id: string | undefined;
  readonly resource: string;
}

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** Does the work of one key. Rejects to be called again with the same causes after a back-off. */
  readonly handle: (key: string, causes: readonly Cause[]) => Promise<void>;
  /** Told before a failed key is put back. */
  readonly onFailure: (key: string, error: unknown) => void;
  /** How many keys are worked on at once; never one key twice. */
  readonly workers: number;
  readonly retryBaseMs?: number;
  readonly retryMaxMs?: number;
}

/** A key remembers this many of the events that it stands for; older ones are dropped. */
const CAUSES_MAX = 64;
/** A delayed key that is due sooner than this counts as work at hand. */
const IMMINENT_MS = 150;

interface Delayed {
  readonly timer: Timer;
  readonly due: number;
  readonly causes: readonly Cause[];
}

/**
 * Keys that need attention. A key that is added while it waits is one piece of work; added while it is worked on, it is
 * worked on once more afterwards. It carries the events that it stands for, so that coalescing loses no causality.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  /** Waiting keys, oldest first. */
  readonly #dirty = new Map<string, Cause[]>();
  readonly #processing = new Set<string>();
  readonly #delayed = new Map<string, Delayed>();
  readonly #failures = new Map<string, number>();
  readonly #drained = new Set<() => void>();
  #paused = false;
  #stopped = false;
  #pumpPlanned = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** Puts a key in line. Taking it out happens later, so that events which arrive together are one piece of work. */
  add(key: string, ...causes: readonly Cause[]): void {
    if (this.#stopped) return;
    const waiting = this.#dirty.get(key);
    if (waiting === undefined) this.#dirty.set(key, [...causes].slice(-CAUSES_MAX));
    else {
      waiting.push(...causes);
      if (waiting.length > CAUSES_MAX) waiting.splice(0, waiting.length - CAUSES_MAX);
    }
    this.#planPump();
  }

  /** Puts a key in line after a while, unless it is planned for an earlier time already. */
  addAfter(key: string, delayMs: number, causes: readonly Cause[]): void {
    if (this.#stopped) return;
    const due = this.#options.clock.now() + delayMs;
    const planned = this.#delayed.get(key);
    if (planned !== undefined && planned.due <= due) return;
    planned?.timer.cancel();
    const timer = this.#options.clock.after(delayMs, () => {
      this.#delayed.delete(key);
      this.add(key, ...causes);
    });
    this.#delayed.set(key, { timer, due, causes });
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#planPump();
  }

  isBusy(): boolean {
    if (this.#processing.size > 0) return true;
    if (this.#paused || this.#stopped) return false;
    const soon = this.#options.clock.now() + IMMINENT_MS;
    return this.#dirty.size > 0 || [...this.#delayed.values()].some(({ due }) => due <= soon);
  }

  /** Drops what waits; resolves when the work under way has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const { timer } of this.#delayed.values()) timer.cancel();
    this.#delayed.clear();
    this.#dirty.clear();
    if (this.#processing.size > 0) await new Promise<void>((resolve) => this.#drained.add(resolve));
  }

  #planPump(): void {
    if (this.#pumpPlanned) return;
    this.#pumpPlanned = true;
    queueMicrotask(() => {
      this.#pumpPlanned = false;
      this.#pump();
    });
  }

  #pump(): void {
    if (this.#paused || this.#stopped) return;
    for (const [key, causes] of this.#dirty) {
      if (this.#processing.size >= this.#options.workers) return;
      if (this.#processing.has(key)) continue;
      this.#dirty.delete(key);
      this.#processing.add(key);
      void withCause(causes.at(-1)?.id, () => this.#work(key, causes));
    }
  }

  async #work(key: string, causes: readonly Cause[]): Promise<void> {
    try {
      await this.#options.handle(key, causes);
      this.#failures.delete(key);
    } catch (error) {
      this.#retry(key, causes, error);
    }
    this.#processing.delete(key);
    if (this.#stopped && this.#processing.size === 0) for (const resolve of this.#drained) resolve();
    this.#planPump();
  }

  #retry(key: string, causes: readonly Cause[], error: unknown): void {
    // After a stop, requests fail because their connections were cut; nobody wants to hear of it.
    if (this.#stopped) return;
    this.#options.onFailure(key, error);
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    const { retryBaseMs = 5, retryMaxMs = 30_000 } = this.#options;
    this.addAfter(key, backoffMs(failures, retryBaseMs, retryMaxMs), causes);
  }
}
