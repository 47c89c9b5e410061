import { expect, test } from '@jest/globals';
import { compileContract } from '../contract/index.ts';
import { readDocument } from '../dialects/index.ts';
import { readShorthand } from '../testing/index.ts';
import { check } from './index.ts';

const [diagram] = readDocument(
  'sequenceDiagram\nA->>B: one\nA->>B: two\nalt\nP->>B: three\nelse\nP->>B: four\nend\n',
  'd.mmd',
).value;

/** The texts of what was expected in place of the first event that is wrong. */
function expectedIn(trace: string): readonly (string | undefined)[] {
  if (diagram === undefined) throw new Error('nothing is drawn');
  const contract = compileContract(diagram, []).value;
  const [instance] = check(contract, readShorthand(trace), { complete: true }).instances;
  return (instance?.violations[0]?.expected ?? []).map((arrow) => contract.drawn[arrow]?.text);
}

test('what cannot be received yet is not expected of a trace that shows messages at one instant', () => {
  expect(expectedIn('begin\nP -> B three\nA -> B one\nA -> B two')).toEqual(['one']);
});

test('of one that shows sends and receipts apart it is', () => {
  expect(expectedIn('begin\nA -> B two at=1..4\nA -> B one at=2..3\nP -> B three at=5')).toContain('four');
});
