import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { XMLParser } from 'fast-xml-parser';
import type { Diagram, Message, Place } from '../diagram/index.ts';
import { exitCodeOf, judgeRun } from '../verdict/index.ts';
import type {
  Alignment,
  ArrowVerdict,
  InstanceVerdict,
  Outcome,
  QuotedEvent,
  RunVerdict,
  SpecVerdict,
} from '../verdict/index.ts';
import { reporters } from './index.ts';
import type { ReportInput } from './index.ts';

const SOURCE = `sequenceDiagram
    actor Dev
    participant API as API Server
    participant etcd
    Dev->>+API: create Pod
    API->>etcd: write
    etcd-->>API: OK
    API-->>-Dev: 201
    alt room left
      API->>etcd: bind
    else no room
      loop until there is
        API-)Dev: wait
        API->>API: retry
      end
    end
    note over API,etcd: all state lives here
`;
const FILE = 'docs/pod.mmd';

/** The place of a line of SOURCE at its first character. */
const at = (line: number): Place => ({ line, column: (SOURCE.split('\n')[line - 1] ?? '').search(/\S/) + 1 });
const message = (line: number, from: string, to: string, text: string, change: Partial<Message> = {}): Message => ({
  from,
  to,
  text,
  line: 'solid',
  head: 'arrow',
  at: at(line),
  ...change,
});

/** What SOURCE draws. */
const DIAGRAM: Diagram = {
  name: 'pod',
  file: FILE,
  dialect: 'mermaid',
  participants: [
    { id: 'Dev', label: 'Dev', kind: 'actor', at: at(2) },
    { id: 'API', label: 'API Server', kind: 'participant', at: at(3) },
    { id: 'etcd', label: 'etcd', kind: 'participant', at: at(4) },
  ],
  messages: [
    message(5, 'Dev', 'API', 'create Pod'),
    message(6, 'API', 'etcd', 'write'),
    message(7, 'etcd', 'API', 'OK', { line: 'dashed' }),
    message(8, 'API', 'Dev', '201', { line: 'dashed' }),
    message(10, 'API', 'etcd', 'bind'),
    message(13, 'API', 'Dev', 'wait', { head: 'open' }),
    message(14, 'API', 'API', 'retry'),
  ],
  fragments: [
    {
      kind: 'alt',
      at: at(9),
      operands: [
        { guard: 'room left', at: at(9), items: [{ message: 4 }] },
        { guard: 'no room', at: at(11), items: [{ fragment: 1 }] },
      ],
    },
    {
      kind: 'loop',
      at: at(12),
      operands: [{ guard: 'until there is', at: at(12), items: [{ message: 5 }, { message: 6 }] }],
    },
  ],
  items: [{ message: 0 }, { message: 1 }, { message: 2 }, { message: 3 }, { fragment: 0 }],
  notes: [{ text: 'all state lives here', placement: 'over', participants: ['API', 'etcd'], at: at(17), before: 7 }],
  activations: [
    { participant: 'API', on: true, before: 1 },
    { participant: 'API', on: false, before: 4 },
  ],
  steps: [],
};

const arrow = (index: number, change: Partial<ArrowVerdict> = {}): ArrowVerdict => {
  const drawn = DIAGRAM.messages[index]!;
  return {
    index,
    file: FILE,
    line: drawn.at.line,
    column: drawn.at.column,
    from: drawn.from ?? '',
    to: drawn.to ?? '',
    text: drawn.text,
    style: drawn.line,
    events: 2,
    instances: 2,
    violations: 0,
    status: 'conforms',
    erratum: false,
    ...change,
  };
};

const quoted = (seq: number, change: Partial<QuotedEvent> = {}): QuotedEvent => ({
  seq,
  source: 'run.ndjson',
  line: seq + 1,
  from: 'api-server',
  to: 'etcd',
  kind: 'call',
  label: 'PUT /pods/web-2',
  ...change,
});

const instance = (pod: string, change: Partial<InstanceVerdict> = {}): InstanceVerdict => ({
  key: { pod },
  run: 1,
  outcome: 'conforms',
  events: 4,
  violations: [],
  expected: [],
  excerpt: [],
  taken: { 0: 1, 1: 1 },
  ...change,
});

const VIOLATING = instance('web-2', {
  outcome: 'violates',
  violations: [
    {
      kind: 'out-of-order',
      arrow: 3,
      event: quoted(41, { status: 201, attributes: { 'k8s.pod.name': 'web-2', authorization: 'Bearer abc' } }),
      mustFollow: 2,
      expected: [2],
      text: '"201" (docs/pod.mmd:8) happened before "OK" (docs/pod.mmd:7), which must come first',
    },
    {
      kind: 'missing',
      arrow: 2,
      event: null,
      mustFollow: 3,
      expected: [],
      text: '"OK" (docs/pod.mmd:7) never happened',
    },
  ],
  alignment: { kind: 'found', cost: 1, edits: [{ kind: 'missing', arrow: 2, before: quoted(41) }] },
  excerpt: [
    { event: quoted(40), arrow: 1, violating: false },
    { event: quoted(41, { from: 'api-server', to: 'dev', label: '', status: 201 }), arrow: 3, violating: true },
    { event: quoted(42, { label: 'GET /other' }), arrow: null, violating: false },
  ],
});

