import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compileContract, readBinding, type CompileOptions, type Contract } from '../contract/index.ts';
import { readDocument } from '../dialects/index.ts';
import { arbitraryCase, describeCase, readShorthand, type JudgedCase } from '../testing/index.ts';
import { proveOrder, readTraceText, toNdjson, type SourcedEvent, type TraceEvent } from '../trace/index.ts';
import { worstOf, type Outcome, type SpecVerdict } from '../verdict/index.ts';
import { ALIGNMENT_BOUNDS } from './align.ts';
import { check } from './index.ts';

const CASES = Number(process.env['PARTIAL_ORDER_CASES'] ?? 1_200);
const SEED = process.env['PARTIAL_ORDER_SEED'] === 'random' ? Math.floor(Math.random() * 2 ** 31) : 20_261_130;
/** Orders that are tried one by one. */
const ORDERS_MAX = 60;

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

  test(`does not depend on how the file interleaves unrelated events, in ${CASES / 3} cases of seed ${SEED}`, () => {
    const seen = new Tally();
    fc.assert(
      fc.property(
        arbitraryCase(),
        arbitraryClocks,
        fc.array(fc.nat(1_000), { minLength: 8, maxLength: 8 }),
        ({ contract, events }, clocks, places) => {
          const { begun, complete } = clocks;
          const onClocks = onClocksOfTheirOwn(events, clocks);
          const shuffled = onClocks
            .map((sourced, index) => ({ sourced, place: places[index] ?? 0 }))
            .sort((a, b) => a.place - b.place)
            .map(({ sourced }) => sourced);
          const [here, there] = [read(onClocks), read(shuffled)];
          fc.pre(proveOrder(here).kind === 'order');
          const one = outcomes(check(contract, { events: here, begun, ended: complete }, ALONE));
          const other = outcomes(check(contract, { events: there, begun, ended: complete }, ALONE));
          expect([...other].sort()).toEqual([...one].sort());
          const idsOf = (trace: readonly SourcedEvent[]): string => trace.map(({ event }) => event.id).join();
          if (idsOf(here) !== idsOf(there)) seen.add('moved');
          if (idsOf(here) !== idsOf(there)) seen.add(contract.order);
        },
      ),
      { seed: SEED, numRuns: CASES / 3, maxSkipsPerRun: 20 },
    );
    expect(seen.count('moved')).toBeGreaterThan(CASES / 6);
    expect(seen.count('strict')).toBeGreaterThan(CASES / 30);
  });
});

/** Drawings and bindings whose rules ask which event came first. */
const WITH_RULES: readonly { readonly name: string; readonly drawing: string; readonly binding: string }[] = [
  {
    name: 'guards',
    drawing: 'A->>B: m0\nalt big\nB->>C: m1\nC->>D: m2\nelse small\nC->>D: m2\nB->>C: m3\nend\nA->>D: m4',
    binding: 'guards:\n  big: k == "x"\n  small: k == "y"',
  },
  {
    name: 'a critical fragment',
    drawing: 'par\ncritical\nA->>B: m0\nB->>C: m1\nend\nand\nC->>D: m2\nD->>A: m3\nend',
    binding: '',
  },
  {
    name: 'breaks',
    drawing: 'loop all\nA->>B: m0\nbreak enough\nC->>D: m1\nend\nB->>C: m2\nend\nD->>A: m3',
    binding: '',
  },
  {
    name: 'creation and destruction',
    drawing: 'create participant E\nA->>E: m0\nB->>C: m1\nC->>E: m2\ndestroy E\nE-xA: m3',
    binding: '',
  },
  { name: 'an end', drawing: 'A->>B: m0\nloop all\nC->>D: m1\nend\nA->>B: m2', binding: 'ends: label == "m2"' },
  { name: 'one run', drawing: 'opt maybe\nA->>B: m0\nend\nC->>D: m1', binding: 'runs: once\nends: label == "m1"' },
  { name: 'forbidden messages', drawing: 'A->>B: m0\nC->>D: m1', binding: 'forbid:\n  never: label == "m2"' },
  {
    name: 'events that say only whose they are in part',
    drawing: 'A->>B: m0\nC->>D: m1\nA->>C: m2',
    binding: 'parameters:\n  k: k',
  },
  {
    name: 'a fragment that excludes other instances',
    drawing: 'critical\nA->>B: m0\nB->>A: m1\nend\nA->>C: m2',
    binding: 'parameters:\n  k: k\nexclusive: true',
  },
  {
    name: 'concurrent loops',
    drawing: 'loop one\nA->>B: m0\nB->>C: m1\nend\nloop two\nC->>D: m2\nD->>A: m3\nend',
    binding: 'parameters:\n  k: k\nconcurrent: [one, two]',
  },
];

