import { attributesOf, type KubernetesObject, type OwnerReference } from '../api/index.ts';
import {
  ApiClient,
  type Cause,
  type Change,
  DEPLOYMENTS,
  type Environment,
  type Informer,
  isRefused,
  keyOf,
  PODS,
  QueuedComponent,
  REPLICA_SETS,
  type ResourceOf,
} from '../client/index.ts';
import { withCause } from '../tracing/index.ts';
import { handOver } from './hand-over.ts';
import type { SharedInformers } from './shared-informers.ts';

/** A resource that owns or is owned. */
interface Watched {
  readonly of: ResourceOf<KubernetesObject>;
  readonly informer: Pick<Informer<KubernetesObject>, 'get' | 'list'>;
}

/**
 * Deletes what has lost its owners. An owner that the informers do not show may only be late, so it is asked for before anything is
 * deleted. The informers are the controller manager's; it starts this controller when they have synced.
 */
export class GarbageCollector extends QueuedComponent {
  readonly #environment: Environment;
  readonly #watched: ReadonlyMap<string, Watched>;

  constructor(environment: Environment, informers: SharedInformers) {
    super({ environment, client: new ApiClient(environment, { userAgent: 'garbage-collector' }) });
    this.#environment = environment;
    this.#watched = new Map<string, Watched>([
      ['Deployment', { of: DEPLOYMENTS, informer: informers.deployments }],
      ['ReplicaSet', { of: REPLICA_SETS, informer: informers.replicaSets }],
      ['Pod', { of: PODS, informer: informers.pods }],
    ]);
    for (const informer of [informers.deployments, informers.replicaSets, informers.pods]) {
      informer.onChange((change: Change<KubernetesObject>) => {
        this.#changed(change);
      });
    }
  }

  #changed({ kind, object, cause }: Change<KubernetesObject>): void {
    if (kind === 'deleted') this.#ownerIsGone(object, cause);
    else if (this.#seemsOrphaned(object)) this.queue.add(queueKey(object), cause);
  }

  #ownerIsGone({ metadata: { uid } }: KubernetesObject, cause: Cause): void {
    for (const { informer } of this.#watched.values()) {
      for (const object of informer.list()) {
        if (ownersOf(object).some((owner) => owner.uid === uid)) this.queue.add(queueKey(object), cause);
      }
    }
  }

  /** Whether an owner of a kind that is watched is not in its informer. */
  #seemsOrphaned(object: KubernetesObject): boolean {
    return ownersOf(object).some((owner) => {
      const known = this.#watched.get(owner.kind)?.informer;
      return known !== undefined && known.get(ownerKey(object, owner))?.metadata.uid !== owner.uid;
    });
  }

  protected async work(key: string, causes: readonly Cause[]): Promise<void> {
    const [kind = '', name = ''] = key.split(' ', 2);
    const watched = this.#watched.get(kind);
    const object = watched?.informer.get(name);
    if (watched === undefined || object === undefined || object.metadata.deletionTimestamp !== undefined) return;
    const id = handOver(this.#environment.recorder, {
      to: this.client.participant,
      label: `Collect ${kind} ${name}`,
      causes,
      resources: ['deployments', 'replicasets', 'pods'],
      attributes: attributesOf({ ...object, status: undefined }),
    });
    await withCause(id, () => this.#collect(watched.of, object));
  }

  async #collect(of: ResourceOf<KubernetesObject>, object: KubernetesObject): Promise<void> {
    for (const owner of ownersOf(object)) if (await this.#exists(object, owner)) return;
    try {
      await this.client.delete(of, object, {
        preconditions: { uid: object.metadata.uid },
        propagationPolicy: 'Background',
      });
    } catch (error) {
      // Gone already, or another object has its name now.
      if (!isRefused(error, 'NotFound') && !isRefused(error, 'Conflict')) throw error;
    }
  }

  async #exists(dependent: KubernetesObject, { kind, name, uid }: OwnerReference): Promise<boolean> {
    const watched = this.#watched.get(kind);
    // Of a kind that we know nothing of, we cannot say that it is gone.
    if (watched === undefined) return true;
    const { namespace } = dependent.metadata;
    try {
      const owner = await this.client.get(watched.of, { namespace, name });
      return owner.metadata.uid === uid;
    } catch (error) {
      if (isRefused(error, 'NotFound')) return false;
      throw error;
    }
  }
}

function ownersOf({ metadata }: KubernetesObject): readonly OwnerReference[] {
  return metadata.ownerReferences ?? [];
}

/** Owners live in the namespace of what they own. */
function ownerKey({ metadata }: KubernetesObject, { name }: OwnerReference): string {
  return keyOf({ metadata: { ...metadata, name } });
}

function queueKey(object: KubernetesObject): string {
  return `${object.kind} ${keyOf(object)}`;
}
