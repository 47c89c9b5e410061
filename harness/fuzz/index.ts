export { fuzz, isBroken, type Execution, type FuzzOptions, type FuzzResult } from './fuzz.ts';
export { scenarioOf, type Plan } from './plan.ts';
