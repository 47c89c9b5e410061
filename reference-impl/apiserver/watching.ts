import type { Response } from 'express';
import { at } from '../api/index.ts';
import type { JsonObject, Resource, WatchEvent } from '../api/index.ts';
import { WATCH_HEADER } from '../tracing/index.ts';
import type { Recorder } from '../tracing/index.ts';
import type { Delays } from './delays.ts';
import type { Exchange } from './exchange.ts';
import { keyOf } from './keys.ts';
import type { MutantName } from './mutants.ts';
import { selectionOf } from './selection.ts';
import type { Query, Selection } from './selection.ts';
import { expired } from './status-error.ts';
import { atRevision, decode } from './stored-object.ts';
import type { TracedStore } from './traced-store.ts';
import type { Change, WatchCache } from './watch-cache.ts';
import { bookmark, WatchStream } from './watch-stream.ts';

/** What a watch needs of the server. */
export interface WatchTools {
  readonly store: TracedStore;
  readonly cache: WatchCache;
  readonly recorder: Recorder;
  readonly delays: Delays;
  readonly mutants: ReadonlySet<MutantName>;
  /** Open watches; closing the server ends them. */
  readonly open: Set<WatchStream>;
}

/** A watch request. */
export interface WatchRequest {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  /** Watches this object alone. */
  readonly name: string | undefined;
  readonly query: Query;
  readonly exchange: Exchange;
  readonly response: Response;
}

const BOOKMARK_INTERVAL_MS = 60_000;

/**
 * Serves a watch until the client leaves, `timeoutSeconds` are over, or the server closes. Without a resourceVersion, or with 0, it begins with what is
 * there; with N it tells of changes after N, or says that N is too old.
 */
export async function serveWatch(tools: WatchTools, request: WatchRequest): Promise<void> {
  const { query, exchange, response, resource } = request;
  const selects = selectionFor(tools, request);
  const from = query.count('resourceVersion') ?? 0;
  const timeoutSeconds = query.count('timeoutSeconds') ?? 0;
  const stream = new WatchStream({
    response,
    exchange,
    recorder: tools.recorder,
    delays: tools.delays,
    resource,
    isTraced: exchange.isTraced && response.req.get(WATCH_HEADER) === '1',
  });
  exchange.beginStream();
  tools.open.add(stream);
  const endings = [(): void => void tools.open.delete(stream)];
  response.once('close', () => {
    for (const end of endings) end();
  });
  const after = from === 0 ? await sendPresent(tools, request, stream, selects) : from;
  const unsubscribe = (await isForgotten(tools, request, after))
    ? undefined
    : tools.cache.subscribe(after, (change) => {
        for (const event of eventsOf(tools, change, request, selects)) {
          stream.send({ event, revision: change.revision, cause: change.eventId });
        }
      });
  if (unsubscribe === undefined) {
    const { status } = expired(`too old resource version: ${after} (${tools.cache.revision})`);
    stream.send({ event: { type: 'ERROR', object: status }, revision: undefined, cause: exchange.callId });
    stream.end();
    return;
  }
  endings.push(unsubscribe, ...timers(tools, request, stream, timeoutSeconds));
  // The client may have left while the present was read.
  if (response.destroyed) for (const end of endings) end();
}

/** Tells of everything that is there; returns the revision of that. */
async function sendPresent(
  tools: WatchTools,
  request: WatchRequest,
  stream: WatchStream,
  selects: Selection,
): Promise<number> {
  const { resource, namespace, name, query, exchange } = request;
  const { kvs, revision } = await tools.store.list(keyOf(resource, namespace));
  for (const kv of kvs) {
    const { object, modRevision } = decode(kv);
    if ((name !== undefined && kv.key !== keyOf(resource, namespace, name)) || !selects(object)) continue;
    stream.send({ event: watchEvent('ADDED', object), revision: modRevision, cause: exchange.callId });
  }
  if (query.flag('sendInitialEvents')) {
    stream.send({ event: bookmark(resource, revision, true), revision: undefined, cause: exchange.callId });
  }
  return revision;
}

/** Whether changes right after a revision were compacted away. */
async function isForgotten(tools: WatchTools, { resource, namespace }: WatchRequest, after: number): Promise<boolean> {
  if (after >= tools.cache.revision) return false;
  return !(await tools.store.remembers(keyOf(resource, namespace), after + 1));
}

function selectionFor(tools: WatchTools, { query, exchange, resource }: WatchRequest): Selection {
  const selects = selectionOf(query);
  const seesUnbound =
    tools.mutants.has('notify-unbound') && exchange.participant === 'Kubelet' && resource.name === 'pods';
  return seesUnbound ? (object) => selects(object) || at(object, 'spec', 'nodeName') === undefined : selects;
}

/** What a change is to a watcher: entering its selection is ADDED, leaving it is DELETED, whatever it was to others. */
function eventsOf(
  tools: WatchTools,
  change: Change,
  request: WatchRequest,
  selects: Selection,
): readonly WatchEvent<JsonObject>[] {
  const { resource, namespace, name } = request;
  const key = keyOf(resource, namespace, name);
  if (name === undefined ? !change.key.startsWith(key) : change.key !== key) return [];
  const { before, after, revision } = change;
  const was = before !== undefined && selects(before);
  const is = after !== undefined && selects(after);
  const event = is
    ? watchEvent(was ? 'MODIFIED' : 'ADDED', after)
    : was
      ? watchEvent('DELETED', atRevision(after ?? before, revision))
      : undefined;
  if (event === undefined) return [];
  return tools.mutants.has('notify-twice') ? [event, event] : [event];
}

function watchEvent(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: JsonObject): WatchEvent<JsonObject> {
  return { type, object };
}

function timers(
  tools: WatchTools,
  { resource, query, exchange }: WatchRequest,
  stream: WatchStream,
  timeoutSeconds: number,
): readonly (() => void)[] {
  const ending =
    timeoutSeconds === 0
      ? undefined
      : setTimeout(() => {
          stream.end();
        }, timeoutSeconds * 1000);
  const marking = query.flag('allowWatchBookmarks')
    ? setInterval(() => {
        const event = bookmark(resource, tools.cache.releasedRevision, false);
        stream.send({ event, revision: undefined, cause: exchange.callId });
      }, BOOKMARK_INTERVAL_MS)
    : undefined;
  return [
    () => {
      clearTimeout(ending);
    },
    () => {
      clearInterval(marking);
    },
  ];
}
