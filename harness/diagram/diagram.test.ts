import { describe, expect, test } from '@jest/globals';
import {
  checkOvertaking,
  describeDifference,
  type Diagram,
  type DrawnEnd,
  type Fragment,
  type Item,
  marksMoved,
  type Message,
  overtakings,
  pathOf,
  printMermaid,
  receivedFrom,
  walkDiagram,
  walkMessages,
  wholeFile,
} from './index.ts';

const AT = { line: 3, column: 5 };
const message = (from: string | null, to: string | null, text = 'x', rest: Partial<Message> = {}): Message => ({
  from,
  to,
  text,
  line: 'solid',
  head: 'arrow',
  at: AT,
  ...rest,
});

const fragment = (kind: Fragment['kind'], ...operands: readonly (readonly [string, readonly Item[]])[]): Fragment => ({
  kind,
  at: AT,
  operands: operands.map(([guard, items]) => ({ guard, at: AT, items })),
});

function diagram(parts: Partial<Diagram>): Diagram {
  const ids = new Set((parts.messages ?? []).flatMap(({ from, to }) => [from, to]).filter((id) => id !== null));
  return {
    name: 'd',
    file: 'd.mmd',
    dialect: 'mermaid',
    participants: [...ids].map((id) => ({ id, label: id, kind: 'participant' as const, at: AT })),
    messages: [],
    fragments: [],
    items: (parts.messages ?? []).map((_, index) => ({ message: index })),
    notes: [],
    activations: [],
    steps: [],
    ...parts,
  };
}

/** A → B, then a loop that holds B → A and an alt of A → C or C → B. */
const NESTED = diagram({
  messages: [message('A', 'B'), message('B', 'A'), message('A', 'C'), message('C', 'B')],
  fragments: [
    fragment('loop', ['day', [{ message: 1 }, { fragment: 1 }]]),
    fragment('alt', ['yes', [{ message: 2 }]], ['no', [{ message: 3 }]]),
  ],
  items: [{ message: 0 }, { fragment: 0 }],
});

describe('walking', () => {
  test('enters, divides and leaves fragments in drawn order', () => {
    const steps = [...walkDiagram(NESTED)].map((event) => `${event.kind} ${event.index}`);
    expect(steps.join(', ')).toBe(
      'message 0, enter 0, operand 0, message 1, enter 1, operand 0, message 2, operand 1, message 3, leave 1, leave 0',
    );
  });

  test('gives every message the path that encloses it', () => {
    const paths = [...walkMessages(NESTED)].map(({ inside }) =>
      pathOf(inside).map(({ fragment, operand }) => [fragment, operand]),
    );
    expect(paths).toEqual([
      [],
      [[0, 0]],
      [
        [0, 0],
        [1, 0],
      ],
      [
        [0, 0],
        [1, 1],
      ],
    ]);
  });
});

describe('comparing', () => {
  const ab = diagram({ messages: [message('A', 'B', 'go'), message('B', 'A', 'ok', { line: 'dashed' })] });

  test.each<[string, Diagram, ReadonlyMap<string, string> | undefined, readonly string[]]>([
    ['itself', ab, undefined, []],
    [
      'other names and texts',
      diagram({ messages: [message('X', 'Y', 'hi'), message('Y', 'X', 'yo', { line: 'dashed', head: 'open' })] }),
      undefined,
      [],
    ],
    [
      'names that are said to differ',
      ab,
      new Map([['A', 'B']]),
      [
        'd.mmd:3:5 and d.mmd:3:5: A -> B "go" against A -> B "go"',
        'd.mmd:3:5 and d.mmd:3:5: B --> A "ok" against B --> A "ok"',
      ],
    ],
    [
      'another line style',
      diagram({ messages: [message('A', 'B', 'go'), message('B', 'A', 'ok')] }),
      undefined,
      ['d.mmd:3:5 and d.mmd:3:5: B --> A "ok" against B -> A "ok"'],
    ],
    [
      'two participants that became one',
      diagram({ messages: [message('A', 'A', 'go'), message('A', 'A', 'ok', { line: 'dashed' })] }),
      undefined,
      [
        'd.mmd:3:5 and d.mmd:3:5: A -> B "go" against A -> A "go"',
        'd.mmd:3:5 and d.mmd:3:5: B --> A "ok" against A --> A "ok"',
      ],
    ],
    [
      'a message less',
      diagram({ messages: [message('A', 'B')] }),
      undefined,
      ['only d.mmd:3:5 goes on with B --> A "ok"'],
    ],
    ['a fragment instead', NESTED, undefined, ['d.mmd:3:5 and d.mmd:3:5: B --> A "ok" against a loop']],
  ])('with %s', (_, other, names, expected) => {
    expect(describeDifference(ab, other, names)).toEqual(expected);
  });

  test('texts count if asked', () => {
    const other = diagram({ messages: [message('A', 'B', 'went'), message('B', 'A', 'ok', { line: 'dashed' })] });
    expect(describeDifference(ab, other, undefined, { texts: 'compare' })).toEqual([
      'd.mmd:3:5 and d.mmd:3:5: A -> B "go" against A -> B "went"',
    ]);
  });
});

