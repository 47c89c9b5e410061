import { describe, expect, test } from '@jest/globals';
import { Environment } from '@marcbachmann/cel-js';
import fc from 'fast-check';
import { nestedViewOf } from './expression-scope.ts';
import type { ExpressionScope } from './expression-scope.ts';
import { compileExpression } from './expression.ts';

const SCOPE: ExpressionScope = {
  seq: 3,
  from: 'ApiServer',
  to: 'Scheduler',
  kind: 'call',
  label: 'PATCH /api/v1/pods/web-1/status',
  status: 201,
  attributes: { 'k8s.pod.name': 'web-1', 'k8s.pod.phase': 'Running', 'http.request-id': 'r1', ready: true, ratio: 0.5 },
};

function compiled(cel: string) {
  const result = compileExpression(cel);
  if ('error' in result) throw new Error(`${cel}: ${result.error}`);
  return result;
}

describe('an expression is true exactly where all it needs is there', () => {
  test.each([
    ['status == 201', true],
    ['status == 201u && status >= 200.5', true],
    ['status in [200, 201]', true],
    ['status in [200, k8s.pod.uid]', undefined],
    ['status in [201, k8s.pod.uid]', true],
    ['k8s.pod.name.startsWith("web-") && k8s.pod.phase != "Pending"', true],
    ['k8s.pod.name.matches("^web-[0-9]+$")', true],
    ['k8s.pod["name"] == "web-1"', true],
    ['http["request-id"] == "r1"', true],
    ['k8s.pod.uid == "1"', undefined],
    ['k8s.pod.uid != "1"', undefined],
    ['!(k8s.pod.uid == "1")', undefined],
    ['k8s.pod.uid == "1" || status == 201', true],
    ['k8s.pod.uid == "1" && status == 404', false],
    ['has(k8s.pod.uid)', false],
    ['!has(k8s.pod.uid)', true],
    ['has(status) && !has(time)', true],
    ['has(status) == true', true],
    ['ready', true],
    ['!ready', false],
    ['ready ? status == 201 : k8s.pod.uid == "1"', true],
    ['time > 0', undefined],
    ['k8s.pod.name == 3', false],
    ['k8s.pod.name < 3', undefined],
    ['status == null', false],
    ['status != null', true],
    ['k8s.pod.uid == null', undefined],
    ['constructor == "x" || toString == "x"', undefined],
    ['status + 1', 202],
    ['-status / 2', -100],
    ['status / 0', undefined],
    ['ratio / 2.0', 0.25],
    ['"a" + k8s.pod.name', 'aweb-1'],
    ['label.lowerAscii().startsWith("patch ")', true],
    ['k8s.pod.name.size() == 5', true],
    ['[200, 201].exists(s, s == status)', true],
    ['k8s.pod.uid.size() == 5', undefined],
    ['label.split("/")[1] == "api"', true],
  ])('%s is %s', (cel, value) => {
    expect(compiled(cel).value(SCOPE)).toBe(value);
    expect(compiled(cel).test(SCOPE)).toBe(value === true);
  });
});

test.each(
  [
    ['status ==', 9],
    ['status == "x', 10],
    ['a b', 2],
    ['kind == 3', 0],
    ['kind.frobnicate()', 0],
    ['true && 1 == "x"', 8],
    ['has(1)', 0],
    ['label.matches("(")', 14],
    ['label.matches("(a)\\\\1")', 14],
    ['label.matches(label)', 0],
    ['matches(label, label)', 0],
    ['[label].exists(l, l.matches("(a+)+$"))', 18],
    ['[1].all(a, label.split("").all(b, label.split("").all(c, b == c)))', 57],
    ['seq == 99999999999999999999', 7],
    ['seq == 9007199254740993', 7],
    [`a${' && a'.repeat(600)}`, 0],
    ['('.repeat(3_000), 100],
    ['a'.repeat(5_000), 0],
  ].map(([cel, offset]) => ({ title: String(cel).slice(0, 30), cel: String(cel), offset })),
)('$title is refused with its place', ({ cel, offset }) => {
  const result = compileExpression(cel);
  expect(result).toMatchObject({ error: expect.any(String), offset });
});

test('a pattern that makes a backtracking engine hang does not hang here', () => {
  expect(compiled('label.matches("^([a-z]+ ?)*$")').test({ ...SCOPE, label: `${'a'.repeat(10_000)}!` })).toBe(false);
});

test('a text that grows without bound is no value, and no error', () => {
  const grown = Array.from({ length: 6 }).reduce<string>((text) => `(${text} + ${text})`, 'label');
  expect(compiled(`${grown} != ""`).test({ ...SCOPE, label: 'x'.repeat(1_000_000) })).toBe(false);
  expect(compiled(`${grown} != ""`).test(SCOPE)).toBe(true);
});

