export { AttributeUses, isDecidedByShape, type ValuePlaces } from './attribute-uses.ts';
export { asksServedCall, fitsBits } from './numbered-labels.ts';
export { NumberedStream, type NumberedStreamOptions } from './numbered-stream.ts';
export { StreamChecker, type FailingInstance, type StreamFindings, type StreamOptions } from './stream-checker.ts';
export { isStreamable } from './streamable.ts';
export { checkStream, STREAM_BOUNDS, type ByteSource, type StreamBounds, type StreamedCheck } from './check-stream.ts';
