import { childrenOf, nodesOf, type Contract, type Node } from '../contract/index.ts';
import { loopsAround } from './lifetimes.ts';
import type { LabelledEvent } from './labels.ts';
import { NO_RULES } from './rule-label.ts';
import type { TraceEvent } from '../trace/index.ts';

/**
 * The drawn messages that answer a call as often as they are drawn: each stands in no loop in which its call does not stand.
 * By message: how many of them a call has at most.
 */
export function boundAnswers(contract: Contract): ReadonlyMap<number, number> {
  const loops = loopsAround(contract.term);
  const innermost = (message: number): unknown => loops.get(message)?.at(-1);
  const answersOf = new Map<number, number[]>();
  const callsOf = contract.messages.map(({ index, match, replyOf, entry }): readonly number[] => {
    const calls = replyOf === undefined ? (match.orReply?.calls ?? []) : [replyOf];
    const isBound = entry === undefined && calls.every((call) => innermost(call) === innermost(index));
    if (isBound) for (const call of calls) answersOf.set(call, [...(answersOf.get(call) ?? []), index]);
    return isBound ? calls : [];
  });
  const most = new Map(
    [...answersOf].map(([call, answers]) => [
      call,
      answers.length === 1 ? 1 : mostInOne(contract.term, new Set(answers)),
    ]),
  );
  const bound = new Map<number, number>();
  for (const { index, entry } of contract.messages) {
    const calls = callsOf[entry?.of ?? index] ?? [];
    if (calls.length > 0) bound.set(index, Math.max(...calls.map((call) => most.get(call) ?? 1)));
  }
  return bound;
}

/** How many of these messages happen at most where everything is gone through once. */
function mostInOne(root: Node, messages: ReadonlySet<number>): number {
  const most = new Map<Node, number>();
  // What a node holds comes behind it.
  for (const node of nodesOf(root).toReversed()) {
    const parts = childrenOf(node).map((part) => most.get(part) ?? 0);
    const all = parts.reduce((sum, part) => sum + part, 0);
    if (node.kind === 'message') most.set(node, messages.has(node.message) ? 1 : 0);
    else most.set(node, node.kind === 'alt' ? Math.max(0, ...parts) : all);
  }
  return most.get(root) ?? 0;
}

/** What an event can be: answers of which a call has no more than are drawn, others too, or only others. */
export type Answer = 'bound' | 'either' | 'any';

export function answerAmong(messages: readonly number[], bound: ReadonlyMap<number, number>): Answer {
  if (!messages.some((message) => bound.has(message))) return 'any';
  return messages.every((message) => bound.has(message)) ? 'bound' : 'either';
}

const SEND = 1;
const RECEIPT = 2;
export const BOTH_ENDS = SEND | RECEIPT;

/** The ends of a message that an event shows, as bits. */
export function endsShown({ point }: { readonly point?: TraceEvent['point'] | undefined }): number {
  if (point === 'send') return SEND;
  return point === 'receive' ? RECEIPT : BOTH_ENDS;
}

/** How often each end of the answers to a call was shown. */
type Shown = Readonly<Record<'sends' | 'receipts', number>>;
const NONE_SHOWN: Shown = { sends: 0, receipts: 0 };

/**
 * A call is answered as often as its answers are drawn. What names a call that has them all is no answer to any other call: it
 * is told as such, and answers of which a call may have any number are all that it can be taken for.
 */
export function withSecondAnswers(contract: Contract, events: readonly LabelledEvent[]): readonly LabelledEvent[] {
  const bound = boundAnswers(contract);
  if (bound.size === 0) return events;
  const shown = new Map<string, Shown>();
  return events.map((labelled) => {
    const { messages, wrongStatus, sourced, rules = NO_RULES } = labelled;
    const { kind, replyTo } = sourced.event;
    if (kind !== 'reply' || replyTo === undefined) return labelled;
    const all = [...messages, ...wrongStatus];
    const answers = all.filter((message) => bound.has(message));
    const [first] = answers;
    if (first === undefined) return labelled;
    const ends = endsShown(sourced.event);
    const { sends, receipts } = shown.get(replyTo) ?? NONE_SHOWN;
    const now = { sends: sends + (ends & SEND), receipts: receipts + (ends & RECEIPT) / RECEIPT };
    // What may be another answer need not be one of these.
    if (answers.length === all.length) shown.set(replyTo, now);
    const most = Math.max(...answers.map((answer) => bound.get(answer) ?? 1));
    if (((ends & SEND) === 0 || now.sends <= most) && ((ends & RECEIPT) === 0 || now.receipts <= most)) return labelled;
    const isOther = (message: number): boolean => !bound.has(message);
    const others = { messages: messages.filter(isOther), wrongStatus: wrongStatus.filter(isOther) };
    if (others.messages.length + others.wrongStatus.length > 0) return { ...labelled, ...others };
    return { ...labelled, ...others, rules: { ...rules, denied: [], second: first } };
  });
}
