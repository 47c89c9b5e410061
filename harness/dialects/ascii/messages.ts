import { receivedFrom, type DrawnEnd, type Head, type Line, type Place, type Received } from '../../diagram/index.ts';
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
  /** The row by which it stands among others: that of its sending, of messages that come in any order that of the shaft. */
  readonly row: number;
  /** The first row of the label above its shaft. */
  readonly labelTop: number;
  readonly sentRow: number;
  readonly receivedRow: number;
  readonly together: number | null;
  /** Where it is received, if others are drawn between its two ends. */
  readonly received: Received | null;
}

type Drawn = Arrow | Loop;

/**
 * All messages in the order of time: by row; several on one row by the way they point. `borders`: the rows on which frames
 * begin, part and end, ascending.
 */
export function orderMessages(
  drawn: readonly Drawn[],
  labels: ReadonlyMap<Drawn, Label>,
  borders: readonly number[],
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
  return withOvertaken(messages, borders, reports);
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
    receivedRow: drawn.row,
    labelTop: label?.top ?? drawn.row,
    received: null,
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
 * A message that is overtaken on its way has two places, and others stand between them. They are put in the order in which they
 * are sent; what is drawn of their order otherwise, that one knows.
 */
function withOvertaken(
  messages: readonly DrawnMessage[],
  borders: readonly number[],
  reports: Reports,
): DrawnMessage[] {
  const result = [...messages];
  for (let last = messages.length - 1; last >= 0; last--) {
    const first = firstOnTheWay(messages, last);
    const group = messages.slice(first, last + 1);
    if (group.some(({ sentRow, receivedRow }) => sentRow < receivedRow) && first < last)
      result.splice(first, group.length, ...(overtaking(group, first, borders) ?? inAnyOrder(group, reports)));
    last = first;
  }
  return result;
}

/** The first message that is received while that one, or one that is received while that one is on its way, is on its way. */
function firstOnTheWay(messages: readonly DrawnMessage[], last: number): number {
  let first = last;
  for (let index = last; index >= first; index--) {
    const { sentRow, receivedRow } = messages[index] ?? { sentRow: 0, receivedRow: 0 };
    if (sentRow < receivedRow) while (first > 0 && (messages[first - 1]?.receivedRow ?? 0) > sentRow) first--;
  }
  return first;
}

/** Null where a frame begins or ends between the ends, or something has no order of its own. */
function overtaking(group: readonly DrawnMessage[], first: number, borders: readonly number[]): DrawnMessage[] | null {
  const top = Math.min(...group.map(({ sentRow }) => sentRow));
  const bottom = group.at(-1)?.receivedRow ?? top;
  if (borders.some((row) => row > top && row < bottom)) return null;
  if (group.some(({ together }) => together !== null)) return null;
  const sent = group.toSorted((a, b) => a.sentRow - b.sentRow);
  const ends = sent
    .flatMap((message, index): (DrawnEnd & { readonly row: number; readonly order: number })[] => [
      // On one row what goes straight comes before what turns down there.
      {
        message: first + index,
        end: 'sending',
        row: message.sentRow,
        order: message.sentRow < message.row ? Infinity : index,
      },
      { message: first + index, end: 'receipt', row: message.receivedRow, order: index },
    ])
    .sort((a, b) => a.row - b.row || compare(a.order, b.order));
  const received = receivedFrom(ends);
  return sent.map((message, index) => ({
    ...message,
    row: message.sentRow,
    received: received.get(first + index) ?? null,
  }));
}

const compare = (a: number, b: number): number => (a === b ? 0 : a - b);

function inAnyOrder(group: readonly DrawnMessage[], reports: Reports): DrawnMessage[] {
  const { row } = group.at(-1) ?? { row: 0 };
  const why = 'messages overtake each other here, across a frame or an arrow with two heads; read as in any order';
  reports.add('ASC127', { row, from: 0, to: 0 }, why);
  return group.map((message, index) => ({ ...message, together: index === 0 ? group.length : 0 }));
}
