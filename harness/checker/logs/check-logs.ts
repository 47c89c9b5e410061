import type { Contract } from '../../contract/index.ts';
import type { SourcedEvent, Trace } from '../../trace/index.ts';
import type { InstanceVerdict, SpecVerdict } from '../../verdict/index.ts';
import type { FailedCalls } from '../answers.ts';
import { assemble } from '../assemble.ts';
import { keyedByTrace, withinBounds } from '../check.ts';
import { notConnected, notDrawn } from '../stray-traffic.ts';
import { nameArrow } from '../describe.ts';
import { expandEach, hasEach } from '../expand-each.ts';
import { parentsOf } from '../inherited-values.ts';
import { unjudged } from '../instance.ts';
import type { LabelledEvent } from '../labels.ts';
import { slice } from '../slices.ts';
import { InstanceJudge, isOverAtItsEnd, POSSIBLE, POSSIBLE_RUNS, type CheckLogsOptions } from './instance-judge.ts';
import { lifelinesOfLog, readLogs, type ReadLog } from './log-events.ts';
import { misplacedText, place } from './misplaced.ts';
import { hiddenStanding } from './standing.ts';

export { POSSIBLE, type CheckLogsOptions };

/**
 * Did the system behave as drawn, if no clock orders the logs of its participants? Conforms (`possible`) if some interleaving
 * of the logs is a whole run of the drawing; with `cut`, if it can be completed at the end of each log. A log is named by the
 * participants it belongs to (`A`, or `A,B`); what happens on participants without a log is hidden, and its order still counts.
 */
export function checkLogs(
  contract: Contract,
  logs: ReadonlyMap<string, Trace>,
  options: CheckLogsOptions = {},
): SpecVerdict {
  const placed = readLogs(
    contract,
    [...logs].flatMap(([name, trace]) => {
      const lifelines = lifelinesOfLog(contract, name);
      return lifelines === null ? [] : [{ name, lifelines, trace }];
    }),
  ).map((log) => place(contract, log));
  const read = placed.map(({ log }) => log);
  const misplaced = placed.flatMap((log) => misplacedText(contract, log) ?? []);
  const inside = read.flatMap((log) => log.inside);
  const unmatched = read.flatMap((log) => log.unmatched);
  const unconnected = read.flatMap((log) => log.unconnected);
  const { instances, reason } = judgeInstances(contract, read, inside, options);
  const verdict = assemble({
    contract,
    trace: { events: [...logs.values()].flatMap(({ events }) => events.map(withoutDomain)), begun: true, ended: true },
    inside,
    unmatched,
    standing: standingPositions(read),
    instances: [...instances, ...notDrawn(contract, unmatched), ...notConnected(contract, unconnected)],
    reason,
    failed: failedCalls(read),
  });
  const isVacuous = verdict.outcome === 'vacuous' && misplaced.length > 0;
  const remarks = [
    ...verdict.remarks,
    ...(isVacuous ? [] : misplaced),
    ...remarksOf(contract, logs, read),
    ...runRemarks(contract, instances),
  ];
  if (isVacuous) return { ...verdict, remarks, reason: misplaced.join('; ') };
  return { ...verdict, remarks, ...(verdict.outcome === 'conforms' ? { reason: POSSIBLE } : {}) };
}

/** Why logs of these names cannot be held against the contract; null: they can. */
export function problemOfLogs(contract: Contract, names: Iterable<string>): string | null {
  const owners = new Map<number, string>();
  for (const name of names) {
    const lifelines = lifelinesOfLog(contract, name);
    if (lifelines === null) return `"${name}" is not a participant of ${contract.spec.name}`;
    for (const lifeline of lifelines) {
      const other = owners.get(lifeline);
      if (other !== undefined) return `the logs "${other}" and "${name}" belong to one participant`;
      owners.set(lifeline, name);
    }
  }
  return null;
}

/** Two logs show one message: it happened as often as the log says that shows it more often. */
function standingPositions(read: readonly ReadLog[]): ReadonlyMap<number, readonly number[]> {
  const most = new Map<number, readonly number[]>();
  for (const { standing } of read)
    for (const message of new Set(standing.map((shown) => shown.message))) {
      const own = standing.filter((shown) => shown.message === message).map(({ index }) => index);
      if (own.length > (most.get(message)?.length ?? 0)) most.set(message, own);
    }
  return most;
}

/** Caller and callee both show an error: the log counts that shows more of them. */
function failedCalls(read: readonly ReadLog[]): FailedCalls {
  const most = new Map<number, readonly number[]>();
  for (const { failed } of read)
    for (const [arrow, statuses] of failed)
      if (statuses.length > (most.get(arrow)?.length ?? 0)) most.set(arrow, statuses);
  return most;
}

