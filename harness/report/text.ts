import { displayWidth, printable } from '../diagnostics/index.ts';
import {
  neverSeen,
  type ArrowVerdict,
  type Excerpt,
  type InstanceVerdict,
  type Outcome,
  type SpecVerdict,
  type Violation,
} from '../verdict/index.ts';
import { alignmentWords } from './alignment-words.ts';
import { shortened } from './long-text.ts';
import {
  arrowCounts,
  arrowName,
  counted,
  coverageGate,
  eventDetails,
  eventsTaken,
  failingInstances,
  instanceName,
  instancesLine,
  labelWithStatus,
  notedArrows,
  OUTCOME_GLYPH,
  OUTCOME_MEANING,
  placeName,
  runHead,
  runSentence,
  specNames,
  unseenChoices,
  VIOLATION_WORDS,
} from './summary.ts';
import type { ReportInput } from './types.ts';

/** Instances that are told in full; of the rest, only the names. */
const TOLD_MAX = 3;
const NAMED_MAX = 10;
const EXPECTED_MAX = 6;
const LATER_MAX = 5;
const UNMATCHED_MAX = 5;
const EDITS_SHOWN = 6;
const UNSEEN_MAX = 6;
const DETAILS_COLUMNS = 100;
/** Of characters. */
const LINE_MAX = 2_000;

/** A verdict for a terminal: one line a spec, then what went wrong, each with arrow, event and reason. */
export function renderText({ run, colour = false }: ReportInput): string {
  const paint = colour ? ansi : plain;
  const names = specNames(run.specs).map(printable);
  const nameColumns = Math.min(40, Math.max(0, ...names.map(displayWidth)));
  const lines = run.specs.flatMap((spec, index) => [
    headLine(spec, padded(names[index] ?? '', nameColumns), paint),
    ...indent(2, [...notes(spec), ...remarks(spec), ...coverage(spec)]),
    ...indent(2, failures(spec, paint)),
    ...(spec.outcome !== 'conforms' && index < run.specs.length - 1 ? [''] : []),
  ]);
  const gate = coverageGate(run);
  const { glyph, word, tone } = runHead(run);
  const last = `${paint(tone, `${glyph} ${word}`)}: ${runSentence(run)}${gate === null ? '' : `, ${run.outcome === 'conforms' ? 'but' : 'and'} ${gate}`} (exit code ${run.exitCode})`;
  const replay = run.replay === undefined ? [] : [`replay: ${printable(run.replay)}`];
  return [...lines, ...(lines.length > 0 ? [''] : []), last, ...replay]
    .map((line) => `${shortened(line, LINE_MAX).trimEnd()}\n`)
    .join('');
}

type Paint = (outcome: Outcome, text: string) => string;

const plain: Paint = (_outcome, text) => text;

const ANSI: Readonly<Record<Outcome, string>> = {
  conforms: '32',
  violates: '31',
  incomplete: '33',
  inconclusive: '33',
  vacuous: '35',
};
const ansi: Paint = (outcome, text) => `\u001b[${ANSI[outcome]}m${text}\u001b[39m`;

function headLine(spec: SpecVerdict, name: string, paint: Paint): string {
  // Logs without a common clock conform if they can have been a run: said where it is read first.
  const qualified = spec.outcome === 'conforms' && spec.reason !== undefined ? ` (${printable(spec.reason)})` : '';
  const outcome = paint(spec.outcome, `${OUTCOME_GLYPH[spec.outcome]} ${`${spec.outcome}${qualified}`.padEnd(12)}`);
  const counts = arrowCounts(spec)
    .map(([word, count]) => `${word} ${count}${word === 'never seen' ? unseenLines(spec) : ''}`)
    .join(' · ');
  return `${outcome} ${name}   ${instancesLine(spec)}   ${counts}`;
}

function unseenLines(spec: SpecVerdict): string {
  const unseen = neverSeen(spec);
  const lines = unseen.filter(({ file }) => file === spec.spec.file).map(({ line }) => line);
  const own = lines.length === 0 ? [] : [`${lines.length === 1 ? 'line' : 'lines'} ${ranges(lines)}`];
  const others = [...new Set(unseen.map(({ file }) => file))].filter((file) => file !== spec.spec.file);
  const words = [...own, ...(others.length === 0 ? [] : [`in ${others.map(printable).join(', ')}`])];
  return words.length === 0 ? '' : ` (${words.join('; ')})`;
}

