import { attributesOf, type Pod, type PodStatus } from '../api/index.ts';
import { type ApiClient, backoffMs, type Environment, isRefused, locationOf, PODS } from '../client/index.ts';
import { type ContainerConfig, type ContainerStatus, RuntimeError, type TracedRuntime } from '../runtime/index.ts';
import type { Attributes } from '../tracing/index.ts';
import { changedStatus, type ContainerRecord, podStatus, restarts } from './pod-status.ts';

/** What a worker is given by its kubelet. */
export interface PodWorkerOptions {
  readonly environment: Environment;
  readonly client: ApiClient;
  readonly runtime: TracedRuntime;
  readonly hostIp: string;
  readonly podIp: string;
  readonly restartBackoffMs: number;
  readonly mutants: ReadonlySet<string>;
  /** Containers of this pod that an earlier kubelet of this node has left running. */
  readonly adopted: readonly ContainerStatus[];
  /** Asks for another sync after a while. */
  readonly syncAfter: (delayMs: number) => void;
}

const RESTART_BACKOFF_MAX_MS = 5 * 60_000;
const GRACE_SECONDS = 30;

/** Brings one pod to the state that the API server asks for. Its kubelet never runs two syncs of it at once. */
export class PodWorker {
  readonly #options: PodWorkerOptions;
  readonly #containers: Map<string, ContainerRecord>;
  readonly #startedAt: number;
  #pod: Pod;
  /** The pod is no longer in the API server. */
  #isGone = false;
  #hasBegun: boolean;
  #isFinished = false;
  /** What the API server was told. */
  #reported: PodStatus;

  constructor(pod: Pod, options: PodWorkerOptions) {
    this.#pod = pod;
    this.#options = options;
    this.#startedAt = options.environment.clock.now();
    this.#hasBegun = options.adopted.length > 0;
    this.#reported = this.#hasBegun ? (pod.status ?? {}) : {};
    this.#containers = new Map(pod.spec.containers.map((spec) => [spec.name, newRecord(spec)]));
    for (const { id, config, state } of options.adopted) {
      this.#update(config.name, { instance: { id, state }, restarts: config.attempt });
    }
  }

  /** The pod as the API server shows it now; undefined when it is gone. */
  update(pod: Pod | undefined): void {
    if (pod === undefined) this.#isGone = true;
    else this.#pod = pod;
  }

