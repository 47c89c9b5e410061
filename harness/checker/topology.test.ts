import { expect, test } from '@jest/globals';
import { compileContract } from '../contract/index.ts';
import { readDocumentWithTopology } from '../dialects/index.ts';
import { readShorthand } from '../testing/index.ts';
import { check } from './index.ts';

const DOCUMENT = `# Checkout

\`\`\`mermaid
architecture-beta
    service web(server)[Web]
    service api(server)[Api]
    service db(database)[Db]
    web:R -- L:api
    api:R -- L:db
\`\`\`

\`\`\`mermaid
sequenceDiagram
    participant Web
    participant Api
    participant Db
    Web->>Api: order
    Api->>Db: save
\`\`\`
`;

async function verdictOn(trace: string) {
  const { value, diagnostics } = await readDocumentWithTopology(DOCUMENT, 'checkout.md');
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return check(compileContract(value[0]!, []).value, readShorthand(trace), { complete: true });
}

test('a message that takes a connection of the topology conforms, drawn or not', async () => {
  expect((await verdictOn('begin\nWeb -> Api order\nApi -> Db save\nApi -> Web push')).outcome).toBe('conforms');
});

test('a message between participants that the topology does not connect violates, and is named', async () => {
  const verdict = await verdictOn('begin\nWeb -> Api order\nApi -> Db save\nWeb -> Db peek');
  expect(verdict.outcome).toBe('violates');
  const told = verdict.instances.flatMap(({ violations }) => violations.map(({ kind, text }) => [kind, text]));
  expect(told).toEqual([['no-such-connection', 'Web -> Db: peek goes where the topology draws no connection']]);
});

test('others, which the drawing does not know, may talk as they like', async () => {
  expect((await verdictOn('begin\nWeb -> Api order\nApi -> Db save\nCron -> Db sweep')).outcome).toBe('conforms');
});
