import type { JsonObject, List, Resource } from '../api/index.ts';
import { StoreError } from '../store/index.ts';
import { keyOf } from './keys.ts';
import { selectionOf } from './selection.ts';
import type { Query } from './selection.ts';
import { badRequest, expired, failure } from './status-error.ts';
import type { StatusError } from './status-error.ts';
import { decode } from './stored-object.ts';
import type { TracedStore } from './traced-store.ts';

/** A list as of one revision, in key order; with a limit, in pages that all show that revision. */
export async function listObjects(
  store: TracedStore,
  resource: Resource,
  namespace: string | undefined,
  query: Query,
): Promise<List<JsonObject>> {
  const selects = selectionOf(query);
  const limit = query.count('limit') ?? 0;
  const prefix = keyOf(resource, namespace);
  const page = pageOf(query, prefix);
  const { kvs, revision: newest } = await read(store, prefix, page);
  if (page.notBefore > newest) throw tooNew(page.notBefore, newest);
  const revision = page.revision === 0 ? newest : page.revision;
  const found = kvs.map((kv) => ({ key: kv.key, object: decode(kv).object })).filter(({ object }) => selects(object));
  const items = limit === 0 ? found : found.slice(0, limit);
  const rest = found.length - items.length;
  const last = items.at(-1)?.key;
  return {
    apiVersion: resource.apiVersion,
    kind: `${resource.kind}List`,
    metadata: {
      resourceVersion: String(revision),
      ...(rest > 0 && last !== undefined
        ? { continue: continueToken({ revision, after: last }), remainingItemCount: rest }
        : {}),
    },
    items: items.map(({ object }) => object),
  };
}

interface Page {
  /** 0: the newest. */
  readonly revision: number;
  /** The list must not be older. */
  readonly notBefore: number;
  /** Key to begin at. */
  readonly from: string;
}

function pageOf(query: Query, prefix: string): Page {
  const token = query.text('continue');
  if (token !== undefined) {
    const { revision, after } = readToken(token, prefix);
    // A blank sorts before every character that a key can go on with.
    return { revision, notBefore: 0, from: `${after} ` };
  }
  const wanted = query.count('resourceVersion') ?? 0;
  const isExact = query.text('resourceVersionMatch') === 'Exact';
  return { revision: isExact ? wanted : 0, notBefore: wanted, from: prefix };
}

async function read(store: TracedStore, prefix: string, page: Page): ReturnType<TracedStore['list']> {
  try {
    return await store.list(prefix, { from: page.from, revision: page.revision });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.code === 'compacted') throw expired('The provided resource version is too old; list again without it.');
    if (error.code === 'future-revision') throw tooNew(page.revision, undefined);
    throw error;
  }
}

function tooNew(wanted: number, newest: number | undefined): StatusError {
  const current = newest === undefined ? '' : `, current: ${newest}`;
  return failure({
    code: 504,
    reason: 'Timeout',
    message: `Too large resource version: ${wanted}${current}`,
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
  });
}

function continueToken(position: { readonly revision: number; readonly after: string }): string {
  return Buffer.from(JSON.stringify([position.revision, position.after])).toString('base64url');
}

function readToken(token: string, prefix: string): { readonly revision: number; readonly after: string } {
  const refused = badRequest('continue key is not valid');
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (!Array.isArray(value)) throw refused;
    const [revision, after] = value as unknown[];
    if (typeof revision !== 'number' || !Number.isSafeInteger(revision) || revision < 1) throw refused;
    if (typeof after !== 'string' || !after.startsWith(prefix) || !/^[\x21-\x7e]+$/.test(after)) throw refused;
    return { revision, after };
  } catch {
    throw refused;
  }
}
