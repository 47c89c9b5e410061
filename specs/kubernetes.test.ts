import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { arrowsOfEvents, check } from '../harness/checker/index.ts';
import {
  compileContract,
  readBinding,
  readDocument,
  type Contract,
  type Order,
  type SpecVerdict,
  type Trace,
  type TraceEvent,
} from '../harness/index.ts';
import { MUTANTS, PodTrace, type MutantName } from './testing/kubernetes-mutants.ts';
import {
  convertRecording,
  countedOrderings,
  CREATIONS,
  DELETIONS,
  hasTaps,
  loadRecording,
  recordingText,
  rewriteRecording,
} from './testing/kubernetes-recordings.ts';
import { loadContract, SEED_FILES, SPEC_NAMES } from './testing/load-specs.ts';
import { demandOnly, podOnTheWire } from './testing/pod-on-the-wire.ts';

type SpecName = (typeof SPEC_NAMES)[number];

const contractsIn = (order?: Order): ReadonlyMap<SpecName, Contract> => {
  const contracts = SEED_FILES.flatMap((file) =>
    loadContract(file, file.replace(/\.[^.]*$/, '.kubernetes.bindings.yaml'), order),
  );
  return new Map(SPEC_NAMES.map((name, index) => [name, present(contracts[index])]));
};

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('it is not there, though this test names it');
  return value;
}

const traces = new Map<string, Trace>([...CREATIONS, ...DELETIONS].map((name) => [name, loadRecording(name)]));
const traceOf = (recording: string): Trace => present(traces.get(recording));

describe('the recordings of a real Kubernetes 1.20 in this repository', () => {
  if (process.env['REWRITE'] === '1' && hasTaps) [...CREATIONS, ...DELETIONS].forEach(rewriteRecording);

  const testWithTaps = hasTaps ? test : test.skip;
  const absent = hasTaps ? '' : ' (not tested: what the taps recorded, ../shared/recordings/kubernetes, is absent)';

  testWithTaps.each([...CREATIONS, ...DELETIONS])(`%s is what its taps recorded${absent}`, (name) => {
    expect(recordingText(name)).toBe(convertRecording(name));
  });

  testWithTaps(`the counted orders are those that the recording script counted${absent}`, () => {
    const lines = (countedOrderings() ?? '').split('\n').filter((line) => / < | GETs /.test(line));
    const counts = lines.map((line) => (/((?:\s+\d+)+)$/.exec(line)?.[1] ?? '').trim().split(/\s+/).map(Number));
    const orders = lines.map((line) => /(\w+ < \w+)/.exec(line)?.[1]).filter((order) => order !== undefined);
    expect(ORDERS.map(([earlier, later]) => `${earlier} < ${later}`)).toEqual(orders);
    expect(ORDERS.map(([, , ...counted]) => counted)).toEqual(counts.slice(0, ORDERS.length));
    expect(GETS.map(([, , ...counted]) => [...counted, 0])).toEqual(counts.slice(ORDERS.length));
  });

  test('no token, no body and no address of a person is in them', () => {
    for (const name of [...CREATIONS, ...DELETIONS]) expect(recordingText(name)).not.toMatch(/eyJ|"body"|@\w/);
  });
});

/** Pods that conform and pods that violate, over all recordings. */
const VERDICTS: readonly (readonly [SpecName, Order, number, number])[] = [
  ['000', 'strict', 1, 20],
  ['000', 'lifeline', 1, 20],
  ['000', 'causal', 19, 2],
  ['001 complicate', 'strict', 0, 12],
  ['001 complicate', 'lifeline', 0, 12],
  ['001 complicate', 'causal', 12, 0],
  ['001 simple', 'strict', 2, 7],
  ['001 simple', 'lifeline', 2, 7],
  ['001 simple', 'causal', 9, 0],
  ['002', 'strict', 9, 0],
  ['002', 'lifeline', 9, 0],
  ['002', 'causal', 9, 0],
];

function judgeAll(contract: Contract, recordings: readonly string[]): readonly SpecVerdict[] {
  return recordings.map((recording) => check(contract, traceOf(recording)));
}

