/**
 * How text looks in a terminal: a code frame's caret must stand under the character it speaks of, also behind a tab, a
 * CJK character (two columns) or a combining accent (none). Widths follow Unicode UAX 11 (East Asian Width).
 */
const TAB_COLUMNS = 4;

/** First and last code point of the ranges whose East Asian Width is W or F, apart from emoji. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x17000, 0x18cff],
  [0x1b000, 0x1b2ff],
  [0x20000, 0x3fffd],
];
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const EMOJI = /^\p{Emoji_Presentation}$/u;

const isWide = (codePoint: number): boolean => WIDE.some(([first, last]) => codePoint >= first && codePoint <= last);

function columnsOf(character: string): number {
  const codePoint = character.codePointAt(0) ?? 0;
  if (codePoint < 0x300) return codePoint === 0xad ? 0 : 1;
  if (NO_WIDTH.test(character)) return 0;
  return isWide(codePoint) || EMOJI.test(character) ? 2 : 1;
}

/** Terminal columns that one line of text takes; tabs must have been expanded (`expandTabs`). */
export function displayWidth(text: string): number {
  let columns = 0;
  for (const character of text) columns += columnsOf(character);
  return columns;
}

/** Replaces each tab by blanks up to the next multiple of four columns. */
export function expandTabs(text: string): string {
  let out = '';
  let columns = 0;
  for (const character of text) {
    const piece = character === '\t' ? ' '.repeat(TAB_COLUMNS - (columns % TAB_COLUMNS)) : character;
    out += piece;
    columns += displayWidth(piece);
  }
  return out;
}

/**
 * Makes untrusted text safe to print in a terminal: control characters become their pictures (`␛`), so that a label
 * cannot move the cursor or paint a verdict of its own; direction overrides, which reorder what is read, become `�`.
 */
export function printable(text: string): string {
  return text
    .replace(/[\u0000-\u001f\u007f]/g, (control) =>
      control === '\u007f' ? '␡' : String.fromCharCode(0x2400 + control.charCodeAt(0)),
    )
    .replace(/[\u0080-\u009f\u202a-\u202e\u2066-\u2069]/g, '�');
}

/** The same for a text of several lines, whose line breaks are ours. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');

/**
 * Plain data as JSON text that is safe to print: what `JSON.stringify` leaves as it is although a terminal obeys it
 * (C1 controls, DEL, direction overrides) is escaped, so a reader of the JSON still gets every character.
 */
export const printableJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(
    /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
