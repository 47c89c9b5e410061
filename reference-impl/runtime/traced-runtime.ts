import type { Attributes, Message, Recorder } from '../tracing/index.ts';
import { withCause } from '../tracing/index.ts';
import type { ContainerConfig, ContainerEvent, ContainerRuntime, ContainerStatus } from './types.ts';

/** Who calls the runtime, as the trace shows it. */
export interface RuntimeCaller {
  readonly recorder: Recorder;
  readonly participant: string;
  readonly attributes: Attributes;
}

const RUNTIME = 'Docker';

/**
 * A runtime whose calls and events are recorded at its boundary: a call when it is made, a reply when the call has ended. The
 * boundary lies within one process, so a message is sent and received in one step. A call's `subject` is the pod and container that it is
 * for; the runtime's own ids are added as they are learnt.
 */
export class TracedRuntime {
  readonly #runtime: ContainerRuntime;
  readonly #caller: RuntimeCaller;

  constructor(runtime: ContainerRuntime, caller: RuntimeCaller) {
    this.#runtime = runtime;
    this.#caller = caller;
  }

  pullImage(image: string, subject: Attributes): Promise<string> {
    const about = { ...subject, 'container.image.name': image };
    return this.#call('PullImage', about, () => this.#runtime.pullImage(image));
  }

  createContainer(config: ContainerConfig, subject: Attributes): Promise<string> {
    const about = { ...subject, 'container.image.name': config.image };
    return this.#call(
      'CreateContainer',
      about,
      () => this.#runtime.createContainer(config),
      (id) => ({ 'container.id': id }),
    );
  }

  startContainer(id: string, subject: Attributes): Promise<void> {
    return this.#call('StartContainer', withId(subject, id), () => this.#runtime.startContainer(id));
  }

  stopContainer(id: string, graceMs: number, subject: Attributes): Promise<void> {
    return this.#call('StopContainer', withId(subject, id), () => this.#runtime.stopContainer(id, graceMs));
  }

  removeContainer(id: string, subject: Attributes): Promise<void> {
    return this.#call('RemoveContainer', withId(subject, id), () => this.#runtime.removeContainer(id));
  }

  listContainers(): Promise<readonly ContainerStatus[]> {
    return this.#call('ListContainers', {}, () => this.#runtime.listContainers());
  }

  containerStatus(id: string, subject: Attributes): Promise<ContainerStatus> {
    return this.#call('ContainerStatus', withId(subject, id), () => this.#runtime.containerStatus(id));
  }

  /** The listener gets the id of the event's own message, and runs as its handling. */
  events(
    subjectOf: (container: ContainerStatus) => Attributes,
    listener: (event: ContainerEvent, messageId: string) => void,
  ): () => void {
    return this.#runtime.events((event) => {
      const { id, state } = event.container;
      // The context here is the call that started the process, which did not make it end.
      const messageId = withCause(undefined, () =>
        this.#pass({
          from: RUNTIME,
          to: this.#caller.participant,
          kind: 'async',
          label: 'ContainerDied',
          attributes: {
            ...withId(subjectOf(event.container), id),
            ...(state.kind === 'exited' ? { 'process.exit.code': state.exitCode } : {}),
          },
        }),
      );
      withCause(messageId, () => {
        listener(event, messageId);
      });
    });
  }

  async #call<T>(
    label: string,
    about: Attributes,
    run: () => Promise<T>,
    learnt: (result: T) => Attributes = () => ({}),
  ): Promise<T> {
    const { participant } = this.#caller;
    const callId = this.#pass({ from: participant, to: RUNTIME, kind: 'call', label, attributes: about });
    const reply = (status: number, text: string, attributes: Attributes): void => {
      const replyTo = { kind: 'reply', replyTo: callId, parent: callId } as const;
      this.#pass({ from: RUNTIME, to: participant, ...replyTo, label: text, status, attributes });
    };
    try {
      const result = await withCause(callId, run);
      reply(200, 'OK', { ...about, ...learnt(result) });
      return result;
    } catch (error) {
      reply(500, error instanceof Error ? error.message : 'failed', about);
      throw error;
    }
  }

  #pass(message: Message): string {
    const { recorder, attributes } = this.#caller;
    return recorder.pass({ ...message, attributes: { ...attributes, ...message.attributes } });
  }
}

function withId(subject: Attributes, id: string): Attributes {
  return { ...subject, 'container.id': id };
}
