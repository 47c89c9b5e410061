import type { Contract, Timing } from '../contract/index.ts';
import type { ViolationKind } from '../verdict/index.ts';
import { duration } from './describe.ts';
import type { LabelledEvent } from './labels.ts';
import { isReceipt, messageOf, receiptOf, sendOf, type Occurrence } from './occurrence.ts';
import type { WatchedLifetime } from './lifetimes.ts';
import type { OrderedPair, WatchedCritical, WatchPlan } from './watch-plan.ts';

/** An event of a run, and what it was taken for. */
export interface Seen {
  readonly labelled: LabelledEvent;
  readonly position: number;
  readonly message: number;
  /** Critical fragments that it opens. */
  readonly opens: readonly number[];
  /** The ends that this letter shows, send before receipt; and the end that nothing shows. */
  readonly occurrences: readonly Occurrence[];
  /** The end that nothing shows: a receipt may come at any time from now on, or never; a send came at any time before. */
  readonly hidden: 'send' | 'receipt' | null;
}

/** What was found wrong. Messages are contract messages; `text` where the kind alone does not say it. */
export interface Found {
  readonly kind: ViolationKind;
  readonly message: number;
  readonly mustFollow: number | null;
  readonly labelled: LabelledEvent | null;
  readonly text?: (arrow: string, other: string) => string;
}

/** A critical fragment as one run was in it: from its first event to its last. */
export interface Opening {
  readonly fragment: number;
  readonly first: Seen;
  readonly last: Seen;
}

/** What the bound on time comes to when a run is over. */
export interface Overdue {
  readonly found: readonly Found[];
  /** Why a bound cannot be judged: no times, or several clocks. */
  readonly unproven: string | null;
}

/** Whether a lifeline is there. */
type State = 'unborn' | 'alive' | 'destroyed';

/** The messages of which the rest of the trace shows the receipt, or the send, and nothing the other end. */
export interface Unseen {
  readonly isUnsent: (message: number) => boolean;
  readonly isUnreceived: (message: number) => boolean;
}

/** A lifeline that was not created yet, or is destroyed. */
interface NotThere {
  readonly created: readonly Occurrence[];
  readonly ends: readonly Occurrence[];
  readonly isUnborn: boolean;
}

/** Watches one run for what no order says: promised pairs, lifetimes, time, and when exclusive fragments are open. */
export class Watch {
  readonly #contract: Contract;
  readonly #plan: WatchPlan;
  readonly #counts = new Map<Occurrence, number>();
  readonly #sent = new Map<number, LabelledEvent[]>();
  readonly #states: State[];
  readonly #inside = new Map<number, { first: Seen; last: Seen }>();
  readonly openings: Opening[] = [];

  constructor(contract: Contract, plan: WatchPlan) {
    this.#contract = contract;
    this.#plan = plan;
    this.#states = plan.lifetimes.map(({ created }) => (created.size === 0 ? 'alive' : 'unborn'));
  }

  /** For another reading of what comes next. */
  copy(): Watch {
    const copy = new Watch(this.#contract, this.#plan);
    this.#states.forEach((state, index) => (copy.#states[index] = state));
    for (const [occurrence, count] of this.#counts) copy.#counts.set(occurrence, count);
    for (const [message, events] of this.#sent) copy.#sent.set(message, [...events]);
    for (const [fragment, open] of this.#inside) copy.#inside.set(fragment, { ...open });
    copy.openings.push(...this.openings);
    return copy;
  }

  /** Equal for two readings that forbid the same from now on. */
  get key(): string {
    const pairs = this.#plan.ordered.map(({ earlier, later }) => {
      const [send, receipt] = [this.#counts.get(sendOf(earlier)) ?? 0, this.#counts.get(receiptOf(earlier)) ?? 0];
      return `${send}-${receipt}-${this.#sent.get(later)?.length ?? 0}`;
    });
    return [...this.#states, ...pairs].join();
  }

  /** Would it find something wrong with this? Only what is forbidden already. */
  forbids({ message, occurrences, hidden }: Pick<Seen, 'message' | 'occurrences' | 'hidden'>): boolean {
    const isDead = (occurrence: Occurrence): boolean =>
      this.#plan.lifetimes.some((lifetime, index) =>
        this.#isDead(lifetime, this.#states[index], { message, hidden }, occurrence),
      );
    return this.isTooLate({ message, occurrences }) || occurrences.some(isDead);
  }

  /** Was it promised before something that came already? */
  isTooLate({ message, occurrences }: Pick<Seen, 'message' | 'occurrences'>): boolean {
    return this.#plan.ordered.some(
      (pair) =>
        pair.earlier === message && occurrences.some((occurrence) => this.#promised(pair, occurrence) !== undefined),
    );
  }

  observe(seen: Seen): readonly Found[] {
    for (const critical of this.#plan.criticals) this.#observeCritical(critical, seen);
    const found = seen.occurrences.flatMap((occurrence) => [
      ...this.#ordered(seen, occurrence),
      ...this.#alive(seen, occurrence),
    ]);
    if (!seen.occurrences.some((occurrence) => !isReceipt(occurrence))) return found;
    const sent = this.#sent.get(seen.message);
    if (sent === undefined) this.#sent.set(seen.message, [seen.labelled]);
    else sent.push(seen.labelled);
    return found;
  }

  /** An earlier message that comes although the later one was sent already. */
  #ordered(seen: Seen, occurrence: Occurrence): readonly Found[] {
    const ordinal = this.#counts.get(occurrence) ?? 0;
    this.#counts.set(occurrence, ordinal + 1);
    return this.#plan.ordered.flatMap((pair): Found[] => {
      const { earlier, later } = pair;
      if (earlier !== seen.message) return [];
      const tooEarly = this.#promisedAt(pair, ordinal);
      return tooEarly === undefined
        ? []
        : [{ kind: 'out-of-order', message: later, mustFollow: earlier, labelled: tooEarly }];
    });
  }

  /** What this end of the earlier message of a pair, if it came now, would come too late for. */
  #promised(pair: OrderedPair, occurrence: Occurrence): LabelledEvent | undefined {
    return this.#promisedAt(pair, this.#counts.get(occurrence) ?? 0);
  }

