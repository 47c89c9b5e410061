import type { Canvas, Owner } from './canvas.ts';
import { HEAD_LEFT, HEAD_RIGHT, isHead, KIND, TEE, VERTICAL } from './glyphs.ts';
import type { Lifelines } from './lifelines.ts';
import type { Reports } from './reports.ts';

/** How the places are called where an arrow may not stand. */
const PLACES: Readonly<Partial<Record<Owner, string>>> = {
  note: 'a note',
  frame: 'the text or the border of a frame',
  head: 'the head of a participant',
  footer: 'the rows of the footers',
  divider: 'a divider',
  label: 'a label',
  outside: 'text around the drawing',
};

/** Blanks between an end of an arrow and the lifeline it means; tails stand further away, as in `readArrows`. */
const HEAD_BLANKS_MAX = 1;
const TAIL_BLANKS_MAX = 2;
/** A shaft is at least two cells long, its head not counted; less is often meant as text, `a->b`. */
const SHAFT_MIN = 2;

/**
 * The last look before a drawing is believed: no arrow at a lifeline may have been taken for something else, a note, a guard,
 * a footer. An arrow is a shaft with a head; it is at a lifeline if the line shows right beside one of its ends, or if both
 * ends are where lifelines run behind a box.
 */
export function reportSwallowed(canvas: Canvas, skeleton: Lifelines, reports: Reports): void {
  const columns = new Set(skeleton.lifelines.map(({ column }) => column));
  // Lines drawn by hand waver by a column.
  const isLifeline = (column: number): boolean => [column, column - 1, column + 1].some((cell) => columns.has(cell));
  const isAt = (row: number, column: number): boolean =>
    isLifeline(column) && (VERTICAL.has(canvas.at(row, column)) || TEE.has(canvas.at(row, column)));
  // Of a second drawing nothing is read.
  const end = reports.has('ASC107') ? skeleton.bodyBottom : canvas.height;
  for (let row = skeleton.bodyTop; row < end; row++) {
    for (const { from, to, owner } of shaftsIn(canvas, row)) {
      const place = PLACES[owner];
      if (place === undefined) continue;
      const near = (column: number, step: 1 | -1, test: (cell: number) => boolean): boolean => {
        const reach = isHead(canvas.at(row, column)) ? HEAD_BLANKS_MAX : TAIL_BLANKS_MAX;
        for (let cell = column + step, left = reach; left >= 0; cell += step, left--) {
          if (test(cell)) return true;
          if (!canvas.isBlank(row, cell)) return false;
        }
        return test(column);
      };
      const shows = near(from, -1, (cell) => isAt(row, cell)) || near(to, 1, (cell) => isAt(row, cell));
      const covered = near(from, -1, isLifeline) && near(to, 1, isLifeline);
      if (shows || covered) {
        reports.add('ASC126', { row, from, to }, `this looks like an arrow, but it stands in ${place}`);
      }
    }
  }
}

/** Every shaft with a head that no stage has read as one, and what it was taken for. */
function shaftsIn(canvas: Canvas, row: number): { from: number; to: number; owner: Owner }[] {
  const found: { from: number; to: number; owner: Owner }[] = [];
  const isShaft = (column: number): boolean => canvas.is(row, column, KIND.horizontal);
  const kinds = canvas.kindsOf(row);
  let column = 0;
  while (column < kinds.length) {
    if (((kinds[column] ?? 0) & KIND.horizontal) === 0) {
      column++;
      continue;
    }
    const owner = canvas.ownerAt(row, column);
    if (owner === 'shaft') {
      column++;
      continue;
    }
    let end = column;
    let cells = 1;
    // Dashes are one blank apart.
    while (isShaft(end + 1) || (canvas.isBlank(row, end + 1) && isShaft(end + 2))) {
      end += isShaft(end + 1) ? 1 : 2;
      cells++;
    }
    const from = headBeside(canvas, row, column, -1, HEAD_LEFT);
    const to = headBeside(canvas, row, end, 1, HEAD_RIGHT);
    if (cells >= SHAFT_MIN && (from !== null || to !== null))
      found.push({ from: from ?? column, to: to ?? end, owner });
    column = end + 1;
  }
  return found;
}

function headBeside(
  canvas: Canvas,
  row: number,
  column: number,
  step: 1 | -1,
  heads: ReadonlySet<string>,
): number | null {
  if (heads.has(canvas.at(row, column + step))) return column + step;
  const isApart = canvas.isBlank(row, column + step) && heads.has(canvas.at(row, column + 2 * step));
  return isApart ? column + 2 * step : null;
}
