import type { Attribute, EventKind, SourcedEvent, Trace, TraceEvent } from '../trace/index.ts';

/**
 * Traces as transcripts write them, one event a line:
 *
 *     A -> B  get /x  call=1 pod=web-1     a call with id 1 and an attribute
 *     B -> A  200     reply=1              its reply, with status 200
 *     A -> B  tick                         an asynchronous message
 *
 * `at=3..7`: sent at position 3, received at 7; `domain=a`, `receivedDomain=b`, `causes=1,2`, `point=send`, `parent=1`, `trace=t1`, `status=409`, `time=1000`, `id=…`. The words
 * before the first `key=value` are the label; a label that is a number is the status too. `begin` and `end` are markers.
 */
export function readShorthand(text: string): Trace {
  const events: SourcedEvent[] = [];
  let [begun, ended] = [false, false];
  text.split('\n').forEach((raw, index) => {
    const line = raw.trim();
    if (line === 'begin') begun = true;
    else if (line === 'end') ended = true;
    else if (line !== '') events.push({ event: readEvent(line, index + 1), source: 'trace', line: index + 1 });
  });
  return { events, begun, ended };
}

const ARROW = /^(?<from>\S+)\s+->\s+(?<to>\S+)\s*(?<rest>.*)$/;
const RESERVED = new Set([
  'call',
  'reply',
  'at',
  'point',
  'parent',
  'causes',
  'trace',
  'status',
  'id',
  'domain',
  'receivedDomain',
  'kind',
  'time',
]);

function readEvent(line: string, number: number): TraceEvent {
  const { from = '', to = '', rest = '' } = ARROW.exec(line)?.groups ?? {};
  if (from === '') throw new Error(`line ${number} of the transcript is no event: ${line}`);
  const words = rest.split(/\s+/).filter((word) => word !== '');
  const pairs = new Map(words.filter((word) => /^[\w.]+=/.test(word)).map(splitPair));
  const label = words.filter((word) => !/^[\w.]+=/.test(word)).join(' ');
  const [sent, received] = (pairs.get('at') ?? String(number)).split('..').map(Number);
  const attributes: Record<string, Attribute> = Object.fromEntries([...pairs].filter(([key]) => !RESERVED.has(key)));
  const status = pairs.get('status') ?? (/^\d{1,3}$/.test(label) ? label : undefined);
  const call = pairs.get('call');
  const reply = pairs.get('reply');
  const id = call ?? pairs.get('id');
  const optional = {
    id,
    replyTo: reply === '' ? undefined : reply,
    receivedSeq: received,
    point: pairs.get('point') as TraceEvent['point'] | undefined,
    parent: pairs.get('parent'),
    traceId: pairs.get('trace'),
    causes: pairs.get('causes')?.split(','),
    domain: pairs.get('domain'),
    receivedDomain: pairs.get('receivedDomain'),
    time: pairs.has('time') ? Number(pairs.get('time')) : undefined,
    status: status === undefined ? undefined : Number(status),
  };
  const given = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined));
  return { seq: sent ?? number, from, to, kind: kindOf(pairs), label, attributes, ...given };
}

function kindOf(pairs: ReadonlyMap<string, string>): EventKind {
  const kind = pairs.get('kind');
  if (kind !== undefined) return kind as EventKind;
  if (pairs.has('call')) return 'call';
  return pairs.has('reply') ? 'reply' : 'async';
}

function splitPair(word: string): readonly [string, string] {
  const eq = word.indexOf('=');
  return [word.slice(0, eq), word.slice(eq + 1)];
}
