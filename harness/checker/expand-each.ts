import {
  childrenOf,
  nodesOf,
  type Contract,
  type ContractMessage,
  type LateReceipt,
  type Node,
} from '../contract/index.ts';
import type { LabelledEvent } from './labels.ts';
import { candidatesOfEvent } from './candidates.ts';
import { BoundMet } from './terms.ts';

/** Messages of one instance, with a copy for each value: more is not looked at. */
const MESSAGES_MAX = 20_000;

/** Values for which a copy was made, by parameter, outer loops before inner; null: any that no event shows. */
type Values = readonly (readonly [string, string | null])[];

/** A message made for these values. */
interface Copy {
  readonly index: number;
  readonly values: Values;
}

/** Does the contract have loops whose values have iterations of their own? */
export const hasEach = ({ term }: Contract): boolean =>
  nodesOf(term).some((node) => node.kind === 'loop' && node.each !== undefined);

/**
 * One instance, for which each such loop is written out: a loop for each value that its events show, all of them beside
 * each other, with messages of their own. An event without the value may belong to any of them. Throws `BoundMet`.
 */
export function expandEach(
  contract: Contract,
  events: readonly LabelledEvent[],
  messagesMax: number = MESSAGES_MAX,
): {
  readonly contract: Contract;
  readonly events: readonly LabelledEvent[];
  /** Of each copy of a message, that message. */
  readonly originals: ReadonlyMap<number, number>;
} {
  const expansion = new Expansion(contract, events, messagesMax);
  const term = expansion.expand(contract.term, new Map(), []);
  return {
    contract: expansion.contractWith(term),
    events: events.map((event) => expansion.relabel(event)),
    originals: expansion.originals,
  };
}

class Expansion {
  readonly #contract: Contract;
  readonly #events: readonly LabelledEvent[];
  readonly #messages: ContractMessage[];
  /** Of each message that was copied, its last copies with the values that they are for. */
  readonly #copies = new Map<number, Copy[]>();
  /** The same of those that stand for values that no event shows. */
  readonly #unseen = new Map<number, Copy[]>();
  readonly originals = new Map<number, number>();
  /** Within the iterations of values that no event shows no event is looked for. */
  #isUnseen = false;
  #fragments = 1_000_000;
  readonly #messagesMax: number;

  constructor(contract: Contract, events: readonly LabelledEvent[], messagesMax: number) {
    this.#contract = contract;
    this.#messagesMax = messagesMax;
    this.#events = events;
    this.#messages = [...contract.messages];
  }

  /** `names`: which copy stands for a message here. */
  expand(node: Node, names: ReadonlyMap<number, number>, values: Values): Node {
    switch (node.kind) {
      case 'message':
        return { ...node, message: names.get(node.message) ?? node.message };
      case 'seq':
        return {
          ...node,
          items: node.items.map((item) => this.expand(item, names, values)),
          ...(node.late === undefined ? {} : { late: node.late.map((one) => renamedReceipt(one, names)) }),
        };
      case 'alt':
      case 'par':
        return { ...node, operands: node.operands.map((operand) => this.expand(operand, names, values)) };
      case 'opt':
      case 'guarded':
      case 'break':
        return { ...node, body: this.expand(node.body, names, values) };
      case 'critical': {
        const options = node.options.map((option) => this.expand(option, names, values));
        const fragment = names.get(criticalName(node.fragment)) ?? node.fragment;
        return { ...node, fragment, options, body: this.expand(node.body, names, values) };
      }
      case 'concurrent':
        return { ...node, loops: node.loops.map((loop) => this.expand(loop, names, values)) };
      case 'loop':
        return this.#expandLoop(node, names, values);
    }
  }

