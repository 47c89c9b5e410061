import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { constants } from 'node:os';
import { type Image, type ImageRegistry, localImages } from './images.ts';
import {
  type ContainerConfig,
  type ContainerEvent,
  type ContainerRuntime,
  type ContainerState,
  type ContainerStatus,
  RuntimeError,
} from './types.ts';

export interface ProcessRuntimeOptions {
  readonly images?: ImageRegistry;
}

interface Container {
  readonly id: string;
  readonly config: ContainerConfig;
  readonly image: Image;
  state: ContainerState;
  process?: ChildProcess;
  /** Resolves when the process is gone. */
  gone?: Promise<void>;
}

/** Node's own table of signals, as the numbers that a shell adds to 128. */
const signalNumbers: ReadonlyMap<string, number> = new Map(Object.entries(constants.signals));

const openRuntimes = new Set<ProcessRuntime>();

/** The last chance when the program ends without `close`; an exit handler may only do what takes no time. */
function killEverything(): void {
  for (const runtime of openRuntimes) runtime.killAll();
}

/**
 * A container is a real process of the operating system in a process group of its own. There is no isolation: no
 * namespaces, no limits, no file system of its own.
 */
export class ProcessRuntime implements ContainerRuntime {
  readonly #images: ImageRegistry;
  readonly #pulled = new Map<string, Image>();
  readonly #containers = new Map<string, Container>();
  readonly #listeners = new Set<(event: ContainerEvent) => void>();
  #closed = false;

  constructor(options: ProcessRuntimeOptions = {}) {
    this.#images = options.images ?? localImages;
    if (openRuntimes.size === 0) process.on('exit', killEverything);
    openRuntimes.add(this);
  }

  pullImage(name: string): Promise<string> {
    const image = this.#images(name);
    if (image === undefined) return refuse('image-not-found', `image ${name}: not found`);
    this.#pulled.set(name, image);
    return Promise.resolve(name);
  }

  createContainer(config: ContainerConfig): Promise<string> {
    const image = this.#pulled.get(config.image);
    if (image === undefined) return refuse('image-not-found', `image ${config.image} was not pulled`);
    if (this.#closed) return refuse('wrong-state', 'the runtime is closed');
    const id = randomBytes(32).toString('hex');
    this.#containers.set(id, { id, config, image, state: { kind: 'created' } });
    return Promise.resolve(id);
  }

  async startContainer(id: string): Promise<void> {
    const container = this.#find(id);
    if (container.state.kind !== 'created' || this.#closed) {
      throw new RuntimeError('wrong-state', `container ${id} is ${container.state.kind}`);
    }
    const [program, ...args] = container.image.argv;
    // Standard input is a pipe that nobody writes to; it closes when this process dies, and the container with it.
    const child = spawn(program, args, {
      detached: true,
      env: { PATH: process.env['PATH'] ?? '', ...container.config.env },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    container.process = child;
    // A container that ends while the pipe is open is reported by its exit; the broken pipe adds nothing.
    child.stdin.on('error', () => undefined);
    container.gone = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#exited(container, code, signal);
        resolve();
      });
      child.once('error', () => {
        resolve();
      });
    });
    await spawned(child);
    container.state = { kind: 'running', pid: child.pid ?? 0, startedAt: Date.now() };
  }

  async stopContainer(id: string, graceMs: number): Promise<void> {
    const container = this.#find(id);
    if (container.state.kind !== 'running' || container.gone === undefined) return;
    signalGroup(container, 'SIGTERM');
    const timer = setTimeout(() => {
      signalGroup(container, 'SIGKILL');
    }, graceMs);
    await container.gone;
    clearTimeout(timer);
  }

  async removeContainer(id: string): Promise<void> {
    const container = this.#find(id);
    signalGroup(container, 'SIGKILL');
    await container.gone;
    this.#containers.delete(id);
  }

  listContainers(): Promise<readonly ContainerStatus[]> {
    return Promise.resolve([...this.#containers.values()].map(statusOf));
  }

  containerStatus(id: string): Promise<ContainerStatus> {
    const container = this.#containers.get(id);
    return container === undefined
      ? refuse('no-such-container', `no container ${id}`)
      : Promise.resolve(statusOf(container));
  }

  events(listener: (event: ContainerEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.killAll();
    for (const container of this.#containers.values()) await container.gone;
    openRuntimes.delete(this);
    if (openRuntimes.size === 0) process.off('exit', killEverything);
    this.#listeners.clear();
  }

  /** Sends SIGKILL to whatever runs, without waiting. */
  killAll(): void {
    for (const container of this.#containers.values()) signalGroup(container, 'SIGKILL');
  }

  #find(id: string): Container {
    const container = this.#containers.get(id);
    if (container === undefined) throw new RuntimeError('no-such-container', `no container ${id}`);
    return container;
  }

  #exited(container: Container, code: number | null, signal: NodeJS.Signals | null): void {
    const startedAt = container.state.kind === 'running' ? container.state.startedAt : Date.now();
    const exitCode = code ?? 128 + (signalNumbers.get(signal ?? '') ?? 0);
    container.state = { kind: 'exited', exitCode, startedAt, finishedAt: Date.now() };
    const event: ContainerEvent = { kind: 'died', container: statusOf(container) };
    for (const listener of this.#listeners) listener(event);
  }
}

function refuse(code: RuntimeError['code'], message: string): Promise<never> {
  return Promise.reject(new RuntimeError(code, message));
}

function spawned(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => {
      reject(new RuntimeError('start-failed', error.message));
    });
  });
}

function statusOf({ id, config, state }: Container): ContainerStatus {
  return { id, config, state };
}

/** The whole group, so that what the container started goes with it. */
function signalGroup(container: Container, signal: NodeJS.Signals): void {
  const pid = container.process?.pid;
  if (pid === undefined || container.state.kind === 'exited') return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // It ended before we looked; its exit is on the way.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
