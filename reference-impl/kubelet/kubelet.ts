import { attributesOf, type Node, type Pod } from '../api/index.ts';
import {
  ApiClient,
  type Change,
  type Environment,
  Informer,
  PODS,
  QueuedComponent,
  type Timer,
} from '../client/index.ts';
import { type ContainerRuntime, type ContainerStatus, TracedRuntime } from '../runtime/index.ts';
import { currentCause, withCause } from '../tracing/index.ts';
import { beat, type NodeIdentity, registerNode } from './node.ts';
import { PodWorker } from './pod-worker.ts';

export interface KubeletOptions {
  readonly environment: Environment;
  readonly node: string;
  readonly runtime: ContainerRuntime;
  /** Hands out an address that no other pod has. */
  readonly nextPodIp: () => string;
  readonly mutants: ReadonlySet<string>;
  readonly heartbeatMs?: number;
  readonly restartBackoffMs?: number;
  readonly podsMax?: number;
}

const HEARTBEAT_MS = 10_000;
const RESTART_BACKOFF_MS = 10_000;
const PODS_MAX = 110;
const HOST_IP = '127.0.0.1';

/** Runs the pods that are bound to its node. One worker for each pod; it never works on one pod twice at a time. */
export class Kubelet extends QueuedComponent {
  readonly #options: KubeletOptions;
  readonly #identity: NodeIdentity;
  readonly #runtime: TracedRuntime;
  readonly #pods: Informer<Pod>;
  /** By pod uid: a pod that is deleted and made anew under its name is another pod. */
  readonly #workers = new Map<string, PodWorker>();
  /** Containers of an earlier kubelet on this node, by pod uid, until their pod is known. */
  readonly #adoptable = new Map<string, ContainerStatus[]>();
  #stopEvents: () => void = () => undefined;
  #heartbeat: Timer | undefined;
  #isStopped = false;

  constructor(options: KubeletOptions) {
    const { environment, node, runtime, mutants } = options;
    const podsMax = options.podsMax ?? PODS_MAX;
    const attributes = { 'k8s.node.name': node };
    const client = new ApiClient(environment, { userAgent: `kubelet/${node}`, attributes });
    const { participant } = client;
    super({ environment, client, workers: podsMax, reportsAs: `${participant} ${node}` });
    this.#options = options;
    this.#identity = { name: node, hostIp: HOST_IP, podsMax };
    this.#runtime = new TracedRuntime(runtime, { recorder: environment.recorder, participant, attributes });
    const query = mutants.has('acts-on-unbound-pods') ? {} : { fieldSelector: `spec.nodeName=${node}` };
    this.#pods = this.own(new Informer({ environment, client, of: PODS, query }));
    this.#pods.onChange((change) => {
      this.#podChanged(change);
    });
  }

  protected override async prepare(): Promise<void> {
    await withCause(undefined, async () => {
      const node = await registerNode(this.#options.environment, this.client, this.#identity);
      this.#planHeartbeat(node);
      for (const container of await this.#runtime.listContainers()) this.#offer(container);
      this.#stopEvents = this.#runtime.events(
        (container) =>
          this.#workers.get(container.config.podUid)?.subject(container.config.name) ?? subjectOf(container),
        ({ container }, messageId) => {
          this.#containerDied(container, messageId);
        },
      );
      await super.prepare();
      await this.#removeOrphans();
    });
  }

  override async stop(): Promise<void> {
    this.#isStopped = true;
    this.#heartbeat?.cancel();
    this.#stopEvents();
    await super.stop();
  }

  #podChanged(change: Change<Pod>): void {
    const { uid } = change.object.metadata;
    const worker = this.#workers.get(uid) ?? this.#hire(change, uid);
    if (worker === undefined) return;
    worker.update(change.kind === 'deleted' ? undefined : change.object);
    this.queue.add(uid, change.cause);
  }

  #hire({ kind, object }: Change<Pod>, uid: string): PodWorker | undefined {
    const isOurs = object.spec.nodeName === undefined || object.spec.nodeName === this.#options.node;
    if (kind === 'deleted' || !isOurs) return undefined;
    const { environment, nextPodIp, mutants, restartBackoffMs } = this.#options;
    const adopted = this.#adoptable.get(uid) ?? [];
    this.#adoptable.delete(uid);
    const worker = new PodWorker(object, {
      environment,
      client: this.client,
      runtime: this.#runtime,
      hostIp: HOST_IP,
      podIp: object.status?.podIP ?? nextPodIp(),
      restartBackoffMs: restartBackoffMs ?? RESTART_BACKOFF_MS,
      mutants,
      adopted,
      syncAfter: (delayMs) => {
        this.queue.addAfter(uid, delayMs, [{ id: currentCause(), resource: PODS.row.name }]);
      },
    });
    this.#workers.set(uid, worker);
    return worker;
  }

  protected async work(uid: string): Promise<void> {
    const worker = this.#workers.get(uid);
    await worker?.sync();
    if (worker?.isOver() === true) this.#workers.delete(uid);
  }

  #containerDied(container: ContainerStatus, messageId: string): void {
    const uid = container.config.podUid;
    if (this.#workers.get(uid)?.containerDied(container) === true) {
      this.queue.add(uid, { id: messageId, resource: 'containers' });
    }
  }

  #offer(container: ContainerStatus): void {
    const uid = container.config.podUid;
    const known = this.#adoptable.get(uid);
    if (known === undefined) this.#adoptable.set(uid, [container]);
    else known.push(container);
  }

  /** Only after the first list: before it, every pod would seem to be gone. */
  async #removeOrphans(): Promise<void> {
    for (const container of [...this.#adoptable.values()].flat()) {
      await this.#runtime.removeContainer(container.id, subjectOf(container));
    }
    this.#adoptable.clear();
  }

  #planHeartbeat(registered: Node): void {
    const { environment, heartbeatMs = HEARTBEAT_MS, node } = this.#options;
    if (this.#isStopped) return;
    this.#heartbeat = environment.clock.after(heartbeatMs, () => {
      void withCause(undefined, () => beat(environment, this.client, registered))
        .catch((error: unknown) => {
          if (!this.#isStopped) environment.report(`${this.client.participant} ${node}`, `heartbeat: ${String(error)}`);
        })
        .finally(() => {
          this.#planHeartbeat(registered);
        });
    });
  }
}

/** What is known of a container whose pod is not. */
function subjectOf({ config }: ContainerStatus): Record<string, string> {
  return {
    ...attributesOf({
      kind: 'Pod',
      metadata: { name: config.podName, namespace: config.podNamespace, uid: config.podUid },
    }),
    'container.name': config.name,
  };
}
