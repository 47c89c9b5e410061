import { inlineReferences } from '../contract/index.ts';
import { hasErrors, printableJson, printableLines } from '../diagnostics/index.ts';
import type { Diagram } from '../diagram/index.ts';
import { EXIT_AUTHOR_ERROR, type Io } from './io.ts';
import { readDiagrams } from './specs.ts';
import { tellAll } from './tell.ts';

/** `asdrawn parse SPEC… [--json]`: what was read, so that nobody has to guess. */
export async function parseCommand(
  io: Io,
  paths: readonly string[],
  options: { readonly json?: boolean },
): Promise<number> {
  const { diagrams, diagnostics: found, sources } = await readDiagrams(paths);
  const inlined = diagrams.map((diagram) => inlineReferences(diagram, diagrams));
  const diagnostics = [...found, ...inlined.flatMap((one) => one.diagnostics)];
  if (options.json === true) io.out(`${printableJson({ v: 1, diagrams, diagnostics })}\n`);
  else {
    for (const [index, diagram] of diagrams.entries())
      io.out(printableLines(`${summaryOf(diagram)}${referenceLines(inlined[index]?.value ?? diagram)}`));
    tellAll(io, diagnostics, sources);
  }
  return hasErrors(diagnostics) ? EXIT_AUTHOR_ERROR : 0;
}

/** What each reference stands for, the ones included that stand in what was put in. */
function referenceLines({ file: own, fragments }: Diagram): string {
  const rows = fragments.flatMap(({ kind, at, operands, inlined }) => {
    if (kind !== 'ref') return [];
    const place = at.file === undefined || at.file === own ? String(at.line) : `${at.file}:${at.line}`;
    const stands = inlined === undefined ? 'a gap: anything may happen there' : `${inlined.name} (${inlined.file})`;
    const text = operands[0]?.guard ?? '';
    return [`  ${place}: ref ${text === '' ? '(no name)' : text} = ${stands}\n`];
  });
  return rows.join('');
}

function summaryOf(diagram: Diagram): string {
  const { name, file, dialect, participants, messages, fragments, steps } = diagram;
  const head = `${file}: ${name} (${dialect})\n`;
  if (dialect === 'steps')
    return `${head}  ${steps.length} steps\n${steps.map((step) => `  ${step.at.line}: ${step.number}. ${step.text}\n`).join('')}`;
  const rows = messages.map((message, index) => {
    const shaft = message.line === 'dashed' ? '-->' : '->';
    const text = message.text === '' ? '' : `: ${message.text}`;
    return `  ${message.at.line}: ${message.from ?? '[*]'} ${shaft} ${message.to ?? '[*]'}${text}${onTheWay(diagram, index)}\n`;
  });
  const fragmentKinds = fragments.map(({ kind }) => kind).join(', ');
  const counts = `  ${participants.length} participants, ${messages.length} messages${fragments.length > 0 ? `, ${fragments.length} fragments (${fragmentKinds})` : ''}\n`;
  return `${head}${counts}${rows.join('')}`;
}

/** What is sent while a message is on its way. */
function onTheWay({ messages }: Diagram, index: number): string {
  const received = messages[index]?.received;
  if (received === undefined) return '';
  const lines = messages.slice(index + 1, received.after + 1).map(({ at }) => at.line);
  if (lines.length === 0) return ' (received below others)';
  return ` (on its way while line ${lines.join(', ')} is sent)`;
}
