import { Ajv, type ErrorObject } from 'ajv';
import type { Finding } from './findings.ts';
import { isField, meantBy, REQUIRED_FIELDS } from './mistyped.ts';
import { receivedDomainOf } from './proven-order.ts';
import type { TraceRecord } from './records.ts';
import { traceEventSchema } from './schema.ts';
import type { TraceEvent } from './types.ts';

/** `problem`: the source itself says that the trace is not whole, and why. */
export type Marker =
  | { readonly kind: 'begin' }
  | { readonly kind: 'end' }
  | { readonly kind: 'problem'; readonly title?: string; readonly detail?: string };

export type ParsedRecord =
  | { readonly kind: 'event'; readonly event: TraceEvent }
  | { readonly kind: 'marker'; readonly marker: Marker }
  | { readonly kind: 'bad'; readonly findings: readonly Finding[] };

/** Reads one JSON text as an event or a marker, or says what is wrong with it: every field, each with its place. */
export function parseRecord(record: TraceRecord): ParsedRecord {
  let value: unknown;
  try {
    value = JSON.parse(record.text);
  } catch (error) {
    return { kind: 'bad', findings: [syntaxFinding(record, error)] };
  }
  if (isLine(value)) {
    if (isMarker(value)) return { kind: 'marker', marker: value };
    const early = earlyReceipt(record, value);
    return early === null ? { kind: 'event', event: value } : { kind: 'bad', findings: [early] };
  }
  return { kind: 'bad', findings: schemaFindings(record, value, isLine.errors ?? []) };
}

const isMarker = (line: TraceEvent | Marker): line is Marker =>
  line.kind === 'begin' || line.kind === 'end' || line.kind === 'problem';

const isLine = new Ajv({ allErrors: true, allowUnionTypes: true, strictRequired: false, verbose: true }).compile<
  TraceEvent | Marker
>(traceEventSchema);

const EXAMPLE = '{"seq":1,"from":"Client","to":"Server","kind":"call","label":"GET /x"}';

function syntaxFinding(record: TraceRecord, error: unknown): Finding {
  const end = record.text.trimEnd().length;
  const offset = syntaxOffset(record.text, error instanceof Error ? error.message : '');
  if (offset >= end) {
    return {
      code: 'TRC101',
      message: 'the line is cut: its JSON ends too early',
      hint: 'one event is one line (`jq -c .` writes it so); a writer that was stopped leaves its last line cut',
      ...placeAt(record, end),
    };
  }
  return {
    code: 'TRC102',
    message: 'the line is not JSON',
    hint: `a line of a trace looks like ${EXAMPLE}`,
    ...placeAt(record, offset),
  };
}

/** Where JSON.parse stopped. V8 names the position of most errors; where it does not, scanning tokens finds it. */
function syntaxOffset(text: string, said: string): number {
  if (/end of JSON input|Unterminated string/.test(said)) return text.length;
  const position = /at position (\d+)/.exec(said)?.[1];
  if (position !== undefined) return Number(position);
  const token = /\s*(?:[{}[\],:]|"(?:[^"\\\n]|\\.)*"|-?\d[\d.eE+-]*|true\b|false\b|null\b)/y;
  let offset = 0;
  while (token.test(text)) offset = token.lastIndex;
  return offset + (/^\s*/.exec(text.slice(offset))?.[0].length ?? 0);
}

/** Two positions of one counter say which came first; between two counters, only the trace as a whole can contradict itself. */
function earlyReceipt(record: TraceRecord, event: TraceEvent): Finding | null {
  const { seq, receivedSeq, domain } = event;
  if (receivedSeq === undefined || receivedSeq >= seq || receivedDomainOf(event) !== domain) return null;
  return {
    code: 'TRC114',
    message: `receivedSeq ${receivedSeq} comes before seq ${seq}: the message would have been received before it was sent`,
    hint: 'seq and receivedSeq are positions of one counter, unless receivedDomain names the counter of the receiver',
    ...placeOfField(record, ['receivedSeq']),
  };
}

