import type { Contract } from '../../contract/index.ts';
import type { Machine } from '../run.ts';

/** Parts of a contract that need nothing of the stream, or that it knows; with anything else the whole checker judges. */
const KNOWN: ReadonlySet<string> = new Set<keyof Contract>([
  'v',
  'spec',
  'binding',
  'order',
  'lifelines',
  'drawn',
  'bound',
  'fragments',
  'messages',
  'term',
  'parameters',
  'key',
  'only',
  'unordered',
  'ordered',
  'bridged',
  'standing',
  'closed',
  'notes',
  'replaced',
  'gaps',
  'inlined',
]);
const KNOWN_NODES = new Set(['message', 'seq', 'alt', 'opt', 'loop', 'par', 'concurrent']);

/** Can a stream decide which instances went as drawn? */
export function isStreamable({ contract, watch }: Pick<Machine, 'contract' | 'watch'>): boolean {
  const isKnown = Object.entries(contract).every(([key, value]) => KNOWN.has(key) || isEmpty(value));
  const isPlain = contract.messages.every(
    ({ from, to, receipt, retry, entry }) =>
      from !== null && to !== null && receipt !== 'never' && retry === undefined && entry === undefined,
  );
  return (
    isKnown && isPlain && watch === null && !contract.closed && contract.key.length <= 2 && hasKnownNodes(contract)
  );
}

const isEmpty = (value: unknown): boolean => value === undefined || (Array.isArray(value) && value.length === 0);

function hasKnownNodes({ term }: Contract): boolean {
  const pending: unknown[] = [term];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    if ('kind' in next && !KNOWN_NODES.has(String(next.kind))) return false;
    for (const value of Object.values(next)) if (typeof value === 'object' && value !== null) pending.push(value);
  }
  return true;
}
