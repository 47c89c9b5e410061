import type { Canvas } from './canvas.ts';
import { HEAD_CROSS, HORIZONTAL, isHead, KIND, TEE, VERTICAL } from './glyphs.ts';
import type { Lifeline, Lifelines } from './lifelines.ts';
import type { Reports } from './reports.ts';
import type { State } from './states.ts';

/** An activation bar begins or ends on this row. */
export interface BarEdge {
  readonly lifeline: Lifeline;
  readonly row: number;
  readonly on: boolean;
}

/** How far the lifelines reach to both sides, row by row, and where their bars begin and end. */
export interface Bars {
  readonly edges: readonly BarEdge[];
  /** The columns a lifeline takes on a row, its bars included. */
  readonly extent: (lifeline: Lifeline, row: number) => readonly [number, number];
}

/** A lifeline row by row: how many bars are on it, how far they stand beside it, and its states. */
interface Track {
  /** Its extent where there is nothing on it. */
  readonly line: readonly [number, number];
  readonly depths: Uint8Array;
  readonly shifts: Int8Array;
  readonly states: Map<number, State>;
}

const TOPS = ['┌┴┐', ',-.', '+-+'];
const BOTTOMS = ['└┬┘', "`-'", '+-+'];
/** Nobody nests deeper; more would let a bar swallow the next lifeline. */
const DEPTH_MAX = 6;

/** Claims the lifelines and their bars from the head down to the footers. */
export function readBars(
  canvas: Canvas,
  { lifelines, bodyTop, bodyBottom }: Lifelines,
  states: readonly State[],
  reports: Reports,
): Bars {
  const edges: BarEdge[] = [];
  const tracks = new Map<Lifeline, Track>();
  for (const lifeline of lifelines) {
    const perRow = new Uint8Array(canvas.height);
    const shiftPerRow = new Int8Array(canvas.height);
    const line = [lifeline.column, lifeline.column] as const;
    tracks.set(lifeline, { line, depths: perRow, shifts: shiftPerRow, states: new Map() });
    let depth = 0;
    let shift = 0;
    for (let row = bodyTop; row < bodyBottom; row++) {
      if (depth === 0) shift = shiftOf(canvas, row, lifeline.column);
      const column = lifeline.column + shift;
      const after = readRow(canvas, row, column, depth);
      perRow[row] = Math.max(depth, after);
      shiftPerRow[row] = shift;
      if (after > depth && !isTop(canvas, row, column - 1 + depth)) claimHiddenTop(canvas, row, column, reports);
      if (after !== depth) edges.push({ lifeline, row, on: after > depth });
      depth = after;
    }
    claimUnclosed(canvas, lifeline.column + shift, bodyBottom, depth);
  }
  for (const state of states) tracks.get(state.lifeline)?.states.set(state.row, state);
  const extent = (lifeline: Lifeline, row: number): readonly [number, number] => {
    const { head, created, column } = lifeline;
    if (created && row >= head.top && row <= head.bottom) return [head.left, head.right];
    const track = tracks.get(lifeline);
    if (track === undefined) return [column, column];
    const state = track.states.get(row);
    if (state !== undefined) return [state.from, state.to];
    const depth = track.depths[row] ?? 0;
    const middle = column + (track.shifts[row] ?? 0);
    return depth === 0 ? track.line : [middle - 1, middle + depth];
  };
  return { edges, extent };
}

/** Where heads are wider than their names, bars stand a column beside their lifeline. */
function shiftOf(canvas: Canvas, row: number, column: number): number {
  const isNear = [column - 2, column - 1, column].some((cell) => canvas.is(row, cell, KIND.topLeft));
  if (!isNear) return 0;
  const begins = (shift: number): boolean =>
    standsFree(canvas, row, column - 1 + shift, TOPS) &&
    canvas.isBlank(row, column - 2 + shift) &&
    canvas.isBlank(row, column + 2 + shift);
  if (standsFree(canvas, row, column - 1, TOPS)) return 0;
  return [-1, 1].find(begins) ?? 0;
}

/** Claims what a lifeline shows on a row under `depth` bars, and says how many bars there are from here on. */
function readRow(canvas: Canvas, row: number, column: number, depth: number): number {
  const inner = column - 1 + depth;
  if (depth < DEPTH_MAX && canvas.is(row, inner, KIND.topLeft) && standsFree(canvas, row, inner, TOPS)) {
    claimEdges(canvas, row, column, depth);
    canvas.claim(row, inner, inner + 2, 'lifeline');
    return depth + 1;
  }
  if (depth > 0 && standsFree(canvas, row, inner - 1, BOTTOMS)) {
    claimEdges(canvas, row, column, depth - 1);
    canvas.claim(row, inner - 1, inner + 1, 'lifeline');
    return depth - 1;
  }
  const now = seenDepth(canvas, row, column, depth);
  if (now === 0) claimLine(canvas, row, column);
  else claimEdges(canvas, row, column, now);
  return now;
}

const isTop = (canvas: Canvas, row: number, column: number): boolean =>
  TOPS.some((pattern) => canvas.matches(row, column, pattern));

const HIDDEN_ROWS = 2;
/** What a bar's top looks like beside the text that hides the rest of it. */
const CORNERS: readonly (readonly [offset: number, glyphs: string])[] = [
  [-1, '┌,'],
  [1, '┐.'],
];

/** A bar whose top was not seen began under a label: one of its corners may look like a part of the text. */
function claimHiddenTop(canvas: Canvas, row: number, column: number, reports: Reports): void {
  for (let above = row - 1; above >= row - HIDDEN_ROWS; above--) {
    for (const [offset, glyphs] of CORNERS) {
      const cell = column + offset;
      if (!canvas.isFree(above, cell) || !glyphs.includes(canvas.at(above, cell))) continue;
      canvas.claim(above, cell, cell, 'lifeline');
      reports.add(
        'ASC124',
        { row: above, from: cell, to: cell },
        'the top of a bar is drawn into this label; read as no part of it',
      );
    }
  }
}

