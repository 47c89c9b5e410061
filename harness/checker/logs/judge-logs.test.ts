import { describe, expect, jest, test } from '@jest/globals';
import * as fc from 'fast-check';
import { readInteraction, type NamedInteraction } from './interaction-text.ts';
import { judgeLogs, LogJudge, type Log, type LogBounds, type LogMode } from './judge-logs.ts';

// --- Interactions as trees, and what they mean, said plainly ---------------------------------------------------------

type Tree =
  | { readonly kind: 'action'; readonly lifeline: string; readonly sign: '!' | '?'; readonly label: string }
  | { readonly kind: 'message'; readonly from: string; readonly to: string; readonly label: string }
  | { readonly kind: 'operator'; readonly name: string; readonly parts: readonly Tree[] };

interface Happening {
  readonly action: string;
  readonly lifeline: string;
}

/** One execution before it is ordered: what happens, what must come before what, and which iterations begin in turn. */
interface Resolution {
  readonly happenings: readonly Happening[];
  readonly before: readonly (readonly [number, number])[];
  /** Of head-first loops: groups of positions; the first of each group comes before the first of the next. */
  readonly heads: readonly (readonly (readonly number[])[])[];
}

const NOTHING: Resolution = { happenings: [], before: [], heads: [] };

/** Every way to make the choices and count the iterations, with at most so many happenings. */
function resolve(tree: Tree, most: number): Resolution[] {
  switch (tree.kind) {
    case 'action':
      return most < 1 ? [] : [leaf(`${tree.lifeline}${tree.sign}${tree.label}`, tree.lifeline)];
    case 'message': {
      const ends = [leaf(`${tree.from}!${tree.label}`, tree.from), leaf(`${tree.to}?${tree.label}`, tree.to)];
      return most < 2 ? [] : [compose(ends, () => true)];
    }
    case 'operator':
      return resolveOperator(tree.name, tree.parts, most);
  }
}

const leaf = (action: string, lifeline: string): Resolution => ({ ...NOTHING, happenings: [{ action, lifeline }] });

function resolveOperator(name: string, parts: readonly Tree[], most: number): Resolution[] {
  if (name === 'alt') return parts.flatMap((part) => resolve(part, most));
  if (name === 'opt') return [NOTHING, ...sequences(parts, most, orderOf('seq'))];
  if (!name.startsWith('loop')) return sequences(parts, most, orderOf(name));
  const order = orderOf({ loopS: 'strict', loopW: 'seq', loopH: 'seq', loopP: 'par' }[name] ?? name);
  const bodies = sequences(parts, most, order).filter(({ happenings }) => happenings.length > 0);
  const found: Resolution[][] = [[]];
  for (let at = 0; at < found.length; at++)
    for (const body of bodies) if (sizeOf([...found[at]!, body]) <= most) found.push([...found[at]!, body]);
  return found.map((iterations) => {
    const composed = compose(iterations, order);
    return name === 'loopH' ? { ...composed, heads: [...composed.heads, groups(iterations)] } : composed;
  });
}

const sizeOf = (parts: readonly Resolution[]): number => parts.reduce((sum, part) => sum + part.happenings.length, 0);

function sequences(parts: readonly Tree[], most: number, order: Order): Resolution[] {
  let found: Resolution[][] = [[]];
  for (const part of parts)
    found = found.flatMap((earlier) => resolve(part, most - sizeOf(earlier)).map((next) => [...earlier, next]));
  return found.map((resolved) => compose(resolved, order));
}

type Order = (earlier: Happening, later: Happening) => boolean;

function orderOf(name: string): Order {
  if (name === 'strict') return () => true;
  if (name === 'par') return () => false;
  const free = /^coreg\((.*)\)$/.exec(name)?.[1]?.split(',') ?? [];
  return (earlier, later) => earlier.lifeline === later.lifeline && !free.includes(earlier.lifeline);
}

