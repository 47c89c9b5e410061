import { arrivals, walkDiagram } from '../diagram/index.ts';
import type { Diagram, Fragment, FragmentKind, Message, Note, ParticipantKind } from '../diagram/index.ts';
import { textWidth, wrapText } from './text-width.ts';

/** Where everything of a diagram is drawn, in pixels; y grows downwards. What it looks like is sequence-svg.ts's matter. */
export interface Layout {
  readonly left: number;
  readonly width: number;
  readonly height: number;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly frames: readonly Frame[];
  readonly notes: readonly NoteBox[];
  readonly bars: readonly Bar[];
}

/** A participant: its head, and its lifeline from `top` to `bottom`. */
export interface Column {
  readonly x: number;
  readonly kind: ParticipantKind;
  readonly lines: readonly string[];
  readonly headWidth: number;
  readonly headTop: number;
  readonly headHeight: number;
  readonly bottom: number;
  readonly destroyed: boolean;
}

/**
 * A message. A row reaches from `top` to `bottom`, its line begins at `y` and ends at `tipY`, which is further down only where others
 * overtake it; a self message returns at `y + SELF_HEIGHT`.
 */
export interface Row {
  readonly index: number;
  readonly message: Message;
  readonly top: number;
  readonly bottom: number;
  readonly y: number;
  readonly tipY: number;
  readonly from: number;
  readonly to: number;
  readonly isSelf: boolean;
  readonly lines: readonly string[];
}

export interface Frame {
  readonly kind: FragmentKind;
  /** Index into `Diagram.fragments`. */
  readonly index: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly tabWidth: number;
  /** The guard of each operand and where its compartment starts. */
  readonly operands: readonly { readonly y: number; readonly lines: readonly string[] }[];
}

export interface NoteBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly lines: readonly string[];
}

export interface Bar {
  readonly x: number;
  readonly y: number;
  readonly height: number;
}

export const FONT = 13;
export const LINE = 17;
export const HEAD_LINE = 18;
export const SELF_WIDTH = 34;
export const SELF_HEIGHT = 22;
export const BAR_WIDTH = 10;
export const FIGURE_HEIGHT = 46;
export const TAB_HEIGHT = 22;
/** Room above and below the tip of an arrow that others overtake. */
const TIP_ABOVE = 16;
const TIP_BELOW = 8;
/** Room under a row for a sentence about it. */
export const CALLOUT_HEIGHT = 24;

/** A label asks its column for so much room; what it then gets may be more, and is used. */
const LABEL_WIDTH = 184;
const LABEL_LINES = 5;
const HEAD_WIDTH = 150;
const HEAD_PADDING = 14;
const COLUMN_GAP = 44;
/** Heads, bars and the badge on the line: no arrow is shorter. */
const ARROW_MIN = 124;
const NOTE_WIDTH = 190;
const NOTE_PADDING = 9;
const FRAME_PADDING = 10;
const FRAME_NESTING_MAX = 24;
const GATE_LENGTH = 96;
const GUARD_WIDTH = 340;
const MARGIN = 14;

/**
 * Lays a sequence diagram out: a table of lifelines by rows, with frames around runs of rows. Rows named in `callouts`
 * get room for a sentence under them.
 */
