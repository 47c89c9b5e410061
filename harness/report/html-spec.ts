import type { Diagram } from '../diagram/index.ts';
import type {
  Alignment,
  ArrowVerdict,
  ChoiceCoverage,
  InstanceVerdict,
  Outcome,
  QuotedEvent,
  SpecVerdict,
  Violation,
} from '../verdict/index.ts';
import { alignmentWords } from './alignment-words.ts';
import { html, NOTHING, type Markup } from './markup.ts';
import { badgeWord, drawSequence, type Callout } from './sequence-svg.ts';
import {
  ARROW_GLYPH,
  ARROW_MEANING,
  arrowCounts,
  arrowName,
  CHOICE_GLYPH,
  choiceName,
  counted,
  eventsTaken,
  failingInstances,
  instanceName,
  instancesLine,
  isUnseen,
  labelWithStatus,
  milliseconds,
  notedArrows,
  OUTCOME_GLYPH,
  OUTCOME_MEANING,
  placeName,
  VIOLATION_WORDS,
} from './summary.ts';

export interface SpecInput {
  readonly spec: SpecVerdict;
  readonly diagram: Diagram | null;
  readonly sources: ReadonlyMap<string, string>;
  /** Makes the ids of this card unique in its page. */
  readonly prefix: string;
}

const INSTANCES_MAX = 200;
/** With so few instances the table is worth seeing at once. */
const INSTANCES_OPEN = 12;
const EXCERPT_AROUND = 5;
const EXPECTED_MAX = 8;
const LATER_MAX = 10;
const SOURCE_LINES_MAX = 600;
const SOURCE_MARGIN = 4;
const ATTRIBUTES_MAX = 12;
const LINK_MAX = 120;

type Tone = 'ok' | 'bad' | 'warn' | 'void' | 'info' | 'quiet';

const OUTCOME_TONES: Readonly<Record<Outcome, Tone>> = {
  conforms: 'ok',
  violates: 'bad',
  incomplete: 'warn',
  inconclusive: 'warn',
  vacuous: 'void',
};

const ARROW_TONES: Readonly<Record<ArrowVerdict['status'], Tone>> = {
  conforms: 'ok',
  violates: 'bad',
  unseen: 'quiet',
  absent: 'quiet',
  unobservable: 'info',
  standing: 'info',
};

const CHOICE_TONES: Readonly<Record<ChoiceCoverage['status'], Tone>> = {
  seen: 'ok',
  unseen: 'quiet',
  'left-out': 'info',
};

const CHOICE_MEANING: Readonly<Record<ChoiceCoverage['status'], string>> = {
  seen: 'seen',
  unseen: 'never seen',
  'left-out': 'cannot be seen in this trace',
};

/** The class that colours whatever speaks of an outcome. */
export const toneOf = (outcome: Outcome): Tone => OUTCOME_TONES[outcome];

/** Everything that one spec has to tell, the most urgent first. */
export function specCard(input: SpecInput): Markup {
  const { spec, diagram, prefix } = input;
  const told = failingInstances(spec)[0] ?? null;
  return html`<section class="card" id="${prefix}">
    <header>
      <span class="${`badge-text ${toneOf(spec.outcome)}`}">${OUTCOME_GLYPH[spec.outcome]} ${spec.outcome}</span>
      <h2>${diagram?.title ?? spec.spec.name}</h2>
      <span class="muted mono">${spec.spec.file}</span>
    </header>
    ${facts(spec)}${divergence(input, told)}${drawing(input, told)}${notes(spec)}${remarks(spec)}
    <div class="part">
      ${instances(spec)}${arrowTable(input)}${fragmentTable(spec)}${source(input, told)}${unmatched(spec)}
    </div>
  </section>`;
}

function facts(spec: SpecVerdict): Markup {
  const { seen, possible, percent } = spec.coverage;
  const meter = html`<span class="${`meter ${percent === 100 ? 'ok' : 'warn'}`}" aria-hidden="true"
    ><i style="${`width:${percent}%`}"></i
  ></span>`;
  const counts = arrowCounts(spec).map(([word, count]) => `${word} ${count}`);
  const key = spec.key.length === 0 ? '' : ` by ${spec.key.join(', ')}`;
  return html`<ul class="facts">
    <li>${instancesLine(spec)}${key}</li>
    <li>${counts.join(' · ')}</li>
    <li>coverage <b>${seen} of ${possible}</b>${meter}</li>
    <li><b>${spec.counts.taken}</b> of ${spec.counts.events} events taken</li>
    <li>order <b>${spec.order}</b></li>
    <li>${spec.binding === null ? 'no binding' : html`binding <code>${spec.binding}</code>`}</li>
  </ul>`;
}

