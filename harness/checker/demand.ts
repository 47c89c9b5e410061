import type { Term } from './terms.ts';

/** Not computed yet: what it needs comes first. */
export const PENDING = -1;

/** The result for a part, or `PENDING`. */
export type Need = (part: Term) => number;

/** Something computed from the parts of a term: `compute` answers `PENDING` when a part's result was not there yet. */
export interface Demand {
  known(term: Term): number;
  compute(term: Term, need: Need): number;
  keep(term: Term, result: number): void;
}

/** Computes by need, with a stack of its own instead of recursion: a drawing may nest deeper than the call stack. */
export function byDemand(root: Term, demand: Demand): number {
  const stack: Term[] = [root];
  const need: Need = (part) => {
    const known = demand.known(part);
    if (known === PENDING) stack.push(part);
    return known;
  };
  let result = PENDING;
  for (let term = stack.at(-1); term !== undefined; term = stack.at(-1)) {
    result = demand.known(term);
    if (result === PENDING) {
      const depth = stack.length;
      result = demand.compute(term, need);
      if (result === PENDING) {
        if (stack.length === depth) throw new Error(`term ${term} waits for nothing: its computation cannot end`);
        continue;
      }
      demand.keep(term, result);
    }
    stack.pop();
  }
  return result;
}
