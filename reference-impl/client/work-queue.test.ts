import { describe, expect, test } from '@jest/globals';
import { currentCause } from '../tracing/index.ts';
import { manualClock } from './manual-clock.ts';
import { type Cause, WorkQueue } from './work-queue.ts';

interface Job {
  readonly key: string;
  readonly causes: readonly (string | undefined)[];
  readonly cause: string | undefined;
  finish: () => void;
  fail: (error: Error) => void;
}

function queueWith(workers: number) {
  const clock = manualClock();
  const jobs: Job[] = [];
  const failures: string[] = [];
  const queue = new WorkQueue({
    clock,
    workers,
    handle: (key, causes) =>
      new Promise<void>((resolve, reject) => {
        jobs.push({ key, causes: causes.map(({ id }) => id), cause: currentCause(), finish: resolve, fail: reject });
      }),
    onFailure: (key, error) => failures.push(`${key}: ${String(error)}`),
  });
  return { clock, jobs, failures, queue };
}

const cause = (id: string): Cause => ({ id, resource: 'pods' });
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a work queue', () => {
  test('makes one piece of work of what arrives together, and keeps all its causes', async () => {
    const { jobs, queue } = queueWith(1);
    queue.add('a', cause('1'));
    queue.add('a', cause('2'));
    await settle();
    expect(jobs).toMatchObject([{ key: 'a', causes: ['1', '2'], cause: '2' }]);
  });

  test('never works on one key twice at a time, and works on it again if it was added meanwhile', async () => {
    const { jobs, queue } = queueWith(5);
    queue.add('a', cause('1'));
    await settle();
    queue.add('a', cause('2'));
    queue.add('b', cause('3'));
    await settle();
    expect(jobs.map(({ key }) => key)).toEqual(['a', 'b']);
    jobs[0]!.finish();
    await settle();
    expect(jobs.map(({ key, causes }) => [key, causes])).toEqual([
      ['a', ['1']],
      ['b', ['3']],
      ['a', ['2']],
    ]);
  });

  test('has no more workers than it was given', async () => {
    const { jobs, queue } = queueWith(2);
    for (const key of ['a', 'b', 'c']) queue.add(key);
    await settle();
    expect(jobs).toHaveLength(2);
    jobs[0]!.finish();
    await settle();
    expect(jobs.map(({ key }) => key)).toEqual(['a', 'b', 'c']);
  });

  test('tries a failed key again later and later, with the same causes', async () => {
    const { clock, jobs, failures, queue } = queueWith(1);
    queue.add('a', cause('1'));
    await settle();
    jobs[0]!.fail(new Error('no'));
    await settle();
    clock.advance(4);
    await settle();
    expect(jobs).toHaveLength(1);
    clock.advance(1);
    await settle();
    expect(jobs[1]).toMatchObject({ key: 'a', causes: ['1'] });
    jobs[1]!.fail(new Error('no'));
    await settle();
    clock.advance(9);
    await settle();
    expect(jobs).toHaveLength(2);
    clock.advance(1);
    await settle();
    expect(jobs).toHaveLength(3);
    expect(failures).toEqual(['a: Error: no', 'a: Error: no']);
  });

  test('keeps what is added while it is paused, and is not busy with it', async () => {
    const { jobs, queue } = queueWith(1);
    queue.pause();
    queue.add('a', cause('1'));
    await settle();
    expect([jobs.length, queue.isBusy()]).toEqual([0, false]);
    queue.resume();
    expect(queue.isBusy()).toBe(true);
    await settle();
    expect(jobs).toHaveLength(1);
  });

  test('keeps the earlier of two delays', async () => {
    const { clock, jobs, queue } = queueWith(1);
    queue.addAfter('a', 50, [cause('early')]);
    queue.addAfter('a', 80, [cause('late')]);
    clock.advance(100);
    await settle();
    expect(jobs).toMatchObject([{ causes: ['early'] }]);
  });

  test('stops when the work under way has ended, and begins no other', async () => {
    const { jobs, failures, queue } = queueWith(1);
    queue.add('a');
    queue.add('b');
    await settle();
    let isStopped = false;
    const stopped = queue.stop().then(() => {
      isStopped = true;
    });
    await settle();
    expect(isStopped).toBe(false);
    jobs[0]!.fail(new Error('cut'));
    await stopped;
    queue.add('c');
    await settle();
    expect([jobs.length, failures]).toEqual([1, []]);
  });
});
