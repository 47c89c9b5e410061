/** `00:01`, `12:00:01.250`, `9:30 am`. */
const CLOCK = /^\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,9})?(?: ?[ap]\.?m\.?)?$/i;
/** `12ms`, `+3 s`, `1.5 min`. */
const SPAN = /^[+~]? ?\d+(?:[.,]\d+)? ?(?:[nµum]?s|msec|secs?|m|mins?|h|hrs?|d|days?)$/i;
/** `t0`, `t=3`, `T+12ms`, `t = 0 s`. */
const INSTANT = /^t ?[=+_]? ?\d+(?:[.,]\d+)? ?(?:[nµum]?s|mins?|h)?:?$/i;

/** Whether a text is a time, of the clock or since something. */
export const isTime = (text: string): boolean => CLOCK.test(text) || SPAN.test(text) || INSTANT.test(text);
