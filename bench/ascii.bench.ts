import { wholeFile } from '../harness/diagram/index.ts';
import { isClearlyDrawn, lacksHeads, looksLikeAscii, readAscii, seemsDrawn } from '../harness/dialects/ascii/index.ts';
import type { Figure } from './run.ts';

const HEAD = [
  '+-----+          +------+         +------+',
  '| App |          | Shop |         | Bank |',
  '+-----+          +------+         +------+',
];
/** Six rows with all that makes a drawing: labels, both directions, a frame around the messages, an arrow that passes. */
const BODY = [
  '   |                |                |    ',
  '   |  order         |                |    ',
  '   |--------------->|  pay           |    ',
  '   |                |--------------->|    ',
  '   |  done          |                |    ',
  '   |<--------------------------------|    ',
];

function drawing(rows: number): string {
  return [...HEAD, ...Array.from({ length: rows - HEAD.length }, (_, index) => BODY[index % BODY.length] ?? '')].join(
    '\n',
  );
}

/** Frames in frames, each with a row of its own: what the search for borders finds hardest. */
function nested(depth: number): string {
  const side = (level: number): string => Array.from({ length: level }, () => '| ').join('');
  const row = (level: number, inner: string): string =>
    `${side(level)}${inner.slice(2 * level, -2 * level || undefined)}${side(level).split('').reverse().join('')}`;
  const width = 4 * depth + 60;
  const blank = ' '.repeat(2 * depth + 10) + '|' + ' '.repeat(30) + '|' + ' '.repeat(width - 2 * depth - 42);
  const name = `${' '.repeat(2 * depth + 10)}A${' '.repeat(30)}B`;
  const arrow = blank.replace(/\| {30}\|/, `|${'-'.repeat(29)}>|`);
  const top = (level: number): string =>
    row(level, `${' '.repeat(2 * level)}+-[loop x]${'-'.repeat(width - 4 * level - 12)}+${' '.repeat(2 * level)}`);
  const levels = Array.from({ length: depth }, (_, level) => level);
  return [
    name,
    blank,
    ...levels.flatMap((level) => [top(level), row(level + 1, arrow)]),
    ...levels.toReversed().map((level) => top(level).replace('[loop x]', '--------')),
    blank,
  ].join('\n');
}

const LANES = 100;

/** Names over lifelines, and rows that are made of one cell after the other. */
const lanes = (cells: readonly string[], rows: number, count = LANES): string => {
  const width = cells[0]?.length ?? 1;
  const names = Array.from({ length: count }, (_, lane) => `A${lane}`.padEnd(width)).join('');
  return [names, '|'.padEnd(width).repeat(count), ...tiled(cells, width * count, rows)].join('\n');
};
const tiled = (cells: readonly string[], width: number, rows: number): readonly string[] =>
  Array.from({ length: rows }, (_, row) => {
    const cell = cells[row % cells.length] ?? ' ';
    return cell.repeat(Math.ceil(width / cell.length)).slice(0, width);
  });
const underHeads =
  (...cells: readonly string[]) =>
  (rows: number): string =>
    [...HEAD, ...tiled(cells, WIDTH, rows)].join('\n');
const WIDTH = 800;
/** As wide as a drawing may be; a fifth of the rows make as many cells. */
const WIDEST = 4_000;
const wide = (rows: number, ...cells: readonly string[]): string =>
  tiled(cells, WIDEST, Math.ceil(rows / 5)).join('\n');

/** Frames of `-utxt` in frames, `depth` deep, with rows in them that go through all of them. */
function doubleFrames(depth: number, keyword: string, inner: (width: number) => string, rows: number): string {
  const within = (level: number, text: string): string => `${'║ '.repeat(level)}${text}${' ║'.repeat(level)}`;
  const width = (level: number): number => WIDTH - 4 * level;
  const levels = Array.from({ length: depth }, (_, level) => level);
  return [
    ...['+--+ +--+', '|ab| |cd|', '+--+ +--+', '  |    |  '],
    ...levels.flatMap((level) => [
      within(level, `╔═════╤${'═'.repeat(width(level) - 8)}╗`),
      within(level, `║ ${keyword} │${' '.repeat(width(level) - 8)}║`),
      within(level, `╟─────┘${' '.repeat(width(level) - 8)}║`),
    ]),
    ...Array.from({ length: Math.max(1, rows - 4 * depth) }, () => inner(width(depth))),
    ...levels.toReversed().map((level) => within(level, `╚${'═'.repeat(width(level) - 2)}╝`)),
  ].join('\n');
}
const DEPTH = 6;
const within = (text: string): string => `${'║ '.repeat(DEPTH)}${text}${' ║'.repeat(DEPTH)}`;

