import { check, checkStream, type StreamedCheck } from '../checker/index.ts';
import { hasErrors, printable, type Diagnostic, type Read } from '../diagnostics/index.ts';
import { reporters, type ReportInput } from '../report/index.ts';
import { pollRecords, readTraceText, type Trace } from '../trace/index.ts';
import { judgeRun, type RunVerdict, type SpecVerdict } from '../verdict/index.ts';
import { FILE_BYTES_MAX, outputProblem, problem, readText, writeText, type Problem } from './files.ts';
import { EXIT_AUTHOR_ERROR, type Io } from './io.ts';
import { loadSpecs, type LoadedSpecs, type SpecOptions } from './specs.ts';
import { beginningOf, largeFile, Spool, SPOOL_BYTES_MAX, spooled, type LargeTrace } from './streamed-trace.ts';
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
  /** Tell of each incomplete instance the fewest messages that are still to come. */
  readonly finish?: boolean;
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
  try {
    return await checkRead(io, loaded, read, options);
  } finally {
    await read.large?.dispose();
  }
}

async function checkRead(io: Io, loaded: LoadedSpecs, read: TraceRead, options: CheckOptions): Promise<number> {
  const { large } = read;
  if (large === null) return checkWhole(io, loaded, read, options);
  if (hasErrors(loaded.diagnostics)) return checkWhole(io, loaded, await wholeTrace(large, read, {}), options);
  const code = await checkLarge(io, loaded, { ...read, large }, options);
  if (typeof code === 'number') return code;
  // The rest needs all of it at once.
  return checkWhole(io, loaded, await wholeTrace(large, read, code), options);
}

async function checkWhole(io: Io, loaded: LoadedSpecs, read: WholeRead, options: CheckOptions): Promise<number> {
  const sources = new Map([...loaded.sources, ...read.sources]);
  if (tell(io, [...loaded.diagnostics, ...read.trace.diagnostics], sources)) return EXIT_AUTHOR_ERROR;
  const blocked = await outputProblem([options.html, options.junit], sources.keys());
  if (blocked !== null) return tell(io, [blocked.problem], sources) ? EXIT_AUTHOR_ERROR : 0;
  tellPassedOver(io, loaded);
  const complete = options.partial !== true && read.isOver;
  const verdicts = loaded.specs.map(
    ({ contract }, index) =>
      read.verdicts?.[index] ?? check(contract, read.trace.value, { complete, finish: options.finish === true }),
  );
  return conclude(io, loaded, { verdicts, sources, example: () => Promise.resolve(read.trace.value) }, options);
}

/**
 * Judges a trace that is too large to be read whole. Where that is not possible for all contracts, or something is wrong
 * with the trace, the verdicts that there are, and why the others are missing.
 */
async function checkLarge(
  io: Io,
  loaded: LoadedSpecs,
  { large, told, isOver }: TraceRead & { readonly large: LargeTrace },
  options: CheckOptions,
): Promise<number | StreamedCheck> {
  const blocked = await outputProblem([options.html, options.junit], [...loaded.sources.keys(), large.file]);
  if (blocked !== null) return tell(io, [blocked.problem], loaded.sources) ? EXIT_AUTHOR_ERROR : 0;
  const streamed = await checkStream(
    loaded.specs.map(({ contract }) => contract),
    large,
    { complete: options.partial !== true && isOver, finish: options.finish === true },
  );
  const verdicts = streamed.verdicts.flatMap((verdict) => verdict ?? []);
  const { diagnostics } = streamed;
  // Findings are told with the lines that they are about, where the text can be had.
  const isTold = diagnostics.length === 0 || (large.bytes > FILE_BYTES_MAX && !hasErrors(diagnostics));
  if (verdicts.length < loaded.specs.length || !isTold) return streamed;
  tell(io, [...loaded.diagnostics, ...told, ...diagnostics], loaded.sources);
  tellPassedOver(io, loaded);
  return conclude(io, loaded, { verdicts, sources: loaded.sources, example: () => beginningOf(large) }, options);
}

interface Conclusion {
  readonly verdicts: readonly SpecVerdict[];
  readonly sources: ReadonlyMap<string, string>;
  /** The trace, or as much of it as shows what its events are like. */
  readonly example: () => Promise<Trace>;
}

