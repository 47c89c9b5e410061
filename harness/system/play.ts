import type { Diagnostic } from '../diagnostics/index.ts';
import { fetchTrace, type Trace } from '../trace/index.ts';
import { drive } from './drive.ts';
import { asError, PATIENCE, within, type Patience } from './patience.ts';
import type { Scenario } from './scenario.ts';
import { listenForStrays, type StraySource } from './stray-errors.ts';
import type { RunningSystem, SystemUnderTest } from './types.ts';

export type Played =
  | {
      readonly kind: 'played';
      readonly trace: Trace;
      readonly diagnostics: readonly Diagnostic[];
      readonly stuck: string | null;
    }
  | { readonly kind: 'failed'; readonly message: string; readonly hint: string };

export interface PlayOptions {
  /** Ends the play; the system is stopped all the same. */
  readonly signal?: AbortSignal;
  readonly patience?: Partial<Patience>;
  /** Where errors arrive that the system throws outside of any call; default: this process. */
  readonly strays?: StraySource;
}

/** Starts the system, plays the scenario, and fetches the trace from its endpoint. Always stops the system. */
export async function play(system: SystemUnderTest, scenario: Scenario, options: PlayOptions = {}): Promise<Played> {
  const patience: Patience = { ...PATIENCE, ...options.patience };
  const strays = listenForStrays(options.strays ?? process);
  const signals = [strays.signal, ...(options.signal === undefined ? [] : [options.signal])];
  try {
    const played = await playOnce(system, scenario, { patience, signal: AbortSignal.any(signals) });
    const stray = strays.first();
    if (stray === null) return played;
    return {
      kind: 'failed',
      message: `${system.name} threw outside of any call: ${stray.message}`,
      hint: 'the system under test must catch what goes wrong in its timers, sockets and promises',
    };
  } finally {
    strays.end();
  }
}

interface Bounds {
  readonly patience: Patience;
  readonly signal: AbortSignal;
}

async function playOnce(system: SystemUnderTest, scenario: Scenario, bounds: Bounds): Promise<Played> {
  const { patience, signal } = bounds;
  let started: unknown;
  try {
    started = await within(patience.startMs, 'starting', () => system.start(scenario.start), signal);
  } catch (error) {
    return {
      kind: 'failed',
      message: `${system.name} did not start: ${asError(error).message}`,
      hint: 'check the `start` part of the scenario',
    };
  }
  const missing = missingIn(started);
  if (missing !== null) return notRunning(system, missing);
  // Its form was checked one line above; a compiler cannot follow a table of names.
  const running = started as RunningSystem;
  const played = await drivenAndRead(system, running, scenario, bounds);
  const unstopped = await stop(system, running, patience);
  return played.kind === 'failed' || unstopped === null ? played : unstopped;
}

async function drivenAndRead(
  system: SystemUnderTest,
  running: RunningSystem,
  scenario: Scenario,
  { patience, signal }: Bounds,
): Promise<Played> {
  try {
    const driven = await drive(running, scenario, { patience, signal });
    if (driven.kind === 'refused')
      return {
        kind: 'failed',
        message: `step ${driven.step + 1} of "${scenario.name}": ${driven.message}`,
        hint: 'correct the scenario',
      };
    await within(patience.finishMs, 'finish()', () => running.finish(), signal);
    const { value, diagnostics } = await fetchTrace(running.traceUrl, { signal });
    return { kind: 'played', trace: value, diagnostics, stuck: driven.kind === 'stuck' ? driven.message : null };
  } catch (error) {
    return {
      kind: 'failed',
      message: `${system.name}: ${asError(error).message}`,
      hint: 'the system under test broke down; see its own output',
    };
  }
}

async function stop(system: SystemUnderTest, running: RunningSystem, { stopMs }: Patience): Promise<Played | null> {
  try {
    // Not ended by an interruption: it is what an interruption is for.
    await within(stopMs, 'stop()', () => running.stop());
    return null;
  } catch (error) {
    return {
      kind: 'failed',
      message: `${system.name} could not be stopped: ${asError(error).message}`,
      hint: 'what it started may still run; look for its processes and ports',
    };
  }
}

const URLS = ['apiUrl', 'traceUrl'];
const FUNCTIONS = ['pause', 'resume', 'finish', 'stop'];

/** What a started system lacks, or null. */
function missingIn(started: unknown): string | null {
  if (typeof started !== 'object' || started === null) return 'start() gave no object';
  const typeOf = (name: string): string => typeof Reflect.get(started, name);
  const url = URLS.find((name) => typeOf(name) !== 'string');
  if (url !== undefined) return `what start() gave has no text "${url}"`;
  const method = FUNCTIONS.find((name) => typeOf(name) !== 'function');
  return method === undefined ? null : `what start() gave has no function "${method}"`;
}

const notRunning = (system: SystemUnderTest, missing: string): Played => ({
  kind: 'failed',
  message: `${system.name} did not start: ${missing}`,
  hint: 'start() gives {apiUrl, traceUrl, pause, resume, finish, stop}; see harness/system/types.ts',
});
