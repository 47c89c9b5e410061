import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import type { Diagnostic } from '../diagnostics/index.ts';
import { createRecorder, createTraceReader, readTraceText, toNdjson, traceEventSchema } from './index.ts';

const CALL = '{"seq":1,"from":"A","to":"B","kind":"call","label":"x"}';
const EXAMPLE = '{"seq":1,"from":"Client","to":"Server","kind":"call","label":"GET /x"}';
const event = (change: object = {}): string =>
  JSON.stringify({ seq: 1, from: 'A', to: 'B', kind: 'call', label: 'x', ...change });
const lines = (...texts: readonly string[]): string => texts.map((text) => `${text}\n`).join('');
const summary = ({ code, line, column, message }: Diagnostic): string => `${line}:${column} ${code} ${message}`;
const findingsOf = (text: string): readonly string[] => readTraceText(text, 't.ndjson').diagnostics.map(summary);
const seqsOf = (text: string): readonly number[] =>
  readTraceText(text, 't.ndjson').value.events.map(({ event: { seq } }) => seq);

describe('a good trace is read as it is', () => {
  test('events keep their line, their unknown fields and their attributes; blank lines do not count as events', () => {
    const { value, diagnostics } = readTraceText(
      `\ufeff{"kind":"begin"}\r\n\n${event({ extra: { deep: 1 }, attributes: { a: 'b', n: 1, t: true } })}\r\n\n{"kind":"end","seq":2}`,
      'run.ndjson',
    );
    expect(diagnostics).toEqual([]);
    expect(value).toEqual({
      begun: true,
      ended: true,
      events: [
        {
          source: 'run.ndjson',
          line: 3,
          event: { ...JSON.parse(CALL), extra: { deep: 1 }, attributes: { a: 'b', n: 1, t: true } },
        },
      ],
    });
  });

  test('one JSON array holds the same events, each with the line it starts in', () => {
    const text = `\n[ ${event()},\n  {\n "seq": 2, "from": "[\\"]", "to": "B",\n "kind": "async", "label": "}" }\n,{"kind":"end"}]\n`;
    const { value, diagnostics } = readTraceText(text, 'run.json');
    expect(diagnostics).toEqual([]);
    expect(value.events.map(({ line, event: { seq } }) => [seq, line])).toEqual([
      [1, 2],
      [2, 3],
    ]);
    expect(value.ended).toBe(true);
  });

  test('JSON text sequences (RFC 7464) are read too', () => {
    expect(seqsOf(`\u001e${event()}\n\u001e${event({ seq: 2 })}\n`)).toEqual([1, 2]);
  });

  test('a trace without markers neither begins nor ends', () => {
    expect(readTraceText(CALL, 't').value).toMatchObject({ begun: false, ended: false });
  });

  test('a receipt may share the position of its send, and be below it in another domain', () => {
    expect(findingsOf(event({ seq: 5, receivedSeq: 5 }))).toEqual([]);
    expect(findingsOf(event({ seq: 5, receivedSeq: 2, receivedDomain: 'd' }))).toEqual([]);
    expect(findingsOf(event({ seq: 5, receivedSeq: 2, domain: 'c', receivedDomain: 'd' }))).toEqual([]);
  });

  test('a reply may answer a call that the trace does not hold', () => {
    expect(findingsOf(event({ kind: 'reply', replyTo: 'gone', id: 'r' }))).toEqual([]);
  });
});

