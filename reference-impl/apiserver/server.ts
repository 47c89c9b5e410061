import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomInt } from 'node:crypto';
import express from 'express';
import type { Express, NextFunction, Request, Response } from 'express';
import { pathOf, RESOURCES, resourceNamed } from '../api/index.ts';
import type { Json, Resource } from '../api/index.ts';
import type { Store } from '../store/index.ts';
import { StoreError } from '../store/index.ts';
import { withCause } from '../tracing/index.ts';
import type { Recorder } from '../tracing/index.ts';
import { parseBody } from './body.ts';
import { Delays } from './delays.ts';
import { DISCOVERY } from './discovery.ts';
import { Exchange, keyOfPath } from './exchange.ts';
import { COLLECTION, OBJECT, SUBRESOURCES } from './handlers.ts';
import type { Handler, Services } from './handlers.ts';
import { selectMutants } from './mutants.ts';
import { OPENAPI } from './openapi.ts';
import { Registry } from './registry.ts';
import type { Sources } from './registry.ts';
import {
  badRequest,
  internal,
  methodNotAllowed,
  noSuchPath,
  StatusError,
  tooLarge,
  unavailable,
} from './status-error.ts';
import { TracedStore } from './traced-store.ts';
import { WatchCache } from './watch-cache.ts';
import { WriteGate } from './write-gate.ts';

export interface ApiServerOptions {
  readonly store: Store;
  readonly recorder: Recorder;
  /** `respond-first` (default): watchers hear of a revision when the response to its writer was flushed; `free`: at once. */
  readonly dispatch?: 'respond-first' | 'free';
  /** Milliseconds, used in turn, before a reply (a watch line) is put on the wire. */
  readonly replyDelaysMs?: readonly number[];
  readonly watchDelaysMs?: readonly number[];
  /** Names of bugs to switch on; see API_SERVER_MUTANTS. */
  readonly mutants?: readonly string[];
  /** Largest body of a request. Default 3 MiB. */
  readonly bodyBytesMax?: number;
  /** Where names, uids and times come from. */
  readonly sources?: Sources;
}

export interface ApiServer {
  readonly app: Express;
  /** Port 0 (default): any that is free. */
  listen(port?: number, host?: string): Promise<{ readonly url: string; close(): Promise<void> }>;
  /** Stops following the store and ends all watches. The store stays open. */
  close(): Promise<void>;
}

const BODY_BYTES_MAX = 3 * 1024 * 1024;
const CLOSING_SWEEP_MS = 5;
const CLOSING_MAX_MS = 1000;
const RANDOM_STEPS = 2 ** 32;

const SYSTEM: Sources = { random: () => randomInt(RANDOM_STEPS) / RANDOM_STEPS, now: () => Date.now() };

/** A Kubernetes API server over a store. Every request, reply, watch line and store call is recorded where it happens. */
export function createApiServer(options: ApiServerOptions): ApiServer {
  const server = new Assembly(options);
  return {
    app: server.app,
    listen: (port = 0, host = '127.0.0.1') => server.listen(port, host),
    close: () => server.close(),
  };
}

class Assembly {
  readonly app = express();
  readonly #options: ApiServerOptions;
  readonly #cache: WatchCache;
  readonly #gate: WriteGate;
  readonly #services: Services;
  readonly #replyDelays: Delays;
  readonly #exchanges = new WeakMap<Request, Exchange>();
  readonly #ready: Promise<() => void>;
  #isLost = false;

