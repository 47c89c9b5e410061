import type { Occurrence, Relation } from './relation.ts';

/** A term, by its number in a `TermTable`: equal terms have equal numbers. */
export type Term = number;

/** "No run at all": never confused with the empty run. */
export const FAIL: Term = 0;
/** "The empty run": nothing is owed and nothing more is possible. */
export const EMPTY: Term = 1;

export type Shape =
  | { readonly kind: 'fail' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'occurrence'; readonly occurrence: Occurrence }
  /** `first`, then `rest`, as far as `relation` says so; right-nested, so that tails are shared. */
  | { readonly kind: 'seq'; readonly relation: Relation; readonly first: Term; readonly rest: Term }
  | { readonly kind: 'alt'; readonly choices: readonly Term[] }
  /**
   * Zero or more runs of `body`, one after the other as far as `relation` says so. `headFirst`: what happens first
   * belongs to the first run.
   */
  | { readonly kind: 'loop'; readonly relation: Relation; readonly body: Term; readonly headFirst: boolean }
  /** `count` runs of `body`, two or more: a queue of equal obligations is one term, however long. */
  | { readonly kind: 'power'; readonly relation: Relation; readonly body: Term; readonly count: number }
  /** What is left of a critical fragment that was entered: until it is over, what stands beside it waits (`held`). */
  | { readonly kind: 'open'; readonly body: Term };
