import type { Diagnostic } from '../diagnostics/index.ts';
import { fetchTrace, type Trace } from '../trace/index.ts';
import { drive } from './drive.ts';
import type { Scenario } from './scenario.ts';
import type { RunningSystem, SystemUnderTest } from './types.ts';

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