export function layoutSequence(diagram: Diagram, callouts: ReadonlySet<number>): Layout {
  const places = new Map(diagram.participants.map(({ id }, index) => [id, index]));
  const xs = columnPositions(diagram, places);
  const heads = headsOf(diagram);
  const headHeight = Math.max(0, ...heads.map(({ height }) => height));
  const placed = placeRows(diagram, { places, xs, heads, callouts, top: MARGIN + headHeight + 14 });
  const bottom = placed.bottom + 12;
  const bars = placeBars(diagram, { places, xs, rows: placed.rows, top: MARGIN + headHeight, bottom });
  const rows = placed.rows.map((row) => touchBars(row, bars));
  const columns = diagram.participants.map((participant, index): Column => {
    const head = heads[index] ?? NO_HEAD;
    const created = rows.find((row) => row.index === participant.createdBy);
    const destroyed = rows.find((row) => row.index === participant.destroyedBy);
    return {
      x: xs[index] ?? 0,
      kind: participant.kind,
      lines: head.lines,
      headWidth: head.width,
      headTop: created === undefined ? MARGIN + headHeight - head.height : created.tipY - head.height / 2,
      headHeight: head.height,
      bottom: destroyed === undefined ? bottom : lastY(destroyed, participant.id),
      destroyed: destroyed !== undefined,
    };
  });
  const { left, right } = extent(columns, rows, placed.frames, placed.notes);
  return {
    left: left - MARGIN,
    width: right - left + 2 * MARGIN,
    height: bottom + MARGIN,
    columns,
    rows,
    frames: placed.frames,
    notes: placed.notes,
    bars,
  };
}

/** Where a message touches a lifeline last. */
function lastY({ message, isSelf, y, tipY }: Row, id: string): number {
  if (isSelf) return y + SELF_HEIGHT;
  return message.to === id ? tipY : y;
}

interface Head {
  readonly lines: readonly string[];
  readonly width: number;
  readonly height: number;
}

const NO_HEAD: Head = { lines: [], width: 0, height: 0 };

const headsOf = (diagram: Diagram): readonly Head[] =>
  diagram.participants.map(({ label, kind }) => {
    const lines = wrapText(label, FONT, HEAD_WIDTH, 4);
    const text = Math.max(28, ...lines.map((line) => textWidth(line, FONT)));
    const lineHeights = Math.max(1, lines.length) * HEAD_LINE;
    if (kind === 'actor') return { lines, width: text + 8, height: FIGURE_HEIGHT + lineHeights };
    const stereotype = kind === 'participant' || kind === 'database' ? 0 : 14;
    const cap = kind === 'database' ? 10 : 0;
    return { lines, width: text + 2 * HEAD_PADDING, height: lineHeights + 18 + stereotype + cap };
  });

/** Each column stands as far left as everything to its left allows: the longest path over "at least so far apart". */
function columnPositions(diagram: Diagram, places: ReadonlyMap<string, number>): readonly number[] {
  const heads = headsOf(diagram);
  const distances = new Map<number, { readonly from: number; readonly distance: number }[]>();
  const apart = (a: number, b: number, distance: number): void => {
    const [from, to] = a < b ? [a, b] : [b, a];
    const known = distances.get(to);
    if (known === undefined) distances.set(to, [{ from, distance }]);
    else known.push({ from, distance });
  };
  for (const message of diagram.messages) {
    const from = placeOf(places, message.from);
    const to = placeOf(places, message.to);
    const label = widest(labelLines(message.text));
    if (from !== null && to !== null && from !== to) apart(from, to, Math.max(ARROW_MIN, label + 44));
    else if (from !== null && from === to) apart(from, from + 1, Math.max(label + 24, SELF_WIDTH + 70));
    else if (to === null && from !== null) apart(from, from + 1, Math.max(GATE_LENGTH, label) + 24);
  }
  for (const note of diagram.notes) {
    const [first, last] = noteColumns(note, places);
    const { width } = noteSize(note);
    if (note.placement === 'right') apart(last, last + 1, width + 34);
    else if (note.placement === 'left' && first > 0) apart(first - 1, first, width + 34);
    else if (first !== last) apart(first, last, width - 60);
  }
  const xs: number[] = [];
  for (const [index, head] of heads.entries()) {
    const previous = xs[index - 1];
    const beside =
      previous === undefined ? 0 : previous + ((heads[index - 1]?.width ?? 0) + head.width) / 2 + COLUMN_GAP;
    const needed = (distances.get(index) ?? []).map(({ from, distance }) => (xs[from] ?? 0) + distance);
    xs.push(Math.round(Math.max(beside, ...needed)));
  }
  return xs;
}

const placeOf = (places: ReadonlyMap<string, number>, id: string | null): number | null =>
  id === null ? null : (places.get(id) ?? null);

