export { withCause, currentCause } from './context.ts';
export { REQUEST_ID_HEADER, REPLY_ID_HEADER, WATCH_HEADER } from './headers.ts';
export { API_SERVER, STORE, USER, participantOf } from './participants.ts';
export { createRecorder } from './recorder.ts';
export type { RecorderOptions } from './recorder.ts';
export { createTraceEndpoint, traceRouter } from './trace-router.ts';
export type * from './types.ts';
