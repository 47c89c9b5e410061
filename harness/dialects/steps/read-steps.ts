import type { Diagnostic, Read, Severity } from '../../diagnostics/index.ts';
import type { Diagram, Step, TextSource } from '../../diagram/index.ts';
import { findLists, type NumberedItem, type NumberedList } from './numbered-lists.ts';

/** Larger texts are refused, so that time stays bounded. */
export const CHARACTERS_MAX = 1_000_000;
export const STEPS_MAX = 1_000;
/** A single numbered line says nothing about an order. */
const STEPS_MIN = 2;

/** Every diagnostic of this dialect: how bad it is, and what to do about it. Codes are never reused. */
export const CATALOGUE = {
  STP100: ['error', 'split the document; a description that long is not read by people either'],
  STP101: ['error', 'write the steps as a numbered list: 1. The first thing that happens'],
  STP102: ['error', 'number the steps 1, 2, 3 …, each number once'],
  STP103: ['error', 'number the steps without a gap, or add the missing step'],
  STP104: ['error', 'put the steps in the order of their numbers'],
  STP105: ['error', 'say what happens in this step'],
  STP106: ['info', 'keep each description in a document of its own if the other list is meant too'],
  STP107: ['error', 'begin with step 1'],
} as const satisfies Record<string, readonly [Severity, string]>;

export type Code = keyof typeof CATALOGUE;

/**
 * Reads a numbered list of prose: `1. text`, `1) text` or `Step 1: text`, with continuation lines. What stands around the
 * list is prose for people, and is ignored; of several lists the longest is taken.
 */
export function readSteps(text: string, source: TextSource): Read<Diagram> {
  const diagnostics: Diagnostic[] = [];
  const report = (code: Code, item: Pick<NumberedItem, 'line' | 'column' | 'endColumn'>, message: string): void => {
    const [severity, hint] = CATALOGUE[code];
    const at = source.place(item.line, item.column);
    const end = source.place(item.line, item.endColumn);
    const extent = end.line === at.line && end.column > at.column ? { endColumn: end.column } : {};
    diagnostics.push({ code, severity, message, hint, file: source.file, ...at, ...extent });
  };
  const start = { line: 1, column: 1, endColumn: 1 };
  if (text.length > CHARACTERS_MAX) {
    report('STP100', start, `this document has ${text.length} characters; at most ${CHARACTERS_MAX} are read`);
    return { value: diagramOf(source, []), diagnostics };
  }
  const lists = findLists(text);
  const list = longest(lists);
  if (list === null) {
    report('STP101', start, 'no steps: this text has no numbered list of at least two entries');
    return { value: diagramOf(source, []), diagnostics };
  }
  for (const other of lists) if (other !== list) reportIgnored(other, report);
  const tooMany = list.items[STEPS_MAX];
  if (tooMany !== undefined) {
    report('STP100', tooMany, `this list has ${list.items.length} steps; at most ${STEPS_MAX} are read`);
  }
  const items = list.items.slice(0, STEPS_MAX);
  checkNumbers(items, report);
  return {
    value: diagramOf(source, items),
    diagnostics: diagnostics.sort((a, b) => a.line - b.line || a.column - b.column),
  };
}

/** Whether a text has a numbered list of prose that could be steps. */
export const looksLikeSteps = (text: string): boolean =>
  text.length <= CHARACTERS_MAX && longest(findLists(text)) !== null;

type Report = (code: Code, item: NumberedItem, message: string) => void;

/** The first of the longest lists. */
function longest(lists: readonly NumberedList[]): NumberedList | null {
  let best: NumberedList | null = null;
  for (const list of lists) {
    if (list.items.length >= STEPS_MIN && list.items.length > (best?.items.length ?? 0)) best = list;
  }
  return best;
}

function reportIgnored({ items }: NumberedList, report: Report): void {
  const [first] = items;
  if (first !== undefined && items.length >= STEPS_MIN) {
    report('STP106', first, `this list of ${items.length} entries is not read: another list of the document is longer`);
  }
}

function checkNumbers(items: readonly NumberedItem[], report: Report): void {
  const seen = new Map<number, NumberedItem>();
  let highest = 0;
  items.forEach((item, index) => {
    const twin = seen.get(item.number);
    if (twin !== undefined) {
      report('STP102', item, `step ${item.number} is there twice: also in line ${twin.line}`);
    } else if (index === 0 && item.number !== 1) {
      report('STP107', item, `the first step has the number ${item.number}`);
    } else if (item.number < highest) {
      report('STP104', item, `step ${item.number} stands after step ${highest}`);
    } else if (index > 0 && item.number > highest + 1) {
      report('STP103', item, `${missing(highest + 1, item.number - 1)} before step ${item.number}`);
    }
    if (item.text === '') report('STP105', item, `step ${item.number} has no text`);
    seen.set(item.number, item);
    highest = Math.max(highest, item.number);
  });
}

const missing = (first: number, last: number): string =>
  first === last ? `step ${first} is missing` : `steps ${first} to ${last} are missing`;

function diagramOf({ file, name, place }: TextSource, items: readonly NumberedItem[]): Diagram {
  return {
    name,
    file,
    dialect: 'steps',
    participants: [],
    messages: [],
    fragments: [],
    items: [],
    notes: [],
    activations: [],
    steps: items.map(({ number, text, line, column }): Step => ({ number, text, at: place(line, column) })),
  };
}
