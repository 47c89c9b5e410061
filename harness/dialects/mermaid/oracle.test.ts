import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import fc from 'fast-check';
import { expect, test } from '@jest/globals';
import { hasErrors } from '../../diagnostics/index.ts';
import { type Diagram, printMermaid, wholeFile } from '../../diagram/index.ts';
import { readMermaid } from './index.ts';
import { arbitraryDiagram } from './oracle/arbitrary-diagram.ts';
import { editedText, mermaidText, RULES } from './oracle/arbitrary-text.ts';
import { differenceFrom, MERMAID_12 } from './oracle/comparable.ts';
import { askMermaid, type MermaidAnswer } from './oracle/mermaid.ts';

/**
 * Against Mermaid itself, in one process of its own for all texts of this file. `MERMAID_RUNS` (texts of each kind; `npm run
 * fuzz:mermaid` takes 1000) and `MERMAID_SEED` look further or replay a run (`MERMAID_SEED=random`: another one each time). A gate must
 * not turn red by chance, so its own seed is fixed.
 */
const RUNS = Number(process.env['MERMAID_RUNS'] ?? 120);
const SEED =
  process.env['MERMAID_SEED'] === 'random'
    ? Math.floor(performance.timeOrigin)
    : Number(process.env['MERMAID_SEED'] ?? 20_261_130);

const sampled = { numRuns: RUNS, seed: SEED };
const probes = readFileSync(new URL('testdata/probes.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => (JSON.parse(line) as { readonly input: string }).input);
const written = fc.sample(mermaidText, sampled);
const edited = fc.sample(editedText, sampled);
const drawn: readonly Diagram[] = fc.sample(arbitraryDiagram, sampled);
const printed = drawn.map((diagram) => printMermaid(diagram));

/** The texts of this file by kind, each with Mermaid's answer. */
function answered(): ReadonlyMap<string, readonly (readonly [text: string, answer: MermaidAnswer])[]> {
  const kinds = { probes, written: written.map(({ text }) => text), edited, printed };
  const answers = askMermaid(Object.values(kinds).flat());
  let from = 0;
  return new Map(
    Object.entries(kinds).map(([kind, texts]) => {
      const own = texts.map((text, index) => [text, answers[from + index] ?? { ok: false }] as const);
      from += texts.length;
      return [kind, own];
    }),
  );
}
const all = answered();

/** What differs and no deviation explains, shortest text first: that is the one to look at. */
function unlike(kind: string): readonly unknown[] {
  const found = (all.get(kind) ?? []).flatMap(([text, answer]) => {
    const difference = differenceFrom(text, answer);
    return difference === null || difference.kind === MERMAID_12.name ? [] : [{ text, difference }];
  });
  return found.sort((one, other) => one.text.length - other.text.length).slice(0, 5);
}

const accepted = (kind: string): number => (all.get(kind) ?? []).filter(([, { ok }]) => ok).length;

console.info(
  `Mermaid asked about ${probes.length} probes and ${RUNS} texts each: written (${accepted('written')} valid), edited (${accepted('edited')} still valid), printed; MERMAID_SEED=${SEED}`,
);

test('every probe is accepted, refused and read as by the installed Mermaid, but for the stated deviations', () => {
  expect(unlike('probes')).toEqual([]);
});

test('every generated diagram is valid to Mermaid, and together they use every rule of the grammar', () => {
  const refused = (all.get('written') ?? []).filter(([, { ok }]) => !ok);
  expect(refused.map(([text, { error }]) => ({ text, error })).slice(0, 3)).toEqual([]);
  const used = new Set(written.flatMap(({ rules }) => [...rules]));
  expect([...used].filter((rule) => !RULES.includes(rule))).toEqual([]);
  // A hundred diagrams may miss a rare rule by chance, a thousand not.
  const missed = RULES.filter((rule) => !used.has(rule));
  expect(missed.length).toBeLessThanOrEqual(RUNS >= 1000 ? 0 : RULES.length / 10);
});

test('every generated diagram is read as by Mermaid', () => {
  expect(unlike('written')).toEqual([]);
});

test('a diagram that was edited at random is accepted or refused, and then read, as by Mermaid', () => {
  expect(unlike('edited')).toEqual([]);
});

test('what is printed is accepted by Mermaid, which reads the messages that were drawn', () => {
  expect(unlike('printed')).toEqual([]);
  const texts = (all.get('printed') ?? []).filter(([, { ok }]) => !ok);
  expect(texts).toEqual([]);
  const unread = printed.filter((text) => hasErrors(readMermaid(text, wholeFile('p.mmd', 'p')).diagnostics));
  expect(unread).toEqual([]);
});
