import { describe, expect, test } from '@jest/globals';
import { wholeFile } from '../../diagram/index.ts';
import { readMermaid } from './index.ts';

/** Broken texts; `▶` stands where a person would point, and is not a part of them. */
const BROKEN: readonly (readonly [code: string, text: string])[] = [
  // Below front matter, directives, comments and blank lines, which Mermaid does not count.
  ['MER104', '---\ntitle: Login\n---\nsequenceDiagram\n  A->>B: x\n  ▶A->>: y'],
  ['MER103', '---\nconfig:\n  theme: dark\n---\n%%{init: {"theme": "dark"}}%%\nsequenceDiagram\n  A▶=>B: x'],
  ['MER106', '%% one\n%% two\n\nsequenceDiagram\n%% three\n    ▶A->>B'],
  ['MER110', 'sequenceDiagram\n  %% a comment\n  A->>▶end: x'],
  ['MER107', 'sequenceDiagram\n%%{init: {\n  "theme": "dark"\n}}%%\n  ▶loop forever\n    A->>B: x'],
  ['MER108', '\n\nsequenceDiagram\n\n  A->>B: x\n  %% gone\n  ▶end'],
  ['MER109', '---\ntitle: T\n---\n\nsequenceDiagram\nloop a\n  %% x\n  ▶else b\nend'],
  ['MER111', '  ---\n  title: T\n  ---\nsequenceDiagram\n  A->>▶/etc: x'],
  ['MER102', '%%{wrap}%%\nsequenceDiagram\n  A->>B: a text\n\n    ▶that goes on'],
  ['MER122', 'sequenceDiagram\n  A->>B: x %%{wrap}%% y\n  ▶deactivate B'],
  ['MER112', 'sequenceDiagram\r\n%% CRLF\r\n  A->>B: x\r\n  ▶participant\r\n  B->>A: y'],
  ['MER101', '---\ntitle: T\n---\n%% c\n▶graph TD\n  A-->B'],
  ['MER123', '---\ntitle: [a▶\n---\nsequenceDiagram\n  A->>B: x'],
  // Messages.
  ['MER104', 'sequenceDiagram\n\t▶Scheduler->>: bind Pod'],
  ['MER105', 'sequenceDiagram\n  ▶->>B: x'],
  ['MER105', 'sequenceDiagram\nA->>B: x\n▶-->>B: y'],
  ['MER106', 'sequenceDiagram\n▶A->>B\nB->>A: y'],
  ['MER103', 'sequenceDiagram\nA▶->>>B: x'],
  ['MER103', 'sequenceDiagram\nA▶--->>B: x'],
  ['MER103', 'sequenceDiagram\nA▶<-B: x'],
  ['MER103', 'sequenceDiagram\nA▶<->B: x'],
  ['MER103', 'sequenceDiagram\nA ▶~> B: x'],
  ['MER103', 'sequenceDiagram\nA▶-oB: x'],
  ['MER103', 'sequenceDiagram\nA->>▶-xAlice: x'],
  ['MER113', 'sequenceDiagram\nA->>B▶->>C: x'],
  ['MER111', 'sequenceDiagram\nA->>x▶--ray: x'],
  ['MER111', 'sequenceDiagram\nC▶++->>B: x'],
  ['MER111', 'sequenceDiagram\nlocalhost▶:80->>B: x'],
  ['MER111', 'sequenceDiagram\n▶1 ->> 2: x'],
  ['MER111', 'sequenceDiagram\nA->>+▶+B: x'],
  ['MER110', 'sequenceDiagram\n▶end->>B: x\n'],
  ['MER110', 'sequenceDiagram\nopt z\nA->>▶loop: x\nend'],
  ['MER110', 'sequenceDiagram\n▶note->>B: x'],
  ['MER110', 'sequenceDiagram\n▶activate->>B: x'],
  ['MER120', 'sequenceDiagram\nA->>B: text; ▶more'],
  // Participants.
  ['MER111', 'sequenceDiagram\nparticipant A▶,B'],
  ['MER111', 'sequenceDiagram\nparticipant a▶:80 as B'],
  ['MER112', 'sequenceDiagram\n  ▶actor\n  A->>B: x'],
  ['MER116', 'sequenceDiagram\nA->>B: x\ncreate participant ▶A\nB->>A: y'],
  ['MER119', 'sequenceDiagram\nparticipant A@{▶ "type: 1 }'],
  ['MER114', 'sequenceDiagram\nbox Aqua\n  participant A\n  ▶A->>B: x\nend'],
  ['MER121', 'sequenceDiagram\nbox X\nparticipant A\nend\nbox Y\nparticipant ▶A\nend'],
  ['MER115', 'sequenceDiagram\ncreate participant C\nnote over A: z\n▶A->>B: x'],
  ['MER115', 'sequenceDiagram\nA->>B: x\ndestroy B\n▶A->>C: y'],
  ['MER122', 'sequenceDiagram\nA->>B: x\n▶A->>-B: y'],
  // Blocks, notes and the rest.
  ['MER107', 'sequenceDiagram\nalt a\nA->>B: x\nend ▶alt'],
  ['MER107', 'sequenceDiagram\nloop a\nA->>B: x\nend\n▶par b\nA->>B: x\nand c\nB->>A: y'],
  ['MER108', 'sequenceDiagram\nloop a\nA->>B: x\nend\n▶end\nA->>B: y'],
  ['MER109', 'sequenceDiagram\n▶and b'],
  ['MER109', 'sequenceDiagram\nopt a\nA->>B: x\n▶option b\nend'],
  ['MER117', 'sequenceDiagram\nnote over A,B▶,C: x'],
  ['MER117', 'sequenceDiagram\n▶note left A: x'],
  ['MER117', 'sequenceDiagram\n▶note over A'],
  ['MER118', 'sequenceDiagram\n▶autonumber foo'],
  ['MER118', 'sequenceDiagram\n▶autonumber 10;\nA->>B: x'],
  ['MER101', 'sequenceDiagram\nA->>B: x\n▶sequenceDiagram\nA->>B: y'],
];

describe('an error stands where a person would point, and alone', () => {
  test.each(BROKEN)('%s %j', (code, marked) => {
    const [before = '', after = ''] = marked.split('▶');
    const lines = before.split(/\r\n|\n/);
    const place = { code, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
    const { diagnostics } = readMermaid(before + after, wholeFile('d.mmd', 'd'));
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ code, line, column }) => ({ code, line, column }))).toEqual([place]);
    expect(errors[0]?.hint).not.toBe('');
  });
});

test('a name that is a keyword is told with the way out in the author’s words', () => {
  const { diagnostics } = readMermaid('sequenceDiagram\nA->>end: x', wholeFile('d.mmd', 'd'));
  expect(diagnostics[0]).toMatchObject({
    message: '"end" is a keyword at the start of a name',
    hint: 'write participant e as end, and e in the messages',
  });
});
