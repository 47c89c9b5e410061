import { foldName, type Contract, type ContractMessage } from '../contract/index.ts';
import type { SourcedEvent, TraceEvent } from '../trace/index.ts';
import {
  compileSelector,
  contentOf,
  matchesAny,
  statusFits,
  statusOf,
  testOf,
  valueOf,
  type CompiledSelector,
  type Values,
} from './labels.ts';

/**
 * An event that would be this message, had it come from or gone to the drawn participant, had it been received, or, drawn by a
 * solid arrow for the reply to one of these `calls`, had it another status.
 */
export interface Misdirected {
  readonly message: number;
  readonly calls: readonly number[] | null;
  readonly sourced: SourcedEvent;
  readonly values: Values;
}

interface Candidate {
  readonly message: ContractMessage;
  readonly content: (event: TraceEvent) => Values | null;
}

/** Of the events that no arrow explains, those that differ from a drawn message in one participant or in status, or that were lost. */
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
      const calls = callsAnsweredOtherwise(message, event, selectors);
      if (calls !== null) return [{ message: message.index, calls, sourced, values: new Map(own) }];
      if ((message.kind === 'reply') !== (event.kind === 'reply') || !isNearly(message, event, selectors)) return [];
      const captured = content(event);
      return captured === null
        ? []
        : [{ message: message.index, calls: null, sourced, values: new Map([...captured, ...own]) }];
    });
  });
}

/** The calls of which it may answer one, with a status that is not the drawn one. */
function callsAnsweredOtherwise(
  message: ContractMessage,
  event: TraceEvent,
  selectors: readonly (readonly CompiledSelector[])[],
): readonly number[] | null {
  const { calls, status } = message.match.orReply ?? {};
  if (calls == null || status === undefined || event.kind !== 'reply') return null;
  if (statusOf(event) === undefined || statusFits(message.match, event)) return null;
  const [sent, received] = endsAt(message, event, selectors);
  return sent && received ? calls : null;
}

function isNearly(
  message: ContractMessage,
  event: TraceEvent,
  selectors: readonly (readonly CompiledSelector[])[],
): boolean {
  const [sent, received] = endsAt(message, event, selectors);
  return sent && received ? event.kind === 'lost' : sent || received;
}

function endsAt(
  { from, to }: ContractMessage,
  event: TraceEvent,
  selectors: readonly (readonly CompiledSelector[])[],
): readonly [boolean, boolean] {
  const isAt = (lifeline: number | null, name: string): boolean =>
    lifeline === null || matchesAny(selectors[lifeline] ?? [], foldName(name), event);
  return [isAt(from, event.from), isAt(to, event.to)];
}
