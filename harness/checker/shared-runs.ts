import type { InstanceVerdict } from '../verdict/index.ts';

/** A run that nothing of its own began: its events may as well be those of other instances. */
interface Borrowed {
  readonly verdict: InstanceVerdict;
  /** By their place in the trace. */
  readonly events: readonly number[];
  /** Tells it as a run that failed. */
  readonly tell: () => void;
}

/**
 * Runs that events without the whole key began in instances that were over. An event of several instances need not begin a run
 * of each of them, but of one: where another instance took all of them, they were not meant for this one.
 */
export class SharedRuns {
  readonly #borrowed: Borrowed[] = [];
  readonly #taken = new Set<number>();

  get isEmpty(): boolean {
    return this.#borrowed.length === 0;
  }

  /** A run took these, that do not show the whole key, beside events of its own. */
  noteTaken(events: Iterable<number>): void {
    for (const event of events) this.#taken.add(event);
  }

  noteBorrowed(borrowed: Borrowed): void {
    this.#borrowed.push(borrowed);
  }

  /** The verdicts on runs that are none, once all instances are judged. */
  settle(): ReadonlySet<InstanceVerdict> {
    const none = new Set<InstanceVerdict>();
    for (const { verdict, events, tell } of this.#borrowed)
      if (events.every((event) => this.#taken.has(event))) none.add(verdict);
      else tell();
    return none;
  }
}
