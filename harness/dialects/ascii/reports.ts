import type { Diagnostic, Severity } from '../../diagnostics/index.ts';
import { wholeFile, type Place, type TextSource } from '../../diagram/index.ts';
import type { Canvas } from './canvas.ts';

/** Every diagnostic of this dialect: how bad it is, and what to do about it. Codes are never reused. */
export const CATALOGUE = {
  ASC100: ['error', 'split the drawing into several, or use a Mermaid diagram'],
  ASC101: ['info', 'indent the first row like the rows below it to be safe'],
  ASC102: ['error', 'correct the source and draw it again; the tool wrote its error message instead of a diagram'],
  ASC103: ['error', 'draw a box, or write a name, above each lifeline, and let the lifelines run down with │ or |'],
  ASC104: ['error', 'draw at least one arrow from one lifeline to another, such as ───> or --->'],
  ASC105: ['error', 'give every participant a name of its own'],
  ASC106: ['error', 'write the name of the participant right above its lifeline, or draw it in a box there'],
  ASC107: ['error', 'put each drawing into a fence, or a file, of its own'],
  ASC110: ['error', 'end the arrow with a head, > or <, right before a lifeline'],
  ASC111: ['error', 'draw the shaft in one piece: ─────> or ----->, dashed ─ ─ ─ > or - - - >'],
  ASC112: ['error', 'let both ends of the arrow touch a lifeline'],
  ASC113: ['error', 'move the end of the arrow next to the lifeline it belongs to'],
  ASC114: ['error', 'draw a message to oneself as a loop: ────┐ and <───┘ below it'],
  ASC115: ['error', 'draw one arrow for each message; a head on both sides of a lifeline says two things'],
  ASC116: ['warning', 'let the arrow end on a lifeline, or begin at the edge of the drawing if it comes from outside'],
  ASC117: ['error', 'put the two arrows on rows of their own, so that their order can be seen'],
  ASC118: ['info', 'draw two arrows if their order matters'],
  ASC119: ['error', 'close the loop with <───┘ under its corner, on the same columns'],
  ASC120: ['error', 'write the text right above the arrow it belongs to, or take it out of the drawing'],
  ASC121: ['error', 'remove it, or connect it to a lifeline, a box or an arrow'],
  ASC122: ['info', 'write the label above its arrow'],
  ASC123: ['info', 'keep labels clear of the lifelines they cross'],
  ASC124: ['warning', 'compare this label with the source; something is drawn over it'],
  ASC125: ['info', 'put arrows that are not meant to be simultaneous on rows of their own'],
  ASC126: [
    'error',
    'draw the arrow outside of it, between lifelines that can be seen; a frame around arrows needs a keyword in its corner',
  ],
  ASC127: ['info', 'draw both ends of each message in one compartment, if their order matters'],
  ASC128: ['info', 'close the gap, so that nobody takes the two halves for two lifelines'],
  ASC129: ['info', 'draw the right border down to the lower right corner'],
  ASC130: ['error', 'draw the frame on all four sides; its lower border stands under its left corner'],
  ASC131: ['error', 'draw one frame inside the other, or below it'],
  ASC132: [
    'error',
    'write alt, opt, loop, par, critical or break into its upper left corner, with the guard behind it: alt [accepted]',
  ],
  ASC133: ['error', 'draw frames around messages only, or use a Mermaid diagram'],
  ASC134: ['error', 'draw the box down to its lower border; the text may have been cut'],
  ASC135: ['error', 'draw a frame around the messages, with the keyword in its corner, or use a Mermaid diagram'],
  ASC140: ['info', 'stereotypes carry no meaning here; the name alone counts'],
  ASC141: ['info', 'move text that is no part of the diagram out of the drawing'],
  ASC142: ['info', 'leave nothing but the names above the lifelines'],
  ASC143: ['info', 'draw an arrow under it if it is a message'],
  ASC144: ['info', 'groups of participants carry no meaning here'],
  ASC145: ['info', 'draw solid arrows with ─ and dashed ones with gaps, ─ ─ ─'],
  ASC146: ['info', 'write alt, opt, loop, par, critical or break into its corner if that is what it means'],
  ASC147: ['warning', 'let the loop begin at its own lifeline'],
  ASC148: ['warning', 'leave a row free between an arrow and the label of the next one'],
  ASC149: ['info', 'draw solid arrows with - and dashed ones with gaps, - - -'],
  ASC150: ['info', 'draw the cross under the last message of the lifeline'],
  ASC151: ['warning', 'remove it, here and below; it is read as a blank or as nothing'],
  ASC152: ['info', 'let both ends of the arrow touch a lifeline'],
  ASC153: ['info', 'draw the dots on the lifelines if time passes there'],
  ASC154: ['info', 'draw the frame with all four corners'],
} as const satisfies Record<string, readonly [Severity, string]>;

export type Code = keyof typeof CATALOGUE;

/** A run of cells of one row; `to` is inclusive. */
export interface Cells {
  readonly row: number;
  readonly from: number;
  readonly to: number;
}

interface Finding extends Omit<Diagnostic, 'file' | 'line' | 'column' | 'endColumn'> {
  readonly cells: Cells;
}

/** More findings than this say nothing new; the last one says that there are more. */
const REPORTS_MAX = 200;

/** A box at the foot of a lifeline is as high, a border of a frame above it counted. */
const FOOTER_ROWS = 4;

interface Named {
  readonly label: string;
  readonly column: number;
}

/** A lifeline that nobody is named for, and that is told already. */
interface Nameless {
  readonly column: number;
  readonly top: number;
  readonly bottom: number;
  /** How wide the box at its foot may be. */
  readonly left: number;
  readonly right: number;
}