describe('with rules that ask which event came first, the verdict on a partial order', () => {
  test.each(WITH_RULES)('is never another one than that of all orders: $name', ({ drawing, binding }) => {
    const contract = contractOf(drawing, binding, { order: 'lifeline' });
    const seen = new Tally();
    fc.assert(
      fc.property(arbitraryEvents(contract), arbitraryClocks, (drafts, clocks) => {
        const events = read(onClocksOfTheirOwn(drafts, clocks));
        const orders = allOrders(events);
        fc.pre(orders !== null);
        const { begun, complete } = clocks;
        const each = orders.map((order) => outcomes(check(contract, { events: order, begun, ended: complete }, ALONE)));
        const verdict = check(contract, { events, begun, ended: complete }, ALONE);
        for (const [key, outcome] of outcomes(verdict)) {
          const all = [...new Set(each.map((one) => one.get(key) ?? 'vacuous'))];
          seen.add(outcome);
          if (outcome !== 'inconclusive') expect([outcome, all]).toEqual([outcome, [outcome]]);
          const isDue = all.length > 1 || all[0] === 'inconclusive';
          const { reason = '' } = verdict.instances.find((one) => JSON.stringify(one.key) === key) ?? {};
          if (outcome === 'inconclusive' && !isDue) expect(reason).toMatch(/^nothing orders .*, (and|which) /u);
        }
      }),
      { seed: SEED, numRuns: CASES / 24, maxSkipsPerRun: 20 },
    );
    expect(seen.count('violates')).toBeGreaterThan(0);
    expect(seen.count('conforms') + seen.count('incomplete')).toBeGreaterThan(0);
  });
});

/** Up to five events that look like messages of the contract, in any order; some say by an attribute whose they are. */
function arbitraryEvents({ messages, lifelines }: Contract): fc.Arbitrary<readonly SourcedEvent[]> {
  const drawn = messages.filter(({ entry }) => entry === undefined);
  const draft = fc.record({
    message: fc.nat(drawn.length - 1),
    isNext: fc.nat(3).map((roll) => roll > 0),
    duration: fc.nat(3),
    key: fc.constantFrom('x', 'x', 'x', 'y', null),
  });
  return fc.array(draft, { minLength: 1, maxLength: 5 }).map((drafts) =>
    drafts.map(({ message, isNext, duration, key }, index): SourcedEvent => {
      const { from, to, match } = drawn[isNext ? index % drawn.length : message]!;
      const seq = 10 * index + 1;
      const event: TraceEvent = {
        seq,
        from: lifelines[from ?? -1]?.id ?? 'A',
        to: lifelines[to ?? -1]?.id ?? 'A',
        kind: 'async',
        label: match.label ?? '',
        ...(duration === 0 ? {} : { receivedSeq: seq + 10 * duration - 5 }),
        ...(key === null ? {} : { attributes: { k: key } }),
      };
      return { event, source: 'trace', line: index + 1 };
    }),
  );
}

/** One caller asks several services at the same time; each counts for itself. */
function fanOut(services: number): { readonly contract: Contract; readonly lines: readonly string[] } {
  const names = Array.from({ length: services }, (_, index) => `S${index}`);
  const drawing = ['A->>S: go', ...names.map((name) => `S->>${name}: ask ${name}\n${name}->>S: answer ${name}`)];
  const contract = contractOf(`A->>S: go\npar\n${drawing.slice(1).join('\nand\n')}\nend\nS->>A: done`);
  const lines = [
    'A -> S go at=1..1 domain=A receivedDomain=S',
    ...names.map((name, index) => `S -> ${name} ask ${name} at=${index + 2}..1 domain=S receivedDomain=${name}`),
    ...names.map(
      (name, index) => `${name} -> S answer ${name} at=3..${services + index + 2} domain=${name} receivedDomain=S`,
    ),
    `S -> A done at=${2 * services + 2}..2 domain=S receivedDomain=A`,
  ];
  return { contract, lines };
}

function contractOf(drawing: string, binding = '', options: CompileOptions = {}): Contract {
  const [diagram] = readDocument(`sequenceDiagram\n${drawing}\n`, 'drawing.mmd').value;
  if (diagram === undefined) throw new Error('no drawing');
  const bindings = binding === '' ? { value: [], diagnostics: [] } : readBinding(binding, 'bindings.yaml');
  const compiled = compileContract(diagram, bindings.value, options);
  const errors = [...bindings.diagnostics, ...compiled.diagnostics].filter(({ severity }) => severity === 'error');
  expect(errors).toEqual([]);
  return compiled.value;
}

const verdictOf = (contract: Contract, lines: readonly string[], orderStatesMax?: number): SpecVerdict =>
  check(contract, readShorthand(['begin', ...lines, 'end'].join('\n')), {
    ...(orderStatesMax === undefined ? {} : { orderStatesMax }),
  });

