import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { arbitraryCase, describeCase, judgedCase, seedOf, type JudgedCase } from '../testing/index.ts';
import { candidatesOfEvent } from './candidates.ts';
import { machineOf } from './check.ts';
import { lettersOf } from './instance.ts';
import { Labeller, labellerOptions } from './labels.ts';
import { stepTerm, type Letter, type Machine } from './machine.ts';
import { Recovery } from './recovery.ts';
import { candidatesOf, Run } from './run.ts';
import { withTags } from './tags.ts';
import { FAIL, TERMS_MAX } from './terms.ts';
import { withUnsent } from './unsent.ts';

const SEED = 20_261_201;
const CASES = 1_500;
const DRAWN_CASES = 4_000;

function lettersIn(machine: Machine, { contract, events }: Pick<JudgedCase, 'contract' | 'events'>): readonly Letter[] {
  const labeller = new Labeller(contract, labellerOptions({ begun: true, events }));
  const inside = events
    .map((sourced, index) => ({ ...labeller.label(sourced.event), index, sourced }))
    .filter((labelled) => candidatesOfEvent(labelled).length > 0);
  return withUnsent(withTags(lettersOf(inside, null, contract), machine.lookAlikes), machine);
}

/** Is this a way through the drawing? */
function goesThrough(machine: Machine, letters: readonly Letter[], messageOf: (letter: Letter) => number): boolean {
  let term = machine.initial;
  for (const letter of letters) term = term === FAIL ? FAIL : stepTerm(machine, term, messageOf(letter), letter);
  return term !== FAIL && machine.deriver.accepts(term);
}

/** How the first of its possible messages would be taken for each event, which may be a dead end. */
function takenGreedily(machine: Machine, letters: readonly Letter[]): ReadonlyMap<Letter, number> {
  let term = machine.initial;
  return new Map(
    letters.map((letter) => {
      const steps = candidatesOf(letter).map((message) => ({
        message,
        next: stepTerm(machine, term, message, letter),
      }));
      const allowed = steps.filter(({ next }) => next !== FAIL);
      term = machine.terms.alt(allowed.map(({ next }) => next));
      return [letter, allowed[0]?.message ?? -1];
    }),
  );
}

/** How a case stands: it did not go as drawn; it did; and the first of what each event can be would not have shown it. */
type Standing = 'failed' | 'conforming' | 'corrected';

function standingOf(judged: Pick<JudgedCase, 'contract' | 'events'>): Standing {
  const machine = machineOf(judged.contract, TERMS_MAX);
  const letters = lettersIn(machine, judged);
  const run = new Run(machine, new Recovery(machine, letters, true), { begun: true, complete: true });
  for (const letter of letters) run.take(letter, true);
  if (run.violations.length > 0 || !run.accepts) return 'failed';
  run.settle();
  const counts = [...run.taken.values()].reduce((sum, count) => sum + count, 0);
  expect(counts).toBe(letters.filter(({ end }) => end !== 'receive').length);
  if (!goesThrough(machine, letters, ({ labelled }) => run.assigned.get(labelled.index) ?? -1))
    throw new Error(`counted for what is not drawn:\n${describeCase(judged)}`);
  const greedy = takenGreedily(machine, letters);
  return goesThrough(machine, letters, (letter) => greedy.get(letter) ?? -1) ? 'conforming' : 'corrected';
}

describe('what the events of a run count for that went as drawn is a way through the drawing', () => {
  test(`in small contracts (seed ${SEED})`, () => {
    const found = { failed: 0, conforming: 0, corrected: 0 };
    fc.assert(
      fc.property(arbitraryCase(), (judged) => {
        found[standingOf(judged)]++;
      }),
      { seed: SEED, numRuns: CASES },
    );
    expect(found.conforming).toBeGreaterThan(CASES / 4);
    expect(found.corrected).toBeGreaterThan(2);
  });

  test(`in drawings with bindings (seed ${SEED})`, () => {
    const found = { failed: 0, conforming: 0, corrected: 0 };
    for (let index = 0; index < DRAWN_CASES; index++) {
      const { contract, events } = judgedCase(seedOf(SEED, index));
      if (contract.messages.every(({ entry }) => entry === undefined)) found[standingOf({ contract, events })]++;
    }
    expect(found.conforming).toBeGreaterThan(DRAWN_CASES / 10);
    expect(found.corrected).toBeGreaterThan(4);
  });
});
