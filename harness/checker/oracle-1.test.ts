import { expect, test } from '@jest/globals';
import { GATE_CASES, gateFaults } from '../testing/index.ts';

test(
  `the checker and the naive oracle agree on ${GATE_CASES} cases, part 1 of 2`,
  () => {
    expect(gateFaults(1)).toEqual([]);
  },
  60_000 + GATE_CASES * 40,
);
