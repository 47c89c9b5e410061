import { hasErrors, type Diagnostic, type Read } from '../diagnostics/index.ts';
import { toDiagnostic } from './findings.ts';
import type { Finding } from './findings.ts';
import { createPagedReader } from './read-trace.ts';
import type { PagedReader } from './read-trace.ts';
import type { Trace, TraceEvent } from './types.ts';

export interface FetchTraceOptions {
  readonly signal?: AbortSignal;
  /** For the whole answer; default 10,000. */
  readonly timeoutMs?: number;
  /** Default 1,000,000. */
  readonly eventsMax?: number;
  /** Of the answer's body, after decompression; default 256 MiB. */
  readonly bytesMax?: number;
}

export interface PollTraceOptions extends FetchTraceOptions {
  /** A trace without an end marker is taken as it stands once nothing was added for so long; default 2,000. */
  readonly quietMs?: number;
  /** Between two requests; default 250. */
  readonly intervalMs?: number;
  /** For everything together; default 30,000. A trace that still grows then is taken as it stands, with a warning. */
  readonly pollMs?: number;
  /** The clock, for tests. */
  readonly clock?: Clock;
}

export interface Clock {
  /** Milliseconds from any fixed point. */
  now(): number;
  /** Waits, or less long when the signal fires; never rejects. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

const TIMEOUT_MS = 10_000;
const BYTES_MAX = 256 * 1024 * 1024;
const QUIET_MS = 2_000;
const INTERVAL_MS = 250;
const POLL_MS = 30_000;

const ACCEPT = 'application/x-ndjson, application/jsonl;q=0.9, application/json-seq;q=0.8, application/json;q=0.7';
const CONTENT_TYPES = new Set([
  'application/x-ndjson',
  'application/ndjson',
  'application/jsonl',
  'application/x-jsonlines',
  'application/json-seq',
  'application/json',
  'application/octet-stream',
  'text/plain',
]);

/**
 * Reads the trace of a system from its endpoint: GET `<endpoint>/trace`, or the URL itself where its path ends in `/trace`.
 * Whatever goes wrong is a diagnostic that names the URL; it never throws.
 */
export async function fetchTrace(endpoint: string, options: FetchTraceOptions = {}): Promise<Read<Trace>> {
  const target = traceUrl(endpoint);
  if (target.kind === 'bad') return failed(target.diagnostic);
  const reader = createPagedReader(target.source, limitsOf(options), () => true);
  const page = await fetchPage(target, target.url, options, { reader, bytesLeft: bytesMax(options) });
  if (page.kind === 'failed') return withFailure(reader.end(), page.diagnostic);
  return reader.end();
}

/**
 * Reads the trace of a running system page by page (`?after=<seq>`), until its end marker, or until it was quiet for a
 * while, or until the time is up. `ended` of the trace says which: only an end marker sets it.
 */
export async function pollTrace(endpoint: string, options: PollTraceOptions = {}): Promise<Read<Trace>> {
  const target = traceUrl(endpoint);
  if (target.kind === 'bad') return failed(target.diagnostic);
  const pages = createPageFilter();
  return poll(target, pages, createPagedReader(target.source, limitsOf(options), pages.accept), options);
}

/** Where the records of a trace are kept that is too long for the memory. */
export interface RecordKeeper {
  /** Takes the next lines, each one record. False: it takes no more. */
  readonly keep: (lines: string) => Promise<boolean>;
}

/** What is known of a trace whose records were kept elsewhere. */
export interface PolledRecords {
  /** What the trace is called: its URL, without user and password. */
  readonly source: string;
  /** By an end marker. */
  readonly ended: boolean;
  /** Errors, and whether the system went away or did not come to an end; what else is to be said the lines say again. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads a trace as `pollTrace` does, without its bound on events, and hands on what is new as one record a line. */
export async function pollRecords(
  endpoint: string,
  keeper: RecordKeeper,
  options: PollTraceOptions = {},
): Promise<PolledRecords> {
  const target = traceUrl(endpoint);
  if (target.kind === 'bad') return { source: target.diagnostic.file, ended: false, diagnostics: [target.diagnostic] };
  const pages = createPageFilter();
  const lines = createLines(keeper);
  const reader = createPagedReader(target.source, { eventsMax: Infinity }, pages.accept, lines.add);
  const polled = await poll(target, pages, { ...reader, isFull: lines.isRefused, flush: lines.flush }, options);
  // What was cut off there is no fault of the trace; its keeper knows why.
  if (lines.isRefused()) return { source: target.source, ended: false, diagnostics: [] };
  const diagnostics = polled.diagnostics.filter(
    (found) => TOLD_OF_POLLING.has(found.code) || (hasErrors([found]) && found.code !== 'TRC111'),
  );
  return { source: target.source, ended: polled.value.ended, diagnostics };
}

const TOLD_OF_POLLING: ReadonlySet<string> = new Set(['TRC201', 'TRC209']);

/** Gathers records until they can be handed on. */
function createLines({ keep }: RecordKeeper): {
  readonly add: (record: string) => void;
  readonly flush: () => Promise<void>;
  readonly isRefused: () => boolean;
} {
  let lines: string[] = [];
  let isRefused = false;
  return {
    add(record) {
      // A record of an array may go over several lines; no text of JSON does.
      lines.push(`${record.trim().replace(/[\r\n]+/gu, ' ')}\n`);
    },
    async flush() {
      if (lines.length === 0 || isRefused) return;
      const text = lines.join('');
      lines = [];
      isRefused = !(await keep(text));
    },
    isRefused: () => isRefused,
  };
}

/** A reader that is given time to hand on what it read. */
interface PollReader extends PagedReader {
  readonly flush?: () => Promise<void>;
}

async function poll(
  target: Target,
  pages: PageFilter,
  reader: PollReader,
  options: PollTraceOptions,
): Promise<Read<Trace>> {
  const clock = options.clock ?? SYSTEM_CLOCK;
  const deadline = clock.now() + (options.pollMs ?? POLL_MS);
  let bytesLeft = bytesMax(options);
  let lastGrowth = clock.now();
  const end = async (): Promise<Read<Trace>> => {
    const read = reader.end();
    await reader.flush?.();
    return read;
  };
  for (;;) {
    const page = await fetchPage(target, pages.next(target.url), options, { reader, bytesLeft });
    if (page.kind === 'failed') return withFailure(await end(), page.diagnostic, pages.count() > 0);
    reader.endPage();
    bytesLeft -= page.bytes;
    if (pages.hasGrown()) lastGrowth = clock.now();
    const isQuiet = clock.now() - lastGrowth >= (options.quietMs ?? QUIET_MS);
    // What is broken stays so, and would be told again with each page.
    if (reader.isEnded() || reader.isFull() || reader.isBroken() || isQuiet) return end();
    if (clock.now() >= deadline) return withFailure(await end(), stillGrowing(target, options));
    await clock.wait(options.intervalMs ?? INTERVAL_MS, options.signal);
  }
}

const bytesMax = (options: FetchTraceOptions): number => options.bytesMax ?? BYTES_MAX;
const limitsOf = ({ eventsMax }: FetchTraceOptions): { readonly eventsMax?: number } =>
  eventsMax === undefined ? {} : { eventsMax };

const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', done);
      if (signal?.aborted === true) done();
    }),
};

