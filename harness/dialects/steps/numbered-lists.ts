/** One entry of a numbered list; `column` is that of its number, `endColumn` one past the end of its first line. Both 1-based. */
export interface NumberedItem {
  readonly number: number;
  /** Without the number, continuation lines joined, blanks folded. */
  readonly text: string;
  readonly line: number;
  readonly column: number;
  readonly endColumn: number;
}

/** Entries that follow one another with nothing but blank and continuation lines between. */
export interface NumberedList {
  readonly items: readonly NumberedItem[];
}

/** `1. text`, `1) text`, `**1.** text`, `Step 1: text`, `### Step 1 – text`, at most nine digits, as in CommonMark. */
const MARKER =
  /^(?<indent>[ \t]*)(?<sign>#{1,6}[ \t]+)?(?:(?<strong>\*\*|__)?(?<plain>\d{1,9})[.)](?:\*\*|__)?|(?:\*\*|__)?step[ \t]+(?<step>\d{1,9})(?:\*\*|__)?[ \t]*(?:[:.)]|[-–—](?=[ \t]))(?:\*\*|__)?)(?=[ \t]|$)[ \t]*(?<text>.*)$/i;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const INDENT_MAX = 3;

interface OpenItem extends Omit<NumberedItem, 'text'> {
  readonly texts: string[];
  /** How far a line must be indented to belong to this entry even after a blank line. */
  readonly contentIndent: number;
  readonly isHeading: boolean;
}

/** All numbered lists of a text at the outermost level, in order. Fenced code is skipped: its numbers are not prose. */
export function findLists(text: string): NumberedList[] {
  const lists: NumberedItem[][] = [];
  let items: OpenItem[] = [];
  let isAfterBlank = false;
  let fence: string | null = null;
  const finish = (): void => {
    if (items.length > 0) lists.push(items.map(closed));
    items = [];
  };
  text.split(/\r\n|\n|\r/).forEach((raw, index) => {
    const row = index === 0 ? raw.replace(/^\ufeff/, ' ') : raw;
    const open = items.at(-1);
    const fenced = FENCE.exec(row)?.[1];
    if (fence !== null) {
      if (fenced !== undefined && fenced.startsWith(fence)) fence = null;
      return;
    }
    if (fenced !== undefined) {
      fence = fenced;
      return;
    }
    if (row.trim() === '') {
      isAfterBlank = true;
      return;
    }
    const item = itemAt(row, index + 1);
    if (item !== null && (open === undefined || opensNext(item, open))) items.push(item);
    else if (open !== undefined && belongs(row, open, isAfterBlank)) open.texts.push(row);
    else finish();
    isAfterBlank = false;
  });
  finish();
  return lists.map((found) => ({ items: found }));
}

/** An entry that stands as far left as the open one; further in it is a part of that one's text. */
const opensNext = (item: OpenItem, open: OpenItem): boolean =>
  open.isHeading ? item.isHeading : item.column <= open.contentIndent;

/** Continuation: indented to the entry's text, or right below it; under a heading `### Step 1: …` all prose up to the next heading. */
function belongs(row: string, open: OpenItem, isAfterBlank: boolean): boolean {
  const indent = /^[ \t]*/.exec(row)?.[0].length ?? 0;
  if (!open.isHeading && indent >= open.contentIndent) return true;
  return !ENDS_LIST.test(row) && (open.isHeading || !isAfterBlank);
}

/** A heading, a quote, a rule or a table. */
const ENDS_LIST = /^[ \t]*(?:#{1,6}[ \t]|>|(?:[-*_][ \t]*){3,}$|\|)/;

function itemAt(row: string, line: number): OpenItem | null {
  const groups = MARKER.exec(row)?.groups;
  if (groups === undefined) return null;
  const indent = groups['indent'] ?? '';
  const text = groups['text'] ?? '';
  const isHeading = groups['sign'] !== undefined;
  if (isHeading && groups['step'] === undefined) return null;
  return {
    number: Number(groups['plain'] ?? groups['step']),
    line,
    column: indent.length + 1,
    endColumn: row.trimEnd().length + 1,
    texts: [text],
    contentIndent: Math.min(row.length - text.length, indent.length + INDENT_MAX),
    isHeading,
  };
}

const closed = ({ number, line, column, endColumn, texts }: OpenItem): NumberedItem => ({
  number,
  text: texts.join(' ').replace(/\s+/g, ' ').trim(),
  line,
  column,
  endColumn,
});
