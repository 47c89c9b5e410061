import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readDocument } from '../harness/index.ts';

const SEEDS = [
  ['create-pod/diagram.txt', '756e7f29f8a59d511968266c89f72a3bf22abf43d12415aa45c509ab316566be'],
  ['k8s-diagram-collection/diagrams.md', 'd6381a75a0cc2c5f04bddf47192453f89d1a7bde6d5131b2d0dbce681710e522'],
  ['pod-scheduling/steps.md', 'f3f25fbf4dfef7ce2ede1e69fb77e5f7700ca3e9972679d69cade7c636bd5224'],
] as const;

const read = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8');

describe('the seed documents', () => {
  test.each(SEEDS)('%s stands as its author wrote it, byte for byte', (file, sha256) => {
    const bytes = readFileSync(join(import.meta.dirname, file));
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
  });

  test.each([
    ['create-pod/diagram.txt', [16], 0],
    ['k8s-diagram-collection/diagrams.md', [33, 16], 0],
    ['pod-scheduling/steps.md', [0], 12],
  ] as const)('%s is read whole, without an error', (file, messages, steps) => {
    const { value, diagnostics } = readDocument(read(file), file);
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(value.map((diagram) => diagram.messages.length)).toEqual(messages);
    expect(value.reduce((sum, diagram) => sum + diagram.steps.length, 0)).toBe(steps);
  });

  test('every arrow of seed 000 and of the simple diagram has the same ends and line style, apart from names', () => {
    const [drawn] = readDocument(read('create-pod/diagram.txt'), 'diagram.txt').value;
    const simple = readDocument(read('k8s-diagram-collection/diagrams.md'), 'diagrams.md').value[1];
    const shape = (diagram = drawn): string[] => {
      const order = diagram?.participants.map(({ id }) => id) ?? [];
      return (diagram?.messages ?? []).map(
        ({ from, to, line }) => `${order.indexOf(from ?? '')} ${line} ${order.indexOf(to ?? '')}`,
      );
    };
    expect(shape(drawn)).toHaveLength(16);
    expect(shape(simple)).toEqual(shape(drawn));
  });
});
