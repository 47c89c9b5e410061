import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { once } from 'node:events';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from '@jest/globals';
import { check } from '../harness/checker/index.ts';
import { runProgram } from '../harness/cli/index.ts';
import { readTraceText, type SpecVerdict } from '../harness/index.ts';
import { captureIo } from '../harness/testing/index.ts';
import { loadContract } from './testing/load-specs.ts';

const file = (name: string): string => join(import.meta.dirname, name);
const SPEC = ['check', file('create-pod/diagram.txt'), '--binding', file('create-pod/other-names.bindings.yaml')];

describe('another system, with names and labels of its own', () => {
  let server: ChildProcess | undefined;
  afterEach(async () => {
    if (server === undefined) return;
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await ended;
    server = undefined;
  });

  /** Starts the endpoint as a process of its own; its first line of output is its URL. */
  async function serve(trace: string): Promise<string> {
    server = spawn(process.execPath, [file('other-system.mjs'), file(trace)], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [url] = (await once(createInterface({ input: server.stdout! }), 'line')) as [string];
    return url;
  }

  test.each([
    ['create-pod/traces/other-names.ndjson', 0, 'conforms'],
    ['create-pod/traces/other-names-bad.ndjson', 1, 'violates'],
  ] as const)(
    '%s is judged by binding alone, from a file and from its endpoint alike',
    async (trace, code, outcome) => {
      const fromFile = captureIo();
      expect(await runProgram(fromFile, [...SPEC, '--trace', file(trace), '--json'], '0')).toBe(code);
      const fromEndpoint = captureIo();
      expect(await runProgram(fromEndpoint, [...SPEC, '--endpoint', await serve(trace), '--json'], '0')).toBe(code);
      const [a, b] = [fromFile, fromEndpoint].map(
        (io) => (JSON.parse(io.printed()) as { specs: SpecVerdict[] }).specs[0]!,
      );
      expect(a!.outcome).toBe(outcome);
      expect(b!.outcome).toBe(outcome);
      const withoutSource = (verdict: SpecVerdict): unknown =>
        JSON.parse(JSON.stringify(verdict, (key, value: unknown) => (key === 'source' ? '' : value)));
      expect(withoutSource(b!)).toEqual(withoutSource(a!));
    },
  );

  test('the bad one names the arrow that came too early, and the one that had to come first', () => {
    const [contract] = loadContract('create-pod/diagram.txt', 'create-pod/other-names.bindings.yaml');
    const { value } = readTraceText(readFileSync(file('create-pod/traces/other-names-bad.ndjson'), 'utf8'), 'trace');
    const verdict = check(contract!, value);
    const told = verdict.instances.flatMap(({ key, violations }) =>
      violations.map(({ arrow, mustFollow }) => [
        key['pod'],
        verdict.arrows[arrow ?? -1]?.text,
        verdict.arrows[mustFollow ?? -1]?.text,
      ]),
    );
    expect(told).toEqual([['j2', 'docker run', 'watch (bound pod)']]);
  });
});
