import type { Contract } from '../contract/index.ts';
import type { SourcedEvent } from '../trace/index.ts';
import type { InstanceVerdict } from '../verdict/index.ts';
import { isUnanswered } from './answers.ts';
import { describeViolation } from './describe.ts';
import { excerptAround } from './excerpt.ts';
import { callsOfReplies } from './exchanges.ts';
import type { LabelledEvent } from './labels.ts';
import { quote } from './quote.ts';

/** How many rows of traffic that no arrow explains are told. */
export const UNMATCHED_ROWS = 20;

/** `closed: true`: traffic between drawn participants that no arrow explains violates. */
export function notDrawn(
  contract: Contract,
  unmatched: readonly SourcedEvent[],
  inside: readonly LabelledEvent[] = [],
): InstanceVerdict[] {
  return contract.closed ? strayTraffic(contract, unmatched, { kind: 'not-drawn', inside }) : [];
}

/**
 * A call that is drawn without its reply is answered all the same: that answer is no traffic of its own, and what is to be said
 * of its status `errors` says.
 */
export function withoutPlainAnswers(
  contract: Contract,
  unmatched: readonly SourcedEvent[],
  { events, inside }: { readonly events: readonly SourcedEvent[]; readonly inside: readonly LabelledEvent[] },
): readonly SourcedEvent[] {
  if (!contract.closed || !unmatched.some(({ event }) => event.kind === 'reply')) return unmatched;
  const unanswered = new Set(
    inside.flatMap(({ index, messages }) => (messages.some((one) => isUnanswered(contract, one)) ? [index] : [])),
  );
  const answers = new Set(
    [...callsOfReplies(events)].flatMap(([reply, call]) => (unanswered.has(call) ? (events[reply] ?? []) : [])),
  );
  return unmatched.filter((sourced) => !answers.has(sourced));
}

/** Traffic between participants that the document's topology does not connect violates, drawn or not. */
export function notConnected(
  contract: Contract,
  unconnected: readonly SourcedEvent[],
  inside: readonly LabelledEvent[] = [],
): InstanceVerdict[] {
  return strayTraffic(contract, unconnected, { kind: 'no-such-connection', inside });
}

const REASONS = { 'not-drawn': 'closed drawing', 'no-such-connection': 'topology' } as const;

/** Events that break a rule about all traffic, told as one instance of their own, amid the events of the drawing. */
function strayTraffic(
  contract: Contract,
  events: readonly SourcedEvent[],
  { kind, inside }: { readonly kind: keyof typeof REASONS; readonly inside: readonly LabelledEvent[] },
): InstanceVerdict[] {
  if (events.length === 0) return [];
  const quoted = events.slice(0, UNMATCHED_ROWS).map((sourced) => quote(sourced));
  const violations = quoted.map((event) => {
    const violation = { kind, arrow: null, event, mustFollow: null, expected: [], text: '' } as const;
    return { ...violation, text: describeViolation(violation, contract.drawn) };
  });
  const excerpt = excerptAround(
    inside,
    quoted[0] ?? null,
    ({ messages }) => contract.messages[messages[0] ?? -1]?.drawn ?? null,
  );
  const [reason, none] = [REASONS[kind], { events: 0, expected: [], taken: {} }];
  return [{ key: {}, run: 1, outcome: 'violates', reason, violations, excerpt, ...none }];
}
