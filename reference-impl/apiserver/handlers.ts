import type { Request, Response } from 'express';
import { textAt } from '../api/index.ts';
import type { Json, JsonObject, Resource, Subresource } from '../api/index.ts';
import { parseBody, patchOf, requireJson } from './body.ts';
import type { Exchange } from './exchange.ts';
import { listObjects } from './listing.ts';
import type { MutantName } from './mutants.ts';
import type { Registry, Updated, Wanted } from './registry.ts';
import { queryOf } from './selection.ts';
import { badRequest } from './status-error.ts';
import { typedBody, updatedObject, withStatusOf } from './strategies.ts';
import type { Target } from './strategies.ts';
import { boundPod, deleteOptions, deletion, scaledObject, scaleOf, success } from './subresources.ts';
import { serveWatch } from './watching.ts';
import type { WatchTools } from './watching.ts';

/** What the handlers of requests work with. */
export interface Services extends WatchTools {
  readonly registry: Registry;
  readonly mutants: ReadonlySet<MutantName>;
}

/** A request to be answered. */
export interface Call {
  readonly services: Services;
  readonly request: Request;
  readonly response: Response;
  readonly exchange: Exchange;
  readonly resource: Resource;
  readonly namespace: string | undefined;
  /** Undefined: the collection. */
  readonly name: string | undefined;
}

/** Answers a request; a refusal is thrown as a StatusError. */
export type Handler = (call: Call) => Promise<void>;

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Which handler answers: one row per kind of path and method. Methods that are not there are refused. */
export const COLLECTION: Partial<Record<Method, Handler>> = { get: listOrWatch, post: create };
export const OBJECT: Partial<Record<Method, Handler>> = { get, put: replace, patch, delete: remove };
export const SUBRESOURCES: Record<Subresource, Partial<Record<Method, Handler>>> = {
  status: { get, put: replaceStatus, patch: patchStatus },
  binding: { post: bind },
  scale: { get: getScale, put: replaceScale, patch: patchScale },
};

async function listOrWatch(call: Call): Promise<void> {
  const { services, request, response, exchange, resource, namespace } = call;
  const query = queryOf(request.originalUrl);
  if (query.flag('watch')) {
    // Clients watch a single object by the field selector metadata.name.
    await serveWatch(services, { resource, namespace, name: undefined, query, exchange, response });
    return;
  }
  await exchange.reply(200, await listObjects(services.store, resource, namespace, query));
}

async function create(call: Call): Promise<void> {
  const { services, request, exchange, resource, namespace } = call;
  if (resource.namespaced && namespace === undefined) throw badRequest('an object is created in a namespace');
  requireJson(request);
  const early = services.mutants.has('reply-before-write')
    ? (object: JsonObject): Promise<void> => exchange.reply(201, object)
    : undefined;
  const body = parseBody(request.body);
  const object = await services.registry.create({ resource, namespace, body }, exchange.gate, early);
  await exchange.reply(201, object);
}

async function get(call: Call): Promise<void> {
  await call.exchange.reply(200, await call.services.registry.get(targetOf(call)));
}

async function replace(call: Call): Promise<void> {
  requireJson(call.request);
  const { registry } = call.services;
  await replyUpdated(call, await registry.replace(targetOf(call), parseBody(call.request.body), call.exchange.gate));
}

async function patch(call: Call): Promise<void> {
  const target = targetOf(call);
  const { registry } = call.services;
  await patchBy(call, (current, patched) => registry.toWrite(current, updatedObject(target, current, patched)));
}

async function replaceStatus(call: Call): Promise<void> {
  requireJson(call.request);
  const target = targetOf(call);
  const { registry } = call.services;
  const desired = typedBody(parseBody(call.request.body), call.resource, call.namespace);
  const updated = await registry.update(target, call.exchange.gate, (current) => {
    registry.checkVersion(target, current, desired);
    return registry.toWrite(current, withStatusOf(current, desired));
  });
  await replyUpdated(call, updated);
}

async function patchStatus(call: Call): Promise<void> {
  const { registry } = call.services;
  await patchBy(call, (current, patched) => registry.toWrite(current, withStatusOf(current, patched)));
}

async function bind(call: Call): Promise<void> {
  const { services, request, exchange } = call;
  requireJson(request);
  const target = targetOf(call);
  const binding = parseBody(request.body);
  if (services.mutants.has('bind-without-write')) {
    await exchange.reply(201, success(target, 201));
    return;
  }
  const { object } = await services.registry.update(target, exchange.gate, (pod) => ({
    kind: 'put',
    object: boundPod(target, pod, binding, services.registry.now()),
  }));
  await exchange.reply(201, success(target, 201), object);
}

async function getScale(call: Call): Promise<void> {
  const object = await call.services.registry.get(targetOf(call));
  await call.exchange.reply(200, scaleOf(object), object);
}

async function replaceScale(call: Call): Promise<void> {
  requireJson(call.request);
  const body = parseBody(call.request.body);
  await scaleBy(call, () => asObject(body));
}

async function patchScale(call: Call): Promise<void> {
  const apply = patchOf(call.request, parseBody(call.request.body));
  await scaleBy(call, apply);
}

async function scaleBy(call: Call, change: (scale: JsonObject) => JsonObject): Promise<void> {
  const target = targetOf(call);
  const { registry } = call.services;
  const { object } = await registry.update(target, call.exchange.gate, (current) => {
    const scale = change(scaleOf(current));
    registry.checkVersion(target, current, scale);
    return registry.toWrite(current, scaledObject(target, current, scale));
  });
  await call.exchange.reply(200, scaleOf(object), object);
}

async function remove(call: Call): Promise<void> {
  const { services, request, exchange } = call;
  const target = targetOf(call);
  const options = deleteOptions(parseBody(request.body), queryOf(request.originalUrl).text('gracePeriodSeconds'));
  const { object, deleted } = await services.registry.update(target, exchange.gate, (current) =>
    deletion(target, current, options, services.registry.now()),
  );
  const isStatus = deleted && call.resource.name !== 'pods';
  await exchange.reply(200, isStatus ? success(target, 200, textAt(object, 'metadata', 'uid')) : object, object);
}

async function patchBy(call: Call, decide: (current: JsonObject, patched: JsonObject) => Wanted): Promise<void> {
  const target = targetOf(call);
  const { registry } = call.services;
  const apply = patchOf(call.request, parseBody(call.request.body));
  const updated = await registry.update(target, call.exchange.gate, (current) => {
    const patched = apply(current);
    registry.checkVersion(target, current, patched);
    return decide(current, patched);
  });
  await replyUpdated(call, updated);
}

async function replyUpdated(call: Call, { object }: Updated): Promise<void> {
  await call.exchange.reply(200, object);
}

function targetOf({ resource, namespace, name }: Call): Target {
  if (name === undefined) throw new Error('a collection was routed to the handler of one object');
  return { resource, namespace, name };
}

function asObject(body: Json | undefined): JsonObject {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as JsonObject;
  throw badRequest('the body of the request must be an object');
}
