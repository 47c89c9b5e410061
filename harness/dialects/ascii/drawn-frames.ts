import type { FragmentKind } from '../../diagram/index.ts';
import type { Canvas } from './canvas.ts';
import type { Frame, FrameOperand } from './frames.ts';
import { BOTTOM_LEFT, BOTTOM_RIGHT, HORIZONTAL, isHead, KIND, TEE, TOP_LEFT, VERTICAL } from './glyphs.ts';
import type { Reports } from './reports.ts';

/**
 * Frames that are drawn as a box around lifelines, by hand or by a tool. The keyword stands in the upper border,
 * `┌─[alt ok]───┐`, `┌alt [ok]───┐`, `+-- loop retry --+`, or in the first row inside, `│ alt │ [ok]`. Lines across part the
 * operands; a guard stands in the line, `├┈[no]┈┈┈┤`, or in the row below it.
 */
interface Outline {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
  /** What is written into the upper border. */
  readonly title: string;
  readonly separators: readonly { readonly row: number; readonly text: string }[];
}

/** The words a frame may begin with; what else a person could mean by a frame is not guessed. */
const KEYWORDS: ReadonlyMap<string, FragmentKind> = new Map([
  ['alt', 'alt'],
  ['opt', 'opt'],
  ['loop', 'loop'],
  ['par', 'par'],
  ['par_over', 'par_over'],
  ['critical', 'critical'],
  ['break', 'break'],
  ['rect', 'rect'],
  ['group', 'group'],
  ['ref', 'ref'],
]);

/** Rows in which an arrow may hide the left border before the frame counts as broken. */
const HIDDEN_ROWS_MAX = 3;
const CORNERS_MAX = 8;
/** Cells looked at for each cell of the drawing, and in any; a drawing that needs more is made to be slow. */
const STEPS_PER_CELL = 3;
const STEPS_MIN = 50_000;

const CORNER_TOP_LEFT = new Set([...TOP_LEFT, '╔', '*', '/']);
const CORNER_BOTTOM_LEFT = new Set([...BOTTOM_LEFT, '╚', '*', '\\']);
const CORNER_BOTTOM_RIGHT = new Set([...BOTTOM_RIGHT, '╝', '*', '/']);

const isWall = (glyph: string): boolean => VERTICAL.has(glyph) || glyph === '║';
const isSide = (glyph: string): boolean => isWall(glyph) || TEE.has(glyph) || '+╟╠╢╣'.includes(glyph);
const isBorder = (glyph: string): boolean => HORIZONTAL.has(glyph) || TEE.has(glyph) || '+.'.includes(glyph);

/** What a glyph can be at the left or the right end of a row of a frame, as bits: this is asked more often than all else. */
const [SIDE, BORDER, CORNER_LEFT, CORNER_RIGHT] = [1, 2, 4, 8];
const OTHER_EDGES = ['║', '+', '.', '╟', '╠', '╢', '╣'];

/** A lifeline that shows where a border crosses it: `+--|--`. */
const passesAt = (canvas: Canvas, columns: ReadonlySet<number>, row: number, column: number): boolean =>
  columns.has(column) &&
  VERTICAL.has(canvas.at(row, column)) &&
  isBorder(canvas.at(row, column - 1)) &&
  isBorder(canvas.at(row, column + 1));

const EDGES = new Uint8Array(0x10000);
for (const glyph of [
  ...VERTICAL,
  ...TEE,
  ...HORIZONTAL,
  ...CORNER_BOTTOM_LEFT,
  ...CORNER_BOTTOM_RIGHT,
  ...OTHER_EDGES,
]) {
  const bits = (isSide(glyph) ? SIDE : 0) | (isBorder(glyph) ? BORDER : 0);
  const corners =
    (CORNER_BOTTOM_LEFT.has(glyph) ? CORNER_LEFT : 0) | (CORNER_BOTTOM_RIGHT.has(glyph) ? CORNER_RIGHT : 0);
  EDGES[glyph.charCodeAt(0)] = bits | corners;
}
const edgeOf = (glyph: string): number => (glyph.length === 1 ? (EDGES[glyph.charCodeAt(0)] ?? 0) : 0);

