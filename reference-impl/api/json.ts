import type { Json, JsonObject } from './types.ts';

/** Whether a value is a JSON object: neither null nor a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is a JSON list. */
export function isJsonArray(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** An own property; what an object inherits is no data. */
export function own(value: unknown, key: string): Json | undefined {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The value at a chain of own properties. */
export function at(value: unknown, ...keys: readonly string[]): Json | undefined {
  let current: unknown = value;
  for (const key of keys) current = own(current, key);
  return current as Json | undefined;
}

/** The text at a chain of own properties; undefined when there is something else. */
export function textAt(value: unknown, ...keys: readonly string[]): string | undefined {
  const found = at(value, ...keys);
  return typeof found === 'string' ? found : undefined;
}

/** The number at a chain of own properties; undefined when there is something else. */
export function numberAt(value: unknown, ...keys: readonly string[]): number | undefined {
  const found = at(value, ...keys);
  return typeof found === 'number' ? found : undefined;
}

/** A copy with one property set (or, for undefined, removed). `__proto__` becomes an own property like any other. */
export function withProperty(object: JsonObject, key: string, value: Json | undefined): JsonObject {
  const entries = Object.entries(object);
  if (value === undefined) return Object.fromEntries(entries.filter(([name]) => name !== key));
  if (!Object.hasOwn(object, key)) return Object.fromEntries([...entries, [key, value]]);
  return Object.fromEntries(entries.map(([name, old]) => [name, name === key ? value : old]));
}

/** A copy with the value at a path set; objects on the way are made where they are missing. */
export function withValueAt(
  object: JsonObject,
  path: readonly [string, ...string[]],
  value: Json | undefined,
): JsonObject {
  const [key, next, ...rest] = path;
  if (next === undefined) return withProperty(object, key, value);
  const child = own(object, key);
  return withProperty(object, key, withValueAt(isJsonObject(child) ? child : {}, [next, ...rest], value));
}

/** Levels of nesting that a body may have. What is deeper is refused before anything walks it. */
export const NESTING_MAX = 64;

/** Whether a value nests deeper than `NESTING_MAX`; walks with an explicit stack. */
export function nestsTooDeep(value: unknown): boolean {
  const pending: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 1 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue;
    if (next.depth > NESTING_MAX) return true;
    for (const child of Object.values(next.value)) pending.push({ value: child, depth: next.depth + 1 });
  }
  return false;
}

/** Whether two JSON values are equal; the order of properties does not matter. For values within `NESTING_MAX`. */
export function equalJson(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (isJsonArray(left) && isJsonArray(right)) {
    return left.length === right.length && left.every((item, i) => equalJson(item, right[i]));
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const keys = Object.keys(left).filter((key) => left[key] !== undefined);
  const others = Object.keys(right).filter((key) => right[key] !== undefined);
  return keys.length === others.length && keys.every((key) => equalJson(left[key], own(right, key)));
}

/** A text that two JSON values share exactly if they are equal. For values within `NESTING_MAX`. */
export function canonicalJson(value: Json): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isJsonObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}
