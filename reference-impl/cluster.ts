import type { RunningSystem, StartOptions } from '../harness/system/types.ts';
import { createApiServer } from './apiserver/index.ts';
import { type Component, type Environment, systemClock } from './client/index.ts';
import { ControllerManager, DeploymentController } from './controllers/index.ts';
import { Kubelet } from './kubelet/index.ts';
import { mutantsOf, refuseUnknownMutants } from './mutants.ts';
import { becameQuiet } from './quiescence.ts';
import { type ImageRegistry, ProcessRuntime } from './runtime/index.ts';
import { Scheduler } from './scheduler/index.ts';
import { createMemStore, type Store } from './store/index.ts';
import { createRecorder, createTraceEndpoint } from './tracing/index.ts';

export interface ClusterOptions extends StartOptions {
  /** Port of the API; 0 (default): any that is free. The trace is served on another port. */
  readonly port?: number;
  readonly tracePort?: number;
  readonly images?: ImageRegistry;
  readonly restartBackoffMs?: number;
  readonly heartbeatMs?: number;
  /** Told of what went wrong in a component and is tried again. Default: nobody. */
  readonly report?: (component: string, problem: string) => void;
}

/** A running control plane with its nodes. */
export interface Cluster extends RunningSystem {
  /** The processes of the containers that run now, over all nodes. */
  containerPids(): Promise<readonly number[]>;
}

const NODES_MAX = 1000;
const QUIET_MS = 40;
const FINISH_WAIT_MAX_MS = 15_000;
/** A system that does not come to rest is resumed all the same. */
const RESUME_WAIT_MAX_MS = 2_000;

