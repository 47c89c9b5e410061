import { childrenOf, type Contract, type Node } from '../../contract/index.ts';
import type { InstanceVerdict, Violation } from '../../verdict/index.ts';
import { Deriver } from '../derive.ts';
import { excessText, failedText, forbiddenText, guardText, nameArrow, receivedText } from '../describe.ts';
import { statusOf, type LabelledEvent } from '../labels.ts';
import type { OccurrenceSet } from '../occurrence-sets.ts';
import { quote } from '../quote.ts';
import { messageOf, receiptOf, relationsOf, sendOf } from '../relation.ts';
import type { Slice } from '../slices.ts';
import { termOf } from '../term-of.ts';
import { TERMS_MAX, TermTable } from '../terms.ts';
import { LogJudge, type Log, type LogBounds, type LogsJudgement } from './judge-logs.ts';
import { entriesOf, type EventEntry, type ReadLog } from './log-events.ts';
import { unshownStanding } from './standing.ts';

export interface CheckLogsOptions {
  /** Each log may lack events at its end, independently of the others. Default: every log is whole. */
  readonly cut?: boolean;
  readonly bounds?: LogBounds & { readonly termsMax?: number; readonly instancesMax?: number };
}

/** Says in a verdict on logs that conforms: some interleaving is a run of the drawing; nothing proves that it was this one. */
export const POSSIBLE = 'possible';
export const POSSIBLE_RUNS = 'possible, as several runs';

/** Judges the instances of one contract: what is learnt about its terms is kept. */
export class InstanceJudge {
  readonly #contract: Contract;
  readonly #logs: readonly ReadLog[];
  readonly #options: CheckLogsOptions;
  /** Of a copy of a message for one value of a loop, that message. */
  readonly #originals: ReadonlyMap<number, number>;
  readonly #judge: LogJudge;
  /** By several runs of the drawing, one after another; made when it is asked for. */
  #several: LogJudge | null = null;
  /** By log: the occurrences that it would show. */
  readonly #shows: readonly OccurrenceSet[];

