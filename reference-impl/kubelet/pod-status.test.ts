import { describe, expect, test } from '@jest/globals';
import type { Pod } from '../api/index.ts';
import { changedStatus, type ContainerRecord, type KnownState, phaseOf, podStatus } from './pod-status.ts';

const pod = (restartPolicy: 'Always' | 'OnFailure' | 'Never'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { containers: [{ name: 'main', image: 'x' }], restartPolicy },
});

const container = (state?: KnownState, more: Partial<ContainerRecord> = {}): ContainerRecord => ({
  spec: { name: 'main', image: 'x' },
  instance: state === undefined ? undefined : { id: 'c1', state },
  waiting: { reason: 'ContainerCreating' },
  restarts: 0,
  failures: 0,
  notBefore: 0,
  ...more,
});

const created: KnownState = { kind: 'created' };
const running: KnownState = { kind: 'running', startedAt: 1000 };
const exited = (exitCode: number) => ({ kind: 'exited', exitCode, startedAt: 1000, finishedAt: 2000 }) as const;

describe('the phase', () => {
  test.each([
    ['Pending before the first container is there', 'Always', [container()], 'Pending'],
    ['Pending before it is started', 'Always', [container(created)], 'Pending'],
    ['Pending while one of two is missing', 'Always', [container(running), container()], 'Pending'],
    ['Running when all run', 'Always', [container(running), container(running)], 'Running'],
    ['Running while an ended one will be run again', 'Always', [container(exited(0))], 'Running'],
    [
      'Running between the end and the restart',
      'Always',
      [container(undefined, { last: { id: 'c0', state: exited(1) } })],
      'Running',
    ],
    ['Running after a failure that is tried again', 'OnFailure', [container(exited(1))], 'Running'],
    ['Succeeded when all have ended well', 'OnFailure', [container(exited(0)), container(exited(0))], 'Succeeded'],
    ['Failed when one has not', 'Never', [container(exited(0)), container(exited(137))], 'Failed'],
  ] as const)('is %s', (_claim, policy, containers, expected) => {
    expect(phaseOf(pod(policy), containers)).toBe(expected);
  });
});

describe('the status', () => {
  const statusOf = (containers: readonly ContainerRecord[], now: number, before = {}) =>
    podStatus({ pod: pod('Always'), containers, hostIp: '127.0.0.1', podIp: '127.1.0.1', startedAt: 0, now, before });

  test('says nothing that has not changed', () => {
    const before = statusOf([container()], 0);
    expect(changedStatus(before, statusOf([container()], 60_000, before))).toBeUndefined();
  });

  test('a restart changes the containers and not the phase', () => {
    const before = statusOf([container(running)], 0);
    const restarted = container(
      { kind: 'running', startedAt: 9000 },
      { restarts: 1, last: { id: 'c0', state: exited(1) } },
    );
    const changed = changedStatus(before, statusOf([restarted], 60_000, before));
    expect(Object.keys(changed ?? {})).toEqual(['containerStatuses']);
    expect(changed).toMatchObject({
      containerStatuses: [
        { restartCount: 1, ready: true, lastState: { terminated: { exitCode: 1, reason: 'Error' } } },
      ],
    });
  });

  test('a pod has an address and is ready once it runs', () => {
    const before = statusOf([container()], 0);
    expect(before).toMatchObject({
      phase: 'Pending',
      containerStatuses: [{ state: { waiting: { reason: 'ContainerCreating' } } }],
    });
    expect(before).not.toHaveProperty('podIP');
    const after = statusOf([container(running)], 60_000, before);
    expect(after).toMatchObject({ phase: 'Running', podIP: '127.1.0.1' });
    const ready = after.conditions?.find(({ type }) => type === 'Ready');
    expect(ready).toEqual({ type: 'Ready', status: 'True', lastTransitionTime: '1970-01-01T00:01:00Z' });
  });

  test('a container that crashes again and again says so', () => {
    expect(statusOf([container(exited(1))], 0).containerStatuses?.[0]).toMatchObject({
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: { exitCode: 1 } },
    });
  });
});
