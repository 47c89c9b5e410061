import { describe, expect, test } from '@jest/globals';
import { createFuzzProgress } from './fuzz-progress.ts';

/** What is told over runs that take so many seconds each, all but the first `held` of which are broken. */
function told(isErrorTerminal: boolean | undefined, seconds: readonly number[], held = Infinity): readonly string[] {
  const texts: string[] = [];
  let now = 5_000;
  const err = (text: string): void => void texts.push(text);
  const io = isErrorTerminal === undefined ? { err } : { err, isErrorTerminal };
  const progress = createFuzzProgress(io, 20, () => now);
  seconds.forEach((taken, index) => {
    now += taken * 1_000;
    progress.endRun(index >= held);
  });
  progress.end();
  return texts;
}

describe('the progress of the fuzzer', () => {
  test('is one line that is written over after each run, and gone at the end, where somebody watches', () => {
    expect(told(true, [1, 2.2])).toEqual([
      '\r\u001b[Kfuzz: 0 of 20 runs, 0 s',
      '\r\u001b[Kfuzz: 1 of 20 runs, 1 s',
      '\r\u001b[Kfuzz: 2 of 20 runs, 3 s',
      '\r\u001b[K',
    ]);
  });

  test('is a line in ten seconds at most where nobody does', () => {
    const lines = ['fuzz: 3 of 20 runs, 12 s\n', 'fuzz: 6 of 20 runs, 24 s\n'];
    expect(told(false, [4, 4, 4, 4, 4, 4, 4])).toEqual(lines);
    expect(told(undefined, [4, 4, 4, 4, 4, 4, 4])).toEqual(lines);
    expect(told(false, [1, 1, 1])).toEqual([]);
  });

  test('tells runs that shrink a case from those that look for one', () => {
    expect(told(false, [10, 10, 10, 10], 1)).toEqual([
      'fuzz: 1 of 20 runs, 10 s\n',
      'fuzz: 2 of 20 runs, 20 s\n',
      'fuzz: broken after 2 runs, shrunk in 1 more so far, 30 s\n',
      'fuzz: broken after 2 runs, shrunk in 2 more so far, 40 s\n',
    ]);
  });
});