/** Grids made to be slow: what no stage can explain, or what one stage finds everywhere. */
const HOSTILE: Readonly<Record<string, (rows: number) => string>> = {
  'nothing but corners and walls': underHeads('+|'),
  'nothing but corners': underHeads('+'),
  'a grid of ASCII boxes': underHeads('+-', '| '),
  'nothing but boxes': (rows) => tiled(['┌──┐', '│ab│', '└┬─┘'], WIDTH, rows).join('\n'),
  'nothing but heads': (rows) => tiled(['+--+ ', '|ab| ', '+--+ ', '  |  '], WIDTH, rows).join('\n'),
  'double frames': underHeads('╔═', '║ '),
  'frames of -txt': underHeads('____ ', '!~~~ '),
  'partitions of -txt': underHeads(',- a b c ', '!        '),
  'nothing but notes': underHeads('╔══╗ ', '║ab║ ', '╚══╝ '),
  'nothing but shafts': underHeads('-'),
  'nothing but arrows': underHeads('--> '),
  'nothing but words': underHeads('word '),
  'icons everywhere': underHeads(',.-^^-._ ', '|-.____.-|', '|        |', "'-.____.-'"),
  'turns without end': underHeads('──┐ ', '└──>'),
  'nothing but Chinese': underHeads('漢'),
  'families of emoji': underHeads('👨‍👩‍👧'),
  'lifelines and labels': (rows) => lanes(['|abcdef ', '|------>'], rows),
  'lifelines and loops': (rows) => lanes(['|---+   ', '|   | x ', '|<--+   '], rows),
  'lifelines and bars': (rows) => lanes(['  ,-.   ', '  | |   ', "  `-'   ", '   |    '], rows),
  'nested frames': (rows) => nested(Math.floor(rows / 3)),
  'frames without an end': underHeads('____ ', '!    '),
  'frames in frames without an end': underHeads('_____!', '!!!!!!'),
  'double frames without an end': underHeads('╔══╤══╗', '║a │  ║', '╟──┘  ║'),
  'references in references': (rows) => doubleFrames(DEPTH, 'REF', (width) => within(' ab'.padEnd(width)), rows),
  'separators of all frames': (rows) =>
    doubleFrames(DEPTH, 'ALT', (width) => `${'╠═'.repeat(DEPTH)}${'═'.repeat(width)}${'═╣'.repeat(DEPTH)}`, rows),
  'operands without end': (rows) =>
    [
      '   A                 B',
      '   │                 │',
      '┌─[alt a]───────────────┐',
      ...tiled(['├──[x]──────────────────┤', '│  │────────────────>│  │'], 25, 6 * rows),
      '└───────────────────────┘',
    ].join('\n'),
  'corners of groups': (rows) =>
    ['┌┐'.repeat(WIDTH / 2), '│'.repeat(WIDTH), ...tiled(['┌──┐', '│ab│', '└──┘'], WIDTH, rows)].join('\n'),
  'boxes in boxes': (rows) =>
    tiled(['+------+', '|+----+|', '||abcd||', '|+----+|', '+------+'], WIDTH, rows).join('\n'),
  'heads and tees': underHeads('+-+--+  ', '|abcd|  ', '+----+  '),
  'icons with endless names': (rows) => tiled(['/|\\ ', ' |  ', '/ \\ ', 'abcd'], WIDTH, rows).join('\n'),
  'turns that go on': (rows) => lanes(['|--+     ', '|  |     '], rows),
  'turns behind words': (rows) => lanes(['|--+aaa ', '|aa aaa '], rows),
  'as many lifelines as there may be': (rows) => lanes(['|ab ', '|-->'], rows, 250),
  'arrows that end nowhere': (rows) => lanes(['|               ', '|      -->   a b'], rows, 50),
  'arrows beside the drawing': (rows) =>
    ['A   B', '|   |', ...tiled([`|   |${'  -->'.repeat(159)}`], WIDTH, rows)].join('\n'),
  'words and brackets': (rows) => lanes(['abc(((((', '|       '], rows),
  'signs of two widths': underHeads('é|漢|'),
  'signs that nobody sees': underHeads('\u0001|'),
  'carets and pipes': (rows) =>
    [
      `     Client${' '.repeat(40)}Server`,
      '      ---->',
      ...tiled([`^||^${' '.repeat(60)}${'|^'.repeat((WIDTH - 64) / 2)}`], WIDTH, rows),
      '  ----->',
    ].join('\n'),
  'gaps full of shafts': (rows) =>
    [
      `A${' '.repeat(390)}B`,
      ...tiled([`|${'-'.repeat(130)}x${'-'.repeat(120)}>${'a'.repeat(138)}|`], 392, 2 * rows),
    ].join('\n'),
  'shafts of middle dots': (rows) => ['A   B', '|   |', '|   |', wide(rows, '· ').replaceAll('·\n', '>\n')].join('\n'),
  'heads and nothing else': (rows) => `A   B\n|   |\n|   |\n${wide(rows, '→')}`,
  'names again and again': (rows) => lanes(['A       ', '|       ', '        '], rows),
  'rows of dashes, as wide as may be': (rows) => `A   B\n|   |\n|   |\n${wide(rows, '-')}`,
  'walls, as wide as may be': (rows) => wide(rows, '+|'),
  'short rows': (rows) => ['   A         B', ...tiled(['   |<------->|'], 14, 6 * rows)].join('\n'),
  comments: (rows) => tiled(['// |------->|  ', '// |<-------|  '], 15, 6 * rows).join('\n'),
};
const ROWS = 150;

