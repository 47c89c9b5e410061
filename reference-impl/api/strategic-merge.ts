import { canonicalJson, isJsonArray, isJsonObject, own, withProperty } from './json.ts';
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
  // A map, so that a patch of many keys costs no more than reading it.
  const result = new Map(Object.entries(target));
  const set = (key: string, value: Json | undefined): void => {
    if (value === undefined) result.delete(key);
    else result.set(key, value);
  };
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined || key.startsWith('$')) continue;
    set(key, mergeValues(key, own(target, key), value));
  }
  for (const [key, value] of Object.entries(patch)) applyListDirective(result, key, value);
  retainKeys(result, own(patch, RETAIN_KEYS));
  return Object.fromEntries(result);
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
  const known = new Set(current.map(canonicalJson));
  return [...current, ...patch.filter((item) => !known.has(canonicalJson(item)))];
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

function applyListDirective(result: Map<string, Json | undefined>, key: string, value: Json | undefined): void {
  if (!isJsonArray(value)) return;
  if (key.startsWith(DELETE_FROM_SET)) {
    const list = key.slice(DELETE_FROM_SET.length);
    const current = result.get(list);
    if (!isJsonArray(current)) return;
    const gone = new Set(value.map(canonicalJson));
    result.set(
      list,
      current.filter((item) => !gone.has(canonicalJson(item))),
    );
  }
  if (key.startsWith(ELEMENT_ORDER)) {
    const list = key.slice(ELEMENT_ORDER.length);
    const current = result.get(list);
    if (isJsonArray(current)) result.set(list, inOrder(list, current, value));
  }
}

/** Entries that the order names come in that order; the others keep their place in front of the entry that they stood before. */
function inOrder(list: string, items: readonly Json[], order: readonly Json[]): readonly Json[] {
  const mergeKey = MERGE_KEYS.get(list);
  const nameOf = (item: Json): string => canonicalJson(mergeKey === undefined ? item : (own(item, mergeKey) ?? null));
  // The first mention counts, so later ones are written first.
  const ranks = new Map(order.map((entry, index) => [nameOf(entry), index] as const).reverse());
  const ranked = items.map((item) => ({ item, rank: ranks.get(nameOf(item)) ?? -1 }));
  const named = ranked.filter(({ rank }) => rank >= 0).sort((a, b) => a.rank - b.rank);
  let next = 0;
  return ranked.map(({ item, rank }) => (rank < 0 ? item : (named[next++]?.item ?? item)));
}

function retainKeys(object: Map<string, Json | undefined>, keys: Json | undefined): void {
  if (!isJsonArray(keys)) return;
  const kept = new Set(keys);
  for (const key of [...object.keys()]) if (!kept.has(key)) object.delete(key);
}
