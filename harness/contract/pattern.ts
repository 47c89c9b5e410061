import { compileExpression } from './expression.ts';
import { holdsPlaceholder, readWords } from './label-words.ts';
import { readTemplate } from './template.ts';
import type { TemplateSegment, UrlTemplate } from './types.ts';

/** What a pattern of a binding means: a request, the words of a label, an exact label, or a condition. */
export type Pattern =
  | { readonly kind: 'template'; readonly template: UrlTemplate }
  | { readonly kind: 'words'; readonly words: readonly TemplateSegment[] }
  | { readonly kind: 'label'; readonly label: string }
  | { readonly kind: 'when'; readonly when: string }
  | { readonly kind: 'wrong'; readonly error: string; readonly offset: number };

/** Letters, digits, blanks and `-`, `_`, `.`: no expression worth writing, so a label. */
const PLAIN_WORDS = /^[\p{L}\p{N}_ .-]+$/u;
const CONSTANT = /^\s*(true|false|null)\s*$/u;

/** Reads a pattern; one that is none of these says what is wrong with it, read as an expression. */
export function readPattern(text: string): Pattern {
  const template = readTemplate(text);
  if (template !== null) return 'error' in template ? { kind: 'wrong', ...template } : { kind: 'template', template };
  if (PLAIN_WORDS.test(text) && !CONSTANT.test(text)) return { kind: 'label', label: text };
  const error = conditionError(text);
  if (error === null) return { kind: 'when', when: text };
  const words = readWords(text);
  if (words !== null) return { kind: 'words', words };
  return { kind: 'wrong', ...(holdsPlaceholder(text) ? placeholderError(text) : error) };
}

const placeholderError = (text: string): { readonly error: string; readonly offset: number } => ({
  error: '{name} stands for a whole word, between blanks, or for a whole segment of a path',
  offset: Math.max(0, text.indexOf('{')),
});

/** Why a text is no condition, or null. */
export function conditionError(cel: string): { readonly error: string; readonly offset: number } | null {
  const compiled = compileExpression(cel);
  if ('error' in compiled) return compiled;
  if (!compiled.isCondition) return { error: 'this is a value, not a condition that can be true', offset: 0 };
  return null;
}
