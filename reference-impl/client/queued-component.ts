import type { ApiClient } from './api-client.ts';
import type { Component, Environment } from './environment.ts';
import type { Informer } from './informer.ts';
import { WorkQueue, type Cause } from './work-queue.ts';

/** An informer that a component owns: begun and ended with it. */
type Owned = Pick<Informer<never>, 'start' | 'stop'>;

/** What a component with a queue is made of. */
export interface QueuedParts {
  readonly environment: Environment;
  readonly client: ApiClient;
  /** How many keys it works on at once; default 1. */
  readonly workers?: number;
  /** By what name it reports what went wrong; default: its participant. */
  readonly reportsAs?: string;
}

/** A component that does its work key by key, from a queue that its informers fill; it begins once they have synced. */
export abstract class QueuedComponent implements Component {
  protected readonly client: ApiClient;
  protected readonly queue: WorkQueue;
  readonly #owned: Owned[] = [];

  protected constructor({ environment, client, workers = 1, reportsAs = client.participant }: QueuedParts) {
    this.client = client;
    this.queue = new WorkQueue({
      clock: environment.clock,
      workers,
      handle: (key, causes) => this.work(key, causes),
      onFailure: (key, error) => {
        environment.report(reportsAs, `${key}: ${String(error)}`);
      },
    });
    this.queue.pause();
  }

  async start(): Promise<void> {
    await this.prepare();
    this.queue.resume();
  }

  pause(): void {
    this.queue.pause();
  }

  resume(): void {
    this.queue.resume();
  }

  isBusy(): boolean {
    return this.queue.isBusy();
  }

  async stop(): Promise<void> {
    const watches = this.#owned.map((informer) => informer.stop());
    this.client.stop();
    await Promise.all([...watches, this.queue.stop()]);
  }

  /** Does the work of one key; rejects to be called again after a back-off. */
  protected abstract work(key: string, causes: readonly Cause[]): Promise<void>;

  /** An informer of its own: begun before the work, and stopped first. Shared ones are their owner's. */
  protected own<T extends Owned>(informer: T): T {
    this.#owned.push(informer);
    return informer;
  }

  /** What comes before the first key. */
  protected async prepare(): Promise<void> {
    await Promise.all(this.#owned.map((informer) => informer.start()));
  }
}
