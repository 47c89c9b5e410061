import type { Head, Line } from '../../diagram/index.ts';
import type { Bars } from './bars.ts';
import type { Canvas, Chunk } from './canvas.ts';
import { DASH, HEAD_CROSS, HEAD_LEFT, HEAD_RIGHT, headOfGlyph, HORIZONTAL, KIND } from './glyphs.ts';
import { countBefore, type Lifeline, type Lifelines } from './lifelines.ts';
import { claimHanging } from './loops.ts';
import type { Reports } from './reports.ts';

/** One end of a shaft: a lifeline, or nothing (`null`): the message comes from outside or goes there. */
type End = Lifeline | null;

/** An arrow between two lifelines. Refused ones stay in the list, so that their labels are not reported too. */
export interface Arrow {
  readonly row: number;
  /** First and last cell, heads included. */
  readonly from: number;
  readonly to: number;
  readonly left: End;
  readonly right: End;
  readonly leftHead: Head | null;
  readonly rightHead: Head | null;
  readonly line: Line;
  /** The cells of a label that is written into the shaft. */
  readonly inline: { readonly from: number; readonly to: number } | null;
  /** Where it is sent, if that is not the row it arrives on. */
  readonly sentRow?: number;
  /** An arrow with two heads whose right end shows where it begins. */
  readonly startsRight?: boolean;
  readonly refused: boolean;
}

/** A shaft as it stands there, before anyone asked where it ends. */
export interface Shaft {
  readonly row: number;
  readonly from: number;
  readonly to: number;
  readonly leftHead: Head | null;
  readonly rightHead: Head | null;
  readonly line: Line;
  readonly inline: { readonly from: number; readonly to: number } | null;
}

interface Setting {
  readonly canvas: Canvas;
  readonly skeleton: Lifelines;
  readonly bars: Bars;
  readonly reports: Reports;
}

/** Columns between the end of an arrow and its lifeline: PlantUML leaves up to two at a head, three at the tail of a dashed one. */
const HEAD_REACH = 2;
const TAIL_REACH = 3;

/** Nobody draws as many; a drawing with more is refused. */
export const ARROWS_MAX = 20_000;

/** Reads and claims every straight arrow of the drawing, from top to bottom and left to right. */
export function readArrows(setting: Setting): Arrow[] {
  const { canvas, skeleton } = setting;
  const unicode = canvas.rows.some(({ glyphs }) => glyphs.includes('─'));
  const arrows: Arrow[] = [];
  for (let row = skeleton.bodyTop; row < skeleton.bodyBottom; row++) {
    const touches = (column: number, hasHead: boolean): boolean =>
      distanceToNearest(setting, row, column) <= (hasHead ? FLOAT_MAX + 1 : INLINE_REACH);
    const chunks = canvas.chunks(row).filter((chunk) => !claimEllipsis(setting, chunk));
    const shafts = chunks.flatMap((chunk) => readShaft(canvas, chunk, touches, unicode) ?? []);
    const [first] = shafts;
    if (first !== undefined && arrows.length > ARROWS_MAX) {
      setting.reports.add('ASC100', first, `more than ${ARROWS_MAX} messages are drawn here`);
      break;
    }
    for (const shaft of joined(setting, shafts)) {
      canvas.claim(row, shaft.from, shaft.to, 'shaft');
      arrows.push(withEnds(setting, shaft));
    }
  }
  if (unicode) reportHyphens(setting, arrows);
  reportWaves(setting, arrows);
  return arrows;
}

/** Dots in the middle between two lifelines say that time passes, and nothing else; a dotted shaft is longer. */
function claimEllipsis(setting: Setting, { row, from, to }: Chunk): boolean {
  const { canvas, reports } = setting;
  if (to - from >= ELLIPSIS_MAX || !/^(?:[.·…⋮:] ?)+$/u.test(canvas.text(row, from, to))) return false;
  if (Math.min(...[from, to].map((column) => distanceToNearest(setting, row, column))) <= HEAD_REACH) return false;
  canvas.claim(row, from, to, 'outside');
  reports.add('ASC153', { row, from, to }, 'dots between the lifelines are not read');
  return true;
}
const ELLIPSIS_MAX = 6;

