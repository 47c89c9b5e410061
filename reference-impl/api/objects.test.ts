import { describe, expect, test } from '@jest/globals';
import {
  attributesOf,
  describeRequest,
  nestsTooDeep,
  parseObjectPath,
  pathOf,
  RESOURCES,
  resourceNamed,
  validate,
  validateChange,
} from './index.ts';
import type { JsonObject } from './index.ts';

const owner = (kind: string, name: string): JsonObject => ({
  apiVersion: 'apps/v1',
  kind,
  name,
  uid: 'u',
  controller: true,
});
const container = { name: 'a', image: 'a:1' };

describe('attributes of an object', () => {
  test('a pod of a deployment carries the names of its owners', () => {
    const pod = {
      kind: 'Pod',
      metadata: {
        name: 'web-abc-1',
        namespace: 'default',
        uid: 'u1',
        labels: { 'pod-template-hash': 'abc' },
        ownerReferences: [owner('ReplicaSet', 'web-abc')],
      },
      spec: { nodeName: 'n1' },
      status: { phase: 'Running' },
    };
    expect(attributesOf(pod)).toEqual({
      'k8s.resource': 'pods',
      'k8s.namespace.name': 'default',
      'k8s.pod.name': 'web-abc-1',
      'k8s.pod.uid': 'u1',
      'k8s.replicaset.name': 'web-abc',
      'k8s.deployment.name': 'web',
      'k8s.node.name': 'n1',
      'k8s.pod.phase': 'Running',
    });
  });

  test.each<[string, JsonObject | undefined, string, unknown]>([
    ['has another hash', { 'pod-template-hash': 'xyz' }, 'web-abc', undefined],
    ['has no hash', undefined, 'web-abc', undefined],
    ['ends so, with a dash in the name', { 'pod-template-hash': 'abc' }, 'my-web-abc', 'my-web'],
  ])('a pod whose replica set %s', (_claim, labels, replicaSet, deployment) => {
    const metadata = { labels, ownerReferences: [owner('ReplicaSet', replicaSet)] };
    expect(attributesOf({ kind: 'Pod', metadata })['k8s.deployment.name']).toBe(deployment);
  });

  test('an owner that is not the controller is no owner', () => {
    const metadata = { ownerReferences: [{ ...owner('ReplicaSet', 'rs'), controller: false }] };
    expect(attributesOf({ kind: 'Pod', metadata })).toEqual({ 'k8s.resource': 'pods' });
  });

  test.each<[JsonObject, Record<string, string>]>([
    [
      { kind: 'ReplicaSet', metadata: { name: 'web-abc', ownerReferences: [owner('Deployment', 'web')] } },
      { 'k8s.resource': 'replicasets', 'k8s.replicaset.name': 'web-abc', 'k8s.deployment.name': 'web' },
    ],
    [
      { kind: 'Deployment', metadata: { name: 'web' } },
      { 'k8s.resource': 'deployments', 'k8s.deployment.name': 'web' },
    ],
    [
      { kind: 'Node', metadata: { name: 'n1' } },
      { 'k8s.resource': 'nodes', 'k8s.node.name': 'n1' },
    ],
    [
      { kind: 'Binding', metadata: { name: 'p' }, target: { name: 'n1' } },
      { 'k8s.resource': 'pods', 'k8s.subresource': 'binding', 'k8s.pod.name': 'p', 'k8s.node.name': 'n1' },
    ],
    [{ kind: 'Status' }, {}],
  ])('%j', (object, expected) => {
    expect(attributesOf(object)).toEqual(expected);
  });

  test.each([undefined, null, 'x', [], { kind: 7, metadata: 'x' }])('%j has none', (value) => {
    expect(attributesOf(value)).toEqual({});
  });
});

