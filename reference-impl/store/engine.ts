import { checkKey, covers, withoutPrevious } from './mvcc.ts';
import type { Commit, Mvcc } from './mvcc.ts';
import { StoreError } from './types.ts';
import type {
  RangeRequest,
  RangeResponse,
  Store,
  StoreEvent,
  TxnRequest,
  TxnResponse,
  WatchMessage,
  WatchRequest,
  Watcher,
} from './types.ts';

export interface EngineOptions {
  /** When watchers are told of a write, relative to the writer's answer. Default `after`. A real etcd promises neither. */
  readonly notify?: 'after' | 'before';
  /** Runs a step later, in the order asked for. Default: setImmediate. A simulation brings its own. */
  readonly schedule?: (step: () => void) => void;
  /** Revisions kept before a compaction happens by itself. Default 100 000; 0: never. */
  readonly revisionsKept?: number;
}

/** Where commits are made durable. */
export interface Journal {
  /** Throws when an earlier write failed: what is on the disk is then unknown, and nothing more is promised. */
  check(): void;
  append(commit: Commit): void;
  /** The state was compacted: what the journal holds may be shortened. */
  compacted(): void;
  /** Resolves when everything appended so far is safe; rejects when it never will be. */
  flushed(): Promise<void>;
  close(): Promise<void>;
}

const REVISIONS_KEPT = 100_000;

interface LiveWatcher {
  readonly request: WatchRequest;
  readonly handler: (message: WatchMessage) => void;
  /** The next revision to tell of. */
  next: number;
}

/** A store over the multi-version state; with a journal, a write is answered and told only when it is safe. */
export class StoreEngine implements Store {
  readonly #state: Mvcc;
  readonly #journal: Journal | undefined;
  readonly #notify: 'after' | 'before';
  readonly #schedule: (step: () => void) => void;
  readonly #revisionsKept: number;
  readonly #watchers = new Set<LiveWatcher>();
  /** The last revision that watchers may be told of. */
  #announced: number;
  #closing: Promise<void> | undefined;

  constructor(state: Mvcc, options: EngineOptions, journal?: Journal) {
    this.#state = state;
    this.#announced = state.revision;
    this.#journal = journal;
    this.#notify = options.notify ?? 'after';
    this.#schedule = options.schedule ?? ((step) => void setImmediate(step));
    this.#revisionsKept = options.revisionsKept ?? REVISIONS_KEPT;
  }

  async range(request: RangeRequest): Promise<RangeResponse> {
    this.#checkOpen();
    checkKey(request.key);
    const response = this.#state.range(request);
    // A read must not show what a crash could still undo.
    await this.#journal?.flushed();
    return response;
  }

  async txn(request: TxnRequest): Promise<TxnResponse> {
    this.#checkOpen();
    const { response, commit } = this.#state.txn(request);
    if (commit !== undefined) {
      this.#journal?.append(commit);
      this.#compactByItself();
    }
    await this.#journal?.flushed();
    if (commit !== undefined) await this.#announce(commit.revision);
    return response;
  }

  watch(request: WatchRequest, handler: (message: WatchMessage) => void): Watcher {
    this.#checkOpen();
    checkKey(request.key);
    const start = request.startRevision ?? 0;
    const watcher: LiveWatcher = { request, handler, next: start === 0 ? this.#state.revision + 1 : start };
    this.#watchers.add(watcher);
    if (start !== 0) {
      this.#schedule(() => {
        this.#tell(watcher);
      });
    }
    return {
      cancel: () => void this.#watchers.delete(watcher),
      requestProgress: () => {
        this.#schedule(() => {
          this.#tell(watcher);
          this.#send(watcher, { kind: 'progress', revision: Math.max(this.#announced, watcher.next - 1) });
        });
      },
    };
  }

  async compact(revision: number): Promise<void> {
    this.#checkOpen();
    await this.#journal?.flushed();
    // Who is up to date must not lose its watch because a compaction came between a write and its telling.
    if (revision <= this.#state.revision) this.#announceThrough(this.#state.revision);
    this.#state.compact(revision);
    this.#journal?.compacted();
    await this.#journal?.flushed();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#journal?.close();
    for (const watcher of [...this.#watchers]) this.#cancel(watcher, {});
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw new StoreError('closed', 'the store is closed');
    this.#journal?.check();
  }

  /** Delivery is a scheduled step; with `before`, the writer's answer waits for it. */
  #announce(revision: number): Promise<void> | undefined {
    const step = (): void => {
      this.#announceThrough(revision);
    };
    if (this.#notify === 'after') {
      this.#schedule(step);
      return undefined;
    }
    return new Promise((resolve) => {
      this.#schedule(() => {
        step();
        resolve();
      });
    });
  }

  #announceThrough(revision: number): void {
    this.#announced = Math.max(this.#announced, revision);
    for (const watcher of [...this.#watchers]) this.#tell(watcher);
  }

  #tell(watcher: LiveWatcher): void {
    const commits = this.#state.commits(watcher.next, this.#announced);
    if (commits === undefined) {
      this.#cancel(watcher, { compactRevision: this.#state.compactRevision });
      return;
    }
    for (const commit of commits) {
      watcher.next = commit.revision + 1;
      const events = eventsFor(watcher.request, commit);
      if (events.length > 0) this.#send(watcher, { kind: 'events', revision: commit.revision, events });
    }
  }

  #cancel(watcher: LiveWatcher, why: { readonly compactRevision?: number }): void {
    this.#send(watcher, { kind: 'canceled', ...why });
    this.#watchers.delete(watcher);
  }

  #send(watcher: LiveWatcher, message: WatchMessage): void {
    if (this.#watchers.has(watcher)) watcher.handler(message);
  }

  #compactByItself(): void {
    const kept = this.#revisionsKept;
    const excess = this.#state.revision - this.#state.compactRevision - kept;
    // Not at each write: forgetting walks all keys.
    if (kept === 0 || excess <= kept / 10 || this.#state.revision - kept > this.#announced) return;
    this.#state.compact(this.#state.revision - kept);
    this.#journal?.compacted();
  }
}

function eventsFor(request: WatchRequest, commit: Commit): readonly StoreEvent[] {
  const events = commit.events.filter((event) => covers(request, event.kind === 'put' ? event.kv.key : event.key));
  return request.prevKv === true ? events : events.map(withoutPrevious);
}
