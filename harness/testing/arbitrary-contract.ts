import * as fc from 'fast-check';
import type { Contract, ContractMessage, Node, Order } from '../contract/index.ts';
import type { EventKind, SourcedEvent, TraceEvent } from '../trace/index.ts';
import { linearExtension, type Drawn } from './linear-extension.ts';
import { DrawnOrder, placeIn, relationOfIterations, type Place } from './oracle-order.ts';

/** A small contract with a trace to judge it by. */
export interface JudgedCase {
  readonly contract: Contract;
  readonly events: readonly SourcedEvent[];
  /** How the trace was made: one execution for each key, one or two of them, the same with changes, or at random. */
  readonly origin: 'drawn' | 'repeated' | 'mutated' | 'random';
  /** The trace is one whole execution for each key, and each reply names the call that it answers. */
  readonly conformsByConstruction: boolean;
  /** What fast-check prints of a counterexample. */
  readonly [fc.toStringMethod]: () => string;
}

/** What may be generated; every limit is inclusive. */
export interface CaseLimits {
  readonly messagesMax: number;
  readonly eventsMax: number;
}

const LIFELINES = ['A', 'B', 'C', 'D', 'E'];
const DEFAULT_LIMITS: CaseLimits = { messagesMax: 6, eventsMax: 7 };

/** Small contracts and traces, conforming, nearly conforming and arbitrary ones, for comparing judges. */
export function arbitraryCase(limits: CaseLimits = DEFAULT_LIMITS): fc.Arbitrary<JudgedCase> {
  return fc
    .record({
      shape: arbitraryShape(),
      order: fc.constantFrom<Order>('strict', 'lifeline', 'causal'),
      isKeyed: fc.boolean(),
      keepsEmpty: fc.nat(9).map((roll) => roll === 9),
      unordered: fc.oneof(
        { weight: 2, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { minLength: 1, maxLength: 2 }) },
      ),
      origin: fc.constantFrom<JudgedCase['origin']>('drawn', 'repeated', 'mutated', 'mutated', 'mutated', 'random'),
      tape: fc.array(fc.nat(59), { minLength: 60, maxLength: 60 }),
    })
    .map(({ shape, tape, origin, ...rest }) => {
      const contract = buildContract(shape, rest, limits);
      const made = { contract, origin, ...traceOf(contract, origin, new Choices(tape), limits) };
      return { ...made, [fc.toStringMethod]: () => describeCase(made) };
    });
}

/** A case in a few lines, as people would write it down: the order, the term, and one line for each event. */
export function describeCase({ contract, events }: Pick<JudgedCase, 'contract' | 'events'>): string {
  const { order, key, unordered } = contract;
  const unorderedText = unordered.map(([a, b]) => `${a} and ${b}`).join(', ');
  return [
    `order: ${order}, key: ${key.join() || 'none'}, unordered: ${unorderedText || 'none'}`,
    describeNode(contract, contract.term),
    ...events.map(({ event }) => describeEvent(event)),
  ].join('\n');
}

function describeNode(contract: Contract, node: Node): string {
  const all = (nodes: readonly Node[], separator: string): string =>
    nodes.map((inner) => describeNode(contract, inner)).join(separator);
  switch (node.kind) {
    case 'message':
      return describeMessage(contract.messages[node.message]);
    case 'seq':
      return `(${all(node.items, '; ')})`;
    case 'par':
      return `par{${all(node.operands, ' | ')}}`;
    case 'alt':
      return `alt${node.optional ? '?' : ''}{${all(node.operands, ' | ')}}`;
    case 'opt':
      return `opt{${all([node.body], '')}}`;
    case 'loop':
      return `loop(${node.min}..${node.max ?? '*'}){${all([node.body], '')}}`;
    case 'concurrent':
      return `concurrent{${all(node.loops, ' | ')}}`;
    case 'guarded':
    case 'critical':
    case 'break':
      return `${node.kind}{${all([node.body], '')}}`;
  }
}

function describeMessage(message: ContractMessage | undefined): string {
  if (message === undefined) return '?';
  const { index, from, to, kind, replyOf, match } = message;
  const role = replyOf === undefined ? kind : `${kind} of ${replyOf}`;
  return `${index}: ${nameAt(from)}->${nameAt(to)} ${match.label ?? ''} [${role}]`;
}

