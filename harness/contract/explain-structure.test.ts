import { expect, test } from '@jest/globals';
import { readDocument } from '../dialects/index.ts';
import { readBinding } from './binding-reader.ts';
import { compileContract } from './compile.ts';
import { explainContract } from './explain.ts';

/** The section of messages, of each arrow only its text. */
function structure(lines: readonly string[], binding = ''): readonly string[] {
  const [diagram] = readDocument(`sequenceDiagram\n${lines.join('\n')}\n`, 'drawing.mmd').value;
  if (diagram === undefined) throw new Error('nothing is drawn');
  const { value, diagnostics } = compileContract(diagram, readBinding(binding, 'drawing.bindings.yaml').value);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  const section = explainContract(value)
    .split('\n\n')
    .find((part) => part.startsWith('messages:'));
  return (section ?? '')
    .split('\n')
    .slice(1)
    .map((line) => line.slice(2).replace(/line \d+ {2}(\w+): .*?(, \w+( \w+)* times|)$/u, '$1$2'));
}

test.each([
  [
    'alternatives, the empty ones too',
    ['A->>B: a', 'alt x', 'else y', 'A->>B: b', 'else z', 'A->>B: c', 'else', 'end', 'A->>B: d'],
    '',
    ['a', 'either (alt x):', '  nothing', 'or (else y):', '  b', 'or (else z):', '  c', 'or (else):', '  nothing', 'd'],
  ],
  [
    'that none of them may be taken',
    ['alt x', 'A->>B: a', 'else y', 'A->>B: b', 'end'],
    'optional: [x]',
    ['either (alt x):', '  a', 'or (else y):', '  b', 'or none of these'],
  ],
  ['what may be left out', ['opt x', 'A->>B: a', 'end'], '', ['may be left out (opt x):', '  a']],
  ['a single alternative', ['alt x', 'A->>B: a', 'end'], '', ['may be left out (alt x):', '  a']],
  ['loops', ['loop x', 'A->>B: a', 'end'], '', ['zero or more times (loop x):', '  a']],
  ['bounds of loops', ['loop x', 'A->>B: a', 'end'], 'loops: { x: 2..3 }', ['2 to 3 times (loop x):', '  a']],
  [
    'loops that have iterations of their own for each value',
    ['loop x', 'A->>B: a', 'end'],
    'parameters: { pod: pod.name }\nloops: { x: { each: pod, times: 1+ } }',
    ['for each pod by itself, one or more times (loop x):', '  a'],
  ],
  [
    'loops beside each other',
    ['loop x', 'A->>B: a', 'end', 'loop y', 'C->>D: b', 'end'],
    'concurrent: [x, y]',
    [
      'again and again, beside the other loops (loop x):',
      '  a',
      'again and again, beside the other loops (loop y):',
      '  b',
    ],
  ],
  [
    'what has no order',
    ['par x', 'A->>B: a', 'and y', 'A->>C: b', 'end'],
    '',
    ['in any order beside each other (par x):', '  a', 'and beside that, in any order (and y):', '  b'],
  ],
  [
    'critical fragments',
    ['critical x', 'A->>B: a', 'option y', 'A->>C: b', 'end'],
    '',
    [
      'without anything between that is not part of it (critical x):',
      '  a',
      'or only a part of it, and then (option y):',
      '  b',
    ],
  ],
  [
    'what ends the rest',
    ['loop x', 'A->>B: a', 'break y', 'A->>B: b', 'end', 'end'],
    '',
    ['zero or more times (loop x):', '  a', '  may happen, and then what is around it is over (break y):', '    b'],
  ],
  [
    'fragments that end together, and others that begin where they end',
    [
      'alt x',
      'loop y',
      'opt z',
      'A->>B: a',
      'end',
      'end',
      'else w',
      'loop v',
      'A->>B: b',
      'end',
      'end',
      'opt u',
      'A->>B: c',
      'end',
    ],
    '',
    [
      'either (alt x):',
      '  zero or more times (loop y):',
      '    may be left out (opt z):',
      '      a',
      'or (else w):',
      '  zero or more times (loop v):',
      '    b',
      'may be left out (opt u):',
      '  c',
    ],
  ],
  ['nothing of frames that mean nothing', ['rect red', 'A->>B: a', 'end'], '', ['a']],
  ['how often one message may come', ['A->>B: a'], 'messages: { a: { times: 1+ } }', ['a, one or more times']],
])('an explanation shows %s', (_, lines, binding, wanted) => {
  expect(structure(lines, binding)).toEqual(wanted);
});

test('deep nesting is shown without a stack, and not indented for ever', () => {
  const lines = [...Array.from({ length: 90 }, () => 'opt x'), 'A->>B: a', ...Array.from({ length: 90 }, () => 'end')];
  const shown = structure(lines);
  expect(shown).toHaveLength(91);
  expect(shown.at(-1)).toBe(`${'  '.repeat(20)}a`);
});
