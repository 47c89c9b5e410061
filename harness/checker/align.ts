import type { Alignment, AlignmentEdit, InstanceVerdict, QuotedEvent } from '../verdict/index.ts';
import type { Contract } from '../contract/index.ts';
import { cheapestAlignment } from './alignment-floor.ts';
import type { AlignmentStep, SearchBudget } from './alignment-search.ts';
import { quote } from './quote.ts';
import { candidatesOf, type Letter, type Machine } from './run.ts';
import { BoundMet } from './terms.ts';

/** Bounds of aligning; what is beyond has no alignment, and says why. */
export interface AlignmentBounds {
  /** Failing instances of one contract that are aligned. */
  readonly instancesMax: number;
  /** Events of one instance, an event with two positions counted twice. */
  readonly lettersMax: number;
  /** States that the search for one instance may reach, and the derivatives that it may compute: some 10 µs each. */
  readonly statesMax: number;
  readonly stepsMax: number;
}

export const ALIGNMENT_BOUNDS: AlignmentBounds = {
  instancesMax: 20,
  lettersMax: 5_000,
  statesMax: 20_000,
  stepsMax: 20_000,
};

/** All instances of one contract together may cost this many times what one may. */
const INSTANCES_PAID = 2;
/** Edits that a verdict lists; the cost tells how many there are. */
const EDITS_LISTED = 20;
/** Distinct terms of all searches of one contract. */
const TERMS_OF_SEARCH = 200_000;

/** A run that failed, with all that is needed to align it later: only then is it known that nothing else is left to judge. */
export interface FailedRun {
  readonly verdict: InstanceVerdict;
  readonly contract: Contract;
  readonly letters: readonly Letter[];
  /** What must become of its letters: a whole run, or the beginning of one. */
  readonly isWhole: boolean;
  /** Nothing is wrong with it, but it is not over: only what is still to come is told. */
  readonly isRight?: boolean;
  /** The binding allows no such run, so all that is its own is one too many. */
  readonly isRefused?: boolean;
}

/** The first failed runs of a check, as many as are aligned. */
export class FailedRuns {
  readonly #max: number;
  readonly runs: FailedRun[] = [];
  readonly others = new Set<InstanceVerdict>();

  constructor(max: number = ALIGNMENT_BOUNDS.instancesMax) {
    this.#max = max;
  }

  /** `run` is asked for only if it is aligned: a trace may hold a hundred thousand failing instances. */
  add(verdict: InstanceVerdict, run: () => Omit<FailedRun, 'verdict'>): void {
    if (this.runs.length < this.#max) this.runs.push({ verdict, ...run() });
    else this.others.add(verdict);
  }
}

/**
 * For each failed run the cheapest edits that make it what the drawing allows; for one that is not over, if that is asked, what is still
 * to come. Runs where only a rule of the binding was broken (what must never occur, time, lifetimes) need none: they have no alignment. `makeMachine` makes a machine that only aligning uses, so that
 * its terms do not count as those of the check.
 */
export function alignRuns(
  { runs, others }: FailedRuns,
  makeMachine: (contract: Contract, termsMax: number) => Machine,
  bounds: AlignmentBounds = ALIGNMENT_BOUNDS,
): ReadonlyMap<InstanceVerdict, Alignment> {
  const found = new Map<InstanceVerdict, Alignment>();
  const aligner = new Aligner(makeMachine, bounds);
  for (const run of runs) {
    const alignment = aligner.align(run);
    if (alignment !== null) found.set(run.verdict, alignment);
  }
  for (const verdict of others)
    found.set(verdict, notComputed(`${bounds.instancesMax} failing instances of one drawing are aligned`));
  return found;
}

class Aligner {
  readonly #makeMachine: (contract: Contract, termsMax: number) => Machine;
  readonly #bounds: AlignmentBounds;
  #machine: Machine | null = null;
  #statesLeft: number;
  #stepsLeft: number;

  constructor(makeMachine: (contract: Contract, termsMax: number) => Machine, bounds: AlignmentBounds) {
    this.#makeMachine = makeMachine;
    this.#bounds = bounds;
    this.#statesLeft = INSTANCES_PAID * bounds.statesMax;
    this.#stepsLeft = INSTANCES_PAID * bounds.stepsMax;
  }