describe('printing as Mermaid', () => {
  test('shows everything of a diagram in its place', () => {
    const printed = printMermaid({
      ...NESTED,
      title: 'All of it',
      participants: NESTED.participants.map((participant) =>
        participant.id === 'C' ? { ...participant, label: 'The C', kind: 'database', createdBy: 2 } : participant,
      ),
      notes: [{ text: 'hm', placement: 'over', participants: ['A', 'B'], at: AT, before: 1, borders: 1 }],
      activations: [
        { participant: 'B', on: true, before: 1, borders: 1 },
        { participant: 'B', on: false, before: 4, borders: 3 },
      ],
    });
    expect(printed).toBe(
      [
        'sequenceDiagram',
        '    title All of it',
        '    participant A',
        '    participant B',
        '    A->>B: x',
        '    loop day',
        '        note over A,B: hm',
        '        activate B',
        '        B->>A: x',
        '        alt yes',
        '            create participant C@{ "type": "database" } as The C',
        '            A->>C: x',
        '        else no',
        '            C->>B: x',
        '        end',
        '    end',
        '    deactivate B',
        '',
      ].join('\n'),
    );
  });

  test('says a note or bar at a participant that is not created yet where it is created', () => {
    const early = diagram({
      participants: NESTED.participants.map((one) => (one.id === 'C' ? { ...one, createdBy: 1 } : one)),
      messages: [message('A', 'B', 'x'), message('A', 'C', 'new'), message('C', 'B', 'y')],
      fragments: [fragment('opt', ['', [{ message: 1 }]])],
      items: [{ message: 0 }, { fragment: 0 }, { message: 2 }],
      notes: [
        { text: 'early', placement: 'over', participants: ['B', 'C'], at: AT, before: 0 },
        { text: 'other', placement: 'over', participants: ['B'], at: AT, before: 1 },
        { text: 'outside', placement: 'over', participants: ['C'], at: AT, before: 1 },
        { text: 'inside', placement: 'over', participants: ['C'], at: AT, before: 1, borders: 1 },
      ],
      activations: [{ participant: 'C', on: true, before: 1 }],
    });
    expect(printMermaid(early)).toBe(
      [
        'sequenceDiagram',
        '    participant A',
        '    participant B',
        '    A->>B: x',
        '    note over B: other',
        '    opt',
        '        create participant C',
        '        note over B,C: early',
        '        note over C: outside',
        '        activate C',
        '        note over C: inside',
        '        A->>C: new',
        '    end',
        '    C->>B: y',
        '',
      ].join('\n'),
    );
    expect(marksMoved(early).map((mark) => ('on' in mark ? 'bar' : mark.text))).toEqual(['early', 'outside', 'bar']);
  });

  test('says both directions of one arrow as one arrow', () => {
    const both = diagram({
      messages: [message('A', 'B', 'sync'), message('B', 'A', 'sync')],
      fragments: [fragment('par', ['', [{ message: 0 }]], ['', [{ message: 1 }]])],
      items: [{ fragment: 0 }],
    });
    expect(printMermaid(both)).toContain('    A<<->>B: sync\n');
  });

  test('keeps found and lost messages and drawn groups, in what Mermaid has for them', () => {
    const drawn = diagram({
      messages: [message(null, 'A', 'found'), message('A', null, 'lost')],
      fragments: [fragment('group', ['mine', [{ message: 1 }]])],
      items: [{ message: 0 }, { fragment: 0 }],
    });
    expect(printMermaid(drawn)).toBe(
      'sequenceDiagram\n    participant A\n    found->>A: found\n    rect\n        A->>lost: lost\n    end\n',
    );
  });
});

