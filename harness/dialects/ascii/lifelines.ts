import type { ParticipantKind } from '../../diagram/index.ts';
import type { Canvas, Chunk } from './canvas.ts';
import { BORDER, HEAD_LEFT, HEAD_RIGHT, KIND } from './glyphs.ts';
import { kindOf, labelOf, nameBeside, type Head } from './heads.ts';
import type { Icon } from './icons.ts';
import { namesAbove } from './plain-names.ts';

/** A participant as drawn: its head and the column its lifeline runs down. */
export interface Lifeline {
  readonly label: string;
  readonly kind: ParticipantKind;
  readonly head: Head;
  readonly column: number;
  /** The head stands further down: the participant is created there. */
  readonly created: boolean;
}

/** The skeleton of the drawing: who takes part, between which rows messages stand. */
export interface Lifelines {
  /** From left to right. */
  readonly lifelines: readonly Lifeline[];
  /** First row under the heads, and the first row of the footers (or one past the last row). */
  readonly bodyTop: number;
  readonly bodyBottom: number;
  /** Boxes that name nobody: PlantUML's hexagonal and square notes. */
  readonly noteHeads: readonly Head[];
  /** Rows of names that are read as parts of them, and may be something else. */
  readonly doubtful: readonly Chunk[];
}

/** Nobody draws, or reads, as many. Every stage looks at each lifeline on each row. */
export const LIFELINES_MAX = 250;

/** A line that runs down, perhaps with something attached. */
const LINE = KIND.vertical | KIND.tee;

/** Finds the participants, not many more than can be read; an empty list where there is no head, and no column with a name over it. */
export function findLifelines(canvas: Canvas, all: readonly Head[], icons: readonly Icon[]): Lifelines {
  const { heads, titles } = withoutTitleBoxes(canvas, all);
  const found = skeletonOf(canvas, heads, icons);
  // Heads without any line under them are better than none.
  if (found.lifelines.length === 0 && titles.length > 0) return skeletonOf(canvas, all, icons);
  for (const { top, left, bottom, right } of titles) canvas.claimBox(top, left, bottom, right, 'outside');
  return found;
}

/** How many lifelines stand to the left of a column. */
export function countBefore(lifelines: readonly Lifeline[], column: number): number {
  let [low, high] = [0, lifelines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lifelines[middle]?.column ?? column) < column) low = middle + 1;
    else high = middle;
  }
  return low;
}

function skeletonOf(canvas: Canvas, heads: readonly Head[], icons: readonly Icon[]): Lifelines {
  const bandBottom = heads.reduce((top, head) => Math.min(top, head.bottom), Infinity);
  const band = heads.filter((head) => head.top <= bandBottom);
  const plain = plainLifelines(canvas);
  if (band.length === 0) return plain;
  if (areNamedAbove(canvas, plain, heads)) return withBoxes(canvas, plain, heads);
  const columns = columnsBelow(canvas, bandBottom + 1);
  const found = band.map((head) => toLifeline(canvas, head, columns, false));
  const later = heads.filter((head) => head.top > bandBottom);
  const noteHeads: Head[] = [];
  // More are not read at all.
  const isTooMany = found.length > LIFELINES_MAX;
  let bodyBottom = footerOfIcons(canvas, isTooMany ? [] : icons, found, bandBottom);
  const lowest = lowestByLabel(later);
  const byLabel = new Map<string, Lifeline[]>();
  const know = (lifeline: Lifeline): void => {
    const namesakes = byLabel.get(lifeline.label);
    if (namesakes === undefined) byLabel.set(lifeline.label, [lifeline]);
    else namesakes.push(lifeline);
  };
  found.forEach(know);
  let footers: ReadonlyMap<string, readonly Icon[]> | null = null;
  const footersOf = (label: string): readonly Icon[] => {
    footers ??= lowestByName(canvas, icons);
    return footers.get(label) ?? [];
  };
  for (const drawn of later) {
    const head = withLineUnder(canvas, drawn, found);
    const label = labelOf(head);
    if (found.length > LIFELINES_MAX) break;
    if (byLabel.get(label)?.some((lifeline) => isFooterOf(head, lifeline)) === true)
      bodyBottom = Math.min(bodyBottom, head.top);
    else if (isCreated(head, lowest.get(label) ?? [], footersOf)) {
      const lifeline = toLifeline(canvas, head, columns, true);
      found.push(lifeline);
      know(lifeline);
      bodyBottom = Math.min(bodyBottom, footerOfIcons(canvas, icons, [lifeline], head.bottom));
    } else noteHeads.push(head);
  }
  return {
    lifelines: found.sort((a, b) => a.column - b.column),
    bodyTop: bandBottom + 1,
    bodyBottom: Math.min(bodyBottom, lastBodyRow(canvas, found) + 1),
    noteHeads: noteHeads.filter((head) => head.top < bodyBottom),
    doubtful: [],
  };
}

