/** For the tests of this room: a drawing as it is read, in words that are quickly compared. */
import type { Diagram, Item } from '../../diagram/index.ts';
import { wholeFile } from '../../diagram/index.ts';
import { readAscii } from './read-ascii.ts';

/** Reads a text that is a file of its own. */
export const read = (text: string): ReturnType<typeof readAscii> =>
  readAscii(text, wholeFile('drawing.txt', 'drawing'));

/** The messages of a diagram, `A -> B: text`, dashed ones with `-->`; `*` is outside, rows of a text are parted by ` / `. */
export const arrowsOf = ({ messages }: Pick<Diagram, 'messages'>): string[] =>
  messages.map(
    ({ from, to, text, line }) =>
      `${from ?? '*'} ${line === 'solid' ? '->' : '-->'} ${to ?? '*'}${text === '' ? '' : `: ${text.replaceAll('\n', ' / ')}`}`,
  );

/** The messages that are read in a text. */
export const arrows = (text: string): string[] => arrowsOf(read(text).value);

/** All that is said about a text, `ASC120 5:7`. */
export const said = (text: string): string[] =>
  read(text).diagnostics.map(({ code, line, column }) => `${code} ${line}:${column}`);

/** Whether an error is among what is said about a text. */
export const isRefused = (text: string): boolean => read(text).diagnostics.some(({ severity }) => severity === 'error');

/** The messages of a diagram by their numbers, those in fragments as `[kind, [guard, …], …]`. */
export function treeOf({ fragments, items }: Pick<Diagram, 'fragments' | 'items'>): unknown {
  const node = (item: Item): unknown => {
    if ('message' in item) return item.message;
    const { kind, operands } = fragments[item.fragment] ?? { kind: 'lost', operands: [] };
    return [kind, ...operands.map(({ guard, items: inner }) => [guard, ...inner.map(node)])];
  };
  return items.map(node);
}
