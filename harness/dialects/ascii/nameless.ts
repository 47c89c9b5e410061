import type { Canvas, Chunk } from './canvas.ts';
import { KIND } from './glyphs.ts';
import { quoted } from './leftovers.ts';
import type { Lifelines } from './lifelines.ts';
import type { Reports } from './reports.ts';

/** A column is a lifeline if this share of the rows from its first line to the end of the body shows it. */
const SHARE_MIN = 0.5;
const ROWS_MIN = 3;

/** A name between walls, of which one may be missing. */
const WALLED = /^[|│┃║].*[\p{L}\p{N}]|[\p{L}\p{N}].*[|│┃║]$/u;
/** Cells of a box to either side of the text in it. */
const BOX_MARGIN = 2;

/**
 * Reports what stands among the heads like a box, but is not closed, so that nobody is named there: once, and not with all that
 * stands at its lifeline. Claims the box and the lifeline.
 */
export function reportBrokenHeads(canvas: Canvas, skeleton: Lifelines, reports: Reports): void {
  const { lifelines, bodyTop, bodyBottom } = skeleton;
  const heads = lifelines.filter(
    ({ created, head }) => !created && head.top + 2 <= head.bottom && head.bottom < bodyTop,
  );
  if (heads.length === 0) return;
  const top = heads.reduce((least, { head }) => Math.min(least, head.top), bodyTop);
  for (let row = top + 1; row < bodyTop - 1; row++) {
    for (const inner of canvas.chunks(row)) {
      const chunk = withWalls(canvas, inner);
      const text = canvas.text(row, chunk.from, chunk.to).trim();
      if (!WALLED.test(text)) continue;
      const column = lineUnder(canvas, chunk, bodyTop);
      const box = { left: chunk.from - BOX_MARGIN, right: chunk.to + BOX_MARGIN };
      for (let at = top; at < bodyTop; at++)
        for (const piece of canvas.chunks(at))
          if (piece.from <= box.right && piece.to >= box.left) canvas.claim(at, piece.from, piece.to, 'head');
      reports.add('ASC106', chunk, `the box around ${quoted(text)} is not closed, so nobody is named here`);
      if (column !== null) claimNameless(canvas, column, { ...box, top: bodyTop, end: bodyBottom }, reports);
    }
  }
}

/** Blanks between a name and the walls of its box. */
const PADDING_MAX = 6;

/** A text with the wall to its left or to its right, of which no other stage knows anything. */
function withWalls(canvas: Canvas, { row, from, to }: Chunk): Chunk {
  const isWall = (column: number): boolean => canvas.is(row, column, KIND.vertical) && canvas.isFree(row, column);
  const reach = (start: number, step: 1 | -1): number => {
    let column = start + step;
    while (Math.abs(column - start) <= PADDING_MAX && canvas.isBlank(row, column)) column += step;
    return isWall(column) ? column : start;
  };
  return { row, from: isWall(from) ? from : reach(from, -1), to: isWall(to) ? to : reach(to, 1) };
}

/** Where a line goes down right under a box. */
function lineUnder(canvas: Canvas, { from, to }: Chunk, bodyTop: number): number | null {
  for (let row = bodyTop; row <= bodyTop + 1; row++)
    for (let column = from - 1; column <= to + 1; column++)
      if (canvas.is(row, column, KIND.vertical | KIND.tee) && canvas.isFree(row, column)) return column;
  return null;
}

/** Claims a line that belongs to nobody; what is drawn at it follows from that. */
function claimNameless(
  canvas: Canvas,
  column: number,
  {
    top,
    end,
    left = column,
    right = column,
  }: { readonly top: number; readonly end: number; readonly left?: number; readonly right?: number },
  reports: Reports,
): void {
  let bottom = top;
  for (let row = top; row < end; row++) {
    if (!canvas.is(row, column, KIND.vertical)) continue;
    canvas.claim(row, column, column, 'lifeline');
    bottom = row;
  }
  reports.knowNameless({ column, top, bottom, left, right });
}

/** Reports lifelines that have no name above them, once for each row on which some begin, and claims them: row by row they would be told a hundred times. */
export function reportNameless(canvas: Canvas, { bodyTop, bodyBottom }: Lifelines, reports: Reports): void {
  const first = new Int32Array(canvas.width).fill(-1);
  const counts = new Int32Array(canvas.width);
  for (let row = bodyTop; row < bodyBottom; row++) {
    const kinds = canvas.kindsOf(row);
    for (let column = 0; column < kinds.length; column++) {
      if (((kinds[column] ?? 0) & KIND.vertical) === 0 || !canvas.isFree(row, column)) continue;
      if (first[column] === -1) first[column] = row;
      counts[column] = (counts[column] ?? 0) + 1;
    }
  }
  const found = Array.from(counts).flatMap((count, column) => {
    const top = first[column] ?? -1;
    return count < Math.max(ROWS_MIN, (bodyBottom - top) * SHARE_MIN) ? [] : [{ column, top }];
  });
  const rows = new Map<number, number>();
  for (const { top } of found) rows.set(top, (rows.get(top) ?? 0) + 1);
  for (const { column, top } of found) {
    const count = rows.get(top) ?? 0;
    // Those that begin side by side are told as one: they may be the sides of one box.
    if (count > 0) {
      const others = count === 1 ? '' : `, nor has another one that begins on this row`;
      reports.add('ASC106', { row: top, from: column, to: column }, `this lifeline has no name above it${others}`);
    }
    rows.delete(top);
    claimNameless(canvas, column, { top, end: bodyBottom }, reports);
  }
}
