import { cpus, totalmem } from 'node:os';
import type { Node, NodeStatus } from '../api/index.ts';
import { type ApiClient, type Environment, isRefused, NODES, timestamp } from '../client/index.ts';

export interface NodeIdentity {
  readonly name: string;
  readonly hostIp: string;
  readonly podsMax: number;
}

/** Makes the node known to the API server, and says that it is ready. */
export async function registerNode(environment: Environment, client: ApiClient, node: NodeIdentity): Promise<Node> {
  const labels = { 'kubernetes.io/hostname': node.name, 'kubernetes.io/os': 'linux' };
  let known: Node;
  try {
    known = await client.create(NODES, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: node.name, labels },
      spec: {},
    });
  } catch (error) {
    if (!isRefused(error, 'AlreadyExists')) throw error;
    known = await client.get(NODES, { name: node.name });
  }
  const status = nodeStatus(node, environment.clock.now());
  return client.patch(NODES, known, { status }, { type: 'strategic-merge', subresource: 'status' });
}

/** Says that the node is still alive. */
export async function beat(environment: Environment, client: ApiClient, node: Node): Promise<void> {
  const heartbeat = { type: 'Ready', status: 'True', lastHeartbeatTime: timestamp(environment.clock.now()) };
  const patch = { status: { conditions: [heartbeat] } };
  await client.patch(NODES, node, patch, { type: 'strategic-merge', subresource: 'status' });
}

function nodeStatus({ name, hostIp, podsMax }: NodeIdentity, now: number): NodeStatus {
  const resources = { cpu: String(cpus().length), memory: `${Math.floor(totalmem() / 1024)}Ki`, pods: String(podsMax) };
  const time = timestamp(now);
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'KubeletReady',
    message: 'kubelet is posting ready status',
    lastHeartbeatTime: time,
    lastTransitionTime: time,
  } as const;
  return {
    capacity: resources,
    allocatable: resources,
    conditions: [ready],
    addresses: [
      { type: 'InternalIP', address: hostIp },
      { type: 'Hostname', address: name },
    ],
    nodeInfo: { kubeletVersion: 'v1.32.0', containerRuntimeVersion: 'process://1', operatingSystem: 'linux' },
  };
}
