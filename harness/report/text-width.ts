import { displayWidth } from '../diagnostics/index.ts';

/**
 * How wide a text is drawn, in pixels, without a browser to ask. Widths of the printable ASCII characters in thousandths of the
 * font size, after Helvetica's metrics; other characters by their terminal columns. System fonts differ by some
 * percent, so the sum is widened: a label may leave a little room, but it must not run into its neighbour.
 */
const WIDENED = 1.12;
const ASCII_WIDTHS: readonly number[] = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
  556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
  722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
  556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
  260, 334, 584,
];
const FIRST_PRINTABLE = 0x20;

export function textWidth(text: string, fontSize: number): number {
  let thousandths = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    thousandths += ASCII_WIDTHS[code - FIRST_PRINTABLE] ?? displayWidth(character) * 560;
  }
  return (thousandths * fontSize * WIDENED) / 1000;
}

/**
 * Breaks a text into lines of at most so many pixels: at blanks, else after a slash or another separator, else anywhere. What
 * does not fit into `linesMax` lines ends in `…`.
 */
export function wrapText(text: string, fontSize: number, widthMax: number, linesMax: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const piece of piecesOf(text, fontSize, widthMax)) {
    if (textWidth((line + piece).trimEnd(), fontSize) <= widthMax || line === '') {
      line += piece;
      continue;
    }
    lines.push(line.trim());
    if (lines.length >= linesMax) return [...lines.slice(0, -1), `${lines.at(-1) ?? ''}…`];
    line = piece;
  }
  return line.trim() === '' ? lines : [...lines, line.trim()];
}

/** Longest text that is laid out: what lies behind it could not be shown in any case. */
const CHARACTERS_MAX = 2_000;

function* piecesOf(text: string, fontSize: number, widthMax: number): Generator<string> {
  for (const [word] of text.slice(0, CHARACTERS_MAX).matchAll(/\S+\s*|\s+/g)) {
    if (textWidth(word.trimEnd(), fontSize) <= widthMax) {
      yield word;
      continue;
    }
    for (const [part] of word.matchAll(/[^/?&=.,:;_-]*[/?&=.,:;_-]?\s*/g)) yield* slices(part, fontSize, widthMax);
  }
}

function* slices(part: string, fontSize: number, widthMax: number): Generator<string> {
  let slice = '';
  for (const character of part) {
    if (slice !== '' && textWidth((slice + character).trimEnd(), fontSize) > widthMax) {
      yield slice;
      slice = '';
    }
    slice += character;
  }
  if (slice !== '') yield slice;
}
