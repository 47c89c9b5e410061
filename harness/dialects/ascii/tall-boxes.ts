import { readShaft, type Arrow, type Shaft } from './arrows.ts';
import type { Bars } from './bars.ts';
import type { Canvas } from './canvas.ts';
import { BOTTOM_LEFT, BOTTOM_RIGHT, HORIZONTAL, KIND, TEE, TOP_RIGHT, VERTICAL } from './glyphs.ts';
import { labelOf, type Head } from './heads.ts';
import type { Label } from './labels.ts';
import type { Lifeline, Lifelines } from './lifelines.ts';
import type { NoteBox } from './notes.ts';
import type { Reports } from './reports.ts';

/** A drawing whose participants are tall boxes; their sides are what lifelines are elsewhere. */
export interface TallDrawing {
  readonly skeleton: Lifelines;
  readonly bars: Bars;
  readonly arrows: readonly Arrow[];
  readonly notes: readonly NoteBox[];
}

/** Two arrows, there and back, are often a flow chart or a picture of an architecture. */
const DIALOGUE_MIN = 3;

/**
 * Whether boxes with arrows between them are meant as a sequence, and not as a picture of who is connected to whom: every arrow
 * says something, and whoever is spoken to answers.
 */
export function isDialogue(arrows: readonly Arrow[], labels: ReadonlyMap<unknown, Label>): boolean {
  const sent = new Set(arrows.flatMap(waysOf));
  const isAnswered = ({ left, right }: Arrow): boolean => sent.has(wayOf(left, right)) && sent.has(wayOf(right, left));
  return (
    arrows.length >= DIALOGUE_MIN &&
    arrows.every((arrow) => !arrow.refused && isAnswered(arrow) && labels.get(arrow)?.text !== '')
  );
}

const wayOf = (from: Lifeline | null, to: Lifeline | null): string => `${from?.label ?? ''}\n${to?.label ?? ''}`;

const waysOf = ({ left, right, leftHead, rightHead }: Arrow): string[] => [
  ...(rightHead === null ? [] : [wayOf(left, right)]),
  ...(leftHead === null ? [] : [wayOf(right, left)]),
];

interface TallBox {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
  /** The text ended before its lower border. */
  readonly isOpen: boolean;
}

/** A shaft in the gap between two boxes that stand side by side on its row; null where it does not reach a box. */
interface Link {
  readonly left: TallBox | null;
  readonly right: TallBox | null;
  readonly shaft: Shaft;
}

const ROWS_MAX = 400;
const WIDTH_MIN = 4;
/** In ASCII a `+` inside a border may be a corner or a tee; this many are tried. */
const CORNERS_MAX = 8;
/** More boxes than this are another drawing. */
const BOXES_MAX = 60;
/** Blanks between an arrow and the side of a box. */
const REACH = 1;

/**
 * Reads participants that are drawn as tall boxes, with the arrows from side to side, top to bottom, as the RFC of OAuth does:
 * `|        |--(A)- request ->|  Shop  |`. Boxes may begin further down and end earlier than others. Null where the boxes are
 * the heads of lifelines, or have no two arrows between them that stand one below the other.
 */
export function readTallBoxes(canvas: Canvas, reports: Reports): TallDrawing | null {
  const boxes = tallBoxes(canvas);
  if (boxes.length < 2 || boxes.length > BOXES_MAX) return null;
  const trial = canvas.unclaimed();
  for (const box of boxes) claimBox(trial, box);
  const links = linksBetween(trial, boxes);
  if (!isConversation(trial, links)) return null;
  const named = boxes.flatMap((box) => nameOf(canvas, box, links, reports) ?? []);
  const lifelines = named.map(({ lifeline }) => lifeline);
  const extents = new Map(named.map(({ box, lifeline }) => [lifeline, box]));
  const lifelineOf = new Map<TallBox | null, Lifeline>(named.map(({ box, lifeline }) => [box, lifeline]));
  // A box without a name is told once; what stands in it, and its sides, are no errors of their own.
  for (const box of boxes) if (links.some(({ left, right }) => left === box || right === box)) claimBox(canvas, box);
  const top = Math.min(...boxes.map((box) => box.top));
  const bottom = Math.max(...boxes.map((box) => box.bottom));
  return {
    skeleton: { lifelines, bodyTop: top, bodyBottom: bottom + 1, noteHeads: [], doubtful: [] },
    bars: {
      edges: [],
      extent: (lifeline) => {
        const { left, right } = extents.get(lifeline) ?? { left: lifeline.column, right: lifeline.column };
        return [left, right];
      },
    },
    arrows: links.map((link) => toArrow(canvas, link, lifelineOf, reports)),
    notes: named.flatMap(({ notes }) => notes),
  };
}

