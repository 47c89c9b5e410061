import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hasErrors } from '../../diagnostics/index.ts';
import { describeDifference, type Diagram } from '../../diagram/index.ts';
import { linesOf, partsOfMarkdown } from './markdown.ts';
import { DOCUMENT_LENGTH_MAX, readDocument } from '../index.ts';

const spec = (file: string): string => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');

/** Name and dialect of every diagram, and how many messages or steps it has. */
const summary = (text: string, file: string): readonly string[] =>
  readDocument(text, file).value.map(
    ({ name, dialect, messages, steps }) => `${name}: ${dialect}, ${messages.length + steps.length}`,
  );

const told = (text: string, file: string): readonly string[] =>
  readDocument(text, file).diagnostics.map(({ line, column, code }) => `${line}:${column} ${code}`);

const SEQUENCE = 'sequenceDiagram\nA->>B: x';

describe('the seed documents', () => {
  const COLLECTION = 'specs/k8s-diagram-collection/diagrams.md';
  const CREATE_POD = 'specs/create-pod/diagram.txt';
  const SCHEDULING = 'specs/pod-scheduling/steps.md';

  test('the collection holds two diagrams without fences, named by the lines above them', () => {
    expect(summary(spec(COLLECTION), COLLECTION)).toEqual([
      'k8s-event-seq-complicate.md: mermaid, 33',
      'k8s-events-seq-simple.md: mermaid, 16',
    ]);
    const [complicated, simple] = readDocument(spec(COLLECTION), COLLECTION).value;
    expect(complicated?.messages.at(-1)?.at).toEqual({ line: 64, column: 8 });
    expect(simple?.messages[0]?.at).toEqual({ line: 77, column: 5 });
    expect(simple?.file).toBe(COLLECTION);
  });

  test('the text drawing is one diagram called after its file', () => {
    expect(summary(spec(CREATE_POD), CREATE_POD)).toEqual(['diagram.txt: ascii, 16']);
  });

  test('the prose is twelve steps', () => {
    expect(summary(spec(SCHEDULING), SCHEDULING)).toEqual(['steps.md: steps, 12']);
  });

  test('the text drawing and the simple diagram have the same 16 messages, apart from names and texts', () => {
    const [drawn] = readDocument(spec(CREATE_POD), CREATE_POD).value;
    const simple = readDocument(spec(COLLECTION), COLLECTION).value[1];
    expect(describeDifference(drawn!, simple!)).toEqual([]);
    expect([drawn?.messages.length, simple?.messages.length]).toEqual([16, 16]);
  });

  test('the two diagrams of the collection differ, and the difference is placed', () => {
    const [complicated, simple] = readDocument(spec(COLLECTION), COLLECTION).value;
    expect(describeDifference(complicated!, simple!)[0]).toMatch(/diagrams\.md:\d+:\d+ and .*diagrams\.md:\d+:\d+: /);
  });

  test('all of them are read without an error', () => {
    for (const file of [COLLECTION, CREATE_POD, SCHEDULING]) {
      expect(hasErrors(readDocument(spec(file), file).diagnostics)).toBe(false);
    }
  });
});

const fence = (body: string, info = 'mermaid', mark = '```'): string => `${mark}${info}\n${body}\n${mark}\n`;