  #expandLoop(
    { each: parameter, ...loop }: Extract<Node, { kind: 'loop' }>,
    names: ReadonlyMap<number, number>,
    values: Values,
  ): Node {
    // Within an iteration for one value there is no other one.
    const each = values.some(([name]) => name === parameter) ? undefined : parameter;
    const { messages, fragments } = within(loop.body);
    const shown = each === undefined || this.#isUnseen ? [] : this.#valuesOf(each, messages);
    if (each !== undefined && !this.#isUnseen) this.#noteUnseen(messages, names, [...values, [each, null]]);
    if (each === undefined || shown.length === 0) return { ...loop, body: this.expand(loop.body, names, values) };
    const operands = shown.map((value): Node => {
      const own: Values = [...values, [each, value]];
      return { ...loop, body: this.expand(loop.body, this.#copy(messages, fragments, names, own), own) };
    });
    // What was not seen yet may still come: a run in which it may is not over.
    this.#isUnseen = true;
    const unseen: Node = { ...loop, body: this.expand(loop.body, names, values) };
    this.#isUnseen = false;
    const all = [...operands, unseen];
    if (loop.min === 0) return { kind: 'par', operands: all, fragment: -1 };
    // A least number is due of a value that is seen in this run, which need not be the only one; and of one at least.
    return { kind: 'par', operands: all.map(optional), fragment: -1, some: true };
  }

  /** The iterations of values that were not seen hold copies too, to which what is said of the messages applies. */
  #noteUnseen(messages: ReadonlySet<number>, names: ReadonlyMap<number, number>, values: Values): void {
    for (const { index } of this.#contract.messages) {
      if (!messages.has(this.#baseOf(index))) continue;
      const own = names.get(index) ?? index;
      const known = this.#unseen.get(index) ?? [];
      // It may stand in two such loops, of which no event shows a value.
      const outer = known.find((copy) => copy.index === own)?.values ?? [];
      const others = known.filter((copy) => copy.index !== own);
      this.#unseen.set(index, [...others, { index: own, values: [...outer, ...values] }]);
    }
  }

  #valuesOf(parameter: string, messages: ReadonlySet<number>): string[] {
    const found = new Set<string>();
    for (const event of this.#events) {
      const value = event.values.get(parameter);
      if (value !== undefined && candidatesOfEvent(event).some((message) => messages.has(this.#baseOf(message))))
        found.add(value);
    }
    return [...found];
  }

  #baseOf(message: number): number {
    return this.#contract.messages[message]?.entry?.of ?? message;
  }

  #copy(
    messages: ReadonlySet<number>,
    fragments: ReadonlySet<number>,
    outer: ReadonlyMap<number, number>,
    values: Values,
  ): ReadonlyMap<number, number> {
    const names = new Map(outer);
    const originals = this.#contract.messages.filter(({ index }) => messages.has(this.#baseOf(index)));
    for (const fragment of fragments) names.set(criticalName(fragment), this.#fragments++);
    originals.forEach(({ index }, at) => names.set(index, this.#messages.length + at));
    if (this.#messages.length + originals.length > this.#messagesMax)
      throw new BoundMet(`${this.#messagesMax} messages with a copy for each value of a loop`);
    for (const original of originals) {
      const copy = renamed(original, names);
      this.#messages.push(copy);
      this.originals.set(copy.index, original.index);
      const copies = this.#copies.get(original.index) ?? [];
      // A copy made for an inner loop replaces the one that the outer loop made for all of its iterations.
      const kept = copies.filter((known) => !known.values.every((pair, at) => sameValue(pair, values[at])));
      this.#copies.set(original.index, [...kept, { index: copy.index, values }]);
    }
    return names;
  }

  relabel(event: LabelledEvent): LabelledEvent {
    const all = (messages: readonly number[]): readonly number[] =>
      messages.flatMap((message) => {
        const copies = this.#copies.get(message);
        if (copies === undefined) return [message];
        const fits = ({ values }: { readonly values: Values }): boolean =>
          values.every(([name, value]) => (event.values.get(name) ?? value) === value);
        return copies.filter(fits).map(({ index }) => index);
      });
    const { rules } = event;
    const relabelled = { ...event, messages: all(event.messages), wrongStatus: all(event.wrongStatus) };
    return rules === undefined ? relabelled : { ...relabelled, rules: { ...rules, denied: all(rules.denied) } };
  }

  contractWith(term: Node): Contract {
    const { unordered, bridged, ordered, timings } = this.#contract;
    return {
      ...this.#contract,
      term,
      messages: this.#messages,
      // What is not promised is not promised of any values.
      unordered: this.#pairs(unordered, () => true),
      bridged: this.#pairs(bridged, agree),
      ...(ordered === undefined ? {} : { ordered: this.#pairs(ordered, agree) }),
      ...(timings === undefined ? {} : { timings: timings.flatMap((timing) => this.#timings(timing)) }),
    };
  }

  /** Each pair of messages as pairs of their copies. */
  #pairs(
    list: readonly (readonly [number, number])[],
    belong: (one: Values, other: Values) => boolean,
  ): (readonly [number, number])[] {
    const all = (message: number): readonly Copy[] => {
      const unseen = this.#unseen.get(message) ?? [];
      const isSeen = ({ index }: Copy): boolean => !unseen.some((copy) => copy.index === index);
      return [...this.#copiesOf(message).filter(isSeen), ...unseen];
    };
    return list.flatMap(([one, other]) =>
      all(one).flatMap((a) =>
        all(other).flatMap((b) => (belong(a.values, b.values) ? [[a.index, b.index] as const] : [])),
      ),
    );
  }

  #copiesOf(message: number): readonly Copy[] {
    return this.#copies.get(message) ?? [{ index: message, values: [] }];
  }

  /** Iterations of different values have times of their own. */
  #timings(timing: NonNullable<Contract['timings']>[number]): NonNullable<Contract['timings']> {
    const [from, to] = [timing.from, timing.to].map((messages) => messages.flatMap((one) => this.#copiesOf(one)));
    const indexes = (copies: typeof from, values: Values | null): number[] =>
      (copies ?? []).filter((copy) => values === null || agree(copy.values, values)).map(({ index }) => index);
    if (!timing.perIteration) return [{ ...timing, from: indexes(from, null), to: indexes(to, null) }];
    const distinct = new Map((from ?? []).map(({ values }) => [JSON.stringify(values), values]));
    return [...distinct.values()].map((values) => ({
      ...timing,
      from: indexes(from, values),
      to: indexes(to, values),
    }));
  }
}

const renamedReceipt = (late: LateReceipt, names: ReadonlyMap<number, number>): LateReceipt => ({
  ...late,
  message: names.get(late.message) ?? late.message,
});

const optional = (body: Node): Node => ({ kind: 'opt', body, fragment: -1, keyed: false });

/** Critical fragments are renamed with the messages; negative numbers are no messages. */
const criticalName = (fragment: number): number => -1 - fragment;

function renamed(original: ContractMessage, names: ReadonlyMap<number, number>): ContractMessage {
  const nameOf = (message: number): number => names.get(message) ?? message;
  const { index, replyOf, entry } = original;
  return {
    ...original,
    index: nameOf(index),
    ...(replyOf === undefined ? {} : { replyOf: nameOf(replyOf) }),
    ...(entry === undefined
      ? {}
      : {
          entry: {
            ...entry,
            of: nameOf(entry.of),
            criticals: entry.criticals.map((fragment) => names.get(criticalName(fragment)) ?? fragment),
          },
        }),
  };
}

const sameValue = (pair: Values[number], other: Values[number] | undefined): boolean =>
  other !== undefined && pair[0] === other[0] && pair[1] === other[1];

/** No parameter has one value here and another there. */
const agree = (one: Values, other: Values): boolean =>
  one.every(([name, value]) => other.every(([otherName, otherValue]) => name !== otherName || value === otherValue));

function within(root: Node): { readonly messages: ReadonlySet<number>; readonly fragments: ReadonlySet<number> } {
  const messages = new Set<number>();
  const fragments = new Set<number>();
  const pending = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.kind === 'message') messages.add(node.message);
    if (node.kind === 'critical') fragments.add(node.fragment);
    pending.push(...childrenOf(node));
  }
  return { messages, fragments };
}
