import { describe, expect, test } from '@jest/globals';
import { createRecorder, currentCause, participantOf, withCause } from './index.ts';
import type { Message, ReadOptions, Recorder, TraceEvent, TraceLine } from './index.ts';

const call: Message = { from: 'A', to: 'B', kind: 'call', label: 'get' };
const reply = (replyTo: string): Message => ({ from: 'B', to: 'A', kind: 'reply', label: 'ok', replyTo, status: 200 });

function linesOf(recorder: Recorder, options: ReadOptions = {}): readonly TraceLine[] {
  const reading = recorder.read(options);
  if (reading.kind === 'gone') throw new Error(reading.detail);
  return reading.lines;
}
const eventsOf = (recorder: Recorder): readonly TraceEvent[] =>
  linesOf(recorder).filter((line): line is TraceEvent => !['begin', 'end', 'problem'].includes(line.kind));

describe('recorder', () => {
  test('sends and receipts share one counter, and the trace has its markers', () => {
    let now = 1000;
    const recorder = createRecorder({ now: () => now++ });
    const first = recorder.send(call);
    const second = recorder.send(call);
    recorder.receive(second);
    recorder.receive(first);
    recorder.finish();
    expect(linesOf(recorder)).toEqual([
      { kind: 'begin', seq: 0 },
      { ...call, seq: 1, id: first, time: 1000, receivedSeq: 4, receivedTime: 1003, attributes: {} },
      { ...call, seq: 2, id: second, time: 1001, receivedSeq: 3, receivedTime: 1002, attributes: {} },
      { kind: 'end', seq: 5 },
    ]);
  });

  test('a message with one end in this process has one point', () => {
    const recorder = createRecorder();
    recorder.receiveOnly(call);
    recorder.sendOnly(call);
    recorder.pass(call);
    expect(eventsOf(recorder)).toMatchObject([
      { seq: 1, point: 'receive' },
      { seq: 2, point: 'send' },
      { seq: 3, receivedSeq: 4 },
    ]);
    expect(eventsOf(recorder)[2]).not.toHaveProperty('point');
    expect(recorder.inFlight()).toBe(0);
  });

  test('what is in flight shows its send only, and stays so when it is lost', () => {
    const recorder = createRecorder();
    recorder.send(call);
    expect(recorder.inFlight()).toBe(1);
    expect(eventsOf(recorder)).toMatchObject([{ point: 'send' }]);
    recorder.finish();
    expect(eventsOf(recorder)).toMatchObject([{ point: 'send' }]);
  });

  test('a message is received once, and only one that was sent', () => {
    const recorder = createRecorder();
    const id = recorder.send(call);
    expect([recorder.receive(id), recorder.receive(id), recorder.receive('1-99'), recorder.receive('')]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  test('the receiver may add what the sender did not know, not change what it said', () => {
    const recorder = createRecorder();
    const id = recorder.send({ ...call, attributes: { a: 'sender' } });
    recorder.receive(id, { a: 'receiver', b: 'receiver' });
    expect(recorder.find(id)?.attributes).toEqual({ a: 'sender', b: 'receiver' });
  });

  test('the event being handled is the parent of what is sent, also after an await', async () => {
    const recorder = createRecorder();
    const cause = recorder.pass(call);
    const explicit = recorder.pass(call);
    await withCause(cause, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      expect(currentCause()).toBe(cause);
      recorder.pass({ ...call, label: 'inner' });
      recorder.pass({ ...call, label: 'explicit', parent: explicit, causes: [explicit, cause, 'unknown'] });
      withCause(undefined, () => recorder.pass({ ...call, label: 'cut' }));
    });
    const [, , inner, other, cut] = eventsOf(recorder);
    expect(inner?.parent).toBe(cause);
    expect(other).toMatchObject({ parent: explicit, causes: [cause] });
    expect(cut).not.toHaveProperty('parent');
  });

  test('after the end nothing is recorded', () => {
    const recorder = createRecorder();
    const id = recorder.send(call);
    recorder.finish();
    recorder.send(call);
    recorder.receive(id);
    recorder.finish();
    expect(linesOf(recorder)).toMatchObject([{ kind: 'begin' }, { seq: 1, point: 'send' }, { kind: 'end', seq: 2 }]);
  });

  test('a new run knows nothing of the one before', () => {
    const recorder = createRecorder();
    const id = recorder.send(call);
    recorder.finish();
    recorder.reset();
    expect(recorder.receive(id)).toBe(false);
    recorder.send(reply(id));
    recorder.pass({ ...call, parent: id });
    expect(linesOf(recorder)).toMatchObject([
      { kind: 'begin', seq: 0 },
      { seq: 1, kind: 'call' },
    ]);
    expect(eventsOf(recorder)[0]).not.toHaveProperty('parent');
  });

  test('a cursor goes on without gap or repeat', () => {
    const recorder = createRecorder();
    for (let i = 0; i < 10; i++) recorder.pass({ ...call, label: String(i) });
    recorder.finish();
    const read: TraceLine[] = [...linesOf(recorder, { linesMax: 4 })];
    while (read.at(-1)?.kind !== 'end') read.push(...linesOf(recorder, { after: read.at(-1)!.seq, linesMax: 3 }));
    expect(read).toEqual(linesOf(recorder));
    expect(linesOf(recorder, { after: read.at(-1)!.seq })).toEqual([]);
  });

  test('a reader of settled lines waits for what is in flight, but not for ever', () => {
    let now = 0;
    const recorder = createRecorder({ now: () => now, settleMs: 100 });
    recorder.pass(call);
    const lost = recorder.send(call);
    recorder.pass(call);
    const seqs = (): readonly number[] => linesOf(recorder, { settledOnly: true }).map(({ seq }) => seq);
    expect(seqs()).toEqual([0, 1]);
    now = 101;
    expect(seqs()).toEqual([0, 1, 3, 4]);
    recorder.receive(lost);
    expect(recorder.find(lost)).toMatchObject({ seq: 3, receivedSeq: 6 });
  });

  test('beyond its bound the oldest go, the trace says so, and older cursors are gone', () => {
    const recorder = createRecorder({ eventsMax: 10 });
    for (let i = 0; i < 25; i++) recorder.receiveOnly({ ...call, label: String(i + 1) });
    const lines = linesOf(recorder);
    expect(lines[0]).toMatchObject({ kind: 'problem', seq: 15, type: 'urn:asdrawn:problem:trace-truncated' });
    expect(lines.slice(1).map(({ seq }) => seq)).toEqual([16, 17, 18, 19, 20, 21, 22, 23, 24, 25]);
    expect(recorder.read({ after: 14 }).kind).toBe('gone');
    expect(recorder.read({ after: 15 }).kind).toBe('lines');
    expect(recorder.read({ after: 26 }).kind).toBe('gone');
    expect(recorder.find('1-25')?.label).toBe('25');
    expect(recorder.find('1-3')).toBeUndefined();
  });

  test('listeners hear of every change until they leave', () => {
    const recorder = createRecorder();
    let heard = 0;
    const leave = recorder.onChange(() => heard++);
    recorder.receive(recorder.send(call));
    leave();
    recorder.send(call);
    expect(heard).toBe(2);
  });
});

test.each([
  ['scheduler', 'Scheduler'],
  ['scheduler/1.0', 'Scheduler'],
  ['kubelet/node1', 'Kubelet'],
  ['controller-manager', 'ControllerManager'],
  ['replicaset-controller', 'ReplicaSetController'],
  ['deployment-controller', 'DeploymentController'],
  ['garbage-collector', 'GarbageCollector'],
  ['kubectl/v1.32.4 (linux/amd64)', 'User'],
  ['schedulerish', 'User'],
  ['', 'User'],
  [undefined, 'User'],
])('the user agent %j is %s', (userAgent, participant) => {
  expect(participantOf(userAgent)).toBe(participant);
});
