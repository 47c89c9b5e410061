import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  checkOvertaking,
  overtakings,
  printAscii,
  printMermaid,
  receivedFrom,
  walkDiagram,
  wholeFile,
  type Activation,
  type Diagram,
  type DrawnEnd,
  type Fragment,
  type FragmentKind,
  type Head,
  type Item,
  type Message,
  type Note,
  type Operand,
  PARTICIPANT_KINDS,
  type ParticipantKind,
} from '../../diagram/index.ts';
import { cellsOf, readAscii } from './index.ts';

const AT = { line: 1, column: 1 };
const HEADS: readonly Head[] = [
  'arrow',
  'arrow',
  'arrow',
  'open',
  'cross',
  'none',
  'half-top',
  'half-bottom',
  'stick-top',
  'stick-bottom',
];
const FRAGMENTS: readonly FragmentKind[] = [
  'loop',
  'alt',
  'opt',
  'par',
  'par_over',
  'critical',
  'break',
  'rect',
  'group',
  'ref',
];

/** Words of all widths, without the characters that lines are drawn with. */
const word = fc.constantFrom(
  'a',
  'create',
  'Pod',
  '201',
  'GET',
  '/pods?x=1',
  '客户端',
  'ключ',
  '🚀',
  'é',
  'x-y',
  '(ok)',
  '{id}',
  'a.b',
  'naïve',
  '50%',
  '"q"',
  '数据',
  'x',
);
const phrase = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '));
const text = fc.oneof(
  { weight: 4, arbitrary: phrase },
  fc.constant(''),
  fc.array(phrase, { minLength: 2, maxLength: 3 }).map((rows) => rows.join('\n')),
);

interface Plan {
  readonly labels: readonly string[];
  readonly kinds: readonly ParticipantKind[];
  readonly steps: readonly {
    readonly from: number;
    readonly to: number;
    readonly text: string;
    readonly isDashed: boolean;
    readonly head: Head;
    readonly shape: number;
    readonly kind: FragmentKind;
    readonly guard: string;
    /** By how many ends of other messages it is received later. */
    readonly delay: number;
  }[];
  readonly notes: readonly {
    readonly before: number;
    readonly at: number;
    readonly to: number;
    readonly placement: 'left' | 'right' | 'over';
    readonly text: string;
    readonly border: number;
  }[];
  readonly bars: readonly {
    readonly at: number;
    readonly from: number;
    readonly length: number;
    /** How far into the borders of fragments there it begins and ends. */
    readonly border: number;
    readonly lastBorder: number;
  }[];
  readonly ends: readonly { readonly at: number; readonly isCreated: boolean }[];
  readonly title: string | null;
}

const step = fc.record({
  from: fc.nat(6),
  to: fc.nat(6),
  text,
  isDashed: fc.boolean(),
  head: fc.constantFrom(...HEADS),
  /** 0 opens a fragment, 1 begins its next operand, 2 closes it; found and lost messages; else a plain message. */
  shape: fc.nat(12),
  kind: fc.constantFrom(...FRAGMENTS),
  guard: fc.oneof(fc.constant(''), phrase, fc.constantFrom('[x > 3]', 'else', 'not [y]')),
  delay: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(5)),
});

const plan: fc.Arbitrary<Plan> = fc.record({
  labels: fc.uniqueArray(phrase, { minLength: 2, maxLength: 5 }),
  kinds: fc.array(fc.constantFrom(...PARTICIPANT_KINDS), { minLength: 5, maxLength: 5 }),
  steps: fc.array(step, { minLength: 1, maxLength: 16 }),
  notes: fc.array(
    fc.record({
      before: fc.nat(8),
      at: fc.nat(4),
      to: fc.nat(4),
      placement: fc.constantFrom('left', 'right', 'over'),
      text: fc.oneof(
        { weight: 3, arbitrary: phrase },
        fc.array(phrase, { minLength: 2, maxLength: 3 }).map((rows) => rows.join('\n')),
      ),
      border: fc.nat(3),
    }),
    { maxLength: 3 },
  ),
  bars: fc.array(
    fc.record({ at: fc.nat(4), from: fc.nat(6), length: fc.nat(5), border: fc.nat(3), lastBorder: fc.nat(3) }),
    { maxLength: 2 },
  ),
  ends: fc.array(fc.record({ at: fc.nat(4), isCreated: fc.boolean() }), { maxLength: 2 }),
  title: fc.option(phrase),
});

