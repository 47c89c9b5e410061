import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { withEntries, type Contract, type Guard, type Node } from '../contract/index.ts';
import { arbitraryCase, describeCase } from '../testing/index.ts';
import { check } from './index.ts';

const SEED = 20_260_102;
const CASES = 300;

/** The contract with a guard on every operand, option and loop that it draws. */
function guardAll(contract: Contract, when: string): Contract {
  const guards: Guard[] = [];
  const guarded = (body: Node): Node => {
    const guard = guards.push({ text: `g${guards.length}`, when, fragment: 0, operand: 0 }) - 1;
    return { kind: 'guarded', guard, body: wrap(body) };
  };
  const wrap = (node: Node): Node => {
    switch (node.kind) {
      case 'seq':
        return { ...node, items: node.items.map(wrap) };
      case 'par':
      case 'alt':
        return { ...node, operands: node.operands.map(guarded) };
      case 'opt':
      case 'loop':
        return { ...node, body: guarded(node.body) };
      case 'message':
      case 'concurrent':
      case 'guarded':
      case 'critical':
      case 'break':
        return node;
    }
  };
  const term = wrap(contract.term);
  return { ...contract, term, messages: withEntries(contract.messages, term), guards };
}

function mentionsChoice(contract: Contract): boolean {
  return /"kind":"(alt|opt|loop|par)"/u.test(JSON.stringify(contract.term));
}

describe('a guard', () => {
  test(`that is always true changes no verdict (seed ${SEED})`, () => {
    let guarded = 0;
    fc.assert(
      fc.property(arbitraryCase(), (judged) => {
        const { contract, events } = judged;
        if (mentionsChoice(contract)) guarded += 1;
        for (const complete of [true, false]) {
          const trace = { events, begun: true, ended: complete };
          const plain = check(contract, trace, { complete });
          const other = check(guardAll(contract, 'seq >= 0'), trace, { complete });
          if (plain.outcome !== other.outcome)
            throw new Error(`${plain.outcome} becomes ${other.outcome}:\n${describeCase(judged)}`);
        }
      }),
      { seed: SEED, numRuns: CASES },
    );
    expect(guarded).toBeGreaterThan(CASES / 2);
  });

  test(`that is never true lets no message of its operands conform (seed ${SEED})`, () => {
    let refused = 0;
    fc.assert(
      fc.property(arbitraryCase(), ({ contract, events }) => {
        const verdict = check(guardAll(contract, 'seq < 0'), { events, begun: true, ended: true });
        const inside = new Set(
          guardAll(contract, 'seq < 0').messages.flatMap(({ entry, drawn }) => (entry === undefined ? [] : [drawn])),
        );
        const wrong = verdict.instances.filter(
          ({ outcome, taken }) => outcome === 'conforms' && [...inside].some((arrow) => (taken[arrow] ?? 0) > 0),
        );
        expect(wrong).toEqual([]);
        if (verdict.instances.some(({ violations }) => violations.some(({ kind }) => kind === 'wrong-branch')))
          refused += 1;
      }),
      { seed: SEED, numRuns: CASES },
    );
    expect(refused).toBeGreaterThan(CASES / 20);
  });
});