/** Two arrows at one box, one below the other; no lifelines under the boxes, and few arrows elsewhere. */
function isConversation(canvas: Canvas, links: readonly Link[]): boolean {
  const rows = new Map<TallBox, Set<number>>();
  const whole = links.filter(({ left, right, shaft }) => left !== null && right !== null && hasHead(shaft));
  for (const { left, right, shaft } of whole)
    for (const box of [left, right]) if (box !== null) rows.set(box, (rows.get(box) ?? new Set()).add(shaft.row));
  if (![...rows.values()].some(({ size }) => size >= 2)) return false;
  if ([...rows.keys()].every((box) => hasLineUnder(canvas, box))) return false;
  let heads = 0;
  for (let row = 0; row < canvas.height; row++)
    for (const chunk of canvas.chunks(row)) {
      const shaft = readShaft(canvas, chunk, () => true);
      if (shaft !== null && hasHead(shaft)) heads++;
    }
  return (heads - whole.length) * 2 <= whole.length;
}

const hasHead = ({ leftHead, rightHead }: Shaft): boolean => leftHead !== null || rightHead !== null;

function hasLineUnder(canvas: Canvas, { bottom, left, right }: TallBox): boolean {
  for (let column = left + 1; column < right; column++)
    if (TEE.has(canvas.at(bottom, column)) || VERTICAL.has(canvas.at(bottom + 1, column))) return true;
  return false;
}

function linksBetween(canvas: Canvas, boxes: readonly TallBox[]): Link[] {
  const bottom = Math.max(...boxes.map((box) => box.bottom));
  const unicode = canvas.rows.some(({ glyphs }) => glyphs.includes('─'));
  const links: Link[] = [];
  for (let row = 0; row <= bottom; row++) {
    const here = boxes.filter((box) => box.top < row && (row < box.bottom || box.isOpen));
    if (here.length === 0) continue;
    for (const chunk of canvas.chunks(row)) {
      const shaft = readShaft(canvas, chunk, () => true, unicode);
      if (shaft === null) continue;
      const left = here.findLast((box) => box.right < chunk.from && chunk.from - box.right - 1 <= REACH);
      const right = here.find((box) => box.left > chunk.to && box.left - chunk.to - 1 <= REACH);
      links.push({ left: left ?? null, right: right ?? null, shaft });
    }
  }
  return links;
}

function toArrow(
  canvas: Canvas,
  { left, right, shaft }: Link,
  lifelines: ReadonlyMap<TallBox | null, Lifeline>,
  reports: Reports,
): Arrow {
  const [from, to] = [lifelines.get(left) ?? null, lifelines.get(right) ?? null];
  canvas.claim(shaft.row, shaft.from, shaft.to, 'shaft');
  const isWhole = from !== null && to !== null;
  // Between two boxes only a name is missing, which is told of the box.
  if (left === null || right === null)
    reports.add('ASC112', shaft, 'both ends of this arrow should touch a box that has a name');
  else if (!hasHead(shaft)) reports.add('ASC110', shaft, 'this shaft has no head, so nobody can tell who sends');
  return { ...shaft, left: from, right: to, refused: !isWhole || !hasHead(shaft) };
}

// ---------------------------------------------------------------------------------------------------------------- boxes

/** All boxes that hold no other box, from left to right. */
function tallBoxes(canvas: Canvas): TallBox[] {
  const boxes: TallBox[] = [];
  const last = lastInk(canvas);
  for (let row = 0; row + 2 <= last; row++) {
    const kinds = canvas.kindsOf(row);
    for (let column = 0; column < kinds.length; column++) {
      if (((kinds[column] ?? 0) & KIND.topLeft) === 0 || !isSide(canvas.at(row + 1, column))) continue;
      const box = boxAt(canvas, row, column, last);
      if (box === null) continue;
      boxes.push(box);
      if (boxes.length > BOXES_MAX) return boxes;
      column = box.right - 1;
    }
  }
  return boxes
    .filter((outer) => !boxes.some((inner) => inner !== outer && holds(outer, inner)))
    .sort((a, b) => a.left - b.left || a.top - b.top);
}

const holds = (outer: TallBox, inner: TallBox): boolean =>
  inner.left >= outer.left && inner.right <= outer.right && inner.top >= outer.top && inner.bottom <= outer.bottom;

const isSide = (glyph: string): boolean => VERTICAL.has(glyph) || TEE.has(glyph) || glyph === '+';
const isBorder = (glyph: string): boolean => HORIZONTAL.has(glyph) || TEE.has(glyph) || glyph === '+';

