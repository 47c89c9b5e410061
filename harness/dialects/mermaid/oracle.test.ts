import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { type Diagram, type Message, walkDiagram, wholeFile } from '../../diagram/index.ts';
import { hasErrors } from '../../diagnostics/index.ts';
import { readMermaid } from './index.ts';

/**
 * What Mermaid 11.17.2 says of some five hundred small texts (`testdata/probes.jsonl`: input, accepted or not, participants,
 * records). Every difference is by one of the rules below; a new one fails.
 */
interface Probe {
  readonly name: string;
  readonly input: string;
  readonly ok: boolean;
  readonly actors?: readonly { readonly id: string; readonly description: string; readonly type: string }[];
  readonly messages?: readonly RecordOfMermaid[];
}
interface RecordOfMermaid {
  readonly n: string;
  readonly from?: string;
  readonly to?: string;
  readonly msg?: unknown;
}

/** A record as both sides are compared: name, ends and text; or name and label of a block. */
type Comparable = readonly (string | null)[];
type Rule = (record: Comparable) => readonly Comparable[];

/** How we read on purpose otherwise than Mermaid's records say, and which probes show it. */
const DEVIATIONS: readonly { readonly why: string; readonly rule: Rule; readonly probes: readonly string[] }[] = [
  {
    why: 'both ways: two messages in either order, as two operands of a par',
    rule: (record) => {
      const [name, from, to, text] = record;
      if (name?.startsWith('BIDIRECTIONAL_') !== true) return [record];
      const plain = name.slice('BIDIRECTIONAL_'.length);
      const there = [plain, from ?? null, to ?? null, text ?? null];
      const back = [plain, to ?? null, from ?? null, text ?? null];
      return [['PAR_START', ''], there, ['PAR_AND', ''], back, ['PAR_END', '']];
    },
    probes: ['arrow <<-->>'],
  },
  {
    why: 'a reversed half arrow goes from right to left',
    rule: (record) => {
      const [name, from, to, text] = record;
      if (name?.includes('_REVERSE') !== true) return [record];
      const forward = name.replace('_ARROW', '').replace('_REVERSE', '');
      return [[forward, to ?? null, from ?? null, text ?? null]];
    },
    probes: ['arrow /|-', 'arrow //-', 'arrow //--', 'arrow \\\\--'],
  },
  {
    why: 'entity codes are what a reader sees',
    rule: (record) => [
      record.map((part) => part?.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))) ?? null),
    ],
    probes: ['text with #35;', 'text with #word; accidental'],
  },
];

const probes = readFileSync(new URL('testdata/probes.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Probe);

const read = (probe: Probe) => readMermaid(probe.input, wholeFile('probe.mmd', 'probe'));

test('the probes are there', () => {
  expect(probes.length).toBeGreaterThan(450);
});

test('every text that Mermaid accepts is accepted, and every text that it refuses is an error', () => {
  const unlike = probes.filter((probe) => hasErrors(read(probe).diagnostics) === probe.ok);
  console.info(`acceptance: ${probes.length - unlike.length} of ${probes.length} probes as Mermaid 11.17.2`);
  expect(unlike.map(({ name }) => name)).toEqual([]);
});

test('participants, messages, blocks, notes and activations are those of Mermaid, but for the stated deviations', () => {
  const accepted = probes.filter(({ ok }) => ok);
  const all = DEVIATIONS.map(({ rule }) => rule);
  const unlike = accepted.filter((probe) => differs(probe, all));
  console.info(`content: ${accepted.length - unlike.length} of ${accepted.length} accepted probes as Mermaid 11.17.2`);
  expect(unlike.map(({ name }) => name)).toEqual([]);
});

test.each(DEVIATIONS)('the deviation "$why" shows in just the probes that state it', ({ rule, probes: stated }) => {
  const others = DEVIATIONS.filter((deviation) => deviation.rule !== rule).map((deviation) => deviation.rule);
  const unlike = probes.filter((probe) => probe.ok && differs(probe, others));
  expect(unlike.map(({ name }) => name)).toEqual(stated);
});

function differs(probe: Probe, rules: readonly Rule[]): boolean {
  return JSON.stringify(ours(read(probe).value)) !== JSON.stringify(theirs(probe, rules));
}

interface Content {
  readonly participants: readonly Comparable[];
  readonly records: readonly Comparable[];
  readonly notes: readonly Comparable[];
  readonly bars: readonly Comparable[];
}

function theirs({ actors = [], messages = [] }: Probe, rules: readonly Rule[]): Content {
  const apply = (records: readonly Comparable[]): readonly Comparable[] =>
    rules.reduce((changed, rule) => changed.flatMap(rule), records);
  const ends = ({ n, from, to, msg }: RecordOfMermaid): Comparable => [n, from ?? null, to ?? null, String(msg)];
  const block = ({ n, msg }: RecordOfMermaid): Comparable => [n, n.endsWith('_END') ? '' : String(msg)];
  const isBar = ({ n }: RecordOfMermaid): boolean => n.startsWith('ACTIVE_');
  const other = messages.filter((record) => !isBar(record) && !/^(?:NOTE|AUTONUMBER|CENTRAL)/.test(record.n));
  return {
    participants: apply(actors.map(({ id, description, type }) => [id, description, type])),
    records: apply(other.map((record) => (record.from === undefined ? block(record) : ends(record)))),
    notes: apply(messages.filter(({ n }) => n === 'NOTE').map(ends)),
    bars: messages.filter(isBar).map(({ n, from }) => [n, from ?? null]),
  };
}

function ours(diagram: Diagram): Content {
  return {
    participants: diagram.participants.map(({ id, label, kind }) => [id, label, kind]),
    records: [...recordsOf(diagram)],
    notes: diagram.notes.map(({ participants, text }) => [
      'NOTE',
      participants[0] ?? null,
      participants.at(-1) ?? null,
      text,
    ]),
    bars: diagram.activations.map(({ participant, on }) => [on ? 'ACTIVE_START' : 'ACTIVE_END', participant]),
  };
}

const DIVIDERS: Readonly<Record<string, string>> = {
  alt: 'ALT_ELSE',
  par: 'PAR_AND',
  par_over: 'PAR_AND',
  critical: 'CRITICAL_OPTION',
};

function* recordsOf(diagram: Diagram): Generator<Comparable> {
  for (const event of walkDiagram(diagram)) {
    if (event.kind === 'message') {
      yield [nameOf(event.message), event.message.from, event.message.to, event.message.text];
    } else if (event.kind === 'operand') {
      const kind = diagram.fragments[event.inside.fragment]!.kind;
      yield [event.index === 0 ? `${kind.toUpperCase()}_START` : DIVIDERS[kind]!, event.operand.guard];
    } else if (event.kind === 'leave') {
      yield [`${event.fragment.kind.toUpperCase().replace('PAR_OVER', 'PAR')}_END`, ''];
    }
  }
}

function nameOf({ line, head }: Message): string {
  const stem = line === 'solid' ? 'SOLID' : 'DOTTED';
  switch (head) {
    case 'arrow':
      return stem;
    case 'none':
      return `${stem}_OPEN`;
    case 'cross':
      return `${stem}_CROSS`;
    case 'open':
      return `${stem}_POINT`;
    case 'half-top':
    case 'half-bottom':
    case 'stick-top':
    case 'stick-bottom': {
      const [shape, side] = head.toUpperCase().split('-');
      return `${shape === 'HALF' ? 'SOLID' : 'STICK'}_${side ?? ''}${line === 'solid' ? '' : '_DOTTED'}`;
    }
  }
}
