import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { wholeFile } from '../../diagram/index.ts';
import { CHARACTERS_MAX, COLUMNS_MAX, LINES_MAX } from './cells.ts';
import { ARROWS_MAX } from './arrows.ts';
import { LIFELINES_MAX } from './lifelines.ts';
import { looksLikeAscii, readAscii, seemsDrawn } from './index.ts';
import { CATALOGUE } from './reports.ts';
import { arrowsOf, isRefused, read, said } from './what-is-read.ts';

const drawing = (...rows: string[]): string => rows.join('\n');

const SEED = readFileSync(new URL('../../../specs/create-pod/diagram.txt', import.meta.url), 'utf8');
const SEED_ARROWS = [
  'Dev -> API Server: create Pod',
  'API Server -> etcd: write',
  'etcd --> API Server',
  'API Server --> Dev',
  'API Server -> Scheduler: watch(new pod)',
  'Scheduler -> API Server: bind pod',
  'API Server -> etcd: write',
  'etcd --> API Server',
  'API Server --> Scheduler',
  'API Server -> Kubelet: watch (bound pod)',
  'Kubelet -> Docker: docker run',
  'Docker --> Kubelet',
  'Kubelet -> API Server: update pod status',
  'API Server -> etcd: write',
  'etcd --> API Server',
  'API Server --> Kubelet',
];

describe('the drawing of a pod being created', () => {
  const { value, diagnostics } = read(SEED);

  test('has exactly six participants; the icon of the actor is none', () => {
    expect(value.participants.map(({ id, kind }) => [id, kind])).toEqual([
      ['Dev', 'actor'],
      ['API Server', 'participant'],
      ['etcd', 'participant'],
      ['Scheduler', 'participant'],
      ['Kubelet', 'participant'],
      ['Docker', 'participant'],
    ]);
  });

  test('has exactly sixteen messages, in order, solid and dashed as drawn', () => {
    expect(arrowsOf(value)).toEqual(SEED_ARROWS);
    expect(value.items).toEqual(SEED_ARROWS.map((_, message) => ({ message })));
    expect(value.messages.every(({ head }) => head === 'arrow')).toBe(true);
  });

  test('says that its first row has lost its indent, and nothing else', () => {
    expect(diagnostics).toMatchObject([{ code: 'ASC101', severity: 'info', line: 1, column: 1 }]);
  });

  test('places each message at the first cell of its label, else of its shaft', () => {
    const lines = SEED.split('\n');
    const at = (index: number): string => {
      const { line, column } = value.messages[index]!.at;
      return lines[line - 1]!.slice(column - 1, column + 7);
    };
    expect(value.messages[0]!.at).toEqual({ line: 8, column: 11 });
    expect(at(0)).toBe('create P');
    expect(at(3)).toBe('<─ ─ ─ ─');
    expect(at(8)).toBe('─ ─ ─ ─ ');
    expect(at(9)).toBe('watch (b');
  });

  test('opens and closes the activation bars around the messages they belong to', () => {
    const bars = value.activations.map(({ participant, on, before }) => `${on ? '+' : '-'}${participant}@${before}`);
    expect(bars).toEqual([
      '+API Server@1',
      '+etcd@2',
      '-etcd@2',
      '-API Server@3',
      '+Scheduler@5',
      '+API Server@6',
      '+etcd@7',
      '-etcd@7',
      '-API Server@8',
      '-Scheduler@8',
      '+Kubelet@10',
      '+Docker@11',
      '-Docker@11',
      '+API Server@13',
      '-API Server@15',
      '-Kubelet@15',
    ]);
  });

  test('reads the same with the first row in its place, in any indent, and in a comment', () => {
    const whole = `      ${SEED}`;
    expect(arrowsOf(read(whole).value)).toEqual(SEED_ARROWS);
    expect(read(whole).diagnostics).toEqual([]);
    const commented = SEED.split('\n')
      .map((line, index) => `   // ${index === 0 ? '      ' : ''}${line}`)
      .join('\r\n');
    expect(arrowsOf(read(commented).value)).toEqual(SEED_ARROWS);
    expect(read(commented).value.messages[0]!.at).toEqual({ line: 8, column: 17 });
    const stripped = SEED.split('\n')
      .map((line) => line.trimEnd())
      .join('\n');
    expect(arrowsOf(read(stripped).value)).toEqual(SEED_ARROWS);
  });
});

// ------------------------------------------------------------------------------------------------- edits of known effect

interface Edit {
  readonly name: string;
  readonly text: string;
}

const SHAFT = /<?[─] ?(?:[─] ?)+>?/gu;

