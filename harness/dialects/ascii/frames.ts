import type { FragmentKind } from '../../diagram/index.ts';
import type { Canvas } from './canvas.ts';
import { KIND, VERTICAL } from './glyphs.ts';
import type { Reports } from './reports.ts';

/** One compartment: its guard, and the first row that belongs to it. */
export interface FrameOperand {
  readonly guard: string;
  readonly row: number;
  readonly column: number;
}

/** A combined fragment as drawn. Rows decide what is inside; `left` and `right` are its borders. */
export interface Frame {
  readonly keyword: string;
  /** Where the drawing uses the plain words; PlantUML's frames may carry any word, and are then groups. */
  readonly kind?: FragmentKind;
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
  readonly operands: readonly FrameOperand[];
}

/** How one family draws frames. `-utxt` has double lines; `-txt` has `_` above, `!` beside and `~` below and between. */
interface Style {
  readonly side: ReadonlySet<string>;
  /** First glyph of the row that parts two operands, and of the last row. In `-txt` both look the same. */
  readonly separator: string;
  readonly end: string;
  readonly filler: string;
  /** What the upper border is drawn with, and the sign at its right end, if it has one. */
  readonly border: string;
  readonly corner: string;
}

const DOUBLE: Style = { side: new Set('║╟╠╚'), separator: '╠', end: '╚', filler: '═', border: '═╤╪╧╫', corner: '╗' };
const BANG: Style = { side: new Set('!'), separator: '!', end: '!', filler: '~', border: '_', corner: '' };

/** Rows in which an arrow or its label may hide the left border before the frame counts as broken. */
const HIDDEN_ROWS_MAX = 3;

/** Finds and claims all frames, from top to bottom; a frame that is not closed is reported. */
export function readFrames(canvas: Canvas, columns: ReadonlySet<number>, reports: Reports): Frame[] {
  const frames: Frame[] = [];
  const setting = { canvas, columns, reports, open: new Map<string, number>() };
  for (let row = 0; row < canvas.height; row++) {
    const kinds = canvas.kindsOf(row);
    for (let column = 0; column < kinds.length; column++) {
      if (((kinds[column] ?? 0) & KIND.frame) === 0) continue;
      const found = frameCorner(canvas, row, column);
      if (found === null) continue;
      const frame = readFrame(setting, found);
      if (frame !== null) frames.push(frame);
      column = found.right;
    }
  }
  return frames;
}

interface Corner {
  readonly style: Style;
  readonly top: number;
  readonly left: number;
  readonly right: number;
}

interface Setting {
  readonly canvas: Canvas;
  readonly columns: ReadonlySet<number>;
  readonly reports: Reports;
  /** The last rows of open frames, by their sides. */
  readonly open: Map<string, number>;
}

function frameCorner(canvas: Canvas, top: number, left: number): Corner | null {
  const glyph = canvas.at(top, left);
  if (glyph === '╔' && canvas.isFree(top, left)) {
    const right = borderEnd(canvas, top, left, DOUBLE);
    const isFrame = /[╤╪]/u.test(canvas.text(top, left, right)) && '║'.includes(canvas.at(top + 1, left));
    const tabbed = canvas.at(top + 2, left) === '╟' || canvas.at(top + 2, left) === '╠';
    return isFrame && tabbed ? { style: DOUBLE, top, left, right } : null;
  }
  if (glyph === '_' && canvas.at(top, left - 1) !== '_' && canvas.at(top + 1, left) === '!') {
    const right = borderEnd(canvas, top, left, BANG);
    return right - left >= 3 ? { style: BANG, top, left, right } : null;
  }
  return null;
}

/**
 * Where an upper border ends; a hole of one cell in it is none of its ends, unless a side goes down from there. Over a line it may
 * have been the edge of the tab, without which the keyword cannot be told from the guard.
 */
function borderEnd(canvas: Canvas, top: number, left: number, { side, border, corner }: Style): number {
  const end = runEnd(canvas, top, left + 1, border);
  const below = canvas.at(top + 1, end);
  const isHole =
    canvas.isBlank(top, end) && !side.has(below) && !VERTICAL.has(below) && below !== '/' && end - left > 1;
  if (!isHole) return end;
  const goesOn = runEnd(canvas, top, end + 1, border);
  const isEnd = corner === '' ? side.has(canvas.at(top + 1, goesOn)) : canvas.at(top, goesOn) === corner;
  return isEnd ? goesOn : end;
}

/** One past the run of these glyphs. */
function runEnd(canvas: Canvas, row: number, from: number, glyphs: string): number {
  let column = from;
  while (column < canvas.width && glyphs.includes(canvas.at(row, column))) column++;
  return column;
}

