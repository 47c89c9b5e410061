import { isMap, isScalar, parseDocument } from 'yaml';

/** YAML that an author wrote: the strings of a mapping, or what is wrong with it. Other values count for nothing. */
export type YamlRead =
  | { readonly kind: 'read'; readonly strings: ReadonlyMap<string, string> }
  | { readonly kind: 'bad'; readonly message: string; readonly line: number; readonly column: number };

/** Longer YAML is refused: the library takes seconds for a hostile one, and no diagram needs it. */
const LENGTH_MAX = 16 * 1024;

/** Reads front matter, or the inside of `@{ … }`. */
export function readYaml(text: string): YamlRead {
  if (text.length > LENGTH_MAX) {
    return {
      kind: 'bad',
      message: `it has ${text.length} characters; at most ${LENGTH_MAX} are read`,
      line: 1,
      column: 1,
    };
  }
  try {
    const document = parseDocument(text, { schema: 'core', strict: true, logLevel: 'error' });
    const [error] = document.errors;
    if (error !== undefined) {
      const at = error.linePos?.[0];
      // The library's message goes on with a picture of the place, which ours has anyway.
      const message = (error.message.split('\n', 1)[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
      return { kind: 'bad', message, line: at?.line ?? 1, column: at?.col ?? 1 };
    }
    return { kind: 'read', strings: stringsOf(document.contents) };
  } catch (error) {
    // The library throws on texts nested deeper than the stack.
    const message = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : 'not YAML';
    return { kind: 'bad', message, line: 1, column: 1 };
  }
}

/** Taken from the nodes: the library's own conversion takes half a minute for a key within a key within a key (`? ? ? …`). */
function stringsOf(contents: unknown): ReadonlyMap<string, string> {
  const strings = new Map<string, string>();
  if (!isMap(contents)) return strings;
  for (const { key, value } of contents.items) {
    if (!isScalar(key) || !isScalar(value)) continue;
    const { value: inner } = value;
    if (typeof inner === 'string' || typeof inner === 'number') strings.set(String(key.value), String(inner));
  }
  return strings;
}

/** The inside of `@{ … }` is flow style, braces left out, unless it spans lines. */
export const readMetadata = (text: string): YamlRead => readYaml(text.includes('\n') ? text : `{${text}}`);
