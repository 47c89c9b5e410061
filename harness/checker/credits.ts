import { BoundMet, FAIL, type Term } from './terms.ts';

/** A way to read what a run took, and in what it differs from the way by which its events are counted for now. */
export interface Path<T> {
  /** What remains, read like this. */
  readonly term: Term;
  /** null: it takes every event for the message for which that is counted. */
  readonly corrections: T | null;
}

/** Ways to read one run that are kept; where there are more, the first ones are. */
export const PATHS_MAX = 64;

/** Of a letter that is looked at in many ways already (see `stepTerm`), far fewer. */
export const COSTLY_PATHS_MAX = 8;

export interface Advance<T> {
  readonly step: (term: Term, message: number) => Term;
  /** What the letter can be. */
  readonly messages: readonly number[];
  /** The corrections of a path that goes on by taking the letter for this message. */
  readonly correct: (known: T | null, message: number) => T | null;
  readonly pathsMax?: number;
}

/**
 * The paths after one more letter: of those that leave the same, the first. Two branches that begin alike are both alive until
 * an event tells them apart, and only the branch that survives was seen. None: a bound was met.
 */
export function advance<T>(paths: readonly Path<T>[], letter: Advance<T>): readonly Path<T>[] {
  const { step, messages, correct, pathsMax = PATHS_MAX } = letter;
  const known = new Map<Term, Path<T>>();
  try {
    for (const { term: before, corrections } of paths)
      for (const message of messages) {
        const term = step(before, message);
        if (term === FAIL || known.has(term)) continue;
        known.set(term, { term, corrections: correct(corrections, message) });
        if (known.size >= pathsMax) return [...known.values()];
      }
  } catch (error) {
    // What an event counts for is no reason to stop judging.
    if (!(error instanceof BoundMet)) throw error;
    return [];
  }
  return [...known.values()];
}

/** The first path at whose end the run may be over; undefined: none, or a bound was met. */
export function acceptingPath<T>(paths: readonly Path<T>[], accepts: (term: Term) => boolean): Path<T> | undefined {
  try {
    return paths.find(({ term }) => accepts(term));
  } catch (error) {
    if (!(error instanceof BoundMet)) throw error;
    return undefined;
  }
}

/** An event that is taken for another message than the one that it is counted for; and the ones before it. */
export interface Correction {
  readonly index: number;
  readonly counted: number;
  readonly message: number;
  /** It is more than a receipt, which is not counted. */
  readonly counts: boolean;
  readonly before: Correction | null;
}
