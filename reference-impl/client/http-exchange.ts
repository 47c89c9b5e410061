import { type Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { StringDecoder } from 'node:string_decoder';

/** A request as it goes on the wire. */
export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly agent: Agent;
  readonly signal: AbortSignal;
  /** Silence on the connection for so long breaks it. */
  readonly silenceMaxMs: number;
}

/** Longer answers and watch lines than this are refused: nothing in this API comes near. */
const TEXT_MAX = 64 * 1024 * 1024;

/** Sends a request; resolves when the head of the response is there. */
export function open(wire: WireRequest): Promise<IncomingMessage> {
  const { method, url, headers, body, agent, signal, silenceMaxMs } = wire;
  return new Promise((resolve, reject) => {
    const outgoing: ClientRequest = request(url, {
      method,
      agent,
      signal,
      timeout: silenceMaxMs,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }) },
    });
    outgoing.once('response', resolve);
    // Stays for the whole exchange: an abort during the body is told here as well.
    outgoing.on('error', reject);
    outgoing.once('timeout', () => {
      outgoing.destroy(new Error(`nothing was heard for ${silenceMaxMs} ms`));
    });
    outgoing.end(body);
  });
}

/** The whole body as text. */
export async function readText(response: IncomingMessage): Promise<string> {
  const decoder = new StringDecoder('utf8');
  let text = '';
  for await (const chunk of response as AsyncIterable<Buffer>) {
    text += decoder.write(chunk);
    if (text.length > TEXT_MAX) throw new Error(`the answer is longer than ${TEXT_MAX} characters`);
  }
  return text + decoder.end();
}

/**
 * Hands over each line of a body as soon as it is complete; resolves when the body ends. Lines that arrive together are
 * handed over in one step, so that a queue behind them can coalesce.
 */
export async function readLines(response: IncomingMessage, onLine: (line: string) => void): Promise<void> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of response as AsyncIterable<Buffer>) {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > TEXT_MAX) throw new Error(`a line is longer than ${TEXT_MAX} characters`);
    for (const line of lines) if (line !== '') onLine(line);
  }
}
