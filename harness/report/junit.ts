import type { InstanceVerdict, Outcome, SpecVerdict } from '../verdict/index.ts';
import { alignmentWords, type AlignmentWords } from './alignment-words.ts';
import { shortened } from './long-text.ts';
import {
  arrowCounts,
  coverageGate,
  failingInstances,
  instanceName,
  instancesLine,
  OUTCOME_MEANING,
  specNames,
} from './summary.ts';
import type { ReportInput } from './types.ts';

/** Test cases of one spec; a run may have a hundred thousand instances, and CI servers keep every case. */
const CASES_MAX = 200;
/** Arrows that may come next, of one violation. */
const EXPECTED_MAX = 20;

interface Case {
  readonly suite: string;
  readonly name: string;
  readonly outcome: Outcome;
  readonly message: string;
  readonly body: string;
}

/**
 * JUnit XML as CI servers read it: a suite for each spec, a case for the spec as a whole and one for each instance.
 * Everything but `conforms` is a failure, whose type names the outcome: CI is red exactly when the exit code is not 0.
 */
export function renderJunit({ run }: ReportInput): string {
  const names = specNames(run.specs);
  const suites = run.specs.map((spec, index) => {
    const name = names[index] ?? spec.spec.name;
    return { name, cases: casesOf(spec, name), note: noteOf(spec) };
  });
  const gate = coverageGate(run);
  const covered = gate === null ? [] : [{ name: 'coverage', cases: [coverageCase(gate)], note: '' }];
  // An empty run is vacuous, which must be red too, so it gets a case of its own.
  const all =
    suites.length > 0 ? [...suites, ...covered] : [{ name: 'asdrawn', cases: [emptyRunCase(run.outcome)], note: '' }];
  const cases = all.flatMap((suite) => suite.cases);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="asdrawn"${totals(cases)}>`,
    ...all.flatMap(({ name, cases: own, note }) => [
      `  <testsuite name="${xml(name)}"${totals(own)}>`,
      ...own.flatMap(caseLines),
      ...(note === '' ? [] : [`    <system-out>${xml(note)}</system-out>`]),
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n');
}

const isFailure = ({ outcome }: Case): boolean => outcome !== 'conforms';

const totals = (cases: readonly Case[]): string =>
  ` tests="${cases.length}" failures="${cases.filter(isFailure).length}" errors="0" skipped="0"`;

function casesOf(spec: SpecVerdict, suite: string): readonly Case[] {
  const whole: Case = {
    suite,
    name: 'as drawn',
    outcome: spec.outcome,
    message: shortened(spec.reason ?? OUTCOME_MEANING[spec.outcome]),
    body: `${spec.spec.file}\n${instancesLine(spec)}`,
  };
  return [whole, ...shownInstances(spec).map((instance) => caseOf(suite, spec, instance))];
}

/** The ones that fail first, so that a bound hides only green ones for as long as it can. */
const shownInstances = (spec: SpecVerdict): readonly InstanceVerdict[] =>
  [...failingInstances(spec), ...spec.instances.filter(({ outcome }) => outcome === 'conforms')].slice(0, CASES_MAX);

function caseOf(suite: string, spec: SpecVerdict, instance: InstanceVerdict): Case {
  const [first] = instance.violations;
  return {
    suite,
    name: shortened(instanceName(instance)),
    outcome: instance.outcome,
    message: shortened(first?.text ?? instance.reason ?? OUTCOME_MEANING[instance.outcome]),
    body: bodyOf(spec, instance),
  };
}

function bodyOf(spec: SpecVerdict, { violations, expected, alignment }: InstanceVerdict): string {
  const places = (indexes: readonly number[]): string => {
    const arrows = indexes.flatMap((index) => spec.arrows[index] ?? []);
    const named = arrows.slice(0, EXPECTED_MAX).map(({ file, line, text }) => `${file}:${line} ${shortened(text)}`);
    const more = arrows.length > EXPECTED_MAX ? [`and ${arrows.length - EXPECTED_MAX} more`] : [];
    return [...named, ...more].join('\n          ');
  };
  const told = violations.map(({ kind, text, event, expected: enabled }) =>
    [
      `${kind}: ${shortened(text)}`,
      ...(event === null
        ? []
        : [`event:    ${event.source}:${event.line} ${event.from} -> ${event.to}: ${shortened(event.label)}`]),
      ...(enabled.length === 0 ? [] : [`expected: ${places(enabled)}`]),
    ].join('\n'),
  );
  const edits = alignment === undefined ? [] : [alignmentText(alignmentWords(spec, alignment))];
  // What came is as drawn: then it says what may come next.
  const next = told.length > 0 || expected.length === 0 ? [] : [`expected: ${places(expected)}`];
  return [...told, ...next, ...edits].join('\n\n');
}

const alignmentText = ({ head, sentences }: AlignmentWords): string =>
  [`cheapest way to align: ${head}`, ...sentences.map((sentence) => `  ${sentence}`)].join('\n');

function noteOf(spec: SpecVerdict): string {
  const left = spec.instances.length + (spec.unlisted ?? 0) - CASES_MAX;
  const bound = left > 0 ? [`${left} more instances have no case here.`] : [];
  return [
    arrowCounts(spec)
      .map(([word, count]) => `${word} ${count}`)
      .join(', '),
    ...spec.remarks.map((remark) => shortened(remark)),
    ...bound,
  ].join('\n');
}

const coverageCase = (message: string): Case => ({
  suite: 'coverage',
  name: 'enough was seen',
  outcome: 'violates',
  message,
  body: '',
});

const emptyRunCase = (outcome: Outcome): Case => ({
  suite: 'asdrawn',
  name: 'as drawn',
  outcome,
  message: 'no spec was checked',
  body: '',
});

function caseLines(testCase: Case): readonly string[] {
  const open = `    <testcase classname="${xml(testCase.suite)}" name="${xml(testCase.name)}"`;
  if (!isFailure(testCase)) return [`${open}/>`];
  const attributes = `type="${testCase.outcome}" message="${xml(testCase.message)}"`;
  return [`${open}>`, `      <failure ${attributes}>${xml(testCase.body)}</failure>`, '    </testcase>'];
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&apos;'],
  ['\n', '&#10;'],
  ['\r', '&#13;'],
  ['\t', '&#9;'],
]);

/** Escaped for text and attributes; what XML 1.0 cannot hold at all (section 2.2, Char) or a terminal would obey becomes `�`. */
const xml = (text: string): string =>
  text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]|[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/gu, '�')
    .replace(/[&<>"'\n\r\t]/g, (character) => ENTITIES.get(character) ?? character);
