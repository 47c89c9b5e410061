import { STATUS_CODES } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { attributesOf, describeRequest, parseObjectPath, resourceNamed } from '../api/index.ts';
import type { Json, JsonObject, ObjectAttributes } from '../api/index.ts';
import { API_SERVER, participantOf, REPLY_ID_HEADER, REQUEST_ID_HEADER } from '../tracing/index.ts';
import type { Message, Recorder } from '../tracing/index.ts';
import type { Delays } from './delays.ts';
import { keyOf } from './keys.ts';
import type { OpenRequest } from './write-gate.ts';

/** One request and its answer, at this end of the wire: takes both down as they arrive and leave. */
export class Exchange {
  readonly participant: string;
  /** The event of the call. Empty until the request has arrived as a whole. */
  callId = '';
  readonly gate: OpenRequest;
  readonly #request: Request;
  readonly #response: Response;
  readonly #recorder: Recorder;
  readonly #replyDelays: Delays;
  #isTraced = false;
  #isReplied = false;

  constructor(
    request: Request,
    response: Response,
    gate: OpenRequest,
    tools: { recorder: Recorder; replyDelays: Delays },
  ) {
    this.participant = participantOf(request.headers['user-agent']);
    this.gate = gate;
    this.#request = request;
    this.#response = response;
    this.#recorder = tools.recorder;
    this.#replyDelays = tools.replyDelays;
  }

  /** Whether the client reports receipts. */
  get isTraced(): boolean {
    return this.#isTraced;
  }

  /** Whether an answer was begun. */
  get isReplied(): boolean {
    return this.#isReplied;
  }

  /** The request has arrived. `object`: what it is about, as far as the server knows. */
  arrived(body: Json | undefined, object: JsonObject | undefined): void {
    if (this.callId !== '') return;
    const { label, attributes } = this.#describe(body, object);
    const given = this.#request.get(REQUEST_ID_HEADER);
    if (given !== undefined && this.#recorder.receive(given, attributes)) {
      this.#isTraced = true;
      this.callId = given;
      return;
    }
    this.callId = this.#recorder.receiveOnly({
      from: this.participant,
      to: API_SERVER,
      kind: 'call',
      label,
      attributes,
    });
  }

  /** Sends the answer, after the delay that is its turn. `object`: what to say about it in the trace; default: the body. */
  async reply(code: number, body: unknown, object: unknown = body): Promise<void> {
    await this.#send(code, JSON.stringify(body), 'application/json', attributesOf(object));
  }

  /** The same for an answer that is no JSON. */
  async replyText(code: number, text: string): Promise<void> {
    await this.#send(code, text, 'text/plain', {});
  }

  async #send(code: number, payload: string, type: string, attributes: ObjectAttributes): Promise<void> {
    if (this.#isReplied) return;
    this.#isReplied = true;
    const delayMs = this.#replyDelays.next();
    if (delayMs > 0) await this.#wait(delayMs);
    // Nothing goes on the wire to a client that has left.
    if (this.#response.destroyed) return;
    this.#recordReply(code, attributes);
    this.#response.status(code).type(type).set('Cache-Control', 'no-cache, private').end(payload);
  }

  /** Sends the head of an answer whose body is a stream. */
  beginStream(): void {
    this.#isReplied = true;
    this.#recordReply(200, {});
    this.#response.status(200).type('application/json').set('Cache-Control', 'no-cache, private').flushHeaders();
  }

  /** Less long when the client leaves. */
  async #wait(delayMs: number): Promise<void> {
    const leaving = new AbortController();
    this.#response.once('close', () => {
      leaving.abort();
    });
    await sleep(delayMs, undefined, { signal: leaving.signal }).catch(() => undefined);
  }

  #recordReply(code: number, attributes: ObjectAttributes): void {
    const asked = this.#recorder.find(this.callId)?.attributes ?? {};
    const message: Message = {
      from: API_SERVER,
      to: this.participant,
      kind: 'reply',
      label: `${code} ${STATUS_CODES[code] ?? ''}`.trim(),
      replyTo: this.callId,
      parent: this.callId,
      status: code,
      attributes: { ...asked, ...attributes, 'http.response.status_code': code },
    };
    if (!this.#isTraced) {
      this.#recorder.sendOnly(message);
      return;
    }
    this.#response.setHeader(REPLY_ID_HEADER, this.#recorder.send(message));
  }

  #describe(body: Json | undefined, object: JsonObject | undefined): ReturnType<typeof describeRequest> {
    const { method, originalUrl } = this.#request;
    return describeRequest({ method, url: originalUrl, userAgent: this.#request.get('user-agent'), body, object });
  }
}

/** The store key of the object that a path names. */
export function keyOfPath(path: string): string | undefined {
  const parsed = parseObjectPath(path);
  const resource = parsed === undefined ? undefined : resourceNamed(parsed.resource);
  if (parsed?.name === undefined || resource === undefined) return undefined;
  return keyOf(resource, parsed.namespace, parsed.name);
}
