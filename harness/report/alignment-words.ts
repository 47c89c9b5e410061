import type { Alignment, AlignmentEdit, ArrowVerdict, QuotedEvent, SpecVerdict } from '../verdict/index.ts';
import { arrowName, counted } from './summary.ts';

/** A step is a sentence or two: what it begins with tells which. */
const NAME_MAX = 80;

/** What would align trace and drawing, for people: `2 edits`, and a sentence for each; or why it is not known. */
export interface AlignmentWords {
  readonly head: string;
  readonly sentences: readonly string[];
}

export function alignmentWords(spec: SpecVerdict, alignment: Alignment): AlignmentWords {
  if (alignment.kind === 'not-computed') return { head: `not computed (${alignment.reason})`, sentences: [] };
  const { cost, edits } = alignment;
  const moves = movesOf(edits);
  const more = cost > edits.length ? [`and ${counted(cost - edits.length, 'more edit')}`] : [];
  const isAlone = moves.length + more.length === 1;
  return {
    head: counted(cost, 'edit'),
    sentences: [...moves.map((move) => sentenceOf(spec.arrows, move) + (isAlone ? '' : countOf(move))), ...more],
  };
}

/** So that the sentences add up to what the head says. */
const countOf = ({ kind }: Move): string => (kind === 'move' ? ' (2 edits)' : '');

/** An edit; or two that are one thing to people: an event that is left out here, and whose message is missing there. */
type Move =
  | AlignmentEdit
  | { readonly kind: 'move'; readonly event: QuotedEvent; readonly arrow: number; readonly before: QuotedEvent | null };

/** What moves stands where it belongs: between the others that are missing there, as drawn. */
function movesOf(edits: readonly AlignmentEdit[]): readonly Move[] {
  const moved = new Map<AlignmentEdit, Move>();
  const left = new Set<AlignmentEdit>();
  for (const edit of edits) {
    if (edit.kind !== 'skip') continue;
    const there = edits.find((other) => other.kind === 'missing' && other.arrow === edit.arrow && !moved.has(other));
    if (there?.kind !== 'missing') continue;
    left.add(edit);
    moved.set(there, { kind: 'move', event: edit.event, arrow: edit.arrow, before: there.before });
  }
  return edits.filter((edit) => !left.has(edit)).map((edit) => moved.get(edit) ?? edit);
}

function sentenceOf(arrows: readonly ArrowVerdict[], move: Move): string {
  const arrow = nameOf(arrows[move.arrow]);
  switch (move.kind) {
    case 'missing':
      return `${arrow} is missing ${whereTo(move.before)}`;
    case 'move':
      return `${arrow} belongs ${whereTo(move.before)}, not at ${placeOf(move.event)}`;
    case 'skip':
      return `${placeOf(move.event)}, ${arrow}, is one too many`;
    case 'status':
      return `${placeOf(move.event)}, ${arrow}, has ${statusName(move.event)} that is not drawn for it`;
    case 'guard':
      return `${placeOf(move.event)}, ${arrow}, enters a branch whose guard is not true of it`;
    case 'received':
      return `${placeOf(move.event)}, ${arrow}, was received, though it must be lost`;
  }
}

function nameOf(arrow: ArrowVerdict | undefined): string {
  if (arrow === undefined) return 'a message';
  const text = arrow.text === '' ? arrowName(arrow) : arrow.text;
  return `"${text.length > NAME_MAX ? `${text.slice(0, NAME_MAX - 1)}…` : text}" (${arrow.file}:${arrow.line})`;
}

const statusName = ({ status }: QuotedEvent): string => (status === undefined ? 'a status' : `status ${status}`);

const placeOf = ({ source, line }: QuotedEvent): string => `${source}:${line}`;

const whereTo = (before: QuotedEvent | null): string => (before === null ? 'at the end' : `before ${placeOf(before)}`);
