import { PATIENCE, within, type Patience } from './patience.ts';
import type { Kind, Scenario, Step } from './scenario.ts';
import type { RunningSystem } from './types.ts';

export interface DriveOptions {
  /** How long one `await` may take before the scenario counts as stuck. */
  readonly awaitTimeoutMs?: number;
  readonly patience?: Pick<Patience, 'stepMs' | 'requestMs'>;
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
  const { stepMs } = options.patience ?? PATIENCE;
  switch (step.do) {
    case 'pause':
      await within(stepMs, `pause("${step.component}")`, () => system.pause(step.component), options.signal);
      return null;
    case 'resume':
      await within(stepMs, `resume("${step.component}")`, () => system.resume(step.component), options.signal);
      return null;
    case 'create':
      return send(
        system,
        'POST',
        collectionOf(step.kind),
        manifestOf(step.kind, step.name, step.replicas ?? 1),
        options,
      );
    case 'scale':
      return send(
        system,
        'PATCH',
        `${collectionOf(step.kind)}/${step.name}/scale`,
        {
          spec: { replicas: step.replicas },
        },
        options,
      );
    case 'delete':
      return send(system, 'DELETE', `${collectionOf(step.kind)}/${step.name}`, undefined, options);
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

async function send(
  system: RunningSystem,
  method: string,
  path: string,
  body: unknown,
  options: DriveOptions,
): Promise<StepProblem> {
  const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const { isOk, status, text } = await request(
    system,
    path,
    {
      method,
      headers: { 'user-agent': USER_AGENT, 'content-type': contentType },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    },
    options,
  );
  if (isOk) return null;
  return { kind: 'refused', message: `${method} ${path} was answered ${status}: ${text.slice(0, 300)}` };
}

interface Answer {
  readonly isOk: boolean;
  readonly status: number;
  readonly text: string;
}

/** One request, answered in time and with a body of bounded length; anything else is thrown, by name. */
function request(system: RunningSystem, path: string, init: RequestInit, options: DriveOptions): Promise<Answer> {
  const what = `${init.method ?? 'GET'} ${system.apiUrl}${path}`;
  const ended = new AbortController();
  const ask = async (): Promise<Answer> => {
    const response = await fetch(system.apiUrl + path, { ...init, signal: ended.signal }).catch((error: unknown) => {
      throw new Error(`${what} failed${causeOf(error)}`);
    });
    return { isOk: response.ok, status: response.status, text: await bodyOf(response, what) };
  };
  return within((options.patience ?? PATIENCE).requestMs, what, ask, options.signal).finally(() => {
    ended.abort();
  });
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : null;
  return cause === null || cause.message === '' ? '' : `: ${cause.message}`;
}

const BODY_BYTES_MAX = 64 * 1024 * 1024;

async function bodyOf(response: Response, what: string): Promise<string> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  if (response.body === null) return text;
  const body: AsyncIterable<Uint8Array> = response.body;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > BODY_BYTES_MAX) throw new Error(`${what} was answered with more than ${BODY_BYTES_MAX} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
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
    const phases = await phasesOf(system, step, options);
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

async function phasesOf(
  system: RunningSystem,
  { kind, name }: { readonly kind: Kind; readonly name: string },
  options: DriveOptions,
): Promise<string[]> {
  const query = kind === 'pod' ? `fieldSelector=metadata.name%3D${name}` : `labelSelector=app%3D${name}`;
  const path = `${COLLECTIONS.pod}?${query}`;
  const { status, text } = await request(system, path, { headers: { 'user-agent': USER_AGENT } }, options);
  const body = jsonOf(text);
  if (body === undefined) throw new Error(`GET ${path} was answered ${status} with something that is not JSON`);
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

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
