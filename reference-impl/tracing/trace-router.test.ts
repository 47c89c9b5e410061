import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import express from 'express';
import type { Express } from 'express';
import request from 'supertest';
import { createRecorder, createTraceEndpoint, traceRouter } from './index.ts';
import type { Message, Recorder, TraceLine } from './index.ts';

const message: Message = { from: 'A', to: 'B', kind: 'async', label: 'tell' };
const parse = (text: string): readonly TraceLine[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as TraceLine);

describe('trace endpoint', () => {
  let recorder: Recorder;
  let app: Express;

  beforeEach(() => {
    recorder = createRecorder();
    app = express().use(traceRouter(recorder));
  });

  test('the trace is lines of JSON in the order of seq, with its markers', async () => {
    recorder.pass(message);
    recorder.receiveOnly(message);
    recorder.finish();
    const response = await request(app)
      .get('/trace')
      .expect(200)
      .expect('Content-Type', /application\/x-ndjson/);
    expect(parse(response.text)).toMatchObject([
      { kind: 'begin', seq: 0 },
      { seq: 1, receivedSeq: 2, from: 'A', to: 'B', kind: 'async', label: 'tell', id: '1-1' },
      { seq: 3, point: 'receive' },
      { kind: 'end', seq: 4 },
    ]);
  });

  test('a cursor goes on after its position', async () => {
    for (let i = 0; i < 5; i++) recorder.receiveOnly(message);
    const response = await request(app).get('/trace?after=3').expect(200);
    expect(parse(response.text).map(({ seq }) => seq)).toEqual([4, 5]);
    await request(app).get('/trace?after=5').expect(200, '');
  });

  test('an unchanged trace is not sent again', async () => {
    recorder.pass(message);
    const first = await request(app).get('/trace').expect(200);
    const etag = first.headers['etag'] as string;
    const again = await request(app).get('/trace').set('If-None-Match', etag).expect(304);
    expect(again.text).toBe('');
    recorder.pass(message);
    await request(app).get('/trace').set('If-None-Match', etag).expect(200);
    await request(app).get('/trace?after=1').set('If-None-Match', etag).expect(200);
  });

  test('the tag of one run is not that of the next', async () => {
    recorder.pass(message);
    const first = await request(app).get('/trace').expect(200);
    recorder.reset();
    recorder.pass(message);
    await request(app)
      .get('/trace')
      .set('If-None-Match', first.headers['etag'] as string)
      .expect(200);
  });

  test('deleting begins a new run', async () => {
    recorder.pass(message);
    recorder.finish();
    await request(app).delete('/trace').expect(204, '');
    recorder.pass(message);
    const { text } = await request(app).get('/trace').expect(200);
    expect(parse(text)).toMatchObject([{ kind: 'begin' }, { seq: 1, id: '2-1' }]);
  });

  test('a line in flight is held back until it cannot change, and everything after it', async () => {
    recorder.pass(message);
    const id = recorder.send(message);
    recorder.pass(message);
    const held = await request(app).get('/trace').expect(200);
    expect(parse(held.text).map(({ seq }) => seq)).toEqual([0, 1]);
    recorder.receive(id);
    const rest = await request(app).get('/trace?after=1').expect(200);
    expect(parse(rest.text)).toMatchObject([{ seq: 3, receivedSeq: 6 }, { seq: 4 }]);
  });

  test.each([
    ['/trace?after=x', 400, 'bad-parameter'],
    ['/trace?after=-1', 400, 'bad-parameter'],
    ['/trace?after=1.5', 400, 'bad-parameter'],
    ['/trace?after=1&after=2', 400, 'bad-parameter'],
    ['/trace?since=1', 400, 'bad-parameter'],
    ['/trace?after=99', 410, 'cursor-gone'],
  ])('GET %s is refused with %i %s', async (path, status, type) => {
    recorder.pass(message);
    const response = await request(app)
      .get(path)
      .expect(status)
      .expect('Content-Type', /application\/problem\+json/);
    expect(JSON.parse(response.text)).toMatchObject({
      type: `urn:asdrawn:problem:${type}`,
      status,
      title: expect.stringMatching(/./),
    });
  });

  test('a cursor before what is kept is gone', async () => {
    recorder = createRecorder({ eventsMax: 3 });
    app = express().use(traceRouter(recorder));
    for (let i = 0; i < 9; i++) recorder.receiveOnly(message);
    await request(app).get('/trace?after=1').expect(410);
    const { text } = await request(app).get('/trace').expect(200);
    expect(parse(text)[0]).toMatchObject({ kind: 'problem' });
  });

  test('other methods are refused', async () => {
    await request(app).post('/trace').expect(405).expect('Allow', 'GET, HEAD, DELETE');
  });

  test('HEAD has the tag and no lines', async () => {
    const response = await request(app).head('/trace').expect(200);
    expect(response.headers['etag']).toBeDefined();
  });
});

describe('trace as server-sent events', () => {
  let recorder: Recorder;
  let endpoint: { readonly url: string; close(): Promise<void> };

  beforeEach(async () => {
    recorder = createRecorder();
    endpoint = await createTraceEndpoint(recorder).listen();
  });
  afterEach(async () => {
    await endpoint.close();
  });

  const follow = (headers: Record<string, string> = {}, path = '/trace'): Promise<Response> =>
    fetch(endpoint.url + path, { headers: { Accept: 'text/event-stream', ...headers } });

  test('what is recorded is told at once, and the stream ends with the trace', async () => {
    recorder.pass(message);
    const response = await follow();
    expect(response.headers.get('content-type')).toMatch(/text\/event-stream/);
    const text = response.text();
    recorder.pass(message);
    recorder.finish();
    const blocks = (await text).trim().split('\n\n');
    expect(blocks.map((block) => block.split('\n')[0])).toEqual(['id: 0', 'id: 1', 'id: 3', 'id: 5']);
    expect(blocks.at(-1)).toBe('id: 5\ndata: {"kind":"end","seq":5}');
  });

  test('a reader that comes again goes on where it was', async () => {
    for (let i = 0; i < 3; i++) recorder.receiveOnly(message);
    recorder.finish();
    const byHeader = await (await follow({ 'Last-Event-ID': '2' })).text();
    expect(byHeader.match(/^id: .*$/gm)).toEqual(['id: 3', 'id: 4']);
    const byQuery = await (await follow({}, '/trace?after=2')).text();
    expect(byQuery).toBe(byHeader);
  });

  test('after the end there is nothing to come again for', async () => {
    recorder.finish();
    expect((await follow({ 'Last-Event-ID': '1' })).status).toBe(204);
  });

  test('a new run ends the streams of the old one', async () => {
    recorder.pass(message);
    const response = await follow();
    let text = '';
    for await (const chunk of response.body!) {
      text += Buffer.from(chunk as Uint8Array).toString();
      if (text.includes('id: 1\n')) recorder.reset();
    }
    // The loop is left only because the stream ended.
    expect(text.match(/^id: .*$/gm)).toEqual(['id: 0', 'id: 1']);
  });

  test('a long trace comes whole', async () => {
    for (let i = 0; i < 3000; i++) recorder.receiveOnly(message);
    recorder.finish();
    const text = await (await follow()).text();
    expect(text.match(/^id: /gm)).toHaveLength(3002);
  });
});
