import type { Arrow } from './arrows.ts';
import type { Bars } from './bars.ts';
import type { Canvas, Chunk } from './canvas.ts';
import type { Lifelines } from './lifelines.ts';
import type { Loop } from './loops.ts';
import type { Reports } from './reports.ts';

/** The text of an arrow, and the cell where it begins; rows are joined by line breaks. */
export interface Label {
  readonly text: string;
  readonly row: number;
  readonly column: number;
  /** First row of the label, or the arrow's own where it has none above. */
  readonly top: number;
}

interface Setting {
  readonly canvas: Canvas;
  readonly skeleton: Lifelines;
  readonly bars: Bars;
  readonly reports: Reports;
}

const LABEL_ROWS_MAX = 200;

interface LabelRow {
  readonly text: string;
  readonly row: number;
  readonly column: number;
}

/** Reads and claims the labels of all arrows: above them first, then inside, then what is left right below. */
export function readLabels(
  setting: Setting,
  arrows: readonly Arrow[],
  loops: readonly Loop[],
): ReadonlyMap<Arrow | Loop, Label> {
  const rows = new Map<Arrow | Loop, LabelRow[]>();
  for (const loop of loops) rows.set(loop, rowsBeside(setting, loop));
  for (const arrow of arrows) rows.set(arrow, [...rowsAbove(setting, arrow), ...rowInside(setting, arrow)]);
  for (const loop of loops) if (rows.get(loop)?.length === 0) rows.set(loop, rowsAbove(setting, loop));
  for (const arrow of arrows) rows.get(arrow)?.push(...rowsBelow(setting, arrow));
  return new Map([...rows].map(([message, lines]) => [message, toLabel(message, lines)]));
}

function toLabel(message: Arrow | Loop, lines: readonly LabelRow[]): Label {
  const [first] = lines;
  if (first === undefined) return { text: '', row: message.row, column: message.from, top: message.row };
  const text = lines.map((line) => line.text).join('\n');
  return { text: withPlainDigits(text), row: first.row, column: first.column, top: Math.min(first.row, message.row) };
}

/** PlantUML writes automatic numbers in mathematical bold digits (U+1D7CE to U+1D7D7). */
const withPlainDigits = (text: string): string =>
  text.replace(/[\u{1d7ce}-\u{1d7d7}]/gu, (digit) => digit.normalize('NFKC'));

/** The columns over which an arrow's label may begin: between its ends, the bars there excluded. */
function span({ bars, canvas }: Setting, message: Arrow | Loop): readonly [number, number] {
  if ('corner' in message) return [message.from, message.to];
  const left = message.left === null ? 0 : bars.extent(message.left, message.row)[1] + 1;
  const right = message.right === null ? canvas.width : bars.extent(message.right, message.row)[0] - 1;
  return [Math.min(left, message.from), Math.max(right, message.to)];
}

function rowsAbove(setting: Setting, message: Arrow | Loop): LabelRow[] {
  const { canvas, skeleton } = setting;
  const [from, to] = span(setting, message);
  const rows: (readonly Chunk[])[] = [];
  let row = message.row - 1;
  for (; row >= Math.max(skeleton.bodyTop, message.row - LABEL_ROWS_MAX); row--) {
    const chunks = textOf(setting, message, row);
    if (chunks.length === 0 || hasShaft(canvas, row, from, to)) break;
    rows.unshift(chunks);
  }
  if (isRemark(canvas, rows) && hasShaft(canvas, row, from, to)) return [];
  return rows.map((chunks) => claimed(setting, chunks));
}

/** Text in parentheses between two arrows, no row free, says what happens there: `(admit)`. */
function isRemark(canvas: Canvas, rows: readonly (readonly Chunk[])[]): boolean {
  const text = rows.flatMap((chunks) => chunks.map(({ row, from, to }) => canvas.text(row, from, to))).join(' ');
  return text.startsWith('(') && text.indexOf(')') === text.length - 1;
}

function rowsBelow(setting: Setting, arrow: Arrow): LabelRow[] {
  const { canvas, skeleton, reports } = setting;
  const [from, to] = span(setting, arrow);
  const rows: (readonly Chunk[])[] = [];
  let row = arrow.row + 1;
  for (; row < Math.min(skeleton.bodyBottom, arrow.row + LABEL_ROWS_MAX); row++) {
    const chunks = textOf(setting, arrow, row);
    const [first] = chunks;
    if (first === undefined || hasShaft(canvas, row, from, to) || !isBesideLifeline(setting, arrow, row)) break;
    // `3. Store it` under an arrow is a step of its own.
    if (/^\(?\d+[.)]\s/.test(canvas.text(row, first.from, first.to))) break;
    rows.push(chunks);
  }
  if (isRemark(canvas, rows) && hasShaft(canvas, row, from, to)) return [];
  return rows.map((chunks) => {
    const line = claimed(setting, chunks);
    const cells = { row: line.row, from: line.column, to: line.column };
    reports.add('ASC122', cells, 'this text stands under an arrow; read as part of its label');
    return line;
  });
}

/** Where the lifelines have ended, text is no part of the drawing any more. */
const isBesideLifeline = ({ canvas }: Setting, { left, right }: Arrow, row: number): boolean =>
  [left, right].some((end) => end !== null && canvas.ownerAt(row, end.column) === 'lifeline');

