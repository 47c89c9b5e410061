import { childrenOf, type Contract, type ContractMessage, type Node, type Order } from '../contract/index.ts';

/**
 * One end of an event, or both at one instant, in the order of the trace; `candidates`: the messages that the event can be; `atACost`:
 * those that it can be for one edit.
 */
export interface Showing {
  readonly event: number;
  readonly ends: readonly End[];
  readonly candidates: readonly number[];
  readonly atACost?: readonly number[];
  /** It shows its send, and is never received. */
  readonly isLost?: boolean;
}

/** Parts of one execution, composed by one relation; each iteration has parts of its own. */
interface Parts {
  readonly relation: Order | 'none';
}

/** A message of an execution, and what stands for it: an event; `added`, for one edit; `owed`: it comes after the trace. */
interface Filled {
  readonly message: ContractMessage;
  readonly by: number | 'added' | 'owed';
  /** What it is a part of, from the outside in. */
  readonly partOf: readonly Parts[];
  /** It is never received: its receipt is over once it is sent, whatever had to come first. */
  readonly isLost: boolean;
  /** When its ends are shown: places in the trace; null: that is free. */
  readonly at: Readonly<Record<End, number>> | null;
}

interface Question {
  readonly contract: Contract;
  readonly showings: readonly Showing[];
  /** By event: the edits that each message that it can be costs, and where its ends are shown. */
  readonly prices: ReadonlyMap<number, ReadonlyMap<number, 0 | 1>>;
  readonly at: ReadonlyMap<number, Readonly<Record<End, number>>>;
  readonly lost: ReadonlySet<number>;
  readonly isWhole: boolean;
  readonly isRight: boolean;
}

/** An execution as far as it is resolved, the events that fill none of its messages yet, and the edits that are left. */
interface Resolved {
  readonly execution: readonly Filled[];
  readonly left: ReadonlySet<number>;
  readonly edits: number;
}

/** Whether a contract holds only what `fewestEdits` knows. */
export function hasKnownEdits(contract: Contract): boolean {
  const pending: Node[] = [contract.term];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (['concurrent', 'guarded', 'critical', 'break'].includes(node.kind)) return false;
    if (node.kind === 'loop' && node.each !== undefined) return false;
    if (node.kind === 'seq' && node.late !== undefined) return false;
    pending.push(...childrenOf(node));
  }
  const isPlain = contract.messages.every(
    ({ receipt, from, to }) => receipt !== 'never' && from !== null && to !== null,
  );
  return isPlain && contract.bridged.length === 0 && (contract.ordered ?? []).length === 0;
}

/**
 * The fewest edits that make the showings a whole execution of the contract (or, not `isWhole`, the beginning of one), said as
 * plainly as we can: leave some events out, resolve every choice, fill every message of the execution by an event or by an
 * added message, and ask whether one order fits both drawing and trace. `isRight`: all events are right as they stand, and messages are
 * added behind the last one only. More than `editsMax`, or none: null. For a few messages and events.
 */
export function fewestEdits(
  contract: Contract,
  showings: readonly Showing[],
  {
    isWhole,
    isRight = false,
    editsMax,
  }: { readonly isWhole: boolean; readonly isRight?: boolean; readonly editsMax: number },
): number | null {
  const asShown = isRight ? showings.map((showing) => ({ ...showing, atACost: [] })) : showings;
  const prices = new Map(asShown.map((showing) => [showing.event, pricesOf(showing)]));
  const placeOf = (event: number, end: End): number =>
    showings.findIndex((showing) => showing.event === event && showing.ends.includes(end));
  const lost = new Set(showings.filter(({ isLost }) => isLost === true).map(({ event }) => event));
  // A receipt that is not shown, of what is not lost, comes after the trace.
  const receiptOf = (event: number): number => {
    const place = placeOf(event, 'receipt');
    return place < 0 && !lost.has(event) ? Infinity : place;
  };
  const at = new Map(
    [...prices.keys()].map((event) => [event, { send: placeOf(event, 'send'), receipt: receiptOf(event) }]),
  );
  for (let edits = 0; edits <= editsMax; edits++)
    for (const kept of subsetsOf([...prices.keys()], isRight ? 0 : edits)) {
      const own = showings.filter(({ event }) => kept.has(event));
      const question = { contract, showings: own, prices, at, lost, isWhole, isRight };
      if (hasExecution(question, kept, edits - (prices.size - kept.size))) return edits;
    }
  return null;
}

