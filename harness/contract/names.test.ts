import { expect, test } from '@jest/globals';
import { editDistance } from '../diagnostics/index.ts';
import { beginsAtWord, closest, foldLabel, foldName, quoted } from './names.ts';

test('names of participants differ by letters only', () => {
  expect(new Set(['API Server', 'api-server', 'ApiServer', 'api_server'].map(foldName)).size).toBe(1);
  expect(foldName('Api Server 2')).not.toBe(foldName('ApiServer'));
});

test('labels are compared without case and by words', () => {
  expect(foldLabel('  Get Pod\tdetails   (GET /x) ')).toBe('get pod details (get /x)');
});

test.each(['<br>', '<br/>', '<BR />', '<br  />'])('the end of a drawn line, %s, is a blank', (end) => {
  expect(foldLabel(`Get${end}Pod`)).toBe('get pod');
  expect(foldName(`API${end}Server`)).toBe('apiserver');
  expect(quoted(`Get${end}Pod`)).toBe('"Get Pod"');
  expect(foldLabel('a <b> c')).toBe('a <b> c');
});

test.each([
  ['update pod status with id', 'update pod status', true],
  ['create pod (post /pods)', 'create pod', true],
  ['watch(new pod)', 'watch', true],
  ['watch pods without node', 'watch pods with', false],
  ['writes', 'write', false],
  ['write', '', false],
])('%j begins with %j at a word: %j', (label, prefix, expected) => {
  expect(beginsAtWord(label, prefix)).toBe(expected);
});

test.each([
  ['', 'abc', 3],
  ['kitten', 'sitting', 3],
  ['wacth', 'watch', 1],
  ['same', 'same', 0],
])('from %j to %j it takes %j edits', (from, to, edits) => {
  expect(editDistance(from, to)).toBe(edits);
});

test('the nearest candidate is suggested, and none that is far', () => {
  expect(closest('Sheduler', ['Kubelet', 'Scheduler'])).toBe('Scheduler');
  expect(closest('create Pdo', ['write', 'create Pod (POST /api/v1/namespaces/default/pods)'])).toMatch(/^create Pod/);
  expect(closest('zzz', ['Kubelet', 'Scheduler'])).toBeUndefined();
});

test('quoted text is one line of bounded length', () => {
  expect(quoted(`a\n${'b'.repeat(100)}`)).toHaveLength(60);
});
