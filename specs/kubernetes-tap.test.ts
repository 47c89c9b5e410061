import { describe, expect, test } from '@jest/globals';
import type { TraceEvent } from '../harness/index.ts';
import { readTap } from './testing/kubernetes-tap.ts';

type Line = Readonly<Record<string, unknown>>;

const read = (...lines: readonly Line[]): readonly TraceEvent[] =>
  readTap(
    lines.map((line, index) => `${JSON.stringify({ seq: index + 1, t: 1000 + index, ...line })}\n`).join(''),
    'tap',
  ).events.map(({ event }) => event);

const api = (id: string, method: string, url: string, more: Line = {}): Line => ({
  tap: 'api-kcm',
  id,
  kind: 'req',
  from: 'ControllerManager',
  to: 'ApiServer',
  method,
  url,
  ua: 'replicaset-controller',
  ...more,
});
const answer = (to: Line, status: number, body: unknown): Line => ({
  ...to,
  kind: 'res',
  from: to['to'],
  to: to['from'],
  status,
  body,
  ua: undefined,
});
const put = (id: string, key: string, value: unknown): Line => ({
  tap: 'etcd',
  id,
  kind: 'req',
  from: 'ApiServer',
  to: 'Etcd',
  method: '/etcdserverpb.KV/Txn',
  body: { success: [{ put: { key, value } }] },
});
const stored = (to: Line, revision: number): Line => ({
  ...to,
  kind: 'res',
  from: 'Etcd',
  to: 'ApiServer',
  body: { header: { revision }, succeeded: true },
});

const owned = (name: string | undefined, more: Line = {}): Line => ({
  kind: 'Pod',
  metadata: {
    ...(name === undefined ? { generateName: 'web-' } : { name }),
    namespace: 'default',
    ownerReferences: [{ kind: 'ReplicaSet', name: 'web' }],
  },
  ...more,
});
const PODS = '/api/v1/namespaces/default/pods';

describe('what the taps of a cluster wrote, as a trace', () => {
  test('a reply answers its request, and says what the request could not know', () => {
    const create = api('1', 'POST', PODS, { body: owned(undefined) });
    const [call, reply] = read(create, answer(create, 201, owned('web-1')));
    expect(call).toMatchObject({ kind: 'call', label: `POST ${PODS}`, attributes: { 'k8s.replicaset.name': 'web' } });
    expect(call?.attributes).not.toHaveProperty(['k8s.pod.name']);
    expect(reply).toMatchObject({
      kind: 'reply',
      replyTo: call?.id,
      status: 201,
      from: 'ApiServer',
      attributes: {
        'k8s.pod.name': 'web-1',
        'k8s.replicaset.name': 'web',
        'user_agent.original': 'replicaset-controller',
      },
    });
  });

  test('of several pods asked for at once, each write belongs to the request that gets this pod', () => {
    const [first, second] = [
      api('1', 'POST', PODS, { body: owned(undefined) }),
      api('2', 'POST', PODS, { body: owned(undefined) }),
    ];
    const writes = ['b', 'a'].map((name) =>
      put(`w${name}`, `/registry/pods/default/web-${name}`, owned(`web-${name}`)),
    );
    const events = read(
      first,
      second,
      ...writes,
      answer(first, 201, owned('web-a')),
      answer(second, 201, owned('web-b')),
    );
    expect(events.filter(({ to }) => to === 'Etcd').map(({ label, parent }) => [label, parent])).toEqual([
      ['PUT /registry/pods/default/web-b', '2'],
      ['PUT /registry/pods/default/web-a', '1'],
    ]);
  });

  test('a write belongs to the latest open API write on its object, never to one that is answered or to a read', () => {
    const bind = api('bind', 'POST', `${PODS}/web-1/binding`);
    const status = api('status', 'PATCH', `${PODS}/web-1/status`);
    const look = api('look', 'GET', `${PODS}/web-1`);
    const write = (id: string): Line => put(id, '/registry/pods/default/web-1', owned('web-1'));
    const events = read(
      bind,
      status,
      look,
      write('w1'),
      answer(status, 200, owned('web-1')),
      write('w2'),
      answer(bind, 201, {}),
      write('w3'),
    );
    expect(events.filter(({ to }) => to === 'Etcd').map(({ parent }) => parent)).toEqual(['status', 'bind', undefined]);
  });

  test('a write, its notification and the notification of a watcher share the revision', () => {
    const write = put('w', '/registry/pods/default/web-1', owned('web-1'));
    const told = {
      tap: 'etcd',
      kind: 'watch',
      from: 'Etcd',
      to: 'ApiServer',
      body: { events: [{ kv: { key: '/registry/pods/default/web-1', modRev: 7, value: owned('web-1') } }] },
    };
    const object = { ...owned('web-1'), metadata: { name: 'web-1', resourceVersion: '7' } };
    const watched = {
      tap: 'api-sched',
      kind: 'watch',
      from: 'ApiServer',
      to: 'Scheduler',
      url: '/api/v1/pods',
      event: { type: 'ADDED', object },
    };
    const [, ...events] = read(write, stored(write, 7), told, watched);
    expect(events.map(({ attributes }) => attributes?.['etcd.revision'])).toEqual([7, 7, 7]);
    expect(events.map(({ kind, label }) => [kind, label])).toEqual([
      ['reply', 'OK'],
      ['async', 'watch PUT /registry/pods/default/web-1'],
      ['async', 'watch ADDED pods/web-1'],
    ]);
  });

  test('who starts a container is told by its name, in whatever version of Docker it is asked for', () => {
    const id = 'ab'.repeat(32);
    const docker = { tap: 'docker', from: 'Kubelet', to: 'Docker', ua: undefined };
    const create = api('1', 'POST', '/v1.40/containers/create?name=k8s_app_web-1_default_u1_2', docker);
    const start = api('2', 'POST', `/v1.40/containers/${id}/start`, docker);
    const events = read(
      create,
      answer(create, 201, { Id: id }),
      start,
      put('w', '/registry/pods/default/web-1', owned('web-1')),
    );
    expect(events[2]).toMatchObject({
      label: `POST /containers/${id}/start`,
      attributes: {
        'container.name': 'app',
        'k8s.pod.name': 'web-1',
        'k8s.replicaset.name': 'web',
        'k8s.container.restart_count': 2,
      },
    });
  });

  test('marks, audit records and ends of connections are no messages; the last mark ends the trace', () => {
    const text = [
      { tap: 'mark', kind: 'mark', text: 'begin:x' },
      { tap: 'audit', kind: 'ResponseComplete', id: 'a' },
      { tap: 'api-kcm', kind: 'watch-end', from: 'ApiServer', to: 'ControllerManager', id: 'w' },
      { tap: 'docker-events', kind: 'event', from: 'dockerd' },
      { tap: 'mark', kind: 'mark', text: 'end:x' },
    ].map((line, index) => `${JSON.stringify({ seq: index, t: index, ...line })}\n`);
    expect(readTap(text.join(''), 'tap')).toEqual({ events: [], begun: false, ended: true });
    expect(readTap(text.slice(0, 4).join(''), 'tap', { isBegun: true })).toEqual({
      events: [],
      begun: true,
      ended: false,
    });
  });
});
