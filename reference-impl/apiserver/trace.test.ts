import { afterEach, describe, expect, test } from '@jest/globals';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import request from 'supertest';
import { describeRequest } from '../api/index.ts';
import { createRecorder } from '../tracing/index.ts';
import type { TraceEvent } from '../tracing/index.ts';
import { API_SERVER_MUTANTS, createApiServer } from './index.ts';
import { createMemStore } from '../store/index.ts';
import { DEPLOYMENTS, deploymentNamed, PODS, podNamed, REPLICASETS, TestServer } from './test-server.ts';

let server: TestServer;
afterEach(async () => {
  await server.stop();
});
const start = async (...options: Parameters<typeof TestServer.start>): Promise<void> => {
  server = await TestServer.start(...options);
};
const eventOf = (label: string): TraceEvent => {
  const event = server.events().find((candidate) => candidate.label === label);
  if (event === undefined) throw new Error(`no ${label} among: ${server.arrows().join('; ')}`);
  return event;
};

const owner = (kind: string, name: string): object => ({
  apiVersion: 'apps/v1',
  kind,
  name,
  uid: 'u',
  controller: true,
});
const owned = {
  ...podNamed(''),
  metadata: {
    generateName: 'web-abc-',
    labels: { 'pod-template-hash': 'abc' },
    ownerReferences: [owner('ReplicaSet', 'web-abc')],
  },
};

describe('what a creation leaves in the trace', () => {
  test('every message, in order, each with its cause', async () => {
    await start();
    const watch = await server.watch(`${PODS}?watch=true`, { 'user-agent': 'scheduler' });
    server.recorder.reset();
    await server.post(PODS, podNamed('p')).expect(201);
    await watch.lines(1);
    expect(server.arrows()).toEqual([
      `User -> ApiServer POST ${PODS}`,
      'ApiServer -> Etcd PUT /registry/pods/default/p',
      'Etcd -> ApiServer OK',
      'ApiServer -> User 201 Created',
      'Etcd -> ApiServer watch PUT /registry/pods/default/p',
      'ApiServer -> Scheduler watch ADDED pods/default/p',
    ]);
    const [post, write, ok, created, notice, line] = server.events();
    expect([post, write, ok, created, notice, line].map((event) => event?.kind)).toEqual([
      'call',
      'call',
      'reply',
      'reply',
      'async',
      'async',
    ]);
    expect(post).toMatchObject({ point: 'receive' });
    expect(write).toMatchObject({ parent: post?.id });
    expect(ok).toMatchObject({ replyTo: write?.id, status: 200 });
    expect(created).toMatchObject({ replyTo: post?.id, status: 201, point: 'send' });
    expect(notice).toMatchObject({ parent: write?.id });
    expect(line).toMatchObject({ parent: notice?.id, point: 'send', attributes: { 'k8s.watch.type': 'ADDED' } });
    expect(line?.attributes?.['etcd.revision']).toBe(notice?.attributes?.['etcd.revision']);
    expect(notice?.attributes?.['etcd.revision']).toBe(ok?.attributes?.['etcd.revision']);
  });

  test('a compare-and-swap that loses is answered 409 by the store', async () => {
    await start();
    await server.post(PODS, podNamed('p')).expect(201);
    server.recorder.reset();
    await server.post(PODS, podNamed('p')).expect(409);
    expect(server.arrows()).toEqual([
      `User -> ApiServer POST ${PODS}`,
      'ApiServer -> Etcd PUT /registry/pods/default/p',
      'Etcd -> ApiServer Conflict',
      'ApiServer -> User 409 Conflict',
    ]);
    expect(eventOf('Conflict')).toMatchObject({ status: 409 });
  });

  test('a refusal before the handler is in the trace too', async () => {
    await start({ bodyBytesMax: 100 });
    server.recorder.reset();
    await request(server.url).post(PODS).set('Content-Type', 'application/json').send('{').expect(400);
    await request(server.url).post(PODS).set('Content-Type', 'application/json').send(' '.repeat(200)).expect(413);
    await server.get('/nowhere').expect(404);
    expect(server.events().map(({ kind, status }) => status ?? kind)).toEqual(['call', 400, 'call', 413, 'call', 404]);
  });
});

