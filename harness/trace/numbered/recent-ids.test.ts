import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ID_BYTES_MAX, IS_CALL, IS_NAMED, IS_READ, NO_ID, RecentIds, type Id } from './recent-ids.ts';
import { encodeText, hashOf } from './texts.ts';

const SEED = 20_261_216;
const RUNS = Number(process.env['NUMBERED_CASES'] ?? 150);

function numberOf(ids: RecentIds, text: string): Id {
  const view = new DataView(new ArrayBuffer(3 * text.length + 4));
  const end = encodeText(text, view);
  return ids.numberAt(view, 0, end, hashOf(view, 0, end));
}

/** Counted, or of any length: those that are kept with the rest, those that are not, and those that are too long. */
const id = fc.oneof(
  fc.nat(60).map((number) => `order-${number}`),
  fc.nat(60).map((number) => `${'urn:of:a:place:where:ids:are:long:'.repeat(2)}${number}`),
  fc.tuple(fc.constantFrom(46, 47, 48, 49, 50, 51), fc.nat(9)).map(([length, digit]) => String(digit).repeat(length)),
  fc.constantFrom('', 'é', '\ud800', 'a', 'b'),
  fc.constantFrom(1_000, 4_000, ID_BYTES_MAX).map((length) => 'x'.repeat(length)),
  fc.nat(9).map((digit) => 'y'.repeat(2_000) + String(digit)),
);

describe('ids', () => {
  test(`are remembered as by a list of all of them, on ${RUNS} lists of seed ${SEED}`, () => {
    let forgotten = 0;
    fc.assert(
      fc.property(fc.array(id, { minLength: 1, maxLength: 120, size: 'max' }), (texts) => {
        const ids = new RecentIds(16);
        const all: string[] = [];
        const flags: number[] = [];
        for (const text of texts) {
          const number = numberOf(ids, text);
          const known = all.lastIndexOf(text);
          // What is not remembered any more is new again.
          const expected = known >= 0 && number === known ? known : all.length;
          expect(number).toBe(expected);
          if (expected === all.length) {
            if (known >= 0) expect(ids.has(known)).toBe(false);
            all.push(text);
            expect(ids.flags(number)).toBe(0);
            flags.push(number % 2 === 0 ? IS_READ | IS_CALL : IS_NAMED);
            ids.mark(number, flags[number] ?? 0);
            ids.remember(number, number * 3, number - 1);
          }
        }
        const oldest = all.findIndex((_, index) => ids.has(index));
        forgotten += oldest > 0 ? 1 : 0;
        expect(ids.hasForgotten).toBe(oldest > 0);
        const kept = all.map((_, index) => index).slice(oldest);
        expect(kept.map((index) => ids.textOf(index))).toEqual(all.slice(oldest));
        expect(kept.map((index) => numberOf(ids, all[index] ?? ''))).toEqual(kept);
        expect(kept.map((index) => [ids.flags(index), ids.receiver(index), ids.parent(index)])).toEqual(
          kept.map((index) => [flags[index], index * 3, index - 1]),
        );
        // Short ids only make room for one another; a long one takes their bytes from others that are long.
        const isShort = texts.every((text) => text.length <= 40);
        if (isShort) expect(all.filter((_, index) => ids.has(index))).toHaveLength(Math.min(16, all.length));
      }),
      { seed: SEED, numRuns: RUNS },
    );
    expect(forgotten).toBeGreaterThan(0);
  });

  test('that are too long have no number', () => {
    expect(numberOf(new RecentIds(16), 'x'.repeat(ID_BYTES_MAX + 1))).toBe(NO_ID);
  });
});
