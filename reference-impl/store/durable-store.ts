import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { StoreEngine } from './engine.ts';
import type { EngineOptions, Journal } from './engine.ts';
import { openJournal } from './journal.ts';
import type { JournalOptions } from './journal.ts';
import { StoreError } from './types.ts';
import type { Store } from './types.ts';

const LOCK = 'store.lock';

/**
 * A store that keeps its data in a folder: an append-only log, written and synced before a write is answered or told. Refuses a folder
 * that a living process has open.
 */
export async function openDurableStore(dir: string, options: EngineOptions & JournalOptions = {}): Promise<Store> {
  await mkdir(dir, { recursive: true });
  const unlock = await lock(resolve(join(dir, LOCK)));
  try {
    const { state, journal } = await openJournal(dir, options);
    return new StoreEngine(state, options, withUnlock(journal, unlock));
  } catch (error) {
    await unlock();
    throw error;
  }
}

function withUnlock(journal: Journal, unlock: () => Promise<void>): Journal {
  return {
    check: () => {
      journal.check();
    },
    append: (commit) => {
      journal.append(commit);
    },
    compacted: () => {
      journal.compacted();
    },
    flushed: () => journal.flushed(),
    close: async () => {
      await journal.close();
      await unlock();
    },
  };
}

/** Locks that this process holds: after a restart in a container, a dead owner may have had the same process id. */
const held = new Set<string>();

/** Takes the lock, also from a process that died with it. */
async function lock(path: string): Promise<() => Promise<void>> {
  if (!(await createLock(path))) {
    const owner = Number(await readFile(path, 'utf8').catch(() => ''));
    if (owner === process.pid ? held.has(path) : isAlive(owner)) {
      throw new StoreError('locked', `${path}: process ${owner} has the store open`);
    }
    await rm(path, { force: true });
    if (!(await createLock(path))) throw new StoreError('locked', `${path}: another process opens the store just now`);
  }
  held.add(path);
  return async () => {
    held.delete(path);
    await rm(path, { force: true });
  };
}

async function createLock(path: string): Promise<boolean> {
  try {
    await writeFile(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid < 1) return false;
  try {
    // Signal 0 only asks.
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It lives, but belongs to someone else.
    return codeOf(error) === 'EPERM';
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