/** In the shorthand of transcripts. */
function describeEvent({ seq, receivedSeq, from, to, label, kind, id, replyTo, attributes }: TraceEvent): string {
  const at = receivedSeq === undefined ? `at=${seq}` : `at=${seq}..${receivedSeq}`;
  const pairing = [id === undefined ? '' : ` id=${id}`, replyTo === undefined ? '' : ` reply=${replyTo}`].join('');
  const key = attributes?.['k'] === undefined ? '' : ` k=${attributes['k']}`;
  return `${from} -> ${to} ${label} kind=${kind} ${at}${pairing}${key}`;
}

// --- Contracts -----------------------------------------------------------------------------------------------------

/** What is drawn, before its messages are numbered and its replies are paired. */
type Shape =
  | {
      readonly kind: 'message';
      /** `answer`: the reply to a call that is open here. */
      readonly as: 'call' | 'send' | 'reply' | 'answer';
      /** `follows`: sent by whom the message drawn before it reaches, as most drawn messages are; else by `from`. */
      readonly follows: boolean;
      readonly from: number;
      readonly away: number;
      /** null: a label of its own; else the label, or the whole message, of an earlier one. */
      readonly like: { readonly earlier: number; readonly whole: boolean } | null;
    }
  | { readonly kind: 'seq' | 'par'; readonly parts: readonly Shape[] }
  | { readonly kind: 'alt'; readonly parts: readonly Shape[]; readonly optional: boolean }
  | { readonly kind: 'opt'; readonly body: Shape }
  | { readonly kind: 'loop'; readonly body: Shape; readonly min: number; readonly more: number | null };

function arbitraryShape(): fc.Arbitrary<Shape> {
  // Deeper loops multiply the executions of the oracle and show nothing that two do not.
  return fc.array(arbitraryPart(3, 2), { minLength: 1, maxLength: 5 }).map((parts): Shape => ({ kind: 'seq', parts }));
}

function arbitraryPart(depth: number, loops: number): fc.Arbitrary<Shape> {
  if (depth === 0) return ARBITRARY_MESSAGE;
  const inner = arbitraryPart(depth - 1, loops);
  const sequence = fc.array(inner, { maxLength: 3 }).map((parts): Shape => ({ kind: 'seq', parts }));
  const body = fc.oneof({ weight: 1, arbitrary: inner }, { weight: 2, arbitrary: sequence });
  const operands = fc.array(body, { minLength: 2, maxLength: 3 });
  const fragments: fc.Arbitrary<Shape>[] = [
    operands.map((parts) => ({ kind: 'par', parts })),
    fc.record({ kind: fc.constant('alt'), parts: operands, optional: fc.boolean() }),
    body.map((part) => ({ kind: 'opt', body: part })),
    body.map((part) => ({ kind: 'alt', parts: [part], optional: true })),
  ];
  if (loops > 0) fragments.push(arbitraryLoop(depth, loops), arbitraryLoop(depth, loops));
  return fc.oneof(
    { weight: 4, arbitrary: ARBITRARY_MESSAGE },
    { weight: 3, arbitrary: fc.oneof(...fragments) },
    { weight: 2, arbitrary: arbitraryExchange(inner) },
  );
}

/** A call, what its receiver does, and a reply: the drawing that `causal` has a rule of its own for. */
function arbitraryExchange(inner: fc.Arbitrary<Shape>): fc.Arbitrary<Shape> {
  const onward = arbitraryMessage('call', 'send').map((message): Shape => ({ ...message, follows: true, like: null }));
  const parts = fc.array(fc.oneof(inner, onward), { minLength: 1, maxLength: 2 });
  return fc
    .tuple(arbitraryMessage('call'), parts, arbitraryMessage('answer'))
    .map(([call, between, answer]): Shape => ({ kind: 'seq', parts: [call, ...between, answer] }));
}

function arbitraryLoop(depth: number, loops: number): fc.Arbitrary<Shape> {
  return fc.record({
    kind: fc.constant('loop'),
    body: fc
      .array(arbitraryPart(depth - 1, loops - 1), { minLength: 1, maxLength: 3 })
      .map((parts): Shape => ({ kind: 'seq', parts })),
    min: fc.constantFrom(0, 0, 0, 1, 2),
    more: fc.constantFrom(null, null, null, 0, 1, 2),
  });
}

type MessageShape = Extract<Shape, { kind: 'message' }>;

