import type { Contract } from '../../contract/index.ts';
import type { SourcedEvent } from '../../trace/index.ts';
import type { InstanceVerdict, SpecVerdict } from '../../verdict/index.ts';
import { FailedRuns } from '../align.ts';
import { assemble } from '../assemble.ts';
import { alignAll, judgeSlices, TRACE_KEY, type CheckOptions } from '../check.ts';
import { toldByAlignment } from '../cheaper-explanation.ts';
import type { TraceFacts } from '../instance.ts';
import type { LabelledEvent } from '../labels.ts';
import { misdirectedEvents, type Misdirected } from '../misdirected.ts';
import { withSecondAnswers } from '../second-answers.ts';
import { SharedRuns } from '../shared-runs.ts';
import type { Slice } from '../slices.ts';
import type { FinishedRuns, RunProfile } from './finished-runs.ts';
import type { CarriedValues } from './bindings.ts';
import type { FailingInstance, StreamFindings, ToldStep } from './stream-checker.ts';
import type { Noted } from './stream-tally.ts';

/** The events of some lines. */
export type KeptLines = ReadonlyMap<number, SourcedEvent>;

/** An event of an instance that fails, without the event itself: that is read from its line. */
interface KeptStep {
  readonly index: number;
  readonly line: number;
  readonly messages: readonly number[];
  readonly isWrongStatus: boolean;
  readonly binding: CarriedValues;
}

/** Events that differ from a drawn message in a participant, kept to say what went astray. */
const UNMATCHED_MAX = 10_000;

/** What a second reading keeps: where the events of the failing instances stand. */
export class FailingSlices {
  readonly kept = { lines: new Set<number>() };
  readonly unmatched: { readonly line: number; readonly index: number }[] = [];
  readonly #contract: Contract;
  readonly #failing: ReadonlySet<string>;
  readonly #max: number;
  readonly #steps: KeptStep[] = [];
  /** By place of the key: the values of the failing instances. */
  readonly #values: readonly Set<string>[];
  #isFull = false;