const pricesOf = ({ candidates, atACost = [] }: Showing): ReadonlyMap<number, 0 | 1> =>
  new Map([...atACost.map((message) => [message, 1] as const), ...candidates.map((message) => [message, 0] as const)]);

/** All that leave out at most so many. */
function* subsetsOf(events: readonly number[], outMax: number): Generator<ReadonlySet<number>> {
  const [first, ...rest] = events;
  if (first === undefined) yield new Set();
  else {
    for (const others of subsetsOf(rest, outMax)) yield new Set([first, ...others]);
    if (outMax > 0) yield* subsetsOf(rest, outMax - 1);
  }
}

function hasExecution(question: Question, kept: ReadonlySet<number>, edits: number): boolean {
  const from = { execution: [], left: kept, edits };
  for (const { execution, left } of resolve(question, question.contract.term, [], from))
    if (left.size === 0 && fits(question, execution)) return true;
  return false;
}

/** Every way to resolve the node and fill its messages with what is left. */
function resolve(question: Question, node: Node, partOf: readonly Parts[], from: Resolved): Generator<Resolved> {
  const { order } = question.contract;
  switch (node.kind) {
    case 'message':
      return resolveMessage(question, node.message, partOf, from);
    case 'seq':
      return resolveAll(question, node.items, [...partOf, { relation: order }], from);
    case 'par':
      return resolveAll(question, node.operands, [...partOf, { relation: 'none' }], from);
    case 'opt':
      return resolveChoice(question, [node.body], { isOptional: true, partOf }, from);
    case 'alt':
      return resolveChoice(question, node.operands, { isOptional: node.optional, partOf }, from);
    case 'loop': {
      const iterations = [...partOf, { relation: order === 'causal' ? 'lifeline' : order } as const];
      return resolveLoop(question, node, { done: 0, partOf: iterations }, from);
    }
    case 'concurrent':
    case 'guarded':
    case 'critical':
    case 'break':
      throw new Error(`Edits of ${node.kind} are not known.`);
  }
}

function* resolveMessage(
  { contract, prices, at, lost, isWhole, isRight }: Question,
  index: number,
  partOf: readonly Parts[],
  { execution, left, edits }: Resolved,
): Generator<Resolved> {
  const message = contract.messages[index];
  if (message === undefined) throw new Error(`The term names message ${index}, which the contract does not hold.`);
  // What may be lost is added as a lost message: that asks less.
  const unshown = { message, partOf, isLost: message.receipt !== undefined };
  for (const event of left) {
    const price = prices.get(event)?.get(index);
    if (price !== undefined && price <= edits) {
      const next = { message, by: event, partOf, isLost: lost.has(event), at: at.get(event) ?? null };
      const others = new Set([...left].filter((other) => other !== event));
      if (execution.every((earlier) => canFollow(contract, earlier, next)))
        yield { execution: [...execution, next], left: others, edits: edits - price };
    }
  }
  const owed = (isLost: boolean): Filled => ({ ...unshown, by: 'owed', isLost, at: AFTERWARDS });
  if (!isWhole) yield { execution: [...execution, owed(false)], left, edits };
  if (edits > 0 && isRight) yield { execution: [...execution, owed(unshown.isLost)], left, edits: edits - 1 };
  if (edits > 0 && !isRight)
    yield { execution: [...execution, { ...unshown, by: 'added', at: null }], left, edits: edits - 1 };
}

function* resolveAll(
  question: Question,
  nodes: readonly Node[],
  partOf: readonly Parts[],
  from: Resolved,
): Generator<Resolved> {
  const [node, ...rest] = nodes;
  if (node === undefined) yield from;
  else for (const next of resolve(question, node, partOf, from)) yield* resolveAll(question, rest, partOf, next);
}

/** What is filled by no event could be left out, which only takes demands away. */
function* resolveChoice(
  question: Question,
  operands: readonly Node[],
  { isOptional, partOf }: { readonly isOptional: boolean; readonly partOf: readonly Parts[] },
  from: Resolved,
): Generator<Resolved> {
  if (isOptional) yield from;
  for (const operand of operands)
    for (const resolved of resolve(question, operand, partOf, from))
      if (!isOptional || resolved.left.size < from.left.size) yield resolved;
}

function* resolveLoop(
  question: Question,
  loop: Extract<Node, { kind: 'loop' }>,
  { done, partOf }: { readonly done: number; readonly partOf: readonly Parts[] },
  from: Resolved,
): Generator<Resolved> {
  const isEnough = done >= loop.min;
  if (isEnough) yield from;
  if (done === loop.max || (isEnough && from.left.size === 0)) return;
  for (const next of resolve(question, loop.body, partOf, from))
    if (!isEnough || next.left.size < from.left.size)
      yield* resolveLoop(question, loop, { done: done + 1, partOf }, next);
}

