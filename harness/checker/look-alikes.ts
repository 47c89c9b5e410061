import { childrenOf, overtakenPairs, type Contract, type Node } from '../contract/index.ts';

/** A set of contract messages that an event can be, by its number in `LookAlikes`. */
export type Look = number;

/**
 * Which events look like each other, so that the receipt of one could be taken for that of another while both are on their
 * way; and of which of them the drawing itself says that they are received in the order in which they were sent.
 */
export class LookAlikes {
  readonly #contract: Contract;
  readonly #bases: readonly number[];
  /** Pairs that are not received in the order in which they are sent, or need not be. */
  readonly #unordered: ReadonlySet<string>;
  readonly #looks: (readonly number[])[] = [];
  readonly #numbers = new Map<string, Look>();
  readonly #answers = new Map<string, boolean>();
  #branches: readonly ReadonlyMap<number, ReadonlySet<number>>[] | undefined;

  constructor(contract: Contract, bases: readonly number[]) {
    this.#contract = contract;
    this.#bases = bases;
    this.#unordered = new Set(
      [...contract.unordered, ...overtakenPairs(contract)].map(([earlier, later]) => `${earlier}-${later}`),
    );
  }

  look(messages: readonly number[]): Look {
    const [first] = messages;
    const own = messages.length === 1 && first !== undefined ? [this.#baseOf(first)] : this.#basesOf(messages);
    const key = own.join();
    let look = this.#numbers.get(key);
    if (look === undefined) this.#numbers.set(key, (look = this.#looks.push(own) - 1));
    return look;
  }

  /** May the two be the same message? */
  areAlike(a: Look, b: Look): boolean {
    return a === b || this.#once(`alike ${a} ${b}`, () => this.#pairs(a, b).some(([one, other]) => one === other));
  }

  /** Whatever the two are: must they be received in the order in which they were sent? */
  areQueued(a: Look, b: Look): boolean {
    return this.#once(`queued ${a} ${b}`, () => this.#pairs(a, b).every(([one, other]) => this.#isQueue(one, other)));
  }

  #once(key: string, find: () => boolean): boolean {
    let answer = this.#answers.get(key);
    if (answer === undefined) this.#answers.set(key, (answer = find()));
    return answer;
  }

  #pairs(a: Look, b: Look): readonly (readonly [number, number])[] {
    return (this.#looks[a] ?? []).flatMap((one) => (this.#looks[b] ?? []).map((other) => [one, other] as const));
  }

  #basesOf(messages: readonly number[]): readonly number[] {
    return [...new Set(messages.map((message) => this.#baseOf(message)))].sort((a, b) => a - b);
  }

  #baseOf(message: number): number {
    return this.#bases[message] ?? message;
  }

  /** Every order keeps the messages of one sender to one receiver in line, but where they are drawn beside or overtaking each other. */
  #isQueue(a: number, b: number): boolean {
    const [one, other] = [this.#contract.messages[a], this.#contract.messages[b]];
    if (one === undefined || other === undefined || one.from === null || one.to === null) return false;
    if (one.from !== other.from || one.to !== other.to) return false;
    return !this.#unordered.has(`${a}-${b}`) && !this.#unordered.has(`${b}-${a}`) && !this.#areBeside(a, b);
  }

  #areBeside(a: number, b: number): boolean {
    this.#branches ??= branchesOf(this.#contract);
    const [one, other] = [this.#branches[a], this.#branches[b]];
    if (one === undefined || other === undefined) return false;
    return [...one].some(([node, operands]) => {
      const all = new Set([...operands, ...(other.get(node) ?? [])]);
      return other.has(node) && (all.size > 1 || all.has(BESIDE_ITSELF));
    });
  }
}

/** An operand of which several runs go on at the same time. */
const BESIDE_ITSELF = -1;

/** Of each message, the operands that it stands in, by the node whose operands run beside each other. */
function branchesOf({ messages, term }: Contract): readonly ReadonlyMap<number, ReadonlySet<number>>[] {
  const branches = messages.map(() => new Map<number, Set<number>>());
  type Around = { readonly node: number; readonly operand: number; readonly outer: Around } | null;
  const pending: { readonly node: Node; readonly around: Around }[] = [{ node: term, around: null }];
  let nodes = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, around } = next;
    if (node.kind === 'message')
      for (let at = around; at !== null; at = at.outer) {
        const operands = branches[node.message]?.get(at.node);
        if (operands === undefined) branches[node.message]?.set(at.node, new Set([at.operand]));
        else operands.add(at.operand);
      }
    const number = nodes++;
    const isBesideItself = node.kind === 'concurrent' || (node.kind === 'loop' && node.each !== undefined);
    const hasOperands = node.kind === 'par' || isBesideItself;
    childrenOf(node).forEach((child, index) => {
      const operand = isBesideItself ? BESIDE_ITSELF : index;
      pending.push({ node: child, around: hasOperands ? { node: number, operand, outer: around } : around });
    });
  }
  return branches;
}

/** Events that share a tag: the receipt of none can be taken for that of another. */
export class OnTheirWay {
  readonly #lookAlikes: LookAlikes;
  /** The position of the latest receipt, by look. */
  readonly #until = new Map<Look, number>();

  constructor(lookAlikes: LookAlikes) {
    this.#lookAlikes = lookAlikes;
  }

  /** Could its receipt be taken for that of one of them, or theirs for its own? It is sent after all of them. */
  wouldConfuse(look: Look, sent: number, received: number): boolean {
    for (const [other, until] of this.#until)
      if (until >= sent && this.#lookAlikes.areAlike(look, other))
        if (until >= received || !this.#lookAlikes.areQueued(look, other)) return true;
    return false;
  }

  /** Was everything received when this was? */
  isOver(received: number): boolean {
    return [...this.#until.values()].every((until) => until <= received);
  }

  copy(): OnTheirWay {
    const copy = new OnTheirWay(this.#lookAlikes);
    for (const [look, until] of this.#until) copy.add(look, until);
    return copy;
  }

  add(look: Look, received: number): void {
    this.#until.set(look, Math.max(received, this.#until.get(look) ?? -Infinity));
  }
}
