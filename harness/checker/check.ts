import { childrenOf, messagesIn, nodesOf, type Contract, type Node } from '../contract/index.ts';
import type { SourcedEvent, Trace } from '../trace/index.ts';
import type { Alignment, InstanceVerdict, SpecVerdict } from '../verdict/index.ts';
import { alignRuns, FailedRuns, type AlignmentBounds } from './align.ts';
import { answers } from './answers.ts';
import { assemble } from './assemble.ts';
import { candidatesOfEvent } from './candidates.ts';
import { toldByAlignment } from './cheaper-explanation.ts';
import { Deriver } from './derive.ts';
import type { InstanceOpening } from './exclusive.ts';
import { expandEach, hasEach } from './expand-each.ts';
import { parentsOf, type Parents } from './inherited-values.ts';
import { judgeInstance, RUNS_MAX, unjudged, type TraceFacts } from './instance.ts';
import { Labeller, labellerOptions, type Label, type LabelledEvent } from './labels.ts';
import { LookAlikes } from './look-alikes.ts';
import { misdirectedEvents, type Misdirected } from './misdirected.ts';
import { orderOfTrace, traceOrder } from './partial-order.ts';
import { excludeOthersByProof } from './partial-order-exclusive.ts';
import { positionsOf } from './partial-order-letters.ts';
import { promisesOf } from './promises.ts';
import { relationsOf } from './relation.ts';
import { unique, type Machine } from './run.ts';
import { rulesOf } from './rules.ts';
import { withSecondAnswers } from './second-answers.ts';
import { SharedRuns } from './shared-runs.ts';
import { slice, type Slice } from './slices.ts';
import { notConnected, notDrawn, withoutPlainAnswers } from './stray-traffic.ts';
import { termOf } from './term-of.ts';
import { BoundMet, TERMS_MAX, TermTable } from './terms.ts';
import { watchPlanOf } from './watch-plan.ts';

export interface CheckOptions {
  /** Nothing more will come, so what is missing is missing. Default: the trace's own end marker. */
  readonly complete?: boolean;
  /** Of all instances together. */
  readonly runsMax?: number;
  /** Bounds; meeting one gives `inconclusive` and names it. */
  readonly termsMax?: number;
  readonly instancesMax?: number;
  /** Messages of one instance, with a copy for each value of an `each` loop. */
  readonly messagesMax?: number;
  /** States of the search through the orders of one instance that a trace of several domains leaves open. */
  readonly orderStatesMax?: number;
  /** Bounds of aligning what failed with the drawing; what is beyond has no alignment. */
  readonly alignment?: AlignmentBounds;
  /** Tell of each instance that is incomplete, too, the fewest messages that are still to come. */
  readonly finish?: boolean;
}

/** The key by which a contract without one is split where all its events carry trace ids. */
export const TRACE_KEY = 'trace';

/**
 * Did the trace behave as drawn? Pure: contract and events in, verdict out. Never throws for any contract that
 * `compileContract` made and any trace that a reader made.
 */
