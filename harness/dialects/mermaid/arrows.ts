import type { Head, Line } from '../../diagram/index.ts';

/** What one arrow token means. A reversed arrow has its head at the left name: the message goes from right to left. */
export interface Arrow {
  readonly line: Line;
  readonly head: Head;
  readonly direction: 'forward' | 'backward' | 'both';
}

const arrow = (line: Line, head: Head, direction: Arrow['direction'] = 'forward'): Arrow => ({ line, head, direction });

/** Every arrow that Mermaid has, in lower case; nothing else is one. */
const ARROWS: ReadonlyMap<string, Arrow> = new Map([
  ['->>', arrow('solid', 'arrow')],
  ['-->>', arrow('dashed', 'arrow')],
  ['->', arrow('solid', 'none')],
  ['-->', arrow('dashed', 'none')],
  ['-x', arrow('solid', 'cross')],
  ['--x', arrow('dashed', 'cross')],
  ['-)', arrow('solid', 'open')],
  ['--)', arrow('dashed', 'open')],
  ['<<->>', arrow('solid', 'arrow', 'both')],
  ['<<-->>', arrow('dashed', 'arrow', 'both')],
  ['-|\\', arrow('solid', 'half-top')],
  ['-|/', arrow('solid', 'half-bottom')],
  ['-\\\\', arrow('solid', 'stick-top')],
  ['-//', arrow('solid', 'stick-bottom')],
  ['--|\\', arrow('dashed', 'half-top')],
  ['--|/', arrow('dashed', 'half-bottom')],
  ['--\\\\', arrow('dashed', 'stick-top')],
  ['--//', arrow('dashed', 'stick-bottom')],
  ['/|-', arrow('solid', 'half-top', 'backward')],
  ['\\|-', arrow('solid', 'half-bottom', 'backward')],
  ['//-', arrow('solid', 'stick-top', 'backward')],
  ['\\\\-', arrow('solid', 'stick-bottom', 'backward')],
  ['/|--', arrow('dashed', 'half-top', 'backward')],
  ['\\|--', arrow('dashed', 'half-bottom', 'backward')],
  ['//--', arrow('dashed', 'stick-top', 'backward')],
  ['\\\\--', arrow('dashed', 'stick-bottom', 'backward')],
]);

/** The arrow that a token of the lexer spells. */
export function arrowOf(image: string): Arrow {
  const found = ARROWS.get(image.toLowerCase());
  if (found === undefined) throw new Error(`the lexer took ${image} for an arrow, but the table of arrows has none`);
  return found;
}

/** How an arrow with this line and head is spelled from left to right. */
export function forwardSpelling({ line, head }: Arrow): string {
  for (const [spelled, other] of ARROWS) {
    if (other.line === line && other.head === head && other.direction === 'forward') return spelled;
  }
  throw new Error(`no arrow goes forward with the line ${line} and the head ${head}, but the table has all of them`);
}

/** One pattern for all of them, longer ones first: `->>` must not be read as `->` and a stray `>`. */
export const ARROW_PATTERN = new RegExp(
  [...ARROWS.keys()]
    .sort((one, other) => other.length - one.length)
    .map((spelled) => spelled.replace(/[\\|/)]/g, '\\$&'))
    .join('|'),
  'iy',
);