/** A name in the border of a box names a group. */
const BORDERED = /[┌┐╭╮╔╗─═]|--|\+-/;

/** Whether lifelines with plain names begin above all boxes, which are drawn over them and beside them then. */
const areNamedAbove = (canvas: Canvas, { lifelines, bodyTop }: Lifelines, heads: readonly Head[]): boolean =>
  lifelines.length >= 2 &&
  heads.every(({ top }) => top > bodyTop) &&
  lifelines.every(({ head }) => !BORDERED.test(canvas.text(head.top, 0, canvas.width)));

/** Boxes among lifelines with plain names: one that a line leaves beside them is somebody new, the others are notes. */
function withBoxes(canvas: Canvas, plain: Lifelines, drawn: readonly Head[]): Lifelines {
  const isOver = ({ left, right }: Head): boolean =>
    plain.lifelines.some(({ column }) => left <= column && column <= right);
  const columns = columnsBelow(canvas, plain.bodyTop);
  const heads = drawn.map((head) => withLineUnder(canvas, head, plain.lifelines));
  const created = heads.filter((head) => head.tee !== null && !isOver(head));
  const known = new Set(plain.lifelines.map(({ label }) => label));
  const footers = heads.filter((head) => isOver(head) && known.has(labelOf(head)));
  const bodyBottom = footers.reduce((row, { top }) => Math.min(row, top), plain.bodyBottom);
  const lifelines = [...plain.lifelines, ...created.map((head) => toLifeline(canvas, head, columns, true))];
  return {
    ...plain,
    bodyBottom,
    lifelines: lifelines.sort((a, b) => a.column - b.column),
    noteHeads: heads.filter((head) => !created.includes(head) && head.top < bodyBottom),
  };
}

/**
 * A head further down whose line begins right under it, without a tee; it is told from a note by the arrow that leads to its side,
 * and by having no other lifeline behind it.
 */
function withLineUnder(canvas: Canvas, head: Head, known: readonly Lifeline[]): Head {
  const { top, bottom, left, right, tee, kind } = head;
  if (tee !== null || kind !== 'participant') return head;
  if (countBefore(known, left) !== countBefore(known, right + 1)) return head;
  if (!isReached(canvas, head)) return head;
  const centre = Math.floor((left + right) / 2);
  let line: number | null = null;
  for (let column = left + 1; column < right; column++) {
    if (canvas.is(top - 1, column, LINE)) return head;
    if (!canvas.is(bottom + 1, column, LINE)) continue;
    if (line === null || Math.abs(column - centre) < Math.abs(line - centre)) line = column;
  }
  return line === null ? head : { ...head, tee: line };
}

/** Whether the head of an arrow touches a side of the box, or stands a blank away from it. */
function isReached(canvas: Canvas, { top, bottom, left, right }: Head): boolean {
  const leads = (row: number, column: number, step: 1 | -1, tips: ReadonlySet<string>): boolean => {
    const tip = canvas.isBlank(row, column) ? column - step : column;
    return tips.has(canvas.at(row, tip)) && canvas.is(row, tip - step, KIND.horizontal);
  };
  for (let row = top + 1; row < bottom; row++)
    if (leads(row, left - 1, 1, HEAD_RIGHT) || leads(row, right + 1, -1, HEAD_LEFT)) return true;
  return false;
}

