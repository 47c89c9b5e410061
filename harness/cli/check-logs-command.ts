import { checkLogs, problemOfLogs } from '../checker/index.ts';
import type { Diagnostic } from '../diagnostics/index.ts';
import { readTraceText, type Trace } from '../trace/index.ts';
import { judgeRun } from '../verdict/index.ts';
import { report, type Gate, type ReportFiles } from './check-command.ts';
import { outputProblem, readText } from './files.ts';
import { EXIT_AUTHOR_ERROR, type Io } from './io.ts';
import { loadSpecs, type LoadedSpecs, type SpecOptions } from './specs.ts';
import { tell } from './tell.ts';

export interface CheckLogsCommandOptions extends SpecOptions, ReportFiles, Gate {
  /** `A=a.ndjson`, or `A,B=ab.ndjson` for participants that share a clock. */
  readonly logs: readonly string[];
  readonly cut?: boolean;
  readonly trace?: string;
  readonly endpoint?: string;
  readonly partial?: boolean;
  readonly finish?: boolean;
}

/** `asdrawn check SPEC… --logs A=FILE --logs B=FILE [--cut]`: judge logs that no common clock orders. */
export async function checkLogsCommand(
  io: Io,
  paths: readonly string[],
  options: CheckLogsCommandOptions,
): Promise<number> {
  const named = namesOf(options);
  if (typeof named === 'string') return refuse(io, named);
  const loaded = await loadSpecs(paths, options);
  const read = await readLogs(named);
  const sources = new Map([...loaded.sources, ...read.sources]);
  if (tell(io, [...loaded.diagnostics, ...read.diagnostics], sources)) return EXIT_AUTHOR_ERROR;
  const blocked = await outputProblem([options.html, options.junit], sources.keys());
  if (blocked !== null) return tell(io, [blocked.problem], sources) ? EXIT_AUTHOR_ERROR : 0;
  const unfit = problemOf(loaded, [...named.keys()]);
  if (unfit !== null) return refuse(io, unfit);
  const run = judgeRun(
    loaded.specs.map(({ contract }) => checkLogs(contract, read.logs, { cut: options.cut === true })),
    undefined,
    options.minCoverage,
  );
  return report(io, { run, diagrams: loaded.specs.map(({ diagram }) => diagram), sources }, options);
}

/** A participant that saw nothing has a log without events, which the verdict remarks. */
const SAW_NOTHING = 'TRC111';

function refuse(io: Io, text: string): number {
  io.err(`asdrawn check: ${text}\n`);
  return EXIT_AUTHOR_ERROR;
}

function namesOf({
  logs,
  trace,
  endpoint,
  partial,
  finish,
}: CheckLogsCommandOptions): ReadonlyMap<string, string> | string {
  if (logs.length === 0) return '--cut is for logs\nhint: add --logs PARTICIPANT=FILE';
  if (trace !== undefined || endpoint !== undefined)
    return '--logs and --trace or --endpoint are two sources\nhint: name one of them';
  if (partial === true) return '--partial is for one trace\nhint: --cut lets each log lack events at its end';
  if (finish === true) return '--finish is for one trace\nhint: what logs lack is told of each as far as it is known';
  const named = new Map<string, string>();
  for (const text of logs) {
    const at = text.indexOf('=');
    const name = text.slice(0, Math.max(at, 0)).trim();
    if (name === '') return `--logs "${text}" names no participant\nhint: --logs PARTICIPANT=FILE`;
    if (named.has(name)) return `two logs of ${name}\nhint: name each participant once`;
    named.set(name, text.slice(at + 1));
  }
  return named;
}

async function readLogs(named: ReadonlyMap<string, string>): Promise<{
  readonly logs: ReadonlyMap<string, Trace>;
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: ReadonlyMap<string, string>;
}> {
  const logs = new Map<string, Trace>();
  const diagnostics: Diagnostic[] = [];
  const sources = new Map<string, string>();
  for (const [name, file] of named) {
    const text = await readText(file);
    if (typeof text !== 'string') {
      diagnostics.push(text.problem);
      continue;
    }
    const read = readTraceText(text, file);
    logs.set(name, read.value);
    diagnostics.push(...read.diagnostics.filter(({ code }) => code !== SAW_NOTHING));
    sources.set(file, text);
  }
  return { logs, diagnostics, sources };
}

/** A name must be drawn in one of the specs at least, and no participant may have two logs. */
function problemOf({ specs }: LoadedSpecs, names: readonly string[]): string | null {
  for (const name of names) {
    const problems = specs.map(({ contract }) => problemOfLogs(contract, [name]));
    const [first] = problems;
    if (first !== undefined && problems.every((found) => found !== null))
      return `${first}\nhint: --logs takes a participant as drawn, or several with commas: --logs A,B=FILE`;
  }
  for (const { contract } of specs) {
    const known = names.filter((name) => problemOfLogs(contract, [name]) === null);
    const problem = problemOfLogs(contract, known);
    if (problem !== null) return `${problem}\nhint: merge them, or name each participant once`;
  }
  return null;
}
