import type { ASTNode } from '@marcbachmann/cel-js';
import { MACROS, partsOf } from './expression-cost.ts';
import { nameOf, syntaxTreeOf } from './expression.ts';

/** A field or an attribute that an expression reads. */
export interface ReadName {
  readonly name: string;
  /** It is asked for with `has(…)` and nothing else: that it is missing is an answer. */
  readonly isOnlyAskedFor: boolean;
}

/** A part of a syntax tree, and the variables that macros around it bind (`s` in `list.exists(s, …)`). */
interface Part {
  readonly node: ASTNode;
  readonly bound: ReadonlySet<string>;
}

/** The fields and attributes that an expression reads, by dotted name, without those that its macros bind; none in a wrong text. */
export function namesRead(cel: string): readonly ReadName[] {
  const tree = syntaxTreeOf(cel);
  const isOnlyAskedFor = new Map<string, boolean>();
  const found = (name: string, isAsked: boolean, { bound }: Part): void => {
    if (bound.has(name.split('.', 1)[0] ?? '')) return;
    isOnlyAskedFor.set(name, isAsked && isOnlyAskedFor.get(name) !== false);
  };
  const pending: Part[] = tree === null ? [] : [{ node: tree, bound: new Set() }];
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    const asked = askedName(part.node);
    const name = asked ?? nameOf(part.node);
    if (name === undefined) pending.push(...innerParts(part));
    else found(name, asked !== undefined, part);
  }
  return [...isOnlyAskedFor].map(([name, isAsked]) => ({ name, isOnlyAskedFor: isAsked })).reverse();
}

/** The names that must be there where an expression is true: what it asks for, or compares, in one of its parts that must all hold. */
export function namesDemanded(cel: string): readonly string[] {
  const names: string[] = [];
  const tree = syntaxTreeOf(cel);
  const pending: ASTNode[] = tree === null ? [] : [tree];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.op === '&&') pending.push(...node.args);
    else
      names.push(
        ...[askedName(node) ?? (node.op === '==' ? nameOf(node.args[0]) : undefined)].flatMap((name) => name ?? []),
      );
  }
  return names;
}

/** The name in `has(name)`. */
function askedName(node: ASTNode): string | undefined {
  const [operand] = node.op === 'call' && node.args[0] === 'has' ? node.args[1] : [];
  return operand === undefined ? undefined : nameOf(operand);
}

function innerParts({ node, bound }: Part): readonly Part[] {
  if (node.op !== 'rcall' || !MACROS.has(node.args[0])) return partsOf(node).map((inner) => ({ node: inner, bound }));
  const [, list, [variable, ...operands]] = node.args;
  const inside = variable?.op === 'id' ? new Set([...bound, variable.args]) : bound;
  return [{ node: list, bound }, ...operands.map((operand) => ({ node: operand, bound: inside }))];
}
