import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { check } from '../checker/index.ts';
import { compileContract, readBinding, type Contract } from '../contract/index.ts';
import type { Diagram } from '../diagram/index.ts';
import { readDocument } from '../dialects/index.ts';
import { readTraceText, type Trace } from '../trace/index.ts';
import { neverSeen } from '../verdict/index.ts';
import { firstBinding, unmatchedText } from './index.ts';

function drawn(...lines: string[]): Diagram {
  const [diagram] = readDocument(`sequenceDiagram\n${lines.join('\n')}\n`, 'drawing.mmd').value;
  if (diagram === undefined) throw new Error('nothing is drawn');
  return diagram;
}

/** `from > to kind label`, with attributes after `|`; a reply answers the latest open call the other way. */
function traced(...lines: string[]): Trace {
  const open: { readonly id: string; readonly from: string; readonly to: string }[] = [];
  const events = lines.map((line, index) => {
    const [head = '', attributes = ''] = line.split(' | ');
    const [, from = '', to = '', kind = '', label = ''] = /^(\S+) > (\S+) (\S+) ?(.*)$/u.exec(head) ?? [];
    const id = `e${index}`;
    const at = open.findLastIndex((call) => call.from === to && call.to === from);
    const served = open.findLast((call) => call.to === from);
    const answered = kind === 'reply' ? open.splice(at, 1)[0] : undefined;
    if (kind === 'call') open.push({ id, from, to });
    return {
      ...{ seq: index + 1, from, to, kind, label, id },
      ...(answered === undefined ? {} : { replyTo: answered.id, status: 200 }),
      ...(kind === 'reply' || served === undefined ? {} : { parent: served.id }),
      ...(attributes === ''
        ? {}
        : { attributes: Object.fromEntries(attributes.split(' ').map((pair) => pair.split('='))) }),
    };
  });
  const all = [{ kind: 'begin' }, ...events, { kind: 'end', seq: events.length + 1 }];
  const { value, diagnostics } = readTraceText(all.map((event) => JSON.stringify(event)).join('\n'), 'trace.ndjson');
  if (diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics));
  return value;
}

const bound = (diagram: Diagram, trace: Trace): string => firstBinding(diagram, trace, { isOneOfSeveral: false }).text;

