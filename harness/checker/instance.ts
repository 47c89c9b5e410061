import type { Contract } from '../contract/index.ts';
import type { SourcedEvent } from '../trace/index.ts';
import type { Excerpt, InstanceVerdict, Outcome, Violation } from '../verdict/index.ts';
import type { FailedRuns } from './align.ts';
import { answeredText, describeViolation, iterationsText, misdirectedText, nameArrow } from './describe.ts';
import { excerptAround } from './excerpt.ts';
import type { InstanceOpening } from './exclusive.ts';
import type { LabelledEvent } from './labels.ts';
import type { Misdirected } from './misdirected.ts';
import { openOrder, undecided, type TraceOrder } from './partial-order.ts';
import { positionsOf, withTagsInAnyOrder } from './partial-order-letters.ts';
import { quote } from './quote.ts';
import { Recovery } from './recovery.ts';
import { candidatesOf, Run, unique, type End, type Letter, type Machine } from './run.ts';
import type { SharedRuns } from './shared-runs.ts';
import type { Slice } from './slices.ts';
import { TAGS_MAX, withTags } from './tags.ts';
import { BoundMet } from './terms.ts';
import { withUnsent, withUnsentInAnyOrder } from './unsent.ts';

/** What is true of the whole trace, whatever the instance. */
export interface TraceFacts {
  /** The trace declares its beginning. */
  readonly begun: boolean;
  /** Nothing more will come: what is missing is missing. */
  readonly complete: boolean;
  /** What is proven of the order of several domains; null: one domain orders all, and positions are its. */
  readonly order: TraceOrder | null;
  /** Positions of the events that show a standing message, by contract message. */
  readonly standing: ReadonlyMap<number, readonly number[]>;
  /** The latest time that the trace shows, by clock; for bounds on time. */
  readonly latest?: ReadonlyMap<string, number>;
  /** Events that differ from a drawn message in a participant; asked for only where a message is missing. */
  readonly misdirected?: () => readonly Misdirected[];
  /** How many runs of this instance may be told, and how many of all. */
  readonly runs?: { readonly left: number; readonly max: number };
  /** Where critical fragments are told that exclude each other over all instances. */
  readonly openings?: InstanceOpening[];
  /** Where runs that failed are told, to be aligned with the drawing. */
  readonly failed?: FailedRuns;
  /** Where runs are told that are not over, and in which nothing is wrong, to find what is still to come. */
  readonly unfinished?: FailedRuns;
  /** Where runs are told that only events of several instances began; without it, each is a run. */
  readonly shared?: SharedRuns;
  /** Where events are told that an instance took or blamed, by index. */
  readonly accounted?: Set<number>;
}

const NO_TIMES: ReadonlyMap<string, number> = new Map();

/** Violations told per run: the first is normative, the rest is diagnosis. */
export const VIOLATIONS_MAX = 50;

/** Runs told of one contract, of all its instances together: a trace without end would else fill the memory with verdicts. */
export const RUNS_MAX = 100_000;

/** Judges one instance; several verdicts when it goes through the drawing several times. */
export function judgeInstance(machine: Machine, slice: Slice, facts: TraceFacts): InstanceVerdict[] {
  const verdicts = judgeWithinBounds(machine, slice, facts);
  // What was not looked at to its end was not left to others.
  if (verdicts.some(isCut)) for (const { index } of slice.events) facts.accounted?.add(index);
  return verdicts;
}

function judgeWithinBounds(machine: Machine, slice: Slice, facts: TraceFacts): InstanceVerdict[] {
  let judge: InstanceJudge | null = null;
  try {
    judge = new InstanceJudge(machine, slice, facts);
    return facts.order === null ? judge.judge() : judge.judgeInOrder(facts.order);
  } catch (error) {
    if (!(error instanceof BoundMet)) throw error;
    const reason = `bound met: ${error.bound}`;
    return judge === null ? [unjudged(slice, reason)] : judge.stopped(reason);
  }
}

const isCut = ({ reason, violations }: InstanceVerdict): boolean =>
  reason !== undefined || violations.length >= VIOLATIONS_MAX;