  constructor(
    contract: Contract,
    logs: readonly ReadLog[],
    options: CheckLogsOptions,
    originals: ReadonlyMap<number, number> = new Map(),
  ) {
    this.#contract = contract;
    this.#originals = originals;
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
    const entries = this.#entriesOf(events, isOptional);
    const isCut = this.#options.cut === true;
    const wrong = [
      ...ruleViolations(this.#contract, events),
      ...wrongStatuses(this.#contract, entries),
      ...this.#missingStanding(events),
    ];
    const single = this.#ask(entries, isCut);
    const isAgain = single.outcome === 'violates' && this.#mayRunAgain(key);
    const runs = isAgain ? this.#ask(entries, isCut, { judge: this.#severalRuns() }) : null;
    const isOnce = this.#contract.runs === 'once';
    if (runs?.outcome === 'conforms' && isOnce) wrong.push(this.#ranAgain(entries, single));
    const judgement =
      runs === null || (isOnce && runs.outcome !== 'conforms') || runs.outcome === 'violates' ? single : runs;
    const base = {
      key: Object.fromEntries(key),
      run: 1,
      events: new Set(entries.flat().map(({ labelled }) => labelled.index)).size,
      violations: [],
      expected: [],
      excerpt: [],
      taken: takenOf(this.#contract, entries, this.#originals),
    };
    if (judgement.outcome === 'violates') {
      const blamed = this.#againstGuard(events, isOptional) ?? this.#blame(entries, judgement.furthest);
      const violations = [...wrong, blamed];
      return { ...base, outcome: 'violates', violations, excerpt: excerptOf(this.#contract, entries, violations[0]) };
    }
    if (wrong.length > 0)
      return { ...base, outcome: 'violates', violations: wrong, excerpt: excerptOf(this.#contract, entries, wrong[0]) };
    return judgement.outcome === 'inconclusive'
      ? { ...base, outcome: 'inconclusive', reason: `bound met: ${judgement.bound}` }
      : { ...base, outcome: 'conforms', reason: judgement === single ? POSSIBLE : POSSIBLE_RUNS };
  }

  #entriesOf(events: readonly LabelledEvent[], isOptional: (labelled: LabelledEvent) => boolean): EventEntry[][] {
    return this.#logs.map(({ lifelines, inside }) => {
      const own = new Set(inside.map(({ index }) => index));
      return entriesOf(
        this.#contract,
        lifelines,
        events.filter(({ index }) => own.has(index)),
        isOptional,
      );
    });
  }

  /** All would be well, if it were not for a guard: then the event is what is wrong that entered against it. */
  #againstGuard(events: readonly LabelledEvent[], isOptional: (labelled: LabelledEvent) => boolean): Violation | null {
    const isDenied = ({ rules }: LabelledEvent): boolean => (rules?.denied.length ?? 0) > 0;
    const first = events.find(isDenied);
    const message = first?.rules?.denied[0];
    if (first === undefined || message === undefined) return null;
    const unguarded = events.map((event) =>
      isDenied(event) ? { ...event, messages: [...event.messages, ...(event.rules?.denied ?? [])] } : event,
    );
    const judgement = this.#ask(this.#entriesOf(unguarded, isOptional), this.#options.cut === true);
    if (judgement.outcome !== 'conforms') return null;
    const arrow = this.#contract.messages[message]?.drawn ?? null;
    const text = guardText(this.#contract, message);
    return { kind: 'wrong-branch', arrow, event: quote(first.sourced), mustFollow: null, expected: [], text };
  }

  /** Without a key an instance may always run again; with one, only where it cannot simply go on. */
  #mayRunAgain(key: Slice['key']): boolean {
    return key.size === 0 || isOverAtItsEnd(this.#contract);
  }

  #severalRuns(): LogJudge {
    const { terms, deriver, initial } = this.#judge.interaction;
    return (this.#several ??= new LogJudge({ terms, deriver, initial: terms.loop('strict', initial) }));
  }

  #ranAgain(entries: readonly (readonly EventEntry[])[], single: LogsJudgement): Violation {
    const furthest = single.outcome === 'violates' ? single.furthest : [];
    const entry = entries.flatMap((own, log) => own[furthest[log] ?? 0] ?? [])[0];
    const arrow = entry === undefined ? null : arrowOf(this.#contract, entry);
    const event = entry === undefined ? null : quote(entry.labelled.sourced);
    const text = `${nameArrow(this.#contract.drawn, arrow)} belongs to a second run, and the binding says that there is only one`;
    return { kind: 'repeated', arrow, event, mustFollow: null, expected: [], text };
  }

  /** What holds from before the run, and cannot have been shown in time. */
  #missingStanding(events: readonly LabelledEvent[]): Violation[] {
    const { messages, drawn } = this.#contract;
    const arrowOfMessage = (message: number | null): number | null =>
      message === null ? null : (messages[message]?.drawn ?? null);
    return unshownStanding(this.#contract, this.#logs, events, this.#options.cut === true).map(
      ({ message, before }) => {
        const [arrow, mustFollow] = [arrowOfMessage(message), arrowOfMessage(before)];
        const late = mustFollow === null ? '' : ` before ${nameArrow(drawn, mustFollow)}`;
        const text = `${nameArrow(drawn, arrow)} is missing: no log can have shown it${late}`;
        return { kind: 'missing', arrow, event: null, mustFollow, expected: arrow === null ? [] : [arrow], text };
      },
    );
  }

  #ask(
    entries: readonly (readonly EventEntry[])[],
    isCut: boolean,
    { only, judge = this.#judge }: { readonly only?: number; readonly judge?: LogJudge } = {},
  ): LogsJudgement {
    const logs = entries.map((own, index): Log => ({ shows: this.#shows[index] ?? 0, entries: own }));
    const { bounds = {} } = this.#options;
    const asked = only === undefined ? logs : logs.slice(only, only + 1);
    return judge.judge(asked, { mode: isCut ? 'cut' : 'whole', bounds });
  }

  /** The first log that is impossible by itself, and where; else where no interleaving got further; else what is missing. */
  #blame(entries: readonly (readonly EventEntry[])[], furthest: readonly number[]): Violation {
    for (const [log, own] of entries.entries()) {
      const alone = this.#ask(entries, true, { only: log });
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

/** What the binding says of single events: of those that two logs show it is told once, as far as they have ids. */
function ruleViolations(contract: Contract, events: readonly LabelledEvent[]): Violation[] {
  const found = new Map<string, Violation>();
  for (const { rules, sourced } of events) {
    if (rules === undefined) continue;
    const { id, replyTo, status } = sourced.event;
    const tell = (kind: 'forbidden' | 'wrong-status' | 'repeated', message: number | null, text: string): void => {
      const arrow = message === null ? null : (contract.messages[message]?.drawn ?? null);
      const name = JSON.stringify([text, id ?? replyTo ?? [sourced.source, sourced.line]]);
      if (!found.has(name))
        found.set(name, { kind, arrow, event: quote(sourced), mustFollow: null, expected: [], text });
    };
    for (const index of rules.forbidden) tell('forbidden', null, forbiddenText(contract, index));
    for (const message of rules.failed)
      tell('wrong-status', message, failedText(contract, message, statusOf(sourced.event) ?? status));
    if (rules.excess !== null) tell('repeated', rules.excess, excessText(contract, rules.excess));
  }
  return [...found.values()];
}

function wrongStatuses(contract: Contract, entries: readonly (readonly EventEntry[])[]): Violation[] {
  return entries.flat().flatMap((entry): Violation[] => {
    const { messages, sourced } = entry.labelled;
    if (messages.length > 0) return [];
    const arrow = arrowOf(contract, entry);
    const message = entry.options[0]?.[0] === undefined ? -1 : messageOf(entry.options[0][0]);
    if (contract.messages[message]?.receipt === 'never') {
      const told = receivedText(contract, message);
      return [{ kind: 'unexpected', arrow, event: quote(sourced), mustFollow: null, expected: [], text: told }];
    }
    const text = `${nameArrow(contract.drawn, arrow)} came with status ${sourced.event.status ?? 'unknown'}, which is not what is drawn`;
    return [{ kind: 'wrong-status', arrow, event: quote(sourced), mustFollow: null, expected: [], text }];
  });
}

function arrowOf(contract: Contract, entry: EventEntry): number | null {
  const occurrence = entry.options[0]?.[0];
  return occurrence === undefined ? null : (contract.messages[messageOf(occurrence)]?.drawn ?? null);
}

/**
 * A message happened as often as the end of it that was seen more often, an arrow of several parts as often as its most frequent
 * one; copies for the values of a loop count together.
 */
function takenOf(
  contract: Contract,
  entries: readonly (readonly EventEntry[])[],
  originals: ReadonlyMap<number, number>,
): Record<number, number> {
  const seen = new Map<number, number>();
  for (const option of entries.flat().flatMap(({ options }) => options[0] ?? [])) {
    const message = messageOf(option);
    const occurrence = 2 * (contract.messages[message]?.entry?.of ?? message) + (option & 1);
    seen.set(occurrence, (seen.get(occurrence) ?? 0) + 1);
  }
  const counts = new Map<number, number>();
  for (const message of new Set([...seen.keys()].map(messageOf))) {
    const count = Math.max(seen.get(sendOf(message)) ?? 0, seen.get(receiptOf(message)) ?? 0);
    const original = originals.get(message) ?? message;
    counts.set(original, (counts.get(original) ?? 0) + count);
  }
  const taken: Record<number, number> = {};
  for (const [message, count] of counts) {
    const arrow = contract.messages[message]?.drawn;
    if (arrow !== undefined) taken[arrow] = Math.max(taken[arrow] ?? 0, count);
  }
  return taken;
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

/** An instance with a key begins again only when it can take nothing more: which a drawing with endless loops never comes to. */
export function isOverAtItsEnd({ term }: Contract): boolean {
  const pending: Node[] = [term];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.kind === 'concurrent' || (node.kind === 'loop' && node.max === null)) return false;
    pending.push(...childrenOf(node));
  }
  return true;
}
