import type { Fragment, FragmentKind, Item, Operand } from '../../diagram/index.ts';
import type { Frame } from './frames.ts';
import type { DrawnMessage } from './messages.ts';
import type { Reports } from './reports.ts';

/** The fragments of a diagram and its top level. */
export interface Tree {
  readonly fragments: readonly Fragment[];
  readonly items: readonly Item[];
}

const KINDS: ReadonlyMap<string, FragmentKind> = new Map([
  ['LOOP', 'loop'],
  ['ALT', 'alt'],
  ['OPT', 'opt'],
  ['PAR', 'par'],
  ['CRITICAL', 'critical'],
  ['BREAK', 'break'],
  ['REF', 'ref'],
]);

/** A fragment while it is being filled. */
interface OpenFragment {
  readonly kind: FragmentKind;
  readonly frame: Frame;
  readonly index: number;
  readonly operands: readonly {
    readonly guard: string;
    readonly row: number;
    readonly column: number;
    readonly items: Item[];
  }[];
}

/** Puts messages into frames by their rows: a frame holds everything that happens between its borders. */
export function buildTree(frames: readonly Frame[], messages: readonly DrawnMessage[], reports: Reports): Tree {
  const fragments: Fragment[] = [];
  const items: Item[] = [];
  const open: OpenFragment[] = [];
  const close = (untilRow: number): void => {
    for (let last = open.at(-1); last !== undefined && last.frame.bottom < untilRow; last = open.at(-1)) {
      open.pop();
      fragments[last.index] = finished(last, reports);
    }
  };
  const target = (row: number): Item[] => {
    close(row);
    const inner = open.at(-1);
    return inner === undefined ? items : operandAt(inner.operands, row).items;
  };
  const place = (frame: Frame): void => {
    const siblings = target(frame.top);
    const outer = open.at(-1);
    if (outer !== undefined && frame.bottom >= outer.frame.bottom) {
      reports.add(
        'ASC131',
        { row: frame.top, from: frame.left, to: frame.right },
        'this frame ends below the frame it begins in',
      );
    }
    const index = fragments.length;
    siblings.push({ fragment: index });
    const fragment = opened(frame, index);
    fragments.push(finished(fragment, reports));
    open.push(fragment);
  };
  let next = 0;
  messages.forEach((message, index) => {
    for (let frame = frames[next]; frame !== undefined && frame.top < message.row; frame = frames[++next]) place(frame);
    if (message.together === null) target(message.row).push({ message: index });
    else if (message.together > 0) {
      target(message.row).push({ fragment: fragments.length });
      fragments.push(anyOrder(message, index, message.together));
    }
  });
  for (const frame of frames.slice(next)) place(frame);
  close(Infinity);
  return { fragments, items };
}

/** The operand that a row belongs to: the last that begins on it or above, else the first. */
function operandAt<T extends { readonly row: number }>(operands: readonly T[], row: number): T {
  let [low, high] = [0, operands.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((operands[middle]?.row ?? Infinity) <= row) low = middle;
    else high = middle - 1;
  }
  const found = operands[low];
  if (found === undefined) throw new Error('a frame has at least one operand');
  return found;
}

/** Messages that may come in any order: both of an arrow with two heads, or some that overtake each other. */
const anyOrder = ({ at }: DrawnMessage, index: number, count: number): Fragment => ({
  kind: 'par',
  at,
  operands: Array.from({ length: count }, (_, more) => ({ guard: '', at, items: [{ message: index + more }] })),
});

function opened(frame: Frame, index: number): OpenFragment {
  const kind = frame.kind ?? KINDS.get(frame.keyword) ?? 'group';
  const isNamed = kind === 'group' || (kind === 'ref' && frame.operands[0]?.guard === '');
  const isNamedGroup = isNamed && frame.kind === undefined;
  return {
    kind: isNamedGroup ? 'group' : kind,
    frame,
    index,
    operands: frame.operands.map((operand, position) => ({
      ...operand,
      // A group shows its own name where the others show their keyword.
      guard: isNamedGroup && position === 0 ? [frame.keyword, operand.guard].filter(Boolean).join(' ') : operand.guard,
      items: [],
    })),
  };
}

function finished({ kind, frame, operands }: OpenFragment, reports: Reports): Fragment {
  return {
    kind,
    at: reports.placeOf(frame.top, frame.left),
    operands: operands.map(({ guard, row, column, items }): Operand => ({
      guard,
      at: reports.placeOf(row, column),
      items,
    })),
  };
}
