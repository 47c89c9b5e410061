import {
  type CellsOf,
  type Ends,
  endsOf,
  FRAME_STEP,
  type Layout,
  layOut,
  LOOP_REACH,
  oneLine,
  rowsOf,
  SHAFTS,
  spanOf,
  TEXT_GAP,
  TIPS,
} from './print-ascii-layout.ts';
import { arrivals } from './overtaking.ts';
import type { Activation, Diagram, Fragment, Message, Note, Operand } from './types.ts';
import { walkDiagram } from './walk.ts';

/** Larger drawings are not made: nobody looks at them, and nothing reads them. */
const COLUMNS_MAX = 4_000;
const LINES_MAX = 10_000;

/**
 * A diagram as a drawing in Unicode characters, which reads back as the same diagram apart from places and ids; null if it would be
 * too large. `cellsOf` says how wide its characters are shown. What a drawing cannot say is left out: empty notes, rows of
 * nothing inside a text, bars that close without having been opened.
 */
export function printAscii(diagram: Diagram, cellsOf: CellsOf): string | null {
  const layout = layOut(diagram, cellsOf);
  if (layout.width > COLUMNS_MAX) return null;
  return new Drawing(diagram, layout, cellsOf).draw();
}

/** A row while it is drawn: one glyph a column. */
type Cells = string[];

class Drawing {
  readonly #diagram: Diagram;
  readonly #layout: Layout;
  readonly #cellsOf: CellsOf;
  readonly #indexOf: ReadonlyMap<string, number>;
  readonly #rows: string[] = [];
  readonly #alive: boolean[];
  readonly #bars: number[];
  readonly #destroyed = new Map<number, number[]>();
  /** Of messages that are sent while others are on their way, by index, what is received before the next one is sent. */
  readonly #arriving: ReadonlyMap<number, readonly number[]>;
  /** Messages that are on their way. */
  readonly #flying = new Set<number>();
  #depth = 0;
  /** The message that comes next, and how many borders of fragments were drawn since the one above. */
  #next = 0;
  #borders = 0;
  #notesDone = 0;
  #activationsDone = 0;

  constructor(diagram: Diagram, layout: Layout, cellsOf: CellsOf) {
    this.#diagram = diagram;
    this.#layout = layout;
    this.#cellsOf = cellsOf;
    this.#indexOf = new Map(diagram.participants.map(({ id }, index) => [id, index]));
    this.#alive = diagram.participants.map(({ createdBy }) => createdBy === undefined);
    this.#bars = diagram.participants.map(() => 0);
    diagram.participants.forEach(({ destroyedBy }, index) => {
      if (destroyedBy !== undefined)
        this.#destroyed.set(destroyedBy, [...(this.#destroyed.get(destroyedBy) ?? []), index]);
    });
    this.#arriving = arrivals(diagram);
  }

  draw(): string | null {
    const title = oneLine(this.#diagram.title ?? '');
    if (title !== '') this.#rows.push(` ${title}`, '');
    this.#heads();
    this.#blank();
    for (const event of walkDiagram(this.#diagram)) {
      if (this.#rows.length > LINES_MAX) return null;
      if (event.kind === 'message') this.#message(event.message, event.index);
      else if (event.kind === 'operand')
        this.#operand(this.#diagram.fragments[event.inside.fragment], event.operand, event.index);
      else if (event.kind === 'leave') this.#leave();
    }
    this.#before(this.#diagram.messages.length);
    return this.#rows.length > LINES_MAX ? null : `${this.#rows.join('\n')}\n`;
  }

  // ------------------------------------------------------------------------------------------------------------ rows

  /** A row with what goes on through it: the sides of frames, lifelines and bars. */
  #base(): Cells {
    const cells = Array<string>(this.#layout.width).fill(' ');
    for (let depth = 0; depth < this.#depth; depth++) {
      for (const column of this.#sides(depth)) cells[column] = '│';
    }
    this.#layout.columns.forEach((column, index) => {
      if (this.#alive[index] === true) drawLifeline(cells, column, this.#bars[index] ?? 0);
    });
    for (const message of this.#flying) cells[this.#layout.turns.get(message) ?? 0] = '│';
    return cells;
  }

  #sides(depth: number): readonly [number, number] {
    return [FRAME_STEP * depth + 1, this.#layout.width - 2 - FRAME_STEP * depth];
  }

  #push(cells: Cells): void {
    this.#rows.push(cells.join('').trimEnd());
  }

  #blank(): void {
    this.#push(this.#base());
  }

  #write(cells: Cells, column: number, text: string): void {
    this.#cellsOf(text).forEach((glyph, offset) => (cells[column + offset] = glyph));
  }

  /** The columns that a lifeline takes, its bars included. */
  #extent(index: number): readonly [number, number] {
    const column = this.#layout.columns[index] ?? (index < 0 ? -1 : this.#layout.width);
    const depth = this.#bars[index] ?? 0;
    return depth === 0 ? [column, column] : [column - 1, column + depth];
  }

