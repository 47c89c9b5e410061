import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { captureIo } from '../testing/index.ts';
import { runProgram } from './program.ts';
import { spooled, STREAM_BYTES_MIN } from './streamed-trace.ts';

const DRAWING = `sequenceDiagram
  Client->>Shop: POST /orders
  Shop->>Bank: POST /charges
  Bank-->>Shop: 201
  Shop-->>Client: 201
`;
const BINDING = 'instance: [order]\nparameters:\n  order: shop.order\n';

let folder = '';
const file = (name: string): string => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'asdrawn-test-'));
  writeFileSync(file('shop.mmd'), DRAWING);
  writeFileSync(file('shop.bindings.yaml'), BINDING);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Orders of four events, of some 300 bytes each; those that are named never charge. */
function ordersTrace(orders: number, broken: readonly number[], more: readonly string[] = []): string {
  let seq = 0;
  const lines = ['{"kind":"begin"}'];
  for (let order = 0; order < orders; order++) {
    const event = (from: string, to: string, kind: string, label: string, link: string): string =>
      `{"seq":${++seq},"from":"${from}","to":"${to}","kind":"${kind}","label":"${label}",${link},"attributes":{"shop.order":"o${order}","note":"${'.'.repeat(150)}"}}`;
    lines.push(event('Client', 'Shop', 'call', 'POST /orders', `"id":"a${order}"`));
    if (!broken.includes(order))
      lines.push(
        event('Shop', 'Bank', 'call', 'POST /charges', `"id":"c${order}","parent":"a${order}"`),
        event('Bank', 'Shop', 'reply', '201', `"replyTo":"c${order}","status":201`),
      );
    lines.push(event('Shop', 'Client', 'reply', '201', `"replyTo":"a${order}","status":201`));
  }
  return [...lines, ...more, `{"kind":"end"}`, ''].join('\n');
}

const LARGE = Math.ceil(STREAM_BYTES_MIN / 1_000);

async function checked(text: string, ...flags: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  writeFileSync(file('trace.ndjson'), text);
  const io = captureIo();
  const code = await runProgram(io, ['check', file('shop.mmd'), '--trace', file('trace.ndjson'), ...flags], '0');
  return { code, out: io.printed(), err: io.complained() };
}

/** What both readings must agree on: a small trace is read whole, a large one is streamed. */
const summaryOf = (json: string): unknown => {
  const { outcome, specs } = JSON.parse(json) as {
    outcome: string;
    specs: { instances: { outcome: string; key: unknown; violations: { text: string }[] }[] }[];
  };
  const failing = specs[0]?.instances.filter((instance) => instance.outcome !== 'conforms');
  return {
    outcome,
    failing: failing?.map(({ key, violations }) => ({ key, texts: violations.map(({ text }) => text) })),
  };
};

describe('a large trace file', () => {
  test('is streamed, and told as a small one', async () => {
    const large = ordersTrace(LARGE, [7]);
    expect(large.length).toBeGreaterThan(STREAM_BYTES_MIN);
    const [streamed, whole] = [await checked(large, '--json'), await checked(ordersTrace(20, [7]), '--json')];
    expect(streamed.code).toBe(1);
    expect(summaryOf(streamed.out)).toEqual(summaryOf(whole.out));
    const text = (await checked(large)).out;
    expect(text).toContain(`${LARGE} instances (1 violate, ${LARGE - 1} conform)`);
    expect(text).toContain('order=o7');
  });

  test('that conforms is green', async () => {
    const { code, out } = await checked(ordersTrace(LARGE, []));
    expect(code).toBe(0);
    expect(out).toContain(`${LARGE} instances`);
  });

  test('that is broken is told with the line that is broken', async () => {
    const { code, err } = await checked(ordersTrace(LARGE, [], ['{"seq":999999999,"from":"Client"}']));
    expect(code).toBe(2);
    expect(err).toContain('TRC105');
    expect(err).toContain('{"seq":999999999,"from":"Client"}');
  });

  test('that is not in order is read whole, with the warning that it was sorted', async () => {
    const lines = ordersTrace(LARGE, []).split('\n');
    [lines[5], lines[6]] = [lines[6] ?? '', lines[5] ?? ''];
    const { code, err } = await checked(lines.join('\n'));
    expect(err).toContain('TRC108');
    expect(code).toBe(0);
  });
});

describe('standard input', () => {
  async function* parts(text: string): AsyncGenerator<Buffer> {
    for (let from = 0; from < text.length; from += 100_000)
      yield await Promise.resolve(Buffer.from(text.slice(from, from + 100_000)));
  }

  test('that is long is judged as a file is', async () => {
    const io = { ...captureIo(), openStdin: () => parts(ordersTrace(LARGE, [9])) };
    expect(await runProgram(io, ['check', file('shop.mmd'), '--trace', '-'], '0')).toBe(1);
    expect(io.printed()).toContain('<stdin>:');
    expect(io.printed()).toContain('order=o9');
  });

  test('that is long is kept in a file that only its user can read, until it is judged', async () => {
    const text = ordersTrace(LARGE, []);
    const kept = await spooled(parts(text), '<stdin>');
    if (typeof kept === 'string' || 'problem' in kept) throw new Error('it was not kept');
    expect(readFileSync(kept.file, 'utf8')).toBe(text);
    expect(statSync(kept.file).mode & 0o077).toBe(0);
    await kept.dispose();
    expect(existsSync(kept.file)).toBe(false);
  });

  test('that is short is a text', async () => {
    expect(await spooled(parts('{"kind":"end"}\n'), '<stdin>')).toBe('{"kind":"end"}\n');
  });
});
