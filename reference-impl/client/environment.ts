import type { Recorder } from '../tracing/index.ts';
import type { Clock } from './clock.ts';

/** What a component is given; it reaches the world by nothing else, so that a simulation can put another one in its place. */
export interface Environment {
  /** Base URL of the API server, e.g. `http://127.0.0.1:8001`. */
  readonly apiUrl: string;
  readonly recorder: Recorder;
  readonly clock: Clock;
  /** Told of what went wrong and will be tried again. */
  report(component: string, problem: string): void;
}

/** A part of the control plane that runs until it is stopped. */
export interface Component {
  /** Resolves when its informers have synced and it has begun to work. */
  start(): Promise<void>;
  /** Stops taking work; connections and informers stay, so that what happens meanwhile waits in its queues. */
  pause(): void;
  resume(): void;
  /** Whether it has work that it could do now. What waits behind a pause or a long back-off does not count. */
  isBusy(): boolean;
  /** Ends its watches and abandons its work. Idempotent. */
  stop(): Promise<void>;
}