describe('diagrams in a Markdown document', () => {
  const DRAWN = [
    '+---+     +---+',
    '| A |     | B |',
    '+---+     +---+',
    '  |         |',
    '  |--hello->|',
    '  |         |',
  ].join('\n');

  test.each([
    ['a fence', fence(SEQUENCE), ['d.md: mermaid, 1']],
    ['a fence of tildes', fence(SEQUENCE, 'mermaid', '~~~~'), ['d.md: mermaid, 1']],
    ['a fence that is never closed', '```mermaid\nsequenceDiagram\nA->>B: x', ['d.md: mermaid, 1']],
    ['a fence under a heading', `# Over\n\n${fence(SEQUENCE)}`, ['Over: mermaid, 1']],
    ['a fence under an underlined heading', `Over *all*\n===\n\n${fence(SEQUENCE)}`, ['Over all: mermaid, 1']],
    [
      'several under one heading',
      `## H\n${fence(SEQUENCE)}\n${fence(SEQUENCE)}\n## K\n${fence(SEQUENCE)}`,
      ['H: mermaid, 1', 'H (2): mermaid, 1', 'K: mermaid, 1'],
    ],
    [
      'two headings of one text',
      `# H\n${fence(SEQUENCE)}# H\n${fence(SEQUENCE)}`,
      ['H: mermaid, 1', 'H (2): mermaid, 1'],
    ],
    ['a fence under a file name', `# H\n\nflow.mmd\n\n${fence(SEQUENCE)}`, ['flow.mmd: mermaid, 1']],
    ['a plain fence with a drawing', `# H\n${fence(DRAWN, '')}`, ['H: ascii, 1']],
    ['a fence of another language beside it', `${fence('let a;', 'js')}${fence(SEQUENCE)}`, ['d.md: mermaid, 1']],
    ['a flow chart beside it', `${fence('graph TD\nA-->B')}${fence(SEQUENCE)}`, ['d.md: mermaid, 1']],
    ['front matter that is no heading', `---\ntitle: x\n---\n\n${fence(SEQUENCE)}`, ['d.md: mermaid, 1']],
    ['no fence, up to a heading', `a.md\n${SEQUENCE}\n\nA->>B: y\n# Next\nprose`, ['a.md: mermaid, 2']],
    ['no fence, up to a fence', `${SEQUENCE}\n${fence(SEQUENCE)}`, ['d.md: mermaid, 1', 'd.md (2): mermaid, 1']],
    ['no fence, one after the other', `${SEQUENCE}\n${SEQUENCE}`, ['d.md: mermaid, 1', 'd.md (2): mermaid, 1']],
    [
      'sequenceDiagram shown in a fence of another kind',
      `${fence(SEQUENCE, 'yaml')}${fence(SEQUENCE)}`,
      ['d.md: mermaid, 1'],
    ],
  ])('%s', (_, text, expected) => {
    expect(summary(text, 'docs/d.md')).toEqual(expected);
    expect(told(text, 'docs/d.md')).toEqual([]);
  });

  test.each([
    ['Azure DevOps', `# H\n\n::: mermaid\n${SEQUENCE}\n:::\n\nprose\n`],
    ['Azure DevOps, glued', `# H\n\n:::mermaid\n${SEQUENCE}\n:::\n`],
    ['Hugo', `# H\n\n{{< mermaid >}}\n${SEQUENCE}\n{{< /mermaid >}}\n\nprose\n`],
    ['Hugo, with parameters', `# H\n\n{{<mermaid align="left">}}\n${SEQUENCE}\n{{</mermaid>}}\n`],
    ['Hugo, with Markdown inside', `# H\n\n{{% mermaid %}}\n${SEQUENCE}\n{{% /mermaid %}}\n`],
  ])('a block of %s is a fence', (_, text) => {
    expect(summary(text, 'd.md')).toEqual(['H: mermaid, 1']);
    expect(told(text, 'd.md')).toEqual([]);
    expect(readDocument(text, 'd.md').value[0]?.messages[0]?.at).toEqual({ line: 5, column: 1 });
  });

  test('a block that is shown in a fence, or never closed, is none', () => {
    const shown = `\`\`\`text\n:::mermaid\n${SEQUENCE}\n:::\n\`\`\`\n${fence(SEQUENCE)}`;
    expect(summary(shown, 'd.md')).toEqual(['d.md: mermaid, 1']);
    expect(summary(`:::mermaid\n${SEQUENCE}\n`, 'd.md')).toEqual(['d.md: mermaid, 1']);
    expect(summary(`${fence(SEQUENCE)}\n:::mermaid\ngraph TD\nA-->B\n:::\n`, 'd.md')).toEqual(['d.md: mermaid, 1']);
  });

  test.each([
    ['at the margin', '```mermaid\nsequenceDiagram\n  A->>B: x\n```', '3:3'],
    ['in a list', '- item\n\n  ```mermaid\n  sequenceDiagram\n    A->>B: x\n  ```', '5:5'],
    ['on the line of the list mark', '1. ```mermaid\n   sequenceDiagram\n     A->>B: x\n   ```', '3:6'],
    ['in a quote', '> ```mermaid\n> sequenceDiagram\n> A->>B: x\n> ```', '3:3'],
    ['in a quote in a list', '- > ```mermaid\n  > sequenceDiagram\n  >   A->>B: x\n  > ```', '3:7'],
    ['indented itself', '  ```mermaid\n  sequenceDiagram\nA->>B: x\n  ```', '3:1'],
    ['with CRLF', '# H\r\n\r\n```mermaid\r\nsequenceDiagram\r\n\tA->>B: x\r\n```\r\n', '5:2'],
  ])('a message in a fence %s has its place in the document', (_, text, place) => {
    const [diagram] = readDocument(text, 'd.md').value;
    expect(diagram?.messages.map(({ at }) => `${at.line}:${at.column}`)).toEqual([place]);
  });

  test('errors in any of them have their place in the document, and the others are read', () => {
    const text = `# One\n\n> ${fence('sequenceDiagram\nA->>: x').trimEnd().replaceAll('\n', '\n> ')}\n\n# Two\n\n${SEQUENCE}\nA->>B\n`;
    expect(told(text, 'd.md')).toEqual(['5:3 MER104', '12:1 MER106']);
    expect(summary(text, 'd.md')).toEqual(['One: mermaid, 0', 'Two: mermaid, 1']);
  });
});

