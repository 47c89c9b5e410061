import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { readBinding } from './binding-reader.ts';
import { BINDING_SCHEMA } from './binding-schema.ts';

const told = (text: string) =>
  readBinding(text, 'b.yaml').diagnostics.map(
    ({ line, column, code, message }) => `${line}:${column} ${code} ${message}`,
  );

test('the published schema is the schema in code', () => {
  const url = new URL('../../specs/binding.schema.json', import.meta.url);
  const text = `${JSON.stringify(BINDING_SCHEMA, null, 2)}\n`;
  if (process.env['REWRITE'] !== undefined) writeFileSync(url, text);
  expect(readFileSync(url, 'utf8')).toBe(text);
});

test('what a step lacks is told as that', () => {
  const [told] = readBinding('steps:\n  1:\n    - A --> B\n', 'b.yaml').diagnostics;
  expect(told?.hint).toContain('say behind a colon what shows it, also of a reply');
});

describe('a mistake is told at its place', () => {
  test.each([
    ['ordr: causal', '1:1 BND103 there is no key "ordr" here'],
    ['messages:\n  a: { mach: x }', '2:8 BND103 there is no key "mach" here'],
    ['hidden: [x]', '1:1 BND103 there is no key "hidden" here'],
    ['order: causl', '1:8 BND105 "order" is "causl"'],
    ['order: { a: 1 }', '1:8 BND105 "order" is a map'],
    ['runs: [{ a: 1 }]', '1:7 BND105 "runs" is a list'],
    ['errors: {}', '1:9 BND105 "errors" is a map'],
    ['messages:\n  write:\n', '2:9 BND105 "write" is empty, not a text or a map or a list'],
    ['messages:\n  a: 3', '2:6 BND105 "a" is 3, not a text or a map or a list'],
    ['messages:\n  a/b~c: []', '2:10 BND105 "a/b~c" needs 1 or more entries'],
    ['ordered: [[a]]', '1:11 BND105 "ordered", entry 1 needs 2 or more entries'],
    ['messages:\n  201: [5]', '2:9 BND105 "201", entry 1 is 5, not a text or a map'],
    ['steps:\n  1: 5', '2:6 BND105 "1" is 5, not a list or a map'],
    ['messages:\n  a: {absent: ""}', '2:15 BND105 "absent" is too short'],
    ['messages: {a: {times: 3}}', '1:23 BND105 "times" is "3"'],
    ['closed: yes', '1:9 BND105 "closed" is "yes", not true or false'],
    ['loops:\n  a: often', '2:6 BND105 "a" is "often"'],
    ['parameters:\n  9a: x', '2:3 BND105 "9a" is no name of a parameter'],
    ['participants:\n  A: {is: B}', '2:6 BND105 "A" has no "when"'],
    ['just text', '1:1 BND105 the binding is "just text", not a map'],
    ['steps:\n  1:\n    - A --> B', '3:7 BND105 "1", entry 1 is "A --> B", not a map'],
    ['steps:\n  x: {absent: why}', '2:3 BND105 "x" is no number of a step'],
    ['steps:\n  1: {while: 1}', '2:6 BND105 the step needs "show"'],
    ['steps:\n  1: {show: [A -> B: x]}', '2:6 BND105 "show" stands alone'],
    ['steps:\n  1:\n    - A to B: x', '3:7 BND105 "A to B" is no arrow'],
    ['steps:\n  1:\n    - A -> B: x\n      B -> C: y', '3:7 BND105 "1", entry 1 has more than 1 keys'],
    [
      'steps:\n  1: {while: 2, standing: why, show: [A -> B: x]}',
      '2:17 BND106 "while" and "standing" exclude each other',
    ],
    ['messages:\n  a: {fold: [b, c], match: d}', '2:21 BND106 "fold" and "match" exclude each other'],
    ['messages:\n  a: {absent: why, times: 1+}', '2:20 BND106 "absent" and "times" exclude each other'],
    ['messages:\n  a: "status == "', '2:17 BND110 this expression cannot be read: Unexpected token: EOF'],
    ['messages:\n  a: status == ', '2:15 BND110 this expression cannot be read: Unexpected token: EOF'],
    ['messages:\n  a: "\\u0061 =="', '2:6 BND110 this expression cannot be read: Unexpected token: EOF'],
    [
      'messages:\n  a: [b, GET /a/*b]',
      '2:17 BND110 this expression cannot be read: "*b": * and {name} stand for a whole path segment, between two slashes',
    ],
    [
      'messages:\n  a: start pod-{id}',
      '2:16 BND110 this expression cannot be read: {name} stands for a whole word, between blanks, or for a whole segment of a path',
    ],
    [
      'messages:\n  a: {when: label}',
      '2:13 BND110 this expression cannot be read: this is a value, not a condition that can be true',
    ],
    [
      'messages:\n  a: {fold: [b, {when: c d}]}',
      "2:26 BND110 this expression cannot be read: Unexpected character: 'd'",
    ],
    [
      'participants:\n  A: [B, {is: C, when: d e}]',
      "2:26 BND110 this expression cannot be read: Unexpected character: 'e'",
    ],
    ['parameters:\n  p: {from: d e}', "2:15 BND110 this expression cannot be read: Unexpected character: 'e'"],
    ['only: d e', "1:9 BND110 this expression cannot be read: Unexpected character: 'e'"],
    ['steps:\n  1:\n    - A -> B: d ==', '3:19 BND110 this expression cannot be read: Unexpected token: EOF'],
    [
      'steps:\n  1: {standing: why, show: [A -> B: {when: d e}]}',
      "2:46 BND110 this expression cannot be read: Unexpected character: 'e'",
    ],
  ])('%j', (text, diagnostic) => {
    expect(told(text)).toEqual([diagnostic]);
  });
});

