import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { captureIo } from '../testing/index.ts';
import { runProgram } from './index.ts';

const ROOT = join(import.meta.dirname, '../..');
const CREATE_POD = join(ROOT, 'specs/create-pod/diagram.txt');
const COLLECTION = join(ROOT, 'specs/k8s-diagram-collection/diagrams.md');
const STEPS = join(ROOT, 'specs/pod-scheduling/steps.md');

async function diff(...args: string[]): Promise<{ readonly code: number; readonly said: string }> {
  const io = captureIo();
  const code = await runProgram(io, ['diff', ...args], '0.0.0');
  return { code, said: io.printed() + io.complained() };
}

describe('two documents that tell of one pod', () => {
  test('draw the same order, but for names and texts', async () => {
    const simple = ['--diagram-b', 'k8s-events-seq-simple.md'];
    const { code, said } = await diff(CREATE_POD, COLLECTION, ...simple, '--ignore-text', '--rename', 'Dev=User');
    expect(said).toMatch(/= same: both allow the same traces/);
    expect(code).toBe(0);
  });

  test('differ as they stand, and are told to differ in names and texts only', async () => {
    const { code, said } = await diff(CREATE_POD, COLLECTION, '--diagram-b', 'k8s-events-seq-simple.md');
    expect(code).toBe(1);
    expect(said).toMatch(/"Dev" is taken for "User", by position/);
    expect(said).toMatch(/only texts differ: with --ignore-text the order is the same/);
    expect(said).toMatch(/✗ Dev -> API Server: create Pod +A: line 8 +B: –/);
  });

  test('two diagrams of one document differ, with a shortest trace that shows where', async () => {
    const { code, said } = await diff(
      ...[COLLECTION, COLLECTION, '--ignore-text'],
      ...['--diagram-a', 'k8s-event-seq-complicate.md', '--diagram-b', 'k8s-events-seq-simple.md'],
    );
    expect(code).toBe(1);
    expect(said).toMatch(/\| Etcd --> ApiServer: Acknowledge write \(OK\) +A: line 17 +B: line 81/);
    expect(said).toMatch(/✗ Etcd -> ControllerManager: Notify ReplicaSet change \(Event\) +A: line 21 +B: –/);
    expect(said).toMatch(/there B allows:\n.*:83 {2}API Server --> User: OK/);
    expect(said).toMatch(/"ReplicaSetController" has no counterpart in the second drawing/);
  });
});

describe('what cannot be compared is told with a hint', () => {
  test.each([
    [
      'a document of several diagrams',
      [COLLECTION, CREATE_POD],
      /CLI120 2 diagrams.*\n[^]*hint: name it with --diagram-a/,
    ],
    [
      'a list of steps without its binding',
      [CREATE_POD, STEPS],
      /CLI121 "steps.md" is a list of steps[^]*hint: .*--bound/,
    ],
    [
      'a renaming of nobody',
      [CREATE_POD, CREATE_POD, '--rename', 'Deev=Dev'],
      /--rename "Deev=Dev" names no two participants\nhint: /,
    ],
    ['a renaming without =', [CREATE_POD, CREATE_POD, '--rename', 'Dev'], /--rename "Dev=" names no two/],
    ['a file that does not exist', [CREATE_POD, 'nowhere.mmd'], /no such file/],
    ['one file only', [CREATE_POD], /spec-b/],
  ])('%s', async (_, args, says) => {
    const { code, said } = await diff(...args);
    expect(said).toMatch(says);
    expect(code).toBe(2);
  });

  test('with its binding a list of steps is compared', async () => {
    expect((await diff(STEPS, STEPS, '--bound')).code).toBe(0);
  });
});

describe("drawings of one's own", () => {
  const folder = mkdtempSync(join(tmpdir(), 'asdrawn-'));
  const file = (name: string): string => join(folder, name);
  beforeAll(() => {
    writeFileSync(file('a.mmd'), 'sequenceDiagram\n  loop x\n  A->>B: p\n  C->>D: q\n  end\n');
    writeFileSync(file('b.mmd'), 'sequenceDiagram\n  participant A\n  loop x\n  C->>D: q\n  A->>B: p\n  end\n');
    writeFileSync(file('c.mmd'), 'sequenceDiagram\n  A->>B: p\n  opt x\n  A->>B: \u001b[31mq\n  end\n');
    writeFileSync(file('d.mmd'), 'sequenceDiagram\n  A->>B: p\n  A->>B: \u001b[31mq\n');
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  test('whose search meets its bound are undecided: exit code 3', async () => {
    const { code, said } = await diff(file('a.mmd'), file('b.mmd'));
    expect(said).toMatch(/undecided: bound met: 20000 pairs of states\n {2}no trace of up to \d+ messages/);
    expect(code).toBe(3);
  });

  test('that differ in where they may end say so, and control characters do not reach the terminal', async () => {
    const { code, said } = await diff(file('c.mmd'), file('d.mmd'));
    expect(said).toMatch(/after this trace A may be over, and B may not/);
    expect(said).not.toContain('\u001b');
    expect(code).toBe(1);
  });
});
