import { childrenOf, lateMessages, type Contract, type ContractMessage, type Node } from '../contract/index.ts';
import type { EventKind, SourcedEvent, TraceEvent } from '../trace/index.ts';
import { linearExtension, type Drawn } from './linear-extension.ts';
import { commonPlace, DrawnOrder, placeIn, relationOfIterations, type End, type Place } from './oracle-order.ts';
import { EACH, GUARD, KEY } from './random-drawing.ts';
import type { Random } from './random.ts';

/** How a trace was made: one execution for each key, one or two of them, the same with changes, or at random. */
export type Origin = 'drawn' | 'repeated' | 'mutated' | 'random';

export interface MadeTrace {
  readonly events: readonly SourcedEvent[];
  /** It is one whole execution for each key, and each reply names the call that it answers. */
  readonly conformsByConstruction: boolean;
}

const EVENTS_MAX = 7;

/** An event before it has its place. `answers`: the call of this reply, as far as the execution knows. */
interface Draft {
  readonly from: string;
  readonly to: string;
  readonly kind: EventKind;
  readonly label: string;
  readonly status?: number;
  readonly attributes: Record<string, string>;
  /** Which end is seen, where the other one is hidden. */
  readonly point?: 'send' | 'receive';
  readonly answers?: Draft | undefined;
}

/** One position of the trace being made. Marks that share a draft are the two ends of one event. */
interface Mark {
  readonly draft: Draft;
  readonly end: 'both' | End;
}

/** A trace of a few events for a contract. */
export function randomTrace(contract: Contract, origin: Origin, random: Random): MadeTrace {
  return new TraceMaker(contract, random).make(origin);
}

class TraceMaker {
  readonly #contract: Contract;
  readonly #random: Random;
  readonly #drawable: readonly ContractMessage[];
  readonly #order: DrawnOrder;
  /** What stands in a concurrent loop and does not show the key. */
  readonly #keyless: ReadonlySet<number>;
  readonly #late: ReadonlySet<number>;
  /** Whether the source of this trace shows some messages at one end only. */
  readonly #hides: boolean;
  /** Whether what was drawn so far is whole and keeps every guard. */
  #isWhole = true;

  constructor(contract: Contract, random: Random) {
    this.#contract = contract;
    this.#random = random;
    this.#hides = random.oneIn(6);
    this.#order = new DrawnOrder(contract);
    this.#late = lateMessages(contract);
    this.#keyless = new Set(inConcurrentLoops(contract.term).filter((message) => !this.#isKeyed(message)));
    this.#drawable = contract.messages.filter(({ entry }) => entry === undefined);
  }

