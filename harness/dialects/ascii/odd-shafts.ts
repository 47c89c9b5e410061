import type { Row } from './canvas.ts';
import { HEAD_LEFT, HEAD_RIGHT, TEE, VERTICAL } from './glyphs.ts';

/** Dots at half height, which people draw for dashes: `<· · ·`. */
const MIDDLE_DOTS = new Set('·∙•‧⋅');
const HYPHENS = new Set('-─');
/** Dashes of other widths, which text processors make of hyphens. */
const DASHES = new Set('—–‐‑‒−⎯');
/** Heads that are drawn one after the other for a whole arrow: `⟶⟶⟶`. */
const REPEATED = new Set('→⟶⇒⟹➔←⟵⇐⟸');

/** What stands for a dashed and for a solid shaft here: neither a hyphen nor `─`, which say how a drawing is drawn. */
const DASHED = '╌';
const SOLID = '━';
const SHAFT_MIN = 3;
const DOTS_MIN = 2;
const DASHES_MIN = 2;

/** Rows in which shafts that are drawn with signs of other uses, right up to a head, are drawn with lines. */
export function withPlainShafts(rows: readonly Row[]): Row[] {
  return rows.map((row) => (row.glyphs.some(isOdd) ? { ...row, glyphs: redrawn(row.glyphs) } : row));
}

const isOdd = (glyph: string): boolean =>
  glyph === '_' ||
  glyph === '.' ||
  (glyph > '~' && (MIDDLE_DOTS.has(glyph) || REPEATED.has(glyph) || DASHES.has(glyph)));

function redrawn(glyphs: readonly string[]): readonly string[] {
  const result = [...glyphs];
  glyphs.forEach((glyph, column) => {
    const step = HEAD_RIGHT.has(glyph) ? -1 : HEAD_LEFT.has(glyph) ? 1 : 0;
    if (step === 0 || !isEnd(glyphs[column - step])) return;
    const cells = shaftFrom(glyphs, column, step);
    const shaft = cells.map((at) => glyphs[at] ?? ' ');
    const drawn = lineFor(shaft, glyph);
    if (drawn === null) return;
    const other = stubFacing(glyphs, cells, step);
    for (const at of [...cells, ...other]) if (!HYPHENS.has(glyphs[at] ?? ' ')) result[at] = drawn;
  });
  return result;
}

/** The same signs on the other side of a label in the shaft, up to a line: `|··· label ···>`. */
function stubFacing(glyphs: readonly string[], cells: readonly number[], step: 1 | -1): readonly number[] {
  const sign = glyphs[cells.at(-1) ?? -1] ?? '';
  if (!MIDDLE_DOTS.has(sign) && !DASHES.has(sign)) return [];
  let at = (cells.at(-1) ?? 0) + step;
  const isLine = (glyph: string | undefined): boolean => glyph === undefined || VERTICAL.has(glyph) || TEE.has(glyph);
  while (!isLine(glyphs[at])) at += step;
  const stub: number[] = [];
  for (at -= step; glyphs[at] === sign; at -= step) stub.push(at);
  return stub;
}

/** The cells behind a head up to where its shaft ends, gaps left out; none where it ends in a text. */
function shaftFrom(glyphs: readonly string[], head: number, step: 1 | -1): readonly number[] {
  const isCell = (at: number): boolean => {
    const glyph = glyphs[at] ?? ' ';
    return isOdd(glyph) || HYPHENS.has(glyph);
  };
  const cells: number[] = [];
  let at = head + step;
  while (isCell(at) || ((glyphs[at] ?? '') === ' ' && isCell(at + step))) {
    if (isCell(at)) cells.push(at);
    at += step;
  }
  return isEnd(glyphs[at]) ? cells : [];
}

const isEnd = (glyph: string | undefined): boolean =>
  glyph === undefined || glyph === ' ' || VERTICAL.has(glyph) || TEE.has(glyph);

/** The line that is meant, as a glyph; null where this is no shaft, or one that needs no other signs. */
function lineFor(shaft: readonly string[], head: string): string | null {
  const dots = shaft.filter((glyph) => glyph === '.' || MIDDLE_DOTS.has(glyph)).length;
  const hyphens = shaft.filter((glyph) => HYPHENS.has(glyph)).length;
  if (dots >= DOTS_MIN && dots + hyphens === shaft.length) {
    const isMiddle = hyphens === 0 && !shaft.includes('.');
    const isAlternating = Math.abs(dots - hyphens) <= 1 && shaft.every((glyph, index) => glyph !== shaft[index + 1]);
    return isMiddle || isAlternating ? DASHED : null;
  }
  if (shaft.length >= DASHES_MIN && shaft.every((glyph) => DASHES.has(glyph))) return SOLID;
  if (shaft.length < SHAFT_MIN - (REPEATED.has(head) ? 1 : 0)) return null;
  return shaft.every((glyph) => glyph === '_') || (REPEATED.has(head) && shaft.every((glyph) => glyph === head))
    ? SOLID
    : null;
}
