import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasErrors, type Diagnostic } from '../harness/diagnostics/index.ts';
import { wholeFile, type Diagram } from '../harness/diagram/index.ts';
import { readAscii } from '../harness/dialects/ascii/index.ts';

/**
 * `npm run corpus:ascii [-- NAME]`: reads the drawings of a corpus that lies beside the project and compares them with their
 * hand-made lists, family by family. `ASCII_CORPUS` says where it lies, if not
 * there. It holds other people's texts, so it is not a part of the project.
 */
const CORPUS = process.env['ASCII_CORPUS'] ?? join(import.meta.dirname, '../../shared/corpus/ascii');

/** Families without lifelines: arrows between tall boxes, columns of text, slanted lines. */
const WITHOUT_LIFELINES = /^(?:ietf-tallbox|handwritten-tallbox|ietf-columns|ietf-tcp|ietf-slanted|linux-two-column)$/;

/** Drawings that cannot be read as they stand, though their lists name messages: an error is due on this row, for this reason. */
const BROKEN: Readonly<Record<string, readonly [row: number, reason: string]>> = {
  'd2_newlines_broken.txt': [9, 'the second message has lost its shaft and its head'],
  'linux_fuse_two_columns.txt': [1, 'holds no arrow'],
  'playwright_socks_https.txt': [
    22,
    'two heads over a visible lifeline, with a text of its own on each side of it: one message or two, which nobody can tell',
  ],
  'quic_tls_interactions.txt': [9, 'arrows that point up and down, to a box below: half of it is a flow chart'],
  'rfc3261_fig1_trapezoid.txt': [1, 'two participants are called "proxy"; the row that told them apart was cut off'],
  'rfc6749_fig2_refresh.txt': [19, 'was cut below row 19, in the middle of the last label and of two boxes'],
};

/** Lists that say what the drawing does not, corrected, with the reason. */
const AMENDED: Readonly<Record<string, readonly [amend: (list: readonly Expected[]) => Expected[], reason: string]>> = {
  'diagon_interleaved_complex.txt': [
    ([second, first, fifth, fourth, third]) => [first, second, third, fourth, fifth].filter((one) => one !== undefined),
    'is in the order of the receipts; messages that overtake each other stand in that of their sendings',
  ],
  'diagon_interleaved_dashed.txt': [
    ([second, first, third]) => [first, second, third].filter((one) => one !== undefined),
    'is in the order of the receipts; messages that overtake each other stand in that of their sendings',
  ],
  'psc_basic.txt': [(list) => list.slice(0, -1), 'the text ends before the last message of the list'],
  'rfc8446_fig2_tls13_hrr.txt': [
    (list) => list.flatMap(eachWayItsOwn),
    'joins the texts on both sides of an arrow with two heads; each way carries its own',
  ],
  'x402_mcp_guide.txt': [
    (list) => list.map((one) => ({ ...one, from: bothRows(one.from), to: bothRows(one.to) })),
    'calls one participant by the first row of its head, another by both',
  ],
};

const bothRows = (name: string | null): string | null => (name === 'MCP Server' ? 'MCP Server (x402 client)' : name);

function eachWayItsOwn(one: Expected): Expected[] {
  const [there, back] = one.label.split(' / ');
  if (one.bidirectional !== true || there === undefined || back === undefined) return [one];
  const { from, to, dashed } = one;
  return [
    { from, to, label: there, dashed },
    { from: to, to: from, label: back, dashed },
  ];
}

interface Expected {
  readonly from: string | null;
  readonly to: string | null;
  readonly label: string;
  readonly dashed: boolean;
  readonly bidirectional?: boolean;
}

/** What a text came to: read as listed, not as listed but said so, refused, or wrong without a word. */
type Outcome =
  | 'exact'
  | 'refused, as it must be'
  | 'exact, but with a warning or an error'
  | 'refused'
  | 'wrong, with a warning'
  | 'WRONG, SILENTLY';

const folded = (text: string): string => text.replace(/\s+/g, ' ').trim();

function expectedArrows(file: string, path: string): string[] {
  const listed = JSON.parse(readFileSync(path, 'utf8')) as readonly Expected[];
  const list = AMENDED[file]?.[0](listed) ?? listed;
  return list.flatMap(({ from, to, label, dashed, bidirectional }) => {
    const one = (a: string | null, b: string | null): string =>
      `${a ?? '*'} ${dashed ? '-->' : '->'} ${b ?? '*'}: ${folded(label)}`;
    return bidirectional === true ? [one(from, to), one(to, from)] : [one(from, to)];
  });
}

