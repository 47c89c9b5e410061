import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { DEPLOYMENTS, deploymentNamed, PODS, podNamed, TestServer } from './test-server.ts';

let server: TestServer;
beforeEach(async () => {
  server = await TestServer.start();
});
afterEach(async () => {
  await server.stop();
});

const nameOf = (object: { metadata: { name: string } }): string => object.metadata.name;
const namesIn = (list: { items: { metadata: { name: string } }[] }): readonly string[] => list.items.map(nameOf);
const failure = (code: number, reason: string): object => ({ kind: 'Status', status: 'Failure', code, reason });

describe('create', () => {
  test('an object gets what only the server can give it', async () => {
    const { body } = await server.post(PODS, podNamed('web-1')).expect(201);
    expect(body).toMatchObject({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'web-1',
        namespace: 'default',
        uid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        resourceVersion: expect.stringMatching(/^\d+$/),
      },
      spec: { restartPolicy: 'Always', terminationGracePeriodSeconds: 30 },
      status: { phase: 'Pending' },
    });
    expect((await server.get(`${PODS}/web-1`).expect(200)).body).toEqual(body);
  });

  test('what a client says about server fields and status is dropped', async () => {
    const forged = { uid: 'mine', creationTimestamp: null, generation: 9, deletionTimestamp: '2020-01-01T00:00:00Z' };
    const pod = { metadata: { name: 'p', ...forged }, spec: { containers: [{ name: 'a', image: 'b' }] } };
    const { body } = await server.post(PODS, { ...pod, status: { phase: 'Running' } }).expect(201);
    expect(body.metadata.uid).not.toBe('mine');
    expect(body.metadata).not.toHaveProperty('deletionTimestamp');
    expect(body.status).toEqual({ phase: 'Pending' });
  });

  test('a prefix becomes a name with five more letters, each time another', async () => {
    const pod = { ...podNamed(''), metadata: { generateName: 'web-' } };
    const names = new Set<string>();
    for (let i = 0; i < 5; i++)
      names.add(nameOf((await server.post(PODS, pod).expect(201)).body as Parameters<typeof nameOf>[0]));
    expect(names.size).toBe(5);
    for (const name of names) expect(name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  test('a generated name that is taken is tried again with another', async () => {
    const picks = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.5, 0.5, 0.5, 0.5, 0.5];
    let uids = 0;
    await server.stop();
    server = await TestServer.start({ sources: { now: () => 0, random: () => pick() } });
    // The namespace's uid and each pod's take 31 picks of their own; names take five.
    const taken = (await server.post(PODS, { ...podNamed(''), metadata: { generateName: 'a-' } }).expect(201)).body;
    const next = (await server.post(PODS, { ...podNamed(''), metadata: { generateName: 'a-' } }).expect(201)).body;
    expect([taken.metadata.name, next.metadata.name]).toEqual(['a-bbbbb', 'a-rrrrr']);

    function pick(): number {
      const turn = uids++ - 31;
      const isUid = turn < 0 || turn % 36 >= 5;
      return isUid ? 0.3 : (picks[Math.floor(turn / 36) * 5 + (turn % 36)] ?? 0.9);
    }
  });

  test('a name that is taken is refused', async () => {
    await server.post(PODS, podNamed('web-1')).expect(201);
    const { body } = await server.post(PODS, podNamed('web-1')).expect(409);
    expect(body).toMatchObject({
      ...failure(409, 'AlreadyExists'),
      message: 'pods "web-1" already exists',
      details: { name: 'web-1', kind: 'pods' },
    });
  });

  test.each<[string, string, object, number, string]>([
    ['no name', PODS, { spec: { containers: [{ name: 'a', image: 'b' }] } }, 422, 'Invalid'],
    ['a bad name', PODS, podNamed('Web'), 422, 'Invalid'],
    ['no containers', PODS, { metadata: { name: 'p' }, spec: {} }, 422, 'Invalid'],
    ['another kind', PODS, { ...podNamed('p'), kind: 'Node' }, 400, 'BadRequest'],
    ['another version', PODS, { ...podNamed('p'), apiVersion: 'v2' }, 400, 'BadRequest'],
    ['another namespace', PODS, { ...podNamed('p'), metadata: { name: 'p', namespace: 'x' } }, 400, 'BadRequest'],
    ['a resourceVersion', PODS, { ...podNamed('p'), metadata: { name: 'p', resourceVersion: '1' } }, 400, 'BadRequest'],
    ['a namespace that is not there', '/api/v1/namespaces/none/pods', podNamed('p'), 404, 'NotFound'],
    ['no namespace', '/api/v1/pods', podNamed('p'), 400, 'BadRequest'],
    ['negative replicas', DEPLOYMENTS, deploymentNamed('d', { replicas: -1 }), 422, 'Invalid'],
    ['a list', PODS, [], 400, 'BadRequest'],
  ])('%s is refused', async (_claim, path, body, code, reason) => {
    const response = await server.post(path, body).expect(code);
    expect(response.body).toMatchObject(failure(code, reason));
  });

  test('all faults are named with their fields', async () => {
    const { body } = await server
      .post(PODS, { metadata: { name: 'P' }, spec: { containers: [{ name: 'a' }] } })
      .expect(422);
    expect(body.details).toMatchObject({
      name: 'P',
      kind: 'Pod',
      causes: [{ field: 'metadata.name' }, { field: 'spec.containers[0].image' }],
    });
  });

  test('a new namespace can be used at once', async () => {
    await server.post('/api/v1/namespaces', { metadata: { name: 'team' } }).expect(201);
    await server.post('/api/v1/namespaces/team/pods', podNamed('p')).expect(201);
  });
});

describe('bodies', () => {
  const raw = (type: string | undefined, text: string): request.Test => {
    const test = request(server.url).post(PODS);
    return (type === undefined ? test : test.set('Content-Type', type)).send(text);
  };

  test.each<[string, string, string, number, string]>([
    ['that is no JSON', 'application/json', '{"kind": }', 400, 'BadRequest'],
    ['of another type', 'application/yaml', 'kind: Pod', 415, 'UnsupportedMediaType'],
    ['that nests too deep', 'application/json', '['.repeat(5000) + ']'.repeat(5000), 400, 'BadRequest'],
    [
      'that is too large',
      'application/json',
      JSON.stringify({ a: 'x'.repeat(3 * 1024 * 1024) }),
      413,
      'RequestEntityTooLarge',
    ],
  ])('a body %s is refused with a Status', async (_claim, type, text, code, reason) => {
    const response = await raw(type, text).expect(code);
    expect(response.body).toMatchObject(failure(code, reason));
    expect(response.text).not.toContain('kind: Pod');
  });

  test('a body of no given type is JSON', async () => {
    const response = await fetch(`${server.url}${PODS}`, {
      method: 'POST',
      body: Buffer.from(JSON.stringify(podNamed('p'))),
    });
    expect(response.status).toBe(201);
  });

  test('__proto__ in a body changes nothing but the object', async () => {
    const text =
      '{"metadata":{"name":"p","annotations":{"__proto__":"x"}},"spec":{"containers":[{"name":"a","image":"b"}]}}';
    await raw('application/json', text).expect(201);
    expect(({} as Record<string, unknown>)['metadata']).toBeUndefined();
  });
});

describe('paths', () => {
  test.each([
    ['GET', `${PODS}/none`, 404, 'NotFound'],
    ['GET', '/api/v1/nothing', 404, 'NotFound'],
    ['GET', '/somewhere', 404, 'NotFound'],
    ['DELETE', PODS, 405, 'MethodNotAllowed'],
    ['PUT', PODS, 405, 'MethodNotAllowed'],
    ['GET', `${PODS}/p/binding`, 405, 'MethodNotAllowed'],
    ['GET', `${PODS}/%ff`, 400, 'BadRequest'],
  ])('%s %s is %i %s', async (method, path, code, reason) => {
    const response = await fetch(server.url + path, { method });
    expect(response.status).toBe(code);
    expect(await response.json()).toMatchObject(failure(code, reason));
  });

  test.each([
    ['/version', { major: '1', gitVersion: expect.stringMatching(/^v1\.\d+\.\d+/) }],
    ['/api', { kind: 'APIVersions', versions: ['v1'] }],
    ['/apis', { kind: 'APIGroupList', groups: [{ name: 'apps' }] }],
    ['/api/v1', { kind: 'APIResourceList', groupVersion: 'v1' }],
    ['/apis/apps/v1', { kind: 'APIResourceList', groupVersion: 'apps/v1' }],
  ])('%s tells clients what there is', async (path, expected) => {
    expect((await server.get(path).expect(200)).body).toMatchObject(expected);
  });

  test('kubectl learns that the server validates fields', async () => {
    const { body } = await server.get('/openapi/v3').expect(200);
    expect(Object.keys(body.paths as object)).toEqual(['api/v1', 'apis/apps/v1']);
    const document = (await server.get('/openapi/v3/apis/apps/v1').expect(200)).body;
    expect(document.paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}'].patch).toMatchObject({
      parameters: [{ name: 'fieldValidation' }],
      'x-kubernetes-group-version-kind': { group: 'apps', kind: 'Deployment', version: 'v1' },
    });
  });

  test('a scale is discovered with its own group', async () => {
    const { body } = await server.get('/apis/apps/v1').expect(200);
    expect(body.resources).toContainEqual(
      expect.objectContaining({ name: 'deployments/scale', group: 'autoscaling', version: 'v1', kind: 'Scale' }),
    );
  });

  test('health is asked for by GET /healthz', async () => {
    await server.get('/healthz').expect(200, 'ok');
  });
});

