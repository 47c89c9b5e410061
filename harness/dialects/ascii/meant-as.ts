import type { Canvas } from './canvas.ts';
import { toCells } from './cells.ts';
import { KIND, VERTICAL } from './glyphs.ts';
import { lifelineColumns } from './plain-names.ts';
import { Reports } from './reports.ts';
import { readTextColumns } from './text-columns.ts';

/**
 * Whether a text is meant as a drawn sequence diagram, even if nobody is named in it: two lines that run down, and a shaft with a
 * head that ends at one of them. Such a text deserves to be told what is wrong with it.
 */
export function seemsDrawn(text: string): boolean {
  const cells = toCells(text);
  if ('tooLarge' in cells) return false;
  const { canvas } = cells;
  const columns = lifelineColumns(canvas);
  if (columns.length < 2) return readTextColumns(canvas, new Reports(canvas)) !== null;
  const lines = new Set(columns);
  const isLine = (row: number, column: number): boolean => lines.has(column) && canvas.is(row, column, KIND.vertical);
  for (let row = 0; row < canvas.height; row++) {
    const isAtLine = headedShafts(canvas, row).some(
      ({ from, to }) => isLine(row, from - 1) || isLine(row, from - 2) || isLine(row, to + 1) || isLine(row, to + 2),
    );
    if (isAtLine) return true;
  }
  return false;
}

const DASHES = new Set('-─━═');
/** So many make a shaft. */
const DASHES_MIN = 3;

/** The shafts of a row that have a head, each with the head or the heads; dashes may have single blanks between them. */
function headedShafts(canvas: Canvas, row: number): readonly { readonly from: number; readonly to: number }[] {
  const found: { from: number; to: number }[] = [];
  const kinds = canvas.kindsOf(row);
  const isDash = (column: number): boolean => DASHES.has(canvas.at(row, column));
  for (let column = 0; column < kinds.length; column++) {
    if (((kinds[column] ?? 0) & KIND.solid) === 0 || !isDash(column)) continue;
    let [end, dashes] = [column, 1];
    while (isDash(end + 1) || (canvas.isBlank(row, end + 1) && isDash(end + 2))) {
      end += isDash(end + 1) ? 1 : 2;
      dashes++;
    }
    const [from, to] = [headBeside(canvas, row, column, -1, '<◄◀←'), headBeside(canvas, row, end, 1, '>►▶→')];
    if (dashes >= DASHES_MIN && (from !== null || to !== null)) found.push({ from: from ?? column, to: to ?? end });
    column = end;
  }
  return found;
}

/** The column of a head right beside the end of a shaft, or a blank away. */
function headBeside(canvas: Canvas, row: number, end: number, step: 1 | -1, heads: string): number | null {
  const isTip = (column: number): boolean => canvas.at(row, column) !== '' && heads.includes(canvas.at(row, column));
  if (isTip(end + step)) return end + step;
  return canvas.isBlank(row, end + step) && isTip(end + 2 * step) ? end + 2 * step : null;
}

/** Arrows that a drawing has at least, where nobody says that it is one. */
const ARROWS_MIN = 2;

/**
 * Whether a text that nobody calls a drawing is clearly meant as a sequence diagram: arrows from one line that runs down to the
 * next, or, where names stand over the lines, between them. Other drawings have lines and arrows too: tables, trees and boxes have
 * no arrows from line to line, and in flow charts the lines end in tips.
 */
export function isClearlyDrawn(text: string): boolean {
  const cells = toCells(text);
  if ('tooLarge' in cells) return false;
  const { canvas } = cells;
  const columns = lifelineColumns(canvas);
  if (columns.length < 2 || hasTips(canvas)) return false;
  const { touching, near } = arrowsBetween(canvas, columns);
  return touching >= ARROWS_MIN || (near >= ARROWS_MIN && namedColumns(canvas, columns) >= 2);
}

/** A line from one lifeline to the next without any tip, perhaps with a label in it. */
const HEADLESS = /^ ?[-─━═]{2,}(?![-─━═])(?:[^<>►◄▶◀→←]*[-─━═]{2})? ?$/u;

/**
 * Whether a text draws what would clearly be a sequence diagram if its arrows had heads: names, lifelines, and lines between them.
 * Where all gaps of a row are filled, the lines may as well rule a table, unless there is text in them.
 */
