import type { Bars } from './bars.ts';
import type { Canvas, Chunk } from './canvas.ts';
import type { Lifelines } from './lifelines.ts';
import type { Reports } from './reports.ts';
import { isTime } from './times.ts';

/** Steps, which `readLeftovers` knows too; they may stand among times. */
const NUMBER = /^\(?\d+[.):]?$/;

/**
 * Claims the times beside a drawing, to the left of all lifelines. Nothing but times and the numbers of steps may be left there:
 * any other text says that it is no margin, and then each of them is told. They say nothing about the order, which is drawn.
 */
export function claimTimes(
  canvas: Canvas,
  { lifelines, bodyTop, bodyBottom }: Lifelines,
  bars: Bars,
  reports: Reports,
): void {
  const [first] = lifelines;
  if (first === undefined) return;
  const times: Chunk[] = [];
  for (let row = bodyTop; row < bodyBottom; row++) {
    for (const chunk of canvas.chunksFrom(row, 0, bars.extent(first, row)[0] - 1)) {
      const text = canvas.text(row, chunk.from, chunk.to);
      if (isTime(text)) times.push(chunk);
      else if (!NUMBER.test(text)) return;
    }
  }
  const [upper] = times;
  if (upper === undefined) return;
  for (const { row, from, to } of times) canvas.claim(row, from, to, 'outside');
  // What is written over them.
  for (let row = first.head.top; row <= first.head.bottom; row++) canvas.claim(row, 0, first.head.left - 1, 'outside');
  reports.add('ASC142', upper, 'the times beside the drawing are not read, here and below');
}
