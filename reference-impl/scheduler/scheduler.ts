import { equalJson, type Node, type Pod } from '../api/index.ts';
import {
  ApiClient,
  type Cause,
  type Change,
  type Environment,
  Informer,
  isRefused,
  keyOf,
  locationOf,
  NODES,
  PODS,
  QueuedComponent,
  timestamp,
} from '../client/index.ts';
import { type Candidate, place } from './placement.ts';

/** How the scheduler misbehaves; see the table of mutants. */
export interface SchedulerOptions {
  readonly environment: Environment;
  readonly mutants: ReadonlySet<string>;
}

const NAME = 'default-scheduler';

/** Assigns each new pod to a node: reads it, filters and ranks the nodes, binds. */
export class Scheduler extends QueuedComponent {
  readonly #environment: Environment;
  readonly #mutants: ReadonlySet<string>;
  readonly #pods: Informer<Pod>;
  readonly #nodes: Informer<Node>;
  /** Pods whose binding was sent and is not seen yet, by uid, with their node: they take room there already. */
  readonly #assumed = new Map<string, Pod>();
  /** Keys of pods that no node could take; they wait for a change that could help. */
  readonly #unschedulable = new Set<string>();

  constructor({ environment, mutants }: SchedulerOptions) {
    const client = new ApiClient(environment, { userAgent: 'scheduler' });
    super({ environment, client });
    this.#environment = environment;
    this.#mutants = mutants;
    this.#pods = this.own(new Informer({ environment, client, of: PODS }));
    this.#nodes = this.own(new Informer({ environment, client, of: NODES }));
    this.#pods.onChange((change) => {
      this.#podChanged(change);
    });
    this.#nodes.onChange((change) => {
      this.#nodeChanged(change);
    });
  }

  #podChanged(change: Change<Pod>): void {
    const pod = change.object;
    if (change.kind === 'deleted' || pod.spec.nodeName !== undefined) this.#assumed.delete(pod.metadata.uid);
    // An unassigned pod that changes was changed by a status, mostly our own: it is not new work.
    if (change.kind === 'added' && isWaiting(pod)) this.queue.add(keyOf(pod), change.cause);
    if (change.kind === 'deleted') this.#unschedulable.delete(keyOf(pod));
    if (change.kind === 'deleted' || hasEnded(pod)) this.#retryUnschedulable(change.cause);
  }

  #nodeChanged(change: Change<Node>): void {
    const isHeartbeat = change.kind === 'updated' && equalJson(offer(change.before), offer(change.object));
    if (change.kind !== 'deleted' && !isHeartbeat) this.#retryUnschedulable(change.cause);
  }

  #retryUnschedulable(cause: Cause): void {
    for (const key of this.#unschedulable) this.queue.add(key, cause);
    this.#unschedulable.clear();
  }

  protected async work(key: string): Promise<void> {
    const known = this.#pods.get(key);
    if (known === undefined || !isWaiting(known) || this.#assumed.has(known.metadata.uid)) return;
    const isHasty = this.#mutants.has('bind-before-get');
    if (isHasty) await this.#assign(known);
    const pod = await this.#read(known);
    if (pod === undefined || isHasty || !isWaiting(pod)) return;
    await this.#assign(pod);
    if (this.#mutants.has('bind-twice')) await this.#assign(pod);
  }

  /** The pod as it is now; undefined if it is gone or another one has its name. */
  async #read(known: Pod): Promise<Pod | undefined> {
    try {
      const pod = await this.client.get(PODS, locationOf(known), known);
      return pod.metadata.uid === known.metadata.uid ? pod : undefined;
    } catch (error) {
      if (isRefused(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async #assign(pod: Pod): Promise<void> {
    const placement = place(pod, this.#candidates());
    if (placement.kind === 'unschedulable') {
      this.#unschedulable.add(keyOf(pod));
      await this.#tellUnschedulable(pod, placement.message);
      return;
    }
    const { uid } = pod.metadata;
    this.#assumed.set(uid, { ...pod, spec: { ...pod.spec, nodeName: placement.node } });
    try {
      await this.client.bind(pod, placement.node);
    } catch (error) {
      // The room is free again, whatever becomes of the pod.
      this.#assumed.delete(uid);
      if (!isRefused(error, 'NotFound') && !isRefused(error, 'Conflict')) throw error;
    }
    // The informer may have told of the binding before the reply came; then nobody would end the assumption.
    if (this.#pods.get(keyOf(pod))?.spec.nodeName !== undefined) this.#assumed.delete(uid);
  }

  #candidates(): readonly Candidate[] {
    const byNode = new Map<string, Pod[]>();
    const assigned = this.#pods.list().filter(({ metadata }) => !this.#assumed.has(metadata.uid));
    for (const pod of [...assigned, ...this.#assumed.values()]) {
      const node = pod.spec.nodeName;
      if (node === undefined || hasEnded(pod)) continue;
      const there = byNode.get(node);
      if (there === undefined) byNode.set(node, [pod]);
      else there.push(pod);
    }
    return this.#nodes.list().map((node) => ({ node, pods: byNode.get(node.metadata.name) ?? [] }));
  }

  async #tellUnschedulable(pod: Pod, message: string): Promise<void> {
    const known = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
    if (known?.status === 'False' && known.message === message) return;
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message,
      lastTransitionTime: timestamp(this.#environment.clock.now()),
    };
    const patch = { status: { conditions: [condition] } };
    try {
      await this.client.patch(PODS, pod, patch, { type: 'strategic-merge', subresource: 'status' });
    } catch (error) {
      if (!isRefused(error, 'NotFound')) throw error;
    }
  }
}

function isWaiting(pod: Pod): boolean {
  const { nodeName, schedulerName = NAME } = pod.spec;
  return (
    nodeName === undefined && schedulerName === NAME && !hasEnded(pod) && pod.metadata.deletionTimestamp === undefined
  );
}

function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** What decides whether a pod may go to a node; heartbeats change other things. */
function offer({ metadata, spec, status }: Node): unknown {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  return { labels: metadata.labels, spec, allocatable: status?.allocatable, ready };
}
