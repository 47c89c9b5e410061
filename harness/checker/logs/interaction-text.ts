import { Deriver } from '../derive.ts';
import { coregion, relationsOfLifelines, type Occurrence, type Relation } from '../relation.ts';
import { EMPTY, TermTable, type Term } from '../terms.ts';
import type { Interaction } from './judge-logs.ts';

/** An interaction written as text, with the names of its lifelines and actions. */
export interface NamedInteraction extends Interaction {
  readonly lifelines: ReadonlyMap<string, number>;
  /** `l1!m` and `l1?m`, each one occurrence wherever it stands: only its lifeline orders it. */
  readonly actions: ReadonlyMap<string, Occurrence>;
  /** By occurrence. */
  readonly lifelineOf: readonly number[];
}

type Operator =
  | { readonly kind: 'sequence'; readonly relation: (lifelines: readonly number[]) => Relation }
  | { readonly kind: 'alt' }
  | { readonly kind: 'opt' }
  | { readonly kind: 'loop'; readonly relation: Relation; readonly headFirst: boolean };

const sequence = (relation: Relation): Operator => ({ kind: 'sequence', relation: () => relation });
const loop = (relation: Relation, headFirst = false): Operator => ({ kind: 'loop', relation, headFirst });

const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ['strict', sequence('always')],
  ['seq', sequence('lifeline')],
  ['par', sequence('never')],
  ['coreg', { kind: 'sequence', relation: coregion }],
  ['alt', { kind: 'alt' }],
  ['opt', { kind: 'opt' }],
  ['loopS', loop('always')],
  ['loopW', loop('lifeline')],
  ['loopP', loop('never')],
  ['loopH', loop('lifeline', true)],
]);

const TOKEN = /\s*(?:(--|->\|?|[(),])|([A-Za-z_]\w*)|(∅|0))/uy;

type Action = { readonly lifeline: string; readonly action: string };

/** Text to tree, children before parents: a list of instructions for a stack, so that nesting costs no recursion. */
type Instruction =
  | { readonly kind: 'empty' }
  /** A send, its receipts, and that these come after it. */
  | { readonly kind: 'message'; readonly send: Action | null; readonly receipts: readonly Action[] }
  | {
      readonly kind: 'combine';
      readonly operator: Operator;
      readonly lifelines: readonly string[];
      readonly count: number;
    };

/**
 * Reads the language in which HIBOU writes interactions (Mahe et al.): `a -- m ->|` (send), `m -> a` (receipt), `a -- m -> b`,
 * `a -- m -> (b,c)`, and `strict, seq, par, coreg(a,b), alt, opt, loopS, loopW, loopP, loopH`. Null where it is something else.
 */
export function readInteraction(text: string, termsMax?: number): NamedInteraction | null {
  const tokens = tokensOf(text);
  const instructions = tokens === null ? null : parse(tokens);
  return instructions === null ? null : build(instructions, termsMax);
}

function tokensOf(text: string): string[] | null {
  const tokens: string[] = [];
  const pattern = new RegExp(TOKEN);
  const trimmed = text.trimEnd();
  while (pattern.lastIndex < trimmed.length) {
    const match = pattern.exec(trimmed);
    if (match === null) return null;
    tokens.push(match[0].trim());
  }
  return tokens;
}

interface Open {
  readonly operator: Operator;
  readonly lifelines: readonly string[];
  count: number;
}

function parse(tokens: readonly string[]): Instruction[] | null {
  const instructions: Instruction[] = [];
  const open: Open[] = [];
  const isName = (token: string | undefined): token is string => token !== undefined && /^\w+$/.test(token);
  let at = 0;
  const names = (): string[] | null => {
    const found: string[] = [];
    for (;;) {
      const name = tokens[at];
      if (!isName(name)) return null;
      found.push(name);
      const next = tokens[at + 1];
      at += 2;
      if (next === ')') return found;
      if (next !== ',') return null;
    }
  };
  /** Everything that stands between two operands. */
  const close = (): boolean => {
    for (;;) {
      const top = open.at(-1);
      if (top === undefined) return at === tokens.length;
      const token = tokens[at++];
      if (token === ',') return true;
      if (token !== ')') return false;
      instructions.push({ kind: 'combine', ...top });
      open.pop();
      const outer = open.at(-1);
      if (outer !== undefined) outer.count++;
    }
  };
  while (at < tokens.length) {
    const token = tokens[at];
    const operator = OPERATORS.get(token ?? '');
    if (operator !== undefined && tokens[at + 1] === '(') {
      at += 2;
      let lifelines: readonly string[] = [];
      if (token === 'coreg') {
        const named = names();
        if (named === null || tokens[at++] !== '(') return null;
        lifelines = named;
      }
      open.push({ operator, lifelines, count: 0 });
      continue;
    }
    const leaf = parseLeaf(tokens, at, isName);
    if (leaf === null) return null;
    instructions.push(leaf.instruction);
    at = leaf.next;
    const top = open.at(-1);
    if (top !== undefined) top.count++;
    if (!close()) return null;
  }
  return open.length === 0 && instructions.length > 0 ? instructions : null;
}

