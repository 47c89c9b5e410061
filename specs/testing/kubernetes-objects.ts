import type { Attribute } from '../../harness/trace/index.ts';
import { isRecord, listAt, textAt, type TapRecord } from './tap-records.ts';

type Attributes = Readonly<Record<string, Attribute>>;

/** The attribute that names an object, by its resource. */
const NAME_ATTRIBUTE: ReadonlyMap<string, string> = new Map([
  ['pods', 'k8s.pod.name'],
  ['replicasets', 'k8s.replicaset.name'],
  ['deployments', 'k8s.deployment.name'],
  ['nodes', 'k8s.node.name'],
]);

const RESOURCE_OF_KIND: ReadonlyMap<string, string> = new Map([
  ['Pod', 'pods'],
  ['ReplicaSet', 'replicasets'],
  ['Deployment', 'deployments'],
  ['Node', 'nodes'],
]);

/** Names under which etcd keeps resources whose keys are older than their names. */
const RESOURCE_OF_KEY: ReadonlyMap<string, string> = new Map([['minions', 'nodes']]);

interface Owners {
  readonly replicaSet: string | null;
  readonly deployment: string | null;
}

/**
 * Who owns what, and which container belongs to which pod, as far as the whole recording tells. Instrumentation knows it
 * (the OpenTelemetry collector's k8sattributes processor puts the owners' names on everything about a pod); a tap sees one
 * message at a time, and a request to start a container names the container alone.
 */
export class KubernetesObjects {
  readonly #replicaSetOfPod = new Map<string, string>();
  readonly #deploymentOfReplicaSet = new Map<string, string>();
  readonly #nameOfContainer = new Map<string, string>();

  constructor(records: readonly TapRecord[]) {
    const requests = new Map(records.flatMap((record) => (record.kind === 'req' ? [[record.id, record]] : [])));
    for (const record of records) {
      if (record.tap === 'docker') this.#learnContainer(record, requests.get(record.id)?.url ?? '');
      else for (const object of objectsIn(record)) this.#learnOwner(object);
    }
  }

