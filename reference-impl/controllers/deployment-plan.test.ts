import { describe, expect, test } from '@jest/globals';
import type { Deployment, DeploymentStrategy, ReplicaSet } from '../api/index.ts';
import {
  deploymentStatus,
  generationsOf,
  HASH_LABEL,
  outdated,
  planScaling,
  replicaSetOf,
  REVISION,
} from './deployment-plan.ts';
import { templateHash } from './template-hash.ts';

const meta = (name: string) => ({
  name,
  namespace: 'default',
  uid: `uid-${name}`,
  resourceVersion: '1',
  creationTimestamp: '2026-01-01T00:00:00Z',
});

const template = (image: string, hash?: string) => ({
  metadata: { labels: { app: 'web', ...(hash === undefined ? {} : { [HASH_LABEL]: hash }) } },
  spec: { containers: [{ name: 'main', image }] },
});

function deployment(replicas: number, strategy?: DeploymentStrategy): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...meta('web'), generation: 2 },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: template('new'),
      ...(strategy === undefined ? {} : { strategy }),
    },
  };
}

/** A replica set that shall have some pods, of which some are there and available. */
function generation(image: string, wanted: number, available = wanted, revision = 1): ReplicaSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { ...meta(`web-${image}`), annotations: { [REVISION]: String(revision) } },
    spec: { replicas: wanted, selector: {}, template: template(image, 'h') },
    status: { replicas: wanted, readyReplicas: available, availableReplicas: available },
  };
}

const scalings = (of: Deployment, current: ReplicaSet, ...old: readonly ReplicaSet[]) =>
  planScaling(of, { current, old }).map(({ replicaSet, replicas }) => `${replicaSet.metadata.name}=${replicas}`);

describe('the present generation', () => {
  test('is the one with an equal template, whatever the hash and the order of fields', () => {
    const reordered = { ...generation('new', 1), metadata: meta('web-x') };
    const { current, old } = generationsOf(deployment(1), [generation('old', 1), reordered]);
    expect(current?.metadata.name).toBe('web-x');
    expect(old.map(({ metadata }) => metadata.name)).toEqual(['web-old']);
  });

  test('is named by its hash, which is in its labels and its selector', () => {
    const made = replicaSetOf(deployment(3), 'h1', [generation('old', 3, 3, 7)]);
    expect(made.metadata).toMatchObject({ name: 'web-h1', labels: { app: 'web', [HASH_LABEL]: 'h1' } });
    expect(made.metadata.annotations).toEqual({ [REVISION]: '8' });
    expect(made.spec.selector.matchLabels).toEqual({ app: 'web', [HASH_LABEL]: 'h1' });
    expect(made.spec.template.metadata?.labels).toEqual({ app: 'web', [HASH_LABEL]: 'h1' });
  });

  test('begins with all pods when it is the first, with the surge when it is not', () => {
    expect(replicaSetOf(deployment(4), 'h', []).spec.replicas).toBe(4);
    expect(replicaSetOf(deployment(4), 'h', [generation('old', 4)]).spec.replicas).toBe(1);
    expect(replicaSetOf(deployment(4, { type: 'Recreate' }), 'h', [generation('old', 4)]).spec.replicas).toBe(0);
  });
});

