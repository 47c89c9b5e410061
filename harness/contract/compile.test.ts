import { describe, expect, test } from '@jest/globals';
import type { Diagram } from '../diagram/index.ts';
import { readDocument } from '../dialects/index.ts';
import { readBinding } from './binding-reader.ts';
import { checkBindings } from './choose-binding.ts';
import { compileContract } from './compile.ts';
import { explainContract } from './explain.ts';
import { printWords } from './label-words.ts';
import { printTemplate } from './template.ts';
import type { Contract, ContractMessage, Node, Order } from './types.ts';

function diagramsOf(drawing: string, file: string) {
  const document = readDocument(drawing, file);
  const errors = document.diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
  return document.value;
}

const mermaid = (lines: string) => diagramsOf(`sequenceDiagram\n${lines}\n`, 'd.mmd');
const STEPS = ['1. You ask.', '2. It stores.', '3. It tells.', '4. It is done.'].join('\n');

function compile(lines: string, binding?: string, order?: Order) {
  const [diagram] = lines === STEPS ? diagramsOf(STEPS, 'd.md') : mermaid(lines);
  if (diagram === undefined) throw new Error('no diagram');
  const read = readBinding(binding ?? '', 'd.bindings.yaml');
  const bindings = binding === undefined ? [] : read.value;
  const compiled = compileContract(diagram, bindings, order === undefined ? {} : { order });
  const told = [...read.diagnostics, ...compiled.diagnostics].map(
    ({ file, line, column, code, message }) =>
      `${file === 'd.bindings.yaml' ? '' : 'd '}${line}:${column} ${code} ${message}`,
  );
  return { contract: compiled.value, told };
}

function contractOf(lines: string, binding?: string, order?: Order): Contract {
  const { contract, told } = compile(lines, binding, order);
  expect(told).toEqual([]);
  return contract;
}

const nameOf = ({ lifelines }: Contract, end: number | null) => (end === null ? '' : (lifelines[end]?.label ?? '?'));

/** `A->B call`, `B-->A reply of 0`: who sends what to whom, as which kind. */
const kinds = (contract: Contract) =>
  contract.messages.map(({ from, to, kind, replyOf }) => {
    const shaft = kind === 'reply' ? '-->' : '->';
    return `${nameOf(contract, from)}${shaft}${nameOf(contract, to)} ${kind}${replyOf === undefined ? '' : ` of ${replyOf}`}`;
  });

const insides = (contract: Contract) =>
  contract.messages.map(({ match: { inside } }) =>
    inside.kind === 'free' ? 'free' : inside.kind === 'message' ? `by ${inside.message}` : (inside.call ?? 'any'),
  );

function matchText({ match }: ContractMessage): string {
  const { template, words, label, when, status } = match;
  const parts = [
    template && printTemplate(template),
    words && printWords(words),
    label && `"${label}"`,
    when,
    status && JSON.stringify(status),
  ];
  return parts.filter((part) => part !== undefined).join(' & ');
}
const matches = (contract: Contract) => contract.messages.map(matchText);

/** `0 loop*(1 alt(2 | 3))`: the term on one line. */
function term(node: Node): string {
  switch (node.kind) {
    case 'message':
      return String(node.message);
    case 'seq':
      return node.items.map(term).join(' ') || 'nothing';
    case 'alt':
      return `alt${node.optional ? '?' : ''}${node.keyed ? '!' : ''}(${node.operands.map(term).join(' | ')})`;
    case 'opt':
      return `opt${node.keyed ? '!' : ''}(${term(node.body)})`;
    case 'loop':
      return `loop${node.keyed ? '!' : ''}${node.min}..${node.max ?? ''}(${term(node.body)})`;
    case 'par':
      return `par(${node.operands.map(term).join(' | ')})`;
    case 'concurrent':
      return `concurrent(${node.loops.map(term).join(' | ')})`;
    case 'guarded':
      return `if${node.guard}(${term(node.body)})`;
    case 'critical':
      return `critical(${[node.body, ...node.options].map(term).join(' | ')})`;
    case 'break':
      return `break(${term(node.body)})`;
  }
}

