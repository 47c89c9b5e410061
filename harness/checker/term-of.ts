import { childrenOf, type Contract, type ContractMessage, type Node } from '../contract/index.ts';
import { holdingCriticals } from './criticals.ts';
import { Deriver } from './derive.ts';
import { withoutBreaks } from './desugar.ts';
import { inPromisedOrder, promisesOf, type Promises } from './promises.ts';
import {
  betweenIterations,
  betweenLoops,
  messageOf,
  receiptOf,
  relationsOf,
  sendOf,
  type Relation,
} from './relation.ts';
import { BoundMet, EMPTY, FAIL, type Term, type TermTable } from './terms.ts';

/** Deepest nesting of fragments that is checked; deeper is refused with this bound's name, since terms are walked by nesting. */
export const NESTING_MAX = 400;
/** Largest bound of a loop that is written out iteration by iteration. */
export const LOOP_BOUND_MAX = 1_000;

/** The contract's interaction term. `holding`: the critical fragments that others wait for. */
export function termOf(
  contract: Contract,
  terms: TermTable,
  promises: Promises = promisesOf(contract),
  holding: ReadonlySet<number> = holdingCriticals(contract.term),
): Term {
  if (depthOf(contract.term) > NESTING_MAX) throw new BoundMet(`${NESTING_MAX} nested fragments`);
  return new Builder(contract, terms, promises, holding).build(withoutBreaks(contract.term));
}

type Entry = NonNullable<ContractMessage['entry']>;

class Builder {
  readonly #contract: Contract;
  readonly #terms: TermTable;
  readonly #order: Relation;
  /** Between iterations `causal` would let two iterations mix freely: `lifeline` there (docs/semantics.md, "loop"). */
  readonly #between: Relation;
  readonly #pipeline: Relation;
  readonly #promises: Promises;
  /** Messages that stand in parallel operands, of which the first comes first. */
  readonly #promised: Promises['drawn'];
  readonly #holding: ReadonlySet<number>;
  readonly #built = new Map<Node, Term>();
  readonly #unkeyed = new Map<Node, Term>();
  readonly #mentions = new Map<Node, Term>();
  readonly #mentioning = new Map<Node, boolean>();
  #deriver: Deriver | undefined;

  constructor(contract: Contract, terms: TermTable, promises: Promises, holding: ReadonlySet<number>) {
    this.#contract = contract;
    this.#holding = holding;
    this.#terms = terms;
    this.#order = contract.order;
    this.#promises = promises;
    const lived = promises.lived.map(([earlier, later]) => [messageOf(earlier), messageOf(later)] as const);
    this.#promised = [...promises.drawn, ...lived];
    this.#between = betweenIterations(contract, promises);
    this.#pipeline = betweenLoops(contract, promises);
  }

