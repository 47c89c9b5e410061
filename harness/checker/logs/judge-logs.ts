import type { Deriver } from '../derive.ts';
import { NONE, type OccurrenceSet } from '../occurrence-sets.ts';
import { PairMemo } from '../pair-memo.ts';
import type { Occurrence } from '../relation.ts';
import { BoundMet, FAIL, type Term, type TermTable } from '../terms.ts';
import { ForcedBefore } from './forced-before.ts';
import { HiddenLinks } from './hidden-links.ts';
import { HiddenSteps } from './hidden-steps.ts';

/**
 * One entry of a log: any of `options` explains it, each of them occurrences that happen at one instant, in this order.
 * `isOptional`: it may also be none of this drawing's business.
 */
export interface LogEntry {
  readonly options: readonly (readonly Occurrence[])[];
  readonly isOptional?: boolean;
}

/** What one clock saw: entries in its order, and every occurrence that it would have shown. */
export interface Log {
  readonly shows: OccurrenceSet;
  readonly entries: readonly LogEntry[];
}

/**
 * What is asked of logs without a common clock:
 * - `whole`: some interleaving of them is a whole execution;
 * - `cut`: each may lack entries at its end, independently of the others (multi-prefix);
 * - `elimination`: as `cut`, but order *through* what is missing is not looked at, so more is allowed. The notion of HIBOU
 *   (Mahe et al.): kept to be compared with it.
 */
export type LogMode = 'whole' | 'cut' | 'elimination';

export interface LogBounds {
  /** Pairs of positions and terms visited, beside one for each entry: what a log costs that is read straight through. */
  readonly statesMax?: number;
  /** New results that the algebra may compute. */
  readonly stepsMax?: number;
}

export const LOG_STATES_MAX = 100_000;
export const LOG_STEPS_MAX = 2_000_000;

export type LogsJudgement =
  | { readonly outcome: 'conforms' }
  /** `furthest`: how many entries of each log one interleaving explains at most, by what was tried. */
  | { readonly outcome: 'violates'; readonly furthest: readonly number[] }
  | { readonly outcome: 'inconclusive'; readonly bound: string };

/** The interaction that logs are held against. */
export interface Interaction {
  readonly terms: TermTable;
  readonly deriver: Deriver;
  readonly initial: Term;
}

/** Is there an interleaving of the logs that the interaction allows? Exact, or `inconclusive` with the bound's name. */
export function judgeLogs(
  interaction: Interaction,
  logs: readonly Log[],
  options: { readonly mode: LogMode; readonly bounds?: LogBounds },
): LogsJudgement {
  return new LogJudge(interaction).judge(logs, options);
}

/** How far one log gets by itself, whatever others show, and what it could show from there on. */
export interface Stand {
  /** Entries that a run of the drawing explains. */
  readonly position: number;
  /** What it could show next, and what it could show now or later. */
  readonly next: readonly Occurrence[];
  readonly later: readonly Occurrence[];
  /** What it shows in every run from there on. */
  readonly owed: readonly Occurrence[];
  /** It lacks nothing: a run may show no more than this. */
  readonly isWhole: boolean;
  /** Of what it could show next, what may have to come before this. */
  readonly nextBefore: (later: Occurrence) => readonly Occurrence[];
}

const NO_READING: LogEntry = { options: [] };

/** A set of terms, all reached at the same positions of the logs. */
interface State {
  readonly positions: readonly number[];
  readonly terms: Set<Term>;
}

/** Judges many groups of logs by one interaction: what is learnt about its terms is kept. */
export class LogJudge {
  readonly #interaction: Interaction;
  readonly #forced: ForcedBefore;
  readonly #links: HiddenLinks;
  readonly #hiddenSteps = new Map<OccurrenceSet, HiddenSteps>();

  constructor(interaction: Interaction) {
    this.#interaction = interaction;
    this.#forced = new ForcedBefore(interaction.terms, interaction.deriver);
    this.#links = new HiddenLinks(interaction.terms, interaction.deriver);
  }

