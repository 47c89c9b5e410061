import { lateMessages, type Contract } from '../../contract/index.ts';
import { hasEach } from '../expand-each.ts';
import type { Machine } from '../run.ts';

/**
 * Does a stream know this part of a contract, or does it need nothing of the stream? With anything else in it, the whole
 * checker judges. A part that is new must be entered here.
 */
const IS_KNOWN: Readonly<Record<keyof Required<Contract>, boolean>> = {
  v: true,
  spec: true,
  binding: true,
  order: true,
  lifelines: true,
  drawn: true,
  bound: true,
  fragments: true,
  messages: true,
  term: true,
  parameters: true,
  key: true,
  only: true,
  unordered: true,
  ordered: true,
  bridged: true,
  standing: true,
  closed: true,
  notes: true,
  replaced: true,
  gaps: true,
  inlined: true,
  connections: false,
  guards: false,
  timings: false,
  forbidden: false,
  ends: false,
  runs: false,
  errors: false,
  exclusive: false,
  lifetimes: false,
};
const KNOWN: ReadonlySet<string> = new Set(
  Object.entries(IS_KNOWN).flatMap(([part, isKnown]) => (isKnown ? [part] : [])),
);
const KNOWN_NODES = new Set(['message', 'seq', 'alt', 'opt', 'loop', 'par', 'concurrent']);

/** Can a stream decide which instances went as drawn? */
export function isStreamable({ contract, watch }: Pick<Machine, 'contract' | 'watch'>): boolean {
  const isKnown = Object.entries(contract).every(([key, value]) => KNOWN.has(key) || isEmpty(value));
  const isPlain = contract.messages.every(
    ({ from, to, receipt, retry, entry }) =>
      from !== null && to !== null && receipt !== 'never' && retry === undefined && entry === undefined,
  );
  return (
    isKnown &&
    isPlain &&
    watch === null &&
    !contract.closed &&
    !hasEach(contract) &&
    lateMessages(contract).size === 0 &&
    contract.key.length <= 2 &&
    hasKnownNodes(contract)
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
