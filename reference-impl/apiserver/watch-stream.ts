import { setTimeout as sleep } from 'node:timers/promises';
import type { Response } from 'express';
import { attributesOf, numberAt, own, textAt } from '../api/index.ts';
import type { JsonObject, Resource, WatchEvent } from '../api/index.ts';
import { API_SERVER } from '../tracing/index.ts';
import type { Attributes, Message, Recorder } from '../tracing/index.ts';
import type { Delays } from './delays.ts';
import type { Exchange } from './exchange.ts';
import { atRevision } from './stored-object.ts';

/** One line to come. */
export interface Line {
  readonly event: WatchEvent<JsonObject>;
  /** The revision that it tells of; the link to the store's notification. */
  readonly revision: number | undefined;
  /** The event that made the server send it. */
  readonly cause: string;
}

/** Lines and bytes that may wait for a slow reader, before it is cut off and has to list again. */
const LINES_MAX = 10_000;
const BYTES_MAX = 16 * 1024 * 1024;

/** The lines of one watch, in order, each after its delay. */
export class WatchStream {
  readonly #response: Response;
  readonly #exchange: Exchange;
  readonly #recorder: Recorder;
  readonly #delays: Delays;
  readonly #resource: Resource;
  /** Whether lines carry the id of their event. */
  readonly #isTraced: boolean;
  readonly #lines: { readonly line: Line; readonly dueAt: number }[] = [];
  #isWriting = false;
  #endsWhenIdle = false;

  constructor(options: {
    readonly response: Response;
    readonly exchange: Exchange;
    readonly recorder: Recorder;
    readonly delays: Delays;
    readonly resource: Resource;
    readonly isTraced: boolean;
  }) {
    this.#response = options.response;
    this.#exchange = options.exchange;
    this.#recorder = options.recorder;
    this.#delays = options.delays;
    this.#resource = options.resource;
    this.#isTraced = options.isTraced;
  }

  send(line: Line): void {
    if (this.#lines.length >= LINES_MAX || this.#response.writableLength > BYTES_MAX) {
      this.#response.destroy();
      return;
    }
    this.#lines.push({ line, dueAt: performance.now() + this.#delays.next() });
    if (!this.#isWriting) void this.#writeAll();
  }

  /** Ends the stream after the lines that wait. */
  end(): void {
    if (this.#isWriting) this.#endsWhenIdle = true;
    else this.#response.end();
  }

  /** Runs without a pause where no delay is due, so that without delays a line is written when it is sent. */
  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    for (let next = this.#lines[0]; next !== undefined && this.#isOpen(); next = this.#lines[0]) {
      const waitMs = next.dueAt - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      this.#lines.shift();
      if (this.#isOpen()) this.#write(next.line);
    }
    this.#isWriting = false;
    if (this.#endsWhenIdle) this.#response.end();
  }

  #isOpen(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  #write(line: Line): void {
    const id = this.#record(line);
    const event = this.#isTraced ? { ...line.event, asdrawn: id } : line.event;
    this.#response.write(`${JSON.stringify(event)}\n`);
  }

  #record({ event, revision, cause }: Line): string {
    const message: Message = {
      from: API_SERVER,
      to: this.#exchange.participant,
      kind: 'async',
      label: `watch ${event.type} ${this.#subject(event.object)}`,
      parent: cause,
      attributes: {
        'k8s.watch.type': event.type,
        'k8s.resource': this.#resource.name,
        ...(revision === undefined ? {} : { 'etcd.revision': revision }),
        ...(event.type === 'ERROR' || event.type === 'BOOKMARK' ? {} : attributesOf(event.object)),
        ...statusOf(event.object),
      },
    };
    return this.#isTraced ? this.#recorder.send(message) : this.#recorder.sendOnly(message);
  }

  #subject(object: unknown): string {
    const parts = [textAt(object, 'metadata', 'namespace'), textAt(object, 'metadata', 'name')];
    return [this.#resource.name, ...parts].filter((part) => part !== undefined).join('/');
  }
}

function statusOf(object: unknown): Attributes {
  const code = own(object, 'kind') === 'Status' ? numberAt(object, 'code') : undefined;
  return code === undefined ? {} : { 'http.response.status_code': code };
}

/** A bookmark: no change, but everything up to the revision has been told. */
export function bookmark(resource: Resource, revision: number, endsInitial: boolean): WatchEvent<JsonObject> {
  const { apiVersion, kind } = resource;
  const metadata = endsInitial ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
  return { type: 'BOOKMARK', object: atRevision({ apiVersion, kind, metadata }, revision) };
}