function boxAt(canvas: Canvas, top: number, left: number, last: number): TallBox | null {
  for (let right = left + 1, tried = 0; tried < CORNERS_MAX && isBorderOrEnd(canvas.at(top, right)); right++) {
    if (!TOP_RIGHT.has(canvas.at(top, right))) continue;
    tried++;
    if (right - left < WIDTH_MIN || !isSide(canvas.at(top + 1, right))) continue;
    const bottom = bottomOf(canvas, { top, left, right }, last);
    if (bottom !== null) return { top, left, right, bottom: bottom.row, isOpen: bottom.isOpen };
  }
  return null;
}

const isBorderOrEnd = (glyph: string): boolean => isBorder(glyph) || TOP_RIGHT.has(glyph);

function bottomOf(
  canvas: Canvas,
  { top, left, right }: { readonly top: number; readonly left: number; readonly right: number },
  last: number,
): { readonly row: number; readonly isOpen: boolean } | null {
  for (let row = top + 1; row <= Math.min(top + ROWS_MAX, last); row++) {
    const [start, end] = [canvas.at(row, left), canvas.at(row, right)];
    const isFoot = row > top + 1 && BOTTOM_LEFT.has(start) && BOTTOM_RIGHT.has(end);
    if (isFoot && isBorderRow(canvas, row, left, right)) return { row, isOpen: false };
    if (!isSide(start) || !isSide(end)) return null;
  }
  return last - top <= ROWS_MAX && last - top >= 2 ? { row: last, isOpen: true } : null;
}

function isBorderRow(canvas: Canvas, row: number, left: number, right: number): boolean {
  for (let column = left + 1; column < right; column++) if (!isBorder(canvas.at(row, column))) return false;
  return true;
}

/** The last row with ink; a box that reaches it was cut there. */
function lastInk(canvas: Canvas): number {
  let row = canvas.height - 1;
  while (row > 0 && canvas.rows[row]?.glyphs.every((glyph) => glyph === ' ') === true) row--;
  return row;
}

function claimBox(canvas: Canvas, { top, bottom, left, right }: TallBox): void {
  for (let row = top + 1; row <= bottom; row++)
    for (const column of [left, right]) canvas.claim(row, column, column, 'lifeline');
  canvas.claimBox(top, left, bottom, right, 'head');
}

// ---------------------------------------------------------------------------------------------------------------- names

interface Named {
  readonly box: TallBox;
  readonly lifeline: Lifeline;
  readonly notes: readonly NoteBox[];
}

/** The first rows of text in a box are its name; others below them, a free row between, are notes. */
function nameOf(canvas: Canvas, box: TallBox, links: readonly Link[], reports: Reports): Named | null {
  const [name, ...others] = textsIn(canvas, box);
  const isLinked = links.some(({ left, right }) => left === box || right === box);
  if (name === undefined) {
    if (isLinked) reports.add('ASC106', { row: box.top, from: box.left, to: box.right }, 'this box has no name in it');
    return null;
  }
  if (box.isOpen) {
    const cells = { row: box.bottom, from: box.left, to: box.left };
    reports.add('ASC134', cells, `the box of "${name.lines.join(' ')}" has no lower border`);
  }
  const head: Head = {
    lines: name.lines,
    kind: 'participant',
    top: box.top,
    bottom: box.bottom,
    left: box.left,
    right: box.right,
    tee: null,
    nameRow: name.top,
    nameColumn: name.left,
  };
  const lifeline = { label: labelOf(head), kind: head.kind, head, column: box.left, created: false };
  for (const { top, left, right } of others)
    reports.add(
      'ASC143',
      { row: top, from: left, to: right },
      `this text has no arrow; read as a note at ${lifeline.label}`,
    );
  return { box, lifeline, notes: others };
}

function textsIn(canvas: Canvas, { top, bottom, left, right, isOpen }: TallBox): NoteBox[] {
  const texts: NoteBox[] = [];
  for (let row = top + 1; row < (isOpen ? bottom + 1 : bottom); row++) {
    const raw = canvas.text(row, left + 1, right - 1);
    const text = raw.trim();
    if (!/[\p{L}\p{N}]/u.test(text)) continue;
    const column = left + 1 + Array.from(raw).findIndex((glyph) => glyph !== ' ');
    const above = texts.at(-1);
    if (above?.bottom !== row - 1)
      texts.push({ lines: [text], top: row, bottom: row, left: column, right: column + text.length - 1 });
    else texts[texts.length - 1] = { ...above, lines: [...above.lines, text], bottom: row };
  }
  return texts;
}
