import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { gunzipSync } from 'node:zlib';
import { compareWithHibou, describeComparison } from './hibou-corpus.ts';

/*
 * npm run oracle:hibou [-- FOLDER [SAMPLE]]: holds the judge of logs against the labels that HIBOU gave to 115,561 groups of logs.
 * The corpus is data of another project and is not part of this one: without it there is nothing to compare.
 */
const [folder = join('..', 'shared', 'oracles', 'hibou'), sample = '1'] = process.argv.slice(2);
const interactions = join(folder, 'hibou_interactions.json');
const corpus = join(folder, 'hibou_multitrace_corpus.ndjson.gz');

if (existsSync(interactions) && existsSync(corpus)) {
  const comparison = compareWithHibou({
    interactions: readFileSync(interactions, 'utf8'),
    corpus: gunzipSync(readFileSync(corpus)).toString('utf8'),
    oneIn: Number(sample),
    now: () => performance.now(),
    cut: process.argv.includes('--cut'),
  });
  console.log(describeComparison(comparison));
  process.exitCode = comparison.different.length === 0 ? 0 : 1;
} else {
  console.log(`skipped: no corpus in ${folder}`);
}
