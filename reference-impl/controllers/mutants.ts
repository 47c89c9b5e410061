/** Bugs of the controllers that can be switched on, to show that a checker catches them. One row per mutant. */
export const CONTROLLER_MUTANTS = [
  { name: 'create-before-list', does: "creates a new replica set's pods before it has looked which there are" },
  { name: 'create-one-too-many', does: 'creates one pod more than are missing' },
] as const;
