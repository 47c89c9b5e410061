import { placeName, type Contract, type DrawnArrow } from '../contract/index.ts';
import { hasOneDomain } from '../trace/index.ts';
import { neverSeen, type ArrowVerdict } from '../verdict/index.ts';
import { statuslessAnswersOf, errorOf } from './answers.ts';
import type { Findings } from './findings.ts';
import { candidatesOfEvent } from './candidates.ts';
import { statusOf } from './labels.ts';
import { loneDomains } from './lone-domains.ts';
import { unique } from './run.ts';
import { staleArrows } from './stale.ts';
import { countAll } from './tally.ts';
import { danglingNames } from './unanswering.ts';

/** What a reader should know besides the verdict. */
export function remarksOf(findings: Findings, arrows: readonly ArrowVerdict[]): string[] {
  const { contract, trace, inside, instances, tally } = findings;
  const remarks: string[] = [];
  const unseen = neverSeen({ arrows, instances });
  if (unseen.length > 0 && unseen.length < arrows.length)
    remarks.push(`never seen in this trace: ${unseen.map((arrow) => arrowText(contract, arrow)).join(', ')}`);
  if (!hasOneDomain(trace.events) && instances.some(({ outcome }) => outcome === 'inconclusive'))
    remarks.push(
      'between domains only replyTo, parent, causes and receipts in another domain (receivedDomain) prove an order: more of them may decide what is inconclusive here',
    );
  if (findings.isWhole === true && !hasOneDomain(trace.events))
    remarks.push(
      ...loneDomains(
        trace.events,
        instances.every(({ outcome }) => outcome === 'conforms'),
      ),
    );
  const unseenStatus = inside.filter(
    ({ messages, sourced }) =>
      statusOf(sourced.event) === undefined &&
      messages.some((message) => contract.messages[message]?.match.status !== undefined),
  );
  const withoutStatus = countAll(
    unseenStatus.map(({ sourced }) => sourced),
    tally,
  );
  if (withoutStatus > 0)
    remarks.push(
      withoutStatus === 1
        ? '1 reply shows no status, where the drawing names one: that was not checked'
        : `${withoutStatus} replies show no status, where the drawing names one: that was not checked`,
    );
  const isRepeated = instances.some(({ violations }) => violations.some(({ kind }) => kind === 'repeated'));
  if (contract.key.length === 0 && isRepeated)
    remarks.push(
      'if what happened again belongs to another run, name the parameter that tells runs apart (`instance` in the binding), or record trace ids',
    );
  const last = contract.key.at(-1);
  if (last !== undefined) remarks.push(...keylessRemarks(findings, last), ...ignoredRemarks(findings, last));
  // A trace that declares its beginning holds what its events name; of any other it matters where something is wrong.
  const isAsked = trace.begun || instances.some(({ outcome }) => outcome !== 'conforms');
  if (findings.isWhole === true && isAsked)
    remarks.push(
      ...(tally?.dangling ??
        danglingNames([...inside.map(({ sourced }) => sourced), ...findings.unmatched], trace.events)),
    );
  return [...remarks, ...ruleRemarks(findings)];
}

/** Arrows that are named in one remark. */
const NAMED_MAX = 5;

/** Events that carry the parameter by which instances are told apart only through others. */
function keylessRemarks({ contract, inside, tally }: Findings, key: string): readonly string[] {
  // The reply to a keyed call has the call's key: where that did not show it, the call is told.
  const isKeyed = (message: number): boolean => {
    const { keyed = false, replyOf } = contract.messages[message] ?? {};
    return keyed && (replyOf === undefined || contract.messages[replyOf]?.keyed !== true);
  };
  // What has a parent belongs where that belongs.
  const keyless = inside.filter(
    ({ messages, values, sourced }) => messages.some(isKeyed) && !values.has(key) && sourced.event.parent === undefined,
  );
  if (keyless.length === 0) return [];
  const arrows = unique(
    keyless.flatMap(({ messages }) => messages.filter(isKeyed).map((one) => contract.messages[one]?.drawn ?? -1)),
  ).sort((a, b) => a - b);
  const named = arrows.slice(0, NAMED_MAX).map((arrow) => arrowText(contract, contract.drawn[arrow]));
  const more = arrows.length > NAMED_MAX ? ` and ${arrows.length - NAMED_MAX} more` : '';
  const count = countAll(
    keyless.map(({ sourced }) => sourced),
    tally,
  );
  const events = count === 1 ? '1 matching event' : `${count} matching events`;
  const self = count === 1 ? 'itself' : 'themselves';
  return [`${events} did not show "${key}" by ${self}: ${named.join(', ')}${more}`];
}