const labelLines = (text: string, room = LABEL_WIDTH): readonly string[] =>
  wrapText(text, FONT, Math.max(LABEL_WIDTH, room), LABEL_LINES);

const widest = (lines: readonly string[], fontSize = FONT): number =>
  Math.max(0, ...lines.map((line) => textWidth(line, fontSize)));

function noteColumns(note: Note, places: ReadonlyMap<string, number>): readonly [number, number] {
  const columns = note.participants.flatMap((id) => places.get(id) ?? []);
  return columns.length === 0 ? [0, 0] : [Math.min(...columns), Math.max(...columns)];
}

function noteSize(note: Note): Pick<NoteBox, 'width' | 'height' | 'lines'> {
  const lines = note.text.split(/\n|<br\s*\/?>/i).flatMap((line) => wrapText(line, FONT, NOTE_WIDTH, 8));
  return {
    lines,
    width: Math.max(60, widest(lines) + 2 * NOTE_PADDING + 8),
    height: Math.max(1, lines.length) * LINE + 2 * NOTE_PADDING - 2,
  };
}

interface Frames {
  readonly places: ReadonlyMap<string, number>;
  readonly xs: readonly number[];
  readonly heads: readonly Head[];
  readonly callouts: ReadonlySet<number>;
  readonly top: number;
}

/** A frame that is still open: how far its content reaches so far. */
interface OpenFrame {
  readonly fragment: Fragment;
  readonly index: number;
  readonly y: number;
  readonly operands: { readonly y: number; readonly lines: readonly string[] }[];
  readonly nesting: number;
  left: number;
  right: number;
}

/** Walks the diagram from top to bottom, giving each thing the next free height. */
function placeRows(
  diagram: Diagram,
  { places, xs, heads, callouts, top }: Frames,
): {
  readonly rows: readonly Row[];
  readonly frames: readonly Frame[];
  readonly notes: readonly NoteBox[];
  readonly bottom: number;
} {
  const rows: Row[] = [];
  const frames: Frame[] = [];
  const notes: NoteBox[] = [];
  const open: OpenFrame[] = [];
  const pendingNotes = notesByMessage(diagram.notes);
  const arriving = arrivals(diagram);
  let y = top;

  const reach = (left: number, right: number): void => {
    const frame = open.at(-1);
    if (frame === undefined) return;
    frame.left = Math.min(frame.left, left);
    frame.right = Math.max(frame.right, right);
  };
  const addNotes = (before: number): void => {
    for (const note of pendingNotes.get(before) ?? []) {
      const box = placeNote(note, places, xs, y + 4);
      notes.push(box);
      reach(box.x - 6, box.x + box.width + 6);
      y = box.y + box.height + 8;
    }
  };
  const addMessage = (message: Message, index: number): void => {
    const row = placeMessage(message, index, y, { places, xs, heads, callouts, diagram });
    rows.push(row);
    const label = widest(row.lines) / 2;
    const middle = (row.from + row.to) / 2;
    const selfRight = row.from + Math.max(SELF_WIDTH + 64, 2 * label + 12);
    reach(
      row.isSelf ? row.from - 14 : Math.min(row.from - 14, row.to - 14, middle - label - 6),
      row.isSelf ? selfRight : Math.max(row.from + 14, row.to + 14, middle + label + 6),
    );
    y = row.bottom;
    const received = arriving.get(index) ?? [index];
    for (const late of received[0] === index ? received.slice(1) : received) addTip(late);
  };
  /** The tip of an arrow that began further up. */
  const addTip = (index: number): void => {
    const row = rows[index];
    if (row === undefined) return;
    rows[index] = { ...row, tipY: y + TIP_ABOVE };
    y += TIP_ABOVE + TIP_BELOW;
  };
  const addOperand = (guard: string): void => {
    const frame = open.at(-1);
    if (frame === undefined) return;
    const lines = guard === '' ? [] : wrapText(`[${guard}]`, FONT, GUARD_WIDTH, 3);
    const start = frame.operands.length === 0 ? frame.y : y + 6;
    frame.operands.push({ y: start, lines });
    y =
      start +
      Math.max(
        frame.operands.length === 1 && hasTab(frame.fragment.kind) ? TAB_HEIGHT + 6 : 10,
        lines.length * LINE + 10,
      );
  };
  const closeFrame = (): void => {
    const frame = open.pop();
    if (frame === undefined) return;
    const placed = finishFrame(frame, xs, y + 8);
    frames.push(placed);
    y = placed.y + placed.height + 10;
    const inset = frame.nesting < FRAME_NESTING_MAX ? FRAME_PADDING : 0;
    reach(placed.x - inset, placed.x + placed.width + inset);
  };

  for (const step of walkDiagram(diagram)) {
    if (step.kind === 'message') {
      addNotes(step.index);
      addMessage(step.message, step.index);
    } else if (step.kind === 'enter') {
      const { fragment, index } = step;
      open.push({ fragment, index, y: y + 6, operands: [], nesting: open.length, left: Infinity, right: -Infinity });
    } else if (step.kind === 'operand') {
      addOperand(step.operand.guard);
    } else {
      closeFrame();
    }
  }
  addNotes(diagram.messages.length);
  // Frames close from the inside out; drawn from the outside in, the inner ones lie on top.
  return { rows, frames: frames.reverse(), notes, bottom: y };
}