/** A box above everything from which no line goes down holds the title. */
function withoutTitleBoxes(
  canvas: Canvas,
  heads: readonly Head[],
): { readonly heads: readonly Head[]; readonly titles: readonly Head[] } {
  const bandBottom = heads.reduce((top, head) => Math.min(top, head.bottom), Infinity);
  const isTitle = ({ kind, top, bottom, left, right, tee }: Head): boolean => {
    if (kind !== 'participant' || tee !== null || top > bandBottom) return false;
    for (let row = bottom + 1; row <= bottom + 2; row++) {
      for (let column = left; column <= right; column++) if (canvas.is(row, column, LINE)) return false;
    }
    return true;
  };
  const titles = heads.filter(isTitle);
  const band = heads.filter((head) => head.top <= bandBottom);
  if (titles.length < band.length) return { heads, titles: [] };
  const taken = new Set(titles);
  return { heads: heads.filter((head) => !taken.has(head)), titles };
}

function plainLifelines(canvas: Canvas): Lifelines {
  const { heads, bodyTop, doubtful } = namesAbove(canvas);
  const lifelines = heads.map((head) => ({
    label: labelOf(head),
    kind: kindOf(head),
    head,
    column: head.tee ?? head.left,
    created: false,
  }));
  return { lifelines, bodyTop, bodyBottom: lastBodyRow(canvas, lifelines) + 1, noteHeads: [], doubtful };
}

/** The last row with a lifeline, and the rows right below it: a drawing without footers ends there, what follows is text around it. */
function lastBodyRow(canvas: Canvas, lifelines: readonly Lifeline[]): number {
  const isBody = (row: number): boolean => lifelines.some(({ column }) => canvas.is(row, column, LINE));
  let row = canvas.height - 1;
  while (row > 0 && !isBody(row)) row--;
  while (row + 1 < canvas.height && canvas.rows[row + 1]?.glyphs.some((glyph) => glyph !== ' ') === true) row++;
  return row;
}

/** How many rows from `top` on have a vertical line in each column. */
function columnsBelow(canvas: Canvas, top: number): Int32Array {
  const counts = new Int32Array(canvas.width);
  for (let row = top; row < canvas.height; row++) {
    const kinds = canvas.kindsOf(row);
    for (let column = 0; column < kinds.length; column++)
      if (((kinds[column] ?? 0) & LINE) !== 0) counts[column] = (counts[column] ?? 0) + 1;
  }
  return counts;
}

function toLifeline(canvas: Canvas, head: Head, columns: Int32Array, created: boolean): Lifeline {
  const column = head.tee ?? columnUnder(head, columns);
  return { label: labelOf(head), kind: kindOf(head), head, column, created };
}

/** Without a tee: the column of the head with the most line under it, the one nearest to its centre where several have as much. */
function columnUnder(head: Head, columns: Int32Array): number {
  const centre = Math.floor((head.left + head.right) / 2);
  let best = centre;
  for (let column = head.left; column <= head.right; column++) {
    const [count, bestCount] = [columns[column] ?? 0, columns[best] ?? 0];
    const nearer = Math.abs(column - centre) < Math.abs(best - centre);
    if (count > bestCount || (count === bestCount && nearer)) best = column;
  }
  return best;
}

/** Of a head that carries the name of the lifeline. */
const isFooterOf = (head: Head, lifeline: Lifeline): boolean =>
  head.left <= lifeline.column && lifeline.column <= head.right && head.tee === null;

/** A footer is among the last that carry its name. */
const NAMESAKES_MAX = 16;

function lowestByLabel(heads: readonly Head[]): ReadonlyMap<string, readonly Head[]> {
  const found = new Map<string, Head[]>();
  for (const head of heads.toReversed()) {
    const label = labelOf(head);
    const namesakes = found.get(label) ?? [];
    if (namesakes.length < NAMESAKES_MAX) namesakes.push(head);
    found.set(label, namesakes);
  }
  return found;
}