describe('what is wrong with a line is told with its place', () => {
  test.each<{ name: string; line: string; expected: readonly string[] }>([
    {
      name: 'cut after a comma',
      line: '{"seq":1,',
      expected: ['2:10 TRC101 the line is cut: its JSON ends too early'],
    },
    { name: 'cut after a value', line: '{"seq":1', expected: ['2:9 TRC101 the line is cut: its JSON ends too early'] },
    { name: 'cut in a text', line: '{"seq":1,"fr', expected: ['2:13 TRC101 the line is cut: its JSON ends too early'] },
    { name: 'a lone brace', line: '{', expected: ['2:2 TRC101 the line is cut: its JSON ends too early'] },
    { name: 'an unknown word', line: '{"seq": None}', expected: ['2:9 TRC102 the line is not JSON'] },
    { name: 'a missing comma', line: '{"seq":1 "from":"A"}', expected: ['2:10 TRC102 the line is not JSON'] },
    { name: 'plain text', line: 'hello', expected: ['2:1 TRC102 the line is not JSON'] },
    { name: 'two events', line: `${CALL} ${CALL}`, expected: [`2:${CALL.length + 2} TRC102 the line is not JSON`] },
    { name: 'a number', line: '7', expected: ['2:1 TRC103 an event is a JSON object, not 7'] },
    { name: 'null', line: 'null', expected: ['2:1 TRC103 an event is a JSON object, not null'] },
    {
      name: 'a seq in quotes',
      line: event({ seq: '12' }),
      expected: ['2:2 TRC104 seq must be a whole number, not "12"'],
    },
    { name: 'a fraction', line: event({ seq: 1.5 }), expected: ['2:2 TRC104 seq must be a whole number, not 1.5'] },
    { name: 'a negative seq', line: event({ seq: -1 }), expected: ['2:2 TRC104 seq must be at least 0, not -1'] },
    {
      name: 'nanoseconds as seq',
      line: event({ seq: 1796056452870123457n.toString() }).replaceAll(/"(\d{19})"/g, '$1'),
      expected: ['2:2 TRC104 seq must be at most 9007199254740991, not 1796056452870123500'],
    },
    {
      name: 'another kind',
      line: event({ kind: 'request' }),
      expected: ['2:30 TRC104 kind must be one of call, reply, async, lost, self, not "request"'],
    },
    {
      name: 'an empty name',
      line: event({ from: '' }),
      expected: ['2:10 TRC104 from must be a text that is not empty, not ""'],
    },
    {
      name: 'a null status',
      line: event({ status: null }),
      expected: ['2:56 TRC104 status must be a whole number, not null'],
    },
    {
      name: 'a nested attribute',
      line: event({ attributes: { ok: 1, pod: { name: 'x' } } }),
      expected: ['2:77 TRC104 attributes.pod must be a text, a number, true or false, not an object'],
    },
    {
      name: 'a cause that is no id',
      line: event({ causes: ['a', 2] }),
      expected: ['2:56 TRC104 causes.1 must be a text, not 2'],
    },
    {
      name: 'a receipt before its send',
      line: event({ seq: 5, receivedSeq: 2 }),
      expected: [
        '2:56 TRC114 receivedSeq 2 comes before seq 5: the message would have been received before it was sent',
      ],
    },
    {
      name: 'a receipt before its send in a domain that is named twice',
      line: event({ seq: 5, receivedSeq: 0, domain: 'd', receivedDomain: 'd' }),
      expected: [
        '2:56 TRC114 receivedSeq 0 comes before seq 5: the message would have been received before it was sent',
      ],
    },
    {
      name: 'a missing field',
      line: '{"seq":1,"from":"A","to":"B","kind":"call"}',
      expected: ['2:1 TRC105 the field "label" is missing'],
    },
    {
      name: 'two findings in one line',
      line: event({ seq: 'a', to: 3 }),
      expected: ['2:2 TRC104 seq must be a whole number, not "a"', '2:23 TRC104 to must be a text, not 3'],
    },
    {
      name: 'a marker whose kind is mistyped',
      line: '{"kind":"begn"}',
      expected: ['2:2 TRC105 this is no event, for it has none of from, to, label; and no marker: its kind is "begn"'],
    },
    {
      name: 'an event of which most is missing',
      line: '{"seq":2,"kind":"call"}',
      expected: ['from', 'to', 'label'].map((field) => `2:1 TRC105 the field "${field}" is missing`),
    },
    {
      name: 'nothing but a seq',
      line: '{"seq":2}',
      expected: ['from', 'to', 'kind', 'label'].map((field) => `2:1 TRC105 the field "${field}" is missing`),
    },
    {
      name: 'another format',
      line: '{"resourceSpans":[]}',
      expected: ['2:1 TRC105 this is not an event: it has none of seq, from, to, kind, label'],
    },
    {
      name: 'fields only in __proto__',
      line: '{"__proto__":{"seq":1,"from":"A","to":"B","kind":"call","label":"x"}}',
      expected: ['2:1 TRC105 this is not an event: it has none of seq, from, to, kind, label'],
    },
    {
      name: 'a marker with a bad seq',
      line: '{"kind":"end","seq":"x"}',
      expected: ['2:15 TRC104 seq must be a whole number, not "x"'],
    },
  ])('$name', ({ line, expected }) => {
    expect(findingsOf(lines(CALL, line))).toEqual(expected);
    expect(readTraceText(lines(CALL, line), 't').value.events).toHaveLength(1);
  });

  test.each([
    [event({ kind: 'response' }), 'write "kind":"reply"'],
    [event({ seq: '12' }), 'write the number without quotes: 12'],
    [event({ status: null }), 'leave the field out where there is no value'],
    [event({ kind: 'repyl' }), 'did you mean "kind":"reply"?'],
    ['{"seq":1,"from":"A","to":"B","kind":"call","Label":"x"}', '"Label" is written: did you mean "label"?'],
    ['{"Seq":1,"From":"A","To":"B","Kind":"call","Label":"x"}', '"Seq" is written: did you mean "seq"?'],
    ['{"kind":"begn"}', 'did you mean {"kind":"begin"}?'],
    ['{"kind":"END","seq":7}', 'did you mean {"kind":"end"}?'],
    ['{"kind":"start"}', 'did you mean {"kind":"begin"}?'],
    ['{"kind":"pong"}', `a marker is {"kind":"begin"} or {"kind":"end"}; an event is ${EXAMPLE}`],
  ])('the hint for %s says what to write', (line, hint) => {
    expect(readTraceText(line, 't').diagnostics[0]?.hint).toBe(hint);
  });
});

