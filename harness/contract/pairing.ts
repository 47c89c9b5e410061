import type { FragmentKind } from '../diagram/index.ts';
import type { Arrow, Visit } from './drawing.ts';

/** Which drawn reply answers which drawn call, and which call is being served when an arrow is sent; by arrow index. */
export interface Pairing {
  /** Reply to call. A dashed arrow that is missing here answers nothing: an ordinary message. */
  readonly callOf: ReadonlyMap<number, number>;
  /** The answered call that is drawn open to the sender of an arrow; missing: none, or not the same one on every path. */
  readonly servedCallOf: ReadonlyMap<number, number>;
  /** Replies that answer one call on one path and another on another. */
  readonly ambiguous: readonly number[];
  /** Some pair of participants has more paths than are followed. */
  readonly isTooBranched: boolean;
}

/** How a fragment passes control, as far as pairing needs it. */
export interface FragmentForm {
  readonly kind: FragmentKind;
  /** It may be passed by without taking any operand. */
  readonly isSkippable: boolean;
}

/** Open calls of one pair of participants on one path; the latest first. */
interface Open {
  readonly call: number;
  readonly below: Stack;
}
type Stack = Open | null;
/** The different stacks that paths to this point have left, by ordered pair of participants. */
type State = Map<string, readonly Stack[]>;

const PATHS_MAX = 64;
const EMPTY: readonly Stack[] = [null];

/** The arrows of a drawing, and how its fragments pass control. */
interface Followed {
  readonly arrows: readonly Arrow[];
  readonly formOf: (fragment: number) => FragmentForm;
  /** Where arrows overtake each other: those that are received after this one is sent, and before the next one is. */
  readonly arrivals: ReadonlyMap<number, readonly number[]>;
}

/**
 * Per path: an operand begins with the calls that are open where its fragment begins, and never sees a sibling's. Pairs of
 * participants are followed one by one, which loses nothing (a reply looks only at calls in the opposite direction) and keeps
 * five unrelated options from being thirty-two paths.
 */
export function pairReplies(
  arrows: readonly Arrow[],
  visits: readonly Visit[],
  formOf: (fragment: number) => FragmentForm,
  arrivals: ReadonlyMap<number, readonly number[]> = new Map(),
): Pairing {
  const followed = { arrows, formOf, arrivals };
  const opens = (arrow: Arrow): boolean => arrow.line === 'solid' && !arrow.isOneWay;
  const first = new Follower(followed, opens).follow(visits);
  const answered = new Set(first.callOf.values());
  // A call without a drawn reply is never over, so it does not count as being served: the second walk leaves it out.
  const second = new Follower(followed, (arrow) => answered.has(arrow.index)).follow(visits);
  return { ...first, servedCallOf: second.servedCallOf };
}

interface Frame {
  readonly entry: State;
  readonly exits: State[];
  readonly form: FragmentForm;
  /** Of a critical fragment: how things stand after each arrow of its body; an option may follow any of them. */
  readonly begun: State[];
}

class Follower {
  readonly #arrows: readonly Arrow[];
  readonly #arrivals: ReadonlyMap<number, readonly number[]>;
  readonly #formOf: (fragment: number) => FragmentForm;
  readonly #opens: (arrow: Arrow) => boolean;
  readonly #callOf = new Map<number, number>();
  readonly #servedCallOf = new Map<number, number>();
  readonly #ambiguous: number[] = [];
  readonly #frames: Frame[] = [];
  readonly #repliesTo: ReadonlyMap<string, readonly number[]>;
  #isTooBranched = false;
  #state: State = new Map();
  #at = -1;

  constructor({ arrows, formOf, arrivals }: Followed, opens: (arrow: Arrow) => boolean) {
    this.#arrivals = arrivals;
    this.#arrows = arrows;
    this.#formOf = formOf;
    this.#opens = opens;
    this.#repliesTo = repliesByPair(arrows);
  }

  follow(visits: readonly Visit[]): Pairing {
    for (const visit of visits) {
      switch (visit.kind) {
        case 'arrow':
          this.#pass(visit.arrow);
          break;
        case 'open':
          this.#frames.push({ entry: this.#state, exits: [], begun: [], form: this.#formOf(visit.fragment) });
          break;
        case 'operand':
          this.#enter(visit.operand);
          break;
        case 'close':
          this.#leave();
      }
    }
    return {
      callOf: this.#callOf,
      servedCallOf: this.#servedCallOf,
      ambiguous: this.#ambiguous,
      isTooBranched: this.#isTooBranched,
    };
  }

