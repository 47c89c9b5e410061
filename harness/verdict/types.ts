import type { Contract, DrawnArrow, Order } from '../contract/index.ts';
import type { Attribute } from '../trace/index.ts';

/** Plain JSON data; nothing in a report says more than this does. */
export type Outcome = 'conforms' | 'violates' | 'incomplete' | 'inconclusive' | 'vacuous';

export type ViolationKind =
  /** the event came although `mustFollow` had not happened yet */
  | 'out-of-order'
  /** `arrow` never happened */
  | 'missing'
  /** the arrow had happened already and may not happen again here */
  | 'repeated'
  /** the arrow is not possible any more (another branch was taken, the run was over) */
  | 'unexpected'
  /** right call, wrong status in its reply */
  | 'wrong-status'
  /** a message between drawn participants that no arrow allows (`closed: true`) */
  | 'not-drawn'
  /** a message between drawn participants that the document's topology does not connect */
  | 'no-such-connection'
  /** the event entered an operand whose bound guard is not true of it */
  | 'wrong-branch'
  /** the participant had been destroyed */
  | 'after-destruction'
  /** later after another arrow than the binding allows, or not yet although that time has passed; `mustFollow` is the other arrow */
  | 'too-late'
  /** a message that the binding forbids */
  | 'forbidden'
  /** the arrow never happened; `event` is like it, but comes from or goes to another drawn participant */
  | 'wrong-participant';

/** An event as a verdict quotes it. `source` and `line` say where it was read. */
export interface QuotedEvent {
  readonly seq: number;
  readonly source: string;
  readonly line: number;
  readonly from: string;
  readonly to: string;
  readonly kind: string;
  readonly label: string;
  readonly status?: number;
  readonly time?: number;
  readonly attributes?: Readonly<Record<string, Attribute>>;
}

/** Indexes are into `SpecVerdict.arrows`. */
export interface Violation {
  readonly kind: ViolationKind;
  /** The arrow that is wrong or missing; null where the event matches none. */
  readonly arrow: number | null;
  readonly event: QuotedEvent | null;
  /** For `out-of-order`: the arrow that had to come first. For `missing`: an arrow that came although this one had not. */
  readonly mustFollow: number | null;
  /** Every arrow that was possible at this point. */
  readonly expected: readonly number[];
  /** One sentence for people. */
  readonly text: string;
}

/** An event near the violation, and what it was taken for: an arrow, or null (no arrow of this instance). */
export interface Excerpt {
  readonly event: QuotedEvent;
  readonly arrow: number | null;
  readonly violating: boolean;
}

/**
 * One edit of a trace: the event is left out (`arrow`: what it looks like); the message of `arrow` is added, at the latest right
 * before the event `before` (null: behind the last one); or the event is taken although its status (`status`) or the guard of
 * its branch (`guard`) is wrong, or although it was `received` and must be lost.
 */
export type AlignmentEdit =
  | { readonly kind: 'skip' | 'status' | 'guard' | 'received'; readonly event: QuotedEvent; readonly arrow: number }
  | { readonly kind: 'missing'; readonly arrow: number; readonly before: QuotedEvent | null };

/**
 * The cheapest edits that make a failed run what the drawing allows, a whole message (send and receipt) being one edit: at most 20
 * of the `cost` are listed, in the order of the trace. Or the bound that was met in looking for them.
 */
export type Alignment =
  | { readonly kind: 'found'; readonly cost: number; readonly edits: readonly AlignmentEdit[] }
  | { readonly kind: 'not-computed'; readonly reason: string };

export interface InstanceVerdict {
  /** `{pod: "web-1"}`; empty for a contract without a key. */
  readonly key: Readonly<Record<string, string>>;
  /** 1-based: the same key may go through the drawing several times. */
  readonly run: number;
  readonly outcome: Outcome;
  /** Why, where the outcome alone does not say (`begun before the trace`, a bound that was met). */
  readonly reason?: string;
  /** Events taken by an arrow. */
  readonly events: number;
  readonly violations: readonly Violation[];
  /** Where it violates, and not only a rule of the binding; where it is incomplete, if that was asked: what is still to come. */
  readonly alignment?: Alignment;
  /** Arrows that are owed or possible next, where the instance is not finished. */
  readonly expected: readonly number[];
  /** The trace around the first violation, or around the end of an unfinished instance; empty when it conforms. */
  readonly excerpt: readonly Excerpt[];
  /** How often each arrow was taken, by arrow index; 0 entries left out. */
  readonly taken: Readonly<Record<number, number>>;
}