/** Every shaft of the seed with where it stands; rows above and below the messages hold boxes. */
function shafts(): { row: number; from: number; text: string }[] {
  return SEED.split('\n').flatMap((line, row) =>
    row < 7 || row > 53
      ? []
      : [...line.matchAll(SHAFT)].map((match) => ({ row, from: match.index, text: match[0].trimEnd() })),
  );
}

function edited(row: number, from: number, replacement: string): string {
  const lines = SEED.split('\n');
  const line = lines[row]!;
  lines[row] = line.slice(0, from) + replacement + line.slice(from + replacement.length);
  return lines.join('\n');
}

/** The columns of the seed's lifelines, from left to right. */
const COLUMNS = [7, 25, 44, 63, 83, 101];

function edits(): Edit[] {
  return shafts().flatMap(({ row, from, text }) => {
    const atLeft = text.startsWith('<');
    const tip = atLeft ? from : from + text.length - 1;
    const name = `line ${row + 1}`;
    const mirrored = Array.from(text)
      .reverse()
      .join('')
      .replace(/[<>]/, (head) => (head === '<' ? '>' : '<'));
    const middle = from + Math.floor(text.length / 2);
    const dash = text.includes(' ') ? '─ ' : '──';
    return [
      { name: `${name}: the arrow is turned round`, text: edited(row, from, mirrored) },
      { name: `${name}: only the head is turned round`, text: edited(row, tip, atLeft ? '>' : '<') },
      { name: `${name}: the head is erased`, text: edited(row, tip, ' ') },
      { name: `${name}: the head is a part of the shaft`, text: edited(row, tip, '─') },
      { name: `${name}: the arrow is erased`, text: edited(row, from, ' '.repeat(text.length)) },
      {
        name: `${name}: the half at the head is erased`,
        text: atLeft
          ? edited(row, from, ' '.repeat(middle - from))
          : edited(row, middle, ' '.repeat(from + text.length - middle)),
      },
      {
        name: `${name}: the half at the tail is erased`,
        text: atLeft
          ? edited(row, middle, ' '.repeat(from + text.length - middle))
          : edited(row, from, ' '.repeat(middle - from)),
      },
      {
        name: `${name}: the head moves to the middle`,
        text: edited(row, tip, atLeft ? dash[0]! : '─')
          .split('\n')
          .map((line, index) =>
            index === row ? line.slice(0, middle) + (atLeft ? '<' : '>') + line.slice(middle + 1) : line,
          )
          .join('\n'),
      },
      ...[from, from + text.length - 1]
        .flatMap((end) => [moved(row, from, text, end, -1), moved(row, from, text, end, 1)])
        .flatMap((edit) => (edit === null ? [] : [{ name: `${name}: ${edit.name}`, text: edit.text }])),
    ];
  });
}

/** The same arrow with one end at the lifeline before or after the one it is at. */
function moved(row: number, from: number, text: string, end: number, step: -1 | 1): Edit | null {
  const to = from + text.length - 1;
  const isLeft = end === from;
  const here = COLUMNS.reduce(
    (best, column, index) => (Math.abs(column - end) < Math.abs(COLUMNS[best]! - end) ? index : best),
    0,
  );
  const there = COLUMNS[here + step];
  const other = isLeft ? to : from;
  if (there === undefined || (isLeft ? there >= other - 4 : there <= other + 4)) return null;
  const [newFrom, newTo] = isLeft ? [there + 2, to] : [from, there - 2];
  const unit = text.includes(' ') ? '─ ' : '─';
  let shaft = unit.repeat(newTo - newFrom + 1).slice(0, newTo - newFrom + 1);
  if (text.startsWith('<')) shaft = `<${shaft.slice(1)}`;
  if (text.endsWith('>')) shaft = `${shaft.slice(0, -1)}>`;
  const cleared = edited(row, from, ' '.repeat(text.length)).split('\n');
  const line = cleared[row]!;
  cleared[row] = line.slice(0, newFrom) + shaft + line.slice(newTo + 1);
  return {
    name: `the ${isLeft ? 'left' : 'right'} end moves from lifeline ${here} to ${here + step}`,
    text: cleared.join('\n'),
  };
}