/** An instance of which nothing is known but its events. */
export const unjudged = ({ key, events }: Slice, reason: string): InstanceVerdict => ({
  key: Object.fromEntries(key),
  run: 1,
  outcome: 'inconclusive',
  reason,
  events: 0,
  violations: [],
  expected: [],
  excerpt: excerptAround(events, null, () => null),
  taken: {},
});

class InstanceJudge {
  readonly #machine: Machine;
  readonly #slice: Slice;
  readonly #facts: TraceFacts;
  readonly #verdicts: InstanceVerdict[] = [];
  readonly #letters: readonly Letter[];
  readonly #recovery: Recovery;
  readonly #blamed = new Set<SourcedEvent>();
  #run: Run;
  /** Of the present run, its events that do not show the whole key; and whether another one does. */
  readonly #unkeyed = new Set<number>();
  #isOwn = false;
  /** Where the binding says that an instance has only one run: letters without the whole key that would begin another one. */
  readonly #further: Letter[] = [];
  /** Of the present run, its letters: from one place to another. */
  #from = 0;
  #to = 0;

  constructor(machine: Machine, slice: Slice, facts: TraceFacts, letters = taggedLetters(machine, slice, facts.order)) {
    this.#machine = machine;
    this.#slice = slice;
    this.#facts = facts;
    this.#letters = letters;
    this.#recovery = new Recovery(machine, this.#letters, facts.complete);
    this.#run = new Run(machine, this.#recovery, facts);
  }

