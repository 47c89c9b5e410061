import type { FragmentKind } from '../../diagram/index.ts';
import type { Canvas } from './canvas.ts';
import type { Frame, FrameOperand } from './frames.ts';
import { VERTICAL } from './glyphs.ts';
import type { Reports } from './reports.ts';

/**
 * The frames of PlantUML from 1.2026.8 on: keyword and guard share the tab, `║ alt ok │`, lines between operands are dashes
 * with the guard written over them, `║─│no ─ ─│║`, and a tab that does not fit is left out, so that nobody can tell what
 * kind of frame it was. In -txt the sides are `!` and the lower border is `~`.
 */
interface Style {
  readonly corner: string;
  readonly top: string;
  readonly topRight: string;
  readonly side: string;
  readonly dash: string;
  readonly bottom: string;
  readonly foot: RegExp;
}

const UNICODE: Style = { corner: '╔', top: '═╤╪', topRight: '╗', side: '║', dash: '─', bottom: '╚', foot: /^╟─+┘/ };
const ASCII: Style = { corner: ',', top: '-', topRight: '.', side: '!', dash: '-', bottom: '~', foot: /^!_+\// };

const KEYWORDS: ReadonlyMap<string, FragmentKind> = new Map([
  ['alt', 'alt'],
  ['opt', 'opt'],
  ['loop', 'loop'],
  ['par', 'par'],
  ['critical', 'critical'],
  ['break', 'break'],
  ['group', 'group'],
  ['partition', 'group'],
]);

interface Extent {
  readonly style: Style;
  readonly top: number;
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
}

interface Setting {
  readonly canvas: Canvas;
  readonly columns: ReadonlySet<number>;
  readonly reports: Reports;
}

/** Finds and claims these frames; one that has lost its tab is reported. */
export function readCompactFrames(canvas: Canvas, columns: ReadonlySet<number>, reports: Reports): Frame[] {
  const frames: Frame[] = [];
  for (let row = 0; row < canvas.height; row++) {
    const length = canvas.rows[row]?.glyphs.length ?? 0;
    for (let column = 0; column < length; column++) {
      const extent = extentAt(canvas, row, column);
      if (extent === null) continue;
      const frame = readFrame({ canvas, columns, reports }, extent);
      if (frame !== null) frames.push(frame);
      column = extent.right;
    }
  }
  return frames;
}

function extentAt(canvas: Canvas, top: number, left: number): Extent | null {
  const style = [UNICODE, ASCII].find(
    ({ corner, side }) => canvas.at(top, left) === corner && canvas.at(top + 1, left) === side,
  );
  if (style === undefined || !canvas.isFree(top, left)) return null;
  let right = left + 1;
  while (right < canvas.width && style.top.includes(canvas.at(top, right))) right++;
  if (canvas.at(top, right) !== style.topRight || right - left < 4) return null;
  for (let row = top + 1; row < canvas.height; row++) {
    const glyph = canvas.at(row, left);
    if (glyph === style.bottom) return { style, top, left, right, bottom: row };
    if (glyph !== style.side && !(style === UNICODE && glyph === '╟')) return null;
  }
  return null;
}

function readFrame(setting: Setting, extent: Extent): Frame | null {
  const { canvas, reports } = setting;
  const { style, top, left, right, bottom } = extent;
  const foot = style.foot.exec(canvas.text(top + 2, left, right - 1));
  if (foot === null) {
    // In Unicode it looks like any frame without a keyword, and is refused as one.
    if (style === UNICODE) return null;
    reports.add(
      'ASC132',
      { row: top, from: left, to: right },
      'this frame is drawn around lifelines, but does not say what kind of frame it is',
    );
    claimFrame(setting, extent, []);
    return null;
  }
  const tab = left + foot[0].length - 1;
  const [word = '', ...rest] = textOf(setting, top + 1, left + 1, tab - (style === ASCII ? 0 : 1)).split(' ');
  const kind = KEYWORDS.get(word);
  if (kind === undefined) return null;
  const separators = separatorRows(canvas, extent);
  claimFrame(setting, extent, separators);
  canvas.claim(top + 1, left, tab + 1, 'frame');
  canvas.claim(top + 2, left, tab, 'frame');
  claimTabLine(setting, extent, tab);
  const guard = rest.join(' ');
  // A fragment without a guard is drawn with the word null.
  const first: FrameOperand = { guard: guard === 'null' ? '' : guard, row: top + 1, column: left + 2 };
  const lines: Setting = { ...setting, columns: new Set([...setting.columns, tab]) };
  const operands = [first, ...separators.map((row) => ({ guard: guardIn(lines, extent, row), row, column: left }))];
  return { keyword: word.toUpperCase(), kind, top, bottom, left, right, operands };
}

const separatorRows = (canvas: Canvas, { style, top, bottom, left }: Extent): number[] => {
  const rows: number[] = [];
  for (let row = top + 2; row < bottom; row++) {
    if (canvas.at(row, left) === style.side && canvas.at(row, left + 1) === style.dash) rows.push(row);
  }
  return rows;
};

/** The guard stands over the dashes, from the third column on. */
function guardIn(setting: Setting, { style, left, right }: Extent, row: number): string {
  const text = textOf(setting, row, left + 2, right - 1);
  let end = text.length;
  while (end > 0 && ` ${style.dash}`.includes(text[end - 1] ?? '')) end--;
  return text.slice(0, end).replace(new RegExp(`^[ ${style.dash}]+`), '');
}

/** The text of cells, lifelines that show through its blanks left out. */
function textOf({ canvas, columns }: Setting, row: number, from: number, to: number): string {
  let text = '';
  for (let column = from; column <= to; column++) {
    const glyph = canvas.at(row, column);
    text += columns.has(column) && VERTICAL.has(glyph) ? ' ' : glyph;
  }
  return text.replace(/\s+/g, ' ').trim();
}

function claimFrame(
  { canvas }: Setting,
  { style, top, bottom, left, right }: Extent,
  separators: readonly number[],
): void {
  for (const row of [top, bottom, ...separators]) canvas.claim(row, left, right, 'frame');
  for (let row = top + 1; row < bottom; row++) {
    canvas.claim(row, left, left, 'frame');
    if (canvas.at(row, right) === style.side) canvas.claim(row, right, right, 'frame');
  }
}

/** The right edge of the tab runs down to the lower border. */
function claimTabLine({ canvas, columns }: Setting, { top, bottom }: Extent, tab: number): void {
  if (canvas.at(bottom, tab) !== '╧' || columns.has(tab)) return;
  for (let row = top + 3; row < bottom; row++)
    if (VERTICAL.has(canvas.at(row, tab))) canvas.claim(row, tab, tab, 'frame');
}
