import type { Kind, Scenario, Step } from './scenario.ts';
import type { RunningSystem } from './types.ts';

export interface DriveOptions {
  /** How long one `await` may take before the scenario counts as stuck. */
  readonly awaitTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** What a scenario came to. `stuck`: an `await` ran out of time: the system has stopped short, which is a finding, not a fault of ours. */
export type Driven =
  | { readonly kind: 'done' }
  | { readonly kind: 'stuck'; readonly step: number; readonly message: string }
  | { readonly kind: 'refused'; readonly step: number; readonly message: string };

const AWAIT_TIMEOUT_MS = 20_000;
const POLL_MS = 20;
const NAMESPACE = 'default';
const USER_AGENT = 'asdrawn-driver';

/** Plays a scenario as the participant User, over plain HTTP, with Kubernetes' own paths. */
export async function drive(system: RunningSystem, scenario: Scenario, options: DriveOptions = {}): Promise<Driven> {
  for (const [index, step] of scenario.steps.entries()) {
    const outcome = await playStep(system, step, options);
    if (outcome !== null) return { ...outcome, step: index };
  }
  return { kind: 'done' };
}

type StepProblem = { readonly kind: 'stuck' | 'refused'; readonly message: string } | null;

async function playStep(system: RunningSystem, step: Step, options: DriveOptions): Promise<StepProblem> {
  switch (step.do) {
    case 'pause':
      await system.pause(step.component);
      return null;
    case 'resume':
      await system.resume(step.component);
      return null;
    case 'create':
      return send(system, 'POST', collectionOf(step.kind), manifestOf(step.kind, step.name, step.replicas ?? 1));
    case 'scale':
      return send(system, 'PATCH', `${collectionOf(step.kind)}/${step.name}/scale`, {
        spec: { replicas: step.replicas },
      });
    case 'delete':
      return send(system, 'DELETE', `${collectionOf(step.kind)}/${step.name}`, undefined);
    case 'await':
      return awaitPods(system, step, options);
  }
}

const COLLECTIONS: Readonly<Record<Kind, string>> = {
  pod: `/api/v1/namespaces/${NAMESPACE}/pods`,
  replicaset: `/apis/apps/v1/namespaces/${NAMESPACE}/replicasets`,
  deployment: `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`,
};

const collectionOf = (kind: Kind): string => COLLECTIONS[kind];

async function send(system: RunningSystem, method: string, path: string, body: unknown): Promise<StepProblem> {
  const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const response = await fetch(system.apiUrl + path, {
    method,
    headers: { 'user-agent': USER_AGENT, 'content-type': contentType },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.ok) return null;
  return { kind: 'refused', message: `${method} ${path} was answered ${response.status}: ${text.slice(0, 300)}` };
}

/** Polls the pods of an object until there are as many, and as many Running, as awaited. */
async function awaitPods(
  system: RunningSystem,
  step: Step & { readonly do: 'await' },
  options: DriveOptions,
): Promise<StepProblem> {
  const deadline = performance.now() + (options.awaitTimeoutMs ?? AWAIT_TIMEOUT_MS);
  let seen = 'nothing';
  while (performance.now() < deadline && options.signal?.aborted !== true) {
    const phases = await phasesOf(system, step.kind, step.name);
    const running = phases.filter((phase) => phase === 'Running').length;
    if (phases.length === step.pods && running === step.running) return null;
    seen = `${phases.length} pods, ${running} Running`;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return {
    kind: 'stuck',
    message: `${step.kind} ${step.name}: awaited ${step.pods} pods, ${step.running} Running; there are ${seen}`,
  };
}

async function phasesOf(system: RunningSystem, kind: Kind, name: string): Promise<string[]> {
  const query = kind === 'pod' ? `fieldSelector=metadata.name%3D${name}` : `labelSelector=app%3D${name}`;
  const response = await fetch(`${system.apiUrl}${COLLECTIONS.pod}?${query}`, {
    headers: { 'user-agent': USER_AGENT },
  });
  const body: unknown = await response.json();
  const items = isRecord(body) && Array.isArray(body['items']) ? (body['items'] as readonly unknown[]) : [];
  return items.map((item) => {
    const status = isRecord(item) ? item['status'] : undefined;
    const phase = isRecord(status) ? status['phase'] : undefined;
    return typeof phase === 'string' ? phase : 'Pending';
  });
}

function manifestOf(kind: Kind, name: string, replicas: number): unknown {
  const labels = { app: name };
  const podSpec = { containers: [{ name: 'main', image: 'pause' }] };
  if (kind === 'pod') return { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels }, spec: podSpec };
  return {
    apiVersion: 'apps/v1',
    kind: kind === 'replicaset' ? 'ReplicaSet' : 'Deployment',
    metadata: { name, labels },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } },
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