const SHAFTS: ReadonlySet<Code> = new Set<Code>(['ASC110', 'ASC111', 'ASC112']);
/** The last dash of a line with gaps may stand a blank away, and a bar be as wide. */
const BESIDE_MAX = 2;

/** The columns of the named lifelines on both sides of one without a name: what is drawn between them may be at that one. */
interface Gap {
  readonly from: number;
  readonly to: number;
}

/** What cannot be read because nobody is named at one of its ends. */
const FOLLOWING: ReadonlySet<Code> = new Set<Code>([
  'ASC110',
  'ASC111',
  'ASC112',
  'ASC113',
  'ASC114',
  'ASC117',
  'ASC119',
  'ASC120',
  'ASC121',
  'ASC126',
]);

/** By bisection: the lifelines are sorted, and there may be as many reports as cells. */
function nearestTo(lifelines: readonly Named[], column: number): Named | undefined {
  let [low, high] = [0, lifelines.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lifelines[middle]?.column ?? 0) < column) low = middle + 1;
    else high = middle;
  }
  const [after, before] = [lifelines[low], lifelines[low - 1]];
  if (after === undefined || before === undefined) return after ?? before;
  return column - before.column < after.column - column ? before : after;
}

/** Collects what the author is told, with places in the original file. */
export class Reports {
  readonly #canvas: Canvas;
  #source: TextSource;
  readonly #found: Finding[] = [];
  #lifelines: readonly Named[] = [];
  readonly #nameless: (Nameless & { readonly gap: Gap })[] = [];

  constructor(canvas: Canvas, source: TextSource = wholeFile('', '')) {
    this.#canvas = canvas;
    this.#source = source;
  }

  /** Where the drawing stands; places are looked up last, so that a text may be looked at before anybody says. */
  knowSource(source: TextSource): void {
    this.#source = source;
  }

  hasErrors(): boolean {
    return this.#found.some(({ severity }) => severity === 'error');
  }

  /** Whether nothing more will be told, so that nobody needs to find out what it would be. */
  get isFull(): boolean {
    return this.#found.length > REPORTS_MAX;
  }

  has(code: Code): boolean {
    return this.#found.some((found) => found.code === code);
  }

  /** From now on errors name the lifelines that are nearest to their cells. */
  knowLifelines(lifelines: readonly Named[]): void {
    this.#lifelines = lifelines;
  }

  /** From now on what ends at this lifeline, and the box at its foot, is not told: the missing name is its cause. */
  knowNameless(nameless: Nameless): void {
    const { column } = nameless;
    const from = this.#lifelines.findLast((one) => one.column < column)?.column ?? -Infinity;
    const to = this.#lifelines.find((one) => one.column > column)?.column ?? Infinity;
    this.#nameless.push({ ...nameless, gap: { from, to } });
  }

  /** Whether something fails only because of a lifeline without a name, which is an error itself. */
  #follows(code: Code, { row, from, to }: Cells): boolean {
    if (!FOLLOWING.has(code)) return false;
    return this.#nameless.some(({ column, top, bottom, left, right, gap }) => {
      if (row > bottom) return row <= bottom + FOOTER_ROWS && from <= right && to >= left;
      // A shaft at a lifeline with a name, that ends before this one, is wrong by itself.
      const isAtOther = SHAFTS.has(code) && (from - gap.from <= BESIDE_MAX || gap.to - to <= BESIDE_MAX);
      if (row < top || from >= gap.to || to <= gap.from) return false;
      return !isAtOther || (from <= column + BESIDE_MAX && to >= column - BESIDE_MAX);
    });
  }

  add(code: Code, { row, from, to }: Cells, message: string): void {
    if (this.isFull || this.#follows(code, { row, from, to })) return;
    const cut = this.#found.length === REPORTS_MAX;
    const [severity, hint] = CATALOGUE[code];
    this.#found.push({
      code,
      severity: cut ? 'error' : severity,
      message: `${message}${this.#near(code, from, to)}${cut ? '; there is more like this, which is not listed' : ''}`,
      hint,
      cells: { row, from, to },
    });
  }

  #placed({ cells: { row, from, to }, ...found }: Finding): Diagnostic {
    const { line, column } = this.placeOf(row, from);
    const end = this.placeOf(row, to + 1);
    const endColumn = end.line === line && end.column > column ? { endColumn: end.column } : {};
    return { ...found, file: this.#source.file, line, column, ...endColumn };
  }

  /** `, between Shop and Bank`: rows of a wide drawing look alike, so the author is told where to look. */
  #near(code: Code, from: number, to: number): string {
    if (CATALOGUE[code][0] !== 'error' || code < 'ASC110' || this.#lifelines.length === 0) return '';
    const first = nearestTo(this.#lifelines, from)?.label ?? '';
    const last = nearestTo(this.#lifelines, to)?.label ?? '';
    return first === last ? `, at ${first}` : `, between ${first} and ${last}`;
  }

  /** The place of a cell in the original file. */
  placeOf(row: number, column: number): Place {
    const offsets = this.#canvas.rows[row]?.offsets ?? [];
    const offset = offsets[Math.min(Math.max(column, 0), offsets.length - 1)] ?? 0;
    return this.#source.place(row + 1, offset + 1);
  }

  /** In the order of the text. */
  inOrder(): readonly Diagnostic[] {
    const placed = this.#found.map((found) => this.#placed(found));
    return placed.sort((a, b) => a.line - b.line || a.column - b.column);
  }
}
