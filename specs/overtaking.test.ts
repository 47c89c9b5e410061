import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { arrowsOfEvents, check } from '../harness/checker/index.ts';
import type { Contract, Trace, TraceEvent } from '../harness/index.ts';
import { loadSystem, play, PLAIN_START, type StartOptions } from '../harness/system/index.ts';
import { loadContract } from './testing/load-specs.ts';

const PODS = ['one', 'two', 'three', 'four', 'five'];
const TIMEOUT_MS = 60_000;

async function traceWith(start: Partial<StartOptions>): Promise<Trace> {
  const system = await loadSystem(join(import.meta.dirname, '../reference-impl/system.ts'));
  if (typeof system === 'string') throw new Error(system);
  const played = await play(system, {
    name: 'five pods',
    start: { ...PLAIN_START, ...start },
    steps: [
      ...PODS.map((name) => ({ do: 'create', kind: 'pod', name }) as const),
      ...PODS.map((name) => ({ do: 'await', kind: 'pod', name, pods: 1, running: 1 }) as const),
    ],
  });
  if (played.kind === 'failed') throw new Error(played.message);
  return played.trace;
}

const seed000 = (order: 'lifeline' | 'causal'): Contract => {
  const [contract] = loadContract('create-pod/diagram.txt', 'create-pod/diagram.bindings.yaml', order);
  if (contract === undefined) throw new Error('seed 000 holds one diagram');
  return contract;
};

/** Broken pairs, counted by hand on the trace: two arrows of one pod whose ends on one lifeline happened in the other order. */
function overtakenPairs(contract: Contract, trace: Trace): string[] {
  const candidates = arrowsOfEvents(contract, trace);
  const calls = new Map(trace.events.map(({ event }) => [event.id, event]));
  const podOf = (event: TraceEvent): unknown =>
    event.attributes?.['k8s.pod.name'] ?? calls.get(event.replyTo)?.attributes?.['k8s.pod.name'];
  const found = new Set<string>();
  for (const pod of PODS) {
    const events = trace.events.flatMap(({ event }, at) => {
      const [arrow, ...others] = candidates[at] ?? [];
      expect(others).toEqual([]);
      return arrow === undefined || podOf(event) !== pod ? [] : [{ arrow, event }];
    });
    for (const earlier of events)
      for (const later of events)
        if (earlier.arrow < later.arrow && hasOvertaken(later.event, earlier.event))
          found.add(`${pod}: ${later.arrow} before ${earlier.arrow}`);
  }
  return [...found].sort();
}

function hasOvertaken(later: TraceEvent, earlier: TraceEvent): boolean {
  return endsOf(later).some(([lifeline, at]) =>
    endsOf(earlier).some(([other, before]) => lifeline === other && at < before),
  );
}

/** The ends that the trace shows, each with its position. */
function endsOf(event: TraceEvent): (readonly [string, number])[] {
  const { seq, receivedSeq, point, from, to } = event;
  if (receivedSeq !== undefined)
    return [
      [from, seq],
      [to, receivedSeq],
    ];
  return point === 'send'
    ? [[from, seq]]
    : point === 'receive'
      ? [[to, seq]]
      : [
          [from, seq],
          [to, seq],
        ];
}

describe('when watch notifications may overtake replies on the wire', () => {
  let trace: Trace;
  beforeAll(async () => {
    trace = await traceWith({ dispatch: 'free', replyDelaysMs: [12, 0, 25], watchDelaysMs: [0] });
  }, TIMEOUT_MS);

  test('lifeline reports exactly the overtaken pairs', () => {
    const contract = seed000('lifeline');
    const verdict = check(contract, trace);
    const told = verdict.instances.flatMap(({ key, violations }) =>
      violations.map(
        ({ kind, arrow, mustFollow }) =>
          `${key['pod']}: ${arrow} before ${mustFollow}${kind === 'out-of-order' ? '' : ` (${kind})`}`,
      ),
    );
    const overtaken = overtakenPairs(contract, trace);
    expect(overtaken.length).toBeGreaterThan(0);
    expect([...told].sort()).toEqual(overtaken);
  });

  test('causal conforms: nobody acted on what it had not learnt', () => {
    expect(check(seed000('causal'), trace).outcome).toBe('conforms');
  });
});

describe('when the API server answers first', () => {
  test(
    'both orders conform, whatever the delays',
    async () => {
      const trace = await traceWith({ dispatch: 'respond-first', replyDelaysMs: [12, 0, 25], watchDelaysMs: [0] });
      expect(check(seed000('lifeline'), trace).outcome).toBe('conforms');
      expect(check(seed000('causal'), trace).outcome).toBe('conforms');
      expect(overtakenPairs(seed000('lifeline'), trace)).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
