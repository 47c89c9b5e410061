import type { Canvas } from './canvas.ts';
import { KIND } from './glyphs.ts';
import type { Lifelines } from './lifelines.ts';
import type { Reports } from './reports.ts';

/** A column is a lifeline if this share of the rows from its first line to the end of the body shows it. */
const SHARE_MIN = 0.5;
const ROWS_MIN = 3;

/** Reports lifelines that have no name above them, once each, and claims them: row by row they would be told a hundred times. */
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
  counts.forEach((count, column) => {
    const top = first[column] ?? -1;
    if (count < Math.max(ROWS_MIN, (bodyBottom - top) * SHARE_MIN)) return;
    let bottom = top;
    for (let row = top; row < bodyBottom; row++) {
      if (!canvas.is(row, column, KIND.vertical)) continue;
      canvas.claim(row, column, column, 'lifeline');
      bottom = row;
    }
    reports.add('ASC106', { row: top, from: column, to: column }, 'this lifeline has no name above it');
    reports.knowNameless({ column, top, bottom });
  });
}
