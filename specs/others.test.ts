import { describe, expect, test } from '@jest/globals';
import { check, type Contract, type SpecVerdict, type Trace } from '../harness/index.ts';
import { loadContract } from './testing/load-specs.ts';
import { randomEdits, type Edit, type EditableLog } from './testing/others-edits.ts';
import { lockRecordOf, readLockServerLog, type LockRecord } from './testing/others-lock-server.ts';
import { loadLog } from './testing/others-logs.ts';
import { identityOf, isSending, raftRecordOf, readRaftTrace, type RaftRecord } from './testing/others-raft.ts';

const SEED = 20240405;
/** Edits per log, not counting those that are no faults. */
const EDITS = 100;

const isAbsent = loadLog('pobserve_lockserver/1_happy.txt') === null || loadLog('etcd_raft/example.ndjson') === null;
const testWithLogs = isAbsent ? test.skip : test;
const unlessAbsent = isAbsent ? ' (not tested: the logs of other projects, ../shared/oracles, are absent)' : '';

function linesOf(name: string): readonly string[] {
  const lines = loadLog(name);
  if (lines === null) throw new Error(`${name} is not there, though this test was not skipped`);
  return lines;
}

const contractsOf = (folder: string): readonly Contract[] =>
  loadContract(
    `../harness/checker/others/${folder}/${folder}.md`,
    `../harness/checker/others/${folder}/${folder}.bindings.yaml`,
  );

const lockContracts = contractsOf('lock-server');
const raftContracts = contractsOf('raft');

function judge(contracts: readonly Contract[], trace: Trace): readonly SpecVerdict[] {
  return contracts.map((contract) => check(contract, trace));
}

const conforms = (contracts: readonly Contract[], trace: Trace): boolean =>
  contracts.every((contract) => check(contract, trace).outcome === 'conforms');

/** What a name of a drawing says of a trace: its outcome, instances, and how many events its arrows took. */
const summaryOf = ({ spec, outcome, instances, counts }: SpecVerdict): readonly unknown[] => [
  spec.name,
  outcome,
  instances.length,
  counts.taken,
  counts.events,
];

interface Planted {
  readonly caught: number;
  /** Faults after which the log still conforms. */
  readonly missed: readonly string[];
  /** Edits that are no faults by the log's own facts, and those of them that were told all the same. */
  readonly noFaults: ReadonlyMap<string, number>;
  readonly falseAlarms: readonly string[];
}

/** Plants edits until `EDITS` of them are faults, and judges each edited log anew. */
function plantEdits(
  log: EditableLog,
  contracts: readonly Contract[],
  read: (lines: readonly string[], source: string) => Trace,
  whyNoFault: (edit: Edit) => string | null,
): Planted {
  const noFaults = new Map<string, number>();
  const [missed, falseAlarms]: [string[], string[]] = [[], []];
  let [faults, caught] = [0, 0];
  for (const edit of randomEdits(log, 3 * EDITS, SEED)) {
    if (faults === EDITS) break;
    const reason = whyNoFault(edit);
    const isCaught = !conforms(contracts, read(edit.lines, 'edited'));
    const told = `${edit.kind} in line ${edit.line}: ${edit.touched.join(' / ')}`;
    if (reason !== null) {
      noFaults.set(reason, (noFaults.get(reason) ?? 0) + 1);
      if (isCaught) falseAlarms.push(told);
      continue;
    }
    faults++;
    if (isCaught) caught++;
    else missed.push(told);
  }
  expect(faults).toBe(EDITS);
  return { caught, missed, noFaults, falseAlarms };
}

/** One line per log in the test's output; what was missed is named in full. */
function tell(name: string, { caught, missed, noFaults }: Planted): void {
  const allowed = [...noFaults].map(([reason, count]) => `${count}: ${reason}`).join('; ') || 'none';
  console.info(
    [`${name}: ${caught} of ${EDITS} faults caught. No faults, and none told: ${allowed}.`, ...missed].join(
      '\n  missed: ',
    ),
  );
}