describe('list', () => {
  beforeEach(async () => {
    await server.post('/api/v1/namespaces', { metadata: { name: 'other' } }).expect(201);
    for (const [name, app] of [
      ['a', 'web'],
      ['b', 'db'],
      ['c', 'web'],
    ] as const) {
      await server.post(PODS, podNamed(name, { app })).expect(201);
    }
    await server.post('/api/v1/namespaces/other/pods', podNamed('d', { app: 'web' })).expect(201);
    await server.bind('b', 'n1').expect(201);
  });
  const names = async (path: string): Promise<readonly string[]> =>
    namesIn((await server.get(path).expect(200)).body as Parameters<typeof namesIn>[0]);

  test.each<[string, readonly string[]]>([
    [PODS, ['a', 'b', 'c']],
    ['/api/v1/pods', ['a', 'b', 'c', 'd']],
    ['/api/v1/namespaces/other/pods', ['d']],
    ['/api/v1/namespaces/none/pods', []],
    [`${PODS}?labelSelector=app%3Dweb`, ['a', 'c']],
    [`${PODS}?labelSelector=app%20notin%20(web)`, ['b']],
    [`${PODS}?fieldSelector=spec.nodeName%3D`, ['a', 'c']],
    ['/api/v1/pods?fieldSelector=spec.nodeName%3Dn1,status.phase!%3DFailed', ['b']],
    ['/api/v1/pods?labelSelector=app%3Dweb&fieldSelector=metadata.namespace%3Dother', ['d']],
  ])('GET %s has %j', async (path, expected) => {
    expect(await names(path)).toEqual(expected);
  });

  test('a list says its kind and the revision that it shows', async () => {
    const { body } = await server.get(PODS).expect(200);
    expect(body).toMatchObject({ kind: 'PodList', apiVersion: 'v1' });
    expect(body.metadata.resourceVersion).toBe(String((await server.store.range({ key: '/' })).revision));
  });

  test('pages show one revision, whatever happens between them', async () => {
    const first = (await server.get('/api/v1/pods?limit=3').expect(200)).body;
    expect(first).toMatchObject({ metadata: { remainingItemCount: 1 }, items: [{}, {}, {}] });
    await server.post(PODS, podNamed('bb')).expect(201);
    await server.delete('/api/v1/namespaces/other/pods/d').expect(200);
    const rest = (await server.get(`/api/v1/pods?limit=3&continue=${first.metadata.continue}`).expect(200)).body;
    expect(namesIn(rest as Parameters<typeof namesIn>[0])).toEqual(['d']);
    expect(rest.metadata).toEqual({ resourceVersion: first.metadata.resourceVersion });
  });

  test.each([
    ['labelSelector=%3D', 400, 'BadRequest'],
    ['fieldSelector=x', 400, 'BadRequest'],
    ['limit=-1', 400, 'BadRequest'],
    ['limit=1&limit=2', 400, 'BadRequest'],
    ['continue=nonsense', 400, 'BadRequest'],
    [`continue=${Buffer.from('[1,"/registry/nodes/x"]').toString('base64url')}`, 400, 'BadRequest'],
    ['resourceVersion=x', 400, 'BadRequest'],
    ['resourceVersion=9999', 504, 'Timeout'],
    ['resourceVersion=9999&resourceVersionMatch=Exact', 504, 'Timeout'],
  ])('a list with %s is %i %s', async (query, code, reason) => {
    expect((await server.get(`${PODS}?${query}`).expect(code)).body).toMatchObject(failure(code, reason));
  });

  test('a page of a compacted revision has expired', async () => {
    const first = (await server.get(`${PODS}?limit=1`).expect(200)).body;
    await server.post(PODS, podNamed('z')).expect(201);
    await server.store.compact(Number(first.metadata.resourceVersion) + 1);
    const { body } = await server.get(`${PODS}?limit=1&continue=${first.metadata.continue}`).expect(410);
    expect(body).toMatchObject(failure(410, 'Expired'));
  });
});

