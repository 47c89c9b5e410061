import type { Row } from './canvas.ts';

/** Signs of which people draw whole frames, and nothing else is drawn with: `*** loop ****`. */
const SIGNS = ['*', '#'];
/** Rows of such a frame at most, and cells of the border behind its title at least. */
const ROWS_MAX = 400;
const BORDER_MIN = 4;

/** The rows with frames of stars and number signs drawn as they are in ASCII, with `+`, `-` and `|`. */
export function withPlainFrames(rows: readonly Row[]): Row[] {
  if (!rows.some(({ glyphs }) => SIGNS.some((sign) => borderOf(glyphs, sign) !== null))) return [...rows];
  const result = rows.map(({ glyphs, offsets }) => ({ glyphs: [...glyphs], offsets }));
  for (const sign of SIGNS) {
    // Asked for again and again, so each row is looked at once.
    const isPlain = rows.map(
      ({ glyphs }) => glyphs.includes(sign) && glyphs.every((one) => one === sign || one === ' '),
    );
    for (const [top, { glyphs }] of rows.entries()) {
      const span = borderOf(glyphs, sign);
      if (span === null || !/[a-z]/i.test(glyphs.slice(span.left, span.right).join(''))) continue;
      const bottom = lastRow({ rows, isPlain }, top, span, sign);
      if (bottom !== null) redraw(result, { ...span, top, bottom }, sign);
    }
  }
  return result;
}

interface Span {
  readonly left: number;
  readonly right: number;
}

/** From where to where a row is a border: nothing but one, with a title in it perhaps; null where it is none. */
function borderOf(glyphs: readonly string[], sign: string): Span | null {
  const left = glyphs.findIndex((glyph) => glyph !== ' ');
  if (left < 0 || glyphs[left] !== sign || glyphs[left + 1] !== sign) return null;
  const right = glyphs.findLastIndex((glyph) => glyph !== ' ');
  let first = right;
  while (glyphs[first] === sign) first--;
  return right - first < BORDER_MIN ? null : { left, right };
}

/** The row below with nothing but the sign between the same columns, if both sides go down to it. */
function lastRow(
  { rows, isPlain }: { readonly rows: readonly Row[]; readonly isPlain: readonly boolean[] },
  top: number,
  { left, right }: Span,
  sign: string,
): number | null {
  for (let row = top + 1; row <= top + ROWS_MAX; row++) {
    const glyphs = rows[row]?.glyphs ?? [];
    if (glyphs[left] !== sign || glyphs[right] !== sign) return null;
    if (isPlain[row] === true) return row > top + 1 ? row : null;
  }
  return null;
}

function redraw(
  rows: readonly { readonly glyphs: string[] }[],
  { left, right, top, bottom }: Span & { readonly top: number; readonly bottom: number },
  sign: string,
): void {
  for (let row = top; row <= bottom; row++) {
    const glyphs = rows[row]?.glyphs;
    if (glyphs === undefined) continue;
    const isBorder = row === top || row === bottom || borderOf(glyphs, sign) !== null;
    for (let column = left; isBorder && column <= right; column++) if (glyphs[column] === sign) glyphs[column] = '-';
    for (const column of [left, right]) glyphs[column] = isBorder ? '+' : '|';
  }
}
