/**
 * The style sheet of the HTML report. Colours have names by meaning, once for light and once for dark; every text keeps a
 * contrast of at least 4.5 to its ground, every line one of at least 3 (WCAG 2.2 AA), and nothing is said by colour alone.
 */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f5f6f8; --card: #ffffff; --inset: #f8f9fb; --text: #1b2330; --muted: #586273; --rule: #dde1e8; --strong-rule: #b9c0cc;
  --ok: #17774a; --ok-soft: #e6f5ec; --bad: #c0272f; --bad-soft: #fdecec; --warn: #8a5700; --warn-soft: #fdf2dc;
  --void: #6546b3; --void-soft: #f0ebfb; --info: #2b62a0; --info-soft: #e8f0fa; --line: #6d7787; --on-strong: #ffffff;
  --lifeline: #aab3c0; --note: #fff8df; --note-rule: #c9ac52; --frame: #7d8898; --tint: #eef1f6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1319; --card: #171c24; --inset: #12171e; --text: #e5e9f0; --muted: #9ba6b6; --rule: #2a323e; --strong-rule: #46505f;
    --ok: #4cc38a; --ok-soft: #12291f; --bad: #ff7f85; --bad-soft: #371a1e; --warn: #e6b450; --warn-soft: #33270f;
    --void: #b8a1f0; --void-soft: #251d3d; --info: #82b4ea; --info-soft: #16263a; --line: #98a3b3; --on-strong: #10141a;
    --lifeline: #4d5868; --note: #2b2717; --note-rule: #8a7738; --frame: #7d8898; --tint: #1d232d;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); line-height: 1.5; font-size: 15px;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main, footer { max-width: 1400px; margin: 0 auto; padding: 0 24px; }
code, pre, .mono { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; font-size: 0.9em; }
h1, h2, h3 { line-height: 1.25; margin: 0; font-weight: 650; letter-spacing: -0.01em; }
h1 { font-size: 28px; } h2 { font-size: 20px; } h3 { font-size: 15px; }
p { margin: 0; }
a { color: var(--info); text-underline-offset: 2px; }
a:focus-visible, summary:focus-visible, .scroll:focus-visible { outline: 2px solid var(--info); outline-offset: 2px; border-radius: 4px; }
.muted { color: var(--muted); }
.ok { --tone: var(--ok); --soft: var(--ok-soft); }
.bad { --tone: var(--bad); --soft: var(--bad-soft); }
.warn { --tone: var(--warn); --soft: var(--warn-soft); }
.void { --tone: var(--void); --soft: var(--void-soft); }
.info { --tone: var(--info); --soft: var(--info-soft); }
.quiet { --tone: var(--muted); --soft: var(--inset); }

.banner { display: grid; grid-template-columns: auto 1fr; gap: 6px 20px; align-items: center; margin: 28px 0 20px; padding: 24px 28px;
  background: var(--card); border: 1px solid var(--rule); border-left: 6px solid var(--tone); border-radius: 12px; }
.banner .seal { grid-row: span 2; width: 60px; height: 60px; border-radius: 50%; display: grid; place-items: center; font-size: 30px;
  color: var(--tone); background: var(--soft); }
.banner h1 { color: var(--tone); }
.facts { display: flex; flex-wrap: wrap; gap: 6px 22px; margin: 0; padding: 0; list-style: none; color: var(--muted); }
.facts b { color: var(--text); font-weight: 600; font-variant-numeric: tabular-nums; }
.banner .rest { grid-column: 2; display: grid; gap: 10px; margin-top: 8px; }
.replay { display: block; padding: 9px 12px; background: var(--inset); border: 1px solid var(--rule); border-radius: 8px; overflow-x: auto; white-space: pre; }
.contents { display: grid; gap: 2px; margin: 0; padding: 0; list-style: none; }
.contents li { display: grid; grid-template-columns: 8.4em minmax(0, 1fr); gap: 10px; align-items: baseline; }

