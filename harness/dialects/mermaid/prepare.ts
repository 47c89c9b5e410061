import type { Place } from '../../diagram/index.ts';

/**
 * What the lexer reads: the text without front matter, directives and comment lines, which Mermaid cuts out beforehand. Unlike
 * Mermaid (whose line numbers are wrong below any of them) it remembers where every piece came from.
 */
export interface Prepared {
  readonly text: string;
  /** 1-based line and column, in the text as given, of an offset into `text`. */
  readonly place: (offset: number) => Place;
  /** The YAML between the two `---` lines at the very beginning, which starts at line 2. */
  readonly frontMatter: string | null;
}

/** A text made of pieces of another: piece `i` begins at `starts[i]` here and at `origins[i]` there. */
interface Pieced {
  readonly text: string;
  readonly starts: readonly number[];
  readonly origins: readonly number[];
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Stands for the `#` and `;` of an entity code, so that neither ends a text; noncharacters, one unit each: offsets stay. */
export const ENTITY_START = '\uFDD0';
/** See `ENTITY_START`. */
export const ENTITY_END = '\uFDD1';

/** Prepares a text for the lexer as Mermaid does, step by step in its order. */
export function prepare(given: string): Prepared {
  // Line and column of what follows don't change: CRLF and LF end a line in the same place.
  const whole = singleQuoteAttributes(given.replace(/\r\n?/g, '\n'));
  const front = frontMatterOf(whole);
  let pieced: Pieced = { text: whole, starts: [0], origins: [0] };
  pieced = cut(pieced, [{ start: 0, end: front.end }]);
  pieced = cut(pieced, directivesIn(pieced.text));
  pieced = cut(pieced, commentLinesIn(pieced.text));
  const blank = pieced.text.length - pieced.text.trimStart().length;
  pieced = cut(pieced, [{ start: 0, end: blank }]);
  const lineStarts = lineStartsOf(whole);
  return {
    text: `${markEntities(pieced.text)}\n`,
    place: (offset) => placeOf(originOf(pieced, Math.min(offset, pieced.text.length)), lineStarts),
    frontMatter: front.yaml,
  };
}

/** A prepared text as Mermaid looks for its header in it: what directives leave behind may look like one again. */
export const withoutDirectives = (text: string): string =>
  text.includes('%%{') ? cut({ text, starts: [0], origins: [0] }, directivesIn(text)).text : text;

function cut({ text, starts, origins }: Pieced, ranges: readonly Range[]): Pieced {
  const source: Pieced = { text, starts, origins };
  const kept: string[] = [];
  const newStarts: number[] = [];
  const newOrigins: number[] = [];
  let length = 0;
  let piece = 0;
  const keep = (from: number, to: number): void => {
    kept.push(text.slice(from, to));
    // Pieces of the source that lie in what is kept stay pieces of the result.
    while (piece + 1 < starts.length && (starts[piece + 1] ?? 0) <= from) piece += 1;
    newStarts.push(length);
    newOrigins.push((origins[piece] ?? 0) + from - (starts[piece] ?? 0));
    for (let next = piece + 1; next < starts.length && (starts[next] ?? 0) < to; next += 1, piece += 1) {
      newStarts.push(length + (starts[next] ?? 0) - from);
      newOrigins.push(origins[next] ?? 0);
    }
    length += to - from;
  };
  let done = 0;
  for (const { start, end } of ranges) {
    if (end <= start) continue;
    keep(done, start);
    done = end;
  }
  if (done === 0) return source;
  keep(done, text.length);
  return { text: kept.join(''), starts: newStarts, origins: newOrigins };
}

/** The last of several pieces that begin at one offset is the one that is not empty. */
function originOf({ starts, origins }: Pieced, offset: number): number {
  const piece = lastNotAfter(starts, offset);
  return (origins[piece] ?? 0) + offset - (starts[piece] ?? 0);
}

function lastNotAfter(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((sorted[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

function lineStartsOf(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function placeOf(offset: number, lineStarts: readonly number[]): Place {
  const line = lastNotAfter(lineStarts, offset);
  return { line: line + 1, column: offset - (lineStarts[line] ?? 0) + 1 };
}

/** Mermaid turns `x="1"` inside anything that looks like a tag into `x='1'`, also in the middle of a text. */
function singleQuoteAttributes(text: string): string {
  const parts: string[] = [];
  let done = 0;
  const opening = /<\w/g;
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const close = text.indexOf('>', found.index);
    if (close === -1) break;
    const tag = text.slice(found.index, close);
    parts.push(text.slice(done, found.index), tag.replace(/="([^"]*)"/g, "='$1'"));
    done = close;
    opening.lastIndex = close;
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(done);
}

/**
 * Front matter counts only from the very first line, its two rules indented alike; by hand, since a regular expression is
 * quadratic on blank lines.
 */
function frontMatterOf(text: string): { readonly end: number; readonly yaml: string | null } {
  const none = { end: 0, yaml: null };
  const indent = /^[^\S\n]*/.exec(text)?.[0] ?? '';
  if (endOfRule(text, indent.length) === -1) return none;
  const closing = `\n${indent}---`;
  const start = text.indexOf('\n') + 1;
  for (let at = text.indexOf(closing, start); at !== -1; at = text.indexOf(closing, at + 1)) {
    const end = endOfRule(text, at + 1 + indent.length);
    if (end !== -1) return { end, yaml: text.slice(start, at) };
  }
  return none;
}

/** Past the blank lines after a line of just `---` and blanks at `at`; -1 if there is none. */
function endOfRule(text: string, at: number): number {
  const rule = /---\s*/y;
  rule.lastIndex = at;
  const found = rule.exec(text);
  const newline = found === null ? -1 : found[0].lastIndexOf('\n');
  return newline === -1 ? -1 : at + newline + 1;
}

/**
 * `%%{ word … }%%`, also over several lines. A missing `}%%` is no error to Mermaid: one more word, or else the rest of the
 * text, goes with it.
 */
function directivesIn(text: string): readonly Range[] {
  const ranges: Range[] = [];
  const opening = /%%\{\s*\w+(?:\s*:)?\s*/y;
  const word = /\w+\s*/y;
  let at = text.indexOf('%%{');
  while (at !== -1) {
    opening.lastIndex = at;
    const found = opening.exec(text);
    if (found === null) {
      at = text.indexOf('%%{', at + 1);
      continue;
    }
    let end = at + found[0].length;
    word.lastIndex = end;
    const single = word.exec(text);
    end = single === null ? indexOrEnd(text, '}%%', end) : end + single[0].length;
    if (text.startsWith('}%%', end)) end += 3;
    ranges.push({ start: at, end });
    at = text.indexOf('%%{', end);
  }
  return ranges;
}

function indexOrEnd(text: string, sought: string, from: number): number {
  const found = text.indexOf(sought, from);
  return found === -1 ? text.length : found;
}

/** Lines that are only a comment go with the blank lines above them; a bare `%%` stays, the lexer skips it. */
function commentLinesIn(text: string): readonly Range[] {
  const ranges: Range[] = [];
  let blankFrom = 0;
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline + 1;
    const line = text.slice(start, end);
    const content = line.trimStart();
    if (/^%%(?!\{)[^\n]/.test(content)) {
      ranges.push({ start: blankFrom, end });
      blankFrom = end;
    } else if (content !== '') {
      blankFrom = end;
    }
    start = end;
  }
  return ranges;
}

/** Marks the entity codes, after the two accidents by which Mermaid first drops a `;` from what could be a flow chart's style. */
function markEntities(text: string): string {
  if (!text.includes('#')) return text;
  return text
    .split('\n')
    .map((line) => dropStyleSemicolon(dropStyleSemicolon(line, 'style'), 'classDef'))
    .map((line) => line.replace(/#(\w+);/g, `${ENTITY_START}$1${ENTITY_END}`))
    .join('\n');
}

/** The dropped `;` becomes a blank, which is trimmed or separates nothing: offsets must stay. */
function dropStyleSemicolon(line: string, word: string): string {
  const from = line.indexOf(word);
  const last = line.lastIndexOf(';');
  if (from === -1 || last === -1) return line;
  const between = line.slice(from + word.length, last);
  return /:[^\s:#]*#/.test(between) ? `${line.slice(0, last)} ${line.slice(last + 1)}` : line;
}
