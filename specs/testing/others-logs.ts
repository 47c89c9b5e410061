import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** Logs that other projects publish beside their own checkers; not part of this repository. */
const FOLDER = join(import.meta.dirname, '../../../shared/oracles');

/** The lines of one of them, or null where it is absent. */
export function loadLog(name: string): readonly string[] | null {
  const file = join(FOLDER, `${name}.gz`);
  return existsSync(file) ? gunzipSync(readFileSync(file)).toString().split('\n') : null;
}
