import type { Fence } from './markdown.ts';
import { covers } from './unfenced.ts';

/** How other Markdown flavours set a Mermaid diagram apart, by whole lines: Azure DevOps, and Hugo's shortcode. */
const MARKS: readonly { readonly opens: RegExp; readonly closes: RegExp }[] = [
  { opens: /^\s*:::\s*mermaid\s*$/i, closes: /^\s*:::\s*$/ },
  { opens: /^\s*\{\{[<%]\s*mermaid\b[^}]*[>%]\}\}\s*$/i, closes: /^\s*\{\{[<%]\s*\/\s*mermaid\s*[>%]\}\}\s*$/i },
];

/** Longer lines are no marks; the patterns are not tried on them. */
const MARK_LENGTH_MAX = 500;

/** Finds the blocks between such lines, outside fences. One that is never closed is none. */
export function markedBlocksIn(lines: readonly string[], fences: readonly Fence[]): readonly Fence[] {
  const inFence = covers(fences, lines.length);
  const found: Fence[] = [];
  let open: { readonly startLine: number; readonly closes: RegExp } | null = null;
  for (const [index, line] of lines.entries()) {
    const number = index + 1;
    if (line.length > MARK_LENGTH_MAX || inFence(number)) continue;
    const mark = MARKS.find(({ opens }) => opens.test(line));
    if (mark !== undefined) {
      open = { startLine: number, closes: mark.closes };
    } else if (open?.closes.test(line) === true) {
      found.push(blockOf(lines, open.startLine, number));
      open = null;
    }
  }
  return found;
}

const blockOf = (lines: readonly string[], startLine: number, endLine: number): Fence => ({
  info: 'mermaid',
  text: lines.slice(startLine, endLine - 1).join('\n'),
  startLine,
  endLine,
  place: (line, column) => ({ line: startLine + line, column }),
});