  constructor(contract: Contract, failing: ReadonlySet<string>, max: number) {
    this.#contract = contract;
    this.#failing = failing;
    this.#max = max;
    const places = Math.max(1, contract.key.length);
    this.#values = Array.from({ length: places }, () => new Set<string>());
    for (const name of failing) name.split('\u0000').forEach((value, place) => this.#values[place]?.add(value));
  }

  /** There were more events than are read again. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Is it one of the instances whose events are kept? */
  has(name: string): boolean {
    return this.#failing.has(name);
  }

  /** For `StreamOptions.onStep`. */
  keep({ index, line, messages, isWrongStatus, binding }: ToldStep): void {
    if (this.#isFull || !this.#mayBelong(binding)) return;
    if (this.#steps.length >= this.#max) {
      this.#isFull = true;
      return;
    }
    this.#steps.push({ index, line, messages, isWrongStatus, binding });
    this.kept.lines.add(line);
  }

  keepUnmatched(line: number, index: number): void {
    if (this.unmatched.length >= UNMATCHED_MAX) return;
    this.unmatched.push({ line, index });
    this.kept.lines.add(line);
  }

  /** The slice of each of these instances. */
  slicesOf(failing: readonly FailingInstance[], lines: KeptLines, isKeyedByTrace: boolean): Slice[] {
    const names = isKeyedByTrace ? [TRACE_KEY] : this.#contract.key;
    const standing = new Set(this.#contract.standing.map(({ message }) => message));
    const steps = this.#steps.flatMap((step): { readonly step: KeptStep; readonly event: LabelledEvent }[] => {
      const sourced = lines.get(step.line);
      if (sourced === undefined) return [];
      const messages = step.isWrongStatus ? [] : step.messages.filter((message) => !standing.has(message));
      const wrongStatus = step.isWrongStatus ? step.messages : [];
      const values = valuesOf(names, step.binding.values);
      return [{ step, event: { messages, wrongStatus, values, index: step.index, sourced } }];
    });
    const events = withSecondAnswers(
      this.#contract,
      steps.map(({ event }) => event),
    );
    const labelled = steps.flatMap(({ step }, index) => {
      const event = events[index];
      return event === undefined ? [] : [{ step, event }];
    });
    return failing.map(({ values: own }) => ({
      key: valuesOf(names, own),
      events: labelled
        .filter(({ step }) => step.binding.values.every((value, place) => value === undefined || value === own[place]))
        .map(({ event }) => event),
    }));
  }

  #mayBelong({ name, values, known }: CarriedValues): boolean {
    if (known === values.length && known > 0) return this.#failing.has(name);
    return values.every((value, place) => value === undefined || this.#values[place]?.has(value) === true);
  }
}

const valuesOf = (names: readonly string[], values: readonly (string | undefined)[]): ReadonlyMap<string, string> =>
  new Map(
    names.flatMap((name, place) => {
      const value = values[place];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );

export interface StreamedFindings {
  readonly contract: Contract;
  readonly findings: StreamFindings;
  readonly noted: Noted;
  readonly examples: readonly SourcedEvent[];
  /** There was room for an example of everything. */
  readonly hasAllNames: boolean;
  readonly begun: boolean;
  readonly complete: boolean;
  /** What a second reading kept, where some instance failed; and its runs of these instances that went as drawn. */
  readonly again: {
    readonly slices: FailingSlices;
    readonly finished: FinishedRuns;
    readonly lines: KeptLines;
  } | null;
  readonly options: CheckOptions;
  /** A trace of at most so many events is left to the whole checker where it knows better. */
  readonly wholeMax: number;
}

/** The verdict on a trace that was streamed, or why there is none. */
export function verdictOf(given: StreamedFindings): SpecVerdict | string {
  const { contract, findings, noted, examples, hasAllNames, begun, again } = given;
  if (again?.slices.isFull === true) return 'the instances that fail have too many events';
  const told = again === null ? [] : findings.failing.filter(({ name }) => again.slices.has(name));
  const failing = new Map(told.map((instance) => [instance.name, instance]));
  const { instances: judged, reason, isShared } = again === null ? NOTHING_JUDGED : judgeFailing(given, told);
  // Whether another instance took them is known of those that fail only.
  if (isShared && findings.events <= given.wholeMax) return 'events of several instances may have begun a run';
  const listed = findings.finished.listed.filter(({ name }) => !failing.has(name));
  const names = findings.isKeyedByTrace ? [TRACE_KEY] : contract.key;
  const rows = [
    ...listed.map(({ values, serial, run, profile }) => ({
      serial,
      verdict: conformingVerdict(Object.fromEntries(valuesOf(names, values)), run, profile),
    })),
    ...judged.map((verdict) => ({ serial: serialOf(verdict, names, failing), verdict })),
  ].sort((a, b) => a.serial - b.serial || a.verdict.run - b.verdict.run);
  const untold = findings.failing.length - told.length;
  return assemble({
    contract,
    trace: { events: examples, begun, ended: true },
    inside: noted.inside,
    unmatched: noted.unmatched,
    standing: noted.standing,
    instances: rows.map(({ verdict }) => verdict),
    reason: untold > 0 ? `bound met: ${told.length} failing instances are told, of ${findings.failing.length}` : reason,
    failed: noted.failed,
    isWhole: true,
    tally: {
      ...noted.tally,
      events: findings.events,
      hasAllNames,
      unlisted: unlistedOf(
        findings.finished,
        listed.map(({ profile }) => profile),
        again?.finished,
      ),
    },
  });
}

const NOTHING_JUDGED = { instances: [], reason: null, isShared: false };

function judgeFailing(
  { contract, findings, noted, begun, complete, again, options }: StreamedFindings,
  told: readonly FailingInstance[],
): { readonly instances: readonly InstanceVerdict[]; readonly reason: string | null; readonly isShared: boolean } {
  if (again === null) return NOTHING_JUDGED;
  const { slices, lines } = again;
  let misdirected: readonly Misdirected[] | undefined;
  const failed = new FailedRuns(options.alignment?.instancesMax);
  const unfinished = options.finish === true ? new FailedRuns(options.alignment?.instancesMax) : null;
  const shared = new SharedRuns();
  const facts: TraceFacts = {
    begun,
    complete,
    order: null,
    standing: noted.standing,
    misdirected: () =>
      (misdirected ??= misdirectedEvents(
        contract,
        slices.unmatched.flatMap(({ line }) => lines.get(line) ?? []),
      )),
    failed,
    ...(unfinished === null ? {} : { unfinished }),
    shared,
  };
  const parts = slices.slicesOf(told, lines, findings.isKeyedByTrace);
  const { instances, reason } = judgeSlices(contract, parts, facts, options);
  const alignments = alignAll([failed, ...(unfinished === null ? [] : [unfinished])], options.alignment);
  return {
    reason,
    isShared: !shared.isEmpty,
    instances: instances.map((verdict) => {
      const alignment = alignments.get(verdict);
      return alignment === undefined ? verdict : toldByAlignment(verdict, alignment, contract.drawn);
    }),
  };
}

const conformingVerdict = (
  key: InstanceVerdict['key'],
  run: number,
  { taken, events }: RunProfile,
): InstanceVerdict => ({
  key,
  run,
  outcome: 'conforms',
  events,
  violations: [],
  expected: [],
  excerpt: [],
  taken,
});

function serialOf(
  { key }: InstanceVerdict,
  names: readonly string[],
  failing: ReadonlyMap<string, FailingInstance>,
): number {
  return failing.get(names.map((name) => key[name] ?? '').join('\u0000'))?.serial ?? 0;
}

/** Runs that went as drawn and are not listed; those of instances that fail after all are told with them. */
function unlistedOf(
  { profiles }: FinishedRuns,
  listed: readonly RunProfile[],
  failing: FinishedRuns | undefined,
): { readonly instance: InstanceVerdict; readonly count: number }[] {
  const told = new Map<RunProfile, number>();
  for (const profile of listed) told.set(profile, (told.get(profile) ?? 0) + 1);
  return [...profiles].flatMap(([name, profile]) => {
    const count = profile.runs - (told.get(profile) ?? 0) - (failing?.profiles.get(name)?.runs ?? 0);
    return count > 0 ? [{ instance: conformingVerdict({}, 1, profile), count }] : [];
  });
}
