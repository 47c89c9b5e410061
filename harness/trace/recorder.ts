import type { Attribute, SourcedEvent, Trace, TraceEvent } from './types.ts';

/** What a caller says of a message; the recorder adds its position and its id. */
export interface MessageDraft {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  /** Default: `call`. */
  readonly kind?: TraceEvent['kind'];
  /** Milliseconds since the epoch. */
  readonly time?: number;
  readonly domain?: string;
  readonly status?: number;
  readonly replyTo?: string;
  readonly parent?: string;
  readonly causes?: readonly string[];
  readonly traceId?: string;
  readonly attributes?: Readonly<Record<string, Attribute>>;
}

export type ReplyDraft = Partial<Omit<MessageDraft, 'from' | 'to' | 'kind' | 'replyTo'>>;

/** Writes down what happens, in the order in which it is told; positions count up from 1 in each domain. */
export interface Recorder {
  /** A message that is sent and received in one instant. Returns its id. */
  readonly message: (draft: MessageDraft) => string;
  /** The send of a message; until `receive` names it, the trace shows only this end. Returns its id. */
  readonly send: (draft: MessageDraft) => string;
  /** The receipt of a sent message, in the domain of its send or in another one. False if no such message is on its way. */
  readonly receive: (id: string, receivedTime?: number, receivedDomain?: string) => boolean;
  /** The reply to a recorded call, back to who called, in one instant. Returns its id, or null if there is no such call. */
  readonly reply: (call: string, draft?: ReplyDraft) => string | null;
  /** Nothing will happen any more. */
  readonly end: () => void;
  readonly trace: () => Trace;
}

/** A recorder in memory, for tests and for programs that check themselves. Its trace declares its beginning. */
export function createRecorder(source = 'recorder'): Recorder {
  const events: TraceEvent[] = [];
  const indexes = new Map<string, number>();
  const positions = new Map<string, number>();
  let ended = false;

  const nextSeq = (domain = ''): number => {
    const seq = (positions.get(domain) ?? 0) + 1;
    positions.set(domain, seq);
    return seq;
  };
  const add = (draft: MessageDraft, point: 'send' | 'both'): string => {
    const id = `m${events.length + 1}`;
    indexes.set(id, events.length);
    const { from, to, label, kind = 'call', ...rest } = draft;
    const seq = nextSeq(draft.domain);
    events.push({ seq, id, from, to, kind, label, ...(point === 'send' ? { point } : {}), ...rest });
    return id;
  };
  const find = (id: string): TraceEvent | undefined => events[indexes.get(id) ?? -1];

  return {
    message: (draft) => add(draft, 'both'),
    send: (draft) => add(draft, 'send'),
    receive(id, receivedTime, receivedDomain) {
      const sent = find(id);
      if (sent?.point !== 'send') return false;
      events[indexes.get(id) ?? -1] = {
        ...sent,
        point: 'both',
        receivedSeq: nextSeq(receivedDomain ?? sent.domain),
        ...(receivedDomain === undefined ? {} : { receivedDomain }),
        ...(receivedTime === undefined ? {} : { receivedTime }),
      };
      return true;
    },
    reply(call, draft = {}) {
      const called = find(call);
      if (called?.kind !== 'call') return null;
      const label = draft.label ?? (draft.status === undefined ? '' : String(draft.status));
      const { to: from, from: to } = called;
      return add({ ...draft, from, to, label, kind: 'reply', replyTo: call }, 'both');
    },
    end() {
      ended = true;
    },
    trace: () => ({
      events: events.map((event, index): SourcedEvent => ({ event, source, line: index + 2 })),
      begun: true,
      ended,
    }),
  };
}

/** The trace as text, one JSON object a line, with its markers: what `readTraceText` reads back. */
export function toNdjson(trace: Trace): string {
  const lines = trace.events.map(({ event }) => JSON.stringify(event));
  if (trace.begun) lines.unshift('{"kind":"begin"}');
  if (trace.ended) lines.push('{"kind":"end"}');
  return lines.map((line) => `${line}\n`).join('');
}
