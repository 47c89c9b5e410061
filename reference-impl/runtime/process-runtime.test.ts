import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ProcessRuntime } from './process-runtime.ts';
import type { ContainerConfig, ContainerEvent } from './types.ts';

let runtime: ProcessRuntime;
beforeEach(() => {
  runtime = new ProcessRuntime();
});
afterEach(() => runtime.close());

const config = (image: string): ContainerConfig => ({
  name: 'main',
  image,
  podNamespace: 'default',
  podName: 'web',
  podUid: 'u1',
  attempt: 0,
  env: {},
});

async function started(image: string): Promise<string> {
  await runtime.pullImage(image);
  const id = await runtime.createContainer(config(image));
  await runtime.startContainer(id);
  return id;
}

async function pidOf(id: string): Promise<number> {
  const { state } = await runtime.containerStatus(id);
  if (state.kind !== 'running') throw new Error(`expected a running container, not one that is ${state.kind}`);
  return state.pid;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const nextEvent = (): Promise<ContainerEvent> =>
  new Promise((resolve) => {
    const stop = runtime.events((event) => {
      stop();
      resolve(event);
    });
  });

test('a started container is a process of its own group', async () => {
  const pid = await pidOf(await started('nginx:1.27'));
  expect(isAlive(pid)).toBe(true);
  expect(isAlive(-pid)).toBe(true);
});

test('a stopped container ends by SIGTERM', async () => {
  const id = await started('nginx');
  const pid = await pidOf(id);
  await runtime.stopContainer(id, 5000);
  expect((await runtime.containerStatus(id)).state).toMatchObject({ kind: 'exited', exitCode: 128 + 15 });
  expect(isAlive(pid)).toBe(false);
});

test('a container that ignores SIGTERM is killed when its grace period is over', async () => {
  const id = await started('asdrawn/stubborn');
  await runtime.stopContainer(id, 1);
  const { state } = await runtime.containerStatus(id);
  // Until it has set its handler, SIGTERM ends it like any other.
  expect([128 + 9, 128 + 15]).toContain(state.kind === 'exited' ? state.exitCode : undefined);
});

test.each([
  ['asdrawn/succeeds', 0],
  ['asdrawn/fails:v2', 1],
])('the end of %s is told with exit code %i', async (image, exitCode) => {
  const event = nextEvent();
  const id = await started(image);
  expect(await event).toMatchObject({ kind: 'died', container: { id, state: { kind: 'exited', exitCode } } });
});

test('a removed container is killed and forgotten', async () => {
  const id = await started('nginx');
  const pid = await pidOf(id);
  await runtime.removeContainer(id);
  expect(isAlive(pid)).toBe(false);
  expect(await runtime.listContainers()).toEqual([]);
  await expect(runtime.containerStatus(id)).rejects.toMatchObject({ code: 'no-such-container' });
});

test('an image that is not there cannot be pulled', async () => {
  await expect(runtime.pullImage('asdrawn/missing:1')).rejects.toMatchObject({ code: 'image-not-found' });
});

test('a container cannot be created before its image was pulled, nor started twice', async () => {
  await expect(runtime.createContainer(config('nginx'))).rejects.toMatchObject({ code: 'image-not-found' });
  const id = await started('nginx');
  await expect(runtime.startContainer(id)).rejects.toMatchObject({ code: 'wrong-state' });
});

test('a program that is not there fails to start', async () => {
  const broken = new ProcessRuntime({ images: () => ({ argv: ['/no/such/program'] }) });
  await broken.pullImage('x');
  const id = await broken.createContainer(config('x'));
  await expect(broken.startContainer(id)).rejects.toMatchObject({ code: 'start-failed' });
  await broken.close();
});

test('closing kills everything', async () => {
  const pids = [await pidOf(await started('nginx')), await pidOf(await started('asdrawn/stubborn'))];
  await runtime.close();
  expect(pids.filter(isAlive)).toEqual([]);
});
