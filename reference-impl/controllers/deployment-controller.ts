import { type Deployment, equalJson, type ReplicaSet } from '../api/index.ts';
import {
  ApiClient,
  type Cause,
  controllerOf,
  DEPLOYMENTS,
  type Environment,
  Informer,
  isRefused,
  keyOf,
  QueuedComponent,
  REPLICA_SETS,
  timestamp,
} from '../client/index.ts';
import {
  deploymentStatus,
  type Generations,
  generationsOf,
  outdated,
  planScaling,
  replicaSetOf,
  REVISION,
  revisionOf,
} from './deployment-plan.ts';
import { templateHash } from './template-hash.ts';

/** Keeps one replica set for a deployment's present template, and moves the pods from the earlier ones to it. */
export class DeploymentController extends QueuedComponent {
  readonly #environment: Environment;
  readonly #deployments: Informer<Deployment>;
  readonly #replicaSets: Informer<ReplicaSet>;
  /** Replica sets that were created and that the informer does not show yet. */
  readonly #created = new Map<string, ReplicaSet>();

  constructor(environment: Environment) {
    const client = new ApiClient(environment, { userAgent: 'deployment-controller' });
    super({ environment, client });
    this.#environment = environment;
    this.#deployments = this.own(new Informer({ environment, client, of: DEPLOYMENTS }));
    this.#replicaSets = this.own(new Informer({ environment, client, of: REPLICA_SETS }));
    this.#deployments.onChange(({ object, cause }) => {
      this.queue.add(keyOf(object), cause);
    });
    this.#replicaSets.onChange(({ object, cause }) => {
      this.#created.delete(keyOf(object));
      this.#replicaSetChanged(object, cause);
    });
  }

  #replicaSetChanged(replicaSet: ReplicaSet, cause: Cause): void {
    const owner = controllerOf(replicaSet);
    if (owner?.kind !== 'Deployment') return;
    const key = keyOf({ metadata: { ...replicaSet.metadata, name: owner.name } });
    if (this.#deployments.get(key)?.metadata.uid === owner.uid) this.queue.add(key, cause);
  }

  protected async work(key: string): Promise<void> {
    const deployment = this.#deployments.get(key);
    if (deployment === undefined || deployment.metadata.deletionTimestamp !== undefined) return;
    const known = [...this.#replicaSets.list(), ...this.#created.values()];
    const owned = known.filter((one) => controllerOf(one)?.uid === deployment.metadata.uid);
    const found = generationsOf(deployment, owned);
    const generations = await this.#ensureCurrent(deployment, found);
    const scalings = planScaling(deployment, generations);
    for (const { replicaSet, replicas } of scalings) {
      await this.client.patch(REPLICA_SETS, replicaSet, { spec: { replicas } }, { type: 'merge' });
    }
    if (scalings.length === 0) await this.#dropHistory(deployment, generations.old);
    await this.#updateStatus(deployment, generations);
  }

  /** A paused deployment gets no new generation, however its template changes. */
  async #ensureCurrent(deployment: Deployment, generations: Generations): Promise<Generations> {
    const { current, old } = generations;
    if (deployment.spec.paused === true) return generations;
    if (current === undefined) return { old, current: await this.#create(deployment, old) };
    // A roll-back makes an old generation the present one; its place in the history is the last then.
    const latest = Math.max(0, ...old.map(revisionOf));
    if (revisionOf(current) >= latest) return generations;
    const patch = { metadata: { annotations: { [REVISION]: String(latest + 1) } } };
    return { old, current: await this.client.patch(REPLICA_SETS, current, patch, { type: 'merge' }) };
  }

  async #create(deployment: Deployment, old: readonly ReplicaSet[]): Promise<ReplicaSet> {
    const hash = templateHash(deployment.spec.template, deployment.status?.collisionCount);
    const replicaSet = replicaSetOf(deployment, hash, old);
    try {
      const created = await this.client.create(REPLICA_SETS, replicaSet);
      if (this.#replicaSets.get(keyOf(created)) === undefined) this.#created.set(keyOf(created), created);
      return created;
    } catch (error) {
      if (!isRefused(error, 'AlreadyExists')) throw error;
    }
    return this.#existing(deployment, `${deployment.metadata.name}-${hash}`, old);
  }

  /** The name is taken: by our own replica set, which the informer does not show yet, or by another template's with an equal hash. */
  async #existing(deployment: Deployment, name: string, old: readonly ReplicaSet[]): Promise<ReplicaSet> {
    const { namespace, uid } = deployment.metadata;
    const existing = await this.client.get(REPLICA_SETS, { namespace, name });
    const isOurs = controllerOf(existing)?.uid === uid;
    if (isOurs && generationsOf(deployment, [existing, ...old]).current === existing) return existing;
    const status = { collisionCount: (deployment.status?.collisionCount ?? 0) + 1 };
    await this.client.patch(DEPLOYMENTS, deployment, { status }, { type: 'merge', subresource: 'status' });
    throw new Error(`the name ${name} is taken by a replica set of another template; it is tried with another hash`);
  }

  async #dropHistory(deployment: Deployment, old: readonly ReplicaSet[]): Promise<void> {
    for (const replicaSet of outdated(deployment, old)) {
      try {
        await this.client.delete(REPLICA_SETS, replicaSet, { preconditions: { uid: replicaSet.metadata.uid } });
      } catch (error) {
        if (!isRefused(error, 'NotFound')) throw error;
      }
    }
  }

  async #updateStatus(deployment: Deployment, generations: Generations): Promise<void> {
    const now = timestamp(this.#environment.clock.now());
    const status = deploymentStatus(deployment, generations, now);
    // The count of collisions is no part of what the replica sets amount to; a merge leaves it as it is.
    if (equalJson({ ...deployment.status, collisionCount: undefined }, status)) return;
    try {
      await this.client.patch(DEPLOYMENTS, deployment, { status }, { type: 'merge', subresource: 'status' });
    } catch (error) {
      if (!isRefused(error, 'NotFound')) throw error;
    }
  }
}
