import { describe, expect, test } from '@jest/globals';
import type { Node, NodeSpec, Pod, PodSpec } from '../api/index.ts';
import { type Candidate, place } from './placement.ts';
import { parseQuantity } from './quantity.ts';

const meta = (name: string) => ({ name, uid: name, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' });

interface NodeTraits {
  readonly spec?: NodeSpec;
  readonly labels?: Readonly<Record<string, string>>;
  readonly ready?: boolean;
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly pods?: readonly Pod[];
}

function node(name: string, traits: NodeTraits = {}): Candidate {
  const {
    spec = {},
    labels = {},
    ready = true,
    allocatable = { cpu: '2', memory: '4Gi', pods: '10' },
    pods = [],
  } = traits;
  const made: Node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { ...meta(name), labels },
    spec,
    status: { allocatable, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
  return { node: made, pods };
}

const pod = (cpu?: string, spec: Partial<PodSpec> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: meta('p'),
  spec: {
    containers: [{ name: 'main', image: 'x', ...(cpu === undefined ? {} : { resources: { requests: { cpu } } }) }],
    ...spec,
  },
});

describe('a pod goes to', () => {
  test.each([
    ['the emptier node', pod(), [node('a', { pods: [pod()] }), node('b')], 'b'],
    [
      'the node with fewer requests',
      pod('100m'),
      [node('a', { pods: [pod('1')] }), node('b', { pods: [pod('500m')] })],
      'b',
    ],
    ['the first of equal nodes', pod(), [node('b'), node('a')], 'a'],
    [
      'a node that has its labels',
      pod(undefined, { nodeSelector: { disk: 'ssd' } }),
      [node('a'), node('b', { labels: { disk: 'ssd' } })],
      'b',
    ],
    ['a node that is ready', pod(), [node('a', { ready: false }), node('b')], 'b'],
    ['a node that is open', pod(), [node('a', { spec: { unschedulable: true } }), node('b')], 'b'],
    [
      'a node whose taints it tolerates',
      pod(),
      [node('a', { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } }), node('b')],
      'b',
    ],
    [
      'a tainted node that it tolerates',
      pod(undefined, { tolerations: [{ key: 'k', operator: 'Exists' }] }),
      [node('a', { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } })],
      'a',
    ],
    ['a node that says nothing of its size', pod('64'), [node('a', { allocatable: {} })], 'a'],
  ] as const)('%s', (_claim, of, candidates, expected) => {
    expect(place(of, candidates)).toEqual({ kind: 'node', node: expected });
  });
});

describe('a pod goes nowhere', () => {
  test.each([
    ['when there are no nodes', pod(), [], '0/0 nodes are available.'],
    [
      'when no node has enough left',
      pod('1500m'),
      [node('a', { pods: [pod('1')] }), node('b', { pods: [pod('1')] }), node('c', { ready: false })],
      '0/3 nodes are available: 2 Insufficient cpu, 1 node(s) were not ready.',
    ],
    [
      'when the nodes hold as many pods as they may',
      pod(),
      [node('a', { allocatable: { pods: '1' }, pods: [pod()] })],
      '0/1 nodes are available: 1 Too many pods.',
    ],
  ] as const)('%s', (_claim, of, candidates, message) => {
    expect(place(of, candidates)).toEqual({ kind: 'unschedulable', message });
  });
});

test.each([
  ['250m', 0.25],
  ['2', 2],
  ['1e3', 1000],
  ['64Mi', 64 * 2 ** 20],
  ['1.5Gi', 1.5 * 2 ** 30],
  ['3k', 3000],
  ['', undefined],
  ['12xyz', undefined],
])('the quantity %s is %s', (text, expected) => {
  expect(parseQuantity(text)).toBe(expected);
});
