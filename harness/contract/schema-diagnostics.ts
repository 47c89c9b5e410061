import { Ajv } from 'ajv';
import type { DefinedError, ErrorObject, ValidateFunction } from 'ajv';
import type { Diagnostic } from '../diagnostics/index.ts';
import { BINDING_SCHEMA } from './binding-schema.ts';
import { pointerOf } from './binding.ts';
import type { BindingContent } from './binding.ts';
import { quoted, suggest } from './names.ts';
import type { YamlDocument } from './yaml-document.ts';

let validator: ValidateFunction<BindingContent> | undefined;
/** Compiled on first use: it costs more than reading a small diagram does. */
const validatorOnce = (): ValidateFunction<BindingContent> =>
  (validator ??= new Ajv({ allErrors: true, verbose: true, allowUnionTypes: true }).compile<BindingContent>(
    BINDING_SCHEMA,
  ));
/** Whether a value has the form of a binding. */
export const isBindingContent = (value: unknown): value is BindingContent => validatorOnce()(value);

/** What is wrong with the value that `isBindingContent` has just refused, with the place of each mistake. */
export function schemaDiagnostics(document: YamlDocument, file: string): Diagnostic[] {
  const { errors } = validatorOnce();
  const seen = new Set<string>();
  return (errors ?? [])
    .filter(isWorthTelling)
    .map((error) => schemaDiagnostic(error, document, file))
    .filter(({ message, line, column }) => {
      const key = `${line}:${column}:${message}`;
      return !seen.has(key) && seen.add(key);
    });
}

/** A wrong name is told once, by its `propertyNames`, not also by the pattern inside; so with alternatives. */
const isWorthTelling = (error: ErrorObject): error is DefinedError =>
  !(error.keyword === 'pattern' && error.propertyName !== undefined) && !error.schemaPath.includes('/anyOf/');

interface Told {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  /** The key below the value at the error's place that it is about. */
  readonly key?: string;
}

function schemaDiagnostic(error: DefinedError, document: YamlDocument, file: string): Diagnostic {
  const { key, ...told } = schemaMessage(error);
  const pointer = error.instancePath + (key === undefined ? '' : pointerOf([key]));
  const spot = document.spots.get(pointer);
  const place = (key === undefined ? spot?.value : (spot?.key ?? spot?.value)) ?? document.at;
  return { severity: 'error', file, ...told, ...place };
}

function schemaMessage(error: DefinedError): Told {
  const where = nameOf(error.instancePath);
  const form = (message: string, hint: string, key?: string): Told =>
    key === undefined ? { code: 'BND105', message, hint } : { code: 'BND105', message, hint, key };
  // eslint-disable-next-line @typescript-eslint/switch-exhaustiveness-check -- the rest of the keywords the schema does not use
  switch (error.keyword) {
    case 'additionalProperties':
      return unknownKey(error.params.additionalProperty, error);
    case 'type':
      return form(
        `${where} is ${kindOf(error.data)}, not ${wantedKinds(error.params.type)}`,
        stepHint(error.instancePath) ?? typeHint(error.data),
      );
    case 'enum':
      return form(`${where} is ${shown(error.data)}`, `one of ${error.params.allowedValues.join(', ')}`);
    case 'pattern':
      return form(`${where} is ${shown(error.data)}`, patternHint(error.instancePath));
    case 'propertyNames':
      return wrongName(error.params.propertyName, error.instancePath);
    case 'required':
      return error.params.missingProperty === 'show'
        ? WITHOUT_SHOW
        : form(...withoutSelector(where, error.params.missingProperty));
    case 'anyOf':
      return {
        ...WITHOUT_SHOW,
        message: '"show" stands alone',
        hint: 'a step without while or standing is just the list',
      };
    case 'not':
      return conflict(error);
    case 'minItems':
      return form(`${where} needs ${error.params.limit} or more entries`, 'see docs/bindings.md');
    case 'minLength':
      return form(
        `${where} is ${error.params.limit > 1 ? 'too short' : 'empty'}`,
        'a reason is a few words that a reader understands',
      );
    case 'minProperties':
      return form(`${where} is an empty map`, stepHint(error.instancePath) ?? 'see docs/bindings.md for its keys');
    case 'maxItems':
    case 'maxProperties':
      return form(
        `${where} has more than ${error.params.limit} ${error.keyword === 'maxItems' ? 'entries' : 'keys'}`,
        'one message per entry: begin each line with "- "',
      );
    default:
      return form(`${where} ${error.message ?? 'has the wrong form'}`, 'see docs/bindings.md');
  }
}

const WITHOUT_SHOW: Told = {
  code: 'BND105',
  message: 'the step needs "show"',
  hint: 'show: a list of From -> To: pattern, which says what the step looks like',
};

