import { isJsonObject, own, withProperty, withValueAt } from '../api/index.ts';
import type { JsonObject } from '../api/index.ts';
import type { KeyValue } from '../store/index.ts';

/** An object with the revision that it was read at. */
export interface StoredObject {
  readonly object: JsonObject;
  readonly modRevision: number;
}

/** The revision is the store's to say, so it is not part of the value. */
export function encode(object: JsonObject): string {
  return JSON.stringify(withValueAt(object, ['metadata', 'resourceVersion'], undefined));
}

/** The object in a value, with the revision that wrote it. */
export function decode(kv: Pick<KeyValue, 'key' | 'value' | 'modRevision'>): StoredObject {
  const object: unknown = JSON.parse(kv.value);
  if (!isJsonObject(object)) throw new Error(`the value of ${kv.key} is no object; only the API server writes there`);
  return { object: atRevision(object, kv.modRevision), modRevision: kv.modRevision };
}

/** The object as of a revision. */
export function atRevision(object: JsonObject, revision: number): JsonObject {
  const metadata = own(object, 'metadata');
  return withProperty(
    object,
    'metadata',
    withProperty(isJsonObject(metadata) ? metadata : {}, 'resourceVersion', String(revision)),
  );
}
