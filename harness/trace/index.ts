export type * from './types.ts';
export { createTraceReader, readTraceText } from './read-trace.ts';
export type { TraceLimits, TraceReader } from './read-trace.ts';
export { fetchTrace, pollTrace } from './fetch-trace.ts';
export type { Clock, FetchTraceOptions, PollTraceOptions } from './fetch-trace.ts';
export { createRecorder, toNdjson } from './recorder.ts';
export type { MessageDraft, Recorder, ReplyDraft } from './recorder.ts';
export { traceEventSchema } from './schema.ts';
