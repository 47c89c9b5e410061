import type { Head, Line } from '../../diagram/index.ts';
import type { Bars } from './bars.ts';
import type { Canvas, Chunk } from './canvas.ts';
import {
  BOTTOM_LEFT,
  BOTTOM_RIGHT,
  DASH,
  HEAD_CROSS,
  HEAD_LEFT,
  HEAD_RIGHT,
  headOfGlyph,
  HORIZONTAL,
  isHead,
  KIND,
  TEE,
  TOP_LEFT,
  TOP_RIGHT,
  VERTICAL,
} from './glyphs.ts';
import { countBefore, type Lifeline, type Lifelines } from './lifelines.ts';
import type { Reports } from './reports.ts';

/** A message of a participant to itself: out on `row`, back on `bottom`, turning at column `corner`. */
export interface Loop {
  readonly row: number;
  readonly bottom: number;
  readonly from: number;
  readonly to: number;
  readonly corner: number;
  readonly lifeline: Lifeline | null;
  readonly line: Line;
  readonly head: Head;
  readonly refused: boolean;
}

interface Setting {
  readonly canvas: Canvas;
  readonly skeleton: Lifelines;
  readonly bars: Bars;
  readonly reports: Reports;
}

/** The glyphs of a loop to one side of its lifeline. */
interface Side {
  readonly name: 'left' | 'right';
  readonly out: ReadonlySet<string>;
  readonly back: ReadonlySet<string>;
  readonly head: ReadonlySet<string>;
}

const RIGHT: Side = { name: 'right', out: TOP_RIGHT, back: BOTTOM_RIGHT, head: HEAD_LEFT };
const SIDES: readonly Side[] = [RIGHT, { name: 'left', out: TOP_LEFT, back: BOTTOM_LEFT, head: HEAD_RIGHT }];

const LOOP_ROWS_MAX = 8;
/** Beside a bar PlantUML draws a loop five or six columns away from it. */
const LOOP_REACH = 7;

/** Reads and claims the messages to oneself, `────┐` and `<───┘` below it. */
export function readLoops(setting: Setting): Loop[] {
  const { canvas, skeleton } = setting;
  const unicode = canvas.rows.some(({ glyphs }) => glyphs.includes('─'));
  const loops: Loop[] = [];
  for (let row = skeleton.bodyTop; row < skeleton.bodyBottom; row++) {
    for (const whole of canvas.chunks(row)) {
      const chunk = upToCorner(setting, whole);
      for (const side of SIDES) {
        const line = outgoingLine(canvas, chunk, side, unicode);
        // A single dash and a corner may be anything that does not come back.
        const isLoop = chunk.to - chunk.from > 1 || comesBack(setting, chunk, side);
        if (line !== null && isLoop) loops.push(readLoop(setting, chunk, side, line));
        else if (isCornerless(setting, chunk, side)) loops.push(readLoop(setting, chunk, side, 'dashed'));
      }
      const hidden = canvas.isFree(row, chunk.from) ? loopUnderBorder(setting, chunk) : null;
      if (hidden !== null) loops.push(hidden);
    }
  }
  return loops;
}

/** `───┐ work`: the part of a run up to the corner of a loop, if one comes back under it; else all of it. */
function upToCorner(setting: Setting, whole: Chunk): Chunk {
  const { canvas } = setting;
  const { row, from, to } = whole;
  let corner = from;
  while (corner < to && canvas.is(row, corner, KIND.horizontal)) corner++;
  if (corner === from || !TOP_RIGHT.has(canvas.at(row, corner)) || !canvas.isBlank(row, corner + 1)) return whole;
  if (corner - from > LOOP_OUT_MAX) return whole;
  return returning(setting, { row, corner, leaves: false }, RIGHT) === null ? whole : { row, from, to: corner };
}
/** Nobody draws a loop as wide. */
const LOOP_OUT_MAX = 40;

/**
 * A loop whose corners a frame's border hides: `├───│` and `◀───│` under it, between the same lifeline and the same border.
 * beautiful-mermaid draws frames over loops.
 */