  judge(): InstanceVerdict[] {
    for (const letter of this.#letters) {
      if (letter.tag > TAGS_MAX) throw new BoundMet(`${TAGS_MAX} events that look alike, on their way at once`);
      if (this.#beginsAgain(letter)) {
        if (this.#isOnce) this.#noteFurther(letter);
        else this.#finish(false);
      }
      this.#countRuns();
      this.#to++;
      if (this.#isOneTooMany(letter)) {
        this.#run.refuse(letter);
        for (const { index } of this.#slice.events) this.#facts.accounted?.add(index);
        break;
      }
      const hasWholeKey = this.#hasWholeKey(letter.labelled);
      // It is past them, whoever they belong to.
      if (this.#isOver && !hasWholeKey) {
        if (this.#run.couldBegin(letter)) this.#noteFurther(letter);
        continue;
      }
      const taken = this.#run.take(letter, hasWholeKey);
      if (!hasWholeKey) this.#unkeyed.add(letter.labelled.index);
      else if (taken.kind !== 'ignored') this.#isOwn = true;
      if (taken.kind === 'not-a-beginning') return [...this.#verdicts, this.inconclusive('begun before the trace')];
      if (this.#run.violations.length >= VIOLATIONS_MAX) break;
      // An event with two positions ends the instance at the later one.
      if (letter.labelled.rules?.ends === true && letter.end !== 'send' && !this.#run.isFresh) this.#finish(true);
    }
    if (!this.#run.isFresh || this.#verdicts.length === 0) this.#finish(false);
    for (const letter of this.#further) this.#refuseFurther(letter);
    return this.#verdicts;
  }

  /** What was found before a bound was met stands. */
  stopped(reason: string): InstanceVerdict[] {
    this.#run.settle();
    const violations = this.#run.isFresh ? [] : this.#settled(this.#run, false);
    const last =
      violations.length === 0
        ? this.inconclusive(reason)
        : this.#verdict('violates', { reason, violations, excerpt: this.#excerpt(violations[0] ?? null) });
    return [...this.#verdicts, last];
  }

  /** The same in every order that the trace allows, or undecided. */
  judgeInOrder(order: TraceOrder): InstanceVerdict[] {
    const [machine, slice, { begun, complete, standing, latest }] = [this.#machine, this.#slice, this.#facts];
    const facts = { begun, complete, standing, order, ...(latest === undefined ? {} : { latest }) };
    const instance = {
      ...{ machine, slice, begun, complete, standing, order, letters: this.#letters, isKeyed: slice.key.size > 0 },
      hasWholeKey: (labelled: LabelledEvent) => this.#hasWholeKey(labelled),
      judge: (letters: readonly Letter[]) => new InstanceJudge(machine, slice, facts, letters).judge(),
    };
    const open = openOrder(instance);
    return open === null ? this.judge() : [undecided(instance, open)];
  }

  inconclusive(reason: string): InstanceVerdict {
    return this.#verdict('inconclusive', { reason, excerpt: this.#excerpt(null) });
  }

  #countRuns(): void {
    const { left, max } = this.#facts.runs ?? { left: RUNS_MAX, max: RUNS_MAX };
    if (this.#run.isFresh && this.#verdicts.length >= left) throw new BoundMet(`${max} runs`);
  }

  /** An accepting run that sees a first message which it cannot take itself is finished, and a new one begins. */
  #beginsAgain(letter: Letter): boolean {
    const run = this.#run;
    return !run.isFresh && run.accepts && !run.couldTake(letter) && run.couldBegin(letter) && this.#isOverFor(letter);
  }

  /**
   * Without a key, an accepting run that sees a first message is over, if that does not stand in a loop that goes round for
   * ever. With one, only a run that can take nothing more: a loop may still go round, and its next iteration must not be
   * mistaken for a new run.
   */
  #isOverFor(letter: Letter): boolean {
    return this.#run.isOver || (this.#slice.key.size === 0 && this.#run.couldBeginAnew(letter));
  }

  /** One that shows the whole key is told by the run, as what happens again. */
  #noteFurther(letter: Letter): void {
    if (this.#further.length < VIOLATIONS_MAX && !this.#hasWholeKey(letter.labelled)) this.#further.push(letter);
  }

  /** It would have begun a further run of an instance that has only one, unless it was meant for another instance. */
  #refuseFurther(letter: Letter): void {
    this.#countRuns();
    this.#run.refuse(letter);
    this.#facts.accounted?.add(letter.labelled.index);
    const violations = this.#settled(this.#run, false);
    const verdict = this.#verdict('violates', { violations, excerpt: this.#excerpt(violations[0] ?? null) });
    const failed = {
      contract: this.#machine.contract,
      letters: [letter],
      isWhole: true,
      isRight: false,
      isRefused: true,
    };
    const tell = (): void => this.#facts.failed?.add(verdict, () => failed);
    this.#verdicts.push(verdict);
    if (this.#facts.shared === undefined) tell();
    else this.#facts.shared.noteBorrowed({ verdict, events: [letter.labelled.index], tell });
    this.#run = new Run(this.#machine, this.#recovery, this.#facts);
  }

  get #isOnce(): boolean {
    return this.#machine.contract.runs === 'once';
  }

  /** The instance was ended, and has only one run. */
  #isOneTooMany(letter: Letter): boolean {
    return this.#isOver && candidatesOf(letter).length > 0 && this.#hasWholeKey(letter.labelled);
  }

  get #isOver(): boolean {
    return this.#isOnce && this.#verdicts.length > 0 && this.#run.isFresh;
  }

  #hasWholeKey(labelled: LabelledEvent): boolean {
    return [...this.#slice.key.keys()].every((name) => labelled.values.has(name));
  }

  /** `isEnded`: by an event that ends it, so that what is missing is missing for good. */
  #finish(isEnded: boolean): void {
    const run = this.#run;
    run.settle();
    const overdue = run.watch?.overdue(this.#facts.latest ?? NO_TIMES);
    for (const found of overdue?.found ?? []) run.tell(found);
    const violations = this.#settled(run, this.#facts.complete || isEnded);
    const unproven = overdue?.unproven ?? null;
    if (violations.length > 0)
      this.#verdicts.push(this.#verdict('violates', { violations, excerpt: this.#excerpt(violations[0] ?? null) }));
    else if (run.accepts && unproven !== null) this.#verdicts.push(this.inconclusive(unproven));
    else if (run.accepts) this.#verdicts.push(this.#verdict('conforms', {}));
    else
      this.#verdicts.push(
        this.#verdict('incomplete', { expected: this.#arrows(run.owedNext().messages), excerpt: this.#excerpt(null) }),
      );
    const verdict = this.#verdicts.at(-1);
    if (verdict !== undefined) this.#noteShared(verdict, this.#failedRun(verdict, this.#facts.complete || isEnded));
    this.#from = this.#to;
    this.#unkeyed.clear();
    this.#isOwn = false;
    if (verdict !== undefined)
      for (const opening of run.watch?.allOpenings() ?? []) this.#facts.openings?.push({ ...opening, verdict });
    this.#run = new Run(this.#machine, this.#recovery, this.#facts);
  }

  /** A further run may be none of this instance: then whether it failed is told when all instances are judged. */
  #noteShared(verdict: InstanceVerdict, tell: () => void): void {
    const { shared } = this.#facts;
    const events = [...this.#run.assigned.keys()].filter((index) => this.#unkeyed.has(index));
    const isFurther = this.#verdicts.length > 1 && events.length > 0 && !this.#isOwn;
    if (isFurther && !this.#run.accepts && this.#run.violations.length === 0 && shared !== undefined)
      shared.noteBorrowed({ verdict, events, tell });
    else {
      shared?.noteTaken(events);
      tell();
    }
  }

  /** One that is followed by another run is over; after one that was refused nothing is looked at. */
  #failedRun(verdict: InstanceVerdict, isComplete: boolean): () => void {
    const { outcome } = verdict;
    const { failed, unfinished } = this.#facts;
    const { violations, isRefused, assigned } = this.#run;
    const runs = outcome === 'violates' ? failed : outcome === 'incomplete' ? unfinished : undefined;
    const isCut = isRefused || violations.length >= VIOLATIONS_MAX;
    const [from, end] = [this.#from, isCut ? this.#letters.length : this.#to];
    const isRight = outcome === 'incomplete';
    // A reply to the call of another instance is no edit.
    const isOwn = ({ answers = [], index }: LabelledEvent): boolean => answers.length < 2 || assigned.has(index);
    return () =>
      runs?.add(verdict, () => ({
        contract: this.#machine.contract,
        letters: this.#letters.slice(from, end).filter(({ labelled }) => isOwn(labelled)),
        isWhole: isComplete || isRight || end < this.#letters.length,
        isRight,
        isRefused,
      }));
  }

  /** The violations of a run that is over: what came too early and then never came is missing; what is owed still is missing. */
  #settled(run: Run, isComplete: boolean): Violation[] {
    const owed = new Set(this.#arrows(run.owed()));
    const { drawn } = this.#machine.contract;
    const seen = new Set(this.#arrows([...run.taken.keys()]));
    const told = run.violations.map((violation) =>
      isComplete && isOfTwoArrows(violation) && neverCame(violation.mustFollow, owed, seen)
        ? asMissing(violation)
        : violation,
    );
    const blamed = new Set(told.map((violation) => (tellsAbsence(violation) ? violation.arrow : violation.mustFollow)));
    const isOwed = isComplete && !run.accepts && !run.isRefused && (run.isTouched || run.violations.length === 0);
    const standing = this.#missingStanding(run);
    return [
      ...standing,
      ...told.map((violation) => ({ ...violation, text: describeViolation(violation, drawn) })),
      ...(isOwed ? this.#owedAtEnd(run, blamed) : []),
    ].map((violation) => this.#misdirected(violation));
  }

  /** A message that never happened, though one like it did, between others: that is more worth saying. */
  #misdirected(violation: Violation): Violation {
    const { messages, drawn } = this.#machine.contract;
    if (violation.kind !== 'missing' || violation.arrow === null) return violation;
    const found = this.#facts.misdirected?.().find(({ message, calls, values, sourced }) => {
      const isOther = [...this.#slice.key].some(([name, value]) => (values.get(name) ?? value) !== value);
      if (messages[message]?.drawn !== violation.arrow || isOther || this.#blamed.has(sourced)) return false;
      if (calls === null) return true;
      // A reply that names neither its call nor its instance is nobody's.
      const isOwn =
        sourced.event.replyTo !== undefined || [...this.#slice.key.keys()].every((name) => values.has(name));
      return isOwn && this.#callAnswered(calls, sourced) !== undefined;
    });
    if (found === undefined) return violation;
    this.#blamed.add(found.sourced);
    const call = found.calls === null ? undefined : this.#callAnswered(found.calls, found.sourced);
    if (call !== undefined) {
      const [asked, answer] = [messages[call]?.drawn ?? null, violation.arrow].map((arrow) => nameArrow(drawn, arrow));
      const told = answeredText(asked ?? '', answer ?? '', found.sourced);
      return { ...violation, kind: 'wrong-status', event: quote(found.sourced), mustFollow: null, text: told };
    }
    const text = misdirectedText(nameArrow(drawn, violation.arrow), drawn[violation.arrow], found.sourced);
    if (found.sourced.event.kind === 'lost') return { ...violation, event: quote(found.sourced), text };
    return { ...violation, kind: 'wrong-participant', event: quote(found.sourced), text };
  }

  /** Which of these calls of this instance the reply answers. */
  #callAnswered(calls: readonly number[], { event: { replyTo, seq } }: SourcedEvent): number | undefined {
    const asked = this.#slice.events.find(({ messages, sourced: { event } }) => {
      if (!messages.some((message) => calls.includes(message))) return false;
      return replyTo === undefined ? event.seq < seq : event.id === replyTo;
    });
    return asked?.messages.find((message) => calls.includes(message));
  }

  /** What is owed and nothing stands before: one violation each; where branches differ, one for all of them. */
  #owedAtEnd(run: Run, blamed: ReadonlySet<number | null>): Violation[] {
    const { contract } = this.#machine;
    const { drawn } = contract;
    const countOf = (arrow: number): number =>
      [...run.taken].reduce((sum, [one, count]) => sum + (contract.messages[one]?.drawn === arrow ? count : 0), 0);
    const { kind, messages } = run.owedNext();
    const next = this.#arrows(messages).filter((arrow) => !blamed.has(arrow));
    const waiting = this.#arrows(run.owed()).filter((arrow) => !next.includes(arrow) && !blamed.has(arrow)).length;
    return (kind === 'one' ? next.slice(0, 1) : next).map((arrow, index) => {
      const expected = kind === 'one' ? next : [arrow];
      const violation: Violation = { kind: 'missing', arrow, event: null, mustFollow: null, expected, text: '' };
      const round = expected.length === 1 ? iterationsText(contract, arrow, countOf(arrow)) : null;
      return { ...violation, text: round ?? describeViolation(violation, drawn, index === 0 ? waiting : 0) };
    });
  }

  /** A standing message must have been shown before the message that relies on it. */
  #missingStanding(run: Run): Violation[] {
    const { contract } = this.#machine;
    return contract.standing.flatMap(({ message, before }) => {
      const relied = before === null ? null : run.firstTaken(before);
      if (relied === undefined) return [];
      const shown = this.#facts.standing.get(message) ?? [];
      if (shown.some((position) => relied === null || position < relied)) return [];
      const arrow = contract.messages[message]?.drawn ?? null;
      const mustFollow = before === null ? null : (contract.messages[before]?.drawn ?? null);
      const violation: Violation = {
        kind: 'missing',
        arrow,
        event: null,
        mustFollow,
        expected: arrow === null ? [] : [arrow],
        text: '',
      };
      return [{ ...violation, text: describeViolation(violation, contract.drawn) }];
    });
  }

  #verdict(outcome: Outcome, more: Partial<InstanceVerdict>): InstanceVerdict {
    const { originals, contract } = this.#machine;
    for (const index of [...this.#run.assigned.keys(), ...this.#run.leftOut]) this.#facts.accounted?.add(index);
    const counts = new Map<number, number>();
    for (const [message, count] of this.#run.taken) {
      const original = originals?.get(message) ?? message;
      counts.set(original, (counts.get(original) ?? 0) + count);
    }
    const taken: Record<number, number> = {};
    for (const [message, count] of counts) {
      const arrow = contract.messages[message]?.drawn ?? -1;
      // The parts of a folded arrow are one arrow: it happened as often as its most frequent part.
      taken[arrow] = Math.max(taken[arrow] ?? 0, count);
    }
    return {
      key: Object.fromEntries(this.#slice.key),
      run: this.#verdicts.length + 1,
      outcome,
      events: this.#run.assigned.size,
      violations: [],
      expected: [],
      excerpt: [],
      taken,
      ...more,
    };
  }

  #excerpt(violation: Violation | null): Excerpt[] {
    return excerptAround(this.#slice.events, violation?.event ?? null, ({ index }) => {
      const message = this.#run.assigned.get(index);
      return message === undefined ? null : (this.#machine.contract.messages[message]?.drawn ?? null);
    });
  }

  #arrows(messages: readonly number[]): number[] {
    return unique(messages.map((message) => this.#machine.contract.messages[message]?.drawn ?? -1)).sort(
      (a, b) => a - b,
    );
  }
}

/** What such a violation says is not said again as missing. */
const tellsAbsence = ({ kind, event }: Violation): boolean =>
  kind === 'missing' || (kind === 'too-late' && event === null);

const isOfTwoArrows = ({ kind, arrow, mustFollow }: Violation): boolean =>
  kind === 'out-of-order' && arrow !== mustFollow;

const neverCame = (arrow: number | null, owed: ReadonlySet<number>, seen: ReadonlySet<number>): boolean =>
  arrow !== null && (owed.has(arrow) || !seen.has(arrow));

const asMissing = (violation: Violation): Violation => ({
  ...violation,
  kind: 'missing',
  arrow: violation.mustFollow,
  mustFollow: violation.arrow,
});

/** The ends of the slice's events, in the order in which they happened. */
export function lettersOf(events: readonly LabelledEvent[], order: TraceOrder | null, contract: Contract): Letter[] {
  const letters = events.flatMap((labelled): Letter[] => {
    const { position, received } = positionsOf(labelled, order?.proven ?? null);
    if (received !== undefined) {
      const drawn = drawnEnd(labelled, contract);
      if (drawn !== 'both')
        return [{ labelled, end: 'both', position: drawn === 'send' ? position : received, tag: 0 }];
      return [
        { labelled, end: 'send', position, tag: 0 },
        { labelled, end: 'receive', position: received, tag: 0 },
      ];
    }
    return [{ labelled, end: singleEnd(labelled), position, tag: 0 }];
  });
  return letters.sort((a, b) => a.position - b.position);
}

function taggedLetters(machine: Machine, { events }: Slice, order: TraceOrder | null): readonly Letter[] {
  const letters = lettersOf(events, order, machine.contract);
  if (order === null) return withUnsent(withTags(letters, machine.lookAlikes), machine);
  return withUnsentInAnyOrder(withTagsInAnyOrder(letters, machine.lookAlikes, order.proven), machine, order.proven);
}

/**
 * The end that is drawn of a message that was found or lost. Its other end is on no lifeline, so nothing waits for it, and
 * it happens with the drawn one: fifty found messages under way would else be fifty choices made before they matter.
 */
function drawnEnd(labelled: LabelledEvent, { order, messages }: Contract): 'send' | 'receive' | 'both' {
  if (order === 'strict') return 'both';
  const ends = unique(
    [...labelled.messages, ...labelled.wrongStatus].map((candidate) => {
      const message = messages[candidate];
      if (message?.from === null) return 'receive';
      return message?.to === null ? 'send' : 'both';
    }),
  );
  return ends.length === 1 ? (ends[0] ?? 'both') : 'both';
}

function singleEnd({ sourced: { event } }: LabelledEvent): End {
  // What is lost has no receipt that anything could wait for.
  if (event.point === 'send' || event.kind === 'lost') return 'only-send';
  return event.point === 'receive' ? 'only-receive' : 'both';
}
