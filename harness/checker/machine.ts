import type { Contract } from '../contract/index.ts';
import { candidatesOfEvent } from './candidates.ts';
import type { Deriver } from './derive.ts';
import type { LabelledEvent } from './labels.ts';
import type { LookAlikes } from './look-alikes.ts';
import { receiptOf, sendOf, type Occurrence } from './occurrence.ts';
import type { Relations } from './relation.ts';
import { BoundMet, FAIL, type Term, type TermTable } from './terms.ts';
import type { WatchPlan } from './watch-plan.ts';

/** Which end of an event a letter shows; `only-…`: the other end is shown by nothing. */
export type End = 'both' | 'send' | 'receive' | 'only-send' | 'only-receive';

/** One step of an instance: an event, or one end of it, at a position of the trace. */
export interface Letter {
  readonly labelled: LabelledEvent;
  readonly end: End;
  readonly position: number;
  /** 1 or more: the event looks like another one that is on its way (`Deriver.tagged`). */
  readonly tag: number;
  /** How many of this letter and the later ones show the receipt alone, by what they can be; missing: none does. */
  readonly unsent?: ReadonlyMap<number, number>;
  /** Of a send, how many of those are shown before its own receipt, and look like it; missing: none. */
  readonly overtaking?: ReadonlyMap<number, number>;
}

/** Ways to send before a letter what is seen at its receipt alone. */
const UNSENT_WAYS_MAX = 1_000;

/** What one contract needs for all its instances. */
export interface Machine {
  readonly contract: Contract;
  readonly terms: TermTable;
  readonly deriver: Deriver;
  readonly relations: Relations;
  readonly initial: Term;
  /** Messages inside a loop: they may come again. */
  readonly recurring: ReadonlySet<number>;
  /** Messages inside a concurrent loop, which goes round for ever: none of them shows that a run is over. */
  readonly endless: ReadonlySet<number>;
  /** Of a copy of a message that enters something, the message itself; of any other, its own number. */
  readonly bases: readonly number[];
  readonly watch: WatchPlan | null;
  readonly lookAlikes: LookAlikes;
  /** Of a copy that was made for one value of an `each` loop, the message itself. */
  readonly originals?: ReadonlyMap<number, number>;
}

type Step = Pick<Letter, 'end' | 'tag' | 'unsent' | 'overtaking'>;

/**
 * What remains of a term after one letter is taken for a message; FAIL if that is not possible. Of what is seen at its
 * receipt alone as much was sent before as it takes; and as much as may be, of what looks like the letter and is received
 * before it, and of what could not be sent any more.
 */
export function stepTerm(machine: Machine, term: Term, message: number, letter: Step): Term {
  const { unsent, overtaking } = letter;
  const now = stepNow(machine, term, message, letter);
  if (unsent === undefined) return now;
  if (now === FAIL && !mayEverBeSent(machine, term, message, letter)) return FAIL;
  if (now === FAIL && overtaking === undefined) return firstOf(afterSending(machine, term, message, letter, unsent));
  const sought = new Map([...(overtaking ?? []), ...shutBy(machine, term, now, unsent)]);
  if (sought.size === 0) return now;
  const ways = afterSending(machine, term, message, letter, now === FAIL ? unsent : sought);
  return machine.terms.alt([now, ...ways]);
}

/** Is the send that the letter shows part of what remains at all? */
function mayEverBeSent({ terms }: Machine, term: Term, message: number, { end }: Step): boolean {
  const isShown = end === 'both' || end === 'send' || end === 'only-send';
  return !isShown || terms.sets.has(terms.alphabet(term), sendOf(message));
}

function firstOf(found: Iterable<Term>): Term {
  for (const next of found) return next;
  return FAIL;
}

/** Of what is seen at its receipt alone later, what may be sent in a term and no more in what remains of it. */
function shutBy(
  { terms, deriver, bases }: Machine,
  term: Term,
  next: Term,
  unsent: ReadonlyMap<number, number>,
): ReadonlyMap<number, number> {
  if (next === FAIL) return new Map();
  const [before, after] = [terms.alphabet(term), terms.alphabet(next)];
  return new Map(
    [...unsent].filter(([message]) => {
      const receipt = receiptOf(bases[message] ?? message);
      if (!terms.sets.has(before, sendOf(message)) || terms.sets.has(after, sendOf(message))) return false;
      return !terms.sets.has(after, deriver.unsent(receipt));
    }),
  );
}

/**
 * What remains after the letter where some of `unsent` were sent before: one of them, then two, and so on. Throws `BoundMet`:
 * with more of them sent, what is not possible here may be.
 */
function* afterSending(
  machine: Machine,
  term: Term,
  message: number,
  letter: Step,
  unsent: ReadonlyMap<number, number>,
): Generator<Term> {
  const { terms } = machine;
  const known = new Set([term]);
  for (let ways = [term]; ways.length > 0;) {
    if (known.size > UNSENT_WAYS_MAX) throw new BoundMet(`${UNSENT_WAYS_MAX} ways to send what is seen at its receipt`);
    const more = ways.flatMap((way) => [...unsent].map(([other, count]) => sentBefore(machine, way, other, count)));
    ways = [...new Set(more)].filter((way) => way !== FAIL && !known.has(way));
    for (const way of ways) known.add(way);
    const next = terms.alt(ways.map((way) => stepNow(machine, way, message, letter)));
    if (next !== FAIL) yield next;
  }
}

function sentBefore({ deriver, bases }: Machine, way: Term, message: number, count: number): Term {
  const sent = deriver.after(way, deriver.unsent(sendOf(message)));
  const receipt = deriver.unsent(receiptOf(bases[message] ?? message));
  return deriver.timesOwed(sent, receipt) > count ? FAIL : sent;
}

function stepNow({ deriver, terms, bases }: Machine, term: Term, message: number, { end, tag, unsent }: Step): Term {
  // A copy of a message differs from it only in its send: that is what enters.
  const own = receiptOf(bases[message] ?? message);
  const send = deriver.tagged(sendOf(message), tag);
  const receipt = deriver.tagged(own, tag);
  switch (end) {
    case 'both':
      return deriver.afterBoth(term, send, receipt);
    case 'send':
      return deriver.after(term, send);
    case 'receive':
      return deriver.after(term, receipt);
    case 'only-send':
      return deriver.after(term, deriver.unreceived(sendOf(message)));
    case 'only-receive': {
      // Who does not know what follows does not know either what was sent before.
      if (unsent === undefined) return deriver.after(deriver.anywhere(term, send), receipt);
      const sent = deriver.after(term, deriver.unsent(sendOf(message)));
      return terms.alt([term, sent].map((before) => deriver.after(before, deriver.unsent(own))));
    }
  }
}

/** A reply with a status that is not drawn is taken for the reply it would be, and told as a wrong status. */
export const candidatesOf = (letter: Letter): readonly number[] => candidatesOfEvent(letter.labelled);

export const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** The occurrences that one letter stands for; the end that nothing shows goes with the other. */
export function occurrencesOf(message: number, end: End): readonly Occurrence[] {
  if (end === 'send') return [sendOf(message)];
  return end === 'receive' ? [receiptOf(message)] : [sendOf(message), receiptOf(message)];
}
