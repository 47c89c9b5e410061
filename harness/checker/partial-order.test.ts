import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Contract } from '../contract/index.ts';
import { arbitraryCase, describeCase, type JudgedCase } from '../testing/index.ts';
import { proveOrder, readTraceText, toNdjson, type SourcedEvent, type TraceEvent } from '../trace/index.ts';
import { worstOf, type Outcome, type SpecVerdict } from '../verdict/index.ts';
import { ALIGNMENT_BOUNDS } from './align.ts';
import { check } from './index.ts';

const CASES = Number(process.env['PARTIAL_ORDER_CASES'] ?? 1_500);
const SEED = process.env['PARTIAL_ORDER_SEED'] === 'random' ? Math.floor(Math.random() * 2 ** 31) : 20_261_130;
/** Orders that are tried one by one. */
const ORDERS_MAX = 150;

/** Nothing is aligned: only outcomes are compared. */
const ALONE = { alignment: { ...ALIGNMENT_BOUNDS, instancesMax: 0 } };

/** What is proven of a trace beside the order on each participant. */
interface Clocks {
  /** For events with one position: on whose clock it is. */
  readonly sides: readonly boolean[];
  /** Which events name an earlier one, and how. */
  readonly edges: readonly { readonly kind: 'causes' | 'parent' | null; readonly back: number }[];
  readonly points: readonly boolean[];
  readonly begun: boolean;
  readonly complete: boolean;
}

const arbitraryClocks: fc.Arbitrary<Clocks> = fc.record({
  sides: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
  edges: fc.array(
    fc.record({ kind: fc.constantFrom('causes' as const, 'parent' as const, null, null, null), back: fc.nat(6) }),
    { minLength: 12, maxLength: 12 },
  ),
  points: fc.array(
    fc.nat(9).map((roll) => roll === 9),
    { minLength: 12, maxLength: 12 },
  ),
  begun: fc.nat(4).map((roll) => roll > 0),
  complete: fc.nat(3).map((roll) => roll > 0),
});

/** The trace as participants that count for themselves would write it: a domain for each, nothing of the common order. */
function onClocksOfTheirOwn(events: readonly SourcedEvent[], clocks: Clocks): SourcedEvent[] {
  const counters = new Map<string, number>();
  const count = (domain: string): number => {
    counters.set(domain, (counters.get(domain) ?? 0) + 1);
    return counters.get(domain) ?? 0;
  };
  const positions = new Map<string, number>();
  const ends = events.flatMap(({ event }, index) => [
    { index, end: 'send', at: event.seq },
    ...(event.receivedSeq === undefined ? [] : [{ index, end: 'receive', at: event.receivedSeq }]),
  ]);
  for (const { index, end } of ends.sort(
    (a, b) => a.at - b.at || Number(a.end === 'send') - Number(b.end === 'send'),
  )) {
    const event = events[index]!.event;
    const isSenders = event.receivedSeq === undefined ? clocks.sides[index] === true : end === 'send';
    positions.set(`${index} ${end}`, count(isSenders ? event.from : event.to));
  }
  return events.map((sourced, index): SourcedEvent => {
    const { receivedSeq, ...event } = sourced.event;
    const { kind, back } = clocks.edges[index] ?? { kind: null, back: 0 };
    const cause = events[index - 1 - back];
    const isTwoEnded = receivedSeq !== undefined;
    const isSenders = isTwoEnded || clocks.sides[index] === true;
    const isEdge = kind !== null && cause !== undefined && (cause.event.receivedSeq ?? cause.event.seq) < event.seq;
    const ids = { id: event.id ?? `x${index}` };
    const own: TraceEvent = {
      ...event,
      ...ids,
      seq: positions.get(`${index} send`) ?? 0,
      domain: isSenders ? event.from : event.to,
      ...(isTwoEnded ? { receivedSeq: positions.get(`${index} receive`) ?? 0, receivedDomain: event.to } : {}),
      ...(isTwoEnded || clocks.points[index] !== true ? {} : { point: isSenders ? 'send' : 'receive' }),
      ...(isEdge && kind === 'causes' ? { causes: [cause.event.id ?? `x${index - 1 - back}`] } : {}),
      ...(isEdge && kind === 'parent' ? { parent: cause.event.id ?? `x${index - 1 - back}` } : {}),
    };
    return { ...sourced, event: own };
  });
}

/** In one of the orders that it allows, as readers hand over a trace. */
const read = (events: readonly SourcedEvent[]): readonly SourcedEvent[] =>
  readTraceText(toNdjson({ events, begun: false, ended: false }), 'trace').value.events;

interface ShownEnd {
  readonly event: number;
  readonly end: number;
  readonly isReceipt: boolean;
}

