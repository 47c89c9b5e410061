/** Bugs of the scheduler that can be switched on, to show that a checker catches them. One row per mutant. */
export const SCHEDULER_MUTANTS = [
  { name: 'bind-before-get', does: 'binds a pod from the notification alone, and reads it afterwards' },
  { name: 'bind-twice', does: 'binds each pod two times' },
] as const;