/** What was seen of SOURCE: all of it, or all but three. */
const coverage = (text: string, isWhole: boolean): SpecVerdict['coverage'] => {
  const place = { file: FILE, line: 9, column: 5, text };
  const maybe = isWhole ? ({ instances: 1, status: 'seen' } as const) : ({ instances: 0, status: 'unseen' } as const);
  return {
    seen: isWhole ? 11 : 8,
    possible: 11,
    percent: isWhole ? 100 : 72,
    arrows: { seen: 6, possible: 7 },
    fragments: [
      {
        ...place,
        fragment: 0,
        kind: 'alt',
        choices: [
          { kind: 'operand', operand: 0, text, line: 9, instances: 2, status: 'seen' },
          { kind: 'operand', operand: 1, text, line: 11, ...maybe },
          { kind: 'none', instances: 0, status: 'left-out' },
        ],
      },
      {
        ...place,
        fragment: 1,
        kind: 'loop',
        choices: [
          { kind: 'zero', ...maybe },
          { kind: 'one', instances: 2, status: 'seen' },
          { kind: 'many', ...maybe },
        ],
      },
    ],
  };
};

const spec = (change: Partial<SpecVerdict> = {}): SpecVerdict => ({
  v: 1,
  spec: { name: 'pod', file: FILE, dialect: 'mermaid' },
  binding: 'docs/pod.bindings.yaml',
  order: 'lifeline',
  outcome: 'conforms',
  arrows: DIAGRAM.messages.map((_message, index) => arrow(index)),
  coverage: coverage('room', true),
  instances: [instance('web-1'), instance('web-2')],
  key: ['pod'],
  counts: { events: 120, taken: 14, outside: 106 },
  unmatched: [],
  remarks: [],
  ...change,
});

const GREEN = spec();
const RED = spec({
  outcome: 'violates',
  coverage: coverage('no room', false),
  instances: [instance('web-1'), VIOLATING],
  arrows: [
    arrow(0),
    arrow(1, { erratum: true, reason: 'a transaction, not a write' }),
    arrow(2, { events: 1, instances: 1, violations: 1, status: 'violates' }),
    arrow(3, { violations: 1, status: 'violates', latencyMs: { p50: 1.25, p95: 8, max: 90 } }),
    arrow(4, { events: 0, instances: 0, status: 'absent', reason: 'binding is done elsewhere' }),
    arrow(5, { events: 0, instances: 0, status: 'unobservable', reason: 'not instrumented' }),
    arrow(6, { events: 0, instances: 0, status: 'unseen' }),
  ],
  unmatched: [{ from: 'api-server', to: 'etcd', label: 'GET /other', events: 12 }],
  remarks: ['the entry "bind" of the binding is stale'],
});

const inputOf = (specs: readonly SpecVerdict[], change: Partial<ReportInput> = {}): ReportInput => ({
  run: judgeRun(specs, 'asdrawn check docs/pod.mmd --trace run.ndjson'),
  diagrams: specs.map(({ spec: { dialect } }) => (dialect === 'mermaid' ? DIAGRAM : null)),
  sources: new Map([[FILE, SOURCE]]),
  ...change,
});

const render = (name: string, input: ReportInput): string => {
  const reporter = reporters.find((row) => row.name === name);
  if (reporter === undefined) throw new Error(`no reporter ${name}`);
  return reporter.render(input);
};

const OUTCOMES: readonly Outcome[] = ['conforms', 'violates', 'incomplete', 'inconclusive', 'vacuous'];

