/** What a container is made from. The pod's identity travels with it, as the `io.kubernetes.*` labels do in CRI. */
export interface ContainerConfig {
  readonly name: string;
  readonly image: string;
  readonly podNamespace: string;
  readonly podName: string;
  readonly podUid: string;
  /** 0 for the first container of this name in its pod, one more after each restart. */
  readonly attempt: number;
  readonly env: Readonly<Record<string, string>>;
}

/** A container's state; times are milliseconds since the epoch. */
export type ContainerState =
  | { readonly kind: 'created' }
  | { readonly kind: 'running'; readonly pid: number; readonly startedAt: number }
  | {
      readonly kind: 'exited';
      /** As a shell tells it: 128 + n after signal n. */
      readonly exitCode: number;
      readonly startedAt: number;
      readonly finishedAt: number;
    };

export interface ContainerStatus {
  readonly id: string;
  readonly config: ContainerConfig;
  readonly state: ContainerState;
}

/** Told without being asked: a container's process has ended. */
export interface ContainerEvent {
  readonly kind: 'died';
  readonly container: ContainerStatus;
}

/**
 * Runs containers. The calls are those of the Kubernetes container runtime interface (CRI) that a kubelet needs; pod
 * sandboxes are left out, because without namespaces a sandbox would hold nothing.
 */
export interface ContainerRuntime {
  /** Makes an image available; resolves to its reference. Rejects with `RuntimeError` if there is no such image. */
  pullImage(image: string): Promise<string>;
  /** Resolves to the container's id. */
  createContainer(config: ContainerConfig): Promise<string>;
  startContainer(id: string): Promise<void>;
  /** Asks the container to end, and kills it when the grace period is over. Resolves when its process is gone. */
  stopContainer(id: string, graceMs: number): Promise<void>;
  /** Forgets a container; kills it first if it still runs. */
  removeContainer(id: string): Promise<void>;
  listContainers(): Promise<readonly ContainerStatus[]>;
  containerStatus(id: string): Promise<ContainerStatus>;
  /** Hands every event to `listener` until the returned function is called. */
  events(listener: (event: ContainerEvent) => void): () => void;
  /** Kills whatever still runs, and waits until it is gone. Idempotent. */
  close(): Promise<void>;
}

/** A call to the runtime that failed for a reason that the kubelet can meet in operation. */
export class RuntimeError extends Error {
  readonly code: 'image-not-found' | 'no-such-container' | 'wrong-state' | 'start-failed';
  constructor(code: RuntimeError['code'], message: string) {
    super(message);
    this.name = 'RuntimeError';
    this.code = code;
  }
}
