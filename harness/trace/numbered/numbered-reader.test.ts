import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Diagnostic } from '../../diagnostics/index.ts';
import { readTraceText } from '../read-trace.ts';
import type { TraceEvent } from '../types.ts';
import { Numbering, NumberedReader, type AttributeUse } from './index.ts';
import { LineScanner } from './line-scanner.ts';

const SEED = 20_261_201;
const CASES = Number(process.env['NUMBERED_CASES'] ?? 4_000);
const SOURCE = 'trace.ndjson';

/** Each kind of use once; other attributes are not asked for. */
const USES: ReadonlyMap<string, AttributeUse> = new Map([
  ['pod', { shape: 'none', place: 0, link: -1 }],
  ['phase', { shape: 'value', place: -1, link: -1 }],
  ['set', { shape: 'presence', place: 1, link: 0 }],
  ['http.route', { shape: 'value', place: 2, link: 1 }],
]);
const OPTIONS = {
  useOf: (name: string): AttributeUse => USES.get(name) ?? { shape: 'none', place: -1, link: -1 },
  values: 3,
  links: 2,
  segments: new Set(['pods']),
  idsMax: 64,
};

interface Told {
  readonly events: readonly unknown[];
  readonly begun: boolean;
  readonly ended: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** What the event says, in words: numbers differ from reader to reader. */
function inWords(numbering: Numbering, line: number): unknown {
  const { event, texts, shapes } = numbering;
  const word = (text: number): string | null => (text < 0 ? null : texts.stringOf(text));
  const { seq, receivedSeq, time, receivedTime, id, replyTo, parent, sender, receiver } = event;
  return {
    shape: { ...shapes[event.shape], label: word(event.label) },
    segments: numbering.hasSegments(event.label)
      ? [0, 1].map((at) => word(numbering.segmentOf(event.label, at)))
      : null,
    ends: [word(event.from), word(event.to), word(event.traceId)],
    values: [...event.values].map(word),
    links: [...event.links],
    numbers: { seq, receivedSeq, time, receivedTime, id, replyTo, parent, sender, receiver, line },
  };
}

/** By the bytes, cut into pieces; null: it must be read as a whole. */
function scanned(bytes: Uint8Array, piece: number): Told | null {
  const events: unknown[] = [];
  const reader = new NumberedReader(
    { ...OPTIONS, source: SOURCE },
    { take: (event) => events.push(inWords(reader.numbering, event.line)) },
  );
  for (let from = 0; from < bytes.length; from += piece) reader.push(bytes.slice(from, from + piece));
  const { begun, ended, diagnostics, unfit } = reader.end();
  return unfit === null ? { events, begun, ended, diagnostics } : null;
}

/** By JSON.parse and the schema. */
function parsed(text: string): Told & { readonly isInOrder: boolean } {
  const { value, diagnostics } = readTraceText(text, SOURCE);
  const numbering = new Numbering(OPTIONS);
  const events = value.events.map(({ event, line }) => {
    numbering.takeEvent(event);
    return inWords(numbering, line);
  });
  return { events, begun: value.begun, ended: value.ended, diagnostics, isInOrder: numbering.disorder === null };
}

const textOf = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
};

