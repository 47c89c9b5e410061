import { describe, expect, test } from '@jest/globals';
import { wholeFile } from '../../diagram/index.ts';
import { readMermaid } from './index.ts';

const read = (text: string): ReturnType<typeof readMermaid> =>
  readMermaid(`sequenceDiagram\n${text}\n`, wholeFile('d.mmd', 'd'));

/** A kind of misreading, an example below the header, and what is told: place, code, what is lost; how to write it. */
type Row = readonly [kind: string, text: string, told: string, hint: string];

const ROWS: readonly Row[] = [
  [
    '1 # cuts a text',
    'A->>B: issue #12 done',
    '2:14 MER151 the text ends here: "#12 done" is a comment',
    'write #35; for a #',
  ],
  [
    '1 # cuts a label',
    'loop issue #12\nA->>B: x\nend',
    '2:12 MER151 the text ends here: "#12" is a comment',
    'write #35; for a #',
  ],
  [
    '2 an entity code by accident eats a statement',
    'A->>B: see #12; B->>A: x',
    '2:1 MER152 the message after the semicolon is part of this text: "B->>A: x"',
    'put the second message on its own line',
  ],
  [
    '3 a name that begins with title',
    'title Service->>B: x',
    '2:1 MER153 all of this is the title, no message: "Service->>B: x"',
    'needs another name',
  ],
  [
    '3 a name that begins with accTitle',
    'accTitle: foo->>B: x',
    '2:1 MER153 all of this is the text for screen readers, no message: "foo->>B: x"',
    'on the same line',
  ],
  [
    '4 a bare title takes the next line',
    'title\nA->>B: x',
    '2:1 MER153 all of this is the title, no message: "A->>B: x"',
    'a title stands on the same line',
  ],
  [
    '4 a bare accTitle takes the next line',
    'accTitle:\nA->>B: x',
    '2:1 MER153 all of this is the text for screen readers, no message: "A->>B: x"',
    'on the same line',
  ],
  [
    '4 an open accDescr takes the rest',
    'accDescr { z\nA->>B: x',
    '2:1 MER153 all of this is the text for screen readers, no message: "z"',
    'close the description with }',
  ],
  [
    '5 a name of two words with a label',
    'participant API Server as The API',
    '2:13 MER154 all of "API Server as The API" is the name: only a name without blanks can have a label',
    'participant APIServer as ...',
  ],
  [
    '6 a quoted name with a label',
    'participant "Q" as Queue',
    '2:13 MER168 the quotes are part of the name: "Q"',
    'participant Q as Queue',
  ],
  [
    '6 a quoted name of two words with a label',
    'participant "Foo Bar" as FB',
    '2:13 MER154 all of ""Foo Bar" as FB" is the name: only a name without blanks can have a label',
    'participant FooBar as ...',
  ],
  [
    '6 a quoted name beside the plain one',
    'A->>"Q": x\nQ->>A: y',
    '3:1 MER164 "Q" and ""Q"" are two participants that differ by case, blanks or quotes only',
    'the same way everywhere',
  ],
  [
    '7 a comment behind a declaration',
    'participant A %% c',
    '2:13 MER163 the comment is part of the name: "A %% c"',
    'on its own line',
  ],
  [
    '7 a # comment behind a declaration',
    'participant A # c',
    '2:13 MER163 the comment is part of the name: "A # c"',
    'on its own line',
  ],
  [
    '7 a comment behind activate',
    'activate A %% c',
    '2:10 MER163 the comment is part of the name: "A %% c"',
    'on its own line',
  ],
  [
    '7 a comment behind destroy',
    'destroy A %% c',
    '2:9 MER163 the comment is part of the name: "A %% c"',
    'on its own line',
  ],
  [
    '7 a comment behind a label',
    'rect rgb(1,2,3) %% c\nA->>B: x\nend',
    '2:1 MER163 the comment is part of the label: "%% c"',
    'on its own line',
  ],
  [
    '8 a label used as a name',
    'participant A as Alice\nAlice->>B: x',
    '3:1 MER155 "Alice" is only the label of "A"; used as a name it is another participant',
    'write A in messages',
  ],
  [
    '9 a parenthesis before a name',
    '(x)->>B: y',
    '2:1 MER156 Mermaid ignores "(" here, and reads what follows without it',
    'a name cannot begin with',
  ],
  [
    '9 a slash before a name',
    '/x->>B: y',
    '2:1 MER156 Mermaid ignores "/" here, and reads what follows without it',
    'a name cannot begin with',
  ],
  [
    '10 a dash at the end of a name',
    'participant a-\na-->>B: x',
    '3:1 MER160 this is "a", and not "a-": a dash before an arrow belongs to the arrow',
    'put a blank behind it: a- ->>',
  ],
  [
    '11 a function as a name',
    'Foo()->>B: x',
    '2:1 MER161 "()" is no part of the name: it draws a circle at "Foo"',
    'declare participant Foo',
  ],
  [
    '12 a name that begins with %',
    '%A->>B: x',
    '2:1 MER158 this message is a comment and not drawn: "%A->>B: x"',
    'a name cannot begin with # or %',
  ],
  [
    '12 a name that begins with #',
    '#A->>B: x',
    '2:1 MER158 this message is a comment and not drawn: "#A->>B: x"',
    'a name cannot begin with # or %',
  ],
  [
    '12 %% in a name',
    'A%%b->>B: x',
    '2:1 MER158 this message is a comment and not drawn: "A%%b->>B: x"',
    'nor hold %% after its first letter',
  ],
  [
    '13 a stray character',
    'A->>B: x\n>',
    '3:1 MER156 Mermaid ignores ">" here, and reads what follows without it',
    'remove it',
  ],
  [
    '14 names that differ by case',
    'Alice->>B: x\nalice->>B: y',
    '3:1 MER164 "alice" and "Alice" are two participants that differ by case, blanks or quotes only',
    'the same way everywhere',
  ],
  [
    '14 names that differ by blanks',
    'API Server->>B: x\nAPI  Server->>B: y',
    '3:1 MER164 "API  Server" and "API Server" are two participants that differ by case, blanks or quotes only',
    'the same way everywhere',
  ],
  [
    '14 names that differ by a character nobody sees',
    'A\u200b->>B: x\nA->>B: y',
    '3:1 MER164 "A" and "A\u200b" are two participants that differ by case, blanks or quotes only',
    'the same way everywhere',
  ],
  [
    '15 a message behind a label',
    'loop foo A->>B: x\nend',
    '2:1 MER159 the message on this line is part of the label: "foo A->>B: x"',
    'put the message on its own line',
  ],
  [
    '15 a block’s keyword as a name',
    'loop->>B: x\nend',
    '2:1 MER159 the message on this line is part of the label: "->>B: x"',
    'cannot have the name of a block',
  ],
  [
    '16 a half arrow backward',
    'A/|-B: x',
    '2:1 MER166 the head of this arrow is at the left: the message goes from "B" to "A"',
    'write B-|\\A: text',
  ],
  [
    '16 a dashed half arrow backward',
    'A\\\\--B: x',
    '2:1 MER166 the head of this arrow is at the left: the message goes from "B" to "A"',
    'write B--//A: text',
  ],
  [
    '17 a use after destruction',
    'A->>B: x\ndestroy B\nA->>B: y\nA->>B: z',
    '5:1 MER162 "B" was destroyed above and still takes part in a message',
    'move its destroy below',
  ],
  [
    '18 - ends the bar of the sender',
    'A->>+B: x\nB->>+C: y\nB->>-C: z',
    '4:1 MER167 "-" ends the activation of the sender "B", not of "C", which was activated last',
    'deactivate C on the next line',
  ],
  [
    '19 a bracket as a participant',
    '[->>A: x',
    '2:1 MER165 "[" is a participant to Mermaid, not the edge of the drawing',
    'name who sends',
  ],
  [
    'beside those: a create without a message',
    'create participant C\ncreate participant D\nA->>D: x',
    '2:1 MER157 no message creates "C": another create comes first',
    'directly below its create',
  ],
  [
    'beside those: an unknown type',
    'participant A@{ "type": "robot" }',
    '2:16 MER170 Mermaid knows no participant of type "robot"',
    'use one of participant, actor',
  ],
  [
    'beside those: a name for Mermaid 12 only',
    'A->>links: x',
    '2:5 MER171 Mermaid 12 reads this, Mermaid 11 refuses it: "links" begins a statement there',
    'choose another name',
  ],
  [
    'beside those: settings for Mermaid 12 only',
    'participant a-b @{ "type": "queue" }',
    '2:13 MER171 Mermaid 12 reads this, Mermaid 11 refuses it: "a-b" has a dash or = in it, or a blank behind it, and @{ follows there',
    'choose another name',
  ],
];