function parseLeaf(
  tokens: readonly string[],
  at: number,
  isName: (token: string | undefined) => token is string,
): { readonly instruction: Instruction; readonly next: number } | null {
  const [first, second, third, fourth, fifth] = tokens.slice(at, at + 5);
  if (first === '∅' || first === '0') return { instruction: { kind: 'empty' }, next: at + 1 };
  if (!isName(first)) return null;
  const receipt = (lifeline: string, message: string): Action => ({ lifeline, action: `${lifeline}?${message}` });
  if (second === '->' && isName(third))
    return { instruction: { kind: 'message', send: null, receipts: [receipt(third, first)] }, next: at + 3 };
  if (second !== '--' || !isName(third)) return null;
  const send: Action = { lifeline: first, action: `${first}!${third}` };
  if (fourth === '->|') return { instruction: { kind: 'message', send, receipts: [] }, next: at + 4 };
  if (fourth !== '->') return null;
  if (isName(fifth)) return { instruction: { kind: 'message', send, receipts: [receipt(fifth, third)] }, next: at + 5 };
  if (tokens[at + 4] !== '(') return null;
  const end = tokens.indexOf(')', at);
  const receivers = tokens.slice(at + 5, Math.max(end, 0)).filter((token) => token !== ',');
  if (receivers.length === 0 || !receivers.every(isName)) return null;
  const receipts = receivers.map((lifeline) => receipt(lifeline, third));
  return { instruction: { kind: 'message', send, receipts }, next: end + 1 };
}

function build(instructions: readonly Instruction[], termsMax: number | undefined): NamedInteraction {
  const lifelines = new Map<string, number>();
  const actions = new Map<string, Occurrence>();
  const lifelineOf: number[] = [];
  const lifelineNumber = (name: string): number => {
    const known = lifelines.get(name);
    if (known !== undefined) return known;
    lifelines.set(name, lifelines.size);
    return lifelines.size - 1;
  };
  const declare = ({ lifeline, action }: Action): void => {
    const number = lifelineNumber(lifeline);
    if (actions.has(action)) return;
    actions.set(action, lifelineOf.length);
    lifelineOf.push(number);
  };
  for (const instruction of instructions)
    if (instruction.kind === 'message')
      for (const action of [instruction.send, ...instruction.receipts]) if (action !== null) declare(action);

  const relations = relationsOfLifelines(lifelineOf);
  const terms = new TermTable(termsMax, relations);
  const action = (of: Action): Term => terms.occurrence(actions.get(of.action) ?? 0);
  const stack: Term[] = [];
  for (const instruction of instructions)
    switch (instruction.kind) {
      case 'empty':
        stack.push(EMPTY);
        break;
      case 'message': {
        const receipts = chain(terms, 'never', instruction.receipts.map(action));
        stack.push(instruction.send === null ? receipts : terms.seq('always', action(instruction.send), receipts));
        break;
      }
      case 'combine': {
        const operands = stack.splice(stack.length - instruction.count);
        stack.push(combine(terms, instruction.operator, operands, instruction.lifelines.map(lifelineNumber)));
        break;
      }
    }
  return { terms, deriver: new Deriver(terms, relations), initial: stack[0] ?? EMPTY, lifelines, actions, lifelineOf };
}

function combine(terms: TermTable, operator: Operator, operands: readonly Term[], lifelines: readonly number[]): Term {
  switch (operator.kind) {
    case 'sequence':
      return chain(terms, operator.relation(lifelines), operands);
    case 'alt':
      return terms.alt(operands);
    case 'opt':
      return terms.opt(chain(terms, 'lifeline', operands));
    case 'loop':
      return terms.loop(operator.relation, chain(terms, operator.relation, operands), operator.headFirst);
  }
}

const chain = (terms: TermTable, relation: Relation, parts: readonly Term[]): Term =>
  parts.reduceRight((rest, part) => terms.seq(relation, part, rest), EMPTY);
