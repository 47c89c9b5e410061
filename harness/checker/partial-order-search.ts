import { childrenOf } from '../contract/index.ts';
import { receiptOf, sendOf, type Occurrence } from './occurrence.ts';
import type { PartialOrder } from './partial-order-letters.ts';
import { breaksRule, Steps, type Ending, type Setting, type Stand } from './partial-order-steps.ts';
import type { Relation } from './relation.ts';
import { candidatesOf, occurrencesOf, type Letter, type Machine } from './run.ts';
import { BoundMet, FAIL, type Term } from './terms.ts';

/** One order of all letters of an instance, by their numbers, and how its judgement ends. */
export interface Extension {
  readonly ending: Ending;
  readonly letters: readonly number[];
}

/** How the orders that the trace allows end. */
export interface Endings {
  /** One order for each ending that was found; of more than two endings, two. */
  readonly found: readonly Extension[];
  /** In some order the instance may go through the drawing more than once, or leave out events that serve others. */
  readonly hasRuns: boolean;
}

/**
 * All linear extensions of an instance's events, without enumerating them: a state is how many letters of each domain have
 * come, and what is left of the drawing; equal ones meet. Exact, or `BoundMet`.
 */
export function endingsOf(setting: Setting, order: PartialOrder, statesMax: number): Endings {
  const steps = new Steps(setting, order.letters);
  const budget = new Budget(statesMax);
  if (!order.letters.some(needsRun)) {
    const isSure = isOneRun(setting, order, steps);
    const found = new Search(order, budget, new Language(setting, order, { steps, isSure })).search();
    if (found !== null) return { found, hasRuns: false };
  }
  const found = new Search(order, budget, new Runs(steps)).search();
  if (found === null) throw new Error('a run is never unsure of how it ends');
  return { found, hasRuns: true };
}

/** Only a run can say what such a letter does. */
const needsRun = (letter: Letter): boolean =>
  breaksRule(letter) || letter.labelled.rules?.ends === true || letter.labelled.messages.length === 0;

/** An event that is not allowed violates then, in whatever order: no second run, no other instance can explain it. */
function isOneRun(setting: Setting, order: PartialOrder, steps: Steps): boolean {
  const { machine, begun, complete, hasWholeKey } = setting;
  const { letters } = order;
  if (!letters.every(({ labelled }) => hasWholeKey(labelled))) return false;
  const canBegin = (letter: Letter): boolean => steps.after(machine.initial, letter) !== FAIL;
  const first = order.next(order.chains.map(() => 0)).flatMap((index) => letters[index] ?? []);
  if (!begun && !first.every(canBegin)) return false;
  if (machine.contract.runs === 'once' || letters.filter(canBegin).length < 2) return true;
  if (!complete) return false;
  // Something that every run owes comes once: a second run would lack it.
  const counts = new Map<Occurrence, number>();
  for (const letter of letters)
    for (const occurrence of new Set(
      candidatesOf(letter).flatMap((message) => drawnOccurrences(machine, message, letter)),
    ))
      counts.set(occurrence, (counts.get(occurrence) ?? 0) + 1);
  return [...machine.deriver.owed(machine.initial)].some((occurrence) => (counts.get(occurrence) ?? 0) < 2);
}

const drawnOccurrences = ({ bases }: Machine, message: number, { end }: Letter): readonly Occurrence[] =>
  occurrencesOf(message, end).map((own) => (own === sendOf(message) ? own : receiptOf(bases[message] ?? message)));

class Budget {
  readonly #max: number;
  #left: number;

  constructor(max: number) {
    this.#max = max;
    this.#left = max;
  }

  spend(): void {
    if (--this.#left < 0) throw new BoundMet(`${this.#max} states of the orders that nothing proves`);
  }
}

/** What a search asks of each state. `unsure`: this walker cannot tell. */
interface Walker<S> {
  readonly initial: S;
  nameOf(state: S): string;
  take(state: S, letter: Letter): S | Ending | 'unsure';
  end(state: S): Ending;
  /** May the letter be taken first, without losing an ending? */
  isFree(letter: number, positions: readonly number[]): boolean;
}

interface SearchNode<S> {
  readonly positions: readonly number[];
  readonly state: S;
  readonly before: SearchNode<S> | null;
  /** The letter that led here; -1 at the start. */
  readonly letter: number;
}

class Search<S> {
  readonly #order: PartialOrder;
  readonly #budget: Budget;
  readonly #walker: Walker<S>;
  readonly #seen = new Set<string>();
  readonly #found = new Map<Ending, Extension>();

