import fc from 'fast-check';
import {
  PARTICIPANT_KINDS,
  type Activation,
  type Diagram,
  type FragmentKind,
  type Head,
  type Item,
  type Line,
  type Message,
  type Note,
  type Participant,
} from '../../../diagram/index.ts';

const AT = { line: 1, column: 1 };
const HEADS: readonly Head[] = [
  'arrow',
  'none',
  'cross',
  'open',
  'half-top',
  'half-bottom',
  'stick-top',
  'stick-bottom',
];
const BLOCKS: readonly FragmentKind[] = ['loop', 'alt', 'opt', 'par', 'par_over', 'critical', 'break', 'rect'];
const DIVIDED: ReadonlySet<FragmentKind> = new Set<FragmentKind>(['alt', 'par', 'par_over', 'critical']);

/** What trips the notation: everything that ends, trims, cuts or rewrites a text, and keywords where names stand. */
export const TRAPS: readonly string[] = [
  ...[
    '#',
    ';',
    '#35;',
    '%%',
    '%%{init: x}%%',
    'wrap:',
    ':nowrap:',
    ' ',
    '  ',
    '\n',
    '\r',
    '\t',
    '\u00a0',
    '\ufeff',
    '\u2028',
  ],
  ...[
    'style a:#b;',
    'classDef ',
    '<a b="c">',
    '="',
    'end',
    'loop x',
    'note',
    'title ',
    'accTitle:',
    ' as ',
    'x',
    '-x',
    '--',
    '-',
  ],
  ...[
    '->>',
    ')',
    '(',
    '()',
    '/',
    '\\',
    '+',
    ':',
    ',',
    '@{',
    '}',
    '1',
    '1 ',
    '1.5 ',
    '\ufdd0',
    '\ufdd1',
    'é',
    '🎉',
    '\ud800',
    '[',
    '"',
  ],
];
export const trappyText = fc
  .array(
    fc.oneof(fc.constantFrom(...TRAPS), fc.string({ maxLength: 4 }), fc.string({ unit: 'binary', maxLength: 2 })),
    { maxLength: 4 },
  )
  .map((parts) => parts.join(''));

const operation = fc.record({
  kind: fc.constantFrom('message', 'message', 'message', 'open', 'divide', 'close', 'note', 'bar', 'both'),
  one: fc.nat({ max: 20 }),
  other: fc.nat({ max: 20 }),
  line: fc.constantFrom<Line>('solid', 'dashed'),
  head: fc.constantFrom(...HEADS),
  block: fc.constantFrom(...BLOCKS),
  placement: fc.constantFrom<Note['placement']>('left', 'right', 'over'),
  text: trappyText,
});
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

const participants = fc
  .uniqueArray(
    fc.record({
      id: trappyText.filter((id) => id !== ''),
      label: fc.option(trappyText),
      kind: fc.constantFrom(...PARTICIPANT_KINDS),
    }),
    {
      minLength: 1,
      maxLength: 5,
      selector: ({ id }) => id,
    },
  )
  .map((drafts) => drafts.map(({ id, label, kind }): Participant => ({ id, label: label ?? id, kind, at: AT })));

/** Any diagram that Mermaid can draw, its names and texts full of traps. */
export const arbitraryDiagram: fc.Arbitrary<Diagram> = fc
  .record({
    participants,
    operations: fc.array(operation, { maxLength: 30 }),
    title: fc.option(trappyText),
    lives: fc.boolean(),
  })
  .map(({ participants, operations, title, lives }) => build(participants, operations, title, lives));

