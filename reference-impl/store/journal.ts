import { createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Journal } from './engine.ts';
import { Mvcc, recordOf } from './mvcc.ts';
import type { ChangeRecord, Commit, Snapshot } from './mvcc.ts';
import { StoreError } from './types.ts';

/** A line of the log: a snapshot (the first line), or a change after it. */
type Entry = { readonly snapshot: Snapshot } | { readonly change: ChangeRecord };

const LOG = 'store.log';
const NEW_LOG = 'store.log.new';
/** Lines that are put together for one write when the log is written anew. */
const LINES_PER_WRITE = 500;

/** How a log is written. */
export interface JournalOptions {
  /** Default true. False trades safety against a loss of power for speed. */
  readonly fsync?: boolean;
}

/** Reads the log of a folder into a state, and goes on with it. */
export async function openJournal(
  dir: string,
  options: JournalOptions,
): Promise<{ readonly state: Mvcc; readonly journal: Journal }> {
  const path = join(dir, LOG);
  // Left by a crash while the log was written anew; the old one is still whole.
  await rm(join(dir, NEW_LOG), { force: true });
  const file = await open(path, 'a');
  try {
    const { state, goodBytes } = await recover(path);
    await file.truncate(goodBytes);
    const journal = new FileJournal(dir, file, state, options.fsync ?? true);
    // The rest of what a crash left is gone for good, and a new log is there, before anything is answered.
    if (goodBytes === 0) journal.compacted();
    await journal.flushed();
    return { state, journal };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Replays a log. A last line that is not whole is what a crash leaves: it was never answered, so it is dropped. A line before that which
 * is not whole means that the disk or someone else changed the file; nothing is guessed then.
 */
async function recover(path: string): Promise<{ readonly state: Mvcc; readonly goodBytes: number }> {
  const state = new Mvcc();
  let goodBytes = 0;
  let number = 0;
  let damaged: number | undefined;
  for await (const line of wholeLines(path)) {
    number++;
    if (damaged !== undefined) throw damage(path, damaged);
    const entry = decodeLine(line);
    if (entry === undefined) damaged = number;
    else if (!take(state, entry, number)) throw damage(path, number);
    else goodBytes += Buffer.byteLength(line) + 1;
  }
  return { state, goodBytes };
}

function damage(path: string, line: number): StoreError {
  return new StoreError('corrupt', `${path}: line ${line} is damaged, or does not follow on the line before`);
}

/** Lines that end; what follows the last end of line is torn. */
async function* wholeLines(path: string): AsyncGenerator<string> {
  const rest: string[] = [];
  for await (const chunk of createReadStream(path, 'utf8')) {
    const parts = String(chunk).split('\n');
    const last = parts.pop() ?? '';
    for (const part of parts) {
      yield rest.join('') + part;
      rest.length = 0;
    }
    rest.push(last);
  }
}

function take(state: Mvcc, entry: Entry, number: number): boolean {
  if ('change' in entry) return number > 1 && state.replay(entry.change);
  if (number === 1) state.restore(entry.snapshot);
  return number === 1;
}

function encodeLine(entry: Entry): string {
  const json = JSON.stringify(entry);
  return `${checksum(json)} ${json}\n`;
}

/** Undefined: not what was written. */
function decodeLine(line: string): Entry | undefined {
  const json = line.slice(9);
  if (line.charAt(8) !== ' ' || line.slice(0, 8) !== checksum(json)) return undefined;
  // The checksum says that this is what `encodeLine` wrote.
  return JSON.parse(json) as Entry;
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

/** An append-only file. Commits that come while the disk is busy are written together by the next flush. */
class FileJournal implements Journal {
  readonly #dir: string;
  readonly #state: Mvcc;
  readonly #fsync: boolean;
  #file: FileHandle;
  #pending: string[] = [];
  #mustRewrite = false;
  /** The flush that everything appended so far is part of. */
  #flushing: Promise<void> = Promise.resolve();
  #isFlushQueued = false;
  #failure: StoreError | undefined;
  #isClosed = false;

  constructor(dir: string, file: FileHandle, state: Mvcc, fsync: boolean) {
    this.#dir = dir;
    this.#file = file;
    this.#state = state;
    this.#fsync = fsync;
  }

  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  append(commit: Commit): void {
    this.#pending.push(encodeLine({ change: recordOf(commit) }));
    this.#queueFlush();
  }

  /** What was compacted has to be forgotten on disk too, or it would come back. */
  compacted(): void {
    this.#mustRewrite = true;
    this.#queueFlush();
  }

  flushed(): Promise<void> {
    return this.#flushing;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // A failure was told to the writers that it concerned.
    await this.#flushing.catch(() => undefined);
    await this.#file.close();
  }

  #queueFlush(): void {
    if (this.#isFlushQueued) return;
    this.#isFlushQueued = true;
    this.#flushing = this.#flushing.then(() => this.#flush());
    // Writers and readers await the same promise; where there are none, a failure is not an unhandled one.
    this.#flushing.catch(() => undefined);
  }

  async #flush(): Promise<void> {
    this.#isFlushQueued = false;
    const batch = this.#pending;
    this.#pending = [];
    try {
      // The state holds the batch already, so a log that is written anew has it too.
      if (this.#mustRewrite) await this.#rewrite();
      else await this.#write(this.#file, batch);
    } catch (error) {
      this.#failure = new StoreError('unavailable', `the log of the store cannot be written: ${String(error)}`);
      throw this.#failure;
    }
  }

  async #write(file: FileHandle, lines: readonly string[]): Promise<void> {
    for (let start = 0; start < lines.length; start += LINES_PER_WRITE) {
      await file.appendFile(lines.slice(start, start + LINES_PER_WRITE).join(''));
    }
    if (this.#fsync) await file.datasync();
  }

  /** A new file, which then takes the place of the old one in one step. */
  async #rewrite(): Promise<void> {
    this.#mustRewrite = false;
    const lines = [
      encodeLine({ snapshot: this.#state.snapshot() }),
      ...this.#state.records().map((change) => encodeLine({ change })),
    ];
    const path = join(this.#dir, NEW_LOG);
    const file = await open(path, 'w');
    await this.#write(file, lines);
    await rename(path, join(this.#dir, LOG));
    await this.#syncDirectory();
    await this.#file.close();
    this.#file = file;
  }

  /** A rename is safe only when the folder is. */
  async #syncDirectory(): Promise<void> {
    if (!this.#fsync) return;
    const dir = await open(this.#dir, 'r');
    try {
      await dir.sync();
    } finally {
      await dir.close();
    }
  }
}
