import { childrenOf } from './entries.ts';
import { mustPrecede } from './order.ts';
import { capturesOf } from './placeholders.ts';
import type { Contract, ContractMessage, Node, Parameter } from './types.ts';
import { clean, lineName, lineOf, messagesIn, nameMessage, nodesOf, placeName } from './walk-term.ts';

/** Sentences of one kind that are told; of the rest, the number. */
const TOLD_MAX = 20;

const told = (sentences: readonly string[]): readonly string[] =>
  sentences.length <= TOLD_MAX
    ? sentences
    : [...sentences.slice(0, TOLD_MAX), `and ${sentences.length - TOLD_MAX} more like these`];

/** Drawn neighbours that people read as ordered, and that neither the order nor the binding orders. */
export function unorderedNeighbours(contract: Contract): readonly string[] {
  const declared = new Set([...contract.unordered, ...contract.bridged, ...(contract.ordered ?? [])].map(pairKey));
  const pairs = neighbours(contract.term).filter(([one, other]) => {
    const [earlier, later] = [contract.messages[one], contract.messages[other]];
    if (earlier === undefined || later === undefined || declared.has(pairKey([one, other]))) return false;
    return !mustPrecede(contract.order, earlier, later);
  });
  const name = (message: number): string => nameMessage(contract, message);
  return told([...new Set(pairs.map(([one, other]) => `${name(one)} and ${name(other)}: either may come first`))]);
}

const pairKey = ([one, other]: readonly [number, number]): string => `${one} ${other}`;

/** What begins or ends a part of a drawing: of a choice, that of each branch. Longer lists are cut: a drawing has few branches. */
const EDGES_MAX = 16;

/** Messages drawn one directly after the other; beside a choice, each of its branches is a neighbour. */
function neighbours(root: Node): readonly (readonly [number, number])[] {
  return nodesOf(root).flatMap((node) => {
    if (node.kind !== 'seq') return [];
    return node.items.slice(1).flatMap((later, index) => {
      const earlier = node.items[index];
      const lasts = earlier === undefined ? [] : edgesOf(earlier, 'last');
      return lasts.flatMap((one) => edgesOf(later, 'first').map((other) => [one, other] as const));
    });
  });
}

function edgesOf(root: Node, side: 'first' | 'last'): readonly number[] {
  const edges: number[] = [];
  const pending: Node[] = [root];
  for (let node = pending.pop(); node !== undefined && edges.length < EDGES_MAX; node = pending.pop()) {
    if (node.kind === 'message') edges.push(node.message);
    else if (node.kind === 'seq' || node.kind === 'concurrent') {
      const items = node.kind === 'seq' ? node.items : node.loops;
      const item = side === 'first' ? items[0] : items.at(-1);
      if (item !== undefined) pending.push(item);
    } else pending.push(...[...childrenOf(node)].reverse());
  }
  return edges;
}

/**
 * Branches of a choice that begin alike for somebody who does not choose: it cannot tell, from the first message that it sends
 * or receives, which one was taken (non-local choice; Ben-Abdallah & Leue, TACAS 1997).
 */
export function indistinctBranches(contract: Contract): readonly string[] {
  const sentences = nodesOf(contract.term).flatMap((node) => {
    if (node.kind !== 'alt') return [];
    const branches = node.operands.map((operand) => beginningsOf(contract, operand));
    return contract.lifelines.flatMap(({ label }, lifeline) => {
      const alike = branches.filter((branch) => branch.firsts.has(lifeline) && branch.chooser !== lifeline);
      return groupBy(alike, lifeline).map((group) => {
        const lines = group.map((branch) => lineName(contract, branch.firsts.get(lifeline)?.message ?? -1));
        const verb = group[0]?.firsts.get(lifeline)?.isSent === true ? 'sends' : 'receives';
        return `${listed(lines)}: ${clean(label)} ${verb} the same first message in these branches, so it cannot tell from it which one was taken`;
      });
    });
  });
  return told(sentences);
}

interface First {
  readonly message: number;
  readonly isSent: boolean;
  /** Equal for messages that nobody can tell apart when they come. */
  readonly looks: string;
}

interface Branch {
  /** The lifeline that sends the first message, and so chooses. */
  readonly chooser: number | null;
  /** By lifeline, the first message at it. */
  readonly firsts: ReadonlyMap<number, First>;
}

function beginningsOf(contract: Contract, operand: Node): Branch {
  const firsts = new Map<number, First>();
  const messages = messagesIn(operand).flatMap((index) => contract.messages[index] ?? []);
  for (const message of messages)
    for (const end of [message.from, message.to])
      if (end !== null && !firsts.has(end))
        firsts.set(end, { message: message.index, isSent: end === message.from, looks: looksOf(message) });
  return { chooser: messages[0]?.from ?? null, firsts };
}

/** Where a message stands in the drawing (`inside`) is not seen when it comes. */
function looksOf({ from, to, kind, match }: ContractMessage): string {
  const { template, words, label, when, status, via } = match;
  return JSON.stringify([from, to, kind === 'reply', template, words, label, when, status, via]);
}

