import {
  AlignmentSearch,
  type AlignmentStep,
  type Floor,
  type RunToAlign,
  type SearchBudget,
} from './alignment-search.ts';
import { readingsOfEvent } from './candidates.ts';
import { receiptOf, sendOf } from './occurrence.ts';
import type { Machine } from './run.ts';
import { BoundMet } from './terms.ts';

type Messages = ReadonlySet<number>;

/**
 * The steps of a cheapest alignment; throws `BoundMet`. Where events come again and again that serve other instances too, the
 * messages of this one alone are aligned first: that is soon done, and all together costs at least as much. Else one event of
 * others more or less would be tried before each letter, for every fault of this instance that is still to come.
 *
 * `apart`: sets of messages that are aligned by themselves, each within the next; any will do, and change only what it takes.
 */
export function cheapestAlignment(
  run: RunToAlign,
  budget: SearchBudget,
  apart: readonly Messages[] = messagesApart(run),
): readonly AlignmentStep[] {
  const readings = readingsOf(run);
  let floor: Floor | undefined;
  let known = 0;
  for (const chosen of apart) {
    const counted = closed(chosen, readings);
    if (counted.size === known) continue;
    known = counted.size;
    const cost = costWithin(withoutOthers(run, counted), budget, floor);
    if (cost !== null) floor = { cost, counts: (message) => counted.has(message) };
  }
  return new AlignmentSearch(run, budget, floor).find();
}

/** Those with the key, and those that events of this instance alone can be. */
function messagesApart(run: RunToAlign): readonly Messages[] {
  const { machine, letters, isOwn, isRight = false } = run;
  const readings = readingsOf(run);
  const shared = new Set(letters.flatMap((letter, place) => (isOwn(letter) ? [] : (readings[place] ?? []))));
  const isRecurring = (message: number): boolean => machine.recurring.has(baseOf(machine, message));
  if (isRight || ![...shared].some(isRecurring)) return [];
  // What is seen at its receipt alone is taken for as few sends as will do, and with less in the way these are others.
  for (const { unsent } of letters) for (const message of unsent?.keys() ?? []) shared.add(message);
  const { messages } = machine.contract;
  const own = messages.map(({ index }) => index).filter((message) => !shared.has(message));
  const keyed = own.filter((message) => messages[baseOf(machine, message)]?.keyed === true);
  return [keyed, own].map((chosen) => new Set(chosen));
}

/**
 * Without those that an event can be which can be another message too: left out of a run with their events, all others leave a run
 * of these.
 */
function closed(chosen: Messages, readings: readonly (readonly number[])[]): Messages {
  const kept = new Set(chosen);
  for (let before = -1; before !== kept.size;) {
    before = kept.size;
    for (const alike of readings)
      if (!alike.every((message) => kept.has(message))) for (const message of alike) kept.delete(message);
  }
  return kept;
}

/** By letter: all that it can be taken for, and all copies of that, since a message is one with its copies. */
function readingsOf({ machine, letters }: RunToAlign): readonly (readonly number[])[] {
  return letters.map(({ labelled }) => {
    const bases = new Set(readingsOfEvent(labelled).map((message) => baseOf(machine, message)));
    return machine.contract.messages.map(({ index }) => index).filter((index) => bases.has(baseOf(machine, index)));
  });
}

const baseOf = ({ bases }: Machine, message: number): number => bases[message] ?? message;

/** The run as if no other message were drawn. Nothing of it is seen at its receipt alone, so no letter need know of such. */
function withoutOthers(run: RunToAlign, counted: Messages): RunToAlign {
  const { machine, letters } = run;
  const { contract, deriver, terms } = machine;
  const others = contract.messages.map(({ index }) => index).filter((index) => !counted.has(index));
  const erased = terms.sets.of(others.flatMap((index) => [sendOf(index), receiptOf(index)]));
  return {
    ...run,
    machine: { ...machine, initial: deriver.erase(machine.initial, erased) },
    letters: letters
      .filter(({ labelled }) => readingsOfEvent(labelled).every((message) => counted.has(message)))
      .map(({ labelled, end, position, tag }) => ({ labelled, end, position, tag })),
  };
}

/** The cost of the alignment, found with half of what may still be spent; null: that is not enough. */
function costWithin(run: RunToAlign, budget: SearchBudget, floor: Floor | undefined): number | null {
  const { deriver } = run.machine;
  const { stepsLeft } = deriver;
  const [states, steps] = [Math.floor(budget.statesLeft / 2), Math.floor(stepsLeft / 2)];
  const half: SearchBudget = { statesLeft: states };
  deriver.allowSteps(steps);
  try {
    return costOf(new AlignmentSearch(run, half, floor).find());
  } catch (error) {
    if (!(error instanceof BoundMet)) throw error;
    return null;
  } finally {
    budget.statesLeft -= states - Math.max(0, half.statesLeft);
    // Of an unbounded number nothing was spent.
    deriver.allowSteps(stepsLeft === Infinity ? Infinity : stepsLeft - (steps - Math.max(0, deriver.stepsLeft)));
  }
}

const EDITS: ReadonlySet<AlignmentStep['kind']> = new Set(['skip', 'add', 'wrong-status', 'wrong-guard']);

const costOf = (steps: readonly AlignmentStep[]): number => steps.filter(({ kind }) => EDITS.has(kind)).length;
