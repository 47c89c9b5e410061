import {
  attributesOf,
  equalJson,
  formatLabelSelector,
  matchesLabels,
  type Pod,
  type ReplicaSet,
} from '../api/index.ts';
import {
  ApiClient,
  type Cause,
  type Change,
  controllerOf,
  controllerReference,
  type Environment,
  isRefused,
  keyOf,
  PODS,
  QueuedComponent,
  REPLICA_SETS,
} from '../client/index.ts';
import { withCause } from '../tracing/index.ts';
import { Expectations } from './expectations.ts';
import { handOver } from './hand-over.ts';
import { isActive, isReady } from './pod-state.ts';
import { isSameStatus, planReplicas, podOf, statusOf } from './replica-set-plan.ts';
import type { SharedInformers } from './shared-informers.ts';

export interface ReplicaSetControllerOptions {
  readonly environment: Environment;
  readonly informers: SharedInformers;
  /** See the table of mutants. */
  readonly mutants: ReadonlySet<string>;
}

/**
 * Keeps the number of a replica set's pods. It reads the pods live before it acts, and makes one request after the other, so
 * that a burst of creations is a sequence. The informers are the controller manager's; it starts this controller when they have
 * synced.
 */
export class ReplicaSetController extends QueuedComponent {
  readonly #options: ReplicaSetControllerOptions;
  readonly #expectations: Expectations;
  /** Deleted replica sets whose key still waits: the last look at their pods needs their selector. */
  readonly #deleted = new Map<string, ReplicaSet>();

  constructor(options: ReplicaSetControllerOptions) {
    const { environment, informers } = options;
    super({ environment, client: new ApiClient(environment, { userAgent: 'replicaset-controller' }) });
    this.#options = options;
    this.#expectations = new Expectations(environment.clock);
    informers.replicaSets.onChange((change) => {
      this.#replicaSetChanged(change);
    });
    informers.pods.onChange((change) => {
      this.#podChanged(change);
    });
  }