function loopUnderBorder(setting: Setting, { row, from, to }: Chunk): Loop | null {
  const { canvas, skeleton, bars } = setting;
  if (to - from < 1 || canvas.ownerAt(row, to + 1) !== 'frame') return null;
  const isFrame = (at: number): boolean => canvas.ownerAt(at, to + 1) === 'frame';
  const isShaft = (at: number, first: number): boolean => {
    for (let column = first; column <= to; column++) if (!HORIZONTAL.has(canvas.at(at, column))) return false;
    return true;
  };
  if (!isShaft(row, from)) return null;
  const lifeline = skeleton.lifelines.find((one) => bars.extent(one, row)[1] === from - 1);
  if (lifeline === undefined) return null;
  for (let bottom = row + 1; bottom <= row + LOOP_ROWS_MAX && isFrame(bottom); bottom++) {
    // The head stands on the lifeline or right beside it.
    const tip = [from - 1, from].find(
      (column) => HEAD_LEFT.has(canvas.at(bottom, column)) && isShaft(bottom, column + 1),
    );
    if (tip === undefined) continue;
    canvas.claim(row, from, to, 'shaft');
    canvas.claim(bottom, tip, to, 'shaft');
    const line = Array.from(canvas.text(row, from, to)).some((glyph) => DASH.has(glyph)) ? 'dashed' : 'solid';
    return { row, bottom, from, to, corner: to + 1, lifeline, line, head: 'arrow', refused: false };
  }
  return null;
}

const comesBack = (setting: Setting, chunk: Chunk, side: Side): boolean =>
  returning(setting, { row: chunk.row, corner: cornerOf(setting.canvas, chunk, side), leaves: false }, side) !== null;

/** The line style of a chunk that is nothing but a line to a corner; null for anything else. */
function outgoingLine(canvas: Canvas, { row, from, to }: Chunk, side: Side, unicode: boolean): Line | null {
  const corner = side.name === 'right' ? to : from;
  if (to - from < 1 || !side.out.has(canvas.at(row, corner))) return null;
  let dashed = unicode;
  for (let column = from; column <= to; column++) {
    const glyph = canvas.at(row, column);
    if (column === corner) continue;
    // mermaid-ascii draws dashes as dots, and turns them at a plus sign; an ellipsis is none.
    const isDot = glyph === '.' && canvas.at(row, corner) === '+';
    if (!HORIZONTAL.has(glyph) && glyph !== ' ' && !isDot) return null;
    if (glyph !== '-' && glyph !== ' ') dashed = false;
  }
  const text = canvas.text(row, from, to);
  return dashed || /[ .]./.test(text) || Array.from(text).some((glyph) => DASH.has(glyph)) ? 'dashed' : 'solid';
}

/** Dashes whose corner falls on a gap, `─ ─ ─` beside a lifeline; a wall under the gap and the way back show that it is a loop. */
function isCornerless(setting: Setting, chunk: Chunk, side: Side): boolean {
  const { canvas, skeleton, bars } = setting;
  const { row, from, to } = chunk;
  if (!'─-'.includes(canvas.at(row, from)) || !/^[─-](?: [─-])+$/.test(canvas.text(row, from, to))) return false;
  const corner = cornerOf(canvas, chunk, side);
  const isAtLine = skeleton.lifelines.some((lifeline) => {
    const [left, right] = bars.extent(lifeline, row);
    return side.name === 'right' ? right === from - 1 : left === to + 1;
  });
  return isAtLine && canvas.isBlank(row, corner) && returning(setting, { row, corner, leaves: false }, side) !== null;
}

/** The column on which a loop turns: the end of its line, or the gap behind it. */
function cornerOf(canvas: Canvas, { row, from, to }: Chunk, side: Side): number {
  const [end, step] = side.name === 'right' ? [to, 1] : [from, -1];
  return side.out.has(canvas.at(row, end)) ? end : end + step;
}

