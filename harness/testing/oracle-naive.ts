import { parseArgs } from 'node:util';
import { compareJudges } from './compare-judges.ts';
import { describeCase } from './describe-case.ts';
import { judgedCase, seedOf } from './judged-case.ts';
import { shrinkCase } from './shrink-case.ts';
import { Tally } from './tally.ts';

/**
 * `npm run oracle:naive -- --cases N --seed S [--shard i/n] [--strict]`: compares checker and naive oracle on N random cases and
 * prints what was seen, and every case, made small, on which they differ. Exits with 1 if there is one.
 */
const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '20260101' },
    shard: { type: 'string', default: '1/1' },
    strict: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});
const CHUNK = 10_000;
const TOLD_MAX = 20;

function run(): number {
  const [cases, seed] = [Number(values.cases), Number(values.seed)];
  const [shard = 1, shards = 1] = values.shard.split('/').map(Number);
  if (![cases, seed, shard, shards].every(Number.isInteger) || shard < 1 || shard > shards)
    throw new Error('usage: npm run oracle:naive -- --cases N --seed S [--shard i/n]');
  const tally = new Tally();
  const begun = performance.now();
  let [done, differing] = [0, 0];
  const wanted = values.only === undefined ? null : Number(values.only);
  for (let index = wanted ?? shard - 1; index < cases; index += wanted === null ? shards : cases) {
    if (tellDifference(seedOf(seed, index), index, tally, differing < TOLD_MAX)) differing += 1;
    done += 1;
    if (done % CHUNK === 0) console.log(progress(done, differing, begun));
  }
  console.log(`${progress(done, differing, begun)}\nof seed ${seed}, shard ${values.shard}:\n${tally.print(done)}`);
  return differing === 0 ? 0 : 1;
}

function progress(done: number, differing: number, begun: number): string {
  const rate = Math.round(done / ((performance.now() - begun) / 1000));
  return `${done} cases, ${differing} differences, ${rate} cases/s`;
}

function tellDifference(seed: number, index: number, tally: Tally, isTold: boolean): boolean {
  const options = { isStrict: values.strict };
  const judged = judgedCase(seed);
  const { traits, difference } = compareJudges(judged, options);
  for (const trait of traits) tally.add(trait);
  if (difference === null) return false;
  if (!isTold) return true;
  const kind = headOf(difference);
  const small = shrinkCase(judged, (smaller) => headOf(differenceOf(smaller, options)) === kind);
  const also = judged.conformsByConstruction ? '\n(whole by construction)' : '';
  console.log(
    `\ncase ${index}: ${kind}${also}\n${values.only === undefined ? '' : `${describeCase(judged)}\n\nsmall:\n`}${describeCase(small)}\n`,
  );
  return true;
}

/** A smaller case may be one of which a judge knows too little. */
function differenceOf(...compared: Parameters<typeof compareJudges>): string | null {
  try {
    return compareJudges(...compared).difference;
  } catch {
    return null;
  }
}

function headOf(difference: string | null): string | null {
  return difference?.split('\n')[0] ?? null;
}

process.exitCode = run();
