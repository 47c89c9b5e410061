import type { Read } from '../diagnostics/index.ts';
import { arrivals, connectedParticipants, type Diagram, type Fragment, type Place } from '../diagram/index.ts';
import { Addresses, lifelineNamed } from './addresses.ts';
import { planArrows } from './arrow-plans.ts';
import type { ArrowPlan } from './arrow-plans.ts';
import { isList } from './binding.ts';
import type { Binding, BindingContent, MessageBinding, SelectorBinding } from './binding.ts';
import { boundArrows } from './bound-arrows.ts';
import type { Bound } from './bound-arrows.ts';
import { bridgedArrows } from './bridges.ts';
import { drawingOf, drawnFragments } from './drawing.ts';
import type { Drawing } from './drawing.ts';
import { DrawnOrder } from './drawn-order.ts';
import { withEntries } from './entries.ts';
import { Findings } from './findings.ts';
import { chooseBinding } from './choose-binding.ts';
import { chooseFragments } from './fragment-choices.ts';
import { draftMessages, replacedArrows, withKeys } from './messages.ts';
import { lifetimesOf } from './lifetimes.ts';
import { onOneLine, quoted, suggest } from './names.ts';
import { orderedArrows } from './ordered.ts';
import { overtakenArrows, refuseOvertaking, withOvertaking } from './overtaking.ts';
import { pairReplies } from './pairing.ts';
import type { FragmentForm, Pairing } from './pairing.ts';
import { Parameters } from './placeholders.ts';
import { refuseBreaks, refuseDepth, refuseForeignKeys, refuseLength } from './refusals.ts';
import { endingEvent, forbiddenEvents, switches, timedArrows } from './rules.ts';
import type { ArrowTiming } from './rules.ts';
import { showSteps, stepsTerm } from './steps.ts';
import type { ShownStep } from './steps.ts';
import { answerableCalls } from './solid-replies.ts';
import { arrowTerm, diagramTerm, EMPTY } from './term.ts';
import type { Built, FragmentChoices } from './term.ts';
import { precedence, unorderedArrows } from './unordered.ts';
import type { Unordered } from './unordered.ts';
import type {
  Contract,
  ContractMessage,
  ContractNote,
  DrawnReference,
  Lifeline,
  Node,
  Order,
  Selector,
  Timing,
} from './types.ts';
import { messagesIn, nodesOf } from './walk-term.ts';

export interface CompileOptions {
  /** Instead of the order that the binding says. */
  readonly order?: Order;
  /** `false`: judge the bare drawing, as if the binding said nothing of what differs (absent, erratum, unordered, ordered). */
  readonly errata?: boolean;
}

/**
 * Compiles a diagram with the binding that is meant for it; without one, with what the drawing alone says. With an error
 * among the diagnostics the contract is the best that could be made, and not to be judged by.
 */
export function compileContract(
  diagram: Diagram,
  bindings: readonly Binding[],
  options: CompileOptions = {},
): Read<Contract> {
  const { binding, diagnostics } = chooseBinding(diagram, bindings);
  const findings = new Findings(diagram.file, binding);
  const contract = compile(diagram, binding, options, findings);
  return { value: contract, diagnostics: [...diagnostics, ...findings.diagnostics] };
}

/** A diagram or a list of steps, brought to one form. */
interface Shown {
  readonly drawing: Drawing;
  readonly bound: ReadonlyMap<number, Bound>;
  readonly addresses: Addresses;
  readonly choices: FragmentChoices;
  readonly steps: readonly ShownStep[];
}

const NO_CHOICES: FragmentChoices = {
  bounds: new Map(),
  optional: new Set(),
  concurrent: new Set(),
  each: new Map(),
  guards: [],
};

function show(diagram: Diagram, content: BindingContent, findings: Findings): Shown {
  refuseForeignKeys(diagram, content, findings);
  if (diagram.dialect === 'steps') {
    const shown = showSteps(diagram, content, findings);
    return { ...shown, addresses: new Addresses(shown.drawing), choices: NO_CHOICES };
  }
  const drawing = drawingOf(diagram);
  refuseDepth(drawing, findings);
  refuseLength(drawing, findings);
  const addresses = new Addresses(drawing);
  const bound = boundArrows(content.messages, drawing, addresses, findings);
  return { drawing, bound, addresses, choices: chooseFragments(diagram, content, findings), steps: [] };
}

