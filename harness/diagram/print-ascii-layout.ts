import { isLate, overtakings } from './overtaking.ts';
import type { Diagram, Head, Line, Message, Note } from './types.ts';
import { walkDiagram } from './walk.ts';

/** A text as columns: one entry each, '' for the second column of a wide character. */
export type CellsOf = (text: string) => readonly string[];

/** A text row by row, as it can be drawn: without blanks at the ends, without control characters. */
export function rowsOf(text: string): readonly string[] {
  const rows = text.split(/\r\n|\n|\r/).map((row) => row.replace(/\p{Cc}/gu, ' ').trim());
  return rows.length === 1 && rows[0] === '' ? [] : rows;
}

export const oneLine = (text: string): string => rowsOf(text).join(' ').replace(/\s+/g, ' ').trim();

/** How participants are called in a drawing, which knows one name only: by label, with the id where two share one. */
export function drawnNames(diagram: Diagram): readonly string[] {
  const labels = diagram.participants.map(({ id, label }) => oneLine(label) || oneLine(id) || '?');
  const used = new Set<string>();
  return labels.map((label, index) => {
    const id = oneLine(diagram.participants[index]?.id ?? '');
    const isShared = labels.filter((other) => other === label).length > 1;
    let name = isShared && id !== label && id !== '' ? `${label} (${id})` : label;
    for (let count = 2; used.has(name); count++) name = `${label} (${count})`;
    used.add(name);
    return name;
  });
}

/** Where everything stands that does not depend on the row. */
export interface Layout {
  readonly names: readonly string[];
  /** The rows inside each head. */
  readonly heads: readonly (readonly string[])[];
  readonly columns: readonly number[];
  /** Columns of a head to the left and to the right of its lifeline. */
  readonly before: readonly number[];
  readonly after: readonly number[];
  /** The most bars that are open at once, per lifeline. */
  readonly bars: readonly number[];
  /** Of messages that may be overtaken, by index, the column in which their line goes down. */
  readonly turns: ReadonlyMap<number, number>;
  readonly width: number;
}

/** Blanks between a lifeline, or its bars, and a text. */
export const TEXT_GAP = 2;
/** Columns from a lifeline to the corner of a loop. */
export const LOOP_REACH = 4;
export const FRAME_STEP = 2;

/** Finds the columns: every gap is as wide as the widest thing that stands in it. */
export function layOut(diagram: Diagram, cellsOf: CellsOf): Layout {
  const { participants } = diagram;
  const names = drawnNames(diagram);
  const heads = participants.map(({ kind }, index) => {
    const name = names[index] ?? '';
    return kind === 'participant' ? [name] : [`<<${kind}>>`, name];
  });
  const inner = heads.map((rows) => Math.max(...rows.map((row) => cellsOf(row).length)) + 2);
  const before = inner.map((width) => Math.floor((width + 1) / 2));
  const after = inner.map((width, index) => width + 1 - (before[index] ?? 0));
  const bars = barsOf(diagram);
  const { depth, title } = framesOf(diagram, cellsOf);
  // Gap `index` is to the right of lifeline `index - 1`; the first and the last one are the margins.
  const gaps = Array<number>(participants.length + 1).fill(0);
  const reserved = gaps.slice();
  const need = (gap: number, width: number): void => {
    gaps[gap] = Math.max(gaps[gap] ?? 0, width);
  };
  for (let index = 0; index <= participants.length; index++) {
    need(index, (after[index - 1] ?? 0) + (before[index] ?? 0) + 3 + (bars[index - 1] ?? 0) + 4);
  }
  needOfTexts(diagram, { cellsOf, before, after, bars }, need);
  const offsets = turnsOf(diagram, before);
  for (const { right, offset } of offsets.values()) reserved[right] = Math.max(reserved[right] ?? 0, offset + TEXT_GAP);
  reserved.forEach((width, gap) => (gaps[gap] = (gaps[gap] ?? 0) + width));
  const columns: number[] = [];
  let column = (gaps[0] ?? 0) + FRAME_STEP * depth + 1;
  participants.forEach((_, index) => {
    columns.push(column);
    column += gaps[index + 1] ?? 0;
  });
  const width = Math.max(column + FRAME_STEP * depth + 1, title + 2 * FRAME_STEP * depth + 8);
  const turns = new Map(
    [...offsets].map(([message, { right, offset }]) => [message, (columns[right] ?? 0) - offset] as const),
  );
  return { names, heads, columns, before, after, bars, turns, width };
}

/** Columns between two lines that go down beside each other. */
const TURN_STEP = 2;

/**
 * How far to the left of its right lifeline the line of each message that may be overtaken goes down: clear of that one's head and
 * bar, and each of those that are on their way at once in a column of its own.
 */