  // ----------------------------------------------------------------------------------------------------------- heads

  #heads(): void {
    const { participants } = this.#diagram;
    const drawn = participants.flatMap(({ createdBy }, index) => (createdBy === undefined ? [index] : []));
    const height = Math.max(...drawn.map((index) => (this.#layout.heads[index]?.length ?? 0) + 2), 0);
    for (let row = 0; row < height; row++) {
      const cells = Array<string>(this.#layout.width).fill(' ');
      for (const index of drawn)
        this.#headRow(cells, index, row - height + (this.#layout.heads[index]?.length ?? 0) + 2);
      this.#push(cells);
    }
  }

  /** One row of a head; row 0 is its upper border. */
  #headRow(cells: Cells, index: number, row: number): void {
    const { heads, columns, before, after } = this.#layout;
    const rows = heads[index] ?? [];
    if (row < 0) return;
    const [left, right] = [(columns[index] ?? 0) - (before[index] ?? 0), (columns[index] ?? 0) + (after[index] ?? 0)];
    const isBorder = row === 0 || row === rows.length + 1;
    for (let column = left + 1; column < right; column++) cells[column] = isBorder ? '─' : ' ';
    cells[left] = row === 0 ? '┌' : isBorder ? '└' : '│';
    cells[right] = row === 0 ? '┐' : isBorder ? '┘' : '│';
    if (row === rows.length + 1) cells[columns[index] ?? 0] = '┬';
    if (isBorder) return;
    const text = rows[row - 1] ?? '';
    const free = right - left - 1 - this.#cellsOf(text).length;
    this.#write(cells, left + 1 + Math.floor(free / 2), text);
  }

  // -------------------------------------------------------------------------------------------------------- messages

  #message(message: Message, index: number): void {
    this.#before(index);
    const ends = endsOf(message, this.#indexOf);
    const arriving = this.#arriving.get(index) ?? [index];
    const isLate = arriving[0] !== index;
    if (isLate) this.#departure(message, index, ends);
    else if (ends.left === ends.right) this.#loop(message, ends.left);
    else this.#arrow(message, index, ends);
    for (const gone of this.#destroyed.get(index) ?? [])
      if (!isLate || this.#idAt(gone) === message.from) this.#destroy(gone);
    this.#blank();
    for (const late of isLate ? arriving : arriving.slice(1)) this.#arrival(late);
    this.#next = index + 1;
    this.#borders = 0;
  }

  #idAt(participant: number): string | undefined {
    return this.#diagram.participants[participant]?.id;
  }

  /** The row on which a message is sent that may be overtaken: its line turns down. */
  #departure({ line }: Message, index: number, { left, right, isLeftwards }: Ends): void {
    const cells = this.#base();
    const turn = this.#layout.turns.get(index) ?? 0;
    const [first, last] = isLeftwards ? [turn + 1, this.#extent(right)[0] - 1] : [this.#extent(left)[1] + 1, turn - 1];
    for (let column = first; column <= last; column++) cells[column] = SHAFTS[line];
    cells[turn] = isLeftwards ? '┌' : '┐';
    this.#push(cells);
    this.#flying.add(index);
  }

  /** The rows on which it is received: its label, and the rest of its line. */
  #arrival(index: number): void {
    const message = this.#diagram.messages[index];
    if (message === undefined) return;
    this.#arrow(message, index, endsOf(message, this.#indexOf));
    for (const gone of this.#destroyed.get(index) ?? [])
      if (this.#alive[gone] === true && this.#idAt(gone) === message.to) this.#destroy(gone);
    this.#blank();
  }

  #arrow(message: Message, index: number, ends: Ends): void {
    const { columns, after, heads } = this.#layout;
    const target = message.to === null ? -1 : (this.#indexOf.get(message.to) ?? -1);
    const created = this.#diagram.participants[target]?.createdBy === index ? target : -1;
    const rows = rowsOf(message.text);
    const label = ends.gap === 0 ? FRAME_STEP * this.#depth + TEXT_GAP + 1 : this.#extent(ends.gap - 1)[1] + TEXT_GAP;
    // The head of a participant that is created by an arrow from the right stands before the label.
    const start =
      created === ends.gap - 1 && created >= 0 ? (columns[created] ?? 0) + (after[created] ?? 0) + TEXT_GAP : label;
    const height = (heads[created]?.length ?? 0) + 2;
    const shaftRow = Math.floor(height / 2);
    const all = Array.from(
      { length: Math.max(rows.length, shaftRow) },
      (_, row) => rows[row - Math.max(0, shaftRow - rows.length)] ?? '',
    );
    (created < 0 ? rows : all).forEach((text, row, { length }) => {
      const cells = this.#base();
      if (created >= 0) this.#headRow(cells, created, shaftRow - length + row);
      this.#write(cells, start, text);
      this.#push(cells);
    });
    const turn = this.#flying.delete(index) ? this.#layout.turns.get(index) : undefined;
    const cells = this.#base();
    if (created >= 0) this.#headRow(cells, created, shaftRow);
    this.#shaft(cells, message, ends, { created, turn });
    this.#push(cells);
    for (let row = shaftRow + 1; created >= 0 && row < height; row++) {
      const below = this.#base();
      this.#headRow(below, created, row);
      this.#push(below);
    }
    if (created >= 0) this.#alive[created] = true;
  }

  /** `turn`: the column in which the line of a message that was overtaken comes down. */
  #shaft(
    cells: Cells,
    { line, head }: Message,
    { left, right, isLeftwards }: Ends,
    { created, turn }: { readonly created: number; readonly turn: number | undefined },
  ): void {
    const { columns, before, after, width } = this.#layout;
    const edge = (index: number, side: 0 | 1): number => {
      if (index < 0) return -1;
      if (index >= columns.length) return width;
      const column = columns[index] ?? 0;
      if (index === created) return side === 0 ? column - (before[index] ?? 0) : column + (after[index] ?? 0);
      return this.#extent(index)[side];
    };
    const from = turn !== undefined && !isLeftwards ? turn : edge(left, 1) + 1;
    const to = turn !== undefined && isLeftwards ? turn : edge(right, 0) - 1;
    for (let column = from; column <= to; column++) cells[column] = SHAFTS[line];
    if (turn !== undefined) cells[turn] = isLeftwards ? '┘' : '└';
    const [rightTip, leftTip] = TIPS[head];
    if (head === 'none') cells[isLeftwards ? to + 1 : from - 1] = isLeftwards ? '┤' : '├';
    else cells[isLeftwards ? from : to] = isLeftwards ? leftTip : rightTip;
  }

  #loop({ text, line, head }: Message, index: number): void {
    const edge = this.#extent(index)[1];
    const corner = edge + LOOP_REACH;
    const out = this.#base();
    const back = this.#base();
    for (let column = edge + 1; column < corner; column++) out[column] = back[column] = SHAFTS[line];
    out[corner] = '┐';
    back[corner] = '┘';
    if (head === 'none') out[edge] = '├';
    else back[edge + 1] = TIPS[head][1];
    this.#push(out);
    const rows = rowsOf(text);
    const [first = '', ...rest] = rows;
    const middle = this.#base();
    middle[corner] = '│';
    this.#write(middle, corner + TEXT_GAP, first);
    this.#push(middle);
    const [second = '', ...others] = rest;
    this.#write(back, corner + TEXT_GAP, second);
    this.#push(back);
    for (const row of others) {
      const cells = this.#base();
      this.#write(cells, corner + TEXT_GAP, row);
      this.#push(cells);
    }
  }

  #destroy(index: number): void {
    this.#alive[index] = false;
    this.#bars[index] = 0;
    const cells = this.#base();
    cells[this.#layout.columns[index] ?? 0] = '×';
    this.#push(cells);
  }

  // -------------------------------------------------------------------------------------------------- notes and bars

  /** Notes and bars that stand before a message, wherever that is nested. */
  #before(index: number): void {
    this.#marks(() => true, index);
  }

  /** A border of a fragment comes next: what stands above it is drawn first. */
  #passBorder(): void {
    this.#marks(({ before, borders }) => before < this.#next || (borders ?? 0) <= this.#borders, this.#next);
    this.#borders++;
  }