  constructor(options: ApiServerOptions) {
    this.#options = options;
    const isFree = options.dispatch === 'free';
    this.#cache = new WatchCache((revision) => !isFree && this.#gate.holds(revision));
    this.#gate = new WriteGate(() => {
      this.#cache.release();
    });
    const { recorder } = options;
    const mutants = selectMutants(options.mutants ?? []);
    const store = new TracedStore(options.store, recorder, (key) => this.#cache.get(key)?.object);
    const registry = new Registry(store, this.#cache, options.sources ?? SYSTEM, mutants);
    const delays = new Delays(options.watchDelaysMs ?? []);
    this.#services = { store, registry, cache: this.#cache, recorder, delays, mutants, open: new Set() };
    this.#replyDelays = new Delays(options.replyDelaysMs ?? []);
    this.#ready = withCause(undefined, () => this.#start());
    // Whoever waits for it hears of a failure; without this, one that comes before the first request would end the process.
    this.#ready.catch(() => undefined);
    this.#assemble();
  }

  async listen(port: number, host: string): Promise<{ readonly url: string; close(): Promise<void> }> {
    await this.#ready;
    // A watch lasts: no limit on the time of a request; the one on the time until it has arrived stays.
    const server = createServer(this.app);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, host, resolve);
    });
    return { url: urlOf(server), close: () => this.#stopListening(server) };
  }

  async close(): Promise<void> {
    for (const stream of this.#services.open) stream.end();
    (await this.#ready)();
  }

  /** The namespace first: following begins with everything that is there, so nobody is told of it later. */
  async #start(): Promise<() => void> {
    const namespaces = resourceNamed('namespaces');
    if (namespaces !== undefined) await this.#services.registry.createDefaultNamespace(namespaces);
    return this.#cache.follow(this.#services.store, () => {
      this.#isLost = true;
    });
  }

  async #stopListening(server: Server): Promise<void> {
    for (const stream of this.#services.open) stream.end();
    const closed = new Promise<void>((resolve) => {
      server.close(() => {
        resolve();
      });
    });
    // A connection becomes idle when its response has gone out, and would then be kept for the next request.
    const sweep = setInterval(() => {
      server.closeIdleConnections();
    }, CLOSING_SWEEP_MS);
    // A client that does not read does not keep the server.
    const force = setTimeout(() => {
      server.closeAllConnections();
    }, CLOSING_MAX_MS);
    await closed;
    clearInterval(sweep);
    clearTimeout(force);
    await this.close();
  }

  #assemble(): void {
    const { app } = this;
    app.disable('x-powered-by').disable('etag').enable('case sensitive routing').enable('strict routing');
    app.use((request, response, next) => {
      this.#open(request, response);
      next();
    });
    app.use(express.raw({ type: () => true, limit: this.#bodyBytesMax() }));
    app.use((request, _response, next) => {
      this.#arrived(request, parsedOrNothing(request.body), next);
    });
    app.use(async (_request, _response, next) => {
      await this.#ready;
      next(this.#isLost ? unavailable('the store tells of no changes any more') : undefined);
    });
    this.#routeDiscovery();
    for (const resource of RESOURCES) this.#routeResource(resource);
    app.use(() => {
      throw noSuchPath();
    });
    // Express knows an error handler by its four parameters.
    app.use((error: unknown, request: Request, _response: Response, next: NextFunction) => {
      this.#refuse(error, request).catch(next);
    });
  }

  #bodyBytesMax(): number {
    return this.#options.bodyBytesMax ?? BODY_BYTES_MAX;
  }

  #open(request: Request, response: Response): void {
    const gate = this.#gate.open();
    // Flushed, or the client is gone: either way nobody waits for this response any more.
    const close = (): void => {
      gate.close();
    };
    response.once('finish', close).once('close', close);
    const tools = { recorder: this.#options.recorder, replyDelays: this.#replyDelays };
    this.#exchanges.set(request, new Exchange(request, response, gate, tools));
  }

  #arrived(request: Request, body: Json | undefined, next: () => void): void {
    const exchange = this.#exchangeOf(request);
    const key = keyOfPath(request.path);
    exchange.arrived(body, key === undefined ? undefined : this.#cache.get(key)?.object);
    withCause(exchange.callId, next);
  }

  #routeDiscovery(): void {
    for (const [path, answer] of [...DISCOVERY, ...OPENAPI]) {
      this.app.get(path, (request) => this.#exchangeOf(request).reply(200, answer, {}));
    }
    this.app.get(['/healthz', '/livez', '/readyz'], (request) => this.#exchangeOf(request).replyText(200, 'ok'));
  }

  #routeResource(resource: Resource): void {
    const collection = pathOf(resource);
    const inNamespace = resource.namespaced ? namespacedPath(resource) : collection;
    this.#route(collection, resource, COLLECTION);
    if (inNamespace !== collection) this.#route(inNamespace, resource, COLLECTION);
    this.#route(`${inNamespace}/:name`, resource, OBJECT);
    for (const subresource of resource.subresources) {
      this.#route(`${inNamespace}/:name/${subresource}`, resource, SUBRESOURCES[subresource]);
    }
  }

  #route(path: string, resource: Resource, handlers: Partial<Record<string, Handler>>): void {
    this.app.all(path, async (request, response) => {
      const handler = handlers[request.method.toLowerCase()];
      if (handler === undefined) throw methodNotAllowed();
      const { namespace, name } = request.params;
      await handler({
        services: this.#services,
        request,
        response,
        exchange: this.#exchangeOf(request),
        resource,
        namespace: textOf(namespace),
        name: textOf(name),
      });
    });
  }

  async #refuse(error: unknown, request: Request): Promise<void> {
    const exchange = this.#exchangeOf(request);
    exchange.arrived(undefined, undefined);
    const { status } = statusErrorOf(error, this.#bodyBytesMax());
    await exchange.reply(status.code, status, {});
  }

  #exchangeOf(request: Request): Exchange {
    const exchange = this.#exchanges.get(request);
    if (exchange === undefined) throw new Error('the first middleware opens an exchange for every request');
    return exchange;
  }
}

function namespacedPath(resource: Resource): string {
  return pathOf(resource, 'NAMESPACE').replace('NAMESPACE', ':namespace');
}

function textOf(parameter: string | readonly string[] | undefined): string | undefined {
  return typeof parameter === 'string' ? parameter : undefined;
}

/** For the trace: what is wrong with a body is found again, and answered, by the handler. */
function parsedOrNothing(bytes: unknown): Json | undefined {
  try {
    return parseBody(bytes);
  } catch {
    return undefined;
  }
}

/** Our own refusals as they are, those of Express and its body parser by their type; anything else is a bug of ours. */
function statusErrorOf(error: unknown, bodyBytesMax: number): StatusError {
  if (error instanceof StatusError) return error;
  if (error instanceof StoreError) return unavailable(`the store refuses: ${error.code}`);
  if (isHttpError(error)) return error.status === 413 ? tooLarge(bodyBytesMax) : badRequest(error.message);
  process.emitWarning(error instanceof Error ? error : String(error), 'ApiServerBug');
  return internal();
}

/** By its shape: errors of Node itself may come from another realm. */
function isHttpError(error: unknown): error is { readonly status: number; readonly message: string } {
  if (typeof error !== 'object' || error === null || !('status' in error) || !('message' in error)) return false;
  return typeof error.status === 'number' && error.status < 500 && typeof error.message === 'string';
}

function urlOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
