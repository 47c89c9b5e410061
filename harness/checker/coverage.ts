import { childrenOf, type Contract, type DrawnFragment, type Node } from '../contract/index.ts';
import {
  percentOf,
  type ArrowVerdict,
  type ChoiceCoverage,
  type Coverage,
  type FragmentCoverage,
  type InstanceVerdict,
} from '../verdict/index.ts';

/**
 * What the instances show of the drawing, by how often they took each arrow: nothing else is kept of a long trace.
 *
 * An operand was gone through as often as the arrow of it that was taken most often. That is exact where a message stands in
 * it that each way through has, else the least that it can have been. Within something that is gone through several times
 * (an outer loop) only the sums are known: fewer iterations than times prove one time with none, more prove one with
 * several; as many, or some but fewer, are counted as once each. What did *not* happen is told of conforming instances only.
 */
export function coverageOf(
  contract: Contract,
  arrows: readonly ArrowVerdict[],
  instances: readonly InstanceVerdict[],
  unlisted: readonly { readonly instance: InstanceVerdict; readonly count: number }[] = [],
): Coverage {
  const plan = planOf(contract);
  const tally = new Map<string, number>();
  for (const { instance, count } of contract.fragments === undefined ? [] : [...alike(instances), ...unlisted])
    for (const name of new Set(seenBy(plan, instance))) tally.set(name, (tally.get(name) ?? 0) + count);
  const fragments = coveredFragments(contract, plan, tally);
  const choices = fragments.flatMap((fragment) => fragment.choices).filter(({ status }) => status !== 'left-out');
  const possible = arrows.filter(({ status }) => status !== 'absent' && status !== 'unobservable');
  const shown = { seen: possible.filter(({ events }) => events > 0).length, possible: possible.length };
  const seen = shown.seen + choices.filter(({ status }) => status === 'seen').length;
  const all = shown.possible + choices.length;
  return { seen, possible: all, percent: percentOf(seen, all), arrows: shown, fragments };
}

/** Instances that took the same arrows as often, each kind once: of a hundred thousand most are. */
function alike(instances: readonly InstanceVerdict[]): Iterable<{ readonly instance: InstanceVerdict; count: number }> {
  const kinds = new Map<string, { readonly instance: InstanceVerdict; count: number }>();
  for (const instance of instances) {
    const name = `${instance.outcome}${JSON.stringify(instance.taken)}`;
    const known = kinds.get(name);
    if (known === undefined) kinds.set(name, { instance, count: 1 });
    else known.count++;
  }
  return kinds.values();
}

/** A node of the term, and the node that it stands in. Parents come before their children. */
interface Place {
  readonly node: Node;
  readonly parent: number;
  /** Its position among the children of its parent. */
  readonly position: number;
  /** Inside a loop that runs for ever beside others, and serves other instances as well. */
  readonly isShared: boolean;
  /** For a message: the drawn arrow, and whether it names the instance. */
  readonly arrow: number;
  readonly isKeyed: boolean;
}

interface Plan {
  readonly places: readonly Place[];
  /** By place: the places of its children, in drawn order. */
  readonly children: readonly (readonly number[])[];
}

function planOf({ term, messages }: Contract): Plan {
  const places: Place[] = [];
  const children: number[][] = [];
  const pending = [{ node: term, parent: -1, position: 0, isShared: false }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node } = next;
    const message = node.kind === 'message' ? messages[node.message] : undefined;
    const index = places.push({ ...next, arrow: message?.drawn ?? -1, isKeyed: message?.keyed ?? false }) - 1;
    children.push([]);
    children[next.parent]?.push(index);
    const isShared = next.isShared || node.kind === 'concurrent';
    const inside = childrenOf(node).map((child, position) => ({ node: child, parent: index, position, isShared }));
    pending.push(...inside.reverse());
  }
  return { places, children };
}

/** How often one instance went through each place: by all its messages, and by those that name the instance. */
interface Passes {
  readonly all: Float64Array;
  readonly keyed: Float64Array;
  /** How often what stands around it was left by a break in it. */
  readonly broken: Float64Array;
}

function passesOf({ places, children }: Plan, taken: InstanceVerdict['taken']): Passes {
  const passes = {
    all: new Float64Array(places.length),
    keyed: new Float64Array(places.length),
    broken: new Float64Array(places.length),
  };
  for (let index = places.length - 1; index >= 0; index--) {
    const place = places[index];
    if (place === undefined) continue;
    const count = taken[place.arrow] ?? 0;
    const inside = children[index] ?? [];
    passes.all[index] = timesOf(place.node, inside, passes.all, count);
    passes.keyed[index] = timesOf(place.node, inside, passes.keyed, place.isKeyed ? count : 0);
    passes.broken[index] = brokenIn(place.node, index, inside, passes);
  }
  return passes;
}

