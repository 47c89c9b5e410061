import type { Diagnostic, Read } from '../diagnostics/index.ts';
import { isList, pointerOf } from './binding.ts';
import type { Binding, BindingContent, EventBinding, Path, Spot } from './binding.ts';
import { readArrowPattern } from './event-pattern.ts';
import { isBindingContent, schemaDiagnostics } from './schema-diagnostics.ts';
import { compileExpression } from './expression.ts';
import { conditionError, readPattern } from './pattern.ts';
import { readYaml } from './yaml-document.ts';

const DIAGNOSTICS_MAX = 50;

/** Reads a binding file: one binding per YAML document. A document of the wrong form is told and left out. */
export function readBinding(text: string, file: string): Read<readonly Binding[]> {
  const { documents, diagnostics } = readYaml(text, file);
  const bindings: Binding[] = [];
  const found: Diagnostic[] = [...diagnostics];
  for (const document of documents) {
    const { value, spots, at } = document;
    if (isBindingContent(value)) {
      const binding: Binding = { file, at, content: value, spots };
      bindings.push(binding);
      found.push(...expressionDiagnostics(value, binding));
    } else found.push(...schemaDiagnostics(document, file));
  }
  return { value: bindings, diagnostics: found.slice(0, DIAGNOSTICS_MAX) };
}

type Finding = { readonly error: string; readonly offset: number } | null;

/** Every expression and pattern of a binding is compiled once here, so a mistake is told at its own place. */
function expressionDiagnostics(content: BindingContent, binding: Binding): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const tell = (path: Path, finding: Finding): void => {
    if (finding !== null) diagnostics.push(expressionDiagnostic(finding, path, binding));
  };
  const condition = (path: Path, cel: string): void => {
    tell(path, conditionError(cel));
  };
  const value = (path: Path, cel: string): void => {
    const compiled = compileExpression(cel);
    tell(path, 'error' in compiled ? compiled : null);
  };
  const pattern = (path: Path, text: string): void => {
    const read = readPattern(text);
    tell(path, read.kind === 'wrong' ? read : null);
  };
  if (content.only !== undefined) condition(['only'], content.only);
  for (const [name, parameter] of Object.entries(content.parameters ?? {})) {
    if (typeof parameter === 'string') value(['parameters', name], parameter);
    else if (parameter.from !== undefined) value(['parameters', name, 'from'], parameter.from);
  }
  for (const [name, guard] of Object.entries(content.guards ?? {})) condition(['guards', name], guard);
  for (const [path, event] of eventsIn(content)) {
    const { match, when } = typeof event === 'string' ? { match: event } : event;
    const { pattern: text, offset } = readArrowPattern(match ?? '');
    const read = match === undefined ? null : readPattern(text);
    const place = typeof event === 'string' ? path : [...path, 'match'];
    tell(place, read?.kind === 'wrong' ? { ...read, offset: offset + read.offset } : null);
    if (when !== undefined) condition([...path, 'when'], when);
  }
  for (const { path, key, text } of textsIn(content)) (key === 'when' ? condition : pattern)(path, text);
  return diagnostics;
}

/** Events that are no drawn message. */
const eventsIn = ({ forbid, ends }: BindingContent): (readonly [Path, EventBinding])[] => [
  ...(ends === undefined ? [] : [[['ends'], ends] as const]),
  ...Object.entries(forbid ?? {}).map(([name, event]) => [['forbid', name], event] as const),
];

interface FoundText {
  readonly path: Path;
  readonly key: 'when' | 'pattern';
  readonly text: string;
}

/** The patterns and conditions of participants, messages and steps; the schema bounds how deep they stand. */
function* textsIn(content: BindingContent): Generator<FoundText> {
  for (const [name, participant] of Object.entries(content.participants ?? {}))
    yield* textsOf(['participants', name], participant, false);
  for (const [name, message] of Object.entries(content.messages ?? {}))
    yield* textsOf(['messages', name], message, true);
  for (const [number, step] of Object.entries(content.steps ?? {})) {
    const [path, shown] = isList(step) ? [['steps', number], step] : [['steps', number, 'show'], step.show ?? []];
    for (const [index, entry] of shown.entries())
      for (const [arrow, message] of Object.entries(entry)) yield* textsOf([...path, index, arrow], message, true);
  }
}

function* textsOf(path: Path, value: unknown, isPattern: boolean): Generator<FoundText> {
  if (typeof value === 'string') {
    if (isPattern) yield { path, key: 'pattern', text: value };
  } else if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) yield* textsOf([...path, index], entry, isPattern);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, entry] of Object.entries(value)) {
      if (key === 'when' && typeof entry === 'string') yield { path: [...path, key], key, text: entry };
      if (key === 'match' || key === 'fold') yield* textsOf([...path, key], entry, true);
    }
  }
}

function expressionDiagnostic(
  finding: { readonly error: string; readonly offset: number },
  path: Path,
  binding: Binding,
): Diagnostic {
  const spot = binding.spots.get(pointerOf(path));
  return {
    code: 'BND110',
    severity: 'error',
    message: `this expression cannot be read: ${finding.error}`,
    hint: 'a pattern is METHOD /path, or plain words (an exact label), or CEL; any other label is written label == "…"',
    file: binding.file,
    ...placeInText(spot, finding.offset, binding),
  };
}

function placeInText(
  spot: Spot | undefined,
  offset: number,
  binding: Binding,
): { readonly line: number; readonly column: number } {
  if (spot === undefined) return binding.at;
  if (spot.lead === null) return spot.value;
  return { line: spot.value.line, column: spot.value.column + spot.lead + offset };
}
