import { ApiClient, type Component, type Environment } from '../client/index.ts';
import { GarbageCollector } from './garbage-collector.ts';
import { ReplicaSetController } from './replica-set-controller.ts';
import { type SharedInformers, sharedInformers } from './shared-informers.ts';

/** Watches once for the controllers that live in it: replica sets and garbage collection. */
export class ControllerManager implements Component {
  readonly replicaSets: ReplicaSetController;
  readonly garbage: GarbageCollector;
  readonly #client: ApiClient;
  readonly #informers: SharedInformers;

  constructor(environment: Environment, mutants: ReadonlySet<string>) {
    this.#client = new ApiClient(environment, { userAgent: 'controller-manager' });
    this.#informers = sharedInformers(environment, this.#client);
    this.replicaSets = new ReplicaSetController({ environment, informers: this.#informers, mutants });
    this.garbage = new GarbageCollector(environment, this.#informers);
  }

  async start(): Promise<void> {
    const { deployments, replicaSets, pods } = this.#informers;
    await Promise.all([deployments.start(), replicaSets.start(), pods.start()]);
    await Promise.all([this.replicaSets.start(), this.garbage.start()]);
  }

  pause(): void {
    this.replicaSets.pause();
    this.garbage.pause();
  }

  resume(): void {
    this.replicaSets.resume();
    this.garbage.resume();
  }

  isBusy(): boolean {
    return this.replicaSets.isBusy() || this.garbage.isBusy();
  }

  async stop(): Promise<void> {
    const { deployments, replicaSets, pods } = this.#informers;
    const watches = [deployments.stop(), replicaSets.stop(), pods.stop()];
    await Promise.all([...watches, this.replicaSets.stop(), this.garbage.stop()]);
    this.#client.stop();
  }
}
