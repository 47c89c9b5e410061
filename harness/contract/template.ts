import type { TemplateSegment, UrlTemplate } from './types.ts';

/** Methods that a label or pattern may begin with: HTTP's, and two that stores and watches are traced with. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'WATCH', 'TXN'] as const;
const METHOD = METHODS.join('|');

const REQUEST_LINE = new RegExp(`^\\s*(${METHOD})\\s+(/\\S*)\\s*$`, 'u');
/** A path inside prose ends at a blank, a quote or a parenthesis. */
const REQUEST_IN_TEXT = new RegExp(`(?:^|[^\\p{L}\\p{N}_])(${METHOD})\\s+(/[^\\s()"'\`,;]*)`, 'u');

/** A method and a target as a label shows them; `query` is the raw text after `?`, null where there is none. */
export interface RequestLine {
  readonly method: string;
  readonly path: string;
  readonly query: string | null;
}

/** Reads a label that is a request and nothing else, `PUT /registry/pods/default/web-1`. */
export const readRequestLine = (label: string): RequestLine | null => requestOf(REQUEST_LINE.exec(label));

/** Finds the first request in a drawn text, `Create Pod (POST /api/v1/namespaces/default/pods)`. */
export const findRequest = (text: string): RequestLine | null => requestOf(REQUEST_IN_TEXT.exec(text));

function requestOf(found: RegExpExecArray | null): RequestLine | null {
  const [, method, target] = found ?? [];
  if (method === undefined || target === undefined) return null;
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  return { method, path: path.replace(/[.:!]+$/u, ''), query: mark < 0 ? null : target.slice(mark + 1) };
}

export const segmentsOf = (path: string): string[] => {
  const segments = path.split('/');
  if (segments[0] === '') segments.shift();
  if (segments.at(-1) === '') segments.pop();
  return segments;
};

/** The parameters of a raw query, decoded; null: drawn without a value. */
export const queryOf = (query: string | null): UrlTemplate['query'] =>
  (query ?? '')
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const equals = part.indexOf('=');
      if (equals < 0) return { key: decodedQuery(part), value: null };
      return { key: decodedQuery(part.slice(0, equals)), value: decodedQuery(part.slice(equals + 1)) };
    });

/** One word that stands for the value of a parameter. */
export const CAPTURE = /^\{([A-Za-z_][\w.-]*)\}$/u;

/** What is wrong with a template, and where in its text. */
export interface TemplateError {
  readonly error: string;
  readonly offset: number;
}

/** Reads `METHOD /path` with `*` and `{name}`; null where the text has not that form. */
export function readTemplate(pattern: string): UrlTemplate | TemplateError | null {
  const request = readRequestLine(pattern);
  if (request === null) return null;
  const segments: TemplateSegment[] = [];
  for (const segment of segmentsOf(request.path)) {
    const name = CAPTURE.exec(segment)?.[1];
    if (segment === '*') segments.push({ kind: 'any' });
    else if (name !== undefined) segments.push({ kind: 'capture', parameter: name });
    else if (/[*{}]/u.test(segment)) return { error: segmentError(segment), offset: pattern.indexOf(segment) };
    else segments.push({ kind: 'text', text: decoded(segment) });
  }
  return { method: request.method, segments, query: queryOf(request.query) };
}

const segmentError = (segment: string): string =>
  `"${segment}": * and {name} stand for a whole path segment, between two slashes`;

const NO_CAPTURES: ReadonlyMap<string, string> = new Map();

/**
 * Whether a request is of this form: its captures by parameter, or null. One trailing slash does not count, percent
 * escapes are decoded, query parameters that are not drawn are free. `query` is the raw text after `?`.
 */
export function matchTemplate(
  template: UrlTemplate,
  method: string,
  path: string,
  query: string | null,
): ReadonlyMap<string, string> | null {
  if (method !== template.method) return null;
  let captures: Map<string, string> | null = null;
  // Cut in place: this runs for every event, and an array of segments each time costs more than comparing them.
  const end = path.endsWith('/') ? path.length - 1 : path.length;
  let from = path.startsWith('/') ? 1 : 0;
  for (const [index, wanted] of template.segments.entries()) {
    if (from > end) return null;
    const slash = path.indexOf('/', from);
    const to = slash < 0 || slash > end ? end : slash;
    if (index === template.segments.length - 1 && to < end) return null;
    switch (wanted.kind) {
      case 'any':
        if (to === from) return null;
        break;
      case 'text':
        if (!isSegment(path, from, to, wanted.text)) return null;
        break;
      case 'capture': {
        const value = decoded(path.slice(from, to));
        captures ??= new Map();
        // A name that stands twice must hold one value.
        if (value === '' || (captures.get(wanted.parameter) ?? value) !== value) return null;
        captures.set(wanted.parameter, value);
      }
    }
    from = to + 1;
  }
  if (from <= end) return null;
  return template.query.length > 0 && !hasQuery(template.query, query) ? null : (captures ?? NO_CAPTURES);
}

function isSegment(path: string, from: number, to: number, text: string): boolean {
  if (to - from === text.length && path.startsWith(text, from)) return true;
  const raw = path.slice(from, to);
  return raw.includes('%') && decoded(raw) === text;
}

function hasQuery(wanted: UrlTemplate['query'], query: string | null): boolean {
  const given = queryOf(query);
  return wanted.every(({ key, value }) =>
    given.some((one) => one.key === key && (value === null || one.value === value)),
  );
}

const decodedQuery = (text: string): string => decoded(text.replaceAll('+', ' '));

function decoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    // Not an escape after all: a raw percent sign in a store key.
    return text;
  }
}

/** A template as the author would write it. */
export function printTemplate(template: UrlTemplate): string {
  const path = template.segments.map((segment) => `/${printSegment(segment)}`).join('');
  const query = template.query.map(({ key, value }) => (value === null ? key : `${key}=${value}`)).join('&');
  return `${template.method} ${path === '' ? '/' : path}${query === '' ? '' : `?${query}`}`;
}

function printSegment(segment: TemplateSegment): string {
  switch (segment.kind) {
    case 'any':
      return '*';
    case 'capture':
      return `{${segment.parameter}}`;
    case 'text':
      return segment.text;
  }
}
