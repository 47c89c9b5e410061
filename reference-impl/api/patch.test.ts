import { describe, expect, test } from '@jest/globals';
import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch, isJsonObject } from './index.ts';
import type { Json, JsonObject } from './index.ts';

const json = (text: string): Json => JSON.parse(text) as Json;

describe('merge patch: the examples of RFC 7386, appendix A', () => {
  test.each([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', 'null', 'null'],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ])('%s with %s is %s', (target, patch, expected) => {
    expect(applyMergePatch(json(target), json(patch))).toEqual(json(expected));
  });

  test('__proto__ is a property like any other', () => {
    const result = applyMergePatch({}, json('{"__proto__":{"polluted":true}}'));
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(isJsonObject(result) && Object.hasOwn(result, '__proto__')).toBe(true);
  });
});

describe('JSON patch: RFC 6902', () => {
  test.each<[string, string, string, string]>([
    ['adds a member', '{"foo":"bar"}', '[{"op":"add","path":"/baz","value":"qux"}]', '{"foo":"bar","baz":"qux"}'],
    ['adds an element', '{"foo":["a","b"]}', '[{"op":"add","path":"/foo/1","value":"x"}]', '{"foo":["a","x","b"]}'],
    ['adds at the end', '{"foo":["a"]}', '[{"op":"add","path":"/foo/-","value":["b"]}]', '{"foo":["a",["b"]]}'],
    ['adds over a member', '{"a":1}', '[{"op":"add","path":"/a","value":2}]', '{"a":2}'],
    ['removes a member', '{"a":1,"b":2}', '[{"op":"remove","path":"/a"}]', '{"b":2}'],
    ['removes an element', '{"a":[1,2,3]}', '[{"op":"remove","path":"/a/1"}]', '{"a":[1,3]}'],
    ['replaces', '{"a":1}', '[{"op":"replace","path":"/a","value":null}]', '{"a":null}'],
    ['replaces the whole', '{"a":1}', '[{"op":"replace","path":"","value":{"b":2}}]', '{"b":2}'],
    ['moves', '{"a":{"b":1},"c":{}}', '[{"op":"move","from":"/a/b","path":"/c/d"}]', '{"a":{},"c":{"d":1}}'],
    ['moves in a list', '{"a":[1,2,3]}', '[{"op":"move","from":"/a/0","path":"/a/2"}]', '{"a":[2,3,1]}'],
    ['copies', '{"a":[1]}', '[{"op":"copy","from":"/a","path":"/b"}]', '{"a":[1],"b":[1]}'],
    [
      'tests deep equality',
      '{"a":{"x":1,"y":[2]}}',
      '[{"op":"test","path":"/a","value":{"y":[2],"x":1}}]',
      '{"a":{"x":1,"y":[2]}}',
    ],
    [
      'unescapes',
      '{"a/b":1,"m~n":2,"~1":3}',
      '[{"op":"test","path":"/m~0n","value":2},{"op":"test","path":"/~01","value":3},{"op":"remove","path":"/a~1b"}]',
      '{"m~n":2,"~1":3}',
    ],
    ['the empty key', '{"":1}', '[{"op":"test","path":"/","value":1}]', '{"":1}'],
    ['ignores unknown members', '{}', '[{"op":"add","path":"/a","value":1,"x":2}]', '{"a":1}'],
    [
      'sees its own changes',
      '{}',
      '[{"op":"add","path":"/a","value":{}},{"op":"add","path":"/a/b","value":1}]',
      '{"a":{"b":1}}',
    ],
  ])('%s', (_claim, target, patch, expected) => {
    expect(applyJsonPatch(json(target), json(patch))).toEqual({ ok: true, value: json(expected) });
  });

  test.each<[string, string, string, string]>([
    ['an object', '{}', '{"op":"add"}', 'malformed'],
    ['an unknown operation', '{}', '[{"op":"spam","path":"/a"}]', 'malformed'],
    ['no path', '{}', '[{"op":"remove"}]', 'malformed'],
    ['a path without a slash', '{"a":1}', '[{"op":"remove","path":"a"}]', 'malformed'],
    ['a bad escape', '{"~2":1}', '[{"op":"remove","path":"/~2"}]', 'malformed'],
    ['no value', '{}', '[{"op":"add","path":"/a"}]', 'malformed'],
    ['no from', '{}', '[{"op":"move","path":"/a"}]', 'malformed'],
    ['a test that fails', '{"a":1}', '[{"op":"test","path":"/a","value":"1"}]', 'not-applicable'],
    ['a parent that is absent', '{}', '[{"op":"add","path":"/a/b","value":1}]', 'not-applicable'],
    ['removing what is absent', '{}', '[{"op":"remove","path":"/a"}]', 'not-applicable'],
    ['replacing what is absent', '{}', '[{"op":"replace","path":"/a","value":1}]', 'not-applicable'],
    ['an index beyond the end', '{"a":[1]}', '[{"op":"add","path":"/a/2","value":1}]', 'not-applicable'],
    ['an index with a leading zero', '{"a":[1,2]}', '[{"op":"remove","path":"/a/01"}]', 'not-applicable'],
    ['- where nothing is added', '{"a":[1]}', '[{"op":"remove","path":"/a/-"}]', 'not-applicable'],
    ['moving into itself', '{"a":{"b":1}}', '[{"op":"move","from":"/a","path":"/a/b"}]', 'not-applicable'],
    ['a member of a text', '{"a":"x"}', '[{"op":"add","path":"/a/b","value":1}]', 'not-applicable'],
    ['an inherited member', '{}', '[{"op":"test","path":"/constructor","value":1}]', 'not-applicable'],
  ])('%s is refused', (_claim, target, patch, kind) => {
    expect(applyJsonPatch(json(target), json(patch))).toMatchObject({ ok: false, kind });
  });

  test('a failure names its operation, and the target stays as it was', () => {
    const target = json('{"a":1}');
    const patch = json('[{"op":"remove","path":"/a"},{"op":"remove","path":"/a"}]');
    expect(applyJsonPatch(target, patch)).toMatchObject({ ok: false, message: 'operation 1: /a does not exist' });
    expect(target).toEqual({ a: 1 });
  });
});

