import { childrenOf, messagesIn, nodesOf, type Contract, type Lifetime, type Node } from '../contract/index.ts';
import { messageOf, receiptOf, sendOf, type Occurrence } from './occurrence.ts';

/** Of each copy of a message that was made for one value of an `each` loop, the message. */
export type Originals = ReadonlyMap<number, number>;

/** What happens on a lifeline from its creation to its destruction; each is one message, or its copies. */
export interface WatchedLifetime {
  readonly lifeline: number;
  readonly created: ReadonlySet<number>;
  readonly destroyed: ReadonlySet<number>;
  /** Where each iteration of a loop has a lifeline of its own: the messages of that loop, all others do not count. */
  readonly iteration: { readonly all: ReadonlySet<number>; readonly begins: ReadonlySet<number> } | null;
}

/** The lifetimes that a contract speaks of. */
export function lifetimesOf(contract: Contract, originals: Originals = new Map()): WatchedLifetime[] {
  const { lifetimes = [], term, messages } = contract;
  if (lifetimes.length === 0) return [];
  const loops = loopsAround(term);
  const concurrent = concurrentLoops(term);
  const keyed = new Set(messages.flatMap((message) => (message.keyed ? [message.index] : [])));
  return lifetimes.flatMap((lifetime) => watchedOf(lifetime, { loops, concurrent, originals, keyed }));
}

/** The loops of a drawing, as far as lifetimes ask for them. */
interface Loops {
  /** Of each message, the loops around it, outer before inner. */
  readonly loops: ReadonlyMap<number, readonly Loop[]>;
  readonly concurrent: ReadonlySet<Node>;
  readonly originals: Originals;
  readonly keyed: ReadonlySet<number>;
}

function watchedOf(
  { lifeline, created, destroyed, renewed }: Lifetime,
  { loops, concurrent, originals, keyed }: Loops,
): WatchedLifetime[] {
  const copies = (message: number | null): number[] =>
    message === null ? [] : [...loops.keys()].filter((one) => (originals.get(one) ?? one) === message);
  if (!renewed)
    return [{ lifeline, created: new Set(copies(created)), destroyed: new Set(copies(destroyed)), iteration: null }];
  const innermost = (message: number): Node | undefined => loops.get(message)?.at(-1);
  return copies(destroyed).map((end) => {
    const all = [...loops.keys()].filter((message) => innermost(message) === innermost(end));
    const loop = innermost(end);
    const behind = messagesBehind(end, loop);
    // Of a concurrent loop, iterations for other instances lack what carries the key.
    const mayLackEnd = loop !== undefined && concurrent.has(loop) && keyed.has(end);
    const later = new Set([...behind].filter((message) => !mayLackEnd || keyed.has(message)));
    const iteration = { all: new Set(all), begins: new Set(all.filter((message) => !later.has(message))) };
    return { lifeline, created: new Set<number>(), destroyed: new Set([end]), iteration };
  });
}

/**
 * Two ends of messages, of which the first comes first because a lifeline begins or ends with one of them. `isInEach`: each
 * iteration has one of them, so the first comes before the later one of all further iterations too. `isRenewed`: each iteration
 * has a lifeline of its own. `isBirth`: it begins with the earlier one.
 */
export type LivedPair = readonly [
  earlier: Occurrence,
  later: Occurrence,
  isInEach: boolean,
  isRenewed: boolean,
  isBirth: boolean,
];

/**
 * What lifetimes order, where a lifeline begins and ends once in a run, or once in each iteration: what happens on it comes
 * after the receipt that creates it, and before the last end that destroys it.
 */
