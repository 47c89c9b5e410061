import fc from 'fast-check';
import type { Scenario, StartOptions } from '../system/index.ts';
import type { Outcome } from '../verdict/index.ts';
import { anyPlan, scenarioOf, type Plan } from './plan.ts';

export interface FuzzOptions {
  readonly runs: number;
  readonly seed: number;
  /** Fixed parts of every run: dispatch, mutants. */
  readonly start: Partial<StartOptions>;
  /** Executions spent on shrinking, at most. Default 60. */
  readonly shrinksMax?: number;
}

/** What one execution came to: `outcome` over all specs, and which specs it said anything about. */
export interface Execution {
  readonly outcome: Outcome;
  readonly judged: readonly string[];
}

/** Does it show what the fuzzer looks for? */
export const isBroken = ({ outcome }: Execution): boolean => outcome !== 'conforms' && outcome !== 'vacuous';

export type FuzzResult =
  | { readonly kind: 'held'; readonly runs: number; readonly judged: ReadonlySet<string> }
  | {
      readonly kind: 'broken';
      readonly scenario: Scenario;
      readonly plan: Plan;
      /** Executions in all, and how many of them went into shrinking. */
      readonly runs: number;
      readonly shrinks: number;
      /** The shrinking budget was used up: there may be a smaller case. */
      readonly isShrinkingCut: boolean;
    };

const SHRINKS_MAX = 60;

/** Looks for a scenario whose trace breaks a drawing, and for the smallest such. Deterministic in what it tries: same seed, same plans. */
export async function fuzz(
  options: FuzzOptions,
  execute: (scenario: Scenario) => Promise<Execution>,
): Promise<FuzzResult> {
  const shrinksMax = options.shrinksMax ?? SHRINKS_MAX;
  const judged = new Set<string>();
  let [runs, shrinks, hasFailed] = [0, 0, false];
  const property = fc.asyncProperty(anyPlan, async (plan) => {
    if (hasFailed && shrinks >= shrinksMax) return true;
    if (hasFailed) shrinks++;
    runs++;
    const execution = await execute(scenarioOf(plan, options.start));
    for (const name of execution.judged) judged.add(name);
    if (isBroken(execution)) hasFailed = true;
    return !isBroken(execution);
  });
  const details = await fc.check(property, { numRuns: options.runs, seed: options.seed, endOnFailure: false });
  if (!details.failed) return { kind: 'held', runs, judged };
  const [plan] = details.counterexample ?? [];
  if (plan === undefined)
    throw details.errorInstance instanceof Error
      ? details.errorInstance
      : new Error('the fuzzer failed without a case');
  return {
    kind: 'broken',
    plan,
    scenario: scenarioOf(plan, options.start),
    runs,
    shrinks,
    isShrinkingCut: shrinks >= shrinksMax,
  };
}
