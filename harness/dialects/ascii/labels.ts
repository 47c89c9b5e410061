import type { Arrow } from './arrows.ts';
import type { Bars } from './bars.ts';
import type { Canvas, Chunk } from './canvas.ts';
import { countBefore, type Lifelines } from './lifelines.ts';
import { isArrowOfSigns, reportKeyword } from './local-texts.ts';
import type { Loop } from './loops.ts';
import type { NoteBox } from './notes.ts';
import type { Reports } from './reports.ts';

/** The text of an arrow, and the cell where it begins; rows are joined by line breaks. */
export interface Label {
  readonly text: string;
  readonly row: number;
  readonly column: number;
  /** First row of the label, or the arrow's own where it has none above. */
  readonly top: number;
}

/** The labels of all messages, and texts above an arrow that are no part of its label. */
export interface Labels {
  readonly of: ReadonlyMap<Arrow | Loop, Label>;
  readonly remarks: readonly NoteBox[];
}

interface Given {
  readonly canvas: Canvas;
  readonly skeleton: Lifelines;
  readonly bars: Bars;
  readonly reports: Reports;
}

interface Setting extends Given {
  readonly remarks: NoteBox[];
  readonly byRow: ReadonlyMap<number, readonly Arrow[]>;
}

const LABEL_ROWS_MAX = 200;

interface LabelRow {
  readonly text: string;
  readonly row: number;
  readonly column: number;
}

/** Reads and claims the labels of all arrows: above them first, then inside, then what is left right below. */
export function readLabels(given: Given, arrows: readonly Arrow[], loops: readonly Loop[]): Labels {
  const remarks: NoteBox[] = [];
  const setting = { ...given, remarks, byRow: byRow(arrows) };
  const rows = new Map<Arrow | Loop, LabelRow[]>();
  for (const loop of loops) rows.set(loop, rowsBeside(setting, loop));
  const areBelow = loops.length === 0 && standBelow(setting, arrows);
  for (const arrow of arrows) {
    const above = areBelow ? [] : rowsAbove(setting, arrow);
    if (above.length > 0) reportBetween(setting, arrow, above, rows);
    rows.set(arrow, [...above, ...rowInside(setting, arrow)]);
  }
  for (const loop of loops) if (rows.get(loop)?.length === 0) rows.set(loop, rowsAbove(setting, loop));
  for (const arrow of arrows) rows.get(arrow)?.push(...rowsBelow(setting, arrow));
  if (loops.length === 0 && [...rows.values()].every(({ length }) => length === 0)) readMargin(setting, arrows, rows);
  return { of: new Map([...rows].map(([message, lines]) => [message, toLabel(message, lines)])), remarks };
}

/** Whether all labels stand right under their arrows: each has a text there, and none has one above that is not right under another. */
function standBelow(setting: Setting, arrows: readonly Arrow[]): boolean {
  if (arrows.length < 2) return false;
  return arrows.every((arrow) => {
    if (arrow.inline !== null || !hasText(setting, arrow, arrow.row + 1)) return false;
    let row = arrow.row - 1;
    while (hasText(setting, arrow, row) && arrow.row - row < LABEL_ROWS_MAX) row--;
    return row === arrow.row - 1 || hasShaft(setting.canvas, row, ...span(setting, arrow));
  });
}

/** Whether a row has text for an arrow, and no other arrow. */
function hasText(setting: Setting, arrow: Arrow, row: number): boolean {
  const { canvas, skeleton } = setting;
  if (row < skeleton.bodyTop || row >= skeleton.bodyBottom) return false;
  return !hasShaft(canvas, row, ...span(setting, arrow)) && textOf(setting, arrow, row).length > 0;
}

/** A text right between two arrows is the label of the lower one, unless the upper one lacks one: then it may be either's. */
function reportBetween(
  setting: Setting,
  arrow: Arrow,
  above: readonly LabelRow[],
  rows: ReadonlyMap<Arrow | Loop, readonly LabelRow[]>,
): void {
  const [first] = above;
  const { canvas, reports } = setting;
  if (first === undefined || !hasShaft(canvas, first.row - 1, arrow.from, arrow.to)) return;
  const upper = setting.byRow
    .get(first.row - 1)
    ?.find(({ left, right }) => left === arrow.left && right === arrow.right);
  if (upper === undefined || upper.refused || rows.get(upper)?.length !== 0) return;
  const cells = { row: first.row, from: first.column, to: first.column + first.text.length - 1 };
  reports.add(
    'ASC148',
    cells,
    'this text may belong to the arrow above it or below it; read as the label of the lower one',
  );
}

