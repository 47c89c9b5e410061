import type { Diagram } from '../diagram/index.ts';
import type { Arrow, Enclosure } from './drawing.ts';

/** More open calls of one pair than these are not looked at, and fewer are named: the latest are meant. */
const LOOKED_AT_MAX = 64;
const CALLS_MAX = 8;

/**
 * Of solid arrows the calls that each may be the reply to, as people draw replies who have one kind of arrow: calls the other way that
 * are drawn above it, on a path that leads to it, and that no dashed arrow answers. The latest call comes first.
 */
export function answerableCalls(
  arrows: readonly Arrow[],
  answered: ReadonlySet<number>,
  fragments: Diagram['fragments'],
): ReadonlyMap<number, readonly number[]> {
  const kindOf = (fragment: number): string => fragments[fragment]?.kind ?? 'group';
  const open = new Map<string, Arrow[]>();
  const answerable = new Map<number, readonly number[]>();
  for (const arrow of arrows) {
    const { from, to, line, isOneWay, index } = arrow;
    if (from === null || to === null || from === to || line === 'dashed' || isOneWay || answered.has(index)) continue;
    const calls = (open.get(`${to}>${from}`) ?? []).slice(-LOOKED_AT_MAX).reverse();
    const found = calls.filter((call) => isOnPath(call.within, arrow.within, kindOf)).slice(0, CALLS_MAX);
    if (found.length > 0)
      answerable.set(
        index,
        found.map((call) => call.index),
      );
    const key = `${from}>${to}`;
    const known = open.get(key);
    if (known === undefined) open.set(key, [arrow]);
    else known.push(arrow);
  }
  return answerable;
}

/** An operand never sees what a sibling opened, but for an option what its critical fragment began; nothing follows a break. */
function isOnPath(call: Enclosure | null, reply: Enclosure | null, kindOf: (fragment: number) => string): boolean {
  const operands = new Map<number, number>();
  for (let around = reply; around !== null; around = around.outer) operands.set(around.fragment, around.operand);
  for (let around = call; around !== null; around = around.outer) {
    const operand = operands.get(around.fragment);
    const kind = kindOf(around.fragment);
    if (operand === undefined ? kind === 'break' : operand !== around.operand && kind !== 'critical') return false;
  }
  return true;
}
