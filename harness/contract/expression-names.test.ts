import { expect, test } from '@jest/globals';
import { namesDemanded, namesRead } from './expression-names.ts';
import { mistypedFrom } from './names.ts';

const ask = (cel: string): string[] =>
  namesRead(cel).map(({ name, isOnlyAskedFor }) => (isOnlyAskedFor ? `has ${name}` : name));

test.each([
  ['status == 201', ['status']],
  ['order.state == "c" && order["id"] != status', ['order.state', 'order.id', 'status']],
  ['true', []],
  ['has(error.type)', ['has error.type']],
  ['has(error.type) && error.type == "x"', ['error.type']],
  ['[200, 201].exists(s, s == status)', ['status']],
  ['label.split("/").exists(part, part == user.name && part.size() > 2)', ['label', 'user.name']],
  ['label.lowerAscii().matches("^a")', ['label']],
  ['ready ? a.b + 1 : -c', ['ready', 'a.b', 'c']],
  ['status in [x, 2]', ['status', 'x']],
  ['a ==', []],
])('%s reads %j', (cel, names) => {
  expect(ask(cel).sort()).toEqual([...names].sort());
});

test.each([
  ['has(order.id)', ['order.id']],
  ['status == 1 && (has(a.b) && order.id == "7")', ['a.b', 'order.id', 'status']],
  ['has(a.b) || true', []],
  ['!has(a.b)', []],
  ['a.b != "x"', []],
  ['label == "x && has(a.b)"', ['label']],
  ['a ==', []],
])('%s demands %j', (cel, names) => {
  expect([...namesDemanded(cel)].sort()).toEqual([...names].sort());
});

test.each([
  ['Bnk', 'Bank'],
  ['statsu', 'status'],
  ['order.idd', 'order.id'],
  ['orderid', 'order.id'],
  ['A', undefined],
  ['db', undefined],
  ['error.type', undefined],
])('%s is mistyped from %s', (name, meant) => {
  expect(mistypedFrom(name, ['Bank', 'status', 'order.id', 'B', 'Do'])).toBe(meant);
});