function groupBy(branches: readonly Branch[], lifeline: number): readonly (readonly Branch[])[] {
  const groups = new Map<string, Branch[]>();
  for (const branch of branches) {
    const looks = branch.firsts.get(lifeline)?.looks ?? '';
    groups.set(looks, [...(groups.get(looks) ?? []), branch]);
  }
  return [...groups.values()].filter((group) => group.length > 1);
}

/**
 * Loops in which somebody may begin iteration after iteration while another has not finished the first: no message of the loop,
 * directly or over others, makes the one wait for the other (process divergence; Ben-Abdallah & Leue, TACAS 1997).
 */
export function runawayLoops(contract: Contract): readonly string[] {
  // In a strict order nobody begins before all have finished.
  if (contract.order === 'strict') return [];
  const sentences = nodesOf(contract.term).flatMap((node) => {
    if (node.kind !== 'loop' || node.max !== null || node.fragment === null) return [];
    const messages = messagesIn(node.body).flatMap((index) => contract.messages[index] ?? []);
    const lines = messages.map(({ index }) => lineOf(contract, index));
    const [first = 0, last = 0] = [lines[0], lines.at(-1)];
    const where = first === last ? `line ${first}` : `lines ${first}-${last}`;
    return aheadOf(messages).map(([ahead, behind]) => {
      const names = behind.map((lifeline) => clean(contract.lifelines[lifeline]?.label ?? ''));
      return `loop in ${where}: ${clean(contract.lifelines[ahead]?.label ?? '')} may run ahead of ${listed(names)} without bound, since nothing in it makes the one wait for the other`;
    });
  });
  return told(sentences);
}

/** Of lifelines that take part, those that need not wait for some others, with these. */
function aheadOf(messages: readonly ContractMessage[]): readonly (readonly [number, readonly number[]])[] {
  const senders = new Map<number, Set<number>>();
  const taking = new Set<number>();
  for (const { from, to } of messages) {
    for (const end of [from, to]) if (end !== null) taking.add(end);
    if (from !== null && to !== null) senders.set(to, (senders.get(to) ?? new Set()).add(from));
  }
  return [...taking]
    .sort((a, b) => a - b)
    .flatMap((ahead) => {
      const heard = reachedFrom(ahead, senders);
      const behind = [...taking].filter((other) => !heard.has(other)).sort((a, b) => a - b);
      return behind.length === 0 ? [] : [[ahead, behind] as const];
    });
}

function reachedFrom(start: number, edges: ReadonlyMap<number, ReadonlySet<number>>): ReadonlySet<number> {
  const reached = new Set([start]);
  const pending = [start];
  for (let next = pending.pop(); next !== undefined; next = pending.pop())
    for (const other of edges.get(next) ?? [])
      if (!reached.has(other)) {
        reached.add(other);
        pending.push(other);
      }
  return reached;
}

/** Placeholders that no binding declares. */
export function guessedPlaceholders(contract: Contract): readonly string[] {
  const { parameters, drawn } = contract;
  return told(
    parameters.flatMap(({ name, example, guessed }) => {
      if (!guessed || example === undefined) return [];
      const lines = drawn.filter(({ text }) => text.includes(example)).map((arrow) => placeName(contract, arrow));
      return [
        `${listed(lines)}: "${clean(example)}" is read as any value, by its looks; to say what it is, declare it: parameters: { ${clean(name)}: { example: ${JSON.stringify(clean(example))}, from: attribute } }`,
      ];
    }),
  );
}

/**
 * Loops that make one thing after the other, each with a value of a parameter that names no instance, and whose iterations the
 * drawing puts in sequence: a request without the value, and something that has it.
 */
export function loopsForEach(contract: Contract): readonly string[] {
  const inner = contract.parameters.filter(({ name }) => !contract.key.includes(name));
  const sentences = new Map<number, string>();
  for (const node of nodesOf(contract.term)) {
    if (node.kind !== 'loop' || node.fragment === null || node.each !== undefined) continue;
    const messages = messagesIn(node.body).flatMap((index) => contract.messages[index] ?? []);
    for (const parameter of inner) {
      const created = messages.find(
        (message) => message.match.template?.method === 'POST' && !shows(contract, message, parameter),
      );
      if (created === undefined || !messages.some((message) => shows(contract, message, parameter))) continue;
      const name = clean(parameter.name);
      // Of loops within loops the innermost is the one that makes it; it comes last.
      sentences.set(
        created.index,
        `${lineName(contract, created.index)}: each iteration of this loop seems to make another ${name}; if they need not wait for each other, say so under loops, each: ${name}`,
      );
    }
  }
  return told([...sentences.values()]);
}

function shows({ drawn }: Contract, { drawn: arrow, match }: ContractMessage, { name, example }: Parameter): boolean {
  if (capturesOf(match).includes(name)) return true;
  return example !== undefined && (drawn[arrow]?.text.includes(example) ?? false);
}

const NAMED_MAX = 6;

/** `a, b and c`; of long lists the number of what is left out. */
function listed(texts: readonly string[]): string {
  const unique = [...new Set(texts)];
  if (unique.length > NAMED_MAX)
    return `${unique.slice(0, NAMED_MAX).join(', ')} and ${unique.length - NAMED_MAX} more`;
  return unique.length < 2 ? (unique[0] ?? '') : `${unique.slice(0, -1).join(', ')} and ${unique.at(-1) ?? ''}`;
}
