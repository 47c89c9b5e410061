import type { Contract } from '../contract/index.ts';
import type { SourcedEvent } from '../trace/index.ts';
import { statusOf, type LabelledEvent } from './labels.ts';
import { NO_RULES } from './rule-label.ts';

/** The same call, tried again and again: indexes of the calls, in order. */
interface Chain {
  readonly message: number;
  readonly attempts: number[];
}

/**
 * Of a call that is tried again only the last attempt is the message: the earlier ones, their replies, and what was done
 * for them as far as the trace has parents, are taken out. An attempt may be followed by another while it is unanswered or
 * answered by a status that the binding names.
 */
export function withoutRetried(
  contract: Contract,
  labelled: readonly LabelledEvent[],
  trace: readonly SourcedEvent[],
  callOf: ReadonlyMap<number, number>,
): readonly LabelledEvent[] {
  if (!contract.messages.some(({ retry }) => retry !== undefined)) return labelled;
  const replyOf = new Map([...callOf].map(([reply, call]) => [call, reply]));
  const chains = chainsOf(contract, labelled, trace, replyOf);
  const excess = new Map<number, number>();
  const dropped = new Set<number>();
  for (const { message, attempts } of chains) {
    for (const attempt of attempts.slice(0, -1)) dropped.add(attempt);
    const last = attempts.at(-1);
    const max = contract.messages[message]?.retry?.max ?? 0;
    if (last !== undefined && attempts.length - 1 > max) excess.set(last, message);
  }
  if (dropped.size === 0) return labelled;
  const gone = withAllServed(dropped, trace, callOf);
  return labelled
    .filter(({ index }) => !gone.has(index))
    .map((event) => {
      const message = excess.get(event.index);
      return message === undefined ? event : { ...event, rules: { ...(event.rules ?? NO_RULES), excess: message } };
    });
}

function chainsOf(
  contract: Contract,
  labelled: readonly LabelledEvent[],
  trace: readonly SourcedEvent[],
  replyOf: ReadonlyMap<number, number>,
): readonly Chain[] {
  const latest = new Map<string, Chain>();
  const chains: Chain[] = [];
  for (const event of labelled) {
    const message = event.messages.find((index) => contract.messages[index]?.retry !== undefined);
    if (message === undefined || event.sourced.event.kind !== 'call') continue;
    const key = signatureOf(event);
    const chain = latest.get(key);
    const before = chain?.attempts.at(-1);
    const on = contract.messages[message]?.retry?.on ?? [];
    if (chain !== undefined && before !== undefined && mayFollow(before, event.index, { trace, replyOf, on }))
      chain.attempts.push(event.index);
    else {
      const begun = { message, attempts: [event.index] };
      chains.push(begun);
      latest.set(key, begun);
    }
  }
  return chains;
}

/** The earlier call has no reply in this trace, or had one of these statuses before the later call was made. */
function mayFollow(
  earlier: number,
  later: number,
  facts: {
    readonly trace: readonly SourcedEvent[];
    readonly replyOf: ReadonlyMap<number, number>;
    readonly on: readonly number[];
  },
): boolean {
  const reply = facts.replyOf.get(earlier);
  if (reply === undefined) return true;
  const event = facts.trace[reply]?.event;
  const status = event === undefined ? undefined : statusOf(event);
  return reply < later && status !== undefined && facts.on.includes(status);
}

/** What makes two calls the same: ends, text, request, values. */
function signatureOf({ messages, values, sourced: { event } }: LabelledEvent): string {
  const { from, to, label, attributes } = event;
  const request = ['http.request.method', 'url.path', 'url.query'].map((name) =>
    attributes !== undefined && Object.hasOwn(attributes, name) ? (attributes[name] ?? null) : null,
  );
  const known = [...values].sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([from, to, label, request, known, messages]);
}

/** The calls, all that was sent while serving them, and the replies to any of these. */
function withAllServed(
  calls: ReadonlySet<number>,
  trace: readonly SourcedEvent[],
  callOf: ReadonlyMap<number, number>,
): ReadonlySet<number> {
  const gone = new Set(calls);
  const ids = new Set<string>();
  trace.forEach(({ event: { id, parent } }, index) => {
    const isServed = parent !== undefined && ids.has(parent);
    if (isServed || gone.has(callOf.get(index) ?? -1)) gone.add(index);
    if (gone.has(index) && id !== undefined) ids.add(id);
  });
  return gone;
}
