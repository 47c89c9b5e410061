import { describe, expect, test } from '@jest/globals';
import { readDocument } from '../dialects/index.ts';
import { readBinding } from './binding-reader.ts';
import { compileContract } from './compile.ts';
import { explainContract } from './explain.ts';
import type { Order } from './types.ts';

interface Drawn {
  readonly lines: readonly string[];
  readonly binding?: string;
  readonly order?: Order;
}

/** The lines of one section of the explanation; line 2 is the first of the drawing. */
function section(title: string, { lines, binding = '', order }: Drawn): readonly string[] {
  const [diagram] = readDocument(`sequenceDiagram\n${lines.join('\n')}\n`, 'drawing.mmd').value;
  if (diagram === undefined) throw new Error('nothing is drawn');
  const { value: bindings } = readBinding(binding, 'drawing.bindings.yaml');
  const { value, diagnostics } = compileContract(diagram, bindings, order === undefined ? {} : { order });
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  const parts = explainContract(value)
    .split('\n\n')
    .map((part) => part.trimEnd().split('\n'));
  return (parts.find(([head]) => head === `${title}:`) ?? []).slice(1).map((line) => line.trim());
}

describe('neighbours that nothing orders', () => {
  const title = 'drawn one after the other, but not enforced';

  test('are named with their lines, once', () => {
    expect(section(title, { lines: ['A->>B: p', 'C->>D: q', 'A->>C: r'] })).toEqual([
      'line 2 (p) and line 3 (q): either may come first',
    ]);
  });

  test('stand beside each branch of a choice', () => {
    const lines = ['alt x', 'A->>B: p', 'else y', 'C->>B: q', 'end', 'D->>E: r'];
    expect(section(title, { lines })).toEqual([
      'line 3 (p) and line 7 (r): either may come first',
      'line 5 (q) and line 7 (r): either may come first',
    ]);
  });

  test('are at most twenty; of the others there is a count', () => {
    const lines = Array.from({ length: 26 }, (_, index) => (index % 2 === 0 ? `A->>B: p${index}` : `C->>D: q${index}`));
    const told = section(title, { lines });
    expect(told).toHaveLength(21);
    expect(told.at(-1)).toBe('and 5 more like these');
  });

  test('are none in a strict order', () => {
    expect(section(title, { lines: ['A->>B: p', 'C->>D: q'], order: 'strict' })).toEqual([]);
  });
});

describe('branches that begin alike', () => {
  const title = 'branches that begin alike';

  test('for a receiver that does not choose are told', () => {
    const lines = ['alt x', 'A->>B: go', 'B->>C: work', 'else y', 'A->>B: stop', 'B->>C: work', 'C->>A: undo', 'end'];
    expect(section(title, { lines })).toEqual([
      'line 4 and line 7: C receives the same first message in these branches, so it cannot tell from it which one was taken',
    ]);
  });

  test('for a sender that was told nothing before are told', () => {
    const lines = ['alt x', 'A->>B: p', 'C->>D: q', 'D->>A: r', 'else y', 'A->>B: s', 'C->>D: q', 'end'];
    expect(section(title, { lines })).toContain(
      'line 4 and line 8: C sends the same first message in these branches, so it cannot tell from it which one was taken',
    );
  });

  test.each([
    ['where the messages differ', ['alt x', 'A->>B: p', 'else y', 'A->>B: q', 'end']],
    ['where only one branch has the participant', ['alt x', 'A->>B: p', 'B->>C: r', 'else y', 'A->>B: q', 'end']],
    ['for the one who chooses', ['alt x', 'A->>B: p', 'B->>A: q', 'else y', 'A->>C: r', 'end']],
  ])('are none %s', (_, lines) => {
    expect(section(title, { lines })).toEqual([]);
  });
});

describe('loops in which somebody may run ahead', () => {
  const title = 'loops without a brake';

  test.each([
    [
      'a sender of whom nobody asks anything',
      ['loop x', 'A->>B: p', 'end'],
      ['loop in line 3: A may run ahead of B without bound, since nothing in it makes the one wait for the other'],
    ],
    [
      'two pairs that do not know each other',
      ['loop x', 'A->>B: p', 'B-->>A: ok', 'C->>D: q', 'D-->>C: ok', 'end'],
      ['A', 'B', 'C', 'D'].map(
        (ahead) =>
          `loop in lines 3-6: ${ahead} may run ahead of ${'AB'.includes(ahead) ? 'C and D' : 'A and B'} without bound, since nothing in it makes the one wait for the other`,
      ),
    ],
    ['nobody where each waits for an answer', ['loop x', 'A->>B: p', 'B-->>A: ok', 'end'], []],
    ['nobody in a ring', ['loop x', 'A->>B: p', 'B->>C: q', 'C->>A: r', 'end'], []],
  ])('%s', (_, lines, expected) => {
    expect(section(title, { lines })).toEqual(expected);
  });

  test('are none where the loop is bounded, or the order strict', () => {
    const lines = ['loop x', 'A->>B: p', 'end'];
    expect(section(title, { lines, binding: 'loops:\n  x: 3\n' })).toEqual([]);
    expect(section(title, { lines, order: 'strict' })).toEqual([]);
  });
});

describe('what is guessed', () => {
  test('a placeholder is named with its lines, and the line that declares it', () => {
    expect(section('guessed', { lines: ['A->>B: GET /pods/my-pod-xxx', 'A->>B: DELETE /pods/my-pod-xxx'] })).toEqual([
      'line 2 and line 3: "my-pod-xxx" is read as any value, by its looks; to say what it is, declare it: parameters: { my-pod: { example: "my-pod-xxx", from: attribute } }',
    ]);
  });

  const lines = ['A->>B: PUT /sets/{set}', 'loop make', 'B->>C: POST /pods', 'C->>D: PUT /store/{pod}', 'end'];
  const declared = 'parameters:\n  set: set.name\n  pod: { example: "{pod}", from: pod.name }\n';

  test('a loop that makes something with a name of its own is proposed for each', () => {
    expect(section('guessed', { lines, binding: `${declared}instance: set\n` })).toEqual([
      'line 4: each iteration of this loop seems to make another pod; if they need not wait for each other, say so under loops, each: pod',
    ]);
  });

  test.each([
    ['each is one instance', `${declared}instance: [set, pod]\n`],
    ['the binding says so already', `${declared}instance: set\nloops:\n  make: { each: pod }\n`],
  ])('and is not where %s', (_, binding) => {
    expect(section('guessed', { lines, binding })).toEqual([]);
  });
});