interface PageFilter {
  readonly accept: (event: TraceEvent) => boolean;
  /** The URL of the next page. */
  readonly next: (url: URL) => URL;
  /** Whether the last page held something new. */
  readonly hasGrown: () => boolean;
  readonly count: () => number;
}

/**
 * A simple endpoint ignores `after` and serves everything again; events up to the cursor are then known already. By the
 * protocol nothing new can come at or before the cursor, so they are left out without a word.
 */
function createPageFilter(): PageFilter {
  const seen = new Map<string, number>();
  const pageSeen = new Map<string, number>();
  let cursor: number | null = null;
  let accepted = 0;
  let acceptedBefore = 0;
  return {
    accept(event) {
      const domain = event.domain ?? '';
      if (event.seq <= (seen.get(domain) ?? -1)) return false;
      pageSeen.set(domain, Math.max(event.seq, pageSeen.get(domain) ?? -1));
      cursor = Math.max(event.seq, cursor ?? -1);
      accepted++;
      return true;
    },
    next(url) {
      for (const [domain, seq] of pageSeen) seen.set(domain, seq);
      acceptedBefore = accepted;
      if (cursor === null) return url;
      const page = new URL(url);
      page.searchParams.set('after', String(cursor));
      return page;
    },
    hasGrown: () => accepted > acceptedBefore,
    count: () => accepted,
  };
}

interface Target {
  readonly kind: 'good';
  readonly url: URL;
  /** The URL as it is shown: without user and password. */
  readonly source: string;
  readonly headers: Readonly<Record<string, string>>;
}

