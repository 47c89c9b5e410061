/**
 * The Markdown parser takes seconds for a megabyte and minutes for some texts of a few (one endless paragraph, lists within lists).
 * So a document is cut where nothing can go on across the cut, and only stretches that may hold a fence or a heading are parsed.
 */

/** Lines `start` (0-based) up to, not including, `end`. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Shorter stretches are joined: a call of the parser has its own cost. */
export const STRETCH_LENGTH_MIN = 8 * 1024;

const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const FENCE_END = /^ {0,3}(`{3,}|~{3,})\s*$/;
/** HTML that goes on over blank lines, and what ends it. */
const HTML: readonly (readonly [begin: RegExp, end: RegExp])[] = [
  [/^ {0,3}<(?:script|pre|style|textarea)(?:\s|>|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^ {0,3}<!--/, /-->/],
  [/^ {0,3}<\?/, /\?>/],
  [/^ {0,3}<!\[CDATA\[/, /\]\]>/],
  [/^ {0,3}<![a-z]/i, />/],
];

/**
 * Cuts before lines at the margin that follow a blank line: lists and quotes are over there, or begin anew. Not inside what a look at
 * single lines takes for a fence or HTML; where that look errs, the parser finds a fence open at the end (`endsOpen`).
 */
export function stretchesOf(lines: readonly string[], lengthMin: number): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let start = 0;
  let length = 0;
  let fence: string | null = null;
  let htmlEnd: RegExp | null = null;
  let afterBlank = true;
  lines.forEach((line, index) => {
    const outside = fence === null && htmlEnd === null;
    if (outside && afterBlank && /^\S/.test(line) && length >= lengthMin && index > start) {
      stretches.push({ start, end: index });
      start = index;
      length = 0;
    }
    if (fence !== null) {
      if (closes(line, fence)) fence = null;
    } else if (htmlEnd !== null) {
      if (htmlEnd.test(line)) htmlEnd = null;
    } else {
      fence = FENCE.exec(line)?.[1] ?? null;
      const end = HTML.find(([begin]) => begin.test(line))?.[1];
      htmlEnd = end === undefined || end.test(line.replace(/^ {0,3}<!--/, '')) ? null : end;
    }
    afterBlank = line.trim() === '';
    length += line.length + 1;
  });
  stretches.push({ start, end: lines.length });
  return stretches;
}

/** Whether a line ends the fence that `opening` began. */
export function closes(line: string, opening: string): boolean {
  const mark = FENCE_END.exec(line)?.[1];
  return mark?.startsWith(opening) ?? false;
}

/** Whether a stretch can hold a fence or a heading at all. */
export const mayMatter = (text: string): boolean => /```|~~~|#/.test(text) || /^[ \t>]*(?:=+|-+)[ \t]*$/m.test(text);

/** More marks of lists and quotes before the text of one line are refused: the parser's time grows with their cube. */
const NESTING_MAX = 32;

/** The first line, 0-based, that is nested too deeply; -1 if none is. A row of dashes is a rule, not lists in lists. */
export function tooDeepLine(lines: readonly string[]): number {
  return lines.findIndex((line) => {
    const prefix = /^(?:[ \t]|>|[-*+](?=\s)|\d{1,9}[.)](?=\s))*/.exec(line)?.[0] ?? '';
    if (prefix.length <= NESTING_MAX) return false;
    return (prefix.match(/[>)*+.-]/g)?.length ?? 0) > NESTING_MAX && !/^\s*([-*_])(?:\s*\1)+\s*$/.test(line);
  });
}
