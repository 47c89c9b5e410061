import { equalJson, isJsonArray, isJsonObject, own, textAt, withProperty } from './json.ts';
import type { Json, JsonObject } from './types.ts';

/** `malformed`: no patch at all; `not-applicable`: a patch, but not of this document. */
export type Patched =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly kind: 'malformed' | 'not-applicable'; readonly message: string };

/**
 * RFC 7386. Recursive, as the RFC defines it: patches nest at most `NESTING_MAX` deep, which is checked when a body is read.
 */
export function applyMergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  let result: JsonObject = isJsonObject(target) ? target : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    result = withProperty(result, key, value === null ? undefined : applyMergePatch(own(result, key), value));
  }
  return result;
}

/** Operations in one JSON patch. */
export const OPERATIONS_MAX = 10_000;

/** RFC 6902: all operations, or none. */
export function applyJsonPatch(target: Json, patch: Json): Patched {
  if (!isJsonArray(patch)) return malformed('a JSON patch is a list of operations');
  if (patch.length > OPERATIONS_MAX) return malformed(`a JSON patch holds at most ${OPERATIONS_MAX} operations`);
  let document = target;
  for (const [index, operation] of patch.entries()) {
    const result = applyOperation(document, operation);
    if (!result.ok) return { ...result, message: `operation ${index}: ${result.message}` };
    document = result.value;
  }
  return { ok: true, value: document };
}

function applyOperation(document: Json, operation: Json): Patched {
  const path = pointerOf(own(operation, 'path'));
  if (path === undefined) return malformed('"path" must be a JSON pointer');
  const op = textAt(operation, 'op') ?? '';
  switch (op) {
    case 'add':
    case 'replace':
    case 'test':
      return applyWithValue(document, op, path, own(operation, 'value'));
    case 'remove':
      return remove(document, path);
    case 'move':
    case 'copy':
      return applyWithSource(document, op, path, pointerOf(own(operation, 'from')));
    default:
      return malformed('"op" must be add, remove, replace, move, copy or test');
  }
}

function applyWithValue(
  document: Json,
  op: 'add' | 'replace' | 'test',
  path: Pointer,
  value: Json | undefined,
): Patched {
  if (value === undefined) return malformed('"value" is missing');
  if (op === 'add') return edit(document, path, value, 'add');
  const current = get(document, path);
  if (current === undefined) return notApplicable(`${format(path)} does not exist`);
  if (op === 'replace') return edit(document, path, value, 'replace');
  return equalJson(current, value) ? { ok: true, value: document } : notApplicable(`${format(path)} has another value`);
}

function applyWithSource(document: Json, op: 'move' | 'copy', path: Pointer, from: Pointer | undefined): Patched {
  if (from === undefined) return malformed('"from" must be a JSON pointer');
  const value = get(document, from);
  if (value === undefined) return notApplicable(`${format(from)} does not exist`);
  if (op === 'copy') return edit(document, path, value, 'add');
  const isInside = from.length < path.length && from.every((token, i) => token === path[i]);
  if (isInside) return notApplicable('a value cannot be moved into itself');
  const removed = remove(document, from);
  return removed.ok ? edit(removed.value, path, value, 'add') : removed;
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

function get(document: Json, path: Pointer): Json | undefined {
  let current: Json | undefined = document;
  for (const token of path) {
    if (isJsonArray(current)) current = current[indexIn(token, current.length - 1) ?? -1];
    else current = own(current, token);
  }
  return current;
}

function remove(document: Json, path: Pointer): Patched {
  if (path.length === 0) return notApplicable('the whole document cannot be removed');
  if (get(document, path) === undefined) return notApplicable(`${format(path)} does not exist`);
  return edit(document, path, undefined, 'remove');
}

/** Sets, inserts or removes at a place whose parent exists; copies the objects and lists on the way only. */
function edit(document: Json, path: Pointer, value: Json | undefined, how: 'add' | 'replace' | 'remove'): Patched {
  const last = path.at(-1);
  if (last === undefined) return value === undefined ? malformed('no value') : { ok: true, value };
  const parents = path.slice(0, -1).map((_, i) => get(document, path.slice(0, i + 1)));
  const containers = [document, ...parents];
  const parent = containers.at(-1);
  let edited = isJsonArray(parent) ? editList(parent, last, value, how) : editObject(parent, last, value);
  if (edited === undefined) return notApplicable(`${format(path)} has no place`);
  for (let depth = path.length - 2; depth >= 0; depth--) {
    const container = containers[depth];
    const token = path[depth] ?? '';
    edited = isJsonArray(container)
      ? container.with(indexIn(token, container.length - 1) ?? 0, edited)
      : withProperty(isJsonObject(container) ? container : {}, token, edited);
  }
  return { ok: true, value: edited };
}

function editObject(parent: Json | undefined, key: string, value: Json | undefined): Json | undefined {
  return isJsonObject(parent) ? withProperty(parent, key, value) : undefined;
}

function editList(
  parent: readonly Json[],
  token: string,
  value: Json | undefined,
  how: 'add' | 'replace' | 'remove',
): Json | undefined {
  const index =
    token === '-' && how === 'add' ? parent.length : indexIn(token, parent.length - (how === 'add' ? 0 : 1));
  if (index === undefined) return undefined;
  return parent.toSpliced(index, how === 'add' ? 0 : 1, ...(value === undefined ? [] : [value]));
}

/** Digits without a leading zero, up to a maximum. */
function indexIn(token: string, max: number): number | undefined {
  if (!/^(?:0|[1-9][0-9]{0,8})$/.test(token)) return undefined;
  const index = Number(token);
  return index <= max ? index : undefined;
}

function malformed(message: string): Patched {
  return { ok: false, kind: 'malformed', message };
}

function notApplicable(message: string): Patched {
  return { ok: false, kind: 'not-applicable', message };
}