describe('an edit of the seed is read as a change, or refused', () => {
  const all = edits();

  test(`${all.length} edits, at least 150, none of them without an effect on the text`, () => {
    expect(all.length).toBeGreaterThanOrEqual(150);
    expect(all.filter(({ text }) => text === SEED)).toEqual([]);
  });

  test.each(all)('$name', ({ text }) => {
    const same = JSON.stringify(arrowsOf(read(text).value)) === JSON.stringify(SEED_ARROWS);
    expect({ isRefused: isRefused(text), same }).not.toEqual({ isRefused: false, same: true });
  });

  test('turning an arrow round turns its message round, and nothing else', () => {
    const [first] = all.filter(({ name }) => name.endsWith('turned round'));
    expect(arrowsOf(read(first!.text).value)).toEqual(['API Server -> Dev: create Pod', ...SEED_ARROWS.slice(1)]);
    expect(isRefused(first!.text)).toBe(false);
  });
});

// ------------------------------------------------------------------------------------------------------------ refusals

const HEADS = ['┌─┐          ┌─┐          ┌─┐', '│A│          │B│          │C│', '└┬┘          └┬┘          └┬┘'];
const body = (...rows: string[]): string => drawing(...HEADS, ...rows);
const PLAIN = [' │            │            │', ' │───────────>│            │'];

interface Refusal {
  readonly code: keyof typeof CATALOGUE;
  readonly why: string;
  readonly text: string;
  readonly at: string;
}

const REFUSALS: readonly Refusal[] = [
  {
    code: 'ASC102',
    why: 'an error page',
    text: drawing('[From pods.puml (line 3) ]', '', '@startuml', ' Syntax Error?'),
    at: '1:1',
  },
  {
    code: 'ASC102',
    why: 'a stack trace',
    text: drawing(...HEADS, 'java.lang.NullPointerException', '  at net.sourceforge.plantuml.Run.main(Run.java:12)'),
    at: '4:1',
  },
  { code: 'ASC103', why: 'no participants', text: drawing('', '  hello --> world'), at: '2:3' },
  { code: 'ASC104', why: 'no arrows', text: body(' │            │            │'), at: '1:1' },
  { code: 'ASC105', why: 'two participants of one name', text: body(...PLAIN).replace('│C│', '│A│'), at: '2:28' },
  {
    code: 'ASC106',
    why: 'a lifeline without a name',
    text: drawing(
      '  A           B',
      '  |           |           |',
      '  |---------->|           |',
      '  |           |---------->|',
      '  |           |           |',
    ),
    at: '2:27',
  },
  {
    code: 'ASC121',
    why: 'a slanted line',
    text: body(
      ...PLAIN,
      ' │            │            │',
      ' │\\___        │            │',
      ' │     \\__    │            │',
    ),
    at: '7:3',
  },
  {
    code: 'ASC111',
    why: 'an arrow that is still in flight at the end of its row',
    text: body(...PLAIN, ' │            │            │', ' │──────> ... │            │'),
    at: '7:3',
  },
  {
    code: 'ASC110',
    why: 'a shaft without a head',
    text: body(...PLAIN, ' │            │            │', ' │            │────────────│'),
    at: '7:16',
  },
  {
    code: 'ASC111',
    why: 'a head that points into its shaft',
    text: body(...PLAIN, ' │            │            │', ' │            │>───────────│'),
    at: '7:16',
  },
  {
    code: 'ASC111',
    why: 'a shaft with a hole',
    text: body(...PLAIN, ' │            │            │', ' │──── ──────>│            │'),
    at: '7:3',
  },
  {
    code: 'ASC112',
    why: 'a head at no lifeline',
    text: body(...PLAIN, ' │            │            │', ' │──────>     │            │'),
    at: '7:3',
  },
  {
    code: 'ASC112',
    why: 'a tail at no lifeline',
    text: body(...PLAIN, ' │            │            │', ' │    ───────>│            │'),
    at: '7:7',
  },
  {
    code: 'ASC113',
    why: 'an end between two lifelines',
    text: drawing(
      ' A     B   C     D',
      ' │     │   │     │',
      ' ├──────────────>│',
      ' │     │   │     │',
      ' │───────>       │',
      ' │     │   │     │',
    ),
    at: '5:3',
  },
  {
    code: 'ASC114',
    why: 'both ends at one lifeline',
    text: body(...PLAIN, ' │            │            │', ' │            │─>          │'),
    at: '7:16',
  },
  {
    code: 'ASC115',
    why: 'two heads over a lifeline',
    text: body(...PLAIN, ' │            │            │', ' │<───────────│───────────>│'),
    at: '7:3',
  },
  {
    code: 'ASC117',
    why: 'two receipts of one lifeline on one row',
    text: body(' │            │            │', ' │───────────>│<───────────│'),
    at: '5:16',
  },
  {
    code: 'ASC119',
    why: 'a loop that does not come back',
    text: body(
      ...PLAIN,
      ' │            │            │',
      ' │            │────┐       │',
      ' │            │            │',
    ),
    at: '7:16',
  },
  {
    code: 'ASC119',
    why: 'a loop without a head',
    text: body(
      ...PLAIN,
      ' │            │            │',
      ' │            │────┐       │',
      ' │            │    │       │',
      ' │            │────┘       │',
    ),
    at: '7:16',
  },
  {
    code: 'ASC120',
    why: 'text without an arrow',
    text: body(
      ...PLAIN,
      ' │            │            │',
      ' │   lonely   │            │',
      ' │            │            │',
    ),
    at: '7:6',
  },
  {
    code: 'ASC121',
    why: 'a line that is no lifeline',
    text: body(...PLAIN, ' │            │     │      │'),
    at: '6:21',
  },
  {
    code: 'ASC135',
    why: 'a frame in words beside a lifeline',
    text: body(
      ...PLAIN,
      ' │            │            │',
      ' │ alt [ok]   │            │',
      ' │            │            │',
      ' │            │───────────>│',
    ),
    at: '7:4',
  },
  {
    code: 'ASC135',
    why: 'a frame in words above a label',
    text: body(
      ...PLAIN,
      ' │            │            │',
      ' │            │ else [no]  │',
      ' │            │ refused    │',
      ' │            │───────────>│',
    ),
    at: '7:17',
  },
  {
    code: 'ASC112',
    why: 'an arrow in ASCII that does not reach its lifeline',
    text: drawing(' A            B', ' |            |', ' |--- put ->  |', ' |<-- 201 ----|'),
    at: '3:3',
  },
  {
    code: 'ASC130',
    why: 'a frame without a lower border',
    text: body(
      ' │ ╔══════╤═══╪════════════╪═══╗',
      ' │ ║ ALT  │  x│            │   ║',
      ' │ ╟──────┘   │            │   ║',
      ' │ ║          │───────────>│   ║',
      ...Array<string>(4).fill(' │            │            │'),
    ),
    at: '4:4',
  },
];

