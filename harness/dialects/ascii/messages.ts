import type { Head, Line, Place } from '../../diagram/index.ts';
import type { Arrow } from './arrows.ts';
import type { Label } from './labels.ts';
import type { Lifeline } from './lifelines.ts';
import type { Loop } from './loops.ts';
import type { Reports } from './reports.ts';

/**
 * A message and the rows it was read from. Messages that may come in any order stand one after the other: the first says how
 * many there are (`together`), the others that they belong to it (0); null for all else.
 */
export interface DrawnMessage {
  readonly from: Lifeline | null;
  readonly to: Lifeline | null;
  readonly text: string;
  readonly line: Line;
  readonly head: Head;
  readonly at: Place;
  /** The row of the shaft, and the first row of the label above it. */
  readonly row: number;
  readonly labelTop: number;
  readonly sentRow: number;
  readonly together: number | null;
}

type Drawn = Arrow | Loop;

/** All messages in the order of time: by row; several on one row by the way they point. */
export function orderMessages(
  drawn: readonly Drawn[],
  labels: ReadonlyMap<Drawn, Label>,
  reports: Reports,
): DrawnMessage[] {
  const rows = new Map<number, Drawn[]>();
  for (const one of drawn) {
    if (one.refused) continue;
    const row = rows.get(one.row);
    if (row === undefined) rows.set(one.row, [one]);
    else row.push(one);
  }
  const messages = [...rows]
    .sort(([a], [b]) => a - b)
    .flatMap(([, row]) => inRow(row, reports))
    .flatMap((one) => toMessages(one, labels.get(one), reports));
  return withOvertaken(messages, reports);
}

/** A chain `A─>B─>C` is ordered along its heads. Arrows that share a lifeline and are no chain have no order, so they are refused. */
function inRow(row: readonly Drawn[], reports: Reports): readonly Drawn[] {
  if (row.length < 2) return row;
  const sorted = row.toSorted((a, b) => a.from - b.from);
  const leftwards = sorted.every((one) => 'corner' in one || (one.leftHead !== null && one.rightHead === null));
  const rightwards = sorted.every((one) => 'corner' in one || (one.rightHead !== null && one.leftHead === null));
  sorted.slice(1).forEach((one, index) => {
    const before = sorted[index];
    if (before === undefined) return;
    if (!touch(before, one)) reports.add('ASC125', one, 'two arrows on one row have no order; read from left to right');
    else if (!leftwards && !rightwards)
      reports.add('ASC117', one, 'two arrows meet at one lifeline on one row, and nobody can tell which is first');
  });
  const isChain = sorted.some((one, index) => index > 0 && touch(sorted[index - 1] ?? one, one));
  return isChain && leftwards && !rightwards ? sorted.toReversed() : sorted;
}

function touch(a: Drawn, b: Drawn): boolean {
  const ends = (one: Drawn): readonly (Lifeline | null)[] => ('corner' in one ? [one.lifeline] : [one.left, one.right]);
  return ends(a).some((end) => end !== null && ends(b).includes(end));
}

function toMessages(drawn: Drawn, label: Label | undefined, reports: Reports): DrawnMessage[] {
  const common = {
    text: label?.text ?? '',
    line: drawn.line,
    at: reports.placeOf(label?.row ?? drawn.row, label?.column ?? drawn.from),
    row: drawn.row,
    sentRow: ('corner' in drawn ? undefined : drawn.sentRow) ?? drawn.row,
    labelTop: label?.top ?? drawn.row,
  };
  if ('corner' in drawn)
    return [{ ...common, from: drawn.lifeline, to: drawn.lifeline, head: drawn.head, together: null }];
  const { left, right, leftHead, rightHead } = drawn;
  if (leftHead !== null && rightHead !== null) {
    reports.add('ASC118', drawn, 'this arrow has two heads; read as one message each way, in either order');
    const there = { ...common, from: left, to: right, head: rightHead };
    const back = { ...common, from: right, to: left, head: leftHead };
    const [first, second] = drawn.startsRight === true ? [back, there] : [there, back];
    return [
      { ...first, together: 2 },
      { ...second, together: 0 },
    ];
  }
  return leftHead === null
    ? [{ ...common, from: left, to: right, head: rightHead ?? 'none', together: null }]
    : [{ ...common, from: right, to: left, head: leftHead, together: null }];
}

/**
 * A message that is overtaken on its way has two places, and others stand between them. A diagram has one place for each, so
 * all of them are read as in any order, which is less than is drawn; and said so.
 */
function withOvertaken(messages: readonly DrawnMessage[], reports: Reports): DrawnMessage[] {
  const result = [...messages];
  let last = messages.length - 1;
  while (last >= 0) {
    let first = last;
    for (let index = last; index >= first; index--) {
      const { sentRow, row } = messages[index] ?? { sentRow: 0, row: 0 };
      if (sentRow < row) while (first > 0 && (messages[first - 1]?.row ?? 0) > sentRow) first--;
    }
    const isPair = messages[first]?.together === 2 && last === first + 1;
    if (first < last && !isPair) {
      for (let index = first; index <= last; index++) {
        const message = messages[index];
        if (message === undefined) continue;
        result[index] = { ...message, together: index === first ? last - first + 1 : 0 };
      }
      const { row } = messages[last] ?? { row: 0 };
      reports.add('ASC127', { row, from: 0, to: 0 }, 'messages overtake each other here; read as in any order');
    }
    last = first - 1;
  }
  return result;
}
