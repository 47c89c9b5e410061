import type { ParticipantKind } from '../../diagram/index.ts';
import type { Canvas } from './canvas.ts';
import { KIND } from './glyphs.ts';

/** A little picture that stands for a participant; the name is written under it, in a footer above it. */
export interface Icon {
  readonly kind: ParticipantKind;
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

const DATABASE_ROWS_MAX = 8;

/**
 * The icons of PlantUML's text output. The head of an actor, `┌─┐ ║"│ └┬┘`, looks like a box with the name `"`;
 * an actor is known by its body, so that one without a head (a drawing cut at the top) is found too.
 */
export function findIcons(canvas: Canvas): Icon[] {
  const icons: Icon[] = [];
  for (let row = 0; row < canvas.height; row++) {
    const kinds = canvas.kindsOf(row);
    for (let column = 0; column < kinds.length; column++) {
      if (((kinds[column] ?? 0) & KIND.icon) === 0) continue;
      const icon = iconAt(canvas, row, column);
      if (icon !== null) icons.push(icon);
    }
  }
  return icons;
}

function iconAt(canvas: Canvas, row: number, column: number): Icon | null {
  switch (canvas.at(row, column)) {
    case '┌':
      return actorAt(canvas, row, column, ['┌┼┐', ' │ ', '┌┴┐'], ['┌─┐', '║"│', '└┬┘']);
    case '/':
      return actorAt(canvas, row, column, ['/|\\', ' | ', '/ \\'], [',-.', "`-'"]);
    case '|':
      return databaseAt(canvas, row, column);
    case '+':
      return boundaryAt(canvas, row, column);
    default:
      return null;
  }
}

function actorAt(
  canvas: Canvas,
  row: number,
  left: number,
  body: readonly string[],
  head: readonly string[],
): Icon | null {
  if (!body.every((pattern, index) => canvas.matches(row + index, left, pattern))) return null;
  let top = row;
  for (const pattern of head.toReversed()) {
    if (!canvas.matches(top - 1, left, pattern)) break;
    top--;
  }
  return { kind: 'actor', top, bottom: row + body.length - 1, left, right: left + 2 };
}

function databaseAt(canvas: Canvas, row: number, left: number): Icon | null {
  if (!canvas.matches(row, left, '|-.____.-|')) return null;
  for (let bottom = row + 1; bottom <= row + DATABASE_ROWS_MAX; bottom++) {
    if (canvas.matches(bottom, left, "'-.____.-'")) {
      return { kind: 'database', top: Math.max(0, row - 1), bottom, left, right: left + 9 };
    }
  }
  return null;
}

const boundaryAt = (canvas: Canvas, row: number, left: number): Icon | null =>
  canvas.matches(row, left, '+--{   )') && canvas.matches(row + 1, left, "|   `-'")
    ? { kind: 'boundary', top: Math.max(0, row - 1), bottom: row + 1, left, right: left + 7 }
    : null;
