import type { Bars } from './bars.ts';
import type { Canvas, Chunk } from './canvas.ts';
import { HEAD_LEFT, HEAD_RIGHT, HORIZONTAL, isHead } from './glyphs.ts';
import { countBefore, type Lifeline, type Lifelines } from './lifelines.ts';
import type { NoteBox } from './notes.ts';
import type { Reports } from './reports.ts';

interface Setting {
  readonly canvas: Canvas;
  readonly skeleton: Lifelines;
  readonly bars: Bars;
  readonly reports: Reports;
}

/** Blanks between a text and the lifeline it is written beside. */
const BESIDE_MAX = 2;
const NEAR_MAX = 3;
const ROWS_MAX = 40;

/** Rows of text between the same two lifelines, one under the other. */
interface Block {
  readonly left: Lifeline | null;
  readonly right: Lifeline | null;
  readonly chunks: Chunk[];
}

/**
 * Text beside a lifeline, or over one that it hides, and no arrow that it could belong to: what the participant does by
 * itself. It is read as a note, and said so; text in the middle between two lifelines is nobody's, and stays unexplained.
 */
export function readLocalTexts(setting: Setting): NoteBox[] {
  const { canvas, reports } = setting;
  return blocksOf(setting).flatMap((block): NoteBox[] => {
    const first = block.chunks[0];
    const owner = ownerOf(setting, block);
    if (owner === null || first === undefined) return [];
    for (const { row, from, to } of block.chunks) canvas.claim(row, from, to, 'note');
    if (!reportKeyword(canvas, block.chunks, reports))
      reports.add('ASC143', first, `this text has no arrow; read as a note at ${owner.label}`);
    return [
      {
        lines: block.chunks.map(({ row, from, to }) => canvas.text(row, from, to)),
        top: first.row,
        bottom: block.chunks.at(-1)?.row ?? first.row,
        left: Math.min(...block.chunks.map(({ from }) => from)),
        right: Math.max(...block.chunks.map(({ to }) => to)),
      },
    ];
  });
}

/** Words that begin, part or end a frame, with its guard or alone, or all of it in brackets. */
const FRAME_WORD =
  /^(?:(?:alt|opt|loop|par|critical|break|else|and|option)\b\s*[:[(]|(?:alt|opt|loop|par|else|end)$|end (?:alt|opt|loop|par|if)$|loop (?:\d+|n) times$|\[(?:alt|opt|loop|par|else|end)\b[^\]]*\]$)/i;

/**
 * Whether a text stands for a frame that nobody has drawn; as a note it would say nothing about the messages below it. Its first
 * word is told, since those behind it follow from the same.
 */
export function reportKeyword(canvas: Canvas, chunks: readonly Chunk[], reports: Reports): boolean {
  const word = chunks.find(({ row, from, to }) => FRAME_WORD.test(canvas.text(row, from, to)));
  if (word === undefined) return false;
  const text = canvas.text(word.row, word.from, word.to);
  if (!reports.has('ASC135'))
    reports.add('ASC135', word, `"${text}" speaks of a frame, but none is drawn around these messages`);
  return true;
}

function blocksOf(setting: Setting): Block[] {
  const { canvas, skeleton } = setting;
  const blocks: Block[] = [];
  let above = new Map<string, Block>();
  for (let row = skeleton.bodyTop; row < skeleton.bodyBottom; row++) {
    const here = new Map<string, Block>();
    for (const chunk of wholeChunks(setting, row)) {
      const [left, right] = gapOf(skeleton.lifelines, chunk);
      const gap = `${left?.column ?? ''} ${right?.column ?? ''}`;
      const grown = above.get(gap);
      const isGrown = grown !== undefined && grown.chunks.length < ROWS_MAX;
      const block = isGrown ? grown : { left, right, chunks: [] };
      if (!isGrown) blocks.push(block);
      block.chunks.push(chunk);
      if (!here.has(gap)) here.set(gap, block);
    }
    above = here;
  }
  return blocks.filter(({ chunks }) =>
    chunks.some(({ row, from, to }) => /[\p{L}\p{N}]/u.test(canvas.text(row, from, to))),
  );
}

/** Texts of a row; pieces with wider gaps between them stay one if no lifeline stands there. */
function wholeChunks({ canvas }: Setting, row: number): Chunk[] {
  const chunks: Chunk[] = [];
  for (const chunk of canvas.chunks(row)) {
    if (!isText(canvas, chunk)) continue;
    const before = chunks.at(-1);
    let isClear = before !== undefined;
    for (let column = (before?.to ?? 0) + 1; isClear && column < chunk.from; column++)
      isClear = canvas.isBlank(row, column);
    if (before !== undefined && isClear) chunks[chunks.length - 1] = { ...before, to: chunk.to };
    else chunks.push(chunk);
  }
  return chunks;
}

/** Letters, or a sign between two rows of them; no shaft that has come loose from its lifeline. */
function isText(canvas: Canvas, { row, from, to }: Chunk): boolean {
  const text = canvas.text(row, from, to);
  const [first, last] = [canvas.at(row, from), canvas.at(row, to)];
  const isLoose = HORIZONTAL.has(first) || HORIZONTAL.has(last) || HEAD_RIGHT.has(last);
  const isArrow = HEAD_LEFT.has(first) && HORIZONTAL.has(canvas.at(row, from + 1)) && !/[\p{L}\p{N}]/u.test(text);
  // Slanted lines are drawn with slashes and low lines.
  const isSlanted = /^[\\/](?:\s|_|$)|_{2}|\s[\\/]$/.test(text);
  return !isLoose && !isArrow && !isSlanted && !isArrowOfSigns(text) && !/[─━═│┌┐└┘├┤╔╗╚╝║┃]|^[|!`]/u.test(text);
}

/** Something with a tip at one end, and no word in it: an arrow of signs that nobody knows here. */
export const isArrowOfSigns = (text: string): boolean =>
  /^[^\p{L}\p{N}]{4,}$/u.test(text) && [text.at(0) ?? '', text.at(-1) ?? ''].some(isHead);

/** The lifelines on both sides of a text; one that it hides is its own. */
function gapOf(lifelines: readonly Lifeline[], { from, to }: Chunk): readonly [Lifeline | null, Lifeline | null] {
  const [first, next] = [countBefore(lifelines, from), countBefore(lifelines, to + 1)];
  return first < next
    ? [lifelines[first] ?? null, lifelines[next - 1] ?? null]
    : [lifelines[first - 1] ?? null, lifelines[next] ?? null];
}

/** Whose text a block is; null where nobody can tell. */
function ownerOf({ bars }: Setting, { left, right, chunks }: Block): Lifeline | null {
  if (left === right) return left;
  const isOver = (end: Lifeline | null): boolean =>
    end !== null && chunks.some(({ from, to }) => from <= end.column && end.column <= to);
  if (isOver(left) || isOver(right)) return null;
  const blanks = (
    end: Lifeline | null,
    distance: (chunk: Chunk, extent: readonly [number, number]) => number,
  ): number =>
    end === null ? Infinity : Math.min(...chunks.map((chunk) => distance(chunk, bars.extent(end, chunk.row))));
  const before = blanks(left, ({ from }, [, edge]) => from - edge - 1);
  const after = blanks(right, ({ to }, [edge]) => edge - to - 1);
  const [near, far] = [Math.min(before, after), Math.max(before, after)];
  const owner = before <= after ? left : right;
  return near <= BESIDE_MAX || (near <= NEAR_MAX && far >= 2 * near) ? owner : null;
}
