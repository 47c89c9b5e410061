import { editDistance } from '../diagnostics/index.ts';

/** Where a line of a drawn text ends, by itself or by a `<br/>`, is a blank to whoever compares texts. */
export const onOneLine = (text: string): string => text.replace(/<br\s*\/?>|\r?\n/giu, ' ');

/** Names of participants are equal when they differ only in case, blanks, `-` and `_`: `API Server` = `api-server`. */
export const foldName = (name: string): string =>
  onOneLine(name)
    .replace(/[\s_-]+/gu, '')
    .toLowerCase();

/** Labels are equal when they differ only in case and in how their words are spaced. */
export const foldLabel = (label: string): string => onOneLine(label).trim().replace(/\s+/gu, ' ').toLowerCase();

const WORD = /[\p{L}\p{N}_]/u;

/** Whether `label` begins with `prefix` and a word ends there: `Watch Pods with` begins no `Watch Pods without`. Both folded. */
export function beginsAtWord(label: string, prefix: string): boolean {
  if (prefix === '' || !label.startsWith(prefix)) return false;
  const next = label.charAt(prefix.length);
  return next === '' || !WORD.test(next) || !WORD.test(prefix.charAt(prefix.length - 1));
}

/** Longer texts are not compared letter by letter: a suggestion is a courtesy, not worth a second of work. */
const COMPARED_MAX = 80;

/** The candidate that was probably meant, or undefined where none is close. */
export function closest(name: string, candidates: readonly string[]): string | undefined {
  const wanted = foldLabel(name).slice(0, COMPARED_MAX);
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates.slice(0, 1_000)) {
    const folded = foldLabel(candidate).slice(0, COMPARED_MAX);
    const distance = editDistance(wanted, folded.length > wanted.length * 2 ? folded.slice(0, wanted.length) : folded);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** The candidate that a name was probably mistyped from: at most one letter in three differs, which rules out short names. */
export function mistypedFrom(name: string, candidates: readonly string[]): string | undefined {
  const near = closest(name, candidates);
  if (near === undefined || near.length > COMPARED_MAX) return undefined;
  return editDistance(foldLabel(name).slice(0, COMPARED_MAX), foldLabel(near)) * 3 <= name.length ? near : undefined;
}

/** A hint that names the nearest candidate, or else lists a few. */
export function suggest(name: string, candidates: readonly string[], what: string): string {
  const near = closest(name, candidates);
  if (near !== undefined) return `did you mean ${quoted(near)}?`;
  if (candidates.length === 0) return `there is no ${what}`;
  const listed = candidates.slice(0, 8).map(quoted).join(', ');
  return `${what}: ${listed}${candidates.length > 8 ? ', …' : ''}`;
}

/** Text of an author as messages quote it: one line, of bounded length. */
export function quoted(text: string): string {
  const line = onOneLine(text).trim().replace(/\s+/gu, ' ');
  return `"${line.length > 60 ? `${line.slice(0, 57)}…` : line}"`;
}
