import type { Canvas, Chunk } from './canvas.ts';
import { frameSides, frameTop } from './drawn-frames.ts';
import { BOTTOM_LEFT, BOTTOM_RIGHT, isHead, KIND, TEE, TOP_LEFT, TOP_RIGHT, VERTICAL } from './glyphs.ts';
import type { Head } from './heads.ts';
import { isTime } from './times.ts';

const NAME_ROWS_MAX = 4;
/** A column is a lifeline if this share of the rows from its first glyph to the last row of the drawing carries it. */
const LIFELINE_SHARE = 0.4;
const LIFELINE_ROWS_MIN = 2;

const CORNERS = new Set([
  ...TOP_LEFT,
  ...TOP_RIGHT,
  ...BOTTOM_LEFT,
  ...BOTTOM_RIGHT,
  '╔',
  '╗',
  '╚',
  '╝',
  '*',
  '/',
  '\\',
]);

/** The names that stand right above the lifelines, and rows of them that may as well be something else. */
export interface PlainNames {
  readonly heads: readonly Head[];
  readonly bodyTop: number;
  readonly doubtful: readonly Chunk[];
}

/** Drawings without header boxes: the text right above each lifeline is the participant's name. */
export function namesAbove(canvas: Canvas): PlainNames {
  const { columns, top } = withoutFrames(canvas, lifelineColumns(canvas));
  const firstRow = Math.min(firstBodyRow(canvas, columns), top);
  const bodyTop = frameTop(canvas, new Set(columns), Math.max(0, firstRow - NAME_ROWS_MAX), firstRow);
  if (columns.length < 2 || bodyTop < 1) return { heads: [], bodyTop: 0, doubtful: [] };
  const names = columns.map((): Chunk[] => []);
  const doubtful: Chunk[] = [];
  for (let row = bodyTop - 1; row >= Math.max(0, bodyTop - NAME_ROWS_MAX); row--) {
    const chunks = canvas.chunks(row);
    if (isTips(canvas, chunks)) {
      if (canvas.chunks(row - 1).length === 0) row--;
      continue;
    }
    if (chunks.length === 0) break;
    const found = namesIn(canvas, columns, row, chunks);
    const isComplete = names.every(({ length }) => length > 0);
    if (isComplete && isTitle(columns, names, found)) break;
    if (isComplete && found.size === 1) doubtful.push(...found.values());
    for (const [index, name] of found) {
      // A lone v over a name is the tip of an arrow from a picture above.
      if (names[index]?.length !== 0 && canvas.text(row, name.from, name.to) === 'v') continue;
      names[index]?.unshift(name);
    }
  }
  const heads = columns.flatMap((column, index) => headFrom(canvas, column, names[index] ?? []));
  return { heads, bodyTop, doubtful };
}

/** The names of a row by the numbers of their lifelines. Of two texts over one lifeline the nearer one is the name. */
function namesIn(
  canvas: Canvas,
  columns: readonly number[],
  row: number,
  chunks: readonly Chunk[],
): ReadonlyMap<number, Chunk> {
  const found = new Map<number, Chunk>();
  for (const chunk of chunks) {
    const name = withoutDecoration(canvas, chunk);
    if (name === null || isOverMargin(canvas, columns, chunks, name)) continue;
    const index = nearest(columns, name.from, name.to);
    const [other, column] = [found.get(index), columns[index] ?? 0];
    if (other === undefined || distance(name, column) < distance(other, column)) found.set(index, name);
  }
  return found;
}

const distance = ({ from, to }: Chunk, column: number): number => Math.max(0, from - column, column - to);

/** Columns from the middle of a row of a name to its lifeline. */
const OFF_CENTRE_MAX = 1.5;

/**
 * Whether a row above names, of which none is missing, is no part of them: it runs over several lifelines, or stands alone and
 * neither in the middle over its lifeline nor on the left edge of the name below. Titles stand on the left edge of the first.
 */
function isTitle(
  columns: readonly number[],
  names: readonly (readonly Chunk[])[],
  found: ReadonlyMap<number, Chunk>,
): boolean {
  const isOverSeveral = ({ from, to }: Chunk): boolean =>
    columns.filter((column) => from <= column && column <= to).length > 1;
  if ([...found.values()].some(isOverSeveral)) return true;
  const [only, more] = found;
  if (only === undefined || more !== undefined) return false;
  const [index, { from, to }] = only;
  const isCentred = Math.abs((from + to) / 2 - (columns[index] ?? 0)) <= OFF_CENTRE_MAX;
  const isFlush = from === names[index]?.[0]?.from;
  return index === 0 ? isFlush || !isCentred : !isFlush && !isCentred;
}

/** A frame that is drawn around most of the rows has sides as long as lifelines, but they begin and end in corners. */
function withoutFrames(
  canvas: Canvas,
  columns: readonly number[],
): { readonly columns: readonly number[]; readonly top: number } {
  const [maybe, lifelines] = [new Set<number>(), new Set<number>()];
  for (const column of columns) (isCornered(canvas, column) ? maybe : lifelines).add(column);
  if (maybe.size === 0) return { columns, top: Infinity };
  const sides = frameSides(canvas, lifelines, maybe);
  return { columns: columns.filter((column) => !sides.columns.has(column)), top: sides.top };
}

