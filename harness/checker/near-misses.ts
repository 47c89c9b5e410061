import { foldName, mistypedFrom, type Contract, type ContractMessage } from '../contract/index.ts';
import type { SourcedEvent, Trace, TraceEvent } from '../trace/index.ts';
import { arrowsOfEvents } from './check.ts';
import { compileSelector, contentOf, matchesAny, testOf } from './labels.ts';

/** The one thing that tells an event from a drawn message. */
export type Difference = 'label' | 'kind' | 'sender' | 'receiver' | 'serves';

/** An event that no arrow takes, and that would be a drawn message but for one thing; the first of its like. */
export interface NearMiss {
  /** Index of the drawn arrow. */
  readonly arrow: number;
  readonly sourced: SourcedEvent;
  readonly differs: Difference;
  /** Where it does not serve what it is drawn to serve, or to be caused by: the arrow of that. */
  readonly serves?: number;
}

/** Texts that are compared letter by letter, for each message: a trace may hold any number of them. */
const LABELS_MAX = 10_000;

/** For each of these arrows the events that are nearly it: for each difference the first one. */
export function nearMisses(contract: Contract, trace: Trace, arrows: ReadonlySet<number>): readonly NearMiss[] {
  const only = testOf(contract.only);
  const judges = contract.messages
    .filter(({ kind, drawn, entry, match }) => {
      return arrows.has(drawn) && kind !== 'reply' && entry === undefined && match.via === undefined;
    })
    .map((message) => ({
      arrow: message.drawn,
      differenceOf: differenceFrom(contract, message),
      serves: contract.messages[servedBy(message) ?? -1]?.drawn,
    }));
  if (judges.length === 0) return [];
  const found = new Map<string, NearMiss>();
  for (const [index, taken] of arrowsOfEvents(contract, trace).entries()) {
    const sourced = trace.events[index];
    if (sourced === undefined || taken.length > 0 || sourced.event.kind === 'reply') continue;
    if (only !== null && !only(sourced.event)) continue;
    for (const { arrow, differenceOf, serves } of judges) {
      const differs = differenceOf(sourced.event);
      if (differs === null || found.has(`${arrow} ${differs}`)) continue;
      const own = differs === 'serves' && serves !== undefined ? { serves } : {};
      found.set(`${arrow} ${differs}`, { arrow, sourced, differs, ...own });
    }
  }
  return [...found.values()];
}

/** The message that it must serve, or be caused by. */
function servedBy({ match: { inside } }: ContractMessage): number | null {
  if (inside.kind === 'caller') return inside.call;
  return inside.kind === 'message' ? inside.message : null;
}

/** What alone tells an event from this message; null: more than one thing does, or nothing. */
function differenceFrom({ lifelines }: Contract, message: ContractMessage): (event: TraceEvent) => Difference | null {
  const { from, to, kind, match } = message;
  const [senders, receivers] = [from, to].map((end) =>
    end === null ? null : (lifelines[end]?.traced ?? []).map(compileSelector),
  );
  const isAt = (selectors: typeof senders, name: string, event: TraceEvent): boolean =>
    selectors === null || selectors === undefined || matchesAny(selectors, foldName(name), event);
  const content = contentOf(match);
  // A message that says nothing of its own is like everything.
  const isTelling = (match.template ?? match.label ?? match.when) !== undefined;
  const isNear = nearLabels(match.label);
  return (event) => {
    const [isSent, isReceived] = [isAt(senders, event.from, event), isAt(receivers, event.to, event)];
    if (!isSent && !isReceived) return null;
    const isKind = kind === 'call' ? event.kind === 'call' : event.kind !== 'lost';
    const isAsDrawn = content(event) !== null;
    if (isSent && isReceived && isKind && !isAsDrawn && isNear(event.label)) return 'label';
    if (!isTelling || !isAsDrawn) return null;
    if (isSent && isReceived && !isKind) return 'kind';
    // All else is as drawn, and it was not taken.
    if (isSent && isReceived) return servedBy(message) === null ? null : 'serves';
    if (!isKind) return null;
    return isSent ? 'receiver' : 'sender';
  };
}

/** Is a label a slip of the pen away from what is drawn? */
function nearLabels(drawn: string | undefined): (label: string) => boolean {
  const known = new Map<string, boolean>();
  return (label) => {
    if (drawn === undefined) return false;
    let isNear = known.get(label);
    if (isNear === undefined) {
      isNear = known.size < LABELS_MAX && mistypedFrom(drawn, [label]) !== undefined;
      if (known.size < LABELS_MAX) known.set(label, isNear);
    }
    return isNear;
  };
}
