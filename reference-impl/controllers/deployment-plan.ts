import {
  type Condition,
  type Deployment,
  type DeploymentStatus,
  equalJson,
  type NewObject,
  type PodTemplateSpec,
  type ReplicaSet,
} from '../api/index.ts';
import { controllerReference } from '../client/index.ts';

export const HASH_LABEL = 'pod-template-hash';
export const REVISION = 'deployment.kubernetes.io/revision';

/** A replica set and the number of pods that it shall have from now on. */
export interface Scaling {
  readonly replicaSet: ReplicaSet;
  readonly replicas: number;
}

/** A deployment's replica sets: the one of its present template, if it exists, and those of earlier ones, oldest first. */
export interface Generations {
  readonly current: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
}

/** Tells the replica set of the present template from the others. */
export function generationsOf({ spec }: Deployment, owned: readonly ReplicaSet[]): Generations {
  const byAge = owned.toSorted((left, right) => age(left) - age(right));
  const current = byAge.find((replicaSet) =>
    equalJson(withoutHash(replicaSet.spec.template), withoutHash(spec.template)),
  );
  return { current, old: byAge.filter((replicaSet) => replicaSet !== current) };
}

function age({ metadata }: ReplicaSet): number {
  return Date.parse(metadata.creationTimestamp) || 0;
}

/** The hash is put into the template of a replica set; it is no part of what the user wrote. */
function withoutHash(template: PodTemplateSpec): PodTemplateSpec {
  const labels = Object.entries(template.metadata?.labels ?? {}).filter(([key]) => key !== HASH_LABEL);
  return { ...template, metadata: { ...template.metadata, labels: Object.fromEntries(labels) } };
}

