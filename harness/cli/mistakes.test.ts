import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { captureIo } from '../testing/index.ts';
import { runProgram } from './index.ts';

const DRAWING = 'sequenceDiagram\n  participant A\n  A->>B: ask\n  B-->>A: answer\n';
const TRACE = [
  '{"kind":"begin","seq":0}',
  '{"seq":1,"id":"1","from":"A","to":"B","kind":"call","label":"ask"}',
  '{"seq":2,"from":"B","to":"A","kind":"reply","replyTo":"1","label":"answer"}',
  '{"kind":"end","seq":3}',
].join('\n');

/** Files of one mistake, the arguments after the spec's own, and what must be said. */
interface Mistake {
  readonly claim: string;
  readonly files: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly code: number;
  readonly says: RegExp;
  /** `file:line:column`, unless the mistake has no file. */
  readonly at?: RegExp;
}

const check = (...more: string[]): string[] => ['check', 'd.mmd', '--trace', 't.ndjson', ...more];

const MISTAKES: readonly Mistake[] = [
  {
    claim: 'a message without a receiver',
    files: { 'd.mmd': 'sequenceDiagram\n  A->>B: ask\n  A->>: lost\n' },
    args: check(),
    code: 2,
    says: /receiver/i,
    at: /d\.mmd:3:\d+/,
  },
  {
    claim: 'a loop that is never closed',
    files: { 'd.mmd': 'sequenceDiagram\n  A->>B: ask\n  loop for ever\n  A->>B: ask\n' },
    args: check(),
    code: 2,
    says: /loop/i,
    at: /d\.mmd:3:\d+/,
  },
  {
    claim: 'a binding for an arrow that is not drawn',
    files: { 'd.bindings.yaml': 'messages:\n  aks: GET /ask\n' },
    args: check(),
    code: 2,
    says: /aks/,
    at: /d\.bindings\.yaml:2:3/,
  },
  {
    claim: 'a binding for a participant that is not drawn',
    files: { 'd.bindings.yaml': 'participants:\n  C: Somebody\n' },
    args: check(),
    code: 2,
    says: /participant/i,
    at: /d\.bindings\.yaml:2:3/,
  },
  {
    claim: 'an unknown key in the binding',
    files: { 'd.bindings.yaml': 'mesages:\n  ask: GET /ask\n' },
    args: check(),
    code: 2,
    says: /messages/,
    at: /d\.bindings\.yaml:1:1/,
  },
  {
    claim: 'an expression that is no CEL',
    files: { 'd.bindings.yaml': 'messages:\n  ask: http.request.method == \n' },
    args: check(),
    code: 2,
    says: /expression|CEL/i,
    at: /d\.bindings\.yaml:2:\d+/,
  },
  {
    claim: 'a line of the trace that is cut',
    files: { 't.ndjson': `${TRACE.split('\n').slice(0, 2).join('\n')}\n{"seq":2,"from":"B","to` },
    args: check(),
    code: 2,
    says: /JSON/,
    at: /t\.ndjson:3:\d+/,
  },
  {
    claim: 'a field of the wrong type',
    files: { 't.ndjson': '{"seq":"one","from":"A","to":"B","kind":"call","label":"ask"}\n' },
    args: check(),
    code: 2,
    says: /seq/,
    at: /t\.ndjson:1:\d+/,
  },
  {
    claim: 'an empty trace',
    files: { 't.ndjson': '' },
    args: check(),
    code: 2,
    says: /no event|empty/i,
    at: /t\.ndjson:1:1/,
  },
  {
    claim: 'a trace that has nothing to do with the drawing',
    files: { 't.ndjson': '{"seq":1,"from":"X","to":"Y","kind":"call","label":"ask"}\n' },
    args: check(),
    code: 4,
    says: /vacuous/,
  },
  {
    claim: 'a spec that does not exist',
    files: {},
    args: ['check', 'e.mmd', '--trace', 't.ndjson'],
    code: 2,
    says: /no such file/,
    at: /e\.mmd:1:1/,
  },
  {
    claim: 'a trace that does not exist',
    files: {},
    args: ['check', 'd.mmd', '--trace', 'u.ndjson'],
    code: 2,
    says: /no such file/,
    at: /u\.ndjson:1:1/,
  },
  {
    claim: 'an endpoint that is down',
    files: {},
    args: ['check', 'd.mmd', '--endpoint', 'http://127.0.0.1:9'],
    code: 2,
    says: /127\.0\.0\.1:9/,
  },
  {
    claim: 'an endpoint that is no URL',
    files: {},
    args: ['check', 'd.mmd', '--endpoint', 'nowhere'],
    code: 2,
    says: /nowhere/,
  },
  { claim: 'no source of the trace', files: {}, args: ['check', 'd.mmd'], code: 2, says: /--trace/ },
  {
    claim: 'two sources of the trace',
    files: {},
    args: check('--endpoint', 'http://127.0.0.1:9'),
    code: 2,
    says: /two sources/,
  },
  { claim: 'two traces', files: {}, args: check('--trace', 't.ndjson'), code: 2, says: /--trace .*may be named once/ },
  ...[
    ['--junit', 'a.xml', 'b.xml'],
    ['--html', 'a.html', 'b.html'],
    ['--order', 'strict', 'causal'],
    ['--binding', 'a.yaml', 'b.yaml'],
    ['--min-coverage', '80', '8'],
  ].map(([option = '', first = '', second = '']) => ({
    claim: `${option} twice`,
    files: {},
    args: check(option, first, option, second),
    code: 2,
    says: /may be named once/,
  })),
  { claim: 'an unknown option', files: {}, args: check('--ordr', 'causal'), code: 2, says: /--order/ },
  { claim: 'an unknown order', files: {}, args: check('--order', 'casual'), code: 2, says: /causal/ },
  { claim: 'an unknown command', files: {}, args: ['chek', 'd.mmd'], code: 2, says: /check/ },
  {
    claim: 'a report that cannot be written',
    files: {},
    args: check('--html', 'd.mmd/x/index.html'),
    code: 2,
    says: /cannot be written/,
  },
  {
    claim: 'a coverage that nothing can reach',
    files: {},
    args: check('--min-coverage', '101'),
    code: 2,
    says: /--min-coverage.*0 to 100/,
  },
  {
    claim: 'a coverage that is no number',
    files: {},
    args: ['conformance', 'd.mmd', '--system', 'nowhere.ts', '--min-coverage', 'all'],
    code: 2,
    says: /--min-coverage.*0 to 100/,
  },
  {
    claim: 'too little coverage',
    files: { 'd.mmd': `${DRAWING}  opt in a hurry\n  A->>B: hurry\n  end\n` },
    args: check('--min-coverage', '80'),
    code: 1,
    says: /conforms, but coverage 60 % is below --min-coverage 80 %/,
  },
  {
    claim: 'a system that does not exist',
    files: {},
    args: ['conformance', 'd.mmd', '--system', 'nowhere.ts'],
    code: 2,
    says: /nowhere|scenario/,
  },
];