function compile(diagram: Diagram, binding: Binding | null, options: CompileOptions, findings: Findings): Contract {
  const said: BindingContent = binding?.content ?? {};
  const content = options.errata === false ? withoutErrata(said) : said;
  const { drawing, bound, addresses, choices, steps } = show(diagram, content, findings);
  const order = options.order ?? content.order ?? 'lifeline';
  const lifelines = traceParticipants(drawing.lifelines, content, findings);
  const parameters = new Parameters(declaredParameters(content));
  const pairing = pair(diagram, drawing, choices, findings);
  const plans = planArrows(drawing, bound, pairing, content, findings);
  const answerable = answerableCalls(drawing.arrows, new Set(pairing.callOf.values()), diagram.fragments);
  const sources = { plans, lifelines, drawn: drawing.drawn, pairing, answerable, parameters, addresses, findings };
  const drafts = draftMessages(sources);
  const key = keyOf(binding, parameters, findings);
  const messages = withKeys(drafts, key.at(-1), sources);
  const term = termOf(diagram, { drawing, choices, steps, plans, messages, key, findings });
  const overtaken = overtakenArrows(diagram);
  const mayPrecede = precedence(diagram, drawing, overtaken);
  const unordered = unorderedArrows(content, { addresses, plans, mayPrecede }, findings);
  const { concurrent } = choices;
  const drawnOrder = new DrawnOrder({ diagram, plans, order, mayPrecede, overtaken, unordered, concurrent });
  if (messages.length === 0 && findings.diagnostics.length === 0)
    findings.inDrawing(beginningOf(diagram), {
      code: 'CON107',
      severity: 'warning',
      message: `${quoted(diagram.name)} holds nothing that a trace could show`,
      hint: 'a verdict on it can only be vacuous',
    });
  return {
    v: 1,
    spec: { name: diagram.name, file: diagram.file, dialect: diagram.dialect },
    binding: binding?.file ?? null,
    order,
    lifelines,
    drawn: drawing.drawn,
    ...listed(
      'bound',
      plans.filter((plan) => plan.bound !== null).map(({ arrow }) => arrow.drawn),
    ),
    ...listed('fragments', drawnFragments(diagram)),
    messages: withEntries(messages, term),
    term,
    parameters: parameters.list,
    key,
    ...(content.only === undefined ? {} : { only: content.only }),
    unordered: unorderedPairs(plans, unordered, overtaken),
    ...listed(
      'ordered',
      orderedArrows(content, { addresses, overtaken, drawnOrder }, findings).flatMap(([one, other]) =>
        messagePairs(plans, [one], [other]),
      ),
    ),
    bridged: bridge(diagram, plans, { order, choices, overtaken, unordered, findings }),
    standing: standingMessages(steps, plans),
    closed: content.closed ?? false,
    ...connectionsOf(diagram, lifelines),
    ...listed('guards', choices.guards),
    ...listed(
      'timings',
      timedArrows(content, drawing, diagram, { addresses, drawnOrder }, findings).map(inMessages(plans)),
    ),
    ...listed('forbidden', forbiddenEvents(content, lifelines, sources)),
    ...endingEvent(content, lifelines, sources),
    ...switches(content),
    ...listed('lifetimes', diagram.dialect === 'steps' ? [] : lifetimesOf(diagram, plans)),
    ...listed('replaced', replacedArrows(sources)),
    ...referencesOf(diagram),
    notes: notesOf(plans, steps, unordered),
  };
}

/** The first place that is known of a diagram. */
const beginningOf = ({ steps, messages, fragments, notes, participants }: Diagram): Place =>
  [...steps.slice(0, 1), ...messages.slice(0, 1), ...fragments.slice(0, 1), ...notes.slice(0, 1), ...participants]
    .map(({ at }) => at)
    .reduce<Place | null>((first, at) => (first === null || at.line < first.line ? at : first), null) ?? {
    line: 1,
    column: 1,
  };

