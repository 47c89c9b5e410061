import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { check } from '../checker/index.ts';
import type { Diagram } from '../diagram/index.ts';
import { readDocument } from '../dialects/index.ts';
import { readShorthand } from '../testing/index.ts';
import { compileContract, explainContract, inlineReferences, readBinding } from './index.ts';

/** A Mermaid drawing, in which an empty `opt ref NAME` stands for what other notations draw as a reference. */
function draw(file: string, text: string, change: Partial<Diagram> = {}): Diagram {
  const [diagram] = readDocument(`sequenceDiagram\n${text}\n`, file).value;
  if (diagram === undefined) throw new Error(`nothing is drawn in ${text}`);
  const fragments = diagram.fragments.map((fragment) => {
    const [operand] = fragment.operands;
    const [, name] = /^ref (.*)$/.exec(operand?.guard ?? '') ?? [];
    if (operand === undefined || name === undefined) return fragment;
    return { ...fragment, kind: 'ref' as const, operands: [{ ...operand, guard: name }] };
  });
  return { ...diagram, fragments, ...change };
}

const LOGIN = draw('docs/log-in.mmd', 'participant W as Web\nparticipant Auth\nW->>Auth: who\nAuth-->>W: you');
const OPEN = draw('docs/open.mmd', 'User->>Web: open\nopt ref Log in\nend\nWeb-->>User: page');

const inline = (diagram: Diagram, ...library: Diagram[]): Diagram => inlineReferences(diagram, library).value;
const codesOf = (diagram: Diagram, ...library: Diagram[]): string[] =>
  inlineReferences(diagram, library).diagnostics.map(
    ({ code, severity, file, line }) => `${code} ${severity} ${file}:${line}`,
  );
const textsOf = ({ messages }: Diagram): string[] =>
  messages.map(({ from, text, to }) => `${from ?? ''}>${to ?? ''} ${text}`);

