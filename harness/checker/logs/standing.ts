import type { Contract } from '../../contract/index.ts';
import type { LabelledEvent } from '../labels.ts';
import { candidatesOfEvent } from '../candidates.ts';
import type { ReadLog } from './log-events.ts';

/** A standing message that no log can have shown before the message that relies on it. */
export interface Unshown {
  readonly message: number;
  readonly before: number | null;
}

/**
 * Standing messages that cannot have held. Such a message can have been shown in time if one log that shows an end of it does so
 * before it shows the message that relies on it; or, where logs may be cut, if one shows neither. What no log could show
 * is not judged (`hiddenStanding`).
 */
export function unshownStanding(
  contract: Contract,
  logs: readonly ReadLog[],
  events: readonly LabelledEvent[],
  isCut: boolean,
): readonly Unshown[] {
  return contract.standing.filter(({ message, before }) => {
    const showing = logs.filter((log) => showsEnd(contract, log, message));
    const relying = before === null ? [] : events.filter((event) => candidatesOfEvent(event).includes(before));
    if (showing.length === 0 || (before !== null && relying.length === 0)) return false;
    return !showing.some((log) => {
      const relied = relying.find(({ index }) => log.first <= index && index < log.end)?.index ?? null;
      const shown = log.standing.find((one) => one.message === message)?.index ?? null;
      if (shown === null) return isCut && relied === null;
      return relied === null || shown < relied;
    });
  });
}

/** Standing messages of which no log could show an end. */
export const hiddenStanding = (contract: Contract, logs: readonly ReadLog[]): readonly number[] =>
  contract.standing
    .map(({ message }) => message)
    .filter((message) => !logs.some((log) => showsEnd(contract, log, message)));

function showsEnd({ messages }: Contract, { lifelines }: ReadLog, message: number): boolean {
  const { from = null, to = null } = messages[message] ?? {};
  return [from, to].some((end) => end !== null && lifelines.includes(end));
}
