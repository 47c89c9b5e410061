import type { Contract } from '../../contract/index.ts';
import type { SourcedEvent, Trace } from '../../trace/index.ts';
import type { InstanceVerdict, SpecVerdict, Violation } from '../../verdict/index.ts';
import { assemble, keyedByTrace, notDrawn } from '../check.ts';
import { Deriver } from '../derive.ts';
import { nameArrow } from '../describe.ts';
import { expandEach, hasEach } from '../expand-each.ts';
import type { LabelledEvent } from '../labels.ts';
import type { OccurrenceSet } from '../occurrence-sets.ts';
import { quote } from '../quote.ts';
import { isReceipt, messageOf, receiptOf, relationsOf, sendOf } from '../relation.ts';
import { INSTANCES_MAX, slice, type Slice } from '../slices.ts';
import { termOf } from '../term-of.ts';
import { BoundMet, TERMS_MAX, TermTable } from '../terms.ts';
import { LogJudge, type Log, type LogBounds, type LogsJudgement } from './judge-logs.ts';
import { entriesOf, lifelinesOfLog, readLog, type EventEntry, type ReadLog } from './log-events.ts';

export interface CheckLogsOptions {
  /** Each log may lack events at its end, independently of the others. Default: every log is whole. */
  readonly cut?: boolean;
  readonly bounds?: LogBounds & { readonly termsMax?: number; readonly instancesMax?: number };
}

/** Says in a verdict on logs that conforms: some interleaving is a run of the drawing; nothing proves that it was this one. */
export const POSSIBLE = 'possible';

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
  const read = readLogs(contract, logs);
  const inside = read.flatMap((log) => log.inside);
  const unmatched = read.flatMap((log) => log.unmatched);
  const { instances, reason } = judgeInstances(contract, read, inside, options);
  const verdict = assemble({
    contract,
    trace: { events: [...logs.values()].flatMap(({ events }) => events.map(withoutDomain)), begun: true, ended: true },
    inside,
    unmatched,
    standing: new Map(),
    instances: [...instances, ...notDrawn(contract, unmatched)],
    reason,
    failed: new Map(),
  });
  const remarks = [...verdict.remarks, ...remarksOf(contract, logs)];
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

function readLogs(contract: Contract, logs: ReadonlyMap<string, Trace>): ReadLog[] {
  let firstIndex = 0;
  return [...logs].flatMap(([name, trace]) => {
    const lifelines = lifelinesOfLog(contract, name);
    if (lifelines === null) return [];
    const log = readLog(contract, { name, lifelines, trace }, firstIndex);
    firstIndex += trace.events.length;
    return [log];
  });
}

/** Between logs there is no order that a domain could give. */
function withoutDomain(sourced: SourcedEvent): SourcedEvent {
  const { domain, ...event } = sourced.event;
  return domain === undefined ? sourced : { ...sourced, event };
}

function remarksOf(contract: Contract, logs: ReadonlyMap<string, Trace>): string[] {
  const unknown = [...logs.keys()].filter((name) => lifelinesOfLog(contract, name) === null);
  const logged = new Set([...logs.keys()].flatMap((name) => lifelinesOfLog(contract, name) ?? []));
  const hidden = contract.lifelines.filter((_, index) => !logged.has(index)).map(({ id }) => id);
  const skipped = notJudged(contract);
  return [
    ...unknown.map((name) => `the log "${name}" belongs to no participant of this drawing`),
    ...(hidden.length === 0 ? [] : [`without a log, so hidden: ${hidden.join(', ')}`]),
    ...(skipped.length === 0 ? [] : [`not judged without a common clock: ${skipped.join(', ')}`]),
  ];
}

