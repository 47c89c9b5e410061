import { at, isJsonArray, isJsonObject, own, textAt } from './json.ts';
import { parseObjectPath, resourceOfKind } from './resources.ts';
import type { Json } from './types.ts';

/** Attributes of a trace event. */
export type ObjectAttributes = Readonly<Record<string, string>>;

/**
 * What a trace event about an object says about it: kind, names, owners, node, phase. Owner names follow the OpenTelemetry
 * collector's k8sattributes processor, so that an event about a pod can be found by the deployment that it belongs to.
 * Works on whatever is known: a body without a name yields its owners only.
 */
export function attributesOf(object: unknown): ObjectAttributes {
  const kind = textAt(object, 'kind') ?? '';
  const attributes = new Map<string, string>();
  const set = (key: string, value: string | undefined): void => {
    if (value !== undefined && value !== '') attributes.set(key, value);
  };
  set('k8s.resource', resourceOfKind(kind)?.name);
  set('k8s.namespace.name', textAt(object, 'metadata', 'namespace'));
  for (const [key, value] of KIND_ATTRIBUTES.get(kind)?.(object) ?? []) set(key, value);
  return Object.fromEntries(attributes);
}

type Pairs = readonly (readonly [string, string | undefined])[];

const KIND_ATTRIBUTES: ReadonlyMap<string, (object: unknown) => Pairs> = new Map([
  ['Pod', podAttributes],
  ['ReplicaSet', replicaSetAttributes],
  ['Deployment', (object) => [['k8s.deployment.name', nameOf(object)]]],
  ['Node', (object) => [['k8s.node.name', nameOf(object)]]],
  ['Namespace', (object) => [['k8s.namespace.name', nameOf(object)]]],
  ['Binding', bindingAttributes],
  ['PodList', () => [['k8s.resource', 'pods']]],
  ['ReplicaSetList', () => [['k8s.resource', 'replicasets']]],
  ['DeploymentList', () => [['k8s.resource', 'deployments']]],
  ['NodeList', () => [['k8s.resource', 'nodes']]],
]);

function podAttributes(pod: unknown): Pairs {
  const replicaSet = controllerOf(pod, 'ReplicaSet');
  return [
    ['k8s.pod.name', nameOf(pod)],
    ['k8s.pod.uid', textAt(pod, 'metadata', 'uid')],
    ['k8s.replicaset.name', replicaSet],
    ['k8s.deployment.name', deploymentOfPod(replicaSet, textAt(pod, 'metadata', 'labels', 'pod-template-hash'))],
    ['k8s.node.name', textAt(pod, 'spec', 'nodeName')],
    ['k8s.pod.phase', textAt(pod, 'status', 'phase')],
  ];
}

function replicaSetAttributes(replicaSet: unknown): Pairs {
  return [
    ['k8s.replicaset.name', nameOf(replicaSet)],
    ['k8s.deployment.name', controllerOf(replicaSet, 'Deployment')],
  ];
}

function bindingAttributes(binding: unknown): Pairs {
  return [
    ['k8s.resource', 'pods'],
    ['k8s.subresource', 'binding'],
    ['k8s.pod.name', nameOf(binding)],
    ['k8s.node.name', textAt(binding, 'target', 'name')],
  ];
}

function nameOf(object: unknown): string | undefined {
  return textAt(object, 'metadata', 'name');
}

/** The name of the managing owner, if it is of this kind. */
function controllerOf(object: unknown, kind: string): string | undefined {
  const owners = at(object, 'metadata', 'ownerReferences');
  const controller = isJsonArray(owners)
    ? owners.find((owner) => own(owner, 'controller') === true && own(owner, 'kind') === kind)
    : undefined;
  return textAt(controller, 'name');
}

/** A deployment names its replica sets `<deployment>-<pod-template-hash>`; a replica set without that ending has no deployment. */
function deploymentOfPod(replicaSet: string | undefined, hash: string | undefined): string | undefined {
  if (replicaSet === undefined || hash === undefined || hash === '' || !replicaSet.endsWith(`-${hash}`))
    return undefined;
  return replicaSet.slice(0, -hash.length - 1);
}

const NAME_ATTRIBUTE: ReadonlyMap<string, string> = new Map([
  ['pods', 'k8s.pod.name'],
  ['replicasets', 'k8s.replicaset.name'],
  ['deployments', 'k8s.deployment.name'],
  ['nodes', 'k8s.node.name'],
  ['namespaces', 'k8s.namespace.name'],
]);

/** What a request's path (without query) alone says about its object. */
export function attributesOfPath(path: string): ObjectAttributes {
  const parsed = parseObjectPath(path);
  if (parsed === undefined) return {};
  const nameAttribute = NAME_ATTRIBUTE.get(parsed.resource);
  return {
    'k8s.resource': parsed.resource,
    ...(parsed.namespace === undefined ? {} : { 'k8s.namespace.name': parsed.namespace }),
    ...(parsed.name === undefined || nameAttribute === undefined ? {} : { [nameAttribute]: parsed.name }),
    ...(parsed.subresource === undefined ? {} : { 'k8s.subresource': parsed.subresource }),
  };
}

/** A request as its event describes it. */
export interface RequestDescription {
  readonly method: string;
  /** Path with query. */
  readonly url: string;
  readonly userAgent?: string | undefined;
  /** The body, as JSON. */
  readonly body?: unknown;
  /** The object that the request is about, as far as the one who describes knows it. */
  readonly object?: unknown;
}

/** Label and attributes of the event of an HTTP call; client and server describe calls by this one function. */
export function describeRequest(request: RequestDescription): {
  readonly label: string;
  readonly attributes: ObjectAttributes;
} {
  const { method, url, userAgent, body, object } = request;
  const [path = '', query = ''] = splitOnce(url, '?');
  return {
    label: `${method} ${path}`,
    attributes: {
      'http.request.method': method,
      'url.path': path,
      ...(query === '' ? {} : { 'url.query': query }),
      ...(userAgent === undefined ? {} : { 'user_agent.original': userAgent }),
      ...attributesOf(object),
      ...bodyAttributes(body, parseObjectPath(path)?.resource),
      ...attributesOfPath(path),
    },
  };
}

/** A patch's body is no whole object, so only what it says about the phase is taken from it. */
function bodyAttributes(body: unknown, resource: string | undefined): ObjectAttributes {
  const phase = resource === 'pods' ? phaseIn(body) : undefined;
  return {
    ...(isJsonObject(body) && textAt(body, 'kind') !== undefined ? attributesOf(body) : {}),
    ...(phase === undefined ? {} : { 'k8s.pod.phase': phase }),
  };
}

/** The phase that a status update sets: at `status.phase`, or as an operation of a JSON patch. */
function phaseIn(body: unknown): string | undefined {
  if (!isJsonArray(body)) return textAt(body, 'status', 'phase');
  const operation = body.findLast(
    (entry: Json) => own(entry, 'path') === '/status/phase' && own(entry, 'op') !== 'test',
  );
  return textAt(operation, 'value');
}

function splitOnce(text: string, separator: string): readonly string[] {
  const index = text.indexOf(separator);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}