export const hasTab = (kind: FragmentKind): boolean => kind !== 'rect';

function notesByMessage(notes: readonly Note[]): ReadonlyMap<number, readonly Note[]> {
  const byMessage = new Map<number, Note[]>();
  for (const note of notes) {
    const known = byMessage.get(note.before);
    if (known === undefined) byMessage.set(note.before, [note]);
    else known.push(note);
  }
  return byMessage;
}

function placeNote(note: Note, places: ReadonlyMap<string, number>, xs: readonly number[], y: number): NoteBox {
  const size = noteSize(note);
  const [first, last] = noteColumns(note, places);
  const left = xs[first] ?? 0;
  const right = xs[last] ?? 0;
  if (note.placement === 'right') return { ...size, x: right + 14, y };
  if (note.placement === 'left') return { ...size, x: left - 14 - size.width, y };
  const width = first === last ? size.width : Math.max(size.width, right - left + 60);
  return { ...size, width, x: (left + right - width) / 2, y };
}

function placeMessage(
  message: Message,
  index: number,
  top: number,
  { places, xs, heads, callouts, diagram }: Omit<Frames, 'top'> & { readonly diagram: Diagram },
): Row {
  const from = placeOf(places, message.from);
  const to = placeOf(places, message.to);
  const start = from === null ? null : (xs[from] ?? 0);
  const end = to === null ? null : (xs[to] ?? 0);
  const isSelf = from !== null && from === to;
  const lines = labelLines(message.text, start === null || end === null ? 0 : Math.abs(end - start) - 44);
  // A participant that this message creates has its head at the end of the arrow.
  const created = to === null || diagram.participants[to]?.createdBy !== index ? NO_HEAD : (heads[to] ?? NO_HEAD);
  const y = Math.round(top + 12 + Math.max(lines.length * LINE + 2, created.height / 2 - 4));
  const below = isSelf ? SELF_HEIGHT + 12 : Math.max(16, created.height / 2 + 6);
  return {
    index,
    message,
    top: top + 2,
    y,
    tipY: y,
    bottom: y + below + (callouts.has(index) ? CALLOUT_HEIGHT : 0),
    // A found end lies left of its receiver, a lost end right of its sender.
    from: start ?? (end ?? 0) - GATE_LENGTH,
    to: end === null ? (start ?? 0) + GATE_LENGTH : end - Math.sign(end - (start ?? 0)) * (created.width / 2),
    isSelf,
    lines,
  };
}

