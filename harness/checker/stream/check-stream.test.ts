import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compileContract, readBinding, type Contract } from '../../contract/index.ts';
import { readDocument } from '../../dialects/index.ts';
import { arbitraryCase, SOME_PARENTS, withoutIgnored, withParents } from '../../testing/index.ts';
import { readTraceText, type Trace } from '../../trace/index.ts';
import type { SpecVerdict } from '../../verdict/index.ts';
import { check } from '../check.ts';
import { checkStream, type ByteSource } from './index.ts';

const CASES = Number(process.env['STREAM_CASES'] ?? 400);
const SEED = 20_261_215;
const SOURCE = 'trace.ndjson';

function ndjsonOf({ events, begun, ended }: Trace): string {
  const lines = events.map(({ event }) => JSON.stringify(event));
  return [...(begun ? ['{"kind":"begin"}'] : []), ...lines, ...(ended ? ['{"kind":"end"}'] : []), ''].join('\n');
}

/** The text as bytes, a few at a time, in a buffer that is used again. */
function sourceOf(text: string): ByteSource {
  const bytes = new TextEncoder().encode(text);
  return {
    name: SOURCE,
    read: async function* () {
      const part = new Uint8Array(997);
      for (let from = 0; from < bytes.length; from += part.length) {
        const next = bytes.subarray(from, from + part.length);
        part.set(next);
        yield await Promise.resolve(part.subarray(0, next.length));
      }
    },
  };
}

async function streamed(contract: Contract, text: string): Promise<SpecVerdict | null> {
  const { verdicts, diagnostics } = await checkStream([contract], sourceOf(text), {
    complete: true,
    bounds: { idsMax: text.length < 1_000_000 ? 4_096 : 65_536 },
  });
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return verdicts[0] ?? null;
}

const whole = (contract: Contract, text: string): SpecVerdict =>
  check(contract, readTraceText(text, SOURCE).value, { complete: true });

describe('a streamed verdict', () => {
  test.each([
    ['as they are', fc.constant([])],
    ['some of which have their key from a parent', SOME_PARENTS],
  ])(`is that of the whole checker, on ${CASES} cases of seed ${SEED}, their events %s`, async (_what, parents) => {
    let [same, failing, left] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(arbitraryCase(), fc.boolean(), parents, async ({ contract, events }, begun, picks) => {
        const text = ndjsonOf({ events: withParents(events, picks), begun, ended: true });
        if (events.length === 0) return;
        const verdict = await streamed(contract, text);
        if (verdict === null) {
          left++;
          return;
        }
        expect(verdict).toEqual(withoutIgnored(whole(contract, text)));
        if (verdict.outcome === 'conforms') same++;
        else failing++;
      }),
      { seed: SEED, numRuns: CASES },
    );
    expect(Math.min(same, failing)).toBeGreaterThan(CASES / 10);
    expect(left).toBeLessThan(CASES / 4);
  });
});

describe('a trace that turns out to be linked otherwise than it began', () => {
  const [diagram] = readDocument(
    'sequenceDiagram\nClient->>Shop: POST /orders\nShop->>Bank: POST /charges\nBank-->>Shop: 201\nShop-->>Client: 201\n',
    'shop.mmd',
  ).value;
  const binding = readBinding('instance: [order]\nparameters:\n  order: shop.order\n', 'shop.bindings.yaml').value;
  if (diagram === undefined) throw new Error('the drawing of a test is not read');
  const contract = compileContract(diagram, binding).value;

  /** So many orders that the first events, which are read beforehand, are all alike. */
  function orders(parentOf: (order: number) => string, replyOf: (id: string) => string): string {
    const count = 22_000;
    let seq = 0;
    const rows: string[] = ['{"kind":"begin"}'];
    const add = (order: number, rest: string): void => {
      rows.push(`{"seq":${++seq},${rest},"attributes":{"shop.order":"o${order}","note":"${'.'.repeat(60)}"}}`);
    };
    for (let order = 0; order < count; order++)
      add(order, `"from":"Client","to":"Shop","kind":"call","label":"POST /orders","id":"a${order}"`);
    for (let order = 0; order < count; order++) {
      add(order, `"from":"Shop","to":"Bank","kind":"call","label":"POST /charges","id":"c${order}"${parentOf(order)}`);
      add(order, `"from":"Bank","to":"Shop","kind":"reply","label":"201"${replyOf(`c${order}`)}`);
      add(order, `"from":"Shop","to":"Client","kind":"reply","label":"201"${replyOf(`a${order}`)}`);
    }
    return [...rows, '{"kind":"end"}', ''].join('\n');
  }

  const served = (last: number): string =>
    orders(
      (order) => `,"parent":"${order === 21_999 ? `a${last}` : `a${order}`}"`,
      (id) => `,"replyTo":"${id}"`,
    );

  test('with parents that come late is judged with them', async () => {
    const text = served(21_999).replace(
      '"label":"POST /charges","id":"c21998"',
      '"label":"POST /refunds","id":"c21998"',
    );
    expect(await streamed(contract, text)).toEqual(whole(contract, text));
  });

  test('with a message that serves a call that was answered already is left to the whole checker', async () => {
    const text = served(0);
    expect(await streamed(contract, text)).toBeNull();
    const { instances } = whole(contract, text);
    expect(instances.flatMap(({ violations }) => violations.map(({ text: told }) => told))).toEqual([
      '"POST /charges" (shop.mmd:3) serves a call that was answered already, of another run',
    ]);
  });
});

