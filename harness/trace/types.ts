/**
 * What happened. An event is the occurrence of one message; a trace is a sequence of events in one linear extension of
 * their causal order. JSON Schema of one line: specs/trace-event.schema.json.
 */

/** `call` expects a `reply`; `async` is a message without one; `lost` was sent and not received; `self` has one participant. */
export type EventKind = 'call' | 'reply' | 'async' | 'lost' | 'self';

export type Attribute = string | number | boolean;

export interface TraceEvent {
  /** Position of the send in its domain; strictly increasing along a trace of one domain. */
  readonly seq: number;
  readonly from: string;
  readonly to: string;
  readonly kind: EventKind;
  readonly label: string;
  /** Unique in the trace. */
  readonly id?: string;
  /** `id` of the call that this reply answers. */
  readonly replyTo?: string;
  /** Position of the receipt, in `receivedDomain`. Without it the event has one position, and `point` says which. */
  readonly receivedSeq?: number;
  /** For an event with one position: which end it shows; `both` (the default): one instant on both lifelines. */
  readonly point?: 'send' | 'receive' | 'both';
  /** Milliseconds since the epoch, fractions allowed, of the send and of the receipt. */
  readonly time?: number;
  readonly receivedTime?: number;
  /** The clock and order that `seq` and `time` belong to; absent: the one domain of the trace. */
  readonly domain?: string;
  /** The clock and order that `receivedSeq` and `receivedTime` belong to; absent: `domain`. */
  readonly receivedDomain?: string;
  /** Status of a reply: an HTTP or gRPC status code. */
  readonly status?: number;
  /** `id` of the event during whose handling this one was sent. */
  readonly parent?: string;
  /** Further `id`s that happened before this one: they were sent before, and received before if its sender received them. */
  readonly causes?: readonly string[];
  readonly traceId?: string;
  readonly attributes?: Readonly<Record<string, Attribute>>;
}

/** An event and where it was read: `source` is a file name or URL, `line` 1-based in it. */
export interface SourcedEvent {
  readonly event: TraceEvent;
  readonly source: string;
  readonly line: number;
}

/**
 * `begun`: the trace declares its beginning (`{"kind":"begin"}`), so an instance whose first event cannot begin a drawing violates it.
 * `ended`: it holds an end marker (`{"kind":"end"}`), so what is missing is missing for good.
 */
export interface Trace {
  readonly events: readonly SourcedEvent[];
  readonly begun: boolean;
  readonly ended: boolean;
}