/** What a binding asks of one trace, and that logs cannot show. */
function notJudged({ timings = [], forbidden = [], exclusive, messages }: Contract): string[] {
  return [
    ...(timings.length > 0 ? ['timing'] : []),
    ...(forbidden.length > 0 ? ['forbidden messages'] : []),
    ...(exclusive === true || messages.some(({ entry }) => (entry?.criticals.length ?? 0) > 0)
      ? ['that others wait while a critical fragment is open']
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
  const { slices, bound } = slice(key, events, options.bounds?.instancesMax ?? INSTANCES_MAX);
  try {
    const shared = hasEach(contract) ? null : new InstanceJudge(contract, logs, options);
    const instances = slices.map((part) => {
      const isOnly = slices.length === 1;
      if (shared !== null) return shared.judge(part, isOnly);
      const expanded = expandEach(contract, part.events);
      const own = new InstanceJudge(expanded.contract, logs, options);
      return own.judge({ key: part.key, events: expanded.events }, isOnly);
    });
    return { instances, reason: bound === null ? null : `bound met: ${bound}` };
  } catch (error) {
    if (!(error instanceof BoundMet)) throw error;
    return { instances: [], reason: `bound met: ${error.bound}` };
  }
}

/** Judges the instances of one contract: what is learnt about its terms is kept. */
class InstanceJudge {
  readonly #contract: Contract;
  readonly #logs: readonly ReadLog[];
  readonly #options: CheckLogsOptions;
  readonly #judge: LogJudge;
  /** By log: the occurrences that it would show. */
  readonly #shows: readonly OccurrenceSet[];

  constructor(contract: Contract, logs: readonly ReadLog[], options: CheckLogsOptions) {
    this.#contract = contract;
    this.#logs = logs;
    this.#options = options;
    const relations = relationsOf(contract);
    const terms = new TermTable(options.bounds?.termsMax ?? TERMS_MAX, relations);
    const deriver = new Deriver(terms, relations);
    this.#judge = new LogJudge({ terms, deriver, initial: termOf(contract, terms) });
    this.#shows = logs.map(({ lifelines }) => {
      const isOwn = (lifeline: number | null): boolean => lifeline !== null && lifelines.includes(lifeline);
      return terms.sets.of(
        contract.messages.flatMap(({ index, from, to }) => [
          ...(isOwn(from) ? [sendOf(index)] : []),
          ...(isOwn(to) ? [receiptOf(index)] : []),
        ]),
      );
    });
  }

  judge({ key, events }: Slice, isOnly: boolean): InstanceVerdict {
    // An event that does not say whose it is may be another instance's.
    const isOptional = (labelled: LabelledEvent): boolean =>
      !isOnly && ![...key.keys()].every((name) => labelled.values.has(name));
    const entries = this.#logs.map(({ lifelines, inside }) => {
      const own = new Set(inside.map(({ index }) => index));
      return entriesOf(
        this.#contract,
        lifelines,
        events.filter(({ index }) => own.has(index)),
        isOptional,
      );
    });
    const wrong = wrongStatuses(this.#contract, entries);
    const judgement = this.#ask(entries, this.#options.cut === true);
    const base = {
      key: Object.fromEntries(key),
      run: 1,
      events: new Set(entries.flat().map(({ labelled }) => labelled.index)).size,
      violations: [],
      expected: [],
      excerpt: [],
      taken: takenOf(this.#contract, entries),
    };
    if (judgement.outcome === 'violates') {
      const violations = [...wrong, this.#blame(entries, judgement.furthest)];
      return { ...base, outcome: 'violates', violations, excerpt: excerptOf(this.#contract, entries, violations[0]) };
    }
    if (wrong.length > 0)
      return { ...base, outcome: 'violates', violations: wrong, excerpt: excerptOf(this.#contract, entries, wrong[0]) };
    return judgement.outcome === 'inconclusive'
      ? { ...base, outcome: 'inconclusive', reason: `bound met: ${judgement.bound}` }
      : { ...base, outcome: 'conforms', reason: POSSIBLE };
  }

  #ask(entries: readonly (readonly EventEntry[])[], isCut: boolean, only?: number): LogsJudgement {
    const logs = entries.map((own, index): Log => ({ shows: this.#shows[index] ?? 0, entries: own }));
    const { bounds = {} } = this.#options;
    const asked = only === undefined ? logs : logs.slice(only, only + 1);
    return this.#judge.judge(asked, { mode: isCut ? 'cut' : 'whole', bounds });
  }

  /** The first log that is impossible by itself, and where; else where no interleaving got further; else what is missing. */
  #blame(entries: readonly (readonly EventEntry[])[], furthest: readonly number[]): Violation {
    for (const [log, own] of entries.entries()) {
      const alone = this.#ask(entries, true, log);
      const entry = alone.outcome === 'violates' ? own[alone.furthest[0] ?? 0] : undefined;
      if (entry !== undefined)
        return this.#unexpected(entry, `the log of ${this.#logs[log]?.name ?? ''} is wrong by itself`);
    }
    const cut = this.#options.cut === true ? null : this.#ask(entries, true);
    if (cut?.outcome === 'conforms') return this.#missing(entries);
    const reached = cut?.outcome === 'violates' ? cut.furthest : furthest;
    const stuck = entries.flatMap((own, log) => own[reached[log] ?? 0] ?? []);
    const [first] = stuck;
    if (first === undefined) return this.#missing(entries);
    const total = entries.reduce((sum, own) => sum + own.length, 0);
    const explained = reached.reduce((sum, position) => sum + position, 0);
    return this.#unexpected(
      first,
      `no interleaving of the logs is a run of the drawing (the longest beginning found holds ${explained} of ${total} events)`,
    );
  }

  #unexpected(entry: EventEntry, why: string): Violation {
    const arrow = arrowOf(this.#contract, entry);
    return {
      kind: 'unexpected',
      arrow,
      event: quote(entry.labelled.sourced),
      mustFollow: null,
      expected: [],
      text: `${nameArrow(this.#contract.drawn, arrow)} is not possible here: ${why}`,
    };
  }

  /** Everything there is can have happened, but not as all of the logs. */
  #missing(entries: readonly (readonly EventEntry[])[]): Violation {
    const { deriver, initial } = this.#judge.interaction;
    const seen = new Set(entries.flat().flatMap(({ options }) => options.flat()));
    const shown = new Set(this.#shows.flatMap((set) => this.#judge.interaction.terms.sets.members(set)));
    const owed = [...deriver.owed(initial)].filter((occurrence) => shown.has(occurrence) && !seen.has(occurrence));
    const expected = [
      ...new Set(owed.map((occurrence) => this.#contract.messages[messageOf(occurrence)]?.drawn ?? -1)),
    ];
    const arrow = expected.sort((a, b) => a - b)[0] ?? null;
    const what = arrow === null ? 'something drawn' : nameArrow(this.#contract.drawn, arrow);
    const text = `${what} is missing: the logs are the beginning of a run, not a whole one (--cut allows that)`;
    return { kind: 'missing', arrow, event: null, mustFollow: null, expected, text };
  }
}

function wrongStatuses(contract: Contract, entries: readonly (readonly EventEntry[])[]): Violation[] {
  return entries.flat().flatMap((entry): Violation[] => {
    const { messages, sourced } = entry.labelled;
    if (messages.length > 0) return [];
    const arrow = arrowOf(contract, entry);
    const text = `${nameArrow(contract.drawn, arrow)} came with status ${sourced.event.status ?? 'unknown'}, which is not what is drawn`;
    return [{ kind: 'wrong-status', arrow, event: quote(sourced), mustFollow: null, expected: [], text }];
  });
}

function arrowOf(contract: Contract, entry: EventEntry): number | null {
  const occurrence = entry.options[0]?.[0];
  return occurrence === undefined ? null : (contract.messages[messageOf(occurrence)]?.drawn ?? null);
}

/** An arrow happened as often as the end of it that was seen more often. */
function takenOf(contract: Contract, entries: readonly (readonly EventEntry[])[]): Record<number, number> {
  const ends = [new Map<number, number>(), new Map<number, number>()] as const;
  for (const entry of entries.flat()) {
    const arrow = arrowOf(contract, entry);
    for (const occurrence of entry.options[0] ?? []) {
      const counts = ends[isReceipt(occurrence) ? 1 : 0];
      if (arrow !== null) counts.set(arrow, (counts.get(arrow) ?? 0) + 1);
    }
  }
  const arrows = new Set([...ends[0].keys(), ...ends[1].keys()]);
  return Object.fromEntries(
    [...arrows].map((arrow) => [arrow, Math.max(ends[0].get(arrow) ?? 0, ends[1].get(arrow) ?? 0)]),
  );
}

/** Events before and after the deciding one that a verdict quotes. */
const EXCERPT_EACH_SIDE = 5;

function excerptOf(
  contract: Contract,
  entries: readonly (readonly EventEntry[])[],
  violation: Violation | undefined,
): InstanceVerdict['excerpt'] {
  const { event = null } = violation ?? {};
  const isBlamed = ({ labelled: { sourced } }: EventEntry): boolean =>
    sourced.line === event?.line && sourced.source === event.source;
  const log = entries.find((own) => own.some(isBlamed)) ?? entries.find((own) => own.length > 0) ?? [];
  const at = log.findIndex(isBlamed);
  const from = Math.max(0, (at < 0 ? log.length : at) - EXCERPT_EACH_SIDE);
  return log.slice(from, from + 2 * EXCERPT_EACH_SIDE + 1).map((entry) => ({
    event: quote(entry.labelled.sourced),
    arrow: arrowOf(contract, entry),
    violating: isBlamed(entry),
  }));
}