function finishFrame(frame: OpenFrame, xs: readonly number[], bottom: number): Frame {
  const isEmpty = frame.left > frame.right;
  const left = isEmpty ? (xs[0] ?? 0) - 20 : frame.left;
  const tabWidth = textWidth(frame.fragment.kind, FONT) + 26;
  const guards = Math.max(
    0,
    ...frame.operands.map(({ lines }, index) => widest(lines) + (index === 0 ? tabWidth + 16 : 16)),
  );
  const right = Math.max(isEmpty ? (xs.at(-1) ?? 0) + 20 : frame.right, left + Math.max(tabWidth + 10, guards));
  const { kind } = frame.fragment;
  return {
    kind,
    index: frame.index,
    x: left,
    y: frame.y,
    width: right - left,
    height: bottom - frame.y,
    tabWidth,
    operands: frame.operands,
  };
}

/** Activations as bars: from where they open to where they close; one that is never closed ends with its lifeline. */
function placeBars(
  diagram: Diagram,
  at: {
    readonly places: ReadonlyMap<string, number>;
    readonly xs: readonly number[];
    readonly rows: readonly Row[];
    readonly top: number;
    readonly bottom: number;
  },
): readonly Bar[] {
  const yOf = (before: number): number => {
    const row = at.rows[before - 1];
    return row === undefined ? at.top + 8 : row.y + (row.isSelf ? SELF_HEIGHT : 0);
  };
  const open = new Map<string, number[]>();
  const bars: Bar[] = [];
  const close = (participant: string, end: number): void => {
    const starts = open.get(participant);
    const start = starts?.pop();
    const x = at.xs[at.places.get(participant) ?? -1];
    if (starts === undefined || start === undefined || x === undefined) return;
    bars.push({ x: x - BAR_WIDTH / 2 + starts.length * 4, y: start, height: Math.max(8, end - start) });
  };
  for (const { participant, on, before } of diagram.activations) {
    if (!on) close(participant, yOf(before));
    else open.set(participant, [...(open.get(participant) ?? []), yOf(before)]);
  }
  for (const [participant, starts] of open) while (starts.length > 0) close(participant, at.bottom);
  // Outer bars first, so that nested ones lie on top.
  return bars.reverse();
}

/** Arrows end at the edge of a bar, not in its middle. */
function touchBars(row: Row, bars: readonly Bar[]): Row {
  const reach = (x: number, y: number, side: number): number => {
    const touched = bars.filter(
      (bar) => Math.abs(bar.x + BAR_WIDTH / 2 - x) < 40 && isOn(bar, x) && bar.y <= y && y <= bar.y + bar.height,
    );
    const edges = touched.map((bar) => (side > 0 ? bar.x + BAR_WIDTH : bar.x));
    if (edges.length === 0) return x;
    return side > 0 ? Math.max(...edges) : Math.min(...edges);
  };
  if (row.isSelf) return { ...row, from: reach(row.from, row.y, 1), to: reach(row.from, row.y, 1) };
  const direction = Math.sign(row.to - row.from);
  return { ...row, from: reach(row.from, row.y, direction), to: reach(row.to, row.tipY, -direction) };
}

/** Whether a bar, which nesting moves to the right, belongs to the lifeline at x. */
const isOn = (bar: Bar, x: number): boolean => {
  const shift = bar.x + BAR_WIDTH / 2 - x;
  return shift >= 0 && shift % 4 === 0;
};

function extent(
  columns: readonly Column[],
  rows: readonly Row[],
  frames: readonly Frame[],
  notes: readonly NoteBox[],
): { readonly left: number; readonly right: number } {
  let left = 0;
  let right = 0;
  const reach = (from: number, to: number): void => {
    left = Math.min(left, from);
    right = Math.max(right, to);
  };
  for (const { x, headWidth } of columns) reach(x - headWidth / 2, x + headWidth / 2);
  for (const { x, width } of [...frames, ...notes]) reach(x, x + width);
  for (const { from, to, lines, isSelf } of rows) {
    const label = widest(lines);
    const middle = (from + to) / 2;
    if (isSelf) reach(from, from + Math.max(label + 12, SELF_WIDTH + 64));
    else reach(Math.min(from, to, middle - label / 2), Math.max(from, to, middle + label / 2));
  }
  return { left, right };
}