/** The binding without its comments. */
const entries = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(/ *# .*$/u, ''))
    .filter((line) => line.trim() !== '')
    .join('\n');

function verdictWith(diagram: Diagram, trace: Trace, text: string): string {
  const read = readBinding(text, 'first.bindings.yaml');
  const compiled = compileContract(diagram, read.value);
  expect([...read.diagnostics, ...compiled.diagnostics].filter(({ severity }) => severity === 'error')).toEqual([]);
  return check(compiled.value, trace).outcome;
}

const unseenIn = (contract: Contract, trace: Trace): ReadonlySet<number> =>
  new Set(neverSeen(check(contract, trace)).map(({ index }) => index));

/** What a check ends with. */
function hints(diagram: Diagram, trace: Trace): string {
  const contract = compileContract(diagram, []).value;
  const unseen = unseenIn(contract, trace);
  return unmatchedText(diagram, contract, trace, { unseen, bindingFile: 'f', command: 'c' });
}

const LOGIN = drawn('Browser->>Api: POST /login', 'Api->>Db: find user', 'Db-->>Api: OK', 'Api-->>Browser: 200');
const LOGIN_ELSEWHERE = traced(
  'web-client > gateway call POST /login',
  'gateway > postgres call SELECT users',
  'postgres > gateway reply row',
  'gateway > web-client reply done',
);

describe('the login of the README, in a system with other names', () => {
  test('is bound without help, and conforms', () => {
    const text = bound(LOGIN, LOGIN_ELSEWHERE);
    expect(entries(text)).toBe(
      [
        'participants:',
        '  Browser: web-client',
        '  Api: gateway',
        '  Db: postgres',
        'messages:',
        '  find user: SELECT users',
      ].join('\n'),
    );
    expect(verdictWith(LOGIN, LOGIN_ELSEWHERE, text)).toBe('conforms');
  });

  test('a check without a binding ends with what to write', () => {
    const contract = compileContract(LOGIN, []).value;
    const text = unmatchedText(LOGIN, contract, LOGIN_ELSEWHERE, {
      unseen: unseenIn(contract, LOGIN_ELSEWHERE),
      bindingFile: 'login.bindings.yaml',
      command: 'asdrawn bind',
    });
    expect(text).toMatch(
      /line 3 {2}Api -> Db: find user\n +1 × gateway → postgres {2}call {2}SELECT users {2}likeness 0\.\d\d/,
    );
    expect(text).toMatch(/line 2 {2}Browser -> Api: POST \/login: matched by names below/);
    expect(text).toMatch(/lines for login.bindings.yaml, or let it be written: asdrawn bind\n {2}participants:/);
  });

  test('a check in which every arrow is matched says nothing', () => {
    const read = readBinding(bound(LOGIN, LOGIN_ELSEWHERE), 'first.bindings.yaml');
    const contract = compileContract(LOGIN, read.value).value;
    expect(
      unmatchedText(LOGIN, contract, LOGIN_ELSEWHERE, {
        unseen: unseenIn(contract, LOGIN_ELSEWHERE),
        bindingFile: 'f',
        command: 'c',
      }),
    ).toBe('');
  });
});

describe('an arrow that is blamed for being missing', () => {
  const ORDER = drawn('U->>A: start', 'A->>B: create order', 'B-->>A: 201', 'A-->>U: 200');

  test.each<[string, string, string]>([
    ['label', 'A > B call create oder', 'A → B  create oder  is like it (its label differs)'],
    ['kind', 'A > B async create order', 'A → B  create order  is like it (its kind differs: async)'],
    ['receiver', 'A > Bee call create order', 'A → Bee  create order  is like it (its receiver differs)'],
    ['sender', 'Ay > B call create order', 'Ay → B  create order  is like it (its sender differs)'],
  ])('is told of the event that is it but for its %s', (_, event, expected) => {
    const trace = traced('U > A call start', event, 'A > U reply 200');
    const verdict = check(compileContract(ORDER, []).value, trace);
    expect(verdict).toMatchObject({ outcome: 'violates', arrows: { 1: { status: 'violates', events: 0 } } });
    expect(neverSeen(verdict).map(({ index }) => index)).toEqual([1, 2]);
    expect(verdict.remarks[0]).toMatch(/^never seen in this trace: line 3 "create order", line 4 "201"/);
    expect(hints(ORDER, trace)).toContain(`    trace.ndjson:3  ${expected}\n`);
  });

  test('is told of no event that differs in more than one thing, nor of one that another arrow takes', () => {
    const text = hints(
      drawn('U->>A: start', 'A->>B: create order', 'A->>B: create orders', 'A-->>U: 200'),
      traced('U > A call start', 'C > D call create order', 'A > B call create orders', 'A > U reply 200'),
    );
    expect(text).not.toContain('is like it');
  });

  test('is no hint where the event that came is told of as the arrow itself', () => {
    const diagram = drawn('A->>B: one', 'B->>C: two', 'C->>D: three');
    const trace = traced('A > B async one', 'B > C async two', 'B > C async two', 'C > D async three');
    expect(neverSeen(check(compileContract(diagram, []).value, trace))).toEqual([]);
  });
});

describe('an event that an arrow takes', () => {
  const SHOP = drawn(
    'A->>B: start',
    'loop items',
    'B->>B: reserve item',
    'end',
    'opt slow',
    'B->>B: queue item',
    'end',
    'B->>A: done',
  );

  test.each([
    ['as they are called', 'A', 'B'],
    ['under other names', 'client', 'shop B'],
  ])('is proposed for no other arrow, participants %s', (_, a, b) => {
    const trace = traced(
      ...['A > B call start', 'B > B self reserve item', 'B > A async done'].map((line) =>
        line.replace(/\b[AB]\b/gu, (name) => (name === 'A' ? a : b.replace(' ', ''))),
      ),
    );
    expect(bound(SHOP, trace)).not.toMatch(/reserve item/);
    expect(hints(SHOP, trace)).not.toMatch(/queue item.*\n.*reserve item/);
  });

  test('is no news of a run in which another branch was taken', () => {
    expect(hints(SHOP, traced('A > B call start', 'B > B self reserve item', 'B > A async done'))).toBe('');
  });

  test('leaves the others of its class to be proposed', () => {
    const trace = traced(
      'A > B call start',
      'B > B self reserve item',
      'B > B self put item into queue',
      'B > A async done',
    );
    expect(hints(SHOP, trace)).toMatch(/queue item\n +1 × B → B {2}self {2}put item into queue/);
  });
});

describe('participants', () => {
  test('who only answers is in the trace all the same', () => {
    const text = bound(
      drawn('Shop->>Payment: pay', 'Payment-->>Shop: OK', 'Shop->>Stock: reserve'),
      traced('Payment > Shop reply fine', 'Shop > Stock async reserve'),
    );
    expect(text).not.toContain('Payment: nothing in the trace is like it');
  });

  test('of whom the trace shows nothing alike are told in comments, never guessed', () => {
    const text = bound(
      drawn('Alice->>Bob: hello'),
      traced('x1 > y1 async boot', 'z1 > w1 async halt', 'w1 > x1 async go'),
    );
    expect(entries(text)).toBe('');
    expect(text).toMatch(/# participants:\n {2}# Alice: /);
  });

  test('that share a word with a traced name are taken for it', () => {
    const trace = traced('mobile-app > orders-service call create', 'orders-service > mobile-app reply ok');
    expect(bound(drawn('App->>Order Service: create order'), trace)).toMatch(/Order Service: orders-service/);
  });
});

describe('parameters', () => {
  const diagram = drawn(
    'Shop->>Store: POST /orders',
    'Shop->>Store: PUT /orders/{id}/pay',
    'Shop->>Store: GET /orders/my-order-xxx',
  );
  const trace = traced(
    ...['a17', 'b23', 'c99'].flatMap((order) => [
      `Shop > Store call POST /orders | order.id=${order} region=eu`,
      'Store > Shop reply ok',
      `Shop > Store call PUT /orders/${order}/pay | order.id=${order} region=eu`,
      'Store > Shop reply ok',
      `Shop > Store call GET /orders/${order} | order.id=${order} region=eu`,
      'Store > Shop reply ok',
    ]),
  );

  test('a drawn placeholder is found by the attribute that varies in its place, and names the instance', () => {
    expect(entries(bound(diagram, trace))).toMatch(
      /^parameters:\n {2}order:\n {4}example: .*\n {4}from: order\.id\ninstance: order/,
    );
  });

  test('an attribute that is the same for all names no instance', () => {
    expect(bound(diagram, trace)).not.toMatch(/region/);
  });
});

describe('arrows', () => {
  test('drawn alike but in different calls are told apart by the call they happen in', () => {
    const diagram = drawn(
      'A->>S: create',
      'S->>D: write',
      'D-->>S: ok',
      'S-->>A: ok',
      'A->>S: close',
      'S->>D: write',
      'D-->>S: ok',
      'S-->>A: ok',
    );
    const trace = traced(
      ...['A > S call create', 'S > D call PUT /accounts', 'D > S reply ok', 'S > A reply ok'],
      ...['A > S call close', 'S > D call PUT /archive', 'D > S reply ok', 'S > A reply ok'],
    );
    expect(entries(bound(diagram, trace))).toMatch(/write:\n {4}- PUT \/accounts\n {4}- PUT \/archive/);
    expect(verdictWith(diagram, trace, bound(diagram, trace))).toBe('conforms');
  });

  test('that are relayed are found by the attribute that links the hops', () => {
    const diagram = drawn('Store-)Worker: notify job');
    const trace = traced(
      ...[1, 2, 3].flatMap((id) => [
        `Store > Bus async job changed | msg.id=m${id}`,
        `Bus > Worker async job event | msg.id=m${id}`,
      ]),
    );
    const text = bound(diagram, trace);
    expect(entries(text)).toMatch(/notify job:\n {4}via: Bus\n {4}match: job event\n {4}link: msg\.id/);
    expect(verdictWith(diagram, trace, text)).toBe('conforms');
  });

  test('that several kinds of events fit are left to the reader, with each as a line to uncomment', () => {
    const text = bound(drawn('A->>B: sync'), traced('A > B async pull', 'A > B async push'));
    expect(entries(text)).toBe('');
    expect(text).toMatch(/# line 2, A -> B: which of these\?\n {2}# sync: (pull|push) # 1 ×/);
  });

  test('between which nothing passes are said to be absent or unobservable', () => {
    const text = bound(drawn('A->>B: p', 'B->>C: think'), traced('A > B async p', 'C > A async q'));
    expect(text).toMatch(/# line 3, B -> C: no event passes there/);
  });

  test('of a list of steps are proposed in comments; each step is unobservable until it is bound, so it cannot be green', () => {
    const [diagram] = readDocument(
      '# How\n\n1. The client creates an order at the shop.\n2. Then it rests.\n',
      'steps.md',
    ).value;
    if (diagram === undefined) throw new Error('no steps');
    const trace = traced('client > shop call create order', 'shop > client reply ok');
    const text = bound(diagram, trace);
    expect(text).toMatch(/# - client -> shop: create order # 1 events?\n {2}1: \{ unobservable: not bound yet \}/);
    expect(verdictWith(diagram, trace, text)).toBe('vacuous');
  });
});

/** Texts that YAML, CEL, addresses and paths could trip over. */
const awkward = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'write',
      'GET /a/{id}',
      'POST /b/my-x-xxx',
      'bind pod',
      'true',
      'null',
      '*x',
      '&a',
      '!b',
      '- c',
      'a: b',
      'a #b',
      '{x}',
      '[y]',
      '"q"',
      "it's",
      '%',
      '@at',
      '? k',
      'A -> B: x',
      'A --> B',
      'x\\',
      '__proto__',
      'constructor',
      '…',
      '123',
      '1e3',
      '0x1f',
      '~',
      'yes',
      'd&amp;e',
    ),
  },
  { weight: 2, arbitrary: fc.string({ minLength: 0, maxLength: 12, unit: 'grapheme' }) },
);
const name = fc.constantFrom('A', 'B', 'Api Server', 'x: y', 'C -> D', 'é', 'null');

const arbitraryDiagram: fc.Arbitrary<Diagram> = fc
  .array(
    fc.record({ from: name, to: name, text: awkward, line: fc.constantFrom('solid' as const, 'dashed' as const) }),
    { minLength: 1, maxLength: 7 },
  )
  .map((messages) => ({
    ...{ name: 'drawn', file: 'drawn.mmd', dialect: 'mermaid' as const },
    participants: [...new Set(messages.flatMap(({ from, to }) => [from, to]))].map((id) => ({
      id,
      label: id,
      kind: 'participant' as const,
      at: { line: 1, column: 1 },
    })),
    messages: messages.map((message, index) => ({
      ...message,
      head: 'arrow' as const,
      at: { line: index + 2, column: 1 },
    })),
    items: messages.map((_, message) => ({ message })),
    ...{ fragments: [], notes: [], activations: [], steps: [] },
  }));

const arbitraryTrace: fc.Arbitrary<Trace> = fc
  .array(
    fc.record({
      ...{
        from: name,
        to: name,
        label: awkward,
        kind: fc.constantFrom('call' as const, 'async' as const, 'self' as const),
      },
      attributes: fc.dictionary(
        fc.constantFrom('pod.name', 'job', 'http.x', 'a-b', 'x.y-z', '__proto__', 'true', 'order_id'),
        fc.oneof(awkward, fc.nat(3)),
      ),
    }),
    { maxLength: 12 },
  )
  .map((events) => ({
    events: events.map((event, index) => ({
      event: { ...event, seq: index + 1, id: String(index) },
      source: 't',
      line: index + 1,
    })),
    ...{ begun: true, ended: true },
  }));

describe('whatever is drawn and traced', () => {
  test('what is written is read and compiled without an error of its own', () => {
    fc.assert(
      fc.property(arbitraryDiagram, arbitraryTrace, fc.boolean(), (diagram, trace, isOneOfSeveral) => {
        const { text } = firstBinding(diagram, trace, { isOneOfSeveral });
        const read = readBinding(text, 'first.bindings.yaml');
        const compiled = compileContract(diagram, read.value);
        const errors = [...read.diagnostics, ...compiled.diagnostics].filter(
          ({ severity, file }) => severity === 'error' && file === 'first.bindings.yaml',
        );
        expect([errors, text]).toEqual([[], text]);
        check(compiled.value, trace);
      }),
      { numRuns: 300, seed: 11 },
    );
  });

  test('no text of a drawing or a trace reaches the terminal with control characters', () => {
    const trace = traced('A > B call x\u001b[31m/1', 'B > A reply ok');
    const diagram = drawn('A->>B: \u001b[2Jask');
    const contract = compileContract(diagram, []).value;
    expect(
      unmatchedText(diagram, contract, trace, { unseen: unseenIn(contract, trace), bindingFile: 'f', command: 'c' }),
    ).not.toMatch(/\u001b/);
    expect(bound(diagram, trace)).not.toMatch(/\u001b/);
  });
});

test('an event that one arrow takes is proposed for no other, of another branch either', () => {
  const diagram = drawn(
    'Shop->>Bank: charge',
    'alt paid',
    'Bank->>Shop: payment accepted',
    'else not paid',
    'Bank->>Shop: payment declined',
    'end',
  );
  const trace = traced('shop > bank async charge', 'bank > shop async PaymentAccepted');
  expect(entries(bound(diagram, trace))).toBe('messages:\n  payment accepted: PaymentAccepted');
});

describe('an event that is as drawn, but does not serve what it is drawn to serve', () => {
  const diagram = drawn('A->>B: go', 'B->>C: x', 'B-->>A: done');
  const contract = compileContract(diagram, []).value;
  const tell = (trace: Trace): string =>
    unmatchedText(diagram, contract, trace, {
      unseen: unseenIn(contract, trace),
      bindingFile: 'd.bindings.yaml',
      command: 'bind',
    });

  test('is told with what it is drawn to serve, which comes first', () => {
    const lines = tell(traced('z > b call other', 'b > c call x')).split('\n');
    expect(lines.slice(1, 5)).toEqual([
      '  line 2  A -> B: go',
      '        1 × z → b  call  other  likeness 0.18',
      '  line 3  B -> C: x',
      '    trace.ndjson:3  b → c  x  is as drawn, but does not serve line 2 "go", which no event matched',
    ]);
  });

  test('also where that was seen', () => {
    expect(tell(traced('a > b call go', 'z > b call other', 'b > c call x'))).toContain(
      'trace.ndjson:4  b → c  x  is as drawn, but does not serve line 2 "go", by its `parent`',
    );
  });
});
