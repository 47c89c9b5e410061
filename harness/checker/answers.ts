import type { Contract, ContractMessage, Matcher } from '../contract/index.ts';
import type { SourcedEvent, TraceEvent } from '../trace/index.ts';
import { callsOfReplies } from './exchanges.ts';
import { statusOf, type LabelledEvent } from './labels.ts';
import { withoutRetried } from './retries.ts';
import { NO_RULES } from './rule-label.ts';

/** By drawn arrow: the statuses of errors that answered a call whose reply is not drawn. */
export type FailedCalls = ReadonlyMap<number, readonly number[]>;

/**
 * What the replies say that the drawing does not show: which calls were tried again, and which were answered by an error.
 * With `errors: violate` such an answer is an event of the contract.
 */
export function answers(
  contract: Contract,
  trace: readonly SourcedEvent[],
  inside: readonly LabelledEvent[],
): { readonly inside: readonly LabelledEvent[]; readonly failed: FailedCalls } {
  const isAsked =
    contract.messages.some(({ retry }) => retry !== undefined) || trace.some(({ event }) => errorOf(event) !== null);
  if (!isAsked) return { inside, failed: new Map() };
  const callOf = callsOfReplies(trace);
  const kept = withoutRetried(contract, inside, trace, callOf);
  const labels = new Map(kept.map((labelled) => [labelled.index, labelled]));
  const failed = new Map<number, number[]>();
  const told: LabelledEvent[] = [];
  for (const [reply, call] of callOf) {
    const sourced = trace[reply];
    const called = labels.get(call);
    const status = sourced === undefined ? null : errorOf(sourced.event);
    if (sourced === undefined || called === undefined || status === null || labels.get(reply)?.messages.length)
      continue;
    const messages = called.messages.filter((message) => isUnanswered(contract, message));
    const [message] = messages;
    if (message === undefined) continue;
    const arrow = contract.messages[message]?.drawn ?? -1;
    failed.set(arrow, [...(failed.get(arrow) ?? []), status]);
    const rules = { ...NO_RULES, failed: [message] };
    told.push({ messages: [], wrongStatus: [], values: called.values, rules, index: reply, sourced });
  }
  if (contract.errors !== 'violate') return { inside: kept, failed };
  return { inside: [...kept, ...told].sort((a, b) => a.index - b.index), failed: new Map() };
}

/** The status of a reply that is an error, of gRPC or of HTTP; null: it is none. */
export function errorOf(event: TraceEvent): number | null {
  if (event.kind !== 'reply') return null;
  const status = statusOf(event) ?? 0;
  return (status >= 1 && status <= 16) || status >= 400 ? status : null;
}

/** Drawn solid, without a reply. */
export function isUnanswered({ messages, drawn }: Contract, message: number): boolean {
  const found = messages[message];
  return found?.kind === 'send' && found.entry === undefined && drawn[found.drawn]?.style !== 'dashed';
}

/**
 * Replies whose text names no status, where no other reply to their call says more: any answer is as drawn, an error too. A text
 * that speaks of one (`not found`) is such an answer.
 */
export function statuslessAnswersOf({ messages, drawn }: Contract): ReadonlySet<number> {
  const answers = messages.filter(({ kind, replyOf }) => kind === 'reply' && replyOf !== undefined);
  const isOpen = ({ drawn: arrow, match }: ContractMessage): boolean =>
    match.status === undefined &&
    match.when === undefined &&
    !readsLabel(match) &&
    !SPEAKS_OF_ERROR.test(drawn[arrow]?.text ?? '');
  const told = new Set(answers.filter((answer) => !isOpen(answer)).map(({ replyOf }) => replyOf));
  return new Set(answers.filter(({ replyOf }) => !told.has(replyOf)).map(({ index }) => index));
}

const SPEAKS_OF_ERROR =
  /\b(?:errors?|fail\w*|not ?found|declin\w*|den(?:y|ied|ies)|reject\w*|time(?:d )?-?out|refus\w*|conflict\w*|unavailable|invalid\w*|forbidden|unauthori[sz]ed|exception|no such|missing|abort\w*|cancel\w*|bad|nack)\b/iu;

const readsLabel = ({ label, words, template }: Matcher): boolean =>
  label !== undefined || words !== undefined || template !== undefined;
