import { type KubernetesObject, textAt } from '../api/index.ts';
import { withCause } from '../tracing/index.ts';
import type { ApiClient, Query } from './api-client.ts';
import { ApiError, watchError } from './api-error.ts';
import { backoffMs, pause } from './clock.ts';
import type { Environment } from './environment.ts';
import { keyOf, type ResourceOf } from './resources.ts';
import type { Cause } from './work-queue.ts';

/** What became of an object. The informer's store shows the change already. */
export type Change<T> =
  | { readonly kind: 'added'; readonly object: T; readonly cause: Cause }
  | { readonly kind: 'updated'; readonly object: T; readonly before: T; readonly cause: Cause }
  /** `object` is the last state that is known. */
  | { readonly kind: 'deleted'; readonly object: T; readonly cause: Cause };

export interface InformerOptions<T extends KubernetesObject> {
  readonly environment: Environment;
  readonly client: ApiClient;
  readonly of: ResourceOf<T>;
  readonly query?: Query;
}

const RETRY_BASE_MS = 50;
const RETRY_MAX_MS = 30_000;

/**
 * A copy of a collection, kept up to date: it lists, watches from the list's revision on, and lists again when the server no longer
 * has the history it needs. Handlers run as the handling of the watch line that told the change.
 */
export class Informer<T extends KubernetesObject> {
  readonly #options: InformerOptions<T>;
  readonly #store = new Map<string, T>();
  readonly #handlers: ((change: Change<T>) => void)[] = [];
  readonly #stop = new AbortController();
  readonly #synced: Promise<void>;
  #markSynced: () => void = () => undefined;
  /** The revision to watch from; undefined: list first. */
  #revision: string | undefined;
  #running: Promise<void> | undefined;

  constructor(options: InformerOptions<T>) {
    this.#options = options;
    this.#synced = new Promise((resolve) => {
      this.#markSynced = resolve;
    });
  }

  /** To be called before `start`. */
  onChange(handler: (change: Change<T>) => void): void {
    this.#handlers.push(handler);
  }

  /** Resolves when the first list was read and handled. */
  start(): Promise<void> {
    this.#running ??= withCause(undefined, () => this.#run());
    return this.#synced;
  }

  get(key: string): T | undefined {
    return this.#store.get(key);
  }

  list(): readonly T[] {
    return [...this.#store.values()];
  }

  /** Resolves when the watch is closed. Idempotent. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#markSynced();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { environment } = this.#options;
    const { signal } = this.#stop;
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        await this.#listAndWatch(() => {
          failures = 0;
        });
      } catch (error) {
        if (stoppedBy(signal)) return;
        this.#failed(error);
      }
      // Also after a watch that ended in order: a server that ends them at once must not be asked in a hot loop.
      await pause(environment.clock, backoffMs(failures, RETRY_BASE_MS, RETRY_MAX_MS), signal);
    }
  }

  async #listAndWatch(onProgress: () => void): Promise<void> {
    if (this.#revision === undefined) await this.#relist();
    onProgress();
    await this.#options.client.watch(this.#options.of, {
      query: { ...this.#options.query, resourceVersion: this.#revision, allowWatchBookmarks: 'true' },
      signal: this.#stop.signal,
      onEvent: (event, lineId) => {
        if (this.#stop.signal.aborted) return;
        if (event.type === 'ERROR') throw watchError(event.object);
        this.#revision = textAt(event.object, 'metadata', 'resourceVersion') ?? this.#revision;
        if (event.type === 'BOOKMARK') return;
        const cause = this.#cause(lineId);
        if (event.type === 'DELETED') this.#remove(event.object, cause);
        else this.#put(event.object, cause);
        onProgress();
      },
    });
  }

  async #relist(): Promise<void> {
    const { client, of, query } = this.#options;
    const { list, replyId } = await client.list(of, query === undefined ? {} : { query });
    if (this.#stop.signal.aborted) return;
    this.#revision = list.metadata.resourceVersion;
    const cause = this.#cause(replyId);
    withCause(replyId, () => {
      const present = new Set(list.items.map(keyOf));
      for (const [key, object] of this.#store) if (!present.has(key)) this.#remove(object, cause);
      for (const object of list.items) this.#put(object, cause);
    });
    this.#markSynced();
  }

  #put(object: T, cause: Cause): void {
    const key = keyOf(object);
    const before = this.#store.get(key);
    if (before !== undefined && before.metadata.uid !== object.metadata.uid) this.#remove(before, cause);
    const known = this.#store.get(key);
    if (known?.metadata.resourceVersion === object.metadata.resourceVersion) return;
    this.#store.set(key, object);
    this.#tell(
      known === undefined ? { kind: 'added', object, cause } : { kind: 'updated', object, before: known, cause },
    );
  }

  #remove(object: T, cause: Cause): void {
    if (this.#store.delete(keyOf(object))) this.#tell({ kind: 'deleted', object, cause });
  }

  #tell(change: Change<T>): void {
    for (const handler of this.#handlers) handler(change);
  }

  #cause(id: string | undefined): Cause {
    return { id, resource: this.#options.of.row.name };
  }

  #failed(error: unknown): void {
    // The history since our revision is gone: only a new list can tell what is there.
    if (error instanceof ApiError && error.status === 410) this.#revision = undefined;
    const { environment, client, of } = this.#options;
    const problem = error instanceof Error ? error.message : String(error);
    environment.report(client.participant, `watching ${of.row.name}: ${problem}`);
  }
}

/** A function, because the flag changes while the caller waits, which the type of the property does not tell. */
function stoppedBy(signal: AbortSignal): boolean {
  return signal.aborted;
}
