import type { Diagram, Place } from './types.ts';
import { type DiagramEvent, walkDiagram } from './walk.ts';

/** What counts as a difference beside structure, ends and line style, which always count. */
export interface DifferenceOptions {
  /** Whether messages and guards must read the same. Default `ignore`. */
  readonly texts?: 'compare' | 'ignore';
}

/** A comparison stops here: after this many, the two are different drawings and more lines help nobody. */
const DIFFERENCES_MAX = 20;

/**
 * How the order-relevant content of two diagrams differs, one sentence per difference; empty if it does not.
 *
 * Participants may be called differently: `names` gives for an id of `a` its id in `b`; where it says nothing, the
 * first message that shows a participant pairs it with the one at that end in `b`, for good, one to one.
 */
export function describeDifference(
  a: Diagram,
  b: Diagram,
  names: ReadonlyMap<string, string> = new Map(),
  options: DifferenceOptions = {},
): readonly string[] {
  const pairs = new Pairing(names);
  const differences: string[] = [];
  const left = walkDiagram(a);
  const right = walkDiagram(b);
  while (differences.length < DIFFERENCES_MAX) {
    const one = left.next();
    const other = right.next();
    if (one.done === true && other.done === true) break;
    if (one.done === true || other.done === true) {
      const rest = one.done === true ? other.value : one.value;
      const where = one.done === true ? b : a;
      if (rest !== undefined) differences.push(`only ${placed(where, rest)} goes on with ${describe(rest)}`);
      break;
    }
    const found = eventDifferences(one.value, other.value, pairs, options);
    differences.push(...found.map((text) => `${placed(a, one.value)} and ${placed(b, other.value)}: ${text}`));
    // Once the shapes part, everything below would differ too.
    if (one.value.kind !== other.value.kind) break;
  }
  return differences.slice(0, DIFFERENCES_MAX);
}

/** A one-to-one renaming that grows as participants are met. */
class Pairing {
  readonly #forth: Map<string, string>;
  readonly #back: Map<string, string>;

  constructor(names: ReadonlyMap<string, string>) {
    this.#forth = new Map(names);
    this.#back = new Map([...names].map(([one, other]) => [other, one]));
  }

  /** Whether the two may be the same participant; if so, they are from now on. */
  agrees(one: string | null, other: string | null): boolean {
    if (one === null || other === null) return one === other;
    const known = this.#forth.get(one);
    if (known !== undefined) return known === other;
    if (this.#back.has(other)) return false;
    this.#forth.set(one, other);
    this.#back.set(other, one);
    return true;
  }
}

function eventDifferences(
  one: DiagramEvent,
  other: DiagramEvent,
  pairs: Pairing,
  options: DifferenceOptions,
): readonly string[] {
  const unequal = [`${describe(one)} against ${describe(other)}`];
  const textsDiffer = (text: string, otherText: string): boolean => options.texts === 'compare' && text !== otherText;
  if (one.kind === 'message' && other.kind === 'message') {
    const { message } = one;
    const ends = pairs.agrees(message.from, other.message.from) && pairs.agrees(message.to, other.message.to);
    if (!ends || message.line !== other.message.line) return unequal;
    if (arrivalOf(one) !== arrivalOf(other)) return [`${describe(one)} is overtaken otherwise than ${describe(other)}`];
    return textsDiffer(message.text, other.message.text) ? unequal : [];
  }
  if (one.kind === 'operand' && other.kind === 'operand') {
    return textsDiffer(one.operand.guard, other.operand.guard) ? unequal : [];
  }
  if (one.kind === 'enter' && other.kind === 'enter') return one.fragment.kind === other.fragment.kind ? [] : unequal;
  return one.kind === other.kind ? [] : unequal;
}

/** Where a message is received, seen from where it is sent. */
function arrivalOf({ message: { received }, index }: Extract<DiagramEvent, { kind: 'message' }>): string {
  return received === undefined ? '' : `${received.after - index} ${received.nth}`;
}

function describe(event: DiagramEvent): string {
  switch (event.kind) {
    case 'message': {
      const { from, to, line, text } = event.message;
      return `${from ?? '(outside)'} ${line === 'solid' ? '->' : '-->'} ${to ?? '(outside)'} "${text}"`;
    }
    case 'enter':
      return `a ${event.fragment.kind}`;
    case 'operand':
      return `the compartment "${event.operand.guard}"`;
    case 'leave':
      return `the end of a ${event.fragment.kind}`;
  }
}

function placed(diagram: Diagram, event: DiagramEvent): string {
  const at = placeOf(event);
  return `${diagram.file}:${at.line}:${at.column}`;
}

function placeOf(event: DiagramEvent): Place {
  switch (event.kind) {
    case 'message':
      return event.message.at;
    case 'operand':
      return event.operand.at;
    case 'enter':
    case 'leave':
      return event.fragment.at;
  }
}