function groups(parts: readonly Resolution[]): number[][] {
  let from = 0;
  return parts.map(({ happenings }) => happenings.map(() => from++));
}

function compose(parts: readonly Resolution[], order: Order): Resolution {
  const places = groups(parts);
  const happenings = parts.flatMap((part) => part.happenings);
  const own = parts.flatMap(({ before }, index) =>
    before.map(([a, b]) => [places[index]![a]!, places[index]![b]!] as const),
  );
  const between = places.flatMap((earlier, index) =>
    places
      .slice(index + 1)
      .flat()
      .flatMap((b) => earlier.filter((a) => order(happenings[a]!, happenings[b]!)).map((a) => [a, b] as const)),
  );
  const heads = parts.flatMap((part, index) =>
    part.heads.map((loop) => loop.map((group) => group.map((at) => places[index]![at]!))),
  );
  return { happenings, before: [...own, ...between], heads };
}

/** Every order in which an execution may happen, as positions. */
function orders({ happenings, before, heads }: Resolution): number[][] {
  const found: number[][] = [];
  const extend = (done: readonly number[]): void => {
    if (done.length === happenings.length) found.push([...done]);
    happenings.forEach((_, next) => {
      if (done.includes(next)) return;
      if (before.every(([a, b]) => b !== next || done.includes(a))) extend([...done, next]);
    });
  };
  extend([]);
  return found.filter((order) =>
    heads.every((loop) => {
      const firsts = loop.map((group) => Math.min(...group.map((at) => order.indexOf(at))));
      return firsts.every((first, index) => index === 0 || firsts[index - 1]! < first);
    }),
  );
}

/** Logs by the lifelines that share a clock. */
type NamedLogs = readonly { readonly lifelines: readonly string[]; readonly actions: readonly string[] }[];

function judgeNaively(resolutions: readonly Resolution[], logs: NamedLogs, mode: LogMode): boolean {
  if (mode === 'elimination') return resolutions.some((resolution) => eliminates(resolution, logs));
  return resolutions.some((resolution) =>
    orders(resolution).some((order) => {
      const word = order.map((at) => resolution.happenings[at]!);
      return logs.every(({ lifelines, actions }) => {
        const seen = word.filter(({ lifeline }) => lifelines.includes(lifeline)).map(({ action }) => action);
        return (mode === 'cut' ? seen.slice(0, actions.length) : seen).join() === actions.join();
      });
    }),
  );
}

/** Can the logs be read, where what belongs to a used-up log, or to none, holds nothing back? */
function eliminates({ happenings, before }: Resolution, logs: NamedLogs): boolean {
  const read = (positions: readonly number[], done: readonly number[]): boolean => {
    if (logs.every(({ actions }, log) => positions[log] === actions.length)) return true;
    const isErased = ({ lifeline }: Happening): boolean =>
      !logs.some(({ lifelines, actions }, log) => lifelines.includes(lifeline) && positions[log]! < actions.length);
    return logs.some(({ actions }, log) => {
      const wanted = actions[positions[log]!];
      return happenings.some(
        ({ action }, next) =>
          action === wanted &&
          !done.includes(next) &&
          before.every(([a, b]) => b !== next || done.includes(a) || isErased(happenings[a]!)) &&
          read(
            positions.map((at, index) => (index === log ? at + 1 : at)),
            [...done, next],
          ),
      );
    });
  };
  return read(
    logs.map(() => 0),
    [],
  );
}

// --- Making cases ----------------------------------------------------------------------------------------------------

const LIFELINES = ['a', 'b', 'c', 'd'];

function textOf(tree: Tree): string {
  switch (tree.kind) {
    case 'action':
      return tree.sign === '!' ? `${tree.lifeline} -- ${tree.label} ->|` : `${tree.label} -> ${tree.lifeline}`;
    case 'message':
      return `${tree.from} -- ${tree.label} -> ${tree.to}`;
    case 'operator':
      return `${tree.name}(${tree.parts.map(textOf).join(', ')})`;
  }
}

