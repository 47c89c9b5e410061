import type { NewObject, Pod, ReplicaSet, ReplicaSetStatus } from '../api/index.ts';
import { controllerReference } from '../client/index.ts';
import { isReady, readySince } from './pod-state.ts';

/** What to do about the number of pods. */
export type ReplicaPlan =
  | { readonly kind: 'none' }
  | { readonly kind: 'create'; readonly count: number }
  | { readonly kind: 'delete'; readonly pods: readonly Pod[] };

/** A replica set's controller creates or deletes no more than this in one go. */
const BURST_MAX = 500;

/** Compares the active pods with the wanted number. */
export function planReplicas(replicaSet: ReplicaSet, active: readonly Pod[]): ReplicaPlan {
  const missing = wantedReplicas(replicaSet) - active.length;
  if (missing > 0) return { kind: 'create', count: Math.min(missing, BURST_MAX) };
  if (missing === 0) return { kind: 'none' };
  const ranked = active.toSorted(byWorth);
  return { kind: 'delete', pods: ranked.slice(0, Math.min(-missing, BURST_MAX)) };
}

export function wantedReplicas({ spec }: ReplicaSet): number {
  return spec.replicas ?? 1;
}

/** Least loss first: unassigned before assigned, pending before running, not ready before ready, younger before older. */
function byWorth(left: Pod, right: Pod): number {
  for (const worth of WORTHS) {
    const difference = worth(left) - worth(right);
    if (difference !== 0) return difference;
  }
  return left.metadata.name < right.metadata.name ? -1 : 1;
}

const PHASE_WORTH: ReadonlyMap<string | undefined, number> = new Map([
  ['Pending', 0],
  ['Unknown', 1],
  ['Running', 2],
]);

const WORTHS: readonly ((pod: Pod) => number)[] = [
  (pod) => (pod.spec.nodeName === undefined ? 0 : 1),
  (pod) => PHASE_WORTH.get(pod.status?.phase) ?? 0,
  (pod) => (isReady(pod) ? 1 : 0),
  (pod) => -Date.parse(pod.metadata.creationTimestamp),
  // Timestamps have whole seconds; within one, the store's order tells the younger.
  (pod) => -Number(pod.metadata.resourceVersion),
];

/** A pod from the template. It gets its name from the API server. */
export function podOf(replicaSet: ReplicaSet): NewObject<Pod> {
  const { metadata, spec } = replicaSet.spec.template;
  const { name, namespace } = replicaSet.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: `${name}-`,
      ...(namespace === undefined ? {} : { namespace }),
      ...(metadata?.labels === undefined ? {} : { labels: metadata.labels }),
      ...(metadata?.annotations === undefined ? {} : { annotations: metadata.annotations }),
      ownerReferences: [controllerReference(replicaSet)],
    },
    spec,
  };
}

/** The status that the active pods amount to at this time. */
export function statusOf(replicaSet: ReplicaSet, active: readonly Pod[], now: number): ReplicaSetStatus {
  const { generation } = replicaSet.metadata;
  const readyMs = (replicaSet.spec.minReadySeconds ?? 0) * 1000;
  const templateLabels = Object.entries(replicaSet.spec.template.metadata?.labels ?? {});
  return {
    replicas: active.length,
    fullyLabeledReplicas: active.filter(({ metadata }) =>
      templateLabels.every(([key, value]) => metadata.labels?.[key] === value),
    ).length,
    readyReplicas: active.filter(isReady).length,
    availableReplicas: active.filter((pod) => now - (readySince(pod) ?? Infinity) >= readyMs).length,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}

/** Whether an update of the status would change anything. */
export function isSameStatus(left: ReplicaSetStatus | undefined, right: ReplicaSetStatus): boolean {
  return (
    left !== undefined &&
    left.replicas === right.replicas &&
    (left.fullyLabeledReplicas ?? 0) === right.fullyLabeledReplicas &&
    (left.readyReplicas ?? 0) === right.readyReplicas &&
    (left.availableReplicas ?? 0) === right.availableReplicas &&
    left.observedGeneration === right.observedGeneration
  );
}