/** Events that fit an arrow, and that no instance took: each was past it. */
function ignoredRemarks({ contract, ignored = [] }: Findings, key: string): readonly string[] {
  if (ignored.length === 0) return [];
  const byArrow = grouped(ignored, (event) => contract.messages[candidatesOfEvent(event)[0] ?? -1]?.drawn ?? -1);
  const named = [...byArrow].slice(0, NAMED_MAX).map(([arrow, events]) => {
    const [first] = events;
    const place = first === undefined ? '' : `${first.sourced.source}:${first.sourced.line}`;
    return `${arrowText(contract, contract.drawn[arrow])} (${events.length === 1 ? '' : `${events.length} times, first in `}${place})`;
  });
  const more = byArrow.size > NAMED_MAX ? ` and ${byArrow.size - NAMED_MAX} more` : '';
  const [count, them] =
    ignored.length === 1
      ? [`1 event that shows no "${key}" was`, 'it']
      : [`${ignored.length} events that show no "${key}" were`, 'them'];
  return [
    `${count} taken by no instance: ${named.join(', ')}${more}; let ${them} show the parameter, or leave ${them} out (\`when\`, \`only\`)`,
  ];
}

/** `line 18 "bind pod"`. */
const arrowText = (contract: Contract, arrow: DrawnArrow | undefined): string =>
  `${placeName(contract, arrow)}${arrow === undefined || arrow.text === '' ? '' : ` "${arrow.text}"`}`;

/** The arrow that is drawn solid for the reply to this one, with its status. */
function solidReplyTo({ messages }: Contract, arrow: number): number | undefined {
  const reply = messages.find(({ match: { orReply } }) => {
    const calls = orReply?.status === undefined ? null : orReply.calls;
    return calls?.some((call) => messages[call]?.drawn === arrow) === true;
  });
  return reply?.drawn;
}

/** What differs from the drawing without violating it: errors that it does not show, stale entries, references. */
function ruleRemarks(findings: Findings): string[] {
  const { contract, unmatched, failed, tally } = findings;
  const nameOf = (drawn: number): string => arrowText(contract, contract.drawn[drawn]);
  const errors = [...failed].map(([drawn, statuses]) => {
    const count = statuses.length === 1 ? 'once' : `${statuses.length} times`;
    const reply = solidReplyTo(contract, drawn);
    const why = reply === undefined ? 'its reply is not drawn' : `drawn is ${nameOf(reply)}`;
    return `${nameOf(drawn)} was answered by an error ${count} (${unique(statuses).join(', ')}); ${why}`;
  });
  const stale = staleArrows(contract, unmatched).map(({ drawn, kind, events }) => {
    const [first] = events;
    const word = kind === 'absent' ? 'absent' : 'an erratum';
    const times = countAll(events, tally);
    const count = times === 1 ? 'once' : `${times} times`;
    const place = first === undefined ? '' : ` (first in ${first.source}:${first.line})`;
    return `the binding is stale: ${nameOf(drawn)} is said to be ${word}, and happened as drawn ${count}${place}`;
  });
  const gaps = (contract.gaps ?? []).map(
    ({ text, ...at }) =>
      `${placeName(contract, at)} refers to${text === '' ? ' another drawing' : ` "${text}"`}: what happens there was not checked`,
  );
  return [...errors, ...statuslessRemarks(findings), ...stale, ...gaps];
}

/** Errors that are the reply as drawn, since a reply that names no status says nothing of it. */
function statuslessRemarks({ contract, inside, isWhole, tally }: Findings): string[] {
  const open = statuslessAnswersOf(contract);
  if (open.size === 0) return [];
  const failed = inside.filter(
    ({ messages, sourced }) =>
      messages.length > 0 && messages.every((message) => open.has(message)) && errorOf(sourced.event) !== null,
  );
  const byReply = grouped(failed, ({ messages: [message] }) => contract.messages[message ?? -1]?.drawn ?? -1);
  return [...byReply].map(([reply, events]) => {
    // Caller and callee may both have logged it: the log counts that shows more.
    const logs = isWhole === true ? [events] : [...grouped(events, ({ sourced }) => sourced.source).values()];
    const shown = logs.reduce((most, log) => (log.length > most.length ? log : most)).map(({ sourced }) => sourced);
    const count = countAll(shown, tally);
    const statuses = unique(shown.flatMap(({ event }) => errorOf(event) ?? []));
    const replyOf = contract.messages.find(({ drawn }) => drawn === reply)?.replyOf ?? -1;
    const call = contract.drawn[contract.messages[replyOf]?.drawn ?? -1];
    const place = placeName(contract, contract.drawn[reply]);
    const isBlank = contract.drawn[reply]?.text.trim() === '';
    return `${arrowText(contract, call)} was answered by an error ${count === 1 ? 'once' : `${count} times`} (${statuses.join(', ')}); its reply (${place}) is drawn ${isBlank ? 'without a text' : 'without a status'}`;
  });
}

function grouped<Value, Name>(values: readonly Value[], nameOf: (value: Value) => Name): Map<Name, Value[]> {
  const groups = new Map<Name, Value[]>();
  for (const value of values) {
    const name = nameOf(value);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [value]);
    else group.push(value);
  }
  return groups;
}