describe('files of other kinds', () => {
  test.each([
    ['a.mmd', SEQUENCE, ['a.mmd: mermaid, 1']],
    ['dir/a.MERMAID', SEQUENCE, ['a.MERMAID: mermaid, 1']],
    ['a.txt', SEQUENCE, ['a.txt: mermaid, 1']],
    ['a.txt', '1. First a thing.\n2. Then another.\n3. Then the last.\n', ['a.txt: steps, 3']],
  ])('%s', (file, text, expected) => {
    expect(summary(text, file)).toEqual(expected);
  });

  test.each([
    ['DOC101', 'd.md', 'Just prose.\n'],
    ['DOC101', 'd.txt', 'Just prose.\n'],
    ['DOC101', 'd.txt', ''],
    ['DOC102', 'd.md', ' '.repeat(DOCUMENT_LENGTH_MAX + 1)],
    ['DOC103', 'd.puml', '@startuml\nA -> B\n@enduml\n'],
  ])('%s: %s without a diagram that can be read is an error with a hint', (code, file, text) => {
    const { value, diagnostics } = readDocument(text, file);
    expect(value).toEqual([]);
    expect(diagnostics).toMatchObject([{ code, severity: 'error', file, line: 1, column: 1 }]);
    expect(diagnostics[0]?.hint).not.toBe('');
  });

  const LADDER = [
    '   Client          Gateway           Orders',
    '     ---- POST /orders --->',
    '                           ---- create ---->',
    '     <------- 201 ---------',
  ].join('\n');
  const WORDED = '// User -> Gateway: POST /orders\n// Gateway -> Orders: create\n';
  test.each([
    ['a ladder of three columns', 'd.txt', LADDER, 'lifelines: draw |'],
    ['a ladder in a fence', 'd.md', `\`\`\`\n${LADDER}\n\`\`\`\n`, 'lifelines: draw |'],
    ['arrows in words', 'd.txt', WORDED, 'A->>B: x'],
    ['prose with a dash', 'd.md', 'Just prose - of some: kind.\n\n---\n\nMore --- prose.\n', 'draw one in'],
  ])('%s is told what it lacks', (_, file, text, part) => {
    const [{ code, hint } = {}] = readDocument(text, file).diagnostics;
    expect(code).toBe('DOC101');
    expect(hint).toContain(part);
  });
});

