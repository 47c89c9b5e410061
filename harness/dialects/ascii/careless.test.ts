/** What people and their assistants draw without care: read as anybody would read it, or told; all drawings our own. */
import { describe, expect, test } from '@jest/globals';
import { printAscii } from '../../diagram/index.ts';
import { cellsOf } from './index.ts';
import { looksLikeAscii } from './read-ascii.ts';
import { arrows, arrowsOf, read, said, treeOf } from './what-is-read.ts';

interface Case {
  readonly what: string;
  readonly text: string;
  readonly participants?: string;
  readonly arrows?: readonly string[];
  readonly notes?: readonly string[];
  readonly title?: string;
  readonly said?: readonly string[];
}

const between = (...rows: readonly string[]): string => ['A           B', '|           |', ...rows].join('\n');
const titled = (...above: readonly string[]): string =>
  [...above, 'Alice         Bob', '  |            |', '  | x          |', '  |----------->|'].join('\n');

const CASES: readonly Case[] = [
  {
    what: 'a title right above the first name is no part of it',
    text: titled('Log in'),
    participants: 'Alice|Bob',
    arrows: ['Alice -> Bob: x'],
    title: 'Log in',
    said: ['ASC141 1:1'],
  },
  {
    what: 'a title that stands in the middle is no part of the nearest name',
    text: titled('     Log in'),
    participants: 'Alice|Bob',
    arrows: ['Alice -> Bob: x'],
    title: 'Log in',
    said: ['ASC141 1:6'],
  },
  {
    what: 'a sentence right above the names is neither title nor name',
    text: titled('This is how it goes:'),
    participants: 'Alice|Bob',
    arrows: ['Alice -> Bob: x'],
    said: ['ASC141 1:1'],
  },
  {
    what: 'one word in the middle above one of several names is a part of it, and said so',
    text: ['  Web', 'Client        Shop', '  |            |', '  |----------->|'].join('\n'),
    participants: 'Web Client|Shop',
    arrows: ['Web Client -> Shop'],
    said: ['ASC142 1:3'],
  },
  {
    what: 'a second row of all names is a part of them',
    text: [' Web          Sales', 'Client        Shop', '  |            |', '  |----------->|'].join('\n'),
    participants: 'Web Client|Sales Shop',
    arrows: ['Web Client -> Sales Shop'],
    said: [],
  },
  {
    what: 'a time beside the first name is no part of it',
    text: ['t=0   A             B', '      |             |', 't=1   |------------>|', 't=2   |<------------|'].join(
      '\n',
    ),
    participants: 'A|B',
    arrows: ['A -> B', 'B -> A'],
    said: ['ASC142 3:1'],
  },
  {
    what: 'a picture before a name is a part of it',
    text: ['👩 Alice      🤖 Bot', '    |           |', '    | hi 🎉     |', '    |---------->|'].join('\n'),
    participants: '👩 Alice|🤖 Bot',
    arrows: ['👩 Alice -> 🤖 Bot: hi 🎉'],
    said: [],
  },
  {
    what: 'a quotation in a quotation is a prefix as one',
    text: ['> > A        B', '> > |        |', '> > |  x     |', '> > |------->|'].join('\n'),
    participants: 'A|B',
    arrows: ['A -> B: x'],
    said: [],
  },
  {
    what: 'a tag in a comment names nobody',
    text: ['/**', ' * <pre>', ' *   A        B', ' *   |        |', ' *   |------->|', ' * </pre>', ' */'].join('\n'),
    participants: 'A|B',
    arrows: ['A -> B'],
    said: [],
  },
  {
    what: 'a lifeline that has moved to the end of a text is no sign of it',
    text: between('| hello all|', '|---------->|'),
    arrows: ['A -> B: hello all'],
    said: [],
  },
  {
    what: 'shafts of middle dots, of dots and dashes, of low lines and of heads are shafts, and in no label',
    text: between(
      '|  one      |',
      '|---------->|',
      '|  two      |',
      '|<· · · · · |',
      '|  three    |',
      '|···········>',
      '|  four     |',
      '|<-.-.-.-.-.|',
      '|  five     |',
      '|__________>|',
      '|  six      |',
      '| ⟵⟵⟵⟵⟵⟵⟵⟵⟵ |',
      '|  seven    |',
      '|→→→→→→→→→→→|',
      '|           |',
    ),
    arrows: [
      'A -> B: one',
      'B --> A: two',
      'A --> B: three',
      'B --> A: four',
      'A -> B: five',
      'B -> A: six',
      'A -> B: seven',
    ],
    said: [],
  },
  {
    what: 'dashes of text processors are shafts, with labels in them too',
    text: between(
      '|  one      |',
      '|——————————>|',
      '|<––– two ––|',
      '|·· three ··>',
      '|−−−−−−−−−−▸|',
      '|<⎯⎯⎯⎯⎯⎯⎯⎯⎯|',
      '|           |',
    ),
    arrows: ['A -> B: one', 'B -> A: two', 'A --> B: three', 'A -> B', 'B -> A'],
  },
  {
    what: 'an arrow of signs that nobody knows is in no label, and told',
    text: between('|  one      |', '|---------->|', '|  two      |', '|<≈≈≈≈≈≈≈≈≈|', '|  three    |', '|<----------|'),
    arrows: ['A -> B: one / two', 'B -> A: three'],
    said: ['ASC122 5:4', 'ASC120 6:2'],
  },
  {
    what: 'a state over the lifeline at the right end is no label',
    text: [
      ...['CLIENT             SERVER', '  |                  |', '  | SYN              |', '  |----------------->|'],
      ...['  |               SYN-RCVD', '  | ACK              |', '  |----------------->|', '  |                  |'],
    ].join('\n'),
    participants: 'CLIENT|SERVER',
    arrows: ['CLIENT -> SERVER: SYN', 'CLIENT -> SERVER: ACK'],
    notes: ['SYN-RCVD'],
    said: ['ASC143 5:19'],
  },
  {
    what: 'a lifeline that a text has pushed aside is no part of it',
    text: between('| too long a text |', '|---------->|', '|           |'),
    arrows: ['A -> B: too long a text'],
    said: ['ASC123 3:19'],
  },
  {
    what: 'signs of time and tips on the lifelines are lifelines',
    text: between('▼           ▼', '| put       |', '|---------->|', '⋮           ⋮', '|<----------|'),
    arrows: ['A -> B: put', 'B -> A'],
    said: [],
  },
  {
    what: 'a piece of a shaft is no label',
    text: between('| -- put    |', '|---------->|', '|    got --- |', '|<----------|'),
    arrows: ['A -> B', 'B -> A'],
  },
  {
    what: 'a text between dashes over all lifelines is a divider',
    text: between('| put       |', '|---------->|', '--- phase 2 ---', '| got       |', '|<----------|'),
    arrows: ['A -> B: put', 'B -> A: got'],
    notes: ['phase 2'],
    said: [],
  },
  {
    what: 'and none if it speaks of a frame, or does not run over all of them',
    text: between('--- loop 3x ---', '| put       |', '|---------->|', '--- got ---', '|<----------|'),
    arrows: ['A -> B: put', 'B -> A'],
  },
  {
    what: 'signs that may be shafts stay signs in a text',
    text: between('| a·b __x_ >|', '|---------->|', '| ... x->y  |', '|<----------|'),
    arrows: ['A -> B: a·b __x_ >', 'B -> A: ... x->y'],
    said: [],
  },
  {
    what: 'an arrow that floats in the middle between two lifelines is one between them',
    text: between('|  put      |', '|  ------>  |', '|  got      |', '|   <-----  |', '| -- ok --> |', '|           |'),
    arrows: ['A -> B: put', 'B -> A: got', 'A -> B: ok'],
    said: ['ASC152 4:4', 'ASC152 6:5'],
  },
  {
    what: 'one that floats far from the middle, or is short, is refused',
    text: between('|           |', '|     --->  |', '|    ->     |', '|           |', '|---------->|'),
    arrows: ['A -> B'],
    said: ['ASC112 4:7', 'ASC112 5:6'],
  },
  {
    what: 'a cross in the middle loses the message on its way',
    text: between('| put       |', '|------X    |', '| got       |', '|    x------|', '|           |'),
    arrows: ['A -> B: put', 'B -> A: got'],
    said: ['ASC152 4:2', 'ASC152 6:6'],
  },
  {
    what: 'dots in the middle say that time passes, as waves on the lifelines do',
    text: between(
      '| put       |',
      '|---------->|',
      '|    ...    |',
      '~           ~',
      '~  5 min    ~',
      '~           ~',
      '| got       |',
      '|<----------|',
    ),
    arrows: ['A -> B: put', 'B -> A: got'],
    notes: ['5 min'],
    said: ['ASC153 5:6'],
  },
  {
    what: 'a loop of two rows, its label right beside it',
    text: between('|---+ work |', '|<--+      |', '|-.        |', '| | rest   |', "|<'        |", '|---------->|'),
    arrows: ['A -> A: work', 'A -> A: rest', 'A -> B'],
  },
  {
    what: 'a loop of one cell',
    text: ['A           B', '│           │', '│─╮ work    │', '│◄╯         │', '│──────────►│'].join('\n'),
    arrows: ['A -> A: work', 'A -> B'],
    said: [],
  },
  {
    what: 'a frame in words is told once, in brackets',
    text: between('[alt it is]', '| x         |', '|---------->|', '[else]', '| y         |', '|<----------|', '[end]'),
    arrows: ['A -> B: x', 'B -> A: y'],
    said: ['ASC135 3:1', 'ASC128 3:12', 'ASC128 6:7'],
  },
  {
    what: 'a frame in words is told once, over labels in shafts',
    text: between('| alt: ok   |', '|--- x ---->|', '| else: bad |', '|--- y ---->|', '| end       |'),
    arrows: ['A -> B: alt: ok / x / else: bad', 'A -> B: y / end'],
    said: ['ASC135 3:3', 'ASC122 5:3', 'ASC122 7:3'],
  },
  {
    what: 'a loop in words is told',
    text: between('| loop 3 times', '| x         |', '|---------->|', '| end loop'),
    arrows: ['A -> B: loop 3 times / x / end loop'],
    said: ['ASC135 3:3', 'ASC122 6:3'],
  },
  {
    what: 'nobody sends an else',
    text: between('| alt ok    |', '|---------->|', '| else      |', '|---------->|'),
    arrows: ['A -> B: alt ok', 'A -> B: else'],
    said: ['ASC135 5:3'],
  },
  {
    what: 'text around a drawing is told once, however long it is',
    text: [
      ...['# Design', '', 'We do this.', ''],
      ...['A        B', '|        |', '|------->|', '|<-------|', ''],
      ...['This is prose that goes on.', 'And on.', '', 'Over', 'many', 'more', 'rows', 'than that.'],
    ].join('\n'),
    arrows: ['A -> B', 'B -> A'],
    said: ['ASC141 1:1', 'ASC141 10:1'],
  },
  {
    what: 'a second drawing is told once, under the same lifelines',
    text: between(
      '| x         |',
      '|---------->|',
      '|           |',
      '',
      'Cli         Dat',
      '|           |',
      '|---------->|',
    ),
    arrows: ['A -> B: x'],
    said: ['ASC107 7:1'],
  },
  {
    what: 'a second drawing is told once, under other ones',
    text: between(
      '| x         |',
      '|---------->|',
      '',
      '    Cli     Dat',
      '     |       |',
      '     |------>|',
      '     |       |',
    ),
    arrows: ['A -> B: x'],
    said: ['ASC107 6:5'],
  },
  {
    what: 'a second drawing is told once, with boxes',
    text: [
      ...['+---+    +---+', '| A |    | B |', '+---+    +---+', '  |        |', '  |------->|', '  |        |', ''],
      ...['     +---+       +---+', '     | C |       | D |', '     +---+       +---+', '       |           |'],
      ...['       |  y        |', '       |---------->|', '       |           |'],
    ].join('\n'),
    arrows: ['A -> B'],
    said: ['ASC107 8:6'],
  },
  {
    what: 'names that are repeated on the next page are no second drawing',
    text: between('| x         |', '|---------->|', '', '', 'A           B', '|           |', '|<----------|'),
    arrows: ['A -> B: x', 'B -> A'],
  },
  {
    what: 'a hop over a lifeline is no end',
    text: [
      ...['A       B       C', '|       |       |', '| x     |       |', '|-------)------>|'],
      ...['| y     |       |', '|<------(-------|', '|       |       |'],
    ].join('\n'),
    participants: 'A|B|C',
    arrows: ['A -> C: x', 'C -> A: y'],
    said: [],
  },
  {
    what: 'a box over the lifeline of a plain name is a note',
    text: between('|---------->|', '|     +-----+----+', '|     | validate |', '|     +-----+----+', '|<----------|'),
    arrows: ['A -> B', 'B -> A'],
    notes: ['validate'],
    said: [],
  },
];

