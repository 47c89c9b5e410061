/** A kind of object that the API server serves. */
export interface Resource {
  /** Plural, lower case: as in paths and in store keys. */
  readonly name: string;
  readonly singular: string;
  readonly kind: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly apiVersion: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly subresources: readonly Subresource[];
}

export type Subresource = 'status' | 'binding' | 'scale';

/** One row per resource; nothing else is needed to serve one more. */
export const RESOURCES: readonly Resource[] = [
  core('pods', 'Pod', ['po'], ['status', 'binding']),
  { ...core('nodes', 'Node', ['no'], ['status']), namespaced: false },
  { ...core('namespaces', 'Namespace', ['ns'], ['status']), namespaced: false },
  core('events', 'Event', ['ev'], []),
  apps('replicasets', 'ReplicaSet', ['rs'], ['status', 'scale']),
  apps('deployments', 'Deployment', ['deploy'], ['status', 'scale']),
];

type Row = [name: string, kind: string, shortNames: readonly string[], subresources: readonly Subresource[]];

function core(...[name, kind, shortNames, subresources]: Row): Resource {
  const singular = kind.toLowerCase();
  return { name, singular, kind, group: '', apiVersion: 'v1', namespaced: true, shortNames, subresources };
}

function apps(...row: Row): Resource {
  return { ...core(...row), group: 'apps', apiVersion: 'apps/v1' };
}

/** The resource of a plural name; undefined when it is not served. */
export function resourceNamed(name: string): Resource | undefined {
  return RESOURCES.find((resource) => resource.name === name);
}

/** The resource of a kind; undefined when it is not served. */
export function resourceOfKind(kind: string): Resource | undefined {
  return RESOURCES.find((resource) => resource.kind === kind);
}

/** What a path below `/api/v1` or `/apis/GROUP/VERSION` names. */
export interface ObjectPath {
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

const PREFIX = /^\/(?:api\/v1|apis\/[^/]+\/[^/]+)\//;

/** Reads a request path (without query); undefined when it names no resource (`/version`, `/apis`). */
export function parseObjectPath(path: string): ObjectPath | undefined {
  const prefix = PREFIX.exec(path)?.[0];
  if (prefix === undefined) return undefined;
  const parts = path.slice(prefix.length).split('/').map(decoded);
  // `/namespaces/default/pods` names pods, `/namespaces/default` and its subresources the namespace itself.
  const inNamespace = parts[0] === 'namespaces' && parts[2] !== undefined && resourceNamed(parts[2]) !== undefined;
  const [resource, name, subresource] = inNamespace ? parts.slice(2) : parts;
  if (resource === undefined || resource === '') return undefined;
  const namespace = inNamespace ? parts[1] : undefined;
  return {
    resource,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined || name === '' ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

/** A percent-encoded segment as text; kept as it is when it is not well-formed. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The path of a collection, or of one object in it. */
export function pathOf(resource: Resource, namespace?: string, name?: string): string {
  const group = resource.group === '' ? '/api/v1' : `/apis/${resource.apiVersion}`;
  const scope = resource.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${group}${scope}/${resource.name}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
}