/** How often a node was gone through, by how often that happened to its children. */
function timesOf(node: Node, inside: readonly number[], times: Float64Array, count: number): number {
  const of = (index: number): number => times[index] ?? 0;
  const most = (indexes: readonly number[]): number => indexes.reduce((max, index) => Math.max(max, of(index)), 0);
  const sum = (indexes: readonly number[]): number => indexes.reduce((total, index) => total + of(index), 0);
  switch (node.kind) {
    case 'message':
      return count;
    case 'alt':
      return sum(inside);
    case 'critical':
      return Math.max(most(inside.slice(0, 1)), sum(inside.slice(1)));
    case 'loop':
      return node.max === null ? Math.min(1, most(inside)) : Math.ceil(most(inside) / Math.max(1, node.max));
    case 'concurrent':
      return Math.min(1, most(inside));
    case 'seq':
    case 'par':
    case 'opt':
    case 'guarded':
    case 'break':
      return most(inside);
  }
}

function brokenIn(node: Node, index: number, inside: readonly number[], { all, broken }: Passes): number {
  const sum = (indexes: readonly number[]): number => indexes.reduce((total, child) => total + (broken[child] ?? 0), 0);
  switch (node.kind) {
    case 'break':
      return all[index] ?? 0;
    case 'loop':
    case 'par':
    case 'concurrent':
    case 'message':
      return 0;
    case 'critical':
      return sum(inside.slice(0, 1));
    case 'seq':
    case 'alt':
    case 'opt':
    case 'guarded':
      return sum(inside);
  }
}

/** How often each place was come to, whether it was gone through or passed by. */
function visitsOf({ places, children }: Plan, passes: Passes): Float64Array {
  const visits = new Float64Array(places.length).fill(1);
  places.forEach(({ node }, index) => {
    let left = visits[index] ?? 0;
    for (const [position, child] of (children[index] ?? []).entries()) {
      visits[child] = visitsInside(node, { index, child, position, left, options: children[index] ?? [] }, passes);
      if (node.kind === 'seq') left = Math.max(0, left - (passes.broken[child] ?? 0));
    }
  });
  return visits;
}

function visitsInside(
  node: Node,
  at: {
    readonly index: number;
    readonly child: number;
    readonly position: number;
    readonly left: number;
    readonly options: readonly number[];
  },
  { all }: Passes,
): number {
  const entered = all[at.child] ?? 0;
  switch (node.kind) {
    case 'seq':
    case 'par':
    case 'guarded':
      return at.left;
    case 'critical':
      // Where an option was taken the body was left before its end, nobody knows where.
      return at.position > 0
        ? entered
        : Math.max(0, at.left - at.options.slice(1).reduce((total, option) => total + (all[option] ?? 0), 0));
    case 'alt':
    case 'opt':
    case 'break':
    case 'loop':
    case 'concurrent':
    case 'message':
      return entered;
  }
}

const nameOf = (fragment: number, kind: ChoiceCoverage['kind'], operand = 0): string =>
  `${fragment} ${kind} ${operand}`;

/** The names of all that one instance showed. */
function seenBy(plan: Plan, { taken, outcome }: InstanceVerdict): string[] {
  const passes = passesOf(plan, taken);
  const visits = visitsOf(plan, passes);
  const isOver = outcome === 'conforms';
  return plan.places.flatMap(({ node, isShared }, index): string[] => {
    if (!('fragment' in node) || node.fragment === null || node.fragment < 0) return [];
    const { fragment } = node;
    const inside = plan.children[index] ?? [];
    // Others share such a loop: an iteration passed by what serves this instance only if it served this instance.
    const shared = isShared && 'keyed' in node && node.keyed ? ownVisits(plan, passes, index) : Infinity;
    const come = isOver ? Math.min(visits[index] ?? 0, shared) : 0;
    if (node.kind === 'loop') {
      const [body = -1] = inside;
      const own = isShared && node.keyed ? passes.keyed : passes.all;
      const iterations = { all: passes.all[body] ?? 0, own: own[body] ?? 0 };
      return loopNames(fragment, iterations, { come, visits: visits[index] ?? 0 });
    }
    const operands = inside.flatMap((child, operand) =>
      (passes.all[child] ?? 0) > 0 ? [nameOf(fragment, 'operand', operand)] : [],
    );
    const isPassedBy = mayBePassedBy(node) && (passes.all[index] ?? 0) < come;
    return isPassedBy ? [...operands, nameOf(fragment, 'none')] : operands;
  });
}

/** How often the nearest thing around it was gone through that counts its own times, for this instance. */
function ownVisits({ places }: Plan, { keyed }: Passes, index: number): number {
  for (let at = index; at >= 0; at = places[at]?.parent ?? -1) {
    const parent = places[places[at]?.parent ?? -1]?.node.kind;
    if (parent !== undefined && parent !== 'seq' && parent !== 'par' && parent !== 'guarded') return keyed[at] ?? 0;
  }
  return 1;
}

