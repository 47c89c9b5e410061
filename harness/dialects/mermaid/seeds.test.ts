import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { type Diagram, pathOf, type TextSource, walkMessages } from '../../diagram/index.ts';
import { readMermaid } from './index.ts';

/** The document holds both diagrams without a fence; cut out here by hand, so that this test needs no other dialect. */
const FILE = 'specs/k8s-diagram-collection/diagrams.md';
const lines = readFileSync(new URL(`../../../${FILE}`, import.meta.url), 'utf8').split('\n');

function readLines(name: string, first: number, last: number): Diagram {
  const source: TextSource = { file: FILE, name, place: (line, column) => ({ line: line + first - 1, column }) };
  const { value, diagnostics } = readMermaid(lines.slice(first - 1, last).join('\n'), source);
  expect(diagnostics).toEqual([]);
  return value;
}

/** `line:column from arrow to: text`, as drawn. */
function written(diagram: Diagram, index: number): string {
  const { at, from, to, line, head, text } = diagram.messages[index]!;
  return `${at.line}:${at.column} ${from ?? ''} ${line} ${head} ${to ?? ''}: ${text}`;
}

describe('the complicated diagram', () => {
  const diagram = readLines('k8s-event-seq-complicate.md', 5, 66);

  test('has 8 participants as declared', () => {
    expect(diagram.participants.map(({ id, at }) => `${at.line}:${at.column} ${id}`)).toEqual([
      '6:17 User',
      '7:17 ApiServer',
      '8:17 Etcd',
      '9:17 ControllerManager',
      '10:17 ReplicaSetController',
      '11:17 Scheduler',
      '12:17 Kubelet',
      '13:17 Docker',
    ]);
  });

  test('has 33 messages: 16 solid, 14 dashed, 3 with a cross', () => {
    const count = (line: string, head: string): number =>
      diagram.messages.filter((message) => message.line === line && message.head === head).length;
    expect(diagram.messages).toHaveLength(33);
    expect([count('solid', 'arrow'), count('dashed', 'arrow'), count('solid', 'cross')]).toEqual([16, 14, 3]);
  });

  test.each([
    [0, '15:5 User solid arrow ApiServer: Create ReplicaSet (POST /apis/apps/v1/namespaces/default/replicasets)'],
    [3, '18:5 ApiServer dashed arrow User: Return ReplicaSet object (201 Created)'],
    [4, '21:9 Etcd solid cross ControllerManager: Notify ReplicaSet change (Event)'],
    [5, '22:9 ControllerManager solid arrow ReplicaSetController: Delegate handling ReplicaSet change'],
    [8, '28:17 ReplicaSetController solid arrow ApiServer: Create Pod (POST /api/v1/namespaces/default/pods)'],
    [15, '38:17 ApiServer dashed arrow ReplicaSetController: Return status object (200 OK)'],
    [17, '46:9 Scheduler solid arrow ApiServer: Get Pod details  (GET /api/v1/namespaces/default/pods/my-pod-xxx)'],
    [18, '47:9 ApiServer dashed arrow Scheduler: return pod object'],
    [24, '56:8 Kubelet solid arrow ApiServer: Get Pod details   (GET /api/v1/namespaces/default/pods/my-pod-xxx)'],
    [25, '57:8 Kubelet solid arrow Docker: create container from pod spec   docker run ...'],
    [32, '64:8 ApiServer dashed arrow Kubelet: return status object   200 OK'],
  ])('message %i stands as drawn', (index, expected) => {
    expect(written(diagram, index)).toBe(expected);
  });

  test('has 5 loops and 1 alt, as nested', () => {
    const fragments = diagram.fragments.map(
      ({ kind, operands }) =>
        `${kind} ${operands.map(({ guard, at }) => `${at.line}:${at.column} ${guard}`).join(' | ')}`,
    );
    expect(fragments).toEqual([
      'loop 20:5 Watch ReplicaSets',
      'alt 26:9 Desired replicas > current replicas | 33:9 Desired replicas < current replicas',
      'loop 27:13 Create missing Pods',
      'loop 34:13 Delete excess Pods',
      'loop 44:5 Watch Pods without Node assignment',
      'loop 54:1 Watch Pods with Node assignment',
    ]);
    const paths = [...walkMessages(diagram)].map(({ inside }) =>
      pathOf(inside)
        .map(({ fragment, operand }) => `${fragment}.${operand}`)
        .join(' '),
    );
    const times = (path: string, count: number): readonly string[] => new Array<string>(count).fill(path);
    expect(paths).toEqual([
      ...times('', 4),
      ...times('0.0', 4),
      ...times('0.0 1.0 2.0', 4),
      ...times('0.0 1.1 3.0', 4),
      ...times('4.0', 7),
      ...times('5.0', 10),
    ]);
  });

  test('activates the ReplicaSet controller once, inside its loop', () => {
    expect(diagram.activations).toEqual([
      { participant: 'ReplicaSetController', on: true, before: 6 },
      { participant: 'ReplicaSetController', on: false, before: 16, borders: 2 },
    ]);
  });
});

describe('the simple diagram', () => {
  const diagram = readLines('k8s-events-seq-simple.md', 69, lines.length);

  test('has 6 participants, one with a blank in its name', () => {
    expect(diagram.participants.map(({ id }) => id)).toEqual([
      'User',
      'API Server',
      'Etcd',
      'Scheduler',
      'Kubelet',
      'Docker',
    ]);
  });

  test('has 16 messages, in order, with their ends, styles and texts', () => {
    expect(diagram.messages.map((_, index) => written(diagram, index).replace(/^\S+ /, ''))).toEqual([
      'User solid arrow API Server: create deployment',
      'API Server solid arrow Etcd: write',
      'Etcd dashed arrow API Server: OK',
      'API Server dashed arrow User: OK',
      'API Server solid arrow Scheduler: watcher - API Server(new pod)',
      'Scheduler solid arrow API Server: bind pod',
      'API Server solid arrow Etcd: write',
      'Etcd dashed arrow API Server: OK',
      'API Server dashed arrow Scheduler: OK',
      'API Server solid arrow Kubelet: watcher - API Server(bound pod)',
      'Kubelet solid arrow Docker: docker run',
      'Docker dashed arrow Kubelet: OK',
      'Kubelet solid arrow API Server: update pod status',
      'API Server solid none Etcd: write',
      'Etcd dashed none API Server: OK',
      'API Server dashed none Kubelet: OK',
    ]);
  });

  test('places its messages in the document', () => {
    expect(diagram.messages.map(({ at }) => `${at.line}:${at.column}`)).toEqual(
      [77, 79, 81, 83, 86, 88, 90, 92, 94, 98, 100, 102, 104, 106, 108, 110].map((line) => `${line}:5`),
    );
    expect(diagram.fragments).toEqual([]);
  });

  test('opens nine activations and closes all of them', () => {
    const open = diagram.activations.filter(({ on }) => on);
    expect([open.length, diagram.activations.length]).toEqual([9, 18]);
    // The last line of the document has no line end.
    expect(diagram.activations.at(-1)).toEqual({ participant: 'Kubelet', on: false, before: 16 });
  });
});
