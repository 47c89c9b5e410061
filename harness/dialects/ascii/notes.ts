import type { Canvas } from './canvas.ts';
import { KIND } from './glyphs.ts';
import type { Head } from './heads.ts';
import type { Lifelines } from './lifelines.ts';

/** A note, a divider or a delay: text that is part of the drawing but is no message. */
export interface NoteBox {
  readonly lines: readonly string[];
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

const NOTE_ROWS_MAX = 60;

/** Finds and claims the notes, so that arrows and bars written in their text are not taken for drawn ones. */
export function readNotes(canvas: Canvas, noteHeads: readonly Head[]): NoteBox[] {
  const free = noteHeads.filter(({ top, left }) => canvas.isFree(top, left));
  const notes: NoteBox[] = free.map(({ lines, top, bottom, left, right }) => ({
    lines,
    top,
    bottom,
    left,
    right,
  }));
  for (let row = 0; row < canvas.height; row++) {
    const kinds = canvas.kindsOf(row);
    for (let column = 0; column < kinds.length; column++) {
      if (((kinds[column] ?? 0) & KIND.frame) === 0) continue;
      const note = noteAt(canvas, row, column);
      if (note === null) continue;
      notes.push(note);
      column = note.right;
    }
  }
  for (const { top, left, bottom, right } of notes) canvas.claimBox(top, left, bottom, right, 'note');
  return notes.sort((a, b) => a.top - b.top);
}

function noteAt(canvas: Canvas, row: number, column: number): NoteBox | null {
  const glyph = canvas.at(row, column);
  if (!canvas.isFree(row, column)) return null;
  if (glyph === '╔' && canvas.at(row + 1, column) === '║') return doubleNote(canvas, row, column);
  if (glyph === ',' && canvas.at(row + 1, column) === '|') return earNote(canvas, row, column);
  return null;
}

/** `╔══╗ ║text ░║ ╚══╝`; over lifelines the borders carry ╧ and ╤. */
function doubleNote(canvas: Canvas, top: number, left: number): NoteBox | null {
  let right = left + 1;
  while ('═╧'.includes(canvas.at(top, right))) right++;
  if (canvas.at(top, right) !== '╗') return null;
  const bottom = bottomRow(canvas, { top, left, right }, '║', '╚');
  if (bottom === null) return null;
  const lines = linesOf(canvas, { top, bottom, left, right }).map((line) => line.replace(/░$/, '').trim());
  return { lines, top, bottom, left, right };
}

/** `,---!. |text|_\ `-----'`: the ear takes two columns of the first text row. */
function earNote(canvas: Canvas, top: number, left: number): NoteBox | null {
  let ear = left + 1;
  while (canvas.at(top, ear) === '-') ear++;
  if (!canvas.matches(top, ear, '!.') || !canvas.matches(top + 1, ear, '|_\\')) return null;
  const right = ear + 2;
  const bottom = bottomRow(canvas, { top, left, right }, '|', '`');
  if (bottom === null) return null;
  const [first, ...rest] = linesOf(canvas, { top, bottom, left, right });
  return { lines: [first?.replace(/\|_$/, '').trim() ?? '', ...rest], top, bottom, left, right };
}

function bottomRow(
  canvas: Canvas,
  corner: { top: number; left: number; right: number },
  side: string,
  end: string,
): number | null {
  for (let row = corner.top + 1; row <= corner.top + NOTE_ROWS_MAX; row++) {
    if (canvas.at(row, corner.left) === end) return row;
    if (canvas.at(row, corner.left) !== side) return null;
  }
  return null;
}

function linesOf(canvas: Canvas, box: { top: number; bottom: number; left: number; right: number }): string[] {
  const lines: string[] = [];
  for (let row = box.top + 1; row < box.bottom; row++) lines.push(canvas.text(row, box.left + 1, box.right - 1).trim());
  return lines;
}

// ------------------------------------------------------------------------------------------------------------ dividers

const DIVIDER = /^═[═╪]*(?:╣(?<double>.*)╠[═╪]*)?═$|^=+(?: (?<single>\S.*?) =+)?$/;

/** A page break of dashes, `─ ─│─ ─ ─│─ ─`: from outside all lifelines to outside them, and without a head. */
const DASHED_BREAK = /^(?:[─-] ?(?:[│|] ?)?)+$/;

/** A text between dashes, `--- phase 2 ---`, that runs over all lifelines and speaks of no frame. */
function titleBetween(line: string): string | null {
  const text = /^[─-]{2,} ([^─|│<>]*[^─|│<> -]) [─-]{2,}$/.exec(line)?.[1] ?? null;
  return text === null || /^\W*(?:end|else|and|option|alt|opt|loop|par|critical|break|if|group|ref)\b/i.test(text)
    ? null
    : text;
}

/** Dividers `══╪══╣ text ╠══╪══` or `=== text ===`, and page breaks, which are the same without a text. They cross the whole drawing. */
export function readDividers(canvas: Canvas, { lifelines, bodyTop, bodyBottom }: Lifelines): NoteBox[] {
  const dividers: NoteBox[] = [];
  const [first, last] = [lifelines[0]?.column ?? 0, lifelines.at(-1)?.column ?? 0];
  for (let row = bodyTop; row < bodyBottom; row++) {
    const glyphs = canvas.rows[row]?.glyphs ?? [];
    const left = glyphs.findIndex((glyph) => glyph !== ' ');
    if (left < 0 || !'═=─-'.includes(glyphs[left] ?? ' ')) continue;
    const right = glyphs.findLastIndex((glyph) => glyph !== ' ');
    if ('─-'.includes(glyphs[left] ?? ' ')) {
      const isBreak = left < first && right > last && DASHED_BREAK.test(glyphs.slice(left, right + 1).join(''));
      const text = left <= first && right >= last ? titleBetween(glyphs.slice(left, right + 1).join('')) : null;
      if (isBreak || text !== null) canvas.claim(row, left, right, 'divider');
      if (text !== null) dividers.push({ lines: [text], top: row, bottom: row, left, right });
      continue;
    }
    const match = right - left + 1 < canvas.width / 2 ? null : DIVIDER.exec(glyphs.slice(left, right + 1).join(''));
    if (match === null) continue;
    claimDivider(canvas, row, left, right);
    const text = (match.groups?.['double'] ?? match.groups?.['single'] ?? '').trim();
    if (text !== '') dividers.push({ lines: [text], top: row, bottom: row, left, right });
  }
  return dividers;
}

/** The divider itself, and the two lines of the box around its text. */
function claimDivider(canvas: Canvas, row: number, left: number, right: number): void {
  const box = canvas.at(row, left) === '=' ? '=' : '╔═╧╤╗╚╝';
  canvas.claim(row, left, right, 'divider');
  for (const beside of [row - 1, row + 1]) {
    for (let column = left; column <= right; column++) {
      if (box.includes(canvas.at(beside, column))) canvas.claim(beside, column, column, 'divider');
    }
  }
}

// -------------------------------------------------------------------------------------------------------------- delays

/** The text of a delay stands on or beside rows on which the lifelines are dots, or waves. */
export function readDelays(
  canvas: Canvas,
  columns: ReadonlySet<number>,
  bodyTop: number,
  bodyBottom: number,
): NoteBox[] {
  const isDotted = (row: number): boolean =>
    [...columns].some((column) => '.~:'.includes(canvas.at(row, column)) && canvas.ownerAt(row, column) === 'lifeline');
  const delays: NoteBox[] = [];
  for (let row = bodyTop; row < bodyBottom; row++) {
    const chunks = canvas.chunks(row);
    const [first, last] = [chunks[0], chunks.at(-1)];
    if (first === undefined || last === undefined) continue;
    if (![row - 1, row, row + 1].some(isDotted)) continue;
    for (const { from, to } of chunks) canvas.claim(row, from, to, 'note');
    const lines = [chunks.map(({ from, to }) => canvas.text(row, from, to)).join(' ')];
    delays.push({ lines, top: row, bottom: row, left: first.from, right: last.to });
  }
  return delays;
}
