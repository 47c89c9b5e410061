import { describe, expect, test } from '@jest/globals';
import { compileContract, type Contract } from '../contract/index.ts';
import { readDocument } from '../dialects/index.ts';
import { readShorthand } from '../testing/index.ts';
import { check } from './check.ts';

describe('a loop is over, and what it sent before is received later', () => {
  const contract = contractOf('loop items\nA->>B: item\nend\nA->>C: done\n');
  const received = (items: number): string => 'A -> B item point=receive\n'.repeat(items);

  test.each([1, 300])('of %i items each was sent before the end', (items) => {
    expect(judge(contract, `A -> C done\n${received(items)}`)).toMatchObject({ outcome: 'conforms' });
  });

  test('of too many, nothing is said but the bound', () => {
    expect(judge(contract, `A -> C done\n${received(1_100)}`)).toMatchObject({
      outcome: 'inconclusive',
      instances: [{ reason: 'bound met: 1000 ways to send what is seen at its receipt', violations: [] }],
    });
  });

  test('what can never come is found however many there are', () => {
    const once = contractOf('C->>A: begin\nloop items\nA->>B: item\nend\nA->>C: done\n');
    expect(judge(once, `C -> A begin\nC -> A begin\n${received(1_100)}A -> C done\n`)).toMatchObject({
      outcome: 'violates',
      instances: [{ violations: [{ kind: 'repeated' }] }],
    });
  });
});

function contractOf(drawing: string): Contract {
  const [diagram] = readDocument(`sequenceDiagram\n${drawing}`, 'drawing.mmd').value;
  if (diagram === undefined) throw new Error('the drawing of a test is not read');
  return compileContract(diagram, []).value;
}

const judge = (contract: Contract, lines: string): ReturnType<typeof check> =>
  check(contract, readShorthand(`begin\n${lines}`), { complete: true });