/** Diagon draws dashed shafts with hyphens; by hand they may be meant as solid, so their author is told once. */
function reportHyphens({ canvas, reports }: Setting, arrows: readonly Arrow[]): void {
  const first = arrows.find(({ row, from, to }) => /^<?-{2,}>?$/.test(canvas.text(row, from, to)));
  if (first === undefined) return;
  reports.add('ASC145', first, 'hyphens among drawn lines are read as a dashed arrow, here and below');
}

function reportWaves({ canvas, reports }: Setting, arrows: readonly Arrow[]): void {
  const first = arrows.find(({ row, from, to }) => canvas.text(row, from, to).includes(`${WAVE}${WAVE}`));
  if (first !== undefined) reports.add('ASC149', first, 'waves are read as a solid arrow, here and below');
}

// --------------------------------------------------------------------------------------------------------------- shafts

/** Drawn by hand for a message of another kind, `~~~>`, which a diagram does not know. */
const WAVE = '~';

/** Columns between the ends of an arrow with a label in it and their lifelines. */
const INLINE_REACH = 2;

/** What a chunk is as a shaft; one with a label in it must touch what `touches` knows, on both sides. `unicode`: drawn with ─. */
export function readShaft(
  canvas: Canvas,
  chunk: Chunk,
  touches: (column: number, hasHead: boolean) => boolean,
  unicode = false,
): Shaft | null {
  if (!hasLine(canvas, chunk)) return null;
  const glyphs = canvas.rows[chunk.row]?.glyphs.slice(chunk.from, chunk.to + 1) ?? [];
  const leftHead = headAt(glyphs, 'left');
  const rightHead = headAt(glyphs, 'right');
  const inner = {
    from: leftHead === null ? 0 : glyphs[1] === glyphs[0] ? 2 : 1,
    to: glyphs.length - (rightHead === null ? 1 : glyphs.at(-2) === glyphs.at(-1) ? 3 : 2),
  };
  const middle = glyphs.slice(inner.from, inner.to + 1).join('');
  // Without a head waves are a border or a break.
  if (leftHead === null && rightHead === null && glyphs.includes(WAVE)) return null;
  const ends = { row: chunk.row, from: chunk.from, to: chunk.to, leftHead, rightHead };
  const line = lineOf(middle, unicode);
  if (line !== null && (middle.trim().length > 1 || leftHead !== null || rightHead !== null))
    return { ...ends, line, inline: null };
  const shaft = inlineShaft(ends, inner, glyphs, unicode);
  const hasHead = leftHead !== null || rightHead !== null;
  return shaft !== null && [chunk.from, chunk.to].every((column) => touches(column, hasHead)) ? shaft : null;
}

function hasLine(canvas: Canvas, { row, from, to }: Chunk): boolean {
  const kinds = canvas.kindsOf(row);
  for (let column = from; column <= to; column++) {
    if (((kinds[column] ?? 0) & (KIND.horizontal | KIND.border)) !== 0 || canvas.at(row, column) === WAVE) return true;
  }
  return false;
}

function headAt(glyphs: readonly string[], side: 'left' | 'right'): Head | null {
  const glyph = (side === 'left' ? glyphs[0] : glyphs.at(-1)) ?? ' ';
  const next = (side === 'left' ? glyphs[1] : glyphs.at(-2)) ?? ' ';
  if ((side === 'left' ? HEAD_LEFT : HEAD_RIGHT).has(glyph)) return headOfGlyph(glyph);
  if (!HORIZONTAL.has(next) && next !== '.') return null;
  if (HEAD_CROSS.has(glyph) || glyph === 'x' || glyph === 'X') return 'cross';
  return glyph === (side === 'left' ? '(' : ')') ? 'open' : null;
}

