import { childrenOf, type Contract, type ContractMessage, type Node, type Order } from '../contract/index.ts';

/** How the parts of one place are composed; `none`: beside each other. */
export type Relation = Order | 'none';
export type End = 'send' | 'receipt';

/**
 * Where something of an execution stands: inside of what, and how the parts there are composed. One is made for each time a
 * part of the drawing is gone through, so each iteration of a loop has places of its own.
 */
export interface Place {
  readonly around: Place | null;
  readonly depth: number;
  readonly relation: Relation;
  readonly role: Role;
}
export type Role =
  | { readonly kind: 'parts' | 'iterations' | 'values' | 'concurrent' }
  | { readonly kind: 'guarded'; readonly guard: number }
  /** `unit`: see `DrawnOrder.unitOf`. */
  | { readonly kind: 'critical'; readonly unit: number }
  /** The first iteration of a concurrent loop that mentions the instance. */
  | { readonly kind: 'first' }
  /** Everything here is about this value of the parameter. */
  | { readonly kind: 'value'; readonly parameter: string; readonly value: string };

const PARTS: Role = { kind: 'parts' };

/** A place inside of another one. */
export function placeIn(around: Place | null, relation: Relation, role: Role = PARTS): Place {
  return { around, depth: around === null ? 0 : around.depth + 1, relation, role };
}

/** The innermost place that holds both. */
export function commonPlace(one: Place, other: Place): Place {
  let [a, b]: [Place | null, Place | null] = [one, other];
  while (a !== null && b !== null && a !== b)
    if (a.depth > b.depth) a = a.around;
    else if (b.depth > a.depth) b = b.around;
    else [a, b] = [a.around, b.around];
  if (a === null || b === null) throw new Error('Two places of one execution have the whole drawing in common.');
  return a;
}

/** Whether a place is another one, or inside of it. */
export function isInside(place: Place, outer: Place): boolean {
  for (let at: Place | null = place; at !== null; at = at.around) if (at === outer) return true;
  return false;
}

/** The critical fragments that something of an execution stands in. */
export function criticalsOf(drawn: readonly Placed[]): ReadonlySet<Place> {
  const found = new Set<Place>();
  for (const { place } of drawn)
    for (let at: Place | null = place; at !== null; at = at.around) if (at.role.kind === 'critical') found.add(at);
  return found;
}

/** Iterations under `causal` are composed by `lifeline` (section 4.2). */
export function relationOfIterations(order: Order): Relation {
  return order === 'causal' ? 'lifeline' : order;
}

/** A message of an execution and where it stands. */
export interface Placed {
  readonly message: number;
  readonly place: Place;
}

/** Which ends of an earlier message precede which ends of a later one: one bit for each pair, see `pairBit`. */
export type Demands = number;
export const NO_DEMANDS: Demands = 0;
export const ALL_DEMANDS: Demands = 0b1111;

/** The bit for "this end of the earlier message precedes that end of the later one". */
export function pairBit(earlier: End, later: End): Demands {
  return 1 << ((earlier === 'receipt' ? 2 : 0) + (later === 'receipt' ? 1 : 0));
}

/** What a binding promises of two messages. */
export interface Promised {
  readonly earlier: number;
  readonly later: number;
  /** They go round beside each other: the first of one comes before the first of the other, and so on. */
  readonly isCounted: boolean;
}

/** How far down the ends of a message are drawn, among the messages that are drawn as overtaking each other. */
interface Heights {
  readonly group: Node;
  readonly send: number;
  readonly receipt: number;
}

/** What a contract demands of two messages of an execution. */
export class DrawnOrder {
  readonly promises: readonly Promised[];
  readonly #messages: readonly ContractMessage[];
  readonly #unordered: ReadonlySet<number>;
  readonly #bridged: ReadonlySet<number>;
  /** Messages and, behind them, critical fragments: what is one thing, seen from outside. By unit, the messages in it. */
  readonly #units: (readonly number[])[];
  readonly #unitOf = new Map<Node, number>();
  readonly #tables = new Map<Relation, Int8Array>();
  readonly #heights: ReadonlyMap<number, Heights>;

