import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { prefixRange } from './mvcc.ts';
import type { Compare, Operation, Store, WatchMessage, WatchRequest, Watcher } from './types.ts';

/** Opens an empty store; `release` frees what it needed. */
export type OpenStore = () => Promise<{ readonly store: Store; readonly release: () => Promise<void> }>;

const put = (key: string, value = 'v'): Operation => ({ kind: 'put', key, value });
const remove = (key: string): Operation => ({ kind: 'delete', key });
const all = prefixRange('');

/** What every store promises: etcd's semantics as tests. Run it against each implementation. */
export function storeContract(name: string, openStore: OpenStore): void {
  describe(`${name} keeps the contract of a store`, () => {
    let store: Store;
    let release: () => Promise<void>;

    beforeEach(async () => {
      ({ store, release } = await openStore());
    });
    afterEach(async () => {
      await store.close();
      await release();
    });

    const write = async (...success: Operation[]): Promise<number> => (await store.txn({ success })).revision;
    const values = async (revision = 0): Promise<Record<string, string>> => {
      const { kvs } = await store.range({ ...all, revision });
      return Object.fromEntries(kvs.map((kv) => [kv.key, kv.value]));
    };
    const succeeds = async (compare: Compare): Promise<boolean> =>
      (await store.txn({ compare: [compare], success: [] })).succeeded;

    describe('revisions', () => {
      test('an empty store is at revision 1, and the first write makes it 2', async () => {
        expect((await store.range(all)).revision).toBe(1);
        expect(await write(put('a'))).toBe(2);
        expect((await store.range(all)).revision).toBe(2);
      });

      test('one transaction takes one revision, whatever number of keys it writes', async () => {
        expect(await write(put('a'), put('b'), put('c'))).toBe(2);
        const { kvs } = await store.range(all);
        expect(kvs.map((kv) => kv.modRevision)).toEqual([2, 2, 2]);
      });

      test('what writes nothing takes no revision', async () => {
        await write(put('a'));
        expect(await write({ kind: 'range', ...all })).toBe(2);
        expect(await write(remove('absent'))).toBe(2);
        const lost = await store.txn({
          compare: [{ key: 'a', target: 'version', result: '=', operand: 9 }],
          success: [put('a', 'no')],
        });
        expect(lost).toMatchObject({ succeeded: false, revision: 2 });
        expect(await values()).toEqual({ a: 'v' });
      });

      test('a key counts its versions, and begins anew after a deletion', async () => {
        await write(put('a', '1'));
        await write(put('a', '2'));
        expect((await store.range({ key: 'a' })).kvs).toEqual([
          { key: 'a', value: '2', createRevision: 2, modRevision: 3, version: 2 },
        ]);
        await write(remove('a'));
        await write(put('a', '3'));
        expect((await store.range({ key: 'a' })).kvs).toEqual([
          { key: 'a', value: '3', createRevision: 5, modRevision: 5, version: 1 },
        ]);
      });
    });

    describe('transactions', () => {
      beforeEach(async () => {
        await write(put('a', 'x'));
        await write(put('a', 'y'));
      });

      test.each<[string, Compare, boolean]>([
        ['mod = its revision', { key: 'a', target: 'mod', result: '=', operand: 3 }, true],
        ['mod = an old revision', { key: 'a', target: 'mod', result: '=', operand: 2 }, false],
        ['mod > an old revision', { key: 'a', target: 'mod', result: '>', operand: 2 }, true],
        ['mod < its revision', { key: 'a', target: 'mod', result: '<', operand: 3 }, false],
        ['mod != an old revision', { key: 'a', target: 'mod', result: '!=', operand: 2 }, true],
        ['create = its first revision', { key: 'a', target: 'create', result: '=', operand: 2 }, true],
        ['version = the number of its changes', { key: 'a', target: 'version', result: '=', operand: 2 }, true],
        ['value = its value', { key: 'a', target: 'value', result: '=', operand: 'y' }, true],
        ['value = an old value', { key: 'a', target: 'value', result: '=', operand: 'x' }, false],
        ['mod = 0 of an absent key', { key: 'b', target: 'mod', result: '=', operand: 0 }, true],
        ['version = 0 of an absent key', { key: 'b', target: 'version', result: '=', operand: 0 }, true],
        ['value = empty of an absent key', { key: 'b', target: 'value', result: '=', operand: '' }, false],
        ['value != something of an absent key', { key: 'b', target: 'value', result: '!=', operand: 'z' }, false],
      ])('%s', async (_claim, compare, expected) => {
        expect(await succeeds(compare)).toBe(expected);
      });

      test('a compare-and-swap that lost shows in its failure branch what is there', async () => {
        const result = await store.txn({
          compare: [{ key: 'a', target: 'mod', result: '=', operand: 2 }],
          success: [put('a', 'z')],
          failure: [{ kind: 'range', key: 'a' }],
        });
        expect(result).toMatchObject({
          succeeded: false,
          responses: [{ kind: 'range', kvs: [{ value: 'y', modRevision: 3 }] }],
        });
      });

      test('of two swaps from one version, one wins', async () => {
        const swap = (value: string): Promise<{ succeeded: boolean }> =>
          store.txn({
            compare: [{ key: 'a', target: 'mod', result: '=', operand: 3 }],
            success: [put('a', value)],
          });
        const results = await Promise.all([swap('first'), swap('second')]);
        expect(results.filter(({ succeeded }) => succeeded)).toHaveLength(1);
      });

      test.each<[string, readonly Operation[]]>([
        ['two puts of a key', [put('k'), put('k')]],
        ['a put and a deletion of a key', [put('k'), remove('k')]],
        ['a put and a deletion of a range around it', [{ kind: 'delete', ...prefixRange('k') }, put('k1')]],
      ])('%s in one branch are refused, and nothing is written', async (_claim, success) => {
        await expect(store.txn({ success })).rejects.toMatchObject({ code: 'duplicate-key' });
        expect((await store.range(all)).revision).toBe(3);
      });

      test('a deletion says what it deleted', async () => {
        await write(put('a1'), put('a2'));
        const { responses } = await store.txn({ success: [{ kind: 'delete', ...prefixRange('a') }] });
        expect(responses).toMatchObject([{ kind: 'delete', deleted: [{ key: 'a' }, { key: 'a1' }, { key: 'a2' }] }]);
      });

      test('a read after a write in one branch sees the write', async () => {
        const { responses } = await store.txn({ success: [put('b', 'new'), { kind: 'range', ...all }] });
        expect(responses[1]).toMatchObject({ kvs: [{ key: 'a' }, { key: 'b', value: 'new', modRevision: 4 }] });
      });

      test.each(['', 'ü', 'a\nb'])('the key %j is refused', async (key) => {
        await expect(store.txn({ success: [put(key)] })).rejects.toMatchObject({ code: 'invalid-argument' });
      });
    });

    describe('ranges', () => {
      beforeEach(async () => {
        await write(put('/p/2'));
        await write(put('/p/1'), put('/q/1'), put('/p'));
      });

      test('a prefix holds its keys in order, and no other', async () => {
        const { kvs, count } = await store.range(prefixRange('/p/'));
        expect(kvs.map((kv) => kv.key)).toEqual(['/p/1', '/p/2']);
        expect(count).toBe(2);
      });

      test('a range ends before its end', async () => {
        const { kvs } = await store.range({ key: '/p/1', rangeEnd: '/p/2' });
        expect(kvs.map((kv) => kv.key)).toEqual(['/p/1']);
      });

      test('a limit cuts, and says that there is more', async () => {
        expect(await store.range({ ...all, limit: 2 })).toMatchObject({ count: 4, more: true, kvs: [{}, {}] });
        expect(await store.range({ ...all, limit: 4 })).toMatchObject({ count: 4, more: false });
      });

      test('a past revision shows what was there', async () => {
        await write(remove('/p/2'));
        expect(await values(2)).toEqual({ '/p/2': 'v' });
        expect(Object.keys(await values(3))).toContain('/p/2');
        expect(Object.keys(await values())).not.toContain('/p/2');
      });

      test('a future revision is refused', async () => {
        await expect(store.range({ ...all, revision: 4 })).rejects.toMatchObject({ code: 'future-revision' });
      });
    });

    describe('compaction', () => {
      beforeEach(async () => {
        for (const value of ['1', '2', '3', '4']) await write(put('a', value));
      });

      test('values at the compacted revision are still there, those before are not', async () => {
        await store.compact(4);
        expect(await values(4)).toEqual({ a: '3' });
        await expect(values(3)).rejects.toMatchObject({ code: 'compacted' });
      });

      test.each([
        ['what is compacted', 3, 'compacted'],
        ['less than what is compacted', 2, 'compacted'],
        ['the future', 6, 'future-revision'],
      ])('%s cannot be compacted', async (_claim, revision, code) => {
        await store.compact(3);
        await expect(store.compact(revision)).rejects.toMatchObject({ code });
      });

      test('a deleted key is forgotten, and can come again', async () => {
        await write(remove('a'));
        await store.compact(6);
        expect(await values()).toEqual({});
        expect(await values(6)).toEqual({});
        await write(put('a', 'again'));
        expect((await store.range({ key: 'a' })).kvs).toMatchObject([{ createRevision: 7, version: 1 }]);
      });
    });

    describe('watches', () => {
      const open: Watcher[] = [];
      afterEach(() => {
        for (const watcher of open.splice(0)) watcher.cancel();
      });
      const watch = (request: Partial<WatchRequest> = {}): Heard => {
        const heard = new Heard();
        const watcher = store.watch({ ...all, ...request }, (message) => {
          heard.take(message);
        });
        open.push(watcher);
        return heard;
      };

      test('a watch hears of every revision after it was opened, in order', async () => {
        await write(put('before'));
        const heard = watch();
        for (const key of ['a', 'b', 'c']) await write(put(key));
        await write(remove('b'));
        await heard.until(4);
        expect(heard.lines()).toEqual(['3 put a', '4 put b', '5 put c', '6 delete b']);
      });

      test('all events of one revision come together', async () => {
        const heard = watch();
        await write(put('a'), put('b'));
        await heard.until(1);
        expect(heard.messages).toMatchObject([{ kind: 'events', revision: 2, events: [{}, {}] }]);
      });

      test('a watch from the past hears what was, then what comes, without gap or repeat', async () => {
        for (const key of ['a', 'b', 'c']) await write(put(key));
        const heard = watch({ startRevision: 3 });
        await write(put('d'));
        await heard.until(3);
        expect(heard.lines()).toEqual(['3 put b', '4 put c', '5 put d']);
      });

      test('a watch from the future waits for it', async () => {
        const heard = watch({ startRevision: 4 });
        const present = watch();
        for (const key of ['a', 'b', 'c']) await write(put(key));
        await present.until(3);
        await heard.until(1);
        expect(heard.lines()).toEqual(['4 put c']);
      });

      test('a watch hears of its range only', async () => {
        const heard = watch(prefixRange('/p/'));
        await write(put('/q/1'), put('/p/1'));
        await write(put('/q/2'));
        await write(put('/p/2'));
        await heard.until(2);
        expect(heard.lines()).toEqual(['2 put /p/1', '4 put /p/2']);
      });

      test('a watch may start at the compacted revision, not before', async () => {
        for (const value of ['1', '2', '3']) await write(put('a', value));
        await store.compact(3);
        const [allowed, refused] = [watch({ startRevision: 3 }), watch({ startRevision: 2 })];
        await allowed.until(2);
        await refused.until(1);
        expect(allowed.lines()).toEqual(['3 put a', '4 put a']);
        expect(refused.messages).toEqual([{ kind: 'canceled', compactRevision: 3 }]);
      });

      test('who is up to date keeps its watch over a compaction', async () => {
        const heard = watch();
        for (const value of ['1', '2', '3']) await write(put('a', value));
        await store.compact(4);
        await write(put('a', '4'));
        await heard.until(4);
        expect(heard.lines()).toEqual(['2 put a', '3 put a', '4 put a', '5 put a']);
      });

      test('previous values come when asked for, and as long as they are kept', async () => {
        for (const value of ['1', '2']) await write(put('a', value));
        await write(remove('a'));
        await store.compact(3);
        const heard = watch({ startRevision: 3, prevKv: true });
        await heard.until(2);
        expect(heard.events()).toEqual([
          { kind: 'put', kv: { key: 'a', value: '2', createRevision: 2, modRevision: 3, version: 2 } },
          {
            kind: 'delete',
            key: 'a',
            modRevision: 4,
            previous: { key: 'a', value: '2', createRevision: 2, modRevision: 3, version: 2 },
          },
        ]);
      });

      test('without being asked for, previous values do not come', async () => {
        await write(put('a', '1'));
        const heard = watch();
        await write(put('a', '2'));
        await heard.until(1);
        expect(heard.events()).toEqual([
          { kind: 'put', kv: { key: 'a', value: '2', createRevision: 2, modRevision: 3, version: 2 } },
        ]);
      });

      test('progress tells up to where everything was told', async () => {
        const heard = new Heard();
        const watcher = store.watch(all, (message) => {
          heard.take(message);
        });
        open.push(watcher);
        await write(put('a'));
        await heard.until(1);
        watcher.requestProgress();
        await heard.until(2);
        expect(heard.messages.at(-1)).toEqual({ kind: 'progress', revision: 2 });
      });

      test('a canceled watch hears nothing more', async () => {
        const heard = new Heard();
        const watcher = store.watch(all, (message) => {
          heard.take(message);
        });
        const witness = watch();
        watcher.cancel();
        await write(put('a'));
        await witness.until(1);
        expect(heard.messages).toEqual([]);
      });

      test('two watchers hear the same, in the same order', async () => {
        const [one, other] = [watch(), watch()];
        await Promise.all(['a', 'b', 'c', 'd'].map((key) => write(put(key))));
        await one.until(4);
        await other.until(4);
        expect(one.lines()).toEqual(other.lines());
      });

      test('the handler is not called before the call that opened the watch has returned', async () => {
        await write(put('a'));
        let hasReturned = false;
        const heardAfter = new Promise<boolean>((resolve) => {
          open.push(
            store.watch({ ...all, startRevision: 2 }, () => {
              resolve(hasReturned);
            }),
          );
          hasReturned = true;
        });
        expect(await heardAfter).toBe(true);
      });

      test('closing the store cancels watches, and refuses what comes after', async () => {
        const heard = watch();
        await store.close();
        expect(heard.messages).toEqual([{ kind: 'canceled' }]);
        await expect(store.range(all)).rejects.toMatchObject({ code: 'closed' });
        await expect(store.txn({ success: [put('a')] })).rejects.toMatchObject({ code: 'closed' });
      });
    });
  });
}

/** What a watcher was told; `until` waits for a number of messages. */
class Heard {
  readonly messages: WatchMessage[] = [];
  #waiting: (() => void) | undefined;

  take(message: WatchMessage): void {
    this.messages.push(message);
    this.#waiting?.();
  }

  async until(count: number): Promise<void> {
    while (this.messages.length < count) {
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
  }

  events(): readonly unknown[] {
    return this.messages.flatMap((message) => (message.kind === 'events' ? message.events : []));
  }

  lines(): readonly string[] {
    return this.messages.flatMap((message) =>
      message.kind === 'events'
        ? message.events.map(
            (event) => `${message.revision} ${event.kind} ${event.kind === 'put' ? event.kv.key : event.key}`,
          )
        : [message.kind],
    );
  }
}