  /** A container has ended. False if it is none that this pod has now. */
  containerDied({ id, config, state }: ContainerStatus): boolean {
    if (this.#containers.get(config.name)?.instance?.id !== id) return false;
    this.#update(config.name, { instance: { id, state } });
    return true;
  }

  /** What the trace says of a call or event about one of the containers. */
  subject(name: string): Attributes {
    return { ...attributesOf({ ...this.#pod, status: undefined }), 'container.name': name };
  }

  /** Whether nothing is left to do, now or later. */
  isOver(): boolean {
    return this.#isGone && this.#isFinished;
  }

  async sync(): Promise<void> {
    if (this.#isLeaving()) {
      await this.#terminate();
      return;
    }
    // A phase that is final stays, whatever becomes of the containers.
    if (isFinal(this.#pod.status?.phase) || isFinal(this.#reported.phase)) return;
    if (!this.#hasBegun && !(await this.#begin())) return;
    if (this.#options.mutants.has('status-before-start')) await this.#tell({ ...this.#reported, phase: 'Running' });
    for (const name of this.#containers.keys()) {
      // Another sync is in line already: whoever told of the deletion has asked for it.
      if (this.#isLeaving()) return;
      await this.#ensureRunning(name);
    }
    if (!this.#isLeaving()) await this.#report();
  }

  #isLeaving(): boolean {
    return this.#isGone || this.#pod.metadata.deletionTimestamp !== undefined;
  }

  /** Reads the pod, and says that it was taken on. False if there is nothing to take on. */
  async #begin(): Promise<boolean> {
    const pod = await this.#read();
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return false;
    this.#hasBegun = true;
    if ((pod.spec.initContainers ?? []).length > 0) {
      const message = 'this kubelet does not run init containers';
      await this.#tell({ phase: 'Failed', reason: 'InitContainersUnsupported', message });
      return false;
    }
    await this.#report();
    return true;
  }

  async #read(): Promise<Pod | undefined> {
    const { client } = this.#options;
    try {
      const pod = await client.get(PODS, locationOf(this.#pod), this.#pod);
      return pod.metadata.uid === this.#pod.metadata.uid ? pod : undefined;
    } catch (error) {
      if (isRefused(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async #ensureRunning(name: string): Promise<void> {
    const record = this.#record(name);
    const state = record.instance?.state;
    if (state?.kind === 'running') return;
    if (state?.kind === 'exited' && !restarts(this.#pod, state.exitCode)) return;
    const waitMs = record.notBefore - this.#options.environment.clock.now();
    if (waitMs > 0) {
      this.#options.syncAfter(waitMs);
      return;
    }
    try {
      await this.#start(name);
    } catch (error) {
      if (!(error instanceof RuntimeError)) throw error;
      this.#startFailed(name, error);
    }
  }

  async #start(name: string): Promise<void> {
    const { runtime } = this.#options;
    const { spec, instance: old } = this.#record(name);
    const subject = this.subject(name);
    if (old === undefined) await runtime.pullImage(spec.image, subject);
    else {
      await runtime.removeContainer(old.id, subject);
      this.#rememberEnd(name, old);
    }
    const id = await runtime.createContainer(this.#config(name), subject);
    const startedAt = this.#options.environment.clock.now();
    // Set before the call: a container that ends at once is told of before the call is over, and that must stand.
    this.#update(name, { instance: { id, state: { kind: 'running', startedAt } } });
    try {
      await runtime.startContainer(id, subject);
      this.#update(name, { failures: 0 });
    } catch (error) {
      this.#update(name, { instance: { id, state: { kind: 'created' } } });
      throw error;
    }
  }

  #config(name: string): ContainerConfig {
    const { spec, restarts: attempt } = this.#record(name);
    const { name: podName, namespace: podNamespace = '', uid: podUid } = this.#pod.metadata;
    const env = Object.fromEntries((spec.env ?? []).map((one) => [one.name, one.value ?? '']));
    return { name, image: spec.image, podName, podNamespace, podUid, attempt, env };
  }

  /** The first restart is immediate; the back-off counts for the next. */
  #rememberEnd(name: string, { id, state }: NonNullable<ContainerRecord['instance']>): void {
    this.#update(name, { instance: undefined });
    if (state.kind !== 'exited') return;
    const { restarts: before } = this.#record(name);
    const backoff = backoffMs(before, this.#options.restartBackoffMs, RESTART_BACKOFF_MAX_MS);
    const notBefore = this.#options.environment.clock.now() + backoff;
    this.#update(name, { last: { id, state }, restarts: before + 1, notBefore });
  }

  #startFailed(name: string, error: RuntimeError): void {
    const { failures } = this.#record(name);
    const isPull = error.code === 'image-not-found';
    const backoff = backoffMs(failures, this.#options.restartBackoffMs, RESTART_BACKOFF_MAX_MS);
    const reason = isPull ? (failures === 0 ? 'ErrImagePull' : 'ImagePullBackOff') : 'RunContainerError';
    const notBefore = this.#options.environment.clock.now() + backoff;
    this.#update(name, { waiting: { reason, message: error.message }, failures: failures + 1, notBefore });
    this.#options.syncAfter(backoff);
  }

  async #report(): Promise<void> {
    const { environment, hostIp, podIp } = this.#options;
    const status = podStatus({
      pod: this.#pod,
      containers: [...this.#containers.values()],
      hostIp,
      podIp,
      startedAt: this.#startedAt,
      now: environment.clock.now(),
      before: this.#reported,
    });
    await this.#tell(status);
  }

  /** Tells the API server what has changed since the last time. */
  async #tell(status: PodStatus): Promise<void> {
    if (this.#options.mutants.has('never-reports-running') && status.phase === 'Running') return;
    const changed = changedStatus(this.#reported, status);
    if (changed === undefined) return;
    const { uid } = this.#pod.metadata;
    const patch = { metadata: { uid }, status: changed };
    try {
      const options = { type: 'strategic-merge', subresource: 'status' } as const;
      await this.#options.client.patch(PODS, this.#pod, patch, options);
    } catch (error) {
      // The pod is gone, or another has its name: the informer will say so.
      if (!isRefused(error, 'NotFound') && !isRefused(error, 'Conflict')) throw error;
    }
    this.#reported = { ...this.#reported, ...status };
  }

  /** Stops and removes the containers, and then lets the API server forget the pod. */
  async #terminate(): Promise<void> {
    if (this.#isFinished) return;
    const isHasty = this.#options.mutants.has('delete-before-stop');
    if (isHasty) await this.#finalise();
    await Promise.all([...this.#containers.keys()].map((name) => this.#discard(name)));
    if (!isHasty) await this.#finalise();
    this.#isFinished = true;
  }

  async #discard(name: string): Promise<void> {
    const { instance } = this.#record(name);
    if (instance === undefined) return;
    const { metadata, spec } = this.#pod;
    const grace = metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? GRACE_SECONDS;
    const { runtime } = this.#options;
    const { id, state } = instance;
    if (state.kind === 'running') await runtime.stopContainer(id, grace * 1000, this.subject(name));
    await runtime.removeContainer(id, this.subject(name));
    this.#update(name, { instance: undefined });
  }

  async #finalise(): Promise<void> {
    if (this.#isGone) return;
    const { uid } = this.#pod.metadata;
    try {
      await this.#options.client.delete(PODS, this.#pod, { gracePeriodSeconds: 0, preconditions: { uid } });
    } catch (error) {
      if (!isRefused(error, 'NotFound') && !isRefused(error, 'Conflict')) throw error;
    }
  }

  #record(name: string): ContainerRecord {
    const record = this.#containers.get(name);
    if (record === undefined) throw new Error(`no container ${name}: names come from the pod's own list`);
    return record;
  }

  #update(name: string, change: Partial<ContainerRecord>): void {
    const record = this.#containers.get(name);
    // An adopted container may be one that the pod no longer names.
    if (record !== undefined) this.#containers.set(name, { ...record, ...change });
  }
}

function newRecord(spec: ContainerRecord['spec']): ContainerRecord {
  return {
    spec,
    instance: undefined,
    waiting: { reason: 'ContainerCreating' },
    restarts: 0,
    failures: 0,
    notBefore: 0,
  };
}

function isFinal(phase: PodStatus['phase']): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}
