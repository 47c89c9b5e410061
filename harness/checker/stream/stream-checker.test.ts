import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compileContract, readBinding, type Contract } from '../../contract/index.ts';
import type { Diagram } from '../../diagram/index.ts';
import { readDocument } from '../../dialects/index.ts';
import { arbitraryCase, readShorthand, SOME_PARENTS, withParents } from '../../testing/index.ts';
import { Numbering, type SourcedEvent, type Trace } from '../../trace/index.ts';
import { check, machineOf } from '../check.ts';
import { hasParents } from '../labels.ts';
import { TERMS_MAX } from '../terms.ts';
import {
  asksServedCall,
  AttributeUses,
  fitsBits,
  isDecidedByShape,
  NumberedStream,
  StreamChecker,
  type FailingInstance,
  type StreamFindings,
} from './index.ts';

const CASES = Number(process.env['STREAM_CASES'] ?? 600);
const SEED = 20_261_130;
const POINTS = ['both', 'send', 'receive'] as const;

/** `unusedMax`: -Infinity, so that values are numbered anew at each event. */
function stream(contract: Contract, trace: Trace, bounds: { readonly unusedMax?: number } = {}): StreamFindings {
  const options = { begun: trace.begun, hasParents: hasParents(trace.events), ...bounds };
  const checker = StreamChecker.for(machineOf(contract, TERMS_MAX), options);
  if (checker === null) throw new Error('this contract should be streamable');
  for (const { event } of trace.events) checker.push(event);
  return checker.finish();
}

/** By numbered events; null: that needs another trace, or another contract. */
function streamNumbered(
  contract: Contract,
  trace: Trace,
  bounds: { readonly unusedMax?: number } = {},
): StreamFindings | null {
  const isLinked = hasParents(trace.events) || !asksServedCall(contract);
  const hasReplyTo = trace.events.every(({ event }) => event.kind !== 'reply' || event.replyTo !== undefined);
  if (!isLinked || !hasReplyTo || !isDecidedByShape(contract) || !fitsBits(contract)) return null;
  const uses = new AttributeUses([contract]);
  const numbering = new Numbering({
    useOf: uses.useOf,
    values: uses.values,
    links: uses.links,
    segments: uses.segments,
    idsMax: 1_000,
  });
  const places = uses.placesOf(contract);
  const begun = (): boolean => trace.begun;
  const options = { numbering, places, begun, hasParents: true, ...bounds };
  const checker = NumberedStream.for(machineOf(contract, TERMS_MAX), options);
  if (checker === null) throw new Error('this contract should be streamable');
  for (const { event } of trace.events) {
    numbering.takeEvent(event);
    if (numbering.disorder !== null) return null;
    checker.take(numbering.event);
  }
  return checker.finish();
}

/** Everything that was found, with its words. */
const inWords = (findings: StreamFindings | null): unknown =>
  findings === null
    ? null
    : {
        ...findings,
        failing: findings.failing.map(({ kind, name, values, serial }) => ({ kind, name, values, serial })),
        finished: findings.finished.listed.map(({ name, values, serial, run }) => ({ name, values, serial, run })),
      };

/** What only the whole checker can tell, left out of what the stream says where the whole checker finds nothing wrong. */
function settled(contract: Contract, findings: StreamFindings, failing: readonly string[]): StreamFindings {
  const isWrong = (one: FailingInstance): boolean =>
    contract.key.length === 0
      ? failing.length > 0
      : namesOf(contract, { ...findings, failing: [one] }).every((name) => failing.includes(name));
  return { ...findings, failing: findings.failing.filter((one) => one.kind !== 'unclear' || isWrong(one)) };
}

/** Does the stream leave it to the whole checker? */
const isLeftToWhole = ({ wholeKnows, failing }: StreamFindings): boolean =>
  wholeKnows === 'of-all' || (wholeKnows === 'of-failing' && failing.length > 0);

/** Keys with a run that did not conform, and how many runs did: by the whole checker, which knows all events at once. */
function whole(contract: Contract, trace: Trace): { readonly failing: readonly string[]; readonly conforming: number } {
  const { instances } = check(contract, trace, { complete: true });
  const failing = new Set(
    instances.filter(({ outcome }) => outcome !== 'conforms').map(({ key }) => JSON.stringify(key)),
  );
  const conforming = instances.filter(({ key }) => !failing.has(JSON.stringify(key))).length;
  return { failing: [...failing].sort(), conforming };
}

