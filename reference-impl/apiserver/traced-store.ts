import { attributesOf } from '../api/index.ts';
import type { JsonObject } from '../api/index.ts';
import { prefixRange, StoreError } from '../store/index.ts';
import type { KeyValue, Operation, RangeResponse, Store, StoreEvent, TxnResponse, Watcher } from '../store/index.ts';
import { API_SERVER, STORE, withCause } from '../tracing/index.ts';
import type { Attributes, Recorder } from '../tracing/index.ts';
import { resourceOfKey, ROOT } from './keys.ts';
import { decode } from './stored-object.ts';

/** One change, as the API server learnt it from the store. */
export interface StoreChange {
  readonly key: string;
  readonly revision: number;
  /** Undefined: the key is gone. */
  readonly object: JsonObject | undefined;
  /** The event of the store's notification. */
  readonly eventId: string;
}

/** What a write did: the revision of success, or the key's present value (undefined: absent). */
export type WriteResult =
  | { readonly kind: 'written'; readonly revision: number }
  | { readonly kind: 'conflict'; readonly current: KeyValue | undefined };

/** Writes whose event is kept to be named as the cause of the store's notification. */
const WRITES_MAX = 1000;

/** The API server's connection to the store: every call, answer and notification on it is recorded. */
export class TracedStore {
  readonly #store: Store;
  readonly #recorder: Recorder;
  /** What the API server knows of a key's object, so that a call can say what it is about. */
  readonly #known: (key: string) => JsonObject | undefined;
  /** Call events by the key and revision that they wrote; revision 0: not answered yet. */
  readonly #writes = new Map<string, string>();

  constructor(store: Store, recorder: Recorder, known: (key: string) => JsonObject | undefined) {
    this.#store = store;
    this.#recorder = recorder;
    this.#known = known;
  }

