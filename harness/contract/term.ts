import type { Diagram } from '../diagram/index.ts';
import type { Visit } from './drawing.ts';
import type { ContractMessage, Guard, Node } from './types.ts';

/** How often a message or loop may come. */
export interface Bounds {
  readonly min: number;
  readonly max: number | null;
}

/** What the binding says of the fragments of a diagram, by fragment index. */
export interface FragmentChoices {
  readonly bounds: ReadonlyMap<number, Bounds>;
  readonly optional: ReadonlySet<number>;
  /** Loops that run side by side. */
  readonly concurrent: ReadonlySet<number>;
  /** The parameter whose values have iterations of their own, by loop. */
  readonly each: ReadonlyMap<number, string>;
  readonly guards: readonly Guard[];
}

/** A node with what its parent needs to know: whether some message in it carries the last key parameter. */
export interface Built {
  readonly node: Node;
  readonly keyed: boolean;
}

export const EMPTY: Built = { node: { kind: 'seq', items: [] }, keyed: false };

export function sequence(items: readonly Built[]): Built {
  const [only] = items;
  if (only !== undefined && items.length === 1) return only;
  return { node: { kind: 'seq', items: items.map(({ node }) => node) }, keyed: items.some(({ keyed }) => keyed) };
}

/** The messages of one arrow, one after the other, as often as its binding says. */
export function arrowTerm(messages: readonly ContractMessage[], times: Bounds | null): Built {
  const body = sequence(messages.map(({ index, keyed }) => ({ node: { kind: 'message', message: index }, keyed })));
  return times === null ? body : loopOf(body, times, null);
}

const loopOf = (body: Built, { min, max }: Bounds, fragment: number | null): Built => ({
  node: { kind: 'loop', body: body.node, min, max, fragment, keyed: body.keyed },
  keyed: body.keyed,
});

interface Frame {
  readonly fragment: number;
  readonly operands: Built[];
  /** What stands so far where the fragment will stand. */
  readonly before: Built[];
}

/** A concurrent group while its loops are being found. */
interface Group {
  readonly loops: readonly Node[];
  readonly built: Built;
}

const groupOf = (loops: readonly Node[], keyed: boolean): Group => ({
  loops,
  built: { node: { kind: 'concurrent', loops }, keyed },
});

/** Builds the interaction term with an explicit stack. Loops of the group that do not stand side by side are handed back. */
export function diagramTerm(
  diagram: Diagram,
  visits: readonly Visit[],
  choices: FragmentChoices,
  termOf: (arrow: number) => Built,
): { readonly term: Node; readonly strays: readonly number[] } {
  const frames: Frame[] = [];
  const strays: number[] = [];
  let items: Built[] = [];
  let group: Group | null = null;
  for (const visit of visits) {
    switch (visit.kind) {
      case 'arrow': {
        const built = termOf(visit.arrow);
        if (!isEmpty(built)) items.push(built);
        break;
      }
      case 'open':
        frames.push({ fragment: visit.fragment, operands: [], before: items });
        items = [];
        break;
      case 'operand':
        if (visit.operand > 0) frames.at(-1)?.operands.push(sequence(items));
        items = [];
        break;
      case 'close': {
        const frame = frames.pop();
        if (frame === undefined) throw new Error('a fragment closes that was not opened: the walk pairs them');
        frame.operands.push(sequence(items));
        const built = fragmentTerm(diagram, frame, choices);
        items = frame.before;
        if (isEmpty(built)) break;
        if (!choices.concurrent.has(frame.fragment)) items.push(built);
        else if (group === null) {
          group = groupOf([built.node], built.keyed);
          items.push(group.built);
        } else if (items.at(-1) === group.built) {
          items.pop();
          group = groupOf([...group.loops, built.node], group.built.keyed || built.keyed);
          items.push(group.built);
        } else strays.push(frame.fragment);
      }
    }
  }
  return { term: sequence(items).node, strays };
}

const isEmpty = ({ node }: Built): boolean => node.kind === 'seq' && node.items.length === 0;

function fragmentTerm(diagram: Diagram, { fragment, operands: built }: Frame, choices: FragmentChoices): Built {
  const kind = diagram.fragments[fragment]?.kind ?? 'group';
  // All that stood in it is absent: nothing is left that could be chosen or repeated.
  if (built.every(isEmpty)) return EMPTY;
  const guarded = built.map((operand, index) => guardedTerm(operand, fragment, index, choices.guards));
  const operands = guarded.map((operand) => operand.built);
  const body = operands[0] ?? EMPTY;
  const keyed = operands.some((operand) => operand.keyed);
  const nodes = operands.map(({ node }) => node);
  switch (kind) {
    case 'alt': {
      // Where every branch has a bound guard, none may be true.
      const mayBeNone = nodes.length < 2 || guarded.every(({ hasGuard }) => hasGuard);
      const optional = mayBeNone || choices.optional.has(fragment);
      return { node: { kind: 'alt', operands: nodes, optional, fragment, keyed }, keyed };
    }
    case 'opt':
      return { node: { kind: 'opt', body: body.node, fragment, keyed }, keyed };
    case 'loop':
      return eachOf(loopOf(body, choices.bounds.get(fragment) ?? { min: 0, max: null }, fragment), choices);
    case 'par':
    case 'par_over':
      return { node: { kind: 'par', operands: nodes, fragment }, keyed };
    case 'critical':
      return { node: { kind: 'critical', body: body.node, options: nodes.slice(1), fragment, keyed }, keyed };
    case 'break':
      return { node: { kind: 'break', body: body.node, fragment, keyed }, keyed };
    case 'rect':
    case 'group':
    case 'ref':
      return sequence(operands);
  }
}

function guardedTerm(
  built: Built,
  fragment: number,
  operand: number,
  guards: readonly Guard[],
): { readonly built: Built; readonly hasGuard: boolean } {
  const guard = guards.findIndex((one) => one.fragment === fragment && one.operand === operand);
  if (guard < 0) return { built, hasGuard: false };
  if (isEmpty(built)) return { built, hasGuard: true };
  return { built: { node: { kind: 'guarded', guard, body: built.node }, keyed: built.keyed }, hasGuard: true };
}

function eachOf(built: Built, { each }: FragmentChoices): Built {
  const { node, keyed } = built;
  const parameter = node.kind === 'loop' && node.fragment !== null ? each.get(node.fragment) : undefined;
  return node.kind !== 'loop' || parameter === undefined ? built : { node: { ...node, each: parameter }, keyed };
}
