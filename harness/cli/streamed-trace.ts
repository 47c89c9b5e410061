import { createReadStream, createWriteStream } from 'node:fs';
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
 * Standard input: its text where it is short; else a file that holds it, since a verdict may need to read it twice. Only
 * this user can read the file.
 */
export async function spooled(
  stdin: AsyncIterable<Buffer>,
  name: string,
  bytesMin = STREAM_BYTES_MIN,
): Promise<string | LargeTrace | Problem> {
  const first: Buffer[] = [];
  let bytes = 0;
  const rest = stdin[Symbol.asyncIterator]();
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
    first.push(next.value);
    bytes += next.value.length;
    if (bytes >= bytesMin) return spool(first, rest, name);
  }
  return textOf(listed(first), name);
}

// eslint-disable-next-line @typescript-eslint/require-await -- an asynchronous iterable is asked for
async function* listed(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}

async function spool(
  first: readonly Buffer[],
  rest: AsyncIterator<Buffer>,
  name: string,
): Promise<LargeTrace | Problem> {
  let folder: string | null = null;
  const remove = async (): Promise<void> => {
    if (folder !== null) await rm(folder, { recursive: true, force: true });
  };
  try {
    folder = await mkdtemp(join(tmpdir(), 'asdrawn-'));
    const file = join(folder, 'stdin');
    const target = createWriteStream(file, { mode: 0o600 });
    // Without a listener an error between two writes would end the process.
    const failed = new Promise<never>((_, reject) => target.on('error', reject));
    failed.catch(() => undefined);
    let bytes = 0;
    const write = async (chunk: Buffer): Promise<void> => {
      bytes += chunk.length;
      if (!target.write(chunk)) await Promise.race([once(target, 'drain'), failed]);
    };
    for (const chunk of first) await write(chunk);
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
      await write(next.value);
      if (bytes > SPOOL_BYTES_MAX) {
        await remove();
        return problem('CLI103', name, `it is larger than ${SPOOL_BYTES_MAX} bytes`, 'split it, or cut the trace');
      }
    }
    target.end();
    await Promise.race([once(target, 'finish'), failed]);
    return largeTrace(name, file, bytes, remove);
  } catch (error) {
    await remove();
    return problem(
      'CLI107',
      name,
      `it cannot be kept in ${tmpdir()}: ${reasonOf(error)}`,
      'write the trace to a file and name it with --trace',
    );
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
