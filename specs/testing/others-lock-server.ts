import type { SourcedEvent, Trace } from '../../harness/index.ts';

/** One record of the lock server's log, field by field; `null` is how the log writes that there is none. */
export interface LockRecord {
  readonly MessageType: string;
  readonly ClientID: string;
  readonly LockID: string;
  readonly TransactionType: string;
  readonly TransactionID: string;
  readonly Result: string;
  readonly LockStatus: string;
}

/** The record in a line, or null: the log also holds headings and lines of its logger. */
export function lockRecordOf(line: string): LockRecord | null {
  if (!line.includes('MessageType=')) return null;
  const fields = new Map([...line.matchAll(/(\w+)=(\w+)/g)].map(([, name = '', value = '']) => [name, value]));
  const field = (name: string): string => fields.get(name) ?? 'null';
  return {
    MessageType: field('MessageType'),
    ClientID: field('ClientID'),
    LockID: field('LockID'),
    TransactionType: field('TransactionType'),
    TransactionID: field('TransactionID'),
    Result: field('Result'),
    LockStatus: field('LockStatus'),
  };
}

/** A lock server's log as a trace: every record is one event, seen by the server. */
export function readLockServerLog(lines: readonly string[], source: string): Trace {
  const events = lines.flatMap((text, index): SourcedEvent[] => {
    const record = lockRecordOf(text);
    return record === null ? [] : [{ event: eventOf(record, index + 1), source, line: index + 1 }];
  });
  return { events, begun: true, ended: true };
}

function eventOf(record: LockRecord, seq: number): SourcedEvent['event'] {
  const { MessageType, ClientID, LockID, TransactionType, TransactionID, Result, LockStatus } = record;
  const client = `client ${ClientID}`;
  const attributes = {
    ClientID,
    LockID,
    TransactionID,
    ...(Result === 'null' ? {} : { Result }),
    ...(LockStatus === 'null' ? {} : { LockStatus }),
  };
  const common = { seq, label: TransactionType, attributes };
  return MessageType === 'REQUEST'
    ? { ...common, kind: 'call', from: client, to: 'LockServer', id: TransactionID }
    : { ...common, kind: 'reply', from: 'LockServer', to: client, replyTo: TransactionID };
}
