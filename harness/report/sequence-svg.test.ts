import { expect, test } from '@jest/globals';
import type { Diagram, Message } from '../diagram/index.ts';
import { drawSequence } from './sequence-svg.ts';

const AT = { line: 1, column: 1 };
const message = (text: string, change: Partial<Message> = {}): Message => ({
  from: 'A',
  to: 'B',
  text,
  line: 'solid',
  head: 'arrow',
  at: AT,
  ...change,
});

const drawn = (...messages: readonly Message[]): string => {
  const diagram: Diagram = {
    name: 'd',
    file: 'd.txt',
    dialect: 'ascii',
    participants: ['A', 'B'].map((id) => ({ id, label: id, kind: 'participant', at: AT })),
    messages,
    fragments: [],
    items: messages.map((_, index) => ({ message: index })),
    notes: [],
    activations: [],
    steps: [],
  };
  const none = { callouts: new Map(), verdictOf: () => undefined, isUnseen: () => false };
  return drawSequence({ diagram, ...none, prefix: 'p' }).markup;
};

/** Where the line of each message begins and ends. */
const linesOf = (svg: string): { begins: number; ends: number }[] =>
  [...svg.matchAll(/class="shaft" d="M\S+ ([\d.]+)(?:H\S+|h\S+L\S+ (\S+))"/g)].map(([, y, tip]) => ({
    begins: Number(y),
    ends: Number(tip ?? y),
  }));

test('an arrow that others overtake slants, and ends below where they end', () => {
  const svg = drawn(message('one', { received: { after: 1, nth: 0 } }), message('two'), message('three'));
  const [one, two, three] = linesOf(svg);
  expect(one?.begins).toBeLessThan(two?.begins ?? 0);
  expect(one?.ends).toBeGreaterThan(two?.ends ?? Infinity);
  expect(one?.ends).toBeLessThan(three?.begins ?? 0);
  expect(svg).toMatch(/rotate\(\d+ /);
});

test('two arrows that cross end in the order in which they are received', () => {
  const crossing = [
    message('there', { received: { after: 1, nth: 0 } }),
    message('back', { from: 'B', to: 'A', received: { after: 1, nth: 1 } }),
  ];
  const [there, back] = linesOf(drawn(...crossing));
  expect(there?.ends).toBeGreaterThan(back?.begins ?? Infinity);
  expect(back?.ends).toBeGreaterThan(there?.ends ?? Infinity);
});

test('all other arrows are level', () => {
  for (const { begins, ends } of linesOf(drawn(message('one'), message('two')))) expect(ends).toBe(begins);
});
