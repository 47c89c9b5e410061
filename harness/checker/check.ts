import { childrenOf, placeName, type Contract, type DrawnArrow, type Node } from '../contract/index.ts';
import { hasOneDomain, receivedDomainOf, type SourcedEvent, type Trace } from '../trace/index.ts';
import {
  worstOf,
  type Alignment,
  type ArrowVerdict,
  type InstanceVerdict,
  type SpecVerdict,
  type UnmatchedTraffic,
} from '../verdict/index.ts';
import { alignRuns, FailedRuns, type AlignmentBounds } from './align.ts';
import { answers, type FailedCalls } from './answers.ts';
import { candidatesOfEvent } from './candidates.ts';
import { toldByAlignment } from './cheaper-explanation.ts';
import { coverageOf } from './coverage.ts';
import { Deriver } from './derive.ts';
import { describeViolation } from './describe.ts';
import type { InstanceOpening } from './exclusive.ts';
import { expandEach, hasEach } from './expand-each.ts';
import { judgeInstance, RUNS_MAX, unjudged, type TraceFacts } from './instance.ts';
import { Labeller, labellerOptions, statusOf, type Label, type LabelledEvent } from './labels.ts';
import { loneDomains } from './lone-domains.ts';
import { LookAlikes } from './look-alikes.ts';
import { misdirectedEvents, type Misdirected } from './misdirected.ts';
import { orderOfTrace, traceOrder } from './partial-order.ts';
import { excludeOthersByProof } from './partial-order-exclusive.ts';
import { positionsOf } from './partial-order-letters.ts';
import { promisesOf } from './promises.ts';
import { quote } from './quote.ts';
import { relationsOf } from './relation.ts';
import { unique, type Machine } from './run.ts';
import { rulesOf } from './rules.ts';
import { SharedRuns } from './shared-runs.ts';
import { INSTANCES_MAX, slice, type Slice } from './slices.ts';
import { termOf } from './term-of.ts';
import { BoundMet, TERMS_MAX, TermTable } from './terms.ts';
import { staleArrows } from './stale.ts';
import { countAll, type Tally } from './tally.ts';
import { danglingReplies } from './unanswering.ts';
import { unseenNames } from './unseen-names.ts';
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