const withoutSelector = (where: string, key: string): [string, string] => [
  `${where} has no ${quoted(key)}`,
  'participants that share one traced name are told apart by `is` and `when`',
];

/** Maps whose keys an author chooses, and which may be numbers. */
const OF_OWN_KEYS = new Set(['participants', 'parameters', 'messages', 'steps', 'loops', 'guards', 'within', 'forbid']);

/** How an author would call what a pointer leads to: `"ordered", entry 1`; the schema bounds how deep that is. */
function nameOf(pointer: string): string {
  if (pointer === '') return 'the binding';
  const parts = pointer.slice(1).split('/');
  const isEntry = (place: number): boolean =>
    /^\d+$/u.test(parts[place] ?? '') && place > 0 && !(place === 1 && OF_OWN_KEYS.has(parts[0] ?? ''));
  let last = parts.length - 1;
  while (isEntry(last)) last -= 1;
  const entries = parts.slice(last + 1).map((index) => `, entry ${Number(index) + 1}`);
  return `${quoted((parts[last] ?? '').replaceAll('~1', '/').replaceAll('~0', '~'))}${entries.join('')}`;
}

function unknownKey(key: string, error: ErrorObject): Told {
  const hint =
    key === 'hidden'
      ? 'participants that are not drawn are outside the contract anyway: take it out'
      : valuesOf(error.data).get(key) === null
        ? typeHint({})
        : suggest(key, keysOf(error.parentSchema), 'keys here');
  return { code: 'BND103', message: `there is no key ${quoted(key)} here`, hint, key };
}

const valuesOf = (data: unknown): ReadonlyMap<string, unknown> =>
  new Map<string, unknown>(typeof data === 'object' && data !== null ? Object.entries(data) : []);

const keysOf = (schema: unknown): string[] => [...valuesOf(valuesOf(schema).get('properties')).keys()];

const KINDS: ReadonlyMap<string, string> = new Map([
  ['string', 'a text'],
  ['object', 'a map'],
  ['array', 'a list'],
  ['integer', 'a whole number'],
  ['boolean', 'true or false'],
]);

const wantedKinds = (types: string | readonly string[]): string =>
  [types]
    .flat()
    .map((type) => KINDS.get(type) ?? type)
    .join(' or ');

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a map' : typeof value === 'string' ? quoted(value) : JSON.stringify(value);
}

/** A map of a binding has no prototype, so it has no text either. */
const shown = (value: unknown): string =>
  typeof value === 'object' && value !== null ? kindOf(value) : quoted(String(value));

/** Two ends alone do not say what a message of a step looks like. */
const stepHint = (pointer: string): string | undefined =>
  /^\/steps\/[^/]+\/\d+/u.test(pointer)
    ? 'say behind a colon what shows it, also of a reply: a text in quotes, a request, or a condition such as kind == "reply"'
    : undefined;

function typeHint(value: unknown): string {
  if (value === null || value === undefined) return 'write a value, or take the key out';
  if (typeof value === 'object') return 'a text that begins with { or [ must be put in quotes';
  return 'put it in quotes if it is a text';
}

const patternHint = (pointer: string): string =>
  pointer.startsWith('/within/') ? 'a number and a unit: 500ms, 30s, 5m or 1h' : 'write 3, 1..5 or 1+';

function wrongName(name: string, pointer: string): Told {
  const told = (message: string, hint: string): Told => ({ code: 'BND105', message, hint, key: name });
  if (pointer === '/parameters')
    return told(`${quoted(name)} is no name of a parameter`, 'letters, digits, and _ . - after a first letter');
  if (pointer === '/within')
    return told(`${quoted(name)} names no two messages`, 'write "a .. b", with blanks around the two dots');
  if (pointer === '/steps')
    return told(`${quoted(name)} is no number of a step`, 'the keys of steps are numbers: 1, 2, 3');
  return told(
    `${quoted(name)} is no arrow`,
    'write From -> To, From --> To or From -x To, with blanks around the arrow',
  );
}

/** Which key forbids stands in the path of the schema, which one it meets in the data. */
function conflict(error: DefinedError): Told {
  const one = /dependencies\/([^/]+)\/not$/u.exec(error.schemaPath)?.[1] ?? '';
  const forbidden = JSON.stringify(error.schema);
  const other =
    [...valuesOf(error.data).keys()].find((key) => key !== one && forbidden.includes(JSON.stringify(key))) ?? '';
  return {
    code: 'BND106',
    message: `${quoted(one)} and ${quoted(other)} exclude each other`,
    hint: 'keep the one that is true',
    key: other,
  };
}