/** Between logs there is no order that a domain could give. */
function withoutDomain(sourced: SourcedEvent): SourcedEvent {
  const { domain, receivedDomain, ...event } = sourced.event;
  return domain === undefined && receivedDomain === undefined ? sourced : { ...sourced, event };
}

function remarksOf(contract: Contract, logs: ReadonlyMap<string, Trace>, read: readonly ReadLog[]): string[] {
  const unknown = [...logs.keys()].filter((name) => lifelinesOfLog(contract, name) === null);
  const logged = new Set([...logs.keys()].flatMap((name) => lifelinesOfLog(contract, name) ?? []));
  const hidden = contract.lifelines.filter((_, index) => !logged.has(index)).map(({ id }) => id);
  const skipped = notJudged(contract);
  const unshown = hiddenStanding(contract, read).map((message) =>
    nameArrow(contract.drawn, contract.messages[message]?.drawn ?? null),
  );
  return [
    ...unknown.map((name) => `the log "${name}" belongs to no participant of this drawing`),
    ...emptyRemark([...logs].flatMap(([name, { events }]) => (events.length === 0 ? [name] : []))),
    ...(hidden.length === 0 ? [] : [`without a log, so hidden: ${hidden.join(', ')}`]),
    ...(unshown.length === 0 ? [] : [`no log could show what holds from before the run: ${unshown.join(', ')}`]),
    ...(skipped.length === 0 ? [] : [`not judged without a common clock: ${skipped.join(', ')}`]),
  ];
}

/** A participant may have seen nothing; or its log was written elsewhere. */
function emptyRemark(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  return [names.length === 1 ? `the log of ${names.join()} is empty` : `the logs of ${names.join(', ')} are empty`];
}

/** What a binding or a drawing asks of one trace, and that logs cannot show. */
function notJudged({ timings = [], exclusive, messages, lifetimes = [], ends }: Contract): string[] {
  return [
    ...(timings.length > 0 ? ['timing'] : []),
    ...(exclusive === true || messages.some(({ entry }) => (entry?.criticals.length ?? 0) > 0)
      ? ['that others wait while a critical fragment is open']
      : []),
    ...(lifetimes.length > 0 ? ['that nothing comes before a participant is created or after it is destroyed'] : []),
    ...(ends === undefined ? [] : ['the event that ends an instance']),
  ];
}

/** Says that a verdict holds for several runs, or that several were not looked for. */
function runRemarks(contract: Contract, instances: readonly InstanceVerdict[]): string[] {
  const several = instances.filter(({ reason }) => reason === POSSIBLE_RUNS).length;
  const isUnsure = contract.runs !== 'once' && instances.some(({ outcome }) => outcome === 'violates');
  return [
    ...(several === 0
      ? []
      : [
          `the logs hold several runs of the drawing, one after another${several === 1 ? '' : `, in ${several} instances`}`,
        ]),
    ...(isUnsure && contract.key.length > 0 && !isOverAtItsEnd(contract)
      ? [
          'an instance was judged as one run: nothing tells a second run of this drawing from a further iteration of its loops',
        ]
      : []),
  ];
}

function judgeInstances(
  contract: Contract,
  logs: readonly ReadLog[],
  inside: readonly LabelledEvent[],
  options: CheckLogsOptions,
): { readonly instances: InstanceVerdict[]; readonly reason: string | null } {
  const problem = problemOfLogs(
    contract,
    logs.map(({ name }) => name),
  );
  if (problem !== null) return { instances: [], reason: problem };
  if (inside.length === 0) return { instances: [], reason: null };
  const [key, events] = keyedByTrace(contract, inside);
  const parents = parentsOf(
    logs.flatMap(({ inside: own, unmatched }) => [...own.map(({ sourced }) => sourced), ...unmatched]),
  );
  const { slices, bound } = slice(key, events, { instancesMax: options.bounds?.instancesMax, parents });
  const shared = hasEach(contract) ? null : withinBounds(() => new InstanceJudge(contract, logs, options));
  if (typeof shared === 'string') return { instances: [], reason: shared };
  const instances = slices.map((part): InstanceVerdict => {
    const isOnly = slices.length === 1;
    // One instance with more values than can be looked at says nothing of the others.
    const verdict = withinBounds(() => {
      if (shared !== null) return shared.judge(part, isOnly);
      const expanded = expandEach(contract, part.events, options.bounds?.messagesMax);
      const own = new InstanceJudge(expanded.contract, logs, options, expanded.originals);
      return own.judge({ key: part.key, events: expanded.events }, isOnly);
    });
    return typeof verdict === 'string' ? unjudged(part, verdict) : verdict;
  });
  return { instances, reason: bound === null ? null : `bound met: ${bound}` };
}
