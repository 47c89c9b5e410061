import { foldLabel, onOneLine } from './names.ts';
import { CAPTURE } from './template.ts';
import type { TemplateSegment } from './types.ts';

const wordsOf = (text: string): string[] => onOneLine(text).trim().split(/\s+/u);

/** Whether a text of a binding holds `{name}`, as a word or within one. */
export const holdsPlaceholder = (text: string): boolean => /\{[A-Za-z_][\w.-]*\}/u.test(text);

/** A text of a binding as words, `start {pod}`: each `{name}` is one word that is the parameter's value; null: there is none. */
export function readWords(text: string): readonly TemplateSegment[] | null {
  const words = wordsOf(text).map((word): TemplateSegment => {
    const name = CAPTURE.exec(word)?.[1];
    return name === undefined ? { kind: 'text', text: word } : { kind: 'capture', parameter: name };
  });
  return words.some(({ kind }) => kind === 'capture') ? words : null;
}

/** As an author would write them. */
export const printWords = (words: readonly TemplateSegment[]): string =>
  words
    .map((word) => (word.kind === 'any' ? '*' : word.kind === 'capture' ? `{${word.parameter}}` : word.text))
    .join(' ');

/** Asks labels for these words, case folded: what they hold for each parameter, or null. */
export function wordsMatcher(words: readonly TemplateSegment[]): (label: string) => ReadonlyMap<string, string> | null {
  const wanted = words.map((word) => (word.kind === 'text' ? foldLabel(word.text) : null));
  return (label) => {
    const given = wordsOf(label);
    if (given.length !== wanted.length) return null;
    const captures = new Map<string, string>();
    for (const [index, word] of words.entries()) {
      const value = given[index] ?? '';
      if (word.kind === 'text' && foldLabel(value) !== wanted[index]) return null;
      if (word.kind !== 'capture') continue;
      // A name that stands twice must hold one value.
      if (value === '' || (captures.get(word.parameter) ?? value) !== value) return null;
      captures.set(word.parameter, value);
    }
    return captures;
  };
}