describe('a reference', () => {
  test('to a drawing that is given stands for what that draws', () => {
    const whole = inline(OPEN, OPEN, LOGIN);
    expect(textsOf(whole)).toEqual(['User>Web open', 'Web>Auth who', 'Auth>Web you', 'Web>User page']);
    expect(whole.participants.map(({ id }) => id)).toEqual(['User', 'Web', 'Auth']);
    expect(whole.fragments).toMatchObject([{ kind: 'ref', inlined: { name: 'log-in.mmd', file: 'docs/log-in.mmd' } }]);
  });

  test('keeps who overtakes whom there', () => {
    const [first, second] = LOGIN.messages;
    if (first === undefined || second === undefined) throw new Error('two messages are drawn');
    const crossing = { ...LOGIN, messages: [{ ...first, received: { after: 1, nth: 0 } }, second] };
    const whole = inline(OPEN, crossing);
    expect(whole.messages.map(({ received }) => received)).toEqual([
      undefined,
      { after: 2, nth: 0 },
      undefined,
      undefined,
    ]);
    expect(compileContract(whole, []).value.term).toMatchObject({
      items: [{}, { items: [{ message: 1 }, { message: 2 }], late: [{ message: 1, after: 1 }] }, {}],
    });
  });

  test('leaves every arrow at its own place, whatever file that is in', () => {
    const { drawn } = compileContract(inline(OPEN, LOGIN), []).value;
    expect(drawn.map(({ file, line }) => `${file}:${line}`)).toEqual([
      'docs/open.mmd:2',
      'docs/log-in.mmd:4',
      'docs/log-in.mmd:5',
      'docs/open.mmd:5',
    ]);
  });

  test.each<[string, Partial<Diagram>]>([
    ['the heading', { name: 'Log In', file: 'a.md' }],
    ['the title', { title: 'log_in', name: 'x', file: 'a.md' }],
    ['the file, if it holds no other drawing', { name: 'x', file: 'deep/down/LogIn.txt' }],
  ])('finds its drawing by %s', (_, change) => {
    expect(inline(OPEN, draw('a.mmd', 'Web->>Auth: who', change)).messages).toHaveLength(3);
  });

  test('does not take a file of several drawings for one of them', () => {
    const two = ['One', 'Two'].map((name) => draw('log-in.md', 'Web->>Auth: who', { name }));
    expect(inline(OPEN, ...two).messages).toHaveLength(2);
  });

  test('to a name that nobody draws stays a gap, and the verdict says so', () => {
    expect(codesOf(OPEN, OPEN)).toEqual([]);
    const contract = compileContract(inline(OPEN, OPEN), []).value;
    const verdict = check(contract, readShorthand('User -> Web open call=1\nWeb -> User page reply=1'), {
      complete: true,
    });
    expect(verdict.outcome).toBe('conforms');
    expect(verdict.remarks).toContain('line 3 refers to "Log in": what happens there was not checked');
  });

  test('that is put in is no gap: what is missing of it violates, at its own place', () => {
    const contract = compileContract(inline(OPEN, LOGIN), []).value;
    const verdict = check(contract, readShorthand('User -> Web open call=1\nWeb -> User page reply=1'), {
      complete: true,
    });
    expect(verdict.outcome).toBe('violates');
    expect(verdict.instances[0]?.violations[0]?.text).toMatch(/"who" \(docs\/log-in\.mmd:4\)/);
    expect(verdict.remarks.join()).not.toMatch(/not checked/);
  });

  test('is explained, and its arrows are told with their file', () => {
    const explained = explainContract(compileContract(inline(OPEN, LOGIN), []).value);
    expect(explained).toContain('line 3 refers to Log in: log-in.mmd (docs/log-in.mmd) stands there, 2 arrows');
    expect(explained).toContain('line 4 of docs/log-in.mmd  who');
  });

  test('is bound by the binding of the drawing that it stands in', () => {
    const binding = readBinding('messages:\n  "Web -> Auth: who": { absent: not built }\n', 'open.bindings.yaml').value;
    const compiled = compileContract(inline(OPEN, LOGIN), binding);
    expect(compiled.diagnostics).toEqual([]);
    expect(compiled.value.messages).toHaveLength(2);
  });

  test('keeps two participants apart that are short for different things', () => {
    const outer = draw('a.mmd', 'participant A as Api\nU->>A: open\nopt ref b\nend');
    const whole = inline(outer, draw('b.mmd', 'participant A as Auth\nparticipant Z as API\nZ->>A: who'));
    expect(whole.participants.map(({ id, label }) => `${id}=${label}`)).toEqual(['A=Api', 'U=U', 'Auth=Auth']);
    expect(textsOf(whole)).toEqual(['U>A open', 'A>Auth who']);
  });

  test('carries notes, activations and lifetimes to where its messages went', () => {
    const inner = draw('b.mmd', 'A->>+B: in\nnote over B: thinking\ncreate participant C\nB->>C: make\nB-->>-A: out');
    const whole = inline(draw('a.mmd', 'A->>B: before\nopt ref b\nend\nA->>B: after'), inner);
    expect(whole.notes).toMatchObject([{ text: 'thinking', before: 2 }]);
    expect(whole.activations.map(({ participant, on, before }) => [participant, on, before])).toEqual(
      inner.activations.map(({ participant, on, before }) => [participant, on, before + 1]),
    );
    expect(whole.participants.find(({ id }) => id === 'C')?.createdBy).toBe(2);
    const twice = inline(draw('a.mmd', 'opt ref b\nend\nopt ref b\nend'), inner);
    expect(twice.participants.find(({ id }) => id === 'C')?.createdBy).toBeUndefined();
  });
});

