import { join } from 'node:path';
import { printableLines } from '../diagnostics/index.ts';
import { fuzz, isBroken, type Execution, type FuzzOptions } from '../fuzz/index.ts';
import {
  loadSystem,
  play,
  type Played,
  type Scenario,
  type StartOptions,
  type SystemUnderTest,
} from '../system/index.ts';
import { readTraceText, toNdjson } from '../trace/index.ts';
import { judgeAll, report } from './check-command.ts';
import { judgementFlags } from './conformance-command.ts';
import { outputProblem, writeText } from './files.ts';
import { createFuzzProgress } from './fuzz-progress.ts';
import { interruptible, type Interruption } from './interrupt.ts';
import { EXIT_AUTHOR_ERROR, type Io } from './io.ts';
import { shellWord } from './shell-word.ts';
import { loadSpecs, type LoadedSpecs, type SpecOptions } from './specs.ts';
import { tell } from './tell.ts';

export interface FuzzCommandOptions extends SpecOptions {
  readonly system: string;
  readonly runs: number;
  readonly seed: number;
  readonly free?: boolean;
  readonly mutant?: readonly string[];
  readonly out: string;
}

/** `asdrawn fuzz SPEC… --system MODULE`: look for the run that breaks a drawing, shrink it, write it down, print its replay line. */
export async function fuzzCommand(io: Io, paths: readonly string[], options: FuzzCommandOptions): Promise<number> {
  const loaded = await loadSpecs(paths, options);
  if (tell(io, loaded.diagnostics, loaded.sources)) return EXIT_AUTHOR_ERROR;
  const system = await loadSystem(options.system);
  if (typeof system === 'string') {
    io.err(`asdrawn: ${system}\nhint: name a module that exports \`system\`\n`);
    return EXIT_AUTHOR_ERROR;
  }
  const start: Partial<StartOptions> = {
    dispatch: options.free === true ? 'free' : 'respond-first',
    mutants: options.mutant ?? [],
  };
  // Before the runs, not after them: a case that was found must not be lost for want of a place.
  const blocked = await outputProblem(filesOfCase(options.out), loaded.sources.keys());
  if (blocked !== null) {
    tell(io, [blocked.problem], loaded.sources);
    return EXIT_AUTHOR_ERROR;
  }
  io.out(printableLines(`fuzz: ${options.runs} runs, seed ${options.seed}, ${system.name}\n`));
  return interruptible((interruption) =>
    fuzzSystem(io, { paths, options, loaded, system, interruption }, { runs: options.runs, seed: options.seed, start }),
  );
}

const filesOfCase = (folder: string): readonly [string, string, string] => [
  join(folder, 'scenario.json'),
  join(folder, 'trace.ndjson'),
  join(folder, 'index.html'),
];

async function fuzzSystem(io: Io, context: Context, plan: FuzzOptions): Promise<number> {
  const { loaded, interruption } = context;
  const failures: string[] = [];
  const cases: PlayedRun[] = [];
  const progress = createFuzzProgress(io, plan.runs, () => performance.now());
  const result = await fuzz(plan, async (scenario) => {
    // What failed by itself, or was interrupted, fails again: neither repeated nor shrunk.
    if (failures.length > 0 || interruption.code() !== null) return { outcome: 'inconclusive', judged: [] };
    const executed = await executeOnce(context, scenario);
    if ('failure' in executed) {
      failures.push(executed.failure);
      return { outcome: 'inconclusive', judged: [] };
    }
    const isCase = isBroken(executed.execution);
    // What was shrunk to comes last.
    if (isCase) cases[0] = executed.played;
    progress.endRun(isCase);
    return executed.execution;
  });
  progress.end();
  const interrupted = interruption.code();
  if (interrupted !== null) {
    io.err('asdrawn: interrupted; the system was stopped and no case was written\n');
    return interrupted;
  }
  if (failures[0] !== undefined) {
    io.err(
      `asdrawn: ${failures[0]}\nhint: the system under test failed by itself; try \`asdrawn conformance\` with it first\n`,
    );
    return EXIT_AUTHOR_ERROR;
  }
  if (result.kind === 'held') return tellHeld(io, loaded, result.runs, result.judged);
  io.out(
    `broken after ${result.runs - result.shrinks} runs; shrunk in ${result.shrinks} more${result.isShrinkingCut ? ' (budget used up: there may be a smaller case)' : ''}\n`,
  );
  const [broken] = cases;
  if (broken === undefined) throw new Error('a case was found in a run that nobody played');
  return writeCase(io, context, result.scenario, broken);
}

