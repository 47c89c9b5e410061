export { EVENT_KINDS, EVENT_POINTS } from './event-fields.ts';
export type { AttributeUse, NumberedEvent, Shape } from './numbered-event.ts';
export { NumberedReader } from './numbered-reader.ts';
export type { NumberedReaderOptions, NumberedSink, NumberedTrace } from './numbered-reader.ts';
export { Numbering } from './numbering.ts';
export type { NumberingOptions } from './numbering.ts';
export { IS_CALL, IS_READ, NO_ID, type Id, type RecentIds } from './recent-ids.ts';
export { EMPTY_TEXT, NO_TEXT, Texts, type Text } from './texts.ts';