/** The line style of a shaft without its heads; null for anything that is no shaft. */
function lineOf(cells: string, unicode: boolean): Line | null {
  const middle = cells.trim();
  // One dash and a gap before the head, `< ─`: the shortest dashed arrow there is.
  if (middle.length === 1 && cells.length > 1 && HORIZONTAL.has(middle)) return 'dashed';
  if (/^\.{2,}$/.test(middle)) return 'dashed';
  if (/^~{2,}$/.test(middle)) return 'solid';
  const glyphs = Array.from(middle);
  if (glyphs.length === 0 || !glyphs.every((glyph) => HORIZONTAL.has(glyph) || glyph === ' ')) return null;
  if (glyphs.includes(' ')) return isEvenlyDashed(middle) ? 'dashed' : null;
  // Diagon draws solid shafts with ─ and dashed ones with -.
  return glyphs.some((glyph) => DASH.has(glyph)) || (unicode && glyphs.every((glyph) => glyph === '-'))
    ? 'dashed'
    : 'solid';
}

/** Dashes of one length, one blank apart; a solid shaft with a hole in it is not dashed, but broken. */
function isEvenlyDashed(middle: string): boolean {
  const dashes = middle.split(' ').map((dash) => dash.length);
  const length = dashes[1] ?? 0;
  if (length > 1 && dashes.length < 3) return false;
  const isCut = (dash: number, index: number): boolean =>
    dash > 0 && dash < length && (index === 0 || index === dashes.length - 1);
  return dashes.every((dash, index) => dash === length || isCut(dash, index));
}

/** The first cell behind the strokes that begin at `from`; dashes with gaps between them, `- - label`, are strokes too. */
function strokeEnd(
  glyphs: readonly string[],
  isStroke: (index: number) => boolean,
  from: number,
  step: 1 | -1,
): number {
  const isGap = (index: number): boolean =>
    glyphs[index] === ' ' && isStroke(index + step) && !isStroke(index + 2 * step) && glyphs[index + 2 * step] === ' ';
  let index = from;
  while (isStroke(index) || isGap(index)) index += step;
  return index;
}

/** Plain signs are told by the first comparison. */
const isLetter = (glyph: string): boolean => glyph >= '0' && /[\p{L}\p{N}]/u.test(glyph);

/** A label inside the shaft, `|--1. insert--->|`: line on both sides of the text, both ends at a lifeline. */
function inlineShaft(
  ends: Omit<Shaft, 'line' | 'inline'>,
  { from: first, to: last }: { readonly from: number; readonly to: number },
  glyphs: readonly string[],
  unicode: boolean,
): Shaft | null {
  const isDotted = glyphs[first] === '.' && glyphs[last] === '.';
  const isStroke = (index: number): boolean =>
    isDotted ? glyphs[index] === '.' : HORIZONTAL.has(glyphs[index] ?? ' ') || glyphs[index] === WAVE;
  const start = strokeEnd(glyphs, isStroke, first, 1);
  const end = strokeEnd(glyphs, isStroke, last, -1);
  if (!glyphs.slice(start, end + 1).some(isLetter)) return null;
  const halves = [glyphs.slice(first, start).join(''), glyphs.slice(end + 1, last + 1).join('')];
  // Both halves of a dashed shaft have gaps, or are too short for one.
  const line = halves.some((half) => / /.test(half.trim())) ? 'dashed' : lineOf(halves.join(''), unicode);
  // Without a head it may be the first half of an arrow that goes on behind a lifeline; then the line must be plain to see.
  const lineMin = ends.leftHead === null && ends.rightHead === null ? 2 : 1;
  if (start - first < lineMin || last - end < lineMin || line === null) return null;
  return { ...ends, line, inline: { from: ends.from + start, to: ends.from + end } };
}

