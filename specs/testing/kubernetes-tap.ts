import type { Attribute, SourcedEvent, Trace, TraceEvent } from '../../harness/trace/index.ts';
import { attributesOfObject, attributesOfRequest, findObject, KubernetesObjects } from './kubernetes-objects.ts';
import { isRecord, listAt, numberAt, parseTap, textAt, type TapRecord } from './tap-records.ts';

type Attributes = Readonly<Record<string, Attribute>>;

/**
 * The trace that the taps of a Kubernetes cluster recorded: requests and their replies, watch events, what the API server
 * asked of etcd, and what the kubelet asked of Docker. A tap stands between two processes and writes a message down once,
 * before it passes it on; so each event has one position, and `point` stays at its default: one instant on both lifelines.
 *
 * Etcd tells nobody on whose behalf it is asked. A write belongs to the latest open API write on the same object.
 * `isBegun` says that the objects of interest did not exist before (a recording of a creation).
 */
export function readTap(text: string, source: string, options: { readonly isBegun?: boolean } = {}): Trace {
  const records = parseTap(text);
  const adapter = new Adapter(records);
  const events = records.flatMap((record, index): SourcedEvent[] => {
    const event = adapter.eventOf(record);
    return event === null ? [] : [{ event, source, line: index + 1 }];
  });
  const ended = records.some(({ kind, text: mark }) => kind === 'mark' && mark?.startsWith('end:') === true);
  return { events, begun: options.isBegun ?? false, ended };
}

interface OpenCall {
  readonly id: string;
  readonly key: string;
}

class Adapter {
  readonly #objects: KubernetesObjects;
  readonly #replies: ReadonlyMap<string, TapRecord>;
  readonly #requests = new Map<string, TraceEvent>();
  readonly #openWrites: OpenCall[] = [];

  constructor(records: readonly TapRecord[]) {
    this.#objects = new KubernetesObjects(records);
    this.#replies = new Map(records.flatMap((record) => (record.kind === 'res' ? [[record.id, record]] : [])));
  }

  /** The event that a line of a tap shows; null for what is no message (marks, ends of connections, other logs). */
  eventOf(record: TapRecord): TraceEvent | null {
    if (record.from === '' || record.to === '') return null;
    switch (record.kind) {
      case 'req':
        return this.#call(record);
      case 'res':
        return this.#reply(record);
      case 'watch':
        return record.tap === 'etcd' ? this.#storeNotification(record) : this.#notification(record);
      default:
        return null;
    }
  }

