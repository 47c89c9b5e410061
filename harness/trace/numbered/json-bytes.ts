// Plain constants, not destructured ones: those would be looked up for every byte.
export const NEWLINE = 0x0a;
export const RETURN = 0x0d;
export const BLANK = 0x20;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const DOT = 0x2e;
export const COLON = 0x3a;
export const BACKSLASH = 0x5c;
export const OPEN = 0x7b;
export const CLOSE = 0x7d;
export const ZERO = 0x30;
export const NINE = 0x39;

/** Numbers of more digits may not be exact. */
export const DIGITS_MAX = 15;
/**
 * A bit in each byte that may end a text of plain characters: a quote, a backslash, a control character, or one beyond
 * ASCII. Above the lowest such byte there may be wrong bits.
 */
export function specialIn(word: number): number {
  const quote = word ^ 0x22222222;
  const backslash = word ^ 0x5c5c5c5c;
  return (
    (((quote - 0x01010101) & ~quote) | ((backslash - 0x01010101) & ~backslash) | ((word - 0x20202020) & ~word) | word) &
    -0x7f7f7f80
  );
}

/** A whole number that is written as JavaScript would write it; its end, or -1. */
export function wholeEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  if (bytes[at] === MINUS) at++;
  const first = at;
  while (isDigit(bytes[at])) at++;
  const digits = at - first;
  if (digits === 0 || digits > DIGITS_MAX || isFraction(bytes[at])) return -1;
  return bytes[first] === ZERO && at - start > 1 ? -1 : at;
}

/** A number without an exponent and with few digits; its end, or -1. */
export function decimalEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  if (bytes[at] === MINUS) at++;
  const first = at;
  while (isDigit(bytes[at])) at++;
  const digits = at - first;
  if (digits === 0 || digits > DIGITS_MAX || (digits > 1 && bytes[first] === ZERO)) return -1;
  if (bytes[at] === DOT) {
    const dot = at++;
    while (isDigit(bytes[at])) at++;
    if (at === dot + 1 || at - dot > 2 * DIGITS_MAX) return -1;
  }
  return isFraction(bytes[at]) ? -1 : at;
}

export const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= NINE;
/** A dot, `e` or `E`: the number goes on. */
export const isFraction = (byte: number | undefined): boolean => byte === DOT || byte === 0x65 || byte === 0x45;

/** The end of `true`, `false` or `null`, or -1. */
export function wordEnd(bytes: Uint8Array, start: number): number {
  const end = WORDS.get(bytes[start] ?? 0);
  return end === undefined ? -1 : matches(bytes, start, end);
}

export const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));
const WORDS: ReadonlyMap<number, Uint8Array> = new Map([
  [0x74, bytesOf('true')],
  [0x66, bytesOf('false')],
  [0x6e, bytesOf('null')],
]);
export const NULL_FIRST = 0x6e;

/** The place after these bytes, if they stand there; else -1. */
export function matches(bytes: Uint8Array, start: number, wanted: Uint8Array): number {
  for (let index = 0; index < wanted.length; index++) if (bytes[start + index] !== wanted[index]) return -1;
  return start + wanted.length;
}

/** The number that is written there, as `JSON.parse` reads it. */
export function numberIn(bytes: Uint8Array, start: number, end: number): number {
  let text = '';
  for (let at = start; at < end; at++) text += String.fromCharCode(bytes[at] ?? 0);
  return Number(text);
}

export function blanksEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (bytes[at] === BLANK) at++;
  return at;
}

/** Longer names are unusual. */
const NAME_MAX = 300;

/** A name and its colon, with blanks around them, and where its value begins. */
export function nameIn(bytes: Uint8Array, start: number): { readonly text: string; readonly end: number } | null {
  let at = blanksEnd(bytes, start);
  if (bytes[at] !== QUOTE) return null;
  let text = '';
  for (at++; ; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) break;
    if (byte === BACKSLASH || byte < BLANK || byte > 0x7e || text.length > NAME_MAX) return null;
    text += String.fromCharCode(byte);
  }
  at = blanksEnd(bytes, at + 1);
  return bytes[at] === COLON ? { text, end: blanksEnd(bytes, at + 1) } : null;
}
