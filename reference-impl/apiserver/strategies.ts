import {
  at,
  equalJson,
  isJsonArray,
  isJsonObject,
  numberAt,
  own,
  textAt,
  validate,
  validateChange,
} from '../api/index.ts';
import { withProperty, withValueAt } from '../api/index.ts';
import type { Json, JsonObject, Resource } from '../api/index.ts';
import { badRequest, conflict, invalid } from './status-error.ts';
import type { Subject } from './status-error.ts';

/** An object of a collection. */
export interface Target {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** What the server alone decides about a new object. */
export interface Identity {
  readonly name: string;
  readonly uid: string;
  readonly now: Date;
}

/** How an error speaks of a target. */
export function subjectOf(target: Target): Subject & { readonly kind: string } {
  return {
    name: target.name,
    resource: target.resource.name,
    group: target.resource.group,
    kind: target.resource.kind,
  };
}

/** RFC 3339 in whole seconds, as all Kubernetes times are. */
export function timestamp(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** A body as an object of the resource, with the kind and namespace that the path says; refused where it says otherwise. */
export function typedBody(body: Json | undefined, resource: Resource, namespace: string | undefined): JsonObject {
  if (!isJsonObject(body)) throw badRequest('the body of the request must be an object');
  const { apiVersion, kind } = resource;
  const [givenVersion, givenKind] = [own(body, 'apiVersion') ?? apiVersion, own(body, 'kind') ?? kind];
  if (givenVersion !== apiVersion || givenKind !== kind) {
    throw badRequest(`the object provided is no ${apiVersion} ${kind}: ${JSON.stringify([givenVersion, givenKind])}`);
  }
  const metadata = own(body, 'metadata') ?? {};
  if (!isJsonObject(metadata)) throw badRequest('metadata must be an object');
  const inNamespace = own(metadata, 'namespace') ?? namespace;
  if (inNamespace !== namespace && namespace !== undefined) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  const scoped = withProperty(metadata, 'namespace', resource.namespaced ? namespace : undefined);
  // Kind first, as everyone prints it.
  return Object.assign({ apiVersion, kind }, body, { apiVersion, kind, metadata: scoped });
}

/** The object as it is stored first. */
export function newObject(resource: Resource, body: JsonObject, { name, uid, now }: Identity): JsonObject {
  if (textAt(body, 'metadata', 'resourceVersion') !== undefined) {
    throw badRequest('resourceVersion should not be set on objects to be created');
  }
  const given = own(body, 'metadata');
  const metadata = SERVER_FIELDS.reduce(
    (meta, key) => withProperty(meta, key, undefined),
    isJsonObject(given) ? given : {},
  );
  const object = withDefaults(resource, {
    ...body,
    metadata: {
      ...metadata,
      name,
      uid,
      creationTimestamp: timestamp(now),
      ...(countsGenerations(resource) ? { generation: 1 } : {}),
    },
  });
  check(resource, name, validate(resource.kind, object));
  return object;
}

const SERVER_FIELDS = [
  'uid',
  'creationTimestamp',
  'generation',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'resourceVersion',
  'selfLink',
  'managedFields',
] as const;

/** The object after an update of everything but its status. */
export function updatedObject(target: Target, current: JsonObject, desired: JsonObject): JsonObject {
  const { resource } = target;
  const hasStatus = resource.subresources.includes('status');
  const kept = withKeptMetadata(target, current, desired);
  const withStatus = hasStatus ? withProperty(kept, 'status', own(current, 'status')) : kept;
  const object = withDefaults(resource, withStatus);
  check(resource, target.name, [...validate(resource.kind, object), ...validateChange(resource.kind, current, object)]);
  const specChanged = !equalJson(own(current, 'spec'), own(object, 'spec'));
  return specChanged && countsGenerations(resource) ? nextGeneration(object) : object;
}

/** The object after an update of its status: nothing else changes. */
export function withStatusOf(current: JsonObject, desired: JsonObject): JsonObject {
  return withProperty(current, 'status', own(desired, 'status'));
}

/** Counts a change of the spec. */
export function nextGeneration(object: JsonObject): JsonObject {
  return withValueAt(object, ['metadata', 'generation'], (numberAt(object, 'metadata', 'generation') ?? 0) + 1);
}

/** Whether the object is to be removed: deletion was asked for, and nothing delays it any more. */
export function isReadyToGo(object: JsonObject): boolean {
  const finalizers = at(object, 'metadata', 'finalizers');
  const waits = isJsonArray(finalizers) && finalizers.length > 0;
  const graceSeconds = numberAt(object, 'metadata', 'deletionGracePeriodSeconds') ?? 0;
  return textAt(object, 'metadata', 'deletionTimestamp') !== undefined && !waits && graceSeconds === 0;
}

function check(resource: Resource, name: string, faults: ReturnType<typeof validate>): void {
  if (faults.length > 0) {
    throw invalid({ name, resource: resource.name, group: resource.group, kind: resource.kind }, faults);
  }
}

/** Events and namespaces have no spec that anyone reconciles; a pod's spec is the scheduler's and kubelet's business. */
function countsGenerations(resource: Resource): boolean {
  return resource.group === 'apps';
}

function withKeptMetadata(target: Target, current: JsonObject, desired: JsonObject): JsonObject {
  const before = own(current, 'metadata');
  const after = own(desired, 'metadata');
  if (textAt(after, 'name') !== undefined && textAt(after, 'name') !== target.name) {
    throw badRequest('the name of the object does not match the name on the URL');
  }
  const uid = textAt(after, 'uid');
  if (uid !== undefined && uid !== textAt(before, 'uid')) {
    throw conflict(
      subjectOf(target),
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${textAt(before, 'uid') ?? ''}`,
    );
  }
  let metadata: JsonObject = isJsonObject(after) ? after : {};
  for (const key of ['name', 'namespace', 'generateName', ...SERVER_FIELDS]) {
    metadata = withProperty(metadata, key, own(before, key));
  }
  return { ...desired, apiVersion: target.resource.apiVersion, kind: target.resource.kind, metadata };
}

function withDefaults(resource: Resource, object: JsonObject): JsonObject {
  switch (resource.kind) {
    case 'Pod':
      return withPodDefaults(object);
    case 'ReplicaSet':
      return withWorkloadDefaults(object, { replicas: 0 }, {});
    case 'Deployment':
      return withWorkloadDefaults(object, {}, DEPLOYMENT_DEFAULTS);
    case 'Namespace':
      return { status: { phase: 'Active' }, ...object };
    default:
      return object;
  }
}

const DEPLOYMENT_DEFAULTS: JsonObject = {
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
  revisionHistoryLimit: 10,
  progressDeadlineSeconds: 600,
};

/** A status that a creator sends is not the status of anything: it is dropped. */
function withPodDefaults(pod: JsonObject): JsonObject {
  const isNew = textAt(pod, 'metadata', 'resourceVersion') === undefined;
  const status = isNew ? { phase: 'Pending' } : own(pod, 'status');
  return withProperty({ ...pod, spec: podSpecWithDefaults(own(pod, 'spec')) }, 'status', status);
}

function podSpecWithDefaults(spec: Json | undefined): Json | undefined {
  if (!isJsonObject(spec)) return spec;
  const containers = own(spec, 'containers');
  return {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    schedulerName: 'default-scheduler',
    ...spec,
    ...(isJsonArray(containers) ? { containers: containers.map(containerWithDefaults) } : {}),
  };
}

function containerWithDefaults(container: Json): Json {
  if (!isJsonObject(container)) return container;
  const image = textAt(container, 'image') ?? '';
  const tag = /:([^/]*)$/.exec(image)?.[1] ?? 'latest';
  return { imagePullPolicy: tag === 'latest' ? 'Always' : 'IfNotPresent', ...container };
}

function withWorkloadDefaults(object: JsonObject, status: JsonObject, defaults: JsonObject): JsonObject {
  const isNew = textAt(object, 'metadata', 'resourceVersion') === undefined;
  const spec = own(object, 'spec');
  return {
    ...object,
    ...(isJsonObject(spec) ? { spec: { replicas: 1, ...defaults, ...spec } } : {}),
    status: isNew ? status : (own(object, 'status') ?? status),
  };
}