/** Starts everything, and resolves when the nodes are ready and the controllers and the scheduler watch. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  refuseUnknownMutants(options.mutants);
  if (!Number.isInteger(options.nodes) || options.nodes < 1 || options.nodes > NODES_MAX) {
    throw new Error(`a cluster has 1 to ${NODES_MAX} nodes, not ${options.nodes}`);
  }
  const cluster = new RunningCluster(options, createMemStore());
  try {
    await cluster.start();
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

class RunningCluster implements Cluster {
  apiUrl = '';
  traceUrl = '';
  readonly #options: ClusterOptions;
  readonly #recorder = createRecorder();
  readonly #store: Store;
  /** What to free, in the order in which it came about. */
  readonly #open: (() => Promise<void>)[] = [];
  readonly #runtimes: ProcessRuntime[] = [];
  /** By the names that `pause` knows; there is one kubelet for each node. */
  readonly #components = new Map<string, Component[]>();
  readonly #nextPodIp = podAddresses();
  #isFinished = false;
  #stopped: Promise<void> | undefined;

  constructor(options: ClusterOptions, store: Store) {
    this.#options = options;
    this.#store = store;
  }

  async start(): Promise<void> {
    await this.#startServers();
    const environment: Environment = {
      apiUrl: this.apiUrl,
      recorder: this.#recorder,
      clock: systemClock,
      report: (component, problem) => this.#options.report?.(component, problem),
    };
    // Nodes first: the scheduler's first list shows them all, and no early pod finds none.
    await Promise.all(this.#nodeNumbers().map((number) => this.#startNode(environment, number)));
    await Promise.all(this.#controlPlane(environment).map((component) => component.start()));
  }

  pause(component: string): Promise<void> {
    return this.#each(component, (one) => {
      one.pause();
    });
  }

  /** First lets everything arrive that is under way: what a component was told while it was paused, it knows when it goes on. */
  async resume(component: string): Promise<void> {
    if (this.#components.has(component)) await this.#becameQuiet(RESUME_WAIT_MAX_MS);
    await this.#each(component, (one) => {
      one.resume();
    });
  }

  async containerPids(): Promise<readonly number[]> {
    const containers = await Promise.all(this.#runtimes.map((runtime) => runtime.listContainers()));
    return containers.flat().flatMap(({ state }) => (state.kind === 'running' ? [state.pid] : []));
  }

  async finish(): Promise<void> {
    if (this.#isFinished || this.#stopped !== undefined) return;
    this.#isFinished = true;
    const isQuiet = await this.#becameQuiet(FINISH_WAIT_MAX_MS);
    if (!isQuiet) {
      const problem = `it did not come to rest within ${FINISH_WAIT_MAX_MS} ms; the trace ends in the middle`;
      this.#options.report?.('cluster', problem);
    }
    // The end is written before anything is torn down, so that the tearing down is no part of the trace.
    this.#recorder.finish();
    await Promise.all(this.#all().map((component) => component.stop()));
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#free();
    return this.#stopped;
  }

  #becameQuiet(waitMaxMs: number): Promise<boolean> {
    const { replyDelaysMs, watchDelaysMs } = this.#options;
    return becameQuiet({
      recorder: this.#recorder,
      clock: systemClock,
      isBusy: () => this.#all().some((component) => component.isBusy()),
      // A delayed message is seen by nobody while it waits.
      quietMs: QUIET_MS + Math.max(0, ...replyDelaysMs, ...watchDelaysMs),
      waitMaxMs,
    });
  }

  async #free(): Promise<void> {
    // Together: a kubelet may be waiting for a container that obeys nothing but a kill.
    const runtimes = this.#runtimes.map((runtime) => runtime.close());
    await Promise.all([...runtimes, ...this.#all().map((component) => component.stop())]);
    for (const close of this.#open.toReversed()) await close();
  }

  async #startServers(): Promise<void> {
    const { dispatch, replyDelaysMs, watchDelaysMs, mutants, port, tracePort } = this.#options;
    const recorder = this.#recorder;
    const store = this.#store;
    this.#open.push(() => store.close());
    const server = createApiServer({
      store,
      recorder,
      dispatch,
      replyDelaysMs,
      watchDelaysMs,
      mutants: mutantsOf('apiserver', mutants),
    });
    const api = await server.listen(port);
    this.#open.push(() => api.close());
    const trace = await createTraceEndpoint(recorder).listen(tracePort);
    this.#open.push(() => trace.close());
    this.apiUrl = api.url;
    this.traceUrl = trace.url;
  }

  #nodeNumbers(): readonly number[] {
    return Array.from({ length: this.#options.nodes }, (_, index) => index + 1);
  }

  async #startNode(environment: Environment, number: number): Promise<void> {
    const { images, mutants, restartBackoffMs, heartbeatMs } = this.#options;
    const runtime = new ProcessRuntime(images === undefined ? {} : { images });
    this.#runtimes.push(runtime);
    const kubelet = new Kubelet({
      environment,
      node: `node-${number}`,
      runtime,
      nextPodIp: this.#nextPodIp,
      mutants: new Set(mutantsOf('kubelet', mutants)),
      ...(restartBackoffMs === undefined ? {} : { restartBackoffMs }),
      ...(heartbeatMs === undefined ? {} : { heartbeatMs }),
    });
    this.#add('kubelet', kubelet);
    await kubelet.start();
  }

  #controlPlane(environment: Environment): readonly Component[] {
    const { mutants } = this.#options;
    const manager = new ControllerManager(environment, new Set(mutantsOf('controllers', mutants)));
    const deployments = new DeploymentController(environment);
    const scheduler = new Scheduler({ environment, mutants: new Set(mutantsOf('scheduler', mutants)) });
    this.#add('controller-manager', manager);
    this.#add('replicaset-controller', manager.replicaSets);
    this.#add('garbage-collector', manager.garbage);
    this.#add('deployment-controller', deployments);
    this.#add('scheduler', scheduler);
    return [manager, deployments, scheduler];
  }

  #add(name: string, component: Component): void {
    this.#components.set(name, [...(this.#components.get(name) ?? []), component]);
  }

  #each(name: string, act: (component: Component) => void): Promise<void> {
    const found = this.#components.get(name);
    const names = [...this.#components.keys()].join(', ');
    if (found === undefined) {
      return Promise.reject(new Error(`no component ${JSON.stringify(name)}; there are: ${names}`));
    }
    found.forEach(act);
    return Promise.resolve();
  }

  #all(): readonly Component[] {
    return [...this.#components.values()].flat();
  }
}

/** Every pod gets an address of its own out of the loopback network, which is bindable as a whole. 127.0.x.y stays the machine's. */
function podAddresses(): () => string {
  let given = 0;
  return () => {
    given++;
    return `127.${1 + ((given >> 16) & 0x7f)}.${(given >> 8) & 0xff}.${given & 0xff}`;
  };
}