const distanceToNearest = (setting: Setting, row: number, column: number): number =>
  Math.min(...nearestTwo(setting, row, column).map(({ distance }) => distance), Infinity);

/** Two shafts on both sides of a visible lifeline are one that crosses it, if neither has a head there. */
function joined(setting: Setting, shafts: readonly Shaft[]): Shaft[] {
  const result: Shaft[] = [];
  for (const shaft of shafts) {
    const before = result.at(-1);
    if (before === undefined || !continues(setting.canvas, before, shaft)) {
      result.push(shaft);
      continue;
    }
    if (before.leftHead !== null && shaft.rightHead !== null) {
      const cells = { row: shaft.row, from: before.from, to: shaft.to };
      setting.reports.add('ASC115', cells, 'this arrow has two heads and crosses a lifeline between them');
    }
    result[result.length - 1] = {
      ...before,
      to: shaft.to,
      rightHead: shaft.rightHead,
      inline: before.inline ?? shaft.inline,
    };
  }
  return result;
}

const LIFELINE_WIDTH_MAX = 5;

function continues(canvas: Canvas, before: Shaft, after: Shaft): boolean {
  if (before.rightHead !== null || after.leftHead !== null || before.line !== after.line) return false;
  if (after.from - before.to > LIFELINE_WIDTH_MAX) return false;
  let crossed = false;
  for (let column = before.to + 1; column < after.from; column++) {
    const owner = canvas.ownerAt(before.row, column);
    if (owner === 'lifeline' || owner === 'cross' || owner === 'frame') crossed = true;
    else if (!canvas.isBlank(before.row, column)) return false;
  }
  return crossed;
}

// ----------------------------------------------------------------------------------------------------------------- ends

function withEnds(setting: Setting, shaft: Shaft): Arrow {
  const { reports, skeleton } = setting;
  const headless = shaft.leftHead === null && shaft.rightHead === null;
  const drawn = apart(setting, shaft, endAt(setting, shaft, 'left'), endAt(setting, shaft, 'right'));
  const [left, right] = floating(setting, shaft, drawn) ?? lost(setting, shaft, drawn) ?? drawn;
  const problem = problemOf(shaft, left, right);
  if (problem !== null) {
    reports.add(problem.code, shaft, problem.message);
    if (headless) claimHanging(setting.canvas, shaft);
    return { ...shaft, left: lifelineOf(left), right: lifelineOf(right), refused: true };
  }
  const [from, to] = [lifelineOf(left), lifelineOf(right)];
  if (headless) return withTees(setting, shaft, from, to);
  if ((from === null || to === null) && !reachesEdge(setting.canvas, shaft, from === null)) {
    const names = skeleton.lifelines.map(({ label }) => label);
    reports.add(
      'ASC116',
      shaft,
      `this arrow ends in the void beside ${from === null ? (names[0] ?? '') : (names.at(-1) ?? '')}; read as ${from === null ? 'coming from or going' : 'going or coming from'} outside`,
    );
  }
  const isBoth = shaft.leftHead !== null && shaft.rightHead !== null;
  const startsRight = isBoth && showsTee(setting, shaft.row, to, '┤┨') && !showsTee(setting, shaft.row, from, '├┠');
  return { ...shaft, left: from, right: to, refused: false, startsRight };
}

/** PlantUML draws messages from and to outside from the very edge. */
const reachesEdge = (canvas: Canvas, shaft: Shaft, onTheLeft: boolean): boolean =>
  onTheLeft ? shaft.from <= 2 : shaft.to >= canvas.width - 2;

/** Without heads the tee at one end says who sends: `├─────│`. */
function withTees(setting: Setting, shaft: Shaft, left: End, right: End): Arrow {
  const { reports } = setting;
  const [fromLeft, fromRight] = [showsTee(setting, shaft.row, left, '├┠+'), showsTee(setting, shaft.row, right, '┤┨+')];
  if (fromLeft === fromRight || left === null || right === null) {
    reports.add('ASC110', shaft, 'this shaft has no head, so nobody can tell who sends');
    return { ...shaft, left, right, refused: true };
  }
  return { ...shaft, left, right, ...(fromLeft ? { rightHead: 'none' } : { leftHead: 'none' }), refused: false };
}

