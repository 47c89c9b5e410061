import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { wholeFile } from '../../diagram/index.ts';
import { looksLikeSteps, readSteps } from './index.ts';
import { CATALOGUE, CHARACTERS_MAX, STEPS_MAX } from './read-steps.ts';

const read = (text: string) => readSteps(text, wholeFile('steps.md', 'steps'));
const codes = (text: string): string[] => read(text).diagnostics.map(({ code }) => code);
const texts = (text: string): string[] => read(text).value.steps.map((step) => step.text);

describe('the description of pod scheduling', () => {
  const text = readFileSync(new URL('../../../specs/pod-scheduling/steps.md', import.meta.url), 'utf8');
  const { value, diagnostics } = read(text);
  const lines = text.split('\n');

  test('has exactly twelve steps, 1 to 12, and nothing to complain about', () => {
    expect(value.steps.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(diagnostics).toEqual([]);
    expect(value).toMatchObject({ dialect: 'steps', name: 'steps', file: 'steps.md', participants: [], messages: [] });
  });

  test('gives each step the text and the place it has in the file', () => {
    for (const { number, text: step, at } of value.steps) {
      expect(`${number}. ${step}`).toBe(lines[at.line - 1]!.trimEnd());
      expect(at.column).toBe(1);
    }
  });

  test('ignores the prose around the list', () => {
    expect(value.steps.at(0)?.text).toMatch(/^The first action we see is you running/);
    expect(value.steps.at(-1)?.text).toBe('The API server then saves the state to etcd.');
  });
});

describe('numbered lists are written in many ways', () => {
  test.each([
    ['dots', '1. one\n2. two'],
    ['brackets', '1) one\n2) two'],
    ['words', 'Step 1: one\nStep 2: two'],
    ['bold words', '**Step 1:** one\n**Step 2:** two'],
    ['bold numbers', '**1.** one\n**2.** two'],
    ['headings', '## Step 1: one\n\n## Step 2: two'],
    ['blank lines between', '1. one\n\n2. two'],
    ['windows line ends', '1. one\r\n2. two\r\n'],
    ['a byte order mark', '\ufeff1. one\n2. two'],
    ['an indent', '  1. one\n  2. two'],
    ['prose around', 'Intro of 3. kinds\n\n1. one\n2. two\n\nThe end.'],
    ['blanks inside', '1.   one  \n2.\ttwo'],
  ])('with %s', (_, text) => {
    expect(texts(text)).toEqual(['one', 'two']);
    expect(codes(text)).toEqual([]);
    expect(looksLikeSteps(text)).toBe(true);
  });

  test('a step goes on over lines, indented ones also after a blank line', () => {
    expect(texts('1. one\n   more\n2. two\nlazy\n\n   deep\n   1. nested\n\nNot a step.')).toEqual([
      'one more',
      'two lazy deep 1. nested',
    ]);
  });

  test('prose under a step heading belongs to the step', () => {
    expect(texts('### Step 1: one\n\nMore.\n\n### Step 2: two\n\n1. nested\n\n## Notes\n\nNot a step.')).toEqual([
      'one More.',
      'two 1. nested',
    ]);
  });

  test('numbers in fenced code are no steps', () => {
    expect(texts('1. one\n2. two\n\n```\n1. a\n2. b\n3. c\n```\n')).toEqual(['one', 'two']);
  });
});

describe('a list whose numbers say no order is refused, and the step is named', () => {
  const cases: readonly [keyof typeof CATALOGUE, string, number, RegExp][] = [
    ['STP101', 'Just prose.', 1, /no numbered list/],
    ['STP101', '1. alone', 1, /at least two/],
    ['STP102', '1. a\n2. b\n2. c', 3, /step 2 is there twice: also in line 2/],
    ['STP103', '1. a\n2. b\n\n5. c', 4, /steps 3 to 4 are missing before step 5/],
    ['STP103', '1. a\n3. b', 2, /step 2 is missing/],
    ['STP104', '1. a\n3. b\n2. c', 3, /step 2 stands after step 3/],
    ['STP105', '1. a\n2.\n3. c', 2, /step 2 has no text/],
    ['STP107', '2. a\n3. b', 1, /first step has the number 2/],
  ];

  test.each(cases)('%s: %j', (code, text, line, message) => {
    const found = read(text).diagnostics.find((diagnostic) => diagnostic.code === code);
    expect(found).toMatchObject({ severity: 'error', line, column: 1, file: 'steps.md' });
    expect(found?.message).toMatch(message);
  });

  test('of several lists the longest is read, and an info names the others', () => {
    const text = '1. a\n2. b\n\nProse.\n\n1. c\n2. d\n3. e\n';
    expect(texts(text)).toEqual(['c', 'd', 'e']);
    expect(read(text).diagnostics).toMatchObject([
      { code: 'STP106', severity: 'info', line: 1, column: 1, endColumn: 5 },
    ]);
  });

  test('too much text, and too many steps, are refused', () => {
    expect(codes('x'.repeat(CHARACTERS_MAX + 1))).toEqual(['STP100']);
    const many = Array.from({ length: STEPS_MAX + 1 }, (_, index) => `${index + 1}. step`).join('\n');
    expect(read(many).diagnostics).toMatchObject([{ code: 'STP100', line: STEPS_MAX + 1 }]);
    expect(read(many).value.steps.length).toBe(STEPS_MAX);
  });

  test('every code has an example above', () => {
    const shown = new Set([...cases.map(([code]) => code), 'STP100', 'STP106']);
    expect([...shown].sort()).toEqual(Object.keys(CATALOGUE).sort());
  });
});

describe('any text', () => {
  test('places come from the source, so that a list in a fence is found where it is', () => {
    const source = {
      ...wholeFile('doc.md', 'doc'),
      place: (line: number, column: number) => ({ line: line + 10, column: column + 4 }),
    };
    expect(readSteps('1. a\n2. b', source).value.steps.map(({ at }) => at)).toEqual([
      { line: 11, column: 5 },
      { line: 12, column: 5 },
    ]);
  });

  test('is read without a throw, and only ever into numbered steps with text or a diagnostic', () => {
    const piece = fc.constantFrom(
      '1',
      '2',
      '3',
      '.',
      ')',
      ' ',
      '\n',
      'a',
      'Step ',
      ':',
      '#',
      '*',
      '`',
      '\t',
      '-',
      '\r',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 80 }), (pieces) => {
        const { value, diagnostics } = read(pieces.join(''));
        if (value.steps.length === 0) expect(diagnostics.map(({ code }) => code)).toEqual(['STP101']);
        const inOrder = value.steps.every((step, index) => step.number === index + 1 && step.text !== '');
        expect(inOrder || diagnostics.some(({ severity }) => severity === 'error')).toBe(true);
      }),
    );
  });
});
