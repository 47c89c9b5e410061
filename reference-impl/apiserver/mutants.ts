/** A bug that can be switched on, to show that a checker catches it. */
export interface Mutant {
  readonly name: string;
  readonly does: string;
}

/** One row per mutant; the name is asked for at the place that it changes. */
export const API_SERVER_MUTANTS = [
  { name: 'reply-before-write', does: 'answers 201 to a creation before the object is written to the store' },
  { name: 'bind-without-write', does: 'answers 201 to a binding and writes nothing' },
  { name: 'notify-unbound', does: 'tells kubelets of pods that are bound to no node' },
  { name: 'notify-twice', does: 'sends each watch line two times' },
  { name: 'accept-stale-update', does: 'lets an update through that was made from an old version of the object' },
] as const satisfies readonly Mutant[];

export type MutantName = (typeof API_SERVER_MUTANTS)[number]['name'];

/** The mutants of these names; an unknown name is refused with the names there are. */
export function selectMutants(names: readonly string[]): ReadonlySet<MutantName> {
  return new Set(names.map(known));
}

function known(name: string): MutantName {
  const mutant = API_SERVER_MUTANTS.find((row) => row.name === name);
  if (mutant !== undefined) return mutant.name;
  const names = API_SERVER_MUTANTS.map((row) => row.name).join(', ');
  throw new Error(`unknown mutant ${JSON.stringify(name)} of the API server; there are: ${names}`);
}
