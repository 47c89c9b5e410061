import { expect, test } from '@jest/globals';
import type { Diagram, Message, Topology } from '../diagram/index.ts';
import { compileContract } from './index.ts';

const AT = { line: 1, column: 1 };
const message = (from: string, to: string): Message => ({
  ...{ from, to, text: 'x', line: 'solid', head: 'arrow', at: AT },
});
const drawn: Diagram = {
  ...{ name: 'd', file: 'd.md', dialect: 'mermaid', fragments: [], notes: [], activations: [], steps: [] },
  participants: ['User', 'Api', 'Db'].map((id) => ({ id, label: id, kind: 'participant', at: AT })),
  messages: [message('User', 'Api'), message('Api', 'Db')],
  items: [{ message: 0 }, { message: 1 }],
};
const topologyWith = (connections: Topology['connections']): Topology => ({
  services: ['api', 'db'].map((id) => ({ id, label: id, at: AT })),
  connections,
});

test('a contract carries the connections of the topology by lifeline, and none without a topology', () => {
  expect(compileContract(drawn, []).value.connections).toBeUndefined();
  const connected = compileContract({ ...drawn, topology: topologyWith([['db', 'api']]) }, []).value;
  expect(connected.lifelines.map(({ id }) => id)).toEqual(['User', 'Api', 'Db']);
  expect(connected.connections).toEqual([
    [0, 1],
    [0, 2],
    [1, 2],
  ]);
});

test('what the topology does not connect is not among them', () => {
  const apart = compileContract({ ...drawn, topology: topologyWith([]) }, []).value;
  expect(apart.connections).toEqual([
    [0, 1],
    [0, 2],
  ]);
});
