import { describe, expect, test } from '@jest/globals';
import { check, checkStream, type ByteSource } from '../harness/checker/index.ts';
import { readTraceText, type Contract, type SpecVerdict } from '../harness/index.ts';
import { withoutIgnored } from '../harness/testing/index.ts';
import { CREATIONS, DELETIONS, recordingText } from './testing/kubernetes-recordings.ts';
import { loadContract, SEED_FILES } from './testing/load-specs.ts';

const contracts: readonly Contract[] = SEED_FILES.flatMap((file) =>
  loadContract(file, file.replace(/\.[^.]*$/, '.kubernetes.bindings.yaml')),
);

/** In parts of a buffer that is used again, as a file is read. */
function sourceOf(name: string, text: string): ByteSource {
  const bytes = new TextEncoder().encode(text);
  return {
    name,
    read: async function* () {
      const part = new Uint8Array(10_007);
      for (let from = 0; from < bytes.length; from += part.length) {
        const next = bytes.subarray(from, from + part.length);
        part.set(next);
        yield await Promise.resolve(part.subarray(0, next.length));
      }
    },
  };
}

/** Streamed verdicts, where a stream can give them, beside those of the whole checker. */
async function bothWays(name: string, text: string): Promise<readonly (readonly [SpecVerdict, SpecVerdict])[]> {
  const { verdicts, reasons } = await checkStream(contracts, sourceOf(name, text), {
    complete: true,
    bounds: { idsMax: 16_384 },
  });
  const { value } = readTraceText(text, name);
  return contracts.flatMap((contract, index) => {
    const streamed = verdicts[index] ?? null;
    if (streamed === null) expect(reasons.length).toBeGreaterThan(0);
    return streamed === null ? [] : [[streamed, check(contract, value, { complete: true })] as const];
  });
}

describe('a recording of Kubernetes that is streamed', () => {
  test.each([...CREATIONS, ...DELETIONS])('%s has the verdicts that it has when it is read whole', async (name) => {
    const pairs = await bothWays(`${name}.ndjson`, recordingText(name));
    expect(pairs).toHaveLength(contracts.length);
    for (const [streamed, whole] of pairs) expect(streamed).toEqual(whole);
  });

  test('has them also when events of it are missing', async () => {
    let violations = 0;
    for (const name of ['a-deployment-create-3', 'd-pod-create', 'repeat-d3-e-pod-delete'])
      for (const every of [7, 11, 29]) {
        const lines = recordingText(name).split('\n');
        const text = lines.filter((_, index) => index === 0 || index % every !== 0).join('\n');
        for (const [streamed, whole] of await bothWays(`${name}.ndjson`, text)) {
          expect(streamed).toEqual(withoutIgnored(whole));
          violations += whole.instances.filter(({ outcome }) => outcome === 'violates').length;
        }
      }
    expect(violations).toBeGreaterThan(0);
  });
});
