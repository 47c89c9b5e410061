import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm, stat, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ByteSource } from '../checker/index.ts';
import { readTraceText, type Trace } from '../trace/index.ts';
import { problem, readText, reasonOf, textOf, type Problem } from './files.ts';

/** Traces from this size on are read as they come, several times, instead of whole. */
export const STREAM_BYTES_MIN = 4 * 1024 * 1024;
/** Standard input that is kept in a file, to be read again. */
export const SPOOL_BYTES_MAX = 64 * 1024 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/** A trace that is too large to be read whole, in a file. */
export interface LargeTrace extends ByteSource {
  /** Where it was said to be; where it is kept meanwhile, there may be no name any more. */
  readonly file: string;
  readonly bytes: number;
  /** All of it, where that is not too much. */
  readonly text: () => Promise<string | Problem>;
  /** Removes the file, if it was made for this. */
  readonly dispose: () => Promise<void>;
}

/** The file as a source of bytes; null: it is small, or no plain file. */
export async function largeFile(file: string, bytesMin = STREAM_BYTES_MIN): Promise<LargeTrace | null> {
  const found = await stat(file).catch(() => null);
  if (found?.isFile() !== true || found.size < bytesMin) return null;
  return {
    name: file,
    file,
    bytes: found.size,
    read: () => createReadStream(file, { highWaterMark: CHUNK_BYTES }),
    text: () => readText(file),
    dispose: () => Promise.resolve(),
  };
}

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
      return {
        name,
        file: target.file,
        bytes: this.#bytes,
        read: () => target.read(),
        text: () => textOf(target.read(), name),
        dispose: () => target.remove(),
      };
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

/**
 * A file in a folder of its own, that only this user can read. Where the system allows it, it has lost its name before the
 * first byte is in it: so it goes with the process, however that ends.
 */
class SpoolFile {
  readonly file: string;
  readonly #handle: FileHandle;

  private constructor(file: string, handle: FileHandle) {
    this.file = file;
    this.#handle = handle;
  }

  static async make(parent: string): Promise<SpoolFile> {
    const folder = await mkdtemp(join(parent, 'asdrawn-'));
    const file = join(folder, 'trace');
    try {
      return new SpoolFile(file, await open(file, 'wx+', 0o600));
    } finally {
      await removeFolder(folder).catch(() => undefined);
    }
  }

  async write(chunk: Buffer): Promise<void> {
    await this.#handle.appendFile(chunk);
  }

  /** From the beginning, each time. */
  async *read(): AsyncGenerator<Buffer> {
    let at = 0;
    for (let bytes = -1; bytes !== 0; at += bytes) {
      const { buffer, bytesRead } = await this.#handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, at);
      if (bytesRead > 0) yield buffer.subarray(0, bytesRead);
      bytes = bytesRead;
    }
  }

  async remove(): Promise<void> {
    await this.#handle.close();
    await removeFolder(dirname(this.file));
  }
}

const removeFolder = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });

/** The beginning of a trace, for what only needs examples of its events. */
export async function beginningOf({ read, name }: LargeTrace, bytesMax = STREAM_BYTES_MIN): Promise<Trace> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of read()) {
    chunks.push(Buffer.from(chunk));
    bytes += chunk.length;
    if (bytes >= bytesMax) break;
  }
  const text = Buffer.concat(chunks).toString('utf8', 0, bytesMax);
  return readTraceText(text.slice(0, text.lastIndexOf('\n') + 1), name).value;
}
