import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Bindings, NOBODY } from './bindings.ts';
import { EXTENDED, FAILED, LiveInstances, TAKEN_ANY } from './live-instances.ts';

const SEED = 20_261_219;
const MESSAGES = 5;

/** Twenty names, of one value or of two. */
const name = fc.nat(19).map((number) => (number < 10 ? [`a${number}`, undefined] : [`a${number % 4}`, `b${number}`]));
const command = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('add' as const), name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('like' as const), name, other: name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reset' as const), name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('renumber' as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('take' as const),
      name,
      message: fc.nat(MESSAGES - 1),
      times: fc.constantFrom(1, 2, 254, 255, 256, 600),
    }),
  },
);

interface Modelled {
  counts: number[];
  state: number;
  bits: number;
}

describe('live instances', () => {
  test(`keep what they took, as objects of their own would, on lists of commands of seed ${SEED}`, () => {
    let large = 0;
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60, size: 'max' }), (commands) => {
        const bindings = new Bindings(2);
        const instances = new LiveInstances(MESSAGES, bindings);
        const model = new Map<string, Modelled>();
        commands.forEach((given, index) => {
          if (given.kind === 'renumber') {
            bindings.renumber((move) => {
              instances.rebind(move);
            });
            return;
          }
          const binding = bindings.ofWords(given.name);
          const key = bindings.inWords(binding).name;
          const known = model.get(key);
          const instance = bindings.instance(binding);
          expect(instance === NOBODY).toBe(known === undefined);
          if (given.kind === 'add' && known === undefined) {
            instances.add(binding, index, null);
            model.set(key, { counts: Array.from({ length: MESSAGES }, () => 0), state: index, bits: 0 });
          } else if (given.kind === 'like' && known === undefined) {
            const other = bindings.ofWords(given.other);
            const like = model.get(bindings.inWords(other).name);
            if (like === undefined) return;
            instances.add(binding, index, bindings.instance(other));
            model.set(key, { counts: [...like.counts], state: index, bits: like.bits & ~EXTENDED });
          } else if (known === undefined) return;
          else if (given.kind === 'remove') {
            instances.remove(instance);
            model.delete(key);
          } else if (given.kind === 'reset') {
            instances.reset(instance, index);
            model.set(key, {
              counts: known.counts.map(() => 0),
              state: index,
              bits: known.bits & (FAILED | EXTENDED),
            });
          } else if (given.kind === 'take') {
            for (let time = 0; time < given.times; time++) instances.take(instance, given.message);
            const bits = [TAKEN_ANY, FAILED, EXTENDED][index % 3] ?? 0;
            instances.mark(instance, bits);
            instances.setState(instance, index);
            known.counts[given.message] = (known.counts[given.message] ?? 0) + given.times;
            known.bits |= bits;
            known.state = index;
            large += (known.counts[given.message] ?? 0) > 255 ? 1 : 0;
          }
        });
        expect(instances.size).toBe(model.size);
        const found = new Map<string, Modelled>();
        instances.forEach((instance) => {
          found.set(instances.nameOf(instance), {
            counts: Array.from({ length: MESSAGES }, (_, message) => instances.count(instance, message)),
            state: instances.state(instance),
            bits: [TAKEN_ANY, FAILED, EXTENDED].reduce((all, bit) => all | (instances.has(instance, bit) ? bit : 0), 0),
          });
        });
        expect([...found].sort()).toEqual([...model].sort());
      }),
      { seed: SEED, numRuns: 300 },
    );
    expect(large).toBeGreaterThan(100);
  });
});

describe('bindings', () => {
  test('of many values are numbered each once, and say their words', () => {
    const bindings = new Bindings(2);
    const words = Array.from({ length: 5_000 }, (_, index) => [
      [`set-${index % 50}`, `pod-${index}`],
      [`set-${index % 50}`, undefined],
      [undefined, `pod-${index}`],
    ]).flat();
    const numbers = words.map((values) => bindings.ofWords(values));
    expect(words.map((values) => bindings.ofWords(values))).toEqual(numbers);
    expect(numbers.map((number) => bindings.inWords(number).values)).toEqual(words);
    expect(new Set(numbers).size).toBe(10_050);
  });

  test('are joined, and have parts', () => {
    const bindings = new Bindings(2);
    const [first, second, both] = [
      ['a', undefined],
      [undefined, 'b'],
      ['a', 'b'],
    ].map((words) => bindings.ofWords(words));
    if (first === undefined || second === undefined || both === undefined) throw new Error('three were asked for');
    expect([bindings.joined(first, second), bindings.joined(second, first), bindings.joined(both, first)]).toEqual([
      both,
      both,
      both,
    ]);
    expect(bindings.joined(bindings.ofWords(['c', undefined]), both)).toBe(bindings.ofWords(['c', 'b']));
    expect(bindings.partsOf(both)).toEqual([first, second, bindings.ofWords([])]);
    expect(bindings.partsOf(first)).toEqual([bindings.ofWords([])]);
  });

  test('that are closed take in nothing new', () => {
    const bindings = new Bindings(1);
    bindings.close();
    const before = bindings.size;
    expect(bindings.ofWords(['a'])).toBe(bindings.ofWords([]));
    expect(bindings.size).toBe(before);
  });
});
