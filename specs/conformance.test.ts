import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { arrowsOfEvents, check } from '../harness/checker/index.ts';
import { fetchTrace, toNdjson, type Contract, type SpecVerdict, type Trace } from '../harness/index.ts';
import { PLAIN_START, loadSystem, play, readScenario, type Played, type Scenario } from '../harness/system/index.ts';
import { loadSeedContracts, SPEC_NAMES } from './testing/load-specs.ts';

const ROOT = join(import.meta.dirname, '..');
const TIMEOUT_MS = 60_000;

/** The arrows of the four specs that no event can witness; the README gives the reasons. */
const NEVER_WITNESSED = ['002 step 1'];

async function playScenario(scenario: Scenario): Promise<Played & { readonly kind: 'played' }> {
  const system = await loadSystem(join(ROOT, 'reference-impl/system.ts'));
  if (typeof system === 'string') throw new Error(system);
  const played = await play(system, scenario);
  if (played.kind === 'failed') throw new Error(played.message);
  return played;
}

function mainScenario(): Scenario {
  const scenario = readScenario(readFileSync(join(import.meta.dirname, 'conformance.scenario.json'), 'utf8'));
  if (typeof scenario === 'string') throw new Error(scenario);
  return scenario;
}

/** Requests by Node's own account, the trace endpoint's left out. */
function countRequests(): { readonly server: () => number; readonly client: () => number; readonly stop: () => void } {
  let [server, client] = [0, 0];
  const pathOf = (message: unknown): string => {
    const request = (message as { request: { url?: string; path?: string } }).request;
    return request.url ?? request.path ?? '';
  };
  const onServer = (message: unknown): void => void (server += pathOf(message).startsWith('/trace') ? 0 : 1);
  const onClient = (message: unknown): void => void (client += pathOf(message).startsWith('/trace') ? 0 : 1);
  subscribe('http.server.request.start', onServer);
  subscribe('http.client.request.start', onClient);
  const stop = (): void => {
    unsubscribe('http.server.request.start', onServer);
    unsubscribe('http.client.request.start', onClient);
  };
  return { server: () => server, client: () => client, stop };
}

describe('the reference control plane behaves as drawn', () => {
  const contracts = loadSeedContracts();
  let trace: Trace = { events: [], begun: false, ended: false };
  let verdicts: readonly SpecVerdict[] = [];
  let requests = { server: 0, client: 0 };

  beforeAll(async () => {
    const counting = countRequests();
    const played = await playScenario(mainScenario());
    counting.stop();
    requests = { server: counting.server(), client: counting.client() };
    expect(played.stuck).toBeNull();
    expect(played.diagnostics).toEqual([]);
    ({ trace } = played);
    verdicts = contracts.map((contract) => check(contract, trace));
  }, TIMEOUT_MS);

  test.each(SPEC_NAMES.map((name, index) => [name, index] as const))(
    '%s conforms, with at least three pods',
    (_, index) => {
      const verdict = verdicts[index];
      expect(verdict?.instances.flatMap(({ violations }) => violations.map(({ text }) => text))).toEqual([]);
      expect(verdict?.outcome).toBe('conforms');
      expect(verdict?.instances.length).toBeGreaterThanOrEqual(3);
    },
  );

  test('every drawn arrow is witnessed by an event, except those that the README names', () => {
    const unwitnessed = verdicts.flatMap((verdict, index) =>
      verdict.arrows
        .filter(({ events }) => events === 0)
        .map((arrow) =>
          arrow.style === 'step'
            ? `${SPEC_NAMES[index]} step ${arrow.index + 1}`
            : `${SPEC_NAMES[index]} line ${arrow.line}`,
        ),
    );
    expect(unwitnessed).toEqual(NEVER_WITNESSED);
  });

  test('the requests in the trace are those that Node itself counted: no event without an interaction', () => {
    const calls = trace.events.filter(
      ({ event }) => event.kind === 'call' && event.attributes?.['http.request.method'] !== undefined,
    );
    expect(requests.server).toBeGreaterThan(50);
    expect(calls).toHaveLength(requests.server);
    // The driver is no part of the system: its requests are seen at the server only.
    expect(calls.filter(({ event }) => event.from !== 'User')).toHaveLength(requests.client);
  });

  test('the same trace, served by a process that is not the reference implementation, gets the same verdicts', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'asdrawn-'));
    const file = join(folder, 'trace.ndjson');
    writeFileSync(file, toNdjson(trace));
    const server = spawn(process.execPath, [join(import.meta.dirname, 'other-system.mjs'), file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const [url] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
      const { value, diagnostics } = await fetchTrace(url);
      expect(diagnostics).toEqual([]);
      const again = contracts.map((contract) => check(contract, value));
      const essence = (list: readonly SpecVerdict[]): unknown =>
        list.map(({ outcome, instances, arrows }) => [
          outcome,
          instances.map(({ key }) => key),
          arrows.map(({ events }) => events),
        ]);
      expect(essence(again)).toEqual(essence(verdicts));
    } finally {
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true });
    }
  });

  describe.each(SPEC_NAMES.map((name, index) => [name, index] as const))(
    '%s: without its events an arrow is missed,',
    (_, index) => {
      const contract = contracts[index] as Contract;
      const arrows = contract.drawn.filter(
        (arrow) => !NEVER_WITNESSED.includes(`${SPEC_NAMES[index]} step ${arrow.index + 1}`),
      );

      test.each(
        arrows.map(
          (arrow) => [arrow.index, arrow.line, arrow.text || `${arrow.from} ${arrow.style} ${arrow.to}`] as const,
        ),
      )('arrow %i, line %i, "%s"', (arrow, line) => {
        const taken = arrowsOfEvents(contract, trace);
        const events = trace.events.filter((_event, at) => taken[at]?.includes(arrow) !== true);
        expect(events.length).toBeLessThan(trace.events.length);
        const verdict = check(contract, { ...trace, events });
        expect(verdict.outcome).toBe('violates');
        const violations = verdict.instances.flatMap((instance) => instance.violations);
        const named = violations.filter(
          (violation) =>
            (violation.kind === 'missing' && violation.arrow === arrow) ||
            violation.mustFollow === arrow ||
            violation.expected.includes(arrow),
        );
        expect(named.length).toBeGreaterThan(0);
        expect(verdict.arrows[arrow]?.line).toBe(line);
        expect(violations.some(({ text }) => text.includes(`:${line})`))).toBe(true);
      });
    },
  );
});

describe('a control plane whose scheduler does not act', () => {
  test.each([
    ['000', 0],
    ['001 simple', 2],
  ] as const)(
    '%s is incomplete at "bind pod"',
    async (_, index) => {
      const kind = index === 0 ? 'pod' : 'deployment';
      const played = await playScenario({
        name: 'no scheduler',
        start: PLAIN_START,
        steps: [
          { do: 'pause', component: 'scheduler' },
          { do: 'create', kind, name: 'waiting', replicas: 1 },
          { do: 'await', kind, name: 'waiting', pods: 1, running: 0 },
        ],
      });
      const [contract] = [loadSeedContracts()[index] as Contract];
      const verdict = check(contract, played.trace, { complete: false });
      expect(verdict.outcome).toBe('incomplete');
      expect(verdict.instances.map(({ expected }) => expected.map((arrow) => verdict.arrows[arrow]?.text))).toEqual([
        ['bind pod'],
      ]);
    },
    TIMEOUT_MS,
  );
});
