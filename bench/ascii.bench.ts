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
  const noise = `${HEAD.join('\n')}\n${'+|'.repeat(1_000).concat('\n').repeat(900)}`;
  return [
    { name: 'a drawing of 10,000 rows', value: large, unit: 's', aim: 'under 2' },
    { name: 'growth from 2,500 to 10,000 rows, per cell', value: large / small / 4, unit: 'x', aim: 'about 1' },
    {
      name: 'growth from 25 to 100 nested frames, per cell',
      value: deep / shallow / (cells(100) / cells(25)),
      unit: 'x',
      aim: 'about 1',
    },
    { name: 'rows of nothing but corners, 1.8 million cells', value: seconds(noise), unit: 's', aim: 'under 20' },
  ];
}