/** A plan as a diagram that a drawing can say: every index is brought into its range, every lifetime is made to fit. */
function diagramOf({ labels, kinds, steps, notes, bars, ends, title }: Plan): Diagram {
  const count = labels.length;
  const messages: Message[] = [];
  const fragments: Fragment[] = [];
  const items: Item[] = [];
  const open: { index: number; kind: FragmentKind; operands: { guard: string; items: Item[] }[] }[] = [];
  const here = (): Item[] => open.at(-1)?.operands.at(-1)?.items ?? items;
  const close = (): void => {
    const top = open.pop();
    if (top === undefined) return;
    fragments[top.index] = {
      kind: top.kind,
      at: AT,
      operands: top.operands.map((operand): Operand => ({ ...operand, at: AT })),
    };
  };
  for (const { from, to, text: label, isDashed, head, shape, kind, guard } of steps) {
    if (shape === 0 && open.length < 5) {
      here().push({ fragment: fragments.length });
      open.push({ index: fragments.length, kind, operands: [{ guard, items: [] }] });
      fragments.push({ kind, at: AT, operands: [] });
    } else if (shape === 1) open.at(-1)?.operands.push({ guard, items: [] });
    else if (shape === 2) close();
    const [source, target] = [labels[from % count] ?? '', labels[to % count] ?? ''];
    here().push({ message: messages.length });
    messages.push({
      // Without a head, an arrow that comes from outside or goes there does not say which.
      from: shape === 3 && head !== 'none' ? null : source,
      to: shape === 4 && head !== 'none' ? null : target,
      text: label,
      line: isDashed ? 'dashed' : 'solid',
      head,
      at: AT,
    });
  }
  while (open.length > 0) close();
  const drawnEnds = endsOf(
    messages,
    steps.map(({ delay }) => delay),
    [items, ...fragments.flatMap(({ operands }) => operands.map((operand) => operand.items))],
  );
  for (const [index, received] of receivedFrom(drawnEnds)) messages[index] = { ...messages[index]!, received };
  const lifetimes = lifetimesOf(labels, messages, drawnEnds, ends);
  const plain: Diagram = {
    name: 'd',
    file: 'd.txt',
    dialect: 'ascii',
    ...(title === null ? {} : { title }),
    participants: labels.map((label, index) => ({
      id: label,
      label,
      kind: kinds[index] ?? 'participant',
      at: AT,
      ...lifetimes.get(label),
    })),
    messages,
    fragments,
    items,
    notes: [],
    activations: [],
    steps: [],
  };
  const borders = bordersIn(plain);
  return { ...plain, notes: notesOf(labels, borders, notes), activations: barsOf(labels, borders, bars, lifetimes) };
}

/** All ends from top to bottom: of messages that stand one after the other, some are received late. */
function endsOf(
  messages: readonly Message[],
  delays: readonly number[],
  lists: readonly (readonly Item[])[],
): readonly DrawnEnd[] {
  const runs = new Map<number, number>();
  let run = 0;
  for (const list of lists) {
    run++;
    for (const item of list) {
      if ('message' in item) runs.set(item.message, run);
      else run++;
    }
  }
  const mayBeLate = ({ from, to, head }: Message): boolean =>
    from !== null && to !== null && from !== to && head !== 'none';
  const drawn = messages.flatMap((_, message): DrawnEnd[] => [
    { message, end: 'sending' },
    { message, end: 'receipt' },
  ]);
  messages.forEach((message, index) => {
    if (!mayBeLate(message)) return;
    for (let left = delays[index] ?? 0; left > 0; left--) {
      const at = drawn.findIndex((end) => end.message === index && end.end === 'receipt');
      const [next, behind] = [drawn[at + 1], drawn[at + 2]];
      if (next === undefined || runs.get(next.message) !== runs.get(index)) return;
      // What cannot be late is passed as a whole.
      const step =
        next.end === 'sending' && behind?.message === next.message && !mayBeLate(messages[next.message]!) ? 2 : 1;
      drawn.splice(at + step, 0, ...drawn.splice(at, 1));
    }
  });
  return drawn;
}

/** How many borders of fragments there are before each message, and after the last. */
function bordersIn(diagram: Diagram): readonly number[] {
  const counts = [0];
  for (const { kind } of walkDiagram(diagram)) {
    if (kind === 'message') counts.push(0);
    else if (kind !== 'enter') counts.push((counts.pop() ?? 0) + 1);
  }
  return counts;
}

interface Position {
  readonly before: number;
  readonly borders?: number;
}

function positionAt(counts: readonly number[], before: number, border: number): Position {
  const borders = border % ((counts[before] ?? 0) + 1);
  return borders === 0 ? { before } : { before, borders };
}

