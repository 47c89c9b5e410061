import { at, matchesFields, matchesLabels, parseFieldSelector, parseLabelSelector, textsOf } from '../api/index.ts';
import type { JsonObject, Parsed } from '../api/index.ts';
import { badRequest } from './status-error.ts';

/** Whether an object is among those that a list or watch asks for. */
export type Selection = (object: JsonObject) => boolean;

/** The query parameters of a request; one given twice is refused where it is asked for. */
export interface Query {
  text(name: string): string | undefined;
  /** `true` or `1`; absent or anything else is no. */
  flag(name: string): boolean;
  /** A whole number, 0 or greater. */
  count(name: string): number | undefined;
}

/** Reads the query of a URL. */
export function queryOf(url: string): Query {
  const start = url.indexOf('?');
  const parameters = new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
  const text = (name: string): string | undefined => {
    const values = parameters.getAll(name);
    if (values.length > 1) throw badRequest(`query parameter ${name} is given more than once`);
    return values[0] === '' ? undefined : values[0];
  };
  return {
    text,
    flag: (name) => ['true', '1'].includes(text(name) ?? ''),
    count: (name) => {
      const value = text(name);
      if (value === undefined) return undefined;
      if (!/^[0-9]{1,15}$/.test(value))
        throw badRequest(`query parameter ${name} must be a whole number, 0 or greater`);
      return Number(value);
    },
  };
}

/** The label and field selectors of a query. */
export function selectionOf(query: Query): Selection {
  const labels = required(parseLabelSelector(query.text('labelSelector') ?? ''));
  const fields = required(parseFieldSelector(query.text('fieldSelector') ?? ''));
  return (object) => matchesLabels(labels, textsOf(at(object, 'metadata', 'labels'))) && matchesFields(fields, object);
}

function required<T>(parsed: Parsed<T>): T {
  if (!parsed.ok) throw badRequest(parsed.message);
  return parsed.value;
}
