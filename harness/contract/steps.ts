import type { Diagram } from '../diagram/index.ts';
import { isList } from './binding.ts';
import type { BindingContent, Path, ShownMessage, StepBinding, StepDetails } from './binding.ts';
import { detailsOf } from './bound-arrows.ts';
import type { Bound } from './bound-arrows.ts';
import { Lifelines } from './drawing.ts';
import type { Arrow, Drawing } from './drawing.ts';
import type { Findings } from './findings.ts';
import { quoted, suggest } from './names.ts';
import { sequence } from './term.ts';
import type { Built } from './term.ts';
import type { DrawnArrow, Node } from './types.ts';

/** One step as its binding shows it. */
export interface ShownStep {
  readonly drawn: number;
  /** Its messages, by arrow index. */
  readonly arrows: readonly number[];
  readonly omitted: { readonly kind: 'absent' | 'unobservable'; readonly reason: string } | null;
  /** The reason why it holds from before the run. */
  readonly standing: string | null;
  /** The step beside which it happens, by position; its own where it stands alone. */
  readonly beside: number;
}

export interface ShownSteps {
  readonly drawing: Drawing;
  readonly bound: ReadonlyMap<number, Bound>;
  readonly steps: readonly ShownStep[];
}

/** A list of steps has no arrows of its own: the binding writes them, step by step. */
export function showSteps(diagram: Diagram, content: BindingContent | null, findings: Findings): ShownSteps {
  const entries = entriesByNumber(diagram, content, findings);
  const lifelines = new Lifelines();
  const arrows: Arrow[] = [];
  const bound = new Map<number, Bound>();
  const steps: ShownStep[] = [];
  for (const [drawn, step] of diagram.steps.entries()) {
    const path: Path = ['steps', String(step.number)];
    const binding = entries.get(step.number);
    const details: StepDetails = binding === undefined || isShown(binding) ? {} : binding;
    const [shown, shownPath] =
      binding !== undefined && isShown(binding) ? [binding, path] : [details.show ?? [], [...path, 'show']];
    const first = arrows.length;
    for (const [position, entry] of shown.entries())
      for (const [text, bindingOf] of Object.entries(entry)) {
        const message = detailsOf(bindingOf);
        // Its pattern is its text, so that another step can name it: `Scheduler -> ApiServer: POST`.
        arrows.push(arrowOf(text, { index: arrows.length, drawn, at: step.at, text: message.match ?? '' }, lifelines));
        bound.set(arrows.length - 1, { details: message, path: [...shownPath, position, text] });
      }
    if (details.standing !== undefined && arrows.length - first !== 1)
      findings.atValue([...path, 'show'], {
        code: 'BND132',
        message: `step ${step.number} stands, so one message opens it`,
        hint: 'show the message that opens it, and only that',
      });
    steps.push({
      drawn,
      arrows: arrows.slice(first).map(({ index }) => index),
      omitted: omissionOf(details),
      standing: details.standing ?? null,
      beside: besideOf(diagram, drawn, details, steps, findings),
    });
  }
  const visits = arrows.map(({ index }) => ({ kind: 'arrow', arrow: index }) as const);
  return {
    drawing: { lifelines: lifelines.list, drawn: drawnSteps(diagram, arrows, lifelines), arrows, visits },
    bound,
    steps,
  };
}

const isShown = (entry: StepBinding): entry is readonly ShownMessage[] => isList(entry);

