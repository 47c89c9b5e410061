import type { Line } from '../../diagram/index.ts';
import type { Canvas, Chunk } from './canvas.ts';
import { labelOf } from './heads.ts';
import { quoted } from './leftovers.ts';
import type { Lifeline } from './lifelines.ts';
import type { DrawnMessage } from './messages.ts';
import type { NoteBox } from './notes.ts';
import type { Reports } from './reports.ts';

/** What a drawing without lifelines says: two names over two columns of text, arrows in the gutter between them. */
export interface ColumnDrawing {
  readonly lifelines: readonly [Lifeline, Lifeline];
  readonly messages: readonly DrawnMessage[];
  readonly notes: readonly NoteBox[];
}

/** An arrow that stands free on its row, or the dots of one that has not arrived. */
interface Token {
  readonly from: number;
  readonly to: number;
  readonly leftHead: boolean;
  readonly rightHead: boolean;
  readonly line: Line;
}

type Side = 0 | 1;

interface Setting {
  readonly canvas: Canvas;
  readonly reports: Reports;
  readonly lifelines: readonly [Lifeline, Lifeline];
  readonly tokens: ReadonlyMap<number, readonly Token[]>;
  /** The columns between the two texts. */
  readonly gutter: { readonly from: number; readonly to: number };
  readonly lastArrow: number;
}

const HEADER_ROWS_MAX = 8;
/** Blanks between the two names. */
const GUTTER_MIN = 8;
const ARROWS_MIN = 2;
/** How far a column of text may begin from the name above it. */
const SLACK = 2;

/**
 * Reads drawings without lifelines, as the RFCs of TLS and TCP have them. A flight is some rows of one column, with the arrow
 * in the gutter on the last of them; or the label stands between two stubs that point the same way, states on both sides:
 *
 *     Client                     Server          Peer A                        Peer B
 *     hello                                      SENT  --> <SEQ=1><SYN>  -->  RECEIVED
 *     + key           -------->
 *
 * Null where there are not two names and two such arrows.
 */
export function readTextColumns(canvas: Canvas, reports: Reports): ColumnDrawing | null {
  const header = headerOf(canvas);
  if (header === null) return null;
  const [left, right] = header;
  const tokens = tokensByRow(canvas, left.row + 1);
  const rows = [...tokens.values()];
  if (rows.filter((row) => row.some(isArrow)).length < ARROWS_MIN) return null;
  // Within a row the tokens are sorted.
  const gutter = {
    from: rows.reduce((first, row) => Math.min(first, row[0]?.from ?? first), Infinity),
    to: rows.reduce((last, row) => Math.max(last, row.at(-1)?.to ?? last), -1),
  };
  const setting: Setting = {
    canvas,
    reports,
    lifelines: [toLifeline(canvas, left), toLifeline(canvas, right)],
    tokens,
    gutter,
    lastArrow: Math.max(...tokens.keys()),
  };
  // A shaft that reaches over a name is no gutter: another drawing.
  if (gutter.from <= left.from || gutter.to >= right.to) return null;
  reports.knowLifelines(setting.lifelines);
  for (const { row, from, to } of header) canvas.claim(row, from, to, 'head');
  claimUnderlines(canvas, left.row + 1);
  claimBrackets(setting);
  const isStubs = [...tokens.values()].some((row) => row.length >= 2);
  const read = isStubs ? readStubs(setting) : { messages: readFlights(setting), notes: [] };
  reportLeftovers(setting);
  return { lifelines: setting.lifelines, ...read };
}

/** The two names: the first row of two texts with a gutter between them, and nothing drawn. */
function headerOf(canvas: Canvas): readonly [Chunk, Chunk] | null {
  let seen = 0;
  for (let row = 0; row < canvas.height && seen < HEADER_ROWS_MAX; row++) {
    const chunks = canvas.chunks(row);
    if (chunks.length > 0) seen++;
    const [left, right] = chunks;
    if (chunks.length !== 2 || left === undefined || right === undefined) continue;
    const isName = ({ from, to }: Chunk): boolean => /^[\p{L}\p{N}][^<>|│+=]*$/u.test(canvas.text(row, from, to));
    return right.from - left.to > GUTTER_MIN && isName(left) && isName(right) ? [left, right] : null;
  }
  return null;
}

function toLifeline(canvas: Canvas, { row, from, to }: Chunk): Lifeline {
  const name = { lines: [canvas.text(row, from, to)], kind: 'participant', nameRow: row, nameColumn: from } as const;
  const head = { ...name, top: row, bottom: row, left: from, right: to, tee: null };
  return { label: labelOf(head), kind: head.kind, head, column: Math.floor((from + to) / 2), created: false };
}

function claimUnderlines(canvas: Canvas, row: number): void {
  for (const { from, to } of canvas.chunks(row))
    if (/^[-=~─═]{3,}$/.test(canvas.text(row, from, to))) canvas.claim(row, from, to, 'head');
}