describe('a field whose name is nearly that of another one', () => {
  test.each<[string, string | null]>([
    ['replyto', 'replyTo'],
    ['reply_to', 'replyTo'],
    ['Status', 'status'],
    ['statsu', 'status'],
    ['Parent', 'parent'],
    ['parentId', 'parent'],
    ['cause', 'causes'],
    ['tiem', 'time'],
    ['ID', 'id'],
    ['traceid', 'traceId'],
    ['received-seq', 'receivedSeq'],
    ['type', null],
    ['name', null],
    ['pid', null],
    ['ts', null],
    ['labels', null],
    ['spanId', null],
    ['x'.repeat(100_000), null],
  ])('%.20s', (name, meant) => {
    const told =
      meant === null
        ? []
        : [`1:56 TRC117 unknown field ${JSON.stringify(name)}: did you mean ${JSON.stringify(meant)}?`];
    expect(findingsOf(event({ [name]: 'x' }))).toEqual(told);
  });

  test('is told once, as a warning, with its place, and read over', () => {
    const text = lines(event(), event({ seq: 2, replyto: 'a' }), event({ seq: 3, replyto: 'b', Parent: 'c' }));
    const { value, diagnostics } = readTraceText(text, 't');
    expect(diagnostics.map(({ severity, line, column }) => [severity, line, column])).toEqual([
      ['warning', 2, 56],
      ['warning', 3, 70],
    ]);
    expect(value.events).toHaveLength(3);
  });

  test('is told in a bounded number, of however many names', () => {
    const names = Array.from({ length: 1_000 }, (_, index) => [`parent${index.toString(36)}`, 1] as const);
    expect(readTraceText(event(Object.fromEntries<number>(names)), 't').diagnostics.at(-1)?.message).toBe(
      'and 80 more in this trace',
    );
  });
});

