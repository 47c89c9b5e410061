import { join } from 'node:path';
import { fuzz, type Execution } from '../fuzz/index.ts';
import { loadSystem, play, type Scenario, type StartOptions, type SystemUnderTest } from '../system/index.ts';
import { toNdjson } from '../trace/index.ts';
import { judgeAll, report } from './check-command.ts';
import { judgementFlags } from './conformance-command.ts';
import { writeText } from './files.ts';
import { EXIT_AUTHOR_ERROR, type Io } from './io.ts';
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
  io.out(`fuzz: ${options.runs} runs, seed ${options.seed}, ${system.name}\n`);
  const failures: string[] = [];
  const result = await fuzz({ runs: options.runs, seed: options.seed, start }, async (scenario) => {
    const executed = await executeOnce(loaded, system, scenario);
    if ('failure' in executed) failures.push(executed.failure);
    return 'failure' in executed ? { outcome: 'inconclusive', judged: [] } : executed.execution;
  });
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
  return writeCase(io, { paths, options, loaded, system }, result.scenario);
}

async function executeOnce(
  loaded: LoadedSpecs,
  system: SystemUnderTest,
  scenario: Scenario,
): Promise<{ readonly execution: Execution } | { readonly failure: string }> {
  const played = await play(system, scenario);
  if (played.kind === 'failed') return { failure: played.message };
  const run = judgeAll(loaded, played.trace, played.stuck === null && played.trace.ended);
  const judged = run.specs.filter((spec) => spec.outcome !== 'vacuous').map(({ spec }) => `${spec.file}#${spec.name}`);
  const outcome = played.stuck !== null && run.outcome !== 'violates' ? 'incomplete' : run.outcome;
  return { execution: { outcome, judged } };
}

function tellHeld(io: Io, loaded: LoadedSpecs, runs: number, judged: ReadonlySet<string>): number {
  const never = loaded.specs.filter(({ contract: { spec } }) => !judged.has(`${spec.file}#${spec.name}`));
  const judgedCount = loaded.specs.length - never.length;
  io.out(`held: ${runs} runs, ${judgedCount} spec${judgedCount === 1 ? '' : 's'} judged\n`);
  for (const { contract } of never)
    io.out(`vacuous: no run said anything about ${contract.spec.file} "${contract.spec.name}"\n`);
  return never.length > 0 || loaded.specs.length === 0 ? 4 : 0;
}

interface Context {
  readonly paths: readonly string[];
  readonly options: FuzzCommandOptions;
  readonly loaded: LoadedSpecs;
  readonly system: SystemUnderTest;
}

/** Plays the smallest case once more, and writes scenario, trace and report side by side. */
async function writeCase(io: Io, { paths, options, loaded, system }: Context, scenario: Scenario): Promise<number> {
  const scenarioFile = join(options.out, 'scenario.json');
  const replay = `${io.command} conformance ${paths.join(' ')} --system ${options.system} --scenario ${scenarioFile}${judgementFlags(options)}`;
  const played = await play(system, scenario);
  const files: readonly (readonly [string, string])[] = [
    [scenarioFile, `${JSON.stringify(scenario, null, 2)}\n`],
    ...(played.kind === 'played' ? [[join(options.out, 'trace.ndjson'), toNdjson(played.trace)] as const] : []),
  ];
  for (const [file, text] of files) {
    const failed = await writeText(file, text);
    if (failed === null) continue;
    tell(io, [failed.problem], loaded.sources);
    return EXIT_AUTHOR_ERROR;
  }
  if (played.kind === 'failed') {
    io.err(`asdrawn: the case could not be played again: ${played.message}\nhint: ${replay}\n`);
    return EXIT_AUTHOR_ERROR;
  }
  const run = judgeAll(loaded, played.trace, played.stuck === null && played.trace.ended, replay);
  if (run.outcome === 'conforms' || run.outcome === 'vacuous')
    io.out('the case depends on timing: played once more, it held\n');
  // What the case says nothing about would only stand in front of what it shows.
  const shown = run.specs.map(({ outcome }) => outcome !== 'vacuous' && outcome !== 'conforms');
  const isAny = shown.includes(true);
  const keep = (_: unknown, index: number): boolean => !isAny || shown[index] === true;
  await report(
    io,
    {
      run: { ...run, specs: run.specs.filter(keep) },
      diagrams: loaded.specs.map(({ diagram }) => diagram).filter(keep),
      sources: loaded.sources,
    },
    { html: join(options.out, 'index.html') },
  );
  return run.exitCode === 0 ? 1 : run.exitCode;
}
