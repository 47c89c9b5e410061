import { Canvas, type Row } from './canvas.ts';
import { codePointWidth, graphemeWidth } from './display-width.ts';
import { isStem, VERTICAL } from './glyphs.ts';
import { withPlainShafts } from './odd-shafts.ts';
import { withPlainFrames } from './sign-frames.ts';

/** Larger drawings are refused: no hand and no tool draws them, and time stays bounded. */
export const LINES_MAX = 10_000;
export const COLUMNS_MAX = 4_000;
export const CHARACTERS_MAX = 2_000_000;
const TAB_WIDTH = 8;

/** The drawing as cells, and how many columns the first row was moved because its indent was cut off. */
export interface Cells {
  readonly canvas: Canvas;
  readonly firstRow: number;
  readonly firstRowShift: number;
}

/**
 * Larger drawings are not remembered. One is held at most, and no weak reference: those hold what they refer to until the running
 * job ends, so that all drawings of one job would stay.
 */
export const REMEMBERED_MAX = 200_000;

/** The last text and its cells: whoever asks whether it is a drawing has it read next. */
let last: { readonly text: string; readonly cells: Cells } | null = null;

/** Text to a grid of cells, none of them claimed, or the reason why it is too large. */
export function toCells(text: string): Cells | { readonly tooLarge: string; readonly line: number } {
  if (last?.text === text) return { ...last.cells, canvas: last.cells.canvas.unclaimed() };
  const cells = gridOf(text);
  if ('tooLarge' in cells) return cells;
  last = cells.canvas.cells > REMEMBERED_MAX ? null : { text, cells };
  return cells;
}

function gridOf(text: string): Cells | { readonly tooLarge: string; readonly line: number } {
  if (text.length > CHARACTERS_MAX) return { tooLarge: `${text.length} characters`, line: 1 };
  const lines = withoutPageBreaks(text.split(/\r\n|\n|\r/));
  if (lines.length > LINES_MAX) return { tooLarge: `${lines.length} lines`, line: LINES_MAX };
  const wide = lines.findIndex((line) => line.length > COLUMNS_MAX);
  if (wide >= 0) return { tooLarge: `a line of ${lines[wide]?.length ?? 0} characters`, line: wide + 1 };
  const tabbed = lines.findIndex((line) => columnsIn(line) > COLUMNS_MAX);
  if (tabbed >= 0) return { tooLarge: `a line of ${columnsIn(lines[tabbed] ?? '')} columns`, line: tabbed + 1 };
  const columns = lines.reduce((sum, line) => sum + columnsIn(line), 0);
  if (columns > CHARACTERS_MAX) return { tooLarge: `${columns} cells`, line: 1 };
  const rows = withPlainShafts(withPlainFrames(withColonLines(layOut(lines, commentPrefix(lines)))));
  const firstRow = rows.findIndex((row) => row.glyphs.some((glyph) => glyph !== ' '));
  const shift = firstRow < 0 ? 0 : lostIndent(rows, firstRow);
  const first = rows[firstRow];
  if (shift > 0 && first !== undefined) rows[firstRow] = indented(first, shift);
  return { canvas: new Canvas(rows), firstRow, firstRowShift: shift };
}

/** The columns of a line with its tabs expanded; a character counts as one. */
function columnsIn(line: string): number {
  if (!line.includes('\t')) return line.length;
  return line.split('\t').reduce((sum, part, index) => {
    const start = index === 0 ? 0 : TAB_WIDTH * (Math.floor(sum / TAB_WIDTH) + 1);
    return start + part.length;
  }, 0);
}

/** The last line of a page of an RFC, and the first one of the next. */
const PAGE_FOOT = /^\S.*\[Page \d+\]\s*$/;
const PAGE_HEAD = /^\f?(?:RFC \d+|Internet-Draft)\s.*\s\p{L}+ \d{4}\s*$/u;
/** Lines between the two. */
const PAGE_BREAK_LINES = 3;

/** Texts in pages have running lines in the middle of a drawing; they are blank here, so that all places stay. */
function withoutPageBreaks(lines: readonly string[]): readonly string[] {
  let foot = -Infinity;
  return lines.map((line, index) => {
    if (PAGE_FOOT.test(line)) {
      foot = index;
      return '';
    }
    return index - foot <= PAGE_BREAK_LINES && PAGE_HEAD.test(line) ? '' : line;
  });
}

// ---------------------------------------------------------------------------------------------------- comment prefixes

