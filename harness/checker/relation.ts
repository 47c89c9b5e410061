import { lateMessages, overtakenPairs, type Contract, type Order } from '../contract/index.ts';
import { criticalsOf } from './criticals.ts';
import type { LivedPair } from './lifetimes.ts';
import { isReceipt, messageOf, receiptOf, sendOf, type Occurrence } from './occurrence.ts';
import { promisesOf, type Promises } from './promises.ts';

export { isReceipt, messageOf, receiptOf, sendOf, type Occurrence };

/** Co-region: order by lifeline, but none on the lifelines named, ascending and separated by commas. */
export type Coregion = `coregion:${string}`;

/**
 * The relations that compose terms. `never` is parallel composition, and so is `held`, but while a critical fragment is open in
 * one part the others wait; `always` is strict sequencing (and a message's own "send before receipt"); `strict`, `lifeline` and
 * `causal` are the orders of a contract (docs/semantics.md); `promised` is `held`, but for what the binding promises; `again` is
 * the order of a contract between iterations, or concurrent loops, of which each has lifelines of its own.
 */
export type Relation = 'never' | 'held' | 'promised' | 'always' | 'strict' | 'lifeline' | 'causal' | 'again' | Coregion;

/** Is no occurrence ordered by it? */
export function isParallel(relation: Relation): relation is 'never' | 'held' {
  return relation === 'never' || relation === 'held';
}

/** Does each part wait while a critical fragment is open in another one? */
export function isHolding(relation: Relation): boolean {
  return relation === 'held' || relation === 'promised';
}

export function coregion(lifelines: Iterable<number>): Coregion {
  return `coregion:${[...new Set(lifelines)].sort((a, b) => a - b).join()}`;
}

/** The lifelines on which the relation orders nothing; empty for all but co-regions. */
function unorderedLifelines(relation: Coregion): ReadonlySet<number> {
  const names = relation.slice(relation.indexOf(':') + 1);
  return new Set(names === '' ? [] : names.split(',').map(Number));
}

export interface Relations {
  readonly occurrences: number;
  /** What composes the iterations of a loop. */
  readonly between: Relation;
  /** What composes concurrent loops. */
  readonly pipeline: Relation;
  /**
   * Must `earlier` precede `later`, where the term draws `earlier` before `later`? `isUnseen`: nothing shows that `later` was
   * received, so perhaps nobody did.
   */
  related(relation: Relation, earlier: Occurrence, later: Occurrence, isUnseen?: boolean): boolean;
  /** The receipt that a send waits to be followed by: of a copy of a message that enters something, that of the message. */
  receiptOf(send: Occurrence): Occurrence;
  /** Does the receipt of this send stand apart from it, behind what may overtake? */
  isLate(send: Occurrence): boolean;
}

/** `again` only where lifelines order what the binding lets go: nothing else tells an iteration from the next. */
export function betweenIterations({ order, unordered }: Contract, { lived }: Promises): Relation {
  if (order === 'causal') return 'lifeline';
  const letsGo = ([earlier, later, , isRenewed]: LivedPair): boolean =>
    isRenewed && unordered.some(([one, other]) => one === messageOf(earlier) && other === messageOf(later));
  return lived.some(letsGo) ? 'again' : order;
}

/** Concurrent loops are composed by causality alone. */
export const betweenLoops = ({ order }: Contract, { lived }: Promises): Relation =>
  order === 'causal' && lived.length > 0 ? 'again' : 'causal';

