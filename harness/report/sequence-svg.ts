import type { Diagram, Head } from '../diagram/index.ts';
import type { ArrowVerdict } from '../verdict/index.ts';
import { html, NOTHING, type Markup } from './markup.ts';
import {
  BAR_WIDTH,
  CALLOUT_HEIGHT,
  FIGURE_HEIGHT,
  HEAD_LINE,
  hasTab,
  layoutSequence,
  LINE,
  SELF_HEIGHT,
  SELF_WIDTH,
  TAB_HEIGHT,
  type Bar,
  type Column,
  type Frame,
  type NoteBox,
  type Row,
} from './sequence-layout.ts';
import { ARROW_GLYPH, ARROW_MEANING, arrowName, latencyText } from './summary.ts';
import { textWidth } from './text-width.ts';

/** A sentence under an arrow: where the first divergence is, and what should have come first. */
export interface Callout {
  readonly tone: 'bad' | 'due';
  readonly text: string;
}

export interface DrawnVerdict {
  readonly diagram: Diagram;
  /** The verdict on the message of this index; undefined where the spec says nothing of it. */
  readonly verdictOf: (message: number) => ArrowVerdict | undefined;
  readonly callouts: ReadonlyMap<number, Callout>;
  /** Whether an operand of a fragment was never seen. */
  readonly isUnseen: (fragment: number, operand: number) => boolean;
  /** Makes the ids of this drawing unique in its page. */
  readonly prefix: string;
}

/** Left of the drawing: the line in the source, and the pointer at the first divergence. */
const GUTTER = 70;

/** The author's own diagram with a verdict on every arrow, as one SVG element. */
export function drawSequence({ diagram, verdictOf, callouts, isUnseen, prefix }: DrawnVerdict): Markup {
  const layout = layoutSequence(diagram, new Set(callouts.keys()));
  const left = layout.left - GUTTER;
  const width = layout.width + GUTTER;
  const frames = layout.frames.map((frame) => drawFrame(frame, isUnseen));
  const rows = layout.rows.map((row) =>
    drawRow(row, verdictOf(row.index), { left, width, prefix, callout: callouts.get(row.index) }),
  );
  return html`<svg
    xmlns="http://www.w3.org/2000/svg"
    class="sequence"
    role="img"
    aria-label="${`Sequence diagram ${diagram.name} with a verdict on every arrow; the table of arrows says the same in words`}"
    viewBox="${left} 0 ${width} ${layout.height}"
    width="${width}"
    height="${layout.height}"
  >
    ${rows.map(({ band }) => band)}${frames.map(({ box }) => box)}${layout.columns.map(drawLifeline)}${layout.bars.map(drawBar)}${frames.map(({ tab }) => tab)}${layout.columns.map(drawHead)}${layout.notes.map(drawNote)}${rows.map(({ arrow }) => arrow)}
  </svg>`;
}

const drawLifeline = ({ x, headTop, headHeight, bottom, destroyed }: Column): Markup =>
  html`<line
      class="lifeline"
      x1="${x}"
      y1="${headTop + headHeight}"
      x2="${x}"
      y2="${bottom}"
    />${destroyed ? html`<path class="destroyed" d="M${x - 9} ${bottom - 9}L${x + 9} ${bottom + 9}M${x + 9} ${bottom - 9}L${x - 9} ${bottom + 9}" />` : NOTHING}`;

const drawBar = ({ x, y, height }: Bar): Markup =>
  html`<rect class="bar" x="${x}" y="${y}" width="${BAR_WIDTH}" height="${height}" rx="2" />`;

function drawHead(column: Column): Markup {
  const { x, kind, headTop: top, headHeight: height, headWidth: width } = column;
  const stereotype = ['boundary', 'control', 'entity', 'collections', 'queue'].includes(kind)
    ? html`<text class="stereotype" x="${x}" y="${top + 17}">«${kind}»</text>`
    : NOTHING;
  const names = (first: number): Markup => textLines('head', column.lines, { x, y: first, line: HEAD_LINE });
  const nameHeight = column.lines.length * HEAD_LINE;
  if (kind === 'actor') {
    return html`<g class="participant"
      ><circle class="figure" cx="${x}" cy="${top + 9}" r="8" /><path
        class="figure"
        d="M${x} ${top + 17}V${top + 30}M${x - 13} ${top + 22}H${x + 13}M${x} ${top + 30}L${x - 10} ${top + 43}M${x} ${top + 30}L${x + 10} ${top + 43}"
      />${names(top + FIGURE_HEIGHT + 13)}</g
    >`;
  }
  const box =
    kind === 'database'
      ? html`<path
          class="box"
          d="M${x - width / 2} ${top + 7}v${height - 14}c0 9 ${width} 9 ${width} 0v${14 - height}c0 -9 ${-width} -9 ${-width} 0c0 9 ${width} 9 ${width} 0"
        />`
      : html`<rect class="box" x="${x - width / 2}" y="${top}" width="${width}" height="${height}" rx="7" />`;
  const shift = kind === 'database' ? 8 : stereotype === NOTHING ? 0 : 14;
  return html`<g class="participant"
    >${box}${stereotype}${names(top + shift + (height - shift - nameHeight) / 2 + 13)}</g
  >`;
}

