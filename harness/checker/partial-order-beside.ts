import type { Contract, ContractMessage } from '../contract/index.ts';
import type { ProvenOrder } from '../trace/index.ts';
import { endOfLetter, unorderedNeighbours } from './partial-order-letters.ts';
import { candidatesOf, occurrencesOf, unique, type Letter, type Machine } from './run.ts';
import { isReceipt } from './occurrence.ts';

/** Something beside the order that the trace must prove an order for, and does not. `neighbours`: two events to name. */
export interface Unproven {
  readonly asks: string;
  readonly neighbours: readonly [Letter, Letter] | null;
}

/**
 * What is watched beside the order of the drawing (promised pairs, lifetimes, times, exclusive fragments) is watched along
 * one order of the events. That says the same for every order if the events that it looks at are ordered by proof, and each
 * of them can be one message only; else, what it is that the trace leaves open.
 */
export function unprovenWatch(machine: Machine, order: ProvenOrder, letters: readonly Letter[]): Unproven | null {
  for (const { asks, looksAt } of concernsOf(machine)) {
    const seen = letters.filter((letter) => candidatesOf(letter).some((message) => looksAt(message, letter)));
    const isAmbiguous = !seen.every((letter) => isOnly(machine.bases, letter));
    const neighbours = unorderedNeighbours(order, seen);
    if (neighbours !== null || (isAmbiguous && unorderedNeighbours(order, letters) !== null))
      return { asks, neighbours };
  }
  return null;
}

/** Can it be one drawn message only? */
const isOnly = (bases: readonly number[], letter: Letter): boolean =>
  unique(candidatesOf(letter).map((message) => bases[message] ?? message)).length < 2;

const baseOf = ({ bases }: Machine, message: number): number => bases[message] ?? message;

interface Concern {
  readonly asks: string;
  readonly looksAt: (message: number, letter: Letter) => boolean;
}

function concernsOf(machine: Machine): Concern[] {
  const { watch, contract } = machine;
  if (watch === null) return [];
  const isOneOf = (messages: Iterable<number>): Concern['looksAt'] => {
    const all = new Set(messages);
    return (message, { end }) => end !== 'receive' && all.has(baseOf(machine, message));
  };
  return [
    ...watch.ordered.map(({ earlier, later }): Concern => {
      const isEither = (message: number): boolean => [earlier, later].includes(baseOf(machine, message));
      return { asks: 'the binding promises an order of them', looksAt: isEither };
    }),
    ...watch.lifetimes.map(({ lifeline }): Concern => {
      const name = contract.lifelines[lifeline]?.id ?? '';
      const isOn = (message: number, { end }: Letter): boolean =>
        occurrencesOf(message, end).some((own) => endOf(contract.messages[message], isReceipt(own)) === lifeline);
      return { asks: `${name} is created or destroyed`, looksAt: isOn };
    }),
    ...watch.timings.flatMap(({ text, from, to }): Concern[] =>
      [from, to].map((messages) => ({ asks: `of "${text}" it matters which came first`, looksAt: isOneOf(messages) })),
    ),
    // Which event opens a fragment depends on all that came before.
    ...watch.criticals.map((): Concern => ({
      asks: 'a critical fragment excludes other instances',
      looksAt: () => true,
    })),
  ];
}

const endOf = (message: ContractMessage | undefined, isReceived: boolean): number | null =>
  (isReceived ? message?.to : message?.from) ?? null;

/** A standing message that may or may not have been shown before what relies on it. */
export function unprovenStanding(
  contract: Contract,
  standing: ReadonlyMap<number, readonly number[]>,
  {
    order,
    letters,
    bases,
  }: { readonly order: ProvenOrder; readonly letters: readonly Letter[]; readonly bases: readonly number[] },
): { readonly message: number; readonly letter: Letter } | null {
  for (const { message, before } of contract.standing) {
    if (before === null) continue;
    const firsts = firstOfEachDomain(order, standing.get(message) ?? []);
    const relying = letters.filter(
      (letter) => letter.end !== 'receive' && candidatesOf(letter).some((one) => (bases[one] ?? one) === before),
    );
    const states = relying.map((letter) => {
      const end = endOfLetter(order, letter);
      if (firsts.some((shown) => order.isBefore(shown, end))) return 'shown';
      return firsts.every((shown) => order.isBefore(end, shown)) ? 'not shown' : 'open';
    });
    const [letter] = relying;
    const isOneLine = unorderedNeighbours(order, relying) === null && relying.every((one) => isOnly(bases, one));
    const isSettled = !states.includes('open') && (isOneLine || states.every((state) => state === states[0]));
    if (letter !== undefined && !isSettled) {
      const at = states.findIndex((state) => state !== 'shown');
      return { message, letter: relying[at] ?? letter };
    }
  }
  return null;
}

/** What a domain showed first it showed before anything else of it. `positions` are ranks. */
function firstOfEachDomain(order: ProvenOrder, positions: readonly number[]): readonly number[] {
  const firsts = new Map<number, number>();
  for (const position of [...positions].sort((a, b) => a - b)) {
    const end = order.endAt(position);
    if (!firsts.has(order.domainOf(end))) firsts.set(order.domainOf(end), end);
  }
  return [...firsts.values()];
}
