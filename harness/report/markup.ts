import { shortened } from './long-text.ts';

/** Markup that is safe to put into a page as it stands. Only the functions of this file make it, so text cannot pass for it. */
export type Markup = { readonly markup: string };

type Part = Markup | string | number | readonly Markup[] | null;

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);

/** Escaped for text and for quoted attributes alike; control characters, which no reader can see, become `�`. */
export const escapeText = (text: string): string =>
  text
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufffe\uffff]|\p{Cs}/gu, '�')
    .replace(/[&<>"']/g, (character) => ENTITIES.get(character) ?? character);

/** A template whose values are escaped, unless they are markup already. Every attribute in it must be quoted. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const [first = '', ...rest] = folded(texts);
  let markup = first;
  parts.forEach((part, index) => {
    markup += rendered(part) + (rest[index] ?? '');
  });
  return { markup };
}

/** The line breaks of the source code are of no use in a page. Only our own text is folded, never a value. */
function folded(texts: TemplateStringsArray): readonly string[] {
  const known = FOLDED.get(texts);
  if (known !== undefined) return known;
  const made = texts.map((text) => text.replace(/\s*\n\s*/g, ' '));
  FOLDED.set(texts, made);
  return made;
}

const FOLDED = new WeakMap<TemplateStringsArray, readonly string[]>();

function rendered(part: Part): string {
  if (part === null) return '';
  if (typeof part === 'number') return String(rounded(part));
  if (typeof part === 'string') return escapeText(shortened(part));
  if ('markup' in part) return part.markup;
  return part.map(({ markup }) => markup).join('');
}

/** Coordinates to a hundredth of a pixel: enough for the eye, and the same bytes everywhere. */
const rounded = (value: number): number => Math.round(value * 100) / 100;

export const NOTHING: Markup = { markup: '' };

/** Trusted text of our own, such as the style sheet. */
export const verbatim = (markup: string): Markup => ({ markup });
