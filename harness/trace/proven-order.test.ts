import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readShorthand } from '../testing/index.ts';
import { proveOrder, type ProvenOrder } from './proven-order.ts';
import type { SourcedEvent, TraceEvent } from './types.ts';

function orderOf(events: readonly SourcedEvent[]): ProvenOrder {
  const proof = proveOrder(events);
  if (proof.kind !== 'order') throw new Error(`no order: ${proof.kind}`);
  return proof.order;
}

/** What is proven of two ends, written `2s` (the send of the second event) or `2r` (its receipt). */
function provenOf(trace: string, a: string, b: string): 'before' | 'after' | 'open' {
  const { events } = readShorthand(trace);
  const order = orderOf(events);
  const endOf = (name: string): number => 2 * (Number(name.slice(0, -1)) - 1) + (name.endsWith('r') ? 1 : 0);
  if (order.isBefore(endOf(a), endOf(b))) return 'before';
  return order.isBefore(endOf(b), endOf(a)) ? 'after' : 'open';
}

describe('what a trace proves', () => {
  test.each<{
    readonly claim: string;
    readonly trace: string;
    readonly ends: readonly [string, string];
    readonly proven: string;
  }>([
    {
      claim: 'positions of one domain are in order',
      trace: 'A -> B x at=1 domain=a\nA -> B y at=2 domain=a',
      ends: ['1s', '2s'],
      proven: 'before',
    },
    {
      claim: 'positions of two domains say nothing of each other, and neither do their clocks',
      trace: 'A -> B x at=1 domain=a time=1\nB -> A y at=2 domain=b time=2',
      ends: ['1s', '2s'],
      proven: 'open',
    },
    {
      claim: 'a send comes before its own receipt in another domain',
      trace: 'A -> B x at=5..1 domain=a receivedDomain=b',
      ends: ['1s', '1r'],
      proven: 'before',
    },
    {
      claim: 'what follows a receipt follows its send',
      trace: 'A -> B x at=5..1 domain=a receivedDomain=b\nB -> C y at=2 domain=b',
      ends: ['1s', '2s'],
      proven: 'before',
    },
    {
      claim: 'what follows a send does not follow its receipt',
      trace: 'A -> B x at=5..1 domain=a receivedDomain=b\nA -> C y at=6 domain=a',
      ends: ['1r', '2s'],
      proven: 'open',
    },
    {
      claim: 'a reply comes after its call was received',
      trace: 'A -> B x call=1 at=1..1 domain=a receivedDomain=b\nB -> A ok reply=1 at=1 domain=c',
      ends: ['1r', '2s'],
      proven: 'before',
    },
    {
      claim: 'what was sent while an event was handled comes after its receipt',
      trace: 'A -> B x id=1 at=1..1 domain=a receivedDomain=b\nB -> C y parent=1 at=1 domain=c',
      ends: ['1r', '2s'],
      proven: 'before',
    },
    {
      claim: 'a cause was sent before',
      trace: 'A -> B x id=1 at=1..1 domain=a receivedDomain=b\nA -> C y causes=1 at=1 domain=c',
      ends: ['1s', '2s'],
      proven: 'before',
    },
    {
      claim: 'a cause may be under way still, if who sent the event did not receive it',
      trace: 'A -> B x id=1 at=1..1 domain=a receivedDomain=b\nA -> C y causes=1 at=1 domain=c',
      ends: ['1r', '2s'],
      proven: 'open',
    },
    {
      claim: 'a cause that the sender received was received before',
      trace: 'A -> B x id=1 at=1..1 domain=a receivedDomain=b\nB -> C y causes=1 at=1 domain=c',
      ends: ['1r', '2s'],
      proven: 'before',
    },
    {
      claim: 'a lost event has no receipt that anything could follow, but its send',
      trace: 'A -> B x id=1 at=1 domain=a kind=lost\nB -> C y parent=1 at=1 domain=c',
      ends: ['1s', '2s'],
      proven: 'before',
    },
    {
      claim: 'an order holds through events that lie between, in whatever domain',
      trace:
        'A -> B x id=1 at=1 domain=a\nQ -> R other id=2 causes=1 at=9 domain=q\nQ -> R more id=3 at=10 domain=q\nC -> D y causes=3 at=1 domain=c',
      ends: ['1s', '4s'],
      proven: 'before',
    },
    {
      claim: 'an order holds through an end that the trace does not show',
      trace:
        'A -> B x id=1 at=1 domain=a point=send\nB -> C y id=2 parent=1 at=1 domain=c point=receive\nC -> D z parent=2 at=1 domain=d',
      ends: ['1s', '3s'],
      proven: 'before',
    },
  ])('$claim', ({ trace, ends, proven }) => {
    expect(provenOf(trace, ends[0], ends[1])).toBe(proven);
  });

  test('a circle is told with an event in it', () => {
    const { events } = readShorthand('A -> B x id=1 causes=2 at=1 domain=a\nB -> A y id=2 causes=1 at=1 domain=b');
    expect(proveOrder(events)).toMatchObject({ kind: 'contradiction', event: { line: 1 } });
  });

  test('clocks are bounded, by the numbers that they need together', () => {
    const { events } = readShorthand(
      'A -> B x at=1..1 domain=a receivedDomain=b\nB -> A y at=2..2 domain=b receivedDomain=a',
    );
    expect(proveOrder(events, 4)).toMatchObject({ kind: 'order' });
    expect(proveOrder(events, 3)).toEqual({ kind: 'bound', bound: '3 numbers for the clocks of its domains' });
  });
});

