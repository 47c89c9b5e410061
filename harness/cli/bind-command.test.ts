import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { captureIo } from '../testing/index.ts';
import { runProgram } from './index.ts';

const DRAWING =
  'sequenceDiagram\n  Browser->>Api: POST /login\n  Api->>Db: find user\n  Db-->>Api: OK\n  Api-->>Browser: 200\n';
const TRACE = [
  '{"kind":"begin","seq":0}',
  '{"seq":1,"from":"web-client","to":"gateway","kind":"call","label":"POST /login","id":"a"}',
  '{"seq":2,"from":"gateway","to":"postgres","kind":"call","label":"SELECT users","id":"b","parent":"a"}',
  '{"seq":3,"from":"postgres","to":"gateway","kind":"reply","label":"row","status":200,"replyTo":"b"}',
  '{"seq":4,"from":"gateway","to":"web-client","kind":"reply","label":"done","status":200,"replyTo":"a"}',
  '{"kind":"end","seq":5}',
].join('\n');

async function run(
  ...args: string[]
): Promise<{ readonly code: number; readonly said: string; readonly complained: string }> {
  const io = captureIo();
  const code = await runProgram(io, args, '0.0.0');
  return { code, said: io.printed(), complained: io.complained() };
}

describe('asdrawn bind', () => {
  const home = process.cwd();
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'asdrawn-'));
    process.chdir(folder);
  });
  beforeEach(() => {
    rmSync('login.bindings.yaml', { force: true });
    writeFileSync('login.mmd', DRAWING);
    writeFileSync('t.ndjson', TRACE);
    writeFileSync('two.md', `# One\n\n\`\`\`mermaid\n${DRAWING}\`\`\`\n\n# Two\n\n\`\`\`mermaid\n${DRAWING}\`\`\`\n`);
  });
  afterAll(() => {
    process.chdir(home);
    rmSync(folder, { recursive: true });
  });

  test('writes a file with which the check conforms, beside the spec', async () => {
    expect((await run('check', 'login.mmd', '--trace', 't.ndjson')).code).toBe(4);
    const { code, said } = await run('bind', 'login.mmd', '--trace', 't.ndjson');
    expect(code).toBe(0);
    expect(said).toMatch(
      /4 of 4 arrows have events in this trace\nwritten: login.bindings.yaml\nnext: asdrawn check login.mmd --trace t.ndjson\n/,
    );
    expect((await run('check', 'login.mmd', '--trace', 't.ndjson')).code).toBe(0);
  });

  test('counts no reply whose status is not the drawn one', async () => {
    writeFileSync('login.mmd', DRAWING.replace('Browser: 200', 'Browser: 402'));
    const { said } = await run('bind', 'login.mmd', '--trace', 't.ndjson');
    expect(said).toMatch(/3 of 4 arrows have events in this trace; no event as drawn: line 5\n/);
  });

  test('never overwrites a file that is there, unless told to', async () => {
    writeFileSync('login.bindings.yaml', '# mine\n');
    const refused = await run('bind', 'login.mmd', '--trace', 't.ndjson');
    expect(refused.code).toBe(2);
    expect(refused.complained).toMatch(/login.bindings.yaml:1:1 CLI123 [^]*hint: .*--force/);
    expect(readFileSync('login.bindings.yaml', 'utf8')).toBe('# mine\n');
    expect((await run('bind', 'login.mmd', '--trace', 't.ndjson', '--force')).code).toBe(0);
    expect(readFileSync('login.bindings.yaml', 'utf8')).toMatch(/find user: SELECT users/);
  });

  test('prints with --out -, and writes nothing', async () => {
    const { code, said } = await run('bind', 'login.mmd', '--trace', 't.ndjson', '--out', '-');
    expect(code).toBe(0);
    expect(said).toMatch(/^# A first binding[^]*find user: SELECT users/);
    expect(existsSync('login.bindings.yaml')).toBe(false);
  });

  test('of a document with several diagrams, each says which it is for', async () => {
    const { said } = await run('bind', 'two.md', '--trace', 't.ndjson', '--out', '-');
    expect(said.split('---\n').map((text) => /^diagram: (.*)$/mu.exec(text)?.[1])).toEqual(['One', 'Two']);
    const one = await run('bind', 'two.md', '--trace', 't.ndjson', '--out', '-', '--diagram', 'Two');
    expect(one.said).toMatch(/^diagram: Two$/mu);
    expect(one.said).not.toMatch(/^diagram: One$/mu);
  });

  test.each([
    ['without a trace', ['bind', 'login.mmd'], /--trace/],
    ['with a trace that does not exist', ['bind', 'login.mmd', '--trace', 'u.ndjson'], /u.ndjson:1:1 [^]*no such file/],
    ['with a trace that is none', ['bind', 'login.mmd', '--trace', 'login.mmd'], /login.mmd:1:/],
    ['for a spec that does not exist', ['bind', 'u.mmd', '--trace', 't.ndjson'], /u.mmd:1:1 [^]*no such file/],
    ['for a folder', ['bind', '.', '--trace', 't.ndjson'], /CLI122 [^]*hint: name the file/],
    [
      'for a diagram that is not there',
      ['bind', 'two.md', '--trace', 't.ndjson', '--diagram', 'Three'],
      /no diagram is called "Three"/,
    ],
    [
      'into a place that cannot be written',
      ['bind', 'login.mmd', '--trace', 't.ndjson', '--out', 'login.mmd/x.yaml'],
      /cannot be written/,
    ],
  ])('%s it writes nothing and says why', async (_, args, says) => {
    const { code, complained } = await run(...args);
    expect(code).toBe(2);
    expect(complained).toMatch(says);
    expect(existsSync('login.bindings.yaml')).toBe(false);
  });

  test('a check that prints JSON prints nothing else', async () => {
    const { said } = await run('check', 'login.mmd', '--trace', 't.ndjson', '--json');
    expect(() => JSON.parse(said) as unknown).not.toThrow();
  });

  const NAMED = 'Api: gateway, Db: postgres';
  test('where a participant is traced by a wrong name, a check tells the right one, and nothing that is bound', async () => {
    writeFileSync(
      'login.bindings.yaml',
      `participants: { Browser: web-clietn, ${NAMED} }\nmessages:\n  POST /login: POST /login\n  find user: SELECT users\n`,
    );
    const { said } = await run('check', 'login.mmd', '--trace', 't.ndjson');
    expect(said).toMatch(/participants:\n {4}Browser: web-client/);
    expect(said).not.toMatch(/messages:/);
  });

  test('where an entry reads a wrong attribute, a check does not propose to write it again', async () => {
    writeFileSync(
      'login.bindings.yaml',
      `participants: { Browser: web-client, ${NAMED} }\nmessages:\n  POST /login: { when: statsu == 1 }\n  find user: { match: SELECT users, when: statsu == 1 }\n`,
    );
    const { said } = await run('check', 'login.mmd', '--trace', 't.ndjson');
    expect(said).toContain('`statsu` (line 2, line 3) is in no event of this trace; did you mean status?');
    expect(said).toContain('line 2  Browser -> Api: POST /login  (what the binding says of it matches no event)');
    expect(said).not.toMatch(/lines for|to begin a binding/);
  });

  test('a check of a drawing without a binding ends with the lines to paste', async () => {
    const { said } = await run('check', 'login.mmd', '--trace', 't.ndjson');
    expect(said).toMatch(
      /exit code 4\)\n\nlogin.mmd: arrows that no event matched[^]*find user: SELECT users # line 3: 1 event\n$/,
    );
    expect(said).toMatch(
      /lines for login.bindings.yaml, or let it be written: asdrawn bind login.mmd --trace t.ndjson\n/,
    );
  });
});