/** The topology's connections by lifeline; an empty list is kept, since it forbids everything. */
function connectionsOf(diagram: Diagram, lifelines: readonly Lifeline[]): Pick<Contract, 'connections'> {
  const pairs = connectedParticipants(diagram);
  if (pairs === null) return {};
  const indexOf = new Map(lifelines.map(({ id }, index) => [id, index]));
  const connections = pairs.flatMap(([one, other]): readonly (readonly [number, number])[] => {
    const a = indexOf.get(one);
    const b = indexOf.get(other);
    return a === undefined || b === undefined ? [] : [[Math.min(a, b), Math.max(a, b)]];
  });
  return { connections };
}

/** The binding without what it says of differences between drawing and system. */
function withoutErrata(content: BindingContent): BindingContent {
  const asDrawn = (message: MessageBinding): MessageBinding =>
    typeof message === 'object' && (message.absent !== undefined || message.erratum !== undefined) ? {} : message;
  const messages = Object.entries(content.messages ?? {}).map(
    ([key, entry]) => [key, isList(entry) ? entry.map(asDrawn) : asDrawn(entry)] as const,
  );
  return { ...content, messages: Object.fromEntries(messages), unordered: [], ordered: [] };
}

const inMessages =
  (plans: readonly ArrowPlan[]) =>
  ({ from, to, ...rest }: ArrowTiming): Timing => {
    // A folded arrow begins with its first part and is over with its last.
    const first = from.flatMap((arrow) => plans[arrow] ?? []).filter(({ count }) => count > 0);
    const last = to.flatMap((arrow) => plans[arrow] ?? []).filter(({ count }) => count > 0);
    return { ...rest, from: first.map((plan) => plan.first), to: last.map((plan) => plan.first + plan.count - 1) };
  };

/** What is drawn elsewhere: put in here (`inlineReferences`), or a gap. */
function referencesOf(diagram: Diagram): Pick<Contract, 'gaps' | 'inlined'> {
  const gaps: DrawnReference[] = [];
  const inlined: NonNullable<Contract['inlined']>[number][] = [];
  for (const fragment of diagram.fragments) {
    if (fragment.kind !== 'ref') continue;
    const { line, file } = fragment.at;
    const reference = {
      line,
      text: onOneLine(fragment.operands[0]?.guard ?? ''),
      ...(file === undefined ? {} : { file }),
    };
    if (fragment.inlined === undefined) gaps.push(reference);
    else {
      const { name, file: from } = fragment.inlined;
      inlined.push({ ...reference, name, from, arrows: arrowsIn(diagram, fragment) });
    }
  }
  return { ...listed('gaps', gaps), ...listed('inlined', inlined) };
}

/** Arrows that stand in a fragment, however deep. */
function arrowsIn(diagram: Diagram, fragment: Fragment): number {
  let arrows = 0;
  const pending = fragment.operands.flatMap(({ items }) => items);
  for (let item = pending.pop(); item !== undefined; item = pending.pop())
    if ('message' in item) arrows++;
    else
      for (const operand of diagram.fragments[item.fragment]?.operands ?? [])
        for (const one of operand.items) pending.push(one);
  return arrows;
}

/** A list as a field that stands only where it holds something. */
const listed = <Key extends string, Entry>(key: Key, entries: readonly Entry[]): { [_ in Key]?: readonly Entry[] } =>
  entries.length === 0 ? {} : ({ [key]: entries } as { [_ in Key]?: readonly Entry[] });

function traceParticipants(
  lifelines: readonly Lifeline[],
  content: BindingContent,
  findings: Findings,
): readonly Lifeline[] {
  const traced = new Map<number, readonly Selector[]>();
  for (const [name, selectors] of Object.entries(content.participants ?? {})) {
    const index = lifelineNamed(lifelines, name);
    if (index < 0) {
      const hint = suggest(
        name,
        lifelines.map(({ label }) => label),
        'drawn participants',
      );
      findings.atKey(['participants', name], {
        code: 'BND120',
        message: `no participant ${quoted(name)} is drawn`,
        hint,
      });
    } else traced.set(index, [selectors].flat().map(selectorOf));
  }
  return lifelines.map((lifeline, index) => ({ ...lifeline, traced: traced.get(index) ?? lifeline.traced }));
}

const selectorOf = (selector: SelectorBinding): Selector =>
  typeof selector === 'string' ? { name: selector } : { name: selector.is, when: selector.when };

const declaredParameters = (content: BindingContent) =>
  Object.entries(content.parameters ?? {}).map(([name, parameter]) => ({
    name,
    ...(typeof parameter === 'string' ? { from: parameter } : parameter),
    guessed: false,
  }));

