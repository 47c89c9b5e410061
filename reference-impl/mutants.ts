import { API_SERVER_MUTANTS } from './apiserver/index.ts';
import { CONTROLLER_MUTANTS } from './controllers/index.ts';
import { KUBELET_MUTANTS } from './kubelet/index.ts';
import { SCHEDULER_MUTANTS } from './scheduler/index.ts';

/** A bug that can be switched on, in the component that has it. */
export interface Mutant {
  readonly name: string;
  readonly component: string;
  readonly does: string;
}

/** All bugs there are; each room keeps the rows of its own. */
export const MUTANTS: readonly Mutant[] = [
  ...rows('apiserver', API_SERVER_MUTANTS),
  ...rows('controllers', CONTROLLER_MUTANTS),
  ...rows('scheduler', SCHEDULER_MUTANTS),
  ...rows('kubelet', KUBELET_MUTANTS),
];

function rows(
  component: string,
  table: readonly { readonly name: string; readonly does: string }[],
): readonly Mutant[] {
  return table.map(({ name, does }) => ({ name, component, does }));
}

/** Throws, naming the mutants there are, if one of the names is none of them. */
export function refuseUnknownMutants(names: readonly string[]): void {
  const unknown = names.filter((name) => !MUTANTS.some((mutant) => mutant.name === name));
  if (unknown.length === 0) return;
  const known = MUTANTS.map(({ name, does }) => `  ${name}: ${does}`).join('\n');
  throw new Error(`no such mutant: ${unknown.join(', ')}. There are:\n${known}`);
}

/** Those of the names that are bugs of this component. */
export function mutantsOf(component: string, names: readonly string[]): readonly string[] {
  return names.filter((name) => MUTANTS.some((mutant) => mutant.name === name && mutant.component === component));
}