describe('drawings in comments and in pages', () => {
  const ROWS = ['Client       Server', '  |            |', '  |-- hello -->|', '  |<-- hi -----|', '  |            |'];
  const commented = (sign: string): string => ROWS.map((row) => `${sign} ${row}`).join('\n');

  test.each([
    ['//', `package main\n\n// Handshake says:\n\n${commented('//')}\nfunc Handshake() {}\n`, '7:10'],
    ['*', `/**\n * Says hello.\n */\n/*\n${commented(' *')}\n */\nint main() { return 0; }`, '7:10'],
    ['#', `import os\n\n${commented('#')}\ndef shake():\n    pass`, '5:9'],
    ['--', `select 1;\n${commented('--')}\nselect 2;`, '4:10'],
  ])('behind %s in a source file', (_, text, place) => {
    expect(told(text, 'source.go')).toEqual([]);
    const [diagram] = readDocument(text, 'source.go').value;
    expect(diagram?.messages.map(({ text: label }) => label)).toEqual(['hello', 'hi']);
    expect(diagram?.messages.map(({ at }) => `${at.line}:${at.column}`)[0]).toBe(place);
  });

  test('two of them in one file have a name each, and code between them is none', () => {
    const text = `${commented('//')}\nfunc a() { return 1 - -> 2 }\n${commented('//')}\n`;
    expect(summary(text, 'a.go')).toEqual(['a.go: ascii, 2', 'a.go (2): ascii, 2']);
  });

  test('what is wrong in one is told at its place in the file', () => {
    const text = `int x;\n${commented('//').replace('-- hello -->', '-- hello -- ')}\nint y;\n`;
    expect(told(text, 'a.c')).toContain('4:7 ASC110');
  });

  test('comments and code without a drawing are none', () => {
    expect(told('// a --> b\n// | x | y |\n// | 1 | 2 |\n// | 3 | 4 |\nint x;\n', 'a.c')).toEqual(['1:1 DOC101']);
  });

  const pages = (gap: string): string =>
    ['   It goes as follows.', '', ...ROWS.slice(0, 3), '  |            |', '', '', '']
      .map((row) => `     ${row}`)
      .concat(
        'Doe              Standards Track           [Page 12]',
        gap,
        'RFC 9999            A Protocol           June 2020',
        '',
        '',
      )
      .concat(ROWS.slice(3).map((row) => `     ${row}`))
      .join('\n');

  test.each([
    ['a form feed', '\f'],
    ['a blank line', ''],
  ])('over a page break with %s', (_, gap) => {
    const { value, diagnostics } = readDocument(pages(gap), 'rfc.txt');
    expect(value[0]?.messages.map(({ text }) => text)).toEqual(['hello', 'hi']);
    expect(hasErrors(diagnostics)).toBe(false);
  });

  test('an arrow that a page break has cut is told at its place', () => {
    expect(told(pages('').replace('<-- hi -----|', ' -- hi -----|'), 'rfc.txt')).toContain('15:10 ASC110');
  });
});

describe('an error page of PlantUML', () => {
  const PAGE = '[From a.puml (line 3) ]\n\n@startuml\nA -> B : m\npart\n^^^^^\n Syntax Error?\n';

  test('is called one in a file and in a fence for drawings, and is none of our business elsewhere', () => {
    expect(told(PAGE, 'a.utxt')).toEqual(['1:1 ASC102']);
    expect(told(fence(PAGE, 'ascii'), 'd.md')).toEqual(['2:1 ASC102']);
    expect(told(`${fence(PAGE, 'text')}\n${fence(SEQUENCE)}`, 'd.md')).toEqual([]);
  });
});

test.each([
  ['a table of Markdown', '| App | Shop |\n|-----|------|\n| 1   | 2    |\n|-----|------|\n| 3   | 4    |'],
  [
    'a table with names over it',
    ' App  Shop  Bank\n|----|-----|----|\n| 1  | 2   | 3  |\n|----|-----|----|\n| 1  | 2   | 3  |',
  ],
  ['a tree', 'root\n|-- a\n|   |-- b\n|   |-- c\n|-- d'],
])('%s is no drawing without heads', (_, text) => {
  expect(told(`${fence(text, '')}\n${fence(SEQUENCE)}`, 'd.md')).toEqual([]);
});

