/** One request that may write. Closed when its response was flushed, or its client is gone. */
export interface OpenRequest {
  /** Before a write is sent to the store. */
  writing(): void;
  /** When the store has answered; undefined: nothing was written. */
  wrote(revision: number | undefined): void;
  close(): void;
}

/**
 * Says which revisions must wait. A revision is held as long as the response of the request that wrote it is not flushed, and as long as some write
 * is unanswered, because it may turn out to have that revision.
 */
export class WriteGate {
  readonly #requests = new Set<RequestState>();
  readonly #opened: () => void;

  /** `opened` is called whenever a revision may have become free. */
  constructor(opened: () => void) {
    this.#opened = opened;
  }

  open(): OpenRequest {
    const state: RequestState = { unanswered: 0, revisions: new Set() };
    this.#requests.add(state);
    return {
      writing: () => {
        state.unanswered++;
      },
      wrote: (revision) => {
        state.unanswered--;
        if (revision !== undefined) state.revisions.add(revision);
        this.#opened();
      },
      close: () => {
        if (this.#requests.delete(state)) this.#opened();
      },
    };
  }

  holds(revision: number): boolean {
    for (const { unanswered, revisions } of this.#requests) {
      if (unanswered > 0 || revisions.has(revision)) return true;
    }
    return false;
  }
}

interface RequestState {
  unanswered: number;
  readonly revisions: Set<number>;
}