describe('a rolling update', () => {
  test.each([
    ['follows the number that is wanted', deployment(5), [generation('new', 3)], ['web-new=5']],
    ['gives up what is no longer wanted', deployment(1), [generation('new', 3)], ['web-new=1']],
    ['is over when all pods are of the present generation', deployment(3), [generation('new', 3)], []],
    [
      'waits while the new pods are not available',
      deployment(4),
      [generation('new', 1, 0), generation('old', 4)],
      ['web-old=3'],
    ],
    [
      'takes away no available pod beyond the minimum',
      deployment(4),
      [generation('new', 2, 0), generation('old', 3)],
      [],
    ],
    [
      'replaces an old pod by each new one that is available',
      deployment(4),
      [generation('new', 2, 2), generation('old', 3)],
      ['web-old=1'],
    ],
    [
      'first takes away old pods that are of no use',
      deployment(4),
      [generation('new', 1, 1), generation('broken', 2, 0), generation('old', 2)],
      ['web-broken=0'],
    ],
  ] as const)('%s', (_claim, of, [current, ...old], expected) => {
    expect(scalings(of, current, ...old)).toEqual(expected);
  });

  test('moves also when neither surge nor absence is allowed', () => {
    const strict = deployment(2, { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } });
    expect(scalings(strict, generation('new', 0, 0), generation('old', 2))).toEqual(['web-old=1']);
  });

  test('ends, within bounds at every step', () => {
    for (const wanted of [1, 2, 3, 10]) {
      const of = deployment(wanted);
      let [current, old] = [generation('new', 0, 0), generation('old', wanted)];
      let steps = 0;
      for (; steps < 100; steps++) {
        const plan = planScaling(of, { current, old: [old] });
        if (plan.length === 0) break;
        for (const { replicaSet, replicas } of plan) {
          // Every pod becomes available at once.
          const next = generation(replicaSet === current ? 'new' : 'old', replicas);
          if (replicaSet === current) current = next;
          else old = next;
        }
        const pods = (current.spec.replicas ?? 0) + (old.spec.replicas ?? 0);
        expect(pods).toBeLessThanOrEqual(wanted + Math.ceil(wanted / 4));
        expect(pods).toBeGreaterThanOrEqual(wanted - Math.floor(wanted / 4));
      }
      expect([current.spec.replicas, old.spec.replicas]).toEqual([wanted, 0]);
    }
  });
});

test('recreation waits until the old pods are gone', () => {
  const of = deployment(2, { type: 'Recreate' });
  expect(scalings(of, generation('new', 0), generation('old', 2))).toEqual(['web-old=0']);
  const leaving = { ...generation('old', 0), status: { replicas: 1 } };
  expect(scalings(of, generation('new', 0), leaving)).toEqual([]);
  expect(scalings(of, generation('new', 0), generation('old', 0))).toEqual(['web-new=2']);
});

describe('the status of a deployment', () => {
  const now = '2026-02-01T00:00:00Z';

  test('adds up its replica sets', () => {
    const status = deploymentStatus(
      deployment(4),
      { current: generation('new', 2, 1), old: [generation('old', 3)] },
      now,
    );
    expect(status).toMatchObject({
      observedGeneration: 2,
      replicas: 5,
      updatedReplicas: 2,
      readyReplicas: 4,
      availableReplicas: 4,
      unavailableReplicas: 1,
    });
  });

  test('keeps the times of conditions that have not changed', () => {
    const generations = { current: generation('new', 4), old: [] };
    const status = deploymentStatus(deployment(4), generations, now);
    expect(status.conditions?.map(({ type, status: value, reason }) => [type, value, reason])).toEqual([
      ['Available', 'True', 'MinimumReplicasAvailable'],
      ['Progressing', 'True', 'NewReplicaSetAvailable'],
    ]);
    expect(deploymentStatus({ ...deployment(4), status }, generations, '2026-03-01T00:00:00Z')).toEqual(status);
  });
});

test('history beyond the limit is dropped, oldest first, but never a replica set with pods', () => {
  const limited = { ...deployment(1), spec: { ...deployment(1).spec, revisionHistoryLimit: 1 } };
  const old = [
    generation('c', 0, 0, 3),
    generation('a', 0, 0, 1),
    generation('busy', 1, 1, 0),
    generation('b', 0, 0, 2),
  ];
  expect(outdated(limited, old).map(({ metadata }) => metadata.name)).toEqual(['web-a', 'web-b']);
});

describe('a template hash', () => {
  test('does not depend on the order of fields', () => {
    const { metadata, spec } = template('x');
    expect(templateHash({ spec, metadata })).toBe(templateHash({ metadata, spec }));
  });

  test('differs for other templates, and after a collision', () => {
    const hashes = [templateHash(template('x')), templateHash(template('y')), templateHash(template('x'), 1)];
    expect(new Set(hashes).size).toBe(3);
    for (const hash of hashes) expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]+$/);
  });
});