describe('numbers of attributes that JSON does not tell apart', () => {
  const withAttributes = (seq: number, attributes: string): string =>
    `{"seq":${seq},"from":"A","to":"B","kind":"async","label":"x","attributes":{${attributes}}}`;

  test('are told once for each name, as a warning, with their place', () => {
    const text = lines(
      withAttributes(1, '"n":9007199254740991'),
      withAttributes(2, '"n":1,"k":12345678901234567890'),
      withAttributes(3, '"k":12345678901234567000,"n":-9007199254740993'),
    );
    const { value, diagnostics } = readTraceText(text, 't');
    expect(diagnostics.map(({ severity, line, column }) => [severity, line, column])).toEqual([
      ['warning', 2, 77],
      ['warning', 3, 96],
    ]);
    expect(findingsOf(text)).toEqual([
      '2:77 TRC118 the attribute "k" holds a number beyond 2^53: such numbers cannot be told apart',
      '3:96 TRC118 the attribute "n" holds a number beyond 2^53: such numbers cannot be told apart',
    ]);
    expect(value.events).toHaveLength(3);
  });

  test.each(['"k":"12345678901234567890"', '"k":9007199254740991', '"k":0.12345678901234567890', '"k":1e15'])(
    'are none of %s',
    (attributes) => {
      expect(findingsOf(withAttributes(1, attributes))).toEqual([]);
    },
  );

  test('are told in a bounded number, of however many names', () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `"k${index}":1e20`).join(',');
    expect(readTraceText(withAttributes(1, names), 't').diagnostics.at(-1)?.message).toBe('and 80 more in this trace');
  });
});

