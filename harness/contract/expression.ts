import { Environment, ParseError, serialize, TypeError as CheckError } from '@marcbachmann/cel-js';
import type { ASTNode } from '@marcbachmann/cel-js';
import { refusalForLibrary } from './expression-cost.ts';
import { nestedViewOf, readerOf } from './expression-scope.ts';
import type { ExpressionScope, ExpressionValue } from './expression-scope.ts';
import { compileRegex } from './linear-regex.ts';

/**
 * A CEL expression as closures over one event. Most events lack most attributes, and the library answers a missing one by
 * throwing (10 µs), so the parser's syntax tree is compiled here and the library evaluates only what is rare.
 */
export interface CompiledExpression {
  readonly text: string;
  /** True only where the expression is true: a missing attribute makes it not true, never an error. */
  readonly test: (scope: ExpressionScope) => boolean;
  /** Its value; undefined where an attribute is missing or an operation has no meaning. */
  readonly value: (scope: ExpressionScope) => ExpressionValue | undefined;
  /** It can be true: its type is boolean, or known only at run time. */
  readonly isCondition: boolean;
  /** Some part is evaluated by the library, about a hundred times slower. */
  readonly isSlow: boolean;
}

/** Why a text is no expression, and where (0-based offset in the text). */
export interface ExpressionError {
  readonly error: string;
  readonly offset: number;
}

const LENGTH_MAX = 4_000;
/** Also bounds the recursion over the syntax tree below. */
const NODES_MAX = 1_000;
const DEPTH_MAX = 100;

/** `undefined`: unknown. `null` comes only from a literal. */
type Value = ExpressionValue | null | undefined;
type Evaluate = (scope: ExpressionScope) => Value;

const environment = new Environment({
  unlistedVariablesAreDyn: true,
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: NODES_MAX, maxDepth: DEPTH_MAX },
});
for (const field of ['from', 'to', 'kind', 'label']) environment.registerVariable(field, 'string');

/** Compiles a CEL expression over seq, from, to, kind, label, status, time and the attributes by dotted name. */
export function compileExpression(cel: string): CompiledExpression | ExpressionError {
  if (cel.length > LENGTH_MAX) return { error: `longer than ${LENGTH_MAX} characters`, offset: 0 };
  try {
    const tree = environment.parse(cel).ast;
    const compilation: Compilation = { presenceTests: [], isSlow: false };
    const evaluate = compile(tree, compilation);
    const type = typeOf(cel, compilation.presenceTests);
    return {
      text: cel,
      test: (scope) => evaluate(scope) === true,
      value: (scope) => evaluate(scope) ?? undefined,
      isCondition: type === 'bool' || type === 'dyn',
      isSlow: compilation.isSlow,
    };
  } catch (error) {
    if (error instanceof Unsupported) return { error: error.message, offset: error.offset };
    if (error instanceof ParseError || error instanceof CheckError)
      return { error: error.summary, offset: error.range?.start ?? 0 };
    throw error;
  }
}

/** The syntax tree of an expression; null: the text is none. */
export function syntaxTreeOf(cel: string): ASTNode | null {
  if (cel.length > LENGTH_MAX) return null;
  try {
    return environment.parse(cel).ast;
  } catch (error) {
    if (error instanceof ParseError) return null;
    throw error;
  }
}

/** Ends a compilation; becomes an `ExpressionError` at the door. */
class Unsupported extends Error {
  readonly offset: number;
  constructor(message: string, node: ASTNode) {
    super(message);
    this.offset = node.range.start;
  }
}

interface Compilation {
  /** The extents of `has(name)` for a name without a dot. */
  readonly presenceTests: { readonly start: number; readonly end: number }[];
  isSlow: boolean;
}

/** CEL knows `has(a.b)` only; our names are flat, so `has(status)` is as good. It is `true` to the library's type check. */
function typeOf(cel: string, presenceTests: Compilation['presenceTests']): string | undefined {
  let text = cel;
  for (const { start, end } of presenceTests)
    text = text.slice(0, start) + 'true'.padEnd(end - start) + text.slice(end);
  const checked = environment.parse(text).check();
  if (checked.error !== undefined) throw checked.error;
  return checked.type;
}

