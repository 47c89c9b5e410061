import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { captureIo } from '../testing/index.ts';
import { runProgram } from './index.ts';

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'errata-'));
  writeFileSync(join(folder, 'pods.mmd'), 'sequenceDiagram\nA->>B: GET /pods\nB->>A: done\n');
  writeFileSync(join(folder, 'pods.bindings.yaml'), 'messages:\n  GET /pods: { absent: it reads its cache }\n');
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function check(labels: readonly (readonly [string, string, string])[], ...more: string[]) {
  const events = labels.map(([from, to, label], index) => ({ seq: index + 1, from, to, kind: 'async', label }));
  const io = captureIo([{ kind: 'begin' }, ...events].map((line) => `${JSON.stringify(line)}\n`).join(''));
  const code = await runProgram(io, ['check', join(folder, 'pods.mmd'), '--trace', '-', ...more], '0.0.0');
  return { code, said: io.printed() + io.complained() };
}

test('a binding may say what a system never sends', async () => {
  expect((await check([['B', 'A', 'done']])).code).toBe(0);
});

test('--no-errata judges the bare drawing', async () => {
  const { code, said } = await check([['B', 'A', 'done']], '--no-errata');
  expect(said).toContain('"GET /pods"');
  expect(code).toBe(1);
});

test('a binding that a system has outlived is said to be stale', async () => {
  const { code, said } = await check([
    ['A', 'B', 'GET /pods'],
    ['B', 'A', 'done'],
  ]);
  expect(said).toContain('the binding is stale: line 2 "GET /pods" is said to be absent, and happened as drawn once');
  expect(code).toBe(0);
});
