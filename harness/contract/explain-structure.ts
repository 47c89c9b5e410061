import type { Contract, DrawnFragment, Node } from './types.ts';
import { clean, messagesIn, nodesOf } from './walk-term.ts';

/** Where an arrow stands: an operand of a fragment. */
interface Position {
  readonly fragment: number;
  readonly operand: number;
}

/** Fragments that choose, repeat or order nothing: their content stands where they stand. */
const PLAIN: ReadonlySet<string> = new Set(['rect', 'group', 'ref']);
/** Deeper fragments are indented no further: their lines would be mostly blanks. */
const INDENTED_MAX = 20;
const NOTHING = 'nothing';

/**
 * The lines of every drawn arrow, in drawn order, indented under what the fragments around it say of them: which are alternatives,
 * which repeat, which may be left out, which are in no order.
 */
export function structuredLines(contract: Contract, linesOf: (drawn: number) => readonly string[]): string[] {
  const { fragments = [] } = contract;
  const heads = headsOf(contract);
  const places = new Map(
    fragments.flatMap(({ operands }, fragment) =>
      operands.flatMap(({ arrows }, operand) => arrows.map((arrow) => [arrow, { fragment, operand }] as const)),
    ),
  );
  const lines: string[] = [];
  const open: Position[] = [];
  const add = (depth: number, ...texts: readonly string[]): void => {
    for (const text of texts) lines.push(`${'  '.repeat(Math.min(depth, INDENTED_MAX))}${text}`);
  };
  /** The operands of one fragment from `first` on, up to and without `end`: nothing is drawn in them. */
  const passBy = (fragment: number, first: number, end: number, depth: number): void => {
    for (let operand = first; operand < end; operand += 1) {
      add(depth, `${heads.head({ fragment, operand })}:`);
      add(depth + 1, NOTHING);
    }
  };
  const close = (depth: number): void => {
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      passBy(at.fragment, at.operand + 1, fragments[at.fragment]?.operands.length ?? 0, open.length);
      add(open.length, ...heads.tail(at.fragment));
      if (open.length <= depth) return;
    }
  };
  const enter = (at: Position, from: number): void => {
    passBy(at.fragment, from, at.operand, open.length);
    add(open.length, `${heads.head(at)}:`);
    open.push(at);
  };
  for (const { index } of contract.drawn) {
    const path = pathTo(places.get(index), fragments);
    const same = sharedDepth(open, path);
    const next = path[same];
    const before = open[same];
    if (before !== undefined && before.fragment === next?.fragment) {
      if (open.length > same + 1) close(same + 1);
      open.pop();
      enter(next, before.operand + 1);
    } else if (before !== undefined) close(same);
    for (const at of path.slice(open.length)) enter(at, 0);
    add(open.length, ...linesOf(index));
  }
  if (open.length > 0) close(0);
  return lines;
}

/** How many operands two places have in common, from outside. */
function sharedDepth(one: readonly Position[], other: readonly Position[]): number {
  const different = one.findIndex(
    ({ fragment, operand }, depth) => other[depth]?.fragment !== fragment || other[depth].operand !== operand,
  );
  return different < 0 ? one.length : different;
}

/** The operands around an arrow that say something, outer before inner. */
function pathTo(place: Position | undefined, fragments: readonly DrawnFragment[]): readonly Position[] {
  const path: Position[] = [];
  for (let at: Position | null = place ?? null; at !== null; at = fragments[at.fragment]?.outer ?? null)
    if (!PLAIN.has(fragments[at.fragment]?.kind ?? 'group')) path.push(at);
  return path.reverse();
}

interface Heads {
  /** What stands over an operand. */
  readonly head: (at: Position) => string;
  /** What stands after the last operand. */
  readonly tail: (fragment: number) => readonly string[];
}

function headsOf({ term, fragments = [] }: Contract): Heads {
  const nodes = new Map<number, Node>();
  const concurrent = new Set<Node>();
  for (const node of nodesOf(term)) {
    if (node.kind === 'concurrent') for (const loop of node.loops) concurrent.add(loop);
    if ('fragment' in node && node.fragment !== null) nodes.set(node.fragment, node);
  }
  return {
    head: ({ fragment, operand }) => {
      const { kind = 'group', operands = [] } = fragments[fragment] ?? {};
      const text = clean(operands[operand]?.text ?? '');
      const node = nodes.get(fragment);
      const isConcurrent = node !== undefined && concurrent.has(node);
      const words = operand === 0 ? firstWords(kind, operands.length, { node, isConcurrent }) : NEXT_WORDS[kind];
      const word = operand === 0 ? kind : (NEXT_KEYWORDS.get(kind) ?? kind);
      return `${words} (${text === '' ? word : `${word} ${text}`})`;
    },
    tail: (fragment) => {
      const node = nodes.get(fragment);
      const isChoice = (fragments[fragment]?.operands.length ?? 0) > 1;
      return node?.kind === 'alt' && node.optional && isChoice ? ['or none of these'] : [];
    },
  };
}

/** What a drawing calls further operands. */
const NEXT_KEYWORDS: ReadonlyMap<string, string> = new Map([
  ['alt', 'else'],
  ['par', 'and'],
  ['par_over', 'and'],
  ['critical', 'option'],
]);

const NEXT_WORDS: Readonly<Record<DrawnFragment['kind'], string>> = {
  alt: 'or',
  opt: 'or',
  loop: 'then',
  par: 'and beside that, in any order',
  par_over: 'and beside that, in any order',
  critical: 'or only a part of it, and then',
  break: 'then',
  rect: 'then',
  group: 'then',
  ref: 'then',
};

function firstWords(
  kind: DrawnFragment['kind'],
  operands: number,
  { node, isConcurrent }: { readonly node: Node | undefined; readonly isConcurrent: boolean },
): string {
  switch (kind) {
    case 'alt':
      return operands < 2 ? 'may be left out' : 'either';
    case 'opt':
      return 'may be left out';
    case 'loop': {
      if (isConcurrent) return 'again and again, beside the other loops';
      const { min, max, each } = node?.kind === 'loop' ? node : { min: 0, max: null, each: undefined };
      const times = timesText(min, max);
      return each === undefined ? times : `for each ${clean(each)} by itself, ${times}`;
    }
    case 'par':
    case 'par_over':
      return operands < 2 ? 'in the order drawn' : 'in any order beside each other';
    case 'critical':
      return 'without anything between that is not part of it';
    case 'break':
      return 'may happen, and then what is around it is over';
    case 'rect':
    case 'group':
    case 'ref':
      return 'as drawn';
  }
}

/** `zero or more times`, `2 to 5 times`. */
function timesText(min: number, max: number | null): string {
  if (max === null) return min === 0 ? 'zero or more times' : min === 1 ? 'one or more times' : `${min} or more times`;
  if (max === min) return min === 1 ? 'once' : `${min} times`;
  return min === 0 && max === 1 ? 'once or never' : `${min} to ${max} times`;
}

/** By message, how often the binding lets it come (`times`); messages that come once are left out. */
export function repetitions({ term }: Contract): ReadonlyMap<number, string> {
  return new Map(
    nodesOf(term).flatMap((node) =>
      node.kind === 'loop' && node.fragment === null
        ? messagesIn(node).map((message) => [message, timesText(node.min, node.max)] as const)
        : [],
    ),
  );
}
