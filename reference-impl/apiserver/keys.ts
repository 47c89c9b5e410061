import { resourceNamed } from '../api/index.ts';
import type { Resource } from '../api/index.ts';

/** All keys of the API server begin so. */
export const ROOT = '/registry/';

/** The key of an object; without a name, the prefix of a collection. */
export function keyOf(resource: Resource, namespace?: string, name?: string): string {
  const collection = `${ROOT}${resource.name}/`;
  const scope = resource.namespaced && namespace !== undefined ? `${namespace}/` : '';
  return `${collection}${scope}${name ?? ''}`;
}

/** The resource that a key belongs to. */
export function resourceOfKey(key: string): Resource | undefined {
  return resourceNamed(key.slice(ROOT.length).split('/', 1)[0] ?? '');
}