function arbitraryTree(depth: number, operators: readonly string[]): fc.Arbitrary<Tree> {
  const lifeline = fc.constantFrom(...LIFELINES);
  const label = fc.constantFrom('m', 'n');
  const simple: fc.Arbitrary<Tree> = fc.oneof(
    fc.record({
      kind: fc.constant('action' as const),
      lifeline,
      sign: fc.constantFrom('!' as const, '?' as const),
      label,
    }),
    fc.record({ kind: fc.constant('message' as const), from: lifeline, to: lifeline, label }),
  );
  if (depth === 0) return simple;
  const inner = arbitraryTree(depth - 1, operators);
  return fc.oneof(
    { weight: 1, arbitrary: simple },
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.constantFrom(...operators), fc.array(inner, { minLength: 1, maxLength: 3 }))
        .map(([name, parts]): Tree => ({ kind: 'operator', name, parts })),
    },
  );
}

const PLAIN = ['seq', 'seq', 'strict', 'par', 'coreg(a)', 'coreg(b,c)', 'alt', 'opt'];
const LOOPS = ['loopS', 'loopW', 'loopP', 'loopH'];

const HAPPENINGS_MAX = 6;
const RESOLUTIONS_MAX = 300;

interface Case {
  readonly tree: Tree;
  readonly resolutions: readonly Resolution[];
  readonly logs: NamedLogs;
}

/** Happenings of the longest execution in which no loop runs more than once. */
function lengthOf(tree: Tree): number {
  if (tree.kind !== 'operator') return tree.kind === 'message' ? 2 : 1;
  const lengths = tree.parts.map(lengthOf);
  return tree.name === 'alt' ? Math.max(...lengths) : lengths.reduce((a, b) => a + b, 0);
}

interface Limits {
  /** Of an execution in which no loop runs more than once. */
  readonly treeMax: number;
  readonly logsMax: number;
  /** Some lifelines may have no log. */
  readonly withUnlogged: boolean;
}

/** Logs of an execution, cut at random, with or without a change; one or more lifelines to a log, perhaps one without. */
function arbitraryCase(operators: readonly string[], { treeMax, logsMax, withUnlogged }: Limits): fc.Arbitrary<Case> {
  return fc
    .record({
      tree: arbitraryTree(3, operators).filter((tree) => lengthOf(tree) <= treeMax),
      tape: fc.array(fc.nat(999), { minLength: 24, maxLength: 24 }),
      partition: fc
        .constantFrom('abcd', 'abc.d', 'ab.cd', 'abcd', 'a_bc.d')
        .filter((text) => withUnlogged || !text.includes('_')),
    })
    .map(({ tree, tape, partition }): Case => {
      const resolutions = resolve(tree, HAPPENINGS_MAX).slice(0, RESOLUTIONS_MAX + 1);
      return { tree, resolutions, logs: logsFrom(resolutions, [...tape], partition, logsMax) };
    })
    .filter(({ resolutions }) => resolutions.length > 0 && resolutions.length <= RESOLUTIONS_MAX);
}

/** `ab.cd`: a and b alone, c and d share a clock... each letter is a log, a dot joins its neighbours, `_` drops the one before. */
function logsFrom(resolutions: readonly Resolution[], tape: number[], partition: string, lengthMax: number): NamedLogs {
  const draw = (below: number): number => (below === 0 ? 0 : (tape.pop() ?? 0) % below);
  const sharing = [...partition.replaceAll(/[a-d]_/g, '').matchAll(/[a-d](?:\.[a-d])*/g)].map(([group]) =>
    group.split('.'),
  );
  const chosen = resolutions[draw(resolutions.length)];
  const ordered = chosen === undefined ? [] : orders(chosen);
  const word = (ordered[draw(ordered.length)] ?? []).map((at) => chosen!.happenings[at]!);
  let left = lengthMax;
  return sharing.map((lifelines) => {
    const seen = word.filter(({ lifeline }) => lifelines.includes(lifeline)).map(({ action }) => action);
    const kept = draw(3) === 0 ? seen.slice(0, draw(seen.length + 1)) : seen;
    if (draw(4) === 0 && kept.length > 1) kept.unshift(kept.pop()!);
    if (draw(6) === 0) kept.push(`${lifelines[0]!}!m`);
    const actions = kept.slice(0, left);
    left -= actions.length;
    return { lifelines, actions };
  });
}