describe('a dashed arrow answers the latest call in the opposite direction that is open on its path', () => {
  test.each([
    [
      'nested calls',
      'A->>B: x\nB->>C: y\nC-->>B: ok\nB-->>A: ok',
      ['A->B call', 'B->C call', 'C-->B reply of 1', 'B-->A reply of 0'],
    ],
    ['the latest of two', 'A->>B: x\nA->>B: y\nB-->>A: ok', ['A->B send', 'A->B call', 'B-->A reply of 1']],
    ['none is open', 'A->>B: x\nB-->>C: y', ['A->B send', 'B->C send']],
    ['answered once', 'A->>B: x\nB-->>A: y\nB-->>A: z', ['A->B call', 'B-->A reply of 0', 'B->A send']],
    ['one-way arrows expect nothing', 'A-xB: x\nA-)B: y\nB-->>A: z', ['A->B send', 'A->B send', 'B->A send']],
    ['arrows without heads', 'A->B: x\nB-->A: y', ['A->B call', 'B-->A reply of 0']],
    ['a self call', 'A->>A: x\nA-->>A: y', ['A->A call', 'A-->A reply of 0']],
    [
      'each branch for itself',
      'A->>B: x\nalt a\nB-->>A: 1\nelse b\nB-->>A: 2\nend',
      ['A->B call', 'B-->A reply of 0', 'B-->A reply of 0'],
    ],
    ['no call of a sibling', 'alt a\nA->>B: x\nelse b\nB-->>A: y\nend', ['A->B send', 'B->A send']],
    ['no call of a sibling beside', 'par a\nA->>B: x\nand b\nB-->>A: y\nend', ['A->B send', 'B->A send']],
    ['a call left open by an option', 'opt a\nA->>B: x\nend\nB-->>A: y', ['A->B call', 'B-->A reply of 0']],
    [
      'a call answered in all branches is over',
      'A->>B: x\nalt a\nB-->>A: 1\nelse b\nB-->>A: 2\nend\nB-->>A: 3',
      ['A->B call', 'B-->A reply of 0', 'B-->A reply of 0', 'B->A send'],
    ],
    [
      'a call answered in one branch may be open',
      'A->>B: x\nalt a\nB-->>A: 1\nelse b\nB->>C: y\nend\nB-->>A: 3',
      ['A->B call', 'B-->A reply of 0', 'B->C send', 'B-->A reply of 0'],
    ],
    [
      'a call answered in one parallel operand is over',
      'A->>B: x\npar a\nB-->>A: 1\nand b\nB->>C: y\nend\nB-->>A: 3',
      ['A->B call', 'B-->A reply of 0', 'B->C send', 'B->A send'],
    ],
    [
      'a frame around it changes nothing',
      'A->>B: x\nrect rgb(0,0,0)\nB-->>A: 1\nend\nB-->>A: 2',
      ['A->B call', 'B-->A reply of 0', 'B->A send'],
    ],
    ['a loop of answers', 'A->>B: x\nloop l\nB-->>A: 1\nend', ['A->B call', 'B-->A reply of 0']],
  ])('%s', (_, lines, expected) => {
    expect(kinds(contractOf(lines))).toEqual(expected);
  });

  test('a reply that answers different calls on different paths is refused', () => {
    expect(compile('alt a\nA->>B: x\nelse b\nA->>B: y\nend\nB-->>A: z').told).toEqual([
      expect.stringMatching(/^d 7:1 CON105 this reply answers one call on one path and another on another/),
    ]);
  });

  test('options in a row are followed, pair by pair, until there are too many paths', () => {
    const options = (pairs: string[]) => pairs.map((pair) => `opt o\n${pair}: x\nend`).join('\n');
    const times = (count: number, pair: (index: number) => string) =>
      Array.from({ length: count }, (_, index) => pair(index));
    expect(compile(options(times(20, (index) => `A->>B${index}`))).told).toEqual([]);
    expect(compile(`${options(times(20, () => 'A->>B'))}\nA->>B: y\nB-->>A: z`).told).toEqual([]);
    expect(compile(`${options(times(9, () => 'A->>B'))}\n${'B-->>A: y\n'.repeat(9)}`).told).toContainEqual(
      expect.stringContaining('d 2:1 CON104 there are too many paths'),
    );
  });
});

describe('a message belongs to the answered call that is drawn open to its sender', () => {
  test.each([
    [
      'the write of a request',
      'A->>B: x\nB->>C: w\nC-->>B: ok\nB-->>A: ok\nB->>C: w',
      ['any', 0, 'free', 'free', 'any'],
    ],
    [
      'the latest of nested calls',
      'A->>B: x\nC->>B: y\nB->>D: w\nB-->>C: ok\nB->>D: w\nB-->>A: ok',
      ['any', 'any', 1, 'free', 0, 'free'],
    ],
    ['a call without a drawn reply is not open', 'A->>B: x\nB->>C: w', ['any', 'any']],
    [
      'a call that may be over demands nothing',
      'A->>B: x\nopt o\nB-->>A: 1\nend\nB->>C: w\nB-->>A: 2',
      ['any', 'free', 'any', 'free'],
    ],
    ['inside a branch', 'A->>B: x\nalt a\nB->>C: w\nelse b\nB->>D: w\nend\nB-->>A: ok', ['any', 0, 0, 'free']],
  ])('%s', (_, lines, expected) => {
    expect(insides(contractOf(lines))).toEqual(expected);
  });

  const CALLS = 'A->>B: x\nB->>C: w\nB-->>A: ok\nA-)D: y\nD->>C: z';
  test('the binding may name the cause, or none', () => {
    expect(insides(contractOf(CALLS, 'messages:\n  w: { inside: false }\n  z: { inside: y }'))).toEqual([
      'any',
      'free',
      'free',
      'any',
      'by 3',
    ]);
    expect(insides(contractOf(CALLS, 'messages:\n  w: { inside: x }'))[1]).toBe(0);
  });

  test.each([
    ['messages:\n  z: { inside: nothing }', '2:16 BND121 no arrow "nothing" is drawn'],
    ['messages:\n  z: { inside: z }', '2:16 BND125 "z" is this arrow itself'],
    ['messages:\n  z: { inside: y }\n  y: { absent: never sent }', '2:16 BND125 "y" is absent'],
  ])('a cause that cannot be is told: %j', (binding, diagnostic) => {
    expect(compile(CALLS, binding).told).toEqual([diagnostic]);
  });
});

describe('what is drawn says how it is matched', () => {
  test.each([
    ['A->>B: create Pod', ['"create Pod"']],
    ['A->>B: Create Pod (POST /api/v1/namespaces/default/pods)', ['POST /api/v1/namespaces/default/pods']],
    ['A->>B: write PUT /pods/my-pod-xxx', ['PUT /pods/{my-pod}']],
    ['A->>B: GET /pods/{id}?watch=true', ['GET /pods/{id}?watch=true']],
    ['A->>B: GET /pods/<pod-name>/log', ['GET /pods/{pod-name}/log']],
    ['A->>B: GET /pods/:id', ['GET /pods/{id}']],
    ['A->>B: GET /pods/xxxx', ['GET /pods/*']],
    ['A->>B: Start POD-xxx', ['Start {POD}']],
    ['A->>B: begin {id}<br/>of <user> xxx', ['begin {id} of {user} *']],
    ['A->>B: ', ['']],
    ['A->>B: x\nB-->>A: done (201 Created)', ['"x"', '{"kind":"exact","status":201}']],
    ['A->>B: x\nB-->>A: pod object', ['"x"', '']],
  ])('%s', (lines, expected) => {
    expect(matches(contractOf(lines))).toEqual(expected);
  });

  test('guessed parameters are the key only where no binding says what is', () => {
    const lines = 'A->>B: PUT /pods/my-pod-xxx';
    expect(contractOf(lines)).toMatchObject({
      key: ['my-pod'],
      parameters: [{ name: 'my-pod', example: 'my-pod-xxx', guessed: true }],
    });
    expect(contractOf(lines, 'order: causal')).toMatchObject({ key: [], parameters: [{ guessed: true }] });
  });
});