describe("a lock server's logs, written for another checker", () => {
  testWithLogs.each([
    ['1_happy', 1, 5],
    ['5_happy', 5, 25],
  ])(`%s conforms, with every request, grant, release and refusal inside${unlessAbsent}`, (name, locks, pairs) => {
    const trace = readLockServerLog(linesOf(`pobserve_lockserver/${name}.txt`), name);
    expect(judge(lockContracts, trace).map(summaryOf)).toEqual([
      ['The life of a lock', 'conforms', locks, 20_000, 20_000],
      ['A client and a lock', 'conforms', pairs, 20_000, 20_000],
      ['A request and its answer', 'conforms', 10_000, 20_000, 20_000],
    ]);
  });

  /**
   * Where the error logs differ from the happy ones, apart from the times. In 1_error three answers were put in: a second
   * answer to a release, that grants a lock which is then free; a refusal of a lock which is free, before it is asked for; a
   * second answer to a release, that says done and held at once. In 5_error two answers were changed: a held lock is granted
   * once more, a free one is given back.
   */
  const FAULTS = [
    ['1_error', '1_happy', [1876, 11_066, 16_954], ['not-drawn', 'not-drawn', 'not-drawn']],
    ['5_error', '5_happy', [52, 502], ['repeated', 'repeated']],
  ] as const;

  testWithLogs.each(FAULTS)(
    `%s violates at the very lines that %s does not hold${unlessAbsent}`,
    (name, happy, ...rest) => {
      const [lines, kinds] = rest;
      const log = linesOf(`pobserve_lockserver/${name}.txt`);
      expect(newLines(log, linesOf(`pobserve_lockserver/${happy}.txt`))).toEqual(lines);
      const [life, client] = judge(lockContracts, readLockServerLog(log, name));
      expect([life?.outcome, client?.outcome]).toEqual(['violates', 'violates']);
      const blamed = normativeViolations(life);
      expect(blamed.map(({ event }) => event?.line)).toEqual(lines);
      expect(blamed.map(({ kind }) => kind)).toEqual(kinds);
      // Each client has its own first violation, at a fault that concerns it.
      for (const { event } of normativeViolations(client)) expect(lines).toContain(event?.line);
    },
  );

  testWithLogs.each(['1_happy', '5_happy'])(
    `of 100 single edits of %s, at least 95 are caught${unlessAbsent}`,
    (name) => {
      // The edits are made in the first 150 transactions; each edited log is judged anew, by all three drawings.
      const lines = linesOf(`pobserve_lockserver/${name}.txt`).slice(0, 301);
      expect(conforms(lockContracts, readLockServerLog(lines, name))).toBe(true);
      const planted = plantEdits(
        { lines, isRecord: (line) => lockRecordOf(line) !== null, withWrongKey: withWrongLockKey },
        lockContracts,
        readLockServerLog,
        whyNoLockFault,
      );
      tell(name, planted);
      expect(planted.caught).toBeGreaterThanOrEqual(95);
      expect(planted.falseAlarms).toEqual([]);
    },
  );
});

const withoutTime = (line: string): string => line.slice(line.indexOf('MessageType='));

/** The lines of records in a log that another log does not hold, apart from their times. */
function newLines(log: readonly string[], other: readonly string[]): readonly number[] {
  const known = new Set(other.map(withoutTime));
  return log.flatMap((line, index) =>
    lockRecordOf(line) !== null && !known.has(withoutTime(line)) ? [index + 1] : [],
  );
}

/** The first violation of each instance; of a closed drawing all, since each is an event of its own. In the log's order. */
const normativeViolations = (verdict: SpecVerdict | undefined): SpecVerdict['instances'][number]['violations'] =>
  (verdict?.instances ?? [])
    .flatMap(({ reason, violations }) => (reason === 'closed drawing' ? violations : violations.slice(0, 1)))
    .sort((a, b) => (a.event?.line ?? 0) - (b.event?.line ?? 0));

const LOCK_KEYS = ['LockID', 'ClientID', 'TransactionID'] as const;

/** Another lock, another client (there are five of each), or another transaction. */
function withWrongLockKey(line: string, choice: number): string {
  const key = LOCK_KEYS[choice % 3] ?? 'LockID';
  return line.replace(new RegExp(`${key}=(\\d+)`), (_, value: string) => {
    const shift = 1 + (choice % 4);
    return `${key}=${key === 'TransactionID' ? Number(value) + shift : (Number(value) + shift) % 5}`;
  });
}

/** The drawings follow a lock. Two neighbours that are about two locks come in no order that anybody promised. */
function whyNoLockFault({ kind, touched }: Edit): string | null {
  if (kind !== 'swap') return null;
  const [one, other] = touched.map((line): LockRecord | null => lockRecordOf(line));
  return one?.LockID === other?.LockID ? null : 'neighbours that are about different locks were exchanged';
}