  constructor(order: PartialOrder, budget: Budget, walker: Walker<S>) {
    this.#order = order;
    this.#budget = budget;
    this.#walker = walker;
  }

  /** Null: the walker is unsure. Depth first, the order of the trace before others; stops where two endings are known. */
  search(): readonly Extension[] | null {
    const positions = this.#order.chains.map(() => 0);
    const stack: SearchNode<S>[] = [{ positions, state: this.#walker.initial, before: null, letter: -1 }];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      const successors = this.#expand(node);
      if (successors === null) return null;
      stack.push(...successors);
      if (this.#found.size > 1) break;
    }
    return [...this.#found.values()];
  }

  #expand(node: SearchNode<S>): SearchNode<S>[] | null {
    const { positions, state } = node;
    const possible = this.#order.next(positions);
    if (possible.length === 0) this.#record(this.#walker.end(state), node);
    const free = possible.length < 2 ? undefined : possible.find((letter) => this.#walker.isFree(letter, positions));
    const tried = free === undefined ? [...possible].sort((a, b) => b - a) : [free];
    const successors: SearchNode<S>[] = [];
    for (const number of tried) {
      const letter = this.#order.letters[number];
      if (letter === undefined) continue;
      const next = this.#walker.take(state, letter);
      if (next === 'unsure') return null;
      const chain = this.#order.chainOf(number);
      const moved = positions.with(chain, (positions[chain] ?? 0) + 1);
      const at = { positions: moved, before: node, letter: number };
      if (isEnding(next)) this.#record(next, { ...at, state });
      else if (this.#isNew(moved, next)) successors.push({ ...at, state: next });
    }
    return successors;
  }

  #isNew(positions: readonly number[], state: S): boolean {
    const name = `${positions.join()} ${this.#walker.nameOf(state)}`;
    if (this.#seen.has(name)) return false;
    this.#seen.add(name);
    this.#budget.spend();
    return true;
  }

  /** What comes after the decision follows in the order of the trace. */
  #record(ending: Ending, last: SearchNode<S>): void {
    if (this.#found.has(ending)) return;
    const taken = new Set<number>();
    for (let node: SearchNode<S> | null = last; node !== null; node = node.before)
      if (node.letter >= 0) taken.add(node.letter);
    const path = [...taken].reverse();
    const rest = this.#order.letters.flatMap((_, index) => (taken.has(index) ? [] : [index]));
    this.#found.set(ending, { ending, letters: [...path, ...rest] });
  }
}

const ENDINGS: readonly unknown[] = ['conforms', 'incomplete', 'begun-before', 'violates'] satisfies readonly Ending[];
const isEnding = (next: unknown): next is Ending => ENDINGS.includes(next);

/** An instance as it is judged: with the runs that it goes through, and what it leaves to others. */
class Runs implements Walker<Stand> {
  readonly #steps: Steps;
  readonly initial: Stand;

  constructor(steps: Steps) {
    this.#steps = steps;
    this.initial = steps.initial;
  }

  nameOf({ term, isFresh, isLaterRun, isOwn, taken }: Stand): string {
    return `${term} ${Number(isFresh)}${Number(isLaterRun)}${Number(isOwn)} ${taken}`;
  }

  take(stand: Stand, letter: Letter): Stand | Ending {
    return this.#steps.take(stand, letter);
  }

  end(stand: Stand): Ending {
    return this.#steps.end(stand);
  }

  isFree(): boolean {
    return false;
  }
}

/**
 * One run through the drawing: is the order a word of its language? A language is closed under swapping neighbours that no
 * order in the drawing relates. So where everything that could still come before a letter, and that is related to it, has
 * come, this letter may come first.
 */
class Language implements Walker<{ readonly term: Term }> {
  readonly #setting: Setting;
  readonly #order: PartialOrder;
  readonly #steps: Steps;
  /** An event that is not allowed violates. */
  readonly #isSure: boolean;
  readonly #classes: LetterClasses | null;
  /** By letter and chain: the place of the last letter there that is related, and may come before; -1: none. */
  readonly #lastRelated = new Map<number, readonly number[]>();
  readonly initial: { readonly term: Term };

  constructor(
    setting: Setting,
    order: PartialOrder,
    { steps, isSure }: { readonly steps: Steps; readonly isSure: boolean },
  ) {
    this.#setting = setting;
    this.#order = order;
    this.#steps = steps;
    this.#isSure = isSure;
    const relations = relationsBetween(setting.machine);
    this.#classes = relations === null ? null : new LetterClasses(setting.machine, order, relations);
    this.initial = { term: setting.machine.initial };
  }

  nameOf({ term }: { readonly term: Term }): string {
    return String(term);
  }

  take({ term }: { readonly term: Term }, letter: Letter): { readonly term: Term } | Ending | 'unsure' {
    const next = this.#steps.after(term, letter);
    if (next !== FAIL) return { term: next };
    return this.#isSure ? 'violates' : 'unsure';
  }

  end({ term }: { readonly term: Term }): Ending {
    if (this.#setting.machine.deriver.accepts(term)) return 'conforms';
    return this.#setting.complete ? 'violates' : 'incomplete';
  }

  isFree(letter: number, positions: readonly number[]): boolean {
    if (this.#classes === null) return false;
    let last = this.#lastRelated.get(letter);
    if (last === undefined) this.#lastRelated.set(letter, (last = this.#findLastRelated(letter, this.#classes)));
    return last.every((place, chain) => (positions[chain] ?? 0) > place);
  }

  #findLastRelated(letter: number, classes: LetterClasses): readonly number[] {
    const own = this.#order.chainOf(letter);
    return this.#order.chains.map((_, chain) =>
      chain === own ? -1 : classes.lastRelated(letter, chain, this.#order.firstAfter(letter, chain)),
    );
  }
}

/**
 * The relations that compose a drawing; null where its language is not closed under swapping unrelated neighbours: concurrent
 * loops, guards and critical fragments ask which event comes first.
 */
function relationsBetween({ contract: { order, messages, term }, relations }: Machine): readonly Relation[] | null {
  if (messages.some(({ entry }) => entry !== undefined)) return null;
  const pending = [term];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.kind === 'concurrent') return null;
    pending.push(...childrenOf(node));
  }
  return [...new Set([order, relations.between])];
}

/** Letters that can be the same messages at the same ends are related to the same others. */
class LetterClasses {
  readonly #machine: Machine;
  readonly #relations: readonly Relation[];
  readonly #classOf: readonly number[];
  /** Of each class, one of its letters. */
  readonly #samples: Letter[] = [];
  /** By chain, then by class: places in the chain, ascending. */
  readonly #places: readonly ReadonlyMap<number, readonly number[]>[];
  readonly #related = new Map<string, boolean>();

  constructor(machine: Machine, order: PartialOrder, relations: readonly Relation[]) {
    this.#machine = machine;
    this.#relations = relations;
    const numbers = new Map<string, number>();
    this.#classOf = order.letters.map((letter) => {
      const key = `${letter.end} ${candidatesOf(letter).join()}`;
      let number = numbers.get(key);
      if (number === undefined) numbers.set(key, (number = this.#samples.push(letter) - 1));
      return number;
    });
    this.#places = order.chains.map((chain) => {
      const places = new Map<number, number[]>();
      chain.forEach((index, place) => {
        const own = this.#classOf[index] ?? 0;
        const list = places.get(own);
        if (list === undefined) places.set(own, [place]);
        else list.push(place);
      });
      return places;
    });
  }

  /** The last place of a chain, before a limit, where a letter stands that is related to this one; -1: none. */
  lastRelated(letter: number, chain: number, limit: number): number {
    let last = -1;
    for (const [other, places] of this.#places[chain] ?? []) {
      const place = lastBelow(places, limit);
      if (place > last && this.#areRelated(this.#classOf[letter] ?? 0, other)) last = place;
    }
    return last;
  }

  #areRelated(a: number, b: number): boolean {
    const key = a < b ? `${a} ${b}` : `${b} ${a}`;
    let known = this.#related.get(key);
    if (known === undefined) this.#related.set(key, (known = this.#findRelated(this.#samples[a], this.#samples[b])));
    return known;
  }

  #findRelated(a: Letter | undefined, b: Letter | undefined): boolean {
    if (a === undefined || b === undefined) return true;
    // An end that nothing shows happens somewhere: it may be related to anything.
    if (a.end.startsWith('only') || b.end.startsWith('only')) return true;
    const [ofA, ofB] = [a, b].map((letter) =>
      candidatesOf(letter).flatMap((message) => drawnOccurrences(this.#machine, message, letter)),
    );
    return (ofA ?? []).some((one) => (ofB ?? []).some((other) => this.#mustKeepOrder(one, other)));
  }

  #mustKeepOrder(one: Occurrence, other: Occurrence): boolean {
    const { deriver, terms } = this.#machine;
    if (one >> 1 === other >> 1) return true;
    return this.#relations.some(
      (relation) =>
        terms.sets.has(deriver.before(relation, one), other) || terms.sets.has(deriver.before(relation, other), one),
    );
  }
}

/** The greatest member below a limit; -1: none. */
function lastBelow(ascending: readonly number[], limit: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return ascending[low - 1] ?? -1;
}
