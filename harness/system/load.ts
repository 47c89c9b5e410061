import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';
import type { SystemUnderTest } from './types.ts';

/** Loads the module named by `--system`; a string says why it is no system under test. */
export async function loadSystem(module: string): Promise<SystemUnderTest | string> {
  let loaded: unknown;
  try {
    loaded = await import(pathToFileURL(resolve(module)).href);
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    return `cannot load ${module}: ${why}`;
  }
  const system = typeof loaded === 'object' && loaded !== null && 'system' in loaded ? loaded.system : undefined;
  if (!isSystem(system)) return `${module} has no export "system" with a name and a start function`;
  return system;
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
