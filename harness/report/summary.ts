import {
  isUncovered,
  neverSeen,
  type ArrowVerdict,
  type ChoiceCoverage,
  type FragmentCoverage,
  type InstanceVerdict,
  type Outcome,
  type QuotedEvent,
  type RunVerdict,
  type SpecVerdict,
  type ViolationKind,
} from '../verdict/index.ts';

/** What the reports say in words, so that they all say the same. Nothing here decides anything. */

export const OUTCOMES: readonly Outcome[] = ['violates', 'incomplete', 'inconclusive', 'vacuous', 'conforms'];

/** A glyph for each outcome and arrow, told apart without colour. */
export const OUTCOME_GLYPH: Readonly<Record<Outcome, string>> = {
  conforms: '✓',
  violates: '✗',
  incomplete: '?',
  inconclusive: '?',
  vacuous: '○',
};

export const OUTCOME_MEANING: Readonly<Record<Outcome, string>> = {
  conforms: 'everything happened as drawn',
  violates: 'something happened that the drawing does not allow, or did not happen although it is owed',
  incomplete: 'the trace may go on, and messages are missing',
  inconclusive: 'the trace does not prove that it happened as drawn, nor that it did not',
  vacuous: 'nothing of the drawing was seen, so nothing was checked',
};

export const ARROW_GLYPH: Readonly<Record<ArrowVerdict['status'], string>> = {
  conforms: '✓',
  violates: '✗',
  unseen: '○',
  absent: '⊘',
  unobservable: '?',
  standing: '∞',
};

export const ARROW_MEANING: Readonly<Record<ArrowVerdict['status'], string>> = {
  conforms: 'seen, as drawn',
  violates: 'violated',
  unseen: 'never seen',
  absent: 'never sent by this system',
  unobservable: 'cannot be seen in this trace',
  standing: 'holds from before the run',
};

export const VIOLATION_WORDS: Readonly<Record<ViolationKind, string>> = {
  'out-of-order': 'out of order',
  missing: 'missing',
  repeated: 'repeated',
  unexpected: 'not possible here',
  'wrong-status': 'wrong status',
  'not-drawn': 'not drawn',
  'no-such-connection': 'no such connection',
  'wrong-branch': 'wrong branch',
  'after-destruction': 'after destruction',
  'too-late': 'too late',
  forbidden: 'forbidden',
  'wrong-participant': 'wrong participant',
};

/** `1 instance`, `3 instances`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** `line 18`, or `line 18 of login.mmd` where that is not the spec's own file. */
export const placeName = (
  spec: SpecVerdict,
  { file, line }: { readonly file: string; readonly line: number },
): string => (file === spec.spec.file ? `line ${line}` : `line ${line} of ${file}`);

/** `API Server → etcd: write`; a step by its number and text. */
export function arrowName(arrow: ArrowVerdict): string {
  if (arrow.style === 'step') return arrow.text;
  const ends = `${arrow.from} ${arrow.style === 'dashed' ? '⇢' : '→'} ${arrow.to}`;
  return arrow.text === '' ? ends : `${ends}: ${arrow.text}`;
}

/** What breaks a rule about all traffic is told as an instance of its own, and is none. */
const STRAY_NAMES: Partial<Readonly<Record<ViolationKind, string>>> = {
  'not-drawn': 'traffic that the drawing does not have',
  'no-such-connection': 'traffic that the topology does not connect',
};

const strayName = ({ violations: [first] }: InstanceVerdict): string | undefined =>
  first === undefined ? undefined : STRAY_NAMES[first.kind];

/** `2 events taken`; of stray traffic how many are told. */
export const eventsTaken = (instance: InstanceVerdict): string =>
  strayName(instance) === undefined
    ? `${counted(instance.events, 'event')} taken`
    : counted(instance.violations.length, 'event');

/** `pod=web-1`, with the run where it is not the first; `run 1` for a contract without a key. */
export function instanceName(instance: InstanceVerdict): string {
  const { key, run } = instance;
  const stray = strayName(instance);
  if (stray !== undefined) return stray;
  const named = Object.entries(key).map(([name, value]) => `${name}=${value}`);
  return (run === 1 && named.length > 0 ? named : [...named, `run ${run}`]).join(' ');
}