export function livedPairs(contract: Contract, originals: Originals): readonly LivedPair[] {
  const lifetimes = lifetimesOf(contract, originals);
  if (lifetimes.length === 0) return [];
  const loops = loopsAround(contract.term);
  const onceOf = (messages: ReadonlySet<number>): number | null => {
    const [only, ...others] = messages;
    const isOnce = only !== undefined && others.length === 0 && loops.get(only)?.every(({ max }) => max === 1) === true;
    return isOnce ? only : null;
  };
  return lifetimes.flatMap(({ lifeline, created, destroyed, iteration }): LivedPair[] => {
    const endsOn = (message: number): readonly Occurrence[] => {
      const { from, to } = contract.messages[message] ?? {};
      return [...(from === lifeline ? [sendOf(message)] : []), ...(to === lifeline ? [receiptOf(message)] : [])];
    };
    const others = (message: number): readonly Occurrence[] =>
      [...(iteration?.all ?? loops.keys())].filter((other) => other !== message).flatMap(endsOn);
    const first = onceOf(created);
    const [last = null] = iteration === null ? [onceOf(destroyed)] : destroyed;
    const isInEach = (message: number): boolean =>
      iteration !== null && happensInEach(message, loops.get(message)?.at(-1));
    const lastEnd = last === null || (created.size > 0 && (first ?? last) >= last) ? undefined : endsOn(last).at(-1);
    return [
      ...(first === null
        ? []
        : others(first).map((other): LivedPair => [receiptOf(first), other, false, iteration !== null, true])),
      ...(lastEnd === undefined || last === null
        ? []
        : others(last).map((other): LivedPair => {
            return [other, lastEnd, isInEach(last) || isInEach(messageOf(other)), iteration !== null, false];
          })),
    ];
  });
}

type Loop = Extract<Node, { kind: 'loop' }>;

/** The messages that come only behind one of them, in one iteration of what both stand in. */
function messagesBehind(message: number, root: Node | undefined): ReadonlySet<number> {
  let behind = new Set<number>();
  for (let node = root; node !== undefined && node.kind !== 'message';) {
    // What may be passed by need not have come before what is drawn behind it.
    if (!isGoneThrough(node) && node !== root) behind = new Set();
    const parts = childrenOf(node);
    const at = parts.findIndex((part) => messagesIn(part).includes(message));
    if (node.kind === 'seq') for (const other of parts.slice(at + 1).flatMap(messagesIn)) behind.add(other);
    node = parts[at];
  }
  return behind;
}

/** Does the message happen in each iteration of the loop, once? */
function happensInEach(message: number, loop: Node | undefined): boolean {
  if (loop === undefined || nodesOf(loop).some(({ kind }) => kind === 'break')) return false;
  for (let node: Node | undefined = loop; node !== undefined && node.kind !== 'message';) {
    if (node !== loop && !isGoneThrough(node)) return false;
    node = childrenOf(node).find((part) => messagesIn(part).includes(message));
  }
  return true;
}

/** Does all of it happen, if anything does? */
function isGoneThrough(node: Node): boolean {
  switch (node.kind) {
    case 'message':
    case 'seq':
    case 'par':
    case 'guarded':
      return true;
    case 'critical':
      return node.options.length === 0;
    case 'alt':
    case 'opt':
    case 'loop':
    case 'break':
    case 'concurrent':
      return false;
  }
}

const concurrentLoops = (root: Node): ReadonlySet<Node> =>
  new Set(nodesOf(root).flatMap((node) => (node.kind === 'concurrent' ? childrenOf(node) : [])));

/** Of each message, the loops around it, outer before inner. */
export function loopsAround(root: Node): ReadonlyMap<number, readonly Loop[]> {
  const found = new Map<number, Loop[]>();
  const pending: { readonly node: Node; readonly loops: readonly Loop[] }[] = [{ node: root, loops: [] }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, loops } = next;
    if (node.kind === 'message') found.set(node.message, [...new Set([...(found.get(node.message) ?? []), ...loops])]);
    const inside = node.kind === 'loop' ? [...loops, node] : loops;
    for (const child of childrenOf(node)) pending.push({ node: child, loops: inside });
  }
  return found;
}
