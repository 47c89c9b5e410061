import { describe, expect, test } from '@jest/globals';
import { compileContract } from '../contract/index.ts';
import { readDocument } from '../dialects/index.ts';
import { readShorthand } from '../testing/index.ts';
import type { Excerpt } from '../verdict/index.ts';
import { check } from './check.ts';

const DRAWING = `sequenceDiagram
A->>B: ask
${Array.from({ length: 9 }, (_, index) => `B->>B: step ${index}`).join('\n')}
B->>C: order
C->>A: done
participant D`;

/** Each event as its line, a ✗ before the blamed one. */
function linesOf(trace: readonly string[]): readonly string[] {
  const [diagram] = readDocument(DRAWING, 'drawing.mmd').value;
  if (diagram === undefined) throw new Error('nothing was drawn');
  const { instances } = check(compileContract(diagram, []).value, readShorthand(['begin', ...trace, 'end'].join('\n')));
  const row = ({ event, violating, arrow }: Excerpt): string =>
    `${violating ? '✗ ' : ''}${event.label}${arrow === null ? ' (none)' : ''}`;
  return instances.flatMap(({ excerpt }) => excerpt.map(row));
}

const STEPS = Array.from({ length: 9 }, (_, index) => `B -> B step ${index}`);

describe('the excerpt of a violation', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    [
      'marks an event of the instance, with five on each side',
      ['A -> B ask', ...STEPS.slice(0, 7), 'B -> C order', 'C -> A done'],
      ['step 2', 'step 3', 'step 4', 'step 5', 'step 6', '✗ order', 'done'],
    ],
    [
      'shows an event that went to another participant in its place, and marks it',
      ['A -> B ask', ...STEPS, 'B -> D order', 'C -> A done'],
      ['step 4', 'step 5', 'step 6', 'step 7', 'step 8', '✗ order (none)', 'done'],
    ],
    [
      'shows it behind all others where it is the last',
      ['A -> B ask', ...STEPS, 'C -> A done', 'B -> D order'],
      ['step 5', 'step 6', 'step 7', 'step 8', 'done', '✗ order (none)'],
    ],
    ['ends with the last events where none is to blame', ['A -> B ask'], ['ask']],
  ])('%s', (_name, trace, rows) => {
    expect(linesOf(trace)).toEqual(rows);
  });
});
