import type { BindingContent } from '../contract/index.ts';
import type { Diagram, Fragment, Item, Message } from '../diagram/index.ts';
import type { SourcedEvent } from '../trace/index.ts';
import { compiled, type JudgedCase } from './judged-case.ts';
import type { DrawnCase } from './random-drawing.ts';

/** The smallest case near to one, step by step, that still is what is looked for. */
export function shrinkCase(judged: JudgedCase, isLookedFor: (judged: JudgedCase) => boolean): JudgedCase {
  let smallest = judged;
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const candidate of smaller(smallest))
      if (isLookedFor(candidate)) {
        smallest = candidate;
        isSmaller = true;
        break;
      }
  }
  return smallest;
}

function* smaller(judged: JudgedCase): Generator<JudgedCase> {
  for (const events of withLessEvents(judged.events)) yield { ...judged, events, conformsByConstruction: false };
  for (const drawn of withLessDrawn(judged.drawn)) {
    const contract = compiled(drawn);
    if (contract !== null) yield { ...judged, drawn, contract, conformsByConstruction: false };
  }
}

function* withLessEvents(events: readonly SourcedEvent[]): Generator<readonly SourcedEvent[]> {
  for (let index = 0; index < events.length; index++) yield events.toSpliced(index, 1);
  for (const [index, sourced] of events.entries()) {
    const { receivedSeq, id, replyTo, attributes, ...rest } = sourced.event;
    const put = (event: SourcedEvent['event']): readonly SourcedEvent[] =>
      events.toSpliced(index, 1, { ...sourced, event }).sort((a, b) => a.event.seq - b.event.seq);
    if (receivedSeq !== undefined) {
      const instant = without(sourced.event, 'receivedSeq');
      yield put(instant);
      yield put({ ...instant, seq: receivedSeq });
    }
    const isAnswered = events.some(({ event }) => event.replyTo === id);
    const kept = {
      ...(receivedSeq === undefined ? {} : { receivedSeq }),
      ...(attributes === undefined ? {} : { attributes }),
    };
    if (replyTo !== undefined) yield put({ ...rest, ...kept, ...(id === undefined ? {} : { id }) });
    if (id !== undefined && !isAnswered) yield put({ ...rest, ...kept, ...(replyTo === undefined ? {} : { replyTo }) });
  }
}

// --- Drawings, as trees ---------------------------------------------------------------------------------------------

type Tree =
  | { readonly kind: 'message'; readonly message: Message; readonly index: number }
  | { readonly kind: 'fragment'; readonly fragment: Fragment; readonly operands: readonly Operand[] };
interface Operand {
  readonly guard: string;
  readonly items: readonly Tree[];
}

function* withLessDrawn({ diagram, content }: DrawnCase): Generator<DrawnCase> {
  for (const items of smallerItems(treesOf(diagram, diagram.items)))
    yield { diagram: flattened(diagram, items), content };
  for (const smallerContent of withLessBound(content)) yield { diagram, content: smallerContent };
  for (const [index, participant] of diagram.participants.entries()) {
    const isUsed = diagram.messages.some(({ from, to }) => from === participant.id || to === participant.id);
    if (!isUsed) yield { diagram: { ...diagram, participants: diagram.participants.toSpliced(index, 1) }, content };
  }
}

function treesOf(diagram: Diagram, items: readonly Item[]): readonly Tree[] {
  return items.flatMap((item): Tree[] => {
    if ('message' in item) {
      const message = diagram.messages[item.message];
      return message === undefined ? [] : [{ kind: 'message', message, index: item.message }];
    }
    const fragment = diagram.fragments[item.fragment];
    if (fragment === undefined) return [];
    const operands = fragment.operands.map(({ guard, items: inner }) => ({ guard, items: treesOf(diagram, inner) }));
    return [{ kind: 'fragment', fragment, operands }];
  });
}

function* smallerItems(items: readonly Tree[]): Generator<readonly Tree[]> {
  for (const [index, item] of items.entries()) {
    yield items.toSpliced(index, 1);
    if (item.kind === 'message') continue;
    for (const operand of item.operands) yield items.toSpliced(index, 1, ...operand.items);
    for (const [at, operand] of item.operands.entries()) {
      if (item.operands.length > 1)
        yield items.toSpliced(index, 1, { ...item, operands: item.operands.toSpliced(at, 1) });
      for (const inner of smallerItems(operand.items))
        if (inner.length > 0)
          yield items.toSpliced(index, 1, {
            ...item,
            operands: item.operands.toSpliced(at, 1, { ...operand, items: inner }),
          });
    }
  }
}

function flattened(diagram: Diagram, items: readonly Tree[]): Diagram {
  const messages: Message[] = [];
  const fragments: Fragment[] = [];
  const moved = new Map<number, number>();
  const place = (trees: readonly Tree[]): Item[] =>
    trees.map((tree) => {
      if (tree.kind === 'message') {
        moved.set(tree.index, messages.length);
        messages.push({ ...tree.message, at: { line: messages.length + 1, column: 1 } });
        return { message: messages.length - 1 };
      }
      const index = fragments.push(tree.fragment) - 1;
      const at = { line: index + 1, column: 1 };
      const operands = tree.operands.map(({ guard, items: inner }) => ({ guard, at, items: place(inner) }));
      fragments[index] = { ...tree.fragment, at, operands };
      return { fragment: index };
    });
  const placed = place(items);
  const participants = diagram.participants.map(({ createdBy, destroyedBy, ...participant }) => {
    const [created, destroyed] = [moved.get(createdBy ?? -1), moved.get(destroyedBy ?? -1)];
    return {
      ...participant,
      ...(created === undefined ? {} : { createdBy: created }),
      ...(destroyed === undefined ? {} : { destroyedBy: destroyed }),
    };
  });
  return { ...diagram, participants, messages, fragments, items: placed };
}

/** A binding that names what is no longer drawn is refused, so whole entries go. */
function* withLessBound(content: BindingContent): Generator<BindingContent> {
  for (const key of ['loops', 'guards', 'messages', 'parameters'] as const)
    for (const name of Object.keys(content[key] ?? {})) {
      yield withoutEmpty({ ...content, [key]: without(content[key] ?? {}, name) });
    }
  for (const [name, loop] of Object.entries(content.loops ?? {}))
    if (typeof loop === 'object' && loop.times !== undefined)
      yield { ...content, loops: { ...content.loops, [name]: loop.times } };
  for (const key of ['unordered', 'ordered', 'optional', 'concurrent'] as const)
    for (let index = 0; index < (content[key]?.length ?? 0); index++)
      yield withoutEmpty({ ...content, [key]: content[key]?.toSpliced(index, 1) });
  if (content.instance !== undefined) {
    yield without(without(content, 'instance'), 'parameters');
  }
}

function without<Whole extends object, Key extends keyof Whole>(whole: Whole, key: Key): Omit<Whole, Key> {
  const rest = { ...whole };
  delete rest[key];
  return rest;
}

function withoutEmpty(content: BindingContent): BindingContent {
  const kept = Object.entries(content).filter(
    ([, value]) => typeof value !== 'object' || Object.keys(value as object).length > 0,
  );
  return Object.fromEntries(kept);
}
