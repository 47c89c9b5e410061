import type { Trace } from '../trace/index.ts';
import { worstOf, type ArrowVerdict, type SpecVerdict, type UnmatchedTraffic } from '../verdict/index.ts';
import { coverageOf } from './coverage.ts';
import { clockRemarks, latenciesOf, percentilesOf, type Latencies } from './latencies.ts';
import { remarksOf } from './remarks.ts';
import { UNMATCHED_ROWS } from './stray-traffic.ts';
import type { Findings } from './findings.ts';
import { unseenNames } from './unseen-names.ts';

/** The verdict over all instances, with what it says of every arrow. */
export function assemble(findings: Findings): SpecVerdict {
  const { contract, trace, instances, reason, tally } = findings;
  const unlisted = tally?.unlisted ?? [];
  const left = unlisted.reduce((sum, { count }) => sum + count, 0);
  const [events, inside] = [tally?.events ?? trace.events.length, tally?.inside ?? findings.inside.length];
  const latencies = tally?.latencies ?? latenciesOf(contract, findings.inside);
  const arrows = arrowVerdicts(findings, latencies);
  const isVacuous = !instances.some(
    ({ events, violations, outcome }) => events > 0 || violations.length > 0 || outcome === 'inconclusive',
  );
  const worst = worstOf(instances.map((instance) => instance.outcome));
  const bounded = reason !== null && worst !== 'violates';
  const outcome = bounded ? 'inconclusive' : isVacuous ? 'vacuous' : worst;
  const isWhole = findings.isWhole === true;
  const named = tally?.hasAllNames === false ? [] : trace.events;
  const unseen = unseenNames(contract, named, { isVacuous, isWhole, count: events });
  const why = reason ?? (isVacuous ? vacuousReason(trace, unseen.causes) : undefined);
  return {
    v: 1,
    spec: contract.spec,
    binding: contract.binding,
    order: contract.order,
    outcome,
    ...(why === undefined ? {} : { reason: why }),
    arrows,
    coverage: coverageOf(contract, arrows, instances, unlisted),
    instances,
    ...(left === 0 ? {} : { unlisted: left }),
    key: contract.key,
    counts: { events, taken: inside - (findings.ignored ?? []).length, outside: events - inside },
    unmatched: traffic(findings),
    remarks: [...unseen.causes, ...unseen.others, ...remarksOf(findings, arrows), ...clockRemarks(contract, latencies)],
  };
}

/** What is probably the cause stands first. */
function vacuousReason(trace: Trace, [cause]: readonly string[]): string {
  if (trace.events.length === 0) return 'the trace holds no event';
  const fact = 'no event of the trace matched an arrow of this drawing';
  return cause === undefined ? fact : `${cause}${cause.endsWith('?') ? '' : ';'} ${fact}`;
}

function arrowVerdicts({ contract, instances, standing, tally }: Findings, samples: Latencies): ArrowVerdict[] {
  const latencies = percentilesOf(samples);
  const shownCount = (message: number): number =>
    tally === undefined ? (standing.get(message) ?? []).length : (tally.standing.get(message) ?? 0);
  const noteOf = (index: number, ...kinds: string[]): string | undefined => {
    const note = contract.notes.find((entry) => entry.drawn === index && kinds.includes(entry.kind));
    return note?.reason;
  };
  return contract.drawn.map((drawn) => {
    const { index } = drawn;
    const taken = instances.map((instance) => instance.taken[index] ?? 0);
    const others = (tally?.unlisted ?? []).filter(({ instance }) => (instance.taken[index] ?? 0) > 0);
    const shown = contract.standing
      .filter(({ message }) => contract.messages[message]?.drawn === index)
      .reduce((sum, { message }) => sum + shownCount(message), 0);
    const events =
      taken.reduce((sum, count) => sum + count, 0) +
      others.reduce((sum, { instance, count }) => sum + count * (instance.taken[index] ?? 0), 0) +
      shown;
    const violations = instances
      .flatMap((instance) => instance.violations)
      .filter((violation) => violation.arrow === index).length;
    const removed = contract.notes.find(
      (note) =>
        note.drawn === index && (note.kind === 'absent' || note.kind === 'unobservable' || note.kind === 'standing'),
    );
    const reason = noteOf(index, 'absent', 'unobservable', 'erratum', 'standing');
    // What looks like an arrow that was never taken was another one.
    const latency = events > 0 ? latencies.get(index) : undefined;
    const status =
      violations > 0
        ? 'violates'
        : removed !== undefined
          ? (removed.kind as 'absent' | 'unobservable' | 'standing')
          : events > 0
            ? 'conforms'
            : 'unseen';
    return {
      ...drawn,
      events,
      instances: taken.filter((count) => count > 0).length + others.reduce((sum, { count }) => sum + count, 0),
      violations,
      status,
      ...(reason === undefined ? {} : { reason }),
      erratum: noteOf(index, 'erratum') !== undefined,
      ...(latency === undefined ? {} : { latencyMs: latency }),
    };
  });
}

function traffic({ unmatched, tally }: Findings): UnmatchedTraffic[] {
  const rows = new Map<string, UnmatchedTraffic>();
  for (const sourced of unmatched) {
    const { from, to, label } = sourced.event;
    const key = JSON.stringify([from, to, label]);
    const count = tally?.countOf(sourced) ?? 1;
    rows.set(key, { from, to, label, events: (rows.get(key)?.events ?? 0) + count });
  }
  return [...rows.values()].sort((a, b) => b.events - a.events).slice(0, UNMATCHED_ROWS);
}