/** Columns of one row at which something stands next: at a column or behind it, and at a column or before it. */
interface RowTable {
  /** Neither border nor blank, nor a lifeline in a border. */
  readonly nextGap: Int16Array;
  readonly lastGap: Int16Array;
  /** No line work; a blank is none. */
  readonly nextText: Int16Array;
  readonly lastText: Int16Array;
  readonly nextInk: Int16Array;
  readonly lastInk: Int16Array;
  /** A wall, or the first of three blanks: no title goes on over it. */
  readonly nextStop: Int16Array;
  /** A lifeline in a border, or the first of two blanks: no dashes go on over it. */
  readonly nextBreak: Int16Array;
}

/** Lines are asked for again and again, between other columns; so each row is looked at once. */
class RowTables {
  readonly #canvas: Canvas;
  readonly #columns: ReadonlySet<number>;
  readonly #rows = new Map<number, RowTable>();

  constructor(canvas: Canvas, columns: ReadonlySet<number>) {
    this.#canvas = canvas;
    this.#columns = columns;
  }

  of(row: number): RowTable {
    const known = this.#rows.get(row);
    if (known !== undefined) return known;
    const table = tableOf(this.#canvas, this.#columns, row);
    this.#rows.set(row, table);
    return table;
  }

  /** First and last cell between two columns, both included, that is a gap; null if there is none. */
  gapsBetween(row: number, from: number, to: number): readonly [number, number] | null {
    const { nextGap, lastGap } = this.of(row);
    const first = nextGap[from] ?? Infinity;
    return first > to || first === nextGap.length - 1 ? null : [first, lastGap[to] ?? first];
  }
}

/** What a cell is to the tables of its row, as bits. */
const [IS_GAP, IS_TEXT, IS_INK, IS_STOP, IS_BREAK] = [1, 2, 4, 8, 16];

function tableOf(canvas: Canvas, columns: ReadonlySet<number>, row: number): RowTable {
  const sorts = sortsOf(canvas, columns, row);
  const next = (sort: number): Int16Array => {
    const found = new Int16Array(sorts.length + 1).fill(sorts.length);
    let at = sorts.length;
    for (let column = sorts.length - 1; column >= 0; column--) {
      if (((sorts[column] ?? 0) & sort) !== 0) at = column;
      found[column] = at;
    }
    return found;
  };
  const last = (sort: number): Int16Array => {
    const found = new Int16Array(sorts.length + 1).fill(-1);
    let at = -1;
    for (let column = 0; column < sorts.length; column++) {
      if (((sorts[column] ?? 0) & sort) !== 0) at = column;
      found[column] = at;
    }
    return found;
  };
  return {
    nextGap: next(IS_GAP),
    lastGap: last(IS_GAP),
    nextText: next(IS_TEXT),
    lastText: last(IS_TEXT),
    nextInk: next(IS_INK),
    lastInk: last(IS_INK),
    nextStop: next(IS_STOP),
    nextBreak: next(IS_BREAK),
  };
}

function sortsOf(canvas: Canvas, columns: ReadonlySet<number>, row: number): Uint8Array {
  const kinds = canvas.kindsOf(row);
  const sorts = new Uint8Array(kinds.length);
  const isBlank = (column: number): boolean => ((kinds[column] ?? KIND.blank) & KIND.blank) !== 0;
  for (let column = 0; column < sorts.length; column++) {
    const kind = kinds[column] ?? KIND.blank;
    if ((kind & KIND.blank) !== 0) {
      const isDouble = isBlank(column + 1);
      sorts[column] = IS_TEXT | (isDouble ? IS_BREAK : 0) | (isDouble && isBlank(column + 2) ? IS_STOP : 0);
    } else if ((kind & KIND.border) !== 0) sorts[column] = IS_INK;
    else if ((kind & KIND.vertical) !== 0 && passesAt(canvas, columns, row, column))
      sorts[column] = IS_INK | IS_BREAK | stopAt(canvas, row, column);
    else sorts[column] = IS_INK | IS_GAP | IS_TEXT | stopAt(canvas, row, column);
  }
  return sorts;
}

const stopAt = (canvas: Canvas, row: number, column: number): number =>
  canvas.is(row, column, KIND.wall) && '│|║'.includes(canvas.at(row, column)) ? IS_STOP : 0;

/** Finds and claims the frames of the body rows; one that is not closed, or does not say what it is, is reported. */
export function readDrawnFrames(
  canvas: Canvas,
  { bodyTop, columns }: { readonly bodyTop: number; readonly columns: ReadonlySet<number> },
  reports: Reports,
): Frame[] {
  const frames: Frame[] = [];
  const search = searchOf(canvas, columns);
  const { budget } = search;
  for (let row = bodyTop; row < canvas.height; row++) {
    const kinds = canvas.kindsOf(row);
    for (let column = 0; column < kinds.length; column++) {
      const isCorner = ((kinds[column] ?? 0) & KIND.frameTopLeft) !== 0;
      if (!canvas.isFree(row, column) || (!isCorner && !lacksCorner(canvas, row, column))) continue;
      // A lifeline may be the side of a frame that says what it is.
      if (columns.has(column) && !beginsWithKeyword(search, row, column)) continue;
      const found =
        outlineAt(search, row, column) ?? openFrameAt(search, row, column) ?? cornerlessFrameAt(search, row, column);
      if (found === null) continue;
      if ('lacks' in found) {
        reports.add('ASC130', { row, from: column, to: found.right }, `this frame has no ${found.lacks}`);
        claimOpenFrame(search, { top: row, left: column, right: found.right });
      } else {
        const frame = toFrame({ canvas, columns, reports }, found);
        if (frame === null) continue;
        if (!isCorner)
          reports.add('ASC154', { row, from: column, to: found.right }, 'this frame has no upper left corner');
        frames.push(frame);
      }
      column = found.right;
    }
  }
  if (budget.steps <= 0) {
    const cells = { row: bodyTop, from: 0, to: 0 };
    reports.add('ASC133', cells, 'there are too many corners here to find the frames among them');
  }
  return frames;
}

// -------------------------------------------------------------------------------------------------------------- outlines

interface Search {
  readonly canvas: Canvas;
  readonly columns: ReadonlySet<number>;
  /** The lifelines from left to right. */
  readonly lifelines: readonly number[];
  readonly tables: RowTables;
  readonly budget: { steps: number };
}

const searchOf = (canvas: Canvas, columns: ReadonlySet<number>): Search => ({
  canvas,
  columns,
  lifelines: [...columns].sort((a, b) => a - b),
  tables: new RowTables(canvas, columns),
  budget: { steps: STEPS_MIN + STEPS_PER_CELL * canvas.cells },
});

/** Where the sides of frames run, before anybody knows the names: such a column is no lifeline, whatever stands above it. */
export interface FrameSides {
  readonly columns: ReadonlySet<number>;
  /** The first row of the uppermost frame; Infinity where there is none. */
  readonly top: number;
}

/** The columns of `maybe` that are the sides of closed frames with a keyword, and no line outside of them. */
export function frameSides(canvas: Canvas, lifelines: ReadonlySet<number>, maybe: ReadonlySet<number>): FrameSides {
  const search = searchOf(canvas, lifelines);
  const sides = new Map<number, { readonly top: number; readonly bottom: number }[]>();
  for (let row = 0; row < canvas.height; row++) {
    for (const left of maybe) {
      if (!CORNER_TOP_LEFT.has(canvas.at(row, left))) continue;
      const found = outlineAt(search, row, left);
      if (found === null || 'lacks' in found || !hasKeyword(search, found)) continue;
      for (const column of [left, found.right]) {
        const known = sides.get(column);
        if (known === undefined) sides.set(column, [found]);
        else known.push(found);
      }
    }
  }
  const own = [...sides].filter(([column, frames]) => {
    const inside = new Uint8Array(canvas.height);
    for (const { top, bottom } of frames) inside.fill(1, top, bottom + 1);
    return inside.every((isInside, row) => isInside === 1 || !VERTICAL.has(canvas.at(row, column)));
  });
  return {
    columns: new Set(own.map(([column]) => column)),
    top: own.reduce((least, [, frames]) => frames.reduce((top, frame) => Math.min(top, frame.top), least), Infinity),
  };
}

/**
 * The first of some rows on which a frame begins that is closed, has a keyword, and is drawn around lifelines: under plain names its
 * upper border looks like one of them. The row behind the last where there is none.
 */
export function frameTop(canvas: Canvas, lifelines: ReadonlySet<number>, from: number, to: number): number {
  const search = searchOf(canvas, lifelines);
  for (let row = from; row < to; row++) {
    const kinds = canvas.kindsOf(row);
    for (let column = 0; column < kinds.length; column++) {
      if (((kinds[column] ?? 0) & KIND.frameTopLeft) === 0 || lifelines.has(column)) continue;
      const found = outlineAt(search, row, column);
      if (found !== null && !('lacks' in found) && hasKeyword(search, found)) return row;
    }
  }
  return to;
}

function hasKeyword(setting: Omit<Setting, 'reports'>, outline: Outline): boolean {
  const text = outline.title === '' ? tabText(setting, outline)?.text : outline.title;
  return KEYWORDS.has(keywordOf(text ?? '')?.word ?? '');
}

function outlineAt(search: Search, top: number, left: number): Outline | OpenFrame | null {
  const { canvas, columns, budget } = search;
  if (!canvas.is(top + 1, left, KIND.wall)) return null;
  const length = canvas.rows[top]?.glyphs.length ?? 0;
  let broken: number | null = null;
  for (let right = left + 1, tried = 0; right < length && tried < CORNERS_MAX && budget.steps > 0; right++) {
    budget.steps--;
    if (!canvas.is(top, right, KIND.frameTopRight) || !canvas.is(top + 1, right, KIND.wall)) continue;
    if (isInWord(canvas, top, right)) continue;
    tried++;
    budget.steps -= (right - left) >> 3;
    const title = right - left < 4 ? null : titleOf(search, top, left, right);
    // Where a lifeline crosses an ASCII border it looks like a corner.
    if (title === null || (columns.has(right) && !endsAtLifeline(search, { top, left, right }))) continue;
    const rest = lowerPart(search, { top, left, right });
    if (rest !== null && (columns.has(left) || columns.has(right))) return { top, left, right, title, ...rest };
    if (rest !== null && holdsLifeline(search, { top, left, right, bottom: rest.bottom }))
      return { top, left, right, title, ...rest };
    if (KEYWORDS.has(keywordOf(title)?.word ?? '')) broken ??= right;
  }
  if (columns.has(left)) return null;
  return broken === null ? null : { lacks: 'lower border', right: broken };
}

/** Whether an upper border with a keyword in it ends at a lifeline, which is its side, and does not only cross it. */
const endsAtLifeline = (search: Search, { top, left, right }: Corner): boolean =>
  beginsWithKeyword(search, top, left) && !isBorder(search.canvas.at(top, right + 1));

/** A frame that says what it is, and of which one side is not drawn. */
interface OpenFrame {
  readonly lacks: `${'lower' | 'left' | 'right'} border` | `upper ${'left' | 'right'} corner`;
  readonly right: number;
}

/** An upper border with a keyword in it, over lifelines, from which only one side goes down. */
function openFrameAt(search: Search, top: number, left: number): OpenFrame | null {
  const { canvas, columns, lifelines, budget } = search;
  if (!canvas.is(top, left + 1, KIND.horizontal) || !beginsWithKeyword(search, top, left)) return null;
  const hasLeft = canvas.is(top + 1, left, KIND.wall);
  const { length } = canvas.kindsOf(top);
  for (let right = left + 1, tried = 0; right < length && tried < CORNERS_MAX && budget.steps > 0; right++) {
    budget.steps--;
    if (!canvas.is(top, right, KIND.frameTopRight) || columns.has(right)) continue;
    tried++;
    if (hasLeft === canvas.is(top + 1, right, KIND.wall)) continue;
    const isAround = countUpTo(lifelines, left) < countUpTo(lifelines, right - 1);
    const title = isAround ? titleOf(search, top, left, right) : null;
    if (title !== null && KEYWORDS.has(keywordOf(title)?.word ?? ''))
      return { lacks: hasLeft ? 'right border' : 'left border', right };
  }
  return null;
}

/** A blank where a border begins, and a wall under it. */
const lacksCorner = (canvas: Canvas, row: number, column: number): boolean =>
  canvas.isBlank(row, column) &&
  canvas.is(row, column + 1, KIND.horizontal) &&
  !canvas.is(row, column - 1, KIND.horizontal) &&
  canvas.is(row + 1, column, KIND.wall);

/** An upper border with a keyword in it, over lifelines, from whose ends both sides go down, one of them without a corner. */
function cornerlessFrameAt(search: Search, top: number, left: number): OpenFrame | null {
  const { canvas, columns, lifelines, budget } = search;
  if (!canvas.is(top + 1, left, KIND.wall) || columns.has(left) || !beginsWithKeyword(search, top, left)) return null;
  let right = left + 1;
  while (!canvas.isBlank(top, right) || !canvas.isBlank(top, right + 1)) right++;
  budget.steps -= right - left;
  const hasCorner = canvas.is(top, right - 1, KIND.frameTopRight);
  if (hasCorner) right--;
  const isAround = countUpTo(lifelines, left) < countUpTo(lifelines, right - 1);
  if (!isAround || columns.has(right) || !canvas.is(top + 1, right, KIND.wall)) return null;
  return { lacks: hasCorner ? 'upper left corner' : 'upper right corner', right };
}

/** Whether the first text in a border may be a keyword: few corners have one, and the others need no search for a second corner. */
function beginsWithKeyword({ canvas, tables }: Search, top: number, left: number): boolean {
  const { nextText, nextInk } = tables.of(top);
  const first = nextInk[nextText[left + 1] ?? canvas.width] ?? canvas.width;
  const word = /^\[? ?([a-z_]+)/i.exec(canvas.text(top, first, first + KEYWORD_LENGTH_MAX))?.[1];
  return KEYWORDS.has(word?.toLowerCase() ?? '');
}
const KEYWORD_LENGTH_MAX = 12;

/** What belongs to an open frame is told once, with the frame: its border, the sides that are there, and the row they end on. */
function claimOpenFrame(search: Search, { top, left, right }: Corner): void {
  const { canvas, columns, tables } = search;
  canvas.claim(top, left, right, 'frame');
  let bottom = top;
  for (const column of [left, right]) {
    for (let row = top + 1, last = top; row < canvas.height && row - last <= HIDDEN_ROWS_MAX; row++) {
      if (!canvas.is(row, column, KIND.wall) || columns.has(column)) continue;
      // What another one above it has claimed, has been gone through.
      if (!canvas.isFree(row, column)) break;
      canvas.claim(row, column, column, 'frame');
      last = row;
      bottom = Math.max(bottom, row);
    }
  }
  const isThrough = (row: number): boolean =>
    canvas.is(row, left + 1, KIND.horizontal) && tables.gapsBetween(row, left + 1, right - 1) === null;
  for (let row = top + 1; row <= bottom; row++) {
    const isAtSide = [left, right].some((column) => canvas.ownerAt(row, column) === 'frame');
    if (isAtSide && canvas.is(row, right - 1, KIND.horizontal) && isThrough(row))
      canvas.claim(row, left, right, 'frame');
  }
  const end = bottom + 1;
  const isFoot = CORNER_BOTTOM_LEFT.has(canvas.at(end, left)) || CORNER_BOTTOM_RIGHT.has(canvas.at(end, right));
  if (isFoot && isThrough(end)) canvas.claim(end, left, right, 'frame');
}

/** A dot between letters, `v1.2`, is no corner, whatever stands under it. */
const isInWord = (canvas: Canvas, row: number, column: number): boolean =>
  canvas.at(row, column) === '.' &&
  /^[\p{L}\p{N}][\p{L}\p{N}]$/u.test(canvas.at(row, column - 1) + canvas.at(row, column + 1));

/** The text in a border, '' where it is drawn through; null where this is no border. */
function titleOf({ canvas, tables }: Search, row: number, left: number, right: number): string | null {
  const { nextGap, nextText, lastText, nextInk, lastInk, nextStop, nextBreak } = tables.of(row);
  const [from, to] = [nextText[left + 1] ?? right, lastText[right - 1] ?? left];
  if (from >= right) return '';
  // Dashes have single blanks between them.
  if ((nextGap[from] ?? right) > to) return (nextBreak[from] ?? right) >= to ? '' : null;
  const [first, last] = [nextInk[from] ?? from, lastInk[to] ?? to];
  const isBracketed = canvas.at(row, first) === '[' && canvas.at(row, last) === ']';
  if (!isBracketed && (nextStop[first] ?? right) <= last) return null;
  const title = canvas.text(row, first, last);
  // A word may begin right at the corner, as in `┌opt [hot]──┐`, and be cut off at the other, as in `┌opt [ho┐`.
  const isFramed = from > left + 1 || /^[a-z_]+ ?(?:\[|$)/.test(title);
  return isFramed && /\p{L}/u.test(title) ? title : null;
}

/** A frame is drawn around lifelines, which show in its rows; in a note they do not. */
function holdsLifeline(
  { canvas, lifelines, budget }: Search,
  { top, bottom, left, right }: Corner & { readonly bottom: number },
): boolean {
  for (let index = countUpTo(lifelines, left); index < lifelines.length; index++) {
    const column = lifelines[index] ?? right;
    if (column >= right) return false;
    for (let row = top + 1; row < bottom; row++) {
      budget.steps--;
      // A lifeline under a bar shows as the edges of the bar.
      const isBar = canvas.is(row, column - 1, KIND.vertical) && canvas.is(row, column + 1, KIND.vertical);
      if (isBar || canvas.is(row, column, KIND.vertical)) return true;
      if (canvas.is(row, column, KIND.tee) && canvas.at(row, column) !== '┴') return true;
    }
  }
  return false;
}

/** How many numbers in ascending order are not above a limit. */
function countUpTo(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? limit) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Corner {
  readonly top: number;
  readonly left: number;
  readonly right: number;
}

function lowerPart(search: Search, { top, left, right }: Corner): Pick<Outline, 'bottom' | 'separators'> | null {
  const { canvas, columns, budget } = search;
  // A lifeline goes on below a frame whose side it is.
  const isOpenBelow = columns.has(left) || columns.has(right);
  const separators: { row: number; text: string }[] = [];
  for (let row = top + 1, hidden = 0; row < canvas.height && hidden <= HIDDEN_ROWS_MAX && budget.steps > 0; row++) {
    budget.steps--;
    const start = edgeOf(canvas.at(row, left));
    const end = edgeOf(canvas.at(row, right));
    const isCorner = (start & CORNER_LEFT) !== 0 && (end & (CORNER_RIGHT | BORDER)) !== 0;
    const text = isCorner || (start & end & SIDE) !== 0 ? lineText(search, row, left, right) : null;
    if (text === '' && isCorner && (isOpenBelow || !goesOnBelow(canvas, row, left, right)))
      return { bottom: row, separators };
    if (text !== null && row > top + 1) separators.push({ row, text });
    hidden = (start & SIDE) !== 0 || isCorner ? 0 : hidden + 1;
  }
  return null;
}

/** In ASCII a corner and a tee are the same sign. */
const goesOnBelow = (canvas: Canvas, row: number, left: number, right: number): boolean =>
  canvas.at(row, left) === '+' && canvas.is(row + 1, left, KIND.wall) && canvas.is(row + 1, right, KIND.wall);

/** The text in a line that runs from one side to the other, '' where there is none; null where no line does. */
function lineText({ canvas, tables, budget }: Search, row: number, left: number, right: number): string | null {
  // A guard may begin right at the side: `├[no]╌╌┤`.
  const begins =
    isLine(canvas, row, left + 1, 1) || (canvas.at(row, left + 1) === '[' && !isWall(canvas.at(row, left)));
  if (!begins || !isLine(canvas, row, right - 1, -1)) return null;
  const range = tables.gapsBetween(row, left + 1, right - 1);
  if (range === null) return '';
  const [from, to] = range;
  budget.steps -= to - from;
  const text = canvas.text(row, from, to);
  return Array.from(text).every((glyph) => isHead(glyph) || isBorder(glyph) || isWall(glyph) || glyph === ' ')
    ? null
    : text;
}

/** A cell of a line, or the gap of a dashed one that goes on in this direction. */
function isLine(canvas: Canvas, row: number, column: number, step: 1 | -1): boolean {
  if (canvas.is(row, column, KIND.horizontal) || canvas.at(row, column) === '.') return true;
  return (
    canvas.isBlank(row, column) &&
    canvas.is(row, column + step, KIND.horizontal) &&
    !canvas.is(row, column + 2 * step, KIND.horizontal)
  );
}

// ---------------------------------------------------------------------------------------------------------------- frames

interface Setting {
  readonly canvas: Canvas;
  readonly columns: ReadonlySet<number>;
  readonly reports: Reports;
}

interface Keyword {
  readonly word: string;
  readonly guard: string;
}

/**
 * `[alt ok]`, `[alt: ok]`, `[alt] ok`, `alt [ok]`, `alt: ok`: the word, and the guard without its brackets; those inside brackets
 * are its own.
 */
function keywordOf(text: string): Keyword | null {
  const bracketed = /^\[ ?(?<word>[a-z_]+)(?:(?:: ?| )(?<guard>.*?))? ?\]$/iu.exec(text)?.groups;
  if (bracketed !== undefined && !/^[^[\]]*\]/.test(bracketed['guard'] ?? ''))
    return { word: (bracketed['word'] ?? '').toLowerCase(), guard: bracketed['guard'] ?? '' };
  const apart = /^\[ ?(?<word>[a-z_]+) ?\] *:? *(?<guard>.*)$/iu.exec(text)?.groups;
  if (apart !== undefined)
    return { word: (apart['word'] ?? '').toLowerCase(), guard: withoutBrackets(apart['guard'] ?? '') };
  const match = /^(?<word>[a-z_]+)\b\s*[:│|┃║]?\s*(?<guard>.*)$/iu.exec(text.trim())?.groups;
  if (match === undefined) return null;
  return { word: (match['word'] ?? '').toLowerCase(), guard: withoutBrackets(match['guard'] ?? '') };
}

/** A guard that is cut off at the border has lost its second bracket. */
const withoutBrackets = (text: string): string => {
  const trimmed = text.trim();
  return trimmed.startsWith('[') && !/\].*\]/.test(trimmed) ? trimmed.replace(/^\[|\]$/g, '').trim() : trimmed;
};