/** The replica set for a new template. */
export function replicaSetOf(deployment: Deployment, hash: string, old: readonly ReplicaSet[]): NewObject<ReplicaSet> {
  const { name, namespace } = deployment.metadata;
  const { selector, template, minReadySeconds } = deployment.spec;
  const labels = { ...template.metadata?.labels, [HASH_LABEL]: hash };
  const allowed = wanted(deployment) + fenceposts(deployment).surge - total(old);
  const isRecreateBlocked = isRecreate(deployment) && podsOf(old) > 0;
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name}-${hash}`,
      ...(namespace === undefined ? {} : { namespace }),
      labels,
      annotations: { [REVISION]: String(latestRevision(old) + 1) },
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas: isRecreateBlocked ? 0 : Math.max(0, Math.min(wanted(deployment), allowed)),
      ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [HASH_LABEL]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

function latestRevision(replicaSets: readonly ReplicaSet[]): number {
  return Math.max(0, ...replicaSets.map(revisionOf));
}

export function revisionOf({ metadata }: ReplicaSet): number {
  return Number(metadata.annotations?.[REVISION] ?? 0) || 0;
}

/** The next step towards the wanted state; empty when there is nothing to do now. */
export function planScaling(deployment: Deployment, generations: Generations): readonly Scaling[] {
  const { current, old } = generations;
  if (current === undefined) return [];
  if (isRecreate(deployment)) return planRecreate(deployment, current, old);
  const next = scaleCurrent(deployment, current, old);
  return next === undefined ? scaleOld(deployment, current, old) : [next];
}

function planRecreate(deployment: Deployment, current: ReplicaSet, old: readonly ReplicaSet[]): readonly Scaling[] {
  const running = old.filter(({ spec }) => (spec.replicas ?? 0) > 0);
  if (running.length > 0) return running.map((replicaSet) => ({ replicaSet, replicas: 0 }));
  if (podsOf(old) > 0 || current.spec.replicas === wanted(deployment)) return [];
  return [{ replicaSet: current, replicas: wanted(deployment) }];
}

/** Grows the present generation as far as the surge allows, or shrinks it to what is wanted. */
function scaleCurrent(deployment: Deployment, current: ReplicaSet, old: readonly ReplicaSet[]): Scaling | undefined {
  const has = current.spec.replicas ?? 0;
  const wants = wanted(deployment);
  if (has > wants) return { replicaSet: current, replicas: wants };
  const room = wants + fenceposts(deployment).surge - has - total(old);
  const grown = Math.min(wants, has + Math.max(0, room));
  return grown > has ? { replicaSet: current, replicas: grown } : undefined;
}

/** Shrinks the old generations: first by pods that are of no use, then by as many as the minimum of available pods allows. */
function scaleOld(deployment: Deployment, current: ReplicaSet, old: readonly ReplicaSet[]): readonly Scaling[] {
  const minimum = wanted(deployment) - fenceposts(deployment).unavailable;
  const currentUnavailable = (current.spec.replicas ?? 0) - available(current);
  const removable = total(old) + (current.spec.replicas ?? 0) - minimum - currentUnavailable;
  if (removable <= 0) return [];
  const replicas = new Map(old.map((replicaSet) => [replicaSet, replicaSet.spec.replicas ?? 0]));
  const remove = (budget: number, useless: boolean): number => {
    let left = budget;
    for (const replicaSet of old) {
      const has = replicas.get(replicaSet) ?? 0;
      const count = Math.min(left, useless ? Math.max(0, has - available(replicaSet)) : has);
      replicas.set(replicaSet, has - count);
      left -= count;
    }
    return budget - left;
  };
  remove(removable, true);
  const availableInAll = old.reduce((sum, replicaSet) => sum + available(replicaSet), available(current));
  remove(Math.max(0, availableInAll - minimum), false);
  return [...replicas]
    .filter(([replicaSet, count]) => count !== replicaSet.spec.replicas)
    .map(([replicaSet, count]) => ({ replicaSet, replicas: count }));
}

function isRecreate({ spec }: Deployment): boolean {
  return spec.strategy?.type === 'Recreate';
}

function wanted({ spec }: Deployment): number {
  return spec.replicas ?? 1;
}

function total(replicaSets: readonly ReplicaSet[]): number {
  return replicaSets.reduce((sum, { spec }) => sum + (spec.replicas ?? 0), 0);
}

function podsOf(replicaSets: readonly ReplicaSet[]): number {
  return replicaSets.reduce((sum, { status }) => sum + (status?.replicas ?? 0), 0);
}

function available({ status }: ReplicaSet): number {
  return status?.availableReplicas ?? 0;
}

/** How many pods may be there beyond the wanted number, and how many of it may be missing. Never both none: nothing could move. */
function fenceposts(deployment: Deployment): { readonly surge: number; readonly unavailable: number } {
  const { maxSurge = '25%', maxUnavailable = '25%' } = deployment.spec.strategy?.rollingUpdate ?? {};
  if (isRecreate(deployment)) return { surge: 0, unavailable: wanted(deployment) };
  const surge = share(maxSurge, wanted(deployment), Math.ceil);
  const unavailable = share(maxUnavailable, wanted(deployment), Math.floor);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

function share(value: number | string, of: number, round: (value: number) => number): number {
  if (typeof value === 'number') return value;
  const percent = /^(\d+)%$/.exec(value)?.[1];
  return percent === undefined ? Number(value) || 0 : round((Number(percent) * of) / 100);
}

/** What the replica sets amount to. Conditions keep their times unless they change, so that an unchanged status stays equal. */
export function deploymentStatus(deployment: Deployment, { current, old }: Generations, now: string): DeploymentStatus {
  const all = current === undefined ? old : [...old, current];
  const replicas = podsOf(all);
  const availableReplicas = all.reduce((sum, replicaSet) => sum + available(replicaSet), 0);
  const updatedReplicas = current?.status?.replicas ?? 0;
  const { generation } = deployment.metadata;
  const isComplete =
    updatedReplicas === wanted(deployment) && replicas === updatedReplicas && availableReplicas === replicas;
  const isAvailable = availableReplicas >= wanted(deployment) - fenceposts(deployment).unavailable;
  const conditions = [
    isAvailable
      ? condition('Available', 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.')
      : condition('Available', 'False', 'MinimumReplicasUnavailable', 'Deployment does not have minimum availability.'),
    isComplete
      ? condition('Progressing', 'True', 'NewReplicaSetAvailable', 'The new replica set has progressed.')
      : condition('Progressing', 'True', 'ReplicaSetUpdated', 'The new replica set is progressing.'),
  ];
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    replicas,
    updatedReplicas,
    readyReplicas: all.reduce((sum, { status }) => sum + (status?.readyReplicas ?? 0), 0),
    availableReplicas,
    unavailableReplicas: Math.max(0, Math.max(total(all), wanted(deployment)) - availableReplicas),
    conditions: conditions.map((next) => keepTimes(deployment.status?.conditions, next, now)),
  };
}

function condition(type: string, status: 'True' | 'False', reason: string, message: string): Condition {
  return { type, status, reason, message };
}

function keepTimes(known: readonly Condition[] | undefined, next: Condition, now: string): Condition {
  const before = known?.find(({ type }) => type === next.type);
  const isSame = before?.status === next.status && before.reason === next.reason;
  if (isSame) return before;
  const sinceTransition = before?.status === next.status ? before.lastTransitionTime : undefined;
  return { ...next, lastUpdateTime: now, lastTransitionTime: sinceTransition ?? now };
}

/** Old replica sets beyond the history that the deployment keeps, oldest first. */
export function outdated({ spec }: Deployment, old: readonly ReplicaSet[]): readonly ReplicaSet[] {
  const idle = old.filter(({ spec: { replicas }, status }) => replicas === 0 && (status?.replicas ?? 0) === 0);
  const byRevision = idle.toSorted((left, right) => revisionOf(left) - revisionOf(right));
  return byRevision.slice(0, Math.max(0, idle.length - (spec.revisionHistoryLimit ?? 10)));
}
