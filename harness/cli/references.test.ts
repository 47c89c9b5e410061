import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { captureIo } from '../testing/index.ts';
import { runProgram } from './index.ts';

/** As PlantUML prints it: Client, Gateway and Ledger, with `ref over Gateway, Ledger : settle the books`. */
const DRAWING = join(import.meta.dirname, '../dialects/ascii/testdata/plantuml/reference.utxt');

const AROUND = ['Client Gateway open', 'Gateway Client done', 'Client Ledger bye', 'Ledger Gateway up'];

function trace(messages: readonly string[]): string {
  const events = messages.map((text, index) => {
    const [from = '', to = '', label = ''] = text.split(' ');
    const kind = { open: { kind: 'call', id: '1' }, done: { kind: 'reply', replyTo: '1' } }[label] ?? { kind: 'async' };
    return JSON.stringify({ seq: index + 1, from, to, label, ...kind });
  });
  return events.join('\n');
}

const folder = mkdtempSync(join(tmpdir(), 'asdrawn-references-'));
const file = (name: string): string => join(folder, name);
beforeAll(() => {
  copyFileSync(DRAWING, file('main.txt'));
  writeFileSync(file('settle-the-books.mmd'), 'sequenceDiagram\n  Gateway->>Ledger: post\n');
  writeFileSync(file('around.ndjson'), trace(AROUND));
  writeFileSync(file('whole.ndjson'), trace([AROUND[0] ?? '', 'Gateway Ledger post', ...AROUND.slice(1)]));
  writeFileSync(file('binding.yaml'), 'order: lifeline\n');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const run = async (...args: readonly string[]): Promise<{ readonly code: number; readonly said: string }> => {
  const io = captureIo();
  const code = await runProgram(io, args, '0.0.0');
  return { code, said: io.printed() + io.complained() };
};
const both = [file('main.txt'), file('settle-the-books.mmd')] as const;
const judged = (name: string): string[] => ['--diagram', 'main.txt', '--trace', file(name)];

test('parse says what a reference stands for, or that it is a gap', async () => {
  expect((await run('parse', folder)).said).toMatch(
    /7: ref settle the books = settle-the-books\.mmd \(.*settle-the-books\.mmd\)/,
  );
  expect((await run('parse', file('main.txt'))).said).toContain('7: ref settle the books = a gap');
});

test('check demands what the reference stands for, once that drawing is given', async () => {
  const alone = await run('check', file('main.txt'), ...judged('around.ndjson'));
  expect([alone.code, alone.said]).toEqual([0, expect.stringMatching(/what happens there was not checked/)]);
  expect((await run('check', ...both, ...judged('whole.ndjson'))).code).toBe(0);
  const missing = await run('check', ...both, ...judged('around.ndjson'));
  expect([missing.code, missing.said]).toEqual([
    1,
    expect.stringMatching(/settle-the-books\.mmd:2:\d+ {2}Gateway → Ledger: post/),
  ]);
});

test('the report draws it in its place, with the lines of its own file', async () => {
  await run('check', ...both, ...judged('around.ndjson'), '--html', file('report.html'));
  const page = readFileSync(file('report.html'), 'utf8');
  expect(page).toContain('>↪2<');
  expect(page).toMatch(/settle-the-books\.mmd:2</);
});

test('a drawing that refers to itself is refused with the place of the reference', async () => {
  copyFileSync(DRAWING, file('circle.txt'));
  const { code, said } = await run('check', file('circle.txt'), '--trace', file('whole.ndjson'));
  expect([code, said]).toEqual([0, expect.stringContaining('not checked')]);
  writeFileSync(file('circle.md'), `# Settle the books\n\n\`\`\`\n${readFileSync(DRAWING, 'utf8')}\`\`\`\n`);
  const circle = await run('check', file('circle.md'), '--trace', file('whole.ndjson'));
  expect([circle.code, circle.said]).toEqual([2, expect.stringMatching(/circle\.md:10:\d+ CON111/)]);
  rmSync(file('circle.txt'));
  rmSync(file('circle.md'));
});