function textLines(
  name: string,
  lines: readonly string[],
  { x, y, line }: { readonly x: number; readonly y: number; readonly line: number },
): Markup {
  if (lines.length === 0) return NOTHING;
  const spans = lines.map((text, index) => html`<tspan x="${x}" y="${y + index * line}">${text}</tspan>`);
  return html`<text class="${name}">${spans}</text>`;
}

function drawNote({ x, y, width, height, lines }: NoteBox): Markup {
  const fold = 9;
  const outline = html`<path
      class="note"
      d="M${x} ${y}H${x + width - fold}L${x + width} ${y + fold}V${y + height}H${x}Z"
    /><path class="note" d="M${x + width - fold} ${y}V${y + fold}H${x + width}" />`;
  return html`<g>${outline}${textLines('note-text', lines, { x: x + width / 2, y: y + LINE + 3, line: LINE })}</g>`;
}

function drawFrame(
  { kind, index: fragment, x, y, width, height, tabWidth, operands }: Frame,
  isUnseen: DrawnVerdict['isUnseen'],
): {
  readonly box: Markup;
  readonly tab: Markup;
} {
  const isTinted = kind === 'rect';
  const box = html`<rect
    class="${isTinted ? 'tint' : 'frame'}"
    x="${x}"
    y="${y}"
    width="${width}"
    height="${height}"
    rx="6"
  />`;
  if (!hasTab(kind)) return { box, tab: NOTHING };
  const separators = operands
    .slice(1)
    .map((operand) => html`<line class="separator" x1="${x}" y1="${operand.y}" x2="${x + width}" y2="${operand.y}" />`);
  const guards = operands.map((operand, index) => {
    const place = { x: index === 0 ? x + tabWidth + 10 : x + 10, y: operand.y + 16, line: LINE };
    return textLines('guard', isUnseen(fragment, index) ? unseen(operand.lines) : operand.lines, place);
  });
  const tab = html`<g
    ><path class="tab" d="M${x} ${y + 6}a6 6 0 0 1 6 -6H${x + tabWidth}V${y + TAB_HEIGHT - 8}l-8 8H${x}Z" /><text
      class="operator"
      x="${x + 9}"
      y="${y + 16}"
      >${kind === 'par_over' ? 'par over' : kind}</text
    >${separators}${guards}</g
  >`;
  return { box, tab };
}

/** An operand that was never entered says so where its guard stands, or would stand. */
const unseen = ([first = '', ...rest]: readonly string[]): readonly string[] => [
  `${ARROW_GLYPH.unseen} ${first}`,
  ...rest,
];

interface RowContext {
  readonly left: number;
  readonly width: number;
  readonly prefix: string;
  readonly callout: Callout | undefined;
}

function drawRow(
  row: Row,
  verdict: ArrowVerdict | undefined,
  { left, width, prefix, callout }: RowContext,
): { readonly band: Markup; readonly arrow: Markup } {
  const status = verdict?.status ?? 'unseen';
  const band =
    callout === undefined
      ? NOTHING
      : html`<rect
          class="${`band ${callout.tone}`}"
          x="${left}"
          y="${row.top}"
          width="${width}"
          height="${row.bottom - row.top}"
        />`;
  const middle = row.isSelf ? row.from + SELF_WIDTH : (row.from + row.to) / 2;
  const label = row.isSelf
    ? textLines('label self', row.lines, { x: row.from + 8, y: row.y - 8 - (row.lines.length - 1) * LINE, line: LINE })
    : textLines('label', row.lines, { x: middle, y: row.y - 14 - (row.lines.length - 1) * LINE, line: LINE });
  const badge = drawBadge(verdict, ...badgePlace(row, middle));
  const title = verdict === undefined ? NOTHING : html`<title>${tooltip(verdict, row.message.at.file)}</title>`;
  const id = verdict === undefined ? `${prefix}-message-${row.index}` : `${prefix}-arrow-${verdict.index}`;
  const arrow = html`<g id="${id}" class="${`arrow ${status}`}"
    >${title}${drawGutter(row, left, callout)}${drawLine(row)}${label}${badge}</g
  >`;
  return { band, arrow };
}

/** In the middle of the line; of one that slants, on its level beginning, where no other arrow crosses it. */
function badgePlace({ isSelf, from, to, y, tipY }: Row, middle: number): readonly [number, number] {
  if (isSelf) return [middle + 27, y + SELF_HEIGHT / 2];
  return tipY === y ? [middle, y] : [from + levelOf(from, to) / 2, y];
}

/** How far a line is level before it slants, by the side to which it goes. */
const levelOf = (from: number, to: number): number =>
  Math.sign(to - from) * Math.min(LEVEL_MAX, Math.abs(to - from) / 2);
const LEVEL_MAX = 56;

