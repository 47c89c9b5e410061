import { parseDocument } from 'yaml';

/** YAML that an author wrote: the strings of a mapping, or what is wrong with it. Other values count for nothing. */
export type YamlRead =
  | { readonly kind: 'read'; readonly strings: ReadonlyMap<string, string> }
  | { readonly kind: 'bad'; readonly message: string; readonly line: number; readonly column: number };

/** Reads front matter, or the inside of `@{ … }`. */
export function readYaml(text: string): YamlRead {
  try {
    const document = parseDocument(text, { schema: 'core', strict: true, logLevel: 'error' });
    const [error] = document.errors;
    if (error !== undefined) {
      const at = error.linePos?.[0];
      // The library's message goes on with a picture of the place, which ours has anyway.
      const message = (error.message.split('\n', 1)[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
      return { kind: 'bad', message, line: at?.line ?? 1, column: at?.col ?? 1 };
    }
    // Aliases can blow up a small text; no diagram needs one.
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    const strings = new Map<string, string>();
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [key, inner] of Object.entries(value)) {
        if (typeof inner === 'string' || typeof inner === 'number') strings.set(key, String(inner));
      }
    }
    return { kind: 'read', strings };
  } catch (error) {
    // The library throws on aliases beyond the limit and on texts nested deeper than the stack.
    const message = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : 'not YAML';
    return { kind: 'bad', message, line: 1, column: 1 };
  }
}

/** The inside of `@{ … }` is flow style, braces left out, unless it spans lines. */
export const readMetadata = (text: string): YamlRead => readYaml(text.includes('\n') ? text : `{${text}}`);
