import { equalJson, textAt } from '../api/index.ts';
import type { Json, JsonObject, Resource } from '../api/index.ts';
import { keyOf } from './keys.ts';
import type { MutantName } from './mutants.ts';
import { alreadyExists, notFound, staleUpdate } from './status-error.ts';
import { isReadyToGo, newObject, subjectOf, typedBody, updatedObject } from './strategies.ts';
import type { Target } from './strategies.ts';
import { atRevision, decode, encode } from './stored-object.ts';
import type { StoredObject } from './stored-object.ts';
import type { TracedStore, WriteResult } from './traced-store.ts';
import type { WatchCache } from './watch-cache.ts';
import type { OpenRequest } from './write-gate.ts';

/** Where names, uids and times come from; a simulation brings its own. */
export interface Sources {
  /** In [0, 1). */
  readonly random: () => number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** What an update wants: a new state, no object any more, or nothing. */
export type Wanted =
  | { readonly kind: 'put'; readonly object: JsonObject }
  | { readonly kind: 'delete'; readonly object: JsonObject }
  | { readonly kind: 'keep' };

/** What an update did. */
export interface Updated {
  /** The state after it; of a deleted object, the last one. */
  readonly object: JsonObject;
  readonly deleted: boolean;
}

/** Times that a write is tried again when someone else wrote in between. */
const ATTEMPTS_MAX = 10;
/** Names that are tried for one object with `generateName`. */
const NAMES_MAX = 8;
/** As in Kubernetes: no vowels, no look-alikes. */
const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const GENERATED_PREFIX_MAX = 58;

/** Objects in the store: every change is one compare-and-swap. */
export class Registry {
  readonly #store: TracedStore;
  readonly #cache: WatchCache;
  readonly #sources: Sources;
  readonly #mutants: ReadonlySet<MutantName>;

  constructor(store: TracedStore, cache: WatchCache, sources: Sources, mutants: ReadonlySet<MutantName>) {
    this.#store = store;
    this.#cache = cache;
    this.#sources = sources;
    this.#mutants = mutants;
  }