describe('what Mermaid silently misreads is read alike, with a warning of what is lost and how to write it', () => {
  test.each(ROWS)('%s: %j', (_, text, told, hint) => {
    const { diagnostics } = read(text);
    expect(diagnostics.map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`)).toEqual([
      told,
    ]);
    expect(diagnostics.map(({ severity }) => severity)).toEqual(['warning']);
    expect(diagnostics[0]?.hint).toContain(hint);
  });

  test('all nineteen kinds are here', () => {
    const kinds = new Set(ROWS.flatMap(([kind]) => (/^\d/.test(kind) ? [Number.parseInt(kind, 10)] : [])));
    expect([...kinds].sort((a, b) => a - b)).toEqual(Array.from({ length: 19 }, (_, index) => index + 1));
  });
});

/** Their innocent neighbours, which must not be cried over. */
const INNOCENT: readonly string[] = [
  'A->>B: issue #35;12 done',
  'title Service\nA->>B: x',
  'accDescr { A->>B: as prose }\nA->>B: x',
  'participant S as API Server\nS->>B: x',
  'participant "Q"\n"Q"->>B: x',
  '%% c\nparticipant A',
  'participant A as 50%\nA->>B: x',
  'a- ->>B: x',
  'a-->>B: x',
  'participant Foo\nFoo()->>B: x',
  'Foo ()->>B: x',
  'loop until A->B\nA->>B: x\nend',
  'A->>+B: x\nB->>+C: y\nC-->>-B: z\nB-->>-A: w',
  'A->>+B: x\nB->>-A: y',
  'A->>+A: x\nA->>-A: y',
  'A->>B: x\ndestroy B\nA-xB: y',
  'participant A@{ "type": "queue" }',
  'link A: L @ https://a.b',
];

test.each(INNOCENT)('nothing is told of %j', (text) => {
  expect(read(text).diagnostics).toEqual([]);
});

describe('the only participant that is not declared', () => {
  test.each([
    ['is told', 'participant A\nparticipant S\nA->>S: x\nS-->>B: y', '5:6 MER172', 'info', 'participant B'],
    [
      'is warned of where it is nearly another',
      'participant Shop\nactor User\nUser->>Shpo: x',
      '4:8 MER172',
      'warning',
      'did you mean "Shop"?',
    ],
    [
      'is warned of where it lacks a letter',
      'participant Shop\nactor User\nUser->>Sho: x',
      '4:8 MER172',
      'warning',
      'did you mean "Shop"?',
    ],
  ])('%s: %j', (_, text, place, severity, hint) => {
    const [found, more] = read(text).diagnostics;
    expect(`${found?.line}:${found?.column} ${found?.code}`).toBe(place);
    expect(found?.severity).toBe(severity);
    expect(found?.hint).toContain(hint);
    expect(more).toBeUndefined();
  });

  test.each([
    ['two are not', 'participant A\nparticipant S\nC->>B: x'],
    ['hardly any is declared', 'participant A\nA->>B: x'],
    ['all are, one by a create', 'participant A\nparticipant S\ncreate participant B\nA->>B: x'],
  ])('is no matter where %s', (_, text) => {
    expect(read(text).diagnostics).toEqual([]);
  });
});
