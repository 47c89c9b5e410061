import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Diagnostic } from '../diagnostics/index.ts';
import { fetchTrace, pollRecords, pollTrace } from './index.ts';
import type { Clock } from './index.ts';

const event = (seq: number, change: object = {}): string =>
  `${JSON.stringify({ seq, from: 'A', to: 'B', kind: 'call', label: 'x', ...change })}\n`;
const NDJSON = { 'content-type': 'application/x-ndjson; charset=utf-8' };
const END = '{"kind":"end"}\n';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(handler: Handler): Promise<string> {
  const server = createServer(handler);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const answer =
  (body: string, headers: Record<string, string> = NDJSON, status = 200): Handler =>
  (_request, response) => {
    response.writeHead(status, headers).end(body);
  };
const codes = (diagnostics: readonly Diagnostic[]): readonly string[] => diagnostics.map(({ code }) => code);

describe('fetchTrace', () => {
  test.each([
    ['/', '/trace'],
    ['/trace', '/trace'],
    ['/api/', '/api/trace'],
    ['/api/trace?run=1', '/api/trace?run=1'],
  ])('for an endpoint with the path %s it asks for %s', async (path, asked) => {
    let url: string | undefined;
    let accept: string | undefined;
    const base = await serve((request, response) => {
      ({ url } = request);
      ({ accept } = request.headers);
      answer(event(1) + END)(request, response);
    });
    const { value, diagnostics } = await fetchTrace(base + path);
    expect(diagnostics).toEqual([]);
    expect(value).toMatchObject({ ended: true, events: [{ source: base + asked, line: 1, event: { seq: 1 } }] });
    expect(url).toBe(asked);
    expect(accept).toMatch(/^application\/x-ndjson/);
  });

  test('a JSON array and a text without content type are read too', async () => {
    const array = await serve(answer(`[${event(1)},${event(2)}]`, { 'content-type': 'application/json' }));
    expect((await fetchTrace(array)).value.events).toHaveLength(2);
    const untyped = await serve(answer(event(1), {}));
    expect((await fetchTrace(untyped)).value.events).toHaveLength(1);
  });

  test('a character that two chunks share is read whole', async () => {
    const bytes = Buffer.from(event(1, { label: 'ü' }));
    const cut = bytes.indexOf(0xc3) + 1;
    const base = await serve((_request, response) => {
      response.writeHead(200, NDJSON).write(bytes.subarray(0, cut), () => {
        setImmediate(() => response.end(bytes.subarray(cut)));
      });
    });
    expect((await fetchTrace(base)).value.events[0]?.event.label).toBe('ü');
  });

  test('a user in the URL travels as a header and is never shown', async () => {
    let authorization: string | undefined;
    const base = await serve((request, response) => {
      ({ authorization } = request.headers);
      answer('nope', {}, 401)(request, response);
    });
    const { diagnostics } = await fetchTrace(base.replace('//', '//user:p%40ss@'));
    expect(authorization).toBe(`Basic ${btoa('user:p@ss')}`);
    expect(JSON.stringify(diagnostics)).not.toMatch(/p@ss|p%40ss/);
    expect(codes(diagnostics)).toEqual(['TRC203']);
  });

  test.each<{ name: string; handler: Handler; code: string; says: RegExp }>([
    { name: 'not found', handler: answer('', {}, 404), code: 'TRC203', says: /answered with 404/ },
    { name: 'an error of the server', handler: answer('', {}, 500), code: 'TRC203', says: /answered with 500/ },
    { name: 'gone', handler: answer('', {}, 410), code: 'TRC210', says: /no longer holds/ },
    {
      name: 'a page',
      handler: answer('<html>', { 'content-type': 'text/html' }),
      code: 'TRC204',
      says: /"text\/html", which is not a trace/,
    },
    {
      name: 'a page that is called a trace',
      handler: answer('\n<!DOCTYPE html>\n<html>\n'),
      code: 'TRC204',
      says: /a text that is no trace: it begins with "<!DOCTYPE html>"$/,
    },
    {
      name: 'a log',
      handler: answer(`INFO started\n${event(1)}`),
      code: 'TRC204',
      says: /begins with "INFO started"$/,
    },
    {
      name: 'bytes that are no text',
      handler: (_request, response) => {
        response.writeHead(200, NDJSON).end(Buffer.from([0x7b, 0xff, 0x7d]));
      },
      code: 'TRC204',
      says: /no UTF-8/,
    },
    {
      name: 'redirections without end',
      handler: (request, response) => {
        response.writeHead(302, { location: `${request.url ?? ''}x` }).end();
      },
      code: 'TRC201',
      says: /redirect/,
    },
    {
      name: 'a connection that breaks in the middle',
      handler: (_request, response) => {
        response.writeHead(200, NDJSON).write(event(1), () => response.destroy());
      },
      code: 'TRC201',
      says: /failed \(UND_ERR_SOCKET\)/,
    },
    {
      name: 'a body that is too big',
      handler: answer(event(1).repeat(100)),
      code: 'TRC205',
      says: /bigger than the 1000 bytes/,
    },
    { name: 'nothing', handler: answer(''), code: 'TRC111', says: /no events/ },
    { name: 'bad lines', handler: answer(`${event(1)}nope\n`), code: 'TRC102', says: /not JSON/ },
  ])('$name is a diagnostic that names the URL', async ({ handler, code, says }) => {
    const base = await serve(handler);
    const { diagnostics } = await fetchTrace(base, { bytesMax: 1000 });
    expect(codes(diagnostics)).toEqual([code]);
    expect(diagnostics[0]).toMatchObject({ severity: 'error', file: `${base}/trace` });
    expect(diagnostics[0]?.message).toMatch(says);
    expect(diagnostics[0]?.hint).not.toBe('');
  });

  test('an endpoint that never answers is given up after the time-out', async () => {
    const base = await serve(() => undefined);
    const { diagnostics } = await fetchTrace(base, { timeoutMs: 20 });
    expect(codes(diagnostics)).toEqual(['TRC202']);
  });

  test('nobody listening is a diagnostic', async () => {
    const base = await serve(answer(''));
    servers.pop()?.close();
    const { diagnostics } = await fetchTrace(base);
    expect(diagnostics).toMatchObject([{ code: 'TRC201', message: `GET ${base}/trace failed (ECONNREFUSED)` }]);
  });

  test('an interruption is a diagnostic', async () => {
    const base = await serve(() => undefined);
    expect(codes((await fetchTrace(base, { signal: AbortSignal.abort() })).diagnostics)).toEqual(['TRC208']);
  });

  test.each(['', 'localhost:80', 'ftp://host/trace', 'file:///etc/passwd', 'http://'])(
    'the endpoint "%s" is refused',
    async (endpoint) => {
      expect(codes((await fetchTrace(endpoint)).diagnostics)).toEqual(['TRC206']);
    },
  );

  test('of too many events the first are kept', async () => {
    const base = await serve(answer(event(1) + event(2) + event(3)));
    const { value, diagnostics } = await fetchTrace(base, { eventsMax: 2 });
    expect(value.events).toHaveLength(2);
    expect(codes(diagnostics)).toEqual(['TRC110']);
  });
});

describe('pollTrace', () => {
  /** A clock whose waits take no time, and the pages that an endpoint serves in turn; it stays at the last one. */
  const polled = async (pages: readonly (string | Handler)[], options: object = {}) => {
    const asked: string[] = [];
    let now = 0;
    const clock: Clock = {
      now: () => now,
      wait: (ms) => {
        now += ms;
        return Promise.resolve();
      },
    };
    const base = await serve((request, response) => {
      const page = pages[Math.min(asked.length, pages.length - 1)] ?? '';
      asked.push(request.url ?? '');
      (typeof page === 'string' ? answer(page) : page)(request, response);
    });
    const { value, diagnostics } = await pollTrace(base, { clock, ...options });
    const seqs = value.events.map(({ event: { seq } }) => seq);
    return { seqs, ended: value.ended, asked, now, codes: codes(diagnostics), diagnostics };
  };

  test('asks for what came after, until the end marker', async () => {
    expect(await polled([event(1) + event(2), '', event(3) + END])).toMatchObject({
      seqs: [1, 2, 3],
      ended: true,
      codes: [],
      asked: ['/trace', '/trace?after=2', '/trace?after=2'],
    });
  });

  test('an endpoint that serves everything again adds nothing twice', async () => {
    const start = `{"kind":"begin"}\n${event(1, { id: 'a' })}`;
    expect(await polled([start, start + event(2), start + event(2) + END])).toMatchObject({
      seqs: [1, 2],
      ended: true,
      codes: [],
    });
  });

  test('what is no trace is told once, and not asked for again', async () => {
    expect(await polled(['<!DOCTYPE html>'])).toMatchObject({ codes: ['TRC204'], asked: ['/trace'] });
    expect(await polled([event(1), '<!DOCTYPE html>'])).toMatchObject({
      seqs: [1],
      codes: ['TRC204'],
      asked: ['/trace', '/trace?after=1'],
    });
  });

  test('a page with an error is the last one', async () => {
    expect(await polled([event(1), `${event(2)}{"seq":3}\n`, event(4)])).toMatchObject({
      seqs: [1, 2],
      codes: ['TRC105', 'TRC105', 'TRC105', 'TRC105'],
      asked: ['/trace', '/trace?after=1'],
    });
  });

  test('pages may be JSON arrays, and lines are counted on', async () => {
    expect(await polled([`[${event(1)}]`, `[${event(2)},${END}]`])).toMatchObject({
      seqs: [1, 2],
      ended: true,
      codes: [],
    });
  });

  test('without an end marker it settles once it is quiet, and the trace has not ended', async () => {
    expect(await polled([event(1), ''], { quietMs: 1000, intervalMs: 100 })).toMatchObject({
      seqs: [1],
      ended: false,
      codes: [],
      now: 1000,
    });
  });

  test('a trace that never stops growing is taken as it stands, with a warning', async () => {
    let seq = 0;
    const grow: Handler = (request, response) => {
      answer(event(++seq))(request, response);
    };
    const result = await polled([grow], { pollMs: 1000, intervalMs: 100 });
    expect(result).toMatchObject({ ended: false, codes: ['TRC209'], now: 1000 });
    expect(result.seqs).toHaveLength(11);
    expect(result.diagnostics[0]?.severity).toBe('warning');
  });

  test('a system that goes away leaves what it told, with a warning', async () => {
    const die: Handler = (request) => request.socket.destroy();
    const result = await polled([event(1), die]);
    expect(result).toMatchObject({ seqs: [1], ended: false, codes: ['TRC201'] });
    expect(result.diagnostics[0]?.severity).toBe('warning');
    expect((await polled([die])).diagnostics[0]?.severity).toBe('error');
  });

  test('what is read is bounded over all pages', async () => {
    let seq = 0;
    const grow: Handler = (request, response) => {
      answer(event(++seq))(request, response);
    };
    expect((await polled([grow], { bytesMax: 250 })).codes).toEqual(['TRC205']);
    expect((await polled([grow], { eventsMax: 3 })).codes).toEqual(['TRC110']);
  });

  test('an interruption ends it', async () => {
    const controller = new AbortController();
    const stop: Handler = (request, response) => {
      controller.abort();
      answer(event(1))(request, response);
    };
    expect((await polled([stop], { signal: controller.signal })).codes).toEqual(['TRC208']);
  });
});

describe('pollRecords', () => {
  const kept = (): { readonly lines: string[]; readonly keep: (text: string) => Promise<boolean> } => {
    const lines: string[] = [];
    return { lines, keep: (text) => (lines.push(...text.trim().split('\n')), Promise.resolve(true)) };
  };
  const linesOf = (...texts: readonly string[]): readonly string[] => texts.map((text) => text.trim());

  test('hands on what is new as it came, a record a line, and keeps no event', async () => {
    const pages = [
      `[${event(1)},\n{"seq":2,\n"from":"A","to":"B","kind":"call","label":"x"}]`,
      event(2) + event(3) + END,
    ];
    const url = await serve((request, response) => {
      answer(pages.shift() ?? '')(request, response);
    });
    const { lines, keep } = kept();
    const polled = await pollRecords(url, { keep }, { intervalMs: 0 });
    expect(polled).toEqual({ source: `${url}/trace`, ended: true, diagnostics: [] });
    const second = '{"seq":2, "from":"A","to":"B","kind":"call","label":"x"}';
    expect(lines).toEqual(linesOf(event(1), second, event(3), END));
  });

  test('says what is wrong with a record, and that the system went away', async () => {
    const broken = await serve(answer(`{"seq":1}\n${END}`));
    expect(codes((await pollRecords(broken, kept())).diagnostics)).toEqual(['TRC105', 'TRC105', 'TRC105', 'TRC105']);
    let isFirst = true;
    const gone = await serve((request, response) => {
      if (!isFirst) request.socket.destroy();
      else answer(event(1))(request, response);
      isFirst = false;
    });
    const polled = await pollRecords(gone, kept(), { intervalMs: 0 });
    expect(polled.diagnostics).toMatchObject([{ code: 'TRC201', severity: 'warning' }]);
  });

  test('stops where no more is taken, and blames nothing in the trace', async () => {
    const url = await serve(answer(event(1) + event(2) + END));
    const polled = await pollRecords(url, { keep: () => Promise.resolve(false) });
    expect(polled).toEqual({ source: `${url}/trace`, ended: false, diagnostics: [] });
  });

  test('without events is for the reader of the lines to tell', async () => {
    const { lines, keep } = kept();
    expect((await pollRecords(await serve(answer(END)), { keep })).diagnostics).toEqual([]);
    expect(lines).toEqual(linesOf(END));
  });
});