function divergence(input: SpecInput, told: InstanceVerdict | null): Markup {
  const { spec } = input;
  if (spec.outcome === 'conforms') return NOTHING;
  const tone = toneOf(told?.outcome ?? spec.outcome);
  const first = told?.violations[0];
  if (told === null) {
    return html`<div class="${`divergence ${tone}`}">
      <h3>${OUTCOME_GLYPH[spec.outcome]} ${spec.outcome}</h3>
      <p class="why">${spec.reason ?? OUTCOME_MEANING[spec.outcome]}</p>
    </div>`;
  }
  const head =
    first === undefined
      ? `${OUTCOME_GLYPH[told.outcome]} ${told.outcome}`
      : `✗ first divergence: ${VIOLATION_WORDS[first.kind]}`;
  return html`<div class="${`divergence ${tone}`}" id="${`${input.prefix}-divergence`}">
    <h3>${head}</h3>
    <p class="why">${first?.text ?? told.reason ?? OUTCOME_MEANING[told.outcome]}</p>
    <dl class="pairs">
      <dt>instance</dt>
      <dd>${instanceName(told)} <span class="muted">(${eventsTaken(told)})</span></dd>
      ${first === undefined ? NOTHING : violated(input, first)}${expected(input, first?.expected ?? told.expected)}${later(told.violations.slice(1))}${edits(spec, told)}
    </dl>
    ${excerpt(input, told)}
  </div>`;
}

function violated({ spec, prefix }: SpecInput, { kind, arrow, event, mustFollow }: Violation): Markup {
  const place = (index: number | null, term: string): Markup => {
    const drawn = index === null ? undefined : spec.arrows[index];
    if (drawn === undefined) return NOTHING;
    return html`<dt>${term}</dt>
      <dd>${arrowLink(drawn, prefix)} <span class="muted mono">${drawn.file}:${drawn.line}:${drawn.column}</span></dd>`;
  };
  const happened =
    event === null
      ? NOTHING
      : html`<dt>event</dt>
          <dd>
            ${event.from} → ${event.to}: ${event.label}
            <span class="muted mono">${event.source}:${event.line}</span> ${attributes(event)}
          </dd>`;
  return html`${place(arrow, 'arrow')}${place(mustFollow, kind === 'out-of-order' ? 'had to come first' : 'came without it')}${happened}`;
}

/** A link to the arrow in the drawing. A step is a sentence or two: what it begins with tells which. */
const arrowLink = (arrow: ArrowVerdict, prefix: string): Markup =>
  html`<a href="${`#${prefix}-arrow-${arrow.index}`}">${shortened(arrowName(arrow))}</a>`;

/** The line, and the file where that is another: what a reference brought in. */
const lineCell = ({ spec }: SpecVerdict, { file, line }: { readonly file: string; readonly line: number }): string =>
  file === spec.file ? String(line) : `${file}:${line}`;

const shortened = (text: string): string => (text.length > LINK_MAX ? `${text.slice(0, LINK_MAX - 1)}…` : text);

function expected({ spec, prefix }: SpecInput, indexes: readonly number[]): Markup {
  const arrows = indexes.flatMap((index) => spec.arrows[index] ?? []);
  if (arrows.length === 0) return NOTHING;
  const rows = arrows
    .slice(0, EXPECTED_MAX)
    .map((arrow) => html`<li>${arrowLink(arrow, prefix)} <span class="muted">${placeName(spec, arrow)}</span></li>`);
  const more =
    arrows.length > EXPECTED_MAX ? html`<li class="muted">and ${arrows.length - EXPECTED_MAX} more</li>` : NOTHING;
  return html`<dt>expected here</dt>
    <dd>
      <ul>
        ${rows}${more}
      </ul>
    </dd>`;
}