/** Whether the first line of a column hangs on a corner, and the last one stands on one. */
function isCornered(canvas: Canvas, column: number): boolean {
  let [first, last] = [0, canvas.height - 1];
  while (first < last && !VERTICAL.has(canvas.at(first, column))) first++;
  while (last > first && !VERTICAL.has(canvas.at(last, column))) last--;
  return CORNERS.has(canvas.at(first - 1, column)) && CORNERS.has(canvas.at(last + 1, column));
}

/** What stands over a column of times to the left of all lifelines, beside the name of the first. */
const MARGIN_HEADER = /^(?:time|clock|t)(?: ?[([].*[)\]])?:?$/i;

function isOverMargin(
  canvas: Canvas,
  [first = 0]: readonly number[],
  chunks: readonly Chunk[],
  { row, from, to }: Chunk,
): boolean {
  const isBesideName = to < first && chunks.some((chunk) => chunk.from <= first && first <= chunk.to);
  const text = canvas.text(row, from, to);
  return isBesideName && (MARGIN_HEADER.test(text) || isTime(text));
}

/** A row of nothing but tips, on top of lifelines that are drawn as arrows down. */
const isTips = (canvas: Canvas, chunks: readonly Chunk[]): boolean =>
  chunks.length >= 2 && chunks.every(({ row, from, to }) => /^[vV▼↓]$/.test(canvas.text(row, from, to)));

/** A name without the dots and lines around it; null where nothing is left. */
function withoutDecoration(canvas: Canvas, { row, from, to }: Chunk): Chunk | null {
  const isName = (column: number): boolean =>
    /[\p{L}\p{N}\p{Emoji_Presentation}"'()<>[\]]/u.test(canvas.at(row, column));
  let [start, end] = [from, to];
  while (start <= end && !isName(start)) start++;
  while (end >= start && !isName(end)) end--;
  if (start > end) return null;
  // What is written without a blank belongs to the name: `C++`, `.NET`.
  while (start > from && !canvas.isBlank(row, start - 1)) start--;
  while (end < to && !canvas.isBlank(row, end + 1)) end++;
  return { row, from: start, to: end };
}

function headFrom(canvas: Canvas, column: number, names: readonly Chunk[]): Head[] {
  const [first] = names;
  if (first === undefined) return [];
  return [
    {
      lines: names.map(({ row, from, to }) => canvas.text(row, from, to)),
      kind: 'participant',
      top: first.row,
      bottom: names.at(-1)?.row ?? first.row,
      left: Math.min(...names.map(({ from }) => from)),
      right: Math.max(...names.map(({ to }) => to)),
      tee: column,
      nameRow: first.row,
      nameColumn: first.from,
    },
  ];
}

/** The lifeline a name belongs to: the one it stands over, else the nearest to its centre. */
function nearest(columns: readonly number[], from: number, to: number): number {
  const over = columns.findIndex((column) => from <= column && column <= to);
  if (over >= 0) return over;
  const centre = (from + to) / 2;
  let best = 0;
  columns.forEach((column, index) => {
    if (Math.abs(column - centre) < Math.abs((columns[best] ?? 0) - centre)) best = index;
  });
  return best;
}

const onLifeline = (glyph: string): boolean => VERTICAL.has(glyph) || TEE.has(glyph) || isHead(glyph);

/** The columns on which a line runs down through most of the drawing. */
export function lifelineColumns(canvas: Canvas): number[] {
  const first = new Int32Array(canvas.width).fill(-1);
  const counts = new Int32Array(canvas.width);
  /** Rows that are not blank, up to each row: a page break says nothing about a line. */
  const inked: number[] = [];
  let lastLine = 0;
  for (let row = 0; row < canvas.height; row++) {
    const kinds = canvas.kindsOf(row);
    inked.push((inked.at(-1) ?? 0) + (kinds.every((kind) => (kind & KIND.blank) !== 0) ? 0 : 1));
    for (let column = 0; column < kinds.length; column++) {
      if (((kinds[column] ?? 0) & (KIND.vertical | KIND.tee)) === 0) continue;
      if (first[column] === -1) first[column] = row;
      counts[column] = (counts[column] ?? 0) + 1;
      lastLine = row;
    }
  }
  // Text below all lines, a free row between, is no part of the drawing.
  let end = inked[lastLine] ?? 0;
  for (let row = lastLine + 1; (inked[row] ?? 0) > end; row++) end = inked[row] ?? end;
  const strong = Array.from(counts).flatMap((count, column) => {
    const rows = end - (inked[first[column] ?? 0] ?? 0) + 1;
    return count >= Math.max(LIFELINE_ROWS_MIN, rows * LIFELINE_SHARE) ? [column] : [];
  });
  // Hand-drawn lines waver by a column: of two neighbours the longer one is the lifeline.
  return strong.filter((column) =>
    [column - 1, column + 1].every(
      (other) =>
        (counts[other] ?? 0) < (counts[column] ?? 0) ||
        ((counts[other] ?? 0) === (counts[column] ?? 0) && other > column),
    ),
  );
}

function firstBodyRow(canvas: Canvas, columns: readonly number[]): number {
  const needed = Math.max(2, Math.ceil(columns.length / 2));
  for (let row = 0; row < canvas.height; row++) {
    const isDrawn = (column: number): boolean =>
      [column, column - 1, column + 1].some((cell) => onLifeline(canvas.at(row, cell)));
    if (columns.filter(isDrawn).length >= needed) return row;
  }
  return -1;
}