function arbitraryMessage(...as: readonly MessageShape['as'][]): fc.Arbitrary<MessageShape> {
  return fc.record({
    kind: fc.constant('message'),
    as: fc.constantFrom(...as),
    follows: fc.boolean(),
    from: fc.nat(LIFELINES.length - 1),
    // Mostly to another lifeline, sometimes to oneself; few distances, so that messages share their lifelines often.
    away: fc.constantFrom(1, 1, 1, 2, 2, 3, 0),
    like: fc.oneof(
      { weight: 6, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.record({ earlier: fc.nat(5), whole: fc.boolean() }) },
    ),
  });
}

const ARBITRARY_MESSAGE = arbitraryMessage('call', 'call', 'send', 'answer', 'answer', 'reply');

interface Build {
  readonly messages: ContractMessage[];
  readonly messagesMax: number;
  /** Fragments are numbered as they are drawn. */
  fragments: number;
}

function buildContract(
  shape: Shape,
  options: { order: Order; isKeyed: boolean; keepsEmpty: boolean; unordered: readonly (readonly [number, number])[] },
  limits: CaseLimits,
): Contract {
  const build: Build = { messages: [], messagesMax: limits.messagesMax, fragments: 0 };
  const { node } = buildNode(build, shape, []);
  // A drawing needs an arrow: one is added where the shape holds none.
  const whole = build.messages.length > 0 ? node : buildMessage(build, FIRST_MESSAGE, []).node;
  const term = options.keepsEmpty ? whole : withoutEmpty(whole);
  const { messages } = build;
  const indexes = messages.map(({ index }) => index);
  return {
    v: 1,
    spec: { name: 'generated', file: 'generated.mmd', dialect: 'mermaid' },
    binding: null,
    order: options.order,
    lifelines: LIFELINES.map((name) => ({ id: name, label: name, traced: [{ name }] })),
    drawn: messages.map(({ index, from, to, kind, match }) => ({
      index,
      file: 'generated.mmd',
      line: index + 1,
      column: 1,
      from: nameAt(from),
      to: nameAt(to),
      text: match.label ?? '',
      style: kind === 'reply' ? 'dashed' : 'solid',
    })),
    messages,
    term,
    parameters: options.isKeyed ? [{ name: 'k', from: 'k', guessed: false }] : [],
    key: options.isKeyed ? ['k'] : [],
    unordered: options.unordered.filter(([a, b]) => a < b && indexes.includes(b)),
    bridged: [],
    standing: [],
    closed: false,
    notes: [],
  };
}

const FIRST_MESSAGE = { kind: 'message', as: 'call', follows: false, from: 0, away: 1, like: null } as const;

/** A term, and the calls that are open on some path behind it, in drawn order. */
interface Built {
  readonly node: Node;
  readonly open: readonly number[];
}

function buildNode(build: Build, shape: Shape, open: readonly number[]): Built {
  switch (shape.kind) {
    case 'message':
      return build.messages.length < build.messagesMax
        ? buildMessage(build, shape, open)
        : { node: { kind: 'seq', items: [] }, open };
    case 'seq': {
      let reached = open;
      const items = shape.parts.map((part) => {
        const built = buildNode(build, part, reached);
        reached = built.open;
        return built.node;
      });
      return { node: { kind: 'seq', items }, open: reached };
    }
    case 'par': {
      const fragment = build.fragments++;
      const built = shape.parts.map((part) => buildNode(build, part, open));
      return { node: { kind: 'par', operands: built.map(({ node }) => node), fragment }, open: union(built, []) };
    }
    case 'alt': {
      const fragment = build.fragments++;
      const built = shape.parts.map((part) => buildNode(build, part, open));
      const operands = built.map(({ node }) => node);
      const { optional } = shape;
      return {
        node: { kind: 'alt', operands, optional, fragment, keyed: true },
        open: union(built, optional ? open : []),
      };
    }
    case 'opt': {
      const fragment = build.fragments++;
      const built = buildNode(build, shape.body, open);
      return { node: { kind: 'opt', body: built.node, fragment, keyed: true }, open: union([built], open) };
    }
    case 'loop': {
      const fragment = build.fragments++;
      const built = buildNode(build, shape.body, open);
      const max = shape.more === null ? null : Math.max(1, shape.min + shape.more);
      return {
        node: { kind: 'loop', body: built.node, min: shape.min, max, fragment, keyed: true },
        open: union([built], open),
      };
    }
  }
}