/** A diagram that Mermaid can draw: bars close only where one is open, creations and destructions have their message. */
function build(
  participants: readonly Participant[],
  operations: readonly Operation[],
  title: string | null,
  lives: boolean,
): Diagram {
  const messages: Message[] = [];
  const fragments: {
    kind: FragmentKind;
    at: typeof AT;
    operands: { guard: string; at: typeof AT; items: Item[] }[];
  }[] = [];
  const items: Item[] = [];
  const notes: Note[] = [];
  const activations: Activation[] = [];
  const open: number[] = [];
  const bars = new Map<string, number>();
  /** By message: the borders since the one above. */
  const bordersBefore: number[] = [];
  const id = (index: number): string => participants[index % participants.length]?.id ?? '';
  let borders = 0;
  const here = (): { readonly before: number; readonly borders?: number } =>
    borders === 0 ? { before: messages.length } : { before: messages.length, borders };
  const put = (item: Item): void => {
    const fragment = fragments[open.at(-1) ?? -1];
    (fragment?.operands.at(-1)?.items ?? items).push(item);
  };
  for (const { kind, one, other, line, head, block, placement, text } of operations) {
    const from = id(one);
    const to = id(other);
    if (kind === 'message') {
      bordersBefore.push(borders);
      put({ message: messages.push({ from, to, text, line, head, at: AT }) - 1 });
      borders = 0;
    }
    if (kind === 'both') {
      // It may have to be printed as the `par` that it is.
      bordersBefore.push(borders + 1, 1);
      const first = messages.push({ from, to, text, line, head: 'arrow', at: AT }) - 1;
      messages.push({ from: to, to: from, text, line, head: 'arrow', at: AT });
      const operands = [first, first + 1].map((message) => ({ guard: '', at: AT, items: [{ message }] }));
      put({ fragment: fragments.push({ kind: 'par', at: AT, operands }) - 1 });
      borders = 1;
    }
    if (kind === 'open') {
      const index = fragments.push({ kind: block, at: AT, operands: [{ guard: text, at: AT, items: [] }] }) - 1;
      put({ fragment: index });
      open.push(index);
      borders += 1;
    }
    const current = fragments[open.at(-1) ?? -1];
    if (kind === 'divide' && current !== undefined && DIVIDED.has(current.kind)) {
      current.operands.push({ guard: text, at: AT, items: [] });
      borders += 1;
    }
    if (kind === 'close' && open.pop() !== undefined) borders += 1;
    if (kind === 'note') {
      const over = placement === 'over' && one % 2 === 0 ? [from, to] : [from];
      notes.push({ text, placement, participants: over, at: AT, ...here() });
    }
    if (kind === 'bar') {
      const count = bars.get(from) ?? 0;
      const on = count === 0 || other % 2 === 0;
      bars.set(from, count + (on ? 1 : -1));
      activations.push({ participant: from, on, ...here() });
    }
  }
  const plain: Diagram = {
    name: 'd',
    file: 'd.mmd',
    dialect: 'mermaid',
    ...(title === null || title === '' ? {} : { title }),
    participants,
    messages,
    fragments,
    items,
    notes,
    activations,
    steps: [],
  };
  return lives ? withLives(plain, bordersBefore) : plain;
}

/** The last participant is created, and the first one destroyed, where a message allows it. */
function withLives(diagram: Diagram, bordersBefore: readonly number[]): Diagram {
  const { participants, messages, notes, activations } = diagram;
  const last = participants.at(-1);
  const first = participants[0];
  if (last === undefined || first === undefined) return diagram;
  const created = messages.findIndex(({ from, to }) => from === last.id || to === last.id);
  // Mermaid creates a participant with its message: nothing can stand beside it above, nor outside the message's fragment.
  const isEarly = ({ before, borders = 0 }: Note | Activation): boolean =>
    before < created || (before === created && borders < (bordersBefore[created] ?? 0));
  const early =
    notes.some((note) => isEarly(note) && note.participants.includes(last.id)) ||
    activations.some((bar) => isEarly(bar) && bar.participant === last.id);
  const creates = created !== -1 && messages[created]?.to === last.id && !early && participants.length > 1;
  const destroyed = messages.findLastIndex(({ from, to }) => from === first.id || to === first.id);
  const destroys = destroyed !== -1 && !(creates && destroyed === created);
  return {
    ...diagram,
    participants: participants.map((participant) => ({
      ...participant,
      ...(creates && participant === last ? { createdBy: created } : {}),
      ...(destroys && participant === first ? { destroyedBy: destroyed } : {}),
    })),
  };
}