function pair(diagram: Diagram, drawing: Drawing, choices: FragmentChoices, findings: Findings): Pairing {
  const formOf = (fragment: number): FragmentForm => {
    const { kind, operands } = diagram.fragments[fragment] ?? { kind: 'group', operands: [] };
    const isSkippable = kind === 'alt' ? operands.length < 2 || choices.optional.has(fragment) : SKIPPABLE.has(kind);
    return { kind, isSkippable };
  };
  const pairing = pairReplies(drawing.arrows, drawing.visits, formOf, arrivals(diagram));
  for (const reply of pairing.ambiguous)
    findings.inDrawing(drawing.arrows[reply]?.at ?? { line: 1, column: 1 }, {
      code: 'CON105',
      message: 'this reply answers one call on one path and another on another, which is not supported yet',
      hint: 'draw the reply in each branch, beside its call',
    });
  if (pairing.isTooBranched)
    findings.inDrawing(diagram.fragments[0]?.at ?? { line: 1, column: 1 }, {
      code: 'CON104',
      message: 'there are too many paths on which calls may be open to tell which call each reply answers',
      hint: 'draw each reply in the branch of its call',
    });
  return pairing;
}

const SKIPPABLE: ReadonlySet<string> = new Set(['opt', 'loop', 'break']);

/** Guessed parameters name an instance only where no binding says what does. */
function keyOf(binding: Binding | null, parameters: Parameters, findings: Findings): readonly string[] {
  const last = parameters.list.filter(({ guessed }) => guessed === (binding === null)).at(-1);
  const instance = binding?.content.instance;
  if (instance === undefined) return last === undefined ? [] : [last.name];
  const names = [instance].flat();
  for (const [position, name] of names.entries())
    if (parameters.get(name) === undefined)
      findings.atValue(typeof instance === 'string' ? ['instance'] : ['instance', position], {
        code: 'BND124',
        message: `${quoted(name)} is no declared parameter`,
        hint: suggest(
          name,
          parameters.list.map((parameter) => parameter.name),
          'parameters',
        ),
      });
  return names.filter((name) => parameters.get(name) !== undefined);
}

interface TermSources {
  readonly drawing: Drawing;
  readonly choices: FragmentChoices;
  readonly steps: readonly ShownStep[];
  readonly plans: readonly ArrowPlan[];
  readonly messages: readonly ContractMessage[];
  readonly key: readonly string[];
  readonly findings: Findings;
}

function termOf(diagram: Diagram, { drawing, choices, steps, plans, messages, key, findings }: TermSources): Node {
  const arrow = (index: number): Built => {
    const plan = plans[index];
    return plan === undefined || plan.count === 0
      ? EMPTY
      : arrowTerm(messages.slice(plan.first, plan.first + plan.count), plan.times);
  };
  if (diagram.dialect === 'steps') return stepsTerm(steps, arrow);
  refuseBreaks(diagram, choices.concurrent, findings);
  refuseOvertaking(diagram, plans, findings);
  const { term, strays } = diagramTerm(diagram, drawing.visits, choices, withOvertaking(diagram, plans, arrow));
  for (const fragment of strays)
    findings.atValue(['concurrent'], {
      code: 'BND134',
      message: `the loop ${quoted(diagram.fragments[fragment]?.operands[0]?.guard ?? '')} does not stand right after the others`,
      hint: 'concurrent loops stand side by side in one place, with nothing drawn between them',
    });
  warnOfKeyless(term, messages, key.at(-1), findings);
  return term;
}

/** Loops that are not known to show whose an iteration is hold nothing up. */
function warnOfKeyless(
  term: Node,
  messages: readonly ContractMessage[],
  key: string | undefined,
  findings: Findings,
): void {
  if (key === undefined) return;
  for (const node of nodesOf(term)) {
    if (node.kind !== 'concurrent') continue;
    const known = node.loops.filter((loop) => messagesIn(loop).some((message) => messages[message]?.keyed === true));
    if (known.length > 1) continue;
    findings.atValue(['concurrent'], {
      code: 'BND143',
      severity: 'warning',
      message: `${known.length === 0 ? 'no loop' : 'only one loop'} of these has a message that is known to show ${quoted(key)}: nothing holds between them`,
      hint: `let a pattern capture it ("... {${key}}"), ask for it with \`when: has(...)\`, or give an \`example\` that the drawing shows`,
    });
  }
}