const DOMAINS = ['a', 'b', 'c', 'd'];

/** Traces of several domains in which causes point backwards, so that there is an order. */
const arbitraryTrace = fc
  .array(
    fc.record({
      domain: fc.nat(3),
      receivedDomain: fc.option(fc.nat(3)),
      point: fc.constantFrom<'send' | 'receive' | 'both'>('send', 'receive', 'both', 'both'),
      edge: fc.constantFrom<'causes' | 'parent' | 'replyTo' | null>('causes', 'parent', 'replyTo', null, null),
      cause: fc.nat(12),
      participants: fc.tuple(fc.nat(2), fc.nat(2)),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((drafts) => {
    const counters = new Map<string, number>();
    const count = (domain: string): number => {
      counters.set(domain, (counters.get(domain) ?? 0) + 1);
      return counters.get(domain) ?? 0;
    };
    return drafts.map(
      ({ domain, receivedDomain, point, edge, cause, participants: [from, to] }, index): SourcedEvent => {
        const own = DOMAINS[domain] ?? 'a';
        const other = receivedDomain === null ? null : (DOMAINS[receivedDomain] ?? 'a');
        const seq = count(own);
        const id = `e${cause % Math.max(1, index)}`;
        const event: TraceEvent = {
          seq,
          from: `P${from}`,
          to: `P${to}`,
          kind: 'async',
          label: '',
          id: `e${index}`,
          domain: own,
          ...(other === null ? { point } : { receivedSeq: count(other), receivedDomain: other }),
          ...(edge === null || index === 0 ? {} : { [edge]: edge === 'causes' ? [id] : id }),
        };
        return { event, source: 't', line: index + 1 };
      },
    );
  });

/** Reachability along the rules as docs/trace-format.md states them, without clocks. */
function closure(events: readonly SourcedEvent[]): (earlier: number, later: number) => boolean {
  const edges = new Map<number, number[]>();
  const relate = (a: number, b: number): void => {
    edges.set(a, [...(edges.get(a) ?? []), b]);
  };
  const isInstant = (event: TraceEvent): boolean =>
    event.receivedSeq === undefined && (event.point ?? 'both') === 'both';
  const last = (index: number): number => 2 * index + (isInstant(events[index]!.event) ? 0 : 1);
  const shown = events.flatMap(({ event }, index) => {
    const first = { end: 2 * index + (event.point === 'receive' ? 1 : 0), domain: event.domain, at: event.seq };
    return event.receivedSeq === undefined
      ? [first]
      : [first, { end: last(index), domain: event.receivedDomain, at: event.receivedSeq }];
  });
  for (const a of shown) for (const b of shown) if (a.domain === b.domain && a.at < b.at) relate(a.end, b.end);
  events.forEach(({ event }, index) => {
    if (!isInstant(event)) relate(2 * index, 2 * index + 1);
    const indexOf = (id: string): number => events.findIndex((other) => other.event.id === id);
    for (const id of [event.replyTo, event.parent]) if (id !== undefined) relate(last(indexOf(id)), 2 * index);
    for (const id of event.causes ?? []) {
      const cause = indexOf(id);
      const { to, point } = events[cause]!.event;
      relate(to === event.from ? last(cause) : 2 * cause + (point === 'receive' ? 1 : 0), 2 * index);
    }
  });
  return (earlier, later) => {
    const seen = new Set<number>();
    const pending = [...(edges.get(earlier) ?? [])];
    for (let end = pending.pop(); end !== undefined; end = pending.pop()) {
      if (end === later) return true;
      if (!seen.has(end)) pending.push(...(edges.get(end) ?? []));
      seen.add(end);
    }
    return false;
  };
}

test('clocks say of any two shown ends what following the rules step by step says', () => {
  let [ordered, open] = [0, 0];
  fc.assert(
    fc.property(arbitraryTrace, (events) => {
      const order = orderOf(events);
      const reaches = closure(events);
      const shown = events.flatMap(({ event }, index) => {
        if (event.receivedSeq !== undefined) return [2 * index, 2 * index + 1];
        return [2 * index + (event.point === 'receive' ? 1 : 0)];
      });
      for (const a of shown)
        for (const b of shown) {
          expect(order.isBefore(a, b)).toBe(reaches(a, b));
          if (order.isBefore(a, b)) {
            ordered++;
            expect(order.rankOf(a)).toBeLessThan(order.rankOf(b));
          } else if (a !== b && !order.isBefore(b, a)) open++;
          expect(order.endAt(order.rankOf(a))).toBe(a);
        }
    }),
    { numRuns: 300 },
  );
  expect(Math.min(ordered, open)).toBeGreaterThan(1_000);
});
