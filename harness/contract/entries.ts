import type { ContractMessage, Node } from './types.ts';

/** What stands around a message and is entered by its first event: guarded operands and critical fragments. */
type Scope =
  { readonly kind: 'guard'; readonly guard: number } | { readonly kind: 'critical'; readonly fragment: number };

/**
 * The messages with a copy of each for every depth at which it may be the first event of what it stands in: a message that
 * enters an operand has entered all operands inside of it, down to its own place.
 */
export function withEntries(messages: readonly ContractMessage[], term: Node): readonly ContractMessage[] {
  const scopes = scopesOf(term);
  const entries: ContractMessage[] = [];
  for (const message of messages) {
    const around = scopes.get(message.index) ?? [];
    for (let entered = around.length - 1; entered >= 0; entered--)
      entries.push({
        ...message,
        index: messages.length + entries.length,
        entry: entryOf(message.index, around.slice(entered)),
      });
  }
  return [...messages, ...entries];
}

function entryOf(of: number, scopes: readonly Scope[]): NonNullable<ContractMessage['entry']> {
  return {
    of,
    outermost: scopes[0]?.kind ?? 'guard',
    guards: scopes.flatMap((scope) => (scope.kind === 'guard' ? [scope.guard] : [])),
    criticals: scopes.flatMap((scope) => (scope.kind === 'critical' ? [scope.fragment] : [])),
  };
}

/** By message, outer before inner. */
function scopesOf(root: Node): ReadonlyMap<number, readonly Scope[]> {
  const found = new Map<number, readonly Scope[]>();
  const pending: { readonly node: Node; readonly scopes: readonly Scope[] }[] = [{ node: root, scopes: [] }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, scopes } = next;
    if (node.kind === 'message') found.set(node.message, scopes);
    const inner = scopeOf(node);
    const inside = inner === null ? scopes : [...scopes, inner];
    for (const child of childrenOf(node)) pending.push({ node: child, scopes: inside });
  }
  return found;
}

function scopeOf(node: Node): Scope | null {
  if (node.kind === 'guarded') return { kind: 'guard', guard: node.guard };
  return node.kind === 'critical' ? { kind: 'critical', fragment: node.fragment } : null;
}

/** What stands directly in a node, in drawn order. */
export function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'message':
      return [];
    case 'seq':
      return node.items;
    case 'alt':
    case 'par':
      return node.operands;
    case 'opt':
    case 'loop':
    case 'guarded':
    case 'break':
      return [node.body];
    case 'critical':
      return [node.body, ...node.options];
    case 'concurrent':
      return node.loops;
  }
}