/** The relations over one contract's occurrences. Directed: drawn order matters. */
export function relationsOf(contract: Contract, promises: Promises = promisesOf(contract)): Relations {
  const ends = contract.messages.map((message) => [message.from, message.to] as const);
  const pairKey = (earlier: number, later: number): number => earlier * ends.length + later;
  const occurrenceKey = (earlier: Occurrence, later: Occurrence): number => earlier * 2 * ends.length + later;
  // A copy of a message for the place where it enters something is ordered like the message itself.
  const base = contract.messages.map(({ index, entry }) => entry?.of ?? index);
  const baseOf = (message: number): number => base[message] ?? message;
  const unordered = new Set(contract.unordered.map(([earlier, later]) => pairKey(earlier, later)));
  const bridged = new Set(contract.bridged.map(([earlier, later]) => pairKey(earlier, later)));
  /** Messages, and those that are sent while they are on their way. */
  const onTheWay = new Set(overtakenPairs(contract).map(([one, other]) => pairKey(one, other)));
  const promised = new Set(promises.drawn.map(([earlier, later]) => pairKey(earlier, later)));
  const lived = new Set(promises.lived.map(([earlier, later]) => occurrenceKey(earlier, later)));
  const livedAnew = new Set(
    promises.lived.flatMap(([earlier, later, , isRenewed]) => (isRenewed ? [occurrenceKey(earlier, later)] : [])),
  );
  const births = new Set(
    promises.lived.flatMap(([earlier, later, , , isBirth]) => (isBirth ? [occurrenceKey(earlier, later)] : [])),
  );
  // What ends a lifeline comes after all that happens on it, its birth too, whoever saw it.
  for (const [earlier, later, , , isBirth] of promises.lived)
    if (!isBirth) births.delete(occurrenceKey(earlier, later));
  const between = betweenIterations(contract, promises);
  const livedInEach = new Set(
    promises.lived.flatMap(([earlier, later, isInEach]) => (isInEach ? [occurrenceKey(earlier, later)] : [])),
  );
  const lifelineOf = (occurrence: Occurrence): number | null => ends[messageOf(occurrence)]?.[occurrence & 1] ?? null;
  const shareLifeline = (a: Occurrence, b: Occurrence): boolean => {
    const lifeline = lifelineOf(a);
    return lifeline !== null && lifeline === lifelineOf(b);
  };
  const sameChannel = (a: number, b: number): boolean => {
    const [fromA, toA] = ends[a] ?? [null, null];
    const [fromB, toB] = ends[b] ?? [null, null];
    return fromA !== null && toA !== null && fromA === fromB && toA === toB;
  };
  const isCallInside = (earlier: number, later: number): boolean => {
    const [call, reply] = [contract.messages[earlier], contract.messages[later]];
    if (call?.kind !== 'call' || reply?.kind !== 'reply' || reply.replyOf === undefined) return false;
    // What was sent before the call was received is no part of answering it.
    if (onTheWay.has(pairKey(reply.replyOf, baseOf(earlier)))) return false;
    // The reply's own call is a receipt on this lifeline; here: the calls that its sender made between the two.
    return baseOf(earlier) > reply.replyOf && baseOf(earlier) < baseOf(later);
  };
  const learnt = (earlier: Occurrence, later: Occurrence): boolean => {
    const [a, b] = [messageOf(earlier), messageOf(later)];
    if (isReceipt(earlier) === isReceipt(later) && sameChannel(a, b)) return true;
    if (isReceipt(later) || !shareLifeline(earlier, later)) return false;
    return isReceipt(earlier) || isCallInside(a, b);
  };
  const inOrder = (relation: Order | Coregion, earlier: Occurrence, later: Occurrence): boolean => {
    switch (relation) {
      case 'strict':
        return true;
      case 'lifeline':
        return shareLifeline(earlier, later);
      case 'causal':
        return learnt(earlier, later);
      default:
        return shareLifeline(earlier, later) && !unorderedLifelines(relation).has(lifelineOf(earlier) ?? -1);
    }
  };
  const demanded = (
    named: Exclude<Relation, 'never' | 'held' | 'promised' | 'always'>,
    earlier: Occurrence,
    later: Occurrence,
  ): boolean => {
    const relation = named === 'again' ? contract.order : named;
    const pair = pairKey(baseOf(messageOf(earlier)), baseOf(messageOf(later)));
    if (unordered.has(pair)) return false;
    if (isReceipt(earlier) && !isReceipt(later) && bridged.has(pair)) return true;
    return inOrder(relation, earlier, later);
  };
  const criticals = criticalsOf(contract);
  const late = lateMessages(contract);
  // Of a message that may be overtaken the two ends stand apart in the term, and nothing else says that they are ordered. Of two
  // iterations that relates what is ordered anyway: a lifeline sends one of them after the other.
  const isOwnReceipt = (earlier: Occurrence, later: Occurrence): boolean =>
    late.size > 0 &&
    isReceipt(later) &&
    !isReceipt(earlier) &&
    messageOf(later) === baseOf(messageOf(earlier)) &&
    late.has(messageOf(later));
  // A promise is about two messages, and not about the critical fragments that hold them.
  const isPromised = (earlier: Occurrence, later: Occurrence): boolean =>
    promised.size > 0 && promised.has(pairKey(baseOf(messageOf(earlier)), baseOf(messageOf(later))));
  const baseOfEnd = (end: Occurrence): Occurrence => 2 * baseOf(messageOf(end)) + (end & 1);
  // Iterations have lifelines of their own, so nothing of this holds between them; but for what each of them ends with.
  const isLived = (relation: Relation, earlier: Occurrence, later: Occurrence, isUnseen: boolean): boolean => {
    if (lived.size === 0) return false;
    const key = occurrenceKey(baseOfEnd(earlier), baseOfEnd(later));
    if (isUnseen && births.has(key)) return false;
    if (relation === 'promised') return lived.has(key);
    // Of concurrent loops nothing holds between iterations but causality.
    if (relation === 'causal' || contract.order === 'causal')
      return relation === 'lifeline' ? livedInEach.has(key) : relation === contract.order && lived.has(key);
    if (relation === 'again') return livedInEach.has(key);
    if (relation !== 'lifeline' && relation !== 'strict') return false;
    return livedInEach.has(key) || (between === 'again' && livedAnew.has(key));
  };
  return {
    occurrences: 2 * ends.length,
    between,
    pipeline: betweenLoops(contract, promises),
    receiptOf: (send) => receiptOf(baseOf(messageOf(send))),
    isLate: (send) => late.has(messageOf(send)),
    related(relation, earlier, later, isUnseen = false) {
      if (isParallel(relation)) return false;
      if (relation === 'always' || isPromised(earlier, later)) return true;
      if (isLived(relation, earlier, later, isUnseen)) return true;
      if (relation === 'promised') return false;
      if (isOwnReceipt(earlier, later)) return true;
      if (criticals === null) return demanded(relation, earlier, later);
      return criticals.related(relation, earlier, later, demanded);
    },
  };
}

/**
 * Relations where nothing is known of an occurrence but the lifeline on which it happens, by occurrence: interactions that
 * are not drawn by a contract. `causal` is then `lifeline`.
 */
export function relationsOfLifelines(lifelines: readonly number[]): Relations {
  return {
    occurrences: lifelines.length,
    between: 'lifeline',
    pipeline: 'causal',
    receiptOf: (send) => receiptOf(messageOf(send)),
    isLate: () => false,
    related(relation, earlier, later) {
      const lifeline = lifelines[earlier];
      switch (relation) {
        case 'never':
        case 'held':
        case 'promised':
          return false;
        case 'always':
        case 'strict':
          return true;
        case 'lifeline':
        case 'causal':
        case 'again':
          return lifeline === lifelines[later];
        default:
          return lifeline === lifelines[later] && !unorderedLifelines(relation).has(lifeline ?? -1);
      }
    },
  };
}
