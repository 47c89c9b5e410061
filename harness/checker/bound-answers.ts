import { childrenOf, nodesOf, type Contract, type Node } from '../contract/index.ts';
import type { TraceEvent } from '../trace/index.ts';
import { loopsAround } from './lifetimes.ts';

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

/** The ends of a message, as bits. */
export const SEND = 1;
export const RECEIPT = 2;
export const BOTH_ENDS = SEND | RECEIPT;

/** The ends of a message that an event shows, as bits. */
export function endsShown({ point }: { readonly point?: TraceEvent['point'] | undefined }): number {
  if (point === 'send') return SEND;
  return point === 'receive' ? RECEIPT : BOTH_ENDS;
}
