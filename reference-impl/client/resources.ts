import {
  type Deployment,
  type KubernetesObject,
  type Node,
  type OwnerReference,
  pathOf,
  type Pod,
  type ReplicaSet,
  type Resource,
  resourceNamed,
} from '../api/index.ts';

/** A served resource, tied to the type of its objects. */
export interface ResourceOf<T extends KubernetesObject> {
  readonly row: Resource;
  /** Never there: it carries the type. */
  readonly object?: T;
}

function resource<T extends KubernetesObject>(name: string): ResourceOf<T> {
  const row = resourceNamed(name);
  if (row === undefined) throw new Error(`the table of resources has no row ${name}, although components need it`);
  return { row };
}

export const PODS: ResourceOf<Pod> = resource('pods');
export const NODES: ResourceOf<Node> = resource('nodes');
export const REPLICA_SETS: ResourceOf<ReplicaSet> = resource('replicasets');
export const DEPLOYMENTS: ResourceOf<Deployment> = resource('deployments');

/** Where an object, a collection or a part of an object is. */
export interface Location {
  readonly namespace?: string | undefined;
  readonly name?: string;
  readonly subresource?: 'status' | 'binding' | 'scale';
}

/** The URL path of a location. */
export function locate(of: ResourceOf<KubernetesObject>, { namespace, name, subresource }: Location): string {
  return `${pathOf(of.row, namespace, name)}${subresource === undefined ? '' : `/${subresource}`}`;
}

/** Where an object is. */
export function locationOf({ metadata }: Pick<KubernetesObject, 'metadata'>): {
  namespace: string | undefined;
  name: string;
} {
  return { namespace: metadata.namespace, name: metadata.name };
}

/** The name of an object among all of its kind: `namespace/name`, or `name` where there is no namespace. */
export function keyOf({ metadata }: Pick<KubernetesObject, 'metadata'>): string {
  return metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
}

/** The reference to the controller that manages an object, if one does. */
export function controllerOf({ metadata }: Pick<KubernetesObject, 'metadata'>): OwnerReference | undefined {
  return metadata.ownerReferences?.find((owner) => owner.controller === true);
}

/** The reference that makes `owner` the managing controller of the object that carries it. */
export function controllerReference({ apiVersion, kind, metadata }: KubernetesObject): OwnerReference {
  const { name, uid } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
