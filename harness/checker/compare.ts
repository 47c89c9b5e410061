import {
  foldLabel,
  holdsConcurrent,
  lateMessages,
  type Contract,
  type ContractMessage,
  type Node,
} from '../contract/index.ts';
import { Deriver } from './derive.ts';
import { isReceipt, messageOf, receiptOf, relationsOf } from './relation.ts';
import { termOf } from './term-of.ts';
import { BoundMet, FAIL, TermTable, type Term } from './terms.ts';

export interface CompareOptions {
  /** Messages with equal ends and line style are the same, whatever their texts. */
  readonly ignoreText?: boolean;
  /** Bounds; meeting one gives `unknown` and names it. */
  readonly statesMax?: number;
  readonly termsMax?: number;
}

/** One event of a witness: a message at one instant, or one of its ends. Indexes are into `Contract.drawn`, one list a side. */
export interface ComparedStep {
  readonly end: 'both' | 'send' | 'receive';
  readonly arrows: readonly [readonly number[], readonly number[]];
}

export type Comparison =
  | { readonly kind: 'same' }
  | {
      readonly kind: 'different';
      /** The contract that allows what the other does not: 0 or 1. */
      readonly allowedBy: 0 | 1;
      /**
       * `goes-on`: the last step of `trace` is allowed by one only. `ends`: after `trace`, a run of one may be over, and the other
       * owes more.
       */
      readonly at: 'goes-on' | 'ends';
      readonly trace: readonly ComparedStep[];
      /** Drawn arrows that the stricter side would take there instead. */
      readonly expected: readonly number[];
    }
  /** `depth`: no trace of up to so many steps tells the two apart. */
  | { readonly kind: 'unknown'; readonly bound: string; readonly depth: number };

/** Pairs of states that one comparison may visit; one costs some microseconds for each message that is possible there. */
export const COMPARED_STATES_MAX = 20_000;
const COMPARED_TERMS_MAX = 200_000;

/**
 * Do two contracts allow the same traces? `counterparts` gives for each lifeline of the first its counterpart in the second.
 *
 * Messages are the same when their ends, their line style and (unless ignored) their text are the same, case and blanks
 * folded; where they stand does not count, since that is what is compared. The search goes breadth first through pairs of states of both
 * automata, so the witness is a shortest one. First each message happens at one instant, because such a witness is
 * easily read; only if that shows no difference, its two ends happen separately, which tells apart all that can be told apart.
 */
export function compareContracts(
  first: Contract,
  second: Contract,
  counterparts: readonly (number | null)[],
  options: CompareOptions = {},
): Comparison {
  const letters = lettersOf(first, second, counterparts, options.ignoreText ?? false);
  const statesMax = options.statesMax ?? COMPARED_STATES_MAX;
  try {
    const automata = automataOf(first, second, letters, options.termsMax ?? COMPARED_TERMS_MAX);
    if (isWrittenAlike(first, second, letters)) return { kind: 'same' };
    // What is overtaken never happens at one instant.
    const mayBeInstant = lateMessages(first).size + lateMessages(second).size === 0;
    let found: Found = mayBeInstant ? search(automata.searched, 'messages', statesMax) : { kind: 'same' };
    if (found.kind === 'same') found = search(automata.searched, 'ends', statesMax);
    return found.kind === 'differs' ? witness(automata.own, found) : found;
  } catch (error) {
    if (!(error instanceof BoundMet)) throw error;
    return { kind: 'unknown', bound: error.bound, depth: 0 };
  }
}

interface Letters {
  /** The letter of each message, one list a side; equal messages have equal letters. */
  readonly of: readonly [readonly number[], readonly number[]];
  /** Each letter as a message between lifelines that both sides share. */
  readonly messages: readonly ContractMessage[];
}

function lettersOf(
  first: Contract,
  second: Contract,
  counterparts: readonly (number | null)[],
  ignoreText: boolean,
): Letters {
  const numbers = new Map<string, number>();
  const messages: ContractMessage[] = [];
  const backwards = new Map(counterparts.flatMap((other, one) => (other === null ? [] : [[other, one] as const])));
  const letterOf = (contract: Contract, message: ContractMessage, shared: (lifeline: number) => number): number => {
    const { style, text } = contract.drawn[message.drawn] ?? { style: 'step', text: '' };
    const line = style === 'step' ? (message.kind === 'reply' ? 'dashed' : 'solid') : style;
    const [from, to] = [message.from, message.to].map((end) => (end === null ? null : shared(end)));
    const key = JSON.stringify([
      from,
      to,
      line,
      partOf(contract, { drawn: message.drawn, index: baseOf(contract, message.index) }),
      ignoreText ? '' : foldLabel(text),
    ]);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    const letter = messages.length;
    numbers.set(key, letter);
    messages.push({ ...message, index: letter, from: from ?? null, to: to ?? null });
    return letter;
  };
  const alone = first.lifelines.length;
  const of = [
    first.messages.map((message) => letterOf(first, message, (lifeline) => lifeline)),
    second.messages.map((message) =>
      letterOf(second, message, (lifeline) => backwards.get(lifeline) ?? alone + lifeline),
    ),
  ] as const;
  return { of, messages };
}