/** The label, and the status where the label does not say it already. */
export function labelWithStatus({ label, status }: QuotedEvent): string {
  return status === undefined || label.includes(String(status)) ? label : `${label} (${status})`.trim();
}

/** `status 409`, `k8s.pod.name=web-1`: what tells an event from others, its ends apart. */
export function eventDetails(event: QuotedEvent): readonly string[] {
  const status = event.status === undefined ? [] : [`status ${event.status}`];
  const attributes = Object.entries(event.attributes ?? {}).map(([name, value]) => `${name}=${String(value)}`);
  return [...status, ...attributes];
}

/** How many of a spec's instances have each outcome, worst first; outcomes that do not occur are left out. */
export function outcomeCounts(
  items: readonly { readonly outcome: Outcome }[],
): readonly (readonly [Outcome, number])[] {
  return OUTCOMES.map((outcome) => [outcome, items.filter((item) => item.outcome === outcome).length] as const).filter(
    ([, count]) => count > 0,
  );
}

export const OUTCOME_VERB: Readonly<Record<Outcome, string>> = {
  conforms: 'conform',
  violates: 'violate',
  incomplete: 'incomplete',
  inconclusive: 'inconclusive',
  vacuous: 'vacuous',
};

/** `3 instances`, or with what became of them: `21 instances (2 violate, 19 conform)`. */
export function instancesLine(spec: SpecVerdict): string {
  const counts = withUnlisted(outcomeCounts(spec.instances), spec.unlisted ?? 0);
  const total = counted(spec.instances.length + (spec.unlisted ?? 0), 'instance');
  if (counts.length <= 1 && counts[0]?.[0] === spec.outcome) return total;
  return counts.length === 0
    ? total
    : `${total} (${counts.map(([outcome, count]) => `${count} ${OUTCOME_VERB[outcome]}`).join(', ')})`;
}

/** Runs that are not listed conform. */
function withUnlisted(
  counts: readonly (readonly [Outcome, number])[],
  unlisted: number,
): readonly (readonly [Outcome, number])[] {
  if (unlisted === 0) return counts;
  const listed = counts.find(([outcome]) => outcome === 'conforms')?.[1] ?? 0;
  return [...counts.filter(([outcome]) => outcome !== 'conforms'), ['conforms', listed + unlisted]];
}

/** What became of the drawn arrows, in words and numbers; rows of zero are left out, apart from the first two. */
export function arrowCounts(spec: SpecVerdict): readonly (readonly [string, number])[] {
  const having = (...statuses: readonly ArrowVerdict['status'][]): number =>
    spec.arrows.filter(({ status }) => statuses.includes(status)).length;
  const unseen = neverSeen(spec).length;
  const rows: readonly (readonly [string, number])[] = [
    ['drawn', spec.arrows.length],
    ['checked', having('conforms', 'violates', 'unseen') - unseen],
    ['absent', having('absent')],
    ['errata', spec.arrows.filter(({ erratum }) => erratum).length],
    ['unobservable', having('unobservable')],
    ['standing', having('standing')],
    ['never seen', unseen],
  ];
  return rows.filter(([, count], index) => index < 2 || count > 0);
}

const CHOICE_WORDS: Readonly<Record<Exclude<ChoiceCoverage['kind'], 'operand'>, string>> = {
  none: 'passed by',
  zero: 'no iteration',
  one: 'one iteration',
  many: 'several iterations',
};

/** `[found]`, or `operand 2` where it has no text; `passed by`, `no iteration`. */
export function choiceName({ kind, operand = 0, text = '' }: ChoiceCoverage): string {
  if (kind !== 'operand') return CHOICE_WORDS[kind];
  return text === '' ? `operand ${operand + 1}` : `[${text}]`;
}

/** What of the fragments was never seen, with the line and the kind of each. */
export function unseenChoices(spec: SpecVerdict): readonly string[] {
  return spec.coverage.fragments.flatMap((fragment) =>
    fragment.choices
      .filter(({ status }) => status === 'unseen')
      .map(
        (choice) =>
          `${placeName(spec, { ...fragment, line: choice.line ?? fragment.line })} ${fragment.kind}: ${choiceName(choice)}`,
      ),
  );
}

