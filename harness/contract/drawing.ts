import type { Diagram, Message, Place } from '../diagram/index.ts';
import { foldName, onOneLine } from './names.ts';
import type { DrawnArrow, DrawnFragment, Lifeline } from './types.ts';

/** One arrow to compile: drawn, or written in a step of the binding. */
export interface Arrow {
  /** Position in `Drawing.arrows`, which is in drawn order. */
  readonly index: number;
  /** Index into `Drawing.drawn`. */
  readonly drawn: number;
  /** Lifelines; null is a found or lost end. */
  readonly from: number | null;
  readonly to: number | null;
  readonly text: string;
  readonly line: 'solid' | 'dashed';
  /** Drawn with a head that expects no reply: `-x`, `-)`. */
  readonly isOneWay: boolean;
  /** Drawn with a cross: it is owed that it is sent, not that it arrives. */
  readonly mayBeLost: boolean;
  /** The innermost operand around it; null at the top level. */
  readonly within: Enclosure | null;
  readonly at: Place;
}

/** An operand, and the one around its fragment. */
export interface Enclosure {
  readonly fragment: number;
  readonly operand: number;
  readonly outer: Enclosure | null;
  readonly depth: number;
}

/** The tree of a diagram, flat, in drawn order: what a walk through it meets. */
export type Visit =
  | { readonly kind: 'arrow'; readonly arrow: number }
  | { readonly kind: 'open' | 'close'; readonly fragment: number }
  | { readonly kind: 'operand'; readonly fragment: number; readonly operand: number };

/** What a contract is made of, before the binding says how it shows up. */
export interface Drawing {
  readonly lifelines: readonly Lifeline[];
  readonly drawn: readonly DrawnArrow[];
  readonly arrows: readonly Arrow[];
  readonly visits: readonly Visit[];
}

const lifelineOf = (id: string, label: string): Lifeline => ({
  id,
  label,
  traced: foldName(id) === foldName(label) ? [{ name: label }] : [{ name: id }, { name: label }],
});

/** Flattens a diagram of messages. */
export function drawingOf(diagram: Diagram): Drawing {
  const lifelines = diagram.participants.map(({ id, label }) => lifelineOf(id, onOneLine(label === '' ? id : label)));
  const indexById = new Map(diagram.participants.map(({ id }, index) => [id, index]));
  const endOf = (id: string | null): number | null => (id === null ? null : (indexById.get(id) ?? null));
  const nameOf = (id: string | null): string => (id === null ? '' : (lifelines[endOf(id) ?? -1]?.label ?? id));
  const { visits, enclosures } = walk(diagram);
  return {
    lifelines,
    visits,
    drawn: diagram.messages.map((message, index) => ({
      index,
      file: message.at.file ?? diagram.file,
      line: message.at.line,
      column: message.at.column,
      from: nameOf(message.from),
      to: nameOf(message.to),
      text: onOneLine(message.text),
      style: message.line,
    })),
    arrows: diagram.messages.map((message, index) => ({
      index,
      drawn: index,
      from: endOf(message.from),
      to: endOf(message.to),
      text: onOneLine(message.text),
      line: message.line,
      isOneWay: isOneWay(message),
      mayBeLost: message.head === 'cross',
      within: enclosures.get(index) ?? null,
      at: message.at,
    })),
  };
}

/** The fragments of a diagram with their places, and where each stands. */
export function drawnFragments({ file, fragments }: Diagram): DrawnFragment[] {
  const outer = new Map<number, NonNullable<DrawnFragment['outer']>>();
  for (const [fragment, { operands }] of fragments.entries())
    for (const [operand, { items }] of operands.entries())
      for (const item of items) if ('fragment' in item) outer.set(item.fragment, { fragment, operand });
  return fragments.map(({ kind, at, operands }, index) => ({
    kind,
    file: at.file ?? file,
    line: at.line,
    column: at.column,
    outer: outer.get(index) ?? null,
    operands: operands.map((operand) => ({
      text: onOneLine(operand.guard),
      line: operand.at.line,
      column: operand.at.column,
      arrows: operand.items.flatMap((item) => ('message' in item ? [item.message] : [])),
    })),
  }));
}

const isOneWay = ({ head }: Message): boolean => head === 'cross' || head === 'open';

/** With an explicit stack, so deep nesting costs no stack. */
function walk(diagram: Diagram): { readonly visits: Visit[]; readonly enclosures: ReadonlyMap<number, Enclosure> } {
  const visits: Visit[] = [];
  const enclosures = new Map<number, Enclosure>();
  type Task = { readonly visit: Visit; readonly within: Enclosure | null };
  const tasksOf = (items: Diagram['items'], within: Enclosure | null): Task[] =>
    items.map((item) => ({
      visit: 'message' in item ? { kind: 'arrow', arrow: item.message } : { kind: 'open', fragment: item.fragment },
      within,
    }));
  const pending = tasksOf(diagram.items, null).reverse();
  for (let task = pending.pop(); task !== undefined; task = pending.pop()) {
    const { visit, within } = task;
    visits.push(visit);
    if (visit.kind === 'arrow' && within !== null) enclosures.set(visit.arrow, within);
    if (visit.kind !== 'open') continue;
    const { fragment } = visit;
    const inside: Task[] = [];
    for (const [operand, { items }] of (diagram.fragments[fragment]?.operands ?? []).entries()) {
      const enclosure = { fragment, operand, outer: within, depth: (within?.depth ?? 0) + 1 };
      inside.push({ visit: { kind: 'operand', fragment, operand }, within: enclosure }, ...tasksOf(items, enclosure));
    }
    inside.push({ visit: { kind: 'close', fragment }, within });
    pending.push(...inside.reverse());
  }
  return { visits, enclosures };
}

/** Collects lifelines by name as steps mention them, in order of appearance. */
export class Lifelines {
  readonly #byName = new Map<string, number>();
  readonly #list: Lifeline[] = [];

  get list(): readonly Lifeline[] {
    return this.#list;
  }

  indexOf(name: string): number {
    const known = this.#byName.get(foldName(name));
    if (known !== undefined) return known;
    const index = this.#list.push(lifelineOf(name, name)) - 1;
    this.#byName.set(foldName(name), index);
    return index;
  }
}