function traceUrl(endpoint: string): Target | { readonly kind: 'bad'; readonly diagnostic: Diagnostic } {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    const finding: Finding = {
      code: 'TRC206',
      message: `the endpoint ${JSON.stringify(withoutUserInfo(endpoint))} is not an http or https URL`,
      hint: 'write for example http://127.0.0.1:8080',
    };
    return { kind: 'bad', diagnostic: toDiagnostic(withoutUserInfo(endpoint), finding) };
  }
  if (!/\/trace\/?$/.test(url.pathname)) url.pathname = `${url.pathname.replace(/\/$/, '')}/trace`;
  // fetch refuses a URL with a user in it, so they travel in the header that they stand for.
  const headers: Record<string, string> = { accept: ACCEPT };
  if (url.username !== '' || url.password !== '') headers['authorization'] = `Basic ${basicCredentials(url)}`;
  url.username = '';
  url.password = '';
  url.hash = '';
  return { kind: 'good', url, source: url.href, headers };
}

const withoutUserInfo = (text: string): string => text.replace(/\/\/[^/@\s]*@/, '//');

function basicCredentials(url: URL): string {
  const bytes = new TextEncoder().encode(`${decoded(url.username)}:${decoded(url.password)}`);
  return btoa(String.fromCharCode(...bytes));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

interface PageSink {
  readonly reader: PollReader;
  readonly bytesLeft: number;
}

type Page =
  { readonly kind: 'read'; readonly bytes: number } | { readonly kind: 'failed'; readonly diagnostic: Diagnostic };

async function fetchPage(target: Target, url: URL, options: FetchTraceOptions, sink: PageSink): Promise<Page> {
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]);
  const fail = (finding: Finding): Page => ({ kind: 'failed', diagnostic: toDiagnostic(target.source, finding) });
  try {
    const response = await fetch(url, { headers: target.headers, signal });
    const refusal = refusalOf(response, target.source);
    if (refusal !== null) {
      await response.body?.cancel();
      return fail(refusal);
    }
    if (response.body === null) return { kind: 'read', bytes: 0 };
    return await readBody(response.body, target.source, sink, fail);
  } catch (error) {
    if (timeout.aborted) return fail(timedOut(target.source, timeoutMs));
    if (options.signal?.aborted === true) return fail(interrupted(target.source));
    return fail(unreachable(target.source, error));
  }
}

async function readBody(
  body: ReadableStream<Uint8Array>,
  source: string,
  sink: PageSink,
  fail: (finding: Finding) => Page,
): Promise<Page> {
  // Strict: a name whose bytes were replaced in silence would be another name.
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk?: Uint8Array): string | null => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch {
      return null;
    }
  };
  let bytes = 0;
  let isBegun = false;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the body, and with it the download.
    if (bytes > sink.bytesLeft) return fail(tooBig(sink.bytesLeft));
    const text = decode(chunk);
    if (text === null) return fail(notUtf8(source));
    const first: number = isBegun ? -1 : text.search(NO_BLANK);
    isBegun ||= first >= 0;
    if (first >= 0 && !JSON_BEGINS.has(text.charAt(first))) return fail(noTrace(source, text.slice(first)));
    sink.reader.push(text);
    await sink.reader.flush?.();
    if (sink.reader.isFull()) return { kind: 'read', bytes };
  }
  const rest = decode();
  if (rest === null) return fail(notUtf8(source));
  sink.reader.push(rest);
  return { kind: 'read', bytes };
}

const NO_BLANK = /[^\s\u001e\ufeff]/;
/** How a line of a trace begins, and an array of them. */
const JSON_BEGINS: ReadonlySet<string> = new Set(['{', '[']);

/** Why an answer cannot be read as a trace, or null. 204 and 304 are a page without news. */
function refusalOf(response: Response, source: string): Finding | null {
  const { status } = response;
  if (status === 204 || status === 304) return null;
  if (status === 410) {
    return {
      code: 'TRC210',
      message: `${source} no longer holds the events asked for (410 Gone)`,
      hint: 'the system keeps too few events: ask more often, or let it keep more',
    };
  }
  if (status !== 200) {
    return {
      code: 'TRC203',
      message: `GET ${source} was answered with ${status}, not 200`,
      hint:
        STATUS_HINTS.get(status) ?? 'the endpoint must serve the trace as one event a line; see docs/trace-format.md',
    };
  }
  const type = (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === '' || CONTENT_TYPES.has(type)) return null;
  return {
    code: 'TRC204',
    message: `GET ${source} was answered with ${JSON.stringify(type)}, which is not a trace`,
    hint: 'the endpoint must answer with application/x-ndjson; is this the right URL?',
  };
}