function later(violations: readonly Violation[]): Markup {
  if (violations.length === 0) return NOTHING;
  const rows = violations.slice(0, LATER_MAX).map(({ text }) => html`<li>${text}</li>`);
  const more =
    violations.length > LATER_MAX ? html`<li class="muted">and ${violations.length - LATER_MAX} more</li>` : NOTHING;
  return html`<dt>after that</dt>
    <dd>
      <ul>
        ${rows}${more}
      </ul>
    </dd>`;
}

function edits(spec: SpecVerdict, { alignment }: InstanceVerdict): Markup {
  if (alignment === undefined) return NOTHING;
  const { head, sentences } = alignmentWords(spec, alignment);
  const rows = sentences.map((sentence) => html`<li>${sentence}</li>`);
  const list =
    rows.length === 0
      ? NOTHING
      : html`<ul>
          ${rows}
        </ul>`;
  return html`<dt>cheapest way to align</dt>
    <dd>${head}${list}</dd>`;
}

function attributes({ kind, seq, status, attributes: values = {} }: QuotedEvent): Markup {
  const all = [
    ['seq', seq],
    ['kind', kind],
    ...(status === undefined ? [] : [['status', status]]),
    ...Object.entries(values),
  ];
  const shown = all
    .slice(0, ATTRIBUTES_MAX)
    .map(([name, value]) => html`<span class="attribute">${String(name)} <b>${String(value)}</b></span>`);
  const more =
    all.length > ATTRIBUTES_MAX
      ? html`<span class="attribute">and ${all.length - ATTRIBUTES_MAX} more</span>`
      : NOTHING;
  return html`<br />${shown}${more}`;
}

