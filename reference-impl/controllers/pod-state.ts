import type { Pod } from '../api/index.ts';

/** Whether the pod counts towards the replicas of its owner: it is neither over nor on its way out. */
export function isActive(pod: Pod): boolean {
  return !hasEnded(pod) && pod.metadata.deletionTimestamp === undefined;
}

export function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

export function isReady(pod: Pod): boolean {
  return readySince(pod) !== undefined;
}

/** When the pod became ready, in milliseconds since the epoch; undefined if it is not. */
export function readySince({ status }: Pod): number | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True') return undefined;
  const since = Date.parse(ready.lastTransitionTime ?? '');
  return Number.isNaN(since) ? 0 : since;
}
