export { arrowsOfEvents, check, type CheckOptions } from './check.ts';
export { describeViolation, nameArrow } from './describe.ts';
