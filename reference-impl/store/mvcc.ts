import { StoreError } from './types.ts';
import type {
  Compare,
  KeyRange,
  KeyValue,
  Operation,
  OperationResponse,
  RangeRequest,
  RangeResponse,
  StoreEvent,
  TxnRequest,
  TxnResponse,
} from './types.ts';

/** What one revision did, as watchers are told of it. */
export interface Commit {
  readonly revision: number;
  readonly events: readonly StoreEvent[];
}

/** The same as it is written down: the rest follows from replaying changes in order. A null value is a deletion. */
export interface ChangeRecord {
  readonly revision: number;
  readonly changes: readonly (readonly [key: string, value: string | null])[];
}

/** The live keys at the last compaction: with the records from there on, everything is known again. */
export interface Snapshot {
  readonly revision: number;
  readonly compactRevision: number;
  readonly kvs: readonly KeyValue[];
}

/** Versions of one key, oldest first; `null` is a deletion. */
type History = { readonly revision: number; readonly kv: KeyValue | null }[];

/** Operations in one transaction (etcd's own default). */
const OPERATIONS_MAX = 128;

/** The multi-version state and its rules: synchronous, no clock, no disk. */
export class Mvcc {
  #revision = 1;
  #compactRevision = 0;
  /** Keys with a history, in order. */
  #keys: string[] = [];
  #histories = new Map<string, History>();
  /** Commits since the compaction, in order. */
  #commits: Commit[] = [];

  get revision(): number {
    return this.#revision;
  }

  get compactRevision(): number {
    return this.#compactRevision;
  }