/** The parts of a folded arrow are told apart by their place in it. */
const partOf = ({ messages }: Contract, { drawn, index }: Pick<ContractMessage, 'drawn' | 'index'>): number =>
  messages.filter((other) => other.entry === undefined && other.drawn === drawn && other.index < index).length;

/** A copy of a message for the place where it enters something is, seen from outside, that message. */
const baseOf = ({ messages }: Contract, message: number): number => messages[message]?.entry?.of ?? message;

/**
 * The same messages, in the same term, under the same order: no search is needed, and none would end where a loop lets a
 * participant run ahead without bound.
 */
function isWrittenAlike(first: Contract, second: Contract, letters: Letters): boolean {
  const essence = (contract: Contract, own: readonly number[]): string => {
    const term = JSON.stringify(contract.term, (key, value: unknown) =>
      key === 'fragment' || key === 'keyed' ? undefined : value,
    );
    // Only between concurrent loops does it matter which messages carry the key.
    const keyed = holdsConcurrent(contract.term) ? contract.messages.map((message) => message.keyed) : [];
    const details = contract.messages.map(({ kind, replyOf, receipt, entry }) => [kind, replyOf, receipt, entry]);
    const { order, unordered, ordered, bridged } = contract;
    return JSON.stringify([order, own, details, keyed, term, unordered, ordered ?? [], bridged]);
  };
  return essence(first, letters.of[0]) === essence(second, letters.of[1]);
}

interface Automata {
  /** One for each contract over its own messages: they know which arrow a letter is. */
  readonly own: Sides;
  /** Those that are searched. */
  readonly searched: Sides;
}

type Sides = readonly [Side, Side];

/**
 * Where the order asks only for ends, messages of one letter are one, and both sides share a table of terms: what they have
 * in common has one number, and a pair of equal terms needs no search. `causal`, what a binding says of single messages (unordered,
 * bridged), and messages that are overtaken ask more than a letter knows.
 */
function automataOf(first: Contract, second: Contract, letters: Letters, termsMax: number): Automata {
  const own = [sideOf(first, letters.of[0], termsMax), sideOf(second, letters.of[1], termsMax)] as const;
  const isPlain = ({ order, unordered, ordered, bridged, term, messages }: Contract): boolean =>
    order !== 'causal' &&
    unordered.length + bridged.length + (ordered?.length ?? 0) === 0 &&
    !holdsConcurrent(term) &&
    lateMessages({ term }).size === 0 &&
    messages.every(({ entry, receipt }) => entry === undefined && receipt === undefined);
  if (first.order !== second.order || !isPlain(first) || !isPlain(second)) return { own, searched: own };
  const [one, other] = [inLetters(first, letters.of[0], letters), inLetters(second, letters.of[1], letters)];
  const terms = new TermTable(termsMax);
  const deriver = new Deriver(terms, relationsOf(one));
  const identity = letters.messages.map((_, letter) => letter);
  return { own, searched: [new Side(one, identity, terms, deriver), new Side(other, identity, terms, deriver)] };
}

function sideOf(contract: Contract, letters: readonly number[], termsMax: number): Side {
  const terms = new TermTable(termsMax);
  return new Side(contract, letters, terms, new Deriver(terms, relationsOf(contract)));
}

/** The contract over the letters as its alphabet: message `n` is letter `n`. The term is plain data, so its numbers are exchanged as text. */
function inLetters(contract: Contract, own: readonly number[], { messages }: Letters): Contract {
  const text = JSON.stringify(contract.term, (key, value: unknown) =>
    key === 'message' && typeof value === 'number' ? own[value] : value,
  );
  return { ...contract, messages, term: JSON.parse(text) as Node };
}

/** One contract as an automaton over letters. */
class Side {
  readonly contract: Contract;
  readonly initial: Term;
  readonly #terms: TermTable;
  readonly #deriver: Deriver;
  readonly #letters: readonly number[];

  constructor(contract: Contract, letters: readonly number[], terms: TermTable, deriver: Deriver) {
    this.contract = contract;
    this.#letters = letters;
    this.#terms = terms;
    this.#deriver = deriver;
    this.initial = termOf(contract, terms);
  }

  accepts(term: Term): boolean {
    return this.#deriver.accepts(term);
  }