const standsFree = (canvas: Canvas, row: number, column: number, patterns: readonly string[]): boolean =>
  canvas.isFree(row, column) && patterns.some((pattern) => canvas.matches(row, column, pattern));

/** The edges of bars may be hidden: a label is drawn over them. What can be seen corrects the count. */
function seenDepth(canvas: Canvas, row: number, column: number, depth: number): number {
  const line = (offset: number): boolean =>
    canvas.isFree(row, column + offset) && VERTICAL.has(canvas.at(row, column + offset));
  if (depth === 0) return line(-1) && line(1) && ' X'.includes(canvas.at(row, column)) ? 1 : 0;
  return line(0) && !line(-1) && !line(depth) ? 0 : depth;
}

function claimEdges(canvas: Canvas, row: number, column: number, depth: number): void {
  for (let cell = column - 1; cell <= column + depth; cell++) {
    const glyph = canvas.at(row, cell);
    const filling = glyph === 'X' && cell === column - 1 + depth;
    const isTee = TEE.has(glyph) && (cell === column - 1 || cell === column + depth);
    if (VERTICAL.has(glyph) || filling || isTee) canvas.claim(row, cell, cell, 'lifeline');
  }
}

function claimLine(canvas: Canvas, row: number, column: number): void {
  const glyph = canvas.at(row, column);
  if (isEllipsis(canvas, row, column)) return;
  if (canvas.matches(row, column - 2, ' ... ')) canvas.claim(row, column - 1, column + 1, 'lifeline');
  else if (isLine(canvas, row, column)) canvas.claim(row, column, column, 'lifeline');
  // Hand-drawn lines waver by a column; an arrow may then end in the lifeline's own column.
  else if (glyph === ' ' || isHead(glyph) || HORIZONTAL.has(glyph)) {
    const beside = [column - 1, column + 1].find(
      (cell) =>
        (VERTICAL.has(canvas.at(row, cell)) || TEE.has(canvas.at(row, cell))) &&
        canvas.isFree(row, cell) &&
        (standsAlone(canvas, row, cell) || (glyph === ' ' && standsBehindText(canvas, row, cell, column))),
    );
    if (beside !== undefined) canvas.claim(row, beside, beside, 'lifeline');
  }
}

/** `hello|` where the lifeline is a column further on: the line has moved, and the text does not end in one. */
const standsBehindText = (canvas: Canvas, row: number, cell: number, column: number): boolean =>
  /[\p{L}\p{N}]/u.test(canvas.at(row, 2 * cell - column)) && canvas.isBlank(row, 2 * column - cell);

/** Dots that belong to the word before them, or to the one behind: `wait...`, `wait ...`. */
function isEllipsis(canvas: Canvas, row: number, column: number): boolean {
  if (canvas.at(row, column) !== '.') return false;
  let [from, to] = [column, column];
  while (canvas.at(row, from - 1) === '.' && column - from < ELLIPSIS_MAX) from--;
  while (canvas.at(row, to + 1) === '.' && to - column < ELLIPSIS_MAX) to++;
  const isWord = (cell: number): boolean => /[\p{L}\p{N})\]"']/u.test(canvas.at(row, cell));
  const isApart = canvas.isBlank(row, from - 1) && isWord(from - 2);
  if (from === to) return isApart && canvas.isBlank(row, to + 1) && isWord(to + 2);
  return isApart || isWord(from - 1) || isWord(to + 1);
}
const ELLIPSIS_MAX = 3;

/** A delay draws lifelines as dots, mermaid-ascii bars as `#`; an arrow leaves at `+`, or at `o`, which mermaid-ascii draws for an end in the middle. */
function isLine(canvas: Canvas, row: number, column: number): boolean {
  const glyph = canvas.at(row, column);
  if (VERTICAL.has(glyph) || TEE.has(glyph)) return true;
  if (BREAKS.includes(glyph)) return standsAlone(canvas, row, column);
  if (glyph === 'o') return standsAlone(canvas, row, column) && !isAlone(canvas, row, column);
  if (HOPS.has(glyph)) return [column - 1, column + 1].every((cell) => HORIZONTAL.has(canvas.at(row, cell)));
  return glyph === '+' && [column - 1, column + 1].some((cell) => '-=.<>'.includes(canvas.at(row, cell)));
}

/** What a lifeline is drawn with for some rows, to say that time passes; mermaid-ascii's bars are `#`. */
const BREAKS = '.#~:⋮▼';

/** An arrow that passes, drawn with a hop over the lifeline: `---)--->`. */
const HOPS = new Set('()⌒∩');

const isAlone = (canvas: Canvas, row: number, column: number): boolean =>
  canvas.isBlank(row, column - 1) && canvas.isBlank(row, column + 1);

const standsAlone = (canvas: Canvas, row: number, column: number): boolean =>
  [column - 1, column + 1].every((cell) => {
    const glyph = canvas.at(row, cell);
    return ' .'.includes(glyph) || isHead(glyph) || HORIZONTAL.has(glyph) || HEAD_CROSS.has(glyph);
  });

/** A bar that is still open at the end runs over the footers. */
function claimUnclosed(canvas: Canvas, column: number, from: number, depth: number): void {
  if (depth === 0) return;
  for (let row = from; row < canvas.height; row++) {
    for (let cell = column - 1; cell <= column + depth; cell++) {
      if ("│|X└┬┘`-'".includes(canvas.at(row, cell))) canvas.claim(row, cell, cell, 'footer');
    }
  }
}
