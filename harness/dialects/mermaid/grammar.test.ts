import { expect, test } from '@jest/globals';
import { StatementParser } from './grammar.ts';

test('one token says what follows, everywhere in the grammar, and Chevrotain finds no other mistake in it', () => {
  expect(() => new StatementParser({ validate: true })).not.toThrow();
});
