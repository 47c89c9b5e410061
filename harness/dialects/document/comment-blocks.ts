import { commentSignOf, isClearlyDrawn, looksLikeAscii } from '../ascii/index.ts';

/** A drawing in the comments of a source file; both lines are 1-based and belong to it. */
export interface CommentBlock {
  readonly startLine: number;
  readonly text: string;
}

/** A drawing has names, two rows of lines and an arrow at least. */
const LINES_MIN = 4;

/**
 * The drawings in a source file: comment lines one after the other, all with one sign, that look like a drawing or are clearly
 * meant as one. None where the whole text is a comment, which is then read as it stands.
 */
export function drawingsInComments(lines: readonly string[]): readonly CommentBlock[] {
  const blocks: CommentBlock[] = [];
  let start = 0;
  let code = 0;
  for (let index = 0; index <= lines.length; index += 1) {
    const sign = signAt(lines, index);
    if (sign !== null && sign === signAt(lines, start)) continue;
    if (signAt(lines, start) !== null && index - start >= LINES_MIN) {
      const text = lines.slice(start, index).join('\n');
      if (looksLikeAscii(text) || isClearlyDrawn(text)) blocks.push({ startLine: start + 1, text });
    }
    if (sign === null && !/^\s*(?:\/\*+|\*+\/)?\s*$/.test(lines[index] ?? '')) code += 1;
    start = index;
  }
  return code === 0 ? [] : blocks;
}

const signAt = (lines: readonly string[], index: number): string | null => commentSignOf(lines[index] ?? '');
