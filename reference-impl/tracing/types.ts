import type { Attribute, EventKind, TraceEvent } from '../../harness/trace/types.ts';

export type { Attribute, EventKind, TraceEvent };

/** Attributes of an event; names follow OpenTelemetry where it has one. */
export type Attributes = Readonly<Record<string, Attribute>>;

/** A message as its sender (or, for a foreign sender, its receiver) describes it. */
export interface Message {
  readonly from: string;
  readonly to: string;
  readonly kind: EventKind;
  readonly label: string;
  /** For a reply: the id of its call. */
  readonly replyTo?: string | undefined;
  readonly status?: number | undefined;
  /** The event during whose handling this one was sent. Absent: the current cause (see `withCause`), if there is one. */
  readonly parent?: string | undefined;
  /** Further events that happened before: the other changes that one coalesced work item stands for. */
  readonly causes?: readonly string[] | undefined;
  readonly attributes?: Attributes | undefined;
}

/** Takes down what happens. All positions come from one counter, so the trace has one domain. */
export interface Recorder {
  /** Records that a message was put on the wire now; returns its id. Call `receive` with that id when it arrives. */
  send(message: Message): string;
  /**
   * Records that the message with this id arrived now; `attributes` are added where the sender did not know them.
   * False, and nothing is recorded, when the id is unknown (a foreign id, an earlier run) or was received before.
   */
  receive(id: string, attributes?: Attributes): boolean;
  /** A message that is sent and received in one step of this process (a store call, a local hand-over). Both points are recorded. */
  pass(message: Message): string;
  /** A message to a receiver that does not report receipts (a foreign client): only the send is recorded, and is final. */
  sendOnly(message: Message): string;
  /** A message from a sender that does not report sends: only the receipt is recorded, and is final. */
  receiveOnly(message: Message): string;
  /** The event with this id as known now, or undefined. */
  find(id: string): TraceEvent | undefined;
  /** Messages sent to a receiver that reports, and not yet received: what is in flight. */
  inFlight(): number;
  /** Closes the trace: an end marker is appended, later messages are not recorded. Idempotent. */
  finish(): void;
  isFinished(): boolean;
  /** Starts a new run: forgets everything, counts from 0 again. Ids of earlier runs are unknown from then on. */
  reset(): void;
  /** What a reader of the trace sees. */
  read(options?: ReadOptions): TraceReading;
  /** Calls `listener` after each change, until the returned function is called. */
  onChange(listener: () => void): () => void;
}

export interface ReadOptions {
  /** Only lines with a greater seq. Absent: from the beginning, including the begin marker. */
  readonly after?: number;
  /** At most this many lines. */
  readonly linesMax?: number;
  /**
   * Stop before the first event that is still in flight, unless it has been so for longer than the recorder's `settleMs`: a line
   * that was read then does not change any more. Default false: events in flight are shown with their send only.
   */
  readonly settledOnly?: boolean;
}

/** A line that is no event. `problem`: what is lost, as in RFC 9457. */
export type Marker =
  | { readonly kind: 'begin'; readonly seq: 0 }
  | { readonly kind: 'end'; readonly seq: number }
  | {
      readonly kind: 'problem';
      readonly seq: number;
      readonly type: string;
      readonly title: string;
      readonly detail: string;
    };

export type TraceLine = TraceEvent | Marker;

/** `gone`: the cursor points before what is kept, or beyond this run. */
export type TraceReading =
  | { readonly kind: 'lines'; readonly run: number; readonly version: number; readonly lines: readonly TraceLine[] }
  | { readonly kind: 'gone'; readonly detail: string };
