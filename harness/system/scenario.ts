import type { StartOptions } from './types.ts';

export type Kind = 'pod' | 'replicaset' | 'deployment';

/** One thing that the User does, or waits for. Plain data: a scenario can be written to a file and repeated. */
export type Step =
  | { readonly do: 'create'; readonly kind: Kind; readonly name: string; readonly replicas?: number }
  | {
      readonly do: 'scale';
      readonly kind: 'replicaset' | 'deployment';
      readonly name: string;
      readonly replicas: number;
    }
  | { readonly do: 'delete'; readonly kind: Kind; readonly name: string }
  | { readonly do: 'pause' | 'resume'; readonly component: string }
  /** Until exactly `pods` pods of it exist and `running` of them are Running; `pods: 0` waits until they are gone. */
  | {
      readonly do: 'await';
      readonly kind: Kind;
      readonly name: string;
      readonly pods: number;
      readonly running: number;
    };

export interface Scenario {
  readonly name: string;
  readonly start: StartOptions;
  readonly steps: readonly Step[];
}

export const PLAIN_START: StartOptions = {
  nodes: 2,
  dispatch: 'respond-first',
  replyDelaysMs: [],
  watchDelaysMs: [],
  mutants: [],
};

export const STEPS_MAX = 1_000;

/** Reads a scenario from untrusted JSON; a string says what is wrong, with the path to it. */
export function readScenario(text: string): Scenario | string {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return `not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (!isRecord(json)) return 'a scenario is an object {name, start, steps}';
  const { name, steps } = json;
  if (typeof name !== 'string') return 'name: a string is missing';
  if (!Array.isArray(steps)) return 'steps: an array is missing';
  if (steps.length > STEPS_MAX) return `steps: more than ${STEPS_MAX}`;
  const start = readStart(json['start'] ?? {});
  if (typeof start === 'string') return start;
  const read: Step[] = [];
  for (const [index, value] of steps.entries()) {
    const step = readStep(value);
    if (typeof step === 'string') return `steps[${index}]: ${step}`;
    read.push(step);
  }
  return { name, start, steps: read };
}

function readStart(value: unknown): StartOptions | string {
  if (!isRecord(value)) return 'start: an object {nodes, dispatch, replyDelaysMs, watchDelaysMs, mutants}';
  const unknown = Object.keys(value).find((key) => !Object.hasOwn(PLAIN_START, key));
  if (unknown !== undefined) return `start.${unknown}: not known; write one of ${Object.keys(PLAIN_START).join(', ')}`;
  const merged = { ...PLAIN_START, ...value };
  const { nodes, dispatch, replyDelaysMs, watchDelaysMs, mutants } = merged as Record<string, unknown>;
  if (!isCount(nodes, 1, 100)) return 'start.nodes: a whole number from 1 to 100';
  if (dispatch !== 'free' && dispatch !== 'respond-first') return 'start.dispatch: "free" or "respond-first"';
  if (!isList(replyDelaysMs, isDelay)) return 'start.replyDelaysMs: a list of milliseconds, each at most 60000';
  if (!isList(watchDelaysMs, isDelay)) return 'start.watchDelaysMs: a list of milliseconds, each at most 60000';
  if (!isList(mutants, isText)) return 'start.mutants: a list of names';
  return { nodes, dispatch, replyDelaysMs, watchDelaysMs, mutants };
}

function readStep(value: unknown): Step | string {
  if (!isRecord(value)) return 'a step is an object {do, …}';
  const { kind, name, replicas, component, pods, running } = value;
  switch (value['do']) {
    case 'pause':
    case 'resume':
      return isText(component) ? { do: value['do'], component } : 'component: a name is missing';
    case 'create':
      if (!isKind(kind) || !isText(name)) return 'create needs kind (pod, replicaset, deployment) and name';
      if (replicas !== undefined && !isCount(replicas, 0, 1_000)) return 'replicas: a whole number from 0 to 1000';
      return { do: 'create', kind, name, ...(replicas === undefined ? {} : { replicas }) };
    case 'scale':
      if (!isKind(kind) || kind === 'pod' || !isText(name)) return 'scale needs kind (replicaset, deployment) and name';
      return isCount(replicas, 0, 1_000)
        ? { do: 'scale', kind, name, replicas }
        : 'replicas: a whole number from 0 to 1000';
    case 'delete':
      return isKind(kind) && isText(name) ? { do: 'delete', kind, name } : 'delete needs kind and name';
    case 'await':
      if (!isKind(kind) || !isText(name)) return 'await needs kind and name';
      if (!isCount(pods, 0, 1_000) || !isCount(running, 0, 1_000)) return 'await needs pods and running, whole numbers';
      return { do: 'await', kind, name, pods, running };
    default:
      return 'do: one of create, scale, delete, pause, resume, await';
  }
}

/** Kubernetes names: lower case letters, digits and `-`; so they are safe in a path. */
const NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string' && NAME.test(value);
const isKind = (value: unknown): value is Kind => value === 'pod' || value === 'replicaset' || value === 'deployment';
const isCount = (value: unknown, min: number, max: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
const isDelay = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 60_000;
const isList = <T>(value: unknown, item: (entry: unknown) => entry is T): value is readonly T[] =>
  Array.isArray(value) && value.length <= 1_000 && value.every(item);
