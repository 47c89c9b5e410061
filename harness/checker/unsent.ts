import type { ProvenOrder } from '../trace/index.ts';
import { candidatesOf, type Letter, type Machine } from './machine.ts';
import { endOfLetter } from './partial-order-letters.ts';

/** How many letters that show a receipt alone can be a message, by message. */
type Counts = ReadonlyMap<number, number>;

type Known = Pick<Machine, 'contract' | 'bases'>;

/**
 * The letters with what later ones show of sends that nothing else shows. A guard is asked of the event that is seen to
 * enter, so nothing enters there unseen.
 */
export function withUnsent(letters: readonly Letter[], machine: Known): readonly Letter[] {
  if (!letters.some(isUnsent)) return letters;
  let unsent: Counts = new Map();
  const behindReceipt = new Map<number, Counts>();
  return [...letters]
    .reverse()
    .map((letter) => {
      if (letter.end === 'receive') behindReceipt.set(letter.labelled.index, unsent);
      if (isUnsent(letter)) unsent = counted(letter, unsent, machine);
      if (unsent.size === 0) return letter;
      if (letter.end !== 'send') return { ...letter, unsent };
      const behind = behindReceipt.get(letter.labelled.index) ?? unsent;
      return { ...letter, unsent, ...overtaking(lookingLike(letter, without(unsent, behind), machine)) };
    })
    .reverse();
}

/** The same where the order is open: any receipt may still come, and overtake what is not proven to be received before. */
export function withUnsentInAnyOrder(
  letters: readonly Letter[],
  machine: Known,
  order: ProvenOrder,
): readonly Letter[] {
  const alone = letters.filter(isUnsent);
  if (alone.length === 0) return letters;
  const unsent = alone.reduce<Counts>((all, letter) => counted(letter, all, machine), new Map());
  const receipts = new Map<number, number>();
  for (const letter of letters)
    if (letter.end === 'receive') receipts.set(letter.labelled.index, endOfLetter(order, letter));
  return letters.map((letter) => {
    const received = receipts.get(letter.labelled.index);
    if (letter.end !== 'send' || received === undefined) return { ...letter, unsent };
    const sent = endOfLetter(order, letter);
    const between = alone.filter((other) => {
      const end = endOfLetter(order, other);
      return !order.isBefore(end, sent) && !order.isBefore(received, end);
    });
    const counts = between.reduce<Counts>((all, other) => counted(other, all, machine), new Map());
    return { ...letter, unsent, ...overtaking(lookingLike(letter, counts, machine)) };
  });
}

const isUnsent = ({ end }: Letter): boolean => end === 'only-receive';

function counted(letter: Letter, counts: Counts, { contract: { messages } }: Known): Counts {
  const mayBeUnseen = (message: number): boolean => (messages[message]?.entry?.guards.length ?? 0) === 0;
  const more = candidatesOf(letter).filter(mayBeUnseen);
  return new Map([...counts, ...more.map((message) => [message, (counts.get(message) ?? 0) + 1] as const)]);
}

function without(all: Counts, some: Counts): Counts {
  const left = [...all].map(([message, count]) => [message, count - (some.get(message) ?? 0)] as const);
  return new Map(left.filter(([, count]) => count > 0));
}

function lookingLike(letter: Letter, counts: Counts, { bases }: Known): Counts {
  const own = new Set(candidatesOf(letter).map((message) => bases[message] ?? message));
  return new Map([...counts].filter(([message]) => own.has(bases[message] ?? message)));
}

const overtaking = (counts: Counts): Pick<Letter, 'overtaking'> => (counts.size === 0 ? {} : { overtaking: counts });