describe('a binding says how a message shows up', () => {
  const TEXT = 'A->>B: write (PUT /pods/my-pod-xxx)\nB-->>A: 200 OK';
  const POD = 'parameters:\n  pod: { example: my-pod-xxx, from: k8s.pod.name }\n';
  test.each([
    ['an example is a capture', '', ['PUT /pods/{pod}', '{"kind":"exact","status":200}']],
    ['a request', 'messages:\n  write: PUT /x/*/{pod}', ['PUT /x/*/{pod}', '{"kind":"exact","status":200}']],
    ['a label', 'messages:\n  write: StoreWrite', ['"StoreWrite"', '{"kind":"exact","status":200}']],
    ['an expression', 'messages:\n  write: status == 1', ['status == 1', '{"kind":"exact","status":200}']],
    [
      'a condition is asked as well',
      'messages:\n  write: { when: a == 1 }',
      ['PUT /pods/{pod} & a == 1', '{"kind":"exact","status":200}'],
    ],
    [
      'both',
      'messages:\n  write: { match: b == 2, when: a == 1 }',
      ['(b == 2) && (a == 1)', '{"kind":"exact","status":200}'],
    ],
    [
      'an erratum replaces all that is drawn',
      'messages:\n  write: { erratum: wrong, when: a == 1 }\n  200 OK: { when: status == 201, erratum: wrong }',
      ['a == 1', 'status == 201'],
    ],
    [
      'a reply keeps its status',
      'messages:\n  200 OK: { when: a == 1 }',
      ['PUT /pods/{pod}', 'a == 1 & {"kind":"exact","status":200}'],
    ],
    [
      'a fold is one after the other',
      'messages:\n  write: { fold: [One, { match: "PUT /two/{pod}", when: c }], when: d }',
      ['"One" & d', 'PUT /two/{pod} & (c) && (d)', '{"kind":"exact","status":200}'],
    ],
  ])('%s', (_, binding, expected) => {
    expect(matches(contractOf(TEXT, POD + binding))).toEqual(expected);
  });

  test('prose is not matched word for word beside a condition', () => {
    expect(matches(contractOf('A-)B: Notify change', 'messages:\n  Notify change: { via: C, when: a == 1 }'))).toEqual([
      'a == 1',
    ]);
  });

  test('the reply of a fold answers its last part', () => {
    const contract = contractOf('A->>B: run\nB->>C: x\nB-->>A: ok', 'messages:\n  run: { fold: [One, Two] }');
    expect(kinds(contract)).toEqual(['A->B call', 'A->B call', 'B->C send', 'B-->A reply of 1']);
    expect(insides(contract)).toEqual(['any', 'any', 1, 'free']);
    expect(term(contract.term)).toBe('0 1 2 3');
  });

  test('a relayed message names its relays as the trace does', () => {
    const contract = contractOf(
      'participant H as Api Server\nA-)B: x\nH->>A: y',
      'participants:\n  Api Server: hub\nmessages:\n  x: { via: [api-server, other], link: rev }',
    );
    expect(contract.messages[0]?.match).toEqual({
      via: { relays: [[{ name: 'hub' }], [{ name: 'other' }]], link: 'rev' },
      inside: { kind: 'free' },
    });
  });

  test.each([
    ['0..1', '0 loop0..1(1)'],
    ['1+', '0 loop1..(1)'],
    ['0+', '0 loop0..(1)'],
    ['1', '0 1'],
  ])('times %s', (times, expected) => {
    expect(term(contractOf('A->>B: x\nB-)C: y', `messages:\n  y: { match: z, times: ${times} }`).term)).toBe(expected);
  });

  test('participants are traced by their own names until the binding gives others', () => {
    const contract = contractOf(
      'participant A as API Server\nparticipant B\nA->>B: x',
      'participants:\n  B: [C, { is: D, when: x == 1 }]',
    );
    expect(contract.lifelines.map(({ traced }) => traced)).toEqual([
      [{ name: 'A' }, { name: 'API Server' }],
      [{ name: 'C' }, { name: 'D', when: 'x == 1' }],
    ]);
  });
});

