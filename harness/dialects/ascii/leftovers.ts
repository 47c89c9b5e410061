import type { Bars } from './bars.ts';
import type { Canvas, Chunk } from './canvas.ts';
import { BORDER, HORIZONTAL, isHead } from './glyphs.ts';
import type { Lifelines } from './lifelines.ts';
import type { Reports } from './reports.ts';

/** The title of a drawing: text above its heads, a blank row between. Everything else that is left is reported. */
export function readLeftovers(canvas: Canvas, skeleton: Lifelines, bars: Bars, reports: Reports): string | null {
  const above = claimTitle(canvas, Math.min(...skeleton.lifelines.map(({ head }) => head.top)), reports);
  reportDecoration(canvas, skeleton.bodyTop, reports);
  claimNumbers(canvas, skeleton, bars, reports);
  const last = lastLine(canvas, skeleton);
  const title = above ?? claimCaption(canvas, Math.min(last + 1, skeleton.bodyBottom));
  reportHoles(canvas, skeleton, bars, reports);
  claimTextBelow(canvas, Math.min(last + 1, skeleton.bodyBottom), reports);
  for (let row = 0; row < canvas.height && !reports.isFull; row++) {
    const isOutside = row >= skeleton.bodyBottom || row > last;
    for (const chunk of canvas.chunks(row)) report(canvas, chunk, isOutside, reports);
  }
  return title;
}

/** The text above the names, claimed; null where there is none, or lines are drawn in it. */
export function claimTitle(canvas: Canvas, headTop: number, reports: Reports): string | null {
  const chunks: Chunk[] = [];
  for (let row = 0; row < Math.min(headTop, canvas.height); row++)
    for (const chunk of canvas.chunks(row)) chunks.push(chunk);
  const isText = chunks.every(({ row, from, to }) => !hasLineWork(canvas.text(row, from, to)));
  if (chunks.length === 0 || !isText) return null;
  for (const { row, from, to } of chunks) canvas.claim(row, from, to, 'outside');
  const last = chunks.at(-1);
  const title = chunks.map(({ row, from, to }) => canvas.text(row, from, to)).join(' ');
  if (isRunningText(title)) {
    const [first = chunks[0]] = chunks;
    if (first !== undefined)
      reports.add('ASC141', first, `this text stands above the drawing and is not read: ${quoted(title)}`);
    return null;
  }
  // Right above the names it may as well be a part of them; so its author is told.
  if (last?.row === headTop - 1)
    reports.add('ASC141', last, `this text stands above the drawing; read as its title: ${quoted(title)}`);
  return title;
}

/** Text below a drawing, up to the next row with lines in it, is told once. */
function claimTextBelow(canvas: Canvas, from: number, reports: Reports): void {
  let first: Chunk | null = null;
  let count = 0;
  for (let row = from; row < canvas.height; row++) {
    const chunks = canvas.chunks(row);
    if (chunks.some((chunk) => hasLineWork(canvas.text(row, chunk.from, chunk.to)))) break;
    first ??= chunks[0] ?? null;
    if (chunks.length > 0) count++;
    for (const chunk of chunks) canvas.claim(row, chunk.from, chunk.to, 'outside');
  }
  if (first === null) return;
  const text = quoted(canvas.text(first.row, first.from, first.to));
  const more = count === 1 ? '' : `, and ${count - 1} more ${count === 2 ? 'row' : 'rows'} below it`;
  reports.add('ASC141', first, `this text stands outside the drawing and is not read: ${text}${more}`);
}

/** A sentence, or the end of one that leads to the drawing, names nothing. */
const isRunningText = (text: string): boolean => /[.:]$/.test(text) || text.length > TITLE_MAX;
const TITLE_MAX = 60;

/** What stands behind the number of a figure, on one row below the drawing; claimed. */
function claimCaption(canvas: Canvas, from: number): string | null {
  for (let row = from; row < canvas.height; row++) {
    const [chunk, more] = canvas.chunks(row);
    if (chunk === undefined || more !== undefined) continue;
    const text = /^(?:Figure|Fig\.?|Diagram|Listing)\s?\d[\w.-]*[:.]\s+(\S.*)$/i.exec(
      canvas.text(row, chunk.from, chunk.to),
    )?.[1];
    if (text === undefined || hasLineWork(text) || text.length > TITLE_MAX) continue;
    canvas.claim(row, chunk.from, chunk.to, 'outside');
    return text.replace(/\.$/, '');
  }
  return null;
}