describe('description of a request', () => {
  const pods = '/api/v1/namespaces/default/pods';

  test('a creation by prefix has owner names and no pod name', () => {
    const body = {
      kind: 'Pod',
      metadata: {
        generateName: 'web-abc-',
        labels: { 'pod-template-hash': 'abc' },
        ownerReferences: [owner('ReplicaSet', 'web-abc')],
      },
    };
    const { label, attributes } = describeRequest({
      method: 'POST',
      url: `${pods}?fieldManager=x`,
      userAgent: 'rs/1',
      body,
    });
    expect(label).toBe(`POST ${pods}`);
    expect(attributes).toEqual({
      'http.request.method': 'POST',
      'url.path': pods,
      'url.query': 'fieldManager=x',
      'user_agent.original': 'rs/1',
      'k8s.resource': 'pods',
      'k8s.namespace.name': 'default',
      'k8s.replicaset.name': 'web-abc',
      'k8s.deployment.name': 'web',
    });
  });

  test.each<[string, unknown]>([
    ['a merge patch', { status: { phase: 'Running' } }],
    ['a JSON patch', [{ op: 'replace', path: '/status/phase', value: 'Running' }]],
  ])('a status update by %s has the phase that it sets, and what is known of the pod', (_kind, body) => {
    const object = { kind: 'Pod', metadata: { name: 'p', uid: 'u' }, status: { phase: 'Pending' } };
    const { attributes } = describeRequest({ method: 'PATCH', url: `${pods}/p/status`, body, object });
    expect(attributes).toMatchObject({
      'k8s.pod.name': 'p',
      'k8s.pod.uid': 'u',
      'k8s.pod.phase': 'Running',
      'k8s.subresource': 'status',
    });
  });

  test('a phase of something else is no pod phase', () => {
    const body = { status: { phase: 'Active' } };
    const { attributes } = describeRequest({ method: 'PATCH', url: '/api/v1/namespaces/x/status', body });
    expect(attributes).not.toHaveProperty('k8s.pod.phase');
  });
});

describe('paths', () => {
  test.each<[string, unknown]>([
    ['/api/v1/pods', { resource: 'pods' }],
    ['/api/v1/namespaces/d/pods', { resource: 'pods', namespace: 'd' }],
    ['/api/v1/namespaces/d/pods/p', { resource: 'pods', namespace: 'd', name: 'p' }],
    ['/api/v1/namespaces/d/pods/p/binding', { resource: 'pods', namespace: 'd', name: 'p', subresource: 'binding' }],
    [
      '/apis/apps/v1/namespaces/d/deployments/w/scale',
      { resource: 'deployments', namespace: 'd', name: 'w', subresource: 'scale' },
    ],
    ['/api/v1/namespaces', { resource: 'namespaces' }],
    ['/api/v1/namespaces/d', { resource: 'namespaces', name: 'd' }],
    ['/api/v1/namespaces/d/status', { resource: 'namespaces', name: 'd', subresource: 'status' }],
    ['/api/v1/nodes/a%2Fb', { resource: 'nodes', name: 'a/b' }],
    ['/api/v1/nodes/%ff', { resource: 'nodes', name: '%ff' }],
    ['/version', undefined],
    ['/apis/apps/v1', undefined],
  ])('%s', (path, expected) => {
    expect(parseObjectPath(path)).toEqual(expected);
  });

  test('every resource is found again in its own path', () => {
    for (const resource of RESOURCES) {
      const path = pathOf(resource, 'd', 'x');
      const namespace = resource.namespaced ? { namespace: 'd' } : {};
      expect(parseObjectPath(path)).toEqual({ resource: resource.name, name: 'x', ...namespace });
      expect(resourceNamed(resource.name)).toBe(resource);
    }
  });
});