function readFrame(setting: Setting, corner: Corner): Frame | null {
  const { canvas, reports } = setting;
  const { style, top, left, right } = corner;
  const bottom = style === DOUBLE ? doubleBottom(canvas, corner) : bangBottom(canvas, corner);
  if (bottom === null) {
    reports.add('ASC130', { row: top, from: left, to: right }, 'this frame has no lower border');
    claimOpenFrame(setting, corner);
    return null;
  }
  const tab = tabColumn(canvas, corner);
  const keyword = canvas.text(top + 1, left + 1, tab - 1).trim();
  const first: FrameOperand = { ...headGuard(setting, corner, tab), row: top + 1 };
  claimBorders(canvas, corner, bottom);
  reportOpenSide(setting, corner, bottom);
  reportHole(setting, corner);
  canvas.claim(top + 1, left, tab, 'frame');
  claimTabFoot(canvas, corner, tab);
  const operands = [first, ...laterOperands(setting, corner, bottom)];
  if (keyword !== 'REF' || !holdsOnlyText(canvas, corner, bottom)) {
    return { keyword, top, bottom, left, right, operands };
  }
  return { keyword, top, bottom, left, right, operands: [{ ...first, guard: referenceText(setting, corner, bottom) }] };
}

/** What belongs to a frame without an end is told once, with the frame: its sides, its keyword and its guards. */
function claimOpenFrame(setting: Setting, corner: Corner): void {
  const { canvas } = setting;
  const { style, top, left, right } = corner;
  canvas.claim(top, left, right, 'frame');
  const last = openEnd(setting, corner);
  for (let row = top + 1; row <= last; row++) {
    for (const column of [left, right]) {
      if (style.side.has(canvas.at(row, column)) || canvas.at(row, column) === '╣')
        canvas.claim(row, column, column, 'frame');
    }
  }
  const tab = tabColumn(canvas, corner);
  headGuard(setting, corner, tab);
  canvas.claim(top + 1, left, tab, 'frame');
  claimTabFoot(canvas, corner, tab);
  laterOperands(setting, corner, last + 1);
}

/** The last row of an open frame; its first where another one above it, with the same sides, has told them already. */
function openEnd({ canvas, open }: Setting, { style, top, left, right }: Corner): number {
  const sides = `${left} ${right}`;
  if ((open.get(sides) ?? -1) > top) return top;
  let last = top;
  for (let row = top + 1; row < canvas.height && row - last <= HIDDEN_ROWS_MAX; row++)
    if (style.side.has(canvas.at(row, left)) || canvas.at(row, left) === style.separator) last = row;
  open.set(sides, last);
  return last;
}

/** A right border that is not there, where nothing is drawn over it: the drawing may have been cut. */
function reportOpenSide({ canvas, reports }: Setting, { top, right }: Corner, bottom: number): void {
  for (let row = top + 2; row <= bottom; row++) {
    if (
      ![right - 1, right, right + 1].some(
        (column) => !canvas.isBlank(row, column) && canvas.ownerAt(row, column) === 'frame',
      )
    ) {
      if (!canvas.isBlank(row, right)) continue;
      reports.add('ASC129', { row, from: right, to: right }, 'this frame has no right border here');
      return;
    }
  }
}

/** A hole in the upper border says nothing else, but may be the trace of something. */
function reportHole({ canvas, reports }: Setting, { top, left, right }: Corner): void {
  for (let column = left; column < right; column++) {
    if (!canvas.isBlank(top, column)) continue;
    reports.add('ASC129', { row: top, from: column, to: column }, 'this frame has a hole in its upper border here');
  }
}

/** In a frame without any row of its own the separator has taken the place of the tab's lower border. */
function claimTabFoot(canvas: Canvas, { style, top, left }: Corner, tab: number): void {
  if (canvas.at(top + 2, left + 1) === style.filler) return;
  canvas.claim(top + 2, left, style === DOUBLE ? tab : tab - 1, 'frame');
}

// A reference to another diagram and a group that somebody called REF are drawn alike, but only the group has arrows.
function holdsOnlyText(canvas: Canvas, { top, left, right }: Corner, bottom: number): boolean {
  for (let row = top + 3; row < bottom; row++) {
    if (/[─-]{2}|[─-] [─-]/u.test(canvas.text(row, left + 1, right - 1))) return false;
  }
  return true;
}

function referenceText(setting: Setting, { top, left, right }: Corner, bottom: number): string {
  const lines: string[] = [];
  for (let row = top + 3; row < bottom; row++) {
    const range = trimToText(setting, row, left + 1, right - 1);
    if (range === null) continue;
    setting.canvas.claim(row, range.from, range.to, 'frame');
    lines.push(setting.canvas.text(row, range.from, range.to));
  }
  return lines.join(' ');
}

function doubleBottom(canvas: Canvas, { top, left }: Corner): number | null {
  for (let row = top + 1, hidden = 0; row < canvas.height && hidden <= HIDDEN_ROWS_MAX; row++) {
    const glyph = canvas.at(row, left);
    if (glyph === '╚') return row;
    if (glyph === '╔') return null;
    hidden = DOUBLE.side.has(glyph) ? 0 : hidden + 1;
  }
  return null;
}