describe('what cannot be read is refused at its row', () => {
  test.each(REFUSALS)('$code: $why', ({ code, text, at }) => {
    expect(said(text)).toContain(`${code} ${at}`);
    expect(isRefused(text)).toBe(true);
  });

  test('too many lines, columns or characters', () => {
    expect(said('x\n'.repeat(LINES_MAX + 1))).toEqual([`ASC100 ${LINES_MAX}:1`]);
    expect(said(`x\n${'y'.repeat(COLUMNS_MAX + 1)}`)).toEqual(['ASC100 2:1']);
    expect(said('x'.repeat(CHARACTERS_MAX + 1))).toEqual(['ASC100 1:1']);
    // A tab is as wide as it is drawn.
    expect(said(`x\n${'\t'.repeat(COLUMNS_MAX / 8 + 1)}`)).toEqual(['ASC100 2:1']);
    expect(said('\ty'.repeat(400).concat('\n').repeat(700))).toEqual(['ASC100 1:1']);
  });

  test.each([
    ['\u0000', '0000'],
    ['\u202e', '202E'],
  ])('characters that nobody sees are told once, at their place: %j', (sign, code) => {
    const drawn = [' A      B', ` |  a${sign}b  |`, ' |----->|', ` |  ${sign}x  |`, ' |<-----|'].join('\n');
    const { diagnostics } = readAscii(drawn, wholeFile('d.txt', 'd'));
    const hidden = diagnostics.filter(({ code: found }) => found === 'ASC151');
    expect(hidden.map(({ line, column, message }) => [line, column, message])).toEqual([
      [2, 6, expect.stringContaining(`U+${code}`)],
    ]);
  });

  test('more participants or messages than anybody draws are refused', () => {
    const lanes = (count: number, cell: string, rows: number): string => {
      const names = Array.from({ length: count }, (_, index) => `A${index}`.padEnd(cell.length)).join('');
      return [names, ...Array.from({ length: rows }, () => cell.repeat(count))].join('\n');
    };
    expect(said(lanes(LIFELINES_MAX + 1, '|      ', 4))).toEqual([`ASC100 1:${7 * LIFELINES_MAX + 1}`]);
    expect(said(lanes(LIFELINES_MAX, '|      ', 4))).toEqual(['ASC104 1:1']);
    const boxes = '+---+ \n| A | \n+-+-+ \n  |   \n'
      .split('\n')
      .map((row) => row.repeat(20))
      .join('\n')
      .repeat(20);
    expect(said(boxes)).toEqual(['ASC100 46:117']);
    expect(said(lanes(200, '|----->', ARROWS_MAX / 199 + 3)).filter((code) => code.startsWith('ASC100'))).toHaveLength(
      1,
    );
  });

  test('a grid of corners', () => {
    const grid = Array.from({ length: 400 }, (_, row) => `  │${(row % 2 === 0 ? '+-+-' : '| | ').repeat(60)}`);
    expect(said(body(...PLAIN, ...grid))).toContain('ASC133 4:1');
  });

  test('frames that cross', () => {
    const text = body(
      ' ╔══════╤═════╪════════════╪══════╗',
      ' ║ ALT  │ x   │            │      ║',
      ' ╟──────┘     │            │      ║',
      ' ║            │  ╔═══════╤═╪═══╗  ║',
      ' ║            │  ║ LOOP  │ │   ║  ║',
      ' ║            │  ╟───────┘ │   ║  ║',
      ' ║────────────>  ║         │   ║  ║',
      ' ╚════════════╪══║═════════╪═══║══╝',
      ' │            │  ║         │   ║',
      ' │            │  ╚═════════╪═══╝',
    );
    expect(said(text)).toContain('ASC131 7:18');
  });
});

