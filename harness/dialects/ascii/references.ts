import type { Box } from './boxes.ts';
import type { Canvas } from './canvas.ts';
import type { Frame } from './frames.ts';
import { BOTTOM_LEFT, BOTTOM_RIGHT, KIND, TOP_RIGHT, VERTICAL } from './glyphs.ts';

/**
 * References to other diagrams, as UML draws them: a box over lifelines, which do not show in it, with `ref` in its first row, in a
 * tab in its corner, or in its upper border; what else is written in it names the other diagram.
 */
interface Extent {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

const ROWS_MAX = 24;
/** In ASCII a `+` inside a border may be a corner or a tee; this many are tried. */
const CORNERS_MAX = 8;
/** The word stands this near to the left side. */
const WORD_REACH = 24;
const WIDTH_MIN = 4;
/** Cells looked at for each cell of the drawing, and in any; a drawing that needs more is made to be slow. */
const STEPS_PER_CELL = 3;
const STEPS_MIN = 50_000;

const WORD_IN_BORDER = /^[─━═-]+ ?\[? ?ref\b/iu;
/** Lifelines may show in the border behind it. */
const TITLE = /^[─━═-]+ ?(?<title>\[? ?ref\b.*?) ?[─━═-][─━═┼│|-]*$/iu;
/** Alone in its row, or in a tab with or without the name behind it; `ref: RFC 6749` is the text of a note. */
const FIRST_ROW = /^ *ref *(?:$|[│|┃/\\] *(?<rest>.*)$)/iu;
/** The lower edge of a tab. */
const TAB_FOOT = /^[─━═_-]{2,}[┘╯╝┛'/+┤|\\]/u;
/** Arrows, and lines that part compartments: a box with any is a frame, or a note that only speaks of them. */
const LINES =
  /[─━═╌┄┈┅╍╴╶╼╾-]{2}|[─━-] [─━-]|-\.-|[─━╌┄┈┅╍-][┐╮┘╯┓┛]|[._~·]{2,} ?[>►▶▷→⇒]|[<◄◀◁←⇐] ?[._~·]{2,}|[→⟶⇒←⟵⇐]{2}/u;

/** Finds and claims them. Nothing that is drawn beside one happens in it, so that it ends, for all others, where it begins. */
export function readReferences(canvas: Canvas, bodyTop: number, columns: ReadonlySet<number>): Frame[] {
  const found: Frame[] = [];
  const budget = { steps: STEPS_MIN + STEPS_PER_CELL * canvas.cells };
  for (let row = bodyTop; row + 2 < canvas.height; row++) {
    const kinds = canvas.kindsOf(row);
    for (let column = 0; column < kinds.length && budget.steps > 0; column++) {
      if (((kinds[column] ?? 0) & KIND.topLeft) === 0 || !mayBegin(canvas, row, column)) continue;
      const reference = referenceAt({ canvas, columns, budget }, row, column);
      if (reference === null) continue;
      found.push(reference.frame);
      column = reference.right;
    }
  }
  return found;
}

/** Whether a box says `ref` and something else, and stands among lifelines: then nobody is called so. */
export const isReference = (canvas: Canvas, { top, lines }: Box): boolean =>
  lines.length > 1 &&
  FIRST_ROW.test(lines[0] ?? '') &&
  canvas.kindsOf(top - 1).some((kinds) => (kinds & KIND.vertical) !== 0);

function mayBegin(canvas: Canvas, top: number, left: number): boolean {
  if (!canvas.isFree(top, left) || !canvas.is(top + 1, left, KIND.vertical)) return false;
  return (
    WORD_IN_BORDER.test(canvas.text(top, left + 1, left + WORD_REACH)) ||
    /^ *ref\b/i.test(canvas.text(top + 1, left + 1, left + WORD_REACH))
  );
}

interface Search {
  readonly canvas: Canvas;
  readonly columns: ReadonlySet<number>;
  readonly budget: { steps: number };
}

function referenceAt(
  search: Search,
  top: number,
  left: number,
): { readonly frame: Frame; readonly right: number } | null {
  const { canvas, columns, budget } = search;
  const { length } = canvas.kindsOf(top);
  for (let right = left + 1, tried = 0; right < length && tried < CORNERS_MAX && budget.steps > 0; right++) {
    budget.steps--;
    if (right - left < WIDTH_MIN || !TOP_RIGHT.has(canvas.at(top, right))) continue;
    if (!canvas.is(top + 1, right, KIND.vertical)) continue;
    tried++;
    const bottom = bottomOf(search, { top, left, right });
    if (bottom === null) continue;
    const extent = { top, bottom, left, right };
    const guard = nameIn(search, extent);
    if (guard === null || guard === '') continue;
    claim(canvas, columns, extent);
    const operands = [{ guard, row: top, column: left }];
    return { frame: { keyword: 'REF', kind: 'ref', top, bottom: top, left, right, operands }, right };
  }
  return null;
}

function bottomOf({ canvas, budget }: Search, { top, left, right }: Omit<Extent, 'bottom'>): number | null {
  const isSide = (row: number, column: number): boolean =>
    canvas.is(row, column, KIND.vertical | KIND.tee) || canvas.at(row, column) === '+';
  for (let row = top + 1; row <= top + ROWS_MAX && row < canvas.height; row++) {
    budget.steps--;
    const isFoot = BOTTOM_LEFT.has(canvas.at(row, left)) && BOTTOM_RIGHT.has(canvas.at(row, right));
    if (isFoot && isBorder(canvas, row, left, right)) return row;
    if (!isSide(row, left) || !isSide(row, right)) return null;
    budget.steps -= (right - left) >> 3;
  }
  return null;
}

function isBorder(canvas: Canvas, row: number, left: number, right: number): boolean {
  for (let column = left + 1; column < right; column++)
    if (!canvas.is(row, column, KIND.border | KIND.vertical)) return false;
  return true;
}

/** What is written in the box, but for the word; null where it does not begin with it, or holds lines. */
function nameIn({ canvas, columns }: Search, { top, bottom, left, right }: Extent): string | null {
  const border = canvas.text(top, left + 1, right - 1);
  const title = TITLE.exec(border)?.groups?.['title'];
  if (title === undefined && !isBorder(canvas, top, left, right)) return null;
  const lines = title === undefined ? [] : [guardOf(title)];
  for (let row = top + 1; row < bottom; row++) {
    const raw = canvas.text(row, left + 1, right - 1);
    if (row === top + 2 && TAB_FOOT.test(raw)) {
      lines.push(textOf(canvas, columns, row, left + 1 + (TAB_FOOT.exec(raw)?.[0].length ?? 0), right - 1));
      continue;
    }
    if (LINES.test(raw)) return null;
    const text = textOf(canvas, columns, row, left + 1, right - 1);
    if (title !== undefined || row > top + 1) {
      lines.push(text);
      continue;
    }
    const first = FIRST_ROW.exec(text);
    if (first === null) return null;
    lines.push(first.groups?.['rest']?.trim() ?? '');
  }
  return lines.filter((line) => line !== '').join(' ');
}

/** `ref Pay`, `ref: Pay`, `ref [Pay]`, `[ref Pay]`. */
const guardOf = (title: string): string =>
  title
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/^ *ref\b\s*:?\s*/i, '')
    .replace(/^\[([^[\]]*)\]$/, '$1')
    .trim();

/** A row without the lifelines that show in it. */
function textOf(canvas: Canvas, columns: ReadonlySet<number>, row: number, from: number, to: number): string {
  let text = '';
  for (let column = from; column <= to; column++)
    text += columns.has(column) && canvas.is(row, column, KIND.vertical) ? ' ' : canvas.at(row, column);
  return text.trim().replace(/\s+/g, ' ');
}

function claim(canvas: Canvas, columns: ReadonlySet<number>, { top, bottom, left, right }: Extent): void {
  for (let row = top; row <= bottom; row++)
    for (let column = left; column <= right; column++)
      if (!columns.has(column) || !VERTICAL.has(canvas.at(row, column))) canvas.claim(row, column, column, 'frame');
}
