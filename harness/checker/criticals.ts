import { childrenOf, type Contract, type Node } from '../contract/index.ts';
import { messageOf, receiptOf, sendOf, type Occurrence } from './occurrence.ts';

type Demand<R> = (relation: R, earlier: Occurrence, later: Occurrence) => boolean;

/** The critical fragments that stand in an operand of something parallel: while one is open, the other operands wait. */
export function holdingCriticals(root: Node): ReadonlySet<number> {
  const found = new Set<number>();
  const pending: { readonly node: Node; readonly isBeside: boolean }[] = [{ node: root, isBeside: false }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, isBeside } = next;
    if (node.kind === 'critical' && isBeside) found.add(node.fragment);
    const hasOthers = node.kind === 'par' && node.operands.length > 1;
    for (const child of childrenOf(node)) pending.push({ node: child, isBeside: isBeside || hasOthers });
  }
  return found;
}

/** Null where no critical fragment is drawn. */
export function criticalsOf(contract: Contract): Criticals | null {
  return contract.messages.some(({ entry }) => (entry?.criticals.length ?? 0) > 0) ? new Criticals(contract) : null;
}

/**
 * A critical fragment is one thing, seen from outside: what is drawn earlier and related to any message in it is over before
 * the event that opens it, and what is drawn later waits for all of it. Inside, the order is as drawn. So the relation is
 * asked of the whole fragment where an occurrence opens it (its entry, a message of its own), or stands outside.
 */
class Criticals {
  /** Of each message, the critical fragments around it, outer before inner. */
  readonly #around: readonly (readonly number[])[];
  /** Of each message, the outermost critical fragment that it opens. */
  readonly #opened: readonly (number | undefined)[];
  readonly #members = new Map<number, Occurrence[]>();
  readonly #known = new Map<string, boolean>();

  constructor({ messages }: Contract) {
    const around = messages.map((): readonly number[] => []);
    for (const { entry } of messages)
      if (entry !== undefined && entry.criticals.length > (around[entry.of]?.length ?? 0))
        around[entry.of] = entry.criticals;
    this.#around = messages.map(({ index, entry }) => around[entry?.of ?? index] ?? []);
    this.#opened = messages.map(({ entry }) => entry?.criticals[0]);
    for (const { index, entry } of messages)
      for (const critical of entry === undefined ? (around[index] ?? []) : []) {
        const members = this.#members.get(critical) ?? [];
        members.push(sendOf(index), receiptOf(index));
        this.#members.set(critical, members);
      }
  }

  related<R extends string>(relation: R, earlier: Occurrence, later: Occurrence, demand: Demand<R>): boolean {
    const opened = this.#opened[messageOf(later)];
    const aroundLater = this.#around[messageOf(later)] ?? [];
    // An occurrence of the fragment that is being opened belongs to an earlier iteration of it.
    const shared = opened === undefined ? aroundLater : aroundLater.slice(0, aroundLater.indexOf(opened));
    const left = this.#around[messageOf(earlier)]?.find((critical) => !shared.includes(critical));
    if (opened === undefined && left === undefined) return demand(relation, earlier, later);
    const key = `${relation} ${left ?? `o${earlier}`} ${opened ?? `o${later}`}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const [sources, targets] = [this.#ofWhole(left, earlier), this.#ofWhole(opened, later)];
    const found = sources.some((one) => targets.some((other) => demand(relation, one, other)));
    this.#known.set(key, found);
    return found;
  }

  #ofWhole(critical: number | undefined, occurrence: Occurrence): readonly Occurrence[] {
    return critical === undefined ? [occurrence] : (this.#members.get(critical) ?? [occurrence]);
  }
}