describe('update', () => {
  let pod: { metadata: Record<string, unknown>; spec: Record<string, unknown> };
  beforeEach(async () => {
    pod = (await server.post(PODS, podNamed('p', { v: '1' })).expect(201)).body;
  });
  const labelled = (v: string, metadata: object = {}): object => ({
    ...pod,
    metadata: { ...pod.metadata, labels: { v }, ...metadata },
  });

  test('an update from the present version is taken, from an old one refused', async () => {
    await server.put(`${PODS}/p`, labelled('2')).expect(200);
    const { body } = await server.put(`${PODS}/p`, labelled('3')).expect(409);
    expect(body).toMatchObject({ ...failure(409, 'Conflict'), details: { name: 'p', kind: 'pods' } });
    expect((await server.get(`${PODS}/p`)).body.metadata.labels).toEqual({ v: '2' });
  });

  test('an update without a version replaces what is there', async () => {
    await server.put(`${PODS}/p`, labelled('2')).expect(200);
    const { body } = await server.put(`${PODS}/p`, labelled('3', { resourceVersion: undefined })).expect(200);
    expect(body.metadata.labels).toEqual({ v: '3' });
  });

  test('an update that changes nothing writes nothing', async () => {
    const { body } = await server.put(`${PODS}/p`, labelled('1')).expect(200);
    expect(body.metadata.resourceVersion).toBe(pod.metadata['resourceVersion']);
  });

  test('identity and status are kept', async () => {
    const forged = { ...labelled('2', { creationTimestamp: '2000-01-01T00:00:00Z' }), status: { phase: 'Failed' } };
    const { body } = await server.put(`${PODS}/p`, forged).expect(200);
    expect(body.metadata.creationTimestamp).toBe(pod.metadata['creationTimestamp']);
    expect(body.status.phase).toBe('Pending');
  });

  test.each<[string, object, number]>([
    ['another name', { name: 'q' }, 400],
    ['another uid', { uid: 'other' }, 409],
    ['a bad label', { labels: { a: '!' } }, 422],
  ])('%s is refused', async (_claim, metadata, code) => {
    await server.put(`${PODS}/p`, labelled('2', metadata)).expect(code);
  });

  test('a node may not be set by an update, nor by a status update', async () => {
    await server.put(`${PODS}/p`, { ...pod, spec: { ...pod.spec, nodeName: 'n1' } }).expect(422);
    await server.patch(`${PODS}/p`, { spec: { nodeName: 'n1' } }).expect(422);
    const { body } = await server.patch(`${PODS}/p/status`, { spec: { nodeName: 'n1' }, status: { phase: 'Running' } });
    expect(body.spec).not.toHaveProperty('nodeName');
    expect(body.status.phase).toBe('Running');
  });

  test('updating what is absent is refused', async () => {
    await server.put(`${PODS}/q`, { ...pod, metadata: { name: 'q' } }).expect(404);
    await server.patch(`${PODS}/q`, {}).expect(404);
  });

  test('a generation counts changes of the spec, and of nothing else', async () => {
    await server.post(DEPLOYMENTS, deploymentNamed('d')).expect(201);
    const generation = async (): Promise<unknown> => (await server.get(`${DEPLOYMENTS}/d`)).body.metadata.generation;
    expect(await generation()).toBe(1);
    await server.patch(`${DEPLOYMENTS}/d`, { metadata: { labels: { x: 'y' } } }).expect(200);
    await server.patch(`${DEPLOYMENTS}/d/status`, { status: { replicas: 1 } }).expect(200);
    expect(await generation()).toBe(1);
    await server.patch(`${DEPLOYMENTS}/d`, { spec: { replicas: 3 } }).expect(200);
    expect(await generation()).toBe(2);
  });

  test('of many patches at once none is lost', async () => {
    await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        server.patch(`${PODS}/p`, { metadata: { labels: { [`k${i}`]: 'x' } } }).expect(200),
      ),
    );
    const { body } = await server.get(`${PODS}/p`).expect(200);
    expect(Object.keys(body.metadata.labels as object)).toHaveLength(9);
  });
});

