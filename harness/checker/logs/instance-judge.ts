import { nodesOf, type Contract } from '../../contract/index.ts';
import type { Alignment, InstanceVerdict, Violation } from '../../verdict/index.ts';
import { Deriver } from '../derive.ts';
import {
  describeViolation,
  excessText,
  failedText,
  forbiddenText,
  guardText,
  nameArrow,
  receivedText,
} from '../describe.ts';
import { statusOf, type LabelledEvent } from '../labels.ts';
import type { OccurrenceSet } from '../occurrence-sets.ts';
import { quote } from '../quote.ts';
import { isReceipt, messageOf, receiptOf, relationsOf, sendOf, type Occurrence } from '../relation.ts';
import type { Slice } from '../slices.ts';
import { termOf } from '../term-of.ts';
import { TERMS_MAX, TermTable } from '../terms.ts';
import { LogJudge, type Log, type LogBounds, type LogsJudgement, type Stand } from './judge-logs.ts';
import { asTaken, CREDIT_BOUNDS } from './log-credits.ts';
import { entriesOf, type EventEntry, type ReadLog } from './log-events.ts';
import { unshownStanding } from './standing.ts';
import { withUnreceived } from './unreceived.ts';

export interface CheckLogsOptions {
  /** Each log may lack events at its end, independently of the others. Default: every log is whole. */
  readonly cut?: boolean;
  readonly bounds?: LogBounds & {
    readonly termsMax?: number;
    readonly instancesMax?: number;
    /** Messages of one instance, with a copy for each value of an `each` loop. */
    readonly messagesMax?: number;
  };
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
  /** By message, the one that stands for it where it is lost. */
  readonly #unreceived: ReadonlyMap<number, number>;
  /** The same contract, crossed arrows as received or lost; made when it is asked for, null: it has none, or is that. */
  #lossy: InstanceJudge | null | undefined;