function compile(node: ASTNode, compilation: Compilation): Evaluate {
  const name = nameOf(node);
  if (name !== undefined) return readerOf(name);
  switch (node.op) {
    case 'value':
      return literal(node, compilation);
    case '&&':
      return both(compile(node.args[0], compilation), compile(node.args[1], compilation));
    case '||':
      return either(compile(node.args[0], compilation), compile(node.args[1], compilation));
    case '!_':
      return not(compile(node.args, compilation));
    case '-_':
      return negative(compile(node.args, compilation));
    case '?:':
      return conditional(node.args.map((part) => compile(part, compilation)));
    case '==':
    case '!=':
      return equality(node.args, node.op === '==', compilation);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return comparison(node.op, compile(node.args[0], compilation), compile(node.args[1], compilation));
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
      return arithmetic(node, compilation);
    case 'in':
      return membership(node, compilation);
    case 'call':
      return node.args[0] === 'has' ? presence(node, node.args[1], compilation) : byLibrary(node, compilation);
    case 'rcall':
      return method(node, compilation);
    case 'id':
    case '.':
    case '.?':
    case '[]':
    case '[?]':
    case 'list':
    case 'map':
      return byLibrary(node, compilation);
  }
}

/** `k8s.pod.name`, `k8s.pod["name"]`: one flat name. */
export function nameOf(node: ASTNode): string | undefined {
  const parts: string[] = [];
  let rest = node;
  for (;;) {
    if (rest.op === 'id') return [rest.args, ...parts.reverse()].join('.');
    if (rest.op === '.') {
      parts.push(rest.args[1]);
      rest = rest.args[0];
    } else if (rest.op === '[]' && rest.args[1].op === 'value' && typeof rest.args[1].args === 'string') {
      parts.push(rest.args[1].args);
      rest = rest.args[0];
    } else return undefined;
  }
}

type Node<Op extends ASTNode['op']> = Extract<ASTNode, { readonly op: Op }>;

function literal(node: Node<'value'>, compilation: Compilation): Evaluate {
  const value = constantOf(node);
  return value === undefined ? byLibrary(node, compilation) : () => value;
}

/** A literal's value; undefined for what is none (or is bytes, which no attribute holds). */
function constantOf(node: ASTNode): ExpressionValue | null | undefined {
  if (node.op !== 'value') return undefined;
  const value = node.args;
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  if (value instanceof Uint8Array) return undefined;
  const whole = Number(typeof value === 'bigint' ? value : value.valueOf());
  if (!Number.isSafeInteger(whole)) throw new Unsupported('this number is too large to be compared exactly', node);
  return whole;
}

const both =
  (left: Evaluate, right: Evaluate): Evaluate =>
  (scope) => {
    const first = left(scope);
    if (first === false) return false;
    const second = right(scope);
    if (second === false) return false;
    return first === true && second === true ? true : undefined;
  };

const either =
  (left: Evaluate, right: Evaluate): Evaluate =>
  (scope) => {
    const first = left(scope);
    if (first === true) return true;
    const second = right(scope);
    if (second === true) return true;
    return first === false && second === false ? false : undefined;
  };

const not =
  (operand: Evaluate): Evaluate =>
  (scope) => {
    const value = operand(scope);
    return typeof value === 'boolean' ? !value : undefined;
  };

const negative =
  (operand: Evaluate): Evaluate =>
  (scope) => {
    const value = operand(scope);
    return typeof value === 'number' ? -value : undefined;
  };

const conditional = (parts: readonly Evaluate[]): Evaluate => {
  const [condition, whenTrue, whenFalse] = parts;
  if (condition === undefined || whenTrue === undefined || whenFalse === undefined)
    throw new Error('a conditional has three parts: the parser builds no other');
  return (scope) => {
    const value = condition(scope);
    return value === true ? whenTrue(scope) : value === false ? whenFalse(scope) : undefined;
  };
};

function equality(sides: readonly [ASTNode, ASTNode], wanted: boolean, compilation: Compilation): Evaluate {
  const [left, right] = sides;
  const constant = constantOf(right);
  const first = compile(left, compilation);
  if (constant !== undefined) {
    return (scope) => {
      const value = first(scope);
      return value === undefined ? undefined : (value === constant) === wanted;
    };
  }
  const second = compile(right, compilation);
  return (scope) => {
    const one = first(scope);
    if (one === undefined) return undefined;
    const other = second(scope);
    return other === undefined ? undefined : (one === other) === wanted;
  };
}

type Comparison = '<' | '<=' | '>' | '>=';
const COMPARE: Readonly<Record<Comparison, (a: ExpressionValue, b: ExpressionValue) => boolean>> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

function comparison(operator: Comparison, left: Evaluate, right: Evaluate): Evaluate {
  const compare = COMPARE[operator];
  return (scope) => {
    const first = left(scope) ?? undefined;
    const second = right(scope) ?? undefined;
    if (first === undefined || second === undefined || typeof first !== typeof second) return undefined;
    return compare(first, second);
  };
}

type Arithmetic = '+' | '-' | '*' | '/' | '%';