const STATUS_HINTS: ReadonlyMap<number, string> = new Map([
  [401, 'write the user into the URL: http://user:password@host'],
  [403, 'the endpoint refuses this user'],
  [404, 'does the system serve its trace under this path? The URL may also name the trace itself, ending in /trace'],
  [406, 'the endpoint must be able to answer with application/x-ndjson'],
  [503, 'the system is not ready yet'],
]);

const timedOut = (source: string, timeoutMs: number): Finding => ({
  code: 'TRC202',
  message: `GET ${source} was not answered in full within ${timeoutMs} ms`,
  hint: 'the endpoint must answer with what it has and close the answer, not wait for more events',
});

const interrupted = (source: string): Finding => ({
  code: 'TRC208',
  message: `reading ${source} was interrupted`,
  hint: 'run again to read it in full',
});

const tooBig = (bytes: number): Finding => ({
  code: 'TRC205',
  message: `the trace is bigger than the ${bytes} bytes that are read at most`,
  hint: 'check a shorter run, or write the trace to a file',
});

const notUtf8 = (source: string): Finding => ({
  code: 'TRC204',
  message: `GET ${source} was answered with bytes that are no UTF-8`,
  hint: 'JSON is UTF-8; is this the right URL?',
});

const noTrace = (source: string, text: string): Finding => ({
  code: 'TRC204',
  message: `GET ${source} was answered with a text that is no trace: it begins with ${JSON.stringify(text.slice(0, 40).split(/[\r\n]/)[0])}`,
  hint: 'the endpoint must answer with one JSON object a line; is this the right URL?',
});

const CAUSE_HINTS: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'nothing listens there: is the system running, and is this its port?'],
  ['ENOTFOUND', 'the host is not known: is its name right?'],
  ['EAI_AGAIN', 'the host is not known now: is the network there?'],
  ['ECONNRESET', 'the connection was closed in the middle: did the system stop?'],
  ['UND_ERR_SOCKET', 'the connection was closed in the middle: did the system stop?'],
]);

function unreachable(source: string, error: unknown): Finding {
  const { code, message } = causeOf(error);
  const why = code ?? message;
  return {
    code: 'TRC201',
    message: `GET ${source} failed${why === null ? '' : ` (${why})`}`,
    hint: CAUSE_HINTS.get(code ?? '') ?? 'is the system running, and is this its URL?',
  };
}

/**
 * The system's error code (else what it says) at the end of the chain of causes that fetch wraps it in. By shape, not by `instanceof`: the
 * errors of fetch may belong to another realm than ours (a worker, a test runner).
 */
function causeOf(error: unknown): { readonly code: string | null; readonly message: string | null } {
  let code: string | null = null;
  let message: string | null = null;
  let current = error;
  for (let depth = 0; depth < 8 && typeof current === 'object' && current !== null; depth++) {
    if ('code' in current && typeof current.code === 'string') code = current.code;
    if ('message' in current && typeof current.message === 'string' && current.message !== '') ({ message } = current);
    if ('errors' in current && Array.isArray(current.errors)) [current] = current.errors as readonly unknown[];
    else current = 'cause' in current ? current.cause : null;
  }
  return { code, message };
}

const stillGrowing = (target: Target, options: PollTraceOptions): Diagnostic =>
  toDiagnostic(target.source, {
    code: 'TRC209',
    severity: 'warning',
    message: `the trace was still growing after ${options.pollMs ?? POLL_MS} ms; it was taken as it stood`,
    hint: 'let the system write {"kind":"end"} when it is done, or wait longer (pollMs)',
  });

const failed = (diagnostic: Diagnostic): Read<Trace> => ({
  value: { events: [], begun: false, ended: false },
  diagnostics: [diagnostic],
});

/**
 * The failure stands first, and "no events" is left out: it would only say the same again. A system that went away after
 * it had told something leaves a trace that is not complete, which is for the verdict to say: a warning.
 */
function withFailure(read: Read<Trace>, failure: Diagnostic, toldSomething = false): Read<Trace> {
  const wentAway = toldSomething && failure.code === 'TRC201';
  const first: Diagnostic = wentAway ? { ...failure, severity: 'warning' } : failure;
  return { value: read.value, diagnostics: [first, ...read.diagnostics.filter(({ code }) => code !== 'TRC111')] };
}