describe('fences that are not read', () => {
  const NAMED = [' App      Shop', '  |         |', '  |  hi --> |', '  | <-- yo  |', '  |         |'].join('\n');
  const NAMELESS = ['  |         |', '  |-------->|', '  |         |', '  |<--------|'].join('\n');
  const HEADLESS = [
    '  App       Shop     Bank',
    '  |-- buy --|        |',
    '  |         |--------|',
    '  |         |        |',
  ].join('\n');
  const HALF = ['  A         B', '  |         |', '  |----     |', '  |         |', '  |-------->|'].join('\n');

  test.each([
    ['a misspelt header', fence('sequenceDiagrm\nA->>B: x'), '1:1 DOC108', 'error'],
    ['no header at all', fence('A->>B: x\nB-->>A: y'), '1:1 DOC108', 'error'],
    ['no kind of diagram', fence('sankey-gamma\na,b,1'), '1:1 DOC108', 'warning'],
    ['an empty Mermaid fence', fence(''), '1:1 DOC108', 'warning'],
    ['PlantUML source', `# H\n\n${fence('@startuml\nA -> B : x\n@enduml', 'plantuml')}`, '3:1 DOC107', 'warning'],
    ['another tool', fence('Alice->Bob: Hello', 'sequence'), '1:1 DOC107', 'warning'],
    ['a cat', fence(' /\\_/\\\n( o.o )', 'ascii'), '1:1 DOC109', 'info'],
    ['arrows that touch no line', fence(NAMED, ''), '5:5 ASC126', 'error'],
    ['lines without names', `# H\n\n${fence(NAMELESS, 'text')}`, '4:3 ASC103', 'error'],
    ['a shaft without a head', fence(HALF, ''), '4:4 ASC112', 'error'],
    ['arrows without heads', `# H\n\n${fence(HEADLESS, 'text')}`, '3:1 DOC110', 'warning'],
    ['lines without names that are called a diagram', fence(NAMELESS, 'diagram'), '2:3 ASC103', 'error'],
  ])('%s is told at its place, beside a diagram that is read', (_, text, expected, severity) => {
    const both = `${text}\n${fence(SEQUENCE)}`;
    expect(told(both, 'd.md')).toContain(expected);
    const { value, diagnostics } = readDocument(both, 'd.md');
    const found = diagnostics.find(({ line, column, code }) => `${line}:${column} ${code}` === expected);
    expect(found?.severity).toBe(severity);
    expect(found?.hint).not.toBe('');
    expect(value.at(-1)?.messages).toHaveLength(1);
    expect(told(text, 'd.md')).toContain(expected);
  });

  test.each([
    ['a tree', 'src/\n|-- a\n|   |-- b --> c\n|-- d'],
    ['a table', '| a --> b | c --> d |\n|---------|---------|\n| 1 --> 2 | 3 --> 4 |'],
    [
      'boxes',
      '+---+    +---+\n| A |--->| B |\n+---+    +---+\n           |\n+---+    +---+\n| D |<---| C |\n+---+    +---+',
    ],
    [
      'a flow chart',
      '+---+    +---+\n| A |--->| B |\n+---+    +---+\n  |        |\n  v        v\n+---+    +---+\n| C |--->| D |\n+---+    +---+',
    ],
    ['a log', '10:00 | get  | --> 200\n10:01 | put  | --> 201\n10:02 | post | --> 500'],
    ['a console', '$ curl http://x\n> GET / HTTP/1.1\n< HTTP/1.1 200 OK'],
    ['code', 'if (a) {\n  b = c => d; // |--->|\n}'],
    ['a class diagram', 'class A\nA <|-- B'],
    ['a diff', '- a --> b\n+ a ---> b\n| c\n| d'],
  ])('%s in a plain fence is passed over', (_, text) => {
    for (const info of ['', 'text', 'js', 'console', 'plain'])
      expect(told(`${fence(text, info)}\n${fence(SEQUENCE)}`, 'd.md')).toEqual([]);
  });

  test('a flow chart beside a sequence is passed over', () => {
    expect(
      told(`${fence('graph TD\nA-->B')}\n${fence('@startuml\nclass A\n@enduml', 'puml')}\n${fence(SEQUENCE)}`, 'd.md'),
    ).toEqual([]);
  });
});