  #replicaSetChanged(change: Change<ReplicaSet>): void {
    const key = keyOf(change.object);
    if (change.kind === 'deleted') {
      this.#deleted.set(key, change.object);
      this.#expectations.forget(key);
    }
    this.queue.add(key, change.cause);
  }

  #podChanged(change: Change<Pod>): void {
    const pod = change.object;
    const owner = this.#ownerOf(pod);
    if (owner === undefined) {
      this.#offerOrphan(change);
      return;
    }
    const key = keyOf(owner);
    const isGoing = change.kind === 'deleted' || pod.metadata.deletionTimestamp !== undefined;
    if (isGoing) this.#expectations.deletionSettled(key, pod.metadata.uid);
    else if (change.kind === 'added') this.#expectations.creationSettled(key);
    if (change.kind !== 'updated' || matters(change.before, pod)) this.queue.add(key, change.cause);
  }

  /** The known replica set that manages the pod. */
  #ownerOf(pod: Pod): ReplicaSet | undefined {
    const reference = controllerOf(pod);
    if (reference?.kind !== 'ReplicaSet') return undefined;
    const key = keyOf({ metadata: { ...pod.metadata, name: reference.name } });
    const owner = this.#options.informers.replicaSets.get(key);
    return owner?.metadata.uid === reference.uid ? owner : undefined;
  }

  #offerOrphan({ kind, object: pod, cause }: Change<Pod>): void {
    if (kind === 'deleted' || controllerOf(pod) !== undefined || !isActive(pod)) return;
    for (const replicaSet of this.#options.informers.replicaSets.list()) {
      if (isOfNamespace(replicaSet, pod) && matchesLabels(replicaSet.spec.selector, pod.metadata.labels)) {
        this.queue.add(keyOf(replicaSet), cause);
      }
    }
  }

  /**
   * The controller manager hands the key over. The state is read in the same instant, so that the causes of this key are all
   * that the state shows.
   */
  protected async work(key: string, causes: readonly Cause[]): Promise<void> {
    const current = this.#options.informers.replicaSets.get(key);
    const replicaSet = current ?? this.#deleted.get(key);
    this.#deleted.delete(key);
    if (replicaSet === undefined) return;
    const id = handOver(this.#options.environment.recorder, {
      to: this.client.participant,
      label: `ReplicaSet ${key}`,
      causes,
      // What a changed replica set asks for is what the sync is about, whoever else woke it.
      resources: ['replicasets', 'pods'],
      attributes: attributesOf({ ...replicaSet, status: undefined }),
    });
    await withCause(id, () => this.#sync(replicaSet, current !== undefined, causes));
  }

  async #sync(replicaSet: ReplicaSet, exists: boolean, causes: readonly Cause[]): Promise<void> {
    const key = keyOf(replicaSet);
    const isHasty = this.#options.mutants.has('create-before-list') && exists && isNew(replicaSet);
    if (isHasty) await this.#manage(replicaSet, []);
    const { list } = await this.client.list(PODS, {
      namespace: replicaSet.metadata.namespace,
      query: { labelSelector: formatLabelSelector(replicaSet.spec.selector) },
      about: replicaSet,
    });
    // What a deleted replica set leaves behind is the garbage collector's.
    if (!exists || replicaSet.metadata.deletionTimestamp !== undefined) return;
    const active = await this.#claim(replicaSet, list.items.filter(isActive));
    if (this.#expectations.areMet(key)) await this.#manage(replicaSet, active);
    await this.#updateStatus(replicaSet, active, causes);
  }

  /** The pods that are the replica set's own; matching pods that nobody manages are adopted. */
  async #claim(replicaSet: ReplicaSet, pods: readonly Pod[]): Promise<readonly Pod[]> {
    const claimed: Pod[] = [];
    for (const pod of pods) {
      const controller = controllerOf(pod);
      if (controller?.uid === replicaSet.metadata.uid) claimed.push(pod);
      else if (controller === undefined) claimed.push(...(await this.#adopt(replicaSet, pod)));
    }
    return claimed;
  }

  async #adopt(replicaSet: ReplicaSet, pod: Pod): Promise<readonly Pod[]> {
    const { uid, name, ownerReferences = [] } = pod.metadata;
    const { namespace } = replicaSet.metadata;
    // The informer may be late: whoever was deleted meanwhile must not adopt.
    const live = await this.client.get(REPLICA_SETS, { namespace, name: replicaSet.metadata.name }, replicaSet);
    if (live.metadata.uid !== replicaSet.metadata.uid || live.metadata.deletionTimestamp !== undefined) return [];
    const reference = { ...controllerReference(replicaSet) };
    const owners = [...ownerReferences.map((owner) => ({ ...owner })), reference];
    try {
      const patch = { metadata: { uid, name, ownerReferences: owners } };
      return [await this.client.patch(PODS, pod, patch, { type: 'merge' })];
    } catch (error) {
      if (isRefused(error, 'NotFound') || isRefused(error, 'Conflict')) return [];
      throw error;
    }
  }

  async #manage(replicaSet: ReplicaSet, active: readonly Pod[]): Promise<void> {
    const plan = planReplicas(replicaSet, active);
    switch (plan.kind) {
      case 'none':
        return;
      case 'create':
        await this.#create(replicaSet, plan.count);
        return;
      case 'delete':
        await this.#delete(replicaSet, plan.pods);
        return;
    }
  }

  async #create(replicaSet: ReplicaSet, count: number): Promise<void> {
    const key = keyOf(replicaSet);
    const wanted = this.#options.mutants.has('create-one-too-many') ? count + 1 : count;
    this.#expectations.expectCreations(key, wanted);
    for (let created = 0; created < wanted; created++) {
      try {
        await this.client.create(PODS, podOf(replicaSet));
      } catch (error) {
        // No event will come for this one, nor for those that are not tried now.
        for (let left = created; left < wanted; left++) this.#expectations.creationSettled(key);
        throw error;
      }
    }
  }

  async #delete(replicaSet: ReplicaSet, pods: readonly Pod[]): Promise<void> {
    const key = keyOf(replicaSet);
    this.#expectations.expectDeletions(
      key,
      pods.map(({ metadata }) => metadata.uid),
    );
    const failures: unknown[] = [];
    for (const pod of pods) {
      try {
        await this.client.delete(PODS, pod, { preconditions: { uid: pod.metadata.uid } });
      } catch (error) {
        this.#expectations.deletionSettled(key, pod.metadata.uid);
        if (!isRefused(error, 'NotFound') && !isRefused(error, 'Conflict')) failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} pods could not be deleted`);
  }

  async #updateStatus(replicaSet: ReplicaSet, active: readonly Pod[], causes: readonly Cause[]): Promise<void> {
    const status = statusOf(replicaSet, active, this.#options.environment.clock.now());
    // A ready pod becomes available by time alone; no event will tell.
    const ripensLater = (status.readyReplicas ?? 0) > (status.availableReplicas ?? 0);
    if (ripensLater) {
      this.queue.addAfter(keyOf(replicaSet), (replicaSet.spec.minReadySeconds ?? 0) * 1000, causes);
    }
    if (isSameStatus(replicaSet.status, status)) return;
    try {
      await this.client.patch(REPLICA_SETS, replicaSet, { status }, { type: 'merge', subresource: 'status' });
    } catch (error) {
      if (!isRefused(error, 'NotFound')) throw error;
    }
  }
}

/** Whether a pod's change can change what its owner does or says: a binding, for one, cannot. */
function matters(before: Pod, after: Pod): boolean {
  return (
    before.status?.phase !== after.status?.phase ||
    isReady(before) !== isReady(after) ||
    before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
    !equalJson(before.metadata.labels ?? {}, after.metadata.labels ?? {})
  );
}

function isNew({ status }: ReplicaSet): boolean {
  return status?.observedGeneration === undefined;
}

function isOfNamespace(replicaSet: ReplicaSet, pod: Pod): boolean {
  return replicaSet.metadata.namespace === pod.metadata.namespace;
}
