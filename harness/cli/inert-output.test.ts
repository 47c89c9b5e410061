import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { captureIo } from '../testing/index.ts';
import { runProgram } from './index.ts';
import { shellWord } from './shell-word.ts';

/** Colours, a window title, the one-byte CSI, a direction override, markup of three kinds. */
const EVIL =
  '\u001b[32m \u001b]t\u0007 \u009b31m \u202ee\u202c \u2066x\u2069 \u007f </script><img src=x onerror=y> ]]>';
/** What a terminal obeys: controls but the line break, and what reorders text. */
const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'asdrawn-'));
  const event = {
    seq: 1,
    from: `A${EVIL}`,
    to: 'B',
    kind: 'async',
    label: EVIL,
    attributes: { [EVIL]: EVIL, pod: EVIL },
  };
  const trace = [{ kind: 'problem', title: EVIL }, event, { ...event, seq: 2, from: 'A', label: 'ask' }];
  writeFileSync(join(folder, 't.ndjson'), trace.map((line) => JSON.stringify(line)).join('\n'));
  const drawing = `sequenceDiagram\n  participant A as A\n  A->>B: ask\n  loop ${EVIL}\n    B->>A: ${EVIL}\n  end\n  A->>B: last\n`;
  writeFileSync(join(folder, 'd.mmd'), drawing);
  writeFileSync(join(folder, 'bad.mmd'), `sequenceDiagram\n  ${EVIL}\n`);
  writeFileSync(
    join(folder, 'd.bindings.yaml'),
    `parameters: { pod: pod }\ninstance: pod\nmessages:\n  last: { match: never, erratum: ${JSON.stringify(EVIL)} }\n`,
  );
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const TRACE = ['--trace', 't.ndjson'];
test.each<[string, readonly string[]]>([
  ['a verdict', ['check', 'd.mmd', ...TRACE]],
  ['a verdict as JSON', ['check', 'd.mmd', ...TRACE, '--json']],
  ['a contract in words', ['explain', 'd.mmd']],
  ['a drawing', ['parse', 'd.mmd']],
  ['a drawing as JSON', ['parse', 'd.mmd', '--json']],
  ['a comparison', ['diff', 'd.mmd', 'd.mmd', '--bound']],
  ['a mistake in a drawing', ['check', 'bad.mmd', ...TRACE]],
  ['a file name', ['check', EVIL, ...TRACE]],
  ['a command', [EVIL]],
  ['an option', ['check', 'd.mmd', `--${EVIL}`]],
  ['a value', ['check', 'd.mmd', ...TRACE, '--order', EVIL]],
  ['a diagram name', ['check', 'd.mmd', ...TRACE, '--diagram', EVIL]],
  ['an endpoint', ['check', 'd.mmd', '--endpoint', EVIL]],
  ['a module', ['fuzz', 'd.mmd', '--system', EVIL]],
])('nothing that is printed of %s can speak to the terminal', async (_, args) => {
  const home = process.cwd();
  process.chdir(folder);
  try {
    const io = captureIo();
    await runProgram(io, args, '0.0.0');
    const said = io.printed() + io.complained();
    expect(said).not.toBe('');
    expect(said).not.toMatch(OBEYED);
    if (args.includes('--json')) expect(() => JSON.parse(io.printed()) as unknown).not.toThrow();
  } finally {
    process.chdir(home);
  }
});

test('the reports in files hold neither markup nor controls of others', async () => {
  const [html, junit] = [join(folder, 'r.html'), join(folder, 'r.xml')];
  const trace = join(folder, 't.ndjson');
  await runProgram(
    captureIo(),
    ['check', join(folder, 'd.mmd'), '--trace', trace, '--html', html, '--junit', junit],
    '0',
  );
  for (const file of [html, junit]) {
    const text = readFileSync(file, 'utf8');
    expect(text).not.toMatch(OBEYED);
    expect(text).not.toMatch(/<\/script><img|<img src=x|\]\]>/);
  }
});

test.each([
  ['specs/a.mmd', 'specs/a.mmd'],
  ['a b', "'a b'"],
  ["it's", "'it'\\''s'"],
  ['$(x)', "'$(x)'"],
  ['', "''"],
])('in a line to paste, %s is one word', (text, word) => {
  expect(shellWord(text)).toBe(word);
});
