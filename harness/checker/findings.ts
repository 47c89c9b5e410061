import type { Contract } from '../contract/index.ts';
import type { SourcedEvent, Trace } from '../trace/index.ts';
import type { InstanceVerdict } from '../verdict/index.ts';
import type { FailedCalls } from './answers.ts';
import type { LabelledEvent } from './labels.ts';
import type { Tally } from './tally.ts';

/** What was found out about a trace, or about several logs. */
export interface Findings {
  readonly contract: Contract;
  readonly trace: Trace;
  readonly inside: readonly LabelledEvent[];
  readonly unmatched: readonly SourcedEvent[];
  readonly standing: ReadonlyMap<number, readonly number[]>;
  readonly instances: readonly InstanceVerdict[];
  readonly reason: string | null;
  readonly failed: FailedCalls;
  /** Of those inside, the events without the whole key that no instance took; a stream does not follow them. */
  readonly ignored?: readonly LabelledEvent[];
  /** The events are those of one trace, not of the logs of some participants. */
  readonly isWhole?: true;
  /** What a stream counted; its events are examples then. */
  readonly tally?: Tally;
}