describe('an event of several instances that follows one that is over', () => {
  const [diagram] = readDocument(
    'sequenceDiagram\nUser->>Api: deploy\nApi->>Node: run\nNode->>Api: done\n',
    'deploy.mmd',
  ).value;
  if (diagram === undefined) throw new Error('the drawing of a test is not read');
  const contract = compileContract(
    diagram,
    readBinding('parameters:\n  pod: pod\n', 'deploy.bindings.yaml').value,
  ).value;

  const rows = (...steps: readonly string[]): string => {
    const ends: Record<string, string> = { deploy: 'User Api', run: 'Api Node', done: 'Node Api' };
    const lines = steps.map((step, index) => {
      const [label = '', pod] = step.split(' ');
      const [from, to] = (ends[label] ?? '').split(' ');
      const attributes = pod === undefined ? {} : { attributes: { pod } };
      return JSON.stringify({ seq: index + 1, from, to, kind: 'async', label, ...attributes });
    });
    return ['{"kind":"begin"}', ...lines, '{"kind":"end"}', ''].join('\n');
  };
  const text = rows('deploy', 'run a', 'done a', 'deploy', 'run b', 'done b');

  test('is left to the whole checker, which knows what the others took', async () => {
    const { verdicts, reasons } = await checkStream([contract], sourceOf(text), { complete: true });
    expect(verdicts).toEqual([null]);
    expect(reasons).toEqual(['events of several instances may have begun a run']);
    expect(whole(contract, text).outcome).toBe('conforms');
  });

  test('in a trace that is too long for that begins a run, unless an instance that is judged again took it', async () => {
    const long = { complete: true, bounds: { wholeMax: 3 } };
    const runsOf = async (trace: string): Promise<unknown> =>
      (await checkStream([contract], sourceOf(trace), long)).verdicts[0]?.instances.map(
        ({ key, run, outcome }) => `${key['pod'] ?? ''}${run} ${outcome}`,
      );
    expect(await runsOf(text)).toEqual(['a1 conforms', 'b1 conforms']);
    const lone = rows('deploy', 'run a', 'done a', 'deploy');
    expect(await runsOf(lone)).toEqual(['a1 conforms', 'a2 violates']);
  });
});

