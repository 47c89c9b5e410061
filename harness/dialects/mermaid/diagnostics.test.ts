import { describe, expect, test } from '@jest/globals';
import { wholeFile } from '../../diagram/index.ts';
import { readMermaid } from './index.ts';

const diagnose = (text: string): readonly string[] =>
  readMermaid(text, wholeFile('d.mmd', 'd')).diagnostics.map(
    ({ line, column, code, severity, message }) => `${line}:${column} ${severity} ${code} ${message}`,
  );

/** Text below the header, and what it must be told: all of it, from top to bottom. Line 1 is the header. */
const ERRORS: readonly (readonly [text: string, ...told: string[]])[] = [
  ['A->>B: x\nsequenceDiagram', '3:1 error MER101 a second sequenceDiagram begins inside the first'],
  ['A->>B: a text\n  that goes on', '3:3 error MER102 this is no statement of a sequence diagram: "that goes on"'],
  ['A=>B: x', '2:2 error MER103 Mermaid has no arrow "=>"'],
  ['A->>>B: x', '2:2 error MER103 Mermaid has no arrow "->>>"'],
  ['A--->>B: x', '2:2 error MER103 Mermaid has no arrow "--->>"'],
  ['A<-B: x', '2:2 error MER103 Mermaid has no arrow "<-"'],
  ['A ~> B: x', '2:3 error MER103 Mermaid has no arrow "~>"'],
  ['A->>-xAlice: x', '2:5 error MER103 "-x" is read as a second arrow'],
  ['  Scheduler->>: bind Pod', '2:3 error MER104 message has no receiver: "Scheduler->>: bind Pod"'],
  ['->>B: x', '2:1 error MER105 message has no sender: "->>B: x"'],
  ['A->>B', '2:1 error MER106 message has no text: "A->>B"'],
  [
    'A->>B: x\n  loop day\n  alt y\nA->>B: x',
    '3:3 error MER107 this loop is never closed',
    '4:3 error MER107 this alt is never closed',
  ],
  ['alt a\nA->>B: x\nend alt', '4:5 error MER107 this alt is never closed'],
  ['A->>B: x\nend', '3:1 error MER108 "end" closes nothing: no block is open here'],
  ['else y', '2:1 error MER109 "else" belongs directly into an alt, but here no block is open'],
  ['loop z\nand y\nend', '3:1 error MER109 "and" belongs directly into a par, but here the open block is a loop'],
  ['opt z\nend->>B: x\nend', '3:1 error MER110 "end" is a keyword at the start of a name'],
  ['B->>loop: x', '2:5 error MER110 "loop" is a keyword at the start of a name'],
  ['activate->>B: x', '2:1 error MER110 "activate" is a keyword at the start of a name'],
  ['note->>B: x', '2:1 error MER110 "note" is a keyword at the start of a name'],
  ['autonumber->>B: x', '2:1 error MER110 "autonumber" is a keyword at the start of a name'],
  ['participant A,B', `2:14 error MER111 a participant's name cannot hold ",": "A,B"`],
  ['A->>/etc: x', '2:5 error MER111 a name in a message cannot hold "/" there'],
  ['C++->>B: x', '2:2 error MER111 a name in a message cannot hold "+" there'],
  ['1 ->> 2: x', '2:1 error MER111 a name in a message cannot begin with a number and a blank'],
  ['A:B->>C: x', '2:2 error MER111 a name in a message cannot hold ":" there'],
  ['participant', '2:1 error MER112 "participant" names no participant'],
  ['A->>B->>C: x', '2:6 error MER113 one message has one arrow; "->>" after "B" is a second one'],
  ['box Aqua\nparticipant A\nA->>B: x\nend', '4:1 error MER114 a box holds declarations of participants only'],
  [
    'create participant C\nA->>B: x',
    '3:1 error MER115 the first message after "create C" (line 2) must be a message to it',
  ],
  [
    'destroy B\nA->>C: x',
    '3:1 error MER115 the first message after "destroy B" (line 2) must be a message from or to it',
  ],
  ['A->>B: x\ncreate participant A\nB->>A: x', '3:20 error MER116 "A" exists already and cannot be created'],
  ['note over A,B,C: x', '2:14 error MER117 a note stands over at most two participants'],
  ['note left A: x', '2:1 error MER117 this note cannot be read: "note left A: x"'],
  ['autonumber foo', '2:1 error MER118 autonumber takes a start and a step, or "off": "autonumber foo"'],
  ['participant A@{ "type: 1 }', '2:16 error MER119 the settings of "A" cannot be read: Missing closing "quote'],
  ['A->>B: x; then more', '2:11 error MER120 ";" ends a statement, and this is no new one: "then more"'],
  ['box X\nparticipant A\nend\nbox Y\nparticipant A\nend', '6:13 error MER121 "A" stands in two boxes'],
  ['A->>B: x\ndeactivate B', '3:1 error MER122 "B" has no open activation to end here'],
];

