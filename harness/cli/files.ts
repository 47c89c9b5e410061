import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, constants, mkdir, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { TextDecoder } from 'node:util';
import type { Diagnostic } from '../diagnostics/index.ts';

/** A file is read whole; larger ones are refused, by name. Below what one string of V8 can hold. */
export const FILE_BYTES_MAX = 500 * 1024 * 1024;
/** Files looked at below one directory, and how deep. */
const WALK_FILES_MAX = 10_000;
const WALK_DEPTH_MAX = 16;

export interface Problem {
  readonly problem: Diagnostic;
}

/** Reads a text file; what goes wrong comes back as a diagnostic. */
export async function readText(file: string): Promise<string | Problem> {
  try {
    return await textOf(createReadStream(file), file);
  } catch (error) {
    return problem(
      'CLI101',
      file,
      `cannot be read: ${reasonOf(error)}`,
      'check the path; it is taken from the folder you are in',
    );
  }
}

/**
 * The text of a stream of bytes: UTF-8, or UTF-16 where a byte order mark says so. Counted as it arrives, since devices
 * and pipes have no size; bytes that are no text are told with their place, not replaced in silence.
 */
export async function textOf(
  stream: AsyncIterable<Buffer>,
  file: string,
  bytesMax = FILE_BYTES_MAX,
): Promise<string | Problem> {
  let decoder: TextDecoder | null = null;
  let encoding = 'utf-8';
  let bytes = 0;
  const parts: string[] = [];
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > bytesMax)
      return problem('CLI103', file, `it is larger than ${bytesMax} bytes`, 'split it, or cut the trace');
    if (decoder === null) {
      encoding = encodingOf(chunk);
      decoder = new TextDecoder(encoding, { fatal: true });
    }
    const text = decoded(decoder, chunk);
    if (text === null) return notText(file, parts, chunk, encoding);
    parts.push(text);
  }
  const rest = decoder === null ? '' : decoded(decoder, null);
  if (rest === null) return notText(file, parts, Buffer.alloc(0), encoding);
  parts.push(rest);
  return parts.join('');
}

/** By the byte order mark, which an editor or a shell that writes UTF-16 puts first. */
function encodingOf(start: Buffer): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  return start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : 'utf-8';
}

