import { hasErrors, type Diagnostic } from '../diagnostics/index.ts';
import { type Diagram, describeDifference, printAscii, printMermaid, wholeFile } from '../diagram/index.ts';
import { cellsOf, readAscii } from '../dialects/index.ts';
import { EXIT_AUTHOR_ERROR, type Io } from './io.ts';
import { readDiagrams } from './specs.ts';
import { tell } from './tell.ts';

/** The notations that a diagram can be printed in. */
export const NOTATIONS = ['mermaid', 'ascii'] as const;

export interface ConvertOptions {
  readonly to: (typeof NOTATIONS)[number];
  /** Only the diagram of this name. */
  readonly diagram?: string;
}

/**
 * `asdrawn convert SPEC… --to mermaid|ascii`: prints what was read in another notation. A diagram with errors is not printed,
 * since it would say something else than its author drew.
 */
export async function convertCommand(io: Io, paths: readonly string[], options: ConvertOptions): Promise<number> {
  const { diagrams, diagnostics, sources } = await readDiagrams(paths, options.diagram);
  if (tell(io, diagnostics, sources)) return EXIT_AUTHOR_ERROR;
  const found: Diagnostic[] = [];
  const printed: string[] = [];
  for (const diagram of diagrams) {
    const { text, diagnostic } = options.to === 'mermaid' ? asMermaid(diagram) : asArt(diagram);
    if (text !== null) printed.push(diagrams.length > 1 ? `${captionOf(diagram, options.to)}${text}` : text);
    if (diagnostic !== null) found.push(diagnostic);
  }
  io.out(printed.join('\n'));
  tell(io, found, new Map());
  return hasErrors(found) ? EXIT_AUTHOR_ERROR : 0;
}

interface Printed {
  readonly text: string | null;
  readonly diagnostic: Diagnostic | null;
}

/** Several diagrams are told apart by their names. */
const captionOf = ({ name }: Diagram, to: ConvertOptions['to']): string =>
  to === 'mermaid' ? `%% ${name.replace(/[\r\n]/g, ' ')}\n` : `${name.replace(/[\r\n]/g, ' ')}\n\n`;

function asMermaid(diagram: Diagram): Printed {
  return diagram.dialect === 'steps' ? stepsRefused(diagram) : { text: printMermaid(diagram), diagnostic: null };
}

/** A drawing is read back before it is believed: a text with lines in it may look like an arrow. */
function asArt(diagram: Diagram): Printed {
  if (diagram.dialect === 'steps') return stepsRefused(diagram);
  const text = printAscii(diagram, cellsOf);
  if (text === null) {
    const message = `"${diagram.name}" is too large to be drawn`;
    return { text, diagnostic: problem(diagram, 'CLI140', 'error', message, 'convert it with --to mermaid') };
  }
  const { value, diagnostics } = readAscii(text, wholeFile(diagram.file, diagram.name));
  const difference =
    diagnostics.find(({ severity }) => severity === 'error')?.message ??
    describeDifference(diagram, value, undefined, { texts: 'compare' })[0]?.replace(/^.*?: /, '');
  if (difference === undefined) return { text, diagnostic: null };
  const message = `the drawing of "${diagram.name}" does not read back as the same diagram: ${difference}`;
  return {
    text,
    diagnostic: problem(diagram, 'CLI141', 'warning', message, 'convert it with --to mermaid, or change that text'),
  };
}

const stepsRefused = (diagram: Diagram): Printed => ({
  text: null,
  diagnostic: problem(
    diagram,
    'CLI142',
    'error',
    `"${diagram.name}" is a list of steps, which names no participants`,
    'only diagrams can be converted',
  ),
});

function problem(
  { file }: Diagram,
  code: string,
  severity: 'error' | 'warning',
  message: string,
  hint: string,
): Diagnostic {
  return { code, severity, message, hint, file, line: 1, column: 1 };
}