export function lacksHeads(text: string): boolean {
  const cells = toCells(text);
  if ('tooLarge' in cells) return false;
  const { canvas } = cells;
  const columns = lifelineColumns(canvas);
  if (columns.length < 2 || hasTips(canvas) || namedColumns(canvas, columns) < 2) return false;
  let found = 0;
  for (let row = 0; row < canvas.height; row++) {
    const gaps = columns.slice(1).map((to, index) => ({ from: (columns[index] ?? 0) + 1, to: to - 1 }));
    const lines = gaps.filter(({ from, to }) => {
      if (to - from > GAP_MAX) return false;
      const ends = [canvas.at(row, from - 1), canvas.at(row, to + 1)];
      return ends.every((glyph) => VERTICAL.has(glyph)) && HEADLESS.test(canvas.text(row, from, to));
    });
    const isRule =
      lines.length === gaps.length && !lines.some(({ from, to }) => /[\p{L}\p{N}]/u.test(canvas.text(row, from, to)));
    if (!isRule) found += lines.length;
  }
  return found >= ARROWS_MIN;
}

/** `v` or `^`, alone where a line that runs down would go on. */
function hasTips(canvas: Canvas): boolean {
  for (let row = 0; row < canvas.height; row++) {
    const glyphs = canvas.rows[row]?.glyphs ?? [];
    const isTip = glyphs.some((glyph, column) => {
      const from = 'vV▼↓'.includes(glyph) ? row - 1 : '^▲↑'.includes(glyph) ? row + 1 : -1;
      const isAlone = canvas.isBlank(row, column - 1) && canvas.isBlank(row, column + 1);
      return glyph !== '' && from >= 0 && isAlone && VERTICAL.has(canvas.at(from, column));
    });
    if (isTip) return true;
  }
  return false;
}

/** The end of a shaft of two cells or more and its head, on the right side of a gap. */
const RIGHT_END = /[-─━═]{2}[>►▶→] {0,2}$/u;
const LEFT_END = /[-─━═]{2}[<◄◀←] {0,2}$/u;

/** Whether an arrow reaches from one side of a gap to the other: all that stands there is its shaft, or its label is written into it. */
function touches(gap: string, end: RegExp): boolean {
  const match = end.exec(gap);
  if (match === null) return false;
  const before = gap.slice(0, match.index);
  if (/^[-─━═. ]*$/u.test(before)) return true;
  const begin = /^ ?[-─━═]+/u.exec(before)?.[0];
  return begin !== undefined && !/[<>]/.test(before[begin.length] ?? '<');
}

const reversed = (text: string): string => Array.from(text).reverse().join('');
const NEAR = /(?<![-─━═<])[-─━═]{2,}[>►▶→]|[<◄◀←][-─━═]{2,}(?![-─━═>])/u;
/** Wider gaps are none. */
const GAP_MAX = 400;

/** How many gaps between two neighbouring lines hold an arrow that touches both, and how many hold one at all. */
function arrowsBetween(
  canvas: Canvas,
  columns: readonly number[],
): { readonly touching: number; readonly near: number } {
  let [touching, near] = [0, 0];
  for (let row = 0; row < canvas.height; row++) {
    for (const [index, from] of columns.entries()) {
      const to = columns[index + 1];
      if (to === undefined || to - from > GAP_MAX) continue;
      if (!VERTICAL.has(canvas.at(row, from)) || !VERTICAL.has(canvas.at(row, to))) continue;
      const gap = canvas.text(row, from + 1, to - 1);
      if (!NEAR.test(gap)) continue;
      near++;
      if (touches(gap, RIGHT_END) || touches(reversed(gap), LEFT_END)) touching++;
    }
  }
  return { touching, near };
}

/** Rows between a name and its line. */
const NAME_ROWS_MAX = 3;

/** How many lines have a letter over them, a little to the side at most. */
function namedColumns(canvas: Canvas, columns: readonly number[]): number {
  return columns.filter((column) => {
    let top = 0;
    while (top < canvas.height && !VERTICAL.has(canvas.at(top, column))) top++;
    const above = Array.from({ length: NAME_ROWS_MAX }, (_, index) => top - 1 - index);
    return above.some((row) => row >= 0 && /[\p{L}\p{N}]/u.test(canvas.text(row, column - 2, column + 2)));
  }).length;
}
