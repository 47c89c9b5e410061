import { holdsConcurrent } from '../contract/index.ts';
import { AlignmentEstimate } from './alignment-estimate.ts';
import { BestFirst } from './best-first.ts';
import { readingsOfEvent } from './candidates.ts';
import { NONE, type OccurrenceSet } from './occurrence-sets.ts';
import { Flights, type Flying, type OnTheWay } from './on-the-way.ts';
import { isReceipt, messageOf, receiptOf, sendOf, type Occurrence } from './occurrence.ts';
import type { Relation, Relations } from './relation.ts';
import { candidatesOf, stepTerm, type Letter, type Machine } from './run.ts';
import { BoundMet, FAIL, type Term } from './terms.ts';

/** One run of one instance, to be aligned with its drawing. */
export interface RunToAlign {
  readonly machine: Machine;
  /** Its own letters, in order. */
  readonly letters: readonly Letter[];
  /** They must be a whole execution; else the beginning of one is enough. */
  readonly isWhole: boolean;
  /** They are right as they stand, and only what is behind them is missing: nothing else is edited. */
  readonly isRight?: boolean;
  /** The event shows the whole key of the instance: it belongs to no other. */
  readonly isOwn: (letter: Letter) => boolean;
}

/**
 * One step of an alignment. `place`: the letter that is taken or left out; of a message that is added, the letter before which it
 * is added. `pass` costs nothing: the event is another instance's, or the receipt of one that was left out.
 */
export type AlignmentStep =
  | { readonly kind: 'take' | 'wrong-status' | 'wrong-guard'; readonly place: number; readonly message: number }
  | { readonly kind: 'skip' | 'pass' | 'begin-again'; readonly place: number }
  | { readonly kind: 'add'; readonly place: number; readonly message: number; readonly tag: number }
  | { readonly kind: 'receive-added'; readonly place: number; readonly message: number; readonly tag: number };

/** What the edits of some of the messages cost at least, all together, whatever becomes of the others. */
export interface Floor {
  readonly cost: number;
  /** Is the message one of them? An event can be such messages only, or none. */
  readonly counts: (message: number) => boolean;
}

const NO_FLOOR: Floor = { cost: 0, counts: () => true };

/** How many states may still be reached; shared by all searches of one check. */
export interface SearchBudget {
  statesLeft: number;
}

/** Alignments of more edits than this tell nobody anything. */
export const EDITS_MAX = 1_000;

/** What was taken so far, as far as it decides which events other instances may share: see `Run` on events without the whole key. */
interface Memory {
  readonly number: number;
  readonly past: readonly number[];
  /** An event with the whole key was taken. */
  readonly isBorn: boolean;
}

interface State {
  readonly place: number;
  readonly term: Term;
  /** The occurrence that was added last, if nothing was taken since; else -1. */
  readonly lastAdded: Occurrence;
  readonly onTheWay: OnTheWay;
  readonly memory: Memory;
  readonly cost: number;
  /** How many of the edits leave an event out. */
  readonly skips: number;
  /** How many of the edits are of messages that the floor does not count. */
  readonly beside: number;
  /** Of an alignment through this state. */
  readonly costMin: number;
  readonly from: State | null;
  readonly step: AlignmentStep | null;
}

type Successor = Partial<Pick<State, 'place' | 'term' | 'lastAdded' | 'onTheWay' | 'memory'>>;

const NOTHING_ADDED = -1;

/** What is added: messages that no letter can be; or, later, those that one can be: all, those that the floor counts, or the others. */
type Additions = 'due' | 'late' | 'late counted' | 'late beside';

/**
 * The cheapest edits that make the letters an execution of the drawing (A*). An edit leaves an event out, adds a message, or
 * takes an event although its status or its guard is wrong; each costs 1. The order of edits that do not touch each other is
 * fixed, or every permutation of them would be searched: what is added is added as late as it can be, so right before the
 * letter that waits for it; of two that are independent of each other, the lower occurrence first.
 */
export class AlignmentSearch {
  readonly #run: RunToAlign;
  readonly #budget: SearchBudget;
  readonly #floor: Floor;
  readonly #estimate: AlignmentEstimate;
  readonly #flights = new Flights();
  readonly #memories = new Map<string, Memory>();
  readonly #shared: ReadonlySet<number>;
  readonly #lastShared: number;
  readonly #relations: Relations;
  readonly #composed: readonly Relation[] | null;
  readonly #before = new Map<Occurrence, OccurrenceSet>();
  readonly #sends = new Map<OccurrenceSet, readonly Occurrence[]>();
  readonly #queue = new BestFirst<{ readonly state: State; readonly additions: Additions | null }>();
  readonly #reached = new Map<string, number>();

