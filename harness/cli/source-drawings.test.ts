import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { captureIo } from '../testing/index.ts';
import { runProgram } from './index.ts';

const DRAWN = [
  '  App              Shop',
  '   |                |',
  '   |--- order ----->|',
  '   |                |',
  '   |<---- 201 ------|',
  '   |                |',
];
const inComments = (mark: string): string => [...DRAWN.map((row) => `${mark} ${row}`), 'code();', ''].join('\n');

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'asdrawn-'));
  writeFileSync(join(folder, 'a.mmd'), 'sequenceDiagram\n  A->>B: ask\n');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

async function parse(...args: string[]) {
  const io = captureIo();
  const code = await runProgram(io, ['parse', ...args], '0.0.0');
  return { code, said: io.printed(), complained: io.complained() };
}

test.each([
  ['shop.ts', '//'],
  ['shop.go', '//'],
  ['shop.py', '#'],
])('a drawing in the comments of %s is not read with its folder, which is said', async (name, mark) => {
  writeFileSync(join(folder, name), inComments(mark));
  const { code, said, complained } = await parse(folder);
  expect(code).toBe(0);
  expect(said).not.toContain('order');
  expect(complained).toMatch(
    /CLI111[^]*1 source file in this folder holds a drawing[^]*shop\.(ts|go|py)[^]*name such files themselves/,
  );
});

test('one that is named is read, and nothing is said of it', async () => {
  const file = join(folder, 'shop.ts');
  writeFileSync(file, inComments('//'));
  const { said, complained } = await parse(folder, file);
  expect(said).toContain('order');
  expect(complained).not.toContain('CLI111');
});

test('several are counted', async () => {
  mkdirSync(join(folder, 'inside'));
  writeFileSync(join(folder, 'a.ts'), inComments('//'));
  writeFileSync(join(folder, 'inside', 'b.rs'), inComments('///'));
  expect((await parse(folder)).complained).toContain('2 source files in this folder hold drawings');
});

test.each([
  ['a table', '// | a | b |\n// |---|---|\n// | 1 | 2 |\n'],
  ['arrows in prose', '// a --> b\n// b --> c\nconst x = 1;\n'],
  ['dashes without end', `//${'-'.repeat(60_000)}\n`.repeat(1)],
  ['a drawing outside of comments', `${DRAWN.join('\n')}\n`],
])('of %s in a source file nothing is said', async (_, text) => {
  writeFileSync(join(folder, 'shop.ts'), text);
  expect((await parse(folder)).complained).toBe('');
});

test('a spec from standard input is refused by name', async () => {
  const { code, complained } = await parse('-');
  expect(code).toBe(2);
  expect(complained).toMatch(/CLI101 [^]*only --trace reads standard input/);
});