/** Texts to the right of all lifelines are labels if every arrow has one on its row, and none anywhere else. */
function readMargin(setting: Setting, arrows: readonly Arrow[], rows: ReadonlyMap<Arrow | Loop, LabelRow[]>): void {
  const { canvas, skeleton, bars, reports } = setting;
  const last = skeleton.lifelines.at(-1);
  if (last === undefined || arrows.length < 2 || new Set(arrows.map(({ row }) => row)).size < arrows.length) return;
  const texts = arrows.map((arrow) => ({
    arrow,
    chunks: canvas.chunks(arrow.row).filter(({ from }) => from > Math.max(bars.extent(last, arrow.row)[1], arrow.to)),
  }));
  if (texts.some(({ chunks }) => chunks.length !== 1 || isRemark(canvas, [chunks]))) return;
  for (const { arrow, chunks } of texts) {
    const line = claimed(setting, chunks);
    reports.add(
      'ASC122',
      { row: line.row, from: line.column, to: line.column },
      'this text stands beside its arrow; read as its label',
    );
    rows.get(arrow)?.push(line);
  }
}

function byRow(arrows: readonly Arrow[]): ReadonlyMap<number, readonly Arrow[]> {
  const rows = new Map<number, Arrow[]>();
  for (const arrow of arrows) {
    const row = rows.get(arrow.row);
    if (row === undefined) rows.set(arrow.row, [arrow]);
    else row.push(arrow);
  }
  return rows;
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

/** How far from an arrow that ends nowhere its label is looked for; there may be many of them on a row. */
const REFUSED_REACH = 200;

/** The columns over which an arrow's label may begin: between its ends, the bars there excluded. */
function span({ bars, canvas }: Setting, message: Arrow | Loop): readonly [number, number] {
  if ('corner' in message) return [message.from, message.to];
  const [first, last] = message.refused
    ? [message.from - REFUSED_REACH, message.to + REFUSED_REACH]
    : [0, canvas.width];
  const left = message.left === null ? Math.max(0, first) : bars.extent(message.left, message.row)[1] + 1;
  const right = message.right === null ? last : bars.extent(message.right, message.row)[0] - 1;
  return [Math.min(left, message.from), Math.max(right, message.to)];
}

function rowsAbove(setting: Setting, message: Arrow | Loop): LabelRow[] {
  const { canvas, skeleton } = setting;
  const [from, to] = span(setting, message);
  const rows: (readonly Chunk[])[] = [];
  let row = message.row - 1;
  for (; row >= Math.max(skeleton.bodyTop, message.row - LABEL_ROWS_MAX); row--) {
    const chunks = textOf(setting, message, row);
    if (chunks.length === 0 || hasShaft(canvas, row, from, to) || isBreak(setting, message, row)) break;
    if (isStateOf(setting, message, chunks)) break;
    rows.unshift(chunks);
  }
  if (isRemark(canvas, rows) && hasShaft(canvas, row, from, to)) return [];
  if (goesOnUnder(setting, message, row)) return [];
  const apart = remarkRows(rows, [from, to]);
  if (apart > 0) claimRemark(setting, rows.slice(0, apart));
  // Above the label proper, `alt [ok]` is no part of it.
  const hasMore =
    rows.length > apart + 1 || ('inline' in message && message.inline !== null) || isElse(canvas, rows[apart] ?? []);
  if (hasMore) reportKeyword(canvas, rows.slice(apart).flat(), setting.reports);
  return rows.slice(apart).map((chunks) => claimed(setting, chunks));
}

/** Whether time passes on a row: what stands there is about that. */
function isBreak({ canvas }: Setting, message: Arrow | Loop, row: number): boolean {
  if ('corner' in message) return false;
  return [message.left, message.right].some((end) => end !== null && canvas.at(row, end.column) === '~');
}

/** Columns from the middle of a state to its lifeline. */
const STATE_REACH = 4;

/** Whether a text stands over the lifeline at the right end of an arrow, `SYN-RCVD`, and far from the left one. */
function isStateOf({ bars }: Setting, message: Arrow | Loop, [chunk, more]: readonly Chunk[]): boolean {
  if ('corner' in message || message.left === null || message.right === null) return false;
  if (chunk === undefined || more !== undefined) return false;
  const [left, right] = [bars.extent(message.left, chunk.row)[1], message.right.column];
  const isOver = chunk.from < right && right <= chunk.to;
  const isCentred = Math.abs((chunk.from + chunk.to) / 2 - right) <= STATE_REACH;
  return isOver && isCentred && chunk.from - left > 2 * (right - chunk.from);
}

/** Nobody sends an `else`. */
const isElse = (canvas: Canvas, [first]: readonly Chunk[]): boolean =>
  first !== undefined && /^\[?else\]?$/i.test(canvas.text(first.row, first.from, first.to));

/** Whether the text between two arrows that have labels in their shafts is the rest of the upper one's. */
function goesOnUnder(setting: Setting, message: Arrow | Loop, above: number): boolean {
  if ('corner' in message || message.inline === null) return false;
  const upper = setting.byRow.get(above) ?? [];
  return upper.some(({ from, to, inline }) => inline !== null && from <= message.to && to >= message.from);
}

/** A text hugs a lifeline with so many blanks between at most, and stands in the middle from so many on. */
const HUG_MAX = 3;
const MIDDLE_MIN = 4;
/** How far a text in the middle is from being centred. */
const OFF_CENTRE_MAX = 4;

/**
 * How many of the rows above an arrow are no part of its label: a text in the middle over one that hugs a lifeline, aligned
 * with it neither on the left nor on the right, is set apart from it, `B may still send` over `FIN`.
 */
function remarkRows(rows: readonly (readonly Chunk[])[], ends: readonly [number, number]): number {
  const blanks = rows.map((chunks): readonly [number, number] => [
    (chunks[0]?.from ?? 0) - ends[0],
    ends[1] - (chunks.at(-1)?.to ?? 0),
  ]);
  return (
    blanks.findLastIndex(([left, right], index) => {
      const isSetApart = blanks.slice(index + 1).every((below) => hugs(below) && !isAligned([left, right], below));
      const isMiddle = Math.min(left, right) >= MIDDLE_MIN && Math.abs(left - right) <= OFF_CENTRE_MAX;
      return index + 1 < blanks.length && isSetApart && isMiddle;
    }) + 1
  );
}

const hugs = ([left, right]: readonly [number, number]): boolean =>
  Math.min(left, right) <= HUG_MAX && Math.max(left, right) >= 2 * MIDDLE_MIN;

const isAligned = (a: readonly [number, number], b: readonly [number, number]): boolean =>
  [0, 1].some((side) => Math.abs((a[side] ?? 0) - (b[side] ?? 0)) < MIDDLE_MIN) ||
  Math.abs(a[0] - a[1] - b[0] + b[1]) <= OFF_CENTRE_MAX;

function claimRemark({ canvas, reports, remarks }: Setting, rows: readonly (readonly Chunk[])[]): void {
  const chunks = rows.flat();
  const [first] = chunks;
  if (first === undefined) return;
  for (const { row, from, to } of chunks) canvas.claim(row, from, to, 'note');
  reports.add('ASC143', first, 'this text is set apart from the label below it; read as a note');
  remarks.push({
    lines: rows.map((row) => row.map((chunk) => canvas.text(chunk.row, chunk.from, chunk.to)).join(' ')),
    top: first.row,
    bottom: chunks.at(-1)?.row ?? first.row,
    left: Math.min(...chunks.map(({ from }) => from)),
    right: Math.max(...chunks.map(({ to }) => to)),
  });
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
    if (isBreak(setting, arrow, row) || isStateOf(setting, arrow, chunks)) break;
    // `3. Store it` under an arrow is a step of its own.
    if (/^\(?\d+[.)]\s/.test(canvas.text(row, first.from, first.to))) break;
    rows.push(chunks);
  }
  if (isRemark(canvas, rows) && hasShaft(canvas, row, from, to)) return [];
  reportKeyword(canvas, rows.flat(), reports);
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
  const text = withoutShaft(canvas.text(row, inline.from, inline.to).trim());
  return [{ text, row, column: inline.from + (canvas.isBlank(row, inline.from) ? 1 : 0) }];
}

