import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readDocument } from '../dialects/index.ts';
import { captureIo } from '../testing/index.ts';
import { runProgram } from './index.ts';

const ART = `
+-----+      +------+
| App |      | Shop |
+-----+      +------+
   |             |
+-- opt [card] ----+
|  |  pay        | |
|  |------------>| |
+------------------+
   |  paid       |
   |<- - - - - - |
`;
const MERMAID = `sequenceDiagram
    participant App
    participant Shop
    opt card
        App->>Shop: pay
    end
    Shop-->>App: paid
`;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'convert-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function run(name: string, text: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const file = join(folder, name);
  writeFileSync(file, text);
  const io = captureIo();
  const code = await runProgram(io, ['convert', file, ...args], '0');
  return { code, out: io.printed(), err: io.complained() };
}

describe('asdrawn convert', () => {
  test('prints a drawing as Mermaid', async () => {
    expect(await run('a.txt', ART, '--to', 'mermaid')).toEqual({ code: 0, out: MERMAID, err: '' });
  });

  test('ends a row of a drawing where Mermaid breaks one', async () => {
    const text = 'sequenceDiagram\nparticipant A as The<br>App\nA->>B: one<br/>two\nnote over B: three<BR />four\n';
    const { code, out, err } = await run('br.mmd', text, '--to', 'ascii');
    expect([code, err]).toEqual([0, '']);
    expect(out).not.toMatch(/<br/i);
    for (const row of ['│ The App │', ' one', ' two', '║ three ║', '║ four  ║']) expect(out).toContain(row);
  });

  test('draws Mermaid so that it reads back as the same Mermaid', async () => {
    const drawn = await run('a.mmd', MERMAID, '--to', 'ascii');
    expect(drawn).toMatchObject({ code: 0, err: '' });
    expect(drawn.out).toContain('─[opt card]─');
    expect((await run('b.txt', drawn.out, '--to', 'mermaid')).out).toBe(MERMAID);
  });

  test('reads drawings in fences, source comments and RFC text, each under its own name', async () => {
    const commented = ART.split('\n')
      .map((row) => ` * ${row}`)
      .join('\n');
    expect((await run('c.ts', commented, '--to', 'mermaid')).out).toBe(MERMAID);
    const fenced = `# Pay\n\n\`\`\`text${ART}\`\`\`\n\n# Again\n\n\`\`\`${ART}\`\`\`\n`;
    const both = await run('d.md', fenced, '--to', 'mermaid');
    expect(both.out).toBe(`%% Pay\n${MERMAID}\n%% Again\n${MERMAID}`);
  });

  test('prints nothing of a drawing with an error, but the error, its row and a caret', async () => {
    const broken = ART.replace('|------------>|', '|-------------|');
    const { code, out, err } = await run('e.txt', broken, '--to', 'mermaid');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/e\.txt:8:5 ASC110 this shaft has no head.*between App and Shop/);
    expect(err).toContain(' 8 | |  |-------------| |\n   |     ^^^^^^^^^^^^^');
    expect(err).toContain('hint: ');
  });

  test('says what Mermaid has no word for', async () => {
    const group = await run('g.txt', ART.replace('opt [card]', 'group [ok]'), '--to', 'mermaid');
    expect(group.err).toMatch(/g\.txt:6:1 CLI143 warning: Mermaid has no group: "ok" becomes a rect without a name/);
    const found = await run(
      'h.txt',
      ART.replace('   |  paid       |', '-->|             |\n   |  paid       |'),
      '--to',
      'mermaid',
    );
    expect(found.err).toMatch(/h\.txt:10:1 CLI144 warning: Mermaid has no ends outside/);
    expect([group.code, found.code]).toEqual([0, 0]);
  });

  const OVERTAKING = `
  App             Shop
   |               |
   |----.          |
   |    | second   |
   |-------------->|
   |    | first    |
   |    \`--------->|
   |               |
`;

  test('says that Mermaid cannot draw who overtakes whom, and prints them in the order in which they are sent', async () => {
    const { code, out, err } = await run('j.txt', OVERTAKING, '--to', 'mermaid');
    expect(code).toBe(0);
    expect(out).toMatch(/App->>Shop: first\n.*App->>Shop: second/);
    expect(err).toMatch(
      /j\.txt:7:11 CLI145 warning: Mermaid has no messages that overtake each other: "first" is received where/,
    );
  });

  test('parse says what is sent while a message is on its way', async () => {
    const file = join(folder, 'k.txt');
    writeFileSync(file, OVERTAKING);
    const io = captureIo();
    await runProgram(io, ['parse', file], '0');
    expect(io.printed()).toContain(
      '  7: App -> Shop: first (on its way while line 5 is sent)\n  5: App -> Shop: second\n',
    );
  });

  test('draws who overtakes whom, which reads back', async () => {
    const { code, out, err } = await run('j.txt', OVERTAKING, '--to', 'ascii');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const [{ messages } = { messages: [] }] = readDocument(out, 'j.txt').value;
    expect(messages.map(({ text, received }) => [text, received])).toEqual([
      ['first', { after: 1, nth: 0 }],
      ['second', undefined],
    ]);
  });

  test('says what a drawing loses beside its messages', async () => {
    const text = 'sequenceDiagram\n  title ──>\n  A->>B: x\n';
    const { code, err } = await run('i.mmd', text, '--to', 'ascii');
    expect(code).toBe(0);
    expect(err).toMatch(/CLI141 warning: .*: the title is lost or changed/);
  });

  test('says which text cannot be drawn so that it reads back', async () => {
    const { code, err } = await run('f.mmd', 'sequenceDiagram\n  A->>B: ------->\n', '--to', 'ascii');
    expect(code).toBe(0);
    expect(err).toMatch(/CLI141 warning: the drawing of "f\.mmd" does not read back/);
  });

  test('says that Mermaid cannot draw a note beside who is not created yet, and draws it at the creation', async () => {
    const art = `
 ┌───┐     ┌───┐
 │ A │     │ B │
 └─┬─┘     └─┬─┘
   │       ╔════════════════╗
   │       ║ early          ║
   │       ╚════════════════╝
   │ x       │
   │────────►│
   │         │ new     ┌───┐
   │         │────────►│ C │
   │         │         └─┬─┘
   │         │ y         │
   │         │◄──────────│
   │         │           │
`;
    const { code, out, err } = await run('k.txt', art, '--to', 'mermaid');
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/create participant C\n +note over B,C: early\n +B->>C: new/),
    ]);
    expect(err).toMatch(
      /k\.txt:5:12 CLI146 warning: Mermaid has no notes beside who is not created yet: this one moves to where C is created/,
    );
  });

  test('refuses what is too large, and what is no diagram', async () => {
    const many = Array.from({ length: 500 }, (_, index) => `  P${index}->>P${index + 1}: x`).join('\n');
    expect((await run('g.mmd', `sequenceDiagram\n${many}\n`, '--to', 'ascii')).err).toMatch(/CLI140/);
    expect((await run('h.txt', '1. First do it.\n2. Then that.\n3. Then rest.\n', '--to', 'ascii')).err).toMatch(
      /CLI142/,
    );
    expect((await run('i.txt', ART, '--to', 'ditaa')).code).toBe(2);
  });

  test('reads the examples of the guide as what they are', async () => {
    const io = captureIo();
    expect(await runProgram(io, ['convert', 'docs/ascii.md', '--to', 'mermaid'], '0')).toBe(0);
    expect(io.complained()).toMatch(/^docs\/ascii\.md:\d+:\d+ CLI145 [^\n]*\nhint: [^\n]*\n$/);
    expect(io.printed()).toContain(
      'App->>Shop: order\n    Shop->>Bank: charge\n    Bank-->>Shop: \n    Shop->>App: 201',
    );
    expect(io.printed()).toContain(
      'alt accepted\n        Bank->>Shop: 200\n    else declined\n        Bank->>Shop: 402',
    );
  });
});