describe('an address finds what is drawn', () => {
  const LINES = 'A->>B: Get Pod (GET /pods/x)\nC->>B: get  pod (GET /pods/y)\nB-->>A: ok\nB->>C: getter\nB-->>C: a: b';
  test.each([
    ['Get Pod', [0, 1]],
    ['get pod (get /pods/x)', [0]],
    ['getter', [3]],
    ['A -> B', [0]],
    ['a ->> b', [0]],
    ['B --> A', [2]],
    ['"C -> B: Get"', [1]],
    ['"B --> C: a: b"', [4]],
  ])('%s', (address, drawn) => {
    const contract = contractOf(LINES, `messages:\n  ${address}: StandIn`);
    expect(contract.messages.filter(({ match }) => match.label === 'StandIn').map((message) => message.drawn)).toEqual(
      drawn,
    );
  });

  test('the more specific of two entries speaks for an arrow', () => {
    const binding = 'messages:\n  B -> C: Ends\n  w: Text\n  "B -> C: w": Both';
    expect(matches(contractOf('A->>B: w\nB->>C: w\nB->>C: v', binding))).toEqual(['"Text"', '"Both"', '"Ends"']);
  });

  test('a list has one entry per occurrence, top to bottom', () => {
    expect(matches(contractOf('A->>B: w\nB->>C: w', 'messages:\n  w: [One, Two]'))).toEqual(['"One"', '"Two"']);
  });

  test.each([
    ['messages:\n  getpod: x', '2:3 BND121 no arrow "getpod" is drawn'],
    ['messages:\n  A -> C: x', '2:3 BND121 no arrow "A -> C" is drawn'],
    ['messages:\n  "A -> B: put": x', '2:3 BND121 no arrow "A -> B: put" is drawn'],
    ['messages:\n  Get Pod: [a, b, c]', '2:12 BND122 "Get Pod" is drawn twice, and bound 3 times'],
    ['messages:\n  Get Pod: x\n  get: y', '3:3 BND109 "get" and "Get Pod" both name the arrow in line 2'],
    ['participants:\n  Sheduler: x', '2:3 BND120 no participant "Sheduler" is drawn'],
    ['messages:\n  getter: PUT /{pdo}\nparameters:\n  pod: x', '2:11 BND123 "pdo" is no declared parameter'],
    ['messages:\n  getter: put {pdo}\nparameters:\n  pod: x', '2:11 BND123 "pdo" is no declared parameter'],
    ['messages:\n  getter: { match: PUT /a, fold: [x, y] }', '2:13 BND106 "fold" and "match" exclude each other'],
    ['messages:\n  getter: { fold: [x, "GET /{y}"] }', '2:23 BND123 "y" is no declared parameter'],
    ['instance: pdo\nparameters:\n  pod: x', '1:11 BND124 "pdo" is no declared parameter'],
    ['instance: [pod, x]\nparameters:\n  pod: x', '1:17 BND124 "x" is no declared parameter'],
    ['messages:\n  A -> B: { times: 1+ }', '2:20 BND127 a call and its drawn reply come once'],
    ['messages:\n  B --> A: { fold: [a, b] }', '2:14 BND128 a reply is one message'],
    [
      'messages:\n  A -> B: { absent: never sent }\n  B --> A: Reply',
      '3:3 BND129 this reply answers "Get Pod (GET /pods/x)", which is absent',
    ],
    ['loops:\n  Watch: 1+', '2:3 BND126 no loop "Watch" is drawn'],
    ['optional: [x]', '1:12 BND126 no alt "x" is drawn'],
    ['steps:\n  1: { absent: why }', '1:1 BND133 a drawn diagram has no numbered steps'],
    ['unordered: [[getter, Get Pod]]', '1:22 BND135 "Get Pod" is not drawn after "getter", nor in one loop with it'],
    ['unordered: [[Get Pod, gotter]]', '1:23 BND121 no arrow "gotter" is drawn'],
    ['ordered: [[Get Pod, gotter]]', '1:21 BND121 no arrow "gotter" is drawn'],
    ['ordered: [[getter, getter]]', '1:11 BND125 an arrow cannot come before itself'],
    ['within: { "gotter .. getter": 1s }', '1:11 BND121 no arrow "gotter" is drawn'],
    ['guards: { x: true || has(a) }', '1:11 BND126 no operand "x" is drawn'],
    ['messages:\n  A -> B: { lost: true }', '2:19 BND136 a reply to this call is drawn, so the call was received'],
    ['messages:\n  B --> A: { retry: 2 }', '2:21 BND137 only a call is tried again'],
    ['forbid: { x: "A -> B: GET /{y}" }', '1:14 BND123 "y" is no declared parameter'],
  ])('what it cannot mean is told at its place: %j', (binding, diagnostic) => {
    const { told } = compile(LINES.replace('x)', 'z)').replace('/z)', '/x)'), binding);
    expect(told).toContain(diagnostic);
  });

  test('a suggestion goes with it', () => {
    const [diagram] = mermaid('participant Scheduler\nA->>Scheduler: bind pod');
    if (diagram === undefined) throw new Error('no diagram');
    const { value } = readBinding('participants:\n  Sheduler: x\nmessages:\n  bnid pod: y', 'b');
    expect(
      compileContract(diagram, value)
        .diagnostics.map(({ hint }) => hint)
        .sort(),
    ).toEqual(['did you mean "Scheduler"?', 'did you mean "bind pod"?']);
  });
});