async function conclude(
  io: Io,
  loaded: LoadedSpecs,
  { verdicts, sources, example }: Conclusion,
  options: CheckOptions,
): Promise<number> {
  const run = judgeRun(verdicts, undefined, options.minCoverage);
  const code = await report(io, { run, diagrams: loaded.specs.map(({ diagram }) => diagram), sources }, options);
  if (options.json !== true && code !== EXIT_AUTHOR_ERROR)
    tellUnmatched(io, loaded, { run, trace: await example() }, options);
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

interface WholeRead {
  readonly trace: Read<Trace>;
  readonly sources: ReadonlyMap<string, string>;
  /** Nothing more will come. A file is over unless it is said to be partial; an endpoint is over when it says so. */
  readonly isOver: boolean;
  /** By spec, where it is known already. */
  readonly verdicts?: readonly (SpecVerdict | null)[];
}

/** A trace that was read; or where it stands, if it is too large to be read whole without need. */
interface TraceRead extends WholeRead {
  readonly large: LargeTrace | null;
  /** What is to be said of how it came, whatever it holds. */
  readonly told: readonly Diagnostic[];
}

const NOT_READ: TraceRead = {
  trace: { value: { events: [], begun: false, ended: false }, diagnostics: [] },
  sources: new Map(),
  isOver: true,
  large: null,
  told: [],
};

async function readTrace(io: Io, options: CheckOptions): Promise<TraceRead> {
  if (options.endpoint !== undefined) return readEndpoint(io, options.endpoint);
  const file = options.trace ?? '-';
  const source = file === '-' ? '<stdin>' : file;
  const found = file === '-' ? await readInput(io) : ((await largeFile(file)) ?? (await readText(file)));
  return traceReadOf(found, source, NOT_READ);
}

/** A trace that an endpoint tells is kept as standard input is: it comes once, and may be long. */
async function readEndpoint(io: Io, endpoint: string): Promise<TraceRead> {
  const spool = new Spool(io.temporaryFolder);
  const { source, ended, diagnostics } = await pollRecords(
    endpoint,
    { keep: (lines) => spool.write(Buffer.from(lines)) },
    { bytesMax: SPOOL_BYTES_MAX },
  );
  if (hasErrors(diagnostics)) {
    await spool.dispose();
    return { ...NOT_READ, trace: failedRead(...diagnostics) };
  }
  return traceReadOf(await spool.finish(source), source, { ...NOT_READ, isOver: ended, told: diagnostics });
}

function traceReadOf(found: string | LargeTrace | Problem, source: string, base: TraceRead): TraceRead {
  if (typeof found !== 'string')
    return 'problem' in found ? { ...base, trace: failedRead(found.problem) } : { ...base, large: found };
  return { ...base, trace: toldFirst(base.told, readTraceText(found, source)), sources: new Map([[source, found]]) };
}

const failedRead = (...diagnostics: readonly Diagnostic[]): Read<Trace> => ({
  value: NOT_READ.trace.value,
  diagnostics,
});

const toldFirst = (told: readonly Diagnostic[], { value, diagnostics }: Read<Trace>): Read<Trace> => ({
  value,
  diagnostics: [...told, ...diagnostics],
});

/** All of a large trace, for what the stream could not judge. */
async function wholeTrace(
  large: LargeTrace,
  { isOver, told }: TraceRead,
  { verdicts = [], reasons = [], diagnostics = [] }: Partial<StreamedCheck>,
): Promise<WholeRead> {
  const text = await large.text();
  if (typeof text === 'string')
    return {
      trace: toldFirst(told, readTraceText(text, large.name)),
      sources: new Map([[large.name, text]]),
      isOver,
      ...(diagnostics.length > 0 ? {} : { verdicts }),
    };
  // What is wrong with it is known all the same.
  if (hasErrors(diagnostics)) return { ...NOT_READ, trace: failedRead(...told, ...diagnostics) };
  const why = reasons.length === 0 ? '' : `, and must be read as a whole: ${reasons.join('; ')}`;
  const unread = { ...text.problem, file: large.name, message: `${text.problem.message}${why}` };
  return { ...NOT_READ, trace: failedRead(...told, unread) };
}

async function readInput(io: Io): Promise<string | LargeTrace | Problem> {
  try {
    return io.openStdin === undefined
      ? await io.readStdin()
      : await spooled(io.openStdin(), '<stdin>', io.temporaryFolder);
  } catch (error) {
    return problem(
      'CLI107',
      '<stdin>',
      error instanceof Error ? error.message : String(error),
      'write the trace to a file and name it with --trace',
    );
  }
}
