import { machineOf } from '../harness/checker/check.ts';
import { check } from '../harness/checker/index.ts';
import type { Machine } from '../harness/checker/run.ts';
import { Automaton, DEAD } from '../harness/checker/stream/automaton.ts';
import { TERMS_MAX } from '../harness/checker/terms.ts';
import { compileContract, readBinding, readDocument, type Contract, type Trace } from '../harness/index.ts';
import type { Figure } from './run.ts';

/** How often each size is measured; the median counts. */
const RUNS = 3;
const SESSIONS = [1, 10, 30, 100, 300, 1_000];
const PREFIX_EVENTS = [8, 100, 1_000, 10_000];

/**
 * Growth where other checkers explode: many sessions that nothing tells apart, and alternatives that begin alike under a loop.
 * An exponent is the slope between the two largest sizes, on logarithmic scales: 1 is linear, 2 quadratic.
 */
export function bench(): readonly Figure[] {
  return [...sessions(), ...sharedPrefixes()];
}

/**
 * k sessions of three steps each, in a loop whose iterations run beside each other, and one end too many. No drawing holds
 * such a loop without a key that tells its iterations apart, so the term is built here; HIBOU's search doubles with each session.
 */
function sessions(): readonly Figure[] {
  const rows = [
    { name: 'in step', order: inStep },
    { name: 'shuffled', order: shuffled },
  ];
  return rows.flatMap(({ name, order }) => {
    const times = SESSIONS.map((count) => {
      const steps = order(count);
      return medianMs(() => {
        const automaton = new Automaton(sessionMachine());
        const state = steps.reduce(
          (now, step) => automaton.next(now, automaton.letter(LETTERS[step] ?? [], 'both')),
          automaton.initial,
        );
        const wrong = automaton.next(state, automaton.letter(LETTERS[2], 'both'));
        if (state === DEAD || !automaton.accepts(state) || wrong !== DEAD)
          throw new Error(`${count} sessions and one wrong event were not judged right`);
      });
    });
    return [
      { name: `1000 sessions that nothing tells apart, ${name}, one wrong event`, value: at(times, -1), unit: 'ms' },
      {
        name: `growth with sessions, ${name}, 300 to 1000`,
        value: slope(SESSIONS, times),
        unit: 'exponent',
        aim: 'polynomial',
      },
    ];
  });
}

/** A letter for each step: equal lists are one object. */
const LETTERS: readonly [readonly number[], readonly number[], readonly number[]] = [[0], [1], [2]];

function sessionMachine(): Machine {
  const contract = compiled('A->>B: open\nB->>C: work\nC->>D: close', '');
  const machine = machineOf(contract, TERMS_MAX);
  return { ...machine, initial: machine.terms.loop('never', machine.initial) };
}

const inStep = (count: number): number[] => LETTERS.flatMap((_, step) => Array.from({ length: count }, () => step));

/** At each turn a session is opened, or one of those that are open goes on: which one is chosen by a fixed sequence. */
function shuffled(count: number): number[] {
  const open: number[] = [];
  const steps: number[] = [];
  let [begun, random] = [0, 12_345];
  const next = (below: number): number => ((random = (random * 69_069 + 1) % 4_294_967_296) >>> 8) % below;
  while (begun < count || open.length > 0) {
    const isNew = begun < count && (open.length === 0 || next(2) === 0);
    if (isNew) open.push(0);
    const place = isNew ? open.length - 1 : next(open.length);
    if (isNew) begun++;
    const step = open[place] ?? 0;
    steps.push(step);
    if (step + 1 === LETTERS.length) open.splice(place, 1);
    else open[place] = step + 1;
  }
  return steps;
}

/** Every event could begin each of three branches. */
function sharedPrefixes(): readonly Figure[] {
  const contract = compiled(
    'loop\n  alt\n    A->>B: one\n    A->>B: two\n  else\n    A->>B: one\n    A->>B: three\n  else\n    loop\n      A->>B: one\n    end\n  end\nend',
    '',
  );
  const each = PREFIX_EVENTS.map((count) => {
    const labels = Array.from({ length: count }, (_, index) => (index % 4 === 3 ? 'three' : 'one'));
    const events = labels.map((label, index) => ({
      event: { seq: index + 1, from: 'A', to: 'B', kind: 'async', label } as const,
      source: 'trace',
      line: index + 1,
    }));
    const trace: Trace = { events, begun: true, ended: true };
    const ms = medianMs(() => {
      const { outcome } = check(contract, trace, { complete: true });
      if (outcome !== 'conforms') throw new Error(`${count} events with shared prefixes: ${outcome}`);
    });
    return ms / count;
  });
  return [
    {
      name: 'alternatives with shared prefixes under a loop, 10,000 events',
      value: at(each, -1) * 1_000,
      unit: 'µs/event',
    },
    {
      name: 'the same: time an event at 10,000 events / at 1,000',
      value: at(each, -1) / at(each, -2),
      unit: '×',
      aim: 'near 1',
    },
  ];
}

function compiled(drawing: string, binding: string): Contract {
  const [diagram] = readDocument(`sequenceDiagram\n${drawing}\n`, 'drawing.mmd').value;
  if (diagram === undefined) throw new Error('the drawing of a bench is not read');
  const bindings = binding === '' ? [] : readBinding(binding, 'drawing.bindings.yaml').value;
  const { value, diagnostics } = compileContract(diagram, bindings);
  if (diagnostics.some(({ severity }) => severity === 'error')) throw new Error(JSON.stringify(diagnostics));
  return value;
}

function medianMs(work: () => void): number {
  const times = Array.from({ length: RUNS }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return times.sort((a, b) => a - b)[RUNS >> 1] ?? 0;
}

const at = (values: readonly number[], index: number): number => values.at(index) ?? NaN;

function slope(sizes: readonly number[], times: readonly number[]): number {
  return Math.log(at(times, -1) / at(times, -2)) / Math.log(at(sizes, -1) / at(sizes, -2));
}
