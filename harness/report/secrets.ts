import type { ReportInput } from './types.ts';

const MASK = '•••';
const SECRET_NAME = /authori[sz]ation|cookie|token|passw|secret|api[-_.]?key|credential|private[-_.]?key/i;

/**
 * The input of a report with every value that looks like a secret masked: attributes and key parameters by their name,
 * and in any text the user of a URL, a secret query parameter and a bearer token. Reports travel further than traces do.
 */
export function maskSecrets(input: ReportInput): ReportInput {
  if (input.showSecrets === true) return input;
  return {
    ...input,
    run: maskStrings(input.run),
    diagrams: maskStrings(input.diagrams),
    sources: new Map([...input.sources].map(([file, text]) => [file, maskText(text)])),
  };
}

/** Masks what looks like a secret inside a text. Each pattern is linear in the length of the text. */
export function maskText(text: string): string {
  return text
    .replace(/:\/\/[^\s/?#"'<>]*@/g, `://${MASK}@`)
    .replace(/([?&])([^=&#\s]{1,80})=[^&#\s"'<>]*/g, (whole, separator: string, name: string) =>
      SECRET_NAME.test(name) ? `${separator}${name}=${MASK}` : whole,
    )
    .replace(/\b(bearer) +[\w.~+/=-]{20,}/gi, `$1 ${MASK}`);
}

/** Every string of plain data, masked. Verdicts and diagrams are flat lists, so the depth is that of their types. */
function maskStrings<T>(value: T): T {
  // A function from a type to itself, by cases: the compiler cannot follow that each case keeps its own type.
  return maskValue(value) as T;
}

function maskValue(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return value.map(maskValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      RECORDS.has(name) && isRecord(inner) ? maskRecord(inner) : maskValue(inner),
    ]),
  );
}

/** The fields whose own keys are names from a trace. */
const RECORDS = new Set(['attributes', 'key']);

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const maskRecord = (record: object): object =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]: [string, unknown]) => [
      name,
      SECRET_NAME.test(name) ? MASK : maskValue(value),
    ]),
  );
