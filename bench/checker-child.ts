import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { machineOf } from '../harness/checker/check.ts';
import { Automaton, DEAD } from '../harness/checker/stream/automaton.ts';
import { AttributeUses, NumberedStream, StreamChecker, type StreamFindings } from '../harness/checker/stream/index.ts';
import { TERMS_MAX } from '../harness/checker/terms.ts';
import { compileContract, readBinding, readDocument, type Contract, type TraceEvent } from '../harness/index.ts';
import { NumberedReader } from '../harness/trace/index.ts';
import { podTrace } from './pod-trace.ts';

const CHUNK_BYTES = 1 << 16;
const NEWLINE = 0x0a;

/** The drawing of seed 001 that says most, with its binding. */
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

function forEachChunk(file: string, take: (chunk: Buffer) => void): void {
  const descriptor = openSync(file, 'r');
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let size = readSync(descriptor, chunk); size > 0; size = readSync(descriptor, chunk))
    take(chunk.subarray(0, size));
  closeSync(descriptor);
}

/** Reads the file, cuts it into lines, decodes each and parses it: nothing else. */
function parse(file: string): number {
  let rest = Buffer.alloc(0);
  let events = 0;
  forEachChunk(file, (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      const event = JSON.parse(bytes.toString('utf8', start, end)) as Partial<TraceEvent>;
      if (event.from !== undefined) events++;
      start = end + 1;
    }
    rest = Buffer.from(bytes.subarray(start));
  });
  return events;
}

/** From the file to the verdict on every instance. */
function check(file: string, contract: Contract): StreamFindings {
  const uses = new AttributeUses([contract]);
  const options = {
    source: file,
    useOf: uses.useOf,
    values: uses.values,
    links: uses.links,
    segments: uses.segments,
    idsMax: 200_000,
  };
  const reader = new NumberedReader(options, { take: (event) => stream.take(event) });
  const { numbering } = reader;
  const begun = (): boolean => reader.isBegun;
  const found = NumberedStream.for(machineOf(contract, TERMS_MAX), {
    numbering,
    places: uses.placesOf(contract),
    begun,
    hasParents: true,
    instancesMax: 2_000_000,
  });
  if (found === null) throw new Error('seed 001 is streamable');
  const stream = found;
  forEachChunk(file, (chunk) => {
    reader.push(chunk);
  });
  const { unfit, diagnostics } = reader.end();
  if (unfit !== null || diagnostics.length > 0) throw new Error(unfit ?? JSON.stringify(diagnostics[0]));
  return stream.finish();
}

/** Events of 1000 instances that are in memory. */
function traceInMemory(): readonly TraceEvent[] {
  const lines = [...podTrace(200_000, 1_000)].map(
    (line) => JSON.parse(line) as TraceEvent | { readonly from?: undefined },
  );
  return lines.filter((line): line is TraceEvent => line.from !== undefined);
}

/** Finds what each event can be, by templates and expressions, and judges it. */
function judgeInMemory(events: readonly TraceEvent[], contract: Contract): number {
  const options = { begun: true, hasParents: true, hasReplyTo: true };
  const checker = StreamChecker.for(machineOf(contract, TERMS_MAX), options);
  if (checker === null) throw new Error('seed 001 is streamable');
  for (const event of events) checker.push(event);
  return judged(checker.finish());
}

/** Letters and instances are known: only the automaton steps. */
function stepInMemory(
  steps: { readonly letters: Int32Array; readonly instances: Int32Array },
  automaton: Automaton,
): number {
  const states = new Int32Array(100_000).fill(automaton.initial);
  const rounds = 100;
  for (let round = 0; round < rounds; round++) {
    states.fill(automaton.initial);
    for (let index = 0; index < steps.letters.length; index++) {
      const instance = steps.instances[index] ?? 0;
      const next = automaton.next(states[instance] ?? 0, steps.letters[index] ?? 0);
      if (next !== DEAD) states[instance] = next;
    }
  }
  return rounds * steps.letters.length;
}

/** The letters of a trace, as a stream finds them, and a number for the instance of each. */
function lettersOf(events: readonly TraceEvent[], contract: Contract, automaton: Automaton) {
  const letters: number[] = [];
  const instances: number[] = [];
  const numbers = new Map<string, number>();
  const checker = StreamChecker.for(machineOf(contract, TERMS_MAX), {
    begun: true,
    hasParents: true,
    hasReplyTo: true,
    onStep: ({ messages, binding }) => {
      if (!numbers.has(binding.name)) numbers.set(binding.name, numbers.size);
      letters.push(automaton.letter(messages, 'both'));
      instances.push(numbers.get(binding.name) ?? 0);
    },
  });
  for (const event of events) checker?.push(event);
  checker?.finish();
  return { letters: Int32Array.from(letters), instances: Int32Array.from(instances) };
}

function main(what: string, file: string): void {
  const contract = complicate();
  const work = workOf(what, file, contract);
  globalThis.gc?.();
  const start = performance.now();
  const events = work();
  const seconds = (performance.now() - start) / 1_000;
  console.log(JSON.stringify({ seconds, events, megabytes: process.memoryUsage().rss / 1e6 }));
}

function workOf(what: string, file: string, contract: Contract): () => number {
  if (what === 'parse') return () => parse(file);
  if (what === 'check') return () => judged(check(file, contract));
  const events = traceInMemory();
  if (what === 'labels') return () => judgeInMemory(events, contract);
  const automaton = new Automaton(machineOf(contract, TERMS_MAX));
  const steps = lettersOf(events, contract, automaton);
  return () => stepInMemory(steps, automaton);
}

/** The trace ends in the middle of some instances: they are open, not broken. */
function judged({ unable, failing, events }: StreamFindings): number {
  const broken = failing.filter(({ kind }) => kind !== 'open').length;
  if (unable !== null || broken > 0) throw new Error(`${unable ?? ''} ${broken} broken`);
  return events;
}

main(process.argv[2] ?? '', process.argv[3] ?? '');