/** Numbers to the left of all lifelines, on rows with an arrow: the steps are in order as they are. */
function claimNumbers(
  canvas: Canvas,
  { lifelines, bodyTop, bodyBottom }: Lifelines,
  bars: Bars,
  reports: Reports,
): void {
  const [first] = lifelines;
  let isTold = false;
  for (let row = bodyTop; first !== undefined && row < bodyBottom; row++) {
    const [chunk] = canvas.chunks(row);
    if (chunk === undefined || chunk.to >= bars.extent(first, row)[0]) continue;
    if (!/^\(?\d+[.):]?$/.test(canvas.text(row, chunk.from, chunk.to))) continue;
    canvas.claim(row, chunk.from, chunk.to, 'outside');
    if (!isTold) reports.add('ASC142', chunk, 'the numbers beside the arrows are not read, here and below');
    isTold = true;
  }
}

/** A lifeline, or the edge of a bar, that stops for one row, where nothing is drawn over it. */
function reportHoles(
  canvas: Canvas,
  { lifelines, bodyTop, bodyBottom }: Lifelines,
  bars: Bars,
  reports: Reports,
): void {
  for (const lifeline of lifelines) {
    for (let row = bodyTop + 1; row + 1 < bodyBottom; row++) {
      const [from, to] = bars.extent(lifeline, row);
      const isHole = (column: number): boolean =>
        canvas.isBlank(row, column) &&
        canvas.ownerAt(row - 1, column) === 'lifeline' &&
        canvas.ownerAt(row + 1, column) === 'lifeline';
      const isOpen = (column: number): boolean => canvas.isBlank(row, column);
      const left = isHole(from) && isOpen(from - 1) && (from < to || isOpen(to + 1));
      const right = from < to && isHole(to) && isOpen(to + 1);
      if (!left && !right) continue;
      const column = left ? from : to;
      reports.add('ASC128', { row, from: column, to: column }, `the lifeline of ${lifeline.label} has a gap here`);
    }
  }
}

/** The last row on which a lifeline is drawn. */
function lastLine(canvas: Canvas, { lifelines, bodyBottom }: Lifelines): number {
  let row = bodyBottom - 1;
  while (
    row > 0 &&
    !lifelines.some(({ column }) =>
      [column - 1, column, column + 1].some((cell) => 'lifeline shaft cross note'.includes(canvas.ownerAt(row, cell))),
    )
  )
    row--;
  return row;
}

/** Dots around the names, arrows between their boxes: signs that name nobody and stand where no message can. */
function reportDecoration(canvas: Canvas, bodyTop: number, reports: Reports): void {
  for (let row = 0; row < bodyTop; row++) {
    for (const chunk of canvas.chunks(row)) {
      const text = canvas.text(row, chunk.from, chunk.to);
      if (text !== 'v' && /[\p{L}\p{N}]/u.test(text)) continue;
      canvas.claim(row, chunk.from, chunk.to, 'outside');
      reports.add('ASC142', chunk, `this stands beside the names and is not read: ${quoted(text)}`);
    }
  }
}

const hasLineWork = (text: string): boolean => /[│─┌┐└┘║═]|-->|<--|^[|!]/u.test(text);

/** Dots before or behind a line say that an arrow has not arrived. */
const isInFlight = (text: string): boolean =>
  (text.endsWith('...') && /[-─]{2}/.test(text.slice(0, -3))) ||
  (text.startsWith('...') && /[-─]{2}/.test(text.slice(3)));

function report(canvas: Canvas, chunk: Chunk, isOutside: boolean, reports: Reports): void {
  const text = canvas.text(chunk.row, chunk.from, chunk.to);
  const glyphs = Array.from(text);
  const drawn = glyphs.filter((glyph) => BORDER.has(glyph) || isHead(glyph) || glyph === ' ').length;
  if (isOutside && !hasLineWork(text))
    reports.add('ASC141', chunk, `this text stands outside the drawing and is not read: ${quoted(text)}`);
  else if (/[\\/]/.test(text) && (drawn === glyphs.length || /^[\\/]\s|_{2}/.test(text)))
    reports.add('ASC121', chunk, `slanted lines are not read: ${quoted(text)}`);
  else if (isInFlight(text))
    reports.add('ASC111', chunk, `this arrow is still in flight; only arrows on one row are read: ${quoted(text)}`);
  else if (glyphs.some((glyph) => HORIZONTAL.has(glyph)) && drawn === glyphs.length) {
    reports.add('ASC111', chunk, `this is no complete arrow: ${quoted(text)}`);
  } else if (/^[\^vV▲▼↑↓]$/.test(text))
    reports.add('ASC121', chunk, `arrows that point up or down are not read: ${quoted(text)}`);
  else if (drawn === glyphs.length)
    reports.add('ASC121', chunk, `nothing explains this part of the drawing: ${quoted(text)}`);
  else reports.add('ASC120', chunk, `this text belongs to no arrow: ${quoted(text)}`);
}

const QUOTE_MAX = 60;
/** A text as it is shown in a message, cut where it is long. */
export const quoted = (text: string): string => `"${text.length > QUOTE_MAX ? `${text.slice(0, QUOTE_MAX)}…` : text}"`;
