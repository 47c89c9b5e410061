import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Diagnostic } from '../diagnostics/index.ts';

/** A file is read whole; larger ones are refused, by name. */
export const FILE_BYTES_MAX = 512 * 1024 * 1024;
/** Files looked at below one directory, and how deep. */
const WALK_FILES_MAX = 10_000;
const WALK_DEPTH_MAX = 16;

export interface Problem {
  readonly problem: Diagnostic;
}

/** Reads a text file; what goes wrong comes back as a diagnostic. */
export async function readText(file: string): Promise<string | Problem> {
  try {
    const { size } = await stat(file);
    if (size > FILE_BYTES_MAX)
      return problem('CLI103', file, `the file is larger than ${FILE_BYTES_MAX} bytes`, 'split it, or cut the trace');
    return await readFile(file, 'utf8');
  } catch (error) {
    return problem(
      'CLI101',
      file,
      `cannot be read: ${reasonOf(error)}`,
      'check the path; it is taken from the folder you are in',
    );
  }
}

export async function writeText(file: string, text: string): Promise<Problem | null> {
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    return null;
  } catch (error) {
    return problem(
      'CLI102',
      file,
      `cannot be written: ${reasonOf(error)}`,
      'name a file in a folder that you may write to',
    );
  }
}

export async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

/** The files that a path means: itself, or all below a directory, in alphabetical order, dot folders and node_modules left out. */
export async function filesBelow(path: string): Promise<readonly string[] | Problem> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const found: string[] = [];
    const pending = [{ folder: path, depth: 0 }];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const entries = await readdir(next.folder, { withFileTypes: true });
      for (const entry of entries) {
        const full = join(next.folder, entry.name);
        if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
        if (entry.isFile()) found.push(full);
        if (entry.isDirectory() && next.depth < WALK_DEPTH_MAX) pending.push({ folder: full, depth: next.depth + 1 });
      }
      if (found.length > WALK_FILES_MAX)
        return problem('CLI104', path, `more than ${WALK_FILES_MAX} files`, 'name the folder that holds the specs');
    }
    return found.sort();
  } catch (error) {
    return problem(
      'CLI101',
      path,
      `cannot be read: ${reasonOf(error)}`,
      'check the path; it is taken from the folder you are in',
    );
  }
}

export function problem(code: string, file: string, message: string, hint: string): Problem {
  return { problem: { code, severity: 'error', message, hint, file, line: 1, column: 1 } };
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'you have no permission',
  EPERM: 'you have no permission',
};

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  return REASONS[code] ?? (error instanceof Error ? error.message : String(error));
}