function namesOf(contract: Contract, findings: StreamFindings): readonly string[] {
  return findings.failing
    .map(({ values }) =>
      Object.fromEntries(
        contract.key.flatMap((name, place) =>
          values[place] === '' || values[place] === undefined ? [] : [[name, values[place]]],
        ),
      ),
    )
    .map((key) => JSON.stringify(key))
    .sort();
}

/** The events, those with one position seen at the ends given. */
function seenAt(events: readonly SourcedEvent[], points: readonly (typeof POINTS)[number][]): readonly SourcedEvent[] {
  return events.map((sourced, index) => {
    const point = points[index];
    if (point === undefined || sourced.event.receivedSeq !== undefined) return sourced;
    return { ...sourced, event: { ...sourced.event, point } };
  });
}

const AS_THEY_ARE = fc.constant([]);
const SOME_ENDS = fc.array(fc.constantFrom(...POINTS), { minLength: 7, maxLength: 7 });

describe('the stream and the whole checker', () => {
  test.each([
    ['as they are', AS_THEY_ARE, AS_THEY_ARE],
    ['some of which are seen at one end only', SOME_ENDS, AS_THEY_ARE],
    ['some of which have their key from a parent', AS_THEY_ARE, SOME_PARENTS],
  ])(`name the same instances on ${CASES} cases of seed ${SEED}, their events %s`, (_what, points, parents) => {
    let [conforming, failing, numbered, left, adopted] = [0, 0, 0, 0, 0];
    fc.assert(
      fc.property(arbitraryCase(), points, parents, ({ contract, events }, shown, picks) => {
        const trace: Trace = { events: seenAt(withParents(events, picks), shown), begun: true, ended: true };
        const findings = stream(contract, trace);
        // Whose a reply is that names nothing, while calls of several instances are open, only the whole checker asks.
        if (findings.unable?.startsWith('a reply names neither') === true) {
          left++;
          return;
        }
        expect(findings.unable).toBeNull();
        if (isLeftToWhole(findings)) {
          adopted++;
          return;
        }
        const expected = whole(contract, trace);
        expect(namesOf(contract, settled(contract, findings, expected.failing))).toEqual(expected.failing);
        if (findings.failing.length === 0) expect(findings.conforming).toBe(expected.conforming);
        expect(inWords(stream(contract, trace, { unusedMax: -Infinity }))).toEqual(inWords(findings));
        const byNumbers = streamNumbered(contract, trace);
        if (byNumbers !== null) {
          numbered++;
          expect(inWords(streamNumbered(contract, trace, { unusedMax: -Infinity }))).toEqual(inWords(byNumbers));
          expect(byNumbers.unable).toBeNull();
          expect(namesOf(contract, settled(contract, byNumbers, expected.failing))).toEqual(expected.failing);
          if (byNumbers.failing.length === 0) expect(byNumbers.conforming).toBe(expected.conforming);
        }
        conforming += findings.failing.length === 0 ? 1 : 0;
        failing += expected.failing.length;
      }),
      { seed: SEED, numRuns: CASES },
    );
    expect(Math.min(conforming, failing, numbered)).toBeGreaterThan(CASES / 10);
    expect(Math.max(left, adopted)).toBeLessThan(CASES / 10);
  });

  test.each(readTranscripts())('agree on every trace of testdata/$file', ({ file, cases }) => {
    expect(cases).not.toHaveLength(0);
    for (const { contract, trace, line } of cases) {
      const options = { begun: trace.begun, hasParents: hasParents(trace.events) };
      const checker = StreamChecker.for(machineOf(contract, TERMS_MAX), options);
      if (checker === null) continue;
      for (const { event } of trace.events) checker.push(event);
      const found = checker.finish();
      if (found.unable !== null || isLeftToWhole(found)) continue;
      const expected = whole(contract, trace);
      const findings = settled(contract, found, expected.failing);
      const isKeyed = contract.key.length > 0;
      const names = isKeyed ? namesOf(contract, findings) : findings.failing.map(() => 'failing');
      const wanted = isKeyed ? expected.failing : expected.failing.map(() => 'failing');
      expect([`${file}:${line}`, names]).toEqual([`${file}:${line}`, wanted]);
      const byNumbers = streamNumbered(contract, trace);
      if (byNumbers === null || byNumbers.unable !== null) continue;
      const numbered = settled(contract, byNumbers, expected.failing);
      const numberedNames = isKeyed ? namesOf(contract, numbered) : numbered.failing.map(() => 'failing');
      expect([`${file}:${line} by numbers`, numberedNames]).toEqual([`${file}:${line} by numbers`, wanted]);
    }
  });
});

