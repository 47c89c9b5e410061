import type { Outcome, RunVerdict, SpecVerdict } from './types.ts';

/** One run, one code: the first outcome in this order that occurs decides. 2 is kept for errors of the author. */
const BY_PRECEDENCE: readonly (readonly [Outcome, RunVerdict['exitCode']])[] = [
  ['violates', 1],
  ['incomplete', 3],
  ['inconclusive', 3],
  ['vacuous', 4],
  ['conforms', 0],
];

/** The outcome of several together. Nothing at all is vacuous: an empty run is never green. */
export function worstOf(outcomes: readonly Outcome[]): Outcome {
  return BY_PRECEDENCE.find(([outcome]) => outcomes.includes(outcome))?.[0] ?? 'vacuous';
}

export function exitCodeOf(outcome: Outcome): RunVerdict['exitCode'] {
  const row = BY_PRECEDENCE.find(([name]) => name === outcome);
  if (row === undefined) throw new Error(`no exit code for outcome ${outcome}: the table lists them all`);
  return row[1];
}

/** `replay`: a line to paste that repeats the run. `minCoverage`: percent; a run that conforms and covers less has exit code 1. */
export function judgeRun(specs: readonly SpecVerdict[], replay?: string, minCoverage?: number): RunVerdict {
  const outcome = worstOf(specs.map((spec) => spec.outcome));
  const run: RunVerdict = {
    v: 1,
    outcome,
    exitCode: exitCodeOf(outcome),
    specs,
    ...(replay === undefined ? {} : { replay }),
    ...(minCoverage === undefined ? {} : { minCoverage: { percent: minCoverage, reached: coverageOfRun(specs) } }),
  };
  return run.exitCode === 0 && isUncovered(run) ? { ...run, exitCode: 1 } : run;
}

/** The run shows less of its drawings than was asked for. */
export const isUncovered = ({ minCoverage }: RunVerdict): boolean =>
  minCoverage !== undefined && minCoverage.reached < minCoverage.percent;

/** Percent of all that the drawings hold and the traces could show, rounded down. */
function coverageOfRun(specs: readonly SpecVerdict[]): number {
  const seen = specs.reduce((sum, { coverage }) => sum + coverage.seen, 0);
  return percentOf(
    seen,
    specs.reduce((sum, { coverage }) => sum + coverage.possible, 0),
  );
}

/** Rounded down, so that 100 means all; 0 of nothing. */
export const percentOf = (part: number, whole: number): number => (whole === 0 ? 0 : Math.floor((100 * part) / whole));
