import { setMaxListeners } from 'node:events';
import { Agent, type IncomingMessage } from 'node:http';
import {
  type Binding,
  type DeleteOptions,
  describeRequest,
  isJsonArray,
  isJsonObject,
  type KubernetesObject,
  type List,
  type NewObject,
  own,
  type Pod,
  textAt,
  type WatchEvent,
} from '../api/index.ts';
import {
  API_SERVER,
  type Attributes,
  participantOf,
  type Recorder,
  REPLY_ID_HEADER,
  REQUEST_ID_HEADER,
  WATCH_HEADER,
  withCause,
} from '../tracing/index.ts';
import { ApiError } from './api-error.ts';
import type { Environment } from './environment.ts';
import { open, readLines, readText } from './http-exchange.ts';
import { type Location, locate, PODS, type ResourceOf } from './resources.ts';

export interface ApiClientOptions {
  /** Its first word decides which participant of the trace this client is. */
  readonly userAgent: string;
  /** What the trace says of every call of this client, e.g. the node that it runs on. */
  readonly attributes?: Attributes;
}

/** Selectors and the like; what is undefined is left out. */
export type Query = Readonly<Record<string, string | undefined>>;

interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Query | undefined;
  readonly body?: unknown;
  readonly contentType?: string;
  /** The object that the request is about, as far as the caller knows it: the trace names its owners. */
  readonly about?: KubernetesObject | undefined;
  readonly watch?: boolean;
}

interface Answer {
  readonly body: unknown;
  /** The event of the reply: what followed from the answer was caused by it. */
  readonly replyId: string | undefined;
}

export type PatchType = 'merge' | 'strategic-merge';

export interface WatchOptions<T> {
  readonly query: Query;
  readonly signal: AbortSignal;
  /** Called as the handling of the line: what it sends has the line as its parent. */
  readonly onEvent: (event: WatchEvent<T>, lineId: string | undefined) => void;
}

const SILENCE_MAX_MS = 30_000;
/** The server ends a watch by itself after a while; a link that is silent for longer than that is dead. */
const WATCH_SECONDS = 300;
const WATCH_SILENCE_MAX_MS = (WATCH_SECONDS + 30) * 1000;

/**
 * Speaks to the API server for one component, and records what it sends and what arrives, at the moment it does so.
 * Requests are rejected with `ApiError` when the server refuses them.
 */
export class ApiClient {
  readonly participant: string;
  readonly #baseUrl: string;
  readonly #userAgent: string;
  readonly #attributes: Attributes;
  readonly #recorder: Recorder;
  readonly #agent = new Agent({ keepAlive: true, keepAliveMsecs: 1000 });
  readonly #stop = new AbortController();