/** Both readers say the same of these bytes, unless the scanning one leaves them to the other with good reason. */
function expectSame(bytes: Uint8Array, piece: number): 'same' | 'left' {
  const text = textOf(bytes);
  const found = scanned(bytes, piece);
  if (text === null) {
    expect(found).toBeNull();
    return 'left';
  }
  const { isInOrder, ...wanted } = parsed(text);
  if (found === null) {
    const isArray = /^[\s\ufeff\u001e]*\[/m.test(text);
    const isSorted = wanted.diagnostics.some(({ code }) => ['TRC106', 'TRC107', 'TRC108', 'TRC114'].includes(code));
    expect(isArray || isSorted || !isInOrder || hasCausesLater(text)).toBe(true);
    return 'left';
  }
  expect(found).toEqual(wanted);
  return 'same';
}

/** The whole reader moves an event behind its cause; what comes out is in order, and what came in was not. */
function hasCausesLater(text: string): boolean {
  const { value } = readTraceText(text, SOURCE);
  return value.events.some(({ line }, index) => index > 0 && line < (value.events[index - 1]?.line ?? 0));
}

/** Did the scanner itself read it? */
function isScanned(text: string): boolean {
  const bytes = encoded(`${text}        `);
  const wantOf = (name: string): number => [...USES.keys()].indexOf(name);
  return new LineScanner(wantOf, () => false).scan(bytes, new DataView(bytes.buffer), 0) > 0;
}

const encoded = (text: string): Uint8Array => new TextEncoder().encode(text);

const word = fc.oneof(
  { weight: 60, arbitrary: fc.constantFrom('A', 'Api Server', 'GET /pods/web-1', 'x', '200 OK') },
  fc.constantFrom('ünïcode', ''),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
);
const id = fc.oneof(
  { weight: 40, arbitrary: fc.constantFrom('r1', 'r2', 'a-long-id-of-some-thirty-bytes-1', '77') },
  fc.constantFrom('é', ''),
);
const number = fc.oneof(
  { weight: 20, arbitrary: fc.nat(1_000_000) },
  fc.constantFrom(0, -1, -0, 1.5, 1e21, 1e-7, 0.1, 123456789012345680, -7.25, 999999999999999),
);
const attribute: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 30, arbitrary: word },
  { weight: 15, arbitrary: number },
  { weight: 10, arbitrary: fc.boolean() },
  fc.constantFrom(null, [], {}, [1], { a: 1 }),
);
const attributes = fc.dictionary(
  fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom('pod', 'phase', 'set', 'http.route', 'other', 'other.longer') },
    fc.constantFrom('constructor', '__proto__', 'é'),
  ),
  attribute,
  { maxKeys: 6 },
);
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 3 });

/** Mostly good, in any order of fields; sometimes with a field of a wrong kind, or without one that is needed. */
const line = fc
  .record({
    seq: fc.oneof({ weight: 60, arbitrary: fc.nat(1_000) }, number, fc.constantFrom('1', null)),
    from: fc.oneof({ weight: 60, arbitrary: word }, fc.constant(3)),
    to: word,
    kind: fc.oneof(
      { weight: 60, arbitrary: fc.constantFrom('call', 'reply', 'async', 'lost', 'self') },
      fc.constantFrom('request', 'begin', 'end', 'problem', 'callx'),
    ),
    label: word,
    id: optional(id),
    replyTo: optional(id),
    parent: optional(id),
    traceId: optional(word),
    status: optional(fc.oneof({ weight: 20, arbitrary: fc.constantFrom(200, 404, 0) }, number)),
    point: optional(
      fc.oneof({ weight: 30, arbitrary: fc.constantFrom('send', 'receive', 'both') }, fc.constant('middle')),
    ),
    receivedSeq: optional(number),
    time: optional(number),
    receivedTime: optional(number),
    receivedDomain: fc.oneof({ weight: 30, arbitrary: fc.constant(undefined) }, fc.constantFrom('', 'node-1', 3)),
    domain: optional(fc.constantFrom('', 'node-1')),
    causes: fc.oneof({ weight: 30, arbitrary: fc.constant(undefined) }, fc.array(id, { maxLength: 2 })),
    attributes: optional(attributes),
    extra: optional(attribute),
    // Names that are nearly those of fields, or only look so.
    replyto: fc.oneof({ weight: 12, arbitrary: fc.constant(undefined) }, attribute),
    Parent: fc.oneof({ weight: 12, arbitrary: fc.constant(undefined) }, attribute),
    labels: fc.oneof({ weight: 12, arbitrary: fc.constant(undefined) }, attribute),
  })
  .chain((fields) =>
    fc.record({
      keys: fc.oneof(
        { weight: 9, arbitrary: fc.shuffledSubarray(Object.keys(fields), { minLength: Object.keys(fields).length }) },
        fc.shuffledSubarray(Object.keys(fields), { minLength: 12 }),
      ),
      fields: fc.constant<Record<string, unknown>>(fields),
      style: fc.constantFrom('dense', 'dense', 'dense', 'dense', 'blanks', 'blanks', 'indented'),
      end: fc.constantFrom('\n', '\n', '\r\n', ' \n', '\n\n'),
    }),
  )
  .map(({ keys, fields, style, end }) => {
    const object = Object.fromEntries(keys.map((key) => [key, fields[key]]));
    const dense = JSON.stringify(object);
    if (style === 'dense') return dense + end;
    const spread = JSON.stringify(object, null, 1).replaceAll(/\n */g, style === 'blanks' ? ' ' : '\t');
    return spread + end;
  });

