import { at } from './json.ts';
import type { LabelSelector, LabelSelectorRequirement } from './types.ts';

/** A selector that was read, or why it could not be. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

type Labels = Readonly<Record<string, string>>;

/** Whether labels satisfy a selector. An empty selector matches everything. */
export function matchesLabels(selector: LabelSelector, labels: Labels | undefined): boolean {
  return requirementsOf(selector).every((requirement) => holds(requirement, labels ?? {}));
}

/** A selector as it is written in a query: `app=web,tier in (a,b),!old`. */
export function formatLabelSelector(selector: LabelSelector): string {
  return [
    ...Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`),
    ...(selector.matchExpressions ?? []).map(formatRequirement),
  ].join(',');
}

/** Reads `a=b, a==b, a!=b, a in (b,c), a notin (b,c), a, !a`, joined by commas. */
export function parseLabelSelector(text: string): Parsed<LabelSelector> {
  const matchExpressions: LabelSelectorRequirement[] = [];
  for (const part of splitOutsideBrackets(text)) {
    const requirement = parseRequirement(part.trim());
    if (requirement === undefined)
      return { ok: false, message: `unable to parse requirement: ${JSON.stringify(part)}` };
    matchExpressions.push(requirement);
  }
  return { ok: true, value: { matchExpressions } };
}

/** One comparison of a field, addressed by its path: `spec.nodeName=`. */
export interface FieldRequirement {
  readonly path: readonly string[];
  readonly value: string;
  readonly equal: boolean;
}

/** Reads `path=value`, `path==value`, `path!=value`, joined by commas; `\` escapes `,`, `=` and itself. */
export function parseFieldSelector(text: string): Parsed<readonly FieldRequirement[]> {
  const requirements: FieldRequirement[] = [];
  for (const part of splitUnescaped(text)) {
    const match = /^\s*([A-Za-z0-9_.-]+)\s*(!=|==|=)(.*)$/s.exec(part);
    if (match === null) return { ok: false, message: `invalid field selector: ${JSON.stringify(part)}` };
    const [, path = '', operator, value = ''] = match;
    requirements.push({
      path: path.split('.'),
      value: value.trim().replace(/\\(.)/gs, '$1'),
      equal: operator !== '!=',
    });
  }
  return { ok: true, value: requirements };
}

/** Whether an object's fields satisfy all requirements. An absent field is the empty text. */
export function matchesFields(requirements: readonly FieldRequirement[], object: unknown): boolean {
  return requirements.every(({ path, value, equal }) => (fieldText(object, path) === value) === equal);
}

function fieldText(object: unknown, path: readonly string[]): string {
  const value = at(object, ...path);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function requirementsOf(selector: LabelSelector): readonly LabelSelectorRequirement[] {
  const equalities = Object.entries(selector.matchLabels ?? {}).map(([key, value]): LabelSelectorRequirement => ({
    key,
    operator: 'In',
    values: [value],
  }));
  return [...equalities, ...(selector.matchExpressions ?? [])];
}

function holds({ key, operator, values = [] }: LabelSelectorRequirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}

function formatRequirement({ key, operator, values = [] }: LabelSelectorRequirement): string {
  switch (operator) {
    case 'In':
      return `${key} in (${values.join(',')})`;
    case 'NotIn':
      return `${key} notin (${values.join(',')})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
  }
}

const KEY = String.raw`([A-Za-z0-9](?:[A-Za-z0-9_./-]*[A-Za-z0-9])?)`;
const VALUE = /^(?:[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?)?$/;
const SET = new RegExp(String.raw`^${KEY}\s+(in|notin)\s*\(([^()]*)\)$`);
const EQUALITY = new RegExp(String.raw`^${KEY}\s*(!=|==|=)\s*(.*)$`);
const PRESENCE = new RegExp(String.raw`^(!?)\s*${KEY}$`);

function parseRequirement(text: string): LabelSelectorRequirement | undefined {
  return parseSet(text) ?? parseEquality(text) ?? parsePresence(text);
}

function parseSet(text: string): LabelSelectorRequirement | undefined {
  const match = SET.exec(text);
  const values = match?.[3]?.split(',').map((value) => value.trim()) ?? [];
  if (match?.[1] === undefined || !values.every((value) => VALUE.test(value))) return undefined;
  return { key: match[1], operator: match[2] === 'in' ? 'In' : 'NotIn', values };
}

function parseEquality(text: string): LabelSelectorRequirement | undefined {
  const match = EQUALITY.exec(text);
  const value = match?.[3]?.trim() ?? '';
  if (match?.[1] === undefined || !VALUE.test(value)) return undefined;
  return { key: match[1], operator: match[2] === '!=' ? 'NotIn' : 'In', values: [value] };
}

function parsePresence(text: string): LabelSelectorRequirement | undefined {
  const match = PRESENCE.exec(text);
  if (match?.[2] === undefined) return undefined;
  return { key: match[2], operator: match[1] === '!' ? 'DoesNotExist' : 'Exists' };
}

function splitOutsideBrackets(text: string): readonly string[] {
  if (text.trim() === '') return [];
  return text.split(/,(?![^(]*\))/);
}

function splitUnescaped(text: string): readonly string[] {
  if (text.trim() === '') return [];
  const parts: string[] = [];
  let part = '';
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === ',') {
      parts.push(part);
      part = '';
    } else part += char === '\\' ? char + text.charAt(++i) : char;
  }
  return [...parts, part];
}
