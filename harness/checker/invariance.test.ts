import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Contract } from '../contract/index.ts';
import { arbitraryCase } from '../testing/index.ts';
import type { SourcedEvent, TraceEvent } from '../trace/index.ts';
import { check } from './index.ts';

const CASES = Number(process.env['INVARIANCE_CASES'] ?? 300);
const SEED = 20_261_130;

/** One end of an event, or both at one instant. */
interface End {
  readonly event: number;
  readonly lifelines: readonly string[];
}

function endsOf(events: readonly SourcedEvent[]): End[] {
  return events
    .flatMap(({ event }, index): { readonly at: number; readonly end: End }[] =>
      event.receivedSeq === undefined
        ? [{ at: event.seq, end: { event: index, lifelines: [event.from, event.to] } }]
        : [
            { at: event.seq, end: { event: index, lifelines: [event.from] } },
            { at: event.receivedSeq, end: { event: index, lifelines: [event.to] } },
          ],
    )
    .sort((a, b) => a.at - b.at)
    .map(({ end }) => end);
}

/** Swaps neighbours that share neither a lifeline nor the message: each participant's own order, and send before receipt, stay. */
function shuffled(ends: readonly End[], swaps: readonly number[]): End[] {
  const order = [...ends];
  for (const swap of swaps) {
    const at = swap % Math.max(1, order.length - 1);
    const [a, b] = [order[at], order[at + 1]];
    if (a === undefined || b === undefined || a.event === b.event) continue;
    if (a.lifelines.some((lifeline) => b.lifelines.includes(lifeline))) continue;
    [order[at], order[at + 1]] = [b, a];
  }
  return order;
}

function traceOf(events: readonly SourcedEvent[], order: readonly End[]): SourcedEvent[] {
  const positions = new Map<number, number[]>();
  order.forEach(({ event }, index) => positions.set(event, [...(positions.get(event) ?? []), index + 1]));
  return events
    .map(({ event, source, line }, index) => {
      const [seq = 0, receivedSeq] = positions.get(index) ?? [];
      const moved: TraceEvent = { ...event, seq, ...(receivedSeq === undefined ? {} : { receivedSeq }) };
      return { event: moved, source, line };
    })
    .sort((a, b) => a.event.seq - b.event.seq);
}

/** Which call a reply answers must not depend on who came last: the pairing is then a matter of the trace's order, not of the system's. */
const namesItsCalls = (events: readonly SourcedEvent[]): boolean =>
  events.every(({ event }) => event.kind !== 'reply' || event.replyTo !== undefined);

/** A trace that goes through a drawing several times is cut into runs where the next one begins: in the order of the trace. */
const runsOnce = (contract: Contract, events: readonly SourcedEvent[]): boolean =>
  check(contract, { events, begun: true, ended: true }).instances.every(({ run }) => run === 1);

test(`no reordering that keeps each participant's own order changes a verdict, in ${CASES} cases of seed ${SEED}`, () => {
  let [moved, violating] = [0, 0];
  fc.assert(
    fc.property(
      arbitraryCase(),
      fc.array(fc.nat(20), { minLength: 4, maxLength: 20 }),
      ({ contract, events }, swaps) => {
        fc.pre(contract.order !== 'strict' && namesItsCalls(events) && runsOnce(contract, events));
        const order = shuffled(endsOf(events), swaps);
        const reordered = traceOf(events, order);
        fc.pre(runsOnce(contract, reordered));
        const before = check(contract, { events, begun: true, ended: true });
        const after = check(contract, { events: reordered, begun: true, ended: true });
        expect(after.outcome).toBe(before.outcome);
        if (order.some((end, index) => end.event !== endsOf(events)[index]?.event)) moved++;
        if (before.outcome === 'violates') violating++;
      },
    ),
    { seed: SEED, numRuns: CASES, maxSkipsPerRun: 1_000 },
  );
  expect(moved).toBeGreaterThan(CASES / 3);
  expect(violating).toBeGreaterThan(CASES / 10);
});