/** A head further down names somebody new if a lifeline leaves it, if it is an icon, or if a footer names him again. */
function isCreated(head: Head, namesakes: readonly Head[], footersOf: (label: string) => readonly Icon[]): boolean {
  if (head.tee !== null || head.kind !== 'participant') return true;
  const isUnder = ({ left, right }: Icon | Head): boolean => left <= head.right && right >= head.left;
  return (
    namesakes.some((other) => other.top > head.top && isUnder(other)) ||
    footersOf(labelOf(head)).some((icon) => icon.top > head.bottom && isUnder(icon))
  );
}

/** The last icons under each name that stands above one, as it does in a footer. */
function lowestByName(canvas: Canvas, icons: readonly Icon[]): ReadonlyMap<string, readonly Icon[]> {
  const found = new Map<string, Icon[]>();
  for (const icon of icons.toReversed()) {
    const name = nameBeside(canvas, icon, icon.top - 1);
    if (name === null) continue;
    const label = canvas.text(name.row, name.from, name.to);
    const namesakes = found.get(label) ?? [];
    if (namesakes.length < NAMESAKES_MAX) namesakes.push(icon);
    found.set(label, namesakes);
  }
  return found;
}

/** In a footer the name stands above the icon. */
function footerOfIcons(canvas: Canvas, icons: readonly Icon[], found: readonly Lifeline[], below: number): number {
  let top = canvas.height;
  for (const icon of icons) {
    if (icon.top <= below + 1) continue;
    const owner = found.find(
      ({ column, kind, head }) =>
        kind === icon.kind && head.bottom < icon.top && column >= icon.left - 1 && column <= icon.right + 1,
    );
    if (owner !== undefined && nameIs(canvas, icon, owner.label)) top = Math.min(top, icon.top - 1);
  }
  return top;
}

function nameIs(canvas: Canvas, icon: Icon, label: string): boolean {
  const name = nameBeside(canvas, icon, icon.top - 1);
  return name !== null && canvas.text(name.row, name.from, name.to) === label;
}

/** Claims the heads, and whatever in the footer rows is a line, an icon or a name under its own lifeline. */
export function claimHeadsAndFooters(canvas: Canvas, { lifelines, bodyBottom }: Lifelines): void {
  for (const { head } of lifelines) canvas.claimBox(head.top, head.left, head.bottom, head.right, 'head');
  const reaches = lifelines.map(({ head }) => Math.max(Math.ceil((head.right - head.left) / 2) + 1, ICON_REACH));
  // Footers stand side by side; heads that overlap each other are no names.
  const reachMax = Math.ceil((FOOTERS_OVERLAP_MAX * canvas.width) / lifelines.length);
  const isSane = reaches.reduce((sum, reach) => sum + reach, 0) <= FOOTERS_OVERLAP_MAX * canvas.width;
  for (let row = bodyBottom; row < canvas.height; row++) {
    for (const [index, lifeline] of lifelines.entries()) {
      const reach = reaches[index] ?? ICON_REACH;
      claimFooter(canvas, row, lifeline, isSane ? reach : Math.min(reach, reachMax));
    }
  }
}

/** How many footers may stand over one cell on the average. */
const FOOTERS_OVERLAP_MAX = 4;

function claimFooter(canvas: Canvas, row: number, { head, column, label }: Lifeline, reach: number): void {
  const line = canvas.text(row, column - reach, column + reach);
  const isNamed = line.includes(label) || head.lines.some((name) => line.includes(name));
  for (let cell = column - reach; cell <= column + reach; cell++) {
    if (isNamed || BORDER.has(canvas.at(row, cell)) || canvas.at(row, cell) === 'X')
      canvas.claim(row, cell, cell, 'footer');
  }
}

/** Half the width of the widest icon. */
const ICON_REACH = 5;