function arithmetic(node: Node<Arithmetic>, compilation: Compilation): Evaluate {
  const operator: Arithmetic = node.op;
  const [left, right] = node.args;
  const first = compile(left, compilation);
  const second = compile(right, compilation);
  const isReal = typeof realOf(left) === 'number' || typeof realOf(right) === 'number';
  return (scope) => {
    const a = first(scope);
    const b = second(scope);
    if (typeof a === 'number' && typeof b === 'number') return calculate(operator, a, b, isReal);
    return operator === '+' && typeof a === 'string' && typeof b === 'string' ? joined(a, b) : undefined;
  };
}

/** Longer texts than an event has are not made. */
const TEXT_MAX = 10_000_000;

const joined = (a: string, b: string): string | undefined => (a.length + b.length > TEXT_MAX ? undefined : a + b);

/** The value of a literal like `2.0`, which makes a division real. */
const realOf = (node: ASTNode): number | undefined =>
  node.op === 'value' && typeof node.args === 'number' ? node.args : undefined;

function calculate(operator: Arithmetic, a: number, b: number, isReal: boolean): number | undefined {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return isReal || !Number.isInteger(a) || !Number.isInteger(b) ? a / b : b === 0 ? undefined : Math.trunc(a / b);
    case '%':
      return isReal || !Number.isInteger(a) || !Number.isInteger(b) || b === 0 ? undefined : a % b;
  }
}

function membership(node: Node<'in'>, compilation: Compilation): Evaluate {
  const [element, collection] = node.args;
  if (collection.op !== 'list') return byLibrary(node, compilation);
  const wanted = compile(element, compilation);
  const members = collection.args.map((member) => compile(member, compilation));
  return (scope) => {
    const value = wanted(scope);
    if (value === undefined) return undefined;
    let isUnknown = false;
    for (const member of members) {
      const candidate = member(scope);
      if (candidate === value) return true;
      isUnknown ||= candidate === undefined;
    }
    return isUnknown ? undefined : false;
  };
}

/** Definite, unlike every other use of a name: `!has(x)` is true where x is missing. */
function presence(node: ASTNode, operands: readonly ASTNode[], compilation: Compilation): Evaluate {
  const [operand] = operands;
  const name = operand === undefined || operands.length !== 1 ? undefined : nameOf(operand);
  if (operand === undefined || name === undefined) throw new Unsupported('has() takes the name of one attribute', node);
  if (operand.op !== '.') compilation.presenceTests.push(node.range);
  const read = readerOf(name);
  return (scope) => read(scope) !== undefined;
}

const TEXT_TESTS: ReadonlyMap<string, (text: string, part: string) => boolean> = new Map([
  ['startsWith', (text: string, part: string) => text.startsWith(part)],
  ['endsWith', (text: string, part: string) => text.endsWith(part)],
  ['contains', (text: string, part: string) => text.includes(part)],
]);

function method(node: Node<'rcall'>, compilation: Compilation): Evaluate {
  const [name, receiver, operands] = node.args;
  const [operand] = operands;
  const test = TEXT_TESTS.get(name);
  if (operands.length === 0 && name === 'lowerAscii') return lowerAscii(compile(receiver, compilation));
  if (operand === undefined || operands.length !== 1) return byLibrary(node, compilation);
  if (name === 'matches') return matches(node, receiver, operand, compilation);
  if (test === undefined) return byLibrary(node, compilation);
  const text = compile(receiver, compilation);
  const part = compile(operand, compilation);
  return (scope) => {
    const whole = text(scope);
    const piece = part(scope);
    return typeof whole === 'string' && typeof piece === 'string' ? test(whole, piece) : undefined;
  };
}

const lowerAscii =
  (operand: Evaluate): Evaluate =>
  (scope) => {
    const value = operand(scope);
    return typeof value === 'string' ? value.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : undefined;
  };

function matches(node: ASTNode, receiver: ASTNode, operand: ASTNode, compilation: Compilation): Evaluate {
  const pattern = constantOf(operand);
  if (typeof pattern !== 'string') return byLibrary(node, compilation);
  const text = compile(receiver, compilation);
  const expression = compileRegex(pattern);
  if ('error' in expression) throw new Unsupported(expression.error, operand);
  return (scope) => {
    const value = text(scope);
    return typeof value === 'string' ? expression.test(value) : undefined;
  };
}

/** Everything rare: the library evaluates this part on a nested view of the event; whatever it cannot answer is unknown. */
function byLibrary(node: ASTNode, compilation: Compilation): Evaluate {
  compilation.isSlow = true;
  const refused = refusalForLibrary(node);
  if (refused !== null) throw new Unsupported(refused.error, refused.node);
  const evaluate = environment.parse(serialize(node));
  return (scope) => {
    try {
      const value: unknown = evaluate(nestedViewOf(scope));
      if (typeof value === 'bigint') return Number(value);
      return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
    } catch {
      // A missing attribute or an operation without meaning: the library tells both by throwing.
      return undefined;
    }
  };
}