describe('an event that could be several arrows', () => {
  const drawings = {
    'branches that begin alike': 'alt ok\nA->>C: log\nA->>C: done\nelse bad\nA->>C: log\nA->>C: alarm\nend',
    'an option that looks like what follows': 'opt\nA->>B: log\nend\nA->>B: log\nA->>B: done',
    'two loops of the same': 'alt\nloop\nA->>B: log\nend\nA->>B: done\nelse\nloop\nA->>B: log\nend\nA->>B: alarm\nend',
    'what begins alike in a loop':
      'loop\nalt\nA->>B: log\nA->>B: done\nelse\nA->>B: log\nA->>B: alarm\nend\nend\nA->>B: log',
  };
  const logs = (count: number, last: string): string[] => [...Array.from({ length: count }, () => 'log'), last];
  const runs = [
    ...[1, 2, 300, 700].flatMap((count) => [logs(count, 'done'), logs(count, 'alarm')]),
    ['log'],
    ['log', 'alarm', 'log', 'done', 'log'],
    ['log', 'done', 'log', 'alarm', 'log', 'alarm', 'log'],
  ];

  test.each(Object.entries(drawings))('counts for the one that the whole checker finds: %s', async (_name, text) => {
    const [diagram] = readDocument(`sequenceDiagram\n${text}\n`, 'alike.mmd').value;
    if (diagram === undefined) throw new Error('the drawing of a test is not read');
    const binding = readBinding('parameters:\n  job: job\n', 'alike.bindings.yaml').value;
    const contract = compileContract(diagram, binding).value;
    const to = text.includes('A->>C') ? 'C' : 'B';
    // All instances at once, one event of each in turn.
    const rows = Array.from({ length: 701 }, (_, step) =>
      runs.flatMap((run, job) => (run[step] === undefined ? [] : [{ label: run[step], job }])),
    ).flat();
    const lines = rows.map(({ label, job }, index) =>
      JSON.stringify({
        ...{ seq: index + 1, from: 'A', to, kind: 'async', label, attributes: { job: `j${job}` } },
        ...{ time: index, receivedTime: index + job },
      }),
    );
    const trace = ['{"kind":"begin"}', ...lines, '{"kind":"end"}', ''].join('\n');
    const verdict = await streamed(contract, trace);
    expect(verdict).toEqual(withoutIgnored(whole(contract, trace)));
    for (const { events, latencyMs } of verdict?.arrows ?? []) expect(latencyMs !== undefined).toBe(events > 0);
    const taken = verdict?.instances.filter(({ outcome }) => outcome === 'conforms').map((one) => one.taken) ?? [];
    expect(new Set(taken.map((one) => Object.keys(one).join())).size).toBeGreaterThan(1);
  });
});

test('a call answered with another status than the solid arrow back names is told as that, with its reply', async () => {
  const [diagram] = readDocument('sequenceDiagram\nA->>B: put\nB->>A: 201\n', 'solid.mmd').value;
  if (diagram === undefined) throw new Error('the drawing of a test is not read');
  const contract = compileContract(
    diagram,
    readBinding('parameters:\n  job: job\n', 'solid.bindings.yaml').value,
  ).value;
  const lines = [201, 500, 201].flatMap((status, job) => [
    { seq: 2 * job + 1, from: 'A', to: 'B', kind: 'call', label: 'put', id: `${job}`, attributes: { job: `j${job}` } },
    { seq: 2 * job + 2, from: 'B', to: 'A', kind: 'reply', label: 'told', replyTo: `${job}`, status },
  ]);
  const trace = ['{"kind":"begin"}', ...lines.map((line) => JSON.stringify(line)), '{"kind":"end"}', ''].join('\n');
  const verdict = await streamed(contract, trace);
  expect(verdict).toEqual(withoutIgnored(whole(contract, trace)));
  const told = verdict?.instances.map(({ violations }) => violations.map(({ text }) => text).join());
  expect(told).toEqual([
    '',
    '"put" (solid.mmd:2) was answered with status 500 (event in line 5), where "201" (solid.mmd:3) is drawn',
    '',
  ]);
});

test('errors that a reply without a text is, and times that go backwards, are remarked as by the whole checker', async () => {
  const [diagram] = readDocument('sequenceDiagram\nA->>B: put\nB-->>A:\n', 'blank.mmd').value;
  if (diagram === undefined) throw new Error('the drawing of a test is not read');
  const binding = readBinding('parameters:\n  job: job\n', 'blank.bindings.yaml').value;
  const contract = compileContract(diagram, binding).value;
  const lines = [200, 503, undefined, 500, 503].flatMap((status, job) => [
    {
      ...{ seq: 2 * job + 1, from: 'A', to: 'B', kind: 'call', label: 'put', id: `${job}` },
      ...{ time: 100 * job, receivedTime: 101 * job - 2, attributes: { job: `j${job}` } },
    },
    { seq: 2 * job + 2, from: 'B', to: 'A', kind: 'reply', label: 'told', replyTo: `${job}`, status },
  ]);
  const trace = ['{"kind":"begin"}', ...lines.map((line) => JSON.stringify(line)), '{"kind":"end"}', ''].join('\n');
  const verdict = await streamed(contract, trace);
  expect(verdict).toEqual(withoutIgnored(whole(contract, trace)));
  expect(verdict?.remarks).toEqual([
    'line 2 "put" was answered by an error 3 times (503, 500); its reply (line 3) is drawn without a text',
    'by its clock received before it was sent: "put" (blank.mmd:2); no latency is told of such events',
  ]);
  expect(verdict?.arrows.map(({ latencyMs }) => latencyMs)).toEqual([{ p50: 1, p95: 2, max: 2 }, undefined]);
});
