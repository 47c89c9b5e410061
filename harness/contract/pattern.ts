import { compileExpression } from './expression.ts';
import { readTemplate } from './template.ts';
import type { UrlTemplate } from './types.ts';

/** What a pattern of a binding means: a request, an exact label, or a condition. */
export type Pattern =
  | { readonly kind: 'template'; readonly template: UrlTemplate }
  | { readonly kind: 'label'; readonly label: string }
  | { readonly kind: 'when'; readonly when: string }
  | { readonly kind: 'wrong'; readonly error: string; readonly offset: number };

/** Letters, digits, blanks and `-`, `_`, `.`: no expression worth writing, so a label. */
const PLAIN_WORDS = /^[\p{L}\p{N}_ .-]+$/u;
const CONSTANT = /^\s*(true|false|null)\s*$/u;

/** Reads a pattern; one that is none of the three says what is wrong with it, read as an expression. */
export function readPattern(text: string): Pattern {
  const template = readTemplate(text);
  if (template !== null) return 'error' in template ? { kind: 'wrong', ...template } : { kind: 'template', template };
  if (PLAIN_WORDS.test(text) && !CONSTANT.test(text)) return { kind: 'label', label: text };
  const error = conditionError(text);
  return error === null ? { kind: 'when', when: text } : { kind: 'wrong', ...error };
}

/** Why a text is no condition, or null. */
export function conditionError(cel: string): { readonly error: string; readonly offset: number } | null {
  const compiled = compileExpression(cel);
  if ('error' in compiled) return compiled;
  if (!compiled.isCondition) return { error: 'this is a value, not a condition that can be true', offset: 0 };
  return null;
}