describe('the term follows the fragments', () => {
  test.each([
    ['loop l\nA->>B: x\nend', undefined, 'loop0..(0)'],
    ['loop l\nA->>B: x\nend', 'loops:\n  l: 3', 'loop3..3(0)'],
    ['loop l\nA->>B: x\nend', 'loops:\n  l: 1..5', 'loop1..5(0)'],
    ['loop l\nA->>B: x\nend', 'loops:\n  l: 1..', 'loop1..(0)'],
    ['loop l\nA->>B: x\nend', 'loops:\n  l: 2+', 'loop2..(0)'],
    ['opt o\nA->>B: x\nend\nA->>B: y', undefined, 'opt(0) 1'],
    ['alt a\nA->>B: x\nend', undefined, 'alt?(0)'],
    ['alt a\nA->>B: x\nelse b\nB->>A: y\nA->>B: z\nend', undefined, 'alt(0 | 1 2)'],
    ['alt a\nA->>B: x\nelse b\nB->>A: y\nend', 'optional: [b]', 'alt?(0 | 1)'],
    ['par a\nA->>B: x\nand b\nB->>A: y\nend', undefined, 'par(0 | 1)'],
    ['rect rgb(0,0,0)\nA->>B: x\nend\nA->>B: y', undefined, '0 1'],
    ['loop l\nopt o\nA->>B: x\nend\nend', undefined, 'loop0..(opt(0))'],
    ['opt o\nA->>B: x\nend\nA->>B: y', 'messages:\n  x: { absent: never sent }', '0'],
    ['alt a\nA->>B: x\nelse b\nB->>A: y\nend', 'messages:\n  x: { absent: never sent }', 'alt(nothing | 0)'],
    [
      'A->>B: x\nloop l\nA->>B: my-x\nend\nopt o\nA->>B: z\nend',
      'parameters:\n  p: { example: my-x }',
      '0 loop!0..(1) opt(2)',
    ],
  ])('%j with %j is %s', (lines, binding, expected) => {
    expect(term(contractOf(lines, binding).term)).toBe(expected);
  });

  test.each([
    ['critical c\nA->>B: x\noption o\nA->>B: y\nend', undefined, 'critical(0 | 1)'],
    ['loop l\nbreak b\nA->>B: x\nend\nA->>B: y\nend', undefined, 'loop0..(break(0) 1)'],
    ['alt a\nA->>B: x\nelse b\nA->>B: y\nend', 'guards: { b: status > 0 }', 'alt(0 | if0(1))'],
    ['alt a\nA->>B: x\nelse b\nA->>B: y\nend', 'guards: { a: has(x), b: has(y) }', 'alt?(if0(0) | if1(1))'],
    ['loop a\nA->>B: x\nend', 'guards: { a: has(x) }', 'loop0..(if0(0))'],
  ])('what is entered keeps its place: %j with %j is %s', (lines, binding, expected) => {
    expect(term(contractOf(lines, binding).term)).toBe(expected);
  });

  test('a message has a copy for every depth at which it may enter something', () => {
    const { messages } = contractOf('critical c\nA->>B: x\nopt o\nA->>B: y\nend\nend', 'guards: { o: has(x) }');
    expect(messages.map(({ entry }) => entry)).toEqual([
      undefined,
      undefined,
      { of: 0, outermost: 'critical', guards: [], criticals: [0] },
      { of: 1, outermost: 'guard', guards: [0], criticals: [] },
      { of: 1, outermost: 'critical', guards: [0], criticals: [0] },
    ]);
  });

  test.each([
    ['break b\nA->>B: x\nend', ['d 3:1 CON101 this break would end a loop that runs for ever beside others']],
    ['loop inner\nbreak b\nA->>B: x\nend\nend', []],
  ])('a loop that runs for ever is not ended by a break: %j', (inside, told) => {
    const lines = `loop one\n${inside}\nend\nloop two\nA->>B: y\nend`;
    expect(compile(lines, 'concurrent: [one, two]').told).toEqual(told);
  });

  test('a drawing is nested to a bounded depth', () => {
    const nested = (depth: number) => `${'loop l\n'.repeat(depth)}A->>B: x\n${'end\n'.repeat(depth)}`;
    expect(compile(nested(100)).told).toEqual([]);
    expect(compile(nested(101)).told).toEqual([expect.stringContaining('CON103')]);
  });

  test('a drawing has a bounded number of arrows', () => {
    const long = (arrows: number) => 'A->>B: x\n'.repeat(arrows);
    expect(compile(long(10_000)).told).toEqual([]);
    expect(compile(long(10_002)).told).toEqual([
      'd 10002:1 CON115 the diagram has 10002 arrows, and 10000 are the most that can be judged',
    ]);
  });

  test('a participant exists from the message that creates it to the one that destroys it', () => {
    const lines = 'A->>B: x\ncreate participant C\nB->>C: y\ndestroy C\nB-xC: z';
    expect(contractOf(lines).lifetimes).toEqual([{ lifeline: 2, created: 1, destroyed: 2, renewed: false }]);
  });

  test('a drawing without a message says so', () => {
    expect(compile('participant A\nparticipant B\nA->>B: x', 'messages:\n  x: { absent: never sent }').told).toEqual([
      'd 2:13 CON107 "d.mmd" holds nothing that a trace could show',
    ]);
    expect(compile('Note over A: hi').told).toEqual(['d 2:1 CON107 "d.mmd" holds nothing that a trace could show']);
  });
});

describe('concurrent loops of which none shows whose an iteration is', () => {
  const lines = ['a', 'b'].map((text, at) => `loop ${text}\nA->>B: ${at === 0 ? 'make' : 'place'}\nend\n`).join('');
  const key = 'instance: order\nparameters: {order: order.id}\nconcurrent: [a, b]\n';

  test('are warned of', () => {
    expect(compile(lines, key).told).toEqual([
      '3:13 BND143 no loop of these has a message that is known to show "order": nothing holds between them',
    ]);
    expect(compile(lines, `${key}messages: {make: {when: has(order.id)}}`).told).toEqual([
      '3:13 BND143 only one loop of these has a message that is known to show "order": nothing holds between them',
    ]);
  });

  test.each([
    ['captured by a pattern', 'messages: {make: "make {order}", place: "place {order}"}'],
    ['asked for', 'messages: {make: {when: has(order.id)}, place: {when: status == 1 && order.id == "7"}}'],
  ])('%s', (_how, messages) => {
    const { told, contract } = compile(lines, key + messages);
    expect([told, contract.messages.map(({ keyed }) => keyed)]).toEqual([[], [true, true]]);
  });

  test('but not by what may hold without it', () => {
    const { contract } = compile(
      lines,
      `${key}messages: {make: {when: "!has(order.id)"}, place: {when: has(order.id) || true}}`,
    );
    expect(contract.messages.map(({ keyed }) => keyed)).toEqual([false, false]);
  });
});

