/**
 * etcd's data model. Keys are printable ASCII and are compared by code; values are text. Semantics that are not said here are those
 * of etcd v3; the suite in contract-suite.ts states them as tests that every implementation passes.
 */
export interface Store {
  /** Reads keys, now or at a past revision. */
  range(request: RangeRequest): Promise<RangeResponse>;
  /** Compares, then does all of one branch at one revision. A branch that writes nothing takes no revision. */
  txn(request: TxnRequest): Promise<TxnResponse>;
  /**
   * Tells of every revision from `startRevision` on, in order, each once, all events of a revision together. The handler is never called
   * before `watch` has returned. Delivery is a step of its own: it may come before or after the writer's answer.
   */
  watch(request: WatchRequest, handler: (message: WatchMessage) => void): Watcher;
  /** Forgets what was superseded before `revision`; reads and watches below it fail from then on. */
  compact(revision: number): Promise<void>;
  /** Waits for open writes, then refuses everything and cancels watches. Idempotent. */
  close(): Promise<void>;
}

export interface KeyValue {
  readonly key: string;
  readonly value: string;
  /** Revision that created the key (anew after a deletion), and the one that last changed it. */
  readonly createRevision: number;
  readonly modRevision: number;
  /** 1 at creation, counts the changes. */
  readonly version: number;
}

/** `key` alone, or all keys from `key` up to but without `rangeEnd`. */
export interface KeyRange {
  readonly key: string;
  readonly rangeEnd?: string;
}

export interface RangeRequest extends KeyRange {
  /** At most this many keys; 0 or absent: all. */
  readonly limit?: number;
  /** Absent or 0: now. */
  readonly revision?: number;
}

export interface RangeResponse {
  /** The store's revision when the answer was made. */
  readonly revision: number;
  /** In key order. */
  readonly kvs: readonly KeyValue[];
  /** Keys in the range, whatever the limit. */
  readonly count: number;
  readonly more: boolean;
}

/** An absent key has revisions and version 0, and no value: a comparison of its value is false. */
export type Compare = { readonly key: string; readonly result: '=' | '!=' | '<' | '>' } & (
  | { readonly target: 'mod' | 'create' | 'version'; readonly operand: number }
  | { readonly target: 'value'; readonly operand: string }
);

export type Operation =
  | { readonly kind: 'put'; readonly key: string; readonly value: string }
  | ({ readonly kind: 'delete' } & KeyRange)
  | ({ readonly kind: 'range' } & RangeRequest);

export interface TxnRequest {
  /** All must hold; none: the success branch. */
  readonly compare?: readonly Compare[];
  readonly success: readonly Operation[];
  readonly failure?: readonly Operation[];
}

export type OperationResponse =
  | { readonly kind: 'put'; readonly previous?: KeyValue }
  | { readonly kind: 'delete'; readonly deleted: readonly KeyValue[] }
  | ({ readonly kind: 'range' } & RangeResponse);

export interface TxnResponse {
  readonly revision: number;
  readonly succeeded: boolean;
  /** One for each operation of the branch taken. */
  readonly responses: readonly OperationResponse[];
}

export interface WatchRequest extends KeyRange {
  /** First revision told of. Absent or 0: the next one. */
  readonly startRevision?: number;
  /** Whether events carry the value before. */
  readonly prevKv?: boolean;
}

/** `delete`: the key is gone; `modRevision` is the revision of the deletion. `previous` is absent once compacted. */
export type StoreEvent =
  | { readonly kind: 'put'; readonly kv: KeyValue; readonly previous?: KeyValue }
  | { readonly kind: 'delete'; readonly key: string; readonly modRevision: number; readonly previous?: KeyValue };

export type WatchMessage =
  | { readonly kind: 'events'; readonly revision: number; readonly events: readonly StoreEvent[] }
  /** Everything up to `revision` has been told. */
  | { readonly kind: 'progress'; readonly revision: number }
  /** The last message. `compactRevision`: the wanted start is compacted; the earliest that can be watched. */
  | { readonly kind: 'canceled'; readonly compactRevision?: number };

export interface Watcher {
  /** No message is delivered after it; not even `canceled`. */
  cancel(): void;
  /** Asks for a `progress` message, in order with the events. */
  requestProgress(): void;
}

export type StoreErrorCode =
  | 'compacted'
  | 'future-revision'
  | 'duplicate-key'
  | 'invalid-argument'
  | 'closed'
  | 'unavailable'
  | 'corrupt'
  | 'locked';

/** Why a store refuses: the rejection of every method above. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string) {
    super(message);
    this.name = 'StoreError';
    this.code = code;
  }
}