  ownersOf(kind: 'Pod' | 'ReplicaSet', name: string | null, object: unknown = null): Owners {
    const replicaSet =
      kind === 'ReplicaSet'
        ? name
        : (controllerOf(object, 'ReplicaSet') ?? this.#replicaSetOfPod.get(name ?? '') ?? null);
    const deployment =
      (kind === 'ReplicaSet' ? controllerOf(object, 'Deployment') : null) ??
      this.#deploymentOfReplicaSet.get(replicaSet ?? '') ??
      null;
    return { replicaSet, deployment };
  }

  /** Of an object of which only resource, namespace and name are known. */
  attributesOfName(resource: string, namespace: string | null, name: string | null): Attributes {
    const attribute = NAME_ATTRIBUTE.get(resource);
    return present({
      'k8s.resource': resource,
      'k8s.namespace.name': namespace,
      ...(attribute === undefined ? {} : { [attribute]: name }),
      ...(resource === 'pods' || resource === 'replicasets' ? this.#ownerAttributes(resource, name, null) : {}),
    });
  }

  attributesOfKey(key: string): Attributes {
    const [, registry, kept, ...rest] = key.split('/');
    if (registry !== 'registry' || kept === undefined) return {};
    const [name, namespace] = rest.filter((part) => part !== '').reverse();
    return this.attributesOfName(RESOURCE_OF_KEY.get(kept) ?? kept, namespace ?? null, name ?? null);
  }

  attributesOfObject(resource: string, object: unknown): Attributes {
    const name = textAt(object, 'metadata', 'name');
    return present({
      ...this.attributesOfName(resource, textAt(object, 'metadata', 'namespace'), name),
      ...(resource === 'pods' || resource === 'replicasets' ? this.#ownerAttributes(resource, name, object) : {}),
      ...(resource === 'pods'
        ? {
            'k8s.pod.uid': textAt(object, 'metadata', 'uid'),
            'k8s.node.name': textAt(object, 'spec', 'nodeName'),
            'k8s.pod.phase': textAt(object, 'status', 'phase'),
          }
        : {}),
    });
  }

  attributesOfContainer(id: string | null | undefined): Attributes {
    const name = this.#nameOfContainer.get(id ?? '');
    return present({ 'container.id': id ?? null, ...(name === undefined ? {} : this.attributesOfContainerName(name)) });
  }

  /** The kubelet calls a container `k8s_CONTAINER_POD_NAMESPACE_UID_ATTEMPT`; the one that holds the pod's network is `POD`. */
  attributesOfContainerName(name: string): Attributes {
    const [prefix, container, pod, namespace, uid, attempt] = name.replace(/^\//, '').split('_');
    if (prefix !== 'k8s' || container === undefined || pod === undefined) return {};
    return present({
      'container.name': container,
      'k8s.namespace.name': namespace ?? null,
      'k8s.pod.name': pod,
      'k8s.pod.uid': uid ?? null,
      'k8s.container.restart_count': Number(attempt ?? 0),
      ...this.#ownerAttributes('pods', pod, null),
    });
  }

  #ownerAttributes(
    resource: 'pods' | 'replicasets',
    name: string | null,
    object: unknown,
  ): Record<string, string | null> {
    const { replicaSet, deployment } = this.ownersOf(resource === 'pods' ? 'Pod' : 'ReplicaSet', name, object);
    return { 'k8s.replicaset.name': replicaSet, 'k8s.deployment.name': deployment };
  }

  #learnOwner(object: unknown): void {
    const [kind, name] = [textAt(object, 'kind'), textAt(object, 'metadata', 'name')];
    if (name === null) return;
    const [replicaSet, deployment] = [controllerOf(object, 'ReplicaSet'), controllerOf(object, 'Deployment')];
    if (kind === 'Pod' && replicaSet !== null) this.#replicaSetOfPod.set(name, replicaSet);
    if (kind === 'ReplicaSet' && deployment !== null) this.#deploymentOfReplicaSet.set(name, deployment);
  }

  #learnContainer({ kind, body }: TapRecord, url: string): void {
    if (kind !== 'res') return;
    for (const container of Array.isArray(body) ? body : [body]) {
      const id = textAt(container, 'Id');
      const [listed] = listAt(container, 'Names');
      const created = /\/containers\/create\?(?:.*&)?name=([^&]*)/.exec(url)?.[1];
      const name = textAt(container, 'Name') ?? (typeof listed === 'string' ? listed : (created ?? null));
      if (id !== null && name !== null) this.#nameOfContainer.set(id, name);
    }
  }
}

/** What an API object says of itself; nothing of a kind that no drawing speaks of. */
export function attributesOfObject(object: unknown, objects: KubernetesObjects): Attributes {
  const resource = RESOURCE_OF_KIND.get(textAt(object, 'kind') ?? '');
  return resource === undefined ? {} : objects.attributesOfObject(resource, object);
}

/** What a request says: by its path, and by its body, which may be a whole object, a binding, or a patch of a status. */
export function attributesOfRequest(path: string, body: unknown, objects: KubernetesObjects): Attributes {
  const address = addressOf(path);
  if (address === null) return {};
  const { resource, namespace, name, subresource } = address;
  const isPod = resource === 'pods';
  return present({
    ...attributesOfObject(body, objects),
    ...objects.attributesOfName(resource, namespace, name ?? textAt(body, 'metadata', 'name')),
    'k8s.subresource': subresource,
    ...(isPod && name === null ? controllersIn(body, objects) : {}),
    ...(isPod && subresource === 'binding' ? { 'k8s.node.name': textAt(body, 'target', 'name') } : {}),
    ...(isPod && textAt(body, 'status', 'phase') !== null ? { 'k8s.pod.phase': textAt(body, 'status', 'phase') } : {}),
  });
}

/** A pod that is asked for has no name yet, but it has an owner. */
function controllersIn(body: unknown, objects: KubernetesObjects): Record<string, string | null> {
  const { replicaSet, deployment } = objects.ownersOf('Pod', null, body);
  return { 'k8s.replicaset.name': replicaSet, 'k8s.deployment.name': deployment };
}

/** The etcd key of the object that a request is about; its name may be known from the reply only. Null: none, or many. */
export function findObject(path: string, reply: unknown): string | null {
  const address = addressOf(path);
  if (address === null) return null;
  const { resource, namespace } = address;
  const name = address.name ?? textAt(reply, 'metadata', 'name');
  if (name === null) return null;
  const kept = [...RESOURCE_OF_KEY].find(([, known]) => known === resource)?.[0] ?? resource;
  return ['/registry', kept, ...(namespace === null ? [] : [namespace]), name].join('/');
}

interface Address {
  readonly resource: string;
  readonly namespace: string | null;
  readonly name: string | null;
  readonly subresource: string | null;
}

function addressOf(path: string): Address | null {
  const parts = path.split('/').slice(1);
  const rest = parts[0] === 'api' ? parts.slice(2) : parts[0] === 'apis' ? parts.slice(3) : [];
  const isNamespaced = rest[0] === 'namespaces' && rest.length > 2;
  const [resource, name, subresource] = isNamespaced ? rest.slice(2) : rest;
  if (resource === undefined) return null;
  return {
    resource,
    namespace: isNamespaced ? (rest[1] ?? null) : null,
    name: name ?? null,
    subresource: subresource ?? null,
  };
}

/** Every object that a message carries. */
function objectsIn({ body, event }: TapRecord): readonly unknown[] {
  const written = listAt(body, 'success').flatMap((done) =>
    isRecord(done) && isRecord(done['put']) ? [done['put']] : [],
  );
  const told = listAt(body, 'events').flatMap((change) => (isRecord(change) ? [change['kv'], change['prevKv']] : []));
  const read = listAt(body, 'kvs');
  return [
    body,
    ...(isRecord(event) ? [event['object']] : []),
    ...[...written, ...told, ...read].map((entry) => (isRecord(entry) ? entry['value'] : null)),
  ];
}

function controllerOf(object: unknown, kind: string): string | null {
  const owner = listAt(object, 'metadata', 'ownerReferences').find((reference) => textAt(reference, 'kind') === kind);
  return textAt(owner, 'name');
}

/** Without what is not known. */
function present(attributes: Readonly<Record<string, Attribute | null>>): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([key, value]) => (value === null ? [] : [[key, value] as const])),
  );
}