describe('concurrent loops become one node where the first stands', () => {
  const loop = (guard: string, text: string) => `loop ${guard}\nA->>B: ${text}\nend\n`;
  test('siblings', () => {
    const lines = `A->>B: x\n${loop('Watch a', '1')}${loop('Watch b', '2')}${loop('Watch c', '3')}A->>B: y`;
    expect(term(contractOf(lines, 'concurrent: [watch A, Watch b]').term)).toBe(
      '0 concurrent(loop0..(1) | loop0..(2)) loop0..(3) 4',
    );
  });

  test.each([
    [
      'something between',
      `${loop('a', '1')}A->>B: x\n${loop('b', '2')}`,
      'concurrent: [a, b]',
      '1:13 BND134 the loop "b" does not stand right after the others',
    ],
    [
      'not siblings',
      `loop a\n${loop('b', '2')}A->>B: 1\nend`,
      'concurrent: [a, b]',
      '1:13 BND134 the loop "a" does not stand right after the others',
    ],
    ['unknown', loop('a', '1'), 'concurrent: [a, c]', '1:17 BND126 no loop "c" is drawn'],
    ['twice', `${loop('a', '1')}${loop('b', '2')}`, 'concurrent: [a, a]', '1:17 BND125 "a" is listed twice'],
    ['not one', `${loop('a', '1')}${loop('a', '2')}`, 'concurrent: [a, a]', '1:14 BND125 "a" is drawn 2 times'],
  ])('%s', (_, lines, binding, diagnostic) => {
    expect(compile(lines, binding).told).toContain(diagnostic);
  });
});

describe('the key names an instance', () => {
  const LINES = 'A->>B: x\nB->>C: PUT /pods/my-pod\nC-->>B: ok\nB-->>A: ok';
  test.each([
    ['the last one declared', 'parameters:\n  a: x\n  b: y', ['b']],
    ['what the binding says', 'instance: [a, b]\nparameters:\n  b: y\n  a: x', ['a', 'b']],
    ['none', 'order: strict', []],
  ])('%s', (_, binding, key) => {
    expect(contractOf(LINES, binding).key).toEqual(key);
  });

  test('a message carries it by example, by pattern, or as the reply of one that does', () => {
    const keyed = (binding: string) => contractOf(LINES, binding).messages.map((message) => message.keyed);
    expect(keyed('parameters:\n  pod: { example: my-pod }')).toEqual([false, true, true, false]);
    expect(keyed('parameters:\n  pod: k8s.pod.name\nmessages:\n  x: POST /pods/{pod}')).toEqual([
      true,
      false,
      false,
      true,
    ]);
    expect(keyed('parameters:\n  pod: { example: my-pod }\n  other: x')).toEqual([false, false, false, false]);
  });
});

describe('what a system never sends, or a trace cannot show', () => {
  test('an absent call takes its reply along, and says so', () => {
    const contract = contractOf('A->>B: x\nB-->>A: ok\nA->>B: y', 'messages:\n  x: { absent: reads its cache }');
    expect(kinds(contract)).toEqual(['A->B send']);
    expect(contract.notes).toEqual([
      { kind: 'absent', drawn: 0, reason: 'reads its cache' },
      { kind: 'absent', drawn: 1, reason: 'it answers a call that is absent: reads its cache' },
    ]);
  });

  const CHAIN = 'A->>B: e\nB->>C: h\nC->>D: f';
  const bridged = (lines: string, order: Order, hidden = ['h']) =>
    contractOf(
      lines,
      `messages:\n${hidden.map((text) => `  ${text}: { unobservable: one process }\n`).join('')}`,
      order,
    ).bridged;
  test.each<[string, string, Order, readonly (readonly [number, number])[], string[]]>([
    ['a shared participant', CHAIN, 'lifeline', [[0, 1]], ['h']],
    ['what was learnt', CHAIN, 'causal', [[0, 1]], ['h']],
    ['strict orders it anyway', CHAIN, 'strict', [], ['h']],
    ['nothing was learnt', 'A->>B: e\nC->>B: h\nC->>D: f', 'causal', [], ['h']],
    ['through two', 'A->>B: e\nB->>C: h\nC->>D: i\nD->>E: f', 'lifeline', [[0, 1]], ['h', 'i']],
    ['an option may leave it out', 'A->>B: e\nopt o\nB->>C: h\nend\nC->>D: f', 'lifeline', [], ['h']],
    ['both in the option', 'A->>B: e\nopt o\nB->>C: h\nC->>D: f\nend', 'lifeline', [[0, 1]], ['h']],
    [
      'an option around two hidden ones',
      'A->>B: e\nopt o\nB->>C: h\nC->>D: i\nend\nD->>E: f',
      'lifeline',
      [],
      ['h', 'i'],
    ],
    ['another branch', 'alt a\nA->>B: e\nelse b\nB->>C: h\nend\nC->>D: f', 'lifeline', [], ['h']],
    ['beside it', 'par a\nA->>B: e\nand b\nB->>C: h\nend\nC->>D: f', 'lifeline', [], ['h']],
    ['ordered anyway', 'A->>B: e\nB->>C: h\nC->>A: f', 'lifeline', [], ['h']],
  ])('the order through it stays: %s', (_, lines, order, expected, hidden) => {
    expect(bridged(lines, order, hidden)).toEqual(expected);
  });

  test.each([
    ['the two themselves', '[e, f]', []],
    ['the hidden one and what is before it', '[e, h]', []],
    ['something else', '[e, g]', [[0, 1]]],
  ])('what is not promised is not kept through it: %s', (_, pair, expected) => {
    const hidden = 'messages:\n  h: { unobservable: one process }\n';
    expect(contractOf(`${CHAIN}\nD->>A: g`, `unordered: [${pair}]\n${hidden}`, 'lifeline').bridged).toEqual(expected);
  });

  test('an erratum and what is not promised are told, in drawn order', () => {
    const contract = contractOf(
      'A->>B: a\nB->>C: b\nB->>D: c\nB->>C: b',
      'unordered: [[a, b, c]]\nmessages:\n  c: { match: other, erratum: drawn wrong }',
    );
    expect(contract.unordered).toEqual([
      [0, 1],
      [0, 3],
      [0, 2],
    ]);
    expect(contract.notes).toEqual([
      { kind: 'unordered', drawn: 0, others: [1, 3, 2], reason: 'drawn before, not promised' },
      { kind: 'erratum', drawn: 2, reason: 'drawn wrong' },
    ]);
  });
});