test('only the rare parts are left to the library', () => {
  expect(compiled('kind == "call" && k8s.pod.name.endsWith("1") && status in [200] && has(time)').isSlow).toBe(false);
  expect(compiled('kind == "call" && size(label) > 3').isSlow).toBe(true);
});

test('a text or a number is no condition', () => {
  expect(compiled('"call"').isCondition).toBe(false);
  expect(compiled('1 + 1').isCondition).toBe(false);
  expect(compiled('ready').isCondition).toBe(true);
});

const number = fc.oneof(
  fc.integer({ min: -9, max: 9 }).map(String),
  fc.constantFrom('0.5', '2.0', 'status', 'seq', 'a.number', 'a.real'),
);
const text = fc.oneof(
  fc.constantFrom('"a"', '"web-1"', '""', '"b\\"c"'),
  fc.constantFrom('kind', 'label', 'from', 'a.text', 'b'),
);
const { condition } = fc.letrec<{ condition: string; sum: string; word: string }>((tie) => ({
  sum: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    number,
    fc.tuple(tie('sum'), fc.constantFrom('+', '-', '*', '/', '%'), tie('sum')).map(([a, o, b]) => `(${a} ${o} ${b})`),
    tie('sum').map((a) => `(-${a})`),
  ),
  word: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    text,
    fc.tuple(tie('word'), tie('word')).map(([a, b]) => `(${a} + ${b})`),
    tie('word').map((a) => `${a}.lowerAscii()`),
    fc.tuple(tie('condition'), tie('word'), tie('word')).map(([c, a, b]) => `(${c} ? ${a} : ${b})`),
  ),
  condition: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom('true', 'a.flag', 'has(a.text)', 'has(a.none)', 'a.none'),
    fc
      .tuple(tie('sum'), fc.constantFrom('==', '!=', '<', '<=', '>', '>='), tie('sum'))
      .map(([a, o, b]) => `${a} ${o} ${b}`),
    fc.tuple(tie('word'), fc.constantFrom('==', '!=', '<', '>='), tie('word')).map(([a, o, b]) => `${a} ${o} ${b}`),
    fc.tuple(tie('word'), fc.constantFrom('==', '!='), tie('sum')).map(([a, o, b]) => `${a} ${o} ${b}`),
    fc
      .tuple(
        tie('word'),
        fc.constantFrom('startsWith', 'endsWith', 'contains', 'matches'),
        fc.constantFrom('"a"', '"w"', '"-1"'),
      )
      .map(([a, m, b]) => `${a}.${m}(${b})`),
    fc.tuple(tie('sum'), fc.array(tie('sum'), { maxLength: 3 })).map(([a, l]) => `${a} in [${l.join(', ')}]`),
    fc.tuple(tie('condition'), fc.constantFrom('&&', '||'), tie('condition')).map(([a, o, b]) => `(${a} ${o} ${b})`),
    tie('condition').map((a) => `!(${a})`),
  ),
}));

const scope: fc.Arbitrary<ExpressionScope> = fc.record({
  seq: fc.nat(5),
  from: fc.constantFrom('a', 'web-1'),
  to: fc.constant('b'),
  kind: fc.constantFrom('call', 'reply'),
  label: fc.constantFrom('a', 'web-1', 'W', ''),
  status: fc.constantFrom(0, 1, 200),
  attributes: fc.record({
    'a.number': fc.integer({ min: -3, max: 3 }),
    'a.real': fc.constantFrom(0.25, 1.5, -2.5),
    'a.text': fc.constantFrom('a', 'web-1', 'A-1'),
    'a.flag': fc.boolean(),
    b: fc.constantFrom('web-1', 'c'),
  }),
});

const library = new Environment({ unlistedVariablesAreDyn: true, homogeneousAggregateLiterals: false });

/** What the library says; undefined where it refuses or throws. */
function byLibrary(cel: string, event: ExpressionScope): unknown {
  try {
    const value: unknown = library.parse(cel)(nestedViewOf(event));
    return typeof value === 'bigint' ? Number(value) : value;
  } catch {
    return undefined;
  }
}

test('wherever the library gives a value, the closure gives the same', () => {
  let compared = 0;
  fc.assert(
    fc.property(condition, scope, (cel, event) => {
      const expected = byLibrary(cel, event);
      const result = compileExpression(cel);
      if (expected === undefined || 'error' in result) return;
      compared += 1;
      expect([cel, result.value(event)]).toEqual([cel, expected]);
    }),
    { numRuns: 3_000 },
  );
  // The property is worth something only if most expressions have a value.
  expect(compared).toBeGreaterThan(1_500);
});