function toFrame(setting: Setting, outline: Outline): Frame | null {
  const { reports } = setting;
  const { top, bottom, left, right, title, separators } = outline;
  const cells = { row: top, from: left, to: right };
  const tab = title === '' ? tabText(setting, outline) : null;
  const keyword = keywordOf(tab?.text ?? title);
  const kind = KEYWORDS.get(keyword?.word ?? '');
  if (keyword === null || kind === undefined) {
    reports.add(
      'ASC132',
      cells,
      keyword === null || !/\p{L}/u.test(title + (tab?.text ?? ''))
        ? 'this frame is drawn around lifelines, but does not say what kind of frame it is'
        : `this frame begins with "${keyword.word}", which is no kind of frame`,
    );
  }
  claimBorders(setting, outline);
  if (tab !== null && kind !== undefined) claimText(setting, tab.row, tab.from, tab.to);
  if (kind === undefined) return null;
  const first: FrameOperand = { guard: keyword?.guard ?? '', row: top, column: tab?.from ?? left };
  const parting = separators.filter((line, index) => !isUnderHeader(setting, outline, line.row, index));
  const drawn = parting.map((line) => operandAt(setting, outline, line));
  const operands = [first, ...[...drawn, ...worded(setting, outline)].sort((a, b) => a.row - b.row)];
  return { keyword: keyword?.word.toUpperCase() ?? '', kind, top, bottom, left, right, operands };
}

