import type { Request } from 'express';
import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch, nestsTooDeep, NESTING_MAX } from '../api/index.ts';
import { isJsonArray, isJsonObject } from '../api/index.ts';
import type { Json, JsonObject } from '../api/index.ts';
import { badRequest, failure, unsupportedMediaType } from './status-error.ts';

const JSON_TYPE = 'application/json';

/** A body's bytes as JSON; undefined when there are none. */
export function parseBody(bytes: unknown): Json | undefined {
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) return undefined;
  const value = parse(bytes.toString('utf8'));
  if (nestsTooDeep(value)) throw badRequest(`the body of the request nests deeper than ${NESTING_MAX} levels`);
  return value;
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    // The parser's message quotes the text; the place is enough.
    const place = error instanceof Error ? (/position \d+/.exec(error.message)?.[0] ?? 'its end') : 'an unknown place';
    throw badRequest(`the body of the request is no JSON: error at ${place}`);
  }
}

/** The media type of a body, without parameters. None means JSON. */
export function mediaTypeOf(request: Request): string {
  return (request.get('content-type') ?? JSON_TYPE).split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Refuses bodies that are not JSON. */
export function requireJson(request: Request): void {
  const type = mediaTypeOf(request);
  if (type !== JSON_TYPE) throw unsupportedMediaType(type, [JSON_TYPE]);
}

type ApplyPatch = (target: JsonObject) => JsonObject;

/** How each media type changes an object. */
const PATCHES: ReadonlyMap<string, (patch: Json) => ApplyPatch> = new Map([
  ['application/json-patch+json', jsonPatch],
  ['application/merge-patch+json', mergePatch],
  ['application/strategic-merge-patch+json', strategicMergePatch],
]);

/** The patch in a request. */
export function patchOf(request: Request, body: Json | undefined): ApplyPatch {
  const type = mediaTypeOf(request);
  const patch = PATCHES.get(type);
  if (patch === undefined) throw unsupportedMediaType(type, [...PATCHES.keys()]);
  if (body === undefined) throw badRequest('the body of a patch is empty');
  return patch(body);
}

function jsonPatch(patch: Json): ApplyPatch {
  // Clients whose default is this type send objects in it by mistake; they must hear of it.
  if (!isJsonArray(patch)) throw badRequest('a JSON patch is a list of operations');
  return (target) => required(applyJsonPatch(target, patch));
}

function mergePatch(patch: Json): ApplyPatch {
  if (!isJsonObject(patch)) throw badRequest('a merge patch of an object is an object');
  return (target) => required({ ok: true, value: applyMergePatch(target, patch) });
}

function strategicMergePatch(patch: Json): ApplyPatch {
  if (!isJsonObject(patch)) throw badRequest('a strategic merge patch is an object');
  return (target) => required(applyStrategicMergePatch(target, patch));
}

function required(patched: ReturnType<typeof applyJsonPatch>): JsonObject {
  if (!patched.ok && patched.kind === 'malformed') throw badRequest(patched.message);
  if (!patched.ok) {
    throw failure({
      code: 422,
      reason: 'Invalid',
      message: `the server rejected our request due to an error in our request: ${patched.message}`,
    });
  }
  if (!isJsonObject(patched.value) || nestsTooDeep(patched.value))
    throw badRequest('the patch does not yield an object');
  return patched.value;
}