  judge(logs: readonly Log[], { mode, bounds = {} }: { mode: LogMode; bounds?: LogBounds }): LogsJudgement {
    const { stepsMax = LOG_STEPS_MAX } = bounds;
    return this.#bounded(bounds, {
      find: (statesMax) => new Search(this, logs, { mode, statesMax }).judge(),
      beyond: (error): LogsJudgement => {
        const bound = error.bound === 'steps of the search' ? `${stepsMax} ${error.bound}` : error.bound;
        return { outcome: 'inconclusive', bound };
      },
    });
  }

  /** How far the log gets by itself, without a look at its end; null: a bound was met. */
  stand(log: Log, bounds: LogBounds = {}): Stand | null {
    return this.#bounded(bounds, {
      find: (statesMax): Stand | null => new Search(this, [log], { mode: 'whole', statesMax }).stand(),
      beyond: () => null,
    });
  }

  #bounded<T>(
    { statesMax = LOG_STATES_MAX, stepsMax = LOG_STEPS_MAX }: LogBounds,
    { find, beyond }: { readonly find: (statesMax: number) => T; readonly beyond: (error: BoundMet) => T },
  ): T {
    const { deriver } = this.#interaction;
    deriver.allowSteps(stepsMax);
    try {
      return find(statesMax);
    } catch (error) {
      if (!(error instanceof BoundMet)) throw error;
      return beyond(error);
    } finally {
      deriver.allowSteps(Infinity);
    }
  }

  get interaction(): Interaction {
    return this.#interaction;
  }

  get forced(): ForcedBefore {
    return this.#forced;
  }

  get links(): HiddenLinks {
    return this.#links;
  }

  hiddenSteps(hidden: OccurrenceSet): HiddenSteps {
    let steps = this.#hiddenSteps.get(hidden);
    if (steps === undefined) {
      steps = new HiddenSteps(this.#interaction.terms, this.#interaction.deriver, hidden);
      this.#hiddenSteps.set(hidden, steps);
    }
    return steps;
  }
}

/**
 * One search: layers of position vectors, each with the set of terms that some interleaving up to there leaves.
 *
 * Exact partial-order reduction: where nothing that another log shows can be forced to come before a log's next entry, that
 * entry may be taken first without losing an interleaving. Among such logs the one with the fewest successors goes first: that
 * reads a receiver's log before its sender's, and so resolves choices that would be guessed otherwise.
 */
class Search {
  readonly #judge: LogJudge;
  readonly #terms: TermTable;
  readonly #deriver: Deriver;
  readonly #logs: readonly Log[];
  readonly #mode: LogMode;
  readonly #statesMax: number;
  /** What no log shows, from the start. */
  readonly #neverShown: OccurrenceSet;
  /** Per log: everything that is not its own. */
  readonly #notShown: readonly OccurrenceSet[];
  /** Positions of all logs in one number, where they fit: the factor of each. */
  readonly #factors: readonly number[] | null;
  /** By projected term: is the rest of one log, alone, possible? Per entry, those of all logs counted through. */
  readonly #local = new PairMemo(64);
  readonly #firstEntries: readonly number[];
  #statesLeft: number;

