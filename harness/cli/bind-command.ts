import { inlineReferences } from '../contract/index.ts';
import { printable, type Diagnostic } from '../diagnostics/index.ts';
import { firstBinding, type BindingText } from '../scaffold/index.ts';
import { readTraceText } from '../trace/index.ts';
import { exists, problem, readText, writeText } from './files.ts';
import { EXIT_AUTHOR_ERROR, type Io } from './io.ts';
import { bindingFileOf } from './binding-file.ts';
import { shellWord } from './shell-word.ts';
import { readDiagrams } from './specs.ts';
import { tell } from './tell.ts';

export interface BindOptions {
  readonly trace: string;
  /** `-`: print it. Default: beside the spec, where the other commands find it. */
  readonly out?: string;
  readonly diagram?: string;
  /** Overwrite a file that is there. */
  readonly force?: boolean;
}

/** `asdrawn bind SPEC --trace FILE`: writes a first binding, guessed from the trace. */
export async function bindCommand(io: Io, spec: string, options: BindOptions): Promise<number> {
  const { diagrams: read, all, diagnostics, sources } = await readDiagrams([spec], options.diagram);
  const inlined = read.map((diagram) => inlineReferences(diagram, all));
  const diagrams = inlined.map(({ value }) => value);
  const text = options.trace === '-' ? await io.readStdin() : await readText(options.trace);
  const source = options.trace === '-' ? '<stdin>' : options.trace;
  const trace = typeof text === 'string' ? readTraceText(text, source) : null;
  const out = options.out ?? bindingFileOf(spec);
  const found: Diagnostic[] = [
    ...diagnostics,
    ...inlined.flatMap((one) => one.diagnostics),
    ...(trace?.diagnostics ?? []),
  ];
  if (typeof text !== 'string') found.push(text.problem);
  else sources.set(source, text);
  if (new Set(all.map(({ file }) => file)).size > 1)
    found.push(problem('CLI122', spec, 'a binding belongs to one file, and this is a folder', 'name the file').problem);
  if (out !== '-' && options.force !== true && (await exists(out)))
    found.push(
      problem(
        'CLI123',
        out,
        'this file is there already, and is not overwritten',
        'add --force, --out FILE, or --out - to print',
      ).problem,
    );
  if (tell(io, found, sources) || trace === null) return EXIT_AUTHOR_ERROR;
  const bindings = diagrams.map((diagram) => firstBinding(diagram, trace.value, { isOneOfSeveral: all.length > 1 }));
  const written = bindings.map((binding) => binding.text).join('---\n');
  if (out === '-') {
    io.out(written);
    return 0;
  }
  const failed = await writeText(out, written);
  if (failed !== null) return tell(io, [failed.problem], sources) ? EXIT_AUTHOR_ERROR : 0;
  for (const [index, binding] of bindings.entries())
    io.out(`${printable(diagrams[index]?.name ?? spec)}: ${summaryOf(binding)}\n`);
  io.out(
    `written: ${printable(out)}\nnext: ${io.command} check ${shellWord(spec)} --trace ${shellWord(options.trace)}\n`,
  );
  return 0;
}

function summaryOf({ arrows, matched, open, unseen }: BindingText): string {
  const lines = (some: readonly number[]): string => `line${some.length === 1 ? '' : 's'} ${some.join(', ')}`;
  const rest = [
    ...(open.length === 0 ? [] : [`; left open: ${lines(open)}`]),
    ...(unseen.length === 0 ? [] : [`; no event as drawn: ${lines(unseen)}`]),
  ];
  return `${matched} of ${arrows} arrows have events in this trace${rest.join('')}`;
}
