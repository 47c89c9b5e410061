import type { Clock } from '../client/index.ts';

interface Expectation {
  creations: number;
  readonly deletions: Set<string>;
  readonly since: number;
}

/** After so long, the events are taken to be lost, and the controller looks for itself. */
const LIFETIME_MS = 5 * 60_000;

/**
 * What a controller has done and not yet seen in its informer. While something is outstanding it must not act again on what the
 * informer shows, or it would do the same work twice.
 */
export class Expectations {
  readonly #clock: Clock;
  readonly #expected = new Map<string, Expectation>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** To be called before the requests are made: their events may arrive before their replies. */
  expectCreations(key: string, count: number): void {
    this.#expected.set(key, { creations: count, deletions: new Set(), since: this.#clock.now() });
  }

  expectDeletions(key: string, uids: readonly string[]): void {
    this.#expected.set(key, { creations: 0, deletions: new Set(uids), since: this.#clock.now() });
  }

  /** One creation was seen, or has failed. */
  creationSettled(key: string): void {
    const expected = this.#expected.get(key);
    if (expected !== undefined && expected.creations > 0) expected.creations--;
  }

  /** A deletion was seen, or has failed. */
  deletionSettled(key: string, uid: string): void {
    this.#expected.get(key)?.deletions.delete(uid);
  }

  areMet(key: string): boolean {
    const expected = this.#expected.get(key);
    if (expected === undefined) return true;
    const settled = expected.creations === 0 && expected.deletions.size === 0;
    return settled || this.#clock.now() - expected.since > LIFETIME_MS;
  }

  forget(key: string): void {
    this.#expected.delete(key);
  }
}
