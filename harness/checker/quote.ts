import type { SourcedEvent } from '../trace/index.ts';
import type { QuotedEvent } from '../verdict/index.ts';

/** An event as a verdict quotes it. */
export function quote({ event, source, line }: SourcedEvent): QuotedEvent {
  const { seq, from, to, kind, label, status, time, attributes } = event;
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