describe('what Mermaid refuses is told in the author’s words, at its place', () => {
  test.each(ERRORS)('%j', (text, ...told) => {
    expect(diagnose(`sequenceDiagram\n${text}\n`)).toEqual(told);
  });
});

test('a text without the header is told so', () => {
  expect(diagnose('graph TD\nA-->B')).toEqual([
    '1:1 error MER101 a sequence diagram begins with "sequenceDiagram", not with "graph"',
  ]);
  expect(diagnose('')).toEqual(['1:1 error MER101 there is no diagram here']);
});

test('front matter that is no YAML is told at its place', () => {
  expect(diagnose('---\ntitle: [a\n---\nsequenceDiagram\nA->>B: x')[0]).toMatch(/^2:10 error MER123 the front matter/);
});

test('all errors of a text come at once, and what is right beside them is read', () => {
  const { value, diagnostics } = readMermaid(
    'sequenceDiagram\nA->>: x\nA->>B: kept\nelse\nloop z\nB=>A: y\nparticipant\nC->>A: kept too\nend\nend',
    wholeFile('d.mmd', 'd'),
  );
  expect(diagnostics.map(({ line, code }) => `${line} ${code}`)).toEqual([
    '2 MER104',
    '4 MER109',
    '6 MER103',
    '7 MER112',
    '10 MER108',
  ]);
  expect(value.messages.map(({ text }) => text)).toEqual(['kept', 'kept too']);
});

test('places are those of the original text below front matter, directives and comments, with any line ends', () => {
  const text = [
    '---',
    'title: Named above',
    '---',
    '%%{init: {',
    '  "theme": "dark" }}%%',
    '%% a comment',
    'sequenceDiagram',
    '  %% another',
    '',
    '  A->>B: x',
    '  A->>B: y %%{wrap}%% z',
    '\tA->>: no receiver',
  ];
  for (const end of ['\n', '\r\n', '\r']) {
    const { value, diagnostics } = readMermaid(text.join(end), wholeFile('d.mmd', 'd'));
    expect(value.title).toBe('Named above');
    expect(value.messages.map(({ at }) => at)).toEqual([
      { line: 10, column: 3 },
      { line: 11, column: 3 },
    ]);
    expect(diagnostics.map(({ line, column, code }) => [line, column, code])).toEqual([[12, 2, 'MER104']]);
  }
});

test('a text of nothing but errors is not read to its end, and says so', () => {
  const told = diagnose(`sequenceDiagram\n${'no statement\n'.repeat(10_000)}`);
  expect(told).toHaveLength(201);
  expect(told.at(-1)).toMatch(/^202:1 error MER124 so many errors are above/);
});

test('blocks nested too deeply end the reading, and only that is told', () => {
  const told = diagnose(`sequenceDiagram\n${'opt z\n'.repeat(20_002)}A->>: x`);
  expect(told).toEqual(['20002:1 error MER125 blocks are nested 20000 deep here, and this text is not read on']);
});

test('places go through the source: a fence in a list shifts them', () => {
  const shifted = {
    file: 'doc.md',
    name: 'd',
    place: (line: number, column: number) => ({ line: line + 40, column: column + 4 }),
  };
  const { value, diagnostics } = readMermaid('sequenceDiagram\nA->>B: x\nA->>B', shifted);
  expect(value.messages[0]?.at).toEqual({ line: 42, column: 5 });
  expect(diagnostics[0]).toMatchObject({ file: 'doc.md', line: 43, column: 5, endColumn: 10 });
});