  constructor(run: RunToAlign, budget: SearchBudget, floor: Floor = NO_FLOOR) {
    const { machine, letters, isOwn } = run;
    this.#run = run;
    this.#budget = budget;
    this.#floor = floor;
    this.#estimate = new AlignmentEstimate(machine, letters, isOwn);
    const shared = letters.filter((letter) => !isOwn(letter));
    this.#lastShared = letters.findLastIndex((letter) => !isOwn(letter));
    const kept = shared.flatMap(candidatesOf).map((message) => this.#baseOf(message));
    this.#shared = new Set(kept.filter((message) => !machine.recurring.has(message)));
    this.#relations = machine.relations;
    this.#composed = composedRelations(machine);
  }

  /** The steps from the first letter to the last; throws `BoundMet`. */
  find(): readonly AlignmentStep[] {
    const { machine, letters, isWhole } = this.#run;
    this.#reach({
      place: 0,
      term: machine.initial,
      lastAdded: NOTHING_ADDED,
      onTheWay: this.#flights.none,
      memory: this.#memory([], false),
      cost: 0,
      skips: 0,
      beside: 0,
      costMin: 0,
      from: null,
      step: null,
    });
    for (let next = this.#queue.take(); next !== undefined; next = this.#queue.take()) {
      const { state, additions } = next;
      if (rankOf(state) > (this.#reached.get(keyOf(state)) ?? Infinity)) continue;
      if (state.place === letters.length && (!isWhole || machine.deriver.accepts(state.term))) return stepsTo(state);
      if (additions !== null) this.#addMessages(state, additions);
      else this.#expand(state);
    }
    throw new BoundMet(`${EDITS_MAX} edits`);
  }

  /** What is tried first is reached last: the queue gives back the latest of equals. */
  #expand(state: State): void {
    const { letters } = this.#run;
    const letter = letters[state.place];
    if (letter !== undefined && state.lastAdded === NOTHING_ADDED) this.#leaveOut(state, letter);
    if (letter === undefined ? this.#run.isWhole : !this.#isRight && this.#waitsFor(state, letter) !== NONE) {
      this.#queueLateAdditions(state);
      this.#addMessages(state, 'due');
      for (const flying of state.onTheWay.added)
        this.#receiveAdded(state, flying, this.#flights.withoutAdded(state.onTheWay, flying));
    }
    if (letter === undefined) this.#receiveTheRest(state);
    else if (letter.end === 'receive') this.#receive(state, letter);
    else this.#take(state, letter);
  }

  // --- Letters -----------------------------------------------------------------------------------------------------