const PREFIX = /^[ \t]*(\/{2,3}!?|\*|#|;{1,3}|>(?: ?>)*|--|%{1,2})(?=[ \t]|$)/;
/** Lines that only open or close a comment, a string, a fence or a tag around the drawing; a tag or a fence may stand in a comment. */
const COMMENT_END =
  /^[ \t]*(?:\/\*[*!]?|\*{1,2}\/|<!--|-->|"""|'''|(?:(?:\*|\/{2,3}!?|#|;{1,3})[ \t]+)?(?:```[a-z]*|<\/?(?:pre|code|tt|blockquote)>|\{@code|\}))[ \t]*$/;
const PREFIX_SHARE = 0.9;
const PREFIXED_MIN = 3;

/** The sign that makes a line a comment, in whatever language; null if there is none. */
export const commentSignOf = (line: string): string | null => PREFIX.exec(line)?.[1] ?? null;

/** The comment sign that nearly every row starts with, so that drawings in source comments can be read as they are. */
function commentPrefix(lines: readonly string[]): string | null {
  const signs = new Map<string, number>();
  let inked = 0;
  for (const line of lines) {
    if (line.trim() === '' || COMMENT_END.test(line)) continue;
    inked++;
    const sign = PREFIX.exec(line)?.[1];
    if (sign !== undefined) signs.set(sign, (signs.get(sign) ?? 0) + 1);
  }
  const [sign, count] = [...signs].sort((a, b) => b[1] - a[1])[0] ?? ['', 0];
  // Of a few lines one may have lost it.
  const isNearlyAll = count >= inked * PREFIX_SHARE || (count >= PREFIXED_MIN && count >= inked - 1);
  return count >= 2 && isNearlyAll ? sign : null;
}

// -------------------------------------------------------------------------------------------------------- width models

/**
 * How a tool that drew a row counted columns. `display`: what terminals show; `code-points`: PlantUML up to 2026.1, a
 * combining mark takes a column of its own; `utf16`: String.length.
 */
type WidthModel = 'display' | 'code-points' | 'utf16';
const MODELS: readonly WidthModel[] = ['display', 'code-points', 'utf16'];
/** Of two models that agree the first would win. */
const SIMPLE_MODELS: readonly WidthModel[] = ['code-points', 'utf16'];
/** Signs that stand for themselves, one code point each: most of what is written in Chinese, Japanese and Korean. */
const isSimple = (line: string): boolean =>
  /^[\t\u0020-\u02ff\u2010-\u2027\u2190-\u2319\u2400-\u25fc\u3001-\u3029\u3041-\u3096\u30a0-\u30ff\u4e00-\u9fff\uac00-\ud7a3]*$/.test(
    line,
  );
const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Rows on whose columns all width models agree lay down the columns; each other row takes the model that fits them best. */
function layOut(lines: readonly string[], prefix: string | null): Row[] {
  const plain = lines.map((line) => (hasOneWidth(line) ? layOutRow(line, 'code-points', prefix) : null));
  const heights = new Map<number, number>();
  for (const row of plain) {
    row?.glyphs.forEach((glyph, column) => {
      if (VERTICAL.has(glyph) || glyph === '║') heights.set(column, (heights.get(column) ?? 0) + 1);
    });
  }
  const above = nearestPlain(plain);
  const below = nearestPlain(plain.toReversed()).reverse();
  return lines.map((line, index) => {
    const row = plain[index];
    if (row !== null && row !== undefined) return row;
    const [over, under] = [above[index]?.glyphs ?? [], below[index]?.glyphs ?? []];
    const meets = (glyphs: readonly string[], column: number): number => (isUpright(glyphs[column] ?? ' ') ? 2 : 0);
    return bestFit(
      line,
      prefix,
      (column) => meets(over, column) + meets(under, column) + ((heights.get(column) ?? 0) >= 2 ? 1 : 0),
    );
  });
}

/** For each row the nearest row before it that has one width only. */
function nearestPlain(rows: readonly (Row | null)[]): (Row | null)[] {
  let last: Row | null = null;
  return rows.map((row) => {
    const before = last;
    if (row !== null) last = row;
    return before;
  });
}

const hasOneWidth = (line: string): boolean => /^[\u0000-\u02ff\u2010-\u2027\u2190-\u2319\u2400-\u25fc]*$/.test(line);

/** A line that runs down, or the corner of a box. */
const isUpright = (glyph: string): boolean => isStem(glyph) || ",.`'".includes(glyph);

function bestFit(line: string, prefix: string | null, support: (column: number) => number): Row {
  let best: Row = { glyphs: [], offsets: [] };
  let bestScore = -1;
  for (const model of isSimple(line) ? SIMPLE_MODELS : MODELS) {
    const row = layOutRow(line, model, prefix);
    const score = row.glyphs.reduce((sum, glyph, column) => (isStem(glyph) ? sum + support(column) : sum), 0);
    if (score > bestScore) [best, bestScore] = [row, score];
  }
  return best;
}

function layOutRow(line: string, model: WidthModel, prefix: string | null): Row {
  const glyphs: string[] = [];
  const offsets: number[] = [];
  const skipped = skippedLength(line, prefix);
  let offset = 0;
  for (const glyph of model === 'display' ? graphemesOf(line) : line) {
    if (glyph === '\t') {
      do {
        glyphs.push(' ');
        offsets.push(offset);
      } while (glyphs.length % TAB_WIDTH !== 0);
    } else {
      glyphs.push(offset < skipped || isUnseen(glyph) ? ' ' : glyph);
      offsets.push(offset);
      for (let extra = columnsOf(glyph, model); extra > 1; extra--) {
        glyphs.push('');
        offsets.push(offset);
      }
    }
    offset += glyph.length;
  }
  offsets.push(line.length);
  return { glyphs, offsets };
}

/** What takes a column, and shows nothing: most glyphs are plain signs, for which the first comparison says it. */
const isUnseen = (glyph: string): boolean =>
  glyph.length === 1 && (glyph < '!' || glyph > '~') && /^[\s\p{Cc}\ufeff]$/u.test(glyph);

const skippedLength = (line: string, prefix: string | null): number => {
  if (COMMENT_END.test(line)) return line.length;
  const match = prefix === null ? null : PREFIX.exec(line);
  return match?.[1] === prefix ? match[0].length : 0;
};

const graphemesOf = (line: string): readonly string[] => Array.from(segmenter.segment(line), ({ segment }) => segment);

function columnsOf(glyph: string, model: WidthModel): number {
  if (model === 'utf16') return glyph.length;
  return model === 'display' ? graphemeWidth(glyph) : codePointWidth(glyph.codePointAt(0) ?? 0x20);
}

// ----------------------------------------------------------------------------------------------------- lines of colons

const COLON_ROWS_MIN = 3;
const COLON_SHARE = 0.4;

/** Where no line runs down, columns of colons do: they are lines then, and stay colons everywhere else. */
function withColonLines(rows: Row[]): Row[] {
  const counts = new Map<number, number>();
  let inked = 0;
  for (const { glyphs } of rows) {
    if (glyphs.some((glyph) => VERTICAL.has(glyph))) return rows;
    if (glyphs.some((glyph) => glyph !== ' ')) inked++;
    glyphs.forEach((glyph, column) => {
      if (glyph === ':') counts.set(column, (counts.get(column) ?? 0) + 1);
    });
  }
  const isLine = (column: number): boolean =>
    (counts.get(column) ?? 0) >= Math.max(COLON_ROWS_MIN, inked * COLON_SHARE);
  if ([...counts.keys()].filter(isLine).length < 2) return rows;
  return rows.map(({ glyphs, offsets }) => ({
    glyphs: glyphs.map((glyph, column) => (glyph === ':' && isLine(column) ? '|' : glyph)),
    offsets,
  }));
}

// ----------------------------------------------------------------------------------------------------------- first row

/**
 * Text that went through a trim() has lost the indent of its first row only, so its columns cannot be trusted (seed 000).
 * The indent is found again where all its line ends and names meet the row below; 0 where it fits as it stands.
 */
function lostIndent(rows: readonly Row[], firstRow: number): number {
  const first = rows[firstRow]?.glyphs ?? [];
  const below = rows[firstRow + 1]?.glyphs ?? [];
  if (first[0] === ' ' || first[0] === undefined) return 0;
  const anchors = anchorsOf(first, below);
  if (anchors.length === 0) return 0;
  const meets = (shift: number): boolean =>
    anchors.every(([from, to]) => {
      for (let column = from + shift; column <= to + shift; column++) if (carries(below[column] ?? ' ')) return true;
      return false;
    });
  if (meets(0)) return 0;
  const fits: number[] = [];
  for (let shift = 1; shift <= below.length; shift++) if (meets(shift)) fits.push(shift);
  // Tools pad all rows to one width; that settles which of several places is meant.
  return fits.find((shift) => first.length + shift === below.length) ?? fits[0] ?? 0;
}

/** What may stand under a line end: a line that goes on, or the lower corner of an icon's head. */
const carries = (glyph: string): boolean => isStem(glyph) || glyph === '`' || glyph === "'";

/** Line ends of a drawn row, as columns; for a row of names, the words, provided that each has a lifeline below. */
function anchorsOf(first: readonly string[], below: readonly string[]): [number, number][] {
  const ends = first.flatMap((glyph, column): [number, number][] =>
    isStem(glyph) || ((glyph === ',' || glyph === '.') && isRun(first, column)) ? [[column, column]] : [],
  );
  if (ends.length > 0) return ends;
  const words: [number, number][] = [];
  for (let column = 0; column < first.length; column++) {
    if (first[column] === ' ') continue;
    const last = words.at(-1);
    if (last !== undefined && column - last[1] <= 2) last[1] = column;
    else words.push([column, column]);
  }
  const stems = below.filter((glyph) => VERTICAL.has(glyph)).length;
  return words.length >= 2 && words.length === stems ? words : [];
}

/** A comma or a dot is a corner only beside a line. */
const isRun = (glyphs: readonly string[], column: number): boolean =>
  glyphs[column + 1] === '-' || glyphs[column - 1] === '-';

const indented = (row: Row, shift: number): Row => ({
  glyphs: [...Array<string>(shift).fill(' '), ...row.glyphs],
  offsets: [...Array<number>(shift).fill(0), ...row.offsets],
});