describe('what is wrong with the trace as a whole', () => {
  test.each<{ name: string; text: string; expected: readonly string[] }>([
    { name: 'nothing at all', text: '', expected: ['1:1 TRC111 the trace has no events'] },
    {
      name: 'only markers',
      text: '{"kind":"begin"}\n{"kind":"end"}',
      expected: ['1:1 TRC111 the trace has no events'],
    },
    { name: 'an empty array', text: '[]', expected: ['1:1 TRC111 the trace has no events'] },
    { name: 'a cut array', text: `[${CALL},`, expected: ['1:1 TRC101 the array is cut: it has no closing ]'] },
    {
      name: 'text after an array',
      text: `[${CALL}]x`,
      expected: [`1:${CALL.length + 3} TRC115 text after the end of the array: "x"`],
    },
    {
      name: 'an id used twice',
      text: lines(event({ id: 'a' }), event({ seq: 2, id: 'a' })),
      expected: ['2:1 TRC106 the id "a" is used twice, first in line 1'],
    },
    {
      name: 'a seq used twice',
      text: lines(event(), event({ label: 'y' })),
      expected: ['2:1 TRC107 seq 1 is used twice, first in line 1'],
    },
    {
      name: 'a seq used twice in a domain',
      text: lines(event({ domain: 'd' }), event(), event({ domain: 'd' })),
      expected: ['3:1 TRC107 seq 1 of the domain "d" is used twice, first in line 1'],
    },
    {
      name: 'a begin marker in the middle',
      text: lines(CALL, '{"kind":"begin"}'),
      expected: ['2:1 TRC113 a begin marker after the first event says nothing'],
    },
    {
      name: 'events after the end marker',
      text: lines(CALL, '{"kind":"end"}', event({ seq: 2 }), event({ seq: 3 })),
      expected: ['3:1 TRC112 an event follows the end marker'],
    },
    {
      name: 'a parent that is sent later',
      text: lines(event({ id: 'r' }), event({ seq: 2, parent: 'g1' }), event({ seq: 3, id: 'g1', parent: 'r' })),
      expected: ['2:1 TRC114 line 2 has parent "g1", which is sent later, in line 3'],
    },
    {
      name: 'a reply before its call',
      text: lines(event({ kind: 'reply', replyTo: 'c' }), event({ seq: 2 }), event({ seq: 3, id: 'c' })),
      expected: ['1:1 TRC114 line 1 has replyTo "c", which is sent later, in line 3'],
    },
    {
      name: 'a call that is received after its reply',
      text: lines(
        event({ id: 'c', receivedSeq: 3, receivedDomain: 'd' }),
        event({ seq: 2, domain: 'd', kind: 'reply', replyTo: 'c' }),
      ),
      expected: ['2:1 TRC114 line 2 has replyTo "c", which is received later, in line 1'],
    },
    {
      name: 'a cause that comes later',
      text: lines(event({ id: 'a', causes: ['b'] }), event({ seq: 2, id: 'b' })),
      expected: ['1:1 TRC114 line 1 has cause "b", which is sent later, in line 2'],
    },
    {
      name: 'a circle of causes between domains',
      text: lines(
        event({ domain: 'x', id: 'a', causes: ['b'] }),
        event({ domain: 'y', id: 'b', parent: 'c' }),
        event({ domain: 'z', seq: 1, id: 'd', replyTo: 'a', kind: 'reply' }),
        event({ domain: 'z', seq: 2, id: 'c' }),
      ),
      expected: [
        '1:1 TRC114 line 1 has cause "b" (line 2), line 2 has parent "c" (line 4), line 3, which comes before line 4, has replyTo "a" (line 1): line 1 would have to come before itself',
      ],
    },
    {
      name: 'receipts that contradict each other',
      text: lines(
        event({ domain: 'x', seq: 2, receivedSeq: 1, receivedDomain: 'y' }),
        event({ domain: 'y', seq: 2, receivedSeq: 1, receivedDomain: 'x' }),
      ),
      expected: ['1:1 TRC114 line 1 is received before line 2 is sent, line 2 is received before line 1 is sent'],
    },
    {
      name: 'an event that is its own parent',
      text: event({ id: 'a', parent: 'a' }),
      expected: ['1:1 TRC114 line 1 has parent "a", which is itself'],
    },
    {
      name: 'a message that caused what happened before it was received',
      text: lines(
        event({ id: 'a', domain: 'x', receivedSeq: 2, receivedDomain: 'y' }),
        event({ domain: 'y', parent: 'a' }),
      ),
      expected: ['2:1 TRC114 line 2 has parent "a", which is received later, in line 1'],
    },
    {
      name: 'the domain of a receipt that has no position',
      text: event({ receivedDomain: 'y' }),
      expected: ['1:56 TRC105 the field "receivedSeq" is missing: receivedDomain says which domain it belongs to'],
    },
  ])('$name', ({ text, expected }) => {
    expect(findingsOf(text)).toEqual(expected);
  });

  test('a line beyond the limit is left out, wherever the chunks are cut', () => {
    const text = lines(event({ label: 'y'.repeat(100) }), event({ seq: 2 }));
    for (const size of [1, 7, 1000]) {
      const reader = createTraceReader('t', { lineCharsMax: 80 });
      for (let at = 0; at < text.length; at += size) reader.push(text.slice(at, at + size));
      const { value, diagnostics } = reader.end();
      expect(diagnostics.map(summary)).toEqual(['1:1 TRC109 the event is longer than 80 characters; it was not read']);
      expect(value.events.map((sourced) => sourced.event.seq)).toEqual([2]);
    }
  });

  test('an element of an array beyond the limit is left out', () => {
    const { value, diagnostics } = readTraceText(`[${event({ label: 'y'.repeat(100) })},\n${event({ seq: 2 })}]`, 't', {
      lineCharsMax: 80,
    });
    expect(diagnostics.map(({ code }) => code)).toEqual(['TRC109']);
    expect(value.events).toHaveLength(1);
  });

  test('events beyond the limit are not kept, and that is an error', () => {
    const text = lines(...[1, 2, 3, 4].map((seq) => event({ seq })));
    const { value, diagnostics } = readTraceText(text, 't', { eventsMax: 2 });
    expect(value.events).toHaveLength(2);
    expect(diagnostics.map(summary)).toEqual(['3:1 TRC110 the trace has more than 2 events; the rest was not read']);
    expect(diagnostics[0]?.severity).toBe('error');
  });

  test('of many bad lines the first twenty are told, and how many more there are', () => {
    const { diagnostics } = readTraceText('x\n'.repeat(25), 't');
    expect(diagnostics).toHaveLength(21);
    expect(summary(diagnostics[20]!)).toBe('20:1 TRC119 and 5 more in this trace');
  });

  test('deeply nested JSON is refused, not a stack overflow', () => {
    const deep = `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`;
    expect(readTraceText(`[${deep}]`, 't', { lineCharsMax: 10_000_000 }).diagnostics.length).toBeGreaterThan(0);
    expect(readTraceText(deep, 't', { lineCharsMax: 10_000_000 }).diagnostics.length).toBeGreaterThan(0);
  });
});

