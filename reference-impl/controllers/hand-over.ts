import type { Cause } from '../client/index.ts';
import type { Attributes, Recorder } from '../tracing/index.ts';

/** A key that leaves the controller manager's queue for one of its controllers. */
export interface HandOver {
  readonly to: string;
  readonly label: string;
  readonly causes: readonly Cause[];
  /** Most telling first: the first of them that is among the causes is what the hand-over is about. */
  readonly resources: readonly string[];
  readonly attributes: Attributes;
}

const FROM = 'ControllerManager';

/** Records the hand-over, which happens in one step; returns its event. */
export function handOver(recorder: Recorder, { to, label, causes, resources, attributes }: HandOver): string {
  const resource = resources.find((name) => causes.some((cause) => cause.resource === name)) ?? resources.at(-1) ?? '';
  return recorder.pass({
    from: FROM,
    to,
    kind: 'async',
    label,
    parent: causes.findLast((cause) => cause.resource === resource)?.id,
    causes: causes.map(({ id }) => id).filter((id) => id !== undefined),
    attributes: { ...attributes, 'k8s.resource': resource },
  });
}
