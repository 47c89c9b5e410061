import { describe, expect, test } from '@jest/globals';
import type { Pod, ReplicaSet } from '../api/index.ts';
import { isSameStatus, planReplicas, podOf, statusOf } from './replica-set-plan.ts';

const meta = (name: string, resourceVersion = '1', creationTimestamp = '2026-01-01T00:00:00Z') => ({
  name,
  namespace: 'default',
  uid: `uid-${name}`,
  resourceVersion,
  creationTimestamp,
});

function replicaSet(replicas: number, minReadySeconds = 0): ReplicaSet {
  const labels = { app: 'web' };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { ...meta('web'), generation: 4 },
    spec: {
      replicas,
      minReadySeconds,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'pause' }] } },
    },
  };
}

interface PodTraits {
  readonly node?: string;
  readonly phase?: 'Pending' | 'Running';
  readonly readyAt?: string;
  readonly created?: string;
  readonly revision?: string;
}

function pod(name: string, traits: PodTraits = {}): Pod {
  const { node, phase = 'Pending', readyAt, created, revision } = traits;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...meta(name, revision, created), labels: { app: 'web' } },
    spec: { containers: [], ...(node === undefined ? {} : { nodeName: node }) },
    status: {
      phase,
      conditions: readyAt === undefined ? [] : [{ type: 'Ready', status: 'True', lastTransitionTime: readyAt }],
    },
  };
}

describe('planReplicas', () => {
  test('asks for the pods that are missing', () => {
    expect(planReplicas(replicaSet(3), [pod('a')])).toEqual({ kind: 'create', count: 2 });
  });

  test('asks for nothing when the number is right', () => {
    expect(planReplicas(replicaSet(1), [pod('a')])).toEqual({ kind: 'none' });
  });

  test('asks for a bounded number of pods at once', () => {
    expect(planReplicas(replicaSet(100_000), [])).toEqual({ kind: 'create', count: 500 });
  });

  test('gives up what is worth least first', () => {
    const ready = { node: 'n', phase: 'Running', readyAt: '2026-01-01T00:00:00Z' } as const;
    const pods = [
      pod('ready-old', { ...ready, created: '2026-01-01T00:00:00Z' }),
      pod('ready-young', { ...ready, created: '2026-01-02T00:00:00Z' }),
      pod('unready', { node: 'n', phase: 'Running' }),
      pod('pending', { node: 'n' }),
      pod('unassigned', {}),
    ];
    const plan = planReplicas(replicaSet(0), pods);
    expect(plan.kind === 'delete' ? plan.pods.map(({ metadata }) => metadata.name) : plan.kind).toEqual([
      'unassigned',
      'pending',
      'unready',
      'ready-young',
      'ready-old',
    ]);
  });

  test('of pods created within one second it gives up the later one', () => {
    const plan = planReplicas(replicaSet(1), [pod('first', { revision: '9' }), pod('second', { revision: '10' })]);
    expect(plan).toMatchObject({ kind: 'delete', pods: [{ metadata: { name: 'second' } }] });
  });
});

test('a new pod is named by the API server and managed by its replica set', () => {
  expect(podOf(replicaSet(1)).metadata).toEqual({
    generateName: 'web-',
    namespace: 'default',
    labels: { app: 'web' },
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: 'web',
        uid: 'uid-web',
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  });
});

describe('statusOf', () => {
  const at = (time: string): number => Date.parse(time);
  const pods = [pod('a', { readyAt: '2026-01-01T00:00:00Z' }), pod('b')];

  test('counts pods, those that are ready, and those that have been for long enough', () => {
    const counted = { replicas: 2, fullyLabeledReplicas: 2, readyReplicas: 1, observedGeneration: 4 };
    expect(statusOf(replicaSet(2, 10), pods, at('2026-01-01T00:00:09Z'))).toEqual({ ...counted, availableReplicas: 0 });
    expect(statusOf(replicaSet(2, 10), pods, at('2026-01-01T00:00:10Z'))).toEqual({ ...counted, availableReplicas: 1 });
  });

  test('a number that the API server left out is none', () => {
    const status = statusOf(replicaSet(0), [], 0);
    expect(isSameStatus({ replicas: 0, observedGeneration: 4 }, status)).toBe(true);
    expect(isSameStatus({ replicas: 0, observedGeneration: 3 }, status)).toBe(false);
    expect(isSameStatus(undefined, status)).toBe(false);
  });
});
