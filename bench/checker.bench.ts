import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { machineOf } from '../harness/checker/check.ts';
import { StreamChecker } from '../harness/checker/stream/index.ts';
import { TERMS_MAX } from '../harness/checker/terms.ts';
import { compileContract, readBinding, readDocument, type Contract, type TraceEvent } from '../harness/index.ts';
import { podTrace } from './pod-trace.ts';
import type { Figure } from './run.ts';

const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 1_000_000);

function complicate(): Contract {
  const folder = join(import.meta.dirname, '../specs/k8s-diagram-collection');
  const [diagram] = readDocument(readFileSync(join(folder, 'diagrams.md'), 'utf8'), 'diagrams.md').value;
  const bindings = readBinding(
    readFileSync(join(folder, 'diagrams.bindings.yaml'), 'utf8'),
    'diagrams.bindings.yaml',
  ).value;
  if (diagram === undefined) throw new Error('seed 001 holds two diagrams');
  return compileContract(diagram, bindings).value;
}

const secondsOf = (work: () => void): number => {
  const start = performance.now();
  work();
  return (performance.now() - start) / 1_000;
};

function newChecker(contract: Contract): StreamChecker {
  const options = { begun: true, hasParents: true, hasReplyTo: true, instancesMax: 2_000_000 };
  const checker = StreamChecker.for(machineOf(contract, TERMS_MAX), options);
  if (checker === null) throw new Error('seed 001 is streamable');
  return checker;
}

/** The whole check of NDJSON text against what JSON.parse alone takes on the same lines, in one run. */
function againstParsing(contract: Contract, instances: number): readonly Figure[] {
  const lines = [...podTrace(EVENTS, instances)];
  const bytes = lines.reduce((sum, line) => sum + line.length + 1, 0);
  let kept = 0;
  const parseOnly = secondsOf(() => {
    for (const line of lines) kept += (JSON.parse(line) as TraceEvent).seq & 1;
  });
  const checker = newChecker(contract);
  const whole = secondsOf(() => {
    for (const line of lines) {
      const event = JSON.parse(line) as TraceEvent;
      if (event.from !== undefined) checker.push(event);
    }
  });
  const findings = checker.finish();
  // The trace ends in the middle of some instances: they are open, not broken.
  const broken = findings.failing.filter(({ kind }) => kind === 'broken').length;
  if (findings.unable !== null || broken > 0 || kept < 0)
    throw new Error(`${instances} instances: ${findings.unable ?? ''} ${broken} broken`);
  const name = `${instances} instances, ${Math.round(bytes / lines.length)} bytes an event`;
  return [
    { name: `whole check / JSON.parse, ${name}`, value: whole / parseOnly, unit: '×', aim: '≤ 1.3' },
    { name: `events a second, ${name}`, value: lines.length / whole / 1e6, unit: 'M/s' },
  ];
}

export function bench(): readonly Figure[] {
  const contract = complicate();
  return [1, 1_000, 100_000].flatMap((instances) => againstParsing(contract, instances));
}
