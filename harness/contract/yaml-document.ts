import { Composer, isAlias, isMap, isScalar, isSeq, LineCounter, Parser } from 'yaml';
import type { CST, Document, Node, Pair, YAMLError } from 'yaml';
import type { Diagnostic } from '../diagnostics/index.ts';
import type { Place } from '../diagram/index.ts';
import { pointerOf } from './binding.ts';
import type { Path, Spot } from './binding.ts';

/** One document of a YAML file as plain data, and where everything stands. */
export interface YamlDocument {
  readonly value: unknown;
  readonly at: Place;
  readonly spots: ReadonlyMap<string, Spot>;
}

const LENGTH_MAX = 128 * 1024;
const DOCUMENTS_MAX = 100;
/** Also what aliases may expand to: `&a [*a, *a]` has no end. */
const NODES_MAX = 5_000;
const DEPTH_MAX = 20;
/** Finding what an alias means costs a walk through the document. */
const ALIASES_MAX = 100;
const DIAGNOSTICS_MAX = 50;

/** Reads all documents of a YAML text. An empty document is none. */
export function readYaml(
  text: string,
  file: string,
): { readonly documents: readonly YamlDocument[]; readonly diagnostics: readonly Diagnostic[] } {
  const tell = (message: string, hint: string): Diagnostic => ({ ...TOO_LARGE, message, hint, file });
  if (text.length > LENGTH_MAX)
    return {
      documents: [],
      diagnostics: [tell(`the file is longer than ${LENGTH_MAX} characters`, 'a binding has some dozen lines')],
    };
  const lines = new LineCounter();
  const parsed = parseDocuments(text, lines);
  if (parsed === null) return { documents: [], diagnostics: [{ ...TOO_DEEP, file }] };
  if (parsed.length > DOCUMENTS_MAX)
    return { documents: [], diagnostics: [tell(`the file holds more than ${DOCUMENTS_MAX} documents`, 'split it')] };
  const documents: YamlDocument[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const document of parsed) {
    const errors = syntaxDiagnostics([...document.errors, ...document.warnings], file, lines);
    const plain: Plain = errors.length > 0 ? { diagnostics: errors } : toPlain(document, file, lines);
    diagnostics.push(...plain.diagnostics);
    if (plain.document !== undefined && plain.document.value !== null) documents.push(plain.document);
  }
  return { documents, diagnostics: diagnostics.slice(0, DIAGNOSTICS_MAX) };
}

const TOO_LARGE = { code: 'BND102', severity: 'error', line: 1, column: 1 } as const;
const TOO_DEEP = {
  ...TOO_LARGE,
  message: 'the file is nested too deeply to be read',
  hint: 'a binding needs five levels',
} as const;

/** The parser keeps its own stack; the composer recurses over nesting, so what is too deep must not reach it. */
function parseDocuments(text: string, lines: LineCounter): readonly Document.Parsed[] | null {
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  if (isDeeperThan(DEPTH_MAX, tokens)) return null;
  return [...new Composer({ lineCounter: lines, prettyErrors: false }).compose(tokens)];
}

function isDeeperThan(limit: number, tokens: readonly CST.Token[]): boolean {
  let level: readonly CST.Token[] = tokens;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = level.flatMap(childTokens);
  }
  return false;
}

function childTokens(token: CST.Token): CST.Token[] {
  if (token.type === 'document') return token.value === undefined ? [] : [token.value];
  if (!('items' in token)) return [];
  return token.items.flatMap(({ key, value }) => [key, value].filter((child) => child !== null && child !== undefined));
}

