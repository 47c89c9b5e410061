import request from 'supertest';
import type { Test } from 'supertest';
import { createMemStore } from '../store/index.ts';
import type { EngineOptions, Store } from '../store/index.ts';
import { createRecorder } from '../tracing/index.ts';
import type { Recorder, TraceEvent } from '../tracing/index.ts';
import { createApiServer } from './index.ts';
import type { ApiServerOptions } from './index.ts';
import { TestWatch } from './test-watch.ts';

export const PODS = '/api/v1/namespaces/default/pods';
export const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
export const REPLICASETS = '/apis/apps/v1/namespaces/default/replicasets';

/** A pod as a client writes it. */
export const podNamed = (name: string, labels: Record<string, string> = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels },
  spec: { containers: [{ name: 'main', image: 'app:1' }] },
});

/** A deployment as a client writes it. */
export const deploymentNamed = (name: string, spec: object = {}): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'app:1' }] } },
    ...spec,
  },
});

/** An API server over real HTTP, with what a test needs to drive it and to see what happened. */
export class TestServer {
  readonly url: string;
  readonly recorder: Recorder;
  readonly store: Store;
  readonly #close: () => Promise<void>;
  readonly #watches: TestWatch[] = [];

  private constructor(url: string, recorder: Recorder, store: Store, close: () => Promise<void>) {
    this.url = url;
    this.recorder = recorder;
    this.store = store;
    this.#close = close;
  }

  static async start(options: Partial<ApiServerOptions> = {}, engine: EngineOptions = {}): Promise<TestServer> {
    const recorder = options.recorder ?? createRecorder();
    const store = options.store ?? createMemStore(engine);
    const listening = await createApiServer({ ...options, store, recorder }).listen();
    return new TestServer(listening.url, recorder, store, () => listening.close());
  }

  /** Closes the server alone: the store and the watches of the test stay. */
  close(): Promise<void> {
    return this.#close();
  }

  async stop(): Promise<void> {
    await this.#close();
    for (const watch of this.#watches) watch.close();
    await this.store.close();
  }

  get(path: string): Test {
    return request(this.url).get(path);
  }

  post(path: string, body: object): Test {
    return request(this.url).post(path).send(body);
  }

  put(path: string, body: object): Test {
    return request(this.url).put(path).send(body);
  }

  patch(path: string, body: object, kind: 'merge' | 'json' | 'strategic' = 'merge'): Test {
    const type = { merge: 'merge-patch', json: 'json-patch', strategic: 'strategic-merge-patch' }[kind];
    return request(this.url).patch(path).set('Content-Type', `application/${type}+json`).send(JSON.stringify(body));
  }

  delete(path: string, body?: object): Test {
    return request(this.url).delete(path).send(body);
  }

  bind(name: string, node: string): Test {
    return this.post(`${PODS}/${name}/binding`, {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name },
      target: { kind: 'Node', name: node },
    });
  }

  async watch(path: string, headers: Record<string, string> = {}): Promise<TestWatch> {
    const watch = await TestWatch.open(`${this.url}${path}`, headers);
    this.#watches.push(watch);
    return watch;
  }

  /** What was recorded so far. */
  events(): readonly TraceEvent[] {
    const reading = this.recorder.read();
    if (reading.kind === 'gone') throw new Error(reading.detail);
    return reading.lines.filter((line): line is TraceEvent => 'from' in line);
  }

  /** The same, one text per event: `From -> To label`. */
  arrows(keep: (event: TraceEvent) => boolean = () => true): readonly string[] {
    return this.events()
      .filter(keep)
      .map(({ from, to, label }) => `${from} -> ${to} ${label}`);
  }
}
