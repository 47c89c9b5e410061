import type { Contract } from '../contract/index.ts';
import { receivedDomainOf } from '../trace/index.ts';
import type { ArrowVerdict } from '../verdict/index.ts';
import { nameArrow } from './describe.ts';
import type { LabelledEvent } from './labels.ts';
import { unique } from './run.ts';

/** By drawn arrow, the milliseconds from send to receipt of each event that shows both. */
export type Latencies = ReadonlyMap<number, readonly number[]>;

/** The drawn arrows of these messages, each once. */
export const arrowsOf = ({ messages }: Contract, wanted: readonly number[]): readonly number[] =>
  unique(wanted.flatMap((message) => messages[message]?.drawn ?? []));

/** Send to receipt, where the trace shows both times. What could be several arrows is a sample of each of them. */
export function latenciesOf(contract: Contract, inside: readonly LabelledEvent[]): Latencies {
  const samples = new Map<number, number[]>();
  for (const { messages, sourced } of inside) {
    const { time, receivedTime } = sourced.event;
    if (time === undefined || receivedTime === undefined) continue;
    // Two clocks: their difference is no latency.
    if (receivedDomainOf(sourced.event) !== sourced.event.domain) continue;
    for (const arrow of arrowsOf(contract, messages)) {
      const known = samples.get(arrow);
      if (known === undefined) samples.set(arrow, [receivedTime - time]);
      else known.push(receivedTime - time);
    }
  }
  return samples;
}

const isBackwards = (latency: number): boolean => latency < 0;

/** Of a clock that goes backwards nothing is told. */
export function percentilesOf(samples: Latencies): ReadonlyMap<number, NonNullable<ArrowVerdict['latencyMs']>> {
  const found = new Map<number, NonNullable<ArrowVerdict['latencyMs']>>();
  for (const [arrow, values] of samples) {
    const sorted = values.filter((value) => !isBackwards(value)).sort((a, b) => a - b);
    if (sorted.length === 0) continue;
    const at = (share: number): number =>
      sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
    found.set(arrow, { p50: at(0.5), p95: at(0.95), max: at(1) });
  }
  return found;
}

/** Arrows that are named. */
const NAMED_MAX = 3;

/** What the clocks of a trace say that cannot be. */
export function clockRemarks({ drawn }: Contract, samples: Latencies): readonly string[] {
  const arrows = [...samples]
    .flatMap(([arrow, values]) => (values.some(isBackwards) ? [arrow] : []))
    .sort((a, b) => a - b);
  if (arrows.length === 0) return [];
  const names = arrows.slice(0, NAMED_MAX).map((arrow) => nameArrow(drawn, arrow));
  const more = arrows.length > NAMED_MAX ? ` and ${arrows.length - NAMED_MAX} more` : '';
  return [`by its clock received before it was sent: ${names.join(', ')}${more}; no latency is told of such events`];
}
