import { expect, test } from '@jest/globals';
import { compileContract } from '../contract/index.ts';
import { readDocument } from '../dialects/index.ts';
import type { SourcedEvent } from '../trace/index.ts';
import { check } from './index.ts';

test('what is received before it is sent, by its clock, has no latency, and that is said', () => {
  const [diagram] = readDocument('sequenceDiagram\nloop\nA->>B: ask\nB->>A: tell\nend\n', 'drawing.mmd').value;
  if (diagram === undefined) throw new Error('a drawing was read');
  const contract = compileContract(diagram, []).value;
  const event = (seq: number, took: number): SourcedEvent => ({
    event: {
      seq,
      from: seq % 2 === 1 ? 'A' : 'B',
      to: seq % 2 === 1 ? 'B' : 'A',
      kind: 'async',
      label: seq % 2 === 1 ? 'ask' : 'tell',
      time: 1_000,
      receivedTime: 1_000 + took,
    },
    source: 'trace.ndjson',
    line: seq,
  });
  const told = (...latencies: readonly number[]): unknown => {
    const events = latencies.map((took, index) => event(index + 1, took));
    const { arrows, remarks } = check(contract, { events, begun: true, ended: true });
    return [arrows.map(({ latencyMs }) => latencyMs?.max), remarks];
  };
  expect(told(5, 7)).toEqual([[5, 7], []]);
  expect(told(5, -7)).toEqual([
    [5, undefined],
    ['by its clock received before it was sent: "tell" (drawing.mmd:4); no latency is told of such events'],
  ]);
  expect(told(-5, -7, 4, 2)).toEqual([
    [4, 2],
    [
      'by its clock received before it was sent: "ask" (drawing.mmd:3), "tell" (drawing.mmd:4); no latency is told of such events',
    ],
  ]);
});