function tooltip(verdict: ArrowVerdict, file: string | undefined): string {
  const reason = verdict.reason === undefined ? '' : `: ${verdict.reason}`;
  return [
    `${arrowName(verdict)} (line ${verdict.line}${file === undefined ? '' : ` of ${file}`})`,
    `${ARROW_MEANING[verdict.status]}${verdict.erratum ? ', drawn wrong' : ''}${reason}`,
    `${verdict.events} events in ${verdict.instances} instances, ${verdict.violations} violations`,
    ...latencyText(verdict),
  ].join('\n');
}

/** Glyph and count on the line itself, so that no verdict depends on its colour or on hovering. */
function drawBadge(verdict: ArrowVerdict | undefined, x: number, y: number): Markup {
  if (verdict === undefined) return NOTHING;
  const text = `${ARROW_GLYPH[verdict.status]}${badgeWord(verdict)}${verdict.erratum ? ' ≠' : ''}`;
  const width = Math.max(26, textWidth(text, 11) + 16);
  return html`<g class="badge"
    ><rect x="${x - width / 2}" y="${y - 9}" width="${width}" height="18" rx="9" /><text x="${x}" y="${y + 4}"
      >${text}</text
    ></g
  >`;
}

/** ` 11`: how often an arrow was seen, where that says something. */
export function badgeWord({ status, events }: ArrowVerdict): string {
  if (status === 'absent' || status === 'unobservable' || status === 'standing') return '';
  return ` ${events}`;
}

function drawGutter(row: Row, left: number, callout: Callout | undefined): Markup {
  const { at } = row.message;
  const line = html`<text class="line-number" x="${left + 30}" y="${row.y + 4}"
    >${at.file === undefined ? '' : '↪'}${at.line}</text
  >`;
  if (callout === undefined) return line;
  const x = left + 38;
  const glyph = callout.tone === 'bad' ? '✗' : '!';
  const pointer = html`<g class="${`pointer ${callout.tone}`}"
    ><path d="M${x} ${row.y - 11}h20l10 11l-10 11h-20z" /><text x="${x + 11}" y="${row.y + 5}">${glyph}</text></g
  >`;
  const y = row.bottom - CALLOUT_HEIGHT + 13;
  return html`${line}${pointer}<text class="${`callout ${callout.tone}`}" x="${x}" y="${y}">${callout.text}</text>`;
}

function drawLine(row: Row): Markup {
  const { from, to, y, tipY, isSelf, message } = row;
  const dashed = message.line === 'dashed' ? ' dashed' : '';
  const direction = isSelf ? -1 : Math.sign(to - from);
  const end = isSelf ? y + SELF_HEIGHT : tipY;
  const straight = tipY === y ? html`M${from} ${y}H${to}` : html`M${from} ${y}h${levelOf(from, to)}L${to} ${tipY}`;
  const path = isSelf ? html`M${from} ${y}h${SELF_WIDTH}v${SELF_HEIGHT}H${to}` : straight;
  const found = message.from === null ? html`<circle class="gate" cx="${from}" cy="${y}" r="4" />` : NOTHING;
  const lost = message.to === null ? html`<circle class="gate" cx="${to}" cy="${y}" r="4" />` : NOTHING;
  return html`<path
      class="${`shaft${dashed}`}"
      d="${path}"
    />${slanted(drawHeadOf(message.head, to, end, direction), row)}${found}${lost}`;
}

/** A head points along its line. */
function slanted(head: Markup, { from, to, y, tipY, isSelf }: Row): Markup {
  if (isSelf || tipY === y || head === NOTHING) return head;
  const across = to - from - levelOf(from, to);
  const degrees = Math.round((Math.atan((tipY - y) / across) * 180) / Math.PI);
  return html`<g transform="${`rotate(${degrees} ${to} ${tipY})`}">${head}</g>`;
}

function drawHeadOf(head: Head, x: number, y: number, direction: number): Markup {
  const back = x - direction * 9;
  switch (head) {
    case 'none':
      return NOTHING;
    case 'arrow':
      return html`<path class="tip" d="M${x} ${y}L${back} ${y - 5}V${y + 5}Z" />`;
    case 'open':
      return html`<path class="stick" d="M${back} ${y - 6}L${x} ${y}L${back} ${y + 6}" />`;
    case 'cross': {
      const middle = x - direction * 8;
      return html`<path
        class="stick"
        d="M${middle - 5} ${y - 5}L${middle + 5} ${y + 5}M${middle + 5} ${y - 5}L${middle - 5} ${y + 5}"
      />`;
    }
    case 'half-top':
      return html`<path class="tip" d="M${x} ${y}L${back} ${y - 6}V${y}Z" />`;
    case 'half-bottom':
      return html`<path class="tip" d="M${x} ${y}L${back} ${y + 6}V${y}Z" />`;
    case 'stick-top':
      return html`<path class="stick" d="M${x} ${y}L${back} ${y - 6}" />`;
    case 'stick-bottom':
      return html`<path class="stick" d="M${x} ${y}L${back} ${y + 6}" />`;
  }
}
