import type { Line } from '../../diagram/index.ts';
import type { Arrow } from './arrows.ts';
import type { Bars } from './bars.ts';
import type { Canvas } from './canvas.ts';
import {
  BOTTOM_LEFT,
  BOTTOM_RIGHT,
  DASH,
  HEAD_CROSS,
  HEAD_LEFT,
  HEAD_RIGHT,
  headOfGlyph,
  HORIZONTAL,
  KIND,
  TOP_LEFT,
  TOP_RIGHT,
  VERTICAL,
} from './glyphs.ts';
import type { Lifeline, Lifelines } from './lifelines.ts';
import type { NoteBox } from './notes.ts';

/** Rows between the sending and the receipt of one message. */
const ROWS_MAX = 60;

interface Drawing {
  readonly canvas: Canvas;
  readonly skeleton: Lifelines;
  readonly bars: Bars;
}
interface Setting extends Drawing {
  /** A line goes on behind them. */
  readonly notes: readonly NoteBox[];
}
interface Given extends Drawing {
  readonly behind: (row: number, column: number) => boolean;
}

/** The glyphs of a message that turns down on its way to one side. */
interface Side {
  readonly step: 1 | -1;
  readonly turn: ReadonlySet<string>;
  readonly landing: ReadonlySet<string>;
  readonly head: ReadonlySet<string>;
}

const RIGHTWARDS: Side = { step: 1, turn: TOP_RIGHT, landing: BOTTOM_LEFT, head: HEAD_RIGHT };
const LEFTWARDS: Side = { step: -1, turn: TOP_LEFT, landing: BOTTOM_RIGHT, head: HEAD_LEFT };

/**
 * Messages that take their time, as Diagon draws them: `│──┐` where one is sent, `│  └────>│` where it arrives, others
 * between. The arrow stands on the row of its receipt and knows that of its sending.
 */
export function readCrossings({ notes, ...setting }: Setting): Arrow[] {
  const { canvas, skeleton } = setting;
  const given = { ...setting, behind: insideOf(notes, canvas) };
  const unicode = canvas.rows.some(({ glyphs }) => glyphs.includes('─'));
  const arrows: Arrow[] = [];
  for (let row = skeleton.bodyTop; row < skeleton.bodyBottom; row++) {
    for (const lifeline of skeleton.lifelines) {
      for (const side of [RIGHTWARDS, LEFTWARDS]) {
        const arrow = crossingAt(given, lifeline, row, side, unicode);
        if (arrow !== null) arrows.push(arrow);
      }
    }
  }
  return arrows;
}

function crossingAt(setting: Given, lifeline: Lifeline, row: number, side: Side, unicode: boolean): Arrow | null {
  const { canvas, skeleton, bars } = setting;
  const { step } = side;
  const edge = bars.extent(lifeline, row)[step === 1 ? 1 : 0];
  let turn = edge + step;
  while (canvas.is(row, turn, KIND.horizontal) && canvas.isFree(row, turn)) turn += step;
  if (Math.abs(turn - edge) < 2 || !side.turn.has(canvas.at(row, turn)) || !canvas.isFree(row, turn)) return null;
  const landing = landingOf(setting, row, turn, side);
  if (landing === null) return null;
  let tip = turn + step;
  while (HORIZONTAL.has(canvas.at(landing, tip))) tip += step;
  const glyph = canvas.at(landing, tip);
  if (!side.head.has(glyph) && !HEAD_CROSS.has(glyph)) return null;
  const end = skeleton.lifelines.find((one) => {
    const [from, to] = bars.extent(one, landing);
    return one !== lifeline && (step === 1 ? from >= tip && from - tip <= 2 : to <= tip && tip - to <= 2);
  });
  if (end === undefined) return null;
  claimPath(canvas, { row, edge, turn, landing, tip, step });
  const shaft = [...shaftOf(canvas, row, edge, turn), ...shaftOf(canvas, landing, turn, tip)];
  const head = headOfGlyph(glyph);
  return {
    row: landing,
    sentRow: row,
    from: Math.min(edge + step, tip),
    to: Math.max(edge + step, tip),
    left: step === 1 ? lifeline : end,
    right: step === 1 ? end : lifeline,
    leftHead: step === 1 ? null : head,
    rightHead: step === 1 ? head : null,
    line: lineOf(shaft, unicode),
    inline: null,
    refused: false,
  };
}

/** The glyphs between two columns of a row. */
function shaftOf(canvas: Canvas, row: number, start: number, end: number): readonly string[] {
  const first = Math.min(start, end) + 1;
  return Array.from({ length: Math.max(start, end) - first }, (_, index) => canvas.at(row, first + index));
}

const lineOf = (shaft: readonly string[], unicode: boolean): Line =>
  shaft.some((glyph) => DASH.has(glyph)) || (unicode && shaft.every((glyph) => glyph === '-')) ? 'dashed' : 'solid';

/** The row where the line that goes down from `turn` turns again; labels and shafts of others may hide a part of it. */
function landingOf({ canvas, behind }: Given, top: number, turn: number, side: Side): number | null {
  let seen = 0;
  for (let row = top + 1; row <= top + ROWS_MAX && row < canvas.height; row++) {
    const glyph = canvas.at(row, turn);
    const goesOn = HORIZONTAL.has(canvas.at(row, turn + side.step)) || side.head.has(canvas.at(row, turn + side.step));
    if (side.landing.has(glyph) && goesOn && !HORIZONTAL.has(canvas.at(row, turn - side.step)))
      return seen > 0 || row > top + 1 ? row : null;
    if (VERTICAL.has(glyph)) seen++;
    // A hidden line is hidden by something, never by nothing.
    else if (glyph === ' ' && !isBetweenWords(canvas, row, turn) && !behind(row, turn)) return null;
  }
  return null;
}

const isBetweenWords = (canvas: Canvas, row: number, column: number): boolean =>
  canvas.at(row, column - 1) !== ' ' && canvas.at(row, column + 1) !== ' ';

/** Whether a cell is inside of a note; there may be as many notes as cells that ask, so the cells in notes are marked once. */
function insideOf(notes: readonly NoteBox[], canvas: Canvas): (row: number, column: number) => boolean {
  let inside: readonly Uint8Array[] | null = null;
  return (row, column) => {
    inside ??= cellsInside(notes, canvas);
    return inside[row]?.[column] === 1;
  };
}

function cellsInside(notes: readonly NoteBox[], canvas: Canvas): readonly Uint8Array[] {
  const inside = canvas.rows.map(({ glyphs }) => new Uint8Array(glyphs.length));
  for (const { top, bottom, left, right } of notes)
    for (let row = top + 1; row < bottom; row++) inside[row]?.fill(1, left + 1, right);
  return inside;
}

function claimPath(
  canvas: Canvas,
  {
    row,
    edge,
    turn,
    landing,
    tip,
    step,
  }: { row: number; edge: number; turn: number; landing: number; tip: number; step: 1 | -1 },
): void {
  canvas.claim(row, Math.min(edge + step, turn), Math.max(edge + step, turn), 'shaft');
  canvas.claim(landing, Math.min(turn, tip), Math.max(turn, tip), 'shaft');
  for (let at = row + 1; at < landing; at++)
    if (VERTICAL.has(canvas.at(at, turn))) canvas.claim(at, turn, turn, 'crossing');
}
