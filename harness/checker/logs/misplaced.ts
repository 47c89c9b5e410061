import type { Contract } from '../../contract/index.ts';
import { candidatesOfEvent } from '../candidates.ts';
import type { LabelledEvent } from '../labels.ts';
import { endsShown, type ReadLog } from './log-events.ts';

/** A log as it is looked at, and what it holds of others: no end of these events lies at its participants. */
export interface Placed {
  readonly log: ReadLog;
  readonly misplaced: readonly LabelledEvent[];
}

/** Sets apart what a log shows of messages between others; what only the binding speaks of has no ends. */
export function place(contract: Contract, log: ReadLog): Placed {
  const isOwn = (labelled: LabelledEvent): boolean =>
    labelled.rules !== undefined || hasEndAt(contract, log.lifelines, labelled);
  const misplaced = log.inside.filter((labelled) => !isOwn(labelled));
  if (misplaced.length === 0) return { log, misplaced };
  const others = new Set(misplaced);
  return { log: { ...log, inside: log.inside.filter((labelled) => !others.has(labelled)) }, misplaced };
}

/** What is said of a log with events of others; null: it has none. */
export function misplacedText(contract: Contract, { log, misplaced }: Placed): string | null {
  const [first] = misplaced;
  if (first === undefined) return null;
  const { source } = first.sourced;
  if (log.inside.length > 0)
    return `${misplaced.length} of ${misplaced.length + log.inside.length} events of ${source} have no end at ${log.name}, and were not looked at`;
  const owner = likelyOwner(contract, misplaced);
  return `no event of ${source} has an end at ${log.name}${owner === null ? '' : `: it seems to be the log of ${owner}`}`;
}

/** The participant at which all of the events have an end. */
function likelyOwner(contract: Contract, events: readonly LabelledEvent[]): string | null {
  const owners = contract.lifelines.filter((_, index) =>
    events.every((labelled) => hasEndAt(contract, [index], labelled)),
  );
  return owners.length === 0 ? null : owners.map(({ id }) => id).join(' or ');
}

function hasEndAt(contract: Contract, lifelines: readonly number[], labelled: LabelledEvent): boolean {
  return candidatesOfEvent(labelled).some((message) => {
    const { send, receipt } = endsShown(contract, lifelines, labelled, message);
    return send !== null || receipt !== null;
  });
}