  /** What may happen next, and what remains then; several messages of one letter remain side by side. */
  moves(term: Term, grain: Grain): ReadonlyMap<MoveKey, Move> {
    const moves = new Map<MoveKey, Move>();
    for (const { occurrence, end } of this.#steps(term, grain)) {
      const message = messageOf(occurrence);
      let next = this.#deriver.after(term, occurrence);
      if (end === 'both') next = this.#deriver.after(next, receiptOf(baseOf(this.contract, message)));
      if (next === FAIL) continue;
      const key = 3 * (this.#letters[message] ?? 0) + ENDS.indexOf(end);
      const known = moves.get(key);
      const drawn = this.contract.messages[message]?.drawn ?? 0;
      moves.set(key, {
        next: known === undefined ? next : this.#terms.alt([known.next, next]),
        arrows: [...new Set([...(known?.arrows ?? []), drawn])],
      });
    }
    return moves;
  }

  #steps(term: Term, grain: Grain): { readonly occurrence: number; readonly end: ComparedStep['end'] }[] {
    const occurrences = [...this.#deriver.alphabet(term)].sort((a, b) => a - b);
    if (grain === 'messages')
      return occurrences
        .filter((occurrence) => !isReceipt(occurrence))
        .map((occurrence) => ({ occurrence, end: 'both' }));
    return occurrences.map((occurrence) => ({ occurrence, end: isReceipt(occurrence) ? 'receive' : 'send' }));
  }
}

/** Whether a message is one instant, or its two ends are looked at separately. */
type Grain = 'messages' | 'ends';

const ENDS = ['both', 'send', 'receive'] as const;

/** A letter and one of `ENDS`. */
type MoveKey = number;

const endOf = (key: MoveKey): ComparedStep['end'] => ENDS[key % 3] ?? 'both';

interface Move {
  readonly next: Term;
  readonly arrows: readonly number[];
}

interface Visited {
  readonly terms: readonly [Term, Term];
  /** Position in the queue of the pair that this one was reached from, and by what; null: the beginning. */
  readonly from: { readonly position: number; readonly by: MoveKey } | null;
  readonly depth: number;
}

/** `path` leads to the place where one side allows `by` and the other does not; null: there one may be over. */
interface Differs {
  readonly kind: 'differs';
  readonly grain: Grain;
  readonly path: readonly MoveKey[];
  readonly allowedBy: 0 | 1;
  readonly by: MoveKey | null;
}

type Found = Differs | Exclude<Comparison, { readonly kind: 'different' }>;

function search(sides: Sides, grain: Grain, statesMax: number): Found {
  const queue: Visited[] = [{ terms: [sides[0].initial, sides[1].initial], from: null, depth: 0 }];
  const seen = new Set([queue[0]?.terms.join()]);
  const isShared = sides[0].contract.messages === sides[1].contract.messages;
  for (let position = 0; position < queue.length; position += 1) {
    const { terms, depth } = queue[position] ?? { terms: [FAIL, FAIL], depth: 0 };
    // Equal terms over one alphabet have equal futures.
    if (isShared && terms[0] === terms[1]) continue;
    const moves = [sides[0].moves(terms[0], grain), sides[1].moves(terms[1], grain)] as const;
    const difference = differenceAt(moves, [sides[0].accepts(terms[0]), sides[1].accepts(terms[1])]);
    if (difference !== null) return { kind: 'differs', grain, path: pathTo(queue, position), ...difference };
    for (const [by, { next }] of moves[0]) {
      const pair = [next, moves[1].get(by)?.next ?? FAIL] as const;
      if (seen.has(pair.join())) continue;
      if (queue.length >= statesMax) return { kind: 'unknown', bound: `${statesMax} pairs of states`, depth };
      seen.add(pair.join());
      queue.push({ terms: pair, from: { position, by }, depth: depth + 1 });
    }
  }
  return { kind: 'same' };
}

/** No term has a part without a run, so a move that one side lacks is a difference, wherever it leads. */
function differenceAt(
  moves: readonly [ReadonlyMap<MoveKey, Move>, ReadonlyMap<MoveKey, Move>],
  accepts: readonly [boolean, boolean],
): Pick<Differs, 'allowedBy' | 'by'> | null {
  for (const allowedBy of [0, 1] as const)
    for (const by of moves[allowedBy].keys()) if (!moves[allowedBy === 0 ? 1 : 0].has(by)) return { allowedBy, by };
  return accepts[0] === accepts[1] ? null : { allowedBy: accepts[0] ? 0 : 1, by: null };
}

function pathTo(queue: readonly Visited[], position: number): readonly MoveKey[] {
  const path: MoveKey[] = [];
  for (let from = queue[position]?.from; from != null; from = queue[from.position]?.from) path.push(from.by);
  return path.reverse();
}

/** The path once more, over each contract's own messages, to say which arrows its letters are. */
function witness(own: Sides, { grain, path, allowedBy, by }: Differs): Comparison {
  const terms: [Term, Term] = [own[0].initial, own[1].initial];
  const step = (key: MoveKey): ComparedStep => {
    const moves = own.map((side, index) => side.moves(terms[index === 0 ? 0 : 1], grain).get(key));
    const [one, other] = [moves[0], moves[1]];
    terms[0] = one?.next ?? FAIL;
    terms[1] = other?.next ?? FAIL;
    return { end: endOf(key), arrows: [one?.arrows ?? [], other?.arrows ?? []] };
  };
  const trace = path.map(step);
  const strict = allowedBy === 0 ? 1 : 0;
  const allowed = [...own[strict].moves(terms[strict], grain).values()];
  const expected = [...new Set(allowed.flatMap(({ arrows }) => arrows))].sort((a, b) => a - b);
  if (by === null) return { kind: 'different', allowedBy, at: 'ends', trace, expected };
  return { kind: 'different', allowedBy, at: 'goes-on', trace: [...trace, step(by)], expected };
}
