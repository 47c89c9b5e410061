import { childrenOf, type Contract, type Lifetime, type Node } from '../contract/index.ts';
import type { TraceEvent } from '../trace/index.ts';
import type { JudgedCase } from './judged-case.ts';

/** What stands in a case, by name, so that it can be counted how often each construct was judged. */
export function traitsOf({ contract, events, drawn }: JudgedCase): readonly string[] {
  const seen = new Set<string>();
  ofTerm(contract, seen);
  ofMessages(contract, seen);
  ofEvents(
    events.map(({ event }) => event),
    seen,
  );
  seen.add(contract.key.length > 0 ? 'keyed' : 'not keyed');
  if (contract.unordered.length > 0) seen.add('unordered');
  if ((contract.ordered ?? []).length > 0) seen.add('ordered');
  if (contract.bridged.length > 0) seen.add('bridged');
  if (contract.lifetimes !== undefined) seen.add('lifetime');
  if (contract.lifetimes?.some(isEndedByItself(contract)) === true)
    seen.add('ended by a message to itself or to nobody');
  if (drawn.diagram.participants.length >= 4) seen.add('four lifelines');
  if (ASKED_FOR.some((trait) => seen.has(trait))) seen.add('one of the constructs');
  return [...seen];
}

function isEndedByItself({ messages }: Contract): (lifetime: Lifetime) => boolean {
  return ({ lifeline, destroyed }) => {
    const { from, to } = messages[destroyed ?? -1] ?? {};
    return from === lifeline && (to === lifeline || to === null);
  };
}

/** At least half of the cases have one of these. */
const ASKED_FOR = ['self message', 'reply of a call', 'loop', 'critical', 'break', 'keyed'];

function ofTerm(contract: Contract, seen: Set<string>): void {
  const pending: { readonly node: Node; readonly isInLoop: boolean }[] = [{ node: contract.term, isInLoop: false }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, isInLoop } = next;
    if (node.kind !== 'message' && node.kind !== 'seq') seen.add(node.kind);
    if (node.kind === 'seq' && node.late !== undefined) seen.add('drawn overtaking');
    if (node.kind === 'loop') {
      seen.add(node.max === null ? 'unbounded loop' : 'bounded loop');
      if (node.min > 0) seen.add('loop with a least number');
      if (node.each !== undefined) seen.add('each');
      if (isInLoop) seen.add('nested loop');
    }
    if (node.kind === 'critical' && node.options.length > 0) seen.add('critical with option');
    for (const part of childrenOf(node)) pending.push({ node: part, isInLoop: isInLoop || node.kind === 'loop' });
  }
}

function ofMessages({ messages }: Contract, seen: Set<string>): void {
  const plain = messages.filter(({ entry }) => entry === undefined);
  const looks = plain.map(({ from, to, kind, match }) => `${from} ${to} ${kind === 'reply'} ${match.label}`);
  if (new Set(looks).size < looks.length) seen.add('twin messages');
  for (const { from, to, replyOf, receipt, retry } of plain) {
    if (from === to && from !== null) seen.add('self message');
    if (replyOf !== undefined) seen.add('reply of a call');
    if (from === null || to === null) seen.add('found or lost end');
    if (receipt !== undefined) seen.add('crossed or lost');
    if (retry !== undefined) seen.add('retry');
  }
}

function ofEvents(events: readonly TraceEvent[], seen: Set<string>): void {
  if (new Set(events.map(({ attributes }) => attributes?.['k'])).size > 1) seen.add('two instances');
  for (const [index, event] of events.entries()) {
    if (event.receivedSeq !== undefined) seen.add('two-ended');
    if (event.point === 'send' || event.point === 'receive') seen.add('hidden end');
    if (event.kind === 'lost') seen.add('lost event');
    const overtakes = ({ receivedSeq, from, to }: TraceEvent): boolean =>
      from === event.from && to === event.to && (receivedSeq ?? 0) > (event.receivedSeq ?? event.seq);
    if (events.slice(0, index).some(overtakes)) seen.add('overtaking');
  }
}