describe('names that come again', () => {
  const [diagram] = readDocument('sequenceDiagram\nClient->>Shop: order\nShop-->>Client: 200\n', 'shop.mmd').value;
  const binding = readBinding('instance: [order]\nparameters:\n  order: shop.order\n', 'shop.bindings.yaml').value;
  if (diagram === undefined) throw new Error('the drawing of a test is not read');
  const contract = compileContract(diagram, binding).value;

  /** An order that is placed and answered, once for each of the names. */
  function judge(names: readonly string[], finishedMax: number, unusedMax = 1): StreamFindings {
    const options = { begun: true, hasParents: false, hasReplyTo: true, finishedMax, unusedMax };
    const checker = StreamChecker.for(machineOf(contract, TERMS_MAX), options);
    if (checker === null) throw new Error('this contract should be streamable');
    names.forEach((name, index) => {
      const attributes = { 'shop.order': name };
      const id = `c${index}`;
      checker.push({ seq: 2 * index + 1, from: 'Client', to: 'Shop', kind: 'call', label: 'order', id, attributes });
      const reply = { from: 'Shop', to: 'Client', kind: 'reply', label: '200', replyTo: id, status: 200 } as const;
      checker.push({ seq: 2 * index + 2, ...reply, attributes });
    });
    return checker.finish();
  }

  const many = Array.from({ length: 1_000 }, (_, index) => `order-${index % 7}-${index % 3}`);

  test.each([0, 1, 2, 5, 100])('are each a run, also where %i instances that are over are kept', (finishedMax) => {
    const { conforming, failing, finished, unable } = judge(many, finishedMax);
    expect([conforming, failing, unable]).toEqual([many.length, [], null]);
    const names = finished.listed.map(({ name }) => name);
    expect(names.toSorted()).toEqual(many.toSorted());
  });

  test('are counted on where they are kept, however often they come', () => {
    const { finished } = judge(
      Array.from({ length: 600 }, () => 'order-1'),
      1_000,
    );
    expect(finished.listed.map(({ run }) => run)).toEqual(Array.from({ length: 600 }, (_, index) => index + 1));
  });
});

interface TranscriptCase {
  readonly contract: Contract;
  readonly trace: Trace;
  readonly line: number;
}

/** The drawings and traces of the transcripts, read once more. */
function readTranscripts(): readonly { readonly file: string; readonly cases: readonly TranscriptCase[] }[] {
  return readdirSync(join(import.meta.dirname, '../testdata')).map((name) => {
    const stanzas = readFileSync(join(import.meta.dirname, '../testdata', name), 'utf8').split(/\n\n+/);
    const cases: TranscriptCase[] = [];
    let [drawing, file, binding, line] = ['', '', '', 1];
    for (const stanza of stanzas) {
      const body = stanza.split('\n').filter((text) => !text.startsWith('#'));
      const [command = '', ...rest] = body;
      const input = rest.slice(0, rest.indexOf('----')).join('\n');
      if (command === 'draw') [drawing, file, binding] = [`sequenceDiagram\n${input}\n`, 'drawing.mmd', ''];
      if (command === 'draw art') [drawing, file, binding] = [`${input}\n`, 'drawing.txt', ''];
      if (command === 'bind') binding = input;
      if (command.startsWith('check'))
        cases.push(...caseOf(readDocument(drawing, file).value, binding, command, input, line));
      line += stanza.split('\n').length + 1;
    }
    return { file: name, cases };
  });
}

function caseOf(
  [diagram]: readonly Diagram[],
  binding: string,
  command: string,
  input: string,
  line: number,
): TranscriptCase[] {
  const order = /order=(strict|lifeline|causal)/.exec(command)?.[1] as Contract['order'] | undefined;
  if (diagram === undefined) return [];
  const bindings = binding === '' ? [] : readBinding(binding, 'drawing.bindings.yaml').value;
  const contract = compileContract(diagram, bindings, order === undefined ? {} : { order }).value;
  return [{ contract, trace: readShorthand(input), line }];
}
