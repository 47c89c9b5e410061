import type { Caption, Fence } from './markdown.ts';

/** A Mermaid diagram that stands in a document as it is. Both lines are 1-based and belong to it. */
export interface Unfenced {
  readonly startLine: number;
  readonly endLine: number;
}

const HEADER = /^\s*sequenceDiagram\s*;?\s*$/;
const HEADING = /^ {0,3}#{1,6}\s+\S/;
const FILE_NAME = /^[\p{L}\p{N}_./@+-]*[\p{L}\p{N}_)-]\.[a-z][a-z0-9]{0,9}$/iu;
const FILE_NAME_LENGTH_MAX = 200;

/** The name, if a line holds nothing but the name of a file, perhaps emphasised or followed by a colon. */
export function fileNameIn(line: string): string | null {
  if (line.length > FILE_NAME_LENGTH_MAX) return null;
  const name = line.trim().replace(/^[`*_]+|[`*_:]+$/g, '');
  return FILE_NAME.test(name) ? name : null;
}

/**
 * Finds the diagrams without a fence: from a line `sequenceDiagram` to the next heading, file name, fence or such line, blank
 * lines included. By lines, since to Markdown they are paragraphs and indented code in any mixture.
 */
export function unfencedIn(lines: readonly string[], fences: readonly Fence[]): readonly Unfenced[] {
  const found: Unfenced[] = [];
  let start: number | null = null;
  const close = (end: number): void => {
    if (start !== null) found.push({ startLine: start, endLine: end });
    start = null;
  };
  let nextFence = 0;
  for (let number = 1; number <= lines.length; number += 1) {
    const fence = fences[nextFence];
    if (fence?.startLine === number) {
      close(number - 1);
      number = Math.max(number, fence.endLine);
      while ((fences[nextFence]?.startLine ?? Infinity) <= number) nextFence += 1;
      continue;
    }
    const line = lines[number - 1] ?? '';
    if (HEADER.test(line)) {
      close(number - 1);
      start = number;
    } else if (start !== null && (HEADING.test(line) || fileNameIn(line) !== null)) {
      close(number - 1);
    }
  }
  close(lines.length);
  return found;
}

/** Whether a line lies in one of the ranges, in constant time: a document may have as many of either as it has lines. */
export function covers(
  ranges: readonly { readonly startLine: number; readonly endLine: number }[],
  lineCount: number,
): (line: number) => boolean {
  const covered = new Uint8Array(lineCount + 2);
  for (const { startLine, endLine } of ranges) covered.fill(1, startLine, endLine + 1);
  return (line) => covered[line] === 1;
}

/** Lines that are the name of a file and that `taken` leaves free. */
export const fileNameCaptions = (lines: readonly string[], taken: (line: number) => boolean): readonly Caption[] =>
  lines.flatMap((text, index) => {
    const name = taken(index + 1) ? null : fileNameIn(text);
    return name === null ? [] : [{ text: name, line: index + 1 }];
  });