const CHAIN = 'A->>B: a\nB->>C: b\nC->>D: c\nE->>F: e';

describe('what contradicts the drawing is told', () => {
  const reversed = (what: string): string =>
    `1:11 BND142 "${what}": the second of the two comes before the first, so this says nothing`;
  const never = (column: number, [one, other]: readonly [string, string]): string =>
    `1:${column} BND139 "${one}" is drawn before "${other}" and must come before it: it cannot come after it as well`;

  test.each<readonly [string, string, readonly string[]]>([
    [CHAIN, 'within: { "a .. b": 1s }', []],
    [CHAIN, 'within: { "b .. a": 1s }', [reversed('b .. a')]],
    [CHAIN, 'within: { "c .. a": 1s }', [reversed('c .. a')]],
    [CHAIN, 'within: { "e .. a": 1s }', []],
    [`loop l\n${CHAIN}\nend`, 'within: { "b .. a": 1s }', []],
    [`A->>B: a\nopt o\nB->>C: b\nend\nC->>D: c`, 'within: { "c .. a": 1s }', []],
    ['par p\nA->>B: a\nand q\nA->>B: b\nend', 'within: { "b .. a": 1s }', []],
    ['A->>B: a\nB->>C: b\nA->>B: a', 'within: { "b .. a": 1s }', []],
    [CHAIN, 'within: { "b .. a": 1s }\nunordered: [[a, b]]', []],
    [CHAIN, 'ordered: [[a, c, e]]', []],
    [CHAIN, 'ordered: [[b, a]]', [never(15, ['a', 'b'])]],
    [CHAIN, 'ordered: [[e, b, a]]', [never(18, ['a', 'b'])]],
    [CHAIN, 'ordered: [[e, a]]', []],
    [CHAIN, 'ordered: [[b, a]]\nunordered: [[a, b]]', []],
    [`loop l\n${CHAIN}\nend`, 'ordered: [[b, a]]', []],
    ['loop l\nA->>B: a\nend\nloop m\nA->>B: b\nend', 'ordered: [[b, a]]', [never(15, ['a', 'b'])]],
    ['loop l\nA->>B: a\nend\nloop m\nA->>B: b\nend', 'ordered: [[b, a]]\nconcurrent: [l, m]', []],
    ['alt p\nA->>B: a\nelse q\nA->>B: b\nend', 'ordered: [[b, a]]', []],
  ])('%j with %j', (lines, binding, told) => {
    expect(compile(lines, binding).told).toEqual(told);
  });

  test('only as far as the order goes', () => {
    const lines = 'A->>B: a\nA->>C: b';
    expect(compile(lines, 'ordered: [[b, a]]').told).toHaveLength(1);
    expect(compile(lines, 'ordered: [[b, a]]', 'causal').told).toEqual([]);
    expect(compile('A->>B: a\nC->>D: b', 'ordered: [[b, a]]', 'strict').told).toHaveLength(1);
  });
});

test('what is not promised may reach into the next iteration of a loop', () => {
  const lines = 'A->>B: a\nloop l\nB->>C: b\nC->>D: c\nend';
  expect(contractOf(lines, 'unordered: [[c, b]]').unordered).toEqual([[2, 1]]);
  expect(compile(lines, 'unordered: [[c, a]]').told).toEqual([
    '1:17 BND135 "a" is not drawn after "c", nor in one loop with it',
  ]);
});

describe('steps are what their binding shows', () => {
  const BOUND = `
steps:
  1:
    - User -> Api: POST /pods
    - Api -> Store: { match: PUT /pods, inside: User -> Api }
  2: { absent: it stores elsewhere }
  3: { while: 1, show: [Api -x Worker: told] }
  4: { standing: asked before, show: [Worker -> Api: { match: GET /pods?watch, inside: false }] }
`;
  test('in their order, side by side, and from before the run', () => {
    const contract = contractOf(STEPS, BOUND);
    expect(kinds(contract)).toEqual(['User->Api send', 'Api->Store send', 'Api->Worker send', 'Worker->Api send']);
    expect(contract.drawn.map(({ style, line, from, to, text }) => [style, line, from, to, text])).toEqual([
      ['step', 1, 'User', 'Api', 'You ask.'],
      ['step', 2, '', '', 'It stores.'],
      ['step', 3, 'Api', 'Worker', 'It tells.'],
      ['step', 4, 'Worker', 'Api', 'It is done.'],
    ]);
    expect(term(contract.term)).toBe('par(0 1 | 2)');
    expect(contract.standing).toEqual([{ message: 3, before: null }]);
    expect(insides(contract)).toEqual(['any', 0, 'any', 'free']);
    expect(contract.notes.map(({ kind, drawn }) => [kind, drawn])).toEqual([
      ['absent', 1],
      ['standing', 3],
    ]);
  });

  test('a standing message comes before the first message of the next step that has one', () => {
    const contract = contractOf(
      STEPS,
      'steps:\n  1: { standing: asked before, show: [W -> A: GET /x] }\n  2: { unobservable: inside }\n  3: [A -x W: told]\n  4: { absent: not done }',
    );
    expect(contract.standing).toEqual([{ message: 0, before: 1 }]);
    expect(term(contract.term)).toBe('1');
  });

  test.each([
    [undefined, ['d 1:1 CON106 step 1 has no binding: "You ask."']],
    [
      'steps:\n  1: [A -> B: x]\n  3: [A -> B: y]',
      ['d 2:1 CON106 step 2 has no binding: "It stores."', 'd 4:1 CON106 step 4 has no binding: "It is done."'],
    ],
    [
      BOUND.replace('  2:', '  12:'),
      ['6:3 BND130 there is no step 12', 'd 2:1 CON106 step 2 has no binding: "It stores."'],
    ],
    [BOUND.replace('while: 1', 'while: 4'), ['7:15 BND132 there is no earlier step 4']],
    [BOUND.replace('[Worker ->', '[A -> B: x, Worker ->'), ['8:38 BND132 step 4 stands, so one message opens it']],
    [`${BOUND}messages:\n  x: y`, ['9:1 BND133 a list of steps has no messages']],
    [`${BOUND}participants:\n  Kube: y`, ['10:3 BND120 no participant "Kube" is drawn']],
  ])('a step that cannot be judged is told: %#', (binding, expected) => {
    expect(compile(STEPS, binding).told).toEqual(expected);
  });
});