export const CHOICE_GLYPH: Readonly<Record<ChoiceCoverage['status'], string>> = {
  seen: ARROW_GLYPH.conforms,
  unseen: ARROW_GLYPH.unseen,
  'left-out': ARROW_GLYPH.unobservable,
};

/** Whether an operand, of those that could be, was never seen. */
export const isUnseen = (fragments: readonly FragmentCoverage[], index: number, operand: number): boolean =>
  fragments
    .find(({ fragment }) => fragment === index)
    ?.choices.some((choice) => choice.operand === operand && choice.status === 'unseen') === true;

/** Why a run is red although all is as drawn; null: it is not, or nothing was asked. */
export function coverageGate(run: RunVerdict): string | null {
  const { minCoverage } = run;
  if (minCoverage === undefined || !isUncovered(run)) return null;
  return `coverage ${minCoverage.reached} % is below --min-coverage ${minCoverage.percent} %`;
}

/** How a run is headed: what it came to; a gate that fails is never green. */
export const runHead = (run: RunVerdict): { readonly glyph: string; readonly word: string; readonly tone: Outcome } =>
  run.outcome === 'conforms' && isUncovered(run)
    ? { glyph: OUTCOME_GLYPH.violates, word: 'too little seen', tone: 'violates' }
    : { glyph: OUTCOME_GLYPH[run.outcome], word: run.outcome, tone: run.outcome };

/** What each spec is called beside the others: by its name; with its path where other files have the name as well. */
export function specNames(specs: readonly Pick<SpecVerdict, 'spec'>[]): readonly string[] {
  const files = new Map<string, Set<string>>();
  for (const { spec } of specs) files.set(spec.name, (files.get(spec.name) ?? new Set()).add(spec.file));
  return specs.map(({ spec: { name, file } }) => {
    if ((files.get(name)?.size ?? 0) < 2) return name;
    return file.endsWith(name) ? file : `${file}: ${name}`;
  });
}

/** Where drawing and system honestly differ: one row an arrow, in drawn order. */
export function notedArrows(spec: SpecVerdict): readonly { readonly word: string; readonly arrow: ArrowVerdict }[] {
  return spec.arrows.flatMap((arrow) => {
    if (arrow.erratum) return [{ word: 'erratum', arrow }];
    const isNoted = arrow.status === 'absent' || arrow.status === 'unobservable' || arrow.status === 'standing';
    return isNoted ? [{ word: arrow.status, arrow }] : [];
  });
}

/** Instances that do not conform, first the ones that violate. */
export function failingInstances(spec: SpecVerdict): readonly InstanceVerdict[] {
  return OUTCOMES.filter((outcome) => outcome !== 'conforms').flatMap((outcome) =>
    spec.instances.filter((instance) => instance.outcome === outcome),
  );
}

/** One sentence about the whole run. */
export function runSentence(run: RunVerdict): string {
  if (run.specs.length === 0) return 'no spec was checked';
  const parts = outcomeCounts(run.specs).map(([outcome, count]) => `${count} ${wordFor(outcome, count)}`);
  return `${counted(run.specs.length, 'spec')}: ${parts.join(', ')}`;
}

const wordFor = (outcome: Outcome, count: number): string => {
  if (outcome !== 'conforms' && outcome !== 'violates') return outcome;
  return count === 1 ? outcome : OUTCOME_VERB[outcome];
};

/** `half within 1.3 ms, 95 % within 8 ms, the slowest 90 ms`, where the trace shows both ends. */
export function latencyText({ latencyMs }: ArrowVerdict): readonly string[] {
  if (latencyMs === undefined) return [];
  const { p50, p95, max } = latencyMs;
  return [`half within ${milliseconds(p50)}, 95 % within ${milliseconds(p95)}, the slowest ${milliseconds(max)}`];
}

/** Three significant digits at most: `0.4 ms`, `1.25 ms`, `90 ms`. */
export const milliseconds = (value: number): string => `${Number(value.toPrecision(3))} ms`;