  range(request: RangeRequest): RangeResponse {
    const at = request.revision === undefined || request.revision === 0 ? this.#revision : request.revision;
    if (at > this.#revision) throw new StoreError('future-revision', `revision ${at} is after ${this.#revision}`);
    if (at < this.#compactRevision) throw compacted(at, this.#compactRevision);
    const found = this.#keysIn(request).flatMap((key) => this.#valueAt(key, at) ?? []);
    const limit = request.limit === undefined || request.limit === 0 ? found.length : request.limit;
    return {
      revision: this.#revision,
      kvs: found.slice(0, limit),
      count: found.length,
      more: found.length > limit,
    };
  }

  /** The answer, and what to persist and tell watchers when something was written. */
  txn(request: TxnRequest): { readonly response: TxnResponse; readonly commit?: Commit } {
    checkTxn(request);
    const succeeded = (request.compare ?? []).every((compare) => this.#holds(compare));
    const operations = succeeded ? request.success : (request.failure ?? []);
    const transaction = new Transaction(this);
    const responses = operations.map((operation) => transaction.perform(operation));
    const events = transaction.events();
    if (events.length === 0) return { response: { revision: this.#revision, succeeded, responses } };
    const commit: Commit = { revision: this.#revision + 1, events };
    this.#apply(commit);
    return { response: { revision: this.#revision, succeeded, responses }, commit };
  }

  /** Does again what a log says was done. False when the record does not follow on the state. */
  replay(record: ChangeRecord): boolean {
    if (record.revision === this.#compactRevision && this.#revision === record.revision) return this.#tellAgain(record);
    if (record.revision !== this.#revision + 1) return false;
    const transaction = new Transaction(this);
    for (const [key, value] of record.changes) {
      transaction.perform(value === null ? { kind: 'delete', key } : { kind: 'put', key, value });
    }
    this.#apply({ revision: record.revision, events: transaction.events() });
    return true;
  }

  compact(revision: number): void {
    if (revision > this.#revision) {
      throw new StoreError('future-revision', `revision ${revision} is after ${this.#revision}`);
    }
    if (revision <= this.#compactRevision) throw compacted(revision, this.#compactRevision);
    this.#compactRevision = revision;
    // The commit at the revision itself is kept: a watch may start there.
    this.#commits = this.#commits.filter((commit) => commit.revision >= revision);
    const [oldest, ...later] = this.#commits;
    if (oldest?.revision === revision) {
      // The value before the compaction is forgotten.
      this.#commits = [{ revision, events: oldest.events.map(withoutPrevious) }, ...later];
    }
    for (const [key, history] of this.#histories) this.#forget(key, history, revision);
    this.#keys = this.#keys.filter((key) => this.#histories.has(key));
  }

  /** Commits from one revision up to and with another; undefined when the first is compacted. */
  commits(from: number, through: number): readonly Commit[] | undefined {
    if (from < this.#compactRevision) return undefined;
    // Every revision has one commit, so its place follows from its number.
    const first = this.#commits[0]?.revision ?? 0;
    return this.#commits.slice(Math.max(0, from - first), Math.max(0, through - first + 1));
  }

  snapshot(): Snapshot {
    const revision = Math.max(this.#compactRevision, 1);
    const kvs = this.#keys.flatMap((key) => this.#valueAt(key, revision) ?? []);
    return { revision, compactRevision: this.#compactRevision, kvs };
  }

  /** What follows on the snapshot. */
  records(): readonly ChangeRecord[] {
    return this.#commits.map(recordOf);
  }

  /** Takes over a snapshot; only for a state that is still empty. */
  restore(snapshot: Snapshot): void {
    this.#compactRevision = snapshot.compactRevision;
    this.#revision = snapshot.revision;
    for (const kv of snapshot.kvs) this.#append(kv.key, kv.modRevision, kv);
  }

  current(key: string): KeyValue | undefined {
    return this.#valueAt(key, this.#revision);
  }

  liveIn(range: KeyRange): readonly KeyValue[] {
    return this.#keysIn(range).flatMap((key) => this.current(key) ?? []);
  }

  /** What happened at the compaction itself is in the values already; it is kept for watchers that start there. */
  #tellAgain({ revision, changes }: ChangeRecord): boolean {
    const events = changes.map(([key]): StoreEvent => {
      const kv = this.current(key);
      return kv === undefined ? { kind: 'delete', key, modRevision: revision } : { kind: 'put', kv };
    });
    this.#commits.push({ revision, events });
    return true;
  }

  #apply(commit: Commit): void {
    this.#revision = commit.revision;
    this.#commits.push(commit);
    for (const event of commit.events) {
      if (event.kind === 'put') this.#append(event.kv.key, commit.revision, event.kv);
      else this.#append(event.key, commit.revision, null);
    }
  }

  #append(key: string, revision: number, kv: KeyValue | null): void {
    const history = this.#histories.get(key);
    if (history !== undefined) {
      history.push({ revision, kv });
      return;
    }
    this.#histories.set(key, [{ revision, kv }]);
    this.#keys.splice(lowerBound(this.#keys, key), 0, key);
  }

  /** Keeps the value that holds at the revision, and what comes after. */
  #forget(key: string, history: History, revision: number): void {
    const holding = history.findLastIndex((entry) => entry.revision <= revision);
    if (holding < 0) return;
    const start = history[holding]?.kv === null ? holding + 1 : holding;
    history.splice(0, start);
    if (history.length === 0) this.#histories.delete(key);
  }

  #valueAt(key: string, revision: number): KeyValue | undefined {
    return this.#histories.get(key)?.findLast((entry) => entry.revision <= revision)?.kv ?? undefined;
  }

  #keysIn({ key, rangeEnd }: KeyRange): readonly string[] {
    if (rangeEnd === undefined) return this.#histories.has(key) ? [key] : [];
    // etcd's way to say "all keys from here on".
    const end = rangeEnd === '\0' ? this.#keys.length : lowerBound(this.#keys, rangeEnd);
    return this.#keys.slice(lowerBound(this.#keys, key === '\0' ? '' : key), end);
  }

  #holds(compare: Compare): boolean {
    const kv = this.current(compare.key);
    if (compare.target === 'value') return kv !== undefined && relates(kv.value, compare.result, compare.operand);
    const actual = { mod: kv?.modRevision, create: kv?.createRevision, version: kv?.version }[compare.target] ?? 0;
    return relates(actual, compare.result, compare.operand);
  }
}

/** One branch being done: sees its own writes, all at one revision. */
class Transaction {
  readonly #state: Mvcc;
  readonly #revision: number;
  readonly #events = new Map<string, StoreEvent>();

  constructor(state: Mvcc) {
    this.#state = state;
    this.#revision = state.revision + 1;
  }

  perform(operation: Operation): OperationResponse {
    switch (operation.kind) {
      case 'put':
        return this.#put(operation.key, operation.value);
      case 'delete':
        return this.#delete(operation);
      case 'range':
        return this.#range(operation);
    }
  }

  events(): readonly StoreEvent[] {
    return [...this.#events.values()];
  }

  #put(key: string, value: string): OperationResponse {
    const previous = this.#state.current(key);
    const kv: KeyValue = {
      key,
      value,
      createRevision: previous?.createRevision ?? this.#revision,
      modRevision: this.#revision,
      version: (previous?.version ?? 0) + 1,
    };
    this.#events.set(key, { kind: 'put', kv, ...(previous === undefined ? {} : { previous }) });
    return { kind: 'put', ...(previous === undefined ? {} : { previous }) };
  }

  #delete(range: KeyRange): OperationResponse {
    const deleted = this.#state.liveIn(range).filter((kv) => this.#events.get(kv.key)?.kind !== 'delete');
    for (const previous of deleted) {
      this.#events.set(previous.key, { kind: 'delete', key: previous.key, modRevision: this.#revision, previous });
    }
    return { kind: 'delete', deleted };
  }

  /** A read after a write in the same branch sees that write. */
  #range(request: RangeRequest): OperationResponse {
    if ((request.revision ?? 0) !== 0 || this.#events.size === 0) {
      return { kind: 'range', ...this.#state.range(request) };
    }
    const merged = new Map(this.#state.liveIn(request).map((kv) => [kv.key, kv]));
    for (const event of this.#events.values()) {
      if (event.kind === 'delete') merged.delete(event.key);
      else if (covers(request, event.kv.key)) merged.set(event.kv.key, event.kv);
    }
    const kvs = [...merged.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
    const limit = request.limit === undefined || request.limit === 0 ? kvs.length : request.limit;
    return {
      kind: 'range',
      revision: this.#revision,
      kvs: kvs.slice(0, limit),
      count: kvs.length,
      more: kvs.length > limit,
    };
  }
}

/** Whether a key lies in a range. */
export function covers({ key, rangeEnd }: KeyRange, candidate: string): boolean {
  if (rangeEnd === undefined) return candidate === key;
  return (key === '\0' || candidate >= key) && (rangeEnd === '\0' || candidate < rangeEnd);
}

/** All keys that begin with a prefix. */
export function prefixRange(prefix: string): Required<KeyRange> {
  if (prefix === '') return { key: '\0', rangeEnd: '\0' };
  const last = prefix.length - 1;
  return { key: prefix, rangeEnd: prefix.slice(0, last) + String.fromCharCode(prefix.charCodeAt(last) + 1) };
}

/** An event without the value before. */
export function withoutPrevious(event: StoreEvent): StoreEvent {
  if (event.kind === 'put') return { kind: 'put', kv: event.kv };
  return { kind: 'delete', key: event.key, modRevision: event.modRevision };
}

/** A commit as it is written down. */
export function recordOf({ revision, events }: Commit): ChangeRecord {
  return {
    revision,
    changes: events.map((event) => (event.kind === 'put' ? [event.kv.key, event.kv.value] : [event.key, null])),
  };
}

function relates<T extends number | string>(actual: T, result: Compare['result'], operand: T): boolean {
  switch (result) {
    case '=':
      return actual === operand;
    case '!=':
      return actual !== operand;
    case '<':
      return actual < operand;
    case '>':
      return actual > operand;
  }
}

function checkTxn({ compare = [], success, failure = [] }: TxnRequest): void {
  for (const operations of [compare, success, failure]) {
    if (operations.length > OPERATIONS_MAX) {
      throw new StoreError('invalid-argument', `a transaction holds at most ${OPERATIONS_MAX} operations`);
    }
  }
  for (const { key } of [...compare, ...success, ...failure]) checkKey(key);
  checkDuplicates(success);
  checkDuplicates(failure);
}

/** Printable ASCII, so that order by code and order by byte are one. */
export function checkKey(key: string): void {
  if (key === '\0' || /^[\x20-\x7e]+$/.test(key)) return;
  throw new StoreError('invalid-argument', 'a key is one or more printable ASCII characters');
}

/** A key written twice at one revision would have two values there. */
function checkDuplicates(operations: readonly Operation[]): void {
  const puts = new Set<string>();
  for (const operation of operations) {
    if (operation.kind !== 'put') continue;
    if (puts.has(operation.key)) throw new StoreError('duplicate-key', `two puts of ${operation.key}`);
    puts.add(operation.key);
  }
  for (const operation of operations) {
    if (operation.kind !== 'delete') continue;
    for (const key of puts) {
      if (covers(operation, key)) throw new StoreError('duplicate-key', `put and delete of ${key}`);
    }
  }
}

function compacted(revision: number, compactRevision: number): StoreError {
  return new StoreError('compacted', `revision ${revision} is compacted; the earliest is ${compactRevision}`);
}

function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
