import { displayWidth, expandTabs, printable } from './display-width.ts';
import type { Diagnostic, Severity } from './types.ts';

/** Longest source line that a frame shows whole; of a longer one, a window around the place. In columns. */
const FRAME_COLUMNS = 120;
const DIAGNOSTICS_MAX = 20;

/**
 * One diagnostic for a terminal: `file:line:col CODE message`, the source line with a caret where the text is given, and
 * the hint. A warning says that it is one; an error, the usual case, does not.
 */
export function renderDiagnostic(diagnostic: Diagnostic, sourceText?: string): string {
  const lines = [headLine(diagnostic)];
  if (sourceText !== undefined) lines.push(...codeFrame(diagnostic, sourceText));
  if (diagnostic.hint !== '') lines.push(`hint: ${printable(diagnostic.hint)}`);
  return lines.join('\n');
}

/**
 * Many diagnostics, sorted by place, separated by a blank line; `sources` maps a file to its text. After `limit` of them
 * (default 20) it says how many more there are: the first few are what an author can act on.
 */
export function renderDiagnostics(
  diagnostics: readonly Diagnostic[],
  sources: ReadonlyMap<string, string> = new Map(),
  limit = DIAGNOSTICS_MAX,
): string {
  const sorted = sortDiagnostics(diagnostics);
  const shown = sorted.slice(0, limit).map((diagnostic) => renderDiagnostic(diagnostic, sources.get(diagnostic.file)));
  if (sorted.length > limit) shown.push(`and ${sorted.length - limit} more`);
  return shown.join('\n\n');
}

/** By file, line, column, then severity and code: the same findings always print the same way. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return [...diagnostics].sort(
    (a, b) =>
      compare(a.file, b.file) ||
      a.line - b.line ||
      a.column - b.column ||
      SEVERITY_RANK[a.severity] - SEVERITY_RANK[b.severity] ||
      compare(a.code, b.code),
  );
}

const SEVERITY_RANK: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };

// Not localeCompare: the order must not depend on the machine.
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function headLine({ file, line, column, code, severity, message }: Diagnostic): string {
  const said = severity === 'error' ? message : `${severity}: ${message}`;
  return `${printable(file)}:${line}:${column} ${code} ${printable(said)}`;
}

function codeFrame(diagnostic: Diagnostic, sourceText: string): readonly string[] {
  const bounds = boundsOfLine(sourceText, diagnostic.line);
  if (bounds === undefined) return [];
  const part = partAround(sourceText, bounds, bounds[0] + diagnostic.column - 1);
  const line = sourceText.slice(...part).replace(/\r$/, '');
  const shift = part[0] - bounds[0];
  const start = Math.min(Math.max(diagnostic.column - 1 - shift, 0), line.length);
  const wanted = (diagnostic.endColumn ?? diagnostic.column + 1) - 1 - shift;
  const end = Math.max(start, Math.min(wanted, line.length));
  const before = columnsUpTo(line, start);
  const marked = Math.max(1, columnsUpTo(line, end) - before);
  const cut = { before: part[0] > bounds[0], after: part[1] < bounds[1] };
  const [text, hidden] = windowAround(shownLine(line), before, cut);
  const gutter = String(diagnostic.line);
  const caret = ' '.repeat(Math.max(0, before - hidden)) + '^'.repeat(Math.min(marked, FRAME_COLUMNS));
  return [` ${gutter} | ${text}`.trimEnd(), ` ${' '.repeat(gutter.length)} | ${caret}`];
}

type Bounds = readonly [start: number, end: number];

/** The text of a 1-based line, found without splitting a file that may have a million of them. */
function boundsOfLine(sourceText: string, line: number): Bounds | undefined {
  let from = 0;
  for (let current = 1; current < line; current++) {
    const newline = sourceText.indexOf('\n', from);
    if (newline < 0) return undefined;
    from = newline + 1;
  }
  const newline = sourceText.indexOf('\n', from);
  return [from, newline < 0 ? sourceText.length : newline];
}

/** More than a window holds, whatever the characters: a line may have millions, and each is looked at. */
const PART_MAX = 4_000;

/** The part of a line that is looked at: all of it, or what stands around a place, cut between whole characters. */
function partAround(text: string, [start, end]: Bounds, place: number): Bounds {
  if (end - start <= PART_MAX) return [start, end];
  const from = Math.max(start, Math.min(place, end) - PART_MAX / 2);
  const to = Math.min(end, from + PART_MAX);
  const isLow = (at: number): boolean => /[\udc00-\udfff]/.test(text.charAt(at));
  return [from > start && isLow(from) ? from + 1 : from, to < end && isLow(to) ? to - 1 : to];
}

const shownLine = (line: string): string => printable(expandTabs(line));

const columnsUpTo = (line: string, offset: number): number => displayWidth(shownLine(line.slice(0, offset)));

/** The part of a long line around a column, and by how many columns it was shifted to the left. */
function windowAround(
  text: string,
  column: number,
  cut: { readonly before: boolean; readonly after: boolean },
): readonly [string, number] {
  if (displayWidth(text) <= FRAME_COLUMNS && !cut.before && !cut.after) return [text, 0];
  const from = Math.max(0, column - FRAME_COLUMNS / 2);
  const isCutBefore = from > 0 || cut.before;
  let out = isCutBefore ? '…' : '';
  let columns = 0;
  let firstShown: number | null = null;
  for (const character of text) {
    if (columns >= from && columns < from + FRAME_COLUMNS) {
      firstShown ??= columns;
      out += character;
    }
    columns += displayWidth(character);
  }
  if (columns > from + FRAME_COLUMNS || cut.after) out += '…';
  return [out, (firstShown ?? 0) - (isCutBefore ? 1 : 0)];
}