const showsTee = ({ canvas, bars }: Setting, row: number, end: End, glyphs: string): boolean =>
  end !== null && bars.extent(end, row).some((column) => glyphs.includes(canvas.at(row, column)));

type Found = { readonly lifeline: Lifeline } | 'outside' | 'nowhere' | 'between';

const lifelineOf = (end: Found): End => (typeof end === 'string' ? null : end.lifeline);

/** A short arrow on the outer side of the first or the last lifeline has one end there, and the other outside. */
function apart({ skeleton, bars }: Setting, shaft: Shaft, left: Found, right: Found): readonly [Found, Found] {
  const lifeline = lifelineOf(left);
  if (lifeline === null || lifeline !== lifelineOf(right)) return [left, right];
  const [from, to] = bars.extent(lifeline, shaft.row);
  if (lifeline === skeleton.lifelines[0] && shaft.to < from) return ['outside', right];
  if (lifeline === skeleton.lifelines.at(-1) && shaft.from > to) return [left, 'outside'];
  return [left, right];
}

type Ends = readonly [Found, Found];

/** Blanks at most between a lifeline and an arrow that floats between two of them, and how much more on one side. */
const FLOAT_MAX = 4;
const FLOAT_ASKEW_MAX = 2;
/** An arrow is as long as all blanks around it at least. */
const FLOAT_SHARE_MIN = 0.5;

/** An arrow in the middle between two neighbours that touches neither of them, `│  ───>  │`, can mean nobody else. */
function floating(setting: Setting, shaft: Shaft, [left, right]: Ends): Ends | null {
  if (left !== 'nowhere' && right !== 'nowhere') return null;
  if (shaft.leftHead === null && shaft.rightHead === null) return null;
  const gap = gapAround(setting, shaft);
  if (gap === null) return null;
  const [before, after] = [shaft.from - gap.from, gap.to - shaft.to];
  const isInMiddle = Math.min(before, after) > 0 && Math.abs(before - after) <= FLOAT_ASKEW_MAX;
  const isLong = shaft.to - shaft.from + 1 >= FLOAT_SHARE_MIN * (gap.to - gap.from + 1);
  if (!isInMiddle || !isLong || Math.max(before, after) > FLOAT_MAX) return null;
  // Between boxes an arrow belongs to them.
  for (let column = gap.from; column <= gap.to; column++)
    if ((column < shaft.from || column > shaft.to) && !setting.canvas.isBlank(shaft.row, column)) return null;
  const names = `${gap.left.label} and ${gap.right.label}`;
  setting.reports.add('ASC152', shaft, `this arrow touches no lifeline; read as one between ${names}`);
  return [{ lifeline: gap.left }, { lifeline: gap.right }];
}

const LOST_TAIL_MAX = 0;
const LOST_MIN = 3;

/** An arrow with a cross at its end, `│───x   │`, never arrives; it was on its way to the next lifeline. */
function lost(setting: Setting, shaft: Shaft, [left, right]: Ends): Ends | null {
  const isRight = right === 'nowhere' && shaft.rightHead === 'cross' && lifelineOf(left) !== null;
  const isLeft = left === 'nowhere' && shaft.leftHead === 'cross' && lifelineOf(right) !== null;
  const gap = isRight || isLeft ? gapAround(setting, shaft) : null;
  // A label may begin with dashes too, `--x`, but hardly right at the lifeline.
  const tail = gap === null ? Infinity : isRight ? shaft.from - gap.from : gap.to - shaft.to;
  if (gap === null || tail > LOST_TAIL_MAX || shaft.to - shaft.from < LOST_MIN) return null;
  const to = isRight ? gap.right : gap.left;
  setting.reports.add('ASC152', shaft, `this arrow ends in a cross before ${to.label}; read as lost on its way there`);
  return isRight ? [left, { lifeline: to }] : [{ lifeline: to }, right];
}

