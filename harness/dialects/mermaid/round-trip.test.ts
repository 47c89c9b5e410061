import fc from 'fast-check';
import { expect, test } from '@jest/globals';
import { type Fragment, type Diagram, printMermaid, wholeFile } from '../../diagram/index.ts';
import { readMermaid } from './index.ts';
import { arbitraryDiagram, TRAPS, trappyText } from './oracle/arbitrary-diagram.ts';

/** Places are what a print cannot keep. */
const unplaced = (diagram: Diagram): unknown =>
  JSON.parse(JSON.stringify(diagram, (key, value: unknown) => (key === 'at' ? undefined : value)));

test('a diagram printed as Mermaid reads back as the same diagram, whatever its names and texts hold', () => {
  fc.assert(
    fc.property(arbitraryDiagram, (drawn) => {
      const printed = printMermaid(drawn);
      const { value, diagnostics } = readMermaid(printed, wholeFile('d.mmd', 'd'));
      expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
      expect(unplaced(value)).toEqual(unplaced(drawn));
    }),
    { numRuns: 300 },
  );
});

test.each([
  ['at the end of an operand', 'opt / A->>S: a / activate S / S-->>A: b / deactivate S / end / A->>S: c'],
  ['before the next operand', 'alt / A->>S: a / activate S / S-->>A: b / deactivate S / else / A->>S: c / end'],
  ['before a fragment', 'A->>S: a / activate S / S-->>A: b / deactivate S / opt / A->>S: c / end'],
  ['behind the ends of two', 'activate S / opt / loop / A->>S: a / end / end / deactivate S / A->>S: b'],
  ['between the ends of two', 'activate S / opt / loop / A->>S: a / end / deactivate S / end / A->>S: b'],
  ['in an empty operand', 'A->>S: a / activate S / alt / else / deactivate S / end / A->>S: b'],
  ['behind an arrow both ways', 'activate S / opt / A<<->>S: a / deactivate S / end / A->>S: b'],
  ['at the very end', 'activate S / opt / A->>S: a / note over S: n / deactivate S / end'],
])('a bar that opens or closes %s stays on its side of the border', (_, body) => {
  const lines = ['sequenceDiagram', 'participant A', 'participant S', ...body.split(' / ')];
  const { value: drawn } = readMermaid(lines.join('\n'), wholeFile('d.mmd', 'd'));
  const printed = printMermaid(drawn).trimEnd().split('\n');
  expect(printed.map((line) => line.trim())).toEqual(lines);
});

test('no text makes the reader throw, and every diagnostic has a place in the text', () => {
  const soup = fc
    .array(
      fc.oneof(
        fc.constantFrom(...TRAPS, 'participant ', 'activate A\n', 'create ', 'box\n', '---\n', 'A->>B: x\n'),
        trappyText,
      ),
      { maxLength: 30 },
    )
    .map((parts) => `sequenceDiagram\n${parts.join('')}`);
  fc.assert(
    fc.property(soup, (given) => {
      const lines = given.split(/\r\n?|\n/);
      for (const { line, column } of readMermaid(given, wholeFile('d.mmd', 'd')).diagnostics) {
        expect(line).toBeLessThanOrEqual(lines.length);
        expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? 0) + 1);
      }
    }),
    { numRuns: 300 },
  );
});

test('a drawing nested as deep as is read, and as long as memory allows, is read without recursion', () => {
  const depth = 20_000;
  const nested = `sequenceDiagram\n${'loop x\n'.repeat(depth)}A->>B: deep\n${'end\n'.repeat(depth)}`;
  const { value, diagnostics } = readMermaid(nested, wholeFile('d.mmd', 'd'));
  expect(diagnostics).toEqual([]);
  expect(value.fragments.map(({ kind }: Fragment) => kind)).toEqual(new Array(depth).fill('loop'));
  const again = readMermaid(printMermaid(value), wholeFile('d.mmd', 'd'));
  expect(again.value.messages).toHaveLength(1);
  const dashes = readMermaid(`sequenceDiagram\nA${'-a'.repeat(1_000_000)}->>B: x`, wholeFile('d.mmd', 'd'));
  expect(dashes.value.messages[0]?.from).toHaveLength(2_000_001);
});
