import { EMPTY, type Shape, type Term } from './term-shape.ts';

/** What `includes` asks of a table of terms. */
interface Terms {
  shape(term: Term): Shape;
  isNullable(term: Term): boolean;
}

/** Pairs of terms looked at for one answer; beyond that the answer is "not shown". */
const PAIRS_MAX = 64;

/**
 * Is every run of `inner` a run of `outer`? Only by rules that hold for every relation (those of Kleene algebra), so a "yes"
 * is always right, and a "no" may only mean that the forms do not show it. Sequences are compared part by part.
 */
export function includes(terms: Terms, outer: Term, inner: Term): boolean {
  let pairs = 0;
  const pending: (readonly [Term, Term])[] = [[outer, inner]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const needed = ++pairs > PAIRS_MAX ? null : obligations(terms, ...next);
    if (needed === null) return false;
    pending.push(...needed);
  }
  return true;
}

/** What would prove that `outer` includes `inner`; null: no rule applies. */
function obligations(terms: Terms, outer: Term, inner: Term): (readonly [Term, Term])[] | null {
  if (outer === inner) return [];
  if (inner === EMPTY) return terms.isNullable(outer) ? [] : null;
  const [large, small] = [terms.shape(outer), terms.shape(inner)];
  if (small.kind === 'alt') return small.choices.map((choice) => [outer, choice] as const);
  if (large.kind === 'alt') return large.choices.includes(inner) ? [] : null;
  if (large.kind === 'loop') return inLoop(outer, large, inner, small);
  if (large.kind === 'seq') return inSequence(terms, large, inner);
  if (large.kind === 'open' && small.kind === 'open') return [[large.body, small.body]];
  return null;
}

function inLoop(
  outer: Term,
  large: Extract<Shape, { kind: 'loop' }>,
  inner: Term,
  small: Shape,
): (readonly [Term, Term])[] | null {
  if (large.headFirst) return null;
  if (small.kind === 'loop' && small.relation === large.relation && !small.headFirst) return [[outer, small.body]];
  if (small.kind === 'power' && small.relation === large.relation) return [[outer, small.body]];
  if (small.kind === 'seq' && small.relation === large.relation)
    return [
      [outer, small.first],
      [outer, small.rest],
    ];
  return [[large.body, inner]];
}

/** A part that the smaller one lacks must be one that can be left out. */
function inSequence(
  terms: Terms,
  large: Extract<Shape, { kind: 'seq' }>,
  inner: Term,
): (readonly [Term, Term])[] | null {
  const { relation } = large;
  const small = terms.shape(inner);
  const [first, rest] =
    small.kind === 'seq' && small.relation === relation ? [small.first, small.rest] : [inner, EMPTY];
  if (first === large.first) return [[large.rest, rest]];
  if (terms.isNullable(large.first) && !isLoopOf(terms, large.first, first)) return [[large.rest, inner]];
  return [
    [large.first, first],
    [large.rest, rest],
  ];
}

/** Does the loop's body look like the term, so that they should be matched rather than the loop left out? */
function isLoopOf(terms: Terms, loop: Term, term: Term): boolean {
  const [large, small] = [terms.shape(loop), terms.shape(term)];
  return large.kind === 'loop' && (small.kind === 'loop' || large.body === term);
}
