/**
 * `npm run plant:mermaid`: plants one wrong rule after the other in a copy of the dialect and runs the table test there. Every one
 * must turn it red: otherwise the table lacks a row.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Plant {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const plant = (name: string, file: string, from: string, to: string): Plant => ({ name, file, from, to });

const PLANTS: readonly Plant[] = [
  plant(
    'a half arrow backward keeps its ends',
    'arrows.ts',
    "arrow('solid', 'half-top', 'backward')",
    "arrow('solid', 'half-top')",
  ),
  plant('a dashed stick is solid', 'arrows.ts', "arrow('dashed', 'stick-bottom')", "arrow('solid', 'stick-bottom')"),
  plant(
    'both ways is one way',
    'arrows.ts',
    "['<<-->>', arrow('dashed', 'arrow', 'both')]",
    "['<<-->>', arrow('dashed', 'arrow')]",
  ),
  plant('arrows care for case', 'arrows.ts', "  'iy',", "  'y',"),
  plant('keywords need no word end', 'tokens.ts', '`${spelled}\\\\b`', '`${spelled}`'),
  plant('par_over is unknown', 'tokens.ts', "'par_over', { push", "'par_under', { push"),
  plant('a first blank spares the line end', 'tokens.ts', "token('Blank', /\\s+/y", "token('Blank', /[^\\S\\n]+/y"),
  plant('a number needs no blank behind it', 'tokens.ts', '(?=[ \\n])/y', '/y'),
  plant('a # does not end a text', 'tokens.ts', "token('Text', /:[^#\\n;]*/y", "token('Text', /:[^\\n;]*/y"),
  plant('a name may hold ()', 'tokens.ts', '|\\\\\\\\-|\\(\\)/iy', '|\\\\\\\\-/iy'),
  plant('a double dash does not end a name', 'tokens.ts', '/-x|--|-\\)', '/-x|-\\)'),
  plant(
    '%% behind a letter is no comment',
    'tokens.ts',
    'const COMMENTS = [HashComment, PercentComment, LetterComment];',
    'const COMMENTS = [HashComment, PercentComment];',
  ),
  plant(
    'a declared name with blanks takes a label',
    'tokens.ts',
    'const nameWithoutBlanks = matching(/[^<>:\\n,;@\\s]+/y);',
    'const nameWithoutBlanks = matching(/[^<>:\\n,;@]+?(?=\\s+as\\s|\\s*@|\\s*\\n)/y);',
  ),
  plant(
    'a circle goes with a bar',
    'grammar.ts',
    'this.OPTION1(() => this.CONSUME1(t.Central));',
    'this.OPTION1(() => this.OR2([{ ALT: () => this.CONSUME1(t.Plus) }, { ALT: () => this.CONSUME1(t.Central) }]));',
  ),
  plant(
    'a note stands over three',
    'grammar.ts',
    'return spelled(this.CONSUME3(t.Name));',
    'const name = spelled(this.CONSUME3(t.Name)); this.MANY(() => (this.CONSUME1(t.Comma), this.CONSUME4(t.Name))); return name;',
  ),
  plant(
    'end needs a line end',
    'grammar.ts',
    'current.length === 1 && !tokenMatcher(token, t.ArrowToken)',
    'current.length === 1 && tokenMatcher(token, t.StatementEnd)',
  ),
  plant('else divides a par', 'build.ts', "['par', 'and']", "['par', 'else']"),
  plant(
    '- ends the bar of the receiver',
    'build.ts',
    'this.#bar(sender, false, offset);',
    'this.#bar(receiver, false, offset);',
  ),
  plant(
    'a created one may send first',
    'build.ts',
    'if (this.#created.text === right &&',
    'if ((this.#created.text === right || this.#created.text === left) &&',
  ),
  plant(
    'only the last destroy counts',
    'build.ts',
    'this.#destroyedNext.add(id);',
    'this.#destroyedNext.clear(); this.#destroyedNext.add(id);',
  ),
  plant(
    'a second label is ignored',
    'build.ts',
    'if (known !== undefined && label !== null)',
    'if (known === undefined && label !== null)',
  ),
  plant(
    'a box may hold messages',
    'build.ts',
    "['participant', 'destroy', 'end'].includes",
    "['participant', 'destroy', 'message', 'end'].includes",
  ),
  plant('wrap: is text', 'build.ts', '.replace(/^:?(?:no)?wrap:/', '.replace(/^:?(?:no)?wrop:/'),
  plant(
    'front matter is not indented',
    'prepare.ts',
    'const closing = `\\n${indent}---`;',
    "const closing = '\\n---';",
  ),
  plant(
    'comment lines stay',
    'prepare.ts',
    'if (/^%%(?!\\{)[^\\n]/.test(content))',
    'if (/^%%%(?!\\{)[^\\n]/.test(content))',
  ),
  plant('tags keep their quotes', 'prepare.ts', '"=\'$1\'"', '\'="$1"\''),
  plant('the accident of style does not happen', 'prepare.ts', "dropStyleSemicolon(line, 'style')", 'line'),
  plant('an entity code stays as typed', 'entities.ts', 'decodeOne(code) ?? `#${code};`', '`#${code};`'),
];

const project = resolve(fileURLToPath(new URL('../../../..', import.meta.url)));
const copy = mkdtempSync(join(tmpdir(), 'plant-mermaid-'));
const dialect = join(copy, 'harness/dialects/mermaid');

function runTable(): { readonly red: boolean; readonly output: string } {
  const jest = join(project, 'node_modules/jest/bin/jest.js');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--experimental-vm-modules', jest, '--silent', 'harness/dialects/mermaid/table.test.ts'],
    { cwd: copy, encoding: 'utf8' },
  );
  return { red: status !== 0, output: stdout + stderr };
}

function main(): number {
  for (const folder of ['harness/diagram', 'harness/diagnostics', 'harness/dialects/mermaid']) {
    mkdirSync(join(copy, folder), { recursive: true });
    cpSync(join(project, folder), join(copy, folder), { recursive: true });
  }
  for (const file of ['package.json', 'jest.config.ts']) cpSync(join(project, file), join(copy, file));
  symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'));
  const untouched = runTable();
  if (untouched.red) {
    console.error(`the table is red without anything planted:\n${untouched.output}`);
    return 1;
  }
  const missed: string[] = [];
  for (const { name, file, from, to } of PLANTS) {
    const path = join(dialect, file);
    const source = readFileSync(path, 'utf8');
    if (source.split(from).length !== 2) throw new Error(`"${name}" finds its place in ${file} not just once: ${from}`);
    writeFileSync(
      path,
      source.replace(from, () => to),
    );
    const { red, output } = runTable();
    // A plant that does not even load proves nothing of the table.
    const loaded = output.includes('Tests:') && !output.includes('Test suite failed to run');
    if (!red || !loaded) missed.push(name);
    console.log(`${red && loaded ? 'red   ' : loaded ? 'MISSED' : 'BROKEN'} ${name}`);
    writeFileSync(path, source);
  }
  console.log(`${PLANTS.length - missed.length} of ${PLANTS.length} planted regressions turn the table red`);
  return missed.length === 0 ? 0 : 1;
}

try {
  process.exitCode = main();
} finally {
  rmSync(copy, { recursive: true, force: true });
}
