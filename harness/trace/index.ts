export type * from './types.ts';
export { createTraceReader, readTraceText } from './read-trace.ts';
export type { TraceLimits, TraceReader } from './read-trace.ts';
export { fetchTrace, pollRecords, pollTrace } from './fetch-trace.ts';
export type { Clock, FetchTraceOptions, PolledRecords, PollTraceOptions, RecordKeeper } from './fetch-trace.ts';
export { createRecorder, toNdjson } from './recorder.ts';
export type { MessageDraft, Recorder, ReplyDraft } from './recorder.ts';
export { traceEventSchema } from './schema.ts';
export { firstShownEnd, hasOneDomain, proveOrder, receiptEnd, receivedDomainOf } from './proven-order.ts';
export type { Proof, ProvenOrder } from './proven-order.ts';
export {
  EMPTY_TEXT,
  EVENT_KINDS,
  EVENT_POINTS,
  IS_CALL,
  IS_READ,
  NO_ID,
  NO_TEXT,
  NumberedReader,
  Numbering,
  Texts,
} from './numbered/index.ts';
export type {
  AttributeUse,
  Id,
  NumberedEvent,
  NumberedReaderOptions,
  NumberedSink,
  NumberedTrace,
  NumberingOptions,
  RecentIds,
  Shape,
  Text,
} from './numbered/index.ts';
