import { afterEach, describe, expect, test } from '@jest/globals';
import { DEPLOYMENTS, deploymentNamed, PODS, podNamed, TestServer } from './test-server.ts';

let server: TestServer;
afterEach(async () => {
  await server.stop();
});
const start = async (...options: Parameters<typeof TestServer.start>): Promise<void> => {
  server = await TestServer.start(...options);
};
const create = async (name: string, labels = {}): Promise<string> =>
  (await server.post(PODS, podNamed(name, labels)).expect(201)).body.metadata.resourceVersion as string;

describe('watch', () => {
  test('without a version, a watch begins with what is there, then tells what comes', async () => {
    await start();
    const a = await create('a');
    const watch = await server.watch(`${PODS}?watch=true`);
    expect(await watch.lines(1)).toEqual([`ADDED a@${a}`]);
    const b = await create('b');
    const gone = (await server.delete(`${PODS}/a`).expect(200)).body.metadata.resourceVersion as string;
    expect(await watch.lines(3)).toEqual([`ADDED a@${a}`, `ADDED b@${b}`, `DELETED a@${gone}`]);
  });

  test('the head of the response comes before any line', async () => {
    await start();
    const watch = await server.watch(`${PODS}?watch=1`);
    expect(watch.statusCode).toBe(200);
    expect(watch.header('content-type')).toMatch(/application\/json/);
    expect(watch.events).toEqual([]);
  });

  test('from a version, a watch tells what came after it, without gap or repeat', async () => {
    await start();
    const a = await create('a');
    const b = await create('b');
    const watch = await server.watch(`${PODS}?watch=true&resourceVersion=${a}`);
    const c = await create('c');
    expect(await watch.lines(2)).toEqual([`ADDED b@${b}`, `ADDED c@${c}`]);
  });

  test('a watch continues a list without a gap', async () => {
    await start();
    await create('a');
    const { resourceVersion } = (await server.get(PODS).expect(200)).body.metadata as { resourceVersion: string };
    const b = await create('b');
    const watch = await server.watch(`${PODS}?watch=true&resourceVersion=${resourceVersion}`);
    expect(await watch.lines(1)).toEqual([`ADDED b@${b}`]);
  });

  test('a watch hears of its collection and namespace only', async () => {
    await start();
    await server.post('/api/v1/namespaces', { metadata: { name: 'other' } }).expect(201);
    const [mine, everywhere] = [
      await server.watch(`${PODS}?watch=true`),
      await server.watch('/api/v1/pods?watch=true'),
    ];
    await server.post('/api/v1/namespaces/other/pods', podNamed('x')).expect(201);
    await server.post(DEPLOYMENTS, deploymentNamed('d')).expect(201);
    const a = await create('a');
    expect(await mine.lines(1)).toEqual([`ADDED a@${a}`]);
    expect(await everywhere.lines(2)).toEqual([expect.stringMatching(/^ADDED x@/), `ADDED a@${a}`]);
  });

  test('entering a selection is ADDED, leaving it DELETED, whatever it is to others', async () => {
    await start();
    const unbound = await server.watch('/api/v1/pods?watch=true&fieldSelector=spec.nodeName%3D');
    const onNode = await server.watch('/api/v1/pods?watch=true&fieldSelector=spec.nodeName%3Dn1');
    const labelled = await server.watch('/api/v1/pods?watch=true&labelSelector=in%3Dyes');
    const all = await server.watch('/api/v1/pods?watch=true');
    await create('p', { in: 'yes' });
    await server.bind('p', 'n1').expect(201);
    await server.patch(`${PODS}/p`, { metadata: { labels: { in: 'no' } } }).expect(200);
    await server.patch(`${PODS}/p`, { metadata: { labels: { in: 'yes' } } }).expect(200);
    await server.delete(`${PODS}/p`, { gracePeriodSeconds: 0 }).expect(200);
    const types = async (watch: typeof all, count: number): Promise<readonly string[]> =>
      (await watch.lines(count)).map((line) => line.split(' ')[0]!);
    expect(await types(unbound, 2)).toEqual(['ADDED', 'DELETED']);
    expect(await types(onNode, 4)).toEqual(['ADDED', 'MODIFIED', 'MODIFIED', 'DELETED']);
    expect(await types(labelled, 5)).toEqual(['ADDED', 'MODIFIED', 'DELETED', 'ADDED', 'DELETED']);
    expect(await types(all, 5)).toEqual(['ADDED', 'MODIFIED', 'MODIFIED', 'MODIFIED', 'DELETED']);
  });

  test('what leaves a selection is shown as it is now, at the version of the change', async () => {
    await start();
    const watch = await server.watch('/api/v1/pods?watch=true&fieldSelector=spec.nodeName%3D');
    await create('p');
    await server.bind('p', 'n1').expect(201);
    const { resourceVersion } = (await server.get(`${PODS}/p`)).body.metadata as { resourceVersion: string };
    expect((await watch.lines(2))[1]).toBe(`DELETED p@${resourceVersion}`);
    expect(watch.events[1]).toMatchObject({ object: { spec: { nodeName: 'n1' } } });
  });

  test('from a compacted version a watch is told to list again', async () => {
    await start();
    const a = Number(await create('a'));
    for (const name of ['b', 'c', 'd']) await create(name);
    await server.store.compact(a + 3);
    const allowed = await server.watch(`${PODS}?watch=true&resourceVersion=${a + 2}`);
    expect(await allowed.lines(1)).toEqual([`ADDED d@${a + 3}`]);
    const refused = await server.watch(`${PODS}?watch=true&resourceVersion=${a + 1}`);
    await refused.ended;
    expect(refused.statusCode).toBe(200);
    expect(refused.events).toMatchObject([{ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } }]);
  });

  test('a version from before the server knows nothing of', async () => {
    await start();
    for (const name of ['a', 'b', 'c']) await create(name);
    const second = await TestServer.start({ store: server.store, recorder: server.recorder });
    const watch = await second.watch(`${PODS}?watch=true&resourceVersion=2`);
    await watch.ended;
    expect(watch.events).toMatchObject([{ type: 'ERROR', object: { code: 410 } }]);
    await second.stop();
  });

  test('a watch ends when its time is over', async () => {
    await start();
    const watch = await server.watch(`${PODS}?watch=true&timeoutSeconds=1`);
    await create('a');
    await watch.ended;
    expect(watch.events).toHaveLength(1);
  });

  test('initial events end with a bookmark when asked for', async () => {
    await start();
    await create('a');
    const watch = await server.watch(`${PODS}?watch=true&sendInitialEvents=true&allowWatchBookmarks=true`);
    await watch.lines(2);
    expect(watch.events[1]).toMatchObject({
      type: 'BOOKMARK',
      object: {
        kind: 'Pod',
        metadata: { annotations: { 'k8s.io/initial-events-end': 'true' }, resourceVersion: expect.any(String) },
      },
    });
  });

  test('a bad selector is refused before the stream begins', async () => {
    await start();
    const watch = await server.watch(`${PODS}?watch=true&labelSelector=%3D`);
    expect(watch.statusCode).toBe(400);
  });

  test('closing the server ends its watches', async () => {
    await start();
    const watch = await server.watch(`${PODS}?watch=true`);
    await server.close();
    await watch.ended;
    expect(watch.events).toEqual([]);
  });
});