/** `3, 5-7`: consecutive lines joined. */
function ranges(lines: readonly number[]): string {
  const out: { first: number; last: number }[] = [];
  for (const line of [...new Set(lines)].sort((a, b) => a - b)) {
    const open = out.at(-1);
    if (open?.last === line - 1) open.last = line;
    else out.push({ first: line, last: line });
  }
  return out.map(({ first, last }) => (first === last ? String(first) : `${first}-${last}`)).join(', ');
}

function notes(spec: SpecVerdict): readonly string[] {
  const rows = notedArrows(spec);
  const names = rows.map(({ arrow }) => cut(printable(arrow.text === '' ? arrowName(arrow) : arrow.text), 40));
  const columns = Math.max(0, ...names.map(displayWidth));
  return rows.map(
    ({ word, arrow }, index) =>
      `${word.padEnd(12)} ${placeName(spec, arrow).padEnd(9)} ${padded(names[index] ?? '', columns)}   ${printable(arrow.reason ?? '')}`,
  );
}

const remarks = (spec: SpecVerdict): readonly string[] => spec.remarks.map((remark) => `note: ${printable(remark)}`);

/** What of the fragments was never seen, where anything of the drawing was. */
function coverage(spec: SpecVerdict): readonly string[] {
  const unseen = unseenChoices(spec);
  if (unseen.length === 0 || spec.outcome === 'vacuous') return [];
  const { seen, possible, percent } = spec.coverage;
  const named = unseen.slice(0, UNSEEN_MAX).map((name) => cut(printable(name), 60));
  const more = unseen.length > UNSEEN_MAX ? `, and ${unseen.length - UNSEEN_MAX} more` : '';
  return [`coverage: ${percent} % (${seen} of ${possible}), never seen: ${named.join(', ')}${more}`];
}

function failures(spec: SpecVerdict, paint: Paint): readonly string[] {
  if (spec.outcome === 'conforms') return [];
  const failing = failingInstances(spec);
  const told = failing.slice(0, TOLD_MAX).flatMap((instance) => ['', ...failure(spec, instance, paint)]);
  const rest = failing.slice(TOLD_MAX);
  const why =
    failing.length > 0 ? [] : ['', `${spec.outcome}: ${printable(spec.reason ?? OUTCOME_MEANING[spec.outcome])}`];
  return [...why, ...told, ...restLine(rest), ...unmatched(spec)];
}

function restLine(rest: readonly InstanceVerdict[]): readonly string[] {
  if (rest.length === 0) return [];
  const names = rest.slice(0, NAMED_MAX).map((instance) => printable(instanceName(instance)));
  const more = rest.length > NAMED_MAX ? `, and ${rest.length - NAMED_MAX} more` : '';
  return ['', `and ${counted(rest.length, 'more instance')} not as drawn: ${names.join(', ')}${more}`];
}

function unmatched(spec: SpecVerdict): readonly string[] {
  if (spec.unmatched.length === 0) return [];
  const rows = spec.unmatched
    .slice(0, UNMATCHED_MAX)
    .map(
      ({ from, to, label, events }) => `  ${String(events).padStart(6)} × ${printable(`${from} → ${to}: ${label}`)}`,
    );
  return ['', 'traffic between drawn participants that no arrow takes:', ...rows];
}

function failure(spec: SpecVerdict, instance: InstanceVerdict, paint: Paint): readonly string[] {
  const [first, ...later] = instance.violations;
  const outcome = paint(instance.outcome, `${OUTCOME_GLYPH[instance.outcome]} ${instance.outcome}`);
  const kind = first === undefined ? '' : ` (${VIOLATION_WORDS[first.kind]})`;
  const head = `${outcome}${kind}  ${printable(instanceName(instance))}  ${eventsTaken(instance)}`;
  const body =
    first === undefined
      ? [printable(instance.reason ?? OUTCOME_MEANING[instance.outcome]), ...expectedLines(spec, instance.expected)]
      : violationLines(spec, first);
  return [
    head,
    ...indent(2, body),
    ...indent(2, laterLines(later)),
    ...indent(2, alignmentLines(spec, instance)),
    ...indent(2, excerptLines(spec, instance.excerpt)),
  ];
}