/** The two lifelines on both sides of a shaft, and the columns between them; null where one stands in it, or at the edge. */
function gapAround({ skeleton, bars }: Setting, { row, from, to }: Shaft) {
  const next = countBefore(skeleton.lifelines, to);
  const [left, right] = [skeleton.lifelines[next - 1], skeleton.lifelines[next]];
  if (left === undefined || right === undefined || left.column > from) return null;
  const isThere = ({ created, head }: Lifeline): boolean => !created || row >= head.top - 1;
  if (!isThere(left) || !isThere(right)) return null;
  return { left, right, from: bars.extent(left, row)[1] + 1, to: bars.extent(right, row)[0] - 1 };
}

interface Candidate {
  readonly lifeline: Lifeline;
  readonly distance: number;
}

function endAt(setting: Setting, shaft: Shaft, side: 'left' | 'right'): Found {
  const column = side === 'left' ? shaft.from : shaft.to;
  const hasHead = (side === 'left' ? shaft.leftHead : shaft.rightHead) !== null;
  const [best, second] = nearestTwo(setting, shaft.row, column);
  if (best === undefined) return 'nowhere';
  if (best.distance <= (hasHead ? HEAD_REACH : TAIL_REACH)) {
    return second !== undefined && second.distance <= best.distance ? 'between' : { lifeline: best.lifeline };
  }
  const { lifelines } = setting.skeleton;
  const edge = side === 'left' ? lifelines[0] : lifelines.at(-1);
  if (edge === undefined) return 'nowhere';
  const beyond = side === 'left' ? column < edge.column : column > edge.column;
  return beyond ? 'outside' : 'nowhere';
}

/** The two lifelines that are nearest to a cell. */
function nearestTwo({ skeleton, bars }: Setting, row: number, column: number): Candidate[] {
  const { lifelines } = skeleton;
  let low = 0;
  let high = lifelines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lifelines[middle]?.column ?? 0) < column) low = middle + 1;
    else high = middle;
  }
  const around = lifelines.slice(Math.max(0, low - 2), low + 2);
  return around
    .filter(({ created, head }) => !created || row >= head.top - 1)
    .map((lifeline) => {
      const [from, to] = bars.extent(lifeline, row);
      return { lifeline, distance: column < from ? from - column : Math.max(0, column - to) };
    })
    .sort((a, b) => a.distance - b.distance);
}

interface Problem {
  readonly code: 'ASC110' | 'ASC112' | 'ASC113' | 'ASC114';
  readonly message: string;
}

function problemOf(shaft: Shaft, left: Found, right: Found): Problem | null {
  const [leftLifeline, rightLifeline] = [lifelineOf(left), lifelineOf(right)];
  if (left === 'between' || right === 'between') {
    return {
      code: 'ASC113',
      message: `the ${left === 'between' ? 'left' : 'right'} end of this arrow is equally near to two lifelines`,
    };
  }
  if (left === 'nowhere' || right === 'nowhere' || (leftLifeline === null && rightLifeline === null)) {
    const side = leftLifeline === null ? (rightLifeline === null ? 'neither end' : 'the left end') : 'the right end';
    return {
      code: 'ASC112',
      message: `${side} of this arrow ${side === 'neither end' ? 'touches' : 'does not touch'} a lifeline`,
    };
  }
  if (leftLifeline === rightLifeline) {
    return { code: 'ASC114', message: 'both ends of this arrow are at the same lifeline' };
  }
  if (shaft.leftHead === null && shaft.rightHead === null && (leftLifeline === null || rightLifeline === null)) {
    return { code: 'ASC110', message: 'this shaft has no head, so nobody can tell who sends' };
  }
  return null;
}
