import { wholeFile } from '../../diagram/index.ts';
import type { Canvas } from './canvas.ts';
import { toCells } from './cells.ts';
import { VERTICAL } from './glyphs.ts';
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
  if (columns.length < 2) return readTextColumns(canvas, new Reports(canvas, wholeFile('', ''))) !== null;
  const isLine = (row: number, column: number): boolean =>
    columns.includes(column) && VERTICAL.has(canvas.at(row, column));
  for (let row = 0; row < canvas.height; row++) {
    const line = canvas.text(row, 0, canvas.width);
    for (const match of line.matchAll(/(?:[-─━═] ?){3,}[>►▶→]|[<◄◀←](?: ?[-─━═]){3,}/gu)) {
      const [from, to] = [match.index, match.index + match[0].length - 1];
      if (
        [from - 1, from - 2].some((column) => isLine(row, column)) ||
        [to + 1, to + 2].some((column) => isLine(row, column))
      )
        return true;
    }
  }
  return false;
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
const HEADLESS = /^ ?[-─━═]{2,}(?:[^-─━═<>►◄▶◀→←][^<>►◄▶◀→←]*[-─━═]{2,}|[-─━═]*) ?$/u;

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

/** A shaft of two cells or more and its head, as all that stands between two lines or as its beginning and end around a label. */
const TOUCHING =
  /^ ?(?:[-─━═]+[^-─━═<>].* ?)?[-─━═. ]*[-─━═]{2,}[>►▶→] {0,2}$|^ {0,2}[<◄◀←][-─━═]{2,}[-─━═. ]*(?: ?.*[^-─━═<>][-─━═]+)? ?$/u;
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
      if (TOUCHING.test(gap)) touching++;
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