describe('strategic merge patch', () => {
  const pod: JsonObject = {
    metadata: { labels: { a: '1' }, finalizers: ['x/one'] },
    spec: {
      containers: [
        { name: 'a', image: 'a:1', args: ['p', 'q'], env: [{ name: 'E', value: '1' }] },
        { name: 'b', image: 'b:1' },
      ],
    },
  };
  const patched = (patch: JsonObject): unknown => {
    const result = applyStrategicMergePatch(pod, patch);
    return result.ok ? result.value : result.message;
  };

  test('an entry of a named list is merged by its name, others stay', () => {
    expect(patched({ spec: { containers: [{ name: 'b', image: 'b:2' }] } })).toMatchObject({
      spec: {
        containers: [
          { name: 'a', image: 'a:1' },
          { name: 'b', image: 'b:2' },
        ],
      },
    });
  });

  test('nested named lists are merged too, plain lists are replaced', () => {
    const containers = [{ name: 'a', args: ['r'], env: [{ name: 'F', value: '2' }] }];
    expect(patched({ spec: { containers } })).toMatchObject({
      spec: { containers: [{ args: ['r'], env: [{ name: 'E' }, { name: 'F' }] }, {}] },
    });
  });

  test('a new entry is added', () => {
    expect(patched({ spec: { containers: [{ name: 'c', image: 'c:1' }] } })).toMatchObject({
      spec: { containers: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] },
    });
  });

  test('null removes a property', () => {
    expect(patched({ metadata: { labels: { a: null } } })).toMatchObject({ metadata: { labels: {} } });
  });

  test('$patch: delete removes an entry', () => {
    expect(patched({ spec: { containers: [{ name: 'a', $patch: 'delete' }] } })).toMatchObject({
      spec: { containers: [{ name: 'b' }] },
    });
  });

  test('$patch: replace replaces an object or a list', () => {
    expect(patched({ metadata: { $patch: 'replace', labels: { z: '9' } } })).toMatchObject({
      metadata: { labels: { z: '9' } },
    });
    expect(patched({ spec: { containers: [{ name: 'z', image: 'z' }, { $patch: 'replace' }] } })).toMatchObject({
      spec: { containers: [{ name: 'z', image: 'z' }] },
    });
  });

  test('$setElementOrder puts entries in order', () => {
    const result = patched({
      spec: {
        $setElementOrder: undefined,
        '$setElementOrder/containers': [{ name: 'c' }, { name: 'b' }, { name: 'a' }],
        containers: [{ name: 'c', image: 'c' }],
      },
    });
    expect(result).toMatchObject({ spec: { containers: [{ name: 'c' }, { name: 'b' }, { name: 'a' }] } });
  });

  test('sets of plain values are merged, $deleteFromPrimitiveList takes out of them', () => {
    expect(patched({ metadata: { finalizers: ['x/two', 'x/one'] } })).toMatchObject({
      metadata: { finalizers: ['x/one', 'x/two'] },
    });
    expect(patched({ metadata: { '$deleteFromPrimitiveList/finalizers': ['x/one'] } })).toMatchObject({
      metadata: { finalizers: [] },
    });
  });

  test('$retainKeys keeps only what it names, and no directive is left in the object', () => {
    const result = patched({ metadata: { $retainKeys: ['labels'], labels: { b: '2' } } });
    expect(result).toMatchObject({ metadata: { labels: { a: '1', b: '2' } } });
    expect(JSON.stringify(result)).not.toContain('$');
    expect(JSON.stringify(result)).not.toContain('finalizers');
  });

  test.each<[string, JsonObject]>([
    ['an entry without its name', { spec: { containers: [{ image: 'x' }] } }],
    ['an unknown $patch', { spec: { $patch: 'destroy' } }],
  ])('%s is refused', (_claim, patch) => {
    expect(applyStrategicMergePatch(pod, patch)).toMatchObject({ ok: false, kind: 'malformed' });
  });
});