  /** One node may stand in many places once breaks are written out: each is built once. */
  build(node: Node): Term {
    return once(this.#built, node, () => this.#build(node));
  }

  #build(node: Node): Term {
    switch (node.kind) {
      case 'message':
        return this.#message(node.message);
      case 'seq':
        return this.#sequence(
          this.#partsOf(node, (item) => this.build(item)),
          this.#relationIn(node),
        );
      case 'alt':
        return this.#choice(
          node.optional,
          node.operands.map((operand) => this.build(operand)),
        );
      case 'opt':
        return this.#terms.opt(this.build(node.body));
      case 'loop':
        return this.#loop(this.build(node.body), node.min, node.max);
      case 'par':
        return this.#parallel(node, (operand) => this.build(operand));
      case 'concurrent':
        return this.#concurrent(node.loops);
      case 'guarded':
      case 'critical':
        return this.#entered(node, this.build(node.body));
      case 'break':
        return this.build(node.body);
    }
  }

  /**
   * `body`, whose first event is a message of its own: the copy that enters this operand or fragment. So a guard is asked of
   * the event that enters, and of no other; the choice is still made by that event and not before.
   */
  #entered(node: Extract<Node, { kind: 'guarded' | 'critical' }>, body: Term): Term {
    const deriver = this.#derive();
    const firsts = deriver.enabled(body).map((occurrence) => {
      const entry = this.#entryOf(messageOf(occurrence), node);
      const rest = deriver.after(body, occurrence);
      const left = node.kind === 'critical' && this.#holding.has(node.fragment) ? this.#terms.open(rest) : rest;
      return this.#terms.seq('always', this.#terms.occurrence(sendOf(entry)), left);
    });
    return this.#choice(deriver.accepts(body), firsts);
  }

  /** Runs of `body` in which something happens. */
  #some(body: Term): Term {
    const deriver = this.#derive();
    if (!deriver.accepts(body)) return body;
    return this.#terms.alt(
      deriver
        .enabled(body)
        .map((first) => this.#terms.seq('always', this.#terms.occurrence(first), deriver.after(body, first))),
    );
  }

  #derive(): Deriver {
    return (this.#deriver ??= new Deriver(this.#terms, relationsOf(this.#contract, this.#promises)));
  }

  #entryOf(message: number, node: Extract<Node, { kind: 'guarded' | 'critical' }>): number {
    const { messages } = this.#contract;
    const of = messages[message]?.entry?.of ?? message;
    const found = messages.find(({ entry }) => entry?.of === of && enters(entry, node));
    if (found === undefined)
      throw new Error(`message ${message} has no copy that enters a ${node.kind}: compiling makes it`);
    return found.index;
  }

  #message(message: number): Term {
    // A receipt waits for its own send, in every order; built in here, so it never relates two iterations.
    return this.#terms.seq(
      'always',
      this.#terms.occurrence(sendOf(message)),
      this.#terms.occurrence(receiptOf(message)),
    );
  }

  /** The parts of a sequence; of a message that may be overtaken each end by itself, where it is drawn. */
  #partsOf(
    { items, late = [] }: Extract<Node, { kind: 'seq' }>,
    build: (item: Node, at: number) => Term,
  ): readonly Term[] {
    const arriving = new Map<number, Term[]>();
    const parts = items.map((item, at): Term => {
      const part = build(item, at);
      const arrival = item.kind === 'message' ? late.find(({ message }) => message === item.message) : undefined;
      return arrival === undefined || part === EMPTY ? part : this.#terms.occurrence(sendOf(arrival.message));
    });
    for (const { message, after } of late) {
      const sent = items.findIndex((item) => item.kind === 'message' && item.message === message);
      if (sent < 0 || parts[sent] === EMPTY) continue;
      // Of a beginning of the sequence, what is received behind its end is received there.
      const at = Math.min(after, items.length - 1);
      arriving.set(at, [...(arriving.get(at) ?? []), this.#terms.occurrence(receiptOf(message))]);
    }
    return parts.flatMap((part, at) => [part, ...(arriving.get(at) ?? [])]);
  }

  #sequence(parts: readonly Term[], relation: Relation = this.#order): Term {
    return parts.reduceRight((rest, part) => this.#terms.seq(relation, part, rest), EMPTY);
  }

  #relationIn({ iterations }: Extract<Node, { kind: 'seq' }>): Relation {
    return iterations === true ? this.#between : this.#order;
  }

  #parallel({ operands, some }: Extract<Node, { kind: 'par' }>, build: (operand: Node) => Term): Term {
    const inOrder = inPromisedOrder(operands, this.#promised);
    const beside = this.#holding.size > 0 ? 'held' : 'never';
    const all =
      inOrder === null ? this.#sequence(operands.map(build), beside) : this.#sequence(inOrder.map(build), 'promised');
    // Of parts that may be left out, is there one that need not be, and in which nothing need happen?
    const isEmptyEnough = (): boolean =>
      operands.some((operand) => operand.kind === 'opt' && this.#derive().accepts(build(operand.body)));
    return some === true && !isEmptyEnough() ? this.#some(all) : all;
  }

  #beside(parts: readonly Term[]): Term {
    return this.#sequence(parts, 'never');
  }

  #choice(optional: boolean, operands: readonly Term[]): Term {
    return this.#terms.alt(optional ? [EMPTY, ...operands] : operands);
  }

  #loop(body: Term, min: number, max: number | null): Term {
    if (Math.max(min, max ?? 0) > LOOP_BOUND_MAX) throw new BoundMet(`loop bounds up to ${LOOP_BOUND_MAX}`);
    let rest: Term = max === null ? this.#terms.loop(this.#between, body) : EMPTY;
    for (let extra = min; extra < (max ?? min); extra++)
      rest = this.#terms.opt(this.#terms.seq(this.#between, body, rest));
    for (let owed = 0; owed < min; owed++) rest = this.#terms.seq(this.#between, body, rest);
    return rest;
  }

  /**
   * Loops that run for ever side by side, seen by one instance: conc(A, B, C) = A0* ; (A1 ; (A* beside conc(B, C)))?
   * where A1 is an iteration that mentions this instance and A0 the unkeyed rest of one that does not, and `;` is causal,
   * whatever the contract's order. Plain parallel loops would let the scheduler act on a pod before it is created; waiting
   * for a complete iteration of A would reject correct systems, in which B starts while A finishes. Beside all that, each
   * loop serves other instances.
   */
  #concurrent(loops: readonly Node[]): Term {
    const bodies = loops.map((loop) => (loop.kind === 'loop' ? loop.body : loop));
    const chain = bodies.reduceRight<Term>((later, body) => {
      const any = this.#terms.loop(this.#between, this.#terms.alt([this.build(body), this.#unkeyedRest(body)]));
      const mention = this.#mention(body);
      // A loop that never mentions the instance cannot gate the ones after it.
      if (mention === FAIL) return this.#beside([any, later]);
      const others = this.#terms.loop(this.#between, this.#unkeyedRest(body));
      const own = this.#terms.seq(this.#pipeline, mention, this.#beside([any, later]));
      return this.#terms.seq(this.#pipeline, others, this.#terms.opt(own));
    }, EMPTY);
    // What the loops do for other instances may come at any time, also before this one exists.
    const served = bodies.map((body) => this.#terms.loop(this.#between, this.#unkeyedRest(body)));
    return this.#beside([chain, ...served]);
  }

  /** What is left of an iteration that serves other instances: the messages that carry no key. */
  #unkeyedRest(node: Node): Term {
    return once(this.#unkeyed, node, () => this.#buildUnkeyed(node));
  }

  #buildUnkeyed(node: Node): Term {
    switch (node.kind) {
      case 'message':
        return this.#isKeyed(node.message) ? EMPTY : this.#message(node.message);
      case 'seq':
        return this.#sequence(
          this.#partsOf(node, (item) => this.#unkeyedRest(item)),
          this.#relationIn(node),
        );
      case 'alt':
        return this.#choice(
          node.optional,
          node.operands.map((operand) => this.#unkeyedRest(operand)),
        );
      case 'opt':
        return this.#terms.opt(this.#unkeyedRest(node.body));
      case 'loop':
        return this.#loop(this.#unkeyedRest(node.body), node.min, node.max);
      case 'par':
        return this.#parallel(node, (operand) => this.#unkeyedRest(operand));
      case 'concurrent':
        return this.#beside(node.loops.map((loop) => this.#unkeyedRest(loop)));
      case 'guarded':
      case 'critical':
        return this.#entered(node, this.#unkeyedRest(node.body));
      case 'break':
        return this.#unkeyedRest(node.body);
    }
  }

  /** Runs of `node` in which a keyed message happens; FAIL if there is none. */
  #mention(node: Node): Term {
    return once(this.#mentions, node, () => this.#buildMention(node));
  }

  #buildMention(node: Node): Term {
    if (this.#alwaysMentions(node)) return this.build(node);
    switch (node.kind) {
      case 'message':
        return FAIL;
      case 'seq':
        return this.#mentionInSequence(node);
      case 'alt':
        return this.#terms.alt(node.operands.map((operand) => this.#mention(operand)));
      case 'opt':
      case 'break':
        return this.#mention(node.body);
      case 'guarded':
      case 'critical': {
        const mention = this.#mention(node.body);
        return mention === FAIL ? FAIL : this.#entered(node, mention);
      }
      case 'loop':
        return this.#sequence(
          [
            this.#terms.loop(this.#between, this.#unkeyedRest(node.body)),
            this.#mention(node.body),
            this.#terms.loop(this.#between, this.build(node.body)),
          ],
          this.#between,
        );
      case 'par':
      case 'concurrent':
        return node.kind === 'par' && node.operands.some((operand) => this.#mention(operand) !== FAIL)
          ? this.build(node)
          : FAIL;
    }
  }

  #mentionInSequence(node: Extract<Node, { kind: 'seq' }>): Term {
    return this.#terms.alt(
      node.items.map((item, index) => {
        const mention = this.#mention(item);
        if (mention === FAIL) return FAIL;
        const parts = this.#partsOf(node, (other, at) => (at === index ? mention : this.build(other)));
        return this.#sequence(parts, this.#relationIn(node));
      }),
    );
  }

  #alwaysMentions(node: Node): boolean {
    return once(this.#mentioning, node, () => this.#findMention(node));
  }

  #findMention(node: Node): boolean {
    switch (node.kind) {
      case 'message':
        return this.#isKeyed(node.message);
      case 'seq':
        return node.items.some((item) => this.#alwaysMentions(item));
      case 'alt':
        return !node.optional && node.operands.every((operand) => this.#alwaysMentions(operand));
      case 'opt':
      case 'concurrent':
      case 'break':
        return false;
      case 'guarded':
      case 'critical':
        return this.#alwaysMentions(node.body);
      case 'loop':
        return node.min > 0 && this.#alwaysMentions(node.body);
      case 'par':
        return node.operands.some((operand) => this.#alwaysMentions(operand));
    }
  }

  #isKeyed(message: number): boolean {
    return this.#contract.messages[message]?.keyed ?? false;
  }
}

function once<T extends number | boolean>(known: Map<Node, T>, node: Node, make: () => T): T {
  let found = known.get(node);
  if (found === undefined) known.set(node, (found = make()));
  return found;
}

function depthOf(root: Node): number {
  let deepest = 0;
  const pending: { readonly node: Node; readonly depth: number }[] = [{ node: root, depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    deepest = Math.max(deepest, next.depth);
    for (const child of childrenOf(next.node)) pending.push({ node: child, depth: next.depth + 1 });
  }
  return deepest;
}

/** Of the copies of one message, the one that enters this and what stands inside of it, but nothing further out. */
function enters(
  { outermost, guards, criticals }: Entry,
  node: Extract<Node, { kind: 'guarded' | 'critical' }>,
): boolean {
  if (node.kind === 'guarded') return outermost === 'guard' && guards[0] === node.guard;
  return outermost === 'critical' && criticals[0] === node.fragment;
}