const edits = fc.array(
  fc.record({
    kind: fc.constantFrom('replace', 'insert', 'delete', 'double'),
    at: fc.nat(400),
    byte: fc.oneof(
      fc.constantFrom(
        ...encoded('"\\{}[]:,.-+eE0123456789 tfnu\n\r\t/'),
        0xc3,
        0x80,
        0xff,
        0xef,
        0xbb,
        0xbf,
        0x00,
        0x1e,
        0x7f,
      ),
      fc.nat(255),
    ),
  }),
  { maxLength: 3 },
);

function edited(bytes: Uint8Array, changes: readonly { kind: string; at: number; byte: number }[]): Uint8Array {
  const list = [...bytes];
  for (const { kind, at, byte } of changes) {
    const place = at % Math.max(1, list.length);
    if (kind === 'replace') list[place] = byte;
    else if (kind === 'insert') list.splice(place, 0, byte);
    else if (kind === 'delete') list.splice(place, 1);
    else list.splice(place, 0, ...list.slice(place, place + 20));
  }
  return Uint8Array.from(list);
}

describe('a line that is scanned', () => {
  test(`says what it says when it is parsed, on ${CASES} lines of seed ${SEED}`, () => {
    let same = 0;
    fc.assert(
      fc.property(line, fc.integer({ min: 1, max: 300 }), (text, piece) => {
        if (expectSame(encoded(text), piece) === 'same' && isScanned(text)) same++;
      }),
      { seed: SEED, numRuns: CASES },
    );
    expect(same).toBeGreaterThan(CASES / 3);
  });

  test(`is refused or read with the same findings when its bytes are damaged, ${CASES} times`, () => {
    let same = 0;
    fc.assert(
      fc.property(line, edits, fc.integer({ min: 1, max: 300 }), (text, changes, piece) => {
        if (expectSame(edited(encoded(text), changes), piece) === 'same') same++;
      }),
      { seed: SEED + 1, numRuns: CASES },
    );
    expect(same).toBeGreaterThan(CASES * 0.5);
  });

  test('comes out the same among many others, whose numbers and guesses it meets', () => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 2, maxLength: 30 }), (lines) => {
        const numbered = lines.map((text, index) =>
          text
            .replace(/"seq": ?\d+/, `"seq":${index + 1}`)
            .replaceAll(/"(id|parent|replyTo)": ?"(r1|r2)"/g, `"$1":"$2-${index}"`),
        );
        expectSame(encoded(numbered.join('')), 77);
      }),
      { seed: SEED + 2, numRuns: Math.ceil(CASES / 10) },
    );
  });
});