describe('the traps of YAML have a hint', () => {
  test.each([
    ['only: !has(x.y)', '1:7 BND107 Unresolved tag: !has(x.y)', /begins with !/],
    ['messages:\n  a: *x', '2:6 BND107 there is no anchor &x', /begins with \*/],
    ['messages:\n  a: {pod}', '2:7 BND103 there is no key "pod" here', /begins with \{/],
    ['messages:\n  a: { match: PATCH /a/{pod} }', '2:24 BND107 Unexpected flow-map-start at node end', /in \{ \}/],
    ['messages:\n  a: b ? c : d', '2:6 BND107 Nested mappings are not allowed in compact mappings', /": "/],
    ['messages:\n  a: b: c', '2:6 BND107 Nested mappings are not allowed in compact mappings', /": "/],
    ['\tx: 1', '1:1 BND107 Tabs are not allowed as indentation', /blanks/],
    ['messages:\n  a: x\n  a: y', '3:3 BND108 Map keys must be unique', /list/],
  ])('%j', (text, diagnostic, hint) => {
    expect(told(text)).toEqual([diagnostic]);
    expect(readBinding(text, 'b.yaml').diagnostics[0]?.hint).toMatch(hint);
  });
});

test.each([
  ['guards: { a: "1 +" }', '1:18 BND110 this expression cannot be read'],
  ['ends: "A -> B: x ==="', '1:20 BND110 this expression cannot be read'],
  ['forbid:\n  never: { match: x, when: "1" }', '2:29 BND110 this expression cannot be read'],
  ['within: { "a .. b": soon }', '1:21 BND105 "a .. b" is "soon"'],
  ['within: { a: 30s }', '1:11 BND105 "a" names no two messages'],
  ['runs: twice', '1:7 BND105 "runs" is "twice"'],
  ['retry: -1', '1:8 BND105'],
  ['loops: { l: { each: 3 } }', '1:21 BND105'],
  ['messages: { a: { lost: true, retry: 1 } }', '1:30 BND106 "lost" and "retry" exclude each other'],
])('a rule of the wrong form is told at its place: %j', (text, expected) => {
  expect(told(text)).toEqual([expect.stringContaining(expected)]);
});

test('what is broken beyond YAML is told once', () => {
  expect(told('a: "b\nc: d')).toEqual(expect.arrayContaining([expect.stringMatching(/BND10[17]/)]));
  expect(told('%YAML x\n---\na: 1')).toEqual([expect.stringMatching(/BND101/)]);
});

describe('a hostile file is refused within its bounds', () => {
  test.each([
    ['long', `a: ${'x'.repeat(200_000)}`, 'longer than'],
    ['nested by brackets', '['.repeat(50_000), 'nested too deeply'],
    ['nested by dashes', '- '.repeat(50_000), 'nested too deeply'],
    ['cyclic', '&a [*a]', 'nested more than'],
    ['many aliases', `a: &x [1]\nb: [${'*x,'.repeat(200)}]`, 'more than 100 aliases'],
    [
      'aliases that multiply',
      `a: &a [${'1,'.repeat(60)}]\nb: &b [${'*a,'.repeat(40)}]\nc: [${'*b,'.repeat(40)}]`,
      'more than 5000 values',
    ],
    ['many documents', '---\na: 1\n'.repeat(200), 'more than 100 documents'],
  ])('%s', (_, text, message) => {
    expect(told(text)).toEqual([expect.stringContaining(message)]);
    expect(told(text)[0]).toContain('BND102');
  });

  test('with a bounded number of diagnostics', () => {
    expect(told(Array.from({ length: 500 }, (_, index) => `key${index}: 1`).join('\n'))).toHaveLength(50);
  });
});

test('a key of the author is only a key', () => {
  const { value } = readBinding('messages:\n  __proto__: x\n  constructor: y', 'b.yaml');
  expect(Object.entries(value[0]?.content.messages ?? {})).toEqual([
    ['__proto__', 'x'],
    ['constructor', 'y'],
  ]);
  expect(Object.getPrototypeOf({})).toBe(Object.prototype);
});

test('each document is a binding, and one that is broken does not take the others along', () => {
  const { value, diagnostics } = readBinding('diagram: one\n---\n---\noops: 1\n---\ndiagram: two\n', 'b.yaml');
  expect(value.map(({ content, at }) => [content.diagram, at.line])).toEqual([
    ['one', 1],
    ['two', 6],
  ]);
  expect(diagnostics.map(({ code, line }) => [code, line])).toEqual([['BND103', 4]]);
});

test('keys keep the order of the file', () => {
  const { value } = readBinding('parameters:\n  b: x\n  a: y\n  c: z', 'b.yaml');
  expect(Object.keys(value[0]?.content.parameters ?? {})).toEqual(['b', 'a', 'c']);
});

test('the schema is valid JSON Schema for editors too', () => {
  expect(new Ajv({ allowUnionTypes: true }).validateSchema(BINDING_SCHEMA)).toBe(true);
});

describe('the guide', () => {
  const guide = readFileSync(new URL('../../docs/bindings.md', import.meta.url), 'utf8');

  test('its examples are bindings', () => {
    const examples = [...guide.matchAll(/```yaml\n([^]*?)```/gu)].map(([, text]) => text ?? '');
    expect(examples.length).toBeGreaterThanOrEqual(2);
    for (const example of examples) expect(told(example)).toEqual([]);
  });

  test('it has a row for every key', () => {
    const { properties, definitions } = BINDING_SCHEMA;
    const keys = [...Object.keys(properties), ...Object.keys(definitions.message.properties)];
    // `link` is told beside `via`.
    for (const key of keys.filter((one) => one !== 'link'))
      expect(guide).toMatch(new RegExp(`^\\| \`${key}[:\`]`, 'mu'));
  });
});