/** Verdicts as a checker gives them: a spec is as bad as its worst instance, or vacuous without any. */
const hostile = fc.oneof(
  fc.constantFrom(
    '</script><img src=x onerror=alert(1)>',
    '"><svg/onload=alert(1)>',
    "' onmouseover='x",
    '<!--',
    ']]>',
    '&amp;&lt;',
    '\u0000\u001b[31m\ud800',
    '__proto__',
    'javascript:alert(1)',
    '--></style><script>',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const anyInstance = fc
  .record({
    outcome: fc.constantFrom(...OUTCOMES.filter((outcome) => outcome !== 'vacuous')),
    text: hostile,
    run: fc.integer({ min: 1, max: 9 }),
  })
  .map(({ outcome, text, run }): InstanceVerdict => {
    const event = quoted(1, {
      source: text,
      label: text,
      from: text,
      to: text,
      kind: text,
      attributes: { [text]: text },
    });
    const violation = { kind: 'unexpected', arrow: 3, event, mustFollow: null, expected: [0, 1], text } as const;
    return instance(text, {
      outcome,
      run,
      violations: outcome === 'violates' ? [violation] : [],
      ...(outcome === 'violates' ? { alignment: anyAlignment(event, text)[run % 3] } : {}),
      expected: outcome === 'incomplete' ? [2] : [],
      reason: text,
      excerpt: [{ event, arrow: 1, violating: outcome === 'violates' }],
    });
  });
const anyAlignment = (event: QuotedEvent, text: string): readonly [Alignment, Alignment, Alignment] => [
  { kind: 'not-computed', reason: text },
  {
    kind: 'found',
    cost: 25,
    edits: [
      { kind: 'skip', event, arrow: 3 },
      { kind: 'missing', arrow: 2, before: event },
      { kind: 'missing', arrow: 3, before: null },
    ],
  },
  {
    kind: 'found',
    cost: 3,
    edits: (['status', 'guard', 'received'] as const).map((kind) => ({ kind, event, arrow: 1 })),
  },
];
const anySpec = fc
  .record({ instances: fc.array(anyInstance, { maxLength: 4 }), text: hostile })
  .map(({ instances, text }) =>
    spec({
      spec: { name: text, file: text, dialect: 'mermaid' },
      binding: text,
      outcome: judgeRun(instances.map(({ outcome }) => spec({ outcome }))).outcome,
      reason: text,
      instances,
      arrows: RED.arrows.map((verdict) => ({ ...verdict, file: text, text, from: text, to: text, reason: text })),
      coverage: coverage(text, false),
      key: [text],
      unmatched: [{ from: text, to: text, label: text, events: 1 }],
      remarks: [text],
    }),
  );
const anyInput = fc
  .record({ specs: fc.array(anySpec, { maxLength: 3 }), text: hostile, percent: fc.integer({ min: 0, max: 100 }) })
  .map(({ specs, text, percent }) => ({
    run: judgeRun(specs, text, percent),
    diagrams: specs.map(() => hostileDiagram(text)),
    sources: new Map([[specs[0]?.spec.file ?? '', text]]),
  }));
const hostileDiagram = (text: string): Diagram => ({
  ...DIAGRAM,
  name: text,
  file: text,
  title: text,
  participants: DIAGRAM.participants.map((participant) => ({ ...participant, label: text })),
  messages: DIAGRAM.messages.map((drawn) => ({ ...drawn, text })),
  notes: DIAGRAM.notes.map((note) => ({ ...note, text })),
  fragments: DIAGRAM.fragments.map((fragment) => ({
    ...fragment,
    operands: fragment.operands.map((operand) => ({ ...operand, guard: text })),
  })),
});

interface Element {
  readonly name: string;
  readonly attributes: readonly string[];
}

/** The elements of a markup; throws unless it is well formed, so that a text which got out of its place is noticed. */
function elementsOf(markup: string): readonly Element[] {
  const elements: Element[] = [];
  const open: string[] = [];
  const token = /<(\/?)([A-Za-z][\w-]*)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>|[^<&]+|&(?:amp|lt|gt|quot|apos|#\d+);/y;
  while (token.lastIndex < markup.length) {
    const at = token.lastIndex;
    const match = token.exec(markup);
    if (match === null) throw new Error(`not well formed here: ${markup.slice(at, at + 80)}`);
    const [, close, name, attributes = '', empty] = match;
    if (name === undefined) continue;
    if (close === '/') {
      if (open.pop() !== name) throw new Error(`</${name}> closes something else`);
      continue;
    }
    elements.push({
      name,
      attributes: [...attributes.matchAll(/([\w:-]+)="/g)].map(([, attribute = '']) => attribute),
    });
    if (empty === '') open.push(name);
  }
  if (open.length > 0) throw new Error(`never closed: ${open.join(' ')}`);
  return elements;
}

describe('every report', () => {
  test.each(reporters.map(({ name }) => name))('%s gives the same bytes for the same verdict, and no date', (name) => {
    const [first, second] = [render(name, inputOf([GREEN, RED])), render(name, inputOf([GREEN, RED]))];
    expect(second).toBe(first);
    expect(first).not.toMatch(/\b20[2-9]\d-\d\d/);
    expect(first.endsWith('\n')).toBe(true);
  });

  test.each(reporters.map(({ name }) => name))('%s shows no secret unless it is told to', (name) => {
    const secretive = spec({
      ...RED,
      unmatched: [{ from: 'a', to: 'b', label: 'GET http://me:hunter2@host/x?api_key=hunter2&page=3', events: 1 }],
      remarks: ['called with Authorization: Bearer hunter2hunter2hunter2'],
      instances: [
        instance('p', {
          ...VIOLATING,
          key: { 'session.token': 'hunter2' },
          violations: [
            {
              ...VIOLATING.violations[0]!,
              event: quoted(1, {
                attributes: { 'http.request.header.cookie': 'hunter2', Password: 'hunter2', page: 3 },
              }),
            },
          ],
          excerpt: [
            {
              event: quoted(1, { attributes: { 'set-cookie': 'hunter2' }, label: 'ftp://u:hunter2@h' }),
              arrow: 1,
              violating: false,
            },
          ],
        }),
      ],
    });
    const report = render(name, { ...inputOf([secretive]), sources: new Map([[FILE, '%% https://u:hunter2@host\n']]) });
    expect(report).not.toContain('hunter2');
    expect(render(name, { ...inputOf([secretive]), showSecrets: true })).toContain('hunter2');
  });

  test.each(reporters.map(({ name }) => name))('%s can be made of any verdict', (name) => {
    fc.assert(
      fc.property(anyInput, (input) => {
        expect(render(name, input)).not.toBe('');
      }),
      { numRuns: 50 },
    );
  });
});

describe('text', () => {
  test('a green run is one line a spec and one at the end', () => {
    expect(render('text', inputOf([GREEN]))).toBe(
      [
        '✓ conforms     pod   2 instances   drawn 7 · checked 7',
        '',
        '✓ conforms: 1 spec: 1 conforms (exit code 0)',
        'replay: asdrawn check docs/pod.mmd --trace run.ndjson',
        '',
      ].join('\n'),
    );
  });

  test('a violation is told with arrow, event, what was expected, why, and the trace around it', () => {
    expect(render('text', inputOf([RED]))).toBe(
      `✗ violates     pod   2 instances (1 violate, 1 conform)   drawn 7 · checked 4 · absent 1 · errata 1 · unobservable 1 · never seen 1 (line 14)
  erratum      line 6    write   a transaction, not a write
  absent       line 10   bind    binding is done elsewhere
  unobservable line 13   wait    not instrumented
  note: the entry "bind" of the binding is stale
  coverage: 72 % (8 of 11), never seen: line 11 alt: [no room], line 9 loop: no iteration, line 9 loop: several iterations

  ✗ violates (out of order)  pod=web-2  4 events taken
    arrow     docs/pod.mmd:8:5  API ⇢ Dev: 201
    event     run.ndjson:42  seq 41  api-server → etcd  call  PUT /pods/web-2
              status 201   k8s.pod.name=web-2   authorization=•••
    expected  docs/pod.mmd:7:5  etcd ⇢ API: OK
    because   "201" (docs/pod.mmd:8) happened before "OK" (docs/pod.mmd:7), which must come first
    after that (diagnosis):
      "OK" (docs/pod.mmd:7) never happened
    cheapest way to align: 1 edit: "OK" (docs/pod.mmd:7) is missing before run.ndjson:42
    | run.ndjson:41  api-server → etcd  PUT /pods/web-2  line 6 write
    ✗ run.ndjson:42  api-server → dev   (201)            line 8 201
    | run.ndjson:43  api-server → etcd  GET /other

  traffic between drawn participants that no arrow takes:
        12 × api-server → etcd: GET /other

✗ violates: 1 spec: 1 violates (exit code 1)
replay: asdrawn check docs/pod.mmd --trace run.ndjson
`,
    );
  });

  test.each<[string, Alignment, readonly string[]]>([
    [
      'two edits of one arrow are one thing that moves, told where it belongs',
      {
        kind: 'found',
        cost: 6,
        edits: [
          { kind: 'skip', event: quoted(39), arrow: 4 },
          { kind: 'missing', arrow: 3, before: quoted(40) },
          { kind: 'skip', event: quoted(41), arrow: 3 },
          { kind: 'missing', arrow: 2, before: quoted(42) },
          { kind: 'missing', arrow: 4, before: quoted(42) },
          { kind: 'missing', arrow: 3, before: null },
        ],
      },
      [
        'cheapest way to align: 6 edits',
        '  "201" (docs/pod.mmd:8) belongs before run.ndjson:41, not at run.ndjson:42 (2 edits)',
        '  "OK" (docs/pod.mmd:7) is missing before run.ndjson:43',
        '  "bind" (docs/pod.mmd:10) belongs before run.ndjson:43, not at run.ndjson:40 (2 edits)',
        '  "201" (docs/pod.mmd:8) is missing at the end',
      ],
    ],
    [
      'a move alone is told in one line',
      {
        kind: 'found',
        cost: 2,
        edits: [
          { kind: 'skip', event: quoted(39), arrow: 3 },
          { kind: 'missing', arrow: 3, before: null },
        ],
      },
      ['cheapest way to align: 2 edits: "201" (docs/pod.mmd:8) belongs at the end, not at run.ndjson:40'],
    ],
    [
      'each kind of edit has a sentence, and what is not listed is counted',
      {
        kind: 'found',
        cost: 24,
        edits: [
          { kind: 'skip', event: quoted(41), arrow: 3 },
          { kind: 'status', event: quoted(42, { status: 500 }), arrow: 2 },
          { kind: 'guard', event: quoted(43), arrow: 4 },
          { kind: 'received', event: quoted(44), arrow: 5 },
        ],
      },
      [
        'cheapest way to align: 24 edits',
        '  run.ndjson:42, "201" (docs/pod.mmd:8), is one too many',
        '  run.ndjson:43, "OK" (docs/pod.mmd:7), has status 500 that is not drawn for it',
        '  run.ndjson:44, "bind" (docs/pod.mmd:10), enters a branch whose guard is not true of it',
        '  run.ndjson:45, "wait" (docs/pod.mmd:13), was received, though it must be lost',
        '  and 20 more edits',
      ],
    ],
    [
      'a bound that was met is named',
      { kind: 'not-computed', reason: 'bound met: 20000 states of the search' },
      ['cheapest way to align: not computed (bound met: 20000 states of the search)'],
    ],
  ])('of the cheapest alignment, %s', (_name, alignment, lines) => {
    const report = render('text', inputOf([spec({ ...RED, instances: [{ ...VIOLATING, alignment }] })]));
    const told = report.split('\n').map((line) => line.replace(/^ {4}/, ''));
    const at = told.indexOf(lines[0] ?? '');
    expect(told.slice(at, at + lines.length)).toEqual(lines);
    expect(report).not.toContain('cheapest way to align: 1 edit');
  });

  test('of many failing instances three are told and the others are named', () => {
    const instances = Array.from({ length: 20 }, (_, index) =>
      instance(`p${index}`, { outcome: 'violates', violations: VIOLATING.violations }),
    );
    const report = render('text', inputOf([spec({ outcome: 'violates', instances })]));
    expect(report.match(/because/g)).toHaveLength(3);
    expect(report).toContain('and 17 more instances not as drawn: pod=p3, pod=p4,');
    expect(report).toContain('pod=p12, and 7 more\n');
  });

  test.each<[Outcome, string]>([
    ['incomplete', 'expected  docs/pod.mmd:7:5  etcd ⇢ API: OK'],
    ['inconclusive', 'begun before the trace'],
  ])('%s says what it waits for or why', (outcome, says) => {
    const unfinished = instance('p', { outcome, reason: 'begun before the trace', expected: [2] });
    expect(render('text', inputOf([spec({ outcome, instances: [unfinished] })]))).toContain(says);
  });

  test('a vacuous spec says that nothing was checked', () => {
    expect(render('text', inputOf([spec({ outcome: 'vacuous', instances: [] })]))).toContain(
      'vacuous: nothing of the drawing was seen, so nothing was checked',
    );
  });

  test('a run that shows too little is red although all is as drawn, in every report', () => {
    const input = (percent: number): ReportInput => ({
      ...inputOf([GREEN]),
      run: judgeRun([spec({ coverage: RED.coverage })], undefined, percent),
    });
    expect(input(72).run.exitCode).toBe(0);
    expect(input(73).run).toMatchObject({ outcome: 'conforms', exitCode: 1 });
    expect(render('text', input(73))).toContain(
      '1 conforms, but coverage 72 % is below --min-coverage 73 % (exit code 1)',
    );
    for (const name of ['text', 'html', 'junit']) {
      expect(render(name, input(73))).toContain('coverage 72 % is below --min-coverage 73 %');
      expect(render(name, input(72))).not.toContain('is below');
    }
    expect(render('text', input(73))).toContain('\n✗ too little seen: 1 spec');
    expect(render('text', input(72))).toContain('\n✓ conforms: 1 spec');
    expect(render('html', input(73))).toContain('<title>✗ too little seen');
  });

  test('specs of one file name are told apart by their paths, in text and in JUnit', () => {
    const named = (file: string): SpecVerdict => spec({ spec: { name: 'shop.mmd', file, dialect: 'mermaid' } });
    const both = inputOf([named('a/shop.mmd'), named('b/shop.mmd')]);
    expect(render('text', both)).toMatch(/conforms +a\/shop\.mmd [^]*conforms +b\/shop\.mmd /);
    expect(render('junit', both)).toMatch(/<testsuite name="a\/shop\.mmd"[^]*classname="b\/shop\.mmd"/);
    expect(render('text', inputOf([named('a/shop.mmd')]))).toMatch(/conforms +shop\.mmd /);
  });

  test('traffic that the drawing does not have is told as that, not as a run', () => {
    const stray = instance('', {
      key: {},
      outcome: 'violates',
      events: 0,
      violations: [
        { kind: 'not-drawn', arrow: null, event: quoted(3), mustFollow: null, expected: [], text: 'it is not drawn' },
      ],
    });
    const input = inputOf([spec({ outcome: 'violates', instances: [stray] })]);
    expect(render('text', input)).toContain('traffic that the drawing does not have  1 event\n');
    expect(render('junit', input)).toContain('name="traffic that the drawing does not have"');
  });

  test('a verdict that is red anyway keeps its exit code', () => {
    expect(judgeRun([spec({ outcome: 'vacuous', coverage: RED.coverage })], undefined, 100).exitCode).toBe(4);
  });

  test('colour is only added to the same words', () => {
    const input = inputOf([GREEN, RED]);
    const painted = render('text', { ...input, colour: true });
    expect(painted).not.toBe(render('text', input));
    expect(painted.replaceAll(new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g'), '')).toBe(render('text', input));
  });

  test('no control character of a trace reaches the terminal', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        expect(render('text', input).replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
      }),
    );
  });
});

describe('junit', () => {
  const parse = (xml: string): JunitReport =>
    new XMLParser({
      ignoreAttributes: false,
      attributeNamePrefix: '',
      isArray: (name) => /^test(suite|case)$/.test(name),
    }).parse(xml) as JunitReport;
  interface JunitReport {
    testsuites: { tests: string; failures: string; testsuite: { testcase: object[]; 'system-out'?: string }[] };
  }

  test('CI is red exactly when the exit code is not 0, and the counts are those of the cases', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const xml = render('junit', input);
        elementsOf(xml.replace(/^<\?xml [^>]*\?>/, ''));
        const { testsuites } = parse(xml);
        const cases = testsuites.testsuite.flatMap((suite) => suite.testcase);
        const failures = cases.filter((testCase) => 'failure' in testCase);
        expect(failures.length > 0).toBe(input.run.exitCode !== 0);
        expect([Number(testsuites.tests), Number(testsuites.failures)]).toEqual([cases.length, failures.length]);
        expect(xml).not.toMatch(
          /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])/,
        );
      }),
    );
  });

  test('the type of a failure names the outcome', () => {
    for (const outcome of OUTCOMES.filter((name) => name !== 'conforms')) {
      const xml = render('junit', inputOf([spec({ outcome, instances: [] })]));
      expect(xml).toContain(`<failure type="${outcome}"`);
    }
    expect(render('junit', inputOf([GREEN]))).not.toContain('<failure');
    expect(render('junit', inputOf([]))).toContain('<failure type="vacuous" message="no spec was checked">');
  });

  test('a failing instance tells what happened; of many, the failing ones come first', () => {
    const green = Array.from({ length: 300 }, (_, index) => instance(`p${index}`));
    const { testsuites } = parse(render('junit', inputOf([spec({ ...RED, instances: [...green, VIOLATING] })])));
    const suite = testsuites.testsuite[0]!;
    expect(suite.testcase).toHaveLength(201);
    expect(suite.testcase[1]).toMatchObject({
      classname: 'pod',
      name: 'pod=web-2',
      failure: { type: 'violates', message: VIOLATING.violations[0]?.text },
    });
    expect(JSON.stringify(suite.testcase[1])).toContain('cheapest way to align: 1 edit');
    expect(suite['system-out']).toContain('101 more instances have no case here');
  });

  test('an incomplete instance tells what is expected and, where that was asked for, what is still to come', () => {
    const alignment: Alignment = {
      kind: 'found',
      cost: 2,
      edits: [2, 3].map((arrow) => ({ kind: 'missing', arrow, before: null })),
    };
    const bodyOf = (more: Partial<InstanceVerdict>): string => {
      const unfinished = instance('p', { outcome: 'incomplete', expected: [2], ...more });
      const { testsuites } = parse(
        render('junit', inputOf([spec({ outcome: 'incomplete', instances: [unfinished] })])),
      );
      return (testsuites.testsuite[0]!.testcase[1] as { failure: { '#text': string } }).failure['#text'].replaceAll(
        '&#10;',
        '\n',
      );
    };
    const expected = 'expected: docs/pod.mmd:7 OK';
    expect(bodyOf({})).toBe(expected);
    expect(bodyOf({ alignment })).toBe(
      [
        expected,
        '',
        'cheapest way to align: 2 edits',
        '  "OK" (docs/pod.mmd:7) is missing at the end',
        '  "201" (docs/pod.mmd:8) is missing at the end',
      ].join('\n'),
    );
  });
});