describe('what cannot be put in is told where it stands:', () => {
  test('a drawing that refers to itself', () => {
    const loop = draw('a.mmd', 'A->>B: x\nopt ref a\nend');
    expect(codesOf(loop, loop)).toEqual(['CON111 error a.mmd:3']);
  });

  test('a circle of drawings, at the reference that closes it', () => {
    const [a, b] = [draw('a.mmd', 'opt ref b\nend'), draw('b.mmd', 'A->>B: x\nopt ref a\nend')];
    expect(codesOf(a, a, b)).toEqual(['CON111 error b.mmd:3']);
    expect(inlineReferences(a, [a, b]).diagnostics[0]?.message).toBe(
      'this reference leads back to where it stands: "a.mmd" refers to "b.mmd" refers to "a.mmd"',
    );
  });

  test('two drawings of one name, unless one stands in the same file', () => {
    const two = ['x/log-in.mmd', 'y/log-in.mmd'].map((file) => draw(file, 'Web->>Auth: who'));
    expect(codesOf(OPEN, ...two)).toEqual(['CON110 warning docs/open.mmd:3']);
    expect(codesOf(OPEN, ...two, draw('docs/open.mmd', 'Web->>Auth: who', { name: 'Log in' }))).toEqual([]);
  });

  test('one file that is given twice is one drawing', () => {
    expect(codesOf(OPEN, LOGIN, { ...LOGIN })).toEqual([]);
  });

  test('a list of steps', () => {
    const [steps] = readDocument('# Log in\n\n1. The user logs in.\n2. It works.\n', 'steps.md').value;
    expect(steps?.dialect).toBe('steps');
    if (steps !== undefined)
      expect(codesOf(OPEN, { ...steps, name: 'log in' })).toEqual(['CON113 warning docs/open.mmd:3']);
  });

  test('drawings that double at every step', () => {
    const library = Array.from({ length: 40 }, (_, level) =>
      draw(`d${level}.mmd`, `A->>B: m${level}\n${`opt ref d${level + 1}\nend\n`.repeat(2)}`),
    );
    const [first = OPEN] = library;
    const { value, diagnostics } = inlineReferences(first, library);
    expect(diagnostics.map(({ code }) => code)).toEqual(['CON112']);
    expect(value.messages.length).toBeLessThan(10_100);
  });

  test('drawings that lead deeper than anybody reads', () => {
    const library = Array.from({ length: 200 }, (_, level) =>
      draw(`d${level}.mmd`, `A->>B: x\nopt ref d${level + 1}\nend`),
    );
    const [first = OPEN] = library;
    expect(inlineReferences(first, library).diagnostics.map(({ code }) => code)).toEqual(['CON112']);
  });
});

describe('a drawing with references', () => {
  interface Drawn {
    readonly from: string;
    readonly to: string;
    readonly text: string;
  }
  const message = fc
    .tuple(fc.constantFrom('A', 'B', 'C'), fc.constantFrom('A', 'B', 'C'), fc.constantFrom('x', 'y', 'z'))
    .map(([from, to, text]) => ({ from, to, text }));
  const drawnOf = ({ from, to, text }: Drawn): string => `${from}->>${to}: ${text}`;

  const messages = (minLength: number, maxLength: number): fc.Arbitrary<readonly Drawn[]> =>
    fc.array(message, { minLength, maxLength });
  const anyCase = fc.record({
    before: messages(0, 3),
    inside: messages(1, 3),
    after: messages(0, 3),
    around: fc.constantFrom('', 'opt o', 'loop l', 'break b'),
    events: messages(0, 8),
    order: fc.constantFrom('strict' as const, 'lifeline' as const, 'causal' as const),
  });

  test('has the verdicts of the drawing written out, for any trace', () => {
    fc.assert(
      fc.property(anyCase, ({ before, inside, after, around, events, order }) => {
        const wrapped = (lines: readonly string[]): string[] =>
          around === '' ? [...lines] : [around, ...lines, 'end'];
        // The participants are named first, so that both drawings have them in one order.
        const head = ['participant A', 'participant B', 'participant C', ...before.map(drawnOf)];
        const inner = wrapped(inside.map(drawnOf));
        const outer = [...head, ...wrapped(['opt ref inner', 'end']), ...after.map(drawnOf)].join('\n');
        const written = [...head, ...wrapped(['rect rgb(1,1,1)', ...inner, 'end']), ...after.map(drawnOf)].join('\n');
        const trace = readShorthand(
          ['begin', ...events.map(({ from, to, text }) => `${from} -> ${to} ${text}`)].join('\n'),
        );
        const verdictOf = (diagram: Diagram): unknown => {
          const { instances, outcome } = check(compileContract(diagram, [], { order }).value, trace, {
            complete: true,
          });
          const told = instances.map(({ violations, taken }) => [
            violations.map(({ kind, arrow, mustFollow }) => [kind, arrow, mustFollow]),
            taken,
          ]);
          return [outcome, told];
        };
        const whole = inline(draw('outer.mmd', outer), draw('inner.mmd', inner.join('\n')));
        expect(verdictOf(whole)).toEqual(verdictOf(draw('written.mmd', written)));
      }),
      { numRuns: 150 },
    );
  });
});
