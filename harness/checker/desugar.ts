import { type Node } from '../contract/index.ts';

const NOTHING: Node = { kind: 'seq', items: [] };

/**
 * The same runs without `break`, and without the options of `critical`: x ; break(B) ; rest is x ; (B or rest), and
 * loop(x ; break(B) ; rest) is loop(x ; rest), or loop(x ; rest) ; x ; B. Recursion follows the nesting, which is bounded before.
 */
export function withoutBreaks(node: Node): Node {
  const { normal, broken } = split(node);
  return broken === null ? normal : oneOf([normal, broken]);
}

/** Runs in which no break is taken, and those that end with a break of something further out. */
interface Split {
  readonly normal: Node;
  readonly broken: Node | null;
}

function split(node: Node): Split {
  switch (node.kind) {
    case 'message':
      return { normal: node, broken: null };
    case 'seq':
      return splitSequence(node, node.items.map(split));
    case 'alt': {
      const operands = node.operands.map(split);
      return { normal: { ...node, operands: operands.map(({ normal }) => normal) }, broken: anyOf(operands) };
    }
    case 'opt':
    case 'guarded':
      return splitWrapped(node, node.kind === 'opt');
    case 'critical':
      return splitCritical(node);
    case 'loop':
      return { normal: endedLoop(node, split(node.body)), broken: null };
    case 'par':
      return { normal: { ...node, operands: node.operands.map(withoutBreaks) }, broken: null };
    case 'concurrent':
      return { normal: { ...node, loops: node.loops.map(withoutBreaks) }, broken: null };
    case 'break':
      return { normal: NOTHING, broken: withoutBreaks(node.body) };
  }
}

function splitSequence(node: Extract<Node, { kind: 'seq' }>, items: readonly Split[]): Split {
  const normals = items.map(({ normal }) => normal);
  const broken = items.flatMap(({ broken: end }, index) =>
    end === null ? [] : [{ kind: 'seq', items: [...normals.slice(0, index), end] } as const],
  );
  // Between messages that overtake each other stands no break.
  return { normal: { ...node, items: normals }, broken: broken.length === 0 ? null : oneOf(broken) };
}

function splitWrapped(node: Extract<Node, { kind: 'opt' | 'guarded' }>, isDropped: boolean): Split {
  const { normal, broken } = split(node.body);
  // An option that is left by a break was taken.
  const wrap = (body: Node): Node => (isDropped ? body : { ...node, body });
  return { normal: { ...node, body: normal }, broken: broken === null ? null : wrap(broken) };
}

function splitCritical(node: Extract<Node, { kind: 'critical' }>): Split {
  const { normal, broken } = split(node.body);
  const options = node.options.map(withoutBreaks);
  const begun = options.length === 0 ? null : beginningOf(broken === null ? normal : oneOf([normal, broken]));
  const body = begun === null ? normal : oneOf([normal, { kind: 'seq', items: [begun, oneOf(options)] }]);
  const wrap = (inner: Node): Node => ({ ...node, body: inner, options: [] });
  return { normal: wrap(body), broken: broken === null ? null : wrap(broken) };
}

function endedLoop(loop: Extract<Node, { kind: 'loop' }>, { normal, broken }: Split): Node {
  const whole: Node = { ...loop, body: normal };
  if (broken === null) return whole;
  return oneOf([whole, { kind: 'seq', items: [fewer(whole), broken], iterations: true }]);
}

/** Any number of iterations that leaves room for one more. */
const fewer = (loop: Extract<Node, { kind: 'loop' }>): Node => ({
  ...loop,
  min: 0,
  max: loop.max === null ? null : Math.max(0, loop.max - 1),
});

const anyOf = (splits: readonly Split[]): Node | null => {
  const broken = splits.flatMap(({ broken: end }) => (end === null ? [] : [end]));
  return broken.length === 0 ? null : oneOf(broken);
};

function oneOf(operands: readonly Node[]): Node {
  const [only] = operands;
  if (only !== undefined && operands.length === 1) return only;
  return { kind: 'alt', operands, optional: false, fragment: -1, keyed: false };
}

/** Made once for each node: nested fragments share what stands in them, and a beginning of a beginning is one already. */
const beginnings = new WeakMap<Node, { readonly begun: Node | null }>();

/** Beginnings of the runs of `node`, of one message at least; null: it holds none. No break stands in it. */
function beginningOf(node: Node): Node | null {
  const known = beginnings.get(node);
  if (known !== undefined) return known.begun;
  const begun = findBeginning(node);
  beginnings.set(node, { begun });
  if (begun !== null) beginnings.set(begun, { begun });
  return begun;
}

function findBeginning(node: Node): Node | null {
  switch (node.kind) {
    case 'message':
      return node;
    case 'seq':
      return choiceOf(
        node.items.map((item, index) => {
          const begun = beginningOf(item);
          return begun === null ? null : { ...node, items: [...node.items.slice(0, index), begun] };
        }),
      );
    case 'alt':
      return choiceOf(node.operands.map(beginningOf));
    case 'opt':
      return beginningOf(node.body);
    case 'guarded':
    case 'critical': {
      const begun = beginningOf(node.body);
      return begun === null ? null : { ...node, body: begun };
    }
    case 'loop': {
      const begun = beginningOf(node.body);
      return begun === null ? null : { kind: 'seq', items: [fewer(node), begun], iterations: true };
    }
    case 'par':
      return beginningOfAny(node);
    case 'concurrent':
    case 'break':
      return node;
  }
}

/** One operand has begun; the others may have. */
function beginningOfAny(node: Extract<Node, { kind: 'par' }>): Node | null {
  const begun = node.operands.map(beginningOf);
  return choiceOf(
    begun.map((first, index) => {
      if (first === null) return null;
      const operands = begun.map((other, at) => (at === index ? first : optional(other)));
      return { ...node, operands };
    }),
  );
}

const optional = (body: Node | null): Node =>
  body === null ? NOTHING : { kind: 'opt', body, fragment: -1, keyed: false };

function choiceOf(choices: readonly (Node | null)[]): Node | null {
  const found = choices.filter((choice) => choice !== null);
  return found.length === 0 ? null : oneOf(found);
}
