import type { Canvas } from './canvas.ts';
import type { Lifeline } from './lifelines.ts';

/** The end of a lifeline: a cross of three rows, `\│/ X /│\`, of which `row` is the middle one. */
export interface Cross {
  readonly lifeline: Lifeline;
  readonly row: number;
}

/** The corners of a cross; a label may be drawn over one of them. */
const CORNERS: readonly (readonly [number, number, string])[] = [
  [-1, -1, '\\'],
  [-1, 1, '/'],
  [1, -1, '/'],
  [1, 1, '\\'],
];
const CORNERS_MIN = 3;

/** Finds and claims the crosses that end lifelines. */
export function readCrosses(canvas: Canvas, lifelines: readonly Lifeline[], bodyBottom: number): Cross[] {
  return lifelines.flatMap((lifeline) => {
    const { column } = lifeline;
    for (let row = lifeline.head.bottom + 1; row < bodyBottom; row++) {
      if (!isCross(canvas, row, column) && isLoneCross(canvas, row, column)) {
        canvas.claim(row, column, column, 'cross');
        return [{ lifeline, row }];
      }
      if (!isCross(canvas, row, column)) continue;
      for (const beside of [row - 1, row + 1]) {
        for (const cell of [column - 1, column, column + 1]) {
          if ('\\/│|┬┴-─'.includes(canvas.at(beside, cell))) canvas.claim(beside, cell, cell, 'cross');
        }
      }
      canvas.claim(row, column, column, 'cross');
      return [{ lifeline, row }];
    }
    return [];
  });
}

const isCross = (canvas: Canvas, row: number, column: number): boolean =>
  canvas.at(row, column) === 'X' &&
  CORNERS.filter(([rows, columns, glyph]) => canvas.at(row + rows, column + columns) === glyph).length >= CORNERS_MIN;

/** mermaid-ascii and PlantUML from 1.2026.8 on end a lifeline with a single sign. */
const isLoneCross = (canvas: Canvas, row: number, column: number): boolean =>
  '×X'.includes(canvas.at(row, column)) && canvas.isBlank(row, column - 1) && canvas.isBlank(row, column + 1);
