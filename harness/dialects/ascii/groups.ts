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

/**
 * Claims the boxes drawn around participants, or around the whole drawing: `┌─ Services ──┐` above their heads and down to
 * below their lifelines. They say nothing about messages, and are remarked.
 */
export function claimGroups(canvas: Canvas, boxes: readonly Box[], reports: Reports): void {
  if (boxes.length === 0) return;
  const top = topOf(boxes);
  for (let row = Math.max(0, top - TITLE_ROWS_MAX); row < top; row++) {
    const length = canvas.rows[row]?.glyphs.length ?? 0;
    for (let column = 0; column < length; column++) {
      const glyph = canvas.at(row, column);
      if (!(TOP_LEFT.has(glyph) || glyph === '╔') || !isSide(canvas.at(row + 1, column))) continue;
      const right = groupAt(canvas, boxes, row, column, reports);
      if (right !== null) column = right;
    }
  }
}

const topOf = (boxes: readonly Box[]): number => boxes.reduce((top, box) => Math.min(top, box.top), Infinity);

function groupAt(canvas: Canvas, boxes: readonly Box[], top: number, left: number, reports: Reports): number | null {
  const length = canvas.rows[top]?.glyphs.length ?? 0;
  for (let right = left + 2, tried = 0; right < length && tried < CORNERS_MAX; right++) {
    const glyph = canvas.at(top, right);
    if (!(TOP_RIGHT.has(glyph) || glyph === '╗') || !isSide(canvas.at(top + 1, right))) continue;
    tried++;
    const holds = boxes.some(
      (box) => box.left > left && box.right < right && box.top > top && box.top <= top + TITLE_ROWS_MAX,
    );
    const bottom = holds ? bottomOf(canvas, top, left, right) : null;
    if (bottom === null) continue;
    claimGroup(canvas, { top, left, bottom, right }, topOf(boxes));
    reports.add(
      'ASC144',
      { row: top, from: left, to: right },
      'this box is drawn around participants, and says nothing about messages',
    );
    return right;
  }
  return null;
}

function bottomOf(canvas: Canvas, top: number, left: number, right: number): number | null {
  for (let row = top + 1, hidden = 0; row < canvas.height && hidden <= HIDDEN_ROWS_MAX; row++) {
    const glyph = canvas.at(row, left);
    if ((BOTTOM_LEFT.has(glyph) || glyph === '╚') && isBorderRow(canvas, row, left, right)) return row;
    hidden = isSide(glyph) ? 0 : hidden + 1;
  }
  return null;
}

function isBorderRow(canvas: Canvas, row: number, left: number, right: number): boolean {
  for (let column = left + 1; column < right; column++) if (!isLine(canvas.at(row, column))) return false;
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
