import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { PLAIN_START } from '../harness/system/index.ts';
import type { TraceEvent } from '../harness/trace/types.ts';
import type { Deployment, KubernetesObject, Pod, ReplicaSet } from './api/index.ts';
import { type Cluster, type ClusterOptions, startCluster } from './cluster.ts';
import { MUTANTS } from './mutants.ts';
import { system } from './system.ts';

const DRIVER = 'asdrawn-driver';
const PODS = '/api/v1/namespaces/default/pods';
const REPLICA_SETS = '/apis/apps/v1/namespaces/default/replicasets';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

let cluster: Cluster;
const problems: string[] = [];

async function start(options: Partial<ClusterOptions> = {}): Promise<void> {
  const report = (component: string, problem: string): number => problems.push(`${component}: ${problem}`);
  cluster = await startCluster({ ...PLAIN_START, report, ...options });
}

beforeEach(() => {
  problems.length = 0;
});
afterEach(() => cluster.stop());

async function send(method: string, path: string, body?: object): Promise<unknown> {
  const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const response = await fetch(cluster.apiUrl + path, {
    method,
    headers: { 'user-agent': DRIVER, 'content-type': contentType },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
  return answer;
}

const podSpec = (image: string, more: object = {}) => ({ containers: [{ name: 'main', image }], ...more });

const createPod = (name: string, spec: object = podSpec('pause')) =>
  send('POST', PODS, { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec });

const workload = (kind: string, name: string, replicas: number, image = 'pause') => {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: podSpec(image) };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  return { apiVersion: 'apps/v1', kind, metadata: { name }, spec };
};

/** Follows a collection by a watch until what is in it satisfies the claim; resolves to that. */
async function until<T extends KubernetesObject>(
  path: string,
  claim: (objects: readonly T[]) => boolean,
): Promise<readonly T[]> {
  const list = (await send('GET', path)) as { items: readonly T[]; metadata: { resourceVersion: string } };
  const objects = new Map(list.items.map((item) => [item.metadata.name, item]));
  if (claim([...objects.values()])) return [...objects.values()];
  const watchPath = `${path}?watch=true&resourceVersion=${list.metadata.resourceVersion}`;
  const request = get(cluster.apiUrl + watchPath, { headers: { 'user-agent': DRIVER } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let rest = '';
  // Leaving the loop closes the connection.
  for await (const chunk of response.setEncoding('utf8')) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { type, object } = JSON.parse(line) as { type: string; object: T };
      if (type === 'DELETED') objects.delete(object.metadata.name);
      else objects.set(object.metadata.name, object);
      if (claim([...objects.values()])) return [...objects.values()];
    }
  }
  throw new Error('the watch ended before the claim held');
}

const areRunning = (count: number) => (pods: readonly Pod[]) =>
  pods.length === count && pods.every(({ status }) => status?.phase === 'Running');
const areGone = (objects: readonly unknown[]): boolean => objects.length === 0;
const phaseIs = (phase: string) => (pods: readonly Pod[]) => pods[0]?.status?.phase === phase;

/** Ends the run; resolves to its trace. */
async function traceOf(): Promise<readonly TraceEvent[]> {
  await cluster.finish();
  const text = await (await fetch(`${cluster.traceUrl}/trace`)).text();
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as TraceEvent | { kind: 'begin' | 'end' });
  expect([lines[0]?.kind, lines.at(-1)?.kind]).toEqual(['begin', 'end']);
  return lines.slice(1, -1) as TraceEvent[];
}