function judge(text: string, logs: NamedLogs, mode: LogMode, bounds: LogBounds = {}): string {
  const interaction = readInteraction(text);
  if (interaction === null) throw new Error(`not an interaction: ${text}`);
  return judgeLogs(interaction, logsOf(interaction, logs), { mode, bounds }).outcome;
}

function logsOf({ terms, actions, lifelines, lifelineOf }: NamedInteraction, logs: NamedLogs): Log[] {
  return logs.map((log) => {
    const own = log.lifelines.map((name) => lifelines.get(name));
    const shown = lifelineOf.flatMap((lifeline, occurrence) => (own.includes(lifeline) ? [occurrence] : []));
    const entries = log.actions.map((action) => {
      const occurrence = actions.get(action);
      return { options: occurrence === undefined ? [] : [[occurrence]] };
    });
    return { shows: terms.sets.of(shown), entries };
  });
}

// --- Claims ----------------------------------------------------------------------------------------------------------

const SEED = 20_260_102;
// Enumerating all executions takes its time, and more on a busy machine.
jest.setTimeout(120_000);

function holdAgainstNaive(
  cases: fc.Arbitrary<Case>,
  mode: LogMode,
  { runs, isExact = true }: { readonly runs: number; readonly isExact?: boolean },
): { readonly yes: number; readonly no: number } {
  const counts = { yes: 0, no: 0, undecided: 0 };
  fc.assert(
    fc.property(cases, ({ tree, resolutions, logs }) => {
      const due = judgeNaively(resolutions, logs, mode);
      const found = judge(textOf(tree), logs, mode);
      if (found === 'inconclusive') counts.undecided++;
      else if (due || isExact) {
        counts[due ? 'yes' : 'no']++;
        if (found !== (due ? 'conforms' : 'violates'))
          throw new Error(`${mode}: naively ${String(due)}, found ${found}\n${textOf(tree)}\n${JSON.stringify(logs)}`);
      }
    }),
    { seed: SEED, numRuns: runs },
  );
  expect(counts.undecided).toBe(0);
  return counts;
}

describe('logs without a common clock, against a naive enumeration of all executions', () => {
  const all = [...PLAIN, ...LOOPS];
  const exact = { treeMax: HAPPENINGS_MAX, logsMax: HAPPENINGS_MAX };

  test.each<[string, LogMode, fc.Arbitrary<Case>]>([
    ['whole executions, no loops, some without a log', 'whole', arbitraryCase(PLAIN, { ...exact, withUnlogged: true })],
    ['whole executions with loops, all logged', 'whole', arbitraryCase(all, { ...exact, withUnlogged: false })],
    ['cut logs, no loops', 'cut', arbitraryCase(PLAIN, { ...exact, withUnlogged: true })],
    ['elimination, no loops', 'elimination', arbitraryCase(PLAIN, { ...exact, withUnlogged: false })],
  ])('agree: %s', (_, mode, cases) => {
    const { yes, no } = holdAgainstNaive(cases, mode, { runs: 400 });
    expect(yes).toBeGreaterThan(120);
    expect(no).toBeGreaterThan(40);
  });

  test('agree: two entries of logs that are cut, and bodies of loops so short that a short execution tells', () => {
    const operators = [...PLAIN, 'loopS', 'loopW', 'loopP'];
    const cases = arbitraryCase(operators, { treeMax: 3, logsMax: 2, withUnlogged: true });
    expect(holdAgainstNaive(cases, 'cut', { runs: 600 }).no).toBeGreaterThan(40);
  });

  test.each<[LogMode, readonly string[], boolean]>([
    ['cut', ['loopS', 'loopW', 'loopP'], true],
    ['elimination', LOOPS, false],
    ['whole', ['loopS', 'loopW', 'loopP'], true],
  ])('in mode %s nothing is refused that a short execution with loops explains', (mode, loops, withUnlogged) => {
    const cases = arbitraryCase([...PLAIN, ...loops], { treeMax: 8, logsMax: HAPPENINGS_MAX, withUnlogged });
    const { yes } = holdAgainstNaive(cases, mode, { runs: 250, isExact: false });
    expect(yes).toBeGreaterThan(90);
  });
});