/** Brackets beside the columns, `^ | v`, and what is written beside them: they sort the texts, and send nothing. */
function claimBrackets({ canvas, reports, lifelines: [left, right], lastArrow }: Setting): void {
  const claimRun = (top: number, column: number): void => {
    let row = top + 1;
    while (row <= lastArrow && canvas.at(row, column) === '|') row++;
    if (canvas.at(row, column) !== 'v') return;
    const [from, to] = column < left.head.left ? [0, column] : [column, canvas.width];
    for (let at = top; at <= row; at++) canvas.claim(at, from, to, 'outside');
    reports.add('ASC142', { row: top, from: column, to: column }, 'a bracket beside the columns is not read');
  };
  for (let row = left.head.bottom + 1; row <= lastArrow; row++) {
    canvas.rows[row]?.glyphs.forEach((glyph, column) => {
      if (glyph === '^' && (column < left.head.left || column > right.head.right)) claimRun(row, column);
    });
  }
}

// --------------------------------------------------------------------------------------------------------------- arrows

const TOKEN =
  /(?<=^|\s)(?:(?<dots>\.{3})|(?<left>[<◄◀◁←])?(?<shaft>[-─━═=╌┄┈]{2,}|[-─](?: [-─]){1,60} ?)(?<right>[>►▶▷→])?)(?=\s|$)/gu;

const isArrow = ({ leftHead, rightHead }: Token): boolean => leftHead || rightHead;

function tokensByRow(canvas: Canvas, top: number): ReadonlyMap<number, readonly Token[]> {
  const found = new Map<number, readonly Token[]>();
  for (let row = top; row < canvas.height; row++) {
    // One character for each cell, so that places in the text are places in the row.
    const cells = (canvas.rows[row]?.glyphs ?? []).map((glyph) => glyph.slice(0, 1) || ' ').join('');
    const tokens = [...cells.matchAll(TOKEN)].flatMap((match): Token[] => {
      const { dots, left, shaft = '', right } = match.groups ?? {};
      if (dots === undefined && left === undefined && right === undefined) return [];
      const line = /[ ╌┄┈]/.test(shaft.trim()) ? 'dashed' : 'solid';
      const ends = { from: match.index, to: match.index + match[0].length - 1 };
      return [{ ...ends, leftHead: left !== undefined, rightHead: right !== undefined, line }];
    });
    if (tokens.length > 0) found.set(row, tokens);
  }
  return found;
}

function messageOf(
  { canvas, reports, lifelines }: Setting,
  side: Side,
  label: readonly Chunk[],
  cells: { readonly row: number; readonly from: number; readonly line: Line },
): DrawnMessage {
  for (const { row, from, to } of label) canvas.claim(row, from, to, 'label');
  const [first] = label;
  const rows = new Map<number, string>();
  for (const { row, from, to } of label)
    rows.set(row, [rows.get(row), canvas.text(row, from, to)].filter((part) => part !== undefined).join(' '));
  return {
    from: lifelines[side],
    to: lifelines[side === 0 ? 1 : 0],
    text: [...rows.values()].join('\n'),
    line: cells.line,
    head: 'arrow',
    at: reports.placeOf(first?.row ?? cells.row, first?.from ?? cells.from),
    row: cells.row,
    labelTop: first?.row ?? cells.row,
    sentRow: cells.row,
    receivedRow: cells.row,
    received: null,
    together: null,
  };
}

// -------------------------------------------------------------------------------------------------------------- flights

function readFlights(setting: Setting): DrawnMessage[] {
  const { canvas, reports, lifelines, tokens, lastArrow } = setting;
  const messages: DrawnMessage[] = [];
  let pending: readonly [Chunk[], Chunk[]] = [[], []];
  for (let row = lifelines[0].head.bottom + 1; row <= lastArrow; row++) {
    const [token] = tokens.get(row) ?? [];
    if (token !== undefined) canvas.claim(row, token.from, token.to, 'shaft');
    for (const chunk of canvas.chunks(row)) {
      const side = columnOf(setting, chunk);
      if (side !== null) pending[side].push(chunk);
    }
    if (token === undefined) continue;
    const cells = { ...token, row };
    const there = token.rightHead ? [messageOf(setting, 0, pending[0], cells)] : [];
    const back = token.leftHead ? [messageOf(setting, 1, pending[1], cells)] : [];
    if (there.length + back.length === 2)
      reports.add('ASC118', cells, 'this arrow has two heads; read as one message each way, in either order');
    messages.push(
      ...[...there, ...back].map((message, index, both) => ({ ...message, together: togetherOf(index, both.length) })),
    );
    if (!isArrow(token)) reports.add('ASC111', cells, 'these dots are no arrow');
    pending = [[], []];
  }
  return messages;
}

