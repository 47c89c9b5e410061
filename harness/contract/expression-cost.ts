import type { ASTNode } from '@marcbachmann/cel-js';
import { isFlat } from './linear-regex.ts';

/** What the library may do for one event: steps, as estimated below. */
const STEPS_MAX = 10_000;
/** How long a list is whose length only the event decides (`label.split(",")`). */
const UNKNOWN_LENGTH = 1_000;

/** Methods that bind a variable. */
export const MACROS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

/** Why a part of an expression is not handed to the library, and which part of it is at fault. */
export interface LibraryRefusal {
  readonly error: string;
  readonly node: ASTNode;
}

/**
 * The library evaluates whatever it is given, for as long as it takes: nested macros multiply, and its `matches`
 * backtracks. Both are refused beforehand where they could take long, since an evaluation cannot be stopped.
 */
export function refusalForLibrary(root: ASTNode): LibraryRefusal | null {
  let steps = 0;
  const pending = [{ node: root, times: 1 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, times } = next;
    steps += times;
    if (steps > STEPS_MAX)
      return { error: `macros inside macros: it may take more than ${STEPS_MAX} steps for one event`, node };
    if (node.op === 'rcall' && MACROS.has(node.args[0])) {
      const [, list, operands] = node.args;
      pending.push({ node: list, times });
      const perElement = times * (list.op === 'list' ? list.args.length : UNKNOWN_LENGTH);
      for (const operand of operands) pending.push({ node: operand, times: perElement });
      continue;
    }
    if (node.op === 'rcall' && node.args[0] === 'matches' && !isHarmless(node.args[2][0]))
      return { error: 'here, matches() takes a literal of at most one repetition after "^"', node };
    for (const part of partsOf(node)) pending.push({ node: part, times });
  }
  return null;
}

const isHarmless = (pattern: ASTNode | undefined): boolean =>
  pattern?.op === 'value' && typeof pattern.args === 'string' && isFlat(pattern.args);

/** The nodes among the arguments of a node, which come alone, in lists, and (the entries of a map) in lists of lists. */
export function partsOf(node: ASTNode): readonly ASTNode[] {
  const found: ASTNode[] = [];
  const pending: unknown[] = [node.args];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (Array.isArray(value)) pending.push(...(value as readonly unknown[]).filter((one) => one !== undefined));
    else if (isNode(value)) found.push(value);
  }
  return found;
}

const isNode = (value: unknown): value is ASTNode =>
  typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
