import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasErrors, type Diagnostic } from '../harness/diagnostics/index.ts';
import { wholeFile, type Diagram } from '../harness/diagram/index.ts';
import { readAscii } from '../harness/dialects/ascii/index.ts';

/**
 * `npm run corpus:ascii [-- NAME]`: reads the drawings of a corpus that lies beside the project and compares them with their
 * hand-made lists, family by family. The corpus holds other people's texts, so it is not a part of the project.
 */
const CORPUS = join(import.meta.dirname, '../../shared/corpus/ascii');

/** Families without lifelines: arrows between tall boxes, columns of text, slanted lines. They are to be refused. */
const WITHOUT_LIFELINES = /^(?:ietf-tallbox|handwritten-tallbox|ietf-columns|ietf-tcp|ietf-slanted|linux-two-column)$/;

/** Lists that the text does not bear out, with the reason; these are not counted. */
const DOUBTED: Readonly<Record<string, string>> = {
  'd2_newlines_broken.txt': 'the drawing has lost the shaft of its second message, so refusing it is right',
  'fs_tcp_close_tabs.txt':
    'calls the first of two text rows above an arrow a note; nothing in the drawing tells it from a label',
  'playwright_socks_https.txt':
    'calls an arrow with two heads over a visible lifeline one message; it may be two, so it is refused',
  'psc_basic.txt': 'lists a last message that the text was cut before',
  'rfc3261_fig1_trapezoid.txt': 'names participants by a row that the text was cut below; two are called "proxy" in it',
  'x402_mcp_guide.txt': 'names one head by its first row, another by both',
};

interface Expected {
  readonly from: string | null;
  readonly to: string | null;
  readonly label: string;
  readonly dashed: boolean;
  readonly bidirectional?: boolean;
}

/** What a text came to: read as listed, not as listed but said so, refused, or wrong without a word. */
type Outcome =
  'exact' | 'exact, but with a warning or an error' | 'refused' | 'wrong, with a warning' | 'WRONG, SILENTLY';

const folded = (text: string): string => text.replace(/\s+/g, ' ').trim();

function expectedArrows(file: string): string[] {
  const list = JSON.parse(readFileSync(file, 'utf8')) as readonly Expected[];
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

function outcomeOf(isExact: boolean, diagnostics: readonly Diagnostic[]): Outcome {
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
    const expected = existsSync(listed) ? expectedArrows(listed) : null;
    const outcome =
      expected === null
        ? `no list: ${hasErrors(diagnostics) ? 'refused' : 'read'}`
        : outcomeOf(JSON.stringify(read) === JSON.stringify(expected), diagnostics);
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

/** The aim: at least 95 % of the drawings with lifelines and a list are read exactly. */
function summarise(table: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>): void {
  let all = 0;
  let exact = 0;
  let doubted = 0;
  for (const [family, row] of table) {
    if (WITHOUT_LIFELINES.test(family)) continue;
    for (const [outcome, files] of row) {
      if (outcome.startsWith('no list')) continue;
      for (const file of files) {
        if (DOUBTED[file] !== undefined) doubted++;
        else {
          all++;
          if (outcome === 'exact') exact++;
        }
      }
    }
  }
  console.log(
    `with lifelines and a list: ${exact} of ${all} exact (${((100 * exact) / Math.max(1, all)).toFixed(1)} %); ${doubted} lists are in doubt:`,
  );
  for (const [file, reason] of Object.entries(DOUBTED)) console.log(`  ${file}: ${reason}`);
}

main(process.argv[2]);