describe('patch', () => {
  beforeEach(async () => {
    await server.post(PODS, podNamed('p', { a: '1', b: '2' })).expect(201);
  });

  test.each<['merge' | 'json' | 'strategic', object]>([
    ['merge', { metadata: { labels: { a: '9', b: null } } }],
    [
      'json',
      [
        { op: 'replace', path: '/metadata/labels/a', value: '9' },
        { op: 'remove', path: '/metadata/labels/b' },
      ],
    ],
    ['strategic', { metadata: { labels: { $patch: 'replace', a: '9' } } }],
  ])('a %s patch is understood', async (kind, patch) => {
    const { body } = await server.patch(`${PODS}/p`, patch, kind).expect(200);
    expect(body.metadata.labels).toEqual({ a: '9' });
  });

  test('a strategic patch merges containers by name, a merge patch replaces them', async () => {
    const patch = { spec: { containers: [{ name: 'main', image: 'app:2' }] } };
    const { body } = await server.patch(`${PODS}/p`, patch, 'strategic').expect(200);
    expect(body.spec.containers).toMatchObject([{ name: 'main', image: 'app:2' }]);
    await server.patch(`${PODS}/p`, { spec: { containers: [{ name: 'other', image: 'x' }] } }).expect(422);
  });

  test.each<[string, 'merge' | 'json' | 'strategic', object, number]>([
    ['a JSON patch that is an object', 'json', { spec: {} }, 400],
    ['a merge patch that is a list', 'merge', [], 400],
    ['a JSON patch whose test fails', 'json', [{ op: 'test', path: '/kind', value: 'Node' }], 422],
    ['a patch of an old version', 'merge', { metadata: { resourceVersion: '1' } }, 409],
  ])('%s is refused', async (_claim, kind, patch, code) => {
    await server.patch(`${PODS}/p`, patch, kind).expect(code);
  });

  test('a patch of another type is refused', async () => {
    const response = await request(server.url)
      .patch(`${PODS}/p`)
      .set('Content-Type', 'application/json')
      .send('{}')
      .expect(415);
    expect(response.body).toMatchObject(failure(415, 'UnsupportedMediaType'));
  });
});