  async get(key: string): Promise<KeyValue | undefined> {
    const call = this.#call('GET', key, attributesOf(this.#known(key)));
    const response = await this.#answered(call, key, () => this.#store.range({ key }));
    const kv = response.kvs[0];
    this.#reply(call, 'OK', 200, {
      'etcd.revision': response.revision,
      ...(kv === undefined ? {} : attributesOfValue(kv)),
    });
    return kv;
  }

  /** `from`: where in the prefix to begin; `revision` 0: now. */
  async list(
    prefix: string,
    options: { from?: string; revision?: number; limit?: number } = {},
  ): Promise<RangeResponse> {
    const { rangeEnd } = prefixRange(prefix);
    const resource = resourceOfKey(prefix)?.name;
    const call = this.#call('RANGE', prefix, resource === undefined ? {} : { 'k8s.resource': resource });
    const response = await this.#answered(call, prefix, () =>
      this.#store.range({
        key: options.from ?? prefix,
        rangeEnd,
        revision: options.revision ?? 0,
        limit: options.limit ?? 0,
      }),
    );
    this.#reply(call, 'OK', 200, { 'etcd.revision': response.revision });
    return response;
  }

  /** Writes if the key still is at `modRevision` (0: absent). `object` is what the value holds. */
  put(key: string, value: string, object: JsonObject, modRevision: number): Promise<WriteResult> {
    return this.#write('PUT', { kind: 'put', key, value }, attributesOf(object), modRevision);
  }

  /** Deletes if the key still is at `modRevision`. `object` is what is deleted. */
  delete(key: string, object: JsonObject, modRevision: number): Promise<WriteResult> {
    return this.#write('DELETE', { kind: 'delete', key }, attributesOf(object), modRevision);
  }

  /** Tells of all changes of objects after a revision; `lost` when the store will tell no more. */
  watch(after: number, changed: (changes: readonly StoreChange[]) => void, lost: () => void): Watcher {
    return this.#store.watch({ ...prefixRange(ROOT), startRevision: after + 1 }, (message) => {
      if (message.kind === 'canceled') lost();
      else if (message.kind === 'events') changed(message.events.map((event) => this.#notified(event)));
    });
  }

  /** Whether changes from this revision on can still be told. */
  async remembers(prefix: string, revision: number): Promise<boolean> {
    try {
      await this.list(prefix, { revision, limit: 1 });
      return true;
    } catch (error) {
      if (error instanceof StoreError && error.code === 'future-revision') return true;
      if (error instanceof StoreError && error.code === 'compacted') return false;
      throw error;
    }
  }

  async #write(
    operation: 'PUT' | 'DELETE',
    change: Operation,
    attributes: Attributes,
    modRevision: number,
  ): Promise<WriteResult> {
    const { key } = change;
    const call = this.#call(operation, key, attributes);
    this.#remember(key, 0, call);
    const response = await this.#answered(call, key, () =>
      this.#store.txn({
        compare: [{ key, target: 'mod', result: '=', operand: modRevision }],
        success: [change],
        failure: [{ kind: 'range', key }],
      }),
    );
    this.#writes.delete(`${key}@0`);
    const revision = { 'etcd.revision': response.revision };
    if (!response.succeeded) {
      this.#reply(call, 'Conflict', 409, { ...attributes, ...revision });
      return { kind: 'conflict', current: valueIn(response) };
    }
    this.#remember(key, response.revision, call);
    this.#reply(call, 'OK', 200, { ...attributes, ...revision });
    return { kind: 'written', revision: response.revision };
  }

  #call(operation: string, key: string, attributes: Attributes): string {
    return this.#recorder.pass({
      from: API_SERVER,
      to: STORE,
      kind: 'call',
      label: `${operation} ${key}`,
      attributes: { 'db.operation.name': operation, 'etcd.key': key, ...attributes },
    });
  }

  /** A refusal by the store is an answer too. */
  async #answered<T>(call: string, key: string, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      this.#writes.delete(`${key}@0`);
      this.#reply(call, error instanceof StoreError ? error.code : 'failed', 500, {});
      throw error;
    }
  }

  #reply(call: string, label: string, status: number, attributes: Attributes): void {
    const asked = this.#recorder.find(call)?.attributes;
    this.#recorder.pass({
      from: STORE,
      to: API_SERVER,
      kind: 'reply',
      label,
      replyTo: call,
      status,
      parent: call,
      attributes: { ...asked, ...attributes },
    });
  }

  #notified(event: StoreEvent): StoreChange {
    const stored = event.kind === 'put' ? decode(event.kv) : undefined;
    const key = event.kind === 'put' ? event.kv.key : event.key;
    const revision = event.kind === 'put' ? event.kv.modRevision : event.modRevision;
    const operation = event.kind === 'put' ? 'PUT' : 'DELETE';
    // The notification may come before the answer that tells the revision: then an open write of this key is its cause.
    const parent = this.#writes.get(`${key}@${revision}`) ?? this.#writes.get(`${key}@0`);
    const eventId = withCause(parent, () =>
      this.#recorder.pass({
        from: STORE,
        to: API_SERVER,
        kind: 'async',
        label: `watch ${operation} ${key}`,
        attributes: {
          'db.operation.name': operation,
          'etcd.key': key,
          'etcd.revision': revision,
          ...attributesOf(stored?.object ?? this.#known(key)),
        },
      }),
    );
    return { key, revision, object: stored?.object, eventId };
  }

  #remember(key: string, revision: number, call: string): void {
    this.#writes.set(`${key}@${revision}`, call);
    const [oldest] = this.#writes.keys();
    if (this.#writes.size > WRITES_MAX && oldest !== undefined) this.#writes.delete(oldest);
  }
}

function valueIn(response: TxnResponse): KeyValue | undefined {
  const [first] = response.responses;
  return first?.kind === 'range' ? first.kvs[0] : undefined;
}

function attributesOfValue(kv: KeyValue): Attributes {
  return attributesOf(decode(kv).object);
}
