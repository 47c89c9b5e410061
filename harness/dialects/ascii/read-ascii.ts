import type { Read } from '../../diagnostics/index.ts';
import {
  type Activation,
  type Diagram,
  type Message,
  type Note,
  type Participant,
  type TextSource,
} from '../../diagram/index.ts';
import { readArrows } from './arrows.ts';
import { readBars, type BarEdge } from './bars.ts';
import { findBoxes } from './boxes.ts';
import { Canvas } from './canvas.ts';
import { REMEMBERED_MAX, toCells, type Cells } from './cells.ts';
import { readCompactFrames } from './compact-frames.ts';
import { readCrosses, type Cross } from './crosses.ts';
import { readCrossings } from './crossings.ts';
import { readDrawnFrames } from './drawn-frames.ts';
import { readFrames, type Frame } from './frames.ts';
import { KIND } from './glyphs.ts';
import { claimGroups } from './groups.ts';
import { findHeads, stereotypesOf, type Head } from './heads.ts';
import { findIcons } from './icons.ts';
import { readLabels, type Labels } from './labels.ts';
import { readLocalTexts } from './local-texts.ts';
import { claimTitle, readLeftovers } from './leftovers.ts';
import { claimHeadsAndFooters, countBefore, findLifelines, LIFELINES_MAX, type Lifeline } from './lifelines.ts';
import { readLoops } from './loops.ts';
import { claimTimes } from './margin.ts';
import { orderMessages, type DrawnMessage } from './messages.ts';
import { reportBrokenHeads, reportNameless } from './nameless.ts';
import { readNamesAgain } from './names-again.ts';
import { readStates, type State } from './states.ts';
import { readDelays, readDividers, readNotes, type NoteBox } from './notes.ts';
import { isReference, readReferences } from './references.ts';
import { Reports } from './reports.ts';
import { reportSwallowed } from './swallowed.ts';
import { isDialogue, readTallBoxes } from './tall-boxes.ts';
import { readTextColumns, type ColumnDrawing } from './text-columns.ts';
import { buildTree } from './tree.ts';

/**
 * Reads a sequence diagram that is drawn with characters. Stages: cells, boxes, lifelines, frames, arrows, labels,
 * leftovers; each claims the cells it can explain, and what is left over is reported.
 *
 * A message's place is the first cell of its label where it has one, else the first cell of its shaft.
 */
export function readAscii(text: string, source: TextSource): Read<Diagram> {
  const cells = toCells(text);
  if ('tooLarge' in cells) {
    const reports = new Reports(new Canvas([]), { ...source, place: () => source.place(cells.line, 1) });
    reports.add(
      'ASC100',
      { row: cells.line - 1, from: 0, to: 0 },
      `this drawing is too large to be read: ${cells.tooLarge}`,
    );
    return { value: emptyDiagram(source), diagnostics: reports.inOrder() };
  }
  const errorPage = toolError(cells.canvas);
  if (errorPage !== null) {
    const reports = new Reports(cells.canvas, source);
    reports.add('ASC102', errorPage, 'this is an error message of the drawing tool, not a diagram');
    return { value: emptyDiagram(source), diagnostics: reports.inOrder() };
  }
  const scan = takeScan(text) ?? scanOf(text, cells);
  scan.reports.knowSource(source);
  return { value: readDrawing(scan, source), diagnostics: scan.reports.inOrder() };
}

/** A drawing up to the labels, which are all that `looksLikeAscii` needs. Reading goes on from there, and uses it up. */
interface Scan {
  readonly text: string;
  readonly canvas: Canvas;
  readonly reports: Reports;
  readonly drawing: ReturnType<typeof stages>;
  readonly labels: () => Labels | null;
}

function scanOf(text: string, { canvas, firstRow, firstRowShift }: Cells): Scan {
  const reports = new Reports(canvas);
  if (firstRowShift > 0) {
    const row = { row: firstRow, from: 0, to: 0 };
    reports.add('ASC101', row, `the first row has lost its indent; read as if it had ${firstRowShift} columns more`);
  }
  reportHidden(text, canvas, reports);
  const drawing = stages(canvas, reports);
  let labels: Labels | null = null;
  const readOnce = (): Labels | null => {
    if (drawing === null) return null;
    const { skeleton, bars, arrows, loops } = drawing;
    labels ??= readLabels({ canvas, skeleton, bars, reports }, arrows, loops);
    return labels;
  };
  return { text, canvas, reports, drawing, labels: readOnce };
}

/** What was looked at last, if it was taken for a drawing: it is read next, if at all. */
let looked: Scan | null = null;

