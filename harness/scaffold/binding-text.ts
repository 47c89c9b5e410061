import { compileContract, readBinding } from '../contract/index.ts';
import { hasErrors, printable } from '../diagnostics/index.ts';
import type { Diagram } from '../diagram/index.ts';
import type { Trace } from '../trace/index.ts';
import { textOf } from './patterns.ts';
import {
  entriesOf,
  proposeSteps,
  scaffold,
  type Entry,
  type Proposal,
  type Relayed,
  type Scaffold,
} from './scaffold.ts';
import { comment, scalar } from './yaml-text.ts';

export interface BindingTextOptions {
  /** The document holds several diagrams: each binding says which one it is for. */
  readonly isOneOfSeveral: boolean;
}

/** A first binding file as text, and how many arrows it leaves open. */
export interface BindingText {
  readonly text: string;
  readonly arrows: number;
  /** Arrows for which the trace holds events, by what is drawn and what is written. */
  readonly matched: number;
  /** Lines of the arrows that nobody could tell. */
  readonly open: readonly number[];
  /** Lines of replies that no event is, as they are drawn: their status did not occur, or their call did not. */
  readonly unseen: readonly number[];
}

/**
 * Writes a first binding for a diagram: what is sure as entries, what is only likely as comments. What it writes is read without
 * an error; an entry that would not be is made a comment.
 */
export function firstBinding(
  diagram: Diagram,
  trace: Trace,
  options: BindingTextOptions = { isOneOfSeveral: false },
): BindingText {
  if (diagram.dialect === 'steps') return firstStepsBinding(diagram, trace, options);
  const made = scaffold(diagram, trace);
  const open = made.proposals.filter(({ arrow }) => !made.matched.includes(arrow.index));
  let entries = entriesOf(made.contract, made.proposals);
  for (;;) {
    const text = textFor(diagram, made, entries, options);
    const wrong = wrongLines(diagram, text);
    const kept = entries.filter((entry) => !wrong.some((line) => lineOfEntry(text, entry) === line));
    if (wrong.length === 0 || kept.length === entries.length)
      return {
        text,
        arrows: made.contract.drawn.length,
        matched: made.matched.length,
        open: open.map(({ arrow }) => arrow.line),
        unseen: made.contract.drawn
          .filter(({ index }) => !made.matched.includes(index) && open.every(({ arrow }) => arrow.index !== index))
          .map(({ line }) => line),
      };
    entries = kept;
  }
}

const FILE = 'first.bindings.yaml';

/** Lines of the text that reading or compiling complains of. */
function wrongLines(diagram: Diagram, text: string): readonly number[] {
  const read = readBinding(text, FILE);
  const diagnostics = hasErrors(read.diagnostics) ? read.diagnostics : compileContract(diagram, read.value).diagnostics;
  return diagnostics.filter(({ file, severity }) => file === FILE && severity === 'error').map(({ line }) => line);
}

const lineOfEntry = (text: string, { address }: Entry): number =>
  text.split('\n').findIndex((line) => line.startsWith(`  ${scalar(address)}:`)) + 1;

function textFor(
  diagram: Diagram,
  made: Scaffold,
  entries: readonly Entry[],
  { isOneOfSeveral }: BindingTextOptions,
): string {
  const told = new Set(entries.flatMap(({ proposals }) => proposals.map(({ arrow }) => arrow.index)));
  const open = made.proposals.filter(({ arrow }) => !told.has(arrow.index));
  return [
    ...head(diagram),
    ...(isOneOfSeveral ? [`diagram: ${scalar(diagram.name)}`] : []),
    ...bodyLines(made, entries, open),
    '',
  ].join('\n');
}

/** The lines of a binding, without its head. */
export const bodyLines = (made: Scaffold, entries: readonly Entry[], open: readonly Proposal[]): readonly string[] => [
  ...parameterLines(made),
  ...participantLines(made),
  ...section('messages', entries.flatMap(entryLines), open.flatMap(openLines)),
];

const head = (diagram: Diagram): readonly string[] => [
  comment(`A first binding for ${diagram.name}, guessed from a trace: read it before you rely on it.`),
  comment('What seems sure stands here; what is only likely stands in comments. docs/bindings.md explains each key.'),
];

/** A key without content would be no map: then all of it is a comment. */
function section(key: string, entries: readonly string[], comments: readonly string[]): readonly string[] {
  if (entries.length > 0) return [`${key}:`, ...entries, ...comments];
  return comments.length > 0 ? [`# ${key}:`, ...comments] : [];
}

function parameterLines({ parameters: { parameters, instance, others } }: Scaffold): readonly string[] {
  const lines = parameters.flatMap(({ name, from, example, values }) => {
    const count = comment(`${values} value${values === 1 ? '' : 's'} in the trace`);
    if (example === null) return [`  ${scalar(name)}: ${scalar(from)} ${count}`];
    return [`  ${scalar(name)}: ${count}`, `    example: ${scalar(example)}`, `    from: ${scalar(from)}`];
  });
  const [only, ...outer] = instance.map(scalar);
  const key = only === undefined ? [] : [`instance: ${outer.length === 0 ? only : `[${[only, ...outer].join(', ')}]`}`];
  const rest = others.length === 0 ? [] : [comment(`could name an instance as well: ${others.join(', ')}`)];
  return [...section('parameters', lines, []), ...key, ...rest];
}

