import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { compileContract, type Contract, type Order } from '../contract/index.ts';
import { readDocument } from '../dialects/index.ts';
import { arbitraryCase } from '../testing/index.ts';
import { compareContracts, pairLifelines, type CompareOptions, type Comparison } from './index.ts';

function contractOf(drawing: string, order: Order = 'lifeline'): Contract {
  const [diagram] = readDocument(drawing, 'drawing.txt').value;
  if (diagram === undefined) throw new Error(`nothing is drawn in ${drawing}`);
  return compileContract(diagram, [], { order }).value;
}

const mermaid = (...lines: string[]): string => `sequenceDiagram\n${lines.join('\n')}\n`;

function compare(a: string, b: string, options: CompareOptions & { readonly order?: Order } = {}): Comparison {
  const [first, second] = [contractOf(a, options.order), contractOf(b, options.order)];
  return compareContracts(first, second, pairLifelines(first, second).counterparts, options);
}

const outcomeOf = (comparison: Comparison): string =>
  comparison.kind === 'different' ? `${comparison.at} in ${comparison.allowedBy}` : comparison.kind;

const CALL = ['A->>B: ask', 'B->>C: look', 'C-->>B: found', 'B-->>A: answer'];

const ASCII = `
 ┌─┐          ┌─┐          ┌─┐
 │A│          │B│          │C│
 └┬┘          └┬┘          └┬┘
  │    ask     │            │
  │───────────>│            │
  │            │    look    │
  │            │───────────>│
  │            │   found    │
  │            │<─ ─ ─ ─ ─ ─│
  │   answer   │            │
  │<─ ─ ─ ─ ─ ─│            │
 ┌┴┐          ┌┴┐          ┌┴┐
 │A│          │B│          │C│
 └─┘          └─┘          └─┘
`;

const OVERTAKEN = `
 ┌─┐          ┌─┐
 │A│          │B│
 └┬┘          └┬┘
  │───┐        │
  │   │ two    │
  │───────────>│
  │   │ one    │
  │   └───────>│
`;

describe('messages that overtake each other', () => {
  const inLine = mermaid('A->>B: one', 'A->>B: two');

  test.each<Order>(['strict', 'lifeline', 'causal'])('are the same as themselves (%s)', (order) => {
    expect(compare(OVERTAKEN, OVERTAKEN, { order }).kind).toBe('same');
  });

  test.each<Order>(['strict', 'lifeline', 'causal'])('differ from those that keep their order (%s)', (order) => {
    for (const [one, other] of [
      [OVERTAKEN, inLine],
      [inLine, OVERTAKEN],
    ] as const) {
      const found = compare(one, other, { order });
      // The two ends of a message are told apart.
      expect(found.kind === 'different' ? found.trace.map(({ end }) => end) : []).toEqual([
        'send',
        expect.not.stringMatching('both'),
      ]);
    }
  });
});

describe('two drawings of the same order', () => {
  test.each([
    ['the same text', mermaid(...CALL), mermaid(...CALL)],
    ['Mermaid and Unicode art', mermaid(...CALL), ASCII],
    ['other participant names', mermaid(...CALL), mermaid(...CALL).replaceAll('A', 'Client')],
    ['texts with other case and blanks', mermaid('A->>B: Create  pod'), mermaid('A->>B: create pod')],
    [
      'branches the other way round',
      mermaid('alt x', 'A->>B: p', 'else y', 'A->>B: q', 'end'),
      mermaid('alt y', 'A->>B: q', 'else x', 'A->>B: p', 'end'),
    ],
    [
      'messages that nothing orders, swapped',
      mermaid('A->>B: p', 'C->>D: q'),
      mermaid('C->>D: q', 'participant A', 'A->>B: p'),
    ],
    [
      'a branch in common, drawn once',
      mermaid('A->>B: p', 'alt x', 'A->>B: q', 'else', 'A->>B: r', 'end'),
      mermaid('alt x', 'A->>B: p', 'A->>B: q', 'else', 'A->>B: p', 'A->>B: r', 'end'),
    ],
    [
      'critical fragments',
      mermaid('critical x', 'A->>B: p', 'B->>C: q', 'end'),
      `${mermaid('critical x', 'A->>B: p', 'B->>C: q', 'end')}Note over A: said`,
    ],
    ['an optional loop', mermaid('loop x', 'A->>B: p', 'end'), mermaid('opt x', 'loop y', 'A->>B: p', 'end', 'end')],
  ])('%s', (_, a, b) => {
    expect(compare(a, b)).toEqual({ kind: 'same' });
    expect(compare(b, a)).toEqual({ kind: 'same' });
  });

  test('a loop whose parts run apart without bound needs no search where both draw it alike', () => {
    const loop = mermaid('loop for ever', 'A->>B: p', 'C->>D: q', 'end');
    expect(compare(loop, loop, { statesMax: 3 })).toEqual({ kind: 'same' });
  });
});

