import type { SourcedEvent, Trace } from '../../harness/index.ts';

/** A message of the raft protocol as the trace writes it; both records of a message hold it alike. */
export interface RaftMessage {
  readonly type: string;
  readonly term: number;
  readonly from: string;
  readonly to: string;
  readonly index: number;
}

/** One record: a node sent a message, or received one. */
export interface RaftRecord {
  readonly name: string;
  readonly msg: RaftMessage;
}

/** The record of a message in a line, or null: most lines tell of a node's own state. */
export function raftRecordOf(line: string): RaftRecord | null {
  if (line === '') return null;
  const parsed: unknown = JSON.parse(line);
  if (!isObject(parsed) || !isObject(parsed['event']))
    throw new Error(`this line of the raft trace is no record: ${line}`);
  const { name, msg } = parsed['event'];
  if (msg === undefined) return null;
  if (typeof name !== 'string' || !isMessage(msg))
    throw new Error(`this line of the raft trace holds no message: ${line}`);
  return { name, msg };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isMessage = (value: unknown): value is RaftMessage =>
  isObject(value) &&
  ['type', 'from', 'to'].every((field) => typeof value[field] === 'string') &&
  ['term', 'index'].every((field) => typeof value[field] === 'number');

export const isSending = ({ name }: RaftRecord): boolean => name.startsWith('Send');

/** What is equal in both records of a message. */
export const identityOf = ({ msg }: RaftRecord): string => JSON.stringify(msg);

/**
 * A raft trace as a trace. A receipt is that of the longest sent message that is equal in every field; where several equal
 * ones are under way, nothing could tell them apart, and nothing depends on which it was.
 */
export function readRaftTrace(lines: readonly string[], source: string): Trace {
  const events: SourcedEvent[] = [];
  const underWay = new Map<string, number[]>();
  lines.forEach((text, index) => {
    const record = raftRecordOf(text);
    if (record === null) return;
    const identity = identityOf(record);
    const sent = isSending(record) ? undefined : underWay.get(identity)?.shift();
    const both = sent === undefined ? undefined : events[sent];
    if (sent !== undefined && both !== undefined) {
      events[sent] = { ...both, event: received(both.event, index + 1) };
      return;
    }
    if (isSending(record)) underWay.set(identity, [...(underWay.get(identity) ?? []), events.length]);
    events.push({ event: oneEnd(record, index + 1), source, line: index + 1 });
  });
  return { events, begun: true, ended: true };
}

function oneEnd(record: RaftRecord, seq: number): SourcedEvent['event'] {
  const { type, from, to, term, index } = record.msg;
  const sent = isSending(record);
  const nodes = [from, to].sort().join(' and ');
  return {
    seq,
    from: `node ${from}`,
    to: `node ${to}`,
    kind: from === to ? 'self' : 'async',
    label: type,
    point: sent ? 'send' : 'receive',
    attributes: { term, index, nodes, sent, received: !sent },
  };
}

function received(event: SourcedEvent['event'], receivedSeq: number): SourcedEvent['event'] {
  return { ...event, point: 'both', receivedSeq, attributes: { ...event.attributes, received: true } };
}
