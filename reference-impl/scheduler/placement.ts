import type { Node, Pod, Taint, Toleration } from '../api/index.ts';
import { parseQuantity } from './quantity.ts';

/** A node and the pods that are on it, or will be once their binding is known. */
export interface Candidate {
  readonly node: Node;
  readonly pods: readonly Pod[];
}

/** Where a pod shall run; or why no node will do, with the number of nodes for each reason. */
export type Placement =
  { readonly kind: 'node'; readonly node: string } | { readonly kind: 'unschedulable'; readonly message: string };

/** A rule that a node must meet. To add a rule, add a row. */
interface Filter {
  readonly reason: string;
  readonly admits: (pod: Pod, candidate: Candidate) => boolean;
}

const FILTERS: readonly Filter[] = [
  { reason: 'node(s) were not ready', admits: (_pod, { node }) => isReady(node) },
  { reason: 'node(s) were unschedulable', admits: (_pod, { node }) => node.spec?.unschedulable !== true },
  {
    reason: "node(s) didn't match the pod's node selector",
    admits: (pod, { node }) =>
      Object.entries(pod.spec.nodeSelector ?? {}).every(([key, value]) => node.metadata.labels?.[key] === value),
  },
  {
    reason: "node(s) had taints that the pod didn't tolerate",
    admits: (pod, { node }) =>
      (node.spec?.taints ?? []).every(
        (taint) =>
          taint.effect === 'PreferNoSchedule' || (pod.spec.tolerations ?? []).some((one) => tolerates(one, taint)),
      ),
  },
  { reason: 'Too many pods', admits: (_pod, { node, pods }) => pods.length < allocatable(node, 'pods') },
  ...(['cpu', 'memory'] as const).map((name) => ({
    reason: `Insufficient ${name}`,
    admits: (pod: Pod, { node, pods }: Candidate) =>
      requested([...pods, pod], name, 0) <= allocatable(node, name) || requested([pod], name, 0) === 0,
  })),
];

/** What a container that asks for nothing is taken to need when nodes are compared; else such pods would all go to one node. */
const ASSUMED_NEED = { cpu: 0.1, memory: 200 * 2 ** 20 } as const;

/** Picks the node with the most left of what it can give; equals are told apart by the number of pods, then by name. */
export function place(pod: Pod, candidates: readonly Candidate[]): Placement {
  const reasons = new Map<string, number>();
  const feasible = candidates.filter((candidate) => {
    const failed = FILTERS.find(({ admits }) => !admits(pod, candidate));
    if (failed !== undefined) reasons.set(failed.reason, (reasons.get(failed.reason) ?? 0) + 1);
    return failed === undefined;
  });
  const [best] = feasible.toSorted((left, right) => compare(pod, left, right));
  if (best !== undefined) return { kind: 'node', node: best.node.metadata.name };
  const counted = [...reasons].map(([reason, count]) => `${count} ${reason}`).join(', ');
  const message = `0/${candidates.length} nodes are available${counted === '' ? '' : `: ${counted}`}.`;
  return { kind: 'unschedulable', message };
}

function compare(pod: Pod, left: Candidate, right: Candidate): number {
  const byScore = freeShare(pod, right) - freeShare(pod, left);
  if (Math.abs(byScore) > 1e-9) return byScore;
  if (left.pods.length !== right.pods.length) return left.pods.length - right.pods.length;
  return left.node.metadata.name < right.node.metadata.name ? -1 : 1;
}

/** The mean of the shares of cpu and memory that would be left, from 0 to 1. */
function freeShare(pod: Pod, { node, pods }: Candidate): number {
  const shares = (['cpu', 'memory'] as const).map((name) => {
    const capacity = allocatable(node, name);
    if (!Number.isFinite(capacity)) return 1;
    return Math.max(0, 1 - requested([...pods, pod], name, ASSUMED_NEED[name]) / Math.max(capacity, 1e-9));
  });
  return shares.reduce((sum, one) => sum + one, 0) / shares.length;
}

function isReady({ status }: Node): boolean {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
}

/** A node that does not say how much it can give has no limit. */
function allocatable({ status }: Node, name: string): number {
  return parseQuantity(status?.allocatable?.[name] ?? '') ?? Infinity;
}

function requested(pods: readonly Pod[], name: string, assumed: number): number {
  return pods
    .flatMap(({ spec }) => spec.containers)
    .reduce((sum, { resources }) => sum + (parseQuantity(resources?.requests?.[name] ?? '') ?? assumed), 0);
}

function tolerates({ key, operator = 'Equal', value, effect }: Toleration, taint: Taint): boolean {
  if (effect !== undefined && effect !== taint.effect) return false;
  if (key === undefined) return operator === 'Exists';
  return key === taint.key && (operator === 'Exists' || (value ?? '') === (taint.value ?? ''));
}
