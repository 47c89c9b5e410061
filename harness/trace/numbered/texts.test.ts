import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { encodeText, hashOf, keyOf, NO_TEXT, Texts } from './texts.ts';

const SEED = 20_261_217;
const RUNS = Number(process.env['NUMBERED_CASES'] ?? 200);

const text = fc.oneof(
  fc.nat(9_999).map((number) => `order-${number}`),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
);

function bytesOf(string: string): { readonly view: DataView; readonly end: number } {
  const view = new DataView(new ArrayBuffer(3 * string.length + 3));
  return { view, end: encodeText(string, view) };
}

describe('texts', () => {
  test(`are numbered as they come, each once, on ${RUNS} lists of seed ${SEED}`, () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 200, size: 'max' }), fc.boolean(), (strings, isCleared) => {
        const texts = new Texts();
        if (isCleared) {
          for (const string of strings) texts.numberOf(string);
          texts.clear();
        }
        const all = [''];
        for (const string of strings) {
          const { view, end } = bytesOf(string);
          const known = all.indexOf(string);
          expect(texts.find(view, 0, end)).toBe(known < 0 ? NO_TEXT : known);
          expect(texts.numberAt(view, 0, end, hashOf(view, 0, end))).toBe(known < 0 ? all.length : known);
          if (known < 0) all.push(string);
        }
        expect(texts.size).toBe(all.length);
        expect(all.map((_, index) => texts.stringOf(index))).toEqual(all);
        expect(all.map((string) => texts.numberOf(string))).toEqual(all.map((_, index) => index));
      }),
      { seed: SEED, numRuns: RUNS },
    );
  });

  test('keep their numbers when there are many', () => {
    const texts = new Texts();
    const strings = Array.from({ length: 50_000 }, (_, index) => `/registry/pods/default/set-${index}-pod`);
    const numbers = strings.map((string) => texts.numberOf(string));
    expect(numbers).toEqual(strings.map((_, index) => index + 1));
    expect(strings.map((string) => texts.numberOf(string))).toEqual(numbers);
    expect(texts.stringOf(40_000)).toBe('/registry/pods/default/set-39999-pod');
  });
});

describe('the key of a text', () => {
  const keyOfText = (string: string): number => {
    const { view, end } = bytesOf(string);
    return keyOf(hashOf(view, 0, end), view, 0, end);
  };

  test('differs only in its last bits from those that are counted like it', () => {
    for (const stem of ['', 'a', 'ab', 'abc', 'order-', '0.123', 'a-pod-of-a-set-1'])
      expect(new Set(['0', '1', '2', '3', '4', '5', '6', '7'].map((digit) => keyOfText(stem + digit) >> 3)).size).toBe(
        1,
      );
  });

  test('is another one for every text of many that are alike', () => {
    const strings = Array.from({ length: 20_000 }, (_, index) => [`set-${index}`, `${index}.1`, `${index}-pod`]).flat();
    expect(new Set(strings.map(keyOfText)).size).toBeGreaterThan(strings.length - 10);
    const places = new Set(strings.map((string) => keyOfText(string) & 0x3fff8));
    expect(places.size).toBeGreaterThan(8_000);
  });
});