/**
 * A log by itself stands where no longer beginning of it can have been cut from a run; whatever it could show next makes such a
 * beginning too, and nothing else that it shows does.
 */
test('a log stands by itself as far as the judge of cut logs takes it, and can go on as that judge says', () => {
  let [stopped, lacking] = [0, 0];
  const operators = [...PLAIN, 'loopS', 'loopW', 'loopP'];
  const cases = arbitraryCase(operators, { treeMax: 8, logsMax: HAPPENINGS_MAX, withUnlogged: true });
  fc.assert(
    fc.property(cases, ({ tree, logs }) => {
      const interaction = readInteraction(textOf(tree));
      if (interaction === null) throw new Error(`not an interaction: ${textOf(tree)}`);
      for (const log of logsOf(interaction, logs)) {
        const isPossible = (entries: Log['entries'], mode: LogMode): boolean =>
          judgeLogs(interaction, [{ ...log, entries }], { mode }).outcome === 'conforms';
        const stand = new LogJudge(interaction).stand(log);
        if (stand === null) throw new Error(`a bound was met: ${textOf(tree)}`);
        const { position, next, isWhole } = stand;
        const done = log.entries.slice(0, position);
        expect(isPossible(done, 'cut')).toBe(true);
        expect(isPossible(done, 'whole')).toBe(isWhole);
        if (position < log.entries.length) {
          expect(isPossible(log.entries.slice(0, position + 1), 'cut')).toBe(false);
          stopped++;
        } else if (!isWhole) lacking++;
        const shown = interaction.terms.sets.members(log.shows);
        expect(shown.filter((one) => isPossible([...done, { options: [[one]] }], 'cut'))).toEqual(
          [...next].sort(ascending),
        );
      }
    }),
    { seed: SEED, numRuns: 400 },
  );
  expect(Math.min(stopped, lacking)).toBeGreaterThan(50);
});

const ascending = (a: number, b: number): number => a - b;

const alone = (logs: Readonly<Record<string, readonly string[]>>): NamedLogs =>
  Object.entries(logs).map(([lifeline, actions]) => ({ lifelines: [lifeline], actions }));

describe('cut logs', () => {
  // !x < ?x < !y < ?y < !w < ?w < !x goes round in a circle, through C.
  const circle = 'par(seq(A -- x -> C, C -- y -> B), B -- w -> A)';
  const logs = alone({ A: ['A?w', 'A!x'], B: ['B?y', 'B!w'], C: [] });

  test('violate where only the missing entries order the others', () => {
    expect(judge(circle, logs, 'cut')).toBe('violates');
  });

  test('conform by elimination, which forgets that order', () => {
    expect(judge(circle, logs, 'elimination')).toBe('conforms');
  });

  test('conform when they can have happened', () => {
    expect(judge(circle, alone({ A: ['A?w', 'A!x'], B: ['B!w', 'B?y'], C: [] }), 'cut')).toBe('conforms');
  });

  test('may lack their end, not their middle', () => {
    expect(judge('seq(A -- x -> B, A -- y -> B)', alone({ A: ['A!x'], B: ['B?x', 'B?y'] }), 'cut')).toBe('conforms');
    expect(judge('seq(A -- x -> B, A -- y -> B)', alone({ A: ['A!y'], B: [] }), 'cut')).toBe('violates');
  });
});

