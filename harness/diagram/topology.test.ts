import { expect, test } from '@jest/globals';
import { checkTopology, connectedParticipants, type Diagram, type Message, type Topology } from './index.ts';

const AT = { line: 1, column: 1 };
const message = (from: string | null, to: string | null): Message => ({
  ...{ from, to, text: '', line: 'solid', head: 'arrow', at: AT },
});
const diagram = (
  participants: readonly (readonly [id: string, label: string])[],
  messages: readonly Message[],
): Diagram => ({
  ...{ name: 'd', file: 'd.md', dialect: 'mermaid', fragments: [], items: [], notes: [], activations: [], steps: [] },
  participants: participants.map(([id, label]) => ({ id, label, kind: 'participant', at: AT })),
  messages,
});
const topology: Topology = {
  services: [
    { id: 'api', label: 'API Server', at: AT },
    { id: 'etcd', label: 'Etcd', at: AT },
    { id: 'kubelet', label: 'Kubelet', at: AT },
  ],
  connections: [
    ['api', 'etcd'],
    ['kubelet', 'api'],
  ],
};
const PARTICIPANTS = [
  ['ApiServer', 'ApiServer'],
  ['E', 'etcd'],
  ['kubelet', 'the node'],
  ['User', 'User'],
] as const;

test('a message between services that are not connected is found, in either direction; others are not', () => {
  const drawn = diagram(PARTICIPANTS, [
    message('ApiServer', 'E'),
    message('E', 'ApiServer'),
    message('kubelet', 'E'),
    message('E', 'E'),
    message('E', 'kubelet'),
    message(null, 'E'),
  ]);
  expect(checkTopology({ ...drawn, topology })).toEqual([
    { kind: 'no-such-connection', message: 2, from: 'kubelet', to: 'E' },
    { kind: 'no-such-connection', message: 4, from: 'E', to: 'kubelet' },
  ]);
  expect(checkTopology(drawn)).toEqual([]);
});

test('a participant that is no service is told once, and its messages are not looked up', () => {
  const drawn = diagram(PARTICIPANTS, [message('User', 'E'), message('E', 'User')]);
  expect(checkTopology({ ...drawn, topology })).toEqual([{ kind: 'no-such-service', participant: 'User' }]);
});

test('the connected pairs are those that the topology allows, and all with a participant that it does not know', () => {
  const drawn = diagram(PARTICIPANTS, []);
  expect(connectedParticipants(drawn)).toBeNull();
  expect(connectedParticipants({ ...drawn, topology })).toEqual([
    ['ApiServer', 'E'],
    ['ApiServer', 'kubelet'],
    ['ApiServer', 'User'],
    ['E', 'User'],
    ['kubelet', 'User'],
  ]);
});
