import { loadSystem, play, readScenario } from '../system/index.ts';
import { judgeAll, report, type Gate, type ReportFiles } from './check-command.ts';
import { outputProblem, readText } from './files.ts';
import { interruptible } from './interrupt.ts';
import { EXIT_AUTHOR_ERROR, type Io } from './io.ts';
import { shellWord } from './shell-word.ts';
import { loadSpecs, type SpecOptions } from './specs.ts';
import { tell } from './tell.ts';

export interface ConformanceOptions extends SpecOptions, ReportFiles, Gate {
  readonly system: string;
  readonly scenario: string;
}

/** `asdrawn conformance SPEC… --system MODULE --scenario FILE`: start a system, drive it as User, judge its own trace. */
export async function conformanceCommand(
  io: Io,
  paths: readonly string[],
  options: ConformanceOptions,
): Promise<number> {
  const loaded = await loadSpecs(paths, options);
  if (tell(io, loaded.diagnostics, loaded.sources)) return EXIT_AUTHOR_ERROR;
  const scenarioText = await readText(options.scenario);
  if (typeof scenarioText !== 'string') {
    tell(io, [scenarioText.problem], loaded.sources);
    return EXIT_AUTHOR_ERROR;
  }
  const scenario = readScenario(scenarioText);
  if (typeof scenario === 'string') return complain(io, `${options.scenario}: ${scenario}`, 'see docs/scenarios.md');
  const blocked = await outputProblem([options.html, options.junit], [...loaded.sources.keys(), options.scenario]);
  if (blocked !== null) {
    tell(io, [blocked.problem], loaded.sources);
    return EXIT_AUTHOR_ERROR;
  }
  const system = await loadSystem(options.system);
  if (typeof system === 'string')
    return complain(io, system, 'name a module that exports `system`, e.g. reference-impl/system.ts');
  const { played, interrupted } = await interruptible(async ({ signal, code }) => ({
    played: await play(system, scenario, { signal }),
    interrupted: code(),
  }));
  if (interrupted !== null) {
    io.err('asdrawn: interrupted; the system was stopped and nothing was judged\n');
    return interrupted;
  }
  if (played.kind === 'failed') return complain(io, played.message, played.hint);
  if (tell(io, played.diagnostics, loaded.sources)) return EXIT_AUTHOR_ERROR;
  if (played.stuck !== null) io.err(`the scenario got stuck: ${played.stuck}\n`);
  const replay = `${io.command} conformance ${paths.map(shellWord).join(' ')} --system ${shellWord(options.system)} --scenario ${shellWord(options.scenario)}${judgementFlags(options)}${coverageFlag(options)}`;
  const run = judgeAll(loaded, played.trace, played.stuck === null && played.trace.ended, {
    replay,
    minCoverage: options.minCoverage,
  });
  const code = await report(
    io,
    { run, diagrams: loaded.specs.map(({ diagram }) => diagram), sources: loaded.sources },
    options,
  );
  // A system that never got where the scenario waits for it has not conformed, whatever the arrows say.
  return code === 0 && played.stuck !== null ? 3 : code;
}

/** What changes the judgement must be in the line that repeats it. */
export const judgementFlags = ({ order, diagram, binding, errata }: SpecOptions): string =>
  [
    ['order', order],
    ['diagram', diagram],
    ['binding', binding],
  ]
    .map(([name, value]) => (value === undefined ? '' : ` --${name} ${shellWord(value)}`))
    .concat(errata === false ? [' --no-errata'] : [])
    .join('');

const coverageFlag = ({ minCoverage }: Gate): string =>
  minCoverage === undefined ? '' : ` --min-coverage ${minCoverage}`;

function complain(io: Io, message: string, hint: string): number {
  io.err(`asdrawn: ${message}\nhint: ${hint}\n`);
  return EXIT_AUTHOR_ERROR;
}