/** What was said about one pod, without the store and the watches of components that only look on. */
const storyOf = (events: readonly TraceEvent[], pod: string, ...participants: readonly string[]) =>
  events
    .filter(({ attributes, from, to }) => {
      return attributes?.['k8s.pod.name'] === pod && participants.includes(from) && participants.includes(to);
    })
    .map(({ from, to, label }) => `${from}->${to} ${label.replace(PODS, '')}`);

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a cluster', () => {
  test('runs a bare pod, step by step', async () => {
    await start();
    await createPod('web');
    await until(PODS, areRunning(1));
    const events = await traceOf();
    expect(storyOf(events, 'web', 'Scheduler', 'Kubelet', 'Docker', 'ApiServer')).toEqual([
      'ApiServer->Scheduler watch ADDED pods/default/web',
      'Scheduler->ApiServer GET /web',
      'ApiServer->Scheduler 200 OK',
      'Scheduler->ApiServer POST /web/binding',
      'ApiServer->Scheduler 201 Created',
      'ApiServer->Kubelet watch ADDED pods/default/web',
      'ApiServer->Scheduler watch MODIFIED pods/default/web',
      'Kubelet->ApiServer GET /web',
      'ApiServer->Kubelet 200 OK',
      'Kubelet->ApiServer PATCH /web/status',
      'ApiServer->Kubelet 200 OK',
      'ApiServer->Kubelet watch MODIFIED pods/default/web',
      'ApiServer->Scheduler watch MODIFIED pods/default/web',
      'Kubelet->Docker PullImage',
      'Docker->Kubelet OK',
      'Kubelet->Docker CreateContainer',
      'Docker->Kubelet OK',
      'Kubelet->Docker StartContainer',
      'Docker->Kubelet OK',
      'Kubelet->ApiServer PATCH /web/status',
      'ApiServer->Kubelet 200 OK',
      'ApiServer->Kubelet watch MODIFIED pods/default/web',
      'ApiServer->Scheduler watch MODIFIED pods/default/web',
    ]);
    expect(problems).toEqual([]);
  });

  test('keeps the number of a replica set, each pod a process', async () => {
    await start();
    await send('POST', REPLICA_SETS, workload('ReplicaSet', 'web', 3));
    await until(PODS, areRunning(3));
    const pids = await cluster.containerPids();
    expect([pids.length, pids.every(isAlive)]).toEqual([3, true]);
    await cluster.stop();
    expect(pids.filter(isAlive)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('puts a pod in the place of one that was deleted', async () => {
    await start();
    await send('POST', REPLICA_SETS, workload('ReplicaSet', 'web', 1));
    const [first] = await until(PODS, areRunning(1));
    await send('DELETE', `${PODS}/${first!.metadata.name}`);
    await until<Pod>(PODS, (pods) => areRunning(1)(pods) && pods[0]?.metadata.uid !== first!.metadata.uid);
    expect(await cluster.containerPids()).toHaveLength(1);
  });

  test('gives up pods without a node before those that run', async () => {
    await start();
    await send('POST', REPLICA_SETS, workload('ReplicaSet', 'web', 2));
    const running = await until(PODS, areRunning(2));
    await cluster.pause('scheduler');
    await send('PATCH', `${REPLICA_SETS}/web/scale`, { spec: { replicas: 4 } });
    await until(PODS, (pods) => pods.length === 4);
    await send('PATCH', `${REPLICA_SETS}/web/scale`, { spec: { replicas: 2 } });
    const left = await until(PODS, (pods) => pods.length === 2);
    const names = (pods: readonly KubernetesObject[]) => pods.map(({ metadata }) => metadata.name).sort();
    expect(names(left)).toEqual(names(running));
  });

  test('begins each sync for a changed replica set with one list of its pods', async () => {
    await start();
    await send('POST', REPLICA_SETS, workload('ReplicaSet', 'web', 3));
    await until(PODS, areRunning(3));
    await send('PATCH', `${REPLICA_SETS}/web/scale`, { spec: { replicas: 1 } });
    await until(PODS, areRunning(1));
    await send('DELETE', `${REPLICA_SETS}/web`);
    await until(PODS, areGone);
    const events = await traceOf();
    const syncs = events.filter(({ to, kind }) => to === 'ReplicaSetController' && kind === 'async');
    const calls = syncs.map(({ id }) =>
      events.filter(({ parent, from, kind }) => parent === id && from === 'ReplicaSetController' && kind === 'call'),
    );
    expect(syncs.length).toBeGreaterThan(3);
    for (const [first, ...rest] of calls) {
      expect([first?.label, first?.attributes?.['url.query']]).toEqual([`GET ${PODS}`, 'labelSelector=app%3Dweb']);
      expect(rest.filter(({ label }) => label === `GET ${PODS}`)).toEqual([]);
    }
    // Each sync was handed over because of what the controller manager had been told before.
    for (const { seq, parent, attributes } of syncs) {
      const told = events.find(({ id }) => id === parent);
      expect([told?.to, told?.attributes?.['k8s.resource']]).toEqual([
        'ControllerManager',
        attributes?.['k8s.resource'],
      ]);
      expect(told?.receivedSeq).toBeLessThan(seq);
    }
  });

  test('rolls a deployment out, and over to a new template', async () => {
    await start();
    await send('POST', DEPLOYMENTS, workload('Deployment', 'web', 3, 'pause:1'));
    await until(PODS, areRunning(3));
    const isRolledOut = ([deployment]: readonly Deployment[]): boolean => {
      const { observedGeneration, updatedReplicas, replicas, availableReplicas } = deployment?.status ?? {};
      const isCurrent = observedGeneration === deployment?.metadata.generation;
      return isCurrent && [updatedReplicas, replicas, availableReplicas].every((count) => count === 3);
    };
    await until(DEPLOYMENTS, isRolledOut);
    const template = { spec: { containers: [{ name: 'main', image: 'pause:2' }] } };
    await send('PATCH', `${DEPLOYMENTS}/web`, { spec: { template } });
    await until(DEPLOYMENTS, isRolledOut);
    const sets = await until<ReplicaSet>(REPLICA_SETS, (all) => all.length === 2);
    const bySpec = sets.map(({ metadata, spec }) => [
      spec.template.spec.containers[0]?.image,
      spec.replicas,
      metadata.name,
    ]);
    expect(bySpec.map(([image, replicas]) => `${image} ${replicas}`).sort()).toEqual(['pause:1 0', 'pause:2 3']);
    for (const { metadata } of sets) expect(metadata.name).toBe(`web-${metadata.labels?.['pod-template-hash']}`);
    const pods = await until(PODS, areRunning(3));
    expect(pods.map(({ spec }) => spec.containers[0]?.image)).toEqual(['pause:2', 'pause:2', 'pause:2']);
    expect(problems).toEqual([]);
  });

  test('collects what a deleted deployment leaves behind, processes and all', async () => {
    await start();
    await send('POST', DEPLOYMENTS, workload('Deployment', 'web', 3));
    await until(PODS, areRunning(3));
    const pids = await cluster.containerPids();
    await send('DELETE', `${DEPLOYMENTS}/web`);
    await until(PODS, areGone);
    await until(REPLICA_SETS, areGone);
    expect([pids.length, pids.filter(isAlive)]).toEqual([3, []]);
    const events = await traceOf();
    // A container is stopped and removed before its pod is forgotten, and nothing says that it runs after that.
    for (const pod of new Set(events.map(({ attributes }) => attributes?.['k8s.pod.name']))) {
      if (typeof pod !== 'string') continue;
      const calls = storyOf(events, pod, 'Kubelet', 'Docker', 'ApiServer').filter((one) => one.startsWith('Kubelet->'));
      expect(calls.slice(-3)).toEqual([
        'Kubelet->Docker StopContainer',
        'Kubelet->Docker RemoveContainer',
        `Kubelet->ApiServer DELETE /${pod}`,
      ]);
    }
  });

  test.each([
    ['asdrawn/succeeds', 'OnFailure', 'Succeeded'],
    ['asdrawn/fails', 'Never', 'Failed'],
  ])('a pod of %s that is restarted %s has %s', async (image, restartPolicy, phase) => {
    await start();
    await createPod('job', podSpec(image, { restartPolicy }));
    const [pod] = await until(PODS, phaseIs(phase));
    expect(pod?.status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(phase === 'Failed' ? 1 : 0);
  });

  test('runs a container that has ended again, as a new one', async () => {
    await start({ restartBackoffMs: 1 });
    await createPod('job', podSpec('asdrawn/fails'));
    await until<Pod>(PODS, ([pod]) => (pod?.status?.containerStatuses?.[0]?.restartCount ?? 0) >= 2);
    await send('DELETE', `${PODS}/job`);
    await until(PODS, areGone);
    const events = await traceOf();
    const started = events.filter(({ kind, label }) => kind === 'call' && label === 'StartContainer');
    const ids = new Set(started.map(({ attributes }) => attributes?.['container.id']));
    expect(ids.size).toBe(started.length);
    expect(ids.size).toBeGreaterThan(2);
  });

  test('says why a container does not start', async () => {
    await start();
    await createPod('web', podSpec('asdrawn/missing:1'));
    const reason = ([pod]: readonly Pod[]) => pod?.status?.containerStatuses?.[0]?.state?.waiting?.reason;
    const pods = await until<Pod>(PODS, (all) => reason(all) === 'ErrImagePull');
    expect(pods[0]?.status?.phase).toBe('Pending');
  });

  test('says why a pod has no node', async () => {
    await start();
    const containers = [{ name: 'main', image: 'pause', resources: { requests: { cpu: '4000' } } }];
    await createPod('big', { containers });
    const condition = ([pod]: readonly Pod[]) => pod?.status?.conditions?.find(({ type }) => type === 'PodScheduled');
    const pods = await until<Pod>(PODS, (all) => condition(all)?.status === 'False');
    expect(condition(pods)).toMatchObject({
      reason: 'Unschedulable',
      message: '0/2 nodes are available: 2 Insufficient cpu.',
    });
  });

  test('a paused scheduler is told of a pod and does nothing about it', async () => {
    await start();
    await cluster.pause('scheduler');
    await createPod('web');
    const events = await traceOf();
    const [pod] = await until<Pod>(PODS, (pods) => pods.length === 1);
    expect([pod?.status?.phase, pod?.spec.nodeName]).toEqual(['Pending', undefined]);
    expect(storyOf(events, 'web', 'ApiServer', 'Scheduler')).toEqual([
      'ApiServer->Scheduler watch ADDED pods/default/web',
    ]);
    expect(
      events.every(({ point, receivedSeq, to }) => receivedSeq !== undefined || point !== undefined || to === 'User'),
    ).toBe(true);
  });

  test('a resumed component does what had to wait', async () => {
    await start();
    await cluster.pause('kubelet');
    await createPod('web');
    await until<Pod>(PODS, ([pod]) => pod?.spec.nodeName !== undefined);
    expect(await cluster.containerPids()).toEqual([]);
    await cluster.resume('kubelet');
    await until(PODS, areRunning(1));
    expect(await cluster.containerPids()).toHaveLength(1);
  });

  test('an unknown component cannot be paused', async () => {
    await start();
    await expect(cluster.pause('etcd')).rejects.toThrow('no component "etcd"; there are: kubelet, controller-manager');
  });
});

describe('the trace', () => {
  /** Counts what Node itself says about requests on the API's port, while `run` runs. */
  async function counted(run: () => Promise<void>): Promise<{ readonly sent: number; readonly served: number }> {
    const counts = { sent: 0, served: 0 };
    const port = (): string => new URL(cluster.apiUrl).port;
    const onSent = (message: unknown): void => {
      const { request } = message as { request: ClientRequest };
      const isOurs = request.getHeader('user-agent') !== DRIVER;
      if (isOurs && request.getHeader('host') === `127.0.0.1:${port()}`) counts.sent++;
    };
    const onServed = (message: unknown): void => {
      const { request } = message as { request: IncomingMessage };
      if (String(request.socket.localPort) === port()) counts.served++;
    };
    subscribe('http.client.request.start', onSent);
    subscribe('http.server.request.start', onServed);
    await run();
    unsubscribe('http.client.request.start', onSent);
    unsubscribe('http.server.request.start', onServed);
    return counts;
  }

  test('holds every request that was sent and served, and no other', async () => {
    await start();
    const before = await fetch(`${cluster.traceUrl}/trace`).then((response) => response.text());
    const ids = new Set(before.split('\n').map((line) => /"id":"([^"]+)"/.exec(line)?.[1]));
    let events: readonly TraceEvent[] = [];
    const { sent, served } = await counted(async () => {
      await send('POST', DEPLOYMENTS, workload('Deployment', 'web', 3));
      await until(PODS, areRunning(3));
      events = await traceOf();
    });
    const calls = events.filter(({ id, kind, to }) => !ids.has(id) && kind === 'call' && to === 'ApiServer');
    expect(calls.length).toBe(served);
    expect(calls.filter(({ from }) => from !== 'User').length).toBe(sent);
    expect(sent).toBeGreaterThan(20);
  });

  test.each(['respond-first', 'free'] as const)('is complete when messages are late (%s)', async (dispatch) => {
    await start({ dispatch, replyDelaysMs: [0, 3, 1], watchDelaysMs: [2, 0, 5] });
    await send('POST', REPLICA_SETS, workload('ReplicaSet', 'web', 2));
    await until(PODS, areRunning(2));
    const events = await traceOf();
    const answered = new Set(events.map(({ replyTo }) => replyTo));
    const open = events.filter(({ id, kind, attributes }) => {
      return kind === 'call' && !answered.has(id) && !String(attributes?.['url.query']).includes('watch=');
    });
    expect(open).toEqual([]);
    expect(problems).toEqual([]);
  });
});

describe('a mutant', () => {
  const replicaSetRuns = async (): Promise<readonly TraceEvent[]> => {
    await send('POST', REPLICA_SETS, workload('ReplicaSet', 'web', 1));
    await until<Pod>(PODS, (pods) => pods.length > 0);
    return traceOf();
  };
  const firstOf = (events: readonly TraceEvent[], wanted: (event: TraceEvent) => boolean): number =>
    events.find(wanted)?.seq ?? Infinity;
  const call = (from: string, label: RegExp) => (event: TraceEvent) =>
    event.kind === 'call' && event.from === from && label.test(event.label);
  const saysRunning = (event: TraceEvent): boolean =>
    call('Kubelet', /^PATCH .*\/status$/)(event) && event.attributes?.['k8s.pod.phase'] === 'Running';

  test('status-before-start', async () => {
    await start({ mutants: ['status-before-start'] });
    const events = await replicaSetRuns();
    expect(firstOf(events, saysRunning)).toBeLessThan(firstOf(events, call('Kubelet', /StartContainer/)));
  });

  test('never-reports-running', async () => {
    await start({ mutants: ['never-reports-running'] });
    const events = await replicaSetRuns();
    expect([events.some(call('Kubelet', /StartContainer/)), events.some(saysRunning)]).toEqual([true, false]);
  });

  test('delete-before-stop', async () => {
    await start({ mutants: ['delete-before-stop'] });
    await createPod('web');
    await until(PODS, areRunning(1));
    await send('DELETE', `${PODS}/web`);
    await until(PODS, areGone);
    const events = await traceOf();
    expect(firstOf(events, call('Kubelet', /^DELETE/))).toBeLessThan(firstOf(events, call('Kubelet', /StopContainer/)));
  });

  test('acts-on-unbound-pods', async () => {
    await start({ mutants: ['acts-on-unbound-pods'] });
    await cluster.pause('scheduler');
    expect((await replicaSetRuns()).some(call('Kubelet', /StartContainer/))).toBe(true);
  });

  test('bind-before-get', async () => {
    await start({ mutants: ['bind-before-get'] });
    const events = await replicaSetRuns();
    const read = firstOf(events, call('Scheduler', /^GET .*\/pods\/web-/));
    expect(firstOf(events, call('Scheduler', /\/binding$/))).toBeLessThan(read);
    expect(read).toBeLessThan(Infinity);
  });

  test('bind-twice', async () => {
    await start({ mutants: ['bind-twice'] });
    expect((await replicaSetRuns()).filter(call('Scheduler', /\/binding$/))).toHaveLength(2);
  });

  test('create-before-list', async () => {
    await start({ mutants: ['create-before-list'] });
    const events = await replicaSetRuns();
    const created = firstOf(events, call('ReplicaSetController', /^POST/));
    expect(created).toBeLessThan(firstOf(events, call('ReplicaSetController', /^GET/)));
  });

  test('create-one-too-many', async () => {
    await start({ mutants: ['create-one-too-many'] });
    expect((await replicaSetRuns()).filter(call('ReplicaSetController', /^POST/))).toHaveLength(2);
  });
});

describe('the system under test', () => {
  test('refuses an unknown mutant, and names those there are', async () => {
    const starting = system.start({ ...PLAIN_START, mutants: ['bind-twice', 'sleep-walk'] });
    await expect(starting).rejects.toThrow(/no such mutant: sleep-walk[^]*bind-twice[^]*status-before-start/);
  });

  test('refuses to start without a node', async () => {
    await expect(system.start({ ...PLAIN_START, nodes: 0 })).rejects.toThrow('1 to 1000 nodes');
  });

  test('keeps its trace readable after the end, and frees everything when stopped, however often', async () => {
    const running = await system.start(PLAIN_START);
    await running.finish();
    await running.finish();
    const { status } = await fetch(`${running.traceUrl}/trace`);
    expect(status).toBe(200);
    await Promise.all([running.stop(), running.stop()]);
    await expect(fetch(`${running.traceUrl}/trace`)).rejects.toThrow();
  });

  test('has one name for each mutant', () => {
    const names = MUTANTS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});
