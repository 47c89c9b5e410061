import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import type { JsonObject, WatchEvent } from '../api/index.ts';

/** A watch of a test: raw HTTP, line by line. */
export class TestWatch {
  readonly events: (WatchEvent<JsonObject> & { readonly asdrawn?: string })[] = [];
  readonly ended: Promise<void>;
  readonly #response: IncomingMessage;
  #changed: (() => void) | undefined;

  private constructor(response: IncomingMessage) {
    this.#response = response;
    const lines = createInterface({ input: response });
    lines.on('line', (line) => {
      this.events.push(JSON.parse(line) as WatchEvent<JsonObject>);
      this.#changed?.();
    });
    this.ended = new Promise((resolve) => {
      response.once('close', resolve);
    });
  }

  /** Resolves when the head of the response is there, so that nothing that happens afterwards is missed. */
  static open(url: string, headers: Record<string, string> = {}): Promise<TestWatch> {
    return new Promise((resolve, reject) => {
      get(url, { headers }, (response) => {
        resolve(new TestWatch(response));
      }).once('error', reject);
    });
  }

  get statusCode(): number | undefined {
    return this.#response.statusCode;
  }

  header(name: string): string | undefined {
    const value = this.#response.headers[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** Waits for a number of lines; returns them as `TYPE name@resourceVersion`. */
  async lines(count: number): Promise<readonly string[]> {
    while (this.events.length < count) {
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
    return this.events.slice(0, count).map(({ type, object }) => {
      const metadata = object.metadata as { readonly name?: string; readonly resourceVersion?: string };
      return `${type} ${metadata.name ?? ''}@${metadata.resourceVersion ?? ''}`;
    });
  }

  close(): void {
    this.#response.destroy();
  }
}