  constructor({ messages, term, unordered, bridged, ordered = [] }: Contract) {
    this.#messages = messages.filter(({ entry }) => entry === undefined);
    this.#heights = heightsIn(term);
    this.#units = this.#messages.map(({ index }) => [index]);
    for (const critical of criticalNodes(term)) this.#unitOf.set(critical, this.#units.push(messagesIn(critical)) - 1);
    this.promises = ordered.map(([earlier, later]) => {
      return { earlier, later, isCounted: goRoundBeside(term, earlier, later) };
    });
    this.#unordered = new Set(unordered.map((pair) => this.#cell(...pair)));
    this.#bridged = new Set(
      bridged.flatMap(([earlier, later]) =>
        this.#unitsWith(earlier).flatMap((before) => this.#unitsWith(later).map((after) => this.#cell(before, after))),
      ),
    );
  }

  /** Whether one message is promised before the other, by each of them. */
  isPromised(one: number, other: number): boolean {
    return this.promises.some(({ earlier, later, isCounted }) => earlier === one && later === other && !isCounted);
  }

  get hasCriticals(): boolean {
    return this.#unitOf.size > 0;
  }

  get hasOvertaking(): boolean {
    return this.#heights.size > 0;
  }

  get hasBridges(): boolean {
    return this.#bridged.size > 0;
  }

  /** The number by which places know a critical fragment. */
  unitOf(critical: Node): number {
    return this.#unitOf.get(critical) ?? 0;
  }

  #cell(earlier: number, later: number): number {
    return earlier * this.#units.length + later;
  }

  /** `one` is drawn before `other`, or in an earlier iteration. Decided where the two part: at their common place. */
  between(one: Placed, other: Placed): Demands {
    if (this.#areOvertaking(one, other)) return this.#downwards(one, other);
    const common = commonPlace(one.place, other.place);
    const cell = this.#cell(unitBelow(one, common), unitBelow(other, common));
    if (common.relation === 'none') return NO_DEMANDS;
    // Of two iterations nothing was taken out that stood between them.
    if (common.role.kind !== 'iterations' && this.#bridged.has(cell)) return ALL_DEMANDS;
    return this.#tableOf(common.relation)[cell] ?? NO_DEMANDS;
  }

  /** What the later one must precede of the earlier one: where they overtake each other, the end that is drawn further up. */
  against(one: Placed, other: Placed): Demands {
    return this.#areOvertaking(one, other) ? this.#downwards(other, one) : NO_DEMANDS;
  }

  /** Drawn in one group, and gone through at one time. */
  #areOvertaking(one: Placed, other: Placed): boolean {
    const group = this.#heights.get(one.message)?.group;
    return group !== undefined && one.place === other.place && this.#heights.get(other.message)?.group === group;
  }

  /** Of two ends the order speaks as of any two, the one drawn further up first. */
  #downwards(one: Placed, other: Placed): Demands {
    const [above, below] = [this.#heights.get(one.message), this.#heights.get(other.message)];
    const isLetGo = this.#unordered.has(this.#cell(one.message, other.message));
    if (above === undefined || below === undefined || isLetGo) return NO_DEMANDS;
    if (this.#bridged.has(this.#cell(one.message, other.message))) return ALL_DEMANDS;
    return PAIRS_OF_ENDS.reduce(
      (all, [x, y]) =>
        above[x] < below[y] && this.#mustPrecede(one.place.relation, one.message, x, other.message, y)
          ? all | pairBit(x, y)
          : all,
      NO_DEMANDS,
    );
  }

  #unitsWith(message: number): readonly number[] {
    return [...this.#units.keys()].filter((unit) => this.#units[unit]?.includes(message) === true);
  }

  #tableOf(relation: Relation): Int8Array {
    const known = this.#tables.get(relation);
    if (known !== undefined) return known;
    const table = new Int8Array(this.#units.length ** 2);
    for (const earlier of this.#units.keys())
      for (const later of this.#units.keys())
        table[this.#cell(earlier, later)] = this.#demandsBetween(relation, earlier, later);
    this.#tables.set(relation, table);
    return table;
  }

  /**
   * A critical fragment is one thing, seen from outside: what must precede something in it precedes all of it, and what
   * something in it must precede waits for all of it.
   */
  #demandsBetween(relation: Relation, before: number, after: number): Demands {
    let all = NO_DEMANDS;
    for (const earlier of this.#units[before] ?? [])
      for (const later of this.#units[after] ?? [])
        if (!this.#unordered.has(this.#cell(earlier, later)))
          for (const [x, y] of PAIRS_OF_ENDS)
            if (this.#mustPrecede(relation, earlier, x, later, y)) all |= pairBit(x, y);
    let demands = NO_DEMANDS;
    for (const [x, y] of PAIRS_OF_ENDS)
      if (
        PAIRS_OF_ENDS.some(
          ([u, v]) => (all & pairBit(u, v)) !== 0 && this.#isSame(before, x, u) && this.#isSame(after, y, v),
        )
      )
        demands |= pairBit(x, y);
    return demands;
  }

  /** Of a message its own end counts, of a critical fragment any. */
  #isSame(unit: number, end: End, other: End): boolean {
    return unit >= this.#messages.length || end === other;
  }

  #mustPrecede(relation: Relation, earlier: number, x: End, later: number, y: End): boolean {
    const [a, b] = [this.#messages[earlier], this.#messages[later]];
    if (a === undefined || b === undefined) return false;
    const answer: ContractMessage = this.#isSentBeforeCall(a, b) ? { ...b, kind: 'send' } : b;
    return mustPrecede(relation, { message: a, end: x }, { message: answer, end: y });
  }

  /** Is it drawn as sent before the call to which the other one is a reply is received? Then it is no part of answering it. */
  #isSentBeforeCall({ index }: ContractMessage, { replyOf }: ContractMessage): boolean {
    const [sent, call] = [this.#heights.get(index), this.#heights.get(replyOf ?? -1)];
    return sent !== undefined && sent.group === call?.group && sent.send < call.receipt;
  }
}

/** The heights of all messages that stand in a sequence in which something is received late. */
function heightsIn(root: Node): ReadonlyMap<number, Heights> {
  const found = new Map<number, Heights>();
  const pending = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    pending.push(...childrenOf(node));
    if (node.kind !== 'seq' || node.late === undefined) continue;
    const { items, late } = node;
    // Between two items there is room for everything that is received there.
    const room = late.length + 2;
    for (const [index, item] of items.entries()) {
      if (item.kind !== 'message') continue;
      const nth = late.findIndex(({ message }) => message === item.message);
      const receipt = nth < 0 ? index * room + 1 : (late[nth]?.after ?? index) * room + 2 + nth;
      found.set(item.message, { group: node, send: index * room, receipt });
    }
  }
  return found;
}

/** A message, or the outermost critical fragment around it and below a place. */
function unitBelow({ message, place }: Placed, below: Place): number {
  let unit = message;
  for (let at: Place | null = place; at !== null && at !== below; at = at.around)
    if (at.role.kind === 'critical') unit = at.role.unit;
  return unit;
}

function criticalNodes(root: Node): readonly Node[] {
  const found: Node[] = [];
  const pending = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.kind === 'critical') found.push(node);
    pending.push(...childrenOf(node));
  }
  return found;
}

/** Whether two messages stand in loops that run beside each other, or the second is drawn before the first. */
function goRoundBeside(root: Node, one: number, other: number): boolean {
  const pathTo = (message: number, from: Node): readonly Node[] => {
    const path = [from];
    for (;;) {
      const next = childrenOf(path.at(-1) ?? from).find((part) => messagesIn(part).includes(message));
      if (next === undefined) return path;
      path.push(next);
    }
  };
  const [mine, theirs] = [pathTo(one, root), pathTo(other, root)];
  const at = mine.findIndex((node, index) => node !== theirs[index]);
  const around = mine[at - 1];
  const goesRound = (path: readonly Node[]): boolean =>
    // Bounds hold for each value.
    path.slice(at).some((node) => node.kind === 'loop' && (node.max !== 1 || node.each !== undefined));
  if (around?.kind === 'concurrent') return true;
  if (around?.kind === 'par') return goesRound(mine) && goesRound(theirs);
  if (around?.kind !== 'seq' && around?.kind !== 'critical') return false;
  const parts = childrenOf(around);
  return parts.findIndex((part) => part === mine[at]) > parts.findIndex((part) => part === theirs[at]);
}

/** The messages that are drawn in a node. */
function messagesIn(root: Node): readonly number[] {
  const messages: number[] = [];
  const pending = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.kind === 'message') messages.push(node.message);
    else pending.push(...childrenOf(node));
  }
  return messages;
}

export const ENDS: readonly End[] = ['send', 'receipt'];
export const PAIRS_OF_ENDS = [
  ['send', 'send'],
  ['send', 'receipt'],
  ['receipt', 'send'],
  ['receipt', 'receipt'],
] as const satisfies readonly (readonly [End, End])[];

interface Occurrence {
  readonly message: ContractMessage;
  readonly end: End;
}

/** The three orders of section 4.1; `a` is drawn earlier than `b`. */
function mustPrecede(relation: Relation, a: Occurrence, b: Occurrence): boolean {
  switch (relation) {
    case 'none':
      return false;
    case 'strict':
      return true;
    case 'lifeline':
      return isOnOneLifeline(a, b);
    case 'causal':
      return isLearntBefore(a, b) || isAskedBeforeReply(a, b) || isOnOneChannel(a, b);
  }
}

const lifelineOf = ({ message, end }: Occurrence): number | null => (end === 'send' ? message.from : message.to);

function isOnOneLifeline(a: Occurrence, b: Occurrence): boolean {
  return lifelineOf(a) !== null && lifelineOf(a) === lifelineOf(b);
}

function isLearntBefore(a: Occurrence, b: Occurrence): boolean {
  return a.end === 'receipt' && b.end === 'send' && isOnOneLifeline(a, b);
}

function isAskedBeforeReply(a: Occurrence, b: Occurrence): boolean {
  const { kind, replyOf } = b.message;
  if (kind !== 'reply' || replyOf === undefined || a.message.kind !== 'call') return false;
  return a.end === 'send' && b.end === 'send' && isOnOneLifeline(a, b) && a.message.index > replyOf;
}

/** A found or lost end is nobody's, so what comes from two of them comes over no channel. */
function isOnOneChannel({ message: a, end }: Occurrence, { message: b, end: later }: Occurrence): boolean {
  return end === later && a.from !== null && a.to !== null && a.from === b.from && a.to === b.to;
}