const REASONS = {
  same: '',
  alike: 'names are alike',
  messages: 'messages are alike',
  traffic: 'by who talks to whom',
  unsure: '',
} as const;

function participantLines({ contract, namesakes }: Scaffold): readonly string[] {
  const labelOf = (lifeline: number): string => contract.lifelines[lifeline]?.label ?? '';
  const sure = namesakes
    .filter(({ name, why }) => name !== null && why !== 'same')
    .map(({ lifeline, name, why }) => `  ${scalar(labelOf(lifeline))}: ${scalar(name ?? '')} ${comment(REASONS[why])}`);
  const unsure = namesakes
    .filter(({ name }) => name === null)
    .map(({ lifeline, others }) =>
      comment(
        others.length === 0
          ? `${scalar(labelOf(lifeline))}: nothing in the trace is like it`
          : `${scalar(labelOf(lifeline))}: ${others.map(scalar).join(' or ')}?`,
        2,
      ),
    );
  return section('participants', sure, unsure);
}

function entryLines({ address, entry, proposals }: Entry): readonly string[] {
  const key = scalar(address);
  const about = comment(aboutEntry(proposals));
  const detail = ({ via, match, link }: Relayed, indent: string): string[] =>
    [['via', via] as const, ['match', match] as const, ...(link === undefined ? [] : [['link', link] as const])].map(
      ([name, text]) => `${indent}${name}: ${scalar(text)}`,
    );
  if (typeof entry === 'string') return [`  ${key}: ${scalar(entry)} ${about}`];
  if (!isList(entry)) return [`  ${key}: ${about}`, ...detail(entry, '    ')];
  return [
    `  ${key}: ${about}`,
    ...entry.flatMap((value) => {
      if (typeof value === 'string') return [`    - ${scalar(value)}`];
      const [first = '', ...rest] = detail(value, '');
      return [`    - ${first}`, ...rest.map((line) => `      ${line}`)];
    }),
  ];
}

const isList = (entry: Entry['entry']): entry is Extract<Entry['entry'], readonly unknown[]> => Array.isArray(entry);

function aboutEntry(proposals: readonly Proposal[]): string {
  const lines = proposals.map(({ arrow }) => arrow.line).join(', ');
  const events = new Set(proposals.flatMap(({ candidates }) => candidates[0]?.one.events ?? [])).size;
  return `line ${lines}: ${events} event${events === 1 ? '' : 's'}`;
}

const CANDIDATES_MAX = 3;

/** What an open arrow could be, as lines to uncomment. */
function openLines({ arrow, candidates, patterns }: Proposal): readonly string[] {
  const ends = `${arrow.from} ${arrow.style === 'dashed' ? '-->' : '->'} ${arrow.to}`;
  const name = arrow.text.trim() === '' ? ends : arrow.text.trim();
  const between = `line ${arrow.line}, ${ends}`;
  if (candidates.length === 0)
    return [
      comment(`${between}: no event passes there that no arrow takes; absent, or unobservable?`, 2),
      comment(`${scalar(name)}: { unobservable: why }`, 2),
    ];
  return [
    comment(`${between}: which of these?`, 2),
    ...candidates.slice(0, CANDIDATES_MAX).map(({ one, via, likeness }, index) => {
      const pattern = scalar(patterns[index] ?? '');
      const value =
        via === null
          ? pattern
          : `{ via: ${scalar(via.relay)}, link: ${scalar(via.link)}, match: ${quoted(patterns[index] ?? '')} }`;
      return comment(
        `${scalar(name)}: ${value} # ${one.events.length} × ${textOf(one)}, likeness ${likeness.toFixed(2)}`,
        2,
      );
    }),
  ];
}

const quoted = (text: string): string => JSON.stringify(text);

/** Every step must say something: what is not known is said to be unobservable, so it can never be green. */
function firstStepsBinding(diagram: Diagram, trace: Trace, { isOneOfSeveral }: BindingTextOptions): BindingText {
  const steps = proposeSteps(diagram, trace);
  const lines = steps.flatMap(({ step, candidates, patterns }) => [
    comment(printable(step.text), 2),
    ...candidates.map(({ from, to, kind, events }, index) =>
      comment(
        `- ${scalar(`${from} ${kind === 'call' ? '->' : '-x'} ${to}`)}: ${scalar(patterns[index] ?? '')} # ${events.length} events`,
        2,
      ),
    ),
    `  ${step.number}: { unobservable: not bound yet }`,
  ]);
  const text = [
    ...head(diagram),
    ...(isOneOfSeveral ? [`diagram: ${scalar(diagram.name)}`] : []),
    ...section('steps', lines, []),
    '',
  ].join('\n');
  return { text, arrows: steps.length, matched: 0, open: steps.map(({ step }) => step.at.line), unseen: [] };
}