/** The last `~` row of the run of `!`: separators and the end are drawn alike, so only what follows tells them apart. */
function bangBottom(canvas: Canvas, { top, left }: Corner): number | null {
  let bottom: number | null = null;
  for (let row = top + 1, hidden = 0; row < canvas.height && hidden <= HIDDEN_ROWS_MAX; row++) {
    const isSide = canvas.at(row, left) === '!';
    if (!isSide && canvas.at(row, left) === '_' && canvas.at(row + 1, left) === '!') break;
    if (isSide && canvas.at(row, left + 1) === '~') bottom = row;
    hidden = isSide ? 0 : hidden + 1;
  }
  return bottom;
}

/** Where the tab with the keyword ends; its lower border shows it best, since a lifeline may cross the upper one. */
function tabColumn(canvas: Canvas, { style, top, left, right }: Corner): number {
  if (style === BANG) {
    const foot = runEnd(canvas, top + 2, left + 1, '_');
    if (canvas.at(top + 2, foot) === '/') return foot + 1;
    const slash = canvas.text(top + 1, left, right).indexOf('/');
    return slash < 0 ? right : left + slash;
  }
  const foot = runEnd(canvas, top + 2, left + 1, '─');
  if (canvas.at(top + 2, foot) === '┘') return foot;
  for (let column = left + 1; column < right; column++) {
    if ('╤╪'.includes(canvas.at(top, column)) && canvas.at(top + 1, column) === '│') return column;
  }
  return right;
}

/** The guard beside the keyword. A long one runs over lifelines, and even over the right border. */
function headGuard(setting: Setting, corner: Corner, tab: number): { guard: string; column: number } {
  const { canvas } = setting;
  const row = corner.top + 1;
  const inside = trimToText(setting, row, tab + 1, corner.right - 1);
  const overflows =
    inside === null ||
    (inside.to === corner.right - 1 &&
      !canvas.isBlank(row, corner.right) &&
      !corner.style.side.has(canvas.at(row, corner.right)));
  const range = overflows
    ? trimToText(setting, row, inside?.from ?? corner.right + 1, overflowEnd(canvas, row, corner.right))
    : inside;
  if (range === null) return { guard: '', column: corner.left };
  canvas.claim(row, range.from, range.to, 'frame');
  return { guard: canvas.text(row, range.from, range.to), column: range.from };
}

/** No guard goes on for longer behind the border of its frame. */
const OVERFLOW_MAX = 400;

/** Text that starts right behind the border goes on until two blanks. */
function overflowEnd(canvas: Canvas, row: number, right: number): number {
  let column = right + 1;
  const end = Math.min(canvas.width, right + OVERFLOW_MAX);
  while (column < end && !(canvas.isBlank(row, column) && canvas.isBlank(row, column + 1))) column++;
  return column - 1;
}

/** The part of a row that is text: blanks and lifelines at both of its ends do not belong to it. */
function trimToText(
  { canvas, columns }: Setting,
  row: number,
  from: number,
  to: number,
): { from: number; to: number } | null {
  const isText = (column: number): boolean =>
    !canvas.isBlank(row, column) && !(columns.has(column) && VERTICAL.has(canvas.at(row, column)));
  let [start, end] = [from, to];
  while (start <= end && !isText(start)) start++;
  while (end >= start && !isText(end)) end--;
  return start > end ? null : { from: start, to: end };
}

function claimBorders(canvas: Canvas, { style, top, left, right }: Corner, bottom: number): void {
  canvas.claim(top, left, right, 'frame');
  canvas.claim(bottom, left, right, 'frame');
  for (let row = top + 1; row < bottom; row++) {
    if (style.side.has(canvas.at(row, left))) canvas.claim(row, left, left, 'frame');
    if (style.side.has(canvas.at(row, right)) || canvas.at(row, right) === '╣')
      canvas.claim(row, right, right, 'frame');
  }
}

/** The operands below the first. The guard stands on the row under the separator, or, where nothing else is drawn, in the last row itself. */
function laterOperands(setting: Setting, corner: Corner, bottom: number): FrameOperand[] {
  const { canvas } = setting;
  const { style, top, left, right } = corner;
  const operands: FrameOperand[] = [];
  for (let row = top + 2; row < bottom; row++) {
    if (canvas.at(row, left) !== style.separator || canvas.at(row, left + 1) !== style.filler) continue;
    canvas.claim(row, left, right, 'frame');
    const guard = bracketed(canvas, row + 1, left + 1, right - 1);
    if (guard !== null) canvas.claim(row + 1, guard.from, guard.to, 'frame');
    operands.push({
      guard: guard === null ? '' : canvas.text(row + 1, guard.from + 1, guard.to - 1),
      row: row + 1,
      column: guard?.from ?? left,
    });
  }
  return operands;
}

function bracketed(canvas: Canvas, row: number, from: number, to: number): { from: number; to: number } | null {
  const start = from + 1;
  if (canvas.at(row, start) !== '[') return null;
  let end = to;
  while (end > start && canvas.at(row, end) !== ']') end--;
  return end > start ? { from: start, to: end } : null;
}
