import { fetchTrace } from '../trace/index.ts';
import {
  drive,
  loadSystem,
  readScenario,
  type RunningSystem,
  type Scenario,
  type SystemUnderTest,
} from '../system/index.ts';
import type { Trace } from '../trace/index.ts';
import type { Diagnostic } from '../diagnostics/index.ts';
import { judgeAll, report, type ReportFiles } from './check-command.ts';
import { readText } from './files.ts';
import { EXIT_AUTHOR_ERROR, type Io } from './io.ts';
import { loadSpecs, type SpecOptions } from './specs.ts';
import { tell } from './tell.ts';

export interface ConformanceOptions extends SpecOptions, ReportFiles {
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
  const system = await loadSystem(options.system);
  if (typeof system === 'string')
    return complain(io, system, 'name a module that exports `system`, e.g. reference-impl/system.ts');
  const played = await play(system, scenario);
  if (played.kind === 'failed') return complain(io, played.message, played.hint);
  if (tell(io, played.diagnostics, loaded.sources)) return EXIT_AUTHOR_ERROR;
  if (played.stuck !== null) io.err(`the scenario got stuck: ${played.stuck}\n`);
  const replay = `asdrawn conformance ${paths.join(' ')} --system ${options.system} --scenario ${options.scenario}`;
  const run = judgeAll(loaded, played.trace, played.stuck === null && played.trace.ended, replay);
  const code = await report(
    io,
    { run, diagrams: loaded.specs.map(({ diagram }) => diagram), sources: loaded.sources },
    options,
  );
  // A system that never got where the scenario waits for it has not conformed, whatever the arrows say.
  return code === 0 && played.stuck !== null ? 3 : code;
}

export type Played =
  | {
      readonly kind: 'played';
      readonly trace: Trace;
      readonly diagnostics: readonly Diagnostic[];
      readonly stuck: string | null;
    }
  | { readonly kind: 'failed'; readonly message: string; readonly hint: string };

/** Starts the system, plays the scenario, and fetches the trace from its endpoint. Always stops the system. */
export async function play(system: SystemUnderTest, scenario: Scenario): Promise<Played> {
  let running: RunningSystem;
  try {
    running = await system.start(scenario.start);
  } catch (error) {
    return {
      kind: 'failed',
      message: `${system.name} did not start: ${messageOf(error)}`,
      hint: 'check the `start` part of the scenario',
    };
  }
  try {
    const driven = await drive(running, scenario);
    if (driven.kind === 'refused')
      return {
        kind: 'failed',
        message: `step ${driven.step + 1} of "${scenario.name}": ${driven.message}`,
        hint: 'correct the scenario',
      };
    await running.finish();
    const { value, diagnostics } = await fetchTrace(running.traceUrl);
    return { kind: 'played', trace: value, diagnostics, stuck: driven.kind === 'stuck' ? driven.message : null };
  } catch (error) {
    return {
      kind: 'failed',
      message: `${system.name}: ${messageOf(error)}`,
      hint: 'the system under test broke down; see its own output',
    };
  } finally {
    await running.stop();
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function complain(io: Io, message: string, hint: string): number {
  io.err(`asdrawn: ${message}\nhint: ${hint}\n`);
  return EXIT_AUTHOR_ERROR;
}