.card { background: var(--card); border: 1px solid var(--rule); border-radius: 12px; padding: 24px 28px; margin: 0 0 24px; }
.card > header { display: flex; flex-wrap: wrap; gap: 6px 14px; align-items: baseline; margin-bottom: 4px; }
.badge-text { display: inline-block; padding: 1px 10px; border-radius: 999px; font-size: 13px; font-weight: 600; white-space: nowrap;
  color: var(--tone); background: var(--soft); border: 1px solid color-mix(in srgb, var(--tone) 35%, transparent); }
.card > .facts { margin: 10px 0 20px; }
.part { margin-top: 22px; }
.part > h3 { margin-bottom: 8px; }

.divergence { border: 1px solid color-mix(in srgb, var(--tone) 45%, transparent); background: var(--soft); border-radius: 10px; padding: 18px 20px; margin: 0 0 20px; }
.divergence h3 { color: var(--tone); font-size: 16px; }
.divergence .why { margin: 6px 0 12px; font-size: 16px; overflow-wrap: anywhere; }
.pairs { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 5px 16px; margin: 0 0 4px; }
.pairs dt { color: var(--muted); } .pairs dd { margin: 0; overflow-wrap: anywhere; }
.pairs ul { margin: 0; padding: 0; list-style: none; }
.divergence table { background: var(--card); }
.divergence .scroll { margin-top: 12px; border: 1px solid var(--rule); border-radius: 8px; background: var(--card); }

