import type { Place } from './types.ts';

/**
 * Where a dialect's text comes from. `place` maps a 1-based position in the given text to the original file: a fence inside
 * a list or a quote shifts columns, differently per line, so a dialect never computes a place by itself.
 */
export interface TextSource {
  /** The path as the user gave it. */
  readonly file: string;
  /** What the diagram is called, see `Diagram.name`. */
  readonly name: string;
  readonly place: (line: number, column: number) => Place;
}

/** The source of a text that is a whole file: every position stays as it is. */
export const wholeFile = (file: string, name: string): TextSource => ({
  file,
  name,
  place: (line, column) => ({ line, column }),
});
