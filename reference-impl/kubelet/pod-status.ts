import {
  type Condition,
  type Container,
  type ContainerState as ReportedState,
  type ContainerStatus as ReportedContainer,
  equalJson,
  type Pod,
  type PodPhase,
  type PodStatus,
} from '../api/index.ts';
import { timestamp } from '../client/index.ts';
import type { ContainerState } from '../runtime/index.ts';

type Exited = Extract<ContainerState, { readonly kind: 'exited' }>;

/** A container's state as far as its kubelet needs it. */
export type KnownState =
  | Extract<ContainerState, { readonly kind: 'created' }>
  | { readonly kind: 'running'; readonly startedAt: number }
  | Exited;

/** A container as its kubelet knows it. */
export interface ContainerRecord {
  readonly spec: Container;
  /** What the runtime has of it now. */
  readonly instance: ContainerInstance<KnownState> | undefined;
  /** Why there is none yet. */
  readonly waiting: { readonly reason: string; readonly message?: string };
  readonly restarts: number;
  /** How the one before ended. */
  readonly last?: ContainerInstance<Exited>;
  /** Failures in a row, and when to try next, in milliseconds since the epoch. */
  readonly failures: number;
  readonly notBefore: number;
}

/** One container of the runtime: each restart makes a new one. */
export interface ContainerInstance<State> {
  readonly id: string;
  readonly state: State;
}

/** Whether the pod's policy asks for a container that has ended to be run again. */
export function restarts(pod: Pod, exitCode: number): boolean {
  switch (pod.spec.restartPolicy ?? 'Always') {
    case 'Always':
      return true;
    case 'OnFailure':
      return exitCode !== 0;
    case 'Never':
      return false;
  }
}

/** The phase that the containers amount to. */
export function phaseOf(pod: Pod, containers: readonly ContainerRecord[]): PodPhase {
  if (containers.some((one) => !hasStarted(one))) return 'Pending';
  const codes = containers.map(({ instance }) =>
    instance?.state.kind === 'exited' ? instance.state.exitCode : undefined,
  );
  if (codes.some((code) => code === undefined || restarts(pod, code))) return 'Running';
  return codes.every((code) => code === 0) ? 'Succeeded' : 'Failed';
}

function hasStarted({ instance, last }: ContainerRecord): boolean {
  return last !== undefined || (instance !== undefined && instance.state.kind !== 'created');
}

export interface StatusInput {
  readonly pod: Pod;
  readonly containers: readonly ContainerRecord[];
  readonly hostIp: string;
  readonly podIp: string;
  readonly startedAt: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The status told before: conditions that have not changed keep their times. */
  readonly before: PodStatus;
}

/** The whole status of a pod. */
export function podStatus(input: StatusInput): PodStatus {
  const { pod, containers, hostIp, podIp, startedAt, now, before } = input;
  const phase = phaseOf(pod, containers);
  const isReady = containers.every(({ instance }) => instance?.state.kind === 'running');
  const isOver = phase === 'Succeeded' || phase === 'Failed';
  const unready = isOver ? 'PodCompleted' : 'ContainersNotReady';
  const conditions: readonly Condition[] = [
    { type: 'PodScheduled', status: 'True' },
    { type: 'Initialized', status: 'True' },
    { type: 'ContainersReady', ...(isReady ? { status: 'True' } : { status: 'False', reason: unready }) },
    { type: 'Ready', ...(isReady ? { status: 'True' } : { status: 'False', reason: unready }) },
  ];
  return {
    phase,
    conditions: conditions.map((condition) => keepTime(condition, before.conditions, timestamp(now))),
    containerStatuses: containers.map((record) => reportedContainer(pod, record)),
    hostIP: hostIp,
    startTime: timestamp(startedAt),
    // A pod has its address once something runs in it.
    ...(phase === 'Pending' ? {} : { podIP: podIp }),
  };
}

function keepTime(condition: Condition, before: readonly Condition[] | undefined, now: string): Condition {
  const known = before?.find(({ type, status }) => type === condition.type && status === condition.status);
  return { ...condition, lastTransitionTime: known?.lastTransitionTime ?? now };
}

function reportedContainer(pod: Pod, record: ContainerRecord): ReportedContainer {
  const { spec, instance, restarts: restartCount } = record;
  const isRunning = instance?.state.kind === 'running';
  const last = backingOff(pod, instance) ?? record.last;
  return {
    name: spec.name,
    image: spec.image,
    imageID: instance === undefined ? '' : spec.image,
    ready: isRunning,
    started: isRunning,
    restartCount,
    ...(instance === undefined ? {} : { containerID: containerId(instance.id) }),
    state: reportedState(pod, record),
    ...(last === undefined ? {} : { lastState: { terminated: terminated(last) } }),
  };
}

/** The container, if it has ended and will be run again. */
function backingOff(pod: Pod, instance: ContainerRecord['instance']): ContainerInstance<Exited> | undefined {
  if (instance?.state.kind !== 'exited' || !restarts(pod, instance.state.exitCode)) return undefined;
  return { id: instance.id, state: instance.state };
}

function reportedState(pod: Pod, { instance, waiting }: ContainerRecord): ReportedState {
  if (instance === undefined || instance.state.kind === 'created') return { waiting };
  const { id, state } = instance;
  if (state.kind === 'running') return { running: { startedAt: timestamp(state.startedAt) } };
  if (restarts(pod, state.exitCode)) return { waiting: { reason: 'CrashLoopBackOff' } };
  return { terminated: terminated({ id, state }) };
}

function terminated({ id, state }: ContainerInstance<Exited>): NonNullable<ReportedState['terminated']> {
  const { exitCode, startedAt, finishedAt } = state;
  return {
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    startedAt: timestamp(startedAt),
    finishedAt: timestamp(finishedAt),
    containerID: containerId(id),
  };
}

function containerId(id: string): string {
  return `process://${id}`;
}

/** The fields of the status that are not as they were told before; undefined when nothing has changed. */
export function changedStatus(before: PodStatus, after: PodStatus): object | undefined {
  const known = new Map<string, unknown>(Object.entries(before));
  const changed = Object.entries(after).filter(([key, value]) => !equalJson(known.get(key), value));
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}