  constructor(environment: Environment, options: ApiClientOptions) {
    this.participant = participantOf(options.userAgent);
    this.#baseUrl = environment.apiUrl;
    this.#recorder = environment.recorder;
    this.#userAgent = options.userAgent;
    this.#attributes = options.attributes ?? {};
    // Every request under way listens to it; there is no number that would mean a leak.
    setMaxListeners(0, this.#stop.signal);
  }

  async get<T extends KubernetesObject>(of: ResourceOf<T>, at: Location, about?: T): Promise<T> {
    return objectIn(of, await this.#exchange({ method: 'GET', path: locate(of, at), about }));
  }

  /** The objects, the revision at which they were read, and the event of the reply. */
  async list<T extends KubernetesObject>(
    of: ResourceOf<T>,
    options: {
      readonly namespace?: string | undefined;
      readonly query?: Query;
      readonly about?: KubernetesObject;
    } = {},
  ): Promise<{ readonly list: List<T>; readonly replyId: string | undefined }> {
    const { namespace, query, about } = options;
    const answer = await this.#exchange({ method: 'GET', path: locate(of, { namespace }), query, about });
    return { list: listIn(of, answer), replyId: answer.replyId };
  }

  async create<T extends KubernetesObject>(of: ResourceOf<T>, object: NewObject<T>): Promise<T> {
    const path = locate(of, { namespace: object.metadata.namespace });
    return objectIn(of, await this.#exchange({ method: 'POST', path, body: object }));
  }

  async patch<T extends KubernetesObject>(
    of: ResourceOf<T>,
    object: T,
    patch: object,
    options: { readonly type: PatchType; readonly subresource?: 'status' },
  ): Promise<T> {
    const { namespace, name } = object.metadata;
    const { type, subresource } = options;
    const answer = await this.#exchange({
      method: 'PATCH',
      path: locate(of, { namespace, name, ...(subresource === undefined ? {} : { subresource }) }),
      body: patch,
      contentType: `application/${type}-patch+json`,
      about: object,
    });
    return objectIn(of, answer);
  }

  /** Assigns a pod to a node. */
  async bind(pod: Pod, node: string): Promise<void> {
    const { namespace, name, uid } = pod.metadata;
    const binding: Binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name, uid, ...(namespace === undefined ? {} : { namespace }) },
      target: { apiVersion: 'v1', kind: 'Node', name: node },
    };
    const path = locate(PODS, { namespace, name, subresource: 'binding' });
    await this.#exchange({ method: 'POST', path, body: binding, about: pod });
  }

  async delete<T extends KubernetesObject>(of: ResourceOf<T>, object: T, options: DeleteOptions): Promise<void> {
    const { namespace, name } = object.metadata;
    const path = locate(of, { namespace, name });
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', ...options };
    await this.#exchange({ method: 'DELETE', path, body, about: object });
  }

  /** Resolves when the server ends the stream; rejects when it breaks or is aborted. */
  async watch<T extends KubernetesObject>(of: ResourceOf<T>, options: WatchOptions<T>): Promise<void> {
    const query = { ...options.query, watch: 'true', timeoutSeconds: String(WATCH_SECONDS) };
    const path = locate(of, {});
    const response = await this.#send({ method: 'GET', path, query, watch: true }, options.signal);
    this.#received(response);
    if ((response.statusCode ?? 0) >= 400) throw await refusal(`watch ${path}`, response);
    await readLines(response, (line) => {
      const event = watchEventIn<T>(line);
      const id = event.asdrawn;
      if (id !== undefined) this.#recorder.receive(id);
      withCause(id, () => {
        options.onEvent(event, id);
      });
    });
  }

  /** Cuts all connections; requests under way are rejected. Idempotent. */
  stop(): void {
    this.#stop.abort();
    this.#agent.destroy();
  }

  async #exchange(request: Request): Promise<Answer> {
    const response = await this.#send(request, this.#stop.signal);
    const text = await readText(response);
    const replyId = this.#received(response);
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const status = response.statusCode ?? 0;
    if (status >= 400) throw new ApiError(`${request.method} ${request.path}`, status, body);
    return { body, replyId };
  }

  #send(request: Request, signal: AbortSignal): Promise<IncomingMessage> {
    const url = new URL(request.path, this.#baseUrl);
    for (const [key, value] of Object.entries(request.query ?? {})) {
      if (value !== undefined) url.searchParams.set(key, value);
    }
    const body = request.body === undefined ? undefined : JSON.stringify(request.body);
    const id = this.#recordCall(request, `${url.pathname}${url.search}`);
    return open({
      method: request.method,
      url,
      body,
      agent: this.#agent,
      signal,
      silenceMaxMs: request.watch === true ? WATCH_SILENCE_MAX_MS : SILENCE_MAX_MS,
      headers: {
        accept: 'application/json',
        'user-agent': this.#userAgent,
        ...(body === undefined ? {} : { 'content-type': request.contentType ?? 'application/json' }),
        ...(id === '' ? {} : { [REQUEST_ID_HEADER]: id }),
        ...(request.watch === true ? { [WATCH_HEADER]: '1' } : {}),
      },
    });
  }

  #recordCall({ method, about, body }: Request, url: string): string {
    // The phase of an object that is being changed is what the change says, not what it was before.
    const object = method === 'GET' || about === undefined ? about : { ...about, status: undefined };
    const { label, attributes } = describeRequest({ method, url, userAgent: this.#userAgent, body, object });
    return this.#recorder.send({
      from: this.participant,
      to: API_SERVER,
      kind: 'call',
      label,
      attributes: { ...this.#attributes, ...attributes },
    });
  }

  #received(response: IncomingMessage): string | undefined {
    const id = response.headers[REPLY_ID_HEADER];
    if (typeof id !== 'string') return undefined;
    this.#recorder.receive(id);
    return id;
  }
}

async function refusal(request: string, response: IncomingMessage): Promise<ApiError> {
  const text = await readText(response);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  return new ApiError(request, response.statusCode ?? 0, body);
}

function isObject(value: unknown): value is KubernetesObject {
  return textAt(value, 'metadata', 'name') !== undefined && textAt(value, 'metadata', 'uid') !== undefined;
}

function objectIn<T extends KubernetesObject>({ row }: ResourceOf<T>, { body }: Answer): T {
  if (!isObject(body) || body.kind !== row.kind) throw new Error(`expected one ${row.kind} from the API server`);
  // The kind decides the type; the API server has validated the fields.
  return body as T;
}

function listIn<T extends KubernetesObject>({ row }: ResourceOf<T>, { body }: Answer): List<T> {
  const items = own(body, 'items');
  if (textAt(body, 'kind') !== `${row.kind}List` || !isJsonArray(items) || !items.every(isObject)) {
    throw new Error(`expected a list of ${row.kind} from the API server`);
  }
  return body as List<T>;
}

function watchEventIn<T>(line: string): WatchEvent<T> {
  const event: unknown = JSON.parse(line);
  if (!isJsonObject(event) || !isJsonObject(own(event, 'object')) || textAt(event, 'type') === undefined) {
    throw new Error('expected a watch event from the API server');
  }
  return event as unknown as WatchEvent<T>;
}