  #marks(isDue: (mark: Note | Activation) => boolean, index: number): void {
    const { notes, activations } = this.#diagram;
    for (let note = notes[this.#notesDone]; note !== undefined && note.before <= index && isDue(note);) {
      this.#note(note);
      note = notes[++this.#notesDone];
    }
    for (let bar = activations[this.#activationsDone]; bar !== undefined && bar.before <= index && isDue(bar);) {
      this.#bar(bar);
      bar = activations[++this.#activationsDone];
    }
  }

  #note(note: Note): void {
    const rows = rowsOf(note.text);
    if (rows.length === 0) return;
    const { columns, bars } = this.#layout;
    const { first, last } = spanOf(note, this.#indexOf);
    const inner = Math.max(...rows.map((row) => this.#cellsOf(row).length)) + 2;
    const [start, end] = [columns[first] ?? 0, columns[last] ?? 0];
    let [left, right] = [start - 2, Math.max(end + (bars[last] ?? 0) + 2, start - 1 + inner)];
    if (note.placement === 'right')
      [left, right] = [start + (bars[first] ?? 0) + 3, start + (bars[first] ?? 0) + 4 + inner];
    if (note.placement === 'left') [left, right] = [start - 5 - inner, start - 4];
    const border = (ends: string): void => {
      const cells = this.#base();
      for (let column = left + 1; column < right; column++) cells[column] = '═';
      [cells[left], cells[right]] = [ends[0] ?? '', ends[1] ?? ''];
      this.#push(cells);
    };
    border('╔╗');
    for (const row of rows) {
      const cells = this.#base();
      for (let column = left + 1; column < right; column++) cells[column] = ' ';
      this.#write(cells, left + 2, row);
      [cells[left], cells[right]] = ['║', '║'];
      this.#push(cells);
    }
    border('╚╝');
    this.#blank();
  }

  #bar({ participant, on }: Activation): void {
    const index = this.#indexOf.get(participant) ?? -1;
    const depth = this.#bars[index];
    if (depth === undefined || this.#alive[index] !== true || (!on && depth === 0)) return;
    const inner = on ? depth : depth - 1;
    this.#bars[index] = inner;
    const cells = this.#base();
    const left = (this.#layout.columns[index] ?? 0) - 1 + inner;
    for (let column = left - inner; column < left; column++) cells[column] = '│';
    Array.from(on ? '┌┴┐' : '└┬┘').forEach((glyph, offset) => (cells[left + offset] = glyph));
    this.#push(cells);
    this.#bars[index] = on ? depth + 1 : inner;
    this.#blank();
  }

  // ---------------------------------------------------------------------------------------------------------- frames

  #operand(fragment: Fragment | undefined, { guard }: Operand, index: number): void {
    if (fragment === undefined) return;
    this.#passBorder();
    const text = oneLine(guard);
    if (index === 0) {
      this.#border(this.#depth, '┌', '┐', '─', `─[${fragment.kind}${text === '' ? '' : ` ${text}`}]`);
      this.#depth++;
    } else this.#border(this.#depth - 1, '├', '┤', '┈', text === '' ? '' : `┈[${text}]`);
    this.#blank();
  }

  #leave(): void {
    this.#passBorder();
    this.#depth--;
    this.#border(this.#depth, '└', '┘', '─', '');
    this.#blank();
  }

  #border(depth: number, start: string, end: string, fill: string, title: string): void {
    const cells = this.#base();
    const [left, right] = this.#sides(depth);
    for (let column = left + 1; column < right; column++) cells[column] = fill;
    [cells[left], cells[right]] = [start, end];
    this.#write(cells, left + 1, title);
    this.#push(cells);
  }
}

function drawLifeline(cells: Cells, column: number, depth: number): void {
  if (depth === 0) cells[column] = '│';
  else {
    for (let offset = 0; offset < depth; offset++) cells[column - 1 + offset] = '│';
    cells[column + depth] = '│';
  }
}