/** Is there one order of all occurrences that the drawing allows, and in which the shown ones stand as in the trace? */
function fits({ contract, showings }: Question, execution: readonly Filled[]): boolean {
  const waitsFor = demandsOf(contract, execution);
  const filled = execution.map(({ by }) => by);
  const shown = showings.flatMap(({ event, ends }) => ends.map((end) => occurrence(filled.indexOf(event), end)));
  shown.forEach((later, index) => {
    const earlier = shown[index - 1];
    if (earlier !== undefined) waitsFor[later]?.push(earlier);
  });
  const last = shown.at(-1);
  execution.forEach(({ by, at }, position) => {
    if (last === undefined) return;
    if (by === 'owed') waitsFor[occurrence(position, 'send')]?.push(last);
    else if (at?.receipt === Infinity) waitsFor[occurrence(position, 'receipt')]?.push(last);
  });
  return isAcyclic(waitsFor);
}

type End = 'send' | 'receipt';
const PAIRS_OF_ENDS: readonly (readonly [End, End])[] = [
  ['send', 'send'],
  ['send', 'receipt'],
  ['receipt', 'send'],
  ['receipt', 'receipt'],
];
/** Behind all that is shown. */
const AFTERWARDS = { send: Infinity, receipt: Infinity };

/** An end of the message at a position of an execution. */
const occurrence = (position: number, end: End): number => 2 * position + (end === 'send' ? 0 : 1);

/** For each occurrence those that it waits for: each pair is decided where the two part. */
function demandsOf(contract: Contract, execution: readonly Filled[]): number[][] {
  const waitsFor = execution.flatMap((_filled, position): number[][] => [[], [occurrence(position, 'send')]]);
  execution.forEach((later, b) => {
    execution.slice(0, b).forEach((earlier, a) => {
      for (const [x, y] of demandsBetween(contract, earlier, later)) waitsFor[occurrence(b, y)]?.push(occurrence(a, x));
    });
  });
  return waitsFor;
}

/** Which ends of the one must precede which ends of the one that is drawn later. */
function demandsBetween(contract: Contract, earlier: Filled, later: Filled): readonly (readonly [End, End])[] {
  if (contract.unordered.some(([x, y]) => x === earlier.message.index && y === later.message.index)) return [];
  let relation: Order | 'none' = contract.order;
  for (let depth = 0; earlier.partOf[depth] !== undefined && earlier.partOf[depth] === later.partOf[depth]; depth++)
    relation = earlier.partOf[depth]?.relation ?? relation;
  return PAIRS_OF_ENDS.filter(
    ([x, y]) => !(later.isLost && y === 'receipt') && mustPrecede(relation, [earlier.message, x], [later.message, y]),
  );
}

/** False where the trace shows the two in the wrong order: only to save time. */
function canFollow(contract: Contract, earlier: Filled, later: Filled): boolean {
  const [before, after] = [earlier.at, later.at];
  if (before === null || after === null) return true;
  if (Math.max(before.send, before.receipt) <= Math.min(after.send, after.receipt)) return true;
  return demandsBetween(contract, earlier, later).every(([x, y]) => before[x] <= after[y]);
}

/** See docs/semantics.md, "Occurrences and orders". */
function mustPrecede(
  relation: Order | 'none',
  [a, x]: readonly [ContractMessage, End],
  [b, y]: readonly [ContractMessage, End],
): boolean {
  if (relation === 'none' || relation === 'strict') return relation === 'strict';
  const isOnOneLifeline = (x === 'send' ? a.from : a.to) === (y === 'send' ? b.from : b.to);
  if (relation === 'lifeline') return isOnOneLifeline;
  if (x === y && a.from === b.from && a.to === b.to) return true;
  if (y === 'receipt' || !isOnOneLifeline) return false;
  return x === 'receipt' || (a.kind === 'call' && b.kind === 'reply' && b.replyOf !== undefined && a.index > b.replyOf);
}

function isAcyclic(waitsFor: readonly (readonly number[])[]): boolean {
  const done = new Set<number>();
  for (let before = -1; done.size > before;) {
    before = done.size;
    waitsFor.forEach((earlier, index) => {
      if (earlier.every((other) => done.has(other))) done.add(index);
    });
  }
  return done.size === waitsFor.length;
}