test('whole logs lack nothing: what a cut one may still owe is a violation', () => {
  const logs = alone({ A: ['A!x'], B: [] });
  expect(judge('A -- x -> B', logs, 'cut')).toBe('conforms');
  expect(judge('A -- x -> B', logs, 'whole')).toBe('violates');
});

test('an interaction may nest deeper than the call stack', () => {
  const depth = 6_000;
  const text = `${'opt(par(b -- n ->|, '.repeat(depth)}a -- m ->|${'))'.repeat(depth)}`;
  expect(judge(text, alone({ a: ['a!m'], b: Array.from({ length: 2 }, () => 'b!n') }), 'cut')).toBe('conforms');
});

test.each([
  '',
  'seq(',
  'seq(a -- m ->|',
  'a -- m',
  'seq(a -- m ->|))',
  'a -- m -> (b',
  'a -- m ->| b',
  'coreg(a -- m ->|)',
])('text that is no interaction is refused: %j', (text) => {
  expect(readInteraction(text)).toBeNull();
});

// --- 3-SAT -----------------------------------------------------------------------------------------------------------

type Literal = number;

/** Each variable is true or false and tells so to the clauses that it makes true, in any order; each clause logs one. */
function satisfiability(
  variables: number,
  clauses: readonly (readonly Literal[])[],
): { text: string; logs: NamedLogs } {
  const told = (literal: Literal): string => {
    const receipts = clauses.flatMap((clause, index) => (clause.includes(literal) ? [`opt(t -> c${index})`] : []));
    return receipts.length === 0 ? '∅' : `par(${receipts.join(', ')})`;
  };
  const choices = Array.from({ length: variables }, (_, index) => `alt(${told(index + 1)}, ${told(-index - 1)})`);
  const logs = alone(Object.fromEntries(clauses.map((_, index) => [`c${index}`, [`c${index}?t`]])));
  return { text: `par(${choices.join(', ')})`, logs };
}

function randomClauses(variables: number, count: number, seed: number): Literal[][] {
  let state = seed;
  const draw = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 16) % below;
  };
  return Array.from({ length: count }, () => {
    const chosen = new Set<number>();
    while (chosen.size < 3) chosen.add(1 + draw(variables));
    return [...chosen].map((variable) => (draw(2) === 0 ? variable : -variable));
  });
}

const isSatisfiable = (variables: number, clauses: readonly (readonly Literal[])[]): boolean =>
  Array.from({ length: 2 ** variables }, (_, model) => model).some((model) =>
    clauses.every((clause) =>
      clause.some((literal) => ((model >> (Math.abs(literal) - 1)) & 1) === (literal > 0 ? 1 : 0)),
    ),
  );

describe('satisfiability, drawn', () => {
  test('is decided as by trying all assignments', () => {
    const found = [6, 12, 18, 24, 30].map((count) => {
      const clauses = randomClauses(3, count, 76 + count);
      const { text, logs } = satisfiability(3, clauses);
      const due = isSatisfiable(3, clauses) ? 'conforms' : 'violates';
      for (const mode of ['whole', 'cut'] as const) expect(judge(text, logs, mode)).toBe(due);
      return due;
    });
    expect(new Set(found).size).toBe(2);
  });

  test.each<[LogMode]>([['whole'], ['cut'], ['elimination']])(
    'of 20 variables and 91 clauses ends within its bounds in mode %s',
    (mode) => {
      const { text, logs } = satisfiability(20, randomClauses(20, 91, 4));
      const interaction = readInteraction(text)!;
      const bounds = { statesMax: 1_000, stepsMax: 200_000 };
      const judgement = judgeLogs(interaction, logsOf(interaction, logs), { mode, bounds });
      if (judgement.outcome === 'inconclusive')
        expect(judgement.bound).toMatch(/^(1000 states|200000 steps) of the search$/);
      else expect(judgement.outcome).toBe('conforms');
    },
  );
});
