import {
  commonPlace,
  criticalsOf,
  ENDS,
  isInside,
  pairBit,
  type DrawnOrder,
  type End,
  type Place,
  type Placed,
} from './oracle-order.ts';

/** One message of an execution, where it stands. */
export type Drawn = Placed;

/** One position of a trace being made: both ends of a message at one instant, or one of them. */
export interface Step {
  readonly position: number;
  readonly end: 'both' | End;
}

/** Where decisions come from. */
export interface Chooser {
  /** One of the items; undefined where there is none. */
  of<T>(items: readonly T[]): T | undefined;
}

/** Executions of more messages are not put into an order: their occurrences are bits of two numbers. */
const MESSAGES_MAX = 31;

/** What must have happened before an occurrence, or what stands in a fragment: positions as bits, by end. */
interface Occurrences {
  sends: number;
  receipts: number;
}

/**
 * A random order in which an execution may happen; null where a choice led to no end, or there are too many messages.
 * `isInstant`: whose two ends happen at one instant.
 */
export function linearExtension(
  order: DrawnOrder,
  drawn: readonly Drawn[],
  { isInstant, choices }: { readonly isInstant: readonly boolean[]; readonly choices: Chooser },
): readonly Step[] | null {
  if (drawn.length > MESSAGES_MAX) return null;
  const waits = waitsOf(order, drawn);
  const criticals = [...criticalsOf(drawn)].map((critical) => ({ critical, members: membersOf(critical, drawn) }));
  let [sent, received] = [0, 0];
  const isShut = (position: number): boolean =>
    criticals.some(({ critical, members }) => {
      const isBegun = ((sent | received) & members) !== 0;
      const place = drawn[position]?.place;
      if (!isBegun || (sent & received & members) === members || place === undefined) return false;
      return !isInside(place, critical) && commonPlace(place, critical).relation === 'none';
    });
  const isReady = (position: number, end: End, own: number): boolean => {
    const due = waits[position]?.[end];
    return due !== undefined && (due.sends & ~(sent | own)) === 0 && (due.receipts & ~received) === 0;
  };
  const readyEnd = (position: number): Step['end'] | null => {
    const bit = 1 << position;
    if ((received & bit) !== 0 || isShut(position)) return null;
    if ((sent & bit) !== 0) return isReady(position, 'receipt', 0) ? 'receipt' : null;
    if (!isReady(position, 'send', 0)) return null;
    if (isInstant[position] !== true) return 'send';
    return isReady(position, 'receipt', bit) ? 'both' : null;
  };
  const steps: Step[] = [];
  for (let left = drawn.length; left > 0;) {
    const ready: Step[] = [];
    for (let position = 0; position < drawn.length; position++) {
      const end = readyEnd(position);
      if (end !== null) ready.push({ position, end });
    }
    const next = choices.of(ready);
    if (next === undefined) return null;
    steps.push(next);
    if (next.end !== 'receipt') sent |= 1 << next.position;
    if (next.end === 'send') continue;
    received |= 1 << next.position;
    left -= 1;
  }
  return steps;
}

function membersOf(critical: Place, drawn: readonly Drawn[]): number {
  let members = 0;
  for (const [position, { place }] of drawn.entries()) if (isInside(place, critical)) members |= 1 << position;
  return members;
}

/** For each end of each position, what it waits for. */
function waitsOf(order: DrawnOrder, drawn: readonly Drawn[]): readonly Readonly<Record<End, Occurrences>>[] {
  const waits = drawn.map((_, position) => ({
    send: { sends: 0, receipts: 0 },
    receipt: { sends: 1 << position, receipts: 0 },
  }));
  const add = (earlier: number, later: number, demands: number): void => {
    if (demands === 0) return;
    for (const end of ENDS) {
      const due = waits[later]?.[end];
      if (due === undefined) continue;
      if ((demands & pairBit('send', end)) !== 0) due.sends |= 1 << earlier;
      if ((demands & pairBit('receipt', end)) !== 0) due.receipts |= 1 << earlier;
    }
  };
  for (const [later, two] of drawn.entries())
    for (let earlier = 0; earlier < later; earlier++) {
      const one = drawn[earlier];
      if (one === undefined) continue;
      add(earlier, later, order.between(one, two));
      add(later, earlier, order.against(one, two));
    }
  return waits;
}