function turnsOf(
  diagram: Diagram,
  before: readonly number[],
): ReadonlyMap<number, { readonly right: number; readonly offset: number }> {
  const indexOf = new Map(diagram.participants.map(({ id }, index) => [id, index]));
  const turns = new Map<number, { readonly right: number; readonly offset: number }>();
  for (const { ends } of overtakings(diagram)) {
    const late = new Set(ends.flatMap(({ message }, at) => (isLate(ends, at) ? [message] : [])));
    const onTheWay = new Map<number, { readonly right: number; readonly slot: number }>();
    for (const { message, end } of ends) {
      const drawn = diagram.messages[message];
      if (!late.has(message) || drawn === undefined) continue;
      if (end === 'receipt') {
        onTheWay.delete(message);
        continue;
      }
      const { right } = endsOf(drawn, indexOf);
      const taken = new Set([...onTheWay.values()].flatMap((other) => (other.right === right ? [other.slot] : [])));
      let slot = 0;
      while (taken.has(slot)) slot++;
      onTheWay.set(message, { right, slot });
      turns.set(message, { right, offset: (before[right] ?? 0) + 4 + TURN_STEP * slot });
    }
  }
  return turns;
}

function barsOf({ participants, activations }: Diagram): number[] {
  const now = new Map<string, number>();
  const most = new Map<string, number>();
  for (const { participant, on } of activations) {
    const count = Math.max(0, (now.get(participant) ?? 0) + (on ? 1 : -1));
    now.set(participant, count);
    most.set(participant, Math.max(most.get(participant) ?? 0, count));
  }
  return participants.map(({ id }) => most.get(id) ?? 0);
}

/** How deep frames stand in each other, and the longest text in one of their borders. */
function framesOf(diagram: Diagram, cellsOf: CellsOf): { readonly depth: number; readonly title: number } {
  let [depth, deepest, title] = [0, 0, 0];
  for (const event of walkDiagram(diagram)) {
    if (event.kind === 'enter') deepest = Math.max(deepest, ++depth);
    else if (event.kind === 'leave') depth--;
    else if (event.kind === 'operand') title = Math.max(title, cellsOf(oneLine(event.operand.guard)).length + 16);
  }
  return { depth: deepest, title };
}

interface Sizes {
  readonly cellsOf: CellsOf;
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly bars: readonly number[];
}

function needOfTexts(diagram: Diagram, sizes: Sizes, need: (gap: number, width: number) => void): void {
  const { cellsOf, before, after, bars } = sizes;
  const indexOf = new Map(diagram.participants.map(({ id }, index) => [id, index]));
  const widthOf = (text: string): number => Math.max(0, ...rowsOf(text).map((row) => cellsOf(row).length));
  for (const message of diagram.messages) {
    const ends = endsOf(message, indexOf);
    const depth = bars[ends.gap - 1] ?? 0;
    const loop = ends.left === ends.right ? LOOP_REACH : 0;
    const heads = (after[ends.gap - 1] ?? 0) + (before[ends.gap] ?? 0);
    need(ends.gap, widthOf(message.text) + depth + loop + heads + 4 * TEXT_GAP);
  }
  for (const note of diagram.notes) {
    const { first, last } = spanOf(note, indexOf);
    const width = widthOf(note.text);
    const depth = Math.max(bars[first - 1] ?? 0, bars[first] ?? 0, bars[last] ?? 0);
    if (note.placement === 'left') need(first, width + 3 * depth + 18);
    else need(note.placement === 'right' || first === last ? first + 1 : last, width + 3 * depth + 18);
  }
}

/** The lifelines an arrow runs between, and the gap its label stands in; an end outside is -1, or one past the last. */
export interface Ends {
  readonly left: number;
  readonly right: number;
  readonly gap: number;
  readonly isLeftwards: boolean;
}

export function endsOf({ from, to }: Message, indexOf: ReadonlyMap<string, number>): Ends {
  const tail = from === null ? -1 : (indexOf.get(from) ?? -1);
  const tip = to === null ? indexOf.size : (indexOf.get(to) ?? indexOf.size);
  const [left, right] = [Math.min(tail, tip), Math.max(tail, tip)];
  // What comes from outside has its label right before its lifeline.
  return { left, right, gap: from === null ? right : left + 1, isLeftwards: tip < tail };
}

/** The first and the last lifeline that a note is about. */
export function spanOf(
  { participants }: Note,
  indexOf: ReadonlyMap<string, number>,
): { readonly first: number; readonly last: number } {
  const indices = participants.map((id) => indexOf.get(id) ?? 0);
  return { first: Math.min(...indices, indexOf.size), last: Math.max(...indices, 0) };
}

/** The tips of arrows that point to the right; those to the left mirror them. Without a head a tee at the tail says who sends. */
export const TIPS: Readonly<Record<Head, readonly [right: string, left: string]>> = {
  arrow: ['►', '◄'],
  none: ['', ''],
  cross: ['×', '×'],
  open: ['▷', '◁'],
  'half-top': ['⇀', '↼'],
  'half-bottom': ['⇁', '↽'],
  'stick-top': ['↗', '↖'],
  'stick-bottom': ['↘', '↙'],
};

export const SHAFTS: Readonly<Record<Line, string>> = { solid: '─', dashed: '╌' };
