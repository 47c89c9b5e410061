import { hasErrors, type Diagnostic } from '../diagnostics/index.ts';
import {
  type Diagram,
  type Place,
  describeDifference,
  marksMoved,
  overtakings,
  printAscii,
  printMermaid,
  wholeFile,
} from '../diagram/index.ts';
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
    const { text, told } = options.to === 'mermaid' ? asMermaid(diagram) : asArt(diagram);
    if (text !== null) printed.push(diagrams.length > 1 ? `${captionOf(diagram, options.to)}${text}` : text);
    found.push(...told);
  }
  io.out(printed.join('\n'));
  tell(io, found, new Map());
  return hasErrors(found) ? EXIT_AUTHOR_ERROR : 0;
}

interface Printed {
  readonly text: string | null;
  readonly told: readonly Diagnostic[];
}

/** Several diagrams are told apart by their names. */
const captionOf = ({ name }: Diagram, to: ConvertOptions['to']): string =>
  to === 'mermaid' ? `%% ${name.replace(/[\r\n]/g, ' ')}\n` : `${name.replace(/[\r\n]/g, ' ')}\n\n`;

function asMermaid(diagram: Diagram): Printed {
  if (diagram.dialect === 'steps') return stepsRefused(diagram);
  const told: Diagnostic[] = [];
  const unnamed = diagram.fragments.find(({ kind }) => kind === 'group' || kind === 'ref');
  if (unnamed !== undefined) {
    const name = unnamed.operands[0]?.guard ?? '';
    const message = `Mermaid has no ${unnamed.kind}: ${name === '' ? 'it becomes' : `"${name}" becomes`} a rect without a name`;
    const hint = 'write its name into a note; other groups and references of this diagram are not told';
    told.push(placed(problem(diagram, 'CLI143', 'warning', message, hint), unnamed.at));
  }
  const outside = diagram.messages.find(({ from, to }) => from === null || to === null);
  if (outside !== undefined) {
    const message = 'Mermaid has no ends outside: they get lifelines of their own, found and lost';
    const hint = 'name who sends or receives; other such messages of this diagram are not told';
    told.push(placed(problem(diagram, 'CLI144', 'warning', message, hint), outside.at));
  }
  const [overtaken] = overtakings(diagram);
  const late = diagram.messages[overtaken?.first ?? -1];
  if (late !== undefined) {
    const message = `Mermaid has no messages that overtake each other: ${late.text === '' ? 'this one' : `"${late.text}"`} is received where it is sent`;
    const hint = 'keep this drawing, or let the order of the two go in the binding (unordered); others are not told';
    told.push(placed(problem(diagram, 'CLI145', 'warning', message, hint), late.at));
  }
  const [early] = marksMoved(diagram);
  if (early !== undefined) {
    const ids = 'on' in early ? [early.participant] : early.participants;
    const created = diagram.participants.find(({ id, createdBy }) => createdBy !== undefined && ids.includes(id));
    const [what, at] = 'on' in early ? ['bars', created?.at] : ['notes', early.at];
    const message = `Mermaid has no ${what} beside who is not created yet: this one moves to where ${created?.label ?? 'that'} is created`;
    const hint = 'draw it below the creation; others of this diagram are not told';
    const found = problem(diagram, 'CLI146', 'warning', message, hint);
    told.push(at === undefined ? found : placed(found, at));
  }
  return { text: printMermaid(diagram), told };
}

/** A drawing is read back before it is believed: a text with lines in it may look like an arrow. */
function asArt(diagram: Diagram): Printed {
  if (diagram.dialect === 'steps') return stepsRefused(diagram);
  const shown = withBreaks(diagram);
  const text = printAscii(shown, cellsOf);
  if (text === null) {
    const message = `"${diagram.name}" is too large to be drawn`;
    return { text, told: [problem(diagram, 'CLI140', 'error', message, 'convert it with --to mermaid')] };
  }
  const { value, diagnostics } = readAscii(text, wholeFile(diagram.file, diagram.name));
  const difference =
    diagnostics.find(({ severity }) => severity === 'error')?.message ??
    describeDifference(shown, value, undefined, { texts: 'compare' })[0]?.replace(/^.*?: /, '') ??
    detailLost(shown, value);
  if (difference === undefined) return { text, told: [] };
  const message = `the drawing of "${diagram.name}" does not read back as the same diagram: ${difference}`;
  return {
    text,
    told: [problem(diagram, 'CLI141', 'warning', message, 'convert it with --to mermaid, or change that text')],
  };
}

const BREAK = /\s*<br\s*\/?>\s*/gi;

/** Mermaid writes the end of a row as `<br/>`; where a drawing has one row only, it is a blank. */
function withBreaks(diagram: Diagram): Diagram {
  const inRows = <Texted extends { readonly text: string }>(one: Texted): Texted => ({
    ...one,
    text: one.text.replace(BREAK, '\n'),
  });
  const inOneRow = (text: string): string => text.replace(BREAK, ' ');
  return {
    ...diagram,
    ...(diagram.title === undefined ? {} : { title: inOneRow(diagram.title) }),
    participants: diagram.participants.map((one) => ({ ...one, label: inOneRow(one.label) })),
    messages: diagram.messages.map(inRows),
    notes: diagram.notes.map(inRows),
    fragments: diagram.fragments.map((one) => ({
      ...one,
      operands: one.operands.map((operand) => ({ ...operand, guard: inOneRow(operand.guard) })),
    })),
  };
}

/** The first of the things that order nothing and yet are not the same in both; undefined where all are. */
function detailLost(drawn: Diagram, read: Diagram): string | undefined {
  const details = ({ title, participants, messages, notes, activations }: Diagram) => {
    const labels = new Map(participants.map(({ id, label }) => [id, label]));
    return {
      'the title': title ?? '',
      'a kind of participant': participants.map(({ kind }) => kind),
      'a birth or a death': participants.map(({ createdBy, destroyedBy }) => [createdBy, destroyedBy]),
      'a head of an arrow': messages.map(({ head }) => head),
      'a note': notes.map(({ text, placement, before, borders = 0 }) => [text, placement, before, borders]),
      'an activation': activations.map(({ participant, on, before, borders = 0 }) => [
        labels.get(participant),
        on,
        before,
        borders,
      ]),
    };
  };
  const other: Record<string, unknown> = details(read);
  const lost = Object.entries(details(drawn)).find(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(other[name]),
  );
  return lost === undefined ? undefined : `${lost[0]} is lost or changed`;
}

const stepsRefused = (diagram: Diagram): Printed => ({
  text: null,
  told: [
    problem(
      diagram,
      'CLI142',
      'error',
      `"${diagram.name}" is a list of steps, which names no participants`,
      'only diagrams can be converted',
    ),
  ],
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

const placed = (diagnostic: Diagnostic, { line, column }: Place): Diagnostic => ({ ...diagnostic, line, column });