const readArrows = ({ messages }: Diagram): string[] =>
  messages.map(
    ({ from, to, text, line }) => `${from ?? '*'} ${line === 'dashed' ? '-->' : '->'} ${to ?? '*'}: ${folded(text)}`,
  );

function outcomeOf(file: string, isExact: boolean, diagnostics: readonly Diagnostic[]): Outcome {
  const broken = BROKEN[file];
  if (broken !== undefined && diagnostics.some(({ severity, line }) => severity === 'error' && line === broken[0]))
    return 'refused, as it must be';
  if (isExact)
    return diagnostics.every(({ severity }) => severity === 'info') ? 'exact' : 'exact, but with a warning or an error';
  if (hasErrors(diagnostics)) return 'refused';
  return diagnostics.some(({ severity }) => severity === 'warning') ? 'wrong, with a warning' : 'WRONG, SILENTLY';
}

function main(only: string | undefined): void {
  if (!existsSync(CORPUS)) {
    console.log('The corpus of drawings is not here (../shared/corpus/ascii): nothing was compared.');
    return;
  }
  const families = new Map(
    readFileSync(join(CORPUS, 'index.tsv'), 'utf8')
      .split('\n')
      .map((line) => line.split('\t'))
      .map(([file = '', , family = '']) => [file, family]),
  );
  const files = readdirSync(CORPUS).filter(
    (file) => file.endsWith('.txt') && (only === undefined || file.includes(only)),
  );
  const table = new Map<string, Map<string, string[]>>();
  for (const file of files) {
    const listed = join(CORPUS, file.replace(/\.txt$/, '.expected.json'));
    const { value, diagnostics } = readAscii(readFileSync(join(CORPUS, file), 'utf8'), wholeFile(file, file));
    const read = readArrows(value);
    const expected = existsSync(listed) ? expectedArrows(file, listed) : null;
    const outcome =
      expected === null
        ? `no list: ${hasErrors(diagnostics) ? 'refused' : 'read'}`
        : outcomeOf(file, JSON.stringify(read) === JSON.stringify(expected), diagnostics);
    const family = families.get(file) ?? 'unknown';
    const row = table.get(family) ?? new Map<string, string[]>();
    table.set(family, row.set(outcome, [...(row.get(outcome) ?? []), file]));
    if (only === undefined) continue;
    console.log(`## ${file}: ${outcome}`);
    for (const arrow of expected ?? []) if (!read.includes(arrow)) console.log(`  - ${arrow}`);
    for (const arrow of read) if (expected?.includes(arrow) !== true) console.log(`  + ${arrow}`);
    for (const { line, column, code, severity, message } of diagnostics)
      console.log(`  ${line}:${column} ${code} ${severity} ${message}`);
  }
  report(table);
  summarise(table);
}

function report(table: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>): void {
  const totals = new Map<string, number>();
  for (const [family, row] of [...table].sort(([a], [b]) => (a < b ? -1 : 1))) {
    console.log(family);
    for (const [outcome, files] of [...row].sort()) {
      console.log(
        `  ${String(files.length).padStart(3)} ${outcome}: ${files.map((file) => file.replace('.txt', '')).join(', ')}`,
      );
      totals.set(outcome, (totals.get(outcome) ?? 0) + files.length);
    }
  }
  console.log('all families');
  for (const [outcome, count] of [...totals].sort()) console.log(`  ${String(count).padStart(3)} ${outcome}`);
}

/** The aim: at least 95 % of the drawings with lifelines and a list are read exactly, and the rest is refused where it is broken. */
function summarise(table: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>): void {
  const counts = new Map<string, number>();
  for (const [family, row] of table) {
    if (WITHOUT_LIFELINES.test(family)) continue;
    for (const [outcome, files] of row)
      if (!outcome.startsWith('no list')) counts.set(outcome, (counts.get(outcome) ?? 0) + files.length);
  }
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const exact = counts.get('exact') ?? 0;
  const due = counts.get('refused, as it must be') ?? 0;
  console.log(
    `with lifelines and a list: ${exact} of ${all} exact (${((100 * exact) / Math.max(1, all)).toFixed(1)} %), ${due} refused, as they must be`,
  );
  console.log('refused, as they must be:');
  for (const [file, [row, reason]] of Object.entries(BROKEN)) console.log(`  ${file}:${row}: ${reason}`);
  console.log('lists that were corrected:');
  for (const [file, [, reason]] of Object.entries(AMENDED)) console.log(`  ${file}: ${reason}`);
}

main(process.argv[2]);
