import type { Canvas } from './canvas.ts';
import type { Frame, FrameOperand } from './frames.ts';
import { TEE, VERTICAL } from './glyphs.ts';
import type { Reports } from './reports.ts';

/**
 * Frames with their title in the upper border, `┌─[alt ok]───┐` or `┌alt [ok]───┐`, and the guards of further operands in
 * the lines between, `├┈[no]┈┈┈┤`. In ASCII all corners and tees are `+`.
 */
const TITLE = /^[─-]?(?:\[(?<title>[^\]]*)\]|(?<keyword>[a-z_]+) \[(?<guard>[^\]]*)\]?)[─-]*$/;
const SEPARATOR = /^[─╌┈.-]*(?:\[(?<guard>.*)\])?[─╌┈.-]*$/;
const BORDER = /^[─-]+$/;

/** Rows in which an arrow may hide the left border before the frame counts as broken. */
const HIDDEN_ROWS_MAX = 3;
const CORNERS_MAX = 8;

interface Corner {
  readonly top: number;
  readonly left: number;
  readonly right: number;
  readonly keyword: string;
  readonly guard: string;
}

/** Finds and claims the frames of the body rows; a frame that is not closed is reported. */
export function readTitledFrames(canvas: Canvas, bodyTop: number, reports: Reports): Frame[] {
  const frames: Frame[] = [];
  for (let row = bodyTop; row < canvas.height; row++) {
    const length = canvas.rows[row]?.glyphs.length ?? 0;
    for (let column = 0; column < length; column++) {
      const corner = '┌+'.includes(canvas.at(row, column)) ? cornerAt(canvas, row, column) : null;
      if (corner === null) continue;
      const frame = readFrame(canvas, corner);
      if (frame === null) {
        const cells = { row, from: column, to: corner.right };
        reports.add('ASC130', cells, 'this frame has no lower border');
      } else frames.push(frame);
      canvas.claim(row, column, corner.right, 'frame');
      column = corner.right;
    }
  }
  return frames;
}

const isSide = (glyph: string): boolean => VERTICAL.has(glyph);

function cornerAt(canvas: Canvas, top: number, left: number): Corner | null {
  if (!canvas.isFree(top, left) || !isSide(canvas.at(top + 1, left))) return null;
  if (!/[─[a-z-]/.test(canvas.at(top, left + 1))) return null;
  const length = canvas.rows[top]?.glyphs.length ?? 0;
  for (let right = left + 3, tried = 0; right < length && tried < CORNERS_MAX; right++) {
    if (!'┐+'.includes(canvas.at(top, right)) || !isSide(canvas.at(top + 1, right))) continue;
    tried++;
    const groups = TITLE.exec(canvas.text(top, left + 1, right - 1))?.groups;
    if (groups === undefined) continue;
    const [keyword = '', ...words] = (groups['title'] ?? '').split(' ');
    return {
      top,
      left,
      right,
      keyword: (groups['keyword'] ?? keyword).toUpperCase(),
      guard: groups['guard'] ?? words.join(' '),
    };
  }
  return null;
}

function readFrame(canvas: Canvas, { top, left, right, keyword, guard }: Corner): Frame | null {
  const operands: FrameOperand[] = [{ guard, row: top, column: left }];
  const sides: number[] = [];
  for (let row = top + 1, hidden = 0; row < canvas.height && hidden <= HIDDEN_ROWS_MAX; row++) {
    const glyph = canvas.at(row, left);
    const inner = canvas.text(row, left + 1, right - 1);
    const goesOn = isSide(canvas.at(row + 1, left)) && isSide(canvas.at(row + 1, right));
    if ('└+'.includes(glyph) && BORDER.test(inner) && !goesOn) {
      claimFrame(canvas, { left, right }, sides, [...operands.slice(1).map((operand) => operand.row), row]);
      return { keyword, top, bottom: row, left, right, operands };
    }
    const separator = TEE.has(glyph) || glyph === '+' ? SEPARATOR.exec(inner) : null;
    if (separator !== null) operands.push({ guard: separator.groups?.['guard'] ?? '', row, column: left });
    hidden = isSide(glyph) || separator !== null ? 0 : hidden + 1;
    sides.push(row);
  }
  return null;
}

function claimFrame(
  canvas: Canvas,
  { left, right }: { readonly left: number; readonly right: number },
  sides: readonly number[],
  lines: readonly number[],
): void {
  for (const row of lines) canvas.claim(row, left, right, 'frame');
  for (const row of sides) {
    for (const column of [left, right]) if (isSide(canvas.at(row, column))) canvas.claim(row, column, column, 'frame');
  }
}
