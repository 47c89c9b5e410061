export { StreamChecker, type FailingInstance, type StreamFindings, type StreamOptions } from './stream-checker.ts';
