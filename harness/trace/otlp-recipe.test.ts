import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { readTraceText } from './index.ts';

const DOCUMENT = readFileSync(new URL('../../docs/trace-format.md', import.meta.url), 'utf8');
const SAMPLE = fileURLToPath(new URL('testdata/otlp-sample.jsonl', import.meta.url));

/** The trace that the script in the documentation makes of the sample. */
function converted(): string {
  const [, script] = /```js\n(\/\/ otlp-to-trace\.mjs\n[\s\S]*?)```/.exec(DOCUMENT) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'asdrawn-otlp-'));
  try {
    const file = join(folder, 'otlp-to-trace.mjs');
    writeFileSync(file, script ?? '');
    return execFileSync(process.execPath, [file, SAMPLE], { encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('the documented script makes a trace of spans that come children first, from clocks that differ', () => {
  const { value, diagnostics } = readTraceText(converted(), 'trace.ndjson');
  expect(diagnostics).toEqual([]);
  expect(
    value.events.map(({ event: { seq, from, to, kind, label, id, parent, replyTo, status, time } }) => [
      `${seq} ${time === undefined ? '' : time % 1_000}ms ${from} -> ${to} ${kind} "${label}"`,
      Object.entries({ id, parent, replyTo, status }).flatMap(([name, one]) =>
        one === undefined ? [] : [`${name}=${String(one).replace(/^e0+/, '')}`],
      ),
    ]),
  ).toEqual([
    ['1 10ms Client -> web call "POST /checkout"', ['id=1']],
    // Its server span begins earlier, by another clock.
    ['2 10ms web -> orders call "POST /orders"', ['id=2', 'parent=1']],
    ['3 10ms orders -> orders-db call "INSERT shop.orders"', ['id=4', 'parent=2']],
    ['4 20ms orders-db -> orders reply ""', ['replyTo=4']],
    // Below an internal span, which is no message.
    ['5 20ms orders -> mail async "send confirmations"', ['id=5', 'parent=2']],
    ['6 30ms orders -> web reply "201"', ['replyTo=2', 'status=201']],
    ['7 31ms web -> Client reply "303"', ['replyTo=1', 'status=303']],
  ]);
  expect(value.events[0]?.event.attributes).toMatchObject({ 'user.vip': true, 'http.response.status_code': 303 });
  expect(new Set(value.events.map(({ event: { traceId } }) => traceId)).size).toBe(1);
});