  #call(record: TapRecord): TraceEvent | null {
    const described =
      record.tap === 'etcd'
        ? this.#storeCall(record)
        : record.tap === 'docker'
          ? this.#runtimeCall(record)
          : this.#apiCall(record);
    const event: TraceEvent = { ...ends(record), kind: 'call', id: record.id, ...described };
    this.#requests.set(record.id, event);
    return event;
  }

  #reply(record: TapRecord): TraceEvent | null {
    const call = this.#requests.get(record.id);
    if (call === undefined) return null;
    const open = this.#openWrites.findIndex(({ id }) => id === record.id);
    if (open >= 0) this.#openWrites.splice(open, 1);
    const asked = call.attributes ?? {};
    const reply = { ...ends(record), kind: 'reply', id: `${record.id}-reply`, replyTo: record.id } as const;
    if (record.tap === 'etcd')
      return { ...reply, label: 'OK', status: 0, attributes: { ...asked, ...revisionOf(record.body) } };
    const status = record.status ?? 0;
    const attributes = { ...asked, 'http.response.status_code': status, ...this.#answered(record) };
    return { ...reply, label: String(status), status, attributes };
  }

  /** What a reply says of the object that the request could not know: the name that the API server made, a container's id. */
  #answered(record: TapRecord): Attributes {
    if (record.tap === 'docker') return this.#objects.attributesOfContainer(textAt(record.body, 'Id'));
    return attributesOfObject(record.body, this.#objects);
  }

  #apiCall(record: TapRecord): Pick<TraceEvent, 'label' | 'attributes'> {
    const [path, query] = splitQuery(record.url);
    const request = attributesOfRequest(path, record.body, this.#objects);
    const target = findObject(path, this.#replies.get(record.id)?.body ?? null);
    if (target !== null && record.method !== 'GET') this.#openWrites.push({ id: record.id, key: target });
    const agent = record.ua === '' ? {} : { 'user_agent.original': record.ua };
    return { label: `${record.method} ${path}`, attributes: { ...http(record, path, query), ...agent, ...request } };
  }

  #runtimeCall(record: TapRecord): Pick<TraceEvent, 'label' | 'attributes'> {
    const [versioned, query] = splitQuery(record.url);
    // The kubelet asks in a version of Docker's interface; a drawing does not care which.
    const path = versioned.replace(/^\/v\d+\.\d+(?=\/)/, '');
    const id = /^\/containers\/([0-9a-f]{64})\b/.exec(path)?.[1];
    const name = new URLSearchParams(query).get('name');
    const container =
      name === null ? this.#objects.attributesOfContainer(id) : this.#objects.attributesOfContainerName(name);
    return { label: `${record.method} ${path}`, attributes: { ...http(record, path, query), ...container } };
  }

  #storeCall(record: TapRecord): Pick<TraceEvent, 'label' | 'attributes' | 'parent'> {
    const operation = record.method.slice(record.method.lastIndexOf('/') + 1);
    if (operation === 'Range') return this.#storeAccess('RANGE', textAt(record.body, 'key') ?? '', null);
    if (operation !== 'Txn') return { label: operation, attributes: { 'db.operation.name': operation } };
    const [done, ...others] = listAt(record.body, 'success');
    if (others.length > 0)
      throw new Error(`line ${record.seq}: a transaction with several operations is not known here`);
    const put = isRecord(done) ? done['put'] : null;
    const removal = isRecord(done) ? done['deleteRange'] : null;
    const key = textAt(put ?? removal, 'key') ?? '';
    const written = this.#storeAccess(put === undefined || put === null ? 'DELETE' : 'PUT', key, valueOf(put));
    const parent = this.#openWrites.findLast((call) => call.key === key)?.id;
    return parent === undefined ? written : { ...written, parent };
  }

  #storeAccess(operation: string, key: string, value: unknown): Required<Pick<TraceEvent, 'label' | 'attributes'>> {
    const attributes = {
      'db.operation.name': operation,
      'etcd.key': key,
      ...this.#objects.attributesOfKey(key),
      ...attributesOfObject(value, this.#objects),
    };
    return { label: `${operation} ${key}`, attributes };
  }

  #storeNotification(record: TapRecord): TraceEvent {
    const [change, ...others] = listAt(record.body, 'events');
    if (others.length > 0) throw new Error(`line ${record.seq}: a notification of several changes is not known here`);
    const kv = isRecord(change) ? change['kv'] : null;
    const operation = textAt(change, 'type') === 'DELETE' ? 'DELETE' : 'PUT';
    const { label, attributes } = this.#storeAccess(operation, textAt(kv, 'key') ?? '', valueOf(kv));
    const revision = numberAt(kv, 'modRev');
    return {
      ...ends(record),
      kind: 'async',
      id: `watch-${record.seq}`,
      label: `watch ${label}`,
      attributes: { ...attributes, ...(revision === null ? {} : { 'etcd.revision': revision }) },
    };
  }

  #notification(record: TapRecord): TraceEvent {
    const type = textAt(record.event, 'type') ?? '';
    const object = isRecord(record.event) ? record.event['object'] : null;
    const resource = record.url.slice(record.url.lastIndexOf('/') + 1);
    const revision = Number(textAt(object, 'metadata', 'resourceVersion') ?? '');
    const name = textAt(object, 'metadata', 'name');
    return {
      ...ends(record),
      kind: 'async',
      id: `watch-${record.seq}`,
      label: `watch ${type} ${name === null ? resource : `${resource}/${name}`}`,
      attributes: {
        'k8s.watch.type': type,
        'k8s.resource': resource,
        ...(revision > 0 ? { 'etcd.revision': revision } : {}),
        ...attributesOfObject(object, this.#objects),
      },
    };
  }
}

const ends = ({ seq, t, from, to }: TapRecord): Pick<TraceEvent, 'seq' | 'time' | 'from' | 'to'> => ({
  seq,
  time: t,
  from,
  to,
});

const http = ({ method }: TapRecord, path: string, query: string): Attributes => ({
  'http.request.method': method,
  'url.path': path,
  ...(query === '' ? {} : { 'url.query': query }),
});

function splitQuery(url: string): readonly [string, string] {
  const at = url.indexOf('?');
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}

const valueOf = (entry: unknown): unknown => (isRecord(entry) ? (entry['value'] ?? null) : null);

function revisionOf(body: unknown): Attributes {
  const revision = numberAt(body, 'header', 'revision');
  return revision === null ? {} : { 'etcd.revision': revision };
}
