import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { captureIo } from '../testing/index.ts';
import { runProgram } from './index.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'asdrawn-'));
  const drawing = `sequenceDiagram\nA->>B: last\nA->>B: ${'long '.repeat(200_000)}\n`;
  writeFileSync(join(folder, 'long.mmd'), drawing);
  writeFileSync(join(folder, 'short.mmd'), 'sequenceDiagram\nA->>B: last\n');
  writeFileSync(join(folder, 't.ndjson'), '{"seq":1,"from":"A","to":"B","kind":"async","label":"last"}\n');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test.each<[string, (file: (name: string) => string) => readonly string[]]>([
  ['a verdict', (file) => ['check', file('long.mmd'), '--trace', file('t.ndjson')]],
  ['a verdict as JSON', (file) => ['check', file('long.mmd'), '--trace', file('t.ndjson'), '--json']],
  ['a contract in words', (file) => ['explain', file('long.mmd')]],
  ['a comparison', (file) => ['diff', file('long.mmd'), file('short.mmd')]],
])('%s quotes the beginning of a label of a million characters', async (_name, argsOf) => {
  const io = captureIo();
  await runProgram(io, [...argsOf((name) => join(folder, name))], '0');
  expect(io.printed()).toMatch(/… \([\d,]{7,} characters\)/);
  expect(io.printed().length).toBeLessThan(100_000);
});