const inOrder = (a: Position, b: Position): number => a.before - b.before || (a.borders ?? 0) - (b.borders ?? 0);

/** Creation by the first message of a participant, if it is one to it; destruction by its last one. */
function lifetimesOf(
  labels: readonly string[],
  messages: readonly Message[],
  drawnEnds: readonly DrawnEnd[],
  ends: Plan['ends'],
): Map<string, { createdBy?: number; destroyedBy?: number }> {
  const lifetimes = new Map<string, { createdBy?: number; destroyedBy?: number }>();
  for (const { at, isCreated } of ends) {
    const label = labels[at % labels.length] ?? '';
    if (lifetimes.has(label)) continue;
    const touching = drawnEnds.filter(
      ({ message, end }) => messages[message]![end === 'sending' ? 'from' : 'to'] === label,
    );
    const [first, last] = [touching[0]?.message ?? -1, touching.at(-1)?.message ?? -1];
    const creates = messages[first];
    // At least one head stands above everything.
    const isFirst = [...lifetimes.values()].every(({ createdBy }) => createdBy === undefined);
    if (isCreated && isFirst && creates?.to === label && creates.from !== label && creates.from !== null)
      lifetimes.set(label, { createdBy: first });
    else if (!isCreated && last >= 0) lifetimes.set(label, { destroyedBy: last });
  }
  return lifetimes;
}

function notesOf(labels: readonly string[], borders: readonly number[], notes: Plan['notes']): Note[] {
  return notes
    .map(({ before, at, to, placement, text: label, border }): Note => {
      const [first, last] = [
        Math.min(at % labels.length, to % labels.length),
        Math.max(at % labels.length, to % labels.length),
      ];
      const participants = placement === 'over' ? labels.slice(first, last + 1) : [labels[first] ?? ''];
      return { text: label, placement, participants, at: AT, ...positionAt(borders, before % borders.length, border) };
    })
    .sort(inOrder);
}

function barsOf(
  labels: readonly string[],
  borders: readonly number[],
  bars: Plan['bars'],
  lifetimes: ReadonlyMap<string, unknown>,
): Activation[] {
  return bars
    .flatMap(({ at, from, length, border, lastBorder }): Activation[] => {
      const participant = labels[at % labels.length] ?? '';
      if (lifetimes.has(participant)) return [];
      const start = from % borders.length;
      const [first, last] = [
        positionAt(borders, start, border),
        positionAt(borders, Math.min(borders.length - 1, start + length), lastBorder),
      ].sort(inOrder);
      if (first === undefined || last === undefined) return [];
      return [
        { participant, on: true, ...first },
        { participant, on: false, ...last },
      ];
    })
    .sort((a, b) => inOrder(a, b) || Number(b.on) - Number(a.on));
}

/** What a drawing keeps: no places, ids by label, a note by its first and last participant. */
function comparable(diagram: Diagram): unknown {
  const { title, participants, messages, fragments, items, notes, activations } = diagram;
  const kept = { title, participants, messages, tree: treeOf(fragments, items), notes, activations };
  return JSON.parse(JSON.stringify(kept, (key, value: unknown) => (key === 'at' ? undefined : value)));
}

function treeOf(fragments: readonly Fragment[], items: readonly Item[]): unknown {
  return items.map((item) => {
    if ('message' in item) return item.message;
    const { kind, operands } = fragments[item.fragment]!;
    return [kind, ...operands.map((operand) => [operand.guard, treeOf(fragments, operand.items)])];
  });
}

const RUNS = Number(process.env['ASCII_RUNS'] ?? 150);

describe('a diagram drawn as Unicode art reads back as the same diagram', () => {
  test(`${RUNS} random diagrams, wide characters included, some with messages that overtake each other`, () => {
    let overtaking = 0;
    fc.assert(
      fc.property(plan, (given) => {
        const diagram = diagramOf(given);
        expect(checkOvertaking(diagram)).toEqual([]);
        if (overtakings(diagram).length > 0) overtaking++;
        const drawn = printAscii(diagram, cellsOf) ?? '';
        const { value, diagnostics } = readAscii(drawn, wholeFile('d.txt', 'd'));
        try {
          expect(diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([]);
          expect(comparable(value)).toEqual(comparable(diagram));
        } catch (error) {
          throw new Error(`${drawn}\n${printMermaid(diagram)}\n${String(error)}`, { cause: error });
        }
      }),
      { numRuns: RUNS },
    );
    expect(overtaking).toBeGreaterThan(RUNS / 5);
  });
});
