import { describe, expect, test } from '@jest/globals';
import { compileContract } from '../contract/index.ts';
import { readDocument } from '../dialects/index.ts';
import { readShorthand } from '../testing/index.ts';
import { check } from './index.ts';

function outcomeOf(lines: readonly string[], trace: string): string {
  const [diagram] = readDocument(`sequenceDiagram\n${lines.join('\n')}\n`, 'd.mmd').value;
  if (diagram === undefined) throw new Error('no diagram');
  return check(compileContract(diagram, []).value, readShorthand(trace)).outcome;
}

const DEPTH = 40;
const nested = (open: (level: number) => readonly string[], close: readonly string[]): readonly string[] => [
  ...Array.from({ length: DEPTH }, (_, level) => open(level)).flat(),
  ...Array.from({ length: DEPTH }, () => close).flat(),
];

describe('what is written out does not grow with the nesting of what it stands in', () => {
  test('loops in loops, each with a break', () => {
    const lines = nested(
      (level) => [`loop l${level}`, 'break b', `A->>B: x${level}`, 'end', `A->>B: y${level}`],
      ['end'],
    );
    expect(outcomeOf(lines, 'begin\nA -> B y0\nA -> B y1\nA -> B x2\nend')).toBe('conforms');
    expect(outcomeOf(lines, 'begin\nA -> B y1\nend')).toBe('violates');
  });

  test('critical fragments in critical fragments, each with an option', () => {
    const lines = nested((level) => [`critical c${level}`, `A->>B: y${level}`], ['option o', 'A->>B: z', 'end']);
    expect(outcomeOf(lines, 'begin\nA -> B y0\nA -> B z\nend')).toBe('conforms');
    expect(outcomeOf(lines, 'begin\nA -> B z\nend')).toBe('violates');
  });

  test('guards of a whole column of options', () => {
    const lines = nested((level) => [`opt o${level}`, `A->>B: y${level}`], ['end']);
    expect(outcomeOf(lines, 'begin\nA -> B y0\nA -> B y1\nend')).toBe('conforms');
  });
});