describe('owner names', () => {
  test('every event about a pod carries them, also those of foreign clients', async () => {
    await start();
    const watch = await server.watch('/api/v1/pods?watch=true', { 'user-agent': 'kubelet/n1' });
    const { name } = (await server.post(PODS, owned).expect(201)).body.metadata as { name: string };
    await server.bind(name, 'n1').expect(201);
    await server.get(`${PODS}/${name}`).expect(200);
    await server.patch(`${PODS}/${name}/status`, { status: { phase: 'Running' } }).expect(200);
    await server.delete(`${PODS}/${name}`, { gracePeriodSeconds: 0 }).expect(200);
    await watch.lines(4);
    const about = server
      .events()
      .filter(
        ({ label, attributes }) =>
          attributes?.['k8s.resource'] === 'pods' &&
          !/RANGE/.test(label) &&
          attributes['url.path'] !== '/api/v1/pods' &&
          attributes['etcd.key'] !== '/registry/pods/',
      );
    expect(about.length).toBeGreaterThan(20);
    for (const event of about) {
      expect(event.attributes).toMatchObject({ 'k8s.replicaset.name': 'web-abc', 'k8s.deployment.name': 'web' });
    }
    const nameless = about.filter(({ attributes }) => attributes?.['k8s.pod.name'] === undefined);
    expect(nameless.map(({ label }) => label)).toEqual([`POST ${PODS}`]);
  });

  test('the phase that a status update sets is on its request, its write and its reply', async () => {
    await start();
    await server.post(PODS, podNamed('p')).expect(201);
    server.recorder.reset();
    await server.patch(`${PODS}/p/status`, { status: { phase: 'Running' } }).expect(200);
    const phases = server.events().map(({ attributes }) => attributes?.['k8s.pod.phase']);
    expect(phases.slice(0, 4)).toEqual(['Running', 'Running', 'Running', 'Running']);
  });

  test('a replica set carries its deployment', async () => {
    await start();
    const { spec } = deploymentNamed('web') as { spec: object };
    await server
      .post(REPLICASETS, { metadata: { name: 'web-abc', ownerReferences: [owner('Deployment', 'web')] }, spec })
      .expect(201);
    expect(eventOf('PUT /registry/replicasets/default/web-abc').attributes).toMatchObject({
      'k8s.replicaset.name': 'web-abc',
      'k8s.deployment.name': 'web',
      'etcd.key': '/registry/replicasets/default/web-abc',
      'db.operation.name': 'PUT',
    });
  });
});

describe('clients that report their ends', () => {
  const call = (method: string, url: string): string =>
    server.recorder.send({ from: 'Scheduler', to: 'ApiServer', kind: 'call', ...describeRequest({ method, url }) });

  test('a call and its reply have both ends, and the handling is caused by the call', async () => {
    await start();
    server.recorder.reset();
    const id = call('POST', PODS);
    const response = await server
      .post(PODS, podNamed('p'))
      .set({ 'user-agent': 'scheduler', 'x-asdrawn-id': id })
      .expect(201);
    const replyId = response.headers['x-asdrawn-reply-id'] as string;
    expect(server.recorder.receive(replyId)).toBe(true);
    expect(server.recorder.find(id)).toMatchObject({ seq: 1, receivedSeq: 2 });
    expect(server.recorder.find(replyId)).toMatchObject({ replyTo: id, to: 'Scheduler', status: 201 });
    expect(eventOf('PUT /registry/pods/default/p').parent).toBe(id);
    expect(server.events().filter(({ kind }) => kind === 'call')).toHaveLength(2);
  });

  test('an id that is not known counts as none', async () => {
    await start();
    server.recorder.reset();
    const response = await server.get(PODS).set({ 'x-asdrawn-id': '7-7' }).expect(200);
    expect(response.headers).not.toHaveProperty('x-asdrawn-reply-id');
    expect(server.events()[0]).toMatchObject({ from: 'User', point: 'receive' });
  });

  test('lines carry ids for watchers that ask, and are plain for others', async () => {
    await start();
    const url = `${PODS}?watch=true`;
    const id = call('GET', url);
    const traced = await server.watch(url, { 'user-agent': 'scheduler', 'x-asdrawn-id': id, 'x-asdrawn-watch': '1' });
    const plain = await server.watch(url, { 'user-agent': 'kubectl' });
    server.recorder.receive(traced.header('x-asdrawn-reply-id')!);
    await server.post(PODS, podNamed('p')).expect(201);
    await traced.lines(1);
    await plain.lines(1);
    const lineId = traced.events[0]!.asdrawn!;
    expect(server.recorder.receive(lineId)).toBe(true);
    expect(server.recorder.find(lineId)).toMatchObject({ to: 'Scheduler', label: 'watch ADDED pods/default/p' });
    expect(Object.keys(plain.events[0]!)).toEqual(['type', 'object']);
    expect(traced.events[0]!.object).toEqual(plain.events[0]!.object);
    expect(server.recorder.inFlight()).toBe(0);
  });
});

