import fc from 'fast-check';
import { PLAIN_START, type Scenario, type StartOptions, type Step } from '../system/index.ts';

/** What the fuzzer varies, as plain data; it shrinks towards nothing created, one node, no delay. */
export interface Plan {
  readonly nodes: number;
  readonly pods: number;
  readonly replicaSets: readonly { readonly replicas: number; readonly pendingMore: number }[];
  readonly deployments: readonly { readonly replicas: number; readonly scaledUpBy: number }[];
  readonly replyDelaysMs: readonly number[];
  readonly watchDelaysMs: readonly number[];
}

const delays = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 5 });

export const anyPlan: fc.Arbitrary<Plan> = fc.record({
  nodes: fc.integer({ min: 1, max: 3 }),
  pods: fc.integer({ min: 0, max: 3 }),
  replicaSets: fc.array(
    fc.record({ replicas: fc.integer({ min: 0, max: 4 }), pendingMore: fc.integer({ min: 0, max: 2 }) }),
    { maxLength: 2 },
  ),
  // A deployment of no pod leaves the drawings of pods unfinished, and rightly so: nothing to look for.
  deployments: fc.array(
    fc.record({ replicas: fc.integer({ min: 1, max: 4 }), scaledUpBy: fc.integer({ min: 0, max: 2 }) }),
    { maxLength: 2 },
  ),
  replyDelaysMs: delays,
  watchDelaysMs: delays,
});

/** The steps that a plan stands for. Everything is created first, so that the parts of a run overlap. */
export function scenarioOf(plan: Plan, start: Partial<StartOptions>): Scenario {
  const names = (prefix: string, count: number): string[] =>
    Array.from({ length: count }, (_, index) => `${prefix}-${index + 1}`);
  const pods = names('bare', plan.pods);
  const sets = plan.replicaSets.map((set, index) => ({ ...set, name: `shop-${index + 1}` }));
  const deployments = plan.deployments.map((deployment, index) => ({ ...deployment, name: `front-${index + 1}` }));
  const steps: Step[] = [
    ...pods.map((name): Step => ({ do: 'create', kind: 'pod', name })),
    ...sets.map(({ name, replicas }): Step => ({ do: 'create', kind: 'replicaset', name, replicas })),
    ...deployments.map(({ name, replicas }): Step => ({ do: 'create', kind: 'deployment', name, replicas })),
    ...pods.map((name): Step => ({ do: 'await', kind: 'pod', name, pods: 1, running: 1 })),
    ...sets.map(({ name, replicas }): Step => awaitAll('replicaset', name, replicas)),
    ...deployments.map(({ name, replicas }): Step => awaitAll('deployment', name, replicas)),
    ...deployments.flatMap(({ name, replicas, scaledUpBy }): Step[] =>
      scaledUpBy === 0
        ? []
        : [
            { do: 'scale', kind: 'deployment', name, replicas: replicas + scaledUpBy },
            awaitAll('deployment', name, replicas + scaledUpBy),
          ],
    ),
    // Last, since the scheduler stays paused: it would begin with pods that are deleted while it looks at them.
    ...(sets.some(({ pendingMore }) => pendingMore > 0) ? [{ do: 'pause', component: 'scheduler' } as const] : []),
    ...sets.flatMap(scaleUnbound),
  ];
  const { nodes, replyDelaysMs, watchDelaysMs } = plan;
  return { name: 'fuzzed', start: { ...PLAIN_START, nodes, replyDelaysMs, watchDelaysMs, ...start }, steps };
}

const awaitAll = (kind: 'replicaset' | 'deployment', name: string, replicas: number): Step => ({
  do: 'await',
  kind,
  name,
  pods: replicas,
  running: replicas,
});

/** Up and down again while nobody binds: the pods that go are unbound, for which the drawn deletion is the true one. */
function scaleUnbound({
  name,
  replicas,
  pendingMore,
}: {
  readonly name: string;
  readonly replicas: number;
  readonly pendingMore: number;
}): Step[] {
  if (pendingMore === 0) return [];
  return [
    { do: 'scale', kind: 'replicaset', name, replicas: replicas + pendingMore },
    { do: 'await', kind: 'replicaset', name, pods: replicas + pendingMore, running: replicas },
    { do: 'scale', kind: 'replicaset', name, replicas },
    awaitAll('replicaset', name, replicas),
  ];
}
