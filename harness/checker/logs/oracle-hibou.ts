/* eslint-disable no-restricted-globals, no-console -- a script: it reads a file that is named to it, and prints. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { gunzipSync } from 'node:zlib';
import { compareWithHibou, describeComparison } from './hibou-corpus.ts';

/*
 * npm run oracle:hibou [-- [FOLDER] [--cut]]: holds the judge of logs against the labels that HIBOU gave to 115,561 groups of
 * logs. The corpus is data of another project and is not part of this one: without it there is nothing to compare.
 */
const { argv } = process;
const folder = argv.slice(2).find((argument) => !argument.startsWith('-')) ?? join('..', 'shared', 'oracles', 'hibou');
const interactions = join(folder, 'hibou_interactions.json');
const corpus = join(folder, 'hibou_multitrace_corpus.ndjson.gz');

if (existsSync(interactions) && existsSync(corpus)) {
  const comparison = compareWithHibou({
    interactions: readFileSync(interactions, 'utf8'),
    corpus: gunzipSync(readFileSync(corpus)).toString('utf8'),
    oneIn: 1,
    now: () => performance.now(),
    cut: argv.includes('--cut'),
  });
  console.log(describeComparison(comparison));
  process.exitCode = comparison.different.length === 0 ? 0 : 1;
} else {
  console.log(`skipped: no corpus in ${folder}`);
}
