import { KIND, kindsOf } from './glyphs.ts';

/** One row of the drawing: a glyph per column. A wide character owns two columns, the second holds ''. */
export interface Row {
  readonly glyphs: readonly string[];
  /** For each column the UTF-16 offset of its glyph in the line of the given text. */
  readonly offsets: readonly number[];
}

/** What a cell was explained as. `free` cells that are not blank at the end are reported. */
export type Owner =
  | 'free'
  | 'head'
  | 'lifeline'
  | 'footer'
  | 'frame'
  | 'note'
  | 'divider'
  | 'cross'
  | 'shaft'
  | 'crossing'
  | 'label'
  | 'outside';

const OWNERS: readonly Owner[] = [
  'free',
  'head',
  'lifeline',
  'footer',
  'frame',
  'note',
  'divider',
  'cross',
  'shaft',
  'crossing',
  'label',
  'outside',
];
const NUMBER_OF = new Map(OWNERS.map((owner, index) => [owner, index]));

/** A run of cells of one row that no stage has explained yet, with at most single blanks inside. */
export interface Chunk {
  readonly row: number;
  readonly from: number;
  /** The last column, inclusive. */
  readonly to: number;
}

const NONE = new Uint16Array(0);

function kindsIn({ glyphs }: Row): Uint16Array {
  const kinds = new Uint16Array(glyphs.length);
  for (let column = 0; column < glyphs.length; column++) kinds[column] = kindsOf(glyphs[column] ?? ' ');
  return kinds;
}

const textOf = ({ glyphs }: Row): string | null =>
  glyphs.every((glyph) => glyph.length === 1) ? glyphs.join('') : null;

/** Longer to one side of a cell, a run is no loop. */
const RUN_MAX = 256;

/**
 * The drawing as cells, and who explains each of them. Every stage claims what it understands; a cell has one owner at
 * most, so nothing is read twice and what is left over is exactly what nobody understood.
 */
export class Canvas {
  readonly rows: readonly Row[];
  readonly width: number;
  /** For each row its owners, and the kinds of its glyphs. */
  readonly #owners: readonly Uint8Array[];
  readonly #kinds: readonly Uint16Array[];
  /** Rows in which every glyph is one UTF-16 unit, as a text; others are joined piece by piece. */
  readonly #texts: readonly (string | null)[];

  constructor(rows: readonly Row[], same?: Canvas) {
    this.rows = rows;
    this.width = rows.reduce((widest, row) => Math.max(widest, row.glyphs.length), 0);
    this.cells = rows.reduce((sum, row) => sum + row.glyphs.length, 0);
    this.#owners = rows.map((row) => new Uint8Array(row.glyphs.length));
    this.#kinds = same === undefined ? rows.map(kindsIn) : same.#kinds;
    this.#texts = same === undefined ? rows.map(textOf) : same.#texts;
  }

  /** The same drawing, of which nothing is explained yet. */
  unclaimed(): Canvas {
    return new Canvas(this.rows, this);
  }

  /** How many cells there are in all rows. */
  readonly cells: number;

  get height(): number {
    return this.rows.length;
  }

  /** The glyph at a cell; a blank everywhere outside. */
  at(row: number, column: number): string {
    return this.rows[row]?.glyphs[column] ?? ' ';
  }

