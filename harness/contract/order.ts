import type { Order } from './types.ts';

/** What the orders look at; every contract message has it. `index` grows in drawn order. */
export interface Ordered {
  readonly index: number;
  readonly from: number | null;
  readonly to: number | null;
  readonly kind: 'call' | 'reply' | 'send';
  readonly replyOf?: number;
}

/**
 * Whether `earlier`, drawn before `later`, must precede it: the relation of the three orders on whole messages. Composition
 * (a sibling branch, a parallel operand) is not its business.
 */
export function mustPrecede(order: Order, earlier: Ordered, later: Ordered): boolean {
  switch (order) {
    case 'strict':
      return true;
    case 'lifeline':
      return [later.from, later.to].some((end) => end !== null && (end === earlier.from || end === earlier.to));
    case 'causal':
      return isLearnt(earlier, later) || isChannel(earlier, later) || isOwedBeforeReply(earlier, later);
  }
}

/** A send waits for every receipt drawn earlier on its lifeline. */
const isLearnt = (earlier: Ordered, later: Ordered): boolean => earlier.to !== null && earlier.to === later.from;

/** Messages of one sender to one receiver keep their order. */
const isChannel = (earlier: Ordered, later: Ordered): boolean =>
  earlier.from !== null && earlier.from === later.from && earlier.to !== null && earlier.to === later.to;

/** A reply also waits for the calls that its sender made since it was called; for its own call it waits as a receipt. */
const isOwedBeforeReply = (earlier: Ordered, later: Ordered): boolean =>
  later.kind === 'reply' &&
  later.replyOf !== undefined &&
  earlier.kind === 'call' &&
  earlier.index > later.replyOf &&
  earlier.from !== null &&
  earlier.from === later.from;
