import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

/** Two events the wrong way round: the run violates, so every exit code but 1 is a mistake of ours. */
const VIOLATING = [
  '{"kind":"begin"}',
  '{"seq":1,"from":"B","to":"A","kind":"async","label":"second"}',
  '{"seq":2,"from":"A","to":"B","kind":"async","label":"first"}',
  '{"kind":"end"}',
].join('\n');
const FILES: Readonly<Record<string, string>> = {
  'd.mmd': 'sequenceDiagram\n  A->>B: first\n  B->>A: second\n',
  't.ndjson': VIOLATING,
  's.json': '{"name":"s","steps":[{"do":"pause","component":"scheduler"}]}',
  'exits.mjs': 'export const system = { name: "x", start() { process.exit(0); } };',
  'late.mjs':
    'export const system = { name: "x", start() { setTimeout(() => { throw new Error("late"); }); return new Promise(() => {}); } };',
  'hangs.mjs': `import { writeFileSync } from 'node:fs';
    import { createServer } from 'node:net';
    createServer().listen(0, '127.0.0.1');
    const never = () => { console.log('ready'); return new Promise(() => {}); };
    const stop = async () => writeFileSync(new URL('stopped', import.meta.url), '');
    export const system = { name: 'x', async start() { return { apiUrl: '', traceUrl: '', pause: never, resume: never, finish: never, stop }; } };`,
};

describe('the process itself', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'asdrawn-'));
    for (const [name, content] of Object.entries(FILES)) writeFileSync(join(folder, name), content);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const MAIN = join(import.meta.dirname, 'main.ts');
  const TSX = import.meta.resolve('tsx');
  const start = (args: readonly string[], stdout: 'pipe' | number = 'pipe') =>
    spawn(process.execPath, ['--import', TSX, MAIN, ...args], { cwd: folder, stdio: ['ignore', stdout, 'pipe'] });
  const codeOf = async (child: ReturnType<typeof start>): Promise<unknown> =>
    ((await once(child, 'close')) as unknown[])[0];
  const CHECK = ['check', 'd.mmd', '--trace', 't.ndjson'];
  const conformance = (system: string): string[] => [
    'conformance',
    'd.mmd',
    '--system',
    system,
    '--scenario',
    's.json',
  ];

  test('a reader that has had enough changes no verdict and loses no report', async () => {
    const child = start([...CHECK, '--junit', 'piped.xml']);
    child.stdout?.destroy();
    expect(await codeOf(child)).toBe(1);
    expect(readFileSync(join(folder, 'piped.xml'), 'utf8')).toMatch(/<\/testsuites>\s*$/);
  });

  test('an error stream that nobody reads changes no exit code', async () => {
    const child = start(['check', 'nowhere.mmd', '--trace', 't.ndjson']);
    child.stderr?.destroy();
    expect(await codeOf(child)).toBe(2);
  });

  const full = existsSync('/dev/full') ? test : test.skip;
  full('a verdict that there is no room for is not a green one', async () => {
    const child = start(CHECK, openSync('/dev/full', 'w'));
    const said = child.stderr === null ? '' : await text(child.stderr);
    expect(said).toMatch(/not whole: ENOSPC[^]*hint: /);
    expect(child.exitCode ?? (await codeOf(child))).toBe(2);
  });

  test.each([
    ['exits.mjs', /ended from inside before there was a verdict/],
    ['late.mjs', /x threw outside of any call: late/],
  ])('a system that ends or breaks our process is told: %s', async (system, says) => {
    const child = start(conformance(system));
    const said = child.stderr === null ? '' : await text(child.stderr);
    expect(said).toMatch(says);
    expect(said).not.toMatch(/^\s+at /m);
    expect(child.exitCode ?? (await codeOf(child))).toBe(2);
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s stops the system, and what it left open keeps no process alive', async (signal, code) => {
    rmSync(join(folder, 'stopped'), { force: true });
    const child = start(conformance('hangs.mjs'));
    if (child.stdout !== null) await once(child.stdout, 'data');
    child.kill(signal);
    const said = child.stderr === null ? '' : await text(child.stderr);
    expect(said).toMatch(/interrupted; the system was stopped/);
    expect(child.exitCode ?? (await codeOf(child))).toBe(code);
    expect(existsSync(join(folder, 'stopped'))).toBe(true);
  });
});