  #promisedAt({ later }: OrderedPair, ordinal: number): LabelledEvent | undefined {
    return this.#sent.get(later)?.[ordinal];
  }

  /** What was promised before this, if it did not come yet, comes no more: by pair, the ends of the earlier message. */
  missedBy({ message, occurrences }: Seen): readonly (OrderedPair & { readonly ends: readonly Occurrence[] })[] {
    if (!occurrences.some((occurrence) => !isReceipt(occurrence))) return [];
    const due = this.#sent.get(message)?.length ?? 0;
    return this.#plan.ordered.flatMap((pair) => {
      if (pair.later !== message) return [];
      const all = [sendOf(pair.earlier), receiptOf(pair.earlier)];
      const ends = all.filter((end) => (this.#counts.get(end) ?? 0) < due);
      return ends.length === 0 ? [] : [{ ...pair, ends }];
    });
  }

  #isOn({ lifeline, iteration }: WatchedLifetime, message: number, occurrence: Occurrence): boolean {
    if (iteration !== null && !iteration.all.has(message)) return false;
    const ends = this.#contract.messages[message];
    return (isReceipt(occurrence) ? ends?.to : ends?.from) === lifeline;
  }

  #isDead(
    lifetime: WatchedLifetime,
    state: State | undefined,
    { message, hidden }: Pick<Seen, 'message' | 'hidden'>,
    occurrence: Occurrence,
  ): boolean {
    if (!this.#isOn(lifetime, message, occurrence) || lifetime.created.has(message)) return false;
    // A receipt that nothing shows may come when the lifeline is there; a send that nothing shows came when it was.
    const isHidden = hidden === (isReceipt(occurrence) ? 'receipt' : 'send');
    if (isHidden && state === (isReceipt(occurrence) ? 'unborn' : 'destroyed')) return false;
    if (state === 'unborn') return true;
    return state === 'destroyed' && lifetime.iteration?.begins.has(message) !== true;
  }

  /**
   * Lifelines that are not there now: what would begin them, and all other ends on them; without those that may have happened
   * when it was there, since nothing shows them: sends, once it is gone, and receipts, before it is there.
   */
  notThere({ isUnsent, isUnreceived }: Unseen): readonly NotThere[] {
    return this.#plan.lifetimes.flatMap(({ lifeline, created, iteration }, index) => {
      if (iteration !== null || this.#states[index] === 'alive') return [];
      const all = this.#contract.messages.flatMap(({ index: message, from, to }) => [
        ...(from === lifeline ? [sendOf(message)] : []),
        ...(to === lifeline ? [receiptOf(message)] : []),
      ]);
      const begins = [...created].map(receiptOf);
      const isUnborn = this.#states[index] === 'unborn';
      const isGone = (end: Occurrence): boolean =>
        isUnborn ? !isReceipt(end) || !isUnreceived(messageOf(end)) : isReceipt(end) || !isUnsent(messageOf(end));
      return [{ created: begins, ends: all.filter((end) => !begins.includes(end) && isGone(end)), isUnborn }];
    });
  }

  /** What of this happens on a lifeline that is destroyed, if it is not the beginning of another iteration. */
  destroyed({ message, labelled, occurrences }: Seen): readonly Found[] {
    return this.#plan.lifetimes.flatMap((lifetime, index): Found[] => {
      const isOn = occurrences.some((occurrence) => this.#isOn(lifetime, message, occurrence));
      if (!isOn || this.#states[index] !== 'destroyed') return [];
      const [before = null] = lifetime.destroyed;
      return [{ kind: 'after-destruction', message, mustFollow: before, labelled }];
    });
  }

  #alive(seen: Seen, occurrence: Occurrence): readonly Found[] {
    const { message, labelled, hidden } = seen;
    return this.#plan.lifetimes.flatMap((lifetime, index): Found[] => {
      if (!this.#isOn(lifetime, message, occurrence)) return [];
      const { lifeline, created, destroyed } = lifetime;
      const state = this.#states[index];
      if (this.#isDead(lifetime, state, seen, occurrence)) {
        const [before] = state === 'unborn' ? created : destroyed;
        return [
          {
            kind: state === 'unborn' ? 'out-of-order' : 'after-destruction',
            message,
            mustFollow: before ?? null,
            labelled,
          },
        ];
      }
      const isHidden = hidden === (isReceipt(occurrence) ? 'receipt' : 'send');
      // A message to itself destroys with its receipt.
      const isLast = isReceipt(occurrence) ? !isHidden : this.#contract.messages[message]?.to !== lifeline;
      if (destroyed.has(message) && isLast) this.#states[index] = 'destroyed';
      else if (!isHidden || lifetime.created.has(message)) this.#states[index] = 'alive';
      return [];
    });
  }

  #observeCritical({ fragment, members }: WatchedCritical, seen: Seen): void {
    if (!members.has(seen.message)) return;
    const open = this.#inside.get(fragment);
    if (open === undefined || seen.opens.includes(fragment)) {
      this.#inside.set(fragment, { first: seen, last: seen });
      if (open !== undefined) this.openings.push({ fragment, first: open.first, last: open.last });
    } else open.last = seen;
  }

  /** Every time that a critical fragment was entered in this run. */
  allOpenings(): readonly Opening[] {
    const open = [...this.#inside].map(([fragment, { first, last }]) => ({ fragment, first, last }));
    return [...this.openings, ...open];
  }

  /** `latest`: the latest time that the trace shows, by clock. */
  overdue(latest: ReadonlyMap<string, number>): Overdue {
    const judged = this.#plan.timings.map((timing) => this.#overdue(timing, latest));
    return {
      found: judged.flatMap(({ found }) => found),
      unproven: judged.find(({ unproven }) => unproven !== null)?.unproven ?? null,
    };
  }

  #overdue(timing: Timing, latest: ReadonlyMap<string, number>): Overdue {
    const take = (messages: readonly number[]): LabelledEvent[] => {
      const events = [...new Set(messages)].flatMap((message) => this.#sent.get(message) ?? []);
      return events.sort((a, b) => a.index - b.index).slice(0, timing.perIteration ? undefined : 1);
    };
    const ends = take(timing.to);
    const found: Found[] = [];
    let unproven: string | null = null;
    for (const [ordinal, start] of take(timing.from).entries()) {
      const end = ends[ordinal];
      const judged = elapsed(start, end, latest);
      if (typeof judged === 'string') unproven ??= `within "${timing.text}": ${judged}`;
      else if (judged !== null && judged > timing.maxMs) found.push(tooLate(timing, end ?? null, judged));
    }
    return { found, unproven };
  }
}

/** Milliseconds from one event to the other, or as far as the trace goes; null: it does not go on. Text: why nobody knows. */
function elapsed(
  start: LabelledEvent,
  end: LabelledEvent | undefined,
  latest: ReadonlyMap<string, number>,
): number | string | null {
  const { time, domain = '' } = start.sourced.event;
  if (time === undefined) return 'the trace shows no time';
  if (end === undefined) return (latest.get(domain) ?? time) - time;
  const { time: until, domain: other = '' } = end.sourced.event;
  if (until === undefined) return 'the trace shows no time';
  return other === domain ? until - time : 'the two have different clocks';
}

function tooLate({ from, to, maxMs }: Timing, end: LabelledEvent | null, elapsedMs: number): Found {
  const allowed = duration(maxMs);
  const text =
    end === null
      ? (arrow: string, other: string) =>
          `${arrow} did not come within ${allowed} after ${other}: the trace goes on for ${duration(elapsedMs)}`
      : (arrow: string, other: string) => `${arrow} came ${duration(elapsedMs)} after ${other}, later than ${allowed}`;
  return { kind: 'too-late', message: to[0] ?? 0, mustFollow: from[0] ?? 0, labelled: end, text };
}
