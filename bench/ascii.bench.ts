import { wholeFile } from '../harness/diagram/index.ts';
import { readAscii } from '../harness/dialects/ascii/index.ts';
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
const lanes = (cells: readonly string[], rows: number): string => {
  const width = cells[0]?.length ?? 1;
  const names = Array.from({ length: LANES }, (_, lane) => `A${lane}`.padEnd(width)).join('');
  return [names, '|'.padEnd(width).repeat(LANES), ...tiled(cells, width * LANES, rows)].join('\n');
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
};
const ROWS = 150;

/** For each shape: seconds for ten times the rows, and how much more that is than for the rows. */
function hostile(): readonly Figure[] {
  const measured = Object.entries(HOSTILE).map(([name, draw]) => {
    const [small, large] = [draw(ROWS), draw(name === 'nested frames' ? ROWS * 3 : ROWS * 10)];
    const [before, after] = [best(small), seconds(large)];
    return { name, after, growth: after / before / (large.length / small.length) };
  });
  const slowest = measured.reduce((a, b) => (b.after > a.after ? b : a));
  const steepest = measured.reduce((a, b) => (b.growth > a.growth ? b : a));
  return [
    {
      name: `hostile megabytes, the slowest of ${measured.length} (${slowest.name})`,
      value: slowest.after,
      unit: 's',
      aim: 'under 2',
    },
    {
      name: `hostile grids, growth per cell, the steepest (${steepest.name})`,
      value: steepest.growth,
      unit: 'x',
      aim: 'under 1.2',
    },
  ];
}

function seconds(text: string): number {
  const start = performance.now();
  readAscii(text, wholeFile('d.txt', 'd'));
  return (performance.now() - start) / 1000;
}

const best = (text: string): number => Math.min(...Array.from({ length: 3 }, () => seconds(text)));

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
    ...hostile(),
  ];
}