test('the source of a whole file leaves places as they are', () => {
  expect(wholeFile('a.mmd', 'a').place(2, 7)).toEqual({ line: 2, column: 7 });
});

describe('messages that overtake each other', () => {
  const late = (after: number, nth = 0): Partial<Message> => ({ received: { after, nth } });
  const written = (ends: readonly DrawnEnd[]): string =>
    ends.map(({ message: index, end }) => `${end === 'sending' ? 's' : 'r'}${index}`).join(' ');
  const groups = (...messages: readonly Message[]): string[] =>
    overtakings({ messages }).map(({ ends }) => written(ends));

  test.each<[string, readonly Message[], readonly string[]]>([
    ['one after the other', [message('A', 'B'), message('A', 'B')], []],
    ['the first is overtaken', [message('A', 'B', 'x', late(1)), message('A', 'B')], ['s0 s1 r1 r0']],
    ['two that cross', [message('A', 'B', 'x', late(1, 0)), message('B', 'A', 'y', late(1, 1))], ['s0 s1 r0 r1']],
    [
      'the last two arrive in the opposite order',
      [message('A', 'B', 'x', late(2, 1)), message('A', 'B', 'y', late(2, 0)), message('A', 'B')],
      ['s0 s1 s2 r2 r1 r0'],
    ],
    [
      'chains that overlap are one group, others are not',
      [
        message('A', 'B', 'x', late(1)),
        message('A', 'B', 'y', late(2)),
        message('A', 'B'),
        message('A', 'B', 'z', late(4)),
        message('A', 'B'),
      ],
      ['s0 s1 r0 s2 r2 r1', 's3 s4 r4 r3'],
    ],
    ['a message that waits for nothing is like any other', [message('A', 'B', 'x', late(0)), message('A', 'B')], []],
  ])('%s', (_, messages, expected) => {
    expect(groups(...messages)).toEqual(expected);
  });

  test('the order of ends is said by the messages alone, and back', () => {
    const ends = overtakings({
      messages: [message('A', 'B', 'x', late(2)), message('A', 'B', 'y', late(1)), message('A', 'B')],
    })[0]!.ends;
    expect([...receivedFrom(ends)]).toEqual([[0, { after: 2, nth: 0 }]]);
  });

  test.each<[string, Partial<Diagram>]>([
    ['it is received before it is sent', { messages: [message('A', 'B'), message('A', 'B', 'x', late(0))] }],
    ['it is received after a message that is not drawn', { messages: [message('A', 'B', 'x', late(1))] }],
    ['where it is received is no place of the drawing', { messages: [message('A', 'B', 'x', late(0.5))] }],
    [
      'only a message from one participant to another can be overtaken',
      { messages: [message('A', 'A', 'x', late(1)), message('A', 'B')] },
    ],
    [
      'only a message from one participant to another can be overtaken',
      { messages: [message('A', null, 'x', late(1)), message('A', 'B')] },
    ],
    [
      'it is received at the very place where message 1 is received',
      { messages: [message('A', 'B', 'x', late(2)), message('A', 'B', 'y', late(2)), message('A', 'B')] },
    ],
    [
      'a border of a fragment is drawn between its sending and its receipt',
      {
        messages: [message('A', 'B', 'x', late(1)), message('A', 'B')],
        fragments: [fragment('opt', ['', [{ message: 1 }]])],
        items: [{ message: 0 }, { fragment: 0 }],
      },
    ],
    [
      'a border of a fragment is drawn between its sending and its receipt',
      {
        messages: [message('A', 'B', 'x', late(2)), message('A', 'C'), message('A', 'B')],
        fragments: [fragment('opt', ['', [{ message: 1 }]])],
        items: [{ message: 0 }, { fragment: 0 }, { message: 2 }],
      },
    ],
  ])('%s', (text, parts) => {
    expect(checkOvertaking(diagram(parts))).toEqual([
      { message: (parts.messages ?? []).findLastIndex(({ received }) => received !== undefined), text },
    ]);
  });

  test('two drawings that differ in who overtakes whom differ', () => {
    const one = diagram({ messages: [message('A', 'B', 'x', late(1)), message('A', 'B')] });
    const other = diagram({ messages: [message('A', 'B'), message('A', 'B')] });
    expect(describeDifference(one, other)).toHaveLength(1);
    expect(describeDifference(one, one)).toEqual([]);
  });
});
