import type { Canvas } from './canvas.ts';
import { HORIZONTAL, isHead, TEE, VERTICAL } from './glyphs.ts';
import type { Lifeline, Lifelines } from './lifelines.ts';

/** Text that stands on a lifeline, in its place: a state, a point in time, something the participant does. */
export interface State {
  readonly lifeline: Lifeline;
  readonly row: number;
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** One word in brackets, perhaps with a name before it: `(admit)`, `time(RG_v)`, `[Compute Hash]`, `(~~~~)`. */
const STATE = /[\p{L}\p{N}_']*(?:\([^()]*\)|\[[^[\]]*\])/gu;
/** A state is written over its lifeline, not just near it: its middle is at most this far away. */
const CENTRE_REACH = 3.5;
const STATE_ROWS_MAX = 8;

/** Finds and claims the states. The lifeline must go on above and below them, so that no label over a passing arrow is one. */
export function readStates(canvas: Canvas, { lifelines, bodyTop, bodyBottom }: Lifelines): State[] {
  const states: State[] = [];
  for (let row = bodyTop; row < bodyBottom; row++) {
    const line = canvas.text(row, 0, canvas.width);
    if (!/[([]/.test(line)) continue;
    states.push(...lifelines.flatMap((lifeline) => stateAt(canvas, lifeline, row) ?? []));
  }
  const taken = new Set(states.map(({ lifeline, row }) => `${row} ${lifeline.column}`));
  const kept = states.filter(({ lifeline, row }) => goesOn(canvas, taken, lifeline.column, row));
  for (const { row, from, to } of kept) canvas.claim(row, from, to, 'note');
  return kept;
}

function stateAt(canvas: Canvas, lifeline: Lifeline, row: number): State | null {
  const { column } = lifeline;
  if (!canvas.isFree(row, column) || canvas.isBlank(row, column) || VERTICAL.has(canvas.at(row, column))) return null;
  const [start, end] = [Math.max(0, column - STATE_REACH), column + STATE_REACH];
  // One character for each cell, so that places in the text are places in the row.
  const cells = Array.from(
    { length: end - start + 1 },
    (_, index) => canvas.at(row, start + index).slice(0, 1) || ' ',
  ).join('');
  for (const match of cells.matchAll(STATE)) {
    const [from, to] = [start + match.index, start + match.index + match[0].length - 1];
    if (from > column || to < column || Math.abs((from + to) / 2 - column) > CENTRE_REACH) continue;
    if (standsAlone(canvas, row, from, -1) && standsAlone(canvas, row, to, 1))
      return { lifeline, row, from, to, text: canvas.text(row, from, to) };
  }
  return null;
}

const STATE_REACH = 24;

/** What goes on with further words is a label that runs over the lifeline. */
function standsAlone(canvas: Canvas, row: number, edge: number, step: 1 | -1): boolean {
  const [next, after] = [canvas.at(row, edge + step), canvas.at(row, edge + 2 * step)];
  return isLineOrBlank(next) && (next !== ' ' || isLineOrBlank(after));
}

const isLineOrBlank = (glyph: string): boolean =>
  glyph === ' ' || isHead(glyph) || HORIZONTAL.has(glyph) || TEE.has(glyph) || VERTICAL.has(glyph) || glyph === '+';

/** Whether the line is seen above and below, other states between left out, and no arrow passes it there. */
function goesOn(canvas: Canvas, taken: ReadonlySet<string>, column: number, row: number): boolean {
  const isState = (at: number): boolean => taken.has(`${at} ${column}`);
  return [-1, 1].every((step) => {
    let at = row + step;
    for (let count = 0; count < STATE_ROWS_MAX && isState(at); count++) at += step;
    const shows = [column - 1, column, column + 1].some(
      (cell) => VERTICAL.has(canvas.at(at, cell)) || canvas.at(at, cell) === '~',
    );
    const isPassed = [column - 1, column + 1].every((cell) => /[-─=]/.test(canvas.at(at, cell)));
    return (shows && !isPassed) || (step === 1 && at >= canvas.height);
  });
}