describe('no patch costs much more than reading it', () => {
  const KEYS = 60_000;
  const many = Object.fromEntries(Array.from({ length: KEYS }, (_, index) => [`k${index}`, 'x']));
  const names = Object.keys(many);
  const finishes = (work: () => unknown): void => {
    const began = performance.now();
    work();
    expect(performance.now() - began).toBeLessThan(5_000);
  };

  test('copies that double the document are refused', () => {
    const copies = Array.from({ length: 60 }, (_, index) => ({ op: 'copy', from: '', path: `/a${index}` }));
    finishes(() => {
      expect(applyJsonPatch({ a: 'x'.repeat(1_000) }, copies)).toMatchObject({
        ok: false,
        kind: 'not-applicable',
        message: expect.stringMatching(/^operation \d+: the copies of a patch come to at most/),
      });
    });
  });

  test.each<[string, Json]>([
    [
      'one by one to an object',
      Array.from({ length: 9_000 }, (_, i) => ({ op: 'add', path: `/many/z${i}`, value: 1 })),
    ],
    ['one by one to a list', Array.from({ length: 9_000 }, () => ({ op: 'add', path: '/names/0', value: 1 }))],
  ])('values are added %s', (_, patch) => {
    finishes(() => {
      expect(applyJsonPatch({ many, names }, patch).ok).toBe(true);
    });
  });

  test.each<[string, JsonObject, JsonObject]>([
    ['keys', {}, many],
    ['keys that go', many, Object.fromEntries(names.map((name) => [name, null]))],
    ['members of a set', { finalizers: names }, { finalizers: names.map((name) => `${name}!`) }],
    ['members to take out', { finalizers: names }, { '$deleteFromPrimitiveList/finalizers': names.toReversed() }],
    ['places', { finalizers: names }, { '$setElementOrder/finalizers': names.toReversed() }],
    ['keys to retain', many, { $retainKeys: names }],
  ])('a strategic merge of many %s', (_, target, patch) => {
    finishes(() => {
      expect(applyStrategicMergePatch(target, patch).ok).toBe(true);
    });
  });

  test('a merge of many keys', () => {
    finishes(() => {
      expect(applyMergePatch(many, many)).toEqual(many);
    });
  });
});

test('a JSON patch changes neither its target nor itself', () => {
  const target: Json = { a: { b: 1 } };
  const patch: Json = [
    { op: 'add', path: '/c', value: { d: [] } },
    { op: 'add', path: '/c/d/-', value: 1 },
    { op: 'copy', from: '/c', path: '/e' },
    { op: 'add', path: '/e/d/-', value: 2 },
    { op: 'remove', path: '/a/b' },
  ];
  const before = JSON.stringify([target, patch]);
  expect(applyJsonPatch(target, patch)).toEqual({ ok: true, value: { a: {}, c: { d: [1] }, e: { d: [1, 2] } } });
  expect(JSON.stringify([target, patch])).toBe(before);
});

test('a JSON patch reaches nothing that is inherited, and __proto__ is a property like any other', () => {
  const at = (path: string): Json => [{ op: 'add', path, value: 1 }];
  expect(applyJsonPatch({}, at('/constructor/x')).ok).toBe(false);
  expect(applyJsonPatch({}, at('/__proto__/x')).ok).toBe(false);
  const patched = applyJsonPatch({}, [{ op: 'add', path: '/__proto__', value: { polluted: true } }]);
  expect(patched.ok && isJsonObject(patched.value) && Object.hasOwn(patched.value, '__proto__')).toBe(true);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});
