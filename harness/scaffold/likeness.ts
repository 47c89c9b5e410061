import type { Contract, ContractMessage, UrlTemplate } from '../contract/index.ts';
import type { EventClass } from './event-classes.ts';
import { likenessOfWords, wordsOf } from './words.ts';

/** A request inside a drawn text is compared as a request, not as words. */
const REQUEST_IN_TEXT = /\b[A-Z]{3,7}\s+\/\S*/gu;

export const drawnWords = (contract: Contract, message: ContractMessage): readonly string[] =>
  wordsOf((contract.drawn[message.drawn]?.text ?? '').replace(REQUEST_IN_TEXT, ' '));

/** How like a drawn message and a class of events are by what they say, whoever says it: 0 to 1. */
export function likenessOfContent(
  contract: Contract,
  message: ContractMessage,
  one: EventClass,
  weightOf?: (word: string) => number,
): number {
  const words = likenessOfWords(drawnWords(contract, message), one.words, weightOf);
  const { template } = message.match;
  if (template === undefined) return words;
  const request = likenessOfRequest(template, one);
  // A drawn path says exactly what is meant, unless the drawing is wrong: then its words still may be right.
  return Math.max(request, 0.5 * request + 0.5 * words);
}

/** Method, and segments in common in their order; a placeholder is like whatever varies. */
export function likenessOfRequest(template: UrlTemplate, { method, pieces }: EventClass): number {
  if (method === null) return 0;
  const aligned = alignedSegments(template, pieces);
  const common = aligned.reduce((sum, { worth }) => sum + worth, 0);
  const path = common / Math.max(1, template.segments.length, pieces.length);
  return 0.35 * (template.method === method ? 1 : 0) + 0.65 * path;
}

export interface Aligned {
  /** Positions in the template and in the pieces. */
  readonly drawn: number;
  readonly traced: number;
  readonly worth: number;
}

const SEGMENTS_MAX = 60;

/** The alignment of drawn and traced segments that is worth most, by the textbook's table. */
export function alignedSegments({ segments }: UrlTemplate, pieces: EventClass['pieces']): readonly Aligned[] {
  const [rows, columns] = [Math.min(segments.length, SEGMENTS_MAX), Math.min(pieces.length, SEGMENTS_MAX)];
  const worth = (row: number, column: number): number => {
    const [drawn, traced] = [segments[row], pieces[column]];
    if (drawn === undefined || traced === undefined) return 0;
    if (drawn.kind === 'text' && traced.kind === 'text') return drawn.text === traced.text ? 1 : 0;
    if (drawn.kind !== 'text' && traced.kind === 'varies') return 1;
    // A drawn name may be an example of what varies; what varies in the drawing may be constant in one trace.
    return drawn.kind === 'text' ? 0.6 : 0.4;
  };
  const best: number[][] = Array.from({ length: rows + 1 }, () => Array.from({ length: columns + 1 }, () => 0));
  const at = (row: number, column: number): number => best[row]?.[column] ?? 0;
  for (let row = rows - 1; row >= 0; row -= 1)
    for (let column = columns - 1; column >= 0; column -= 1) {
      const line = best[row];
      if (line !== undefined)
        line[column] = Math.max(at(row + 1, column), at(row, column + 1), worth(row, column) + at(row + 1, column + 1));
    }
  const aligned: Aligned[] = [];
  for (let [row, column] = [0, 0]; row < rows && column < columns;) {
    const own = worth(row, column);
    if (own > 0 && at(row, column) === own + at(row + 1, column + 1)) {
      aligned.push({ drawn: row, traced: column, worth: own });
      row += 1;
      column += 1;
    } else if (at(row, column) === at(row + 1, column)) row += 1;
    else column += 1;
  }
  return aligned;
}
