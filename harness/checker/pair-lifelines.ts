import { foldName, type Contract } from '../contract/index.ts';

/** Which participant of one drawing is which of the other. */
export interface LifelinePairs {
  /** For each lifeline of the first contract its counterpart in the second; null: it has none. */
  readonly counterparts: readonly (number | null)[];
  /** Pairs that neither a name nor a renaming made, only the place where they stand; by label. */
  readonly byPosition: readonly (readonly [string, string])[];
  /** Lifelines that exchange messages and have no counterpart; by label. */
  readonly alone: { readonly first: readonly string[]; readonly second: readonly string[] };
  /** Renamings that name no participant. */
  readonly unknown: readonly (readonly [string, string])[];
}

/**
 * Pairs the participants of two drawings: as `renames` say (`[name in the first, name in the second]`), then by name, then,
 * if as many are left on one side as on the other, by position. Participants without any message are left out of the last.
 */
export function pairLifelines(
  first: Contract,
  second: Contract,
  renames: readonly (readonly [string, string])[] = [],
): LifelinePairs {
  const counterparts = first.lifelines.map((): number | null => null);
  const taken = new Set<number>();
  const pair = (one: number, other: number): void => {
    counterparts[one] = other;
    taken.add(other);
  };
  const isFree = (one: number, other: number): boolean =>
    one >= 0 && other >= 0 && counterparts[one] === null && !taken.has(other);
  const unknown = renames.filter(([from, to]) => {
    const [one, other] = [lifelineNamed(first, from), lifelineNamed(second, to)];
    const fits = isFree(one, other);
    if (fits) pair(one, other);
    return !fits;
  });
  for (const [one, { id, label }] of first.lifelines.entries()) {
    const other = [label, id].map((name) => lifelineNamed(second, name)).find((found) => isFree(one, found));
    if (other !== undefined) pair(one, other);
  }
  const left = lifelinesInUse(first).filter((one) => counterparts[one] === null);
  const right = lifelinesInUse(second).filter((other) => !taken.has(other));
  const label = (contract: Contract, lifeline: number): string => contract.lifelines[lifeline]?.label ?? '';
  if (left.length !== right.length) {
    const alone = { first: left.map((one) => label(first, one)), second: right.map((one) => label(second, one)) };
    return { counterparts, byPosition: [], alone, unknown };
  }
  const byPosition = left.map((one, index) => {
    const other = right[index] ?? -1;
    pair(one, other);
    return [label(first, one), label(second, other)] as const;
  });
  return { counterparts, byPosition, alone: { first: [], second: [] }, unknown };
}

function lifelineNamed({ lifelines }: Contract, name: string): number {
  const folded = foldName(name);
  const byLabel = lifelines.findIndex(({ label }) => foldName(label) === folded);
  return byLabel >= 0 ? byLabel : lifelines.findIndex(({ id }) => foldName(id) === folded);
}

/** In drawn order of the columns. */
function lifelinesInUse({ lifelines, messages }: Contract): number[] {
  const used = new Set(messages.flatMap(({ from, to }) => [from, to]));
  return [...lifelines.keys()].filter((lifeline) => used.has(lifeline));
}
