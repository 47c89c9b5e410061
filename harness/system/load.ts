import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';
import { asError, PATIENCE, within, type Patience } from './patience.ts';
import type { SystemUnderTest } from './types.ts';

/** Loads the module named by `--system`; a string says why it is no system under test. */
export async function loadSystem(
  module: string,
  { loadMs }: Pick<Patience, 'loadMs'> = PATIENCE,
): Promise<SystemUnderTest | string> {
  try {
    const loaded: unknown = await within(loadMs, 'loading it', () => import(pathToFileURL(resolve(module)).href));
    const system = typeof loaded === 'object' && loaded !== null && 'system' in loaded ? loaded.system : undefined;
    if (!isSystem(system)) return `${module} has no export "system" with a name and a start function`;
    return system;
  } catch (error) {
    return `cannot load ${module}: ${asError(error).message.split('\n')[0] ?? ''}`;
  }
}

function isSystem(value: unknown): value is SystemUnderTest {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    typeof value.name === 'string' &&
    'start' in value &&
    typeof value.start === 'function'
  );
}
