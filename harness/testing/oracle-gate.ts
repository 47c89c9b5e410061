import { compareJudges, OTHER_READINGS } from './compare-judges.ts';
import { judgedCase, seedOf } from './judged-case.ts';
import { Tally } from './tally.ts';

// A gate must not turn red by chance, so its seed is fixed. `npm run oracle:naive` looks further.
const SEED = 20_260_101;

/** How many cases each part of the gate compares. */
export const GATE_CASES = Math.ceil(Number(process.env['ORACLE_CASES'] ?? 20_000) / 2);

/** What is wrong with one part of the gate: the first case on which the judges differ, else what was seen too rarely, or too often. */
export function gateFaults(part: 1 | 2): readonly string[] {
  const seen = new Tally();
  for (let index = 0; index < GATE_CASES; index++) {
    const number = 2 * index + part - 1;
    const { traits, difference } = compareJudges(judgedCase(seedOf(SEED, number)));
    for (const trait of traits) seen.add(trait);
    if (difference !== null) return [`case ${number}: ${difference}`];
  }
  return [...seen.rare(SHARES_MIN, GATE_CASES), ...seen.frequent(SHARES_MAX, GATE_CASES)];
}

/** The least share of the cases in which each is seen. */
const SHARES_MIN: Readonly<Record<string, number>> = {
  'one of the constructs': 0.5,
  'four lifelines': 0.6,
  ...Object.fromEntries(
    ['strict', 'lifeline', 'causal'].flatMap((order) =>
      ['conforms', 'viable', 'violates'].map((found) => [`${order} ${found}`, 0.02]),
    ),
  ),
  conforms: 0.25,
  viable: 0.1,
  violates: 0.15,
  'self message': 0.05,
  'reply of a call': 0.05,
  'bounded loop': 0.05,
  'unbounded loop': 0.05,
  'loop with a least number': 0.05,
  'nested loop': 0.05,
  each: 0.05,
  critical: 0.05,
  concurrent: 0.05,
  'critical with option': 0.05,
  break: 0.05,
  guarded: 0.05,
  keyed: 0.05,
  'not keyed': 0.05,
  'two instances': 0.05,
  'two runs': 0.05,
  alt: 0.05,
  opt: 0.05,
  par: 0.05,
  unordered: 0.05,
  ordered: 0.05,
  lifetime: 0.05,
  'two-ended': 0.05,
  overtaking: 0.05,
  'drawn overtaking': 0.03,
  'twin messages': 0.05,
  'hidden end': 0.05,
  'lost event': 0.05,
  'found or lost end': 0.05,
  'crossed or lost': 0.05,
  bridged: 0.001,
};

/** The greatest share of the cases in which each is seen. */
const SHARES_MAX: Readonly<Record<string, number>> = {
  'nothing to judge': 0.08,
  inconclusive: 0.005,
  'too intricate': 0.01,
  ...Object.fromEntries(OTHER_READINGS.map(({ name }) => [name, 0.005])),
};