describe('json', () => {
  test('is the verdict itself, whatever the order of its keys', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        expect(JSON.parse(render('json', { ...input, showSecrets: true }))).toEqual(
          JSON.parse(JSON.stringify(input.run)),
        );
      }),
    );
    const { run } = inputOf([RED]);
    const shuffled = Object.fromEntries(Object.entries(run).reverse()) as unknown as typeof run;
    expect(render('json', { ...inputOf([RED]), run: shuffled })).toBe(render('json', inputOf([RED])));
    expect(render('json', inputOf([RED])).startsWith('{\n  "v": 1,\n  "outcome": "violates",\n  "exitCode": 1,')).toBe(
      true,
    );
  });
});

describe('the published schema of verdicts', () => {
  const validate = new Ajv({ allowUnionTypes: true, strictRequired: false }).compile(
    JSON.parse(readFileSync(new URL('../../specs/verdict.schema.json', import.meta.url), 'utf8')) as object,
  );
  const accepts = (run: object): boolean => validate(JSON.parse(JSON.stringify(run)));

  test('accepts every verdict', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        expect([accepts(JSON.parse(render('json', input)) as object), validate.errors]).toEqual([true, null]);
      }),
    );
    expect([accepts(inputOf([GREEN, RED]).run), validate.errors]).toEqual([true, null]);
  });

  test.each<[string, (run: ReportInput['run']) => object]>([
    ['an exit code that no verdict has', (run) => ({ ...run, exitCode: 2 })],
    ['an outcome that does not exist', (run) => ({ ...run, outcome: 'passed' })],
    ['a field that it does not know', (run) => ({ ...run, extra: 1 })],
    [
      'a spec without its arrows',
      (run) => ({ ...run, specs: run.specs.map((own) => ({ ...own, arrows: undefined })) }),
    ],
  ])('refuses %s', (_name, change) => {
    expect(accepts(change(inputOf([RED]).run))).toBe(false);
  });
});