test('no event without an interaction: the requests that Node saw are the calls of the trace', async () => {
  await start();
  server.recorder.reset();
  const port = new URL(server.url).port;
  const seen: string[] = [];
  const listen = (message: unknown): void => {
    const { request: incoming } = message as { request: IncomingMessage };
    if (String(incoming.socket.localPort) === port)
      seen.push(`${incoming.method ?? ''} ${(incoming.url ?? '').split('?')[0] ?? ''}`);
  };
  subscribe('http.server.request.start', listen);
  try {
    const watch = await server.watch('/api/v1/pods?watch=true');
    await server.post(PODS, podNamed('p')).expect(201);
    await server.bind('p', 'n1').expect(201);
    await server.bind('p', 'n1').expect(409);
    await server.get(`${PODS}/none`).expect(404);
    await server.patch(`${PODS}/p/status`, { status: { phase: 'Running' } }).expect(200);
    await server.post(DEPLOYMENTS, deploymentNamed('d', { replicas: -1 })).expect(422);
    await request(server.url).post(PODS).set('Content-Type', 'application/json').send('{').expect(400);
    await server.delete(`${PODS}/p`, { gracePeriodSeconds: 0 }).expect(200);
    await server.get('/healthz').expect(200);
    await watch.lines(4);
  } finally {
    unsubscribe('http.server.request.start', listen);
  }
  const calls = server.events().filter(({ kind, to }) => kind === 'call' && to === 'ApiServer');
  expect(calls.map(({ label }) => label)).toEqual(seen);
  const replies = server.events().filter(({ kind, from }) => kind === 'reply' && from === 'ApiServer');
  expect(replies.map(({ replyTo }) => replyTo).sort()).toEqual(calls.map(({ id }) => id).sort());
});

describe('mutants', () => {
  test('an unknown mutant is refused with the names there are', async () => {
    await start();
    const create = (): unknown =>
      createApiServer({ store: createMemStore(), recorder: createRecorder(), mutants: ['nope'] });
    expect(create).toThrow(/unknown mutant "nope".*reply-before-write/);
  });

  test('every mutant says what it does, under a name of its own', async () => {
    await start();
    expect(new Set(API_SERVER_MUTANTS.map(({ name }) => name)).size).toBe(API_SERVER_MUTANTS.length);
    for (const { does } of API_SERVER_MUTANTS) expect(does.length).toBeGreaterThan(10);
  });

  test.each([true, false])('reply-before-write (%j) answers before the store is asked', async (isOn) => {
    await start({ mutants: isOn ? ['reply-before-write'] : [] });
    const watch = await server.watch(`${PODS}?watch=true`);
    await server.post(PODS, podNamed('p')).expect(201);
    await watch.lines(1);
    const write = eventOf('PUT /registry/pods/default/p').seq;
    expect(eventOf('201 Created').seq < write).toBe(isOn);
  });

  test.each([true, false])('bind-without-write (%j) answers and writes nothing', async (isOn) => {
    await start({ mutants: isOn ? ['bind-without-write'] : [] });
    await server.post(PODS, podNamed('p')).expect(201);
    await server.bind('p', 'n1').expect(201);
    expect((await server.get(`${PODS}/p`)).body.spec.nodeName).toBe(isOn ? undefined : 'n1');
  });

  test.each([true, false])('notify-unbound (%j) tells a kubelet of pods that are not its own', async (isOn) => {
    await start({ mutants: isOn ? ['notify-unbound'] : [] });
    const path = '/api/v1/pods?watch=true&fieldSelector=spec.nodeName%3Dn1';
    const kubelet = await server.watch(path, { 'user-agent': 'kubelet/n1' });
    await server.post(PODS, podNamed('p')).expect(201);
    await server.bind('p', 'n1').expect(201);
    const [first] = await kubelet.lines(1);
    const bound = (await server.get(`${PODS}/p`)).body.metadata.resourceVersion as string;
    expect(first === `ADDED p@${bound}`).toBe(!isOn);
  });

  test.each([true, false])('notify-twice (%j) sends each line again', async (isOn) => {
    await start({ mutants: isOn ? ['notify-twice'] : [] });
    const watch = await server.watch(`${PODS}?watch=true`);
    await server.post(PODS, podNamed('p')).expect(201);
    await server.post(PODS, podNamed('q')).expect(201);
    const names = (await watch.lines(2)).map((line) => line.replace(/@.*/, ''));
    expect(names).toEqual(isOn ? ['ADDED p', 'ADDED p'] : ['ADDED p', 'ADDED q']);
  });

  test.each([true, false])('accept-stale-update (%j) lets a lost update happen', async (isOn) => {
    await start({ mutants: isOn ? ['accept-stale-update'] : [] });
    const pod = (await server.post(PODS, podNamed('p')).expect(201)).body as { metadata: object };
    await server.patch(`${PODS}/p`, { metadata: { labels: { first: 'x' } } }).expect(200);
    await server
      .put(`${PODS}/p`, { ...pod, metadata: { ...pod.metadata, labels: { second: 'x' } } })
      .expect(isOn ? 200 : 409);
  });
});

test('the app answers without listening, as supertest uses it', async () => {
  await start();
  const api = createApiServer({ store: createMemStore(), recorder: createRecorder() });
  await request(api.app).get('/api/v1/namespaces/default').expect(200);
  await api.close();
});