const togetherOf = (index: number, count: number): number | null => (count < 2 ? null : index === 0 ? count : 0);

/** The column a text stands in: on one side of the gutter; on the left it begins under its name, or was written to something else. */
function columnOf({ canvas, lifelines: [left], gutter }: Setting, { row, from, to }: Chunk): Side | null {
  // A piece of a shaft that has its label in it.
  if (/^[-─=]{2,}|[-─=]{2,}$/.test(canvas.text(row, from, to))) return null;
  if (from > gutter.to) return 1;
  return to < gutter.to && from >= left.head.left - SLACK && from <= left.head.right + SLACK ? 0 : null;
}

// ---------------------------------------------------------------------------------------------------------------- stubs

/** `SENT --> <SYN> --> RECEIVED`: two stubs that point the same way are one arrow, and the text between them is its label. */
function readStubs(setting: Setting): {
  readonly messages: readonly DrawnMessage[];
  readonly notes: readonly NoteBox[];
} {
  const { canvas, reports, lifelines, tokens } = setting;
  const messages: DrawnMessage[] = [];
  const states: Chunk[] = [];
  for (let row = lifelines[0].head.bottom + 1; row < canvas.height; row++) {
    const here = tokens.get(row) ?? [];
    for (const { from, to } of here) canvas.claim(row, from, to, 'shaft');
    const [first, last] = [here[0], here.at(-1)];
    if (first !== undefined && last !== undefined) messages.push(...betweenStubs(setting, row, here));
    for (const chunk of canvas.chunks(row)) {
      if (isNumber(setting, chunk)) canvas.claim(row, chunk.from, chunk.to, 'outside');
      else if (isState(setting, chunk)) states.push(chunk);
    }
  }
  const [first] = states;
  if (first !== undefined) reports.add('ASC143', first, 'states beside the arrows are read as notes, here and below');
  const notes = states.map(({ row, from, to }) => {
    canvas.claim(row, from, to, 'note');
    return { lines: [canvas.text(row, from, to).replace(NUMBER, '')], top: row, bottom: row, left: from, right: to };
  });
  return { messages, notes: notes.filter(({ lines: [text] }) => text !== '') };
}

const NUMBER = /^\d+[.)]\s*/;

function betweenStubs(setting: Setting, row: number, tokens: readonly Token[]): DrawnMessage[] {
  const { canvas, reports } = setting;
  const [first, second] = tokens;
  const cells = { row, from: first?.from ?? 0, to: tokens.at(-1)?.to ?? 0 };
  const label = canvas.chunks(row).filter(({ from, to }) => from > cells.from && to < cells.to);
  const isOneWay =
    first !== undefined &&
    second !== undefined &&
    tokens.length === 2 &&
    first.leftHead === second.leftHead &&
    first.rightHead === second.rightHead;
  if (isOneWay && first.leftHead !== first.rightHead)
    return [messageOf(setting, first.rightHead ? 0 : 1, label, { ...cells, line: first.line })];
  for (const { from, to } of label) canvas.claim(row, from, to, 'label');
  const isInFlight = tokens.some((token) => !isArrow(token));
  const message = isInFlight
    ? 'this arrow is still in flight; only arrows on one row are read'
    : 'an arrow that is drawn as stubs has two of them, which point the same way';
  reports.add('ASC111', cells, message);
  return [];
}

/** The number of a step, at the left edge. */
const isNumber = ({ canvas, lifelines }: Setting, { row, from, to }: Chunk): boolean =>
  /^\d+[.)]$/.test(canvas.text(row, from, to)) && to < lifelines[0].head.left;

/** A text under one of the names. */
const isState = ({ lifelines }: Setting, { from, to }: Chunk): boolean =>
  lifelines.some(({ head }) => from <= head.right + SLACK && to >= head.left - SLACK);

// ------------------------------------------------------------------------------------------------------------ leftovers

/** Texts in a column that no arrow carries are errors; below the last arrow only while they stand in one column. */
function reportLeftovers(setting: Setting): void {
  const { canvas, reports, gutter, lastArrow } = setting;
  for (let row = setting.lifelines[0].head.bottom + 1; row < canvas.height; row++) {
    const chunks = canvas.chunks(row);
    const [from, to] = [chunks[0]?.from ?? 0, chunks.at(-1)?.to ?? 0];
    const isOutside = row > lastArrow && from < gutter.to && to > gutter.from;
    for (const chunk of chunks) {
      const text = canvas.text(row, chunk.from, chunk.to);
      if (isOutside)
        reports.add('ASC141', chunk, `this text stands outside the drawing and is not read: ${quoted(text)}`);
      else reports.add('ASC120', chunk, `no arrow says where this text goes: ${quoted(text)}`);
      canvas.claim(row, chunk.from, chunk.to, 'outside');
    }
  }
}
