import type { Id } from './recent-ids.ts';
import { NO_ID } from './recent-ids.ts';
import { NO_TEXT, type Text } from './texts.ts';

/** A number for everything that events have in common: see `Numbering.shapes`. */
export type Shape = number;

/**
 * An event whose texts are numbers. There is one object, which holds each event in turn: whoever wants to keep something
 * copies it. What is not told has the value that is given here.
 */
export class NumberedEvent {
  shape: Shape = 0;
  /** Indexes into `EVENT_KINDS` and `EVENT_POINTS`. */
  kind = 0;
  point = -1;
  seq = 0;
  receivedSeq = -1;
  from: Text = NO_TEXT;
  to: Text = NO_TEXT;
  label: Text = NO_TEXT;
  /** The two participants, by their place in `Numbering.participants`. */
  sender = 0;
  receiver = 0;
  id: Id = NO_ID;
  replyTo: Id = NO_ID;
  parent: Id = NO_ID;
  traceId: Text = NO_TEXT;
  time = NaN;
  receivedTime = NaN;
  line = 0;
  /** The attributes that are asked for apart from the shape, by the places that were given to them; as texts. */
  readonly values: Int32Array;
  /** Values that are only compared with those of other events: numbers of `Numbering.links`, by the places given to them. */
  readonly links: Int32Array;

  constructor(values: number, links: number) {
    this.values = new Int32Array(values).fill(NO_TEXT);
    this.links = new Int32Array(links).fill(NO_ID);
  }
}

/** What somebody asks of an attribute. */
export interface AttributeUse {
  /** As a part of the shape: its value, only whether it is there, or nothing. What has a place is at least present. */
  readonly shape: 'value' | 'presence' | 'none';
  /** Its place among the values of an event, and among its links; -1: none. */
  readonly place: number;
  readonly link: number;
}