describe('binding', () => {
  beforeEach(async () => {
    await server.post(PODS, podNamed('p')).expect(201);
  });

  test('a pod is bound once', async () => {
    const { body } = await server.bind('p', 'n1').expect(201);
    expect(body).toMatchObject({ kind: 'Status', status: 'Success', code: 201 });
    const again = await server.bind('p', 'n2').expect(409);
    expect(again.body).toMatchObject({ ...failure(409, 'Conflict'), details: { kind: 'pods/binding' } });
    const pod = (await server.get(`${PODS}/p`)).body;
    expect(pod.spec.nodeName).toBe('n1');
    expect(pod.status.conditions).toMatchObject([{ type: 'PodScheduled', status: 'True' }]);
  });

  test('of two bindings at once, one wins', async () => {
    const codes = await Promise.all(['n1', 'n2'].map(async (node) => (await server.bind('p', node)).status));
    expect(codes.sort()).toEqual([201, 409]);
  });

  test.each<[string, string, object, number]>([
    ['no node', 'p', { target: {} }, 400],
    ['a target that is no node', 'p', { target: { kind: 'Pod', name: 'x' } }, 400],
    ['the name of another pod', 'p', { metadata: { name: 'q' }, target: { name: 'n1' } }, 400],
    ['another uid', 'p', { metadata: { uid: 'x' }, target: { name: 'n1' } }, 409],
    ['a pod that is absent', 'q', { target: { name: 'n1' } }, 404],
  ])('a binding with %s is refused', async (_claim, pod, body, code) => {
    await server.post(`${PODS}/${pod}/binding`, body).expect(code);
  });
});