function readLoop(setting: Setting, chunk: Chunk, side: Side, line: Line): Loop {
  const { canvas, reports } = setting;
  const corner = cornerOf(canvas, chunk, side);
  const misplaced = side.name === 'right' ? ownerBehind(setting, chunk) : null;
  const lifeline = misplaced ?? owner(setting, chunk, side);
  if (misplaced !== null) {
    const name = misplaced.label;
    reports.add(
      'ASC147',
      chunk,
      `this loop touches no lifeline; read as ${name} to itself, as PlantUML 1.2026.1 draws it`,
    );
  }
  // Without a head the tee says who sends, and a loop has one end only: mermaid-ascii draws `->` that way.
  const leaves =
    lifeline !== null &&
    setting.bars.extent(lifeline, chunk.row).some((column) => '├┤┠┨+'.includes(canvas.at(chunk.row, column)));
  const back = returning(setting, { row: chunk.row, corner, leaves }, side);
  canvas.claim(chunk.row, chunk.from, chunk.to, 'shaft');
  const loop = {
    row: chunk.row,
    bottom: back?.row ?? chunk.row,
    from: Math.min(chunk.from, corner),
    to: Math.max(chunk.to, corner),
    corner,
    lifeline,
    line,
    head: headOf(canvas, back, side),
  };
  if (back === null) {
    reports.add('ASC119', chunk, 'this line turns a corner and does not come back');
    return { ...loop, bottom: claimRest(canvas, chunk.row, corner, side), refused: true };
  }
  canvas.claim(back.row, back.from, back.to, 'shaft');
  for (let row = chunk.row + 1; row < back.row; row++) canvas.claim(row, corner, corner, 'shaft');
  if (lifeline === null) reports.add('ASC112', chunk, 'this loop is at no lifeline');
  return { ...loop, refused: lifeline === null };
}

/** A message that turns down to arrive further below, others between, goes down as far as its line shows. */
const DOWN_ROWS_MAX = 60;

/** The rows of a line that goes down from a corner, hidden by others or not, to where it turns again towards `step`; none if it does not. */
function wallDown(canvas: Canvas, top: number, corner: number, side: Side): readonly number[] {
  const [step, ends] = side.name === 'right' ? [1, BOTTOM_LEFT] : [-1, BOTTOM_RIGHT];
  const isShaft = (glyph: string): boolean => HORIZONTAL.has(glyph) || isHead(glyph);
  const rows: number[] = [];
  for (let row = top + 1; row <= top + DOWN_ROWS_MAX && row < canvas.height; row++) {
    if (!canvas.isFree(row, corner)) continue;
    const glyph = canvas.at(row, corner);
    const next = canvas.at(row, corner + step);
    const isGoingOn = isShaft(next) || (next === ' ' && isShaft(canvas.at(row, corner + 2 * step)));
    // The corner itself may be what is missing.
    if ((ends.has(glyph) && isGoingOn) || (glyph === ' ' && isShaft(next) && rows.length > 0)) return [...rows, row];
    if (VERTICAL.has(glyph)) rows.push(row);
  }
  return [];
}

/** Claims what goes down where a shaft ends that nobody can read: the rest of a line that has lost its corner. */
export function claimHanging(canvas: Canvas, { row, from, to }: Chunk): void {
  for (const side of SIDES) {
    const corner = side.name === 'right' ? to + 1 : from - 1;
    if (VERTICAL.has(canvas.at(row + 1, corner)) && canvas.isFree(row + 1, corner))
      claimRest(canvas, row, corner, side);
  }
}

/** What is left of a loop that does not come back belongs to it: its wall, and the line it would come back on. Its last row. */
function claimRest(canvas: Canvas, top: number, corner: number, side: Side): number {
  const step = side.name === 'right' ? -1 : 1;
  let bottom = top;
  const wall = wallDown(canvas, top, corner, side);
  const landing = wall.at(-1);
  if (landing !== undefined) {
    for (const row of wall) canvas.claim(row, corner, corner, 'shaft');
    const chunk = lineWorkAt(canvas, landing, corner - step) ?? { from: corner, to: corner };
    canvas.claim(landing, chunk.from, chunk.to, 'shaft');
    return top;
  }
  for (let row = top + 1; row <= top + LOOP_ROWS_MAX; row++) {
    const isWall = VERTICAL.has(canvas.at(row, corner)) && canvas.isFree(row, corner);
    const chunk = lineWorkAt(canvas, row, corner) ?? lineWorkAt(canvas, row, corner + step);
    if (chunk !== null) canvas.claim(row, chunk.from, chunk.to, 'shaft');
    else if (isWall) canvas.claim(row, corner, corner, 'shaft');
    // One cell of the wall may be what is missing.
    else if (row > bottom + 1 || !canvas.isBlank(row, corner)) break;
    if (chunk !== null || isWall) bottom = row;
    if (chunk !== null) break;
  }
  return bottom;
}

/** A run at a cell that is nothing but a line, a head and a corner. */
function lineWorkAt(canvas: Canvas, row: number, column: number): Chunk | null {
  const chunk = canvas.chunkIn(row, column, column);
  if (chunk === null) return null;
  let lines = 0;
  for (let at = chunk.from; at <= chunk.to; at++) {
    const glyph = canvas.at(row, at);
    const isEnd = isHead(glyph) || HEAD_CROSS.has(glyph) || BOTTOM_LEFT.has(glyph) || BOTTOM_RIGHT.has(glyph);
    if (isLine(glyph)) lines++;
    else if (!isEnd && glyph !== ' ') return null;
  }
  return lines > 0 ? chunk : null;
}