/** `kind: arrow < arrow that had to come first`, with how many pods broke it, most frequent first. */
function brokenBy(verdicts: readonly SpecVerdict[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { arrows, instances } of verdicts) {
    const name = (index: number | null): string => {
      const arrow = arrows[index ?? -1];
      return arrow === undefined ? '' : arrow.text.trim() || `${arrow.from} --> ${arrow.to} in line ${arrow.line}`;
    };
    for (const { violations } of instances)
      for (const told of new Set(
        violations.map(({ kind, arrow, mustFollow }) =>
          kind === 'out-of-order' ? `${name(mustFollow)} < ${name(arrow)}` : `${kind}: ${name(arrow)}`,
        ),
      ))
        counts.set(told, (counts.get(told) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

describe('the seed drawings on a real Kubernetes', () => {
  test.each(VERDICTS)('%s under %s: %i pods conform, %i violate', (spec, order, conforms, violates) => {
    const contract = present(contractsIn(order).get(spec));
    const outcomes = judgeAll(contract, CREATIONS).flatMap(({ instances }) => instances.map(({ outcome }) => outcome));
    expect(outcomes.filter((outcome) => outcome === 'conforms')).toHaveLength(conforms);
    expect(outcomes.filter((outcome) => outcome === 'violates')).toHaveLength(violates);
    expect(outcomes).toHaveLength(conforms + violates);
  });

  test.each(SPEC_NAMES)('%s: pods that were there before the recording prove nothing, and none is blamed', (spec) => {
    const verdicts = judgeAll(present(contractsIn().get(spec)), DELETIONS);
    for (const { instances } of verdicts)
      for (const { outcome, reason } of instances)
        expect([outcome, reason]).toEqual(['inconclusive', 'begun before the trace']);
    // Only this drawing knows of a message that these recordings hold: the kubelet reads the pod.
    const inconclusive =
      spec === '001 complicate' ? ['repeat-a1-c-deployment-delete', 'repeat-a2-c-deployment-delete'] : [];
    expect(DELETIONS.filter((_, index) => verdicts[index]?.outcome === 'inconclusive')).toEqual(inconclusive);
    expect(verdicts.filter(({ outcome }) => outcome === 'vacuous')).toHaveLength(
      DELETIONS.length - inconclusive.length,
    );
  });

  test.each(['strict', 'lifeline'] as const)(
    '000 under %s breaks at the races of the API server, at a crash, and at a pod that fits nowhere',
    (order) => {
      expect(brokenBy(judgeAll(present(contractsIn(order).get('000')), CREATIONS))).toEqual({
        'API Server --> Dev in line 18 < watch(new pod)': 15,
        'API Server --> Dev in line 18 < bind pod': 5,
        'API Server --> Scheduler in line 33 < watch (bound pod)': 16,
        'repeated: docker run': 1,
        'missing: bind pod': 1,
      });
    },
  );

  test('000 under causal breaks only where a container was started again, and where a pod was never placed', () => {
    const contract = present(contractsIn('causal').get('000'));
    const violating = CREATIONS.filter((recording) => check(contract, traceOf(recording)).outcome === 'violates');
    expect(violating).toEqual(['i-pod-crash', 'l-pod-unschedulable']);
    expect(brokenBy(judgeAll(contract, ['i-pod-crash']))).toEqual({
      'repeated: docker run': 1,
    });
    expect(brokenBy(judgeAll(contract, ['l-pod-unschedulable']))).toEqual({ 'missing: bind pod': 1 });
  });

  test.each(['strict', 'lifeline'] as const)('001 simple under %s breaks at the race of the binding alone', (order) => {
    expect(brokenBy(judgeAll(present(contractsIn(order).get('001 simple')), CREATIONS))).toEqual({
      'OK < watcher - API Server(bound pod)': 7,
    });
  });

  test('001 complicate under lifeline breaks only because the kubelet reads the pod again before each status', () => {
    expect(brokenBy(judgeAll(present(contractsIn('lifeline').get('001 complicate')), CREATIONS))).toEqual({
      'repeated: Get Pod details   (GET /api/v1/namespaces/default/pods/my-pod-xxx)': 12,
    });
    const file = 'k8s-diagram-collection/diagrams.md';
    const read = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');
    const binding = read(file.replace('.md', '.kubernetes.bindings.yaml'));
    const withoutGet = binding.replace(/times: 1\+ #.*/, 'absent: it does not read the pod to learn what to run');
    expect(withoutGet).not.toBe(binding);
    const [diagram] = readDocument(read(file), file).value;
    const compiled = compileContract(present(diagram), readBinding(withoutGet, file).value, { order: 'lifeline' });
    const outcomes = judgeAll(compiled.value, CREATIONS).flatMap(({ instances }) =>
      instances.map(({ outcome }) => outcome),
    );
    expect(outcomes).toEqual(Array.from({ length: 12 }, () => 'conforms'));
  });

  test.each(SPEC_NAMES)('%s: without parents the causes are inferred, and the verdicts are the same', (spec) => {
    const contract = present(contractsIn().get(spec));
    for (const recording of CREATIONS) {
      const trace = traceOf(recording);
      const events = trace.events.map((sourced) => {
        const event: { -readonly [Field in keyof TraceEvent]: TraceEvent[Field] } = { ...sourced.event };
        delete event.parent;
        return { ...sourced, event };
      });
      expect(check(contract, { ...trace, events }).instances).toEqual(check(contract, trace).instances);
    }
  });

  test('lifeline with the two races declared says as much as causal', () => {
    const contract = present(contractsIn('lifeline').get('000'));
    const at = (line: number): number =>
      present(contract.messages.find(({ drawn }) => contract.drawn[drawn]?.line === line)).index;
    const declared: Contract = {
      ...contract,
      unordered: [
        [at(18), at(20)],
        [at(18), at(23)],
        [at(33), at(35)],
      ],
    };
    const outcomes = judgeAll(declared, CREATIONS).flatMap(({ instances }) => instances.map(({ outcome }) => outcome));
    expect(outcomes.filter((outcome) => outcome === 'conforms')).toHaveLength(19);
    expect(outcomes).toHaveLength(21);
  });
});

/** Earlier, later; pods for which it held, for which it did not, and for which one of the two is missing. */
const ORDERS: readonly (readonly [string, string, number, number, number])[] = [
  ['createReq', 'createTxn', 21, 0, 0],
  ['createTxn', 'createAck', 21, 0, 0],
  ['createAck', 'createReply', 21, 0, 0],
  ['createTxn', 'etcdWatchNew', 21, 0, 0],
  ['etcdWatchNew', 'watchSched', 21, 0, 0],
  ['watchSched', 'bindReq', 20, 0, 1],
  ['bindReq', 'bindTxn', 20, 0, 1],
  ['bindTxn', 'bindAck', 20, 0, 1],
  ['bindAck', 'bindReply', 20, 0, 1],
  ['bindTxn', 'etcdWatchBound', 20, 0, 1],
  ['etcdWatchBound', 'watchKubelet', 20, 0, 1],
  ['watchKubelet', 'sandboxCreate', 20, 0, 1],
  ['sandboxCreate', 'sandboxCreated', 20, 0, 1],
  ['sandboxCreated', 'sandboxStart', 20, 0, 1],
  ['sandboxStart', 'sandboxStarted', 20, 0, 1],
  ['sandboxStarted', 'appCreate', 20, 0, 1],
  ['appCreate', 'appCreated', 20, 0, 1],
  ['appCreated', 'appStart', 20, 0, 1],
  ['appStart', 'appStarted', 20, 0, 1],
  ['appStarted', 'statusReq', 20, 0, 1],
  ['statusReq', 'statusTxn', 20, 0, 1],
  ['statusTxn', 'statusAck', 20, 0, 1],
  ['statusAck', 'statusReply', 20, 0, 1],
  ['createAck', 'watchSched', 21, 0, 0],
  ['createReply', 'watchSched', 6, 15, 0],
  ['createReply', 'bindReq', 15, 5, 1],
  ['bindAck', 'watchKubelet', 20, 0, 1],
  ['bindReply', 'watchKubelet', 4, 16, 1],
  ['createAck', 'etcdWatchNew', 17, 4, 0],
  ['bindReply', 'sandboxCreate', 20, 0, 1],
  ['sandboxCreate', 'firstStatus', 0, 20, 1],
];

/** A read, and what it is drawn before; pods that did read before, and pods that did not (or did not get there). */
const GETS: readonly (readonly [string, string, number, number])[] = [
  ['schedulerGet', 'bindReq', 0, 21],
  ['kubeletGet', 'sandboxCreate', 20, 1],
];

describe('one order at a time', () => {
  const drawing = podOnTheWire();
  // The other events are outside the drawing, whichever of its orders is demanded: asked once, not once per order.
  const inside = CREATIONS.map((recording): Trace => {
    const trace = traceOf(recording);
    const arrows = arrowsOfEvents(drawing, trace);
    return { ...trace, events: trace.events.filter((_, index) => (arrows[index] ?? []).length > 0) };
  });

  const count = (earlier: string, later: string): { held: number; broken: number; missing: number } => {
    const contract = demandOnly(drawing, earlier, later);
    const arrowOf = (text: string): number => contract.drawn.findIndex((arrow) => arrow.text === text);
    const [first, second] = [arrowOf(earlier), arrowOf(later)];
    const counts = { held: 0, broken: 0, missing: 0 };
    // What a pod does once it is through (report another status) would be a second run, which is not counted.
    const firstRuns = inside.flatMap((trace) => check(contract, trace).instances.filter(({ run }) => run === 1));
    for (const { taken, violations } of firstRuns) {
      const broken = violations.filter(({ kind }) => kind === 'out-of-order');
      // No other pair is demanded, so no other pair may be blamed.
      expect(broken.every(({ arrow, mustFollow }) => arrow === second && mustFollow === first)).toBe(true);
      if ([first, second].some((arrow) => (taken[arrow] ?? 0) === 0)) counts.missing++;
      else if (broken.length > 0) counts.broken++;
      else counts.held++;
    }
    return counts;
  };

  test.each(ORDERS)('%s < %s holds for %i pods, breaks for %i, lacks an end for %i', (earlier, later, ...counted) => {
    const { held, broken, missing } = count(earlier, later);
    expect([held, broken, missing]).toEqual(counted);
  });

  test.each(GETS)('%s < %s: %i pods read first, %i do not', (earlier, later, ...counted) => {
    const { held, broken, missing } = count(earlier, later);
    expect([held, broken + missing]).toEqual(counted);
  });
});

/** Which drawings can see a mutant: those that draw what it breaks. */
const SEEN_BY: Readonly<Record<MutantName, readonly SpecName[]>> = {
  creatorAnsweredBeforeStoreAnswered: ['000', '001 complicate'],
  creatorAnsweredBeforeAnythingWasWritten: ['000', '001 complicate'],
  schedulerToldBeforePodWasWritten: ['000', '001 complicate'],
  podBoundBeforeSchedulerWasTold: ['000', '001 complicate', '001 simple', '002'],
  schedulerAnsweredBeforeStoreAnswered: ['000', '001 complicate', '001 simple'],
  kubeletToldBeforeBindingWasWritten: ['000', '001 complicate', '001 simple', '002'],
  containerCreatedBeforeKubeletWasTold: ['000', '001 complicate', '001 simple', '002'],
  containerStartedBeforeItWasCreated: ['000', '001 complicate', '001 simple'],
  runningReportedBeforeContainerStarted: ['000', '001 complicate', '001 simple'],
  kubeletAnsweredBeforeStoreAnswered: ['000', '001 complicate', '001 simple'],
  bindingNeverWritten: ['000', '001 complicate', '001 simple', '002'],
  kubeletNeverTold: ['000', '001 complicate', '001 simple', '002'],
  runningNeverReported: ['000', '001 complicate', '001 simple', '002'],
  podBoundTwice: ['000', '001 complicate', '001 simple', '002'],
  containerStartedTwice: ['000', '001 complicate', '001 simple'],
  kubeletToldBeforeScheduler: ['000', '001 complicate', '001 simple', '002'],
  statusWrittenBeforeItWasReported: ['000', '001 complicate', '001 simple', '002'],
};

/** The cheapest edits that mend a mutant, by the drawings that see it (`SEEN_BY`): one event that moved is two. */
const MENDED_BY: Readonly<Record<MutantName, readonly number[]>> = {
  creatorAnsweredBeforeStoreAnswered: [2, 2],
  creatorAnsweredBeforeAnythingWasWritten: [2, 2],
  // The scheduler is told again and again, for every pod: to 001, one more time was enough.
  schedulerToldBeforePodWasWritten: [2, 1],
  podBoundBeforeSchedulerWasTold: [2, 1, 2, 2],
  schedulerAnsweredBeforeStoreAnswered: [2, 2, 2],
  kubeletToldBeforeBindingWasWritten: [2, 2, 2, 2],
  containerCreatedBeforeKubeletWasTold: [2, 2, 2, 2],
  containerStartedBeforeItWasCreated: [2, 2, 2],
  runningReportedBeforeContainerStarted: [2, 2, 2],
  kubeletAnsweredBeforeStoreAnswered: [2, 2, 2],
  // The write and its answer were lost; 002 draws no answer.
  bindingNeverWritten: [2, 2, 2, 1],
  kubeletNeverTold: [1, 1, 1, 1],
  // Four messages were lost; 001 would rather that the kubelet had never read the pod, twice.
  runningNeverReported: [4, 2, 4, 2],
  podBoundTwice: [4, 1, 4, 2],
  containerStartedTwice: [2, 2, 2],
  // Two notifications were swapped.
  kubeletToldBeforeScheduler: [4, 2, 4, 4],
  statusWrittenBeforeItWasReported: [2, 2, 2, 2],
};

describe('what could be wrong in a control plane', () => {
  const contracts = contractsIn();
  const verdictsOn = (trace: Trace, pod: string, among: readonly SpecName[]): ReadonlyMap<SpecName, string> =>
    new Map(
      among.map((spec) => {
        const { instances } = check(present(contracts.get(spec)), trace);
        return [
          spec,
          instances
            .filter(({ key }) => key['pod'] === pod)
            .map(({ outcome }) => outcome)
            .join(', '),
        ];
      }),
    );

  describe.each([
    ['a-deployment-create-3', 'my-deploy-8645575df9-56bzs', SPEC_NAMES],
    ['f-replicaset-create-3', 'my-replicaset-9g2bw', ['000', '001 complicate']],
    ['d-pod-create', 'my-pod', ['000']],
  ] as const)('%s, %s', (recording, pod, specs: readonly SpecName[]) => {
    const recorded = new PodTrace(traceOf(recording), pod);

    test('conforms to every drawing of it, unmutated', () => {
      expect(verdictsOn(recorded.original, pod, specs)).toEqual(new Map(specs.map((spec) => [spec, 'conforms'])));
    });

    test.each(Object.entries(MUTANTS))('%s is seen by every drawing that draws it', (name, mutate) => {
      const seenBy: readonly SpecName[] = new Map<string, readonly SpecName[]>(Object.entries(SEEN_BY)).get(name) ?? [];
      const expected = specs.map((spec) => [spec, seenBy.includes(spec) ? 'violates' : 'conforms'] as const);
      expect(verdictsOn(mutate(recorded), pod, specs)).toEqual(new Map(expected));
    });

    test.each(Object.entries(MUTANTS))('%s is mended by as few edits as it broke', (name, mutate) => {
      const entries = <T>(of: Readonly<Record<MutantName, T>>): T | undefined =>
        new Map(Object.entries<T>(of)).get(name);
      const due = (entries(SEEN_BY) ?? []).map((spec, index) => [spec, entries(MENDED_BY)?.[index]] as const);
      const seen = due.filter(([spec]) => specs.includes(spec));
      const costs = seen.map(([spec]) => {
        const { instances } = check(present(contracts.get(spec)), mutate(recorded));
        const alignment = instances.find(({ key }) => key['pod'] === pod)?.alignment;
        return [spec, alignment?.kind === 'found' ? alignment.cost : alignment?.reason];
      });
      expect(costs).toEqual(seen);
    });
  });
});