  /** Reads the store, not the cache: a reader sees its own writes. */
  async get(target: Target): Promise<JsonObject> {
    return (await this.#read(target)).object;
  }

  /** `reply`: what to do between making the object and writing it; used by a mutant only. */
  async create(
    { resource, namespace, body }: { resource: Resource; namespace: string | undefined; body: Json | undefined },
    request: OpenRequest,
    replyEarly?: (object: JsonObject) => Promise<void>,
  ): Promise<JsonObject> {
    const typed = typedBody(body, resource, namespace);
    await this.#checkNamespace(resource, namespace);
    const given = textAt(typed, 'metadata', 'name') ?? '';
    const prefix = textAt(typed, 'metadata', 'generateName') ?? '';
    for (let attempt = 1; ; attempt++) {
      const name = given === '' && prefix !== '' ? this.#generate(prefix) : given;
      const target = { resource, namespace, name };
      const object = newObject(resource, typed, { name, uid: this.#uid(), now: this.now() });
      if (replyEarly !== undefined) await replyEarly(atRevision(object, this.#cache.revision + 1));
      const result = await this.#put(target, object, 0, request);
      if (result.kind === 'written') return atRevision(object, result.revision);
      if (given !== '' || attempt === NAMES_MAX) throw alreadyExists(subjectOf(target));
    }
  }

  /** Replaces all but the status. A body without a resourceVersion replaces whatever is there. */
  replace(target: Target, body: Json | undefined, request: OpenRequest): Promise<Updated> {
    const desired = typedBody(body, target.resource, target.namespace);
    return this.update(target, request, (current) => {
      this.checkVersion(target, current, desired);
      return this.toWrite(current, updatedObject(target, current, desired));
    });
  }

  /** What to do about an object in a new state: write it, remove it, or nothing if it is the same. */
  toWrite(current: JsonObject, object: JsonObject): Wanted {
    if (equalJson(object, current)) return { kind: 'keep' };
    return isReadyToGo(object) ? { kind: 'delete', object } : { kind: 'put', object };
  }

  /** Refuses a change that was made from an old version. */
  checkVersion(target: Target, current: JsonObject, desired: JsonObject): void {
    const given = textAt(desired, 'metadata', 'resourceVersion') ?? '';
    const isStale = given !== '' && given !== textAt(current, 'metadata', 'resourceVersion');
    if (isStale && !this.#mutants.has('accept-stale-update')) throw staleUpdate(subjectOf(target));
  }

  /**
   * Changes an object by compare-and-swap. `change` is first asked about the cached state; when it refuses, changes nothing, or lost a race, it is
   * asked again about what the store holds, so that a lagging cache never decides.
   */
  async update(target: Target, request: OpenRequest, change: (current: JsonObject) => Wanted): Promise<Updated> {
    const cached = this.#cache.get(this.#key(target));
    let state = cached ?? (await this.#read(target));
    let isLive = cached === undefined;
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const wanted = isLive ? change(state.object) : attemptOf(change, state.object);
      if (wanted === undefined || (wanted.kind === 'keep' && !isLive)) {
        state = await this.#read(target);
        isLive = true;
        continue;
      }
      if (wanted.kind === 'keep') return { object: state.object, deleted: false };
      const result = await this.#carryOut(target, wanted, state.modRevision, request);
      if (result.kind === 'written') {
        return { object: atRevision(wanted.object, result.revision), deleted: wanted.kind === 'delete' };
      }
      if (result.current === undefined) throw notFound(subjectOf(target));
      state = decode(result.current);
      isLive = true;
    }
    throw staleUpdate(subjectOf(target));
  }

  now(): Date {
    return new Date(this.#sources.now());
  }

  /** Creates the namespace that every cluster has; if it is there, the store says so and nothing changes. */
  async createDefaultNamespace(resource: Resource): Promise<void> {
    const target: Target = { resource, namespace: undefined, name: 'default' };
    const body = { apiVersion: resource.apiVersion, kind: resource.kind, metadata: {} };
    const object = newObject(resource, body, { name: target.name, uid: this.#uid(), now: this.now() });
    await this.#store.put(this.#key(target), encode(object), object, 0);
  }

  #carryOut(
    target: Target,
    wanted: Exclude<Wanted, { kind: 'keep' }>,
    modRevision: number,
    request: OpenRequest,
  ): Promise<WriteResult> {
    if (wanted.kind === 'put') return this.#put(target, wanted.object, modRevision, request);
    return this.#written(request, this.#store.delete(this.#key(target), wanted.object, modRevision));
  }

  #put(target: Target, object: JsonObject, modRevision: number, request: OpenRequest): Promise<WriteResult> {
    return this.#written(request, this.#store.put(this.#key(target), encode(object), object, modRevision));
  }

  async #written(request: OpenRequest, writing: Promise<WriteResult>): Promise<WriteResult> {
    request.writing();
    let revision: number | undefined;
    try {
      const result = await writing;
      if (result.kind === 'written') revision = result.revision;
      return result;
    } finally {
      request.wrote(revision);
    }
  }

  async #read(target: Target): Promise<StoredObject> {
    const kv = await this.#store.get(this.#key(target));
    if (kv === undefined) throw notFound(subjectOf(target));
    return decode(kv);
  }

  async #checkNamespace(resource: Resource, namespace: string | undefined): Promise<void> {
    if (!resource.namespaced || namespace === undefined) return;
    const key = `/registry/namespaces/${namespace}`;
    const known = this.#cache.get(key) ?? (await this.#store.get(key));
    if (known === undefined) throw notFound({ name: namespace, resource: 'namespaces', group: '' });
  }

  #key({ resource, namespace, name }: Target): string {
    return keyOf(resource, namespace, name);
  }

  #generate(prefix: string): string {
    const letters = Array.from({ length: SUFFIX_LENGTH }, () =>
      SUFFIX_ALPHABET.charAt(Math.floor(this.#sources.random() * SUFFIX_ALPHABET.length)),
    );
    return prefix.slice(0, GENERATED_PREFIX_MAX) + letters.join('');
  }

  /** RFC 9562, version 4. */
  #uid(): string {
    const digit = (values: number, first = 0): string =>
      (first + Math.floor(this.#sources.random() * values)).toString(16);
    return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, (letter) =>
      letter === 'x' ? digit(16) : digit(4, 8),
    );
  }
}

/** Undefined: refused, on a state that may be old. */
function attemptOf(change: (current: JsonObject) => Wanted, current: JsonObject): Wanted | undefined {
  try {
    return change(current);
  } catch {
    return undefined;
  }
}
