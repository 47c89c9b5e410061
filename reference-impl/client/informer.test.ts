import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { createRecorder } from '../tracing/index.ts';
import { ApiClient } from './api-client.ts';
import { systemClock } from './clock.ts';
import type { Environment } from './environment.ts';
import { Informer } from './informer.ts';
import { PODS } from './resources.ts';

type Respond = (response: ServerResponse, request: IncomingMessage) => void;

let cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of cleanUp) await step();
  cleanUp = [];
});

/** A server that gives these answers, one after the other, and an informer on it. */
async function informerOn(...answers: readonly Respond[]) {
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const answer = answers[asked.length - 1];
    if (answer === undefined) response.writeHead(200).flushHeaders();
    else answer(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const problems: string[] = [];
  const environment: Environment = {
    apiUrl: `http://127.0.0.1:${port}`,
    recorder: createRecorder(),
    clock: systemClock,
    report: (_component, problem) => problems.push(problem),
  };
  const client = new ApiClient(environment, { userAgent: 'scheduler' });
  const informer = new Informer({ environment, client, of: PODS });
  const changes: string[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  informer.onChange(({ kind, object }) => {
    changes.push(`${kind} ${object.metadata.name}@${object.metadata.resourceVersion}`);
    for (const { count, resolve } of waiting) if (changes.length >= count) resolve();
  });
  cleanUp.push(async () => {
    await informer.stop();
    client.stop();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const changed = (count: number): Promise<void> =>
    changes.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve }));
  return { informer, asked, changes, changed, problems };
}

const pod = (name: string, resourceVersion: string, uid = name) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid, resourceVersion, creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { containers: [] },
});

const list =
  (resourceVersion: string, ...items: readonly object[]): Respond =>
  (response) =>
    response.end(JSON.stringify({ apiVersion: 'v1', kind: 'PodList', metadata: { resourceVersion }, items }));

const line = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;

test('an informer lists, then watches from the revision of the list', async () => {
  const { informer, asked, changes, changed } = await informerOn(list('7', pod('a', '3')), (response) =>
    response.write(line('ADDED', pod('b', '8')) + line('MODIFIED', pod('a', '9')) + line('DELETED', pod('b', '10'))),
  );
  await informer.start();
  await changed(4);
  expect(changes).toEqual(['added a@3', 'added b@8', 'updated a@9', 'deleted b@10']);
  expect(informer.list().map(({ metadata }) => metadata.name)).toEqual(['a']);
  expect(asked[1]).toContain('resourceVersion=7');
});

test('a line that is cut inside a letter is put together again', async () => {
  const bytes = Buffer.from(line('ADDED', pod('käse', '8')));
  const cut = bytes.indexOf(0xc3) + 1;
  const { informer, changes, changed } = await informerOn(list('7'), (response) => {
    response.write(bytes.subarray(0, cut), () => setImmediate(() => response.write(bytes.subarray(cut))));
  });
  await informer.start();
  await changed(1);
  expect(changes).toEqual(['added käse@8']);
});

test('a watch that ends is opened again after the last change that was seen', async () => {
  const { informer, asked, changes, changed } = await informerOn(
    list('7'),
    (response) => response.end(line('ADDED', pod('a', '8'))),
    (response) => response.write(line('MODIFIED', pod('a', '9'))),
  );
  await informer.start();
  await changed(2);
  expect(changes).toEqual(['added a@8', 'updated a@9']);
  expect(asked[2]).toContain('resourceVersion=8');
});

test('when the history is gone the informer lists again, and tells what it had missed', async () => {
  const gone = { kind: 'Status', status: 'Failure', code: 410, reason: 'Expired' };
  const { informer, changes, changed, problems } = await informerOn(
    list('7', pod('a', '3'), pod('b', '4'), pod('c', '5', 'old')),
    (response) => response.end(line('ERROR', gone)),
    list('20', pod('a', '3'), pod('c', '18', 'new'), pod('d', '19')),
  );
  await informer.start();
  await changed(7);
  expect(changes.slice(3)).toEqual(['deleted b@4', 'deleted c@5', 'added c@18', 'added d@19']);
  expect(problems).toHaveLength(1);
});

test('a refused list is tried again', async () => {
  const { informer, changes, problems } = await informerOn(
    (response) => response.writeHead(503).end('{}'),
    list('7', pod('a', '3')),
  );
  await informer.start();
  expect(changes).toEqual(['added a@3']);
  expect(problems).toHaveLength(1);
});

test('stopping is silent', async () => {
  const { informer, problems } = await informerOn(list('7'));
  await informer.start();
  await informer.stop();
  expect(problems).toEqual([]);
});
