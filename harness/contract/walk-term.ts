import { childrenOf } from './entries.ts';
import type { Contract, Node } from './types.ts';

/** All nodes, in drawn order, with an explicit stack. */
export function nodesOf(root: Node): Node[] {
  const nodes: Node[] = [];
  const pending: Node[] = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    nodes.push(node);
    for (const child of [...childrenOf(node)].reverse()) pending.push(child);
  }
  return nodes;
}

/** Contract messages in drawn order. */
export const messagesIn = (root: Node): number[] =>
  nodesOf(root).flatMap((node) => (node.kind === 'message' ? [node.message] : []));

/** Does it hold loops that run side by side? */
export const holdsConcurrent = (root: Node): boolean => nodesOf(root).some(({ kind }) => kind === 'concurrent');

export const lineOf = (contract: Contract, message: number): number =>
  contract.drawn[contract.messages[message]?.drawn ?? -1]?.line ?? 0;

/** `line 18`, or `line 18 of login.mmd` where that is not the contract's own file. */
export function placeName(
  { spec }: Pick<Contract, 'spec'>,
  at: { readonly line: number; readonly file?: string } | undefined,
): string {
  const line = `line ${at?.line ?? 0}`;
  return at?.file === undefined || at.file === spec.file ? line : `${line} of ${clean(at.file)}`;
}

/** The line in which a message is drawn, by name. */
export const lineName = (contract: Contract, message: number): string =>
  placeName(contract, contract.drawn[contract.messages[message]?.drawn ?? -1]);

/** Text of an author or a file on one line; control characters would reach the terminal. */
export const clean = (text: string): string => text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim();

/** `line 18 (bind pod)`. */
export function nameMessage(contract: Contract, message: number): string {
  const text = contract.drawn[contract.messages[message]?.drawn ?? -1]?.text ?? '';
  return `${lineName(contract, message)} (${text.trim() === '' ? 'no text' : clean(text)})`;
}
