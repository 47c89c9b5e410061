import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compileRegex, isFlat } from './linear-regex.ts';

const matches = (pattern: string, text: string): boolean => {
  const compiled = compileRegex(pattern);
  if ('error' in compiled) throw new Error(compiled.error);
  return compiled.test(text);
};

/**
 * Patterns of all kinds that are supported, over few letters, so that they match often; of few levels, since the engine
 * that they are compared with backtracks.
 */
const pattern: fc.Arbitrary<string> = fc.letrec<{ choice: string; sequence: string; atom: string }>((tie) => ({
  choice: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('|')),
  sequence: fc
    .array(
      fc.tuple(
        tie('atom'),
        fc.constantFrom('', '', '', '*', '+', '?', '*?', '+?', '??', '{2}', '{1,}', '{0,2}', '{2,3}?'),
      ),
      { maxLength: 3 },
    )
    .map((parts) => parts.map(([atom, repeat]) => (/^(\^|\$|\\b|\\B)$/.test(atom) ? atom : atom + repeat)).join('')),
  atom: fc.oneof(
    { maxDepth: 2, depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(
      'a',
      'b',
      '-',
      ' ',
      '.',
      '[ab]',
      '[^a]',
      '[a-]',
      '[]',
      '[^]',
      '\\w',
      '\\W',
      '\\s',
      '\\d',
      '\\-',
      '\\x61',
      '\\u0062',
      '^',
      '$',
      '\\b',
      '\\B',
      '\\n',
      '{',
      ']',
      '{,2}',
    ),
    tie('choice').map((inner) => `(${inner})`),
    tie('choice').map((inner) => `(?:${inner})`),
  ),
})).choice;

const isJavaScript = (text: string): boolean => {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
};

test('a pattern means what it means to JavaScript', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '-', ' ', '\n', '{', ']', '1'), maxLength: 5 });
  fc.assert(
    fc.property(pattern.filter(isJavaScript), fc.array(text, { minLength: 1, maxLength: 8 }), (source, texts) => {
      const compiled = compileRegex(source);
      if ('error' in compiled) return;
      for (const one of texts)
        expect([source, one, compiled.test(one)]).toEqual([source, one, new RegExp(source).test(one)]);
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ['^(a+)+$', 'a'],
  ['^(a|a)*$', 'a'],
  ['^(a|aa)+$', 'a'],
  ['^(.*)*x(.*)*$', 'a'],
  ['(a?){30}a{30}$', 'a'],
  ['\\s+\\S*\\s+$', ' '],
  ['^(\\w+\\s?)*$', 'a '],
  ['.*.*.*=.*;', 'a'],
])('%s reads a long text that almost matches in no time', (source, unit) => {
  const began = performance.now();
  matches(source, `${unit.repeat(20_000)}\n!`);
  expect(performance.now() - began).toBeLessThan(2_000);
});

describe('what only backtracking can match is refused:', () => {
  test.each([
    ['(a)\\1', /back references/],
    ['(?<x>a)\\k<x>', /back references/],
    ['(?=a)b', /look-around/],
    ['(?!a)b', /look-around/],
    ['(?<=a)b', /look-around/],
    ['(?<!a)b', /look-around/],
    ['(a{1000}){1000}', /more than 2000 steps/],
    ['(((((){500}){500}){500}){500})*', /more than 2000 steps/],
    ['a{999999999999}b*', /more than 2000 steps/],
    [`${'('.repeat(200)}a*${')'.repeat(200)}`, /nested more than/],
    ['(', /Invalid regular expression/],
  ])('%s', (source, says) => {
    expect(compileRegex(source)).toMatchObject({ error: expect.stringMatching(says) });
  });
});

test.each([
  ['^web-[0-9]+$', true],
  ['ready', true],
  ['^a.*b$', true],
  ['[0-9]+$', false],
  ['^a*b*$', false],
  ['^(a|b)$', false],
  ['(a+)+', false],
  ['^(?:x)+', false],
  ['\\1', false],
])('that %s is left to the own engine of the machine: %p', (source, flat) => {
  expect(isFlat(source)).toBe(flat);
});
