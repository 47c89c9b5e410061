import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { DEVIATIONS, differenceFrom, MERMAID_12 } from './oracle/comparable.ts';
import type { MermaidAnswer } from './oracle/mermaid.ts';

/**
 * What Mermaid 11.17.2 says of some 750 small texts, recorded in `testdata/probes.jsonl`, so that this test needs no Mermaid. Every
 * difference is by one of the rules below; a new one fails. `oracle.test.ts` asks Mermaid itself.
 */
type Probe = MermaidAnswer & { readonly name: string; readonly input: string };

/** Which probes show a deviation; `oracle/comparable.ts` says why we deviate. */
const SHOWN_BY: Readonly<Record<string, readonly string[]>> = {
  'both ways': [
    'arrow <<-->>',
    'arrow <<->>',
    'circles <<->>',
    'plus <<->>',
    'spaced <<->>',
    'minus <<->>',
    'circles <<-->>',
    'plus <<-->>',
    'spaced <<-->>',
    'minus <<-->>',
  ],
  'reversed half arrow': [
    'arrow /|-',
    'arrow //-',
    'arrow //--',
    'arrow \\\\--',
    'circles /|-',
    'plus /|-',
    'spaced /|-',
    'minus /|-',
    'arrow \\|-',
    'circles \\|-',
    'plus \\|-',
    'spaced \\|-',
    'minus \\|-',
    'circles //-',
    'plus //-',
    'spaced //-',
    'minus //-',
    'arrow \\\\-',
    'circles \\\\-',
    'plus \\\\-',
    'spaced \\\\-',
    'minus \\\\-',
    'arrow /|--',
    'circles /|--',
    'plus /|--',
    'spaced /|--',
    'minus /|--',
    'arrow \\|--',
    'circles \\|--',
    'plus \\|--',
    'spaced \\|--',
    'minus \\|--',
    'circles //--',
    'plus //--',
    'spaced //--',
    'minus //--',
    'circles \\\\--',
    'plus \\\\--',
    'spaced \\\\--',
    'minus \\\\--',
  ],
  'entity code': [
    'text with #35;',
    'text with #word; accidental',
    'entity chain',
    'entity in name',
    'entity in label',
    'entity in note',
  ],
  'unknown type': ['unknown type'],
  'Mermaid 12': [
    'part type dash name',
    'kwname links exact sender',
    'kwname links exact recv',
    'kwname recv dash links',
    'kwname link exact recv',
    'kwname recv dash link',
    'kwname properties exact sender',
    'kwname properties exact recv',
    'kwname properties-prefix',
    'kwname recv dash properties',
    'kwname details exact sender',
    'kwname details exact recv',
    'kwname details-prefix',
    'kwname recv dash details',
    'twelve blank before settings',
    'twelve dash before settings',
    'twelve link sender',
    'twelve equals before settings',
  ],
};

const probes = readFileSync(new URL('testdata/probes.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Probe);

test('the probes are there', () => {
  expect(probes.length).toBeGreaterThan(740);
});

test('what Mermaid accepts is accepted and read alike, what it refuses is an error, but for the stated deviations', () => {
  const unlike = probes.flatMap((probe) => {
    const difference = differenceFrom(probe.input, probe);
    return difference === null || difference.kind === MERMAID_12.name ? [] : [{ ...difference, probe: probe.name }];
  });
  console.info(`${probes.length - unlike.length} of ${probes.length} recorded probes as Mermaid 11.17.2`);
  expect(unlike).toEqual([]);
});

test.each(DEVIATIONS)('the deviation "$name" shows in just the probes that state it', ({ name }) => {
  const others = DEVIATIONS.filter((deviation) => deviation.name !== name);
  const shown = probes.filter((probe) => differenceFrom(probe.input, probe, others)?.kind === 'content');
  expect(shown.map((probe) => probe.name)).toEqual(SHOWN_BY[name]);
});

test(`the deviation "${MERMAID_12.name}" shows in just the probes that state it`, () => {
  const shown = probes.filter((probe) => differenceFrom(probe.input, probe)?.kind === MERMAID_12.name);
  expect(shown.map((probe) => probe.name)).toEqual(SHOWN_BY[MERMAID_12.name]);
});