describe('validation', () => {
  const fieldsOf = (kind: string, object: JsonObject): readonly unknown[] =>
    validate(kind, object).map(({ field }) => field);
  const workload = (spec: JsonObject): JsonObject => ({
    metadata: { name: 'w' },
    spec: {
      selector: { matchLabels: { app: 'w' } },
      template: { metadata: { labels: { app: 'w' } }, spec: { containers: [container] } },
      ...spec,
    },
  });

  test.each(['web-1', 'a.b.c', '0', 'a'.repeat(253)])('the name %j is valid', (name) => {
    expect(fieldsOf('Pod', { metadata: { name }, spec: { containers: [container] } })).toEqual([]);
  });

  test.each(['', 'Web', 'a_b', '-a', 'a-', 'a..b', 'a/b', 'a'.repeat(254)])('the name %j is not', (name) => {
    expect(fieldsOf('Pod', { metadata: { name }, spec: { containers: [container] } })).toEqual(['metadata.name']);
  });

  test('a namespace is named by one label', () => {
    expect(fieldsOf('Namespace', { metadata: { name: 'a.b' } })).toEqual(['metadata.name']);
  });

  test.each<[JsonObject, string]>([
    [{ labels: { 'a b': 'x' } }, 'metadata.labels'],
    [{ labels: { a: 'x y' } }, 'metadata.labels'],
    [{ labels: { a: 1 } }, 'metadata.labels'],
    [{ labels: ['a'] }, 'metadata.labels'],
    [{ annotations: { a: 1 } }, 'metadata.annotations'],
    [{ ownerReferences: [{ name: 'x' }] }, 'metadata.ownerReferences'],
    [{ ownerReferences: [owner('A', 'a'), owner('B', 'b')] }, 'metadata.ownerReferences'],
    [{ finalizers: [''] }, 'metadata.finalizers'],
  ])('metadata %j is refused at %s', (metadata, field) => {
    expect(fieldsOf('Node', { metadata: { name: 'n', ...metadata } })).toContain(field);
  });

  test.each<[JsonObject | undefined, string]>([
    [undefined, 'spec.containers'],
    [{ containers: [] }, 'spec.containers'],
    [{ containers: [{ name: 'a' }] }, 'spec.containers[0].image'],
    [{ containers: [{ name: 'A', image: 'x' }] }, 'spec.containers[0].name'],
    [{ containers: [container, container] }, 'spec.containers'],
    [{ containers: [container], restartPolicy: 'Maybe' }, 'spec.restartPolicy'],
    [{ containers: [container], terminationGracePeriodSeconds: -1 }, 'spec.terminationGracePeriodSeconds'],
  ])('the pod spec %j is refused at %s', (spec, field) => {
    expect(fieldsOf('Pod', { metadata: { name: 'p' }, spec })).toContain(field);
  });

  test.each<[JsonObject, string]>([
    [{ replicas: -1 }, 'spec.replicas'],
    [{ replicas: 1.5 }, 'spec.replicas'],
    [{ replicas: '3' }, 'spec.replicas'],
    [{ replicas: 2 ** 31 }, 'spec.replicas'],
    [{ selector: undefined }, 'spec.selector'],
    [{ selector: {} }, 'spec.selector'],
    [{ selector: { matchLabels: { app: 'other' } } }, 'spec.template.metadata.labels'],
    [{ selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }, 'spec.selector'],
    [{ selector: { matchExpressions: [{ key: 'a', operator: 'Like', values: ['x'] }] } }, 'spec.selector'],
    [{ template: { metadata: { labels: { app: 'w' } }, spec: {} } }, 'spec.template.spec.containers'],
  ])('the workload %j is refused at %s', (spec, field) => {
    expect(fieldsOf('ReplicaSet', workload(spec))).toContain(field);
    expect(fieldsOf('Deployment', workload(spec))).toContain(field);
  });

  test('a workload with any whole number of replicas is valid', () => {
    for (const replicas of [undefined, 0, 1, 2 ** 31 - 1])
      expect(fieldsOf('Deployment', workload({ replicas }))).toEqual([]);
  });

  test('what is immutable may not change', () => {
    const changed = { ...workload({ selector: { matchLabels: { app: 'v' } } }) };
    expect(validateChange('Deployment', workload({}), changed).map(({ field }) => field)).toEqual(['spec.selector']);
    const pod = { spec: { containers: [container] } };
    expect(validateChange('Pod', pod, { spec: { containers: [{ ...container, image: 'a:2' }] } })).toEqual([]);
    const fields = (spec: JsonObject): unknown => validateChange('Pod', pod, { spec }).map(({ field }) => field);
    expect(fields({ containers: [container], nodeName: 'n1' })).toEqual(['spec.nodeName']);
    expect(fields({ containers: [{ ...container, args: ['x'] }] })).toEqual(['spec.containers']);
  });
});

test('nesting is measured without recursion', () => {
  let deep: unknown = 1;
  for (let i = 0; i < 100_000; i++) deep = [deep];
  expect(nestsTooDeep(deep)).toBe(true);
  expect(nestsTooDeep({ a: [{ b: 1 }] })).toBe(false);
});
