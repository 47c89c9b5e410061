import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { captureIo } from '../testing/index.ts';
import { runProgram } from './index.ts';

const ASK = '{"seq":1,"id":"1","from":"A","to":"B","kind":"call","label":"ask"}';
const ANSWER = '{"seq":2,"from":"B","to":"A","kind":"reply","replyTo":"1","label":"answer"}';

// Named in the table of cases, so made before it.
const folder = mkdtempSync(join(tmpdir(), 'asdrawn-logs-'));
beforeAll(() => {
  writeFileSync(join(folder, 'd.mmd'), 'sequenceDiagram\n  A->>B: ask\n  B-->>A: answer\n');
  writeFileSync(join(folder, 'a'), `${ASK}\n${ANSWER}\n`);
  writeFileSync(join(folder, 'b'), `${ASK}\n${ANSWER}\n`);
  writeFileSync(join(folder, 'short'), `${ASK}\n`);
  writeFileSync(join(folder, 'wrong'), `${ANSWER.replace('"replyTo":"1",', '')}\n${ASK.replace('1', '3')}\n`);
  writeFileSync(join(folder, 'broken'), '{"seq":\n');
  writeFileSync(join(folder, 'empty'), '');
  writeFileSync(join(folder, 'marked'), '{"kind":"begin"}\n{"kind":"end"}\n');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const logs = (...named: (readonly [string, string])[]): string[] =>
  named.flatMap(([name, file]) => ['--logs', `${name}=${join(folder, file)}`]);

test.each<[string, readonly string[], number, RegExp]>([
  ['whole logs that fit are possible', logs(['A', 'a'], ['B', 'b']), 0, /conforms \(possible\)/],
  ['a log that lacks its end violates', logs(['A', 'a'], ['B', 'short']), 1, /"answer".*is missing/],
  ['a log that may lack its end is possible', [...logs(['A', 'a'], ['B', 'short']), '--cut'], 0, /\(possible\)/],
  ['a log that is wrong by itself is named', logs(['A', 'a'], ['B', 'wrong']), 1, /the log of B is wrong by itself/],
  ['an empty log is one, and lacks all', logs(['A', 'a'], ['B', 'empty']), 1, /missing from the log of B/],
  ['an empty log may lack all of it', [...logs(['A', 'a'], ['B', 'empty']), '--cut'], 0, /the log of B is empty/],
  ['a log of markers alone is empty', [...logs(['A', 'a'], ['B', 'marked']), '--cut'], 0, /the log of B is empty/],
  ['empty logs alone show nothing', logs(['A', 'empty'], ['B', 'empty']), 4, /the logs of A, B are empty/],
  ['participants that share a clock have one log', logs(['A,B', 'a']), 0, /conforms \(possible\)/],
  ['a log of nobody drawn is refused', logs(['X', 'a']), 2, /"X" is not a participant/],
  ['two logs of one participant are refused', logs(['A', 'a'], ['A,B', 'b']), 2, /belong to one participant/],
  ['one name twice is refused', logs(['A', 'a'], ['A', 'b']), 2, /two logs of A/],
  ['a log without a name is refused', ['--logs', 'a.ndjson'], 2, /names no participant/],
  ['a log that is no trace is refused', logs(['A', 'broken']), 2, /broken:1:\d+ (?!CLI101)/],
  ['logs beside a trace are refused', [...logs(['A', 'a']), '--trace', 'a'], 2, /two sources/],
  ['logs that may go on are refused', [...logs(['A', 'a']), '--partial'], 2, /--cut/],
  ['what logs lack is not asked for', [...logs(['A', 'a']), '--finish'], 2, /--finish is for one trace/],
  ['that logs are not aligned is said', logs(['A', 'a'], ['B', 'wrong']), 1, /to align: not computed \(.*no one order/],
  ['--cut without logs is refused', ['--cut'], 2, /add --logs/],
])('%s', async (_, args, code, says) => {
  const io = captureIo();
  expect(await runProgram(io, ['check', join(folder, 'd.mmd'), ...args], '0.0.0')).toBe(code);
  expect(io.printed() + io.complained()).toMatch(says);
});
