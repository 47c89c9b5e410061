import { expect, test } from '@jest/globals';
import { wholeFile } from '../../diagram/index.ts';
import { readArchitecture } from './index.ts';

const told = async (text: string): Promise<readonly string[]> =>
  (await readArchitecture(text, wholeFile('a.mmd', 'a'))).diagnostics.map(
    ({ line, column, code, message }) => `${line}:${column} ${code} ${message}`,
  );

test('a drawing too large to look at is refused', async () => {
  expect(await told(`architecture-beta\n${'%% long\n'.repeat(40_000)}`)).toEqual([
    '1:1 MER182 this drawing has 320018 characters; at most 262144 are read',
  ]);
  const services = Array.from({ length: 1_001 }, (_, index) => `service s${index}(server)[S]`).join('\n');
  expect(await told(`architecture-beta\n${services}`)).toEqual([
    '1:1 MER182 there are 1001 services; at most 1000 are read',
  ]);
});

test('a group drawn inside itself is no endless one', async () => {
  const text =
    'architecture-beta\ngroup g(cloud)[G] in h\ngroup h(cloud)[H] in g\nservice a(server)[A] in g\nservice b(server)[B]\na{group}:R -- L:b';
  const { value, diagnostics } = await readArchitecture(text, wholeFile('a.mmd', 'a'));
  expect(diagnostics).toEqual([]);
  expect(value.connections).toEqual([['a', 'b']]);
});
