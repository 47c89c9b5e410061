import { EventEmitter } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  play,
  readScenario,
  type PlayOptions,
  type RunningSystem,
  type Scenario,
  type SystemUnderTest,
} from './index.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const TRACE = '{"seq":1,"from":"A","to":"B","kind":"async","label":"x"}\n{"kind":"end"}\n';
const plain: RequestListener = (request, response) => {
  const isTrace = request.url?.startsWith('/trace') === true;
  response.writeHead(200, { 'content-type': isTrace ? 'application/x-ndjson' : 'application/json' });
  response.end(isTrace ? TRACE : '{"items":[]}');
};

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const nothing = (): Promise<void> => Promise.resolve();
const never = (): Promise<never> => new Promise(() => undefined);
/** What is thrown need not be an error, nor anything that can be shown. */
const throwsNoError = (): never => {
  throw Object.create(null);
};
/** A function that does nothing but know how often it was called. */
function counter(): (() => Promise<void>) & { readonly calls: () => number } {
  let calls = 0;
  const count = (): Promise<void> => {
    calls++;
    return Promise.resolve();
  };
  return Object.assign(count, { calls: () => calls });
}
const boom = (): never => {
  throw new Error('boom');
};

/** A system that does nothing, but for what a case changes. */
async function systemWith(change: Partial<RunningSystem> = {}, api?: RequestListener): Promise<SystemUnderTest> {
  const traceUrl = await serve(plain);
  const apiUrl = api === undefined ? traceUrl : await serve(api);
  const running: RunningSystem = { apiUrl, traceUrl, pause: nothing, resume: nothing, finish: nothing, stop: nothing };
  return { name: 'x', start: () => Promise.resolve({ ...running, ...change }) };
}

const scenario = (...steps: object[]): Scenario => {
  const read = readScenario(JSON.stringify({ name: 's', steps }));
  if (typeof read === 'string') throw new Error(read);
  return read;
};
const PAUSE = { do: 'pause', component: 'scheduler' };
const CREATE = { do: 'create', kind: 'pod', name: 'a' };
const AWAIT = { do: 'await', kind: 'pod', name: 'a', pods: 0, running: 0 };

const SHORT = 30;
const IMPATIENT = { startMs: SHORT, stepMs: SHORT, requestMs: SHORT, finishMs: SHORT, stopMs: SHORT };

describe('a system under test that misbehaves ends the run with one message, and never hangs it:', () => {
  test('a well-behaved one is played, traced and stopped', async () => {
    const counting = counter();
    const system = await systemWith({ stop: counting });
    expect(await play(system, scenario(PAUSE, CREATE, AWAIT))).toMatchObject({ kind: 'played', stuck: null });
    expect(counting.calls()).toBe(1);
  });

  const started = (value: unknown): SystemUnderTest => ({
    name: 'x',
    start: () => Promise.resolve(value as RunningSystem),
  });
  test.each<[string, SystemUnderTest, RegExp]>([
    ['throws at once', { name: 'x', start: boom }, /did not start: boom/],
    ['never starts', { name: 'x', start: never }, /did not start: starting took longer than 0.03 s/],
    ['starts as null', started(null), /did not start: start\(\) gave no object/],
    ['has no URL', started({}), /no text "apiUrl"/],
    ['cannot be stopped', started({ apiUrl: '', traceUrl: '', pause: 1 }), /no function "pause"/],
  ])('one that %s', async (_, system, says) => {
    const played = await play(system, scenario(), { patience: IMPATIENT });
    expect(played).toMatchObject({ kind: 'failed', message: expect.stringMatching(says), hint: expect.anything() });
  });

  test.each<[string, Partial<RunningSystem>, RegExp]>([
    ['pause throws', { pause: boom }, /^x: boom$/],
    ['pause hangs', { pause: never }, /pause\("scheduler"\) took longer than 0.03 s/],
    ['finish throws what is no error', { finish: throwsNoError }, /cannot be shown/],
    ['finish hangs', { finish: never }, /finish\(\) took longer/],
    ['stop throws', { stop: boom }, /could not be stopped: boom/],
    ['stop hangs', { stop: never }, /could not be stopped: stop\(\) took longer/],
  ])('one whose %s', async (_, change, says) => {
    const played = await play(await systemWith(change), scenario(PAUSE), { patience: IMPATIENT });
    expect(played).toMatchObject({ kind: 'failed', message: expect.stringMatching(says) });
  });

  test.each<[string, RequestListener, RegExp]>([
    ['never answers', () => undefined, /^x: POST \S+ took longer/],
    ['hangs up', (request) => request.socket.destroy(), /^x: POST \S+ failed/],
    ['refuses', (_, response) => response.writeHead(409).end('no'), /step 1 of "s": POST \S+ was answered 409: no/],
    [
      'answers a page to a list',
      ({ method }, response) => response.end(method === 'POST' ? '{}' : '<html>'),
      /^x: GET \S+ was answered 200 with something that is not JSON$/,
    ],
  ])('one whose API %s', async (_, api, says) => {
    const patience = { ...IMPATIENT, requestMs: says.source.includes('longer') ? SHORT : 10_000 };
    const played = await play(await systemWith({}, api), scenario(CREATE, AWAIT), { patience });
    expect(played).toMatchObject({ kind: 'failed', message: expect.stringMatching(says) });
  });

  test('one whose API answers without end', async () => {
    const system = await systemWith({}, (_, response) => {
      const chunk = Buffer.alloc(1 << 20);
      const more = (): void => {
        while (response.write(chunk));
        response.once('drain', more);
      };
      more();
    });
    const played = await play(system, scenario(CREATE));
    expect(played).toMatchObject({ kind: 'failed', message: expect.stringMatching(/more than \d+ bytes/) });
  });

  test.each(['uncaughtException', 'unhandledRejection'] as const)(
    'one that throws outside of any call (%s); it is stopped, and nobody listens any more',
    async (event) => {
      const strays = new EventEmitter();
      const counting = counter();
      const options: PlayOptions = { strays };
      const system = await systemWith({
        finish: () => {
          strays.emit(event, new Error('late'));
          return never();
        },
        stop: counting,
      });
      const played = await play(system, scenario(), options);
      expect(played).toMatchObject({ kind: 'failed', message: 'x threw outside of any call: late' });
      expect(counting.calls()).toBe(1);
      expect(strays.listenerCount(event)).toBe(0);
    },
  );

  test('an interruption stops the system in the middle of what it does', async () => {
    const controller = new AbortController();
    const counting = counter();
    const system = await systemWith({
      pause: () => {
        controller.abort();
        return never();
      },
      stop: counting,
    });
    const played = await play(system, scenario(PAUSE), { signal: controller.signal });
    expect(played).toMatchObject({ kind: 'failed', message: 'x: interrupted' });
    expect(counting.calls()).toBe(1);
  });
});

test.each(['constructor', 'toString', 'hasOwnProperty'])('a scenario that starts with "%s" is refused', (name) => {
  expect(readScenario(`{"name":"s","start":{"${name}":1},"steps":[]}`)).toMatch(/^start\.\w+: not known/);
});