/** How many rows of traffic that no arrow explains are told. */
const UNMATCHED_ROWS = 20;
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
  const answered = answers(contract, trace.events, inside);
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
  };
  const { instances, reason } =
    typeof proven === 'string'
      ? { instances: [], reason: proven }
      : judgeAll(contract, answered.inside, facts, options);
  const alignments = alignAll([failed, ...(unfinished === null ? [] : [unfinished])], options.alignment);
  return assemble({
    contract,
    trace,
    inside: answered.inside,
    unmatched,
    standing,
    instances: [
      ...excludeOthersByProof(contract, instances, openings, order).map((verdict, index) => {
        const alignment = alignments.get(instances[index] ?? verdict);
        return alignment === undefined ? verdict : toldByAlignment(verdict, alignment, contract.drawn);
      }),
      ...notDrawn(contract, unmatched),
      ...notConnected(contract, unconnected),
    ],
    reason,
    failed: answered.failed,
    isWhole: true,
  });
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
  facts: TraceFacts,
  options: CheckOptions,
): { readonly instances: InstanceVerdict[]; readonly reason: string | null } {
  const [key, events] = keyedByTrace(contract, inside);
  const { slices, bound } = slice(key, events, options.instancesMax ?? INSTANCES_MAX);
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

/** `closed: true`: traffic between drawn participants that no arrow explains violates. */
export function notDrawn(contract: Contract, unmatched: readonly SourcedEvent[]): InstanceVerdict[] {
  return contract.closed ? strayTraffic(contract, unmatched, 'not-drawn', 'closed drawing') : [];
}

/** Traffic between participants that the document's topology does not connect violates, drawn or not. */
export function notConnected(contract: Contract, unconnected: readonly SourcedEvent[]): InstanceVerdict[] {
  return strayTraffic(contract, unconnected, 'no-such-connection', 'topology');
}

/** Events that break a rule about all traffic, told as one instance of their own. */
function strayTraffic(
  contract: Contract,
  events: readonly SourcedEvent[],
  kind: 'not-drawn' | 'no-such-connection',
  reason: string,
): InstanceVerdict[] {
  if (events.length === 0) return [];
  const quoted = events.slice(0, UNMATCHED_ROWS).map((sourced) => quote(sourced));
  const violations = quoted.map((event) => {
    const violation = { kind, arrow: null, event, mustFollow: null, expected: [], text: '' } as const;
    return { ...violation, text: describeViolation(violation, contract.drawn) };
  });
  const excerpt = quoted.map((event) => ({ event, arrow: null, violating: true }));
  return [{ key: {}, run: 1, outcome: 'violates', reason, events: 0, violations, expected: [], excerpt, taken: {} }];
}

/** What was found out about a trace, or about several logs. */
export interface Findings {
  readonly contract: Contract;
  readonly trace: Trace;
  readonly inside: readonly LabelledEvent[];
  readonly unmatched: readonly SourcedEvent[];
  readonly standing: ReadonlyMap<number, readonly number[]>;
  readonly instances: readonly InstanceVerdict[];
  readonly reason: string | null;
  readonly failed: FailedCalls;
  /** The events are those of one trace, not of the logs of some participants. */
  readonly isWhole?: true;
  /** What a stream counted; its events are examples then. */
  readonly tally?: Tally;
}

/** The verdict over all instances, with what it says of every arrow. */
export function assemble(findings: Findings): SpecVerdict {
  const { contract, trace, instances, reason, tally } = findings;
  const unlisted = tally?.unlisted ?? [];
  const left = unlisted.reduce((sum, { count }) => sum + count, 0);
  const [events, inside] = [tally?.events ?? trace.events.length, tally?.inside ?? findings.inside.length];
  const arrows = arrowVerdicts(findings);
  const isVacuous = !instances.some(
    ({ events, violations, outcome }) => events > 0 || violations.length > 0 || outcome === 'inconclusive',
  );
  const worst = worstOf(instances.map((instance) => instance.outcome));
  const bounded = reason !== null && worst !== 'violates';
  const outcome = bounded ? 'inconclusive' : isVacuous ? 'vacuous' : worst;
  const isWhole = findings.isWhole === true;
  const named = tally?.hasAllNames === false ? [] : trace.events;
  const unseen = unseenNames(contract, named, { isVacuous, isWhole, count: events });
  const why = reason ?? (isVacuous ? vacuousReason(trace, unseen.causes) : undefined);
  return {
    v: 1,
    spec: contract.spec,
    binding: contract.binding,
    order: contract.order,
    outcome,
    ...(why === undefined ? {} : { reason: why }),
    arrows,
    coverage: coverageOf(contract, arrows, instances, unlisted),
    instances,
    ...(left === 0 ? {} : { unlisted: left }),
    key: contract.key,
    counts: { events, taken: inside, outside: events - inside },
    unmatched: traffic(findings),
    remarks: [...unseen.causes, ...unseen.others, ...remarksOf(findings, arrows)],
  };
}

/** What is probably the cause stands first. */
function vacuousReason(trace: Trace, [cause]: readonly string[]): string {
  if (trace.events.length === 0) return 'the trace holds no event';
  const fact = 'no event of the trace matched an arrow of this drawing';
  return cause === undefined ? fact : `${cause}${cause.endsWith('?') ? '' : ';'} ${fact}`;
}

function arrowVerdicts({ contract, inside, instances, standing, tally }: Findings): ArrowVerdict[] {
  const latencies = percentilesOf(tally?.latencies ?? latenciesOf(contract, inside));
  const shownCount = (message: number): number =>
    tally === undefined ? (standing.get(message) ?? []).length : (tally.standing.get(message) ?? 0);
  const noteOf = (index: number, ...kinds: string[]): string | undefined => {
    const note = contract.notes.find((entry) => entry.drawn === index && kinds.includes(entry.kind));
    return note?.reason;
  };
  return contract.drawn.map((drawn) => {
    const { index } = drawn;
    const taken = instances.map((instance) => instance.taken[index] ?? 0);
    const others = (tally?.unlisted ?? []).filter(({ instance }) => (instance.taken[index] ?? 0) > 0);
    const shown = contract.standing
      .filter(({ message }) => contract.messages[message]?.drawn === index)
      .reduce((sum, { message }) => sum + shownCount(message), 0);
    const events =
      taken.reduce((sum, count) => sum + count, 0) +
      others.reduce((sum, { instance, count }) => sum + count * (instance.taken[index] ?? 0), 0) +
      shown;
    const violations = instances
      .flatMap((instance) => instance.violations)
      .filter((violation) => violation.arrow === index).length;
    const removed = contract.notes.find(
      (note) =>
        note.drawn === index && (note.kind === 'absent' || note.kind === 'unobservable' || note.kind === 'standing'),
    );
    const reason = noteOf(index, 'absent', 'unobservable', 'erratum', 'standing');
    const latency = latencies.get(index);
    const status =
      violations > 0
        ? 'violates'
        : removed !== undefined
          ? (removed.kind as 'absent' | 'unobservable' | 'standing')
          : events > 0
            ? 'conforms'
            : 'unseen';
    return {
      ...drawn,
      events,
      instances: taken.filter((count) => count > 0).length + others.reduce((sum, { count }) => sum + count, 0),
      violations,
      status,
      ...(reason === undefined ? {} : { reason }),
      erratum: noteOf(index, 'erratum') !== undefined,
      ...(latency === undefined ? {} : { latencyMs: latency }),
    };
  });
}

/** Send to receipt, where the trace shows both times. */
function latenciesOf(contract: Contract, inside: readonly LabelledEvent[]): ReadonlyMap<number, readonly number[]> {
  const samples = new Map<number, number[]>();
  for (const { messages, sourced } of inside) {
    const { time, receivedTime } = sourced.event;
    const arrow = messages[0] === undefined ? undefined : contract.messages[messages[0]]?.drawn;
    if (time === undefined || receivedTime === undefined || arrow === undefined) continue;
    // Two clocks: their difference is no latency.
    if (receivedDomainOf(sourced.event) !== sourced.event.domain) continue;
    const known = samples.get(arrow);
    if (known === undefined) samples.set(arrow, [receivedTime - time]);
    else known.push(receivedTime - time);
  }
  return samples;
}

function percentilesOf(
  samples: ReadonlyMap<number, readonly number[]>,
): ReadonlyMap<number, NonNullable<ArrowVerdict['latencyMs']>> {
  const found = new Map<number, NonNullable<ArrowVerdict['latencyMs']>>();
  for (const [arrow, values] of samples) {
    const sorted = [...values].sort((a, b) => a - b);
    const at = (share: number): number =>
      sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
    found.set(arrow, { p50: at(0.5), p95: at(0.95), max: at(1) });
  }
  return found;
}

function traffic({ unmatched, tally }: Findings): UnmatchedTraffic[] {
  const rows = new Map<string, UnmatchedTraffic>();
  for (const sourced of unmatched) {
    const { from, to, label } = sourced.event;
    const key = JSON.stringify([from, to, label]);
    const count = tally?.countOf(sourced) ?? 1;
    rows.set(key, { from, to, label, events: (rows.get(key)?.events ?? 0) + count });
  }
  return [...rows.values()].sort((a, b) => b.events - a.events).slice(0, UNMATCHED_ROWS);
}

function remarksOf(findings: Findings, arrows: readonly ArrowVerdict[]): string[] {
  const { contract, trace, inside, instances, tally } = findings;
  const remarks: string[] = [];
  const unseen = arrows.filter((arrow) => arrow.status === 'unseen');
  if (unseen.length > 0 && unseen.length < arrows.length)
    remarks.push(`never seen in this trace: ${unseen.map((arrow) => arrowText(contract, arrow)).join(', ')}`);
  if (!hasOneDomain(trace.events) && instances.some(({ outcome }) => outcome === 'inconclusive'))
    remarks.push(
      'between domains only replyTo, parent, causes and receipts in another domain (receivedDomain) prove an order: more of them may decide what is inconclusive here',
    );
  if (findings.isWhole === true && !hasOneDomain(trace.events))
    remarks.push(
      ...loneDomains(
        trace.events,
        instances.every(({ outcome }) => outcome === 'conforms'),
      ),
    );
  const unseenStatus = inside.filter(
    ({ messages, sourced }) =>
      statusOf(sourced.event) === undefined &&
      messages.some((message) => contract.messages[message]?.match.status !== undefined),
  );
  const withoutStatus = countAll(
    unseenStatus.map(({ sourced }) => sourced),
    tally,
  );
  if (withoutStatus > 0)
    remarks.push(
      withoutStatus === 1
        ? '1 reply shows no status, where the drawing names one: that was not checked'
        : `${withoutStatus} replies show no status, where the drawing names one: that was not checked`,
    );
  const isRepeated = instances.some(({ violations }) => violations.some(({ kind }) => kind === 'repeated'));
  if (contract.key.length === 0 && isRepeated)
    remarks.push(
      'if what happened again belongs to another run, name the parameter that tells runs apart (`instance` in the binding), or record trace ids',
    );
  const last = contract.key.at(-1);
  if (last !== undefined) remarks.push(...keylessRemarks(findings, last));
  if (findings.isWhole === true && instances.some(({ outcome }) => outcome !== 'conforms'))
    remarks.push(
      ...(tally?.dangling ??
        danglingReplies([...inside.map(({ sourced }) => sourced), ...findings.unmatched], trace.events)),
    );
  return [...remarks, ...ruleRemarks(findings)];
}

/** Arrows that are named in one remark. */
const NAMED_MAX = 5;

/** Events that carry the parameter by which instances are told apart only through others. */
function keylessRemarks({ contract, inside, tally }: Findings, key: string): readonly string[] {
  const isKeyed = (message: number): boolean => contract.messages[message]?.keyed === true;
  const keyless = inside.filter(({ messages, values }) => messages.some(isKeyed) && !values.has(key));
  if (keyless.length === 0) return [];
  const arrows = unique(
    keyless.flatMap(({ messages }) => messages.filter(isKeyed).map((one) => contract.messages[one]?.drawn ?? -1)),
  ).sort((a, b) => a - b);
  const named = arrows.slice(0, NAMED_MAX).map((arrow) => arrowText(contract, contract.drawn[arrow]));
  const more = arrows.length > NAMED_MAX ? ` and ${arrows.length - NAMED_MAX} more` : '';
  const count = countAll(
    keyless.map(({ sourced }) => sourced),
    tally,
  );
  const events = count === 1 ? '1 matching event' : `${count} matching events`;
  const self = count === 1 ? 'itself' : 'themselves';
  return [`${events} did not show "${key}" by ${self}: ${named.join(', ')}${more}`];
}

/** `line 18 "bind pod"`. */
const arrowText = (contract: Contract, arrow: DrawnArrow | undefined): string =>
  `${placeName(contract, arrow)}${arrow === undefined || arrow.text === '' ? '' : ` "${arrow.text}"`}`;

/** What differs from the drawing without violating it: errors that it does not show, stale entries, references. */
function ruleRemarks({ contract, unmatched, failed, tally }: Findings): string[] {
  const nameOf = (drawn: number): string => arrowText(contract, contract.drawn[drawn]);
  const errors = [...failed].map(([drawn, statuses]) => {
    const count = statuses.length === 1 ? 'once' : `${statuses.length} times`;
    return `${nameOf(drawn)} was answered by an error ${count} (${unique(statuses).join(', ')}); its reply is not drawn`;
  });
  const stale = staleArrows(contract, unmatched).map(({ drawn, kind, events }) => {
    const [first] = events;
    const word = kind === 'absent' ? 'absent' : 'an erratum';
    const times = countAll(events, tally);
    const count = times === 1 ? 'once' : `${times} times`;
    const place = first === undefined ? '' : ` (first in ${first.source}:${first.line})`;
    return `the binding is stale: ${nameOf(drawn)} is said to be ${word}, and happened as drawn ${count}${place}`;
  });
  const gaps = (contract.gaps ?? []).map(
    ({ text, ...at }) =>
      `${placeName(contract, at)} refers to${text === '' ? ' another drawing' : ` "${text}"`}: what happens there was not checked`,
  );
  return [...errors, ...stale, ...gaps];
}