  constructor(judge: LogJudge, logs: readonly Log[], { mode, statesMax }: { mode: LogMode; statesMax: number }) {
    this.#judge = judge;
    ({ terms: this.#terms, deriver: this.#deriver } = judge.interaction);
    this.#logs = logs;
    this.#mode = mode;
    this.#statesMax = statesMax;
    this.#statesLeft = logs.reduce((sum, { entries }) => sum + entries.length, statesMax);
    const { sets } = this.#terms;
    const alphabet = this.#terms.alphabet(judge.interaction.initial);
    const shown = logs.reduce((all, log) => sets.union(all, log.shows), NONE);
    this.#neverShown = sets.without(alphabet, shown);
    this.#notShown = logs.map((log) => sets.without(alphabet, log.shows));
    this.#factors = factorsOf(logs);
    let entries = 0;
    this.#firstEntries = logs.map((log) => (entries += log.entries.length) - log.entries.length);
  }

  judge(): LogsJudgement {
    const start = this.#logs.map(() => 0);
    // A log with an entry that is never possible decides at once.
    if (!this.#logs.every((log) => log.entries.every((entry) => this.#isKnown(entry))))
      return { outcome: 'violates', furthest: start };
    const first: State = { positions: start, terms: new Set<Term>() };
    let terms: readonly Term[] = [this.#judge.interaction.initial];
    this.#logs.forEach((log, index) => {
      if (log.entries.length === 0) terms = this.#exhaust(terms, index, start);
    });
    for (const term of terms) this.#add(first, term);
    return this.#search(first);
  }

  /** Of the only log. */
  stand(): Stand {
    const { sets } = this.#terms;
    const [log] = this.#logs;
    if (log === undefined || this.#logs.length > 1) throw new Error('Only one log stands by itself.');
    let state: State = { positions: [0], terms: new Set<Term>() };
    this.#add(state, this.#judge.interaction.initial);
    for (const [position, entry] of log.entries.entries()) {
      const next: State = { positions: [position + 1], terms: new Set<Term>() };
      for (const left of this.#after(state.terms, entry, this.#neverShown)) this.#add(next, left);
      if (next.terms.size === 0) break;
      state = next;
    }
    const terms = [...state.terms];
    const later = this.#members(terms.map((term) => sets.intersection(this.#terms.alphabet(term), log.shows)));
    const next = later.filter((occurrence) => terms.some((term) => this.#mayBeNext(term, occurrence)));
    const owes = terms.map((term) => this.#deriver.owed(term));
    return {
      position: state.positions[0] ?? 0,
      next,
      later,
      owed: later.filter((occurrence) => owes.every((owed) => owed.has(occurrence))),
      isWhole: terms.some((term) => this.#mayEnd(term, log)),
      nextBefore: (occurrence) => {
        const before = new Set(
          this.#members(terms.map((term) => this.#forcedBefore(term, occurrence, this.#neverShown))),
        );
        return next.filter((other) => before.has(other));
      },
    };
  }

  #members(parts: readonly OccurrenceSet[]): readonly Occurrence[] {
    const { sets } = this.#terms;
    return sets.members(parts.reduce((all, part) => sets.union(all, part), NONE));
  }

  #mayBeNext(term: Term, occurrence: Occurrence): boolean {
    const found: Term[] = [];
    this.#afterOccurrence(term, occurrence, this.#neverShown, found);
    return found.length > 0;
  }

  #mayEnd(term: Term, { shows }: Log): boolean {
    const left = this.#deriver.avoid(term, shows);
    return left !== FAIL && this.#deriver.accepts(this.#deriver.erase(left, this.#neverShown));
  }

  #search(first: State): LogsJudgement {
    let layer: State[] = first.terms.size > 0 ? [first] : [];
    let furthest = first.positions;
    while (layer.length > 0) {
      const next = new Map<number | string, State>();
      for (const state of layer) {
        furthest = state.positions;
        const live = this.#liveLogs(state.positions);
        if (live.length === 0) {
          if (this.#isAccepted(state)) return { outcome: 'conforms' };
          continue;
        }
        for (const successor of this.#expand(state, live)) this.#merge(next, successor);
      }
      layer = [...next.values()];
    }
    return { outcome: 'violates', furthest };
  }

  /** Successors by the one log that may go first, or by all of them. */
  #expand(state: State, live: readonly number[]): readonly State[] {
    const hidden = this.#hidden(state.positions);
    let fewest: State | null = null;
    for (const log of live) {
      if (!this.#mayGoFirst(state, log, live, hidden)) continue;
      const successor = this.#successor(state, log, hidden);
      if (fewest === null || this.#isFewer(successor, fewest)) fewest = successor;
      // No new choice and less left undecided: good enough, and the others need not be tried.
      if (fewest.terms.size === 0 || this.#isFewer(fewest, state)) break;
    }
    if (fewest !== null) return fewest.terms.size === 0 ? [] : [fewest];
    return live.map((log) => this.#successor(state, log, hidden)).filter(({ terms }) => terms.size > 0);
  }

  /** Fewer terms; where equal, lighter ones: with less left undecided. */
  #isFewer(a: State, b: State): boolean {
    const difference = a.terms.size - b.terms.size;
    return difference < 0 || (difference === 0 && this.#weightOf(a) < this.#weightOf(b));
  }

  #weightOf({ terms }: State): number {
    let sum = 0;
    for (const term of terms) sum += this.#terms.weight(term);
    return sum;
  }

  #merge(layer: Map<number | string, State>, state: State): void {
    const key = this.#keyOf(state.positions);
    const known = layer.get(key);
    if (known === undefined) layer.set(key, state);
    else for (const term of state.terms) known.terms.add(term);
  }

  #successor(state: State, log: number, hidden: OccurrenceSet): State {
    const { entries } = this.#logs[log] ?? { entries: [] };
    const position = state.positions[log] ?? 0;
    const entry = entries[position];
    if (entry === undefined) throw new Error(`log ${log} is used up at ${position} and was asked for one more entry`);
    const positions = state.positions.map((at, index) => (index === log ? at + 1 : at));
    const found: State = { positions, terms: new Set<Term>() };
    const isLast = position + 1 === entries.length;
    const after = this.#after(state.terms, entry, hidden);
    for (const left of isLast ? this.#exhaust(after, log, positions) : after) this.#add(found, left);
    return found;
  }

  /** What is left after an entry, in any of its readings, for each of the terms. */
  #after(terms: Iterable<Term>, entry: LogEntry, hidden: OccurrenceSet): readonly Term[] {
    const found: Term[] = [];
    for (const term of terms) {
      if (entry.isOptional === true) found.push(term);
      for (const option of entry.options) this.#afterOption(term, option, hidden, found);
    }
    return found;
  }

  #afterOption(term: Term, option: readonly Occurrence[], hidden: OccurrenceSet, found: Term[]): void {
    let terms: Term[] = [term];
    for (const occurrence of option) {
      const next: Term[] = [];
      for (const now of terms) this.#afterOccurrence(now, occurrence, hidden, next);
      terms = next;
    }
    for (const left of terms) found.push(left);
  }

  #afterOccurrence(term: Term, occurrence: Occurrence, hidden: OccurrenceSet, found: Term[]): void {
    const own = hidden === NONE ? NONE : this.#terms.sets.intersection(hidden, this.#terms.alphabet(term));
    if (own === NONE) {
      const next = this.#deriver.after(term, occurrence);
      if (next !== FAIL) found.push(next);
    } else for (const next of this.#judge.hiddenSteps(own).after(term, occurrence)) found.push(next);
  }

  /** A log is used up: nothing that it would show happens any more (`whole`), or unseen. */
  #exhaust(terms: readonly Term[], log: number, positions: readonly number[]): readonly Term[] {
    const shows = this.#logs[log]?.shows ?? NONE;
    switch (this.#mode) {
      case 'whole':
        return terms.map((term) => this.#deriver.avoid(term, shows));
      case 'elimination':
        return terms.map((term) => this.#deriver.erase(term, shows));
      case 'cut': {
        const hidden = this.#hidden(positions);
        return terms.map((term) =>
          this.#judge.links.canErase(term, hidden) ? this.#deriver.erase(term, hidden) : term,
        );
      }
    }
  }

  /** Choices are kept apart: each is a small term, and equal ones meet. */
  #add(state: State, term: Term): void {
    if (term === FAIL || state.terms.has(term)) return;
    const shape = this.#terms.shape(term);
    for (const choice of shape.kind === 'alt' ? shape.choices : [term]) {
      if (state.terms.has(choice) || !this.#isPossibleForEach(choice, state.positions)) continue;
      if (--this.#statesLeft < 0) throw new BoundMet(`${this.#statesMax} states of the search`);
      state.terms.add(choice);
    }
  }

  #hidden(positions: readonly number[]): OccurrenceSet {
    if (this.#mode !== 'cut') return this.#neverShown;
    return this.#logs.reduce(
      (hidden, log, index) =>
        positions[index] === log.entries.length ? this.#terms.sets.union(hidden, log.shows) : hidden,
      this.#neverShown,
    );
  }

  #mayGoFirst(state: State, log: number, live: readonly number[], hidden: OccurrenceSet): boolean {
    if (live.length === 1) return true;
    const entry = this.#logs[log]?.entries[state.positions[log] ?? 0];
    const { sets } = this.#terms;
    for (const term of state.terms)
      for (const option of entry?.options ?? [])
        for (const occurrence of option) {
          const forced = this.#forcedBefore(term, occurrence, hidden);
          if (live.some((other) => other !== log && sets.meets(forced, this.#logs[other]?.shows ?? NONE))) return false;
        }
    return true;
  }

  /** Also what must come before a hidden occurrence that must come before, and so on. */
  #forcedBefore(term: Term, occurrence: Occurrence, hidden: OccurrenceSet): OccurrenceSet {
    const { sets } = this.#terms;
    let forced = this.#judge.forced.find(term, occurrence);
    let done: OccurrenceSet = NONE;
    for (;;) {
      const open = sets.without(sets.intersection(forced, hidden), done);
      if (open === NONE) return forced;
      done = sets.union(done, open);
      for (const through of sets.members(open)) forced = sets.union(forced, this.#judge.forced.find(term, through));
    }
  }

  #liveLogs(positions: readonly number[]): number[] {
    const live: number[] = [];
    for (let log = 0; log < this.#logs.length; log++)
      if ((positions[log] ?? 0) < (this.#logs[log]?.entries.length ?? 0)) live.push(log);
    return live;
  }

  #isKnown(entry: LogEntry): boolean {
    const alphabet = this.#terms.alphabet(this.#judge.interaction.initial);
    return (
      entry.isOptional === true ||
      entry.options.some((option) => option.every((occurrence) => this.#terms.sets.has(alphabet, occurrence)))
    );
  }

  #isAccepted({ positions, terms }: State): boolean {
    if (this.#mode !== 'whole') return true;
    const hidden = this.#hidden(positions);
    return [...terms].some((term) => this.#deriver.accepts(this.#deriver.erase(term, hidden)));
  }

  /** Each log's rest must be possible by itself, whatever the others show: cheap, and it ends most wrong ways early. */
  #isPossibleForEach(term: Term, positions: readonly number[]): boolean {
    // A single log is what the search itself looks at.
    if (this.#logs.length === 1) return true;
    for (let log = 0; log < this.#logs.length; log++) {
      const position = positions[log] ?? 0;
      if (position < (this.#logs[log]?.entries.length ?? 0) && !this.#isPossibleAlone(term, log, position))
        return false;
    }
    return true;
  }

  #isPossibleAlone(term: Term, log: number, start: number): boolean {
    const entries = this.#logs[log]?.entries ?? [];
    const first = this.#firstEntries[log] ?? 0;
    const passed: Term[] = [];
    let projection = this.#deriver.erase(term, this.#notShown[log] ?? NONE);
    let isPossible = projection !== FAIL;
    let position = start;
    for (; isPossible && position < entries.length; position++) {
      const known = this.#local.get(projection, first + position);
      if (known >= 0) {
        isPossible = known === 1;
        break;
      }
      passed.push(projection);
      projection = this.#terms.alt(this.#after([projection], entries[position] ?? NO_READING, NONE));
      isPossible = projection !== FAIL;
    }
    if (isPossible && position === entries.length && this.#mode === 'whole')
      isPossible = this.#deriver.accepts(projection);
    for (let index = 0; index < passed.length; index++)
      this.#local.set(passed[index] ?? FAIL, first + start + index, isPossible ? 1 : 0);
    return isPossible;
  }

  #keyOf(positions: readonly number[]): number | string {
    const factors = this.#factors;
    if (factors === null) return positions.join();
    return positions.reduce((key, position, index) => key + position * (factors[index] ?? 0), 0);
  }
}

/** Mixed radix; null where the vectors are more than the numbers that are exact. */
function factorsOf(logs: readonly Log[]): readonly number[] | null {
  let factor = 1;
  const factors = logs.map((log) => {
    const own = factor;
    factor *= log.entries.length + 1;
    return own;
  });
  return factor <= Number.MAX_SAFE_INTEGER ? factors : null;
}