export interface ArrowVerdict extends DrawnArrow {
  /** Events taken for it, and instances in which that happened at least once. */
  readonly events: number;
  readonly instances: number;
  /** Violations whose `arrow` it is. */
  readonly violations: number;
  /** `unseen`: no event anywhere. The last three come from the binding. */
  readonly status: 'conforms' | 'violates' | 'unseen' | 'absent' | 'unobservable' | 'standing';
  /** Reason given by the binding (absent, unobservable, erratum, standing), else absent. */
  readonly reason?: string;
  readonly erratum: boolean;
  /** Milliseconds from send to receipt where the trace shows both times: half of the events were at most `p50`. */
  readonly latencyMs?: { readonly p50: number; readonly p95: number; readonly max: number };
}

/** Traffic between drawn participants that no arrow takes: which, and how many events. */
export interface UnmatchedTraffic {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly events: number;
}

/**
 * What the trace showed of the drawing, over all instances: its arrows, the operands of its fragments, and for each loop
 * whether it went round never, once, several times. What the binding says cannot be seen is left out.
 */
export interface Coverage {
  /** Arrows, operands and numbers of iterations: all that were seen, of all that could be. */
  readonly seen: number;
  readonly possible: number;
  /** Rounded down, so that 100 means all; 0 where nothing could be seen. */
  readonly percent: number;
  /** Of these, the arrows. */
  readonly arrows: { readonly seen: number; readonly possible: number };
  /** Fragments in drawn order, without those that choose nothing (`rect`, `group`, `ref`). */
  readonly fragments: readonly FragmentCoverage[];
}

export interface FragmentCoverage {
  /** Index into `Diagram.fragments`. */
  readonly fragment: number;
  readonly kind: 'alt' | 'opt' | 'loop' | 'par' | 'critical' | 'break';
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The text of its first operand. */
  readonly text: string;
  readonly choices: readonly ChoiceCoverage[];
}

/**
 * One way through a fragment: an operand; `none`: it was passed by without any; or how often a loop went round each time that
 * it was come to. `instances`: in how many that was seen. `left-out`: the trace cannot show it.
 */
export interface ChoiceCoverage {
  readonly kind: 'operand' | 'none' | 'zero' | 'one' | 'many';
  /** For an operand: its position, its text, its line. */
  readonly operand?: number;
  readonly text?: string;
  readonly line?: number;
  readonly instances: number;
  readonly status: 'seen' | 'unseen' | 'left-out';
}

export interface SpecVerdict {
  readonly v: 1;
  readonly spec: Contract['spec'];
  readonly binding: string | null;
  readonly order: Order;
  readonly outcome: Outcome;
  readonly reason?: string;
  readonly arrows: readonly ArrowVerdict[];
  readonly coverage: Coverage;
  readonly instances: readonly InstanceVerdict[];
  /** Runs that conform and are not listed, since there are so many. */
  readonly unlisted?: number;
  /** Only in reports that list no more instances than a reader can use: how many of each outcome are left out. */
  readonly omitted?: Readonly<Partial<Record<Outcome, number>>>;
  readonly key: readonly string[];
  readonly counts: {
    /** Events read, events taken by an arrow of this spec, events that no arrow of this spec allows or mentions. */
    readonly events: number;
    readonly taken: number;
    readonly outside: number;
  };
  /** Traffic between drawn participants that matched no arrow, most frequent first, at most 20 rows. */
  readonly unmatched: readonly UnmatchedTraffic[];
  /** Messages for people about the contract itself: stale binding entries, arrows never bound, matches without a key. */
  readonly remarks: readonly string[];
}

export interface RunVerdict {
  readonly v: 1;
  readonly outcome: Outcome;
  readonly exitCode: 0 | 1 | 3 | 4;
  readonly specs: readonly SpecVerdict[];
  /** The coverage that was asked for, in percent, and what all specs reached together; less makes a green run red. */
  readonly minCoverage?: { readonly percent: number; readonly reached: number };
  /** A line to paste that repeats this run. */
  readonly replay?: string;
}