/** The next characters; at the end (null) what is left. Null: these bytes are no text. */
function decoded(decoder: TextDecoder, chunk: Buffer | null): string | null {
  try {
    return chunk === null ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch {
    return null;
  }
}

function notText(file: string, before: readonly string[], chunk: Buffer, encoding: string): Problem {
  const good = new TextDecoder(encoding).decode(chunk).split('\ufffd', 1)[0] ?? '';
  const told = problem(
    'CLI108',
    file,
    `it is not a text: here are bytes that ${encoding.toUpperCase()} does not have`,
    before.length === 0 && chunk[0] === 0x1f && chunk[1] === 0x8b
      ? 'it is compressed: unpack it first; a trace may also be piped: gunzip -c FILE | asdrawn check … --trace -'
      : 'is it the right file? Save it as UTF-8',
  );
  const text = before.join('') + good;
  const line = newlines(text) + 1;
  return { problem: { ...told.problem, line, column: text.length - (text.lastIndexOf('\n') + 1) + 1 } };
}

function newlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/**
 * Writes a whole file or none: a process that is killed while it writes leaves no half a report under its name. What is no
 * plain file (a device, a pipe) cannot be replaced, and is written to.
 */
export async function writeText(file: string, text: string): Promise<Problem | null> {
  try {
    await makeFolder(dirname(file));
    const target = await realpath(file).catch(() => file);
    const found = await stat(target).catch(() => null);
    if (found !== null && !found.isFile()) await writeFile(target, text);
    else await replace(target, text);
    return null;
  } catch (error) {
    return unwritable(file, error);
  }
}

/**
 * A folder and those above it, one by one. Asked to make them all, Node never comes to an end where a folder exists and
 * takes nothing, as all of /proc: there "no such file" does not mean that the one above is missing.
 */
async function makeFolder(folder: string): Promise<void> {
  const missing: string[] = [];
  let above = resolve(folder);
  for (; !(await exists(above)) && above !== dirname(above); above = dirname(above)) missing.push(above);
  for (const next of [above, ...missing.reverse()])
    await mkdir(next).catch(async (error: unknown) => {
      const isThere = await stat(next).then(
        (found) => found.isDirectory(),
        () => false,
      );
      if (!isThere) throw error;
    });
}

async function replace(target: string, text: string): Promise<void> {
  const draft = join(dirname(target), `.${basename(target).slice(0, 60)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await writeFile(draft, text, { flag: 'wx' });
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

const unwritable = (file: string, error: unknown): Problem =>
  problem('CLI102', file, `cannot be written: ${reasonOf(error)}`, 'name a file in a folder that you may write to');

/**
 * What speaks against writing these files, before any work is spent: a folder that cannot be written to, one name for two
 * reports, or a report that would destroy what this run reads.
 */
export async function outputProblem(
  outputs: readonly (string | undefined)[],
  inputs: Iterable<string>,
): Promise<Problem | null> {
  const taken = new Map<string, string>();
  for (const input of inputs) taken.set(await placeOf(input), 'this run reads it');
  for (const file of outputs) {
    if (file === undefined) continue;
    const failed = await writable(file);
    if (failed !== null) return failed;
    const place = await placeOf(file);
    const use = taken.get(place);
    if (use !== undefined)
      return problem('CLI109', file, `cannot be written: ${use}`, 'name another file for the report');
    // Standard output and the like may take more than one.
    if ((await stat(place).catch(() => null))?.isFile() !== false) taken.set(place, 'another report goes there');
  }
  return null;
}

const placeOf = async (file: string): Promise<string> => {
  const folder = await realpath(dirname(resolve(file))).catch(() => dirname(resolve(file)));
  return realpath(file).catch(() => join(folder, basename(file)));
};

async function writable(file: string): Promise<Problem | null> {
  try {
    const found = await stat(file).catch(() => null);
    if (file === '' || found?.isDirectory() === true)
      return problem('CLI102', file, 'cannot be written: it is a folder', 'name a file');
    await makeFolder(dirname(file));
    await access(found !== null && !found.isFile() ? file : dirname(file), constants.W_OK);
    return null;
  } catch (error) {
    return unwritable(file, error);
  }
}

export async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

/** What a path means: itself, or all files below a directory. */
export interface FilesBelow {
  readonly isFolder: boolean;
  readonly files: readonly string[];
  /** Links that were not followed, since they lead nowhere or out of the directory. */
  readonly strayLinks: readonly string[];
}

/**
 * The files that a path means, in alphabetical order; dot folders and node_modules are left out. A link to a file of the same
 * directory is read if that file is not read already; one to a directory never, since links may lead in circles.
 */
export async function filesBelow(path: string): Promise<FilesBelow | Problem> {
  try {
    if (!(await stat(path)).isDirectory()) return { isFolder: false, files: [path], strayLinks: [] };
    const found: string[] = [];
    const links: string[] = [];
    const pending = [{ folder: path, depth: 0 }];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const entries = await readdir(next.folder, { withFileTypes: true });
      for (const entry of entries) {
        const full = join(next.folder, entry.name);
        if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
        if (entry.isFile()) found.push(full);
        if (entry.isSymbolicLink()) links.push(full);
        if (entry.isDirectory() && next.depth < WALK_DEPTH_MAX) pending.push({ folder: full, depth: next.depth + 1 });
      }
      if (found.length + links.length > WALK_FILES_MAX)
        return problem('CLI104', path, `more than ${WALK_FILES_MAX} files`, 'name the folder that holds the specs');
    }
    const strayLinks = links.length === 0 ? [] : await followLinks(path, links, found);
    return { isFolder: true, files: found.sort(), strayLinks };
  } catch (error) {
    return problem(
      'CLI101',
      path,
      `cannot be read: ${reasonOf(error)}`,
      'check the path; it is taken from the folder you are in',
    );
  }
}

/** Adds the files that links lead to inside the directory; hands back the links that lead elsewhere. */
async function followLinks(root: string, links: readonly string[], found: string[]): Promise<readonly string[]> {
  const inside = `${await realpath(root)}${sep}`;
  const read = new Set(await Promise.all(found.map((file) => realpath(file))));
  const stray: string[] = [];
  for (const link of [...links].sort()) {
    const target = await realpath(link).catch(() => null);
    const isInside = target?.startsWith(inside) === true;
    if (target === null || !isInside) stray.push(link);
    else if (!read.has(target) && (await stat(target)).isFile()) {
      read.add(target);
      found.push(link);
    }
  }
  return stray;
}

export function problem(code: string, file: string, message: string, hint: string): Problem {
  return { problem: { code, severity: 'error', message, hint, file: file === '' ? '""' : file, line: 1, column: 1 } };
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['EISDIR', 'it is a folder'],
  ['ENOTDIR', 'a part of its path is a file, not a folder'],
  ['EEXIST', 'a part of its path is a file, not a folder'],
  ['ENAMETOOLONG', 'its name is too long'],
  ['ELOOP', 'its links lead in a circle'],
  ['ENOSPC', 'there is no room left'],
  ['EROFS', 'nothing can be written there'],
  ['EACCES', 'you have no permission'],
  ['EPERM', 'you have no permission'],
]);

/** By shape, not by `instanceof`: an error of Node may belong to another realm than ours (a worker, a test runner). */
export function reasonOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return REASONS.get(code) ?? ('message' in error ? String(error.message) : 'for an unknown reason');
}
