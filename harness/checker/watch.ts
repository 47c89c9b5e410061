import type { Contract, Timing } from '../contract/index.ts';
import type { ViolationKind } from '../verdict/index.ts';
import { duration } from './describe.ts';
import type { LabelledEvent } from './labels.ts';
import { isReceipt, type Occurrence } from './occurrence.ts';
import type { WatchedCritical, WatchPlan } from './watch-plan.ts';

/** An event of a run, and what it was taken for. */
export interface Seen {
  readonly labelled: LabelledEvent;
  readonly position: number;
  readonly message: number;
  /** Critical fragments that it opens. */
  readonly opens: readonly number[];
  /** The ends that this letter shows, send before receipt. */
  readonly occurrences: readonly Occurrence[];
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

/** Watches one run for what no order says: promised pairs, lifetimes, time, and critical fragments beside others. */
export class Watch {
  readonly #contract: Contract;
  readonly #plan: WatchPlan;
  readonly #counts = new Map<Occurrence, number>();
  readonly #sent = new Map<number, LabelledEvent[]>();
  readonly #states: ('unborn' | 'alive' | 'destroyed')[];
  readonly #inside = new Map<number, { first: Seen; last: Seen; intruders: Seen[] }>();
  readonly openings: Opening[] = [];

  constructor(contract: Contract, plan: WatchPlan) {
    this.#contract = contract;
    this.#plan = plan;
    this.#states = plan.lifetimes.map(({ created }) => (created === null ? 'alive' : 'unborn'));
  }

  observe(seen: Seen): readonly Found[] {
    const found = [
      ...this.#plan.criticals.flatMap((critical) => this.#observeCritical(critical, seen)),
      ...seen.occurrences.flatMap((occurrence) => [
        ...this.#ordered(seen, occurrence),
        ...this.#alive(seen, occurrence),
      ]),
    ];
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
    return this.#plan.ordered.flatMap(({ earlier, later, perIteration }): Found[] => {
      if (earlier !== seen.message) return [];
      const tooEarly = this.#sent.get(later)?.[perIteration ? ordinal : 0];
      return tooEarly === undefined
        ? []
        : [{ kind: 'out-of-order', message: later, mustFollow: earlier, labelled: tooEarly }];
    });
  }

  #alive(seen: Seen, occurrence: Occurrence): readonly Found[] {
    const message = this.#contract.messages[seen.message];
    const lifeline = isReceipt(occurrence) ? message?.to : message?.from;
    return this.#plan.lifetimes.flatMap((lifetime, index): Found[] => {
      if (lifetime.lifeline !== lifeline) return [];
      const { created, destroyed, loopsBefore } = lifetime;
      const { message: at, labelled } = seen;
      const state = this.#states[index];
      if (at === created) this.#states[index] = 'alive';
      else if (state === 'destroyed' && loopsBefore.has(at)) this.#states[index] = 'alive';
      else if (state === 'destroyed')
        return [{ kind: 'after-destruction', message: at, mustFollow: destroyed, labelled }];
      else if (state === 'unborn' && created !== null)
        return [{ kind: 'out-of-order', message: at, mustFollow: created, labelled }];
      if (at === destroyed) this.#states[index] = 'destroyed';
      return [];
    });
  }

  /** What came between two events of an open fragment, and had to wait. */
  #observeCritical({ fragment, members, siblings }: WatchedCritical, seen: Seen): readonly Found[] {
    const open = this.#inside.get(fragment);
    if (!members.has(seen.message)) {
      if (siblings.has(seen.message)) open?.intruders.push(seen);
      return [];
    }
    if (open === undefined || seen.opens.includes(fragment)) {
      this.#inside.set(fragment, { first: seen, last: seen, intruders: [] });
      if (open !== undefined) this.openings.push({ fragment, first: open.first, last: open.last });
      return [];
    }
    const { intruders } = open;
    open.last = seen;
    open.intruders = [];
    return intruders.map(({ message, labelled }) => {
      return { kind: 'out-of-order', message, mustFollow: seen.message, labelled };
    });
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