/** `own`: iterations that serve this instance. `come`: how often it was come to for certain, once the instance is over. */
function loopNames(
  fragment: number,
  { all, own }: { readonly all: number; readonly own: number },
  { come, visits }: { readonly come: number; readonly visits: number },
): string[] {
  return [
    ...(all < come ? [nameOf(fragment, 'zero')] : []),
    ...(all > 0 && all <= come ? [nameOf(fragment, 'one')] : []),
    ...(own > Math.max(1, visits) ? [nameOf(fragment, 'many')] : []),
    ...(all > 0 ? [nameOf(fragment, 'operand')] : []),
  ];
}

/** It may be gone through without any of its operands, or by one in which nothing is drawn. */
const mayBePassedBy = (node: Node): boolean =>
  node.kind === 'opt' ||
  node.kind === 'break' ||
  (node.kind === 'alt' && (node.optional || node.operands.some(isEmpty)));

const isEmpty = (node: Node): boolean => node.kind === 'seq' && node.items.length === 0;

function coveredFragments(contract: Contract, plan: Plan, tally: ReadonlyMap<string, number>): FragmentCoverage[] {
  const { fragments = [] } = contract;
  const shown = shownOperands(contract, fragments);
  const nodes = new Map<number, Place>();
  for (const place of plan.places)
    if ('fragment' in place.node && place.node.fragment !== null) nodes.set(place.node.fragment, place);
  return fragments.flatMap((drawn, fragment): FragmentCoverage[] => {
    const kind = drawn.kind === 'par_over' ? 'par' : drawn.kind;
    if (kind === 'rect' || kind === 'group' || kind === 'ref') return [];
    const place = nodes.get(fragment);
    const isEndless = plan.places[place?.parent ?? -1]?.node.kind === 'concurrent';
    const choices = choicesOf({ drawn, fragment, place, isEndless, shown: shown[fragment] ?? [], tally });
    const { file, line, column, operands } = drawn;
    return [{ fragment, kind, file, line, column, text: operands[0]?.text ?? '', choices }];
  });
}

/** `empty`: nothing is drawn in it. `hidden`: all that is drawn in it was taken out by the binding. */
type Shown = 'shown' | 'empty' | 'hidden';

/** By fragment and operand. */
function shownOperands({ messages }: Contract, fragments: readonly DrawnFragment[]): readonly Shown[][] {
  const bound = new Set(messages.map(({ drawn }) => drawn));
  const shown = fragments.map(({ operands }) =>
    operands.map(({ arrows }): Shown => {
      if (arrows.some((arrow) => bound.has(arrow))) return 'shown';
      return arrows.length === 0 ? 'empty' : 'hidden';
    }),
  );
  // What stands in a fragment stands in all that it stands in; where that is known already, so it is further out.
  for (const [index, own] of shown.entries())
    for (const kind of new Set(own))
      for (let at = fragments[index]?.outer ?? null; at !== null && kind !== 'empty';) {
        const around = shown[at.fragment];
        const known = around?.[at.operand];
        if (around === undefined || known === 'shown' || known === kind) break;
        around[at.operand] = kind;
        at = fragments[at.fragment]?.outer ?? null;
      }
  return shown;
}

interface Choosing {
  readonly drawn: DrawnFragment;
  readonly fragment: number;
  /** Where it stands in the term; undefined: all of it was taken out by the binding. */
  readonly place: Place | undefined;
  /** A loop that runs for ever beside others: no instance can say how often. */
  readonly isEndless: boolean;
  readonly shown: readonly Shown[];
  readonly tally: ReadonlyMap<string, number>;
}

function choicesOf({ drawn, fragment, place, isEndless, shown, tally }: Choosing): ChoiceCoverage[] {
  const choice = (kind: ChoiceCoverage['kind'], isLeftOut: boolean, name = nameOf(fragment, kind)): ChoiceCoverage => {
    const instances = isLeftOut ? 0 : (tally.get(name) ?? 0);
    return { kind, instances, status: isLeftOut ? 'left-out' : instances > 0 ? 'seen' : 'unseen' };
  };
  const node = place?.node;
  if (node?.kind === 'loop' && !isEndless) {
    const { min, max } = node;
    return [
      ...(min === 0 ? [choice('zero', false)] : []),
      ...(min <= 1 && (max === null || max >= 1) ? [choice('one', false)] : []),
      ...(max === null || max >= 2 ? [choice('many', false)] : []),
    ];
  }
  const none = nameOf(fragment, 'none');
  const isNoneDrawn = shown.includes('empty');
  // Where one operand cannot be seen, to see none of the others says nothing.
  const isBlind = shown.includes('hidden');
  const operands = drawn.operands.map(({ text, line }, operand): ChoiceCoverage => {
    const kind = shown[operand] ?? 'empty';
    const isLeftOut =
      node === undefined || kind === 'hidden' || (kind === 'empty' && (isBlind || !mayBePassedBy(node)));
    const name = kind === 'empty' ? none : nameOf(fragment, 'operand', operand);
    return { ...choice('operand', isLeftOut, name), operand, text, line };
  });
  return node !== undefined && mayBePassedBy(node) && !isNoneDrawn && !isBlind
    ? [...operands, choice('none', false)]
    : operands;
}
