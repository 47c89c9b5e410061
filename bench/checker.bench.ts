import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { podTrace } from './pod-trace.ts';
import type { Figure } from './run.ts';

const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 1_000_000);
const INSTANCES = [1, 1_000, 100_000];
/** How often each is measured, in turns; the median counts. */
const RUNS = 3;
const LINES_AT_ONCE = 5_000;

interface Measured {
  readonly seconds: number;
  readonly events: number;
  readonly megabytes: number;
}

function measure(...args: readonly string[]): Measured {
  const script = join(import.meta.dirname, 'checker-child.ts');
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--import', 'tsx', script, ...args], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return JSON.parse(stdout) as Measured;
}

function writeTrace(file: string, instances: number): void {
  const descriptor = openSync(file, 'w');
  let lines: string[] = [];
  const flush = (): void => {
    if (lines.length > 0) writeSync(descriptor, `${lines.join('\n')}\n`);
    lines = [];
  };
  for (const line of podTrace(EVENTS, instances)) if (lines.push(line) >= LINES_AT_ONCE) flush();
  flush();
  closeSync(descriptor);
}

/** From a file to the verdict on every instance, against reading the same file and parsing its lines. */
function againstParsing(folder: string, instances: number): readonly Figure[] {
  const file = join(folder, `${instances}.ndjson`);
  writeTrace(file, instances);
  const runs = Array.from({ length: RUNS }, () => ({ parse: measure('parse', file), check: measure('check', file) }));
  const [parse, check] = [median(runs.map((run) => run.parse.seconds)), median(runs.map((run) => run.check.seconds))];
  const [first] = runs;
  const name = `${instances} instances, ${Math.round(statSync(file).size / EVENTS)} bytes an event`;
  rmSync(file);
  return [
    { name: `whole check / JSON.parse, ${name}`, value: check / parse, unit: '×', aim: '≤ 1.3, better 0.5' },
    { name: `events a second, ${name}`, value: (first?.check.events ?? 0) / check / 1e6, unit: 'M/s' },
    { name: `resident at the end, ${name}`, value: median(runs.map((run) => run.check.megabytes)), unit: 'MB' },
  ];
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;

/** Events that are in memory already: their letters known, or still to be found by the binding's expressions. */
function inMemory(): readonly Figure[] {
  const rate = (what: string): number => {
    const { events, seconds } = measure(what);
    return events / seconds / 1e6;
  };
  return [
    { name: 'steps a second of 1000 instances, letters known', value: rate('steps'), unit: 'M/s', aim: '≥ 5' },
    { name: 'events a second in memory, labelled by expressions', value: rate('labels'), unit: 'M/s' },
  ];
}

export function bench(): readonly Figure[] {
  const folder = mkdtempSync(join(tmpdir(), 'asdrawn-bench-'));
  try {
    return [...INSTANCES.flatMap((instances) => againstParsing(folder, instances)), ...inMemory()];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