  align(run: FailedRun): Alignment | null {
    const letters = run.letters.filter((letter) => candidatesOf(letter).length > 0);
    if (letters.length > this.#bounds.lettersMax)
      return notComputed(`${this.#bounds.lettersMax} events of one instance`);
    const statesMax = Math.min(this.#bounds.statesMax, this.#statesLeft);
    const stepsMax = Math.min(this.#bounds.stepsMax, this.#stepsLeft);
    if (statesMax <= 0 || stepsMax <= 0) return notComputed('the states of all instances together');
    const budget: SearchBudget = { statesLeft: statesMax };
    try {
      const machine = this.#machineOf(run.contract);
      machine.deriver.allowSteps(stepsMax);
      const isOwn = isOwnOf(Object.keys(run.verdict.key));
      if (run.isRefused === true) return alignmentOf(run, letters, withoutAll(letters, isOwn));
      const { isWhole, isRight = false } = run;
      const steps = cheapestAlignment({ machine, letters, isWhole, isRight, isOwn }, budget);
      return alignmentOf(run, letters, steps);
    } catch (error) {
      if (!(error instanceof BoundMet)) throw error;
      return notComputed(budget.statesLeft < 0 ? `${statesMax} states of the search` : error.bound);
    } finally {
      this.#statesLeft -= statesMax - Math.max(0, budget.statesLeft);
      this.#stepsLeft -= stepsMax - Math.max(0, this.#machine?.deriver.stepsLeft ?? stepsMax);
    }
  }

  /** Instances share the terms of one contract; those of an `each` loop have a contract of their own. */
  #machineOf(contract: Contract): Machine {
    if (this.#machine?.contract !== contract) this.#machine = this.#makeMachine(contract, TERMS_OF_SEARCH);
    return this.#machine;
  }
}

const isOwnOf =
  (key: readonly string[]) =>
  ({ labelled }: Letter): boolean =>
    key.every((name) => labelled.values.has(name));

/** Each event that is its own is left out, once. */
const withoutAll = (letters: readonly Letter[], isOwn: (letter: Letter) => boolean): readonly AlignmentStep[] =>
  letters.flatMap((letter, place) =>
    letter.end !== 'receive' && isOwn(letter) ? [{ kind: 'skip', place } as const] : [],
  );

const notComputed = (bound: string): Alignment => ({ kind: 'not-computed', reason: `bound met: ${bound}` });

/** An edit, and the event at which it is made. */
interface PlacedEdit {
  readonly index: number;
  readonly edit: AlignmentEdit;
}

/** Null: the order was kept, so nothing needs to be edited. */
function alignmentOf(run: FailedRun, letters: readonly Letter[], steps: readonly AlignmentStep[]): Alignment | null {
  const ofSteps = steps.flatMap((step): PlacedEdit[] => {
    const edit = editOf(run.contract, letters, step);
    return edit === null ? [] : [{ index: letters[step.place]?.labelled.index ?? Infinity, edit }];
  });
  const placed = [...ofSteps];
  for (const surplus of surplusAnswers(run)) {
    const later = placed.findIndex(({ index }) => index > surplus.index);
    placed.splice(later < 0 ? placed.length : later, 0, surplus);
  }
  const edits = placed.map(({ edit }) => edit);
  return edits.length === 0 ? null : { kind: 'found', cost: edits.length, edits: edits.slice(0, EDITS_LISTED) };
}

/** Answers to calls that have theirs are to be left out, whatever else is done. */
function surplusAnswers({ contract, letters, verdict }: FailedRun): readonly PlacedEdit[] {
  const isOwn = isOwnOf(Object.keys(verdict.key));
  return letters.flatMap((letter): PlacedEdit[] => {
    const { index, rules } = letter.labelled;
    if (letter.end === 'receive' || rules === undefined || rules.second === null || !isOwn(letter)) return [];
    const arrow = contract.messages[rules.second]?.drawn ?? -1;
    return [{ index, edit: { kind: 'skip', event: quoted(letter), arrow } }];
  });
}

function editOf({ messages }: Contract, letters: readonly Letter[], step: AlignmentStep): AlignmentEdit | null {
  const arrowOf = (message: number | undefined): number => messages[message ?? -1]?.drawn ?? -1;
  const letter = letters[step.place];
  if (step.kind === 'add')
    return { kind: 'missing', arrow: arrowOf(step.message), before: letter === undefined ? null : quoted(letter) };
  if (letter === undefined) return null;
  switch (step.kind) {
    case 'skip':
      return { kind: 'skip', event: quoted(letter), arrow: arrowOf(candidatesOf(letter)[0]) };
    case 'wrong-guard':
      return { kind: 'guard', event: quoted(letter), arrow: arrowOf(step.message) };
    case 'wrong-status': {
      const isReceived = messages[step.message]?.receipt === 'never';
      return { kind: isReceived ? 'received' : 'status', event: quoted(letter), arrow: arrowOf(step.message) };
    }
    case 'take':
    case 'pass':
    case 'begin-again':
    case 'receive-added':
      return null;
  }
}

const quoted = ({ labelled }: Letter): QuotedEvent => quote(labelled.sourced);
