import { check } from '../checker/index.ts';
import { printable, type Read } from '../diagnostics/index.ts';
import { reporters, type ReportInput } from '../report/index.ts';
import { pollTrace, readTraceText, type Trace } from '../trace/index.ts';
import { judgeRun, type RunVerdict } from '../verdict/index.ts';
import { outputProblem, problem, readText, writeText } from './files.ts';
import { EXIT_AUTHOR_ERROR, type Io } from './io.ts';
import { loadSpecs, type LoadedSpecs, type SpecOptions } from './specs.ts';
import { tell } from './tell.ts';
import { tellUnmatched } from './unmatched.ts';

export interface Gate {
  /** Percent of arrows, operands and iterations that must be seen. */
  readonly minCoverage?: number;
}

export interface ReportFiles {
  readonly html?: string;
  readonly junit?: string;
  readonly json?: boolean;
}

export interface CheckOptions extends SpecOptions, ReportFiles, Gate {
  readonly trace?: string;
  readonly endpoint?: string;
  readonly partial?: boolean;
}

/** `asdrawn check SPEC… (--trace FILE|- | --endpoint URL)`: judge, report, and exit as the verdict says. */
export async function checkCommand(io: Io, paths: readonly string[], options: CheckOptions): Promise<number> {
  const sourceProblem = problemOfSource(options);
  if (sourceProblem !== null) {
    io.err(`${sourceProblem}\n`);
    return EXIT_AUTHOR_ERROR;
  }
  const loaded = await loadSpecs(paths, options);
  const read = await readTrace(io, options);
  const sources = new Map([...loaded.sources, ...read.sources]);
  if (tell(io, [...loaded.diagnostics, ...read.trace.diagnostics], sources)) return EXIT_AUTHOR_ERROR;
  const blocked = await outputProblem([options.html, options.junit], sources.keys());
  if (blocked !== null) return tell(io, [blocked.problem], sources) ? EXIT_AUTHOR_ERROR : 0;
  tellPassedOver(io, loaded);
  // A file is whole unless it is said to be partial; an endpoint is whole when it says so.
  const complete = options.partial !== true && (options.endpoint === undefined || read.trace.value.ended);
  const run = judgeAll(loaded, read.trace.value, complete, { minCoverage: options.minCoverage });
  const code = await report(io, { run, diagrams: loaded.specs.map(({ diagram }) => diagram), sources }, options);
  if (options.json !== true && code !== EXIT_AUTHOR_ERROR)
    tellUnmatched(io, loaded, { run, trace: read.trace.value }, options);
  return code;
}

/** What a folder holds and nobody judges is said, once. */
function tellPassedOver(io: Io, { passedOver }: LoadedSpecs): void {
  if (passedOver.length === 0) return;
  io.err(`passed over, numbered lists without a binding: ${passedOver.join(', ')}\n`);
}

export function judgeAll(
  loaded: LoadedSpecs,
  trace: Trace,
  complete: boolean,
  { replay, minCoverage }: { readonly replay?: string; readonly minCoverage?: number | undefined } = {},
): RunVerdict {
  return judgeRun(
    loaded.specs.map(({ contract }) => check(contract, trace, { complete })),
    replay,
    minCoverage,
  );
}

/** Writes the reports that were asked for, then prints the verdict: what is printed is true of what was written. */
export async function report(io: Io, input: ReportInput, files: ReportFiles): Promise<number> {
  const written: string[] = [];
  for (const [name, file] of [
    ['html', files.html],
    ['junit', files.junit],
  ] as const) {
    if (file === undefined) continue;
    const failed = await writeText(file, render(name, input));
    if (failed !== null) {
      tell(io, [failed.problem], input.sources);
      return EXIT_AUTHOR_ERROR;
    }
    written.push(`${name}: ${printable(file)}\n`);
  }
  io.out(files.json === true ? render('json', input) : render('text', { ...input, colour: io.isColour }));
  if (files.json !== true) io.out(written.join(''));
  return input.run.exitCode;
}

function render(name: string, input: ReportInput): string {
  const reporter = reporters.find((row) => row.name === name);
  if (reporter === undefined) throw new Error(`there is no reporter "${name}" in the table of reporters`);
  return reporter.render(input);
}

function problemOfSource(options: CheckOptions): string | null {
  if (options.trace !== undefined && options.endpoint !== undefined)
    return 'asdrawn check: --trace and --endpoint are two sources\nhint: name one of them';
  if (options.trace === undefined && options.endpoint === undefined)
    return 'asdrawn check: no trace to judge\nhint: add --trace FILE, --trace - for standard input, or --endpoint URL';
  return null;
}

async function readTrace(
  io: Io,
  options: CheckOptions,
): Promise<{ readonly trace: Read<Trace>; readonly sources: ReadonlyMap<string, string> }> {
  if (options.endpoint !== undefined) return { trace: await pollTrace(options.endpoint), sources: new Map() };
  const file = options.trace ?? '-';
  const text = file === '-' ? await readInput(io) : await readText(file);
  if (typeof text !== 'string')
    return {
      trace: { value: { events: [], begun: false, ended: false }, diagnostics: [text.problem] },
      sources: new Map(),
    };
  const source = file === '-' ? '<stdin>' : file;
  return { trace: readTraceText(text, source), sources: new Map([[source, text]]) };
}

async function readInput(io: Io): Promise<string | ReturnType<typeof problem>> {
  try {
    return await io.readStdin();
  } catch (error) {
    return problem(
      'CLI107',
      '<stdin>',
      error instanceof Error ? error.message : String(error),
      'write the trace to a file and name it with --trace',
    );
  }
}