describe('two drawings of different orders', () => {
  test.each([
    [
      'two messages the other way round',
      mermaid('A->>B: p', 'A->>B: q'),
      mermaid('A->>B: q', 'A->>B: p'),
      'goes-on in 0',
      1,
    ],
    ['a message missing at the end', mermaid('A->>B: p', 'A->>B: q'), mermaid('A->>B: p'), 'goes-on in 0', 2],
    ['a message missing in the middle', mermaid(...CALL), mermaid(CALL[0] ?? '', CALL[3] ?? ''), 'goes-on in 0', 2],
    [
      'one of two, against one or none',
      mermaid('A->>B: o', 'alt x', 'A->>B: p', 'else', 'A->>B: p', 'end'),
      mermaid('A->>B: o', 'opt x', 'A->>B: p', 'end'),
      'ends in 1',
      1,
    ],
    ['a loop, against once', mermaid('loop x', 'A->>B: p', 'end'), mermaid('A->>B: p'), 'ends in 0', 0],
    [
      'a loop, against at most once',
      mermaid('loop x', 'A->>B: p', 'end'),
      mermaid('opt x', 'A->>B: p', 'end'),
      'goes-on in 0',
      2,
    ],
    [
      'side by side, against in sequence',
      mermaid('par x', 'A->>B: p', 'and y', 'A->>B: q', 'end'),
      mermaid('A->>B: p', 'A->>B: q'),
      'goes-on in 0',
      1,
    ],
    ['a dashed arrow for a solid one', mermaid('A->>B: p'), mermaid('A-->>B: p'), 'goes-on in 0', 1],
    [
      'another receiver',
      mermaid('A->>B: p', 'A->>C: q'),
      mermaid('A->>B: p', 'A->>B: q', 'participant C', 'C->>A: r'),
      'goes-on in 0',
      2,
    ],
    [
      'a critical fragment with an option, against without',
      mermaid('critical x', 'A->>B: p', 'A->>B: q', 'option y', 'A->>B: r', 'end'),
      mermaid('critical x', 'A->>B: p', 'A->>B: q', 'end'),
      'goes-on in 0',
      2,
    ],
    [
      'a break, against none',
      mermaid('A->>B: p', 'break x', 'A->>B: r', 'end', 'A->>B: q'),
      mermaid('A->>B: p', 'A->>B: q'),
      'goes-on in 0',
      2,
    ],
    ['another text', mermaid('A->>B: p'), mermaid('A->>B: q'), 'goes-on in 0', 1],
  ])('%s', (_, a, b, outcome, steps) => {
    const comparison = compare(a, b);
    expect(outcomeOf(comparison)).toBe(outcome);
    if (comparison.kind === 'different') expect(comparison.trace).toHaveLength(steps);
    // Seen from the other side it is as different.
    expect(compare(b, a).kind).toBe('different');
  });

  test('the witness names the arrows of both sides, and what the stricter side wants instead', () => {
    expect(compare(mermaid(...CALL), mermaid(CALL[0] ?? '', CALL[3] ?? ''))).toEqual({
      kind: 'different',
      allowedBy: 0,
      at: 'goes-on',
      trace: [
        { end: 'both', arrows: [[0], [0]] },
        { end: 'both', arrows: [[1], []] },
      ],
      expected: [1],
    });
  });

  test('what only the ends of messages tell apart is found too: two senders to one receiver', () => {
    // At one instant each, both are ordered by the receiver. With two ends, only `strict` orders the sends.
    const drawing = mermaid('A->>C: p', 'B->>C: q');
    const [lifeline, strict] = [contractOf(drawing), contractOf(drawing, 'strict')];
    const comparison = compareContracts(lifeline, strict, [0, 1, 2]);
    expect(outcomeOf(comparison)).toBe('goes-on in 0');
    if (comparison.kind === 'different') expect(comparison.trace.map(({ end }) => end)).toEqual(['send']);
  });

  test('texts can be left out of account', () => {
    const [a, b] = [mermaid('A->>B: p', 'A->>C: q'), mermaid('A->>B: x', 'A->>C: y')];
    expect(compare(a, b).kind).toBe('different');
    expect(compare(a, b, { ignoreText: true })).toEqual({ kind: 'same' });
  });

  test('the order counts: causal leaves two sends free, lifeline does not', () => {
    const [a, b] = [mermaid('A->>B: p', 'A->>C: q'), mermaid('participant A', 'participant B', 'A->>C: q', 'A->>B: p')];
    expect(compare(a, b, { order: 'causal' })).toEqual({ kind: 'same' });
    expect(compare(a, b, { order: 'lifeline' }).kind).toBe('different');
  });
});

