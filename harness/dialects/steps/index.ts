export { looksLikeSteps, readSteps } from './read-steps.ts';