describe('what watchers learn, and when', () => {
  const DELAYED = { replyDelaysMs: [30] };

  /** Position of each message about a creation: the reply's send, and the line's. */
  function positions(): { readonly reply: number; readonly line: number } {
    const find = (label: string): number => server.events().find((event) => event.label.startsWith(label))!.seq;
    return { reply: find('201 Created'), line: find('watch ADDED pods/default/p') };
  }

  test.each<['after' | 'before']>([['after'], ['before']])(
    'respond-first: no line before the reply to its writer, also when replies are late and the store tells %s its answer',
    async (notify) => {
      await start({ ...DELAYED, dispatch: 'respond-first' }, { notify });
      const watch = await server.watch(`${PODS}?watch=true`);
      await create('p');
      await watch.lines(1);
      const { reply, line } = positions();
      expect(line).toBeGreaterThan(reply);
    },
  );

  test('respond-first: a line waits for its own writer, and for those before it', async () => {
    await start({ replyDelaysMs: [60, 0], dispatch: 'respond-first' });
    const watch = await server.watch(`${PODS}?watch=true`);
    await Promise.all([create('slow'), create('fast')]);
    await watch.lines(2);
    const labels = server.arrows(({ label }) => /^(201|watch ADDED pods)/.test(label));
    expect(labels.slice(0, 2).every((label) => label.endsWith('201 Created'))).toBe(true);
    expect(watch.events.map(({ object }) => (object.metadata as { name: string }).name).sort()).toEqual([
      'fast',
      'slow',
    ]);
    const versions = watch.events.map(({ object }) =>
      Number((object.metadata as { resourceVersion: string }).resourceVersion),
    );
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
  });

  test('respond-first: a writer that leaves does not hold up the others', async () => {
    await start({ replyDelaysMs: [10_000, 0], dispatch: 'respond-first' });
    const watch = await server.watch(`${PODS}?watch=true`);
    const leaving = new AbortController();
    const left = fetch(`${server.url}${PODS}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(podNamed('p')),
      signal: leaving.signal,
    }).catch((error: unknown) => (error as Error).name);
    const written = new Promise<void>((resolve) => {
      const stop = server.recorder.onChange(() => {
        if (!server.arrows().some((arrow) => arrow.includes('watch PUT /registry/pods/default/p'))) return;
        stop();
        resolve();
      });
    });
    await written;
    expect(watch.events).toEqual([]);
    leaving.abort();
    expect(await left).toBe('AbortError');
    expect(await watch.lines(1)).toHaveLength(1);
  });

  test('free: a line may overtake the reply to its writer', async () => {
    await start({ ...DELAYED, dispatch: 'free' });
    const watch = await server.watch(`${PODS}?watch=true`);
    await create('p');
    await watch.lines(1);
    const { reply, line } = positions();
    expect(line).toBeLessThan(reply);
  });

  test('delayed lines of one watch keep their order', async () => {
    await start({ watchDelaysMs: [40, 0, 20, 0] });
    const watch = await server.watch(`${PODS}?watch=true`);
    const names = ['a', 'b', 'c', 'd'];
    for (const name of names) await create(name);
    expect((await watch.lines(4)).map((line) => line.replace(/@.*/, ''))).toEqual(names.map((name) => `ADDED ${name}`));
  });
});
