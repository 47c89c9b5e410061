import { equalJson, isJsonArray, isJsonObject, own, textAt } from './json.ts';
import type { Json } from './types.ts';

/** `malformed`: no patch at all; `not-applicable`: a patch, but not of this document. */
export type Patched =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly kind: 'malformed' | 'not-applicable'; readonly message: string };

/**
 * RFC 7386. Recursive, as the RFC defines it: patches nest at most `NESTING_MAX` deep, which is checked when a body is read.
 */
export function applyMergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  // A map, so that a patch of many keys costs no more than reading it.
  const result = new Map(isJsonObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else if (value !== undefined) result.set(key, applyMergePatch(result.get(key), value));
  }
  return Object.fromEntries(result);
}

/** Operations in one JSON patch. */
export const OPERATIONS_MAX = 10_000;

/** Characters that the `copy` operations of one patch may add: each of a few could double the document. */
export const COPIED_CHARS_MAX = 3 * 1024 * 1024;

/** A document that is being changed; nobody else holds any part of it. */
interface Draft {
  value: Mutable;
  copiedChars: number;
}

type Mutable = null | boolean | number | string | Mutable[] | MutableObject;
interface MutableObject {
  [key: string]: Mutable;
}

/** RFC 6902: all operations, or none. The target stays as it is; a draft of it is changed in place, which costs the least. */
export function applyJsonPatch(target: Json, patch: Json): Patched {
  if (!isJsonArray(patch)) return malformed('a JSON patch is a list of operations');
  if (patch.length > OPERATIONS_MAX) return malformed(`a JSON patch holds at most ${OPERATIONS_MAX} operations`);
  const draft: Draft = { value: copyOf(target), copiedChars: 0 };
  for (const [index, operation] of patch.entries()) {
    const problem = applyOperation(draft, operation);
    if (problem !== null) return { ...problem, message: `operation ${index}: ${problem.message}` };
  }
  return { ok: true, value: draft.value };
}

type Problem = Patched & { readonly ok: false };

const copyOf = (value: Json): Mutable => JSON.parse(JSON.stringify(value)) as Mutable;

function applyOperation(draft: Draft, operation: Json): Problem | null {
  const path = pointerOf(own(operation, 'path'));
  if (path === undefined) return malformed('"path" must be a JSON pointer');
  const op = textAt(operation, 'op') ?? '';
  switch (op) {
    case 'add':
    case 'replace':
    case 'test':
      return applyWithValue(draft, op, path, own(operation, 'value'));
    case 'remove':
      return remove(draft, path);
    case 'move':
    case 'copy':
      return applyWithSource(draft, op, path, pointerOf(own(operation, 'from')));
    default:
      return malformed('"op" must be add, remove, replace, move, copy or test');
  }
}

function applyWithValue(
  draft: Draft,
  op: 'add' | 'replace' | 'test',
  path: Pointer,
  value: Json | undefined,
): Problem | null {
  if (value === undefined) return malformed('"value" is missing');
  // The patch may be applied again, to a later version of the object, so its values are not handed out.
  if (op === 'add') return put(draft, path, copyOf(value), 'add');
  const current = get(draft.value, path);
  if (current === undefined) return notApplicable(`${format(path)} does not exist`);
  if (op === 'replace') return put(draft, path, copyOf(value), 'replace');
  return equalJson(current, value) ? null : notApplicable(`${format(path)} has another value`);
}

function applyWithSource(draft: Draft, op: 'move' | 'copy', path: Pointer, from: Pointer | undefined): Problem | null {
  if (from === undefined) return malformed('"from" must be a JSON pointer');
  const value = get(draft.value, from);
  if (value === undefined) return notApplicable(`${format(from)} does not exist`);
  if (op === 'copy') {
    const text = JSON.stringify(value);
    draft.copiedChars += text.length;
    if (draft.copiedChars > COPIED_CHARS_MAX)
      return notApplicable(`the copies of a patch come to at most ${COPIED_CHARS_MAX} characters`);
    return put(draft, path, JSON.parse(text) as Mutable, 'add');
  }
  const isInside = from.length < path.length && from.every((token, i) => token === path[i]);
  if (isInside) return notApplicable('a value cannot be moved into itself');
  return remove(draft, from) ?? put(draft, path, value, 'add');
}

/** Unescaped tokens of a JSON pointer (RFC 6901). */
type Pointer = readonly string[];

function pointerOf(text: Json | undefined): Pointer | undefined {
  if (typeof text !== 'string' || (text !== '' && !text.startsWith('/')) || /~(?![01])/.test(text)) return undefined;
  return text
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function format(path: Pointer): string {
  return path.length === 0 ? 'the document' : `/${path.join('/')}`;
}

function get(document: Mutable, path: Pointer): Mutable | undefined {
  let current: Mutable | undefined = document;
  for (const token of path) {
    if (Array.isArray(current)) current = current[indexIn(token, current.length - 1) ?? -1];
    else current = isMutableObject(current) && Object.hasOwn(current, token) ? current[token] : undefined;
  }
  return current;
}

const isMutableObject = (value: Mutable | undefined): value is MutableObject => isJsonObject(value);

function remove(draft: Draft, path: Pointer): Problem | null {
  const last = path.at(-1);
  if (last === undefined) return notApplicable('the whole document cannot be removed');
  const parent = get(draft.value, path.slice(0, -1));
  if (Array.isArray(parent)) {
    const index = indexIn(last, parent.length - 1);
    if (index === undefined) return notApplicable(`${format(path)} does not exist`);
    parent.splice(index, 1);
    return null;
  }
  if (!isMutableObject(parent) || !Object.hasOwn(parent, last)) return notApplicable(`${format(path)} does not exist`);
  Reflect.deleteProperty(parent, last);
  return null;
}

/** Sets or inserts at a place whose parent exists. */
function put(draft: Draft, path: Pointer, value: Mutable, how: 'add' | 'replace'): Problem | null {
  const last = path.at(-1);
  if (last === undefined) {
    draft.value = value;
    return null;
  }
  const parent = get(draft.value, path.slice(0, -1));
  if (Array.isArray(parent)) {
    const end = how === 'add' ? parent.length : parent.length - 1;
    const index = last === '-' && how === 'add' ? parent.length : indexIn(last, end);
    if (index === undefined) return notApplicable(`${format(path)} has no place`);
    parent.splice(index, how === 'add' ? 0 : 1, value);
    return null;
  }
  if (!isMutableObject(parent)) return notApplicable(`${format(path)} has no place`);
  // Defined, not assigned: `__proto__` is a property like any other.
  Object.defineProperty(parent, last, { value, enumerable: true, writable: true, configurable: true });
  return null;
}

/** Digits without a leading zero, up to a maximum. */
function indexIn(token: string, max: number): number | undefined {
  if (!/^(?:0|[1-9][0-9]{0,8})$/.test(token)) return undefined;
  const index = Number(token);
  return index <= max ? index : undefined;
}

function malformed(message: string): Problem {
  return { ok: false, kind: 'malformed', message };
}

function notApplicable(message: string): Problem {
  return { ok: false, kind: 'not-applicable', message };
}