describe('events are handed over in one linear extension', () => {
  test('by seq within a domain, with one warning, and other domains keep their places', () => {
    const text = lines(event({ seq: 3 }), event({ domain: 'd', seq: 9 }), event({ seq: 1 }), event({ seq: 2 }));
    expect(seqsOf(text)).toEqual([1, 9, 2, 3]);
    expect(readTraceText(text, 't').diagnostics).toMatchObject([{ code: 'TRC108', severity: 'warning', line: 3 }]);
  });

  test('a reply comes after its call, although another domain told it first', () => {
    const text = lines(
      event({ domain: 'b', seq: 1, label: 'free' }),
      event({ domain: 'b', seq: 2, kind: 'reply', replyTo: 'c' }),
      event({ domain: 'a', seq: 7, id: 'c' }),
      event({ domain: 'a', seq: 8 }),
    );
    expect(seqsOf(text)).toEqual([1, 7, 2, 8]);
    expect(findingsOf(text)).toEqual([]);
  });

  test('what was received in another domain comes before what happened there later', () => {
    const text = lines(
      event({ domain: 'b', seq: 5, label: 'later' }),
      event({ domain: 'a', seq: 7, receivedSeq: 4, receivedDomain: 'b' }),
      event({ domain: 'b', seq: 6 }),
    );
    expect(seqsOf(text)).toEqual([7, 5, 6]);
    expect(findingsOf(text)).toEqual([]);
  });

  test('any trace comes back with every event, ordered by seq in each domain and along every edge that is not in a circle', () => {
    const arbitrary = fc.array(
      fc.record({ domain: fc.constantFrom('a', 'b', 'c'), cause: fc.option(fc.nat(30), { nil: undefined }) }),
      { minLength: 1, maxLength: 30 },
    );
    fc.assert(
      fc.property(arbitrary, fc.array(fc.nat()), (drafts, shuffle) => {
        // Edges point to earlier drafts, so the relation is a partial order however the lines are then shuffled.
        const counters = new Map<string, number>();
        const events = drafts.map(({ domain, cause }, index) => {
          const seq = (counters.get(domain) ?? 0) + 1;
          counters.set(domain, seq);
          return {
            domain,
            seq,
            id: `e${index}`,
            ...(cause === undefined || cause >= index ? {} : { causes: [`e${cause}`] }),
          };
        });
        const shuffled = events
          .map((draft, index) => ({ draft, rank: shuffle[index] ?? index }))
          .sort((x, y) => x.rank - y.rank)
          .map(({ draft }) => event(draft));
        const { value, diagnostics } = readTraceText(lines(...shuffled), 't');
        expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
        const place = new Map(value.events.map(({ event: { id } }, index) => [id, index]));
        expect(place.size).toBe(events.length);
        for (const { event: read } of value.events) {
          for (const cause of read.causes ?? []) expect(place.get(cause)!).toBeLessThan(place.get(read.id)!);
          for (const { event: other } of value.events) {
            if (other.domain === read.domain && other.seq < read.seq) {
              expect(place.get(other.id)!).toBeLessThan(place.get(read.id)!);
            }
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});

test('chunks may be cut anywhere', () => {
  const text = lines('{"kind":"begin"}', event({ label: 'ü 🚀' }), '', 'bad', event({ seq: 2 }), '{"kind":"end"}');
  const array = `[${event({ label: ',]"\\' })},\n ${event({ seq: 2 })} , 7]`;
  fc.assert(
    fc.property(fc.constantFrom(text, array), fc.array(fc.nat(300)), (whole, cuts) => {
      const reader = createTraceReader('t');
      const sorted = [0, ...cuts.map((cut) => cut % whole.length).sort((a, b) => a - b), whole.length];
      sorted.slice(1).forEach((cut, index) => {
        reader.push(whole.slice(sorted[index], cut));
      });
      expect(reader.end()).toEqual(readTraceText(whole, 't'));
    }),
  );
});

test('any text is read without a throw', () => {
  const piece = fc.oneof(fc.constantFrom('[', ']', '{', '}', ',', '\n', '"', CALL, '\\', 'null', '1'), fc.string());
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const { value, diagnostics } = readTraceText(pieces.join(''), 't');
      expect(value.events.length + diagnostics.length).toBeGreaterThan(0);
    }),
  );
});

describe('the recorder', () => {
  test('what it records reads back as it is', () => {
    const recorder = createRecorder();
    const call = recorder.message({ from: 'A', to: 'B', label: 'get', attributes: { pod: 'p' } });
    const push = recorder.send({ from: 'B', to: 'C', label: 'push', kind: 'async', parent: call });
    expect(recorder.reply(call, { status: 200 })).toBe('m3');
    expect(recorder.receive(push)).toBe(true);
    const lost = recorder.send({ from: 'B', to: 'C', label: 'push', kind: 'async', domain: 'other' });
    expect([recorder.receive(push), recorder.receive('nobody'), recorder.reply(push), recorder.reply('x')]).toEqual([
      false,
      false,
      null,
      null,
    ]);
    recorder.end();
    const { value, diagnostics } = readTraceText(toNdjson(recorder.trace()), 'recorder');
    expect(diagnostics).toEqual([]);
    expect(value).toEqual(recorder.trace());
    expect(value.events.map(({ event: read }) => read)).toEqual([
      { seq: 1, id: call, from: 'A', to: 'B', kind: 'call', label: 'get', attributes: { pod: 'p' } },
      {
        seq: 2,
        id: push,
        from: 'B',
        to: 'C',
        kind: 'async',
        label: 'push',
        parent: call,
        point: 'both',
        receivedSeq: 4,
      },
      { seq: 3, id: 'm3', from: 'B', to: 'A', kind: 'reply', label: '200', replyTo: call, status: 200 },
      { seq: 1, id: lost, from: 'B', to: 'C', kind: 'async', label: 'push', domain: 'other', point: 'send' },
    ]);
  });
});

describe('the published schema', () => {
  const published: unknown = JSON.parse(
    readFileSync(new URL('../../specs/trace-event.schema.json', import.meta.url), 'utf8'),
  );
  test('is the one that the reader uses', () => {
    expect(published).toEqual(traceEventSchema);
  });
  test('accepts and refuses what the reader accepts and refuses', () => {
    const validate = new Ajv({ allowUnionTypes: true, strictRequired: false }).compile(traceEventSchema);
    for (const text of [CALL, '{"kind":"end"}', event({ x: 1 })]) expect(validate(JSON.parse(text))).toBe(true);
    for (const text of ['{}', '7', event({ kind: 'note' })]) expect(validate(JSON.parse(text))).toBe(false);
  });
});

test('a source that lost events says so, and the trace declares no beginning', () => {
  const text = [
    '{"kind":"problem","seq":7,"title":"The beginning of the trace is lost","detail":"10 events were dropped."}',
    '{"seq":8,"from":"A","to":"B","kind":"async","label":"x"}',
  ].join('\n');
  const { value, diagnostics } = readTraceText(text, 'trace.ndjson');
  expect(value).toMatchObject({ begun: false, ended: false });
  expect(diagnostics.map(({ code, severity, line }) => [code, severity, line])).toEqual([['TRC116', 'warning', 1]]);
  expect(diagnostics[0]?.message).toContain('10 events were dropped');
});