function schemaFindings(record: TraceRecord, value: unknown, errors: readonly ErrorObject[]): readonly Finding[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [
      {
        code: 'TRC103',
        message: `an event is a JSON object, not ${nameOf(value)}`,
        hint: `write ${EXAMPLE}`,
        ...placeAt(record, 0),
      },
    ];
  }
  const missing = errors.filter(({ keyword }) => keyword === 'required').map(missingOf);
  // Someone else's format lacks every field, and a marker most of them: one finding says so better than five.
  if (missing.length === REQUIRED_FIELDS.length) return [foreignFinding(record, value)];
  const isOfNoKind = errors.some(({ keyword, instancePath }) => keyword === 'enum' && instancePath === '/kind');
  if (isOfNoKind && EVENT_ONLY.every((field) => missing.includes(field))) return [markerFinding(record, value)];
  return errors.filter(({ keyword }) => keyword !== 'if').map((error) => fieldFinding(record, value, error));
}

const missingOf = ({ params }: ErrorObject): string => String(params['missingProperty']);

/** Fields that no marker has. */
const EVENT_ONLY = ['from', 'to', 'label'];
const MARKERS: readonly string[] = traceEventSchema.if.properties.kind.enum;

const foreignFinding = (record: TraceRecord, value: object): Finding => ({
  code: 'TRC105',
  message: `this is not an event: it has none of ${REQUIRED_FIELDS.join(', ')}`,
  hint: misspeltHint(value, REQUIRED_FIELDS) ?? `write ${EXAMPLE}`,
  ...placeAt(record, 0),
});

function markerFinding(record: TraceRecord, value: object): Finding {
  const kind: unknown = Object.getOwnPropertyDescriptor(value, 'kind')?.value;
  const meant = typeof kind === 'string' ? (MARKER_WORDS.get(kind.toLowerCase()) ?? meantBy(kind, MARKERS)) : undefined;
  const example = meant === undefined ? '{"kind":"begin"} or {"kind":"end"}' : JSON.stringify({ kind: meant });
  return {
    code: 'TRC105',
    message: `this is no event, for it has none of ${EVENT_ONLY.join(', ')}; and no marker: its kind is ${nameOf(kind)}`,
    hint: meant === undefined ? `a marker is ${example}; an event is ${EXAMPLE}` : `did you mean ${example}?`,
    ...placeOfField(record, ['kind']),
  };
}

const MARKER_WORDS = new Map([
  ['start', 'begin'],
  ['stop', 'end'],
  ['finish', 'end'],
  ['eof', 'end'],
]);

/** Names of one object that are looked at. */
const NAMES_MAX = 100;

/** A name that is written where one of the fields was meant. */
function misspeltHint(value: object, fields: readonly string[]): string | null {
  for (const name of Object.keys(value).slice(0, NAMES_MAX)) {
    const meant = isField(name) ? undefined : meantBy(name, fields);
    if (meant !== undefined) return `${JSON.stringify(name)} is written: did you mean ${JSON.stringify(meant)}?`;
  }
  return null;
}

function fieldFinding(record: TraceRecord, value: object, error: ErrorObject): Finding {
  if (error.keyword === 'required') {
    const field = missingOf(error);
    return {
      code: 'TRC105',
      message: `the field "${field}" is missing`,
      hint: misspeltHint(value, [field]) ?? `every event has ${REQUIRED_FIELDS.join(', ')}: ${EXAMPLE}`,
      ...placeAt(record, 0),
    };
  }
  if (error.keyword === 'dependencies') {
    return {
      code: 'TRC105',
      message: 'the field "receivedSeq" is missing: receivedDomain says which domain it belongs to',
      hint: 'an event that shows one end only names the domain of that end in "domain", and the end in "point"',
      ...placeOfField(record, ['receivedDomain']),
    };
  }
  const path = pathOf(error.instancePath);
  return {
    code: 'TRC104',
    message: `${path.join('.')} must be ${expected(error)}, not ${nameOf(error.data)}`,
    hint: hintFor(path, error.data),
    ...placeOfField(record, path),
  };
}