/** For each shape: seconds for ten times the rows, and how much more that is than for the rows. */
function hostile(what: string, work: (text: string) => void): readonly Figure[] {
  const measured = Object.entries(HOSTILE).map(([name, draw]) => {
    const [small, large] = [draw(ROWS), draw(name === 'nested frames' ? ROWS * 3 : ROWS * 10)];
    const before = best(small, work, 3);
    // Measured once more where something else seems to have taken the time.
    const first = seconds(large, work);
    const after = first > LONG ? Math.min(first, seconds(large, work)) : first;
    return { name, after, growth: after / before / (large.length / small.length) };
  });
  const slowest = measured.reduce((a, b) => (b.after > a.after ? b : a));
  // What takes no time to speak of is measured too badly to tell how it grows.
  const steepest = measured
    .filter(({ after }) => after > SHORT)
    .reduce((a, b) => (b.growth > a.growth ? b : a), { name: 'none', after: 0, growth: 0 });
  return [
    {
      name: `hostile megabytes ${what}, the slowest of ${measured.length} (${slowest.name})`,
      value: slowest.after,
      unit: 's',
      aim: 'under 2',
    },
    {
      name: `hostile grids ${what}, growth per cell, the steepest (${steepest.name})`,
      value: steepest.growth,
      unit: 'x',
      aim: 'under 1.2',
    },
  ];
}

const LONG = 0.7;
const SHORT = 0.2;

/** Seconds of the processor: on a machine that does other work too, the clock says little. */
function seconds(text: string, work: (text: string) => void = read): number {
  // The last text that was looked at is remembered; it must not be this one.
  looksLikeAscii('a --> b');
  const before = process.cpuUsage();
  work(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

const read = (text: string): void => {
  readAscii(text, wholeFile('d.txt', 'd'));
};

/** All that a Markdown document asks of a fence that nobody calls a drawing. */
const ask = (text: string): void => {
  for (const isIt of [looksLikeAscii, seemsDrawn, isClearlyDrawn, lacksHeads]) isIt(text);
};

const best = (text: string, work: (text: string) => void = read, times = 3): number =>
  Math.min(...Array.from({ length: times }, () => seconds(text, work)));

/** How long drawings take to be read, and whether the time grows with their cells. */
export function bench(): readonly Figure[] {
  seconds(drawing(1_000));
  const [small, large] = [best(drawing(2_500)), best(drawing(10_000))];
  const [shallow, deep] = [best(nested(25)), best(nested(100))];
  const cells = (depth: number): number => nested(depth).length;
  return [
    { name: 'a drawing of 10,000 rows', value: large, unit: 's', aim: 'under 2' },
    { name: 'growth from 2,500 to 10,000 rows, per cell', value: large / small / 4, unit: 'x', aim: 'about 1' },
    {
      name: 'growth from 25 to 100 nested frames, per cell',
      value: deep / shallow / (cells(100) / cells(25)),
      unit: 'x',
      aim: 'about 1',
    },
    ...hostile('read', read),
    ...hostile('asked about', ask),
  ];
}
