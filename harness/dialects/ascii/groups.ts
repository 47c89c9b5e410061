import type { Box } from './boxes.ts';
import type { Canvas } from './canvas.ts';
import { BOTTOM_LEFT, HORIZONTAL, TEE, TOP_LEFT, TOP_RIGHT, VERTICAL } from './glyphs.ts';
import type { Reports } from './reports.ts';

const isSide = (glyph: string): boolean => VERTICAL.has(glyph) || TEE.has(glyph) || glyph === '║' || glyph === '+';
const isLine = (glyph: string): boolean => HORIZONTAL.has(glyph) || TEE.has(glyph) || glyph === '+';

/** Rows between the top of a group and the heads in it, for its name. */
const TITLE_ROWS_MAX = 4;
/** Rows in which an arrow may hide the side of a group. */
const HIDDEN_ROWS_MAX = 3;
const CORNERS_MAX = 8;
/** Cells looked at for each cell of the drawing, and in any; what is drawn around names beyond them is told as what it looks like. */
const STEPS_PER_CELL = 3;
const STEPS_MIN = 50_000;

/**
 * Claims the boxes drawn around participants, or around the whole drawing: `┌─ Services ──┐` above their heads and down to
 * below their lifelines. They say nothing about messages, and are remarked.
 */
export function claimGroups(canvas: Canvas, boxes: readonly Box[], reports: Reports): void {
  if (boxes.length === 0) return;
  const headTop = boxes.reduce((top, box) => Math.min(top, box.top), Infinity);
  const setting = { canvas, headTop, reports, budget: { steps: STEPS_MIN + STEPS_PER_CELL * canvas.cells } };
  for (let row = Math.max(0, headTop - TITLE_ROWS_MAX); row < headTop; row++) {
    const kinds = canvas.kindsOf(row);
    const rights = rightsByColumn(canvas, boxes, row);
    for (let column = 0; column < kinds.length; column++) {
      if (!TOP_LEFT.has(canvas.at(row, column)) && canvas.at(row, column) !== '╔') continue;
      if (!isSide(canvas.at(row + 1, column))) continue;
      const right = groupAt(setting, row, column, rights);
      if (right !== null) column = right;
    }
  }
}

interface Setting {
  readonly canvas: Canvas;
  readonly headTop: number;
  readonly reports: Reports;
  readonly budget: { steps: number };
}

/** For each column the smallest right side of the boxes that begin there or behind it, right below a row. */
function rightsByColumn(canvas: Canvas, boxes: readonly Box[], row: number): Int32Array {
  const rights = new Int32Array(canvas.width + 2).fill(canvas.width);
  for (const { top, left, right } of boxes)
    if (top > row && top <= row + TITLE_ROWS_MAX) rights[left] = Math.min(rights[left] ?? right, right);
  for (let column = canvas.width; column >= 0; column--)
    rights[column] = Math.min(rights[column] ?? canvas.width, rights[column + 1] ?? canvas.width);
  return rights;
}

function groupAt(
  { canvas, headTop, reports, budget }: Setting,
  top: number,
  left: number,
  rights: Int32Array,
): number | null {
  const { length } = canvas.kindsOf(top);
  for (let right = left + 2, tried = 0; right < length && tried < CORNERS_MAX && budget.steps > 0; right++) {
    budget.steps--;
    const glyph = canvas.at(top, right);
    if (!(TOP_RIGHT.has(glyph) || glyph === '╗') || !isSide(canvas.at(top + 1, right))) continue;
    tried++;
    const holds = (rights[left + 1] ?? canvas.width) < right;
    const bottom = holds ? bottomOf(canvas, { top, left, right }, budget) : null;
    if (bottom === null) continue;
    claimGroup(canvas, { top, left, bottom, right }, headTop);
    reports.add(
      'ASC144',
      { row: top, from: left, to: right },
      'this box is drawn around participants, and says nothing about messages',
    );
    return right;
  }
  return null;
}

function bottomOf(
  canvas: Canvas,
  { top, left, right }: { readonly top: number; readonly left: number; readonly right: number },
  budget: { steps: number },
): number | null {
  for (let row = top + 1, hidden = 0; row < canvas.height && hidden <= HIDDEN_ROWS_MAX && budget.steps > 0; row++) {
    budget.steps--;
    const glyph = canvas.at(row, left);
    if ((BOTTOM_LEFT.has(glyph) || glyph === '╚') && isBorderRow(canvas, row, left, right, budget)) return row;
    hidden = isSide(glyph) ? 0 : hidden + 1;
  }
  return null;
}

function isBorderRow(canvas: Canvas, row: number, left: number, right: number, budget: { steps: number }): boolean {
  for (let column = left + 1; column < right; column++) {
    budget.steps--;
    if (!isLine(canvas.at(row, column))) return false;
  }
  return true;
}

/** The border, and what stands between it and the heads: the group's name. */
function claimGroup(
  canvas: Canvas,
  { top, left, bottom, right }: { top: number; left: number; bottom: number; right: number },
  headTop: number,
): void {
  canvas.claimBox(top, left, headTop - 1, right, 'frame');
  canvas.claim(bottom, left, right, 'frame');
  for (let row = top + 1; row < bottom; row++) {
    for (const column of [left, right]) if (isSide(canvas.at(row, column))) canvas.claim(row, column, column, 'frame');
  }
}
