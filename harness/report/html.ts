import type { Diagram } from '../diagram/index.ts';
import type { SpecVerdict } from '../verdict/index.ts';
import { specCard, toneOf } from './html-spec.ts';
import { STYLE } from './html-style.ts';
import { html, NOTHING, verbatim, type Markup } from './markup.ts';
import {
  counted,
  coverageGate,
  failingInstances,
  OUTCOME_GLYPH,
  OUTCOME_MEANING,
  runHead,
  runSentence,
  specNames,
} from './summary.ts';
import type { ReportInput } from './types.ts';

/**
 * The verdict as one page that needs no network, no script and no font of its own: the author's diagram with a verdict on every
 * arrow, the first divergence beside the trace around it, and everything else behind a fold. It holds no date and no
 * random id, so the same verdict is the same file.
 */
export function renderHtml({ run, diagrams, sources }: ReportInput): string {
  const cards = run.specs.map((spec, index) =>
    specCard({ spec, diagram: diagrams[index] ?? null, sources, prefix: prefixOf(index) }),
  );
  const page = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta
        http-equiv="Content-Security-Policy"
        content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
      />
      <meta name="color-scheme" content="light dark" />
      <title>${`${runHead(run).glyph} ${runHead(run).word} - ${titleOf(run.specs)}`}</title>
      <style>
        ${verbatim(STYLE)}
      </style>
    </head>
    <body>
      <main>${banner({ run, diagrams, sources })}${cards}</main>
      <footer>
        <p>
          asdrawn: does your system behave as drawn? ✓ seen as drawn · ✗ violated · ○ never seen · ⊘ never sent by this
          system · ? cannot be seen in this trace · ∞ holds from before the run · ≠ drawn wrong, checked as the binding
          says
        </p>
      </footer>
    </body>
  </html>`;
  return `<!doctype html>\n${page.markup}\n`;
}

const prefixOf = (index: number): string => `spec-${index + 1}`;

const titleOf = (specs: readonly SpecVerdict[]): string =>
  specs.length === 1 ? (specs[0]?.spec.name ?? 'asdrawn') : `${specs.length} specs`;

function banner({ run, diagrams }: ReportInput): Markup {
  const gate = coverageGate(run);
  const instances = run.specs.reduce((sum, { instances: own, unlisted = 0 }) => sum + own.length + unlisted, 0);
  const failing = run.specs.reduce((sum, spec) => sum + failingInstances(spec).length, 0);
  const arrows = run.specs.reduce((sum, { arrows: own }) => sum + own.length, 0);
  return html`<header class="${`banner ${gate === null ? toneOf(run.outcome) : 'bad'}`}">
    <div class="seal" aria-hidden="true">${runHead(run).glyph}</div>
    <h1>${runHead(run).word}</h1>
    <p class="muted">${OUTCOME_MEANING[run.outcome]}</p>
    <div class="rest">
      <ul class="facts">
        <li>${runSentence(run)}</li>
        <li>${counted(instances, 'instance')}, ${failing} not as drawn</li>
        <li>${counted(arrows, 'arrow or step', 'arrows and steps')} drawn</li>
        ${gate === null ? NOTHING : html`<li><b>✗ ${gate}</b></li>`}
        <li>exit code <b>${run.exitCode}</b></li>
      </ul>
      ${run.specs.length > 1 ? contents(run.specs, diagrams) : NOTHING}
      ${run.replay === undefined ? NOTHING : html`<code class="replay">${run.replay}</code>`}
    </div>
  </header>`;
}

function contents(specs: readonly SpecVerdict[], diagrams: readonly (Diagram | null)[]): Markup {
  const names = specNames(specs);
  const rows = specs.map((spec, index) => {
    const told = failingInstances(spec)[0];
    const first = told?.violations[0]?.text ?? told?.reason ?? spec.reason ?? '';
    return html`<li>
      <span class="${`tone ${toneOf(spec.outcome)}`}">${OUTCOME_GLYPH[spec.outcome]} ${spec.outcome}</span
      ><span
        ><a href="${`#${prefixOf(index)}`}">${diagrams[index]?.title ?? names[index] ?? spec.spec.name}</a>
        <span class="muted">${first}</span></span
      >
    </li>`;
  });
  return html`<ul class="contents">
    ${rows}
  </ul>`;
}