function rowInside({ canvas }: Setting, { row, inline }: Arrow): LabelRow[] {
  if (inline === null) return [];
  const text = canvas.text(row, inline.from, inline.to).trim();
  return [{ text, row, column: inline.from + (canvas.isBlank(row, inline.from) ? 1 : 0) }];
}

/** The label of a loop to the left stands to the left of its corner. */
function rowsBefore(setting: Setting, loop: Loop): LabelRow[] {
  const { canvas, skeleton } = setting;
  const limit = skeleton.lifelines.findLast(({ column }) => column < loop.corner)?.column ?? -1;
  const lines: LabelRow[] = [];
  for (let row = loop.row; row <= loop.bottom; row++) {
    const chunks = canvas.chunks(row).filter((chunk) => chunk.from > limit && chunk.to < loop.corner);
    const last = chunks.at(-1);
    if (last !== undefined && loop.corner - last.to <= BESIDE_MAX) lines.push(claimed(setting, chunks));
  }
  return lines;
}

/** Columns between a loop and its label. */
const BESIDE_MAX = 3;

/** The label of a loop stands to the right of its corner, from the middle row on, and may go on under the loop. */
function rowsBeside(setting: Setting, loop: Loop): LabelRow[] {
  const { canvas, skeleton } = setting;
  if (loop.corner === loop.from) return rowsBefore(setting, loop);
  const limit = skeleton.lifelines.find(({ column }) => column > loop.corner)?.column ?? canvas.width;
  const lines: LabelRow[] = [];
  for (let row = loop.row; row <= loop.bottom + LABEL_ROWS_MAX && row < skeleton.bodyBottom; row++) {
    const [first] = lines;
    const [from, to] =
      row <= loop.bottom || first === undefined
        ? [loop.corner + 1, loop.corner + BESIDE_MAX]
        : [first.column, first.column];
    const start = canvas.chunks(row).find((chunk) => chunk.from >= from && chunk.from <= to);
    if (start !== undefined)
      lines.push(
        claimed(
          setting,
          canvas.chunks(row).filter((chunk) => chunk.from >= start.from && chunk.from < limit),
        ),
      );
    else if (row >= loop.bottom) break;
  }
  return lines;
}

function hasShaft(canvas: Canvas, row: number, from: number, to: number): boolean {
  for (let column = from; column <= to; column++) if (canvas.ownerAt(row, column) === 'shaft') return true;
  return false;
}

/** The text of a row that begins between the ends of a message; where one end is outside, all that stands over its shaft. */
function textOf(setting: Setting, message: Arrow | Loop, row: number): readonly Chunk[] {
  const { canvas } = setting;
  const [from, to] = span(setting, message);
  const isOpen = !('corner' in message) && (message.left === null || message.right === null);
  const chunks = canvas.chunks(row).filter((chunk) => !isLineWork(canvas, chunk));
  if (!isOpen) return chunks.filter((chunk) => chunk.from >= from && chunk.from <= to);
  const over = chunks.map((chunk) => chunk.from <= message.to && chunk.to >= message.from);
  // A lifeline that shows through a blank of the label touches the words on both sides.
  const touches = (index: number, next: number): boolean =>
    (chunks[next]?.from ?? Infinity) - (chunks[index]?.to ?? 0) === 2;
  return chunks.filter(
    (chunk, index) =>
      (chunk.from >= from && chunk.from <= to) ||
      over[index] === true ||
      (over[index - 1] === true && touches(index - 1, index)) ||
      (over[index + 1] === true && touches(index, index + 1)),
  );
}

/** Pieces of shafts and boxes are no text. */
const isLineWork = (canvas: Canvas, { row, from, to }: Chunk): boolean =>
  /[─━═]{2}|[─━═] [─━═]|^[│┌┐└┘├┤╔╗╚╝║─━═]/u.test(canvas.text(row, from, to));

function claimed(setting: Setting, chunks: readonly Chunk[]): LabelRow {
  const { canvas } = setting;
  const row = chunks[0]?.row ?? 0;
  const parts: string[] = [];
  chunks.forEach((chunk, index) => {
    const next = chunks[index + 1];
    parts.push(canvas.text(row, chunk.from, chunk.to));
    if (next !== undefined) parts.push(between(setting, row, chunk.to + 1, next.from - 1));
  });
  for (const { from, to } of chunks) canvas.claim(row, from, to, 'label');
  return { text: parts.join(''), row, column: chunks[0]?.from ?? 0 };
}

/**
 * What stands between two pieces of a label. A lifeline there either shows through a blank of the label, or is a character of
 * it: `bind│pod` is "bind pod" where labels are transparent. Blanks on both sides of the line speak for a character.
 */
function between({ canvas, reports }: Setting, row: number, from: number, to: number): string {
  const raw = canvas.text(row, from, to);
  let owned = false;
  for (let column = from; column <= to; column++) {
    const owner = canvas.ownerAt(row, column);
    if (owner === 'cross') {
      reports.add('ASC124', { row, from, to }, 'a cross is drawn over this label, whose text may have lost a letter');
      return raw;
    }
    owned ||= owner !== 'free';
  }
  if (!owned) return raw;
  const isCharacter = to - from === 2 && canvas.isBlank(row, from) && canvas.isBlank(row, to);
  const reading = isCharacter ? 'a character of the label' : 'a blank';
  reports.add('ASC123', { row, from, to }, `a lifeline stands inside this label; read as ${reading}`);
  return isCharacter ? raw : ' ';
}
