import type { Contract } from '../contract/index.ts';
import { candidatesOfEvent } from './candidates.ts';
import type { Deriver } from './derive.ts';
import type { LabelledEvent } from './labels.ts';
import type { LookAlikes } from './look-alikes.ts';
import { receiptOf, sendOf, type Occurrence } from './occurrence.ts';
import type { Term, TermTable } from './terms.ts';
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
}

/** What one contract needs for all its instances. */
export interface Machine {
  readonly contract: Contract;
  readonly terms: TermTable;
  readonly deriver: Deriver;
  readonly initial: Term;
  /** Messages inside a loop: they may come again. */
  readonly recurring: ReadonlySet<number>;
  /** Of a copy of a message that enters something, the message itself; of any other, its own number. */
  readonly bases: readonly number[];
  readonly watch: WatchPlan | null;
  readonly lookAlikes: LookAlikes;
  /** Of a copy that was made for one value of an `each` loop, the message itself. */
  readonly originals?: ReadonlyMap<number, number>;
}

/** What remains of a term after one letter is taken for a message; FAIL if that is not possible. */
export function stepTerm(
  { deriver, bases }: Machine,
  term: Term,
  message: number,
  { end, tag }: Pick<Letter, 'end' | 'tag'>,
): Term {
  // A copy of a message differs from it only in its send: that is what enters.
  const send = deriver.tagged(sendOf(message), tag);
  const receipt = deriver.tagged(receiptOf(bases[message] ?? message), tag);
  switch (end) {
    case 'both':
      return deriver.after(deriver.after(term, send), receipt);
    case 'send':
      return deriver.after(term, send);
    case 'receive':
      return deriver.after(term, receipt);
    case 'only-send':
      return deriver.after(term, deriver.unreceived(sendOf(message)));
    case 'only-receive':
      return deriver.after(deriver.anywhere(term, send), receipt);
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