export function check(contract: Contract, trace: Trace, options: CheckOptions = {}): SpecVerdict {
  const labeller = new Labeller(contract, labellerOptions(trace));
  const standing = new Map<number, number[]>();
  const inside: LabelledEvent[] = [];
  const unmatched: SourcedEvent[] = [];
  const unconnected: SourcedEvent[] = [];
  const standingMessages = new Set(contract.standing.map(({ message }) => message));
  const rules = rulesOf(contract);
  const proven = orderOfTrace(trace.events);
  const order = typeof proven === 'string' ? null : proven;
  const labels: Label[] = [];
  trace.events.forEach((sourced, index) => {
    const drawn = labeller.label(sourced.event);
    if (labeller.isUnconnected(sourced.event)) unconnected.push(sourced);
    const label = rules === null ? drawn : rules.extend(drawn, sourced.event);
    if (order !== null) labels.push(drawn);
    const shown = label.messages.filter((message) => standingMessages.has(message));
    const { position } = positionsOf({ ...label, index, sourced }, order);
    for (const message of shown) standing.set(message, [...(standing.get(message) ?? []), position]);
    const messages = label.messages.filter((message) => !standingMessages.has(message));
    if (messages.length + label.wrongStatus.length > 0 || label.rules !== undefined)
      inside.push({ ...label, messages, index, sourced });
    else if (shown.length === 0 && labeller.isBetweenDrawn(sourced.event)) unmatched.push(sourced);
  });
  const answered = answers(contract, trace.events, withSecondAnswers(contract, inside));
  const stray = withoutPlainAnswers(contract, unmatched, { events: trace.events, inside });
  let misdirected: readonly Misdirected[] | undefined;
  const openings: InstanceOpening[] = [];
  const failed = new FailedRuns(options.alignment?.instancesMax);
  const unfinished = options.finish === true ? new FailedRuns(options.alignment?.instancesMax) : null;
  const facts: TraceFacts = {
    begun: trace.begun,
    complete: options.complete ?? trace.ended,
    order:
      order === null
        ? null
        : traceOrder(contract, trace.events, { proven: order, labels, statesMax: options.orderStatesMax }),
    standing,
    ...(contract.timings === undefined ? {} : { latest: latestTimes(trace.events) }),
    misdirected: () => (misdirected ??= misdirectedEvents(contract, unmatched)),
    ...(contract.exclusive === true ? { openings } : {}),
    failed,
    ...(unfinished === null ? {} : { unfinished }),
    shared: new SharedRuns(),
    accounted: new Set(),
  };
  const { instances, reason } =
    typeof proven === 'string'
      ? { instances: [], reason: proven }
      : judgeAll(contract, answered.inside, { facts, parents: parentsOf(trace.events) }, options);
  const alignments = alignAll([failed, ...(unfinished === null ? [] : [unfinished])], options.alignment);
  return assemble({
    contract,
    trace,
    inside: answered.inside,
    unmatched: stray,
    standing,
    instances: [
      ...excludeOthersByProof(contract, instances, openings, order).map((verdict, index) => {
        const alignment = alignments.get(instances[index] ?? verdict);
        return alignment === undefined ? verdict : toldByAlignment(verdict, alignment, contract.drawn);
      }),
      ...notDrawn(contract, stray, answered.inside),
      ...notConnected(contract, unconnected, answered.inside),
    ],
    reason,
    failed: answered.failed,
    ignored: reason === null ? ignoredEvents(contract, answered.inside, facts) : [],
    isWhole: true,
  });
}

/** Events without the whole key that every instance was past, or had no use for. */
function ignoredEvents(
  { key }: Contract,
  inside: readonly LabelledEvent[],
  { accounted }: TraceFacts,
): readonly LabelledEvent[] {
  return inside.filter(
    (event) =>
      !key.every((name) => event.values.has(name)) &&
      candidatesOfEvent(event).length > 0 &&
      accounted?.has(event.index) === false,
  );
}

/** Those that failed do not pay for what others cost. */
export const alignAll = (
  groups: readonly FailedRuns[],
  bounds: AlignmentBounds | undefined,
): ReadonlyMap<InstanceVerdict, Alignment> =>
  new Map(groups.flatMap((runs) => [...alignRuns(runs, machineOf, bounds)]));

/** For each event of the trace, the drawn arrows that it can be taken for; empty: it is outside this contract. */
export function arrowsOfEvents(contract: Contract, trace: Trace): readonly (readonly number[])[] {
  const labeller = new Labeller(contract, labellerOptions(trace));
  return trace.events.map(({ event }) => {
    const { messages, wrongStatus } = labeller.label(event);
    return unique([...messages, ...wrongStatus].map((message) => contract.messages[message]?.drawn ?? -1));
  });
}

/** The drawn arrows for which some event of the trace can be taken just as they are drawn, with their status. */
export function arrowsSeen(contract: Contract, trace: Trace): ReadonlySet<number> {
  const labeller = new Labeller(contract, labellerOptions(trace));
  return new Set(
    trace.events.flatMap(({ event }) =>
      labeller.label(event).messages.map((message) => contract.messages[message]?.drawn ?? -1),
    ),
  );
}

function judgeAll(
  contract: Contract,
  inside: readonly LabelledEvent[],
  { facts, parents }: { readonly facts: TraceFacts; readonly parents: Parents },
  options: CheckOptions,
): { readonly instances: InstanceVerdict[]; readonly reason: string | null } {
  const [key, events] = keyedByTrace(contract, inside);
  const { instancesMax } = options;
  const { slices, bound } = slice(key, events, { isOrdered: facts.order === null, instancesMax, parents });
  if (inside.length === 0) return { instances: [], reason: null };
  const { instances, reason } = judgeSlices(contract, slices, facts, options);
  return { instances, reason: reason ?? (bound === null ? null : `bound met: ${bound}`) };
}

