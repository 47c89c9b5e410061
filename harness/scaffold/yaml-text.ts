import { printable } from '../diagnostics/index.ts';

/** Letters first, then nothing that YAML could read as something else. */
const PLAIN = /^[\p{L}_/][\p{L}\p{N}_ ./*()>=-]*$/u;
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n|\.?inf|\.?nan)$/iu;

/** A text as a YAML scalar on one line; JSON's quotes where a plain one could be misread. */
export function scalar(text: string): string {
  const isPlain = PLAIN.test(text) && !RESERVED.test(text) && !/\s$|\s{2}|: | #/u.test(text);
  return isPlain ? text : JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\ufeff]/gu, escaped);
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

const COMMENT_MAX = 300;

/** A comment of one line; what comes from a trace cannot break out of it. */
export function comment(text: string, indent = 0): string {
  const line = printable(text).replace(/\s+/gu, ' ').trim();
  return `${' '.repeat(indent)}# ${line.length > COMMENT_MAX ? `${line.slice(0, COMMENT_MAX)}…` : line}`;
}