function entriesByNumber(
  diagram: Diagram,
  content: BindingContent | null,
  findings: Findings,
): ReadonlyMap<number, StepBinding> {
  const entries = new Map(Object.entries(content?.steps ?? {}).map(([number, step]) => [Number(number), step]));
  const numbers = diagram.steps.map(({ number }) => number);
  for (const number of entries.keys())
    if (!numbers.includes(number))
      findings.atKey(['steps', String(number)], {
        code: 'BND130',
        message: `there is no step ${number}`,
        hint: suggest(String(number), numbers.map(String), 'steps'),
      });
  const unbound = diagram.steps.filter(({ number }) => !entries.has(number));
  // Without any binding one sentence says it all.
  for (const { number, text, at } of content?.steps === undefined ? unbound.slice(0, 1) : unbound)
    findings.inDrawing(at, {
      code: 'CON106',
      message: `step ${number} has no binding: ${quoted(text)}`,
      hint: `under steps: ${number}: [From -> To: pattern], or ${number}: { absent: why } or { unobservable: why }`,
    });
  for (const [position, { number, at }] of diagram.steps.entries())
    if (numbers.indexOf(number) < position)
      findings.inDrawing(at, {
        code: 'CON109',
        message: `a second step has the number ${number}`,
        hint: 'number the steps 1, 2, 3: the binding names them so',
      });
  return entries;
}

const STEP_ARROW = /^\s*(.+?)\s+(-->>|-->|->>|->|-x|-\))\s+(.+?)\s*$/su;

function arrowOf(text: string, place: Pick<Arrow, 'index' | 'drawn' | 'at' | 'text'>, lifelines: Lifelines): Arrow {
  const [, from, shaft, to] = STEP_ARROW.exec(text) ?? [];
  if (from === undefined || shaft === undefined || to === undefined)
    throw new Error(`"${text}" is no arrow: the schema refuses such a key`);
  return {
    ...place,
    from: lifelines.indexOf(from),
    to: lifelines.indexOf(to),
    line: shaft.startsWith('--') ? 'dashed' : 'solid',
    isOneWay: shaft === '-x' || shaft === '-)',
    mayBeLost: shaft === '-x',
    within: null,
  };
}

function omissionOf({ absent, unobservable }: StepDetails): ShownStep['omitted'] {
  if (absent !== undefined) return { kind: 'absent', reason: absent };
  return unobservable === undefined ? null : { kind: 'unobservable', reason: unobservable };
}

function besideOf(
  diagram: Diagram,
  drawn: number,
  details: StepDetails,
  earlier: readonly ShownStep[],
  findings: Findings,
): number {
  if (details.while === undefined) return drawn;
  const other = diagram.steps.findIndex(({ number }) => number === details.while);
  if (other >= 0 && other < drawn) return earlier[other]?.beside ?? other;
  findings.atValue(['steps', String(diagram.steps[drawn]?.number ?? 0), 'while'], {
    code: 'BND132',
    message: `there is no earlier step ${details.while}`,
    hint: 'while: the number of a step before this one',
  });
  return drawn;
}

function drawnSteps(diagram: Diagram, arrows: readonly Arrow[], lifelines: Lifelines): DrawnArrow[] {
  const nameOf = (lifeline: number | null | undefined): string => lifelines.list[lifeline ?? -1]?.label ?? '';
  return diagram.steps.map(({ text, at }, index) => {
    const first = arrows.find(({ drawn }) => drawn === index);
    const { line, column } = at;
    return {
      index,
      file: diagram.file,
      line,
      column,
      from: nameOf(first?.from),
      to: nameOf(first?.to),
      text,
      style: 'step',
    };
  });
}

/** No fragment is drawn around steps that happen beside each other. */
export const NOT_DRAWN = -1;

/** Steps in sequence; those that happen beside an earlier one stand with it. Standing steps are no part of the run. */
export function stepsTerm(steps: readonly ShownStep[], termOf: (arrow: number) => Built): Node {
  const groups = new Map<number, Built[]>();
  for (const { beside, arrows, standing } of steps) {
    if (standing !== null || arrows.length === 0) continue;
    groups.set(beside, [...(groups.get(beside) ?? []), sequence(arrows.map(termOf))]);
  }
  const inOrder = [...groups].sort(([one], [other]) => one - other).map(([, group]) => group);
  return sequence(inOrder.map(besides)).node;
}

function besides(group: readonly Built[]): Built {
  const [only] = group;
  if (only !== undefined && group.length === 1) return only;
  const operands = group.map(({ node }) => node);
  return { node: { kind: 'par', operands, fragment: NOT_DRAWN }, keyed: group.some(({ keyed }) => keyed) };
}
