import { expect, test } from '@jest/globals';
import { compileContract, readBinding } from '../contract/index.ts';
import { readDocument } from '../dialects/index.ts';
import { readShorthand } from '../testing/index.ts';
import { check } from './index.ts';

test('a message that must never occur came instead of no other', () => {
  const [diagram] = readDocument('sequenceDiagram\nA->>B: one\nB->>A: two\n', 'drawing.mmd').value;
  const binding = readBinding('forbid: { loud: label == "shout" }\n', 'drawing.bindings.yaml');
  const contract = compileContract(diagram!, binding.value).value;
  const verdict = check(contract, readShorthand('begin\nA -> B one\nA -> B shout\nB -> A two'), { complete: true });
  const told = verdict.instances.flatMap(({ violations }) => violations.map(({ kind, expected }) => [kind, expected]));
  expect(told).toEqual([['forbidden', []]]);
});