describe('a usual line', () => {
  const usual: TraceEvent = { seq: 1, from: 'A', to: 'B', kind: 'call', label: 'x', attributes: { pod: 'p' } };

  test.each<[string, string]>([
    ['a field twice', '{"seq":1,"seq":2,"from":"A","to":"B","kind":"call","label":"x"}'],
    [
      'an attribute twice',
      '{"seq":1,"from":"A","to":"B","kind":"call","label":"x","attributes":{"pod":"p","pod":"q"}}',
    ],
    [
      'an attribute of its shape twice',
      '{"seq":1,"from":"A","to":"B","kind":"call","label":"x","attributes":{"phase":"p","phase":"q"}}',
    ],
    ['a zero too many', '{"seq":1,"from":"A","to":"B","kind":"call","label":"x","attributes":{"phase":007}}'],
    ['a zero below zero', '{"seq":1,"from":"A","to":"B","kind":"call","label":"x","attributes":{"phase":-0}}'],
    [
      'attributes twice',
      '{"seq":1,"attributes":{"pod":"p"},"from":"A","to":"B","kind":"call","label":"x","attributes":{}}',
    ],
    ['an escaped quote', '{"seq":1,"from":"A","to":"B","kind":"call","label":"say \\"x\\""}'],
    ['an escaped name', '{"seq":1,"fr\\u006fm":"A","to":"B","kind":"call","label":"x"}'],
    [
      'a number that has another spelling',
      '{"seq":1.0,"from":"A","to":"B","kind":"call","label":"x","attributes":{"pod":1.50}}',
    ],
    [
      'a nested value that nobody asks for',
      '{"seq":1,"from":"A","to":"B","kind":"call","label":"x","extra":{"seq":[9]}}',
    ],
    ['a mistyped field', '{"seq":5,"replyto":"x","from":"A","to":"B","kind":"call","label":"x"}'],
    ['a receipt at its send', '{"seq":5,"receivedSeq":5,"from":"A","to":"B","kind":"call","label":"x"}'],
    ['a receipt before its send', '{"seq":5,"receivedSeq":2,"from":"A","to":"B","kind":"call","label":"x"}'],
    ['a receipt at 0, before its send', '{"receivedSeq":0,"seq":5,"from":"A","to":"B","kind":"call","label":"x"}'],
    ['a record separator', '\u001e{"seq":1,"from":"A","to":"B","kind":"call","label":"x"}'],
    ['a byte order mark', '\ufeff{"seq":1,"from":"A","to":"B","kind":"call","label":"x"}'],
    ['no newline at the end', JSON.stringify(usual)],
    [
      'a name that begins like another',
      '{"seq":1,"fromage":"A","from":"B","to":"B","kind":"call","label":"x","labels":"y"}',
    ],
  ])('may have %s', (_, text) => {
    expect(expectSame(encoded(text), 1_000)).toBe('same');
  });

  test('is told with its place when it is broken, between good ones', () => {
    const good = (seq: number): string => JSON.stringify({ ...usual, seq });
    const text = `${good(1)}\n{"seq":2,"from":"A"\n\n${good(3)}\n{"seq":4,"from":"","to":"B","kind":"call","label":"x"}\n`;
    expect(expectSame(encoded(text), 10)).toBe('same');
    expect(scanned(encoded(text), 10)?.diagnostics.map(({ line: at }) => at)).toEqual([2, 5]);
  });

  test.each(['pod', 'phase', 'set', 'other'])('tells a number beyond 2^53 once, in the attribute "%s"', (name) => {
    const text = ['12345678901234567890', '12345678901234567000', '-1e16', '9007199254740991']
      .map((value, index) => JSON.stringify({ ...usual, seq: index + 1 }).replace('"pod":"p"', `"${name}":${value}`))
      .join('\n');
    expect(expectSame(encoded(text), 50)).toBe('same');
    expect(scanned(encoded(text), 50)?.diagnostics.map(({ code, line }) => [code, line])).toEqual([['TRC118', 1]]);
  });

  test.each<[string, string[]]>([
    [
      'a seq that goes back',
      [
        '{"seq":2,"from":"A","to":"B","kind":"call","label":""}',
        '{"seq":1,"from":"A","to":"B","kind":"call","label":""}',
      ],
    ],
    [
      'an id that is used twice',
      [
        '{"seq":1,"from":"A","to":"B","kind":"call","label":"","id":"a"}',
        '{"seq":2,"from":"A","to":"B","kind":"call","label":"","id":"a"}',
      ],
    ],
    [
      'a cause that comes later',
      [
        '{"seq":1,"from":"A","to":"B","kind":"call","label":"","parent":"a"}',
        '{"seq":2,"from":"A","to":"B","kind":"call","label":"","id":"a"}',
      ],
    ],
    [
      'two domains',
      [
        '{"seq":1,"from":"A","to":"B","kind":"call","label":"","domain":"d"}',
        '{"seq":2,"from":"A","to":"B","kind":"call","label":""}',
      ],
    ],
  ])('with %s makes the trace one that must be read as a whole', (_, lines) => {
    expect(scanned(encoded(lines.join('\n')), 1_000)).toBeNull();
    expect(scanned(encoded(lines[0] ?? ''), 1_000)).not.toBeNull();
  });
});