describe('scale', () => {
  beforeEach(async () => {
    await server.post(DEPLOYMENTS, deploymentNamed('d', { replicas: 2 })).expect(201);
  });
  const path = `${DEPLOYMENTS}/d/scale`;

  test('a scale shows replicas and selector', async () => {
    expect((await server.get(path).expect(200)).body).toMatchObject({
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'd', namespace: 'default' },
      spec: { replicas: 2 },
      status: { replicas: 0, selector: 'app=d' },
    });
  });

  test('replicas are set by PUT and by PATCH', async () => {
    const scale = (await server.get(path)).body as object;
    await server.put(path, { ...scale, spec: { replicas: 5 } }).expect(200);
    expect((await server.patch(path, { spec: { replicas: 7 } }).expect(200)).body.spec.replicas).toBe(7);
    expect((await server.get(`${DEPLOYMENTS}/d`)).body).toMatchObject({
      spec: { replicas: 7 },
      metadata: { generation: 3 },
    });
    await server.put(path, { ...scale, spec: { replicas: 9 } }).expect(409);
  });

  test('replicas below 0 are refused', async () => {
    await server.patch(path, { spec: { replicas: -1 } }).expect(422);
  });
});

describe('delete', () => {
  beforeEach(async () => {
    await server.post(PODS, podNamed('p')).expect(201);
  });

  test('a pod that is not bound goes at once', async () => {
    await server.delete(`${PODS}/p`).expect(200);
    await server.get(`${PODS}/p`).expect(404);
  });

  test('a bound pod is asked to stop first, and goes with grace 0', async () => {
    await server.bind('p', 'n1').expect(201);
    const { body } = await server.delete(`${PODS}/p`).expect(200);
    expect(body.metadata).toMatchObject({ deletionTimestamp: expect.any(String), deletionGracePeriodSeconds: 30 });
    const again = await server.delete(`${PODS}/p`).expect(200);
    expect(again.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
    await server.delete(`${PODS}/p`, { gracePeriodSeconds: 0 }).expect(200);
    await server.get(`${PODS}/p`).expect(404);
  });

  test('a grace period may be shortened, not prolonged', async () => {
    await server.bind('p', 'n1').expect(201);
    const grace = async (query: string): Promise<unknown> =>
      (await server.delete(`${PODS}/p${query}`).expect(200)).body.metadata.deletionGracePeriodSeconds;
    expect(await grace('?gracePeriodSeconds=20')).toBe(20);
    expect(await grace('?gracePeriodSeconds=60')).toBe(20);
    expect(await grace('?gracePeriodSeconds=5')).toBe(5);
  });

  test('a bound pod that has ended goes at once', async () => {
    await server.bind('p', 'n1').expect(201);
    await server.patch(`${PODS}/p/status`, { status: { phase: 'Succeeded' } }).expect(200);
    await server.delete(`${PODS}/p`).expect(200);
    await server.get(`${PODS}/p`).expect(404);
  });

  test('anything but a pod goes at once, and a Status says so', async () => {
    const { uid } = (await server.post(DEPLOYMENTS, deploymentNamed('d')).expect(201)).body.metadata;
    const { body } = await server.delete(`${DEPLOYMENTS}/d`, { propagationPolicy: 'Background' }).expect(200);
    expect(body).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: { name: 'd', group: 'apps', kind: 'deployments', uid },
    });
    await server.get(`${DEPLOYMENTS}/d`).expect(404);
  });

  test('a finalizer keeps an object until it is taken away', async () => {
    await server.patch(`${PODS}/p`, { metadata: { finalizers: ['example.com/wait'] } }).expect(200);
    await server.delete(`${PODS}/p`).expect(200);
    expect((await server.get(`${PODS}/p`).expect(200)).body.metadata.deletionTimestamp).toBeDefined();
    await server.patch(`${PODS}/p`, { metadata: { finalizers: null } }).expect(200);
    await server.get(`${PODS}/p`).expect(404);
  });

  test.each<[string, object, number]>([
    ['another uid', { preconditions: { uid: 'x' } }, 409],
    ['another version', { preconditions: { resourceVersion: '1' } }, 409],
    ['a negative grace period', { gracePeriodSeconds: -1 }, 400],
    ['a policy that is not supported', { propagationPolicy: 'Orphan' }, 400],
  ])('a deletion with %s is refused', async (_claim, options, code) => {
    await server.delete(`${PODS}/p`, options).expect(code);
    await server.get(`${PODS}/p`).expect(200);
  });

  test('a pod being deleted is not bound any more', async () => {
    await server.patch(`${PODS}/p`, { metadata: { finalizers: ['example.com/wait'] } }).expect(200);
    await server.delete(`${PODS}/p`).expect(200);
    await server.bind('p', 'n1').expect(409);
  });
});
