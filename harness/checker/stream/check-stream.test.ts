import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Contract } from '../../contract/index.ts';
import { arbitraryCase } from '../../testing/index.ts';
import { readTraceText, type Trace } from '../../trace/index.ts';
import type { SpecVerdict } from '../../verdict/index.ts';
import { check } from '../check.ts';
import { checkStream, type ByteSource } from './index.ts';

const CASES = Number(process.env['STREAM_CASES'] ?? 400);
const SEED = 20_261_215;
const SOURCE = 'trace.ndjson';

function ndjsonOf({ events, begun, ended }: Trace): string {
  const lines = events.map(({ event }) => JSON.stringify(event));
  return [...(begun ? ['{"kind":"begin"}'] : []), ...lines, ...(ended ? ['{"kind":"end"}'] : []), ''].join('\n');
}

/** The text as bytes, a few at a time, in a buffer that is used again. */
function sourceOf(text: string): ByteSource {
  const bytes = new TextEncoder().encode(text);
  return {
    name: SOURCE,
    read: async function* () {
      const part = new Uint8Array(997);
      for (let from = 0; from < bytes.length; from += part.length) {
        const next = bytes.subarray(from, from + part.length);
        part.set(next);
        yield await Promise.resolve(part.subarray(0, next.length));
      }
    },
  };
}

async function streamed(contract: Contract, text: string): Promise<SpecVerdict | null> {
  const { verdicts, diagnostics } = await checkStream([contract], sourceOf(text), {
    complete: true,
    bounds: { idsMax: 4_096 },
  });
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return verdicts[0] ?? null;
}

const whole = (contract: Contract, text: string): SpecVerdict =>
  check(contract, readTraceText(text, SOURCE).value, { complete: true });

describe('a streamed verdict', () => {
  test(`is that of the whole checker, on ${CASES} cases of seed ${SEED}`, async () => {
    let [same, failing, left] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(arbitraryCase(), fc.boolean(), async ({ contract, events }, begun) => {
        const text = ndjsonOf({ events, begun, ended: true });
        if (events.length === 0) return;
        const verdict = await streamed(contract, text);
        if (verdict === null) {
          left++;
          return;
        }
        expect(verdict).toEqual(whole(contract, text));
        if (verdict.outcome === 'conforms') same++;
        else failing++;
      }),
      { seed: SEED, numRuns: CASES },
    );
    expect(Math.min(same, failing)).toBeGreaterThan(CASES / 10);
    expect(left).toBeLessThan(CASES / 4);
  });
});