/** Every order of the shown ends that the trace allows, each as a trace of one domain; null: too many, or none. */
function allOrders(events: readonly SourcedEvent[]): readonly (readonly SourcedEvent[])[] | null {
  const proof = proveOrder(events);
  // A reply that came before its call.
  if (proof.kind !== 'order') return null;
  const { order } = proof;
  const shown = events.flatMap(({ event }, index): ShownEnd[] => {
    const first = {
      event: index,
      end: 2 * index + (event.point === 'receive' && event.receivedSeq === undefined ? 1 : 0),
      isReceipt: false,
    };
    return event.receivedSeq === undefined ? [first] : [first, { event: index, end: 2 * index + 1, isReceipt: true }];
  });
  const found: SourcedEvent[][] = [];
  const extend = (taken: readonly ShownEnd[], left: readonly ShownEnd[]): boolean => {
    if (left.length === 0) return found.push(inOneDomain(events, taken)) <= ORDERS_MAX;
    return left.every((next) => {
      if (left.some((other) => order.isBefore(other.end, next.end))) return true;
      return extend(
        [...taken, next],
        left.filter((other) => other !== next),
      );
    });
  };
  return extend([], shown) ? found : null;
}

function inOneDomain(events: readonly SourcedEvent[], order: readonly ShownEnd[]): SourcedEvent[] {
  const [sent, received] = [new Map<number, number>(), new Map<number, number>()];
  order.forEach(({ event, isReceipt }, index) => (isReceipt ? received : sent).set(event, index + 1));
  return events
    .map((sourced, index): SourcedEvent => {
      const at = received.get(index);
      const event: Record<string, unknown> = {
        ...sourced.event,
        domain: undefined,
        receivedDomain: undefined,
        seq: sent.get(index) ?? 0,
        receivedSeq: at,
      };
      const own = Object.fromEntries(Object.entries(event).filter(([, value]) => value !== undefined));
      return { ...sourced, event: own as unknown as TraceEvent };
    })
    .sort((a, b) => a.event.seq - b.event.seq);
}

/** The outcome of each instance over all of its runs. */
function outcomes({ instances }: SpecVerdict): ReadonlyMap<string, Outcome> {
  const byKey = new Map<string, Outcome[]>();
  for (const { key, outcome } of instances) {
    const name = JSON.stringify(key);
    byKey.set(name, [...(byKey.get(name) ?? []), outcome]);
  }
  return new Map([...byKey].map(([name, all]) => [name, worstOf(all)]));
}

class Tally {
  readonly #counts = new Map<string, number>();
  add(name: string): void {
    this.#counts.set(name, this.count(name) + 1);
  }
  count(name: string): number {
    return this.#counts.get(name) ?? 0;
  }
  all(): string {
    return JSON.stringify(Object.fromEntries(this.#counts));
  }
}

const isOpenLabel = (reason: string | undefined): boolean => /names no (call|cause)/u.test(reason ?? '');

/** The verdict on a trace of several domains is what all its orders have in common. */
function compare(contract: Contract, events: readonly SourcedEvent[], clocks: Clocks, seen: Tally): void {
  const orders = allOrders(events);
  fc.pre(orders !== null);
  const { begun, complete } = clocks;
  const verdict = check(contract, { events, begun, ended: complete }, ALONE);
  const each = orders.map((order) => outcomes(check(contract, { events: order, begun, ended: complete }, ALONE)));
  for (const { key, outcome, reason } of verdict.instances) {
    const name = JSON.stringify(key);
    const all = [...new Set(each.map((one) => one.get(name) ?? 'vacuous'))];
    const due = all.length === 1 ? all[0] : 'inconclusive';
    const got = outcomes(verdict).get(name);
    seen.add(isOpenLabel(reason) ? 'open label' : `${orders.length === 1 ? 'one order' : 'orders'} ${outcome}`);
    if (got === 'inconclusive' && isOpenLabel(reason)) continue;
    const told = `${contract.order}; ${orders.length} orders: ${all.join()}; told ${got}: ${reason ?? ''}`;
    if (got !== due) throw new Error(`${told}\n${JSON.stringify(events.map(({ event }) => event))}`);
    if (all.length > 1 && !/^nothing orders .* and .*: /u.test(reason ?? '')) throw new Error(told);
  }
}

describe('the verdict on a partial order', () => {
  test(
    `is what all its orders have in common, in ${CASES} cases of seed ${SEED}`,
    () => {
      const seen = new Tally();
      fc.assert(
        fc.property(arbitraryCase({ messagesMax: 5, eventsMax: 5 }), arbitraryClocks, (judged: JudgedCase, clocks) => {
          const events = read(onClocksOfTheirOwn(judged.events, clocks));
          try {
            compare(judged.contract, events, clocks, seen);
          } catch (error) {
            if (error instanceof Error && error.message !== '')
              error.message = `${error.message}\n${describeCase(judged)}`;
            throw error;
          }
        }),
        { seed: SEED, numRuns: CASES, maxSkipsPerRun: 20 },
      );
      if (process.env['PARTIAL_ORDER_TALLY'] !== undefined) console.log(seen.all());
      for (const outcome of ['conforms', 'violates', 'inconclusive', 'incomplete'])
        expect(seen.count(`orders ${outcome}`)).toBeGreaterThan(CASES / 60);
    },
    60_000 + CASES * 40,
  );
});