function messagePairs(
  plans: readonly ArrowPlan[],
  earlier: readonly number[],
  later: readonly number[],
): (readonly [number, number])[] {
  const messagesOf = (arrow: number): number[] =>
    Array.from({ length: plans[arrow]?.count ?? 0 }, (_, part) => (plans[arrow]?.first ?? 0) + part);
  return earlier.flatMap(messagesOf).flatMap((one) => later.flatMap(messagesOf).map((other) => [one, other] as const));
}

/** Of two arrows that overtake each other, one is drawn first at one end and the other at the other: both ways are let go. */
function unorderedPairs(
  plans: readonly ArrowPlan[],
  unordered: readonly Unordered[],
  overtaken: ReadonlyMap<number, ReadonlySet<number>>,
): Contract['unordered'] {
  return unordered.flatMap(({ arrow, others }) => {
    const overtaking = others.filter(
      (other) => overtaken.get(arrow)?.has(other) === true || overtaken.get(other)?.has(arrow) === true,
    );
    return [...messagePairs(plans, [arrow], others), ...messagePairs(plans, overtaking, [arrow])];
  });
}

interface BridgeSources {
  readonly order: Order;
  readonly choices: FragmentChoices;
  readonly overtaken: ReadonlyMap<number, ReadonlySet<number>>;
  readonly unordered: readonly Unordered[];
  readonly findings: Findings;
}

function bridge(
  diagram: Diagram,
  plans: readonly ArrowPlan[],
  { order, choices: { concurrent }, overtaken, unordered, findings }: BridgeSources,
): Contract['bridged'] {
  const notPromised = new Map<number, Set<number>>();
  for (const { arrow, others } of unordered)
    notPromised.set(arrow, new Set([...(notPromised.get(arrow) ?? []), ...others]));
  const facts = { fragments: diagram.fragments, concurrent, overtaken, unordered: notPromised };
  const pairs = bridgedArrows(plans, order, facts);
  if (pairs === null)
    findings.inDrawing(plans[0]?.arrow.at ?? { line: 1, column: 1 }, {
      code: 'CON102',
      message: 'there are too many unobservable messages to work out which order they keep',
      hint: 'split the diagram, or say absent where the order does not matter',
    });
  return (pairs ?? []).flatMap(([earlier, later]) => messagePairs(plans, [earlier], [later]));
}

/** Each must be shown before the first message of the next step that has one. */
function standingMessages(steps: readonly ShownStep[], plans: readonly ArrowPlan[]): Contract['standing'] {
  const firstOf = ({ arrows }: ShownStep): number | null => {
    const plan = arrows.map((arrow) => plans[arrow]).find((one) => one !== undefined && one.count > 0);
    return plan?.first ?? null;
  };
  return steps.flatMap((step, position) => {
    const message = firstOf(step);
    if (step.standing === null || message === null) return [];
    const next = steps.slice(position + 1).find((one) => one.standing === null && firstOf(one) !== null);
    return [{ message, before: next === undefined ? null : firstOf(next) }];
  });
}

const UNORDERED_REASON = 'drawn before, not promised';

function notesOf(
  plans: readonly ArrowPlan[],
  steps: readonly ShownStep[],
  unordered: readonly Unordered[],
): readonly ContractNote[] {
  const drawnOf = (arrow: number): number => plans[arrow]?.arrow.drawn ?? 0;
  const notes: ContractNote[] = [];
  for (const { arrow, bound, omitted } of plans) {
    const { drawn } = arrow;
    if (omitted !== null) notes.push({ ...omitted, drawn });
    else if (bound?.details.erratum !== undefined)
      notes.push({ kind: 'erratum', drawn, reason: bound.details.erratum });
  }
  for (const { drawn, omitted, standing } of steps) {
    if (omitted !== null) notes.push({ ...omitted, drawn });
    if (standing !== null) notes.push({ kind: 'standing', drawn, reason: standing });
  }
  for (const { arrow, others } of unordered)
    notes.push({ kind: 'unordered', drawn: drawnOf(arrow), others: others.map(drawnOf), reason: UNORDERED_REASON });
  return notes.sort((one, other) => one.drawn - other.drawn);
}
