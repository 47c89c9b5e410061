import type { JsonObject } from '../api/index.ts';
import { ROOT } from './keys.ts';
import { atRevision, decode } from './stored-object.ts';
import type { StoredObject } from './stored-object.ts';
import type { StoreChange, TracedStore } from './traced-store.ts';

/** A change with the state before it: what a watcher with a selector needs to know. */
export interface Change {
  readonly key: string;
  readonly revision: number;
  /** Undefined: created by this change. */
  readonly before: JsonObject | undefined;
  /** Undefined: deleted by this change. */
  readonly after: JsonObject | undefined;
  /** The event of the store's notification. */
  readonly eventId: string;
}

/** Released changes that are kept for watchers that start in the past. */
const WINDOW_MAX = 10_000;
/** Changes that may wait for a response to be flushed, before watchers are told anyway. */
const HELD_MAX = 10_000;

/**
 * The present state of all objects, and the recent changes. It has one watch on the store for all clients: one notification per change,
 * however many clients watch.
 */
export class WatchCache {
  readonly #isHeld: (revision: number) => boolean;
  readonly #objects = new Map<string, StoredObject>();
  readonly #listeners = new Set<(change: Change) => void>();
  #held: Change[] = [];
  #window: Change[] = [];
  /** Changes up to here are not in the window any more (or never were). */
  #windowStart = 0;
  #seen = 0;
  #released = 0;
  #releasing = false;

  constructor(isHeld: (revision: number) => boolean) {
    this.#isHeld = isHeld;
  }

  /** The latest revision heard of. */
  get revision(): number {
    return this.#seen;
  }

  /** Watchers have been told of everything up to here. */
  get releasedRevision(): number {
    return this.#released;
  }

  get(key: string): StoredObject | undefined {
    return this.#objects.get(key);
  }

  /** Reads everything, then follows the store. Returns how to stop. */
  async follow(store: TracedStore, lost: () => void): Promise<() => void> {
    const { kvs, revision } = await store.list(ROOT);
    for (const kv of kvs) this.#objects.set(kv.key, decode(kv));
    this.#seen = this.#released = this.#windowStart = revision;
    const watcher = store.watch(
      revision,
      (changes) => {
        for (const change of changes) this.#take(change);
        this.release();
      },
      lost,
    );
    return () => {
      watcher.cancel();
    };
  }

  /** Tells watchers of everything that need not wait, in order. */
  release(): void {
    // A listener may end a request, which releases again: the outer loop goes on with it.
    if (this.#releasing) return;
    this.#releasing = true;
    try {
      for (let next = this.#held[0]; next !== undefined && this.#mayGo(next); next = this.#held[0]) {
        this.#held.shift();
        this.#released = next.revision;
        this.#window.push(next);
        for (const listener of [...this.#listeners]) listener(next);
      }
      this.#shortenWindow();
    } finally {
      this.#releasing = false;
    }
  }

  /**
   * Hears of every change after a revision: what was released before is told at once. Undefined: the window does not reach
   * back so far.
   */
  subscribe(after: number, listener: (change: Change) => void): (() => void) | undefined {
    if (after < this.#windowStart) return undefined;
    const hear = (change: Change): void => {
      if (change.revision > after) listener(change);
    };
    if (after < this.#released) for (const change of this.#window) hear(change);
    this.#listeners.add(hear);
    return () => this.#listeners.delete(hear);
  }

  #mayGo(change: Change): boolean {
    return this.#held.length > HELD_MAX || !this.#isHeld(change.revision);
  }

  #take({ key, revision, object, eventId }: StoreChange): void {
    const before = this.#objects.get(key)?.object;
    this.#seen = revision;
    if (object === undefined) this.#objects.delete(key);
    else this.#objects.set(key, { object: atRevision(object, revision), modRevision: revision });
    this.#held.push({ key, revision, before, after: object, eventId });
  }

  #shortenWindow(): void {
    if (this.#window.length <= WINDOW_MAX) return;
    const gone = this.#window.splice(0, this.#window.length - WINDOW_MAX + WINDOW_MAX / 10);
    this.#windowStart = gone.at(-1)?.revision ?? this.#windowStart;
  }
}
