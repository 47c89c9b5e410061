import type { Diagram, Fragment, Item, Message, Operand } from './types.ts';

/** The operand that something stands in, and what that operand itself stands in; null is the top level. */
export interface Enclosing {
  /** Index into `Diagram.fragments`. */
  readonly fragment: number;
  /** Index into that fragment's operands. */
  readonly operand: number;
  readonly outer: Enclosing | null;
}

/** One step of reading a diagram from top to bottom. `inside` is where it stands. */
export type DiagramEvent =
  | { readonly kind: 'message'; readonly message: Message; readonly index: number; readonly inside: Enclosing | null }
  | { readonly kind: 'enter'; readonly fragment: Fragment; readonly index: number; readonly inside: Enclosing | null }
  | { readonly kind: 'operand'; readonly operand: Operand; readonly index: number; readonly inside: Enclosing }
  | { readonly kind: 'leave'; readonly fragment: Fragment; readonly index: number; readonly inside: Enclosing | null };

/** An item list being read: the top level, or one operand of an open fragment. */
interface Level {
  items: readonly Item[];
  next: number;
  inside: Enclosing | null;
  readonly open: { readonly fragment: Fragment; readonly index: number; readonly outer: Enclosing | null } | null;
}

/**
 * Reads a diagram from top to bottom: fragments are entered, each of their operands announced, and left.
 * The stack is explicit, since nothing bounds how deep an author nests.
 */
export function* walkDiagram(diagram: Diagram): Generator<DiagramEvent, void, undefined> {
  const levels: Level[] = [{ items: diagram.items, next: 0, inside: null, open: null }];
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const item = level.items[level.next];
    level.next += 1;
    if (item === undefined) {
      yield* nextOperand(level, levels);
    } else if ('message' in item) {
      const message = diagram.messages[item.message];
      if (message !== undefined) yield { kind: 'message', message, index: item.message, inside: level.inside };
    } else {
      const fragment = diagram.fragments[item.fragment];
      if (fragment === undefined) continue;
      yield { kind: 'enter', fragment, index: item.fragment, inside: level.inside };
      levels.push({
        items: [],
        next: 0,
        inside: null,
        open: { fragment, index: item.fragment, outer: level.inside },
      });
    }
  }
}

function* nextOperand(level: Level, levels: Level[]): Generator<DiagramEvent, void, undefined> {
  if (level.open === null) {
    levels.pop();
    return;
  }
  const { fragment, index, outer } = level.open;
  const following = level.inside === null ? 0 : level.inside.operand + 1;
  const operand = fragment.operands[following];
  if (operand === undefined) {
    levels.pop();
    yield { kind: 'leave', fragment, index, inside: outer };
    return;
  }
  level.inside = { fragment: index, operand: following, outer };
  level.items = operand.items;
  level.next = 0;
  yield { kind: 'operand', operand, index: following, inside: level.inside };
}

/** A message with its index and the innermost operand that it stands in. */
export interface PlacedMessage {
  readonly message: Message;
  readonly index: number;
  readonly inside: Enclosing | null;
}

/** Every message in drawn order, with the path of fragments and operands that encloses it. */
export function* walkMessages(diagram: Diagram): Generator<PlacedMessage, void, undefined> {
  for (const event of walkDiagram(diagram)) {
    if (event.kind === 'message') yield { message: event.message, index: event.index, inside: event.inside };
  }
}

/** The path to an operand, outermost first. */
export function pathOf(inside: Enclosing | null): readonly Enclosing[] {
  const path: Enclosing[] = [];
  for (let at = inside; at !== null; at = at.outer) path.push(at);
  return path.reverse();
}
