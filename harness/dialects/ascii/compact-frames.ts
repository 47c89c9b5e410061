import type { FragmentKind } from '../../diagram/index.ts';
import type { Canvas } from './canvas.ts';
import type { Frame, FrameOperand } from './frames.ts';
import { KIND, VERTICAL } from './glyphs.ts';
import type { Reports } from './reports.ts';

/**
 * The frames of PlantUML from 1.2026.8 on: keyword and guard share the tab, `║ alt ok │`, lines between operands are dashes
 * with the guard written over them, `║─│no ─ ─│║`, and a tab that does not fit is left out, so that nobody can tell what
 * kind of frame it was. In -txt the sides are `!` and the lower border is `~`. A group shows its own name where others have their
 * keyword; a partition has no tab, but its name in the middle of the upper border.
 */
interface Style {
  readonly corner: string;
  readonly top: string;
  readonly topRight: string;
  readonly side: string;
  readonly dash: string;
  readonly bottom: string;
  /** First glyph of the lower border of a partition. */
  readonly partitionBottom: string;
  readonly foot: RegExp;
}

const UNICODE: Style = {
  corner: '╔',
  top: '═╤╪',
  topRight: '╗',
  side: '║',
  dash: '─',
  bottom: '╚',
  partitionBottom: '╚',
  foot: /^╟─+┘/,
};
const ASCII: Style = {
  corner: ',',
  top: '-',
  topRight: '.',
  side: '!',
  dash: '-',
  bottom: '~',
  partitionBottom: '`',
  foot: /^!_+\//,
};

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
  /** What stands in the upper border of a partition; null for all other frames. */
  readonly name: string | null;
}

interface Setting {
  readonly canvas: Canvas;
  readonly columns: ReadonlySet<number>;
  /** Where the right edges of tabs run down, which show through text as lifelines do. */
  readonly tabs: Set<number>;
  readonly reports: Reports;
}

/** Finds and claims these frames; one that has lost its tab is reported. */
export function readCompactFrames(canvas: Canvas, columns: ReadonlySet<number>, reports: Reports): Frame[] {
  const frames: Frame[] = [];
  const setting = { canvas, columns, tabs: new Set<number>(), reports };
  for (let row = 0; row < canvas.height; row++) {
    const kinds = canvas.kindsOf(row);
    for (let column = 0; column < kinds.length; column++) {
      if (((kinds[column] ?? 0) & KIND.frame) === 0) continue;
      const extent = extentAt(setting, row, column);
      if (extent === null) continue;
      const frame = extent.name === null ? readFrame(setting, extent) : readPartition(setting, extent, extent.name);
      if (frame !== null) frames.push(frame);
      column = extent.right;
    }
  }
  return frames;
}

function extentAt(setting: Setting, top: number, left: number): Extent | null {
  const { canvas } = setting;
  const style = [UNICODE, ASCII].find(
    ({ corner, side }) => canvas.at(top, left) === corner && canvas.at(top + 1, left) === side,
  );
  if (style === undefined || !canvas.isFree(top, left)) return null;
  const border = upperBorder(setting, style, top, left);
  if (border === null || border.right - left < 4) return null;
  const bottomGlyph = border.name === null ? style.bottom : style.partitionBottom;
  const isSide = (row: number): boolean =>
    canvas.at(row, left) === style.side || (style === UNICODE && canvas.at(row, left) === '╟');
  for (let row = top + 1; row < canvas.height; row++) {
    if (canvas.at(row, left) === bottomGlyph) return { style, top, left, bottom: row, ...border };
    // A hole of one row is none of its ends.
    const isHole = canvas.isBlank(row, left) && isSide(row - 1) && isSide(row + 1);
    if (!isSide(row) && !isHole) return null;
  }
  return null;
}

