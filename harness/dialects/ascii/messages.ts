import type { Head, Line, Place } from '../../diagram/index.ts';
import type { Arrow } from './arrows.ts';
import type { Label } from './labels.ts';
import type { Lifeline } from './lifelines.ts';
import type { Loop } from './loops.ts';
import type { Reports } from './reports.ts';

/** A message and the rows it was read from. An arrow with two heads is two messages that share `pair`. */
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
  readonly pair: 'first' | 'second' | null;
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
  return [...rows]
    .sort(([a], [b]) => a - b)
    .flatMap(([, row]) => inRow(row, reports))
    .flatMap((one) => toMessages(one, labels.get(one), reports));
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
  return leftwards && !rightwards ? sorted.toReversed() : sorted;
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
    labelTop: label?.top ?? drawn.row,
  };
  if ('corner' in drawn) return [{ ...common, from: drawn.lifeline, to: drawn.lifeline, head: drawn.head, pair: null }];
  const { left, right, leftHead, rightHead } = drawn;
  if (leftHead !== null && rightHead !== null) {
    reports.add('ASC118', drawn, 'this arrow has two heads; read as one message each way, in either order');
    return [
      { ...common, from: left, to: right, head: rightHead, pair: 'first' },
      { ...common, from: right, to: left, head: leftHead, pair: 'second' },
    ];
  }
  return leftHead === null
    ? [{ ...common, from: left, to: right, head: rightHead ?? 'none', pair: null }]
    : [{ ...common, from: right, to: left, head: leftHead, pair: null }];
}
