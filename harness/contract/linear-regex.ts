/**
 * JavaScript's regular expressions without what makes them slow: a backtracking engine can take for ever on one short
 * label (`^(a+)+$`), and labels come from systems that nobody here controls. A text is read once, from left to right, by
 * all alternatives together (Thompson's construction), and sets of alternatives that were met before are remembered.
 * Back references and look-around need backtracking, and are refused.
 */
export interface LinearRegex {
  readonly test: (text: string) => boolean;
}

/** Why a pattern is none, or none that can be matched in linear time. */
export interface RegexError {
  readonly error: string;
}

/** Repetitions are written out; this many parts at most. */
const STATES_MAX = 2_000;
/** Bounds the recursion over groups. */
const DEPTH_MAX = 50;
/** Sets of states that are remembered; then all are forgotten. */
const SETS_MAX = 1_000;

export function compileRegex(pattern: string): LinearRegex | RegexError {
  let native: RegExp;
  try {
    native = new RegExp(pattern);
  } catch (error) {
    return { error: error instanceof Error ? error.message : 'invalid regular expression' };
  }
  if (isFlat(pattern)) return native;
  try {
    return createMatcher(programOf(pattern));
  } catch (error) {
    if (error instanceof Refusal) return { error: error.message };
    throw error;
  }
}

const ATOM = String.raw`(?:\\[^1-9k]|\[(?:\\[^]|[^\]\\])+\]|[^\\[\](){}|*+?^$])`;
const FIXED = new RegExp(String.raw`^\^?${ATOM}*\$?$`);
const ONE_REPETITION = new RegExp(String.raw`^\^${ATOM}*[*+?]\??${ATOM}*\$?$`);

/**
 * No groups, and at most one repetition, of one character, in a pattern that is tied to the beginning: a backtracking
 * engine is linear on these, and the machine's own is the fastest there is.
 */
export const isFlat = (pattern: string): boolean => FIXED.test(pattern) || ONE_REPETITION.test(pattern);

/** Ends a compilation; becomes a `RegexError` at the door. */
class Refusal extends Error {}

type State =
  | { readonly kind: 'one'; readonly test: (character: string) => boolean; next: number }
  | { readonly kind: 'split'; next: number; other: number }
  | { readonly kind: 'assert'; readonly holds: (before: Side, after: Side) => boolean; next: number }
  | { readonly kind: 'match' };

/** What stands beside a position: nothing (an end of the text), a letter of a word, or something else. */
type Side = 'nothing' | 'word' | 'other';

const WORD = /^\w$/;
const sideOf = (character: string): Side => (character === '' ? 'nothing' : WORD.test(character) ? 'word' : 'other');

interface Program {
  readonly states: readonly State[];
  readonly start: number;
}

function programOf(pattern: string): Program {
  const parser = new Parser(pattern);
  const fragment = parser.alternatives(0);
  parser.expectEnd();
  const draft: Draft = { states: [{ kind: 'match' }], written: 0 };
  const start = emit(fragment, 0, draft);
  return { states: draft.states, start };
}

/** A part of a pattern. Flat where it can be: `sequence` and `choice` hold many parts, not pairs of two. */
type Part =
  | { readonly kind: 'one'; readonly test: (character: string) => boolean }
  | { readonly kind: 'assert'; readonly holds: (before: Side, after: Side) => boolean }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Part[] }
  | { readonly kind: 'repeat'; readonly part: Part; readonly min: number; readonly max: number };

interface Draft {
  readonly states: State[];
  /** Parts written down, since a repetition of nothing makes no states. */
  written: number;
}

/** Writes a part down, back to front: what follows it stands already. Returns where it begins. */
function emit(part: Part, next: number, draft: Draft): number {
  const add = (state: State): number => draft.states.push(state) - 1;
  draft.written++;
  if (draft.written > STATES_MAX) throw new Refusal(`its repetitions come to more than ${STATES_MAX} steps`);
  switch (part.kind) {
    case 'one':
      return add({ kind: 'one', test: part.test, next });
    case 'assert':
      return add({ kind: 'assert', holds: part.holds, next });
    case 'sequence':
      return part.parts.reduceRight((after, inner) => emit(inner, after, draft), next);
    case 'choice':
      return part.parts
        .map((inner) => emit(inner, next, draft))
        .reduceRight((other, start) => add({ kind: 'split', next: start, other }));
    case 'repeat':
      return emitRepeat(part, next, draft);
  }
}

