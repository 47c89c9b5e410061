import type { Diagram, Item, Message } from './types.ts';

/** One end of a message, by the message's index. */
export interface DrawnEnd {
  readonly message: number;
  readonly end: 'sending' | 'receipt';
}

/**
 * Messages that are drawn one after the other in one operand, of which some are on their way while others are sent or
 * received: from `first` to `last`, by index; `ends` are all their ends, from top to bottom.
 */
export interface Overtaking {
  readonly first: number;
  readonly last: number;
  readonly ends: readonly DrawnEnd[];
}

/** What is wrong with where a message is received. */
export interface OvertakingFinding {
  readonly message: number;
  readonly text: string;
}

/** Every group of messages whose ends do not simply alternate, in drawn order. */
export function overtakings({ messages }: Pick<Diagram, 'messages'>): readonly Overtaking[] {
  const found: Overtaking[] = [];
  for (let first = 0; first < messages.length; first++) {
    const last = lastOf(messages, first);
    const ends = endsOf(messages, first, last);
    if (ends.some((_, at) => isLate(ends, at))) found.push({ first, last, ends });
    first = last;
  }
  return found;
}

/** Of messages that stand in such a group, by index, those that are received below its sending and above the next one. */
export function arrivals(diagram: Pick<Diagram, 'messages'>): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>();
  for (const { ends } of overtakings(diagram)) {
    let arriving: number[] = [];
    for (const { message, end } of ends) {
      if (end === 'receipt') arriving.push(message);
      else found.set(message, (arriving = []));
    }
  }
  return found;
}

/** Is the end at that place of the list a receipt that does not stand right below its sending? */
export function isLate(ends: readonly DrawnEnd[], at: number): boolean {
  const [above, here] = [ends[at - 1], ends[at]];
  return here?.end === 'receipt' && (above?.end !== 'sending' || above.message !== here.message);
}

/** The last message whose sending stands above the receipt of `first`, or of another one of the group. */
function lastOf(messages: readonly Message[], first: number): number {
  let last = first;
  for (let index = first; index <= last; index++)
    last = Math.min(messages.length - 1, Math.max(last, messages[index]?.received?.after ?? index));
  return last;
}

function endsOf(messages: readonly Message[], first: number, last: number): readonly DrawnEnd[] {
  const waiting = new Map<number, { readonly message: number; readonly nth: number }[]>();
  for (let message = first; message <= last; message++) {
    const received = messages[message]?.received;
    if (received === undefined) continue;
    // What would arrive before it is sent, or beyond the drawing, arrives where it is sent.
    const after = received.after >= message && received.after <= last ? received.after : message;
    const here = waiting.get(after);
    if (here === undefined) waiting.set(after, [{ message, nth: received.nth }]);
    else here.push({ message, nth: received.nth });
  }
  const ends: DrawnEnd[] = [];
  for (let message = first; message <= last; message++) {
    ends.push({ message, end: 'sending' });
    if (messages[message]?.received === undefined) ends.push({ message, end: 'receipt' });
    const arriving = (waiting.get(message) ?? []).sort((a, b) => a.nth - b.nth || a.message - b.message);
    ends.push(...arriving.map((one): DrawnEnd => ({ message: one.message, end: 'receipt' })));
  }
  return ends;
}

/** The fields `received` that say this order of ends; `ends` holds all ends of messages that stand one after the other. */
export function receivedFrom(ends: readonly DrawnEnd[]): ReadonlyMap<number, NonNullable<Message['received']>> {
  const found = new Map<number, NonNullable<Message['received']>>();
  let after = ends[0]?.message ?? 0;
  let nth = 0;
  ends.forEach(({ message, end }, at) => {
    if (end === 'sending') [after, nth] = [message, 0];
    else if (isLate(ends, at)) found.set(message, { after, nth: nth++ });
  });
  return found;
}

/**
 * A message that may be overtaken goes from one lifeline to another, and is received in the operand in which it is sent, with
 * nothing but messages drawn between the two ends; no two receipts claim one place.
 */
export function checkOvertaking(diagram: Diagram): readonly OvertakingFinding[] {
  const { messages } = diagram;
  if (messages.every(({ received }) => received === undefined)) return [];
  const runs = runsOf(diagram);
  const places = new Map<string, number>();
  return messages.flatMap(({ from, to, received }, message): OvertakingFinding[] => {
    if (received === undefined) return [];
    const { after, nth } = received;
    const say = (text: string): OvertakingFinding[] => [{ message, text }];
    if (![after, nth].every((one) => Number.isInteger(one) && one >= 0))
      return say('where it is received is no place of the drawing');
    if (from === null || to === null || from === to)
      return say('only a message from one participant to another can be overtaken');
    if (after < message) return say('it is received before it is sent');
    if (after >= messages.length) return say('it is received after a message that is not drawn');
    if (runs.get(message) === undefined || runs.get(message) !== runs.get(after))
      return say('a border of a fragment is drawn between its sending and its receipt');
    const known = places.get(`${after} ${nth}`);
    places.set(`${after} ${nth}`, message);
    return known === undefined ? [] : say(`it is received at the very place where message ${known + 1} is received`);
  });
}

/** By message, a number for the run of messages it stands in: one after the other in one operand, with no fragment between. */
function runsOf({ items, fragments }: Diagram): ReadonlyMap<number, number> {
  const runs = new Map<number, number>();
  let run = 0;
  const pending: (readonly Item[])[] = [items];
  for (let list = pending.pop(); list !== undefined; list = pending.pop()) {
    run++;
    let above = -1;
    for (const item of list) {
      if ('message' in item) {
        // Messages whose indices do not follow each other have something between them.
        if (above >= 0 && item.message !== above + 1) run++;
        above = item.message;
        runs.set(item.message, run);
        continue;
      }
      run++;
      above = -1;
      for (const { items: inside } of fragments[item.fragment]?.operands ?? []) pending.push(inside);
    }
  }
  return runs;
}