  make(origin: Origin): MadeTrace {
    const random = this.#random;
    const keys =
      this.#contract.key.length === 0
        ? ['x']
        : random.weighted([
            [2, ['x']],
            [3, ['x', 'y']],
            [1, ['x', 'y', 'z']],
          ]);
    const isPaired = random.below(3) < 2;
    const marks = origin === 'random' ? this.#randomMarks(keys) : this.#drawnMarks(keys, origin === 'drawn' ? 1 : 2);
    const kept = firstEvents(origin === 'mutated' ? this.#mutate(marks) : marks);
    const isEachPaired = marks.every(
      ({ draft }) => draft.kind !== 'reply' || (isPaired && draft.answers !== undefined),
    );
    return {
      events: numbered(this.#withNoise(kept), isPaired),
      conformsByConstruction: origin === 'drawn' && this.#isWhole && kept.length === marks.length && isEachPaired,
    };
  }

  // --- Executions -----------------------------------------------------------------------------------------------------

  /** For each key up to `runsMax` executions, one after the other; those of different keys interleave. */
  #drawnMarks(keys: readonly string[], runsMax: number): readonly Mark[] {
    const runs = 1 + this.#random.below(runsMax);
    const size = Math.floor(EVENTS_MAX / keys.length / runs);
    // What shows no key is seen by every instance.
    if (this.#keyless.size > 0 && keys.length > 1) this.#isWhole = false;
    const tracks = keys.map((key) => Array.from({ length: runs }, () => this.#run(key, size)).flat());
    return this.#interleave(tracks);
  }

  #run(key: string, size: number): readonly Mark[] {
    const random = this.#random;
    const drawn = this.#execution(size);
    const drafts: Draft[] = [];
    for (const { message: index, place } of drawn) {
      const message = this.#message(index);
      const call = drawn.findLastIndex(
        (earlier, at) =>
          at < drafts.length &&
          earlier.message === message.replyOf &&
          // What an earlier iteration called, or one for another value, is answered there, or never.
          !['iterations', 'values'].includes(commonPlace(earlier.place, place).role.kind),
      );
      drafts.push(this.#draft(message, key, { place, answers: drafts[call] }));
    }
    const isInstant = drafts.map(
      (draft, position) =>
        // What is overtaken is never received at the instant at which it is sent.
        !this.#late.has(drawn[position]?.message ?? -1) &&
        ((isOneSided(draft) && draft.point === undefined) || random.oneIn(2)),
    );
    const steps = linearExtension(this.#order, drawn, { isInstant, choices: random });
    if (steps === null) {
      this.#isWhole = false;
      return [];
    }
    const first = steps.map(({ position }) => position);
    this.#keepGuards(drawn, drafts, (position) => first.indexOf(position));
    const { lifetimes, ordered, guards } = this.#contract;
    // Not kept by the linear extension, or not when an end is hidden by which an operand is entered.
    if (lifetimes !== undefined || ordered !== undefined || (guards !== undefined && this.#hides))
      this.#isWhole = false;
    return steps.flatMap(({ position, end }) => {
      const draft = drafts[position];
      if (draft === undefined) return [];
      if (draft.kind === 'lost') return end === 'receipt' ? [] : [{ draft, end: 'both' }];
      if (draft.point === undefined || end === 'both') return [{ draft, end }];
      return draft.point === (end === 'send' ? 'send' : 'receive') ? [{ draft, end: 'both' }] : [];
    });
  }

  /** The event that enters a guarded operand makes its guard true. */
  #keepGuards(drawn: readonly Drawn[], drafts: readonly Draft[], momentOf: (position: number) => number): void {
    const entering = new Map<Place, number>();
    for (const [position, { place }] of drawn.entries())
      for (let at: Place | null = place; at !== null; at = at.around) {
        if (at.role.kind !== 'guarded') continue;
        const known = entering.get(at);
        if (known === undefined || momentOf(position) < momentOf(known)) entering.set(at, position);
      }
    const wanted = new Map<number, string>();
    for (const [{ role }, position] of entering) {
      if (role.kind !== 'guarded') continue;
      const value = this.#contract.guards?.[role.guard]?.when.at(-2) ?? '';
      if ((wanted.get(position) ?? value) !== value) this.#isWhole = false;
      wanted.set(position, value);
      const draft = drafts[position];
      if (draft !== undefined) draft.attributes[GUARD] = value;
    }
  }

  /** A random execution of about `size` messages: once they are reached, whatever may be left out is. */
  #execution(size: number): readonly Drawn[] {
    const { term, order } = this.#contract;
    const random = this.#random;
    let drawn: Drawn[] = [];
    const isOver = (): boolean => drawn.length >= size;
    /** Whether a break ended what is around the node. */
    const draw = (node: Node, place: Place): boolean => {
      switch (node.kind) {
        case 'message':
          drawn.push({ message: node.message, place });
          return false;
        case 'seq': {
          const parts = placeIn(place, order);
          return node.items.some((item) => draw(item, parts));
        }
        case 'par': {
          const operands = placeIn(place, 'none');
          for (const operand of node.operands) draw(operand, operands);
          return false;
        }
        case 'opt':
          return drawOneOf([node.body], true, place);
        case 'alt':
          return drawOneOf(node.operands, node.optional, place);
        case 'guarded':
          return draw(node.body, placeIn(place, order, { kind: 'guarded', guard: node.guard }));
        case 'break':
          return (isOver() ? random.oneIn(8) : random.oneIn(2)) && (draw(node.body, place), true);
        case 'loop':
          drawLoops(node, place);
          return false;
        case 'critical':
          return drawCritical(node, placeIn(place, order, { kind: 'critical', unit: this.#order.unitOf(node) }));
        case 'concurrent':
          drawConcurrent(node.loops, placeIn(place, 'none', { kind: 'concurrent' }));
          return false;
      }
    };
    const drawOneOf = (operands: readonly Node[], isOptional: boolean, place: Place): boolean => {
      const skipped = isOptional && (isOver() || random.oneIn(4));
      const operand = skipped ? undefined : random.of(operands);
      return operand !== undefined && draw(operand, place);
    };
    const drawLoops = (node: Extract<Node, { kind: 'loop' }>, place: Place): void => {
      if (node.each === undefined) {
        drawLoop(node, placeIn(place, relationOfIterations(order), { kind: 'iterations' }), 0);
        return;
      }
      const values = placeIn(place, 'none', { kind: 'values' });
      // A value that is seen in other messages like these may be due here too.
      if (node.min > 0) this.#isWhole = false;
      const around = valueIn(place);
      const few = around === undefined ? null : [around];
      for (const value of few ??
        random.weighted([
          [node.min > 0 ? 0 : 1, []],
          [2, ['1']],
          [3, ['1', '2']],
        ])) {
        const own = placeIn(values, order, { kind: 'value', parameter: node.each, value });
        drawLoop(node, placeIn(own, relationOfIterations(order), { kind: 'iterations' }), 1);
      }
    };
    const drawLoop = (node: Extract<Node, { kind: 'loop' }>, place: Place, least: number): void => {
      const [min, max] = [Math.max(node.min, least), node.max ?? size];
      for (let count = 0; count < min || (count < max && !isOver() && !random.oneIn(4)); count++)
        if (draw(node.body, place)) return;
    };
    const drawCritical = (node: Extract<Node, { kind: 'critical' }>, place: Place): boolean => {
      const before = drawn.length;
      if (draw(node.body, place)) return true;
      const begun = drawn.length - before;
      const option = begun === 0 || random.oneIn(2) ? undefined : random.of(node.options);
      if (option === undefined) return false;
      drawn = drawn.slice(0, before + 1 + random.below(begun));
      draw(option, place);
      return false;
    };
    /** What is keyed, of an iteration that is about another instance, is not there. */
    const drawRests = (loop: Node, around: Place, share: number): void => {
      if (loop.kind !== 'loop' || isOver() || !random.oneIn(share)) return;
      const before = drawn;
      drawn = [];
      drawLoop(loop, placeIn(around, relationOfIterations(order), { kind: 'iterations' }), 0);
      drawn = [...before, ...drawn.filter(({ message }) => !this.#isKeyed(message))];
    };
    const drawConcurrent = (loops: readonly Node[], beside: Place): void => {
      for (const loop of loops) drawRests(loop, beside, 5);
      let place = placeIn(beside, 'causal');
      for (const loop of loops) {
        if (loop.kind !== 'loop') continue;
        drawRests(loop, place, 3);
        if (isOver() || random.oneIn(5)) return;
        const before = drawn.length;
        draw(loop.body, placeIn(place, order, { kind: 'first' }));
        if (!drawn.slice(before).some(({ message }) => this.#isKeyed(message))) this.#isWhole = false;
        const parts = placeIn(place, 'none', { kind: 'concurrent' });
        if (random.oneIn(3)) drawLoop(loop, placeIn(parts, relationOfIterations(order), { kind: 'iterations' }), 0);
        place = placeIn(parts, 'causal');
      }
    };
    draw(term, placeIn(null, order));
    return drawn;
  }

  #isKeyed(message: number): boolean {
    return this.#contract.key.length === 0 || this.#contract.messages[message]?.keyed === true;
  }

  #message(index: number): ContractMessage {
    const message = this.#contract.messages[index];
    if (message === undefined) throw new Error(`The term names message ${index}, which the contract does not hold.`);
    return message;
  }

  #draft(
    message: ContractMessage,
    key: string,
    { place, answers }: { readonly place?: Place; readonly answers?: Draft | undefined } = {},
  ): Draft {
    const { contract, random } = { contract: this.#contract, random: this.#random };
    const nameOf = (lifeline: number | null): string =>
      lifeline === null ? OUTSIDE : (contract.lifelines[lifeline]?.label ?? '');
    const kind = this.#kindOf(message);
    const status = statusOf(message, random);
    return {
      from: nameOf(message.from),
      to: nameOf(message.to),
      kind,
      label: message.match.label ?? 'anything',
      ...(kind === 'reply' && status !== null ? { status } : {}),
      ...this.#pointOf(message, kind),
      attributes: {
        ...(contract.key.length === 0 || this.#keyless.has(message.index) ? {} : { [KEY]: key }),
        ...(contract.parameters.some(({ name }) => name === EACH)
          ? { [EACH]: valueIn(place ?? null) ?? String(1 + random.below(2)) }
          : {}),
        ...(contract.guards === undefined ? {} : { [GUARD]: String(random.below(2)) }),
      },
      ...(answers === undefined ? {} : { answers }),
    };
  }

  #pointOf({ receipt }: ContractMessage, kind: EventKind): Pick<Draft, 'point'> {
    if (kind === 'lost') return {};
    if (receipt === 'never') return { point: 'send' };
    return this.#hides && this.#random.oneIn(3) ? { point: this.#random.oneIn(2) ? 'send' : 'receive' } : {};
  }

  /** One text between the same two is of one kind: which of a call and a send an event is, is not the oracle's matter. */
  #kindOf({ kind, from, to, match, receipt }: ContractMessage): EventKind {
    if (kind === 'reply') return 'reply';
    if (receipt === 'never' ? this.#random.oneIn(2) : receipt === 'free' && this.#random.oneIn(3)) return 'lost';
    const isCall = this.#drawable.some(
      (other) => other.kind === 'call' && other.from === from && other.to === to && other.match.label === match.label,
    );
    if (isCall) return 'call';
    return this.#random.weighted<EventKind>([
      [2, 'async'],
      [1, 'call'],
      [from === to ? 2 : 0, 'self'],
    ]);
  }

  // --- Other traces ---------------------------------------------------------------------------------------------------

  #interleave(tracks: readonly (readonly Mark[])[]): readonly Mark[] {
    const rest = tracks.map((track) => [...track]);
    const marks: Mark[] = [];
    for (;;) {
      const next = this.#random.of(rest.filter((track) => track.length > 0))?.shift();
      if (next === undefined) return marks;
      marks.push(next);
    }
  }

  #randomMarks(keys: readonly string[]): readonly Mark[] {
    let marks: readonly Mark[] = [];
    const count = 1 + this.#random.below(EVENTS_MAX);
    for (let event = 0; event < count; event++) marks = this.#insert(marks, this.#randomDraft(keys));
    return marks;
  }

  #randomDraft(keys: readonly string[]): Draft {
    const message = this.#random.of(this.#drawable);
    if (message === undefined) throw new Error('Every generated contract has a message.');
    return this.#draft(message, this.#random.of(keys) ?? 'x');
  }

  /** Puts an event somewhere into the trace, at one instant or with its two ends apart. */
  #insert(marks: readonly Mark[], draft: Draft): readonly Mark[] {
    const at = this.#random.below(marks.length + 1);
    if (isOneSided(draft) || this.#random.oneIn(2)) return marks.toSpliced(at, 0, { draft, end: 'both' });
    const later = at + this.#random.below(marks.length - at + 1);
    return marks.toSpliced(later, 0, { draft, end: 'receipt' }).toSpliced(at, 0, { draft, end: 'send' });
  }

  #mutate(marks: readonly Mark[]): readonly Mark[] {
    let mutated = marks;
    for (let left = 1 + this.#random.below(2); left > 0; left--) {
      const changed = this.#change(mutated);
      // A receipt never comes before its own send: that is no trace.
      if (changed.every((mark, index) => mark.end !== 'receipt' || isSentBefore(changed, index))) mutated = changed;
    }
    return mutated;
  }

  #change(marks: readonly Mark[]): readonly Mark[] {
    const random = this.#random;
    const at = random.below(marks.length);
    const mark = marks[at];
    if (mark === undefined) return this.#insert(marks, this.#randomDraft(['x']));
    const { draft } = mark;
    switch (random.below(9)) {
      case 0:
        return [...marks.slice(0, at), ...marks.slice(at, at + 2).reverse(), ...marks.slice(at + 2)];
      case 1:
        return marks.filter((other) => other.draft !== draft);
      case 2:
        return this.#insert(marks, { ...draft, attributes: { ...draft.attributes } });
      case 3: {
        const other = this.#randomDraft([draft.attributes[KEY] ?? 'x']);
        const last = isOneSided(other) ? 'receipt' : null;
        return marks.flatMap((one): readonly Mark[] => {
          if (one.draft !== draft) return [one];
          return one.end === last ? [] : [{ draft: other, end: last === null ? one.end : 'both' }];
        });
      }
      case 4: {
        const others = marks.toSpliced(at, 1);
        return others.toSpliced(random.below(others.length + 1), 0, mark);
      }
      // An event happens earlier, at one instant: a reply before what was done for it, for example.
      case 5: {
        const reply = random.of(marks.filter((other) => other.draft.kind === 'reply'))?.draft ?? draft;
        const first = marks.findIndex((other) => other.draft === reply);
        const others = marks.filter((other) => other.draft !== reply);
        return others.toSpliced(Math.max(0, first - 1 - random.below(3)), 0, { draft: reply, end: 'both' });
      }
      // An event of one instant is now received later than it was sent.
      case 6: {
        if (mark.end !== 'both' || isOneSided(draft)) return marks;
        const later = at + 1 + random.below(marks.length - at);
        return marks.toSpliced(later, 0, { draft, end: 'receipt' }).toSpliced(at, 1, { draft, end: 'send' });
      }
      // It is about something else now: another iteration, another branch.
      case 7: {
        const { [GUARD]: guard, [EACH]: value } = draft.attributes;
        const attributes = {
          ...draft.attributes,
          ...(guard === undefined ? {} : { [GUARD]: String(random.below(2)) }),
          ...(value === undefined ? {} : { [EACH]: String(1 + random.below(2)) }),
        };
        const other = { ...draft, attributes };
        return marks.map((one) => (one.draft === draft ? { ...one, draft: other } : one));
      }
      default: {
        const kept = new Set(marks.slice(0, at).map((one) => one.draft));
        return marks.filter((one) => kept.has(one.draft));
      }
    }
  }

  /** Now and then, traffic that the contract does not mention. */
  #withNoise(marks: readonly Mark[]): readonly Mark[] {
    if (!this.#random.oneIn(5)) return marks;
    const names = this.#contract.lifelines.map(({ label }) => label);
    const [from, to] = [this.#random.of(names) ?? '', this.#random.of(names) ?? ''];
    return this.#insert(marks, { from, to, kind: 'async', label: 'noise', attributes: {} });
  }
}

function inConcurrentLoops(term: Node): readonly number[] {
  const messages: number[] = [];
  const pending = [{ node: term, isInside: false }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, isInside } = next;
    if (node.kind === 'message' && isInside) messages.push(node.message);
    for (const part of childrenOf(node)) pending.push({ node: part, isInside: isInside || node.kind === 'concurrent' });
  }
  return messages;
}

/** Who is no lifeline: what comes from there is found, what goes there is lost. */
const OUTSIDE = 'Z';

/** Whether only one position shows it: its other end is hidden, or nobody's. */
function isOneSided({ from, to, kind, point }: Draft): boolean {
  return point !== undefined || kind === 'lost' || from === OUTSIDE || to === OUTSIDE;
}

function statusOf({ match }: ContractMessage, random: Random): number | null {
  switch (match.status?.kind) {
    case 'exact':
      return match.status.status;
    case 'class':
    case 'anyOf':
      throw new Error('the random drawings name one status, or a word');
    case 'success':
      return 200;
    case 'error':
      return random.of([404, 500]) ?? 404;
    case undefined:
      return 200;
  }
}

function valueIn(place: Place | null): string | undefined {
  for (let at = place; at !== null; at = at.around) if (at.role.kind === 'value') return at.role.value;
  return undefined;
}

function isSentBefore(marks: readonly Mark[], receipt: number): boolean {
  return marks.slice(0, receipt).some((mark) => mark.end === 'send' && mark.draft === marks[receipt]?.draft);
}

/** The first events by their sends, each with its receipt. */
function firstEvents(marks: readonly Mark[]): readonly Mark[] {
  const drafts = new Set(marks.map(({ draft }) => draft));
  if (drafts.size <= EVENTS_MAX) return marks;
  const kept = new Set([...drafts].slice(0, EVENTS_MAX));
  return marks.filter(({ draft }) => kept.has(draft));
}

/**
 * Gives each event its place; with `isPaired` calls have an id and replies name the call that they answer, else some replies
 * do not show the key either.
 */
function numbered(marks: readonly Mark[], isPaired: boolean): readonly SourcedEvent[] {
  const sends = marks.filter(({ end }) => end !== 'receipt').map(({ draft }) => draft);
  const unnamed = repliesToOneInstance(sends);
  const placeOf = (draft: Draft, end: Mark['end']): number =>
    marks.findIndex((mark) => mark.draft === draft && mark.end === end) + 1;
  return sends.map((draft, index) => {
    const { answers, attributes, ...rest } = draft;
    const call = answers === undefined ? -1 : sends.indexOf(answers);
    const received = placeOf(draft, 'receipt');
    const event: TraceEvent = {
      ...rest,
      ...(isPaired ? { id: `e${index}` } : {}),
      ...(isPaired && call >= 0 ? { replyTo: `e${call}` } : {}),
      seq: placeOf(draft, received > 0 ? 'send' : 'both'),
      ...(received > 0 ? { receivedSeq: received } : {}),
      attributes: !isPaired && unnamed.has(draft) && index % 3 > 0 ? withoutKey(attributes) : attributes,
    };
    return { event, source: 'generated', line: index + 1 };
  });
}

/** The replies whose call is known without a name: no call of another instance is open beside it. */
function repliesToOneInstance(drafts: readonly Draft[]): ReadonlySet<Draft> {
  const open = new Map<string, { calls: Draft[]; keys: Set<string | undefined> }>();
  const found = new Set<Draft>();
  for (const draft of drafts) {
    const [from, to] = draft.kind === 'reply' ? [draft.to, draft.from] : [draft.from, draft.to];
    const pair = JSON.stringify([from, to]);
    const { calls, keys } = open.get(pair) ?? { calls: [], keys: new Set() };
    if (draft.kind === 'call') open.set(pair, { calls: [...calls, draft], keys: keys.add(draft.attributes[KEY]) });
    if (draft.kind !== 'reply') continue;
    const call = calls.pop();
    if (call !== undefined && call === draft.answers && keys.size === 1) found.add(draft);
    if (calls.length === 0) open.delete(pair);
  }
  return found;
}

function withoutKey(attributes: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => name !== KEY));
}
