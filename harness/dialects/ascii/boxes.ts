import type { Canvas } from './canvas.ts';
import { BOTTOM_LEFT, BOTTOM_RIGHT, KIND, TOP_RIGHT } from './glyphs.ts';

/** A closed rectangle with text in it. Bars are none: they hold no text. */
export interface Box {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
  /** The text rows inside, trimmed, without empty ones. */
  readonly lines: readonly string[];
  /** Column where a lifeline leaves the lower border or enters the upper one. */
  readonly bottomTee: number | null;
  readonly topTee: number | null;
}

const BOX_ROWS_MAX = 24;
/** In ASCII a `+` inside a border may be a corner or a tee; this many are tried. */
const CORNERS_MAX = 12;

/** All boxes, from top to bottom and left to right. */
export function findBoxes(canvas: Canvas): Box[] {
  const boxes: Box[] = [];
  for (let row = 0; row + 2 < canvas.height; row++) {
    const kinds = canvas.kindsOf(row);
    for (let column = 0; column < kinds.length; column++) {
      if (((kinds[column] ?? 0) & KIND.box) === 0) continue;
      const found = boxAt(canvas, row, column);
      if (found === null) continue;
      if (found.box !== null) boxes.push(found.box);
      column = found.right - 1;
    }
  }
  return withoutGroups(boxes);
}

/** Rows between the top of a group and the heads in it. */
const GROUP_TITLE_ROWS_MAX = 4;

/** A box with boxes in it is drawn around participants, and names none itself. */
function withoutGroups(boxes: readonly Box[]): Box[] {
  const byRow = new Map<number, Box[]>();
  for (const box of boxes) {
    const row = byRow.get(box.top);
    if (row === undefined) byRow.set(box.top, [box]);
    else row.push(box);
  }
  return boxes.filter((outer) => {
    for (let row = outer.top + 1; row <= outer.top + GROUP_TITLE_ROWS_MAX && row < outer.bottom; row++) {
      if (holdsOne(outer, byRow.get(row) ?? [])) return false;
    }
    return true;
  });
}

/** Whether one of the boxes of a row, which are sorted, is inside of a box. */
function holdsOne(outer: Box, boxes: readonly Box[]): boolean {
  let [low, high] = [0, boxes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((boxes[middle]?.left ?? 0) <= outer.left) low = middle + 1;
    else high = middle;
  }
  for (let index = low; (boxes[index]?.left ?? Infinity) < outer.right; index++) {
    const box = boxes[index];
    if (box !== undefined && box.right < outer.right && box.bottom < outer.bottom) return true;
  }
  return false;
}

/** The box at a corner; none where a frame begins, which is drawn around lifelines and holds no text of its own. */
function boxAt(canvas: Canvas, top: number, left: number): { readonly box: Box | null; readonly right: number } | null {
  if (!canvas.is(top + 1, left, SIDE) || !isCorner(canvas, top, left)) return null;
  let box: Box | null = null;
  for (const right of rightCorners(canvas, top, left)) {
    const bottom = bottomOf(canvas, top, left, right);
    if (bottom === null) continue;
    if (isCrossed(canvas, { top, bottom, left, right })) return { box: null, right };
    box ??= describe(canvas, { top, bottom, left, right });
  }
  return box === null ? null : { box, right: box.right };
}

/** Some heads have no corners but go up to them, `|---|` over `|Bob|`; then nothing may come from above. */
const isCorner = (canvas: Canvas, row: number, column: number): boolean =>
  canvas.at(row, column) !== '|' ||
  (canvas.at(row, column + 1) === '-' &&
    !canvas.is(row - 1, column, SIDE) &&
    !BOTTOM_LEFT.has(canvas.at(row - 1, column)));

interface Extent {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

const FRAME_WIDTH_MIN = 4;

/** Whether a lifeline runs through a closed rectangle, which then is no box but a frame around messages. */
function isCrossed(canvas: Canvas, { top, bottom, left, right }: Extent): boolean {
  if (right - left < FRAME_WIDTH_MIN) return false;
  for (let column = left + 1; column < right; column++) {
    if (!goesOn(canvas, top - 1, column) && !goesOn(canvas, top, column) && !goesOn(canvas, bottom + 1, column))
      continue;
    let drawn = 0;
    for (let row = top + 1; row < bottom; row++) if (canvas.is(row, column, SIDE)) drawn++;
    if (drawn > 0 && drawn * 2 >= bottom - top - 1) return true;
  }
  return false;
}

const SIDE = KIND.vertical | KIND.tee;
const goesOn = (canvas: Canvas, row: number, column: number): boolean =>
  canvas.is(row, column, SIDE) || canvas.at(row, column) === '+';
const isBorder = (canvas: Canvas, row: number, column: number): boolean =>
  canvas.is(row, column, KIND.horizontal | KIND.tee) || canvas.at(row, column) === '+';

function rightCorners(canvas: Canvas, row: number, left: number): number[] {
  const corners: number[] = [];
  const length = canvas.rows[row]?.glyphs.length ?? 0;
  for (let column = left + 1; column < length && corners.length < CORNERS_MAX; column++) {
    const glyph = canvas.at(row, column);
    const isEnd = canvas.at(row, left) === '|' ? glyph === '|' : TOP_RIGHT.has(glyph);
    if (column > left + 1 && isEnd) corners.push(column);
    if (!isBorder(canvas, row, column)) break;
  }
  return corners;
}

function bottomOf(canvas: Canvas, top: number, left: number, right: number): number | null {
  for (let row = top + 1; row <= top + BOX_ROWS_MAX && row < canvas.height; row++) {
    const [start, end] = [canvas.at(row, left), canvas.at(row, right)];
    const isBare = canvas.at(top, left) === '|' && start === '|' && end === '|';
    const isFoot = isBare || (BOTTOM_LEFT.has(start) && BOTTOM_RIGHT.has(end));
    if (row > top + 1 && isFoot && isBorderRow(canvas, row, left, right)) {
      return row;
    }
    if (!canvas.is(row, left, SIDE) || !canvas.is(row, right, SIDE)) return null;
  }
  return null;
}

function isBorderRow(canvas: Canvas, row: number, left: number, right: number): boolean {
  for (let column = left + 1; column < right; column++) if (!isBorder(canvas, row, column)) return false;
  return true;
}

function describe(canvas: Canvas, extent: { top: number; bottom: number; left: number; right: number }): Box | null {
  const { top, bottom, left, right } = extent;
  const lines: string[] = [];
  for (let row = top + 1; row < bottom; row++) {
    const line = canvas.text(row, left + 1, right - 1).trim();
    if (line !== '') lines.push(line);
  }
  const bottomTee = teeOf(canvas, bottom, left, right);
  const topTee = teeOf(canvas, top, left, right);
  // PlantUML fills the bars of -txt drawings with the letter X.
  const isBar = right - left === 2 && bottomTee === null && lines.every((line) => line === 'X');
  return lines.length === 0 || isBar ? null : { ...extent, lines, bottomTee, topTee };
}

function teeOf(canvas: Canvas, row: number, left: number, right: number): number | null {
  for (let column = left + 1; column < right; column++) {
    if (canvas.is(row, column, KIND.tee) || canvas.at(row, column) === '+') return column;
  }
  return null;
}