/** The trace around the violation, or its end where the instance is only unfinished. */
function excerpt(input: SpecInput, { excerpt: all, alignment }: InstanceVerdict): Markup {
  const { spec, prefix } = input;
  if (all.length === 0) return NOTHING;
  const hit = all.findIndex(({ violating }) => violating);
  const from = hit < 0 ? Math.max(0, all.length - 2 * EXCERPT_AROUND - 1) : Math.max(0, hit - EXCERPT_AROUND);
  const shown = all.slice(from, hit < 0 ? undefined : hit + EXCERPT_AROUND + 1);
  const start = shown.find(({ event }) => event.time !== undefined)?.event.time;
  const rows = shown.map(({ event, arrow, violating }) => {
    const taken = arrow === null ? undefined : spec.arrows[arrow];
    const after = start === undefined || event.time === undefined ? '' : milliseconds(event.time - start);
    const missing = missingBefore(event, alignment).map((index) =>
      missingRow(input, index, start === undefined ? 4 : 5),
    );
    return html`${missing}
      <tr class="${violating ? 'hit' : ''}">
        <td>${violating ? html`<span class="tone bad">✗</span>` : NOTHING}</td>
        <td class="place mono">${event.source}:${event.line}</td>
        ${start === undefined ? NOTHING : html`<td class="number">${after}</td>`}
        <td class="place">${event.from} → ${event.to}</td>
        <td class="long">${labelWithStatus(event)}</td>
        <td class="long">
          ${taken === undefined ? html`<span class="muted">no arrow of this instance</span>` : html`${arrowLink(taken, prefix)} <span class="muted">${placeName(spec, taken)}</span>`}
        </td>
      </tr>`;
  });
  return html`<div class="scroll" tabindex="0" role="region" aria-label="The trace around it">
    <table>
      <thead>
        <tr>
          <th></th>
          <th>trace</th>
          ${start === undefined ? NOTHING : html`<th class="number">after</th>`}
          <th>from → to</th>
          <th>message</th>
          <th>taken as</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

/** The arrows that a cheapest alignment finds missing right before the event. */
function missingBefore({ source, line }: QuotedEvent, alignment: Alignment | undefined): readonly number[] {
  if (alignment?.kind !== 'found') return [];
  return alignment.edits.flatMap((edit) =>
    edit.kind === 'missing' && edit.before?.line === line && edit.before.source === source ? [edit.arrow] : [],
  );
}

function missingRow({ spec, prefix }: SpecInput, index: number, columns: number): Markup {
  const arrow = spec.arrows[index];
  if (arrow === undefined) return NOTHING;
  return html`<tr class="due">
    <td><span class="tone warn">+</span></td>
    <td class="long" colspan="${String(columns)}">missing here: ${arrowLink(arrow, prefix)}</td>
  </tr>`;
}

function drawing(input: SpecInput, told: InstanceVerdict | null): Markup {
  const { spec, diagram, prefix } = input;
  if (spec.arrows.some(({ style }) => style === 'step')) return stepList(input, told);
  if (diagram === null) return NOTHING;
  const svg = drawSequence({
    diagram,
    prefix,
    callouts: calloutsOf(input, told),
    verdictOf: verdictFinder(spec, diagram),
    isUnseen: (fragment, operand) => isUnseen(spec.coverage.fragments, fragment, operand),
  });
  return html`<figure>
    <div class="scroll" tabindex="0" role="region" aria-label="The diagram">${svg}</div>
    ${legend(spec)}
  </figure>`;
}

/** Arrow and message have the same index; a contract that draws fewer arrows than the diagram has them by their place. */
function verdictFinder(spec: SpecVerdict, diagram: Diagram): (message: number) => ArrowVerdict | undefined {
  if (spec.arrows.length === diagram.messages.length) return (message) => spec.arrows[message];
  const byPlace = new Map(spec.arrows.map((arrow) => [placeKey(arrow.file, arrow), arrow]));
  return (message) => {
    const at = diagram.messages[message]?.at;
    return at === undefined ? undefined : byPlace.get(placeKey(at.file ?? spec.spec.file, at));
  };
}

const placeKey = (file: string, { line, column }: { readonly line: number; readonly column: number }): string =>
  JSON.stringify([file, line, column]);

/** Where the pointer stands, and what should have come first, by the index of the message. */
function calloutsOf({ spec, diagram }: SpecInput, told: InstanceVerdict | null): ReadonlyMap<number, Callout> {
  const first = told?.violations[0];
  if (first === undefined || diagram === null) return new Map();
  const find = verdictFinder(spec, diagram);
  const messageOf = (arrow: number | null): number =>
    arrow === null ? -1 : diagram.messages.findIndex((_message, index) => find(index)?.index === arrow);
  const callouts: (readonly [number, Callout])[] = [];
  if (first.kind === 'out-of-order') {
    callouts.push([messageOf(first.mustFollow), { tone: 'due', text: 'this had to come first' }]);
  }
  const text = `first divergence: ${VIOLATION_WORDS[first.kind]}`;
  callouts.push([messageOf(first.arrow), { tone: 'bad', text }]);
  return new Map(callouts.filter(([message]) => message >= 0));
}

function legend(spec: SpecVerdict): Markup {
  const statuses = [...new Set(spec.arrows.map(({ status }) => status))];
  const entries = statuses.map(
    (status) =>
      html`<span
        ><span class="${`tone ${ARROW_TONES[status]}`}">${ARROW_GLYPH[status]}</span> ${ARROW_MEANING[status]}</span
      >`,
  );
  const errata = spec.arrows.some(({ erratum }) => erratum)
    ? html`<span>≠ drawn wrong, checked as the binding says</span>`
    : NOTHING;
  return html`<figcaption>
    ${entries}${errata}<span>numbers at the left: lines of the source; on an arrow: events</span>
  </figcaption>`;
}

function stepList({ spec, diagram, prefix }: SpecInput, told: InstanceVerdict | null): Markup {
  const numbers = new Map(diagram?.steps.map(({ number, at }) => [at.line, number]));
  const hit = told?.violations[0]?.arrow ?? null;
  const rows = spec.arrows.map((arrow) => {
    const reason =
      arrow.reason === undefined
        ? NOTHING
        : html`<br /><span class="muted">${statusWords(arrow)}: ${arrow.reason}</span>`;
    const pointer = arrow.index === hit ? html`<br /><span class="tone bad">▲ first divergence</span>` : NOTHING;
    return html`<li id="${`${prefix}-arrow-${arrow.index}`}" class="${arrow.index === hit ? 'hit' : ''}">
      <span class="ordinal">${numbers.get(arrow.line) ?? arrow.index + 1}</span>
      <span
        ><span class="${`badge-text ${ARROW_TONES[arrow.status]}`}"
          >${ARROW_GLYPH[arrow.status]}${badgeWord(arrow)}</span
        ></span
      >
      <span>${arrow.text}${reason}${pointer}</span>
    </li>`;
  });
  return html`<figure>
    <ol class="steps">
      ${rows}
    </ol>
    ${legend(spec)}
  </figure>`;
}

const statusWords = (arrow: ArrowVerdict): string => (arrow.erratum ? 'erratum' : arrow.status);

function notes(spec: SpecVerdict): Markup {
  const rows = notedArrows(spec).map(
    ({ word, arrow }) =>
      html`<tr>
        <td>${word}</td>
        <td class="number">${lineCell(spec, arrow)}</td>
        <td class="long">${arrowName(arrow)}</td>
        <td class="long">${arrow.reason ?? ''}</td>
      </tr>`,
  );
  if (rows.length === 0) return NOTHING;
  return html`<div class="part">
    <h3>Where drawing and system differ, and why</h3>
    ${table(['', '#line', 'arrow', 'reason'], rows)}
  </div>`;
}

function remarks(spec: SpecVerdict): Markup {
  if (spec.remarks.length === 0) return NOTHING;
  return html`<div class="part">
    <h3>Remarks</h3>
    <ul class="remarks">
      ${spec.remarks.map((remark) => html`<li>${remark}</li>`)}
    </ul>
  </div>`;
}

/** A table in a box that scrolls by itself; a head that begins with `#` is that of a column of numbers. */
function table(heads: readonly string[], rows: readonly Markup[]): Markup {
  const cells = heads.map((head) =>
    head.startsWith('#') ? html`<th class="number">${head.slice(1)}</th>` : html`<th>${head}</th>`,
  );
  return html`<div class="scroll">
    <table>
      <thead>
        <tr>
          ${cells}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

function instances(spec: SpecVerdict): Markup {
  if (spec.instances.length === 0) return NOTHING;
  const conforming = spec.instances.filter(({ outcome }) => outcome === 'conforms');
  const ordered = [...failingInstances(spec), ...conforming];
  const rows = ordered.slice(0, INSTANCES_MAX).map(
    (instance) =>
      html`<tr>
        <td>
          <span class="${`tone ${toneOf(instance.outcome)}`}"
            >${OUTCOME_GLYPH[instance.outcome]} ${instance.outcome}</span
          >
        </td>
        <td class="long">${instanceName(instance)}</td>
        <td class="number">${instance.run}</td>
        <td class="number">${instance.events}</td>
        <td class="long">${instance.violations[0]?.text ?? instance.reason ?? ''}</td>
      </tr>`,
  );
  const more =
    ordered.length > INSTANCES_MAX
      ? html`<p class="muted">
          and ${ordered.length - INSTANCES_MAX} more instances; the JSON report lists 1,000, the worst
        </p>`
      : NOTHING;
  const unlisted =
    spec.unlisted === undefined
      ? NOTHING
      : html`<p class="muted">and ${spec.unlisted} more that conform, which no report lists</p>`;
  const body = html`<summary>Instances <span class="muted">${instancesLine(spec)}</span></summary>
    <div>
      ${table(['outcome', 'instance', '#run', '#events', 'first violation or reason'], rows)}${more}${unlisted}
    </div>`;
  return ordered.length <= INSTANCES_OPEN && spec.outcome !== 'conforms'
    ? html`<details open="open">${body}</details>`
    : html`<details>${body}</details>`;
}

/** The same as the drawing in words: for those who cannot see it, and for the numbers that do not fit on an arrow. */
function arrowTable({ spec, diagram, prefix }: SpecInput): Markup {
  if (spec.arrows.length === 0) return NOTHING;
  const isOnlyPicture = diagram === null && spec.arrows.every(({ style }) => style !== 'step');
  const timed = spec.arrows.some(({ latencyMs }) => latencyMs !== undefined);
  const rows = spec.arrows.map((arrow) => {
    const { latencyMs } = arrow;
    const latency =
      latencyMs === undefined ? ['', '', ''] : [latencyMs.p50, latencyMs.p95, latencyMs.max].map(milliseconds);
    return html`<tr id="${`${prefix}-${isOnlyPicture ? 'arrow' : 'row'}-${arrow.index}`}">
      <td class="number">${lineCell(spec, arrow)}</td>
      <td class="long">${arrowName(arrow)}</td>
      <td>
        <span class="${`tone ${ARROW_TONES[arrow.status]}`}"
          >${ARROW_GLYPH[arrow.status]} ${ARROW_MEANING[arrow.status]}</span
        >
      </td>
      <td class="number">${arrow.events}</td>
      <td class="number">${arrow.instances}</td>
      <td class="number">${arrow.violations}</td>
      ${timed ? latency.map((value) => html`<td class="number">${value}</td>`) : NOTHING}
    </tr>`;
  });
  const heads = [
    '#line',
    'arrow',
    'verdict',
    '#events',
    '#instances',
    '#violations',
    ...(timed ? ['#p50', '#p95', '#max'] : []),
  ];
  const body = html`<summary>Every arrow <span class="muted">${counted(rows.length, 'row')}</span></summary>
    <div>${table(heads, rows)}</div>`;
  return isOnlyPicture ? html`<details open="open">${body}</details>` : html`<details>${body}</details>`;
}

/** Which ways through the fragments were seen: one row a way, in drawn order. */
function fragmentTable(spec: SpecVerdict): Markup {
  const { coverage } = spec;
  const rows = coverage.fragments.flatMap((fragment) =>
    fragment.choices.map(
      (choice, index) =>
        html`<tr>
          <td class="number">${lineCell(spec, { ...fragment, line: choice.line ?? fragment.line })}</td>
          <td>${index === 0 ? fragment.kind : ''}</td>
          <td class="long">
            ${index === 0 && choice.kind !== 'operand' && fragment.text !== '' ? `[${fragment.text}] ` : ''}${choiceName(choice)}
          </td>
          <td>
            <span class="${`tone ${CHOICE_TONES[choice.status]}`}"
              >${CHOICE_GLYPH[choice.status]} ${CHOICE_MEANING[choice.status]}</span
            >
          </td>
          <td class="number">${choice.status === 'left-out' ? '' : choice.instances}</td>
        </tr>`,
    ),
  );
  if (rows.length === 0) return NOTHING;
  return html`<details>
    <summary>
      Branches and loops <span class="muted">${coverage.seen} of ${coverage.possible} seen, arrows included</span>
    </summary>
    <div>${table(['#line', 'fragment', 'way', 'coverage', '#instances'], rows)}</div>
  </details>`;
}

function unmatched(spec: SpecVerdict): Markup {
  if (spec.unmatched.length === 0) return NOTHING;
  const rows = spec.unmatched.map(
    ({ from, to, label, events }) =>
      html`<tr>
        <td class="number">${events}</td>
        <td class="place">${from} → ${to}</td>
        <td class="long">${label}</td>
      </tr>`,
  );
  return html`<details>
    <summary>
      Traffic that no arrow takes <span class="muted">between drawn participants, most frequent first</span>
    </summary>
    <div>${table(['#events', 'from → to', 'message'], rows)}</div>
  </details>`;
}

function source({ spec, sources }: SpecInput, told: InstanceVerdict | null): Markup {
  const text = sources.get(spec.spec.file);
  if (text === undefined) return NOTHING;
  const first = told?.violations[0];
  const own = spec.arrows.filter(({ file }) => file === spec.spec.file);
  const lineOf = (index: number | null | undefined): number => own.find((arrow) => arrow.index === index)?.line ?? 0;
  const hit = lineOf(first?.arrow);
  const due = first?.kind === 'out-of-order' ? lineOf(first.mustFollow) : 0;
  const lines = own.map(({ line }) => line);
  const [from, to] = sourceRange(lines);
  const shown = text
    .split(/\r?\n/)
    .slice(from - 1, to)
    .map((line, index) => {
      const number = from + index;
      const mark = number === hit ? 'hit' : number === due ? 'due' : '';
      return html`<span class="${mark}"><i>${number}</i>${line}</span>`;
    });
  return html`<details>
    <summary>Source <span class="muted">${spec.spec.file}, lines ${from} to ${from + shown.length - 1}</span></summary>
    <div><pre class="source">${shown}</pre></div>
  </details>`;
}

/** The lines of a diagram and a few around them: a document may be long, and hold other diagrams. */
function sourceRange(lines: readonly number[]): readonly [number, number] {
  const first = lines.reduce((a, b) => Math.min(a, b), Number.MAX_SAFE_INTEGER);
  const last = lines.reduce((a, b) => Math.max(a, b), 1);
  const from = lines.length === 0 ? 1 : Math.max(1, first - SOURCE_MARGIN);
  return [from, Math.min(last + SOURCE_MARGIN, from + SOURCE_LINES_MAX - 1)];
}