test('a text is meant as a drawing if an arrow ends at one of two lines that run down', () => {
  const unnamed = drawing('  |          |', '  |--------->|', '  |          |', '  |<---------|', '  |          |');
  expect(seemsDrawn(unnamed)).toBe(true);
  expect(said(unnamed)[0]).toMatch(/^ASC10[36] 1:/);
  expect(seemsDrawn(drawing('| a | b |', '|---|---|', '| 1 | 2 |'))).toBe(false);
  expect(seemsDrawn('just --> text\n| and | bars')).toBe(false);
});

describe('what is doubtful is read, and said', () => {
  const NOTICES: readonly Refusal[] = [
    {
      code: 'ASC128',
      why: 'a lifeline with a gap',
      text: body(
        ...PLAIN,
        ' │            │            │',
        ' │                         │',
        ' │            │            │',
      ),
      at: '7:15',
    },
    {
      code: 'ASC129',
      why: 'a frame whose right border is cut',
      text: body(
        ' │ ╔══════╤═══╪════════════╪═══╗',
        ' │ ║ ALT  │  x│            │   ║',
        ' │ ╟──────┘   │            │   ║',
        ' │ ║          │───────────>│',
        ' │ ╚══════════╪════════════╪═══╝',
        ' │            │            │',
      ),
      at: '7:29',
    },
    {
      code: 'ASC118',
      why: 'a head at both ends',
      text: body(' │            │            │', ' │<──────────>│            │'),
      at: '5:3',
    },
    {
      code: 'ASC116',
      why: 'an arrow into the void',
      text: body(...PLAIN, ' │            │            │          ', ' │            │            │ ──>      '),
      at: '7:30',
    },
    { code: 'ASC122', why: 'text under an arrow', text: body(...PLAIN, ' │   under    │            │'), at: '6:6' },
    {
      code: 'ASC123',
      why: 'a lifeline inside a label',
      text: body(' │        bind│pod         │', ' │────────────────────────>│'),
      at: '4:15',
    },
    {
      code: 'ASC125',
      why: 'two arrows on one row that do not meet',
      text: drawing(' A     B     C     D', ' │     │     │     │', ' │────>│     │────>│', ' │     │     │     │'),
      at: '3:15',
    },
    {
      code: 'ASC140',
      why: 'a stereotype',
      text: drawing('┌─────┐   ┌─┐', '│<<S>>│   │B│', '│A    │   └┬┘', '└──┬──┘    │', '   │──────>│', '   │       │'),
      at: '2:2',
    },
    {
      code: 'ASC141',
      why: 'text below the drawing',
      text: drawing(body(...PLAIN, ' │            │            │'), '', 'Figure 1'),
      at: '8:1',
    },
    {
      code: 'ASC142',
      why: 'an arrow between the boxes of two names',
      text: body(...PLAIN).replace('│A│          │B│', '│A│ ───────> │B│'),
      at: '2:5',
    },
    {
      code: 'ASC150',
      why: 'messages after a cross',
      text: body(
        ...PLAIN,
        ' │           \\│/           │',
        ' │            X            │',
        ' │           /│\\           │',
        ' │───────────>│            │',
        ' │            │            │',
        ' │            │───────────>│',
      ),
      at: '7:15',
    },
  ];

  test.each(NOTICES)('$code: $why', ({ code, text, at }) => {
    expect(said(text)).toContain(`${code} ${at}`);
    expect(isRefused(text)).toBe(false);
  });

  test('every code has an example in the tests of this dialect', () => {
    const here = new URL('./', import.meta.url);
    const tests = readdirSync(here)
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => readFileSync(new URL(file, here), 'utf8'))
      .join('');
    expect(Object.keys(CATALOGUE).filter((code) => !tests.includes(`'${code}`))).toEqual([]);
  });
});