test.each([
  ['d.md', '```mermaid\ngraph TD\nA-->B\n```\n', 'graph'],
  ['d.md', '# H\n\n:::mermaid\npie title x\n:::\n', 'pie'],
  ['d.mmd', '---\ntitle: T\n---\n%% c\nflowchart LR\nA-->B\n', 'flowchart'],
  ['d.txt', 'stateDiagram-v2\n[*] --> A\n', 'stateDiagram-v2'],
])('%s: another kind of diagram is no error', (file, text, kind) => {
  const { value, diagnostics } = readDocument(text, file);
  expect(value).toEqual([]);
  expect(diagnostics).toMatchObject([{ code: 'DOC106', severity: 'info' }]);
  expect(diagnostics[0]?.message).toContain(kind);
});

describe('hostile documents', () => {
  test('no text makes the front door throw', () => {
    const pieces = fc.constantFrom(
      '```',
      '```mermaid\n',
      '~~~',
      '\n',
      '> ',
      '- ',
      '1. ',
      '    ',
      '\t',
      '# ',
      'a.md\n',
      `${SEQUENCE}\n`,
      '---\n',
      '===\n',
      '|',
      '+--+',
      '->',
      '<div>\n',
      '\u0000',
      '\ufeff',
      '\r',
    );
    const text = fc
      .array(fc.oneof(pieces, fc.string({ maxLength: 5 })), { maxLength: 40 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.constantFrom('d.md', 'd.txt', 'd.mmd', 'd'), (given, file) => {
        const { value, diagnostics } = readDocument(given, file);
        expect(value.length + diagnostics.length).toBeGreaterThan(0);
        expect(value.every((diagram: Diagram) => diagram.file === file)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('deep nesting is refused at its line, a row of dashes is not', () => {
    expect(told(`# H\n${'>'.repeat(5_000)} \`\`\`mermaid\n`, 'd.md')).toEqual(['2:1 DOC104']);
    expect(told(`\n\n${'- '.repeat(5_000)}x`, 'd.md')).toEqual(['3:1 DOC104']);
    expect(told(`${'- '.repeat(5_000)}\n\n${fence(SEQUENCE)}`, 'd.md')).toEqual([]);
  });

  test('a stretch of Markdown that would take minutes is refused at its line', () => {
    expect(told(`# H\n\n${'a line\n'.repeat(50_000)}\`\`\`\n`, 'd.md')).toEqual(['1:1 DOC105']);
  });

  test('prose without a fence costs nothing, however long', () => {
    expect(summary(`${'a line\n'.repeat(500_000)}\n${fence(SEQUENCE)}`, 'd.md')).toEqual(['d.md: mermaid, 1']);
  });

  test('the thousandth fence under a heading has its own name', () => {
    const many = readDocument(`# H\n${fence(SEQUENCE).repeat(1_000)}`, 'd.md');
    expect(many.value.at(-1)?.name).toBe('H (1000)');
  });
});

/** Pieces that begin, end or only seem to begin what a fence may stand in. */
const BLOCKS = [
  '```\n',
  '```mermaid\n',
  '~~~\n',
  '````x\n',
  '\n',
  '\n\n',
  '> ',
  '- ',
  '1. ',
  '   ',
  'text\n',
  '# H\n',
  '<!-- a\n',
  '-->\n',
  '<div>\n',
  '<pre>\n',
  '</pre>\n',
  '===\n',
  'long\n\n',
];

test('cutting a document into stretches finds the fences and headings of the whole', () => {
  const document = fc.array(fc.constantFrom(...BLOCKS), { minLength: 1, maxLength: 60 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(document, (text) => {
      const lines = linesOf(text);
      // A fence that its list ended keeps what blank lines of its stretch follow; nobody reads them.
      const flat = (parts: ReturnType<typeof partsOfMarkdown>): unknown =>
        JSON.parse(
          JSON.stringify(parts, (key, value: unknown) =>
            key === 'endLine' ? undefined : key === 'text' ? String(value).trimEnd() : value,
          ),
        );
      const whole = partsOfMarkdown(lines, { stretchLengthMin: Infinity });
      expect(flat(partsOfMarkdown(lines, { stretchLengthMin: 0 }))).toEqual(flat(whole));
    }),
    { numRuns: 300 },
  );
});
