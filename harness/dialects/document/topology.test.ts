import { describe, expect, test } from '@jest/globals';
import { readDocument, readDocumentWithTopology } from '../index.ts';

const fence = (body: string): string => `\`\`\`mermaid\n${body}\n\`\`\`\n`;
const ARCHITECTURE = [
  'architecture-beta',
  '    group plane(cloud)[Control plane]',
  '    service api(server)[API Server] in plane',
  '    service etcd(database)[Etcd] in plane',
  '    service kubelet(server)[Kubelet]',
  '    service docker(server)[Docker]',
  '    api:R -- L:etcd',
  '    kubelet:T --> B:api',
  '    kubelet:R <--> L:docker',
].join('\n');
const GOOD = 'sequenceDiagram\nkubelet->>API Server: get\nAPI Server->>Etcd: read';

const read = async (text: string, file = 'd.md') => {
  const { value, diagnostics } = await readDocumentWithTopology(text, file);
  const told = diagnostics.map(
    ({ line, column, severity, code, message }) => `${line}:${column} ${severity} ${code} ${message}`,
  );
  return { value, told };
};

describe('a document that draws its architecture', () => {
  test('gives every diagram the topology, and nothing is told where they agree', async () => {
    const { value, told } = await read(`${fence(ARCHITECTURE)}\n${fence(GOOD)}`);
    expect(told).toEqual([]);
    expect(value[0]?.topology?.services.map(({ id, at }) => `${id} ${at.line}:${at.column}`)).toEqual([
      'api 4:5',
      'etcd 5:5',
      'kubelet 6:5',
      'docker 7:5',
    ]);
    expect(value[0]?.topology?.connections).toEqual([
      ['api', 'etcd'],
      ['api', 'kubelet'],
      ['docker', 'kubelet'],
    ]);
  });

  test('has an error at each message between services that it does not connect', async () => {
    const { told } = await read(
      `${fence(ARCHITECTURE)}\n${fence(`${GOOD}\n  kubelet-->>Etcd: write\nUser->>Docker: run`)}`,
    );
    expect(told).toEqual([
      '17:3 error MER180 the architecture does not connect "kubelet" and "Etcd"',
      '18:1 info MER181 "User" is no service of the architecture, so its messages are not looked up there',
    ]);
  });

  test('may draw it below, in a list, in Azure’s blocks, and more than once: the nearest above counts', async () => {
    const other = 'architecture-beta\nservice a(server)[A]\nservice b(server)[B]';
    const text = `${fence(ARCHITECTURE)}\n${fence(GOOD)}\n:::mermaid\n${other}\n:::\n\n${fence('sequenceDiagram\nA->>B: x')}`;
    expect((await read(text)).told).toEqual(['27:1 error MER180 the architecture does not connect "A" and "B"']);
    expect((await read(`${fence(GOOD)}\n${fence(ARCHITECTURE)}`)).told).toEqual([]);
    const inList = `- ${fence(ARCHITECTURE).trimEnd().replaceAll('\n', '\n  ')}\n\n${fence('sequenceDiagram\nkubelet->>etcd: x')}`;
    expect((await read(inList)).told).toEqual([
      '15:1 error MER180 the architecture does not connect "kubelet" and "etcd"',
    ]);
  });

  test('connects through junctions, and all services of a group', async () => {
    const architecture = [
      ...['architecture-beta', 'group g(cloud)[G]', 'group h(cloud)[H] in g', 'service a(server)[A] in g'],
      ...['service b(server)[B] in h', 'service c(server)[C]', 'service d(server)[D]', 'service e(server)[E]'],
      ...['junction j', 'junction k', 'a{group}:R -- L:c', 'd:R -- L:j', 'j:R -- L:k', 'k:R -- L:e'],
    ].join('\n');
    const { value } = await read(`${fence(architecture)}\n${fence('sequenceDiagram\nA->>C: x\nC->>B: y\nD->>E: z')}`);
    expect(value[0]?.topology?.connections).toEqual([
      ['a', 'c'],
      ['b', 'c'],
      ['d', 'e'],
    ]);
  });

  test('is told what is wrong in it, at its place', async () => {
    const broken = 'architecture-beta\nservice a(server)[A]\na:L - R:b';
    expect((await read(`# H\n\n${fence(broken)}\n${fence(GOOD)}`)).told).toEqual([
      expect.stringMatching(/^6:7 error MER182 this architecture cannot be read: Expecting/),
    ]);
    const unknown = 'architecture-beta\nservice a(server)[A]\n  a:L -- R:b';
    expect((await read(`${fence(unknown)}\n${fence('sequenceDiagram\nA->>A: x')}`)).told).toEqual([
      '4:3 error MER183 this connection names "b", which is no service and no junction',
    ]);
  });

  test('is read as before where it draws none, or no sequence', async () => {
    for (const text of [
      fence(GOOD),
      'An architecture in prose.\n',
      fence(ARCHITECTURE),
      `${fence(GOOD)}architecture-beta\n`,
    ]) {
      expect(await readDocumentWithTopology(text, 'd.md')).toEqual(readDocument(text, 'd.md'));
    }
    expect((await read(ARCHITECTURE, 'd.mmd')).told).toEqual([expect.stringContaining('info DOC106')]);
  });
});
