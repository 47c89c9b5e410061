import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { filesBelow, outputProblem, readText, textOf, writeText } from './files.ts';

let folder = '';
const at = (name: string): string => join(folder, name);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'asdrawn-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function* chunksOf(...chunks: readonly (readonly number[])[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk));
}

const swapped = (text: string): number[] => [...Buffer.from(text, 'utf16le').swap16()];

describe('a file is read as text', () => {
  test.each<[string, readonly (readonly number[])[]]>([
    ['UTF-8', [[...Buffer.from('ä→b')]]],
    ['UTF-8 with a byte order mark', [[0xef, 0xbb, 0xbf, ...Buffer.from('ä→b')]]],
    ['UTF-8 whose characters are cut by the chunks', [...Buffer.from('ä→b')].map((byte) => [byte])],
    ['UTF-16 as Windows writes it', [[0xff, 0xfe, ...Buffer.from('ä→b', 'utf16le')]]],
    ['UTF-16, big end first', [[0xfe, 0xff, ...swapped('ä→b')]]],
  ])('in %s', async (_, chunks) => {
    expect(await textOf(chunksOf(...chunks), 'f')).toBe('ä→b');
  });

  test.each<[string, readonly (readonly number[])[], number, number]>([
    ['a byte that UTF-8 does not have', [[0x61, 0x0a, 0x62, 0xff, 0x63]], 2, 2],
    [
      'such a byte in a later chunk',
      [
        [0x61, 0x0a],
        [0x62, 0x0a, 0xc0],
      ],
      3,
      1,
    ],
    ['a character that is cut at the end', [[0x61, 0xe2, 0x86]], 1, 2],
    ['half a surrogate pair', [[0xff, 0xfe, 0x00, 0xd8, 0x61, 0x00]], 1, 1],
  ])('but not %s: the place is told', async (_, chunks, line, column) => {
    expect(await textOf(chunksOf(...chunks), 'f')).toMatchObject({ problem: { code: 'CLI108', line, column } });
  });

  test('but not what is compressed, and the hint says so', async () => {
    expect(await textOf(chunksOf([0x1f, 0x8b, 0x08, 0x00]), 'f')).toMatchObject({
      problem: { code: 'CLI108', hint: expect.stringContaining('gunzip') },
    });
  });

  test('and no further than the bound, also where it has no size', async () => {
    expect(await textOf(chunksOf([0x61, 0x61], [0x61, 0x61]), 'f', 3)).toMatchObject({ problem: { code: 'CLI103' } });
    expect(await readText('/dev/null')).toBe('');
  });
});

describe('links below a folder', () => {
  const below = async (): Promise<unknown> => {
    const found = await filesBelow(at('specs'));
    if ('problem' in found) return found.problem;
    const short = (files: readonly string[]): string[] => files.map((file) => file.slice(folder.length + 1));
    return { files: short(found.files), stray: short(found.strayLinks) };
  };
  beforeAll(() => {
    mkdirSync(at('specs/.drafts'), { recursive: true });
    for (const name of ['specs/a.mmd', 'specs/.drafts/b.mmd', 'outside.mmd']) writeFileSync(at(name), '');
    symlinkSync(at('specs/a.mmd'), at('specs/again.mmd'));
    symlinkSync(at('specs/.drafts/b.mmd'), at('specs/draft.mmd'));
    symlinkSync(at('outside.mmd'), at('specs/out.mmd'));
    symlinkSync(at('nowhere.mmd'), at('specs/torn.mmd'));
    symlinkSync(at('specs'), at('specs/circle'));
  });

  test('are read once, if they stay inside; the others are told', async () => {
    expect(await below()).toEqual({
      files: ['specs/a.mmd', 'specs/draft.mmd'],
      stray: ['specs/circle', 'specs/out.mmd', 'specs/torn.mmd'],
    });
  });
});

describe('a report is written whole or not at all', () => {
  test('in place of an older one, and nothing else is left in the folder', async () => {
    mkdirSync(at('whole'));
    writeFileSync(at('whole/r.html'), 'old');
    const before = statSync(at('whole/r.html')).ino;
    expect(await writeText(at('whole/r.html'), 'new')).toBeNull();
    expect(readFileSync(at('whole/r.html'), 'utf8')).toBe('new');
    expect(statSync(at('whole/r.html')).ino).not.toBe(before);
    expect(readdirSync(at('whole'))).toEqual(['r.html']);
  });

  test('through a link, which stays one', async () => {
    writeFileSync(at('target'), 'old');
    symlinkSync(at('target'), at('link'));
    expect(await writeText(at('link'), 'new')).toBeNull();
    expect(readFileSync(at('target'), 'utf8')).toBe('new');
  });

  test('to a device, which is not replaced', async () => {
    expect(await writeText('/dev/null', 'gone')).toBeNull();
    expect(statSync('/dev/null').isFile()).toBe(false);
  });
});

describe('before any work is spent, a report is refused', () => {
  test.each<[string, () => readonly string[], string, RegExp]>([
    ['that would destroy the trace', () => [at('t.ndjson')], 'CLI109', /this run reads it/],
    ['that would do so by another spelling', () => [join(folder, 'x', '..', 't.ndjson')], 'CLI109', /reads it/],
    ['that would do so through a link', () => [at('to-trace')], 'CLI109', /reads it/],
    ['that another report would destroy', () => [at('r.html'), at('r.html')], 'CLI109', /another report/],
    ['that is a folder', () => [folder], 'CLI102', /folder/],
    ['without a name', () => [''], 'CLI102', /folder/],
    ['below a file', () => [at('t.ndjson/r.html')], 'CLI102', /a file, not a folder/],
    ['far below a file', () => [at('t.ndjson/a/b/r.html')], 'CLI102', /a file, not a folder/],
    // Where no folder can be made, though the one above is there; without it, the test has nothing to ask.
    ['where nothing can be made', () => [existsSync('/proc') ? '/proc/a/b/r.html' : ''], 'CLI102', /cannot be written/],
  ])('%s', async (_, outputs, code, says) => {
    writeFileSync(at('t.ndjson'), '');
    mkdirSync(at('x'), { recursive: true });
    rmSync(at('to-trace'), { force: true });
    symlinkSync(at('t.ndjson'), at('to-trace'));
    expect(await outputProblem(outputs(), [at('t.ndjson')])).toMatchObject({
      problem: { code, message: expect.stringMatching(says) },
    });
  });

  test('but not one that can be written', async () => {
    expect(
      await outputProblem([at('new/er/a.html'), undefined, '/dev/null', '/dev/null'], [at('t.ndjson')]),
    ).toBeNull();
  });
});
