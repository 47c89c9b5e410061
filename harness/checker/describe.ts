import { childrenOf, overtakenPairs, type Contract, type DrawnArrow, type Node } from '../contract/index.ts';
import type { SourcedEvent } from '../trace/index.ts';
import type { Violation } from '../verdict/index.ts';
import { statusOf } from './labels.ts';

/** One sentence that names the arrows by their drawn text and place. */
export function describeViolation(violation: Violation, arrows: readonly DrawnArrow[], waiting = 0): string {
  // What only the binding could say was said where it was found.
  if (violation.text !== '') return violation.text;
  const arrow = nameArrow(arrows, violation.arrow);
  const other = nameArrow(arrows, violation.mustFollow);
  switch (violation.kind) {
    case 'out-of-order':
      if (violation.arrow === violation.mustFollow) return `the parts of ${arrow} happened in the wrong order`;
      return `${arrow} happened before ${other}, which must come first`;
    case 'missing': {
      const choices = violation.expected.map((index) => nameArrow(arrows, index));
      const missing = choices.length > 1 && violation.event === null ? `one of ${choices.join(' or ')}` : arrow;
      const despite = violation.mustFollow === null ? '' : `, though ${other} did, which must come after it`;
      const more =
        waiting === 0 ? '' : `; ${waiting} more arrow${waiting === 1 ? '' : 's'} drawn after it did not happen either`;
      return `${missing} never happened${despite}${more}`;
    }
    case 'repeated':
      return `${arrow} happened again, where the drawing does not repeat it`;
    case 'unexpected':
      return `${arrow} is not possible here: ${possibleInstead(violation, arrows)}`;
    case 'wrong-status':
      return `${arrow} came with status ${violation.event?.status ?? 'unknown'}, which is not what is drawn`;
    case 'not-drawn':
      return `${ends(violation)} is not drawn, and the binding says that the drawing is closed`;
    case 'no-such-connection':
      return `${ends(violation)} goes where the topology draws no connection`;
    case 'after-destruction':
      return `${arrow} happened after ${other}, which had destroyed its participant`;
    case 'too-late':
      return `${arrow} came too late after ${other}`;
    case 'wrong-branch':
      return `${arrow} was taken, though the guard of its branch is not true`;
    case 'forbidden':
      return `${ends(violation)} must never occur`;
    case 'wrong-participant':
      return `${arrow} never happened; ${ends(violation)} is like it, but for its participants`;
  }
}

/** `"bind pod" (diagram.txt:24)`; an arrow without text is named by its ends. */
export function nameArrow(arrows: readonly DrawnArrow[], index: number | null): string {
  const arrow = index === null ? undefined : arrows[index];
  if (arrow === undefined) return 'a message that no arrow draws';
  const text =
    arrow.text === '' ? `${arrow.from} ${arrow.style === 'dashed' ? '-->' : '->'} ${arrow.to}` : `"${arrow.text}"`;
  return `${text} (${arrow.file}:${arrow.line})`;
}

const ends = ({ event }: Violation): string => `${event?.from ?? ''} -> ${event?.to ?? ''}: ${event?.label ?? ''}`;

const drawnText = ({ drawn, messages }: Contract, message: number): string =>
  nameArrow(drawn, messages[message]?.drawn ?? null);

/** The name that the binding gave to what must never occur. */
export const forbiddenText = ({ forbidden }: Contract, index: number): string =>
  `"${forbidden?.[index]?.name ?? ''}" must never occur`;

export const failedText = (contract: Contract, message: number, status: number | undefined): string =>
  `${drawnText(contract, message)} was answered by an error (${status ?? 'unknown'}); no reply is drawn, and the binding says that errors violate`;

export const excessText = (contract: Contract, message: number): string => {
  const max = contract.messages[message]?.retry?.max ?? 0;
  return `${drawnText(contract, message)} was tried again more often than the ${max === 1 ? 'one time' : `${max} times`} that the binding allows`;
};

export const secondAnswerText = (contract: Contract, message: number): string =>
  `${drawnText(contract, message)} came a second time for one call, which was answered already`;