describe('the search', () => {
  test('does not try the orders of events that nothing in the drawing relates', () => {
    const { contract, lines } = fanOut(40);
    expect(verdictOf(contract, lines, 200).outcome).toBe('conforms');
    // Nor where something is missing, or out of order, in all of them.
    expect(verdictOf(contract, lines.toSpliced(3, 1), 200).outcome).toBe('violates');
    expect(
      verdictOf(contract, [...lines.slice(0, -1), 'S -> A done at=3..2 domain=S receivedDomain=A'], 200),
    ).toMatchObject({ outcome: 'violates' });
  });

  test('finds the pair that decides among many events that decide nothing', () => {
    const { contract, lines } = fanOut(20);
    const last = lines.length - 2;
    const unproven = lines[last]?.replace(/at=3.*$/u, 'at=3 domain=S19') ?? '';
    const [instance] = verdictOf(contract, lines.with(last, unproven)).instances;
    expect(instance?.outcome).toBe('inconclusive');
    expect(instance?.reason).toMatch(
      /^nothing orders "answer S19" \(drawing.mmd:\d+\) in trace:42 and the sending of "done" \(drawing.mmd:\d+\) in trace:43: the drawing wants them in this order$/u,
    );
    expect(instance?.excerpt.map(({ event }) => event.line)).toEqual(expect.arrayContaining([42, 43]));
  });

  test('is bounded, and says so', () => {
    const contract = contractOf(['par', 'A->>A: a', 'and', 'B->>B: b', 'and', 'A->>B: c', 'end'].join('\n'));
    const strict: Contract = { ...contract, order: 'strict' };
    const lines = ['A -> A a at=1 domain=a', 'B -> B b at=1 domain=b', 'A -> B c at=1 domain=c'];
    expect(verdictOf(strict, lines, 3)).toMatchObject({
      outcome: 'inconclusive',
      instances: [{ reason: 'bound met: 3 states of the orders that nothing proves' }],
    });
    expect(verdictOf(strict, lines).outcome).toBe('conforms');
  });
});

test('a trace that contradicts itself is not judged', () => {
  const contract = contractOf('A->>B: one\nB->>A: two');
  const lines = ['A -> B one id=1 causes=2 at=1 domain=a', 'B -> A two id=2 causes=1 at=1 domain=b'];
  expect(verdictOf(contract, lines)).toMatchObject({
    outcome: 'inconclusive',
    reason: 'the trace contradicts itself: trace:2 would have to happen before itself',
  });
});

describe('what holds from before the run', () => {
  const drawn = contractOf('A->>B: watch\nA->>B: ask\nB->>C: use');
  const { messages } = drawn;
  const contract: Contract = {
    ...drawn,
    term: { kind: 'seq', items: [1, 2].map((message) => ({ kind: 'message', message })) },
    standing: [{ message: 0, before: 2 }],
  };
  test.each([
    ['must be proven to have been shown in time', 'A -> B watch at=1 domain=x', 'inconclusive'],
    ['may be proven by a cause', 'A -> B watch at=1 domain=x id=w', 'conforms'],
    ['violates where it is proven to have been shown too late', 'A -> B watch at=3 domain=a', 'violates'],
  ])('%s', (_, shown, outcome) => {
    expect(messages).toHaveLength(3);
    const lines = ['A -> B ask at=1 domain=a', `B -> C use at=2 domain=a${shown.includes('id=w') ? ' causes=w' : ''}`];
    expect(verdictOf(contract, [shown, ...lines]).instances).toMatchObject([{ outcome }]);
  });
});

describe('what an event is', () => {
  const binding = ['parameters:', '  pod: pod'].join('\n');
  const nested = contractOf('A->>B: go\nB->>C: use\nC-->>B: used\nB-->>A: gone\nA->>B: stop\nB-->>A: stopped', binding);

  test('may depend on the calls that its sender serves, which nothing orders without parents', () => {
    const lines = [
      'A -> B go call=1 at=1 domain=a pod=p',
      'B -> C use call=2 at=1 domain=b pod=p',
      'C -> B used reply=2 at=2 domain=b pod=p',
      'B -> A gone reply=1 at=3 domain=b pod=p',
      'A -> B stop call=3 at=2 domain=a pod=p',
      'B -> A stopped reply=3 at=4 domain=b pod=p',
    ];
    const { instances } = verdictOf(nested, lines);
    expect(instances).toMatchObject([{ outcome: 'inconclusive' }]);
    expect(instances[0]?.reason).toMatch(/names no cause \(parent\)|nothing orders/u);
  });

  test('is the same in every order where each reply names its call, and each call its cause', () => {
    const lines = [
      'A -> B go call=1 at=1 domain=a pod=p',
      'B -> C use call=2 parent=1 at=1 domain=b pod=p',
      'C -> B used reply=2 at=2 domain=b pod=p',
      'B -> A gone reply=1 at=3..2 domain=b receivedDomain=a pod=p',
      'A -> B stop call=3 at=3 domain=a pod=p',
      'B -> A stopped reply=3 at=4 domain=b pod=p',
    ];
    expect(verdictOf(nested, lines).instances).toMatchObject([{ outcome: 'conforms' }]);
  });
});