function expected(error: ErrorObject): string {
  const { keyword, params } = error;
  if (keyword === 'enum') return `one of ${listed(params['allowedValues'])}`;
  if (keyword === 'type') return TYPE_NAMES.get(listed(params['type'])) ?? listed(params['type']);
  if (keyword === 'minLength') return 'a text that is not empty';
  if (keyword === 'minimum') return `at least ${String(params['limit'])}`;
  if (keyword === 'maximum') return `at most ${String(params['limit'])}`;
  return error.message ?? keyword;
}

const TYPE_NAMES = new Map([
  ['string', 'a text'],
  ['number', 'a number'],
  ['integer', 'a whole number'],
  ['object', 'an object'],
  ['array', 'an array'],
  ['string, number, boolean', 'a text, a number, true or false'],
]);

const listed = (value: unknown): string => (Array.isArray(value) ? value.map(String).join(', ') : String(value));

const KINDS: readonly string[] = traceEventSchema.definitions.event.properties.kind.enum;
const OTHER_WORDS = new Map([
  ['request', 'call'],
  ['response', 'reply'],
  ['return', 'reply'],
  ['event', 'async'],
  ['message', 'async'],
  ['send', 'async'],
  ['publish', 'async'],
]);

function hintFor(path: readonly string[], value: unknown): string {
  const [field, name] = path;
  const word = typeof value === 'string' ? OTHER_WORDS.get(value.toLowerCase()) : undefined;
  if (field === 'kind' && word !== undefined) return `write "kind":"${word}"`;
  const near = field === 'kind' && typeof value === 'string' ? meantBy(value, KINDS) : undefined;
  if (near !== undefined) return `did you mean "kind":"${near}"?`;
  if (value === null) return 'leave the field out where there is no value';
  if (field === 'attributes' && name !== undefined)
    return 'attributes are flat: give each inner value a dotted name of its own';
  if (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)) return `write the number without quotes: ${value}`;
  if (typeof value === 'number' && !Number.isSafeInteger(value) && field?.toLowerCase().endsWith('seq') === true) {
    return 'a position is a counter; JSON numbers are exact only up to 2^53 - 1';
  }
  return `the schema is specs/trace-event.schema.json; an example: ${EXAMPLE}`;
}

/** What a value is, in the author's words, short enough for one line. */
function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** A JSON pointer (RFC 6901) as its segments. */
const pathOf = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));

/**
 * Where a field stands: its last name (indexes left out) in quotes before a colon. The same name may stand earlier in a
 * label; the line is right even then.
 */
export function placeOfField(
  record: TraceRecord,
  path: readonly string[],
): Pick<Finding, 'line' | 'column' | 'endColumn'> {
  const name = path.findLast((segment) => !/^\d+$/.test(segment)) ?? '';
  const quoted = JSON.stringify(name);
  for (let at = record.text.indexOf(quoted); at >= 0; at = record.text.indexOf(quoted, at + 1)) {
    if (!/^\s*:/.test(record.text.slice(at + quoted.length, at + quoted.length + 20))) continue;
    const place = placeAt(record, at);
    return { ...place, endColumn: place.column + quoted.length };
  }
  return placeAt(record, 0);
}

/** The place of an offset in a record, which spans several lines when it is an element of an array. */
function placeAt(record: TraceRecord, offset: number): { readonly line: number; readonly column: number } {
  const before = record.text.slice(0, offset);
  const lastNewline = before.lastIndexOf('\n');
  if (lastNewline < 0) return { line: record.line, column: record.column + offset };
  return { line: record.line + before.split('\n').length - 1, column: offset - lastNewline };
}
