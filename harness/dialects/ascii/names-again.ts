import type { Canvas, Chunk } from './canvas.ts';
import { KIND } from './glyphs.ts';
import { labelOf, type Head } from './heads.ts';
import { quoted } from './leftovers.ts';
import type { Lifelines } from './lifelines.ts';
import type { Reports } from './reports.ts';

/** Columns between the edge of a name and the lifeline under it. */
const REACH = 1;

/**
 * Names that stand once more further down. The same ones are repeated for whoever reads, on the next page of a text perhaps;
 * others begin a second drawing, which is told, and of which nothing is read.
 */
export function readNamesAgain(
  canvas: Canvas,
  heads: readonly Head[],
  skeleton: Lifelines,
  reports: Reports,
): Lifelines {
  if (skeleton.lifelines.length === 0) return skeleton;
  const again = plainNames(canvas, skeleton);
  const box = heads.find((head) => head.top >= skeleton.bodyBottom && hasLineUnder(canvas, head.bottom, head));
  if (box === undefined && again === null) return skeleton;
  const isBox = box !== undefined && (again === null || box.top < again.row);
  const cells = isBox ? { row: box.top, from: box.left, to: box.right } : again;
  if (cells === null) return skeleton;
  const name = isBox ? labelOf(box) : canvas.text(cells.row, cells.from, cells.to);
  reports.add('ASC107', cells, `a second diagram begins here, with ${quoted(name)}; only one is read at a time`);
  for (let row = cells.row; row < canvas.height; row++) canvas.claim(row, 0, canvas.width, 'outside');
  const isBefore = ({ top }: Head): boolean => top < cells.row;
  return {
    ...skeleton,
    lifelines: skeleton.lifelines.filter(({ head }) => isBefore(head)),
    noteHeads: skeleton.noteHeads.filter(isBefore),
    bodyBottom: Math.min(skeleton.bodyBottom, cells.row),
  };
}

/** The first of the names without boxes that begin a second drawing; claims those that only repeat the first one's. */
function plainNames(canvas: Canvas, { lifelines, bodyTop }: Lifelines): Chunk | null {
  const labels = new Set(lifelines.map(({ label }) => label));
  for (let row = bodyTop + 2; row + 1 < canvas.height; row++) {
    const names = namesOn(canvas, row);
    const [first] = names;
    if (first === undefined) continue;
    if (!names.every(({ from, to }) => labels.has(canvas.text(row, from, to)))) return first;
    for (const { from, to } of names) canvas.claim(row, from, to, 'head');
  }
  return null;
}

/** The texts of a row that are names: at least two, a line under each, and nothing else on the row and on the one above. */
function namesOn(canvas: Canvas, row: number): readonly Chunk[] {
  if (canvas.kindsOf(row - 1).some((kinds) => (kinds & KIND.blank) === 0)) return [];
  if (!canvas.kindsOf(row + 1).some((kinds) => (kinds & KIND.vertical) !== 0)) return [];
  const chunks = canvas.chunks(row);
  const isName = (chunk: Chunk): boolean =>
    /^[\p{L}\p{N}][^|│<>]*$/u.test(canvas.text(row, chunk.from, chunk.to)) &&
    hasLineUnder(canvas, row, { left: chunk.from - REACH, right: chunk.to + REACH });
  return chunks.length >= 2 && chunks.every(isName) ? chunks : [];
}

function hasLineUnder(
  canvas: Canvas,
  row: number,
  { left, right }: { readonly left: number; readonly right: number },
): boolean {
  for (let column = left; column <= right; column++) if (canvas.is(row + 1, column, KIND.vertical)) return true;
  return false;
}