  #take(state: State, letter: Letter): void {
    const { messages, wrongStatus, rules } = letter.labelled;
    if (!this.#isRight) {
      for (const message of rules?.denied ?? []) this.#takeAs(state, letter, 'wrong-guard', message);
      // Also where its status fits another message: the branch that it tells of may be the one that was not meant.
      for (const message of wrongStatus.toReversed()) this.#takeAs(state, letter, 'wrong-status', message);
    }
    for (const message of messages.toReversed()) this.#takeAs(state, letter, 'take', message);
  }

  #takeAs(state: State, letter: Letter, kind: 'take' | 'wrong-status' | 'wrong-guard', message: number): void {
    const base = this.#baseOf(message);
    const tag = this.#flights.freeTag(state.onTheWay, base);
    if (!this.#isDue(state, sendOf(message)) && (letter.end === 'send' || !this.#isDue(state, receiptOf(base)))) return;
    const term = this.#step(state.term, letter, message, tag);
    const { place, onTheWay } = state;
    this.#move(state, { kind, place, message }, kind === 'take' ? 0 : 1, {
      place: place + 1,
      term,
      lastAdded: NOTHING_ADDED,
      onTheWay:
        letter.end === 'send'
          ? this.#flights.withEvent(onTheWay, letter.labelled.index, { message: base, tag })
          : onTheWay,
      memory: this.#remember(state.memory, base, this.#run.isOwn(letter)),
    });
  }

  #step(term: Term, letter: Letter, message: number, tag: number): Term {
    return stepTerm(this.#run.machine, term, message, { ...letter, tag });
  }

  #receive(state: State, letter: Letter): void {
    const { place, onTheWay, term } = state;
    const { index } = letter.labelled;
    const flying = onTheWay.events.get(index);
    if (flying === undefined || flying === null || !this.#isDue(state, receiptOf(flying.message))) return;
    const { message, tag } = flying;
    this.#move(state, { kind: 'take', place, message }, 0, {
      place: place + 1,
      term: this.#step(term, letter, message, tag),
      lastAdded: NOTHING_ADDED,
      onTheWay: this.#flights.withoutEvent(onTheWay, index),
    });
  }

  #leaveOut(state: State, letter: Letter): void {
    const { place, onTheWay } = state;
    const { index } = letter.labelled;
    if (letter.end === 'receive') {
      const flying = onTheWay.events.get(index);
      if (flying === null)
        this.#move(state, { kind: 'pass', place }, 0, {
          place: place + 1,
          onTheWay: this.#flights.withoutEvent(onTheWay, index),
        });
      // Its send belongs to an earlier run.
      if (flying === undefined) this.#skip(state, { place: place + 1 });
      return;
    }
    const without = {
      place: place + 1,
      onTheWay: letter.end === 'send' ? this.#flights.withEvent(onTheWay, index, null) : onTheWay,
    };
    if (!this.#isPast(state, letter)) this.#skip(state, without);
    else {
      this.#move(state, { kind: 'pass', place }, 0, without);
      if (!state.memory.isBorn) this.#beginAgain(state, letter);
    }
  }

  #skip(state: State, without: Successor): void {
    if (!this.#isRight) this.#move(state, { kind: 'skip', place: state.place }, 1, without);
  }

  get #isRight(): boolean {
    return this.#run.isRight === true;
  }

  // --- Messages that are added -------------------------------------------------------------------------------------

  /**
   * A message that some later letter can be is not one of those that must be added at least: to add it all the same costs one edit
   * more than the estimate says, so it is not even tried before that.
   */
  #queueLateAdditions(state: State): void {
    const costMin = Math.max(state.costMin, state.cost + this.#estimateOf(state) + 1);
    // One more of what the floor does not count costs what that does, and one edit more.
    const besideMin = Math.max(costMin, this.#floor.cost + state.beside + 1);
    this.#queueAdditions(state, costMin, besideMin === costMin ? 'late' : 'late counted');
    if (besideMin > costMin) this.#queueAdditions(state, besideMin, 'late beside');
  }

  #queueAdditions(state: State, costMin: number, additions: Additions): void {
    // As far on as a state in which the letter is left out, and tried before it.
    if (costMin <= EDITS_MAX) this.#queue.add(costMin, state.place + 1, { state, additions });
  }

  #isAmong(message: number, additions: Additions, place: number): boolean {
    const canWait = !this.#run.isWhole || this.#estimate.isProvided(message, place);
    if (additions === 'due' || !canWait) return (additions === 'due') !== canWait;
    return additions === 'late' || this.#floor.counts(message) === (additions === 'late counted');
  }

  #addMessages(state: State, additions: Additions): void {
    const { place, term, onTheWay, memory } = state;
    const { deriver } = this.#run.machine;
    for (const send of this.#sendsIn(term)) {
      const message = messageOf(send);
      if (!this.#isAmong(message, additions, place) || !this.#mayBeAddedNow(state, send)) continue;
      const base = this.#baseOf(message);
      const tag = this.#flights.freeTag(onTheWay, base);
      const sent = deriver.after(term, deriver.tagged(send, tag));
      if (sent === FAIL) continue;
      const isLost = this.#isLost(message);
      this.#move(state, { kind: 'add', place, message, tag }, 1, {
        term: isLost ? deriver.anywhere(sent, deriver.tagged(receiptOf(base), tag)) : sent,
        lastAdded: this.#asLastAdded(place, send),
        onTheWay: isLost ? onTheWay : this.#flights.withAdded(onTheWay, { message: base, tag }),
        memory: this.#remember(memory, base, true),
      });
    }
  }

  #receiveAdded(state: State, { message, tag }: Flying, onTheWay: OnTheWay): void {
    const receipt = receiptOf(message);
    if (!this.#mayBeAddedNow(state, receipt)) return;
    const { deriver } = this.#run.machine;
    this.#move(state, { kind: 'receive-added', place: state.place, message, tag }, 0, {
      term: deriver.after(state.term, deriver.tagged(receipt, tag)),
      lastAdded: this.#asLastAdded(state.place, receipt),
      onTheWay,
    });
  }

  /** The last first. */
  #sendsIn(term: Term): readonly Occurrence[] {
    const { terms } = this.#run.machine;
    const alphabet = terms.alphabet(term);
    let sends = this.#sends.get(alphabet);
    if (sends === undefined) {
      sends = terms.sets
        .members(alphabet)
        .filter((occurrence) => !isReceipt(occurrence))
        .reverse();
      this.#sends.set(alphabet, sends);
    }
    return sends;
  }

  /** Behind the last letter nothing is left that could wait for it, and the estimate is exact: any order will do. */
  #asLastAdded(place: number, occurrence: Occurrence): Occurrence {
    return place < this.#run.letters.length ? occurrence : NOTHING_ADDED;
  }

  /** Events whose receipt belongs to the next run, or was never shown. */
  #receiveTheRest(state: State): void {
    for (const [index, flying] of state.onTheWay.events)
      if (flying !== null) this.#receiveAdded(state, flying, this.#flights.withoutEvent(state.onTheWay, index));
  }

  /** Must what was added last come before this? */
  #isDue({ lastAdded }: State, later: Occurrence): boolean {
    return lastAdded === NOTHING_ADDED || this.#dependsOn(lastAdded, later);
  }

  #mayBeAddedNow(state: State, occurrence: Occurrence): boolean {
    const letter = this.#run.letters[state.place];
    if (letter !== undefined && !this.#run.machine.terms.sets.has(this.#waitsFor(state, letter), occurrence))
      return false;
    return occurrence > state.lastAdded || this.#dependsOn(state.lastAdded, occurrence);
  }

  /** All that can be in the way of the letter: what is drawn before what it can be, and before that. */
  #waitsFor({ term, onTheWay }: State, { labelled, end }: Letter): OccurrenceSet {
    const { terms } = this.#run.machine;
    const { sets } = terms;
    if (end === 'receive') {
      const flying = onTheWay.events.get(labelled.index);
      return flying === undefined || flying === null ? NONE : this.#allBefore(receiptOf(flying.message));
    }
    const alphabet = terms.alphabet(term);
    return readingsOfEvent(labelled)
      .filter((message) => sets.has(alphabet, sendOf(message)))
      .map((message) => this.#allBefore(end === 'send' ? sendOf(message) : receiptOf(this.#baseOf(message))))
      .reduce((all, before) => sets.union(all, before), NONE);
  }

  #allBefore(occurrence: Occurrence): OccurrenceSet {
    let known = this.#before.get(occurrence);
    if (known === undefined) this.#before.set(occurrence, (known = this.#findAllBefore(occurrence)));
    return known;
  }

  /** With the occurrence itself. */
  #findAllBefore(occurrence: Occurrence): OccurrenceSet {
    const { contract, deriver, terms } = this.#run.machine;
    const { sets } = terms;
    if (this.#composed === null)
      return sets.of(contract.messages.flatMap(({ index }) => [sendOf(index), receiptOf(index)]));
    const withSends = (set: OccurrenceSet): OccurrenceSet =>
      sets.of(sets.members(set).flatMap((own) => [own, sendOf(messageOf(deriver.drawn(own)))]));
    let [found, last] = [withSends(sets.only(occurrence)), NONE];
    while (found !== last) {
      last = found;
      const earlier = this.#composed.map((relation) => deriver.beforeAny(relation, found));
      found = withSends(earlier.reduce((all, before) => sets.union(all, before), found));
    }
    return found;
  }

  /** May the order of the drawing put what was added before `later`, wherever the two stand? */
  #dependsOn(added: Occurrence, later: Occurrence): boolean {
    if (this.#composed === null || messageOf(added) === messageOf(later)) return true;
    // What is added as lost was taken out of the way with both its ends.
    const ends = this.#isLost(messageOf(added)) ? [added, receiptOf(messageOf(added))] : [added];
    return this.#composed.some((relation) => ends.some((end) => this.#relations.related(relation, end, later)));
  }

  /** One that may be lost is added as a lost one: nothing waits for its receipt. */
  #isLost(message: number): boolean {
    return this.#run.machine.contract.messages[this.#baseOf(message)]?.receipt !== undefined;
  }

  // --- Events that several instances share -------------------------------------------------------------------------

  #isPast({ memory }: State, letter: Letter): boolean {
    if (this.#run.isOwn(letter)) return false;
    return candidatesOf(letter).every((message) => memory.past.includes(this.#baseOf(message)));
  }

  /** An instance that was not born yet follows the latest beginning. */
  #beginAgain(state: State, letter: Letter): void {
    const { initial } = this.#run.machine;
    const { place } = state;
    const left = this.#flights.allLeftOut(state.onTheWay);
    for (const message of candidatesOf(letter).toReversed()) {
      const base = this.#baseOf(message);
      this.#move(state, { kind: 'begin-again', place }, 0, {
        place: place + 1,
        term: this.#step(initial, letter, message, 0),
        onTheWay:
          letter.end === 'send'
            ? this.#flights.withEvent(left, letter.labelled.index, { message: base, tag: 0 })
            : left,
        memory: this.#remember(this.#memory([], false), base, false),
      });
    }
  }

  #remember(memory: Memory, message: number, isOwn: boolean): Memory {
    if (this.#lastShared < 0) return memory;
    const isNew = this.#shared.has(message) && !memory.past.includes(message);
    if (!isNew && (memory.isBorn || !isOwn)) return memory;
    return this.#memory(isNew ? [...memory.past, message] : memory.past, memory.isBorn || isOwn);
  }

  #memory(past: readonly number[], isBorn: boolean): Memory {
    const sorted = [...past].sort((a, b) => a - b);
    const key = `${isBorn ? 1 : 0}:${sorted.join()}`;
    let known = this.#memories.get(key);
    if (known === undefined) this.#memories.set(key, (known = { number: this.#memories.size, past: sorted, isBorn }));
    return known;
  }

  // --- States ------------------------------------------------------------------------------------------------------

  #move(from: State, step: AlignmentStep, price: number, to: Successor): void {
    if (to.term === FAIL) return;
    const skips = from.skips + (step.kind === 'skip' ? 1 : 0);
    const beside = from.beside + (price > 0 && !this.#isCounted(step) ? price : 0);
    this.#reach({ ...from, ...to, cost: from.cost + price, skips, beside, from, step });
  }

  /** Is the edit about a message that the floor counts? */
  #isCounted(edit: AlignmentStep): boolean {
    if ('message' in edit) return this.#floor.counts(edit.message);
    const letter = this.#run.letters[edit.place];
    return letter === undefined || readingsOfEvent(letter.labelled).every(this.#floor.counts);
  }

  #reach(state: State): void {
    const key = keyOf(state);
    if (rankOf(state) >= (this.#reached.get(key) ?? Infinity)) return;
    this.#reached.set(key, rankOf(state));
    // Never less than before: the estimate of the state that it was reached from holds for this one too.
    const atLeast = Math.max(state.costMin, this.#floor.cost + state.beside);
    const costMin = Math.max(atLeast, state.cost + this.#estimateOf(state));
    if (costMin > EDITS_MAX) return;
    if (--this.#budget.statesLeft < 0) throw new BoundMet('states of the search');
    const position = state.lastAdded === NOTHING_ADDED ? state.place : state.place + 1;
    this.#queue.add(costMin, position, { state: { ...state, costMin }, additions: null });
  }

  #estimateOf({ term, place, memory }: State): number {
    const missing = (of: Term): number => (this.#run.isWhole ? this.#estimate.missing(of, place) : 0);
    const found = missing(term) + this.#estimate.useless(term, place);
    const mayBeginAgain = !memory.isBorn && place <= this.#lastShared;
    return mayBeginAgain ? Math.min(found, missing(this.#run.machine.initial)) : found;
  }

  #baseOf(message: number): number {
    return this.#run.machine.bases[message] ?? message;
  }
}

/** The cost; of two that cost the same, rather a message is missing than an event is one too many. */
const rankOf = ({ cost, skips }: State): number => cost * (EDITS_MAX + 1) + skips;

const keyOf = ({ place, term, lastAdded, onTheWay, memory }: State): string =>
  `${place},${term},${lastAdded},${onTheWay.number},${memory.number}`;

function stepsTo(state: State): readonly AlignmentStep[] {
  const steps: AlignmentStep[] = [];
  for (let at: State | null = state; at !== null; at = at.from) if (at.step !== null) steps.push(at.step);
  return steps.reverse();
}

/**
 * The relations by which parts of the contract are composed; null: what enters a guarded operand or a critical fragment comes before
 * all of it, so nothing is known to be independent.
 */
function composedRelations({ contract, relations }: Machine): readonly Relation[] | null {
  if (contract.messages.some(({ entry }) => entry !== undefined)) return null;
  const { order } = contract;
  const pipelines: readonly Relation[] = holdsConcurrent(contract.term) ? [relations.pipeline] : [];
  return [...new Set([order, relations.between, ...pipelines])];
}
