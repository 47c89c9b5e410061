export type * from './types.ts';
export { PLAIN_START, readScenario, STEPS_MAX, type Kind, type Scenario, type Step } from './scenario.ts';
export { drive, type Driven, type DriveOptions } from './drive.ts';
export { loadSystem } from './load.ts';
export { PATIENCE, type Patience } from './patience.ts';
export { play, type Played, type PlayOptions } from './play.ts';
