export { Scheduler } from './scheduler.ts';
export type { SchedulerOptions } from './scheduler.ts';
export { SCHEDULER_MUTANTS } from './mutants.ts';