describe('a mistake is told in one clear message with a place and a hint, never as a stack trace:', () => {
  const home = process.cwd();
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'asdrawn-'));
    process.chdir(folder);
  });
  afterAll(() => {
    process.chdir(home);
    rmSync(folder, { recursive: true });
  });

  test.each(MISTAKES)('$claim', async ({ files, args, code, says, at }) => {
    rmSync('d.bindings.yaml', { force: true });
    for (const [name, text] of Object.entries({ 'd.mmd': DRAWING, 't.ndjson': TRACE, ...files }))
      writeFileSync(name, text);
    const io = captureIo();
    expect(await runProgram(io, args, '0.0.0')).toBe(code);
    const said = io.complained() + io.printed();
    expect(said).toMatch(says);
    if (at !== undefined) expect(said).toMatch(at);
    if (code === 2) expect(said).toMatch(/hint: \S/);
    expect(said).not.toMatch(/^\s+at .*[(:]/m);
  });

  test('without a mistake the same files conform', async () => {
    rmSync('d.bindings.yaml', { force: true });
    writeFileSync('d.mmd', DRAWING);
    writeFileSync('t.ndjson', TRACE);
    const io = captureIo();
    expect(await runProgram(io, check(), '0.0.0')).toBe(0);
    expect(io.printed()).toMatch(/conforms/);
  });
});