describe('a trace of etcd raft, written for a model checker', () => {
  testWithLogs(
    `conforms, with 97 % of its messages inside, both ends of them where it shows both${unlessAbsent}`,
    () => {
      const trace = readRaftTrace(linesOf('etcd_raft/example.ndjson'), 'example.ndjson');
      const verdicts = judge(raftContracts, trace);
      expect(verdicts.map(summaryOf)).toEqual([
        ['A follower', 'conforms', 8, 1614, 1787],
        ['A vote', 'conforms', 4, 8, 1787],
        ['A node and itself', 'conforms', 125, 125, 1787],
      ]);
      // What is outside of all three is the 40 requests that the network lost; 126 messages are seen at one end only.
      const unanswerable = trace.events.filter(
        ({ event: { label, point } }) => point === 'send' && !label.endsWith('Resp'),
      );
      expect(unanswerable).toHaveLength(1787 - (1614 + 8 + 125));
      expect(trace.events.filter(({ event }) => event.receivedSeq !== undefined)).toHaveLength(1787 - 126);
    },
  );

  testWithLogs(`of 100 single edits, at least 95 are caught${unlessAbsent}`, () => {
    // In its first 1245 lines a leader is elected, nodes fail, and every request that arrived was answered.
    const lines = linesOf('etcd_raft/example.ndjson').slice(0, 1245);
    expect(conforms(raftContracts, readRaftTrace(lines, 'example.ndjson'))).toBe(true);
    // One fault cannot be told: the receipt of an answer to a heartbeat under the name of a node whose own answer got lost.
    // All answers to heartbeats are equal, so that is a true log of another run.
    const unreceived = unreceivedIn(lines);
    const planted = plantEdits(
      { lines, isRecord: (line) => raftRecordOf(line) !== null, withWrongKey: withWrongRaftKey },
      raftContracts,
      readRaftTrace,
      (edit) => whyNoRaftFault(edit, unreceived),
    );
    tell('example.ndjson', planted);
    expect(planted.caught).toBeGreaterThanOrEqual(95);
    expect(planted.falseAlarms).toEqual([]);
  });
});

const RAFT_KEYS = ['from', 'to', 'term', 'index'] as const;

/** The message of one record, with another sender, receiver, term or index than in its other record. */
function withWrongRaftKey(line: string, choice: number): string {
  const key = RAFT_KEYS[choice % 4] ?? 'from';
  const shift = 1 + (choice % 3);
  const message = line.indexOf('"msg":{');
  const wrong = line
    .slice(message)
    .replace(
      new RegExp(`("${key}":"?)(\\d+)`),
      (_, before: string, value: string) => `${before}${Number(value) + shift}`,
    );
  return line.slice(0, message) + wrong;
}

function unreceivedIn(lines: readonly string[]): ReadonlySet<string> {
  const unreceived = new Map<string, number>();
  for (const line of lines) {
    const record = raftRecordOf(line);
    if (record === null) continue;
    const identity = identityOf(record);
    unreceived.set(identity, (unreceived.get(identity) ?? 0) + (isSending(record) ? 1 : -1));
  }
  return new Set([...unreceived].flatMap(([identity, count]) => (count > 0 ? [identity] : [])));
}

/** The node that wrote a record. */
const writerOf = (record: RaftRecord): string => (isSending(record) ? record.msg.from : record.msg.to);

const isAnswer = ({ msg }: RaftRecord): boolean => msg.type.endsWith('Resp');

/** Of an exchange of two nodes, the two records of the follower are ordered: its receipt of the request, and its answer. */
const isFollowersOwn = (record: RaftRecord): boolean => isAnswer(record) === isSending(record);

/** What the protocol allows, told by the records alone: it runs on a network that loses messages and lets them overtake. */
function whyNoRaftFault({ kind, touched }: Edit, unreceived: ReadonlySet<string>): string | null {
  const [one, other] = touched.map(raftRecordOf);
  if (one === null || one === undefined) return null;
  if (kind === 'swap' && other !== null && other !== undefined) {
    if (identityOf(one) === identityOf(other) && isSending(one) !== isSending(other)) return null;
    if (writerOf(one) !== writerOf(other)) return 'neighbours at different nodes were exchanged';
    return isFollowersOwn(one) && isFollowersOwn(other) ? null : 'the leader sent or received in another order';
  }
  const { from, to, type } = one.msg;
  if (from === to || type.startsWith('MsgVote')) return null;
  if (kind === 'drop' && isAnswer(one) && !isSending(one)) return 'an answer got lost on its way';
  if (!isSending(one) || !unreceived.has(identityOf(one))) return null;
  if (!isAnswer(one)) return 'a request that nobody received was not sent, or was another one';
  const isToAnother = other?.msg.from !== from || other.msg.to !== to;
  return kind === 'drop' || isToAnother ? null : 'an answer that nobody received was another one';
}
