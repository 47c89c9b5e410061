import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { arrowsOfEvents } from '../checker/index.ts';
import { compileContract, compileExpression, readBinding, type Binding, type Contract } from '../contract/index.ts';
import type { Diagram } from '../diagram/index.ts';
import { readDocument } from '../dialects/index.ts';
import { loadSystem, play, readScenario } from '../system/index.ts';
import { readTraceText, type Trace } from '../trace/index.ts';
import { firstBinding } from './index.ts';

/**
 * How good are the guesses? The seed drawings are bound by hand, and their systems leave traces: an arrow is right if the first
 * binding takes, within the scope of the binding by hand (`only`), just the events that this takes for it; it covers
 * it if it takes at least those.
 */
const SPECS = join(import.meta.dirname, '../../specs');
const TIMEOUT_MS = 60_000;

function read(
  file: string,
  bindingFile: string,
): { readonly diagrams: readonly Diagram[]; readonly bindings: readonly Binding[] } {
  return {
    diagrams: readDocument(readFileSync(join(SPECS, file), 'utf8'), file).value,
    bindings: readBinding(readFileSync(join(SPECS, bindingFile), 'utf8'), bindingFile).value,
  };
}

interface Measure {
  readonly arrows: number;
  readonly right: number;
  readonly covered: number;
  readonly wrong: readonly string[];
}

function measure(diagram: Diagram, byHand: Contract, trace: Trace): Measure {
  const text = firstBinding(diagram, trace, { isOneOfSeveral: false }).text;
  const guessed = compileContract(diagram, readBinding(text, 'first.bindings.yaml').value).value;
  const scope = byHand.only === undefined ? null : compileExpression(byHand.only);
  const isInScope = trace.events.map(({ event }) => scope === null || 'error' in scope || scope.test(event));
  const [wanted, given] = [eventsOf(byHand, trace, isInScope), eventsOf(guessed, trace, isInScope)];
  const arrows = byHand.drawn.filter(({ index }) => (wanted.get(index)?.size ?? 0) > 0);
  const covers = (index: number): boolean =>
    [...(wanted.get(index) ?? [])].every((event) => given.get(index)?.has(event) === true);
  const right = arrows.filter(({ index }) => covers(index) && given.get(index)?.size === wanted.get(index)?.size);
  return {
    arrows: arrows.length,
    right: right.length,
    covered: arrows.filter(({ index }) => covers(index)).length,
    wrong: arrows.filter((arrow) => !right.includes(arrow)).map(({ line, text: label }) => `line ${line} ${label}`),
  };
}

function eventsOf(
  contract: Contract,
  trace: Trace,
  isInScope: readonly boolean[],
): ReadonlyMap<number, ReadonlySet<number>> {
  const events = new Map<number, Set<number>>();
  for (const [event, arrows] of arrowsOfEvents(contract, trace).entries())
    for (const arrow of isInScope[event] === true ? arrows : [])
      events.set(arrow, (events.get(arrow) ?? new Set()).add(event));
  return events;
}

async function recordReference(): Promise<Trace> {
  const system = await loadSystem(join(SPECS, '../reference-impl/system.ts'));
  const scenario = readScenario(readFileSync(join(SPECS, 'conformance.scenario.json'), 'utf8'));
  if (typeof system === 'string' || typeof scenario === 'string')
    throw new Error('the reference system cannot be played');
  const played = await play(system, scenario);
  if (played.kind === 'failed') throw new Error(played.message);
  return played.trace;
}

describe('arrows that a first binding gets right without help', () => {
  let reference: Trace = { events: [], begun: false, ended: false };
  beforeAll(async () => {
    reference = await recordReference();
  }, TIMEOUT_MS);

  test.each([
    ['000', 'create-pod/diagram.txt', 0, 11],
    ['001 complicate', 'k8s-diagram-collection/diagrams.md', 0, 24],
    ['001 simple', 'k8s-diagram-collection/diagrams.md', 1, 11],
  ] as const)('%s, against the reference system', (name, file, position, rightMin) => {
    const { diagrams, bindings } = read(file, file.replace(/\.[^.]*$/u, '.bindings.yaml'));
    const diagram = diagrams[position];
    if (diagram === undefined) throw new Error(`${file} has no diagram ${position}`);
    const { arrows, right, covered, wrong } = measure(diagram, compileContract(diagram, bindings).value, reference);
    process.stdout.write(
      `${name}: ${right} of ${arrows} arrows right, ${covered} covered; not right: ${wrong.join('; ')}\n`,
    );
    expect(right).toBeGreaterThanOrEqual(rightMin);
  });

  test('000, against a system in which every name is another', () => {
    const { diagrams, bindings } = read('create-pod/diagram.txt', 'create-pod/other-names.bindings.yaml');
    const trace = readTraceText(
      readFileSync(join(SPECS, 'create-pod/traces/other-names.ndjson'), 'utf8'),
      'other-names.ndjson',
    ).value;
    const [diagram] = diagrams;
    if (diagram === undefined) throw new Error('nothing is drawn');
    expect(measure(diagram, compileContract(diagram, bindings).value, trace)).toMatchObject({ arrows: 16, right: 16 });
  });
});
