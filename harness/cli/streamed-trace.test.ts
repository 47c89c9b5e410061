import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
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

  test('that may go on is told with the messages that are still to come, if that is asked', async () => {
    const lines = ordersTrace(LARGE, []).trim().split('\n').slice(0, -3);
    const { code, out } = await checked(`${lines.join('\n')}\n`, '--partial', '--finish');
    expect(out).toMatch(/2 edits\n.*"201" .*is missing at the end\n.*"201" .*is missing at the end/u);
    expect(code).toBe(3);
    expect((await checked(`${lines.join('\n')}\n`, '--partial')).out).not.toContain('at the end');
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

  test('that is long is kept in a file that has no name any more, and can be read again and again', async () => {
    const text = ordersTrace(LARGE, []);
    mkdirSync(file('spool'), { recursive: true });
    const kept = await spooled(parts(text), '<stdin>', file('spool'));
    if (typeof kept === 'string' || 'problem' in kept) throw new Error('it was not kept');
    // A process that is killed here leaves nothing behind.
    expect(readdirSync(file('spool'))).toEqual([]);
    for await (const chunk of kept.read()) {
      expect(Buffer.from(chunk).toString()).toBe(text.slice(0, chunk.length));
      break;
    }
    expect(await kept.text()).toBe(text);
    expect(await kept.text()).toBe(text);
    await kept.dispose();
    await kept.dispose();
    await expect(kept.text()).rejects.toThrow(/closed|bad file descriptor/iu);
  });

  test('that is short is a text', async () => {
    expect(await spooled(parts('{"kind":"end"}\n'), '<stdin>')).toBe('{"kind":"end"}\n');
  });
});

describe('an endpoint', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  /** Serves the lines: all of them, or (`pageLines`) so many with each answer, after those that were asked for. */
  async function serve(lines: readonly string[], pageLines = lines.length): Promise<string> {
    const server = createServer((request, response) => {
      const after = Number(new URL(request.url ?? '/', 'http://host').searchParams.get('after') ?? '0');
      const isNew = (line: string): boolean => Number(/"seq":(\d+)/u.exec(line)?.[1] ?? '0') > after;
      const from = after === 0 ? 0 : lines.findIndex(isNew);
      const page = pageLines === lines.length ? lines : lines.slice(from, from + pageLines);
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(`${page.join('\n')}\n`);
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('it listens on a port');
    return `http://127.0.0.1:${address.port}`;
  }

  const linesOf = (text: string): readonly string[] => text.trim().split('\n');

  async function asked(
    endpoint: string,
    temporaryFolder = file('tmp'),
  ): Promise<{ code: number; out: string; err: string }> {
    mkdirSync(file('tmp'), { recursive: true });
    const io = { ...captureIo(), temporaryFolder };
    const code = await runProgram(io, ['check', file('shop.mmd'), '--endpoint', endpoint], '0');
    expect(readdirSync(file('tmp'))).toEqual([]);
    return { code, out: io.printed(), err: io.complained() };
  }

  test.each([
    ['at once', Infinity],
    ['in pages', 2_000],
  ])('with a long trace is judged as a file is, and leaves no file behind: %s', async (_, pageLines) => {
    const lines = linesOf(ordersTrace(LARGE, [9]));
    const url = await serve(lines, Math.min(pageLines, lines.length));
    const { code, out } = await asked(url);
    expect(out).toContain(`${LARGE} instances (1 violate, ${LARGE - 1} conform)`);
    expect(out).toContain(`${url}/trace:39`);
    expect(code).toBe(1);
  });

  test('with a long trace that there is no room for is told so', async () => {
    const url = await serve(linesOf(ordersTrace(LARGE, [])));
    const { code, err } = await asked(url, file('nowhere'));
    expect(err).toMatch(/CLI107 it cannot be kept in .*nowhere/u);
    expect(code).toBe(2);
  });

  test('that told a short trace needs no room', async () => {
    const url = await serve(linesOf(ordersTrace(3, [1])));
    const { code, out } = await asked(url, file('nowhere'));
    expect(out).toContain('order=o1');
    expect(code).toBe(1);
  });

  test('with a long trace that did not end leaves open what is missing', async () => {
    const lines = linesOf(ordersTrace(LARGE, [])).slice(0, -2);
    const { code, out } = await asked(await serve(lines));
    expect(out).toContain(`${LARGE} instances (1 incomplete, ${LARGE - 1} conform)`);
    expect(code).toBe(3);
  });

  test('with a long trace that holds a broken event is refused, and leaves no file behind', async () => {
    const lines = linesOf(ordersTrace(LARGE, [], ['{"seq":999999999,"from":"Client"}']));
    const url = await serve(lines);
    const { code, err } = await asked(url);
    expect(err).toContain('TRC105');
    expect(code).toBe(2);
  });
});
