import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeContract } from './contract-suite.ts';
import { createMemStore, openDurableStore, prefixRange } from './index.ts';
import type { Operation, Store } from './index.ts';

const put = (key: string, value = 'v'): Operation => ({ kind: 'put', key, value });
const all = prefixRange('');

storeContract('the store in memory', () =>
  Promise.resolve({ store: createMemStore(), release: () => Promise.resolve() }),
);

storeContract('the store in memory that tells watchers before it answers', () =>
  Promise.resolve({ store: createMemStore({ notify: 'before' }), release: () => Promise.resolve() }),
);

storeContract('the durable store', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'store-'));
  return { store: await openDurableStore(dir, { fsync: false }), release: () => rm(dir, { recursive: true }) };
});

describe('watchers and writers', () => {
  test.each(['after', 'before'] as const)('a watcher is told %s the answer, as chosen', async (notify) => {
    const store = createMemStore({ notify });
    const order: string[] = [];
    const told = new Promise<void>((resolve) => {
      store.watch(all, () => {
        order.push('watch');
        resolve();
      });
    });
    await store.txn({ success: [put('a')] });
    order.push('answer');
    await told;
    expect(order).toEqual(notify === 'after' ? ['answer', 'watch'] : ['watch', 'answer']);
  });

  test('telling is a step that the owner of the store schedules', async () => {
    const steps: (() => void)[] = [];
    const store = createMemStore({ schedule: (step) => steps.push(step) });
    const heard: number[] = [];
    store.watch(all, (message) => heard.push(message.kind === 'events' ? message.revision : 0));
    await store.txn({ success: [put('a')] });
    await store.txn({ success: [put('b')] });
    expect(heard).toEqual([]);
    // In whatever order the steps run, revisions come in theirs.
    for (const step of steps.toReversed()) step();
    expect(heard).toEqual([2, 3]);
  });

  test('old revisions are compacted by themselves', async () => {
    const store = createMemStore({ revisionsKept: 10 });
    for (let i = 0; i < 40; i++) {
      await store.txn({ success: [put('a', String(i))] });
      await new Promise((resolve) => setImmediate(resolve));
    }
    await expect(store.range({ ...all, revision: 20 })).rejects.toMatchObject({ code: 'compacted' });
    expect((await store.range({ ...all, revision: 32 })).kvs).toMatchObject([{ modRevision: 32 }]);
  });
});

describe('what is on disk', () => {
  let dir: string;
  const log = (): string => join(dir, 'store.log');
  const open = (): Promise<Store> => openDurableStore(dir);

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'store-'));
  });
  afterEach(async () => {
    await rm(dir, { recursive: true });
  });

  /** Everything that can be asked, so that two stores can be compared. */
  async function contentOf(store: Store): Promise<unknown> {
    const range = await store.range(all);
    const past = await Promise.all(
      Array.from({ length: range.revision }, async (_, i) => {
        try {
          return (await store.range({ ...all, revision: i + 1 })).kvs;
        } catch (error) {
          return String(error);
        }
      }),
    );
    return { range, past };
  }

  async function filled(): Promise<Store> {
    const store = await open();
    await store.txn({ success: [put('a', '1'), put('b', 'ü 🚀\n')] });
    await store.txn({ success: [put('a', '2')] });
    await store.txn({ success: [{ kind: 'delete', key: 'b' }] });
    await store.txn({ success: [put('b', '3')] });
    return store;
  }

  test('a store opened again holds what it held, with its history', async () => {
    const first = await filled();
    const content = await contentOf(first);
    await first.close();
    const second = await open();
    expect(await contentOf(second)).toEqual(content);
    expect((await second.txn({ success: [put('c')] })).revision).toBe(6);
    await second.close();
  });

  test('what was compacted stays forgotten, and the log is shorter', async () => {
    const first = await filled();
    for (let i = 0; i < 50; i++) await first.txn({ success: [put('a', String(i))] });
    const before = (await stat(log())).size;
    await first.compact(50);
    expect((await stat(log())).size).toBeLessThan(before);
    const content = await contentOf(first);
    await first.close();
    const second = await open();
    expect(await contentOf(second)).toEqual(content);
    await expect(second.range({ ...all, revision: 49 })).rejects.toMatchObject({ code: 'compacted' });
    await second.close();
  });

  test('a watch may start at the compacted revision also after opening again', async () => {
    const first = await filled();
    await first.compact(4);
    await first.close();
    const second = await open();
    const heard = await new Promise((resolve) => {
      second.watch({ ...all, startRevision: 4 }, resolve);
    });
    expect(heard).toEqual({
      kind: 'events',
      revision: 4,
      events: [{ kind: 'delete', key: 'b', modRevision: 4 }],
    });
    await second.close();
  });

  test.each([
    ['without its end', (line: string) => line.slice(0, -10)],
    ['with a wrong byte', (line: string) => line.replace('"revision"', '"revisiom"')],
    ['of zeros', (line: string) => '\0'.repeat(line.length)],
  ])('a last line %s is dropped, and writing goes on in its place', async (_claim, tear) => {
    const first = await filled();
    await first.close();
    const text = await readFile(log(), 'utf8');
    const start = text.lastIndexOf('\n', text.length - 2) + 1;
    await writeFile(log(), text.slice(0, start) + tear(text.slice(start)));
    const second = await open();
    expect(await second.range(all)).toMatchObject({ revision: 4, kvs: [{ key: 'a', value: '2' }] });
    expect((await second.txn({ success: [put('b', 'again')] })).revision).toBe(5);
    await second.close();
    const third = await open();
    expect(await third.range({ key: 'b' })).toMatchObject({ revision: 5, kvs: [{ value: 'again' }] });
    await third.close();
  });

  test('damage before the last line is refused, with its place', async () => {
    await (await filled()).close();
    const text = await readFile(log(), 'utf8');
    await writeFile(log(), text.replace('"2"', '"9"'));
    await expect(open()).rejects.toMatchObject({ code: 'corrupt', message: expect.stringContaining('line 3') });
  });

  test('a line twice is refused', async () => {
    await (await filled()).close();
    const text = await readFile(log(), 'utf8');
    await appendFile(log(), text.slice(text.lastIndexOf('\n', text.length - 2) + 1));
    await expect(open()).rejects.toMatchObject({ code: 'corrupt' });
  });

  test('a crash while the log was written anew leaves the old one', async () => {
    const first = await filled();
    const content = await contentOf(first);
    await first.close();
    await writeFile(join(dir, 'store.log.new'), 'half a snaps');
    const second = await open();
    expect(await contentOf(second)).toEqual(content);
    await second.close();
  });

  test('many writes at once are all there, each at its revision', async () => {
    const first = await open();
    const revisions = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => (await first.txn({ success: [put(`k${i}`)] })).revision),
    );
    expect(revisions).toEqual(Array.from({ length: 50 }, (_, i) => i + 2));
    await first.close();
    const second = await open();
    expect((await second.range(all)).count).toBe(50);
    await second.close();
  });

  test('a folder is open once', async () => {
    const first = await open();
    await expect(open()).rejects.toMatchObject({ code: 'locked' });
    await first.close();
    await (await open()).close();
  });

  test('a lock of a process that is gone does not count', async () => {
    await writeFile(join(dir, 'store.lock'), String(2 ** 30));
    await (await open()).close();
  });
});