export const servedText = (contract: Contract, message: number): string =>
  `${drawnText(contract, message)} serves a call that was answered already, of another run`;

export const overtakingText = (contract: Contract, message: number): string =>
  `${drawnText(contract, message)} overtook an earlier one of the same arrow, which must come first`;

/** For an arrow that is received before what is drawn while it is on its way; null where that is not what is wrong. */
export function tooEarlyText(contract: Contract, arrow: number, mustFollow: number | null): string | null {
  const { drawn, messages } = contract;
  const drawnOf = (message: number): number | undefined => messages[message]?.drawn;
  const isSo = overtakenPairs(contract).some(([one, other]) => drawnOf(one) === arrow && drawnOf(other) === mustFollow);
  if (!isSo) return null;
  return `${nameArrow(drawn, arrow)} was received too early: ${nameArrow(drawn, mustFollow)} is drawn while it is on its way`;
}

export const receivedText = (contract: Contract, message: number): string =>
  `${drawnText(contract, message)} was received, though it must be lost`;

/** Of the copies that enter several operands the innermost guard is named: it is the one whose operand was meant. */
export const guardText = (contract: Contract, message: number): string => {
  const guard = contract.messages[message]?.entry?.guards.at(-1);
  return `${drawnText(contract, message)} was taken, though "${contract.guards?.[guard ?? -1]?.text ?? ''}" is not true of it`;
};

/**
 * For what came in some iterations of a loop, and not in as many as the binding asks for; null: it is not so. Within another
 * loop nobody can say of which of its iterations one is missing.
 */
export function iterationsText({ term, messages, drawn }: Contract, arrow: number, count: number): string | null {
  const pending: { readonly node: Node; readonly min: number | null; readonly isNested: boolean }[] = [
    { node: term, min: null, isNested: false },
  ];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, min, isNested } = next;
    if (node.kind === 'message' && messages[node.message]?.drawn === arrow)
      return min === null || isNested || count === 0 || count >= min
        ? null
        : `${nameArrow(drawn, arrow)} happened in ${count} of ${min} iterations`;
    const isLoop = node.kind === 'loop' || node.kind === 'concurrent';
    const inner = { min: node.kind === 'loop' ? node.min : min, isNested: isNested || (isLoop && min !== null) };
    for (const child of childrenOf(node)) pending.push({ node: child, ...inner });
  }
  return null;
}

/** `30 s`, `1.5 s`, `250 ms`: four significant digits, so that a little too late shows. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Number(ms.toPrecision(4))} ms`;
  if (ms < 60_000) return `${Number((ms / 1_000).toPrecision(4))} s`;
  return ms < 3_600_000
    ? `${Number((ms / 60_000).toPrecision(4))} min`
    : `${Number((ms / 3_600_000).toPrecision(4))} h`;
}

/** Why an event that is like a missing arrow is not it. */
export function misdirectedText(name: string, arrow: DrawnArrow | undefined, { event, line }: SourcedEvent): string {
  if (event.kind === 'lost') return `${name} was sent (event in line ${line}), and never received`;
  return `${name} never happened; the event in line ${line} is like it, but goes from ${event.from} to ${event.to}, not from ${arrow?.from ?? ''} to ${arrow?.to ?? ''}`;
}

/** For a reply drawn by a solid arrow, whose call was answered with another status. */
export const answeredText = (call: string, reply: string, { event, line }: SourcedEvent): string =>
  `${call} was answered with status ${statusOf(event) ?? 'unknown'} (event in line ${line}), where ${reply} is drawn`;

/** At most three arrows are named: more would hide the point. */
function possibleInstead({ expected }: Violation, arrows: readonly DrawnArrow[]): string {
  const why = 'another branch was taken, or what it belongs to is over';
  if (expected.length === 0) return why;
  const named = expected.slice(0, 3).map((index) => nameArrow(arrows, index));
  const more = expected.length > 3 ? `, or ${expected.length - 3} others` : '';
  return `${why}; possible is ${named.join(', ')}${more}`;
}