/** Fragments in which nothing is drawn are rare in real drawings, but the cut at `messagesMax` leaves many. */
function withoutEmpty(node: Node): Node {
  const inner = (nodes: readonly Node[]): Node[] => nodes.map(withoutEmpty).filter((part) => !isEmpty(part));
  switch (node.kind) {
    case 'message':
    case 'concurrent':
    case 'guarded':
    case 'critical':
    case 'break':
      return node;
    case 'seq':
      return { ...node, items: inner(node.items) };
    case 'par':
      return orNothing(inner(node.operands), (operands) => ({ ...node, operands }));
    case 'alt': {
      const operands = inner(node.operands);
      const hadEmpty = operands.length < node.operands.length;
      return orNothing(operands, () => ({ ...node, operands, optional: node.optional || hadEmpty }));
    }
    case 'opt':
    case 'loop':
      return orNothing(inner([node.body]), ([body = NOTHING]) => ({ ...node, body }));
  }
}

const NOTHING: Node = { kind: 'seq', items: [] };

function isEmpty(node: Node): boolean {
  return node.kind === 'seq' && node.items.length === 0;
}

function orNothing(nodes: readonly Node[], make: (nodes: readonly Node[]) => Node): Node {
  return nodes.length === 0 ? NOTHING : make(nodes);
}

function union(built: readonly Built[], open: readonly number[]): readonly number[] {
  return [...new Set([...open, ...built.flatMap((part) => part.open)])].sort((a, b) => a - b);
}

function buildMessage(build: Build, shape: MessageShape, open: readonly number[]): Built {
  const index = build.messages.length;
  const { like } = shape;
  const model = like === null || index === 0 ? undefined : build.messages[like.earlier % index];
  const ends = endsOf(build, shape, open, model !== undefined && like?.whole === true ? model : undefined);
  const label = model?.match.label ?? `m${index}`;
  const twin = build.messages.find((earlier) => isAlike(earlier, ends) && earlier.match.label === label);
  // One text between the same two is of one kind: which of a call and a send an event is, is not the oracle's matter.
  const kind = twin?.kind ?? ends.kind;
  const answered = kind === 'reply' ? latestOpen(build, open, ends) : undefined;
  build.messages.push({
    index,
    drawn: index,
    from: ends.from,
    to: ends.to,
    kind,
    ...(answered === undefined ? {} : { replyOf: answered }),
    match: { label, inside: { kind: 'free' } },
    keyed: true,
  });
  const stillOpen = open.filter((call) => call !== answered);
  return { node: { kind: 'message', message: index }, open: kind === 'call' ? [...stillOpen, index] : stillOpen };
}

interface Ends {
  readonly from: number;
  readonly to: number;
  readonly kind: ContractMessage['kind'];
}

function endsOf(build: Build, shape: MessageShape, open: readonly number[], model: ContractMessage | undefined): Ends {
  const sender = (shape.follows ? build.messages.at(-1)?.to : undefined) ?? shape.from;
  const from = model?.from ?? sender;
  const to = model?.to ?? (sender + shape.away) % LIFELINES.length;
  if (model !== undefined) return { from, to, kind: model.kind };
  if (shape.as !== 'answer') return { from, to, kind: shape.as === 'reply' && from === to ? 'send' : shape.as };
  const call = build.messages[open.at(-1 - (shape.from % Math.max(1, open.length))) ?? -1];
  if (call === undefined || call.from === call.to) return { from, to, kind: 'send' };
  return { from: call.to ?? 0, to: call.from ?? 0, kind: 'reply' };
}

function isAlike(message: ContractMessage, ends: Ends): boolean {
  return message.from === ends.from && message.to === ends.to && (message.kind === 'reply') === (ends.kind === 'reply');
}

function latestOpen(build: Build, open: readonly number[], ends: Ends): number | undefined {
  return open.findLast((call) => build.messages[call]?.from === ends.to && build.messages[call].to === ends.from);
}

function nameAt(lifeline: number | null): string {
  return LIFELINES[lifeline ?? -1] ?? '';
}

// --- Traces --------------------------------------------------------------------------------------------------------

/** Decisions read from a tape of numbers, so that a shorter or smaller tape is a simpler case. At its end: always 0. */
class Choices {
  readonly #tape: readonly number[];
  #next = 0;

  constructor(tape: readonly number[]) {
    this.#tape = tape;
  }

