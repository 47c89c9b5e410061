import { printableJson } from '../diagnostics/index.ts';
import type { ReportInput } from './types.ts';

/** The verdict as data: specs/verdict.schema.json. The same verdict always gives the same bytes. */
export function renderJson({ run }: ReportInput): string {
  return `${printableJson(inOrder(run))}\n`;
}

/** The fields that a reader looks for first; the others follow by name. */
const FIRST = ['v', 'outcome', 'exitCode', 'kind', 'spec', 'name', 'reason', 'key', 'run', 'counts'];

const rank = (name: string): number => {
  const index = FIRST.indexOf(name);
  return index < 0 ? FIRST.length : index;
};

// Not localeCompare: the order must not depend on the machine.
const byRank = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  rank(a) - rank(b) || (a < b ? -1 : a > b ? 1 : 0);

/** Plain data with its keys in a fixed order, whatever the order in which the checker filled them. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(byRank)
      .map(([name, inner]) => [name, inOrder(inner)]),
  );
}