describe('what is drawn without care', () => {
  test.each(CASES)('$what', ({ text, participants, arrows: drawn, notes, title, said: codes }) => {
    const { value } = read(text);
    expect(value.participants.map(({ label }) => label).join('|')).toBe(participants ?? 'A|B');
    if (drawn !== undefined) expect(arrows(text)).toEqual(drawn);
    if (notes !== undefined) expect(value.notes.map((note) => note.text)).toEqual(notes);
    expect(value.title).toBe(title);
    if (codes !== undefined) expect(said(text)).toEqual(codes);
    expect(looksLikeAscii(text)).toBe(true);
  });
});

describe('frames that are drawn without care', () => {
  test.each([
    {
      what: 'lifelines as its sides',
      rows: ['+-- loop ---+', '| x         |', '|---------->|', '+-----------+', '|           |'],
      tree: [['loop', ['', 0]]],
    },
    {
      what: 'a lifeline as its left side',
      rows: ['+-- opt [x] ---+', '| x         |  |', '|---------->|  |', '+--------------+', '|           |'],
      tree: [['opt', ['x', 0]]],
    },
    {
      what: 'stars for lines',
      rows: [
        '** loop [x] ******',
        '| x         |    *',
        '|---------->|    *',
        '******************',
        '|           |',
      ].map((row, index) => (index === 1 || index === 2 ? row.replace('|', '*') : row)),
      tree: [['loop', ['x', 0]]],
    },
  ])('are fragments with $what', ({ rows, tree }) => {
    const text = between(...rows);
    expect(treeOf(read(text).value)).toEqual(tree);
    expect(arrows(text)).toEqual(['A -> B: x']);
    expect(said(text)).toEqual([]);
  });

  test.each([
    ['else bad', 'bad'],
    ['else: bad', 'bad'],
    ['[else]', ''],
    ['[else bad]', 'bad'],
    ['else', ''],
  ])('begin a compartment where "%s" stands alone on a row', (word, guard) => {
    const frame = [
      ...['   A           B', '   |           |', '+-- alt [ok] -------+', '|  | x         |    |'],
      ...['|  |---------->|    |', `| ${word.padEnd(18)}|`, '|  | y         |    |', '|  |<----------|    |'],
      ...['+-------------------+', '   |           |'],
    ].join('\n');
    expect(treeOf(read(frame).value)).toEqual([['alt', ['ok', 0], [guard, 1]]]);
    expect(arrows(frame)).toEqual(['A -> B: x', 'B -> A: y']);
  });

  test.each([
    ['left', ' -- opt [x] ------+', 'ASC154 this frame has no upper left corner'],
    ['right', '+-- opt [x] ------', 'ASC130 this frame has no upper right corner, between A and B'],
  ])('are told once without their upper %s corner', (_, border, expected) => {
    const frame = [
      ...['   A           B', '   |           |', border, '|  | x         |  |', '|  |---------->|  |'],
      ...['+-----------------+', '   |           |'],
    ].join('\n');
    expect(read(frame).diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([expected]);
  });

  test('have no compartments of their own for a keyword and a guard between two lines', () => {
    const text = [
      ...['┌─────┐        ┌─────┐', '│ App │        │ Api │', '└──┬──┘        └──┬──┘', '   │              │'],
      ...['┌──┴──────────────┴──┐', '│ alt: success       │', '├──┬──────────────┬──┤', '   │ token        │'],
      ...['   │<─────────────│', '├──┴──────────────┴──┤', '│ else: failure      │', '├──┬──────────────┬──┤'],
      ...['   │ 401          │', '   │<─────────────│', '└──┬──────────────┬──┘', '   │              │'],
    ].join('\n');
    expect(treeOf(read(text).value)).toEqual([['alt', ['success', 0], ['failure', 1]]]);
    expect(arrows(text)).toEqual(['Api -> App: token', 'Api -> App: 401']);
  });
});

describe('a reference', () => {
  const around = (...rows: readonly string[]): string =>
    [
      ' User         Shop         Bank',
      '  |            |            |',
      '  |---order--->|            |',
      ...rows,
      '  |<---201-----|            |',
    ].join('\n');
  const PAY = [0, ['ref', ['Pay']], 1];

  test.each([
    {
      what: 'has its word in the first row',
      rows: [
        '  |        +----------------+',
        '  |        | ref            |',
        '  |        | Pay            |',
        '  |        +----------------+',
      ],
    },
    {
      what: 'has its word in the upper border, and the name inside',
      rows: ['  |        +-- ref ---+     |', '  |        | Pay      |     |', '  |        +----------+     |'],
    },
    {
      what: 'has its word in a tab, and tees where lifelines go on',
      rows: [
        '  |       +-----+-------------+',
        '  |       | ref |             |',
        '  |       +-----+  Pay        |',
        '  |       +----+------------+-+',
      ],
    },
    {
      what: 'has all in its upper border, and lifelines in it',
      rows: [
        '  |        +-- ref Pay -----|--+',
        '  |        |   |            |  |',
        '  |        +---|------------|--+',
      ],
    },
  ])('$what', ({ rows }) => {
    const diagram = read(around(...rows)).value;
    expect(treeOf(diagram)).toEqual(PAY);
    expect(diagram.notes).toEqual([]);
    expect(said(around(...rows))).toEqual([]);
  });

  test('is drawn among boxes, and names nobody', () => {
    const text = [
      '┌──────┐     ┌──────┐     ┌──────┐',
      '│ User │     │ Shop │     │ Bank │',
      '└──┬───┘     └──┬───┘     └──┬───┘',
      '   │───order───>│            │',
      '   │       ┌────┴────────────┴─┐',
      '   │       │ ref               │',
      '   │       │ Pay               │',
      '   │       └────┬────────────┬─┘',
      '   │<───201─────│            │',
    ].join('\n');
    expect(treeOf(read(text).value)).toEqual(PAY);
    expect(read(text).value.participants.map(({ id }) => id)).toEqual(['User', 'Shop', 'Bank']);
  });

  test('is read back as it is printed', () => {
    const text = around(
      '  |        +-- ref ---+     |',
      '  |        | Pay      |     |',
      '  |        +----------+     |',
    );
    expect(treeOf(read(printAscii(read(text).value, cellsOf) ?? '').value)).toEqual(PAY);
  });

  test('holds no arrows: a frame that does is a fragment of that name', () => {
    const rows = [
      '  |  +-- ref ---------------------+',
      '  |  |         |            |     |',
      '  |  |         |----pay---->|     |',
      '  |  +----------------------------+',
    ];
    expect(treeOf(read(around(...rows)).value)).toEqual([0, ['ref', ['', 1]], 2]);
  });

  test.each(['--->', '...>', '╌╌╌>', '→→→→', '~~~>'])('never hides an arrow %s', (shaft) => {
    const arrow = `|${shaft.padStart(12, shaft[0])}|`;
    const text = around(
      '  |  +-- ref ---------------------+',
      `  |  |         ${arrow}     |`,
      '  |  +----------------------------+',
    );
    expect(arrowsOf(read(text).value)).toHaveLength(3);
  });

  test('says no more than its word: a note that begins with it is a note', () => {
    const rows = [
      '  |        +-----------+    |',
      '  |        | ref: RFC  |    |',
      '  |        | 6749      |    |',
      '  |        +-----------+    |',
    ];
    expect(read(around(...rows)).value.notes.map(({ text }) => text)).toEqual(['ref: RFC\n6749']);
  });
});

describe('a head further down without a tee', () => {
  const NEW = [
    '  |               +---+',
    '  |---new-------->| B |',
    '  |               +---+',
    '  |                 |',
  ];
  test.each([
    ['under a box', ['+---+', '| A |', '+-+-+', ...NEW, '  |---hi----------->|'], ['A -> B: new', 'A -> B: hi'], 'A|B'],
    [
      'under plain names',
      [
        ' A      C',
        ' |      |',
        ' |      |        +---+',
        ' |      |--new-->| B |',
        ' |      |        +---+',
        ' |      |          |',
        ' |      |---hi---->|',
        ' |----->|          |',
      ],
      ['C -> B: new', 'C -> B: hi', 'A -> C'],
      'A|C|B',
    ],
  ])('is a participant that is created by the arrow to it, %s', (_, rows, messages, participants) => {
    const diagram = read(rows.join('\n')).value;
    expect(diagram.participants.map(({ id }) => id).join('|')).toBe(participants);
    expect(diagram.participants.find(({ id }) => id === 'B')?.createdBy).toBe(0);
    expect(arrowsOf(diagram)).toEqual(messages);
    expect(said(rows.join('\n'))).toEqual([]);
  });

  test('is a note where no arrow leads to it', () => {
    const rows = [
      '+---+           +---+',
      '| A |           | C |',
      '+-+-+           +-+-+',
      '  |     +---+     |',
      '  |     | B |     |',
      '  |     +---+     |',
      '  |---hi--------->|',
    ];
    const { notes, participants } = read(rows.join('\n')).value;
    expect(participants.map(({ id }) => id)).toEqual(['A', 'C']);
    expect(notes.map(({ text }) => text)).toEqual(['B']);
  });
});