  #pass(index: number): void {
    const arrow = this.#arrows[index];
    if (arrow === undefined) return;
    this.#at = index;
    const served = this.#served(arrow.from);
    if (served !== null) this.#servedCallOf.set(index, served);
    if (arrow.line === 'dashed') this.#answer(arrow);
    // Nobody answers, or serves, what was not received.
    for (const received of this.#arrivals.get(index) ?? [index]) this.#open(received);
    for (const frame of this.#frames)
      if (frame.form.kind === 'critical' && frame.exits.length === 0 && frame.begun.length < PATHS_MAX)
        frame.begun.push(new Map(this.#state));
  }

  #open(index: number): void {
    const arrow = this.#arrows[index];
    if (arrow === undefined || arrow.line === 'dashed' || !this.#opens(arrow)) return;
    const key = pairKey(arrow.from, arrow.to);
    const stacks = this.#state.get(key) ?? EMPTY;
    if (this.#repliesLeft(key) === 0) return;
    this.#state.set(
      key,
      stacks.map((below) => ({ call: index, below })),
    );
  }

  /** The latest call to this lifeline that is open on every path; null where paths differ: then nothing is demanded. */
  #served(lifeline: number | null): number | null {
    if (lifeline === null) return null;
    let latest = -1;
    for (const [key, stacks] of this.#state) {
      if (!key.endsWith(`>${lifeline}`)) continue;
      const tops = new Set(stacks.map((stack) => stack?.call ?? -1));
      if (tops.size > 1) return null;
      latest = Math.max(latest, ...tops);
    }
    return latest < 0 ? null : latest;
  }

  #answer(reply: Arrow): void {
    const key = pairKey(reply.to, reply.from);
    const stacks = this.#state.get(key) ?? EMPTY;
    const calls = new Set(stacks.flatMap((stack) => (stack === null ? [] : [stack.call])));
    const [call] = calls;
    if (call === undefined) return;
    this.#callOf.set(reply.index, call);
    if (calls.size > 1) this.#ambiguous.push(reply.index);
    this.#state.set(
      key,
      this.#distinct(
        key,
        stacks.map((stack) => stack?.below ?? null),
      ),
    );
  }

  #enter(operand: number): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined || isTransparent(frame.form.kind)) return;
    if (operand > 0) frame.exits.push(this.#state);
    this.#state =
      operand > 0 && frame.form.kind === 'critical'
        ? this.#afterOne([...frame.begun, frame.entry])
        : new Map(frame.entry);
  }

  #leave(): void {
    const frame = this.#frames.pop();
    if (frame === undefined || isTransparent(frame.form.kind)) return;
    frame.exits.push(this.#state);
    const { kind, isSkippable } = frame.form;
    if (kind === 'break') {
      // Nothing that is drawn after it here follows it.
      this.#state = frame.entry;
      return;
    }
    this.#state =
      kind === 'par' || kind === 'par_over'
        ? this.#afterAll(frame)
        : this.#afterOne(isSkippable ? [frame.entry, ...frame.exits] : frame.exits);
  }

  #afterOne(exits: readonly State[]): State {
    const keys = new Set(exits.flatMap((exit) => [...exit.keys()]));
    const after: State = new Map();
    for (const key of keys)
      after.set(
        key,
        this.#distinct(
          key,
          exits.flatMap((exit) => exit.get(key) ?? EMPTY),
        ),
      );
    return after;
  }

  /** All operands have run: what one of them has answered is answered, what any has opened is open. */
  #afterAll({ entry, exits }: Frame): State {
    const after: State = new Map();
    for (const key of new Set(exits.flatMap((exit) => [...exit.keys()]))) {
      const before = new Set((entry.get(key) ?? EMPTY).flatMap((stack) => callsOf(stack, Infinity)));
      let merged: readonly Stack[] | null = null;
      for (const exit of exits) {
        const stacks = exit.get(key) ?? EMPTY;
        merged =
          merged === null
            ? stacks
            : this.#distinct(
                key,
                merged.flatMap((one) => stacks.map((other) => join(one, other, before))),
              );
      }
      after.set(key, merged ?? EMPTY);
    }
    return after;
  }

  /** Stacks are told apart only as deep as replies can still reach: twenty unanswered options are no twenty choices. */
  #distinct(key: string, stacks: readonly Stack[]): readonly Stack[] {
    const depth = this.#repliesLeft(key);
    const byCalls = new Map<string, Stack>();
    for (const stack of stacks) {
      const calls = callsOf(stack, depth);
      const name = calls.join(' ');
      if (!byCalls.has(name)) byCalls.set(name, stackOf(calls));
    }
    if (byCalls.size > PATHS_MAX) this.#isTooBranched = true;
    return [...byCalls.values()].slice(0, PATHS_MAX);
  }

  /** How many replies are drawn further down, for calls of this pair. */
  #repliesLeft(key: string): number {
    return this.#repliesTo.get(key)?.filter((index) => index > this.#at).length ?? 0;
  }
}

function repliesByPair(arrows: readonly Arrow[]): ReadonlyMap<string, readonly number[]> {
  const replies = new Map<string, number[]>();
  for (const { line, from, to, index } of arrows) {
    if (line !== 'dashed') continue;
    const key = pairKey(to, from);
    const known = replies.get(key);
    if (known === undefined) replies.set(key, [index]);
    else known.push(index);
  }
  return replies;
}

const pairKey = (from: number | null, to: number | null): string => `${from ?? ''}>${to ?? ''}`;

const isTransparent = (kind: FragmentKind): boolean => kind === 'rect' || kind === 'group' || kind === 'ref';

/** The latest first, no more than `limit`. */
function callsOf(stack: Stack, limit: number): number[] {
  const calls: number[] = [];
  for (let open = stack; open !== null && calls.length < limit; open = open.below) calls.push(open.call);
  return calls;
}

const stackOf = (calls: readonly number[]): Stack => calls.reduceRight<Stack>((below, call) => ({ call, below }), null);

function join(one: Stack, other: Stack, before: ReadonlySet<number>): Stack {
  const inOne = new Set(callsOf(one, Infinity));
  const inOther = new Set(callsOf(other, Infinity));
  const open = [...inOne, ...inOther].filter((call) => !before.has(call) || (inOne.has(call) && inOther.has(call)));
  return stackOf([...new Set(open)].sort((a, b) => b - a));
}