/** Where the border ends, and the name in its middle; null if this is none. */
function upperBorder(
  setting: Setting,
  style: Style,
  top: number,
  left: number,
): { readonly right: number; readonly name: string | null } | null {
  const { canvas } = setting;
  const lineEnd = (from: number): number => {
    let column = from;
    while (column < canvas.width && style.top.includes(canvas.at(top, column))) column++;
    return column;
  };
  const first = lineEnd(left + 1);
  // So is a hole of one cell, before anything else stands there.
  const behind = canvas.isBlank(top, first) && first > left + 1 ? lineEnd(first + 1) : first;
  if (behind > first && canvas.at(top, behind) === style.topRight) return { right: behind, name: null };
  if (canvas.at(top, first) === style.topRight) return { right: first, name: null };
  if (first === left + 1 || !canvas.isBlank(top, first)) return null;
  // The blank behind the name may show a lifeline.
  let last = first + 1;
  while (
    last < first + NAME_MAX &&
    !(isBlankOrLine(setting, top, last) && style.top.includes(canvas.at(top, last + 1)))
  ) {
    if (canvas.isBlank(top, last - 1) && canvas.isBlank(top, last)) return null;
    last++;
  }
  const right = lineEnd(last + 1);
  // The name stands in the middle, where people begin at the left; and what begins with a keyword is a frame of theirs.
  const offCentre = Math.abs(first - left - (right - last));
  if (canvas.at(top, right) !== style.topRight || right === last + 1 || offCentre > 1) return null;
  const name = textOf(setting, top, first, last);
  const isName = /[\p{L}\p{N}]/u.test(name) && !KEYWORDS.has(name.split(' ')[0]?.toLowerCase() ?? '');
  return isName ? { right, name } : null;
}

/** Longer names are none. */
const NAME_MAX = 120;

const isBlankOrLine = ({ canvas, columns }: Setting, row: number, column: number): boolean =>
  canvas.isBlank(row, column) || (columns.has(column) && VERTICAL.has(canvas.at(row, column)));

function readPartition(setting: Setting, extent: Extent, name: string): Frame {
  const { top, left, right, bottom } = extent;
  claimFrame(setting, extent, []);
  setting.reports.add(
    'ASC146',
    { row: top, from: left, to: right },
    'this frame has a name, but no kind; read as a group',
  );
  return {
    keyword: name,
    kind: 'group',
    top,
    bottom,
    left,
    right,
    operands: [{ guard: name, row: top + 1, column: left }],
  };
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
  const text = textOf(setting, top + 1, left + 1, tab - (style === ASCII ? 0 : 1));
  const [word = '', ...rest] = text.split(' ');
  const kind = KEYWORDS.get(word);
  // In older versions the guard stands behind the tab, whose edge does not run down to the lower border.
  if (kind === undefined && (text === '' || (style === UNICODE && canvas.at(bottom, tab) !== '╧'))) return null;
  const separators = separatorRows(canvas, extent);
  claimFrame(setting, extent, separators);
  canvas.claim(top + 1, left, tab + 1, 'frame');
  canvas.claim(top + 2, left, tab, 'frame');
  claimTabLine(setting, extent, tab);
  const guard = kind === undefined ? text : rest.join(' ');
  // A fragment without a guard is drawn with the word null.
  const first: FrameOperand = { guard: guard === 'null' ? '' : guard, row: top + 1, column: left + 2 };
  setting.tabs.add(tab);
  const operands = [first, ...separators.map((row) => ({ guard: guardIn(setting, extent, row), row, column: left }))];
  return { keyword: word.toUpperCase(), kind: kind ?? 'group', top, bottom, left, right, operands };
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

/** The text of cells, lifelines and edges of tabs that show through its blanks left out. */
function textOf({ canvas, columns, tabs }: Setting, row: number, from: number, to: number): string {
  let text = '';
  for (let column = from; column <= to; column++) {
    const glyph = canvas.at(row, column);
    text += (columns.has(column) || tabs.has(column)) && VERTICAL.has(glyph) ? ' ' : glyph;
  }
  return text.replace(/\s+/g, ' ').trim();
}

function claimFrame(
  { canvas, reports }: Setting,
  { style, top, bottom, left, right, name }: Extent,
  separators: readonly number[],
): void {
  for (const row of [top, bottom, ...separators]) canvas.claim(row, left, right, 'frame');
  const hole = canvas.text(top, left, right).indexOf(' ');
  if (hole >= 0 && name === null)
    reports.add(
      'ASC129',
      { row: top, from: left + hole, to: left + hole },
      'this frame has a hole in its upper border here',
    );
  for (let row = top + 1; row < bottom; row++) {
    if (canvas.isBlank(row, left))
      reports.add('ASC129', { row, from: left, to: left }, 'this frame has a hole in its left border here');
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
