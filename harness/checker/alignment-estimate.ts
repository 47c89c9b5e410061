import { readingsOfEvent } from './candidates.ts';
import { byDemand, PENDING, type Need } from './demand.ts';
import type { OccurrenceSet } from './occurrence-sets.ts';
import { isReceipt, messageOf, sendOf } from './occurrence.ts';
import type { Letter, Machine } from './run.ts';
import { type Term, type TermTable } from './terms.ts';

/** Letters that can be the same messages. */
interface LettersAlike {
  readonly messages: readonly number[];
  /** Their places among the letters, ascending. */
  readonly places: number[];
}

/** Letters of which only so many can be taken. */
interface Scarce {
  readonly places: readonly number[];
  readonly usable: number;
}

/**
 * How many edits the letters from a place on need at least, whatever is chosen: messages that every way on holds and no letter
 * can be, and events that can be none of the messages that may still come.
 */
export class AlignmentEstimate {
  readonly #terms: TermTable;
  readonly #alike: readonly LettersAlike[];
  /** By place: a number for the messages that the letters from there on can be. */
  readonly #provisions: Int32Array;
  readonly #provided: ReadonlySet<number>[] = [];
  readonly #missing: Map<Term, number>[] = [];
  readonly #scarce = new Map<OccurrenceSet, readonly Scarce[]>();
  readonly #recurring: ReadonlySet<number>;
  readonly #bases: readonly number[];

  /** `mustGo`: the letters that cost an edit where they are not taken. */
  constructor({ terms, recurring, bases }: Machine, letters: readonly Letter[], mustGo: (letter: Letter) => boolean) {
    this.#terms = terms;
    this.#recurring = recurring;
    this.#bases = bases;
    this.#alike = alike(letters.map((letter) => (mustGo(letter) ? letter : null)));
    this.#provisions = new Int32Array(letters.length + 1);
    this.#collectProvisions(letters);
  }

  /** Messages to add, at least, until the term accepts: those that no letter from the place on can be. */
  missing(term: Term, place: number): number {
    const provision = this.#provisions[place] ?? 0;
    const [costs, provided] = [this.#missing[provision], this.#provided[provision]];
    if (costs === undefined || provided === undefined) throw new Error('a place behind the last letter was asked for');
    return byDemand(term, {
      known: (part) => costs.get(part) ?? PENDING,
      compute: (part, need) => this.#fewestMissing(part, provided, need),
      keep: (part, cost) => void costs.set(part, cost),
    });
  }

  /** Can a letter from the place on be the message? */
  isProvided(message: number, place: number): boolean {
    return this.#provided[this.#provisions[place] ?? 0]?.has(message) ?? false;
  }

  /** Events to leave out, at least: more of one kind from the place on than the messages that they can be may still come. */
  useless(term: Term, place: number): number {
    const alphabet = this.#terms.alphabet(term);
    let scarce = this.#scarce.get(alphabet);
    if (scarce === undefined) this.#scarce.set(alphabet, (scarce = this.#findScarce(alphabet)));
    return scarce.reduce((sum, { places, usable }) => sum + Math.max(0, remaining(places, place) - usable), 0);
  }

  #findScarce(alphabet: OccurrenceSet): readonly Scarce[] {
    const { sets } = this.#terms;
    const usableAs = (message: number): number => {
      if (!sets.has(alphabet, sendOf(message))) return 0;
      return this.#recurring.has(this.#bases[message] ?? message) ? Infinity : 1;
    };
    return this.#alike
      .map(({ messages, places }) => ({ places, usable: messages.reduce((sum, own) => sum + usableAs(own), 0) }))
      .filter(({ places, usable }) => usable < places.length);
  }

  #fewestMissing(term: Term, provided: ReadonlySet<number>, need: Need): number {
    const shape = this.#terms.shape(term);
    switch (shape.kind) {
      case 'fail':
        throw new Error('no term in normal form holds FAIL');
      case 'empty':
      case 'loop':
        return 0;
      case 'occurrence':
        // A message is added as a whole: its receipt costs nothing more.
        return isReceipt(shape.occurrence) || provided.has(messageOf(shape.occurrence)) ? 0 : 1;
      case 'power': {
        const once = need(shape.body);
        return once === PENDING ? PENDING : once * shape.count;
      }
      case 'open':
        return need(shape.body);
      case 'alt': {
        const costs = shape.choices.map(need);
        return costs.includes(PENDING) ? PENDING : costs.reduce((least, cost) => Math.min(least, cost));
      }
      case 'seq': {
        const costs = this.#terms.parts(shape.relation, term).map(need);
        return costs.includes(PENDING) ? PENDING : costs.reduce((sum, cost) => sum + cost, 0);
      }
    }
  }

  #collectProvisions(letters: readonly Letter[]): void {
    let provided = new Set<number>();
    const addProvision = (): number => {
      this.#missing.push(new Map());
      return this.#provided.push(provided) - 1;
    };
    this.#provisions[letters.length] = addProvision();
    for (let place = letters.length - 1; place >= 0; place--) {
      const more = messagesOf(letters[place]).filter((message) => !provided.has(message));
      if (more.length > 0) provided = new Set([...provided, ...more]);
      this.#provisions[place] = more.length > 0 ? addProvision() : (this.#provisions[place + 1] ?? 0);
    }
  }
}

/** Every message that an event can be taken for, also where that is an edit itself; a receipt goes with its send. */
function messagesOf(letter: Letter | undefined | null): readonly number[] {
  if (letter === undefined || letter === null || letter.end === 'receive') return [];
  return readingsOfEvent(letter.labelled);
}

function alike(letters: readonly (Letter | null)[]): LettersAlike[] {
  const found = new Map<string, LettersAlike>();
  letters.forEach((letter, place) => {
    const messages = messagesOf(letter);
    if (messages.length === 0) return;
    const key = messages.join();
    const known = found.get(key);
    if (known === undefined) found.set(key, { messages, places: [place] });
    else known.places.push(place);
  });
  return [...found.values()];
}

/** How many of the places, ascending, lie at or behind one. */
function remaining(places: readonly number[], from: number): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? Infinity) < from) low = middle + 1;
    else high = middle;
  }
  return places.length - low;
}
