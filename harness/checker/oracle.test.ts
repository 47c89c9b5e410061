import { describe, expect, test } from '@jest/globals';
import { lateMessages, type Contract, type ContractMessage, type Node, type Order } from '../contract/index.ts';
import { judgedCase, judgeNaively, seedOf, Tally, type NaiveVerdict } from '../testing/index.ts';
import type { SourcedEvent } from '../trace/index.ts';

const SEED = 20_260_101;

describe('the cases by which checker and naive oracle are compared', () => {
  test('tell each rule from its neighbours: a checker that misread the contract would differ', () => {
    const told = new Tally();
    const cases = 4000;
    for (let index = 0; index < cases; index++) {
      const { contract, events } = judgedCase(seedOf(SEED, index));
      const found = judge(contract, events);
      for (const [name, misread] of Object.entries(misreadings(contract)))
        if (judge({ ...contract, ...misread }, events) !== found) told.add(name);
    }
    const orders = ['strict as lifeline', 'strict as causal', 'lifeline as strict', 'lifeline as causal'];
    const needed = [
      ...orders,
      'causal as strict',
      'causal as lifeline',
      'unordered as ordered',
      'overtaken as in line',
    ];
    expect(told.rare(Object.fromEntries(needed.map((name) => [name, 0.002])), cases)).toEqual([]);
    expect(told.rare({ 'calls as sends': 0.0002, 'replies of no call': 0.0002 }, cases)).toEqual([]);
  });
});

/** The contract, read wrongly in one respect at a time. */
function misreadings(contract: Contract): Readonly<Record<string, Partial<Contract>>> {
  const { order, unordered, messages } = contract;
  const orders: readonly Order[] = ['strict', 'lifeline', 'causal'];
  return {
    ...Object.fromEntries(
      orders.filter((other) => other !== order).map((other) => [`${order} as ${other}`, { order: other }]),
    ),
    ...(unordered.length === 0 ? {} : { 'unordered as ordered': { unordered: [] } }),
    ...(lateMessages(contract).size === 0 ? {} : { 'overtaken as in line': { term: inLine(contract.term) } }),
    ...(order === 'causal'
      ? {
          'calls as sends': { messages: messages.map((message) => ({ ...message, kind: asSend(message.kind) })) },
          'replies of no call': { messages: messages.map(withoutCall) },
        }
      : {}),
  };
}

/** Every message received where it is sent. */
function inLine(term: Node): Node {
  return JSON.parse(JSON.stringify(term, (key, value: unknown) => (key === 'late' ? undefined : value))) as Node;
}

function withoutCall({ index, drawn, from, to, kind, match, keyed }: ContractMessage): ContractMessage {
  return { index, drawn, from, to, kind, match, keyed };
}

function asSend(kind: ContractMessage['kind']): ContractMessage['kind'] {
  return kind === 'call' ? 'send' : kind;
}

/** Too many executions count as one more verdict: then no misreading is told. */
function judge(contract: Contract, events: readonly SourcedEvent[]): string {
  try {
    const { conforms, viable }: NaiveVerdict = judgeNaively(
      contract,
      events.map(({ event }) => event),
    );
    return conforms ? 'conforms' : viable ? 'viable' : 'violates';
  } catch {
    return 'too intricate';
  }
}