  isBlank(row: number, column: number): boolean {
    return ((this.#kinds[row]?.[column] ?? KIND.blank) & KIND.blank) !== 0;
  }

  /** Whether the glyph at a cell is of one of these kinds, which are bits of `KIND`. */
  is(row: number, column: number, kinds: number): boolean {
    return ((this.#kinds[row]?.[column] ?? KIND.blank) & kinds) !== 0;
  }

  /** The kinds of all glyphs of a row. */
  kindsOf(row: number): Uint16Array {
    return this.#kinds[row] ?? NONE;
  }

  ownerAt(row: number, column: number): Owner {
    return OWNERS[this.#owners[row]?.[column] ?? 0] ?? 'free';
  }

  /** Whether one of the cells from..to belongs to this owner. */
  holds(row: number, from: number, to: number, owner: Owner): boolean {
    const found = this.#owners[row]?.indexOf(NUMBER_OF.get(owner) ?? 0, Math.max(0, from)) ?? -1;
    return found >= 0 && found <= to;
  }

  isFree(row: number, column: number): boolean {
    return (this.#owners[row]?.[column] ?? 0) === 0;
  }

  /** Claims the cells from..to that are still free and not blank. */
  claim(row: number, from: number, to: number, owner: Owner): void {
    const [owners, kinds] = [this.#owners[row], this.#kinds[row]];
    if (owners === undefined || kinds === undefined) return;
    const number = NUMBER_OF.get(owner) ?? 0;
    const last = Math.min(to, owners.length - 1);
    for (let column = Math.max(0, from); column <= last; column++) {
      if (owners[column] === 0 && ((kinds[column] ?? 0) & KIND.blank) === 0) owners[column] = number;
    }
  }

  claimBox(top: number, left: number, bottom: number, right: number, owner: Owner): void {
    for (let row = top; row <= bottom; row++) this.claim(row, left, right, owner);
  }

  text(row: number, from: number, to: number): string {
    const text = this.#texts[row];
    const start = Math.max(0, from);
    if (typeof text === 'string') return text.slice(start, Math.max(start, to + 1));
    return this.rows[row]?.glyphs.slice(start, to + 1).join('') ?? '';
  }

  /** Whether `pattern`, of signs of one UTF-16 unit, stands exactly at the cell; a blank in it must be blank there. */
  matches(row: number, column: number, pattern: string): boolean {
    for (let index = 0; index < pattern.length; index++)
      if (this.at(row, column + index) !== pattern[index]) return false;
    return true;
  }

  /** The unexplained runs of a row, from left to right; two blanks, or an explained cell, part two runs. */
  chunks(row: number): Chunk[] {
    return this.chunksFrom(row, 0, (this.rows[row]?.glyphs.length ?? 0) - 1);
  }

  /** Those of the runs that begin between two columns. */
  chunksFrom(row: number, first: number, last: number): Chunk[] {
    const found: Chunk[] = [];
    const [kinds, owners] = [this.#kinds[row], this.#owners[row]];
    if (kinds === undefined || owners === undefined) return found;
    const end = Math.min(last, kinds.length - 1);
    let column = Math.max(0, first);
    // What goes on from before has begun there.
    if (this.#goesOn(row, column)) column = this.#runEnd(row, column) + 1;
    else if (this.#isGap(row, column)) column = this.#runEnd(row, column + 1) + 1;
    for (; column <= end; column++) {
      if (owners[column] !== 0 || ((kinds[column] ?? 0) & KIND.blank) !== 0) continue;
      const to = this.#runEnd(row, column);
      found.push({ row, from: column, to });
      column = to;
    }
    return found;
  }

  #isInk(row: number, column: number): boolean {
    return this.isFree(row, column) && !this.isBlank(row, column);
  }

  /** Whether a cell is the blank between two words of a run. */
  #isGap(row: number, column: number): boolean {
    return (
      this.isFree(row, column) &&
      this.isBlank(row, column) &&
      this.#isInk(row, column - 1) &&
      this.#isInk(row, column + 1)
    );
  }

  /** Whether a cell belongs to the run of a cell before it. */
  #goesOn(row: number, column: number): boolean {
    if (!this.#isInk(row, column)) return false;
    if (this.#isInk(row, column - 1)) return true;
    return this.isFree(row, column - 1) && this.#isInk(row, column - 2);
  }

  /** The last cell of the run from a cell on; one blank inside is no end. */
  #runEnd(row: number, column: number): number {
    let to = column;
    for (;;) {
      if (this.#isInk(row, to + 1)) to += 1;
      else if (this.isFree(row, to + 1) && this.#isInk(row, to + 2)) to += 2;
      else return to;
    }
  }

  /** The first unexplained run that has a cell between `left` and `right`, a very long one cut. */
  chunkIn(row: number, left: number, right: number, reach = RUN_MAX): Chunk | null {
    let start = left;
    while (start <= right && !this.#isInk(row, start)) start++;
    if (start > right) return null;
    let [from, to] = [start, start];
    while (start - from < reach && this.#goesOn(row, from)) from -= this.#isInk(row, from - 1) ? 1 : 2;
    while (to - start < reach) {
      if (this.#isInk(row, to + 1)) to += 1;
      else if (this.isFree(row, to + 1) && this.#isInk(row, to + 2)) to += 2;
      else break;
    }
    return { row, from, to };
  }
}
