import { describe, expect, test } from '@jest/globals';
import { looksLikeAscii } from './index.ts';
import { arrows, read, said } from './what-is-read.ts';

/** One box on the left, three stacked on the right, labels in the shafts. */
const STACKED = `
   +--------+                          +----------+
   |        |--(1)- may I? ----------->|   Door   |
   |        |                          |  Keeper  |
   |        |<-(2)-- here is a key ----|          |
   |        |                          +----------+
   | Guest  |
   |        |                          +----------+
   |        |--(3)-- key ------------->|          |
   |        |       & name             |   Desk   |
   |        |<-(4)-- welcome ----------|          |
   +--------+                          +----------+
`;

/** A box that ends early, another that arrows pass under, labels above their arrows and below them. */
const EARLY = `
┌───────┐            ┌───────┐           ┌───────┐
│  CLI  │─── start ─▶│ Host  │           │ Board │
│       │◀── port ───│       │           │       │
│       │            └───────┘           │       │
│       │          spans?                │       │
│       │╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌▶│       │
│       │                                │       │
│       │◀──────────── spans ────────────│       │
│       │            { json }            │       │
└───────┘                                └───────┘
`;

describe('participants drawn as tall boxes', () => {
  test('may stand one below the other, with labels in the shafts', () => {
    expect(arrows(STACKED)).toEqual([
      'Guest -> Door Keeper: (1) may I?',
      'Door Keeper -> Guest: (2) here is a key',
      'Guest -> Desk: (3) key / & name',
      'Desk -> Guest: (4) welcome',
    ]);
    expect(said(STACKED)).toEqual(['ASC122 10:21']);
    expect(read(STACKED).value.participants.map(({ label }) => label)).toEqual(['Guest', 'Door Keeper', 'Desk']);
  });

  test('may end early, so that arrows pass under them', () => {
    expect(arrows(EARLY)).toEqual([
      'CLI -> Host: start',
      'Host -> CLI: port',
      'CLI --> Board: spans?',
      'Board -> CLI: spans / { json }',
    ]);
    expect(said(EARLY)).toEqual(['ASC122 10:22']);
  });

  test('have notes below their names', () => {
    const text = STACKED.replace('|        |       & name  ', '| (lost) |       & name  ');
    expect(read(text).value.notes).toMatchObject([{ text: '(lost)', participants: ['Guest'] }]);
    expect(arrows(text)).toEqual(arrows(STACKED));
    expect(said(text)).toContain('ASC143 10:6');
  });

  test('are known as drawings in a document', () => {
    expect(looksLikeAscii(STACKED)).toBe(true);
    expect(looksLikeAscii(EARLY)).toBe(true);
  });
});

describe('boxes with arrows between them that are no sequence', () => {
  const CONNECTED = `
+--------+        +--------+
|        |------->| Store  |
|  Web   |        +--------+
|        |        +--------+
|        |------->| Queue  |
+--------+        +--------+
`;

  test('are not taken for one in a document: nobody answers, or nothing is said', () => {
    expect(looksLikeAscii(CONNECTED)).toBe(false);
    expect(looksLikeAscii(STACKED.replace('(4)-- welcome', '-------------'))).toBe(false);
  });

  test('are heads where lifelines go down from them', () => {
    const heads = `
┌──────┐ ask ┌──────┐
│ User │────>│ Shop │
│      │<────│      │
└──────┘     └──────┘
   │            │
   │ 1. pay     │
   │───────────>│
   │            │
`;
    expect(arrows(heads)).toEqual(['User -> Shop: 1. pay']);
  });
});

describe('a drawing with tall boxes is refused', () => {
  interface Refusal {
    readonly why: string;
    readonly text: string;
    readonly at: string;
  }
  const REFUSALS: readonly Refusal[] = [
    {
      why: 'where a box was cut',
      text: STACKED.trimEnd().split('\n').slice(0, -1).join('\n'),
      at: 'ASC134 11:4',
    },
    {
      why: 'where an arrow has no head',
      text: STACKED.replace('--(3)-- key ------------->', '--(3)-- key --------------'),
      at: 'ASC110 9:14',
    },
    {
      why: 'where an arrow does not reach its box',
      text: STACKED.replace('--(3)-- key ------------->', '--(3)-- key --------->    '),
      at: 'ASC112 9:14',
    },
    {
      why: 'where a box has no name',
      text: STACKED.replace('   Desk   ', '          '),
      at: 'ASC106 8:40',
    },
    {
      why: 'where two boxes have one name',
      text: STACKED.replace('   Door   ', '          ').replace('  Keeper  ', '   Desk   '),
      at: 'ASC105 10:44',
    },
    {
      why: 'where an arrow points down',
      text: `${STACKED}      |\n      v\n   +--------+\n   |  Log   |\n   +--------+\n`,
      at: 'ASC121 13:7',
    },
  ];

  test('where no box has a name: told once a box, and not once an arrow', () => {
    const nameless = `
+-----+     +-----+
|     |---->|     |
|     |<----|     |
+-----+     +-----+
`;
    expect(said(nameless)).toEqual(['ASC106 2:1', 'ASC106 2:13']);
  });

  test.each(REFUSALS)('$why', ({ text, at }) => {
    expect(said(text)).toContain(at);
    expect(read(text).diagnostics.some(({ severity }) => severity === 'error')).toBe(true);
  });
});
