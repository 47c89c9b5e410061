import type { Code, Heading, Nodes, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import type { Place } from '../../diagram/index.ts';
import { closes, mayMatter, STRETCH_LENGTH_MIN, stretchesOf, tooDeepLine } from './stretches.ts';

/** A fenced block: `info` is the first word behind the fence, in lower case; lines are 1-based and count the fences in. */
export interface Fence {
  readonly info: string;
  readonly text: string;
  readonly startLine: number;
  readonly endLine: number;
  /** Maps a 1-based position in `text` to the document. */
  readonly place: (line: number, column: number) => Place;
}

/** What later things in a document may be called after. */
export interface Caption {
  readonly text: string;
  readonly line: number;
}

/** The parts of a Markdown document that matter here, each in document order. */
export interface MarkdownParts {
  readonly kind: 'parts';
  readonly fences: readonly Fence[];
  readonly headings: readonly Caption[];
}

/** Why a document's Markdown is not read; `line` is 1-based. */
export interface Refusal {
  readonly kind: 'nesting' | 'length';
  readonly line: number;
}

/** Longer than this, what must be parsed in one go, or altogether, is refused: it would take minutes. */
const PARSED_AT_ONCE_MAX = 256 * 1024;
const PARSED_MAX = 4 * 1024 * 1024;

/** Inline markup never changes where a block begins; without it documents are read several times as fast. */
const INLINE = [
  'attention',
  'autolink',
  'characterEscape',
  'characterReference',
  'codeText',
  'hardBreakEscape',
  'htmlText',
  'labelEnd',
  'labelStartImage',
  'labelStartLink',
];

/** Finds fences, also in lists and quotes, and headings, as CommonMark defines them. */
export function partsOfMarkdown(
  lines: readonly string[],
  { stretchLengthMin = STRETCH_LENGTH_MIN }: { readonly stretchLengthMin?: number } = {},
): MarkdownParts | Refusal {
  const deep = tooDeepLine(lines);
  if (deep !== -1) return { kind: 'nesting', line: deep + 1 };
  const fences: Fence[] = [];
  const headings: Caption[] = [];
  let parsed = 0;
  const waiting = [...stretchesOf(lines, stretchLengthMin)].reverse();
  for (let stretch = waiting.pop(); stretch !== undefined; stretch = waiting.pop()) {
    const { start, end } = stretch;
    const text = lines.slice(start, end).join('\n');
    if (!mayMatter(text)) continue;
    parsed += text.length;
    if (text.length > PARSED_AT_ONCE_MAX || parsed > PARSED_MAX) return { kind: 'length', line: start + 1 };
    const root = parse(text);
    if (root === null) return { kind: 'nesting', line: start + 1 };
    if (waiting.length > 0 && endsOpen(root, text)) {
      // The cut was wrong, so those below may be too: the rest is read in one go.
      waiting.splice(0, waiting.length, { start, end: lines.length });
      continue;
    }
    collect(root, lines, start, { fences, headings });
  }
  return { kind: 'parts', fences, headings };
}

/** Null if the text is nested beyond what the parser's recursion stands. */
function parse(text: string): Root | null {
  try {
    return fromMarkdown(text, { extensions: [{ disable: { null: INLINE } }] });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Whether a fence was still open where the text ended. */
function endsOpen({ children }: Root, text: string): boolean {
  const last = children.at(-1);
  if (last?.type !== 'code' || last.position === undefined) return false;
  const { start, end } = last.position;
  const node = linesOf(text.slice(start.offset, end.offset));
  const opening = /^(`{3,}|~{3,})/.exec(node[0] ?? '')?.[1];
  return opening !== undefined && (node.length === 1 || !closes(node.at(-1) ?? '', opening));
}

function collect(
  root: Root,
  lines: readonly string[],
  before: number,
  { fences, headings }: { readonly fences: Fence[]; readonly headings: Caption[] },
): void {
  const waiting: Nodes[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.type === 'code') {
      const fence = fenceOf(node, lines, before);
      if (fence !== null) fences.push(fence);
    } else if (node.type === 'heading') {
      headings.push({ text: headingText(node), line: before + (node.position?.start.line ?? 1) });
    } else if ('children' in node) {
      for (const child of node.children.toReversed()) waiting.push(child);
    }
  }
}

/** Null for a block of code by indentation. */
function fenceOf({ value, lang, position }: Code, lines: readonly string[], before: number): Fence | null {
  if (position === undefined) return null;
  const startLine = before + position.start.line;
  if (!/^(?:`{3}|~{3})/.test((lines[startLine - 1] ?? '').slice(position.start.column - 1))) return null;
  const body = linesOf(value);
  return {
    info: (lang ?? '').toLowerCase(),
    text: value,
    startLine,
    // A fence that its list ended is said to end at the beginning of the next line.
    endLine:
      before + position.end.line - (position.end.column === 1 && position.end.line > position.start.line ? 1 : 0),
    place: (line, column) => ({
      line: startLine + line,
      // Quote marks, list indentation and the fence's own are cut from the front only: what is missing stood before.
      column: column + Math.max(0, (lines[startLine + line - 1]?.length ?? 0) - (body[line - 1]?.length ?? 0)),
    }),
  };
}

function headingText({ children }: Heading): string {
  const text = children.map((child) => ('value' in child ? child.value : '')).join('');
  return text
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/[`*_]{1,3}(?=\S)|(?<=\S)[`*_]{1,3}(?=\s|$)/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Lines as every part here counts them: CRLF, LF and CR end one. */
export const linesOf = (text: string): readonly string[] => text.split(/\r\n|\n|\r/);
