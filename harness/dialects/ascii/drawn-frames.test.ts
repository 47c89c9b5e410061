/** Frames that people draw around lifelines: read as what they are, or refused; never taken for notes that hold arrows. */
import { describe, expect, test } from '@jest/globals';
import { arrowsOf, isRefused, read, treeOf } from './what-is-read.ts';

const HEAD = `
   +-----+          +------+         +------+
   | App |          | Shop |         | Bank |
   +-----+          +------+         +------+
      |                |                |
      |  order         |                |
      |--------------->|                |
`;
const TAIL = `
      |                |                |
      |  thanks        |                |
      |<---------------|                |
`;
const INSIDE = ['| ', '   |                |  pay           |  ', '   |                |--------------->|  '];

interface Frame {
  readonly style: string;
  readonly text: string;
  readonly tree: unknown;
}

const PAID = [0, ['opt', ['card', 1]], 2];
const EITHER = [0, ['alt', ['accepted', 1], ['declined', 2]], 3];

const FRAMES: readonly Frame[] = [
  {
    style: 'plus signs, the keyword in the first row',
    text: `
  +----------------------------------------+
  | opt  [card]        |                |  |
  |   |                |  pay           |  |
  |   |                |--------------->|  |
  +----------------------------------------+`,
    tree: PAID,
  },
  {
    style: 'plus signs where lifelines cross the border',
    text: `
  +---+----------------+----------------+--+
  |opt: card           |                |  |
  |   |                |  pay           |  |
  |   |                |--------------->|  |
  +---+----------------+----------------+--+`,
    tree: PAID,
  },
  {
    style: 'the keyword in the border, between blanks',
    text: `
  +-- opt [card] --------------------------+
  |   |                |  pay           |  |
  |   |                |--------------->|  |
  +----------------------------------------+`,
    tree: PAID,
  },
  {
    style: 'dashed borders and round corners',
    text: `
  .- - - - - - - - - - - - - - - - - - - - .
  | OPT card           |                |  |
  |   |                |  pay           |  |
  |   |                |--------------->|  |
  '- - - - - - - - - - - - - - - - - - - - '`,
    tree: PAID,
  },
  {
    style: 'box drawing with crossings, a tab with a wall',
    text: `
  ┌───┼────────────────┼────────────────┼──┐
  │opt│ [card]         |                |  │
  │   |                |  pay           |  │
  │   |                |--------------->|  │
  └───┼────────────────┼────────────────┼──┘`,
    tree: PAID,
  },
  {
    style: 'double lines',
    text: `
  ╔════════════════════════════════════════╗
  ║ opt [card]         |                |  ║
  ║   |                |  pay           |  ║
  ║   |                |--------------->|  ║
  ╚════════════════════════════════════════╝`,
    tree: PAID,
  },
  {
    style: 'heavy lines, a tab with a foot',
    text: `
  ┏━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┓
  ┃ opt   ┃ [card]     |                |  ┃
  ┣━━━━━━━┛            |                |  ┃
  ┃   |                |  pay           |  ┃
  ┃   |                |--------------->|  ┃
  ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛`,
    tree: PAID,
  },
  {
    style: 'two compartments, the guard under the line',
    text: `
  +----------------------------------------+
  | alt  [accepted]    |                |  |
  |   |                |  200           |  |
  |   |                |<---------------|  |
  |----------------------------------------|
  | [declined]         |                |  |
  |   |                |  402           |  |
  |   |                |<---------------|  |
  +----------------------------------------+`,
    tree: EITHER,
  },
  {
    style: 'two compartments, the guard in the line, after else',
    text: `
  ┌─────── alt accepted ───────────────────┐
  │   |                |  200           |  │
  │   |                |<---------------|  │
  ├─────── else declined ──────────────────┤
  │   |                |  402           |  │
  │   |                |<---------------|  │
  └────────────────────────────────────────┘`,
    tree: EITHER,
  },
  {
    style: 'two compartments, dashes between them',
    text: `
  +----------------------------------------+
  | alt accepted       |                |  |
  |   |                |  200           |  |
  |   |                |<---------------|  |
  |- - - - - - - - - - - - - - - - - - - - |
  | else declined      |                |  |
  |   |                |  402           |  |
  |   |                |<---------------|  |
  +----------------------------------------+`,
    tree: EITHER,
  },
  {
    style: 'one in the other',
    text: `
  +-- loop until paid ---------------------+
  |   |                |  pay           |  |
  |   |                |--------------->|  |
  |   |  +-- opt [card] ---------------+|  |
  |   |  |             |  sign         ||  |
  |   |  |             |--------------->|  |
  |   |  +-----------------------------+|  |
  +----------------------------------------+`,
    tree: [0, ['loop', ['until paid', 1, ['opt', ['card', 2]]]], 3],
  },
  {
    style: 'around two of three lifelines, with an arrow out of it',
    text: `
  +-- opt [card] ------------+          |
  |   |                |     |          |
  |   |                |  pay|          |
  |   |                |--------------->|
  |   |                |     |          |
  +--------------------------+          |`,
    tree: PAID,
  },
];