describe('html', () => {
  const body = (page: string): string => page.replace(/^<!doctype html>\n/, '').trimEnd();
  /** The style sheet is our own text; the rest must be well formed. */
  const withoutStyle = (page: string): string => body(page).replace(/<style>[^]*?<\/style>/, '');

  test('no text of a trace, a diagram or a source becomes markup, wherever it stands', () => {
    const good = elementsOf(withoutStyle(render('html', inputOf([GREEN, RED]))));
    const names = new Set(['details', ...good.map(({ name }) => name)]);
    const attributes = new Set(['open', ...good.flatMap((element) => element.attributes)]);
    fc.assert(
      fc.property(anyInput, (input) => {
        const page = render('html', input);
        expect(page.match(/<style>/g)).toHaveLength(1);
        const elements = elementsOf(withoutStyle(page));
        expect(elements.filter(({ name }) => !names.has(name))).toEqual([]);
        expect(elements.flatMap((element) => element.attributes).filter((name) => !attributes.has(name))).toEqual([]);
        for (const [, href = ''] of page.matchAll(/href="([^"]*)"/g)) expect(href).toMatch(/^#spec-\d+(-arrow-\d+)?$/);
      }),
      { numRuns: 60 },
    );
  });

  test('the page needs nothing from outside, runs nothing, and says so to the browser', () => {
    const page = render('html', inputOf([GREEN, RED]));
    expect(page).not.toMatch(/<(script|link|img|iframe|object|embed|form|base)\b|@import|url\(/i);
    expect(page.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:/);
    expect(page).toContain(
      `content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"`,
    );
  });

  test.each<[string, readonly (Diagram | null)[]]>([
    ['a drawing', [DIAGRAM, DIAGRAM]],
    ['no drawing', [null, null]],
    [
      'a drawing with more messages than the contract has arrows',
      [
        DIAGRAM,
        {
          ...DIAGRAM,
          messages: [...DIAGRAM.messages, message(8, 'API', 'Dev', 'x', { at: at(1) })],
          items: [{ message: 7 }, ...DIAGRAM.items],
        },
      ],
    ],
  ])('with %s every link leads to something in the page, and no id is used twice', (_name, diagrams) => {
    const page = render('html', { ...inputOf([GREEN, RED]), diagrams });
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const targets = [...page.matchAll(/href="#([^"]*)"/g)].map(([, target]) => target);
    expect(targets.length).toBeGreaterThan(2);
    expect(targets.filter((target) => !ids.includes(target))).toEqual([]);
  });

  test('every arrow has its glyph and its count, and says why it has none', () => {
    const page = render('html', inputOf([RED]));
    const badges = [...page.matchAll(/class="badge"\s*>.*?<text[^>]*>([^<]*)</g)].map(([, text]) => text);
    expect(badges).toEqual(['✓ 2', '✓ 2 ≠', '✗ 1', '✗ 2', '⊘', '?', '○ 0']);
    expect(page).toContain('binding is done elsewhere');
  });

  test('an operand that was never entered says so in the drawing, and every way has its row', () => {
    const page = render('html', inputOf([RED]));
    expect(page).toContain('>○ [no room]<');
    expect(page).not.toContain('○ [room left]');
    expect(page).toMatch(/several iterations.*never seen/s);
    expect(render('html', inputOf([GREEN]))).not.toContain('○ [');
  });

  test('the first divergence is told before the drawing, and pointed at in it', () => {
    const page = render('html', inputOf([RED]));
    const told = page.indexOf('✗ first divergence: out of order');
    expect(told).toBeGreaterThan(0);
    expect(told).toBeLessThan(page.indexOf('<svg'));
    const drawn = (index: number): string =>
      page.slice(page.indexOf(`<g id="spec-1-arrow-${index}"`), page.indexOf(`<g id="spec-1-arrow-${index + 1}"`));
    expect(drawn(3)).toContain('first divergence: out of order');
    expect(drawn(2)).toContain('this had to come first');
    expect(page).toMatch(/<tr class="hit"\s*>.*?run\.ndjson:42/);
    expect(page).toMatch(/run\.ndjson:41.*?<tr class="due"\s*>.*?missing here:.*?etcd ⇢ API: OK.*?<tr class="hit"/);
    expect(page).toContain('<span class="hit"><i>8</i>    API--&gt;&gt;-Dev: 201</span>');
    expect(render('html', inputOf([GREEN]))).not.toContain('first divergence');
  });

  test('of many instances two hundred are listed, the failing ones first, and how many more there are', () => {
    const instances = [...Array.from({ length: 300 }, (_, index) => instance(`p${index}`)), VIOLATING];
    const page = render('html', inputOf([spec({ ...RED, instances })]));
    expect(page).toContain('and 101 more instances; the JSON report lists 1,000, the worst');
    expect(page.match(/>pod=p\d+</g)).toHaveLength(199);
  });

  test('of many instances JSON lists the worst, in their order, and counts the others', () => {
    const many = (count: number, name: string): InstanceVerdict[] =>
      Array.from({ length: count }, (_, index) => instance(`${name}${index}`));
    const instances = [...many(700, 'p'), VIOLATING, ...many(700, 'q'), VIOLATING];
    const specs = Array.from({ length: 12 }, () => spec({ ...RED, instances }));
    const { specs: told } = JSON.parse(render('json', inputOf(specs))) as Pick<RunVerdict, 'specs'>;
    expect(told.map((one) => one.instances.length)).toEqual([...Array<number>(10).fill(1_000), 0, 0]);
    expect(told[0]?.instances.map(({ outcome }) => outcome).filter((outcome) => outcome === 'violates')).toHaveLength(
      2,
    );
    expect(told[0]?.instances.at(-1)?.outcome).toBe('violates');
    expect(told.map(({ omitted }) => omitted).at(0)).toEqual({ conforms: 402 });
    expect(told.at(-1)?.omitted).toEqual({ violates: 2, conforms: 1_400 });
  });

  test('JSON lists no more than one text can hold, however much there is to be said of an instance', () => {
    const [first] = VIOLATING.violations;
    const violations =
      first === undefined ? [] : Array.from({ length: 50 }, () => ({ ...first, text: 'x'.repeat(9_999) }));
    const wordy = { ...VIOLATING, violations };
    const specs = [0, 1].map(() =>
      spec({ ...RED, instances: [instance('p'), ...Array<InstanceVerdict>(80).fill(wordy)] }),
    );
    const report = render('json', inputOf(specs));
    const { specs: told } = JSON.parse(report) as Pick<RunVerdict, 'specs'>;
    const listed = told.map(({ instances }) => instances.length);
    expect(listed[0]).toBe(81);
    expect(listed[1]).toBeLessThan(30);
    expect(told[1]?.omitted).toEqual({ violates: 80 - (listed[1] ?? 0), conforms: 1 });
    expect(report.length).toBeLessThan(60_000_000);
  });

  test('JUnit names twenty of the arrows that may come next', () => {
    const [arrow] = RED.arrows;
    const arrows = arrow === undefined ? [] : Array.from({ length: 500 }, (_, index) => ({ ...arrow, index }));
    const expected = arrows.map(({ index }) => index);
    const instances = [{ ...VIOLATING, outcome: 'incomplete' as const, violations: [], expected }];
    const report = render('junit', inputOf([spec({ ...RED, arrows, instances })]));
    expect(report).toContain('and 480 more');
    expect(report.split(`${arrow?.file ?? ''}:${arrow?.line ?? 0} `)).toHaveLength(21);
  });

  test.each(['text', 'html', 'json', 'junit'])('no label is too long for the %s report', (name) => {
    const label = 'x'.repeat(1_000_000);
    const [first] = VIOLATING.violations;
    const violations = first === undefined ? [] : [{ ...first, text: `"${label}" never happened` }];
    const long = { ...VIOLATING, violations, key: { pod: label } };
    const arrows = RED.arrows.map((arrow) => ({ ...arrow, text: label }));
    const report = render(
      name,
      inputOf([spec({ ...RED, arrows, remarks: [label], instances: Array<InstanceVerdict>(3).fill(long) })]),
    );
    expect(report).toContain('characters)');
    expect(report.length).toBeLessThan(500_000);
  });

  test('steps are a list with a verdict on each', () => {
    const steps = RED.arrows.map((verdict) => ({ ...verdict, style: 'step' as const }));
    const page = render('html', { ...inputOf([spec({ ...RED, arrows: steps })]), diagrams: [null] });
    expect(page).not.toContain('<svg');
    expect(page.match(/class="ordinal"/g)).toHaveLength(7);
    expect(page).toContain('▲ first divergence');
  });

  test('a verdict without a diagram to draw still lists every arrow', () => {
    const page = render('html', { ...inputOf([RED]), diagrams: [null] });
    expect(page).not.toContain('<svg');
    expect(page).toMatch(/<details open="open"\s*><summary>Every arrow/);
  });

  test('deep nesting is drawn, not a stack overflow', () => {
    const depth = 3000;
    const fragments = Array.from({ length: depth }, (_, index) => ({
      kind: 'opt' as const,
      at: at(1),
      operands: [{ guard: '', at: at(1), items: [index + 1 < depth ? { fragment: index + 1 } : { message: 0 }] }],
    }));
    const nested = { ...DIAGRAM, fragments, items: [{ fragment: 0 }] };
    expect(render('html', { ...inputOf([GREEN]), diagrams: [nested] })).toContain('<svg');
  });

  test('text has a contrast of at least 4.5 and lines one of at least 3, in light and in dark', () => {
    const page = render('html', inputOf([GREEN]));
    const themes = [...page.matchAll(/:root \{([^}]*--ground[^}]*)\}/g)].map(
      ([, block = '']) =>
        new Map([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map(([, name, colour]) => [name, colour])),
    );
    expect(themes).toHaveLength(2);
    for (const colours of themes) {
      const contrast = (a: string, b: string): number => contrastOf(colours.get(a)!, colours.get(b)!);
      for (const ground of ['card', 'inset', 'ground']) {
        for (const text of ['text', 'muted', 'info'])
          expect([text, ground, contrast(text, ground) >= 4.5]).toEqual([text, ground, true]);
      }
      for (const tone of ['ok', 'bad', 'warn', 'void', 'info']) {
        for (const ground of ['card', `${tone}-soft`])
          expect([tone, ground, contrast(tone, ground) >= 4.5]).toEqual([tone, ground, true]);
        expect([tone, contrast('text', `${tone}-soft`) >= 4.5, contrast('muted', `${tone}-soft`) >= 4.5]).toEqual([
          tone,
          true,
          true,
        ]);
      }
      for (const ground of ['bad-soft', 'warn-soft', 'void-soft'])
        expect(contrast('info', ground)).toBeGreaterThanOrEqual(4.5);
      expect(contrast('on-strong', 'bad')).toBeGreaterThanOrEqual(4.5);
      expect(contrast('on-strong', 'warn')).toBeGreaterThanOrEqual(4.5);
      expect(contrast('text', 'note')).toBeGreaterThanOrEqual(4.5);
      for (const line of ['line', 'frame']) expect(contrast(line, 'card')).toBeGreaterThanOrEqual(3);
    }
  });
});

/** WCAG 2.2, contrast ratio of two sRGB colours `#rrggbb`. */
function contrastOf(a: string, b: string): number {
  const luminance = (colour: string): number => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
      const channel = parseInt(colour.slice(start, start + 2), 16) / 255;
      return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

test('the outcome that reports name is the one the exit code says', () => {
  for (const outcome of OUTCOMES) {
    const input = inputOf([spec({ outcome, instances: [] })]);
    expect(render('text', input)).toContain(`(exit code ${exitCodeOf(outcome)})`);
    expect(render('html', input)).toMatch(new RegExp(`<h1>${outcome}</h1>[^]*exit code <b>${exitCodeOf(outcome)}</b>`));
    expect(JSON.parse(render('json', input))).toMatchObject({ outcome, exitCode: exitCodeOf(outcome) });
  }
});