function placeAt(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

/** The traps of YAML, by the parser's code: what the author most likely meant. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ['BAD_ALIAS', 'a value that begins with * is an alias in YAML: put it in quotes'],
  ['TAG_RESOLVE_FAILED', 'a value that begins with ! is a tag in YAML: put it in quotes, "!has(…)"'],
  ['BLOCK_AS_IMPLICIT_KEY', 'a text that holds ": " must be put in quotes'],
  ['BLOCK_IN_FLOW', 'a text that holds ": " must be put in quotes'],
  ['MULTILINE_IMPLICIT_KEY', 'a text that holds ": " must be put in quotes'],
  ['MISSING_CHAR', 'in { } and [ ] a text with braces, brackets, commas or ": " must be put in quotes'],
  ['UNEXPECTED_TOKEN', 'in { } and [ ] a text with braces, brackets, commas or ": " must be put in quotes'],
  ['BAD_SCALAR_START', 'a text that begins with a special character must be put in quotes'],
  ['TAB_AS_INDENT', 'indent with blanks'],
  ['DUPLICATE_KEY', 'for several occurrences of one text write a list, one entry per occurrence'],
]);

/** The first of a line: the others are usually its consequences. */
function syntaxDiagnostics(errors: readonly YAMLError[], file: string, lines: LineCounter): readonly Diagnostic[] {
  const byLine = new Map<number, Diagnostic>();
  for (const error of errors) {
    const diagnostic = syntaxDiagnostic(error, file, lines);
    if (!byLine.has(diagnostic.line)) byLine.set(diagnostic.line, diagnostic);
  }
  return [...byLine.values()];
}

function syntaxDiagnostic(error: YAMLError, file: string, lines: LineCounter): Diagnostic {
  const code = error.code === 'DUPLICATE_KEY' ? 'BND108' : HINTS.has(error.code) ? 'BND107' : 'BND101';
  const hint = HINTS.get(error.code) ?? 'this is not YAML; compare with the examples in docs/bindings.md';
  const place = placeAt(lines, error.pos[0]);
  return { code, severity: 'error', message: error.message, hint, file, ...place };
}

interface Plain {
  readonly document?: YamlDocument;
  readonly diagnostics: readonly Diagnostic[];
}

type Parent = unknown[] | Record<string, unknown>;

interface Pending {
  readonly node: unknown;
  readonly path: Path;
  readonly key: Place | null;
  readonly parent: Parent;
}

/** With an explicit stack, so nesting costs no stack; with bounds, so aliases cannot blow it up. */
function toPlain(document: Document.Parsed, file: string, lines: LineCounter): Plain {
  const spots = new Map<string, Spot>();
  const root: unknown[] = [];
  const start = placeAt(lines, document.contents?.range[0] ?? document.range[0]);
  const pending: Pending[] = [{ node: document.contents, path: [], key: null, parent: root }];
  let [nodes, aliases] = [0, 0];
  const refuse = (message: string, node: unknown): Plain => {
    const place = isNode(node) && node.range ? placeAt(lines, node.range[0]) : start;
    return { diagnostics: [{ ...TOO_LARGE, ...place, message, hint: 'write it out, or split the file', file }] };
  };
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { path, key, parent } = next;
    if ((nodes += 1) > NODES_MAX) return refuse(`more than ${NODES_MAX} values, aliases expanded`, next.node);
    if (path.length > DEPTH_MAX) return refuse(`nested more than ${DEPTH_MAX} levels deep`, next.node);
    if (isAlias(next.node) && (aliases += 1) > ALIASES_MAX)
      return refuse(`more than ${ALIASES_MAX} aliases`, next.node);
    const node = isAlias(next.node) ? next.node.resolve(document) : next.node;
    if (isAlias(next.node) && node === undefined)
      return { diagnostics: [unresolvedAlias(next.node.source, file, placeAt(lines, next.node.range?.[0] ?? 0))] };
    const spot = isNode(next.node) ? spotOf(next.node, key, lines) : key && { key, value: key, lead: null };
    if (spot !== null) spots.set(pointerOf(path), spot);
    const children = containerOf(node);
    put(parent, path.at(-1) ?? 0, children ?? (isScalar(node) ? node.value : null));
    if (children !== null) pending.push(...childrenOf(node, path, children, lines).reverse());
  }
  return { document: { value: root[0] ?? null, at: start, spots }, diagnostics: [] };
}

const unresolvedAlias = (name: string, file: string, place: Place): Diagnostic => ({
  code: 'BND107',
  severity: 'error',
  message: `there is no anchor &${name}`,
  hint: HINTS.get('BAD_ALIAS') ?? '',
  file,
  ...place,
});

function childrenOf(node: unknown, path: Path, parent: Parent, lines: LineCounter): Pending[] {
  if (isMap(node)) return node.items.map((pair) => pairOf(pair, path, parent, lines));
  if (!isSeq(node)) return [];
  return node.items.map((item, index) => ({ node: item, path: [...path, index], key: null, parent }));
}

const isNode = (node: unknown): node is Node => isScalar(node) || isMap(node) || isSeq(node) || isAlias(node);

function containerOf(node: unknown): Parent | null {
  // No prototype: a key of the author (`__proto__`) is only ever a key.
  if (isMap(node)) return Object.create(null) as Record<string, unknown>;
  return isSeq(node) ? [] : null;
}

function put(parent: Parent, key: string | number, value: unknown): void {
  if (Array.isArray(parent)) parent[Number(key)] = value;
  else parent[String(key)] = value;
}

function pairOf(pair: Pair, path: Path, parent: Parent, lines: LineCounter): Pending {
  const { key, value } = pair;
  const name = isScalar(key) ? (key.source ?? String(key.value)) : String(key);
  const place = isNode(key) ? placeAt(lines, key.range?.[0] ?? 0) : null;
  return { node: value, path: [...path, name], key: place, parent };
}

function spotOf(node: Node, key: Place | null, lines: LineCounter): Spot {
  const [start, end] = node.range ?? [0, 0];
  const value = placeAt(lines, start);
  if (!isScalar(node) || typeof node.value !== 'string') return { key, value, lead: null };
  const quote = node.type === 'QUOTE_SINGLE' || node.type === 'QUOTE_DOUBLE' ? 1 : 0;
  // Equal lengths: nothing was escaped or folded.
  const isVerbatim = end - start === node.value.length + 2 * quote && !node.value.includes('\n');
  return { key, value, lead: isVerbatim && (quote === 1 || node.type === 'PLAIN') ? quote : null };
}