function headOf(canvas: Canvas, back: Chunk | null, side: Side): Head {
  if (back === null) return 'arrow';
  const tip = canvas.at(back.row, side.name === 'right' ? back.from : back.to);
  return isTip(tip, side) ? headOfGlyph(tip) : 'none';
}

const isTip = (glyph: string, side: Side): boolean => side.head.has(glyph) || HEAD_CROSS.has(glyph);

interface Outgoing {
  readonly row: number;
  readonly corner: number;
  readonly leaves: boolean;
}

/** The way back: the same corner column, a straight wall between, a head at the end. Where the corner is a gap, the wall has gaps too. */
function returning({ canvas }: Setting, { row: top, corner, leaves }: Outgoing, side: Side): Chunk | null {
  const hasGaps = canvas.isBlank(top, corner);
  for (let row = top + 1; row <= top + LOOP_ROWS_MAX; row++) {
    const glyph = canvas.at(row, corner);
    if (side.back.has(glyph)) {
      const chunk = canvas.chunkIn(row, corner, corner);
      return chunk === null ? null : wayBack(canvas, chunk, { row: top, corner, leaves }, side);
    }
    const isGap = hasGaps && row > top + 1 && glyph === ' ';
    if (!VERTICAL.has(glyph) && !TEE.has(glyph) && !isGap) return null;
  }
  return null;
}

function wayBack(canvas: Canvas, chunk: Chunk, { corner, leaves }: Outgoing, side: Side): Chunk | null {
  const [from, to] = side.name === 'right' ? [chunk.from, corner] : [corner, chunk.to];
  const tip = side.name === 'right' ? from : to;
  if (!isTip(canvas.at(chunk.row, tip), side) && !(leaves && isLine(canvas.at(chunk.row, tip)))) return null;
  for (let column = from; column <= to; column++) {
    const glyph = canvas.at(chunk.row, column);
    if (column !== tip && column !== corner && !isLine(glyph) && glyph !== ' ') return null;
  }
  return { row: chunk.row, from, to };
}

const isLine = (glyph: string): boolean => HORIZONTAL.has(glyph) || glyph === '.';

/** Columns from a lifeline to a loop that is its own, unless a bar pushes the loop away. */
const LOOP_GAP_MAX = 2;
/** How wide PlantUML draws every loop, its corner included. */
const LOOP_WIDTH = 5;

/**
 * PlantUML 1.2026.1 draws `A <- A` as a loop to the right whose label ends right before the lifeline, apart from all others.
 * Where it happens to touch another lifeline it is drawn just as that one's own, and read so.
 */
function ownerBehind({ canvas, skeleton, bars }: Setting, { row, from, to }: Chunk): Lifeline | null {
  if (to - from + 1 !== LOOP_WIDTH) return null;
  const next = countBefore(skeleton.lifelines, to + 1);
  const [before, behind] = [skeleton.lifelines[next - 1], skeleton.lifelines[next]];
  if (behind === undefined) return null;
  if (before !== undefined) {
    const edges = [row, row + 1].map((at) => bars.extent(before, at));
    if (edges.some(([first, last]) => first < last || from - last <= LOOP_GAP_MAX)) return null;
  }
  const labelEnd = [behind.column - 1, behind.column - 2].find((column) => !canvas.isBlank(row + 1, column));
  return labelEnd !== undefined && labelEnd > to && canvas.isFree(row + 1, labelEnd) ? behind : null;
}

/** The nearest lifeline on the open side of the loop. */
function owner({ skeleton, bars }: Setting, chunk: Chunk, side: Side): Lifeline | null {
  let best: Lifeline | null = null;
  let bestDistance = LOOP_REACH + 1;
  for (const lifeline of skeleton.lifelines) {
    const [from, to] = bars.extent(lifeline, chunk.row);
    const isBefore = side.name === 'right' ? from <= chunk.from : to >= chunk.to;
    const distance = Math.max(0, side.name === 'right' ? chunk.from - to : from - chunk.to);
    if (isBefore && distance < bestDistance) [best, bestDistance] = [lifeline, distance];
  }
  return best;
}
