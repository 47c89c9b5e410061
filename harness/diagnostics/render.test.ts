import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { displayWidth, expandTabs, printable, renderDiagnostic, renderDiagnostics, sortDiagnostics } from './index.ts';
import type { Diagnostic } from './index.ts';

const diagnostic = (change: Partial<Diagnostic> = {}): Diagnostic => ({
  code: 'MER104',
  severity: 'error',
  message: 'message has no receiver',
  hint: 'write A->>B: x',
  file: 'a.mmd',
  line: 1,
  column: 1,
  ...change,
});

describe('a code frame points at the place', () => {
  const caretUnder = (line: string, column: number, endColumn?: number): readonly string[] => {
    const rendered = renderDiagnostic(
      diagnostic({ line: 2, column, ...(endColumn === undefined ? {} : { endColumn }) }),
      `first\n${line}\nthird`,
    ).split('\n');
    return rendered.slice(1, 3);
  };
  test.each<{ name: string; line: string; column: number; endColumn?: number; expected: string[] }>([
    { name: 'plain text', line: 'A->>B', column: 4, expected: [' 2 | A->>B', '   |    ^'] },
    { name: 'a range', line: 'A->>B', column: 2, endColumn: 5, expected: [' 2 | A->>B', '   |  ^^^'] },
    { name: 'behind a tab', line: '\tA->>B', column: 2, expected: [' 2 |     A->>B', '   |     ^'] },
    { name: 'behind a tab amid text', line: 'ab\tA', column: 4, expected: [' 2 | ab  A', '   |     ^'] },
    { name: 'behind wide characters', line: '日本->>B', column: 3, expected: [' 2 | 日本->>B', '   |     ^'] },
    { name: 'on a wide character', line: '日本', column: 2, endColumn: 3, expected: [' 2 | 日本', '   |   ^^'] },
    { name: 'behind a surrogate pair', line: '🚀->>B', column: 3, expected: [' 2 | 🚀->>B', '   |   ^'] },
    { name: 'behind an accent', line: 'e\u0301->>B', column: 3, expected: [' 2 | e\u0301->>B', '   |  ^'] },
    { name: 'behind the end of the line', line: 'A', column: 2, expected: [' 2 | A', '   |  ^'] },
    { name: 'far behind the end of the line', line: 'A', column: 99, expected: [' 2 | A', '   |  ^'] },
    { name: 'with a carriage return', line: 'A->>B\r', column: 1, expected: [' 2 | A->>B', '   | ^'] },
  ])('$name', ({ line, column, endColumn, expected }) => {
    expect(caretUnder(line, column, endColumn)).toEqual(expected);
  });

  test('of a long line only the part around the place is shown, and the caret stays under it', () => {
    const line = `${'x'.repeat(500)}Y${'z'.repeat(500)}`;
    const [text = '', caret = ''] = caretUnder(line, 501);
    expect(text.length).toBeLessThan(140);
    expect(text[caret.indexOf('^')]).toBe('Y');
    expect(text).toContain('…x');
    expect(text.endsWith('z…')).toBe(true);
  });

  test('a line that the file does not have gets no frame', () => {
    expect(renderDiagnostic(diagnostic({ line: 9 }), 'one line')).toBe(
      'a.mmd:9:1 MER104 message has no receiver\nhint: write A->>B: x',
    );
  });

  test('the caret stands under the marked character, whatever stands before it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (before) => {
        fc.pre(!/[\n\r]/.test(before));
        const [text = '', caret = ''] = caretUnder(`${before}§`, before.length + 1);
        const column = displayWidth(caret.slice(0, caret.indexOf('^')));
        expect(displayWidth(text.slice(0, text.lastIndexOf('§')))).toBe(column);
      }),
    );
  });
});

test('a warning says that it is one', () => {
  expect(renderDiagnostic(diagnostic({ severity: 'warning', hint: '' }))).toBe(
    'a.mmd:1:1 MER104 warning: message has no receiver',
  );
});

test('control characters of the author never reach the terminal', () => {
  const rendered = renderDiagnostic(
    diagnostic({ message: 'bad \u001b[32mPASS', file: 'a\u0007.mmd', hint: 'say\nno' }),
    '\u001b[2J text\u202e',
  );
  expect(rendered.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u202e]/);
  expect(rendered).toContain('bad ␛[32mPASS');
});

test('diagnostics are sorted by file, line, column, severity, code', () => {
  const sorted = sortDiagnostics([
    diagnostic({ file: 'b', line: 1 }),
    diagnostic({ file: 'a', line: 10 }),
    diagnostic({ file: 'a', line: 9, column: 2, severity: 'warning' }),
    diagnostic({ file: 'a', line: 9, column: 2 }),
    diagnostic({ file: 'a', line: 9, column: 2, code: 'MER001' }),
  ]);
  expect(sorted.map((d) => `${d.file}${d.line}:${d.column}${d.severity[0] ?? ''}${d.code}`)).toEqual([
    'a9:2eMER001',
    'a9:2eMER104',
    'a9:2wMER104',
    'a10:1eMER104',
    'b1:1eMER104',
  ]);
});

test('of many diagnostics the first twenty are printed, and how many more there are', () => {
  const many = Array.from({ length: 23 }, (_, index) => diagnostic({ line: index + 1 }));
  const rendered = renderDiagnostics(many, new Map([['a.mmd', 'A->>: x']]));
  expect(rendered.match(/MER104/g)).toHaveLength(20);
  expect(rendered.endsWith('\n\nand 3 more')).toBe(true);
  expect(rendered).toContain(' 1 | A->>: x');
  expect(renderDiagnostics([])).toBe('');
});

test('tabs go to the next multiple of four columns', () => {
  expect(expandTabs('\ta\tbc\td')).toBe('    a   bc  d');
});

test('text without control characters is printed as it is', () => {
  expect(printable('Größe → 日本 🚀')).toBe('Größe → 日本 🚀');
});

test.each([
  ['at its beginning', 1],
  ['in its middle', 5_000_000],
  ['at its end', 10_000_000],
])(
  'of a line of ten million characters, the part around a place %s is shown, and no more is looked at',
  (_, column) => {
    const line = `${'x'.repeat(column - 1)}!${'🐳'.repeat((10_000_000 - column) >> 1)}`;
    const began = performance.now();
    const [, text = '', caret = ''] = renderDiagnostic(diagnostic({ column }), line).split('\n');
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(text[caret.indexOf('^')]).toBe('!');
    expect(text.length).toBeLessThan(400);
    expect(text).not.toMatch(/^[^]*[\ud800-\udbff](?![\udc00-\udfff])/);
  },
);
