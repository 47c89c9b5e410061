import type { Excerpt, InstanceVerdict, Outcome, Violation } from '../verdict/index.ts';
import { describeViolation } from './describe.ts';
import type { LabelledEvent } from './labels.ts';
import { quote } from './quote.ts';
import type { Occurrence } from './relation.ts';
import {
  candidatesOf,
  occurrencesOf,
  Run,
  unique,
  type End,
  type Letter,
  type Machine,
  type Occasions,
} from './run.ts';
import type { Slice } from './slices.ts';
import { BoundMet } from './terms.ts';

/** What is true of the whole trace, whatever the instance. */
export interface TraceFacts {
  /** The trace declares its beginning. */
  readonly begun: boolean;
  /** Nothing more will come: what is missing is missing. */
  readonly complete: boolean;
  /** One clock and order for all events; then `receivedSeq` is comparable with `seq`. */
  readonly oneDomain: boolean;
  /** Positions of the events that show a standing message, by contract message. */
  readonly standing: ReadonlyMap<number, readonly number[]>;
}

/** Events before and after the deciding one that a verdict quotes. */
const EXCERPT_EACH_SIDE = 5;
/** Violations told per run: the first is normative, the rest is diagnosis. */
export const VIOLATIONS_MAX = 50;

/** Judges one instance; several verdicts when it goes through the drawing several times. */
export function judgeInstance(machine: Machine, slice: Slice, facts: TraceFacts): InstanceVerdict[] {
  const judge = new InstanceJudge(machine, slice, facts);
  try {
    return judge.judge();
  } catch (error) {
    if (!(error instanceof BoundMet)) throw error;
    return [judge.inconclusive(`bound met: ${error.bound}`)];
  }
}

class InstanceJudge {
  readonly #machine: Machine;
  readonly #slice: Slice;
  readonly #facts: TraceFacts;
  readonly #verdicts: InstanceVerdict[] = [];
  readonly #letters: readonly Letter[];
  readonly #occasions: Occasions;
  #run: Run;

  constructor(machine: Machine, slice: Slice, facts: TraceFacts) {
    this.#machine = machine;
    this.#slice = slice;
    this.#facts = facts;
    this.#letters = lettersOf(slice.events, facts.oneDomain);
    this.#occasions = occasionsOf(this.#letters);
    this.#run = new Run(machine, this.#occasions, facts);
  }

  judge(): InstanceVerdict[] {
    for (const letter of this.#letters) {
      if (this.#beginsAgain(letter)) this.#finish();
      const hasWholeKey = this.#hasWholeKey(letter.labelled);
      const taken = this.#run.take(letter, hasWholeKey);
      if (taken.kind === 'not-a-beginning') return [...this.#verdicts, this.inconclusive('begun before the trace')];
      if (this.#run.violations.length >= VIOLATIONS_MAX) break;
    }
    if (!this.#run.isFresh || this.#verdicts.length === 0) this.#finish();
    return this.#verdicts;
  }

  inconclusive(reason: string): InstanceVerdict {
    return this.#verdict('inconclusive', { reason, excerpt: this.#excerpt(null) });
  }

  /** An accepting run that sees a first message which it cannot take itself is finished, and a new one begins. */
  #beginsAgain(letter: Letter): boolean {
    const run = this.#run;
    return !run.isFresh && run.accepts && !run.couldTake(letter) && run.couldBegin(letter) && this.#isOverFor(letter);
  }

  /**
   * Without a key, an accepting run that sees a first message is over. With one, only a run that can take nothing more:
   * a loop may still go round, and its next iteration must not be mistaken for a new run.
   */
  #isOverFor(letter: Letter): boolean {
    return this.#run.isOver || (this.#slice.key.size === 0 && this.#hasWholeKey(letter.labelled));
  }

  #hasWholeKey(labelled: LabelledEvent): boolean {
    return [...this.#slice.key.keys()].every((name) => labelled.values.has(name));
  }

  #finish(): void {
    const run = this.#run;
    const violations = this.#settled(run);
    if (violations.length > 0)
      this.#verdicts.push(this.#verdict('violates', { violations, excerpt: this.#excerpt(violations[0] ?? null) }));
    else if (run.accepts) this.#verdicts.push(this.#verdict('conforms', {}));
    else
      this.#verdicts.push(
        this.#verdict('incomplete', { expected: this.#arrows(run.owedNext().messages), excerpt: this.#excerpt(null) }),
      );
    this.#run = new Run(this.#machine, this.#occasions, this.#facts);
  }

