import { foldName, type Contract, type ContractMessage } from '../contract/index.ts';
import type { SourcedEvent, TraceEvent } from '../trace/index.ts';
import {
  compileSelector,
  contentOf,
  matchesAny,
  testOf,
  valueOf,
  type CompiledSelector,
  type Values,
} from './labels.ts';

/** An event that would be this message, had it come from or gone to the drawn participant. */
export interface Misdirected {
  readonly message: number;
  readonly sourced: SourcedEvent;
  readonly values: Values;
}

interface Candidate {
  readonly message: ContractMessage;
  readonly content: (event: TraceEvent) => Values | null;
}

/** Of the events that no arrow explains, those that differ from a drawn message in one participant, or that were lost. */
export function misdirectedEvents(contract: Contract, unmatched: readonly SourcedEvent[]): readonly Misdirected[] {
  const selectors = contract.lifelines.map(({ traced }) => traced.map(compileSelector));
  const only = testOf(contract.only);
  const parameters = contract.parameters.flatMap(({ name, from }) =>
    from === undefined ? [] : [{ name, read: valueOf(from) }],
  );
  // A message that says nothing of its own is like everything.
  const candidates: Candidate[] = contract.messages
    .filter(
      ({ entry, match }) =>
        entry === undefined && (match.template ?? match.words ?? match.label ?? match.when) !== undefined,
    )
    .map((message) => ({ message, content: contentOf(message.match) }));
  return unmatched.flatMap((sourced): Misdirected[] => {
    const { event } = sourced;
    if (only !== null && !only(event)) return [];
    const own = parameters.flatMap(({ name, read }) => {
      const value = read(event);
      return value === null ? [] : [[name, value] as const];
    });
    return candidates.flatMap(({ message, content }): Misdirected[] => {
      if ((message.kind === 'reply') !== (event.kind === 'reply') || !isNearly(message, event, selectors)) return [];
      const captured = content(event);
      return captured === null ? [] : [{ message: message.index, sourced, values: new Map([...captured, ...own]) }];
    });
  });
}

function isNearly(
  { from, to }: ContractMessage,
  event: TraceEvent,
  selectors: readonly (readonly CompiledSelector[])[],
): boolean {
  const isAt = (lifeline: number | null, name: string): boolean =>
    lifeline === null || matchesAny(selectors[lifeline] ?? [], foldName(name), event);
  const [sent, received] = [isAt(from, event.from), isAt(to, event.to)];
  return sent && received ? event.kind === 'lost' : sent || received;
}