/** A number in front of a label, `(A)--- grant`: the shaft goes on behind it. */
const NUMBER = /^(\([\p{L}\p{N}]{1,3}\)|\p{N}{1,3}[).:])[-─━═]+ (?=\S)/u;

/** The text of a label that is written into a shaft, without what shows of the shaft between its words: `to─be` was "to be". */
const withoutShaft = (text: string): string =>
  text.replace(NUMBER, '$1 ').replace(/(?<=[\p{L}\p{N}])[─━]+(?=[\p{L}\p{N}])/gu, ' ');

/** The label of a loop to the left stands to the left of its corner. */
function rowsBefore(setting: Setting, loop: Loop): LabelRow[] {
  const { canvas, skeleton } = setting;
  const limit = skeleton.lifelines.findLast(({ column }) => column < loop.corner)?.column ?? -1;
  const lines: LabelRow[] = [];
  for (let row = loop.row; row <= loop.bottom; row++) {
    const chunks = canvas.chunksFrom(row, limit + 1, loop.corner - 1).filter((chunk) => chunk.to < loop.corner);
    const last = chunks.at(-1);
    if (last !== undefined && loop.corner - last.to <= BESIDE_MAX) lines.push(claimed(setting, chunks));
  }
  return lines;
}

/** Columns between a loop and its label. */
const BESIDE_MAX = 3;

