import { traceEventSchema } from '../schema.ts';

/** Fields of an event whose texts a scanner finds. */
export const FROM = 0;
export const TO = 1;
export const LABEL = 2;
export const ID = 3;
export const REPLY_TO = 4;
export const PARENT = 5;
export const TRACE_ID = 6;
export const DOMAIN = 7;
export const TEXT_FIELDS = 8;
/** Those of its numbers. */
export const SEQ = 8;
export const RECEIVED_SEQ = 9;
export const STATUS = 10;
export const TIME = 11;
export const RECEIVED_TIME = 12;
export const KIND = 13;
export const POINT = 14;
export const ATTRIBUTES = 15;
/** Lines that hold it are read otherwise. */
export const UNUSUAL = 16;
/** Its value is anything flat, and nobody asks for it. */
export const OTHER = 17;

const FIELDS: ReadonlyMap<string, number> = new Map([
  ['from', FROM],
  ['to', TO],
  ['label', LABEL],
  ['id', ID],
  ['replyTo', REPLY_TO],
  ['parent', PARENT],
  ['traceId', TRACE_ID],
  ['domain', DOMAIN],
  ['seq', SEQ],
  ['receivedSeq', RECEIVED_SEQ],
  ['status', STATUS],
  ['time', TIME],
  ['receivedTime', RECEIVED_TIME],
  ['kind', KIND],
  ['point', POINT],
  ['attributes', ATTRIBUTES],
]);
/** A field of the schema that is not among these makes a line unusual; any other name is nobody's business. */
export const fieldOf = (name: string): number =>
  FIELDS.get(name) ?? (Object.hasOwn(traceEventSchema.definitions.event.properties, name) ? UNUSUAL : OTHER);
export const MANDATORY = (1 << SEQ) | (1 << FROM) | (1 << TO) | (1 << KIND) | (1 << LABEL);
/** These may not be empty. */
export const FILLED = (1 << FROM) | (1 << TO) | (1 << ID) | (1 << REPLY_TO) | (1 << PARENT) | (1 << TRACE_ID);

/** The kinds and points of events, by the scanner's numbers. */
export const EVENT_KINDS = ['call', 'reply', 'async', 'lost', 'self'] as const;
export const EVENT_POINTS = ['send', 'receive', 'both'] as const;