  constructor(
    contract: Contract,
    logs: readonly ReadLog[],
    options: CheckLogsOptions,
    originals: ReadonlyMap<number, number> = new Map(),
    unreceived?: ReadonlyMap<number, number>,
  ) {
    this.#contract = contract;
    this.#unreceived = unreceived ?? new Map<number, number>();
    if (unreceived !== undefined) this.#lossy = null;
    this.#originals = originals;
    this.#logs = logs;
    this.#options = options;
    const relations = relationsOf(contract);
    const terms = new TermTable(options.bounds?.termsMax ?? TERMS_MAX, relations);
    const deriver = new Deriver(terms, relations);
    this.#judge = new LogJudge({ terms, deriver, initial: termOf(contract, terms, undefined, NO_CRITICALS) });
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
    const wrong = [
      ...ruleViolations(this.#contract, events),
      ...wrongStatuses(this.#contract, entries),
      ...this.#missingStanding(events),
    ];
    const { judgement, single, isSecond, taken } = this.#judged(entries, events, { key, isOptional });
    if (isSecond) wrong.push(this.#ranAgain(entries, single));
    const base = {
      key: Object.fromEntries(key),
      run: 1,
      events: new Set(entries.flat().map(({ labelled }) => labelled.index)).size,
      violations: [],
      expected: [],
      excerpt: [],
      taken,
    };
    if (judgement.outcome === 'violates') {
      const against = this.#againstGuard(events, isOptional);
      const { violation, log } =
        against === null ? this.#blame(entries, judgement.furthest) : { violation: against, log: null };
      const [first] = wrong;
      const excerpt = excerptOf(this.#contract, entries, first ?? violation, first === undefined ? log : null);
      const violations = [...wrong, violation];
      return { ...base, outcome: 'violates', violations, alignment: NOT_ALIGNED, excerpt };
    }
    if (wrong.length > 0)
      return { ...base, outcome: 'violates', violations: wrong, excerpt: excerptOf(this.#contract, entries, wrong[0]) };
    return judgement.outcome === 'inconclusive'
      ? { ...base, outcome: 'inconclusive', reason: `bound met: ${judgement.bound}` }
      : { ...base, outcome: 'conforms', reason: judgement === single ? POSSIBLE : POSSIBLE_RUNS };
  }

  #judged(
    entries: readonly (readonly EventEntry[])[],
    events: readonly LabelledEvent[],
    at: { readonly key: Slice['key']; readonly isOptional: (labelled: LabelledEvent) => boolean },
  ): Judged {
    const isCut = this.#options.cut === true;
    const single = this.#ask(entries, isCut);
    const isAgain = single.outcome === 'violates' && this.#mayRunAgain(at.key);
    const runs = isAgain ? this.#ask(entries, isCut, { judge: this.#severalRuns() }) : null;
    const isOnce = this.#contract.runs === 'once';
    const isSecond = runs?.outcome === 'conforms' && isOnce;
    const isSingle = runs === null || (isOnce && runs.outcome !== 'conforms') || runs.outcome === 'violates';
    const judgement = isSingle ? single : runs;
    const isRun = (narrowed: typeof entries): boolean => {
      const judge = isSingle ? this.#judge : this.#severalRuns();
      return this.#ask(narrowed, isCut, { judge, bounds: CREDIT_BOUNDS }).outcome === 'conforms';
    };
    const counted = judgement.outcome === 'conforms' ? asTaken(this.#contract, entries, isRun) : entries;
    const own = { judgement, single, isSecond, taken: takenOf(this.#contract, counted, this.#originals) };
    if (own.judgement.outcome !== 'violates' || !this.#showsSomeLost(entries)) return own;
    const lossy = this.#lossyJudge();
    if (lossy === null) return own;
    const other = lossy.#judged(lossy.#entriesOf(events, at.isOptional), events, at);
    return other.judgement.outcome === 'violates' ? own : other;
  }

  /** Of what may be lost a log shows some receipts: whether all that was sent was received, nothing says. */
  #showsSomeLost(entries: readonly (readonly EventEntry[])[]): boolean {
    return entries.some((own) =>
      own.some(({ options }) =>
        options.some((option) =>
          option.some((end) => isReceipt(end) && this.#contract.messages[messageOf(end)]?.receipt === 'free'),
        ),
      ),
    );
  }

  #lossyJudge(): InstanceJudge | null {
    if (this.#lossy !== undefined) return this.#lossy;
    const found = withUnreceived(this.#contract);
    this.#lossy =
      found === null
        ? null
        : new InstanceJudge(found.contract, this.#logs, this.#options, found.originals(this.#originals), found.copies);
    return this.#lossy;
  }

  #entriesOf(events: readonly LabelledEvent[], isOptional: (labelled: LabelledEvent) => boolean): EventEntry[][] {
    return this.#logs.map(({ lifelines, first, end }) => {
      const own = events.filter(({ index }) => first <= index && index < end);
      return entriesOf(this.#contract, lifelines, own, { isOptional, unreceived: this.#unreceived });
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
    {
      judge = this.#judge,
      bounds = this.#options.bounds ?? {},
    }: { readonly judge?: LogJudge; readonly bounds?: LogBounds } = {},
  ): LogsJudgement {
    const logs = entries.map((own, log) => this.#logOf(own, log));
    return judge.judge(logs, { mode: isCut ? 'cut' : 'whole', bounds });
  }

  /** What may be lost, and what its receiver's log never shows, is no gap in that log: whether it came, nothing says. */
  #logOf(entries: readonly EventEntry[], log: number): Log {
    const { sets } = this.#judge.interaction.terms;
    const shows = this.#shows[log] ?? 0;
    const unowed = this.#contract.messages.filter(({ receipt }) => receipt !== undefined);
    if (unowed.length === 0) return { shows, entries };
    const seen = new Set(entries.flatMap(({ options }) => options.flat()));
    const unseen = unowed.map(({ index }) => receiptOf(index)).filter((receipt) => !seen.has(receipt));
    return { shows: sets.without(shows, sets.of(unseen)), entries };
  }

  /** The first log that is impossible by itself, and where; else where no interleaving got further; else what is missing. */
  #blame(entries: readonly (readonly EventEntry[])[], furthest: readonly number[]): Blame {
    const stands = entries.map((own, log) => this.#judge.stand(this.#logOf(own, log), this.#options.bounds));
    for (const [log, own] of entries.entries()) {
      const stand = stands[log] ?? null;
      const entry = stand === null ? undefined : own[stand.position];
      if (stand === null || entry === undefined) continue;
      const told = blameEntry(this.#contract, own, stand);
      const text = `${told.text}: the log of ${this.#logs[log]?.name ?? ''} is wrong by itself`;
      return { violation: { ...told, text }, log };
    }
    const isCut = this.#options.cut === true;
    const cut = isCut ? null : this.#ask(entries, true);
    if (cut?.outcome === 'conforms') return this.#missing(entries, stands, WHOLE_IS_ASKED);
    // A log that lacks its end is told all the same; whether that is all is not known.
    if (cut?.outcome === 'inconclusive')
      return this.#missing(entries, stands, `whether that is all was not found (bound met: ${cut.bound})`);
    const reached = cut?.outcome === 'violates' ? cut.furthest : furthest;
    const stuck = entries.flatMap((own, log) => own[reached[log] ?? 0] ?? []);
    const [first] = stuck;
    if (first === undefined) return this.#missing(entries, stands, WHOLE_IS_ASKED);
    const total = entries.reduce((sum, own) => sum + own.length, 0);
    const explained = reached.reduce((sum, position) => sum + position, 0);
    const why = `no interleaving of the logs is a run of the drawing (the longest beginning found holds ${explained} of ${total} events)`;
    return { violation: this.#unexpected(first, why), log: null };
  }

  #unexpected(entry: EventEntry, why: string): Violation {
    const arrow = arrowOf(this.#contract, entry);
    const text = `${nameArrow(this.#contract.drawn, arrow)} is not possible here: ${why}`;
    return {
      kind: 'unexpected',
      arrow,
      event: quote(entry.labelled.sourced),
      mustFollow: null,
      expected: [],
      text,
    };
  }

  /** Everything there is can have happened, but not as all of the logs. */
  #missing(entries: readonly (readonly EventEntry[])[], stands: readonly (Stand | null)[], why: string): Blame {
    const lacking = stands.flatMap((stand, log) => {
      if (stand === null || stand.isWhole) return [];
      const owed = stand.next.filter((occurrence) => stand.owed.includes(occurrence));
      const [first] = this.#asDrawn(owed.length > 0 ? owed : stand.next);
      return first === undefined ? [] : [{ occurrence: first, log }];
    });
    const [first] = this.#asDrawn(lacking.map(({ occurrence }) => occurrence));
    const found =
      lacking.find(({ occurrence }) => occurrence === first) ?? this.#neverSeen(entries) ?? this.#halfSeen(entries);
    const arrow = found === null ? null : this.#arrowOf(found.occurrence);
    const what = found === null ? 'the logs are no whole run of the drawing' : this.#missingFrom(found);
    const text = `${what}: ${why}`;
    const expected = arrow === null ? [] : [arrow];
    return {
      violation: { kind: 'missing', arrow, event: null, mustFollow: null, expected, text },
      log: found?.log ?? null,
    };
  }

  /** What every run holds, and the log that could have shown it did not. */
  #neverSeen(entries: readonly (readonly EventEntry[])[]): Lacking | null {
    const { deriver, initial, terms } = this.#judge.interaction;
    const seen = new Set(entries.flat().flatMap(({ options }) => options.flat()));
    for (const occurrence of this.#asDrawn([...deriver.owed(initial)])) {
      const log = this.#shows.findIndex((shows) => terms.sets.has(shows, occurrence));
      if (log >= 0 && !seen.has(occurrence)) return { occurrence, log };
    }
    return null;
  }

  /** Of two logs that show the two ends of an arrow, the one that shows it less often; only where no event can be another arrow. */
  #halfSeen(entries: readonly (readonly EventEntry[])[]): Lacking | null {
    const { messages } = this.#contract;
    const counts = new Map<Occurrence, number>();
    const unsure = new Set<number | null>();
    for (const { options, isOptional } of entries.flat()) {
      const ends = options.flat();
      const arrows = new Set(ends.map((end) => this.#arrowOf(end)));
      if (arrows.size > 1 || isOptional === true) for (const arrow of arrows) unsure.add(arrow);
      // Which of the messages of one arrow it is, does not matter.
      for (const end of new Set(ends.map((own) => this.#endOfArrow(own)))) counts.set(end, (counts.get(end) ?? 0) + 1);
    }
    const logOf = (end: Occurrence): number =>
      this.#shows.findIndex((shows) => this.#judge.interaction.terms.sets.has(shows, end));
    const halves = messages.flatMap(({ index, receipt: isOwed, drawn }): Lacking[] => {
      const [send, receipt] = [sendOf(index), receiptOf(index)];
      const [sender, receiver] = [logOf(send), logOf(receipt)];
      if (isOwed !== undefined || unsure.has(drawn) || sender === receiver || sender < 0 || receiver < 0) return [];
      const [sent, received] = [send, receipt].map((end) => counts.get(this.#endOfArrow(end)) ?? 0);
      if (sent === received) return [];
      return [
        (sent ?? 0) > (received ?? 0) ? { occurrence: receipt, log: receiver } : { occurrence: send, log: sender },
      ];
    });
    const [first] = this.#asDrawn(halves.map(({ occurrence }) => occurrence));
    return halves.find(({ occurrence }) => occurrence === first) ?? null;
  }

  /** The same for all messages that one arrow stands for. */
  #endOfArrow(occurrence: Occurrence): number {
    return 2 * (this.#arrowOf(occurrence) ?? -1) + (isReceipt(occurrence) ? 1 : 0);
  }

  #missingFrom({ occurrence, log }: Lacking): string {
    const { terms } = this.#judge.interaction;
    const name = nameArrow(this.#contract.drawn, this.#arrowOf(occurrence));
    const { name: owner = '', source = null } = this.#logs[log] ?? {};
    const message = messageOf(occurrence);
    const shows = (end: Occurrence): boolean => terms.sets.has(this.#shows[log] ?? 0, end);
    const isOneEnd = !shows(sendOf(message)) || !shows(receiptOf(message));
    const end = isReceipt(occurrence) ? 'the receipt of ' : 'the sending of ';
    return `${isOneEnd ? end : ''}${name} is missing from the log of ${owner}${source === null ? '' : ` (${source})`}`;
  }

  #arrowOf(occurrence: Occurrence): number | null {
    return this.#contract.messages[messageOf(occurrence)]?.drawn ?? null;
  }

  /** What is drawn first comes first, a send before its receipt. */
  #asDrawn(occurrences: readonly Occurrence[]): readonly Occurrence[] {
    return [...occurrences].sort((a, b) => (this.#arrowOf(a) ?? -1) - (this.#arrowOf(b) ?? -1) || a - b);
  }
}

/** That others wait while one is open needs one clock. */
const NO_CRITICALS: ReadonlySet<number> = new Set();

const WHOLE_IS_ASKED = 'the logs are the beginning of a run, not a whole one (--cut allows that)';

const NOT_ALIGNED: Alignment = {
  kind: 'not-computed',
  reason: 'logs without a common clock have no one order in which events could be left out or added',
};

interface Judged {
  readonly judgement: LogsJudgement;
  /** By one run; the other may be by several. */
  readonly single: LogsJudgement;
  /** There is a second run, where the binding says that there is only one. */
  readonly isSecond: boolean;
  /** How often each drawn arrow happened. */
  readonly taken: InstanceVerdict['taken'];
}

/** What is wrong; and, where that is one log, which. */
interface Blame {
  readonly violation: Violation;
  readonly log: number | null;
}

/** The log lacks an end of a message. */
interface Lacking {
  readonly occurrence: Occurrence;
  readonly log: number;
}

/** Why the entry at which a log stands cannot come there, told as of one trace. */
function blameEntry(contract: Contract, own: readonly EventEntry[], stand: Stand): Violation {
  const { drawn, messages } = contract;
  const entry = own[stand.position];
  if (entry === undefined) throw new Error('A log that stands at its end has nothing wrong in it.');
  const arrowAt = (occurrence: Occurrence): number => messages[messageOf(occurrence)]?.drawn ?? -1;
  const arrowsOf = (occurrences: readonly Occurrence[]): readonly number[] =>
    [...new Set(occurrences.map(arrowAt))].sort((a, b) => a - b);
  const arrow = arrowOf(contract, entry);
  const ends = entry.options.flat();
  const violation = { arrow, event: quote(entry.labelled.sourced), mustFollow: null, expected: arrowsOf(stand.next) };
  const early = ends.filter((end) => stand.later.includes(end));
  const forced = arrowsOf(early.flatMap((end) => stand.nextBefore(end)));
  const befores = (forced.length > 0 ? forced : violation.expected).filter((other) => other !== arrow);
  // What came already (an iteration of a loop) is not what is lacking.
  const shown = new Set(own.flatMap(({ options }) => arrowsOf(options.flat())));
  const never = befores.filter((other) => !shown.has(other));
  const mustFollow = never[0] ?? befores[0] ?? null;
  const told = (kind: Violation['kind'], first: number | null, own = arrow): Violation => {
    const untold: Violation = { ...violation, kind, arrow: own, mustFollow: first, text: '' };
    return { ...untold, text: describeViolation(untold, drawn) };
  };
  if (early.length > 0 && mustFollow !== null)
    return never.length === 1 ? told('missing', arrow, mustFollow) : told('out-of-order', mustFollow);
  const isAgain = own.slice(0, stand.position).some(({ options }) => options.flat().some((end) => ends.includes(end)));
  return told(isAgain && early.length === 0 ? 'repeated' : 'unexpected', null);
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
  const isWrong = ({ labelled }: EventEntry): boolean => labelled.messages.length === 0;
  return entries.flatMap((own) =>
    own.filter(isWrong).map((entry): Violation => {
      const { sourced } = entry.labelled;
      const arrow = arrowOf(contract, entry);
      const message = entry.options[0]?.[0] === undefined ? -1 : messageOf(entry.options[0][0]);
      const violation = { arrow, event: quote(sourced), mustFollow: null, expected: [] };
      if (contract.messages[message]?.receipt === 'never')
        return { ...violation, kind: 'unexpected', text: receivedText(contract, message) };
      const status = sourced.event.status ?? 'unknown';
      const text = `${nameArrow(contract.drawn, arrow)} came with status ${status}, which is not what is drawn`;
      return { ...violation, kind: 'wrong-status', text };
    }),
  );
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
  blamed: number | null = null,
): InstanceVerdict['excerpt'] {
  const { event = null } = violation ?? {};
  const isBlamed = ({ labelled: { sourced } }: EventEntry): boolean =>
    sourced.line === event?.line && sourced.source === event.source;
  const lacking = entries.slice(blamed ?? entries.length, blamed === null ? undefined : blamed + 1);
  const log = entries.find((own) => own.some(isBlamed)) ?? [...lacking, ...entries].find((own) => own.length > 0) ?? [];
  const at = log.findIndex(isBlamed);
  const from = Math.max(0, (at < 0 ? log.length : at) - EXCERPT_EACH_SIDE);
  return log.slice(from, from + 2 * EXCERPT_EACH_SIDE + 1).map((entry) => ({
    event: quote(entry.labelled.sourced),
    arrow: arrowOf(contract, entry),
    violating: isBlamed(entry),
  }));
}

/** An instance with a key begins again only when it can take nothing more: which a drawing with endless loops never comes to. */
export const isOverAtItsEnd = ({ term }: Contract): boolean =>
  !nodesOf(term).some((node) => node.kind === 'concurrent' || (node.kind === 'loop' && node.max === null));
