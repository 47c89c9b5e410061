import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { readDocument } from '../dialects/index.ts';
import { readBinding } from './binding-reader.ts';
import { compileContract } from './compile.ts';
import { explainContract } from './explain.ts';
import type { Contract } from './types.ts';

/** The four diagrams of the seed documents with the bindings beside them. */
function compileSpec(path: string): readonly Contract[] {
  const read = (file: string) => readFileSync(new URL(`../../specs/${file}`, import.meta.url), 'utf8');
  const bindingFile = path.replace(/\.\w+$/u, '.bindings.yaml');
  const document = readDocument(read(path), path);
  const binding = readBinding(read(bindingFile), bindingFile);
  const compiled = document.value.map((diagram) => compileContract(diagram, binding.value));
  expect(binding.diagnostics).toEqual([]);
  expect(compiled.flatMap(({ diagnostics }) => diagnostics)).toEqual([]);
  return compiled.map(({ value }) => value);
}

const [createPod] = compileSpec('create-pod/diagram.txt');
const [complicate, simple] = compileSpec('k8s-diagram-collection/diagrams.md');
const [steps] = compileSpec('pod-scheduling/steps.md');

const countOf = (contract: Contract | undefined, kind: string): number =>
  contract?.messages.filter((message) => message.kind === kind).length ?? 0;

const summary = (contract: Contract | undefined) => ({
  key: contract?.key,
  drawn: contract?.drawn.length,
  calls: countOf(contract, 'call'),
  replies: countOf(contract, 'reply'),
  sends: countOf(contract, 'send'),
});

describe('the seed specs compile with their bindings', () => {
  test.each([
    // docker run is two calls; the two notifications have no reply.
    ['create-pod', createPod, { key: ['pod'], drawn: 16, calls: 8, replies: 7, sends: 2 }],
    ['simple', simple, { key: ['deployment', 'pod'], drawn: 16, calls: 8, replies: 7, sends: 2 }],
    // 16 solid arrows, of which Delegate and the kubelet's GET have no drawn reply; 14 dashed; 3 crossed.
    ['complicate', complicate, { key: ['replicaset', 'pod'], drawn: 33, calls: 14, replies: 14, sends: 5 }],
    ['steps', steps, { key: ['deployment', 'pod'], drawn: 12, calls: 0, replies: 0, sends: 13 }],
  ])('%s', (_, contract, expected) => {
    expect(summary(contract)).toEqual(expected);
  });

  test('each write belongs to the request that is open', () => {
    const writes = createPod?.messages.filter(({ match }) => match.template?.method === 'PUT') ?? [];
    expect(writes.map(({ match }) => match.inside)).toEqual([
      { kind: 'caller', call: 0 },
      { kind: 'caller', call: 5 },
      { kind: 'caller', call: 13 },
    ]);
  });

  test("the kubelet's GET has no drawn reply, the scheduler's has", () => {
    const gets = complicate?.messages.filter(({ match }) => match.template?.method === 'GET') ?? [];
    expect(gets.map(({ kind }) => kind)).toEqual(['call', 'call', 'send']);
  });

  test('the three loops of the controllers run side by side', () => {
    const term = complicate?.term;
    const last = term?.kind === 'seq' ? term.items.at(-1) : undefined;
    expect(last?.kind === 'concurrent' && last.loops.map((loop) => loop.kind === 'loop' && loop.keyed)).toEqual([
      true,
      true,
      true,
    ]);
  });

  test('the open watches stand before their first delivery', () => {
    expect(
      steps?.standing.map(({ message, before }) =>
        [message, before].map((index) => steps.messages[index ?? -1]?.drawn),
      ),
    ).toEqual([
      [3, 4],
      [7, 8],
    ]);
  });
});

describe('a contract is explained in words', () => {
  const linesOf = (contract: Contract | undefined) =>
    contract === undefined ? [] : explainContract(contract).split('\n');
  test.each([
    ['create-pod', createPod, '  Dev: traced as User'],
    ['create-pod', createPod, '  one instance per pod'],
    ['create-pod', createPod, '  events are outside the contract unless !has(k8s.replicaset.name)'],
    [
      'create-pod',
      createPod,
      '  lifeline: on each participant, messages come in the order drawn, within what alternatives and repetitions allow; nothing else is ordered',
    ],
    ['complicate', complicate, '  again and again, beside the other loops (loop Watch ReplicaSets):'],
    ['complicate', complicate, '  pod, drawn as my-pod-xxx, found by k8s.pod.name'],
    [
      'complicate',
      complicate,
      '        line 29  Persist Pod object (PUT /registry/pods/default/my-pod-xxx): ApiServer -> Etcd, call, PUT /registry/pods/default/{pod}, while serving line 28',
    ],
    ['complicate', complicate, '  line 51  erratum  return status object (200 OK): pods/binding answers 201'],
    [
      'complicate',
      complicate,
      '  the loops in lines 21-38, lines 45-51, lines 55-64 run for ever; between them only causality orders',
    ],
    [
      'complicate',
      complicate,
      '  line 18 (Return ReplicaSet object (201 Created)) and line 21 (Notify ReplicaSet change (Event)): either may come first',
    ],
    [
      'steps',
      steps,
      "  line 11  unobservable  The first action we see is you running the command kubectl apply -f deployment.yaml. Our kubeconfig file gives permission to kubectl to communicate with our Kubernetes cluster.: kubectl runs on the user's machine",
    ],
  ])('%s', (_, contract, line) => {
    expect(linesOf(contract)).toContain(line);
  });

  test('without a binding it says what it guessed', () => {
    const [diagram] = readDocument('sequenceDiagram\nA->>B: PUT /pods/my-pod-xxx\nC->>D: other', 'd.mmd').value;
    if (diagram === undefined) throw new Error('a diagram');
    const text = explainContract(compileContract(diagram, []).value);
    expect(text).toContain('without a binding');
    expect(text).toContain('my-pod, drawn as my-pod-xxx, found where a pattern captures it (guessed from the drawing');
    expect(text).toContain('line 2 (PUT /pods/my-pod-xxx) and line 3 (other): either may come first');
  });

  test('under causal, two sends of one participant are not ordered', () => {
    const [diagram] = readDocument('sequenceDiagram\nA->>B: x\nA->>C: y\nC->>D: z', 'd.mmd').value;
    if (diagram === undefined) throw new Error('a diagram');
    const unenforced = (order: 'causal' | 'lifeline') =>
      explainContract(compileContract(diagram, [], { order }).value).match(/either may come first/gu)?.length ?? 0;
    expect(unenforced('causal')).toBe(1);
    expect(unenforced('lifeline')).toBe(0);
  });

  test('text of an author cannot write to the terminal', () => {
    const [diagram] = readDocument('sequenceDiagram\nA->>B: x', 'd.mmd').value;
    if (diagram === undefined) throw new Error('a diagram');
    const message = diagram.messages.map((one) => ({ ...one, text: 'a\u001b[31m\nb\u202e' }));
    const text = explainContract(compileContract({ ...diagram, messages: message }, []).value);
    expect(text).not.toMatch(/[\u001b\u202e]/u);
    expect(text).toContain('line 2  a [31m b');
  });
});
