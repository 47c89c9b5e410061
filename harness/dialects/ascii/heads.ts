import { PARTICIPANT_KINDS, type ParticipantKind } from '../../diagram/index.ts';
import type { Box } from './boxes.ts';
import type { Canvas, Chunk } from './canvas.ts';
import type { Icon } from './icons.ts';

/** Where a participant is named: a box, an icon with its name, or plain text above a lifeline. */
export interface Head {
  readonly lines: readonly string[];
  readonly kind: ParticipantKind;
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
  /** Column of the lifeline, where the head shows it. */
  readonly tee: number | null;
  /** First cell of the name. */
  readonly nameRow: number;
  readonly nameColumn: number;
}

/** Every box and every named icon, from top to bottom; which of them name participants is decided later. */
export function findHeads(canvas: Canvas, boxes: readonly Box[], icons: readonly Icon[]): Head[] {
  const heads = [
    ...boxes.map((box) => headOfBox(canvas, box)),
    ...icons.flatMap((icon) => headOfIcon(canvas, icon) ?? []),
  ];
  return heads.sort((a, b) => a.top - b.top || a.left - b.left);
}

function headOfBox(canvas: Canvas, box: Box): Head {
  let nameRow = box.top + 1;
  while (nameRow < box.bottom - 1 && canvas.text(nameRow, box.left + 1, box.right - 1).trim() === '') nameRow++;
  return {
    lines: box.lines,
    kind: 'participant',
    top: box.top,
    bottom: box.bottom,
    left: box.left,
    right: box.right,
    tee: box.bottomTee,
    nameRow,
    nameColumn: firstInk(canvas, nameRow, box.left + 1),
  };
}

function headOfIcon(canvas: Canvas, icon: Icon): Head | null {
  const name = nameBeside(canvas, icon, icon.bottom + 1);
  if (name === null) return null;
  return {
    lines: [canvas.text(name.row, name.from, name.to)],
    kind: icon.kind,
    top: icon.top,
    bottom: name.row,
    left: Math.min(icon.left, name.from),
    right: Math.max(icon.right, name.to),
    tee: null,
    nameRow: name.row,
    nameColumn: name.from,
  };
}

/** Nobody is called by more letters to either side of an icon. */
const NAME_REACH = 80;

/** The text of a row that stands over or under an icon, if it has letters. */
export function nameBeside(canvas: Canvas, icon: Icon, row: number): Chunk | null {
  const name = canvas.chunkIn(row, icon.left, icon.right, NAME_REACH);
  return name !== null && /[\p{L}\p{N}]/u.test(canvas.text(row, name.from, name.to)) ? name : null;
}

function firstInk(canvas: Canvas, row: number, from: number): number {
  let column = from;
  while (column < canvas.width && canvas.isBlank(row, column)) column++;
  return column;
}

const STEREOTYPE = /<<.*>>/;

/** What a head calls its participant: its rows joined, without stereotypes such as `<<Generated>>`. */
export function labelOf(head: Head): string {
  const names = head.lines.filter((line) => !STEREOTYPE.test(line));
  return (names.length === 0 ? head.lines : names).join(' ').replace(/\s+/g, ' ');
}

const KINDS: ReadonlyMap<string, ParticipantKind> = new Map(
  PARTICIPANT_KINDS.filter((kind) => kind !== 'participant').map((kind) => [`<<${kind}>>`, kind]),
);

/** The kind that a head shows, or writes: `<<database>>`. */
export const kindOf = (head: Head): ParticipantKind =>
  head.lines.map((line) => KINDS.get(line)).find((kind) => kind !== undefined) ?? head.kind;

export const stereotypesOf = (head: Head): readonly string[] =>
  head.lines.filter((line) => STEREOTYPE.test(line) && line !== labelOf(head) && !KINDS.has(line));
