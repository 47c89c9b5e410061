import { nodesOf, type Contract, type ContractMessage, type Node } from '../../contract/index.ts';

/** A contract in which a message may be sent and be received by nobody. */
export interface Unreceived {
  readonly contract: Contract;
  /** By message whose receipt is not owed: the one that stands for it where it was lost. */
  readonly copies: ReadonlyMap<number, number>;
  /** Of each copy, what it counts for: its message, or what that is a copy of. */
  readonly originals: (known: ReadonlyMap<number, number>) => ReadonlyMap<number, number>;
}

/**
 * The contract with a choice at each crossed arrow: received, or lost. Of a loop one log may show some as received, and
 * not the others: then neither all of their receipts are owed, nor none. What was lost reached nobody, so it orders nothing
 * at its receiver. Null: there is no such arrow.
 */
export function withUnreceived(contract: Contract): Unreceived | null {
  const copies = new Map<number, number>();
  const messages: ContractMessage[] = [...contract.messages];
  for (const message of contract.messages)
    if (message.receipt === 'free' && isPlain(contract, message)) {
      copies.set(message.index, messages.length);
      messages.push({ ...message, index: messages.length, to: null });
    }
  if (copies.size === 0) return null;
  const { unordered, bridged, ordered } = contract;
  const all = (one: number): readonly number[] => [one, ...[copies.get(one) ?? []].flat()];
  const pairs = (list: Contract['unordered']): Contract['unordered'] =>
    list.flatMap(([one, other]) => all(one).flatMap((a) => all(other).map((b) => [a, b] as const)));
  return {
    copies,
    originals: (known) => new Map([...known, ...[...copies].map(([of, copy]) => [copy, known.get(of) ?? of] as const)]),
    contract: {
      ...contract,
      messages,
      term: withChoices(contract.term, copies),
      unordered: pairs(unordered),
      bridged: pairs(bridged),
      ...(ordered === undefined ? {} : { ordered: pairs(ordered) }),
    },
  };
}

/** Overtaken messages have receipts of their own place, entered fragments have copies already: these are left as they are. */
function isPlain({ messages, standing, term }: Contract, { index, entry }: ContractMessage): boolean {
  return (
    entry === undefined &&
    !messages.some((other) => other.entry?.of === index) &&
    !standing.some(({ message, before }) => message === index || before === index) &&
    !nodesOf(term).some((node) => node.kind === 'seq' && node.late?.some(({ message }) => message === index) === true)
  );
}

function withChoices(node: Node, copies: ReadonlyMap<number, number>): Node {
  const inside = (one: Node): Node => withChoices(one, copies);
  switch (node.kind) {
    case 'message': {
      const copy = copies.get(node.message);
      if (copy === undefined) return node;
      const operands: readonly Node[] = [node, { kind: 'message', message: copy }];
      return { kind: 'alt', operands, optional: false, fragment: -1, keyed: false };
    }
    case 'seq':
      return { ...node, items: node.items.map(inside) };
    case 'alt':
    case 'par':
      return { ...node, operands: node.operands.map(inside) };
    case 'opt':
    case 'loop':
    case 'guarded':
    case 'break':
      return { ...node, body: inside(node.body) };
    case 'critical':
      return { ...node, body: inside(node.body), options: node.options.map(inside) };
    case 'concurrent':
      return { ...node, loops: node.loops.map(inside) };
  }
}