test('a search that meets its bound says so, and how far it came', () => {
  const [a, b] = [
    mermaid('loop x', 'A->>B: p', 'C->>D: q', 'end'),
    mermaid('loop x', 'C->>D: q', 'participant A', 'A->>B: p', 'end'),
  ];
  const comparison = compare(a, b, { statesMax: 200 });
  expect(comparison.kind).toBe('unknown');
  if (comparison.kind === 'unknown') {
    expect(comparison.bound).toBe('200 pairs of states');
    expect(comparison.depth).toBeGreaterThan(3);
  }
});

test('every contract is the same as itself, searched or not', () => {
  fc.assert(
    fc.property(arbitraryCase(), ({ contract }) => {
      const identity = contract.lifelines.map((_, index) => index);
      // A wrapping sequence keeps the meaning, and the search from being skipped.
      const wrapped: Contract = {
        ...contract,
        term: { kind: 'seq', items: [contract.term, { kind: 'seq', items: [] }] },
      };
      expect(compareContracts(contract, contract, identity)).toEqual({ kind: 'same' });
      expect(compareContracts(contract, wrapped, identity, { statesMax: 300 }).kind).not.toBe('different');
    }),
    { numRuns: 150, seed: 7 },
  );
});

describe('participants are paired', () => {
  const pairs = (a: string, b: string, renames: readonly (readonly [string, string])[] = []): unknown => {
    const { counterparts, ...rest } = pairLifelines(contractOf(a), contractOf(b), renames);
    return [counterparts, rest.byPosition, rest.alone.first, rest.alone.second, rest.unknown];
  };

  test('by name, whatever their place', () => {
    expect(pairs(mermaid('api-server->>Db: p'), mermaid('participant Db', 'ApiServer->>Db: p'))).toEqual([
      [1, 0],
      [],
      [],
      [],
      [],
    ]);
  });

  test('by position where as many are left on both sides, and that is said', () => {
    expect(pairs(mermaid('Dev->>Db: p'), mermaid('User->>Db: p'))).toEqual([[0, 1], [['Dev', 'User']], [], [], []]);
  });

  test('not at all where more are left on one side', () => {
    expect(pairs(mermaid('Dev->>Db: p', 'Dev->>X: q'), mermaid('User->>Db: p'))).toEqual([
      [null, 1, null],
      [],
      ['Dev', 'X'],
      ['User'],
      [],
    ]);
  });

  test('as told, before anything else', () => {
    expect(
      pairs(mermaid('A->>B: p'), mermaid('B->>A: p'), [
        ['A', 'B'],
        ['B', 'A'],
      ]),
    ).toEqual([[0, 1], [], [], [], []]);
  });

  test('a renaming of nobody is handed back', () => {
    expect(pairs(mermaid('A->>B: p'), mermaid('A->>B: p'), [['X', 'B']])).toEqual([[0, 1], [], [], [], [['X', 'B']]]);
  });
});
