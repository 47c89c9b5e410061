/** One line of `tap.jsonl`, see the README of the recordings. Texts that a line does not have are empty. */
export interface TapRecord {
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly t: number;
  readonly tap: string;
  readonly kind: string;
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly method: string;
  readonly url: string;
  /** User agent. */
  readonly ua: string;
  readonly status: number | null;
  readonly body: unknown;
  /** A watch event: its type and its object. */
  readonly event: unknown;
  /** Of a mark. */
  readonly text: string | null;
}

export function parseTap(text: string): readonly TapRecord[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => recordOf(JSON.parse(line)));
}

function recordOf(line: unknown): TapRecord {
  const [seq, t] = [numberAt(line, 'seq'), numberAt(line, 't')];
  if (!isRecord(line) || seq === null || t === null) throw new Error('this is no line of a tap');
  const text = (key: string): string => textAt(line, key) ?? '';
  return {
    seq,
    t,
    tap: text('tap'),
    kind: text('kind'),
    id: text('id'),
    from: text('from'),
    to: text('to'),
    method: text('method'),
    url: text('url'),
    ua: text('ua'),
    status: numberAt(line, 'status'),
    body: line['body'],
    event: line['event'],
    text: textAt(line, 'text'),
  };
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a path of keys; undefined where there is none. */
function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (isRecord(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
    value,
  );
}

export function textAt(value: unknown, ...path: readonly string[]): string | null {
  const found = at(value, path);
  return typeof found === 'string' && found !== '' ? found : null;
}

export function numberAt(value: unknown, ...path: readonly string[]): number | null {
  const found = at(value, path);
  return typeof found === 'number' ? found : null;
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found: unknown = at(value, path);
  return Array.isArray(found) ? found : [];
}