  /** The violations of a run that is over: what came too early and then never came is missing; what is owed still is missing. */
  #settled(run: Run): Violation[] {
    const owed = new Set(this.#arrows(run.owed()));
    const { drawn } = this.#machine.contract;
    const seen = new Set(this.#arrows([...run.taken.keys()]));
    const told = run.violations.map((violation) =>
      this.#facts.complete && violation.kind === 'out-of-order' && neverCame(violation.mustFollow, owed, seen)
        ? asMissing(violation)
        : violation,
    );
    const blamed = new Set(
      told.map((violation) => (violation.kind === 'missing' ? violation.arrow : violation.mustFollow)),
    );
    const standing = this.#missingStanding(run);
    return [
      ...standing,
      ...told.map((violation) => ({ ...violation, text: describeViolation(violation, drawn) })),
      ...(this.#facts.complete && !run.accepts ? this.#owedAtEnd(run, blamed) : []),
    ];
  }

  /** What is owed and nothing stands before: one violation each; where branches differ, one for all of them. */
  #owedAtEnd(run: Run, blamed: ReadonlySet<number | null>): Violation[] {
    const { drawn } = this.#machine.contract;
    const { kind, messages } = run.owedNext();
    const next = this.#arrows(messages).filter((arrow) => !blamed.has(arrow));
    const waiting = this.#arrows(run.owed()).filter((arrow) => !next.includes(arrow) && !blamed.has(arrow)).length;
    return (kind === 'one' ? next.slice(0, 1) : next).map((arrow, index) => {
      const expected = kind === 'one' ? next : [arrow];
      const violation: Violation = { kind: 'missing', arrow, event: null, mustFollow: null, expected, text: '' };
      return { ...violation, text: describeViolation(violation, drawn, index === 0 ? waiting : 0) };
    });
  }

  /** A standing message must have been shown before the message that relies on it. */
  #missingStanding(run: Run): Violation[] {
    const { contract } = this.#machine;
    return contract.standing.flatMap(({ message, before }) => {
      const relied = before === null ? null : run.firstTaken.get(before);
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
    const taken: Record<number, number> = {};
    for (const [message, count] of this.#run.taken) {
      const arrow = this.#machine.contract.messages[message]?.drawn ?? -1;
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
    const { events } = this.#slice;
    const at =
      violation?.event === null || violation === null
        ? -1
        : events.findIndex(
            ({ sourced }) => sourced.line === violation.event?.line && sourced.source === violation.event.source,
          );
    const centre = at < 0 ? events.length - 1 : at;
    const from = Math.max(0, centre - EXCERPT_EACH_SIDE);
    return events.slice(from, centre + EXCERPT_EACH_SIDE + 1).map(({ index, sourced }, offset) => {
      const message = this.#run.assigned.get(index);
      const arrow = message === undefined ? null : (this.#machine.contract.messages[message]?.drawn ?? null);
      return { event: quote(sourced), arrow, violating: from + offset === at };
    });
  }

  #arrows(messages: readonly number[]): number[] {
    return unique(messages.map((message) => this.#machine.contract.messages[message]?.drawn ?? -1)).sort(
      (a, b) => a - b,
    );
  }
}

const neverCame = (arrow: number | null, owed: ReadonlySet<number>, seen: ReadonlySet<number>): boolean =>
  arrow !== null && (owed.has(arrow) || !seen.has(arrow));

const asMissing = (violation: Violation): Violation => ({
  ...violation,
  kind: 'missing',
  arrow: violation.mustFollow,
  mustFollow: violation.arrow,
});

function occasionsOf(letters: readonly Letter[]): Occasions {
  const occasions = new Map<Occurrence, number[]>();
  for (const letter of letters)
    for (const occurrence of candidatesOf(letter).flatMap((message) => occurrencesOf(message, letter.end))) {
      const positions = occasions.get(occurrence);
      if (positions === undefined) occasions.set(occurrence, [letter.position]);
      else positions.push(letter.position);
    }
  return occasions;
}

/** The ends of the slice's events, in the order in which they happened. */
export function lettersOf(events: readonly LabelledEvent[], oneDomain: boolean): Letter[] {
  const letters = events.flatMap((labelled): Letter[] => {
    const { event } = labelled.sourced;
    const position = oneDomain ? event.seq : labelled.index;
    if (oneDomain && event.receivedSeq !== undefined)
      return [
        { labelled, end: 'send', position },
        { labelled, end: 'receive', position: event.receivedSeq },
      ];
    return [{ labelled, end: singleEnd(labelled), position }];
  });
  return letters.sort((a, b) => a.position - b.position);
}

function singleEnd({ sourced: { event } }: LabelledEvent): End {
  if (event.point === 'send') return 'only-send';
  return event.point === 'receive' ? 'only-receive' : 'both';
}