describe('a frame drawn around lifelines is a fragment', () => {
  test.each(FRAMES)('$style', ({ text, tree }) => {
    const { value, diagnostics } = read(`${HEAD.trimEnd()}${text}${TAIL}`);
    expect(diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([]);
    expect(treeOf(value)).toEqual(tree);
    expect(value.notes).toEqual([]);
  });

  test('also under names without boxes', () => {
    const [, frame] = FRAMES;
    const { value, diagnostics } = read(
      `     App             Shop              Bank\n${HEAD.split('\n').slice(4).join('\n').trimEnd()}${frame!.text}${TAIL}`,
    );
    expect(diagnostics).toEqual([]);
    expect(treeOf(value)).toEqual(PAID);
  });

  test('also right below the heads, and as the last thing drawn', () => {
    const text = `${HEAD.split('\n').slice(0, 4).join('\n')}${FRAMES[0]!.text}`;
    const { value, diagnostics } = read(text);
    expect(diagnostics).toEqual([]);
    expect(treeOf(value)).toEqual([['opt', ['card', 0]]]);
  });

  test('also when it is a hundred rows high', () => {
    const rows = '\n  |   |                |  pay           |  |\n  |   |                |--------------->|  |'.repeat(
      50,
    );
    const text = `${HEAD.trimEnd()}\n  +-- loop [busy] -------------------------+${rows}\n  +----------------------------------------+`;
    const { value, diagnostics } = read(text);
    expect(diagnostics).toEqual([]);
    expect(treeOf(value)).toEqual([0, ['loop', ['busy', ...Array.from({ length: 50 }, (_, index) => index + 1)]]]);
  });
});

const box = (...inside: string[]): string =>
  ['', '  +----------------------------------------+', ...inside, '  +----------------------------------------+'].join(
    '\n',
  );

interface Refusal {
  readonly why: string;
  readonly text: string;
  readonly code: string;
  readonly at: string;
}

const REFUSALS: readonly Refusal[] = [
  {
    why: 'a frame without a keyword',
    text: box(
      `  ${INSIDE[0]}  |                |                |  |`.slice(0, 44),
      '  |   |                |--------------->|  |',
    ),
    code: 'ASC132',
    at: '8:3',
  },
  {
    why: 'a frame with a word that is none',
    text: box('  | maybe              |                |  |', '  |   |                |--------------->|  |'),
    code: 'ASC132',
    at: '8:3',
  },
  {
    why: 'an arrow in a note that hides its lifelines',
    text: box('  | then                                   |', '  |                     -------------->    |'),
    code: 'ASC126',
    at: '10:25',
  },
  {
    why: 'an arrow in a note beside a lifeline that shows',
    text: box(
      '  | then                                   |',
      '  | and                                    |',
      '  |                     -------------->|   |',
      '  | so                                     |',
    ),
    code: 'ASC126',
    at: '11:25',
  },
  {
    why: 'an arrow in a guard',
    text: box('  | opt [card]         |--------------->|  |', '  |   |                |                |  |'),
    code: '',
    at: '',
  },
];

describe('an arrow in a box is never lost', () => {
  test.each(REFUSALS)('$why', ({ text, code, at }) => {
    const { value, diagnostics } = read(`${HEAD.trimEnd()}${text}${TAIL}`);
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    const arrows = arrowsOf(value).filter((arrow) => arrow.startsWith('Shop -> Bank'));
    // Read or refused: one of the two.
    expect(arrows.length === 1 || errors.length > 0).toBe(true);
    if (code !== '')
      expect(errors.map((error) => `${error.code} ${error.line}:${error.column}`)).toContain(`${code} ${at}`);
  });

  test('a note that only speaks of arrows is a note', () => {
    const text = box('  | the bank answers --> later, or never   |', '  | a -> b                                 |');
    const { value, diagnostics } = read(`${HEAD.trimEnd()}${text}${TAIL}`);
    expect(diagnostics).toEqual([]);
    expect(value.notes.map((note) => note.text)).toEqual(['the bank answers --> later, or never\na -> b']);
    expect(value.messages).toHaveLength(2);
  });

  test('two diagrams in one text are refused where the second one begins', () => {
    const one = `${HEAD.trimEnd()}${TAIL}\n`;
    const footers = HEAD.split('\n').slice(1, 4).join('\n');
    const errors = read(`${one}${footers}\n\n${one.replace(/^\n/, '')}`).diagnostics.filter(
      ({ severity }) => severity === 'error',
    );
    expect(errors[0]).toMatchObject({ code: 'ASC107', line: 16 });
  });
});

describe('a frame by hand under plain names is read, its left border under the first letter of one', () => {
  const above = [
    '   Browser           Gateway',
    '      |                 |',
    '      |---------------->|',
    '      |                 |',
  ];
  const below = ['      |                 |', '      |<----------------|', '      |                 |'];
  const body = ['   |  |    code         |   |', '   |  |<----------------|   |', '   |  |                 |   |'];
  const other = body.map((row) => row.replace('code', 'none'));
  const unicode = (rows: readonly string[]): string[] =>
    rows.map((row) => row.replace('   |  |', '   │  |').replace(/\|$/, '│'));
  const opt = (top: string, bottom: string, rows = body): string[] => [top, ...rows, bottom];

  test.each<{ style: string; rows: readonly string[]; tree: unknown }>([
    {
      style: 'plus signs',
      rows: opt('   +--- opt [new] ----------+', '   +------------------------+'),
      tree: ['opt', ['new', 1]],
    },
    {
      style: 'equals signs',
      rows: opt('   +=== opt [new] ==========+', '   +========================+'),
      tree: ['opt', ['new', 1]],
    },
    {
      style: 'dots and quotes',
      rows: opt('   .--- opt [new] ----------.', "   '------------------------'"),
      tree: ['opt', ['new', 1]],
    },
    {
      style: 'stars',
      rows: opt('   *--- opt [new] ----------*', '   *------------------------*'),
      tree: ['opt', ['new', 1]],
    },
    {
      style: 'slanted corners',
      rows: opt('   /--- opt [new] ----------\\', '   \\------------------------/'),
      tree: ['opt', ['new', 1]],
    },
    {
      style: 'all in brackets, a colon',
      rows: opt('   +--[opt: new]------------+', '   +------------------------+'),
      tree: ['opt', ['new', 1]],
    },
    {
      style: 'all in brackets, blanks',
      rows: opt('   +--[ opt new ]-----------+', '   +------------------------+'),
      tree: ['opt', ['new', 1]],
    },
    {
      style: 'the keyword in brackets',
      rows: opt('   +--[opt] new ------------+', '   +------------------------+'),
      tree: ['opt', ['new', 1]],
    },
    {
      style: 'lifelines that pass',
      rows: opt('   +--|-- opt [new] ----|---+', '   +--|-----------------|---+'),
      tree: ['opt', ['new', 1]],
    },
    {
      style: 'a lifeline that passes behind the title',
      rows: opt('   +- opt [new] --------|---+', '   +--|-----------------|---+'),
      tree: ['opt', ['new', 1]],
    },
    {
      style: 'lifelines that pass, the keyword inside',
      rows: opt('   +--|-----------------|---+', '   +--|-----------------|---+', [
        '   | opt [new]          |   |',
        ...body,
      ]),
      tree: ['opt', ['new', 1]],
    },
    {
      style: 'crossings',
      rows: opt('   ┌──┼── opt [new] ────┼───┐', '   └──┼─────────────────┼───┘', unicode(body)),
      tree: ['opt', ['new', 1]],
    },
    {
      style: 'drawn lifelines that pass',
      rows: opt('   ╭──│── opt [new] ────│───╮', '   ╰──│─────────────────│───╯', unicode(body)),
      tree: ['opt', ['new', 1]],
    },
    {
      style: 'two compartments, lifelines that pass, the guard under the line',
      rows: opt('   +--|--- alt [new] ---|---+', '   +--|-----------------|---+', [
        ...body,
        '   |--|-----------------|---|',
        '   | [old]              |   |',
        ...other,
      ]),
      tree: ['alt', ['new', 1], ['old', 2]],
    },
    {
      style: 'two compartments, lifelines that pass, the guard in the line',
      rows: opt('   +--|--- alt [new] ---|---+', '   +--|-----------------|---+', [
        ...body,
        '   +--|--- else [old] --|---+',
        ...other,
      ]),
      tree: ['alt', ['new', 1], ['old', 2]],
    },
    {
      style: 'one in another, lifelines that pass',
      rows: [
        '  +---|-- loop [3] -----|----+',
        ...opt(
          '  |+--|-- opt [new] ----|--+ |',
          '  |+--|-----------------|--+ |',
          body.map((row) => row.replace('   |  |', '  ||  |').replace(/ {3}\|$/, '  | |')),
        ),
        '  +---|-----------------|----+',
      ],
      tree: ['loop', ['3', ['opt', ['new', 1]]]],
    },
  ])('$style', ({ rows, tree }) => {
    const { value, diagnostics } = read([...above, ...rows, ...below].join('\n'));
    expect(diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([]);
    expect(value.participants.map(({ label }) => label)).toEqual(['Browser', 'Gateway']);
    expect(treeOf(value)).toEqual([0, tree, value.messages.length - 1]);
  });

  test('a line outside of every frame is a lifeline, though a corner hangs on it', () => {
    const rows = opt('   +--- opt [new] ----------+', '   +------------------------+');
    const longer = below.map((row) => row.padEnd(28) + '|');
    const { diagnostics } = read([...above, ...rows, ...longer].join('\n'));
    expect(diagnostics.filter(({ severity }) => severity === 'error')).not.toEqual([]);
  });
});

describe('a frame right under plain names', () => {
  const FRAME = [
    '+-- alt [accepted] ----------------------+',
    '|  |                |  200           |   |',
    '|  |                |<---------------|   |',
    '+----------------------------------------+',
  ];
  const drawn = (frame: readonly string[]): string =>
    [
      '  App              Shop             Bank',
      ...frame,
      '   |                |                |',
      '   |  bye           |                |',
      '   |--------------->|                |',
      '   |                |                |',
    ].join('\n');

  test('is no part of the names, however few rows it has', () => {
    const { value, diagnostics } = read(drawn(FRAME));
    expect(value.participants.map(({ label }) => label)).toEqual(['App', 'Shop', 'Bank']);
    expect(arrowsOf(value)).toEqual(['Bank -> Shop: 200', 'App -> Shop: bye']);
    expect(treeOf(value)).toEqual([['alt', ['accepted', 0]], 1]);
    expect(diagnostics).toEqual([]);
  });

  test.each([
    ['without a keyword', FRAME.with(0, FRAME[0]?.replace('alt [accepted]', '--------------') ?? '')],
    ['without an end', FRAME.slice(0, -1)],
    ['around no lifeline', FRAME.map((row) => row.replace(/(?<=.)[|](?=.)/g, ' ').replace('<---------------', ''))],
  ])('is refused %s', (_, frame) => {
    expect(isRefused(drawn(frame))).toBe(true);
  });
});
