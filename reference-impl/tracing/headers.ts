/**
 * Request header: id of the call's event, which the client has already recorded as sent.
 */
export const REQUEST_ID_HEADER = 'x-asdrawn-id';

/** Response header: id of the reply's event; the client records its arrival. */
export const REPLY_ID_HEADER = 'x-asdrawn-reply-id';

/** Request header of a watch, value `1`: the client reports receipts, so each line shall carry its event's id as `asdrawn`. */
export const WATCH_HEADER = 'x-asdrawn-watch';