function violationLines(spec: SpecVerdict, violation: Violation): readonly string[] {
  const arrow = arrowAt(spec, violation.arrow);
  const { event } = violation;
  return [
    ...(arrow === undefined ? [] : [`arrow     ${placed(arrow)}`]),
    ...(event === null
      ? []
      : [
          `event     ${printable(`${event.source}:${event.line}  seq ${event.seq}  ${event.from} → ${event.to}  ${event.kind}  ${event.label}`)}`,
          ...wrap(eventDetails(event).map(printable), '   ', DETAILS_COLUMNS).map((line) => `          ${line}`),
        ]),
    ...expectedLines(spec, violation.expected),
    `because   ${printable(violation.text)}`,
  ];
}

function expectedLines(spec: SpecVerdict, expected: readonly number[]): readonly string[] {
  const arrows = expected.flatMap((index) => arrowAt(spec, index) ?? []);
  const lines = arrows
    .slice(0, EXPECTED_MAX)
    .map((arrow, index) => `${index === 0 ? 'expected' : '      or'}  ${placed(arrow)}`);
  return arrows.length > EXPECTED_MAX ? [...lines, `          and ${arrows.length - EXPECTED_MAX} more`] : lines;
}

function laterLines(later: readonly Violation[]): readonly string[] {
  if (later.length === 0) return [];
  const more = later.length > LATER_MAX ? [`  and ${later.length - LATER_MAX} more`] : [];
  return ['after that (diagnosis):', ...later.slice(0, LATER_MAX).map(({ text }) => `  ${printable(text)}`), ...more];
}

function alignmentLines(spec: SpecVerdict, { alignment }: InstanceVerdict): readonly string[] {
  if (alignment === undefined) return [];
  const { head, sentences } = alignmentWords(spec, alignment);
  const said = `cheapest way to align: ${head}`;
  const [only] = sentences.map(printable);
  if (only !== undefined && sentences.length === 1) return [`${printable(said)}: ${only}`];
  const shown = sentences.slice(0, EDITS_SHOWN).map((sentence) => `  ${printable(sentence)}`);
  return [printable(said), ...shown, ...(sentences.length > EDITS_SHOWN ? ['  and more'] : [])];
}

function excerptLines(spec: SpecVerdict, excerpt: readonly Excerpt[]): readonly string[] {
  if (excerpt.length === 0) return [];
  const rows = excerpt.map((row) => excerptCells(spec, row));
  const columns = [0, 1, 2].map((column) => Math.max(...rows.map((cells) => displayWidth(cells[column] ?? ''))));
  return rows.map((cells, index) => {
    const mark = excerpt[index]?.violating === true ? '✗' : '|';
    return `${mark} ${cells.map((cell, column) => (column < 3 ? padded(cell, columns[column] ?? 0) : cell)).join('  ')}`;
  });
}

function excerptCells(spec: SpecVerdict, { event, arrow }: Excerpt): readonly string[] {
  const taken = arrowAt(spec, arrow);
  return [
    `${event.source}:${event.line}`,
    cut(`${event.from} → ${event.to}`, 50),
    cut(labelWithStatus(event), 60),
    taken === undefined ? '' : `${placeName(spec, taken)} ${cut(taken.text, 40)}`,
  ].map(printable);
}

const arrowAt = (spec: SpecVerdict, index: number | null): ArrowVerdict | undefined =>
  index === null ? undefined : spec.arrows[index];

const placed = (arrow: ArrowVerdict): string =>
  printable(`${arrow.file}:${arrow.line}:${arrow.column}  ${arrowName(arrow)}`);

const indent = (columns: number, lines: readonly string[]): readonly string[] =>
  lines.map((line) => (line === '' ? '' : ' '.repeat(columns) + line));

const padded = (text: string, columns: number): string => text + ' '.repeat(Math.max(0, columns - displayWidth(text)));

/** Cuts a text that would push the columns beside it off the screen; the whole text is in the other reports. */
function cut(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let out = '';
  for (const character of text) {
    if (displayWidth(out) + displayWidth(character) > columns - 1) break;
    out += character;
  }
  return `${out}…`;
}

/** Joins pieces into lines of at most so many columns; a longer piece stands alone. */
function wrap(pieces: readonly string[], separator: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const piece of pieces) {
    const last = lines.at(-1);
    const joined = last === undefined ? piece : `${last}${separator}${piece}`;
    if (last !== undefined && displayWidth(joined) <= columns) lines[lines.length - 1] = joined;
    else lines.push(piece);
  }
  return lines;
}
