import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import type { ByteSource } from '../checker/index.ts';
import { readTraceText, type Trace } from '../trace/index.ts';
import { problem, reasonOf, textOf, type Problem } from './files.ts';

/** Traces from this size on are read as they come, several times, instead of whole. */
export const STREAM_BYTES_MIN = 4 * 1024 * 1024;
/** Standard input that is kept in a file, to be read again. */
export const SPOOL_BYTES_MAX = 64 * 1024 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/** A trace that is too large to be read whole, in a file. */
export interface LargeTrace extends ByteSource {
  readonly file: string;
  readonly bytes: number;
  /** Removes the file, if it was made for this. */
  readonly dispose: () => Promise<void>;
}

/** The file as a source of bytes; null: it is small, or no plain file. */
export async function largeFile(file: string, bytesMin = STREAM_BYTES_MIN): Promise<LargeTrace | null> {
  const found = await stat(file).catch(() => null);
  if (found?.isFile() !== true || found.size < bytesMin) return null;
  return largeTrace(file, file, found.size, () => Promise.resolve());
}

const largeTrace = (name: string, file: string, bytes: number, dispose: LargeTrace['dispose']): LargeTrace => ({
  name,
  file,
  bytes,
  dispose,
  read: () => createReadStream(file, { highWaterMark: CHUNK_BYTES }),
});

/**
 * Standard input: its text where it is short; else a file that holds it, since a verdict may need to read it twice.
 */
export async function spooled(
  stdin: AsyncIterable<Buffer>,
  name: string,
  folder?: string,
): Promise<string | LargeTrace | Problem> {
  const spool = new Spool(folder);
  try {
    for await (const chunk of stdin) if (!(await spool.write(chunk))) break;
  } catch (error) {
    await spool.dispose();
    throw error;
  }
  return spool.finish(name);
}

/** What comes bit by bit: in memory while it is short, else in a file that only this user can read. */
export class Spool {
  readonly #folder: string;
  #first: Buffer[] = [];
  #bytes = 0;
  #target: SpoolFile | null = null;
  /** Why it takes no more. */
  #problemOf: ((name: string) => Problem) | null = null;

  constructor(folder: string = tmpdir()) {
    this.#folder = folder;
  }

  /** False: it takes no more, and `finish` says why. */
  async write(chunk: Buffer): Promise<boolean> {
    if (this.#problemOf !== null) return false;
    this.#bytes += chunk.length;
    if (this.#bytes > SPOOL_BYTES_MAX) return this.#fail(tooLarge);
    try {
      if (this.#target !== null) await this.#target.write(chunk);
      else {
        this.#first.push(chunk);
        if (this.#bytes >= STREAM_BYTES_MIN) await this.#moveToFile();
      }
      return true;
    } catch (error) {
      return this.#fail(notKept(this.#folder, error));
    }
  }

  /** What was written, under its name: its text, or where it is. */
  async finish(name: string): Promise<string | LargeTrace | Problem> {
    const target = this.#target;
    if (target !== null && this.#problemOf === null) {
      try {
        await target.close();
        return largeTrace(name, target.file, this.#bytes, target.remove);
      } catch (error) {
        await this.#fail(notKept(this.#folder, error));
      }
    }
    return this.#problemOf?.(name) ?? textOf(listed(this.#first), name);
  }

  /** Removes the file, if there is one. */
  async dispose(): Promise<void> {
    await this.#target?.remove();
  }

  async #moveToFile(): Promise<void> {
    this.#target = await SpoolFile.make(this.#folder);
    for (const chunk of this.#first) await this.#target.write(chunk);
    this.#first = [];
  }

  async #fail(problemOf: (name: string) => Problem): Promise<false> {
    this.#problemOf = problemOf;
    this.#first = [];
    await this.dispose();
    return false;
  }
}

const tooLarge = (name: string): Problem =>
  problem('CLI103', name, `it is larger than ${SPOOL_BYTES_MAX} bytes`, 'split it, or cut the trace');

const notKept =
  (folder: string, error: unknown) =>
  (name: string): Problem =>
    problem(
      'CLI107',
      name,
      `it cannot be kept in ${folder}: ${reasonOf(error)}`,
      'write the trace to a file and name it with --trace',
    );

// eslint-disable-next-line @typescript-eslint/require-await -- an asynchronous iterable is asked for
async function* listed(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}

/** A file in a folder of its own, that only this user can read. */
class SpoolFile {
  readonly file: string;
  readonly remove: () => Promise<void>;
  readonly #target: WriteStream;
  readonly #failed: Promise<never>;

  private constructor(folder: string) {
    this.file = join(folder, 'trace');
    this.remove = () => rm(folder, { recursive: true, force: true });
    this.#target = createWriteStream(this.file, { mode: 0o600 });
    // Without a listener an error between two writes would end the process.
    this.#failed = new Promise<never>((_, reject) => this.#target.on('error', reject));
    this.#failed.catch(() => undefined);
  }

  static async make(folder: string): Promise<SpoolFile> {
    return new SpoolFile(await mkdtemp(join(folder, 'asdrawn-')));
  }

  async write(chunk: Buffer): Promise<void> {
    if (!this.#target.write(chunk)) await Promise.race([once(this.#target, 'drain'), this.#failed]);
  }

  async close(): Promise<void> {
    this.#target.end();
    await Promise.race([once(this.#target, 'finish'), this.#failed]);
  }
}

/** The beginning of a trace, for what only needs examples of its events. */
export async function beginningOf({ file, name }: LargeTrace, bytesMax = STREAM_BYTES_MIN): Promise<Trace> {
  const handle = await open(file);
  try {
    const bytes = Buffer.alloc(bytesMax);
    const { bytesRead } = await handle.read(bytes, 0, bytesMax, 0);
    const text = bytes.toString('utf8', 0, bytesRead);
    return readTraceText(text.slice(0, text.lastIndexOf('\n') + 1), name).value;
  } finally {
    await handle.close();
  }
}