describe('a document with several diagrams', () => {
  const [one, two] = diagramsOf(
    '# first\n```mermaid\nsequenceDiagram\nA->>B: x\n```\n# second\n```mermaid\nsequenceDiagram\nA->>B: y\n```\n',
    'd.md',
  );
  test('picks the binding that names it', () => {
    if (one === undefined || two === undefined) throw new Error('two diagrams');
    const { value } = readBinding(`diagram: ${one.name}\norder: strict\n---\ndiagram: ${two.name}\norder: causal`, 'b');
    expect(compileContract(one, value).value.order).toBe('strict');
    expect(compileContract(two, value).value.order).toBe('causal');
    expect(compileContract(two, value, { order: 'lifeline' }).value.order).toBe('lifeline');
    expect(compileContract(two, value.slice(0, 1)).value.binding).toBeNull();
    expect(checkBindings([one, two], value)).toEqual([]);
    expect(checkBindings([one], value)).toMatchObject([{ code: 'BND140', line: 4, column: 10 }]);
  });

  test('refuses two bindings for one diagram', () => {
    if (one === undefined) throw new Error('a diagram');
    const { value } = readBinding('order: strict\n---\norder: causal', 'b');
    expect(compileContract(one, value).diagnostics).toMatchObject([{ code: 'BND141', line: 3 }]);
  });
});

test('only, closed and the order go into the contract as they are', () => {
  expect(contractOf('A->>B: x', 'only: has(a.b)\nclosed: true\norder: causal')).toMatchObject({
    only: 'has(a.b)',
    closed: true,
    order: 'causal',
    binding: 'd.bindings.yaml',
  });
});

test('a contract is plain JSON', () => {
  const contract = contractOf('A->>B: PUT /{x}\nB-->>A: ok', 'parameters:\n  x: y');
  expect(JSON.parse(JSON.stringify(contract))).toEqual(contract);
});

describe('messages that overtake each other', () => {
  const drawnWith = (
    received: readonly (readonly [number, number])[],
    text = 'A->>B: one\nA->>B: two\nA->>B: three',
  ): Diagram => {
    const [diagram] = mermaid(text);
    if (diagram === undefined) throw new Error('nothing is drawn');
    const places = new Map(received);
    const messages = diagram.messages.map((message, index) => {
      const after = places.get(index);
      return after === undefined ? message : { ...message, received: { after, nth: 0 } };
    });
    return { ...diagram, messages };
  };
  const bound = (diagram: Diagram, text: string) =>
    compileContract(diagram, readBinding(text, 'drawing.bindings.yaml').value);

  test('are one sequence with the receipts that come late', () => {
    expect(compileContract(drawnWith([[0, 2]]), []).value.term).toEqual({
      kind: 'seq',
      items: [0, 1, 2].map((message) => ({ kind: 'message', message })),
      late: [{ message: 0, after: 2 }],
    });
  });

  test('are told where no message can be received', () => {
    const { diagnostics } = compileContract(drawnWith([[1, 0]]), []);
    expect(diagnostics).toMatchObject([
      { code: 'CON114', line: 3, message: '"two": it is received before it is sent' },
    ]);
  });

  test('leave out what the contract does not hold, with both its ends', () => {
    const { value } = bound(drawnWith([[0, 1]]), 'messages: { two: { absent: never sent } }');
    expect(value.term).toEqual({ kind: 'seq', items: [0, 1].map((message) => ({ kind: 'message', message })) });
  });

  test('may be folded where they overtake, not where they are overtaken', () => {
    const fold = (text: string) => `messages: { ${text}: { fold: [one part, another part] } }`;
    expect(bound(drawnWith([[0, 1]]), fold('one')).diagnostics).toMatchObject([{ code: 'BND138' }]);
    const { value, diagnostics } = bound(drawnWith([[0, 1]]), fold('two'));
    expect(diagnostics).toEqual([]);
    expect(value.term).toMatchObject({
      items: [{ items: [{ message: 0 }, { kind: 'seq' }], late: [{ message: 0, after: 1 }] }, {}],
    });
  });

  test('are let go at both ends by one entry', () => {
    expect(bound(drawnWith([[0, 1]]), 'unordered: [[one, two]]').value.unordered).toEqual([
      [0, 1],
      [1, 0],
    ]);
    expect(bound(drawnWith([[0, 1]]), 'unordered: [[two, one]]').value.unordered).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  test('may not be promised to be over when they are drawn as on their way', () => {
    expect(bound(drawnWith([[0, 1]]), 'ordered: [[one, two]]').diagnostics).toMatchObject([{ code: 'BND139' }]);
  });

  test('are explained', () => {
    const explained = explainContract(compileContract(drawnWith([[0, 1]]), []).value);
    expect(explained).toContain('line 3 overtakes line 2: it is sent later and received earlier');
  });

  test('are answered only once they were received', () => {
    const text = 'A->>B: ask\nB-->>A: early\nB-->>A: late';
    expect(
      compileContract(drawnWith([[0, 1]], text), []).value.messages.map(({ kind, replyOf }) => [kind, replyOf]),
    ).toEqual([
      ['call', undefined],
      ['send', undefined],
      ['reply', 0],
    ]);
  });
});
