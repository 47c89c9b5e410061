import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import express from 'express';
import type { Request, Response, Router } from 'express';
import { EventStream } from './event-stream.ts';
import type { Recorder, TraceLine, TraceReading } from './types.ts';

const NDJSON = 'application/x-ndjson';
const EVENT_STREAM = 'text/event-stream';
/** Lines that are put together for one write. */
const LINES_PER_CHUNK = 500;
/** Open event streams at one time. */
const STREAMS_MAX = 64;

/**
 * The trace endpoint: `GET /trace` (lines of JSON in seq order; `?after=<seq>`, ETag), the same as server-sent events with
 * `Accept: text/event-stream`, and `DELETE /trace`, which starts a new run. A line that was served does not change later: what is in flight is held back
 * until it has arrived, or has not for a while (`settleMs`).
 */
export function traceRouter(recorder: Recorder): Router {
  const router = express.Router();
  const streams = new Set<EventStream>();
  router
    .route('/trace')
    .get((request, response) => serveTrace(recorder, streams, request, response))
    .delete((_request, response) => {
      recorder.reset();
      response.status(204).end();
    })
    .all((_request, response) => {
      response.set('Allow', 'GET, HEAD, DELETE');
      problem(response, 405, 'method-not-allowed', 'The trace can be read (GET) and begun anew (DELETE)');
    });
  return router;
}

/** A server of its own for the trace. */
export function createTraceEndpoint(recorder: Recorder): {
  /** Port 0 (default): any that is free. `url` is what `/trace` is appended to. */
  listen(port?: number, host?: string): Promise<{ readonly url: string; close(): Promise<void> }>;
} {
  return {
    listen: async (port = 0, host = '127.0.0.1') => {
      const app = express().disable('x-powered-by').disable('etag').use(traceRouter(recorder));
      app.use((_request, response) => {
        problem(response, 404, 'not-found', 'Only /trace is here');
      });
      const server = createServer(app);
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen(port, host, resolve);
      });
      const { address, port: bound, family } = server.address() as AddressInfo;
      return {
        url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`,
        close: () =>
          new Promise<void>((resolve) => {
            server.close(() => {
              resolve();
            });
            // Readers of event streams would keep it open for ever.
            server.closeAllConnections();
          }),
      };
    },
  };
}

type Cursor =
  { readonly ok: true; readonly after: number | undefined } | { readonly ok: false; readonly detail: string };

async function serveTrace(
  recorder: Recorder,
  streams: Set<EventStream>,
  request: Request,
  response: Response,
): Promise<void> {
  const cursor = cursorOf(request);
  if (!cursor.ok) {
    problem(response, 400, 'bad-parameter', 'The request has a parameter that means nothing', cursor.detail);
    return;
  }
  const reading = recorder.read({
    settledOnly: true,
    ...(cursor.after === undefined ? {} : { after: cursor.after }),
  });
  if (reading.kind === 'gone') {
    problem(
      response,
      410,
      'cursor-gone',
      'The trace cannot go on from here; read it from the beginning',
      reading.detail,
    );
    return;
  }
  response.set('Cache-Control', 'no-cache').vary('Accept');
  if (request.accepts([NDJSON, EVENT_STREAM]) === EVENT_STREAM) serveStream(recorder, streams, cursor.after, response);
  else await serveLines(reading, cursor.after, request, response);
}

/** `after`, or what a reconnecting event source says it has seen last. */
function cursorOf(request: Request): Cursor {
  const parameters = new URL(request.originalUrl, 'http://trace.invalid').searchParams;
  const unknown = [...parameters.keys()].find((key) => key !== 'after');
  if (unknown !== undefined)
    return { ok: false, detail: `There is no parameter ${JSON.stringify(unknown)}; there is "after".` };
  const given = parameters.getAll('after');
  if (given.length > 1) return { ok: false, detail: '"after" is given more than once.' };
  const text = request.get('Last-Event-ID') ?? given[0];
  if (text === undefined) return { ok: true, after: undefined };
  if (!/^[0-9]{1,15}$/.test(text)) return { ok: false, detail: '"after" must be the seq of an event: a whole number.' };
  return { ok: true, after: Number(text) };
}

async function serveLines(
  reading: Extract<TraceReading, { kind: 'lines' }>,
  after: number | undefined,
  request: Request,
  response: Response,
): Promise<void> {
  const { run, lines } = reading;
  // Beside what was recorded, the passing of time lets further lines out: where they end is part of it.
  response.set('ETag', `"${run}.${reading.version}.${after ?? 'all'}.${lines.at(-1)?.seq ?? 'none'}"`);
  response.status(200).type(NDJSON);
  if (request.fresh) {
    response.status(304).end();
    return;
  }
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  try {
    await pipeline(Readable.from(chunksOf(lines)), response);
  } catch (error) {
    // A reader that leaves early is no fault.
    if (!response.destroyed) throw error;
  }
}

function* chunksOf(lines: readonly TraceLine[]): Generator<string> {
  for (let start = 0; start < lines.length; start += LINES_PER_CHUNK) {
    const chunk = lines.slice(start, start + LINES_PER_CHUNK);
    yield chunk.map((line) => `${JSON.stringify(line)}\n`).join('');
  }
}

function serveStream(
  recorder: Recorder,
  streams: Set<EventStream>,
  after: number | undefined,
  response: Response,
): void {
  if (streams.size >= STREAMS_MAX) {
    problem(response, 503, 'too-many-streams', `More than ${STREAMS_MAX} readers follow the trace`);
    return;
  }
  const seenAll = recorder.read({ settledOnly: true, ...(after === undefined ? {} : { after }) });
  if (recorder.isFinished() && seenAll.kind === 'lines' && seenAll.lines.length === 0) {
    // This tells an event source not to come again.
    response.status(204).end();
    return;
  }
  response.status(200).type(EVENT_STREAM).flushHeaders();
  const stream = new EventStream(recorder, response, after);
  streams.add(stream);
  response.once('close', () => {
    stream.close();
    streams.delete(stream);
  });
  stream.start();
}

/** RFC 9457. */
function problem(response: Response, status: number, type: string, title: string, detail?: string): void {
  response
    .status(status)
    .type('application/problem+json')
    .end(
      JSON.stringify({
        type: `urn:asdrawn:problem:${type}`,
        title,
        status,
        ...(detail === undefined ? {} : { detail }),
      }),
    );
}
