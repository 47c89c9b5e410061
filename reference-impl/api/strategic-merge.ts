import { equalJson, isJsonArray, isJsonObject, own, withProperty } from './json.ts';
import type { Patched } from './patch.ts';
import type { Json, JsonObject } from './types.ts';

/** Lists that are maps in disguise: list name → the property that names an entry. All other lists are replaced as a whole. */
const MERGE_KEYS: ReadonlyMap<string, string> = new Map([
  ['containers', 'name'],
  ['initContainers', 'name'],
  ['ephemeralContainers', 'name'],
  ['env', 'name'],
  ['ports', 'containerPort'],
  ['volumes', 'name'],
  ['volumeMounts', 'mountPath'],
  ['imagePullSecrets', 'name'],
  ['ownerReferences', 'uid'],
  ['conditions', 'type'],
  ['addresses', 'type'],
  ['taints', 'key'],
  ['hostAliases', 'ip'],
]);

/** Lists of plain values that are sets. */
const MERGED_SETS: ReadonlySet<string> = new Set(['finalizers']);

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const ELEMENT_ORDER = '$setElementOrder/';
const DELETE_FROM_SET = '$deleteFromPrimitiveList/';

/**
 * Kubernetes' strategic merge patch: a merge patch that also merges lists of named entries, with the directives that kubectl sends.
 * Recursive: patches nest at most `NESTING_MAX` deep, which is checked when a body is read.
 */
export function applyStrategicMergePatch(target: JsonObject, patch: Json): Patched {
  if (!isJsonObject(patch)) return { ok: false, kind: 'malformed', message: 'a strategic merge patch is an object' };
  try {
    return { ok: true, value: mergeObjects(target, patch) ?? {} };
  } catch (error) {
    if (error instanceof BadPatch) return { ok: false, kind: 'malformed', message: error.message };
    throw error;
  }
}

/** Carries the reason out of the recursion; never leaves this file. */
class BadPatch extends Error {}

/** Undefined: the patch deletes the object. */
function mergeObjects(target: JsonObject, patch: JsonObject): JsonObject | undefined {
  const directive = own(patch, DIRECTIVE);
  if (directive === 'delete') return undefined;
  if (directive === 'replace') return withProperty(patch, DIRECTIVE, undefined);
  if (directive !== undefined && directive !== 'merge')
    throw new BadPatch(`unknown $patch: ${JSON.stringify(directive)}`);
  let result = target;
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined || key.startsWith('$')) continue;
    result = withProperty(result, key, mergeValues(key, own(target, key), value));
  }
  for (const [key, value] of Object.entries(patch)) result = applyListDirective(result, key, value);
  return retainKeys(result, own(patch, RETAIN_KEYS));
}

function mergeValues(key: string, current: Json | undefined, patch: Json): Json | undefined {
  if (patch === null) return undefined;
  if (isJsonObject(patch)) return mergeObjects(isJsonObject(current) ? current : {}, patch);
  const mergeKey = MERGE_KEYS.get(key);
  if (!isJsonArray(patch)) return patch;
  if (mergeKey !== undefined) return mergeLists(key, mergeKey, isJsonArray(current) ? current : [], patch);
  if (MERGED_SETS.has(key)) return mergeSets(isJsonArray(current) ? current : [], patch);
  return patch;
}

function mergeSets(current: readonly Json[], patch: readonly Json[]): readonly Json[] {
  return [...current, ...patch.filter((item) => !current.some((other) => equalJson(other, item)))];
}

function mergeLists(list: string, mergeKey: string, current: readonly Json[], patch: readonly Json[]): readonly Json[] {
  const replaces = patch.some((item) => own(item, DIRECTIVE) === 'replace' && own(item, mergeKey) === undefined);
  if (replaces) return patch.filter((item) => own(item, DIRECTIVE) === undefined);
  const merged = new Map<Json, Json>();
  for (const item of current) merged.set(nameIn(list, mergeKey, item), item);
  for (const item of patch) {
    const name = nameIn(list, mergeKey, item);
    const before = merged.get(name);
    const after = isJsonObject(item) ? mergeObjects(isJsonObject(before) ? before : {}, item) : item;
    if (after === undefined) merged.delete(name);
    else merged.set(name, after);
  }
  return [...merged.values()];
}

function nameIn(list: string, mergeKey: string, item: Json): Json {
  const name = own(item, mergeKey);
  if (name === undefined || typeof name === 'object') throw new BadPatch(`an entry of ${list} has no ${mergeKey}`);
  return name;
}

function applyListDirective(result: JsonObject, key: string, value: Json | undefined): JsonObject {
  if (!isJsonArray(value)) return result;
  if (key.startsWith(DELETE_FROM_SET)) {
    const list = key.slice(DELETE_FROM_SET.length);
    const current = own(result, list);
    if (!isJsonArray(current)) return result;
    return withProperty(
      result,
      list,
      current.filter((item) => !value.some((gone) => equalJson(gone, item))),
    );
  }
  if (key.startsWith(ELEMENT_ORDER)) {
    const list = key.slice(ELEMENT_ORDER.length);
    const current = own(result, list);
    return isJsonArray(current) ? withProperty(result, list, inOrder(list, current, value)) : result;
  }
  return result;
}

/** Entries that the order names come in that order; the others keep their place in front of the entry that they stood before. */
function inOrder(list: string, items: readonly Json[], order: readonly Json[]): readonly Json[] {
  const mergeKey = MERGE_KEYS.get(list);
  const nameOf = (item: Json): Json => (mergeKey === undefined ? item : (own(item, mergeKey) ?? null));
  const rank = (item: Json): number => order.findIndex((entry) => equalJson(nameOf(entry), nameOf(item)));
  const named = items.filter((item) => rank(item) >= 0).sort((a, b) => rank(a) - rank(b));
  let next = 0;
  return items.map((item) => (rank(item) < 0 ? item : (named[next++] ?? item)));
}

function retainKeys(object: JsonObject, keys: Json | undefined): JsonObject {
  if (!isJsonArray(keys)) return object;
  return Object.fromEntries(Object.entries(object).filter(([key]) => keys.includes(key)));
}