  /** A number below `count`. */
  below(count: number): number {
    return (this.#tape[this.#next++] ?? 0) % Math.max(1, count);
  }

  /** One of the items; undefined where there is none. */
  of<T>(items: readonly T[]): T | undefined {
    return items[this.below(items.length)];
  }
}

/** An event before it has its place. `answers`: the call of this reply, as far as the execution knows. */
interface Draft {
  readonly event: Omit<TraceEvent, 'seq' | 'receivedSeq' | 'id' | 'replyTo'>;
  readonly answers?: Draft;
}

/** One position of the trace being made. Marks that share a draft are the two ends of one event. */
interface Mark {
  readonly draft: Draft;
  readonly end: 'both' | 'send' | 'receipt';
}

function traceOf(
  contract: Contract,
  origin: JudgedCase['origin'],
  choices: Choices,
  limits: CaseLimits,
): Pick<JudgedCase, 'events' | 'conformsByConstruction'> {
  const keys = contract.key.length === 0 || choices.below(3) === 0 ? ['x'] : ['x', 'y'];
  const isPaired = choices.below(3) < 2;
  const finish = (marks: readonly Mark[]): readonly SourcedEvent[] => numbered(withNoise(marks, choices), isPaired);
  if (origin === 'random')
    return { events: finish(randomMarks(contract, keys, choices, limits)), conformsByConstruction: false };
  const drawn = drawnMarks(contract, keys, origin === 'drawn' ? 1 : 2, { choices, limits });
  if (origin === 'mutated')
    return { events: finish(mutate(contract, drawn, choices, limits)), conformsByConstruction: false };
  const first = firstEvents(drawn, limits.eventsMax);
  const isEachPaired = drawn.every(({ draft }) => draft.event.kind !== 'reply' || (isPaired && draft.answers));
  return {
    events: finish(first),
    conformsByConstruction: origin === 'drawn' && first.length === drawn.length && isEachPaired,
  };
}

/** For each key up to `runsMax` executions, one after the other; those of different keys interleave. */
function drawnMarks(
  contract: Contract,
  keys: readonly string[],
  runsMax: number,
  { choices, limits }: { readonly choices: Choices; readonly limits: CaseLimits },
): readonly Mark[] {
  const size = Math.floor(limits.eventsMax / keys.length / runsMax);
  const runs = 1 + choices.below(runsMax);
  const track = (key: string): readonly Mark[] =>
    Array.from({ length: runs }, () =>
      linearise(contract, drawExecution(contract, size, choices), key, choices),
    ).flat();
  return interleave(keys.map(track), choices);
}

/** A random execution of about `size` messages: once they are reached, whatever may be left out is. */
function drawExecution(contract: Contract, size: number, choices: Choices): readonly Drawn[] {
  let left = size;
  const drawn: Drawn[] = [];
  const drawAll = (nodes: readonly Node[], place: Place): void => {
    for (const node of nodes) draw(node, place);
  };
  const draw = (node: Node, place: Place): void => {
    switch (node.kind) {
      case 'message':
        left -= 1;
        drawn.push({ message: node.message, place });
        return;
      case 'seq':
        drawAll(node.items, placeIn(place, contract.order));
        return;
      case 'par':
        drawAll(node.operands, placeIn(place, 'none'));
        return;
      case 'opt':
        drawOneOf([node.body], true, place);
        return;
      case 'alt':
        drawOneOf(node.operands, node.optional, place);
        return;
      case 'loop': {
        const iterations = placeIn(place, relationOfIterations(contract.order), { kind: 'iterations' });
        const max = node.max ?? size;
        for (let count = 0; count < node.min || (count < max && left > 0 && choices.below(4) > 0); count++)
          draw(node.body, iterations);
        return;
      }
      case 'concurrent':
      case 'guarded':
      case 'critical':
      case 'break':
        throw new Error(`No ${node.kind} is generated.`);
    }
  };
  const drawOneOf = (operands: readonly Node[], isOptional: boolean, place: Place): void => {
    const skipped = isOptional && (left <= 0 || choices.below(4) === 0);
    const operand = skipped ? undefined : choices.of(operands);
    if (operand !== undefined) draw(operand, place);
  };
  draw(contract.term, placeIn(null, contract.order));
  return drawn;
}

/** A random linear extension of an execution; about half of the messages are seen at one instant, the others at both ends. */
function linearise(contract: Contract, drawn: readonly Drawn[], key: string, choices: Choices): readonly Mark[] {
  const isInstant = drawn.map(() => choices.below(2) === 0);
  const drafts: Draft[] = [];
  for (const { message: index } of drawn) {
    const message = contract.messages[index];
    if (message === undefined) throw new Error(`The term names message ${index}, which was not built.`);
    const call = drawn.findLastIndex((earlier, at) => at < drafts.length && earlier.message === message.replyOf);
    drafts.push(draftOf(contract, message, { key, choices, answers: drafts[call] }));
  }
  const steps = linearExtension(new DrawnOrder(contract), drawn, { isInstant, choices }) ?? [];
  return steps.flatMap(({ position, end }) => {
    const draft = drafts[position];
    return draft === undefined ? [] : [{ draft, end }];
  });
}

function draftOf(
  contract: Contract,
  message: ContractMessage,
  { key, choices, answers }: { readonly key: string; readonly choices: Choices; readonly answers?: Draft | undefined },
): Draft {
  return {
    event: {
      from: nameAt(message.from),
      to: nameAt(message.to),
      kind: eventKindOf(message, choices),
      label: message.match.label ?? '',
      ...(contract.key.length === 0 ? {} : { attributes: { k: key } }),
    },
    ...(answers === undefined ? {} : { answers }),
  };
}

function eventKindOf(message: ContractMessage, choices: Choices): EventKind {
  if (message.kind !== 'send') return message.kind;
  return choices.below(2) === 0 ? 'async' : 'call';
}

function interleave(tracks: readonly (readonly Mark[])[], choices: Choices): readonly Mark[] {
  const rest = tracks.map((track) => [...track]);
  const marks: Mark[] = [];
  for (;;) {
    const next = choices.of(rest.filter((track) => track.length > 0))?.shift();
    if (next === undefined) return marks;
    marks.push(next);
  }
}

function randomMarks(
  contract: Contract,
  keys: readonly string[],
  choices: Choices,
  limits: CaseLimits,
): readonly Mark[] {
  let marks: readonly Mark[] = [];
  const count = 1 + choices.below(limits.eventsMax);
  for (let event = 0; event < count; event++) marks = insert(marks, randomDraft(contract, keys, choices), choices);
  return marks;
}

function randomDraft(contract: Contract, keys: readonly string[], choices: Choices): Draft {
  const message = choices.of(contract.messages);
  if (message === undefined) throw new Error('Every generated contract has a message.');
  return draftOf(contract, message, { key: choices.of(keys) ?? 'x', choices });
}

/** Puts an event somewhere into the trace, at one instant or with its two ends apart. */
function insert(marks: readonly Mark[], draft: Draft, choices: Choices): readonly Mark[] {
  const at = choices.below(marks.length + 1);
  if (choices.below(2) === 0) return marks.toSpliced(at, 0, { draft, end: 'both' });
  const later = at + choices.below(marks.length - at + 1);
  return marks.toSpliced(later, 0, { draft, end: 'receipt' }).toSpliced(at, 0, { draft, end: 'send' });
}

// --- Mutations of a trace ------------------------------------------------------------------------------------------

type Mutation = (contract: Contract, marks: readonly Mark[], choices: Choices) => readonly Mark[];

const MUTATIONS: readonly Mutation[] = [swap, drop, duplicate, relabel, move, hurry, split, cut];

function mutate(contract: Contract, marks: readonly Mark[], choices: Choices, limits: CaseLimits): readonly Mark[] {
  let mutated = marks;
  const count = 1 + choices.below(2);
  for (let done = 0; done < count; done++) {
    const mutation = choices.of(MUTATIONS) ?? swap;
    const changed = mutation(contract, mutated, choices);
    // A receipt never comes before its own send: that is no trace.
    if (changed.every((mark, index) => mark.end !== 'receipt' || isSentBefore(changed, index))) mutated = changed;
  }
  return firstEvents(mutated, limits.eventsMax);
}

function isSentBefore(marks: readonly Mark[], receipt: number): boolean {
  return marks.slice(0, receipt).some((mark) => mark.end === 'send' && mark.draft === marks[receipt]?.draft);
}

function swap(_contract: Contract, marks: readonly Mark[], choices: Choices): readonly Mark[] {
  const at = choices.below(marks.length - 1);
  return [...marks.slice(0, at), ...marks.slice(at, at + 2).reverse(), ...marks.slice(at + 2)];
}

function drop(_contract: Contract, marks: readonly Mark[], choices: Choices): readonly Mark[] {
  const dropped = choices.of(marks)?.draft;
  return marks.filter(({ draft }) => draft !== dropped);
}

function duplicate(_contract: Contract, marks: readonly Mark[], choices: Choices): readonly Mark[] {
  const twice = choices.of(marks);
  return twice === undefined ? marks : insert(marks, { ...twice.draft }, choices);
}

function relabel(contract: Contract, marks: readonly Mark[], choices: Choices): readonly Mark[] {
  const old = choices.of(marks)?.draft;
  if (old === undefined) return marks;
  const other = randomDraft(contract, [String(old.event.attributes?.['k'] ?? 'x')], choices);
  return marks.map((mark) => (mark.draft === old ? { ...mark, draft: other } : mark));
}

function move(_contract: Contract, marks: readonly Mark[], choices: Choices): readonly Mark[] {
  const at = choices.below(marks.length);
  const moved = marks.slice(at, at + 1);
  const others = marks.toSpliced(at, 1);
  return others.toSpliced(choices.below(others.length + 1), 0, ...moved);
}

/** An event happens earlier, at one instant: a reply before what was done for it, for example. */
function hurry(_contract: Contract, marks: readonly Mark[], choices: Choices): readonly Mark[] {
  const replies = marks.filter(({ draft }) => draft.event.kind === 'reply');
  const draft = choices.of(replies.length === 0 ? marks : replies)?.draft;
  if (draft === undefined) return marks;
  const at = marks.findIndex((mark) => mark.draft === draft);
  const others = marks.filter((mark) => mark.draft !== draft);
  return others.toSpliced(Math.max(0, at - 1 - choices.below(3)), 0, { draft, end: 'both' });
}

/** An event of one instant is now received later than it was sent. */
function split(_contract: Contract, marks: readonly Mark[], choices: Choices): readonly Mark[] {
  const at = choices.below(marks.length);
  const mark = marks[at];
  if (mark?.end !== 'both') return marks;
  const later = at + 1 + choices.below(marks.length - at);
  return marks.toSpliced(later, 0, { ...mark, end: 'receipt' }).toSpliced(at, 1, { ...mark, end: 'send' });
}

function cut(_contract: Contract, marks: readonly Mark[], choices: Choices): readonly Mark[] {
  return firstEvents(marks, choices.below(marks.length));
}

/** The first events by their sends, each with its receipt. */
function firstEvents(marks: readonly Mark[], eventsMax: number): readonly Mark[] {
  const kept = new Set([...new Set(marks.map(({ draft }) => draft))].slice(0, eventsMax));
  return marks.filter(({ draft }) => kept.has(draft));
}

// --- Numbering -----------------------------------------------------------------------------------------------------

/** Now and then, traffic that the contract does not mention. */
function withNoise(marks: readonly Mark[], choices: Choices): readonly Mark[] {
  if (choices.below(4) < 3) return marks;
  const [from, to] = [nameAt(choices.below(4)), nameAt(choices.below(4))];
  return insert(marks, { event: { from, to, kind: 'async', label: 'noise' } }, choices);
}

/** Gives each event its place; with `isPaired` calls have an id and replies name the call that they answer. */
function numbered(marks: readonly Mark[], isPaired: boolean): readonly SourcedEvent[] {
  const placeOf = (draft: Draft, end: Mark['end']): number =>
    marks.findIndex((mark) => mark.draft === draft && mark.end === end) + 1;
  const sends = marks.filter(({ end }) => end !== 'receipt').map(({ draft }) => draft);
  const pairing = (draft: Draft): Pick<TraceEvent, 'id' | 'replyTo'> => {
    const call = draft.answers === undefined ? -1 : sends.indexOf(draft.answers);
    return { id: `e${sends.indexOf(draft)}`, ...(call < 0 ? {} : { replyTo: `e${call}` }) };
  };
  return sends.map((draft, index) => {
    const received = placeOf(draft, 'receipt');
    const event: TraceEvent = {
      ...draft.event,
      ...(isPaired ? pairing(draft) : {}),
      seq: placeOf(draft, received > 0 ? 'send' : 'both'),
      ...(received > 0 ? { receivedSeq: received } : {}),
    };
    return { event, source: 'generated', line: index + 1 };
  });
}