type PlayedRun = Extract<Played, { readonly kind: 'played' }>;

const isComplete = ({ stuck, trace }: PlayedRun): boolean => stuck === null && trace.ended;

async function executeOnce(
  { loaded, system, interruption }: Context,
  scenario: Scenario,
): Promise<{ readonly execution: Execution; readonly played: PlayedRun } | { readonly failure: string }> {
  const played = await play(system, scenario, { signal: interruption.signal });
  if (played.kind === 'failed') return { failure: played.message };
  const run = judgeAll(loaded, played.trace, isComplete(played));
  const judged = run.specs.filter((spec) => spec.outcome !== 'vacuous').map(({ spec }) => `${spec.file}#${spec.name}`);
  const outcome = played.stuck !== null && run.outcome !== 'violates' ? 'incomplete' : run.outcome;
  return { execution: { outcome, judged }, played };
}

function tellHeld(io: Io, loaded: LoadedSpecs, runs: number, judged: ReadonlySet<string>): number {
  const never = loaded.specs.filter(({ contract: { spec } }) => !judged.has(`${spec.file}#${spec.name}`));
  const judgedCount = loaded.specs.length - never.length;
  io.out(`held: ${runs} runs, ${judgedCount} spec${judgedCount === 1 ? '' : 's'} judged\n`);
  for (const { contract } of never)
    io.out(printableLines(`vacuous: no run said anything about ${contract.spec.file} "${contract.spec.name}"\n`));
  return never.length > 0 || loaded.specs.length === 0 ? 4 : 0;
}

interface Context {
  readonly paths: readonly string[];
  readonly options: FuzzCommandOptions;
  readonly loaded: LoadedSpecs;
  readonly system: SystemUnderTest;
  readonly interruption: Interruption;
}

/** Writes scenario, trace and report of the smallest case side by side, as it was played; and says whether it breaks again. */
async function writeCase(io: Io, context: Context, scenario: Scenario, played: PlayedRun): Promise<number> {
  const { paths, options, loaded } = context;
  const [scenarioFile, traceFile, reportFile] = filesOfCase(options.out);
  const replay = `${io.command} conformance ${paths.map(shellWord).join(' ')} --system ${shellWord(options.system)} --scenario ${shellWord(scenarioFile)}${judgementFlags(options)}`;
  const ndjson = toNdjson(played.trace);
  for (const [file, text] of [
    [scenarioFile, `${JSON.stringify(scenario, null, 2)}\n`],
    [traceFile, ndjson],
  ] as const) {
    const failed = await writeText(file, text);
    if (failed === null) continue;
    tell(io, [failed.problem], loaded.sources);
    return EXIT_AUTHOR_ERROR;
  }
  await tellWhetherItBreaksAgain(io, context, scenario);
  // Read back from the file: what the report quotes must be there to be opened when the system is gone.
  const { value: trace } = readTraceText(ndjson, traceFile);
  const run = judgeAll(loaded, trace, isComplete(played), { replay });
  // What the case says nothing about would only stand in front of what it shows.
  const shown = run.specs.map(({ outcome }) => outcome !== 'vacuous' && outcome !== 'conforms');
  const isAny = shown.includes(true);
  const keep = (_: unknown, index: number): boolean => !isAny || shown[index] === true;
  const code = await report(
    io,
    {
      run: { ...run, specs: run.specs.filter(keep) },
      diagrams: loaded.specs.map(({ diagram }) => diagram).filter(keep),
      sources: loaded.sources,
    },
    { html: reportFile },
  );
  if (code === EXIT_AUTHOR_ERROR) return code;
  return run.outcome === 'conforms' || run.outcome === 'vacuous' ? 1 : run.exitCode;
}

async function tellWhetherItBreaksAgain(io: Io, context: Context, scenario: Scenario): Promise<void> {
  const again = await executeOnce(context, scenario);
  if ('failure' in again)
    io.out(
      printableLines(`the case could not be played once more: ${again.failure}; what follows is the run that broke\n`),
    );
  else if (!isBroken(again.execution))
    io.out('the case depends on timing: played once more, it held; what follows is the run that broke\n');
}
