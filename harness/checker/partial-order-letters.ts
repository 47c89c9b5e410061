import { firstShownEnd, receiptEnd, type ProvenOrder } from '../trace/index.ts';
import type { LabelledEvent } from './labels.ts';
import type { LookAlikes } from './look-alikes.ts';
import { candidatesOf, type Letter } from './run.ts';
import { BoundMet } from './terms.ts';

/** Letters times domains of one instance: what the search keeps of their order. */
const NEEDS_MAX = 5_000_000;

/** Where an event was sent and where it was received, if it has two positions: in its domain, or in a proven order. */
export function positionsOf(
  { index, sourced: { event } }: LabelledEvent,
  order: ProvenOrder | null,
): { readonly position: number; readonly received: number | undefined } {
  if (order === null) return { position: event.seq, received: event.receivedSeq };
  const isTwoEnded = event.receivedSeq !== undefined;
  return {
    position: order.rankOf(firstShownEnd(index, event)),
    received: isTwoEnded ? order.rankOf(receiptEnd(index, event)) : undefined,
  };
}

/** The end of the trace that a letter shows; its position is a rank of the proven order. */
export const endOfLetter = (order: ProvenOrder, letter: Letter): number => order.endAt(letter.position);

/** Is each of these ends proven to come before the next one, once they stand in the order of their ranks? */
export function isChain(order: ProvenOrder, ends: readonly number[]): boolean {
  const sorted = [...ends].sort((a, b) => order.rankOf(a) - order.rankOf(b));
  return sorted.every((end, index) => {
    const next = sorted[index + 1];
    return next === undefined || end === next || order.isBefore(end, next);
  });
}

/** Two neighbours, in the order of their ranks, that nothing orders; null: there are none. */
export function unorderedNeighbours(order: ProvenOrder, letters: readonly Letter[]): readonly [Letter, Letter] | null {
  for (const [index, letter] of letters.entries()) {
    const next = letters[index + 1];
    if (next !== undefined && !order.isBefore(endOfLetter(order, letter), endOfLetter(order, next)))
      return [letter, next];
  }
  return null;
}

/**
 * The letters of one instance as a partial order: a chain for each domain, and for each letter how many of every chain must
 * come before it. Letters are numbered as they stand in one linear extension.
 */
export class PartialOrder {
  readonly letters: readonly Letter[];
  readonly chains: readonly (readonly number[])[];
  readonly #order: ProvenOrder;
  readonly #chainOf: Int32Array;
  readonly #placeOf: Int32Array;
  readonly #needs: Int32Array;

  constructor(letters: readonly Letter[], order: ProvenOrder) {
    this.letters = letters;
    this.#order = order;
    const numbers = new Map<number, number>();
    const chains: number[][] = [];
    this.#chainOf = new Int32Array(letters.length);
    this.#placeOf = new Int32Array(letters.length);
    letters.forEach((letter, index) => {
      const domain = order.domainOf(endOfLetter(order, letter));
      let number = numbers.get(domain);
      if (number === undefined) numbers.set(domain, (number = chains.push([]) - 1));
      this.#chainOf[index] = number;
      this.#placeOf[index] = (chains[number]?.push(index) ?? 1) - 1;
    });
    this.chains = chains;
    if (letters.length * chains.length > NEEDS_MAX)
      throw new BoundMet(`${NEEDS_MAX} pairs of an event and a domain in one instance`);
    this.#needs = this.#findNeeds([...numbers.keys()]);
  }

  #findNeeds(domains: readonly number[]): Int32Array {
    const needs = new Int32Array(this.letters.length * domains.length);
    const places = this.chains.map((chain) => chain.map((index) => this.#order.placeOf(this.#endOf(index))));
    for (let index = 0; index < this.letters.length; index++)
      domains.forEach((domain, chain) => {
        const own = this.#chainOf[index] === chain;
        const seen = this.#order.seenOf(this.#endOf(index), domain);
        needs[index * domains.length + chain] = own ? this.placeOf(index) : countBelow(places[chain] ?? [], seen);
      });
    return needs;
  }

  #endOf(index: number): number {
    const letter = this.letters[index];
    return letter === undefined ? 0 : endOfLetter(this.#order, letter);
  }

  chainOf(index: number): number {
    return this.#chainOf[index] ?? 0;
  }

  placeOf(index: number): number {
    return this.#placeOf[index] ?? 0;
  }

  /** How many letters of a chain must come before this one. */
  needOf(index: number, chain: number): number {
    return this.#needs[index * this.chains.length + chain] ?? 0;
  }

  /** The letters that may come next, where so many of each chain have come. */
  next(positions: readonly number[]): readonly number[] {
    return this.chains.flatMap((chain, number) => {
      const index = chain[positions[number] ?? 0];
      if (index === undefined) return [];
      return positions.every((position, other) => position >= this.needOf(index, other)) ? [index] : [];
    });
  }

  /** Of a chain, the place of the first letter that must come after this one; the length of the chain if none must. */
  firstAfter(index: number, chain: number): number {
    const letters = this.chains[chain] ?? [];
    const [own, needed] = [this.chainOf(index), this.placeOf(index) + 1];
    let [low, high] = [0, letters.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.needOf(letters[middle] ?? 0, own) >= needed) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function countBelow(ascending: readonly number[], limit: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The ends of one event, among the letters of an instance. */
interface Flight {
  readonly look: number;
  readonly sent: number;
  readonly received: number;
}

/**
 * The letters with tags for those events that could be confused with another one in some order that the trace allows
 * (`withTags` asks the same of one order).
 */
export function withTagsInAnyOrder(
  letters: readonly Letter[],
  lookAlikes: LookAlikes,
  order: ProvenOrder,
): readonly Letter[] {
  if (!letters.some(({ end }) => end === 'send')) return letters;
  const receipts = new Map<number, number>();
  for (const letter of letters)
    if (letter.end === 'receive') receipts.set(letter.labelled.index, endOfLetter(order, letter));
  const groups: Flight[][] = [];
  const tags = new Map<number, number>();
  for (const letter of letters) {
    const { labelled, end } = letter;
    if (end === 'receive') continue;
    const sent = endOfLetter(order, letter);
    const look = lookAlikes.look([...candidatesOf(letter), ...(labelled.rules?.denied ?? [])]);
    const flight = { look, sent, received: receipts.get(labelled.index) ?? sent };
    const found = groups.findIndex((group) => !group.some((other) => areConfusable(other, flight, lookAlikes, order)));
    const tag = found < 0 ? groups.push([]) - 1 : found;
    groups[tag]?.push(flight);
    if (tag > 0) tags.set(labelled.index, tag);
  }
  if (tags.size === 0) return letters;
  return letters.map((letter) => ({ ...letter, tag: tags.get(letter.labelled.index) ?? 0 }));
}

function areConfusable(a: Flight, b: Flight, lookAlikes: LookAlikes, order: ProvenOrder): boolean {
  if (!lookAlikes.areAlike(a.look, b.look)) return false;
  if (order.isBefore(a.received, b.sent) || order.isBefore(b.received, a.sent)) return false;
  const keepsOrder =
    (order.isBefore(a.sent, b.sent) && order.isBefore(a.received, b.received)) ||
    (order.isBefore(b.sent, a.sent) && order.isBefore(b.received, a.received));
  return !keepsOrder || !lookAlikes.areQueued(a.look, b.look);
}
