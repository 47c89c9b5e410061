import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { compareWithHibou, describeComparison } from './hibou-corpus.ts';

const FOLDER = join('..', 'shared', 'oracles', 'hibou');
const INTERACTIONS = join(FOLDER, 'hibou_interactions.json');
const CORPUS = join(FOLDER, 'hibou_multitrace_corpus.ndjson.gz');
const isPresent = existsSync(INTERACTIONS) && existsSync(CORPUS);

// The corpus is another project's; whoever has it beside this repo runs this too.
(isPresent ? test : test.skip)(
  `every fiftieth label of HIBOU's corpus is found again${isPresent ? '' : ` (skipped: no corpus in ${FOLDER})`}`,
  () => {
    const { counts, different } = compareWithHibou({
      interactions: readFileSync(INTERACTIONS, 'utf8'),
      corpus: gunzipSync(readFileSync(CORPUS)).toString('utf8'),
      oneIn: 50,
      cut: true,
      now: () => 0,
    });
    expect(different).toEqual([]);
    const sum = (mode: string, of: 'equal' | 'undecided'): number =>
      [...counts].reduce((total, [name, count]) => total + (name.startsWith(mode) ? count[of] : 0), 0);
    expect(sum('elimination', 'equal')).toBeGreaterThan(2_300);
    expect(sum('whole', 'equal')).toBeGreaterThan(380);
    expect(sum('cut', 'undecided')).toBe(0);
  },
  60_000,
);

const own = {
  interactions: JSON.stringify({ 'own.hif': 'seq(a -- m -> b, loopW(b -- n -> a))' }),
  oneIn: 1,
  cut: false,
  now: () => 0,
};
const line = (hibou: string, accept?: string): string =>
  JSON.stringify({ i: 'own', k: 'accepted', t: 't1', mu: { a: ['a!m'], b: ['b?m', 'b!n'] }, hibou, accept });

test('a label that is not found again is listed, with what is said instead', () => {
  const comparison = compareWithHibou({ ...own, corpus: `${line('Fail', 'Pass')}\n${line('WeakPass', 'Fail')}\n` });
  expect(comparison.different).toEqual([
    'own accepted t1: elimination says conforms',
    'own accepted t1: whole says violates',
  ]);
  expect(describeComparison(comparison)).toContain('different: own accepted t1: whole says violates');
});

test('a line that was never decided is told apart from the counts', () => {
  const comparison = compareWithHibou({ ...own, corpus: line('TIMEOUT') });
  expect(comparison.timeouts).toEqual(['own t1: conforms']);
  expect([...comparison.counts]).toEqual([]);
});
