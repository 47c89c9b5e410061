import { expect, test } from '@jest/globals';
import { manualClock } from '../client/index.ts';
import { Expectations } from './expectations.ts';

test('creations are met when each was seen or has failed', () => {
  const expectations = new Expectations(manualClock());
  expect(expectations.areMet('web')).toBe(true);
  expectations.expectCreations('web', 2);
  expectations.creationSettled('web');
  expect(expectations.areMet('web')).toBe(false);
  expectations.creationSettled('web');
  expect(expectations.areMet('web')).toBe(true);
});

test('a deletion is met by that of the same pod only', () => {
  const expectations = new Expectations(manualClock());
  expectations.expectDeletions('web', ['a', 'b']);
  expectations.deletionSettled('web', 'a');
  expectations.deletionSettled('web', 'a');
  expect(expectations.areMet('web')).toBe(false);
  expectations.deletionSettled('web', 'b');
  expect(expectations.areMet('web')).toBe(true);
});

test('keys do not meet', () => {
  const expectations = new Expectations(manualClock());
  expectations.expectCreations('web', 1);
  expectations.creationSettled('other');
  expect(expectations.areMet('web')).toBe(false);
});

test('an expectation ends after five minutes, or when it is forgotten', () => {
  const clock = manualClock();
  const expectations = new Expectations(clock);
  expectations.expectCreations('web', 1);
  clock.advance(5 * 60_000);
  expect(expectations.areMet('web')).toBe(false);
  clock.advance(1);
  expect(expectations.areMet('web')).toBe(true);
  expectations.expectCreations('web', 1);
  expectations.forget('web');
  expect(expectations.areMet('web')).toBe(true);
});