/** What begins a compartment, alone on its row, where no line is drawn above it. */
const PARTING_WORD = /^(?:\[?else\b|\[(?:and|option)\b|(?:and|option)(?: *[:[]|$))/i;

/** The compartments that begin with a word on a row of its own, `│ else: bad │`, and no line. */
function worded(setting: Setting, outline: Outline): readonly FrameOperand[] {
  const { canvas, columns } = setting;
  const { top, bottom, left, right, separators } = outline;
  const lines = new Set([top, ...separators.map(({ row }) => row)]);
  const found: FrameOperand[] = [];
  for (let row = top + 2; row < bottom; row++) {
    if (lines.has(row) || lines.has(row - 1)) continue;
    const text = firstText(setting, row, left, right);
    if (text === null || !PARTING_WORD.test(text.text)) continue;
    let isAlone = true;
    for (let column = text.to + 1; column < right; column++)
      isAlone &&= canvas.isBlank(row, column) || (columns.has(column) && canvas.is(row, column, KIND.vertical));
    if (!isAlone) continue;
    claimText(setting, row, text.from, text.to);
    found.push({ guard: guardOf(text.text), row, column: text.from });
  }
  return found;
}

/** A guard without the word in front of it, and without its brackets. */
const guardOf = (text: string): string =>
  withoutBrackets(text.replace(/^\[?(?:else|and|option)\b:?\s*/i, (word) => (word.startsWith('[') ? '[' : ''))).replace(
    /^\[?\]$/,
    '',
  );

/** Whether a line only closes the row of a keyword or a guard above it, `│ else │` between two lines, and no other guard follows. */
function isUnderHeader(setting: Setting, outline: Outline, row: number, index: number): boolean {
  const { top, left, right, separators } = outline;
  const above = index === 0 ? top : (separators[index - 1]?.row ?? top);
  const guardIn = (at: number): boolean => {
    const text = firstText(setting, at, left, right)?.text;
    return (
      text !== undefined && (/^\[|^(?:else|and|option)\b/i.test(text) || KEYWORDS.has(keywordOf(text)?.word ?? ''))
    );
  };
  const isBare = separators[index]?.text === '' && (index === 0 || separators[index - 1]?.text === '');
  return isBare && row === above + 2 && guardIn(above + 1) && !guardIn(row + 1);
}

interface Text {
  readonly row: number;
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The words in the upper left corner: up to three blanks in a row, lifelines and the edge of a tab left out. */
function tabText(setting: Omit<Setting, 'reports'>, { top, bottom, left, right }: Outline): Text | null {
  for (let row = top + 1; row <= Math.min(top + 2, bottom - 1); row++) {
    const found = firstText(setting, row, left, right);
    if (found !== null) return found;
  }
  return null;
}

const TAB_INDENT_MAX = 6;
const TAB_BLANKS_MAX = 5;

function firstText(
  { canvas, columns }: Omit<Setting, 'reports'>,
  row: number,
  left: number,
  right: number,
): Text | null {
  const cellAt = (column: number): string => {
    const glyph = canvas.at(row, column);
    return (columns.has(column) && canvas.is(row, column, KIND.vertical)) || glyph === '' ? ' ' : glyph;
  };
  let from = left + 1;
  while (from < right && from - left <= TAB_INDENT_MAX && cellAt(from) === ' ') from++;
  if (from === right || from - left > TAB_INDENT_MAX) return null;
  let to = from;
  for (let column = from; column < right && column - to <= TAB_BLANKS_MAX; column++) {
    const glyph = cellAt(column);
    if (glyph === ' ') continue;
    // Only the guard itself may stand apart from the keyword.
    if (column - to > 3 && glyph !== '[' && !isWall(glyph)) break;
    to = column;
    if (glyph === ']') break;
  }
  const text = Array.from({ length: to - from + 1 }, (_, index) => cellAt(from + index))
    .join('')
    .replace(/\s+/g, ' ')
    .replace(/\s*[│|┃║]$/, '');
  return /^\W*\p{L}|^\[/u.test(text) ? { row, from, to, text } : null;
}

function operandAt(
  setting: Setting,
  { left, right, bottom }: Outline,
  line: { readonly row: number; readonly text: string },
): FrameOperand {
  // A tool that draws guards in brackets draws them as they are; people write `else` in front.
  const raw = /^\[(.*)\]$/.exec(line.text.trim())?.[1];
  if (raw !== undefined && setting.canvas.at(line.row, left + 1) === '┈') {
    return { guard: raw, row: line.row, column: left };
  }
  if (line.text !== '') return { guard: guardOf(line.text.trim()), row: line.row, column: left };
  const below = line.row + 1 < bottom ? firstText(setting, line.row + 1, left, right) : null;
  const isGuard = below !== null && /^\[|^(?:else|and|option)\b/i.test(below.text);
  if (!isGuard) return { guard: '', row: line.row, column: left };
  claimText(setting, below.row, below.from, below.to);
  return { guard: guardOf(below.text), row: line.row, column: below.from };
}

const claimText = ({ canvas, columns }: Setting, row: number, from: number, to: number): void => {
  for (let column = from; column <= to; column++) {
    if (!columns.has(column) || !VERTICAL.has(canvas.at(row, column))) canvas.claim(row, column, column, 'frame');
  }
};

function claimBorders({ canvas, columns }: Setting, { top, bottom, left, right, separators }: Outline): void {
  for (const row of [top, bottom, ...separators.map((line) => line.row)]) canvas.claim(row, left, right, 'frame');
  for (let row = top + 1; row < bottom; row++) {
    for (const column of [left, right]) {
      if (isSide(canvas.at(row, column)) && !columns.has(column)) canvas.claim(row, column, column, 'frame');
    }
  }
  claimTabFoot(canvas, { top, left, right });
}

/** The lower edge of a tab: a line from the left side that ends in a corner before the right one. */
function claimTabFoot(canvas: Canvas, { top, left, right }: Corner): void {
  for (let row = top + 2; row <= top + 3; row++) {
    const foot = /^[├│|+╟║┣]?[─━═_-]{2,}(?:[┼┴][─━═_-]*)?[┘╯╝┛'/+┤|\\]/u.exec(canvas.text(row, left, right - 1));
    if (foot === null) continue;
    canvas.claim(row, left, left + foot[0].length - 1, 'frame');
    return;
  }
}