.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13.5px; }
th, td { text-align: left; padding: 6px 12px; border-bottom: 1px solid var(--rule); vertical-align: top; }
th { font-weight: 600; color: var(--muted); white-space: nowrap; }
tr:last-child td { border-bottom: 0; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.place { white-space: nowrap; }
td.long { min-width: 180px; overflow-wrap: anywhere; }
tr.hit td { background: var(--bad-soft); border-bottom-color: color-mix(in srgb, var(--bad) 40%, transparent); }
tr.due td { background: var(--warn-soft); }
tr.hit td:first-child { box-shadow: inset 4px 0 0 var(--bad); }
.tone { color: var(--tone); font-weight: 600; white-space: nowrap; }
.attribute { display: inline-block; margin-right: 10px; color: var(--muted); overflow-wrap: anywhere; }
.attribute b { color: var(--text); font-weight: 500; }

figure { margin: 0; border: 1px solid var(--rule); border-radius: 10px; overflow: hidden; }
figure .scroll { padding: 6px 4px;
  background: linear-gradient(90deg, var(--card) 40%, transparent) left / 40px 100% no-repeat local, linear-gradient(-90deg, var(--card) 40%, transparent) right / 40px 100% no-repeat local,
    linear-gradient(90deg, var(--strong-rule), transparent) left / 10px 100% no-repeat scroll, linear-gradient(-90deg, var(--strong-rule), transparent) right / 10px 100% no-repeat scroll; }
figcaption { display: flex; flex-wrap: wrap; gap: 4px 18px; padding: 9px 16px; border-top: 1px solid var(--rule); background: var(--inset); color: var(--muted); font-size: 13px; }
figcaption span { white-space: nowrap; }

details { border-top: 1px solid var(--rule); }
details:last-child { border-bottom: 1px solid var(--rule); }
summary { cursor: pointer; padding: 10px 2px; font-weight: 600; }
summary .muted { font-weight: 400; }
details > div { padding: 0 0 14px; }
.remarks { margin: 0; padding-left: 18px; }
.source { margin: 0; padding: 10px 0; font-size: 12.5px; line-height: 1.55; background: var(--inset); border: 1px solid var(--rule); border-radius: 8px; overflow-x: auto; }
.source span { display: block; padding: 0 14px; white-space: pre; width: max-content; min-width: 100%; }
.source i { display: inline-block; width: 3.2em; margin-right: 14px; text-align: right; color: var(--muted); font-style: normal; user-select: none; }
.source .hit { background: var(--bad-soft); box-shadow: inset 4px 0 0 var(--bad); }
.source .due { background: var(--warn-soft); box-shadow: inset 4px 0 0 var(--warn); }
.steps { margin: 0; padding: 6px 0; list-style: none; }
.steps li { display: grid; grid-template-columns: 2.2em 5.6em minmax(0, 1fr); gap: 12px; padding: 9px 16px; border-bottom: 1px solid var(--rule); }
.steps li:last-child { border-bottom: 0; }
.steps .hit { background: var(--bad-soft); box-shadow: inset 4px 0 0 var(--bad); }
.steps .ordinal { text-align: right; color: var(--muted); font-variant-numeric: tabular-nums; }
.meter { display: inline-block; width: 84px; height: 7px; border-radius: 4px; background: var(--rule); vertical-align: middle; margin-left: 6px; overflow: hidden; }
.meter i { display: block; height: 100%; background: var(--tone); }
footer { padding-bottom: 40px; color: var(--muted); font-size: 13px; }

svg.sequence { display: block; margin: 0 auto; font-size: 13px; }
.sequence text { fill: var(--text); text-anchor: middle; }
.lifeline { stroke: var(--lifeline); stroke-width: 1.2; stroke-dasharray: 4 4; }
.destroyed { stroke: var(--text); stroke-width: 2; }
.box { fill: var(--inset); stroke: var(--strong-rule); stroke-width: 1.2; }
.figure { fill: none; stroke: var(--text); stroke-width: 1.6; stroke-linecap: round; }
.sequence .head { font-weight: 600; }
.sequence .stereotype { fill: var(--muted); font-size: 11px; }
.bar { fill: var(--card); stroke: var(--line); }
.frame { fill: none; stroke: var(--frame); stroke-width: 1; }
.tint { fill: var(--tint); stroke: none; }
.tab { fill: var(--tint); stroke: var(--frame); }
.separator { stroke: var(--frame); stroke-dasharray: 5 4; }
.sequence .operator { text-anchor: start; font-weight: 650; font-size: 12px; }
.sequence .guard { text-anchor: start; fill: var(--muted); font-size: 12.5px; }
.label, .guard, .callout, .head { paint-order: stroke; stroke: var(--card); stroke-width: 4px; stroke-linejoin: round; }
.sequence .self { text-anchor: start; }
.note { fill: var(--note); stroke: var(--note-rule); }
.arrow { --tone: var(--line); }
.arrow.conforms { --tone: var(--ok); } .arrow.violates { --tone: var(--bad); } .arrow.unseen { --tone: var(--muted); }
.arrow.absent { --tone: var(--muted); } .arrow.unobservable { --tone: var(--info); } .arrow.standing { --tone: var(--info); }
.shaft { fill: none; stroke: var(--tone); stroke-width: 1.6; }
.shaft.dashed { stroke-dasharray: 6 4; }
.violates .shaft { stroke-width: 2.4; }
.tip { fill: var(--tone); } .gate { fill: var(--tone); }
.stick { fill: none; stroke: var(--tone); stroke-width: 1.8; stroke-linecap: round; }
.sequence .absent .label, .sequence .unseen .label, .sequence .unobservable .label { fill: var(--muted); }
.badge rect { fill: var(--card); stroke: var(--tone); }
.sequence .badge text { fill: var(--tone); font-size: 11px; font-weight: 650; font-variant-numeric: tabular-nums; }
.violates .badge rect { fill: var(--bad); }
.sequence .violates .badge text { fill: var(--on-strong); }
.band.bad { fill: var(--bad-soft); } .band.due { fill: var(--warn-soft); }
.sequence .line-number { text-anchor: end; fill: var(--muted); font-size: 11px; font-variant-numeric: tabular-nums; }
.pointer path { fill: var(--tone); } .sequence .pointer text { fill: var(--on-strong); font-weight: 700; }
.pointer.due, .callout.due { --tone: var(--warn); } .pointer.bad, .callout.bad { --tone: var(--bad); }
.sequence .callout { text-anchor: start; fill: var(--tone); font-size: 12.5px; font-weight: 600; }
.callout.bad { stroke: var(--bad-soft); } .callout.due { stroke: var(--warn-soft); }
.arrow:target .shaft { stroke-width: 3; } .arrow:target .badge rect { stroke-width: 3; }
@media (max-width: 640px) { main, footer { padding: 0 12px; } .card, .banner { padding: 18px 16px; } .contents li { grid-template-columns: 1fr; gap: 0; } }
@media print { body { background: none; } .card, .banner { break-inside: auto; border-color: #999; } figure, tr { break-inside: avoid; } }
`;