describe('any text', () => {
  const piece = fc.constantFrom(...Array.from('─│┌┐└┘├┤┬┴┼═║╔╗╚╝╪╤╧╟╠╣<>-|+.,`\'!_~/\\X"[] ABé中🚀\t\n\n\n     '));

  test('of random cells never throws, and is never read without a word', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 400 }), (pieces) => {
        const text = pieces.join('');
        const { value, diagnostics } = read(text);
        looksLikeAscii(text);
        expect(value.messages.length > 0 || diagnostics.length > 0).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('with noise sprinkled over the seed never throws, and every place is inside the text', () => {
    const lines = SEED.split('\n');
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(SEED.length), piece), { minLength: 1, maxLength: 30 }), (noise) => {
        const cells = Array.from(SEED);
        for (const [index, glyph] of noise)
          if (cells[index] !== undefined && cells[index] !== '\n' && glyph !== '\n') cells[index] = glyph;
        const { value, diagnostics } = read(cells.join(''));
        for (const { line, column } of [...diagnostics, ...value.messages.map(({ at }) => at)]) {
          expect(line >= 1 && line <= lines.length && column >= 1).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('of the largest allowed size is read in linear time', () => {
    const tile = "┌+,╔║│─<>.'`_!~X|";
    const worst = Array.from({ length: 400 }, (_, row) => tile.repeat(30).slice(row % tile.length)).join('\n');
    const started = performance.now();
    read(worst);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

describe('looksLikeAscii', () => {
  test('knows drawn diagrams, also damaged ones', () => {
    expect(looksLikeAscii(SEED)).toBe(true);
    expect(looksLikeAscii(body(...PLAIN, ' │            │            │', ' │──────>     │            │'))).toBe(true);
  });

  test.each([
    ['mermaid', 'sequenceDiagram\n  A->>B: hello\n  B-->>A: hi'],
    ['prose', 'A calls B --> and B answers.\n\n| a | b |\n|---|---|\n| 1 | 2 |'],
    ['a tree', '├── src\n│   ├── a.ts\n│   └── b.ts\n└── test'],
    ['code', 'const f = (a) => a - 1;\nif (a --> 0 || b <- 1) { return; }'],
    ['a single box', '┌───┐\n│ A │──>\n└───┘'],
  ])('does not take %s for one', (_, text) => {
    expect(looksLikeAscii(text)).toBe(false);
  });
});

describe('the margin of a drawing', () => {
  const beside = (...marks: readonly string[]): string =>
    [
      (marks[0] ?? '').padEnd(10) + 'App              Shop',
      ...[
        ' |  order         |',
        ' |--------------->|',
        ' |                |',
        ' |  ok            |',
        ' |<---------------|',
      ].map((row, index) => (marks[index + 1] ?? '').padEnd(10) + row),
    ].join('\n');
  const BOTH = ['App -> Shop: order', 'Shop -> App: ok'];

  test.each([
    ['a clock', ['', '00:01', '', '00:02', '', '12:00:03.5']],
    ['spans', ['', ' 12ms', '', ' +3 s', '', '1.5 min']],
    ['instants', ['', 't0', '', 't=3', '', 'T+12ms']],
    ['times and steps', ['', '00:01', '1.', '', '', '2.']],
    ['a header over it', ['Time', '00:01', '', '', '', '00:02']],
  ])('may hold %s, which are not read, and said so', (_, marks) => {
    const text = beside(...marks);
    expect(arrowsOf(read(text).value)).toEqual(BOTH);
    expect(read(text).value.participants.map(({ label }) => label)).toEqual(['App', 'Shop']);
    expect(read(text).value.notes).toEqual([]);
    expect(read(text).diagnostics.map(({ code, severity }) => `${severity} ${code}`)).toContain('info ASC142');
    expect(isRefused(text)).toBe(false);
  });

  test.each([
    ['words among the times', ['', '00:01', '', 'deploy', '', '00:02']],
    ['something like a time', ['', '00:01:', '', '7 up', '', '12:345']],
    ['a header over nothing', ['Time', '', '', '', '', '']],
  ])('with %s is refused', (_, marks) => {
    expect(isRefused(beside(...marks))).toBe(true);
  });

  test('takes no label of a message from outside', () => {
    const text = [
      '          App              Shop',
      '   12ms    |                |',
      ' --------->|                |',
      '           |  order         |',
      '           |--------------->|',
      '           |                |',
    ].join('\n');
    expect(read(text).value.messages[0]).toMatchObject({ from: null, to: 'App', text: '12ms' });
  });
});

describe('dots on a lifeline', () => {
  const under = (...rows: readonly string[]): string =>
    [
      '   App              Shop',
      '    |  order         |',
      '    |--------------->|',
      '    |                |',
      ...rows,
      '    |  ok            |',
      '    |<---------------|',
    ].join('\n');
  const BOTH = ['App -> Shop: order', 'Shop -> App: ok'];

  test.each([
    ['right behind a word', ' up...               |', 'up...'],
    ['a blank behind a word', 'up ...               |', 'up ...'],
    ['right before a word', '   ...up             |', '...up'],
    ['between two words', ' up . to              |', 'up . to'],
  ])('belong to the text %s', (_, row, note) => {
    expect(read(under(row)).value.notes.map(({ text }) => text)).toEqual([note]);
    expect(arrowsOf(read(under(row)).value)).toEqual(BOTH);
  });

  test.each([
    ['one on each', ['    .                .', '    .                .']],
    ['three on each', ['   ...              ...']],
  ])('are the lifelines where time passes: %s', (_, rows) => {
    expect(read(under(...rows)).value.notes).toEqual([]);
    expect(read(under(...rows)).diagnostics).toEqual([]);
    expect(arrowsOf(read(under(...rows)).value)).toEqual(BOTH);
  });
});

describe('a text that is asked about first', () => {
  test.each([
    ['a drawing', SEED],
    ['a damaged one', body(...PLAIN, ' │            │            │', ' │──────>     │            │')],
    ['no drawing', 'A calls B --> and B answers.\n\n| a | b |\n|---|---|\n| 1 | 2 |'],
  ])('is read as if nobody had asked: %s', (_, text) => {
    looksLikeAscii('something else, --> so that nothing is known of it');
    const alone = read(text);
    for (const ask of [looksLikeAscii, seemsDrawn, looksLikeAscii]) {
      ask(text);
      expect(read(text)).toEqual(alone);
      expect(read(text)).toEqual(alone);
    }
  });

  test('has its places in the file it is read from', () => {
    const text = body(...PLAIN, ' │            │            │', ' │──────>     │            │');
    looksLikeAscii(text);
    const { diagnostics } = readAscii(text, {
      ...wholeFile('a.md', 'a'),
      place: (line) => ({ line: line + 10, column: 7 }),
    });
    expect(diagnostics.map(({ file, line, column }) => [file, line, column])).toEqual(
      read(text).diagnostics.map(({ line }) => ['a.md', line + 10, 7]),
    );
  });
});

describe('the title of a drawing', () => {
  const plain = ['  App       Shop', '   |          |', '   |--------->|', '   |          |'].join('\n');

  test.each([
    ['text above it', `  Log in\n\n${plain}`, 'Log in', []],
    ['no sentence above it', `  A client logs in as shown in Figure 3.\n\n${plain}`, undefined, ['ASC141 1:3']],
    ['no text that leads to it', `  This is how it goes:\n\n${plain}`, undefined, ['ASC141 1:3']],
    ['no long text', `  ${'word '.repeat(13)}\n\n${plain}`, undefined, ['ASC141 1:3']],
    ['the caption below it', `${plain}\n\n     Figure 3: Log in via a relay`, 'Log in via a relay', []],
    ['the text above it before a caption', `  Log in\n\n${plain}\n\n  Figure 3: Relay`, 'Log in', ['ASC141 8:3']],
    ['no other text below it', `${plain}\n\n  as said in Figure 3: no relay`, undefined, ['ASC141 6:3']],
  ])('is %s', (_, text, title, said) => {
    const { value, diagnostics } = readAscii(text, wholeFile('d.txt', 'd'));
    expect(value.title).toBe(title);
    expect(diagnostics.map(({ code, line, column }) => `${code} ${line}:${column}`)).toEqual(said);
  });
});

describe('what follows from an error is not told beside it', () => {
  const errorsIn = (...rows: string[]): string[] =>
    readAscii(rows.join('\n'), wholeFile('d.txt', 'd'))
      .diagnostics.filter(({ severity }) => severity === 'error')
      .map(({ code, line, column }) => `${code} ${line}:${column}`);
  const LADDER = [
    '   App                     Bank',
    '    |          |            |',
    '    |-- buy -->|            |',
    '    |          |-- pay ---->|',
    '    |          |<-- paid ---|',
    '    |<---------|            |',
    '    |          |            |',
  ];
  const BOXES = [
    ' ┌───┐      ┌───┐     ┌───┐',
    ' │ A │      │   │     │ B │',
    ' └─┬─┘      └─┬─┘     └─┬─┘',
    '   │─────────>│         │',
    '   │          │────────>│',
    '   │<─ ─ ─ ─ ─│         │',
    '   │          │         │',
    ' ┌─┴─┐      ┌─┴─┐     ┌─┴─┐',
    ' │ A │      │ S │     │ B │',
    ' └───┘      └───┘     └───┘',
  ];
  const UNCLOSED = [
    ' ┌───┐      ┌── ┐     ┌───┐',
    ' │ A │      │ S │     │ B │',
    ' └─┬─┘      └─┬─┘     └─┬─┘',
    '   │─────────>│         │',
    '   │          │────────>│',
    '   │<─ ─ ─ ─ ─│         │',
    '   │          │         │',
    ' ┌─┴─┐      ┌─┴─┐     ┌─┴─┐',
    ' │ A │      │ S │     │ B │',
    ' └───┘      └───┘     └───┘',
  ];
  const NOTHING = [' ┌─┐    ┌─┐', ' │A│    │B│', ' ┌┴┐    ┌┴┐', ' │A│    │B│', ' └─┘    └─┘'];
  const LOOP = [
    '   App       Bank',
    '    |         |',
    '    |--+      |',
    '    |  | wait |',
    '    |<-+      |',
    '    |         |',
    '    |-- buy ->|',
    '    |         |',
  ];
  const FRAMED = [
    '   App       Bank',
    '    |          |',
    ' +-- alt [ok] -----+',
    ' |  |-- buy -->|   |',
    ' |-----------------|',
    ' |  |<-- no ---|   |',
    ' |  |          |   |',
    ' +-----------------+',
    '    |          |',
  ];
  const withoutRight = (row: string, index: number): string => (index > 2 && index < 7 ? row.slice(0, -1) : row);
  const withoutLeft = (row: string, index: number): string => (index > 2 && index < 7 ? `  ${row.slice(2)}` : row);
  const OPEN = [
    '    ┌───┐          ┌───┐',
    '    │ A │          │ B │',
    '    └─┬─┘          └─┬─┘',
    '  ╔══════╤═══════════╪════╗',
    '  ║ ALT  │  ok       │    ║',
    '  ╟──────┘           │    ║',
    '  ║   │─────────────>│    ║',
    '  ╠═══╪══════════════╪════╣',
    '  ║ [no]             │    ║',
    '  ║   │<─────────────│    ║',
    '    ┌─┴─┐          ┌─┴─┐',
    '    │ A │          │ B │',
    '    └───┘          └───┘',
  ];

  test.each([
    ['the arrows at a lifeline without a name', LADDER, ['ASC106 2:16']],
    ['the arrows and the footer of a box without a name', BOXES, ['ASC106 4:15']],
    ['the sides, guards and separators of a frame without an end', OPEN, ['ASC130 4:3']],
    ['the pieces of a box that is not closed, and of its footer', UNCLOSED, ['ASC106 2:13']],
    ['the arrows at it, however short its lifeline is', UNCLOSED.toSpliced(3, 2), ['ASC106 2:13']],
    ['the pieces of heads right above their footers', NOTHING, ['ASC104 1:2']],
    ['the rest of a loop that does not come back', LOOP.with(4, '    |  |       |'), ['ASC119 3:6']],
    ['the rest of a loop whose corner is missing', LOOP.with(4, '    |<--       |'), ['ASC119 3:6']],
    ['the sides and separators of a drawn frame without a lower border', FRAMED.with(7, ''), ['ASC130 3:2']],
    ['the left side and the foot of one without a right border', FRAMED.map(withoutRight), ['ASC130 3:2']],
    ['the right side and the foot of one without a left border', FRAMED.map(withoutLeft), ['ASC130 3:2']],
  ])('%s', (_, rows, expected) => {
    expect(errorsIn(...rows)).toEqual(expected);
  });

  test('but what has another cause is', () => {
    const broken = LADDER.with(6, '    |-- lost    |            |').map((row) => row.replace('pay ----', 'pay x---'));
    expect(errorsIn(...broken, '    |----      |            |').length).toBeGreaterThan(1);
    expect(errorsIn(...OPEN.with(9, '  ║   │<────────     │    ║'))).toEqual(['ASC130 4:3', 'ASC112 10:8']);
  });
});
