import {
  at,
  isJsonArray,
  isJsonObject,
  isLabelSelector,
  numberAt,
  own,
  textAt,
  validateReplicas,
} from '../api/index.ts';
import { formatLabelSelector, withProperty, withValueAt } from '../api/index.ts';
import type { DeleteOptions, Json, JsonObject, Scale, Status } from '../api/index.ts';
import { badRequest, conflict, invalid } from './status-error.ts';
import { isReadyToGo, nextGeneration, subjectOf, timestamp } from './strategies.ts';
import type { Target } from './strategies.ts';
import type { Wanted } from './registry.ts';

/** The pod after a binding to a node: the only way in which a pod gets one. */
export function boundPod(target: Target, pod: JsonObject, binding: Json | undefined, now: Date): JsonObject {
  const node = textAt(binding, 'target', 'name') ?? '';
  const kind = textAt(binding, 'target', 'kind') ?? 'Node';
  if (node === '' || kind !== 'Node') throw badRequest('a binding names its node: target.kind Node, target.name');
  const name = textAt(binding, 'metadata', 'name');
  if (name !== undefined && name !== target.name) {
    throw badRequest('the name of the object does not match the name on the URL');
  }
  const uid = textAt(binding, 'metadata', 'uid');
  if (uid !== undefined && uid !== textAt(pod, 'metadata', 'uid'))
    throw bindingConflict(target, 'the pod has another uid');
  const current = textAt(pod, 'spec', 'nodeName') ?? '';
  if (current !== '')
    throw bindingConflict(target, `pod ${target.name} is already assigned to node ${JSON.stringify(current)}`);
  if (textAt(pod, 'metadata', 'deletionTimestamp') !== undefined) {
    throw bindingConflict(target, `pod ${target.name} is being deleted, cannot be assigned to a host`);
  }
  return withScheduled(withValueAt(pod, ['spec', 'nodeName'], node), now);
}

function bindingConflict(target: Target, why: string): Error {
  return conflict({ ...subjectOf(target), resource: 'pods/binding' }, why);
}

function withScheduled(pod: JsonObject, now: Date): JsonObject {
  const conditions = at(pod, 'status', 'conditions');
  const others = isJsonArray(conditions) ? conditions.filter((entry) => textAt(entry, 'type') !== 'PodScheduled') : [];
  const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: timestamp(now) };
  return withValueAt(pod, ['status', 'conditions'], [...others, scheduled]);
}

/** The scale of a deployment or replica set. */
export function scaleOf(object: JsonObject): Scale & JsonObject {
  const selector = at(object, 'spec', 'selector');
  const meta = (key: string): JsonObject => {
    const value = textAt(object, 'metadata', key);
    return value === undefined ? {} : { [key]: value };
  };
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: {
      ...meta('name'),
      ...meta('namespace'),
      ...meta('uid'),
      ...meta('resourceVersion'),
      ...meta('creationTimestamp'),
    },
    spec: { replicas: numberAt(object, 'spec', 'replicas') ?? 0 },
    status: {
      replicas: numberAt(object, 'status', 'replicas') ?? 0,
      ...(isLabelSelector(selector) ? { selector: formatLabelSelector(selector) } : {}),
    },
  };
}

/** The object with the number of replicas that a scale wants. */
export function scaledObject(target: Target, object: JsonObject, scale: JsonObject): JsonObject {
  if ((textAt(scale, 'kind') ?? 'Scale') !== 'Scale') throw badRequest('the object provided is no Scale');
  const replicas = at(scale, 'spec', 'replicas') ?? 0;
  const faults = validateReplicas(replicas);
  if (faults.length > 0) throw invalid({ ...subjectOf(target), kind: 'Scale' }, faults);
  if (numberAt(object, 'spec', 'replicas') === replicas) return object;
  return nextGeneration(withValueAt(object, ['spec', 'replicas'], replicas));
}

/** The options in a DELETE's body or, for the grace period, its query. */
export function deleteOptions(body: Json | undefined, graceInQuery: string | undefined): DeleteOptions {
  if (body !== undefined && !isJsonObject(body)) throw badRequest('DeleteOptions must be an object');
  const grace = own(body, 'gracePeriodSeconds') ?? (graceInQuery === undefined ? undefined : Number(graceInQuery));
  if (grace !== undefined && !(typeof grace === 'number' && Number.isInteger(grace) && grace >= 0)) {
    throw badRequest('gracePeriodSeconds must be a whole number, 0 or greater');
  }
  const policy = own(body, 'propagationPolicy');
  // Dependents are deleted by the garbage collector once their owner is gone; it has no way to spare or to await them.
  if (policy === 'Orphan') throw badRequest('propagationPolicy Orphan is not supported');
  const [uid, resourceVersion] = [
    textAt(body, 'preconditions', 'uid'),
    textAt(body, 'preconditions', 'resourceVersion'),
  ];
  return {
    ...(typeof grace === 'number' ? { gracePeriodSeconds: grace } : {}),
    preconditions: {
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  };
}

/** What a deletion does to the present state: a pod that runs on a node is first asked to stop. */
export function deletion(target: Target, object: JsonObject, options: DeleteOptions, now: Date): Wanted {
  checkPreconditions(target, object, options);
  const grace = graceSeconds(target, object, options);
  const isLeaving = textAt(object, 'metadata', 'deletionTimestamp') !== undefined;
  const present = numberAt(object, 'metadata', 'deletionGracePeriodSeconds') ?? 0;
  if (isLeaving && grace >= present && !isReadyToGo(object)) return { kind: 'keep' };
  const metadata = own(object, 'metadata');
  const marked = withProperty(object, 'metadata', {
    ...(isJsonObject(metadata) ? metadata : {}),
    deletionTimestamp: timestamp(new Date(now.getTime() + grace * 1000)),
    deletionGracePeriodSeconds: grace,
  });
  return isReadyToGo(marked) ? { kind: 'delete', object } : { kind: 'put', object: marked };
}

function checkPreconditions(target: Target, object: JsonObject, { preconditions }: DeleteOptions): void {
  for (const key of ['uid', 'resourceVersion'] as const) {
    const wanted = preconditions?.[key];
    const actual = textAt(object, 'metadata', key);
    if (wanted !== undefined && wanted !== actual) {
      throw conflict(subjectOf(target), `Precondition failed: ${key} is ${actual ?? 'unset'}, not ${wanted}`);
    }
  }
}

const DEFAULT_GRACE_SECONDS = 30;

/** 0 for what nothing has to stop: all but pods, and pods that are not bound or have ended. */
function graceSeconds(target: Target, object: JsonObject, options: DeleteOptions): number {
  if (target.resource.name !== 'pods') return 0;
  const phase = textAt(object, 'status', 'phase');
  const isBound = (textAt(object, 'spec', 'nodeName') ?? '') !== '';
  if (!isBound || phase === 'Succeeded' || phase === 'Failed') return 0;
  return (
    options.gracePeriodSeconds ?? numberAt(object, 'spec', 'terminationGracePeriodSeconds') ?? DEFAULT_GRACE_SECONDS
  );
}

/** The answer to a request that worked and yields no object. */
export function success(target: Target, code: number, uid?: string): Status {
  const { resource, name } = target;
  return {
    apiVersion: 'v1',
    kind: 'Status',
    metadata: {},
    status: 'Success',
    details: {
      name,
      ...(resource.group === '' ? {} : { group: resource.group }),
      kind: resource.name,
      ...(uid === undefined ? {} : { uid }),
    },
    code,
  };
}