function takeScan(text: string): Scan | null {
  const scan = looked;
  looked = null;
  return scan?.text === text ? scan : null;
}

/** Control characters, and signs that turn the direction of what follows: nobody sees them, and columns are not where they seem. */
const HIDDEN = /(?![\t\n\f\r])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

function reportHidden(text: string, canvas: Canvas, reports: Reports): void {
  if (!HIDDEN.test(text)) return;
  for (const [row, line] of text.split(/\r\n|\n|\r/).entries()) {
    const found = HIDDEN.exec(line);
    if (found === null) continue;
    const column = Math.max(0, canvas.rows[row]?.offsets.lastIndexOf(found.index) ?? 0);
    const code = (found[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    reports.add('ASC151', { row, from: column, to: column }, `a character that cannot be seen stands here, U+${code}`);
    return;
  }
}

const ARROW_LIKE = /[-─━═╌┄┈.·_—–‐‑‒−⎯┅╍] ?[>►▶▷→⟶⇒▸➡×xX)]|[<◄◀◁←⟵⇐◂⬅×xX(] ?[-─━═╌┄┈.·_—–‐‑‒−⎯┅╍]|([→⟶⇒⟹➔←⟵⇐⟸])\1/u;

/** Whether a text is a drawn sequence diagram, well drawn or not: at least two participants, and something like an arrow. */
export function looksLikeAscii(text: string): boolean {
  if (!ARROW_LIKE.test(text)) return false;
  const cells = toCells(text);
  if ('tooLarge' in cells) return false;
  const scan = scanOf(text, cells);
  const isDrawing = isSequence(scan);
  // Columns of text are read as a whole, so that nothing is left to go on from.
  const isKept = isDrawing && scan.drawing !== null && scan.canvas.cells <= REMEMBERED_MAX;
  looked = isKept ? scan : null;
  return isDrawing;
}

function isSequence({ canvas, reports, drawing, labels }: Scan): boolean {
  if (drawing === null) return readTextColumns(canvas, reports) !== null && !reports.hasErrors();
  if (drawing.skeleton.lifelines.length < 2) return false;
  if (!drawing.arrows.some(({ refused }) => !refused)) return false;
  const texts = labels()?.of ?? new Map();
  if (drawing.areBoxes) return isDialogue(drawing.arrows, texts) && strangeShare(canvas) <= CAPTION_SHARE_MAX;
  const { lifelines, bodyBottom } = drawing.skeleton;
  const top = Math.min(...lifelines.map(({ head }) => head.top));
  return strangeShare(canvas, { top, bottom: bodyBottom }) <= STRANGE_SHARE_MAX;
}

const LINE_DOWN = KIND.vertical | KIND.tee | KIND.stem;
const LINE_WORK = LINE_DOWN | KIND.horizontal;

/** Nothing but a caption may be left of tall boxes: pictures of architectures are drawn much like them. */
const CAPTION_SHARE_MAX = 0.1;

/** Other drawings (architectures, state machines, plots) leave most of their cells unexplained; damaged diagrams few. */
const STRANGE_SHARE_MAX = 0.3;

/** How much of a drawing nothing explains; what is written above and below it, without a line in it, is no part of it. */
function strangeShare(canvas: Canvas, { top, bottom } = { top: 0, bottom: Infinity }): number {
  let ink = 0;
  let strange = 0;
  for (let row = 0; row < canvas.height; row++) {
    const lines = row < top ? LINE_WORK : row >= bottom ? LINE_DOWN : 0;
    if (lines !== 0 && !canvas.kindsOf(row).some((kinds) => (kinds & lines) !== 0)) continue;
    canvas.rows[row]?.glyphs.forEach((glyph, column) => {
      if (glyph === ' ') return;
      ink++;
      if (canvas.isFree(row, column)) strange++;
    });
  }
  return ink === 0 ? 1 : strange / ink;
}

/** Whether PlantUML wrote an error message where a drawing was asked for. */
export function isErrorPage(text: string): boolean {
  if (!/PlantUML|plantuml|\[From .* \(line \d+\) \]/.test(text)) return false;
  const cells = toCells(text);
  return !('tooLarge' in cells) && toolError(cells.canvas) !== null;
}

const TOOL_ERROR =
  /Syntax Error\?|has crashed|\bat [\w.$]+\([\w]+\.java:\d+\)|^\s*\[From .* \(line \d+\) \]|^\s*java\.[\w.]+(?:Exception|Error)/;

function toolError(canvas: Canvas): { row: number; from: number; to: number } | null {
  for (let row = 0; row < canvas.height; row++) {
    const length = canvas.rows[row]?.glyphs.length ?? 0;
    const match = TOOL_ERROR.exec(canvas.text(row, 0, length));
    if (match !== null) return { row, from: match.index, to: match.index + match[0].length - 1 };
  }
  return null;
}

/** Everything up to the labels: who takes part, and what is drawn between them. */
function stages(canvas: Canvas, reports: Reports) {
  const tall = readTallBoxes(canvas, reports);
  if (tall !== null) return { ...tall, areBoxes: true, columns: new Set<number>(), frames: [], crosses: [], loops: [] };
  const boxes = findBoxes(canvas);
  const icons = findIcons(canvas);
  const named = boxes.filter((box) => !isReference(canvas, box));
  const heads = findHeads(canvas, named, icons);
  const skeleton = readNamesAgain(canvas, heads, findLifelines(canvas, heads, icons), reports);
  const { lifelines, bodyTop, bodyBottom, noteHeads } = skeleton;
  if (lifelines.length === 0) return null;
  const surplus = lifelines[LIFELINES_MAX];
  if (surplus !== undefined) {
    const { nameRow: row, nameColumn: from } = surplus.head;
    reports.add('ASC100', { row, from, to: from }, `more than ${LIFELINES_MAX} participants are drawn here`);
    return null;
  }
  reports.knowLifelines(lifelines);
  const columns = new Set(lifelines.map(({ column }) => column));
  for (const chunk of skeleton.doubtful)
    reports.add('ASC142', chunk, 'this text stands above one name only; read as a part of that name');
  for (const lifeline of lifelines) claimHead(canvas, lifeline);
  claimGroups(canvas, boxes, reports);
  // Frames come first: a box around lifelines must never be taken for a note, which would swallow the arrows in it.
  const frames = [
    ...readCompactFrames(canvas, columns, reports),
    ...readFrames(canvas, columns, reports),
    ...readReferences(canvas, bodyTop, columns),
    ...readDrawnFrames(canvas, { bodyTop, columns }, reports),
  ].sort((a, b) => a.top - b.top || a.left - b.left);
  const notes = readNotes(canvas, noteHeads);
  claimHeadsAndFooters(canvas, skeleton);
  const dividers = readDividers(canvas, skeleton);
  const crosses = readCrosses(canvas, lifelines, bodyBottom);
  const states = readStates(canvas, skeleton);
  const bars = readBars(canvas, skeleton, states, reports);
  const setting = { canvas, skeleton, bars, reports };
  // What goes down between the two ends of one message is no lifeline.
  const crossings = readCrossings({ ...setting, notes });
  reportBrokenHeads(canvas, skeleton, reports);
  reportNameless(canvas, skeleton, reports);
  const loops = readLoops(setting);
  const straight = readArrows(setting);
  if (reports.has('ASC100')) return null;
  const arrows = [...crossings, ...straight].sort((a, b) => a.row - b.row || a.from - b.from);
  return {
    areBoxes: false,
    skeleton,
    columns,
    notes: [
      ...notes.filter((note) => !lifelines.some(({ head }) => holdsName(note, head))),
      ...dividers,
      ...states.filter(({ text }) => /[\p{L}\p{N}]/u.test(text)).map(noteOfState),
    ],
    frames,
    crosses,
    bars,
    loops,
    arrows,
  };
}

/** A head with double lines looks like a note. */
const holdsName = ({ top, bottom, left, right }: NoteBox, { nameRow, nameColumn }: Head): boolean =>
  top <= nameRow && nameRow <= bottom && left <= nameColumn && nameColumn <= right;

const noteOfState = ({ row, from, to, text, lifeline }: State): NoteBox => ({
  lines: [text],
  top: row,
  bottom: row,
  left: Math.min(from, lifeline.column),
  right: Math.max(to, lifeline.column),
});

const claimHead = (canvas: Canvas, { head }: Lifeline): void => {
  canvas.claimBox(head.top, head.left, head.bottom, head.right, 'head');
};

function readDrawing({ canvas, reports, drawing, labels: labelsOf }: Scan, source: TextSource): Diagram {
  const columns = drawing === null && !reports.has('ASC100') ? readTextColumns(canvas, reports) : null;
  if (columns !== null) return ofColumns(canvas, columns, source, reports);
  const labels = labelsOf();
  if (drawing === null || labels === null) {
    if (!reports.has('ASC100'))
      reports.add('ASC103', firstInk(canvas), 'no participants: nothing here looks like named lifelines');
    return emptyDiagram(source);
  }
  const { skeleton, frames, crosses, bars, loops, arrows } = drawing;
  claimTimes(canvas, skeleton, bars, reports);
  const delays = readDelays(canvas, drawing.columns, skeleton.bodyTop, skeleton.bodyBottom);
  const locals = readLocalTexts({ canvas, skeleton, bars, reports });
  // Heads right above their footers, as PlantUML draws who has nothing to say, leave pieces that say no more than that.
  const isEmpty = arrows.length + loops.length === 0 && skeleton.bodyTop >= skeleton.bodyBottom;
  const title = isEmpty ? null : readLeftovers(canvas, skeleton, bars, reports);
  reportSwallowed(canvas, skeleton, reports);
  const borders = bordersOf(frames);
  const messages = orderMessages([...arrows, ...loops], labels.of, borders, reports);
  // Where an arrow was refused, its own error says more.
  if (messages.length === 0 && arrows.length + loops.length === 0 && !reports.has('ASC111') && !reports.has('ASC106'))
    reports.add('ASC104', firstInk(canvas), 'no arrows: this drawing says nothing about messages');
  reportNames(skeleton.lifelines, reports);
  return {
    ...emptyDiagram(source),
    ...(title === null ? {} : { title }),
    participants: participantsOf(skeleton.lifelines, messages, crosses, reports),
    messages: messages.map(toMessage),
    ...buildTree(frames, messages, reports),
    notes: [...drawing.notes, ...labels.remarks, ...delays, ...locals]
      .map((note) => toNote(note, skeleton.lifelines, messages, reports, borders))
      .sort(byPosition),
    activations: bars.edges
      .toSorted((a, b) => a.row - b.row)
      .map((edge) => toActivation(edge, messages, borders))
      .sort(byPosition),
  };
}

/** A drawing without lifelines: two columns of text, and arrows between them. */
function ofColumns(
  canvas: Canvas,
  { lifelines, messages, notes }: ColumnDrawing,
  source: TextSource,
  reports: Reports,
): Diagram {
  const title = claimTitle(canvas, lifelines[0].head.top, reports);
  reportNames(lifelines, reports);
  return {
    ...emptyDiagram(source),
    ...(title === null ? {} : { title }),
    participants: participantsOf(lifelines, messages, [], reports),
    messages: messages.map(toMessage),
    ...buildTree([], messages, reports),
    notes: notes.map((note) => toNote(note, lifelines, messages, reports, [])).sort(byPosition),
  };
}

const toMessage = ({ from, to, text, line, head, at, received }: DrawnMessage): Message => ({
  from: idOf(from),
  to: idOf(to),
  text,
  line,
  head,
  at,
  ...(received === null ? {} : { received }),
});

const idOf = (lifeline: Lifeline | null): string | null => lifeline?.label ?? null;
interface Position {
  readonly before: number;
  readonly borders?: number;
}
const byPosition = (a: Position, b: Position): number => a.before - b.before || (a.borders ?? 0) - (b.borders ?? 0);

function emptyDiagram({ file, name }: TextSource): Diagram {
  return {
    name,
    file,
    dialect: 'ascii',
    participants: [],
    messages: [],
    fragments: [],
    items: [],
    notes: [],
    activations: [],
    steps: [],
  };
}

function firstInk(canvas: Canvas): { row: number; from: number; to: number } {
  for (let row = 0; row < canvas.height; row++) {
    const [chunk] = canvas.chunks(row);
    if (chunk !== undefined) return chunk;
    const column = canvas.rows[row]?.glyphs.findIndex((glyph) => glyph !== ' ') ?? -1;
    if (column >= 0) return { row, from: column, to: column };
  }
  return { row: 0, from: 0, to: 0 };
}

function reportNames(lifelines: readonly Lifeline[], reports: Reports): void {
  const seen = new Set<string>();
  for (const { label, head } of lifelines) {
    const cells = { row: head.nameRow, from: head.nameColumn, to: head.nameColumn + label.length - 1 };
    if (seen.has(label)) reports.add('ASC105', cells, `two participants are called "${label}"`);
    seen.add(label);
    const stereotypes = stereotypesOf(head);
    if (stereotypes.length > 0) reports.add('ASC140', cells, `${stereotypes.join(' ')} of "${label}" is not read`);
  }
}

// -------------------------------------------------------------------------------------------------------- participants

function participantsOf(
  lifelines: readonly Lifeline[],
  messages: readonly DrawnMessage[],
  crosses: readonly Cross[],
  reports: Reports,
): Participant[] {
  return lifelines.map((lifeline) => {
    const { label, kind, head, created } = lifeline;
    const createdBy = created
      ? messages.findIndex(
          ({ to, receivedRow }) => to === lifeline && receivedRow >= head.top && receivedRow <= head.bottom,
        )
      : -1;
    const cross = crosses.find((one) => one.lifeline === lifeline);
    const destroyedBy = cross === undefined ? -1 : lastMessage(cross, messages, reports);
    return {
      id: label,
      label,
      kind,
      at: reports.placeOf(head.nameRow, head.nameColumn),
      ...(createdBy < 0 ? {} : { createdBy }),
      ...(destroyedBy < 0 ? {} : { destroyedBy }),
    };
  });
}

/**
 * PlantUML draws the cross one message above the one that destroys, so the last message of the lifeline is meant,
 * wherever the cross stands. More than one message below it says that the drawing was not made that way.
 */
function lastMessage({ lifeline, row }: Cross, messages: readonly DrawnMessage[], reports: Reports): number {
  const touching = messages.map((message) => lastRowAt(message, lifeline));
  const later = touching.filter((own) => own > row);
  if (later.length > 1) {
    const cells = { row, from: lifeline.column, to: lifeline.column };
    reports.add('ASC150', cells, `${lifeline.label} ends here, but ${later.length} messages below still touch it`);
  }
  const last = Math.max(...touching);
  return last < 0 ? -1 : touching.lastIndexOf(last);
}

/** The last row on which a message touches the lifeline; -1: none. */
const lastRowAt = ({ from, to, sentRow, receivedRow }: DrawnMessage, lifeline: Lifeline): number =>
  to === lifeline ? receivedRow : from === lifeline ? sentRow : -1;

// ------------------------------------------------------------------------------------------------ notes and activations

/** How many of some things in ascending order there are below a limit; there may be as many notes as messages. */
function countWhile<T>(sorted: readonly T[], isBelow: (one: T) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const one = sorted[middle];
    if (one !== undefined && isBelow(one)) low = middle + 1;
    else high = middle;
  }
  return low;
}

const countUpTo = (messages: readonly DrawnMessage[], row: number): number =>
  countWhile(messages, (message) => message.row <= row);

/** The rows on which operands begin and frames end, from top to bottom. */
const bordersOf = (frames: readonly Frame[]): readonly number[] =>
  frames
    .flatMap(({ top, bottom, operands }) => [top, ...operands.slice(1).map(({ row }) => row), bottom])
    .sort((a, b) => a - b);

/** What stands on a row, before a message: how many borders are above it, up to the message above. */
function positionAt(before: number, row: number, messages: readonly DrawnMessage[], rows: readonly number[]): Position {
  const above = messages[before - 1];
  const drawn = countWhile(rows, (one) => one < row) - countWhile(rows, (one) => one <= (above?.row ?? -1));
  // Messages that come in any order are operands, which end below the last of them.
  const borders = Math.max(0, drawn) + (above === undefined || above.together === null ? 0 : 1);
  return borders === 0 ? { before } : { before, borders };
}

function toNote(
  note: NoteBox,
  lifelines: readonly Lifeline[],
  messages: readonly DrawnMessage[],
  reports: Reports,
  borders: readonly number[],
): Note {
  const middle = Math.floor((note.top + note.bottom) / 2);
  const [first, next] = [countBefore(lifelines, note.left), countBefore(lifelines, note.right + 1)];
  const under = lifelines.slice(first, next);
  const [left, right] = [lifelines[first - 1], lifelines[next]];
  const isLeft = left === undefined || (right !== undefined && right.column - note.right < note.left - left.column);
  const beside = isLeft ? right : left;
  return {
    text: note.lines.join('\n'),
    placement: under.length > 0 ? 'over' : isLeft ? 'left' : 'right',
    participants: under.length > 0 ? under.map(({ label }) => label) : beside === undefined ? [] : [beside.label],
    at: reports.placeOf(note.top, note.left),
    ...positionAt(countUpTo(messages, middle), note.top, messages, borders),
  };
}

/** A bar opens on the label row of the message that activates, so that one is over; it closes on the arrow's row or the next. */
function toActivation(
  { lifeline, row, on }: BarEdge,
  messages: readonly DrawnMessage[],
  borders: readonly number[],
): Activation {
  const position = countUpTo(messages, row - 1);
  const message = messages[position];
  const activates = message?.to === lifeline && row >= message.labelTop - 1;
  const before = on ? position + (activates ? 1 : 0) : countUpTo(messages, row);
  return { participant: lifeline.label, on, ...positionAt(before, row, messages, borders) };
}
