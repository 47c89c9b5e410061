import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LabelClasses } from './label-classes.ts';
import { Texts } from './texts.ts';

const SEED = 20_261_218;
const RUNS = Number(process.env['NUMBERED_CASES'] ?? 400);

const REQUEST = /^[A-Z]+ (?:\/[\w~-](?:[\w.~-]*[\w~-])?)+$/;
const MATTER = new Set(['pods', 'a', 'GET ']);

const segment = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('pods', 'a', 'web-1', 'v1.2', '~') },
  fc.constantFrom('', '.', '..', 'a.', '.a', 'é', 'a b', 'x?y'),
);
const label = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('GET', 'GET', 'PUT', 'PUT', 'get', ''),
      fc.constantFrom(' ', ' ', ' ', ' ', '  ', ''),
      fc.array(segment, {
        maxLength: 4,
      }),
    )
    .map(([method, blank, segments]) => method + blank + segments.map((segment) => `/${segment}`).join('')),
  fc.string({ maxLength: 10 }),
);

/** What labels of one class have in common, in words; null: the label is like no other. */
function classInWords(text: string): string | null {
  if (!REQUEST.test(text)) return null;
  const [method = '', ...segments] = text.split('/');
  return [method, ...segments.map((segment) => (MATTER.has(segment) ? segment : '*'))].join('/');
}

describe('labels', () => {
  test(`are of one class where they differ in segments only that do not matter, on ${RUNS} lists of seed ${SEED}`, () => {
    let requests = 0;
    fc.assert(
      fc.property(fc.array(label, { maxLength: 30, size: 'max' }), (labels) => {
        const texts = new Texts();
        const classes = new LabelClasses(texts, MATTER);
        const byName = new Map<string, number>();
        for (const string of labels) {
          const text = texts.numberOf(string);
          const found = classes.classOf(text);
          const name = classInWords(string);
          expect(classes.hasSegments(text)).toBe(name !== null);
          expect(classes.classOf(text)).toBe(found);
          if (name === null) {
            expect(found).toBe(text);
            continue;
          }
          requests++;
          expect(found).toBeLessThan(-1);
          expect(byName.get(name) ?? found).toBe(found);
          byName.set(name, found);
          const segments = string.split('/').slice(1);
          for (let again = 0; again < 2; again++)
            expect(segments.map((_, index) => texts.stringOf(classes.segmentOf(text, index)))).toEqual(segments);
        }
        expect(new Set(byName.values()).size).toBe(byName.size);
      }),
      { seed: SEED, numRuns: RUNS },
    );
    expect(requests).toBeGreaterThan(RUNS);
  });

  test('of more segments than are looked at are like no other', () => {
    const texts = new Texts();
    const classes = new LabelClasses(texts, MATTER);
    const text = texts.numberOf(`GET ${'/a'.repeat(61)}`);
    expect([classes.classOf(text), classes.hasSegments(text)]).toEqual([text, false]);
    expect(classes.classOf(texts.numberOf(`GET ${'/a'.repeat(60)}`))).toBeLessThan(-1);
  });
});
