import { statusOf } from './labels.ts';
import type { SourcedEvent } from '../trace/index.ts';
import type { QuotedEvent } from '../verdict/index.ts';

/** An event as a verdict quotes it. */
export function quote({ event, source, line }: SourcedEvent): QuotedEvent {
  const { seq, from, to, kind, label, time, attributes } = event;
  const status = kind === 'reply' ? statusOf(event) : event.status;
  return {
    seq,
    source,
    line,
    from,
    to,
    kind,
    label,
    ...(status === undefined ? {} : { status }),
    ...(time === undefined ? {} : { time }),
    ...(attributes === undefined ? {} : { attributes }),
  };
}