/** Judges instances, each with all its events. */
export function judgeSlices(
  contract: Contract,
  slices: readonly Slice[],
  facts: TraceFacts,
  options: CheckOptions,
): { readonly instances: InstanceVerdict[]; readonly reason: string | null } {
  const termsMax = options.termsMax ?? TERMS_MAX;
  const judged = slices.filter(({ events: own }) => own.some(isOfTheDrawing));
  const shared = hasEach(contract) ? null : withinBounds(() => machineOf(contract, termsMax));
  if (typeof shared === 'string') return { instances: [], reason: shared };
  const runsMax = options.runsMax ?? RUNS_MAX;
  const instances: InstanceVerdict[] = [];
  for (const part of judged) {
    const left = runsMax - instances.length;
    if (left <= 0) {
      facts.shared?.settle();
      return { instances, reason: `bound met: ${runsMax} runs` };
    }
    // One instance with more values than can be looked at says nothing of the others.
    const own = shared === null ? withinBounds(() => expanded(contract, part, options)) : { machine: shared, part };
    const verdicts =
      typeof own === 'string'
        ? [unjudged(part, own)]
        : judgeInstance(own.machine, own.part, { ...facts, runs: { left, max: runsMax } });
    for (const verdict of verdicts) instances.push(verdict);
  }
  const none = facts.shared?.settle();
  if (none === undefined || none.size === 0) return { instances, reason: null };
  return { instances: instances.filter((verdict) => !none.has(verdict)), reason: null };
}

/** What is made; or the bound that it met. */
export function withinBounds<T>(make: () => T): T | string {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof BoundMet)) throw error;
    return `bound met: ${error.bound}`;
  }
}

/** The instance, with an iteration of its own for each value of an `each` loop that it shows. */
function expanded(
  contract: Contract,
  { key, events }: Slice,
  { termsMax = TERMS_MAX, messagesMax }: CheckOptions,
): { readonly machine: Machine; readonly part: Slice } {
  const expansion = expandEach(contract, events, messagesMax);
  return {
    machine: machineOf(expansion.contract, termsMax, expansion.originals),
    part: { key, events: expansion.events },
  };
}

/** An event that only ends instances makes none. */
const isOfTheDrawing = (event: LabelledEvent): boolean =>
  candidatesOfEvent(event).length > 0 ||
  (event.rules?.forbidden.length ?? 0) > 0 ||
  (event.rules?.failed.length ?? 0) > 0;

/** The latest time that each clock shows. */
function latestTimes(events: readonly SourcedEvent[]): ReadonlyMap<string, number> {
  const latest = new Map<string, number>();
  for (const { event } of events) {
    const { domain = '', time } = event;
    if (time !== undefined && time > (latest.get(domain) ?? -Infinity)) latest.set(domain, time);
  }
  return latest;
}

/** What judging one contract needs, made once for all its instances. Throws `BoundMet`. */
export function machineOf(
  contract: Contract,
  termsMax: number,
  originals: ReadonlyMap<number, number> = new Map(),
): Machine {
  const terms = new TermTable(termsMax);
  const promises = promisesOf(contract, originals);
  const relations = relationsOf(contract, promises);
  const deriver = new Deriver(terms, relations);
  const initial = termOf(contract, terms, promises);
  const bases = contract.messages.map(({ index, entry }) => entry?.of ?? index);
  return {
    contract,
    terms,
    deriver,
    relations,
    initial,
    recurring: recurringOf(contract.term),
    endless: new Set(nodesOf(contract.term).flatMap((node) => (node.kind === 'concurrent' ? messagesIn(node) : []))),
    bases,
    watch: watchPlanOf(contract, originals),
    lookAlikes: new LookAlikes(contract, bases),
    originals,
  };
}

/** Without a key, a trace whose events all carry trace ids is split by them. */
export function keyedByTrace(
  contract: Contract,
  events: readonly LabelledEvent[],
): readonly [readonly string[], readonly LabelledEvent[]] {
  if (contract.key.length > 0 || events.some(({ sourced }) => sourced.event.traceId === undefined))
    return [contract.key, events];
  const keyed = events.map((labelled) => ({
    ...labelled,
    values: new Map([...labelled.values, [TRACE_KEY, labelled.sourced.event.traceId ?? '']]),
  }));
  return [[TRACE_KEY], keyed];
}

/** Messages that stand in a loop. */
function recurringOf(root: Node): ReadonlySet<number> {
  const found = new Set<number>();
  const pending: { readonly node: Node; readonly inLoop: boolean }[] = [{ node: root, inLoop: false }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, inLoop } = next;
    if (node.kind === 'message' && inLoop) found.add(node.message);
    const isLoop = node.kind === 'concurrent' || (node.kind === 'loop' && node.max !== 1);
    for (const child of childrenOf(node)) pending.push({ node: child, inLoop: inLoop || isLoop });
  }
  return found;
}