/** Where a row of a loop's label may begin: beside the corner, then anywhere under the first row, under the loop right below it. */
function besideColumns(loop: Loop, row: number, first: LabelRow | undefined): readonly [number, number] {
  if (first === undefined) return [loop.corner + 1, loop.corner + BESIDE_MAX];
  if (row > loop.bottom) return [first.column, first.column];
  return [loop.corner + 1, Math.max(loop.corner + BESIDE_MAX, first.column + first.text.length - 1)];
}

/** The label of a loop stands to the right of its corner, from the middle row on, and may go on under the loop. */
function rowsBeside(setting: Setting, loop: Loop): LabelRow[] {
  const { canvas, skeleton } = setting;
  if (loop.corner === loop.from) return rowsBefore(setting, loop);
  const limit = skeleton.lifelines.find(({ column }) => column > loop.corner)?.column ?? canvas.width;
  const lines: LabelRow[] = [];
  for (let row = loop.row; row <= loop.bottom + LABEL_ROWS_MAX && row < skeleton.bodyBottom; row++) {
    const [first] = lines;
    const [from, to] = besideColumns(loop, row, first);
    const [start] = canvas.chunksFrom(row, from, to);
    if (start !== undefined) lines.push(claimed(setting, canvas.chunksFrom(row, start.from, limit - 1)));
    else if (row >= loop.bottom) break;
  }
  return lines;
}

const hasShaft = (canvas: Canvas, row: number, from: number, to: number): boolean =>
  canvas.holds(row, from, to, 'shaft');

/** The text of a row that begins between the ends of a message; where one end is outside, all that stands over its shaft. */
function textOf(setting: Setting, message: Arrow | Loop, row: number): readonly Chunk[] {
  const { canvas } = setting;
  const [from, to] = span(setting, message);
  const isOpen = !('corner' in message) && (message.left === null || message.right === null);
  const isText = (chunk: Chunk): boolean => !isLineWork(canvas, chunk);
  if (!isOpen) return canvas.chunksFrom(row, from, to).filter(isText);
  const chunks = (
    message.refused ? canvas.chunksFrom(row, from - REFUSED_REACH, to + REFUSED_REACH) : canvas.chunks(row)
  ).filter(isText);
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

/** What a piece of a shaft begins or ends with in ASCII: `-- x`, `<- x`, `x ->`; `--force` is text. */
const ASCII_SHAFT =
  /^(?:<[-=.]{2,}|[-=~]{2,}(?![-=~>\p{L}\p{N}]))|(?:\s[-=~]{2,}|(?<![-=~])[-=~]{3,}|(?<![-=~.])[-=~.]{2,}>+)$/u;

/** Pieces of shafts and boxes are no text. */
function isLineWork(canvas: Canvas, { row, from, to }: Chunk): boolean {
  const text = canvas.text(row, from, to);
  return isArrowOfSigns(text) || ASCII_SHAFT.test(text) || /[─━═]{2}|[─━═] [─━═]|^[│┌┐└┘├┤╔╗╚╝║─━═]/u.test(text);
}

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
  return { text: withoutPushedLine(setting, chunks, parts.join('')), row, column: chunks[0]?.from ?? 0 };
}

/** A line at the end of a text that runs over the lifeline on its right: the text has pushed it aside, `… a > b |`. */
function withoutPushedLine({ skeleton, reports }: Setting, chunks: readonly Chunk[], text: string): string {
  const [first, last] = [chunks[0], chunks.at(-1)];
  if (first === undefined || last === undefined || !/ [│|┃]$/.test(text)) return text;
  const over = skeleton.lifelines[countBefore(skeleton.lifelines, last.to + 1) - 1];
  if (over === undefined || over.column <= last.from || over.column >= last.to) return text;
  const cells = { row: last.row, from: last.to, to: last.to };
  reports.add('ASC123', cells, `this text has pushed the lifeline of ${over.label} aside; read without the line`);
  return text.slice(0, -2);
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