function emitRepeat({ part, min, max }: Part & { readonly kind: 'repeat' }, next: number, draft: Draft): number {
  const add = (state: State): number => draft.states.push(state) - 1;
  let start = next;
  if (max === Infinity) {
    const loop: State & { readonly kind: 'split' } = { kind: 'split', next, other: next };
    start = add(loop);
    loop.next = emit(part, start, draft);
  } else {
    for (let left = max - min; left > 0; left--)
      start = add({ kind: 'split', next: emit(part, start, draft), other: next });
  }
  for (let left = min; left > 0; left--) start = emit(part, start, draft);
  return start;
}

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  expectEnd(): void {
    if (this.#at < this.#text.length) throw new Refusal('this kind of pattern is not known');
  }

  alternatives(depth: number): Part {
    if (depth > DEPTH_MAX) throw new Refusal(`groups are nested more than ${DEPTH_MAX} levels deep`);
    const parts = [this.#sequence(depth)];
    while (this.#skip('|')) parts.push(this.#sequence(depth));
    return { kind: 'choice', parts };
  }

  #sequence(depth: number): Part {
    const parts: Part[] = [];
    while (this.#at < this.#text.length && !/[|)]/.test(this.#text.charAt(this.#at)))
      parts.push(this.#repeated(this.#atom(depth)));
    return { kind: 'sequence', parts };
  }

  #repeated(part: Part): Part {
    const bounds = this.#bounds();
    if (bounds === null) return part;
    // How greedy it is decides what is matched, not whether.
    this.#skip('?');
    return { kind: 'repeat', part, ...bounds };
  }

  #bounds(): { readonly min: number; readonly max: number } | null {
    if (this.#skip('*')) return { min: 0, max: Infinity };
    if (this.#skip('+')) return { min: 1, max: Infinity };
    if (this.#skip('?')) return { min: 0, max: 1 };
    const counted = this.#take(/\{(\d+)(,(\d*))?\}/y);
    if (counted === null) return null;
    const min = Number(counted[1]);
    const max = counted[2] === undefined ? min : counted[3] === '' ? Infinity : Number(counted[3]);
    return { min: Math.min(min, STATES_MAX), max: max === Infinity ? max : Math.min(max, STATES_MAX + min) };
  }

  #atom(depth: number): Part {
    if (this.#skip('^')) return assertion((before) => before === 'nothing');
    if (this.#skip('$')) return assertion((_, after) => after === 'nothing');
    if (this.#take(/\\b/y) !== null) return assertion((before, after) => (before === 'word') !== (after === 'word'));
    if (this.#take(/\\B/y) !== null) return assertion((before, after) => (before === 'word') === (after === 'word'));
    if (this.#take(/\((?:\?:|\?<(?![=!])[^>]*>|(?!\?))/y) !== null) {
      const inner = this.alternatives(depth + 1);
      if (!this.#skip(')')) throw new Refusal('a group is not closed');
      return inner;
    }
    if (/^\((?:\?<?[=!])/.test(this.#text.slice(this.#at, this.#at + 4)))
      throw new Refusal('look-around is not supported: it cannot be matched in linear time');
    if (this.#take(/\\(?:[1-9]|k)/y) !== null)
      throw new Refusal('back references are not supported: they cannot be matched in linear time');
    const source = this.#take(
      /\\x[\da-fA-F]{2}|\\u[\da-fA-F]{4}|\\c[A-Za-z]|\\0|\\[^]|\[\^?(?:\\[^]|[^\]\\])*\]|[^\\[()]/y,
    );
    if (source === null) throw new Refusal('this kind of pattern is not known');
    return { kind: 'one', test: testOf(source[0]) };
  }

  #skip(character: string): boolean {
    if (this.#text.charAt(this.#at) !== character) return false;
    this.#at++;
    return true;
  }

  #take(sticky: RegExp): RegExpExecArray | null {
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#text);
    if (found !== null) this.#at = sticky.lastIndex;
    return found;
  }
}

const assertion = (holds: (before: Side, after: Side) => boolean): Part => ({ kind: 'assert', holds });

/** What stands for one character means what it means to JavaScript, which is asked about that one character. */
function testOf(source: string): (character: string) => boolean {
  if (!/[\\[.]/.test(source)) return (character) => character === source;
  const expression = new RegExp(`^${source}$`);
  return (character) => expression.test(character);
}

/** A set of states between two characters, and where the next character leads; null: it is matched. */
interface StateSet {
  readonly states: readonly number[];
  readonly before: Side;
  readonly next: Map<string, StateSet | null>;
}

function createMatcher({ states, start }: Program): LinearRegex {
  const sets = new Map<string, StateSet>();
  const setOf = (members: readonly number[], before: Side): StateSet => {
    const key = `${before} ${members.join(' ')}`;
    const known = sets.get(key);
    if (known !== undefined) return known;
    if (sets.size >= SETS_MAX) {
      // What is still walked on holds its own successors, which must go too.
      for (const set of sets.values()) set.next.clear();
      sets.clear();
    }
    const set: StateSet = { states: members, before, next: new Map() };
    sets.set(key, set);
    return set;
  };
  /** What waits for a character, once all that needs none is done; null where the end of the pattern is among it. */
  const waiting = (set: StateSet, after: Side): readonly number[] | null => {
    const seen = new Set<number>();
    const pending = [...set.states, start];
    const found: number[] = [];
    for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
      if (seen.has(index)) continue;
      seen.add(index);
      const state = states[index];
      if (state === undefined) throw new Error(`a program of ${states.length} states has no state ${index}`);
      if (state.kind === 'match') return null;
      if (state.kind === 'one') found.push(index);
      else if (state.kind === 'split') pending.push(state.next, state.other);
      else if (state.holds(set.before, after)) pending.push(state.next);
    }
    return found;
  };
  /** The empty text stands for the end. */
  const step = (set: StateSet, character: string): StateSet | null => {
    const members = waiting(set, sideOf(character));
    if (members === null) return null;
    const reached = new Set<number>();
    for (const index of members) {
      const state = states[index];
      if (state?.kind === 'one' && character !== '' && state.test(character)) reached.add(state.next);
    }
    return setOf(
      [...reached].sort((a, b) => a - b),
      sideOf(character),
    );
  };
  return {
    test(text) {
      let set = setOf([], 'nothing');
      for (let at = 0; at <= text.length; at++) {
        const character = text.charAt(at);
        let next = set.next.get(character);
        if (next === undefined) {
          next = step(set, character);
          set.next.set(character, next);
        }
        if (next === null) return true;
        set = next;
      }
      return false;
    },
  };
}
